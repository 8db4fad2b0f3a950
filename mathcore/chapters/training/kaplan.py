"""Why small experiments said "larger models": Kaplan's exponents, and what leaving out embeddings does."""

from sympy import Derivative, Rational

from mathcore import Derivation, Example, Formula, Variable, read_facts
from mathcore.chapters import models
from mathcore.chapters.training import FLOP, C, token
from mathcore.chapters.training.scaling import q
from mathcore.teaching import read_exercises

# --- symbols -------------------------------------------------------------------------------

N_e = Variable("N_e", "", "parameters without embeddings", tex=r"N_{\mathrm{body}}", low="100", high="1000000000000")
N_T = Variable("N_T", "", "parameters with embeddings", tex=r"N_{\mathrm{all}}")
N_K = Variable("N_K", "", "best size after Kaplan", tex=r"N_{\mathrm{K}}")
n_1 = Variable("n_1", "", "best size at one petaflop/s-day", low="1000", high="1000000000000")
C_d = Variable(
    "C_d", "FLOP", "one petaflop/s-day", tex=r"C_{\mathrm{day}}", display_unit="EFLOP", low="1 EFLOP", high="1 YFLOP"
)
k = Variable("k", "", "exponent with which the best size grows", low="0.1", high="1", tex=r"k_{\mathrm{size}}")
z = Variable("z", "", "factor by which the compute grows", low="1", high="1000000000", tex=r"z_{\mathrm{work}}")
g = Variable("g", "", "factor by which the best size grows", tex=r"g_{\mathrm{size}}")
V = Variable("V", "", "rows of the embedding", alias="vocabulary", low="100", high="1000000", integer=True)
omega = Variable(
    "omega", "", "embedding parameters over the cube root of the others", tex=r"\omega", low="1", high="1000000000"
)
r = Variable("r", "", "width over layers", low="1", high="10000")
e = Variable("e", "", "growth of all parameters per growth of those outside the embeddings", low="0.3", high="1")
a_t = Variable("a_t", "", "true exponent of the best size", tex=r"a_{\mathrm{true}}", low="0.1", high="0.9")
a_b = Variable("a_b", "", "exponent seen without embeddings", tex=r"a_{\mathrm{body}}")

ROOT = N_e ** Rational(1, 3)

# --- the law -------------------------------------------------------------------------------

size = Formula(
    N_K,
    n_1 * (C / C_d) ** k,
    assumptions="fitted to models below two billion parameters",
    convention="parameters and work without embeddings; work in petaflop/s-days",
)
ratio = (
    Derivation.start(q, C * token / (6 * FLOP * N_K**2), "tokens are work over six sizes; over the size again")
    .apply({N_K: size}, "Kaplan's best size")
    .formula(assumptions="his size taken for all parameters, his work for all work")
)
growth = Formula(g, z**k, kind="definition", assumptions="the best size is a power of the work")

# --- what leaving the embeddings out does --------------------------------------------------

per_root = Formula(
    omega,
    V * (r / 12) ** Rational(1, 3),
    assumptions="the shape of GPT-2: a body of $12\\,l\\,h^2$ with $h = r\\,l$ has the width $(r N_{\\mathrm{body}}/12)^{1/3}$",
)
whole = Formula(N_T, N_e + omega * ROOT, assumptions="the shape of GPT-2, one proportion for all sizes")
elasticity = (
    Derivation.start(
        e, N_e / N_T * Derivative(whole.rhs, N_e), "per cent of growth in all parameters for one per cent in the body"
    )
    .apply({N_T: whole}, "body and embedding")
    .rewrite(
        (N_e + omega * ROOT / 3) / (N_e + omega * ROOT),
        "differentiate: the body counts in full, the embedding with a third",
    )
    .formula()
)
apparent = (
    Derivation.start(
        a_b,
        (a_t / e) / (a_t / e + (1 - a_t)),
        "let all work grow by one per cent: the best body grows by $a_{\\mathrm{true}}/e$, the tokens by the rest, the work counted by both",
        kind="logarithmic growth along the optimum",
    )
    .rewrite(a_t / (a_t + e * (1 - a_t)), "multiply by $e$")
    .formula(assumptions="work and size both counted without embeddings")
)
apparent_of_size = Derivation.start(apparent).apply({e: elasticity}, "how the whole follows the body").formula()

# --- facts and examples --------------------------------------------------------------------

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
chinchilla = Example(size, {n_1: facts.at_one_day, k: facts.exponent, C: models.chinchilla_compute, C_d: "86.4 EFLOP"})
each = Example(ratio, {n_1: facts.at_one_day, k: facts.exponent, C: models.chinchilla_compute, C_d: "86.4 EFLOP"})
tenfold = Example(growth, {z: "10", k: facts.exponent})
per_root_gpt2 = Example(per_root, {V: models.gpt2_small_vocabulary, r: "64"})
SHAPE = {omega: per_root_gpt2}
small_elasticity = Example(elasticity, {N_e: "1e6", **SHAPE})
small_exponent = Example(apparent, {a_t: "0.5", e: small_elasticity})
tiny_exponent = Example(apparent, {a_t: "0.5", e: "0.333333333"})
large_exponent = Example(apparent_of_size, {a_t: "0.5", N_e: facts.largest, **SHAPE})

exercises = read_exercises(__name__)
