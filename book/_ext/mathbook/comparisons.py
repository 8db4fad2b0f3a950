"""Comparisons of formulas with measurements: the badge of a formula, a comparison as a block, and the appendix.

The tables of the appendix are sorted by error, largest first.
"""

from collections.abc import Iterator, Mapping

from docutils import nodes

from mathbook import content_hash
from mathbook.elements import HtmlElement, details, element, inline_math, table, text_node
from mathbook.render_context import RenderContext, anchor
from mathcore import Formula
from mathcore.library import Kind, current_library
from mathcore.measured import Comparison, Dataset
from mathcore.measured.comparisons import DEGRADATION_LIMIT, MIN_ROWS_FOR_QUANTILES
from mathcore.measured.parameters import FittedParameter
from mathcore.number_format import NNBSP, number_text, spell_quantity
from mathcore.types import AnyDict
from mathcore.units import quantity_text

NOT_MEASURED = "not measured"
LARGE_ERROR = 10  # relative error from which it is printed as a multiple
MAX_BADGES = 1  # comparisons in the status of a formula; the measurements below it list all
COMPARISON_COLUMNS = [
    "median", "expected", "worst", "system, range, lesson", "formula", "systems, 90 % of another",
    "fitted parameters, another system", "fitted on", "tested on"
]  # fmt: skip
DATA_COLUMNS = ["data", "rows", "method and caveats", "source and licence"]


def comparison_badges(formula: Formula) -> list[nodes.Node]:
    """Return badges for the comparisons of a formula itself, or one that states that there are none.

    A comparison of a larger formula that this one is a part of is no evidence for it alone.
    """
    own, whole = _own_and_wider(formula)
    badge_nodes = [
        element("span", "mc-measured", text_node(result_texts(c)["text"]), data_measured="yes", title=c.system)
        for c in own[:MAX_BADGES]
    ]
    if len(own) > MAX_BADGES:
        more = element(
            "span", "mc-measured", text_node(f"and {len(own) - MAX_BADGES} more, below"), data_measured="yes"
        )
        badge_nodes += [text_node(" "), more]
    if badge_nodes:
        return badge_nodes
    names = " and ".join(dict.fromkeys(c.formula.lhs.meaning for c in whole))
    text = f"measured only as a part of: {names}" if names else NOT_MEASURED
    tooltip = "no comparison of this formula with a measured system is stated"
    return [element("span", "mc-measured", text_node(text), data_measured="no", title=tooltip)]


def _own_and_wider(formula: Formula) -> tuple[list[Comparison], list[Comparison]]:
    """Return the comparisons of a formula, and those of formulas that it is a part of."""
    own = [c for c in formula.measured if c.formula is formula]
    return own, [c for c in formula.measured if c.formula is not formula]


def render_measurements(ctx: RenderContext, formula: Formula) -> Iterator[HtmlElement]:
    """Yield the measurements with which a formula is compared, alone or as a part of another."""
    own, whole = _own_and_wider(formula)
    ctx.note_use(*(c.address for c in formula.measured))
    if own:
        parts = (part for c in own for part in [_result_line(ctx, c), *_render_details(ctx, c)])
        yield element("div", "mc-data", element("p", "mc-label", text_node("Measurements")), *parts)
    if whole:
        label = element("p", "mc-label", text_node("Measurements of what it is a part of"))
        parts = (_result_line(ctx, c, inline_math(c.formula.latex())) for c in whole)
        yield element("div", "mc-data", label, *parts)


def render_comparison(ctx: RenderContext, address: str, statement: Comparison) -> list[nodes.Node]:
    """Return a comparison as a block: its system, its result in one line, and all else in one fold."""
    ctx.note_use(address, statement.data.address, statement.formula.address)
    ctx.domain.note_shown(address, ctx.docname, f"measured-{anchor(address)}")
    block = element("div", "mc-fact mc-comparison", data_address=address)
    block["ids"] = [f"measured-{anchor(address)}"]
    fold = details("mc-data", "Fit, ranges and data", *_render_details(ctx, statement))
    block += [_result_line(ctx, statement), fold]
    return [ctx.with_source(block)]


def _result_line(ctx: RenderContext, comparison: Comparison, *before: nodes.Node) -> HtmlElement:
    """Return the system of a comparison and its result."""
    badge = element("span", "mc-measured", text_node(result_texts(comparison)["text"]), data_measured="yes")
    system = comparison.system[:1].upper() + comparison.system[1:]
    separator = [text_node(": ")] if before else []
    return element("p", "mc-compared-with", *before, *separator, *ctx.inline(f"{system}."), text_node(" "), badge)


