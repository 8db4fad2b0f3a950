"""Protects every statement of every chapter: one case for each, named by its address."""

import json
import math
import re

import pytest
from statements import cases, chapter, later

from mathcore import Derivation, Example, Fact, Formula, Quantity, Variable, find, library, units
from mathcore.simulations.twins import Simulation
from mathcore.teaching import Exercise, Explorer
from mathcore.errors import ROOT
from mathcore.units import natural_unit
from mathcore.verification import VERDICTS, known_citations
from mathcore.examples import ROUNDING

CITED = known_citations()
WORDS = re.compile(r"\w{2}")


@pytest.mark.parametrize("name", library.book.names())
def test_chapter_loads_and_says_what_it_asks(name):
    assert list(library.book.entities(name))
    head = library._module(name).__doc__.splitlines()[0]
    assert head.endswith((".", "?")) and (ROOT / "mathcore" / "chapters" / f"{name}.py").exists()


LIGHT = {}  # what is checked of other chapters in the fast set too


@pytest.mark.parametrize("name", library.book.names())
def test_letters_facts_and_examples_of_chapter(name):
    for _, statement in chapter(name):
        LIGHT.get(type(statement), lambda _: None)(statement)


@pytest.mark.parametrize("letter", cases(Variable, slow=later))
def test_letter_is_complete(letter):
    assert letter.meaning.strip() and not letter.meaning.endswith(".")
    assert letter.low < letter.high and letter.range_text()
    assert letter.tex.count("{") == letter.tex.count("}")
    assert letter.tex.strip() == letter.tex and "\\\\" not in letter.tex


@pytest.mark.parametrize("fact", cases(Fact, slow=later))
def test_fact_can_be_looked_up(fact):
    assert fact.source in CITED, f"{fact.where}: `{fact.source}` is not in book/references.bib"
    assert re.search(r"(19|20)\d\d", fact.date), f"{fact.where}: the date `{fact.date}` has no year"
    assert math.isfinite(fact.value.magnitude) and fact.text()
    assert fact.address


@pytest.mark.parametrize("formula", cases(Formula, slow=later))
def test_formula_prints_on_every_surface(formula):
    assert formula.latex().startswith(formula.lhs.tex)
    compile(formula.python(), formula.address, "exec")
    assert formula.javascript().startswith("function ")
    assert formula.kind in ("definition", "model", "derived")
    assert (formula.derivation is not None) >= (formula.kind == "derived")
    assert all(text.strip() for text in formula.conditions)


@pytest.mark.parametrize("derivation", cases(Derivation, slow=later))
def test_derivation_gives_a_reason_and_a_verdict_for_each_step(derivation):
    assert derivation.steps[0].verdict.name in ("assumed", "proved")
    for step in derivation.steps:
        assert step.verdict.name in VERDICTS and step.verdict.detail
        assert WORDS.search(step.why) and step.latex() and step.where
        assert (step.verdict.name in ("approximate", "assumed")) >= (
            step.relation == "≈" and "below" not in step.verdict.detail
        )


@pytest.mark.parametrize("example", cases(Example, slow=later))
def test_example_agrees_with_what_was_found_elsewhere(example):
    assert example.expect is not None and WORDS.search(example.source), "say where it was found"
    found, expected = example.value.to_base_units().magnitude, example.expect.to_base_units().magnitude
    assert math.isclose(found, expected, rel_tol=max(example.rtol, ROUNDING))
    assert example.latex() and example.text()


@pytest.mark.parametrize("exercise", cases(Exercise, slow=later))
def test_exercise_can_be_solved_and_its_mistakes_are_known(exercise):
    json.dumps(exercise.spec())
    for seed in (0, 1, 2, 3):
        right = exercise.answer_of(seed)
        assert exercise.judge(right, seed).verdict == "right"
        assert exercise.solution(seed).count("&=") >= 3
        for label, wrong in exercise.wrong_formulas.items():
            told = exercise.judge(wrong.at(exercise.givens_of(seed, wrong)), seed)
            assert told.verdict == "mistake", (label, told)
    assert exercise.title and all(WORDS.search(label) for label in exercise.mistakes)


@pytest.mark.parametrize("exercise", cases(Exercise, slow=later))
def test_answer_as_printed_is_right(exercise):
    number, power, unit = PRINTED.fullmatch(exercise.text()).groups()
    value = float(number.replace("\u202f", "").replace("−", "-")) * 10.0 ** int(
        (power or "0").translate(PLAIN)
    )
    given = Quantity(value, units.unit(unit or ""))
    assert exercise.judge(given).verdict == "right", (
        f"{exercise.text()} is rounded too far for {exercise.rtol}"
    )


PRINTED = re.compile(r"(−?\d+(?:\u202f\d{3})*(?:\.\d+)?)(?:·10([⁻⁰¹²³⁴-⁹]+))?(?:\u202f(.*))?")
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.parametrize("explorer", cases(Explorer, slow=later))
def test_explorer_has_all_it_draws(explorer):
    spec = json.loads(json.dumps(explorer.spec()))
    assert all(find(formula.address) is formula for formula in explorer.formulas)
    low, high = explorer.x.low, explorer.x.high  # at an end of a wide axis a value may be infinite: a gap
    middle = math.sqrt(low * high) if explorer.x.log else (low + high) / 2
    start = {explorer.x.what: Quantity(middle, units.unit(explorer.x.unit)), **explorer.defaults}
    ways = {formula for failure in explorer.failures for formula in failure.formulas}  # asked for in need
    for formula in explorer.formulas:
        if formula not in ways and set(formula.inputs) <= start.keys():  # a line may have other letters
            assert math.isfinite(formula.at({v: start[v] for v in formula.inputs}).magnitude)
    assert len(spec["inputs"]) == len(explorer.sliders)


@pytest.mark.parametrize("simulation", cases(Simulation, slow=later))
def test_simulation_agrees_with_its_formula(simulation):
    off = abs((simulation.value - simulation.exact) / simulation.error).m_as("")
    assert simulation.passed, f"{simulation.value} is {off:.1f} standard errors from {simulation.exact}"


def test_units_of_answers_are_those_one_would_say():
    assert natural_unit(find("young_daly.act_one").value.to("s"), "s") == "min"


LIGHT |= {Variable: test_letter_is_complete, Fact: test_fact_can_be_looked_up}
LIGHT |= {Example: test_example_agrees_with_what_was_found_elsewhere}
