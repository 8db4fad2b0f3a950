"""Faults of the reference run on a Slurm cluster, injected from outside.

The job is submitted as shipped, with `sbatch job.sbatch`, into the environment that an operator has: Slurm,
node_exporter with textfiles, Prometheus with the shipped rules, Alertmanager, the shipped receiver.
Each function injects one fault and returns a Row: what the chapter states, scaled, and what was measured.
`python -m practice.run.chain FILE [WORDS]` is started by `cluster.inside` and writes the rows.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import boto3

from practice import durable
from practice.run import cluster, store
from practice.run.cluster import HOME, run_command, signal_rank, wait_for
from practice.run.lab import Job
from practice.run.scaling import NUMBER, SECONDS, SOURCED, TIME

RUN, PACE_S = "run-42", 10 / TIME  # a step of ten seconds
SECOND = "checkpoints-second"
ROOM_B = 150_000  # less than a checkpoint
RESERVED = 0.02  # share of its blocks that ext4 reserves
SLACK_S = 15  # for scrapes, evaluations and two shared cores
SHORT = ("start", "preempted", "alert storm", "node down")  # for the tests of every push


class Row(NamedTuple):
    """One fault: its name, what the chapter states, what was measured, and whether they agree."""

    fault: str
    stated: str
    measured: str
    good: bool


class Metadata(BaseHTTPRequestHandler):
    """The metadata server of all nodes; a node is identified by the address it connects to."""

    announced = set()  # noqa: RUF012 - shared by all requests

    def do_PUT(self):
        """Return a token."""
        self._answer(200, "token")

    def do_GET(self):
        """Announce a preemption of this node, or nothing."""
        self._answer(200 if self.connection.getsockname()[0] in self.announced else 404, "{}")

    def _answer(self, code, body):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Suppress the log."""


class Chain:
    """The cluster and the run, with queries of both."""

    def __init__(self):
        """Start the cluster and the metadata servers."""
        self.cluster, self.events, self.bystanders = cluster.Cluster(), None, {}
        self.full = Path("/fsx/first/checkpoints")
        self.full.mkdir(parents=True)
        run_command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", self.full)  # before the nodes start
        self.numbers = numbers(self.cluster.work)
        server = ThreadingHTTPServer(("0.0.0.0", 8000), Metadata)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.cluster.start()

    # ------------------------------------------------------------ queries

    def before(self, since):
        """Return the last step completed before a moment."""
        return next((e["step"] for e in reversed(self.events.all("step")) if e["at"] <= since), 0)

    def back(self, since, limit=cluster.DEADLINE_S):
        """Wait until the run has resumed after a moment and done a step; return `(seconds, step resumed, lost)`."""

        def seen():
            resumed = [e for e in self.events.events() if e["what"] in ("begun", "resumed") and e["at"] > since]
            steps = [e for e in self.events.all("step") if resumed and e["at"] > resumed[-1]["at"]]
            return steps and (steps[0]["at"] - since, resumed[-1]["step"], resumed[-1]["at"])

        seconds, step, moment = wait_for("the run is back", seen, limit)
        return seconds, step, self.before(moment) - step

    def pages_of_run(self, since):
        """Return the alerts that paged for the run since a moment, joined by commas."""
        return ", ".join(sorted({alert for alert, run in self.cluster.pages(since) if run == RUN})) or "none"

    def noticed(self, since, limit=60):
        """Wait for the save after a notice; return the seconds until it was complete, and its step."""
        seen = wait_for(
            "a save after the notice", lambda: [e for e in self.events.all("noticed") if e["at"] > since], limit
        )
        return seen[-1]["at"] - since, seen[-1]["step"]

    def nodes(self):
        """Return the nodes of the job, once it runs."""
        return wait_for(
            "the job runs", lambda: self.cluster.job(self.job)[0] == "RUNNING" and self.cluster.job(self.job)[1]
        )

    def repair(self, node):
        """Return a node to service, as an operator does."""
        run_command("scontrol", "update", f"NodeName={node}", "State=RESUME")
        wait_for(f"{node} is back", lambda: self.cluster.states()[node] in ("idle", "allocated", "mixed"))