def _render_details(ctx: RenderContext, comparison: Comparison) -> Iterator[HtmlElement]:
    """Yield ranges, fitted parameters, residual error, and the source of the data."""
    results = result_texts(comparison)
    parameters = []
    for fitted, text in zip(comparison.fitted_parameters.values(), results["parameters"], strict=True):
        parameters += [
            inline_math(fitted.symbol.tex),
            text_node(f" = {text}: "),
            *ctx.inline(fitted.symbol.meaning),
            text_node("; "),
        ]
    note = ctx.inline(comparison.note) if comparison.note else []
    yield element("p", "mc-givens", *parameters, text_node(results["fit"]), *note)
    yield element("p", "mc-source", *ctx.inline(f"{comparison.data.meaning}: {_data_text(ctx, comparison)}"))


def _data_text(ctx: RenderContext, comparison: Comparison) -> str:
    """Return provenance and caveats of the data of a comparison, in Markdown; a page prints them once."""
    text = f"{dataset_provenance(comparison.data)}. {comparison.data.caveats}"
    printed = ctx.env.temp_data.setdefault("mathbook:data", {})
    if text in printed:
        return f"source and caveats as above, for {printed[text]}."
    printed[text] = comparison.system
    return text


def result_texts(comparison: Comparison) -> AnyDict:
    """Return the results of a comparison as texts, memoized by the hash of comparison and data."""
    return content_hash.memoize_json("comparison", comparison, lambda: _result_texts(comparison))


def _result_texts(comparison: Comparison) -> AnyDict:
    fitted = len(comparison.split_rows.fit)
    fit = f"fitted on {fitted} other rows. " if fitted else "No parameter was fitted. "
    low, high = (number_text(end, 2) for end in comparison.band)
    part = (
        f"The middle 90{NNBSP}% of these rows" if comparison.unseen >= MIN_ROWS_FOR_QUANTILES else "All of these rows"
    )
    lie = f"lie between {low}× and {high}×" if low != high else f"are about {low}×"
    parameters = [parameter_text(each) for each in comparison.fitted_parameters.values()]
    ranges = f"Measured over {comparison.ranges()}. " if comparison.over else ""
    fit += f"{_expected_error_text(comparison)}{part} {lie} the prediction. {comparison.elsewhere()} {ranges}"
    systems = len(comparison.data.systems_of(comparison.split_rows.holdout))
    count = f"{_count_with_name(comparison.unseen, 'configuration')} of {_count_with_name(systems, 'system')}"
    text = f"{count}: median error {_percent(comparison.median)}, worst {_percent(comparison.worst)}"
    return {
        "text": text,
        "parameters": parameters,
        "fit": fit,
        "band": comparison.system_band,
        "coverage": comparison.coverage,
    }


def _count_with_name(number: int, name: str) -> str:
    return f"{number_text(number, None)} {name}{'s' if number != 1 else ''}"


def _expected_error_text(comparison: Comparison) -> str:
    """Return the leave-one-out error on the fitted rows and how the error on the test rows compares with it."""
    if comparison.expected_error is None:
        return ""
    ends = {
        "is no larger": comparison.median <= comparison.expected_error,
        "is at most twice as large": comparison.median <= DEGRADATION_LIMIT * comparison.expected_error,
        "is larger, but below 1 %": comparison.error_as_expected,
        "is larger: the model does worse outside the rows on which it was fitted": True,
    }
    verdict = next(words for words, holds in ends.items() if holds)
    fitted = f"Leave-one-out error on the fitted rows: {_percent(comparison.expected_error)} (median). "
    return f"{fitted}The error on the test rows {verdict}. "


def _percent(share: float) -> str:
    """Return a relative error: in per cent, from ten times on as a multiple.

    >>> [_percent(share).replace(NNBSP, " ") for share in (0.056, 12.3, 1.2e-6)]
    ['5.6 %', '12×', '< 0.001 %']
    """
    return f"{number_text(share, 2)}×" if share >= LARGE_ERROR else spell_quantity(number_text(100 * share, 2), "%")


def parameter_text(parameter: FittedParameter) -> str:
    """Return a fitted parameter with its interval on another system: `40.6 % (34.6 to 48.1 %)`.

    An interval narrower than the digits of the value is left out, and so is that of fewer than three systems.
    """
    value = parameter.text(digits=3)
    if parameter.interval is None:
        return value
    low, high = map(quantity_text, parameter.interval)
    if low == high:
        return value
    _, space, unit = high.rpartition(NNBSP)
    return f"{value} ({low.removesuffix(space + unit) if space else low} to {high})"


def dataset_provenance(data: Dataset) -> str:
    """Return, in Markdown, the source of data, its date, and the method of measurement."""
    return f"{{cite}}`{data.source}`, {data.at}; {data.date}; {data.how}"


