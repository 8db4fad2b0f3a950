"""`Derivation`: an immutable chain of claims. The author states each line, the machine checks it.

Every method returns a longer derivation. A step that is false, changes nothing, changes the
dimension or holds a float is refused where it is written. Assumptions are steps of their own.
"""

from dataclasses import dataclass, replace

import sympy

from mathcore import judge, units
from mathcore.dimensions import require_same
from mathcore.entities import Entity
from mathcore.errors import DeclarationError, StepError, where
from mathcore.formulas import Formula
from mathcore.judge import Verdict
from mathcore.steps import Step
from mathcore.variables import Variable


@dataclass(frozen=True, eq=False)
class Derivation(Entity):
    """A chain of steps; start one with `start`, `balance` or `minimise`.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> tau, w = Variable("tau", "s", "interval"), Variable("w", "", "waste")
    >>> waste = Formula(w, C / tau + tau / (2 * M), when="C and tau small against M")
    >>> found = (
    ...     Derivation.minimise(waste, over=tau, why="the smallest waste has no slope")
    ...     .slope(1 / (2 * M) - C / tau**2, "term by term")
    ...     .root(sympy.sqrt(2 * C * M), "the only positive root")
    ...     .curvature(2 * C / tau**3, "positive, so it is a minimum")
    ... )
    >>> [step.verdict.name for step in found.steps], found.formula().rhs == sympy.sqrt(2 * C * M)
    (['assumed', 'proved', 'proved', 'proved'], True)
    """

    steps: tuple = ()
    goal: tuple = ()

    @classmethod
    def start(cls, left, right=None, why="", kind="definition"):
        """Start from `left = right`, or from a Formula; the line is assumed unless it was derived.

        Raises: DimensionError if the sides differ in dimension.
        """
        known = Verdict("assumed", kind)
        if isinstance(left, Formula):
            derived = left.kind == "derived"
            known = Verdict("proved", "derived before") if derived else Verdict("assumed", left.kind)
            why = why or ("derived before" if derived else "; ".join(left.when) or f"the {left.kind}")
            left, right = left.lhs, left.rhs
        return cls()._grown(left, "=", right, why, known)

    @classmethod
    def balance(cls, left, right, why, kind="the case studied"):
        """Start from two expressions that are equal in the case studied."""
        return cls().start(left, right, why, kind=kind)

    @classmethod
    def minimise(cls, formula, over, why):
        """Start from the formula to be made smallest `over` one of its variables."""
        begun = cls.start(formula, why=why)
        return replace(begun, goal=(formula, over))

    @property
    def last(self):
        """Return the last step."""
        return self.steps[-1]

    def _grown(self, left, relation, right, why, verdict, shown=None):
        place = where()
        left, right = sympy.sympify(left), sympy.sympify(right)
        if right.has(sympy.Float) or left.has(sympy.Float):
            raise StepError(
                f"`{right}` holds a float, which is not exact: write Rational(1, 10), not 0.1",
                place,
            )
        if not why.strip():
            raise StepError(f"the step to `{right}` has no reason: say why it holds", place)
        require_same(left, right, lambda: f"{left} {relation} {right}", place)
        step = Step(left, relation, right, why, verdict, place, shown)
        return replace(self, steps=(*self.steps, step))

    def _checked(self, right, why, check, relation="=", left=None, shown=None):
        """Grow by a claim: float, reason and dimension first, then `check` gives the verdict."""
        left = self.last.left if left is None else left
        draft = self._grown(left, relation, right, why, Verdict("assumed"), shown)
        verdict = check(sympy.sympify(right), where())
        if shown is not None:
            judge.equal(sympy.sympify(right), shown, where())
        return replace(draft, steps=(*self.steps, replace(draft.last, verdict=verdict)))

    def to(self, right, why, shown=None):
        """Write the last right side in another form.

        Raises: StepError if the claim is false, with a counterexample, or changes nothing.
        """
        old = self.last.right
        if shown is None and sympy.sympify(right) == old:
            raise StepError(
                f"the step to `{right}` changes nothing: leave it out, or give it `shown=`", where()
            )
        return self._checked(right, why, lambda new, place: judge.equal(old, new, place), shown=shown)

    def use(self, known, why, shown=None):
        """Put a Formula in for its letter, or `{letter: formula or expression}`.

        Raises: StepError if the letter does not occur.
        """
        pairs = {known.lhs: known} if isinstance(known, Formula) else known
        values = {v: e.rhs if isinstance(e, Formula) else e for v, e in pairs.items()}
        old = self.last.right
        missing = [v for v in values if v not in old.free_symbols]
        if missing:
            raise StepError(
                f"`{missing[0]}` does not occur in `{old}`, so there is nothing to put in", where()
            )
        new = old.subs(values, simultaneous=True)
        kinds = {e.kind if isinstance(e, Formula) else "special case" for e in pairs.values()}
        detail = f"substitution ({', '.join(sorted(kinds))})"
        return self._checked(new, why, lambda *_: Verdict("proved", detail), shown=shown)

    def assume(self, right, why):
        """Replace the right side by what the model takes it to be."""
        return self._checked(right, why, lambda *_: Verdict("assumed", "model"), relation="≈")

    def approximate(self, right, why, within, where_):
        """Replace the right side by an approximation with a declared bound on the relative error.

        `within` is the bound, `where_` maps variables to the `(low, high)` of the region.

        Raises: StepError if some point of the region exceeds the bound.
        """
        old, within = self.last.right, sympy.Rational(within)
        box = {v: tuple(_bound(v, b) for b in pair) for v, pair in where_.items()}

        def check(new, place):
            worst, at = judge.worst_ratio(old, new, box)
            if float(worst) > float(within) * (1 + 1e-9):  # a bound may be met exactly
                raise StepError(f"{new} is off by {float(worst):.3g}, more than {within}, at {at}", place)
            return Verdict(
                "approximate", f"at most {float(within):.3g} off; worst sampled {float(worst):.2g}"
            )

        return self._checked(right, why, check, relation="≈")

    def solve_for(self, letter, right, why, shown=None):
        """Solve the last line for `letter`; the claimed root is put back into both sides."""
        a, b = self.last.left, self.last.right

        def check(root, place):
            verdict = _root(a.subs(letter, root), b.subs(letter, root), root, place)
            return replace(verdict, detail=f"put back into both sides; {verdict.detail}")

        return self._checked(right, why, check, left=letter, shown=shown)

    def slope(self, right, why):
        """State the derivative of the goal of `minimise`."""
        formula, over = self._goal("slope")
        left = sympy.Derivative(formula.lhs, over)
        return self._checked(
            right, why, lambda new, p: judge.equal(formula.rhs.diff(over), new, p), left=left
        )

    def root(self, right, why, named=None, shown=None):
        """State where the slope is zero; `named` is the letter of the optimum."""
        formula, over = self._goal("root")

        def check(new, place):
            verdict = _zero(formula.rhs.diff(over), over, new, place)
            return replace(verdict, detail=f"the slope vanishes there; {verdict.detail}")

        return self._checked(right, why, check, left=over if named is None else named, shown=shown)

    def curvature(self, right, why):
        """State the second derivative, which must be positive over the admissible range."""
        formula, over = self._goal("curvature")

        def check(new, place):
            same = judge.equal(formula.rhs.diff(over, 2), new, place)
            sign = judge.positive(new, place)
            return sign if same.name == "proved" else same

        longer = self._checked(right, why, check, left=sympy.Derivative(formula.lhs, (over, 2)))
        return replace(longer, steps=(*self.steps, replace(longer.last, tail=" > 0")))

    def series(self, equation, right, why, small, order, left=None):
        """State the root of `equation(x) = 0`, the last line, as a polynomial in `small`, exact to `order`.

        Raises: StepError if the equation is not the last line, or naming the first power of `small`
        at which the claim fails.
        """
        root, line = self.last.left if left is None else left, self.last.left - self.last.right

        def check(new, place):
            judge.equal(line, equation(root), place)
            residue = sympy.series(equation(new), small, 0, order).removeO()
            if sympy.expand(residue) != 0:
                raise StepError(f"`{new}` fails at {sympy.expand(residue)}, below {small}**{order}", place)
            return Verdict("proved", f"sympy: the equation holds below {small}^{order}")

        return self._checked(right, why, check, relation="≈", left=left)

    def _goal(self, name):
        if not self.goal:
            raise DeclarationError(
                f".{name}(…) belongs to a derivation begun with Derivation.minimise", where()
            )
        return self.goal

    def formula(self, **stated):
        """Return the last line that gives a letter, as a Formula with this derivation.

        Keywords are those of Formula, such as `when=` and `valid=`.
        """
        if self.goal and not any(step.tail for step in self.steps):
            raise DeclarationError("a flat point may be a maximum: add .curvature(…)", where())
        for step in reversed(self.steps):
            if isinstance(step.left, Variable) and step.relation in "=≈":
                stated = {"kind": "derived", "shown": step.shown, "relation": step.relation, **stated}
                return Formula(step.left, step.right, derivation=self, **stated)
        raise DeclarationError("no line of the derivation gives a letter", where())


def _bound(variable, value):
    return units.quantity(value).m_as(units.unit(variable.unit))


def _zero(slope, over, root, place):
    """Return the verdict that `slope` vanishes at `over = root`, judged as an equation of its parts."""
    total = sympy.expand(slope)
    gains = [t for t in sympy.Add.make_args(total) if not t.could_extract_minus_sign()]
    gain = sympy.Add(*gains)
    return _root(gain.subs(over, root), (gain - total).subs(over, root), root, place)


def _root(left, right, root, place):
    try:
        return judge.equal(left, right, place)
    except StepError as error:
        raise StepError(f"`{root}` is no root; put in, {error.message}", place) from None
