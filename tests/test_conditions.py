"""Protects conditions: outside of `domain` nothing comes back, outside of `validity` no surface keeps silent."""

import numpy as np
import pytest
from error_assertions import expect_error, first_issue
from mathbook.formulas import render_validity_line
from mathbook.functions import function_entry

from mathcore import ArgumentError, Example, OutsideValidity, find
from mathcore.teaching import Exercise

LINK = {"n": "25 MB", "alpha": "2 us", "beta": "50 GB/s"}
SHORT = {"C": "3 h", "M": "1 h"}  # a write of three hours, and a failure each hour: √(2CM) is 2.4 h


@pytest.mark.parametrize("name", ["doubling", "halving_doubling", "ring_excess_time"])
def test_twelve_ranks_are_no_power_of_two(name):
    formula = find(f"collectives.{name}")
    given = {v.name: {**LINK, "p": "12"}[v.name] for v in formula.inputs}
    with expect_error(ArgumentError, code="outside-domain", expected="log₂(p)", got="p = 12.0"):
        formula.at(given)
    assert formula.evaluate({**given, "p": "16"})[0].magnitude > 0


@pytest.mark.parametrize("power", range(20))
def test_every_power_of_two_is_one(power):
    assert find("collectives.doubling").evaluate(p=str(2**power), **LINK)[0].magnitude >= 0


def test_trees_take_whole_rounds():
    """With twelve ranks four rounds up and four down, not 3.58."""
    tree = find("collectives.tree")
    pair = tree.at(p="2", **LINK)  # one round up, one down
    rounds = [tree.at(p=str(p), **LINK) / pair for p in (9, 12, 16, 17)]
    assert [round(float(r.magnitude), 9) for r in rounds] == [4, 4, 4, 5]


def test_array_with_one_bad_element_is_refused():
    with expect_error(ArgumentError, code="outside-domain", expected="log₂(p)", got="p = 12.0"):
        find("collectives.doubling").compiled(2e-6, 50e9, 25e6, np.array([8.0, 12.0, 16.0]))


def test_machines_that_do_not_divide_into_groups_are_refused():
    with expect_error(ArgumentError, code="outside-domain", expected="n_m is a multiple of r"):
        find("fleet_checkpointing.replicas.groups_hold").at(n_m="16", r="3", f="3")


@pytest.mark.parametrize("lost", [4, 5])
def test_bound_is_not_taken_for_the_probability(lost):
    with pytest.warns(OutsideValidity, match="outside f < 2 · r: this is a lower bound"):
        find("fleet_checkpointing.replicas.groups_hold").at(n_m="16", r="2", f=str(lost))


def test_interval_below_one_write_warns():
    with pytest.warns(OutsideValidity, match="young_daly.interval: outside C ≤ M / 25"):
        found = find("young_daly.interval").at(SHORT)
    assert found.m_as("h") < 3


def test_pages_say_symbols_as_they_print_them_and_python_as_it_takes_them():
    waste = find("young_daly.waste")
    [(relation, _)] = waste.validity
    assert waste.condition_text(relation) == "C + tau ≤ M / 6"
    assert "Outside C + τ ≤ M / 6: " in function_entry(waste)


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("young_daly.interval", r"Valid for C \le \frac{M}{25}."),
        ("collectives.buckets", r"Valid if D is a multiple of n."),
        ("collectives.bucket_needed", ""),
    ],
)
def test_line_of_validity_reads_as_a_sentence(address, line):
    assert "".join(node.astext() for node in render_validity_line(find(address))) == line


def test_example_beyond_says_so():
    example = Example(find("young_daly.interval"), SHORT)
    assert list(example.issues()) == [] and "longer than the exact optimum" in example.validity_warnings[0]
    assert Example(find("young_daly.interval"), {"C": "4 min", "M": "8 h"}).validity_warnings == []


def test_variant_outside_the_validity_is_an_issue():
    chapter = find("young_daly.interval")
    C, M = chapter.inputs
    stated = {"title": "Beyond", "mistakes": {"one": C + M, "two": 3 * C}}
    message = first_issue(Exercise, chapter, {C: "4 min", M: "8 h"}, variants={C: ("3 h",)}, **stated)
    assert "outside C ≤ M / 25" in message and "the stated numbers give none" in message
    assert "outside" not in first_issue(Exercise, chapter, {C: "1 h", M: "8 h"}, **stated)


# ---------------------------------------------------------------- the bounds themselves


def ratio_at(formula, exact, parts):
    """Return a first-order value over the exact one where the MTBF is `parts` writes long."""
    given = {"C": "1 min", "M": f"{parts} min"}
    rough, true = (find(name).evaluate(at)[0] for name, at in ((formula, given), exact(given)))
    return float((rough / true).to("").magnitude)


def exact_interval(given):
    return "young_daly.optimum", given


def exact_least(given):
    best = find("young_daly.optimum").at(given)
    return "young_daly.exact_waste_free_restart", {**given, "tau": best}


@pytest.mark.parametrize(
    ("formula", "exact", "parts", "off"),
    [
        ("young_daly.interval", exact_interval, 25, 1.10),
        ("young_daly.waste_at_optimum", exact_least, 80, 1 / 1.11),
        ("young_daly.interval_less_write", exact_interval, 9, 0.90),
        ("young_daly.daly_series", exact_interval, 0.5, 0.94),
    ],
)
def test_first_order_error_at_the_bound_is_the_stated_one(formula, exact, parts, off):
    at, before = (abs(ratio_at(formula, exact, p) - 1) for p in (parts, 2 * parts))
    assert at == pytest.approx(abs(off - 1), rel=0.06) and before < at


def test_first_order_sum_is_low_by_a_twentieth_everywhere_beyond():
    """The bound C + τ ≤ M/6: outside at least 5 % are missing, whatever the write."""
    writes = np.geomspace(1e-3, 1, 60) * 3600
    work = np.geomspace(1e-3, 3, 60)[:, None] * 3600
    given = {"C": (writes + 0 * work).ravel(), "tau": (work + 0 * writes).ravel()}
    beyond = given["C"] + given["tau"] > 600
    arrays = [np.maximum(given[name][beyond], 0.1 if name == "C" else 1) for name in ("C", "tau")]
    rough = find("young_daly.waste").compiled(arrays[0], 3600.0, arrays[1])
    exact = find("young_daly.exact_waste_free_restart").compiled(arrays[0], 3600.0, arrays[1])
    assert (rough / exact).max() < 0.95
