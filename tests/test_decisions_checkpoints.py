"""Protects the decisions on checkpoints and timeouts: plain loops, closed forms and simulations find the same."""

import bisect
import functools
import itertools
import math
import random
import statistics

import pytest

from mathcore import Formula, find
from mathcore.chapters.fleet_checkpointing import levels
from mathcore.chapters.fleet_checkpointing.simulation import two_level_wastes
from mathcore.monte_carlo import Simulation
from practice.retention import DAY, HOUR, WEEK, Tier, by_calendar

MINUTE = 60.0
STALL, INTERFERENCE = 5.0, 67 * (1 - 372 / 700) / 2  # s; half of the dip that was measured over 67 s
LOAD = find("fleet_checkpointing.measured.load_after_save").fitted_parameters["a_l"].value.m_as("")


def seconds(text, unit):
    return find(text).value.m_as(unit)


def one_level(work, mtbf, stall, upload=0.0, interference=0.0, after=0.0):
    """Return the waste of checkpoints every `work` seconds: stall and interference, lost work, time after a failure."""
    return (stall + interference) / work + (work / 2 + upload + after) / mtbf


def two_level(work, copies, mtbf, share, stall, slow, upload, interference, restart, load):
    fast, rare = mtbf / share, mtbf / (1 - share)
    failures = (work / copies / 2 + restart) / fast + (work / 2 + upload + restart + load) / rare
    return ((copies - 1) * stall + slow + interference) / work + failures


def test_asynchronous_checkpoints_save_two_thirds_of_the_waste():
    works = [10.0 * i for i in range(12, 1200)]
    apart = min((one_level(x, 8 * HOUR, 240.0), x) for x in works)
    behind = min((one_level(x, 8 * HOUR, STALL, 240.0, INTERFERENCE), x) for x in works)
    decision = find("young_daly.decisions.mode")
    assert decision.best().value.m_as("") == pytest.approx(behind[0], rel=1e-3)
    assert decision.best(saves="synchronous").value.m_as("") == pytest.approx(apart[0], rel=1e-3)
    assert decision.solve().values()["best_tau"].m_as("s") == pytest.approx(behind[1], rel=0.03)
    assert behind[0] < 0.37 * apart[0]


def test_interference_beyond_which_synchronous_writes_win():
    """Equal where √(2·240/M) = √(2·(s + i)/M) + u/M; from an upload of 2i on, the upload grows with i."""
    above = find("young_daly.decisions.mode").solve().values()["i_u_above"].m_as("s")
    mtbf = 8.0 * HOUR
    behind = math.sqrt(2 * (STALL + above) / mtbf) + max(240.0, 2 * above) / mtbf
    assert behind == pytest.approx(math.sqrt(480 / mtbf), rel=0.01)


def test_second_level_is_best_for_the_fleet():
    mtbf = seconds("young_daly.llama_mtbf", "s")
    after, load = MINUTE + 5 * MINUTE, LOAD * 35
    works = [60.0 * i for i in range(2, 600)]
    found = {
        "synchronous": min(one_level(x, mtbf, 35.0, after=after + load) for x in works),
        "asynchronous": min(one_level(x, mtbf, STALL, 120.0, INTERFERENCE, after + load) for x in works),
    }
    for name, slow, upload, interference in (
        ("synchronous", 35.0, 0.0, 0.0),
        ("asynchronous", STALL, 120.0, INTERFERENCE),
    ):
        found[f"two-level, {name}"] = min(
            two_level(x, k, mtbf, 0.9, STALL, slow, upload, interference, after, load)
            for x in works
            for k in range(1, 40)
        )
    decision = find("fleet_checkpointing.decisions.tiers")
    for name, waste in found.items():
        assert decision.best(saves=name).value.m_as("") == pytest.approx(waste, rel=5e-3), name
    assert min(found, key=found.get) == decision.best().option.levers["saves"]


UPLOADS = {"C_1": "20 s", "s": "20 s", "g": "5 %", "d": "1 min", "R_1": "2 min", "R": "10 min", "W": "1 h"}


