"""Protects what is said of measured failures: the replay by another road, and slips that a comparison must catch."""

from dataclasses import replace

import numpy as np
import pytest

from mathcore import MathcoreError
from mathcore.chapters import fleet_checkpointing, operations
from mathcore.chapters.fleet_checkpointing import measured as fleet_checkpointing_measured
from mathcore.chapters.goodput import measured as goodput_measured
from mathcore.chapters.operations import measured as operations_measured
from mathcore.chapters.reliability import measured as reliability
from mathcore.chapters.reliability.measured import counts_seen, spot_traces
from mathcore.chapters.young_daly import C, N, R
from mathcore.chapters.young_daly import measured as young_daly
from mathcore.chapters.young_daly.replay_simulation import replayed

MOMENTS = [row["start"].m_as("h") for row in young_daly.log.rows]


def by_division(moments, tau, write, restart):
    """Return the waste by dividing each gap instead of walking through it."""
    left = np.maximum(np.diff(moments) - restart, 0)
    useful = (left // (tau + write)).sum() * tau
    return (moments[-1] - moments[0]) / useful - 1


@pytest.mark.parametrize("tau", [0.31, 1.07, 3.3])
def test_replay_is_what_dividing_the_gaps_gives(tau):
    assert replayed(MOMENTS, tau, 0.0837, 0.0911) == pytest.approx(by_division(MOMENTS, tau, 0.0837, 0.0911), rel=1e-9)


def test_replay_of_drawn_failures_is_the_exact_model():
    source = np.random.default_rng(2005)
    moments = np.cumsum(source.exponential(8.0, 40000)).tolist()
    exact = young_daly.exact.formula.evaluate(tau="1.2 h", C="0.1 h", M="8 h", R="0.2 h")[0].magnitude
    assert replayed(moments, 1.2, 0.1, 0.2) == pytest.approx(exact, rel=0.02)
    assert replayed(moments, 1.2, 0.1, 0.2) != pytest.approx(
        young_daly.exact.formula.evaluate(tau="1.2 h", C="0.1 h", M="6 h", R="0.2 h")[0].magnitude, rel=0.02
    )


def test_replay_in_which_nothing_is_kept_says_so():
    with pytest.raises(ValueError, match="not one segment of 5"):
        replayed([0, 1, 2], 5, 1, 1)


def test_write_and_restart_changed_places():
    planted = replace(young_daly.exact, columns={**young_daly.exact.columns, C: "restart", R: "write"})
    assert "became worse" in " ".join(planted.issues())


def test_ratio_from_the_wrong_column():
    planted = replace(goodput_measured.replayed_ratio, measured="waste")
    assert "became worse" in " ".join(planted.issues())


def test_nodes_are_no_devices():
    with pytest.raises(MathcoreError, match="N"):
        _ = replace(reliability.law, columns={N: "nodes"}).split_rows


def test_fit_on_the_rows_that_are_judged():
    planted = replace(reliability.law, holdout={"processors": "> 100"})
    with pytest.raises(MathcoreError, match="the fit has seen"):
        _ = planted.split_rows


def test_loading_taken_for_saving():
    planted = replace(fleet_checkpointing_measured.load_after_save, measured="save")
    assert list(planted.issues())


def test_lead_may_not_save_every_five_minutes_on_slow_storage():
    found = fleet_checkpointing_measured.slow_interval
    assert found.value > found.formula.at({**fleet_checkpointing_measured.SLOW, fleet_checkpointing.u: "2 min"})


def test_spot_servers_are_taken_too_often_for_a_wait_of_six_hours_in_all_traces_but_one():
    """The page on operations lists these rates below its break-even rate, and takes its facts from the same table."""
    stays = sorted({(row["zone"], row["nodes"]): row["mean"].m_as("h") for row in spot_traces.rows}.values())
    bearable = operations.queue_rate.value.m_as("1/h")
    assert (len(stays), sum(1 / stay > bearable for stay in stays)) == (12, 11)
    assert [stays[0], stays[-1]] == [
        fact.value.m_as("h") for fact in (operations_measured.shortest_stay, operations_measured.longest_stay)
    ]


@pytest.mark.parametrize(
    "fact, system, half, days",
    [("calm_days", "18", "second", 3), ("rough_days", "19", "second", 3), ("young_month", "18", "first", 30)],
)
def test_bursts_of_the_limits_are_those_of_the_log(fact, system, half, days):
    (row,) = (
        row
        for row in counts_seen.rows
        if (str(row["system"]), row["half"], round(row["days"].m_as("d"))) == (system, half, days)
    )
    seen = (row["spread"] ** 2 / row["mean"]).m_as("")
    assert getattr(operations_measured, fact).value.m_as("") == pytest.approx(seen, abs=0.06)
