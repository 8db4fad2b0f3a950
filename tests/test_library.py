"""Protects addresses: each statement has one, it leads back to the statement, and a wrong one is answered."""

import csv
import subprocess
import sys
import types

import pytest
from error_assertions import expect_error
from sample_formulas import interval

import mathcore
from mathcore import (
    ArgumentError,
    DeclarationError,
    Fact,
    Formula,
    UnknownAddress,
    find,
    library,
    search_ranking,
    statements,
)
from mathcore.commands import text_output, verification
from mathcore.errors import ROOT
from mathcore.library import current_library
from mathcore.statements import Group, Statement, address_of, statements_in
from mathcore.symbols import Variable

CHAPTERS = library.current_library.names()


def test_address_of_a_found_statement_is_the_same():
    for address, statement in library.current_library.statements("young_daly"):
        assert find(address) is statement and address_of(statement) == address
        if isinstance(statement, Statement) and not address.endswith(".derivation"):
            assert (statement.address, statement.name) == (address, address.rpartition(".")[2])


def test_walk_visits_every_statement_once():
    addresses = [address for address, _ in mathcore.walk()]
    assert len(addresses) == len(set(addresses)) > 300
    stating = {name for name in CHAPTERS if name != "claims"}  # whose modules state them, one for each text
    assert {library.current_library.split(address)[0] for address in addresses} == stating


def test_what_a_chapter_borrows_is_not_its_own():
    own = {id(statement) for _, statement in library.current_library.statements("young_daly")}
    others = [e for name in CHAPTERS if name != "young_daly" for _, e in library.current_library.statements(name)]
    assert not any(id(statement) in own for statement in others)


@pytest.mark.parametrize("kind", [Formula, Fact, Variable])
def test_statement_knows_its_line(kind):
    found = [e for _, e in library.current_library.statements("young_daly") if isinstance(e, kind)]
    home = "mathcore/chapters/young_daly/facts.toml:" if kind is Fact else "mathcore/chapters/young_daly/__init__.py:"
    assert found and all(e.where.startswith(home) for e in found)


def test_statement_of_any_module_is_found_by_its_address():
    assert (interval.address, interval.name) == ("sample_formulas.interval", "interval")
    assert find("mathcore.chapters.young_daly.interval") is find("young_daly.interval")


def test_statement_that_no_module_names_has_no_address():
    nameless = Statement(where="/somewhere/else.py:3")
    assert (nameless.address, nameless.name, address_of(nameless)) == ("", "", "")
    with expect_error(DeclarationError, code="no-address", place=False):
        nameless.required_address  # noqa: B018  asking is the check


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("young_daly.intervall", dict(code="unknown-address", hint="did you mean `young_daly.interval`?")),
        ("young_daly", dict(code="unknown-address", got="young_daly")),
        ("young_daly.interval.derivations", dict(hint="did you mean `young_daly.interval.derivation`?")),
        ("young-daly.interval", dict(code="unknown-module", got="young-daly", hint="did you mean `young_daly`?")),
        ("", dict(code="unknown-module", expected="`chapter.name`")),
        ("sys.path", dict(code="unknown-module", got="sys")),
        ("young_daly.__doc__", dict(code="unknown-address")),
        ("young_daly.sqrt", dict(code="unknown-address")),
    ],
)  # fmt: skip
def test_wrong_address_is_answered_with_the_nearest(address, fields):
    with expect_error(UnknownAddress, **fields):
        find(address)


def test_unknown_address_is_answered_with_the_file_that_would_state_it():
    with expect_error(UnknownAddress, "mathcore/chapters/young_daly/__init__.py"):
        find("young_daly.intervall")


@pytest.mark.slow
def test_finding_does_not_depend_on_what_was_loaded_before():
    text = "import mathcore; print(mathcore.find('young_daly.act_one').text())"
    result = subprocess.run([sys.executable, "-c", text], capture_output=True, check=True, encoding="utf-8")
    assert result.stdout == "62.0\u202fmin\n"


