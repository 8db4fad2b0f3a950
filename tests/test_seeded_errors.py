"""Protects readers from the usual mistakes: each is seeded here, must be caught, placed and explained."""

import math

import numpy as np
import pytest
from error_assertions import expect_error
from sample_formulas import A, C, M, N, P, V, W, b, cluster, d, interval, m, tau, transfer, w, waste, x
from sympy import Max, Min, Rational, sqrt

from mathcore import ArgumentError, Derivation, DimensionError, Example, Formula, Quantity, StepError, find
from mathcore.errors import Refuted

LEAST = Derivation.minimise(waste, over=tau, why="the least waste has no slope")
duration = Formula(d, V / b, kind="definition")
waste_of_writes = Formula(w, C / tau, kind="definition")
RATIO = Derivation.start(x, C / (w * tau), "a ratio")
ROOF = Derivation.start(A, W / Max(W / P, V / b), "the slower part sets the pace", kind="model")


# ---------------------------------------------------------------- in a derivation


def test_wrong_exponent_of_a_quantity_is_caught_by_its_unit():
    with expect_error(
        DimensionError, "C**(1/3)*M**(1/3)", got="time^(2/3)", expected="time", hint="a factor too many, too few"
    ):
        LEAST.root((C * M) ** Rational(1, 3), "the root", as_symbol=tau)


def test_wrong_exponent_of_a_ratio_is_caught_by_its_value():
    share = Derivation.start(w, sqrt(2 * C / M), "at the optimum")
    with expect_error(Refuted, "sqrt(2)*sqrt(C)/sqrt(M) is not 2*C/M", "at C = 1.00 s", hint="wrong sign, exponent"):
        assert share.rewrite(2 * C / M, "drop the root").last.verdict


def test_swapped_sign_is_caught():
    with expect_error(Refuted, "-C/tau**2 + 1/(2*M) is not C/tau**2 + 1/(2*M)", hint="a wrong sign"):
        assert LEAST.slope(1 / (2 * M) + C / tau**2, "term by term").last.verdict


def test_swapped_sign_of_all_is_called_so():
    with expect_error(Refuted, hint="the second is -1.0 times the first everywhere; correct that factor"):
        assert Derivation.start(waste).rewrite(-C / tau - tau / (2 * M), "the same").last.verdict


def test_dropped_factor_two_is_caught_and_called_so():
    with expect_error(Refuted, "C/(2*M) is not C/M", hint="is 2.0 times the first everywhere; correct that factor"):
        assert Derivation.start(w, C / (2 * M), "a share").rewrite(C / M, "simplify").last.verdict


def test_dropped_factor_two_under_a_root_is_caught_where_the_root_is_stated():
    hint = "the second is 2.0 times the first everywhere; correct that factor"
    with expect_error(Refuted, "`sqrt(C)*sqrt(M)` is no root", hint=hint):
        assert LEAST.root(sqrt(C * M), "the slope is zero").last.verdict


def test_swapped_fraction_is_caught_by_its_unit_before_its_value():
    with expect_error(DimensionError, "`Min(P, V*b/W)`", expected="computation/time", hint="upside down") as caught:
        ROOF.rewrite(Min(P, b * V / W), "the smaller rate")
    assert "the one is" not in caught.message


def test_swapped_fraction_without_a_unit_is_caught_by_its_value():
    with expect_error(Refuted, "C/tau is not tau/C", hint="the ratio changes from point to point"):
        assert Derivation.start(w, C / tau, "the writes").rewrite(tau / C, "upside down").last.verdict


def test_max_for_min_is_caught():
    with expect_error(Refuted, "is not Max(P, W*b/V)", hint="a function that was exchanged"):
        assert ROOF.rewrite(Max(P, b * W / V), "the larger rate").last.verdict


def test_min_in_place_of_max_is_known_as_sampled_not_proved():
    verdict = ROOF.rewrite(Min(P, b * W / V), "the smaller rate").last.verdict
    assert verdict.name == "sampled" and "all 4 branches hit" in verdict.detail


def test_step_that_changes_nothing_is_caught():
    with expect_error(StepError, code="no-change"):
        Derivation.start(waste).rewrite(tau / (2 * M) + C / tau, "in another order")


@pytest.mark.parametrize("wrong", [C / tau + 0.5 * tau / M, sqrt(C / M) ** 1.0])
def test_float_in_a_derivation_is_caught(wrong):
    with expect_error(StepError, code="not-exact", hint="write Rational(1, 10), not 0.1"):
        Derivation.start(waste).rewrite(wrong, "with a float")


