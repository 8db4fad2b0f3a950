"""The build is Jupyter Book's own: two ways give the same site, and a page runs in a stock kernel as in the build."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from mathbook import assets, cells, markup, outputs, publishing
from mathbook.elements import table
from mathbook.processes import parallel_map
from myst_nb.core.read import read_myst_markdown_notebook
from myst_nb.core.render import MimeData
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[1]
slow = [pytest.mark.slow, pytest.mark.node, pytest.mark.xdist_group("tiny book")]


def run(project, *command):
    """Run a command within a project; return its exit code and what it printed."""
    # the tiny book has an engine of its own, which is not the one that is installed
    engine = os.pathsep.join([str(project.folder), str(project.folder / "book" / "_ext")])
    program = f"import sys; {STARTS[command[0]]}"
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, command[1:])],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": engine},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


STARTS = {
    "jupyter-book": "from jupyter_book.cli.main import main; main()",
    "sphinx-build": "from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))",
}


@pytest.fixture(scope="module")
def sites(project):
    """Return the folders of the site as Jupyter Book and as plain Sphinx build it, warnings being errors."""
    project.take("good")
    for kept in ("html", "work"):  # what the driver has built
        shutil.rmtree(project.folder / "_build" / kept)
    code, log = run(project, "jupyter-book", "build", ".", "-W", "--keep-going")
    assert code == 0, log
    code, log = run(project, "jupyter-book", "config", "sphinx", ".")
    assert code == 0, log
    other = project.folder / "plain" / "html"
    code, log = run(project, "sphinx-build", "-W", "--keep-going", "-b", "html", ".", other)
    (project.folder / "conf.py").unlink()
    assert code == 0, log
    return project.folder / "_build" / "html", other


def files(site):
    """Return the bytes of each file of a site by name; hidden files are Sphinx's own."""
    found = {path.relative_to(site): path for path in site.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not any(p.startswith(".") for p in name.parts)}


def pages(site):
    """Return the bytes of each page of a site by name."""
    return {name: content for name, content in files(site).items() if name.suffix == ".html"}


def different(one, other):
    """Return the names of the files that are not the same in two sites."""
    return sorted(str(name) for name in one.keys() | other.keys() if one.get(name) != other.get(name))


NIGHTLY = pytest.mark.extended
CASES = {"wrong-example": (), "bad-pages": NIGHTLY, "failing-cell": NIGHTLY}


class TestBothWays:
    pytestmark = slow

    def test_sites_are_the_same_to_the_byte(self, sites):
        one, other = map(files, sites)
        assert len(one) > 20
        assert different(one, other) == []

    def test_another_page_is_found(self, sites):
        one, other = map(files, sites)
        name = next(name for name in one if name.suffix == ".html")
        assert different(one, other | {name: b""}) == [str(name)]

    def test_site_is_that_of_the_driver(self, project, sites):
        code, log = project.build()
        assert code == 0, log
        there = files(project.folder / "_build" / "html")
        assert different(files(sites[1]), there) == []

    @pytest.mark.parametrize("case", [pytest.param(case, marks=marks) for case, marks in CASES.items()])
    def test_error_fails_the_build_with_its_line(self, project, sites, case, tmp_path):
        places = {
            "wrong-example": ("mathcore/chapters/tiny.py", "five = Example"),
            "bad-pages": ("book/chapters/tiny.md", "With {mc:symbol}"),
            "failing-cell": ("book/chapters/tiny.md", "1 / 0"),
        }
        project.take(case)
        code, log = run(project, "jupyter-book", "build", ".", "-W", "--keep-going", "--path-output", tmp_path)
        path, start = places[case]
        line = project.line(start, path)
        project.take("good")
        assert code != 0
        assert f"{path}:{line}: WARNING: " in re.sub(r"\x1b\[[0-9;]*m", "", log)

    def test_stock_execution_gives_the_same_page(self, project, sites):
        config = project.folder / "_config.yml"
        before = config.read_text("utf-8")
        config.write_text(before.replace("  config:\n", "  config:\n    mathbook_prefill: false\n", 1), "utf-8")
        code, log = run(project, "jupyter-book", "build", ".", "-W", "--path-output", project.folder / "stock")
        config.write_text(before, "utf-8")
        assert code == 0, log
        assert "executing the cells" not in log and "Executing notebook" in log
        assert different(pages(sites[1]), pages(project.folder / "stock" / "_build" / "html")) == []


PAGE = next(ROOT.glob("book/chapters/young-daly*")) / "index.md"
PAGE = PAGE if PAGE.exists() else ROOT / "book" / "chapters" / "young-daly.md"


def in_kernel(page):
    """Execute a notebook in a stock kernel in the folder of the page; return the outputs of its code cells."""
    NotebookClient(page, kernel_name="python3", resources={"metadata": {"path": str(PAGE.parent)}}).execute()
    return [[dict(output) for output in cell.outputs] for cell in cells.code_cells(page)]


def comparable(found):
    """Return outputs without the counts and the empty metadata in which two executors may differ."""
    return [[{key: value for key, value in out.items() if key in ("output_type", "data", "text")} for out in outs]
            for outs in found]  # fmt: skip


