"""Are two expressions equal over the admissible range of their variables?

First numbers, then proof: points with corner values first, at 50 digits, refute a false claim and give a
counterexample; then sympy tries to prove the difference zero. What it cannot prove is called *sampled*,
with the count of points; every branch of Max, Min and Piecewise must have been hit on both sides, or the
claim cannot be judged. Nothing here calls *sampled* "proved", and only what a number refutes is *refuted*.

A verdict depends on the expressions and on the declarations of their symbols alone. `verdict_cache` may be any
mapping of texts: a build puts a lasting one there, so that a chapter is judged once and not at each load.
"""

import functools
import hashlib
import itertools
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import mpmath
import sympy

from mathcore.errors import Refuted, StepError
from mathcore.number_format import number_text
from mathcore.symbols import Max, Min, Variable, to_declared_units

DIGITS = 50
TOLERANCE = mpmath.mpf(10) ** -30
SAMPLE_POINTS = 60
VERDICTS = ("proved", "sampled", "approximate", "assumed")  # from the one that claims most


class VerdictCache(Protocol):
    """A mapping of texts."""

    def get(self, key: str, /) -> str | None:
        """Return the text under a key, or None."""

    def __setitem__(self, key: str, text: str, /) -> None:
        """Store a text under a key."""


verdict_cache: VerdictCache = {}


@dataclass(frozen=True)
class Verdict:
    """The verdict on a step: `name` is proved, sampled, approximate or assumed; `detail` says by what."""

    name: str
    detail: str = ""


def weakest_verdict(verdicts: Iterable[str]) -> str:
    """Return the name of the verdict that claims least.

    >>> weakest_verdict(["proved", "sampled"])
    'sampled'
    """
    return max(verdicts, key=VERDICTS.index)


def memoize_check(pack: Callable, unpack: Callable) -> Callable:
    """Return a decorator that stores the result of a check as JSON; the location is no part of the key."""

    def decorate(check: Callable) -> Callable:
        @functools.wraps(check)
        def wrapper(*claim: sympy.Expr, place: str) -> Any:
            key = hashlib.sha256(f"{check.__name__} {_fingerprint(claim)}".encode()).hexdigest()
            if (known := verdict_cache.get(key)) is None:
                known = verdict_cache[key] = json.dumps(pack(check(*claim, place=place)))
            return unpack(json.loads(known))

        return wrapper

    return decorate


def _fingerprint(value: object) -> str:
    if isinstance(value, sympy.Basic):
        symbols = sorted(value.atoms(Variable), key=lambda v: (v.name, v.unit, v.bounds))
        stated = [(v.name, v.unit, v.bounds, sorted(map(str, v.assumptions0.items()))) for v in symbols]
        return f"{sympy.srepr(value)} {stated}"
    if isinstance(value, dict):
        return repr(sorted((_fingerprint(k), _fingerprint(v)) for k, v in value.items()))
    if isinstance(value, (tuple, list)):
        return repr([_fingerprint(part) for part in value])
    return repr(value)


@memoize_check(asdict, lambda stored: Verdict(**stored))
def check_equal(left: sympy.Expr, right: sympy.Expr, *, place: str) -> Verdict:
    """Return the Verdict that `left` equals `right`.

    Raises: StepError with a counterexample, or naming a branch that no point reached.
    """
    left, right = (sympy.sympify(side).doit() for side in (left, right))
    points, count = SamplePoints(left, right), 0
    for point, values, holds in points.test_points(is_close):
        if not holds:
            a, b = map(_short, values)
            message = f"{left} is not {right}: at {points.text(point)} the one is {a}, the other {b}"
            raise Refuted(message, place, got=b, expected=a, hint=points.mismatch_hint())
        count += 1
    if _is_provable(left, right):
        return Verdict("proved", "sympy: the difference is zero")
    return _sampled_verdict(count, place, points.describe_branches(place))


@memoize_check(asdict, lambda stored: Verdict(**stored))
def check_positive(expression: sympy.Expr, *, place: str) -> Verdict:
    """Return the Verdict that `expression` is positive over the admissible range."""
    expression = expression.doit()
    for form in (expression, sympy.factor(expression), sympy.simplify(expression)):
        if form.is_positive:
            return Verdict("proved", "sympy: positive under the stated ranges")
    points, count = SamplePoints(expression), 0
    for point, (value,), holds in points.test_points(lambda value: value > 0):
        if not holds:
            message = f"{expression} is not positive: at {points.text(point)} it is {_short(value)}"
            raise Refuted(message, place, got=_short(value), expected="a positive value")
        count += 1
    return _sampled_verdict(count, place)


