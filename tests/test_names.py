"""Protects names: what a check finds is an issue, functions are named by verbs or nouns, one name has one meaning."""

import ast
import re
from collections import defaultdict

import pytest

from mathcore.errors import ROOT

CODE = [p for top in ("mathcore", "book/_ext") for p in sorted((ROOT / top).rglob("*.py")) if "chapters" not in p.parts]
# an issue is what a check finds in the content of a book; an error is an exception
OTHER_WORDS = {"complaint", "fault", "problem", "reckoned", "regime", "stray", "twin", "unmet"}
PARTICIPLE = re.compile(r"_*([a-z]+ed|begun|broken|drawn|found|given|held|kept|left|lost|made|seen|shown|told|written)")
PARTICIPLES = {
    "measured": "a kind of trace, which cells of pages import",
    "predicted": "a kind of trace, which cells of pages import",
    "simulated": "a kind of trace, which cells of pages import",
    "_unpickled": "stored in pickled quantities",
}
SHARED = {
    "Axis": "of a figure in cells of pages, and of a calculator in a data file",
    "Bars": "a figure in cells of pages, and a panel of a calculator in a data file",
    "answer_instruction": "of each export format",
    "display_path": "of the engine, and of the extension, which prints paths relative to a checkout",
    "gammainc_regularized": "of numbers and of arrays",
    "main": "of each command",
    "neg_inv_lambertw0_minus1": "of numbers and of arrays",
    "one_plus_lambertw0": "of numbers and of arrays",
    "setup": "of each part of the Sphinx extension",
}


def definitions(tree):
    """Return all functions and classes of a module, and whether each is at its top."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return [(node, node in tree.body) for node in ast.walk(tree) if isinstance(node, kinds)]


def name_issues(source):
    """Yield the names in a source that say what is wrong in another word, and functions named by a participle."""
    for node, top in definitions(ast.parse(source)):
        words = {word.rstrip("s") for word in node.name.lower().strip("_").split("_")}
        if words & {word.rstrip("s") for word in OTHER_WORDS}:
            yield f"{node.name}: say issue or error"
        if top and PARTICIPLE.fullmatch(node.name) and node.name not in PARTICIPLES:
            yield f"{node.name}: name what it returns or does"


def names_with_several_meanings(sources):
    """Return `{public name: paths}` of the names that several modules define."""
    found = defaultdict(list)
    for path, source in sources.items():
        for node, top in definitions(ast.parse(source)):
            if top and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(set(paths)) > 1 and name not in SHARED}


SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in CODE}


def test_names_of_functions_and_classes_say_what_they_are():
    assert {path: found for path, source in SOURCES.items() if (found := list(name_issues(source)))} == {}


def test_public_name_is_defined_in_one_module():
    assert names_with_several_meanings(SOURCES) == {}


@pytest.mark.parametrize(
    ("source", "name"), [("def shown():\n    pass", "shown"), ("def _faults_of(page):\n    pass", "_faults_of")]
)
def test_other_word_and_participle_are_found(source, name):
    assert [issue.partition(":")[0] for issue in name_issues(source)] == [name]


def test_name_with_two_meanings_is_found():
    assert names_with_several_meanings({"a.py": "def table():\n    pass", "b.py": "class table:\n    pass"}) == {
        "table": ["a.py", "b.py"]
    }


def test_every_exception_is_needed():
    names = defaultdict(set)
    for path, source in SOURCES.items():
        for node, top in definitions(ast.parse(source)):
            if top:
                names[node.name].add(path)
    assert [name for name in PARTICIPLES if name not in names] == []
    assert [name for name in SHARED if len(names[name]) < 2] == []
