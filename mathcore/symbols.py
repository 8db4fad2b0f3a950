"""Symbols with units: `Variable`, `One`, and the dimension of expressions.

`Variable` is a sympy symbol that knows its unit, its meaning and its admissible range. Every variable is
real and, unless its range says otherwise, positive, so that sympy may take roots and logarithms; two are
equal only if all that is stated of them agrees, because sympy's cache hands out whichever came first.

`One` is one unit as a factor, so that a dimensionless number can become a quantity: `6 * FLOP / token * N * D`.
An extra symbol for "one FLOP" would be an input that nobody can give.

`dimension` is checked before any value: a swapped fraction is a wrong unit long before it is a wrong
number. `to_declared_units` turns an expression between quantities into one between their numbers.
"""

import functools
import keyword
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

import sympy
from pint.util import UnitsContainer
from sympy import Derivative, Integral
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.core.sorting import ordered
from sympy.logic.boolalg import Boolean

from mathcore import deprecated, units
from mathcore.errors import DeclarationError, DimensionError, StepError, author_line
from mathcore.statements import address_of
from mathcore.types import Numbers
from mathcore.units import Quantity, quantity_text

# What no JavaScript argument may be called, beside the keywords of Python; one text, because a list would fill a page.
_JAVASCRIPT = """abstract arguments boolean byte case catch char const debugger default delete do double enum eval
    export extends false final float function goto implements instanceof int interface let long mc native new null
    package private protected public short static super switch synchronized this throw throws transient true typeof
    var void volatile"""
# What the generated functions use themselves, in one language or another.
_GENERATED = """Infinity Math NaN abs array ceil erfc evaluate_array exp expm1 floor gammainc_regularized inf log log1p
    log2 log_gamma max maximum min minimum nan neg_inv_lambertw0_minus1 one_plus_lambertw0 pi result sqrt undefined"""
RESERVED = frozenset(f"{_JAVASCRIPT} {_GENERATED}".split())


def _check_words(name: str, aliases: tuple[str, ...], meaning: str, place: str) -> None:
    """Raise DeclarationError for names that cannot be function arguments, and for an empty meaning."""
    if not meaning.strip():
        message, hint = f"variable {name} has no meaning", "say in words what it means"
        raise DeclarationError(message, place, code="missing", expected="meaning", hint=hint)
    for each in (name, *aliases):
        if not each.isidentifier() or keyword.iskeyword(each) or each in RESERVED:
            message = f"variable `{name}`: `{each}` becomes a function argument in Python and JavaScript"
            want = "an identifier that is no reserved word"
            raise DeclarationError(message, place, code="name", got=each, expected=want, hint=f"choose {want}")


