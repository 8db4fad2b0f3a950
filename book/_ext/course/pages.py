"""HTML of the lecturers' pages: a complete page, and tables."""

import html
import re

STYLE = """body { max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; color: #22252a; background: #fffdf9;
  font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3 { font-family: Georgia, serif; line-height: 1.2; } a { color: #0c5c68; } small { font-weight: 400; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #d9d4c7; padding: .45rem .6rem; text-align: left; vertical-align: top; }
th { background: #f5f2ea; } td.n, th.n { text-align: right; white-space: nowrap; } .scroll { overflow-x: auto; }
tr.sum td { font-weight: 600; border-top: 2px solid #5b5f66; } .answer { margin-bottom: 7rem; }
@media print { body { background: none; } a { color: inherit; } tr, section { break-inside: avoid; } }"""


def html_document(title, body, style=STYLE):
    """Return a complete HTML page."""
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"{meta}<title>{html.escape(title)}</title><style>{style}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def table_row(tag, *cells, kind=""):
    """Return a table row of cells in HTML; a cell that begins with a digit is aligned as a number."""
    inside = "".join(f"<{tag}{' class=n' if re.match('[0-9]', cell) else ''}>{cell}</{tag}>" for cell in cells)
    return f"<tr class={kind}>{inside}</tr>" if kind else f"<tr>{inside}</tr>"


def html_table(columns, rows):
    """Return a table of plain texts."""
    lines = [table_row("th", *columns), *(table_row("td", *map(html.escape, each)) for each in rows)]
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'
