"""Protects tasks: the core finds the right options, in every variant, and what it may not decide is refused."""

import csv
import functools
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from error_assertions import expect_error
from mathbook import tasks
from mathbook.code_references import chapter_module_of
from page_functions import in_page

from mathcore import MathcoreError, find
from mathcore.library import current_library
from mathcore.statements import Statement
from mathcore.teaching import Exercise, OpenExercise, Task
from mathcore.teaching.expressions import evaluate_expression
from mathcore.teaching.tasks import TASK_KINDS
from mathcore.toml_source import parse_toml

ROOT = Path(__file__).resolve().parents[1]
TASKS = {address: each for address, each in current_library.walk() if isinstance(each, Task)}
NEAR = [{"text": "a", "value": value, "feedback": ""} for value in ("1000[s]", "1001[s]")]
LINES = [
    {"text": "the waste", "expression": "C / tau + tau / (2 * M)", "feedback": "a"},
    {
        "text": "at the root",
        "substitute": "tau = sqrt(2 * C * M)",
        "expression": "2 * sqrt(C / (2 * M))",
        "feedback": "b",
    },
    {"text": "as one root", "expression": "sqrt(2 * C / M)", "feedback": "c"},
]
SUMS = [
    {"text": "a", "calculation": "4[min] * 2", "result": "8 min", "feedback": ""},
    {"text": "b", "calculation": "8[min] * 3", "result": "24 h", "feedback": ""},
]


def task(**changed):
    stated = {
        "kind": "plan", "title": "which", "prompt": "What for {C}?", "given": {"C": "4 min | 9 min"},
        "values": {"T": "young_daly.interval(C=C, M=8[h]) -> min"},
        "options": [
            {"text": "{T}", "correct_if": "T > 1[h]", "feedback": "a"},
            {"text": "no", "correct_if": "T < 1[h]", "feedback": "b"},
        ],
    }  # fmt: skip
    seeded = Task(**{**stated, **changed})
    object.__setattr__(seeded, "qualified_name", "young_daly.seeded")  # its lines are in the symbols of that chapter
    return seeded


def test_right_option_is_found_by_computing():
    assert task().choices(0)[0].text in ("62.0\u202fmin", "no")
    assert {c.text: c.right for c in task().choices(0)} == {"62.0\u202fmin": True, "no": False}
    assert {c.text for c in task().choices(1)} == {"93.0\u202fmin", "no"}
    assert task().fill("Write for {C}.", 1) == "Write for 9\u202fmin."
    assert list(task().issues()) == []


@pytest.mark.parametrize(
    ("relation", "holds"),
    [
        ("T>1[h]", True),
        ("1 h<T<2*C+1 h and T==young_daly.interval(C=C,M=8 h)", True),
        ("T-C<1/2*T", False),
        ("T ≈ 1[h]", True),
        ("T > 1[h] and 3<2", False),
    ],
)
def test_relation_is_evaluated_with_or_without_blanks(relation, holds):
    found = task(options=[{"text": "a", "correct_if": relation, "feedback": ""}] * 2)
    assert [choice.right for choice in found.choices()] == [holds, holds]


def test_best_of_some_values_is_right():
    options = [{"text": s, "value": v, "feedback": ""} for s, v in (("a", "3[min]"), ("b", "90[s]"), ("c", "1[h]"))]
    for pick, right in (("least", "b"), ("greatest", "c")):
        assert [c.text for c in task(options=options, pick=pick).choices() if c.right] == [right]


