"""A Slurm cluster on one host: Slurm, Prometheus, Alertmanager, exporters and storage in Linux namespaces.

Nothing reaches beyond the loopback interface of a network namespace, and when the first process of the PID namespace
ends, the kernel kills all others, so no daemon survives. Writes outside of temporary folders go to an overlay over the
root and are discarded. Each node is a nested namespace with its own host name, textfile folder and processes, so a
whole node can be killed.

All programs come from the packages of the system (`slurm-wlm`, `munge`, `prometheus` and their like); the
configuration is that of `book/artefacts`, scaled by `scaling`, with only nodes, paths and ports added.
"""

import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from practice.run.lab import ARTEFACTS, ROOT
from practice.run.scaling import scaled

NODES = {"n1": "first", "n2": "first", "n3": "first", "n4": "second", "n5": "second"}
NEEDED = {
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "munged": "munge",
    "prometheus": "prometheus",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "prometheus-node-exporter": "prometheus-node-exporter",
    "mkfs.ext4": "e2fsprogs",
}  # program: its Debian package
HOME = Path("/srv/run")  # files of the daemons, in the overlay
STORE_MB, DEADLINE_S = 64, 120
SLURM = """
ClusterName=reference
SlurmctldHost=control(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
GresTypes=gpu
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
StateSaveLocation=/srv/run/state
SlurmdSpoolDir=/srv/run/spool-%n
SlurmctldPidFile=/srv/run/slurmctld.pid
SlurmdPidFile=/srv/run/slurmd-%n.pid
SlurmctldLogFile=/dev/null
SlurmdLogFile=/dev/null
CommunicationParameters=NoInAddrAny
MailProg=/bin/true
SlurmdParameters=config_overrides
KillWait=2
"""
NODE = """
set -e
hostname {name}
mount --bind {home}/nodes/{name}/textfile /var/lib/node_exporter/textfile
mount --bind {home}/nodes/{name}/hosts /etc/hosts
{exporter} --web.listen-address=127.0.0.1:{port} --collector.textfile.directory=/var/lib/node_exporter/textfile \
  --collector.disable-defaults --collector.filesystem --collector.textfile &
{exporter} --web.listen-address=127.0.0.1:{device_port} --collector.textfile.directory={home}/nodes/{name}/devices \
  --collector.disable-defaults --collector.textfile &
slurmd -D -N {name} &
wait
"""


def lacking():
    """Return the packages that this machine lacks for the cluster."""
    where = os.pathsep.join([os.environ["PATH"], *SYSTEM])
    return sorted({package for program, package in NEEDED.items() if not shutil.which(program, path=where)})


def missing():
    """Return what this machine lacks for the cluster as text, empty if nothing."""
    if packages := lacking():
        return f"the packages {', '.join(packages)}"
    probe = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True)
    return f"namespaces ({probe.stderr.strip()[-200:]})" if probe.returncode else ""


SYSTEM = ("/usr/sbin", "/sbin")  # folders of daemons, which may not be on the PATH
UNSHARE = ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"]


def inside(module, arguments, limit, logs):
    """Run a module in new namespaces and return the content of its `rows.json`.

    All processes are killed after `limit` seconds. The logs of the daemons are copied to `logs`.
    """
    with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
        for name in ("machine", "out"):
            Path(folder, name).mkdir()
        command = [*UNSHARE, sys.executable, "-W", "ignore", "-m", module, *map(str, arguments)]
        path = os.pathsep.join([os.environ["PATH"], *SYSTEM])
        here = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "CLUSTER": folder}
        process = subprocess.Popen(command, cwd=ROOT, env=here, stdin=subprocess.DEVNULL)
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            print(f"the cluster was stopped after {limit} s", flush=True)
        finally:
            _thaw(process.pid)
            process.kill()
            process.wait()
            shutil.rmtree(logs, ignore_errors=True)
            shutil.copytree(Path(folder, "out"), logs)
        rows = Path(folder, "out", "rows.json")
        return json.loads(rows.read_text()) if rows.exists() else []