@pytest.mark.parametrize(
    ("fast", "slow", "copies", "upload"), [("100 h", "400 h", "5", "10 min"), ("50 h", "200 h", "3", "20 min")]
)
def test_copies_that_are_uploaded_stall_once(fast, slow, copies, upload):
    """A clock with work, stalls, uploads and both kinds of failures finds the formula, and not one stall more."""
    formula = find("fleet_checkpointing.levels.two_level_upload")
    given = {**UPLOADS, "M_1": fast, "M_2": slow, "k": copies, "u": upload}
    given = {variable: given[variable.name] for variable in formula.inputs}
    twice = Formula(formula.lhs, formula.rhs + levels.C_1 / levels.W, kind="model")
    passed = [Simulation(each, given, two_level_wastes, runs=600).passed for each in (formula, twice)]
    assert passed == [True, False]


def test_one_copy_for_each_upload_is_a_single_level():
    """Without small failures a pattern of one copy, which is uploaded, is asynchronous saving."""
    double, single = find("fleet_checkpointing.levels.two_level_upload"), find("fleet_checkpointing.async_waste")
    known = {"s": "20 s", "u": "5 min", "g": "10 %", "d": "1 min", "R": "6 min"}
    apart = {"W": "1 h", "k": "1", "C_1": "20 s", "R_1": "2 min", "M_1": "99 year", "M_2": "50 h"}
    found = double.at(**known, **apart).m_as("")
    assert found == pytest.approx(single.at(**known, tau="1 h", M="50 h").m_as(""), rel=1e-3)


@pytest.mark.parametrize("name", ["tiers", "storage"])
def test_grid_of_intervals_does_not_decide(name):
    """At the best number of copies any other interval, searched without a grid, saves less than a thousandth."""
    decision = find(f"fleet_checkpointing.decisions.{name}")
    best = decision.best(saves="two-level, asynchronous")
    levers = best.option.levers
    mtbf = seconds("young_daly.llama_mtbf" if name == "tiers" else "operations.book_mtbf", "s")

    def of_work(work):
        return (5 * levers["k"] + INTERFERENCE) / work + work / 2 / mtbf * (0.9 / levers["k"] + 0.1)

    gain = of_work(levers["W"]) - min(of_work(10.0 * i) for i in range(10, 4000))
    price = 1 if name == "tiers" else seconds("operations.fleet_rate_today", "USD/s")
    assert 0 <= gain * price < 1e-3 * best.value.m_as("" if name == "tiers" else "USD/s")


def test_bandwidth_for_uploads_is_that_of_the_closed_form():
    found = find("fleet_checkpointing.decisions.storage").best(saves="asynchronous")
    rent, fleet = (find(f"operations.{name}").value for name in ("bandwidth_1000", "fleet_rate_today"))
    size, mtbf = find("resilience.checkpoint").value, find("operations.book_mtbf").value
    best = ((fleet * (1 + LOAD) * size / (mtbf * rent)) ** 0.5).to("GB/s").magnitude
    assert find("fleet_checkpointing.decisions.asynchronous_bandwidth").value.m_as("GB/s") == pytest.approx(best)
    assert found.option.levers["b"] / 1e9 == pytest.approx(best, rel=0.08)  # the next step of the lever


def test_every_third_checkpoint_is_checked():
    mtbf, corruption = seconds("young_daly.llama_mtbf", "s"), seconds("reliability.llama_sdc_mtbf", "s")
    waste = {
        p: min((35 + 10 / p) / x + x / (2 * mtbf) + p * x / corruption for x in range(200, 2000, 5))
        for p in range(1, 12)
    }
    assert min(waste, key=waste.get) == find("fleet_checkpointing.trillion.spaced").value.m_as("")
    for p, name in ((3, "spaced_least"), (5, "spaced_five")):
        assert find(f"fleet_checkpointing.trillion.{name}").value.m_as("") == pytest.approx(waste[p], rel=1e-3)


