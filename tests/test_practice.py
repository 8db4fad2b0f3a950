"""The practice of checkpoints: what is restored, what is caught, what survives; each with planted errors."""

import copy
import itertools
import shutil

import numpy as np
import pytest

from mathcore import find
from practice import anomalies, checkpoint, deltas, killing, preemption, retention
from practice.injection import Crash, crash_at, flip_bit, spoil
from practice.preemption import Notice
from practice.resumption import compare, omissions, without
from practice.retention import DAY, HOUR, WEEK
from practice.state import PARTS, State, differing
from practice.training import Training

STEPS = 30


@pytest.fixture(scope="module")
def trained():
    """Return a run after some steps; tests copy it before they change it."""
    run = Training(seed=1)
    run.advance(STEPS)
    return run


@pytest.fixture
def run(trained):
    return copy.deepcopy(trained)


@pytest.fixture
def saved(tmp_path, run):
    """Return a folder with checkpoints of two steps, the older five steps before the newer."""
    checkpoint.write(tmp_path, STEPS, run.state())
    run.advance(5)
    checkpoint.write(tmp_path, STEPS + 5, run.state())
    return tmp_path


# ---------------------------------------------------------------- restoring


@pytest.mark.parametrize("ranks", [1, 3, 4, 7])
def test_written_by_any_number_of_ranks_the_state_comes_back_bit_for_bit(tmp_path, run, ranks):
    path = checkpoint.write(tmp_path, STEPS, run.state(), ranks=ranks)
    assert len(list(path.glob("*.safetensors"))) == ranks
    assert differing(checkpoint.read(path), run.state()) == []


def test_resumed_run_is_the_undisturbed_run(tmp_path, run):
    path = checkpoint.write(tmp_path, STEPS, run.state())
    resumed = Training(seed=1)
    resumed.restore(checkpoint.read(path))
    outcome = compare(run, resumed, 45)  # beyond the end of an epoch, so that the data are shuffled again
    assert outcome.same and outcome.gap == outcome.drift == 0.0


@pytest.mark.parametrize("part", PARTS)
def test_leaving_out_any_one_part_is_caught(run, part):
    outcome = without(part, run.state(), run)
    assert outcome.parted in (1, 2)
    assert outcome.gap > 1e-3 and outcome.drift > 1e-3
    assert part in {"schedule", "random", "order", "scale"} or part in outcome.parts


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_omissions_are_caught_in_other_runs_too(seed):
    run = Training(seed=seed)
    run.advance(17)
    for part in PARTS:
        assert not without(part, run.state(), run, seed=seed).same
    assert without("", run.state(), run, seed=seed).same


def test_test_in_the_objects_that_wrote_it_catches_nothing(run):
    assert all(outcome.same for outcome in omissions(run.state(), run, steps=3, fresh=False).values())


def test_unknown_part_is_refused(run):
    with pytest.raises(KeyError):
        run.restore(run.state(), without=("momentum",))


def test_every_attribute_that_changes_is_part_of_the_state(run):
    """A planted attribute that steps change, and that no part holds, would be found by this."""
    constant = {"data", "clip", "skip"}
    held = {"weights", "first", "second", "done", "order", "place", "shuffler", "sources", "scale", "calm"}
    assert set(vars(run)) == constant | held
    before = copy.deepcopy({name: vars(run)[name] for name in constant})
    run.advance(25)
    assert all(np.array_equal(a, b) for a, b in zip(before["data"], run.data, strict=True))
    assert (before["clip"], before["skip"]) == (run.clip, run.skip)


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.999])
def test_flipped_bit_is_found_in_any_file_and_the_run_falls_back(saved, place):
    newest = checkpoint.newest(saved)
    for file in sorted(newest.iterdir()):
        whole = file.read_bytes()
        flip_bit(file, place)
        found = checkpoint.faults(newest)
        assert len(found) == 1 and found[0].startswith(file.name)
        assert checkpoint.step_of(checkpoint.newest(saved)) == STEPS
        with pytest.raises(checkpoint.Damaged, match=file.name):
            checkpoint.read(newest)
        file.write_bytes(whole)
    assert checkpoint.faults(newest) == []


def test_cut_or_missing_file_is_found(saved):
    newest = checkpoint.newest(saved)
    first, second, *_ = sorted(newest.glob("rank-*"))
    first.write_bytes(first.read_bytes()[:-1])
    second.unlink()
    assert ["bytes" in checkpoint.faults(newest)[0], "missing" in checkpoint.faults(newest)[1]] == [True] * 2


def test_without_any_whole_checkpoint_nothing_is_restored(saved):
    for path in checkpoint.listed(saved):
        flip_bit(path / checkpoint.MANIFEST)
    with pytest.raises(checkpoint.Damaged):
        checkpoint.newest(saved)


