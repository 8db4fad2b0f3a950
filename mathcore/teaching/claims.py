"""`Claim`: a statement of a published text, its computed value, and the verdict that follows from both.

`QuotedValue` is a quantity as a text prints it: `44 min`, `~44 min`, `<1 %`, `20..40 %`. `read_claims` reads the
claims of a chapter from its `claims.toml`: each table has the fields of a Claim as keys, and keys above the first table
apply to all.
"""

import bisect
import functools
import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from mathcore import checker, units
from mathcore.errors import DeclarationError, Refuted
from mathcore.examples import substituted_text
from mathcore.facts import CERTAINTY
from mathcore.formulas import Formula
from mathcore.library import current_library
from mathcore.statements import Group, Statement, located_cached_property
from mathcore.teaching.diagnosis import Diagnosis, diagnose, factor_of_two
from mathcore.teaching.expressions import Calculation, parse_expression
from mathcore.teaching.grammar import ADDRESS
from mathcore.teaching.quoted_values import QuotedValue, numbers_in_quote
from mathcore.teaching.toml_schema import read_module_file
from mathcore.units import Quantity, natural_unit, quantity_text

CLAIM_VERDICTS = ("reproduced", "rounding", "wrong", "depends", "unsupported")
SLIP_KINDS = {
    "unit": "a unit: time, bytes, percent, device-hours",
    "value": "an input that its source, or a better one, does not bear out",
    "formula": "a formula, or the wrong one for the case", "arithmetic": "a sum or product of right inputs",
    "contradiction": "two places of the same document", "direction": "what grows, wins or dominates",
    "label": "a name on the wrong number", "code": "what the program does or prints",
    "reference": "who published it, and where"
}  # fmt: skip
VERDICTS_WITH_SLIP = ("wrong", "depends")  # the verdicts that need a kind
STEPS, PARTS = 24, 4096  # steps of the range of an unknown value, and parts of a step where the verdict changes
NUMBERS = re.compile(r"(?<![A-Za-z_])\d+(?:\.\d+)?(?:e[+-]?\d+)?")  # not the 2 of log2
_UNKNOWN = re.compile(r"\bunknown\b")


def read_claims(module: str) -> Group:
    """Return the claims in the `claims.toml` of a module as a Group.

    >>> read_claims("mathcore.chapters.claims.papers").daly_day.verdict
    'reproduced'
    """
    return read_module_file("claims.toml", Claim, module)


