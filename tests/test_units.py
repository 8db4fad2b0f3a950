"""Protects the units: a closed list, dimensions that cannot be mixed up, numbers that need their unit."""

import fractions
import math
import re

import pint
import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, Fact, Quantity, quantity, units

# Sizes from the SI brochure, IEC 80000-13 and the calendar, typed here by hand.
SIZES = {
    "min": ("s", 60), "h": ("s", 3600), "d": ("s", 86_400), "week": ("s", 604_800), "year": ("s", 31_557_600),
    "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9), "B": ("bit", 8), "kB": ("B", 1000),
    "KiB": ("B", 1024), "MiB": ("B", 1_048_576), "GB": ("B", 1e9), "GiB": ("B", 1_073_741_824),
    "TiB": ("B", 1_099_511_627_776), "PB": ("B", 1e15), "Gbit/s": ("MB/s", 125), "TFLOP/s": ("FLOP/s", 1e12),
    "kWh": ("J", 3_600_000), "W": ("J/s", 1), "gpu h": ("gpu s", 3600), "%": ("", 0.01),
    "Mtoken": ("token", 1e6), "USD/(gpu h)": ("USD/gpu/s", 1 / 3600), "/h": ("1/d", 24), "1/s": ("/min", 60),
    "t": ("kg", 1000), "permille": ("", 0.001),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_unit_has_the_size_that_its_standard_gives(name):
    smaller, size = SIZES[name]
    assert quantity(f"1 {name}").m_as(units.unit(smaller)) == pytest.approx(size, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("4 min", 240, "s"), ("4min", 240, "s"), (" 4  min ", 240, "s"), ("-4 s", -4, "s"), ("−4 s", -4, "s"),
        (".5 h", 1800, "s"), ("1e3 s", 1000, "s"), ("2.5E-3 s", 0.0025, "s"), ("16\u202f384", 16384, ""),
        ("200 gpu h", 720_000, "gpu s"), ("200 gpu·h", 720_000, "gpu s"), ("7 %", 0.07, ""), ("3", 3, ""),
        ("3 GB/s", 3e9, "B/s"), ("62.0\u202fmin", 3720, "s"),
    ],
)  # fmt: skip
def test_text_is_read_as_a_number_and_its_unit(text, value, unit):
    assert quantity(text).m_as(units.unit(unit)) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["nan s", "inf s", "", "four min", "1,5 h", "s", "0x10 s", "--4 s"])
def test_text_that_is_no_finite_number_is_refused(text):
    with expect_error(ArgumentError):
        quantity(text)


@pytest.mark.parametrize(
    ("text", "near"),
    [("4 mim", "min"), ("4 gpuh", "gpu"), ("4 Mmin", "min"), ("4 kh", "h"), ("4 GBs", "B"), ("4 Kgpu", "gpu"),
     ("4 flop", "FLOP")],
)  # fmt: skip
def test_unknown_unit_is_refused_with_the_list_of_those_that_are_known(text, near):
    with expect_error(ArgumentError, f"unknown unit `{text.split()[1]}`", "known are s, min, h") as caught:
        quantity(text)
    assert near in caught.message


# What people write, what is meant by it, and what nobody means.
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5 Gbps", "`Gbit/s`"), ("5 GBps", "`GB/s`"), ("5 Gb/s", "`Gbit`"), ("5 gb/s", "`Gbit` or `GB`"),
        ("5 GBs", "`GB`"), ("5 KB", "`kB`"), ("5 kib", "`Kibit` or `KiB`"), ("5 terabytes", "`TB`"),
        ("1 TFlop/s", "`TFLOP`"), ("1 petaflop", "`PFLOP`"), ("1 petaflops", "`PFLOP/s`"),
        ("1000 TFLOPS", "`TFLOP/s`"), ("1 PFLOPS", "`PFLOP/s`"), ("4 MIN", "`min`"), ("4 Hours", "`h`"),
        ("4 milliseconds", "`ms`"), ("4 MS", "`ms`"), ("4 kwh", "`kWh`"), ("4 kilowatts", "`kW`"),
        ("4 Mmin", "`min`"), ("4 mim", "`min`"),
    ],
)  # fmt: skip
def test_common_spelling_is_refused_with_what_is_meant(text, meant):
    with expect_error(ArgumentError, f"(did you mean {meant}?)") as caught:
        quantity(text)
    for name in re.findall("`([^`]+)`", meant):
        assert name.partition("/")[0] in units.SPELLED, caught.message


