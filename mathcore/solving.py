"""Turn a formula round: the root for one of its inputs, where there is one and no other.

Sympy may name one root of two, so the other branch of a Lambert function is a candidate too. A
candidate counts if it leads from the value back to the argument, wherever the formula holds.
"""

from typing import TYPE_CHECKING

import sympy

from mathcore import checker
from mathcore.errors import DeclarationError
from mathcore.symbols import One, Variable

if TYPE_CHECKING:
    from mathcore.formulas import Formula


def solve_for_input(formula: "Formula", symbol: Variable) -> sympy.Expr:
    """Return the one expression that `formula` gives for one of its inputs.

    Raises: DeclarationError where none gives back every argument.
    """
    alone = _isolate(formula.rhs, symbol, formula.lhs)
    if alone is not None:
        return alone
    roots = _candidate_roots(formula, symbol)
    if len(roots) == 1 and _is_linear(formula.rhs, symbol):
        return roots[0]
    for candidate in roots:
        if _inverts(formula, symbol, candidate):
            return candidate
    listed = ", ".join(map(str, roots)) or "none"
    message = f"{formula.label} has no single root for {symbol}; found: {listed}"
    raise DeclarationError(message, code="no-root", got=listed, expected="one root")


def _isolate(expression: sympy.Expr, symbol: Variable, value: sympy.Expr) -> sympy.Expr:
    """Return the root where the symbol occurs once, below sums, products and powers, else None.

    Symbols are positive there, so each of these has one inverse.
    """
    while expression != symbol:
        inside = [part for part in expression.args if part.has(symbol)]
        if len(inside) != 1 or not (expression.is_Add or expression.is_Mul or expression.is_Pow):
            return None
        rest = [part for part in expression.args if part != inside[0]]
        if expression.is_Add:
            value = value - sympy.Add(*rest)
        elif expression.is_Mul:
            value = value / sympy.Mul(*rest)
        elif inside[0] == expression.base and expression.exp.is_Rational and expression.base.is_positive:
            value = value ** (1 / expression.exp)
        else:
            return None
        expression = inside[0]
    return value if symbol.is_positive else None


def _is_linear(expression: sympy.Expr, symbol: Variable) -> bool:
    """Return whether the slope in the symbol is constant and never zero, so that a root needs no test at points.

    >>> x, a, b = (Variable(name, "", "a number") for name in "xab")
    >>> _is_linear(a * x + b, x), _is_linear((a - b) * x, x), _is_linear(sympy.Max(a * x, b), x)
    (True, False, False)
    """
    slope = expression.diff(symbol)
    return not slope.has(symbol) and bool(slope.is_nonzero)


def _candidate_roots(formula: "Formula", symbol: Variable) -> list:
    try:
        marks = {one: sympy.Dummy(positive=True) for one in formula.rhs.atoms(One)}  # solve would drop them
        equation = formula.rhs.xreplace(marks) - formula.lhs
        roots = [r.xreplace({d: one for one, d in marks.items()}) for r in sympy.solve(equation, symbol)]
    except NotImplementedError:  # sympy's word for an equation that none of its methods solves: no root is known
        return []
    roots = [sympy.factor(r).replace(lambda e: e.is_Add, _merge_logarithms) if r.has(sympy.log) else r for r in roots]
    other = (r.replace(sympy.LambertW, lambda z, k=0: sympy.LambertW(z, -1 - k)) for r in roots)
    return [*roots, *(r for r in other if r not in roots)]


def _merge_logarithms(total: sympy.Expr) -> sympy.Expr:
    """Write ln a − ln b as ln(a/b), or the logarithm of a quantity with a dimension would stand there."""
    rest: list[sympy.Expr] = []
    inside: dict[sympy.Expr, sympy.Expr] = {}
    for term in total.args:
        logs = [f for f in sympy.Mul.make_args(term) if isinstance(f, sympy.log)]
        if len(logs) != 1:
            rest.append(term)
            continue
        before = term / logs[0]
        sign = -1 if before.could_extract_minus_sign() else 1
        inside[sign * before] = inside.get(sign * before, 1) * logs[0].args[0] ** sign
    return sympy.Add(*rest, *(before * sympy.log(sympy.cancel(z)) for before, z in inside.items()))


def _inverts(formula: "Formula", symbol: Variable, root: sympy.Expr) -> bool:
    """Return whether `solve_for_input` gives back every argument from the value there, so that no other root does."""
    points = checker.SamplePoints(symbol, root.subs(formula.lhs, formula.rhs), *formula.inputs)
    hits = []
    for point, _, holds in points.test_points(lambda argument, computed, *_: checker.is_close(argument, computed)):
        at = dict(zip(points.symbols, point, strict=True))
        if all(condition.subs(at) for condition in formula.numeric_domain):
            hits.append(holds)
    return bool(hits) and all(hits)
