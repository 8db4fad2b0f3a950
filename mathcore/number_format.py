"""Numbers and the names of their units as pages print them: digits, groups, scales and nouns.

Significant digits, three by default, trailing zeros kept; a power of ten only below a thousandth and from ten million
on, and next to a unit a word or a prefix instead; whole where no digits are asked for; groups of three digits. NaN and
infinity are refused: a value that should not exist is not printed.
"""

import math
import re

from mathcore.errors import ArgumentError

NNBSP = "\u202f"  # no-break, so that a number never loses its unit at a line's end
TO_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SUPERSCRIPTS = "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
FROM_SUPERSCRIPT = str.maketrans(f"{SUPERSCRIPTS}−", "+-0123456789-")
SCALES = {"": "", "k": "thousand ", "M": "million ", "G": "billion ", "T": "trillion "}
NOUNS = {"gpu": "GPU", "gpu·h": "GPU-hour", "gpu·year": "GPU-year", "token": "token", "B": "byte"}
NOUNS |= {"year": "year", "week": "week", "d": "day", "h": "hour"}
ONE_DECIMAL = re.compile(r"−?[\d,]+\.\d")
_PER = re.compile(r"/(gpu[·/](h|year)|gpu|[kMGT]?token|year|d)$|^/[sh]$")
_COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def number_text(value: float, digits: int | None = 3) -> str:
    """Return `value` with `digits` significant digits; whole if they are 0, as stated if None.

    >>> number_text(61.967), number_text(0.1291), number_text(16384, 5), number_text(1.2e-5, 2)
    ('62.0', '0.129', '16,384', '1.2·10⁻⁵')
    >>> number_text(4.0), number_text(4.0, 0)
    ('4.00', '4')
    """
    if isinstance(value, int) or (digits is None and float(value).is_integer() and abs(value) < 1e15):
        return _with_thousands(f"{int(value)}")
    value = float(value)
    if not math.isfinite(value):
        message = f"{value} is no number to print"
        expected = "a finite number"
        raise ArgumentError(message, code="not-finite", got=value, expected=expected, hint="find where it arose")
    if digits == 0:
        return _with_thousands(f"{value:z.0f}")
    if digits is None and 1e-4 <= abs(value) < 1e7:
        return _with_thousands(f"{value:.12g}")
    if value == 0:
        return "0"
    digits = digits or 3
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if power < -3 or power >= 7:
        return f"{mantissa}·10{str(power).translate(TO_SUPERSCRIPT)}".replace("-", "−")
    return _with_thousands(f"{float(f'{mantissa}e{exponent}'):.{max(0, digits - 1 - power)}f}")


def _with_thousands(text: str) -> str:
    whole, point, rest = text.removeprefix("-").partition(".")
    return f"{'−' * text.startswith('-')}{int(whole):,}{point}{rest}"


def unit_text(text: str) -> str:
    """Return a unit as pages print it: `gpu·h`, `%`, nothing for a plain count.

    >>> unit_text("TFLOP / gpu / s")  # pint sorts; a rate per device is written in this order
    'TFLOP/s/gpu'
    >>> unit_text("percent / year")
    '%/year'
    """
    plain = re.sub(r"\s*\*\s*|(?<=\w)\s+(?=\w)", "·", text).replace(" / ", "/")
    plain = re.sub(r"/B/token$", "/token/B", re.sub(r"/gpu/s$", "/s/gpu", plain))
    return re.sub(r"^percent(?=/|$)", "%", re.sub(r"^1/", "/", plain))


def count_text(count: int) -> str:
    """Return a count as prose has it: as a word up to twelve.

    >>> count_text(0), count_text(12), count_text(1300)
    ('no', 'twelve', '1,300')
    """
    return _COUNTS[count] if count < len(_COUNTS) else number_text(count, None)


def spell_quantity(number: str, label: str) -> str:
    """Return a number and the text of its unit as people write them; units without a word keep their symbol.

    >>> units = ("USD/gpu/h", "USD/(gpu·h)", "gpu·h", "GB/s", "Gtoken", "/d")
    >>> [spell_quantity("2", unit).replace(NNBSP, " ") for unit in units]
    ['$2 per GPU-hour', '$2 per GPU-hour', '2 GPU-hours', '2 GB/s', '2 billion tokens', '2 per day']
    >>> [spell_quantity(n, "USD").replace(NNBSP, " ") for n in ("6,000,000", "70,550,000,000", "15,000,000,000,000")]
    ['$6 million', '$70.55 billion', '$15 trillion']
    >>> [spell_quantity(n, "%").replace(NNBSP, " ") for n in ("9,000", "15,000", "5.2·10³⁵")]
    ['9,000 %', '150×', '> 100,000×']
    """
    if label == "%" and (multiple := _multiple_text(number)):
        return multiple
    number, label = _spell_power(_with_scale_word(number), label)
    money = re.match("([kMGT]?)USD(?=/|$)", label)
    if money:
        scale = f"{NNBSP}{SCALES[money[1]].strip()}" if money[1] else ""
        sign = "−" * number.startswith("−")
        cents = "0" * bool(not scale and ONE_DECIMAL.fullmatch(number))
        return f"{sign}${number.removeprefix('−')}{cents}{scale}{_spell_per(label[money.end() :])}"
    match = _PER.search(label)
    head, more = (label[: match.start()], _spell_per(match[0])) if match else (label, "")
    scaled = re.fullmatch("([kMGT]?)(token)(.*)", head)
    scale, name, rest = scaled.groups() if scaled else ("", head, "")
    noun = f"{NOUNS[name]}{'s' * bool(scale or number != '1')}" if name in NOUNS and name != "h" else name
    text = f"{SCALES[scale]}{noun}{rest}".rstrip()
    return f"{number}{NNBSP if text else ''}{text}{more}"


