"""What is done to the run, and how it ends: each function strikes one job and returns an Outcome.

A job that ends as the undisturbed one has the same checksum over every bit of its state: weights, both
moments, counts, loss scale, loaders and random states of all ranks.
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
from practice.run.lab import BLOW, EVERY, STEPS, Job, copied
from practice.run.options import OMISSIONS

PIECES = 4  # steps from piece to piece in memory
ELASTIC_BOUND = 0.001  # of a loss near 3.5: sums of rounded numbers in another order, through rounded weights
TIERS = "6:0,40:10"
SPIKE = 1.05  # of the median of the last losses: clean data stay below
WIDTHS, MODES = (128, 256, 448), (("stops", "sync"), ("behind", "async"))


class Outcome(NamedTuple):
    """How it ended: whether as it must, in which words, and what was measured on the way."""

    good: bool
    words: str
    measured: dict = {}  # noqa: RUF012 - never changed


class Lab:
    """A folder for all jobs, and the undisturbed runs with which they are compared."""

    def __init__(self, folder, root):
        """Name the folder; `root` is where the code of the run lies."""
        self.folder, self.root = folder, root

    def job(self, name, **options):
        """Return a new job with a folder of its own."""
        return Job(self.folder / name, root=self.root, **options)

    def after(self, name, upto=STEPS, **options):
        """Return a new job that begins with checkpoints of the undisturbed run."""
        return copied(self.calm, self.folder / name, upto, root=self.root, **options)

    def same(self, job, words):
        """Return the outcome of a job that must end as the undisturbed one."""
        again = job.lost_steps()
        end = "ends as the undisturbed run, bit for bit" if job.digest == self.calm.digest else "ENDS ELSEWHERE"
        return Outcome(job.digest == self.calm.digest, f"{words}; {again} steps done again; {end}")


# ---------------------------------------------------------------- nobody strikes


def undisturbed(lab):
    """Train without any fault, twice: with the same bits at the end, or nothing below means anything."""
    lab.calm = lab.job("calm")
    again = lab.job("again")
    good = lab.calm.start() and again.start() and lab.calm.wait() & again.wait()
    first, last = lab.calm.losses[1], lab.calm.losses[STEPS]
    words = f"{STEPS} steps on 2 ranks, loss {first:.3f} to {last:.3f}; a second run has the same bits"
    return Outcome(good and lab.calm.digest == again.digest, words)


# ---------------------------------------------------------------- processes that die


def struck(lab, name, words, options=None, **fault):
    """Run a job under torchrun that is struck from inside, restarts by itself and must end the same."""
    job = lab.job(name, restarts=1, fault={"rank": 1, **fault}, **(options or {}))
    job.run()
    found = lab.same(job, f"{words}; resumed from step {job.resumed()['step']}")
    return found._replace(measured={"restart": job.restart_s(), "again": job.lost_steps(), **job.restart_parts()})


def one_killed(lab):
    """SIGKILL to one rank in the middle of a step."""
    return struck(lab, "one-killed", "torchrun starts both ranks again", kind="kill", where="step", step=BLOW)


def all_killed(lab):
    """SIGKILL to launcher and all ranks at a moment nobody chose; a person starts the job again."""
    job = lab.job("all-killed", restarts=0)
    job.start().until(BLOW)
    (job.folder / "struck").write_text(str(time.time()))
    job.kill()
    job.wait()
    job.run()
    found = lab.same(job, f"started anew; resumed from step {job.resumed()['step']}")
    return found._replace(measured={"restart": job.restart_s(), "again": job.lost_steps()})


def killed_with_memory(lab):
    """SIGKILL to one rank, whose pieces are in memory: only the steps since the last of them are done again."""
    options = {"memory": lab.folder / "in-memory" / "memory", "memory-every": PIECES}
    found = struck(lab, "in-memory", "the state is in memory", options, kind="kill", where="step", step=BLOW)
    return found._replace(good=found.good and found.measured["again"] <= PIECES)


def node_lost(lab):
    """All ranks die, and one node with its memory: the next node has the piece."""
    job = killed_nodes(lab, "node-lost")
    shutil.rmtree(job.memory(1))
    return from_memory(lab, job, True)


def piece_damaged(lab):
    """All ranks die, and one bit of a piece in memory is wrong: storage is used."""
    job = killed_nodes(lab, "piece")
    flip_bit(durable.listed(job.memory(0) / "rank-0")[0] / "piece")
    return from_memory(lab, job, False)


def killed_nodes(lab, name):
    """Return a job on two nodes with pieces in memory, all of whose ranks were killed after a piece was written."""
    job = lab.job(name, nodes=True, pace=0.1, **{"memory-every": PIECES})
    job.start().until(BLOW)
    (job.folder / "struck").write_text(str(time.time()))
    job.kill()
    job.wait()
    return job


def from_memory(lab, job, wanted):
    """Start a job again and see whether it takes its state from memory, as wanted or not, and ends the same."""
    job.run()
    step, told = job.resumed()["step"], job.messages()
    taken = f"step {step} taken from memory" in told
    where = "memory" if taken else "storage"
    found = lab.same(job, f"resumed from step {step} in {where}")
    return found._replace(good=found.good and taken == wanted and (step > 2 * EVERY if wanted else step == 2 * EVERY))


def killed_in_save(lab):
    """SIGKILL to all ranks while the first one has written half a shard."""
    words = "the half checkpoint has no name"
    return struck(lab, "in-save", words, kind="kill all", rank=0, stage="__0_0.distcp: begun")


def killed_behind(lab):
    """SIGKILL to all ranks in a save that runs behind the steps, which have gone on."""
    words = "neither the half checkpoint nor the steps beyond it count"
    fault = {"kind": "kill all", "rank": 0, "stage": "__0_0.distcp: begun"}
    return struck(lab, "behind", words, options={"behind": True}, **fault)


def killed_before_rename(lab):
    """SIGKILL to all ranks when every byte is synced and the name is not given."""
    return struck(lab, "before-rename", "whole, but without a name", kind="kill all", rank=0, stage="folder synced")


def killed_before_sync(lab):
    """SIGKILL to all ranks between the rename and the sync of the parent folder."""
    words = "the checkpoint has its name and counts"
    return struck(lab, "before-sync", words, kind="kill all", rank=0, stage="renamed")


def power_cut(lab):
    """A power cut after each sync and rename of a save, on a model disk that keeps only what was synced."""
    folder = lab.folder / "power"
    folder.mkdir()
    contents = {
        file.name: file.read_bytes() for file in durable.place(lab.calm.folder / "checkpoints", EVERY).iterdir()
    }
    contents.pop(durable.MANIFEST)
    told = powercut.broken(folder, lambda: durable.write(folder, 1, contents))
    words = "no order of events leaves a named checkpoint that is not whole, or takes back one that was reported"
    return Outcome(not told, "; ".join(told[:2]) or words)


# ---------------------------------------------------------------- bytes that are wrong


def damaged(lab, name, spoil, sign):
    """Spoil the newest checkpoint, resume, and see that the one before is taken and the fault named."""
    job = lab.after(name, upto=2 * EVERY)
    spoil(durable.place(job.folder / "checkpoints", 2 * EVERY))
    job.run()
    told = [part for part in job.messages().split("; ") if "passed over" in part]
    found = lab.same(job, f"“{told[0] if told else 'NOTHING FOUND'}”; resumed from step {job.resumed()['step']}")
    return found._replace(good=found.good and job.resumed()["step"] == EVERY and sign in "".join(told))


def bit_flipped(lab):
    """One bit in the shard of one rank; every other file, and every tenth of each, is tried without a job."""
    tried = everywhere(durable.place(lab.calm.folder / "checkpoints", EVERY), lab.folder / "bits")
    flip = lambda path: flip_bit(path / "__1_0.distcp", place=0.7)  # noqa: E731
    found = damaged(lab, "bit", flip, "__1_0.distcp: checksum")
    shared = shares(Job(lab.folder / "bit"), EVERY)
    words = f"{tried.words}; {found.words}" if shared else f"{found.words}; NOT EACH RANK ITS OWN SHARE"
    return found._replace(good=found.good and tried.good and shared, words=words)


def shares(job, step):
    """Say whether the ranks have verified a checkpoint together, each file once."""
    path, told = durable.place(job.folder / "checkpoints", step), []
    for rank in range(job.ranks):
        told += re.findall(rf"{path.name} verified: ([^;]+)", job.messages(rank))
    files = [name for each in told for name in each.split(", ")]
    return len(told) == job.ranks and sorted(files) == sorted(durable.body(path)["files"])


def everywhere(path, folder):
    """Flip one bit at ten places of every file of a checkpoint and count what is found."""
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
    """A shard that ends early, as a copy that was broken off."""

    def cut(path):
        file = path / "__0_0.distcp"
        os.truncate(file, file.stat().st_size // 2)

    return damaged(lab, "cut", cut, "bytes, not")


def missing(lab):
    """The file of one rank is not there."""
    return damaged(lab, "missing", lambda path: (path / "__1_0.distcp").unlink(), "missing")


def none_whole(lab):
    """Every checkpoint is damaged: the run refuses, instead of beginning anew over the ruins."""
    job = lab.after("none-whole", upto=2 * EVERY)
    for path in durable.listed(job.folder / "checkpoints"):
        flip_bit(path / "__0_0.distcp")
    good = job.run()
    told = job.last("refused", {"why": "NOT REFUSED"})["why"]
    return Outcome(not good and "whole" in told and not job.losses, f"refused: “{told}”")


def disk_full(lab):
    """A disk with room for one checkpoint and a half: the run goes on, and the old checkpoint stays."""
    job = lab.job("full")
    size = sum(file.stat().st_size for file in durable.place(lab.calm.folder / "checkpoints", EVERY).iterdir())
    disk = job.folder / "checkpoints"
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size * 3 // 2}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        return Outcome(True, "NOT RUN: this user may mount no small disk")
    try:
        job.run()
        left = [path.name for path in durable.listed(disk) if not durable.faults(path)]
        rest = [path.name for path in disk.iterdir() if path.name not in left]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    parts = [part for rank in range(job.ranks) for part in job.messages(rank).split("; ")]
    told = next((part for part in parts if "No space" in part), "NOTHING SAID")
    found = lab.same(job, f"“{told}”; {', '.join(left)} stays, {len(rest)} leftovers")
    return found._replace(good=found.good and left == ["step-00000010"] and not rest and "No space" in told)


# ---------------------------------------------------------------- numbers and time that are wrong


def not_a_number(lab):
    """A NaN in one element of one rank's gradient: all ranks skip the step, as if all had refused it."""
    one = lab.job("nan", fault={"kind": "nan", "rank": 1, "where": "gradient", "step": 20})
    all_ = lab.job("skip", fault={"kind": "skip", "step": 20})
    one.start(), all_.start()
    one.wait(), all_.wait()
    skipped = [event["step"] for event in one.all("step") if not event["finite"]]
    calm = [event["step"] for event in lab.calm.all("step") if not event["finite"]]
    good = one.digest == all_.digest != lab.calm.digest and 21 in skipped and 21 not in calm
    end = "ends as the run in which every rank skipped it" if one.digest == all_.digest else "ENDS ELSEWHERE"
    return Outcome(good, f"step 21 skipped on both ranks, scale halved; {end}, bit for bit")


