"""Schematics: drawings that are computed from the statements of the book while it is built.

`mc-draw` puts one into a page by its name. A drawing is SVG with a title, a description and the same numbers
as a table; its colours are classes that follow the theme, one for each kind of quantity. Each is laid out
twice, for a wide column and for a phone. Families of drawings stand in modules of their own.
"""

from mathbook.diagrams import directive


def setup(app):
    """Register the directive with Sphinx, and load what a page with a drawing needs."""
    directive.setup(app)
