"""Protects the files for operations: they parse, they run where they can, and their numbers are the book's.

A comment such as `# = operations.stall_for | s` says where the number before it comes from.
"""

import importlib.util
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

import hcl2
import promql_parser
import pytest
import yaml
from chapter_sources import text_of

from mathcore import UnknownAddress, find
from practice.run import metrics
from practice.run.scaling import NUMBER, SOURCED

ROOT = Path(__file__).resolve().parent.parent
_SPEC = importlib.util.spec_from_file_location("numbers_of_artefacts", ROOT / ".ci" / "numbers_of_artefacts.py")
numbers = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(numbers)
computed = numbers.computed
FOLDER = ROOT / "book" / "artefacts"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.parent.name != "__pycache__")


def text(name):
    return (FOLDER / name).read_text()


def sourced(source):
    """Yield `(line number, written, sign, computed, half a last digit)` of sourced numbers."""
    for number, line in enumerate(source.splitlines(), 1):
        if match := SOURCED.match(line):
            written = NUMBER.findall(match["code"])[-1]
            half = 0.5 * 10.0 ** -len(written.partition(".")[2])
            value = computed(match["address"], match["unit"])
            yield number, float(written), match["sign"], value, half


def outdated_numbers(source):
    """Return the lines whose number is not what the book computes."""
    holds = {
        "=": lambda written, value, half: abs(written - value) <= half,
        "<=": lambda written, value, half: written <= value,
        ">=": lambda written, value, half: written >= value,
    }
    return [n for n, written, sign, value, half in sourced(source) if not holds[sign](written, value, half)]


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_numbers_are_those_of_the_book(path):
    assert outdated_numbers(path.read_text()) == []


def test_numbers_are_written_from_the_statements():
    """`make artefacts` changes nothing, and puts right what was changed by hand."""
    for path in FILES:
        assert numbers.renewed(path.read_text()) == path.read_text()
    spoilt = text("launch.sh").replace("--interval=3600", "--interval=100")
    assert numbers.renewed(spoilt) == text("launch.sh")


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("alerts.yaml", "for: 624s", "for: 15m"),
        ("alerts.yaml", "> 7839", "> 8739"),
        ("launch.sh", "--max-restarts=117", "--max-restarts=3"),
        ("launch.sh", "--interval=3600", "--interval=100"),
        ("launch.sh", "--memory-interval=720", "--memory-interval=3600"),
        ("launch.sh", "--shutdown-timeout=235", "--shutdown-timeout=30"),
        ("slurm.conf", "SlurmdTimeout=60", "SlurmdTimeout=300"),
        ("receiver.py", "REPLACED_A_DAY = 7", "REPLACED_A_DAY = 13"),
        ("interruption.py", '"gcp": 1,', '"gcp": 30,'),
        ("store.tf", "14400", "7200"),
        ("fleet.tf", "capacity = 0 ", "capacity = 10 "),
        ("alerts.yaml", "for: 12m", "for: 6m"),
        ("train.yaml", "completions: 100", "completions: 8"),
        ("job.sbatch", "TERM@240", "TERM@30"),
    ],
)
def test_seeded_number_is_found(name, right, wrong):
    assert right in text(name)
    assert outdated_numbers(text(name).replace(right, wrong)) != []


def test_dead_address_is_found():
    with pytest.raises(UnknownAddress):
        outdated_numbers("x = 1  # = operations.nothing_of_the_kind | s")


def test_page_shows_or_offers_every_file():
    page = text_of("operations")
    names = [path.relative_to(FOLDER).as_posix() for path in FILES]
    assert [name for name in names if f"<../../artefacts/{name}>" not in page] == []


# ---------------------------------------------------------------- alerts


