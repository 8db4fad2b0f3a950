"""Faults of the reference run: each function injects one into a job and returns an Outcome.

A job ends like the undisturbed one if the checksum over its whole state is the same: weights, both moments,
counters, loss scale, loaders and random states of all ranks.
"""

import os
import re
import shutil
import statistics
import subprocess
import time
from typing import NamedTuple

from practice import durable, powercut, retention
from practice.injection import flip_bit
from practice.run.lab import EVERY, FAULT_STEP, STEPS, Job, copied
from practice.run.options import OMISSIONS

MEMORY_EVERY = 4  # steps between checkpoints in memory
ELASTIC_BOUND = 0.001  # of a loss near 3.5: floating-point sums in a different order
TIERS = "6:0,40:10"
SPIKE = 1.05  # times the median of the last losses; clean data stay below
WIDTHS, MODES = (128, 256, 448), ("sync", "async")


class Outcome(NamedTuple):
    """Result of a fault: whether it ended as required, a description, and what was measured."""

    good: bool
    words: str
    measured: dict = {}  # noqa: RUF012 - never changed


class Lab:
    """Creates jobs in one folder and compares them with an undisturbed run."""

    def __init__(self, folder, root):
        """Use `folder` for the jobs and the code below `root`."""
        self.folder, self.root = folder, root

    def job(self, name, **options):
        """Return a new job with a folder of its own."""
        return Job(self.folder / name, root=self.root, **options)

    def after(self, name, upto=STEPS, **options):
        """Return a new job that begins with checkpoints of the undisturbed run."""
        return copied(self.undisturbed, self.folder / name, upto, root=self.root, **options)

    def same(self, job, words):
        """Return the Outcome of a job that has to end like the undisturbed one."""
        again = job.lost_steps()
        end = (
            "final state identical to the undisturbed run"
            if job.digest == self.undisturbed.digest
            else "FINAL STATE DIFFERS"
        )
        return Outcome(job.digest == self.undisturbed.digest, f"{words}; {again} steps repeated; {end}")


# ---------------------------------------------------------------- no fault


def undisturbed(lab):
    """Train twice without a fault; both runs have to end in the same state."""
    lab.undisturbed = lab.job("undisturbed")
    again = lab.job("again")
    good = lab.undisturbed.start() and again.start() and lab.undisturbed.wait() & again.wait()
    first, last = lab.undisturbed.losses[1], lab.undisturbed.losses[STEPS]
    words = f"{STEPS} steps on 2 ranks, loss {first:.3f} to {last:.3f}; a second run ends in an identical state"
    return Outcome(good and lab.undisturbed.digest == again.digest, words)


# ---------------------------------------------------------------- killed processes


def with_injection(lab, name, words, options=None, **fault):
    """Run a job under torchrun with an injected fault; it restarts and has to end like the undisturbed one."""
    job = lab.job(name, restarts=1, fault={"rank": 1, **fault}, **(options or {}))
    job.run()
    found = lab.same(job, f"{words}; resumed from step {job.resumed()['step']}")
    return found._replace(measured={"restart": job.restart_s(), "again": job.lost_steps(), **job.restart_parts()})


def one_killed(lab):
    """SIGKILL to one rank in the middle of a step."""
    return with_injection(
        lab, "one-killed", "torchrun starts both ranks again", kind="kill", where="step", step=FAULT_STEP
    )


def all_killed(lab):
    """SIGKILL to launcher and all ranks at an arbitrary moment; the job is started again by hand."""
    job = lab.job("all-killed", restarts=0)
    job.start().wait_for_step(FAULT_STEP)
    (job.folder / "injected").write_text(str(time.time()))
    job.kill()
    job.wait()
    job.run()
    found = lab.same(job, f"started by hand; resumed from step {job.resumed()['step']}")
    return found._replace(measured={"restart": job.restart_s(), "again": job.lost_steps()})


def killed_with_memory(lab):
    """SIGKILL to one rank, with checkpoints in memory: only the steps since the last one are repeated."""
    options = {"memory": lab.folder / "in-memory" / "memory", "memory-every": MEMORY_EVERY}
    found = with_injection(
        lab, "in-memory", "checkpoint in memory", options, kind="kill", where="step", step=FAULT_STEP
    )
    return found._replace(good=found.good and found.measured["again"] <= MEMORY_EVERY)