class Variable(sympy.Symbol):
    """A symbol with its unit and meaning: `Variable("tau", "s", "work between two checkpoints")`.

    `unit` is the unit in which generated functions take and return the variable, `display_unit`
    the one in which pages print it (by default the same), `tex` its LaTeX, `alias` a name in words under which
    `Formula.at` takes it as well, or several, of which `show` prints the first. `low` and `high` bound what is
    admissible and what the checks sample; both are quantities or texts such as `"1 s"`. A lower bound of zero belongs
    to the range only with `zero=True`. An `integer` variable takes and gives integers only; a `count` takes an integer
    where a number is written, and any value where a quantity is computed: the mean of a batch, a bound that is not yet
    rounded.

    Raises: DeclarationError for an empty meaning, a name that is no identifier, an empty range;
    ArgumentError for an unknown unit.

    >>> tau = Variable("tau", "s", "work between two checkpoints", low="1 s", high="30 d")
    >>> tau.name, tau.unit, tau.high
    ('tau', 's', <Quantity(2592000.0, 's')>)
    """

    __slots__ = (
        *("_stated", "aliases", "bounds", "counts", "display_unit", "integer_only"),
        *("meaning", "qualified_name", "tex", "unit", "where"),
    )

    unit: str
    meaning: str
    tex: str
    display_unit: str
    aliases: tuple[str, ...]
    where: str
    integer_only: bool
    counts: bool
    qualified_name: str  # the address, where no module names the variable itself
    bounds: tuple[float, float]  # of what is admissible, in the declared unit

    shown = deprecated.attribute("shown", "display_unit")

    @deprecated.keywords(shown="display_unit")
    def __new__(
        cls,
        name: str,
        unit: str,
        meaning: str,
        *,
        tex: str | None = None,
        display_unit: str | None = None,
        alias: str | tuple[str, ...] = (),
        low: object = None,
        high: object = None,
        zero: bool = False,
        integer: bool = False,
        count: bool = False,
    ) -> "Variable":
        """Check the statement and make the symbol."""
        place = author_line()
        aliases = (alias,) if isinstance(alias, str) else tuple(alias)
        _check_words(name, aliases, meaning, place)
        bounds = _parse_bounds(low, high, unit, name, place)
        assumptions = {"real": True, "finite": True} | ({"integer": True} if integer else {})
        assumptions |= {"nonnegative" if zero else "positive": True} if bounds[0] >= 0 else {}
        self = sympy.Symbol.__xnew__(cls, name, **assumptions)
        self.unit, self.meaning, self.where, self.qualified_name = unit, meaning, place, ""
        self.tex, self.display_unit, self.aliases = tex or name, display_unit or unit, aliases
        self.bounds, self._stated, self.integer_only, self.counts = bounds, (low, high), integer, count
        if units.unit(self.display_unit).dimensionality != self.dimension:
            message = f"variable {name}: cannot convert from '{unit}' to '{display_unit}', in which it is shown"
            raise DeclarationError(message, place, code="dimension", got=display_unit, expected=unit)
        return self

    def __getnewargs_ex__(self) -> tuple:
        """Carry the whole statement through copies and pickles."""
        # As texts: a pickled pint quantity would come back in another registry.
        low, high = (bound if bound is None else f"{units.quantity(bound)}" for bound in self._stated)
        zero = bool(self.is_nonnegative and not self.is_positive)
        printed = {"tex": self.tex, "display_unit": self.display_unit, "alias": self.aliases}
        numbers = {"low": low, "high": high, "zero": zero, "integer": self.integer_only, "count": self.counts}
        return (self.name, self.unit, self.meaning), {**printed, **numbers}

    def __getstate__(self) -> None:
        """Leave nothing to restore: `__new__` has rebuilt all."""

    def _hashable_content(self) -> tuple:
        text = (self.unit, self.tex, self.display_unit, self.aliases, self.meaning, self.counts)
        return (*super()._hashable_content(), *text, *self.bounds)

    def __repr__(self) -> str:
        """Return one line: the address or the author's line, the meaning, and the unit."""
        return f"<Variable {self.address or self.where}: {self.name}, {self.meaning} [{self.display_unit or '1'}]>"

    def as_real(self) -> "Variable":
        """Return the variable without its restriction to integers, as the root of an equation has it."""
        if not self.integer_only:
            return self
        arguments, options = self.__getnewargs_ex__()
        variable = Variable(*arguments, **options | {"integer": False, "count": False})
        variable.where, variable.qualified_name = self.where, self.address
        return variable

    @property
    def address(self) -> str:
        """Return `module.name` if a loaded module names this variable, else an empty text."""
        return address_of(self)

    @property
    def alias(self) -> str:
        """Return the first name in words, or an empty text."""
        return self.aliases[0] if self.aliases else ""

    @property
    def symbol(self) -> sympy.Symbol:
        """Return the bare symbol, which sympy's code printers read from any class called Variable."""
        return sympy.Symbol(self.name, real=True)

    @property
    def low(self) -> Quantity:
        """Return the smallest admissible value as a quantity."""
        return self.quantity(self.bounds[0])

    @property
    def high(self) -> Quantity:
        """Return the largest admissible value as a quantity."""
        return self.quantity(self.bounds[1])

    @property
    def dimension(self) -> UnitsContainer:
        """Return the pint dimensionality of the declared unit."""
        return units.unit(self.unit).dimensionality

    def quantity(self, number: Numbers) -> Quantity:
        """Return a number in the declared unit as a quantity."""
        return Quantity(number, units.unit(self.unit))

    def display_quantity(self, number: Numbers) -> Quantity:
        """Return a number in the declared unit as a quantity in the unit in which pages print it."""
        quantity = self.quantity(number)
        return quantity.to(units.natural_unit(quantity, self.display_unit))

    def number(self, value: object) -> float:
        """Return the magnitude of a quantity, or of a statement, in the declared unit.

        Raises: ArgumentError for a bare number, or another dimension.
        """
        return units.match_dimension(value, self.quantity(1), f"{self.name} ({self.meaning})").m_as(self.unit)

    def admits(self, value: float) -> bool:
        """Return whether the float `value`, in the declared unit, is admissible.

        >>> Variable("M", "s", "MTBF").admits(0.0)
        False
        """
        low, high = self.bounds
        return low <= value <= high and math.isfinite(value) and not (value == 0 and self.is_positive)

    def range_text(self) -> str:
        """Return the admissible range in words, as errors and tables print it.

        >>> Variable("M", "s", "MTBF").range_text()
        'more than 0\\u202fs'
        """
        least, most = map(self._bound_text, (self.low, self.high), self._stated)
        above = self.is_positive and not self.bounds[0]
        if math.isinf(self.bounds[1]):
            return f"more than {least}" if above else f"at least {least}"
        return f"more than 0, up to {most}" if above else f"{least} to {most}"

    def _bound_text(self, bound: Quantity, stated: object) -> str:
        if stated is not None:
            return quantity_text(units.quantity(stated), None, None)  # as the author wrote it: 1 EB, 100 year
        return quantity_text(bound, self.unit, None) if math.isfinite(bound.magnitude) else ""


