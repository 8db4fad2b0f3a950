"""Holds the serving chapters to limits, plain searches and seeded errors."""

import math
from itertools import pairwise

import pytest

from mathcore import ArgumentError, Formula, find, quantity
from mathcore.chapters.serving import queues as serving_queues
from mathcore.chapters.serving import speculation
from mathcore.chapters.serving import tails as serving_tails
from mathcore.monte_carlo import Simulation

MACHINE = {"w": "2 B", "N": "70e9", "P": "989.4 TFLOP/s/gpu", "beta": "3350 GB/s/gpu"}
MODEL = {"w": "2 B", "N": "70e9", "M": "80 GB/gpu"}
TRAFFIC = {"kappa": "327.68 kB/token", "S": "4096 token"}


def step(batch, devices):
    return find("serving.step").at(**MACHINE, **TRAFFIC, B=batch, n=f"{devices} gpu")


def room(devices):
    return find("serving.requests").evaluate(**MODEL, **TRAFFIC, n=f"{devices} gpu")[0].magnitude


def test_no_room_without_memory():
    """The reference page times a model of 140 GB on a device of 80 GB: there is no such time."""
    with pytest.raises(ArgumentError, match="holds only for"):
        room(1)
    assert room(2) >= 1 and step(1, 2).m_as("ms") == pytest.approx(21.1, abs=0.1)


def test_largest_batch_fits_and_one_more_does_not():
    needed = [find("serving.memory").at(w="2 B", N="70e9", **TRAFFIC, B=room(4) + more) for more in (0, 1)]
    assert needed[0].m_as("GB") <= 4 * 80 < needed[1].m_as("GB")


def test_devices_are_enough_and_one_less_is_not():
    given = {"w": "2 B", "N": "70e9", **TRAFFIC, "B": "100", "M": "80 GB/gpu"}
    least = int(find("serving.devices").at(**given).m_as("gpu"))
    assert room(least) >= 100 > room(least - 1)


def test_throughput_grows_but_less_and_less():
    rates = [
        find("serving.rate_memory").at(w="2 B", N="70e9", **TRAFFIC, B=b, n="8 gpu", beta=MACHINE["beta"])
        for b in (1, 2, 4, 8, 16, 32, 64)
    ]
    rates = [rate.m_as("token/s") for rate in rates]
    gains = [after / before for before, after in pairwise(rates)]
    assert all(1 < later < earlier < 2 for earlier, later in pairwise(gains))


def gain(alpha, drafts, cost):
    return find("serving.speculation.speedup").evaluate(alpha=alpha, gam=drafts, c_d=cost)[0].magnitude


@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("cost", [0.01, 0.05, 0.1, 0.3])
def test_best_number_of_drafts_by_its_neighbours(alpha, cost):
    """The first number after which one more does not help is the best of all."""
    following = find("serving.speculation.next_draft")
    best = next(g for g in range(1, 50) if following.evaluate(alpha=alpha, gam=g, c_d=cost)[0].magnitude <= 1)
    assert gain(alpha, best, cost) == max(gain(alpha, g, cost) for g in range(1, 50))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("simulation", "symbol"),
    [
        (serving_queues.uneven_services, serving_queues.t_q),
        (serving_queues.shared_machine, serving_queues.B),
        (speculation.three_drafts, speculation.E),
    ],
    ids=("queue", "machine", "drafts"),
)
def test_seeded_error_is_caught(simulation, symbol):
    wrong = Formula(symbol, simulation.formula.rhs * 105 / 100, domain=simulation.formula.domain)
    again = Simulation(wrong, simulation.givens, simulation.simulate, runs=simulation.runs, options=simulation.options)
    assert not again.passed


def test_batch_without_the_request_itself_is_caught():
    """Without the newcomer itself, as often printed, the formula gives half where little is to do."""
    lam, g, t_a, t_b = serving_queues.lam, serving_queues.g, serving_queues.t_a, serving_queues.t_b
    fluid = Formula(serving_queues.B, lam * g * t_a / (serving_queues.token - lam * g * t_b))
    lonely = serving_queues.lonely_machine
    assert not Simulation(fluid, lonely.givens, lonely.simulate, runs=lonely.runs).passed


def waiting(load, machines):
    return find("serving.tails.erlang_c").evaluate(a=load, m=machines)[0].magnitude


@pytest.mark.parametrize(("load", "machines"), [(0.5, 1), (2.5, 4), (24.6, 28), (160, 170)])
def test_erlang_by_the_sum_over_the_states(load, machines):
    weights = [math.exp(k * math.log(load) - math.lgamma(k + 1) - load) for k in range(machines + 1)]
    busy = weights[machines] * machines / (machines - load)
    assert waiting(load, machines) == pytest.approx(busy / (math.fsum(weights[:machines]) + busy), rel=1e-9)


def test_pool_is_better_than_its_parts():
    """Four times the machines under four times the load: fewer wait, and fewer wait long."""
    shares = [waiting(0.8 * machines, machines) for machines in (1, 4, 16, 64)]
    assert all(more < fewer for fewer, more in pairwise(shares))
    given = {"a": "12", "m": "16", "t_s": "1 s", "t_z": "1 s"}
    assert find("serving.tails.late_for_many").at(**given) < find("serving.tails.late_for_one").at(**given) / 10


def test_conversations_of_the_even_length_lose_in_no_batch():
    given = {"alpha": 0.8, "gam": 4, "c_d": 0.05, "N": 70e9, "kappa": "320 kB/token"}
    given |= {"beta": "3000 GB/s/gpu", "P": "1000 TFLOP/s/gpu"}
    even = find("serving.speculation.even_length").at(**given)
    critical = 1000 / 3  # of this chip, with weights of two bytes

    def gain(length, batch):
        return (
            find("serving.speculation.speedup_cache")
            .evaluate(**given, w="2 B", S=length, B=quantity(batch))[0]
            .magnitude
        )

    assert gain(even, critical * (1 - 1e-12)) == pytest.approx(1, rel=1e-9)
    assert all(gain(even * 1.01, batch) > 1 for batch in range(1, 334))
    assert gain(even * 0.9, 333) < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pool_of_four", "straying"])
def test_seeded_error_in_tails_is_caught(name):
    simulation = getattr(serving_tails, name)
    wrong = Formula(simulation.formula.lhs, simulation.formula.rhs * 105 / 100, domain=simulation.formula.domain)
    again = Simulation(wrong, simulation.givens, simulation.simulate, runs=simulation.runs, options=simulation.options)
    assert simulation.passed and not again.passed