def _thaw(pid):
    """Unfreeze the file system after an abort: processes that wait for a frozen one cannot be killed."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for child in children.read_text().split() if children.exists() else ():
        command = ["nsenter", f"--target={child}", "--mount", "--root", "fsfreeze", "--unfreeze", "/fsx"]
        subprocess.run(command, capture_output=True, timeout=20, check=False)


def out():
    """Return the folder whose content survives the namespaces."""
    return Path(os.environ["CLUSTER"], "out")


def wait_for(what, seen, limit=DEADLINE_S, every=0.2):
    """Return the result of `seen()` as soon as it is true.

    Raises: TimeoutError that names `what`.
    """
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if found := seen():
            return found
        time.sleep(every)
    raise TimeoutError(f"{what}: not within {limit} s")


def run_command(*command, check=True, **more):
    """Return the standard output of a command."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if check and done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


def fetch_json(url, given=None):
    """Return the JSON response of a server in this namespace."""
    data = None if given is None else json.dumps(given).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as answer:
        return json.loads(answer.read() or "null")


# ---------------------------------------------------------------- the host


def machine():
    """Change the root to an overlay with a loopback interface and two file systems; writes are discarded."""
    folder = Path(os.environ["CLUSTER"], "machine")
    run_command("mount", "--make-rprivate", "/")
    run_command("mount", "-t", "tmpfs", "tmpfs", folder)
    for name in ("upper", "work", "root"):
        (folder / name).mkdir()
    layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
    run_command("mount", "-t", "overlay", "overlay", "-o", layers, folder / "root")
    for name in ("dev", "proc", "sys"):
        run_command("mount", "--rbind", f"/{name}", folder / "root" / name)
    for path in {str(ROOT), sys.prefix, sys.base_prefix, tempfile.gettempdir()}:
        if os.stat(path).st_dev != os.stat("/").st_dev:
            run_command("mount", "--rbind", path, f"{folder}/root{path}")
    run_command("mount", "--bind", out(), f"{folder}/root{out()}")
    os.chroot(folder / "root")
    os.chdir(ROOT)
    socket.sethostname("control")
    _network()
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    for number, place in enumerate(("/fsx", "/fsx2")):
        image = HOME / f"store-{number}.img"
        with open(image, "wb") as file:
            file.truncate(STORE_MB << 20)
        run_command("mkfs.ext4", "-q", "-O", "^has_journal", image)
        Path(place).mkdir(exist_ok=True)
        run_command("mount", "-o", "loop", image, place)


