"""What an explorer's reader sees and moves: a slider or an axis, in the unit of display."""

from dataclasses import dataclass

from mathcore import units
from mathcore.errors import DeclarationError, where
from mathcore.formatting import letter_html
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

    def spec(self):
        """Return the slider as data."""
        v = self.variable
        return {
            "name": v.name,
            "label": self.label or v.meaning,
            "html": letter_html(v.name),
            **scale(v, self.unit),
            **{k: getattr(self, k) for k in ("low", "high", "step", "default")},
        }


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
