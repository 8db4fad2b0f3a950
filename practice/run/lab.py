"""Start jobs, inject faults from outside, and read their event logs."""

import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "book" / "artefacts"
STEPS, EVERY, FAULT_STEP = 30, 10, 25  # of a job: its steps, the steps between saves, the step of the fault
LIMIT_S = 240


class Job:
    """A job of some ranks in separate processes, in a folder of its own.

    With `restarts` the job runs under torchrun, whose agent restarts the ranks up to that often; otherwise the ranks
    are started directly. With `nodes` each rank has a node of its own, with a folder for the memory of that node.
    """

    def __init__(self, folder, ranks=2, restarts=None, fault=None, root=ROOT, nodes=False, **options):
        """Make the folder of the job; `options` are passed to `practice.run.train`."""
        self.folder, self.ranks, self.restarts, self.root = Path(folder), ranks, restarts, root
        self.nodes = nodes
        self.options = {"steps": STEPS, "every": EVERY, **options}
        self.processes = []
        (self.folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        if fault:
            (self.folder / "fault.json").write_text(json.dumps(fault))

    def start(self):
        """Start the processes and return the job."""
        self.begun = time.time()
        script = ["-m", "practice.run.train", "--folder", self.folder, *self._flags()]
        if self.restarts is None:
            port = free_port()
            for rank in range(self.ranks):
                own = {"RANK": rank, "WORLD_SIZE": self.ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
                of_node = ["--memory", self.memory(rank)] if self.nodes else []
                self._spawn([sys.executable, *script, *of_node], own)
            return self
        torchrun = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={self.ranks}"]
        where = [f"--max-restarts={self.restarts}", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0"]
        self._spawn([*torchrun, *where, *script], {})
        return self

    def memory(self, rank):
        """Return the folder for the memory of the node of a rank."""
        return self.folder / "memory" / f"node-{rank}"

    def _flags(self):
        for name, value in self.options.items():
            yield from ([f"--{name}"] if value is True else [f"--{name}", str(value)])

    def _spawn(self, command, more):
        surroundings = {**os.environ, **{k: str(v) for k, v in more.items()}, "OMP_NUM_THREADS": "1"}
        surroundings |= {"PYTHONPATH": str(self.root), "PYTHONWARNINGS": "ignore", "PYTHONHASHSEED": "0"}
        # otherwise a restarted group may read the addresses of dead ranks
        surroundings["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
        with open(self.folder / "log.txt", "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            started = {"cwd": self.root, "env": surroundings, "start_new_session": True, **streams}
            self.processes.append(subprocess.Popen(list(map(str, command)), **started))

    def wait(self, limit=LIMIT_S):
        """Return whether all processes exit with 0 within `limit` seconds; kill those that do not."""
        end = time.time() + limit
        for process in self.processes:
            try:
                process.wait(max(0.1, end - time.time()))
            except subprocess.TimeoutExpired:
                self.kill()
        codes = [process.wait() for process in self.processes]
        self.processes = []
        return not any(codes)

    def run(self):
        """Start the job and return whether it succeeds."""
        return self.start().wait()

    def running(self):
        """Return whether any process of the job is running."""
        return any(process.poll() is None for process in self.processes)

    def kill(self):
        """Kill launcher and ranks with SIGKILL."""
        pids = [int(f.read_text()) for f in self.folder.glob("pid-*")]
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def wait_for_step(self, step):
        """Wait until a step is done or the job has ended."""
        while self.running() and self.last("step", {"step": 0})["step"] < step:
            time.sleep(0.02)

    # ------------------------------------------------------------ event log

    def events(self, rank=0):
        """Return all events of a rank."""
        file, found = self.folder / f"events-{rank}.jsonl", []
        for line in file.read_text().splitlines() if file.exists() else []:
            with suppress(ValueError):  # a partial line: still being written, or cut off by a full disk
                found.append(json.loads(line))
        return found

    def all(self, what, rank=0):
        """Return the events of one kind."""
        return [event for event in self.events(rank) if event["what"] == what]

    def last(self, what, otherwise=None):
        """Return the last event of a kind."""
        return (self.all(what) or [otherwise])[-1]

    def messages(self, rank=0):
        """Return all log messages of a rank, joined by semicolons."""
        return "; ".join(event["message"] for event in self.all("log", rank))

    @property
    def digest(self):
        """Return the checksum of the state at the end, or None."""
        ended = self.last("ended")
        return ended and ended["digest"]

    @property
    def losses(self):
        """Return the loss by step; for a repeated step the later one."""
        return {event["step"]: event["loss"] for event in self.all("step")}

    @property
    def step_s(self):
        """Return the median duration of a step in s."""
        return statistics.median(event["seconds"] for event in self.all("step")[3:])

    def resumed(self):
        """Return the event of the last resumption, or an empty one."""
        return self.last("resumed", {"step": None, "at": float("nan")})

    def restart_s(self):
        """Return the seconds from the fault to the first completed step after it."""
        injected = float((self.folder / "injected").read_text())
        resumed = self.resumed()["at"]
        after = [event["at"] for event in self.all("step") if event["at"] > resumed]
        return after[0] - injected if after else float("nan")

    def restart_parts(self):
        """Return the parts of the restart in s: until the ranks are up, have loaded, and have done a step."""
        injected = float((self.folder / "injected").read_text())
        up = next(event["at"] for event in self.all("up") if event["at"] > injected)
        resumed = self.resumed()["at"]
        return {"up": up - injected, "load": resumed - up, "step": self.restart_s() - (resumed - injected)}

    def lost_steps(self):
        """Return how many steps were repeated."""
        done = [event["step"] for event in self.all("step")]
        return len(done) - len(set(done))


def copied(job, folder, upto, **options):
    """Return a new job with copies of the checkpoints of another up to a step."""
    made = Job(folder, **options)
    for path in sorted((job.folder / "checkpoints").glob("step-*")):
        if int(path.name.removeprefix("step-")) <= upto:
            shutil.copytree(path, made.folder / "checkpoints" / path.name)
    return made


def free_port():
    """Return a free TCP port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
