"""Protects the archives behind cells that run in a page: all of the core is in them, as it is now, and nothing twice.

The compiler is stood in for by a copy: what it makes of sources, the tests in a browser show.
"""

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from mathbook import live, resources

CORE = {
    "units.py": "second = 1", "teaching/labs.py": "labs = 4", "chapters/__init__.py": "",
    "chapters/tiny.py": "five = 5", "data/facts/tiny.toml": 'bench = "5 min"', "data/redirects.csv": "old,new",
    "README.md": "not carried"
}  # fmt: skip


@pytest.fixture
def core(tmp_path):
    """Return the folder of a small core."""
    for name, text in CORE.items():
        (tmp_path / "mathcore" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mathcore" / name).write_text(text)
    return tmp_path / "mathcore"


@pytest.fixture
def packed(core, tmp_path, monkeypatch):
    """Return what packs the core and names the archives, and which of them were compiled for it."""
    compiled = []

    def copied(command, **_):
        compiled.append(Path(command[-1]).name)
        shutil.copyfile(command[-2], command[-1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(live.cache, "FOLDER", tmp_path / "found")
    monkeypatch.setattr(live.subprocess, "run", copied)
    monkeypatch.setattr(live, "_package_files", lambda: [(live.RUNNER, "sympy/core.py")])

    def pack():
        compiled.clear()
        return live._archives(core), set(compiled)

    return pack


def held(archive):
    """Return `{name: text}` of what an archive holds."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_all_that_is_carried_is_in_one_archive_with_its_text(packed):
    archives, _ = packed()
    found = [(name, text) for made in archives.values() for name, text in held(made).items()]
    wanted = {f"mathcore/{name}": text for name, text in CORE.items() if name != "README.md"}
    runner = live.RUNNER.read_text("utf-8")
    assert sorted(found) == sorted([*wanted.items(), ("live_cell.py", runner), ("sympy/core.py", runner)])


def test_worker_asks_for_every_archive(packed):
    worker = (resources.static_folder() / "mc-live-worker.js").read_text("utf-8")
    assert f"const ARCHIVES = {list(packed()[0])};".replace("'", '"') in worker


@pytest.mark.parametrize(
    ("name", "archive", "compiled"),
    [
        ("data/facts/tiny.toml", "data.zip", set()),
        ("data/redirects.csv", "data.zip", set()),
        ("chapters/tiny.py", "chapters.zip", {"chapters.zip"}),
        ("chapters/new.py", "chapters.zip", {"chapters.zip"}),
        ("teaching/labs.py", "core.zip", {"core.zip"}),
    ],
)
def test_change_comes_into_its_archive_and_nothing_else_is_made_again(packed, core, name, archive, compiled):
    before, first = packed()
    assert first == {"packages.zip", "core.zip", "chapters.zip"}
    assert packed() == (before, set())
    (core / name).write_text("changed = 6")
    after, again = packed()
    assert again == compiled
    assert {each for each in after if after[each] != before[each]} == {archive}
    assert held(after[archive])[f"mathcore/{name}"] == "changed = 6"


def test_file_that_is_gone_or_has_another_name_is_carried_no_more(packed, core):
    packed()
    (core / "chapters/tiny.py").rename(core / "chapters/small.py")
    (core / "data/redirects.csv").unlink()
    archives, compiled = packed()
    assert compiled == {"chapters.zip"}
    assert "mathcore/chapters/small.py" in held(archives["chapters.zip"])
    assert "mathcore/chapters/tiny.py" not in held(archives["chapters.zip"])
    assert "mathcore/chapters/redirects.csv" not in held(archives["data.zip"])


def test_another_compiler_compiles_everything_again(packed, tmp_path, monkeypatch):
    packed()
    compiler = tmp_path / "other.mjs"
    compiler.write_text("// compiles in another way")
    monkeypatch.setattr(live, "COMPILE_SCRIPT", compiler)
    assert packed()[1] == {"packages.zip", "core.zip", "chapters.zip"}
