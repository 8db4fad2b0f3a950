"""Comparisons of formulas with measurements: the badge of a formula, a comparison as a block, and the appendix.

The tables of the appendix are sorted by error, largest first.
"""

from docutils import nodes

from mathbook import digests
from mathbook.elements import element, folded, math, table, words
from mathbook.scribe import anchor
from mathcore.library import book
from mathcore.measured import Comparison, Dataset
from mathcore.measured.comparisons import KEPT, MANY
from mathcore.units import NARROW, number_text, quantity_parts, quantity_text

NONE = "not measured"
MOST = 1  # comparisons in the status of a formula; the measurements below it list all
HEAD = [
    "median",
    "expected",
    "worst",
    "system, range, lesson",
    "formula",
    "fitted parameters, 90 % intervals",
    "fitted on",
    "tested on",
]
DATA = ["data", "rows", "method and caveats", "source and licence"]


def badges(formula):
    """Return badges for the comparisons of a formula, or one that says that nothing was measured."""
    found = [
        element("span", "mc-measured", words(judged(c)["text"]), data_measured="yes", title=c.system)
        for c in formula.measured
    ]
    if len(found) > MOST:
        found[MOST:] = [
            words(" "),
            element("span", "mc-measured", words(f"and {len(found) - MOST} more, below"), data_measured="yes"),
        ]
    told = "no comparison of this formula with a measured system is stated"
    return found or [element("span", "mc-measured", words(NONE), data_measured="no", title=told)]


def details(scribe, formula):
    """Return what was measured, folded, of a formula that is compared."""
    if formula.measured:
        scribe.use(*(c.address for c in formula.measured))
        told = (part for c in formula.measured for part in _told(scribe, c))
        yield element("div", "mc-data", element("p", "mc-label", words("Measurements")), *told)


def comparison(scribe, address, entity):
    """Return a comparison as a block."""
    scribe.use(address, entity.data.address, entity.formula.address)
    scribe.record.show(address, scribe.docname, f"measured-{anchor(address)}")
    block = element("div", "mc-fact mc-comparison", data_address=address)
    block["ids"] = [f"measured-{anchor(address)}"]
    *told, rows = _told(scribe, entity)
    block += [*told, folded("mc-data", "Data source and caveats", rows)]
    return [scribe.located(block)]


def _told(scribe, entity):
    """Return system and verdict, the gaps, what remains, and where the rows come from."""
    said = judged(entity)
    badge = element("span", "mc-measured", words(said["text"]), data_measured="yes")
    yield element("p", "mc-head", *scribe.prose(entity.system), words(" "), badge)
    told = []
    for gap, text in zip(entity.gaps.values(), said["gaps"], strict=True):
        told += [math(gap.letter.tex), words(f" = {text}: "), *scribe.prose(gap.letter.meaning), words("; ")]
    note = scribe.prose(entity.note) if entity.note else []
    yield element("p", "mc-givens", *told, words(said["fit"]), *note)
    data = entity.data
    yield element("p", "mc-source", *scribe.prose(f"{data.meaning}: {provenance(data)}. {data.caveats}"))


def judged(entity):
    """Return what fit and rows say, in texts, as they were found before for the same comparison and data."""
    return digests.kept("judged", entity, lambda: _fitted(entity))


def _fitted(entity):
    fitted = len(entity.sides[0])
    fit = f"fitted on {fitted} other rows. " if fitted else "No parameter was fitted. "
    low, high = (number_text(end, 2) for end in entity.band)
    part = "The middle 90 % of the measurements" if entity.unseen >= MANY else "All measurements"
    spread = f"{part} lie between {low}× and {high}× the prediction. "
    gaps = [gap_text(gap) for gap in entity.gaps.values()]
    return {"text": entity.text(), "gaps": gaps, "fit": fit + _promise(entity) + spread}


def _promise(entity):
    """Return how well the fitted rows are predicted from each other, and how the judged ones compare with that."""
    if entity.promised is None:
        return ""
    ends = {
        "is no larger": entity.median <= entity.promised,
        "is at most twice as large": entity.median <= KEPT * entity.promised,
        "is larger, but below 1 %": entity.kept,
        "is larger: the model does worse outside the rows on which it was fitted": True,
    }
    told = next(words for words, holds in ends.items() if holds)
    fitted = f"Leave-one-out error on the fitted rows: {_share(entity.promised)} (median). "
    return f"{fitted}The error on the test rows {told}. "


def _share(number):
    return f"{number_text(100 * number, 2)}{NARROW}%"


def gap_text(gap):
    """Return a gap with its interval: `40.6 % (39.8 to 41.5 %)`."""
    (low, _), high = quantity_parts(gap.low), quantity_text(gap.high)
    return f"{gap.text(digits=3)} ({low} to {high})"


def provenance(data):
    """Return in Markdown where data stand, from when they are, and how they were measured."""
    return f"{{cite}}`{data.source}`, {data.at}; {data.date}; {data.how}"


def listed(scribe):
    """Return the tables of the appendix: comparisons, worst first, and the data that they rest on."""
    found = _stated(Comparison)
    worst = sorted(found, key=lambda pair: -pair[1].median)
    section = nodes.section("", nodes.title("", "All comparisons, worst first"), ids=["worst-first"])
    promises = [c.kept for _, c in found if c.kept is not None]
    section += element(
        "p",
        "",
        words(
            f"Of {len(promises)} comparisons with fitted parameters, {sum(promises)} stay within twice the error that "
            "leave-one-out on the fitted rows leads one to expect."
        ),
    )
    rows = [_row(scribe, *pair) for pair in worst]
    section += table("Comparisons", HEAD, rows, "mc-table mc-comparisons")
    yield section
    section = nodes.section("", nodes.title("", "The data"), ids=["the-data"])
    rows = [_data(scribe, *pair) for pair in _stated(Dataset)]
    section += table("Data", DATA, rows, "mc-table mc-datasets")
    yield section


def _stated(kind):
    return [pair for name in book.names() for pair in book.entities(name) if isinstance(pair[1], kind)]


def _row(scribe, address, entity):
    from mathbook.tables import Place

    scribe.use(address, entity.data.address)
    formula = [math(entity.formula.latex()), words(" "), Place("", address=entity.formula.address, wants="shown")]
    gaps = [part for gap in entity.gaps.values() for part in (math(gap.letter.tex), words(f" = {gap_text(gap)}; "))]
    promised = "–" if entity.promised is None else _share(entity.promised) + ("" if entity.kept else ", exceeded")
    shares = [_share(entity.median), promised, _share(entity.worst)]
    told = [
        element("strong", "", *scribe.prose(entity.system)),
        words(f", {entity.ranges()}. " if entity.over else ". "),
    ]
    system = element("span", "", *told, *(scribe.prose(entity.note) if entity.note else []), data_address=address)
    system["ids"] = [f"row-{anchor(address)}"]
    counts = [len(side) or "–" for side in entity.sides]
    return [*shares, [system], formula, gaps or "none", *counts]


def _data(scribe, address, data):
    name = element("span", "", *scribe.prose(data.meaning), data_address=address)
    name["ids"] = [f"data-{anchor(address)}"]
    source = scribe.prose(f"{{cite}}`{data.source}`, {data.at}; {data.date}. {data.licence}")
    return [[name], len(data.rows), scribe.prose(f"{data.how}. {data.caveats}"), source]
