"""Statements that pages show, and sources of a derivation that no page shows."""

import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mathbook.prose_numbers import PAGES, pages_with_prose

if TYPE_CHECKING:
    from mathcore.formulas import Derivation, Formula
    from mathcore.steps import Step


_STATEMENT = re.compile(r"""\{mc:statement\}\s*([\w.]+)|\bshow\(\s*["']([\w.]+)["']\s*\)""")


def addresses_on_pages(folder: Path = PAGES) -> set[str]:
    """Return the addresses of the statements that pages show.

    >>> "young_daly.interval" in addresses_on_pages()
    True
    """
    matches = (_STATEMENT.findall(page.read_text(encoding="utf-8")) for page in pages_with_prose(folder))
    return {directive or cell for directive, cell in chain.from_iterable(matches)}


def hidden_sources(step: "Step", visible: set[str]) -> "list[Formula]":
    """Return the source formulas of a step that no page shows, which are rendered with the step."""
    quoted = dict.fromkeys(f for f in step.sources if f.address not in visible)
    return [f for f in quoted if f.derivation is not None or (f.lhs, f.rhs) != (step.left, step.right)]


def all_steps(derivation: "Derivation", visible: set[str]) -> "list[Step]":
    """Return all steps that a reader of a derivation can unfold: its own, and the steps of hidden sources."""
    steps = []
    for step in derivation.steps:
        steps.append(step)
        for formula in hidden_sources(step, visible):
            steps += all_steps(formula.derivation, visible) if formula.derivation is not None else ()
    return steps
