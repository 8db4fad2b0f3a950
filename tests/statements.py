"""The chapters of the book, as parameters of tests that have one case for each."""

import pytest

from mathcore import library

# Their formulas go through every check in the fast set; those of the others are slow.
FIRST = ("ground_rules", "young_daly")


def chapters(slow=False):
    """Return one parameter for each chapter; with `slow`, only those of FIRST stay in the fast set.

    All cases of a chapter go to one worker, which loads it once.
    """
    later = [pytest.mark.slow]
    return [
        pytest.param(name, marks=[pytest.mark.xdist_group(name), *later * (slow and name not in FIRST)])
        for name in library.book.names()
    ]


def of_kind(name, kind):
    """Return `(address, statement)` of one kind in a chapter."""
    return [(address, each) for address, each in library.book.entities(name) if isinstance(each, kind)]
