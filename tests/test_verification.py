"""Protects `python -m mathcore verify`: it counts what holds, and what fails it names with its line."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from mathbook import build_checks, cache, checks
from mathbook.checks import bibliography_keys, verify_book

import mathcore.chapters
from mathcore import library
from mathcore.__main__ import main
from mathcore.commands.verification import Report, check_module, report_table

GOOD = '''\
"""A chapter that holds."""
import sympy
from mathcore import Derivation, Example, Fact, Formula, Variable
from mathcore.monte_carlo import Simulation
from mathcore.teaching import Exercise

C = Variable("C", "s", "write time", low="1 s", high="1 d")
M = Variable("M", "s", "time between failures", low="1 min", high="10 year")
tau = Variable("tau", "s", "interval")
w = Variable("w", "", "waste")
dump = Fact("5 min", "dump time", kind="paper", source="daly2006", date="2006")
waste = Formula(w, C / tau + tau / (2 * M))
interval = (
    Derivation.minimise(waste, over=tau, why="no slope")
    .slope(1 / (2 * M) - C / tau**2, "term by term")
    .root(sympy.sqrt(2 * C * M), "the root")
    .curvature(2 * C / tau**3, "positive")
    .formula()
)
shift = Example(interval, {C: dump, M: "6 h"}, expect="60 min")
ex = Exercise(interval, {C: "5 min", M: "6 h"}, mistakes={"a": M / 2, "b": sympy.sqrt(C * M)})
coin = Simulation(Formula(w, sympy.Rational(1, 2)), {}, lambda *, runs, seed: [i % 2 for i in range(runs)])
'''
PAGE = "# Sample\n\n{mc:value}`sample.shift` and {mc:value}`sample.dump`, of 10.\n"


@pytest.fixture
def write_book(tmp_path, monkeypatch):
    """Return a function that writes a chapter with its page and loads it."""
    folders = [str(tmp_path / "mathcore" / "chapters")]
    monkeypatch.setattr(mathcore.chapters, "__path__", folders)
    monkeypatch.setattr(library.current_library, "folders", folders)
    monkeypatch.setitem(cache._state, "run", str(tmp_path))
    before = set(sys.modules)

    def write(chapter=GOOD, page=PAGE, name="sample"):
        for path, text in (
            (tmp_path / "mathcore" / "chapters" / f"{name}.py", chapter),
            (tmp_path / "book" / f"{name}.md", page),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "book"

    yield write
    for added in {m for m in set(sys.modules) - before if m.startswith("mathcore.chapters.")}:
        del sys.modules[added]
        monkeypatch.delattr(mathcore.chapters, added.rpartition(".")[2], raising=False)


def line_of(text):
    """Return the number of the line of the good chapter that begins with `text`."""
    return next(i for i, line in enumerate(GOOD.splitlines(), 1) if line.startswith(text))


def test_all_that_is_wrong_with_a_data_file_is_named_in_its_lines(write_book, tmp_path):
    file = tmp_path / "mathcore" / "chapters" / "sample.facts.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[paper]\none = ["4 min"]\ntwo = ["5 min", "a time", { ay = "page 1" }]\n', encoding="utf-8")
    report = verify_book(write_book("import mathcore\n\nfacts = mathcore.read_facts(__name__)\n", "# Sample\n"))
    assert [message.rpartition(f"{file.name}:")[2].partition(":")[0] for message in report.issues] == ["2", "3"]


def test_everything_is_counted_by_its_kind(write_book):
    report = verify_book(write_book())
    assert report.issues == []
    counted = report.as_dict()
    assert counted["chapters"]["sample"] == {
        "formulas": 2, "derived": 1, "models": 1, "definitions": 0,
        "steps": {"proved": 3, "sampled": 0, "approximate": 0, "assumed": 1},
        "examples": 1, "exercises": 1, "facts": 1, "calculators": 0, "labs": 0, "simulations": 1, "questions": 0,
        "datasets": 0, "comparisons": 0, "independent": 0, "fitted": 0, "as_expected": 0, "decisions": 0, "measured": 0,
        "claims": {"reproduced": 0, "rounding": 0, "wrong": 0, "depends": 0, "unsupported": 0},
        "numbers": {"computed": 1, "cited": 1, "free": 0, "words": 0},
            "systems": [],
    }  # fmt: skip


def test_page_below_a_folder_called_chapters_counts_for_its_own_chapter(write_book, tmp_path):
    write_book()
    folder = tmp_path / "chapters" / "mine"
    (folder / "book").mkdir(parents=True)
    (folder / "book" / "sample.md").write_text(PAGE, encoding="utf-8")
    report = verify_book([folder / "book" / "sample.md"], folder=folder)
    assert set(report.chapters) == {"sample"} and report.totals["numbers"]["computed"] == 1


def test_keys_of_a_bibliography_are_those_of_its_works(tmp_path):
    """The keys of two works; neither the comment nor the abbreviation is one, and a changed file is read again."""
    file = tmp_path / "works.bib"
    text = '@comment{none}\n@string{acm = "Communications of the ACM"}\n @article{young1974, journal = acm}\n'
    file.write_text(f"{text}@misc{{daly2006, year = 2006}}", encoding="utf-8")
    assert bibliography_keys([file, tmp_path / "none.bib"]) == {"young1974", "daly2006"}
    file.write_text(text, encoding="utf-8")
    assert bibliography_keys([file]) == {"young1974"}


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("@misc{a, title={x}}\n@misc{b, title={x}\n@misc{c, title={y}}\n", ":3: syntax error in line 3: '}' expected"),
        ("@misc{a, title={x}}\n@misc{a, title={y}}\n", ":1: repeated bibliography entry: a"),
    ],
)
def test_bibliography_that_cannot_be_read_is_an_issue_with_its_place(tmp_path, text, failure):
    (tmp_path / "works.bib").write_text(text)
    (found,) = checks._unknown_sources("young_daly", [tmp_path / "works.bib"])
    assert found.endswith(f"works.bib{failure}")


def test_totals_are_the_sums_over_chapters(write_book):
    write_book()
    report = verify_book(write_book(GOOD, PAGE.replace("sample", "second"), "second"))
    assert report.issues == []
    assert (report.totals["formulas"], report.totals["steps"]["proved"], report.totals["numbers"]["cited"]) == (4, 6, 2)


@pytest.mark.parametrize(
    ("old", "new", "at", "what"),
    [
        (".slope(1 / (2 * M) - C", ".slope(1 / (2 * M) + C", "    .slope", "is not C/tau**2"),
        ("sympy.sqrt(2 * C * M), ", "sympy.sqrt(C * M), ", "    .root", "is no root"),
        ('expect="60 min"', 'expect="60 s"', "shift", "60 times that"),
        ('"b": sympy.sqrt(C * M)', '"b": sympy.sqrt(2 * C * M)', "ex", "mistake `b`"),
        ("C / tau + tau / (2 * M))", "C / tau + 2 * M / tau**2)", "waste", "cannot be combined"),
        ('source="daly2006"', 'source=""', "dump", "has no source"),
        ('source="daly2006"', 'source="daly2007"', "dump", "is not in book/references.bib; did you mean `daly2006`?"),
        (
            "sympy.Rational(1, 2)",
            "sympy.Rational(1, 3)",
            "coin",
            "the simulation gives 0.5 ± 0.0079, the formula 0.333333",
        ),
        ('w = Variable("w"', 'w = Variable("tau"', "w", "the symbol tau already means sample.tau"),
        ("i % 2", "1 / 0", "coin", "ZeroDivisionError"),
        ("dump = Fact", "dump = Fakt", "dump", "NameError"),
        ("import sympy", "import sympy as", "import", "SyntaxError"),
    ],
    ids=lambda text: text[:24],
)
def test_seeded_error_is_named_with_its_line(write_book, old, new, at, what):
    assert GOOD.count(old) == 1
    report = verify_book(write_book(GOOD.replace(old, new), "# A page\n"))
    # what rests on a false line is reported as well: the line itself is among the issues, and first in the file
    (issue,) = [f for f in report.issues if f"sample.py:{line_of(at)}:" in f]
    place, _, message = issue.partition(": ")
    assert place.endswith(f"mathcore/chapters/sample.py:{line_of(at)}"), report.issues
    assert what in message


@pytest.mark.parametrize(
    ("page", "what"),
    [
        ("# Sample\n\nIt took 144 min.\n", "sample.md:3: the number `144` is typed by hand"),
        ("# Sample\n\n{mc:value}`sample.shifd`\n", "sample.md:3: there is no statement `sample.shifd`"),
    ],
)  # fmt: skip
def test_error_of_a_page_is_named_with_its_line(write_book, page, what):
    (issue,) = verify_book(write_book(page=page)).issues
    assert what in issue


def test_name_that_is_stated_twice_is_named_with_both_lines(write_book):
    again = 'shift = Example(interval, {C: dump, M: "12 h"})\n'
    report = verify_book(write_book(GOOD + again))
    expected = f"`shift` is stated in line {line_of('shift = ')} as well: give one of them another name"
    assert [message.partition("sample.py:")[2] for message in report.issues] == [
        f"{len(GOOD.splitlines()) + 1}: {expected}"
    ]


def test_chapter_that_fails_does_not_hide_the_others(write_book):
    write_book(GOOD.replace("dump = Fact", "dump = Fakt"), "# First\n")
    report = verify_book(write_book(GOOD, PAGE.replace("sample", "second"), "second"))
    assert len(report.issues) == 1 and report.chapters["second"]["formulas"] == 2


def test_error_of_a_chapter_that_pages_need_too_is_printed_once(write_book):
    report = verify_book(write_book(GOOD.replace("dump = Fact", "dump = Fakt")))
    assert len(report.issues) == 1


def test_step_known_only_by_points_is_listed(write_book):
    statement = "same = Derivation.start(w, C / sympy.Max(C, M), 'x').rewrite(sympy.Min(1, C / M), 'y').formula()\n"
    report = verify_book(write_book(GOOD + statement))
    assert report.issues == []
    for sampled in (
        report.sampled,
        check_module(library.current_library, "sample")["sampled"],
    ):  # of the build, and of the core
        assert [place.rpartition(": ")[2] for place in sampled] == ["sample.same.derivation"]


def test_table_has_a_row_for_each_chapter_and_one_for_the_sums(write_book):
    rows = [line.split() for line in report_table(verify_book(write_book())).splitlines()]
    assert rows[0][:4] == ["chapter", "formulas", "derived", "proved"]
    assert [row[:4] for row in rows if row and row[0] in ("sample", "total")] == [
        ["sample", "2", "1", "3"], ["total", "2", "1", "3"],
    ]  # fmt: skip
    assert rows[-1][:2] == ["everything", "holds,"]


@pytest.mark.slow
def test_command_ignores_earlier_results_and_writes_json(write_book, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mathbook.checks.verify_book.__defaults__", (write_book(), ""))
    before = cache._state["run"]
    path = tmp_path / "new" / "report.json"
    assert main(["verify", "--json", str(path)]) == 0
    assert cache._state["run"] != before
    assert "everything holds" in capsys.readouterr().out
    assert json.loads(path.read_text(encoding="utf-8"))["steps"]["proved"] == 3


@pytest.mark.slow
def test_command_fails_and_says_why_on_the_error_stream(write_book, capsys, monkeypatch):
    pages = write_book(GOOD.replace("60 min", "60 s"), "# A page\n")
    monkeypatch.setattr("mathbook.checks.verify_book.__defaults__", (pages, ""))
    monkeypatch.setattr("mathbook.checks.find_unused_statements", list)
    assert main(["verify"]) == 1
    output = capsys.readouterr()
    assert "1 failed" in output.out and "mathcore/chapters/sample.py" in output.err


@pytest.mark.slow
def test_command_without_a_word_explains_itself():
    result = subprocess.run([sys.executable, "-m", "mathcore"], capture_output=True, text=True)
    assert result.returncode == 2 and "verify" in result.stderr


def test_one_chapter_is_verified_with_the_sentences_of_its_page(tmp_path, capsys, monkeypatch):
    page = tmp_path / "chapters" / "young-daly.md"
    page.parent.mkdir()
    page.write_text("# A page\n\nAn hour, and more. {mc:assert}`young_daly.act_one > 2 h`\n", "utf-8")
    monkeypatch.setattr("mathbook.checks.prose_numbers.PAGES", tmp_path)
    assert main(["verify", "young_daly"]) == 1
    assert "young-daly.md:3: `young_daly.act_one > 2 h` no longer holds" in capsys.readouterr().err
    page.write_text("# A page\n\nAn hour, and more. {mc:assert}`young_daly.act_one > 1 h`\n", "utf-8")
    assert main(["verify", "young_daly"]) == 0


@pytest.mark.parametrize("verify", [True, False])
def test_setting_mathbook_verify_switches_the_checks_of_a_build_on_and_off(tmp_path, monkeypatch, verify):
    logged, report_path = [], tmp_path / "report.json"
    false = Report(issues=["mathcore/chapters/sample.py:7: it is false"])
    monkeypatch.setattr("mathbook.checks.verify_book", lambda *_, **__: false)
    monkeypatch.setattr(build_checks, "log_issue", lambda issue, kind: logged.append((str(issue), kind)))
    monkeypatch.setattr(build_checks, "_require_loadable", lambda: None)
    config = SimpleNamespace(mathbook_verify=verify, mathbook_chapter="", mathbook_report=report_path)
    build_checks._check_statements(
        SimpleNamespace(config=config, srcdir=tmp_path), SimpleNamespace(found_docs=(), doc2path=str), []
    )
    assert [(issue.partition("mathcore/")[2], kind) for issue, kind in logged] == [
        ("chapters/sample.py:7: it is false", "statement")
    ] * verify
    assert report_path.exists() is verify
