"""The small print of stores and probes: requests that are billed, and checks that give up."""

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import operations, resilience, retention, sites
from mathcore.chapters.resilience import S
from mathcore.chapters.young_daly import tau

# --- letters -------------------------------------------------------------------------------

p_r = Variable("p_r", "USD", "price of one request to a store", tex=r"p_{\mathrm{r}}", low="1e-9 USD", high="1 USD")
v_p = Variable("v_p", "B", "bytes of a part that is sent", tex=r"v_{\mathrm{p}}", shown="MB", low="1 kB", high="1 TB")
Y_m = Variable("Y_m", "s", "time that is billed", tex=r"Y_{\mathrm{m}}", shown="d", low="1 h", high="10 year")
B_r = Variable("B_r", "USD", "bill for requests", tex=r"B_{\mathrm{r}}", low="0 USD", high="1e9 USD", zero=True)
k_f = Variable(
    "k_f", "", "failures in a row after which a probe gives up", tex=r"k_{\mathrm{f}}", low="1", high="10000"
)
x_q = Variable("x_q", "s", "time between two probes", tex=r"x_{\mathrm{q}}", low="1 s", high="1 h")
t_o = Variable("t_o", "s", "time after which a probe counts as failed", tex=r"t_{\mathrm{o}}", low="0.1 s", high="1 h")
t_g = Variable("t_g", "s", "silence after which the process is killed", tex=r"t_{\mathrm{g}}", low="1 s", high="30 d")

# --- facts ---------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__

# --- requests ------------------------------------------------------------------------------

requests_bill = Formula(
    B_r,
    p_r * (S / v_p) * (Y_m / tau),
    kind="model",
    when="every checkpoint is sent in parts of one size, each of them one request",
    convention="writing only; a list price for each thousand requests",
)
UPLOADS = {p_r: facts.put_price, S: resilience.checkpoint, tau: operations.run_interval, Y_m: sites.month}
bill_of_small = Example(requests_bill, {**UPLOADS, v_p: facts.default_part}, digits=3)
bill_of_large = Example(requests_bill, {**UPLOADS, v_p: "128 MiB"}, digits=2)
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

probe_window = Formula(t_g, k_f * x_q + t_o, kind="model", when="the process falls silent just after it has answered")
probes_needed = (
    Derivation.start(probe_window)
    .solve_for(k_f, (t_g - t_o) / x_q, "how many must be missed before the longest pause counts as a death")
    .formula(valid=(t_g > t_o,), convention="round up")
)
DEFAULTS = {x_q: facts.probe_period, t_o: facts.probe_timeout}
usual_window = Example(probe_window, {**DEFAULTS, k_f: facts.probe_failures})
failures_small = Example(probes_needed, {**DEFAULTS, t_g: operations.small_write}, digits=3)
failures_stall = Example(probes_needed, {**DEFAULTS, t_g: operations.stall_silence}, digits=3)
