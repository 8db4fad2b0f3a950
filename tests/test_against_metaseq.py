"""Holds rate, and work per parameter, to the chronicles of OPT-175B."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("metaseq")


def rate(given):
    symbols = {"C": f"{given['F']} FLOP", "n": f"{given['n']} gpu", "t": f"{given['d']} d"}
    return find("training.rate_of_run").at(**symbols).m_as("TFLOP/s/gpu")


def test_rate():
    require(PUBLISHED["train-opt175-tflops"], rate(PUBLISHED.numbers("train-opt175-tflops")))


def test_work_per_parameter_of_the_mixture():
    given = PUBLISHED.numbers("train-opt175-moe-ratio")
    found = find("training.work_per_parameter").at(C=f"{given['F']} FLOP", N=given["P"])
    require(PUBLISHED["train-opt175-moe-ratio"], found.m_as("FLOP") / 1e9)


def test_stated_work_counts_what_was_recomputed():
    """Of 175 billion parameters and 300 billion tokens 6 N D is 3.15e23, 8 N D 4.2e23; stated are 4.3e23."""
    given = {"N": "175e9", "D": "300e9 token"}
    six = find("training.compute").at(**given).m_as("FLOP")
    eight = find("training.work").at(k="8 FLOP/token", **given).m_as("FLOP")
    stated = PUBLISHED.numbers("train-opt175-tflops")["F"]
    assert eight == pytest.approx(stated, rel=0.03)
    assert six != pytest.approx(stated, rel=0.2)


def test_month_of_wall_clock_is_found():
    refuse(PUBLISHED["train-opt175-tflops"], rate(PUBLISHED.numbers("train-opt175-tflops") | {"d": 56}))
