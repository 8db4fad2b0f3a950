"""Holds pipelines to schedules run cell by cell: GPipe, Megatron's 1F1B, interleaved, and Zero Bubble's H1 and H2."""

import itertools

import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, find
from mathcore.chapters.parallelism.simulation import (
    gpipe,
    idle_times,
    one_forward_one_backward,
    run_pipeline,
    zero_bubble,
)

TIMES = [(1, 2), (2, 3), (3, 2)]  # whole seconds, forward and backward: the clock is exact
GRIDS = [(1, 4), (2, 2), (4, 16), (5, 5), (8, 32), (4, 2)]


def step(name, p, m, forward, backward, **more):
    given = {"t_F": f"{forward} s", "t_B": f"{backward / 2} s", "t_W": f"{backward / 2} s"}
    return find(f"parallelism.{name}").at(p=str(p), m=str(m), **given, **more).m_as("s")


def length(done):
    return max(end for _, end in done.values())


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize(("p", "m"), GRIDS)
@pytest.mark.parametrize("schedule", [gpipe, one_forward_one_backward])
def test_plain_pipeline_takes_as_long_as_its_cells(schedule, p, m, times):
    done = run_pipeline(schedule(p, m), dict(zip("FB", times, strict=True)))
    assert length(done) == step("step_plain", p, m, *times)
    bubble = find("parallelism.bubble").evaluate(p=str(p), m=str(m))[0].magnitude
    assert idle_times(done, p)[0] == [pytest.approx(bubble * length(done))] * p


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize(("p", "m", "v"), [(2, 4, 2), (4, 16, 2), (4, 8, 3), (3, 6, 4), (8, 8, 2)])
def test_interleaved_pipeline_takes_as_long_as_its_cells(p, m, v, times):
    each = {kind: time / v for kind, time in zip("FB", times, strict=True)}
    done = run_pipeline(one_forward_one_backward(p, m, v), each)
    assert length(done) == pytest.approx(step("step_chunks", p, m, *times, v=str(v)))
    bubble = find("parallelism.bubble_chunks").evaluate(p=str(p), m=str(m), v=str(v))[0].magnitude
    assert idle_times(done, p)[0] == [pytest.approx(bubble * length(done))] * p


def test_stages_hold_as_many_micro_batches_as_stated():
    """The first stage of 1F1B has min(p, m) forwards without their backward, GPipe all of them."""
    for p, m in GRIDS:
        held, most = 0, 0
        for kind, *_ in one_forward_one_backward(p, m)[0]:
            held += 1 if kind == "F" else -1
            most = max(most, held)
        assert most == find("parallelism.in_flight").evaluate(p=str(p), m=str(m))[0].magnitude


def test_wrong_schedule_is_found():
    done = run_pipeline(one_forward_one_backward(4, 16, 2), {"F": 0.5, "B": 1})
    assert length(done) != step("step_plain", 4, 16, 1, 2)
    with pytest.raises(ValueError, match="circle"):
        run_pipeline([[("B", 0, 0), ("F", 0, 0)]], {"F": 1, "B": 1})
    with expect_error(ArgumentError, "p (stages", code="not-integer"):
        step("step_plain", 2.5, 16, 1, 2)


# --- Zero Bubble, Table 2 -----------------------------------------------------------------


def idle(name, p, forward, backward, weights):
    given = {"t_F": f"{forward} s", "t_B": f"{backward} s", "t_W": f"{weights} s"}
    return find(f"parallelism.{name}").at(p=str(p), **given).m_as("s")


def run(p, m, reach, times):
    return idle_times(run_pipeline(zero_bubble(p, m, reach), dict(zip("FBW", times, strict=True))), p)


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
