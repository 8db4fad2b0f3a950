#!/usr/bin/env python3
"""Check that sources and built pages use the field's terms: `python .ci/terms.py [PATH …]`.

`terms.csv` has a row for each non-standard term: a regular expression, the term to use instead, where the
expression is right nevertheless with the reason, and the budgets. A budget is the number of matches in the whole
book that is still accepted, in its sources and in its built pages; it may only fall, and `--lower` writes what
is left. With paths, every match is printed and no budget applies. The exit code is 1 when a budget is exceeded.

Sources are Markdown with the strings of its code cells, TOML, strings and docstrings of Python, templates, scripts,
style sheets and SVG; of a page, text, alt texts, labels and titles count, and the texts of its drawings.
"""

import argparse
import ast
import csv
import html
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TERMS = Path(__file__).with_name("terms.csv")
SITE = "_build/html/book"
SOURCES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "book", "mathcore", "practice", "examples")
LEADS_ON = '<a id="mc-to"'  # in a page at a former address, which lists former anchors
QUOTED = {"quote"}  # TOML keys with the words of others
CELL = re.compile(r"(?ms)^(?P<fence>`{3,})\{code-cell\}[^\n]*\n(?P<code>.*?)^(?P=fence)")
NOT_PROSE = re.compile(r"\{mc:(?:value|assert|statement|symbol|input)\}`[^`]*`|\]\([^)\s]*\)|<!--.*?-->", re.DOTALL)
NOT_SHOWN = re.compile(r"<(script|style|math|nav|header|footer)\b.*?</\1>", re.DOTALL)
ATTRIBUTE = re.compile(r'\b(?:alt|aria-label|title)="([^"]*)"')


class Term(NamedTuple):
    """A row of terms.csv: pattern, replacement, budgets for sources and pages, accepted contexts with the reason."""

    pattern: str
    instead: str
    sources: int
    pages: int
    accepted: str
    reason: str

    @property
    def regex(self):
        """Return the compiled pattern; what `accepted` matches is skipped because it is matched first."""
        accepted = f"(?:{self.accepted})|" if self.accepted else ""
        return re.compile(f"{accepted}(?P<term>{self.pattern})", re.IGNORECASE)


class Match(NamedTuple):
    """An occurrence of a term: path and line, and the words found."""

    path: Path
    line: int
    words: str


def terms(path=TERMS):
    """Return the Terms of a file."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter=";")
        return [Term(**{**row, "sources": int(row["sources"]), "pages": int(row["pages"])}) for row in rows]


def write(rows, path=TERMS):
    """Write Terms into a file."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerows([Term._fields, *rows])


def python_strings(source, line=0):
    """Yield `(line, text)` of the strings of a program, docstrings and parts of f-strings included."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a cell with a command of IPython
        yield line + 1, source
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield line + node.lineno, node.value


def markdown(text):
    """Yield `(line, text)` of a page: its prose without code cells, and the strings of these."""
    for cell in CELL.finditer(text):
        yield from python_strings(cell["code"], text.count("\n", 0, cell.start("code")))
    prose = CELL.sub(lambda cell: "\n" * cell[0].count("\n"), text)
    prose = NOT_PROSE.sub(lambda found: "\n" * found[0].count("\n"), prose)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", prose):
        if paragraph.strip():
            yield line, paragraph
        line += paragraph.count("\n")


def toml(text):
    """Yield `(line, text)` of the strings of a TOML file, without those that quote others."""

    def strings(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, dict)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, part in items:
                yield from () if key in QUOTED else strings(part)

    for value in strings(tomllib.loads(text)):
        first = value.partition("\n")[0]
        yield text.count("\n", 0, max(0, text.find(first))) + 1, value


def page(text):
    """Yield `(line, text)` of a built page: its words, and those of its attributes."""
    text = NOT_SHOWN.sub(" ", text)
    attributes = " | ".join(ATTRIBUTE.findall(text))
    yield 1, html.unescape(re.sub(r"<[^>]+>", " ", text) + " | " + attributes)


READERS = {".md": markdown, ".toml": toml, ".py": python_strings, ".html": page}
PLAIN = {".js", ".mjs", ".css", ".svg", ".yaml", ".yml", ".txt", ".sh"}


def files(paths):
    """Yield the files at or below the paths whose words count."""
    for path in paths:
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (
            each
            for each in found
            if each.suffix in READERS.keys() | PLAIN and "__pycache__" not in each.parts and each.is_file()
            if each.suffix != ".html" or LEADS_ON not in each.read_text("utf-8")
        )


def texts(path):
    """Yield `(line, text)` of everything in a file that counts, with every white space as one blank."""
    text = path.read_text("utf-8", errors="replace")
    reader = READERS.get(path.suffix)
    if path.suffix == ".html" and "{%" in text:
        reader = None  # a template
    yield from reader(text) if reader else [(1, text)]


def matches(rows, paths):
    """Return `{pattern: [Match]}` of Terms in the files at or below the paths."""
    found = {row.pattern: [] for row in rows}
    regexes = [(row.pattern, row.regex) for row in rows]
    for path in files(paths):
        for line, text in texts(path):
            flat = re.sub(r"\s", " ", text)
            for pattern, regex in regexes:
                for match in regex.finditer(flat):
                    if match["term"] is not None:
                        at = line + text.count("\n", 0, match.start("term"))
                        found[pattern].append(Match(path, at, match["term"]))
    return found


def excess(rows, found, scope):
    """Return a message for each Term whose matches exceed its budget in `scope`, `sources` or `pages`."""
    messages = []
    for row in rows:
        listed, budget = found[row.pattern], getattr(row, scope)
        if len(listed) > budget:
            counts = Counter(match.path.name for match in listed).most_common(4)
            where = ", ".join(f"{name} {count}" for name, count in counts)
            words = f"“{listed[0].words.strip()}”: use {row.instead}"
            messages.append(f"{len(listed)} (budget {budget} in {scope}) {words}; in {where}")
    return messages


def lowered(rows, found, scope):
    """Return Terms with the budgets of `scope` lowered to the number of matches; no budget is raised."""
    return [row._replace(**{scope: min(getattr(row, scope), len(found[row.pattern]))}) for row in rows]


def main(arguments=None):
    """Run the requested checks; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="print every match in these files and folders")
    parser.add_argument("--pages", action="store_true", help="check the built pages instead of the sources")
    parser.add_argument("--lower", action="store_true", help="lower the budgets to what is left")
    options = parser.parse_args(arguments)
    rows = terms()
    if options.paths:
        for row, listed in zip(rows, matches(rows, options.paths).values(), strict=True):
            for match in listed:
                print(f"{match.path}:{match.line}: “{match.words.strip()}”: use {row.instead}")
        return 0
    scope = "pages" if options.pages else "sources"
    found = matches(rows, [ROOT / SITE] if options.pages else [ROOT / name for name in SOURCES])
    if options.lower:
        write(lowered(rows, found, scope))
    messages = excess(rows, found, scope)
    for message in messages:
        print(message, file=sys.stderr)
    if messages:
        print("Write the field's terms, or state in .ci/terms.csv where the expression is right.", file=sys.stderr)
    return bool(messages)


if __name__ == "__main__":
    sys.exit(main())