def numbers(folder):
    """Return the sourced numbers of the scaled files by address, times in seconds."""
    found = {}
    for file in (path for path in folder.rglob("*") if path.is_file()):
        for match in filter(None, map(SOURCED.match, file.read_text().splitlines())):
            last = NUMBER.findall(match["code"])[-1]
            short = re.search(rf"{last}ms", match["code"])
            unit = {**SECONDS, "min": 60}.get(match["unit"], 1) if short is None else 0.001
            found[match["address"]] = float(last) * (1 if short is None and match["unit"] != "ms" else unit)
    return found


def limit(chain, address):
    """Return a stated time, scaled, in s."""
    return chain.numbers[address]


# ---------------------------------------------------------------- the run


def start(chain):
    """`sbatch job.sbatch`; its steps have to appear in Prometheus."""
    since = time.time()
    chain.job = chain.cluster.submit(RUN, "--steps", "1000000", "--pace", f"{PACE_S:.4f}")
    chain.events = Job(f"/fsx/{RUN}")
    seconds, _, _ = chain.back(since)
    seen = wait_for("steps in Prometheus", lambda: chain.cluster.query(f'training_steps_total{{run="{RUN}"}} > 2'))
    scraped = seen[0]["metric"]["instance"]
    words = f"first step after {seconds:.1f} s on {' and '.join(chain.nodes())}; scraped from {scraped}"
    return Row("start", "steps in Prometheus", words, True)


def bystanders(chain):
    """Start three runs that are examined later: one never saves, one fails at every save, one finishes."""
    options = {"where": "second", "more": ["--nodes=1", "--gpus-per-node=2"]}
    for port, (name, *more) in enumerate(BYSTANDERS, 29401):
        given = ("--steps", "1000000", "--pace", f"{PACE_S:.4f}", *more)
        chain.bystanders[name] = chain.cluster.submit(name, *given, PORT=port, **options)


BYSTANDERS = (("never", "--interval=1e9"), ("first",), ("over", "--steps=20"))


def overdue(chain, name, why):
    """Wait for the page for a run without a checkpoint."""
    stated = limit(chain, "operations.overdue")
    pages = lambda: ("CheckpointOverdue", name) in chain.cluster.pages()  # noqa: E731
    wait_for(f"the page for {name}", pages, stated + cluster.DEADLINE_S)
    sent = [page for page in chain.cluster.pages_sent() if page["labels"]["alertname"] == "CheckpointOverdue"]
    at = next(page["at"] for page in sent if page["labels"].get("run") == name)
    begun = Job(f"/fsx/{name}").all("started")[0]["at"]
    good = stated - 1 < at - begun < stated + 2 * SLACK_S
    words = f"CheckpointOverdue after {at - begun:.1f} s, counted from its first start"
    return Row(why, f"CheckpointOverdue after {stated:.0f} s", words, good)


def never_saves(chain):
    """A run whose first save is never due."""
    return overdue(chain, "never", "run that never saves")


def first_fails(chain):
    """A run whose storage is too small for a checkpoint."""
    row = overdue(chain, "first", "run whose first save fails")
    failed = unsaved("first")
    message = failed[0][:80] if failed else "SAVED"
    return row._replace(good=row.good and bool(failed), measured=f"“{message}”; {row.measured}")


def finished(chain):
    """A run that has finished: it must not page, however long ago that was."""
    ended = wait_for("the run has ended", lambda: Job("/fsx/over").all("ended"))[-1]
    wait_for("the alerts have had their time", lambda: time.time() - ended["at"] > silence(chain) + SLACK_S)
    state = chain.cluster.job(chain.bystanders["over"])[0]
    alerts = [alert for alert, run in chain.cluster.pages() if run == "over"]
    words = f"job {state or 'forgotten'}; pages within {time.time() - ended['at']:.0f} s: {', '.join(alerts) or 'none'}"
    return Row("finished run", "no page", words, ended["why"] == "done" and state in ("COMPLETED", "") and not alerts)


