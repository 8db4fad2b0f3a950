"""Holds activation memory to Korthikanti et al., Reducing Activation Recomputation."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("korthikanti")
BYTES = {"w": "2 B", "u": "1 B"}


def saved(entry):
    """Return what selective recomputation saves, in per cent."""
    symbols = {k: str(v[0]) for k, v in entry["inputs"].items() if k in "ash"}
    return find("parallelism.memory.saved_by_selective").at(**symbols, **BYTES).m_as("%")


def test_scores_of_mtnlg_weigh_64_of_34():
    """The paper's 5as/h is what scores keep, in bytes for each of the sbh values."""
    entry = PUBLISHED["act-mtnlg-5ash"]
    a, s, h = (entry["inputs"][k][0] for k in "ash")
    given = {"s": str(s), "b": "1", "h": str(h), "a": str(a), "t": "1", **BYTES}
    whole = find("parallelism.memory.activations_sequence").at(**given)
    bare = {k: v for k, v in given.items() if k != "a"}
    scores = whole - find("parallelism.memory.activations_selective").at(**bare)
    require(entry, scores.m_as("B") / (s * h))


def test_selective_recomputation_saves_65_per_cent_of_mtnlg():
    model = PUBLISHED["act-mtnlg-5ash"]["inputs"]
    require(PUBLISHED["act-saving-mtnlg"], saved({"inputs": model}))


def test_selective_recomputation_saves_70_per_cent_of_gpt3():
    require(PUBLISHED["act-saving-gpt3"], saved(PUBLISHED["act-saving-gpt3"]))


def test_sequence_parallelism_saves_a_factor_of_three():
    entry = PUBLISHED["act-sp-3x"]
    require(entry, find("parallelism.memory.sequence_gain").evaluate(t=str(entry["inputs"]["t"][0]))[0].magnitude)


@pytest.mark.parametrize(("tensor", "coefficient"), [(1, 34), (2, 22), (4, 16), (8, 13)])
def test_tensor_parallelism_keeps_10_and_24_over_t(tensor, coefficient):
    """Without scores a layer keeps sbh(10 + 24/t): a head count of one on a wide model leaves almost that."""
    given = {"s": "1", "b": "1", "h": "100000", "a": "1", "t": str(tensor), **BYTES}
    activations = find("parallelism.memory.activations_tensor").at(**given).m_as("B") / 100000
    assert activations == pytest.approx(coefficient, rel=1e-5)


def test_wrong_model_is_found():
    refuse(PUBLISHED["act-saving-gpt3"], saved(PUBLISHED["act-mtnlg-5ash"]))
