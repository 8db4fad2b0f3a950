"""Young–Daly, measured: the models replayed on the failures of ten clusters, as their logs have them."""

from mathcore import Example, read_facts
from mathcore.chapters import young_daly
from mathcore.chapters.young_daly import C, M, R, tau
from mathcore.measured import Comparison, Dataset, PairedError

# --- facts and data ----------------------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
replayed = Dataset("lanl_replay")
log = Dataset("lanl_log")
REPLAY = {
    "data": replayed,
    "measured": "waste",
    "columns": {tau: "interval", C: "write", M: "mtbf", R: "restart"},
    "over": {"MTBF": "mtbf"},
}

# --- the models on a log ---------------------------------------------------------------------

exact = Comparison(
    **REPLAY,
    formula=young_daly.exact_waste,
    also=(young_daly.completion_time,),
    system="replayed on the failures of ten clusters, exact model",
    bound=("6 %", "140 %"),
    note="Where failures come in bursts the exact model overstates the waste: a second failure destroys little.",
)
calm = Comparison(
    **{**REPLAY, "over": {"write": "write"}},
    formula=young_daly.waste_with_restart,
    only={"system": ("3", "5", "6", "18", "19")},
    system="replayed on five clusters whose failures come nearly singly, first order",
    bound=("9 %", "50 %"),
    note="Where failures come nearly singly the first-order model is too low, most where a write takes 5 % of the MTBF.",
)

first_order = Comparison(
    **REPLAY,
    formula=young_daly.waste_with_restart,
    only={"regular": "yes"},
    system="replayed on the failures of ten clusters, first order, short writes and intervals",
    bound=("5 %", "40 %"),
    note="Where write, interval and restart are short against the MTBF, the first-order model hardly errs, bursts or not.",
)
difference = PairedError(first_order, same=("system",))

# --- worked examples -------------------------------------------------------------------------

third_known = Example(young_daly.penalty, {young_daly.x: "1.7320508"})
