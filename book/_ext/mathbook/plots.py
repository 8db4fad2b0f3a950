"""Plotly figures of formulas and simulations: axes with units, a caption, a text for who cannot see.

A `Figure` carries its own data table, so that nothing is known only from the picture. numpy and
plotly are loaded when a figure is made; colours come from the page's theme, never from here.
"""

import json
import math
from dataclasses import dataclass, field

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.units import number_text, quantity_text, unit_text

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
SYMBOLS = ("circle", "diamond", "square", "cross")
ROWS = 9  # of the data table


@dataclass(frozen=True)
class Trace:
    """One curve, or one set of points: quantities (n,) along x and y, and the standard errors of points."""

    label: str
    x: object
    y: object
    error: object = None
    points: bool = False


@dataclass(frozen=True)
class Axis:
    """An axis: what it shows, in which unit, linear or logarithmic, from where to where."""

    label: str
    unit: str = ""
    log: bool = False
    span: tuple | None = None

    @property
    def title(self):
        """Return the label with its unit, as the axis is marked."""
        return f"{self.label} [{unit_text(self.unit)}]" if self.unit else self.label

    def numbers(self, values):
        """Return a quantity array as a list of floats in the unit of the axis."""
        return [float(f"{v:.6g}") for v in units.quantity(values).m_as(units.unit(self.unit))]


def sweep(formula, along, span, at=None, label="", count=160, log=False, over=None, base=None):
    """Return the Trace of `formula` along one variable over `span`, the others fixed by `at`.

    `over` divides both x and y by a quantity, for figures without dimension; with `base`, x takes the powers
    of that number alone, for a formula that holds for no other.

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
    if base:
        steps = float(base) ** np.arange(np.ceil(np.log(ends[0]) / np.log(base)), np.log(ends[1]) / np.log(base) + 1e-9)
    whole = any(v.name == getattr(along, "name", along) and v.integer_only for v in formula.inputs)
    x = units.Quantity(np.unique(np.round(steps)) if whole else steps, low.units)
    y, _ = formula.evaluate({**(at or {}), getattr(along, "name", along): x})  # a curve may leave the regime
    scale = units.quantity(over) if over is not None else 1
    return Trace(label or formula.lhs.meaning, x / scale, y / scale)


def simulated(twin, along, values, at, unit="", label="simulation", runs=400, seed=2006):
    """Return the Trace of a Monte-Carlo twin at some `values` of one variable, with standard errors.

    `values` and `at` are quantities or texts; `unit` is that of what the twin returns.
    """
    import numpy as np

    fixed = {v.name: units.quantity(q).m_as(units.unit(v.unit)) for v, q in at.items()}
    stops = [units.quantity(v) for v in values]
    samples = [
        twin(**fixed, **{along.name: s.m_as(units.unit(along.unit))}, runs=runs, seed=seed + i)
        for i, s in enumerate(stops)
    ]
    x = units.Quantity(np.array([s.m_as(stops[0].units) for s in stops]), stops[0].units)
    means, errors = zip(*((s.mean(), s.std(ddof=1) / math.sqrt(len(s))) for s in samples), strict=True)
    return Trace(label, x, *(units.Quantity(np.array(v), units.unit(unit)) for v in (means, errors)))


def measured(comparison, along, ratio=False, only=None, name=""):
    """Return what a Comparison was fitted on and what it was judged on as two Traces of points.

    `along` is the column at whose values they stand, `only` chooses rows as in a Comparison, `name` stands before
    the labels where a figure has several. With `ratio` the
    points are measured over predicted, which a level line at 1 says to be exact.

    >>> from mathcore import find
    >>> seen, unseen = measured(find("measured_training.mpt_h100"), "tokens", ratio=True)
    >>> len(unseen.x), unseen.label
    (17, 'measured, not seen by the fit')
    """
    wanted = comparison.data.chosen(only or {})
    labels = "measured, used for the fit", "measured, not seen by the fit" if comparison.free else "measured"
    sides = [[row for row in side if row in wanted] for side in comparison.sides]
    labels = [f"{name}, {label}" if name else label for label in labels]
    return tuple(_points(comparison, along, ratio, *pair) for pair in zip(labels, sides, strict=True) if pair[1])


def _points(comparison, along, ratio, label, rows):
    import numpy as np

    x = units.Quantity(np.array([row[along].magnitude for row in rows]), rows[0][along].units)
    y = comparison.observed(rows)
    return Trace(label, x, (y / comparison.predicted(rows)).to("") if ratio else y, points=True)


def predicted(comparison, along, only=None, label="predicted", span=None):
    """Return the Trace of what a Comparison predicts for the rows chosen, along a column.

    With a `span` it is swept between two quantities, all other columns as in the first of the rows.
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


def level(value, span, label):
    """Return the Trace of a level line, such as `level("1", ("8", "512"), "exact")`."""
    import numpy as np

    low, high = (units.quantity(bound) for bound in span)
    x = units.Quantity(np.array([low.magnitude, high.m_as(low.units)]), low.units)
    return Trace(label, x, units.Quantity(np.full(2, units.quantity(value).magnitude), units.quantity(value).units))