def test_statement_has_the_address_of_its_home_whoever_imports_it_first(monkeypatch):
    statement = Statement(where="/somewhere/chapters/home.py:3")
    for chapter, name in (("guest", "borrowed"), ("home", "own")):  # the guest is loaded first
        module = types.ModuleType(f"mathcore.chapters.{chapter}")
        module.__file__ = f"/somewhere/chapters/{chapter}.py"
        setattr(module, name, statement)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    assert statement.address == "home.own"


@pytest.fixture
def lent(monkeypatch):
    """Return a module of the book that is in no file, with a group of two statements."""
    module = types.ModuleType("mathcore.chapters.lent")
    module.__file__ = "/somewhere/chapters/lent.py"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(statements, "_snapshots", {})  # what is known of another module of this name
    return module


def members(place="/somewhere/chapters/lent.py"):
    return {key: Statement(where=f"{place}:{line}") for line, key in enumerate(("h100", "b200"), 3)}


def test_members_of_a_group_go_by_their_keys(lent):
    lent.ridges = Group(members(), "mathcore.chapters.lent")
    assert list(statements_in(lent)) == ["lent.h100", "lent.b200"]
    assert lent.ridges.h100.address == "lent.h100"
    with pytest.raises(AttributeError, match="nothing is called `a100` here"):
        lent.ridges.a100  # noqa: B018  asking is the check


def test_name_that_is_bound_to_another_statement_is_the_address_of_that_one(lent):
    first, second = (Statement(where=f"/somewhere/chapters/lent.py:{line}") for line in (3, 4))
    lent.rate = first
    assert first.address == "lent.rate"
    lent.rate = second
    assert (first.address, second.address) == ("", "lent.rate")


def test_group_that_is_borrowed_is_not_ones_own(lent):
    lent.borrowed = Group(members("/somewhere/chapters/home.py"), "mathcore.chapters.home")
    assert statements_in(lent) == {}


def test_words_find_what_they_mean():
    found = [each.address for each in library.current_library.search("young interval", 3)]
    assert "young_daly.interval" in found
    assert library.current_library.search("zebra xylophone") == library.current_library.search("of the") == []


# What an engineer types who has not seen the index, and the first result that an engineer expects.
FIRST = {
    "cluster mtbf": "young_daly.cluster_mtbf", "cluster_mtbf": "young_daly.cluster_mtbf",
    "how often checkpoint": "young_daly.interval", "checkpoint interval": "young_daly.interval",
    "interval": "young_daly.interval", "balance point": "young_daly.balance_point", "waste": "young_daly.waste",
    "tokens per second": "serving.rate", "KV cache": "serving.cache_per_token", "step time": "serving.step",
    "time to first token": "serving.queues.first_token", "TTFT": "serving.queues.first_token",
    "MFU": "training.mfu", "6ND": "training.six", "ring all-reduce": "collectives.ring",
    "all-to-all": "collectives.all_to_all", "ridge point": "roofline.ridge", "pipeline bubble": "parallelism.bubble",
    "amdahl": "speedup.amdahl", "PUE": "energy.PUE", "H100 bandwidth": "hardware.h100_hbm_bandwidth",
}  # fmt: skip


def not_first(expected):
    """Return the words of `{words: address}` for which another result comes first."""
    return [
        words
        for words, address in expected.items()
        if [each.address for each in library.current_library.search(words, 1)] != [address]
    ]


def test_usual_queries_find_their_statement_first():
    assert not_first(FIRST) == []


def phrases(kind):
    """Return `[(phrase, accepted addresses)]` of one kind: by `tuned` ones the ranking was made, by `held-out` not."""
    with (ROOT / "tests/data/search_phrases.csv").open(encoding="utf-8") as file:
        return [(row["phrase"], row["accepted"].split()) for row in csv.DictReader(file) if row["set"] == kind]


def hits(kind):
    """Return the shares of phrases whose accepted statement is the first, and among the first three."""
    found = [
        ([each.address for each in current_library.search(phrase, 3)], accepted) for phrase, accepted in phrases(kind)
    ]
    return tuple(sum(not {*accepted}.isdisjoint(best[:n]) for best, accepted in found) / len(found) for n in (1, 3))


@pytest.fixture(scope="module")
def held_out():
    return hits("held-out")


