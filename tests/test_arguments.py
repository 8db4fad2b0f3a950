"""Protects how arguments go into a formula: by symbol or alias, as counts and lists, and how values are refused."""

import copy
import math
import pickle

import pytest
from error_assertions import expect_error
from sample_formulas import cluster
from sympy import sqrt

from mathcore import ArgumentError, DeclarationError, Fact, Formula, Variable, find, quantity
from mathcore.teaching import Calculation

write = Variable("C", "s", "time to write", alias="write_time")
mtbf = Variable("M", "s", "time between failures", alias="mtbf")
tau = Variable("tau", "s", "work between checkpoints")
by_alias = Formula(tau, sqrt(2 * write * mtbf))


def test_alias_is_accepted_for_the_symbol():
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


def test_alias_of_two_inputs_is_refused_by_verify():
    other = Variable("D", "s", "another time", alias="mtbf")
    named = Variable("write_time", "s", "the time that it takes")
    assert list(by_alias.issues()) == []
    for formula, alias in ((Formula(tau, sqrt(mtbf * other)), "mtbf"), (Formula(tau, write + named), "write_time")):
        (issue,) = formula.issues()
        assert issue.startswith(f"{formula.where}: ") and f"`{alias}` names two inputs" in issue


# What engineers write, by words, and the values by hand.
BY_WORDS = {
    "young_daly.interval": (dict(write_time="4 min", mtbf="8 h"), (2 * 240 * 28800) ** 0.5 / 60, "min"),
    "young_daly.cluster_mtbf": (dict(device_mtbf="50000 gpu h", devices=1000), 50, "h"),
    "collectives.ring": (
        dict(ranks=64, message="10 GB", bandwidth="100 GB/s", latency="0 s"),
        2 * 63 / 64 * 10 / 100,
        "s",
    ),
    "parallelism.bubble": (dict(pipeline_parallel=4, micro_batches=24), 3 / 27, ""),
    "training.compute": (dict(parameters=70e9, tokens="15 Ttoken"), 6 * 70e9 * 15e12, "FLOP"),
    "before_you_start.transfer": (dict(volume="10 GB", bandwidth="400 Gbit/s"), 0.2, "s"),
}


@pytest.mark.parametrize("address", BY_WORDS)
def test_formulas_of_the_book_take_words(address):
    given, value, unit = BY_WORDS[address]
    formula = find(address)
    assert formula.at(**given).m_as(unit) == pytest.approx(value)
    symbols = {formula.arguments[name].name: each for name, each in given.items()}
    assert formula.at(**symbols) == formula.at(**given) and symbols.keys() != given.keys()


@pytest.mark.parametrize("name", ["ranks", "devices"])
@pytest.mark.parametrize(
    "address", ["collectives.ring", "young_daly.cluster_mtbf", "training.time", "resilience.rank_share"]
)
def test_devices_and_ranks_are_one_word_for_another(address, name):
    formula = find(address)
    assert formula.arguments[name].name in "Nnp" and formula.arguments["ranks"] is formula.arguments["devices"]


def test_first_alias_is_before_a_further_one():
    ranks, devices = Variable("p", "", "ranks", alias=("ranks", "devices")), Variable("n", "", "all", alias="devices")
    both = Formula(Variable("x", "", "share"), ranks / devices)
    assert both.at(ranks=4, devices=8).m_as("") == 0.5 and not list(both.issues())
    assert pickle.loads(pickle.dumps(ranks)) == ranks and ranks.alias == "ranks"
    with expect_error(DeclarationError, code="name", got="lambda"):
        Variable("p", "", "ranks", alias=("ranks", "lambda"))


def test_decision_takes_words_and_lists_them():
    decision = find("young_daly.decisions.interval")
    assert decision.best(write_time="90 s", mtbf="6 h").label == decision.best(C="90 s", M="6 h").label
    with expect_error(ArgumentError, code="unknown-argument", got="N", expected="C (write_time), M (mtbf), tau"):
        decision.best(N=1024)


