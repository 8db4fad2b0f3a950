"""Figures of data: drawn while the book is built, read at the pointer where scripts run.

A figure is its drawing (by mc-chart.js, once for wide and once for narrow pages), the data as inline
JSON, a caption with a number, and the same data as a folded table. Alt text is required.
"""

from docutils import nodes

from mathbook.elements import element, folded, raw, table
from mathbook.explorers import data_script, draw
from mathbook.node import Refusal
from mathbook.statements import refuse

WANTED = ("chart", "caption", "alt", "table")
SIZES = {"wide": (720, 420), "narrow": (380, 380)}
SHAPES = ("dot", "diamond", "square", "triangle")
READ = 4  # digits of a value that is read at the pointer


def figure(scribe, name, data):
    """Return a figure with caption, picture and table."""
    missing = [key for key in WANTED if not data.get(key)]
    if missing:
        what = f"the figure `{name}` has no {' and no '.join(missing)}"
        return [refuse(what, scribe.directive.get_location(), "give it to mathbook.plots")]
    inside = _pictures(scribe, data) + (data_script(_read(data["chart"])) if data["chart"]["series"] else "")
    place = {"role": "figure", "aria_label": data["alt"]}
    node = nodes.figure("", element("div", "mc-graph", raw(inside), **place), classes=["mc-figure"])
    node += nodes.caption("", "", *scribe.prose(data["caption"]))
    node += nodes.legend("", _numbers(data))
    if name:
        _labelled(scribe, node, name)
    return [scribe.located(node)]


def _labelled(scribe, node, name):
    node["names"].append(nodes.fully_normalize_name(name))
    scribe.directive.state.document.note_explicit_target(node, node)


def _numbers(data):
    listed = data["table"]
    rows = [[str(cell) for cell in row] for row in listed["rows"]]
    return folded("mc-data", "The numbers of this figure", table(data["alt"], listed["columns"], rows))


def _pictures(scribe, data):
    chart = _chart(data["chart"], data["alt"])
    sizes = {layout: {"width": width, "height": height} for layout, (width, height) in SIZES.items()}
    try:
        return "".join(
            f'<div class="mc-layout-{layout}">{draw("chart", chart | size)}</div>' for layout, size in sizes.items()
        )
    except Refusal as error:
        refuse(f"a figure cannot be drawn, {error}", scribe.directive.get_location(), "mend mc-chart.js")
        return ""


def drawing(chart, alt):
    """Return the drawing of a chart for a wide column as SVG, or an empty text where there is no Node."""
    width, height = SIZES["wide"]
    try:
        return draw("chart", _chart(chart, alt) | {"width": width, "height": height})
    except (OSError, Refusal):  # the directive of the page says what cannot be drawn
        return ""


def _chart(chart, alt):
    """Return what mc-chart.js draws: curves, sets of points, spots, bars and upright lines."""
    series = chart["series"]
    sets = [_set(i, one) for i, one in enumerate(one for one in series if one.get("points"))]
    spots = [{"shape": "dot", "tone": "plain"} | spot for spot in chart.get("spots", [])]
    curves = [
        {"label": one["label"], "style": one["tone"], "points": _pairs(one)} for one in series if not one.get("points")
    ]
    rest = {key: chart[key] for key in ("x", "y", "bars", "uprights") if key in chart}
    return rest | {"curves": curves, "sets": sets, "markers": spots, "still": True, "title": alt}


def _set(index, one):
    known = {key: one[key] for key in ("label", "tone", "names") if key in one}
    return known | {"shape": SHAPES[index % len(SHAPES)], "points": _pairs(one)}


def _pairs(one):
    columns = [one["x"], one["y"], one["error"]] if one.get("error") else [one["x"], one["y"]]
    return [list(row) for row in zip(*columns, strict=True) if None not in row]


def _read(chart):
    """Return of a chart what is read at the pointer: its axes and series, with as many digits as are said."""
    series = [
        {key: one[key] for key in ("label", "tone", "points") if one.get(key)}
        | {key: _short(one[key]) for key in ("x", "y", "error") if key in one}
        for one in chart["series"]
    ]
    return {"x": chart["x"], "y": {key: chart["y"][key] for key in ("label", "unit", "log")}, "series": series}


def _short(values):
    return [None if value is None else float(f"{value:.{READ}g}") for value in values]
