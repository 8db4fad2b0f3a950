"""Tests the grading of ledgers: verdicts are computed again, forgeries named, a folder becomes one table."""

import csv
import io
import json

import pytest
from built_site import ROOT
from error_assertions import expect_error
from ledger_rules import ACCEPTED, IMPOSSIBLE_DATES, REFUSED
from ledger_rules import ledger as ruled

from mathcore import ArgumentError, MathcoreError, find
from mathcore.__main__ import main
from mathcore.commands import grading
from mathcore.library import current_library
from mathcore.teaching import Exercise, answer_parser

LAB = find("lab_checkpoint_reckoning.lab")
OFTEN = find("lab_checkpoint_reckoning.often")
GUESS = find("lab_checkpoint_reckoning.guess_fleet")  # 200 gpu·h over 16384 gpu: 43.9 s
POINT = find("lab_checkpoint_reckoning.explorer")
WHEN = "2026-03-01T09:00:00.000Z"


def commitment(**more):
    return {"context": "told", "says": "x", "right": False, "reason": "it seems so", "when": WHEN, **more}


def ledger(**made):
    entries = {f"lab_checkpoint_reckoning.{name}": {"kind": "x", "made": list(all_)} for name, all_ in made.items()}
    return {"version": 2, "entries": {"reader": {"kind": "reader", "name": "Ada"}, **entries}}


@pytest.fixture
def graded(tmp_path):
    """Return the function that grades one ledger and gives its rows."""

    def rows(content):
        path = tmp_path / "ada.json"
        path.write_text(json.dumps(content), "utf-8")
        return list(grading.grade_rows(current_library, [path]))

    return rows


def test_first_commitment_counts_and_later_ones_do_not(graded):
    [row] = graded(ledger(often=[commitment(choice=0), commitment(choice=1)]))
    assert (row["name"], row["lab"], row["context"]) == ("Ada", "The checkpoint reckoning", "told")
    assert (row["answered"], row["right_first"], row["reasons"], row["refused"]) == (1, 0, 1, "")
    [row] = graded(ledger(often=[commitment(choice=1), commitment(choice=0)]))
    assert row["right_first"] == 1


def test_what_a_file_says_of_itself_is_not_believed(graded):
    [row] = graded(ledger(often=[commitment(choice=0, right=True)]))
    assert row["right_first"] == 0


def test_choice_is_graded_with_the_numbers_of_its_moment(graded):
    """At a write of a minute and a failure every three hours ten minutes lose 12.8 %, thirty 11.7 %, sixty 18.3 %."""
    at = {"C": 60.0, "M": 10800.0}
    rights = [graded(ledger(often=[commitment(choice=i, at=at)]))[0]["right_first"] for i in range(3)]
    assert rights == [0, 0, 1]


@pytest.mark.parametrize(
    ("answer", "factor"), [("44 s", 1.0), ("43.9 s", 1.0), ("44 min", 60.0), ("11 s", 4.0), ("0.0122 h", 1.0)]
)
def test_guess_counts_by_its_factor(graded, answer, factor):
    [row] = graded(ledger(guess_fleet=[commitment(answer=answer, context="small")]))
    assert (row["context"], row["guesses"]) == ("small", 1)
    assert float(row["median_factor"]) == pytest.approx(factor, rel=0.02)


def unreadable_answers(exercise):
    """Return the answers of an exercise, as its page prints them, that are not read as what they state."""
    found = []
    for seed in range(3):
        value = exercise.answer_of(seed)
        answer = exercise.format_answer(value, digits=6)
        try:
            right = answer_parser.parse_answer(answer).m_as(value.units) == pytest.approx(value.magnitude, rel=1e-3)
        except MathcoreError:
            right = False
        found += [] if right else [f"{exercise.address}: {answer}"]
    return found


def test_what_a_page_prints_as_the_answer_is_read():
    exercises = [each for _, each in current_library.walk() if isinstance(each, Exercise)]
    assert len(exercises) > 100 and [message for each in exercises for message in unreadable_answers(each)] == []
    assert [
        answer_parser.parse_answer(text).m_as("USD/token") for text in ("$2 per million tokens", "2 USD/Mtoken")
    ] == [2e-6, 2e-6]
    with expect_error(ArgumentError, "zebras"):
        answer_parser.parse_answer("$2 per million zebras")


@pytest.mark.parametrize(
    ("minutes", "factor", "lost"), [(30, 2.07, 0.275), (45, 1.38, 0.052), (62, 1, 0), (120, 1.94, 0.226)]
)
def test_slider_is_graded_by_what_it_loses_above_the_optimum_of_its_state(graded, minutes, factor, lost):
    """Where √(2·4 min·8 h) is 62 min, x times that loses (x + 1/x)/2 − 1 more, by hand; 6.5 % more count in full."""
    [row] = graded(ledger(explorer=[commitment(at={"C": 4, "M": 8, "tau": minutes})]))
    assert float(row["median_factor"]) == pytest.approx(factor, rel=0.01)
    worth = min(1, (1 - lost) / 0.935)
    assert float(row["score"]) == pytest.approx(worth / row["asked"], abs=0.005)


@pytest.mark.parametrize(
    ("part", "forged", "words"),
    [
        ("often", {"choice": 99}, "no option number 99"),
        ("often", {"choice": "1"}, "no option number 1"),
        ("often", {"choice": 1, "at": {"C": 1e9}}, "C cannot be 1.66667e+07 min"),
        ("often", {"choice": 1, "when": "2099-01-01T00:00:00Z"}, "2099-01-01, which has not come yet"),
        ("often", {"choice": 1, "when": "yesterday"}, "damaged"),
        ("guess_fleet", {"answer": "44 zebras"}, "zebras"),
        ("guess_fleet", {}, "damaged"),
        ("explorer", {"at": {"tau": 30}}, "damaged"),
    ],
)
def test_forged_entry_is_named_and_counts_nothing(graded, part, forged, words):
    [row] = graded(ledger(**{part: [commitment(**forged)]}))
    assert words in row["refused"] and (row["right_first"], row["guesses"]) == (0, 0)


