"""Unused statements: those that no page, claim or published check depends on.

The sources are parsed, not imported. A statement is a top-level name of a chapter; tables, functions and the functions
of simulations count as well, since what only unused statements use is unused too. Roots are the pages with their cells,
the code of the reference run, the artefacts, the claims (each is a row of their appendix, and its data file names what
computes it), the comparisons, and the published checks, `tests/test_against_*.py` with `published.csv`. A statement
uses what its expression mentions: names, attributes, and addresses in texts; a formula also uses the simulations that
check it. The tables of the appendices list everything, and other tests name anything: neither counts as a use.

Facts, exercises, questions and calculators are read from their data files; others can be added:
`find_declarations(project) | {address: Declaration(…)}`.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import NamedTuple, TypeAlias

CHAPTERS = "mathcore/chapters"
ROOT_FILES = (
    "book/**/*.md",
    "book/artefacts/**/*.*",
    "practice/*.py",
    "tests/test_against_*.py",
    "tests/data/published.csv",
    f"{CHAPTERS}/**/*claims.toml",
    f"{CHAPTERS}/**/*tasks.toml",
    f"{CHAPTERS}/**/*open_exercises.toml",
)
NO_PAGE = {"__pycache__", "slides.md", "lecturers"}
# data files, and groups of a module
DATA_FILE_KINDS = {"exercises": "Exercise", "questions": "Question", "calculators": "Calculator", "labs": "Lab"}
# Prose; all other keys name symbols, formulas and parts.
PROSE_KEYS = (
    "title", "text", "feedback", "texts", "label", "story", "labels", "limits", "template", "unit", "style",
    "severity", "severities"
)  # fmt: skip
SYMBOL_KEYED = ("given", "values", "start", "sets")  # tables whose keys are symbols
ADDRESS = re.compile(r"\b[a-z]\w*(?:\.[A-Za-z_]\w*)+")
CELL = re.compile(r"^```\{code-cell\}.*\n(?::.*\n)*((?:(?!```).*\n)*)```", re.MULTILINE)
# Used by definition: audited claims and comparisons, each a row of its appendix; calls for their effect.
ALWAYS_USED = ("Claim", "Comparison", "read_claims", "read_tasks", "read_open_exercises", "line")
SCOPES = (ast.Lambda, ast.FunctionDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Declaration(NamedTuple):
    """A declared statement: location, mentioned addresses, kind (the name of the constructor), checked addresses."""

    where: str
    mentions: frozenset
    kind: str = ""
    checks: frozenset = frozenset()


Declarations: TypeAlias = dict[str, Declaration]  # by address


def unused_statements(declarations: Declarations, start: Iterable[str]) -> list[str]:
    """Return one message for each declaration that is not reachable from the addresses in `start`.

    >>> book = {"a.used": Declaration("a.py:1", {"a.letter"}), "a.letter": Declaration("a.py:2", ())}
    >>> unused_statements(book | {"a.lost": Declaration("a.py:3", ())}, {"a.used"})
    ['a.py:3: unused statement `a.lost`: show or use it on a page, or delete it']
    """
    edges = {address: set(each.mentions) for address, each in declarations.items()}
    for checking, each in declarations.items():
        for checked in each.checks & edges.keys():
            edges[checked].add(checking)
    reached = set()
    frontier = {*start, *(address for address, each in declarations.items() if each.kind in ALWAYS_USED)}
    while frontier:
        reached |= frontier
        frontier = {to for at in frontier & edges.keys() for to in edges[at]} - reached
    lost = [(each.where, at) for at, each in declarations.items() if at not in reached and each.kind != "import"]
    return [f"{where}: unused statement `{at}`: show or use it on a page, or delete it" for where, at in lost]


def find_declarations(project: Path) -> Declarations:
    """Return `{address: Declaration}` of all declarations in the chapters and simulations of a checkout."""
    declarations: Declarations = {}
    chapters = project / CHAPTERS
    for path in sorted(chapters.rglob("*.*")):
        where, kind = path.relative_to(project).as_posix(), path.stem.rpartition(".")[2]
        if path.suffix == ".py" and (path.parent != chapters or path.stem != "__init__"):
            declarations |= declared_in_python(path.read_text("utf-8"), module_of(path, chapters), where)
        elif path.suffix == ".toml" and kind == "facts":
            declarations |= declared_facts(path.read_text("utf-8"), module_of(path, chapters), where)
        elif path.suffix == ".toml" and kind in DATA_FILE_KINDS:
            declarations |= declared_in_toml(path.read_text("utf-8"), module_of(path, chapters), where)
    return {
        at: each._replace(mentions=_expand_patterns(each.mentions, declarations)) for at, each in declarations.items()
    }


def module_of(path: Path, chapters: Path) -> str:
    """Return the module to which a source or data file belongs.

    >>> module_of(Path("a/serving/prices.facts.toml"), Path("a")), module_of(Path("a/serving/__init__.py"), Path("a"))
    ('serving.prices', 'serving')
    """
    inner = path.stem.rpartition(".")[0] if path.suffix == ".toml" else path.stem
    return ".".join(part for part in (*path.relative_to(chapters).parent.parts, inner) if part not in ("", "__init__"))


def candidate_addresses(text: str) -> Iterator[str]:
    """Yield everything in a text that may be an address: dotted names and their prefixes.

    >>> list(candidate_addresses("serving.prices.step_x and 1.5"))
    ['serving.prices', 'serving.prices.step_x']
    """
    for address in ADDRESS.findall(text):
        parts = address.split(".")
        yield from (".".join(parts[:end]) for end in range(2, len(parts) + 1))


def _expand_patterns(mentions: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Replace patterns, as of `facts[f"llama_{cause}"]`, by the addresses that match."""
    patterns = [re.compile(each) for each in mentions if "(" in each]
    return frozenset(mentions) | {at for each in patterns for at in known if each.fullmatch(at)}


