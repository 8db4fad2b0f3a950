"""Protects addresses: each statement has one, it leads back to the statement, and a wrong one is answered."""

import subprocess
import sys
import types

import pytest
from letters import interval
from refusals import refused

import mathcore
from mathcore import UnknownAddress, address_of, find, library, show
from mathcore.entities import Entity
from mathcore.symbols import Variable

CHAPTERS = library.book.names()


def test_chapters_are_found_by_their_files():
    assert {"young_daly", "ground_rules"} <= set(CHAPTERS) == set(sorted(CHAPTERS))


def test_address_leads_to_its_statement_and_back():
    for address, entity in library.book.entities("young_daly"):
        assert find(address) is entity and address_of(entity) == address
        if isinstance(entity, Entity) and not address.endswith(".derivation"):
            assert (entity.address, entity.name) == (address, address.rpartition(".")[2])


def test_walk_visits_every_statement_once():
    addresses = [address for address, _ in mathcore.walk()]
    assert len(addresses) == len(set(addresses)) > 300
    assert {address.partition(".")[0] for address in addresses} == set(CHAPTERS)


def test_what_a_chapter_borrows_is_not_its_own():
    own = {id(entity) for _, entity in library.book.entities("young_daly")}
    others = [e for name in CHAPTERS if name != "young_daly" for _, e in library.book.entities(name)]
    assert not any(id(entity) in own for entity in others)


@pytest.mark.parametrize("kind", [Entity, Variable])
def test_statement_knows_the_line_on_which_it_stands(kind):
    found = [e for _, e in library.book.entities("young_daly") if isinstance(e, kind)]
    assert found
    assert all(e.where.startswith("mathcore/chapters/young_daly.py:") for e in found)


def test_statement_outside_a_chapter_has_no_address():
    assert (interval.address, interval.name, address_of(interval)) == ("", "", "")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("young_daly.intervall", ("did you mean `young_daly.interval`?", "mathcore/chapters/young_daly.py")),
        ("young_daly", ("nothing stands at `young_daly`",)),
        ("young_daly.interval.derivations", ("did you mean `young_daly.interval.derivation`?",)),
        ("young-daly.interval", ("there is no chapter `young-daly`", "did you mean `young_daly`?")),
        ("", ("an address is `chapter.name`",)),
        ("sys.path", ("there is no chapter `sys`",)),
        ("young_daly.__doc__", ("nothing stands at",)),
        ("young_daly.sqrt", ("nothing stands at",)),
    ],
)  # fmt: skip
def test_wrong_address_is_answered_with_the_nearest(address, words):
    with refused(UnknownAddress, *words):
        find(address)
    with refused(UnknownAddress, *words):
        show(address)


def test_unknown_address_is_a_lookup_error_too():
    with pytest.raises(LookupError):
        find("young_daly.nothing_at_all")


def test_finding_does_not_depend_on_what_was_loaded_before():
    text = "import mathcore; print(mathcore.find('young_daly.act_one').text())"
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, check=True, encoding="utf-8")
    assert told.stdout == "62.0\u202fmin\n"


def test_statement_has_the_address_of_its_home_whoever_imports_it_first(monkeypatch):
    statement = Entity(where="/somewhere/chapters/home.py:3")
    for chapter, name in (("guest", "borrowed"), ("home", "own")):  # the guest is loaded first
        module = types.ModuleType(f"mathcore.chapters.{chapter}")
        setattr(module, name, statement)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    assert statement.address == "home.own"


def test_shown_formula_leaves_the_typesetting_to_the_page():
    bundle = show("young_daly.interval")._repr_mimebundle_()
    assert bundle["text/markdown"] == ":::{mc-show} young_daly.interval\n:::"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("young_daly.interval", r"\sqrt{2 C M}"), ("young_daly.interval.derivation", "[proved]"),
        ("young_daly.act_one", "61.96"),
    ],
)  # fmt: skip
def test_console_sees_what_it_can_show(address, words):
    assert words in repr(show(address))
