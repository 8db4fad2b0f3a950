"""The practice of checkpoints: what is written, what is caught, what survives; each with seeded errors.

What needs torch runs in `make reference-run`; here its record is read and held against the code that it was made from.
"""

import copy
import csv
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mathcore import find
from mathcore.measured import Dataset
from practice import anomalies, crash_worker, deltas, durable, failure_clock, powercut, preemption, record, retention
from practice.injection import flip_bit, spoil
from practice.preemption import Notice
from practice.resumption import OMISSIONS, compare, other_order, without
from practice.retention import DAY, HOUR, WEEK
from practice.run import store, watch
from practice.state import State, differing
from practice.training import Training

STEPS = 30
SAVES = record.ROOT / "mathcore/chapters/resilience/datasets/reference_saves.csv"
CONTENTS = {"rank-0": bytes(range(256)) * 40, "rank-1": b"x" * 5000}


IN_PLACE = """
def in_place(folder, step):
    path = durable.place(folder, step)
    path.mkdir()
    return path
durable.prepare = in_place
"""


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
def saved(tmp_path):
    """Return a folder with whole checkpoints of two steps."""
    durable.write(tmp_path, 10, CONTENTS)
    durable.write(tmp_path, 20, CONTENTS)
    return tmp_path


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.999])
def test_flipped_bit_is_found_in_any_file_and_passed_over(saved, place):
    newest, reports = durable.newest(saved), []
    for file in sorted(newest.iterdir()):
        whole = file.read_bytes()
        flip_bit(file, place)
        found = durable.faults(newest)
        assert len(found) == 1 and found[0].startswith(file.name)
        assert durable.step_of(durable.newest(saved, reports.append)) == 10
        assert file.name in reports[-1]
        file.write_bytes(whole)
    assert durable.faults(newest) == []


def test_cut_or_missing_file_is_found(saved):
    newest = durable.newest(saved)
    (newest / "rank-0").write_bytes(CONTENTS["rank-0"][:-1])
    (newest / "rank-1").unlink()
    assert durable.faults(newest) == ["rank-0: 10239 bytes, not 10240", "rank-1: missing"]


def test_without_any_whole_checkpoint_nothing_is_chosen(saved):
    for path in durable.listed(saved):
        flip_bit(path / durable.MANIFEST)
    with pytest.raises(durable.Damaged):
        durable.newest(saved)


def test_whole_checkpoint_is_not_overwritten_but_a_damaged_one_is(saved):
    with pytest.raises(FileExistsError):
        durable.write(saved, 20, CONTENTS)
    flip_bit(durable.newest(saved) / "rank-0")
    assert durable.step_of(durable.newest(saved)) == 10  # which verifies, and remembers
    assert durable.faults(durable.write(saved, 20, CONTENTS)) == []
    assert durable.step_of(durable.newest(saved)) == 20


def test_checksum_is_that_of_the_bytes_handed_over_not_of_the_disk(tmp_path, monkeypatch):
    """A disk that loses a byte on the way must not be believed."""
    whole = durable.ChecksummedFile._all
    monkeypatch.setattr(
        durable.ChecksummedFile, "_all", lambda self, data: whole(self, data[:-1] if len(data) > 3000 else data)
    )
    path = durable.write(tmp_path, 1, CONTENTS)
    assert [fault.split(":")[0] for fault in durable.faults(path)] == ["rank-0"]


# ---------------------------------------------------------------- processes that die, power that goes


def test_writer_killed_at_any_stage_leaves_a_whole_checkpoint(tmp_path):
    found = crash_worker.crashes(tmp_path)
    assert len(found) == durable.stages(2) == 9
    assert all(death.whole for death in found)
    assert {death.stage for death in found if death.newest == "step-00000040"} == {"renamed", "rename synced"}


def test_writer_that_gives_the_name_first_is_found(tmp_path):
    """The seeded error: files are written into the folder that has the name already."""
    durable.write(tmp_path, 30, {"rank-0": b"whole"})
    spoilt = crash_worker._WRITE.replace("stages = []", f"stages = []\n{IN_PLACE}")
    crash_worker.write_and_crash(tmp_path, 40, 3, spoilt)
    assert any(durable.faults(path) for path in durable.listed(tmp_path))


