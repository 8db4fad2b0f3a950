"""`Step`: one line of a derivation, as it was stated, and how it is known."""

from dataclasses import dataclass

import sympy

from mathcore.judge import Verdict
from mathcore.printing import latex


@dataclass(frozen=True)
class Step:
    """One line `left relation right`, its reason, and how it is known."""

    left: sympy.Expr
    relation: str
    right: sympy.Expr
    why: str
    verdict: Verdict
    where: str
    shown: sympy.Expr | None = None
    tail: str = ""

    def latex(self):
        """Return the line as LaTeX."""
        signs = {"=": "=", "≈": r"\approx"}
        right = self.right if self.shown is None else self.shown
        return f"{latex(self.left)} {signs[self.relation]} {latex(right)}{self.tail}"
