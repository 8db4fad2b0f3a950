"""Protects the wheel: built from a clean clone and installed into an empty environment, it shows a statement.

One environment serves all tests of this file. It needs a network or a mirror of both registries, as the setup does.
"""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from browser.conftest import Browser, Quiet

ROOT = Path(__file__).resolve().parent.parent
PAGE = "# Intervals\n\n```{mc:statement} young_daly.interval\n```\n"
SETTINGS = 'extensions = ["myst_nb", "mathbook"]\nhtml_theme = "alabaster"\nnb_execution_mode = "off"\n'
TESTS = re.compile(r"(?:^|/)(?:tests?/|test_\w+\.py$|conftest\.py$)")

pytestmark = [pytest.mark.slow, pytest.mark.extended, pytest.mark.node, pytest.mark.xdist_group("packaging")]


def run(*command, **options):
    """Run a command without this environment's paths; return what it printed."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")} | options.pop("env", {})
    ran = subprocess.run(list(map(str, command)), env=env, capture_output=True, text=True, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel that pip builds of a clean clone, in which no npm package is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run("git", "clone", "--quiet", ROOT, folder / "clone")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, folder / "clone")
    assert not (folder / "clone" / "node_modules").exists()
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Return the Python of an environment with the wheel and its extra `book`, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", f"{wheel}[book]")
    return folder / "bin" / "python"


def missing_of(names):
    """Return what a wheel lacks or should not hold, by the names of its files."""
    wanted = [
        *(path.relative_to(ROOT).as_posix() for path in (ROOT / "mathcore").rglob("*.toml")),
        *(f"mathbook/static/{path.name}" for path in (ROOT / "book" / "_static").iterdir()),
        "mathbook/__init__.py", "mathbook/katex.js", "mathbook/theme/layout.html",
        "mathbook/_vendor/katex/dist/katex.min.js", "mathbook/_vendor/katex/LICENSE",
    ]  # fmt: skip
    strange = [
        name for name in names if TESTS.search(name) or not name.startswith(("mathcore/", "mathbook/", "mathem"))
    ]
    return sorted(set(wanted) - set(names)), strange


def test_wheel_holds_both_packages_with_their_files_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert missing_of(names) == ([], [])
    less = [name for name in names if not name.endswith("katex.min.js")]
    assert missing_of([*less, "tests/test_x.py"]) == (["mathbook/_vendor/katex/dist/katex.min.js"], ["tests/test_x.py"])


def test_installed_core_finds_the_statements_of_the_book(python, tmp_path):
    output = run(python, "-c", "import mathcore; print(mathcore.find('young_daly.interval'))", cwd=tmp_path)
    assert "young_daly.interval" in output


def test_plain_sphinx_shows_a_statement_with_scripts_and_sheets_of_the_site(python, tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "conf.py").write_text(SETTINGS)
    (tmp_path / "plain" / "index.md").write_text(PAGE)
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    site = tmp_path / "build" / "html"
    run(python, "-m", "sphinx", "-W", "--keep-going", "-q", "plain", site, cwd=tmp_path, env=env)
    page = (site / "index.html").read_text("utf-8")
    assert "<math" in page and 'data-address="young_daly.interval"' in page
    loaded = set(re.findall(r'(?:src|href)="(_static/[^"?#]+)', page))
    assert any(name.endswith("mc.js") for name in loaded)
    assert [name for name in loaded if not (site / name).is_file()] == []
    assert not re.findall(r'(?:src|rel="stylesheet"[^>]*href)="https?:', page)
    assert "mathematics.woff2" in {path.name for path in (site / "_static" / "fonts").iterdir()}


# ---------------------------------------------------------------- a book of its own: examples/tiny-book

TINY = ROOT / "examples" / "tiny-book"
BUILD = """
import sys
from sphinx.cmd.build import main
status = main(["-W", "--keep-going", "-q", ".", "_build/html"])
print([name for name in sys.modules if f"{name}.".startswith("mathcore.chapters.")])
sys.exit(status)
"""
CALCULATOR, EXERCISE = "mc-explorer[data-address='disk.calculator']", "mc-exercise[data-address='disk.ex_copy']"


@pytest.fixture(scope="module")
def tiny(python, tmp_path_factory):
    """Return the folder of the tiny book, built by plain Sphinx with nothing kept from an earlier build."""
    folder = tmp_path_factory.mktemp("tiny") / "book"
    shutil.copytree(TINY, folder, ignore=shutil.ignore_patterns("_build", "__pycache__"))
    env = {"XDG_CACHE_HOME": str(folder.parent / "cache")}
    loaded = run(python, "-c", BUILD, cwd=folder, env=env, timeout=120)  # about 10 s on an idle machine
    assert loaded.strip() == "[]", "statements of this project were loaded"
    return folder


@pytest.fixture
def disk(tiny, tmp_path):
    """Yield Chromium on the page `disk` of the tiny book."""
    handler = functools.partial(Quiet, directory=str(tiny / "_build" / "html"))
    browser = Browser(tmp_path / "profile")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield browser.open(f"http://127.0.0.1:{running.server_address[1]}/disk.html")
        browser.driver.quit()
        running.shutdown()


def test_tiny_book_has_the_elements_in_its_own_theme(tiny):
    site = tiny / "_build" / "html"
    assert (site / "_static" / "alabaster.css").is_file() and (site / "searchindex.js").is_file()
    assert "body{" not in (site / "_static" / "elements.css").read_text("utf-8")
    assert ".mc-search-open" not in (site / "_static" / "mc.js").read_text("utf-8")
    assert not [name for name in ("worker.js", "changes.xml", "404.html") if (site / name).exists()]


@pytest.mark.browser
def test_calculator_of_the_tiny_book_follows_its_slider(disk):
    substituted = f"{CALCULATOR} .mc-substituted"
    assert "160" in disk.text(substituted)
    disk.run(
        "const slider = document.querySelector(arguments[0]);"
        "slider.value = slider.max; slider.dispatchEvent(new Event('input', {bubbles: true}))",
        f"{CALCULATOR} [data-input='w'] [type=range]",
    )
    disk.rest()
    assert "444" in disk.text(substituted), "800 and 1000 MB/s"


@pytest.mark.browser
def test_exercise_of_the_tiny_book_names_the_mistake_and_accepts_the_answer(disk):
    def answer(text):
        disk.run("document.querySelector(arguments[0]).value = arguments[1]", f"{EXERCISE} .mc-input", text)
        disk.run("document.querySelector(arguments[0]).click()", f"{EXERCISE} .mc-check")
        return disk.rest().text(f"{EXERCISE} .mc-feedback")

    assert "add the times" in answer("800 MB/s")
    assert "the copy is slower than each" in answer("400 MB/s")
    assert answer("0.15 GB/s").startswith("Correct:")


@pytest.mark.browser
def test_page_of_the_tiny_book_asks_no_other_host_and_has_no_error(disk):
    home = disk.driver.current_url.removesuffix("disk.html")
    assert [url for url in disk.requests() if not url.startswith(home)] == []
    found = [each for each in disk.complaints() if "/favicon.ico" not in each]  # Chromium asks for one by itself
    assert found == []


def test_shell_commands_speak_of_a_library_of_its_own(python, tiny):
    found = run(python, "-m", "mathcore", "search", "--in", "tinylib", "copy", "bandwidth", cwd=tiny)
    assert found.startswith("tinylib.disk.copy_bandwidth")
    output = run(python, "-m", "mathcore", "at", "tinylib.disk.copy_bandwidth", "r=800 MB/s", "w=200 MB/s", cwd=tiny)
    assert "160\u202fMB/s" in output
    assert "everything holds" in run(python, "-m", "mathcore", "verify", "tinylib", cwd=tiny)
