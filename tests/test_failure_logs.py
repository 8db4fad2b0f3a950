"""Protects what two logs of failures give together: bursts of GPUs, failures of one node alone, rates of fleets."""

import math
import statistics
from dataclasses import replace

import data_sets
import failure_logs
import pytest

from mathcore import Quantity, find
from mathcore.chapters.goodput import measured as goodput_measured
from mathcore.chapters.reliability import measured as reliability_measured
from mathcore.chapters.speedup import measured as speedup_measured
from mathcore.chapters.young_daly import M, N, m

HEAD = "SN,location,insert,remove,duration,out,event"
TITAN = (
    "1,c0-0c0s0n0,,2014-01-01 02:00:00,,,DBE",
    "2,c0-0c0s0n1,,2014-01-01 02:05:00,,,OTB",
    "3,c0-1c0s0n0,2013-11-01 00:00:00,2014-01-01 03:00:00,5184000,FALSE,",
    "4,c0-0c0s0n0,,2014-01-01 08:00:00,,,DBE",
    "4,c0-0c0s0n0,,2014-01-01 08:02:00,,,DBE",
)
REPORTED = {"Meta RSC-1": 2, "Meta FT-HSDP": 2}


@pytest.fixture
def titan(tmp_path):
    (tmp_path / "gc_full.csv").write_text("\n".join([HEAD, *TITAN]) + "\n", "utf-8")
    return failure_logs.read_titan(tmp_path / "gc_full.csv")


def test_only_failures_of_titan_are_read_in_order(titan):
    assert [hour for hour, _ in titan] == pytest.approx([2, 2 + 5 / 60, 8, 8 + 2 / 60])


def test_failures_of_one_node_alone_are_counted_by_hand(titan):
    assert failure_logs.share_alone(titan, 10) == (0.5, 2)
    assert failure_logs.share_alone(titan, 4) == (1.0, 3)


def test_cell_that_the_log_does_not_give_is_named(monkeypatch):
    monkeypatch.setattr(failure_logs, "kept", lambda name: [{"fleet": "Titan", "mtbf": "7.5"}])
    (told,) = failure_logs.differences("training_fleets", ("fleet",), [{"fleet": "Titan", "mtbf": 7.6026}])
    assert "mtbf is 7.5, the log gives 7.6026" in told


def test_facts_of_titan_are_medians_of_its_blocks():
    for half, name in (("first", "titan_young"), ("second", "titan_settled")):
        rows = data_sets.rows("titan_counts", half=half)
        sizes = [float(row["spread"]) ** 2 / float(row["mean"]) for row in rows]
        assert len(sizes) == 18
        assert find(f"reliability.measured.{name}").value.m_as("") == pytest.approx(statistics.median(sizes), abs=0.01)


def test_share_of_titan_alone_is_that_of_the_table():
    for within, name in ((10, "alone_titan"), (60, "alone_titan_hour")):
        (row,) = reliability_measured.with_others.chosen({"system": "Titan", "within": within})
        assert find(f"fleet_checkpointing.{name}").value.m_as("") == pytest.approx(row["alone"].m_as(""), abs=5e-4)


def test_times_of_fleets_are_worked_out_from_what_was_counted():
    for row in reliability_measured.fleets.rows:
        if row["interruptions"] is not None:
            gap = row["watched"].m_as("h") / row["interruptions"].m_as("")
            assert row["mtbf"].m_as("h") == pytest.approx(gap, rel=3e-3), row["fleet"]
    by_name = {row["fleet"]: row["mtbf"].m_as("h") for row in reliability_measured.fleets.rows}
    assert by_name["TPU v4"] == pytest.approx(24 / (4096 / 4 * 0.0008), rel=1e-4)
    assert by_name["32k H100"] == pytest.approx(24 / (32768 / 8 * 2.3 / 1000), rel=1e-4)
    assert by_name["RSC-1 jobs of 8"] == pytest.approx(47.7 * 24)