def spell_unit(name: str) -> str:
    """Return a unit in the plural as people write it next to a number; an empty text for a plain count.

    >>> [spell_unit(name) for name in ("gpu", "gpu h", "USD/Mtoken", "GUSD", "d", "GB/s", "token", "")]
    ['GPUs', 'GPU-hours', 'USD per million tokens', 'billion USD', 'days', 'GB/s', 'tokens', '']
    """
    words = spell_quantity("2", unit_text(name)).replace(NNBSP, " ")
    if not words.startswith("$"):
        return words.removeprefix("2").strip()
    scale, per, rest = words.removeprefix("$2").strip().partition("per ")
    return f"{scale.strip()} USD {per}{rest}".strip()


_POWER = re.compile(f"(−?)([0-9](?:[.][0-9]+)?)·10([{SUPERSCRIPTS}]+)")
_LARGE = {6: "million", 9: "billion", 12: "trillion"}
_SMALL = {-6: "µ", -9: "n", -12: "p"}


def _multiple_text(percent: str) -> str:
    """Return a percentage from 10,000 on as a multiple; an empty text for any other."""
    if re.fullmatch(r"\d{2,3}(,\d{3})+|\d(,\d{3}){2,}", percent):
        return f"{(int(percent.replace(',', '')) + 50) // 100:,}×"
    match = _POWER.fullmatch(percent)
    return f">{NNBSP}100,000×" if match and not match[1] and not match[3].startswith("⁻") else ""


def _spell_power(number: str, label: str) -> tuple[str, str]:
    """Return a number with a power of ten, and the text of its unit, with a word, a prefix or zeros instead.

    What is counted in FLOP keeps its power; shares below 0.001 % are not distinguished.

    >>> _spell_power("4.67·10¹⁰", ""), _spell_power("6.50·10⁻⁶", "s"), _spell_power("2.1·10⁻⁹", "%")
    (('46.7\\u202fbillion', ''), ('6.50', 'µs'), ('<\\u202f0.001', '%'))
    >>> _spell_power("5.00·10⁻⁶", "USD"), _spell_power("3.80·10²⁵", "FLOP")
    (('0.000005', 'USD'), ('3.80·10²⁵', 'FLOP'))
    """
    match = _POWER.fullmatch(number)
    if not match:
        return number, label
    sign, mantissa, power = match[1], match[2], int(match[3].translate(FROM_SUPERSCRIPT))
    scale = 3 * (power // 3)
    digits, places = mantissa.replace(".", ""), power - scale + 1
    shifted = ".".join(filter(None, [digits[:places].ljust(places, "0"), digits[places:]]))
    if scale in _LARGE and "FLOP" not in label and not re.match("[kMGTPE](token|USD)", label):
        return f"{sign}{shifted}{NNBSP}{_LARGE[scale]}", label
    if scale in _SMALL and re.match("[sJW](?=/|$)", label):
        return f"{sign}{shifted}", _SMALL[scale] + label
    if power < -3 and label == "%" and not sign:
        return f"<{NNBSP}0.001", label
    if power < 0 and re.match("USD(?=/|$)", label):
        return f"{sign}0.{'0' * (-power - 1)}{digits}".rstrip("0"), label
    return number, label


def _with_scale_word(number: str) -> str:
    """Return a large round number with its scale as a word: `70.55 billion` for 70,550,000,000."""
    if not re.fullmatch(r"−?\d{1,3}(,\d{3}){2,4}", number):
        return number
    name, size = {2: ("million", 10**6), 3: ("billion", 10**9)}.get(number.count(","), ("trillion", 10**12))
    value = int(number.replace("−", "-").replace(",", "")) / size
    return number if float(f"{value:.4g}") != value else f"{value:.4g}{NNBSP}{name}".replace("-", "−")


def _spell_per(label: str) -> str:
    """Return `/gpu/h` and `/(gpu·h)` as ` per GPU-hour`."""
    if not label:
        return ""
    name = label.removeprefix("/").replace("(", "").replace(")", "").replace("gpu/", "gpu·")
    scaled = re.fullmatch("([kMGT])token", name)
    word = f"{SCALES[scaled[1]]}tokens" if scaled else NOUNS.get(name, "second" if name == "s" else name)
    return f" per {word}"