def _sampled_verdict(count: int, place: str, hit: str = "") -> Verdict:
    if not count:
        message = "no point of the admissible range has a finite value here"
        raise StepError(message, place, code="not-judged", hint="narrow the ranges")
    return Verdict("sampled", f"{count} points, {DIGITS} digits{hit}")


@memoize_check(
    lambda worst: [mpmath.nstr(worst[0], DIGITS), worst[1]], lambda stored: (mpmath.mpf(stored[0]), stored[1])
)
def max_relative_error(
    exact: sympy.Expr, approximate: sympy.Expr, bounds: Mapping, *, place: str
) -> tuple[mpmath.mpf, str]:
    """Return the largest |approximate/exact − 1| over the box `bounds`, and where it lies.

    Raises: StepError if no point has finite values, the exact one other than zero.
    """
    points = SamplePoints(sympy.sympify(exact).doit(), sympy.sympify(approximate).doit(), bounds=bounds)
    off = [(abs(b / a - 1), points.text(point)) for point, (a, b) in points.sample_values(4 * SAMPLE_POINTS) if a]
    _sampled_verdict(len(off), place)
    return max(off, key=lambda pair: pair[0])


def depends_on(expression: sympy.Expr, symbol: Variable) -> bool:
    """Return whether the value of an expression depends on a symbol in it; that of n·(a/n) + b does not on n.

    >>> n, a = Variable("n", "", "devices"), Variable("a", "", "work")
    >>> depends_on(n * (a / n + 1), n), depends_on(n * sympy.Max(a / n, 2 / n, evaluate=False), n)
    (True, False)
    """
    points = SamplePoints(expression, expression.xreplace({symbol: 2 * symbol}))
    values = [values for point in points.random_points(8) if (values := points.values_at(point))]
    return not values or not all(is_close(*pair) for pair in values)


def is_close(left: mpmath.mpf, right: mpmath.mpf) -> bool:
    """Return whether two numbers of many digits are equal but for rounding."""
    return bool(abs(left - right) <= TOLERANCE * max(abs(left), abs(right)))


def _is_provable(left: sympy.Expr, right: sympy.Expr) -> bool:
    # Proofs work with sympy's own form of extremes.
    difference = lambert_to_power((left - right).replace(Max, sympy.Max).replace(Min, sympy.Min))
    if difference.has(sympy.uppergamma):  # one of the two incomplete functions says it all
        difference = difference.rewrite(sympy.lowergamma)
    attempts = (
        sympy.expand,
        lambda e: sympy.cancel(sympy.together(sympy.powsimp(sympy.expand(e, power_exp=True)))),
        lambda e: sympy.simplify(sympy.expand_log(e)),
    )
    return any(attempt(difference) == 0 for attempt in attempts)


def lambert_to_power(expression: sympy.Expr) -> sympy.Expr:
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


_short = functools.partial(mpmath.nstr, n=6)


