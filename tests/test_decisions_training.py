"""Training, decided: the cost of every option by plain loops, for each published law."""

import math

import pytest

from mathcore import find

DAILY, RENT = 512 * 989.4e12 * 0.4 * 86400, 2.65
MONTH = DAILY * 30


# A day of DeepSeek's services: prompts not found in the cache, and answers, by 37 billion parameters on 226.75 nodes.
SERVING = 2 * 37e9 * (608e9 * (1 - 0.563) + 168e9) / 86400 / (226.75 * 8 * 989.4e12)
# The clocks of the fourth and the fifth of eight runs over their steps; FP8 at a hidden size of 6,144, where all else
# takes as long as products of width 6,842.
CALENDAR = math.sqrt(1.1855783513 * 1.25079552)
WIDTHS = {"refit": 6144, "published": 5120, "open": 5120, "small": 4096}
FASTER = {law: 2 * (width + 6842.347) / (width + 2 * 6842.347) for law, width in WIDTHS.items()}
GRID = (*(2e9, 3e9, 8.03e9, 30e9, 32e9, 35e9, 40e9, 50e9, 70.55e9), *(n * 0.5e9 for n in range(8, 57)))
GAP = 0.001  # by how much FP8 may raise the loss: less, by the report on Nemotron-H
LAWS = {  # E, A, B, alpha, beta; those of 2022 as the paper's equation 10 and its source files state them
    "refit": (1.8172, 482.01, 2085.43, 0.3478, 0.3658),
    "published": (1.69, 406.40102, 410.72283, 0.33917084, 0.2849083),
}


def law_of(name):
    """Return E, A, B, alpha and beta of a law: published ones as printed, our own as they were fitted."""
    if name in LAWS:
        return LAWS[name]
    fitted = find(f"training.measured.law{'_open' if name == 'open' else ''}").fitted_parameters
    return tuple(fitted[symbol].value.m_as("") for symbol in ("E", "A", "B", "alpha", "beta"))


def tokens_for(loss, size, law):
    """Return the tokens at which a size has a loss, infinite if none does."""
    floor, a, b, alpha, beta = law
    left = loss - floor - a * size**-alpha
    return (b / left) ** (1 / beta) if left > 0 else math.inf


def target(law):
    """Return the loss of the best size for the month, and that size, by trying sizes 0.01 % apart."""
    floor, a, b, alpha, beta = law
    sizes = (1e9 * 1.0001**n for n in range(25000, 48000))
    return min((floor + a * n**-alpha + b * (MONTH / (6 * n)) ** -beta, n) for n in sizes)


def cheapest(law, sizes, faster):
    """Return the least cost in USD, the size and the days of the reservation, by trying all of them."""
    found = []
    loss, _ = target(law)
    for size in sizes:
        for speed, gap in ((1.0, 0), (faster, GAP)):
            tokens = tokens_for(loss * (1 - gap), size, law)
            run = CALENDAR * 6 * size * tokens / (DAILY * speed)
            for days in range(30, 181, 30):
                if run <= days:
                    serving = 2 * size * 36.5e12 / (989.4e12 * SERVING) / 3600 * RENT
                    found.append((512 * 24 * days * RENT + serving, size / 1e9, days))
    return min(found)


@pytest.mark.parametrize("law", ["refit", "published", "open", "small"])
def test_cheapest_size_of_each_law_is_that_of_a_plain_search(law):
    decision = find(f"training.decisions.size_{law}")
    constants = law_of(law)
    cost, size, days = cheapest(constants, GRID, FASTER[law])
    values = decision.solve().values()
    assert values["best"].m_as("USD") == pytest.approx(cost, rel=1e-6)
    assert values["best_N_9"].m_as("") == pytest.approx(size)
    assert values["best_T_g"].m_as("d") == pytest.approx(days)
    between, _, same_days = cheapest(constants, (1e9 * 1.002**n for n in range(2200)), FASTER[law])
    assert same_days == days or law == "refit", "the sizes between those of the decision would reserve other months"
    assert cost < between * (1 + decision.margin_of_error[0].m_as("")), "a size between two of the decision is cheaper"


def test_laws_disagree_on_the_size_and_agree_on_format_and_months():
    solved = {law: find(f"training.decisions.size_{law}").solve() for law in ("refit", "published", "open", "small")}
    tied = {
        law: [row for row in each.table() if row.status.startswith(("best", "tied"))] for law, each in solved.items()
    }
    assert all(any("FP8" in row.label and "60" in row.label for row in rows) for rows in tied.values())
    sizes = [each.values()["best_N_9"].m_as("") for each in solved.values()]
    assert max(sizes) > 2 * min(sizes)


def compute_of_half(alpha, beta):
    """Return the compute at which half of its best size has the loss of the best size at 1, by bisection."""
    low, high = 1.0, 100.0
    for _ in range(100):
        compute = (low + high) / 2
        size = 0.5 * compute ** (beta / (alpha + beta))
        tokens = compute / size  # both over those of the best at 1, where alpha A/N^alpha = beta B/D^beta
        low, high = (compute, high) if beta * size**-alpha + alpha * tokens**-beta > alpha + beta else (low, compute)
    return low


def test_error_of_a_difference_is_what_five_fits_disagree_by():
    names = ("overtraining.half", *(f"decisions.half_{law}" for law in ("2022", "small", "open", "large")))
    found = []
    for name in names:
        example = find(f"training.{name}")
        exponents = {symbol.name: fact.value.m_as("") for symbol, fact in example.facts.items()}
        found.append(compute_of_half(**exponents))
        assert example.value.m_as("") == pytest.approx(found[-1], rel=1e-6)
    error = find("training.decisions.size_small").margin_of_error[0].m_as("")
    assert error == pytest.approx(max(found) / min(found) - 1, rel=1e-4)


