"""Protects the files for operations: they parse, they run where they can, and their numbers are the book's.

A comment such as `# = operations.stall_for | s` says where the number before it comes from.
"""

import importlib.util
import json
import re
import shutil
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

from mathcore import UnknownAddress, find, units

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book" / "artefacts"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
SOURCED = re.compile(r"^(?P<code>.*\S)\s+# (?P<sign>=|<=|>=) (?P<address>[\w.]+)(?: \| (?P<unit>\S+))?$")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def text(name):
    return (FOLDER / name).read_text()


def computed(address, unit):
    """Return what the book says: of an entity, or of a given of an example."""
    try:
        value = find(address).value
    except UnknownAddress:
        example, _, letter = address.rpartition(".")
        value = next(q for v, q in find(example).givens.items() if v.name == letter)
    return float(units.quantity(value).m_as(units.unit(unit or "")))


def sourced(source):
    """Yield `(line number, written, sign, computed, half a last digit)` of sourced numbers."""
    for number, line in enumerate(source.splitlines(), 1):
        if match := SOURCED.match(line):
            written = NUMBER.findall(match["code"])[-1]
            half = 0.5 * 10.0 ** -len(written.partition(".")[2])
            value = computed(match["address"], match["unit"])
            yield number, float(written), match["sign"], value, half


def strays(source):
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
    assert strays(path.read_text()) == []


def test_as_many_numbers_are_sourced_as_were_meant_to_be():
    assert sum(len(list(sourced(path.read_text()))) for path in FILES) >= 25


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("alerts.yaml", "for: 104s", "for: 15m"),
        ("alerts.yaml", "> 2849", "> 2489"),
        ("launch.sh", "--max-restarts=117", "--max-restarts=3"),
        ("chaos.yaml", "@every 55h", "@every 30m"),
        ("chaos.yaml", "duration: 555s", "duration: 300s"),
        ("interruption.py", '"gcp": 1,', '"gcp": 5,'),
        ("store.tf", "57600", "7200"),
        ("fleet.tf", "capacity = 0 ", "capacity = 10 "),
        ("alerts.yaml", "for: 12m", "for: 6m"),
        ("train.yaml", "completions: 100", "completions: 8"),
        ("job.sbatch", "TERM@120", "TERM@30"),
    ],
)
def test_planted_number_would_be_found(name, right, wrong):
    assert right in text(name)
    assert strays(text(name).replace(right, wrong)) != []


def test_address_that_leads_nowhere_would_be_found():
    with pytest.raises(UnknownAddress):
        strays("x = 1  # = operations.nothing_of_the_kind | s")


def test_page_shows_or_offers_every_file():
    page = text_of("operations")
    names = [path.relative_to(FOLDER).as_posix() for path in FILES]
    assert [name for name in names if f"<../../artefacts/{name}>" not in page] == []


# ---------------------------------------------------------------- alerts


def rules(source=None):
    groups = yaml.safe_load(source or text("alerts.yaml"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_restart_silences_both_rules_and_is_itself_watched():
    """An alarm that restarts the job during its restart would kill it again and again."""
    by_name = {rule["alert"]: rule for rule in rules()}
    for name in ("TrainingStalled", "TrainingSilent"):
        assert re.search(r"unless on \((run)?\) training_restarting == 1$", by_name[name]["expr"])
    assert by_name["RestartStuck"]["expr"] == "training_restarting == 1"
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
        (" unless on (run) training_restarting == 1", "", "a restart of six minutes pages nobody"),
        (" unless on () training_restarting == 1", "", "nor does one in which the count of steps is gone"),
        ("changes(training_steps_total[60s]) == 0", "changes(training_steps_total[60s]) < 0", HANG),
        (
            '(count(up{job="dcgm-exporter"} == 1) or vector(0)) < 100',
            'up{job="dcgm-exporter"} == 0',
            "a target that has vanished is missed",
        ),
        ("for: 104s", "for: 15m", HANG),
    ],
)
@pytest.mark.slow
def test_rule_that_pages_at_the_wrong_time_would_be_found(tmp_path, right, wrong, found_by):
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
    for rule in rules():
        promql_parser.parse(rule["expr"])


def test_broken_expression_would_be_found():
    with pytest.raises(ValueError):
        promql_parser.parse(rules()[0]["expr"].replace("]", ""))


