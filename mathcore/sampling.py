"""Points of the admissible range at which claims are tried, and what the expressions are there.

Corner values come first, then random points from a fixed seed; poles are left out, and where huge
terms cancel more digits are taken. Every branch of Max, Min and Piecewise that a point takes is noted.
"""

import itertools
import random

import mpmath
import sympy

from mathcore import magnitudes
from mathcore.diagnosis import diagnose
from mathcore.errors import StepError
from mathcore.formatting import number_text

DIGITS = 50
AGREE = mpmath.mpf(10) ** -30


class Points:
    """Points of the admissible range, corner values first, and the values there."""

    def __init__(self, *expressions, bounds=None):
        """Compile the expressions for mpmath; `bounds` narrows the range of some variables."""
        self.letters = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
        declared = [v for v in self.letters if hasattr(v, "unit")]
        self.expressions = tuple(magnitudes.coherent(e, None, declared) for e in expressions)
        self.bounds = {**{v: _range(v) for v in self.letters}, **(bounds or {})}
        self.function = sympy.lambdify(self.letters, self.expressions, "mpmath")
        self.seen = {}

    def evaluated(self, count):
        """Yield `(point, values)` for the corners and `count` random points, poles left out."""
        with mpmath.workdps(DIGITS):  # not around the yield: the precision is global
            points = [*self._corners(), *self._random(count)]
        for point in points:
            values = self._at(point)
            if values is not None:
                self._note_branches(point)
                yield point, values

    def _at(self, point, digits=DIGITS):
        with mpmath.workdps(digits):
            try:
                values = self.function(*point)
            except (ZeroDivisionError, ValueError):  # a pole
                return None
        return values if all(map(mpmath.isfinite, values)) else None

    def slip(self):
        """Say what lies between two expressions that differ: one factor, or more than that."""
        values = [pair for _, pair in self.evaluated(8) if all(pair)]
        with mpmath.workdps(DIGITS):
            ratios = [b / a for a, b in values]
            alike = ratios and all(abs(r / ratios[0] - 1) < AGREE for r in ratios)
        if alike:
            found = diagnose(float(mpmath.re(ratios[0])), 1.0)
            if found.verdict != "right":
                return f"it is so everywhere: {found.text}; mend that in this line"
        return (
            "the ratio changes from point to point: look for a wrong sign, exponent or term, or for a "
            "function that was exchanged"
        )

    def finer(self, point, coarse):
        """Return the values at ten times the digits, and whether the `coarse` ones were near them.

        Where huge terms cancel, fifty digits are not enough; a point at which more digits still
        change the value says nothing, and is left out of the count.
        """
        fine = self._at(point, 10 * DIGITS)
        if fine is None or self._steep(point):
            return fine, False
        return fine, all(abs(c - f) <= abs(f) / 100_000 for c, f in zip(coarse, fine, strict=True))

    def _steep(self, point):
        """Tell whether some exponential dwarfs what stands beside it by more than even those digits."""
        powers = {e.args[0] for whole in self.expressions for e in whole.atoms(sympy.exp)}
        with mpmath.workdps(DIGITS):
            at = sympy.lambdify(self.letters, list(powers), "mpmath")(*point)
        return any(abs(x) > 20 * DIGITS for x in at)

    def text(self, point):
        """Return a point in words, as error messages print it."""
        return ", ".join(
            f"{v} = {number_text(float(x))} {v.unit}".strip()
            for v, x in zip(self.letters, point, strict=True)
        )

    def _corners(self):
        grids = []
        for letter in self.letters:
            low, high = self.bounds[letter]
            grids.append((low, _between(letter, low, high, mpmath.mpf("0.5")), high))
        grids = [g[:2] if len(grids) > 4 else g for g in grids]
        return (tuple(map(mpmath.mpf, corner)) for corner in itertools.product(*grids))

    def _random(self, count):
        source = random.Random(2006)  # fixed, so that a verdict never depends on the day
        for _ in range(count):
            yield tuple(_between(v, *self.bounds[v], mpmath.mpf(source.random())) for v in self.letters)

    def _note_branches(self, point):
        at = dict(zip(self.letters, point, strict=True))
        for node in self._branching():
            values = [e.subs(at) for e in (node.args if not node.is_Piecewise else [c for _, c in node.args])]
            chosen = [bool(v) for v in values].index(True) if node.is_Piecewise else _chosen(node, values)
            self.seen.setdefault(node, set()).add(chosen)

    def _branching(self):
        kinds = (sympy.Max, sympy.Min, sympy.Piecewise)
        return set().union(*(e.atoms(*kinds) for e in self.expressions))

    def branches_hit(self, place):
        """Return a clause that counts the branches hit; refuse when one was never reached."""
        for node in self._branching():
            if len(self.seen.get(node, ())) < len(node.args):
                raise StepError(f"no sampled point reaches every branch of {node}: narrow the ranges", place)
        total = sum(len(hit) for hit in self.seen.values())
        return f", all {total} branches hit" if total else ""


def _chosen(node, values):
    pick = max if isinstance(node, sympy.Max) else min
    return values.index(pick(values))


def _range(letter):
    low, high = letter.bounds if hasattr(letter, "bounds") else (0.0, float("inf"))
    if not low and letter.is_positive:
        low = 1e-3 * min(1.0, high)
    return (mpmath.mpf(low), mpmath.mpf(high if high != float("inf") else max(1e3, 1e3 * low)))


def _between(letter, low, high, share):
    if letter.is_integer:
        return (
            mpmath.floor(low * (high / low) ** share) if low > 0 else mpmath.floor(low + (high - low) * share)
        )
    return low * (high / low) ** share if low > 0 else low + (high - low) * share
