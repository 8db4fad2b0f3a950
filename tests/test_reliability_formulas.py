"""Compares what chapters state of failing fleets with random draws, search, and each other."""

import math

import numpy as np
import pytest
import sympy

from mathcore import Quantity, find
from mathcore.chapters import fleet_checkpointing, young_daly
from mathcore.chapters.fleet_checkpointing import simulation as fleets
from mathcore.chapters.goodput import simulation as clocks
from mathcore.chapters.reliability import simulation as devices
from mathcore.monte_carlo import Simulation


def standard_error(values):
    values = np.asarray(values, dtype=float)
    return values.std(ddof=1) / math.sqrt(len(values))


# ---------------------------------------------------------------- rates and counts


@pytest.mark.parametrize("shape", [0.6, 1.0, 2.5])
def test_law_needs_no_exponential_lifetimes_if_devices_are_renewed_one_by_one(shape):
    found = devices.renewed_one_by_one(N=64, m=1000.0, runs=400, seed=3, beta=shape)
    stated = find("reliability.mtbf_of_devices").at(N="64 gpu", m="1000 gpu h").m_as("s")
    assert abs(found.mean() - stated) < 5 * standard_error(found)


@pytest.mark.parametrize(("shape", "factor"), [(0.6, 0.0625), (2.5, 12.13)])
def test_law_fails_if_devices_are_renewed_together(shape, factor):
    """A cluster all of one age: infants fail far sooner than m/N, worn devices far later."""
    drawn = devices.renewed_together(N=64, beta=shape, eta=1000.0, runs=4000, seed=3)
    mean = 1000.0 * math.gamma(1 + 1 / shape)
    assert drawn.mean() / (mean / 64) == pytest.approx(factor, rel=0.1)
    stated = find("reliability.aging.weibull_first_ratio").evaluate(N="64 gpu", beta=str(shape))[0].magnitude
    assert stated == pytest.approx(64 ** (1 - 1 / shape))


def test_interval_of_a_count_covers_as_often_as_stated():
    """Draw counts of a known mean; the 95 % interval must hold the mean 95 times in a hundred."""
    low, high = find("reliability.counts.lower_count"), find("reliability.counts.upper_count")
    for mean in (8.0, 40.0, 419.0):
        counts = Quantity(np.random.default_rng(7).poisson(mean, 4000).clip(1), "")
        ends = (end.evaluate(n=counts, z="1.96")[0].magnitude for end in (low, high))
        held = (next(ends) <= mean) & (mean <= next(ends))
        assert 0.945 < held.mean() < 0.985  # an exact interval holds too often, never too rarely


@pytest.mark.parametrize("spares", [0, 3, 9])
def test_spares_are_the_sum_of_the_probabilities_up_to_them(spares):
    none = math.exp(-4.0)
    single = [find("reliability.counts.exactly").evaluate(mu="4", k=str(k))[0].magnitude for k in range(1, spares + 1)]
    found = find("reliability.counts.spares_suffice").evaluate(mu="4", s=str(spares))[0].magnitude
    assert found == pytest.approx(none + sum(single), rel=1e-12)


# ---------------------------------------------------------------- checkpoints of a fleet


def test_stall_takes_the_place_of_the_write_in_the_exact_model():
    """What uploads in the background cost does not move the optimum: Daly's, with the stall."""
    rhs = fleet_checkpointing.async_optimum.rhs
    C, s, g, u = young_daly.C, fleet_checkpointing.s, fleet_checkpointing.g, fleet_checkpointing.u
    assert sympy.simplify(rhs - young_daly.optimum.rhs.subs(C, s + g * u)) == 0


def test_first_order_without_upload_is_that_of_young():
    f = fleet_checkpointing
    plain = f.async_waste.rhs.subs({f.u: 0, f.g: 0, f.d: 0, f.s: young_daly.C})
    assert sympy.simplify(plain - young_daly.waste_with_restart.rhs) == 0