def _network():
    """Bring the loopback interface up, with a second address: with 127.0.0.1 alone Slurm resolves no name."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
        unused = struct.pack(
            "HH4s8x", socket.AF_INET, 0, socket.inet_aton("192.0.2.1")
        )  # reserved for documentation, RFC 5737
        fcntl.ioctl(any_socket, 0x8916, struct.pack("16s16s", b"lo:1", unused))  # SIOCSIFADDR


class Cluster:
    """The daemons of the cluster, all in this namespace."""

    def __init__(self):
        """Write all configuration files."""
        self.processes = {}
        self.work = HOME / "artefacts"
        shutil.copytree(ARTEFACTS, self.work, ignore=shutil.ignore_patterns("__pycache__"))
        for file in (path for path in self.work.rglob("*") if path.is_file()):
            file.write_text(scaled(file.read_text()))
        for folder in ("state", "prometheus", "alertmanager"):
            (HOME / folder).mkdir()
        self._slurm()
        self._nodes()

    def _slurm(self):
        lines = [SLURM, (self.work / "slurm.conf").read_text()]
        for number, name in enumerate(NODES, 1):
            lines.append(f"NodeName={name} NodeAddr=127.0.0.1 Port={17000 + number} CPUs=4 Gres=gpu:8 State=UNKNOWN")
        for part in ("first", "second"):
            there = ",".join(name for name, where in NODES.items() if where == part)
            lines.append(
                f"PartitionName={part} Nodes={there} PriorityTier=1 Default={'YES' if part == 'first' else 'NO'}"
            )
        first = ",".join(name for name, where in NODES.items() if where == "first")
        lines.append(f"PartitionName=urgent Nodes={first} PriorityTier=9 PreemptMode=OFF")
        Path("/etc/slurm").mkdir(exist_ok=True)
        Path("/etc/slurm/slurm.conf").write_text("\n".join(lines) + "\n")
        Path("/etc/slurm/gres.conf").write_text(f"NodeName={','.join(NODES)} Name=gpu File=/srv/run/gpu[0-7]\n")
        for number in range(8):  # files stand in for the eight GPUs of a node
            (HOME / f"gpu{number}").touch()
        Path("/etc/slurm/cgroup.conf").write_text("CgroupAutomount=no\n")

    def _nodes(self):
        names = "".join(f"127.0.0.1 {name}\n" for name in NODES)
        Path("/etc/hosts").write_text(f"127.0.0.1 localhost control\n{names}")
        Path("/var/lib/node_exporter/textfile").mkdir(parents=True, exist_ok=True)
        for number, name in enumerate(NODES, 1):
            (HOME / f"spool-{name}").mkdir()
            for part in ("textfile", "devices"):
                (HOME / "nodes" / name / part).mkdir(parents=True)
            hosts = f"127.0.0.1 localhost control\n{names}127.0.2.{number} metadata\n"
            (HOME / "nodes" / name / "hosts").write_text(hosts)
        for file, port in (("nodes.json", 9100), ("devices.json", 9400)):
            targets = [{"targets": [f"{name}:{port + n}"], "labels": {"node": name}} for n, name in enumerate(NODES, 1)]
            (self.work / file).write_text(json.dumps(targets))

    def spawn(self, name, *command, **more):
        """Start a process that logs to a file of its name."""
        log = open(out() / f"{name}.log", "ab")  # noqa: SIM115 - kept open by the process
        streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        self.processes[name] = subprocess.Popen(list(map(str, command)), **{"cwd": self.work, **streams, **more})

    def start(self):
        """Start all daemons and wait until every node is idle and scraped."""
        self._munge()
        self.spawn("slurmctld", "slurmctld", "-D")
        for name in NODES:
            self.node(name)
        self.spawn(
            "prometheus", "prometheus", "--config.file=prometheus.yaml", f"--storage.tsdb.path={HOME}/prometheus"
        )
        alertmanager = (
            "--config.file=alertmanager.yaml",
            f"--storage.path={HOME}/alertmanager",
            "--cluster.listen-address=",
        )
        self.spawn("alertmanager", "prometheus-alertmanager", *alertmanager, "--web.listen-address=127.0.0.1:9093")
        here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        pager = f"tee -a {out()}/pages.jsonl >/dev/null; echo >>{out()}/pages.jsonl"
        self.spawn(
            "receiver", sys.executable, "receiver.py", "--log", out() / "receiver.jsonl", "--pager", pager, env=here
        )
        wait_for("every node is idle", lambda: set(self.states().values()) == {"idle"})
        wait_for("Prometheus scrapes every node", lambda: len(self.query("up == 1")) == 2 * len(NODES))

    def _munge(self):
        for folder in ("/run/munge", HOME / "munge"):
            Path(folder).mkdir(exist_ok=True)
        key = HOME / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        files = [f"--key-file={key}", f"--log-file={HOME}/munge/log", f"--pid-file={HOME}/munge/pid"]
        self.spawn("munged", "munged", "--foreground", "--force", *files, f"--seed-file={HOME}/munge/seed")
        wait_for("munge", lambda: not subprocess.run(["munge", "-n"], capture_output=True).returncode)

    def node(self, name):
        """Start slurmd and the exporters of a node in namespaces of its own."""
        number = [*NODES].index(name) + 1
        ports = {"port": 9100 + number, "device_port": 9400 + number}
        script = NODE.format(name=name, home=HOME, exporter="prometheus-node-exporter", **ports)
        own = ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]
        self.spawn(name, *own, "bash", "-c", script)

    # ------------------------------------------------------------ faults

    def kill(self, name):
        """Kill all processes of a node and delete what is in its memory."""
        self.processes[name].kill()
        self.processes[name].wait()
        shutil.rmtree(memory(name), ignore_errors=True)

    @contextmanager
    def frozen(self, seconds, share=1.0, place="/fsx"):
        """Block writes to a file system in a `with`, always or for a share of each second, for at most `seconds`."""
        over = threading.Event()

        def freeze():
            end = time.monotonic() + seconds
            while time.monotonic() < end and not over.is_set():
                run_command("fsfreeze", "--freeze", place)
                try:
                    over.wait(seconds if share == 1 else share)
                finally:
                    run_command("fsfreeze", "--unfreeze", place)
                over.wait(1 - share)

        thread = threading.Thread(target=freeze)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    # ------------------------------------------------------------ queries

    def submit(self, run, *arguments, where="first", more=(), **surroundings):
        """Submit the shipped batch script and return the job ID."""
        here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        here |= {
            "RANKS": "1",
            "OMP_NUM_THREADS": "1",
            "PYTHONWARNINGS": "ignore",
            "METADATA_SERVER": "http://metadata:8000",
            "MEMORY": f"{HOME}/memory",
        }
        here |= {name: str(value) for name, value in surroundings.items()}
        options = ["--parsable", f"--partition={where}", f"--output={out()}/{run}.log", *more]
        return run_command("sbatch", *options, "job.sbatch", run, *arguments, cwd=self.work, env=here)

    def states(self):
        """Return the state of each node."""
        lines = run_command("sinfo", "--noheader", "--Node", "--format=%N %T", check=False).splitlines()
        return {line.split()[0]: line.split()[1].rstrip("*") for line in lines}

    def job(self, number):
        """Return the state and nodes of a job; the state is empty after Slurm has purged it."""
        shown = run_command("scontrol", "show", "job", "--oneliner", number, check=False)
        fields = dict(part.split("=", 1) for part in shown.split() if "=" in part)
        return fields.get("JobState", ""), run_command(
            "scontrol", "show", "hostnames", fields.get("NodeList", ""), check=False
        ).split()

    def query(self, expression):
        """Return the result of a Prometheus query."""
        try:
            given = urllib.parse.urlencode({"query": expression})
            return fetch_json(f"http://127.0.0.1:9090/api/v1/query?{given}")["data"]["result"]
        except OSError:
            return []

    def pages(self, since=0.0):
        """Return `(alert, run or node)` for each page."""
        labelled = (page["labels"] for page in self.pages_sent(since))
        return [(labels["alertname"], labels.get("run", labels.get("Hostname"))) for labels in labelled]

    def pages_sent(self, since=0.0):
        """Return the alerts sent to the pager."""
        file = out() / "pages.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        stamped = [json.loads(line) for line in lines if line.strip()]
        return [page for page in stamped if page["at"] >= since]


def memory(node):
    """Return the folder that stands for the memory of a node."""
    return HOME / "memory" / node


def rank(number, run):
    """Return the PID of a rank of a run, or None."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            variables = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        own = "practice.run.train" in words and not words[1].endswith("torchrun")
        if own and f"RANK={number}" in variables and any(word.endswith(f"/{run}") for word in words):
            return int(folder.name)
    return None


def signal_rank(number, run, what=signal.SIGKILL):
    """Send a signal to a rank."""
    os.kill(wait_for(f"rank {number} of {run}", lambda: rank(number, run)), what)