def test_process_that_does_not_die_of_the_signal_is_no_death(tmp_path):
    with pytest.raises(RuntimeError, match="not by SIGKILL"):
        crash_worker.write_and_crash(tmp_path, 40, 1, "raise SystemExit(3)")
    done = subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    assert done.returncode == -signal.SIGKILL


linux = pytest.mark.skipif(sys.platform != "linux", reason="the recorder asks /proc for the names of open files")


@linux
def test_no_power_cut_breaks_what_has_a_name(tmp_path):
    log = powercut.cuts(tmp_path, lambda: durable.write(tmp_path, 1, CONTENTS))
    assert [cut.named for cut in log] == [False] * 4 + [True] * 2
    assert powercut.broken(tmp_path, lambda: durable.write(tmp_path, 2, CONTENTS)) == []


@linux
@pytest.mark.parametrize(
    "name, spoilt, sign",
    [
        ("ChecksummedFile.close", lambda self: self._file.close(), "after the rename"),
        ("_sync", lambda folder: None, "missing"),
    ],
)
def test_slip_in_the_order_of_syncs_is_found(tmp_path, monkeypatch, name, spoilt, sign):
    owner, _, attribute = name.rpartition(".")
    monkeypatch.setattr(getattr(durable, owner) if owner else durable, attribute, spoilt)
    found = powercut.broken(tmp_path, lambda: durable.write(tmp_path, 1, CONTENTS))
    assert found and (sign in " ".join(found) or "the name may be gone" in found[-1] or "manifest" in found[0])


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


def test_sign_of_zero_and_bits_of_nan_are_preserved():
    old = np.array([0.0, np.nan, 1.0, *np.zeros(60)], "f4")
    new = old.copy()
    new[0] = -0.0
    new[1:2].view("u4")[0] += 1
    rebuilt = deltas.rebuild(State({"w": old}), deltas.delta(State({"w": old}), State({"w": new})))
    assert differing(rebuilt, State({"w": new})) == []


# ---------------------------------------------------------------- retention


def test_tiers_hold_what_they_promise():
    history = retention.thinned(100 * DAY, HOUR)
    for now, checkpoints in list(zip(range(0, 100 * DAY, HOUR), history, strict=True))[95 * 24 :: 7]:
        ages = [now - t for t in checkpoints]
        assert {h * HOUR for h in range(6)} <= set(ages)
        assert all(any(abs(age - d * DAY) <= DAY for age in ages) for d in range(7))
        assert all(any(abs(age - w * WEEK) <= WEEK for age in ages) for w in range(13))
        assert 20 <= len(checkpoints) <= 28


def test_nothing_comes_back_that_was_deleted():
    history = retention.thinned(20 * DAY, HOUR)
    for before, after in itertools.pairwise(history):
        assert set(after[:-1]) <= set(before)


def test_newest_of_each_age_starves_the_old_tiers():
    checkpoints = retention.thinned(60 * DAY, HOUR, rule=retention.by_age)[-1]
    assert len(checkpoints) == 6 and checkpoints[-1] - checkpoints[0] < 6 * HOUR


def swept(folder, steps, now, tiers="6:0,40:10"):
    for step in steps:
        durable.write(folder, step, {"rank-0": b"x"})
    retention.sweep(folder, now, retention.tiers(tiers))
    return sorted(map(durable.step_of, durable.listed(folder)))


def test_sweep_leaves_what_the_calendar_says_and_always_the_last(tmp_path):
    assert swept(tmp_path / "a", range(2, 31, 2), now=30) == [2, 10, 20, 26, 28, 30]
    assert swept(tmp_path / "b", [2, 4, 6], now=10_000) == [6]


def test_sweep_keeps_the_last_whole_one_and_clears_what_is_damaged_before_it(tmp_path):
    for step in (2, 4, 6, 8):
        durable.write(tmp_path, step, {"rank-0": b"x"})
    for step in (2, 8):
        flip_bit(durable.place(tmp_path, step) / "rank-0")
    assert durable.step_of(durable.newest(tmp_path)) == 6
    assert retention.sweep(tmp_path, 10_000, retention.tiers("6:0")) == [2, 4]
    assert sorted(map(durable.step_of, durable.listed(tmp_path))) == [6, 8]


def test_sweep_deletes_nothing_where_nothing_is_whole(tmp_path):
    durable.write(tmp_path, 2, {"rank-0": b"x"})
    flip_bit(durable.place(tmp_path, 2) / "rank-0")
    with pytest.raises(durable.Damaged):
        durable.newest(tmp_path)
    assert retention.sweep(tmp_path, 10_000, retention.tiers("6:0")) == []


