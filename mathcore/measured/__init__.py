"""What holds formulas against the world: measured rows, and what a formula says of them."""

from mathcore.measured.comparisons import Comparison
from mathcore.measured.datasets import Dataset
from mathcore.measured.paired import PairedError

__all__ = ["Comparison", "Dataset", "PairedError"]
