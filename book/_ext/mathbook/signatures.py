"""Signatures and docstrings for autodoc: without the location parameter, errors in paragraphs of their own."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config


WHERE_PARAMETER = re.compile(
    r"(?:, \*)?, where: str = <factory>(?=\))|where: str = <factory>, "
)  # each statement finds its line
SECTION_HEADS = re.compile(r"(Raises|Warns)\b([^:]*):")


def setup(app: "Sphinx") -> None:
    """Connect to autodoc, where a project uses it."""
    app.connect("config-inited", _connect)


def _connect(app: "Sphinx", config: "Config") -> None:
    if "sphinx.ext.autodoc" in app.extensions:
        app.connect("autodoc-process-signature", _signature)
        app.connect("autodoc-process-docstring", _docstring)


def _signature(
    app: "Sphinx", what: str, name: str, value: object, options: object, signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    return (readable_signature(signature), returned) if signature else None


def readable_signature(signature: str) -> str:
    """Return the signature of a class in valid Python syntax, so that autodoc links its types.

    >>> readable_signature("(rhs: Any, kind: str = 'model', *, where: str = <factory>)")
    "(rhs: Any, kind: str = 'model')"
    >>> readable_signature("(*, where: str = <factory>, data: Dataset, only: Mapping = <factory>)")
    '(*, data: Dataset, only: Mapping = ...)'
    """
    return WHERE_PARAMETER.sub("", signature).replace("<factory>", "...")


def _docstring(app: "Sphinx", what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    lines[:] = separate_sections(lines)


def separate_sections(lines: list[str]) -> list[str]:
    """Return the lines of a docstring with a paragraph for each `Raises:` and `Warns:`, its heading in bold.

    >>> separate_sections(["Return it.", "Warns: Moved.", "Raises: Unknown."])
    ['Return it.', '', '**Warns:** Moved.', '', '**Raises:** Unknown.']
    """
    separated: list[str] = []
    for line in lines:
        if SECTION_HEADS.match(line):
            separated += [""] if separated and separated[-1] else []
            line = SECTION_HEADS.sub(r"**\1\2:**", line, count=1)
        separated.append(line)
    return separated
