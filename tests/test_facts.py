"""Protects facts: no number from outside without its source, its date, and how far it was traced."""

import dataclasses

import pytest
from refusals import refused

from mathcore import ArgumentError, DeclarationError, Fact

STATED = {"given": "9.1 min", "meaning": "optimum", "kind": "paper", "source": "daly2006", "date": "2006"}


@pytest.mark.parametrize("field", ["meaning", "source", "date"])
def test_fact_that_nobody_could_look_up_is_refused(field):
    with refused(DeclarationError, f"the fact `9.1 min` has no {field}", "nobody could look it up"):
        Fact(**{**STATED, field: " "})


@pytest.mark.parametrize(("field", "value"), [("kind", "rumour"), ("kind", ""), ("certainty", "surely")])
def test_unknown_kind_or_certainty_is_refused_with_those_that_are_known(field, value):
    with refused(
        DeclarationError, f"{field} `{value}` of `optimum`", "paper" if field == "kind" else "secondary"
    ):
        Fact(**{**STATED, field: value})


@pytest.mark.parametrize("given", ["9.1 mim", "about 9 min", "nan min"])
def test_value_that_is_no_quantity_is_refused(given):
    with refused(ArgumentError):
        Fact(**{**STATED, "given": given})


def test_value_keeps_the_unit_of_the_source():
    assert f"{Fact(**STATED).value:~}" == "9.1 min"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("9.1 min", "9.1\u202fmin"), ("117 min", "117\u202fmin"), ("200 gpu h", "200\u202fgpu·h"),
        ("6.90 %", "6.90\u202f%"), ("419", "419"), ("0.50 s", "0.50\u202fs"),
        ("10000000 USD", "10\u202f000\u202f000\u202fUSD"),
    ],
)  # fmt: skip
def test_text_keeps_the_digits_of_the_source(given, text):
    assert Fact(**{**STATED, "given": given}).text() == text


def test_converted_fact_is_rounded_as_any_number():
    assert Fact(**STATED).text("s") == "546\u202fs"


def test_fact_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Fact(**STATED).given = "9.2 min"