def first_interval(chain):
    """No fault: the first save comes after the interval in the file."""
    stated = limit(chain, "operations.run_interval")
    bystanders(chain)
    begun = wait_for("the run has begun", lambda: chain.events.last("begun"))["at"]
    first = wait_for("the first save", lambda: chain.events.all("saving"), stated + 60)[0]
    seconds = first["at"] - begun
    copied = wait_for("a copy", lambda: durable.listed(f"/fsx/copy/{RUN}"), 30)
    good = stated <= seconds < stated + SLACK_S
    return Row(
        "no fault",
        f"a save after {stated:.0f} s, and its copy for the second region",
        f"saved after {seconds:.1f} s in {first['stall']:.2f} s of stall; {copied[0].name} copied",
        good,
    )


def preempted(chain):
    """A job with higher priority preempts both nodes: SIGTERM, a deadline, and a requeue."""
    nodes, since = chain.nodes(), time.time()
    there = [f"--nodelist={','.join(nodes)}", f"--nodes={len(nodes)}", "--gpus-per-node=8", "--output=/dev/null"]
    run_command("sbatch", "--partition=urgent", *there, "--wrap", "sleep 3")
    seconds, step = chain.noticed(since)
    back, resumed, lost = chain.back(since)
    grace = limit(chain, "operations.run_shutdown.g")
    words = f"saved after {seconds:.1f} s at step {step}; {ended(chain, since, back, lost)}"
    good = seconds < grace + SLACK_S / 3 and resumed == step and chain.pages_of_run(since) == "none"
    return Row("preemption with a deadline", f"a save within {grace:.0f} s; no step lost; no page", words, good)


def rank_killed(chain):
    """SIGKILL to one rank."""
    since = time.time()
    signal_rank(1, RUN)
    back, resumed, lost = chain.back(since)
    interval = limit(chain, "operations.run_interval.tau_f") / PACE_S
    words = f"{ended(chain, since, back, lost)}; {level(chain, since, resumed)}"
    good = 0 <= lost <= interval and chain.pages_of_run(since) == "none" and "memory" in words
    return Row("rank killed", f"at most {interval:.0f} steps lost, from memory; no page", words, good)


def level(chain, since, step):
    """Return whether a checkpoint was loaded from memory or from storage."""
    logged = [e["message"] for e in chain.events.all("log") if e["at"] > since]
    return f"step {step} from {'memory' if f'step {step} taken from memory' in logged else 'storage'}"


def bit_flipped(chain):
    """One bit of the newest checkpoint is flipped, the memory of both nodes is lost, and a rank is killed."""
    newest, earlier = durable.listed(f"/fsx/{RUN}/checkpoints")[:2]
    run_command("bash", chain.cluster.work / "corrupt.sh", newest / "__1_0.distcp")
    since = time.time()
    for node in chain.nodes():
        shutil.rmtree(cluster.memory(node))
    signal_rank(0, RUN)
    back, resumed, lost = chain.back(since)
    skipped = [e["message"] for e in chain.events.all("log") if "passed over" in e["message"] and e["at"] > since]
    damage = skipped[-1] if skipped else "NOT FOUND"
    words = f"“{damage}”; resumed from step {resumed}; {lost} steps lost; {shares(chain, since)}"
    good = bool(skipped) and resumed == durable.step_of(earlier) and "twice" not in words
    return Row(
        "bit flip in a checkpoint",
        "detected, and the previous checkpoint is loaded",
        f"{words}; back after {back:.1f} s",
        good,
    )


def shares(chain, since):
    """Return how many files of the loaded checkpoint each rank verified."""
    found = []
    for rank in (0, 1):
        logged = [e["message"] for e in chain.events.all("log", rank) if e["at"] > since]
        lines = [message for message in logged if " verified: " in message]
        found.append(set(lines[-1].split(": ")[1].split(", ")) if lines else set())
    both = found[0] & found[1]
    return f"rank 0 read {len(found[0])} files, rank 1 {len(found[1])}" + (f", {len(both)} TWICE" if both else "")


def rank_hung(chain):
    """SIGSTOP to one rank: no process fails, but its heartbeat stops."""
    since, patience = time.time(), limit(chain, "operations.hang_timeout.d_a")
    signal_rank(1, RUN, signal.SIGSTOP)
    pattern = re.compile(r'^\{"at": ([\d.]+), "rank": 1, "seconds": ([\d.]+)\}', re.M)
    found = wait_for(
        "the hung rank is killed", lambda: pattern.findall((cluster.out() / f"{RUN}.log").read_text()), patience + 60
    )
    seconds = float(found[-1][0]) - since
    back, _, lost = chain.back(since)
    words = f"killed after {seconds:.1f} s; {ended(chain, since, back, lost)}"
    good = patience - 2 < seconds < patience + SLACK_S and chain.pages_of_run(since) == "none"
    return Row("rank hung", f"killed after {patience:.0f} s without a heartbeat; no page", words, good)