def test_rule_that_takes_the_last_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(retention, "expired", lambda times, now, tiers, proven: list(times))
    assert swept(tmp_path, [2, 4, 6], now=10_000) == []


def test_sweep_reads_no_shard_and_keeps_the_last_that_was_read_back(tmp_path, monkeypatch):
    """A sweep that hashed everything after each save would take hours on a fleet."""
    for step in (2, 4):
        durable.write(tmp_path, step, {"rank-0": b"x"})
    durable.newest(tmp_path)
    durable.write(tmp_path, 6, {"rank-0": b"x"})
    monkeypatch.setattr(durable, "faults", lambda *_: pytest.fail("a sweep has read a shard"))
    assert retention.sweep(tmp_path, 10_000, retention.tiers("6:0")) == [2]


def test_ranks_verify_every_file_and_none_twice(saved):
    path = durable.newest(saved)
    files = durable.body(path)["files"]
    assert sorted(itertools.chain(*(durable.share(files, rank, 3) for rank in range(3)))) == sorted(files)
    flip_bit(path / "rank-1")
    assert [durable.faults(path, rank, 2) for rank in range(2)] == [[], ["rank-1: checksum"]]


def test_sweep_by_time_goes_by_when_a_checkpoint_was_saved(tmp_path):
    for step, at in ((100, 0), (200, 50), (300, 90)):
        durable.write(tmp_path, step, {"rank-0": b"x"}, {"at": at})
    assert retention.sweep(tmp_path, 100, retention.tiers("60:0"), retention.saved_at) == [100]


# ---------------------------------------------------------------- notices and kills, on a simulated clock


def test_time_left_is_that_of_the_worst_case_at_least():
    left = preemption.spare(Notice(120.0, 5.0, 12.0, 100.0))
    assert 3.0 <= left.min() < 5.0 and 18.0 < left.max() <= 20.0
    assert left.mean() == pytest.approx(120 - 100 - 2.5 - 6, abs=0.3)


def test_useful_share_falls_with_workers_and_is_that_of_the_writes_without_kills():
    jobs = [failure_clock.Job(n, 1e6, 1800.0, 120.0, 300.0) for n in (1, 64, 256)]
    means, errors = failure_clock.measured(jobs)
    assert means[0] > means[1] > means[2] and errors.max() < 0.03
    assert failure_clock.useful_share(failure_clock.Job(4, 1e15, 90.0, 10.0, 0.0))[0] == pytest.approx(0.9)


@pytest.mark.parametrize("seed", [11, 12])
def test_measured_goodput_is_that_of_the_formula_and_not_that_of_first_order(seed):
    day = 86400.0
    jobs = [failure_clock.Job(n, 30 * day, 1800.0, 120.0, 300.0) for n in (64, 512, 1024)]
    means, errors = failure_clock.measured(jobs, runs=200, seed=seed)
    given = {"C": "2 min", "R": "5 min", "tau": "30 min", "m": "30 gpu d"}
    for job, mean, error in zip(jobs, means, errors, strict=True):
        exact, first = (
            find(f"resilience.resumption.{name}").at(**given, N=f"{job.workers} gpu").m_as("")
            for name in ("goodput_under_kills", "goodput_first_order")
        )
        assert abs(mean - exact) < 4 * error
    assert first - means[-1] > 6 * errors[-1]  # the seeded error: no kill strikes a restart


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
        same_run = anomalies.guarded(run, guard)
        same_run.advance(1, fault=spoil(0, "bias", 1e6))
        steps.append(same_run.second["bias"][0])
    assert steps[0] > 1e6 > 1 > steps[1]


def test_small_scale_loses_small_gradients_and_large_scale_overflows(run):
    shares = [anomalies.through_half(run, 2.0**power) for power in (-12, 10, 24)]
    assert shares[0][0] > 0.03 and shares[1] == (0.0, 0.0) and shares[2][1] > 0.2


# ---------------------------------------------------------------- orders of summation


def test_order_of_the_sum_matters_in_half_precision_alone(run):
    assert compare(Training(seed=1), Training(seed=2), 2).parted == 1
    assert [other_order(run, half=half).same for half in (False, True)] == [True, False]


# ---------------------------------------------------------------- what runs beside the launcher


