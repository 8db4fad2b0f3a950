"""What holds formulas against the world: measured rows, and what a formula says of them."""

from mathcore.measured.comparisons import Comparison
from mathcore.measured.datasets import Dataset

__all__ = ["Comparison", "Dataset"]
