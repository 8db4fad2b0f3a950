"""Turn a formula round: the formula for one of its inputs."""

import sympy

from mathcore import judge
from mathcore.derivations import Derivation
from mathcore.errors import ArgumentError, DeclarationError, StepError, suggestion, where
from mathcore.one import One


def solved(formula, name):
    """Return `formula` solved for the input `name`, as a derived Formula.

    Raises: ArgumentError for an unknown name; DeclarationError for no root, or for several.
    """
    known = {v.name: v for v in formula.inputs}
    if name not in known:
        raise ArgumentError(
            f"`{name}` is no input of {formula.title}{suggestion(name, known)}; it has {', '.join(known)}",
            where(),
        )
    letter = known[name]
    roots = [r for r in _roots(formula, letter) if _fits(formula, letter, r)]
    if len(roots) != 1:
        found = ", ".join(map(str, roots)) or "none"
        raise DeclarationError(f"{formula.title} has no single root for {name}; found: {found}", where())
    conditions = [condition.subs(letter, roots[0]) for condition in formula.valid]
    return (
        Derivation.start(formula)
        .solve_for(letter, roots[0], f"solved for {name}")
        .formula(
            when=formula.when,
            valid=tuple(c for c in conditions if c != True),  # noqa: E712  sympy's own true
            convention=formula.convention,
            relation=formula.relation,
        )
    )


def _roots(formula, letter):
    try:
        marks = {one: sympy.Dummy(positive=True) for one in formula.rhs.atoms(One)}  # solve would drop them
        equation = formula.rhs.xreplace(marks) - formula.lhs
        return [r.xreplace({d: one for one, d in marks.items()}) for r in sympy.solve(equation, letter)]
    except NotImplementedError:
        return []


def _fits(formula, letter, root):
    """Tell whether putting the root back gives the left side wherever the root is admissible."""
    if root.is_real is False or root.is_negative:
        return False
    try:
        judge.equal(formula.rhs.subs(letter, root), formula.lhs, formula.where)
    except (StepError, TypeError, ZeroDivisionError):
        return False
    return True
