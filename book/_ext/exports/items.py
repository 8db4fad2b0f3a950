"""What an exported item is, whatever the format: one variant of an exercise, or a question.

Platforms know an item by its `name`: it has the first address of a statement, so that an import after a change of
addresses replaces items and adds no second ones.
"""

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mathcore.library import book
from mathcore.redirects import predecessor
from mathcore.teaching.diagnosis import SLACK

MAX_DIGITS = 7  # of a stated number, where the full float would be a sight


@dataclass(frozen=True)
class Target:
    """A number to hit: what is stated, how far below and above one may be, what is said to who hits it."""

    value: float
    below: float
    above: float
    label: str = ""

    @property
    def spans(self):
        """Return `(centre, tolerance)` pairs that cover the target together, the stated number first.

        Formats with one tolerance need a second pair for the wider side; less than a hundredth of the
        width is left out.

        >>> Target(10.0, 1.0, 1.5).spans, Target(10.0, 1.0, 1.001).spans
        ([(10.0, 1.0), (11.25, 0.25)], [(10.0, 1.0)])
        """
        near, more = min(self.below, self.above), abs(self.above - self.below)
        if more <= 0.01 * near or not more:
            return [(self.value, near)]
        middle = near + more / 2 if self.above > self.below else -near - more / 2
        return [(self.value, near), (self.value + middle, _rounded_down(more / 2))]


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
        """Return what no other item is called: the address and the seed."""
        return f"{predecessor(self.address, book.redirects)}-{self.seed}"

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
    seed: int = 0

    @property
    def name(self):
        """Return what no other item is called: the address, and the variant where there are others."""
        first = predecessor(self.address, book.redirects)
        return f"{first}-{self.seed}" if self.seed else first

    @property
    def heading(self):
        """Return the title."""
        return f"{self.title} (variant {self.seed + 1})" if self.seed else self.title


@dataclass(frozen=True)
class Chapter:
    """The items of one page, in its order."""

    name: str
    title: str
    items: tuple

    @property
    def identifier(self):
        """Return by what platforms know the chapter: the first name of its module.

        >>> Chapter("young-daly", "Young–Daly", ()).identifier
        'young-daly'
        """
        return predecessor(f"{self.name.replace('-', '_')}.", book.redirects).rstrip(".").replace("_", "-")

    @property
    def groups(self):
        """Return `{address: items}`: the variants of an exercise are a group of which one is asked."""
        found = {}
        for item in self.items:
            found.setdefault(item.address, []).append(item)
        return found


def right_target(value, rtol):
    """Return the target of a right answer: the book compares with the larger of the two numbers.

    >>> right_target(61.96773353931867, 0.02)
    Target(value=61.96773, below=1.23935, above=1.26464, label='')
    """
    exact = _exact(value)
    off, below, above = abs(exact - value), rtol * abs(value), rtol / (1 - rtol) * abs(value)
    if value < 0:
        below, above = above, below
    return Target(exact, _rounded_down(max(0.0, below - off)), _rounded_down(max(0.0, above - off)))


def count_target(low, high, room):
    """Return the target of a count: the whole numbers from `low` to `high`, and `room` beyond for large ones.

    >>> count_target(13, 14, 0.0)
    Target(value=13.0, below=0.0, above=1.0, label='')
    """
    return Target(float(low), _rounded_down(room), _rounded_down(high - low + room))


def wrong_target(value, rtol, label, whole=""):
    """Return the target of a usual mistake, at least as wide as in the book; a count may be rounded either way.

    >>> wrong_target(13.4, 0.02, "halved", "down")
    Target(value=13.4, below=0.4, above=0.6, label='halved')
    """
    exact, room = _exact(value), max(rtol, SLACK)
    off = abs(exact - value)
    below, above = sorted((room * abs(value), room / (1 - room) * abs(value)), reverse=value < 0)
    if whole:  # the whole numbers that are less than one away
        below, above = max(below, value - math.floor(value)), max(above, math.ceil(value) - value)
    return Target(exact, _rounded_up(below + off), _rounded_up(above + off), label)


def _exact(value):
    if float(value).is_integer() and abs(value) < 1e15:
        return float(value)
    return float(f"{value:.{MAX_DIGITS}g}")


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


def _rounded_up(value):
    """Return a number with few digits that is not smaller, but for what floating point adds.

    >>> _rounded_up(0.123456712), _rounded_up(13.4 - 13)
    (0.1234568, 0.4)
    """
    near = _exact(value)
    return near if near > value - 1e-12 else _exact(value * (1 + 10.0 ** (1 - MAX_DIGITS)))


def number_text(value):
    """Return a number as every format reads it.

    >>> number_text(16384.0), number_text(0.00012), number_text(6.1e20)
    ('16384', '0.00012', '6.1e+20')
    """
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value!r}"
