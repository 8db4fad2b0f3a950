"""Holds the speed-up of speculative decoding to Leviathan, Kalman and Matias, Table 4."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("leviathan")


def speedup(given, name="speedup"):
    symbols = {"alpha": given["a"], "gam": given["g"], "c_d": given["c"]}
    return find(f"serving.speculation.{name}").evaluate(**symbols)[0].magnitude


@pytest.mark.parametrize("name", PUBLISHED)
def test_expected_speedup(name):
    require(PUBLISHED[name], speedup(PUBLISHED.numbers(name)))


def test_measured_speedup_of_the_large_draft_model_is_lower():
    """Limit of the model: 2.5 expected, 1.7 measured; acceptance is not alike everywhere."""
    assert (
        find("serving.speculation.large").value.magnitude
        > 1.4 * find("serving.speculation.large_measured").value.magnitude
    )


def test_measured_speedup_of_the_small_draft_model_is_higher():
    """And the other way round: 3.2 expected, 3.4 measured."""
    assert (
        find("serving.speculation.small").value.magnitude < find("serving.speculation.small_measured").value.magnitude
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_drafts_of_the_paper_are_nearly_the_best(name):
    """No other whole number gains more than four per cent."""
    given = PUBLISHED.numbers(name)
    best = max(speedup(given | {"g": drafts}) for drafts in range(1, 40))
    assert speedup(given) > best / 1.04


def test_forgotten_own_token_is_found():
    name = "spec-ende-small-t1"
    given = PUBLISHED.numbers(name)
    wrong = speedup(given) - 1 / (given["g"] * given["c"] + 1)
    refuse(PUBLISHED[name], wrong)
