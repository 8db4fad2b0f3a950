"""The one unit registry of the book, a closed list, and quantities with their units.

Rules of units: information, computation, text, money, devices, carbon and water are dimensions of their
own; byte and bit share one (8 bit = 1 byte); a month is no unit because its length varies; a bare number
never stands for a quantity with a dimension. `number_format` has the rules of printed numbers.
"""

import functools
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

import pint
from pint.util import UnitsContainer

from mathcore.errors import ArgumentError, Code, ConversionError, nearest
from mathcore.number_format import FROM_SUPERSCRIPT, ONE_DECIMAL, number_text, spell_quantity, unit_text
from mathcore.types import Array

PREFIXES = {"p": -12, "n": -9, "µ": -6, "u": -6, "m": -3}
PREFIXES |= {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
# name: definition and other spellings; a definition in brackets is a dimension of its own.
UNITS = {
    "s": ("[time]", "sec second seconds"),
    "min": ("60 * s", "minute minutes mins"),
    "h": ("3600 * s", "hr hrs hour hours"),
    "d": ("86400 * s", "day days"),
    "week": ("604800 * s", "weeks"),
    "year": ("31557600 * s", "years"),  # Julian year, 365.25 d; a tariff that counts 8,760 h states it in h
    "B": ("[information]", "byte bytes"),
    "bit": ("0.125 * B", "bits"),
    "bps": ("bit / s", ""),  # of network cards: 400 Gbps
    "Bps": ("B / s", ""),
    "FLOP": ("[computation]", "FLOPs"),
    "token": ("[text]", "tokens tok"),
    "USD": ("[money]", "dollar dollars"),
    "gpu": ("[device]", "GPU gpus GPUs device devices"),
    "J": ("[energy]", ""),
    "W": ("J / s", ""),
    "Wh": ("3600 * J", ""),
    "g": ("[carbon]", ""),  # mass of CO2e: the only mass this book weighs
    "t": ("1000000 * g", "tonne tonnes"),
    "L": ("[water]", "litre litres liter liters"),
    "FIT": ("1 / (3600000000000 * gpu * s)", ""),  # failures in a billion device-hours
    "percent": ("0.01", ""),
    "permille": ("0.001", ""),
}
PREFIXABLE = ("s", "B", "bit", "bps", "Bps", "FLOP", "token", "USD", "J", "W", "Wh", "g", "L")
# `{spelling: (prefix, name)}`: the closed list, since pint alone would take Mmin and GBs too.
UNIT_SPELLINGS = {
    prefix + spelling: (prefix, name)
    for name, (_, spellings) in UNITS.items()
    for prefix in (("", *PREFIXES, *BINARY) if name in PREFIXABLE else ("",))
    for spelling in (name, *spellings.split())
    if not prefix or prefix + spelling not in UNITS  # "min" is the minute, never a milli-inch
    if name not in ("bps", "Bps") or prefix in ("", *"kMGTP")  # who writes mbps means Mbps
}
MULTIPLES = {"k": "e3", "K": "e3", "M": "e6", "G": "e9", "T": "e12"}  # of a count: 8k tokens, 2T tokens
# What people write for a prefix and for a unit, in small letters, and what is meant.
PREFIX_WORDS = {"": "", "milli": "m", "micro": "u", "nano": "n", "kilo": "k", "mega": "M", "giga": "G", "tera": "T"}
PREFIX_WORDS |= {"peta": "P", "exa": "E"} | {prefix.lower(): prefix for prefix in (*PREFIXES, *BINARY)}
UNIT_ALIASES = {spelling.lower(): name for name, (_, more) in UNITS.items() for spelling in (name, *more.split())}
UNIT_ALIASES |= {"b": "bit", "bs": "bit", "bps": "bps", "flops": "FLOP/s", "watt": "W", "watts": "W", "joule": "J"}


class Valued(Protocol):
    """A statement that has a value: a Fact, an Example."""

    @property
    def value(self) -> "Quantity":
        """Return the value."""


class ArrayLike(Protocol):
    """An array of numpy, or what can become one."""

    def __array__(self) -> Array:
        """Return the array."""


class _BookQuantity(pint.UnitRegistry.Quantity):
    """A quantity of pint that reads units as `unit` does."""

    def to(self, other: object = None, *contexts: object, **options: object) -> "Quantity":
        """Return the quantity in another unit, a text as `unit` reads it or a unit of the registry."""
        return super().to(unit(other) if isinstance(other, str) else other, *contexts, **options)

    def ito(self, other: object = None, *contexts: object, **options: object) -> None:
        """Convert the quantity to another unit in place."""
        super().ito(unit(other) if isinstance(other, str) else other, *contexts, **options)

    def __reduce__(self) -> tuple:
        """Come back from a pickle in this registry."""
        return _unpickled, (self._magnitude, unit_name(self))


def _unpickled(magnitude: object, name: str) -> "Quantity":
    return Quantity(magnitude, unit(name))


# What pint refuses: as two quantities of different dimensions, or as one that has a dimension where a number is wanted.
REFUSING = {"to": "to", "ito": "to", "__add__": "+", "__radd__": "+", "__iadd__": "+", "__sub__": "-", "__rsub__": "-"}
REFUSING |= {"__isub__": "-", "compare": "<", "__pow__": "**", "__rpow__": "**", "__float__": "float", "__int__": "int"}
REFUSING |= {"__floordiv__": "//", "__mod__": "%", "__array_ufunc__": "numpy", "__array_function__": "numpy"}


def _raising_method(name: str, sign: str) -> Callable:
    """Return a method of pint's quantities that raises ConversionError instead of pint's errors."""
    method = getattr(_BookQuantity, name)

    @functools.wraps(method)
    def called(self: object, *arguments: object, **options: object) -> object:
        try:
            return method(self, *arguments, **options)
        except (pint.PintError, TypeError, ValueError) as error:
            if isinstance(error, ArgumentError):
                raise
            other = next((x for x in arguments if isinstance(x, (str, int, float, pint.Unit, pint.Quantity))), None)
            raise _operation_error(self, other, sign, error) from None

    return called


def _operation_error(one: "Quantity", other: object, sign: str, error: Exception) -> ConversionError:
    """Return the error of an operation between a quantity and a text, a number, a unit or another quantity."""
    if isinstance(other, (int, float)) and sign in "+-<":
        message = f"cannot convert from 'dimensionless' to {_side(one._units)}"
        hint = f'write its unit, such as quantity("{other} {unit_name(one)}")'
        return ConversionError(message, code="missing-unit", got=other, expected=unit_name(one), hint=hint)
    hint = f'write quantity("{other}")' if isinstance(other, str) and sign in "+-<" else ""
    if sign in ("float", "int"):
        hint = f'`.m_as("{unit_name(one)}")` is the number in a unit'
    if not isinstance(error, pint.DimensionalityError):
        message = f"unsupported operand for {sign}: {error}"
        return ConversionError(message, code="not-a-quantity", got=f"{one:~}", hint=hint)
    message = f"cannot convert from {_side(error.units1)} to {_side(error.units2)}"
    return ConversionError(message, got=f"{one:~}", expected=f"{error.units2}", hint=hint)


class _Registry(pint.UnitRegistry):
    Quantity = type(
        "Quantity", (_BookQuantity,), {name: _raising_method(name, sign) for name, sign in REFUSING.items()}
    )


def _registry() -> pint.UnitRegistry:
    registry = _Registry(None, cache_folder=None)
    for prefix, size in [(p, f"1e{n}") for p, n in PREFIXES.items()] + [(p, f"{2**n}") for p, n in BINARY.items()]:
        registry.define(f"{prefix}- = {size}")
    for name, (definition, spellings) in UNITS.items():
        registry.define(f"{name} = {definition}")
        for spelling in spellings.split():
            registry.define(f"@alias {name} = {spelling}")
    return registry


registry = _registry()
if TYPE_CHECKING:  # an editor knows pint's class, not one that a registry makes
    from pint import Quantity
else:
    Quantity = registry.Quantity
# What may be given for a quantity: a text, a number where no unit is needed, a statement, an array, a list of such.
QuantityLike: TypeAlias = "str | float | Quantity | Valued | ArrayLike | Sequence[QuantityLike]"
COUNTS = tuple(registry.Unit(name).dimensionality for name in ("gpu", "token"))  # of what is counted one by one

_NUMBER = re.compile(
    r"([+-]?)((?:[0-9]{1,3}(?:[,\u202f\u00a0][0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE]([+-]?[0-9]{1,3})|\s?[·×]\s?10(?:\^([+-]?[0-9]{1,3})|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3})))?"
)
_TOKEN = re.compile(
    r"(?P<power>(?:\*\*|\^)\s*-?[0-9]+|⁻?[¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>[*·⋅/()])"
    r"|(?P<name>[A-Za-zµμ]+|%|\$|1(?=\s*/))|(?P<space> +)"
)
_TOKENS = re.compile(f"(?:{_TOKEN.pattern})*")
_CARBON = re.compile(r"(?<=[gt]) ?CO[2₂](?:-?eq?)?\b")  # the only mass is that of CO2e: gCO2/kWh, kg CO2e
_DOLLARS = re.compile(r"^([+-]?)\$\s?")
MAX_LENGTH, MAX_POWER = 80, 4  # of a text in characters, of a power: what is longer is no quantity of this book


@functools.cache
def unit(text: str) -> pint.Unit:
    """Return the pint unit that `text` names: products, quotients and small whole powers of known names.

    The empty text is the plain count. Every name is checked against the closed list before pint reads the text.

    Raises: ArgumentError with the place in the text for anything else, naming the nearest known unit.

    >>> unit("GB/s").dimensionality == unit("Gbit/s").dimensionality
    True
    >>> unit("gpu h"), unit("1/s"), unit("USD/(gpu h)")
    (<Unit('gpu * h')>, <Unit('1 / s')>, <Unit('USD / gpu / h')>)
    """
    if isinstance(text, registry.Unit):
        return text
    text = _CARBON.sub("", text)
    if len(text) > MAX_LENGTH:
        message = f"the unit `{text[:MAX_LENGTH]}…` is longer than {MAX_LENGTH} characters"
        raise ArgumentError(message, code="unit-syntax", got=text[:MAX_LENGTH])
    written = _for_pint(text)
    try:
        return registry.parse_units(written)
    except Exception:  # of any class that pint, or the tokenizer of Python, has for a text that is none
        raise _syntax_error(text, text) from None


def _for_pint(text: str) -> str:
    """Return a unit in the notation of pint, every name from the closed list."""
    if unread := _TOKENS.sub("", text, count=1):
        raise _syntax_error(text, unread[0], len(text) - len(unread))
    written = "1" if text.lstrip().startswith("/") else ""
    for token in _TOKEN.finditer(text):
        kind, word, at = token.lastgroup, token[0].strip(), token.start()
        ends = written[-1:] not in ("", "*", "/", "(")  # a factor; another one without a sign multiplies it
        if (kind == "power" and written[-1:].isdigit()) or (word in tuple("*·⋅/") and at and not ends):
            raise _syntax_error(text, word, at)
        if kind == "power":
            word = f"**{_small_power(text, word, at)}"
        elif kind == "name":
            word = _known_unit(text, word, at)
        product = "*" if ends and (kind == "name" or word == "(") else ""
        written += product + {"·": "*", "⋅": "*"}.get(word, word)
    return written


def _small_power(text: str, word: str, place: int) -> int:
    power = int(re.sub(r"[*^\s]", "", word).translate(FROM_SUPERSCRIPT))
    if abs(power) > MAX_POWER:
        message = f"the power {power} at character {place + 1} of the unit `{text}` is beyond {MAX_POWER}"
        raise ArgumentError(message, code="unit-syntax", got=power, expected=f"-{MAX_POWER} to {MAX_POWER}")
    return power


def _known_unit(text: str, word: str, place: int) -> str:
    word = {"%": "percent", "$": "USD"}.get(word, word)
    if re.fullmatch("months?", word):
        hint = "write `30 d` or `730.5 h`"
        raise ArgumentError("a month is no unit, its length varies", code="unknown-unit", got=word, hint=hint)
    if word not in UNIT_SPELLINGS and word not in ("1", "dimensionless"):
        plain = [spelling for spelling, (prefix, _) in UNIT_SPELLINGS.items() if not prefix]
        near = _suggested_unit(word) or nearest(word, plain)
        known = f"{', '.join(UNITS)}, many with prefixes such as k, M, G, T, Ki, Gi"
        message = f"unknown unit `{word}` at character {place + 1} of `{text}`"
        raise ArgumentError(message, code="unknown-unit", got=word, expected=known, hint=near or f"known are {known}")
    return word


def _suggested_unit(word: str) -> str:
    """Return a question after a unit that is written as others write it, with a spoken prefix or in other capitals.

    >>> _suggested_unit("gbps"), _suggested_unit("petaflops"), _suggested_unit("gb"), _suggested_unit("xyz")
    ('did you mean `Gbps`?', 'did you mean `PFLOP/s`?', 'did you mean `Gbit` or `GB`?', '')
    """
    for spoken, prefix in PREFIX_WORDS.items():
        rest = word[len(spoken) :]
        if word.lower().startswith(spoken) and (name := UNIT_ALIASES.get(rest.lower())):
            prefix = prefix.lower() if name == "s" else prefix if name.partition("/")[0] in PREFIXABLE else ""
            byte = name.replace("bit", "B") if rest.lower() in ("b", "bs", "bps") else name
            meant = [byte] if "B" in rest else [name, byte] if word.islower() else [name]
            return f"did you mean {' or '.join(dict.fromkeys(f'`{prefix}{each}`' for each in meant))}?"
    return ""


def _syntax_error(text: str, sign: str, place: int | None = None) -> ArgumentError:
    sign = "".join(each if each.isprintable() else f"U+{ord(each):04X}" for each in sign)
    form = "a product or quotient of names and small integer powers, such as `GB/s` or `USD/(gpu h)`"
    message = f"the unit `{text}` is not understood"
    if place is not None:
        message = f"`{sign}` at character {place + 1} of {message}"
    return ArgumentError(message, code="unit-syntax", got=sign, expected=form, hint=f"a unit is {form}")


def quantity(value: object, context: str = "a value") -> Quantity:
    """Return `value` as a quantity: a text such as `"4 min"`, a pint quantity, a statement.

    Raises: ArgumentError for a text that is no finite number with a unit, an unknown unit,
    or a quantity of another pint registry.

    >>> quantity("4 min").m_as("s")
    240.0
    """
    if isinstance(value, Quantity):
        return value
    if hasattr(value, "value"):  # a Fact, an Example
        return quantity(value.value, context)
    if isinstance(value, (list, tuple)) and value:
        return _array_quantity(value, context)
    if isinstance(value, str):
        text = re.sub(r"[^\S\u202f\u00a0]+", " ", value.strip())  # of a file a text may have its line's end
        try:
            return _parse_quantity(text)
        except ArgumentError as error:
            raise ArgumentError.of(error, context=f"{context} is `{text[:MAX_LENGTH]}`: ") from None
    if isinstance(value, pint.Quantity):
        message = f"{context} comes from another unit registry"
        expected = "a quantity of mathcore.units.registry"
        hint = "build it with mathcore.quantity"
        raise ArgumentError(message, code="other-registry", got=f"{value}", expected=expected, hint=hint)
    if isinstance(value, bool) or not (isinstance(value, numbers.Real) or hasattr(value, "__array__")):
        message, form = f"{context} is {value!r}, which is no quantity", "a quantity, or a list of quantities"
        raise ArgumentError(message, got=repr(value), expected=form, hint='write "4 min" or ["4 min", "8 min"]')
    return Quantity(value, unit(""))


def _array_quantity(values: Sequence, context: str) -> Quantity:
    """Return a list of numbers, of texts or of quantities as one array quantity, in the unit of the first."""
    try:
        import numpy as np
    except ModuleNotFoundError:
        hint = "pip install numpy, or give one value"
        raise ArgumentError(f"{context} is a list, which needs numpy", got=f"{values!r}", hint=hint) from None
    parts = [quantity(value, f"{context}, element {index},") for index, value in enumerate(values)]
    wanted = parts[0]
    numbers = [
        match_dimension(part, wanted, f"{context}, element {i},").m_as(wanted.units) for i, part in enumerate(parts)
    ]
    return Quantity(np.array(numbers, dtype=float), wanted.units)


def _parse_quantity(text: str) -> Quantity:
    """Return the quantity that a text states: one number, then its unit."""
    if strange := [sign for sign in text if sign.isdecimal() and not sign.isascii()]:
        message, hint = f"`{strange[0]}` is none of the digits 0 to 9", f"write it as {int(strange[0])}"
        raise ArgumentError(message, code="not-a-number", got=strange[0], expected="the digits 0 to 9", hint=hint)
    plain, dollars = _DOLLARS.subn(r"\1", text.replace("−", "-"))
    match = _NUMBER.match(plain)
    if not match or len(text) > MAX_LENGTH:
        raise _number_error("this is no number with a unit", text)
    rest = plain[match.end() :].lstrip(" \u202f\u00a0")
    rest = re.sub(r"^([kMGT]?)(?=\s*(?:/|$))", r"\1USD", rest) if dollars else rest  # $2.5/h, $3M
    if re.match(r"[0-9.,](?!\s*/)", rest):
        raise _number_error(f"`{rest}` after `{match[0]}` is a second number", rest)
    sign, digits, *powers = match.groups()
    if rest in MULTIPLES and not any(powers):
        hint = f"write the number as `{match[0]}{MULTIPLES[rest]}`"
        raise ArgumentError(f"`{rest}` is a prefix without a unit", code="unknown-unit", got=rest, hint=hint)
    power = next((p for p in powers if p), "0").translate(FROM_SUPERSCRIPT)
    number = float(f"{sign}{re.sub('[^0-9.]', '', digits)}e{power}")
    if not math.isfinite(number):
        raise _number_error("the number is too large for a float", match[0], "not-finite")
    return Quantity(number, unit(rest))


def stated_digits(text: str) -> int | None:
    """Return how many significant digits a text states; None without a decimal point, or with a power of ten.

    >>> stated_digits("0.050 s"), stated_digits("1,234.5 W"), stated_digits("$2.50/h"), stated_digits("80 GB")
    (2, 5, 3, None)
    """
    match = _NUMBER.match(_DOLLARS.sub(r"\1", text.strip().replace("−", "-")))
    if not match or "." not in match[2] or any(match.groups()[2:]):
        return None
    return len(Decimal(re.sub("[^0-9.]", "", match[2])).as_tuple().digits)


def _number_error(message: str, got: str, code: Code = "not-a-number") -> ArgumentError:
    form = "a finite number and its unit, such as `4 min`"
    return ArgumentError(message, code=code, got=got, expected=form, hint=f"write {form}")


def to_per_device(value: object, dimension: UnitsContainer) -> object:
    """Return a fact of one device as a rate per device, if that has the `dimension`; any other value unchanged."""
    if isinstance(value, (list, tuple)):
        return [to_per_device(each, dimension) for each in value]
    rate = getattr(value, "per_device", None)
    return rate if rate is not None and rate.value.dimensionality == dimension else value


def match_dimension(value: object, wanted: Quantity, context: str) -> Quantity:
    """Return a quantity that has the dimension of the quantity `wanted`; a fact of one device may be per device.

    Raises: ArgumentError for a bare number, or another dimension.
    """
    given = quantity(to_per_device(value, wanted.dimensionality), context)
    if given.dimensionality == wanted.dimensionality:
        return given
    number = f"{_first_element(given.magnitude)}".removesuffix(".0")
    example = f"{number} {unit_text(unit_name(wanted))}".strip()
    code: Code = "dimension" if given._units else "missing-unit"
    cure = _dimension_hint(given, wanted) if given._units else "write its unit, such as `{2}`"
    if hasattr(value, "per") and cure == DIMENSION_HINTS["[device]", 0, -1]:  # a Fact
        cure = 'if this is of one device, give it as `.per("gpu")`'
    got = f"{given.magnitude if given.ndim else number} {unit_name(given)}".rstrip()
    sides = f"from {_side(given._units)} to {_side(wanted._units)}"
    hint = cure.format(number, unit_text(unit_name(given)), example)
    want = dimension_text(wanted.dimensionality)
    raise ArgumentError(f"{context} is {got}: cannot convert {sides}", code=code, got=got, expected=want, hint=hint)


def _side(of: object) -> str:
    """Return a unit and its dimension as pint's message on a conversion names them.

    >>> _side("GB"), _side(unit(""))
    ("'GB' (information)", "'dimensionless'")
    """
    parsed = registry.Unit(of)
    return f"'{parsed}' ({dimension_text(parsed.dimensionality)})" if parsed._units else "'dimensionless'"


# What to do about one dimension too many or too few, by its power in what is given and in what is wanted.
DIMENSION_HINTS = {
    ("[device]", 0, 1): "hours per device are device-hours: write `{0} gpu {1}`",
    ("[device]", 1, 0): "this is a time per device; divide it by the number of devices first",
    ("[device]", 0, -1): "if this is of one device, write `{0} {1}/gpu`",
    ("[device]", -1, 0): "this formula speaks of one device alone: leave the `/gpu` out",
    ("[text]", 0, -1): "if this is of one token, write `{0} {1}/token`",
    ("[text]", -1, 0): "this is of one token; multiply it by the number of tokens first",
    ("[time]", 0, -1): "this is an amount, and a rate is so much in a time, such as `{0} {1}/s`",
    ("[time]", -1, 0): "this is a rate, so much in a time; multiply it by the time first",
}


def _dimension_hint(given: Quantity, wanted: Quantity) -> str:
    """Return the words on what to do about a quantity of another dimension, with slots."""
    have, want = given.dimensionality, wanted.dimensionality
    if want in (*COUNTS, {}) and unit_name(given) == "B":
        return "`B` is a byte: write billions as `{0}e9`"
    if have == COUNTS[0] and not want:
        return "this is a count of ranks, which is dimensionless: write `{0}`"
    name, *more = have / want
    hint = None if more else DIMENSION_HINTS.get((name, have.get(name, 0), want.get(name, 0)))
    return hint or "check which quantity belongs here, such as `{2}`"


def _first_element(magnitude: Array) -> Array:
    """Return the first element of an array, or a number as it is."""
    return magnitude.flat[0] if getattr(magnitude, "size", 0) else magnitude


def convert(value: object, text: str, context: str) -> Quantity:
    """Return a quantity in the unit that `text` names.

    Raises: ArgumentError for a unit of another dimension.
    """
    wanted = unit(text)
    return match_dimension(value, Quantity(1, wanted), context).to(wanted)


def dimension_text(dimensionality: Mapping) -> str:
    """Return a dimension in the words of the registry, such as `device·time`.

    >>> dimension_text(unit("B/s").dimensionality)
    'information/time'
    """
    up = [_power(n, p) for n, p in sorted(dimensionality.items()) if p > 0]
    down = [_power(n, -p) for n, p in sorted(dimensionality.items()) if p < 0]
    top, bottom = "·".join(up), "·".join(down)
    if not bottom:
        return top or "dimensionless"
    return f"{top or '1'}/{bottom}" if len(down) == 1 else f"{top or '1'}/({bottom})"


def _power(name: str, power: Fraction) -> str:
    name, power = name.strip("[]"), Fraction(power).limit_denominator(1000)
    raised = f"{power}" if power.denominator == 1 else f"({power})"
    return name if power == 1 else f"{name}^{raised}"


def kind_text(dimensionality: Mapping) -> str:
    """Return a dimension as errors say it: `dimensionless`, or `of dimension information/time`."""
    return f"of dimension {dimension_text(dimensionality)}" if dimensionality else "dimensionless"


@functools.cache
def base_factor(text: str) -> int | float:
    """Return how many base units one `text` is (s, B, FLOP, token, USD, gpu, J, g, L).

    >>> base_factor("h"), base_factor("GiB"), base_factor("Gbit/s")
    (3600, 1073741824, 125000000)
    """
    number = Quantity(1, unit(text)).to_base_units().magnitude
    return int(number) if math.isclose(number, round(number), rel_tol=1e-15) and number >= 1 else number


def unit_ratio(text: str, to: str) -> int | float:
    """Return how many `to` one `text` is, whole where it can be.

    >>> unit_ratio("h", "min"), unit_ratio("s", "ms")
    (60, 1000)
    """
    quotient = base_factor(text) / base_factor(to)
    return int(quotient) if float(quotient).is_integer() else quotient


def unit_name(value: Quantity) -> str:
    """Return the unit of a quantity as a text that `unit` reads; empty for a plain count."""
    return f"{value.units}" if value._units else ""


DURATION_UNITS = (("d", 172800.0), ("h", 7200.0), ("min", 120.0), ("s", 0.0))


def natural_unit(value: Quantity, stated: str) -> str:
    """Return the unit that keeps a duration readable; all else keeps the `stated` one."""
    if stated == "s" and 0 < (seconds := abs(value.m_as(unit("s")))) < math.inf:
        return next(name for name, least in DURATION_UNITS if seconds >= least)
    return stated


def quantity_parts(value: Quantity, wanted: str | None = None, digits: int | None = 3) -> tuple[str, str]:
    """Return the number of a quantity and the symbol of its unit, in the unit `wanted` or in its own."""
    wanted = unit_name(value) if wanted is None else wanted.removesuffix("dimensionless")
    return number_text(value.m_as(unit(wanted)), digits), unit_text(wanted)


def quantity_text(value: Quantity, wanted: str | None = None, digits: int | None = 3) -> str:
    """Return a quantity as people write it, in the unit `wanted` or in its own.

    >>> quantity_text(quantity("3718 s"), "min"), quantity_text(quantity("16384 gpu"), None, None)
    ('62.0\\u202fmin', '16,384\\u202fGPUs')
    >>> quantity_text(quantity("29.614 USD")), quantity_text(quantity("29.614 USD"), None, 2)
    ('$29.61', '$30')
    """
    number, label = quantity_parts(value, wanted, digits)
    if digits and ONE_DECIMAL.fullmatch(number) and re.match("USD(?=/|$)", label):  # cents are true or left out
        number, label = quantity_parts(value, wanted, digits + 1)
    return spell_quantity(number, label)
