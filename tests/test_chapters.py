"""Protects every statement of every chapter: complete, printed on every surface, and without an issue."""

import json
import math
import re
from collections import Counter

import pytest
from chapter_params import chapters, of_kind
from error_assertions import first_issue
from mathbook import cache
from mathbook.checks import BIBLIOGRAPHIES, bibliography_keys, check_modules
from pybtex.database import parse_string
from sample_formulas import C, M, interval
from typed_answers import judge_answer

from mathcore import Derivation, Example, Fact, Formula, Quantity, Variable, checker, find, library, units
from mathcore.errors import ROOT
from mathcore.teaching import Calculator, Exercise
from mathcore.teaching.to_json import formulas_in
from mathcore.units import natural_unit

CITED = bibliography_keys()
WORDS = re.compile(r"\w{2}")
# One unit of each kind, which is that of the copied code as well, and those of meters, invoices and ages.
COUNTED = {"s", "B", "FLOP", "token", "USD", "gpu", "J", "W", "L", "g"} | {"h", "kWh", "kg", "year", "GB"}


@pytest.fixture(scope="module", params=chapters(pytest.mark.exhaustive))
def name(request):
    return request.param


@pytest.fixture(scope="module", params=chapters(pytest.mark.slow))
def later(request):
    """Return the name of a chapter; those after the first wait for the slow set, not for the sweep."""
    return request.param


def issues_in(check, pairs):
    """Return the messages of a check of statements, each with its address."""
    return [f"{address}: {message}" for address, statement in pairs for message in check(statement)]


def issues_unless(*conditions):
    """Return the messages of the `(condition, message)` that do not hold."""
    return [message for holds, message in conditions if not holds]


# ---------------------------------------------------------------- the fast set: what chapters state


def test_chapter_loads_and_says_what_it_asks(name):
    assert any(library.current_library.statements(each) for each in library.current_library.modules(name))
    head = library.current_library.module(name).__doc__.splitlines()[0]
    assert head.endswith((".", "?")) and (ROOT / library.current_library.module(name).__file__).exists()


def of_symbol(symbol):
    return issues_unless(
        (not symbol.meaning.endswith("."), "its meaning ends with a stop"),
        (symbol.tex.count("{") == symbol.tex.count("}"), "its braces do not match"),
        (symbol.tex.strip() == symbol.tex and "\\\\" not in symbol.tex, "its tex has blanks or breaks"),
        (bool(symbol.range_text()), "its range has no text"),
        (set(re.findall("[A-Za-z]+", symbol.unit)) <= COUNTED, "its unit is not one in which the book counts"),
    )


def of_fact(fact):
    return issues_unless(
        (fact.source in CITED, "its source is not in references bib"),
        (re.search(r"(19|20)\d\d", fact.date), "its date has no year"),
        (fact.text(), "it prints nothing"),
    )


def of_example(example):
    missing = [] if example.expect is None or WORDS.search(example.source) else ["say where it was found"]
    return [*missing, *example.issues()]


def test_variables_facts_and_examples_hold(name):
    found = issues_in(of_symbol, of_kind(name, Variable)) + issues_in(of_fact, of_kind(name, Fact))
    assert found + issues_in(of_example, of_kind(name, Example)) == []


# ---------------------------------------------------------------- the slow set: all that it can do


@pytest.fixture(scope="module")
def saved_verdicts():
    """Share verdicts with the other workers and runs: the build of `make test` checks everything again."""
    before = checker.verdict_cache
    cache.persist_verdicts()
    yield
    for base in checker.verdict_cache.connections.values() if checker.verdict_cache is not before else ():
        base.close()
    checker.verdict_cache = before


def test_statements_of_a_chapter_have_no_issue(later):
    """Ask every statement, unless `make verify` or the build has: derivations, exercises, labs, claims, simulations."""
    assert check_modules([later])[later]["issues"] == []


def of_formula(formula):
    compile(formula.python(), formula.address, "exec")
    return issues_unless(
        (formula.latex().startswith(formula.lhs.tex), "its latex does not begin with its symbol"),
        (formula.javascript().startswith("function "), "its javascript is no function"),
        (all(text.strip() for text in formula.conditions), "it has an empty condition"),
    )


def of_derivation(derivation):
    for step in derivation.steps:
        rounded = step.relation == "≈" and "below" not in step.verdict.detail
        yield from issues_unless(
            (step.verdict.name in checker.VERDICTS, "its verdict has no name"),
            (step.verdict.detail, "its verdict has no detail"),
            (not rounded or step.verdict.name in ("approximate", "assumed"), "it calls an approximation exact"),
            (WORDS.search(step.why), "it gives no reason"),
            (step.latex() and step.where, "it has no place or print"),
        )


def of_exercise(exercise):
    json.dumps(exercise.spec())
    yield from issues_unless(
        (exercise.title, "it has no title"),
        (all(WORDS.search(label) for label in exercise.mistakes), "a mistake has no words"),
        (judge_answer(exercise, as_typed(exercise.text())).verdict == "right", "its key is wrong as it is printed"),
    )
    for seed in (0, 1, 2, 3):
        yield from issues_unless(
            (judge_answer(exercise, exercise.answer_of(seed), seed).verdict == "right", "its key is not right"),
            (exercise.solution(seed).count("&=") >= 3, "its solution is short"),
        )
        for label, wrong in exercise.wrong_formulas.items():
            found = judge_answer(exercise, wrong.at(exercise.givens_of(seed, wrong)), seed)
            if found.verdict != "mistake":
                yield f"the mistake `{label}` is judged as {found}"


