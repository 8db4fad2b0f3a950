"""Holds pipelines to Megatron's schedules, run cell by cell, and to both ways of counting a bubble."""

import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, find
from mathcore.chapters.parallelism.simulation import gpipe, idle_times, one_forward_one_backward, run_pipeline

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


@pytest.mark.parametrize(("p", "m"), [(8, 64), (12, 48)])
def test_two_ways_of_counting_differ_and_convert(p, m):
    """Some sources divide idle time by total time, others by ideal time: a comparison needs one of the two."""
    total = find("parallelism.bubble").at(p=str(p), m=str(m))
    ideal = find("parallelism.bubble_to_ideal").at(p=str(p), m=str(m))
    assert ideal > total
    assert find("parallelism.from_ideal").at(y=ideal).m_as("") == pytest.approx(total.m_as(""), rel=1e-12)
    assert find("parallelism.to_ideal").at(x=total).m_as("") == pytest.approx(ideal.m_as(""), rel=1e-12)


def test_five_per_cent_rule_counts_idle_over_total():
    needed = find("parallelism.micro_batches_for_bubble")
    for p in (2, 4, 16):
        m = needed.evaluate(p=str(p))[0].magnitude
        assert m == 19 * (p - 1)
        assert find("parallelism.bubble").at(p=str(p), m=str(m)).m_as("%") == pytest.approx(5)
        assert find("parallelism.bubble_to_ideal").at(p=str(p), m=str(m)).m_as("%") > 5.2


def test_best_micro_batch_is_best():
    given = {"B": "128", "p": "8", "t_0": "4 ms", "t_b": "6 ms"}
    best = find("parallelism.best_micro_batch").at(**given)
    time = find("parallelism.step_of_micro_batch")
    assert all(time.at(**given, b=best * x) > time.at(**given, b=best) for x in (0.8, 1.25))


def test_wrong_schedule_is_found():
    done = run_pipeline(one_forward_one_backward(4, 16, 2), {"F": 0.5, "B": 1})
    assert length(done) != step("step_plain", 4, 16, 1, 2)
    with pytest.raises(ValueError, match="circle"):
        run_pipeline([[("B", 0, 0), ("F", 0, 0)]], {"F": 1, "B": 1})
    with expect_error(ArgumentError, "p (stages", code="not-integer"):
        step("step_plain", 2.5, 16, 1, 2)
