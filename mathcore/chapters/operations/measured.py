"""Operations with measured inputs: limits for published failure logs and spot traces."""

from sympy import floor

from mathcore import Derivation, Example, Variable, read_facts
from mathcore.chapters import operations, reliability, sites, young_daly
from mathcore.chapters.audit import measured as audit_measured
from mathcore.chapters.reliability import counts as reliability_counts
from mathcore.chapters.reliability import measured as reliability_measured
from mathcore.chapters.reliability.counts import Q, mu, s
from mathcore.chapters.reliability.measured import n_b
from mathcore.measured import Comparison, Dataset

# --- symbols -------------------------------------------------------------------------------

U_b = Variable("U_b", "", "probability of more failures than the limit", tex=r"U_{\mathrm{b}}", display_unit="%")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
spot_fleets = Dataset("spot_fleets")
spot_google = Dataset("spot_google")

# --- stays at another provider ----------------------------------------------------------------

stays_elsewhere = Comparison(
    formula=reliability_measured.weibull_gaps,
    data=spot_google,
    measured="survived",
    columns={
        reliability.t: "time",
        reliability_measured.m_W: "mean",
        reliability_measured.beta: reliability_measured.spot_weibull.fitted_parameters["beta"],
    },
    over={"mean stay": "mean"},
    system="stays of preemptible machines at Google, with the shape of Amazon's zones",
    bound=("30 %", "75 %"),
    note="The shape carries over for the first hours. At half a day up to twice as many are left, because these machines are stopped at 24 hours at the latest and are seldom preempted in between.",
)

# --- failures -----------------------------------------------------------------------------

DEVICES = {young_daly.N: "800 gpu"}  # a hundred servers of eight


calm_mtbf = Example(young_daly.cluster_mtbf, {**DEVICES, young_daly.m: audit_measured.llama_device})

# --- limits with bursts of failures ---------------------------------------------------

beyond_limit = (
    Derivation.start(U_b, 1 - Q, "the complement of the probability that the limit suffices")
    .apply({Q: reliability_counts.spares_suffice}, "an allowed failure is like a spare")
    .apply({s: floor(s / n_b), mu: mu / n_b}, "count bursts instead of failures: fewer occur, and fewer are allowed")
    .formula(
        assumptions="bursts of $n_{\\mathrm{b}}$ come at a constant rate",
        convention="a burst size of 1 gives the Poisson distribution",
    )
)
MONTH, DAY = {mu: operations.run_failures}, {mu: operations.day_failures}
FITTED, ROUGH = reliability_measured.burst_counts.fitted_parameters["n_b"], reliability_measured.rough_burst
alone_fitted = Example(beyond_limit, {**MONTH, s: operations.run_alone, n_b: FITTED}, digits=2)
alone_rough = Example(beyond_limit, {**MONTH, s: operations.run_alone, n_b: ROUGH}, digits=2)
month_rough = Example(beyond_limit, {**MONTH, s: operations.run_retries, n_b: ROUGH}, digits=2)
month_young = Example(beyond_limit, {**MONTH, s: operations.run_retries, n_b: facts.young_month}, digits=2)
day_alone_calm = Example(beyond_limit, {**DAY, s: operations.day_alone, n_b: facts.calm_days}, digits=2)
day_alone_rough = Example(beyond_limit, {**DAY, s: operations.day_alone, n_b: facts.rough_days}, digits=2)
day_rough = Example(beyond_limit, {**DAY, s: operations.day_limit, n_b: facts.rough_days}, digits=2)
day_worst = Example(beyond_limit, {**DAY, s: operations.day_limit, n_b: ROUGH}, digits=2)

# --- mean stay of spot instances -------------------------------------------------------------

BAND = {operations.q_m: operations.spot_band, operations.Y: sites.month}
stay_of_band = Example(operations.preempted_every, {**BAND, operations.n_v: "1"})
