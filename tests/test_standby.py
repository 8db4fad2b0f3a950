"""A build stands by for `make serve`: it builds when told, and never with what has changed since it was loaded."""

import io
import sys
from types import SimpleNamespace as Given

import pytest
from mathbook import warm_worker


@pytest.fixture
def asked(monkeypatch):
    """Let a build that has loaded nothing hear one line; return the function that lets it wait, and what began anew."""
    begun = []
    monkeypatch.setattr(warm_worker, "modules", lambda: ())
    monkeypatch.setattr(warm_worker.os, "execv", lambda program, command: begun.append(command[3:]))
    monkeypatch.setattr(sys, "argv", ["build", "--book", "here", "--standby"])

    def wait(line):
        monkeypatch.setattr(sys, "stdin", Given(buffer=io.BytesIO(line)))
        warm_worker.wait()
        return begun

    return wait


def written(monkeypatch, *stamps):
    """Let the loaded modules have been written at these times, one after the other."""
    told = iter(stamps)
    monkeypatch.setattr(warm_worker, "module_times", lambda: {"a module": next(told)})


def test_build_goes_on_when_it_is_told_to(asked, monkeypatch):
    written(monkeypatch, 1, 1)
    assert asked(warm_worker.START_SIGNAL) == []


@pytest.mark.parametrize(
    "stamps", [(1, 2), (1, 0), (10**20, 10**20)], ids=["changed", "gone", "changed while it was loaded"]
)
def test_what_has_changed_is_loaded_anew(asked, monkeypatch, stamps):
    written(monkeypatch, *stamps)
    assert asked(warm_worker.START_SIGNAL) == [["--book", "here"]], "and does not stand by once more"


def test_build_that_nobody_asks_for_any_more_ends(asked):
    with pytest.raises(SystemExit) as ended:
        asked(b"")
    assert not ended.value.code


def test_stamps_are_of_this_folder_and_follow_a_change(tmp_path, monkeypatch):
    own, other = tmp_path / "own.py", tmp_path.parent / "other.py"
    own.touch()
    monkeypatch.setattr(warm_worker, "PROJECT", tmp_path)
    monkeypatch.setattr(sys, "modules", {n: Given(__file__=str(p)) for n, p in (("own", own), ("other", other))})
    assert warm_worker.module_times() == {str(own): own.stat().st_mtime_ns}
    own.unlink()
    assert warm_worker.module_times() == {str(own): 0}


@pytest.mark.slow
def test_waiting_build_builds_and_says_how_it_ended(tmp_path, capfd):
    waiting = warm_worker.WarmWorker(["--book", tmp_path, "--out", tmp_path / "_build"])
    assert waiting.build() == 1
    assert "_toc.yml" in capfd.readouterr().err, "a folder without a book"
    dismissed = warm_worker.WarmWorker(["--book", tmp_path, "--out", tmp_path / "_build"])
    dismissed.stop()
    assert dismissed.process.returncode == 0
