"""The files for operations as a chain: from the script that is submitted to the arguments of the ranks.

Every test starts from the file that somebody submits, not from a constant of the code behind it, and each has a
seeded error: a flag left out, a handler that nobody starts, an exit code that ends the run for good.
"""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from kubernetes_job import IndexedJob

from mathcore import find
from mathcore.chapters import operations
from mathcore.chapters.operations import tau_f
from practice import retention
from practice.run import options, scaling
from practice.run.sidecar import HOLD
from practice.run.sidecar import arguments as watch_arguments

FOLDER = Path(__file__).resolve().parents[1] / "book" / "artefacts"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
SLURM = {"SLURM_JOB_NODELIST": "n1", "SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "100"}


def text(name):
    return (FOLDER / name).read_text()


def value(address, unit):
    return find(address).value.m_as(unit)


def write_stub(folder, name, body):
    (folder / name).write_text(f"#!/bin/bash\n{body}\n")
    (folder / name).chmod(0o755)


def submitted(folder, change=lambda name, source: source, host="n1"):
    """Run job.sbatch with a Slurm of one node, whose launcher writes down what it is called with.

    Returns `{program: arguments}` of torchrun, the watch and the handler.
    """
    for name in ("job.sbatch", "launch.sh"):
        (folder / name).write_text(change(name, text(name)))
        (folder / name).chmod(0o755)
    write_stub(folder, "scontrol", "echo n1")
    write_stub(folder, "uname", f"echo {host}")
    write_stub(folder, "srun", 'shift; exec "$@"')
    write_stub(folder, "torchrun", 'sleep 0.5; printf "%s\\n" "$@" > torchrun.args')
    write_stub(folder, "python", 'name=${2##*.}; [[ $1 == -m ]] || name=${1%.py}; printf "%s\\n" "$@" > "$name.args"')
    here = {**os.environ, **SLURM, "PATH": f"{folder}:/usr/bin:/bin", "DISK": "/fsx"}
    command = ["bash", "job.sbatch", "run-42", "--steps", "100000"]
    assert subprocess.run(command, cwd=folder, env=here, timeout=60).returncode == 0
    end = time.monotonic() + 5
    while time.monotonic() < end and not (folder / "sidecar.args").exists():
        time.sleep(0.02)
    return {file.stem: file.read_text().split("\n")[:-1] for file in folder.glob("*.args")}


def training(started):
    """Return the options of the ranks, as they parse them."""
    given = started["torchrun"]
    return options.arguments(given[given.index("practice.run.train") + 1 :])


def launch_issues(started, host="n1"):
    """Return what the launched run lacks of what the list promises."""
    asked = training(started)
    found = []
    if asked.interval is None or abs(asked.interval - value("operations.run_interval", "s")) > 0.5:
        found.append("interval")
    fast = find("operations.run_interval").givens[tau_f].m_as("s")
    if asked.memory != Path(f"/dev/shm/{host}/run-42") or abs((asked.memory_interval or 0) - fast) > 0.5:
        found.append("memory")
    if not asked.async_save:
        found.append("saves behind the steps")
    found += missing_safeguards(asked)
    launcher = dict(re.findall(r"^--([\w-]+)=(\S+)$", "\n".join(started["torchrun"]), re.M))
    if float(launcher.get("shutdown-timeout", 30)) < value("operations.run_save", "s"):
        found.append("time for the save after a notice")
    if not started.get("sidecar"):
        return [*found, "watch"]
    watch = watch_arguments(started["sidecar"][2:])
    if (
        watch.heartbeats != asked.heartbeats
        or not watch.heartbeat_every * 3 < watch.heartbeat_timeout < asked.collective_timeout
    ):
        found.append("heartbeats")
    if watch.series != Path("/var/lib/node_exporter/textfile/run-42.prom"):
        found.append("metrics")
    if "interruption" not in started:
        found.append("handler of the notice")
    return found


def missing_safeguards(asked):
    """Return what the options of the ranks lack against corruption, a full disk and the loss of a region."""
    found = []
    if asked.screen != round(value("resilience.decisions.check_steps", "")):
        found.append("checks for corruption")
    if not asked.copies or abs(asked.copy_every - value("operations.region_copy", "s")) > 0.5:
        found.append("copies")
    if len(tiers_of(asked)) > 1.1 * value("operations.run_tiers", "") + 4 or not tiers_of(asked):
        found.append("retention")
    return found


def tiers_of(asked):
    """Return the checkpoints that the launched tiers keep in the end, of a month of saves at the launched interval."""
    if not asked.interval or not asked.tiers:
        return []
    hour = 3600  # the calendar of the tiers is coarse: one save an hour stands for all, the youngest tier apart
    history = retention.thinned(30 * 24 * hour, hour, tiers=retention.tiers(asked.tiers))
    return history[-1] + [0] * round(retention.tiers(asked.tiers)[0].age * (1 / asked.interval - 1 / hour))


def test_submitted_job_runs_with_the_numbers_of_the_list(tmp_path):
    started = submitted(tmp_path)
    assert launch_issues(started) == []
    assert training(started).folder == Path("/fsx/run-42") and training(started).copies == Path("/fsx/copy/run-42")
    assert training(started).steps == 100000
    assert "--nnodes=100" in started["torchrun"]


def test_only_the_node_of_the_rendezvous_writes_the_series(tmp_path):
    """Slurm hands the variable HOSTNAME of the first node on to all: two that report one run would count it twice."""
    assert launch_issues(submitted(tmp_path, host="n2"), "n2") == ["metrics"]


FLAGS = [
    (r"  --interval=.*\n", "interval"),
    (r"  --async-save\n", "saves behind the steps"),
    (r"  --memory=.*\n", "memory"),
    (r"  --memory-interval=.*\n", "memory"),
    (r"  --tiers=.*\n", "retention"),
    (r"  --screen=.*\n", "checks for corruption"),
    (r"  --copies=.*\n", "copies"),
    (r"  --copy-every=.*\n", "copies"),
    (r"  --shutdown-timeout=.*\n", "time for the save after a notice"),
    (r"python -m practice.run.sidecar .*\n", "watch"),
    (r"  watch\+=\(--series.*\n", "metrics"),
    (r"python interruption.py .*\n", "handler of the notice"),
]


@pytest.mark.parametrize(
    ("line", "gap"), [FLAGS[0], *(pytest.param(*flag, marks=pytest.mark.exhaustive) for flag in FLAGS[1:])]
)
def test_flag_that_is_left_out_is_found(tmp_path, line, gap):
    def change(name, source):
        spoilt = re.sub(line, "  :\n" if "series" in line else "", source)
        assert name != "launch.sh" or spoilt != source
        return spoilt

    assert gap in launch_issues(submitted(tmp_path, change))


def test_notice_is_longer_than_the_save_that_it_is_for():
    """Poll, step, write and excess fit into what launcher, scheduler and cloud allow."""
    grace = find("operations.run_shutdown").givens[operations.g].m_as("s")
    (signal,) = re.findall(r"--signal=B:TERM@(\d+)", text("job.sbatch"))
    (preempted,) = re.findall(r"GraceTime=(\d+)", text("slurm.conf"))
    (killed,) = re.findall(r"--shutdown-timeout=(\d+)", text("launch.sh"))
    _, job = yaml.safe_load_all(text("train.yaml"))
    assert {float(signal), float(preempted)} == {grace}
    assert job["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == grace
    assert value("operations.run_save", "s") < float(killed) < grace


# ---------------------------------------------------------------- Kubernetes: checked, not executed


def kubernetes(change=lambda job: job):
    _, job = yaml.safe_load_all(text("train.yaml"))
    return IndexedJob(change(job))


def evict(job, index, code):
    """Evict one pod: its launcher ends with a code of its own; the ranks of all others leave with `code`.

    Where that is 0 their launchers are done, otherwise they start their ranks again and wait for the new pod.
    """
    job.exits(index, 1, disrupted=True)
    for other in sorted(job.running - {index}) if code == 0 else ():
        job.exits(other, 0)
    return job


def test_run_survives_the_eviction_of_a_pod():
    job = evict(kubernetes(), 3, options.EXITS["notice"])
    assert len(job.running) == 100 and not job.failed and not job.counted


def test_ranks_that_leave_with_zero_would_end_the_run_for_good():
    job = evict(kubernetes(), 3, 0)
    assert job.running == {3} and len(job.done) == 99


def test_run_survives_the_host_of_the_rendezvous_as_often_as_it_may_restart():
    job = kubernetes()
    for _ in range(round(value("operations.run_retries", ""))):
        for index in range(100):
            job.exits(index, 1, disrupted=index == 0)
    assert not job.failed and len(job.running) == 100


def test_limit_for_all_pods_together_is_found():
    def change(job):
        job["spec"]["backoffLimit"] = job["spec"].pop("backoffLimitPerIndex")
        return job

    job = kubernetes(change)
    for _ in range(2):
        for index in range(100):
            job.exits(index, 1, disrupted=index == 0)
    assert job.failed


def test_run_that_is_held_ends_the_job_and_not_only_a_pod():
    """The watch leaves `hold`, the launcher exits with 78 when it is started again, and the policy ends the Job."""
    assert f"$folder/{HOLD}" in text("launch.sh") and "exit 78" in text("launch.sh")
    assert options.EXITS["refused"] == 78
    job = kubernetes()
    job.exits(0, 78)
    assert job.failed


def test_pods_write_their_series_where_the_exporter_of_the_server_reads():
    _, job = yaml.safe_load_all(text("train.yaml"))
    pod = job["spec"]["template"]["spec"]
    (series,) = re.findall(r"\$\{SERIES:-([^}]+)\}", text("launch.sh"))
    host = {volume["name"]: volume.get("hostPath", {}).get("path") for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: host[mount["name"]] for mount in pod["containers"][0]["volumeMounts"]}
    assert mounts[series] == series


# ---------------------------------------------------------------- the size of one machine


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_scaling_touches_sourced_times_and_counts_and_nothing_else(path):
    for before, after in zip(path.read_text().splitlines(), scaling.scaled(path.read_text()).splitlines(), strict=True):
        match = scaling.SOURCED.match(before)
        timed = match and (match["unit"] in ("s", "ms", "min", "h") or match["address"].endswith("book_servers"))
        assert before == after or timed
        blank = lambda line: re.sub(r"\d+(\.\d+)?(ms|[smh]\b)?", "N", line)  # noqa: E731
        assert blank(before) == blank(after)
