"""Protects statements in data files: what is written is stated, and a slip is named with its line."""

import re
import sys
import types

import pytest
from sympy import And, Or, sqrt

from mathcore import DeclarationError, One, find
from mathcore.errors import ROOT
from mathcore.library import current_library
from mathcore.teaching import Bars, Calculator, Chart, Choice, Lab, Question, Slider, Substituted
from mathcore.teaching.open_exercises import EXERCISE_CLASSES
from mathcore.teaching.toml_schema import read_statements
from mathcore.toml_source import parse_toml

INTERVAL, WASTE = find("young_daly.interval"), find("young_daly.waste")
C, M, tau = (find(f"young_daly.{name}") for name in ("C", "M", "tau"))


@pytest.fixture
def sample(monkeypatch):
    """Return the name of a module that states some symbols and formulas."""
    module = types.ModuleType("sample")
    vars(module).update(C=C, M=M, work=tau, interval=INTERVAL, waste=WASTE, half=INTERVAL.rhs / 2)
    vars(module).update(explorer=find("young_daly.explorer"), COST=Slider(C, "min", 1, 9, 1, 4), w=WASTE.lhs)
    monkeypatch.setitem(sys.modules, "sample", module)
    return "sample"


def stated(folder, kind, text):
    """Return the only statement of a file."""
    path = folder / "sample.toml"
    path.write_text(text, encoding="utf-8")
    (found,) = read_statements(path, kind, "sample").values()
    return found


def error_with_line(folder, kind, text):
    """Return the line and the words with which a file, or the statement in it, is refused."""
    try:
        message = "".join(stated(folder, kind, text).issues())
    except DeclarationError as error:
        message = str(error)
    line, words = re.match(rf"{re.escape(str(folder / 'sample.toml'))}:(\d+): ([\s\S]*)", message).groups()
    return int(line), words


# ---------------------------------------------------------------- where what stands


