"""Smaller and longer: the price of a wrong size, and the size for a model that will serve."""

from sympy import Derivative, Integer

from mathcore import Derivation, Example, Formula, Variable
from mathcore.chapters import audit, models, training
from mathcore.chapters.training import C, D, N, P, n, scaling, t, u
from mathcore.chapters.training.scaling import (
    R_D,
    R_N,
    REFIT,
    WHEN,
    D_i,
    D_o,
    E,
    N_o,
    alpha,
    beta,
    c,
    data_at_optimum,
    p,
    x,
)
from mathcore.teaching import read_calculators, read_exercises

# --- symbols -------------------------------------------------------------------------------

delta = Variable("delta", "", "tokens as a multiple of the best number", tex=r"\delta", low="0.001", high="1000000")
sigma = Variable(
    "sigma", "", "served tokens over the best number of tokens", tex=r"\sigma", low="0", high="1000000", zero=True
)
lam = Variable("lam", "", "compute of training and serving over that of the best training", tex=r"\lambda")
x_m = Variable("x_m", "", "smallest multiple of the best size", tex=r"x_{\min}")
R_1 = Variable("R_1", "", "loss that more data may still remove", low="0.0001", high="10")
t_w = Variable("t_w", "s", "time the best size would need for the loss", tex=r"t_{\ast}", display_unit="d", low="1 s")
q_s = Variable(
    "q_s",
    "token/s",
    "rate at which tokens are served",
    tex=r"q_{\mathrm{s}}",
    display_unit="Gtoken/d",
    low="1 token/s",
    high="1000000000000 token/s",
)
D_w = Variable("D_w", "token", "served tokens, weighted by cost", tex=r"D_{\mathrm{w}}", display_unit="Ttoken")
u_s = Variable("u_s", "", "MFU of the serving", tex=r"u_{\mathrm{s}}", display_unit="%", low="0.1 %", high="100 %")

# --- the price of a wrong size ---------------------------------------------------------------

size_penalty = (
    Derivation.start(scaling.work_penalty).apply({p: scaling.penalty}, "what the wrong size costs in loss").formula()
)
time_worth = Formula(t_w, t / c, kind="definition", assumptions="the same fleet")

# --- the same loss with another size -----------------------------------------------------------

SAME = "the loss is that of the best size"
left = 1 + beta * (1 - x**-alpha) / alpha
more_tokens = (
    Derivation.balance(
        R_D * delta**-beta, R_1, "what data may leave of the loss, when they are $\\delta$ times the best number"
    )
    .solve_for(delta, (R_1 / R_D) ** (-1 / beta), "undo the power")
    .apply(
        {R_1: R_N + R_D - R_N * x**-alpha}, "the loss stays the same: data must make up for what the smaller size loses"
    )
    .apply(data_at_optimum, "at the best size the parts stand as $\\beta : \\alpha$")
    .rewrite(left ** (-1 / beta), "the loss itself cancels: only the exponents are left")
    .formula(assumptions=SAME, domain=(left > 0,))
)
smallest = (
    Derivation.balance(R_N * x_m**-alpha, R_N + R_D, "unlimited data: the term of the size alone makes up the loss")
    .apply(data_at_optimum, "at the best size the parts stand as $\\beta : \\alpha$")
    .solve_for(x_m, (1 + alpha / beta) ** (-1 / alpha), "the budget cancels")
    .formula(assumptions=SAME)
)
life = Formula(
    lam,
    x * (delta + sigma / 3),
    assumptions="a token costs six to train on and two to serve",
    convention="1 is the compute of the best training; model FLOPs",
)
life_of_size = Derivation.start(life).apply({delta: more_tokens}, "the tokens that this size needs").formula()
training_alone = Formula(lam, x * more_tokens.rhs, assumptions=(WHEN, SAME), domain=(left > 0,))
serving_alone = Formula(lam, x * sigma / 3, assumptions="a token costs six to train on and two to serve")
right_traffic = (
    Derivation.balance(
        Derivative(life_of_size.rhs, x), Integer(0), "at the best size the derivative of the total compute is zero"
    )
    .solve_for(sigma, 3 * left ** (-1 / beta) * (x**-alpha / left - 1), "differentiate and solve for the served tokens")
    .formula(assumptions=(WHEN, SAME), domain=(left > 0, x < 1))
)
smallest_size = Formula(N, x_m * N_o, kind="definition")
size_of = Formula(N, x * N_o, kind="definition")
tokens_of = Formula(D, delta * D_o, kind="definition")
traffic_of = Formula(D_i, sigma * D_o, kind="definition")
traffic = Formula(D_i, q_s * t, kind="definition", assumptions="a constant rate")
weighed = Formula(D_w, D_i * u / u_s, assumptions="a device-hour costs the same in training and in serving")