def slow(lab):
    """One rank takes a quarter of a second more for each step: the bits stay, and its own time names it."""
    job = lab.job("slow", fault={"kind": "slow", "rank": 1, "seconds": 0.25})
    job.run()
    own = [statistics.median(event["own"] for event in job.all("step", rank)) for rank in range(job.ranks)]
    culprit = max(range(job.ranks), key=own.__getitem__)
    words = f"rank {culprit} spends {own[culprit]:.3f} s before it meets the others, the other {min(own):.3f} s"
    found = lab.same(job, words)
    return found._replace(good=found.good and culprit == 1 and own[1] > 3 * own[0])


def spiked(lab):
    """Three steps of spoilt data: the loss leaps, the job leaves unsaved, and comes back without these data."""
    spoilt, skips = {"kind": "data", "first": BLOW, "last": BLOW + 2}, {"skip": BLOW + 3 - 2 * EVERY}
    job = copied(lab.calm, lab.folder / "spike", 2 * EVERY, root=lab.root, fault=spoilt, spike=SPIKE)
    job.run()
    why, loss = job.last("ended", {"why": "NOT NOTICED"})["why"], job.last("step")["loss"]
    job.options |= skips
    clean = lab.after("skipped", 2 * EVERY, **skips)
    job.start(), clean.start()
    job.wait(), clean.wait()
    good = why == "spike" and job.digest == clean.digest != lab.calm.digest
    end = "ends as a run that never saw them" if job.digest == clean.digest else "ENDS ELSEWHERE"
    words = f"left at a loss of {loss:.2f} ({why}); back to step {2 * EVERY}, the data of {skips['skip']} steps skipped"
    return Outcome(good, f"{words}; {end}, bit for bit")


