"""Holds intervals and replicas to searches and counts that know no formula, at the inputs of the papers."""

import itertools
import math

import pytest
from scipy.optimize import minimize_scalar

from mathcore import OutsideValidity, find

CONVENTIONS = "fleet_checkpointing.conventions"


def least(cost, high, low=0.1):
    """Return the argument for which a function with one minimum is smallest."""
    return minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-9 * high}).x


@pytest.mark.parametrize("mtbf", [1440, 360, 15])
def test_search_without_a_formula_finds_dalys_exact_optimum(mtbf):
    """The three cases of Daly (2006) in minutes; his equation for the expected time, R = 10 min, T_s = 500 h."""
    best = least(lambda tau: mtbf * math.exp(10 / mtbf) * math.expm1((tau + 5) / mtbf) * 500 * 60 / tau, 10 * mtbf)
    found = find("young_daly.optimum").at(C="5 min", M=f"{mtbf} min")
    assert found.m_as("min") == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("mtbf", [7200, 21600, 172800])
@pytest.mark.parametrize(
    ("name", "period"),
    [
        ("young", lambda mtbf: math.sqrt(2 * 300 * mtbf) + 300),
        ("herault", lambda mtbf: math.sqrt(2 * 300 * (mtbf - 720))),
        ("availability", lambda mtbf: math.sqrt(2 * 300 * mtbf + 300**2) + 300),
    ],
    ids=["Young", "Hérault and Robert", "Saxena et al."],
)
def test_rules_over_the_exact_period_are_over_the_one_that_takes_least(name, period, mtbf):
    """The least of M·(e^((τ + C)/M) − 1)/τ, the time for each unit of work."""
    best = least(lambda work: math.expm1((work + 300) / mtbf) / work, mtbf, 60)
    given = {"C": "5 min", "M": f"{mtbf} s", "d": "2 min", "R": "10 min"}
    formula = find(f"{CONVENTIONS}.{name}_over_exact")
    found = formula.at(**{v.name: given[v.name] for v in formula.inputs}).magnitude
    assert found == pytest.approx(period(mtbf) / (best + 300), rel=1e-4)


# --- replicas in memory, GEMINI -----------------------------------------------------------


def survivors(machines, size, lost):
    """Count by trying all: the share of losses that leave a machine in every group."""
    groups = [set(range(first, first + size)) for first in range(0, machines, size)]
    ways = list(itertools.combinations(range(machines), lost))
    return sum(not any(group <= set(way) for group in groups) for way in ways) / len(ways)


@pytest.mark.parametrize(("machines", "lost"), [(8, 1), (8, 3), (8, 5), (12, 4), (16, 4)])
def test_pairs_by_trying_all(machines, lost):
    found = find("fleet_checkpointing.replicas.pairs_hold").at(n_m=machines, f=lost).m_as("")
    assert found == pytest.approx(survivors(machines, 2, lost), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("machines", "size", "lost"), [(12, 3, 3), (12, 3, 5), (12, 4, 6), (16, 2, 3)])
def test_groups_are_exact_below_two_groups(machines, size, lost):
    found = find("fleet_checkpointing.replicas.groups_hold").at(n_m=machines, r=size, f=lost).m_as("")
    assert found == pytest.approx(survivors(machines, size, lost), rel=1e-12)


@pytest.mark.parametrize(("machines", "size", "lost"), [(16, 2, 4), (16, 2, 5), (12, 3, 6)])
def test_groups_are_a_lower_bound_beyond(machines, size, lost):
    with pytest.warns(OutsideValidity, match="lower bound"):
        held = find("fleet_checkpointing.replicas.groups_hold").at(n_m=machines, r=size, f=lost)
    assert held.m_as("") < survivors(machines, size, lost)
