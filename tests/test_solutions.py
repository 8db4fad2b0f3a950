"""Protects worked solutions: reasons that are stated, effects that are reckoned, one unit, and a meaning for each."""

import re
from math import sqrt
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built_site import PAGES, SITE
from mathbook.solution_notes import result_note, sensitivities, stated_formula, step_reasons, validity_margins
from sample_formulas import C, M, interval, tau, waste

from mathcore import Derivation, Formula, Variable, find, units
from mathcore.library import current_library
from mathcore.symbols import Min
from mathcore.teaching import Exercise
from mathcore.teaching.solution_lines import solution_lines

ROOT = Path(__file__).resolve().parents[1]
MEANINGS = current_library.data("result_notes.toml")
GIVEN = {C: units.quantity("5 min"), M: units.quantity("6 h")}
weights, caches = Variable("W", "B", "weights"), Variable("K", "B", "caches")
sum_of_two = Formula(Variable("Q", "B", "memory"), weights + caches)
BYTES = {weights: units.quantity("1000 B"), caches: units.quantity("2000 B")}
EXERCISES = {
    address: each
    for address, each in current_library.walk()
    if isinstance(each, Exercise) and not address.rpartition(".")[2].startswith("guess")
}


def test_reasons_are_those_of_the_derivation_without_plain_algebra():
    chain = (
        Derivation.minimise(waste, over=tau, why="two bills")
        .slope(1 / (2 * M) - C / tau**2, "differentiate term by term", routine=True)
        .root((2 * C * M) ** units.Fraction(1, 2), "the only positive root", routine=True)
        .curvature(2 * C / tau**3, "positive, so it is a minimum", routine=True)
    )
    assert step_reasons(chain.formula()) == ["two bills"]
    assert step_reasons(waste) == [] and step_reasons(interval.solve_for("M")) == []
    assert step_reasons(chain.formula().solve_for("M")) == ["two bills"]


def test_solved_formula_is_traced_to_the_one_of_the_page():
    assert stated_formula(interval.solve_for("M")) is interval
    assert stated_formula(find("young_daly.ex_needed").formula) is find("young_daly.interval")


def test_effects_are_those_of_a_pocket_calculator():
    rate = Formula(Variable("A", "1/s", "rate"), Min(1 / C, 3 / M))  # the second is the smaller
    found = sensitivities(rate, {C: units.quantity("1 min"), M: units.quantity("9 min")})
    assert {v.name: r for v, r in found.items()} == {"M": pytest.approx(1 / 1.1), "C": 1.0}
    assert sensitivities(interval, GIVEN) == {C: pytest.approx(sqrt(1.1)), M: pytest.approx(sqrt(1.1))}


def test_effect_beyond_the_range_of_a_symbol_is_left_out():
    share = Variable("q", "", "share", high="100 %")
    left = Formula(Variable("z", "", "rest"), 2 - share)
    assert sensitivities(left, {share: units.quantity("95 %")}) == {}


def test_numbers_are_brought_to_one_unit_where_they_have_several():
    stated, based, result = solution_lines(interval, GIVEN, units.quantity("60 min"), 3)
    assert r"\mathrm{h}" in stated and r"300\,\mathrm{s}" in based and r"21{,}600\,\mathrm{s}" in based
    assert result == r"\\ &= 3{,}600\,\mathrm{s} = 60\,\mathrm{min}"
    alike = {C: units.quantity("300 s"), M: units.quantity("21600 s")}
    stated, result = solution_lines(interval, alike, units.quantity("3600 s"), 3)
    assert result == r"\\ &= 3{,}600\,\mathrm{s}"
    assert find("young_daly.ex_interval").solution().split("\n")[-2].endswith(r"= 60\,\mathrm{min}")


def test_numbers_already_in_base_units_are_stated_once():
    """The unit of the answer alone differs: bytes are given, kilobytes are asked for."""
    stated, result = solution_lines(sum_of_two, BYTES, units.quantity("3 kB"), 3)
    assert r"1{,}000\,\mathrm{B}" in stated and result == r"\\ &= 3{,}000\,\mathrm{B} = 3\,\mathrm{kB}"


