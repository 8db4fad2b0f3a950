"""`Claim`: what a published text says, and what it is when computed; the verdict is never typed.

`Calculation` is a sum in one line, units and all: `200[gpu h] / 16384[gpu]`; a number carries its unit in
brackets, an address stands for the value there, and nothing else is understood, so that a line of text
never runs as code. `Printed` is a quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`.
"""

import ast
import functools
import math
import operator
import re
from dataclasses import dataclass, field

import sympy

from mathcore import judge, units
from mathcore.entities import Entity
from mathcore.errors import ArgumentError, DeclarationError, MathcoreError, Refuted, where
from mathcore.examples import line_with
from mathcore.facts import Fact
from mathcore.formulas import Formula
from mathcore.library import find
from mathcore.printing import latex
from mathcore.teaching.diagnosis import Diagnosis, diagnose
from mathcore.units import natural_unit, number_text, quantity_text, unit_text

_MEASURED = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\[([^\]]*)\]")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}
_OF_NUMBERS = {
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "ceil": math.ceil,
    "floor": math.floor,
}
_OF_QUANTITIES = {"min": min, "max": max, "abs": abs, "sqrt": lambda x: x**0.5}
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Calculation:
    """State a calculation; `value` computes it, `text` prints it as a reader would write it.

    Raises: DeclarationError for anything but numbers with units, addresses, + − * / ** and
    sqrt, exp, log, log2, log10, ceil, floor, min, max, abs; ArgumentError for units that do not fit.

    >>> Calculation("200[gpu h] / 16384[gpu]").value.to("s")
    <Quantity(43.9453125, 's')>
    >>> print(Calculation("2 * 16[GB] ** 2").text().replace(chr(0x202F), " "))
    2 · 16 GB²
    """

    written: str

    @property
    def value(self):
        """Return the quantity that the calculation gives."""
        stated = []

        def named(match):
            stated.append(units.Quantity(float(match[1]), units.unit(match[2])))
            return f"(_{len(stated) - 1})"

        plain = _MEASURED.sub(named, self.written)
        try:
            tree = ast.parse(plain.strip(), mode="eval").body
        except SyntaxError as error:
            raise _strange(self.written, self.written) from error
        found = self._value(tree, stated)
        return found if isinstance(found, units.Quantity) else units.Quantity(found, units.unit(""))

    def _value(self, node, stated):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return units.Quantity(float(node.value), units.unit(""))
        if isinstance(node, ast.Name) and re.fullmatch(r"_\d+", node.id):
            return stated[int(node.id[1:])]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return units.quantity(find(f"{node.value.id}.{node.attr}"))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](self._value(node.operand, stated))
        if isinstance(node, ast.BinOp):
            return self._pair(node, *(self._value(side, stated) for side in (node.left, node.right)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._function(node, [self._value(argument, stated) for argument in node.args])
        raise _strange(self.written, ast.unparse(node))

    def _pair(self, node, left, right):
        if isinstance(node.op, ast.Pow):
            return left ** self._plain(right, ast.unparse(node.right))
        if type(node.op) not in _OPERATORS:
            raise _strange(self.written, ast.unparse(node))
        if isinstance(node.op, (ast.Add, ast.Sub)):
            right = units.matching(right, left, f"`{ast.unparse(node.right)}` in `{self.written}`")
        return _OPERATORS[type(node.op)](left, right)

    def _function(self, node, values):
        name = node.func.id
        if name in _OF_NUMBERS and len(values) == 1:
            return units.Quantity(
                float(_OF_NUMBERS[name](self._plain(values[0], ast.unparse(node.args[0])))), units.unit("")
            )
        if name in _OF_QUANTITIES and values:
            for other in values[1:]:
                units.matching(other, values[0], f"`{ast.unparse(node)}` in `{self.written}`")
            return _OF_QUANTITIES[name](*values)
        raise _strange(self.written, ast.unparse(node))

    def _plain(self, value, text):
        if value.dimensionless:
            return value.m_as(units.unit(""))
        raise ArgumentError(
            f"`{text}` in `{self.written}` is {units.kind_text(value.dimensionality)}; it must be a "
            "plain number",
            where(),
        )

    def text(self):
        """Return the calculation as pages print it, with every number in its stated unit."""

        def measured(match):
            number = number_text(float(match[1]), None) if "e" not in match[1].lower() else match[1]
            return f"{number}\u202f{unit_text(match[2])}" if match[2] else number

        shown = re.sub(r"\b[a-z_0-9]+\.[a-z_]\w*", lambda m: _named_text(find(m[0])), self.written)
        shown = _MEASURED.sub(measured, shown)
        shown = re.sub(r"\s*\*\*\s*(\d+)", lambda m: m[1].translate(_POWERS), shown)
        shown = re.sub(r"(\d)e\+?(\d+)", lambda m: f"{m[1]}·10{m[2].translate(_POWERS)}", shown)
        shown = re.sub(r"\s*\*\s*", " · ", shown)
        return shown.replace(" - ", " − ").replace("sqrt(", "√(")


def _named_text(entity):
    return quantity_text(entity.value, None, None if isinstance(entity, Fact) else 3)


def _strange(written, part):
    return DeclarationError(
        f"`{part}` in the calculation `{written}` is not understood: write numbers with units as 4[min], "
        "addresses, + - * / ** and sqrt, exp, log, log2, log10, ceil, floor, min, max, abs",
        where(),
    )


_FORM = re.compile(
    r"(?P<sign>[<>≤≥~]?)\s*(?P<number>[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"(?:\.\.(?P<end>\d+(?:\.\d+)?))?\s*(?P<unit>[^\d\s].*)?"
)
ABOUT = 0.1  # how far "about" reaches
KIB = [1.024**power for power in (1, 2, 3, 4)]  # so near to one that "about" could hide them


@dataclass(frozen=True)
class Printed:
    """A printed quantity: `sign` is one of < > ≤ ≥ ~ or empty, `end` the upper end of a range."""

    sign: str
    number: str
    end: str | None
    unit: str

    @classmethod
    def read(cls, text):
        """Return what a text prints.

        Raises: DeclarationError for a text that is no printed quantity.

        >>> Printed.read("20..40 %").end
        '40'
        """
        found = _FORM.fullmatch(str(text))
        if not found:
            raise DeclarationError(
                f"`{text}` is no printed quantity: write one such as `44 min`, `~44 min`, "
                "`<1 %` or `20..40 %`",
                where(),
            )
        return cls(found["sign"], found["number"].replace("−", "-"), found["end"], found["unit"] or "")

    @property
    def quantity(self):
        """Return the printed number as a quantity; of a range, the lower end."""
        return units.quantity(f"{self.number} {self.unit}", "what is printed")

    def judge(self, value, digits=None):
        """Return reproduced, rounding or wrong for the computed `value`, a float in the printed unit.

        >>> [Printed.read("327 kB").judge(x) for x in (327.3, 327.7, 335)]
        ['reproduced', 'rounding', 'wrong']
        """
        low = float(self.number)
        if self.end or self.sign in ("<", ">", "≤", "≥"):
            high = float(self.end) if self.end else math.inf
            low, high = (-math.inf, low) if self.sign in ("<", "≤") else (low, high)
            slack = 1e-9 * abs(value)
            return "reproduced" if low - slack <= value <= high + slack else "wrong"
        off, unit = abs(low - value), self.last_digit(digits)
        if off <= unit / 2 * (1 + 1e-9):
            return "reproduced"
        if off <= unit:
            return "rounding"
        about = self.sign == "~" and off <= ABOUT * abs(value)
        return "rounding" if about and not _binary(low / value) else "wrong"

    def last_digit(self, digits=None):
        """Return the unit of the last digit that counts; zeros at the end of a whole number do not.

        >>> [Printed.read(text).last_digit() for text in ("44", "0.50", "16000")]
        [1.0, 0.01, 1000.0]
        """
        plain = self.number.lstrip("+-")
        mantissa, _, power = plain.partition("e")
        if digits and float(plain):
            return 10.0 ** (math.floor(math.log10(float(plain))) - digits + 1)
        whole = "." not in mantissa and float(mantissa)
        zeros = len(mantissa) - len(mantissa.rstrip("0")) if whole else 0
        return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]) + zeros)

    @property
    def digits(self):
        """Return how many digits were printed."""
        return max(1, len(self.number.lstrip("+-").partition("e")[0].replace(".", "").lstrip("0")))

    def text(self):
        """Return what was printed, as pages print quantities.

        >>> Printed.read("~44 min").text().replace(chr(0x202F), " ")
        'about 44 min'
        """
        text = quantity_text(self.quantity, None, self.digits)
        if self.end:
            text = f"{self.number}–{quantity_text(units.quantity(f'{self.end} {self.unit}'), None, None)}"
        return {"": "", "~": "about "}.get(self.sign, f"{self.sign}\u202f") + text