@pytest.fixture
def sleeper():
    """Return a function that starts a process which does nothing, for a rank or a launcher."""
    made = []

    def start():
        made.append(subprocess.Popen(["sleep", "600"]))
        return made[-1]

    yield start
    for process in made:
        process.kill()
        process.wait()


def heartbeat(folder, rank, pid, age=60):
    beat = {"pid": pid, "phase": "step", "at": time.time() - age}
    (folder / f"heartbeat-{rank}.json").write_text(json.dumps(beat))


def test_watch_kills_the_silent_rank_and_no_other(tmp_path, sleeper):
    ranks = [sleeper(), sleeper()]
    heartbeat(tmp_path, 0, ranks[0].pid, age=0)
    heartbeat(tmp_path, 1, ranks[1].pid)
    assert watch.kill_hung_rank(tmp_path, 8, os.getpid())["rank"] == 1
    assert (ranks[0].poll(), ranks[1].wait(20)) == (None, -signal.SIGKILL)


def test_watch_leaves_processes_alone_that_its_launcher_has_not_started(tmp_path, sleeper):
    """In a new container process ids begin again, and an old one may belong to another process."""
    stranger = sleeper()
    heartbeat(tmp_path, 0, stranger.pid)
    assert watch.kill_hung_rank(tmp_path, 8, os.getppid()) is None and stranger.poll() is None
    assert watch.kill_hung_rank(tmp_path, 8, os.getpid()) and stranger.wait(20) == -signal.SIGKILL


