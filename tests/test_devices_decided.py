"""Compares the decision on the number of devices with a step written out in plain Python."""

import math
import random

import pytest

from mathcore import find

WORK, RATE, BATCH, HIDES, PER_BYTE, NICS, PRICE = 2.2e24, 494.7e12, 4e6, 0.5, 3.0, 400e9, 2.1  # FLOP, FLOP/s, …
SEQUENCE, REPLICA, YEAR, DAY = 4096, 8, 365.25 * 86400, 86400
DATE = 0.45 * YEAR
CALENDAR = math.sqrt(1.1855783513 * 1.25079552)  # geometric mean of the middle two of eight runs, as for training


def speedup(devices, spread, attained):
    """Return how many devices' worth of work `devices` do: a gigabyte of gradients, as the size cancels."""
    size = 1e9
    computing = BATCH * PER_BYTE * size / (devices * RATE)
    ring = 2 * (devices - 1) / devices * size / (attained * NICS)
    waiting = math.sqrt(6) / math.pi * spread * computing * math.log(devices)
    return devices * computing / (computing + waiting + max(0.0, ring - HIDES * computing))


@pytest.fixture(scope="module")
def solution():
    return find("speedup.decisions.devices").solve()


def test_every_number_of_devices_has_the_rent_of_its_steps(solution):
    values = solution.values()
    spread, attained = values["v"].m_as(""), values["e"].m_as("")
    for place, option in enumerate(solution.options):
        (devices,) = (number for v, number in option.numbers.items() if v.name == "N")
        time = CALENDAR * WORK / (speedup(devices, spread, attained) * RATE)
        row = solution.row(place, "")
        assert row.value.m_as("USD") == pytest.approx(devices * time / 3600 * PRICE, rel=1e-3)
        late, short = time > DATE, devices * SEQUENCE > REPLICA * BATCH
        assert solution.feasible[place] == (not late and not short)


def test_the_share_of_the_nics_below_which_a_thousand_only_wait_is_that_of_a_scan(solution):
    """The tie ends where every larger number of devices costs more than the error above the best."""
    values = solution.values()
    error, spread = values["error"].m_as(""), values["v"].m_as("")
    counts = sorted(number for option in solution.options for v, number in option.numbers.items() if v.name == "N")
    best = values["best_N"].m_as("")

    def alone(attained):
        rents = {n: n / speedup(n, spread, attained) for n in counts if n >= best}
        return all(rent > (1 + error) * rents[best] for n, rent in rents.items() if n != best)

    low, high = 0.05, values["e"].m_as("")
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if alone(middle) else (low, middle)
    assert values["e_below"].m_as("") == pytest.approx(low, rel=0.01)


def test_of_the_numbers_that_miss_the_date_in_less_than_one_per_cent_the_smallest_is_enough():
    """Uniform draws in the logarithm, from a generator of Python's own."""
    draw = random.Random(11)
    ends = ((1.086, 1.64), (400e12, 600e12), (0.3535, 1), (0.005, 0.0568), (0.2, 0.9), (2e6, 12.58e6))
    misses = dict.fromkeys((704, 768), 0)
    for _ in range(4000):
        calendar, rate, attained, spread, hides, batch = (math.exp(draw.uniform(*map(math.log, e))) for e in ends)
        for devices in misses:
            computing = batch * PER_BYTE / (devices * rate)
            ring = 2 * (devices - 1) / devices / (attained * NICS)
            waits = math.sqrt(6) / math.pi * spread * math.log(devices) * computing
            share = computing / (computing + waits + max(0.0, ring - hides * computing))
            misses[devices] += calendar * WORK / (devices * share * rate) > DATE
    assert misses[768] < 0.01 * 4000 < misses[704]
    found = find("speedup.decisions.enough").solve().values()["proposed_infeasible"].m_as("")
    assert found == pytest.approx(misses[768] / 4000, abs=0.004)
