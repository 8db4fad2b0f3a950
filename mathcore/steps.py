"""A step of a derivation, and the checks that give it a verdict when it is first read.

A check is a function from the step to its `Verdict`, and raises `Refuted` where the step is false.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import sympy
from sympy import Expr

from mathcore import checker
from mathcore.checker import Verdict
from mathcore.errors import Refuted, StepError
from mathcore.printing import to_latex
from mathcore.symbols import Variable, substitute

if TYPE_CHECKING:
    from mathcore.formulas import Formula

STEP_SIGNS = {"=": "=", "≈": r"\approx"}
Check: TypeAlias = "Callable[[Step], Verdict]"


class StepForm(TypedDict, total=False):
    """Keywords of every step: its right side as it is printed, and whether it is plain algebra."""

    display_form: Expr
    routine: bool


class FullForm(StepForm, total=False):
    """Keywords that only some kinds of steps have: the relation of the sides, and what follows the right side."""

    relation: str
    suffix: str


class Origin(TypedDict):
    """What a step rests on: its check, its justification, and the formulas that it substitutes."""

    check: "Check"
    justification: str
    sources: "tuple[Formula, ...]"


@dataclass(frozen=True)
class Step:
    """One step `left relation right` of a derivation, its reason `why`, and how it is known.

    `check` returns the verdict, when it is first read. `justification` states without a check what the step rests on:
    *judged*, or a *definition* or *model*. `sources` are the substituted Formulas. A `routine` step is plain
    algebra, which a worked solution leaves out.
    """

    left: Expr
    right: Expr
    why: str
    check: Check = field(repr=False)
    justification: str
    where: str
    display_form: Expr
    relation: str = "="
    suffix: str = ""
    sources: "tuple[Formula, ...]" = ()
    routine: bool = False

    @functools.cached_property
    def verdict(self) -> Verdict:
        """Return the Verdict of the line.

        Raises: Refuted with a counterexample; StepError where it cannot be checked.
        """
        verdict = self.check(self)
        if self.display_form != self.right:
            checker.check_equal(self.right, self.display_form, place=self.where)
        return verdict

    def latex(self) -> str:
        """Return the line as LaTeX."""
        return f"{to_latex(self.left)} {STEP_SIGNS[self.relation]} {to_latex(self.display_form)}{self.suffix}"


def assumption_origin(detail: str, *sources: "Formula") -> Origin:
    """Return the origin of a step that nothing proves: a definition, a part of a model, or a choice of the author."""
    justification = "definition" if detail == "definition" else "model"
    return Origin(check=lambda step: Verdict("assumed", detail), justification=justification, sources=sources)


def inherited_verdict(step: Step) -> Verdict:
    """Return the verdict of a substitution: that of the source formula that claims least."""
    names = ", ".join(dict.fromkeys(map(formula_reference, step.sources)))
    return Verdict(
        checker.weakest_verdict([formula.inherited_verdict for formula in step.sources]), f"substituted: {names}"
    )


def substitution_origin(*sources: "Formula") -> Origin:
    """Return the origin of a substitution of formulas."""
    justification = weakest_justification(formula.justification for formula in sources)
    return Origin(check=inherited_verdict, justification=justification, sources=sources)


def weakest_justification(justifications: Iterable[str]) -> str:
    """Return the justification that claims least."""
    return max(justifications, key=("judged", "definition", "model").index, default="judged")


def formula_reference(formula: "Formula") -> str:
    """Return how a verdict names a formula: its symbol, kind and address."""
    if not formula.address and formula.sources and formula.derivation and len(formula.derivation.steps) == 1:
        return formula_reference(formula.sources[0])  # the same in different notation
    kind = "derived" if formula.kind == "derived" else f"{formula.kind},"
    return f"{formula.lhs.name} ({kind} {formula.address or formula.where})"


def equality_check(expression: Expr) -> Check:
    """Return the check that the right side equals an expression."""
    return lambda step: checker.check_equal(expression, step.right, place=step.where)


def slope_check(expression: Expr, over: Variable) -> Check:
    """Return the check that the right side is the derivative of an expression."""
    return lambda step: checker.check_equal(expression.diff(over), step.right, place=step.where)


def substitution_check(formula: "Formula", values: Mapping[Variable, Expr]) -> Check:
    """Return the check that a formula holds after a value is substituted for one of its symbols.

    What is judged is the form; that a model holds stays an assumption, in whatever form.

    Raises: StepError unless there is one value, of a symbol of the right side.
    """
    if len(values) != 1 or not set(values) <= formula.rhs.free_symbols:
        given = ", ".join(map(str, values))
        message = f"{formula_reference(formula)} is to say what is substituted for {given}"
        expected = f"one variable of `{formula.rhs}`"
        hint = f"give one variable of `{formula.rhs}`, or substitute the formula for its own"
        raise StepError(message, code="nothing-to-substitute", got=given, expected=expected, hint=hint)

    def check(step: Step) -> Verdict:
        verdict = checker.check_equal(
            substitute(formula.lhs, values), substitute(formula.rhs, values), place=step.where
        )
        passed = [formula.inherited_verdict] if formula.kind != "definition" else []
        name = checker.weakest_verdict([verdict.name, *passed])
        return Verdict(name, f"another form of {formula_reference(formula)}; {verdict.detail}")

    return check


def approximation_check(
    expression: Expr, bound: sympy.Rational, region: Mapping[Variable, tuple[float, float]]
) -> Check:
    """Return the check that the right side differs from an expression by at most `bound`, relative, in a region."""

    def check(step: Step) -> Verdict:
        worst, at = checker.max_relative_error(expression, step.right, region, place=step.where)
        if float(worst) > float(bound) * (1 + 1e-9):  # a bound may be met exactly
            message = f"{step.right} is off by {float(worst):.3g}, more than {bound}, at {at}"
            raise Refuted(message, step.where, got=f"{float(worst):.3g}", expected=f"at most {bound}")
        return Verdict("approximate", f"at most {float(bound):.3g} off; worst sampled {float(worst):.2g}")

    return check


def solution_check(left: Expr, right: Expr, symbol: Variable, detail: str) -> Check:
    """Return the check that two sides are equal where `symbol` is the right side of the step."""

    def check(step: Step) -> Verdict:
        sides = left.subs(symbol, step.right), right.subs(symbol, step.right)
        try:
            verdict = checker.check_equal(*sides, place=step.where)
        except Refuted as error:
            raise Refuted.of(error, step.where, f"`{step.right}` is no root; substituted, ") from None
        return replace(verdict, detail=f"{detail}; {verdict.detail}")

    return check


def stationarity_check(expression: Expr, over: Variable) -> Check:
    """Return the check that the slope of an expression is zero: as an equation of what rises and what falls."""

    def check(step: Step) -> Verdict:
        slope = sympy.expand(expression.diff(over))
        rises = sympy.Add(*(term for term in sympy.Add.make_args(slope) if not term.could_extract_minus_sign()))
        return solution_check(rises, rises - slope, over, "the slope vanishes there")(step)

    return check


def curvature_check(expression: Expr, over: Variable) -> Check:
    """Return the check that the right side is the second derivative of an expression, and positive."""

    def check(step: Step) -> Verdict:
        verdict = checker.check_equal(expression.diff(over, 2), step.right, place=step.where)
        sign = checker.check_positive(step.right, place=step.where)
        return sign if verdict.name == "proved" else verdict

    return check


def series_check(line: Expr, equation: Callable, root: Expr, small: Variable, order: int) -> Check:
    """Return the check that the right side solves `equation(root) = 0`, which is `line`, up to an order of `small`."""

    def check(step: Step) -> Verdict:
        checker.check_equal(line, equation(root), place=step.where)
        residue = sympy.expand(sympy.series(equation(step.right), small, 0, order).removeO())
        if residue != 0:
            message = f"`{step.right}` fails at {residue}, below {small}**{order}"
            raise Refuted(message, step.where, got=residue, expected=f"nothing below {small}**{order}")
        return Verdict("proved", f"sympy: the equation holds below {small}^{order}")

    return check