def variables_by_name(variables: Iterable[Variable]) -> dict[str, Variable]:
    """Return variables by their names and by each alias that one of them alone has, a first alias before a further one.

    >>> p, n = Variable("p", "", "ranks", alias=("ranks", "devices")), Variable("n", "gpu", "devices", alias="devices")
    >>> named = variables_by_name([p, n])
    >>> [named[name].name for name in ("ranks", "devices", "p")]
    ['p', 'n', 'p']
    """
    variables = tuple(variables)
    named: dict[str, Variable] = {}
    for part in (slice(1, None), slice(1)):
        counts = Counter(alias for v in variables for alias in v.aliases[part])
        named |= {alias: v for v in variables for alias in v.aliases[part] if counts[alias] == 1}
    return named | {str(v.name): v for v in variables}


def names_text(variables: Iterable[Variable]) -> str:
    """Return the names of variables with their first aliases, as errors list them: `C (write_time), M (mtbf)`."""
    variables = tuple(variables)
    known = variables_by_name(variables)
    return ", ".join(f"{v.name} ({v.alias})" if known.get(v.alias) == v else str(v.name) for v in variables)


def _parse_bounds(low: object, high: object, unit: str, name: str, place: str) -> tuple[float, float]:
    """Return the ends of the admissible range in the declared unit; refuse an empty range."""
    lower, upper = _parse_bound(low, 0.0, unit, name), _parse_bound(high, math.inf, unit, name)
    if not lower < upper:
        message = f"variable {name}: the range {low}..{high} is empty"
        raise DeclarationError(message, place, code="empty-range", got=f"{low}..{high}", expected="low < high")
    return lower, upper


def _parse_bound(value: object, default: float, unit: str, name: str) -> float:
    if value is None:
        return default
    given = units.quantity(value, f"a bound of {name}")
    if given.dimensionality != units.unit(unit).dimensionality:
        message = f"variable {name} [{unit}]: cannot convert the bound {value} to '{unit}'"
        raise DeclarationError(message, code="dimension", got=value, expected=unit)
    return float(given.m_as(unit))


class One(sympy.AtomicExpr):
    """State one unit: `FLOP = One("FLOP")`. Only base units, because its value is 1.

    Raises: ArgumentError for an unknown unit; DeclarationError for one that is no base unit.

    >>> FLOP, token = One("FLOP"), One("token")
    >>> (6 * FLOP / token).doit()
    6
    """

    __slots__ = ("unit",)
    is_commutative = is_real = is_finite = is_positive = True
    is_number = False  # or sympy would fold it into the numbers beside it

    def __new__(cls, unit: str) -> "One":
        """Check that the unit is a base unit."""
        if units.base_factor(unit) != 1:
            message, hint = f"`{unit}` is {units.base_factor(unit)} base units", "write the base unit"
            raise DeclarationError(message, code="not-a-choice", got=unit, expected="a base unit", hint=hint)
        self = super().__new__(cls)
        self.unit = unit
        return self

    def __getnewargs__(self) -> tuple[str]:
        """Carry the unit through copies and pickles."""
        return (self.unit,)

    def _hashable_content(self) -> tuple:
        return (self.unit,)

    def doit(self, **hints: object) -> sympy.Expr:
        """Return 1, since computed numbers have no units."""
        return sympy.S.One

    def sort_key(self, order: object = None) -> tuple:
        """Sort after all symbols of a product."""
        return (9, 0, "One"), (1, (self.unit,)), sympy.S.One.sort_key(), sympy.S.One

    def _latex(self, printer: object) -> str:
        return rf"\,\mathrm{{{self.unit}}}"

    def _sympystr(self, printer: object) -> str:
        return self.unit


