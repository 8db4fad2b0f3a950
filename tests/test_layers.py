"""Protects the layers: imports point downwards only, the core needs three packages, modules stay short."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "mathcore"
# From the ground up; a module may import only what stands before it.
UPWARDS = """
    errors units special formatting letters variables one printing dimensions codegen entities facts diagnosis
    magnitudes evaluation sampling remembering sources judge formulas steps derivations solving worked
    exercises controls panels explorers questions labs chance library calculations printed claims
    javascript show census refusals verification figures
"""
LAYERS = UPWARDS.split()
TOP = {"__init__", "__main__"}
WHOLE = {"mathcore", "practice"}
ALLOWED = {"mpmath", "pint", "sympy", "mathcore"} | sys.stdlib_module_names
LAZY = {"numpy", "plotly"}  # only inside a function
MODULES = sorted(path for path in ENGINE.glob("*.py") if path.stem not in TOP)
SOURCES = sorted(path for path in ENGINE.rglob("*.py"))
# What the chapter on resilience runs: beside the book's extension, of numpy and one file format.
PRACTICE = ROOT / "practice"
PRACTICE_UPWARDS = """
    model state injection tables retention training checkpoint deltas resumption preemption killing anomalies
"""
RUN = sorted(path for path in PRACTICE.glob("*.py") if path.stem != "__init__")


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(node):
    """Return the full names of the modules that an import statement may load."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        inside = {f"{node.module}.{alias.name}" for alias in node.names} if node.module in WHOLE else set()
        return {node.module} | inside
    return set()


def imports(path, everywhere=True):
    nodes = ast.walk(tree(path)) if everywhere else tree(path).body
    return set().union(*(imported(node) for node in nodes))


def upward(source, layers, place):
    """Return the imports of `source`, the text of the module at `place`, that do not point downwards."""
    below = {f"mathcore.{name}" for name in layers[: layers.index(place)]}
    nodes = ast.walk(ast.parse(source))
    names = set().union(*(imported(node) for node in nodes))
    allowed = {"mathcore", *below, *({"mathcore.chapters"} if place in ("library", "sources") else ())}
    return {name for name in names if name.startswith("mathcore") and name not in allowed}


def test_every_module_has_its_layer():
    assert {path.stem for path in MODULES} == set(LAYERS)


@pytest.mark.parametrize("name", [name for name in LAYERS if (ENGINE / f"{name}.py").exists()])
def test_imports_point_downwards_only(name):
    lazy = {"formulas": {"mathcore.solving"}}.get(name, set())  # solve_for makes a formula of a formula
    assert upward((ENGINE / f"{name}.py").read_text(encoding="utf-8"), LAYERS, name) <= lazy


@pytest.mark.parametrize(
    "planted",
    [
        "from mathcore import formulas", "from mathcore.formulas import Formula",
        "import mathcore.chapters.young_daly", "def f():\n    from mathcore.show import show",
    ],
)  # fmt: skip
def test_import_upwards_would_be_found(planted):
    assert upward(planted, LAYERS, "units")


def test_practice_points_downwards_and_loads_two_packages():
    layers = PRACTICE_UPWARDS.split()
    assert {path.stem for path in RUN} == set(layers)
    for path in RUN:
        found = {name for name in imports(path) if name.partition(".")[0] not in sys.stdlib_module_names}
        below = {f"practice.{name}" for name in layers[: layers.index(path.stem)]}
        assert {name for name in found if name.startswith("practice.")} <= below, path.name
        assert {name.partition(".")[0] for name in found} <= {"numpy", "safetensors", "practice"}, path.name


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ENGINE).as_posix())
def test_core_knows_nothing_of_the_practice(path):
    assert not {name for name in imports(path) if name.partition(".")[0] == "practice"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_engine_loads_three_packages_and_no_other(path):
    at_once = {name.partition(".")[0] for name in imports(path, everywhere=False)}
    later = {name.partition(".")[0] for name in imports(path)}
    assert at_once <= ALLOWED and later <= ALLOWED | LAZY


@pytest.mark.parametrize("path", sorted((ENGINE / "chapters").glob("[!_]*.py")), ids=lambda path: path.name)
def test_chapter_declares_with_the_public_names(path):
    names = imports(path)
    outside = {name for name in names if not name.startswith("mathcore")}
    inside = {name for name in names if name.startswith("mathcore")} - {"mathcore"}
    public = {f"mathcore.{name}" for name in __import__("mathcore").__all__}
    assert outside <= {"sympy", *sys.stdlib_module_names}
    assert all(n in public or n.startswith(("mathcore.chapters", "mathcore.simulations")) for n in inside), (
        inside
    )


def test_core_computes_where_numpy_is_not_installed():
    text = (
        "import sys\n"
        "for name in ('numpy', 'scipy', 'plotly', 'sphinx', 'IPython'): sys.modules[name] = None\n"
        "import mathcore\n"
        "print(mathcore.find('young_daly.interval').at(C='4 min', M='8 h').m_as('s'))\n"
    )
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT)
    assert told.stdout.strip().startswith("3718.06"), told.stderr


def test_loading_the_engine_loads_no_chapter():
    text = "import sys, mathcore; print(*(m for m in sys.modules if m.startswith('mathcore.chapters.')))"
    told = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, check=True)
    assert told.stdout.strip() == ""


# ---------------------------------------------------------------- size


def too_long(source, lines=30):
    """Return the functions of a module that have more lines than that, decorators and docstring left out."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            first = body[0].lineno if body else node.lineno
            if node.end_lineno - first + 1 > lines:
                found.append(f"{node.name}: {node.end_lineno - first + 1}")
    return found


@pytest.mark.parametrize(
    "path", [p for p in (*SOURCES, *RUN) if p.parent.name != "chapters"], ids=lambda path: path.name
)
def test_module_and_functions_can_be_read_in_one_sitting(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 250
    assert too_long(text) == []


def test_long_function_would_be_found():
    assert too_long("def f():\n" + "    x = 1\n" * 31) == ["f: 31"]
    assert too_long("def f():\n" + "    x = 1\n" * 30) == []


@pytest.mark.parametrize("path", [*SOURCES, *RUN], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_says_what_it_is_for(path):
    first = ast.get_docstring(tree(path)).splitlines()[0]
    assert first.endswith((".", ":", "?", "!"))


def test_nothing_is_swallowed():
    silent = []
    for path in (*SOURCES, *RUN):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                silent.append(f"{path.name}:{node.lineno}")
    assert silent == []
