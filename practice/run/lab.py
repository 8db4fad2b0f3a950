"""Start jobs, strike them from outside, and read what they told: what every fault of `faults` needs."""

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
STEPS, EVERY, BLOW = 30, 10, 25  # a job, its checkpoints, and the step in which it is struck
LIMIT_S = 240


class Job:
    """A job of some ranks in separate processes, in a folder of its own.

    `restarts` makes it one of torchrun, whose agent starts the ranks again; without, the ranks are started as they are.
    With `nodes` each rank is on a node of its own, with a folder for what is in the memory of that node.
    """

    def __init__(self, folder, ranks=2, restarts=None, fault=None, root=ROOT, nodes=False, **options):
        """Name the folder and what the job is to do."""
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
        # else a restarted group may read the addresses of the dead
        surroundings["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
        with open(self.folder / "log.txt", "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            started = {"cwd": self.root, "env": surroundings, "start_new_session": True, **streams}
            self.processes.append(subprocess.Popen(list(map(str, command)), **started))

    def wait(self, limit=LIMIT_S):
        """Wait for the end and return whether all went well; what takes too long is killed."""
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
        """Start, wait, and return whether all went well."""
        return self.start().wait()

    def running(self):
        """Say whether any process of the job is still there."""
        return any(process.poll() is None for process in self.processes)

    def kill(self):
        """Kill launcher and ranks at once, from outside."""
        pids = [int(f.read_text()) for f in self.folder.glob("pid-*")]
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def until(self, step):
        """Wait until a step is done."""
        while self.running() and self.last("step", {"step": 0})["step"] < step:
            time.sleep(0.02)

    # ------------------------------------------------------------ what it told

    def events(self, rank=0):
        """Return all events of a rank."""
        file, found = self.folder / f"events-{rank}.jsonl", []
        for line in file.read_text().splitlines() if file.exists() else []:
            with suppress(ValueError):  # half of a line, which is being written or found a full disk
                found.append(json.loads(line))
        return found

    def all(self, what, rank=0):
        """Return the events of one kind."""
        return [event for event in self.events(rank) if event["what"] == what]

    def last(self, what, otherwise=None):
        """Return the last event of a kind."""
        return (self.all(what) or [otherwise])[-1]

    def messages(self, rank=0):
        """Return all that a rank said, in one line."""
        return "; ".join(event["message"] for event in self.all("log", rank))

    @property
    def digest(self):
        """Return the checksum of the state at the end, or None."""
        ended = self.last("ended")
        return ended and ended["digest"]

    @property
    def losses(self):
        """Return the loss of each step; of a step done twice, the later."""
        return {event["step"]: event["loss"] for event in self.all("step")}

    @property
    def step_s(self):
        """Return the median duration of a step in s."""
        return statistics.median(event["seconds"] for event in self.all("step")[3:])

    def resumed(self):
        """Return the event of the last resumption, or an empty one."""
        return self.last("resumed", {"step": None, "at": float("nan")})

    def restart_s(self):
        """Return the seconds from the blow to the first step that is done after it."""
        struck = float((self.folder / "struck").read_text())
        resumed = self.resumed()["at"]
        after = [event["at"] for event in self.all("step") if event["at"] > resumed]
        return after[0] - struck if after else float("nan")

    def restart_parts(self):
        """Return the seconds from the blow until the ranks are up, have loaded, and have done a step."""
        struck = float((self.folder / "struck").read_text())
        up = next(event["at"] for event in self.all("up") if event["at"] > struck)
        resumed = self.resumed()["at"]
        return {"up": up - struck, "load": resumed - up, "step": self.restart_s() - (resumed - struck)}

    def lost_steps(self):
        """Return how many steps had to be done again."""
        done = [event["step"] for event in self.all("step")]
        return len(done) - len(set(done))


def copied(job, folder, upto, **options):
    """Return a new job that begins with the checkpoints of another up to a step."""
    made = Job(folder, **options)
    for path in sorted((job.folder / "checkpoints").glob("step-*")):
        if int(path.name.removeprefix("step-")) <= upto:
            shutil.copytree(path, made.folder / "checkpoints" / path.name)
    return made


def free_port():
    """Return a port of this machine that nobody listens to."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]
