"""Scaling laws: how large a model and how many tokens for a given amount of work?"""

from sympy import Derivative, Integer, Integral, Rational, exp, log

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import models
from mathcore.chapters.training import FLOP, C, D, N, compute, token
from mathcore.teaching import read_calculators, read_exercises

# --- symbols: N, D and C are those of the training chapter ---------------------------------

L = Variable("L", "", "loss, in nat for each token", low="0.1", high="12")
E = Variable("E", "", "irreducible loss", low="0.01", high="10")
e_E = Variable("e_E", "", "logarithm of E, as it is fitted", tex=r"\epsilon", low="-4", high="2.3")
A = Variable("A", "", "weight of the size in the law", low="1", high="100000")
B = Variable("B", "", "weight of the data in the law", low="1", high="100000")
alpha = Variable("alpha", "", "exponent of the size", tex=r"\alpha", low="0.1", high="1")
beta = Variable("beta", "", "exponent of the data", tex=r"\beta", low="0.1", high="1")
y = Variable("y", "", "logarithm of the size", low="10", high="32")
y_o = Variable("y_o", "", "logarithm of the best size", tex=r"y_{\ast}", low="-700", high="700")
N_o = Variable("N_o", "", "compute-optimal size of the model", tex=r"N_{\ast}", low="1", high="1000000000000000000")
D_o = Variable("D_o", "token", "best number of tokens for the compute", tex=r"D_{\ast}", display_unit="Ttoken")
a = Variable("a", "", "exponent of the best size")
q = Variable("q", "token", "best number of tokens per parameter")
q_D = Variable("q_D", "token", "tokens per parameter of a run", low="0.001 token", high="1000000 token")
R_N = Variable("R_N", "", "loss that a larger model would save", tex=r"R_{N}", low="0.0001", high="10")
R_D = Variable("R_D", "", "loss that more data would save", tex=r"R_{D}", low="0.0001", high="10")
S = Variable("S", "", "size part of the loss over its data part")
x = Variable("x", "", "size as a multiple of the best", low="0.05", high="20")
g = Variable("g", "", "logarithm of that multiple", low="-3", high="3")
L_g = Variable("L_g", "", "loss of guessing", tex=r"L_{\mathrm{guess}}", low="0.1", high="20")
L_x = Variable("L_x", "", "loss beyond that of guessing", tex=r"L_{\mathrm{beyond}}", low="-20", high="1e12")
L_a = Variable("L_a", "", "loss above the floor", tex=r"L_{\mathrm{above}}", low="0.0001", high="12")
p = Variable("p", "", "loss above E as a multiple of the smallest", low="1", high="100", tex=r"p_{\mathrm{loss}}")
c = Variable("c", "", "training compute as a multiple of that of the best size")
e = Variable("e", "", "per cent of tokens saved by one per cent more size", low="0.01", high="100")
D_i = Variable(
    "D_i",
    "token",
    "tokens the model will serve",
    tex=r"D_{\mathrm{serve}}",
    display_unit="Ttoken",
    low="1 token",
    high="100000000 Ttoken",
)
C_t = Variable("C_t", "FLOP", "training and serving compute", tex=r"C_{\mathrm{life}}", display_unit="YFLOP")
U = Variable("U", "token", "unique tokens at hand", display_unit="Ttoken", low="1 token", high="100000000 Ttoken")
r = Variable("r", "", "repetitions after the first pass", low="0", high="100", zero=True, tex=r"r_{\mathrm{rep}}")
r_h = Variable("r_h", "", "decay constant of the value of repetitions", tex=r"r_{\mathrm{h}}", low="0.1", high="100")
t = Variable("t", "", "repetitions so far", low="0", high="100", zero=True)
D_e = Variable("D_e", "token", "unique tokens that would do as well", tex=r"D_{\mathrm{eff}}", display_unit="Ttoken")
N_9 = Variable("N_9", "", "billions of parameters", tex=r"N_{9}", low="0.000001", high="1000000")
kappa = Variable("kappa", "", "factor of a power law", tex=r"\kappa", low="0.000001", high="1000000")
xi = Variable("xi", "", "exponent of a power law", tex=r"\xi", low="0.1", high="1")
s_alpha = Variable("s_alpha", "", "standard error of alpha", tex=r"s_{\alpha}", low="0", high="1", zero=True)
s_beta = Variable("s_beta", "", "standard error of beta", tex=r"s_{\beta}", low="0", high="1", zero=True)
r_x = Variable("r_x", "", "correlation of alpha and beta", tex=r"r_{\alpha\beta}", low="-1", high="1")
v_a = Variable("v_a", "", "variance of the exponent a", tex=r"s_a^2", low="0", high="1", zero=True)

