"""Figures of formulas, simulations and measurements: axes with units, a caption, alt text.

A `Figure` includes its data as a table, so that no information is only in the picture. numpy is loaded when a figure is
created; colours come from the page's theme. Curves and point sets are labelled where they are drawn, and deciding
values are marked by a vertical line or a labelled point.
"""

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import plotly.graph_objects as go

from mathbook.outputs import PLOTLY, PLOTLY_MARK
from mathcore import Formula, Variable, number_format, units
from mathcore.errors import DeclarationError
from mathcore.measured import Comparison
from mathcore.number_format import number_text, unit_text
from mathcore.types import AnyDict, JsonObject
from mathcore.units import Quantity, QuantityLike

TONES = ("total", "write", "rework", "exact", "plain")  # a dash and a colour each
TABLE_ROWS = 9  # of the data table
# The book's style of a drawing for viewers without its style sheet: one colour per tone, no dashes.
STYLE = (
    "<style>.mc-chart path{fill:none}.mc-chart text{fill:currentColor;font:12px sans-serif}"
    ".mcc-grid{stroke:#8884}.mcc-axis,.mcc-mark,.mcc-lead,.mcc-vertical,.mcc-plain{stroke:#777}"
    ".mcc-curve{stroke-width:2}.mcc-total{stroke:#0a5fb4}.mcc-write{stroke:#b25a00}.mcc-rework{stroke:#7a3fa0}"
    ".mcc-exact{stroke:#1b7f4b}.mc-chart text{stroke:none}</style>"
)
UNITS_IN_LABELS = "s|ms|µs|min|h|d|W|[GTM]?B(?:/s)?|years?"
UNITS_AS_WORDS = {
    "gpu": "",
    "token": "",
    "d": "day",
    "year": "year",
}  # units left out where a label begins so: it names them
Span: TypeAlias = tuple[QuantityLike, QuantityLike]  # the ends of an axis


@dataclass(frozen=True)
class Trace:
    """One curve or one point set: quantities (n,) along x and y, and standard errors of points.

    `names` are labels of points, one for each; `of` is the label of the curve whose colour the points share; a `quiet`
    curve is a reference line without a colour of its own.
    """

    label: str
    x: Quantity
    y: Quantity
    error: Quantity | None = None
    points: bool = False
    names: tuple = ()
    of: str = ""
    quiet: bool = False

    @property
    def is_points(self) -> bool:
        """Return whether this is a point set."""
        return self.points or self.error is not None


@dataclass(frozen=True)
class Axis:
    """An axis: label, unit, linear or logarithmic, and its range."""

    label: str
    unit: str = ""
    log: bool = False
    span: tuple | None = None

    @property
    def title(self) -> str:
        """Return the label with its unit."""
        return f"{self.label} [{unit_text(self.unit)}]" if self.unit else self.label

    def numbers(self, values: QuantityLike) -> list[float]:
        """Return a quantity array as a list of floats in the unit of the axis."""
        return [float(f"{v:.6g}") for v in units.quantity(values).m_as(units.unit(self.unit))]

    def number(self, value: QuantityLike) -> float:
        """Return a quantity, or its text, as a number in the unit of the axis."""
        return float(f"{units.quantity(value).m_as(units.unit(self.unit)):.6g}")

    def spec(self, numbers: Iterable[float], air: float) -> AnyDict:
        """Return the axis as data, over `span` or over the numbers with a margin `air`."""
        low, high = map(self.number, self.span) if self.span else self._ends(numbers, air)
        unit = "" if self.label.startswith(UNITS_AS_WORDS.get(self.unit, "\0")) else unit_text(self.unit)
        return {"label": self.label, "unit": unit, "low": low, "high": high, "log": self.log}

    def _ends(self, numbers: Iterable[float], air: float) -> tuple[float, float]:
        seen = [n for n in numbers if math.isfinite(n) and (n > 0 or not self.log)]
        low, high = min(seen), max(seen)
        if self.log:
            return low / (high / low) ** air, high * (high / low) ** air
        around = air * (high - low)
        return (0.0 if 0 <= low < (high - low) / 3 and air else low - around), high + around