def test_margin_is_the_share_of_the_bound():
    exercise = find("young_daly.ex_interval")
    ((_, text, holds, share),) = validity_margins(exercise.formula, exercise.givens)
    assert holds and share == pytest.approx(5 / (360 / 25)) and "10 %" in text


@pytest.mark.parametrize(("stated", "holds"), [("0.5", True), ("0", True), ("-0.5", True), ("-0.9", False)])
def test_bound_below_zero_has_no_relative_margin(stated, holds):
    symbol = Variable("g", "", "logarithm", low="-2", high="2", zero=True)
    form = Formula(Variable("z", "", "loss"), 1 + symbol**2, validity=((symbol >= -units.Fraction(7, 10), "far off"),))
    assert [each[2:] for each in validity_margins(form, {symbol: units.quantity(stated)})] == [(holds, None)]


def test_no_solution_gives_a_share_of_a_bound_that_is_not_above_zero():
    found = [(share, a) for a, e in EXERCISES.items() for *_, share in validity_margins(e.formula, e.givens)]
    assert len(found) > 10 and [pair for pair in found if pair[0] is not None and pair[0] <= 0] == []


@pytest.mark.parametrize("address", [f"{module}.{name}" for module, found in MEANINGS.items() for name in found])
def test_meaning_belongs_to_an_exercise_and_holds_for_every_variant(address):
    assert address in EXERCISES
    note = result_note(address)
    assert not re.search(r"\d", note), "a number would be that of one variant"
    assert 40 < len(note) < 330 and note.endswith(".")


def without_meaning(exercises):
    """Return the exercises whose result neither the table nor the page interprets."""
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "book" / "chapters").rglob("*.md"))
    blocks = re.findall(r"^(:{3,})\{mc:exercise\} (\S+)\n(.*?)^\1$", pages, re.DOTALL | re.MULTILINE)
    remarked = {address for _, address, inside in blocks if "{mc:remark}" in inside}
    return sorted(address for address in exercises if address not in remarked and not result_note(address))


def test_every_exercise_says_what_its_result_means():
    assert without_meaning(EXERCISES) == []
    assert without_meaning([*EXERCISES, "young_daly.ex_sample"]) == ["young_daly.ex_sample"]


# ---------------------------------------------------------------- in the built pages

BLOCK = re.compile(r"<mc-exercise\b.*?</mc-exercise>", re.DOTALL)


def worked(page):
    """Return the exercises of a page; a guess has nothing to work out."""
    blocks = BeautifulSoup("".join(BLOCK.findall(page)), "html.parser").find_all("mc-exercise", recursive=False)
    return [block for block in blocks if "guess" not in block["data-address"].rpartition(".")[2]]


def solution_issues(page):
    """Yield what a solution of a page lacks: symbols, a reason, its numbers, a meaning, the usual mistakes."""
    for block in worked(page):
        address, solution = block["data-address"], block.select_one(".mc-solution")
        wanted = {".mc-problem": 30, ".mc-justification": 30, ".mc-line": 1, ".mc-meaning": 40, ".mc-mistakes": 20}
        for part, least in wanted.items():
            found = solution.select_one(part)
            if found is None or len(found.get_text()) < least:
                yield f"{address} lacks {part}"
        if len(solution.select(".mc-mistake")) != len(find(address).mistakes):
            yield f"{address} does not list every mistake"


@pytest.mark.slow
def test_solutions_in_the_pages_show_their_reasoning():
    texts = [(SITE / page).read_text("utf-8") for page in PAGES if page.startswith("book/chapters/")]
    assert [fault for text in texts for fault in solution_issues(text)] == []
    assert sum(len(worked(text)) for text in texts) == len(EXERCISES)


@pytest.mark.slow
def test_solution_without_a_reason_is_found():
    text = (SITE / "book/chapters/young-daly/exercises.html").read_text("utf-8")
    assert list(solution_issues(text.replace("mc-justification", "x", 1))) == [
        "young_daly.ex_interval lacks .mc-justification"
    ]
