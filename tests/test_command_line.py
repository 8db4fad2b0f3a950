"""Protects the way in from a shell and from README: what is written there works, and what cannot work is reported.

Every statement can be listed, shown and printed in a plain install too, without numpy and scipy.
"""

import doctest
import json
import re
import shlex
import subprocess
import sys
import types

import pytest
import sympy
from error_assertions import expect_error
from test_layers import WATCHED

import mathcore
from mathcore import Formula, Library, Variable, errors, library
from mathcore.__main__ import main
from mathcore.commands import missing_dependency, text_output, verification
from mathcore.errors import ROOT

README = (ROOT / "README.md").read_text("utf-8")
DISK = '''\
"""Disks: how long a write takes."""
from mathcore import Example, Formula, Variable

S = Variable("S", "B", "size of a write", display_unit="GB")
b = Variable("b", "B/s", "bandwidth of a disk", display_unit="GB/s")
t = Variable("t", "s", "time to write")
write = Formula(t, S / b)
page_write = Example(write, {S: "4 GB", b: "2 GB/s"}, expect="2 s", source="a pocket calculator")
'''


@pytest.fixture
def mypackage(tmp_path, monkeypatch):
    """Return the folder of a package of one's own that can be imported."""
    folder = tmp_path / "mypackage"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Mine."""\n')
    (folder / "disk.py").write_text(DISK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "mypackage"]:
        del sys.modules[name]


@pytest.fixture
def run_shell(capsys):
    """Return the function that runs a command line and gives its status, output and issues."""

    def run(line):
        status = main(shlex.split(line, comments=True))
        out, err = capsys.readouterr()
        return status, out, err

    return run


# ---------------------------------------------------------------- what README says


def failed_examples(text):
    """Return how many examples a text has, and the messages of those that give something else."""
    found, words = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0), []
    result = doctest.DocTestRunner().run(found, out=words.append)
    return result.attempted, "".join(words)


def test_examples_of_readme_give_what_it_prints():
    attempted, words = failed_examples(README)
    assert attempted >= 3 and words == ""


@pytest.mark.parametrize(
    ("old", "new"), [("search(", "serch("), ("young_daly.cluster_mtbf: M", "audit.fleet.mtbf: M"), ("61.9677335", "62")]
)
def test_false_example_is_found(old, new):
    assert README.count(old) == 1
    assert "README.md" in failed_examples(README.replace(old, new))[1]


LINES = re.findall(r"^    python -m mathcore (.*)$", README, re.M)


@pytest.mark.parametrize("line", LINES)
def test_command_of_readme_works(line, run_shell, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "tiny-book"))
    status, out, err = run_shell(line)
    assert (status, err) == (0, "") and out.strip()


# ---------------------------------------------------------------- formulas of one's own


def test_package_of_ones_own_is_found_searched_and_verified(mypackage):
    own = Library("mypackage")
    assert own.find("disk.write") is own.find("mypackage.disk.write") is mathcore.find("mypackage.disk.write")
    assert own.search("write time")[0] is own.find("disk.write")
    report = verification.verify_library(own)
    assert report.issues == [] and report.chapters["mypackage.disk"]["formulas"] == 1


def test_false_statement_of_ones_own_is_named_with_its_line(mypackage, run_shell):
    (mypackage / "disk.py").write_text(DISK.replace('expect="2 s"', 'expect="3 s"'), encoding="utf-8")
    status, out, err = run_shell("verify mypackage")
    assert status == 1 and "1 failed" in out and err.startswith(f"{mypackage}/disk.py:8: stale: ")


def test_chapter_and_package_are_verified_together(mypackage, run_shell):
    status, out, _ = run_shell("verify before_you_start mypackage.disk")
    judged = [line.split()[0] for line in out.splitlines()[2:5]]
    assert status == 0 and judged == ["before_you_start", "before_you_start.open_exercises", "mypackage.disk"]


@pytest.mark.parametrize("name", ["young_dally", "no_such_package", "letters", "..", "sys.path"])
def test_name_that_is_neither_chapter_nor_package_is_refused_without_a_table(name, run_shell):
    status, out, err = run_shell(f"verify {name}")
    assert (status, out) == (1, "") and f"there is no chapter `{name}`" in err and "no package" in err
    assert "did you mean `young_daly`?" in err or name != "young_dally"


def stack(*files):
    """Return the innermost of frames in these files, outermost last."""
    back = stack(*files[1:]) if files[1:] else None
    return types.SimpleNamespace(f_back=back, f_code=types.SimpleNamespace(co_filename=files[0]), f_lineno=7)


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ((errors.__file__, "/somewhere/own.py", "<frozen runpy>"), "/somewhere/own.py:7"),
        ((errors.__file__, f"{errors.ENGINE}/__main__.py", "<frozen runpy>"), ""),
        ((errors.__file__, "<string>"), "<string>:7"),
        ((errors.__file__, "/srv/sympy/pint/plan.py", "/somewhere/own.py"), "/srv/sympy/pint/plan.py:7"),
        ((errors.__file__, sympy.core.expr.__file__, "/somewhere/own.py"), "/somewhere/own.py:7"),
    ],
)
def test_error_of_a_shell_points_to_its_author_or_nowhere(files, place, monkeypatch):
    monkeypatch.setattr(
        errors, "sys", types.SimpleNamespace(_getframe=lambda depth: stack(*files), modules=sys.modules)
    )
    assert errors.author_line() == place


# ---------------------------------------------------------------- evaluating


@pytest.mark.parametrize(
    ("address", "kind"),
    [("young_daly.open_exercises.order_penalty", "an orderexercise"), ("young_daly.explorer", "a calculator")],
)
def test_statement_without_a_value_is_named_with_its_article(address, kind):
    with expect_error(errors.ArgumentError, f"{address} is no formula, but {kind}; `show", code="not-a-formula"):
        text_output.value_text(mathcore.find(address), {})


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("at young_daly.interval C='4 min' M='8 h'", "tau_Y = 62.0\u202fmin"),
        ("at young_daly.act_one", "young_daly.act_one = 62.0\u202fmin"),
        ("at young_daly.lab_write", "young_daly.lab_write = 4\u202fmin"),
    ],
)
def test_formula_is_evaluated_and_a_value_is_printed(line, printed, run_shell):
    assert run_shell(line) == (0, f"{printed}\n", "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("at young_daly.C", ("no formula, but a variable", "show young_daly.C")),
        ("at young_daly.C C='4 min'", ("no formula, but a variable",)),
        ("at training.measured.mpt_h100", ("no formula, but a comparison",)),
        ("at models.palm_mfu C=3", ("no formula, but a fact", "takes no arguments")),
        ("at young_daly.act_one C=3", ("but an example", "give them to its formula, young_daly.interval")),
        ("at young_daly.interval C='4 min' C='5 min' M='8 h'", ("C is given twice, as `4 min` and as `5 min`",)),
        ("at young_daly.interval C", ("`C` has no value",)),
    ],
)
def test_reason_for_no_value_is_printed(line, words, run_shell):
    status, out, err = run_shell(line)
    assert (status, out) == (1, "") and all(word in err for word in words), err


def test_value_outside_the_validity_comes_with_its_warning(run_shell):
    status, out, err = run_shell("at young_daly.interval C='4 min' M='10 min'")
    assert status == 0 and out.startswith("tau_Y = ") and err.startswith("warning: young_daly.interval: outside C ≤ ")


# ---------------------------------------------------------------- showing


def test_example_shows_its_formula_and_its_givens():
    lines = text_output.details_text(mathcore.find("young_daly.act_one")).splitlines()
    assert lines[1] == "  by young_daly.interval: tau_Y = √(2 · C · M)"
    assert lines[2] == "  given C = 4\u202fmin, time to write one checkpoint (young_daly.lab_write)"
    assert not [line for line in lines if line.strip() == "from:"]


def test_variables_are_printed_in_the_unit_of_the_pages():
    assert "  C (write_time): time to write one checkpoint [min], " in text_output.details_text(
        mathcore.find("young_daly.interval")
    )


def test_chapters_are_listed_and_each_lists_what_it_states(run_shell):
    status, out, _ = run_shell("show")
    assert status == 0 and [line.split()[0] for line in out.splitlines()] == library.current_library.names()
    status, out, _ = run_shell("show young_daly")
    assert status == 0 and out.startswith("young_daly  Young–Daly\n") and "\n  young_daly.interval  formula" in out


def test_words_instead_of_an_address_suggest_search(run_shell):
    status, _, err = run_shell("show 'kv cache'")
    assert status == 1 and "`search` finds it by words" in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("search checkpont", "nothing is called that: checkpont; did you mean `checkpoint`?"),
        ("search mtbf --count 0", "a count from 1 on"),
        ("search mtbf --count -1", "a count from 1 on"),
        ("search --in no_such_package mtbf", "is no package that can be imported"),
    ],
)
def test_search_that_finds_nothing_says_why(line, words, run_shell):
    status, out, err = run_shell(line)
    assert (status, out) == (1, "") and words in err


# ---------------------------------------------------------------- a plain install

# Prints every statement where some packages cannot be imported; verdicts are not what is asked. The chapters are loaded
# once, without all of these packages, and each case is a fork: {name: [lacking, seeded, chapters]} -> {name: failures}.
# What loading writes is printed before.
BARE = (
    WATCHED
    + """