def with_nbsp(label: str) -> str:
    """Return a label with narrow no-break spaces between numbers and units.

    >>> with_nbsp("dispatch of 10 µs on 4 devices")
    'dispatch of 10\\u202fµs on 4 devices'
    """
    return re.sub(rf"(?<=\d) (?=(?:{UNITS_IN_LABELS})\b|%)", number_format.NNBSP, label)


def sweep(
    formula: Formula,
    along: Variable | str,
    span: Span,
    at: Mapping | None = None,
    label: str = "",
    count: int = 160,
    log: bool = False,
    over: "QuantityLike | None" = None,
) -> Trace:
    """Return the Trace of `formula` along one variable over `span`, the others fixed by `at`.

    `over` divides both x and y by a quantity, for dimensionless figures.

    Raises: ArgumentError for a value the formula does not take.

    >>> from mathcore import find
    >>> trace = sweep(find("young_daly.interval"), "C", ("1 min", "9 min"), {"M": "8 h"}, count=3)
    >>> [round(float(v), 1) for v in trace.y.m_as("min")]
    [31.0, 69.3, 93.0]
    """
    import numpy as np

    low, high = (units.quantity(bound) for bound in span)
    ends = low.magnitude, high.m_as(low.units)
    steps = np.geomspace(*ends, count) if log else np.linspace(*ends, count)
    whole = any(v.name == getattr(along, "name", along) and v.integer_only for v in formula.inputs)
    x = units.Quantity(np.unique(np.round(steps)) if whole else steps, low.units)
    y, _ = formula.evaluate({**(at or {}), getattr(along, "name", along): x})  # a curve may leave the range of validity
    scale = units.quantity(over) if over is not None else 1
    return Trace(label or formula.lhs.meaning, x / scale, y / scale)


def simulated(
    simulation: Callable,
    along: Variable,
    values: Iterable[QuantityLike],
    at: Mapping[Variable, QuantityLike],
    unit: str = "",
    label: str = "simulation",
    runs: int = 400,
    seed: int = 2006,
    of: str = "",
) -> Trace:
    """Return the Trace of a Monte Carlo simulation at some `values` of one variable, with standard errors.

    `values` and `at` are quantities or texts; `unit` is that of what `simulation` returns; `of` names the curve
    that it should meet.
    """
    import numpy as np

    fixed = {v.name: v.number(q) for v, q in at.items()}
    points = [units.quantity(v) for v in values]
    samples = [
        simulation(**fixed, **{along.name: s.m_as(units.unit(along.unit))}, runs=runs, seed=seed + i)
        for i, s in enumerate(points)
    ]
    x = units.Quantity(np.array([s.m_as(points[0].units) for s in points]), points[0].units)
    means = units.Quantity(np.array([s.mean() for s in samples]), units.unit(unit))
    errors = units.Quantity(np.array([s.std(ddof=1) / math.sqrt(len(s)) for s in samples]), units.unit(unit))
    return Trace(label, x, means, errors, of=of)


def measured(
    comparison: Comparison,
    along: str,
    ratio: bool = False,
    only: AnyDict | None = None,
    name: str = "",
    of: str = "",
    named: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Trace, ...]:
    """Return the rows on which a Comparison was fitted and those on which it was tested, as two point sets.

    `along` is the column of the x values, `only` selects rows as in a Comparison, `name` is a prefix of the labels if a
    figure has several, and `of` is the curve that the points should meet: if both are equal, the label of the curve
    names the points as well. With `ratio` the points are measured over predicted, for which a level line at 1 means
    exact; `named` is `{column: {cell: label}}`.

    >>> from mathcore import find
    >>> seen, unseen = measured(find("training.measured.mpt_h100"), "tokens", ratio=True)
    >>> len(unseen.x), unseen.label
    (17, 'measured, not seen by the fit')
    """
    wanted = comparison.data.chosen(only or {})
    labels = [
        "measured, used for the fit",
        "measured, not seen by the fit" if comparison.fit_parameters else "measured",
    ]
    sides = [[row for row in side if row in wanted] for side in comparison.split_rows]
    labels = [f"{name}, {label.removeprefix('measured, ')}" if name else label for label in labels]
    labels = ["", ""] if name and name == of else labels
    sets = [_points(comparison, along, ratio, *pair) for pair in zip(labels, sides, strict=True) if pair[1]]
    words = [tuple(_point_names(row, named or {}) for row in side) for side in sides if side]
    return tuple(
        replace(trace, of=of, names=point_names if any(point_names) else ())
        for trace, point_names in zip(sets, words, strict=True)
    )


