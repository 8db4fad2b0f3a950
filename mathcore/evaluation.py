"""From an expression to a function of floats that never returns a number it should not.

The fast path is one generated line between two guards; whatever fails them goes to `ArrayEvaluator`,
which evaluates arrays or raises an ArgumentError that names the argument. What a reader copies as Python is the
text that runs here, without the guards.
"""

import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, SupportsFloat

import sympy

from mathcore import special, special_arrays, units
from mathcore.errors import ArgumentError, Code, nearest
from mathcore.printing import to_source
from mathcore.statements import Statement
from mathcore.symbols import UNEVALUATED, Variable, names_text
from mathcore.types import Array, Numbers
from mathcore.units import natural_unit, quantity_text

if TYPE_CHECKING:
    from mathcore.formulas import Formula

PLAIN_NUMBERS = frozenset((int, float))
ROUNDING = 1e-12  # relative, by which an integer may be missed
SCALAR = """\
def evaluate({arguments}):
    try:
        if {guard}:
            result = {body}
            if {least} result < inf{whole}:
                return result
    except (TypeError, ValueError, ArithmeticError, RuntimeWarning):
        pass
    return evaluate_array({arguments})
"""


def compile_scalar(formula: "Formula") -> Callable:
    """Return the guarded function of a formula: floats or arrays in declared units, by position."""
    guards = [f"{v.name}.__class__ in plain" for v in formula.inputs]  # no unit, truth value or array
    guards += [_guard(v) for v in formula.inputs] + [to_source(c, "python") for c in formula.numeric_domain]
    text = SCALAR.format(
        arguments=_argument_list(formula.inputs),
        guard=" and ".join(guards) or "True",
        body=to_source(formula.numeric, "python"),
        least="0.0 <=" if formula.lhs.bounds[0] >= 0 else "-inf <",
        whole=" and result % 1 == 0" if formula.lhs.integer_only else "",
    )
    names: dict[str, Any] = {**_functions("python"), "plain": PLAIN_NUMBERS, "evaluate_array": ArrayEvaluator(formula)}
    return _exec_function(text, "evaluate", names)


def _guard(variable: Variable) -> str:
    low, high = variable.bounds
    least = "0.0 <" if low == 0 and variable.is_positive else f"{low!r} <="
    most = "< inf" if math.isinf(high) else f"<= {high!r}"
    whole = f" and {variable.name} % 1 == 0" if variable.integer_only else ""
    return f"{least} {variable.name} {most}{whole}"


@functools.cache
def compile_unchecked(symbols: tuple, expressions: tuple, language: str = "numpy") -> Callable:
    """Return the function of plain numbers, or arrays, that gives the values of expressions as a tuple."""
    parts = "".join(f"{to_source(e, language)}, " for e in expressions)
    text = f"def values({_argument_list(symbols)}):\n    return ({parts})\n"
    return _exec_function(text, "values", _functions(language))


@functools.cache
def compile_arrays(symbols: tuple, expressions: tuple, arrays: frozenset[Variable]) -> Callable:
    """Return the same for numpy, where some variables are arrays: what depends on none of them is computed once."""
    scalars: dict[sympy.Expr, sympy.Symbol] = {}  # product without an array → the name of its value
    inner = [to_source(_hoist_scalars(e, arrays, scalars), "numpy") for e in expressions]
    lines = [f"{name} = {to_source(product, 'numpy')}" for product, name in scalars.items()]
    body = "\n    ".join([*lines, f"return ({''.join(f'{part}, ' for part in inner)})"])
    return _exec_function(f"def values({_argument_list(symbols)}):\n    {body}\n", "values", _functions("numpy"))


def _hoist_scalars(
    expression: sympy.Expr, arrays: frozenset[Variable], scalars: dict[sympy.Expr, sympy.Symbol]
) -> sympy.Expr:
    """Return an expression with a name for each product of scalars that multiplies an array."""
    if not expression.args or not expression.free_symbols & arrays or expression.has(*UNEVALUATED):
        return expression
    if not expression.is_Mul:
        return expression.func(*(_hoist_scalars(part, arrays, scalars) for part in expression.args))
    alone = [part for part in expression.args if not part.free_symbols & arrays]
    rest = [_hoist_scalars(part, arrays, scalars) for part in expression.args if part.free_symbols & arrays]
    product = sympy.Mul(*alone)
    if len(alone) > 1 and not product.is_number:
        name = sympy.Symbol(f"scalar_{len(scalars)}", real=True, positive=product.is_positive)
        product = scalars.setdefault(product, name)
    return sympy.Mul(product, *rest)


