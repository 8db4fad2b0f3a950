"""Protects facts from slips of the pen by a second reading, made from the source without a look at the first.

A fact is an input: nothing else in the book can contradict it. `data/refetched_sources.csv` has what was read a second
time, and where it was read. A row is written only of a number seen in a document outside the book.
"""

import csv
import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from mathcore import Fact, library, quantity

TABLE = Path(__file__).parent / "data" / "refetched_sources.csv"
LEAST = 889  # facts read twice: may rise, and falls only where facts are taken out
ROUNDING = 1e-13  # what a conversion between units may add, over the number itself


class Reading(NamedTuple):
    """A row: a fact's address, the number with its unit, the place where it was read, and the day."""

    address: str
    value: str
    place: str
    read: str


@functools.cache
def readings():
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Reading(**row) for row in csv.DictReader(file)]


@functools.cache
def facts():
    return {
        statement.address: statement for _, statement in library.current_library.walk() if isinstance(statement, Fact)
    }


def split(text):
    """Return the number of `3.35 TB/s`, and its unit."""
    number, _, unit = text.partition(" ")
    return number, unit


def last_place(number):
    """Return what one step of the last digit is worth: 0.01 for `3.35`, 1000 for `122e3`."""
    mantissa, _, power = number.lower().partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


@functools.cache
def factor(read, stated):
    """Return how many of the fact's unit one of the reading's unit is."""
    return quantity(f"1 {read}".strip()).to(quantity(f"1 {stated}".strip()).units).magnitude


def same(number, read, units):
    """Return whether a fact's number is what was read: exactly, or rounded if the reading has more digits."""
    found = float(read) * units
    finer = last_place(read) * units < 0.999 * last_place(number)
    return abs(float(number) - found) <= (last_place(number) / 2 if finer else 0) + ROUNDING * abs(found)


def difference(reading, given):
    """Return the difference between a fact and what was read, or an empty text."""
    (number, stated), (read, unit) = split(given), split(reading.value)
    if same(number, read, factor(unit, stated)):
        return ""
    return f"`{reading.address}` is {given}, but {reading.value} was read in {reading.place}: look there again"


def slips(number):
    """Yield the numbers that one mistyped digit makes of a number."""
    for place, digit in enumerate(number.lower().partition("e")[0]):
        if digit.isdigit():
            yield from (f"{number[:place]}{(int(digit) + by) % 10}{number[place + 1 :]}" for by in range(1, 10))


def test_every_fact_that_was_read_twice_is_what_was_read():
    found = [difference(reading, facts()[reading.address].given) for reading in readings()]
    assert not any(found), "\n" + "\n".join(filter(None, found))


def test_any_mistyped_digit_of_a_fact_read_twice_is_found():
    missed = []
    for reading in readings():
        (number, stated), (read, unit) = split(facts()[reading.address].given), split(reading.value)
        missed += [(reading.address, slip) for slip in slips(number) if same(slip, read, factor(unit, stated))]
    assert missed == []


@pytest.mark.parametrize(
    ("given", "value", "holds"),
    [
        ("3350 GB/s", "3.35 TB/s", True), ("3352 GB/s", "3.35 TB/s", False), ("989 TFLOP/s", "989.4 TFLOP/s", True),
        ("989.4 TFLOP/s", "989 TFLOP/s", False),
        ("30 %", "0.3", True), ("2 min", "120 s", True), ("2 h", "2 min", False),
    ],
)  # fmt: skip
def test_a_fact_may_have_fewer_digits_than_the_reading_but_none_of_its_own(given, value, holds):
    message = difference(Reading("sample.fact", value, "Table 1", "2026-11-22"), given)
    assert holds != bool(message)
    assert holds or f"`sample.fact` is {given}, but {value} was read in Table 1" in message


def test_every_reading_names_a_fact_once_with_a_place_and_a_day():
    addresses = [reading.address for reading in readings()]
    assert addresses == sorted(set(addresses)), "by address, and no fact twice"
    assert not set(addresses) - facts().keys()
    assert not [r for r in readings() if len(r.place) < 5 or not re.fullmatch(r"20\d\d-\d\d-\d\d", r.read)]


def test_number_of_facts_read_twice_does_not_fall():
    print(f"{len(readings())} of {len(facts())} facts were read twice")
    assert len(readings()) >= LEAST
