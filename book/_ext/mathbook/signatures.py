"""Signatures and docstrings for autodoc: without the location parameter, errors in paragraphs of their own."""

import re

WHERE_PARAMETER = re.compile(
    r"(?:, \*)?, where: str = <factory>(?=\))|where: str = <factory>, "
)  # each statement finds its line
SECTION_HEADS = re.compile(r"(Raises|Warns)\b([^:]*):")


def setup(app):
    """Connect to autodoc, where a project uses it."""
    app.connect("config-inited", _connect)


def _connect(app, config):
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-signature", _signature)
        app.connect("autodoc-process-docstring", _docstring)


def _signature(app, what, name, value, options, signature, returned):
    return (readable(signature), returned) if signature else None


def readable(signature):
    """Return the signature of a class in valid Python syntax, so that autodoc links its types.

    >>> readable("(rhs: Any, kind: str = 'model', *, where: str = <factory>)")
    "(rhs: Any, kind: str = 'model')"
    >>> readable("(*, where: str = <factory>, data: Dataset, only: Mapping = <factory>)")
    '(*, data: Dataset, only: Mapping = ...)'
    """
    return WHERE_PARAMETER.sub("", signature).replace("<factory>", "...")


def _docstring(app, what, name, value, options, lines):
    lines[:] = separate_sections(lines)


def separate_sections(lines):
    """Return the lines of a docstring with a paragraph for each `Raises:` and `Warns:`, its heading in bold.

    Raises:` and `Warns:`, its head in bold type.

    >>> separate_sections(["Return it.", "Warns: Moved.", "Raises: Unknown."])
    ['Return it.', '', '**Warns:** Moved.', '', '**Raises:** Unknown.']
    """
    separated = []
    for line in lines:
        if SECTION_HEADS.match(line):
            separated += [""] if separated and separated[-1] else []
            line = SECTION_HEADS.sub(r"**\1\2:**", line, count=1)
        separated.append(line)
    return separated
