"""Generated appendices: notation, formulas, facts, comparisons, claims and the verification report.

On which pages a statement is shown and used is known only when every page has been read: a `LinksPlaceholder` node
stands for the links, and pages with such nodes are written again when links change.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from mathbook import claims, comparisons, course_tables, decisions, outline, verification
from mathbook.domain_access import CheckedDirective, get_domain
from mathbook.elements import details, element, inline_math, join_nodes, table, text_node
from mathbook.examples_and_facts import fact_provenance, fact_text
from mathbook.formulas import formula_latex, verdict_counts
from mathbook.render_context import RenderContext, anchor
from mathbook.values import InvalidValue
from mathbook.visible_statements import addresses_on_pages
from mathcore import Decision, Fact, Formula, Variable
from mathcore.library import Kind, current_library
from mathcore.teaching import Lab


class LinksPlaceholder(nodes.Inline, nodes.Element):
    """Placeholder of links to the pages where a statement is shown (`wants` is `shown`) or used (`used`).

    With `named` it becomes one link, with the `text` of the node, to the place where the statement is shown.
    """


def setup(app: Sphinx) -> None:
    """Register the nodes and the handlers that replace them."""
    app.add_node(LinksPlaceholder)
    app.add_node(verification.ReportNode)
    app.add_node(verification.CountNode)
    app.connect("env-updated", _outdated_tables)
    app.connect("doctree-resolved", _fill_placeholders)


MAX_LATEX = 400  # characters of TeX


class TableDirective(CheckedDirective):
    """Render one of the appendices: notation, formulas, facts, decisions, comparisons, claims, course, verification.

    Further arguments name the modules of a table that covers only a part: `formulas roofline serving`.
    """

    required_arguments = 1
    optional_arguments = 99

    def content_nodes(self) -> list[nodes.Node]:
        """Return the tables."""
        writers = {
            "notation": _notation, "formulas": _formulas, "formula-list": _formula_list, "facts": _facts,
            "decisions": _decisions, "comparisons": comparisons.render_comparison_tables,
            "claims": claims.render_claims_tables, "course": course_tables.render_course_tables,
            "verification": verification.report_placeholder
        }  # fmt: skip
        writer = writers.get(self.arguments[0])
        if writer is None:
            raise InvalidValue(f"unknown table `{self.arguments[0]}`", f"choose {', '.join(writers)}")
        self.env.metadata[self.env.docname]["mathbook_table"] = self.arguments[0]
        ctx = RenderContext(self)
        ctx.modules = self.arguments[1:] or current_library.names()
        strange = [name for name in ctx.modules if name not in current_library]
        if strange:
            raise InvalidValue(f"unknown module `{strange[0]}`", "name one of mathcore/chapters")
        return [ctx.with_source(node) for node in writer(ctx)]


def _by_chapter(
    ctx: RenderContext, kind: type[Kind], columns: list[str], row: Callable[..., list], name: str = "mc-table"
) -> Iterator[nodes.section]:
    """Yield a section with a table for each module of the table that has statements of a kind."""
    for module in ctx.modules:
        if statements := current_library.statements(module, kind):
            yield _section(module, columns, [row(ctx, *pair) for pair in statements], name)


def _section(name: str, columns: list[str], rows: Iterable[list], classes: str) -> nodes.section:
    """Return the section of a module or chapter with its table."""
    title = current_library.title(name)
    section = nodes.section("", nodes.title("", title), ids=[f"of-{anchor(name)}"])
    section += table(title, columns, rows, classes)
    return section


def _notation(ctx: RenderContext) -> list[nodes.section]:
    columns = ["symbol", "in code", "meaning", "unit", "range"]

    def row(ctx: RenderContext, address: str, variable: Variable) -> list[object]:
        name = [element("code", "", text_node(variable.name))]
        return [
            [inline_math(variable.tex)],
            name,
            ctx.inline(variable.meaning),
            variable.display_unit or "dimensionless",
            variable.range_text(),
        ]

    return list(_by_chapter(ctx, Variable, columns, row, "mc-table mc-carded mc-notation"))


def _formulas(ctx: RenderContext) -> list[nodes.section]:
    columns = ["formula", "kind", "derivation", "measured accuracy", "shown in"]

    def row(ctx: RenderContext, address: str, formula: Formula) -> list[object]:
        link = LinksPlaceholder("", address=address, wants="shown")
        return [_formula_cell(formula), formula.kind, _verdict_text(formula), _accuracy_text(formula), [link]]

    return list(_by_chapter(ctx, Formula, columns, row, "mc-table mc-carded mc-formulas"))


def _decisions(ctx: RenderContext) -> list[nodes.section]:
    """Return the decisions of all chapters but labs, whose decisions would reveal their answers."""
    columns = ["question", "verdict", "next outside a tie", "changes within the ranges", "stays best", "shown in"]
    labs = {name for name in ctx.modules if current_library.statements(name, Lab)}
    rows = defaultdict(list)
    for module in ctx.modules:
        chapter = module.partition(".")[0]
        for address, decision in current_library.statements(module, Decision) if chapter not in labs else ():
            link = LinksPlaceholder("", address=address, wants="shown")
            rows[chapter].append([*decisions.decision_row(ctx, address, decision), [link]])
    return [_section(chapter, columns, cells, "mc-table mc-carded mc-decisions") for chapter, cells in rows.items()]


def _formula_list(ctx: RenderContext) -> Iterator[nodes.Element]:
    """Yield a search field and, for each chapter, the formulas that pages show, by their left side."""
    yield element("div", "mc-filter", data_noun="formulas")
    visible = addresses_on_pages()  # a section without any would be listed in the contents and not exist
    for chapter in dict.fromkeys(name.partition(".")[0] for name in ctx.modules):
        modules = [name for name in ctx.modules if name.partition(".")[0] == chapter]
        formulas = [pair for name in modules for pair in current_library.statements(name, Formula)]
        if not any(address in visible for address, _ in formulas):
            continue
        listed = element("ul", "mc-list")
        for address, formula in formulas:
            link = LinksPlaceholder("", address=address, wants="named", text=formula.lhs.meaning)
            listed += element("li", "", link, text_node(" "), inline_math(formula.lhs.tex), data_row=address)
        section = nodes.section("", nodes.title("", current_library.title(chapter)), ids=[f"list-{anchor(chapter)}"])
        section += listed
        yield section


def _formula_cell(formula: Formula) -> list[nodes.Node]:
    """Return the cell of a formula; a formula too long for a line is folded."""
    latex = formula_latex(formula)
    whole = inline_math(latex)
    if len(latex) < MAX_LATEX:
        return [whole]
    return [details("mc-data", [inline_math(formula.lhs.tex), text_node(" written out")], whole)]


def _verdict_text(formula: Formula) -> str:
    if formula.derivation is None:
        return "stated"
    return verdict_counts(formula.derivation)


def _accuracy_text(formula: Formula) -> str:
    return "; ".join(f"{c.system}: {c.text()}" for c in formula.measured) or comparisons.NOT_MEASURED


def _facts(ctx: RenderContext) -> list[nodes.section]:
    columns = ["value", "quantity", "source", "used in"]

    def row(ctx: RenderContext, address: str, fact: Fact) -> list[object]:
        number = element("span", "mc-val", text_node(fact_text(fact)), data_address=address)
        number["ids"] = [f"fact-{anchor(address)}"]
        what = "; ".join(filter(None, [fact.meaning, fact.qualifier, fact.note]))
        used = [LinksPlaceholder("", address=address, wants="used")]
        return [[number], ctx.inline(what), ctx.inline(fact_provenance(fact)), used]

    return list(_by_chapter(ctx, Fact, columns, row, "mc-table mc-facts"))


def _outdated_tables(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the appendices that must be written again because links or counts have changed."""
    data = get_domain(env).data
    titles = {doc: title.astext() for doc, title in env.titles.items()}
    links = (sorted(data["shown"].items()), sorted(data["used"].items()), sorted(titles.items()))
    counts = {key: value for key, value in verification.load_report(app).items() if key != "seconds"}
    times = sorted((doc, about.get("seconds")) for doc, about in env.metadata.items())
    report = (counts, times, verification.speed_rows(), date.today())
    now = [hashlib.sha256(repr(state).encode()).hexdigest() for state in (links, report)]
    before, data["table_hashes"] = data.get("table_hashes", ["", ""]), now
    other = {kind for kind, was, this in zip(("links", "report"), before, now, strict=True) if was != this}
    groups = {"verification": "report", "counts": "report"}
    tables = {doc: about.get("mathbook_table") for doc, about in env.metadata.items()}
    return [doc for doc, table in tables.items() if table and groups.get(table, "links") in other]


