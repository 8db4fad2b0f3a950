"""The build: a tiny book becomes a site; errors of a bad one are named with place and reason, and the last site stays.

The tiny books of `tests/books` are built by the real driver, in a copy of the repository whose
engine has the tiny chapter only.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mathbook import sphinx_run
from mathbook.folders import BookFolders, chapter_name
from mathbook.issues import first_line, issue_from_cell, issues_from_sphinx, line_in_cell
from mathbook.sphinx_run import selected_contents
from nbformat.v4 import new_code_cell, new_notebook
from sphinx.errors import SphinxParallelError

ROOT = Path(__file__).resolve().parents[1]
BOOKS = ROOT / "tests" / "books"
PAGE = "book/chapters/tiny.md"
LAST = "chapters/tiny"  # what is added at its end stands on it
SHARED = ("requirements.lock", "package-lock.json", "node_modules", "book/_ext", "book/_static")
SHARED += ("pyproject.toml", "CHANGELOG.md")
DIAGRAM = """from mathbook.diagrams.registry import Diagram, diagram


@diagram("tiny-double")
def double(read):
    def draw(canvas):
        canvas.text(4, 20, read.text("tiny.five"))

    return Diagram("{title}", "a time and its double", draw, ("double",), ((read.text("tiny.five"),),))