def test_whole_checkpoint_is_not_overwritten_but_a_damaged_one_is(saved, run):
    newest = checkpoint.newest(saved)
    with pytest.raises(FileExistsError):
        checkpoint.write(saved, STEPS + 5, run.state())
    flip_bit(next(newest.glob("rank-*")))
    assert checkpoint.faults(checkpoint.write(saved, STEPS + 5, run.state())) == []


# ---------------------------------------------------------------- crash in the middle of a write


@pytest.mark.parametrize("number", range(1, checkpoint.stages() + 1))
def test_crash_at_any_moment_of_a_write_leaves_a_whole_checkpoint(tmp_path, run, number):
    checkpoint.write(tmp_path, STEPS, run.state())
    run.advance(1)
    with pytest.raises(Crash) as crash:
        checkpoint.write(tmp_path, STEPS + 1, run.state(), after=crash_at(number))
    named = str(crash.value) in {"renamed", "rename synced"}
    assert checkpoint.step_of(checkpoint.newest(tmp_path)) == STEPS + named
    assert all(checkpoint.faults(path) == [] for path in checkpoint.listed(tmp_path))
    if not named:
        assert checkpoint.faults(checkpoint.write(tmp_path, STEPS + 1, run.state())) == []


def test_write_has_as_many_stages_as_it_says(tmp_path, run):
    told = []
    checkpoint.write(tmp_path, 1, run.state(), ranks=3, after=told.append)
    assert len(told) == checkpoint.stages(3)
    assert told[-2:] == ["renamed", "rename synced"]


def test_file_written_in_place_would_be_found_half(tmp_path, run):
    """The planted error: a writer without the rename leaves half a checkpoint under the real name."""
    with pytest.raises(Crash):
        checkpoint.write(tmp_path, 1, run.state(), after=crash_at(3))
    (partial,) = tmp_path.glob(".step-*")
    shutil.copytree(partial, tmp_path / "step-00000001")
    assert checkpoint.faults(tmp_path / "step-00000001") == ["manifest.json: FileNotFoundError"]


# ---------------------------------------------------------------- deltas


def test_chain_of_deltas_is_rebuilt_bit_for_bit(run):
    base = state = run.state()
    chain = []
    for _ in range(4):
        run.advance(3)
        chain.append(deltas.delta(state, run.state()))
        state = run.state()
    for difference in chain:
        base = deltas.rebuild(base, difference)
    assert differing(base, run.state()) == []
    assert all(difference.bytes < 0.5 * state.bytes for difference in chain)


def test_delta_on_another_base_or_out_of_turn_is_refused(run):
    states = [run.state()]
    for _ in range(2):
        run.advance(1)
        states.append(run.state())
    second = deltas.delta(states[1], states[2])
    with pytest.raises(deltas.WrongBase):
        deltas.rebuild(states[0], second)


def test_rounded_differences_do_not_rebuild_the_state(run):
    before = run.state()
    run.advance(5)
    assert "weights" in differing(deltas.thresholded(before, run.state()), run.state())
    assert "weights" in differing(deltas.thresholded(before, run.state(), limit=0.0), run.state())


@pytest.mark.parametrize("share", [0.0, 0.01, 0.03, 0.04, 0.3, 0.49, 0.51, 0.96, 0.98, 1.0])
def test_delta_takes_the_smallest_form(share):
    old = np.zeros((100, 100), "f4")
    new = old.copy()
    new.reshape(-1)[: round(share * new.size)] = 1
    forms = deltas.sizes(new.size, 4, round(share * new.size))
    made = deltas.delta(State({"w": old}), State({"w": new}))
    assert made.bytes == min(forms[f] for f in ("whole", "indices", "bitmap"))
    assert differing(deltas.rebuild(State({"w": old}), made), State({"w": new})) == []


def test_changes_of_sign_of_zero_and_bits_of_nan_are_kept():
    old = np.array([0.0, np.nan, 1.0, *np.zeros(60)], "f4")
    new = old.copy()
    new[0] = -0.0
    new[1:2].view("u4")[0] += 1
    rebuilt = deltas.rebuild(State({"w": old}), deltas.delta(State({"w": old}), State({"w": new})))
    assert differing(rebuilt, State({"w": new})) == []


# ---------------------------------------------------------------- retention


def test_tiers_hold_what_they_promise():
    history = retention.thinned(100 * DAY, HOUR)
    for now, kept in list(zip(range(0, 100 * DAY, HOUR), history, strict=True))[95 * 24 :: 7]:
        ages = [now - t for t in kept]
        assert {h * HOUR for h in range(6)} <= set(ages)
        assert all(any(abs(age - d * DAY) <= DAY for age in ages) for d in range(7))
        assert all(any(abs(age - w * WEEK) <= WEEK for age in ages) for w in range(13))
        assert 20 <= len(kept) <= 28