@pytest.mark.parametrize(("part", "made"), REFUSED.values(), ids=REFUSED)
def test_ledger_that_cannot_be_is_refused_and_counts_nothing(graded, part, made):
    [row] = graded(ruled(part, made))
    assert row["refused"] and (row["right_first"], row["guesses"]) == (0, 0)


@pytest.mark.parametrize("when", IMPOSSIBLE_DATES)
def test_date_that_cannot_be_is_refused(graded, when):
    [row] = graded(ruled("often", [{**REFUSED["no such key"][1][0], "option": None, "when": when}]))
    assert row["refused"] and row["right_first"] == 0


@pytest.mark.parametrize(("part", "made"), ACCEPTED.values(), ids=ACCEPTED)
def test_ledger_that_can_be_is_not_refused(graded, part, made):
    [row] = graded(ruled(part, made))
    assert (row["refused"], row["answered"]) == ("", 1)


def test_option_is_known_by_its_key_whatever_its_place(graded):
    right = OFTEN.options[OFTEN.right].key
    [row] = graded(ledger(often=[commitment(choice=0, option=right)]) | {"version": 3})
    assert (row["right_first"], row["refused"]) == (1, "")
    [row] = graded(ledger(often=[commitment(choice=1, option="nothing")]) | {"version": 3})
    assert row["right_first"] == 0 and "no option `nothing`" in row["refused"]


def test_ledger_of_0_1_0_is_graded_as_that_version_did():
    """The page judged each first answer; the verdict in the file agrees with the recomputed one."""
    path = ROOT / "tests" / "data" / "0.1.0" / "ledger.json"
    entries = json.loads(path.read_text("utf-8"))["entries"]
    rows = list(grading.grade_rows(current_library, [path]))
    firsts = {(old, made["context"]): made for old, each in entries.items() for made in reversed(each.get("made", []))}
    right = [made["right"] for made in firsts.values() if "choice" in made]
    assert sum(row["right_first"] for row in rows) == sum(right) and sum(row["answered"] for row in rows) == len(firsts)
    assert [row["refused"] for row in rows if row["refused"]] == []
    assert {row["name"] for row in rows} == {"Ada"}
    assert len({row["lab"] for row in rows}) == 4 and 0 < sum(right) < len(right)


def test_renamed_address_is_graded_from_an_old_ledger_only(graded, monkeypatch):
    monkeypatch.setattr("mathcore.redirects.read_redirects", lambda path: {"early_lab.": "lab_checkpoint_reckoning."})
    content = json.loads(
        json.dumps(ledger(often=[commitment(choice=1)])).replace("lab_checkpoint_reckoning.", "early_lab.")
    )
    assert [row["answered"] for row in graded(content)] == [1]
    assert graded(content | {"version": 3}) == []


@pytest.mark.parametrize(
    "text",
    ["{not json", "[]", '{"version": 1, "entries": {}}', '{"version": 2}', "[" * 100_000, "1" * 5000],
    ids=["text", "list", "version", "no entries", "nested too deeply", "too many digits"],
)
def test_file_that_is_no_ledger_is_refused_by_name_and_the_others_are_graded(tmp_path, text):
    for name in ("ada", "zoe"):
        (tmp_path / f"{name}.json").write_text(json.dumps(ledger(often=[commitment(choice=1)])), "utf-8")
    (tmp_path / "eve.json").write_text(text, "utf-8")
    rows = list(grading.grade_rows(current_library, [tmp_path]))
    assert [row["file"] for row in rows] == ["ada.json", "eve.json", "zoe.json"]
    assert "eve.json" in rows[1]["refused"] and "ledger" in rows[1]["refused"] and "score" not in rows[1]


def test_name_without_an_encoding_is_written(tmp_path):
    entries = ledger(often=[commitment(choice=1)])
    entries["entries"]["reader"] = {"name": "Ada \ud83d"}
    (tmp_path / "eve.json").write_text(json.dumps(entries), "utf-8")
    with (tmp_path / "grades.csv").open("w", encoding="utf-8") as table:
        grading.write_grades(current_library, [tmp_path / "eve.json"], table)
    assert "Ada ?" in (tmp_path / "grades.csv").read_text("utf-8")


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1+cmd()", "@SUM(A1)", " =cmd()"])
def test_cell_that_a_spreadsheet_would_compute_is_escaped(tmp_path, name):
    entries = ledger(often=[commitment(choice=1)])
    entries["entries"]["reader"] = {"name": name}
    (tmp_path / "eve.json").write_text(json.dumps(entries), "utf-8")
    table = io.StringIO()
    grading.write_grades(current_library, [tmp_path / "eve.json"], table)
    (row,) = csv.DictReader(table.getvalue().splitlines())
    assert row["name"] == f"'{name}"


def test_folder_of_ten_becomes_one_table(tmp_path, capsys):
    for number in range(10):
        content = ledger(often=[commitment(choice=number % 3)])
        content["entries"]["reader"]["name"] = f"reader {number}"
        (tmp_path / f"{number}.json").write_text(json.dumps(content), "utf-8")
    assert main(["grade", str(tmp_path)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["name"] for row in rows] == [f"reader {n}" for n in range(10)]
    assert [row["right_first"] for row in rows] == [str(int(n % 3 == OFTEN.right)) for n in range(10)]