def _fill_placeholders(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(LinksPlaceholder)):
        links = _links(app, docname, node["address"], node["wants"])
        if node["wants"] == "named":
            _name_link(node, links)
        else:
            node.replace_self(links or [nodes.inline("", "–")])
    for node in list(doctree.findall(verification.ReportNode)):
        node.replace_self(verification.report_sections(app))
    for node in list(doctree.findall(verification.CountNode)):
        node.replace_self(text_node(verification.report_count_text(app, node["of"])))


def _name_link(node: LinksPlaceholder, links: list[nodes.Node]) -> None:
    """Replace a placeholder by a link with its text, or remove its row if no page shows the statement."""
    row, listed = node.parent, node.parent.parent
    if links:
        node.replace_self(nodes.reference("", node["text"], refuri=links[0]["refuri"], internal=True))
        return
    listed.remove(row)
    if not listed.children:
        listed.parent.parent.remove(listed.parent)


def _first_of_chapters(env: BuildEnvironment, pages: Iterable[str]) -> list[str]:
    """Return the first of `pages` in each chapter, in the order of the book."""
    left = set(pages)
    first = [next((page for page in chapter.pages if page in left), None) for chapter in outline.outline_chapters(env)]
    unlisted = left - {page for chapter in outline.outline_chapters(env) for page in chapter.pages}
    return [*sorted(unlisted), *filter(None, first)]


def _links(app: Sphinx, docname: str, address: str, wants: str) -> list[nodes.Node]:
    known = get_domain(app.env)
    location = known.location(address)
    if wants in ("shown", "named"):
        pages = [location] if location else []
    else:
        pages = [(doc, "") for doc in _first_of_chapters(app.env, known.pages_using(address)) if doc != docname]
    links = []
    for page, target in pages:
        title = app.env.titles[outline.chapter_of(app.env, page).first].astext()
        uri = app.builder.get_relative_uri(docname, page) + (f"#{target}" if target else "")
        links.append([nodes.reference("", title, refuri=uri, internal=True)])
    return join_nodes(links)