def _point_names(row: AnyDict, named: Mapping[str, Mapping[str, str]]) -> str:
    return next((words[str(row[column])] for column, words in named.items() if str(row[column]) in words), "")


def _points(comparison: Comparison, along: str, ratio: bool, label: str, rows: list[AnyDict]) -> Trace:
    import numpy as np

    x = units.Quantity(np.array([row[along].magnitude for row in rows]), rows[0][along].units)
    y = comparison.observed(rows)
    return Trace(label, x, (y / comparison.predicted(rows)).to("") if ratio else y, points=True)


def predicted(
    comparison: Comparison, along: str, only: AnyDict | None = None, label: str = "predicted", span: Span | None = None
) -> Trace:
    """Return the Trace of the predictions of a Comparison for the selected rows, along a column.

    With a `span` it is swept between two quantities, with all other columns as in the first row.
    """
    import numpy as np

    rows = comparison.data.chosen({**comparison.only, **(only or {})})
    if span:
        low, high = (units.quantity(bound) for bound in span)
        stops = units.Quantity(np.geomspace(low.magnitude, high.m_as(low.units), 160), low.units)
        rows = [{**rows[0], along: stop} for stop in stops]
    rows = sorted(rows, key=lambda row: row[along])
    x = units.Quantity(np.array([row[along].magnitude for row in rows]), rows[0][along].units)
    return Trace(label, x, comparison.predicted(rows))


def level(value: QuantityLike, span: Span, label: str) -> Trace:
    """Return the Trace of a horizontal line, such as `level("1", ("8", "512"), "exact")`."""
    import numpy as np

    low, high = (units.quantity(bound) for bound in span)
    x = units.Quantity(np.array([low.magnitude, high.m_as(low.units)]), low.units)
    y = units.Quantity(np.full(2, units.quantity(value).magnitude), units.quantity(value).units)
    return Trace(label, x, y, quiet=True)


def relative_to(trace: Trace, base: Trace, label: str = "") -> Trace:
    """Return a Trace divided by another one, point by point, for curves that would coincide.

    Raises: DeclarationError where the two do not stand at the same x.

    >>> one = level("3 s", ("1", "2"), "three")
    >>> relative_to(one, level("2 s", ("1", "2"), "two")).y.m_as("").tolist()
    [1.5, 1.5]
    """
    if len(trace.x) > len(base.x) or (trace.x != base.x[: len(trace.x)]).any():
        raise DeclarationError(f"{trace.label} over {base.label}: the two do not stand at the same x")
    return replace(trace, label=label or trace.label, y=(trace.y / base.y[: len(trace.x)]).to(""))


