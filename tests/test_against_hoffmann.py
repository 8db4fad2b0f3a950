"""Holds compute-optimal sizes, and 6 N D, to Hoffmann et al., Chinchilla."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("hoffmann")
UNITS = {"C": "FLOP", "D": "token"}


def of(*starts):
    return [name for name in PUBLISHED if name.startswith(starts)]


def constants(given):
    return {"A": given["A"], "B": given["B"], "alpha": given["al"], "beta": given["be"]}


@pytest.mark.parametrize("name", of("chin-t3", "chin-a3-ap2"))
def test_tables_of_approach_1_and_2(name):
    given = PUBLISHED.numbers(name)
    found = find("training.compute").at(N=given["N"], D=f"{given['D']} token")
    require(PUBLISHED[name], found.m_as("FLOP") / 1e18)


@pytest.mark.parametrize("name", of("chin-a3-ap3"))
def test_table_of_approach_3(name):
    given = PUBLISHED.numbers(name)
    found = find("training.scaling.work_of_size").at(N=given["N"], **constants(given))
    require(PUBLISHED[name], found.m_as("FLOP") / 1e18)


def test_table_of_approach_3_has_another_exponent():
    """Limit: the table rises with 0.4587, the constants printed beside it with 0.4565, so they part."""
    ratios = []
    for name in of("chin-a3-ap3"):
        given = PUBLISHED.numbers(name)
        found = find("training.scaling.work_of_size").at(N=given["N"], **constants(given)).m_as("FLOP") / 1e18
        ratios.append(found / PUBLISHED[name]["expected"])
    assert ratios == sorted(ratios)
    assert ratios[0] > 1 and ratios[-1] > 1.1


def test_exponent_of_the_rounded_constants():
    given = PUBLISHED.numbers("chin-a-rounded-shift")
    found = find("training.scaling.exponent").evaluate(alpha=given["al"], beta=given["be"])[0].magnitude
    require(PUBLISHED["chin-a-rounded-shift"], found)


def ratio(given, **changed):
    symbols = {"N": "N", "l": "L", "h": "d", "f": "f", "n_q": "H", "d": "k", "s": "S"}
    shape = {symbol: given[key] for symbol, key in symbols.items()}
    return find("training.exact_ratio").evaluate(**shape | changed)[0].magnitude


@pytest.mark.parametrize("name", of("chin-a4"))
def test_exact_work_over_6nd(name):
    require(PUBLISHED[name], ratio(PUBLISHED.numbers(name)))


@pytest.mark.parametrize("name", of("chin-a4"))
def test_logits_are_found(name):
    """The appendix counts them in its words, but not in this table: with them every row is higher."""
    given = PUBLISHED.numbers(name)
    logits = 32000 * given["d"] / given["N"]
    assert logits > 0.015
    refuse(PUBLISHED[name], ratio(given) + logits)


def test_rounding_the_constants_moves_the_optimum():
    """Two digits instead of five make 92.6 tokens for each parameter out of 58.9, at Chinchilla's budget."""
    fine, printed = (find(f"training.scaling.ratio_{name}").value.m_as("token") for name in ("hoffmann", "printed"))
    assert printed / fine == pytest.approx(1.57, abs=0.01)


def test_six_forgotten_is_found():
    entry = PUBLISHED["chin-t3-1b"]
    refuse(entry, PUBLISHED.numbers("chin-t3-1b")["N"] * PUBLISHED.numbers("chin-t3-1b")["D"] / 1e18)