# --- the law and its optimum ---------------------------------------------------------------

WHEN = "within reach of the runs to which the law was fitted"
loss = Formula(
    L,
    E + A * N**-alpha + B * (D / token) ** -beta,
    assumptions=(WHEN, "one pass over fresh data, a tuned learning-rate schedule"),
)
tokens_of_budget = (
    Derivation.start(compute)
    .solve_for(D, C * token / (6 * FLOP * N), "all work is spent: a larger model sees fewer tokens")
    .formula()
)
loss_on_budget = (
    Derivation.start(loss)
    .apply({D: tokens_of_budget}, "the tokens that the work allows")
    .rewrite(E + A * N**-alpha + B * (6 * FLOP * N / C) ** beta, "one term falls with the size, the other grows")
    .formula()
)
loss_of_logarithm = (
    Derivation.start(loss_on_budget)
    .apply({N: exp(y)}, "measure the size by its logarithm: in it, the curve bends up everywhere")
    .rewrite(E + A * exp(-alpha * y) + B * (6 * FLOP / C) ** beta * exp(beta * y), "powers of an exponential")
    .formula()
)
best_logarithm = (
    Derivation.minimise(loss_of_logarithm, over=y, why="between too small and too little data lies the smallest loss")
    .slope(
        beta * B * (6 * FLOP / C) ** beta * exp(beta * y) - alpha * A * exp(-alpha * y),
        "each exponential brings its exponent down",
    )
    .root(
        (log(alpha * A / (beta * B)) + beta * log(C / (6 * FLOP))) / (alpha + beta),
        "both terms equal: take the logarithm, which is linear in $y$",
        as_symbol=y_o,
        routine=True,
    )
    .curvature(
        beta**2 * B * (6 * FLOP / C) ** beta * exp(beta * y) + alpha**2 * A * exp(-alpha * y),
        "positive everywhere: the one flat point is the minimum",
        routine=True,
    )
    .formula()
)
exponent = Formula(a, beta / (alpha + beta), kind="definition")
size = (
    Derivation.start(N_o, exp(y_o), "from the logarithm back to the size")
    .apply({y_o: best_logarithm}, "the best logarithm")
    .rewrite(
        (alpha * A / (beta * B)) ** (1 / (alpha + beta)) * (C / (6 * FLOP)) ** (beta / (alpha + beta)),
        "a power of the work: $G\\,(C/6)^a$",
    )
    .formula()
)
tokens = (
    Derivation.start(D_o, C * token / (6 * FLOP * N_o), "the tokens that the work allows at this size")
    .apply({N_o: size}, "the best size")
    .rewrite(
        token * (beta * B / (alpha * A)) ** (1 / (alpha + beta)) * (C / (6 * FLOP)) ** (alpha / (alpha + beta)),
        "the rest of the power: $G^{-1}(C/6)^b$, with $a + b = 1$",
    )
    .formula()
)
ratio = (
    Derivation.start(q, D_o / N_o, "tokens for each parameter")
    .apply({D_o: tokens, N_o: size}, "both optima")
    .rewrite(
        token
        * (beta * B / (alpha * A)) ** (2 / (alpha + beta))
        * (C / (6 * FLOP)) ** ((alpha - beta) / (alpha + beta)),
        "no constant: it stays the same for all work only if the exponents are equal",
    )
    .formula()
)
tokens_each = Formula(q_D, D / N, kind="definition")
work_of_size = (
    Derivation.balance(N, N_o, "for which work is a given size the best?")
    .apply(size, "the best size")
    .solve_for(
        C,
        6 * FLOP * (N * (beta * B / (alpha * A)) ** (1 / (alpha + beta))) ** ((alpha + beta) / beta),
        "undo the power",
    )
    .formula()
)
size_part = Formula(R_N, A * N**-alpha, kind="definition")
data_part = Formula(R_D, B * (D / token) ** -beta, kind="definition")
balance = (
    Derivation.start(S, R_N / R_D, "the two parts of the loss that could be saved")
    .apply({R_N: size_part, R_D: data_part}, "what they are")
    .apply({N: size, D: tokens}, "at the best size, with the tokens that the work allows")
    .rewrite(beta / alpha, "the work cancels: they stand in this ratio for any budget")
    .formula(assumptions="at the compute-optimal size")
)
data_at_optimum = (
    Derivation.balance(R_N / R_D, S, "the ratio of the two parts")
    .apply(balance, "at the best size")
    .solve_for(R_D, alpha * R_N / beta, "turn over, and multiply")
    .formula()
)