def node_lost(lab):
    """All ranks are killed and the memory of one node is lost; the next node holds a copy of its shard."""
    job = killed_nodes(lab, "node-lost")
    shutil.rmtree(job.memory(1))
    return from_memory(lab, job, True)


def shard_in_memory_damaged(lab):
    """All ranks are killed and one bit of a shard in memory is flipped; the run resumes from storage."""
    job = killed_nodes(lab, "shard")
    flip_bit(durable.listed(job.memory(0) / "rank-0")[0] / "shard")
    return from_memory(lab, job, False)


def killed_nodes(lab, name):
    """Return a job on two nodes whose ranks were all killed after a checkpoint to memory."""
    job = lab.job(name, nodes=True, pace=0.1, **{"memory-every": MEMORY_EVERY})
    job.start().wait_for_step(FAULT_STEP)
    (job.folder / "injected").write_text(str(time.time()))
    job.kill()
    job.wait()
    return job


def from_memory(lab, job, wanted):
    """Return the Outcome of starting a job again, which has to resume from memory or not, as `wanted` says."""
    job.run()
    step, reported = job.resumed()["step"], job.messages()
    taken = f"step {step} taken from memory" in reported
    where = "memory" if taken else "storage"
    found = lab.same(job, f"resumed from step {step} in {where}")
    return found._replace(good=found.good and taken == wanted and (step > 2 * EVERY if wanted else step == 2 * EVERY))


def killed_in_save(lab):
    """SIGKILL to all ranks when the first one has written half a shard."""
    words = "the partial checkpoint was never renamed"
    return with_injection(lab, "in-save", words, kind="kill all", rank=0, stage="__0_0.distcp: begun")


def killed_in_async_save(lab):
    """SIGKILL to all ranks during an asynchronous save, after further steps."""
    words = "the partial checkpoint and the steps after it are lost"
    fault = {"kind": "kill all", "rank": 0, "stage": "__0_0.distcp: begun"}
    return with_injection(lab, "behind", words, options={"async-save": True}, **fault)


def killed_before_rename(lab):
    """SIGKILL to all ranks after the sync of all files and before the rename."""
    return with_injection(
        lab, "before-rename", "complete, but not renamed", kind="kill all", rank=0, stage="folder synced"
    )


def killed_before_sync(lab):
    """SIGKILL to all ranks between the rename and the sync of the parent folder."""
    words = "the checkpoint is renamed and used"
    return with_injection(lab, "before-sync", words, kind="kill all", rank=0, stage="renamed")


def power_cut(lab):
    """A power cut after each sync and rename of a save, on a simulated disk that keeps only what was synced."""
    folder = lab.folder / "power"
    folder.mkdir()
    contents = {
        file.name: file.read_bytes() for file in durable.place(lab.undisturbed.folder / "checkpoints", EVERY).iterdir()
    }
    contents.pop(durable.MANIFEST)
    reported = powercut.broken(folder, lambda: durable.write(folder, 1, contents))
    words = "no order of writes leaves a renamed checkpoint incomplete or loses a reported one"
    return Outcome(not reported, "; ".join(reported[:2]) or words)


# ---------------------------------------------------------------- damaged files


def with_damage(lab, name, spoil, sign):
    """Damage the newest checkpoint and resume; the previous one has to be loaded and the damage reported."""
    job = lab.after(name, upto=2 * EVERY)
    spoil(durable.place(job.folder / "checkpoints", 2 * EVERY))
    job.run()
    reported = [part for part in job.messages().split("; ") if "passed over" in part]
    found = lab.same(
        job, f"“{reported[0] if reported else 'NOTHING FOUND'}”; resumed from step {job.resumed()['step']}"
    )
    return found._replace(good=found.good and job.resumed()["step"] == EVERY and sign in "".join(reported))


def bit_flipped(lab):
    """One bit flipped in the shard of one rank; ten places of every file are also tested without a job."""
    tried = flip_each(durable.place(lab.undisturbed.folder / "checkpoints", EVERY), lab.folder / "bits")
    flip = lambda path: flip_bit(path / "__1_0.distcp", place=0.7)  # noqa: E731
    found = with_damage(lab, "bit", flip, "__1_0.distcp: checksum")
    shared = shares(Job(lab.folder / "bit"), EVERY)
    words = f"{tried.words}; {found.words}" if shared else f"{found.words}; NOT SHARED BETWEEN THE RANKS"
    return found._replace(good=found.good and tried.good and shared, words=words)