def wrong(lab):
    """One of three ranks computes wrongly by a thousandth: a screen on equal data names it before the next save."""
    fault, screen = {"kind": "wrong", "rank": 1, "step": BLOW - 2}, {"ranks": 3, "screen": 5}
    calm, job = lab.job("sound", **screen), lab.job("wrong", fault=fault, **screen)
    unseen = lab.job("unseen", ranks=3, fault=fault)
    calm.run(), unseen.run(), job.run()
    told = job.last("disagrees", {"ranks": None, "step": None})
    (job.folder / "fault.json").unlink()  # the device is replaced
    job.run()
    good = told["ranks"] == [1] and job.digest == calm.digest != unseen.digest and unseen.digest is not None
    end = "ends as the sound run, bit for bit" if job.digest == calm.digest else "ENDS ELSEWHERE"
    named = " and ".join(map(str, told["ranks"] or ["NONE"]))
    words = f"rank {named} disagrees at step {told['step']}; replaced, resumed from {job.resumed()['step']}; {end}"
    return Outcome(good, f"{words}; without the screen nothing is said, and the run ends elsewhere")


# ---------------------------------------------------------------- other numbers of ranks


def elastic(lab):
    """Save on four ranks, resume on four, three and two; neither dropout nor noise, so that only sums differ."""
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
    return Outcome(good, f"saved on 4, resumed {', '.join(words)} (allowed: {ELASTIC_BOUND} where the number changes)")


