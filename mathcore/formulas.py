"""`Formula`: an equation `lhs = rhs` between variables; `Derivation`: the chain of steps that leads to it.

A *definition* names something, a *model* assumes something, a *derived* formula follows from checked steps.
`assumptions` state in words where it holds, `domain` and `validity` as relations that every evaluation checks.

The author states each step of a derivation. Its form is checked at once (no float, one dimension, a reason); whether
it is true is checked when its verdict is first read, by `verify` or by the page that shows it. Assumptions are steps of
their own, and a formula that is substituted for its symbol passes on its verdict.
"""

import functools
import itertools
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import sympy
from sympy import Expr

from mathcore import arguments, checker, deprecated, evaluation, solving, steps, units
from mathcore.errors import DeclarationError, MathcoreError, OutsideValidity, StepError, author_line
from mathcore.library import current_library
from mathcore.printing import RELATION_SIGNS, to_latex, to_source, to_text
from mathcore.statements import Statement, comparisons_of
from mathcore.steps import STEP_SIGNS, Check, FullForm, Origin, Step, StepForm
from mathcore.symbols import (
    Variable,
    require_comparable,
    require_same_dimension,
    substitute,
    to_declared_units,
    variables_by_name,
)
from mathcore.types import JsonObject
from mathcore.units import Quantity, QuantityLike

if TYPE_CHECKING:
    from mathcore.measured.comparisons import Comparison

MIN_OPERATIONS = 4  # operations from which on two equal right sides are one statement: any chapter may divide S by b
FORMULA_KINDS = {"definition": "definitions", "model": "models", "derived": "derived"}  # in the singular: in the plural
_formulas: weakref.WeakSet["Formula"] = weakref.WeakSet()  # all that there are: two may have one right side


