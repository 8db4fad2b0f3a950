"""`Exercise`: a question whose key, wrong answers and variants all come from one formula.

The prompt and the hints stand in the chapter; here stands what can be computed. Each usual
mistake is a wrong *formula*, so that it follows the numbers of every variant.
"""

import functools
from dataclasses import dataclass, field

import sympy

from mathcore import units
from mathcore.entities import Entity
from mathcore.errors import DeclarationError
from mathcore.examples import substituted
from mathcore.formulas import Formula
from mathcore.printing import line_of
from mathcore.symbols import require_same
from mathcore.teaching.diagnosis import diagnose
from mathcore.units import natural_unit, quantity_text, unit_text

SEEDS = 200  # how many variants the checks solve


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(Entity):
    """State an exercise: `Exercise(interval, {C: "4 min", M: "8 h"}, mistakes={"…": sqrt(C * M)})`.

    `variants` maps variables to other values of a seeded variant; `unit` is the unit of the answer
    shown, `rtol` the relative tolerance.

    Raises: DeclarationError for fewer than two mistakes; DimensionError for a mistake of another dimension.
    """

    formula: Formula
    given: dict
    mistakes: dict = field(default_factory=dict)
    variants: dict = field(default_factory=dict)
    rtol: float = 0.02
    unit: str = ""
    title: str = ""
    digits: int = 3

    def __post_init__(self):
        """Check the form: labels, and that variants are of what is given."""
        self._check_labels()
        strange = [v.name for v in self.variants if v not in self.given]
        if strange:
            raise DeclarationError(f"{self.title} has variants of {strange[0]}, which is not given", self.where)

    def _flaws(self):
        """Yield what does not hold when every variant is solved and each mistake tried on it."""
        sizes = [len(self.values_of(v)) for v in self.given]
        distinct = {tuple(picks(seed, sizes)): seed for seed in reversed(range(SEEDS))}
        for seed in sorted(distinct.values()):  # the first seed of each combination of givens
            self._check_variant(seed)
        yield from ()

    def _check_labels(self):
        if len(self.mistakes) < 2:
            raise DeclarationError(f"the exercise {self.title}: declare two usual mistakes or more", self.where)
        for label, wrong in self.mistakes.items():
            if set(label) & set("$`\\"):
                raise DeclarationError(
                    f"the mistake `{label}` is shown as it is typed, in a line of text: "
                    "write f² and √2, without dollars, backslashes and backticks",
                    self.where,
                )
            require_same(self.formula.rhs, sympy.sympify(wrong), lambda it=label: f"mistake `{it}`")

    def _check_variant(self, seed):
        lhs = self.formula.lhs
        right = self.answer_of(seed).m_as(units.unit(lhs.unit))
        if not lhs.admits(right):
            raise DeclarationError(
                f"the answer of {self.title} is {quantity_text(self.answer_of(seed))} (variant {seed}), "
                f"but {lhs.name} must be {lhs.range_text()}",
                self.where,
            )
        beyond = [said for said in self.formula.evaluate(self.givens_of(seed))[1] if said not in self.cautions]
        if beyond:
            raise DeclarationError(
                f"{self.title}: variant {seed} is {beyond[0]}; the stated numbers are not, so no page says it",
                self.where,
            )
        for label, wrong in self.wrong_formulas.items():
            value = wrong.at(self.givens_of(seed, wrong)).magnitude
            if abs(value - right) <= 2 * self.rtol * abs(right):
                raise DeclarationError(
                    f"mistake `{label}` of {self.title} gives {value:.6g}, within reach of the answer "
                    f"{right:.6g} (variant {seed}): a reader could not be told apart",
                    self.where,
                )

    @functools.cached_property
    def wrong_formulas(self):
        """Return the mistakes as formulas, by label."""
        return {
            label: Formula(self.formula.lhs, sympy.sympify(wrong), where=self.where)
            for label, wrong in self.mistakes.items()
        }

    @property
    def facts(self):
        """Return the givens that are statements of their own, by variable."""
        return {v: x for v, x in self.given.items() if isinstance(x, Entity)}

    @property
    def givens(self):
        """Return the stated givens as quantities."""
        return {v: values[0] for v, values in self._values.items()}

    @functools.cached_property
    def _values(self):
        return {
            v: tuple(units.quantity(x, v.name) for x in (stated, *self.variants.get(v, ())))
            for v, stated in self.given.items()
        }

    def values_of(self, variable):
        """Return all values of a given: the stated one first, then those of the variants."""
        return self._values[variable]

    def givens_of(self, seed, formula=None):
        """Return the givens of a variant; seed 0 is the stated one."""
        letters = self.given if formula is None else [v for v in self.given if v in formula.inputs]
        draws = dict(zip(self.given, picks(seed, [len(self.values_of(v)) for v in self.given]), strict=True))
        return {v: self.values_of(v)[draws[v]] for v in letters}

    def answer_of(self, seed):
        """Return the answer of a variant, in the unit of display."""
        found, _ = self.formula.evaluate(self.givens_of(seed))
        unit = self.unit or natural_unit(found, self.formula.lhs.shown)
        return units.converted(found, unit, f"the answer of {self.title}, shown in `{unit}`,")

    @functools.cached_property
    def cautions(self):
        """Return what is to be said where the stated givens lie outside the regime, as texts."""
        return self.formula.evaluate(self.givens)[1]

    @property
    def answer(self):
        """Return the answer as a quantity."""
        return self.answer_of(0)

    value = answer

    def text(self, unit=None, digits=None):
        """Return the answer as pages print it."""
        return quantity_text(self.answer, unit, digits or self.digits)

    def judge(self, given, seed=0):
        """Return the Diagnosis of an answer such as `"62 min"`.

        Raises: ArgumentError for a text that is no quantity, or one of another dimension.
        """
        right = self.answer_of(seed)
        wrong = [(k, f.at(self.givens_of(seed, f)).m_as(right.units)) for k, f in self.wrong_formulas.items()]
        found = units.matching(given, right, "the answer")
        return diagnose(found.m_as(right.units), right.magnitude, wrong, self.rtol)

    def solution(self, seed=0):
        """Return the worked solution of a variant as LaTeX."""
        return substituted(self.formula, self.givens_of(seed), self.answer_of(seed), self.digits)

    def spec(self):
        """Return what the browser needs, as JSON-able data; functions go by address."""
        unit = f"{self.answer.units}" if self.answer._units else ""
        lhs = self.formula.lhs
        return {
            "address": self.home,
            "f": self.function,
            "givens": {v.name: self._given_spec(v) for v in self.given},
            "asked": {
                "name": lhs.name,
                "unit": unit_text(unit),
                "factor": units.factor(unit) / units.factor(lhs.unit),
                "base": units.factor(lhs.unit),
                "dim": {k.strip("[]"): p for k, p in units.unit(lhs.unit).dimensionality.items()},
                "digits": self.digits,
            },
            "rtol": self.rtol,
            "mistakes": [{"label": k, "f": f"{self.address}#{i}"} for i, k in enumerate(self.mistakes)],
            "line": line_of(self.formula),
        }

    def _given_spec(self, v):
        values = self.values_of(v)
        unit = f"{values[0].units}" if values[0]._units else ""
        in_unit = [x.m_as(values[0].units) for x in values]
        factor = units.factor(unit) / units.factor(v.unit)
        return {"unit": unit_text(unit), "factor": factor, "values": in_unit, "default": in_unit[0]}

    @property
    def function(self):
        """Return the address under which the browser finds the key's function."""
        return f"{self.address}#key"


def picks(seed, sizes):
    """Return one index for each size, from a generator that JavaScript repeats bit for bit.

    Seed 0 is the stated variant: all indices are 0.

    >>> picks(0, [3, 4]), picks(7, [3, 4]) == picks(7, [3, 4])
    ([0, 0], True)
    """
    if seed == 0:
        return [0 for _ in sizes]
    state, found = seed & 0xFFFFFFFF, []
    for size in sizes:  # mulberry32
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        found.append(((t ^ (t >> 14)) & 0xFFFFFFFF) * size >> 32)
    return found