def test_rules_have_a_severity_and_a_summary():
    for rule in rules():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"page", "ticket", "replace"}
        assert rule["annotations"]["summary"]


def test_device_metrics_are_exported():
    config, _ = yaml.safe_load_all(text("dcgm-exporter.yaml"))
    lines = config["data"]["counters.csv"].splitlines()
    exported = {line.split(",")[0] for line in lines if not line.startswith("#")}
    used = {name for rule in rules() for name in names(rule["expr"]) if name.startswith("DCGM")}
    assert used <= exported
    assert "DCGM_FI_DEV_GPU_TMP" not in exported  # a name with a slip would be missed


def test_page_comes_after_the_silence_that_was_derived():
    """Window, `for`, scrape and evaluation add up to the best silence, to the second."""
    stalled = next(rule for rule in rules() if rule["alert"] == "TrainingStalled")
    window = seconds(re.search(r"\[(\w+)\]", stalled["expr"])[1])
    total = find("operations.alarm_delay").at(
        W_a=f"{window} s", F_a=f"{seconds(stalled['for'])} s", x_s="15 s", x_e="15 s"
    )
    assert total.m_as("s") == pytest.approx(computed("operations.stall_silence", "s"), abs=0.5)


def test_series_that_is_gone_is_watched_as_well():
    assert any("absent_over_time(training_steps_total" in rule["expr"] for rule in rules())


# ---------------------------------------------------------------- manifests


