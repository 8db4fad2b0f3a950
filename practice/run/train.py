"""One rank of the reference run: `torchrun --nproc-per-node=2 -m practice.run.train --folder F --steps 40`.

Every rank takes its share of each batch; gradients are averaged by gloo; losses go through a dynamic scale;
a step whose gradient is not finite is skipped on all ranks. The run resumes by itself from the newest whole
checkpoint, in memory or in storage, saves when all ranks have agreed that a notice has come, and tells what happens
in `events`. It exits with 0 only when the last step is done: a scheduler that sees 0 does not start a rank again.
"""

import hashlib
import json
import math
import os
import random
import signal
import statistics
import sys
import threading
import time
from collections import deque
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from practice import durable, retention
from practice.run.data import loader
from practice.run.injection import Injection
from practice.run.memory import Memory
from practice.run.model import Transformer, sharded
from practice.run.options import EXITS, arguments
from practice.run.saving import Keeping, Saver, progress, random_states, resume, state_of
from practice.run.screen import disagreeing
from practice.run.watch import Pulse

PEAK, WARM, LENGTH = 3e-3, 5, 200  # learning rate: linear warm-up to PEAK, then a cosine
LONGEST_NORM = 1.0
RECENT = 5  # losses with which the next is compared
NOTICED = {"by": None}


class Scale:
    """A loss scale that is halved when a gradient is not finite and doubled after CALM good steps."""

    CALM = 12

    def __init__(self):
        """Begin too high on purpose: the first step is skipped."""
        self.value, self.good = 2.0**24, 0

    def state(self):
        """Return what a checkpoint has to hold."""
        return [self.value, self.good]

    def restore(self, state):
        """Take a state over."""
        self.value, self.good = state

    def update(self, finite):
        """Note whether a step was good."""
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.value /= 2
        elif self.good == self.CALM:
            self.value, self.good = self.value * 2, 0


class Run:
    """Model, optimizer, loader, scale and counts of one rank."""

    def __init__(self, args):
        """Begin with fresh weights, the same on every rank, and draws of each rank's own."""
        self.rank, self.world, self.seed = dist.get_rank(), dist.get_world_size(), args.seed
        torch.manual_seed(self.seed)
        mesh = init_device_mesh("cpu", (self.world,))
        self.model = sharded(Transformer(args.width, args.layers, dropout=0.0 if args.plain else 0.1), mesh)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=PEAK, foreach=False)
        self.scale, self.step, self.updates, self.skipped = Scale(), 0, 0, 0
        self.noise, self.half = not args.plain, args.precision == "float16"
        self.read(loader(self.rank, self.world, self.seed, noise=self.noise))
        self.draw(0)

    def read(self, source):
        """Read from a loader from now on; its iterator draws a seed from torch's random state when it is made."""
        self.loader, self.batches = source, iter(source)

    def draw(self, step):
        """Begin new random sequences for this rank at a step."""
        own = hash((self.seed, step, self.rank)) % 2**32
        random.seed(own)
        np.random.seed(own)
        torch.manual_seed(own)

    def backward(self, tokens):
        """Return the mean loss of all ranks on their shares of a batch, gradients left behind."""
        with torch.autocast("cpu", dtype=torch.float16, enabled=self.half):
            logits = self.model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())
        (loss * self.scale.value).backward()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        return float(mean) / self.world

    def update(self):
        """Unscale, look, clip and step, or skip on all ranks; return whether the gradient was finite."""
        gradients = [p.grad for p in self.model.parameters()]
        for gradient in gradients:
            gradient.div_(self.scale.value)
        norm = float(torch.nn.utils.get_total_norm(gradients).full_tensor())
        finite = math.isfinite(norm)
        if finite:
            torch.nn.utils.clip_grads_with_norm_(self.model.parameters(), LONGEST_NORM, torch.tensor(norm))
            for group in self.optimizer.param_groups:
                group["lr"] = learning_rate(self.updates)
            self.optimizer.step()
            self.updates += 1
        self.scale.update(finite)
        self.optimizer.zero_grad()
        self.step += 1
        return finite

    @property
    def place(self):
        """Return the place in the data: steps done, and steps whose data were skipped."""
        return self.step + self.skipped

    def digest(self):
        """Return a checksum of every bit that this rank's future depends on."""
        found = hashlib.sha256()
        for parameter in self.model.parameters():
            moments = self.optimizer.state[parameter]
            for tensor in (parameter, *(moments[name] for name in sorted(moments))):
                local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
                found.update(local.detach().numpy().tobytes())
        rest = [progress(self), json.dumps(self.loader.state_dict()), random_states()]
        found.update(json.dumps(rest).encode())
        return found.hexdigest()


def learning_rate(done):
    """Return the learning rate of the update after `done` updates."""
    if done < WARM:
        return PEAK * (done + 1) / WARM
    return PEAK * 0.5 * (1 + math.cos(math.pi * (done - WARM) / (LENGTH - WARM)))


def agreed(*due):
    """Return on every rank whether any of them has had a notice, and which saves are due: one reduction."""
    seen = torch.tensor([NOTICED["by"] is not None, *due], dtype=torch.int32)
    dist.all_reduce(seen, op=dist.ReduceOp.MAX)
    return map(bool, seen.tolist())


