"""Comparisons of formulas with measured rows."""

from mathcore.measured.comparisons import Comparison
from mathcore.measured.datasets import Dataset
from mathcore.measured.paired import PairedError

__all__ = ["Comparison", "Dataset", "PairedError"]