PRINTED = re.compile(r"(−?\$?\d+(?:,\d{3})*(?:\.\d+)?)(?:·10([⁻⁰¹²³⁴-⁹]+))?(?:\u202f(million|billion))?\s?(.*)")
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
SPOKEN = {  # words, as a reader would type them
    r"^per kW/year$": "1/kW/year",
    r"GPU-(hour|year)s?": r"gpu \1", r"\bGPUs?\b": "gpu", r"^per (.*)": r"1/(\1)", r" per (.*)": r"/(\1)",
    r"thousand tokens?": "ktoken", r"million tokens?": "Mtoken", r"billion tokens?": "Gtoken",
    r"trillion tokens?": "Ttoken", r"\bhour\b": "h", r"\bthousand\b": "k", r"^k$": "kUSD",
}  # fmt: skip


def as_typed(text):
    """Return a printed quantity as a reader would type it.

    A key that is rounded too far on the page is wrong within its own tolerance.
    """
    number, power, scale, unit = PRINTED.fullmatch(text).groups()
    value = float(number.replace(",", "").replace("−", "-").replace("$", ""))
    value *= 10.0 ** int((power or "0").translate(PLAIN)) * {"million": 1e6, "billion": 1e9, None: 1}[scale]
    for words, symbols in SPOKEN.items():
        unit = re.sub(words, symbols, unit)
    return Quantity(value, units.unit(f"USD {unit}".strip() if "$" in number else unit))


def of_calculator(calculator):
    spec = json.loads(json.dumps(calculator.spec()))
    low, high = calculator.x.low, calculator.x.high  # at an end of a wide axis a value may be infinite: a gap
    middle = math.sqrt(low * high) if calculator.x.log else (low + high) / 2
    start = {calculator.x.what: Quantity(middle, units.unit(calculator.x.unit)), **calculator.defaults}
    ways = {formula for failure in calculator.failures for formula in formulas_in(failure)}  # asked for in need
    drawn = [f for f in calculator.formulas if f not in ways and set(f.inputs) <= start.keys()]
    return issues_unless(
        (all(find(f.address) is f for f in calculator.formulas), "it uses a formula without an address"),
        (
            all(math.isfinite(f.evaluate({v: start[v] for v in f.inputs})[0].magnitude) for f in drawn),
            "it draws nothing finite",
        ),
        (len(spec["inputs"]) == len(calculator.sliders), "it loses an input"),
    )


KINDS = {
    Formula: of_formula,
    Derivation: of_derivation,
    Example: lambda example: issues_unless((example.latex() and example.text(), "it prints nothing")),
    Exercise: of_exercise,
    Calculator: of_calculator,
}


def test_statements_have_all_forms_that_pages_need(later, saved_verdicts):
    assert [message for kind, check in KINDS.items() for message in issues_in(check, of_kind(later, kind))] == []


def test_units_of_answers_are_those_one_would_say():
    assert natural_unit(find("young_daly.act_one").value.to("s"), "s") == "min"


# ---------------------------------------------------------------- what would be found


@pytest.mark.parametrize(
    ("check", "seeded", "words"),
    [
        (of_symbol, {"meaning": "a time."}, "its meaning ends with a stop"),
        (of_symbol, {"tex": r"t_{\mathrm{x}"}, "its braces do not match"),
        (of_symbol, {"tex": "t "}, "its tex has blanks or breaks"),
        (of_symbol, {"unit": "min"}, "its unit is not one in which the book counts"),
        (of_symbol, {"unit": "bit/s"}, "its unit is not one in which the book counts"),
    ],
)
def test_careless_variable_is_found(check, seeded, words):
    assert check(Variable(**{"name": "t", "unit": "s", "meaning": "a time", **seeded})) == [words]


@pytest.mark.parametrize(
    ("seeded", "words"),
    [({"source": "nobody1900"}, "its source is not in references bib"), ({"date": "lately"}, "its date has no year")],
)
def test_fact_that_nobody_can_look_up_is_found(seeded, words):
    stated = {"kind": "paper", "source": "daly2006", "date": "2006", **seeded}
    assert of_fact(Fact("4 min", "a write", **stated)) == [words]


def author_year_labels(text):
    """Return how often each label of a citation occurs in a bibliography, such as `('Wan et al.', '2025a')`."""
    labels = []
    for work in parse_string(text, "bibtex").entries.values():
        names = [" ".join(person.prelast_names + person.last_names) for person in work.persons.get("author", [])]
        labels.append((f"{names[0]} et al." if len(names) > 2 else " and ".join(names), work.fields.get("year")))
    return Counter(labels)


def test_each_work_has_a_label_of_its_own():
    text = "\n".join(path.read_text(encoding="utf-8") for path in BIBLIOGRAPHIES if path.exists())
    assert [label for label, works in author_year_labels(text).items() if works > 1] == []


def test_two_works_with_one_label_is_found():
    work = "@misc{KEY, author = {Wan, B. and Han, M. and others}, year = {2025}}"
    found = author_year_labels(work.replace("KEY", "one") + work.replace("KEY", "two"))
    assert found == {("Wan et al.", "2025"): 2}


def test_example_without_a_place_or_with_another_value_is_found():
    formula = find("young_daly.interval")
    given = {"C": "4 min", "M": "8 h"}
    assert of_example(Example(formula, given, expect="61.97 min")) == ["say where it was found"]
    assert "stale" in first_issue(Example, formula, given, expect="60 min", source="a table")


TAKEN = {"twice the write": 2 * C, "a third of the MTBF": M / 3}
fair = Exercise(interval, {C: "4 min", M: "8 h"}, TAKEN, title="How often?", unit="min")


def test_key_that_is_printed_wrongly_is_found(monkeypatch):
    assert list(of_exercise(fair)) == []
    monkeypatch.setattr(Exercise, "text", lambda _: "59 min")  # 61.97 min
    assert "its key is wrong as it is printed" in list(of_exercise(fair))