def test_every_part_of_a_table_has_its_line(tmp_path):
    path = tmp_path / "sample.toml"
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
remedies = [
    { to = 1 },
]
[two]
title = "b"
"""
    )
    lines = {key: int(place.rpartition(":")[2]) for key, place in parse_toml(path)[1]["one"].items()}
    assert lines == {
        **{"": 1, "title": 2, "parts": 3, "parts.0": 4, "parts.1": 5, "parts.2": 6},
        **{"columns": 8, "columns.in quotes": 9, "panels.0": 10, "panels.0.gap": 11, "panels.1": 12},
        **{"panels.1.gap": 13, "panels.1.remedies": 14, "panels.1.remedies.0": 15},
    }


def test_every_file_is_read_by_the_module_of_its_name():
    for name, kind in (("questions", Question), ("calculators", Calculator), ("labs", Lab)):
        read_by = {
            ROOT / found.where.rpartition(":")[0] for _, found in current_library.walk() if isinstance(found, kind)
        }
        assert {*current_library.path("").glob(f"*/*{name}.toml")} == read_by


def test_part_of_a_table_without_a_head_is_named_with_its_line(sample, tmp_path):
    (tmp_path / "sample.toml").write_text('[a.options]\ntext = "b"\n', encoding="utf-8")
    with pytest.raises(DeclarationError, match=r"sample\.toml:1: the key `title` is missing"):
        read_statements(tmp_path / "sample.toml", Question, sample)


# ---------------------------------------------------------------- a question

QUESTION = """[often]
title = "Is this right?"
calculator = "explorer"
given = { "young_daly.N" = "16 gpu", "young_daly.D" = "young_daly.act_one" }
[often.terms]
short = "tau < half"
[often.texts]
said = "It is {best}. "
[often.slots]
best = ["interval", "min"]
w = ["young_daly.waste", "%", 2]
[[often.options]]
key = "rare"
text = "rare"
correct_if = "not short and (tau >= 3/2 * interval or waste > 2)"
feedback = "{said}And more."
[[often.options]]
key = "fine"
text = "fine"
correct_if = "not short and tau < 3/2 * interval and waste <= 2"
feedback = "{said}"
[[often.options]]
key = "often"
text = "often"
correct_if = "short"
feedback = "No."
[[often.options]]
key = "never"
text = "never"
correct_if = false
feedback = "{w}"
"""


def test_question_in_a_file_is_that_of_python(sample, tmp_path):
    found = stated(tmp_path, Question, QUESTION)
    best, short = sqrt(2 * C * M), tau < sqrt(2 * C * M) / 2
    rare, fine, often, never = found.options
    assert rare.correct_if == And(~short, Or(tau >= 3 * best / 2, WASTE.rhs > 2)) and often.correct_if == short
    assert fine.correct_if == And(~short, tau < 3 * best / 2, WASTE.rhs <= 2) and not never.correct_if
    assert (rare.feedback, fine.feedback, often.feedback) == ("It is {best}. And more.", "It is {best}. ", "No.")
    assert found.slots == {"best": (INTERVAL, "min"), "w": (WASTE, "%", 2)}
    assert found.calculator is find("young_daly.explorer") and found.purpose == "prediction"
    assert found.given == {find("young_daly.N"): "16 gpu", find("young_daly.D"): find("young_daly.act_one")}
    assert found.where == f"{tmp_path / 'sample.toml'}:1"


def test_formula_that_a_module_does_not_state_goes_by_its_address(sample, tmp_path):
    found = stated(tmp_path, Question, QUESTION.replace('"tau < half"', '"tau < young_daly.interval / 2"'))
    assert found.options[2].correct_if == (tau < sqrt(2 * C * M) / 2)


def test_unit_in_a_relation_is_that_of_a_number(sample, tmp_path):
    found = stated(tmp_path, Question, QUESTION.replace('"tau < half"', '"tau < 300[s]"'))
    assert found.options[2].correct_if == (tau < 300 * One("s"))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('title = "Is', 'titel = "Is', 2, "did you mean `title`?"),
        ('"Is this right?"', "3", 2, "`title` is 3; it must be a text in quotes"),
        ('calculator = "explorer"', 'calculator = "explorr"', 3, "unknown name `explorr`; did you mean `explorer`?"),
        ('calculator = "explorer"', 'calculator = "interval"', 3, "`interval` is of the kind Formula, not Calculator"),
        ('"young_daly.N"', '"young_daly.NN"', 4, "there is no statement `young_daly.NN`"),
        ('"tau < half"', '"tau < haf"', 6, "`haf`; did you mean `half`?"),
        ('"tau < half"', "\"__import__('os')\"", 6, "is not understood"),
        ('"interval", "min"', '"interval"', 10, "it must be a list"),
        ('"interval", "min"', '"interval", "GB"', 1, "cannot be shown in `GB`: it is of dimension time"),
        ("waste > 2", "tau > waste", 1, "dimension"),
        ("text = \"rare\"\n", "", 12, "the key `text` is missing"),
        ('correct_if = "short"', 'correct_if = "interval"', 25, "it must be a relation such as"),
        ('correct_if = "short"', 'correct_if = "tau < M < C"', 25, "is not understood"),
        ('correct_if = "short"', 'correct_if = "shor"', 25, "did you mean `short`?"),
    ],
)  # fmt: skip
def test_question_that_is_none_is_refused_with_its_line(sample, tmp_path, old, new, line, words):
    assert old in QUESTION
    at, message = error_with_line(tmp_path, Question, QUESTION.replace(old, new))
    assert (at, words in message) == (line, True), message


# ---------------------------------------------------------------- a calculator

CALCULATOR = """[plan]
title = "Where?"
sliders = [
    { variable = "M", unit = "h", low = 1, high = 100, step = 1, default = 8, measured = SEEN },
    "COST",
    { variable = "tau", unit = "min", options = { often = 5, rarely = 120 }, default = 5, label = "Yours" },
]
x = { what = "tau", unit = "min", low = 1, high = 180, log = true }
y = { what = "w", unit = "%", low = 0 }
curves = [{ label = "total", formula = "waste", style = "total" }]
markers = [
    { label = "yours", x = "tau", on = "waste" },
    { label = "best", x = "interval", on = "young_daly.waste", vertical = true },
]
lines = [
    "interval",
    { formula = "waste", values = { tau = ["interval", "min"] } },
]
rows = [{ label = "total", formula = "waste", unit = "%", digits = 2 }]
limits = "Restarts are free."
commit = ["tau", "interval", "waste"]
[plan.start]
M = ["explorer", "M"]
[plan.columns]
yours = "tau"
"Young's" = "interval"
[plan.bands]
ratio = "young_daly.interval_ratio"
edges = [0.7, 1.4]
labels = ["often", "fine", "rarely"]
severities = ["warn", "good", "bad"]
[[plan.panels]]
title = "Side by side"
unit = "%"
bars = { first = "waste", second = "waste" }
[[plan.panels]]
title = "Again"
x = { what = "tau", unit = "min", low = 1 }
y = { what = "w", unit = "%", low = 0 }
curves = [{ label = "total", formula = "waste" }]
[[plan.failures]]
title = "Too rare"
violation = "waste"
text = "{tau} is too rare: {w} is lost."
remedies = [
    { text = "Save every {to}.", sets = "tau", to = "interval" },
    { text = "Save every {to}.", sets = "tau", to = 5 },
]
slots = { w = ["waste", "%"] }
""".replace("SEEN", '["young_daly.lab_mtbf", "young_daly.lab_mtbf"]')


def test_calculator_in_a_file_is_that_of_python(sample, tmp_path):
    found = stated(tmp_path, Calculator, CALCULATOR)
    first, cost, choice = found.sliders
    assert (
        first == Slider(M, "h", 1, 100, 1, 8, "", ("young_daly.lab_mtbf", "young_daly.lab_mtbf"))
        and cost is sys.modules[sample].COST
    )
    assert choice == Choice(tau, "min", {"often": 5, "rarely": 120}, 5, "Yours")
    assert (found.x.high, found.x.log, found.y.high) == (180, True, None)
    assert [(each.x, each.on) for each in found.markers] == [(tau, WASTE), (INTERVAL, WASTE)]
    assert found.lines == (INTERVAL, Substituted(WASTE, {tau: (INTERVAL, "min")}))
    assert found.columns == {"yours": tau, "Young's": INTERVAL} and found.commit == (tau, INTERVAL, WASTE)
    assert found.start == {M: (find("young_daly.explorer"), M)} and found.bands.edges == (0.7, 1.4)
    assert [type(each) for each in found.panels] == [Bars, Chart]
    (failure,) = found.failures
    assert failure.slots == {"w": (WASTE, "%")} and [way.to for way in failure.remedies] == [INTERVAL, 5]
    assert found.where == f"{tmp_path / 'sample.toml'}:1"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('limits = "', 'limit = "', 20, "did you mean `limits`?"),
        ('title = "Where?"\n', "", 1, "the key `title` is missing"),
        ('variable = "M"', 'variable = "MM"', 4, "unknown name `MM`"),
        ('"h", low = 1', '"h", low = "1"', 4, "`low` is '1'; it must be a number such as"),
        ('"h", low = 1', '"GB", low = 1', 1, "cannot be shown in `GB`"),
        ("step = 1, default = 8,", "step = 1,", 4, "the key `default` is missing"),
        ('"COST"', '"COAST"', 5, "unknown name `COAST`; did you mean `COST`?"),
        ('"COST"', '"waste"', 5, "`waste` is of the kind Formula, not Slider or Choice"),
        ('"COST"', "5", 5, "it must be the name of a Slider or the name of a Choice"),
        ("rarely = 120", "rarely = true", 6, "`rarely` is True; it must be a number"),
        ('x = "interval"', 'x = "intervall"', 13, "did you mean `interval`?"),
        ('{ tau = ["interval", "min"] }', '{ tow = ["interval", "min"] }', 17, "unknown name `tow`"),
        ("digits = 2", "digits = 2.5", 19, "it must be an integer"),
        ('["tau", "interval", "waste"]', '["tau", "interval"]', 21, "it must be a list"),
        ('["explorer", "M"]', '["explorer", "m"]', 23, "unknown name `m`"),
        ("edges = [0.7, 1.4]", "edges = 0.7", 29, "it must be a list"),
        ('"%"\nbars', '"min"\nbars', 1, "cannot be shown in `min`"),
        ("to = 5 }", "two = 5 }", 47, "has no `two`"),
        ('w = ["waste", "%"]', 'w = ["waste", "%", "3"]', 49, "`2` is '3'; it must be an integer"),
        ('w = ["waste", "%"]', 'w = ["waste", "s"]', 1, "cannot be shown in `s`"),
        ("[plan.bands]", "[plan.band]", 27, "did you mean `bands`?"),
    ],
)  # fmt: skip
def test_calculator_that_is_none_is_refused_with_its_line(sample, tmp_path, old, new, line, words):
    assert old in CALCULATOR
    at, message = error_with_line(tmp_path, Calculator, CALCULATOR.replace(old, new, 1))
    assert (at, words in message) == (line, True), message


# ---------------------------------------------------------------- a lab

LAB = """[lab]
title = "Two acts"
parts = ["explorer"]
outcomes = [
    { label = "best", calculator = "explorer", formula = "interval", unit = "min" },
]
minutes = { "act one" = 20 }
[lab.contexts.small]
label = "Small"
story = "A small cluster."
sets = { M = "8 h", C = "4 min", work = "30 min" }
"""


def test_lab_in_a_file_is_that_of_python(sample, tmp_path):
    lab = stated(tmp_path, Lab, LAB)
    assert lab.parts == (find("young_daly.explorer"),) and dict(lab.minutes) == {"act one": 20}
    assert lab.contexts["small"].sets == {M: "8 h", C: "4 min", tau: "30 min"}
    assert lab.outcomes[0].formula is INTERVAL and lab.outcomes[0].digits == 3


@pytest.mark.parametrize(
    ("sound", "slip", "words"),
    [
        ('["explorer"]', '["explorr"]', (3, "unknown name `explorr`; did you mean `explorer`?")),
        (
            'calculator = "explorer"',
            'calculator = "interval"',
            (5, "`interval` is of the kind Formula, not Calculator"),
        ),
        ('formula = "interval"', 'formula = "M"', (5, "`M` is of the kind Variable, not Formula")),
        ('M = "8 h"', 'N = "8"', (11, "unknown name `N`")),
        (
            'story = "A small cluster."',
            'told = "A small cluster."',
            (10, "a statement here has no `told`; it may have label, story, sets"),
        ),
        ('M = "8 h"', 'waste = "8 h"', (11, "`waste` is of the kind Formula, not Variable")),
    ],
)
def test_slip_in_a_lab_is_named_with_its_line(sample, tmp_path, sound, slip, words):
    assert sound in LAB
    assert error_with_line(tmp_path, Lab, LAB.replace(sound, slip, 1)) == words


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('kind = "deriv"', "unknown `kind` `deriv`; did you mean `derive`?"),
        ('kind = "essay"', "unknown `kind` `essay`; choose one of derive, order, estimate, design, program"),
        ("", "`kind` is missing; choose one of derive, order, estimate, design, program"),
    ],
)
def test_an_open_exercise_of_an_unknown_kind_names_the_kinds(tmp_path, line, told):
    found = error_with_line(tmp_path, EXERCISE_CLASSES, f'[ex_first]\n{line}\ntitle = "A title"\n')
    assert told in " ".join(found[1].split()), found
