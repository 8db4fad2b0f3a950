"""Compares the decision on the number of devices with a step written out in plain Python."""

import math
import random

import pytest

from mathcore import find

WORK, BATCH, HIDES, PER_BYTE, NICS, PRICE = 2.2e24, 4e6, 0.5, 3.0, 400e9, 2.65  # FLOP, tokens, …
MEASURED, RUN, SCALE = 0.4 * 989.4e12, 2048, math.sqrt(6) / math.pi  # FLOP/s over whole steps, on so many devices
FASTER = {"BF16": 1.0, "FP8": 2 * (6144 + 6842.347) / (6144 + 2 * 6842.347)}  # at a hidden size of 6,144
SEQUENCE, REPLICA, YEAR, DAY = 4096, 8, 365.25 * 86400, 86400
DATE = 0.45 * YEAR
CALENDAR = math.sqrt(1.1855783513 * 1.25079552)  # geometric mean of the middle two of eight runs, as for training


def rate(spread, format_):
    """Return the rate of a device while it computes: of a measured step, the waiting is taken away."""
    return MEASURED * (1 + SCALE * spread * math.log(RUN)) * FASTER[format_]


def throughput(devices, spread, attained, format_):
    """Return the operations per second of `devices`: a gigabyte of gradients, as the size cancels."""
    size, alone = 1e9, rate(spread, format_)
    computing = BATCH * PER_BYTE * size / (devices * alone)
    ring = 2 * (devices - 1) / devices * size / (attained * NICS)
    waiting = SCALE * spread * computing * math.log(devices)
    return devices * alone * computing / (computing + waiting + max(0.0, ring - HIDES * computing))


def setting(option):
    """Return devices and format of an option."""
    (devices,) = (number for v, number in option.numbers.items() if v.name == "N")
    return devices, option.levers["format"]


@pytest.fixture(scope="module")
def solution():
    return find("speedup.decisions.devices").solve()


def test_every_number_of_devices_has_the_rent_of_its_steps(solution):
    values = solution.values()
    spread, attained = values["v"].m_as(""), values["e"].m_as("")
    for place, option in enumerate(solution.options):
        devices, format_ = setting(option)
        time = CALENDAR * WORK / throughput(devices, spread, attained, format_)
        row = solution.row(place, "")
        assert row.value.m_as("USD") == pytest.approx(devices * time / 3600 * PRICE, rel=1e-3)
        late, short = time > DATE, devices * SEQUENCE > REPLICA * BATCH
        assert solution.feasible[place] == (not late and not short)


def test_the_share_of_the_nics_below_which_a_thousand_only_wait_is_that_of_a_scan(solution):
    """The tie ends where every larger number of devices costs more than the error above the best."""
    values = solution.values()
    error, spread = values["error"].m_as(""), values["v"].m_as("")
    counts = sorted({setting(option)[0] for option in solution.options})
    best = values["best_N"].m_as("")

    def alone(attained):
        rents = {n: n / throughput(n, spread, attained, "FP8") for n in counts if n >= best}
        return all(rent > (1 + error) * rents[best] for n, rent in rents.items() if n != best)

    low, high = 0.05, values["e"].m_as("")
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if alone(middle) else (low, middle)
    assert values["e_below"].m_as("") == pytest.approx(low, rel=0.01)


def test_in_eight_bits_384_devices_meet_the_date_and_in_sixteen_512_do(solution):
    """The least of the listed numbers in each format, by the loop above at today's inputs."""
    values = solution.values()
    spread, attained = values["v"].m_as(""), values["e"].m_as("")
    least = {
        format_: min(
            n
            for n, f in map(setting, solution.options)
            if f == format_ and CALENDAR * WORK / throughput(n, spread, attained, f) <= DATE
        )
        for format_ in FASTER
    }
    assert least == {"BF16": 512, "FP8": 384}
    assert values["best_N"].m_as("") == 384


def test_of_the_numbers_that_miss_the_date_in_less_than_one_per_cent_the_smallest_is_enough():
    """Uniform draws in the logarithm, from a generator of Python's own."""
    draw = random.Random(11)
    ends = ((1.0759, 1.6449), (0.341, 0.43), (1.22, 1.43), (512, 8192), (0.3535, 1), (0.005, 0.0568), (0.2, 0.9))
    misses = dict.fromkeys((("FP8", 512), ("FP8", 576), ("BF16", 704), ("BF16", 768)), 0)
    for _ in range(4000):
        calendar, mfu, faster, run, attained, spread, hides, batch = (
            math.exp(draw.uniform(*map(math.log, e))) for e in (*ends, (2e6, 12.58e6))
        )
        for format_, devices in misses:
            alone = 989.4e12 * mfu * (1 + SCALE * spread * math.log(run)) * (faster if format_ == "FP8" else 1)
            computing = batch * PER_BYTE / (devices * alone)
            ring = 2 * (devices - 1) / devices / (attained * NICS)
            step = computing * (1 + SCALE * spread * math.log(devices)) + max(0.0, ring - hides * computing)
            misses[format_, devices] += calendar * WORK * step / (computing * devices * alone) > DATE
    assert misses["FP8", 576] < 0.01 * 4000 < misses["FP8", 512]
    assert misses["BF16", 768] < 0.01 * 4000 < misses["BF16", 704]
    for name, key in (("enough", ("FP8", 576)), ("enough_16", ("BF16", 768))):
        found = find(f"speedup.decisions.{name}").solve().values()["proposed_infeasible"].m_as("")
        assert found == pytest.approx(misses[key] / 4000, abs=0.004)