def test_timeout_is_least_where_a_search_finds_it():
    def lost(timeout, mean=20.0, spread=1.2):
        late = math.erfc((math.log(timeout / mean) + spread**2 / 2) / (math.sqrt(2) * spread)) / 2
        return timeout / (25.7 * HOUR) + 6 / HOUR * 20 * MINUTE * late

    best = min(range(30, 1800), key=lost)
    found = find("goodput.decisions.timeout").best()
    assert found.option.levers["theta"] == pytest.approx(best, rel=0.04)
    assert found.value.m_as("") == pytest.approx(lost(best), rel=2e-3)
    assert all(lost(timeout) < 1.19 * lost(best) for timeout in (322, 600))  # what is launched, and the default
    error = find("goodput.decisions.timeout").solve().values()["error"].m_as("")
    assert error == pytest.approx((30 * 24 / 25.7) ** -0.5, abs=0.005)  # by the hangs of a month


def replayed(tiers, noticed, interval=1800, length=40 * DAY, start=20 * DAY):
    """Return the mean work redone before a corruption (s), of a run that thins by the calendar."""
    source, checkpoints, total, count = random.Random(1), [], 0.0, 0
    for now in range(0, length, interval):
        checkpoints = by_calendar([*checkpoints, now], now, tiers)
        for _ in range(20 if now > start else 0):
            struck = now + source.random() * interval - source.expovariate(1 / noticed)
            total += struck - checkpoints[bisect.bisect_right(checkpoints, struck) - 1]
            count += 1
    return total / count


@pytest.mark.parametrize(
    ("tiers", "interval", "noticed"),
    [
        (((6 * HOUR, 0), (2 * DAY, 12 * HOUR), (14 * DAY, WEEK)), 1800, 2),
        (((3 * HOUR, 0), (7 * DAY, DAY), (14 * DAY, WEEK)), 1800, 2),
        (((3 * HOUR, 0), (DAY, 6 * HOUR), (7 * DAY, 2 * DAY)), 3600, 2),
        (((2 * HOUR, 0), (4 * DAY, 3 * HOUR), (10 * DAY, DAY)), 3600, 24),
    ],
)
def test_calendar_redoes_what_the_formula_says(tiers, interval, noticed):
    (first, _), (second, middle), (third, step) = tiers
    given = {"tau": f"{interval} s", "X": f"{noticed} h", "T": "30 d", "g_2": f"{middle} s", "g_3": f"{step} s"}
    ages = {"j_1": f"{first} s", "j_2": f"{second} s", "j_3": f"{third} s"}
    expected = find("resilience.decisions.redone_tiers").at(**given, **ages).m_as("s")
    found = replayed([Tier(*each) for each in tiers], noticed * HOUR, interval)
    assert found == pytest.approx(expected, rel=0.06)


def cost_of_tiers(count, redone, corruptions=4423.68, price=0.023, fleet=2195.7642):
    """Return rent and redone work (USD/d), of a hundred servers at today's list price."""
    return count * price * 14 * 70e9 / 2**30 / (730.5 / 24) + 24 * fleet * redone / corruptions


@functools.cache
def deleted(age, step, noticed):
    """Return in which share of corruptions the checkpoint before is older than `age` when they are noticed (h).

    It is up to one step older than the corruption, and any distance up to that is as likely.
    """
    return math.exp(-age / noticed) * growth(step, noticed)


@functools.cache
def growth(step, noticed, parts=200):
    """Return the mean of exp(x / noticed) for x from 0 to `step`, as a sum over parts."""
    return sum(math.exp(step * (i + 0.5) / parts / noticed) for i in range(parts)) / parts


def redone_hours(calendar, noticed):
    """Return half the gap in which the corruption falls, and half a month if all stored checkpoints are corrupt."""
    first, middle, second, step, third = calendar
    gains = ((first, 1, middle - 1), (second, middle, step - middle), (third, step, 720))
    return 0.5 + sum(deleted(age, each, noticed) * gain / 2 for age, each, gain in gains)


def calendars(most=math.inf):
    """Yield calendars of hourly checkpoints, and how many they keep: at most `most`."""
    for calendar in itertools.product(
        (1, 2, 3, 4, 6, 9, 12, 24),
        (1, 2, 3, 4, 6, 12),
        (12, 24, 48, 72, 96, 168, 336, 720),
        (12, 24, 48, 72, 120, 168, 336),
        (24, 48, 72, 96, 120, 168, 240, 336, 504, 720),
    ):
        first, middle, second, step, third = calendar
        count = first + second / middle + third / step
        if first <= second <= third and middle <= step <= third and middle <= second and count <= most:
            yield calendar, count