@pytest.fixture(scope="module")
def page():
    """Return a page of the book as the notebook that Jupyter opens, with its outputs of a stock kernel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        page = read_myst_markdown_notebook(PAGE.read_text("utf-8"))
        return page, in_kernel(page)


class TestInStockKernel:
    pytestmark = pytest.mark.slow

    def test_figures_come_in_every_form(self, page):
        figures = [out["data"] for outs in page[1] for out in outs if outputs.PLOTLY in out.get("data", {})]
        assert figures
        for data in figures:
            assert data["text/markdown"].startswith("::::{mc:figure}")
            assert "<figure>" in data["text/html"] and "<svg" in data["text/html"] and "<table>" in data["text/html"]

    def test_build_gives_the_same_outputs(self, page):
        [result] = parallel_map(cells.run_cells, [(cells.read_notebook(PAGE.read_text("utf-8")), PAGE.parent)])
        assert result["failed"] is None
        assert comparable(result["outputs"]) == comparable(page[1])

    def test_another_output_is_found(self, page):
        changed = [*page[1][:-1], [{"output_type": "stream", "text": "another"}]]
        assert comparable(changed) != comparable(page[1])

    def test_cell_that_fails_is_found(self):
        with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
            in_kernel(read_myst_markdown_notebook("---\nfile_format: mystnb\n---\n\n```{code-cell}\n1 / 0\n```\n"))


class TestKeys:
    """The outputs of a page are computed again when, and only when, something that its code names has changed."""

    def page(self, code):
        return cells.read_notebook(f"---\nfile_format: mystnb\n---\n\n```{{code-cell}}\n{code}\n```\n")

    def test_key_follows_code_and_statement(self, monkeypatch):
        page = self.page('from mathcore import find\nfind("young_daly.interval")')
        before = cells.outputs_key(page)
        assert cells.outputs_key(page) == before != cells.outputs_key(self.page("1"))
        monkeypatch.setattr(cells, "_statement_hash", lambda chapter, name: f"{chapter}.{name} has changed")
        assert cells.outputs_key(page) != before

    def test_key_follows_no_other_statement(self, monkeypatch):
        page = self.page('from mathcore import find\nfind("young_daly.interval")')
        asked = []
        monkeypatch.setattr(cells, "_statement_hash", lambda *named: asked.append(named) or "")
        cells.outputs_key(page)
        assert asked == [("young_daly", "interval")]


class TestOutputs:
    def test_plotly_of_a_figure_is_left_to_its_markdown(self):
        own = MimeData(outputs.PLOTLY, {"layout": {"meta": outputs.PLOTLY_MARK}}, {}, {})
        assert outputs.Renderer.handle_mime(None, own, False) == []

    def test_any_other_plotly_stays_a_warning(self):
        other = MimeData(outputs.PLOTLY, {"layout": {}}, {}, {})
        assert outputs.Renderer.handle_mime(None, other, False) is None


class TestMarkup:
    def classes(self, made):
        markup.align_numeric_columns(next(made.findall(markup.is_table)))
        return [node["attrs"].get("class") for node in made.findall(markup.HtmlElement) if node["tag"] in ("td", "th")]

    def test_column_of_numbers_is_aligned_with_its_head(self):
        assert self.classes(table("", ["a", "n"], [["x", "2.5·10⁻³"], ["y", "–"]])) == [None, "mc-n"] * 3

    def test_column_with_a_word_is_not(self):
        assert self.classes(table("", ["a", "n"], [["x", "12"], ["y", "12 min"]])) == [None, None] * 3

    def test_table_with_merged_cells_is_left_alone(self):
        made = table("", ["a", "n"], [["x", "1"]])
        next(made.findall(lambda node: isinstance(node, markup.HtmlElement) and node["tag"] == "td"))["attrs"] = {
            "colspan": "2"
        }
        assert "mc-n" not in self.classes(made)

    def test_question_of_a_title_has_its_own_element(self):
        title = markup.nodes.title("", "Reliability: may we?")
        markup.split_question(title)
        assert title.astext() == "Reliability: May we?"
        assert [node["attrs"]["class"] for node in title.findall(markup.HtmlElement)] == [
            "mc-hidden",
            "mc-question-part",
        ]

    def test_number_keeps_its_unit_at_the_end_of_a_line_but_not_in_code(self):
        text, code = "99 % of 80 GB in 5 min, 3 tests, 2 x", "head -n 5 % 80 GB"
        page = markup.nodes.paragraph("", "", markup.nodes.Text(text), markup.nodes.literal("", code))
        markup.bind_units(page)
        assert page.astext() == "99\u202f% of 80\u202fGB in 5\u202fmin, 3 tests, 2 x" + code

    def test_title_without_a_question_stays(self):
        title = markup.nodes.title("", "Lab: the serving machine")
        markup.split_question(title)
        assert [type(child) for child in title.children] == [markup.nodes.Text]


def test_what_is_loaded_from_another_host_is_found():
    assert publishing.external_resources('<script src="//a.example/b.js"></script>') == ["//a.example/b.js"]
    assert publishing.external_resources('<a href="https://a.example/"></a><script src="_static/a.js"></script>') == []


def test_site_below_a_folder_called_live_is_kept_offline(tmp_path):
    site = tmp_path / "live" / "_downloads"
    for name in ("index.html", "live/pyodide.js", "_downloads/book.pdf", ".hidden", "worker.js"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("x")
    assert 'const FILES = ["index.html"];' in publishing.service_worker(site)


def test_changed_style_sheet_lets_all_pages_be_written(monkeypatch, tmp_path):
    """Sphinx copies static files only with pages: one that changed alone would not reach the site."""
    sheet = tmp_path / "book.css"
    sheet.write_text("a { color: red }")
    monkeypatch.setattr(assets.resources, "static_folder", lambda: tmp_path)
    data = {}
    env = SimpleNamespace(found_docs={"b", "a"}, get_domain=lambda name: SimpleNamespace(data=data))
    assert assets._pages_to_write(None, env) == ["a", "b"]
    assert assets._pages_to_write(None, env) == []
    sheet.write_text("a { color: blue }")
    assert assets._pages_to_write(None, env) == ["a", "b"]
