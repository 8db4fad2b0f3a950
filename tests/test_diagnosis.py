"""Protects the words that explain a wrong number: the right slip, the right direction, an honest ratio."""

import dataclasses
import math

import pytest
from typed_answers import diagnose, judge_answer

from mathcore import find
from mathcore.teaching import diagnosis

TIMES = "times too"
TWICE = "the right answer; look for a factor of 2"


@pytest.mark.parametrize(
    ("given", "right", "unit", "verdict", "text"),
    [
        (61.97, 61.9677, "", "right", "right"),
        (0.0, 0.0, "", "right", "right"),
        (2 * 3.1, 3.1, "", "wrong", f"it is twice {TWICE}"),
        (3.1 / 2, 3.1, "", "wrong", f"it is half {TWICE}"),
        (3.1 / 2**0.5, 3.1, "", "wrong", "1.41 times too small"),
        (3.1 * 2**0.5, 3.1, "", "wrong", "1.41 times too large"),
        (50.0, 400.0, "GB/s", "slip", "8 times too small: bits and bytes were confused"),
        (400.0, 50.0, "GB/s", "slip", "8 times too large: bits and bytes were confused"),
        (43.945, 2636.7, "s", "slip", "60 times too small: seconds and minutes, or minutes and hours, were confused"),
        (7.0, 7.0 * 3600, "s", "slip", "3600 times too small: seconds and hours were confused"),
        (24.0 * 7, 7.0, "s", "slip", "24 times too large: hours and days were confused"),
        (12.9, 0.129, "%", "slip", "a hundred times too large: did you mean 12.9 %?"),
        (1.073741824, 1.0, "GB/s", "slip", "1.074 times too large: GB and GiB were confused"),
        (1.0, 1.099511627776, "GB/s", "slip", "1.100 times too small: TB and TiB were confused"),
        (1024.0, 1000.0, "GB/s", "slip", "1.024 times too large: kB and KiB were confused"),
        (7e3, 7.0, "", "slip", "a thousand times too large: a power of ten"),
        (7.0, 7e5, "", "slip", "10^5 times too small: a power of ten"),
        (0.2, 5.0, "", "slip", "this is the inverse of the right answer"),
        (-3.1, 3.1, "", "slip", "the sign is wrong"),
        (7.0, 3.0, "", "wrong", "2.33 times too large"),
        (3.0, 7.0, "", "wrong", "2.33 times too small"),
        (0.0, 3.0, "", "wrong", "one of the two is zero, the other is not"),
        (3.0, 0.0, "", "wrong", "one of the two is zero, the other is not"),
        (math.nan, 3.0, "", "wrong", "this is not a finite number"),
        (math.inf, 3.0, "", "wrong", "this is not a finite number"),
        (3.0, math.nan, "", "wrong", "this is not a finite number"),
        (1e308, 1e-308, "", "wrong", "the two are out of all proportion"),
        (1e-308, 1e308, "", "wrong", "the two are out of all proportion"),
        (8.0, 1.0, "USD/token", "wrong", "8.00 times too large"),
        (14.0 * 1.024**3, 14.0, "", "wrong", "1.07 times too large"),
        (60.0, 1.0, "GB", "wrong", "60.0 times too large"),
        (300.0, 3.0, "token", "slip", "a hundred times too large: a power of ten"),
        (0.2, 5.0, "min", "wrong", "25.0 times too small"),
        (-7.0, 3.0, "", "wrong", "the sign is wrong, and the size too: it is 2.33 times the right one"),
    ],
)
def test_wrong_number_is_called_by_its_slip(given, right, unit, verdict, text):
    found = diagnose(given, right, unit=unit)
    assert (found.verdict, found.text) == (verdict, text)