def node_preempted(chain):
    """The metadata server of one node announces its preemption."""
    node, since = chain.nodes()[1], time.time()
    Metadata.announced.add(f"127.0.2.{[*cluster.NODES].index(node) + 1}")
    seconds, step = chain.noticed(since)
    state = chain.cluster.states()[node]
    back, resumed, lost = chain.back(since)
    Metadata.announced.clear()
    there = chain.nodes()
    words = f"{node} {state}, saved after {seconds:.1f} s; {ended(chain, since, back, lost)}"
    grace = limit(chain, "operations.run_shutdown.g")
    good = state.startswith("drain") and node not in there and resumed == step and seconds < grace + SLACK_S / 3
    chain.repair(node)
    return Row("node drained with notice", f"a save within {grace:.0f} s, on other nodes; no step lost", words, good)


def alert_storm(chain):
    """Eight GPUs of one node fall off the bus: eight alerts, and one node is drained."""
    node, since = chain.nodes()[1], time.time()
    file = HOME / "nodes" / node / "devices" / "dcgm.prom"
    gone = "".join(f'DCGM_FI_DEV_XID_ERRORS{{gpu="{gpu}",Hostname="{node}"}} 79\n' for gpu in range(8))
    file.write_text(gone)
    seconds, step = chain.noticed(since)
    back, resumed, lost = chain.back(since)
    log = [json.loads(line) for line in (cluster.out() / "receiver.jsonl").read_text().splitlines()]
    drains = [entry["about"] for entry in log if entry["verdict"] == "replace" and entry["at"] > since]
    fired = chain.cluster.query(f'count(ALERTS{{alertname="DeviceLost",alertstate="firing",Hostname="{node}"}})')
    there, state = chain.nodes(), chain.cluster.states()[node]
    file.unlink()
    chain.repair(node)
    alerts = fired[0]["value"][1] if fired else "0"
    words = f"{alerts} alerts, {len(drains)} drain; saved after {seconds:.1f} s; {ended(chain, since, back, lost)}"
    good = drains == [node] and state.startswith("drain") and node not in there and resumed == step
    return Row("alert storm of one node", "one drain, one notice; no step lost", words, good)


def node_down(chain):
    """The node that runs the batch script and hosts the rendezvous fails."""
    node, since = chain.nodes()[0], time.time()
    chain.cluster.kill(node)
    down = limit(chain, "operations.run_requeue.t_d")
    wait_for(f"{node} is down", lambda: chain.cluster.states()[node].startswith("down"))
    seconds = time.time() - since
    back, resumed, lost = chain.back(since)
    words = f"down after {seconds:.1f} s; {ended(chain, since, back, lost)}; {level(chain, since, resumed)}"
    interval = limit(chain, "operations.run_interval.tau_f") / PACE_S
    quiet = chain.pages_of_run(since) == "none" or back > silence(chain)
    good = seconds < down + 3 * SLACK_S and 0 <= lost <= interval and node not in chain.nodes() and quiet
    good &= "memory" in words
    chain.cluster.node(node)
    time.sleep(1)
    chain.repair(node)
    return Row(
        "node down",
        f"detected after {down:.0f} s and timeouts of Slurm messages; at most {interval:.0f} steps lost, from memory",
        words,
        good,
    )


def ended(chain, since, back, lost):
    """Return how the run has recovered since a moment, as text."""
    pages = chain.pages_of_run(since)
    return f"back on {' and '.join(chain.nodes())} after {back:.1f} s; {lost} steps lost; pages: {pages}"


def silence(chain):
    """Return the delay of the stall alert: window, `for`, scrape and evaluation intervals."""
    parts = ("stall_for.W_a", "stall_for", "stall_for.x_s", "stall_for.x_e")
    return sum(limit(chain, f"operations.{part}") for part in parts)


