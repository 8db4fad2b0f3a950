"""Make single slips in the book, one at a time, and list those that no check finds: `make mutation-test`.

One process loads libraries and book and keeps what every chapter prints. For each mutant it forks a child
that reads one file with the slip in it (nothing is written), and asks in order of cost: does the chapter
load, does it print something else, does a statement or a page complain, does a test fail? What prints the
same is set aside; what prints something else and is found by nothing survives, and `data/survivors.csv` may
say why. The core answers for refusals too, which print nothing: its tests are asked first.
"""

import argparse
import contextlib
import csv
import functools
import importlib
import io
import json
import linecache
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from importlib.machinery import SourceFileLoader
from multiprocessing import connection
from pathlib import Path
from typing import ClassVar

import numpy  # noqa: F401  loaded once, before the forks, as are all libraries
import pytest
from mathbook import cache, prose_numbers
from mathbook.chapter_sources import chapter_files, chapter_text, chapters_named_in
from mutation import KINDS, ROOT, sample

import mathcore.monte_carlo
import mathcore.teaching  # noqa: F401
from mathcore import checker, statements
from mathcore.commands import verification
from mathcore.library import current_library

SURVIVORS = ROOT / "tests" / "data" / "survivors.csv"
SECONDS = 60  # of the processor, for one mutant
WANTED = 0.95
FORKING = multiprocessing.get_context("fork")
# What each kind of statement prints, or is a key.
PRINTED = {
    "Variable": ("tex", "meaning", "range_text"),
    "Formula": ("latex", "conditions"),
    "Derivation": ("lines",),
    "Fact": ("text",),
    "Example": ("text", "latex"),
    "Exercise": ("text", "solution", "wrong"),
    "Claim": ("printed_text", "text", "verdict", "how", "explanation"),
    "Question": ("right", "options"),
    "Calculator": ("spec",),
    "Lab": ("spec",),
}
OWN = {
    "lines": lambda chain: [step.latex() for step in chain.steps],
    "wrong": lambda task: [f"{f.latex()} {f.at(task.givens_of(0, f))}" for f in task.wrong_formulas.values()],
    "options": lambda question: [(t.latex(), question.text(i)) for i, t in enumerate(question.truths)],
    "spec": lambda tool: re.sub(r'"(factor|base)": [^,}]+', "", json.dumps(tool.spec())),
}
OF_THE_CORE = ("young_daly", "roofline", "lab_checkpoint_reckoning", "claims.papers")  # of every kind some
MARKS = "not slow and not browser and not node"
# These need the built site or another process, ask how sources look, or what is cached of earlier
# runs, which a mutant must not trust; or they are asked first.
LEFT_OUT = (
    "operations_files tiny_book_build cache environment_setup repository practice verify_after_changed_fact layers"
)
LEFT_OUT += " mutation evaluation_agreement unused hand_computed wrong_answers chapters condition_bounds"
LEFT_OUT += " facts_second_reading quoted_values against_published optima_and_break_evens"
# Their expectations are in tables, so that no test names the statements; some are asked chapter by chapter.
BY_CHAPTER = [f"tests/test_{name}.py" for name in ("hand_computed", "wrong_answers", "chapters", "condition_bounds")]
SEEDED = "tests/test_seeded_errors.py"
BY_TABLE = [
    f"tests/test_{name}.py"
    for name in ("facts_second_reading", "quoted_values", "against_published", "optima_and_break_evens")
]


def printed(name):
    """Return what the statements of a chapter print, by address; of a refusal, its kind."""
    library = sys.modules["mathcore.library"].current_library  # a mutant may have loaded another one
    return {address: _printed(statement) for address, statement in library.statements(name)}


def _printed(statement):
    found = []
    for surface in PRINTED.get(type(statement).__name__, ()):
        try:
            value = OWN[surface](statement) if surface in OWN else getattr(statement, surface)
            found.append(str(value() if callable(value) else value))
        except Exception as error:  # a refusal may be of any kind
            found.append(type(error).__name__)
    return found


reference = functools.cache(printed)