# --- the plan of the chapter: thirty days -----------------------------------------------------

LAW = {**REFIT, E: models.besiroglu_E}
EXPONENTS = {alpha: models.besiroglu_alpha, beta: models.besiroglu_beta}


def plan(parameters):
    """Return what a size does with the whole budget: tokens, each, loss, place, price, time worth."""
    budget = {N: parameters, C: audit.work}
    seen = Example(scaling.tokens_of_budget, budget)
    each = Example(scaling.tokens_each, {N: parameters, D: seen})
    left = Example(scaling.loss_on_budget, {**LAW, **budget}, digits=4)
    place = Example(audit.size_over_best, {N: parameters, N_o: audit.law_size})
    price = Example(size_penalty, {**EXPONENTS, x: place})
    worth = Example(time_worth, {t: audit.duration, c: price}, unit="d")
    return seen, each, left, place, price, worth


tokens_8b, each_8b, loss_8b, place_8b, price_8b, worth_8b = plan(models.llama31_8b_parameters)
tokens_32b, each_32b, loss_32b, place_32b, price_32b, worth_32b = plan("32e9")
tokens_70b, each_70b, loss_70b, place_70b, price_70b, worth_70b = plan(models.llama31_70b_parameters)
tokens_140b, each_140b, loss_140b, place_140b, price_140b, worth_140b = plan("140e9")
law_tokens = Example(scaling.tokens, {**REFIT, C: audit.work})
half = Example(size_penalty, {**EXPONENTS, x: "0.5"})
twice = Example(size_penalty, {**EXPONENTS, x: "2"})
tenth = Example(size_penalty, {**EXPONENTS, x: "0.1"})
tenfold = Example(size_penalty, {**EXPONENTS, x: "10"})
never = Example(smallest, EXPONENTS)
never_size = Example(size_of, {x: never, N_o: audit.law_size})
never_fine = Example(smallest, {alpha: models.hoffmann_fine_alpha, beta: models.hoffmann_fine_beta})
never_fine_size = Example(size_of, {x: never_fine, N_o: audit.hoffmann_size})
forecast = Example(traffic, {q_s: "50 Gtoken/d", t: "730 d"})
FLEET = {n: audit.devices, P: training.H100, u: audit.mfu}


def served_best(share):
    """Return what a share of the best size asks for: size, tokens, traffic it is right for, time."""
    place = {x: share, **EXPONENTS}
    size = Example(size_of, {x: share, N_o: audit.law_size})
    factor, served = Example(more_tokens, place), Example(right_traffic, place)
    needed = Example(tokens_of, {delta: factor, D_o: law_tokens})
    right = Example(traffic_of, {sigma: served, D_o: law_tokens})
    days = Example(training.time, {N: size, D: needed, **FLEET}, unit="d")
    return size, needed, right, days


size_90, needed_90, right_90, days_90 = served_best("0.9")
size_60, needed_60, right_60, days_60 = served_best("0.6")
size_35, needed_35, right_35, days_35 = served_best("0.35")
size_25, needed_25, right_25, days_25 = served_best("0.25")
size_18, needed_18, right_18, days_18 = served_best("0.18")
life_35 = Example(scaling.life_work, {N: size_35, D: needed_35, D_i: forecast})
life_70b = Example(scaling.life_work, {N: models.llama31_70b_parameters, D: tokens_70b, D_i: forecast})
dear_traffic = Example(weighed, {D_i: forecast, u: "40 %", u_s: "10 %"})
size_27, needed_27, right_27, days_27 = served_best("0.27")

# --- calculator ---------------------------------------------------------------------------------

calculators = read_calculators(__name__)

exercises = read_exercises(__name__)