# ---------------------------------------------------------------- what is left out, what is kept


def omitted(lab):
    """Resume without one part of the state, without both moments, without all of the optimizer's: each must show."""
    jobs = {part: lab.after(f"without-{part}", 2 * EVERY, without=part) for part in OMISSIONS}
    names = list(jobs)
    for one, other in zip(names[::2], [*names[1::2], None], strict=True):
        pair = [jobs[name] for name in (one, other) if name]
        for job in pair:
            job.start()
        for job in pair:
            job.wait()
    rows, calm = {}, lab.calm.losses
    for part, job in jobs.items():
        gaps = {s: abs(job.losses[s] - calm[s]) for s in range(2 * EVERY + 1, STEPS + 1)}
        parted = next((s - 2 * EVERY for s, gap in gaps.items() if gap), None)
        rows[part] = [parted, max(gaps.values()), job.digest != lab.calm.digest]
    shown = [part for part, (_, _, other) in rows.items() if other]
    words = f"{len(shown)} of {len(OMISSIONS)} omissions show at the end"
    return Outcome(len(shown) == len(OMISSIONS), words, {"rows": rows})


def kept(lab):
    """Save every second step under the calendar rule; then damage the newest, verify, and sweep again."""
    job = lab.job("kept", tiers=TIERS)
    job.options["every"] = 2
    job.run()
    disk, tiers = job.folder / "checkpoints", retention.tiers(TIERS)
    there = sorted(map(durable.step_of, durable.listed(disk)))
    written = list(range(2, STEPS + 1, 2))
    expected = calendar(written, tiers)
    for step in there[1:]:
        flip_bit(durable.place(disk, step) / "__0_0.distcp")
    durable.newest(disk)  # a resumption verifies, and what it finds is remembered
    retention.sweep(disk, 10 * STEPS, tiers)
    last = durable.step_of(durable.newest(disk)) if durable.listed(disk) else None
    words = f"of {len(written)} checkpoints {there} stay; with the others damaged and all too old, {last} is left"
    return Outcome(there == expected and last == there[0], words)


