"""Which statements the code of a page names, so that it is run again only if one says something else."""

import ast
import functools
import re

from mathcore import entities
from mathcore.library import book

CHAPTERS = "mathcore.chapters"
ADDRESS = re.compile(r"\b([a-z]\w*)\.([A-Za-z_]\w*)")
ANY = {"book", "walk", "search", "importlib", "globals", "eval", "exec"}  # may lead to every statement


def stands(address):
    """Tell whether something stands at an address, without a search for what is near where nothing does.

    >>> stands("young_daly.act_one"), stands("young_daly.act_one.C"), stands("young_dally.act_one")
    (True, False, False)
    """
    chapter = address.partition(".")[0]
    if chapter not in book.names():
        return False
    module = book.module(chapter)
    return address in _addresses(module, len(vars(module)))


@functools.cache
def _addresses(module, size):
    """Return the addresses of a module; while it is being loaded, it grows."""
    return frozenset(entities.named(module))


def statements_named(code):
    """Return `{(chapter, name)}` of what code takes from chapters, or None if that cannot be seen.

    >>> sorted(statements_named("from mathcore.chapters import audit\\nfind('spot.fee').at(audit.n)"))
    [('audit', 'n'), ('spot', 'fee')]
    >>> statements_named("from mathcore.chapters import audit\\nvars(audit)") is None
    True
    """
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except SyntaxError:  # a magic of IPython
        return None
    aliases, found = _imported(nodes)
    attributes = [n for n in nodes if isinstance(n, ast.Attribute) and _name(n.value) in aliases]
    names = [n.id for n in nodes if isinstance(n, ast.Name)]
    bare = sum(name in aliases for name in names) - len(attributes)
    if bare or ANY & set(names):
        return None
    return found | {(aliases[n.value.id], n.attr) for n in attributes} | _in_texts(nodes)


def _name(node):
    return node.id if isinstance(node, ast.Name) else None


def _imported(nodes):
    """Return `{name in the code: chapter}`, and the statements that are imported themselves."""
    aliases, found = {}, set()
    for node in nodes:
        home = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        if home == CHAPTERS:
            aliases |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif home.startswith(f"{CHAPTERS}."):
            found |= {(home.rpartition(".")[2], alias.name) for alias in node.names}
    return aliases, found


def _in_texts(nodes):
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {pair for text in texts for pair in ADDRESS.findall(text) if pair[0] in book.names()}
