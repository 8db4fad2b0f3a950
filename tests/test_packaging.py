"""Protects the wheel: built from a clean clone and installed into an empty environment, it shows a statement.

One environment serves all tests of this file. It needs a network or a mirror of both registries, as the setup does.
"""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = "# Intervals\n\n```{mc:statement} young_daly.interval\n```\n"
SETTINGS = 'extensions = ["myst_nb", "mathbook"]\nhtml_theme = "alabaster"\nnb_execution_mode = "off"\n'
TESTS = re.compile(r"(?:^|/)(?:tests?/|test_\w+\.py$|conftest\.py$)")

pytestmark = [pytest.mark.slow, pytest.mark.node, pytest.mark.xdist_group("packaging")]


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
    told = run(python, "-c", "import mathcore; print(mathcore.find('young_daly.interval'))", cwd=tmp_path)
    assert "young_daly.interval" in told


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
    assert {"text.woff2", "mathematics.woff2"} <= {path.name for path in (site / "_static" / "fonts").iterdir()}