# --- the price of a wrong size -------------------------------------------------------------

penalty = (
    Derivation.start(
        p, (R_N * x**-alpha + R_D * x**beta) / (R_N + R_D), "a model x times the best size has x times fewer tokens"
    )
    .apply(data_at_optimum, "at the optimum the parts stand as $\\beta : \\alpha$")
    .rewrite((beta * x**-alpha + alpha * x**beta) / (alpha + beta), "the loss itself cancels", routine=True)
    .formula(convention="of the loss above E")
)
NEAR = (g >= -Rational(7, 10), g <= Rational(7, 10))
penalty_near = (
    Derivation.start(penalty)
    .apply({x: exp(g)}, "measure the error by its logarithm")
    .approximate(
        1 + alpha * beta * g**2 / 2,
        "no linear term, because the optimum is flat; the quadratic one is small",
        within=Rational(1, 50),
        region={g: ("-0.7", "0.7"), alpha: ("0.2", "0.5"), beta: ("0.2", "0.5")},
    )
    .formula(
        validity=tuple((side, "the best size is missed by more than a factor two") for side in NEAR),
        convention="of the loss above E",
    )
)
work_penalty = (
    Derivation.balance(
        c ** (-alpha * beta / (alpha + beta)) * p,
        Integer(1),
        "how much more work brings the loss down again? it falls with the power of the frontier",
    )
    .solve_for(c, p ** ((alpha + beta) / (alpha * beta)), "a small power, so a large factor")
    .formula(assumptions=WHEN)
)

# --- a model that will serve ---------------------------------------------------------------

life_work = Formula(
    C_t,
    (6 * D + 2 * D_i) * N * FLOP / token,
    assumptions="a token costs six to train on and two to serve",
    convention="model FLOPs, prompt and answer tokens alike",
)
trade = (
    Derivation.start(
        e,
        N * Derivative(loss.rhs, N) / (D * Derivative(loss.rhs, D)),
        "along a line of equal loss the change by size and the change by data cancel",
        kind="implicit differentiation",
        routine=True,
    )
    .rewrite(alpha * A * N**-alpha / (beta * B * (D / token) ** -beta), "each power brings its exponent down")
    .formula(assumptions=WHEN)
)
served = (
    Derivation.balance(
        6 * D + 2 * D_i,
        6 * D * e,
        "at the optimum, a per cent more size costs as much work as the tokens it saves",
        kind="the slope of the work along a line of equal loss vanishes",
    )
    .solve_for(D_i, 3 * D * (e - 1), "what must be served for this size to be the best")
    .apply({e: trade}, "the rate of exchange of the law")
    .formula(domain=(alpha * A * N**-alpha > beta * B * (D / token) ** -beta,))
)

# --- data that repeat ----------------------------------------------------------------------

repeated = (
    Derivation.start(
        D_e, U * (1 + Integral(exp(-t / r_h), (t, 0, r))), "each further pass is worth less, by one rate", kind="model"
    )
    .rewrite(U * (1 + r_h * (1 - exp(-r / r_h))), "integrate: at best $1 + r_h$ times the unique tokens")
    .formula(assumptions="data are repeated as a whole")
)

# --- how sure is the optimum? --------------------------------------------------------------

exponent_variance = (
    Derivation.start(
        v_a,
        Derivative(beta / (alpha + beta), alpha) ** 2 * s_alpha**2
        + Derivative(beta / (alpha + beta), beta) ** 2 * s_beta**2
        + 2
        * r_x
        * s_alpha
        * s_beta
        * Derivative(beta / (alpha + beta), alpha)
        * Derivative(beta / (alpha + beta), beta),
        "small errors add as their squares, each times its slope; correlated ones in pairs",
        kind="the delta method",
    )
    .rewrite(
        (beta**2 * s_alpha**2 + alpha**2 * s_beta**2 - 2 * r_x * alpha * beta * s_alpha * s_beta) / (alpha + beta) ** 4,
        "differentiate",
    )
    .formula(assumptions="errors small enough for a straight line")
)


