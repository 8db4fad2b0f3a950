"""Details of storage and probes: request prices and liveness probes."""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import operations, resilience, sites
from mathcore.chapters.resilience import S, retention
from mathcore.chapters.young_daly import tau

# --- symbols -------------------------------------------------------------------------------

p_r = Variable("p_r", "USD", "price of one object-store request", tex=r"p_{\mathrm{r}}", low="1e-9 USD", high="1 USD")
v_p = Variable("v_p", "B", "part size of an upload", tex=r"v_{\mathrm{p}}", display_unit="MB", low="1 kB", high="1 TB")
Y_m = Variable("Y_m", "s", "billing period", tex=r"Y_{\mathrm{m}}", display_unit="d", low="1 h", high="10 year")
B_r = Variable("B_r", "USD", "cost of requests", tex=r"B_{\mathrm{r}}", low="0 USD", high="1e9 USD", zero=True)
k_f = Variable("k_f", "", "failure threshold of a probe", tex=r"k_{\mathrm{f}}", low="1", high="10000", count=True)
x_q = Variable("x_q", "s", "time between two probes", tex=r"x_{\mathrm{q}}", low="1 s", high="1 h")
t_o = Variable("t_o", "s", "timeout of a probe", tex=r"t_{\mathrm{o}}", low="0.1 s", high="1 h")
t_g = Variable(
    "t_g", "s", "time without an answer until the process is killed", tex=r"t_{\mathrm{g}}", low="1 s", high="30 d"
)

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- requests ------------------------------------------------------------------------------

requests_cost = Formula(
    B_r,
    p_r * (S / v_p) * (Y_m / tau),
    kind="model",
    assumptions="every checkpoint is uploaded in parts of equal size, one request each",
    convention="writes only, at the list price",
)
UPLOADS = {p_r: facts.put_price, S: resilience.checkpoint, tau: operations.run_interval, Y_m: sites.month}
bill_of_small = Example(requests_cost, {**UPLOADS, v_p: facts.default_part}, digits=3)
bill_of_large = Example(requests_cost, {**UPLOADS, v_p: "128 MiB"}, digits=2)
bytes_kept = Example(
    retention.storage_price,
    {
        retention.kappa: sites.s3_standard,
        retention.V: operations.run_kept,
        retention.T: sites.month,
        retention.Y: sites.month,
    },
    digits=2,
)

# --- probes --------------------------------------------------------------------------------

probe_window = Formula(t_g, k_f * x_q + t_o, kind="model", assumptions="the process hangs just after it has answered")
probe_least = Formula(
    t_g, (k_f - 1) * x_q + t_o, kind="model", assumptions="the process hangs just before it is probed"
)
probes_needed = (
    Derivation.start(probe_least)
    .solve_for(k_f, (t_g - t_o) / x_q + 1, "the threshold at which the longest pause is still tolerated")
    .formula(domain=(t_g > t_o,), convention="round up")
)
DEFAULTS = {x_q: facts.probe_period, t_o: facts.probe_timeout}
usual_window = Example(probe_window, {**DEFAULTS, k_f: facts.probe_failures})
usual_least = Example(probe_least, {**DEFAULTS, k_f: facts.probe_failures})
failures_small = Example(probes_needed, {**DEFAULTS, t_g: operations.small_write}, digits=3)
