"""`Simulation`: a closed form of a random quantity, checked against a Monte Carlo simulation.

The simulation shares no code with the formula. It is a function that takes floats in declared units by name, the number
of runs and a seed, and returns one value a run; its mean must lie within four standard errors.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mathcore import units
from mathcore.formulas import Formula
from mathcore.statements import Statement

SIGMAS = 4.0  # standard errors within which a mean must lie


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Statement):
    """State that the function `simulate` simulates what `formula` gives at `givens`.

    `passed` runs it; nothing runs on import.
    """

    formula: Formula
    givens: dict
    simulate: Callable
    runs: int = 4000
    seed: int = 2006
    options: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the number of runs."""
        if self.runs < 100:
            message, hint = f"{self.runs} runs say nothing", "take 100 or more"
            raise self.located_error(message, code="out-of-range", got=self.runs, expected="100 or more", hint=hint)

    @functools.cached_property
    def result(self) -> tuple[units.Quantity, units.Quantity]:
        """Return `(mean, standard error)` of the simulation as quantities."""
        named = {v.name: v.number(x) for v, x in self.givens.items()}
        values = [float(x) for x in self.simulate(**named, runs=self.runs, seed=self.seed, **self.options)]
        mean = math.fsum(values) / len(values)
        spread = math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)
        return self.formula.lhs.quantity(mean), self.formula.lhs.quantity(math.sqrt(spread / len(values)))

    @property
    def value(self) -> units.Quantity:
        """Return the mean of the runs."""
        return self.result[0]

    @property
    def error(self) -> units.Quantity:
        """Return the standard error of the mean."""
        return self.result[1]

    @property
    def exact(self) -> units.Quantity:
        """Return the value of the formula."""
        return self.formula.at(self.givens)

    @property
    def passed(self) -> bool:
        """Return whether mean and formula agree within four standard errors."""
        return abs((self.value - self.exact).magnitude) <= SIGMAS * self.error.magnitude

    def _find_issues(self) -> Iterator[str]:
        """Yield that the two do not agree."""
        if not self.passed:
            results = f"the simulation gives {self.value:.6g~} ± {self.error:.2g~}, the formula {self.exact:.6g~}"
            yield f"{self.where}: {self.address}: {results}: one of the two is wrong"
