"""Figures of data: drawn at build time, with values at the pointer where scripts run.

A figure consists of its drawing (by mc-chart.js, for wide and narrow pages), the data as inline JSON, a numbered
caption, and the data as a folded table. Alt text is required.
"""

from collections.abc import Iterable

from docutils import nodes

from mathbook.calculators import data_script, prerender
from mathbook.domain_access import warn_invalid
from mathbook.elements import HtmlElement, details, element, raw_html, table
from mathbook.node_rpc import ScriptError
from mathbook.render_context import RenderContext
from mathbook.values import InvalidValue
from mathcore.types import AnyDict

REQUIRED_KEYS = ("chart", "caption", "alt", "table")
SIZES = {"wide": (720, 420), "narrow": (380, 380)}
SHAPES = ("dot", "diamond", "square", "triangle")
READOUT_DIGITS = 4  # digits of a value that is read at the pointer


def render_figure(ctx: RenderContext, name: str, data: AnyDict) -> list[nodes.Node]:
    """Return a figure with caption, drawing and table."""
    missing = [key for key in REQUIRED_KEYS if not data.get(key)]
    if missing:
        what = f"the figure `{name}` has no {' and no '.join(missing)}"
        raise InvalidValue(what, "give it to mathbook.plots")
    inside = _layouts(ctx, data) + (data_script(_readout(data["chart"])) if data["chart"]["series"] else "")
    place = {"role": "figure", "aria_label": data["alt"]}
    node = nodes.figure("", element("div", "mc-graph", raw_html(inside), **place), classes=["mc-figure"])
    node += nodes.caption("", "", *ctx.inline(data["caption"]))
    node += nodes.legend("", _data_table(data))
    if name:
        _add_label(ctx, node, name)
    return [ctx.with_source(node)]


def _add_label(ctx: RenderContext, node: nodes.Element, name: str) -> None:
    node["names"].append(nodes.fully_normalize_name(name))
    ctx.directive.state.document.note_explicit_target(node, node)


def _data_table(data: AnyDict) -> HtmlElement:
    listed = data["table"]
    rows = [[str(cell) for cell in row] for row in listed["rows"]]
    return details("mc-data", "The numbers of this figure", table(data["alt"], listed["columns"], rows))


def _layouts(ctx: RenderContext, data: AnyDict) -> str:
    chart = _chart_spec(data["chart"], data["alt"])
    sizes = {layout: {"width": width, "height": height} for layout, (width, height) in SIZES.items()}
    try:
        return "".join(
            f'<div class="mc-layout-{layout}">{prerender("chart", chart | size)}</div>'
            for layout, size in sizes.items()
        )
    except ScriptError as error:
        warn_invalid(f"a figure cannot be drawn, {error}", ctx.directive.get_location(), "correct mc-chart.js")
        return ""


def figure_svg(chart: AnyDict, alt: str) -> str:
    """Return the drawing of a chart for a wide column as SVG; an empty text if there is no Node."""
    width, height = SIZES["wide"]
    try:
        return prerender("chart", _chart_spec(chart, alt) | {"width": width, "height": height})
    except (OSError, ScriptError):  # reported by the directive of the page
        return ""


def _chart_spec(chart: AnyDict, alt: str) -> AnyDict:
    """Return the specification that mc-chart.js draws: curves, point sets, labelled points, bars, vertical lines."""
    series = chart["series"]
    sets = [_point_set(i, one) for i, one in enumerate(one for one in series if one.get("points"))]
    spots = [{"shape": "dot", "tone": "plain"} | spot for spot in chart.get("spots", [])]
    curves = [
        {"label": one["label"], "style": one["tone"], "points": _points(one)} for one in series if not one.get("points")
    ]
    rest = {key: chart[key] for key in ("x", "y", "bars", "uprights") if key in chart}
    return rest | {"curves": curves, "sets": sets, "markers": spots, "still": True, "title": alt}


def _point_set(index: int, one: AnyDict) -> AnyDict:
    known = {key: one[key] for key in ("label", "tone", "names") if key in one}
    return known | {"shape": SHAPES[index % len(SHAPES)], "points": _points(one)}


def _points(one: AnyDict) -> list[list[float]]:
    columns = [one["x"], one["y"], one["error"]] if one.get("error") else [one["x"], one["y"]]
    return [list(row) for row in zip(*columns, strict=True) if None not in row]


def _readout(chart: AnyDict) -> AnyDict:
    """Return the text at the pointer: axes and series, rounded to the digits that are displayed."""
    series = [
        {key: one[key] for key in ("label", "tone", "points") if one.get(key)}
        | {key: _round_values(one[key]) for key in ("x", "y", "error") if key in one}
        for one in chart["series"]
    ]
    return {"x": chart["x"], "y": {key: chart["y"][key] for key in ("label", "unit", "log")}, "series": series}


def _round_values(values: Iterable[float | None]) -> list[float | None]:
    return [None if value is None else float(f"{value:.{READOUT_DIGITS}g}") for value in values]