@dataclass(frozen=True, eq=False, repr=False)
class Claim(Statement):
    """State a claim: `Claim("a fleet of 16,384 GPUs fails every 44 minutes", "44 min", …)`.

    `summary` is what is meant; `quote` a few words of the text as they stand, parts joined by ` … `, and `lines`
    where in the text: `111`, `206-207` or `111, 679`. `printed` is the quantity in the quotation: `~44 min`
    where it says "about", `<1 %` or `20..40 %` for bounds; a printed formula is written with its symbol,
    `tau_Y = sqrt(2 * C * M)`. Where the text has words in place of a number, `reading` is what they are taken
    to say; where the number is written by the document's own program, `program_output` is that program's arithmetic
    (`=` where it is that of `computed_by`); where a name was printed, `word` is it, and `correct` the right one.

    `computed_by` is what computes it: the address of a formula (with its symbols in `given`, each a quantity, an
    address or a calculation), of an example or a fact, or a calculation such as `200[gpu h] / 16384[gpu]`;
    without it the claim is unsupported. A value that the text leaves open is called `unknown` in `computed_by` and
    `given`: `unknown = "1 min..10 min"`, in words `unknown_meaning`.
    `measured` is what was measured instead, in words with source, and `measured_by` the value. `source` and `at`
    say where the claim stands and, where nothing is quoted, `certainty` (of CERTAINTY) how far that was traced;
    `kind` (of SLIP_KINDS) what kind of slip it is and `slip` which, by a name that all claims with this slip share;
    `cause` explains it, `consequence` says what changes.

    Raises: DeclarationError without source or place, and for a printed number that the quotation does not
    have; when it is judged, for a wrong claim without kind or that no diagnosis and no `cause` explains,
    and for an explanation of a claim that is reproduced.

    >>> slip = Claim("a fleet fails every 44 minutes", "44 min", "200[gpu h] / 16384[gpu]",
    ...              source="checkpoint_reckoning", at="title", kind="unit")
    >>> slip.verdict, slip.diagnosis.text
    ('wrong', '60 times too large: seconds and minutes, or minutes and hours, were confused')
    """

    summary: str
    printed: str = ""
    computed_by: str = ""
    given: dict[str, str] = field(default_factory=dict)
    quote: str = ""
    lines: str = ""
    reading: str = ""
    program_output: str = ""
    word: str = ""
    correct: str = ""
    source: str = ""
    at: str = ""
    certainty: str = ""
    unknown: str = ""
    unknown_meaning: str = ""
    measured: str = ""
    measured_by: str = ""
    kind: str = ""
    slip: str = ""
    cause: str = ""
    consequence: str = ""

    def __post_init__(self) -> None:
        """Check the form of the claim; its value and verdict are computed when they are first read."""
        self._require_text(f"`{self.summary}`", "summary", "source", "at")
        if not (self.computed_by or self.correct or self.cause):
            message = f"`{self.summary}` has no `computed_by`: state in `cause` what is missing"
            raise self.located_error(message, code="missing", expected="computed_by")
        if sum(map(bool, (self.printed, self.reading, self.word))) > 1:
            message = f"`{self.summary}` has more than one of `printed`, `reading` and `word`: keep one"
            raise self.located_error(message, code="inconsistent", expected="one of printed, reading and word")
        if (self.computed_by and not (self.printed or self.reading)) or bool(self.word) != bool(self.correct):
            message = f"`{self.summary}` says `computed_by` what, or `correct`, but not what was `printed`: state both"
            raise self.located_error(message, code="missing", expected="printed")
        self._check_pairs_and_choices()
        if not self.is_formula and self.stated:
            self._quoted  # noqa: B018  reading it is the check
        self._refuse_strange_quotation()

    def _check_pairs_and_choices(self) -> None:
        """Check the fields that depend on each other, and the fields with a closed list of values."""
        for first, second in (("quote", "lines"), ("unknown", "unknown_meaning"), ("measured", "measured_by")):
            if bool(getattr(self, first)) != bool(getattr(self, second)):
                message = f"`{self.summary}` needs `{first}` and `{second}` together: state both or none"
                raise self.located_error(message, code="missing", expected=f"{first} and {second}")
        self._require_choice("kind", ("", *SLIP_KINDS), f"the slip in `{self.summary}`")
        self._require_choice("certainty", ("", *CERTAINTY), f"`{self.summary}`")

    def _refuse_strange_quotation(self) -> None:
        """Check that the quotation contains the printed number or word."""
        if not self.quote:
            return
        missing = [x for x in NUMBERS.findall(self.printed) if float(x) not in numbers_in_quote(self.quote)]
        if self.is_formula:
            missing = [x for x in missing if float(x) != 1]  # a unit, as in 1[token]
        if missing and not self.program_output:
            text = f"`{self.quote}` does not print {', '.join(missing)}: quote it, say what `program_output` it"
            message = f"{text}, or call it the `reading`"
            raise self.located_error(message, code="inconsistent", got=", ".join(missing), expected=self.quote)
        if self.word not in self.quote:
            message = f"`{self.quote}` does not print `{self.word}`: quote it"
            raise self.located_error(message, code="inconsistent", got=self.word, expected=self.quote)

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
        """Return the section of the document, the first part of `at`.

        >>> current_library.find("claims.papers.llama_gpu_share").place
        'section 3.3.4'
        """
        return re.split("[,;]", self.at)[0].strip()

    @located_cached_property
    def support(self) -> Any:
        """Return the statement or Calculation that computes the claim, or None; an unknown is at its lower end."""
        if self.unknown:
            return self._at(0).support
        support = _statement_or_calculation(self.computed_by) if self.computed_by else None
        if self.given and not isinstance(support, Formula):
            message = f"`given` is for the symbols of a formula; `{self.computed_by}` is none"
            raise DeclarationError(message, code="not-a-formula", got=self.computed_by, expected="a formula")
        return support

    @located_cached_property
    def givens(self) -> dict[str, object]:
        """Return the givens by symbol: texts of quantities, statements, Calculations."""
        given = self._at(0).given if self.unknown else self.given
        return {n: _statement_or_calculation(x) if "[" in x or ADDRESS.search(x) else x for n, x in given.items()}

    def _at(self, step: float) -> "Claim":
        """Return the claim with the unknown at a step of its range, from 0 to STEPS."""
        fill = functools.partial(_UNKNOWN.sub, self._open(step))
        given = {name: fill(text) for name, text in self.given.items()}
        return replace(self, computed_by=fill(self.computed_by), given=given, unknown="", unknown_meaning="")

    def _open(self, step: float) -> str:
        first, last = (end.strip() for end in self.unknown.split(".."))
        unit = first.partition(" ")[2]
        low, high = (units.quantity(end, "`unknown`").m_as(units.unit(unit)) for end in (first, last))
        return f"{low + (high - low) * step / STEPS:.6g}[{unit}]"

    @located_cached_property
    def _quoted(self) -> QuotedValue | Formula:
        """Return the QuotedValue, or the Formula, that the document prints."""
        if not self.is_formula:
            return QuotedValue.parse(self.stated)
        symbol, _, right = (part.strip() for part in self.stated.partition("="))
        wanted = self.support.lhs.name if isinstance(self.support, Formula) else "no formula"
        if symbol != wanted:
            message = f"`{self.stated}` is for {symbol}, but `{self.computed_by}` computes {wanted}"
            raise DeclarationError(message, code="inconsistent", got=symbol, expected=wanted)
        return Formula(self.support.lhs, parse_expression(right, self.support.inputs), where=self.where)

    @property
    def facts(self) -> dict[str, Any]:
        """Return the statements and Calculations that compute the claim or are given for it, by name."""
        statements = {self.computed_by: self.support, **self.givens} if self.computed_by else {}
        if self.program_output not in ("", "="):
            statements["program_output"] = Calculation(self.program_output)
        return {name: x for name, x in statements.items() if hasattr(x, "source_facts")}

    @located_cached_property
    def claimed(self) -> Quantity | None:
        """Return the printed quantity, or the value of a printed formula at the givens, or None for words."""
        if not self.stated:
            return None
        if not self.is_formula:
            return self._quoted.quantity
        given = {v: self.givens[v.name] for v in self._quoted.inputs if v.name in self.givens}
        claimed, _ = self._quoted.evaluate(given)
        return claimed.to(units.unit(self._quoted.lhs.display_unit))

    @located_cached_property
    def value(self) -> Quantity | None:
        """Return the computed quantity in the unit of the claim, or None for an unsupported claim.

        Raises: ArgumentError for a value of another dimension than the claim's.
        """
        if self.support is None:
            return None
        if isinstance(self.support, Formula):
            computed, _ = self.support.evaluate(self.givens)  # the claim may lie outside the validity
        else:
            computed = units.quantity(self.support, f"`{self.computed_by}`")
        computed = units.match_dimension(computed, self.claimed, f"what `{self.summary}` is when computed")
        return computed.to(self.claimed.units)

    @located_cached_property
    def verdict(self) -> str:
        """Return one of CLAIM_VERDICTS."""
        verdict = self._found
        if verdict == "wrong" and not self.cause and (self.word or self.diagnosis.verdict == "wrong"):
            text = f"is wrong ({'' if self.word else self.diagnosis.text}; computed {self.text()})"
            message = f"`{self.summary}` {text}: state in `cause` what happened"
            raise DeclarationError(message, code="missing", got=self.text(), expected="cause")
        if verdict == "reproduced" and (self.cause or self.consequence or self.slip) and not self.measured:
            text = f"is reproduced ({self.text()}), yet `cause`, `slip` or `consequence` explains why it is not"
            message = f"`{self.summary}` {text}: one of the two is out of date"
            wanted = "a claim without cause, slip and consequence"
            raise DeclarationError(message, code="inconsistent", got=self.text(), expected=wanted)
        if verdict in VERDICTS_WITH_SLIP and not self.kind:
            message = f"`{self.summary}` is {verdict}: state its `kind`, one of {', '.join(SLIP_KINDS)}"
            raise DeclarationError(message, code="missing", expected=", ".join(SLIP_KINDS))
        return verdict

    @located_cached_property
    def _found(self) -> str:
        if self.word:
            return "reproduced" if self.word == self.correct else "wrong"
        if self.value is None:
            return "unsupported"
        if not self.is_formula:
            met = set(self._verdicts_over_range)
            return met.pop() if len(met) == 1 else "depends" if "wrong" in met else "rounding"
        try:
            checker.check_equal(self._quoted.rhs, self.support.rhs, place=self.where)
        except Refuted:  # a StepError that is not Refuted means that nothing could be decided
            return self._without_whole_numbers()
        return "reproduced"

    def _without_whole_numbers(self) -> str:
        """Return `rounding` if the printed formula differs only by leaving out ceiling or floor, else `wrong`."""
        smooth = self.support.rhs.replace(sympy.ceiling, lambda x: x).replace(sympy.floor, lambda x: x)
        try:
            checker.check_equal(self._quoted.rhs, smooth, place=self.where)
        except Refuted:
            return "wrong"
        return "rounding"

    @located_cached_property
    def _verdicts_over_range(self) -> list[str]:
        """Return the verdicts over the range of the unknown value, or the single verdict without one."""
        claims = [self._at(step) for step in range(STEPS + 1)] if self.unknown else [self]
        return [self._quoted.verdict(float(claim.value.magnitude)) for claim in claims]

    @property
    def range(self) -> str:
        """Return for which unknown values the claim agrees, or an empty text without one.

        >>> half = Claim("a quarter hour is half of it", "50 %", "15[min] / unknown", source="daly2006", at="title",
        ...              unknown="10 min..1 h", unknown_meaning="the time", kind="value", cause="the time is not given")
        >>> half.verdict, half.range.replace(chr(0x202F), " ")
        ('depends', 'agrees for the time of 27.5 min to 33.0 min')
        """
        if not self.unknown or self.verdict == "unsupported":
            return ""
        good = [step for step, verdict in enumerate(self._verdicts_over_range) if verdict != "wrong"]
        if not good:
            return f"for no {self.unknown_meaning.removeprefix('the ')} from {self._text(0)} to {self._text(STEPS)}"
        first, last = (self._text(self._find_edge(step, way)) for step, way in ((good[0], -1), (good[-1], 1)))
        text = f"about {first}" if first == last else f"{first} to {last}"
        return f"agrees for {self.unknown_meaning} of {text}"

    def _find_edge(self, good: float, way: int) -> float:
        """Return the step between `good` and its neighbour at which the claim ceases to agree."""

        def is_wrong(part: int) -> bool:
            return self._quoted.verdict(float(self._at(good + way * part / PARTS).value.magnitude)) == "wrong"

        if not 0 <= good + way <= STEPS:
            return good
        return good + way * (bisect.bisect(range(PARTS), False, key=is_wrong) - 1) / PARTS

    def _text(self, step: float) -> str:
        """Return the value of the unknown at a step of its range, as pages print it."""
        return quantity_text(Calculation(self._open(step)).value, None, 3)

    @located_cached_property
    def contradicted(self) -> bool:
        """Return whether a measurement contradicts the claim.

        Raises: DeclarationError if the stated measurement agrees with the claim.
        """
        if not self.measured_by:
            return False
        measured = units.match_dimension(
            Calculation(self.measured_by).value, self.claimed, f"what was measured of `{self.summary}`"
        )
        if self._quoted.verdict(float(measured.m_as(self.claimed.units))) != "wrong":
            message = f"`{self.summary}` agrees with the measurement: remove `measured`"
            wanted = "a claim that differs from what was measured"
            raise DeclarationError(message, code="inconsistent", got="measured", expected=wanted)
        return True

    def _find_issues(self) -> None:
        self.verdict, self.contradicted  # noqa: B018  reading them is the check
        if self.program_output:
            output = self.value if self.program_output == "=" else Calculation(self.program_output).value
            printed = float(output.m_as(self.claimed.units))
            if abs(printed - float(self._quoted.number)) > self._quoted.last_digit() / 2 * (1 + 1e-9):
                text = f"the document's program gives {printed:.6g}, but {self.stated} was expected"
                message = f"`{self.summary}`: {text}: correct one of the two"
                raise DeclarationError(message, code="inconsistent", got=f"{printed:.6g}", expected=self.stated)
        other = {e.address: e.verdict for e in _claims_by_slip().get(self.slip, ()) if e.verdict != self.verdict}
        if other:
            text = ", ".join(f"{address} is {verdict}" for address, verdict in other.items())
            message = f"`{self.summary}` is {self.verdict}, but with the same slip {text}: give both one verdict"
            raise DeclarationError(message, code="inconsistent", got=text, expected=self.verdict)

    @located_cached_property
    def diagnosis(self) -> Diagnosis:
        """Return the Diagnosis of the printed value against the computed one."""
        if self.word or self.value is None:
            return Diagnosis("wrong", "nothing is given from which it could be computed", math.nan)
        claimed, value = float(self.claimed.magnitude), float(self.value.magnitude)
        end = None if self.is_formula else self._quoted.end
        nearest = float(end) if end and value > float(end) else claimed
        two = factor_of_two(self.support.display_form) if isinstance(self.support, Formula) else ""
        return diagnose(nearest, value, two)

    @property
    def explanation(self) -> str:
        """Return how a wrong number came about: `cause`, or the text of the diagnosis."""
        wrong = self.verdict in ("wrong", "depends", "unsupported")
        return self.cause or (self.diagnosis.text if wrong else "")

    def text(self, unit: str | None = None, digits: int | None = None) -> str:
        """Return the computed value in the format of the pages, or an empty text for an unsupported claim.

        A duration below 1 or from 1000 on in the printed unit gets another unit; a count printed as an integer
        stays one.
        """
        if self.value is None:
            return self.correct
        if self.unknown and not self.is_formula:
            return f"{self._as_text(self.value, unit, digits)} to {self._as_text(self._at(STEPS).value, unit, digits)}"
        return self._as_text(self.value, unit, digits)

    def _as_text(self, value: Quantity, unit: str | None, digits: int | None) -> str:
        if self._is_count and unit is None and digits is None:
            return quantity_text(value, None, 0)
        readable = 1 <= abs(value.magnitude) < 1000
        if unit is None and not readable and self._found == "wrong" and value.check("[time]"):
            unit = natural_unit(value, "s")
        printed = 3 if self.is_formula else min(self._quoted.digits, 6)
        return quantity_text(value, unit, digits or max(3, printed))

    @property
    def _is_count(self) -> bool:
        if self.is_formula or self.unknown or not self.value.unitless or "." in self._quoted.number:
            return False
        value = float(self.value.magnitude)
        return abs(value) < 1e4 and math.isclose(value, round(value), rel_tol=1e-12)

    def printed_text(self) -> str:
        """Return the printed quantity in the format of the pages; a formula as LaTeX between dollars."""
        if not self.stated:
            return self.word
        return f"${self._quoted.latex()}$" if self.is_formula else self._quoted.text()

    def how(self) -> str:
        """Return the computation as text: the formula with numbers, the calculation, or an address."""
        if self.support is None:
            return ""
        if isinstance(self.support, Calculation):
            counted = self.support.text()
            return counted if counted == self.text() else f"{counted} = {self.text()}"
        if isinstance(self.support, Formula):
            values = {v: units.quantity(self.givens[v.name], v.name) for v in self.support.inputs}
            return substituted_text(self.support, values, self.text())
        return f"{self.support.address}: {self.text()}"


@functools.cache
def _claims_by_slip() -> dict[str, list[Claim]]:
    """Return the claims of the book by their slip."""
    slips: dict[str, list[Claim]] = {}
    for name in current_library.names():
        if current_library.file(name, "claims.toml").is_file():
            for _, statement in current_library.statements(name, Claim):
                if statement.slip:
                    slips.setdefault(statement.slip, []).append(statement)
    return slips


def _statement_or_calculation(text: str) -> Any:
    """Return the statement at an address, or the Calculation of any other text."""
    return current_library.find(text) if ADDRESS.fullmatch(text) else Calculation(text)
