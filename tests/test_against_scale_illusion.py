"""Holds speedup to the lab "The Scale Illusion", and shows where the lab's numbers come from."""

import pytest

from mathcore import find


def value(name, unit):
    return find(f"speedup.{name}").value.m_as(unit)


def test_71_years_need_the_sparse_peak():
    """The lab's 1,979 TFLOP/s is with sparsity; at the dense peak one device needs 141 years."""
    assert value("lab_single", "year") == pytest.approx(71, rel=0.01)
    assert value("lab_single_dense", "year") == pytest.approx(2 * value("lab_single", "year"), rel=0.001)


def test_26_days_are_71_years_over_a_thousand():
    assert value("lab_perfect", "d") == pytest.approx(value("lab_single", "d") / 1000, rel=1e-12)


def test_hope_of_the_cfo_is_within_reach_of_the_lab():
    """0.45 years need a speedup of 157; the lab's own sliders give 320 and finish in half of that time."""
    assert value("lab_needed", "") < value("lab_gain", "")
    assert value("lab_time", "year") < find("speedup.lab_hope").value.m_as("year") / 2


def test_two_constants_cannot_get_worse_with_size():
    """Limit of the lab's model: its efficiency does not know how many devices there are."""
    assert {v.name for v in find("speedup.lab_scaling").inputs} == {"C", "E"}
    model = find("speedup.efficiency_of_batch")
    given = {"B": "4 Mtoken", "R": "400 TFLOP/s", "beta": "50 GB/s", "g": "3 FLOP/token/B"}
    falling = [model.evaluate(**given, omega="50 %", v="2 %", N=str(n))[0].magnitude for n in (1, 16, 256, 1024, 8192)]
    assert falling[0] == 1
    assert falling == sorted(falling, reverse=True)


def test_175_seconds_of_the_lab_are_14_on_the_port_it_names():
    """The lab took 400 Gbit/s for 400 GB/s: a factor of eight."""
    printed = find("collectives.lab_as_printed").value.m_as("s")
    real = find("collectives.lab_with_port").value.m_as("s")
    assert printed == pytest.approx(1.75, rel=0.002)
    assert real == pytest.approx(8 * printed, rel=1e-12)


def test_lab_volume_is_what_each_rank_sends():
    assert find("collectives.lab_sent").value.m_as("GB") == pytest.approx(700, rel=0.001)


def test_seeded_error_is_found():
    wrong = find("speedup.training_time").at(F="2.2e24 FLOP", P="1979 TFLOP/s", U="100 %", S="1000")
    assert wrong.m_as("d") != pytest.approx(26, rel=0.011)
