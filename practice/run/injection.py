"""Faults injected from inside the job, at a moment that no external signal could hit; read from `fault.json`.

Each is injected once: the file is deleted first, so that the restarted job continues without it.
"""

import json
import os
import signal
import time
from pathlib import Path

import torch

from practice.run.model import TOKENS


class Injection:
    """The planned fault of this rank."""

    def __init__(self, folder, rank):
        """Read the plan and write the PID of this process."""
        self.file, self.rank, self.folder = Path(folder, "fault.json"), rank, Path(folder)
        self.plan = json.loads(self.file.read_text()) if self.file.exists() else {}
        (self.folder / f"pid-{rank}").write_text(str(os.getpid()))

    def due(self, where, step):
        """Return whether the fault is due here."""
        plan = self.plan
        return plan.get("where") == where and plan.get("rank") == self.rank and step == plan.get("step", step)

    def at(self, where, step):
        """Inject the fault if it is due: kill this rank or all, stop it, or slow it down."""
        if self.plan.get("kind") == "slow" and self.plan["rank"] == self.rank and where == "step":
            time.sleep(self.plan["seconds"])
        elif self.due(where, step) and self.plan["kind"] in ("kill", "kill all", "stop"):
            self.inject(self.plan["kind"])

    def at_stage(self, stage):
        """Inject the fault at the planned stage of the second checkpoint."""
        if self.plan.get("stage") and self.plan["rank"] == self.rank and stage.startswith(self.plan["stage"]):
            self.plan["left"] = self.plan.get("left", 2) - 1
            if self.plan["left"] == 0:
                self.inject(self.plan["kind"])

    def inject(self, kind):
        """Send a signal that cannot be handled."""
        self.file.unlink()
        (self.folder / "injected").write_text(str(time.time()))
        if kind == "kill all":
            others = [int(f.read_text()) for f in self.folder.glob("pid-*") if f.name != f"pid-{self.rank}"]
            for pid in others:
                os.kill(pid, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGSTOP if kind == "stop" else signal.SIGKILL)

    def replaced(self, tokens, place):
        """Return the tokens of a step, or random ones if the plan corrupts the data at this position."""
        if self.plan.get("kind") != "data" or not self.plan["first"] <= place <= self.plan["last"]:
            return tokens
        return torch.randint(TOKENS, tokens.shape, generator=torch.Generator().manual_seed(place + self.rank))

    def tamper(self, run):
        """From a step on, change one output of the last layer of one rank by 0.1 %."""
        if self.plan.get("kind") != "wrong" or self.plan["rank"] != self.rank:
            return

        def off(layer, given, out):
            factors = torch.ones(out.shape[-1], dtype=out.dtype)
            factors[0] += 2**-10
            return out * factors if run.step >= self.plan["step"] else out

        run.model.head.register_forward_hook(off)

    def spoil(self, run):
        """Set one element of the gradient of one rank to NaN, or all gradients to infinity."""
        if self.plan.get("kind") == "nan" and self.due("gradient", run.step):
            gradient = next(run.model.parameters()).grad.to_local()
            gradient.view(-1)[0] = torch.nan
        if self.plan.get("kind") == "skip" and run.step == self.plan["step"]:
            for parameter in run.model.parameters():
                parameter.grad.to_local().fill_(torch.inf)