@pytest.mark.parametrize(
    ("law", "size"), [("refit", 24.5e9), ("published", 12.5e9), ("open", 12.5e9), ("small", 5.5e9)]
)
def test_fp8_pays_until_its_tokens_only_make_up_for_its_loss(law, size):
    """Bisection of the increase at which FP8 needs all the tokens that its speed gives, at the size of the decision."""
    constants = law_of(law)
    loss, _ = target(constants)
    low, high = 0.0, 0.01
    for _ in range(60):
        middle = (low + high) / 2
        enough = tokens_for(loss * (1 - middle), size, constants) <= FASTER[law] * tokens_for(loss, size, constants)
        low, high = (middle, high) if enough else (low, middle)
    found = find(f"training.decisions.allowed_{'2022' if law == 'published' else law}").value.m_as("")
    assert found == pytest.approx(low, rel=1e-3)
    values = find(f"training.decisions.size_{law}").solve().values()
    assert values["proposed_N_9" if law == "refit" else "best_N_9"].m_as("") * 1e9 == pytest.approx(size)


def test_joint_range_holds_the_four_laws():
    """Its ends, given to three digits, hold every fit; the low ends are at most a few per cent beyond the lowest."""
    ranges = {v.name: each for v, each in find("training.decisions.reservation").uncertain.items()}
    symbols = ("alpha", "beta", "N_o", "h_L")
    low, high = ({name: float(getattr(ranges[name], end)) for name in symbols} for end in ("low", "high"))
    found = []
    for name in WIDTHS:
        floor, _, _, alpha, beta = law_of(name)
        loss, size = target(law_of(name))
        found.append({"alpha": alpha, "beta": beta, "N_o": size, "h_L": loss / (loss - floor)})
        for symbol, value in found[-1].items():
            assert 0.995 * low[symbol] <= value <= 1.005 * high[symbol], (name, symbol)
    for symbol in ("alpha", "beta", "N_o"):
        assert low[symbol] > 0.95 * min(law[symbol] for law in found)


def test_two_months_lose_least_over_everything_that_is_uncertain():
    robust = find("training.decisions.reservation").solve().robustness
    assert robust.proposed.mean < 0.05
    others = [option.mean for option in robust.winners if option.label != robust.proposed.label]
    assert robust.proposed.mean < min(others)


def test_a_mixture_pays_from_the_leverage_that_its_rate_asks_for():
    """Operations, not formulas: 6 a parameter and token, at 60 % of the rate of a dense model."""
    dense = 6 * 24e9 * 7e12 / 600e12
    for active in (24e9, 14.4e9, 6e9):
        found = find("training.mixtures.device_time").at(lam_m=24e9 / active, eta_m="60 %").m_as("")
        assert found == pytest.approx(6 * active * 7e12 / (0.6 * 600e12) / dense)
    published = find("training.mixtures.leverage_ling").value.m_as("")
    assert published == pytest.approx(7, abs=0.3)  # "over 7x", arXiv 2507.17702


def test_cost_of_a_mixture_is_that_of_plain_arithmetic():
    """One month of the cluster at the contract rent, and two years of serving at the rate of a published day."""
    values = find("training.mixtures.architecture").solve().values()
    factor = 1 / (math.sqrt(2.5 * 6.1 / 0.85) * find("training.mixtures.rate_deepseek").value.m_as(""))
    served = values["D_i"].m_as("token") if "D_i" in values else 36.5e12
    devices = find("audit.devices").value.m_as("gpu")
    size, months = values["best_N_9"].m_as("") * 1e9, values["best_T_g"].m_as("h")
    hours = devices * months + 2 * factor * size * served / (989.4e12 * SERVING) / 3600
    assert values["best"].m_as("USD") == pytest.approx(RENT * hours, rel=0.01)
    assert values["proposed_margin"].m_as("") > 1


def test_one_month_is_enough_for_a_mixture_of_the_middle_leverage_only():
    """Of all sizes, the cheapest that a mixture or a dense model trains in one month, and in two."""
    law, factor = LAWS["refit"], find("training.mixtures.rate_deepseek").value.m_as("")
    loss, _ = target(law)

    def least(leverage, days):
        costs = []
        for size in GRID:
            for share in (1.0, 1 / (leverage * factor)):
                for speed, gap in ((1.0, 0), (FASTER["refit"], GAP)):
                    run = CALENDAR * share * 6 * size * tokens_for(loss * (1 - gap), size, law) / (DAILY * speed)
                    serving = 2 * share * size * 36.5e12 / (989.4e12 * SERVING) / 3600 * RENT
                    costs += [512 * 24 * days * RENT + serving] if run <= days else []
        return min(costs)

    values = find("training.mixtures.months").solve().values()
    middle = math.sqrt(2.5 * 6.1 / 0.85)
    assert values["best"].m_as("USD") == pytest.approx(least(middle, 30), rel=1e-4)
    assert values["proposed"].m_as("USD") == pytest.approx(least(middle, 60), rel=1e-4)
    assert least(2.7, 30) > least(2.7, 60) and least(2.9, 30) < least(2.9, 60)


def test_a_teacher_reads_what_the_student_learns():
    found = find("training.mixtures.teacher").at(N="8e9", N_t="70e9").m_as("")
    assert found == pytest.approx((6 * 8 + 2 * 70) / (6 * 8))