@dataclass(frozen=True)
class Figure:
    """A figure of traces; point sets, and traces with errors, are drawn as points, all others as curves.

    `marks` maps a label to the x of a vertical line, `spots` maps a label to the x and y of a point, `name` is the
    label for references. `caption` asks or answers the reader's question, `alt` describes the picture.

    Raises: DeclarationError for a missing caption or alt text, and for two curves of one name.
    """

    traces: tuple
    x: Axis
    y: Axis
    caption: str
    alt: str
    marks: dict = field(default_factory=dict)
    name: str = ""
    spots: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject a figure without caption or alt text, or with ambiguous labels."""
        for name in ("caption", "alt"):
            if not getattr(self, name).strip():
                raise DeclarationError(f"the figure of {self.y.label} needs {name}= in words")
        labels = [trace.label for trace in self.traces if not (trace.is_points or trace.quiet)]
        twice = sorted({label for label in labels if label and labels.count(label) > 1})
        if twice or (len(labels) > 1 and not all(labels)):
            what = f"has two curves `{twice[0]}`" if twice else "has a curve without a name"
            raise DeclarationError(f"the figure of {self.y.label} {what}: name each in a word or two")

    def chart(self) -> AnyDict:
        """Return the specification that mc-chart.js draws."""
        series = [self._series(trace, tone) for trace, tone in zip(self.traces, self._tones(), strict=True)]
        curves = any(not (trace.is_points or trace.quiet) for trace in self.traces)
        marked = [self.x.number(at) for at in self.marks.values()]
        spots = [{"label": text, "x": self.x.number(x), "y": self.y.number(y)} for text, (x, y) in self.spots.items()]
        pairs = list(zip(self.traces, series, strict=True))
        across = [n for trace, one in pairs if not trace.quiet for n in one["x"]] + ([] if curves else marked)
        axis = self.x.spec(across, 0 if curves else 0.04)
        for trace, one in pairs:
            one |= {"x": [axis["low"], axis["high"]]} if trace.quiet else {}  # a level goes from edge to edge
        return {
            "x": axis,
            "y": self.y.spec([n for one in series for n in one["y"] if n is not None], 0.05),
            "series": series,
            "spots": spots,
            "uprights": [{"x": at, "label": text} for text, at in zip(self.marks, marked, strict=True)],
        }

    def _tones(self) -> Iterator[str]:
        """Yield a tone for each trace: the next unused one, or that of the curve to which points belong."""
        taken: dict[str, str] = {}
        for trace in self.traces:
            if not trace.quiet and trace.of not in taken:
                taken[trace.label] = TONES[len(taken) % len(TONES)]
            yield "plain" if trace.quiet else taken.get(trace.of) or taken[trace.label]

    def _series(self, trace: Trace, tone: str) -> AnyDict:
        label = "" if len(self.traces) == 1 else with_nbsp(trace.label)  # a single curve is named by the axis
        up = [n if math.isfinite(n) else None for n in self.y.numbers(trace.y)]
        one: AnyDict = {"label": label, "tone": tone, "x": self.x.numbers(trace.x), "y": up}
        one |= {"points": True} if trace.is_points else {}
        one |= {"names": list(trace.names)} if trace.names else {}
        return one | ({"error": self.y.numbers(trace.error)} if trace.error is not None else {})

    def table(self) -> AnyDict:
        """Return the data as a table: column headers and rows of text, with a few points of each trace."""
        rows = []
        for trace in self.traces:
            x, y = self.x.numbers(trace.x), self.y.numbers(trace.y)
            stops = (
                sorted({round(i * (len(x) - 1) / (TABLE_ROWS - 1)) for i in range(TABLE_ROWS)})
                if len(x) > TABLE_ROWS
                else range(len(x))
            )
            errors = self.y.numbers(trace.error) if trace.error is not None else None
            name = trace.label or (trace.of and f"{trace.of}, measured")
            for i in stops:
                more = f" ± {number_text(errors[i], 2)}" if errors else ""
                rows.append([name, _cell(x[i]), _cell(y[i]) + more])
        return {"columns": ["curve", self.x.title, self.y.title], "rows": rows}

    def plotly(self) -> "go.Figure":
        """Return the figure as a plotly figure, which Jupyter displays with zoom.

        >>> from mathcore import find
        >>> span, at = ("1 min", "9 min"), {"M": "8 h"}
        >>> curve = sweep(find("young_daly.interval"), "C", span, at, count=3)
        >>> drawn = Figure((curve,), Axis("write", "min"), Axis("interval", "min", log=True), "How often?", "A curve.")
        >>> drawn.plotly().layout.yaxis.type, len(drawn.plotly().data[0].x)
        ('log', 3)
        """
        import plotly.graph_objects as go

        chart = self.chart()
        figure = go.Figure([_plotly_trace(one) for one in chart["series"]])
        return self._framed(figure, chart)

    def _framed(self, figure: "go.Figure", chart: AnyDict) -> "go.Figure":
        for mark in chart["uprights"]:
            figure.add_shape(type="line", x0=mark["x"], x1=mark["x"], yref="paper", y0=0, y1=1, line={"dash": "dot"})
            # plotly places a shape on a logarithmic axis by its value, a text by its logarithm
            place = math.log10(mark["x"]) if self.x.log else mark["x"]
            figure.add_annotation(x=place, yref="paper", y=1, text=mark["label"], showarrow=False, yanchor="bottom")
        figure.update_xaxes(title=self.x.title, type="log" if self.x.log else "linear")
        figure.update_yaxes(title=self.y.title, type="log" if self.y.log else "linear")
        return figure

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> JsonObject:
        """Return the figure in every form: Markdown for the book, plotly for Jupyter, HTML for other viewers."""
        bundle = {"chart": self.chart(), "caption": self.caption, "alt": self.alt, "table": self.table()}
        return {
            "text/markdown": f"::::{{mc:figure}} {self.name}\n{json.dumps(bundle, ensure_ascii=False)}\n::::",
            PLOTLY: json.loads(self.plotly().update_layout(meta=PLOTLY_MARK).to_json()),
            "text/html": self.html(),
            "text/plain": self.alt,
        }

    def html(self) -> str:
        """Return the figure as HTML that needs neither script nor style sheet: drawing, caption, data table.

        Without Node the drawing is left out.
        """
        from mathbook import figures

        listed = self.table()
        rows = [("th", listed["columns"]), *(("td", row) for row in listed["rows"])]
        cells = "".join(f"<tr>{''.join(f'<{tag}>{html.escape(c)}</{tag}>' for c in row)}</tr>" for tag, row in rows)
        drawn = figures.figure_svg(self.chart(), self.alt)
        return (
            f"<figure>{STYLE}{drawn}<figcaption>{html.escape(self.caption)}</figcaption>"
            f"<details><summary>The numbers of this figure</summary><table>{cells}</table></details></figure>"
        )


@dataclass(frozen=True)
class Bars(Figure):
    """A figure of horizontal bars, the longest on top: each trace has a name and the two ends of its bar along x.

    Values are printed at the ends; `base` is the common start of all bars, at which no value is printed.
    """

    base: float | None = None

    def chart(self) -> AnyDict:
        """Return the specification that mc-chart.js draws."""
        ends = [self.x.numbers(trace.x) for trace in self.traces]
        names = [trace.label for trace in self.traces]
        marked = [{"x": self.x.number(at), "label": text} for text, at in self.marks.items()]
        bars = [{"ends": pair, "texts": self._texts(sorted(pair))} for pair in ends]
        rows = {"label": "", "unit": "", "low": 0.4, "high": len(names) + 0.6, "log": False, "names": names}
        across = self.x.spec([n for pair in ends for n in pair], 0.15)
        return {"x": across, "y": rows, "series": [], "bars": bars, "uprights": marked}

    def plotly(self) -> "go.Figure":
        """Return the figure as plotly bars, in the order of the page."""
        import plotly.graph_objects as go

        pairs = [sorted(self.x.numbers(trace.x)) for trace in self.traces]
        lows, lengths = [low for low, _ in pairs], [high - low for low, high in pairs]
        bars = go.Bar(y=[trace.label for trace in self.traces], x=lengths, base=lows, orientation="h")
        figure = self._framed(go.Figure([bars]), self.chart())
        return figure.update_yaxes(type="category")

    def _texts(self, ends: list[float]) -> list[str]:
        """Return the texts at the lower and the upper end of a bar."""
        texts = ["" if end == self.base else _cell(end) for end in ends]
        return texts if any(texts) else ["", _cell(ends[1])]

    def table(self) -> AnyDict:
        """Return the data as a table with a row for each bar."""
        rows = [[t.label, *map(_cell, sorted(self.x.numbers(t.x)))] for t in reversed(self.traces)]
        return {"columns": ["bar", f"{self.x.title}, from", "to"], "rows": rows}


def _plotly_trace(one: AnyDict) -> AnyDict:
    error = {"error_y": {"type": "data", "array": one["error"]}} if "error" in one else {}
    mode = "markers" if one.get("points") else "lines"
    return {"type": "scatter", "mode": mode, "name": one["label"], "x": one["x"], "y": one["y"], **error}


def _cell(value: float) -> str:
    return number_text(value, None if float(value).is_integer() else 3)