class _Extreme:
    """An extreme that is kept as it is stated: sympy would compare every pair of arguments at each step."""

    def __new__(cls, *arguments: object, **options: object) -> sympy.Expr:
        """Flatten the arguments, remove repeated ones, and evaluate only if all are numbers."""
        whole = cls.__mro__[2]  # sympy's own
        parts = [part for a in map(sympy.sympify, arguments) for part in (a.args if a.func is cls else (a,))]
        if all(part.is_number for part in parts):
            return whole(*parts)
        parts = list(ordered(set(parts)))
        return parts[0] if len(parts) == 1 else sympy.Expr.__new__(cls, *parts)


class Max(_Extreme, sympy.Max):
    """State the greatest of several quantities."""


class Min(_Extreme, sympy.Min):
    """State the least of several quantities."""


# Functions whose arguments and value share one dimension.
DIMENSION_PRESERVING = (sympy.Max, sympy.Min, sympy.Abs)


@functools.lru_cache(maxsize=None, typed=True)  # parts of expressions recur; 1.0 is not 1, it is refused
def dimension(expression: sympy.Expr) -> UnitsContainer:
    """Return the dimension of a sympy expression, as pint has it: `{base: exponent}`, exponents exact.

    Raises: DimensionError for a sum of different dimensions, a power with a dimension in the
    exponent, a function of a quantity that has a dimension, or a symbol that is no Variable.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> dimension(sympy.sqrt(2 * C * M))
    <UnitsContainer({'[time]': 1})>
    """
    expression = sympy.sympify(expression)
    rule = next((rule for kind, rule in RULES if isinstance(expression, kind)), _function_dimension)
    return rule(expression)


def describe_dimension(expression: sympy.Expr) -> str:
    """Return the dimension of an expression as text, such as `of dimension information/time` or `dimensionless`."""
    return units.kind_text(dimension(expression))


def require_same_dimension(left: sympy.Expr, right: sympy.Expr, what: Callable[[], str]) -> None:
    """Raise a DimensionError for two expressions of different dimension; `what` returns the beginning of its message.

    Raises: DimensionError naming both sides with their dimensions.
    """
    if right == 0 or left == 0:  # zero has every dimension
        return
    if dimension(left) != dimension(right):
        slip = "one side has a factor too many, too few, or upside down"
        message = f"{what()}: {left} is {describe_dimension(left)}, but {right} is {describe_dimension(right)}"
        raise DimensionError(message, got=describe_dimension(right), expected=describe_dimension(left), hint=slip)


def _variable_dimension(symbol: sympy.Symbol) -> UnitsContainer:
    if not isinstance(symbol, Variable):
        message = f"`{symbol}` has no unit"
        raise DimensionError(
            message, code="missing-unit", got=symbol, expected="a Variable", hint="declare it as a Variable"
        )
    return symbol.dimension


def _shared_dimension(expression: sympy.Expr, parts: Iterable[sympy.Expr] | None = None) -> UnitsContainer:
    terms = [term for term in parts or expression.args if term != 0]
    shared = dimension(terms[0]) if terms else UnitsContainer()
    for term in terms[1:]:
        if dimension(term) != shared:
            require_same_dimension(terms[0], term, lambda: f"terms of `{expression}` cannot be combined")
    return shared


def _product_dimension(expression: sympy.Expr) -> UnitsContainer:
    return functools.reduce(operator.mul, map(dimension, expression.args))


def _power_dimension(expression: sympy.Expr) -> UnitsContainer:
    base, exponent = expression.as_base_exp()
    _require_count(exponent, expression)
    inner = dimension(base)
    if inner and not exponent.is_Rational:
        message = f"`{expression}`: `{base}` is {describe_dimension(base)}, but its power is no fixed number"
        raise DimensionError(message, got=exponent, expected="a rational number")
    return inner ** Fraction(exponent) if inner else inner


def _function_dimension(expression: sympy.Expr) -> UnitsContainer:
    if isinstance(expression, AppliedUndef) or not expression.args:
        raise DimensionError(f"`{expression}` has no known dimension", code="unsupported", got=expression)
    for argument in expression.args:
        _require_count(argument, expression)
    return UnitsContainer()