def test_alias_survives_copies_and_distinguishes_variables():
    assert pickle.loads(pickle.dumps(mtbf)).alias == copy.deepcopy(mtbf).alias == "mtbf"
    assert Variable("M", "s", "time between failures") != mtbf


@pytest.mark.parametrize("count", [2048, 2048.0, "2048", "2048 gpu", "2.048e3", 2.048e3, "2,048"])
def test_count_is_accepted_as_a_count(count):
    assert cluster.at(m="2048 gpu h", N=count).m_as("h") == pytest.approx(1)


def test_list_of_counts_is_an_array():
    assert list(cluster.at(m="2048 gpu h", N=[1024, 2048]).m_as("h")) == pytest.approx([2, 1])


def test_variable_is_printed_with_its_address():
    assert repr(find("young_daly.C")).startswith("<Variable young_daly.C: C, time to write")


@pytest.mark.parametrize("batch", [2.5, "2.5", [2, 2.5]])
def test_batch_written_with_a_fraction_is_refused(batch):
    with expect_error(ArgumentError, "B (requests in the batch)", code="not-integer", expected="an integer"):
        find("serving.rate").at(B=batch, t="20 ms")


def test_computed_mean_of_a_batch_is_accepted():
    assert find("serving.rate").at(B=quantity("2.5"), t="20 ms").m_as("token/s") == pytest.approx(125)


def test_variable_stays_a_count_in_a_pickle():
    batch = find("serving.B")
    assert pickle.loads(pickle.dumps(batch)) == batch
    assert batch.counts


# --- values that are refused, each written as an author might ----------------------------------

SOURCED = {"meaning": "a time", "kind": "paper", "source": "daly2006", "date": "2006"}


@pytest.mark.parametrize(
    ("given", "code"),
    [("nan s", "not-a-number"), ("inf s", "not-a-number"), ("1e400 s", "not-finite"), ("1e309 s", "not-finite"),
     ("", "not-a-number"), ("s", "not-a-number"), ("about 9 min", "not-a-number"), ("9 mim", "unknown-unit"),
     (math.nan, "wrong-type"), (9.1, "wrong-type"), (None, "wrong-type")],
)  # fmt: skip
def test_fact_without_a_finite_number_is_refused_where_it_is_stated(given, code):
    with expect_error(DeclarationError, code=code):
        Fact(given, **SOURCED)


@pytest.mark.parametrize(
    ("written", "code"),
    [("1e308 * 10", "not-finite"), ("1e400[s]", "not-finite"), ("1e400 - 1e400", "not-finite"),
     ("(-4) ** 0.5", "not-real"), ("sqrt(-4[s])", "not-real"), ("1 / 0", "no-value"), ("log(-1)", "no-value"),
     ("1[s] + 1[B]", "dimension")],
)  # fmt: skip
def test_calculation_without_a_real_finite_value_is_refused(written, code):
    with expect_error(ArgumentError, code=code, place=False):
        Calculation(written).value  # noqa: B018  computing is the check


@pytest.mark.parametrize("written", ["(" * 5000 + "1" + ")" * 5000, "+".join(["1"] * 20000), "-" * 9000 + "1"])
def test_calculation_that_is_nested_too_deep_is_refused(written):
    with expect_error(DeclarationError, "is not understood", place=False):
        Calculation(written).value  # noqa: B018  computing is the check


@pytest.mark.parametrize("seed", ["x", 1.5, None, True])
def test_variant_that_is_no_integer_is_refused(seed):
    with expect_error(ArgumentError, code="not-integer", got=repr(seed)):
        find("young_daly.ex_interval").answer_of(seed)


@pytest.mark.parametrize("unit", ["1 gpu", "2 h", "gpuu"])
def test_rate_per_what_is_no_unit_is_refused_at_the_line_of_the_caller(unit):
    with expect_error(ArgumentError):
        find("hardware.h100_bf16").per(unit)
