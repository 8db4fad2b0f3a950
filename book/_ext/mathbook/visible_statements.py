"""Which statements the pages show, and what a derivation quotes that none of them does."""

import re
from itertools import chain

from mathbook.prose_numbers import PAGES, pages

_STATEMENT = re.compile(r"""\{mc:statement\}\s*([\w.]+)|\bshow\(\s*["']([\w.]+)["']\s*\)""")


def addresses_on_pages(folder=PAGES):
    """Return the addresses of the statements that some page shows.

    >>> "young_daly.interval" in addresses_on_pages()
    True
    """
    found = (_STATEMENT.findall(page.read_text(encoding="utf-8")) for page in pages(folder))
    return {directive or cell for directive, cell in chain.from_iterable(found)}


def hidden_sources(step, visible):
    """Return the formulas that a step puts in and that no page shows: they are told with it."""
    quoted = dict.fromkeys(f for f in step.sources if f.address not in visible)
    return [f for f in quoted if f.derivation is not None or (f.lhs, f.rhs) != (step.left, step.right)]


def all_steps(derivation, visible):
    """Return all lines that a reader of the derivation can unfold: its own, and those behind them."""
    found = []
    for step in derivation.steps:
        found.append(step)
        for formula in hidden_sources(step, visible):
            found += all_steps(formula.derivation, visible) if formula.derivation is not None else ()
    return found