def test_wrong_line_is_the_one_that_does_not_follow():
    seeded = [*LINES, {"text": "squared", "expression": "2 * C / M", "feedback": "no root any more"}]
    found = task(kind="error", options=seeded, given={}, values={})
    assert [c.right for c in found.choices()] == [False, False, False, True]
    sums = task(kind="error", options=SUMS, given={}, values={})
    assert [c.right for c in sums.choices()] == [False, True]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"options": [{"text": "a", "correct_if": "T > 1[s]", "feedback": ""}] * 2}, "has 2 right options of 2"),
        ({"options": [{"text": "a", "correct_if": "T < 1[s]", "feedback": ""}] * 2}, "has 0 right options of 2"),
        ({"kind": "error", "options": LINES}, "has 0 right options of 3"),
        ({"options": [{"text": "a", "correct_if": "T", "feedback": ""}] * 2}, "is not a relation"),
        ({"options": [{"text": "a", "correct_if": "T > 4[GB]", "feedback": ""}] * 2}, "to 'min' (time)"),
        ({"options": [{"text": "a", "correct_if": "T == 62[min]", "feedback": ""}] * 2}, "differ too little"),
        ({"pick": "least", "options": NEAR}, "too close together"),
        ({"kind": "error", "options": [SUMS[0], {**SUMS[1], "result": "23.2 min"}]}, "neither right nor clearly wrong"),
        ({"prompt": "{D}"}, "has no value"),
        ({"values": {"T": "young_daly.interval(C=C) -> min"}}, "also needs M"),
        ({"values": {"T": "young_daly.interval(C=C, M=8[h]) -> GB"}}, "to 'GB' (information)"),
    ],
    ids=range(11),
)  # fmt: skip
def test_ambiguous_task_is_rejected(changed, words):
    seeded = task(**changed)
    try:
        messages = [*seeded.issues(), *(seeded.fill(seeded.prompt, n) for n in range(seeded.variants))]
    except MathcoreError as error:
        messages = [str(error)]
    assert any(words in each for each in messages), messages


def test_task_shows_the_rows_it_picks_or_else_all_of_its_table():
    """The first and the third line of the sheet, read there: 8 by 12 on 39 GB, and 8 by 6 on 65 GB."""
    asked = task(table="parallelism.measured.memories: tensor, stages, memory", rows=[1, 3])
    heads, rows = asked.table_cells
    assert heads == ["tensor", "stages", "memory"]
    assert [[cell.magnitude for cell in row] for row in rows] == [[8, 12, 39], [8, 6, 65]]
    whole = (find("parallelism.measured.memories").folder / "memory_bigscience.csv").read_text("utf-8").splitlines()[1:]
    assert len(task(table=asked.table).table_cells[1]) == len(whole) > 2
    assert task().table_cells == ([], [])


MANY = {"": 1, "million": 1e6, "billion": 1e9, "trillion": 1e12}


@functools.cache
def on_page(address):
    """Return heads and rows of the table of a task, as texts of its page."""
    found = tasks._render_data(TASKS[address])
    rows = [[cell.astext() for cell in row.children] for part in found.children[0].children for row in part.children]
    return rows[0][1:], [row[1:] for row in rows[1:]]


def read_back(head, cell):
    """Return what a reader reads in a cell below a head: its number, times the scale that the head names."""
    scale = re.search(r"\((million|billion|trillion)\b", head)
    return float(cell.replace(",", "")) * MANY[scale[1] if scale else ""]


@pytest.mark.parametrize("address", [address for address, each in TASKS.items() if each.table])
def test_measured_table_says_what_its_file_says(address):
    """The file is read by other means; a number with an exponent would be read, but no reader expects it."""
    name, _, columns = TASKS[address].table.partition(":")
    path = find(name.strip()).folder / find(name.strip()).file
    lines = list(csv.DictReader(path.with_suffix(".csv").read_text("utf-8").splitlines()))
    heads, printed = on_page(address)
    wanted = [lines[number - 1] for number in TASKS[address].rows or range(1, len(lines) + 1)]
    kinds = parse_toml(path.with_suffix(".toml"))[0]["columns"]
    for row, cells in zip(wanted, printed, strict=True):
        for column, head, cell in zip(columns.split(","), heads, cells, strict=True):
            stated = row[column.strip()]
            if kinds[column.strip()][0] == "text":
                assert cell == stated
            else:
                assert re.fullmatch(r"[\d,]+(\.\d+)?", cell) and read_back(head, cell) == pytest.approx(float(stated))


def test_tokens_and_hours_of_a_card_can_be_read():
    """Llama 2 7B saw two trillion tokens in 184,320 h, Llama 3 70B fifteen in 6.4 million, as their cards say."""
    heads, printed = on_page("training.task_row")
    assert heads[2:] == [
        "parameters that work on one token (billion)",
        "tokens of the training (trillion tokens)",
        "device-hours as printed (GPU-hours)",
    ]
    assert printed[0][2:] == ["6.74", "2", "184,320"] and printed[4][2:] == ["70.55", "15", "6,400,000"]


