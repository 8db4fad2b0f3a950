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


@pytest.mark.parametrize("idle", ["0 W/gpu", "30 W/gpu", "100 W/gpu"])
def test_no_share_of_the_day_emits_less_than_the_best(idle):
    at = {**DAY, "a": "120 g/kWh", "p_i": idle}
    shares = Quantity(np.arange(0.05, 1.0, 0.001), "")
    best = find("energy.placement.best_share").at(**at).m_as("")
    assert least("energy.placement.pausing", "s", shares, at).m_as("") == pytest.approx(best, abs=0.001)
