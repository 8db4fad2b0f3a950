"""Holds the work of one iteration to Smith et al., Megatron-Turing NLG 530B."""

import pytest
from published import entries, refuse, require

from mathcore import find

ENTRY = entries("mtnlg")["mtnlg-280n"]
GIVEN = {key: value for key, (value, _) in ENTRY["inputs"].items()}
SHAPE = {"m": GIVEN["B"], "s": GIVEN["s"], "l": GIVEN["l"], "h": GIVEN["h"], "V": GIVEN["V"]}


def rate(work, nodes, seconds):
    found = find("training.iteration_rate").at(F_H=work, n=f"{8 * nodes} gpu", t_i=f"{seconds} s")
    return found.m_as("TFLOP/s/gpu")


def test_rate_of_280_nodes():
    require(ENTRY, rate(find("training.iteration_recomputed").at(**SHAPE), 280, GIVEN["t"]))


@pytest.mark.parametrize(("nodes", "seconds", "printed"), [(350, 50.2, 121), (420, 44.4, 113)])
def test_other_sizes(nodes, seconds, printed):
    found = rate(find("training.iteration_recomputed").at(**SHAPE), nodes, seconds)
    assert found == pytest.approx(printed, rel=0.012)


def test_work_without_recomputation_is_found():
    work = find("training.iteration").at(**SHAPE)
    refuse(ENTRY, rate(work, 280, GIVEN["t"]))
