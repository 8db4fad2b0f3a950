"""Rows of the measured tables of the book, as their files have them."""

import csv

from mathcore.library import current_library


def rows(name, **wanted):
    """Return the rows of a data set of the book as dictionaries of text: those with these cells."""
    (path,) = current_library.path("").glob(f"*/datasets/{name}.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if all(row[key] == value for key, value in wanted.items())]
