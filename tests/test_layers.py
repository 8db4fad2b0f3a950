"""Protects the layers: imports point downwards only, the core stays small, loading leaves no trace."""

import ast
import functools
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "mathcore"
# What an engineer imports; `__init__` and `__main__` are its doors, not its rooms.
CORE = sorted(path for path in ENGINE.glob("*.py") if path.stem not in ("__init__", "__main__"))
SOURCES = sorted(ENGINE.rglob("*.py"))
SIMULATIONS = sorted((ENGINE / "chapters").glob("*/*simulation.py"))
CHAPTERS = sorted({*(ENGINE / "chapters").glob("*/*.py")} - {*SIMULATIONS})
EXTENSION = sorted((ROOT / "book" / "_ext").rglob("*.py"))
# From the ground up: a folder may import from its own level and from those before it.
LEVELS = ("mathcore", "mathcore.measured", "mathcore.teaching", "mathcore.commands")
LEVELS += ("mathcore.chapters", "mathbook")
PUBLIC = ("mathcore", "mathcore.measured", "mathcore.teaching")  # with their `__all__`
ALLOWED = {"mpmath", "pint", "sympy", "mathcore"} | sys.stdlib_module_names
LAZY = {"numpy", "scipy", "platformdirs"}  # only inside a function, or in the modules of arrays
OF_ARRAYS = [ENGINE / "option_space.py", *sorted((ENGINE / "solution").glob("*.py"))]  # loaded to solve a decision
# What the pages run themselves, with numpy alone; what needs torch lies in `practice/run` and is imported by nothing.
PRACTICE = ROOT / "practice"
PRACTICE_UPWARDS = """
    model state injection tables durable powercut crash_worker retention training deltas resumption preemption
    failure_clock anomalies record
"""
RUN = sorted(path for path in PRACTICE.glob("*.py") if path.stem != "__init__")
WHOLE = {*LEVELS, "practice"}


@functools.cache
def text(path):
    return path.read_text(encoding="utf-8")


tree = functools.cache(ast.parse)


@functools.cache
def nodes(source):
    """Return all nodes of a text, in the order of `ast.walk`."""
    return tuple(ast.walk(tree(source)))


def short(path):
    return path.relative_to(ROOT).as_posix()


def imported(node):
    """Return the full names of the modules, or the names in packages, that an import statement may load."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        inside = {f"{node.module}.{alias.name}" for alias in node.names} if node.module in WHOLE else set()
        return inside or {node.module}
    return set()


@functools.cache
def imports(source, everywhere=True):
    """Return what a text imports, anywhere or on loading only; what type checkers alone read is not imported."""
    checked = [node for node in nodes(source) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    unread = {each for node in checked for each in node.body}
    found = [node for node in (nodes(source) if everywhere else tree(source).body) if node not in unread]
    return frozenset().union(*(imported(node) for node in found if isinstance(node, (ast.Import, ast.ImportFrom))))


def of(path, everywhere=True):
    return imports(text(path), everywhere)


# ---------------------------------------------------------------- arrows never point up


def level(name):
    """Return the level of a module's full name."""
    return max((i for i, package in enumerate(LEVELS) if f"{name}.".startswith(f"{package}.")), default=-1)


def upward_imports(source, place):
    """Return the imports of a module text at `place`, a module's full name, that point up."""
    return {name for name in imports(source) if level(name) > level(place)}


def module_name(path):
    folder = ROOT / "book" / "_ext" if path in EXTENSION else ROOT
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def test_no_import_points_up():
    found = {short(path): upward_imports(text(path), module_name(path)) for path in SOURCES}
    del found["mathcore/__main__.py"]  # the door from a shell leads to all of them
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("seeded", "place"),
    [
        ("from mathcore.teaching import Exercise", "mathcore.formulas"),
        ("from mathcore import teaching", "mathcore.formulas"),
        ("from mathcore.measured import Comparison", "mathcore.formulas"),
        ("import mathcore.chapters.young_daly", "mathcore.teaching.labs"),
        ("def f():\n    from mathcore.chapters import roofline", "mathcore.units"),
        ("from mathbook.prose_numbers import count", "mathcore.chapters.roofline"),
    ],
)
def test_import_upwards_is_found(seeded, place):
    assert upward_imports(seeded, place)
    assert not upward_imports(seeded, "mathbook.prose_numbers")


