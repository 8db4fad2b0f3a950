"""Energy, decided: the clock of the board's run, by cost and where power is the limit."""

from sympy import Piecewise, Rational

from mathcore import Decision, Formula, Range, Variable
from mathcore.chapters import ownership, sites
from mathcore.chapters.energy import PUE, G, c, f, measured, p, placement, q, y
from mathcore.chapters.energy.measured import clocks, q_n, y_b
from mathcore.chapters.energy.placement import k_h

k_t = Variable("k_t", "USD/kg", "price of emissions", shown="USD/t", low="0 USD/t", high="100000 USD/t", zero=True)
K = Variable("K", "USD", "rent of the run and the price of its emissions", shown="MUSD")
W = Variable("W", "", "work per unit of power, over that at the full clock")


def by_clock(column):
    """Return the mean of a column over the measured kernels as a step function of the clock, each step at one setting."""
    settings = sorted({row["clock"].m_as("") for row in clocks.rows}, reverse=True)
    means = []
    for setting in settings:
        values = [row[column].m_as("") for row in clocks.rows if row["clock"].m_as("") == setting]
        means.append((Rational(f"{sum(values) / len(values):.4f}"), f >= Rational(f"{setting - 0.001:.4f}")))
    return Piecewise(*means[:-1], (means[-1][0], True))


SETTINGS = tuple(f"{row:.4f}" for row in sorted({row["clock"].m_as("") for row in clocks.rows}))
MEAN = "the mean of eight kernels on one A100, at the clocks that were measured"
time_measured = Formula(y, by_clock("slowdown"), when=MEAN)
energy_measured = Formula(q, by_clock("energy"), when=MEAN)
priced = Formula(K, G * (y * k_h + q_n * p * PUE * c * k_t), when="rent contains the electricity")
work_per_power = Formula(W, 1 / q_n, when="the power of the site is the limit, and devices can be added")
NODE = {y: time_measured, q: energy_measured, q_n: measured.node_at_clock}
REST = Range(measured.rest_least, measured.rest_most, value="31 %")
ERROR = ("1 %", "standard error of the mean of eight kernels; errors of the rest of the node are common to all clocks")

clock = Decision(
    "Which clock, if hours and emissions have a price?",
    options={f: SETTINGS},
    given={**NODE, **placement.RUN, c: sites.grid_germany, k_h: ownership.committed_rate},
    minimise=priced,
    uncertain={
        k_t: Range(
            "0 USD/t",
            "1000 USD/t",
            value="80 USD/t",
            source="none, to ten times that of the EU's emissions trading in 2025",
            one_sided="a price of emissions is not negative",
        ),
        k_h: Range(
            "0.5 USD/(gpu h)", "7 USD/(gpu h)", source="electricity alone, to a large provider's price on demand"
        ),
        c: Range(sites.grid_sweden, measured.next_german),
        y_b: REST,
    },
    error=ERROR,
    columns=(y, q_n),
    proposed={f: "0.7447"},
    labels={
        f: "clock",
        K: "rent and emissions",
        y: "time",
        q_n: "energy of the node",
        k_t: "price of CO2e",
        k_h: "price of an hour",
        c: "carbon intensity",
        y_b: "rest of the node over the device",
    },
    expects={f: ("0.95", "1")},
)

power_limit = Decision(
    "Which clock, if the site has no more power?",
    options={f: SETTINGS},
    given={**NODE},
    maximise=work_per_power,
    uncertain={y_b: REST},
    error=ERROR,
    columns=(y, q_n),
    proposed={f: "1.0000"},
    labels={
        f: "clock",
        W: "work per watt",
        y: "time",
        q_n: "energy of the node",
        y_b: "rest of the node over the device",
    },
    expects={f: ("0.74", "0.83")},
)
