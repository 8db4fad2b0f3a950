"""Audited claims: one as a block of a page, all of them as filterable tables, and as CSV.

The filter is a row of lists; a choice hides rows by CSS that is generated with them, so no script is needed.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from docutils import nodes

from mathbook.elements import TALLY, HtmlElement, details, element, inline_math, raw_html, table, text_node
from mathbook.render_context import RenderContext, anchor
from mathcore.facts import CERTAINTY
from mathcore.library import current_library
from mathcore.printing import to_latex
from mathcore.statements import Statement
from mathcore.teaching import Claim
from mathcore.teaching.claims import CLAIM_VERDICTS, SLIP_KINDS, VERDICTS_WITH_SLIP
from mathcore.types import JsonObject

VERDICT_MEANINGS = {
    "reproduced": "the computed value rounds to all published digits, or lies within the published bounds",
    "rounding": "off by at most one in the last digit, or equal once trailing zeros do not count, or “about” is said; "
    "in each case within 10 %",
    "wrong": "anything else; “why” gives the reason and the consequence",
    "depends": "the text leaves a value open, and the verdict changes within its stated range",
    "unsupported": "the text gives nothing from which it could be computed",
}
CONTRADICTED = "contradicted by measurement"
COLUMNS = ("as published", "computed", "verdict", "reason and consequence")
CSV_COLUMNS = [
    "address", "document", "place", "lines", "as published", "number", "meaning", "computed", "from", "verdict"
]  # fmt: skip
CSV_COLUMNS += ["kind of slip", "slip", "why", "agrees", "consequence", "measured", "traced"]
Claims: TypeAlias = list[tuple[str, Claim]]  # with their addresses


def render_claim(ctx: RenderContext, address: str, statement: Claim) -> list[nodes.Node]:
    """Return a claim as a block: what was published, what is computed, and the explanation."""
    ctx.note_use(address, *_used_addresses(statement))
    ctx.domain.note_shown(address, ctx.docname, f"claim-{anchor(address)}")
    block = element("div", "mc-example mc-claim", data_address=address)
    block["ids"] = [f"claim-{anchor(address)}"]
    head = [*ctx.inline(statement.summary), text_node(" ("), *ctx.inline(_citation(statement)), text_node(")")]
    block += element(
        "p", "mc-givens", text_node("As published: "), *_published_text(ctx, statement), text_node(" — "), *head
    )
    block += element(
        "p", "mc-step", text_node("Computed: "), *_computed_text(statement), text_node(" "), *_verdict_badges(statement)
    )
    block += element("p", "mc-compared", *_explanation(ctx, statement))
    return [ctx.with_source(block)]


def render_claims_tables(ctx: RenderContext) -> Iterator[nodes.Node]:
    """Return counts, rule, filter and one table for each document, or the table of a single document."""
    by_document = {name: chapter_claims(name) for name in ctx.modules}
    by_document = {name: claims for name, claims in by_document.items() if claims}
    if len(by_document) == 1:
        yield from _document_table(ctx, *by_document.popitem())
        return
    yield _counts(by_document)
    yield _agreement_rule()
    yield _filter(by_document)
    for name, claims in by_document.items():
        title = current_library.title(name)
        section = nodes.section("", nodes.title("", title), ids=[f"of-{anchor(name)}"])
        section += element("p", "mc-source", *ctx.inline(_sources_text(claims)), *_csv_link(ctx, name))
        holding = [each for each in claims if _is_supported(each[1])]
        section += _claims_table(ctx, title, name, [each for each in claims if each not in holding], brief=True)
        title = f"What holds: {len(holding)} statements"
        section += details("mc-data", title, _claims_table(ctx, title, name, holding, brief=True))
        yield section


def chapter_claims(name: str) -> Claims:
    """Return the `(address, claim)` pairs of a chapter, in the order of the lines of the text if known."""
    return sorted(
        current_library.statements(name, Claim), key=lambda each: int("".join(re.findall(r"^\d+", each[1].lines)) or 0)
    )


def _document_table(ctx: RenderContext, name: str, claims: Claims) -> Iterator[nodes.Node]:
    """Return the tables of one document: unsupported claims first, in the order of the text, then the rest."""
    yield element("p", "mc-source", *ctx.inline(_sources_text(claims)), *_csv_link(ctx, name))
    yield _table_of_counts({name: claims})
    parts = {
        "What does not hold": lambda e: e.verdict in VERDICTS_WITH_SLIP or e.contradicted,
        "What nothing supports": lambda e: e.verdict == "unsupported" and not e.contradicted,
    }
    for title, wanted in parts.items():
        chosen = [(a, e) for a, e in claims if wanted(e)]
        if chosen:
            yield nodes.section(
                "", nodes.title("", title), _claims_table(ctx, title, name, chosen), ids=[anchor(title)]
            )
    rest = [(a, e) for a, e in claims if _is_supported(e)]
    title = f"What holds: {len(rest)} statements"
    yield nodes.section(
        "",
        nodes.title("", "What holds"),
        details("mc-data", title, _claims_table(ctx, title, name, rest)),
        ids=["holds"],
    )


def _is_supported(claim: Claim) -> bool:
    return claim.verdict in ("reproduced", "rounding") and not claim.contradicted


def _sources_text(claims: Claims) -> str:
    sources = {claim.source for _, claim in claims}
    if len(sources) > 1:
        return "Each claim names its source. "
    return f"Claims of {{cite:t}}`{sources.pop()}`, with the lines of its text. "


def _csv_link(ctx: RenderContext, name: str) -> list[nodes.Node]:
    root = "../" * ctx.docname.count("/")
    sheet_ = f"{root}_static/claims/{name}.csv"
    return [element("a", "mc-download", text_node("Download them as CSV"), href=sheet_, download=True), text_node(".")]


def _agreement_rule() -> nodes.section:
    section = nodes.section("", nodes.title("", "When do digits agree?"), ids=["digits"])
    for name, meanings in (("verdicts", VERDICT_MEANINGS), ("kinds of slip", SLIP_KINDS)):
        section += element("p", "", text_node(f"The {name}:"))
        items = [
            element("li", "", element("strong", "", text_node(k)), text_node(f": {m}.")) for k, m in meanings.items()
        ]
        section += element("ul", "", *items)
    text = (
        "All numbers are judged alike: 44 claims two digits, and 43.6 reproduces it; 40 may claim one or two, so "
        "40.3 reproduces it and 43.8 counts as rounding; a lone zero claims none; for a share above 50 %, the 10 % "
        "apply to the remainder. A word that stands for a number is read as that number, and the reading is shown. "
        f"“{CONTRADICTED}” marks claims that no measured system supports, whatever their arithmetic."
    )
    section += element("p", "", text_node(text))
    return section


def _counts(by_document: Mapping[str, Claims]) -> nodes.section:
    section = nodes.section("", nodes.title("", "Counts"), ids=["claims-by-verdict"])
    section += _table_of_counts(by_document)
    return section


def _table_of_counts(by_document: Mapping[str, Claims]) -> HtmlElement:
    total: Counter[str] = Counter()
    rows = []
    for name, claims in by_document.items():
        counted = Counter(claim.verdict for _, claim in claims) + Counter(
            CONTRADICTED for _, claim in claims if claim.contradicted
        )
        total += counted
        rows.append([current_library.title(name), len(claims), *(counted[v] for v in (*CLAIM_VERDICTS, CONTRADICTED))])
    if len(rows) > 1:
        every = sum(total[v] for v in CLAIM_VERDICTS)
        rows.append(["all", every, *(total[v] for v in (*CLAIM_VERDICTS, CONTRADICTED))])
    return table("Claims by document and verdict", ["document", "claims", *CLAIM_VERDICTS, "contradicted"], rows, TALLY)


# ---------------------------------------------------------------- the filter


def _filter(by_document: Mapping[str, Claims]) -> HtmlElement:
    every = [claim for claims in by_document.values() for _, claim in claims]
    of_documents = {name: claims for name, claims in by_document.items() if all(claim.quote for _, claim in claims)}
    places = {name: list(dict.fromkeys(e.place for _, e in claims)) for name, claims in of_documents.items()}
    lists = {
        "document": [(name, current_library.title(name)) for name in by_document],
        "place": [(f"{n}: {p}", f"{current_library.title(n)[:24]}: {p}") for n in places for p in places[n]],
        "verdict": [(v, v) for v in CLAIM_VERDICTS] + [("contradicted", CONTRADICTED)],
        "kind": [(kind, f"{kind}: {label}") for kind, label in SLIP_KINDS.items()],
        "consequence": [("yes", "changes a conclusion"), ("no", "changes none")],
    }
    place = element("div", "mc-filter", data_rows=len(every))
    rules = []
    for name, choices in lists.items():
        options = [element("option", "", text_node("any"), value="")]
        options += [element("option", "", text_node(label), value=value) for value, label in choices]
        place += element("label", "", text_node(f"{name.capitalize()} "), for_=f"mc-filter-{name}")
        place += element("select", "mc-input", *options, id=f"mc-filter-{name}", data_filter=name, autocomplete="off")
        rules += [_hiding_rule(name, value) for value, _ in choices]
    place += raw_html(f"<style>{''.join(rules)}</style>")
    return place


def _hiding_rule(name: str, value: str) -> str:
    """Return the CSS rule by which a choice hides other rows; `~=` because a row may have two verdicts."""
    quoted = value.replace('"', "")
    alike = "~=" if name == "verdict" else "="
    chosen = f'.mc-filter:has(#mc-filter-{name} option[value="{quoted}"]:checked)'  # `:has` of the filter only
    return f'{chosen} ~ section tr[data-verdict]:not([data-{name}{alike}"{quoted}"]){{display:none}}'


# ---------------------------------------------------------------- the rows


def _claims_table(ctx: RenderContext, title: str, name: str, claims: Claims, brief: bool = False) -> HtmlElement:
    """Return claims as rows, each with its explanation or, if `brief`, with a link to it."""
    ctx.note_use(*(address for address, _ in claims))
    columns, row = (COLUMNS[:3], _brief_claim_row) if brief else (COLUMNS, _claim_row)
    head = element("tr", "", *(element("th", "", text_node(c), scope="col") for c in columns))
    body = element("tbody", "", *(row(ctx, name, *each) for each in claims))
    whole = element("table", "mc-table mc-claims", element("thead", "", head), body)
    return element("div", "mc-scroll", whole, tabindex="0", role="region", aria_label=title)


def row_attributes(name: str, claim: Claim) -> JsonObject:
    """Return the attributes of a row that the filter uses."""
    return {
        "data_verdict": f"{claim.verdict} contradicted" if claim.contradicted else claim.verdict,
        "data_document": name,
        "data_place": f"{name}: {claim.place}",
        "data_kind": claim.kind or None,
        "data_consequence": "yes" if claim.consequence else "no",
    }


def _brief_claim_row(ctx: RenderContext, name: str, address: str, claim: Claim) -> HtmlElement:
    """Return a row without the explanation, which is on the page of the document."""
    verdict = _verdict_badges(claim)
    if _computation(claim) or _comments(claim):
        verdict.append(
            element("a", "mc-reason-link", text_node("why"), href=f"{document_page(name)}#row-{anchor(address)}")
        )
    number = _computed_text(claim) if claim.is_formula else [text_node(claim.text() or "–")]
    cells = [_claim_cell(ctx, claim), number, verdict]
    return element("tr", "", *(element("td", "", *cell) for cell in cells), **row_attributes(name, claim))


def _claim_row(ctx: RenderContext, name: str, address: str, claim: Claim) -> HtmlElement:
    cells = [_claim_cell(ctx, claim), _computed_text(claim), _verdict_badges(claim), _explanation(ctx, claim)]
    row = element(
        "tr", "", *(element("td", "", *cell) for cell in cells), data_address=address, **row_attributes(name, claim)
    )
    row["ids"] = [f"row-{anchor(address)}"]
    return row


def document_page(name: str) -> str:
    """Return the relative URL of the page of a document's claims.

    >>> document_page("claims.full_stack_audit")
    'claims/full-stack-audit.html'
    """
    return f"claims/{name.rpartition('.')[2].replace('_', '-')}.html"


def _claim_cell(ctx: RenderContext, claim: Claim) -> list[nodes.Node]:
    place = element("span", "mc-source", *ctx.inline(_citation(claim) if not claim.quote else _lines_text(claim)))
    if not claim.quote:
        printed = [text_node(" – published: "), *_published_text(ctx, claim)]
        return [*ctx.inline(claim.summary), *printed, raw_html("<br>"), place]
    meaning = element("span", "mc-source", text_node("Meaning: "), *ctx.inline(claim.summary), *_reading(ctx, claim))
    tag = "code" if "\\" in claim.quote else "q"  # a formula of the source's own is quoted as its code
    quoted = element(tag, "mc-quote", text_node(claim.quote))
    quoted["support_smartquotes"] = False  # two hyphens stay two hyphens
    return [quoted, raw_html("<br>"), place, raw_html("<br>"), meaning]


def _reading(ctx: RenderContext, claim: Claim) -> list[nodes.Node]:
    if claim.is_formula:
        return [text_node(": "), *_published_text(ctx, claim)]
    if claim.program_output:
        return [text_node("; shown: "), *_published_text(ctx, claim)]
    return [text_node("; read as "), *_published_text(ctx, claim)] if claim.reading else []


def _lines_text(claim: Claim) -> str:
    lines = "line" if re.fullmatch(r"\d+", claim.lines) else "lines"
    return f"{claim.at}; {lines} {claim.lines.replace('-', '–')}"


def _citation(claim: Claim) -> str:
    traced = f"; {CERTAINTY[claim.certainty]}" if claim.certainty else ""
    return f"{{cite:t}}`{claim.source}`, {claim.at}{traced}"


def _verdict_badges(claim: Claim) -> list[nodes.Node]:
    badges = [element("span", "mc-verdict", text_node(claim.verdict), data_verdict=claim.verdict)]
    if claim.kind:
        badges += [raw_html("<br>"), element("span", "mc-source", text_node(claim.kind))]
    if claim.contradicted:
        badges += [
            raw_html("<br>"),
            element("span", "mc-verdict", text_node(CONTRADICTED), data_verdict="contradicted"),
        ]
    return badges


def _published_text(ctx: RenderContext, claim: Claim) -> list[nodes.Node]:
    return ctx.inline(claim.printed_text())


def _computed_text(claim: Claim) -> list[nodes.Node]:
    if claim.is_formula:
        return [inline_math(f"{claim.support.lhs.tex} = {to_latex(claim.support.rhs)}")]
    if not claim.text():
        return [text_node("–")]
    return [element("span", "mc-val", text_node(claim.text()), data_address=claim.address, title=claim.how() or None)]


def _explanation(ctx: RenderContext, claim: Claim) -> list[nodes.Node]:
    parts = [ctx.inline(_as_sentence(text)) for text in _comments(claim)]
    computation = _computation(claim)
    if computation:
        parts.insert(0, [element("span", "mc-how", text_node(f"{computation}."))])
    return [node for part in parts for node in (*part, text_node(" "))]


def _computation(claim: Claim) -> str:
    return "" if claim.is_formula else claim.how()


def _comments(claim: Claim) -> list[str]:
    prices = claim.range.replace("$", r"\$")  # two dollar signs in a line would be a formula
    texts = (claim.explanation, prices, claim.consequence, claim.measured)
    return [text for text in texts if text]


def _as_sentence(text: str) -> str:
    whole = text[0].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _used_addresses(claim: Claim) -> list[str]:
    statements = [claim.support, *claim.givens.values()]
    return [statement.address for statement in statements if isinstance(statement, Statement)]


# ---------------------------------------------------------------- the sheet


def claims_csv(name: str) -> str:
    """Return the claims of a chapter as CSV, one row each, with the columns CSV_COLUMNS.

    >>> claims_csv("claims.papers").splitlines()[0].split(",")[:3]
    ['address', 'document', 'place']
    """
    text = io.StringIO()
    rows = [_csv_row(address, claim) for address, claim in chapter_claims(name)]
    csv.writer(text, lineterminator="\n").writerows([CSV_COLUMNS, *rows])
    return text.getvalue()


def _csv_row(address: str, claim: Claim) -> list[object]:
    number = f"read as {claim.reading}" if claim.reading else claim.printed or claim.word
    computed = claim.how() if claim.is_formula else claim.text()
    reason = [claim.explanation, claim.range, claim.consequence, claim.measured]
    place = [address, claim.source, claim.at, claim.lines, claim.quote]
    verdict = [number, claim.summary, computed, claim.how(), claim.verdict, claim.kind, claim.slip]
    return [*(_strip_markup(text) for text in (*place, *verdict, *reason)), CERTAINTY.get(claim.certainty, "")]


def _strip_markup(text: str) -> str:
    """Return an author's text without markup: citations and links become plain text."""
    linked = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1, \2", text)
    return re.sub(r"\{[\w:]+\}`([^`]*)`", r"[\1]", linked).replace("\u202f", " ")