def storage_slow(chain):
    """Storage accepts writes only for a fifth of each second when a notice comes."""
    since = time.time()
    with chain.cluster.frozen(20, share=0.8):
        run_command("scancel", "--batch", "--signal=TERM", chain.job)
        seconds, step = chain.noticed(since)
    back, resumed, lost = chain.back(since)
    grace = limit(chain, "operations.run_shutdown.g")
    words = f"saved after {seconds:.1f} s; {ended(chain, since, back, lost)}"
    quiet = chain.pages_of_run(since) == "none" or back > silence(chain)
    good = resumed == step and seconds < grace + SLACK_S / 3 and quiet
    return Row("notice while storage is slow", f"a save within {grace:.0f} s all the same; no page", words, good)


def storage_stalls(chain):
    """Storage blocks all writes until the alert has fired."""
    since, stated = time.time(), silence(chain)
    last, restarts = chain.before(since), len(chain.events.all("up"))
    with chain.cluster.frozen(stated + SLACK_S):
        wait_for("the page", lambda: chain.pages_of_run(since) != "none", stated + SLACK_S)
        seconds = time.time() - since
    wait_for("further steps", lambda: chain.before(time.time()) > last + 3)
    again = len(chain.events.all("up")) - restarts
    pages = chain.pages_of_run(since)
    words = f"{pages} after {seconds:.1f} s; continues when storage does, {again} restarts, no step lost"
    good = "TrainingStalled" in pages and stated - 6 < seconds < stated + SLACK_S and again == 0
    return Row("storage stalls", f"TrainingStalled within {stated:.0f} s", words, good)


def file_system_full(chain):
    """Files of another user fill the file system until no checkpoint fits."""
    since, file = time.time(), Path("/fsx/others")
    newest = durable.listed(f"/fsx/{RUN}/checkpoints")[0]
    try:
        fill(file, 0.04)
        wait_for("the page", lambda: ("DiskFilling", None) in chain.cluster.pages(since))
        seconds = time.time() - since
        begun = [e["at"] for e in chain.events.events() if e["what"] in ("begun", "resumed", "saving")][-1]
        due = begun + limit(chain, "operations.run_interval")
        time.sleep(max(0.0, due - SLACK_S - time.time()))  # not earlier, or the event logs would fill the rest
        fill(file, 0.0)
        failed = wait_for("a save that fails", lambda: unsaved(RUN, since), SLACK_S + 60)[0]
        last = chain.before(time.time())
        wait_for("further steps", lambda: chain.before(time.time()) > last + 3)
    finally:
        file.unlink()
    stays = durable.intact(newest)
    end = "is kept" if stays else "IS GONE"
    words = f"DiskFilling after {seconds:.1f} s; “{failed[:80]}”; the run continues, {newest.name} {end}"
    return Row("full file system", "DiskFilling before it is full; the run continues", words, stays)


def unsaved(run, since=0.0):
    """Return the log messages of failed saves of a run."""
    logged = [event for event in Job(f"/fsx/{run}").all("log") if event["at"] > since]
    return [event["message"] for event in logged if "is not saved" in event["message"]]


def fill(file, share):
    """Grow a file until a share of its file system is free, or only the room that event logs need."""
    at = os.statvfs(file.parent)
    left = max(share, RESERVED) * at.f_blocks + ROOM_B / at.f_frsize
    with open(file, "ab") as others:
        os.posix_fallocate(others.fileno(), 0, int(file.stat().st_size + (at.f_bfree - left) * at.f_frsize))


def final_state(chain):
    """After all faults the state is identical to that of an undisturbed run."""
    since = time.time()
    run_command("scancel", "--batch", "--signal=TERM", chain.job)
    end = wait_for("the run leaves", lambda: [e for e in chain.events.all("ended") if e["at"] > since])[-1]
    run_command("scancel", chain.job)
    undisturbed = Job(HOME / "undisturbed", steps=end["step"], every=10**9)
    undisturbed.run()
    same = undisturbed.digest == end["digest"]
    words = f"at step {end['step']} {'the state of an undisturbed run, bit for bit' if same else 'ANOTHER STATE'}"
    return Row("after all faults", "the state of an undisturbed run", words, same)