@functools.cache
def above():
    """Return for each chapter those whose statements may come from it, the nearest first."""
    files = chapter_files()
    below = {name: chapters_named_in(text_of(name)) for name in files}
    reached = {}
    for name in files:
        waiting, found = [name], set()
        while waiting:
            found.add(one := waiting.pop())
            waiting += below[one] - found
        reached[name] = found
    ranked = sorted(files, key=lambda name: len(reached[name]))
    return {name: [other for other in ranked if name in reached[other] and other != name] for name in files}


@functools.cache
def text_of(name):
    """Return the text of a chapter with that of its data files."""
    return chapter_text(chapter_files()[name])


def mentions(text, changed):
    """Return whether a text speaks of one of some statements, given as `chapter.name`."""
    words = set(re.findall(r"\w+", text))
    imported = re.findall(r"from mathcore\.chapters\.(\w+) import", text)
    named = {f"{chapter}.{word}" for chapter in imported for word in words}
    return not changed.isdisjoint(named | set(re.findall(r"\w+\.\w+", text)))


# ---------------------------------------------------------------- in the child


def overlay(path, text):
    """Let every reader in this process find `text` in a file."""
    load, read_text, read_bytes = SourceFileLoader.get_code, Path.read_text, Path.read_bytes

    def get_code(loader, name):
        if Path(loader.path) == path:
            return compile(text, loader.path, "exec", dont_inherit=True)
        return load(loader, name)

    def is_it(other):
        return other.name == path.name and other.resolve() == path

    SourceFileLoader.get_code = get_code
    Path.read_text = lambda p, *a, **k: text if is_it(p) else read_text(p, *a, **k)
    Path.read_bytes = lambda p: text.encode() if is_it(p) else read_bytes(p)
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))


def forget(names):
    """Unload modules, and what others remember of them."""
    for name in names & sys.modules.keys():
        package, _, last = name.rpartition(".")
        owner = sys.modules.get(package)  # None where the package has been unloaded before its module
        if owner is not None and last in vars(owner):
            delattr(owner, last)
        statements._snapshots.pop(name, None)
        del sys.modules[name]
    for module in [m for n, m in sys.modules.items() if n.startswith("mathbook")]:
        for value in vars(module).values():
            getattr(value, "cache_clear", tuple)()


def reload(mutant):
    """Drop the caches that the mutant may change, and reload the engine if it is changed."""
    if mutant.chapter:
        forget({f"mathcore.chapters.{name}" for name in (mutant.chapter, *above()[mutant.chapter])})
    else:
        forget({name for name in sys.modules if name.split(".")[0] in ("mathcore", "mathbook")})
        for name in ("mathbook.cache", "mathcore.teaching", "mathcore.commands.verification"):
            importlib.import_module(name)
    module = sys.modules["mathbook.cache"]
    module.ignore_earlier_runs()
    module.persist_verdicts, module.FOLDER = int, Path(tempfile.gettempdir()) / f"mutants-{os.getppid()}"


def first_issue_in(name):
    """Return the first thing that does not hold in a chapter, or an empty text."""
    library = sys.modules["mathcore.library"].current_library
    found = sys.modules["mathcore.commands.verification"].check_module(library, name)
    return next(iter(found["issues"]), "")


def of_chapter(mutant, tell):
    """Yield what finds a slip in a chapter: issues here and above, pages, tests that name it."""
    name, changed = mutant.chapter, {f"{mutant.chapter}.{mutant.statement}"}
    for other in [name, *above()[name]]:
        if other == name or mentions(text_of(other), changed):
            found = printed(other)
            differing = [a for a in found.keys() | reference(other) if found.get(a) != reference(other).get(a)]
            changed |= {address.removesuffix(".derivation") for address in differing}
            if other == name and not differing:
                return  # it prints the same
            tell("changed")
            yield first_issue_in(other)
    for page in prose_numbers.pages_with_prose():
        if mentions(page.read_text("utf-8"), changed):
            yield next(iter(prose_numbers.page_issues(page)), "")
    tell("tests")
    yield failing(BY_CHAPTER, First([f"[{name}]"]))
    yield failing(BY_TABLE)
    yield failing(naming({name}, {address.rpartition(".")[2] for address in changed}))