"""


class Project:
    """A copy of the repository with a tiny book in it."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "mathcore", folder / "mathcore", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.rmtree(folder / "mathcore" / "chapters")
        (folder / "mathcore" / "chapters").mkdir()
        shutil.copy(ROOT / "mathcore/chapters/__init__.py", folder / "mathcore/chapters")
        (folder / "book").mkdir()
        for name in SHARED:
            (folder / name).symlink_to(ROOT / name)
        shutil.copyfile(ROOT / "_config.yml", folder / "_config.yml")  # it names its paths
        for archive in (ROOT / "_build/cache/found/live").glob("*/*.zip"):  # two are the same here, and long to compile
            there = folder / archive.relative_to(ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(archive, there)
        self.take("good")

    def take(self, case):
        """Put the files of a tiny book in, with the times that they had: a page may become older."""
        shutil.copytree(BOOKS / "good", self.folder, dirs_exist_ok=True)
        shutil.copytree(BOOKS / case, self.folder, dirs_exist_ok=True)

    def build(self, case=None, *options):
        """Build a tiny book; return the exit code and the output."""
        if case:
            self.take(case)
        paths = [str(self.folder), str(self.folder / "book" / "_ext")]
        done = subprocess.run(
            [sys.executable, "-m", "mathbook.build", *options],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    def page(self, name="chapters/tiny"):
        """Return a page of the site as text."""
        return (self.folder / "_build" / "html" / "book" / f"{name}.html").read_text("utf-8")

    def line(self, wanted, path=PAGE):
        """Return the number of the line that begins with a text."""
        lines = (self.folder / path).read_text("utf-8").splitlines()
        return next(i for i, line in enumerate(lines, 1) if line.startswith(wanted))


# in one process, which shares the project
slow = [pytest.mark.slow, pytest.mark.node, pytest.mark.xdist_group("tiny book")]


def failing_build(project, case=None):
    """Build a bad book, as a case has it; return the output, having seen that the last good site stayed."""
    before = project.page()
    code, output = project.build(case)
    assert code == 1, output
    assert "the last good site stays as it was" in output
    assert project.page() == before
    return output


def files_written(project):
    """Return every file of `_build` with the time of its last change: whoever builds anything again moves one."""
    return {path: path.stat().st_mtime_ns for path in (project.folder / "_build").rglob("*") if path.is_file()}


def pages_read(project):
    """Return the pages that Sphinx read in the last build, by its log."""
    log = (project.folder / "_build" / "work" / "sphinx.log").read_text("utf-8")
    return set(re.findall(r"reading sources\.\.\. .*\[ *\d+%\] .*?(book/[\w/-]+)", log))


class TestGoodBook:
    pytestmark = slow

    @pytest.mark.parametrize(
        "part",
        [
            'data-address="tiny.five" title="computed: tiny.five, from tiny.twice" '
            'data-kind="time">10.0\u202fmin</span>',
            ">5\u202fmin</span>",
            ">15.0\u202fmin</span>",
            'class="mc-sym" tabindex="0" role="note" data-tip="a time, in min"',
            'class="mc-formula" data-address="tiny.thrice"',
            '<span class="mc-measured" data-measured="no"',
            'id="equation-eq-tiny-thrice"',
            '<span class="eqno">(1.2)',
            "This is a definition.",
            'data-copy="b = 2 a"',
            "Derivation, 2 steps: 1 assumed, 1 proved",
            'data-verdict="proved" title="another form of b (definition, tiny.twice); sympy: the difference is zero"',
            'data-verdict="assumed" title="substituted: c (model, tiny.total)"',
            'class="mc-example" data-address="tiny.five"',
            'class="mc-fact" data-address="tiny.bench"',
            '<mc-explorer class="mc-explorer" id="tiny-explorer" data-address="tiny.explorer">',
            '<mc-exercise id="tiny-ex-twice" class="mc-exercise" data-address="tiny.ex_twice">',
            '<span class="mc-given" data-name="a">4\u202fmin</span>',
            "That was easy.",
            '<span class="mc-answer">8.00\u202fmin</span>',
            'role="figure" aria-label="a rising line"',
            '<span class="std std-numref">Fig. 1.1</span>',
        ],
    )
    def test_shows_each_statement(self, project, part):
        assert part in project.page()

    def test_draws_calculator_and_figure_without_javascript(self, project):
        calculator = re.search(r"<mc-explorer.*?</mc-explorer>", project.page(), re.DOTALL)[0]
        figure = re.search(r'<div class="mc-graph".*?<figcaption', project.page(), re.DOTALL)[0]
        assert "<svg" in calculator and "<table" in calculator
        assert "<svg" in figure

    @pytest.mark.parametrize(
        "part",
        [
            "its double",
            "more than 0",
            '<a class="reference internal" href="../chapters/tiny.html#eq-tiny-thrice">Tiny</a>',
            'id="fact-tiny-bench"',
            '<a class="reference internal" href="../chapters/tiny.html">Tiny</a>',
            "1 assumed, 1 proved",
            "read in a copy of the primary source",
        ],
    )
    def test_fills_the_appendices(self, project, part):
        assert part in project.page("appendices/tables")

    def test_counts_formulas_and_exercises_through_the_pages_of_a_chapter(self, project):
        first, further = project.page(), project.page("chapters/tiny-further")
        assert '<a class="reference internal" href="tiny.html#equation-eq-tiny-twice">(1.1)</a>' in further
        assert "Exercise 1<" in first and "Exercise 2<" in further

    def test_leads_from_page_to_page_of_a_chapter(self, project):
        first, further = project.page(), project.page("chapters/tiny-further")
        listed = re.search(r'<nav class="mc-pages".*?</nav>', first, re.DOTALL)[0]
        assert re.findall(r'href="([^"]*)"', listed) == ["#", "tiny-further.html"]
        assert '<p class="mc-breadcrumb"><a href="tiny.html">1. Tiny</a>, page 2 of 2</p>' in further
        assert '<a rel="prev" href="tiny.html"><small>previous</small> 1. Tiny</a>' in further
        assert '<a rel="next" href="tiny-further.html"><small>next</small> What comes after</a>' in first
        assert '<li><b>needs</b> <a href="tiny.html">Tiny</a></li>' in further
        assert "<title>1. Tiny: What comes after — " in further
        after = project.page("appendices/tables")
        assert "<small>previous</small> 1. Tiny: What comes after</a>" in after
        assert '<a href="../chapters/tiny-further.html">What comes after</a>' in after, "every page is in the contents"

    def test_is_left_alone_when_nothing_has_changed(self, project):
        project.take("good")
        assert project.build()[0] == 0
        before = files_written(project)
        code, output = project.build()
        assert (code, "up to date" in output) == (0, True)
        assert files_written(project) == before


class TestBadBook:
    pytestmark = slow

    def test_failing_cell(self, project):
        output = failing_build(project, "failing-cell")
        line = project.line("1 / 0")
        assert f"{PAGE}:{line}: ZeroDivisionError: division by zero: correct this line of the cell, `1 / 0`" in output

    def test_wrong_example(self, project):
        output = failing_build(project, "wrong-example")
        path = "mathcore/chapters/tiny.py"
        line = project.line("five = Example", path)
        assert f"{path}:{line}: stale: tiny.five gives 10.0\u202fmin, but 11.0\u202fmin was expected" in output

    def test_all_errors_of_a_page_are_printed_at_once(self, project):
        output = failing_build(project, "bad-pages")
        starts = ("With {mc:symbol}", "{numref}", "See {eq}", "It costs", "::::{mc:exercise}")
        address, first, second, third, exercise = map(project.line, starts)
        for place, what in [
            (address, "there is no statement `tiny.fife`"),
            (first, "KaTeX cannot set `\\frac{1}{2`, Unexpected end of input"),
            (first, "undefined label: 'fig-dubble': write a label that exists"),
            (second, "KaTeX cannot set `\\unheardof x`, Undefined control sequence: \\unheardof"),
            (third, "`$2 per hour today, and will cost$` is set as a formula, with the words `per hour`: write \\$"),
            (second, "equation not found: eq-tiny-fourfold"),
            (second, "there is no statement `tiny.z`"),
            (second, "`tiny.twice` is a formula and has no value of its own: name an example or a fact"),
            (exercise, "the text of `tiny.ex_twice` does not state a, without which it cannot be solved: print each"),
            (exercise, "`tiny.ex_twice` has 4 hints, of which a page shows 3: join some"),
        ]:
            assert f"{PAGE}:{place}: {what}" in output
        further = PAGE.replace("tiny", "tiny-further")
        number = f"{project.line('It rises', further)}: the number `250 %` is typed by hand: use {{mc:value}}`address`"
        assert f"{further}:{number}" in output and "did you mean `tiny.five`?" in output and "12 problems" in output

    def test_exercise_that_is_not_closed(self, project):
        project.take("good")
        page = project.folder / PAGE
        begun, close, rest = page.read_text("utf-8").partition("That was easy.\n:::\n::::\n")
        assert close
        page.write_text(f"{begun}That was easy.\n:::\n\n:::{{mc:statement}} tiny.thrice\n:::\n{rest}", "utf-8")
        line = project.line("That was easy.") + 3
        what = "`tiny.thrice` is within the exercise `tiny.ex_twice`, which is not closed: close it with"
        assert f"{PAGE}:{line}: {what}" in failing_build(project)

    def test_page_that_is_listed_and_missing(self, project):
        project.take("good")
        contents = project.folder / "_toc.yml"
        contents.write_text(contents.read_text("utf-8").replace("chapters/tiny", "chapters/gone"), "utf-8")
        assert "_toc.yml:7: there is no file book/chapters/gone.md: write it, or take its line out" in failing_build(
            project
        )


class TestChange:
    pytestmark = slow

    def test_changed_fact_changes_the_page(self, project):
        """Holds although the cells of the page are the same: results never outlive the engine."""
        project.take("good")
        page = project.folder / "book" / "chapters" / "tiny.md"
        cell = '\n```{code-cell}\nprint("five is", find("tiny.five").text())\n```\n'
        page.write_text(page.read_text("utf-8") + cell, "utf-8")
        assert project.build()[0] == 0 and "five is 10.0\u202fmin" in project.page(LAST)
        module = project.folder / "mathcore" / "chapters" / "tiny.py"
        text = module.read_text("utf-8")
        changed = text.replace('"5 min"', '"6 min"').replace('expect="10 min"', 'expect="12 min"')
        module.write_text(changed, "utf-8")
        code, output = project.build()
        assert code == 0, output
        assert ">12.0\u202fmin</span>" in project.page() and ">10.0\u202fmin</span>" not in project.page()
        assert 'data-address="tiny.bench">6\u202fmin' in project.page()
        assert "five is 12.0\u202fmin" in project.page(LAST) and "five is 10.0" not in project.page(LAST)

    def test_changed_diagram_changes_its_page_alone(self, project):
        project.take("good")
        page, module = project.folder / PAGE, project.folder / "book" / "diagrams" / "tiny" / "double.py"
        page.write_text(f"{page.read_text('utf-8')}\n:::{{mc:diagram}} tiny-double\nTwice.\n:::\n", "utf-8")
        module.parent.mkdir(parents=True)
        module.write_text(DIAGRAM.format(title="A double"), "utf-8")
        assert project.build()[0] == 0 and ">A double</title>" in project.page(LAST)
        module.write_text(DIAGRAM.format(title="Two of them"), "utf-8")
        code, output = project.build()
        assert code == 0, output
        assert ">Two of them</title>" in project.page(LAST) and "A double" not in project.page(LAST)
        assert pages_read(project) == {"book/chapters/tiny"}
        page.write_text(page.read_text("utf-8").replace("tiny-double", "tiny-duoble"), "utf-8")
        code, output = project.build()
        assert code == 1 and "there is no diagram `tiny-duoble`: choose one of tiny-double" in output

    def test_cells_run_again_only_if_what_they_name_says_something_else(self, project):
        project.take("good")
        page, ran = project.folder / "book" / "chapters" / "tiny.md", project.folder / "ran"
        cell = f'\n```{{code-cell}}\nprint(open("{ran}", "a").write("once\\n"))\n```\n'
        page.write_text(page.read_text("utf-8") + cell, "utf-8")
        assert project.build()[0] == 0 and ran.read_text() == "once\n"
        page.write_text(page.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")
        module = project.folder / "mathcore" / "chapters" / "tiny.py"
        text = module.read_text("utf-8")
        module.write_text(text.replace("time on the bench", "time on a bench"), "utf-8")
        code, output = project.build()
        assert (code, "executing the cells" in output) == (0, False), output
        assert "One more sentence." in project.page(LAST) and "time on a bench" in project.page()
        module.write_text(text.replace('"its double"', '"its twofold"'), "utf-8")
        assert project.build()[0] == 0 and ran.read_text() == "once\nonce\n"

    def test_only_pages_that_were_wrong_or_show_what_changed_are_read_again(self, project):
        """Ends with a page that shows nothing changed, after it was refused."""
        failing_build(project, "bad-pages")
        project.take("good")
        assert project.build()[0] == 0
        assert pages_read(project) == {"book/chapters/tiny", "book/chapters/tiny-further"}
        module = project.folder / "mathcore" / "chapters" / "tiny.py"
        text = module.read_text("utf-8")
        module.write_text(text + '\nspare = Variable("z", "s", "a symbol of no page")\n', "utf-8")
        assert project.build()[0] == 0
        assert pages_read(project) == {"book/appendices/tables"}

    def test_one_chapter_is_built_alone(self, project):
        project.take("good")
        code, output = project.build(None, "--chapter", "tiny")
        assert code == 0, output
        built = project.folder / "_build" / "chapter-tiny" / "html" / "book" / "chapters" / "tiny.html"
        assert "10.0\u202fmin" in built.read_text("utf-8")

    def test_list_of_exercises_keeps_the_pages_that_are_not_read_again(self, project):
        project.take("good")
        assert project.build()[0] == 0
        other = project.folder / "book" / "appendices" / "tables.md"
        other.write_text(other.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")
        assert project.build()[0] == 0
        listed = (project.folder / "_build" / "html" / "_static" / "mc-tasks.js").read_text("utf-8")
        assert '"book/chapters/tiny":{"title":"Tiny","exercises":{"tiny.ex_twice":' in listed


def site_files(project):
    """Return the bytes of every file that readers get."""
    site = project.folder / "_build" / "html"
    return {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def page(project):
    """Return the page of the chapter as lecturers get it, having seen the reader's stay as it was."""
    project.take("good")
    assert project.build()[0] == 0
    before = site_files(project)
    code, output = project.build(None, "--instructor")
    assert code == 0, output
    assert site_files(project) == before
    return (project.folder / "_build/instructor/html/book/chapters/tiny.html").read_text("utf-8")


class TestInstructor:
    """The edition for lecturers, made of the same pages: keys there, and none in the reader's."""

    pytestmark = slow
    SECRETS = ("mc-key", "mc-edition", "14.0\u202fmin", "21.0\u202fmin")  # variants are in no solution

    @pytest.mark.parametrize(
        "part",
        [
            '<details class="mc-solution" open>',
            '<details class="mc-solution mc-answers" open>',
            'href="?seed=tiny.ex_twice:0#tiny-ex-twice">0</a></td><td><b>8.00\u202fmin</b></td><td>4\u202fmin</td>',
            "<td><b>14.0\u202fmin</b></td><td>7\u202fmin</td><td>3.50\u202fmin</td><td>21.0\u202fmin</td>",
            '<th scope="col">Mistake 1</th><th scope="col">Mistake 2</th>',
            "<li>you added one more</li>",
            "Key, at the stated numbers: <b>B. its double</b>",
            "<li>No: 8\u202fmin is twice as long.</li><li>Yes: it is 8\u202fmin.</li>",
            "(instructor’s edition)</title>",
        ],
    )
    def test_shows_keys_and_variants(self, page, part):
        assert part in page

    def test_leaves_open_what_waits_for_an_answer(self, project, page):
        assert 'class="mc-reveal-after"' in project.page()
        assert 'class="mc-reveal-after"' not in page and "What waits for an answer." in page

    def test_heading_stays_in_what_waits_for_an_answer(self, project, page):
        inside = project.page().partition('class="mc-reveal-after"')[2].partition("What waits for an answer.")[0]
        assert "Behind the answer" in inside and "</div>" not in inside

    def test_marks_every_page(self, project, page):
        pages = list((project.folder / "_build" / "instructor" / "html").rglob("*.html"))
        assert len(pages) > 4
        assert all("Instructor’s edition" in path.read_text("utf-8") for path in pages)

    def test_reader_gets_no_key_more(self, project, page):
        assert all(secret in page for secret in self.SECRETS)
        texts = {path: data.decode(errors="ignore") for path, data in site_files(project).items()}
        assert [(path, s) for path, text in texts.items() for s in self.SECRETS if s in text] == []

    def test_is_left_alone_when_nothing_has_changed(self, project, page):
        before = files_written(project)
        code, output = project.build(None, "--instructor")
        assert (code, output.count("up to date")) == (0, 2)
        assert files_written(project) == before


class TestPlaces:
    def test_failing_statement_is_found_below_the_options_of_its_cell(self):
        page = "# Title\n\n```{code-cell}\n:tags: [hide-input]\n\na = 1\nb = a / 0\n```\n"
        notebook = new_notebook(cells=[new_code_cell("a = 1\nb = a / 0")], metadata={"source_map": [3]})
        trace = "Cell In[1], line 2\n      1 a = 1\n----> 2 b = a / 0\n"
        found = issue_from_cell("book/x.md", page, notebook, 0, ("ZeroDivisionError", "division by zero", trace))
        assert str(found) == (
            "book/x.md:7: ZeroDivisionError: division by zero: correct this line of the cell, `b = a / 0`"
        )

    def test_coloured_traceback_is_read(self):
        assert line_in_cell("\x1b[36mCell\x1b[39m\x1b[36m \x1b[39mIn[2]\x1b[32m, line 3\x1b[39m", 5) == 3

    def test_line_stays_within_the_cell(self):
        assert line_in_cell("Cell In[1], line 9", 2) == 2

    def test_same_code_in_two_cells_is_distinguished(self):
        page = "```{code-cell}\nx = 1\n```\n\n```{code-cell}\nx = 1\n```\n"
        assert (first_line(page, 1, ["x = 1"]), first_line(page, 5, ["x = 1"])) == (2, 6)

    def test_place_that_the_engine_saw_in_a_kernel_is_left_out(self):
        notebook = new_notebook(cells=[new_code_cell("find('x.y')")], metadata={"source_map": [1]})
        value = "cell:1: there is no statement `x.y`"
        found = issue_from_cell(
            "x.md", "```{code-cell}\nfind('x.y')\n```\n", notebook, 0, ("UnknownAddress", value, "")
        )
        assert found.what == "there is no statement `x.y`"

    def test_warnings_of_sphinx_become_problems_with_their_line(self):
        book = BookFolders(Path("/book"), Path("/book/_build"))
        log = (
            "\x1b[91m/book/book/a.md:7: WARNING: undefined label: 'x' [ref.ref]\x1b[39m\n"
            "/book/book/a.md:7: WARNING: undefined label: 'x' [ref.ref]\n"
            "/book/book/b.md: ERROR: first line\n  and its rest\n"
        )
        first, second = issues_from_sphinx(book, log)
        assert str(first).startswith("book/a.md:7: undefined label: 'x' [ref.ref]: write a label")
        assert str(second) == "book/b.md: first line and its rest"

    def test_error_that_ends_a_build_is_one_line(self):
        book = BookFolders(Path("/book"), Path("/book/_build/chapter-a"), "a")
        log = "/book/book/index.md:10: WARNING: unknown document: 'chapters/b/index' [ref.doc]\n"
        (issue,) = sphinx_run._find_issues(book, SphinxParallelError("it is not there: run `make setup`", "trace"), log)
        assert issue.what == "Jupyter Book ended with SphinxParallelError: it is not there: run `make setup`"
        assert sphinx_run._find_issues(book, 1, log) == []


def test_one_chapter_comes_without_the_others_and_what_lists_them():
    toc = selected_contents(BookFolders(ROOT, ROOT / "_build", "young-daly"))
    entries = [entry for part in toc["parts"] for entry in part["chapters"]]
    entries += [section for entry in entries for section in entry.get("sections", [])]
    names = {chapter_name(toc["root"]), *(chapter_name(entry["file"]) for entry in entries)}
    assert {"index", "young-daly", "glossary", "references"} <= names
    assert not names & {"roofline", "notation", "failure", "audited-claims", "verification-report"}