def _binary(ratio):
    return any(math.isclose(max(ratio, 1 / ratio), power, rel_tol=0.002) for power in KIB)


VERDICTS = ("reproduced", "rounding", "wrong", "unsupported")


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Entity):
    """State a claim: `Claim("a fleet of 16,384 GPUs fails every 44 minutes", "44 min", …)`.

    `printed` is the quantity in print; `~44 min` where the text says "about", `<1 %` or `20..40 %`
    for bounds, or a sympy expression for a printed formula. `by` is what computes it: a Formula (with
    `givens`), an Example, a Fact, a text such as `"200[gpu h] / 16384[gpu]"`, or None where nothing
    supports the claim. `source` and `at` say where it stands; `digits` how many printed digits
    count, where zeros at the end leave that open; `because` explains what went wrong, `consequence`
    what changes once it is right; `mistakes` are calculations by label that may explain the number.

    Raises: DeclarationError without source or place, for a wrong claim that no diagnosis and no
    `because` explains, or for an explanation of a claim that is reproduced.

    >>> slip = Claim("a fleet fails every 44 minutes", "44 min", "200[gpu h] / 16384[gpu]",
    ...              source="checkpoint_reckoning", at="title")
    >>> slip.verdict, slip.diagnosis.text
    ('wrong', '60 times too large: a smaller unit of time read as the next larger')
    """

    says: str
    printed: object
    by: object
    givens: dict = field(default_factory=dict)
    source: str = ""
    at: str = ""
    because: str = ""
    consequence: str = ""
    digits: int | None = None
    mistakes: dict = field(default_factory=dict)

    def __post_init__(self):
        """Refuse a claim that nobody could look up; it is computed when it is first asked for."""
        for name in ("says", "source", "at"):
            if not getattr(self, name).strip():
                raise DeclarationError(
                    f"the claim `{self.says}` has no {name}: nobody could look it up", self.where
                )
        if self.by is None and not self.because:
            raise DeclarationError(f"the claim `{self.says}`: say in `because` what it lacks", self.where)
        self._print  # noqa: B018  reading it is the check

    @functools.cached_property
    def _print(self):
        """Return the Printed quantity, or the printed Formula."""
        if isinstance(self.printed, Formula):
            return self.printed
        if isinstance(self.printed, sympy.Basic):
            return Formula(self.by.lhs, self.printed, where=self.where)
        return Printed.read(self.printed)

    @property
    def is_formula(self):
        """Return whether a formula was printed."""
        return isinstance(self._print, Formula)

    @functools.cached_property
    def claimed(self):
        """Return the printed quantity; of a printed formula, its value at the givens."""
        return self._at(self._print) if self.is_formula else self._print.quantity

    def _at(self, formula):
        found = formula.at({v: x for v, x in self.givens.items() if v in formula.inputs})
        return found.to(units.unit(formula.lhs.shown))

    @functools.cached_property
    def value(self):
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        if self.by is None:
            return None
        if isinstance(self.by, Formula):
            found = self._at(self.by)
        else:
            found = Calculation(self.by).value if isinstance(self.by, str) else units.quantity(self.by)
        found = units.matching(found, self.claimed, f"what `{self.says}` is when computed")
        return found.to(self.claimed.units)

    @functools.cached_property
    def verdict(self):
        """Return reproduced, rounding, wrong or unsupported."""
        found = self._found
        if found == "wrong" and not self.because and self.diagnosis.verdict == "wrong":
            raise DeclarationError(
                f"the claim `{self.says}` is wrong ({self.diagnosis.text}; computed {self.text()}): "
                "say in `because` what happened",
                self.where,
            )
        if found == "reproduced" and (self.because or self.consequence):
            raise DeclarationError(
                f"the claim `{self.says}` is reproduced ({self.text()}), yet `because` or `consequence` "
                "explains why it is not: one of the two is out of date",
                self.where,
            )
        return found

    @functools.cached_property
    def _found(self):
        if self.by is None:
            return "unsupported"
        if not self.is_formula:
            return self._print.judge(float(self.value.magnitude), self.digits)
        try:
            judge.equal(self._print.rhs, self.by.rhs, place=self.where)
        except Refuted:  # a claim that only could not be judged is not wrong: that error goes on
            return "wrong"
        return "reproduced"

    def complaints(self):
        """Yield what does not hold: a verdict that the author's words contradict, or none at all."""
        try:
            self.verdict  # noqa: B018  asking is judging
        except MathcoreError as error:
            yield str(error) if error.place else f"{self.where}: {self.address}: {error}"

    @functools.cached_property
    def diagnosis(self):
        """Return the Diagnosis of the printed against the computed value."""
        if self.value is None:
            return Diagnosis("wrong", "nothing is given from which it could be computed", math.nan)
        claimed, value = float(self.claimed.magnitude), float(self.value.magnitude)
        end = None if self.is_formula else self._print.end
        nearest = float(end) if end and value > float(end) else claimed
        unit = self.claimed.units
        known = [(label, Calculation(text).value.m_as(unit)) for label, text in self.mistakes.items()]
        return diagnose(nearest, value, known, rtol=1e-9)

    @property
    def explanation(self):
        """Return in words how the claim came about: the author's, or the engine's diagnosis."""
        wrong = self.verdict in ("wrong", "unsupported")
        return self.because or (self.diagnosis.text if wrong else "")

    def text(self, unit=None, digits=None):
        """Return the computed value as pages print it, or an empty text for an unsupported claim.

        A duration that is no readable number in the printed unit is shown in another one; a plain
        count whose printed number was whole stays whole.
        """
        if self.value is None:
            return ""
        if self._is_count and unit is None and digits is None:
            return quantity_text(self.value, None, 0)
        readable = 1 <= abs(self.value.magnitude) < 1000
        time = self.value.check("[time]") and self._found == "wrong" and not readable
        printed = 3 if self.is_formula else min(self._print.digits, 6)
        return quantity_text(
            self.value, unit or (natural_unit(self.value, "s") if time else None), digits or max(3, printed)
        )

    @property
    def _is_count(self):
        if self.is_formula or not self.value.unitless or "." in self._print.number:
            return False
        value = float(self.value.magnitude)
        return abs(value) < 1e4 and math.isclose(value, round(value), rel_tol=1e-12)

    def printed_text(self):
        """Return what was printed, as pages print it; a formula as LaTeX between dollars."""
        if self.is_formula:
            return f"${self._print.lhs.tex} = {latex(self._print.rhs)}$"
        return self._print.text()

    def how(self):
        """Return the computation as text: letters with numbers, the calculation, or an address."""
        if self.by is None:
            return ""
        if isinstance(self.by, str):
            counted = Calculation(self.by).text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(self.by, Formula):
            values = {v: units.quantity(x, v.name) for v, x in self.givens.items() if v in self.by.inputs}
            return line_with(self.by, values, self.text())
        return f"{self.by.address}: {self.text()}"
