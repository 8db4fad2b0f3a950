"""Checks of the artefacts of the chapter on operations with the tools that read them.

If a tool is missing on this machine, its artefacts are reported as not checked.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from practice.run.lab import ARTEFACTS

FOLDER = ARTEFACTS
LONGEST_S = 90
SHELL = ("launch.sh", "drill.sh", "corrupt.sh", "job.sbatch")
CORE_KINDS = ("train.yaml",)


class Check(NamedTuple):
    """Result of a tool for some files: `state` is validated, refused or not checked."""

    files: str
    tool: str
    state: str
    words: str


def run_tool(command, **more):
    """Return `(success, output without colour codes)` of a command."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LONGEST_S, **more)
    except subprocess.TimeoutExpired:
        return False, f"{command[0]} took longer than {LONGEST_S} s"
    return done.returncode == 0, re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr).strip()


def check(files, tool, commands, folder=FOLDER):
    """Run commands one after the other and return the Check, with the output of the first that fails."""
    words = ""
    for command in commands:
        good, words = run_tool(command, cwd=folder)
        if not good:
            return Check(files, tool, "refused", words[-300:])
    return Check(files, tool, "validated", words.splitlines()[-1] if words else "no complaint")


def not_installed(files, tool):
    """Return the Check of files whose tool is not installed."""
    return Check(files, tool, "not checked", "the tool was not installed")


def alerts(folder=FOLDER):
    """Check the alert rules and run their unit tests with promtool."""
    files = "alerts.yaml, alerts.test.yaml"
    if not shutil.which("promtool"):
        return not_installed(files, "promtool")
    version = run_tool(["promtool", "--version"])[1].split(",")[1].split("+")[0].removeprefix(" version ")
    rules = [["promtool", "check", "rules", "alerts.yaml"], ["promtool", "test", "rules", "alerts.test.yaml"]]
    found = check(files, f"promtool {version}", rules, folder)
    if found.state == "refused":
        return found
    tests = (folder / "alerts.test.yaml").read_text().count("  - name: ")
    return found._replace(words=f"rules parse; {tests} unit tests over synthetic series pass")


def shell(folder=FOLDER):
    """Check the scripts with shellcheck."""
    tool = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if not tool:
        return not_installed(", ".join(SHELL), "shellcheck")
    version = re.search(r"^version: (\S+)", run_tool([tool, "--version"])[1], re.M)[1]
    return check(", ".join(SHELL), f"shellcheck {version}", [[tool, *SHELL]], folder)


def manifests(folder=FOLDER):
    """Check the Kubernetes manifest against the schemas of its API."""
    version = run_tool([sys.executable, "-m", "kubernetes_validate", "--version"])[1].split()[-1]
    command = [sys.executable, "-m", "kubernetes_validate", "--strict", *CORE_KINDS]
    return check(", ".join(CORE_KINDS), f"kubernetes-validate {version}, strict", [command], folder)


def terraform(folder=FOLDER, part="."):
    """Check a root module with terraform and its provider, if both are installed."""
    where = "main.tf and the .tf files beside it" if part == "." else f"{part}/main.tf"
    if not shutil.which("terraform"):
        return not_installed(where, "terraform validate")
    plugins = os.environ.get("TF_PLUGIN_DIR")
    with tempfile.TemporaryDirectory() as copy:
        for file in (folder / part).glob("*.tf"):
            shutil.copy(file, copy)
        init = ["terraform", "init", "-backend=false", "-input=false", *([f"-plugin-dir={plugins}"] if plugins else [])]
        good, words = run_tool(init, cwd=copy)
        if not good:
            return not_installed(where, "terraform validate with its provider")
        version = re.search(r"Terraform v(\S+)", run_tool(["terraform", "version"])[1])[1]
        provider = re.search(r"hashicorp/aws v(\d+\.\d+\.\d+)", words)[1]
        tool = f"terraform {version}, provider aws {provider}"
        return check(where, tool, [["terraform", "fmt", "-check"], ["terraform", "validate", "-no-color"]], copy)


def monitor(folder=FOLDER):
    """Check the configurations of Prometheus and Alertmanager with promtool and amtool."""
    files = "prometheus.yaml, alertmanager.yaml"
    if not (shutil.which("promtool") and shutil.which("amtool")):
        return not_installed(files, "promtool, amtool")
    commands = [["promtool", "check", "config", "--syntax-only", "prometheus.yaml"]]
    found = check(files, "promtool, amtool", [*commands, ["amtool", "check-config", "alertmanager.yaml"]], folder)
    return found if found.state == "refused" else found._replace(words="both are valid")


def every(folder=FOLDER):
    """Return all checks."""
    found = [alerts(folder), monitor(folder), shell(folder), manifests(folder)]
    return [*found, terraform(folder), terraform(folder, "second-region")]


# An error for each kind of file, which the tool has to refuse.
ERRORS = {
    "alert that pages during a restart": (
        alerts,
        "alerts.yaml",
        "            unless on (run) (training_restarting == 1 and on (instance, run) training:fresh)\n",
        "",
    ),
    "vanished target without an alert": (
        alerts,
        "alerts.yaml",
        '(count(up{job="dcgm-exporter"} == 1) or vector(0)) < 100',
        'up{job="dcgm-exporter"} == 0',
    ),
    "variable without quotes": (shell, "launch.sh", '"${training[@]}"', "${training[@]}"),
    "field that Kubernetes does not know": (manifests, "train.yaml", "backoffLimitPerIndex", "backoffLimitPerPod"),
    "reference to a missing resource": (terraform, "copies.tf", "aws_s3_bucket.second.arn", "aws_s3_bucket.third.arn"),
}


def check_with_error(name):
    """Return the Check of a copy of the artefacts with one seeded error."""
    tool, file, right, wrong = ERRORS[name]
    with tempfile.TemporaryDirectory() as copy:
        folder = Path(copy, "artefacts")
        shutil.copytree(FOLDER, folder)
        text = (folder / file).read_text()
        if right not in text:
            return Check(file, "none", "validated", f"`{right}` is not in the file")
        (folder / file).write_text(text.replace(right, wrong))
        return tool(folder)
