"""Holds the layouts of a fleet to the audit's own step, to the cuts they are made of, and to counting."""

import pytest

from mathcore import ArgumentError, find
from mathcore.chapters.parallelism import layouts

CASE = {"N": "512", "B": "2048", "R": "494.7 TFLOP/s", "beta_i": "450 GB/s", "beta_o": "50 GB/s"}


def case(name, **more):
    formula = find(f"parallelism.layouts.case_{name}")
    known = {v.name for v in formula.inputs}
    return formula.at(**{k: x for k, x in {**CASE, **more}.items() if k in known})


@pytest.mark.parametrize(
    ("layout", "audit", "rtol"),
    [
        ("step_computes", "compute_time", 1e-4),
        ("node_tp", "layers_talk", 1e-4),
        ("node_dp", "ring", 1e-3),  # the audit's ring has a latency
        ("node_efficiency", "efficiency_exposed", 1e-3),
    ],
)
def test_the_audit_finds_the_same_step(layout, audit, rtol):
    ours, theirs = find(f"parallelism.layouts.{layout}").value, find(f"audit.fleet.{audit}").value
    assert float((ours / theirs).m_as("")) == pytest.approx(1, rel=rtol)


def test_the_case_repeats_the_examples():
    """The calculator's formulas, with numbers put in, agree with the formulas of the page."""
    cases = (("8", "1", "1", "32"), ("8", "4", "1", "128"), ("2", "4", "4", "32"), ("4", "4", "2", "64"))
    for t, p, nodes, stored in cases:
        bubble = layouts._bubble(t, p) if p != "1" else "0 s"
        efficiency = layouts._whole(layouts._gradients(t, p, nodes), layouts._sums(t), bubble)
        for part, example in (("efficiency", efficiency), ("memory", layouts._memory(t, p, stored))):
            ours = case(part, t=t, p=p)
            assert float((ours / example.value).m_as("")) == pytest.approx(1, rel=1e-4), (t, p, part)


@pytest.mark.parametrize(("t", "nodes"), [("2", 1), ("8", 1), ("16", 2), ("32", 4)])
def test_a_layer_all_reduce_is_that_of_the_chapter_on_collectives(t, nodes):
    """Inside a node it takes its bound, across nodes two levels, one phase after the other."""
    links = {"beta_i": "450 GB/s", "beta_o": "50 GB/s", "G": "8"}
    found = find("parallelism.layouts.layer_all_reduce").at(n_l="32 MB", t=t, **links)
    if nodes > 1:
        sums = find("collectives.hierarchical").at(n="32 MB", M=nodes, alpha_i="0 s", alpha_o="0 s", **links)
    else:
        sums = find("collectives.least_time").at(n="32 MB", p=t, beta="450 GB/s")
    assert found.m_as("s") == pytest.approx(sums.m_as("s"), rel=1e-12)


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


def test_gradients_go_over_one_level_when_a_node_shares_a_layer():
    """With one device of a node holding some weights, two levels are one ring between nodes."""
    given = {"Psi": "70e9", "w": "2 B", "N": "512", "t": "8", "p": "2", "g": "1"}
    links = {"beta_i": "450 GB/s", "beta_o": "50 GB/s"}
    found = find("parallelism.layouts.gradient_all_reduce").at(**given, **links)
    ring = find("collectives.least_time").at(n="8.75 GB", p="32", beta="50 GB/s")
    assert found.m_as("s") == pytest.approx(ring.m_as("s"), rel=1e-12)


def test_sharding_costs_half_as_much_again_on_two_levels_too():
    given = {"Psi": "70e9", "w": "2 B", "N": "512", "beta_i": "450 GB/s", "beta_o": "50 GB/s"}
    shared = find("parallelism.layouts.sharded").at(**given, G="8", m="1")
    plain = find("parallelism.layouts.gradient_all_reduce").at(**given, t="1", p="1", g="8")
    assert (shared / plain).m_as("") == pytest.approx(1.5, rel=1e-12)


def test_every_part_but_the_bubble_is_free_for_one_device_alone():
    assert case("sums", t="1").m_as("s") == 0
    assert case("bubble", t="8", p="1").m_as("s") == 0


def test_more_degrees_than_devices_are_refused():
    with pytest.raises(ArgumentError):
        find("parallelism.layouts.replicas").at(N="64", t="16", p="8")


def test_levels_move_the_bytes_of_the_bound():
    """Bytes inside nodes and between them add up to what the bound demands of all ranks."""
    for devices, nodes in ((2, 4), (8, 128), (72, 14)):
        inside = nodes * devices * 2 * (devices - 1) / devices
        between = nodes * devices * 2 * (nodes - 1) / (nodes * devices)
        ranks = {"n": "1 GB", "p": str(devices * nodes)}
        bound = find("collectives.least_bytes").at(**ranks).m_as("GB")
        assert inside + between == pytest.approx(bound, rel=1e-12)


def test_a_ring_has_half_of_its_bandwidth_where_the_printed_rule_would_leave_it():
    ring = {"p": "1024", "alpha": "2 us", "beta": "50 GB/s"}
    size = find("collectives.page_crossover").at(**ring)
    assert find("collectives.bus_of_ring").at(**ring, n=size).m_as("GB/s") == pytest.approx(25)


def test_no_job_wins_more_than_the_upgrade_at_best():
    best = find("collectives.upgrade_at_best").evaluate(u="4")[0].magnitude
    for seconds in (0.1, 1, 5, 11.2, 20, 100):
        won = find("collectives.upgrade").evaluate(t_c=f"{seconds} s", t="5.6 s", u="4")[0].magnitude
        assert won <= best * (1 + 1e-12)