def rules(source=None):
    groups = yaml.safe_load(source or text("alerts.yaml"))["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def recorded():
    groups = yaml.safe_load(text("alerts.yaml"))["groups"]
    return {rule["record"]: rule["expr"] for group in groups for rule in group["rules"] if "record" in rule}


def test_restart_silences_the_stall_and_is_itself_watched():
    """An alarm that restarts the job during its restart would kill it again and again."""
    by_name = {rule["alert"]: rule for rule in rules()}
    assert "unless on (run) (training_restarting == 1" in by_name["TrainingStalled"]["expr"]
    assert by_name["RestartStuck"]["expr"].startswith("training_restarting == 1")
    assert seconds(by_name["RestartStuck"]["for"]) > computed("operations.run_false.R", "s")


def test_each_rule_has_a_unit_test_in_which_it_is_loud():
    tests = yaml.safe_load(text("alerts.test.yaml"))["tests"]
    loud = {one["alertname"] for test in tests for one in test["alert_rule_test"] if one.get("exp_alerts")}
    assert loud == {rule["alert"] for rule in rules()}


def test_devices_are_watched_by_xid_link_and_number():
    watched = " ".join(rule["expr"] for rule in rules())
    signs = ("DCGM_FI_DEV_XID_ERRORS", "NVLINK", "node_infiniband_", "node_amazonefa_", "count(up{")
    assert [sign for sign in signs if sign not in watched] == []
    assert not re.search(r"up\{[^}]*\} == 0", watched)  # which misses a target that has vanished


HANG = "a hang is loud, after the silence that was derived and not before"
GONE = "a job that is gone with its exporter is loud, although another run goes on and restarts"
MOVED = "a restart on another node does not silence a hang, nor does a file that a dead watch has left page"
DAY = "thirteen restarts in a day are chance, fifteen are not, wherever the watch has moved"
RESTARTING = "            unless on (run) (training_restarting == 1 and on (instance, run) training:fresh)\n"
ENDED = """            unless on (run)
              max by (run) (last_over_time(training_ended_seconds[1d]))
              >= max by (run) (last_over_time(training_seen_seconds[1d]))
"""
promtool = pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool is not here; `make reference-run` installs it"
)


@promtool
@pytest.mark.slow
def test_rules_pass_their_unit_tests():
    assert run(["promtool", "test", "rules", FOLDER / "alerts.test.yaml"]).returncode == 0


@promtool
@pytest.mark.parametrize(
    "right, wrong, found_by",
    [
        (RESTARTING, "", "a hang of five minutes and its restart of ten page nobody"),
        ("0 == changes(", "0 > changes(", HANG),
        (ENDED, "", "a run that has ended pages nobody, and one that goes back to the queue in time neither"),
        ("time() - max by (run) (", "time() - max(", GONE),
        ("            and on (instance, run) training:fresh\n            unless", "            unless", MOVED),
        (
            "max by (run) (max_over_time(training_restarts_total[1d]))",
            "max_over_time(training_restarts_total[1d])",
            DAY,
        ),
        (
            '(count(up{job="dcgm-exporter"} == 1) or vector(0)) < 100',
            'up{job="dcgm-exporter"} == 0',
            "a target that has vanished is missed",
        ),
        ("for: 624s", "for: 15m", HANG),
    ],
)
@pytest.mark.slow
def test_rule_that_pages_at_the_wrong_time_is_found(tmp_path, right, wrong, found_by):
    """The one unit test that is there for it finds it; the same test holds for the rules as they are."""
    whole = yaml.safe_load(text("alerts.test.yaml"))
    [alone] = [test for test in whole["tests"] if test["name"] == found_by]
    (tmp_path / "alerts.test.yaml").write_text(yaml.safe_dump({**whole, "tests": [alone]}))
    assert right in text("alerts.yaml")
    for rules_, passes in ((text("alerts.yaml"), True), (text("alerts.yaml").replace(right, wrong), False)):
        (tmp_path / "alerts.yaml").write_text(rules_)
        assert (run(["promtool", "test", "rules", tmp_path / "alerts.test.yaml"]).returncode == 0) == passes


def names(expression):
    return set(re.findall(r"\b(?:DCGM_FI_\w+|training_\w+)", expression))


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smhd])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


def test_expressions_are_promql():
    for expression in (*(rule["expr"] for rule in rules()), *recorded().values()):
        promql_parser.parse(expression)


