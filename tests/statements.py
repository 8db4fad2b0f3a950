"""All statements of the book, for tests with a case for each; a chapter that fails has a case of its own."""

import functools

import pytest

from mathcore import library

# Their formulas go through every property in the fast set; those of the others are slow.
FIRST = ("ground_rules", "young_daly")


@functools.cache
def chapter(name):
    """Return `(address, entity)` of a chapter, or nothing if it cannot be loaded."""
    try:
        return tuple(library.book.entities(name))
    except Exception:  # test_chapters.py has a case for the chapter itself, which fails then
        return ()


def everything(kind=object):
    """Return `(address, entity)` for every statement of one kind."""
    return [(a, e) for name in library.book.names() for a, e in chapter(name) if isinstance(e, kind)]


def cases(kind=object, slow=lambda address, entity: False):
    """Return one pytest parameter for every statement of one kind, its address as the name."""
    return [
        pytest.param(e, id=a, marks=[pytest.mark.slow] if slow(a, e) else []) for a, e in everything(kind)
    ]


def later(address, entity=None):
    """Tell whether a statement belongs to a chapter that waits for the slow set."""
    return address.partition(".")[0] not in FIRST


def middle(variable, nearer=1.0):
    """Return an admissible value amid the range, or `nearer` to its lower end, in the declared unit."""
    low, high = variable.bounds
    high = high if high != float("inf") else max(1.0, 1e3 * low)
    value = (low * high) ** 0.5 if low > 0 else (low + high) / 2
    value = low + (value - low) * nearer
    return float(max(low, round(value))) if variable.integer_only else value
