"""Holds the work of a training to Brown et al., GPT-3, Table D.1."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("gpt3")
ROWS = [name for name in PUBLISHED if "P" in PUBLISHED[name]["inputs"]]
PF_DAYS = PUBLISHED["gpt3-d1-pfdays"]


def work(name, pattern="work"):
    given = {key: value for key, (value, _) in PUBLISHED[name]["inputs"].items()}
    symbols = {"N": given["P"], "D": f"{given['T']} token"}
    symbols |= {"k": f"{given['k']} FLOP/token"} if pattern == "work" else {}
    return find(f"training.{pattern}").at(**symbols).m_as("FLOP") / 1e20


@pytest.mark.parametrize("name", ROWS)
def test_work_of_a_row(name):
    require(PUBLISHED[name], work(name))


@pytest.mark.parametrize("name", ROWS)
def test_derived_factors_are_the_tabled_ones(name):
    """Six for decoders; three where a token meets one of two halves."""
    factor = PUBLISHED[name]["inputs"]["k"][0]
    assert work(name, "compute" if factor == 6 else "compute_halves") == pytest.approx(work(name), rel=1e-12)


def test_petaflop_days():
    found = find("training.time_at_rate").at(C=f"{PF_DAYS['inputs']['F'][0]} FLOP", R="1 PFLOP/s")
    require(PF_DAYS, found.m_as("d"))


def test_work_in_petaflop_days_is_a_work():
    stated = find("models.gpt3_pf_days").value.m_as("FLOP")
    assert stated == pytest.approx(find("models.gpt3_compute").value.m_as("FLOP"), rel=0.003)


def test_forward_pass_alone_is_found():
    refuse(PUBLISHED["gpt3-d1-gpt-3-175b"], work("gpt3-d1-gpt-3-175b") / 3)
