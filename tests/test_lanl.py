"""Protects the tables that are computed from the laboratory's log: on logs so small that they are counted by hand."""

import math

import lanl
import pytest

from mathcore import find
from mathcore.chapters.young_daly.replay_simulation import replayed

HEAD = "system,nodes,procs,node,start_h_since_1996,downtime_min\n"


def log(path, rows, nodes=40):
    lines = [f"7,{nodes},{4 * nodes},{node},{start},{down}" for node, start, down in rows]
    path.write_text(HEAD + "\n".join([*lines, "9,8,32,0,1,60"]) + "\n", "utf-8")
    return lanl.read(path)


@pytest.fixture
def small(tmp_path):
    """Four failures in 30 h on 40 nodes: node 3 twice in the first half, and once more at the end."""
    return log(tmp_path / "log.csv", [(3, 0, 60), (3, 10, 180), (5, 12, 120), (3, 30, 60)])


def test_small_systems_are_left_out(small):
    assert set(small) == {7}


def test_row_of_a_cluster_is_what_is_counted_by_hand(small):
    (row,) = lanl.clusters(small)
    assert (row["failures"], row["watched"], row["mtbf"], row["processors"]) == (4, 30, 10, 160)
    assert (row["repair_median"], row["repair_mean"], row["repair_95"]) == (1.5, 1.75, 3)
    assert row["worst_tenth"] == 1  # of four nodes, two failed at all
    assert row["all_up"] == pytest.approx(25 / 30)  # 1 + 3 + 2 − 1 hours with some node away


def test_lemons_are_drawn_in_the_first_half_alone(small):
    (row,) = lanl.lemons(small)
    assert (row["before"], row["after"]) == (1, 0.5)
    assert row["rate"] == pytest.approx(0.5 / 0.9)


def test_gaps_of_each_half_are_counted(small):
    first = [row for row in lanl.gaps(small) if row["half"] == "first"]
    assert first[0]["mean"] == 6  # gaps of 10 h and 2 h
    assert {row["time"] / 6: row["survived"] for row in first}[1] == 0.5


def test_share_of_the_time_with_nodes_away(small):
    """10 to 13 h and 12 to 14 h overlap for an hour: 1 + 3 + 2 − 1 hours with one or more away, of 30."""
    found = {row["spares"]: row["short"] for row in lanl.away(small)}
    assert found == pytest.approx({0: 5 / 30, 1: 1 / 30})


@pytest.mark.parametrize("tau", [0.513, 2.071, 7.33, 19.17])
@pytest.mark.parametrize("write", [0.0537, 0.4119])
def test_counted_segments_lose_what_the_moved_clock_loses(tau, write):
    """The book's replay moves a clock; the one beside the tables divides each gap: two ways to one number."""
    starts = [row["start"].m_as("h") for row in find("young_daly.measured.log").rows]
    assert lanl.lost(starts, tau, write, 0.1) == pytest.approx(replayed(starts, tau, write, 0.1), rel=1e-6)


def test_replay_takes_its_times_as_shares_of_the_mean_gap(small):
    rows = list(lanl.replay(small))
    assert len(rows) == 15
    assert rows[2]["interval"] == pytest.approx(math.sqrt(2 * 0.02 * 10))
    assert rows[2]["waste"] == pytest.approx(replayed([0, 10, 12, 30], rows[2]["interval"], 0.02, 0.1))


def test_failures_in_windows(tmp_path):
    """One failure a day but two on every third: windows of three days hold four each and do not scatter."""
    rows = [(i, 24 * day + 1 + twice, 1) for i, day in enumerate(range(90)) for twice in range(1 + (day % 3 == 0))]
    table = [row for row in lanl.counts(log(tmp_path / "log.csv", rows)) if row["days"] == 3]
    assert [(row["mean"], row["spread"], row["kept"]) for row in table] == [(4, 0, 1)] * 2


def test_table_that_differs_from_the_log_is_named_with_its_line(small, tmp_path):
    (row,) = lanl.clusters(small)
    (tmp_path / "lanl_clusters.csv").write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n", "utf-8")
    assert not list(lanl.differences("lanl_clusters", [row], tmp_path))
    found = list(lanl.differences("lanl_clusters", [{**row, "mtbf": 9.0}], tmp_path))
    assert found == ["lanl_clusters.csv:2: mtbf is 10.0, and the log gives 9.0"]


def test_recorded_log_is_of_the_stated_system():
    """Its 400 failures come as often as those of all of system 19 near the end: within a factor of two."""
    starts = [row["start"].m_as("h") for row in find("young_daly.measured.log").rows]
    whole = next(row for row in find("reliability.measured.clusters").rows if row["system"] == "19")
    assert 0.5 < lanl.mtbf(starts) / whole["mtbf"].m_as("h") < 2
