"""`Claim`: what a published text says, and what it is when computed; the verdict is never typed.

`Printed` (in `printed.py`) is a quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`.
`read_claims` reads the claims of a chapter from `mathcore/chapters/CHAPTER/claims.toml`, one table for each,
whose keys are the fields of a Claim; what stands above the first table holds for all.
"""

import bisect
import functools
import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any

import sympy

from mathcore import judge, units
from mathcore.entities import Entity, Group, kept
from mathcore.errors import DeclarationError, Refuted
from mathcore.examples import line_with
from mathcore.facts import CERTAINTY
from mathcore.formulas import Formula
from mathcore.library import book
from mathcore.teaching.calculations import ADDRESS, Calculation, expression
from mathcore.teaching.diagnosis import Diagnosis, diagnose, two_of
from mathcore.teaching.printed import Printed, numerals
from mathcore.teaching.written import read_own
from mathcore.units import Quantity, natural_unit, quantity_text

VERDICTS = ("reproduced", "rounding", "wrong", "depends", "unsupported")
KINDS = {
    "unit": "a unit: time, bytes, percent, device-hours",
    "value": "an input that its source, or a better one, does not bear out",
    "formula": "a formula, or the wrong one for the case",
    "arithmetic": "a sum or product of right inputs",
    "contradiction": "two places of the same document",
    "direction": "what grows, wins or dominates",
    "label": "a name on the wrong number",
    "code": "what the program does or prints",
    "reference": "who said it, and where",
}
FAULTS = ("wrong", "depends")  # the verdicts that want a kind
STEPS, PARTS = 24, 4096  # of the range of an open value, and of the step in which a claim ceases to agree
NUMBERS = re.compile(r"(?<![A-Za-z_])\d+(?:\.\d+)?(?:e[+-]?\d+)?")  # not the 2 of log2
_IT = re.compile(r"\bit\b")


