"""The drawings of the book, each made once, and what their SVG holds."""

import functools
import re
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

from mathbook.diagrams.registry import load_diagram

SVG = "{http://www.w3.org/2000/svg}"


class Rect(NamedTuple):
    """A rectangle of a drawing."""

    x: float
    y: float
    width: float
    height: float


@functools.cache
def drawn(name):
    """Return the drawing of that name, the same for all tests."""
    return load_diagram(name)[0]


def trees(drawing, name="x"):
    """Return the parsed SVG of each layout or frame, by its key."""
    return {end: ElementTree.fromstring(svg) for end, svg in drawing.svg(name).items()}


def elements(drawing, tag, *classes, end="wide"):
    """Return the elements of a layout that have this tag and these classes."""
    found = trees(drawing)[end].iter(f"{SVG}{tag}")
    return [each for each in found if set(classes) <= set((each.get("class") or "").split())]


def rects(drawing, *classes, end="wide"):
    """Return the rectangles of a layout that have these classes."""
    return [
        Rect(*(float(each.get(side)) for side in Rect._fields)) for each in elements(drawing, "rect", *classes, end=end)
    ]


def lengths(drawing, *classes, side="width"):
    """Return the widths (or heights) of the rectangles of the wide layout that have these classes."""
    return [getattr(each, side) for each in rects(drawing, *classes)]


def areas(drawing, *classes):
    """Return the areas of the rectangles that are drawn as one path, in the wide layout."""
    paths = [each.get("d") for each in elements(drawing, "path", *classes)]
    return [float(w) * float(h) for d in paths for w, h in re.findall(r"h([\d.]+)v([\d.]+)h-", d)]
