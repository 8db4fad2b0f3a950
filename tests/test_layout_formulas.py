"""Holds the layouts of a fleet to the examples of the page, and one all-reduce to what was measured."""

import pytest

from mathcore import find
from mathcore.chapters.parallelism import layouts

CASE = {"N": "512", "B": "2048", "R": "494.7 TFLOP/s", "beta_i": "450 GB/s", "beta_o": "50 GB/s"}


def case(name, **more):
    formula = find(f"parallelism.layouts.case_{name}")
    known = {v.name for v in formula.inputs}
    return formula.at(**{k: x for k, x in {**CASE, **more}.items() if k in known})


def test_the_case_repeats_the_examples():
    """The calculator's formulas, with numbers put in, agree with the formulas of the page."""
    cases = (("8", "1", "1", "32"), ("8", "4", "1", "128"), ("2", "4", "4", "32"), ("4", "4", "2", "64"))
    for t, p, nodes, stored in cases:
        bubble = layouts._bubble(t, p) if p != "1" else "0 s"
        efficiency = layouts._whole(layouts._gradients(t, p, nodes), layouts._sums(t), bubble)
        for part, example in (("efficiency", efficiency), ("memory", layouts._memory(t, p, stored))):
            ours = case(part, t=t, p=p)
            assert float((ours / example.value).m_as("")) == pytest.approx(1, rel=1e-4), (t, p, part)


def test_an_all_reduce_across_nodes_uses_all_their_nics():
    """One flat ring by a single port would take several times as long as was measured."""
    flat = find("collectives.least_time").at(n="33554432 B", p="16", beta="50 GB/s").m_as("µs")
    ours = (
        find("parallelism.layouts.layer_all_reduce")
        .at(n_l="33554432 B", t="16", G="8", beta_i="450 GB/s", beta_o="50 GB/s")
        .m_as("µs")
    )
    measured = find("parallelism.measured.sum_two_nodes")
    took = float(measured.observed(measured.split_rows.holdout).m_as("µs")[0])
    assert ours < took < flat / 2


def test_every_part_but_the_bubble_is_free_for_one_device_alone():
    assert case("sums", t="1").m_as("s") == 0
    assert case("bubble", t="8", p="1").m_as("s") == 0
