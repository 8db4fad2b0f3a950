"""A lost region, rehearsed: two buckets on a local server, a copy in the second, and `drill.sh` from the book.

The server is moto's, which speaks S3's protocol on this machine. `terraform` and `kubectl` are stand-ins that
start our run; the `aws` that lists and copies is the real one.
"""

import os
import re
import shutil
import subprocess
import sys
import time

import boto3

from practice import durable, retention
from practice.run import store
from practice.run.faults import TIERS, Outcome
from practice.run.lab import ARTEFACTS, EVERY, STEPS, Job, free_port, stand_in

KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}
FIRST, SECOND, RUN = "checkpoints-first", "checkpoints-second", "run-42"


class Server:
    """An object store of this machine, for as long as the `with` lasts."""

    def __enter__(self):
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.environ.update(KEYS)
        self.client = boto3.client("s3", endpoint_url=self.address)
        for _ in range(200):
            try:
                for bucket in (FIRST, SECOND):
                    self.client.create_bucket(Bucket=bucket)
                return self
            except Exception:
                time.sleep(0.1)
        raise TimeoutError("the object store does not answer")

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()


def lost(lab):
    """Keep checkpoints in a bucket by the calendar, copy them, lose the first region, and drill."""
    with Server() as server:
        for path in sorted(durable.listed(lab.calm.folder / "checkpoints")):
            if durable.step_of(path) <= 2 * EVERY:
                store.put(server.client, FIRST, RUN, path)
        store.replicate(server.client, FIRST, SECOND, RUN)
        store.sweep(server.client, SECOND, RUN, STEPS, retention.tiers(TIERS))  # by the same rule: copies pile up too
        kept = _swept(server.client, lab)
        for name in store.keys(server.client, FIRST, RUN):
            server.client.delete_object(Bucket=FIRST, Key=name)
        done, job = _drilled(lab, server.address)
    times = dict(re.findall(r"^([\w ]+): (\d+) s$", done.stdout, re.M))
    good = done.returncode == 0 and job.resumed()["step"] == 2 * EVERY and kept
    job.wait()
    same = job.digest == lab.calm.digest
    spent = re.search(r"spent (\d+) s", done.stdout)
    words = (
        f"second bucket holds steps {EVERY} and {2 * EVERY}; first emptied; drill.sh: "
        f"{', '.join(f'{k} {v} s' for k, v in times.items())}; {'same bits at the end' if same else 'ENDS ELSEWHERE'}"
    )
    return Outcome(good and same, words, {"drill": float(spent[1]) if spent else float("nan")})


def _swept(client, lab):
    """Say whether the sweep of a third prefix leaves what the rule says, and the last where all are too old."""
    path = durable.place(lab.calm.folder / "checkpoints", EVERY)
    for step in (2, 4, 12, 28, 30):
        for file in sorted(path.iterdir(), key=lambda f: f.name == durable.MANIFEST):
            client.upload_file(str(file), FIRST, store.key("tiers", step, file.name))
    store.sweep(client, FIRST, "tiers", STEPS, retention.tiers(TIERS))
    first = store.complete(client, FIRST, "tiers")
    store.sweep(client, FIRST, "tiers", 100 * STEPS, retention.tiers(TIERS))
    return first == [2, 12, 28, 30] and store.complete(client, FIRST, "tiers") == [30]


def _drilled(lab, address):
    """Run drill.sh with stand-ins for the cloud, and return what it did and the job it started."""
    folder = lab.folder / "second-region"
    job = Job(folder / RUN, root=lab.root)
    shutil.rmtree(job.folder / "checkpoints")
    names = folder / "names"
    flags = " ".join(["--folder", str(job.folder), "--steps", str(STEPS), "--every", str(EVERY)])
    ranks = " ".join(f"(RANK={r} {sys.executable} -m practice.run.train {flags} >/dev/null 2>&1 &);" for r in range(2))
    group = f"export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT={free_port()} OMP_NUM_THREADS=1 PYTHONHASHSEED=0"
    stand_in(names, "terraform", "true")
    stand_in(names, "kubectl", f"cd {lab.root} && {group} PYTHONPATH={lab.root} && {ranks.rstrip(';')}")
    stand_in(names, "aws", f'exec {sys.executable} -m awscli "$@"')
    surroundings = {
        **os.environ,
        "PATH": f"{names}:{os.environ['PATH']}",
        "AWS_ENDPOINT_URL": address,
        "DISK": str(folder),
    }
    done = subprocess.run(["bash", ARTEFACTS / "drill.sh", RUN], env=surroundings, capture_output=True, text=True)
    job.wait = lambda limit=120: _until_ended(job, limit)
    return done, job


def _until_ended(job, limit):
    end = time.time() + limit
    while time.time() < end and job.digest is None:
        time.sleep(0.2)