@pytest.mark.parametrize(
    ("two", "ratio", "text"),
    [
        ("2", 2, "a factor 2 too many"),
        ("2", 1 / 2, "a factor 2 was dropped"),
        ("1/2", 2, "a factor 1/2 was dropped"),
        ("1/2", 1 / 2, "a factor 1/2 too many"),
        ("√2", 2**0.5, "√2 too large: a 2 under the root too many"),
        ("√2", 2**-0.5, "√2 too small: a 2 under the root was dropped"),
        ("√1/2", 2**0.5, "√2 too large: a 1/2 under the root was dropped"),
        ("√1/2", 2**-0.5, "√2 too small: a 1/2 under the root too many"),
        ("√2", 1 / 2, f"it is half {TWICE}"),
        ("2", 2**0.5, "1.41 times too large"),
    ],
)
def test_two_is_dropped_only_where_the_formula_has_it(two, ratio, text):
    assert diagnose(3.1 * ratio, 3.1, two=two).text == text


@pytest.mark.parametrize(
    ("address", "two"),
    [
        ("young_daly.ex_interval", "√2"),
        ("collectives.ex_ring", "2"),
        ("goodput.ex_clock", ""),
        ("energy.ex_carbon", ""),
        ("training.ex_time", ""),  # its six is no 2
        ("fleet_checkpointing.ex_steps", ""),  # its 2 is rounded with the rest
    ],
)
def test_exercise_names_the_two_of_its_formula(address, two):
    found = find(address)
    assert found.spec()["asked"]["two"] == two
    assert two == "2" or "was dropped" not in judge_answer(found, found.exact_answer(0) / 2).text


@pytest.mark.parametrize(
    ("given", "right", "unit", "rtol", "words"),
    [
        (26, 94000, "s", 0.02, "seconds and hours"),  # 26.1 h, rounded
        (0.63, 37.947, "min", 0.02, "minutes and hours"),
        (96, 12.2, "GB", 0.02, "bits and bytes"),
        (1.2e3, 1.19, "GB/s", 0.02, "a power of ten"),
        (0.13, 7.5, "", 0.03, "inverse"),
        (1.06, 1.0, "GB", 0.02, "1.06 times too large"),  # no binary prefix: near one there is no room for rounding
        (1.44, 1.0, "s", 0.03, "1.44 times too large"),  # no root of two
    ],
)
def test_slip_is_found_in_a_rounded_number(given, right, unit, rtol, words):
    assert words in diagnose(given, right, unit=unit, rtol=rtol, two="√2").text


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("1.1 h", "right"),
        ("68 min", "right"),
        ("1.12 h", "wrong"),
        ("1.3 h", "wrong"),
        ("1 h", "wrong"),
        ("4100 s", "right"),
    ],
)
def test_answer_may_be_rounded_to_two_digits_in_the_unit_in_which_it_is_typed(typed, verdict):
    exercise = find("young_daly.ex_interval")
    right = exercise.exact_answer(0)
    scaled = dataclasses.replace(
        exercise, rtol=1e-6, given={**exercise.given, **_scaled(exercise, 1.137 / right.m_as("h"))}
    )
    assert scaled.exact_answer(0).m_as("h") == pytest.approx(1.137)
    assert judge_answer(scaled, typed).verdict == verdict


def _scaled(exercise, factor):
    """Return the write time with which the interval is so many times as long: it is in proportion to its root."""
    return {v: f"{5 * factor**2} min" for v in exercise.given if v.name == "C"}


@pytest.mark.parametrize(
    ("address", "typed", "verdict", "words"),
    [
        ("roofline.ex_intensity", "110 FLOP/B", "mistake", "a multiply-add is two operations"),  # 113.8
        ("young_daly.ex_interval", "42 min", "mistake", "the 2 under the root"),  # 42.4
        ("reliability.ex_law", "0.16 h", "slip", "60 times too small"),  # 9.375 minutes
        ("energy.ex_carbon", "0.016 t", "slip", "a thousand times too small"),  # 15.6 kg
        ("training.ex_time", "3.7 d", "slip", "24 times too small"),  # 89.97 hours
        ("training.ex_time", "3.6 d", "wrong", "25.0 times too small"),
        ("roofline.ex_ridge", "170 FLOP/B", "wrong", "1.11 times too large"),  # no binary prefix of 153
    ],
)
def test_mistake_and_slip_are_found_in_a_number_with_two_digits(address, typed, verdict, words):
    found = judge_answer(find(address), typed)
    assert found.verdict == verdict and words in found.text