def of_core(mutant, tell):
    """Yield what finds a slip in the core: its own tests, then all that name it, then chapters."""
    parts = {*mutant.statement.split(".")}
    tell("tests")
    first = [f"tests/test_{mutant.path.stem}.py"]
    yield failing([mutant.path.relative_to(ROOT).as_posix(), *(name for name in first if (ROOT / name).exists())])
    yield failing([SEEDED, *naming({mutant.path.stem, *parts}, parts)])
    for name in OF_THE_CORE:
        if printed(name) != reference(name):
            tell("changed")
        yield first_issue_in(name)


def naming(wanted, words):
    """Return the fast test files that name something wanted, those first that name most of the words."""
    found = {}
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        text_words = set(re.findall(r"\w+", path.read_text("utf-8")))
        if path.stem[5:] not in LEFT_OUT.split() and wanted & text_words:
            found[f"tests/{path.name}"] = len(words & text_words)
    return sorted(found, key=lambda name: -found[name])


class Broken(BaseException):
    """Raise when the tests cannot be asked, which is no kill."""


class First:
    """A plugin of pytest that chooses tests by parts of their ids and keeps what failed."""

    ignored: ClassVar = set()  # these fail in the unchanged book as well

    def __init__(self, chosen=("",)):
        """Choose."""
        self.chosen, self.failed = chosen, []

    def pytest_collection_modifyitems(self, items):
        """Leave out what was not chosen, and what would fail anyway."""
        chosen = [item for item in items if any(part in item.nodeid for part in self.chosen)]
        items[:] = [item for item in chosen if item.nodeid not in self.ignored]

    def pytest_runtest_logreport(self, report):
        """Keep a failure, also of a file that cannot be loaded."""
        if report.failed:
            self.failed.append(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport


def failing(files, first=None, most=1):
    """Return the first test of some files that fails, or an empty text."""
    if not files:
        return ""
    first, cached = first or First(), f"cache_dir={tempfile.gettempdir()}/mutants-pytest"
    with contextlib.redirect_stdout(io.StringIO()):
        more = ["-q", f"--maxfail={most}", "-o", cached, "--timeout=300", "-m", MARKS]
        code = pytest.main([*(str(ROOT / name) for name in files), *more], plugins=[first])
    if code not in (0, 1, 5) and not first.failed:  # 5: nothing was chosen
        raise Broken(f"pytest ends with {code} on {' '.join(files)}")
    return (first.failed or [""])[0]


def try_out(mutant, pipe):
    """Say through the pipe how far the mutant came, and at last what found it."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence()
    overlay(mutant.path, mutant.text)
    try:
        reload(mutant)
        ways = (of_chapter if mutant.chapter else of_core)(mutant, pipe.send)
        pipe.send(("found", next(filter(None, ways), "")))
    except Exception as error:  # it does not even load
        pipe.send(("found", f"{type(error).__name__}: {error}"))
    except Broken as error:
        pipe.send(("broken", str(error)))
    os._exit(0)


def silence():
    """Let nothing that tests and mutants print reach the terminal."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    warnings.simplefilter("ignore")


# ---------------------------------------------------------------- in the parent


def prepare(names):
    """Judge chapters, so that only what a slip changes is judged again; return what fails."""
    warnings.simplefilter("ignore")
    cache.persist_verdicts()
    failures = [message for name in names for message in verification.check_module(current_library, name)["issues"]]
    checker.verdict_cache = dict(checker.verdict_cache.items())
    for name in names:
        reference(name)
    return failures


def run(mutants, workers):
    """Yield `(mutant, fate, by what)` as children come to an end."""
    waiting, running, begun = list(reversed(mutants)), {}, time.perf_counter()
    while waiting or running:
        while waiting and len(running) < workers:
            mine, theirs = FORKING.Pipe(duplex=False)
            child = FORKING.Process(target=try_out, args=(waiting[-1], theirs))
            child.start()
            theirs.close()
            running[mine] = waiting.pop(), child, []
        for pipe in connection.wait(running):
            mutant, child, heard = running[pipe]
            with contextlib.suppress(EOFError):
                heard.append(pipe.recv())
                if type(heard[-1]) is str:
                    continue
            child.join()
            del running[pipe]
            if not (done := len(mutants) - len(waiting) - len(running)) % 25:
                print(f"{done} of {len(mutants)}, {time.perf_counter() - begun:.0f} s", flush=True)
            yield mutant, *fate(heard)


def fate(heard):
    """Return the fate of a mutant from the output of its child process."""
    last = heard[-1] if heard else ""
    if last == "tests":
        return "survived", "out of time in the tests"
    if type(last) is not tuple:
        return "killed", "never ends"
    if last[0] == "broken" or not last[1]:
        return ("survived" if "changed" in heard or last[1] else "same"), last[1]
    return "killed", last[1]


def decided(mutants, workers):
    """Yield fates; a mutant that is killed by a test that fails unchanged is tried again without it."""
    while mutants:
        killers = {}
        for mutant, became, by in run(mutants, workers):
            if became == "killed" and re.fullmatch(r"\S+\.py(::.*)?", by):
                killers[mutant] = by
            else:
                yield mutant, became, by
        wrong = failing_unchanged(set(killers.values()))
        yield from ((mutant, "killed", by) for mutant, by in killers.items() if by not in wrong)
        First.ignored = First.ignored | wrong
        mutants = [mutant for mutant, by in killers.items() if by in wrong]


def failing_unchanged(ids):
    """Return those of some tests that fail in the book as it is."""
    mine, theirs = FORKING.Pipe(duplex=False)

    def child():
        silence()
        first = First(sorted(ids))
        failing(sorted({test.partition("::")[0] for test in ids}), first, most=1000)
        theirs.send(ids & set(first.failed))
        os._exit(0)

    FORKING.Process(target=child).start()
    return mine.recv()


# ---------------------------------------------------------------- the report


def known():
    """Return why a survivor may survive, by place and slip."""
    with SURVIVORS.open(encoding="utf-8", newline="") as file:
        return {(row["place"], row["slip"]): row["reason"] for row in csv.DictReader(file)}


def score(counts):
    """Return the share of those killed among those that print something else."""
    return counts["killed"] / ((counts["killed"] + counts["survived"]) or 1)


def report(found):
    """Return the table by kind, and the survivors with their reasons, as lines."""
    lines = [f"{'kind':10} {'sampled':>8} {'same':>6} {'killed':>7} {'survived':>9} {'score':>7}"]
    for kind in (*KINDS, "all"):
        counts = Counter(became for mutant, became, _ in found if kind in (mutant.kind, "all"))
        row = f"{kind:10} {counts.total():8} {counts['same']:6} {counts['killed']:7} {counts['survived']:9}"
        lines += [f"{row} {score(counts):7.1%}"] if counts.total() else []
    reasons = known()
    for mutant, _, by in sorted((f for f in found if f[1] == "survived"), key=lambda f: f[0].place):
        why = reasons.get((mutant.place, mutant.slip), by or "reason unknown")
        lines.append(f"{mutant.path.relative_to(ROOT)}:{mutant.line}: {mutant.statement}: {mutant.slip}: {why}")
    return lines


def main():
    """Try out a sample of mutants and print the report; return 1 for a score below the wanted one."""
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("--count", type=int, default=320)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--kind", nargs="+", choices=KINDS, default=tuple(KINDS))
    reader.add_argument("--workers", type=int, default=2)
    reader.add_argument("--log", type=argparse.FileType("w"), help="a file for every mutant and its fate")
    given, found = reader.parse_args(), []
    if failures := prepare(current_library.names()):
        print("the book itself does not hold; correct it first:", *failures, sep="\n")
        return 2
    for mutant, became, by in decided(sample(given.count, given.seed, given.kind), given.workers):
        found.append((mutant, became, by))
        if given.log:
            fields = [became, mutant.kind, mutant.place, str(mutant.line), mutant.slip, by[:300].replace("\n", " ")]
            print("\t".join(fields), file=given.log, flush=True)
    print("\n".join(report(found)))
    return int(score(Counter(became for _, became, _ in found)) < WANTED)


if __name__ == "__main__":
    sys.exit(main())
