"""`Formula`: one statement `lhs = rhs`, from which every surface is made.

Kinds: a *definition* names something, a *model* assumes something, a *derived* formula follows.
`when` says in words where it holds; `valid` holds relations that every evaluation checks.
"""

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from mathcore import evaluation, magnitudes, units
from mathcore.dimensions import require_comparable, require_same
from mathcore.entities import Entity
from mathcore.errors import ArgumentError, DeclarationError, suggestion, where
from mathcore.printing import latex, line
from mathcore.variables import Variable

KINDS = ("definition", "model", "derived")
_factors = {}  # (unit of a value, unit of a variable) → factor: pint's own way takes 20 times longer


@dataclass(frozen=True, eq=False)
class Formula(Entity):
    """State `lhs = rhs`; both sides must have one dimension, and letters are Variables.

    `convention` names the choice of words or of accounting that the formula makes, `shown` is the
    right side as the author wants it printed, `relation` is ≈ where a derivation approximates.

    Raises: DimensionError, DeclarationError.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> tau = Variable("tau", "s", "work between checkpoints")
    >>> interval = Formula(tau, sympy.sqrt(2 * C * M))
    >>> interval.at(C="4 min", M="8 h").to("min")
    <Quantity(61.9677335, 'min')>
    >>> interval.solve_for("C").rhs
    tau**2/(2*M)
    """

    lhs: Variable
    rhs: sympy.Expr
    kind: str = "model"
    when: str | tuple = ()
    valid: tuple = ()
    convention: str = ""
    shown: sympy.Expr | None = None
    derivation: object = None
    relation: str = "="

    def __post_init__(self):
        """Check the statement."""
        object.__setattr__(self, "rhs", sympy.sympify(self.rhs))
        object.__setattr__(
            self, "when", (self.when,) if isinstance(self.when, str) and self.when else self.when
        )
        if self.kind not in KINDS:
            raise DeclarationError(
                f"kind `{self.kind}` of {self.lhs}: choose one of {', '.join(KINDS)}", self.where
            )
        if not isinstance(self.lhs, Variable):
            raise DeclarationError(f"the left side `{self.lhs}` must be a Variable", self.where)
        if self.rhs.has(sympy.Float):
            raise DeclarationError(
                f"{self.lhs}: `{self.rhs}` holds a float; write Rational(1, 10), not 0.1",
                self.where,
            )
        if self.kind == "derived" and self.derivation is None:
            raise DeclarationError(f"{self.lhs} is called derived: derive it, or call it a model", self.where)
        require_same(self.lhs, self.rhs, lambda: f"{self.lhs} = {self.rhs}", self.where)
        for relation in self.valid:
            require_comparable(relation, self.where)
        self._check_letters()

    def _check_letters(self):
        for first, second in itertools.pairwise(self.inputs):  # sorted by name
            if first.name == second.name:
                raise DeclarationError(
                    f"{self.lhs} = {self.rhs} has two letters {first.name}: {first.meaning}, and "
                    f"{second.meaning}; rename one of them",
                    self.where,
                )

    @functools.cached_property
    def inputs(self):
        """Return the variables of the right side, in the order of the compiled function."""
        letters = self.rhs.free_symbols.union(*(c.free_symbols for c in self.valid))
        return tuple(sorted(letters, key=lambda v: (v.name.lower(), v.name)))

    @functools.cached_property
    def numeric(self):
        """Return the expression that relates numbers in declared units."""
        return magnitudes.coherent(self.rhs, self.lhs, self.inputs)

    @functools.cached_property
    def checks(self):
        """Return the relations of `valid` between numbers in declared units."""
        return tuple(magnitudes.coherent(c, None, self.inputs) for c in self.valid)

    @functools.cached_property
    def compiled(self):
        """Return the function of floats or arrays in declared units, arguments in `inputs` order.

        Raises (when called): ArgumentError that names the argument, what it got and what it wants.
        """
        return evaluation.scalar(self)

    @property
    def title(self):
        """Return the name under which the formula is a function."""
        return self.name or self.lhs.name

    @property
    def conditions(self):
        """Return the conditions of validity as texts: in words first, then the checked relations."""
        named = {v.name: v.name for v in self.inputs}
        return (
            *self.when,
            *(f"{line(c.lhs)} {c.rel_op} {line(c.rhs)}".format(**named) for c in self.valid),
        )

    def at(self, values=None, /, **named):
        """Return the value as a quantity in the declared unit of the left side.

        Arguments go by name: a text with its unit, a quantity, an entity with a value, or an array
        quantity. A mapping from Variables may come first.

        Raises: ArgumentError for an unknown or missing name, a bare number, a wrong dimension,
        NaN, infinity, a value out of range, arrays of different length.
        """
        if values is not None and not isinstance(values, Mapping):
            raise ArgumentError(
                f"{self.title} got {values!r} without a name: write {self.inputs[0].name}={values!r}", where()
            )
        if values:
            named = {**{getattr(v, "name", v): x for v, x in values.items()}, **named}
        inputs = self.inputs
        if named.keys() != {v.name for v in inputs}:
            self._refuse_names(named)
        numbers = [_number(v, named[v.name], self) for v in inputs]
        return units.Quantity(self.compiled(*numbers), self._unit)

    @functools.cached_property
    def _unit(self):
        return units.unit(self.lhs.unit)

    def _refuse_names(self, named):
        known = [v.name for v in self.inputs]
        title = self.address or f"the formula for {self.lhs.name}"
        for name in named:
            if name not in known:
                raise ArgumentError(
                    f"{title} has no argument `{name}`{suggestion(name, known)}; "
                    f"it takes {', '.join(known) or 'none'}",
                    where(),
                )
        missing = [f"{v.name} ({v.meaning})" for v in self.inputs if v.name not in named]
        raise ArgumentError(f"{title} also needs {', '.join(missing)}", where())

    def solve_for(self, name):
        """Return the formula for one of the inputs, checked by putting it back.

        Raises: ArgumentError for an unknown name; DeclarationError if there is no root, or no single one.
        """
        from mathcore.solving import solved

        return solved(self, str(name))

    def latex(self):
        """Return the equation as LaTeX.

        >>> x = Variable("x", "", "share")
        >>> Formula(x, sympy.Rational(1, 2)).latex()
        'x = \\\\frac{1}{2}'
        """
        sign = {"=": "=", "≈": r"\approx"}[self.relation]
        return f"{self.lhs.tex} {sign} {latex(self.rhs if self.shown is None else self.shown)}"

    def python(self):
        """Return a Python function that stands on its own."""
        return evaluation.python_text(self)

    def javascript(self):
        """Return the JavaScript function."""
        return evaluation.javascript_text(self)


