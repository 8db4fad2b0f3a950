"""Holds hours, cost and utilisation to the DeepSeek-V3 technical report."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("deepseek")


def mfu(given):
    symbols = {"N": given["P"], "D": f"{given['T']} token", "H": f"{given['h']} gpu h"}
    return find("training.mfu_of_hours").at(**symbols, P=f"{given['F']} FLOP/s/gpu").m_as("percent")


def test_cost_of_the_training():
    given = PUBLISHED.numbers("ds3-cost")
    found = find("training.cost").at(H=f"{given['h']} gpu h", c=f"{given['p']} USD/(gpu h)")
    require(PUBLISHED["ds3-cost"], found.m_as("USD") / 1e6)


def test_hours_for_each_trillion_tokens():
    given = PUBLISHED.numbers("ds3-per-T")
    found = find("training.hours_of_tokens").at(q=f"{given['a']} gpu h/Ttoken", D=f"{given['T']} Ttoken")
    require(PUBLISHED["ds3-per-T"], found.m_as("gpu h") / 1e6)


@pytest.mark.parametrize("name", ["ds3-mfu-fp8-sxm", "ds3-mfu-bf16"])
def test_mfu_of_either_peak(name):
    require(PUBLISHED[name], mfu(PUBLISHED.numbers(name)))


def test_three_parts_make_the_hours():
    assert find("models.deepseek_v3_all_hours").value.m_as("gpu h") == 2664e3 + 119e3 + 5e3


def test_peak_of_the_card_gives_a_third_number():
    """1,513 TFLOP/s is the FP8 peak of the PCIe card: with it the same run has 22.6 %, not 17.3 %."""
    assert mfu(PUBLISHED.numbers("ds3-mfu-fp8-sxm") | {"F": 1513e12}) == pytest.approx(22.6, abs=0.1)


def test_total_parameters_are_found():
    """671 billion parameters are stored; 37 billion work on a token."""
    refuse(PUBLISHED["ds3-mfu-bf16"], mfu(PUBLISHED.numbers("ds3-mfu-bf16") | {"P": 671e9}))