def _argument_list(symbols: Iterable[Variable]) -> str:
    return ", ".join(v.name for v in symbols)


def _functions(language: str) -> dict[str, Any]:
    if language == "python":
        return {**vars(math), **special.FUNCTIONS}
    import numpy as np

    return {**vars(np), **special_arrays.array_functions()}


def _exec_function(text: str, name: str, namespace: dict[str, Any]) -> Callable:
    # The text comes from the printers' closed list of functions, never from input.
    exec(compile(text, f"<mathcore {name}>", "exec"), namespace)
    return namespace[name]


def find_input(formula: "Formula", name: str) -> Variable:
    """Return the input of a formula that goes by a name or an alias; refuse another one with the nearest."""
    known = formula.arguments
    if name in known:
        return known[name]
    takes = names_text(formula.inputs) or "none"
    message, hint = f"{formula.label} has no argument `{name}`; it takes {takes}", nearest(name, known)
    raise ArgumentError(message, code="unknown-argument", got=name, expected=takes, hint=hint)


def require_count(formula: "Formula", variable: Variable, stated: object, value: units.Quantity) -> None:
    """Raise ArgumentError for a count `stated` as a number, a text or a list that is no integer.

    What is computed, a quantity or a statement with a value, may be a mean or a bound that is not yet rounded.
    """
    computed = isinstance(stated, units.Quantity) or hasattr(stated, "value")
    if not computed and value.dimensionality == variable.dimension:
        hint = "write an integer; give a computed mean as a quantity"
        require_integer(formula, variable, value.m_as(units.unit(variable.unit)), hint)


def require_integer(formula: "Formula", variable: Variable, magnitude: Numbers, hint: str) -> None:
    """Raise ArgumentError unless the number, or every number of the array, is an integer."""
    whole = magnitude.round() == magnitude if hasattr(magnitude, "round") else magnitude % 1 == 0  # of an array, or not
    if whole.all() if hasattr(whole, "all") else whole:
        return
    message = f"{variable.name} ({variable.meaning}) of {formula.label} is {magnitude}, which is no count"
    raise ArgumentError(message, code="not-integer", got=magnitude, expected="an integer", hint=hint)


def nearest_integers(np: ModuleType, values: Array) -> Array:
    """Return the values with those that miss an integer by rounding alone, as 49 · (1/49) misses 1, made integers."""
    near = np.rint(values)
    return np.where(abs(values - near) <= ROUNDING * abs(near), near, values)


