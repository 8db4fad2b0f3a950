"""Comparisons of formulas with measurements: the badge of a formula, a comparison as a block, and the appendix.

The tables of the appendix are sorted by error, largest first.
"""

from docutils import nodes

from mathbook import content_hash
from mathbook.elements import element, folded, math, table, words
from mathbook.render_context import anchor
from mathcore.library import book
from mathcore.measured import Comparison, Dataset
from mathcore.measured.comparisons import KEPT, MANY
from mathcore.units import NARROW, number_text, quantity_parts, quantity_text

NOT_MEASURED = "not measured"
MAX_BADGES = 1  # comparisons in the status of a formula; the measurements below it list all
COMPARISON_COLUMNS = [
    "median",
    "expected",
    "worst",
    "system, range, lesson",
    "formula",
    "fitted parameters, 90 % intervals",
    "fitted on",
    "tested on",
]
DATA_COLUMNS = ["data", "rows", "method and caveats", "source and licence"]


def badges(formula):
    """Return badges for the comparisons of a formula, or one that says that nothing was measured."""
    found = [
        element("span", "mc-measured", words(result_texts(c)["text"]), data_measured="yes", title=c.system)
        for c in formula.measured
    ]
    if len(found) > MAX_BADGES:
        found[MAX_BADGES:] = [
            words(" "),
            element("span", "mc-measured", words(f"and {len(found) - MAX_BADGES} more, below"), data_measured="yes"),
        ]
    tooltip = "no comparison of this formula with a measured system is stated"
    return found or [element("span", "mc-measured", words(NOT_MEASURED), data_measured="no", title=tooltip)]


def details(ctx, formula):
    """Return what was measured, folded, of a formula that is compared."""
    if formula.measured:
        ctx.note_use(*(c.address for c in formula.measured))
        parts = (part for c in formula.measured for part in _details(ctx, c))
        yield element("div", "mc-data", element("p", "mc-label", words("Measurements")), *parts)


def comparison(ctx, address, entity):
    """Return a comparison as a block."""
    ctx.note_use(address, entity.data.address, entity.formula.address)
    ctx.domain.note_shown(address, ctx.docname, f"measured-{anchor(address)}")
    block = element("div", "mc-fact mc-comparison", data_address=address)
    block["ids"] = [f"measured-{anchor(address)}"]
    *parts, rows = _details(ctx, entity)
    block += [*parts, folded("mc-data", "Data source and caveats", rows)]
    return [ctx.with_source(block)]


def _details(ctx, entity):
    """Return system and verdict, the gaps, what remains, and where the rows come from."""
    results = result_texts(entity)
    badge = element("span", "mc-measured", words(results["text"]), data_measured="yes")
    yield element("p", "mc-head", *ctx.inline(entity.system), words(" "), badge)
    parameters = []
    for gap, text in zip(entity.gaps.values(), results["gaps"], strict=True):
        parameters += [math(gap.letter.tex), words(f" = {text}: "), *ctx.inline(gap.letter.meaning), words("; ")]
    note = ctx.inline(entity.note) if entity.note else []
    yield element("p", "mc-givens", *parameters, words(results["fit"]), *note)
    data = entity.data
    yield element("p", "mc-source", *ctx.inline(f"{data.meaning}: {provenance(data)}. {data.caveats}"))


def result_texts(entity):
    """Return what fit and rows say, in texts, as they were found before for the same comparison and data."""
    return content_hash.memoize_json("judged", entity, lambda: _result_texts(entity))


def _result_texts(entity):
    fitted = len(entity.sides[0])
    fit = f"fitted on {fitted} other rows. " if fitted else "No parameter was fitted. "
    low, high = (number_text(end, 2) for end in entity.band)
    part = "The middle 90 % of the measurements" if entity.unseen >= MANY else "All measurements"
    spread = f"{part} lie between {low}× and {high}× the prediction. "
    gaps = [parameter_text(gap) for gap in entity.gaps.values()]
    return {"text": entity.text(), "gaps": gaps, "fit": fit + _expected_error_text(entity) + spread}


def _expected_error_text(entity):
    """Return how well the fitted rows are predicted from each other, and how the judged ones compare with that."""
    if entity.promised is None:
        return ""
    ends = {
        "is no larger": entity.median <= entity.promised,
        "is at most twice as large": entity.median <= KEPT * entity.promised,
        "is larger, but below 1 %": entity.kept,
        "is larger: the model does worse outside the rows on which it was fitted": True,
    }
    verdict = next(words for words, holds in ends.items() if holds)
    fitted = f"Leave-one-out error on the fitted rows: {_percent(entity.promised)} (median). "
    return f"{fitted}The error on the test rows {verdict}. "


def _percent(number):
    return f"{number_text(100 * number, 2)}{NARROW}%"


def parameter_text(gap):
    """Return a gap with its interval: `40.6 % (39.8 to 41.5 %)`."""
    (low, _), high = quantity_parts(gap.low), quantity_text(gap.high)
    return f"{gap.text(digits=3)} ({low} to {high})"


def provenance(data):
    """Return in Markdown where data stand, from when they are, and how they were measured."""
    return f"{{cite}}`{data.source}`, {data.at}; {data.date}; {data.how}"


def comparison_tables(ctx):
    """Return the tables of the appendix: comparisons, worst first, and the data that they rest on."""
    found = _all_statements(Comparison)
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
    rows = [_comparison_row(ctx, *pair) for pair in worst]
    section += table("Comparisons", COMPARISON_COLUMNS, rows, "mc-table mc-comparisons")
    yield section
    section = nodes.section("", nodes.title("", "The data"), ids=["the-data"])
    rows = [_dataset_row(ctx, *pair) for pair in _all_statements(Dataset)]
    section += table("Data", DATA_COLUMNS, rows, "mc-table mc-datasets")
    yield section


def _all_statements(kind):
    return [pair for name in book.names() for pair in book.entities(name) if isinstance(pair[1], kind)]


def _comparison_row(ctx, address, entity):
    from mathbook.appendix_tables import LinksPlaceholder

    ctx.note_use(address, entity.data.address)
    formula = [
        math(entity.formula.latex()),
        words(" "),
        LinksPlaceholder("", address=entity.formula.address, wants="shown"),
    ]
    gaps = [
        part for gap in entity.gaps.values() for part in (math(gap.letter.tex), words(f" = {parameter_text(gap)}; "))
    ]
    expected = "–" if entity.promised is None else _percent(entity.promised) + ("" if entity.kept else ", exceeded")
    shares = [_percent(entity.median), expected, _percent(entity.worst)]
    description = [
        element("strong", "", *ctx.inline(entity.system)),
        words(f", {entity.ranges()}. " if entity.over else ". "),
    ]
    system = element("span", "", *description, *(ctx.inline(entity.note) if entity.note else []), data_address=address)
    system["ids"] = [f"row-{anchor(address)}"]
    counts = [len(side) or "–" for side in entity.sides]
    return [*shares, [system], formula, gaps or "none", *counts]


def _dataset_row(ctx, address, data):
    name = element("span", "", *ctx.inline(data.meaning), data_address=address)
    name["ids"] = [f"data-{anchor(address)}"]
    source = ctx.inline(f"{{cite}}`{data.source}`, {data.at}; {data.date}. {data.licence}")
    return [[name], len(data.rows), ctx.inline(f"{data.how}. {data.caveats}"), source]