def declared_facts(text: str, module: str, where: str) -> Declarations:
    """Return `{address: Declaration}` of a file of facts, each of which uses the table that contains them."""
    tables = [table for table in tomllib.loads(text).values() if isinstance(table, dict)]
    names = {name for table in tables for name, row in table.items() if row and isinstance(row, list)}
    stated = [line.partition(" =")[0].strip() for line in text.splitlines()]
    lines = {name: i for i, name in enumerate(stated, 1) if name in names}
    table = frozenset([f"{module}.facts"])
    return {f"{module}.{name}": Declaration(f"{where}:{lines[name]}", table, "Fact") for name in names}


def declared_in_toml(text: str, module: str, where: str) -> Declarations:
    """Return `{address: Declaration}` of a TOML file of statements, which name formulas and symbols of its module.

    >>> declared = declared_in_toml('[ex]\\nasks = "work"', "training", "training/exercises.toml")["training.ex"]
    >>> declared.where, declared.kind, "training.work" in declared.mentions
    ('training/exercises.toml:1', 'Exercise', True)
    """
    declarations, group = {}, Path(where).stem.rpartition(".")[2]
    for name, row in tomllib.loads(text).items():
        parts = list(_names_in(row))
        mentions = {f"{module}.{word}" for part in parts for word in re.findall(r"\b[A-Za-z_]\w*", part)}
        mentions |= {f"{module}.{group}", *(at for part in parts for at in candidate_addresses(part))}
        line = text[: text.index(f"[{name}]")].count("\n") + 1
        declarations[f"{module}.{name}"] = Declaration(f"{where}:{line}", frozenset(mentions), DATA_FILE_KINDS[group])
    return declarations


