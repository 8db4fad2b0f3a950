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
from contextlib import contextmanager
from pathlib import Path

import bootstrap
from bootstrap import BUILD, ROOT, say

PLACE = ROOT / ".venv-practice"
PYTHON = PLACE / "bin" / "python"
WANTED = ROOT / "practice" / "requirements.txt"
LOCK = ROOT / "practice" / "requirements.lock"
HEAD = "# Made by `python3 .ci/reference_run.py --lock` from requirements.txt beside it; not edited by hand.\n"
MISSING = BUILD / "reference-run-missing.txt"
LONGEST_S = 300  # of a download, so that whoever waits for the tests waits no longer
# Builds of torch for the processor alone, which lie beside the main index: smaller by a factor of twenty than
# those that bring a graphics library along. pip takes one where its settings lead to one.
PROCESSOR_BUILDS = ("6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b",)  # Linux x86-64, Python 3.11
NO_TORCH = (
    "there is no torch for the processor alone: name an index that has such builds in PIP_EXTRA_INDEX_URL, or a "
    "folder with one in PIP_FIND_LINKS; on Linux the lock knows that of x86-64 and Python 3.11"
)
POLICY = Path("/usr/sbin/policy-rc.d")
GRAPHICS = re.compile(r"^(?:nvidia-|cuda-|triton)")


def environment():
    """Create .venv-practice with the locked packages and nothing else."""
    MISSING.unlink(missing_ok=True)
    made_from = bootstrap.checksum(LOCK.read_text(), sys.version, ROOT)
    if PYTHON.exists() and bootstrap.stamp(PLACE) == made_from:
        return
    say("making .venv-practice for the reference run, once (some minutes; 1.4 GB)")
    venv.create(PLACE, clear=True, with_pip=True)
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", LOCK]
    errors = attempt([PYTHON, "-m", "pip", "install", "--quiet", *options])
    if errors:
        no_torch = re.search(r"(?:No matching distribution|from versions).*\btorch==", errors)
        give_up(NO_TORCH if no_torch else errors.splitlines()[-1])
    if attempt([PYTHON, "-c", "import torch, torchdata.stateful_dataloader"]):
        give_up("torch does not load")
    bootstrap.stamp(PLACE, made_from)


def attempt(command):
    """Run a command, for no longer than it may take, and return what it says when it fails, else an empty text."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"it takes more than {LONGEST_S} s"
    return (done.stderr.strip() or f"it ends with {done.returncode}") if done.returncode else ""


def give_up(reason):
    """Write the missing parts into the note, print it and exit with code 1."""
    shutil.rmtree(PLACE, ignore_errors=True)
    message = f"The reference run cannot be had here: {reason}."
    MISSING.write_text(f"{message}\n")
    sys.exit(message)


def cluster():
    """Install missing packages of the cluster of the reference run, if the user may."""
    sys.path.insert(0, str(ROOT))
    from practice.run.cluster import lacking

    packages = lacking()
    if packages:
        with no_services():
            bootstrap.apt_install(*packages)
    packages = lacking()
    if packages:
        say("{} cannot be had: the faults on a cluster are not executed here".format(", ".join(packages)))


@contextmanager
def no_services():
    """Keep packages from starting their daemons while they are installed, as Debian's policy layer provides."""
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if POLICY.exists() or not all(map(shutil.which, rights[:1])):
        yield
        return
    script = f"printf '#!/bin/sh\\nexit 101\\n' > {POLICY} && chmod +x {POLICY}"
    subprocess.run([*rights, "sh", "-c", script], check=False)
    try:
        yield
    finally:
        subprocess.run([*rights, "rm", "-f", str(POLICY)], check=False)


def lock():
    """Resolve the lock again, with the uv that `make lock` installs and without graphics libraries."""
    how = ["--universal", "--python-version=3.11", "--generate-hashes", "--only-binary=:all:"]
    form = ["--no-header", "--no-annotate", "--quiet"]
    command = [BUILD / "lock" / "bin" / "uv", "pip", "compile", WANTED, *how, *form]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    blocks = [block for block in re.split(r"\n(?=\S)", text.rstrip()) if not GRAPHICS.match(block)]
    LOCK.write_text(HEAD + "\n".join(map(for_each_system, blocks)) + "\n")


def for_each_system(block):
    """Split torch's block: the wheels of the main index are CPU-only on macOS, but not on Linux."""
    if not block.startswith("torch=="):
        return block
    head, _, hashes = block.partition(" \\\n")
    built = " \\\n".join(f"    --hash=sha256:{digest}" for digest in PROCESSOR_BUILDS)
    return f"{head} ; sys_platform == 'darwin' \\\n{hashes}\n{head}+cpu ; sys_platform == 'linux' \\\n{built}"


if __name__ == "__main__":
    bootstrap.in_turn(*([lock] if "--lock" in sys.argv else [environment, cluster]))