ROOM = 0.9 * 15 - 3  # a tenth stays free, one is being written, two are copied


@pytest.mark.parametrize(("missed", "most", "decision"), [(0.1, ROOM, "retention"), (1, math.inf, "retention_late")])
def test_calendars_cost_what_plain_arithmetic_says(missed, most, decision):
    """Checks find nine corruptions in ten after two hours; the others, or all without checks, are seen after a day."""
    costs = {}
    for calendar, count in calendars(most):
        redone = (1 - missed) * redone_hours(calendar, 2) + missed * redone_hours(calendar, 24)
        costs[calendar] = cost_of_tiers(count, redone)
    best = min(costs, key=costs.get)
    found = find(f"resilience.decisions.{decision}").best(keep="calendar")
    assert found.value.m_as("USD/d") == pytest.approx(costs[best], rel=1e-3)
    assert [found.option.levers[name] / HOUR for name in ("j_1", "g_2", "j_2", "g_3", "j_3")] == pytest.approx(best)


def redone_by_doublings(noticed, dense=2):
    """Return the work redone (h): `dense` hourly checkpoints, and gaps as long as the age at which they end."""
    return 0.5 + deleted(dense, 1, noticed) * (dense - 1 + noticed) / 2


def by_doublings(times, now, dense=2):
    """Return the times that are kept: all up to an age of `dense` hours, then one for each doubling of it.

    Every `dense * 2**v` hours one is kept until it is twice as old as that.
    """
    kept = []
    for time in times:
        number, odd = divmod(time // HOUR, dense)
        level = dense * (number & -number) if number and not odd else 0
        if now - time < max(dense, 2 * level) * HOUR or time == 0:
            kept.append(time)
    return kept


def simulated_doublings(delay, dense=2):
    """Return the mean work redone (h) if corruption is noticed after `delay(source)` h, and the most that are kept."""
    source, checkpoints, total, count, most = random.Random(1), [], 0.0, 0, 0
    for now in range(0, 30 * DAY, HOUR):
        checkpoints = by_doublings([*checkpoints, now], now, dense)
        most = max(most, len(checkpoints) - 1)  # without the start of the run, which can be computed again
        for _ in range(20 if now > 15 * DAY else 0):
            struck = now + (source.random() - delay(source)) * HOUR
            total += struck - checkpoints[bisect.bisect_right(checkpoints, struck) - 1]
            count += 1
    return total / count / HOUR, most


@pytest.mark.parametrize(("dense", "noticed"), [(2, 2), (2, 24), (3, 2), (8, 5)])
def test_doublings_redo_and_keep_what_the_formulas_say(dense, noticed):
    found, most = simulated_doublings(lambda source: source.expovariate(1 / noticed), dense)
    expected = find("resilience.decisions.redone_octaves").at(tau="1 h", X=f"{noticed} h", k_0=str(dense)).m_as("h")
    assert expected == pytest.approx(redone_by_doublings(noticed, dense), rel=1e-3)
    assert 0.86 * expected < found < 1.02 * expected
    count = find("resilience.retention.octaves").at(k_0=str(dense), tau="1 h", T="30 d").m_as("")
    assert count - 1 < most < count + 0.6


def logarithmic(source):
    """Return the function that draws a number between two, uniformly in the logarithm."""
    return lambda low, high: math.exp(source.uniform(math.log(low), math.log(high)))


def test_one_rule_for_the_whole_range():
    """Nothing is tuned to a sample: all inputs are drawn uniformly in the logarithm from the ranges of the decision."""
    drawn = logarithmic(random.Random(5))
    samples = [
        (drawn(0.5, 8), drawn(5, 120), drawn(0.07, 0.3), drawn(1910, 10100), drawn(0.01, 0.15), drawn(1357, 5504))
        for _ in range(200)
    ]

    def mean(count, redone):
        return statistics.fmean(
            cost_of_tiers(count, (1 - missed) * redone(checked) + missed * redone(late), corruptions, price, fleet)
            for checked, late, missed, corruptions, price, fleet in samples
        )

    doublings = mean(2 + math.log2(360), redone_by_doublings)
    launched = mean(10.5, functools.partial(redone_hours, (3, 6, 24, 48, 168)))
    best = min(mean(count, functools.partial(redone_hours, calendar)) for calendar, count in calendars(ROOM))
    assert launched / doublings == pytest.approx(4 / 3, abs=0.08)
    assert best / doublings == pytest.approx(7 / 6, abs=0.05)
    assert launched - doublings < 0.001 * 24 * 2195.7642  # the price of the cluster for a day


def test_without_checks_three_weeks_are_cheaper_over_the_range():
    drawn = logarithmic(random.Random(3))
    samples = [(drawn(5, 120), drawn(1910, 10100), drawn(0.01, 0.15), drawn(1357, 5504)) for _ in range(400)]
    best = find("resilience.decisions.retention_late").best().option.levers
    ten = tuple(best[name] / HOUR for name in ("j_1", "g_2", "j_2", "g_3", "j_3"))
    assert ten == pytest.approx((1, 3, 72, 24, 240))

    def mean(calendar, count):
        return statistics.fmean(cost_of_tiers(count, redone_hours(calendar, late), *rest) for late, *rest in samples)

    weeks = (*ten[:4], 504)
    today = cost_of_tiers(46, redone_hours(weeks, 24)) / cost_of_tiers(35, redone_hours(ten, 24))
    assert today == pytest.approx(1.15, abs=0.01)
    assert mean(weeks, 46) / mean(ten, 35) == pytest.approx(0.58, abs=0.04)


def test_checks_at_fixed_times():
    """Corruption is then noticed within the 3.5 h between two checks; what the checks miss, after a day."""
    between = seconds("resilience.decisions.check_every", "h")
    checks = [between * (i + 0.5) / 100 for i in range(100)]

    def gone(age, step):
        hours = [step * (i + 0.5) / 100 for i in range(100)]
        return sum(age - each < check for each in hours for check in checks) / 1e4

    gone = functools.cache(gone)

    def cost(calendar, count):
        first, middle, second, step, third = calendar
        gains = ((first, 1, middle - 1), (second, middle, step - middle), (third, step, 720))
        found = 0.5 + sum(gone(age, each) * gain / 2 for age, each, gain in gains)
        return cost_of_tiers(count, 0.9 * found + 0.1 * redone_hours(calendar, 24))

    best = min((cost(*each), each) for each in calendars(ROOM))
    assert best[1][0][0] == 4
    assert best[0] / cost((3, 6, 24, 48, 168), 10.5) == pytest.approx(0.85, abs=0.02)

    found, _ = simulated_doublings(lambda source: source.random() * between)
    doublings = cost_of_tiers(2 + math.log2(360), 0.9 * found + 0.1 * redone_by_doublings(24))
    assert best[0] < doublings < 1.11 * best[0]


def test_best_calendar_is_inside_of_the_grid():
    """An end of a lever is best only where it is physical: an interval, or the length of the run."""
    for name in ("retention", "retention_late"):
        decision = find(f"resilience.decisions.{name}")
        best = decision.best(keep="calendar").option.levers
        for lever, physical in {"j_1": HOUR, "g_2": HOUR, "j_2": 30 * DAY, "g_3": None, "j_3": 30 * DAY}.items():
            settings = {option.levers[lever] for option in decision.space if lever in option.levers}
            assert best[lever] in settings - {min(settings), max(settings)} or best[lever] == physical


def test_calendar_for_checks_fails_without_them():
    late = find("resilience.decisions.retention_late").solve().values()
    launched = (3, 6, 24, 48, 168)
    assert late["proposed"].m_as("USD/d") == pytest.approx(cost_of_tiers(10.5, redone_hours(launched, 24)), rel=1e-3)


def test_checks_for_corruption_come_where_a_search_finds_them():
    """A check of ten seconds, and a corruption every 184 days that costs all work since the last check."""
    steps = min(range(100, 5000), key=lambda n: 1 / n + 10 * n / (184.32 * DAY))
    assert find("resilience.decisions.check_steps").value.m_as("") == pytest.approx(steps, abs=1)