def test_mistake_near_a_rounded_answer_is_named():
    assert diagnose(1.3, 1.27, [("forgotten", 1.305)], rtol=0.01, scale=1).text == "forgotten"
    assert diagnose(13.0, 12.6, rtol=0.001, rounding="up", scale=1).verdict == "right"
    assert diagnose(12.0, 12.4, rtol=0.001, rounding="up", scale=1).verdict == "slip"


@pytest.mark.parametrize("right", [1e-170, 1e200])
def test_square_of_the_right_answer_may_be_out_of_range(right):
    assert "times too" in diagnose(3.0, right).text


def test_declared_mistake_is_named_before_any_general_slip():
    found = diagnose(50.0, 100.0, [("half the MTBF", 50.0)])
    assert (found.verdict, found.text) == ("mistake", "half the MTBF")


def test_right_answer_is_right_even_if_a_mistake_lies_near():
    assert diagnose(100.4, 100.0, [("a mistake", 100.5)], rtol=0.01).verdict == "right"


def test_nearest_of_two_mistakes_is_named():
    assert diagnose(50.0, 100.0, [("a", 50.3), ("b", 50.0)]).text == "b"
    assert diagnose(3.0, 100.4, [("a", 2.5), ("b", 3.2)], rounding="up").text == "b"


@pytest.mark.parametrize("rtol", [0.001, 0.01, 0.05])
def test_tolerance_ends_at_the_stated_value(rtol):
    assert diagnose(100 * (1 + rtol * 0.99), 100.0, rtol=rtol).verdict == "right"
    assert diagnose(100 * (1 + rtol * 1.1), 100.0, rtol=rtol).verdict != "right"


@pytest.mark.parametrize("power", [1, 2, 3, 4])
def test_powers_of_1024_are_distinguished(power):
    texts = {diagnose(1.024**n, 1.0, unit="GB").text for n in (1, 2, 3, 4)}
    assert len(texts) == 4 and diagnose(1.024**power, 1.0, unit="GB").verdict == "slip"


def test_explanation_fits_the_factor_and_never_the_wrong_way():
    for k in range(1, 400):
        right, factor = 3.7, 1.031**k
        found = diagnose(right * factor, right, unit="GB/s")
        assert found.factor == pytest.approx(factor)
        assert not found.text.endswith("small") and "was dropped" not in found.text, (factor, found.text)
        if TIMES in found.text and found.text[0].isdigit():
            stated = float(found.text.split(" ")[0].replace(",", "").replace("10^", "1e"))
            rounded = 0.0101 if found.verdict == "slip" else 0.006  # a slip within the tolerance of the answer
            assert stated == pytest.approx(factor, rel=rounded), found.text


@pytest.mark.parametrize("right", [3.1, 61.97, 2e9])
@pytest.mark.parametrize("two", ["", "2", "1/2", "√2", "√1/2"])
def test_claims_get_the_same_words_with_every_slip(right, two):
    for factor in (8, 60, 3600, 24, 100, 1000, 1.024, 1.024**3, 2, 2**0.5, 1e-5, -1, -3, 1, 1.06, 7, 0, math.inf):
        for given in (right * factor, right / factor if factor else math.nan):
            expected, found = (
                diagnose(given, right, rtol=1e-9, unit=None, two=two),
                diagnosis.diagnose(given, right, two),
            )
            assert (found.verdict, found.text) == (expected.verdict, expected.text), given
