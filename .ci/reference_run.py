"""Set up .venv-practice for the reference run, or say in one sentence what is missing: `python3 .ci/reference_run.py`.

Where the run cannot be had, without a network or a build of torch for the processor alone, it fails and leaves
the sentence in _build/reference-run-missing.txt. `make reference-run` fails then; `.ci/run` goes on, because the
book does not need it.
"""

import os
import re
import shutil
import subprocess
import sys
import venv

import bootstrap
from bootstrap import BUILD, ROOT, say

PLACE = ROOT / ".venv-practice"
PYTHON = PLACE / "bin" / "python"
WANTED = ROOT / "practice" / "requirements.txt"
LOCK = ROOT / "practice" / "requirements.lock"
HEAD = "# Made by `python3 .ci/reference_run.py --lock` from requirements.txt beside it; not edited by hand.\n"
MISSING = BUILD / "reference-run-missing.txt"
LONGEST_S = 300  # of a download, so that whoever waits for the tests waits no longer
TIMED_OUT = 124  # as `timeout` says it
# Builds of torch for the processor alone, which lie beside the main index: smaller by a factor of twenty than
# those that bring a graphics library along. pip takes one where its settings lead to one.
PROCESSOR_BUILDS = ("6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",)  # Linux x86-64, Python 3.11
NO_TORCH = (
    "there is no torch for the processor alone: name an index that has such builds in PIP_EXTRA_INDEX_URL, or a "
    "folder with one in PIP_FIND_LINKS; on Linux the lock knows that of x86-64 and Python 3.11"
)
GRAPHICS = re.compile(r"^(?:nvidia-|cuda-|triton)")


def environment():
    """Make .venv-practice with the locked packages and nothing else."""
    MISSING.unlink(missing_ok=True)
    made_from = bootstrap.checksum(LOCK.read_text(), sys.version, ROOT)
    if PYTHON.exists() and bootstrap.stamp(PLACE) == made_from:
        return
    say("making .venv-practice for the reference run, once (some minutes; 1.4 GB)")
    venv.create(PLACE, clear=True, with_pip=True)
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", LOCK]
    result = attempt("pip-practice", [PYTHON, "-m", "pip", "install", *options])
    if result.returncode:
        told = result.stdout + result.stderr
        if result.returncode == TIMED_OUT:
            give_up(f"its packages did not come within {LONGEST_S} s")
        no_torch = re.search(r"(?:No matching distribution|from versions).*\btorch==", told)
        give_up(NO_TORCH if no_torch else bootstrap.cause(told))
    result = attempt("torch", [PYTHON, "-c", "import torch, torchdata.stateful_dataloader"])
    if result.returncode:
        give_up("torch does not load")
    bootstrap.stamp(PLACE, made_from)


def attempt(log, command):
    """Run a command, for no longer than it may take."""
    try:
        return bootstrap.attempt(log, ["timeout", LONGEST_S, *command])
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"OSError: {error}")


def give_up(reason):
    """Say what is missing and end."""
    shutil.rmtree(PLACE, ignore_errors=True)
    told = f"The reference run cannot be had here: {reason} (in full: _build/log)."
    MISSING.write_text(f"{told}\n")
    sys.exit(told)


def tools():
    """Install promtool, where the system's packages have it and the person may; without it its files are only read."""
    if shutil.which("promtool") or not shutil.which("apt-get"):
        return
    right = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if all(map(shutil.which, right[:1])):
        say("installing promtool with apt-get (package prometheus)")
        apt = [*right, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "--yes"]
        bootstrap.attempt("apt-update", [*apt, "update"])
        bootstrap.attempt("apt-promtool", [*apt, "install", "--no-install-recommends", "prometheus"])


def lock():
    """Resolve the lock anew, with the uv that pyproject.toml names and without graphics libraries."""
    (tool,) = bootstrap.pyproject()["dependency-groups"]["lock"]
    place = BUILD / "lock"
    bootstrap.run("lock-venv", [sys.executable, "-m", "venv", place], "No place for uv")
    bootstrap.run("lock-uv", [place / "bin" / "python", "-m", "pip", "install", tool], "No uv")
    how = ["--universal", "--python-version=3.11", "--generate-hashes", "--only-binary=:all:"]
    form = ["--no-header", "--no-annotate", "--quiet"]
    text = bootstrap.run("lock-practice", [place / "bin" / "uv", "pip", "compile", WANTED, *how, *form], "No lock")
    blocks = [block for block in re.split(r"\n(?=\S)", text.rstrip()) if not GRAPHICS.match(block)]
    LOCK.write_text(HEAD + "\n".join(map(for_each_system, blocks)) + "\n")


def for_each_system(block):
    """Split torch's block: what the main index has is for the processor alone on macOS, and not on Linux."""
    if not block.startswith("torch=="):
        return block
    head, _, hashes = block.partition(" \\\n")
    built = " \\\n".join(f"    --hash=sha256:{digest}" for digest in PROCESSOR_BUILDS)
    return f"{head} ; sys_platform == 'darwin' \\\n{hashes}\n{head}+cpu ; sys_platform == 'linux' \\\n{built}"


if __name__ == "__main__":
    bootstrap.in_turn(*([lock] if "--lock" in sys.argv else [environment, tools]))
