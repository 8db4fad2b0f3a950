"""Protects the units: a closed list, dimensions that cannot be mixed up, numbers that need their unit."""

import fractions
import math
import pickle
import re

import numpy as np
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
        ("3 GB/s", 3e9, "B/s"), ("62.0\u202fmin", 3720, "s"), ("8 hrs", 28800, "s"),
        ("$2.5/h", 2.5, "USD/h"), ("-$3", -3, "USD"), ("$4/gpu/h", 4, "USD/(gpu h)"), ("$3M", 3e6, "USD"),
        ("400 Gbps", 50e9, "B/s"), ("50 GBps", 50e9, "B/s"), ("400 Gbps/gpu", 50e9, "B/s/gpu"),
        ("390 gCO2/kWh", 390, "g/kWh"), ("3 kg CO2e", 3000, "g"), ("3 tCO₂", 3, "t"), ("2 gCO2eq/kWh", 2, "g/kWh"),
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
    [("4 mim", "min"), ("4 gpuh", "gpu"), ("4 Mmin", "min"), ("4 kh", "h"), ("4 GBs", "GB"), ("4 Kgpu", "gpu"),
     ("4 flop", "FLOP")],
)  # fmt: skip
def test_unknown_unit_is_refused_with_the_list_of_those_that_are_known(text, near):
    with expect_error(ArgumentError, code="unknown-unit", got=text.split()[1], expected="s, min, h", hint=f"`{near}`"):
        quantity(text)


# What people write, what is meant by it, and what nobody means.
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5 mbps", "`Mbps`"), ("5 gbps", "`Gbps`"), ("5 Gb/s", "`Gbit`"), ("5 gb/s", "`Gbit` or `GB`"),
        ("5 GBs", "`GB`"), ("5 KB", "`kB`"), ("5 kib", "`Kibit` or `KiB`"), ("5 terabytes", "`TB`"),
        ("1 TFlop/s", "`TFLOP`"), ("1 petaflop", "`PFLOP`"), ("1 petaflops", "`PFLOP/s`"),
        ("1000 TFLOPS", "`TFLOP/s`"), ("1 PFLOPS", "`PFLOP/s`"), ("4 MIN", "`min`"), ("4 Hours", "`h`"),
        ("4 milliseconds", "`ms`"), ("4 MS", "`ms`"), ("4 kwh", "`kWh`"), ("4 kilowatts", "`kW`"),
        ("4 Mmin", "`min`"), ("4 mim", "`min`"),
    ],
)  # fmt: skip
def test_common_spelling_is_refused_with_what_is_meant(text, meant):
    with expect_error(ArgumentError, code="unknown-unit", hint=f"did you mean {meant}?") as caught:
        quantity(text)
    for name in re.findall("`([^`]+)`", meant):
        assert name.partition("/")[0] in units.UNIT_SPELLINGS, caught.message


def test_amount_in_place_of_a_rate_is_named():
    with expect_error(
        ArgumentError, code="dimension", got="1000 TFLOP", hint="an amount, and a rate is so much in a time"
    ):
        units.match_dimension("1000 TFLOPs", quantity("1 FLOP/s"), "P")
    with expect_error(ArgumentError, code="dimension", got="5 s", expected="computation/time", hint="`5 FLOP/s`"):
        units.match_dimension("5 s", quantity("1 FLOP/s"), "P")


@pytest.mark.parametrize(
    ("given", "wanted", "hint"),
    [
        ("320 KiB", "kB/token", "`320 KiB/token`"), ("320 KiB/token", "kB", "by the number of tokens"),
        ("2 USD/h", "USD/gpu/h", "`2 USD/h/gpu`"), ("3.35 TB/s", "GB/s/gpu", "`3.35 TB/s/gpu`"),
        ("35000 USD", "USD/gpu/h", "`35000 USD/gpu/h`"), ("50000 h", "gpu h", "`50000 gpu h`"),
        ("50 GB/s", "GB", "by the time"), ("70 B", "", "`70e9`"), ("2 B", "token", "`2e9`"),
        (2.5, "USD/gpu/h", "`2.5 USD/gpu/h`"), ("0.5", "min", "`0.5 min`"), ([90, 120], "min", "`90 min`"),
    ],
)  # fmt: skip
def test_hint_repeats_the_number_with_the_unit_that_fits(given, wanted, hint):
    with expect_error(ArgumentError, hint=hint) as caught:
        units.match_dimension(given, quantity(f"1 {wanted}"), "x")
    for written in re.findall("`([^`]*)`", caught.raised.hint):
        if " " in written:
            assert quantity(written).dimensionality == units.unit(wanted).dimensionality