def _require_count(argument: sympy.Expr, expression: sympy.Expr) -> None:
    if dimension(argument):
        message = f"`{argument}` in `{expression}` is {describe_dimension(argument)}, but must be dimensionless"
        hint = "divide it by something of the same dimension"
        raise DimensionError(message, got=describe_dimension(argument), expected="dimensionless", hint=hint)


def _integral_dimension(expression: sympy.Expr) -> UnitsContainer:
    total = _product_dimension(sympy.Mul(expression.function, *(v for v, *_ in expression.limits), evaluate=False))
    for symbol, *bounds in expression.limits:
        for bound in bounds:
            if bound not in (0, sympy.oo):
                require_same_dimension(symbol, bound, lambda: f"a bound of `{expression}`")
    return total


def _derivative_dimension(expression: sympy.Expr) -> UnitsContainer:
    below = (dimension(symbol) ** int(count) for symbol, count in expression.variable_count)
    return functools.reduce(operator.truediv, below, dimension(expression.expr))


def _piecewise_dimension(expression: sympy.Expr) -> UnitsContainer:
    if expression.args[-1].cond != True:  # noqa: E712  sympy's own true
        message, hint = f"`{expression}` leaves some case open", "end it with (…, True)"
        raise DeclarationError(message, code="missing", got=expression, expected="(…, True)", hint=hint)
    for _, condition in expression.args:
        require_comparable(condition)
    return _shared_dimension(expression, [value for value, _ in expression.args])


def require_comparable(condition: sympy.Expr) -> None:
    """Raise a DeclarationError for a condition that is no relation, or compares different dimensions."""
    if not isinstance(condition, Boolean):
        message, hint = f"`{condition}` is no relation between variables", "write `C < M`, without quotes"
        expected = "a relation such as `C < M`"
        raise DeclarationError(message, code="relation", got=condition, expected=expected, hint=hint)
    for relation in condition.atoms(Relational):
        require_same_dimension(
            relation.lhs, relation.rhs, functools.partial("`{}` cannot be compared".format, relation)
        )


def _sum_dimension(expression: sympy.Expr) -> UnitsContainer:
    for bounds in expression.limits:
        for bound in bounds:
            _require_count(bound, expression)
    return dimension(expression.function)


def _refuse_float(expression: sympy.Expr) -> UnitsContainer:
    message, hint = f"`{expression}` is a float, which is not exact", "write Rational(1, 10), not 0.1"
    raise StepError(message, code="not-exact", got=expression, expected="an exact number", hint=hint)


RULES: tuple[tuple[type | tuple, Callable[[sympy.Basic], UnitsContainer]], ...] = (
    (One, lambda one: units.unit(one.unit).dimensionality),
    (sympy.Symbol, _variable_dimension),
    (sympy.Float, _refuse_float),
    (sympy.Number, lambda _: UnitsContainer()),
    (sympy.NumberSymbol, lambda _: UnitsContainer()),
    (sympy.Add, _shared_dimension),
    (sympy.Mul, _product_dimension),
    (sympy.exp, _function_dimension),
    (sympy.Pow, _power_dimension),
    (Integral, _integral_dimension),
    (sympy.Sum, _sum_dimension),
    (Derivative, _derivative_dimension),
    (sympy.Piecewise, _piecewise_dimension),
    (DIMENSION_PRESERVING, _shared_dimension),
)


UNEVALUATED = (sympy.Sum, sympy.Product, sympy.Integral, sympy.Derivative, sympy.Subs, sympy.Limit)


def substitute(expression: sympy.Expr, values: Mapping) -> sympy.Expr:
    """Return an expression with values substituted for symbols, simultaneously."""
    if expression.has(*UNEVALUATED):  # their own symbols stay
        return expression.subs(values, simultaneous=True)
    return expression.xreplace(values)


def to_declared_units(expression: sympy.Expr, lhs: Variable | None, inputs: Iterable[Variable]) -> sympy.Expr:
    """Return an expression, or a relation, between numbers in the declared units of its symbols."""
    expression = expression.doit() if expression.has(*UNEVALUATED) else expression
    ones = {one: sympy.S.One for one in expression.atoms(One)}
    expression = expression.xreplace({v: v * _exact_factor(v.unit) for v in inputs} | ones)
    return expression if lhs is None else expression / _exact_factor(lhs.unit)


def _exact_factor(unit: str) -> sympy.Rational:
    """Return the factor of a unit as a rational: that of `/year` is 1/31557600, not its double."""
    return sympy.Rational(Fraction(units.base_factor(unit)).limit_denominator(10**15))
