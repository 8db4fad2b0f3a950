"""Holds idle times to Table 2 of Zero Bubble, and the table to schedules run cell by cell."""

import itertools

import pytest
from published import entries, require

from mathcore import ArgumentError, find
from mathcore.chapters.parallelism.simulation import idle_times, run_pipeline, zero_bubble

PUBLISHED = entries("zero_bubble")


def idle(name, p, forward, backward, weights):
    given = {"t_F": f"{forward} s", "t_B": f"{backward} s", "t_W": f"{weights} s"}
    return find(f"parallelism.{name}").at(p=str(p), **given).m_as("s")


def run(p, m, reach, times):
    return idle_times(run_pipeline(zero_bubble(p, m, reach), dict(zip("FBW", times, strict=True))), p)


@pytest.mark.parametrize(
    ("name", "formula"),
    [("pipe-1f1b-cells", "idle_1f1b"), ("pipe-zbh1-cells", "idle_h1"), ("pipe-zbh2-cells", "idle_h2")],
)
def test_table_two(name, formula):
    entry = PUBLISHED[name]
    require(entry, idle(formula, *(entry["inputs"][k][0] for k in "pFBW")))


def test_h1_leaves_a_third():
    require(PUBLISHED["pipe-zbh1-third"], find("parallelism.h1_third").evaluate()[0].magnitude)
    given = {"t_F": "1 s", "t_B": "1 s", "t_W": "1 s"}
    require(PUBLISHED["pipe-zbh1-third"], find("parallelism.h1_over_1f1b").evaluate(**given)[0].magnitude)


@pytest.mark.parametrize("times", [(1, 1, 1), (2, 3, 1), (2, 2, 1), (3, 2, 2), (4, 5, 3)])
@pytest.mark.parametrize(("p", "m"), [(2, 4), (4, 7), (4, 16), (6, 12)])
def test_schedules_idle_as_stated(p, m, times):
    whole, _ = run(p, m, 1, times)
    assert whole == [idle("idle_h1", p, *times)] * p
    _, inner = run(p, m, 2, times)
    assert max(inner) == idle("idle_h2", p, *times)


def test_h2_leaves_no_gap_when_parts_are_equal():
    assert run(6, 24, 2, (1, 1, 1))[1] == [0] * 6


def test_the_table_holds_for_short_weight_gradients_only():
    """Limit of the model: with W longer than F or B, the schedule idles longer than in the table."""
    for forward, backward, weights in itertools.product((1, 2, 3), repeat=3):
        stated = 3 * (forward + backward - weights)
        found = max(run(4, 16, 1, (forward, backward, weights))[0])
        assert (found == stated) == (weights <= min(forward, backward))
    with pytest.raises(ArgumentError, match="t_W"):
        idle("idle_h1", 4, 1, 2, 2)


def test_wrong_idle_time_is_found():
    with pytest.raises(AssertionError, match="pipe-zbh1-cells: computed 0"):
        require(PUBLISHED["pipe-zbh1-cells"], idle("idle_h2", 8, 1, 1, 1))