import contextlib, io, json, os
from importlib.abc import MetaPathFinder
cases = json.loads(sys.argv[1])
lacking = {name for names, _, _ in cases.values() for name in names}
class Gone(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in lacking:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Gone())
from mathcore import Verdict, library, statements
from mathcore.__main__ import main
from mathcore import stored_index
from mathcore.commands import text_output
from mathcore.steps import Step
Step.verdict = property(lambda step: Verdict("assumed"))
everything = {chapter: library.current_library.statements(chapter) for chapter in library.current_library.names()}
print("loaded")

def failures(names, seeded, chapters):
    lacking.intersection_update(names)
    exec(seeded, globals())
    for chapter in chapters or everything:
        for address, statement in library.current_library.statements(chapter):
            for render in (repr, text_output.summary_line, text_output.details_text):
                try:
                    assert render(statement)
                except Exception as error:
                    yield f"{render.__name__} {address}: {error}"

def hits(names, words, count):
    lacking.intersection_update(names)
    stored_index._write = lambda package, stamp, sources, index: index  # storing it would be recorded as written
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main(["search", words, "--count", count])
    return [status, *out.getvalue().splitlines()]

found = {}
for name, case in cases.items():
    receiver, sender = os.pipe()
    if os.fork() == 0:
        with open(sender, "w") as out:
            json.dump(list((hits if name == "search" else failures)(*case)), out)
        os._exit(0)
    os.close(sender)
    with open(receiver) as receiver_file:
        found[name] = json.load(receiver_file)
    os.wait()
