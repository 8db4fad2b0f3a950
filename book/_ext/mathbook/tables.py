"""The appendices: notation, formulas, facts and the verification report, from the engine alone.

Where a statement is shown and used is known only when every page has been read: until then a
`Place` node stands for it. Whenever any page is written, the pages with such nodes are too.
"""

import hashlib
from collections import Counter
from datetime import date

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook import claims, comparisons, outline, verification
from mathbook.elements import element, folded, math, table, words
from mathbook.evidence import fact_text, provenance
from mathbook.formulas import tex
from mathbook.scribe import Scribe, anchor
from mathbook.statements import record, refuse
from mathcore import Fact, Formula, Variable
from mathcore.library import book


class Place(nodes.Inline, nodes.Element):
    """Stand for the links to where a statement is shown (`role` shown) or used (used)."""


def setup(app):
    """Register the nodes and what fills them."""
    app.add_node(Place)
    app.add_node(verification.Report)
    app.add_node(verification.Count)
    app.connect("env-updated", _rewritten)
    app.connect("doctree-resolved", _filled)


LONG = 400  # characters of TeX


class Table(SphinxDirective):
    """Write one of the appendices: notation, formulas, facts, comparisons, claims, verification.

    Words after the first name the modules of a table that is told in parts: `formulas roofline serving`.
    """

    required_arguments = 1
    optional_arguments = 99

    def run(self):
        """Return the tables."""
        writers = {
            "notation": _notation,
            "formulas": _formulas,
            "facts": _facts,
            "comparisons": comparisons.listed,
            "claims": claims.audit,
            "verification": verification.report,
        }
        writer = writers.get(self.arguments[0])
        if writer is None:
            what = f"there is no table `{self.arguments[0]}`"
            return [nodes.paragraph("", "", refuse(what, self.get_location(), f"choose {', '.join(writers)}"))]
        self.env.metadata[self.env.docname]["mathbook_table"] = self.arguments[0]
        scribe = Scribe(self)
        scribe.modules = self.arguments[1:] or book.names()
        strange = [name for name in scribe.modules if name not in book.names()]
        if strange:
            what = f"there is no module `{strange[0]}`"
            return [nodes.paragraph("", "", refuse(what, self.get_location(), "name one of mathcore/chapters"))]
        return [scribe.located(node) for node in writer(scribe)]


def _by_chapter(scribe, kind, columns, row, name="mc-table"):
    for chapter in scribe.modules:
        found = [(a, e) for a, e in book.entities(chapter) if isinstance(e, kind)]
        if found:
            title = book.title(chapter)
            section = nodes.section("", nodes.title("", title), ids=[f"of-{anchor(chapter)}"])
            rows = [row(scribe, address, entity) for address, entity in found]
            section += table(title, columns, rows, name)
            yield section


def _notation(scribe):
    columns = ["symbol", "in code", "meaning", "unit", "range"]

    def row(scribe, address, v):
        name = [element("code", "", words(v.name))]
        return [[math(v.tex)], name, scribe.prose(v.meaning), v.shown or "dimensionless", v.range_text()]

    return list(_by_chapter(scribe, Variable, columns, row))


def _formulas(scribe):
    columns = ["formula", "kind", "derivation", "measured accuracy", "shown in"]

    def row(scribe, address, f):
        return [_written(f), f.kind, _verdicts(f), _measured(f), [Place("", address=address, wants="shown")]]

    return list(_by_chapter(scribe, Formula, columns, row))


def _written(formula):
    """Return a formula, folded where it is put together from so many that no line holds it."""
    written = tex(formula)
    whole = math(written)
    if len(written) < LONG:
        return [whole]
    return [folded("mc-data", [math(formula.lhs.tex), words(" written out")], whole)]


def _verdicts(formula):
    if formula.derivation is None:
        return "stated"
    counted = Counter(step.verdict.name for step in formula.derivation.steps)
    return ", ".join(f"{n} {name}" for name, n in counted.items())


def _measured(formula):
    return "; ".join(f"{c.system}: {c.text()}" for c in formula.measured) or comparisons.NONE


def _facts(scribe):
    columns = ["value", "quantity", "source", "used in"]

    def row(scribe, address, f):
        number = element("span", "mc-val", words(fact_text(f)), data_address=address)
        number["ids"] = [f"fact-{anchor(address)}"]
        what = "; ".join(filter(None, [f.meaning, f.qualifier, f.note]))
        used = [Place("", address=address, wants="used")]
        return [[number], scribe.prose(what), scribe.prose(provenance(f)), used]

    return list(_by_chapter(scribe, Fact, columns, row, "mc-table mc-facts"))


def _rewritten(app, env):
    """Ask for the appendices, and what the report says, to be written again when something of it has changed."""
    data = record(env).data
    titles = {doc: title.astext() for doc, title in env.titles.items()}
    links = (sorted(data["shown"].items()), sorted(data["used"].items()), sorted(titles.items()))
    counts = {key: value for key, value in verification.found(app).items() if key != "seconds"}
    times = sorted((doc, about.get("seconds")) for doc, about in env.metadata.items())
    report = (counts, times, verification.measured(), date.today())
    now = [hashlib.sha256(repr(state).encode()).hexdigest() for state in (links, report)]
    before, data["linked"] = data.get("linked", ["", ""]), now
    other = {kind for kind, was, this in zip(("links", "report"), before, now, strict=True) if was != this}
    told = {"verification": "report", "counts": "report"}
    tables = {doc: about.get("mathbook_table") for doc, about in env.metadata.items()}
    return [doc for doc, table in tables.items() if table and told.get(table, "links") in other]


def _filled(app, doctree, docname):
    for node in list(doctree.findall(Place)):
        links = _links(app, docname, node["address"], node["wants"])
        node.replace_self(links or [nodes.inline("", "–")])
    for node in list(doctree.findall(verification.Report)):
        node.replace_self(verification.written(app))
    for node in list(doctree.findall(verification.Count)):
        node.replace_self(words(verification.counted(app, node["of"])))


def _first_of_chapters(env, pages):
    """Return the first of these pages in each chapter, in the order of the book."""
    left = set(pages)
    found = [next((page for page in chapter.pages if page in left), None) for chapter in outline.chapters(env)]
    apart = left - {page for chapter in outline.chapters(env) for page in chapter.pages}
    return [*sorted(apart), *filter(None, found)]


def _links(app, docname, address, wants):
    known = record(app.env)
    shown = known.place(address)
    if wants == "shown":
        pages = [shown] if shown else []
    else:
        pages = [(doc, "") for doc in _first_of_chapters(app.env, known.users(address)) if doc != docname]
    links = []
    for index, (page, target) in enumerate(pages):
        title = app.env.titles[outline.chapter_of(app.env, page).first].astext()
        uri = app.builder.get_relative_uri(docname, page) + (f"#{target}" if target else "")
        comma = [words(", ")] if index else []
        links += [*comma, nodes.reference("", title, refuri=uri, internal=True)]
    return links
