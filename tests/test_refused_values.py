"""Tests that invalid values are refused with their name, each written as an author might."""

import math

import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, DeclarationError, Fact, find
from mathcore.teaching import Calculation

SOURCED = {"meaning": "a time", "kind": "paper", "source": "daly2006", "date": "2006"}


@pytest.mark.parametrize(
    ("given", "code"),
    [("nan s", "not-a-number"), ("inf s", "not-a-number"), ("1e400 s", "not-finite"), ("1e309 s", "not-finite"),
     ("", "not-a-number"), ("s", "not-a-number"), ("about 9 min", "not-a-number"), ("9 mim", "unknown-unit"),
     (math.nan, "wrong-type"), (9.1, "wrong-type"), (None, "wrong-type")],
)  # fmt: skip
def test_fact_without_a_finite_number_is_refused_where_it_is_stated(given, code):
    with expect_error(DeclarationError, code=code):
        Fact(given, **SOURCED)


@pytest.mark.parametrize(
    ("written", "code"),
    [("1e308 * 10", "not-finite"), ("1e400[s]", "not-finite"), ("1e400 - 1e400", "not-finite"),
     ("(-4) ** 0.5", "not-real"), ("sqrt(-4[s])", "not-real"), ("1 / 0", "no-value"), ("log(-1)", "no-value"),
     ("1[s] + 1[B]", "dimension")],
)  # fmt: skip
def test_calculation_without_a_real_finite_value_is_refused(written, code):
    with expect_error(ArgumentError, code=code, place=False):
        Calculation(written).value  # noqa: B018  computing is the check


@pytest.mark.parametrize("written", ["(" * 5000 + "1" + ")" * 5000, "+".join(["1"] * 20000), "-" * 9000 + "1"])
def test_calculation_that_is_nested_too_deep_is_refused(written):
    with expect_error(DeclarationError, "is not understood", place=False):
        Calculation(written).value  # noqa: B018  computing is the check


@pytest.mark.parametrize("seed", ["x", 1.5, None, True])
def test_variant_that_is_no_integer_is_refused(seed):
    with expect_error(ArgumentError, code="not-integer", got=repr(seed)):
        find("young_daly.ex_interval").answer_of(seed)


@pytest.mark.parametrize("unit", ["1 gpu", "2 h", "gpuu"])
def test_rate_per_what_is_no_unit_is_refused_at_the_line_of_the_caller(unit):
    with expect_error(ArgumentError):
        find("hardware.h100_bf16").per(unit)
