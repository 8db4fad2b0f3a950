"""The dimension of an expression, or an error that names the two culprits.

Checked before any value: a swapped fraction is a wrong unit long before it is a wrong number.
A dimension is a dict from base dimension to rational exponent; the empty dict is a plain count.
"""

import sympy
from sympy import Derivative, Integral
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from mathcore import units
from mathcore.errors import DeclarationError, DimensionError, where
from mathcore.one import One
from mathcore.variables import Variable

# Functions whose arguments and value share one dimension.
KEEPING = (sympy.Max, sympy.Min, sympy.Abs)


def dimension(expression, place=""):
    """Return the dimension of a sympy expression as `{base: exponent}`.

    Raises: DimensionError for a sum of different dimensions, a power with a dimension in the
    exponent, a function of a quantity that has a dimension, or a letter that is no Variable.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> dimension(sympy.sqrt(2 * C * M))
    {'[time]': 1}
    """
    expression = sympy.sympify(expression)
    rule = next((rule for kind, rule in RULES if isinstance(expression, kind)), _function)
    found = rule(expression, place or where())
    return {base: power for base, power in found.items() if power != 0}


def text(expression):
    """Return what an expression is, such as `of dimension information/time` or `a plain number`."""
    return units.kind_text({k: float(v) for k, v in dimension(expression).items()})


def require_same(left, right, what, place=""):
    """Refuse two expressions of different dimension; `what` is called for the words of the error only.

    Raises: DimensionError naming both sides with their dimensions.
    """
    place = place or where()
    if right == 0 or left == 0:  # zero has every dimension
        return
    if dimension(left, place) != dimension(right, place):
        raise DimensionError(
            f"{what()}: {left} is {text(left)}, but {right} is {text(right)}; "
            "one side has a factor too many, too few, or upside down",
            place,
        )


def _variable(symbol, place):
    if not isinstance(symbol, Variable):
        raise DimensionError(f"`{symbol}` has no unit: declare it as a Variable", place)
    return {base: sympy.nsimplify(power) for base, power in symbol.dimension.items()}


def _alike(expression, place, parts=None):
    terms = [term for term in parts or expression.args if term != 0]
    found = dimension(terms[0], place) if terms else {}
    for term in terms[1:]:
        if dimension(term, place) != found:
            require_same(terms[0], term, lambda: f"terms of `{expression}` cannot be combined", place)
    return found


def _product(expression, place):
    total = {}
    for part in expression.args:
        for base, power in dimension(part, place).items():
            total[base] = total.get(base, 0) + power
    return total


def _power(expression, place):
    base, exponent = expression.as_base_exp()
    _require_count(exponent, expression, place)
    inner = dimension(base, place)
    if inner and not exponent.is_Rational:
        raise DimensionError(f"`{expression}`: `{base}` is {text(base)}, its power no fixed number", place)
    return {name: power * exponent for name, power in inner.items()}


def _function(expression, place):
    if isinstance(expression, AppliedUndef) or not expression.args:
        raise DimensionError(f"`{expression}` has no known dimension", place)
    for argument in expression.args:
        _require_count(argument, expression, place)
    return {}


def _require_count(argument, expression, place):
    if dimension(argument, place):
        raise DimensionError(
            f"`{argument}` in `{expression}` is {text(argument)}, where only a plain number can stand: "
            "divide it by something of its own kind",
            place,
        )


def _integral(expression, place):
    total = _product(
        sympy.Mul(expression.function, *(v for v, *_ in expression.limits), evaluate=False), place
    )
    for letter, *bounds in expression.limits:
        for bound in bounds:
            if bound not in (0, sympy.oo):
                require_same(letter, bound, lambda: f"a bound of `{expression}`", place)
    return total


def _derivative(expression, place):
    total = dimension(expression.expr, place)
    for letter, count in expression.variable_count:
        for base, power in dimension(letter, place).items():
            total[base] = total.get(base, 0) - power * count
    return total


def _piecewise(expression, place):
    if expression.args[-1].cond != True:  # noqa: E712  sympy's own true
        raise DeclarationError(f"`{expression}` leaves some case open: end it with (…, True)", place)
    for _, condition in expression.args:
        require_comparable(condition, place)
    return _alike(expression, place, [value for value, _ in expression.args])


def require_comparable(condition, place=""):
    """Refuse a condition that compares two different dimensions."""
    for relation in condition.atoms(Relational):
        require_same(relation.lhs, relation.rhs, lambda it=relation: f"`{it}` cannot be compared", place)


def _total(expression, place):
    for bounds in expression.limits:
        for bound in bounds:
            _require_count(bound, expression, place)
    return dimension(expression.function, place)


def _one(expression, place):
    return {b: sympy.nsimplify(p) for b, p in units.unit(expression.unit).dimensionality.items()}


RULES = (
    (One, _one),
    (sympy.Symbol, _variable),
    (sympy.Number, lambda *_: {}),
    (sympy.NumberSymbol, lambda *_: {}),
    (sympy.Add, _alike),
    (sympy.Mul, _product),
    (sympy.exp, _function),
    (sympy.Pow, _power),
    (Integral, _integral),
    (sympy.Sum, _total),
    (Derivative, _derivative),
    (sympy.Piecewise, _piecewise),
    (KEEPING, _alike),
)
