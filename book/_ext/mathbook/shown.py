"""Which statements the pages show, and what a derivation quotes that none of them does."""

import re
from itertools import chain

from mathbook.census import PAGES, pages

_SHOWN = re.compile(r"""\{mc-show\}\s*([\w.]+)|\bshow\(\s*["']([\w.]+)["']\s*\)""")


def on_pages(folder=PAGES):
    """Return the addresses of the statements that some page shows.

    >>> "young_daly.interval" in on_pages()
    True
    """
    found = (_SHOWN.findall(page.read_text(encoding="utf-8")) for page in pages(folder))
    return {directive or cell for directive, cell in chain.from_iterable(found)}


def behind(step, shown):
    """Return the derived formulas that a step puts in and that no page shows: they are told with it."""
    quoted = dict.fromkeys(formula for formula in step.sources if formula.derivation is not None)
    return [formula for formula in quoted if formula.kind == "derived" and formula.address not in shown]


def lines(derivation, shown):
    """Return all lines that a reader of the derivation can unfold: its own, and those behind them."""
    found = []
    for step in derivation.steps:
        found.append(step)
        for formula in behind(step, shown):
            found += lines(formula.derivation, shown)
    return found