def test_amount_in_place_of_a_rate_is_named():
    with expect_error(
        ArgumentError, "`1000 TFLOP`", "this is an amount, and a rate is so much in a time, such as `1 FLOP/s`"
    ):
        units.matching("1000 TFLOPs", quantity("1 FLOP/s"), "P")
    with expect_error(ArgumentError, "check which quantity belongs here"):
        units.matching("5 s", quantity("1 FLOP/s"), "P")


# In full width, Arabic, Devanagari, and in bold: four beside a one must never be read as one.
@pytest.mark.parametrize("text", ["1４ min", "４ min", "٤ min", "1.४ h", "1e𝟒 s", "4 s**２", "1,00４ s"])
def test_digit_of_another_script_is_refused_by_name(text):
    strange = next(sign for sign in text if sign.isdecimal() and not sign.isascii())
    with expect_error(ArgumentError, f"`{strange}` is none of the digits 0 to 9", f"write it as {int(strange)}"):
        quantity(text)


def test_power_of_another_script_is_refused():
    with expect_error(ArgumentError, "`２` at character 4 of the unit `s**２`"):
        units.unit("s**２")


@pytest.mark.parametrize("text", ["4 min\n", "\t4 min", "4\tmin", "4 min\r\n", "\n4\n min"])
def test_white_space_of_any_kind_is_no_part_of_a_quantity(text):
    assert quantity(text) == quantity("4 min")


@pytest.mark.parametrize("text", ["4 mim\n", "4\nmim", "four\nmin", "\n"])
def test_refusal_stands_on_one_line(text):
    with expect_error(ArgumentError) as caught:
        quantity(text)
    assert "\n" not in caught.message


@pytest.mark.parametrize("text", ["2 month", "2 months"])
def test_month_is_refused_because_its_length_varies(text):
    with expect_error(ArgumentError, "a month is no unit", "`30 d`"):
        quantity(text)


def test_each_accepted_spelling_means_its_prefix_times_its_unit():
    powers = {p: 10.0**n for p, n in units.PREFIXES.items()} | {p: 2.0**n for p, n in units.BINARY.items()}
    for spelling, (prefix, name) in units.SPELLED.items():
        ratio = (quantity(f"1 {spelling}") / quantity(f"1 {name}")).m_as(units.unit(""))
        assert ratio == pytest.approx(powers.get(prefix, 1.0), rel=1e-14), spelling


def test_what_must_never_be_mixed_up_has_dimensions_of_its_own():
    names = ["s", "B", "FLOP", "token", "USD", "gpu", "J", "g", "L", ""]
    assert len({str(units.unit(name).dimensionality) for name in names}) == len(names)


def test_rate_of_computing_is_no_plain_rate():
    assert units.unit("FLOP/s").dimensionality != units.unit("1/s").dimensionality


@pytest.mark.parametrize("value", [None, True, [1, 2], {"a": 1}, 1j, object()])
def test_what_is_no_quantity_is_refused(value):
    with expect_error(ArgumentError, "M is ", "write `4 min`"):
        quantity(value, "M")


def test_quantity_of_another_registry_is_refused():
    with expect_error(ArgumentError, "another unit registry", "mathcore.quantity"):
        quantity(pint.UnitRegistry().Quantity(4, "min"))


def test_fact_stands_for_its_value():
    fact = Fact("5 min", "dump time", kind="paper", source="daly2006", date="2006")
    assert quantity(fact) == Quantity(300.0, "s")


@pytest.mark.parametrize(
    ("unit", "words"),
    [("s", "time"), ("B/s", "information/time"), ("gpu h", "device·time"), ("", "a plain number"),
     ("1/s", "1/time"), ("USD/(gpu h)", "money/(device·time)"), ("s**2", "time^2")],
)  # fmt: skip
def test_dimension_is_told_in_words(unit, words):
    assert units.dimension_text(units.unit(unit).dimensionality) == words


def test_root_of_a_dimension_is_told_as_a_fraction():
    assert units.dimension_text({"[time]": 2 / 3}) == "time^(2/3)"


@pytest.mark.parametrize("name", ["year", "GiB", "Gbit/s", "h"])
def test_whole_factor_is_exact(name):
    found = units.factor(name)
    assert isinstance(found, int) and fractions.Fraction(found) == found


def test_conversion_keeps_fifteen_digits():
    for name in units.SPELLED:
        there = quantity(f"3 {name}").to_base_units()
        assert math.isclose(there.m_as(units.unit(name)), 3, rel_tol=1e-15)
