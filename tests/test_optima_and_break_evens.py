"""Break-evens break even and limits are reached, as rows of `data/identities.csv`; simulations find seeded errors."""

import dataclasses

import pytest
from published import cases, fault
from sympy import Rational

from mathcore import find


@pytest.mark.parametrize("row", cases("identities"))
def test_formulas_agree_where_they_must(row):
    message = fault(row)
    assert not message, message


SEEDED = {
    "resilience.sim_bare": "1.15", "operations.spot.sim_spot": "1.03", "operations.spot.sim_storm": "1.05",
    "resilience.retention.sim_chain": "0.96", "resilience.retention.sim_load": "1.03",
    "resilience.retention.sim_bad": "1.2"
}  # fmt: skip


@pytest.mark.parametrize("address", SEEDED)
def test_simulation_finds_a_seeded_error(address):
    simulation = find(address)
    assert simulation.passed, f"{simulation.value} ± {simulation.error} against {simulation.exact}"
    wrong = dataclasses.replace(simulation.formula, rhs=simulation.formula.rhs * Rational(SEEDED[address]))
    assert not dataclasses.replace(simulation, formula=wrong).passed