@pytest.mark.parametrize(("text", "meant"), [("8k", "8e3"), ("2T", "2e12"), ("1.5 M", "1.5e6"), ("400G", "400e9")])
def test_prefix_without_a_unit_is_answered_with_the_number(text, meant):
    with expect_error(ArgumentError, code="unknown-unit", got=text[-1], hint=f"`{meant}`"):
        quantity(text)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        ("29.614 USD", 3, "$29.61"), ("29.614 USD", 2, "$30"), ("-12.345 USD", 3, "−$12.35"),
        ("90.04 USD/h", 3, "$90.04 per hour"), ("2.347 USD/(gpu h)", 3, "$2.35 per GPU-hour"),
        ("29.614 MUSD", 3, "$29.6\u202fmillion"),
    ],
)  # fmt: skip
def test_cents_of_a_rounded_price_are_true_or_left_out(value, digits, text):
    assert units.quantity_text(quantity(value), None, digits) == text


def test_wrong_dimension_is_reported_in_the_words_of_pint():
    with expect_error(ArgumentError, "P", "cannot convert from 'GB' (information) to 's' (time)"):
        units.match_dimension("4 GB", quantity("1 s"), "P")
    with pytest.raises(pint.DimensionalityError, match="Cannot convert from"):  # what they are
        pint.UnitRegistry().Quantity(4, "GB").to("s")


# In full width, Arabic, Devanagari, and in bold: four beside a one must never be read as one.
@pytest.mark.parametrize("text", ["1４ min", "４ min", "٤ min", "1.४ h", "1e𝟒 s", "4 s**２", "1,00４ s"])
def test_digit_of_another_script_is_refused_by_name(text):
    strange = next(sign for sign in text if sign.isdecimal() and not sign.isascii())
    with expect_error(ArgumentError, code="not-a-number", got=strange, hint=f"{int(strange)}"):
        quantity(text)


def test_power_of_another_script_is_refused():
    with expect_error(ArgumentError, "character 4 of the unit `s**２`", code="unit-syntax", got="２"):
        units.unit("s**２")


@pytest.mark.parametrize("text", ["4 min\n", "\t4 min", "4\tmin", "4 min\r\n", "\n4\n min"])
def test_white_space_of_any_kind_is_no_part_of_a_quantity(text):
    assert quantity(text) == quantity("4 min")


@pytest.mark.parametrize("text", ["4 mim\n", "4\nmim", "four\nmin", "\n"])
def test_refusal_is_one_line(text):
    with expect_error(ArgumentError) as caught:
        quantity(text)
    assert "\n" not in caught.message


@pytest.mark.parametrize("text", ["2 month", "2 months"])
def test_month_is_refused_because_its_length_varies(text):
    with expect_error(ArgumentError, code="unknown-unit", got="month", hint="`30 d`"):
        quantity(text)


def test_each_accepted_spelling_means_its_prefix_times_its_unit():
    powers = {p: 10.0**n for p, n in units.PREFIXES.items()} | {p: 2.0**n for p, n in units.BINARY.items()}
    for spelling, (prefix, name) in units.UNIT_SPELLINGS.items():
        ratio = (quantity(f"1 {spelling}") / quantity(f"1 {name}")).m_as(units.unit(""))
        assert ratio == pytest.approx(powers.get(prefix, 1.0), rel=1e-14), spelling


def test_what_must_never_be_mixed_up_has_dimensions_of_its_own():
    names = ["s", "B", "FLOP", "token", "USD", "gpu", "J", "g", "L", ""]
    assert len({str(units.unit(name).dimensionality) for name in names}) == len(names)


def test_rate_of_computing_is_no_plain_rate():
    assert units.unit("FLOP/s").dimensionality != units.unit("1/s").dimensionality


@pytest.mark.parametrize("value", [None, True, [], {"a": 1}, 1j, object()])
def test_what_is_no_quantity_is_refused(value):
    with expect_error(ArgumentError, "M is ", code="not-a-quantity", got=repr(value)):
        quantity(value, "M")


def test_list_is_an_array_in_the_unit_of_its_first_element():
    assert list(quantity([2, 4, 8]).m_as("")) == [2, 4, 8]
    assert list(quantity(["4 min", "1 h", quantity("30 s")]).m_as("min")) == [4, 60, 0.5]


