"""Protects the end of the audit: days add up, walls are told apart, the promise is what chance makes it."""

import math

import pytest

from mathcore import find


def value(address, unit=""):
    return find(address).value.m_as(unit)


def test_days_of_the_walls_add_up_to_the_run():
    parts = [value(f"audit_promise.days_{name}", "d") for name in ("computing", "layers", "waiting", "failing")]
    assert sum(parts) == pytest.approx(value("audit_promise.composed", "d"), rel=1e-12)


def test_kernels_at_half_of_the_peak_take_twice_the_floor():
    assert value("audit_promise.days_computing", "d") == pytest.approx(2 * value("audit_promise.at_peak", "d"))


def test_run_of_parts_is_the_run_at_the_composed_mfu():
    at = {v.name: q for v, q in find("audit_promise.mfu_for_date").givens.items() if v.name in ("C", "n", "P")}
    run = find("audit_fleet.run_time").at(**at, u=find("audit_fleet.mfu_here").value, delta="2 min", m="50000 gpu h")
    planned = run.m_as("d")
    assert value("audit_promise.composed", "d") == pytest.approx(planned, rel=1e-12)


def test_only_the_last_backward_pass_hides_the_ring():
    """Of 7.01 s of arithmetic 4.67 s go backward, with 0.67 s of all-reduces; a 32nd, or an eighth, is the last."""
    assert value("audit_fleet.last", "s") == pytest.approx(0.1669, abs=1e-4)
    assert value("audit_fleet.last_of_four", "s") == pytest.approx(0.6677, abs=1e-4)
    assert value("audit_fleet.waiting", "s") == pytest.approx(0.6951 - 0.1669, abs=2e-4)
    assert value("audit_fleet.waiting_of_four", "s") == pytest.approx(0.6951 - 0.6677, abs=2e-4)


def test_last_backward_pass_does_not_shrink_with_the_fleet():
    assert value("audit_levers.mfu_1304") < value("audit_levers.mfu_1176") < value("audit_fleet.mfu_here")
    assert value("audit_levers.mfu_1304_of_four") > value("audit.mfu") > value("audit_fleet.mfu_here")


def test_four_sequences_do_not_fit_at_the_measured_multiple():
    low, high = find("measured_parallelism.layout_memory").band
    assert value("audit_levers.need_of_four", "GB") == pytest.approx(36.930 + 4 * 6.795, abs=0.01)
    assert low * value("audit_levers.taken_of_four", "GB") > 80
    assert value("audit_levers.taken", "GB") < 80 < high * value("audit_levers.taken", "GB")


def test_needed_mfu_meets_the_date():
    at = find("audit_promise.mfu_for_date").givens
    given = {v.name: q for v, q in at.items() if v.name in ("C", "n", "P")}
    time = find("audit_fleet.run_time").at(
        **given, u=find("audit_promise.mfu_for_date").value, delta="2 min", m="50000 gpu h"
    )
    assert time.m_as("d") == pytest.approx(14)


def poisson_promise(n, u):
    """The chance once more, apart from the core."""
    mean = 3600 / (n * (1 / 5e4 + 1 / 8 / 3.75e4))
    interval = math.sqrt(2 * 120 * mean)
    work = 512 * 30 * 86400 * 0.4 / (n * u)
    stops = math.floor((14 * 86400 - work * (1 + 120 / interval)) / (interval / 2 + 600))
    mu = 14 * 86400 / mean
    return sum(math.exp(-mu) * mu**k / math.factorial(k) for k in range(stops + 1))


@pytest.mark.parametrize(
    ("name", "n", "u"),
    [
        ("chance_143", 1144, 0.4),
        ("chance_147", 1176, 0.4),
        ("chance_147_at_39", 1176, 0.39),
        ("chance_155_at_38", 1240, 0.38),
    ],
)
def test_chance_of_the_promise(name, n, u):
    assert value(f"audit_promise.{name}") == pytest.approx(poisson_promise(n, u), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "wall"),
    [
        ({}, 4),  # five hundred devices: arithmetic, and late
        ({"n": "1408 gpu"}, 0),
        ({"beta_i": "25 GB/s"}, 5),
        ({"n": "16384 gpu"}, 2),
        ({"n": "16384 gpu", "m": "1000 gpu h"}, 3),
    ],
)
def test_explorer_names_the_wall(change, wall):
    formula = find("audit_promise.binding")
    start = {v.name: q for v, q in find("audit_promise.explorer").defaults.items()}
    values = {v.name: {**start, **change}[v.name] for v in formula.inputs}
    assert formula.at(**values).m_as("") == wall


def test_explorer_opens_at_the_run_of_the_page():
    formula = find("audit_promise.fleet_time")
    start = find("audit_promise.explorer").defaults
    opened = formula.at({v: q for v, q in start.items() if v in formula.inputs}).m_as("d")
    assert opened == pytest.approx(value("audit_promise.composed", "d"), rel=1e-3)


def test_promise_is_simulated():
    assert find("audit_promise.simulated_promise").passed
