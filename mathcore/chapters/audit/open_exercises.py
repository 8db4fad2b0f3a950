"""Auditing a plan, exercises to derive, estimate and design, with the formulas that only they ask for."""

from sympy import log, sqrt

from mathcore import Derivation, Variable
from mathcore.teaching import read_open_exercises

r_d = Variable("r_d", "", "time until the date over the estimate", tex=r"r_{\mathrm{d}}", low="1.001", high="10")
z_d = Variable("z_d", "", "standard deviations that the date must hold", tex=r"z_{\mathrm{d}}", low="0.1", high="6")
k_d = Variable("k_d", "", "factors of the estimate", tex=r"k_{\mathrm{d}}", low="1", high="100", integer=True)
sigma_d = Variable("sigma_d", "", "relative standard deviation that each factor may have", tex=r"\sigma_{\mathrm{d}}")
x_m = Variable("x_m", "", "MFU after the work over that before", tex=r"x_{\mathrm{m}}", low="1.001", high="10")
E_m = Variable(
    "E_m", "USD", "cost of the engineering", tex=r"E_{\mathrm{m}}", display_unit="MUSD", low="1 USD", high="1e12 USD"
)
K_m = Variable(
    "K_m", "USD/gpu", "price of a device over its life", tex=r"K_{\mathrm{m}}", low="1 USD/gpu", high="1e9 USD/gpu"
)
n_m = Variable("n_m", "gpu", "devices from which the engineering pays", tex=r"n_{\mathrm{m}}")

allowed_uncertainty = (
    Derivation.balance(
        z_d * sigma_d * sqrt(k_d),
        log(r_d),
        "the logarithm of a product of independent factors varies by the root of their number",
    )
    .solve_for(sigma_d, log(r_d) / (z_d * sqrt(k_d)), "solve for the deviation of one factor")
    .formula(assumptions="factors vary independently, each by the same small share")
)
engineering = (
    Derivation.balance(K_m * n_m * (1 - 1 / x_m), E_m, "with the better utilisation the same work needs n/x devices")
    .solve_for(n_m, E_m * x_m / (K_m * (x_m - 1)), "solve for the devices")
    .formula(assumptions="devices that are saved can be used or sold otherwise")
)

open_exercises = read_open_exercises(__name__)