# ---------------------------------------------------------------- the size of the core


def import_graph(texts):
    """Return `{module: modules that it imports on loading or later}` for `{module: text}` of the core."""
    return {
        name: {n.split(".")[1] for n in imports(source) if n.startswith("mathcore.")} & texts.keys() - {name}
        for name, source in texts.items()
    }


def modules_by_layer(below):
    """Return the modules by layer, lowest first; those in an import cycle are left over.

    A module is one layer above the highest of those that it imports.
    """
    found, waiting = [], dict(below)
    while ready := {name for name, names in waiting.items() if not names & waiting.keys()}:
        found.append(sorted(ready))
        waiting = {name: names for name, names in waiting.items() if name not in ready}
    return found, sorted(waiting)


def engine_modules():
    return import_graph({path.stem: text(path) for path in CORE})


def test_core_has_no_circle():
    assert modules_by_layer(engine_modules())[1] == []


def test_import_cycle_and_new_layer_are_found():
    texts = {"a": "", "b": "from mathcore import a", "c": "def f():\n    import mathcore.b"}
    assert modules_by_layer(import_graph(texts)) == ([["a"], ["b"], ["c"]], [])
    assert modules_by_layer(import_graph({**texts, "a": "from mathcore.c import x"})) == ([], ["a", "b", "c"])


# ---------------------------------------------------------------- what loading needs


def test_core_teaching_and_simulations_load_three_packages_and_no_other():
    for path in [p for p in SOURCES if p not in CHAPTERS and p not in SIMULATIONS and p not in OF_ARRAYS]:
        at_once, ever = ({n.partition(".")[0] for n in of(path, everywhere)} for everywhere in (False, True))
        assert at_once <= ALLOWED and ever - {"mathbook"} <= ALLOWED | LAZY, short(path)


def test_modules_of_arrays_are_loaded_when_something_is_solved():
    late = {module_name(path) for path in OF_ARRAYS}
    assert [short(p) for p in SOURCES if p not in OF_ARRAYS and late & of(p, everywhere=False)] == []


def undeclared(project):
    """Return the packages that some module imports, on loading or later, and that the project does not name."""
    stated = [*project["dependencies"], *project["optional-dependencies"]["arrays"]]
    named = {re.match(r"[\w-]+", each)[0] for each in stated}
    used = {name.partition(".")[0] for path in SOURCES if path not in CHAPTERS for name in of(path)}
    return used - named - {"mathcore", "mathbook"} - sys.stdlib_module_names


def test_what_is_imported_is_declared_as_a_dependency():
    project = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]
    assert undeclared(project) == set()
    for seeded in project["optional-dependencies"]["arrays"]:
        fewer = [each for each in project["optional-dependencies"]["arrays"] if each != seeded]
        assert undeclared({**project, "optional-dependencies": {"arrays": fewer}}) == {re.match(r"\w+", seeded)[0]}


def declared_with(source):
    """Return what a chapter's text imports besides sympy, the standard library and the public names."""
    ours = {name for name in imports(source) if name.partition(".")[0] in ("mathcore", "mathbook")}
    outside = {name.partition(".")[0] for name in imports(source) - ours}
    names = {f"{p}.{name}" for p in PUBLIC for name in importlib.import_module(p).__all__} | {"mathcore"}
    below = {name for name in ours if name.startswith(("mathcore.monte_carlo", "mathcore.chapters"))}
    return sorted((ours - names - below) | (outside - {"sympy", *sys.stdlib_module_names}))


def test_chapters_declare_with_the_public_names():
    found = {short(path): declared_with(text(path)) for path in CHAPTERS}
    assert {name: strange for name, strange in found.items() if strange} == {}


@pytest.mark.parametrize(
    "seeded", ["import numpy", "from mathcore.checker import equal", "from mathbook import census"]
)
def test_other_name_in_a_chapter_is_found(seeded):
    assert declared_with(seeded)
    assert declared_with("from mathcore import Formula\nfrom mathcore.teaching import Exercise") == []


def test_practice_points_downwards_and_loads_one_package():
    layers = PRACTICE_UPWARDS.split()
    assert {path.stem for path in RUN} == set(layers)
    for path in RUN:
        found = {name for name in of(path) if name.partition(".")[0] not in sys.stdlib_module_names}
        below = {f"practice.{name}" for name in layers[: layers.index(path.stem)]}
        assert {name for name in found if name.startswith("practice.")} <= below, path.name
        assert {name.partition(".")[0] for name in found} <= {"numpy", "practice"}, path.name
        assert not any(name.startswith("practice.run") for name in found), path.name


