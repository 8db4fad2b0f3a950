"""What an exported item is, whatever the format: one variant of an exercise, or a question."""

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mathcore.diagnosis import SLACK

DIGITS = 7  # of a stated number, where the full float would be a sight


@dataclass(frozen=True)
class Target:
    """A number to hit: what is stated, how far off one may be, and what is said to who hits it."""

    value: float
    tolerance: float
    label: str = ""


@dataclass(frozen=True)
class Numerical:
    """One variant of an exercise; `unit` is as the core writes it, and empty for a plain number."""

    address: str
    seed: int
    number: int
    title: str
    prompt: Element
    hints: tuple
    solution: Element
    unit: str
    right: Target
    mistakes: tuple

    @property
    def name(self):
        """Return what no other item is called: address and seed."""
        return f"{self.address}-{self.seed}"

    @property
    def heading(self):
        """Return the title, with the number of the variant."""
        return f"{self.title} (variant {self.number})"


@dataclass(frozen=True)
class Choice:
    """A question with one right option: `options` are `(says, feedback)`, `right` is an index."""

    address: str
    title: str
    prompt: Element
    options: tuple
    right: int
    seed = 0

    @property
    def name(self):
        """Return what no other item is called: the address."""
        return self.address

    @property
    def heading(self):
        """Return the title."""
        return self.title


@dataclass(frozen=True)
class Chapter:
    """The items of one page, in its order."""

    name: str
    title: str
    items: tuple

    @property
    def groups(self):
        """Return `{address: items}`: the variants of an exercise are a group of which one is asked."""
        found = {}
        for item in self.items:
            found.setdefault(item.address, []).append(item)
        return found


def right_target(value, rtol):
    """Return the target of a right answer: nothing is accepted that the book would refuse.

    >>> right_target(61.96773353931867, 0.02)
    Target(value=61.96773, tolerance=1.23934, label='')
    """
    stated = _stated(value)
    room = max(0.0, rtol * abs(value) - abs(stated - value))
    return Target(stated, _rounded_down(room))


def wrong_target(value, rtol, label):
    """Return the target of a usual mistake, as near as the book wants it."""
    stated = _stated(value)
    return Target(stated, _rounded_down(max(rtol, SLACK) * abs(stated)), label)


def _stated(value):
    if float(value).is_integer() and abs(value) < 1e15:
        return float(value)
    return float(f"{value:.{DIGITS}g}")


def _rounded_down(value, digits=6):
    """Return a number with few digits that is not larger.

    >>> _rounded_down(0.12345678), _rounded_down(0.0)
    (0.123456, 0.0)
    """
    if value == 0:
        return 0.0
    power = digits - 1 - math.floor(math.log10(value))
    found = float(f"{math.floor(value * 10.0**power)}e{-power}")
    return found if found <= value else float(f"{math.floor(value * 10.0**power) - 1}e{-power}")


def written(value):
    """Return a number as every format reads it.

    >>> written(16384.0), written(0.00012), written(6.1e15)
    ('16384', '0.00012', '6.1e+15')
    """
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value!r}"
