"""Energy and carbon, exercises to derive, estimate and design, with the formulas that only they ask for."""

from sympy import cbrt

from mathcore import Derivation, Formula, Variable
from mathcore.chapters.energy import PUE, c, f, m_d, p, p_0, p_1
from mathcore.teaching import read_open_exercises

y_r = Variable(
    "y_r",
    "",
    "energy of the new device over that of the old for the same work",
    tex=r"y_{\mathrm{r}}",
    low="0.01",
    high="0.99",
)
T_b = Variable(
    "T_b",
    "s",
    "time after which the new device has saved its embodied emissions",
    tex=r"T_{\mathrm{b}}",
    display_unit="year",
)
g_m = Variable(
    "g_m",
    "g/(gpu h)",
    "embodied emissions of a device for each hour",
    tex=r"g_{\mathrm{m}}",
    low="0.01 g/(gpu h)",
    high="1000 g/(gpu h)",
)
e_w = Variable("e_w", "g/(gpu h)", "emissions of an hour's work at the full clock", tex=r"e_{\mathrm{w}}")
f_e = Variable("f_e", "", "clock with the least emissions", tex=r"f_{\mathrm{e}}")

payback = (
    Derivation.balance(
        m_d, PUE * c * p * (1 - y_r) * T_b, "the embodied emissions of the new device equal what it saves in that time"
    )
    .solve_for(T_b, m_d / (PUE * c * p * (1 - y_r)), "solve for the time")
    .formula(assumptions="both devices do the same work, and the old one would have worked on")
)
emissions_at_clock = Formula(
    e_w,
    (PUE * c * (p_0 + p_1 * f**3) + g_m) / f,
    kind="model",
    assumptions=(
        "the work of an hour takes 1/f of an hour",
        "switching power is proportional to the cube of the clock",
    ),
)
greenest_clock = (
    Derivation.minimise(emissions_at_clock, over=f, why="a slow clock saves power and keeps the device for longer")
    .slope(
        2 * PUE * c * p_1 * f - (PUE * c * p_0 + g_m) / f**2,
        "write the fraction as a sum and differentiate term by term",
    )
    .root(
        cbrt((PUE * c * p_0 + g_m) / (2 * PUE * c * p_1)),
        "multiply by the square of the clock and take the cube root",
        as_symbol=f_e,
    )
    .curvature(2 * PUE * c * p_1 + 2 * (PUE * c * p_0 + g_m) / f**3, "positive, a minimum")
    .formula()
)

open_exercises = read_open_exercises(__name__)
