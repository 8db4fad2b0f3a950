"""How much worse one option is than another: a share, or a difference in the unit of the objective."""

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from mathcore import units
from mathcore.number_format import NNBSP, number_text
from mathcore.types import Array
from mathcore.units import Quantity, quantity_text

if TYPE_CHECKING:
    from mathcore.decisions import Decision

ROUNDING = 1e-9  # a relative loss below this is none


class LossScale:
    """The scale on which losses of a decision are stated: that of the error of a predicted difference."""

    def __init__(self, decision: "Decision") -> None:
        self.decision = decision

    @functools.cached_property
    def relative(self) -> bool:
        """Return whether losses are relative to the best option, or in the declared unit of the objective."""
        return self.decision.margin_of_error[0].dimensionality == units.unit("").dimensionality

    @functools.cached_property
    def error(self) -> float:
        """Return the error of a predicted difference between options, as a loss."""
        unit = "" if self.relative else self.decision.target.unit
        return float(self.decision.margin_of_error[0].m_as(units.unit(unit)))

    def loss(self, cost: Array, best: Array) -> Array:
        """Return by how much costs exceed the best one."""
        with np.errstate(all="ignore"):
            excess = np.asarray(cost) - best
            return np.where(excess == 0, 0.0, excess / np.abs(best) if self.relative else excess)

    def quantity(self, loss: float) -> Quantity:
        """Return a loss as a quantity, a relative one in percent."""
        if self.relative:
            return Quantity(100 * loss, units.unit("%"))
        return self.decision.target.display_quantity(loss)

    def text(self, loss: float) -> str:
        """Return a loss as pages print it: a share in percent, from ten times on a multiple, or a quantity."""
        if not math.isfinite(loss):
            return "–"
        if not self.relative:
            quantity = self.quantity(loss)
            whole = round(quantity.magnitude)
            if abs(quantity.magnitude - whole) < ROUNDING:
                return quantity_text(Quantity(whole, quantity.units), None, None)
            return self.decision.quantity_text(self.decision.target, loss)
        loss = 0.0 if abs(loss) < ROUNDING else loss
        return f"{number_text(loss, 2)}×" if loss >= 10 else f"{number_text(100 * loss, 2)}{NNBSP}%"