def test_rate_carried_to_other_fleets_errs_as_by_hand():
    """The band: operators count alike, Student's distribution with one degree of freedom fewer than operators."""
    rate = 54 * 24 * 16384 / 419
    logs = {}
    for row in reliability_measured.fleets.rows:
        if row["owner"] != "Meta Llama":
            off = math.log(row["mtbf"].m_as("h") * row["devices"].m_as("gpu") / rate)
            logs.setdefault(row["owner"], []).append(off)
    assert {owner: len(each) for owner, each in logs.items() if len(each) > 1} == REPORTED
    errors = [math.expm1(-off) for each in logs.values() for off in each]
    found = reliability_measured.carried
    assert found.median == pytest.approx(statistics.median(map(abs, errors)), rel=1e-3)
    means = [statistics.mean(each) for each in logs.values()]
    within = statistics.mean(statistics.pvariance(each) for each in logs.values())
    half = 1.8946 * math.sqrt(statistics.variance(means) * (1 + 1 / len(means)) + within)
    low, high = (math.exp(statistics.mean(means) + sign * half) for sign in (-1, 1))
    assert found.system_low.value.m_as("") == pytest.approx(low, rel=1e-3)
    assert found.system_high.value.m_as("") == pytest.approx(high, rel=1e-3)
    assert reliability_measured.fleet_least.value.m_as("h") == pytest.approx(rate * low / 1024, rel=1e-3)


def test_band_holds_nine_of_ten_published_fleets():
    low, high = (find(f"reliability.measured.device_{end}").value.m_as("gpu h") for end in ("least", "greatest"))
    rates = [row["mtbf"].m_as("h") * row["devices"].m_as("gpu") for row in reliability_measured.fleets.rows]
    assert sum(low < rate < high for rate in rates) >= 0.9 * len(rates)


def test_mtbf_of_the_largest_job_is_shorter_than_the_law_says():
    less = reliability_measured.h100_32k.value / reliability_measured.h100_98k.value
    assert 2.5 < less.m_as("") < 3


def test_corruptions_of_both_jobs_of_meta_scale_to_the_same_cluster():
    found = find("resilience.decisions.hsdp_cluster_sdc").value.m_as("d")
    assert found == pytest.approx(72 / 37 * 32768 / 800, rel=1e-2)
    assert found < find("resilience.decisions.cluster_sdc").value.m_as("d") / 2


def test_log_of_steps_is_fitted_as_a_line_by_hand():
    """Robust and plain least squares agree on runs of up to 512 devices, within the 90 % interval of the fit."""
    rows = [row for row in speedup_measured.weak_others.rows if row["devices"].m_as("") <= 512]
    scale = math.sqrt(6) / math.pi

    def squares(v):
        return sum(
            math.log(
                (1 + scale * v * math.log(row["devices"].m_as("")))
                / (1 + scale * v * math.log(row["first_devices"].m_as("")))
                / row["ratio"].m_as("")
            )
            ** 2
            for row in rows
        )

    best = min((step / 1000 for step in range(1, 300)), key=squares)
    assert speedup_measured.waiting_elsewhere.fitted_parameters["v"].value.m_as("") == pytest.approx(best, rel=0.05)


@pytest.mark.parametrize(
    ("comparison", "changes"),
    [
        (reliability_measured.carried, {"columns": {N: "devices", m: Quantity(500, "gpu h")}}),
        (reliability_measured.alone_short, {"columns": {reliability_measured.t: "mtbf", M: "within"}}),
        (goodput_measured.replayed_gpus, {"measured": "waste"}),
        (speedup_measured.waiting_elsewhere, {"columns": {N: "first_devices", speedup_measured.N_0: "devices"}}),
    ],
)
def test_slip_in_a_comparison_with_new_systems_is_caught(comparison, changes):
    assert list(replace(comparison, **changes).issues())