def shares(job, step):
    """Return whether the ranks together have verified each file of a checkpoint once."""
    path, reported = durable.place(job.folder / "checkpoints", step), []
    for rank in range(job.ranks):
        reported += re.findall(rf"{path.name} verified: ([^;]+)", job.messages(rank))
    files = [name for each in reported for name in each.split(", ")]
    return len(reported) == job.ranks and sorted(files) == sorted(durable.body(path)["files"])


def flip_each(path, folder):
    """Return the Outcome of flipping one bit at ten places of every file of a checkpoint in turn."""
    shutil.copytree(path, folder)
    found_bits = places = 0
    for file in sorted(folder.iterdir()):
        whole = file.read_bytes()
        for place in range(10):
            flip_bit(file, (place + 0.5) / 10)
            places += 1
            found_bits += len(durable.faults(folder)) == 1
            file.write_bytes(whole)
    return Outcome(found_bits == places, f"{found_bits} of {places} single bits found")


def truncated(lab):
    """A truncated shard, as an interrupted copy leaves it."""

    def cut(path):
        file = path / "__0_0.distcp"
        os.truncate(file, file.stat().st_size // 2)

    return with_damage(lab, "cut", cut, "bytes, not")


def missing(lab):
    """The file of one rank is missing."""
    return with_damage(lab, "missing", lambda path: (path / "__1_0.distcp").unlink(), "missing")


def none_intact(lab):
    """Every checkpoint is damaged; the run refuses to start instead of starting from scratch."""
    job = lab.after("none-whole", upto=2 * EVERY)
    for path in durable.listed(job.folder / "checkpoints"):
        flip_bit(path / "__0_0.distcp")
    good = job.run()
    reported = job.last("refused", {"why": "NOT REFUSED"})["why"]
    return Outcome(not good and "whole" in reported and not job.losses, f"refused: “{reported}”")


def disk_full(lab):
    """A disk with room for one and a half checkpoints; the run continues and keeps the old checkpoint."""
    job = lab.job("full")
    size = sum(file.stat().st_size for file in durable.place(lab.undisturbed.folder / "checkpoints", EVERY).iterdir())
    disk = job.folder / "checkpoints"
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size * 3 // 2}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        return Outcome(True, "NOT RUN: mounting a small disk needs root")
    try:
        job.run()
        left = [path.name for path in durable.listed(disk) if not durable.faults(path)]
        rest = [path.name for path in disk.iterdir() if path.name not in left]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    parts = [part for rank in range(job.ranks) for part in job.messages(rank).split("; ")]
    reported = next((part for part in parts if "No space" in part), "NOTHING SAID")
    found = lab.same(job, f"“{reported}”; {', '.join(left)} stays, {len(rest)} leftovers")
    return found._replace(good=found.good and left == ["step-00000010"] and not rest and "No space" in reported)


# ---------------------------------------------------------------- wrong numbers, slow ranks


def not_a_number(lab):
    """A NaN in one element of the gradient of one rank; all ranks skip the step."""
    one = lab.job("nan", fault={"kind": "nan", "rank": 1, "where": "gradient", "step": 20})
    all_ = lab.job("skip", fault={"kind": "skip", "step": 20})
    one.start(), all_.start()
    one.wait(), all_.wait()
    skipped = [event["step"] for event in one.all("step") if not event["finite"]]
    unaffected = [event["step"] for event in lab.undisturbed.all("step") if not event["finite"]]
    good = one.digest == all_.digest != lab.undisturbed.digest and 21 in skipped and 21 not in unaffected
    end = (
        "final state identical to a run in which every rank skips it"
        if one.digest == all_.digest
        else "FINAL STATE DIFFERS"
    )
    return Outcome(good, f"step 21 skipped on both ranks, loss scale halved; {end}")


def slow(lab):
    """One rank needs a quarter of a second more for each step; its own compute time identifies it."""
    job = lab.job("slow", fault={"kind": "slow", "rank": 1, "seconds": 0.25})
    job.run()
    own = [statistics.median(event["own"] for event in job.all("step", rank)) for rank in range(job.ranks)]
    culprit = max(range(job.ranks), key=own.__getitem__)
    words = f"rank {culprit} computes for {own[culprit]:.3f} s a step, the other one for {min(own):.3f} s"
    found = lab.same(job, words)
    return found._replace(good=found.good and culprit == 1 and own[1] > 3 * own[0])


def loss_spike(lab):
    """Three steps of corrupt data: the loss spikes, the job exits without saving and resumes without these data."""
    spoilt, skips = {"kind": "data", "first": FAULT_STEP, "last": FAULT_STEP + 2}, {"skip": FAULT_STEP + 3 - 2 * EVERY}
    job = copied(lab.undisturbed, lab.folder / "spike", 2 * EVERY, root=lab.root, fault=spoilt, spike=SPIKE)
    job.run()
    why, loss = job.last("ended", {"why": "NOT NOTICED"})["why"], job.last("step")["loss"]
    job.options |= skips
    clean = lab.after("skipped", 2 * EVERY, **skips)
    job.start(), clean.start()
    job.wait(), clean.wait()
    good = why == "spike" and job.digest == clean.digest != lab.undisturbed.digest
    end = "final state identical to a run without them" if job.digest == clean.digest else "FINAL STATE DIFFERS"
    words = (
        f"exit at a loss of {loss:.2f} ({why}); resumed from step {2 * EVERY}, data of {skips['skip']} steps skipped"
    )
    return Outcome(good, f"{words}; {end}")


def silent_corruption(lab):
    """One of three ranks computes results that are off by 0.1 %; a check on equal data identifies it before a save."""
    fault, screen = {"kind": "wrong", "rank": 1, "step": FAULT_STEP - 2}, {"ranks": 3, "screen": 5}
    sound, job = lab.job("sound", **screen), lab.job("wrong", fault=fault, **screen)
    unseen = lab.job("unseen", ranks=3, fault=fault)
    sound.run(), unseen.run(), job.run()
    reported = job.last("disagrees", {"ranks": None, "step": None})
    (job.folder / "fault.json").unlink()  # the device is replaced
    job.run()
    good = reported["ranks"] == [1] and job.digest == sound.digest != unseen.digest and unseen.digest is not None
    end = "final state identical to the sound run" if job.digest == sound.digest else "FINAL STATE DIFFERS"
    named = " and ".join(map(str, reported["ranks"] or ["NONE"]))
    words = f"rank {named} disagrees at step {reported['step']}; replaced, resumed from {job.resumed()['step']}; {end}"
    return Outcome(good, f"{words}; without the check nothing is reported, and the final state differs")


# ---------------------------------------------------------------- elastic restart


def elastic(lab):
    """Save on four ranks and resume on four, three and two, without dropout and noise: only sums differ."""
    lab.wide = lab.job("wide", ranks=4, plain=True)
    lab.wide.run()
    words, good = [], True
    for ranks in (4, 3, 2):
        job = copied(lab.wide, lab.folder / f"on-{ranks}", 2 * EVERY, ranks=ranks, root=lab.root, plain=True)
        job.run()
        gap = max(abs(job.losses.get(s, 9e9) - lab.wide.losses[s]) for s in range(2 * EVERY + 1, STEPS + 1))
        good &= gap <= (0 if ranks == 4 else ELASTIC_BOUND)
        words.append(f"on {ranks}: largest gap of the loss {gap:.2g}")
    good &= job.resumed()["step"] == 2 * EVERY
    return Outcome(good, f"saved on 4, resumed {', '.join(words)} (allowed: {ELASTIC_BOUND} if the number changes)")


# ---------------------------------------------------------------- contents of a checkpoint, retention


def state_omitted(lab):
    """Resume without one part of the state, both moments, or the optimizer; each has to change the result."""
    jobs = {part: lab.after(f"without-{part}", 2 * EVERY, without=part) for part in OMISSIONS}
    names = list(jobs)
    for one, other in zip(names[::2], [*names[1::2], None], strict=True):
        pair = [jobs[name] for name in (one, other) if name]
        for job in pair:
            job.start()
        for job in pair:
            job.wait()
    rows, expected = {}, lab.undisturbed.losses
    for part, job in jobs.items():
        gaps = {s: abs(job.losses[s] - expected[s]) for s in range(2 * EVERY + 1, STEPS + 1)}
        parted = next((s - 2 * EVERY for s, gap in gaps.items() if gap), None)
        rows[part] = [parted, max(gaps.values()), job.digest != lab.undisturbed.digest]
    shown = [part for part, (_, _, other) in rows.items() if other]
    words = f"{len(shown)} of {len(OMISSIONS)} omissions change the final state"
    return Outcome(len(shown) == len(OMISSIONS), words, {"rows": rows})


def retained(lab):
    """Save every second step with calendar retention; then damage the newest ones, verify, and delete again."""
    job = lab.job("kept", tiers=TIERS)
    job.options["every"] = 2
    job.run()
    disk, tiers = job.folder / "checkpoints", retention.tiers(TIERS)
    there = sorted(map(durable.step_of, durable.listed(disk)))
    written = list(range(2, STEPS + 1, 2))
    expected = calendar(written, tiers)
    for step in there[1:]:
        flip_bit(durable.place(disk, step) / "__0_0.distcp")
    durable.newest(disk)  # verification, whose result is stored
    retention.sweep(disk, 10 * STEPS, tiers)
    last = durable.step_of(durable.newest(disk)) if durable.listed(disk) else None
    words = f"of {len(written)} checkpoints {there} are kept; if the others are damaged and all expired, {last} is kept"
    return Outcome(there == expected and last == there[0], words)


def calendar(steps, tiers):
    """Return the steps to keep: all recent ones and the first of each ten, thinned after each save."""
    left = []
    for now in steps:
        left.append(now)
        young = {s for s in left if now - s < tiers[0].age}
        firsts = {min(s for s in left if s // tiers[1].step == d) for d in {s // tiers[1].step for s in left}}
        left = sorted(young | firsts | {now})
    return left


# ---------------------------------------------------------------- time


def save_times(lab):
    """Time synchronous and asynchronous saves of models of three sizes."""
    rows = [row for width in WIDTHS for mode in MODES for row in saves(lab, width, mode)]
    of = lambda mode, what: statistics.median(  # noqa: E731
        row[what] for row in rows if (row["mode"], row["width"]) == (mode, WIDTHS[-1])
    )
    found = {f"{what} {mode}": of(mode, what) for what in ("write", "stall") for mode in MODES}
    found |= {"size": of("sync", "size"), "step": of("sync", "step"), "rows": rows}
    words = (
        f"{found['size'] / 1e6:.1f} MB: a synchronous save stalls the step for {found['stall sync']:.3f} s, "
        f"an asynchronous one for {found['stall async']:.3f} s"
    )
    return Outcome(found["stall async"] < found["stall sync"], words, found)


def saves(lab, width, mode):
    """Return a row for each save of a job of some width."""
    job = lab.job(f"{mode}-{width}", width=width, layers=4, precision="float32", **{"async-save": mode == "async"})
    job.options |= {"steps": 10, "every": 2}
    job.options = {name: value for name, value in job.options.items() if value is not False}
    job.run()
    size = sum(file.stat().st_size for file in durable.newest(job.folder / "checkpoints").iterdir())
    writes = [float(p.split(" saved in ")[1].removesuffix(" s")) for p in job.messages().split("; ") if "saved in" in p]
    stalls = [event["stall"] for event in job.all("saving")]
    one = {"mode": mode, "width": width, "size": size, "step": job.step_s}
    return [{**one, "save": n, "write": w, "stall": s} for n, (w, s) in enumerate(zip(writes, stalls, strict=True), 1)]


FAULTS = {
    "no fault": undisturbed,
    "one rank killed in a step": one_killed,
    "one rank killed, checkpoint in memory": killed_with_memory,
    "a node lost with its memory": node_lost,
    "one bit flipped in memory": shard_in_memory_damaged,
    "all ranks killed in a step": all_killed,
    "all ranks killed in a save": killed_in_save,
    "all ranks killed in an asynchronous save": killed_in_async_save,
    "all ranks killed between sync and rename": killed_before_rename,
    "all ranks killed between rename and sync": killed_before_sync,
    "power cut, on a simulated disk": power_cut,
    "one bit flipped": bit_flipped,
    "truncated shard": truncated,
    "missing shard": missing,
    "no intact checkpoint": none_intact,
    "full disk": disk_full,
    "a NaN on one rank": not_a_number,
    "a slow rank": slow,
    "loss spike": loss_spike,
    "silent data corruption on one rank": silent_corruption,
    "different number of ranks": elastic,
    "part of the state omitted": state_omitted,
    "retention": retained,
    "save times": save_times,
}
