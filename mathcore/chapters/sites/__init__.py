"""Sites: grids, buildings, prices and reported runs. Dated inputs, not truths.

Every figure here depends on a place and a day: replace it by your own before you decide anything.
Grid intensities are location-based averages of generation over a year; prices are list prices.
A month of storage is written as a price per byte, with the month in `qualifier`.
"""

from mathcore import read_facts

facts = read_facts(__name__)
__getattr__ = facts.__getattr__