def test_everyday_phrases_find_their_statement_first(held_out):
    assert hits("tuned")[0] == 1.0
    assert len(phrases("held-out")) >= 60
    assert held_out[0] >= 0.7 and held_out[1] >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["terms.toml", "synonyms.toml"])
def test_search_that_ranks_otherwise_is_found(lost, held_out, monkeypatch):
    read = library.Library.data
    monkeypatch.setattr(library.Library, "data", lambda self, name: {} if name == lost else read(self, name))
    assert sum(hits("held-out")) < sum(held_out)


def test_every_term_names_statements():
    for addresses in library.current_library.data("terms.toml").values():
        for address in addresses.split():
            assert find(address).address == address


def labs_among(query):
    """Return for each hit of a query, in order, whether it is of a lab."""
    return [each.address.startswith("lab_") for each in library.current_library.search(query, 1000)]


def test_labs_rank_last(monkeypatch):
    for query in ("cost", "MFU needed", "batch", "tokens of the run"):
        assert labs_among(query) == sorted(labs_among(query))
    assert any(labs_among("cost"))
    read = library.Library.data
    monkeypatch.setattr(library.Library, "data", lambda self, name: {} if name == "library.toml" else read(self, name))
    assert labs_among("cost") != sorted(labs_among("cost"))  # the seeded error


def test_words_that_mean_nothing_do_not_count(monkeypatch):
    found = [each.address for each in library.current_library.search("what is the throughput of serving", 5)]
    assert found == [each.address for each in library.current_library.search("throughput serving", 5)]
    monkeypatch.setattr(search_ranking, "STOPWORDS", frozenset())
    assert found != [each.address for each in library.current_library.search("what is the throughput of serving", 5)]


@pytest.mark.parametrize(("words", "count"), [(None, 10), (7, 10), ("mtbf", 0), ("mtbf", -1)])
def test_search_without_words_or_for_nothing_is_refused(words, count):
    with expect_error(ArgumentError, code="wrong-type", got=f"{words!r} and {count!r}"):
        library.current_library.search(words, count)


def test_list_is_cut_where_a_line_is_too_long_and_show_has_the_whole():
    long = find("lab_full_stack.mfu")
    assert len(text_output.summary_line(long)) == text_output.MAX_LINE and text_output.summary_line(long).endswith("…")
    assert len(text_output.details_text(long).splitlines()[0]) > text_output.MAX_LINE


@pytest.mark.slow
def test_reader_who_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "mathcore", "show", "young_daly"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as result:
        result.stdout.close()
        assert (result.stderr.read(), result.wait()) == (b"", 0)


def test_package_that_is_not_there_is_named_with_its_cure(monkeypatch):
    def lost(*_):
        raise ModuleNotFoundError("no numpy", name="numpy")

    found = verification.check_module(current_library, "young_daly", check=lost)["issues"]
    assert len(set(found)) == 1 and found[0].startswith("numpy is not installed") and "pip install numpy" in found[0]


SWITCHED = """
import sys
import mathcore
from mathcore.library import current_library
assert mathcore.use_library("tinylib") is current_library
print(mathcore.find("disk.copy_bandwidth").at(r="800 MB/s", w="200 MB/s").to("MB/s"))
print([found.address for found in mathcore.search("copy bandwidth", 1)], current_library.names())
print([name for name in sys.modules if f"{name}.".startswith("mathcore.chapters.")])
mathcore.use_library()
print(mathcore.find("young_daly.interval").address, mathcore.find("tinylib.disk.movie").address)
"""


def test_another_library_takes_the_place_of_the_own_one_which_is_not_loaded():
    asked = [sys.executable, "-c", SWITCHED]
    result = subprocess.run(asked, cwd=ROOT / "examples" / "tiny-book", capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == [
        "160.0 MB / s",
        "['disk.copy_bandwidth'] ['disk']",
        "[]",
        "young_daly.interval tinylib.disk.movie",
    ]


def test_library_that_cannot_be_imported_leaves_the_current_one():
    with expect_error(DeclarationError, code="not-importable", got="no_such_library"):
        library.use_library("no_such_library")
    assert find("young_daly.interval").address == "young_daly.interval"
