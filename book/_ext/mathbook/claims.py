"""Audited claims: one as a block of a page, all of them as tables that can be searched and filtered."""

from collections import Counter

from docutils import nodes

from mathbook.elements import element, math, raw, table, words
from mathbook.scribe import anchor
from mathcore.entities import Entity
from mathcore.library import book
from mathcore.printing import latex
from mathcore.teaching import Claim
from mathcore.teaching.claims import VERDICTS

MEANING = {
    "reproduced": "the computed value rounds to what was printed, or lies within the printed bounds",
    "rounding": "off by less than a unit of the last digit, or by less than a tenth after “about”",
    "wrong": "anything else; the last column says what happened and what follows",
    "unsupported": "nothing is given from which it could be computed",
}
COLUMNS = ["what is said", "printed", "computed", "verdict", "how it comes about, and what follows"]


def claim(scribe, address, entity):
    """Return a claim as a block: what was printed, what it is, and why."""
    scribe.use(address, *_behind(entity))
    scribe.record.show(address, scribe.docname, f"claim-{anchor(address)}")
    block = element("div", "mc-example mc-claim", data_address=address)
    block["ids"] = [f"claim-{anchor(address)}"]
    head = [*scribe.prose(entity.says), words(" ("), *scribe.prose(_place(entity)), words(")")]
    block += element("p", "mc-givens", words("Printed: "), *_printed(scribe, entity), words(" — "), *head)
    block += element("p", "mc-step", words("Computed: "), *_computed(entity), words(" "), _badge(entity))
    block += element("p", "mc-compared", *_why(scribe, entity))
    return [scribe.located(block)]


def audit(scribe):
    """Return the counts, the controls and one table for each document."""
    modules = {name: [(a, e) for a, e in book.entities(name) if isinstance(e, Claim)] for name in book.names()}
    modules = {name: found for name, found in modules.items() if found}
    yield _counts(modules)
    yield element("div", "mc-filter", data_kinds=",".join(VERDICTS))
    for name, found in modules.items():
        title = book.title(name)
        section = nodes.section("", nodes.title("", title), ids=[f"of-{anchor(name)}"])
        scribe.use(*(address for address, _ in found))
        sources = {entity.source for _, entity in found}
        alone = len(sources) == 1
        told = f"Claims of {{cite:t}}`{sources.pop()}`." if alone else "Each claim names its source."
        section += element("p", "mc-source", *scribe.prose(told))
        section += _table(scribe, title, found, alone)
        yield section


def _counts(modules):
    rows, total = [], Counter()
    for name, found in modules.items():
        counted = Counter(entity.verdict for _, entity in found)
        total += counted
        rows.append([book.title(name), len(found), *(counted[v] for v in VERDICTS)])
    rows.append(["all", sum(total.values()), *(total[v] for v in VERDICTS)])
    section = nodes.section("", nodes.title("", "Counts"), ids=["claims-by-verdict"])
    section += table("Claims by document and verdict", ["document", "claims", *VERDICTS], rows)
    listed = element("ul", "")
    for verdict, meaning in MEANING.items():
        listed += element("li", "", element("strong", "", words(verdict)), words(f": {meaning}."))
    section += listed
    return section


def _table(scribe, title, found, alone):
    row = element("tr", "", *(element("th", "", words(c), scope="col") for c in COLUMNS))
    body = element("tbody", "", *(_row(scribe, *each, alone) for each in found))
    whole = element("table", "mc-table mc-claims", element("thead", "", row), body)
    return element("div", "mc-scroll", whole, tabindex="0", role="region", aria_label=title)


def _row(scribe, address, entity, alone):
    place = element("span", "mc-source", *scribe.prose(entity.at if alone else _place(entity)))
    cells = [
        [*scribe.prose(entity.says), raw("<br>"), place],
        _printed(scribe, entity),
        _computed(entity),
        [_badge(entity)],
        _why(scribe, entity),
    ]
    row = element("tr", "", data_verdict=entity.verdict, data_address=address)
    row["ids"] = [f"row-{anchor(address)}"]
    for cell in cells:
        row += element("td", "", *cell)
    return row


def _place(entity):
    return f"{{cite:t}}`{entity.source}`, {entity.at}"


def _badge(entity):
    return element("span", "mc-verdict", words(entity.verdict), data_verdict=entity.verdict)


def _printed(scribe, entity):
    return scribe.prose(entity.printed_text())


def _computed(entity):
    if entity.is_formula:
        return [math(f"{entity.support.lhs.tex} = {latex(entity.support.rhs)}")]
    if entity.value is None:
        return [words("–")]
    return [element("span", "mc-val", words(entity.text()), data_address=entity.address, title=entity.how())]


def _why(scribe, entity):
    told = [scribe.prose(_sentence(text)) for text in (entity.explanation, entity.consequence) if text]
    how = entity.how()
    if how and not entity.is_formula:
        told.insert(0, [element("span", "mc-how", words(f"{how}."))])
    return [node for part in told for node in (*part, words(" "))]


def _sentence(text):
    whole = text[0].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _behind(entity):
    statements = [entity.support, *entity.givens.values()]
    return [found.address for found in statements if isinstance(found, Entity)]