def render_comparison_tables(ctx: RenderContext) -> Iterator[nodes.section]:
    """Yield the tables of the appendix: comparisons sorted by error, and the data sets."""
    comparisons = _all_statements(Comparison)
    worst = sorted(comparisons, key=lambda pair: -pair[1].median)
    section = nodes.section("", nodes.title("", "All comparisons, worst first"), ids=["worst-first"])
    promises = [c.error_as_expected for _, c in comparisons if c.error_as_expected is not None]
    claim = f"Of {len(promises)} comparisons with fitted parameters, {sum(promises)} stay within twice the error that "
    section += element("p", "", text_node(f"{claim}leave-one-out on the fitted rows leads one to expect."))
    rows = [_comparison_row(ctx, *pair) for pair in worst]
    section += element("p", "", text_node(_independence_text(comparisons)))
    section += table("Comparisons", COMPARISON_COLUMNS, rows, "mc-table mc-carded mc-comparisons")
    yield section
    section = nodes.section("", nodes.title("", "The data"), ids=["the-data"])
    rows = [_dataset_row(ctx, *pair) for pair in _all_statements(Dataset)]
    section += table("Data", DATA_COLUMNS, rows, "mc-table mc-carded mc-datasets")
    yield section


def _independence_text(comparisons: list[tuple[str, Comparison]]) -> str:
    """Return the number of independent tests and systems, and how often the bands contain the rows, as sentences."""
    results = {address: result_texts(case) for address, case in comparisons}
    systems = {name for _, case in comparisons for name in case.systems}
    sources = {case.data.source for _, case in comparisons}
    shares = [each["coverage"] for each in results.values() if each["coverage"] is not None]
    shared = {address: [each.address for each in case.same_rows] for address, case in comparisons}
    single = sum(len(case.systems) == 1 for _, case in comparisons)
    return (
        f"{len(comparisons)} comparisons rest on {len(systems)} systems from {len(sources)} sources, and {single} of "
        f"them on one system. Where rows are shared, they are {len(_groups_sharing_rows(shared))} independent tests. "
        f"Of {len(shares)} comparisons with four systems or more, each system was tried against the band of the others"
        f": {_percent(sum(shares) / len(shares))} of its rows lie inside, on average."
    )


def _groups_sharing_rows(shared: Mapping[str, list[str]]) -> list[set[str]]:
    """Return the sets of comparisons that share rows, directly or not, from the addresses that share rows with each."""
    groups: list[set[str]] = []
    for address, others in shared.items():
        joined = {address, *others}
        groups, apart = [], groups
        for group in apart:
            if group & joined:
                joined |= group
            else:
                groups.append(group)
        groups.append(joined)
    return groups


def _all_statements(kind: type[Kind]) -> list[tuple[str, Kind]]:
    return [pair for name in current_library.names() for pair in current_library.statements(name, kind)]


def _expected_error(comparison: Comparison) -> str:
    """Return the error that a comparison states, as text, and whether it was exceeded."""
    if comparison.expected_error is None:
        return "–"
    return _percent(comparison.expected_error) + ("" if comparison.error_as_expected else ", exceeded")


def _comparison_row(ctx: RenderContext, address: str, comparison: Comparison) -> list[object]:
    from mathbook.appendix_tables import LinksPlaceholder

    ctx.note_use(address, comparison.data.address)
    link = LinksPlaceholder("", address=comparison.formula.address, wants="shown")
    formula = [inline_math(comparison.formula.latex()), text_node(" "), link]
    texts = {each.symbol.tex: f" = {parameter_text(each)}; " for each in comparison.fitted_parameters.values()}
    parameters = [part for tex, text in texts.items() for part in (inline_math(tex), text_node(text))]
    shares = [_percent(comparison.median), _expected_error(comparison), _percent(comparison.worst)]
    ranges = text_node(f", {comparison.ranges()}. " if comparison.over else ". ")
    description = [element("strong", "", *ctx.inline(comparison.system)), ranges]
    system = element(
        "span", "", *description, *(ctx.inline(comparison.note) if comparison.note else []), data_address=address
    )
    system["ids"] = [f"row-{anchor(address)}"]
    if shared := [each.address for each in comparison.same_rows]:
        system += text_node(f" Same rows as {', '.join(shared)}: no second test.")
    counts = [len(side) or "–" for side in comparison.split_rows]
    return [*shares, [system], formula, _systems_text(comparison), parameters or "none", *counts]


def _systems_text(comparison: Comparison) -> str:
    """Return the number of measured systems, their kind, and the band of another system."""
    band = result_texts(comparison)["band"]
    expected = " to ".join(f"{number_text(end, 2)}×" for end in band) if band else "no range"
    return f"{len(comparison.systems)} ({comparison.data.systems.are}); {expected}"


def _dataset_row(ctx: RenderContext, address: str, data: Dataset) -> list[object]:
    name = element("span", "", *ctx.inline(data.meaning), data_address=address)
    name["ids"] = [f"data-{anchor(address)}"]
    source = ctx.inline(f"{{cite}}`{data.source}`, {data.at}; {data.date}. {data.licence}")
    return [[name], len(data.rows), ctx.inline(f"{data.how}. {data.caveats}"), source]