@pytest.mark.parametrize(
    "wrong",
    [
        ROOF.apply({V: 2 * b * d}, "twice", justified_by=duration),
        RATIO.apply({tau: C * w}, "upside down", justified_by=waste_of_writes),
    ],
    ids=["factor", "fraction"],
)
def test_wrong_substitution_is_caught_where_a_formula_is_named_for_it(wrong):
    assert [text for text in wrong.issues() if "is not" in text and text.startswith(wrong.last.where)]


def test_wrong_substitution_without_a_formula_is_never_called_proved():
    chain = ROOF.apply({V: 2 * b * d}, "a seeded factor 2")
    assert [step.verdict.name for step in chain.steps] == ["assumed", "assumed"]
    assert chain.formula().kind == "model"


# ---------------------------------------------------------------- in an example


@pytest.mark.parametrize(
    ("formula", "given", "expected", "words"),
    [
        (interval, {C: "4 min", M: "8 h"}, "62 GB", "cannot convert from 'GB' (information) to 'min' (time)"),
        (cluster, {m: "200 gpu h", N: "16384 gpu"}, "44 min", "but 44.0\u202fmin was expected (0.016646 times that)"),
        (transfer, {V: "400 GB", b: "400 Gbit/s"}, "1 s", "gives 8.00\u202fs, but 1.00\u202fs was expected (8 times"),
        (transfer, {V: "1 GiB", b: "1 GB/s"}, "1 s", "was expected (1.07374 times that)"),
    ],
    ids=["another dimension", "minutes for seconds", "bits for bytes", "gigabytes for gibibytes"],
)
def test_wrong_expectation_is_named_with_its_line(formula, given, expected, words):
    example = Example(formula, given, expect=expected)
    (found,) = example.issues()
    assert found.startswith(f"{example.where}: ") and words in found


# ---------------------------------------------------------------- in a value


def test_hours_per_device_read_as_hours_of_the_cluster_are_caught():
    fields = dict(code="dimension", got="200 h", expected="device·time", hint="write `200 gpu h")
    with expect_error(ArgumentError, "m (time between failures of a device)", **fields):
        cluster.at(m="200 h", N="16384 gpu")


def test_hours_of_a_device_read_as_hours_of_the_cluster_are_caught():
    hint = "a time per device; divide it by the number of devices"
    with expect_error(ArgumentError, "M (time between failures)", code="dimension", hint=hint):
        interval.at(C="4 min", M="200 gpu h")


def test_too_many_and_too_few_devices_are_distinguished():
    with expect_error(ArgumentError, code="dimension", expected="dimensionless", hint="write `8`"):
        find("collectives.tree").at(p="8 gpu", n="1 GB", alpha="2 us", beta="50 GB/s")
    with expect_error(ArgumentError, code="dimension", hint="write `989 TFLOP/s/gpu`"):
        find("training.time_at_peak").at(C="1 YFLOP", n="8 gpu", P="989 TFLOP/s")
    with expect_error(ArgumentError, code="dimension", hint="leave the `/gpu` out"):
        find("roofline.ridge").at(P="989 TFLOP/s/gpu", b="3350 GB/s")


@pytest.mark.parametrize("bare", [4, 4.0, "4", np.array([4.0, 5.0])])
def test_bare_number_for_a_quantity_is_caught(bare):
    fields = dict(code="missing-unit", expected="time", hint="write its unit, such as `4 min`")
    with expect_error(ArgumentError, "C (time to write)", **fields):
        interval.at(C=bare, M="8 h")


@pytest.mark.parametrize(
    ("value", "got"),
    [(math.nan, "NaN"), (math.inf, "inf"), (-math.inf, "-inf"), (-28800.0, "−8.00\u202fh"), (0.0, "0\u202fs")],
)
@pytest.mark.parametrize("shape", [float, lambda v: np.array([28800.0, v, 28800.0])], ids=["scalar", "array"])
def test_impossible_time_between_failures_is_caught(value, got, shape):
    at = " at index 1" if shape is not float else ""
    named = f"M (time between failures) of sample_formulas.interval is {got}{at}"
    with expect_error(ArgumentError, named, got=got, expected="1\u202fmin to 10\u202fyears"):
        interval.at(C="4 min", M=Quantity(shape(value), "s"))


def test_zero_bandwidth_is_caught():
    with expect_error(ArgumentError, "b (bandwidth)", code="out-of-range", got="0\u202fB/s", expected="1\u202fPB/s"):
        transfer.at(V="1 GB", b="0 GB/s")


@pytest.mark.parametrize(("one", "other"), [((3,), (4,)), ((3, 4), (2, 4)), ((2, 3), (2,))])
def test_array_of_the_wrong_length_is_caught(one, other):
    with expect_error(ArgumentError, code="shape", got=f"C has {one} and M has {other}"):
        interval.at(C=Quantity(np.full(one, 240.0), "s"), M=Quantity(np.full(other, 28800.0), "s"))
