"""Two clean builds of one commit are the same to the byte: in another folder, and with sets in another order.

The tiny book is a sample: it is built twice with the real driver, nothing kept from earlier builds. Left to
`make nightly`, as both compile the Python of the pages anew.
"""

import os
import subprocess

import pytest
from test_jupyter_book_build import different, files
from test_tiny_book_build import PAGE, Project

pytestmark = [pytest.mark.slow, pytest.mark.extended, pytest.mark.node, pytest.mark.xdist_group("reproducible")]
COMMITTED = "2026-01-02T03:04:05Z"
SEEDED = '\n```{code-cell}\nprint(", ".join({"one", "two", "three", "four", "five", "six", "seven"}))\n```\n'


def committed(folder):
    """Return a project with the good tiny book, in a repository whose only commit is of a fixed time."""
    folder.mkdir(parents=True)
    project = Project(folder)
    who = {f"GIT_{role}_{part}": "x@example" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    who |= {"GIT_AUTHOR_DATE": COMMITTED, "GIT_COMMITTER_DATE": COMMITTED}
    for command in (["init", "-q"], ["add", "_toc.yml", "book"], ["commit", "-q", "-m", "The tiny book"]):
        subprocess.run(["git", *command], cwd=folder, env={**os.environ, **who}, check=True)
    return project


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Return two projects of the same commit, the path of the second being longer."""
    return committed(tmp_path_factory.mktemp("one") / "book"), committed(
        tmp_path_factory.mktemp("two") / "a" / "further"
    )


def built(projects, monkeypatch, *options):
    """Build each project with hashes of its own; return the bytes of the files of both sites, by name."""
    found = []
    for seed, project in enumerate(projects, 1):
        monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
        monkeypatch.setenv("PYTHONHASHSEED", f"{seed}")
        code, output = project.build(None, *options)
        assert code == 0, output
        found.append(files(project.folder / "_build" / "html"))
    return found


def test_two_clean_builds_are_the_same_to_the_byte(projects, monkeypatch):
    one, other = built(projects, monkeypatch, "--cold")
    assert {name.suffix for name in one} >= {".html", ".js", ".css", ".woff2", ".zip"}
    assert different(one, other) == []


def test_output_in_the_order_of_a_set_is_found(projects, monkeypatch):
    for project in projects:
        page = project.folder / PAGE
        page.write_text(page.read_text("utf-8") + SEEDED, "utf-8")
    assert PAGE.replace(".md", ".html") in different(*built(projects, monkeypatch))
