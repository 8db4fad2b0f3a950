"""Save and resume a sharded run with torch's distributed checkpoints; every rank writes its own part.

A checkpoint without `.metadata` is not complete: the coordinator writes that file last.
"""

from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

SILENCE_S = 194  # = operations.stall_silence | s


def join():
    """Join the process group; a collective that is silent for longer is a hang."""
    dist.init_process_group("nccl", timeout=timedelta(seconds=SILENCE_S))


def state_of(run, resized=False):
    """Return all that a resumed run needs; a resized one has no random states."""
    model, optimizer = get_state_dict(run.model, run.optimizer)
    state = {
        "model": model,
        "optimizer": optimizer,
        "schedule": run.schedule.state_dict(),
        "loader": run.loader.state_dict(),
        "step": run.step,
        "world": dist.get_world_size(),
    }
    if not resized:
        # a key for each rank: equal keys are taken for copies, and one is kept
        state[f"random.{dist.get_rank()}"] = {"cpu": torch.get_rng_state(), "gpu": torch.cuda.get_rng_state()}
    return state


def save(run, folder):
    """Write a checkpoint of the run and return its path."""
    path = Path(folder) / f"step-{run.step:09d}"
    dcp.save(state_of(run), checkpoint_id=path)
    return path


def newest(folder):
    """Return the newest complete checkpoint, or None."""
    complete = [path.parent for path in Path(folder).glob("step-*/.metadata")]
    return max(complete, default=None)


def resume(run, folder):
    """Load the newest complete checkpoint in place; return False when there is none."""
    path = newest(folder)
    if path is None:
        return False
    known = {"world": 0}
    dcp.load(known, checkpoint_id=path)
    resized = known["world"] != dist.get_world_size()
    state = state_of(run, resized)
    dcp.load(state, checkpoint_id=path)
    set_state_dict(run.model, run.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    run.schedule.load_state_dict(state["schedule"])
    run.loader.load_state_dict(state["loader"])
    run.step = state["step"]
    if not resized:
        own = state[f"random.{dist.get_rank()}"]
        torch.set_rng_state(own["cpu"])
        torch.cuda.set_rng_state(own["gpu"])
    return True


def asked_to_stop(flag, device):
    """Return True on every rank as soon as the flag file lies on the node of any of them."""
    seen = torch.tensor([Path(flag).exists()], dtype=torch.int32, device=device)
    dist.all_reduce(seen, op=dist.ReduceOp.MAX)
    return bool(seen.item())