def beside(folder, events, launcher):
    """Start the sidecar of a launcher with the messages of the first rank; return it and the file of its series."""
    (folder / "events-0.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    series = folder / "textfile" / "training.prom"
    series.parent.mkdir(exist_ok=True)
    own = ["--heartbeats", folder, "--heartbeat-every", 0.1, "--heartbeat-timeout", 8, "--series", series]
    given = [launcher.pid, "run-42", "--folder", folder, "--steps", 9, "--async-save", *own]
    command = [sys.executable, "-m", "practice.run.sidecar", *map(str, given)]
    return subprocess.Popen(command, cwd=record.ROOT), series


def values_of(series):
    """Return the values of the series by name."""
    lines = [line.split() for line in series.read_text().splitlines() if not line.startswith("#")]
    return {name.partition("{")[0]: float(value) for name, value in lines}


def test_what_runs_beside_tells_the_alerts_and_ends_with_the_launcher(tmp_path, sleeper):
    launcher = sleeper()
    later = time.time() + 60
    events = [{"what": "started", "at": 1}, {"what": "begun", "at": 1, "step": 0}]
    process, series = beside(tmp_path, [*events, {"what": "step", "at": later, "step": 7}], launcher)
    while not series.exists():
        time.sleep(0.01)
    launcher.kill()
    launcher.wait()
    assert process.wait(60) == 0
    found = values_of(series)
    assert found["training_steps_total"] == 7 and found["training_restarting"] == 0
    assert found["training_checkpoint_seconds"] == 1  # no save has succeeded: counted from the first start
    assert "training_ended_seconds" not in found
    assert not re.findall(r'\{run="(?!run-42")', series.read_text())


def test_run_that_is_done_says_so_and_one_that_needs_a_person_is_held(tmp_path, sleeper):
    launcher, started = sleeper(), {"what": "started", "at": 1}
    (tmp_path / "done").mkdir()
    done, series = beside(tmp_path / "done", [started, {"what": "ended", "at": 2, "why": "done"}], launcher)
    (tmp_path / "refused").mkdir()
    held, _ = beside(tmp_path / "refused", [started, {"what": "refused", "at": 2, "why": "none is whole"}], launcher)
    assert launcher.wait(60) == -signal.SIGTERM  # of the second alone
    assert done.wait(60) == held.wait(60) == 0
    assert values_of(series)["training_ended_seconds"] == pytest.approx(time.time(), abs=60)
    assert not (tmp_path / "done" / "hold").exists()
    assert (tmp_path / "refused" / "hold").read_text() == "none is whole\n"


# ---------------------------------------------------------------- copies in an object store


class Bucket:
    """An object store in memory, as far as the loader asks for it."""

    def __init__(self, objects):
        self.objects = objects

    def get_paginator(self, name):
        return self

    def paginate(self, Bucket, Prefix):
        there = [{"Key": key, "Size": len(data)} for key, data in self.objects.items() if key.startswith(Prefix)]
        return [{"Contents": there}]

    def get_object(self, Bucket, Key):
        return {"Body": io.BytesIO(self.objects[Key])}

    def download_file(self, bucket, key, path):
        Path(path).write_bytes(self.objects[key])


def copies(saved):
    """Return the objects of all checkpoints of a folder, as their copies lie in a bucket."""
    return {
        store.key("run-42", durable.step_of(path), file.name): file.read_bytes()
        for path in durable.listed(saved)
        for file in path.iterdir()
    }


@pytest.mark.parametrize("spoil", [lambda data: None, lambda data: data[:-1], lambda data: data[:-1] + b"?"])
def test_copy_whose_manifest_came_first_is_passed_over(saved, tmp_path, spoil):
    """Replication keeps no order: the manifest may be there, and a file not yet, or only in part."""
    objects = copies(saved)
    key = store.key("run-42", 20, "rank-1")
    objects[key] = spoil(objects[key])
    client = Bucket({key: data for key, data in objects.items() if data is not None})
    assert durable.step_of(store.load(client, "second", "run-42", tmp_path / "there")) == 10
    assert durable.faults(tmp_path / "there" / "step-00000010") == []


def test_where_no_copy_is_whole_nothing_is_loaded(saved, tmp_path):
    objects = {key: data for key, data in copies(saved).items() if key.endswith(durable.MANIFEST)}
    with pytest.raises(durable.Damaged):
        store.load(Bucket(objects), "second", "run-42", tmp_path / "there")


# ---------------------------------------------------------------- the record


def test_record_was_made_by_this_code():
    """Whoever changes what is run must run it: `make reference-run`."""
    assert record.run()["sources"] == record.sources()


def test_changed_file_would_make_the_record_stale(monkeypatch):
    monkeypatch.setattr(record, "quoting", lambda file: file.stem == "durable")
    assert record.run()["sources"] != record.sources()


def test_every_fault_ended_as_it_must():
    found = record.run()
    assert [name for name, good, *_ in found["faults"] if not good] == []
    assert len(found["faults"]) >= 22
    assert not [words for _, _, words, _ in found["faults"] if "NOT RUN" in words or "FINAL STATE DIFFERS" in words]


def test_day_on_the_cluster_was_run_to_its_end_and_ended_as_stated():
    found = record.run()
    assert not found["lacking"] and [row[0] for row in found["chain"] if not row[3]] == []
    injected = {"node down", "node drained with notice", "preemption with a deadline", "storage stalls", "rank killed"}
    injected |= {
        "notice while storage is slow",
        "rank hung",
        "bit flip in a checkpoint",
        "full file system",
        "region lost",
    }
    injected |= {"alert storm of one node", "run that never saves", "finished run", "run whose first save fails"}
    assert injected | {"after all faults"} <= {row[0] for row in found["chain"]}
    paged = {row[0] for row in found["chain"] if row[1].endswith("no page") and "none" not in row[2]}
    assert paged == set()
    assert "ANOTHER STATE" not in str(found["chain"]) and found["scale"] == {"time": 15, "size": 50}


def test_every_seeded_error_was_found():
    found = record.run()
    wanted = {"loader keyed without the rank", "checksum not compared", "rename before the sync"}
    assert wanted | {"retention that takes the last", "hash on rank 0"} <= set(found["seeded_bugs"])
    states = [check["state"] for check in found["checks"] if check["files"].startswith("seeded")]
    assert states == ["caught"] * len(states) and len(states) >= 5


def test_leaving_out_any_one_part_showed():
    rows = record.run()["omitted"]
    parts = {"weights", "first", "second", "schedule", "order", "random", "scale"}
    assert set(rows) == {*parts, "moments", "optimizer"}
    assert all(parted in (1, 2) and gap > 1e-3 and other for parted, gap, other in rows.values())
    assert max(rows, key=lambda part: rows[part][1]) == "second"  # the page says so
    assert max(rows["moments"][1], rows["optimizer"][1]) < rows["second"][1] / 5  # and that both are milder


@pytest.mark.parametrize("begun", [20, 200])
def test_second_moment_is_lost_at_a_worse_price_alone_than_with_the_first(begun):
    trained = Training(seed=1)
    trained.advance(begun)
    gaps = {name: without(trained, parts).gap for name, parts in OMISSIONS.items()}
    alone = gaps.pop("second moment alone")
    assert all(0.01 < gap < alone / 1000 for gap in gaps.values())


def test_lazy_optimizer_leaves_rows_alone_that_a_dense_one_changes():
    for options, most in (({}, 0.05), ({"lazy": False, "decay": 0.01}, 1.0)):
        trained = Training(seed=1, **options)
        trained.advance(STEPS)
        old = trained.state().tensors["weights.embedding"]
        trained.advance(1)
        changed = deltas.changed(old, trained.state().tensors["weights.embedding"])
        assert changed == most if most == 1.0 else changed < most


def test_artefacts_were_run_or_are_marked_as_read_only():
    checks = {check["files"]: check["state"] for check in record.run()["checks"]}
    assert not [files for files, state in checks.items() if state == "refused"]
    assert checks["alerts.yaml, alerts.test.yaml"] == "validated"


def test_measurements_have_units_and_are_what_the_page_says_of_them():
    data = Dataset("measured", record.FOLDER)
    assert list(data.issues()) == []
    (row,) = data.rows
    assert row["stall_async"] < row["stall_sync"] < row["restart_killed"]
    assert row["steps_again"].m_as("") == 5  # half an interval, as the page says
    assert row["write_async"] > row["write_sync"] and row["restart_up"] > 0.7 * row["restart_killed"]
    assert row["restart_killed"].m_as("s") == pytest.approx(
        sum(row[f"restart_{part}"].m_as("s") for part in ("up", "load", "step")), abs=0.01
    )


def test_comparison_rests_on_saves_of_a_record():
    """The core keeps the saves of one day; another day's are others, of the same jobs."""
    files = (SAVES, record.FOLDER / "saves.csv")
    frozen, last = (list(csv.DictReader(path.read_text().splitlines())) for path in files)
    assert [(row["mode"], row["save"]) for row in frozen] == [(row["mode"], row["save"]) for row in last]
    assert all(abs(float(a["size"]) / float(b["size"]) - 1) < 0.01 for a, b in zip(frozen, last, strict=True))


def test_comparison_in_which_write_and_stall_change_places_is_found():
    stops = find("resilience.measured.synchronous_saves")
    assert list(stops.issues()) == []
    assert list(replace(stops, only={"mode": "async"}).issues())


def test_tables_of_the_record_are_printed():
    for table in (
        record.faults(),
        record.chain(),
        record.omitted(),
        record.seeded_bugs(),
        record.checks(),
        record.seeded_artefact_errors(),
    ):
        assert len(table.rows) >= 5 and all(len(row) == len(table.columns) for row in table.rows)
    assert record.faults("a slow rank").rows[0][0] == "a slow rank"
    assert json.dumps(record.run()["versions"]["torch"]) and record.run()["date"] in record.made()


# ---------------------------------------------------------------- its environment


def lock():
    return (record.ROOT / "practice" / "requirements.lock").read_text()


def test_lock_holds_what_is_asked_for_with_checksums_and_no_address():
    asked = (record.ROOT / "practice" / "requirements.txt").read_text().splitlines()[1:]
    plain = [re.sub(r"\[.*\]", "", pin) for pin in asked]
    packages = re.split(r"\n(?=\S)", lock())[1:]
    assert [pin for pin in plain if not any(block.startswith(pin) for block in packages)] == []
    assert [block for block in packages if "--hash=sha256:" not in block] == []
    assert "://" not in lock() and not re.findall(r"^(?:nvidia|cuda|triton)", lock(), re.M)


def test_graphics_libraries_stay_out_on_linux_by_a_build_for_the_processor():
    assert re.search(r"^torch==\S+\+cpu ; sys_platform == 'linux' ", lock(), re.M)


@pytest.mark.extended
@pytest.mark.slow
def test_missing_torch_is_reported_in_one_sentence_and_recorded(tmp_path):
    for name in (".ci", "practice"):
        shutil.copytree(record.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    nowhere = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    command = [sys.executable, tmp_path / ".ci" / "reference_run.py"]
    done = subprocess.run(command, env=nowhere, capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stderr.startswith("The reference run cannot be had here: ") and done.stderr.count("\n") == 1
    assert (tmp_path / "_build" / "reference-run-missing.txt").read_text() == done.stderr
    assert not (tmp_path / ".venv-practice").exists()
