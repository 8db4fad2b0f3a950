"""Exported items independent of the format: one variant of an exercise, or a question.

A platform identifies an item by its `name`, which is the original address of its statement: importing again after a
change of addresses replaces items instead of adding copies.
"""

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mathcore.library import current_library
from mathcore.redirects import predecessor
from mathcore.teaching.diagnosis import SLACK

MAX_DIGITS = 7  # of a stated number; all digits of a float would be unreadable


@dataclass(frozen=True)
class Target:
    """An accepted number: the stated value, the tolerances below and above it, and the feedback."""

    value: float
    below: float
    above: float
    label: str = ""

    @property
    def spans(self):
        """Return `(centre, tolerance)` pairs that cover the target together, the stated number first.

        Formats with a single tolerance need a second pair for the wider side; a remainder below 1 % of the width is
        left out.

        >>> Target(10.0, 1.0, 1.5).spans, Target(10.0, 1.0, 1.001).spans
        ([(10.0, 1.0), (11.25, 0.25)], [(10.0, 1.0)])
        """
        near, more = min(self.below, self.above), abs(self.above - self.below)
        if more <= 0.01 * near or not more:
            return [(self.value, near)]
        middle = near + more / 2 if self.above > self.below else -near - more / 2
        return [(self.value, near), (self.value + middle, _round_down(more / 2))]


@dataclass(frozen=True)
class Numerical:
    """One variant of an exercise; `unit` is in the engine's notation, and empty for a dimensionless number."""

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
        """Return the unique name of the item: address and seed."""
        return f"{predecessor(self.address, current_library.redirects)}-{self.seed}"

    @property
    def heading(self):
        """Return the title, with the number of the variant."""
        return f"{self.title} (variant {self.number})"


@dataclass(frozen=True)
class MultipleChoice:
    """A question with one right option: `options` are `(says, feedback)`, `right` is an index."""

    address: str
    title: str
    prompt: Element
    options: tuple
    right: int
    seed: int = 0

    @property
    def name(self):
        """Return the unique name of the item: the address, with the variant if there are several."""
        first = predecessor(self.address, current_library.redirects)
        return f"{first}-{self.seed}" if self.seed else first

    @property
    def heading(self):
        """Return the title."""
        return f"{self.title} (variant {self.seed + 1})" if self.seed else self.title


@dataclass(frozen=True)
class ChapterItems:
    """The items of one page, in its order."""

    name: str
    title: str
    items: tuple

    @property
    def identifier(self):
        """Return the name of the chapter on platforms: the original name of its module.

        >>> ChapterItems("young-daly", "Young–Daly", ()).identifier
        'young-daly'
        """
        return predecessor(f"{self.name.replace('-', '_')}.", current_library.redirects).rstrip(".").replace("_", "-")

    @property
    def groups(self):
        """Return `{address: items}`; the variants of one exercise form a group from which one is drawn."""
        groups = {}
        for item in self.items:
            groups.setdefault(item.address, []).append(item)
        return groups


def right_target(value, rtol):
    """Return the target of the right answer; the book's tolerance is relative to the larger of the two numbers.

    >>> right_target(61.96773353931867, 0.02)
    Target(value=61.96773, below=1.23935, above=1.26464, label='')
    """
    exact = _exact(value)
    off, below, above = abs(exact - value), rtol * abs(value), rtol / (1 - rtol) * abs(value)
    if value < 0:
        below, above = above, below
    return Target(exact, _round_down(max(0.0, below - off)), _round_down(max(0.0, above - off)))


def count_target(low, high, room):
    """Return the target of a count: the integers from `low` to `high`, widened by `room` for large counts.

    >>> count_target(13, 14, 0.0)
    Target(value=13.0, below=0.0, above=1.0, label='')
    """
    return Target(float(low), _round_down(room), _round_down(high - low + room))


def wrong_target(value, rtol, label, whole=""):
    """Return the target of a common mistake, at least as wide as in the book; a count may be rounded either way.

    >>> wrong_target(13.4, 0.02, "halved", "down")
    Target(value=13.4, below=0.4, above=0.6, label='halved')
    """
    exact, room = _exact(value), max(rtol, SLACK)
    off = abs(exact - value)
    below, above = sorted((room * abs(value), room / (1 - room) * abs(value)), reverse=value < 0)
    if whole:  # the whole numbers that are less than one away
        below, above = max(below, value - math.floor(value)), max(above, math.ceil(value) - value)
    return Target(exact, _round_up(below + off), _round_up(above + off), label)


def _exact(value):
    if float(value).is_integer() and abs(value) < 1e15:
        return float(value)
    return float(f"{value:.{MAX_DIGITS}g}")


def _round_down(value, digits=6):
    """Return a number of few digits that is not larger than `value`.

    >>> _round_down(0.12345678), _round_down(0.0)
    (0.123456, 0.0)
    """
    if value == 0:
        return 0.0
    power = digits - 1 - math.floor(math.log10(value))
    rounded = float(f"{math.floor(value * 10.0**power)}e{-power}")
    return rounded if rounded <= value else float(f"{math.floor(value * 10.0**power) - 1}e{-power}")


def _round_up(value):
    """Return a number of few digits that is not smaller than `value`, floating-point error aside.

    >>> _round_up(0.123456712), _round_up(13.4 - 13)
    (0.1234568, 0.4)
    """
    near = _exact(value)
    return near if near > value - 1e-12 else _exact(value * (1 + 10.0 ** (1 - MAX_DIGITS)))


def plain_number(value):
    """Return a number in a notation that every format reads.

    >>> plain_number(16384.0), plain_number(0.00012), plain_number(6.1e20)
    ('16384', '0.00012', '6.1e+20')
    """
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value!r}"