print(json.dumps(found))
"""
)
FEW = ["audit.levers", "collectives", "collectives.measured"]
# Where there is numpy, scipy is asked for by what was fitted; all other statements are printed without it nightly.
FITTED = [name for name in library.current_library.names() if name.endswith("measured")]
BARE_CASES = {
    "without scipy": (["scipy"], "", [*FITTED, "audit.levers", "young_daly.decisions"]),
    "without numpy and scipy": (["numpy", "scipy"], "", []),
    "details": (["scipy"], "text_output._value_or_reason = lambda compute, missing=True: compute()", FEW),
    "summary": (["scipy"], "text_output._value_or_reason = lambda compute, missing=True: compute()", FEW),
    "repr": (["scipy"], "statements.Statement.__repr__ = lambda self: self._repr_detail()", FEW),
    "hint": (
        ["scipy"],
        "of = text_output.details_text; "
        "text_output.details_text = lambda each: 1 / ('numpy and scipy: pip install' not in of(each))",
        ["collectives.measured"],
    ),
    "search": (["numpy", "scipy"], "cost per million tokens decision comparison measured", "60"),
}
plain_install = [pytest.mark.slow, pytest.mark.xdist_group("plain install")]


def failures_without(cases):
    """Return `{case: statements that cannot be printed}` where packages are lacking, and what loading has written."""
    words = [sys.executable, "-c", BARE, json.dumps(cases)]
    done = subprocess.run(words, capture_output=True, check=True, cwd=ROOT, encoding="utf-8")
    written, _, found = done.stdout.partition("loaded\n")
    return json.loads(found) | {"written": written.splitlines()}


@pytest.fixture(scope="session")
def bare():
    """Return the statements that cannot be printed in each case of every push."""
    return failures_without(BARE_CASES)


class TestPlainInstall:
    pytestmark = plain_install

    @pytest.mark.parametrize("case", ["without scipy", "without numpy and scipy"])
    def test_install_without_extras_prints_every_statement(self, bare, case):
        assert bare[case] == []

    @pytest.mark.extended
    def test_install_with_numpy_alone_prints_every_statement(self):
        assert failures_without({"all": (["scipy"], "", [])})["all"] == []

    @pytest.mark.parametrize("render", ["details", "summary", "repr"])
    def test_statement_that_cannot_be_printed_is_found(self, bare, render):
        assert any(each.startswith(render) and "No module named 'scipy'" in each for each in bare[render])

    def test_install_without_extras_says_what_to_install(self, bare):
        assert len(bare["hint"]) > 3

    def test_hits_of_a_search_are_printed_without_numpy(self, bare):
        status, *lines = bare["search"]
        assert status == 0 and lines[0].startswith("serving.price") and len(lines) == 60
        assert not any("numpy" in line for line in lines)

    def test_loading_all_chapters_writes_nothing(self, bare):
        assert bare["written"] == []


def test_package_of_the_authors_is_named_alone():
    assert missing_dependency(ModuleNotFoundError(name="torch.nn")) == "torch is not installed: pip install torch"


def test_reason_is_printed_in_place_of_a_missing_value():
    class Broken(mathcore.Example):
        def text(self, unit=None, digits=None):
            raise RuntimeError("no luck")

    x = Variable("x", "", "a number")
    assert repr(Broken(Formula(x, 2 * x.__class__("y", "", "another")), {})).endswith(": no value, no luck>")
