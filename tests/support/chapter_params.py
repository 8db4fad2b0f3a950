"""The chapters of the book, as parameters of tests that have one case for each."""

import pytest

from mathcore import library

# Their statements go through every check in the fast set; what is marked for the others waits.
FIRST = ("before_you_start", "young_daly")


def chapters(*later, among=None):
    """Return one parameter for each chapter, or for some; the marks `later` are for those beyond FIRST.

    All cases of a chapter go to one worker, which loads it once.
    """
    return [
        pytest.param(name, marks=[pytest.mark.xdist_group(name), *(() if name in FIRST else later)])
        for name in (library.current_library.names() if among is None else among)
    ]


def of_kind(name, kind):
    """Return `(address, statement)` of one kind in a chapter."""
    return [(address, each) for address, each in library.current_library.statements(name) if isinstance(each, kind)]
