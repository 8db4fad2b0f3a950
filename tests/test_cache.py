"""Protects cached results: found again for the same claim and sources only, not for another or a refusal."""

import os
import time

import pytest
from mathbook import cache, chapter_sources, folders, outdated
from sample_formulas import C, M, x
from sympy import sqrt

from mathcore import StepError, Variable, checker


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Put a lasting memory of its own in the place of the judge's."""
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "found")
    monkeypatch.setattr(checker, "verdict_cache", {})
    monkeypatch.setitem(cache._state, "run", "")
    cache._results.cache_clear()
    cache.persist_verdicts()
    memory = checker.verdict_cache
    yield memory
    close(memory)
    cache._results.cache_clear()


def close(memory):
    for base in memory.connections.values():
        base.close()


@pytest.fixture
def check_cached(store):
    """Return a function that checks a claim and returns whether it was computed again."""
    calls = []

    @checker.memoize_check(lambda verdict: verdict, lambda store: store)
    def equal(left, right, *, place):
        calls.append(place)
        return checker.check_equal.__wrapped__(left, right, place=place).name

    def ask(left, right, place="chapter.py:7"):
        before = len(calls)
        return equal(left, right, place=place), len(calls) > before

    return ask


def test_verdict_is_found_again_for_the_same_claim(check_cached):
    assert check_cached(sqrt(C**2), C) == ("proved", True)
    assert check_cached(sqrt(C**2), C) == ("proved", False)


def test_verdict_outlives_the_process(check_cached, store):
    check_cached(sqrt(C**2), C)
    again = cache.ResultStore(next(cache.FOLDER.glob("*.sqlite")))  # as another process opens it
    assert again.items() == store.items() and len(store.items()) == 1
    close(again)


def test_line_of_the_claim_does_not_count(check_cached):
    check_cached(x + 1, 1 + x, "chapter.py:7")
    assert check_cached(x + 1, 1 + x, "chapter.py:8") == ("proved", False)


@pytest.mark.parametrize(
    "changed",
    [{"high": "2"}, {"low": "0.5"}, {"unit": "percent"}, {"name": "y"}, {"integer": True}, {"zero": True}],
    ids=str,
)
def test_symbol_of_another_range_or_unit_is_checked_again(check_cached, changed):
    stated = {"name": "q", "unit": "", "meaning": "a number", "high": "9"}
    for symbol in (Variable(**stated), Variable(**{**stated, **changed})):
        assert check_cached((symbol + 1) ** 2, symbol**2 + 2 * symbol + 1) == ("proved", True)


def test_changed_claim_is_checked_again(check_cached):
    check_cached(2 * C * M, C * M * 2)
    with pytest.raises(StepError):
        check_cached(2 * C * M, C * M)


def test_refusal_is_never_stored(check_cached, store):
    for _ in range(2):
        with pytest.raises(StepError):
            check_cached(C, 2 * C)
    assert store.items() == []


def test_changed_engine_forgets(check_cached, store, monkeypatch):
    check_cached(x + 1, 1 + x)
    monkeypatch.setattr(cache, "verdicts_hash", lambda: "another engine")
    monkeypatch.setattr(checker, "verdict_cache", {})
    cache.persist_verdicts()
    assert checker.verdict_cache is not store and check_cached(x + 1, 1 + x) == ("proved", True)
    close(checker.verdict_cache)


@pytest.mark.parametrize(
    "part", ["formulas.py", "solution/sentences.py", "measured/fit.py", "commands/verification.py"]
)
def test_pages_depend_on_every_module_of_the_engine(tmp_path, monkeypatch, part):
    """A change in any folder but the chapters is another hash."""
    for name in (
        "formulas.py",
        "solution/sentences.py",
        "measured/fit.py",
        "commands/verification.py",
        "chapters/x.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one = 1")
    monkeypatch.setattr(folders, "ENGINE", tmp_path)
    before = folders.engine_hash()
    (tmp_path / "chapters/x.py").write_text("two = 2")
    assert folders.engine_hash() == before
    (tmp_path / part).write_text("two = 2")
    assert folders.engine_hash() != before


