"""Protects programs that were written with an old address: what moved is found where it is now."""

import csv

import pytest

from mathcore import UnknownAddress, find, library

with (library.DATA / "moved.csv").open(encoding="utf-8", newline="") as file:
    MOVED = {row["old"]: row["new"] for row in csv.DictReader(file)}


def stands_at(address):
    """Tell whether a statement is declared there, without a look into the table."""
    module, _, _ = address.partition(".")
    return address in dict(library.book.entities(module))


@pytest.mark.parametrize("old", MOVED)
def test_old_address_leads_to_a_statement_and_is_none_itself(old):
    assert stands_at(MOVED[old]), f"{old} should be found at {MOVED[old]}, but nothing stands there"
    assert not stands_at(old), f"{old} still stands: take it out of the table"
    assert find(old) is find(MOVED[old])


def test_address_that_never_was_is_refused():
    with pytest.raises(UnknownAddress, match=r"nothing stands at `energy\.device_hour`.*"):
        find("energy.device_hour")
