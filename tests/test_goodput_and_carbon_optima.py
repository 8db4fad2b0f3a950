"""Optima of goodput and of carbon are optimal when scanned; the simulated watchdog refutes a slip."""

import numpy as np
import pytest

from mathcore import Quantity, find

WATCH = {"M_h": "9 h", "nu": "6 /h", "s_p": "20 s", "L_f": "20 min"}
DAY = {"PUE": "1.2", "p_w": "1050 W/gpu", "c_m": "381 g/kWh", "g_h": "7.26 g/(gpu h)"}


def least(formula, name, values, at):
    """Return the one of `values` at which the formula is smallest."""
    return values[int(np.argmin(find(formula).evaluate(**at, **{name: values})[0].magnitude))]


def test_no_timeout_costs_less_than_the_best():
    stops = Quantity(np.arange(60.0, 400.0, 0.5), "s")
    best = find("goodput.progress.timeout").at(**WATCH)
    assert abs(least("goodput.progress.watchdog", "theta", stops, WATCH) - best) <= Quantity(0.5, "s")
    cost = find("goodput.progress.watchdog").at(**WATCH, theta=best)
    assert cost.m_as("") == pytest.approx(find("goodput.progress.least_watchdog").at(**WATCH).m_as(""))


@pytest.mark.parametrize("sigma_p", ["0.5", "1.2", "2"])
def test_no_timeout_costs_less_than_the_best_where_the_tail_is_heavy(sigma_p):
    heavy, stops = {**WATCH, "sigma_p": sigma_p}, Quantity(np.arange(30.0, 900.0, 0.5), "s")
    best = find("goodput.progress.lognormal_timeout").at(**heavy)
    assert abs(least("goodput.progress.lognormal_waste", "theta", stops, heavy) - best) <= Quantity(0.5, "s")


def test_the_simulated_watchdog_refutes_an_exponential_where_the_tail_is_heavy():
    seen = find("goodput.progress.sim_watchdog_heavy")
    light = find("goodput.progress.watchdog").at(**WATCH, theta="3 min")
    assert abs(seen.value - light) > 20 * seen.error


def test_the_simulated_watchdog_refutes_a_formula_that_forgets_false_alarms():
    seen = find("goodput.progress.sim_watchdog")
    forgetful = find("goodput.progress.waiting_part").at(M_h="9 h", theta="80 s")
    assert abs(seen.value - forgetful) > 20 * seen.error


def test_the_fleet_with_the_shortest_training_fails_once_in_a_restart():
    sizes = Quantity(np.arange(30000.0, 80000.0, 10.0), "gpu")
    at = {"A_w": "444000 gpu d", "m": "50677 gpu h", "R": "1 h"}
    assert least("goodput.progress.restarts_alone", "N", sizes, at).m_as("gpu") == pytest.approx(50677, abs=10)


def test_the_closed_form_of_the_time_approaches_the_exact_one_in_calm_water():
    calm = {"T_s": "30 d", "tau": "30 min", "C": "1 min", "M": "50 h"}
    closed = find("goodput.progress.wall_time").at(**calm, o="0 min").m_as("d")
    assert closed == pytest.approx(find("goodput.progress.free_restart_time").at(**calm).m_as("d"), rel=2e-4)


def test_the_printed_time_doubles_in_a_storm():
    storm = {"T_s": "30 d", "tau": "30 min", "C": "10 min", "M": "1 h"}
    printed, exact = (
        find(f"goodput.progress.{name}").at(**storm).m_as("d") for name in ("printed_time", "free_restart_time")
    )
    assert printed > 2 * exact


@pytest.mark.parametrize("idle", ["0 W/gpu", "30 W/gpu", "100 W/gpu"])
def test_no_share_of_the_day_emits_less_than_the_best(idle):
    at = {**DAY, "a": "120 g/kWh", "p_i": idle}
    shares = Quantity(np.arange(0.05, 1.0, 0.001), "")
    best = find("energy.placement.best_share").at(**at).m_as("")
    assert least("energy.placement.pausing", "s", shares, at).m_as("") == pytest.approx(best, abs=0.001)


@pytest.mark.parametrize(("excess", "pays"), [("0.95", False), ("1.05", True)])
def test_a_pause_pays_from_the_swing_that_is_needed(excess, pays):
    at = {**DAY, "p_i": "100 W/gpu"}
    swing = find("energy.placement.swing_needed").at(**at) * float(excess)
    all_day, nearly = (find("energy.placement.pausing").at(**at, a=swing, s=s) for s in ("100 %", "99.9 %"))
    assert (nearly < all_day) is pays
