"""Energy, decided: the clock of the board's run, by cost and where power is the limit, its place, and pauses."""

from sympy import Piecewise, Rational

from mathcore import Decision, Formula, Range, Variable
from mathcore.chapters import sites
from mathcore.chapters.energy import PUE, G, c, f, measured, p, placement, q, y
from mathcore.chapters.energy.measured import clocks, q_n, y_b
from mathcore.chapters.energy.placement import a, c_m, g_h, h_s, k_h, p_i, p_w, s

k_t = Variable(
    "k_t", "USD/kg", "price of emissions", display_unit="USD/t", low="0 USD/t", high="100000 USD/t", zero=True
)
k_m = Variable(
    "k_m",
    "USD/kWh",
    "price of electricity billed on top of the hourly price",
    tex=r"k_{\mathrm{met}}",
    low="0 USD/kWh",
    high="2 USD/kWh",
    zero=True,
)
K = Variable("K", "USD", "rent of the run, metered electricity and priced emissions", display_unit="MUSD")
W = Variable("W", "", "work per unit of power, over that at the full clock")
n_w = Variable("n_w", "", "devices per unit of power, over those at the full clock", tex=r"n_{\mathrm{pow}}")


def settings_of(data):
    """Return the clocks at which a device was measured, the slowest first."""
    return sorted({row["clock"].m_as("") for row in data.rows})


def by_clock(column, data=clocks):
    """Return the mean of a column over the measured kernels as a step function of the clock, each step at one setting."""
    means = []
    for setting in reversed(settings_of(data)):
        values = [row[column].m_as("") for row in data.rows if row["clock"].m_as("") == setting]
        means.append((Rational(f"{sum(values) / len(values):.4f}"), f >= Rational(f"{setting - 0.001:.4f}")))
    return Piecewise(*means[:-1], (means[-1][0], True))


SETTINGS = tuple(f"{setting:.4f}" for setting in settings_of(clocks))
MEAN = "the mean of eight kernels on one A100, at the clocks that were measured"
time_measured = Formula(y, by_clock("slowdown"), assumptions=MEAN)
energy_measured = Formula(q, by_clock("energy"), assumptions=MEAN)
priced = Formula(
    K,
    G * (y * k_h + q_n * p * PUE * (k_m + c * k_t)),
    assumptions="the hourly price includes electricity that is not metered",
)
work_per_power = Formula(W, 1 / q_n, assumptions="the power of the site is the limit, and devices can be added")
more_devices = Formula(
    n_w, y / q_n, kind="model", assumptions="the power of the site is the limit, and its devices are at work"
)
NODE = {y: time_measured, q: energy_measured, q_n: measured.node_at_clock}
REST = Range(
    measured.rest_least,
    measured.rest_seen,
    value="31 %",
    source="from the mean of one vendor's nodes with devices at their limit to the largest power of another node",
)
ERROR = (
    "0.7 %",
    "largest standard error of a difference between the best clock and those above 0.7, eight paired kernels",
)
ERROR_A40 = (
    "2 %",
    "largest standard error of a difference between the best clock and those from 0.55 to 0.7, eight paired kernels",
)

PRICES = {
    k_t: Range(
        "0 USD/t",
        "1000 USD/t",
        value="80 USD/t",
        source="from none to ten times that of the EU's emissions trading in 2025",
        one_sided="a price of emissions is not negative",
    )
}
HELD = Range(
    "0.1 USD/(gpu h)",
    "7 USD/(gpu h)",
    source="assumed: from devices that are paid for and have little other use to a large provider's price on demand",
)
METERED = Range(
    "0 USD/kWh",
    "0.3 USD/kWh",
    value="0 USD/kWh",
    source="from rent that includes electricity to a German owner with a meter",
    one_sided="rent includes the electricity or it does not",
)

clock = Decision(
    "Which clock is cheapest if hours and emissions have a price?",
    options={f: SETTINGS},
    given={**NODE, **placement.RUN, c: sites.grid_germany, k_h: sites.contract_june},
    minimise=priced,
    uncertain={**PRICES, k_h: HELD, k_m: METERED, c: Range(sites.grid_sweden, measured.next_german), y_b: REST},
    error=ERROR,
    columns=(y, q_n),
    proposed={f: "0.7447"},
    labels={
        f: "{} × the full clock",
        K: "rent and emissions",
        y: "time",
        q_n: "energy of the node",
        k_t: "price of CO2e",
        k_h: "price of an hour",
        k_m: "metered electricity",
        c: "carbon intensity",
        y_b: "rest of the node over the device",
    },
    expects={f: ("0.95", "1")},
)

power_limit = Decision(
    "Which clock is best if the site has no more power?",
    options={f: SETTINGS},
    given={**NODE, n_w: more_devices},
    maximise=work_per_power,
    uncertain={y_b: REST},
    error=ERROR,
    columns=(y, q_n, n_w),
    proposed={f: "1.0000"},
    labels={
        f: "{} × the full clock",
        W: "work per watt",
        y: "time",
        q_n: "energy of the node",
        n_w: "devices per watt",
        y_b: "rest of the node over the device",
    },
    expects={f: ("0.74", "0.83")},
)