def region_lost(chain):
    """The first region is lost during a copy; the drill resumes the run in the second."""
    for job in chain.bystanders.values():
        run_command("scancel", job)
    client, address = objects()
    whole = durable.listed(f"/fsx/copy/{RUN}")[0]
    newer = next(path for path in durable.listed(f"/fsx/{RUN}/checkpoints") if path.name > whole.name)
    for path, files in ((whole, sorted(whole.iterdir())), (newer, [newer / durable.MANIFEST, newer / "__0_0.distcp"])):
        for file in files:  # the newer copy is incomplete: its manifest and one shard have arrived
            client.upload_file(str(file), SECOND, store.key(RUN, durable.step_of(path), file.name))
    for node in (name for name, part in cluster.NODES.items() if part == "first"):
        chain.cluster.kill(node)
    run_command("umount", "--lazy", "/fsx")
    done, seconds = drilled(chain, address)
    there = Job(f"/fsx2/{RUN}")
    resumed = there.last("resumed", {"step": None})["step"]
    good = done.returncode == 0 and resumed == durable.step_of(whole)
    parts = ", ".join(re.findall(r"^[\w ]+: \d+ s$", done.stdout, re.M))
    words = f"incomplete copy skipped, resumed from step {resumed} in the second region: {parts}"
    promise = limit(chain, "resilience.book_rto") - limit(chain, "operations.book_notice")
    return Row("region lost", f"a step in the second region within {promise:.0f} s", words, good and seconds < promise)


def objects():
    """Start an object store with the bucket of the second region; return a client and its address."""
    keys = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ.update(keys)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "5000"]
    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = boto3.client("s3", endpoint_url="http://127.0.0.1:5000")

    def there():
        try:
            return client.create_bucket(Bucket=SECOND)
        except Exception:
            return None

    wait_for("the object store", there)
    return client, "http://127.0.0.1:5000"


def drilled(chain, address):
    """Run drill.sh on a node of the second region."""
    here = {**os.environ, "AWS_ENDPOINT_URL": address, "DISK": "/fsx2", "PYTHONPATH": str(cluster.ROOT)}
    here |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "RANKS": "1", "OMP_NUM_THREADS": "1"}
    here |= {"PROVISION": "scontrol update PartitionName=second State=UP", "SBATCH_PARTITION": "second"}
    here |= {
        "MEMORY": f"{HOME}/memory",
        "METADATA_SERVER": "http://metadata:8000",
        "SBATCH_OUTPUT": f"{cluster.out()}/drill.log",
    }
    command = ["bash", "drill.sh", RUN, "--steps", "1000000", "--pace", f"{PACE_S:.4f}"]
    begun = time.time()
    done = subprocess.run(command, env=here, cwd=chain.cluster.work, capture_output=True, text=True, timeout=300)
    return done, time.time() - begun


FAULTS = {
    "start": start,
    "first interval": first_interval,
    "preempted": preempted,
    "rank killed": rank_killed,
    "bit flip in a checkpoint": bit_flipped,
    "rank hung": rank_hung,
    "notice": node_preempted,
    "alert storm": alert_storm,
    "node down": node_down,
    "slow store": storage_slow,
    "storage stalls": storage_stalls,
    "full file system": file_system_full,
    "finished run": finished,
    "run that never saves": never_saves,
    "run whose first save fails": first_fails,
    "after all faults": final_state,
    "region lost": region_lost,
}


def main(given=None):
    """Run the named faults, or all, write their rows, and return 1 if one does not end as required."""
    words = sys.argv[1:] if given is None else given
    cluster.machine()
    rows, chain = [], Chain()
    for name in words or FAULTS:
        begun = time.time()
        row = attempt(name, chain)
        rows.append([*row, round(time.time() - begun, 1)])
        print(f"{'ok ' if row.good else 'BAD'} {rows[-1][-1]:6.1f} s  {row.fault}: {row.measured}", flush=True)
        (cluster.out() / "rows.json").write_text(json.dumps(rows))
        if not row.good and name == "start":
            break
    return 0 if all(row[3] for row in rows) else 1


def attempt(name, chain):
    """Return the Row of a fault; an exception counts as a failure."""
    try:
        return FAULTS[name](chain)
    except Exception as error:
        return Row(name, "", f"{type(error).__name__}: {error}", False)


if __name__ == "__main__":
    sys.exit(main())