class ArrayEvaluator:
    """Evaluate arrays, or name the argument that may not enter."""

    def __init__(self, formula: "Formula") -> None:
        self.formula = formula
        self.unsigned = formula.lhs.bounds[0] >= 0  # no negative value may come out

    def __call__(self, *values: Numbers) -> Numbers:
        """Return the array of values, or raise an ArgumentError that names the culprit."""
        if any(map(_is_array, values)):
            return self._array(values)
        for variable, value in zip(self.formula.inputs, values, strict=True):
            self._check(variable, value)
        if not all(type(value) in PLAIN_NUMBERS for value in values):
            return self.formula.compiled(*map(float, values))  # a Decimal or a numpy scalar, say
        self._check_conditions(values)
        if self.formula.lhs.integer_only and (whole := self._integer(values)) is not None:
            return whole
        try:  # some step may overflow and the end not, as x/(1 + exp(1000)) is 0
            return float(self._array([[value] for value in values])[0])
        except ImportError:  # without numpy
            raise self._refusal(values) from None

    def _integer(self, values: Sequence) -> float | None:
        """Return the integer that the formula gives but for rounding, None where it gives no number at all."""
        try:
            (result,) = compile_unchecked(self.formula.inputs, (self.formula.numeric,), "python")(*values)
        except (TypeError, ValueError, ArithmeticError):
            return None
        if not math.isfinite(result):
            return None
        if abs(result - round(result)) > ROUNDING * abs(result):
            raise self._not_integer([*values, result])
        return float(round(result)) if result >= 0 or not self.unsigned else None

    def _array(self, values: Sequence) -> Array:
        import numpy as np

        arrays = [
            self._admitted(np, v, x) if _is_array(x) else float(self._check(v, x))
            for v, x in zip(self.formula.inputs, values, strict=True)
        ]
        self._check_shapes(np, arrays)
        with np.errstate(all="ignore"):  # what is not finite is refused below, by name
            result, *conditions = self._values(np, arrays)
            # The sum is finite only if every element is: one quick pass, no temporary array, and no threads of a BLAS.
            flat = np.ravel(result)  # a formula without inputs gives a plain number
            signed = self.unsigned and not self.formula.rhs.is_nonnegative and np.any(flat < 0)
            suspicious = signed or not np.isfinite(np.add.reduce(flat))
        for holds in conditions:
            if not np.all(holds):
                self._check_conditions(_first_element(np, arrays, ~np.asarray(holds)))
        if suspicious and np.any(bad := ~np.isfinite(result) | (self.unsigned & (result < 0))):
            raise self._refusal(_first_element(np, arrays, bad))
        if self.formula.lhs.integer_only and np.any(bad := result % 1 != 0):
            raise self._not_integer(_first_element(np, [*arrays, result], bad))
        return result

    def _values(self, np: ModuleType, arrays: Sequence) -> Sequence:
        """Return the values, in an array of their own, and whether each condition holds."""
        varying = frozenset(v for v, x in zip(self.formula.inputs, arrays, strict=True) if np.ndim(x))
        expressions = (self.formula.numeric, *self.formula.numeric_domain)
        result, *conditions = compile_arrays(self.formula.inputs, expressions, varying)(*arrays)
        if self.formula.lhs.integer_only:
            result = nearest_integers(np, result)
        return result.copy() if any(result is array for array in arrays) else result, *conditions

    def _admitted(self, np: ModuleType, variable: Variable, value: object) -> Array:
        """Return an argument as an array of floats, each of them admissible."""
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different length
            array = np.asarray(None)
        if array.dtype.kind not in "iuf":
            message = f"{self._argument(variable)} is no array of real numbers: {value!r}"
            raise ArgumentError(message, code="not-real", got=repr(value), expected="real numbers")
        array = array.astype(float, copy=False)
        whole = not variable.integer_only or np.array_equal(array, np.rint(array))
        edges = (array.min(), array.max()) if array.size else ()  # NaN, if any, is both
        if not whole or not all(variable.admits(float(edge)) for edge in edges):
            for index, value in enumerate(array.flat):
                self._check(variable, value, f" at index {index}")
        return array

    def _check(self, variable: Variable, value: object, at: str = "") -> SupportsFloat:
        """Return a number that may enter; refuse any other."""
        if isinstance(value, units.Quantity):
            message, want = f"{self._argument(variable)} is {value:~}", f"a number in `{variable.unit or '1'}`"
            hint = f"this function takes {want}: give quantities to `.at`"
            raise ArgumentError(message, code="not-a-number", got=f"{value:~}", expected=want, hint=hint)
        if isinstance(value, bool) or not isinstance(value, SupportsFloat):
            message = f"{self._argument(variable)} is {value!r}, which is no number"
            raise ArgumentError(message, code="not-a-number", got=repr(value), expected="a number")
        try:
            number = float(value)
        except OverflowError:  # an integer of more than 308 digits
            number = math.inf
        if variable.admits(number) and not (variable.integer_only and number % 1):
            return value
        got = _value_text(variable, number) if math.isfinite(number) else "NaN" if math.isnan(number) else str(number)
        want = f"{'an integer, ' * variable.integer_only}{variable.range_text()}"
        code: Code = "out-of-range" if math.isfinite(number) else "not-finite"
        if variable.admits(number):
            code = "not-integer"
        message = f"{self._argument(variable)} is {got}{at}; it must be {want}"
        raise ArgumentError(message, code=code, got=got, expected=want)

    def _check_shapes(self, np: ModuleType, arrays: Sequence) -> None:
        try:
            np.broadcast_shapes(*map(np.shape, arrays))
        except ValueError:
            shapes = {v.name: np.shape(a) for v, a in zip(self.formula.inputs, arrays, strict=True) if np.shape(a)}
            listed = " and ".join(f"{name} has {shape}" for name, shape in shapes.items())
            message = f"the arrays of {self.formula.label} could not be broadcast together: {listed}"
            want = "one shape, or shapes that broadcast"
            raise ArgumentError(message, code="shape", got=listed, expected=want, hint="give them one shape") from None

    def _check_conditions(self, values: Sequence) -> None:
        at = dict(zip(self.formula.inputs, map(float, values), strict=True))
        for condition, check in zip(self.formula.domain, self.formula.numeric_domain, strict=True):
            if not check.subs(at):
                holds, at_ = self.formula.condition_text(condition), self._at(values)
                message = f"{self.formula.label} holds only for: {holds}, which fails at {at_}"
                raise ArgumentError(message, code="outside-domain", got=at_, expected=holds)

    def _refusal(self, values: Sequence) -> ArgumentError:
        lhs, wanted = self.formula.lhs, "a finite value" + " that is not negative" * self.unsigned
        message = f"{self.formula.label} gives {lhs.name} ({lhs.meaning}), which must be {wanted}, and has none at "
        hint, at = "the arguments are admissible one by one, but not together", self._at(values)
        return ArgumentError(message + at, code="no-value", got=at, expected=wanted, hint=hint)

    def _not_integer(self, values: Sequence) -> ArgumentError:
        """Return the refusal of a result that is no integer; `values` are the arguments and the result."""
        lhs, got = self.formula.lhs, f"{values[-1]:.6g}"
        message = f"{self.formula.label} gives {lhs.name} ({lhs.meaning}), which must be an integer, and is {got} at "
        hint = "choose arguments that divide without a remainder"
        text = message + self._at(values[:-1])
        return ArgumentError(text, code="not-integer", got=got, expected="an integer", hint=hint)

    def _argument(self, variable: Variable) -> str:
        return f"{variable.name} ({variable.meaning}) of {self.formula.label}"

    def _at(self, values: Sequence) -> str:
        pairs = zip(self.formula.inputs, values, strict=True)
        return ", ".join(f"{v.name} = {_value_text(v, float(value))}" for v, value in pairs)