def test_nothing_comes_back_that_was_deleted():
    history = retention.thinned(20 * DAY, HOUR)
    for before, after in itertools.pairwise(history):
        assert set(after[:-1]) <= set(before)


def test_newest_of_each_age_starves_the_old_tiers():
    kept = retention.thinned(60 * DAY, HOUR, rule=retention.by_age)[-1]
    assert len(kept) == 6 and kept[-1] - kept[0] < 6 * HOUR


# ---------------------------------------------------------------- preemption and kills


def replayed(folder, run, **changes):
    times = Notice(**{"notice": 120.0, "poll": 5.0, "step": 8.0, "write": 90.0, **changes})
    return preemption.replay(run, folder, times, 12, struck=33.0)


def test_notice_long_enough_saves_the_run(tmp_path, run):
    events = replayed(tmp_path, run)
    assert events[-1][1].endswith("safe") and events[-1][0] <= 33.0 + 120.0
    assert differing(checkpoint.read(checkpoint.newest(tmp_path)), run.state()) == []


def test_notice_too_short_leaves_the_checkpoint_before(tmp_path, run):
    checkpoint.write(tmp_path, 0, run.state())
    events = replayed(tmp_path, run, write=140.0)
    assert events[-1][1].startswith("machine taken")
    assert checkpoint.step_of(checkpoint.newest(tmp_path)) == 0


def test_time_left_is_that_of_the_worst_case_at_least():
    left = preemption.spare(Notice(120.0, 5.0, 12.0, 100.0))
    assert 3.0 <= left.min() < 5.0 and 18.0 < left.max() <= 20.0
    assert left.mean() == pytest.approx(120 - 100 - 2.5 - 6, abs=0.3)


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_killed_run_ends_as_the_undisturbed_one(tmp_path, seed):
    run, events = killing.killed(tmp_path, 40, 8, 15.0, seed=seed)
    whole = Training(seed=1)
    whole.advance(40)
    assert sum(what == "killed" for _, what, _ in events) > 0
    assert differing(run.state(), whole.state()) == []


def test_useful_share_falls_with_workers_and_is_that_of_the_writes_without_kills():
    jobs = [killing.Job(n, 1e6, 1800.0, 120.0, 300.0) for n in (1, 64, 256)]
    means, errors = killing.measured(jobs)
    assert means[0] > means[1] > means[2] and errors.max() < 0.03
    assert killing.useful_share(killing.Job(4, 1e15, 90.0, 10.0, 0.0))[0] == pytest.approx(0.9)


@pytest.mark.parametrize("seed", [11, 12])
def test_measured_goodput_is_that_of_the_formula_and_not_that_of_first_order(seed):
    day = 86400.0
    jobs = [killing.Job(n, 30 * day, 1800.0, 120.0, 300.0) for n in (64, 512, 1024)]
    means, errors = killing.measured(jobs, runs=200, seed=seed)
    given = {"C": "2 min", "R": "5 min", "tau": "30 min", "m": "30 gpu d"}
    for job, mean, error in zip(jobs, means, errors, strict=True):
        exact, first = (
            find(f"resumption.{name}").at(**given, N=f"{job.workers} gpu").m_as("")
            for name in ("goodput_under_kills", "goodput_first_order")
        )
        assert abs(mean - exact) < 4 * error
    assert first - means[-1] > 6 * errors[-1]  # the planted error: no kill strikes a restart


# ---------------------------------------------------------------- anomalies


def test_clipping_alone_spreads_a_nan_and_skipping_contains_it(run):
    shares = {guard: anomalies.not_finite(anomalies.after_fault(run, guard, np.nan)[0]) for guard in anomalies.GUARDS}
    assert 0 < shares["no guard"] < shares["clipping only"] == 1.0
    assert shares["skipping only"] == shares["clipping and skipping"] == 0.0


def test_skipped_step_changes_no_weight_and_halves_the_scale(run):
    hit, _ = anomalies.after_fault(run, "clipping and skipping", np.inf)
    assert all(np.array_equal(w, run.weights[name]) for name, w in hit.weights.items())
    assert (hit.scale, hit.calm, hit.done) == (run.scale / 2, 0, run.done)


def test_finite_spike_is_clipped(run):
    steps = []
    for guard in ("no guard", "clipping and skipping"):
        run.scale = 1.0
        twin = anomalies.guarded(run, guard)
        twin.advance(1, fault=spoil(0, "bias", 1e6))
        steps.append(twin.second["bias"][0])
    assert steps[0] > 1e6 > 1 > steps[1]


def test_small_scale_loses_small_gradients_and_large_scale_overflows(run):
    shares = [anomalies.through_half(run, 2.0**power) for power in (-12, 10, 24)]
    assert shares[0][0] > 0.03 and shares[1] == (0.0, 0.0) and shares[2][1] > 0.2
