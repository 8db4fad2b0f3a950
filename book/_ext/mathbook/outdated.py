"""Pages that must be read again because their text or a statement on them has changed, independent of file times.

Sphinx compares modification times: it misses an older copy of a page (from rsync or an archive), and it knows nothing
of statements. For each page two hashes are recorded: of its text with the chapters that it names, which is fast to
compare, and of the content of its statements, which decides if a chapter has changed. A change of the engine changes
the configuration value `mathbook_engine_hash`, so that Sphinx reads every page again.
"""

import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from mathbook import cells
from mathbook.chapter_sources import hash_of_text
from mathbook.content_hash import cached_hash, hash_of, memoize_by_chapter
from mathbook.diagrams.registry import diagram_content, source_text
from mathbook.domain import StatementDomain
from mathbook.domain_access import STATEMENT_DIRECTIVE, get_domain
from mathbook.render_context import symbols_of
from mathcore import Fact, Formula, Variable
from mathcore.library import current_library
from mathcore.measured import Comparison, Dataset
from mathcore.teaching import Claim, Lab
from mathcore.types import AnyOf

DIAGRAM_DIRECTIVE = re.compile(r"^\s*:{3,}\{mc:diagram\}\s+([\w-]+)", re.MULTILINE)
# what lists the statements of many chapters, or of those that it names, and of which kind they are
TABLE_DIRECTIVE = re.compile(r"\{mc:(table|ledger)\} *(\S*)(.*)")
STATEMENTS_OF_TABLE: dict[str, type | tuple] = {
    "notation": Variable, "formulas": Formula, "facts": Fact, "comparisons": (Comparison, Dataset), "claims": Claim,
    "verification": (), "": Lab,
}  # fmt: skip


def setup(app: Sphinx) -> None:
    """Connect to the reading of pages."""
    app.connect("doctree-read", _record)
    app.connect("env-get-outdated", _outdated_pages)


def source_hash(text: str) -> str:
    """Return the hash of a page's text and of the chapters that it names."""
    listed = (f"\nimport {', '.join(names)}" for _, names in _tables(text))
    return hash_of_text("".join([text, *listed, *map(source_text, DIAGRAM_DIRECTIVE.findall(text))]))


def _tables(text: str) -> list[tuple[type | tuple, Sequence[str]]]:
    """Return the kinds of statements that a page lists, each with the names of the chapters."""
    tables = TABLE_DIRECTIVE.findall(text)
    return [
        (STATEMENTS_OF_TABLE.get(kind, object), names.split() or current_library.names()) for _, kind, names in tables
    ]


def page_hash(text: str, addresses: Iterable[str]) -> str:
    """Return the hash of a page's content: text, statements at `addresses`, tables, outputs of cells, diagrams."""
    parts = [text, *(f"{address} {cached_hash(address)}" for address in sorted(addresses))]
    for name in sorted({current_library.split(address)[0] for address in addresses}):
        parts.append(repr(memoize_by_chapter(f"symbols of {name}", name, functools.partial(symbols_of, name))))
    parts += [_table_hash(kind, name) for kind, names in _tables(text) for name in names]
    parts += map(diagram_content, DIAGRAM_DIRECTIVE.findall(text))
    if cells.has_code(text):
        parts.append(cells.outputs_key(cells.read_notebook(text)))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _table_hash(kind: type | tuple, name: str) -> str:
    """Return the texts of a module in a table of the statements of a kind, with its title and symbols."""

    def compute() -> str:
        hashes = [hash_of(each) for each in _statements(name) if isinstance(each, kind)]
        return repr((current_library.title(name), symbols_of(name), hashes) if hashes else "")

    return memoize_by_chapter(f"table of {kind} {name}", name, compute)


@functools.cache
def _statements(name: str) -> list[AnyOf]:
    """Return the statements of a chapter; many pages list them."""
    return [each for _, each in current_library.statements(name)]


def _record(app: Sphinx, doctree: nodes.document) -> None:
    env, known = app.env, get_domain(app.env)
    text = _page_text(env, env.docname)
    known.data["page_hashes"][env.docname] = source_hash(text), page_hash(text, known.data["used"].get(env.docname, ()))


def _outdated_pages(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    known = get_domain(env)
    return [doc for doc in env.found_docs & known.data["page_hashes"].keys() if _is_outdated(known, env, doc)]


def _is_outdated(known: StatementDomain, env: BuildEnvironment, doc: str) -> bool:
    text, (source, statements) = _page_text(env, doc), known.data["page_hashes"][doc]
    if (now := source_hash(text)) == source:
        return False
    if page_hash(text, known.data["used"].get(doc, ())) != statements:
        return True
    known.data["page_hashes"][doc] = now, statements
    return False


def _page_text(env: BuildEnvironment, doc: str) -> str:
    """Return the text of a page, and on which pages the formulas that it shows have their numbers."""
    text, homes = Path(env.doc2path(doc)).read_text("utf-8"), get_domain(env).home_pages
    return text + "".join(f"\n{address} {homes.get(address)}" for address in STATEMENT_DIRECTIVE.findall(text))
