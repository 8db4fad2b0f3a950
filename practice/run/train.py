"""One rank of the reference run: `torchrun --nproc-per-node=2 -m practice.run.train --folder F --steps 40`.

Every rank processes its part of each batch; gloo averages the gradients; the loss is scaled dynamically, and a step
with a gradient that is not finite is skipped on all ranks. The run resumes from the newest intact checkpoint in memory
or storage, saves when all ranks have agreed that a notice has come, and logs events. It exits with 0 only after the
last step: a scheduler that sees 0 does not restart a rank.
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
from practice.run.saving import RetentionPolicy, Saver, host_copy, progress, random_states, resume
from practice.run.screen import disagreeing
from practice.run.watch import Heartbeat

PEAK, WARM, LENGTH = 3e-3, 5, 200  # learning rate: linear warm-up to PEAK, then a cosine
LONGEST_NORM = 1.0
RECENT = 5  # losses with which the next one is compared
NOTICED = {"by": None}


class Scale:
    """A loss scale that is halved when a gradient is not finite and doubled after CALM good steps."""

    CALM = 12

    def __init__(self):
        """Start too high on purpose: the first step is skipped."""
        self.value, self.good = 2.0**24, 0

    def state(self):
        """Return the state for a checkpoint."""
        return [self.value, self.good]

    def restore(self, state):
        """Restore a state."""
        self.value, self.good = state

    def update(self, finite):
        """Update the scale after a step."""
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.value /= 2
        elif self.good == self.CALM:
            self.value, self.good = self.value * 2, 0


class Run:
    """Model, optimizer, loader, scale and counts of one rank."""

    def __init__(self, args):
        """Initialize the weights, equal on all ranks, and the random states, different on each."""
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
        """Use a loader from now on; creating its iterator draws a seed from torch's random state."""
        self.loader, self.batches = source, iter(source)

    def draw(self, step):
        """Seed the random generators of this rank for a step."""
        own = hash((self.seed, step, self.rank)) % 2**32
        random.seed(own)
        np.random.seed(own)
        torch.manual_seed(own)

    def backward(self, tokens):
        """Run the forward and backward pass and return the mean loss of all ranks."""
        with torch.autocast("cpu", dtype=torch.float16, enabled=self.half):
            logits = self.model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())
        (loss * self.scale.value).backward()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        return float(mean) / self.world

    def update(self):
        """Unscale and clip the gradient and update, or skip the step on all ranks; return whether it was finite."""
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
        """Return the position in the data: steps done plus steps whose data were skipped."""
        return self.step + self.skipped

    def digest(self):
        """Return a checksum of the whole state of this rank."""
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
    """Return on every rank whether any rank has received a notice, and which saves are due, with one all-reduce."""
    seen = torch.tensor([NOTICED["by"] is not None, *due], dtype=torch.int32)
    dist.all_reduce(seen, op=dist.ReduceOp.MAX)
    return map(bool, seen.tolist())


class Timer:
    """Decides when a save is due: after a number of steps, or of seconds by the clock of the first rank."""

    def __init__(self, every, interval, rank):
        """Start counting now."""
        self.every, self.interval, self.rank, self.since = every, interval, rank, time.monotonic()

    def due(self, step):
        """Return whether this rank asks for a save after a step."""
        if self.interval is None:
            return step % self.every == 0
        return self.rank == 0 and time.monotonic() - self.since >= self.interval

    def saved(self):
        """Start the next interval."""
        self.since = time.monotonic()


def notice(number, heartbeat, seconds):
    """Record a notice, and exit after `seconds` if the step does not end because a peer is dead.

    Otherwise each restart would take as long as the launcher waits for a save.
    """
    NOTICED.update(by=number)
    leave = threading.Timer(seconds, lambda: heartbeat.phase == "save" or os._exit(EXITS["notice"]))
    leave.daemon = True
    leave.start()


# ---------------------------------------------------------------- the loop


