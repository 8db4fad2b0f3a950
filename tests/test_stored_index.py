"""Protects the stored search index: it answers as a fresh one, loads no chapter, and never outlives its sources."""

import json
import os
import subprocess
import sys

import pytest

from mathcore import stored_index
from mathcore.library import Library, current_library
from mathcore.search_ranking import Index

MODULE = '''"""Rates: what is sent."""
from mathcore import Variable
rate = Variable("rate", "GB/s", "bytes sent per second")
'''
HITS = "import sys; from mathcore.library import Library; print([x.address for x in Library('{}').search('{}')])"
LOADED = "; print(sum(name.startswith('{}.') for name in sys.modules))"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Use an empty cache folder, here and in the processes of a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(stored_index, "_folder", lambda: tmp_path / "cache" / "mathcore")
    monkeypatch.setattr(stored_index, "_loaded", {})
    return tmp_path / "cache" / "mathcore"


@pytest.fixture
def package(tmp_path):
    """Make a package of two modules, written a minute ago."""
    for name, text in {"__init__": "", "sent": MODULE, "other": MODULE.replace("sent", "held")}.items():
        write(tmp_path / "lent" / f"{name}.py", text)
    return tmp_path / "lent"


def write(path, text):
    """Write a file as if it had been written a minute ago."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    ago = stored_index.STARTED - 60
    os.utime(path, (ago, ago))


def run(package, words, more=""):
    """Return what a process of its own prints about a search in the package."""
    code = HITS.format(package.name, words) + more.format(package.name)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=package.parent, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(package.parent), *sys.path])},
    )  # fmt: skip
    return done.stdout.split("\n")[:-1]


@pytest.mark.slow
def test_index_of_the_book_is_the_same_after_it_was_stored(folder):
    fresh = Index.of(current_library.walk())
    for stamp in ("a", "b"):
        stored_index._write("mathcore.chapters", stamp, [stored_index.CORE / "library.py"], fresh)
    assert stored_index._read_stored("mathcore.chapters", "b") == fresh
    assert [path.name for path in folder.iterdir()] == ["search-mathcore.chapters-b.json"], "an earlier one is left"


def test_second_search_loads_only_what_it_finds(package):
    assert run(package, "bytes held", LOADED) == ["['lent.other.rate', 'lent.sent.rate']", "2"]
    assert run(package, "held", LOADED) == ["['lent.other.rate']", "1"]


def test_change_of_a_source_is_seen(package):
    assert run(package, "tokens") == ["[]"]
    write(package / "sent.py", MODULE.replace("bytes", "tokens"))
    assert run(package, "tokens") == ["['lent.sent.rate']"]


def test_damaged_index_is_made_again(package, folder):
    before = run(package, "bytes")
    [path] = folder.iterdir()
    stamp = path.stem.rpartition("-")[2]
    assert stored_index._read_stored("lent", stamp)
    for text in ("", "{", "[]", "[[1], {}]", '[[["a"]], {}]'):
        path.write_text(text)
        assert stored_index._read_stored("lent", stamp) is None, text
    assert run(package, "bytes") == before
    assert json.loads(path.read_text())


def test_nothing_is_stored_of_sources_that_may_be_newer_than_what_is_loaded(package, folder, monkeypatch):
    monkeypatch.syspath_prepend(str(package.parent))
    (package / "sent.py").touch()
    assert Library("lent").search("bytes") and not folder.exists()


def test_folder_that_cannot_be_written_to_costs_no_result(package, folder):
    folder.parent.write_text("a file where the folder should be")
    assert run(package, "bytes held") == ["['lent.other.rate', 'lent.sent.rate']"]