class SamplePoints:
    """Points of the admissible range, corner values first, and the values there."""

    def __init__(self, *expressions: sympy.Expr, bounds: Mapping | None = None) -> None:
        """Compile the expressions for mpmath; `bounds` narrows the range of some variables."""
        self.symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
        self.expressions = tuple(
            to_declared_units(e, None, [v for v in self.symbols if hasattr(v, "unit")]) for e in expressions
        )
        self.bounds = {v: (bounds or {}).get(v) or _sampling_range(v) for v in self.symbols}
        self.function = sympy.lambdify(self.symbols, self.expressions, "mpmath")
        self.seen: dict[sympy.Symbol, set] = {}

    def sample_values(self, count: int) -> Iterator[tuple[tuple, list[mpmath.mpf]]]:
        """Yield `(point, values)` for the corners and `count` random points, poles left out."""
        with mpmath.workdps(DIGITS):  # not around the yield: the precision is global
            points = [*self._corners(), *self.random_points(count)]
        for point in points:
            if (values := self.values_at(point)) is not None:
                self._record_branches(point)
                yield point, values

    def values_at(self, point: tuple, digits: int = DIGITS) -> list[mpmath.mpf] | None:
        """Return the value of each expression at a point, or None if one is not finite there."""
        with mpmath.workdps(digits):
            try:
                values = self.function(*point)
            except (ZeroDivisionError, ValueError, mpmath.libmp.NoConvergence):  # a pole, or out of reach
                return None
        return values if all(map(mpmath.isfinite, values)) else None

    def mismatch_hint(self) -> str:
        """Return the factor between two expressions as a hint, or that they differ by more than a factor.

        Expressions that are equal wherever neither is zero get no hint.
        """
        values = [pair for _, pair in self.sample_values(8) if all(pair)]
        with mpmath.workdps(DIGITS):
            ratios = [b / a for a, b in values]
            alike = ratios and all(abs(r / ratios[0] - 1) < TOLERANCE for r in ratios)
        if alike:
            factor = _short(ratios[0])
            return f"the second is {factor} times the first everywhere; correct that factor" if factor != "1.0" else ""
        look = "look for a wrong sign, exponent or term, or for a function that was exchanged"
        return f"the ratio changes from point to point: {look}"

    def test_points(self, test: Callable) -> Iterator[tuple[tuple, list[mpmath.mpf], bool]]:
        """Yield `(point, values, whether they pass the test)` for the points at which the test is conclusive.

        Where huge terms cancel, fifty digits are not enough; a point at which ten times the digits
        still change the values by much is inconclusive, and left out.
        """
        for point, values in self.sample_values(SAMPLE_POINTS):
            holds = test(*values)
            if not holds:
                fine = self.values_at(point, 10 * DIGITS)
                moves = fine and any(abs(c - f) > abs(f) / 100_000 for c, f in zip(values, fine, strict=True))
                if fine is None or moves or self._is_steep(point):
                    continue
                values, holds = fine, test(*fine)
            yield point, values, bool(holds)

    def _is_steep(self, point: tuple) -> bool:
        """Return whether an exponential exceeds its neighbouring terms by more than these digits can hold."""
        powers = {e.args[0] for whole in self.expressions for e in whole.atoms(sympy.exp)}
        with mpmath.workdps(DIGITS):
            at = sympy.lambdify(self.symbols, list(powers), "mpmath")(*point)
        return any(abs(x) > 20 * DIGITS for x in at)

    def text(self, point: tuple) -> str:
        """Return a point in words, as error messages print it."""
        pairs = zip(self.symbols, point, strict=True)
        return ", ".join(f"{v} = {number_text(float(x))} {v.unit}".strip() for v, x in pairs)

    def _corners(self) -> Iterator[tuple]:
        middle = tuple(_interpolate(v, low, high, mpmath.mpf("0.5")) for v, (low, high) in self.bounds.items())
        grids = [(low, mid, high) for (low, high), mid in zip(self.bounds.values(), middle, strict=True)]
        many = len(grids) > 4  # whose grids of three numbers would have too many points
        corners = itertools.product(*(grid[::2] if many else grid for grid in grids))
        return (tuple(map(mpmath.mpf, corner)) for corner in itertools.chain(corners, [middle] * many))

    def random_points(self, count: int) -> Iterator[tuple]:
        """Yield `count` points, each number uniform in the logarithm where its range lies above zero."""
        source = random.Random(2006)  # fixed, so that a verdict never depends on the day
        for _ in range(count):
            yield tuple(
                _interpolate(v, low, high, mpmath.mpf(source.random())) for v, (low, high) in self.bounds.items()
            )

    def _record_branches(self, point: tuple) -> None:
        at = dict(zip(self.symbols, point, strict=True))
        for node in self._branching_functions:
            if node.is_Piecewise:
                chosen = [bool(condition.subs(at)) for _, condition in node.args].index(True)
            else:
                values = [argument.subs(at) for argument in node.args]
                chosen = values.index((max if isinstance(node, sympy.Max) else min)(values))
            self.seen.setdefault(node, set()).add(chosen)

    @functools.cached_property
    def _branching_functions(self) -> set:
        return set().union(*(e.atoms(sympy.Max, sympy.Min, sympy.Piecewise) for e in self.expressions))

    def describe_branches(self, place: str) -> str:
        """Return a clause with the number of branches hit; raise a StepError if one was never reached."""
        for node in self._branching_functions:
            if len(self.seen.get(node, ())) < len(node.args):
                message = f"no sampled point reaches every branch of {node}"
                raise StepError(message, place, code="not-judged", hint="narrow the ranges")
        total = sum(len(hit) for hit in self.seen.values())
        return f", all {total} branches hit" if total else ""


def _sampling_range(symbol: sympy.Symbol) -> tuple:
    low, high = getattr(symbol, "bounds", (0.0, math.inf))
    if not low and symbol.is_positive:
        low = 1.0 if symbol.is_integer else 1e-3 * min(1.0, high)
    high = high if math.isfinite(high) else max(1e3, 1e3 * low)
    return (mpmath.ceil(low), mpmath.floor(high)) if symbol.is_integer else (mpmath.mpf(low), mpmath.mpf(high))


def _interpolate(symbol: sympy.Symbol, low: mpmath.mpf, high: mpmath.mpf, share: mpmath.mpf) -> mpmath.mpf:
    point = low * (high / low) ** share if low > 0 else low + (high - low) * share
    return mpmath.floor(point) if symbol.is_integer else point
