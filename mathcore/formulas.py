"""`Formula`: one statement `lhs = rhs`; `Derivation`: the chain of claims that leads to it.

A *definition* names something, a *model* assumes something, a *derived* formula follows from lines that
were judged. `when` says in words where it holds; `valid` holds relations that every evaluation checks.

The author states each line of a derivation. What can be seen at once is refused at once (a float, another
dimension, a step without a reason); whether a line is true is judged when its verdict is first asked for:
by `verify`, by the page that shows it. Assumptions are steps of their own, and a formula put in for its
letter passes on what it is.
"""

import functools
import itertools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import sympy

from mathcore import evaluation, judge, solving, units
from mathcore.entities import Entity
from mathcore.errors import (
    ArgumentError,
    DeclarationError,
    MathcoreError,
    OutOfRegime,
    Refuted,
    StepError,
    suggestion,
    where,
)
from mathcore.judge import Verdict
from mathcore.printing import latex, line
from mathcore.symbols import Variable, coherent, put_in, require_comparable, require_same

RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
SIGNS = {"=": "=", "≈": r"\approx"}


KINDS = ("definition", "model", "derived")
_factors = {}  # (unit of a value, unit of a variable) → factor: pint's own way takes 20 times longer


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Entity):
    """State `lhs = rhs`; both sides must have one dimension, and letters are Variables.

    `valid` are relations without which there is no value: outside, `at` refuses. `regime` are relations
    within which the model may be trusted, each with what happens outside, `(C <= M / 8, "…")`: outside,
    `at` answers with a warning. `convention` names the choice of words or of accounting that the formula
    makes, `shown` is the right side as the author wants it printed, `relation` is ≈ where a derivation
    approximates.

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
    regime: tuple = ()
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
        if self.kind == "derived" and self.derivation is None:
            raise DeclarationError(f"{self.lhs} is called derived: derive it, or call it a model", self.where)
        require_same(self.lhs, self.rhs, lambda: f"{self.lhs} = {self.rhs}", self.where)
        for relation in (*self.valid, *(relation for relation, _ in self.regime)):
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
        conditions = (*self.valid, *(relation for relation, _ in self.regime))
        letters = self.rhs.free_symbols.union(*(c.free_symbols for c in conditions))
        return tuple(sorted(letters, key=lambda v: (v.name.lower(), v.name)))

    @functools.cached_property
    def numeric(self):
        """Return the expression that relates numbers in declared units."""
        return coherent(self.rhs, self.lhs, self.inputs)

    @functools.cached_property
    def checks(self):
        """Return the relations of `valid` between numbers in declared units."""
        return tuple(coherent(c, None, self.inputs) for c in self.valid)

    @functools.cached_property
    def limits(self):
        """Return the relations of `regime` between numbers in declared units, each with its words."""
        return tuple((coherent(c, None, self.inputs), said) for c, said in self.regime)

    @functools.cached_property
    def compiled(self):
        """Return the function of floats or arrays in declared units, arguments in `inputs` order.

        Raises (when called): ArgumentError that names the argument, what it got and what it wants.
        """
        return evaluation.scalar(self)

    def _told(self):
        return f": {self.lhs} {self.relation} {self.rhs!s:.80}"

    @property
    def title(self):
        """Return the name under which the formula is a function."""
        return self.name or self.lhs.name

    @property
    def conditions(self):
        """Return the conditions of validity as texts: in words first, then the checked relations."""
        checked = [*self.valid, *(relation for relation, _ in self.regime)]
        return (*self.when, *(self.condition_text(relation) for relation in checked))

    def condition_text(self, relation):
        """Return a relation between letters as text; a remainder of zero in words."""
        names = {v.name: v.name for v in self.inputs}
        left, right = (line(side).format(**names) for side in (relation.lhs, relation.rhs))
        if isinstance(relation.lhs, sympy.Mod) and relation.rhs == 0:
            whole, part = (line(side).format(**names) for side in relation.lhs.args)
            return f"{whole} is a whole number" if part == "1" else f"{whole} is a multiple of {part}"
        return f"{left} {RELATIONS.get(relation.rel_op, relation.rel_op)} {right}"

    def at(self, values=None, /, **named):
        """Return the value as a quantity in the declared unit of the left side.

        Arguments go by name: a text with its unit, a quantity, an entity with a value, or an array
        quantity. A mapping from Variables may come first. Outside the regime of the model the value comes
        with an OutOfRegime warning.

        Raises: ArgumentError for an unknown or missing name, a bare number, a wrong dimension,
        NaN, infinity, a value out of range, arrays of different length.
        """
        found, cautions = self.evaluate(values, **named)
        for caution in cautions:
            warnings.warn(OutOfRegime(f"{self.address or self.title}: {caution}"), stacklevel=2)
        return found

    def evaluate(self, values=None, /, **named):
        """Return the value as `at` does, and what is to be said of the regime, as a list of texts."""
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
        found = units.Quantity(self.compiled(*numbers), self._unit)
        return found, evaluation.cautions(self, numbers) if self.regime else []

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
        name = str(name)
        root = solving.root(self, name)
        letter = next(v for v in self.inputs if v.name == name)
        conditions = [condition.subs(letter, root) for condition in self.valid]
        regime = [(condition.subs(letter, root), said) for condition, said in self.regime]
        return (
            Derivation.start(self)
            .solve_for(letter, root, f"solved for {name}")
            .formula(
                when=self.when,
                valid=tuple(c for c in conditions if c != True),  # noqa: E712  sympy's own true
                regime=tuple((c, said) for c, said in regime if c != True),  # noqa: E712
                convention=self.convention,
                relation=self.relation,
            )
        )

    @functools.cached_property
    def standing(self):
        """Return the name of the verdict that the formula passes on where it is put in.

        A derived one passes on the weakest of its lines; an assumption from which it starts does not count.
        """
        if self.basis != "judged":
            return "assumed"
        return judge.weakest([step.verdict.name for step in self._lines])

    @property
    def _lines(self):
        """Return the lines of the derivation that count: not the assumption from which it starts."""
        first, *rest = self.derivation.steps
        return [first, *rest] if first.basis == "judged" else rest

    @functools.cached_property
    def basis(self):
        """Return what the formula brings where it is put in, told without judging: judged, model, definition."""
        if self.kind != "derived":
            return self.kind
        return _weakest_basis(line.basis for line in self._lines)

    def latex(self):
        """Return the equation as LaTeX.

        >>> x = Variable("x", "", "share")
        >>> Formula(x, sympy.Rational(1, 2)).latex()
        'x = \\\\frac{1}{2}'
        """
        return (
            f"{self.lhs.tex} {SIGNS[self.relation]} {latex(self.rhs if self.shown is None else self.shown)}"
        )

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


# What helps where a device is too many or too few: its power in the value, and in what is wanted.
DEVICES = {
    (0, 1): "hours per device are device-hours: write `{0} gpu {1}`",
    (1, 0): "this is a time per device; divide it by the number of devices first",
    (0, -1): "this is of one device: write `{0} {1}/gpu`",
    (-1, 0): "this formula speaks of one device alone: leave the `/gpu` out",
}


def _cure(value, wanted):
    extra = dict(value.dimensionality / wanted.dimensionality)
    devices = value.dimensionality.get("[device]", 0), wanted.dimensionality.get("[device]", 0)
    number = f"{value.magnitude:g}" if isinstance(value.magnitude, (int, float)) else "…"
    if wanted.dimensionless and extra == {"[device]": 1}:
        return f"this is a count of ranks, which is a plain number: write `{number}`"
    if extra in ({"[device]": 1}, {"[device]": -1}) and devices in DEVICES:
        return DEVICES[devices].format(number, units.unit_text(f"{value.units}"))
    return "check which quantity belongs here"


@dataclass(frozen=True)
class Step:
    """One line `left relation right`, its reason, and how it is known.

    `judge` gives the verdict when it is first asked for. `basis` tells without judging what the line rests
    on: it is *judged*, or a *definition* or a *model* stands behind it. `sources` are the Formulas that
    were put in.
    """

    left: sympy.Expr
    relation: str
    right: sympy.Expr
    why: str
    judge: Callable = field(repr=False)
    basis: str
    where: str
    shown: sympy.Expr | None = None
    tail: str = ""
    sources: tuple = ()

    @functools.cached_property
    def verdict(self):
        """Return the Verdict of the line.

        Raises: Refuted with a counterexample; StepError where nothing can be said.
        """
        found = self.judge(self)
        if self.shown is not None and self.shown != self.right:
            judge.equal(self.right, sympy.sympify(self.shown), place=self.where)
        return found

    def latex(self):
        """Return the line as LaTeX."""
        right = self.right if self.shown is None else self.shown
        return f"{latex(self.left)} {SIGNS[self.relation]} {latex(right)}{self.tail}"


def _assumed(detail):
    return lambda step: Verdict("assumed", detail)


def _passed_on(step):
    """Return the verdict of a line into which formulas were put: of the one that claims least."""
    names = [formula.standing for formula in step.sources]
    told = ", ".join(dict.fromkeys(_named(formula) for formula in step.sources))
    return Verdict(judge.weakest(names), f"put in: {told}")


def _basis(formulas):
    """Return what a line rests on into which formulas are put."""
    return _weakest_basis(formula.basis for formula in formulas)


def _weakest_basis(bases):
    found = set(bases)
    return next((basis for basis in ("model", "definition") if basis in found), "judged")


def _named(formula):
    kind = "derived" if formula.kind == "derived" else f"{formula.kind},"
    return f"{formula.lhs.name} ({kind} {formula.address or formula.where})"


@dataclass(frozen=True, eq=False, repr=False)
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
        """Start from `left = right`, which is assumed, or from a Formula, which passes on what it is.

        Raises: DimensionError if the sides differ in dimension.
        """
        if not isinstance(left, Formula):
            return cls()._grown(
                left, right, why, _assumed(kind), "definition" if kind == "definition" else "model"
            )
        why = why or (
            "derived before" if left.kind == "derived" else "; ".join(left.when) or f"the {left.kind}"
        )
        return cls()._grown(left.lhs, left.rhs, why, _passed_on, _basis([left]), sources=(left,))

    @classmethod
    def balance(cls, left, right, why, kind="the case studied"):
        """Start from two expressions that are equal in the case studied."""
        return cls().start(left, right, why, kind=kind)

    @classmethod
    def minimise(cls, formula, over, why):
        """Start from the formula to be made smallest `over` one of its variables."""
        return replace(cls.start(formula, why=why), goal=(formula, over))

    @property
    def last(self):
        """Return the last step."""
        return self.steps[-1]

    def _grown(self, left, right, why, verdict, basis="model", relation="=", **stated):
        """Grow by a line; its form is checked now, its truth when the verdict is asked for."""
        place = where()
        left, right = sympy.sympify(left), sympy.sympify(right)
        if not why.strip():
            raise StepError(f"the step to `{right}` has no reason: say why it holds", place)
        require_same(left, right, lambda: f"{left} {relation} {right}", place)
        step = Step(left, relation, right, why, verdict, basis, place, **stated)
        return replace(self, steps=(*self.steps, step))

    def _claimed(self, right, why, verdict, left=None, **stated):
        """Grow by a claim that `verdict`, a function of right side and place, judges."""
        left = self.last.left if left is None else left
        return self._grown(left, right, why, lambda s: verdict(s.right, s.where), "judged", **stated)

    def to(self, right, why, shown=None):
        """Write the last right side in another form.

        Raises: StepError if the claim changes nothing.
        """
        old = self.last.right
        if shown is None and sympy.sympify(right) == old:
            raise StepError(
                f"the step to `{right}` changes nothing: leave it out, or give it `shown=`", where()
            )
        return self._claimed(right, why, lambda new, place: judge.equal(old, new, place=place), shown=shown)

    def use(self, known, why, replacing=None, because=None, shown=None):
        """Put a Formula in for its letter, or for another of its letters, `replacing`, or expressions.

        A Formula passes on what it is: a model stays an assumption. With `replacing`, it is solved for that
        letter and the form is judged. `{letter: expression}` is assumed, chosen by the author, unless
        `because` names a Formula that says so, which is judged; a Formula as a value passes on what it is.
        Where the left side is no letter of its own, as in a balance, it is put in there too.

        Raises: StepError if a letter does not occur, or if `because` does not speak of it.
        """
        if replacing is not None:
            known, because = {replacing: solving.root(known, replacing.name)}, known
        pairs = {known.lhs: known} if isinstance(known, Formula) else known
        values = {v: e.rhs if isinstance(e, Formula) else sympy.sympify(e) for v, e in pairs.items()}
        left, right = self.last.left, self.last.right
        missing = [v for v in values if v not in left.free_symbols | right.free_symbols]
        if missing:
            raise StepError(
                f"`{missing[0]}` does not occur in `{right}`, so there is nothing to put in", where()
            )
        left = left if isinstance(left, sympy.Derivative) else put_in(left, values)
        new = put_in(right, values)
        if because is not None:
            return self._another_form(because, values, left, new, why, shown)
        sources = tuple(e for e in pairs.values() if isinstance(e, Formula))
        chosen = len(sources) < len(pairs)
        verdict = _assumed("chosen by the author") if chosen else _passed_on
        basis = "model" if chosen else _basis(sources)
        return self._grown(left, new, why, verdict, basis, shown=shown, sources=sources)

    def _another_form(self, formula, values, left, right, why, shown):
        """Grow by a line into which another form of a formula is put, which is judged."""
        if len(values) != 1 or not set(values) <= formula.rhs.free_symbols:
            raise StepError(
                f"{_named(formula)} is to say what is put in for {', '.join(map(str, values))}: "
                f"give one letter of `{formula.rhs}`, or put the formula in for its own letter",
                where(),
            )
        basis = "model" if formula.kind == "model" else "judged"
        return self._grown(
            left,
            right,
            why,
            lambda s: _says(formula, values, s.where),
            basis,
            shown=shown,
            sources=(formula,),
        )

    def assume(self, right, why):
        """Replace the right side by what the model takes it to be."""
        return self._grown(self.last.left, right, why, _assumed("model"), relation="≈")

    def approximate(self, right, why, within, where_):
        """Replace the right side by an approximation with a declared bound on the relative error.

        `within` is the bound, `where_` maps variables to the `(low, high)` of the region.
        """
        old, within = self.last.right, sympy.Rational(within)
        box = {v: tuple(_bound(v, b) for b in pair) for v, pair in where_.items()}

        def verdict(new, place):
            worst, at = judge.worst_ratio(old, new, box, place=place)
            if float(worst) > float(within) * (1 + 1e-9):  # a bound may be met exactly
                raise Refuted(f"{new} is off by {float(worst):.3g}, more than {within}, at {at}", place)
            told = f"at most {float(within):.3g} off; worst sampled {float(worst):.2g}"
            return Verdict("approximate", told)

        return self._claimed(right, why, verdict, relation="≈")

    def solve_for(self, letter, right, why, named=None, shown=None):
        """Solve the last line for `letter`; the claimed root is put back into both sides.

        `named` is the letter of the root, where the case studied has one of its own.
        """
        a, b = self.last.left, self.last.right

        def verdict(root, place):
            found = _root(a.subs(letter, root), b.subs(letter, root), root, place)
            return replace(found, detail=f"put back into both sides; {found.detail}")

        return self._claimed(right, why, verdict, letter if named is None else named, shown=shown)

    def slope(self, right, why):
        """State the derivative of the goal of `minimise`."""
        formula, over = self._goal("slope")
        left = sympy.Derivative(formula.lhs, over)
        return self._claimed(
            right, why, lambda new, place: judge.equal(formula.rhs.diff(over), new, place=place), left
        )

    def root(self, right, why, named=None, shown=None):
        """State where the slope is zero; `named` is the letter of the optimum."""
        formula, over = self._goal("root")

        def verdict(new, place):
            found = _zero(formula.rhs.diff(over), over, new, place)
            return replace(found, detail=f"the slope vanishes there; {found.detail}")

        return self._claimed(right, why, verdict, over if named is None else named, shown=shown)

    def curvature(self, right, why):
        """State the second derivative, which must be positive over the admissible range."""
        formula, over = self._goal("curvature")

        def verdict(new, place):
            same = judge.equal(formula.rhs.diff(over, 2), new, place=place)
            sign = judge.positive(new, place=place)
            return sign if same.name == "proved" else same

        return self._claimed(right, why, verdict, sympy.Derivative(formula.lhs, (over, 2)), tail=" > 0")

    def series(self, equation, right, why, small, order, left=None):
        """State the root of `equation(x) = 0`, the last line, as a polynomial in `small` up to `order`."""
        root, line = self.last.left if left is None else left, self.last.left - self.last.right

        def verdict(new, place):
            judge.equal(line, equation(root), place=place)
            residue = sympy.series(equation(new), small, 0, order).removeO()
            if sympy.expand(residue) != 0:
                raise Refuted(f"`{new}` fails at {sympy.expand(residue)}, below {small}**{order}", place)
            return Verdict("proved", f"sympy: the equation holds below {small}^{order}")

        return self._claimed(right, why, verdict, left, relation="≈")

    def _goal(self, name):
        if not self.goal:
            raise DeclarationError(
                f".{name}(…) belongs to a derivation begun with Derivation.minimise", where()
            )
        return self.goal

    def complaints(self):
        """Yield what is wrong with the steps, each as `file:line: what`."""
        for step in self.steps:
            try:
                step.verdict  # noqa: B018  asking is judging
            except MathcoreError as error:
                yield str(error)

    def formula(self, **stated):
        """Return the last line that gives a letter, as a Formula with this derivation.

        Keywords are those of Formula, such as `when=` and `valid=`. It is *derived* if some line was
        judged; a chain that only puts together what was assumed is what it was made of.
        """
        if self.goal and not any(step.tail for step in self.steps):
            raise DeclarationError("a flat point may be a maximum: add .curvature(…)", where())
        bases = {step.basis for step in self.steps}
        kind = next((kind for kind in ("judged", "model") if kind in bases), "definition")
        if stated.get("kind") == "derived" != kind.replace("judged", "derived"):
            raise DeclarationError("called derived, but no line was judged: leave `kind=` out", where())
        for step in reversed(self.steps):
            if isinstance(step.left, Variable) and step.relation in SIGNS:
                own = {
                    "kind": kind.replace("judged", "derived"),
                    "shown": step.shown,
                    "relation": step.relation,
                }
                return Formula(step.left, step.right, derivation=self, **{**own, **stated})
        raise DeclarationError("no line of the derivation gives a letter", where())


def _bound(variable, value):
    return units.quantity(value).m_as(units.unit(variable.unit))


def _says(formula, values, place):
    """Return the verdict that a formula holds once a value is put in for a letter.

    What is judged is the form; that a model holds stays an assumption, in whatever form.
    """
    found = judge.equal(*(put_in(side, values) for side in (formula.lhs, formula.rhs)), place=place)
    name = {"definition": found.name, "model": "assumed"}.get(formula.kind)
    name = name or judge.weakest([found.name, formula.standing])
    return Verdict(name, f"another form of {_named(formula)}; {found.detail}")


def _zero(slope, over, root, place):
    """Return the verdict that `slope` vanishes at `over = root`, judged as an equation of its parts."""
    total = sympy.expand(slope)
    gains = [t for t in sympy.Add.make_args(total) if not t.could_extract_minus_sign()]
    gain = sympy.Add(*gains)
    return _root(gain.subs(over, root), (gain - total).subs(over, root), root, place)


def _root(left, right, root, place):
    try:
        return judge.equal(left, right, place=place)
    except Refuted as error:
        raise Refuted(f"`{root}` is no root; put in, {error.message}", place) from None