@deprecated.fields(deprecated.FORMULA_FIELDS)
@dataclass(frozen=True, eq=False, repr=False)
class Formula(Statement):
    """An equation `lhs = rhs` between Variables; both sides must have one dimension.

    `kind` is definition, model or derived, `assumptions` are texts. `domain` are relations without which there is no
    value: outside, `at` raises an ArgumentError. `validity` are relations within which the model may be trusted, each
    with the effect outside, `(C <= M / 8, "…")`: there `at` issues a warning. `drops_assumptions` are inherited
    assumptions that this formula does not need, `convention` is a choice of accounting, `display_form` the right side
    as it is printed, `relation` is ≈ where the derivation approximates.

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
    rhs: Expr  # an expression of sympy
    kind: str = "model"
    assumptions: str | tuple[str, ...] = ()
    domain: tuple = ()
    validity: tuple = ()
    convention: str = ""
    display_form: Expr | None = None
    derivation: "Derivation | None" = None
    relation: str = "="
    drops_assumptions: str | tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rhs", sympy.sympify(self.rhs))
        object.__setattr__(self, "display_form", self.rhs if self.display_form is None else self.display_form)
        _formulas.add(self)
        for name in ("assumptions", "drops_assumptions"):
            text = getattr(self, name)
            object.__setattr__(self, name, (text,) if isinstance(text, str) and text else text)
        self._check_form()
        require_same_dimension(self.lhs, self.rhs, lambda: f"{self.lhs} = {self.rhs}")
        if self.lhs in self.rhs.free_symbols and checker.depends_on(self.rhs, self.lhs):
            message = f"{self.lhs} = {self.rhs} defines {self.lhs} by itself"
            raise self.located_error(message, code="circular", got=self.lhs, hint=f"solve it for {self.lhs}")
        self._check_conditions()
        for first, second in itertools.pairwise(self.inputs):  # sorted by name
            if first.name == second.name:
                message = f"{self.lhs} = {self.rhs} has two variables {first.name}: {first.meaning}, {second.meaning}"
                raise self.located_error(message, code="duplicate", got=first.name, hint="rename one of them")

    def _check_form(self) -> None:
        self._require_choice("kind", FORMULA_KINDS, f"{self.lhs}")
        if not isinstance(self.lhs, Variable):
            message = f"the left side `{self.lhs}` must be a Variable"
            raise self.located_error(message, code="wrong-type", got=self.lhs, expected="a Variable")
        if self.kind == "derived" and self.derivation is None:
            message = f"{self.lhs} is called derived, but has no derivation"
            raise self.located_error(message, code="inconsistent", got="derived", hint="derive it, or call it a model")

    def _check_conditions(self) -> None:
        try:
            for relation in self._relations:
                require_comparable(relation)
        except TypeError:  # no tuple, or no pair
            form = '`domain=(C < M,)` and `validity=((C < M / 8, "what happens outside"),)`'
            message = f"the conditions of {self.lhs} are no tuple"
            raise self.located_error(message, code="wrong-type", expected=form, hint=f"write {form}") from None

    @property
    def _relations(self) -> tuple:
        return (*self.domain, *(relation for relation, _ in self.validity))

    @functools.cached_property
    def inputs(self) -> tuple[Variable, ...]:
        """Return the variables of the right side, in the order of the compiled function."""
        symbols = self.rhs.free_symbols.union(*(c.free_symbols for c in self._relations))
        return tuple(sorted(symbols, key=lambda v: (v.name.lower(), v.name)))

    @functools.cached_property
    def numeric(self) -> Expr:
        """Return the expression that relates numbers in declared units."""
        return to_declared_units(self.rhs, self.lhs, self.inputs)

    @functools.cached_property
    def numeric_domain(self) -> tuple:
        """Return the relations of `domain` between numbers in declared units."""
        return tuple(to_declared_units(c, None, self.inputs) for c in self.domain)

    @functools.cached_property
    def numeric_validity(self) -> tuple:
        """Return the relations of `validity` between numbers in declared units."""
        return tuple(to_declared_units(relation, None, self.inputs) for relation, _ in self.validity)

    @functools.cached_property
    def compiled(self) -> Callable:
        """Return the function of floats or arrays in declared units, arguments in `inputs` order.

        Raises (when called): ArgumentError that names the argument, what it got and what it wants; for
        another number of arguments TypeError, as any function does.
        """
        return evaluation.compile_scalar(self)

    def _repr_detail(self) -> str:
        return f": {self.lhs} {self.relation} {self.rhs!s:.80}"

    @property
    def title(self) -> str:
        """Return the name under which the formula is a function."""
        return self.name or self.lhs.name

    @property
    def label(self) -> str:
        """Return the name of the formula in errors: its address, or its symbol."""
        return self.address or f"the formula for {self.lhs.name}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the conditions of validity as texts: in words first, own and inherited, then the checked relations."""
        return (*self.assumptions, *self.inherited_assumptions, *map(self.condition_text, self._relations))

    @property
    def sources(self) -> "tuple[Formula, ...]":
        """Return the formulas that the derivation substitutes."""
        steps = self.derivation.steps if self.derivation is not None else ()
        return tuple(dict.fromkeys(source for step in steps for source in step.sources))

    @functools.cached_property
    def inherited_assumptions(self) -> "dict[str, Formula]":
        """Return `{text: formula}` of the assumptions of all substituted formulas, however long the chain."""
        inherited: dict[str, Formula] = {}
        for source in self.sources:
            inherited = dict.fromkeys(source.assumptions, source) | source.inherited_assumptions | inherited
        return {
            text: home for text, home in inherited.items() if text not in (*self.assumptions, *self.drops_assumptions)
        }

    def condition_text(self, relation: Expr, called: Callable[[Variable], str] = lambda v: v.name) -> str:
        """Return a relation as text, a remainder of zero in words; `called` returns the text of a variable."""

        def text(side: Expr) -> str:
            return to_text(side).format(**{v.name: called(v) for v in self.inputs})

        if isinstance(relation.lhs, sympy.Mod) and relation.rhs == 0:
            whole, part = map(text, relation.lhs.args)
            return f"{whole} is a whole number" if part == "1" else f"{whole} is a multiple of {part}"
        return f"{text(relation.lhs)} {RELATION_SIGNS[relation.rel_op]} {text(relation.rhs)}"

    def at(self, /, *values: Mapping[Any, QuantityLike], **named: QuantityLike) -> Quantity:
        """Return the value as a quantity in the unit in which pages show the left side.

        Arguments go by the names of the inputs or by their aliases: a text with its unit, a quantity, a statement
        with a value, an array quantity or a list. A count of devices or tokens may be a bare integer. A mapping from
        Variables may come first. Outside the validity of the model, an OutsideValidity warning is issued.

        Raises: ArgumentError for an unknown or missing name, a bare number, a wrong dimension,
        NaN, infinity, a value out of range, arrays of different length.
        """
        result, cautions = self.evaluate(*values, **named)
        for caution in cautions:
            warnings.warn(OutsideValidity(f"{self.address or self.title}: {caution}"), stacklevel=2)
        if self.lhs.display_unit != self.lhs.unit:
            result.ito(units.unit(self.lhs.display_unit))  # in place: an array of one's own
        return result

    def evaluate(self, /, *values: Mapping[Any, QuantityLike], **named: QuantityLike) -> tuple[Quantity, list[str]]:
        """Return the value in the declared unit of the left side, and the warnings of `validity`."""
        given = arguments.by_symbol_name(self, values, named)
        numbers = [arguments.magnitude(self, v, given[v.name]) for v in self.inputs]
        result = units.Quantity(self.compiled(*numbers), units.unit(self.lhs.unit))
        cautions = evaluation.validity_warnings(self, numbers) if self.validity else []
        return result, [*cautions, *evaluation.fitted_warnings(self, given.values(), numbers)]

    @functools.cached_property
    def arguments(self) -> dict[str, Variable]:
        """Return the inputs by each name under which `at` takes them."""
        return variables_by_name(self.inputs)

    def _find_issues(self) -> Iterator[str]:
        """Yield the aliases under which `at` could take two inputs; by then they name none."""
        for first, second in itertools.permutations(self.inputs, 2):
            if first.alias and (
                first.alias == second.name or (first.alias == second.alias and first.name < second.name)
            ):
                message = f"`{first.alias}` names two inputs, {first.name} ({first.meaning}) and {second.name}"
                yield f"{self.where}: {self.label}: {message} ({second.meaning}): give one of them another alias"

    def solve_for(self, name: str | Variable) -> "Formula":
        """Return the formula for one of the inputs, checked by putting it back; that of a count may give any number.

        Raises: ArgumentError for an unknown name; DeclarationError if there is no root, or no single one.
        """
        symbol = evaluation.find_input(self, str(name))
        root = solving.solve_for_input(self, symbol)
        chain = Derivation.start(self).solve_for(symbol, root, f"solved for {name}", symbol.as_real(), routine=True)
        return chain.formula(**self._carried_conditions({symbol: root}))

    def _carried_conditions(self, values: Mapping) -> JsonObject:
        """Return the conditions with values substituted, without the ones that are then always true."""
        substituted = ((relation.subs(values, simultaneous=True), text) for relation, text in self.validity)
        validity = tuple(pair for pair in substituted if pair[0] is not sympy.true)
        domain = tuple(r for c in self.domain if (r := c.subs(values, simultaneous=True)) is not sympy.true)
        return dict(domain=domain, validity=validity, convention=self.convention, relation=self.relation)

    def renamed(self, symbols: Mapping[Variable, Variable]) -> "Formula":
        """Return the formula with variables renamed; where it is substituted, it passes on its verdict.

        Raises: StepError for a value that is no Variable: that would be a choice, or another formula.
        """
        for symbol, other in symbols.items():
            if symbol not in self.inputs or not isinstance(other, Variable):
                message = f"{self.label} cannot have `{other}` for `{symbol}`: rename its variables, nothing else"
                raise StepError(message, code="wrong-type", got=other, expected="a Variable")
        right, why = self.rhs.subs(symbols, simultaneous=True), "in different notation"
        chain = Derivation()._append(self.lhs, right, why, steps.substitution_origin(self), routine=True)
        return chain.formula(**self._carried_conditions(symbols))

    @functools.cached_property
    def inherited_verdict(self) -> str:
        """Return the name of the verdict that the formula passes on when substituted: that of its weakest step."""
        if self.justification != "judged":
            return "assumed"
        return checker.weakest_verdict([step.verdict.name for step in self._lines])

    @functools.cached_property
    def justification(self) -> str:
        """Return the justification of a substitution of the formula, unchecked: judged, model or definition."""
        return (
            steps.weakest_justification(line.justification for line in self._lines)
            if self.kind == "derived"
            else self.kind
        )

    @property
    def _lines(self) -> "tuple[Step, ...]":
        """Return the steps of the derivation that count: not the assumption from which it starts."""
        steps = self.derivation.steps if self.derivation is not None else ()
        return steps if steps and steps[0].justification == "judged" else steps[1:]

    @property
    def measured(self) -> "tuple[Comparison, ...]":
        """Return the Comparisons of the formula with measured systems, by module in the author's order."""
        for module in current_library.comparison_modules(current_library.split(self.address)[0]):
            current_library.module(module)
        comparisons = (c for c in comparisons_of.get(self, ()) if c.address or not self.address)
        return tuple(
            sorted(comparisons, key=lambda each: each.address.rpartition(".")[0])
        )  # whichever was loaded first

    def latex(self) -> str:
        """Return the equation as LaTeX.

        >>> x = Variable("x", "", "share")
        >>> Formula(x, sympy.Rational(1, 2)).latex()
        'x = \\\\frac{1}{2}'
        """
        return f"{self.lhs.tex} {STEP_SIGNS[self.relation]} {to_latex(self.display_form)}"

    def python(self) -> str:
        """Return the source of a self-contained Python function."""
        return evaluation.python_source(self)

    def javascript(self) -> str:
        """Return the JavaScript function, in declared units."""
        names = ", ".join(v.name for v in self.inputs)
        return f"function {self.title}({names}) {{ return {to_source(self.numeric, 'javascript')}; }}"


