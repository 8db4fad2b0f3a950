"""Protects how arguments go into a formula: by symbol or alias, as counts and lists, and what is said otherwise."""

import copy
import pickle

import pytest
from error_assertions import expect_error
from sample_formulas import C, M, cluster, interval
from sympy import sqrt

from mathcore import ArgumentError, Formula, Variable, find

write = Variable("C", "s", "time to write", alias="write_time")
mtbf = Variable("M", "s", "time between failures", alias="mtbf")
tau = Variable("tau", "s", "work between checkpoints")
by_alias = Formula(tau, sqrt(2 * write * mtbf))


def test_alias_stands_for_the_symbol():
    for given in ({"write_time": "4 min", "mtbf": "8 h"}, {"C": "4 min", "mtbf": "8 h"}):
        assert by_alias.at(**given).m_as("min") == pytest.approx((2 * 4 * 480) ** 0.5)


def test_argument_under_both_of_its_names_is_refused():
    with expect_error(ArgumentError, code="repeated-argument", got="write_time"):
        by_alias.at(C="4 min", write_time="5 min", M="8 h")


def test_unknown_name_is_answered_with_the_aliases():
    with expect_error(ArgumentError, code="unknown-argument", expected="M (mtbf)", hint="write_time"):
        by_alias.at(writetime="4 min", M="8 h")


def test_alias_of_two_inputs_is_none():
    other = Variable("D", "s", "another time", alias="mtbf")
    with expect_error(ArgumentError, code="unknown-argument", got="mtbf"):
        Formula(tau, sqrt(mtbf * other)).at(mtbf="4 min", D="8 h")


def test_alias_survives_copies_and_tells_variables_apart():
    assert pickle.loads(pickle.dumps(mtbf)).alias == copy.deepcopy(mtbf).alias == "mtbf"
    assert Variable("M", "s", "time between failures") != mtbf


@pytest.mark.parametrize("count", [2048, 2048.0, "2048", "2048 gpu"])
def test_count_is_accepted_as_a_count(count):
    assert cluster.at(m="2048 gpu h", N=count).m_as("h") == pytest.approx(1)


def test_list_of_counts_is_an_array():
    assert list(cluster.at(m="2048 gpu h", N=[1024, 2048]).m_as("h")) == pytest.approx([2, 1])


def test_count_that_is_no_integer_is_refused():
    with expect_error(ArgumentError, "N (devices)", code="not-integer", got="2.5"):
        cluster.at(m="2048 gpu h", N=2.5)


def test_arguments_without_names_are_answered_with_their_names():
    with expect_error(ArgumentError, code="positional-argument", hint="write C='4 min', M='8 h'"):
        interval.at("4 min", "8 h")
    assert interval.at({C: "4 min"}, M="8 h") == interval.at({C: "4 min", M: "8 h"})


def test_variable_is_printed_with_its_address():
    assert repr(find("young_daly.C")).startswith("<Variable young_daly.C: C, time to write")
