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
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from mathcore import evaluation, judge, solving, units
from mathcore.entities import Entity, compared
from mathcore.errors import ArgumentError, DeclarationError, MathcoreError, OutOfRegime, Refuted, StepError, author_line
from mathcore.judge import Verdict
from mathcore.library import book
from mathcore.printing import code, latex, line
from mathcore.symbols import Variable, coherent, put_in, require_comparable, require_same
from mathcore.units import Quantity, QuantityLike

RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
SIGNS = {"=": "=", "≈": r"\approx"}
TELLING = 4  # operations from which on two equal right sides are one statement: any chapter may divide S by b
KINDS = ("definition", "model", "derived")
_stated: dict[Any, set] = {}  # right side → weak references to the formulas that have it, as long as there are some
_factors: dict[tuple, Any] = {}  # (unit of a value, unit of a variable) → factor: pint takes 20 times longer


def _remember(formula: "Formula") -> None:
    """Keep a formula under its right side until it is gone; with the last one goes the right side."""
    right = formula.rhs

    def gone(reference: weakref.ref) -> None:
        others = _stated.get(right, set())
        others.discard(reference)
        if not others:
            _stated.pop(right, None)

    _stated.setdefault(right, set()).add(weakref.ref(formula, gone))


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Entity):
    """An equation `lhs = rhs` between Variables; both sides must have one dimension.

    `valid` are relations without which there is no value: outside, `at` refuses. `regime` are relations
    within which the model may be trusted, each with what happens outside, `(C <= M / 8, "…")`: outside,
    `at` answers with a warning. `lifts` says what the formulas put in assume and this one does not, `convention`
    the choice of words or of accounting, `shown` is the right side as the author wants it printed, `relation` is
    ≈ where a derivation approximates.

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
    rhs: Any  # an expression of sympy
    kind: str = "model"
    when: str | tuple[str, ...] = ()
    valid: tuple = ()
    regime: tuple = ()
    convention: str = ""
    shown: Any = None
    derivation: "Derivation | None" = None
    relation: str = "="
    lifts: str | tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rhs", sympy.sympify(self.rhs))
        object.__setattr__(self, "shown", self.rhs if self.shown is None else self.shown)
        _remember(self)
        for name in ("when", "lifts"):
            text = getattr(self, name)
            object.__setattr__(self, name, (text,) if isinstance(text, str) and text else text)
        self._check_form()
        require_same(self.lhs, self.rhs, lambda: f"{self.lhs} = {self.rhs}")
        if self.lhs in self.rhs.free_symbols and judge.depends(self.rhs, self.lhs):
            told = f"{self.lhs} = {self.rhs} defines {self.lhs} by itself"
            raise self._wrong(told, code="circular", got=self.lhs, hint=f"solve it for {self.lhs}")
        self._check_conditions()
        for first, second in itertools.pairwise(self.inputs):  # sorted by name
            if first.name == second.name:
                told = f"{self.lhs} = {self.rhs} has two variables {first.name}: {first.meaning}, and {second.meaning}"
                raise self._wrong(told, code="duplicate", got=first.name, hint="rename one of them")

    def _check_form(self) -> None:
        if self.kind not in KINDS:
            told, known = f"kind `{self.kind}` of {self.lhs} is unknown", ", ".join(KINDS)
            hint = f"choose one of {known}"
            raise self._wrong(told, code="not-a-choice", got=self.kind, expected=known, hint=hint)
        if not isinstance(self.lhs, Variable):
            told = f"the left side `{self.lhs}` must be a Variable"
            raise self._wrong(told, code="wrong-type", got=self.lhs, expected="a Variable")
        if self.kind == "derived" and self.derivation is None:
            told = f"{self.lhs} is called derived, but has no derivation"
            raise self._wrong(told, code="inconsistent", got="derived", hint="derive it, or call it a model")

    def _check_conditions(self) -> None:
        try:
            for relation in self._relations:
                require_comparable(relation)
        except TypeError:  # no tuple, or no pair
            form = '`valid=(C < M,)` and `regime=((C < M / 8, "what happens outside"),)`'
            told = f"the conditions of {self.lhs} stand in no tuple"
            raise self._wrong(told, code="wrong-type", expected=form, hint=f"write {form}") from None

    @property
    def _relations(self) -> tuple:
        return (*self.valid, *(relation for relation, _ in self.regime))

    @functools.cached_property
    def inputs(self) -> tuple[Variable, ...]:
        """Return the variables of the right side, in the order of the compiled function."""
        letters = self.rhs.free_symbols.union(*(c.free_symbols for c in self._relations))
        return tuple(sorted(letters, key=lambda v: (v.name.lower(), v.name)))

    @functools.cached_property
    def numeric(self) -> sympy.Expr:
        """Return the expression that relates numbers in declared units."""
        return coherent(self.rhs, self.lhs, self.inputs)

    @functools.cached_property
    def checks(self) -> tuple:
        """Return the relations of `valid` between numbers in declared units."""
        return tuple(coherent(c, None, self.inputs) for c in self.valid)

    @functools.cached_property
    def limits(self) -> tuple:
        """Return the relations of `regime` between numbers in declared units."""
        return tuple(coherent(relation, None, self.inputs) for relation, _ in self.regime)

    @functools.cached_property
    def compiled(self) -> Callable:
        """Return the function of floats or arrays in declared units, arguments in `inputs` order.

        Raises (when called): ArgumentError that names the argument, what it got and what it wants; for
        another number of arguments TypeError, as any function does.
        """
        return evaluation.scalar(self)

    def _told(self) -> str:
        return f": {self.lhs} {self.relation} {self.rhs!s:.80}"

    @property
    def title(self) -> str:
        """Return the name under which the formula is a function."""
        return self.name or self.lhs.name

    @property
    def label(self) -> str:
        """Return how errors speak of the formula: by its address, or by its letter."""
        return self.address or f"the formula for {self.lhs.name}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the conditions of validity as texts: in words first, own and inherited, then the checked relations."""
        return (*self.when, *self.inherited, *map(self.condition_text, self._relations))

    @property
    def sources(self) -> "tuple[Formula, ...]":
        """Return the formulas that were put in on the way."""
        steps = self.derivation.steps if self.derivation is not None else ()
        return tuple(dict.fromkeys(source for step in steps for source in step.sources))

    @functools.cached_property
    def inherited(self) -> "dict[str, Formula]":
        """Return what the formulas put in assume in words, however long the chain, each text with its formula."""
        found: dict[str, Formula] = {}
        for source in self.sources:
            found = dict.fromkeys(source.when, source) | source.inherited | found
        return {text: home for text, home in found.items() if text not in (*self.when, *self.lifts)}

    def condition_text(self, relation: Any, called: Callable[[Variable], str] = lambda v: v.name) -> str:
        """Return a relation as text, a remainder of zero in words; letters are `called` as the caller likes."""

        def text(side: Any) -> str:
            return line(side).format(**{v.name: called(v) for v in self.inputs})

        if isinstance(relation.lhs, sympy.Mod) and relation.rhs == 0:
            whole, part = map(text, relation.lhs.args)
            return f"{whole} is a whole number" if part == "1" else f"{whole} is a multiple of {part}"
        return f"{text(relation.lhs)} {RELATIONS.get(relation.rel_op, relation.rel_op)} {text(relation.rhs)}"

    def at(self, /, *values: Mapping[Any, QuantityLike], **named: QuantityLike) -> Quantity:
        """Return the value as a quantity in the unit in which pages show the left side.

        Arguments go by the names of the inputs or by their aliases: a text with its unit, a quantity, a statement
        with a value, an array quantity or a list. A count of devices or tokens may be a bare integer. A mapping from
        Variables may come first. Outside the regime of the model the value comes with an OutOfRegime warning.

        Raises: ArgumentError for an unknown or missing name, a bare number, a wrong dimension,
        NaN, infinity, a value out of range, arrays of different length.
        """
        found, cautions = self.evaluate(*values, **named)
        for caution in cautions:
            warnings.warn(OutOfRegime(f"{self.address or self.title}: {caution}"), stacklevel=2)
        return found if self.lhs.shown == self.lhs.unit else found.to(units.unit(self.lhs.shown))

    def evaluate(self, /, *values: Mapping[Any, QuantityLike], **named: QuantityLike) -> tuple[Quantity, list[str]]:
        """Return the value in the declared unit of the left side, and texts on what lies outside the regime."""
        if values:
            named = {**self._given_first(values), **named}
        if named.keys() != {v.name for v in self.inputs}:
            named = self._by_symbol(named)
        numbers = [_number(v, named[v.name], self) for v in self.inputs]
        found = units.Quantity(self.compiled(*numbers), units.unit(self.lhs.unit))
        return found, evaluation.cautions(self, numbers) if self.regime else []

    def _given_first(self, values: Sequence) -> dict[str, Any]:
        """Return by name what was given without a keyword, which must be one mapping."""
        if len(values) == 1 and isinstance(values[0], Mapping):
            return {str(getattr(v, "name", v)): x for v, x in values[0].items()}
        told = f"{self.label} got {', '.join(map(repr, values))} without a name"
        form = ", ".join(f"{v.name}={x!r}" for v, x in zip(self.inputs, values, strict=False))
        raise ArgumentError(told, code="positional-argument", got=repr(values), expected=form, hint=f"write {form}")

    @functools.cached_property
    def arguments(self) -> dict[str, Variable]:
        """Return the inputs by each name under which `at` takes them: their own, and an alias that one of them has."""
        counts = Counter(v.alias for v in self.inputs if v.alias)
        aliases = {str(v.alias): v for v in self.inputs if counts[v.alias] == 1}
        return aliases | {str(v.name): v for v in self.inputs}

    def _by_symbol(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is given under names and aliases by the names alone; refuse what is too much or too little."""
        found: dict[str, Any] = {}
        for name, value in named.items():
            symbol = evaluation.letter(self, name)
            if symbol.name in found:
                told = f"{self.label} got {symbol.name} twice, as `{symbol.name}` and as `{symbol.alias}`"
                raise ArgumentError(told, code="repeated-argument", got=name, hint="give it once")
            found[symbol.name] = value
        if len(found) < len(self.inputs):
            self._refuse_missing(found)
        return found

    def _refuse_missing(self, named: Mapping) -> None:
        missing = ", ".join(f"{v.name} ({v.meaning})" for v in self.inputs if v.name not in named)
        raise ArgumentError(f"{self.label} also needs {missing}", code="missing-argument", expected=missing)

    def solve_for(self, name: str | Variable) -> "Formula":
        """Return the formula for one of the inputs, checked by putting it back.

        Raises: ArgumentError for an unknown name; DeclarationError if there is no root, or no single one.
        """
        letter = evaluation.letter(self, str(name))
        root = solving.root(self, letter)
        chain = Derivation.start(self).solve_for(letter, root, f"solved for {name}")
        return chain.formula(**self._beside({letter: root}))

    def _beside(self, values: Mapping) -> dict[str, Any]:
        """Return what is stated beside the equation, with values put in; what always holds then is left out."""
        put = ((relation.subs(values, simultaneous=True), said) for relation, said in self.regime)
        regime = tuple(pair for pair in put if pair[0] is not sympy.true)
        valid = tuple(r for c in self.valid if (r := c.subs(values, simultaneous=True)) is not sympy.true)
        return dict(valid=valid, regime=regime, convention=self.convention, relation=self.relation)

    def renamed(self, letters: Mapping[Variable, Variable]) -> "Formula":
        """Return the formula in other letters; where it is put in, it passes on what it is.

        Raises: StepError for a value that is no letter: that would be a choice, or another formula.
        """
        for letter, other in letters.items():
            if letter not in self.inputs or not isinstance(other, Variable):
                told, hint = f"{self.label} cannot have `{other}` for `{letter}`", "rename its variables, nothing else"
                raise StepError(told, code="wrong-type", got=other, expected="a Variable", hint=hint)
        right = self.rhs.subs(letters, simultaneous=True)
        chain = Derivation()._grown(self.lhs, right, "in other letters", _passed_on, self.basis, sources=(self,))
        return chain.formula(**self._beside(letters))

    @functools.cached_property
    def standing(self) -> str:
        """Return the name of the verdict that the formula passes on where it is put in: of its weakest line."""
        if self.basis != "judged":
            return "assumed"
        return judge.weakest([step.verdict.name for step in self._lines])

    @functools.cached_property
    def basis(self) -> str:
        """Return what the formula brings where it is put in, told without judging: judged, model, definition."""
        return _weakest(line.basis for line in self._lines) if self.kind == "derived" else self.kind

    @property
    def _lines(self) -> "tuple[Step, ...]":
        """Return the lines of the derivation that count: not the assumption from which it starts."""
        steps = self.derivation.steps if self.derivation is not None else ()
        return steps if steps and steps[0].basis == "judged" else steps[1:]

    @property
    def measured(self) -> tuple[Any, ...]:
        """Return the Comparisons that hold the formula against measured systems, by module in the author's order."""
        for module in book.measuring(book.split(self.address)[0]):
            book.module(module)
        found = (c for c in compared.get(self, ()) if c.address or not self.address)
        return tuple(sorted(found, key=lambda each: each.address.rpartition(".")[0]))  # whichever was loaded first

    def latex(self) -> str:
        """Return the equation as LaTeX.

        >>> x = Variable("x", "", "share")
        >>> Formula(x, sympy.Rational(1, 2)).latex()
        'x = \\\\frac{1}{2}'
        """
        return f"{self.lhs.tex} {SIGNS[self.relation]} {latex(self.shown)}"

    def python(self) -> str:
        """Return a Python function that stands on its own."""
        return evaluation.python_text(self)

    def javascript(self) -> str:
        """Return the JavaScript function, in declared units."""
        names = ", ".join(v.name for v in self.inputs)
        return f"function {self.title}({names}) {{ return {code(self.numeric, 'javascript')}; }}"


def _number(variable: Variable, value: Any, formula: Formula) -> Any:
    """Return the value of an argument as a float or array in the declared unit."""
    if type(value) is not units.Quantity:
        value = units.quantity(value, f"{variable.name} ({variable.meaning})")
    if not value._units and variable.dimension in units.COUNTS:
        return _count(variable, value._magnitude, formula)
    key = (value._units, variable.unit)  # the container itself: its hash is cached
    factor = _factors.get(key)
    if factor is None:
        wanted = units.Quantity(1, units.unit(variable.shown))
        units.matching(value, wanted, f"{variable.name} ({variable.meaning}) of {formula.label}")
        factor = _factors[key] = units.ratio(units.name_of(value), variable.unit)
    return value._magnitude * factor if factor != 1 else value._magnitude


def _count(variable: Variable, magnitude: Any, formula: Formula) -> Any:
    """Return a bare number as how many there are of what a variable counts, such as 2048 devices.

    Raises: ArgumentError for one that is no integer.
    """
    whole = magnitude % 1 == 0
    if whole.all() if hasattr(whole, "all") else whole:
        return magnitude / units.factor(variable.unit)
    told = f"{variable.name} ({variable.meaning}) of {formula.label} is {magnitude}, which is no count"
    want, hint = "an integer", f"write an integer, or the unit too: `{magnitude} {variable.unit}`"
    raise ArgumentError(told, code="not-integer", got=magnitude, expected=want, hint=hint)


@dataclass(frozen=True)
class Step:
    """One line `left relation right`, its reason, and how it is known.

    `judge` gives the verdict when it is first asked for. `basis` tells without judging what the line rests
    on: it is *judged*, or a *definition* or a *model* stands behind it. `sources` are the Formulas that
    were put in.
    """

    left: Any
    right: Any
    why: str
    judge: Callable = field(repr=False)
    basis: str
    where: str
    shown: Any
    relation: str = "="
    tail: str = ""
    sources: tuple[Formula, ...] = ()

    @functools.cached_property
    def verdict(self) -> Verdict:
        """Return the Verdict of the line.

        Raises: Refuted with a counterexample; StepError where nothing can be said.
        """
        found = self.judge(self)
        if self.shown != self.right:
            judge.equal(self.right, self.shown, place=self.where)
        return found

    def latex(self) -> str:
        """Return the line as LaTeX."""
        return f"{latex(self.left)} {SIGNS[self.relation]} {latex(self.shown)}{self.tail}"


def _assumed(detail: str) -> Callable:
    return lambda step: Verdict("assumed", detail)


def _passed_on(step: Step) -> Verdict:
    """Return the verdict of a line into which formulas were put: of the one that claims least."""
    told = ", ".join(dict.fromkeys(map(_named, step.sources)))
    return Verdict(judge.weakest([formula.standing for formula in step.sources]), f"put in: {told}")


def _weakest(bases: Iterable[str]) -> str:
    """Return what a line rests on that rests on all these: on what claims least."""
    return max(bases, key=("judged", "definition", "model").index, default="judged")


def _named(formula: Formula) -> str:
    if not formula.address and formula.sources and formula.derivation and len(formula.derivation.steps) == 1:
        return _named(formula.sources[0])  # the same in other letters
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

    steps: tuple[Step, ...] = ()
    goal: tuple = ()

    @classmethod
    def start(cls, left: Any, right: Any = None, why: str = "", kind: str = "definition") -> "Derivation":
        """Start from `left = right`, which is assumed, or from a Formula, which passes on what it is.

        With a Formula as its right side, `left` is the letter that the value has here. What is written out
        and is the right side of a Formula is no assumption of its own: `complaints` name that one.

        Raises: DimensionError if the sides differ in dimension.
        """
        formula = left if isinstance(left, Formula) else right
        if not isinstance(formula, Formula):
            return cls()._grown(left, right, why, _assumed(kind), "definition" if kind == "definition" else "model")
        told = "derived before" if formula.kind == "derived" else "; ".join(formula.when) or f"the {formula.kind}"
        left = formula.lhs if left is formula else left
        return cls()._grown(left, formula.rhs, why or told, _passed_on, formula.basis, sources=(formula,))

    @classmethod
    def balance(cls, left: Any, right: Any, why: str, kind: str = "the case studied") -> "Derivation":
        """Start from two expressions that are equal in the case studied."""
        return cls.start(left, right, why, kind=kind)

    @classmethod
    def minimise(cls, formula: Formula, over: Variable, why: str) -> "Derivation":
        """Start from the formula to be made smallest `over` one of its variables."""
        return replace(cls.start(formula, why=why), goal=(formula, over))

    @property
    def last(self) -> Step:
        """Return the last step."""
        return self.steps[-1]

    def _grown(
        self, left: Any, right: Any, why: str, verdict: Callable, basis: str = "model", shown: Any = None, **stated: Any
    ) -> "Derivation":
        """Grow by a line; its form is checked now, its truth when the verdict is asked for."""
        place = author_line()
        left, right, shown = map(sympy.sympify, (left, right, right if shown is None else shown))
        if not why.strip():
            told = f"the step to `{right}` has no reason"
            raise StepError(told, place, code="no-reason", expected="why", hint="say why it holds")
        require_same(left, right, lambda: f"{left} {stated.get('relation', '=')} {right}")
        step = Step(left, right, why, verdict, basis, place, shown, **stated)
        return replace(self, steps=(*self.steps, step))

    def _claimed(self, right: Any, why: str, verdict: Callable, left: Any = None, **stated: Any) -> "Derivation":
        """Grow by a claim that `verdict`, a function of right side and place, judges."""
        left = self.last.left if left is None else left
        return self._grown(left, right, why, lambda s: verdict(s.right, s.where), "judged", **stated)

    def to(self, right: Any, why: str, shown: Any = None) -> "Derivation":
        """Write the last right side in another form.

        Raises: StepError if the claim changes nothing.
        """
        old = self.last.right
        if shown is None and sympy.sympify(right) == old:
            told, hint = f"the step to `{right}` changes nothing", "leave it out, or give it `shown=`"
            raise StepError(told, code="no-change", got=right, hint=hint)
        return self._claimed(right, why, lambda new, place: judge.equal(old, new, place=place), shown=shown)

    def use(
        self,
        known: Formula | Mapping,
        why: str,
        replacing: Variable | None = None,
        because: Formula | None = None,
        shown: Any = None,
    ) -> "Derivation":
        """Put a Formula in for its letter, or for another of its letters, `replacing`, or expressions.

        A Formula passes on what it is: a model stays an assumption. With `replacing`, it is solved for that
        letter and the form is judged. `{letter: expression}` is assumed, chosen by the author, unless
        `because` names a Formula that says so, which is judged; a Formula as a value passes on what it is.
        Where the left side is no letter of its own, as in a balance, it is put in there too.

        Raises: StepError if a letter does not occur, or if `because` does not speak of it.
        """
        pairs = {known.lhs: known} if isinstance(known, Formula) else known
        if replacing is not None and isinstance(known, Formula):
            pairs, because = {replacing: solving.root(known, evaluation.letter(known, replacing.name))}, known
        values = {v: e.rhs if isinstance(e, Formula) else sympy.sympify(e) for v, e in pairs.items()}
        left, right = self.last.left, self.last.right
        for letter in values:
            if letter not in left.free_symbols | right.free_symbols:
                told = f"`{letter}` does not occur in `{right}`, so there is nothing to substitute"
                raise StepError(told, code="nothing-to-substitute", got=letter, expected=right)
        left = left if isinstance(left, sympy.Derivative) else put_in(left, values)
        sources = tuple(e for e in pairs.values() if isinstance(e, Formula))
        verdict, basis = _passed_on, _weakest(formula.basis for formula in sources)
        if because is not None:
            sources, basis = (because,), "model" if because.kind == "model" else "judged"
            verdict = _another_form(because, values)
        elif len(sources) < len(pairs):
            verdict, basis = _assumed("chosen by the author"), "model"
        return self._grown(left, put_in(right, values), why, verdict, basis, shown=shown, sources=sources)

    def assume(self, right: Any, why: str) -> "Derivation":
        """Replace the right side by what the model takes it to be."""
        return self._grown(self.last.left, right, why, _assumed("model"), relation="≈")

    def approximate(self, right: Any, why: str, within: Any, where_: Mapping) -> "Derivation":
        """Replace the right side by an approximation with a declared bound on the relative error.

        `within` is the bound, `where_` maps variables to the `(low, high)` of the region.
        """
        old, within = self.last.right, sympy.Rational(within)
        box = {v: tuple(units.quantity(b).m_as(units.unit(v.unit)) for b in pair) for v, pair in where_.items()}

        def verdict(new: Any, place: str) -> Verdict:
            worst, at = judge.worst_ratio(old, new, box, place=place)
            if float(worst) > float(within) * (1 + 1e-9):  # a bound may be met exactly
                told = f"{new} is off by {float(worst):.3g}, more than {within}, at {at}"
                raise Refuted(told, place, got=f"{float(worst):.3g}", expected=f"at most {within}")
            return Verdict("approximate", f"at most {float(within):.3g} off; worst sampled {float(worst):.2g}")

        return self._claimed(right, why, verdict, relation="≈")

    def solve_for(
        self, letter: Variable, right: Any, why: str, named: Variable | None = None, shown: Any = None
    ) -> "Derivation":
        """Solve the last line for `letter`; the claimed root is put back into both sides.

        `named` is the letter of the root, where the case studied has one of its own.
        """
        a, b = self.last.left, self.last.right

        def verdict(root: Any, place: str) -> Verdict:
            return _root(a.subs(letter, root), b.subs(letter, root), root, place, "put back into both sides")

        return self._claimed(right, why, verdict, letter if named is None else named, shown=shown)

    def slope(self, right: Any, why: str) -> "Derivation":
        """State the derivative of the goal of `minimise`."""
        formula, over = self._goal("slope")
        left = sympy.Derivative(formula.lhs, over)
        return self._claimed(right, why, lambda new, place: judge.equal(formula.rhs.diff(over), new, place=place), left)

    def root(self, right: Any, why: str, named: Variable | None = None, shown: Any = None) -> "Derivation":
        """State where the slope is zero; `named` is the letter of the optimum."""
        formula, over = self._goal("root")

        def verdict(new: Any, place: str) -> Verdict:  # judged as an equation of what rises and what falls
            total = sympy.expand(formula.rhs.diff(over))
            rises = sympy.Add(*(t for t in sympy.Add.make_args(total) if not t.could_extract_minus_sign()))
            falls = rises - total
            return _root(rises.subs(over, new), falls.subs(over, new), new, place, "the slope vanishes there")

        return self._claimed(right, why, verdict, over if named is None else named, shown=shown)

    def curvature(self, right: Any, why: str) -> "Derivation":
        """State the second derivative, which must be positive over the admissible range."""
        formula, over = self._goal("curvature")

        def verdict(new: Any, place: str) -> Verdict:
            same = judge.equal(formula.rhs.diff(over, 2), new, place=place)
            sign = judge.positive(new, place=place)
            return sign if same.name == "proved" else same

        return self._claimed(right, why, verdict, sympy.Derivative(formula.lhs, (over, 2)), tail=" > 0")

    def series(
        self, equation: Callable, right: Any, why: str, small: Variable, order: int, left: Any = None
    ) -> "Derivation":
        """State the root of `equation(x) = 0`, the last line, as a polynomial in `small` up to `order`."""
        root, line = self.last.left if left is None else left, self.last.left - self.last.right

        def verdict(new: Any, place: str) -> Verdict:
            judge.equal(line, equation(root), place=place)
            residue = sympy.expand(sympy.series(equation(new), small, 0, order).removeO())
            if residue != 0:
                told = f"`{new}` fails at {residue}, below {small}**{order}"
                raise Refuted(told, place, got=residue, expected=f"nothing below {small}**{order}")
            return Verdict("proved", f"sympy: the equation holds below {small}^{order}")

        return self._claimed(right, why, verdict, left, relation="≈")

    def _goal(self, name: str) -> tuple[Formula, Variable]:
        if not self.goal:
            told = f".{name}(…) belongs to a derivation begun with Derivation.minimise"
            raise DeclarationError(told, code="inconsistent", expected="Derivation.minimise")
        return self.goal

    def _flaws(self) -> Iterator[str]:
        for step in self.steps:
            try:
                step.verdict  # noqa: B018  asking is judging
            except MathcoreError as error:
                yield str(error)
        first = self.steps[0]
        if first.sources or first.right.count_ops() < TELLING or not isinstance(first.left, Variable):
            return
        alive = (reference() for reference in _stated.get(first.right, ()))
        same = sorted((f for f in alive if f is not None and f.address), key=lambda f: f.address)
        known = next((f for f in same if f.derivation is None or f.derivation.steps[0] is not first), None)
        if known and first.verdict.detail in KINDS:
            told = f"`{first.right}` is the right side of {_named(known)}: start from that formula"
            yield f"{first.where}: {told}, `start({first.left}, …)`"

    def formula(self, **stated: Any) -> Formula:
        """Return the last line that gives a letter, as a Formula with this derivation.

        Keywords are those of Formula; unless `valid=` or `regime=` is stated, what was put in asks its own of the
        letters that are left. It is *derived* if some line was judged, else what it was made of.
        """
        if self.goal and not any(step.tail for step in self.steps):
            told = "a flat point may be a maximum"
            raise DeclarationError(told, code="missing", expected=".curvature(…)", hint="add .curvature(…)")
        bases = {step.basis for step in self.steps}
        kind = "derived" if "judged" in bases else "model" if "model" in bases else "definition"
        if stated.get("kind") == "derived" != kind:
            told, hint = "called derived, but no line was judged", "leave `kind=` out"
            raise DeclarationError(told, code="inconsistent", got="derived", expected=kind, hint=hint)
        for step in reversed(self.steps):
            if isinstance(step.left, Variable) and step.relation in SIGNS:
                own = {"kind": kind, "shown": step.shown, "relation": step.relation, **self._left(step.right)}
                return Formula(step.left, step.right, derivation=self, **{**own, **stated})
        raise DeclarationError("no line of the derivation gives a variable", code="missing", expected="a Variable")

    def _left(self, right: Any) -> dict[str, tuple]:
        """Return `valid` and `regime` of the formulas put in, as far as they speak of letters of the right side."""
        sources = [source for step in self.steps for source in step.sources]
        valid = dict.fromkeys(c for source in sources for c in source.valid if c.free_symbols <= right.free_symbols)
        told = (pair for source in sources for pair in source.regime if pair[0].free_symbols <= right.free_symbols)
        return {"valid": tuple(valid), "regime": tuple(dict.fromkeys(told))}


def _another_form(formula: Formula, values: Mapping) -> Callable:
    """Return what judges that a formula holds once a value is put in for one of its letters.

    What is judged is the form; that a model holds stays an assumption, in whatever form.
    """
    if len(values) != 1 or not set(values) <= formula.rhs.free_symbols:
        given = ", ".join(map(str, values))
        raise StepError(
            f"{_named(formula)} is to say what is substituted for {given}",
            code="nothing-to-substitute",
            got=given,
            expected=f"one variable of `{formula.rhs}`",
            hint=f"give one variable of `{formula.rhs}`, or substitute the formula for its own",
        )

    def verdict(step: Step) -> Verdict:
        found = judge.equal(put_in(formula.lhs, values), put_in(formula.rhs, values), place=step.where)
        passed = [formula.standing] if formula.kind != "definition" else []
        return Verdict(judge.weakest([found.name, *passed]), f"another form of {_named(formula)}; {found.detail}")

    return verdict


def _root(left: Any, right: Any, root: Any, place: str, told: str) -> Verdict:
    """Return the verdict that a root makes two sides equal."""
    try:
        found = judge.equal(left, right, place=place)
    except Refuted as error:
        raise Refuted.of(error, place, f"`{root}` is no root; substituted, ") from None
    return replace(found, detail=f"{told}; {found.detail}")