def test_unknown_kind_is_refused():
    with expect_error(MathcoreError, code="not-a-choice", expected="level 1 or 2"):
        task(kind="riddle")


def test_calculation_puts_values_into_formulas():
    given = {"M": evaluate_expression("6[h]")}
    inner = "young_daly.waste(tau=young_daly.interval(C=5[min], M=M), C=5[min], M=M)"
    assert evaluate_expression(inner, given).m_as("") == pytest.approx((2 * 5 / 360) ** 0.5, rel=1e-12)
    with expect_error(MathcoreError, code="syntax", expected="numbers with units"):
        evaluate_expression("young_daly.interval(5[min])", given)
    with expect_error(MathcoreError, code="syntax", expected="numbers with units"):
        evaluate_expression("import(C=M)", given)


# ---------------------------------------------------------------- all of the book


@pytest.mark.slow
@pytest.mark.parametrize("address", TASKS)
def test_task_of_the_book_holds_in_every_variant(address):
    found = TASKS[address]
    assert list(found.issues()) == []
    spec = json.loads(json.dumps(found.spec()))
    assert len(spec["variants"]) == found.variants
    asked = [(v["prompt"], [o["text"] for o in v["options"]]) for v in spec["variants"]]
    assert len({json.dumps(each) for each in asked}) == found.variants, "new numbers are no new ones"
    for variant in spec["variants"]:
        assert all(option["text"] and option["feedback"] for option in variant["options"])


def chapter(address):
    """Return the chapter of an address."""
    return address.partition(".")[0]


def texts(wanted):
    """Return the pages of a chapter."""
    pages = (ROOT / "book" / "chapters").rglob("*.md")
    return [page.read_text("utf-8") for page in pages if chapter_module_of(page.relative_to(ROOT).as_posix()) == wanted]


def test_every_chapter_has_tasks_of_several_kinds():
    pages = Counter(map(chapter, TASKS))
    assert len(TASKS) >= 60 and len(pages) >= 16 and min(pages.values()) >= 3
    assert {found.kind for found in TASKS.values()} == set(TASK_KINDS)
    for page in pages:
        assert len({found.kind for address, found in TASKS.items() if chapter(address) == page}) >= 2, page
        assert sum(":::{mc:tasks}" in text for text in texts(page)) == 1, page


def test_path_of_a_page_names_five_of_its_exercises():
    for page, listed in current_library.data("recommended_exercises.toml").items():
        text = "\n".join(texts(chapter_module_of(page)))
        assert len(set(listed)) == 5 and ":::{mc:recommended-exercises}" in text, page
        assert any(address in TASKS for address in listed), page
        assert [address for address in listed if isinstance(find(address), OpenExercise)] == listed[-1:], page
        for address in listed:
            statement: Statement = find(address)
            assert (isinstance(statement, Exercise) and address in text) or (
                isinstance(statement, Task | OpenExercise) and chapter(address) == chapter_module_of(page)
            )


def test_no_exam_asks_for_a_recommended_open_exercise():
    recommended = {listed[-1] for listed in current_library.data("recommended_exercises.toml").values()}
    exams = {address for exam in current_library.data("course.toml")["exam"] for address, _ in exam["questions"]}
    assert not recommended & exams


# ---------------------------------------------------------------- in the page


@pytest.mark.node
def test_page_judges_a_choice():
    options = [{"right": r, "feedback": w} for r, w in ((True, "A."), (False, "B."), (True, "C."))]
    judged = "[[], [1], [0], [0, 1], [0, 2]].map((chosen) => mc.task.judge(data, chosen))"
    found = in_page(judged, ["mc-task.js"], options)
    assert [each["verdict"] for each in found] == ["unread", "wrong", "wrong", "wrong", "right"]
    assert found[1]["text"] == "Not this one. B." and found[2]["text"].endswith("one more is too.")
    assert found[4]["text"] == "Right. A. C."
