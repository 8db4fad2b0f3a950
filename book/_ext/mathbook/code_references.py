"""The statements that the code of a page refers to, so that its cells run again only if one of them changes."""

import ast
import functools
import re
from collections.abc import Sequence
from types import ModuleType

from mathbook.folders import chapter_name
from mathcore import statements
from mathcore.library import current_library

ADDRESS = re.compile(r"\b[a-z]\w*(?:\.[A-Za-z_]\w*)+")
DYNAMIC_NAMES = {"book", "walk", "search", "importlib", "globals", "eval", "exec"}  # may lead to every statement


def statement_exists(address: str) -> bool:
    """Return whether a statement exists at `address`, without computing suggestions.

    >>> [statement_exists(a) for a in ("young_daly.act_one", "young_daly.act_one.C", "young_dally.act_one")]
    [True, False, False]
    """
    name, _ = current_library.split(address)
    if name not in current_library:
        return False
    module = current_library.module(name)
    return address in _addresses(module, tuple(map(id, vars(module).values())))


@functools.cache
def _addresses(module: ModuleType, namespace: tuple[int, ...]) -> frozenset[str]:
    """Return the addresses of a module, cached while its namespace is unchanged."""
    return frozenset(statements.statements_in(module))


def chapter_module_of(page: str) -> str:
    """Return the name of the chapter module to which a page belongs: `folders.chapter_name` with underscores.

    >>> chapter_module_of("book/chapters/young-daly/index"), chapter_module_of("book/chapters/young-daly.md")
    ('young_daly', 'young_daly')
    """
    return chapter_name(page).replace("-", "_")


def named_statements(code: str) -> set[tuple[str, str]] | None:
    """Return `{(module, name)}` of the chapters' names that code uses, or None if they cannot be determined.

    >>> sorted(named_statements("from mathcore.chapters import audit\\nfind('operations.spot.fee').at(audit.n)"))
    [('audit', 'n'), ('operations.spot', 'fee')]
    >>> named_statements("from mathcore.chapters import audit\\nvars(audit)") is None
    True
    """
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except SyntaxError:  # a magic of IPython
        return None
    aliases, named = _imported_names(nodes)
    attributes = [(name, n.attr) for n in nodes if isinstance(n, ast.Attribute) and (name := _name(n.value)) in aliases]
    names = [n.id for n in nodes if isinstance(n, ast.Name)]
    bare = sum(name in aliases for name in names) - len(attributes)
    if bare or DYNAMIC_NAMES & set(names):
        return None
    return named | {(aliases[name], attribute) for name, attribute in attributes} | _addresses_in_strings(nodes)


def _name(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _imported_names(nodes: Sequence[ast.AST]) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """Return `{name in the code: chapter}`, and the statements that are imported by name."""
    aliases: dict[str, str] = {}
    imported: set[tuple[str, str]] = set()
    for node in (each for each in nodes if isinstance(each, ast.ImportFrom)):
        home = node.module or ""
        if f"{home}.".startswith(f"{current_library.package}."):
            inside = home.removeprefix(current_library.package).removeprefix(".")
            for alias in node.names:
                if (module := f"{inside}.{alias.name}".lstrip(".")) in current_library:
                    aliases[alias.asname or alias.name] = module
                elif inside in current_library:  # a simulation states nothing
                    imported.add((inside, alias.name))
    return aliases, imported


def _addresses_in_strings(nodes: Sequence[ast.AST]) -> set[tuple[str, str]]:
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    pairs = {current_library.split(address) for text in texts for address in ADDRESS.findall(text)}
    return {(module, rest.partition(".")[0]) for module, rest in pairs if module in current_library}
