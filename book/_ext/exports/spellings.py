"""Which units a platform may read, and how many of each make one of the unit of the answer."""

import itertools

from mathcore import units
from mathcore.units import unit_text

TIMES = ("ns", "µs", "ms", "s", "min", "h", "d", "week", "year")
WORDS = {
    "s": ("sec", "second", "seconds"),
    "min": ("minute", "minutes"),
    "h": ("hr", "hour", "hours"),
    "d": ("day", "days"),
    "week": ("weeks",),
    "year": ("years",),
    "gpu": ("GPU", "gpus", "GPUs"),
    "percent": ("percent",),
}
STEPS = ("n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y")
BINARY = {"k": "Ki", "M": "Mi", "G": "Gi", "T": "Ti"}
REACH = 2  # how many steps larger or smaller a unit may be that somebody would use instead


def spellings(unit):
    """Return `{spelling: how many of it make one}`, the unit's own first; no spelling has a space.

    In a compound unit one part at a time is exchanged.

    >>> found = spellings("min")
    >>> list(found)[0], found["s"], found["minutes"], round(1 / found["h"])
    ('min', 60.0, 1.0, 60)
    >>> spellings("GB / s")["Gbit/s"], "MB/s" in spellings("GB / s")
    (8.0, True)
    """
    parts = [(str(name), power) for name, power in units.unit(unit)._units.items()]
    found = {unit_text(unit).replace("·", joint): 1.0 for joint in ("·", "*", "")}
    for index, (name, power) in enumerate(parts):
        for other in (name, *_relatives(name)):
            size = (units.factor(name) / units.factor(other)) ** power
            for word in (other, *(WORDS.get(other, ()) if len(parts) == 1 else ())):
                swapped = [*parts[:index], (word, power), *parts[index + 1 :]]
                for text in _texts(swapped):
                    found.setdefault(text, float(f"{size:.15g}"))
    return found


def _relatives(name):
    """Return the units that somebody may use in the place of `name`."""
    if name in TIMES:
        return _near(TIMES, name)
    prefix, base = units.SPELLED[name]
    near = _near(STEPS, prefix) if base in units.PREFIXED and prefix in STEPS else ()
    if base in ("B", "bit"):
        larger = [step for step in near if STEPS.index(step) >= STEPS.index("")]
        found = [step + size for size in ("B", "bit") for step in larger]
        return [*found, *(BINARY[step] + "B" for step in larger if step in BINARY)]
    if base in ("g", "t"):
        return ("g", "kg", "t")
    whole = base not in ("W", "J", "L")  # no part of a dollar, a token or a FLOP
    return [step + base for step in near if not whole or STEPS.index(step) >= STEPS.index("")]


def _near(steps, name):
    place = steps.index(name)
    return steps[max(0, place - REACH) : place + REACH + 1]


def _texts(parts):
    up = [_power(name, power) for name, power in parts if power > 0]
    down = [_power(name, -power) for name, power in parts if power < 0]
    tops = ["1", ""] if not up else [joint.join(up) for joint in ("·", "*", "")]
    bottoms = ["/".join(order) for order in itertools.permutations(down)]
    texts = [f"{top}/{bottom}" if bottom else top for top in tops for bottom in bottoms or [""]]
    return list(dict.fromkeys(texts))


def _power(name, power):
    shown = "%" if name == "percent" else name
    return shown if power == 1 else f"{shown}^{power:g}"
