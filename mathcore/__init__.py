"""The mathematics of machine-learning systems: stated once, derived, checked, computed.

    >>> import mathcore
    >>> mathcore.find("young_daly.interval").at(C="4 min", M="8 h").to("min")
    <Quantity(61.9677335, 'min')>

Importing the package loads the engine alone; a chapter is loaded by `find`, `walk` or `show`.
"""

from mathcore.calculations import Calculation
from mathcore.chance import Simulation
from mathcore.claims import Claim
from mathcore.controls import Axis, Choice, Slider
from mathcore.derivations import Derivation, Step
from mathcore.diagnosis import Diagnosis, diagnose
from mathcore.errors import (
    ArgumentError,
    DeclarationError,
    DimensionError,
    MathcoreError,
    StepError,
    UnknownAddress,
)
from mathcore.exercises import Exercise
from mathcore.explorers import Explorer, Substituted
from mathcore.facts import Fact
from mathcore.formulas import Formula
from mathcore.judge import Verdict
from mathcore.labs import Context, Lab, Outcome
from mathcore.library import address_of, find, walk
from mathcore.one import One
from mathcore.panels import Bands, Bars, Card, Chart, Curve, Failure, Level, Marker, Row, Way
from mathcore.questions import Option, Question
from mathcore.show import show
from mathcore.units import Quantity, quantity
from mathcore.variables import Variable
from mathcore.worked import Example

__version__ = "0.1.0"
__all__ = [
    "ArgumentError",
    "Axis",
    "Bands",
    "Bars",
    "Calculation",
    "Card",
    "Chart",
    "Choice",
    "Claim",
    "Context",
    "Curve",
    "DeclarationError",
    "Derivation",
    "Diagnosis",
    "DimensionError",
    "Example",
    "Exercise",
    "Explorer",
    "Fact",
    "Failure",
    "Formula",
    "Lab",
    "Level",
    "Marker",
    "MathcoreError",
    "One",
    "Option",
    "Outcome",
    "Quantity",
    "Question",
    "Row",
    "Simulation",
    "Slider",
    "Step",
    "StepError",
    "Substituted",
    "UnknownAddress",
    "Variable",
    "Verdict",
    "Way",
    "address_of",
    "diagnose",
    "find",
    "quantity",
    "show",
    "walk",
]
