"""Holds the optimum to the three cases that Daly (2006) printed, and to a search that knows no formula."""

import math

import pytest
from published import entries, require
from scipy.optimize import minimize_scalar

from mathcore import find

PUBLISHED = entries("daly")
CASES = ["ckpt-daly-fig3", "ckpt-daly-fig4", "ckpt-daly-fig5"]
RULES = {"Young": "interval", "Young less the write": "interval_less_write", "Daly": "daly", "exact": "optimum"}


def given(name):
    delta, mtbf = (PUBLISHED[name]["inputs"][key] for key in ("delta", "M"))
    return {"C": f"{delta[0]} {delta[1]}", "M": f"{mtbf[0]} {mtbf[1]}"}


def minutes(rule, name):
    return find(f"young_daly.{RULES[rule]}").at(**given(name)).m_as("min")


@pytest.mark.parametrize("name", CASES)
def test_estimate_is_the_printed_one(name):
    require(PUBLISHED[name], minutes("Daly", name))


@pytest.mark.parametrize("name", ["ckpt-daly-exact-24h", "ckpt-daly-exact-6h"])
def test_exact_optimum_rounds_to_the_printed_one(name):
    require(PUBLISHED[name], minutes("exact", name))


def test_facts_of_the_chapter_are_those_of_the_paper():
    for name, fact in zip(CASES, ("day", "shift", "quarter"), strict=True):
        printed = find(f"young_daly.daly_printed_{fact}").value
        assert (printed.magnitude, f"{printed.units}") == (PUBLISHED[name]["expected"], PUBLISHED[name]["unit"])
        assert find(f"young_daly.daly_mtbf_{fact}").value.m_as("min") == PUBLISHED[name]["inputs"]["M"][0]
    assert find("young_daly.daly_dump").value.m_as("min") == PUBLISHED[CASES[0]]["inputs"]["delta"][0]


def test_short_time_between_failures_distinguishes_the_four_rules():
    # by a pocket calculator: √150, √150 − 5, the three terms, and bisection of (1 − x)·exp(x + 1/3) = 1
    found = [round(minutes(rule, CASES[2]), 2) for rule in RULES]
    assert found == [12.25, 7.25, 9.14, 9.17]


@pytest.mark.parametrize("rule", ["Young", "Young less the write"])
def test_wrong_rule_is_found(rule):
    with pytest.raises(AssertionError, match=r"ckpt-daly-fig5: computed .* published == 9\.1 min"):
        require(PUBLISHED[CASES[2]], minutes(rule, CASES[2]))


@pytest.mark.parametrize("name", CASES)
def test_search_without_a_formula_finds_the_exact_optimum(name):
    delta, mtbf = (PUBLISHED[name]["inputs"][key][0] for key in ("delta", "M"))

    def wall_clock(tau):  # Daly's equation for the expected time, R = 10 min, T_s = 500 h, written out here
        return mtbf * math.exp(10 / mtbf) * math.expm1((tau + delta) / mtbf) * 500 * 60 / tau

    best = minimize_scalar(wall_clock, bounds=(0.1, 10 * mtbf), method="bounded", options={"xatol": 1e-9}).x
    assert minutes("exact", name) == pytest.approx(best, rel=1e-6)


def test_expected_time_is_that_of_the_equation_written_out():
    for name in CASES:
        mtbf = PUBLISHED[name]["inputs"]["M"][0]
        hours = mtbf * math.exp(10 / mtbf) * math.expm1((60 + 5) / mtbf) * 500 / 60
        found = find("young_daly.completion_time").at(**given(name), R="10 min", T_s="500 h", tau="1 h")
        assert found.m_as("h") == pytest.approx(hours, rel=1e-12)
