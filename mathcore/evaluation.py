"""From an expression to a function of floats that never returns a number it should not.

The fast path is one generated line between two guards; whatever fails them goes to `Slow`,
which serves arrays or finds the argument to blame. What a reader copies as Python is the
text that runs here, without the guards.
"""

import inspect
import math
import re

from mathcore import special, units
from mathcore.errors import ArgumentError, where
from mathcore.printing import code
from mathcore.units import natural_unit, quantity_text

PLAIN = frozenset((int, float))
SCALAR = """\
def evaluate({arguments}):
    try:
        if {guard}:
            result = {body}
            if {least} result < inf:
                return result
    except (TypeError, ValueError, ArithmeticError, RuntimeWarning):
        pass
    return slow({arguments})
"""


def scalar(formula):
    """Return the guarded function of a formula: floats or arrays in declared units, by position."""
    names = ", ".join(v.name for v in formula.inputs)
    guards = [f"{v.name}.__class__ in plain" for v in formula.inputs]  # no unit, truth value or array
    guards += [_guard(v) for v in formula.inputs] + [code(c, "python") for c in formula.checks]
    text = SCALAR.format(
        arguments=names,
        guard=" and ".join(guards) or "True",
        body=code(formula.numeric, "python"),
        least="0.0 <=" if _unsigned(formula) else "-inf <",
    )
    known = {**vars(math), **special.FUNCTIONS, "plain": PLAIN, "slow": Slow(formula)}
    return _made(text, "evaluate", known)


def _guard(variable):
    low, high = variable.bounds
    least = "0.0 <" if low == 0 and variable.is_positive else f"{low!r} <="
    most = "< inf" if math.isinf(high) else f"<= {high!r}"
    whole = f" and {variable.name} % 1 == 0" if variable.integer_only else ""
    return f"{least} {variable.name} {most}{whole}"


def _unsigned(formula):
    """Tell whether the left side allows no negative value."""
    return formula.lhs.bounds[0] >= 0


def _made(text, name, namespace):
    # The text comes from the printers' closed list of functions, never from input.
    exec(compile(text, f"<mathcore {name}>", "exec"), namespace)
    return namespace[name]


class Slow:
    """Evaluate arrays, or name the argument that may not enter."""

    def __init__(self, formula):
        """Keep the formula; the numpy function is made when the first array comes."""
        self.formula = formula
        self.vector = None

    def __call__(self, *values):
        """Return the array of values, or raise an ArgumentError that names the culprit."""
        for variable, value in zip(self.formula.inputs, values, strict=True):
            if not _is_array(value):
                self._check_scalar(variable, value)
        if any(_is_array(value) for value in values):
            return self._array(values)
        if not all(type(value) in PLAIN for value in values):
            return self.formula.compiled(*map(float, values))  # a Decimal or a numpy scalar, say
        self._check_conditions(values)
        return self._through_infinity(values)

    def _through_infinity(self, values):
        """Return the value where some step overflows and the end does not, as x/(1 + exp(1000)) is 0."""
        try:
            import numpy as np
        except ImportError:
            raise self._refusal(values) from None
        return float(np.ravel(self._array([np.array([value]) for value in values]))[0])

    def _array(self, values):
        import numpy as np

        arrays = [
            self._as_array(np, v, x) if _is_array(x) else float(x)
            for v, x in zip(self.formula.inputs, values, strict=True)
        ]
        self._check_shapes(np, arrays)
        self.vector = self.vector or self._vector()
        with np.errstate(all="ignore"):  # what is not finite is refused below, by name
            result, *conditions = self.vector(*arrays)
            # The sum of squares is finite only if every element is: one quick pass, no temporary array.
            flat = np.ravel(result)
            suspicious = not np.isfinite(np.dot(flat, flat)) or (self._may_turn() and np.any(result < 0))
        for held in conditions:
            if not np.all(held):
                self._check_conditions(_element(np, arrays, ~np.asarray(held)))
        bad = ~np.isfinite(result) | (_unsigned(self.formula) & (result < 0)) if suspicious else False
        if np.any(bad):
            raise self._refusal(_element(np, arrays, bad))
        return result

    def _may_turn(self):
        return _unsigned(self.formula) and not self.formula.rhs.is_nonnegative

    def _as_array(self, np, variable, value):
        """Return an argument as an array of floats, each of them admissible."""
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different length
            array = np.asarray(None)
        if array.dtype.kind not in "iuf":
            raise ArgumentError(f"{self._argument(variable)} is no array of real numbers: {value!r}", where())
        array = array.astype(float, copy=False)
        whole = not variable.integer_only or not (array % 1).any()
        edges = (array.min(), array.max()) if array.size else ()  # NaN, if any, is both
        if not whole or not all(variable.admits(float(edge)) for edge in edges):
            for index, value in enumerate(array.flat):
                self._check_scalar(variable, value, f" at index {index}")
        return array

    def _vector(self):
        parts = [code(e, "numpy") for e in (self.formula.numeric, *self.formula.checks)]
        names = ", ".join(v.name for v in self.formula.inputs)
        text = f"def vector({names}):\n    return ({', '.join(parts)},)\n"
        return _made(text, "vector", _numpy())

    def _check_scalar(self, variable, value, at=""):
        if isinstance(value, units.Quantity):
            raise ArgumentError(
                f"{self._argument(variable)} is {value:~}: this function takes plain numbers in "
                f"`{variable.unit or '1'}`; give quantities to `.at`",
                where(),
            )
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise ArgumentError(f"{self._argument(variable)} is {value!r}, which is no number", where())
        try:
            value = float(value)
        except OverflowError:  # an integer of more than 308 digits
            value = math.inf
        if variable.admits(value) and not (variable.integer_only and value % 1):
            return
        got = "NaN" if math.isnan(value) else str(value) if math.isinf(value) else self._text(variable, value)
        want = "a whole number, " if variable.integer_only else ""
        raise ArgumentError(
            f"{self._argument(variable)} is {got}{at}; it must be {want}{variable.range_text()}",
            where(),
        )

    def _check_shapes(self, np, arrays):
        shapes = {v.name: a.shape for v, a in zip(self.formula.inputs, arrays, strict=True) if _is_array(a)}
        try:
            np.broadcast_shapes(*shapes.values())
        except ValueError:
            listed = " and ".join(f"{name} has {shape}" for name, shape in shapes.items())
            message = f"the arrays of {self._title()} differ in length: {listed}; give them one shape"
            raise ArgumentError(message, where()) from None

    def _check_conditions(self, values):
        at = dict(zip(self.formula.inputs, map(float, values), strict=True))
        for condition, check in zip(self.formula.valid, self.formula.checks, strict=True):
            if not check.subs(at):
                raise ArgumentError(
                    f"{self._title()} holds only for: {self.formula.condition_text(condition)}, which fails at {self._at(values)}",
                    where(),
                )

    def _refusal(self, values):
        wanted = "a finite value that is not negative" if _unsigned(self.formula) else "a finite value"
        return ArgumentError(
            f"{self._title()} gives {self.formula.lhs.name} ({self.formula.lhs.meaning}), which must be "
            f"{wanted}, and has none at {self._at(values)}: "
            "the arguments are admissible one by one, but not together",
            where(),
        )

    def _argument(self, variable):
        return f"{variable.name} ({variable.meaning}) of {self._title()}"

    def _title(self):
        return self.formula.address or f"the formula for {self.formula.lhs.name}"

    def _at(self, values):
        pairs = zip(self.formula.inputs, values, strict=True)
        return ", ".join(f"{v.name} = {self._text(v, float(value))}" for v, value in pairs)

    @staticmethod
    def _text(variable, value):
        quantity = units.Quantity(value, units.unit(variable.unit))
        return quantity_text(quantity, natural_unit(quantity, variable.unit))