def _names_in(value: object, keys: bool = False) -> Iterator[str]:
    """Yield the strings of a value that are no prose, and its keys if they are symbols."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _names_in(part, keys)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from [key] if keys else ()
            yield from () if key in PROSE_KEYS else _names_in(part, key in SYMBOL_KEYED)


def declared_in_python(source: str, module: str, where: str) -> Declarations:
    """Return `{address: Declaration}` of a module; an imported name refers to its origin."""
    tree = ast.parse(source)
    imports = _imports(tree)
    declarations = {f"{module}.{name}": Declaration(where, frozenset([to]), "import") for name, to in imports.items()}
    known = {name: f"{module}.{name}" for node in tree.body for name in _names_bound_by(node)} | imports
    for node in tree.body:
        call = getattr(node, "value", None)
        kind = "line" if isinstance(node, ast.Expr) else getattr(getattr(call, "func", None), "id", "")
        checks = frozenset(_mentions(call.args[0], known)) if call and kind == "Simulation" else frozenset()
        for address in (f"{module}.{name}" for name in _names_bound_by(node)):
            new = Declaration(f"{where}:{node.lineno}", frozenset(_mentions(node, known)), kind, checks)
            old = declarations.get(address, new)
            declarations[address] = old._replace(mentions=old.mentions | new.mentions)
    return declarations


def root_addresses(project: Path, declarations: Iterable[str]) -> set[str]:
    """Return the addresses that pages and published checks name."""
    on_pages = set()
    found = (path for pattern in ROOT_FILES for path in project.glob(pattern))
    for path in (path for path in found if NO_PAGE.isdisjoint(path.relative_to(project).parts)):
        text = path.read_text("utf-8")
        program = {".py": text, ".md": "\n".join(CELL.findall(text))}.get(path.suffix, "")
        on_pages |= set(candidate_addresses(text)) | addresses_in_program(program, declarations)
    return on_pages


def addresses_in_program(program: str, declarations: Iterable[str]) -> set[str]:
    """Return the addresses in a program, including `find(f"chapter.{name}")` with names that are its constants."""
    tree = ast.parse(program)
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    templates = [_fstring_pattern(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]

    def spelt(text: str) -> bool:
        inner = (template.fullmatch(text) for template in templates)
        return text in words or any(match and set(match.groups()) <= words for match in inner)

    matches = (each.fullmatch(at) for each in templates if r"\." in each.pattern for at in declarations)
    mentioned = {match[0] for match in matches if match and all(map(spelt, match.groups()))}
    return mentioned | set(_mentions(tree, _imports(tree)))


def _fstring_pattern(node: ast.JoinedStr) -> re.Pattern[str]:
    """Return a regular expression for the values of an f-string."""
    parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"(\w+)" for p in node.values)
    return re.compile("".join(parts))


def _names_bound_by(node: ast.stmt) -> list[str]:
    """Return the names that a top-level statement binds; an expression statement is identified by its line."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Expr):
        return [str(node.lineno)]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return sorted({name for target in targets if target for name in _bound_names(target)} - {"_", "__getattr__"})


def _bound_names(node: ast.AST) -> set[str]:
    """Return the names that a node binds: arguments and assigned names."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return stored | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return `{name: address}` of the names imported from chapters."""
    imports: dict[str, str] = {}
    package = f"{CHAPTERS.replace('/', '.')}."
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(package):
            module = f"{node.module}.".removeprefix(package)
            imports |= {each.asname or each.name: module + each.name for each in node.names}
    return imports


def _mentions(node: ast.AST, known: Mapping[str, str], hidden: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the addresses that a node mentions; `hidden` are names of inner scopes."""
    if isinstance(node, SCOPES):
        hidden |= _bound_names(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from candidate_addresses(node.value)
    if isinstance(node, ast.Name) and node.id not in hidden and node.id in known:
        yield known[node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in hidden:
        base = known.get(node.value.id, node.value.id)
        head, _, group = base.rpartition(".")  # the address of a fact does not contain its table
        yield f"{head if group in ('facts', *DATA_FILE_KINDS) else base}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.JoinedStr):
        table = known.get(getattr(node.value, "id", ""), "").removesuffix(".facts")
        yield rf"{re.escape(table)}\.{_fstring_pattern(node.slice).pattern}"
    for part in ast.iter_child_nodes(node):
        yield from _mentions(part, known, hidden)
