"""Tests worked examples: computed, compared with numbers from elsewhere, shown with substituted numbers."""

import pytest
from error_assertions import expect_error, first_issue
from sample_formulas import C, M, N, cluster, interval, m, tau, waste

from mathcore import ArgumentError, Example, Fact, Formula, Variable, quantity
from mathcore.examples import substituted_latex, substituted_text

GIVEN = {C: "4 min", M: "8 h"}
write = Fact("4 min", "write", kind="paper", source="daly2006", date="2006")


def test_value_is_computed_in_the_unit_of_the_page():
    assert f"{Example(interval, GIVEN).value:.4f~}" == "61.9677 min"


@pytest.mark.parametrize(
    ("expect", "rtol"), [("61.97 min", 0.001), ("3718 s", 0.001), ("1.03 h", 0.01), ("62 min", 0.001)]
)
def test_expectation_in_any_unit_may_be_near(expect, rtol):
    assert Example(interval, GIVEN, expect=expect, rtol=rtol).ratio == pytest.approx(1, abs=rtol)


@pytest.mark.parametrize("expect", ["60 min", "0 min"])
def test_expectation_that_is_farther_off_is_stale(expect):
    message = first_issue(Example, interval, GIVEN, expect=expect)
    assert "stale:" in message and "gives 62.0\u202fmin" in message and "is wrong" in message


def test_tolerance_of_zero_still_allows_for_rounding():
    third = Formula(tau, C / 3)
    assert Example(third, {C: "0.3 h"}, expect="0.1 h", rtol=0, unit="h").ratio == pytest.approx(1, abs=1e-15)


def test_close_expectation_is_printed_with_more_digits():
    message = first_issue(Example, interval, GIVEN, expect="61.8 min")
    assert "gives 61.96773\u202fmin, but 61.80000\u202fmin was expected" in message


@pytest.mark.parametrize(
    ("givens", "words"),
    [
        ({C: "4 min"}, ("also needs M",)),
        ({**GIVEN, tau: "3 s"}, ("sample_formulas.interval has no argument `tau`",)),
        ({C: "4 min", M: "8 GB"}, ("M (time between failures)", "'GB' (information)")),
        ({C: "4 min", M: "-8 h"}, ("M (time between failures)", "−8.00\u202fh")),
        ({C: "4 min", M: "eight"}, ("M (time between failures) is `eight`",)),
    ],
)
def test_givens_that_may_not_enter_are_refused(givens, words):
    with expect_error(ArgumentError, *words):
        Example(interval, givens).value  # noqa: B018  computing is the check
    message = first_issue(Example, interval, givens)
    assert all(word in message for word in words)


def test_unit_of_display_must_fit():
    assert "shown in `GB`" in first_issue(Example, interval, GIVEN, unit="GB")
    with expect_error(ArgumentError, "shown in `GB`", code="dimension", expected="information"):
        Example(interval, GIVEN, unit="GB").value  # noqa: B018  computing is the check


def test_example_remembers_which_givens_are_facts():
    example = Example(interval, {C: write, M: "8 h"})
    assert example.facts == {C: write} and example.givens[C].m_as("s") == 240


def test_example_may_rest_on_another():
    mtbf = Example(cluster, {m: "50000 gpu h", N: "16384 gpu"}, unit="h")
    assert Example(interval, {C: "2 min", M: mtbf}).value.m_as("min") == pytest.approx(27.0633, rel=1e-5)


def test_text_and_latex_show_the_numbers():
    example = Example(waste, {tau: "30 min", **GIVEN}, unit="%")
    assert (example.text(), example.text("", 2)) == ("16.5\u202f%", "0.16")
    lines = example.latex().split("\n")
    assert lines[1] == r"w &= \frac{C}{\tau} + \frac{\tau}{2 M}"
    assert r"\frac{4\,\mathrm{min}}{30\,\mathrm{min}}" in lines[2] and r"8\,\mathrm{h}" in lines[2]
    assert lines[3] == r"\\ &= 16.5\,\mathrm{\%}"


def test_stale_example_names_the_fact_that_may_have_changed():
    message = first_issue(Example, interval, {C: write, M: "8 h"}, expect="70 min")
    assert "given C from " in message and "= 4\u202fmin" in message


def test_quantity_under_a_power_stands_in_parentheses():
    # 30 min² would be 30 square minutes
    d = Variable("d", "s", "duration")
    squared = Formula(Variable("q", "s**2", "its square"), d**2)
    given = {d: quantity("30 min")}
    assert r"\left(30\,\mathrm{min}\right)^{2}" in substituted_latex(squared, given, quantity("900 min**2"))
    assert substituted_text(squared, given, "…") == "(30\u202fmin)² = …"