def _is_array(value):
    return isinstance(value, (list, tuple)) or (
        hasattr(value, "__array__")
        and bool(getattr(value, "shape", ()))
        and not isinstance(value, units.Quantity)
    )


def _element(np, arrays, chosen):
    """Return the arguments at the first element that is `chosen`."""
    *arrays, chosen = np.broadcast_arrays(*arrays, chosen)
    return [array.flat[chosen.argmax()] for array in arrays]


def cautions(formula, values):
    """Return what is to be said where numbers lie outside the regime of a formula, as texts."""
    at = dict(zip(formula.inputs, values, strict=True))
    arrays = [v for v, x in at.items() if _is_array(x)]
    found = []
    for (relation, said), (check, _) in zip(formula.regime, formula.limits, strict=True):
        holds = _made(
            f"def holds({', '.join(v.name for v in formula.inputs)}):\n"
            f"    return {code(check, 'numpy' if arrays else 'python')}\n",
            "holds",
            dict(_numpy() if arrays else vars(math)),
        )(*values)
        if not (holds.all() if hasattr(holds, "all") else holds):
            found.append(f"outside {formula.condition_text(relation)}: {said}")
    return found


def _numpy():
    import numpy as np

    own = {name: np.vectorize(f, otypes=[float]) for name, f in special.FUNCTIONS.items()}
    return {**vars(np), **own}


def python_text(formula):
    """Return a Python function that stands on its own, ready to paste.

    It has no guards: the range of each argument is in its docstring.
    """
    body = code(formula.numeric, "python")
    called = set(re.findall(r"[^\W\d]\w*", body)) - {v.name for v in formula.inputs}
    used = called & vars(math).keys() - special.FUNCTIONS.keys()
    imports = f"from math import {', '.join(sorted(used))}\n\n\n" if used else ""
    own = [inspect.getsource(f) for name, f in special.FUNCTIONS.items() if name in called]
    extra = "".join(f"{text}\n\n" for text in own)
    names = ", ".join(v.name for v in formula.inputs)
    lines = [f"    {v.name}: {v.meaning} [{v.unit or '1'}], {v.range_text()}" for v in formula.inputs]
    head = f'    """Return the {formula.lhs.meaning} [{formula.lhs.unit or "1"}].'
    about = "\n".join([head, "", *lines, '    """'])
    return f"{imports}{extra}def {formula.title}({names}):\n{about}\n    return {body}\n"


def javascript_text(formula):
    """Return the JavaScript function of a formula, in declared units."""
    names = ", ".join(v.name for v in formula.inputs)
    return f"function {formula.title}({names}) {{ return {code(formula.numeric, 'javascript')}; }}"
