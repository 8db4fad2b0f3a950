"""What an explorer shows: curves and markers of a chart, cards, bars, a table, failures with ways out.

Each part names formulas by object and writes itself as data; the browser computes. A part with
thresholds says its verdict in words, never by colour alone.
"""

from dataclasses import dataclass, field

from mathcore.controls import Axis, scale
from mathcore.errors import DeclarationError, where
from mathcore.formulas import Formula
from mathcore.variables import Variable


def source(x):
    """Return where a value comes from, as data: a formula by address, or an input by name."""
    return {"f": x.address} if isinstance(x, Formula) else {"input": x.name}


def _formulas(*things):
    return [x for x in things if isinstance(x, Formula)]


def _graded(edges, labels, tones, what):
    wanted = len(edges) + 1
    if not len(labels) == len(tones) == wanted or list(edges) != sorted(edges):
        raise DeclarationError(
            f"{what} with the edges {edges}: edges must rise, and need {wanted} labels and tones, "
            f"not {len(labels)} and {len(tones)}",
            where(),
        )


@dataclass(frozen=True)
class Curve:
    """A formula drawn along the x axis; `style` is total, write, rework, exact or plain."""

    label: str
    formula: Formula
    style: str = "plain"

    def spec(self):
        """Return the curve as data."""
        return {"label": self.label, "f": self.formula.address, "style": self.style}


@dataclass(frozen=True)
class Marker:
    """A point on a curve, at an input's value or where a formula puts it."""

    label: str
    x: Variable | Formula
    on: Formula
    shape: str = "dot"
    tone: str = "plain"
    vertical: bool = False

    def spec(self):
        """Return the marker as data."""
        fixed = {k: getattr(self, k) for k in ("label", "shape", "tone", "vertical")}
        return {**fixed, "x": source(self.x), "on": self.on.address}


@dataclass(frozen=True)
class Level:
    """A line across a chart or at the bars: a budget, a limit; `vertical` puts it at an x instead."""

    label: str
    at: Variable | Formula
    tone: str = "bad"
    vertical: bool = False

    def spec(self):
        """Return the line as data."""
        return {"label": self.label, "at": source(self.at), "tone": self.tone, "vertical": self.vertical}


@dataclass(frozen=True)
class Bands:
    """Zones of a ratio with a verdict in words.

    `scale` is the x at which the ratio is one: it shades the chart; without it, only the words change.
    `template` is the sentence, with slots `{value}`, `{label}` and the sliders' letters.
    """

    ratio: Formula
    edges: tuple
    labels: tuple
    tones: tuple
    scale: Formula | None = None
    template: str = ""

    def __post_init__(self):
        """Refuse bands without a label or a tone, and edges out of order."""
        _graded(self.edges, self.labels, self.tones, "bands")

    @property
    def formulas(self):
        """Return the formulas that the bands evaluate."""
        return _formulas(self.ratio, self.scale)

    def spec(self):
        """Return the bands as data."""
        return {
            "of": source(self.ratio),
            "edges": list(self.edges),
            "labels": list(self.labels),
            "tones": list(self.tones),
            **({"scale": source(self.scale)} if self.scale else {}),
            **({"template": self.template} if self.template else {}),
        }


@dataclass(frozen=True)
class Row:
    """A row of the comparison table: one formula in every column's setting."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3


@dataclass(frozen=True)
class Card:
    """A key figure in large type; with `edges` in its unit it also says how good the figure is."""

    label: str
    formula: Formula
    unit: str
    digits: int = 3
    edges: tuple = ()
    labels: tuple = ("",)
    tones: tuple = ("plain",)

    def __post_init__(self):
        """Refuse thresholds without words."""
        _graded(self.edges, self.labels, self.tones, f"the card {self.label}")

    @property
    def formulas(self):
        """Return the formula in a list."""
        return [self.formula]

    def spec(self):
        """Return the card as data."""
        graded = {k: list(getattr(self, k)) for k in ("edges", "labels", "tones")}
        shown = {"digits": self.digits, **scale(self.formula.lhs, self.unit)}
        return {"label": self.label, **source(self.formula), **shown, **graded}


@dataclass(frozen=True)
class Chart:
    """Another chart under the same inputs."""

    title: str
    x: Axis
    y: Axis
    curves: tuple
    markers: tuple = ()
    levels: tuple = ()

    @property
    def formulas(self):
        """Return the formulas that the chart evaluates."""
        found = [c.formula for c in self.curves] + [m.on for m in self.markers]
        return found + _formulas(*(m.x for m in self.markers), *(level.at for level in self.levels))

    def spec(self):
        """Return the chart as data."""
        return {
            "title": self.title,
            "x": self.x.spec(),
            "y": self.y.spec(),
            "curves": [c.spec() for c in self.curves],
            "markers": [m.spec() for m in self.markers],
            "levels": [level.spec() for level in self.levels],
        }


@dataclass(frozen=True)
class Bars:
    """Formulas of one dimension side by side, by label; the least or the greatest is called best."""

    title: str
    unit: str
    bars: dict
    best: str = "least"
    levels: tuple = ()
    digits: int = 3

    def __post_init__(self):
        """Refuse an unknown word for the best."""
        if self.best not in ("least", "greatest", ""):
            raise DeclarationError(f"best `{self.best}` of {self.title}: least, greatest or nothing", where())

    @property
    def formulas(self):
        """Return the formulas of the bars."""
        return [*self.bars.values(), *_formulas(*(level.at for level in self.levels))]

    def spec(self):
        """Return the bars as data."""
        shown = {**scale(next(iter(self.bars.values())).lhs, self.unit), "digits": self.digits}
        bars = [{"label": label, **source(f), **scale(f.lhs, self.unit)} for label, f in self.bars.items()]
        levels = [level.spec() for level in self.levels]
        return {"title": self.title, **shown, "best": self.best, "bars": bars, "levels": levels}


@dataclass(frozen=True)
class Way:
    """A way out of a failure: bring the input `sets` to `to`, a formula or a number in the input's unit."""

    says: str
    sets: Variable
    to: Formula | float


@dataclass(frozen=True)
class Failure:
    """A state that must not be: `gap` above zero. `says` and the ways' words have `{slots}`.

    `slots` maps names to `(formula, unit)`; inputs are known by their letters, and a way's words know
    its value as `{to}`. The ways are ranked by how far they move their input.
    """

    title: str
    gap: Formula
    says: str
    ways: tuple
    slots: dict = field(default_factory=dict)

    @property
    def formulas(self):
        """Return the formulas that the failure evaluates."""
        return [self.gap, *_formulas(*(w.to for w in self.ways)), *(f for f, _ in self.slots.values())]

    def spec(self):
        """Return the failure as data."""
        ways = [
            {"says": w.says, "sets": w.sets.name, "to": source(w.to) if isinstance(w.to, Formula) else w.to}
            for w in self.ways
        ]
        slots = {name: {**source(f), **scale(f.lhs, unit)} for name, (f, unit) in self.slots.items()}
        return {"title": self.title, "gap": source(self.gap), "says": self.says, "ways": ways, "slots": slots}