def test_daemon_set_selects_what_it_labels_and_runs_on_gpu_nodes():
    _, daemons = yaml.safe_load_all(text("dcgm-exporter.yaml"))
    pod = daemons["spec"]["template"]
    assert daemons["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert pod["spec"]["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    mounted = {mount["name"] for c in pod["spec"]["containers"] for mount in c["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["spec"]["volumes"]}


def test_exporter_knows_the_name_of_its_node():
    """Else its label Hostname names a pod, and the automaton looks for a node of that name."""
    _, daemons = yaml.safe_load_all(text("dcgm-exporter.yaml"))
    surroundings = {each["name"]: each for each in daemons["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert surroundings["NODE_NAME"]["valueFrom"] == {"fieldRef": {"fieldPath": "spec.nodeName"}}


def test_job_of_the_run_hangs_together():
    service, job = yaml.safe_load_all(text("train.yaml"))
    pod = job["spec"]["template"]
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert pod["spec"]["subdomain"] == service["metadata"]["name"]
    assert job["spec"]["completions"] == job["spec"]["parallelism"]
    assert "training-0.training" in pod["spec"]["containers"][0]["command"]
    experiments = list(yaml.safe_load_all(text("chaos.yaml")))
    assert experiments[0]["spec"]["podChaos"]["selector"]["labelSelectors"] == pod["metadata"]["labels"]


def test_partition_says_what_it_does_not_cut():
    assert re.search(r"RDMA[^.]*does not\n?# pass the kernel", text("chaos.yaml"))
    assert "bypasses the kernel" in text_of("operations")


def chaos(source):
    """Return what Chaos Mesh 2 would refuse in the manifests."""
    complaints = []
    for manifest in yaml.safe_load_all(source):
        kind, spec = manifest["kind"], manifest["spec"]
        if "scheduler" in spec:
            complaints.append(f"{kind}: an inline scheduler is of version 1")
        if kind == "Schedule" and spec["type"][0].lower() + spec["type"][1:] not in spec:
            complaints.append(f"Schedule: nothing is said of {spec['type']}")
        if kind == "NetworkChaos" and spec["action"] == "partition" and "target" not in spec:
            complaints.append("NetworkChaos: from whom is it cut off?")
    return complaints


def test_experiments_are_of_the_current_version():
    assert chaos(text("chaos.yaml")) == []


def test_experiment_of_version_1_would_be_found():
    old = "kind: PodChaos\nspec: {action: pod-kill, mode: one, scheduler: {cron: '*/30 * * * *'}}\n"
    assert chaos(old) != []


def test_kills_leave_whole_segments():
    hours = int(re.search(r"@every (\d+)h", text("chaos.yaml"))[1])
    run = {"tau": find("operations.run_interval"), "C": find("operations.run_write"), "R": "6 min"}
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


def expect_error(source):
    """Return what AWS would refuse, or do against the author's will."""
    complaints = []
    for (kind, name), body in terraform(source).items():
        if kind == "aws_fsx_lustre_file_system":
            if body["deployment_type"] == '"PERSISTENT_2"' and {"import_path", "export_path"} & set(body):
                complaints.append(f"{name}: PERSISTENT_2 is linked by an association")
            if body["storage_capacity"] != 1200 and body["storage_capacity"] % 2400:
                complaints.append(f"{name}: the size goes in steps of 2400 GiB")
        if kind == "aws_s3_bucket_lifecycle_configuration":
            for rule in body["rule"]:
                if any("days" in part for part in rule.get("expiration", [])):
                    complaints.append(f"{name}: age alone would delete the last checkpoint of a run that pauses")
                if "filter" not in rule:
                    complaints.append(f"{name}: a rule without a filter takes everything")
                if any(part.get("days") == 0 for part in rule.get("expiration", [])):
                    complaints.append(f"{name}: zero days are refused")
    return complaints


@pytest.mark.parametrize("name", [p.relative_to(FOLDER).as_posix() for p in FILES if p.suffix == ".tf"])
def test_terraform_parses_and_would_be_taken(name):
    assert expect_error(text(name)) == []


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("store.tf", 'storage_type                = "SSD"', 'import_path = "s3://bucket"'),
        ("store.tf", "57600", "57000"),
        ("copies.tf", "expired_object_delete_marker = true", "days = 0"),
        ("copies.tf", "expired_object_delete_marker = true", "days = 30"),
        (
            "copies.tf",
            'id     = "behind-the-sweep"\n    status = "Enabled"\n    filter {\n      prefix = "copy/"\n    }',
            "",
        ),
    ],
)
def test_planted_slip_in_terraform_would_be_found(name, right, wrong):
    assert right in text(name)
    assert expect_error(text(name).replace(right, wrong)) != []


def test_what_terraform_refers_to_is_declared():
    whole = "\n".join(path.read_text() for path in FOLDER.glob("*.tf"))
    declared = set(re.findall(r'^variable "(\w+)"', whole, re.M))
    assert set(re.findall(r"\bvar\.(\w+)", whole)) == declared
    named = {f"{kind}.{name}" for kind, name in terraform(whole)}
    assert set(re.findall(r"\b(aws_\w+\.\w+)\.", whole)) <= named


def test_root_modules_have_their_providers():
    for root in (FOLDER, FOLDER / "second-region"):
        whole = "\n".join(path.read_text() for path in root.glob("*.tf"))
        assert 'provider "aws" {' in whole and "required_providers" in whole
        assert set(re.findall(r"\baws\.(\w+)$", whole, re.M)) <= set(re.findall(r'alias\s+= "(\w+)"', whole))


def test_copies_have_one_name_where_they_are_made_replicated_and_looked_for():
    (rule,) = re.findall(r'id     = "copies".*?prefix = "(\w+)/"', text("copies.tf"), re.S)
    (folder,) = re.findall(r'file_system_path     = "/(\w+)"', text("store.tf"))
    (looked,) = re.findall(r"s3://checkpoints-second/(\w+)/\$run/", text("drill.sh"))
    (made,) = re.findall(r'^COPIES = "(\w+)"', (ROOT / "practice/run/store.py").read_text(), re.M)
    assert rule == folder == looked == made
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


def stand_in(folder, name, body):
    (folder / name).write_text(f"#!/bin/bash\n{body}\n")
    (folder / name).chmod(0o755)


def started(folder, script):
    """Return the arguments with which a script calls torchrun."""
    stand_in(folder, "torchrun", 'printf "%s\\n" "$@"')
    stand_in(folder, "python", 'printf "%s\\n" "$@" > beside')
    here = {"PATH": f"{folder}:/usr/bin:/bin"}
    return run(["bash", script, "run-42", "node-0", "--resume"], env=here, cwd=folder).stdout.split("\n")[:-1]


def test_launch_hands_every_option_over(tmp_path):
    given = started(tmp_path, FOLDER / "launch.sh")
    assert given[-3:] == ["-m", "practice.run.train", "--resume"]
    options = dict(option.split("=", 1) for option in given[:-3])
    assert set(options) == {
        "--nnodes",
        "--nproc-per-node",
        "--max-restarts",
        "--rdzv-backend",
        "--rdzv-endpoint",
        "--rdzv-id",
    }
    low, high = map(int, options["--nnodes"].split(":"))
    assert (high - low) / high == pytest.approx(computed("operations.elastic_from.x_g", ""))
    assert options["--rdzv-backend"] in {"c10d", "etcd", "etcd-v2", "static"}


def test_launch_starts_the_watch_beside_the_launcher(tmp_path):
    """Else no heart is listened to, and nothing that the alerts name is ever written."""
    started(tmp_path, FOLDER / "launch.sh")
    end = time.monotonic() + 20
    while not (tmp_path / "beside").exists() and time.monotonic() < end:
        time.sleep(0.01)
    module, launcher, name, *rest = (tmp_path / "beside").read_text().split("\n")[1:-1]
    assert (module, name, rest) == ("practice.run.beside", "run-42", ["--resume"]) and int(launcher) > 1


def test_comment_after_a_backslash_would_be_found(tmp_path):
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
        stand_in(folder, name, body)
    (folder / "job.sbatch").write_text(script or text("job.sbatch"))
    here = {"PATH": f"{folder}:/usr/bin:/bin", "SLURM_JOB_NODELIST": "nodes", "SLURM_JOB_ID": "7", "DISK": "disk"}
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


@pytest.mark.parametrize("srun, code", [("exit 0", 0), ("exit 3", 3)])
def test_slurm_job_that_ends_by_itself_does_not_come_back(tmp_path, srun, code):
    assert slurm_job(tmp_path, srun=srun) == code
    assert not (tmp_path / "queue").exists()


def test_slurm_job_that_leaves_before_its_step_has_saved_would_be_found(tmp_path):
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
        said = int(run(["bash", FOLDER / "corrupt.sh", file]).stdout)
        after = file.read_bytes()
        differ = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        assert differ == [said]
        assert bin(before[said] ^ after[said]).count("1") == 1
        places.add(said)
    assert max(places) > 2**15 or len(places) > 4  # `$RANDOM` would never get beyond


def drilled(folder, seconds, listing="copy/run-42/step-00000042/manifest.json"):
    """Run the drill by a clock of its own, which stands at so many seconds once there are machines."""
    (folder / "clock").write_text("0")
    stand_in(folder, "terraform", f"echo {seconds} > clock")
    stand_in(folder, "kubectl", 'mkdir -p run-42; echo \'{"what": "step", "step": 43}\' > run-42/events-0.jsonl')
    listed = f'echo "2026-01-01 00:00:00 12 {listing}"'
    stand_in(folder, "aws", f'if [ "$2" = ls ]; then {listed}; else echo "$@" >> copied; fi')
    script = folder / "drill.sh"
    script.write_text(text("drill.sh").replace("$SECONDS", "$(<clock)").replace("SECONDS", "$(<clock)"))
    return run(["bash", script, "run-42"], env={"PATH": f"{folder}:/usr/bin:/bin", "DISK": "."}, cwd=folder)


def test_drill_keeps_its_promise_or_fails(tmp_path):
    promise, noticing = (int(re.search(rf"{w}=(\d+)", text("drill.sh"))[1]) for w in ("promise", "noticing"))
    kept = drilled(tmp_path, promise - noticing)
    assert (kept.returncode, f"spent {promise - noticing} s" in kept.stdout) == (0, True)
    assert "copy/run-42/step-00000042" in (tmp_path / "copied").read_text()
    assert drilled(tmp_path, promise - noticing + 1).returncode != 0


def test_drill_refuses_where_no_copy_is_complete(tmp_path):
    """A checkpoint without its manifest is a copy that is still under way."""
    done = drilled(tmp_path, 1, listing="copy/run-42/step-00000042/__0_0.distcp")
    assert done.returncode != 0 and "no copy of run-42" in done.stderr


# ---------------------------------------------------------------- python


@pytest.fixture
def module(request):
    """Load a file of the folder."""
    found = importlib.util.spec_from_file_location("artefact", FOLDER / request.param)
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
        """Say nothing."""


def watched(cloud, answers, flag):
    handler = type("Answers", (Metadata,), {"answers": answers, "asked": 0})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        more = ["--cloud", cloud, "--flag", flag, "--server", address, "--every", "0.05"]
        done = run([sys.executable, FOLDER / "interruption.py", *more])
    finally:
        server.shutdown()
        server.server_close()
    return done, handler.asked


NOTICE = json.dumps({"action": "terminate", "time": "2026-01-01T00:02:00Z"})
QUIET = {"aws": (404, ""), "gcp": (200, "FALSE")}
ENDING = {"aws": (200, NOTICE), "gcp": (200, "TRUE")}


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
@pytest.mark.slow
def test_handler_waits_for_the_notice_and_leaves_a_flag(cloud, tmp_path):
    flag = tmp_path / "flag"
    done, asked = watched(cloud, [QUIET[cloud], QUIET[cloud], ENDING[cloud]], flag)
    assert done.returncode == 0
    assert asked == 3
    assert float(flag.read_text()) > 0


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
@pytest.mark.slow
def test_handler_that_cannot_see_says_so(cloud, tmp_path):
    broken = [(500, "")] * 4
    done, _ = watched(cloud, [*broken, ENDING[cloud]], tmp_path / "flag")
    assert done.stderr.count("blind") == 1


@pytest.mark.parametrize("module", ["replace_node.py"], indirect=True)
def test_wrong_rule_cannot_empty_the_fleet(module):
    def alert(node):
        return {"status": "firing", "labels": {"severity": "replace", "Hostname": node}}

    earlier, verdicts = [], []
    for i in range(20):
        verdict, _ = module.judge(alert(f"node-{i}"), earlier, now=1000.0 + i)
        verdicts.append(verdict)
        if verdict == "replace":
            earlier.append(1000.0 + i)
    assert verdicts.count("replace") == computed("operations.day_limit", "")
    assert module.judge(alert("node-0"), earlier, now=1e6)[0] == "replace"
    assert module.judge({"status": "resolved"}, [], now=0)[0] == "page"
    assert module.judge(alert(None), [], now=0)[0] == "page"


@pytest.mark.parametrize("module", ["replace_node.py"], indirect=True)
def test_node_is_drained_before_it_is_given_back(module):
    steps = []

    def kubectl(*words):
        steps.append(words[0])
        return "aws:///us-east-1a/i-0abc"

    module.replace("node-3", kubectl, lambda instance: steps.append(instance))
    assert steps == ["cordon", "drain", "get", "i-0abc"]


# ---------------------------------------------------------------- the list with numbers

STATES = {"validated", "executed", "read", "tested"}


def promised():
    """Return `{artefact: words of its state}` of the list of boxes in the page."""
    page = text_of("operations")
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|[^|]*\|([^|]*)\|$", page, re.M)
    return [(name, state) for files, state in rows for name in re.findall(r"`([\w-]+\.\w+)`", files)]


def overstated(checks):
    """Return what the list of boxes says of artefacts beyond what the record of the run says."""
    seen = {}
    for check in checks:
        for name in re.findall(r"[\w-]+\.\w+", check["files"]):
            seen.setdefault(name, set()).add(check["state"])
    seen |= {name: {"validated"} for name in ("store.tf", "copies.tf", "fleet.tf") if "validated" in seen["main.tf"]}
    # what tests execute besides, for which there is no line in the record
    also = {
        "corrupt.sh": {"executed"},
        "alerts.yaml": {"executed"},
        "copies.tf": {"executed"},
        "chaos.yaml": {"executed"},
    }
    known = [(name, state) for name, state in promised() if name in seen]
    claimed = lambda state: STATES & set(re.findall(r"\w+", state)) - {"read", "tested"}  # noqa: E731
    return [(name, state) for name, state in known if claimed(state) - seen[name] - also.get(name, set())]


def test_list_says_no_more_of_an_artefact_than_the_record():
    checks = json.loads((ROOT / "practice/recorded/run.json").read_text())["checks"]
    assert len(promised()) >= 10 and overstated(checks) == []
    unseen = [{**check, "state": "only read"} if "chaos" in check["files"] else check for check in checks]
    assert [name for name, _ in overstated(unseen)] == ["chaos.yaml"]
