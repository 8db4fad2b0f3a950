"""What an explorer's reader moves and reads along: a slider, a choice, an axis, in the unit of display."""

from dataclasses import dataclass

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.letters import letter_html
from mathcore.variables import Variable


def scale(variable, unit):
    """Return `unit` and its factor to the declared unit of the variable.

    >>> scale(Variable("t", "s", "time"), "h")
    {'unit': 'h', 'factor': 3600}
    """
    if units.unit(unit).dimensionality != variable.dimension:
        raise DeclarationError(
            f"{variable.name} ({variable.meaning}) cannot be shown in `{unit}`: it is "
            f"{units.kind_text(variable.dimension)}, such as `{f'1 {variable.shown}'.strip()}`",
            where(),
        )
    ratio = units.factor(unit) / units.factor(variable.unit)
    return {"unit": unit, "factor": int(ratio) if float(ratio).is_integer() else ratio}


@dataclass(frozen=True)
class Slider:
    """An input: range, step and default as numbers in `unit`."""

    variable: Variable
    unit: str
    low: float
    high: float
    step: float
    default: float
    label: str = ""

    def check(self, title, place):
        """Refuse a default outside the range or off the steps, and a range that is not admissible.

        Raises: DeclarationError.
        """
        at = f"{title}: slider {self.variable.name}"
        if not self.low <= self.default <= self.high:
            raise DeclarationError(
                f"{at} has the default {self.default} outside {self.low}..{self.high}", place
            )
        steps = (self.default - self.low) / self.step
        if abs(steps - round(steps)) > 1e-9:
            raise DeclarationError(
                f"{at}: no step of {self.step} from {self.low} reaches {self.default}", place
            )
        _admissible(self.variable, self.unit, (self.low, self.high), at, place)

    def spec(self):
        """Return the slider as data."""
        v = self.variable
        return {
            "name": v.name,
            "label": self.label or v.meaning,
            "html": letter_html(v.tex),
            **scale(v, self.unit),
            **{k: getattr(self, k) for k in ("low", "high", "step", "default")},
        }


@dataclass(frozen=True)
class Choice:
    """An input with a few named values: `Choice(s, "%", {"synchronous": 100, "asynchronous": 2}, 100)`."""

    variable: Variable
    unit: str
    options: dict
    default: float
    label: str = ""

    def check(self, title, place):
        """Refuse fewer than two options, a default that is none of them, or an inadmissible value.

        Raises: DeclarationError.
        """
        at = f"{title}: choice {self.variable.name}"
        values = list(self.options.values())
        if len(values) < 2 or self.default not in values:
            raise DeclarationError(
                f"{at} has the default {self.default} among {values}: it needs two options or more, and "
                "one of them as the default",
                place,
            )
        _admissible(self.variable, self.unit, values, at, place)

    def spec(self):
        """Return the choice as data."""
        v = self.variable
        return {
            "name": v.name,
            "label": self.label or v.meaning,
            "html": letter_html(v.tex),
            **scale(v, self.unit),
            "options": [{"label": label, "value": value} for label, value in self.options.items()],
            "low": min(self.options.values()),
            "high": max(self.options.values()),
            "default": self.default,
        }


def _admissible(variable, unit, values, at, place):
    factor = scale(variable, unit)["factor"]
    for value in values:
        if not variable.admits(value * factor):
            raise DeclarationError(f"{at} runs outside the admissible {variable.range_text()}", place)


@dataclass(frozen=True)
class Axis:
    """An axis: a variable or a label, its unit, its ends (None: from the curves)."""

    what: Variable
    unit: str
    low: float
    high: float | None
    label: str = ""
    points: int = 400
    log: bool = False

    def spec(self):
        """Return the axis as data."""
        return {
            "name": self.what.name,
            "label": self.label or self.what.meaning,
            **scale(self.what, self.unit),
            **{k: getattr(self, k) for k in ("low", "high", "points", "log")},
        }