# The same two decisions on a second device, an A40 whose power limit decides above 0.83 of the clock that is set.
MEAN_A40 = "the mean of eight kernels on one A40, at the clocks that were measured"
OTHER = {
    y: Formula(y, by_clock("slowdown", measured.clocks_a40), assumptions=MEAN_A40),
    q: Formula(q, by_clock("energy", measured.clocks_a40), assumptions=MEAN_A40),
}
SETTINGS_A40 = tuple(f"{setting:.4f}" for setting in settings_of(measured.clocks_a40))
clock_a40 = clock.variant(
    question="Which clock is cheapest on an A40 if hours and emissions have a price?",
    options={f: SETTINGS_A40},
    given={**clock.given, **OTHER},
    error=(
        "1 %",
        "largest standard error of a difference between the full clock and those above 0.69, eight paired kernels",
    ),
    proposed={f: "0.7241"},
    expects={f: ("0.8", "1")},
)
power_limit_a40 = power_limit.variant(
    question="Which clock is best on an A40 if the site has no more power?",
    options={f: SETTINGS_A40},
    given={**power_limit.given, **OTHER},
    error=ERROR_A40,
    expects={f: ("0.5", "0.8")},
)

c_a = Variable(
    "c_a", "g/kWh", "mean intensity of the place", tex=r"c_{\mathrm{mean}}", low="1 g/kWh", high="1200 g/kWh"
)
c_x = Variable(
    "c_x",
    "g/kWh",
    "intensity of the next unit there",
    tex=r"c_{\mathrm{next}}",
    low="0 g/kWh",
    high="1200 g/kWh",
    zero=True,
)
c_w = Variable(
    "c_w",
    "g/kWh",
    "intensity of the next unit where water is stored",
    tex=r"c_{\mathrm{water}}",
    low="0 g/kWh",
    high="1200 g/kWh",
    zero=True,
)
c_n = Variable(
    "c_n",
    "g/kWh",
    "intensity of the next unit in France",
    tex=r"c_{\mathrm{nuclear}}",
    low="0 g/kWh",
    high="1200 g/kWh",
    zero=True,
)
phi = Variable(
    "phi",
    "",
    "weight of the next unit, against the mean",
    tex=r"\varphi",
    display_unit="%",
    low="0 %",
    high="100 %",
    zero=True,
)
m_p = Variable("m_p", "kg", "CO2e of the run, embodied included", tex=r"m_{\mathrm{place}}", display_unit="t")
of_place = Formula(
    m_p,
    G * (PUE * p * ((1 - phi) * c_a + phi * c_x) + g_h),
    assumptions="the same devices and buildings at all places",
    convention="before any cap on the emissions of the power plants",
)
FOSSIL = {c_x: measured.next_german}

place = Decision(
    "Where should the job run?",
    options={
        "place": {
            "Germany": {c_a: sites.grid_germany, **FOSSIL},
            "Poland": {c_a: sites.grid_poland, **FOSSIL},
            "France": {c_a: sites.grid_france, c_x: c_n},
            "Sweden": {c_a: sites.grid_sweden, c_x: c_w},
            "Norway": {c_a: sites.grid_norway, c_x: c_w},
        }
    },
    given={**placement.RUN, g_h: measured.made_useful_hour},
    minimise=of_place,
    uncertain={
        phi: Range("0 %", "100 %", value="50 %", source="from the account, which counts means, to the margin"),
        c_w: Range(
            "0 g/kWh",
            measured.next_german,
            value="380 g/kWh",
            source="from water that would run past the turbine to water that a neighbour replaces with coal and gas",
        ),
        c_n: Range(
            "0 g/kWh",
            measured.next_german,
            value=measured.next_gas,
            source="from a nuclear plant that is turned down to a neighbour's coal and gas; today's value, gas, is assumed",
        ),
        p: Range(measured.low, measured.high),
        g_h: Range(
            "4 g/(gpu h)", "18 g/(gpu h)", source="half and twice: two estimates of neighbouring things differ by two"
        ),
    },
    error=("25 %", "published means of one country: Poland 820 and 662 g/kWh, United States 429 and 369 g/kWh"),
    columns=(c_a,),
    proposed={"place": "Germany"},
    labels={
        m_p: "emissions",
        c_a: "mean intensity",
        phi: "weight of the next unit",
        c_w: "next unit where water is stored",
        c_n: "next unit in France",
        p: "power",
        g_h: "embodied",
    },
    expects=[{"place": "Norway"}, {"place": "Sweden"}],
)

k_w = Variable("k_w", "USD/(gpu h)", "rent and price of emissions of an hour of work", tex=r"k_{\mathrm{work}}")
work_hour = Formula(
    k_w,
    k_h / s + k_t * h_s,
    assumptions="rent is paid in all hours, working or not, and contains the electricity",
    convention="for each hour of work",
)
SHARES = tuple(f"{n} %" for n in range(10, 100, 5))

pause = Decision(
    "When should the job pause?",
    options={"meanwhile": {"never": {s: "100 %"}, "waiting": {s: SHARES}, "off": {s: SHARES, p_i: "0 W/gpu"}}},
    given={
        h_s: placement.pausing,
        **{symbol: placement.PAUSE[symbol] for symbol in (PUE, p_w, g_h)},
        p_i: placement.idle,
        k_h: sites.contract_june,
    },
    minimise=work_hour,
    uncertain={
        **PRICES,
        k_h: HELD,
        a: Range(
            placement.swing_day_low,
            placement.swing_year,
            value=placement.swing_day,
            source="Germany in 2020: one day in twenty has less; the hours of the whole year",
        ),
        c_m: Range(
            "300 g/kWh",
            sites.grid_world,
            value=sites.grid_germany,
            source="from a German year with more wind and sun to the world's mean",
        ),
    },
    error=("2 %", "stopping and starting, which nothing here charges"),
    decides=("meanwhile",),
    columns=(h_s,),
    proposed={"meanwhile": "waiting", s: "50 %"},
    labels={
        "meanwhile": "pause",
        s: "share of the day",
        k_w: "rent and emissions",
        h_s: "CO2e of an hour of work",
        k_t: "price of CO2e",
        k_h: "price of an hour",
        a: "swing of the intensity",
        c_m: "mean intensity",
    },
    expects={"meanwhile": "never"},
)
