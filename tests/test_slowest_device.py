"""Compares the formulas for the slowest device and the fullest expert with drawn numbers."""

import math

import pytest

from mathcore import find
from mathcore.chapters.parallelism.simulation import dropped_shares, expert_loads
from mathcore.chapters.speedup.simulation import slowest_of_exponential, slowest_of_gumbel, slowest_of_normal


def standard_error(values):
    return values.std(ddof=1) / math.sqrt(len(values))


@pytest.mark.parametrize("devices", [2, 16, 1024])
def test_normal_bound_is_above_and_close(devices):
    drawn = slowest_of_normal(10.0, 0.2, devices, runs=2000, seed=2)
    bound = find("speedup.slowest_normal").at(mu="10 s", sigma="0.2 s", N=str(devices)).m_as("s")
    assert drawn.mean() + 4 * standard_error(drawn) < bound
    assert (bound - 10) / (drawn.mean() - 10) < (2.2 if devices == 2 else 1.35)


@pytest.mark.parametrize("devices", [1, 2, 8, 512])
def test_waiting_follows_from_spread(devices):
    """Draw from Gumbel's law with a spread of 3 %, and wait for the last."""
    scale = find("speedup.gumbel_scale").at(sigma="0.3 s").m_as("s")
    drawn = slowest_of_gumbel(10.0, scale, devices, runs=4000, seed=3)
    stated = find("speedup.straggler_wait").at(v="3 %", t_c="10 s", N=str(devices)).m_as("s")
    assert abs(drawn.mean() - 10 - stated) < 4 * standard_error(drawn)
    if devices == 1:
        assert drawn.std(ddof=1) == pytest.approx(0.3, rel=0.05)


def test_wrong_law_is_found():
    """Exponential delays of the same scale are off by Euler's constant."""
    drawn = slowest_of_exponential(10.0, 0.2, 256, runs=4000, seed=4)
    gumbel = find("speedup.slowest_gumbel").at(mu="10 s", theta="0.2 s", N="256").m_as("s")
    assert abs(drawn.mean() - gumbel) > 4 * standard_error(drawn)


def inputs(**values):
    return {name: str(value) for name, value in values.items()}


def test_loads_spread_as_stated():
    loads = expert_loads(1024, 16, 2, runs=400, seed=5)
    mean = find("parallelism.experts.load_mean").evaluate(inputs(n=1024, E=16, k=2))[0].magnitude
    assert loads.sum(axis=1).tolist() == [2048] * 400
    assert loads.mean() == mean
    spread = find("parallelism.experts.load_spread").evaluate(inputs(lam=mean, E=16, k=2))[0].magnitude
    assert loads.std() == pytest.approx(spread, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("tokens", "experts"), [(16384, 64), (4096, 16)])
def test_the_fullest_expert_is_below_and_near_its_bound(tokens, experts):
    loads = expert_loads(tokens, experts, 2, runs=400, seed=7)
    mean = 2 * tokens / experts
    drawn = loads.max(axis=1) / mean
    bound = find("parallelism.experts.largest_load").evaluate(inputs(lam=mean, E=experts, k=2))[0].magnitude
    assert drawn.mean() + 4 * standard_error(drawn) < bound
    assert (bound - 1) / (drawn.mean() - 1) < 1.35


@pytest.mark.parametrize("factor", [1.0, 1.05, 1.1])
def test_dropped_share_is_near_the_normal_tail(factor):
    """The normal law is an approximation: 4 % off at a factor of 1.1 and a mean load of 256."""
    drawn = dropped_shares(1024, 8, 2, factor, runs=2000, seed=6)
    stated = find("parallelism.experts.dropped_of_tokens").evaluate(inputs(n=1024, E=8, k=2, c=factor))[0].magnitude
    assert abs(drawn.mean() - stated) < 4 * standard_error(drawn) + 0.04 * stated


def test_seeded_error_in_the_tail_is_found():
    drawn = dropped_shares(1024, 8, 2, 1.1, runs=2000, seed=6)
    wrong = find("parallelism.experts.dropped_of_tokens").evaluate(inputs(n=1024, E=8, k=1, c=1.1))[0].magnitude
    assert abs(drawn.mean() - wrong) > 4 * standard_error(drawn) + 0.04 * wrong