billions = Formula(N_9, N / 10**9, kind="definition")
loss_of_billions = (
    Derivation.start(loss_on_budget).apply({N: N_9 * 10**9}, "the size in billions", justified_by=billions).formula()
)
above_floor = (
    Derivation.start(L_a, L - E, "what size and data add to the loss that no model goes below", kind="definition")
    .apply(loss_of_billions, "the loss of a size, for this work")
    .formula()
)
guess = Formula(
    L_g, log(Integer(models.gpt2_small_vocabulary.given)), assumptions="one of GPT-2's tokens, all held equally likely"
)
beyond_guess = (
    Derivation.start(L_x, L - L_g, "a model that does worse than guessing is none", kind="definition")
    .apply(loss_of_billions, "the loss of a size, for this work")
    .apply(guess, "the loss of guessing")
    .formula()
)
tokens_of_billions = (
    Derivation.start(tokens_of_budget).apply({N: N_9 * 10**9}, "the size in billions", justified_by=billions).formula()
)
best_billions = Derivation.start(billions).apply({N: size}, "the compute-optimal size").formula()
floor_of_fit = Formula(
    E, exp(e_E), kind="definition", assumptions="a fit searches the logarithm, so that $E$ stays positive"
)
power_law = Formula(
    D_o,
    kappa * token * (C / FLOP) ** xi,
    assumptions="fitted to the best numbers of tokens of small budgets, and extended",
    convention="FLOP and tokens as plain counts inside the power",
)

# --- worked examples -----------------------------------------------------------------------

HOFFMANN = {
    A: models.hoffmann_fine_A,
    B: models.hoffmann_fine_B,
    alpha: models.hoffmann_fine_alpha,
    beta: models.hoffmann_fine_beta,
}
PRINTED = {A: models.hoffmann_A, B: models.hoffmann_B, alpha: models.hoffmann_alpha, beta: models.hoffmann_beta}
REFIT = {A: models.besiroglu_A, B: models.besiroglu_B, alpha: models.besiroglu_alpha, beta: models.besiroglu_beta}
EXPONENTS = {alpha: models.besiroglu_alpha, beta: models.besiroglu_beta}
BUDGET = {C: models.chinchilla_compute}
CHINCHILLA = {N: models.chinchilla_parameters, D: models.chinchilla_tokens}
LLAMA_8B = {N: models.llama31_8b_parameters, D: "15 Ttoken"}
each_gpt3 = Example(tokens_each, {N: models.gpt3_175b_parameters, D: models.gpt3_tokens})
each_gopher = Example(tokens_each, {N: models.gopher_parameters, D: models.gopher_tokens})
each_palm = Example(tokens_each, {N: models.palm_540b_parameters, D: models.palm_tokens})
each_chinchilla = Example(tokens_each, CHINCHILLA, digits=2)
each_falcon = Example(tokens_each, {N: models.falcon_180b_parameters, D: models.falcon_tokens})
each_llama_405b = Example(tokens_each, {N: models.llama31_405b_parameters, D: models.llama31_tokens})
each_olmo = Example(tokens_each, {N: models.olmo2_7b_parameters, D: models.olmo2_7b_tokens})
each_llama_8b = Example(tokens_each, LLAMA_8B, digits=4)
each_smollm = Example(tokens_each, {N: models.smollm3_3b_parameters, D: models.smollm3_tokens}, digits=4)
ratio_refit = Example(ratio, {**REFIT, **BUDGET})
ratio_hoffmann = Example(ratio, {**HOFFMANN, **BUDGET})
ratio_printed = Example(ratio, {**PRINTED, **BUDGET})
exponent_refit = Example(exponent, EXPONENTS, expect="0.513", source="notebook of Besiroglu 2024")
four_epochs = Example(repeated, {U: "1 Ttoken", r: "3", r_h: models.muennighoff_half})
forty_epochs = Example(repeated, {U: "1 Ttoken", r: "39", r_h: models.muennighoff_half})
EXPONENT_ERRORS = {s_alpha: models.besiroglu_alpha_error, s_beta: models.besiroglu_beta_error}
# The published error of the exponent is 0.020: the fitted exponents are correlated, which the page does not print.
exponent_alone = Example(exponent_variance, {**EXPONENTS, **EXPONENT_ERRORS, r_x: "0"})

# --- explorer ------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