@dataclass(frozen=True, eq=False, repr=False)
class Derivation(Statement):
    """A chain of steps; start one with `start`, `balance` or `minimise`.

    >>> C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF")
    >>> tau, w = Variable("tau", "s", "interval"), Variable("w", "", "waste")
    >>> waste = Formula(w, C / tau + tau / (2 * M), assumptions="C and tau small against M")
    >>> chain = (
    ...     Derivation.minimise(waste, over=tau, why="the smallest waste has no slope")
    ...     .slope(1 / (2 * M) - C / tau**2, "term by term")
    ...     .root(sympy.sqrt(2 * C * M), "the only positive root")
    ...     .curvature(2 * C / tau**3, "positive, so it is a minimum")
    ... )
    >>> [step.verdict.name for step in chain.steps], chain.formula().rhs == sympy.sqrt(2 * C * M)
    (['assumed', 'proved', 'proved', 'proved'], True)
    """

    steps: tuple[Step, ...] = ()
    goal: tuple = ()

    use = deprecated.attribute("use", "apply")
    to = deprecated.attribute("to", "rewrite")

    @classmethod
    def start(
        cls, left: Expr, right: Expr | None = None, why: str = "", kind: str = "definition", routine: bool = False
    ) -> "Derivation":
        """Start from `left = right`, which is assumed, or from a Formula, which passes on what it is.

        With a Formula as its right side, `left` is the symbol that the value has here; without a reason of its own
        the step is routine, unless it states what the formula assumes. A right side that is that of another Formula
        is no assumption of its own, and `issues` yields that formula.

        Raises: DimensionError if the sides differ in dimension.
        """
        if isinstance(left, Formula):
            left, right = left.lhs, left
        if not isinstance(right, Formula):
            return cls()._append(left, right, why, steps.assumption_origin(kind), routine=routine)
        derived = right.kind == "derived"
        routine = routine or (not why and (derived or not right.assumptions))
        why = why or ("derived before" if derived else "; ".join(right.assumptions) or f"the {right.kind}")
        return cls()._append(left, right.rhs, why, steps.substitution_origin(right), routine=routine)

    @classmethod
    def balance(
        cls, left: Expr, right: Expr, why: str, kind: str = "the case studied", routine: bool = False
    ) -> "Derivation":
        """Start from two expressions that are equal in the case studied."""
        return cls.start(left, right, why, kind=kind, routine=routine)

    @classmethod
    def minimise(cls, formula: Formula, over: Variable, why: str, routine: bool = False) -> "Derivation":
        """Start from the formula to be made smallest `over` one of its variables."""
        return replace(cls.start(formula, why=why, routine=routine), goal=(formula, over))

    @property
    def last(self) -> Step:
        """Return the last step."""
        return self.steps[-1]

    def _append(self, left: Expr, right: Expr, why: str, origin: Origin, **form: Unpack[FullForm]) -> "Derivation":
        """Return the derivation with one more step; its form is checked now, its truth when the verdict is read."""
        place, relation, display = author_line(), form.get("relation", "="), form.get("display_form")
        left, right, form["display_form"] = map(sympy.sympify, (left, right, right if display is None else display))
        if not why.strip():
            message = f"the step to `{right}` has no reason"
            raise StepError(message, place, code="no-reason", expected="why", hint="say why it holds")
        require_same_dimension(left, right, lambda: f"{left} {relation} {right}")
        return replace(self, steps=(*self.steps, Step(left, right, why, where=place, **origin, **form)))

    def _append_claim(
        self, right: Expr, why: str, check: Check, left: Expr | None = None, **form: Unpack[FullForm]
    ) -> "Derivation":
        """Return the derivation with one more step, which `check` judges; its left side is by default the last one."""
        origin = Origin(check=check, justification="judged", sources=())
        return self._append(self.last.left if left is None else left, right, why, origin, **form)

    @deprecated.keywords(shown="display_form")
    def rewrite(self, right: Expr, why: str, **form: Unpack[StepForm]) -> "Derivation":
        """Write the last right side in another form.

        Raises: StepError if the claim changes nothing.
        """
        old = self.last.right
        if "display_form" not in form and sympy.sympify(right) == old:
            message, hint = f"the step to `{right}` changes nothing", "leave it out, or give it `display_form=`"
            raise StepError(message, code="no-change", got=right, hint=hint)
        return self._append_claim(right, why, steps.equality_check(old), **form)

    @deprecated.keywords(shown="display_form", because="justified_by", replacing="eliminating")
    def apply(
        self,
        known: Formula | Mapping,
        why: str,
        eliminating: Variable | None = None,
        justified_by: Formula | None = None,
        **form: Unpack[StepForm],
    ) -> "Derivation":
        """Substitute a Formula for its symbol, or for another of its symbols, `eliminating`, or expressions.

        A Formula passes on its verdict: a model stays an assumption. With `eliminating`, it is solved for that
        symbol and the form is judged. `{symbol: expression}` is assumed, chosen by the author, unless
        `justified_by` is a Formula that justifies it, which is checked; a Formula as a value passes on its verdict.
        Where the left side is an expression, as in a balance, the substitution is made there too.

        Raises: StepError if a symbol does not occur, or if `justified_by` does not contain it.
        """
        pairs = {known.lhs: known} if isinstance(known, Formula) else known
        if eliminating is not None and isinstance(known, Formula):
            symbol = evaluation.find_input(known, eliminating.name)
            pairs, justified_by = {eliminating: solving.solve_for_input(known, symbol)}, known
        values = {v: e.rhs if isinstance(e, Formula) else sympy.sympify(e) for v, e in pairs.items()}
        left, right = self.last.left, self.last.right
        for symbol in values:
            if symbol not in left.free_symbols | right.free_symbols:
                message = f"`{symbol}` does not occur in `{right}`, so there is nothing to substitute"
                raise StepError(message, code="nothing-to-substitute", got=symbol, expected=right)
        left = left if isinstance(left, sympy.Derivative) else substitute(left, values)
        return self._append(
            left, substitute(right, values), why, _substitution_origin(pairs, values, justified_by), **form
        )

    def assume(self, right: Expr, why: str) -> "Derivation":
        """Replace the right side by an assumption of the model."""
        return self._append(self.last.left, right, why, steps.assumption_origin("model"), relation="≈")

    @deprecated.keywords(where_="region")
    def approximate(self, right: Expr, why: str, within: float | str | sympy.Rational, region: Mapping) -> "Derivation":
        """Replace the right side by an approximation with a declared bound on the relative error.

        `within` is the bound, `region` maps variables to their `(low, high)`.
        """
        box = {v: (v.number(low), v.number(high)) for v, (low, high) in region.items()}
        check = steps.approximation_check(self.last.right, sympy.Rational(within), box)
        return self._append_claim(right, why, check, relation="≈")

    @deprecated.keywords(shown="display_form", named="as_symbol")
    def solve_for(
        self, symbol: Variable, right: Expr, why: str, as_symbol: Variable | None = None, **form: Unpack[StepForm]
    ) -> "Derivation":
        """Solve the last line for `symbol`; the claimed root is substituted into both sides.

        `as_symbol` is the symbol of the root, where the case studied has one of its own.
        """
        check = steps.solution_check(self.last.left, self.last.right, symbol, "put back into both sides")
        return self._append_claim(right, why, check, symbol if as_symbol is None else as_symbol, **form)

    def slope(self, right: Expr, why: str, **form: Unpack[StepForm]) -> "Derivation":
        """State the derivative of the goal of `minimise`."""
        formula, over = self._goal("slope")
        check = steps.slope_check(formula.rhs, over)
        return self._append_claim(right, why, check, sympy.Derivative(formula.lhs, over), **form)

    @deprecated.keywords(shown="display_form", named="as_symbol")
    def root(self, right: Expr, why: str, as_symbol: Variable | None = None, **form: Unpack[StepForm]) -> "Derivation":
        """State where the slope is zero; `as_symbol` is the symbol of the optimum."""
        formula, over = self._goal("root")
        check = steps.stationarity_check(formula.rhs, over)
        return self._append_claim(right, why, check, over if as_symbol is None else as_symbol, **form)

    def curvature(self, right: Expr, why: str, **form: Unpack[StepForm]) -> "Derivation":
        """State the second derivative, which must be positive over the admissible range."""
        formula, over = self._goal("curvature")
        left, check = sympy.Derivative(formula.lhs, (over, 2)), steps.curvature_check(formula.rhs, over)
        return self._append_claim(right, why, check, left, suffix=" > 0", **form)

    def series(
        self, equation: Callable, right: Expr, why: str, small: Variable, order: int, left: Expr | None = None
    ) -> "Derivation":
        """State the root of `equation(x) = 0`, the last line, as a polynomial in `small` up to `order`."""
        root, line = self.last.left if left is None else left, self.last.left - self.last.right
        check = steps.series_check(line, equation, root, small, order)
        return self._append_claim(right, why, check, left, relation="≈")

    def _goal(self, name: str) -> tuple[Formula, Variable]:
        if not self.goal:
            message = f".{name}(…) belongs to a derivation begun with Derivation.minimise"
            raise DeclarationError(message, code="inconsistent", expected="Derivation.minimise")
        return self.goal

    def _find_issues(self) -> Iterator[str]:
        for step in self.steps:
            try:
                step.verdict  # noqa: B018  asking is judging
            except MathcoreError as error:
                yield str(error)
        first = self.steps[0]
        if first.sources or first.right.count_ops() < MIN_OPERATIONS or not isinstance(first.left, Variable):
            return
        key = hash(first.right)  # to compare all of them would take long
        alike = [f for f in _formulas if hash(f.rhs) == key and f.rhs == first.right]
        same = sorted((f for f in alike if f.address), key=lambda f: f.address)
        known = next((f for f in same if f.derivation is None or f.derivation.steps[0] is not first), None)
        if known and first.verdict.detail in FORMULA_KINDS:
            message = f"`{first.right}` is the right side of {steps.formula_reference(known)}: start from that formula"
            yield f"{first.where}: {message}, `start({first.left}, …)`"

    @deprecated.keywords(**deprecated.FORMULA_FIELDS)
    def formula(self, **stated: Any) -> Formula:
        """Return the last step with a variable on its left side, as a Formula with this derivation.

        Keywords are those of Formula. Unless `domain=` or `validity=` is stated, those of the substituted formulas
        hold, as far as their symbols are left. The kind is *derived* if a step was checked, else that of the sources.
        """
        if self.goal and not any(step.suffix for step in self.steps):
            message = "a flat point may be a maximum"
            raise DeclarationError(message, code="missing", expected=".curvature(…)", hint="add .curvature(…)")
        justifications = {step.justification for step in self.steps}
        kind = "derived" if "judged" in justifications else "model" if "model" in justifications else "definition"
        if stated.get("kind") == "derived" != kind:
            message, hint = "called derived, but no line was judged", "leave `kind=` out"
            raise DeclarationError(message, code="inconsistent", got="derived", expected=kind, hint=hint)
        for step in reversed(self.steps):
            if isinstance(step.left, Variable) and step.relation in STEP_SIGNS:
                own = {"kind": kind, "display_form": step.display_form, "relation": step.relation}
                own |= self._conditions_left(step.right)
                return Formula(step.left, step.right, derivation=self, **{**own, **stated})
        raise DeclarationError("no line of the derivation gives a variable", code="missing", expected="a Variable")

    def _conditions_left(self, right: Expr) -> dict[str, tuple]:
        """Return `domain` and `validity` of the substituted formulas, where all symbols are on the right side."""
        sources, left = [source for step in self.steps for source in step.sources], right.free_symbols
        domain = dict.fromkeys(c for source in sources for c in source.domain if c.free_symbols <= left)
        validity = dict.fromkeys(pair for source in sources for pair in source.validity if pair[0].free_symbols <= left)
        return {"domain": tuple(domain), "validity": tuple(validity)}


def _substitution_origin(pairs: Mapping, values: Mapping, justified_by: Formula | None) -> Origin:
    """Return the justification of a substitution of formulas, or of an author's expressions."""
    if justified_by is not None:
        kind = "model" if justified_by.kind == "model" else "judged"
        return Origin(check=steps.substitution_check(justified_by, values), justification=kind, sources=(justified_by,))
    sources = tuple(e for e in pairs.values() if isinstance(e, Formula))
    if len(sources) < len(pairs):
        return steps.assumption_origin("chosen by the author", *sources)
    return steps.substitution_origin(*sources)
