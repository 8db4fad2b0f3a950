"""Protects the decisions on checkpoints and timeouts: plain loops, closed forms and simulations find the same."""

import bisect
import itertools
import math
import random

import pytest

from mathcore import find
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
    return (copies * stall + slow + interference) / work + failures


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


def test_bandwidth_for_uploads_is_that_of_the_closed_form():
    found = find("fleet_checkpointing.decisions.storage").best(saves="asynchronous")
    rent, fleet = (find(f"operations.{name}").value for name in ("bandwidth_1000", "fleet_rate"))
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
        return timeout / (9 * HOUR) + 6 / HOUR * 20 * MINUTE * late

    best = min(range(30, 1800), key=lost)
    found = find("goodput.decisions.timeout").best()
    assert found.option.levers["theta"] == pytest.approx(best, rel=0.04)
    assert found.value.m_as("") == pytest.approx(lost(best), rel=1e-3)


def replayed(tiers, noticed, interval=1800, length=40 * DAY, start=20 * DAY):
    """Return the mean work redone before a corruption (s), of a run that thins by the calendar."""
    source, kept, total, count = random.Random(1), [], 0.0, 0
    for now in range(0, length, interval):
        kept = by_calendar([*kept, now], now, tiers)
        for _ in range(20 if now > start else 0):
            struck = now + source.random() * interval - source.expovariate(1 / noticed)
            total += struck - kept[bisect.bisect_right(kept, struck) - 1]
            count += 1
    return total / count


@pytest.mark.parametrize(
    "tiers",
    [((6 * HOUR, 0), (2 * DAY, 12 * HOUR), (14 * DAY, WEEK)), ((3 * HOUR, 0), (7 * DAY, DAY), (14 * DAY, WEEK))],
)
def test_calendar_redoes_what_the_formula_says(tiers):
    (first, _), (second, middle), (third, step) = tiers
    given = {"tau": "30 min", "X": "2 h", "T": "30 d", "j_1": f"{first} s", "j_2": f"{second} s", "j_3": f"{third} s"}
    expected = find("resilience.decisions.redone_tiers").at(**given, g_2=f"{middle} s", g_3=f"{step} s").m_as("s")
    assert replayed([Tier(*each) for each in tiers], 2 * HOUR) == pytest.approx(expected, rel=0.15)  # as stated


def kept_cost(kept, redone, corruptions=4423.68):
    """Return rent and redone work (USD/d): 0.023 USD for a GiB and month, a cluster of 3,277 USD an hour."""
    return kept * 0.023 * 14 * 70e9 / 2**30 / (730.5 / 24) + 24 * 3277 * redone / corruptions


@pytest.mark.parametrize(("noticed", "decision"), [(2, "retention"), (24, "retention_late")])
def test_calendars_cost_what_plain_arithmetic_says(noticed, decision):
    """Half of the gap in which the corruption falls, and half of a month where all that is kept is corrupt."""
    costs = {}
    for first, middle, second, step, third in itertools.product(
        (3, 6, 12, 24), (3, 6, 12, 24), (48, 168, 336), (48, 168), (336, 720, 2184)
    ):
        redone = 0.25
        for age, gain in ((first, middle - 0.5), (second, step - middle), (third, 720)):
            redone += math.exp(-age / noticed) * gain / 2
        kept = first / 0.5 + second / middle + third / step
        costs[first, middle, second, step, third] = kept_cost(kept, redone)
    best = min(costs, key=costs.get)
    found = find(f"resilience.decisions.{decision}").best(keep="calendar")
    assert found.value.m_as("USD/d") == pytest.approx(costs[best], rel=1e-3)
    assert [found.option.levers[name] / HOUR for name in ("j_1", "g_2", "j_2", "g_3", "j_3")] == pytest.approx(best)


def test_narrow_calendar_fails_if_corruption_is_noticed_late():
    late = find("resilience.decisions.retention_late").solve().values()
    narrow = 0.25 + (math.exp(-6 / 24) * 11.5 + math.exp(-2) * 156 + math.exp(-14) * 720) / 2
    assert late["proposed"].m_as("USD/d") == pytest.approx(kept_cost(18, narrow), rel=1e-3)