@dataclass(frozen=True)
class Figure:
    """A figure of traces; points, and what has errors, are drawn as points, all else as curves.

    `marks` maps a text to the x at which it stands as a vertical line, `name` is the label for
    references. `caption` asks or answers the reader's question, `alt` says what is seen.

    Raises: DeclarationError for a missing caption or alt text.
    """

    traces: tuple
    x: Axis
    y: Axis
    caption: str
    alt: str
    marks: dict = field(default_factory=dict)
    name: str = ""

    def __post_init__(self):
        """Refuse a figure that a reader could not understand."""
        for name in ("caption", "alt"):
            if not getattr(self, name).strip():
                raise DeclarationError(f"the figure of {self.y.label} needs {name}= in words", where())

    def plotly(self):
        """Return the figure as plotly's data and layout."""
        import plotly.graph_objects as go

        figure = go.Figure([self._trace(i, t) for i, t in enumerate(self.traces)])
        for text, at in self.marks.items():
            # Drawn as a shape of our own: plotly places text on a log axis by its logarithm.
            value = units.quantity(at).m_as(units.unit(self.x.unit))
            figure.add_shape(type="line", x0=value, x1=value, yref="paper", y0=0, y1=1, line={"dash": "dot"})
            place = math.log10(value) if self.x.log else value
            figure.add_annotation(x=place, yref="paper", y=1, text=text, showarrow=False, yanchor="bottom")
        figure.update_layout(
            template=None,
            xaxis=_axis(self.x, [n for trace in self.traces for n in self.x.numbers(trace.x)]),
            yaxis=_axis(self.y, [n for trace in self.traces for n in self.y.numbers(trace.y)]),
            legend={"orientation": "h", "y": -0.22},
            margin={"l": 60, "r": 16, "t": 32, "b": 56},
            height=420,
        )
        return figure.to_plotly_json()

    def _trace(self, index, trace):
        common = {"type": "scatter", "name": trace.label, "x": self.x.numbers(trace.x), "y": self.y.numbers(trace.y)}
        if trace.points:
            return {**common, "mode": "markers", "marker": {"size": 7, "symbol": SYMBOLS[index % len(SYMBOLS)]}}
        if trace.error is None:
            return {**common, "mode": "lines", "line": {"dash": DASHES[index % len(DASHES)], "width": 2}}
        bars = {"type": "data", "array": self.y.numbers(trace.error), "visible": True}
        return {**common, "mode": "markers", "error_y": bars, "marker": {"size": 7}}

    def table(self):
        """Return the data table: column heads and rows of text, a few points of each trace."""
        rows = []
        for trace in self.traces:
            x, y = self.x.numbers(trace.x), self.y.numbers(trace.y)
            stops = (
                sorted({round(i * (len(x) - 1) / (ROWS - 1)) for i in range(ROWS)}) if len(x) > ROWS else range(len(x))
            )
            errors = self.y.numbers(trace.error) if trace.error is not None else None
            for i in stops:
                more = f" ± {number_text(errors[i], 2)}" if errors else ""
                rows.append([trace.label, _cell(x[i]), _cell(y[i]) + more])
        return {"columns": ["curve", self.x.title, self.y.title], "rows": rows}

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = {"plotly": _plain(self.plotly()), "caption": self.caption, "alt": self.alt, "table": self.table()}
        directive = f"::::{{mc-figure}} {self.name}\n{json.dumps(bundle, ensure_ascii=False)}\n::::"
        return {"text/markdown": directive, "text/plain": self.alt}


def _cell(value):
    return number_text(value, None if float(value).is_integer() else 3)


def _axis(axis, numbers):
    kind = {"type": "log" if axis.log else "linear", "title": {"text": axis.title}}
    if axis.span is not None:
        ends = [units.quantity(bound).m_as(units.unit(axis.unit)) for bound in axis.span]
        kind["range"] = [math.log10(end) for end in ends] if axis.log else ends
    else:
        ends = [n for n in numbers if n is not None and n > 0]
    return kind | (_ticks(min(ends), max(ends)) if axis.log and ends else {})


def _ticks(low, high):
    """Return the ticks of a logarithmic axis, every one with its whole number: no `5` for 500.

    >>> _ticks(3, 2000)["ticktext"]
    ['5', '10', '20', '50', '100', '200', '500', '1,000', '2,000']
    >>> _ticks(1e-7, 1e6)["ticktext"]
    ['10⁻⁶', '0.001', '1', '1,000', '10⁶']
    """
    decades = math.log10(high / low)
    shares = (1, 2, 3, 5, 7) if decades < 1 else (1, 2, 5) if decades <= 3.2 else (1,)
    every = 1 if decades <= 7 else 3
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    tens = [ten for ten in range(first, last + 1) if ten % every == 0]
    pairs = [(share, ten) for ten in tens for share in shares if low / 1.001 <= share * 10.0**ten <= high * 1.001]
    return {"tickmode": "array", "tickvals": [share * 10.0**ten for share, ten in pairs],
            "ticktext": [_tick(share, ten) for share, ten in pairs]}  # fmt: skip


def _tick(share, ten):
    if -4 < ten < 6:
        return f"{share * 10**ten:,}" if ten >= 0 else f"{share * 10.0**ten:.{-ten}f}"
    raised = str(ten).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if share == 1 else f"{share}·10{raised}"


def _plain(value):
    """Return nested plotly data as plain JSON-able lists and dicts."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if key != "template"}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value.item() if hasattr(value, "item") else value


def reading(formula, **values):
    """Return the value of a formula as text, for captions that quote a number.

    >>> from mathcore import find
    >>> reading(find("young_daly.interval"), C="4 min", M="8 h")
    '62.0\\u202fmin'
    """
    found = formula.at(**values)
    return quantity_text(found, formula.lhs.shown)