class Timer:
    """When the next save is due: after so many steps, or after so many seconds by the clock of the first rank."""

    def __init__(self, every, interval, rank):
        """Begin to count now."""
        self.every, self.interval, self.rank, self.since = every, interval, rank, time.monotonic()

    def due(self, step):
        """Say whether this rank asks for a save after a step; a save by the clock begins the next interval."""
        if self.interval is None:
            return step % self.every == 0
        return self.rank == 0 and time.monotonic() - self.since >= self.interval

    def saved(self):
        """Begin an interval."""
        self.since = time.monotonic()


def notice(number, pulse, seconds):
    """Take a notice down, and leave where the step does not end: it waits for a rank that is gone.

    Without that each restart would take as long as the launcher waits for a save.
    """
    NOTICED.update(by=number)
    leave = threading.Timer(seconds, lambda: pulse.phase == "save" or os._exit(EXITS["notice"]))
    leave.daemon = True
    leave.start()


# ---------------------------------------------------------------- the loop


def train(run, saver, memory, args, pulse, injection, log):
    """Go on to the last step, saving on the way; return why it ended."""
    recent, timer = deque(maxlen=RECENT), Timer(args.every, args.interval, run.rank)
    fast = Timer(args.memory_every, args.memory_interval, run.rank)
    while run.step < args.steps:
        pulse.phase = "step"
        begun = time.perf_counter()
        injection.at("step", run.step)
        tokens = injection.replaced(next(run.batches), run.place)
        own = time.perf_counter() - begun  # what this rank does before it meets the others
        loss = run.backward(tokens)
        injection.spoil(run)
        finite = run.update()
        log("step", step=run.step, loss=loss, finite=finite, seconds=time.perf_counter() - begun, own=own)
        if args.spike and len(recent) == RECENT and loss > args.spike * statistics.median(recent):
            return "spike"  # without a save: what is in the weights now shall not be kept
        recent.append(loss)
        if args.screen and run.step % args.screen == 0:
            odd = disagreeing(run)
            if odd:
                log("disagrees", step=run.step, ranks=odd)
                return "disagreement"  # nor here
        time.sleep(max(0.0, args.pace - (time.perf_counter() - begun)))
        noticed, due, due_in_memory = agreed(timer.due(run.step), fast.due(run.step))
        if memory and (noticed or due_in_memory):
            pulse.phase = "save"
            fast.saved()
            begun = time.perf_counter()
            memory.save(run.step, state_of(run))
            log("kept", step=run.step, stall=time.perf_counter() - begun)
        if noticed:
            pulse.phase = "save"
            stall = saver.save(run, urgent=True)
            log("noticed", step=run.step, stall=stall)
            return "notice"
        if due:
            pulse.phase = "save"
            timer.saved()
            log("saving", step=run.step, stall=saver.save(run))
    saver.wait()
    return "done"


def event_log(folder, rank):
    """Return a function that adds an event to the record of a rank, or to the job's log where the disk is full."""
    file = open(folder / f"events-{rank}.jsonl", "ab", buffering=0)  # noqa: SIM115 - open as long as the process lives

    def log(what, **more):
        line = json.dumps({"at": time.time(), "what": what, **more}) + "\n"
        try:
            file.write(line.encode())
        except OSError as error:
            print(f"{error}: {line}", end="", file=sys.stderr, flush=True)

    return log


def main():
    """Run one rank, and exit with what a scheduler has to know."""
    args = arguments()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    args.folder.mkdir(parents=True, exist_ok=True)
    rank = int(os.environ["RANK"])
    log, pulse = event_log(args.folder, rank), Pulse(args.pulse, rank, args.beat)
    signal.signal(signal.SIGTERM, lambda number, frame: notice(number, pulse, args.leave))
    log("started")
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.silence))
    log("up")
    why = trained(args, pulse, log)
    dist.destroy_process_group()
    raise SystemExit(EXITS[why])


def trained(args, pulse, log):
    """Resume and train; return why it ended."""
    say = lambda message: log("log", message=message)  # noqa: E731
    run, injection = Run(args), Injection(args.folder, dist.get_rank())
    injection.tamper(run)
    checkpoints = args.checkpoints or args.folder / "checkpoints"
    checkpoints.mkdir(exist_ok=True)
    keeping = Keeping(retention.tiers(args.tiers), args.interval is not None, args.copies, args.copy_every)
    saver = Saver(checkpoints, run.rank, injection.at_stage, args.behind, say, keeping)
    memory = Memory(args.memory, run.rank, say) if args.memory else None
    begun = time.perf_counter()
    try:
        step = resume(run, checkpoints, say, args.without, args.skip, memory)
    except durable.Damaged as error:
        log("refused", why=str(error))
        return "refused"
    log("resumed" if step else "begun", step=step, world=run.world, loading=time.perf_counter() - begun)
    why = train(run, saver, memory, args, pulse, injection, log)
    digests = [None] * run.world
    dist.all_gather_object(digests, run.digest())
    log("ended", why=why, step=run.step, digest=hashlib.sha256("".join(digests).encode()).hexdigest())
    return why


if __name__ == "__main__":
    main()
