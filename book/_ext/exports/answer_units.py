"""The units in which a platform accepts an answer, and the factor of each."""

import itertools
import re

from mathcore import units
from mathcore.number_format import spell_unit, unit_text

TIME_UNITS = ("ns", "µs", "ms", "s", "min", "h", "d", "week", "year")
UNIT_WORDS = {
    "s": ("sec", "second", "seconds"),
    "min": ("minute", "minutes"),
    "h": ("hr", "hour", "hours"),
    "d": ("day", "days"),
    "week": ("weeks",),
    "year": ("years",),
    "gpu": ("GPU", "gpus", "GPUs"),
    "percent": ("percent",),
}
PREFIXES = ("n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y")
BINARY_PREFIXES = {"k": "Ki", "M": "Mi", "G": "Gi", "T": "Ti"}
PREFIX_DISTANCE = 2  # how many steps larger or smaller a unit may be that somebody would use instead
TIME_DISTANCE = 3  # of a time: years for hours


def accepted_units(unit):
    """Return `{unit: how many of it make one unit of the answer}`, the unit of the answer first; no name has a space.

    In a compound unit one part at a time is replaced.

    >>> found = accepted_units("min")
    >>> list(found)[0], found["s"], found["minutes"], round(1 / found["h"])
    ('min', 60.0, 1.0, 60)
    >>> accepted_units("GB / s")["Gbit/s"], "MB/s" in accepted_units("GB / s")
    (8.0, True)
    >>> [round(accepted_units("gpu year")[name], 3) for name in ("gpu·year", "GPU-years", "GPU-hours")]
    [1.0, 1.0, 8766.0]
    """
    parts = [(str(name), power) for name, power in units.unit(unit)._units.items()]
    accepted = {unit_text(unit).replace("·", joint): 1.0 for joint in ("·", "*", "")}
    for index, (name, power) in enumerate(parts):
        for other in (name, *_related_units(name)):
            size = (units.base_factor(name) / units.base_factor(other)) ** power
            for word in (other, *(UNIT_WORDS.get(other, ()) if len(parts) == 1 else ())):
                swapped = [*parts[:index], (word, power), *parts[index + 1 :]]
                for text in _unit_texts(swapped):
                    accepted.setdefault(text, float(f"{size:.15g}"))
    spelled = ((spell_unit(text), size) for text, size in accepted.items() if re.fullmatch(r"gpu·\w+", text))
    return accepted | {words: size for words, size in spelled if words not in accepted}


def _related_units(name):
    """Return the units that may be used instead of the unit `name`."""
    if name in TIME_UNITS:
        return _near_prefixes(TIME_UNITS, name, TIME_DISTANCE)
    prefix, base = units.UNIT_SPELLINGS[name]
    near = _near_prefixes(PREFIXES, prefix) if base in units.PREFIXABLE and prefix in PREFIXES else ()
    if base in ("B", "bit"):
        larger = [step for step in near if PREFIXES.index(step) >= PREFIXES.index("")]
        related = [step + size for size in ("B", "bit") for step in larger]
        return [*related, *(BINARY_PREFIXES[step] + "B" for step in larger if step in BINARY_PREFIXES)]
    if base in ("g", "t"):
        return ("g", "kg", "t")
    whole = base not in ("W", "J", "L")  # no part of a dollar, a token or a FLOP
    return [step + base for step in near if not whole or PREFIXES.index(step) >= PREFIXES.index("")]


def _near_prefixes(steps, name, distance=PREFIX_DISTANCE):
    place = steps.index(name)
    return steps[max(0, place - distance) : place + distance + 1]


def _unit_texts(parts):
    up = [_power(name, power) for name, power in parts if power > 0]
    down = [_power(name, -power) for name, power in parts if power < 0]
    tops = ["1", ""] if not up else [joint.join(up) for joint in ("·", "*", "")]
    bottoms = ["/".join(order) for order in itertools.permutations(down)]
    texts = [f"{top}/{bottom}" if bottom else top for top in tops for bottom in bottoms or [""]]
    return list(dict.fromkeys(texts))


def _power(name, power):
    symbol = "%" if name == "percent" else name
    return symbol if power == 1 else f"{symbol}^{power:g}"
