"""What is tried of many things in several ways: some in turn by `make test`, the rest by `make nightly`.

Each thing is visited by a test of its kind in `make test` anyhow; here it is looked at once more, in another
browser, at another size, by another way of operating it.
"""

import pytest


def in_turn(things, ways, every=1):
    """Return `(thing, way)` for pytest: of each so many-th thing one way is asked for, the others are `again`."""
    pairs = [(i - j * every, thing, way) for i, thing in enumerate(things) for j, way in enumerate(ways)]
    return [pytest.param(*pair, id=_name(pair), marks=_mark(at % (len(ways) * every) == 0)) for at, *pair in pairs]


def seldom(things, often, every):
    """Return things for pytest: those in `often` and each so many-th of the others; the rest are `again`."""
    return [pytest.param(x, id=_name([x]), marks=_mark(x in often or i % every == 0)) for i, x in enumerate(things)]


def _mark(asked):
    return () if asked else pytest.mark.extended


def _name(things):
    """Return how pytest calls a case: addresses of statements, and what else there is as text."""
    flat = [part for thing in things for part in (thing if isinstance(thing, tuple) else (thing,))]
    return "-".join(getattr(part, "address", str(part)) for part in flat)
