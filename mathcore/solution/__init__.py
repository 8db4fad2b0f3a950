"""A decision solved at one set of inputs.

`option_costs` evaluates the options, `ranking` orders them, `sensitivity` moves one uncertain input and `joint_range`
all of them; `losses`, `labels`, `sentences` and `cited_values` state the results. `Solution` composes these parts.
"""

from mathcore.solution.joint_range import Regret, Robustness
from mathcore.solution.sensitivity import Change, Crossing
from mathcore.solution.solution import RankedOption, Solution

__all__ = ["Change", "Crossing", "RankedOption", "Regret", "Robustness", "Solution"]