def test_core_knows_nothing_of_the_practice():
    assert [short(path) for path in SOURCES if any(n.startswith("practice") for n in of(path))] == []


def run_python(code):
    """Return what a Python prints that runs this code at the root of the project."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


# A process of its own says what it writes, line by line, from here on.
WATCHED = """
import sys
sys.dont_write_bytecode = True

def watch(event, found):
    if event == "open" and isinstance(found[0], str) and found[1] and set(found[1]) & set("wax+"):
        print(found[0])
    if event in ("os.mkdir", "os.rename", "os.remove", "sqlite3.connect"):
        print(found[0])

sys.addaudithook(watch)
"""
STRANGER = f"""{WATCHED}
for name in ("numpy", "scipy", "sphinx", "IPython"): sys.modules[name] = None
import sympy, mathcore
print("modules", *(name for name in sys.modules if name.startswith("mathcore.")))
C, M, t = (mathcore.Variable(name, "s", "a time") for name in ("C", "M", "t"))
print("value", mathcore.Formula(t, sympy.sqrt(2 * C * M)).at(C="4 min", M="8 h").m_as("s"))
"""


@pytest.fixture(scope="module")
def stranger():
    """Return what a program prints that loads the core next to few other packages, by its first word."""
    return dict(line.split(maxsplit=1) for line in run_python(STRANGER).splitlines())


def test_core_computes_where_numpy_is_not_installed(stranger):
    assert stranger["value"].startswith("3718.06")


def test_loading_the_core_loads_no_chapter_and_nothing_that_teaches(stranger):
    above = [name for name in stranger["modules"].split() if level(name) > 0]
    assert set(above) <= {"mathcore.chapters"}  # the empty package, whose folder is looked through


def test_loading_the_core_writes_nothing(stranger):
    assert set(stranger) == {"modules", "value"}


@pytest.mark.parametrize(
    "seeded",
    ["open({path!r}, 'w').close()", "import os; os.mkdir({path!r})", "import sqlite3; sqlite3.connect({path!r})"],
)
def test_file_written_on_loading_is_found(seeded, tmp_path):
    path = str(tmp_path / "trace")
    assert path in run_python(WATCHED + seeded.format(path=path))


def written_into_globals(source):
    """Return the lines of a text that assign names never read in it."""
    return sorted(
        node.lineno
        for node in nodes(source)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and ((node.func.id in ("globals", "vars", "locals") and not node.args) or node.func.id == "setattr")
    )


def test_no_module_writes_into_its_globals():
    found = {short(path): written_into_globals(text(path)) for path in SOURCES}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "seeded", ["globals()['x'] = 1", "vars().update(x=1)", "setattr(module, 'x', 1)", "locals()['x'] = 1"]
)
def test_name_written_into_globals_is_found(seeded):
    assert written_into_globals(seeded) == [1]
    assert written_into_globals("vars(module)['x']\nobject.__setattr__(self, 'x', 1)") == []


NAMED_FILE = re.compile(r'(?:with_name\(|\b(?:HERE|THEME) / )"([\w.-]+[.]\w+)"')


def missing_files(path, source):
    """Return the files that a text names as lying next to it, and that are not there."""
    return [name for name in NAMED_FILE.findall(source) if not (path.parent / name).exists()]


def test_files_that_sources_name_are_there():
    found = {short(path): missing_files(path, text(path)) for path in (*SOURCES, *EXTENSION)}
    assert {path: names for path, names in found.items() if names} == {}
    assert missing_files(Path(__file__), 'HERE / "gone.js", HERE / "conftest.py"') == ["gone.js"]


def test_configuration_values_have_the_prefix_of_the_extension_and_are_listed():
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "book" / "_ext" / "mathbook").rglob("*.py"))
    names = set(re.findall(r'add_config_value\(\s*"(\w+)"', sources))
    listed = set(re.findall(r"`(\w+)(?:: \w+)?`", (ROOT / "ARCHITECTURE.md").read_text("utf-8")))
    assert len(names) >= 12 and {name for name in names if not name.startswith("mathbook_")} == names - listed == set()