def _number(variable, value, formula):
    """Return the value of an argument as a float or array in the declared unit."""
    if type(value) is not units.Quantity:
        value = units.quantity(value, f"{variable.name} ({variable.meaning})")
    key = (value._units, variable.unit)  # the container itself: its hash is cached
    factor = _factors.get(key)
    if factor is None:
        factor = _factors[key] = _conversion(variable, value, formula)
    return value._magnitude * factor if factor != 1 else value._magnitude


def _conversion(variable, value, formula):
    wanted = units.unit(variable.unit)
    if value.dimensionality == wanted.dimensionality:
        exact = units.factor(f"{value.units}" if value._units else "") / units.factor(variable.unit)
        return int(exact) if float(exact).is_integer() else exact
    title = formula.address or f"the formula for {formula.lhs.name}"
    if not value._units:
        got, cure = (
            f"the bare number {value.magnitude}".removesuffix(".0"),
            f"write its unit, such as `{variable.shown}`",
        )
    else:
        got = f"{value:~}, {units.kind_text(value.dimensionality)}"
        cure = _cure(value, wanted)
    raise ArgumentError(
        f"{variable.name} ({variable.meaning}) of {title} is {got}; it must be "
        f"{units.kind_text(wanted.dimensionality)}, such as `{f'1 {variable.shown}'.strip()}`: {cure}",
        where(),
    )


def _cure(value, wanted):
    extra = dict(value.dimensionality / wanted.dimensionality)
    if extra == {"[device]": -1}:
        return f"hours per device are device-hours: write `{value.magnitude:g} gpu {value.units}`"
    if extra == {"[device]": 1}:
        return "this is a time per device; divide it by the number of devices first"
    return "check which quantity belongs here"
