"""Protects the statements that stand in data files: what is written is stated, and a slip is told by its line."""

import re
import sys
import types
from pathlib import Path

import pytest
from sympy import And, Or, sqrt

from mathcore import DeclarationError, One, find
from mathcore.library import DATA, book
from mathcore.tables import parsed
from mathcore.teaching import Question
from mathcore.teaching.written import read

INTERVAL, WASTE = find("young_daly.interval"), find("young_daly.waste")
C, M, tau = (find(f"young_daly.{name}") for name in ("C", "M", "tau"))


@pytest.fixture
def planted(monkeypatch):
    """Return the name of a module that states some letters and formulas."""
    module = types.ModuleType("planted")
    vars(module).update(C=C, M=M, work=tau, interval=INTERVAL, waste=WASTE, half=INTERVAL.rhs / 2)
    vars(module)["explorer"] = find("young_daly.explorer")
    monkeypatch.setitem(sys.modules, "planted", module)
    return "planted"


def stated(folder, kind, text):
    """Return the only statement of a file."""
    path = folder / "planted.toml"
    path.write_text(text, encoding="utf-8")
    (found,) = read(path, kind, "planted").values()
    return found


def refused(folder, kind, text):
    """Return the line and the words with which a file, or the statement in it, is refused."""
    try:
        told = "".join(stated(folder, kind, text).complaints())
    except DeclarationError as error:
        told = str(error)
    line, words = re.match(rf"{re.escape(str(folder / 'planted.toml'))}:(\d+): ([\s\S]*)", told).groups()
    return int(line), words


# ---------------------------------------------------------------- where what stands


def test_every_part_of_a_table_has_its_line(tmp_path):
    path = tmp_path / "planted.toml"
    path.write_text(
        """[one]
title = "a = b"
parts = [
    { x = 1 },
    "NAMED",
    { x = 2 },
]
[one.columns]
"in quotes" = "waste"
[[one.panels]]
gap = "waste"
[[one.panels]]
gap = "interval"
ways = [
    { to = 1 },
]
[two]
title = "b"
"""
    )
    lines = {key: int(place.rpartition(":")[2]) for key, place in parsed(path)[1]["one"].items()}
    assert lines == {
        **{"": 1, "title": 2, "parts": 3, "parts.0": 4, "parts.1": 5, "parts.2": 6},
        **{"columns": 8, "columns.in quotes": 9, "panels.0": 10, "panels.0.gap": 11, "panels.1": 12},
        **{"panels.1.gap": 13, "panels.1.ways": 14, "panels.1.ways.0": 15},
    }


def test_every_file_is_read_by_the_module_of_its_name():
    for folder, kind in (("questions", Question),):
        read_by = {Path(found.where.rpartition(":")[0]).stem for _, found in book.walk() if isinstance(found, kind)}
        assert {path.stem for path in (DATA / folder).glob("*.toml")} == read_by


# ---------------------------------------------------------------- a question

QUESTION = """[often]
title = "Is this right?"
of = "explorer"
given = { "young_daly.N" = "16 gpu", "young_daly.D" = "young_daly.act_one" }
[often.terms]
short = "tau < half"
[often.texts]
said = "It is {best}. "
[often.slots]
best = ["interval", "min"]
w = ["young_daly.waste", "%", 2]
[[often.options]]
says = "rare"
when = "not short and (tau >= 3/2 * interval or waste > 2)"
feedback = "{said}And more."
[[often.options]]
says = "fine"
when = "not short and tau < 3/2 * interval and waste <= 2"
feedback = "{said}"
[[often.options]]
says = "often"
when = "short"
feedback = "No."
[[often.options]]
says = "never"
when = false
feedback = "{w}"
"""


def test_question_in_a_file_is_that_of_python(planted, tmp_path):
    found = stated(tmp_path, Question, QUESTION)
    best, short = sqrt(2 * C * M), tau < sqrt(2 * C * M) / 2
    rare, fine, often, never = found.options
    assert rare.when == And(~short, Or(tau >= 3 * best / 2, WASTE.rhs > 2)) and often.when == short
    assert fine.when == And(~short, tau < 3 * best / 2, WASTE.rhs <= 2) and not never.when
    assert (rare.feedback, fine.feedback, often.feedback) == ("It is {best}. And more.", "It is {best}. ", "No.")
    assert found.slots == {"best": (INTERVAL, "min"), "w": (WASTE, "%", 2)}
    assert found.of is find("young_daly.explorer") and found.purpose == "prediction"
    assert found.given == {find("young_daly.N"): "16 gpu", find("young_daly.D"): find("young_daly.act_one")}
    assert found.where == f"{tmp_path / 'planted.toml'}:1"


def test_formula_that_a_module_does_not_state_goes_by_its_address(planted, tmp_path):
    found = stated(tmp_path, Question, QUESTION.replace('"tau < half"', '"tau < young_daly.interval / 2"'))
    assert found.options[2].when == (tau < sqrt(2 * C * M) / 2)


def test_unit_in_a_relation_is_that_of_a_number(planted, tmp_path):
    found = stated(tmp_path, Question, QUESTION.replace('"tau < half"', '"tau < 300[s]"'))
    assert found.options[2].when == (tau < 300 * One("s"))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('title = "Is', 'titel = "Is', 2, "has no `titel` (did you mean `title`?); it may have title, options"),
        ('title = "Is this right?"\n', "", 1, "it lacks `title`"),
        ('"Is this right?"', "3", 2, "`title` is 3; it must be a text in quotes"),
        ('of = "explorer"', 'of = "explorr"', 3, "is called `explorr` (did you mean `explorer`?)"),
        ('of = "explorer"', 'of = "interval"', 3, "no Explorer"),
        ('"young_daly.N"', '"young_daly.NN"', 4, "nothing stands at `young_daly.NN`"),
        ('"young_daly.N"', '"K"', 4, "no Variable here is called `K`"),
        ('"tau < half"', '"tau < haf"', 6, "`haf` (did you mean `half`?)"),
        ('"tau < half"', '"tau <"', 6, "is not understood"),
        ('"tau < half"', "\"__import__('os')\"", 6, "is not understood"),
        ('"interval", "min"', '"intervall", "min"', 10, "is called `intervall` (did you mean `interval`?)"),
        ('"interval", "min"', '"interval"', 10, "it must be a list"),
        ('"interval", "min"', '"interval", "GB"', 1, "cannot be shown in `GB`: it is of dimension time"),
        ("waste > 2", "tau > waste", 1, "dimension"),
        ("says = \"rare\"", "say = \"rare\"", 13, "has no `say` (did you mean `says`?)"),
        ("says = \"rare\"\n", "", 12, "it lacks `says`"),
        ('when = "short"', 'when = "interval"', 22, "it must be a relation such as"),
        ('when = "short"', 'when = "tau"', 22, "it must be a relation such as"),
        ('when = "short"', 'when = "tau < M < C"', 22, "is not understood"),
        ('when = "short"', 'when = "shor"', 22, "(did you mean `short`?)"),
        ('when = "short"', "when = 1", 22, "it must be a relation such as"),
        ("when = false", 'when = "tau > interval"', 1, "2 right options"),
        ("tau < 3/2 * interval", "tau < interval", 1, "0 right options (none) at N = "),
        ('"{w}"', '"{x}"', 1, "has the slot {x}"),
    ],
)  # fmt: skip
def test_question_that_is_none_is_refused_with_its_line(planted, tmp_path, old, new, line, words):
    assert old in QUESTION
    at, told = refused(tmp_path, Question, QUESTION.replace(old, new))
    assert (at, words in told) == (line, True), told