def calendar(steps, tiers):
    """Return what must be left, worked out by hand: each save swept, the youngest all, one a decade of steps."""
    left = []
    for now in steps:
        left.append(now)
        young = {s for s in left if now - s < tiers[0].age}
        firsts = {min(s for s in left if s // tiers[1].step == d) for d in {s // tiers[1].step for s in left}}
        left = sorted(young | firsts | {now})
    return left


# ---------------------------------------------------------------- time


def timed(lab):
    """Time saves of three models, those that stop the steps and those that are written behind their back."""
    rows = [row for width in WIDTHS for mode in ("stops", "behind") for row in saves(lab, width, mode)]
    of = lambda mode, what: statistics.median(  # noqa: E731
        row[what] for row in rows if (row["mode"], row["width"]) == (mode, WIDTHS[-1])
    )
    found = {f"{what} {name}": of(mode, what) for what in ("write", "stall") for mode, name in MODES}
    found |= {"size": of("stops", "size"), "step": of("stops", "step"), "rows": rows}
    words = (
        f"{found['size'] / 1e6:.1f} MB: the step stands still for {found['stall sync']:.3f} s, "
        f"behind its back for {found['stall async']:.3f} s"
    )
    return Outcome(found["stall async"] < found["stall sync"], words, found)


def saves(lab, width, mode):
    """Run a job of some width and return what each of its saves took."""
    job = lab.job(f"{mode}-{width}", width=width, layers=4, precision="float32", behind=mode == "behind")
    job.options |= {"steps": 10, "every": 2}
    job.options = {name: value for name, value in job.options.items() if value is not False}
    job.run()
    size = sum(file.stat().st_size for file in durable.newest(job.folder / "checkpoints").iterdir())
    writes = [float(p.split(" saved in ")[1].removesuffix(" s")) for p in job.messages().split("; ") if "saved in" in p]
    stalls = [event["stall"] for event in job.all("saving")]
    one = {"mode": mode, "width": width, "size": size, "step": job.step_s}
    return [{**one, "save": n, "write": w, "stall": s} for n, (w, s) in enumerate(zip(writes, stalls, strict=True), 1)]


FAULTS = {
    "nothing": undisturbed,
    "one rank killed in a step": one_killed,
    "one rank killed, state in memory": killed_with_memory,
    "a node lost with its memory": node_lost,
    "one bit flipped in memory": piece_damaged,
    "all killed in a step": all_killed,
    "all killed in a save": killed_in_save,
    "all killed in a save behind the steps": killed_behind,
    "all killed between sync and rename": killed_before_rename,
    "all killed between rename and sync": killed_before_sync,
    "a power cut, on a model disk": power_cut,
    "one bit flipped": bit_flipped,
    "a shard cut short": truncated,
    "a rank's file missing": missing,
    "no checkpoint whole": none_whole,
    "a full disk": disk_full,
    "a NaN on one rank": not_a_number,
    "a slow rank": slow,
    "a spike of the loss": spiked,
    "a rank that computes wrongly": wrong,
    "another number of ranks": elastic,
    "a part of the state left out": omitted,
    "retention": kept,
    "saves timed": timed,
}