def train(run, saver, memory, args, heartbeat, injection, log):
    """Train to the last step, with saves; return why training ended."""
    recent, timer = deque(maxlen=RECENT), Timer(args.every, args.interval, run.rank)
    fast = Timer(args.memory_every, args.memory_interval, run.rank)
    while run.step < args.steps:
        heartbeat.phase = "step"
        begun = time.perf_counter()
        injection.at("step", run.step)
        tokens = injection.replaced(next(run.batches), run.place)
        own = time.perf_counter() - begun  # before the collectives of the step
        loss = run.backward(tokens)
        injection.spoil(run)
        finite = run.update()
        log("step", step=run.step, loss=loss, finite=finite, seconds=time.perf_counter() - begun, own=own)
        if args.spike and len(recent) == RECENT and loss > args.spike * statistics.median(recent):
            return "spike"  # without a save: the weights may be damaged
        recent.append(loss)
        if args.screen and run.step % args.screen == 0:
            odd = disagreeing(run)
            if odd:
                log("disagrees", step=run.step, ranks=odd)
                return "disagreement"  # without a save as well
        time.sleep(max(0.0, args.pace - (time.perf_counter() - begun)))
        noticed, due, due_in_memory = agreed(timer.due(run.step), fast.due(run.step))
        copy = None
        if memory and (noticed or due or due_in_memory):
            heartbeat.phase = "save"
            fast.saved()
            begun = time.perf_counter()
            copy = host_copy(run)  # one stall for both levels
            memory.save(run.step, copy)
            log("saved in memory", step=run.step, stall=time.perf_counter() - begun)
        if noticed:
            heartbeat.phase = "save"
            stall = saver.save(run, copy, urgent=True)
            log("noticed", step=run.step, stall=stall)
            return "notice"
        if due:
            heartbeat.phase = "save"
            timer.saved()
            log("saving", step=run.step, stall=saver.save(run, copy))
    saver.wait()
    return "done"


def event_log(folder, rank):
    """Return a function that appends an event to the log of a rank, or prints it if the disk is full."""
    file = open(folder / f"events-{rank}.jsonl", "ab", buffering=0)  # noqa: SIM115 - open until the process ends

    def log(what, **more):
        line = json.dumps({"at": time.time(), "what": what, **more}) + "\n"
        try:
            file.write(line.encode())
        except OSError as error:
            print(f"{error}: {line}", end="", file=sys.stderr, flush=True)

    return log


def main():
    """Run one rank and exit with a code for the scheduler."""
    args = arguments()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    args.folder.mkdir(parents=True, exist_ok=True)
    rank = int(os.environ["RANK"])
    log, heartbeat = event_log(args.folder, rank), Heartbeat(args.heartbeats, rank, args.heartbeat_every)
    signal.signal(signal.SIGTERM, lambda number, frame: notice(number, heartbeat, args.exit_after))
    log("started")
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.collective_timeout))
    log("up")
    why = trained(args, heartbeat, log)
    dist.destroy_process_group()
    raise SystemExit(EXITS[why])


def trained(args, heartbeat, log):
    """Resume and train; return why it ended."""
    say = lambda message: log("log", message=message)  # noqa: E731
    run, injection = Run(args), Injection(args.folder, dist.get_rank())
    injection.tamper(run)
    checkpoints = args.checkpoints or args.folder / "checkpoints"
    checkpoints.mkdir(exist_ok=True)
    retention_policy = RetentionPolicy(
        retention.tiers(args.tiers), args.interval is not None, args.copies, args.copy_every
    )
    saver = Saver(checkpoints, run.rank, injection.at_stage, args.async_save, say, retention_policy)
    memory = Memory(args.memory, run.rank, say) if args.memory else None
    begun = time.perf_counter()
    try:
        step = resume(run, checkpoints, say, args.without, args.skip, memory)
    except durable.Damaged as error:
        log("refused", why=str(error))
        return "refused"
    log("resumed" if step else "begun", step=step, world=run.world, loading=time.perf_counter() - begun)
    why = train(run, saver, memory, args, heartbeat, injection, log)
    digests = [None] * run.world
    dist.all_gather_object(digests, run.digest())
    log("ended", why=why, step=run.step, digest=hashlib.sha256("".join(digests).encode()).hexdigest())
    return why


if __name__ == "__main__":
    main()