@pytest.mark.parametrize("step", [1.0, 7.0, 300.0])
@pytest.mark.parametrize("write", [2.0, 240.0])
def test_best_whole_steps_by_trying(step, write):
    waste = find("fleet_checkpointing.snapped_waste")
    given = {"C": f"{write} s", "M": "4 h", "h": f"{step} s"}
    best = find("fleet_checkpointing.best_steps").evaluate(given)[0].magnitude
    costs = waste.evaluate(given, j=Quantity(np.arange(1, 4000), ""))[0].magnitude
    assert best == 1 + costs.argmin()


@pytest.mark.parametrize("slow", ["30 s", "2 min", "20 min"])
def test_best_whole_ratio_by_trying(slow):
    given = {"C_1": "10 s", "C_2": slow, "M_1": "2 h", "M_2": "30 h"}
    ratios = Quantity(np.arange(1, 400), "")
    costs = find("fleet_checkpointing.levels.two_level_product").evaluate(given, k=ratios)[0].magnitude
    assert find("fleet_checkpointing.levels.whole_ratio").evaluate(given)[0].magnitude == 1 + costs.argmin()


def test_seeded_error_in_a_reference_simulation_is_found():
    """A simulation that forgets the stall must not pass."""

    def forgetful(M, R, d, g, s, tau, u, *, runs, seed):
        return fleets.async_wastes(M, R, d, g, 0.0, tau, u, runs=runs, seed=seed)

    right = find("fleet_checkpointing.sim_async")
    assert right.passed
    assert not Simulation(right.formula, right.givens, forgetful, runs=400).passed


# ---------------------------------------------------------------- effective time


def test_shares_of_what_is_left_multiply_and_shares_of_the_whole_add():
    spent = {"t_p": "100 h", "t_s": "8 h", "t_l": "12 h", "t_d": "20 h"}
    share = {
        name: find(f"goodput.{name}").evaluate({k: spent[k] for k in symbols})[0].magnitude
        for name, symbols in {
            "up_share": ("t_p", "t_s", "t_l", "t_d"),
            "work_share": ("t_p", "t_s", "t_l"),
            "kept_share": ("t_p", "t_l"),
        }.items()
    }
    whole = find("goodput.goodput").evaluate(spent)[0].magnitude
    assert math.prod(share.values()) == pytest.approx(whole, rel=1e-15)
    assert sum(map(math.log, share.values())) == pytest.approx(math.log(whole), rel=1e-14)
    assert pytest.approx(whole, rel=1e-15) == 1 - (8 + 12 + 20) / 140


@pytest.mark.parametrize(("write", "overhead"), [("1 min", "5 min"), ("5 min", "10 min")])
def test_best_interval_of_the_ratio_by_trying(write, overhead):
    given = {"C": write, "M": "4 h", "o": overhead}
    ratio, best = find("goodput.ettr.ettr"), find("goodput.ettr.ettr_interval").at(given)
    around = [ratio.evaluate(given, tau=best * x)[0].magnitude for x in (0.95, 1, 1.05)]
    assert around[1] == max(around)
    assert find("goodput.ettr.ettr_best").evaluate(given)[0].magnitude == pytest.approx(around[1], rel=1e-12)


def test_closed_form_is_within_five_per_cent_of_the_clock():
    drawn = clocks.effective_ratios(C=120.0, M=14400.0, R=300.0, tau=1800.0, runs=200, seed=9)
    closed = find("goodput.ettr.ettr").evaluate(C="120 s", M="4 h", o="300 s", tau="30 min")[0].magnitude
    assert closed == pytest.approx(drawn.mean(), rel=0.05)


# ---------------------------------------------------------------- the price at the best interval


@pytest.mark.parametrize("write", ["0.5 s", "5 s", "35 s", "5 min"])
@pytest.mark.parametrize("mean", ["44 s", "44 min", "3.1 h"])
def test_waste_at_the_best_interval_is_that_of_the_exact_model(write, mean):
    best = find("young_daly.optimum").at(C=write, M=mean)
    around = [
        find("young_daly.exact_waste_free_restart").evaluate(tau=best * factor, C=write, M=mean)[0].magnitude
        for factor in (0.99, 1.0, 1.01)
    ]
    least = find("fleet_checkpointing.trillion.least_exact").evaluate(C=write, M=mean)[0].magnitude
    assert least == pytest.approx(around[1], rel=1e-9)
    assert least < min(around[0], around[2])