def test_broken_expression_is_found():
    with pytest.raises(ValueError):
        promql_parser.parse(rules()[0]["expr"].replace("]", "", 1))


def test_rules_have_a_severity_and_a_summary():
    for rule in rules():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"page", "ticket", "replace", "reset"}
        assert rule["annotations"]["summary"]


def exported_metrics():
    """Return the device metrics that the exporter is configured to export."""
    return {line.split(",")[0] for line in text("dcgm-counters.csv").splitlines() if not line.startswith("#")}


def watched_series(source=None):
    used = {name for rule in rules(source) for name in names(rule["expr"])}
    return used | {name for expression in recorded().values() for name in names(expression)}


def missing_series(source=None):
    """Return the series of a rule that no program exports: such a rule cannot fire."""
    return {name for name in watched_series(source) if name not in exported_metrics() | set(metrics.HELP)}


def test_series_that_the_rules_watch_are_written():
    assert len(watched_series()) > 10 and missing_series() == set()
    assert "DCGM_FI_DEV_GPU_TMP" not in exported_metrics()  # a name with a slip would be missed


def test_rule_that_cannot_fire_is_found():
    assert missing_series(text("alerts.yaml").replace("training_checkpoint_seconds", "training_checkpoint_time"))
    assert missing_series(text("alerts.yaml").replace("DEV_GPU_TEMP", "DEV_GPU_TMP"))


def test_page_comes_after_the_silence_that_the_decision_chooses():
    """Window, `for`, scrape and evaluation add up to it, to the second."""
    stalled = next(rule for rule in rules() if rule["alert"] == "TrainingStalled")
    window = seconds(re.search(r"\[(\w+)\]", stalled["expr"])[1])
    scraped = {"x_s": interval("scrape_interval"), "x_e": interval("evaluation_interval")}
    total = find("operations.alarm_delay").at(W_a=f"{window} s", F_a=f"{seconds(stalled['for'])} s", **scraped)
    assert total.m_as("s") == pytest.approx(computed("operations.run_page.d_a", "s"), abs=0.5)
    assert computed("operations.run_requeue", "s") < total.m_as("s")  # a job that goes back to the queue pages nobody


def interval(name):
    return yaml.safe_load(text("prometheus.yaml"))["global"][name]


# ---------------------------------------------------------------- manifests


def test_job_of_the_run_hangs_together():
    service, job = yaml.safe_load_all(text("train.yaml"))
    pod = job["spec"]["template"]
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert pod["spec"]["subdomain"] == service["metadata"]["name"]
    assert job["spec"]["completions"] == job["spec"]["parallelism"]
    assert "training-0.training" in pod["spec"]["containers"][0]["command"]
    mounted = {mount["name"] for c in pod["spec"]["containers"] for mount in c["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["spec"]["volumes"]}


def test_kills_leave_whole_segments():
    hours = computed("operations.half_percent", "h")
    run = {"tau": "12 min", "C": "5 s", "R": "6 min"}
    assert find("operations.regular_kills").at(**run, H=f"{hours} h").m_as("%") > 97


# ---------------------------------------------------------------- terraform


def terraform(source):
    """Return the resources of a file by type and name."""
    found = {}
    for block in hcl2.loads(source).get("resource", []):
        for kind, named in block.items():
            for name, body in named.items():
                found[kind.strip('"'), name.strip('"')] = body
    return found


def aws_refusals(source):
    """Return what AWS would refuse, or do against the author's will."""
    issues = []
    for (kind, name), body in terraform(source).items():
        if kind == "aws_fsx_lustre_file_system":
            if body["deployment_type"] == '"PERSISTENT_2"' and {"import_path", "export_path"} & set(body):
                issues.append(f"{name}: PERSISTENT_2 is linked by an association")
            if body["storage_capacity"] != 1200 and body["storage_capacity"] % 2400:
                issues.append(f"{name}: the size goes in steps of 2400 GiB")
        if kind == "aws_s3_bucket_lifecycle_configuration":
            for rule in body["rule"]:
                if any("days" in part for part in rule.get("expiration", [])):
                    issues.append(f"{name}: age alone would delete the last checkpoint of a run that pauses")
                if "filter" not in rule:
                    issues.append(f"{name}: a rule without a filter takes everything")
                if any(part.get("days") == 0 for part in rule.get("expiration", [])):
                    issues.append(f"{name}: zero days are refused")
    return issues


@pytest.mark.parametrize("name", [p.relative_to(FOLDER).as_posix() for p in FILES if p.suffix == ".tf"])
def test_terraform_parses_and_would_be_taken(name):
    assert aws_refusals(text(name)) == []


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("store.tf", 'storage_type                = "SSD"', 'import_path = "s3://bucket"'),
        ("store.tf", "14400", "14000"),
        ("copies.tf", "expired_object_delete_marker = true", "days = 0"),
        ("copies.tf", "expired_object_delete_marker = true", "days = 30"),
        (
            "copies.tf",
            'id     = "behind-the-sweep"\n    status = "Enabled"\n    filter {\n      prefix = "copy/"\n    }',
            "",
        ),
    ],
)
def test_seeded_slip_in_terraform_is_found(name, right, wrong):
    assert right in text(name)
    assert aws_refusals(text(name).replace(right, wrong)) != []


