"""Figures of plotly: complete without JavaScript, alive with it.

A figure is its drawing (by mc-chart.js, while the book is built), the data for plotly as inline
JSON, a caption with a number, and the same data as a folded table. Alt text is required.
"""

from docutils import nodes

from mathbook.elements import element, folded, raw, table
from mathbook.explorers import data_script, draw
from mathbook.node import Refusal
from mathbook.statements import refuse

WANTED = ("plotly", "caption", "alt", "table")
DASHES = {"solid": "total", "dash": "write", "dot": "rework", "dashdot": "exact"}


def figure(scribe, name, data):
    """Return a figure with caption, picture and table."""
    missing = [key for key in WANTED if not data.get(key)]
    if missing:
        what = f"the figure `{name}` has no {' and no '.join(missing)}"
        return [refuse(what, scribe.directive.get_location(), "give it to mathbook.plots")]
    plot = {"data": data["plotly"]["data"], "layout": _layout(data["plotly"].get("layout", {}))}
    inside = _still(scribe, plot, data) + data_script(plot)
    place = {"role": "figure", "aria_label": data["alt"], "style": f"min-height:{plot['layout']['height']}px"}
    node = nodes.figure("", element("div", "mc-plotly", raw(inside), **place), classes=["mc-figure"])
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


def _layout(layout):
    """Return the layout without its template, which weighs 6 KB and holds the theme's colours."""
    return {"height": 420} | {key: value for key, value in layout.items() if key != "template"}


def _still(scribe, plot, data):
    chart = _chart(plot, data)
    if not chart["curves"]:
        return ""
    try:
        pictures = [draw("chart", {**chart, "width": w, "height": h}) for w, h in ((720, 420), (380, 360))]
    except Refusal as error:
        refuse(f"the still of a figure cannot be drawn, {error}", scribe.directive.get_location(), "mend mc-chart.js")
        return ""
    wide, narrow = pictures
    layouts = f'<div class="mc-layout-wide">{wide}</div><div class="mc-layout-narrow">{narrow}</div>'
    return f'<div class="mc-still">{layouts}</div>'


def _chart(plot, data):
    """Return what mc-chart.js draws of a plotly figure: its scatter traces."""
    scatters = [t for t in plot["data"] if t.get("type", "scatter") == "scatter"]
    axes = {key: _axis(plot["layout"].get(f"{key}axis", {}), scatters, key) for key in "xy"}
    lines = [t for t in scatters if "lines" in t.get("mode", "lines")]
    dots = [t for t in scatters if t.get("mode", "lines") == "markers"]
    return {
        **axes,
        "curves": [_curve(trace) for trace in lines],
        "markers": [m for trace in dots for m in _markers(trace)],
        "verticals": _verticals(plot["layout"]),
        "spans": [],
        "title": data["alt"],
        "desc": data["alt"],
    }


def _verticals(layout):
    """Return the upright lines of a layout, each with the text that stands over it."""
    lines = [s for s in layout.get("shapes", []) if s.get("type") == "line" and s["x0"] == s["x1"]]
    texts = [note["text"] for note in layout.get("annotations", [])]
    texts += [""] * len(lines)
    return [{"x": line["x0"], "label": text, "tone": "plain"} for line, text in zip(lines, texts, strict=False)]


def _points(trace):
    pairs = zip(trace["x"], trace["y"], strict=True)
    return [[x, y] for x, y in pairs if x is not None and y is not None]


def _curve(trace):
    style = DASHES.get(trace.get("line", {}).get("dash", "solid"), "plain")
    return {"label": trace.get("name", ""), "style": style, "points": _points(trace)}


def _markers(trace):
    return [
        {"label": trace.get("name", "") if i == 0 else "", "x": x, "y": y, "shape": "dot", "tone": "plain"}
        for i, (x, y) in enumerate(_points(trace))
    ]


def _axis(axis, traces, key):
    values = [point["xy".index(key)] for trace in traces for point in _points(trace)]
    log = axis.get("type") == "log"
    low, high = axis.get("range") or (None, None)
    if low is None:
        low, high = min(values), max(values)
    elif log:
        low, high = 10**low, 10**high
    title = axis.get("title", "")
    title = title.get("text", "") if isinstance(title, dict) else title
    return {"label": title, "unit": "", "low": low, "high": high, "log": log}