@pytest.mark.parametrize(
    ("values", "index", "code"),
    [
        (["4 min", 3], 1, "missing-unit"),
        ([1, None], 1, "not-a-quantity"),
        ([math.nan, "x"], 1, "not-a-number"),
        (["1 s", "2 B"], 1, "dimension"),
    ],
)
def test_element_of_a_list_that_does_not_fit_is_refused_by_its_index(values, index, code):
    with expect_error(ArgumentError, f"M, element {index},", code=code):
        quantity(values, "M")


# ---------------------------------------------------------------- arithmetic and conversion

hour = quantity("62 min")


@pytest.mark.parametrize(
    ("compute", "code", "hint"),
    [
        (lambda: hour.to("GB"), "dimension", ""), (lambda: hour.m_as("GB"), "dimension", ""),
        (lambda: hour.to("hh"), "unknown-unit", "`h`"), (lambda: hour + 1, "missing-unit", 'quantity("1 min")'),
        (lambda: 1 - hour, "missing-unit", "1 min"), (lambda: hour + "1 min", "dimension", 'quantity("1 min")'),
        (lambda: hour + quantity("1 GB"), "dimension", ""), (lambda: float(hour), "dimension", '.m_as("min")'),
        (lambda: int(hour), "dimension", '.m_as("min")'), (lambda: hour < 3, "missing-unit", 'quantity("3 min")'),
        (lambda: hour < quantity("1 GB"), "dimension", ""), (lambda: hour**hour, "dimension", ""),
        (lambda: np.exp(hour), "dimension", ""), (lambda: np.array([1.0, 2.0]) + hour, "dimension", ""),
        (lambda: hour + None, "dimension", ""), (lambda: hour % quantity("1 GB"), "dimension", ""),
    ],
)  # fmt: skip
def test_arithmetic_that_makes_no_sense_is_refused_as_an_argument_is(compute, code, hint):
    with expect_error(ArgumentError, place=False, code=code, hint=hint) as caught:
        compute()
    assert caught.raised.where.startswith("tests/test_units.py:")


def test_arithmetic_that_makes_sense_is_that_of_pint():
    assert sum([hour, hour]) == 2 * hour == hour + quantity("3720 s") and float(quantity("7 %")) == pytest.approx(0.07)
    assert (hour == quantity("1 GB"), hour > quantity("1 s"), 0 + hour == hour) == (False, True, True)
    assert hour.to("h").units == units.unit("h") and hour.to(quantity("3 s").units).magnitude == 3720


def test_quantity_comes_back_from_a_pickle_in_the_registry_of_the_book():
    for value in (hour, quantity(["4 min", "8 min"]), quantity("2 USD/(gpu h)")):
        again = pickle.loads(pickle.dumps(value))
        assert np.all(again + value == 2 * value) and type(again) is Quantity


def test_quantity_of_another_registry_is_refused():
    with expect_error(ArgumentError, code="other-registry", hint="mathcore.quantity"):
        quantity(pint.UnitRegistry().Quantity(4, "min"))


def test_fact_is_accepted_for_its_value():
    fact = Fact("5 min", "dump time", kind="paper", source="daly2006", date="2006")
    assert quantity(fact) == Quantity(300.0, "s")


@pytest.mark.parametrize(
    ("unit", "words"),
    [("s", "time"), ("B/s", "information/time"), ("gpu h", "device·time"), ("", "dimensionless"),
     ("1/s", "1/time"), ("USD/(gpu h)", "money/(device·time)"), ("s**2", "time^2")],
)  # fmt: skip
def test_dimension_is_named_in_words(unit, words):
    assert units.dimension_text(units.unit(unit).dimensionality) == words


def test_root_of_a_dimension_is_printed_as_a_fraction():
    assert units.dimension_text({"[time]": 2 / 3}) == "time^(2/3)"


@pytest.mark.parametrize("name", ["year", "GiB", "Gbit/s", "h"])
def test_whole_factor_is_exact(name):
    found = units.base_factor(name)
    assert isinstance(found, int) and fractions.Fraction(found) == found


def test_conversion_keeps_fifteen_digits():
    for name in units.UNIT_SPELLINGS:
        there = quantity(f"3 {name}").to_base_units()
        assert math.isclose(there.m_as(units.unit(name)), 3, rel_tol=1e-15)