def test_what_terraform_refers_to_is_declared():
    whole = "\n".join(path.read_text() for path in FOLDER.glob("*.tf"))
    declared = set(re.findall(r'^variable "(\w+)"', whole, re.M))
    assert set(re.findall(r"\bvar\.(\w+)", whole)) == declared
    named = {f"{kind}.{name}" for kind, name in terraform(whole)}
    assert set(re.findall(r"\b(aws_\w+\.\w+)\.", whole)) <= named


def open_variables(folder):
    """Return the variables of a root module that have no value where the drill or a person runs it."""
    whole = "\n".join(path.read_text() for path in folder.glob("*.tf"))
    declared = hcl2.loads(whole).get("variable", [])
    needed = {name.strip('"') for each in declared for name, body in each.items() if "default" not in body}
    given = set(hcl2.loads((folder / "terraform.tfvars").read_text()))
    return needed - given - set(re.findall(r'-var "(\w+)=', text("drill.sh")))


@pytest.mark.parametrize("root", [FOLDER, FOLDER / "second-region"], ids=lambda path: path.name)
def test_every_variable_has_a_value_so_that_nothing_is_prompted(root, tmp_path):
    assert open_variables(root) == set()
    for file in root.glob("*.tf*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "terraform.tfvars").write_text("")
    assert open_variables(tmp_path) != set()


def test_servers_of_the_second_region_mount_the_file_system_and_join_the_scheduler():
    drill = terraform(text("second-region/main.tf"))
    script = text("second-region/main.tf").split("<<-EOT")[1].split("EOT")[0]
    assert "mount -t lustre" in script and " /fsx\n" in script and "slurmd -Z" in script
    store = drill["aws_fsx_lustre_file_system", "drill"]
    assert store["security_group_ids"] == ["${aws_security_group.drill.id}"]
    ports = str(drill["aws_security_group", "drill"])
    assert "988" in ports and "1018" in ports


def test_root_modules_have_their_providers():
    for root in (FOLDER, FOLDER / "second-region"):
        whole = "\n".join(path.read_text() for path in root.glob("*.tf"))
        assert 'provider "aws" {' in whole and "required_providers" in whole
        assert set(re.findall(r"\baws\.(\w+)$", whole, re.M)) <= set(re.findall(r'alias\s+= "(\w+)"', whole))


def test_copies_have_one_name_where_they_are_made_replicated_and_looked_for():
    (rule,) = re.findall(r'id     = "copies".*?prefix = "(\w+)/"', text("copies.tf"), re.S)
    (folder,) = re.findall(r'file_system_path     = "/(\w+)"', text("store.tf"))
    (made,) = re.findall(r"^copies=\$\{folder%/\*\}/(\w+)/\$run\b", text("launch.sh"), re.M)
    (looked,) = re.findall(r'^COPIES = "(\w+)"', (ROOT / "practice/run/store.py").read_text(), re.M)
    (bucket,) = re.findall(r"practice\.run\.store load ([\w-]+) ", text("drill.sh"))
    assert rule == folder == looked == made
    assert f'bucket   = "{bucket}"' in text("copies.tf")
    assert "DELETED" in text("store.tf")  # what the sweep deletes is deleted in the bucket as well


def test_replication_needs_versions_on_both_sides():
    versions = {name for kind, name in terraform(text("copies.tf")) if kind == "aws_s3_bucket_versioning"}
    assert versions == {"first", "second"}


# ---------------------------------------------------------------- shell


def run(arguments, **more):
    return subprocess.run(arguments, capture_output=True, text=True, **more)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.sh")), ids=lambda path: path.name)
def test_shell_parses(path):
    assert run(["bash", "-n", path]).returncode == 0
    assert "set -euo pipefail" in path.read_text()


def write_stub(folder, name, body):
    (folder / name).write_text(f"#!/bin/bash\n{body}\n")
    (folder / name).chmod(0o755)


def started(folder, script):
    """Return the arguments with which a script calls torchrun."""
    write_stub(folder, "torchrun", 'printf "%s\\n" "$@"')
    write_stub(folder, "python", 'printf "%s\\n" "$@" > "${1##*/}.$2"')
    here = {"PATH": f"{folder}:/usr/bin:/bin", "HOSTNAME": "node-0"}
    given = ["run-42", "node-0", "--folder", folder / "run-42", "--steps", "9"]
    return run(["bash", script, *given], env=here, cwd=folder).stdout.split("\n")[:-1]


def test_launch_hands_every_option_over(tmp_path):
    given = started(tmp_path, FOLDER / "launch.sh")
    at = given.index("-m")
    assert given[at : at + 2] == ["-m", "practice.run.train"] and given[-2:] == ["--steps", "9"]
    options = dict(option.split("=", 1) for option in given[:at])
    wanted = "nnodes nproc-per-node max-restarts shutdown-timeout rdzv-backend rdzv-endpoint rdzv-id"
    assert set(options) == {f"--{name}" for name in wanted.split()}
    low, high = map(int, options["--nnodes"].split(":"))
    assert (high - low) / high == pytest.approx(computed("operations.elastic_from.x_g", ""))
    assert options["--rdzv-backend"] in {"c10d", "etcd", "etcd-v2", "static"}


def test_launch_refuses_a_run_that_is_held(tmp_path):
    (tmp_path / "run-42").mkdir()
    (tmp_path / "run-42" / "hold").write_text("refused\n")
    done = run(["bash", FOLDER / "launch.sh", "run-42", "node-0", "--folder", tmp_path / "run-42"], cwd=tmp_path)
    assert done.returncode == 78 and "refused" in done.stderr


def test_comment_after_a_backslash_is_found(tmp_path):
    script = tmp_path / "printed.sh"
    script.write_text("torchrun \\\n  --nnodes=4:8 \\ # Min 4 nodes\n  --nproc_per_node=8 train.py\n")
    assert run(["bash", "-n", script]).returncode == 0
    assert "train.py" not in started(tmp_path, script)


def test_restarted_group_does_not_read_the_addresses_of_the_dead():
    assert "\nexport TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1\n" in text("launch.sh")


def test_slurm_brings_the_job_back_and_announces_its_end():
    options = dict(re.findall(r"^#SBATCH --([\w-]+)(?:=(\S+))?", text("job.sbatch"), re.M))
    assert {"requeue", "signal", "open-mode"} <= set(options)
    assert options["signal"].startswith("B:TERM@")


SLURM = {
    "scontrol": 'if [ "$1" = show ]; then echo node-0; else echo "$@" >> queue; fi',
    "srun": 'echo "$@" > step; trap "echo saved > saved; exit 1" TERM; echo $$ > pid; while :; do sleep 0.01; done',
    "scancel": 'kill -TERM "$(cat pid)"',
}


def slurm_job(folder, script=None, srun=None):
    """Run the script of the Slurm job with stand-ins, give it notice where a step runs, and return how it ended."""
    for name, body in {**SLURM, **({"srun": srun} if srun else {})}.items():
        write_stub(folder, name, body)
    (folder / "job.sbatch").write_text(script or text("job.sbatch"))
    slurm = {"SLURM_JOB_NODELIST": "nodes", "SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "100"}
    here = {"PATH": f"{folder}:/usr/bin:/bin", **slurm, "DISK": "disk"}
    job = subprocess.Popen(["bash", "job.sbatch", "run-42", "--steps", "9"], cwd=folder, env=here)
    while job.poll() is None and not (folder / "pid").exists():
        time.sleep(0.01)
    if job.poll() is None:
        job.terminate()
    return job.wait(20)


def test_slurm_job_saves_on_notice_and_goes_back_into_the_queue(tmp_path):
    assert slurm_job(tmp_path) != 0
    assert (tmp_path / "saved").exists() and (tmp_path / "queue").read_text() == "requeue 7\n"
    step = (tmp_path / "step").read_text().split()
    assert step[1:] == ["./launch.sh", "run-42", "node-0", "--folder", "disk/run-42", "--steps", "9"]


@pytest.mark.parametrize("srun, code, back", [("exit 0", 0, False), ("exit 78", 78, False), ("exit 137", 137, True)])
def test_slurm_job_comes_back_only_where_its_launcher_was_killed(tmp_path, srun, code, back):
    assert slurm_job(tmp_path, srun=srun) == code
    assert (tmp_path / "queue").exists() == back


def test_slurm_job_that_leaves_before_its_step_has_saved_is_found(tmp_path):
    impatient = text("job.sbatch").replace('  wait "$step" || true\n', "")
    assert impatient != text("job.sbatch")
    lazy = SLURM["srun"].replace("echo saved", "sleep 0.5; echo saved")
    slurm_job(tmp_path, impatient, lazy)
    assert not (tmp_path / "saved").exists()


def test_corruption_turns_exactly_one_bit_anywhere(tmp_path):
    file = tmp_path / "shard"
    before = bytes(range(256)) * 400
    places = set()
    for _ in range(6):
        file.write_bytes(before)
        position = int(run(["bash", FOLDER / "corrupt.sh", file]).stdout)
        after = file.read_bytes()
        differ = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        assert differ == [position]
        assert bin(before[position] ^ after[position]).count("1") == 1
        places.add(position)
    assert max(places) > 2**15 or len(places) > 4  # `$RANDOM` would never get beyond


def run_drill(folder, seconds, load="exit 0"):
    """Run the drill with a simulated clock, set to this many seconds once there are nodes."""
    (folder / "clock").write_text("0")
    write_stub(folder, "terraform", f"echo {seconds} > clock")
    write_stub(folder, "sbatch", 'mkdir -p run-42; echo \'{"what": "step", "step": 43}\' > run-42/events-0.jsonl')
    write_stub(folder, "python", f'echo "$@" > asked; {load}')
    script = folder / "drill.sh"
    script.write_text(text("drill.sh").replace("$SECONDS", "$(<clock)").replace("SECONDS", "$(<clock)"))
    return run(["bash", script, "run-42"], env={"PATH": f"{folder}:/usr/bin:/bin", "DISK": "."}, cwd=folder)


def test_drill_meets_its_objective_or_fails(tmp_path):
    objective, detection = (int(re.search(rf"{w}=(\d+)", text("drill.sh"))[1]) for w in ("objective", "detection"))
    met = run_drill(tmp_path, objective - detection)
    assert (met.returncode, f"spent {objective - detection} s" in met.stdout) == (0, True)
    assert "load checkpoints-second run-42 ./run-42/checkpoints" in (tmp_path / "asked").read_text()
    assert run_drill(tmp_path, objective - detection + 1).returncode != 0


def test_drill_starts_nothing_where_no_copy_is_whole(tmp_path):
    done = run_drill(tmp_path, 1, load="exit 1")
    assert done.returncode != 0 and not (tmp_path / "run-42").exists()


# ---------------------------------------------------------------- python


@pytest.fixture
def receiver():
    """Return the receiver of alerts as a module."""
    found = importlib.util.spec_from_file_location("artefact", FOLDER / "receiver.py")
    loaded = importlib.util.module_from_spec(found)
    found.loader.exec_module(loaded)
    return loaded


class Metadata(BaseHTTPRequestHandler):
    """A metadata server of both clouds: quiet at first, then it announces the end."""

    answers = ()
    asked = 0

    def do_PUT(self):
        self.answer(200, "token")

    def do_GET(self):
        cls = type(self)
        if self.path.startswith("/latest") and self.headers["X-aws-ec2-metadata-token"] != "token":
            self.answer(401, "")
            return
        if self.path.startswith("/computeMetadata") and self.headers["Metadata-Flavor"] != "Google":
            self.answer(403, "")
            return
        code, body = cls.answers[min(cls.asked, len(cls.answers) - 1)]
        cls.asked += 1
        self.answer(code, body)

    def answer(self, code, body):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Print nothing."""


def run_handler(cloud, answers, folder, job=None):
    """Run the handler for a launcher until the notice has been passed on; return it, the launcher and the requests."""
    handler = type("Answers", (Metadata,), {"answers": answers, "asked": 0})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    launcher = subprocess.Popen(["sleep", "60"])
    for name in ("scontrol", "scancel"):
        write_stub(folder, name, f'echo "$@" > {folder}/{name}.arguments')
    here = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SLURMD_NODENAME": "node-3"}
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        more = ["--cloud", cloud, "--launcher", str(launcher.pid), "--server", address, "--every", "0.05"]
        command = [sys.executable, FOLDER / "interruption.py", *more]
        done = run(command, env={**here, **({"SLURM_JOB_ID": job} if job else {})})
        return done, launcher.poll() if job else launcher.wait(20), handler.asked
    finally:
        launcher.kill()
        launcher.wait()
        server.shutdown()
        server.server_close()


NOTICE = json.dumps({"action": "terminate", "time": "2026-01-01T00:02:00Z"})
QUIET = {"aws": (404, ""), "gcp": (200, "FALSE")}
ENDING = {"aws": (200, NOTICE), "gcp": (200, "TRUE")}


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
@pytest.mark.slow
def test_handler_waits_for_the_notice_and_signals_the_launcher(cloud, tmp_path):
    done, launcher, asked = run_handler(cloud, [QUIET[cloud], QUIET[cloud], ENDING[cloud]], tmp_path)
    assert (done.returncode, launcher, asked) == (0, -signal.SIGTERM, 3)


@pytest.mark.slow
def test_handler_drains_the_node_and_signals_the_slurm_job(tmp_path):
    """TERM to one launcher alone would end the step everywhere, and the job would not come back."""
    done, launcher, _ = run_handler("aws", [ENDING["aws"]], tmp_path, job="7")
    assert (done.returncode, launcher) == (0, None)
    assert (tmp_path / "scontrol.arguments").read_text().startswith("update NodeName=node-3 State=DRAIN")
    assert (tmp_path / "scancel.arguments").read_text() == "--batch --signal=TERM 7\n"


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
@pytest.mark.slow
def test_handler_that_cannot_see_says_so(cloud, tmp_path):
    broken = [(500, "")] * 4
    done, _, _ = run_handler(cloud, [*broken, ENDING[cloud]], tmp_path)
    assert done.stderr.count("blind") == 1


def alert(node, severity="replace", status="firing"):
    return {"status": status, "labels": {"severity": severity, "Hostname": node, "gpu": "0"}}


def verdicts(module, alerts, spares=9, step_s=1.0, earlier=()):
    """Judge alerts that come one after the other, and remember what was drained."""
    earlier, found = list(earlier), []
    for number, each in enumerate(alerts):
        now = 1000.0 + number * step_s
        verdict, about = module.judge(each, earlier, spares, now)
        found.append(verdict)
        if verdict in ("replace", "reset"):
            earlier.append((now, about))
    return found


def test_wrong_rule_cannot_empty_the_fleet(receiver):
    storm = [alert(f"node-{i}") for i in range(20)]
    assert verdicts(receiver, storm).count("replace") == computed("operations.hour_replaced", "")
    assert verdicts(receiver, storm, step_s=3600).count("replace") == computed("operations.day_replaced", "")
    assert verdicts(receiver, storm, step_s=86400).count("replace") == 20
    assert set(verdicts(receiver, storm, spares=0)) == {"page"}


def test_storm_of_one_node_drains_it_once(receiver):
    assert verdicts(receiver, [alert("node-0")] * 8) == ["replace", *["nothing"] * 7]
    assert verdicts(receiver, [alert("node-0", "reset"), alert("node-0")]) == ["reset", "nothing"]


def test_other_alerts_reach_a_person(receiver):
    assert verdicts(receiver, [alert("node-0", "page"), alert(None), alert("n", status="resolved")]) == [
        "page",
        "page",
        "nothing",
    ]


def test_node_is_drained_before_its_jobs_get_notice(receiver, monkeypatch):
    steps = []

    def command(*words):
        steps.append(words)
        return ["7", "8"] if words[0] == "squeue" else []

    monkeypatch.setattr(receiver, "command", command)
    receiver.drain("node-3", "DeviceLost")
    assert [words[0] for words in steps] == ["scontrol", "squeue", "scancel", "scancel"]
    assert "NodeName=node-3" in steps[0] and steps[2:] == [("scancel", "--batch", "--signal=TERM", n) for n in "78"]


def test_gpu_is_reset_only_when_the_jobs_have_left(receiver, monkeypatch):
    states, steps = [["draining"], ["drained"]], []

    def command(*words):
        steps.append(words[0])
        return states.pop(0) if words[0] == "sinfo" else []

    monkeypatch.setattr(receiver, "command", command)
    monkeypatch.setattr(receiver.time, "sleep", lambda seconds: None)
    receiver.reset("node-3", "0")
    assert steps == ["sinfo", "sinfo", "ssh", "scontrol"]


# ---------------------------------------------------------------- the list with numbers

NEVER_RUN = {"store.tf", "copies.tf", "fleet.tf", "train.yaml", "dcgm-counters.csv"}


def table():
    """Return `(files, how they were verified)` of each row of the list of boxes in the page."""
    cell = r"((?:`[^`]*`|[^|`])*)"
    rows = re.findall(rf"^\|{cell}\|{cell}\|{cell}\|{cell}\|$", text_of("operations"), re.M)
    return [(re.findall(r"`([\w-]+\.\w+)`", files), words) for *_, files, words in rows if re.search("executed", words)]


def unrecorded_faults(rows, record):
    """Return the files and faults of the list that are not in the record of the run."""
    done = {fault for fault, good, *_ in record["faults"] if good} | {row[0] for row in record["chain"] if row[3]}
    found = []
    for files, words in rows:
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words)
        named = [
            name.strip()
            for part in re.findall(r"executed(?: under Slurm)?: ([^;]+)", plain)
            for name in part.split(",")
        ]
        found += [name for name in named if name not in done]
        if set(files) & NEVER_RUN and "not executed" not in words:
            found += files
    return found


def test_list_says_no_more_of_a_file_than_the_record():
    made = json.loads((ROOT / "practice/recorded/run.json").read_text())
    assert len(table()) == 22 and unrecorded_faults(table(), made) == []
    lazy = {**made, "chain": [row for row in made["chain"] if row[0] != "alert storm of one node"]}
    assert unrecorded_faults(table(), lazy) == ["alert storm of one node"]
    assert unrecorded_faults([(["train.yaml"], "executed under Slurm")], made) == ["train.yaml"]
