"""Protects what is taken over from an earlier build: it is found again only for statements that say the same."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from mathbook import cache, checks, content_hash, formulas, outdated
from mathbook.diagrams import registry
from mathbook.outdated import page_hash
from sympy import Add, Derivative, Integer, Piecewise, Rational, sqrt, sympify

from mathcore import Formula, Max, Min, One, UnknownAddress, Variable, find
from mathcore.commands.verification import empty_counts
from mathcore.library import current_library
from mathcore.teaching import Calculator


@pytest.fixture
def statements(monkeypatch):
    """Return a mapping of addresses to statements, which replaces the book."""
    found = {}

    def at(address):
        if address not in found:
            raise UnknownAddress(f"there is no statement {address}")
        return found[address]

    monkeypatch.setattr(content_hash, "find", at)
    return found


def test_hash_of_an_address_follows_its_statement(statements):
    fact = find("young_daly.lab_write")
    statements["young_daly.lab_write"] = fact
    claim = {"by": "2 * young_daly.lab_write"}
    before = content_hash.hash_of(claim)
    assert content_hash.hash_of(dict(claim)) == before
    statements["young_daly.lab_write"] = replace(fact, given="5 min")
    assert content_hash.hash_of(dict(claim)) != before


def test_given_of_a_statement_is_followed_to_the_statement(statements):
    statements["young_daly.act_one"] = "62 min"
    before = content_hash.hash_of("young_daly.act_one.C")
    statements["young_daly.act_one"] = "63 min"
    assert content_hash.hash_of("young_daly.act_one.C") != before


def test_page_that_names_a_given_of_a_statement_is_counted_again_with_it(statements, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("It is {mc:value}`young_daly.act_one.C`, {mc:assert}`young_daly.act_one.C < 1 h`.")
    statements["young_daly.act_one"] = "4 min"

    def hashes():
        return checks._page_key(page), content_hash.hash_at("young_daly.act_one.C")

    before = hashes()
    statements["young_daly.act_one"] = "5 min"
    assert not set(hashes()) & set(before)


def test_part_that_becomes_a_statement_of_its_own_is_followed_from_then_on(statements):
    assert content_hash.hash_at("young_daly.later.C") == "missing"
    statements["young_daly.later"] = "62 min"
    assert content_hash.hash_at("young_daly.later.C") == content_hash.hash_of("62 min")


def test_texts_that_name_each_other_end(statements):
    statements |= {"young_daly.a": "see young_daly.b", "young_daly.b": "see young_daly.a"}
    before = content_hash.hash_of("young_daly.a"), content_hash.hash_of("young_daly.b")
    statements["young_daly.a"] = "see young_daly.b twice"
    assert all(content_hash.hash_of(f"young_daly.{name}") != was for name, was in zip("ab", before, strict=True))


EXERCISE = find("young_daly.ex_interval")
write, mtbf = EXERCISE.formula.inputs


@pytest.mark.parametrize(
    "changes",
    [
        {"given": {write: "7 min", mtbf: "6 h"}},
        {"mistakes": {"the 2 was lost": sqrt(write * mtbf), "a third of the MTBF": mtbf / 3}},
        {"variants": {write: ("11 min",)}},
        {"digits": 4},
        {"rtol": 0.2},
        {"unit": "h"},
    ],
    ids="".join,
)
def test_memoized_exercise_follows_its_statement(changes):
    def memoized(exercise):
        parts = (("spec", exercise.spec), ("solution", exercise.solution))
        return [content_hash.memoize_json(kind, exercise, make) for kind, make in parts]

    before, other = memoized(EXERCISE), replace(EXERCISE, **changes)
    object.__setattr__(other, "qualified_name", EXERCISE.address)
    assert memoized(other) == [json.loads(json.dumps(other.spec())), other.solution()]
    assert memoized(other) != before == memoized(EXERCISE)


@dataclass
class Held:
    judge: Any


def test_rows_to_judge_on_count_and_a_judge_does_not():
    assert content_hash.hash_of(Held({"gpus": 8})) != content_hash.hash_of(Held({"gpus": 16}))
    assert content_hash.hash_of(Held(lambda: 1)) == content_hash.hash_of(Held(lambda: 2))


def test_list_of_facts_says_the_same_when_a_formula_changes(monkeypatch):
    monkeypatch.setattr(cache, "_results", lambda version: {})  # nothing is remembered
    facts, formulas = (f":::{{mc:table}} {kind} young_daly\n:::" for kind in ("facts", "formulas"))
    before = page_hash(facts, ()), page_hash(formulas, ())
    of = content_hash.hash_of
    monkeypatch.setattr(outdated, "hash_of", lambda value: of(value) + "!" * isinstance(value, Formula))
    assert (page_hash(facts, ()) == before[0], page_hash(formulas, ()) == before[1]) == (True, False)


def test_chapter_is_recomputed_only_when_a_chapter_it_depends_on_changes(monkeypatch):
    stored, state, asked = {}, {"young_daly": "a", "audit": "a"}, []
    monkeypatch.setattr(cache, "_results", lambda version: stored)
    monkeypatch.setattr(content_hash, "hash_of_chapter", state.get)
    monkeypatch.setattr(content_hash, "hash_at", lambda address: asked.append(address) or f"{address} {len(asked)}")

    def known():
        return [content_hash.cached_hash(address) for address in ("young_daly.act_one", "audit.use")]

    first = known()
    assert known() == first and len(asked) == 2
    state["audit"] = "b"
    assert known()[0] == first[0] and known()[1] != first[1]
    assert asked == ["young_daly.act_one", "audit.use", "audit.use"]


def test_page_with_a_drawing_is_read_again_only_for_what_the_drawing_shows(monkeypatch):
    text = ":::{mc:diagram} checkpoint-levels\n:::"
    before, made = page_hash(text, ()), registry.load_diagram
    monkeypatch.setattr(outdated, "hash_of_text", lambda text: "another chapter's change")
    assert page_hash(text, ()) == before
    monkeypatch.setattr(
        registry, "load_diagram", lambda name: (replace(made(name)[0], description="other words"), made(name)[1])
    )
    assert page_hash(text, ()) != before


def test_numbers_of_a_page_are_counted_again_only_when_its_statements_change(tmp_path, monkeypatch):
    page, counted = tmp_path / "page.md", []
    page.write_text("It took {mc:value}`young_daly.lab_write`, and {mc:assert}`young_daly.lab_write < 1 h`.")
    stored = {}
    monkeypatch.setattr(cache, "get", lambda kind, key: stored.get((kind, key)))
    monkeypatch.setattr(cache, "put", lambda kind, key, found: stored.update({(kind, key): found}))
    count = checks.prose_numbers.count_numbers
    monkeypatch.setattr(checks.prose_numbers, "count_numbers", lambda path: counted.append(path) or count(path))
    assert checks._check_page(page) == checks._check_page(page)
    once = len(counted)
    digest = content_hash.hash_at
    monkeypatch.setattr(
        content_hash, "hash_at", lambda address: digest(address) + "!" * (address == "young_daly.lab_write")
    )
    checks._check_page(page)
    assert once > 0 and len(counted) == 2 * once


@pytest.fixture
def check_statement_cached(monkeypatch):
    """Return a function that checks a statement and returns the verdict and whether it was computed again."""
    stored, asked = {}, []
    monkeypatch.setattr(cache, "_results", lambda version: stored)
    judge = checks.check_statement

    def noted(address, statement, found):
        asked.append(address)
        judge(address, statement, found)

    monkeypatch.setattr(checks, "check_statement", noted)

    def ask(address, statement):
        before, found = len(asked), {"counts": empty_counts(), "issues": [], "sampled": []}
        checks._check_statement(address, statement, found)
        return found, len(asked) > before

    return ask


def test_statement_is_checked_once(check_statement_cached):
    example = find("young_daly.act_one")
    found, anew = check_statement_cached("young_daly.act_one", example)
    assert anew and found["counts"]["examples"] == 1 and found["issues"] == []
    assert check_statement_cached("young_daly.act_one", example) == (found, False)


def test_changed_statement_is_checked_anew_and_issues_are_never_stored(check_statement_cached):
    example = find("young_daly.act_one")
    check_statement_cached("young_daly.act_one", example)
    for _ in range(2):
        wrong = type(example)(example.formula, example.stated, expect="70 min")
        found, anew = check_statement_cached("young_daly.act_one", wrong)
        assert anew and "70" in found["issues"][0]


def test_sampled_step_is_reported_with_its_current_line(check_statement_cached):
    derivation = find("fleet_checkpointing.conventions.exact_period").derivation
    address = "fleet_checkpointing.conventions.exact_period.derivation"
    first, _ = check_statement_cached(address, derivation)
    [step] = [step for step in derivation.steps if step.verdict.name == "sampled"]
    assert first["sampled"] == [f"{step.where}: {address}"]
    object.__setattr__(step, "where", "chapter.py:7")
    try:
        assert check_statement_cached(address, derivation) == (first | {"sampled": [f"chapter.py:7: {address}"]}, False)
    finally:
        object.__setattr__(step, "where", first["sampled"][0].removesuffix(f": {address}"))


def test_different_expressions_have_different_hashes():
    a, b, other = (Variable(name, "s", meaning) for name, meaning in (("a", "a"), ("b", "b"), ("a", "another")))
    different = [
        a + b, a - b, b - a, a * b, a / b, 2 * a, Rational(1, 2) * a, sqrt(a), 2 * other, One("B") * a, One("s") * a,
        Add(b, a, evaluate=False), 2 * a + 2 * b, Max(a, b), Min(a, b), Piecewise((a, a < b), (b, True)),
        Piecewise((a, a <= b), (b, True)), Derivative(a * b, a), Derivative(a * b, b), Integer(1), sympify("pi"),
    ]  # fmt: skip
    found = [content_hash.hash_of(each) for each in different]
    assert len(set(found)) == len(different)
    assert content_hash.hash_of(Variable("a", "s", "a") + Variable("b", "s", "b")) == found[0]


def test_texts_to_copy_are_those_of_the_formula_as_it_is(monkeypatch):
    stored = {}
    monkeypatch.setattr(cache, "_results", lambda version: stored)
    a, b = (Variable(name, "s", name) for name in "ab")
    for _ in range(2):
        assert formulas.source_texts(Formula(a, 2 * b))["Python"] != formulas.source_texts(Formula(a, 3 * b))["Python"]
    assert len(stored) == 2
    assert formulas.source_texts(find("young_daly.interval"))["LaTeX"] == find("young_daly.interval").latex()


def unhashed_ends(measured):
    """Return the ends of a measured range, as a slider takes it, that its own text does not lead the digest to."""
    ends = (f"{measured}_low", f"{measured}_high") if isinstance(measured, str) else measured
    texts = [measured, measured] if isinstance(measured, str) else ends
    found = [
        (end, content_hash._statement_at(end), content_hash._statement_at(text))
        for end, text in zip(ends, texts, strict=True)
    ]
    return [end for end, statement, followed in found if statement and followed is not statement]


def test_measured_ranges_of_sliders_are_followed_to_what_gives_their_ends():
    calculators = [statement for _, statement in current_library.walk() if isinstance(statement, Calculator)]
    ranges = [slider.measured for each in calculators for slider in each.sliders if getattr(slider, "measured", None)]
    assert len(ranges) > 10 and [end for each in ranges for end in unhashed_ends(each)] == []


def test_seeded_range_whose_ends_are_facts_of_other_names_is_found(statements):
    statements |= {"young_daly.made_low": "1 s", "young_daly.made_high": "2 s"}
    assert unhashed_ends("young_daly.made") == ["young_daly.made_low", "young_daly.made_high"]
    assert unhashed_ends(("young_daly.made_low", "young_daly.made_high")) == []
