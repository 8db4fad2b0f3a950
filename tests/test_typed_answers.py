"""Protects answers typed in a page: of every exercise and variant, in Node against Python.

The right answer is right in all its spellings, a usual mistake is called by its words, and a wrong number
gets no slip that its dimension forbids: what is no time was not taken in minutes, what is no share is no per cent.
"""

import random
import re

import pytest
from mathbook.functions import chapter_script, units_script
from mathbook.variants import variant_seeds
from page_functions import in_page
from typed_answers import diagnose

from mathcore import number_format, units
from mathcore.library import current_library
from mathcore.number_format import unit_text
from mathcore.teaching import Exercise
from mathcore.teaching.diagnosis import factor_of_two

SCRIPTS = ["mc-core.js", "mc-special.js", "mc-exercise.js"]
FEW, EACH = 2, 12  # variants of an exercise: on every push, and nightly
SLIPPED = [8, 60, 3600, 24, 100, 1000, 1.024, 1.024**2, 1.024**3, 1.024**4, 2, 2**0.5]
# What a slip may say, only where the answer has this dimension.
FORBIDDEN = {
    "information": re.compile(r"\bbits\b|[kMGT]iB"),
    "time": re.compile(r"\b(seconds|minutes|hours|days)\b"),
    "share": re.compile(r"did you mean .* %"),
    "plain": re.compile(r"this is the inverse"),
}

pytestmark = [pytest.mark.node, pytest.mark.slow]


def exercises():
    return {address: found for address, found in current_library.walk() if isinstance(found, Exercise)}


def spellings(value, unit, whole):
    """Return a value as readers write it: plain, with a power, in groups, with a letter for thousands, in words."""
    number = f"{value:.0f}" if whole else f"{value:.9g}"
    mantissa, _, power = f"{value:.8e}".partition("e")
    found = [f"{number} {unit}", f"{mantissa}e{int(power)} {unit}", f"{mantissa} × 10^{int(power)} {unit}"]
    grouped = f"{value:,.0f}" if whole or abs(value) >= 1e8 else f"{value:,.6f}"
    if abs(value) >= 0.1:
        found += [f"{grouped} {unit}", f"{grouped.replace(',', ' ')} {unit}"]
    if not whole or value % 1000 == 0:
        found += [f"{value / 1000:.12g}k {unit}" if unit != "%" else f"{value / 100:.12g}"]
    if "gpu·h" in unit:
        found.append(f"{number} {unit.replace('gpu·h', 'GPU-hours')}")
    if unit == "USD":
        found.append(f"${number}")
    as_printed = number_format.number_text(value, 0 if whole else 9)
    found.append(number_format.spell_quantity(as_printed, unit))
    if unit == "GB/s":
        found += [f"{value * 8:.9g} Gbps", f"{number} GBps"]
    return [text.strip() for text in found]


def cases(address, exercise, seed):
    """Yield `(seed, what is typed, verdict, text)` of a variant, judged in Python."""
    right, mistakes = exercise.exact_answer(seed), exercise.wrong_values(seed)
    unit, lhs = units.unit_name(right), units.unit(exercise.formula.lhs.unit)
    answer, two = exercise.answer_of(seed).magnitude, factor_of_two(exercise.formula.display_form)
    for typed in spellings(answer, unit_text(unit), exercise.rounding):
        yield seed, typed, "right", "right"

    def judged(value):
        given = units.Quantity(value, right.units).m_as(lhs)
        scale = units.Quantity(1, lhs).m_as(right.units)
        found = diagnose(given, right.m_as(lhs), mistakes, exercise.rtol, unit, exercise.rounding, two, scale)
        return seed, f"{value!r} {unit_text(unit)}".strip(), found.verdict, found.text

    for label, value in mistakes:
        displayed = units.Quantity(value, lhs).m_as(right.units)
        yield (*judged(displayed)[:2], "mistake", label)
    draw = random.Random(f"{address} {seed}")
    for factor in [*draw.sample(SLIPPED, 6), *(1 / f for f in draw.sample(SLIPPED, 6))]:
        yield judged(answer * factor)
    for _ in range(8):
        yield judged(answer * draw.choice((1, 1, 1, -1)) * 10 ** draw.uniform(-4, 4))


def forbidden(exercise, text):
    """Return the slips named in a text that the dimension of the answer rules out."""
    kinds = {kind.strip("[]") for kind in exercise.formula.lhs.dimension}
    kinds |= {"plain"} if not kinds else set()
    kinds |= {"share"} if units.unit_name(exercise.answer) == "percent" else set()
    return [kind for kind, words in FORBIDDEN.items() if kind not in kinds and words.search(text)]


JUDGED = """data.tried.map(([address, seed, typed]) => {
  const { verdict, text } = globalThis.mc.exercise.judge(data.specs[address], seed, typed);
  return [verdict, text];
})"""


def judged_by_page(specs, tried):
    """Return the verdicts and texts of the page's own code, all in one process."""
    chapters = [chapter_script(name) for name in sorted({current_library.split(a)[0] for a in specs})]
    return in_page(JUDGED, [*SCRIPTS, units_script(), *chapters], {"specs": specs, "tried": tried})


def answer_issues(found, specs=None, variants=EACH):
    """Return the differences between page and Python, and the values that are impossible for that dimension."""
    tried = [(a, *case) for a, e in found.items() for seed in variant_seeds(e, variants) for case in cases(a, e, seed)]
    specs = specs or {address: exercise.spec() for address, exercise in found.items()}
    wrong = []
    for (address, seed, typed, verdict, text), (got, words) in zip(tried, judged_by_page(specs, tried), strict=True):
        if got != verdict or (verdict != "right" and text not in words):
            wrong.append(f"{address} seed {seed}: `{typed}` is {got}, {words} Python: {verdict}, {text}")
        elif got == "slip" and (kinds := forbidden(found[address], words)):
            wrong.append(f"{address} seed {seed}: `{typed}`: {words} But it has nothing of {', '.join(kinds)}")
    return wrong


@pytest.mark.parametrize("variants", [FEW, pytest.param(EACH, marks=pytest.mark.extended)])
def test_page_checks_every_exercise_as_python_does(variants):
    found = answer_issues(exercises(), variants=variants)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:40])


@pytest.mark.parametrize(
    ("change", "words"),
    [({"mistakes": []}, "Python: mistake"), ({"rounding": "up"}, "is slip"), ({"rtol": 0.5}, "is right")],
)
def test_page_that_checks_otherwise_is_found(change, words):
    address = "young_daly.ex_penalty"
    spec = current_library.find(address).spec()
    found = answer_issues({address: current_library.find(address)}, {address: {**spec, **change}})
    assert any(words in fault for fault in found)


def test_slip_of_another_dimension_is_found():
    share, time = current_library.find("young_daly.ex_waste"), current_library.find("young_daly.ex_interval")
    assert forbidden(share, "60 times too large: minutes and hours were confused") == ["time"]
    assert forbidden(time, "8 times too small: bits and bytes were confused") == ["information"]
    assert forbidden(time, "did you mean 14.1 %?") == ["share"] and not forbidden(share, "did you mean 14.1 %?")
