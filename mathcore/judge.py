"""Are two expressions equal over the admissible range of their variables?

First numbers, then proof: points with corner values first, at 50 digits, refute a false claim
and give a counterexample; then sympy tries to prove the difference zero. What it cannot prove
is called *sampled*, with the count of points; every branch of Max, Min and Piecewise must have
been hit on both sides, or the claim is refused. Nothing here calls *sampled* "proved".
"""

from dataclasses import asdict, dataclass

import mpmath
import sympy

from mathcore.errors import StepError
from mathcore.remembering import remembered
from mathcore.sampling import AGREE, DIGITS, Points

POINTS = 60


@dataclass(frozen=True)
class Verdict:
    """How a step is known: `name` is proved, sampled, approximate or assumed; `detail` says by what."""

    name: str
    detail: str = ""


@remembered(asdict, lambda kept: Verdict(**kept))
def equal(left, right, place, branches=POINTS):
    """Return the Verdict that `left` equals `right`.

    Raises: StepError with a counterexample, or naming a branch that no point reached.
    """
    left, right = (sympy.sympify(side).doit() for side in (left, right))
    points = Points(left, right)
    count = 0
    for point, (a, b) in points.evaluated(branches):
        if _differ(a, b):
            fine, settled = points.finer(point, (a, b))
            if not settled:
                continue
            a, b = fine
        count += 1
        if _differ(a, b):
            raise StepError(
                f"{left} is not {right}: at {points.text(point)} the one is {_short(a)}, "
                f"the other {_short(b)}; {points.slip()}",
                place,
            )
    if _provable(left, right):
        return Verdict("proved", "sympy: the difference is zero")
    hit = points.branches_hit(place)
    return _sampled(count, place, hit)


def _sampled(count, place, hit=""):
    if not count:
        raise StepError("no point of the admissible range has a finite value here: narrow the ranges", place)
    return Verdict("sampled", f"{count} points, {DIGITS} digits{hit}")


def _differ(a, b):
    return abs(a - b) > AGREE * max(abs(a), abs(b))


@remembered(asdict, lambda kept: Verdict(**kept))
def positive(expression, place):
    """Return the Verdict that `expression` is positive over the admissible range."""
    expression = expression.doit()
    for form in (expression, sympy.factor(expression), sympy.simplify(expression)):
        if form.is_positive:
            return Verdict("proved", "sympy: positive under the stated ranges")
    points, count = Points(expression), 0
    for point, (value,) in points.evaluated(POINTS):
        if not value > 0:
            fine, settled = points.finer(point, (value,))
            if not settled:
                continue
            (value,) = fine
        count += 1
        if not value > 0:
            raise StepError(
                f"{expression} is not positive: at {points.text(point)} it is {_short(value)}",
                place,
            )
    return _sampled(count, place)


@remembered(
    lambda found: [mpmath.nstr(found[0], DIGITS), found[1]], lambda kept: (mpmath.mpf(kept[0]), kept[1])
)
def worst_ratio(exact, approximate, bounds):
    """Return the largest |approximate/exact − 1| over the box `bounds`, and where it lies."""
    points = Points(sympy.sympify(exact).doit(), sympy.sympify(approximate).doit(), bounds=bounds)
    return max(
        ((abs(b / a - 1), points.text(point)) for point, (a, b) in points.evaluated(4 * POINTS) if a),
        key=lambda pair: pair[0],
    )


def _provable(left, right):
    difference = lambert_to_power(left - right)
    if difference.has(sympy.uppergamma):  # one of the two incomplete functions says it all
        difference = difference.rewrite(sympy.lowergamma)
    attempts = (
        sympy.expand,
        lambda e: sympy.cancel(sympy.together(sympy.powsimp(sympy.expand(e, power_exp=True)))),
        lambda e: sympy.simplify(sympy.expand_log(e)),
        lambda e: sympy.simplify(e.rewrite(sympy.Piecewise)),
    )
    return any(attempt(difference) == 0 for attempt in attempts)


def lambert_to_power(expression):
    """Replace exp(W(z)) by z/W(z), which is what defines the Lambert function.

    >>> z = sympy.Symbol("z", positive=True)
    >>> lambert_to_power(sympy.exp(sympy.LambertW(z)) * sympy.LambertW(z))
    z
    """
    for atom in expression.atoms(sympy.LambertW):
        w = sympy.Dummy("w", real=True)
        spread = sympy.expand(sympy.expand(expression.subs(atom, w)))  # the first opens exponents
        expression = spread.subs(sympy.exp(w), atom.args[0] / w).subs(w, atom)
    return expression


def _short(value):
    return mpmath.nstr(value, 6)
