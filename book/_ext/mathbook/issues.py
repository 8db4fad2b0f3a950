"""Issues of a build, each as `path:line: what is wrong: what to do`.

Sphinx, MyST and cells report errors in different ways; each becomes an `Issue`.
"""

import re
from typing import NamedTuple

from nbformat import NotebookNode
from sphinx.util import logging

from mathbook.folders import BookFolders

SPHINX_WARNING = re.compile(r"^(?:(?P<place>[^\s:][^:]*(?::\d+)?|<unknown>:\d+): )?(?:WARNING|ERROR|CRITICAL): ")
CELL_FRAME = re.compile(r"(?:In\s?\[\d+\], line |<ipython-input-[\w-]+>:)(\d+)")
CELL_LOCATION = re.compile(r"^(?:cell|\S*mathbook/\w+\.py):\d+: ")  # the engine's own errors begin with their place
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

# What Sphinx says, and what to do about it: the first that fits.
REMEDIES = {
    r"undefined label|reference target not found|unknown target|equation not found": ""
    "write a label that exists, such as eq-<chapter>-<name> for an equation",
    r"Unknown interpreted text role|Unknown directive type|Unknown role": "check the spelling of the role or directive",
    r"could not find bibtex key|bibtex key": "add it to book/references.bib or correct the key",
    r"duplicate label|Duplicate target|duplicate equation|Duplicate ID": ""
    "show it once, or leave one of the two labels out",
    r"nonexisting document|toc.*not found|does not exist": "correct the name, or add the file",
    r"Non-consecutive header": "go down one heading level at a time",
    r"Pygments lexer|lexing literal_block": "name a language that Pygments knows",
    r"unknown output mime type": "give the figure a caption and an alt text with mathbook.plots",
    r"stderr was found": "remove the cause of the warning",
}


class Issue(NamedTuple):
    """One issue; `line` is 0 if the whole file is meant."""

    path: str
    line: int
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return the line that is printed."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return ": ".join(part for part in (place, self.what, self.remedy) if part)


class BuildFailed(Exception):
    """The book cannot be built; `issues` lists the reasons."""

    def __init__(self, issues: list[Issue]) -> None:
        super().__init__("\n".join(map(str, issues)))
        self.issues = issues


def log_issue(issue: Issue, subtype: str) -> None:
    """Log an Issue as a Sphinx warning with its location, of type `mathbook` and a subtype."""
    place = f"{issue.path}:{issue.line}" if issue.line else issue.path
    message = ": ".join(part for part in (issue.what, issue.remedy) if part)
    logging.getLogger(__name__).warning(message, location=place, type="mathbook", subtype=subtype)


def issues_from_sphinx(book: BookFolders, log: str) -> list[Issue]:
    """Return the issues in Sphinx's warning stream."""
    reports = []
    for line in COLOUR.sub("", log).splitlines():
        if match := SPHINX_WARNING.match(line):
            reports.append([match["place"] or "", line[match.end() :]])
        elif reports and line.strip():
            reports[-1][1] += " " + line.strip()
    return list(dict.fromkeys(_from_report(book, *report) for report in reports))


def _from_report(book: BookFolders, place: str, text: str) -> Issue:
    path, _, line = place.rpartition(":")
    if not line.isdigit():
        path, line = place, "0"
    text = text.strip()
    remedy = next((cure for sign, cure in REMEDIES.items() if re.search(sign, text)), "")
    return Issue(book.display_path(path) if path else "the book", int(line), text, remedy)


def issue_from_cell(path: str, text: str, notebook: NotebookNode, index: int, error: tuple[str, str, str]) -> Issue:
    """Return the issue of the cell `index` of a page whose source is `text`."""
    name, value, trace = error
    body = notebook.cells[index].source.splitlines()
    first = first_line(text, notebook.metadata["source_map"][index], body)
    within = line_in_cell(trace, len(body))
    statement = body[within - 1].strip() if body else ""
    message, by_engine = CELL_LOCATION.subn("", value)
    what = message if by_engine else f"{name}: {message}".strip(": ")
    what = " ".join(what.split())
    return Issue(path, first + within - 1, what, f"correct this line of the cell, `{statement}`")


def first_line(text: str, start: int, body: list[str]) -> int:
    """Return the line, counted from 1, at which the code of a cell begins.

    `start` is the line of the content of its fence, options included, counted from 0.

    >>> page = "# Title\\n\\n```{code-cell}\\n:tags: [remove-input]\\n\\nx = 1\\n1 / 0\\n```"
    >>> first_line(page, 3, ["x = 1", "1 / 0"])
    6
    """
    lines = [line.rstrip() for line in text.splitlines()]
    wanted = [line.rstrip() for line in body]
    for index in range(start, len(lines)):
        if lines[index : index + len(wanted)] == wanted:
            return index + 1
    return start + 1


def line_in_cell(trace: str, length: int) -> int:
    """Return the line within the cell, counted from 1, to which a traceback points.

    >>> line_in_cell("Cell In[3], line 2\\n----> 2 1 / 0", 2)
    2
    """
    numbers = CELL_FRAME.findall(COLOUR.sub("", trace))
    return min(int(numbers[0]), length) if numbers else 1
