"""The mathematics of machine-learning systems: stated once, derived, checked, computed.

    >>> import mathcore
    >>> mathcore.find("young_daly.interval").at(C="4 min", M="8 h").to("min")
    <Quantity(61.9677335, 'min')>

Importing the package loads the core alone; a chapter is loaded by `find`, `search` or `walk`.
"""

from mathcore.checker import Verdict
from mathcore.decisions import Decision, Range, geomspace
from mathcore.deprecated import class_named as __getattr__  # noqa: F401  for mathcore.OutOfRegime
from mathcore.errors import (
    ArgumentError,
    DeclarationError,
    DimensionError,
    MathcoreError,
    OutsideValidity,
    Refuted,
    StepError,
    UnknownAddress,
)
from mathcore.examples import Example
from mathcore.facts import Fact, read_facts
from mathcore.formulas import Derivation, Formula
from mathcore.library import Library, find, search, use_library, walk
from mathcore.steps import Step
from mathcore.symbols import Max, Min, One, Variable
from mathcore.units import Quantity, quantity

__version__ = "0.2.0"
__all__ = [
    "ArgumentError", "Decision", "DeclarationError", "Derivation", "DimensionError", "Example", "Fact", "Formula",
    "Library", "MathcoreError", "Max", "Min", "One", "OutsideValidity", "Quantity", "Range", "Refuted", "Step",
    "StepError", "UnknownAddress", "Variable", "Verdict", "find", "geomspace", "quantity", "read_facts", "search",
    "use_library", "walk"
]  # fmt: skip