def read_claims(module: str) -> Group:
    """Return the claims of a chapter as a Group, from the data file that goes by its name.

    >>> read_claims("mathcore.chapters.claims.papers").daly_day.verdict
    'reproduced'
    """
    return read_own("claims.toml", Claim, module)


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Entity):
    """State a claim: `Claim("a fleet of 16,384 GPUs fails every 44 minutes", "44 min", …)`.

    `says` is what is meant; `quote` a few words of the text as they stand, parts joined by ` … `, and `lines`
    where in the text: `111`, `206-207` or `111, 679`. `printed` is the quantity in the quotation: `~44 min`
    where it says "about", `<1 %` or `20..40 %` for bounds; a printed formula is written with its letter,
    `tau_Y = sqrt(2 * C * M)`. Where the text has words in place of a number, `reading` is what they are taken
    to say; where the number is written by the document's own program, `prints` is that program's arithmetic
    (`=` where it is that of `by`);
    where a name was printed, `word` is it, and `correct` the right one.

    `by` is what computes it: the address of a formula (with its letters in `given`, each a quantity, an
    address or a calculation), of an example or a fact, or a calculation such as `200[gpu h] / 16384[gpu]`;
    without it the claim is unsupported. A value that the text leaves open is called `it` in `by` and `given`:
    `it = "1 min..10 min"`, in words `left_open`. Numbers of `by` that were printed with fewer digits than the
    text computed with are listed in `rounded`: a claim that follows from some value of them is not wrong.
    `measured` is what was measured instead, in words with source, and `measured_by` the value. `source` and `at`
    say where the claim stands and, where nothing is quoted, `certainty` (of CERTAINTY) how far that was traced;
    `kind` (of KINDS) what kind of slip it is and `slip` which, by a name that all claims with this slip share;
    `because` explains it, `consequence` says what changes.

    Raises: DeclarationError without source or place, and for a printed number that the quotation does not
    have; when it is judged, for a wrong claim without kind or that no diagnosis and no `because` explains,
    and for an explanation of a claim that is reproduced.

    >>> slip = Claim("a fleet fails every 44 minutes", "44 min", "200[gpu h] / 16384[gpu]",
    ...              source="checkpoint_reckoning", at="title", kind="unit")
    >>> slip.verdict, slip.diagnosis.text
    ('wrong', '60 times too large: seconds and minutes, or minutes and hours, were confused')
    """

    says: str
    printed: str = ""
    by: str = ""
    given: dict[str, str] = field(default_factory=dict)
    quote: str = ""
    lines: str = ""
    reading: str = ""
    prints: str = ""
    word: str = ""
    correct: str = ""
    source: str = ""
    at: str = ""
    certainty: str = ""
    it: str = ""
    left_open: str = ""
    measured: str = ""
    measured_by: str = ""
    kind: str = ""
    slip: str = ""
    because: str = ""
    consequence: str = ""
    rounded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a claim that nobody could look up; it is computed when it is first asked for."""
        self._refuse_blank(f"`{self.says}`", "says", "source", "at")
        if not (self.by or self.correct or self.because):
            raise self._wrong(f"`{self.says}` has no `by`: say in `because` what it lacks")
        if sum(map(bool, (self.printed, self.reading, self.word))) > 1:
            raise self._wrong(f"`{self.says}` has more than one of `printed`, `reading` and `word`: keep one")
        if (self.by and not (self.printed or self.reading)) or bool(self.word) != bool(self.correct):
            raise self._wrong(f"`{self.says}` says `by` what, or `correct`, but not what was `printed`: state both")
        for first, second in (("quote", "lines"), ("it", "left_open"), ("measured", "measured_by")):
            if bool(getattr(self, first)) != bool(getattr(self, second)):
                raise self._wrong(f"`{self.says}` needs `{first}` and `{second}` together: state both or none")
        if self.kind and self.kind not in KINDS:
            raise self._wrong(f"`{self.kind}` is no kind of slip: choose one of {', '.join(KINDS)}")
        if self.certainty and self.certainty not in CERTAINTY:
            raise self._wrong(f"certainty `{self.certainty}` of `{self.says}`: choose one of {', '.join(CERTAINTY)}")
        if not self.is_formula and self.stated:
            self._print  # noqa: B018  reading it is the check
        self._refuse_strange_quotation()

    def _refuse_strange_quotation(self) -> None:
        """Refuse a rounded number that `by` lacks, and a printed number or word that the quotation lacks."""
        absent = [x for x in self.rounded if not re.search(rf"(?<![\w.]){re.escape(x)}(?![\w.])", self.by)]
        if absent:
            raise self._wrong(f"`rounded` lists {', '.join(absent)}, which `by` does not have: {self.by}")
        if not self.quote:
            return
        missing = [x for x in NUMBERS.findall(self.printed) if float(x) not in numerals(self.quote)]
        if self.is_formula:
            missing = [x for x in missing if float(x) != 1]  # a unit, as in 1[token]
        if missing and not self.prints:
            told = f"`{self.quote}` does not print {', '.join(missing)}: quote it, say what `prints` it"
            raise self._wrong(f"{told}, or call it the `reading`")
        if self.word not in self.quote:
            raise self._wrong(f"`{self.quote}` does not print `{self.word}`: quote it")

    @property
    def stated(self) -> str:
        """Return the printed quantity or formula, or the reading of words."""
        return self.printed or self.reading

    @property
    def is_formula(self) -> bool:
        """Return whether a formula was printed."""
        return "=" in self.stated

    @property
    def place(self) -> str:
        """Return the part of the document, the first words of `at`.

        >>> book.find("claims.papers.llama_gpu_share").place
        'section 3.3.4'
        """
        return re.split("[,;]", self.at)[0].strip()

    @kept
    def support(self) -> Any:
        """Return what computes the claim: a statement, a Calculation, or None; an open value at its lower end."""
        return self._support(0)

    def _support(self, step: float) -> Any:
        found = _meant(self._put(self.by, step)) if self.by else None
        if self.given and not isinstance(found, Formula):
            raise DeclarationError(f"`given` is for the letters of a formula; `{self.by}` is none")
        return found

    @kept
    def givens(self) -> dict[str, Any]:
        """Return what is given, by letter: texts of quantities, statements, Calculations."""
        return self._givens(0)

    def _givens(self, step: float) -> dict[str, Any]:
        texts = {n: self._put(x, step) if isinstance(x, str) else x for n, x in self.given.items()}
        return {n: _meant(x) if "[" in f"{x}" or ADDRESS.search(f"{x}") else x for n, x in texts.items()}

    def _put(self, text: str, step: float) -> str:
        """Return a text with the open value put in: at 0 the lower end of its range, at STEPS the upper."""
        return _IT.sub(self._open(step), text) if self.it else text

    def _open(self, step: float) -> str:
        first, last = (end.strip() for end in self.it.split(".."))
        unit = first.partition(" ")[2]
        low, high = (units.quantity(end, "`it`").m_as(units.unit(unit)) for end in (first, last))
        return f"{low + (high - low) * step / STEPS:.6g}[{unit}]"

    @kept
    def _print(self) -> Any:
        """Return the Printed quantity, or the printed Formula."""
        if not self.is_formula:
            return Printed.read(self.stated)
        letter, _, right = (part.strip() for part in self.stated.partition("="))
        wanted = self.support.lhs.name if isinstance(self.support, Formula) else "no formula"
        if letter != wanted:
            raise DeclarationError(f"`{self.stated}` is for {letter}, but `{self.by}` computes {wanted}")
        return Formula(self.support.lhs, expression(right, self.support.inputs), where=self.where)

    @property
    def facts(self) -> dict[str, Any]:
        """Return what computes the claim and what is given for it, as far as they are statements."""
        found = {self.by: self.support, **self.givens} if self.by else {}
        if self.prints not in ("", "="):
            found["prints"] = Calculation(self.prints)
        return {name: x for name, x in found.items() if hasattr(x, "roots")}

    @kept
    def claimed(self) -> Quantity | None:
        """Return the printed quantity; of a printed formula, its value at the givens; of words None."""
        if not self.stated:
            return None
        if not self.is_formula:
            return self._print.quantity
        given = {v: self.givens[v.name] for v in self._print.inputs if v.name in self.givens}
        found, _ = self._print.evaluate(given)
        return found.to(units.unit(self._print.lhs.shown))

    @kept
    def value(self) -> Quantity | None:
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        return None if self.support is None else self._value(0)

    def _value(self, step: float) -> Quantity:
        support = self._support(step)
        if isinstance(support, Formula):
            found, _ = support.evaluate(self._givens(step))  # what was printed may lie beyond the regime
        else:
            found = units.quantity(support, f"`{self.by}`")
        found = units.matching(found, self.claimed, f"what `{self.says}` is when computed")
        return found.to(self.claimed.units)

    @kept
    def verdict(self) -> str:
        """Return one of VERDICTS."""
        found = self._found
        if found == "wrong" and not self.because and (self.word or self.diagnosis.verdict == "wrong"):
            told = f"is wrong ({'' if self.word else self.diagnosis.text}; computed {self.text()})"
            raise DeclarationError(f"`{self.says}` {told}: say in `because` what happened")
        if found == "reproduced" and (self.because or self.consequence or self.slip) and not self.measured:
            told = f"is reproduced ({self.text()}), yet `because`, `slip` or `consequence` explains why it is not"
            raise DeclarationError(f"`{self.says}` {told}: one of the two is out of date")
        if found in FAULTS and not self.kind:
            raise DeclarationError(f"`{self.says}` is {found}: say of which `kind`, one of {', '.join(KINDS)}")
        return found

    @kept
    def _found(self) -> str:
        if self.word:
            return "reproduced" if self.word == self.correct else "wrong"
        if self.value is None:
            return "unsupported"
        if not self.is_formula:
            met = set(self._judged)
            if met == {"wrong"} and self.rounded and self._follows_from_rounded():
                return "rounding"
            return met.pop() if len(met) == 1 else "depends" if "wrong" in met else "rounding"
        try:
            judge.equal(self._print.rhs, self.support.rhs, place=self.where)
        except Refuted:  # a claim that only could not be judged is not wrong: that error goes on
            return self._without_whole_numbers()
        return "reproduced"

    def _without_whole_numbers(self) -> str:
        """Return `rounding` where the printed formula only leaves out that a number is rounded to a whole one."""
        smooth = self.support.rhs.replace(sympy.ceiling, lambda x: x).replace(sympy.floor, lambda x: x)
        try:
            judge.equal(self._print.rhs, smooth, place=self.where)
        except Refuted:
            return "wrong"
        return "rounding"

    def _follows_from_rounded(self) -> bool:
        """Return whether the printed number lies in the range of `by` over the last digits of what is rounded."""
        ends = []
        for number in self.rounded:
            half = Printed.read(number).last_digit() / 2
            ends.append([(number, f"{float(number) + way * half!r}") for way in (-1, 1)])
        values = [self._with_numbers(dict(corner)) for corner in itertools.product(*ends)]
        low, printed, high = min(values), float(self._print.number), max(values)
        return low - self._print.last_digit() / 2 <= printed <= high + self._print.last_digit() / 2

    def _with_numbers(self, numbers: dict[str, str]) -> float:
        text = self.by
        for old, new in numbers.items():
            text = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, text)
        return float(Calculation(text).value.m_as(self.claimed.units))

    @kept
    def _judged(self) -> list[str]:
        """Return the verdicts over the range of the open value, or the one where none is open."""
        steps = range(STEPS + 1) if self.it else [0]
        return [self._print.judge(float(self._value(step).magnitude)) for step in steps]

    @property
    def range(self) -> str:
        """Return for which open values the claim agrees, or an empty text where none is open.

        >>> half = Claim("a quarter hour is half of it", "50 %", "15[min] / it", source="daly2006", at="title",
        ...              it="10 min..1 h", left_open="the time", kind="value", because="the time is not given")
        >>> half.verdict, half.range.replace(chr(0x202F), " ")
        ('depends', 'agrees for the time of 27.5 min to 33.0 min')
        """
        if not self.it or self.verdict == "unsupported":
            return ""
        good = [step for step, verdict in enumerate(self._judged) if verdict != "wrong"]
        if not good:
            return f"for no {self.left_open.removeprefix('the ')} from {self._shown(0)} to {self._shown(STEPS)}"
        first, last = (self._shown(self._edge(step, way)) for step, way in ((good[0], -1), (good[-1], 1)))
        told = f"about {first}" if first == last else f"{first} to {last}"
        return f"agrees for {self.left_open} of {told}"

    def _edge(self, good: float, way: int) -> float:
        """Return where, from a step that agrees towards the next, the claim ceases to agree."""

        def is_wrong(part: int) -> bool:
            return self._print.judge(float(self._value(good + way * part / PARTS).magnitude)) == "wrong"

        if not 0 <= good + way <= STEPS:
            return good
        return good + way * (bisect.bisect(range(PARTS), False, key=is_wrong) - 1) / PARTS

    def _shown(self, step: float) -> str:
        return quantity_text(Calculation(self._open(step)).value, None, 3)

    @kept
    def contradicted(self) -> bool:
        """Return whether what was measured contradicts the claim.

        Raises: DeclarationError if it does not, though the claim states it.
        """
        if not self.measured_by:
            return False
        found = units.matching(Calculation(self.measured_by).value, self.claimed, f"what was measured of `{self.says}`")
        if self._print.judge(float(found.m_as(self.claimed.units))) != "wrong":
            raise DeclarationError(f"`{self.says}` agrees with what was measured: take `measured` off")
        return True

    def _flaws(self) -> None:
        self.verdict, self.contradicted  # noqa: B018  asking is judging
        if self.prints:
            shown = self.value if self.prints == "=" else Calculation(self.prints).value
            printed = float(shown.m_as(self.claimed.units))
            if abs(printed - float(self._print.number)) > self._print.last_digit() / 2 * (1 + 1e-9):
                told = f"the document's program gives {printed:.6g}, but {self.stated} was expected"
                raise DeclarationError(f"`{self.says}`: {told}: correct one of the two")
        other = {e.address: e.verdict for e in _slips().get(self.slip, ()) if e.verdict != self.verdict}
        if other:
            told = ", ".join(f"{address} is {verdict}" for address, verdict in other.items())
            raise DeclarationError(
                f"`{self.says}` is {self.verdict}, but with the same slip {told}: give both one verdict"
            )

    @kept
    def diagnosis(self) -> Diagnosis:
        """Return the Diagnosis of the printed against the computed value."""
        if self.word or self.value is None:
            return Diagnosis("wrong", "nothing is given from which it could be computed", math.nan)
        claimed, value = float(self.claimed.magnitude), float(self.value.magnitude)
        end = None if self.is_formula else self._print.end
        nearest = float(end) if end and value > float(end) else claimed
        two = two_of(self.support.shown) if isinstance(self.support, Formula) else ""
        return diagnose(nearest, value, rtol=1e-9, unit=None, two=two)

    @property
    def explanation(self) -> str:
        """Return in words how the claim came about: the author's, or the engine's diagnosis."""
        wrong = self.verdict in ("wrong", "depends", "unsupported")
        return self.because or (self.diagnosis.text if wrong else "")

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the computed value as pages print it, or an empty text for an unsupported claim.

        A duration that is no readable number in the printed unit is shown in another one; a plain
        count whose printed number was whole stays whole.
        """
        if self.value is None:
            return self.correct
        if self.it and not self.is_formula:
            return f"{self._as_text(self._value(0), unit, digits)} to {self._as_text(self._value(STEPS), unit, digits)}"
        return self._as_text(self.value, unit, digits)

    def _as_text(self, value: Quantity, unit: str | None, digits: int | None) -> str:
        if self._is_count and unit is None and digits is None:
            return quantity_text(value, None, 0)
        readable = 1 <= abs(value.magnitude) < 1000
        if unit is None and not readable and self._found == "wrong" and value.check("[time]"):
            unit = natural_unit(value, "s")
        printed = 3 if self.is_formula else min(self._print.digits, 6)
        return quantity_text(value, unit, digits or max(3, printed))

    @property
    def _is_count(self) -> bool:
        if self.is_formula or self.it or not self.value.unitless or "." in self._print.number:
            return False
        value = float(self.value.magnitude)
        return abs(value) < 1e4 and math.isclose(value, round(value), rel_tol=1e-12)

    def printed_text(self) -> str:
        """Return what was printed, as pages print it; a formula as LaTeX between dollars."""
        if not self.stated:
            return self.word
        return f"${self._print.latex()}$" if self.is_formula else self._print.text()

    def how(self) -> str:
        """Return the computation as text: letters with numbers, the calculation, or an address."""
        if self.support is None:
            return ""
        if isinstance(self.support, Calculation):
            counted = self.support.text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(self.support, Formula):
            values = {v: units.quantity(self.givens[v.name], v.name) for v in self.support.inputs}
            return line_with(self.support, values, self.text())
        return f"{self.support.address}: {self.text()}"


@functools.cache
def _slips() -> dict[str, list[Claim]]:
    """Return the claims of the book by their slip."""
    found: dict[str, list[Claim]] = {}
    for name in book.names():
        if book.file(name, "claims.toml").is_file():
            for _, entity in book.entities(name):
                if isinstance(entity, Claim) and entity.slip:
                    found.setdefault(entity.slip, []).append(entity)
    return found


def _meant(text: str) -> Any:
    """Return the statement at an address, or the Calculation that a text is."""
    return book.find(text) if ADDRESS.fullmatch(text) else Calculation(text)
