"""Faults that strike from inside, at a moment that nothing outside could hit: read from `fault.json`.

Each strikes once: the file is taken away before the blow, so that the restarted job goes on in peace.
"""

import json
import os
import signal
import time
from pathlib import Path

import torch

from practice.run.model import TOKENS


class Injection:
    """What is to happen to this rank, and when."""

    def __init__(self, folder, rank):
        """Read the plan, and leave this process's number for others to strike it."""
        self.file, self.rank, self.folder = Path(folder, "fault.json"), rank, Path(folder)
        self.plan = json.loads(self.file.read_text()) if self.file.exists() else {}
        (self.folder / f"pid-{rank}").write_text(str(os.getpid()))

    def due(self, where, step):
        """Say whether the fault strikes here and now."""
        plan = self.plan
        return plan.get("where") == where and plan.get("rank") == self.rank and step == plan.get("step", step)

    def at(self, where, step):
        """Strike, if this is the place: kill this rank or all, stop it, or hold it up."""
        if self.plan.get("kind") == "slow" and self.plan["rank"] == self.rank and where == "step":
            time.sleep(self.plan["seconds"])
        elif self.due(where, step) and self.plan["kind"] in ("kill", "kill all", "stop"):
            self.inject(self.plan["kind"])

    def at_stage(self, stage):
        """Strike at a stage of a write that begins with the words of the plan, in the second checkpoint."""
        if self.plan.get("stage") and self.plan["rank"] == self.rank and stage.startswith(self.plan["stage"]):
            self.plan["left"] = self.plan.get("left", 2) - 1
            if self.plan["left"] == 0:
                self.inject(self.plan["kind"])

    def inject(self, kind):
        """Do it, with a signal that no handler sees."""
        self.file.unlink()
        (self.folder / "struck").write_text(str(time.time()))
        if kind == "kill all":
            others = [int(f.read_text()) for f in self.folder.glob("pid-*") if f.name != f"pid-{self.rank}"]
            for pid in others:
                os.kill(pid, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGSTOP if kind == "stop" else signal.SIGKILL)

    def replaced(self, tokens, place):
        """Return the tokens of a step, or noise where the plan spoils the data of this place."""
        if self.plan.get("kind") != "data" or not self.plan["first"] <= place <= self.plan["last"]:
            return tokens
        return torch.randint(TOKENS, tokens.shape, generator=torch.Generator().manual_seed(place + self.rank))

    def tamper(self, run):
        """Let one rank's last layer be off by a thousandth in one output from a step on, and say nothing."""
        if self.plan.get("kind") != "wrong" or self.plan["rank"] != self.rank:
            return

        def off(layer, given, out):
            factors = torch.ones(out.shape[-1], dtype=out.dtype)
            factors[0] += 2**-10
            return out * factors if run.step >= self.plan["step"] else out

        run.model.head.register_forward_hook(off)

    def spoil(self, run):
        """Put a NaN into one element of one rank's gradient, or into none."""
        if self.plan.get("kind") == "nan" and self.due("gradient", run.step):
            gradient = next(run.model.parameters()).grad.to_local()
            gradient.view(-1)[0] = torch.nan
        if self.plan.get("kind") == "skip" and run.step == self.plan["step"]:
            for parameter in run.model.parameters():
                parameter.grad.to_local().fill_(torch.inf)