def _value_text(variable: Variable, value: float) -> str:
    quantity = units.Quantity(value, units.unit(variable.unit))
    return quantity_text(quantity, natural_unit(quantity, variable.unit))


def _is_array(value: object) -> bool:
    shaped = hasattr(value, "__array__") and bool(getattr(value, "shape", ()))
    return isinstance(value, (list, tuple)) or (shaped and not isinstance(value, units.Quantity))


def _first_element(np: ModuleType, arrays: Sequence, chosen: Array) -> list:
    """Return the arguments at the first element that is `chosen`."""
    *arrays, chosen = np.broadcast_arrays(*arrays, chosen)
    return [array.flat[chosen.argmax()] for array in arrays]


def validity_warnings(formula: "Formula", values: Sequence) -> list[str]:
    """Return a warning for each relation of `validity` that the numbers violate."""
    language = "numpy" if any(map(_is_array, values)) else "python"
    satisfied = compile_unchecked(formula.inputs, formula.numeric_validity, language)(*values)
    return [
        f"outside {formula.condition_text(relation)}: {text}"
        for (relation, text), holds in zip(formula.validity, satisfied, strict=True)
        if not (holds.all() if hasattr(holds, "all") else holds)
    ]


def fitted_warnings(formula: "Formula", stated: Iterable, values: Sequence) -> list[str]:
    """Return the warnings of fitted parameters for numbers outside the range of their rows."""
    fitted = [each for each in stated if isinstance(each, Statement)]
    numbers = dict(zip(formula.inputs, values, strict=True)) if fitted else {}
    return [text for each in fitted for text in each.cautions(numbers)]


def python_source(formula: "Formula") -> str:
    """Return the source of a self-contained Python function.

    It has no guards: the range of each argument is in its docstring.
    """
    body = to_source(formula.numeric, "python")
    called = set(re.findall(r"[^\W\d]\w*", body)) - {v.name for v in formula.inputs}
    used = called & vars(math).keys()
    imports = f"from math import {', '.join(sorted(used))}\n\n\n" if used else ""
    extra = "".join(f"{inspect.getsource(f)}\n\n" for name, f in special.FUNCTIONS.items() if name in called - used)
    head = f'    """Return the {formula.lhs.meaning} [{formula.lhs.unit or "1"}].'
    lines = [f"    {v.name}: {v.meaning} [{v.unit or '1'}], {v.range_text()}" for v in formula.inputs]
    about = "\n".join([head, "", *lines, '    """'])
    return f"{imports}{extra}def {formula.title}({_argument_list(formula.inputs)}):\n{about}\n    return {body}\n"
