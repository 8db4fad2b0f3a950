"""Protects what a stranger relies on: what lies where, two locks that agree, words of make."""

import ast
import importlib
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import mathcore

ROOT = Path(__file__).resolve().parent.parent
# Written so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|Users|root|work|farm)/\w")
REGISTRY = re.compile(r"(?:pypi|npmjs)\.(?:org|com)|pythonhosted\.org|(?:yarnpkg|npmmirror)\.com")


def read(name):
    return (ROOT / name).read_text()


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return listed.stdout.decode().strip("\0").split("\0")


def pyproject():
    return tomllib.loads(read("pyproject.toml"))


def normal(name):
    """Return the one spelling of a package's name that locks use."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins():
    groups = {**pyproject()["dependency-groups"], "core": pyproject()["project"]["dependencies"]}
    groups |= pyproject()["project"]["optional-dependencies"]
    return sorted(pin for group in groups.values() for pin in group)


# ---------------------------------------------------------------- what lies where


def test_no_file_names_a_place_of_one_machine_or_a_registry():
    found = []
    for name in tracked():
        text = (ROOT / name).read_bytes().decode(errors="ignore")
        found += [f"{name}: {hit}" for sign in (MACHINE_PATH, REGISTRY) for hit in sign.findall(text)]
    assert found == []


@pytest.mark.parametrize("seeded", ["see /ho" + "me/jo/book", "(/wo" + "rk/x)", "https://py" + "pi.org/simple"])
def test_places_and_registries_are_found(seeded):
    assert MACHINE_PATH.search(seeded) or REGISTRY.search(seeded)


def test_version_is_the_same_in_every_file():
    version = pyproject()["project"]["version"]
    assert mathcore.__version__ == yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert json.loads(read("package.json"))["version"] == version
    assert json.loads(read("package-lock.json"))["version"] == version
    assert re.findall(r"^## (\S+)", read("CHANGELOG.md"), re.M)[0] == version


def test_licences_name_who_holds_the_rights():
    holder = pyproject()["project"]["authors"][0]["name"]
    assert all(holder in read(name) for name in ("LICENSE", "LICENSE-TEXT", "CITATION.cff"))


# ---------------------------------------------------------------- locks


@pytest.mark.parametrize("name", ["requirements.lock", "package-lock.json"])
def test_lock_holds_no_address(name):
    address = re.compile(r"(?<!url\": \"https)://|\bindex-url|\bfind-links|\"resolved\"")
    assert [line for line in read(name).splitlines() if address.search(line)] == []
    assert address.search("--index-url https://example.org/simple")


def unlocked_requirements(pins, lock):
    """Return the requirements that the lock does not hold: pins exactly, ranges within."""
    locked = {name: version for name, version in re.findall(r"^(\S+?)==(\S+) \\$", lock, re.M)}
    wanted = [Requirement(pin) for pin in pins]
    return [str(w) for w in wanted if not w.specifier.contains(locked.get(normal(w.name), "0"))]


def test_pins_and_ranges_are_those_of_the_lock():
    assert unlocked_requirements(pins(), read("requirements.lock")) == [], "run `make lock`"
    assert unlocked_requirements(["Sym_Py==1.14.0", "pint>=0.24,<0.26"], "sym-py==1.14.0 \\\npint==0.23 \\\n") == [
        "pint<0.26,>=0.24"
    ]


def test_tools_are_pinned_and_the_library_is_not():
    groups = pyproject()["dependency-groups"].values()
    assert [pin for group in groups for pin in group if "==" not in pin] == []
    library = [*pyproject()["project"]["dependencies"], *pyproject()["build-system"]["requires"]]
    assert [each for each in library if ">=" not in each or "<" not in each] == []


def test_each_locked_package_has_a_checksum():
    packages = re.split(r"\n(?=\S)", read("requirements.lock"))[1:]
    assert [block for block in packages if "--hash=sha256:" not in block] == []


def test_browser_parts_are_pinned_as_locked_and_have_checksums():
    wanted = json.loads(read("package.json"))
    locked = json.loads(read("package-lock.json"))["packages"]
    for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in locked[name] for name in locked if name)


def test_build_backend_is_installed_from_the_lock():
    assert unlocked_requirements(pyproject()["build-system"]["requires"], read("requirements.lock")) == [], (
        "run `make lock`"
    )


# ---------------------------------------------------------------- words of make


def words():
    """Return the rules of the Makefile that are for people: all but the check for Python."""
    (listed,) = re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.M)
    return set(listed.split()) - {"python"}


def test_help_lists_every_word():
    result = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^  ([\w-]+) +\S", result.stdout, re.M)) == words()
    assert result.stdout == subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_page_names_only_words_that_there_are(name):
    used = re.findall(r"(?:`|^    )make ([\w-]+)", read(name), re.M)
    assert used and set(used) <= words()


def unresolved(code):
    """Yield what a script imports from this project, at its top or within a function, and does not get."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in ("mathcore", "mathbook", "tests"):
            try:
                module = importlib.import_module(node.module)
            except ModuleNotFoundError:
                yield node.module
                continue
            yield from (f"{node.module}.{each.name}" for each in node.names if not hasattr(module, each.name))


def test_scripts_of_ci_import_what_there_is():
    scripts = {path: path.read_text() for path in (ROOT / ".ci").glob("*.py")}
    assert any("from tests" in code for code in scripts.values())
    assert [name for code in scripts.values() for name in unresolved(code)] == []


@pytest.mark.parametrize("name", ["tests.weights", "tests.support.page_weights"])
def test_import_of_what_is_not_there_is_found(name):
    code = f"def weight():\n    from {name} import shares\n"
    assert list(unresolved(code)) == [name if name == "tests.weights" else f"{name}.shares"]


def test_ci_calls_make_without_input(tmp_path):
    fake = tmp_path / "make"
    fake.write_text('#!/bin/sh\necho "make $* CI=$CI in $PWD, input: $(cat)"\n')
    fake.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [ROOT / ".ci" / "run"], cwd=tmp_path, env={**os.environ, "PATH": path},
        input="typed", capture_output=True, text=True,
    )  # fmt: skip
    made, *_, short = ran.stdout.splitlines()  # between them the note where the machine bears no cluster
    assert made == f"make test CI=true in {ROOT}, input: "
    assert re.fullmatch(rf"make reference-run ARGS=--short( [a-z ]+)? CI=true in {ROOT}, input: ", short)
    assert ("not executed here" in ran.stdout) == ("--short " in short.removesuffix(f" CI=true in {ROOT}, input: "))


@pytest.mark.parametrize("name", ["test", "deploy", "nightly"])
def test_workflow_uses_actions_of_a_fixed_major_version(name):
    jobs = yaml.safe_load(read(f".github/workflows/{name}.yml"))["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/x@v1")) for step in steps)
    assert any(step.get("run") in (".ci/run", "make book", "make nightly") for step in steps)