def test_results_depend_on_the_packages_that_compute_them(monkeypatch):
    before = cache.toolchain_hash()
    version = cache.metadata.version
    for package in ("numpy", "pint", "scipy"):
        monkeypatch.setattr(cache.metadata, "version", lambda name, of=package: "0" if name == of else version(name))
        cache._toolchain_hash.cache_clear()
        assert cache.toolchain_hash() != before
    monkeypatch.undo()
    cache._toolchain_hash.cache_clear()
    assert cache.toolchain_hash() == before


def test_damaged_file_is_checked_again(check_cached, store, monkeypatch):
    check_cached(x + 1, 1 + x)
    close(store)
    for part in cache.FOLDER.iterdir():
        part.write_text("{")
    monkeypatch.setattr(checker, "verdict_cache", {})
    cache.persist_verdicts()
    assert check_cached(x + 1, 1 + x) == ("proved", True)


def test_results_of_earlier_runs_are_ignored_and_those_of_this_run_are_not(check_cached):
    check_cached(x + 1, 1 + x)
    cache.ignore_earlier_runs()
    assert [check_cached(x + 1, 1 + x), check_cached(x + 1, 1 + x)] == [("proved", True), ("proved", False)]


def test_folder_that_cannot_be_written_does_no_harm(check_cached, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "file" / "found")
    monkeypatch.setattr(checker, "verdict_cache", {})
    cache.persist_verdicts()
    assert check_cached(x + 1, 1 + x) == ("proved", True)


def test_what_was_found_for_the_same_sources_is_found_again(store, monkeypatch):
    found = iter(range(9))

    def ask(checksum, keep=lambda _: True):
        return cache.memoize("n", checksum, lambda: next(found), keep)

    assert [ask("a"), ask("a"), ask("b")] == [0, 0, 1]
    assert [ask("bad", lambda _: False), ask("bad")] == [2, 3]  # what must not be stored is computed anew
    monkeypatch.setattr(cache, "toolchain_hash", lambda: "other tools")
    assert [ask("a"), ask("a")] == [4, 4]
    monkeypatch.setitem(cache._state, "run", "another")
    assert [ask("a"), ask("a")] == [5, 5]


def test_file_that_no_run_has_opened_for_a_month_is_deleted(store):
    old, other = (cache.FOLDER / f"results-{age}.sqlite" for age in ("old", "young"))
    for path, days in ((old, cache.DAYS + 1), (other, cache.DAYS - 1)):
        path.touch()
        os.utime(path, (time.time() - days * 24 * 3600,) * 2)
    close(cache.open_store("results", "a new version"))
    assert not old.exists() and other.exists()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return the files of a library of three chapters."""
    files = {name: tmp_path / f"{name}.py" for name in ("one", "two", "three")}
    files["one"].write_text("from mathcore.chapters import two\n")
    files["two"].write_text('x = Calculation("three.y * 2")\n')
    files["three"].write_text("y = 1\n")
    monkeypatch.setattr(chapter_sources, "chapter_files", lambda: files)
    return files


def hashes(files):
    """Return the hash of a text that names each chapter, as another process computes it."""
    chapter_sources._hash_and_names.cache_clear()
    return {name: chapter_sources.hash_of_text(f"{name}.x") for name in files}


def test_hash_follows_every_chapter_that_is_named(files):
    before = hashes(files)
    files["three"].write_text("y = 2\n")
    after = hashes(files)
    assert [name for name in files if before[name] != after[name]] == ["one", "two", "three"]
    files["one"].write_text("from mathcore.chapters import two  # again\n")
    assert [name for name, text in hashes(files).items() if text != after[name]] == ["one"]


def test_page_that_lists_statements_depends_on_the_chapters_it_lists(monkeypatch):
    monkeypatch.setattr(outdated, "hash_of_text", chapter_sources.chapters_named_in)
    assert outdated.source_hash("plain words") == set()
    assert outdated.source_hash("{mc:value}`young_daly.act_one`") == {"young_daly"}
    assert outdated.source_hash(":::{mc:table} formulas roofline operations.spot\n:::") == {"roofline", "operations"}
    for listing in (":::{mc:table} facts\n:::", ":::{mc:ledger}\n:::"):
        assert outdated.source_hash(listing) == set(chapter_sources.chapter_files())
