r"""Line breaks in displayed equations that are wider than a column: browsers do not break MathML.

The width of a formula is estimated from its TeX. A row that is too wide is broken before a relation, then after a comma
or before a sign of a sum, then before a product, at the outermost brackets first, and aligned at its first relation.
Fractions, roots, indices and exponents stay whole; so do formulas with an environment other than `aligned`.

Where else a narrow screen may break a line is marked: `katex.js` makes the parts between the marks boxes, which a wide
screen sets in one line and base.css lets a narrow one wrap.
"""

import re
from typing import NamedTuple

COLUMN = 31.0  # em of a display: what a column of text holds next to the number of an equation
INLINE = 14.0  # em of a formula in a cell of a table, or in a line of text on a phone
PHONE = 15.5  # em of a display in a card on a phone, less the indent of its further lines
CHAIN = 18.0  # em from which each further relation of a chain begins a line, as a phone holds no more
AFTER_COMMA, DEPTH = 15.0, 45.0  # what a break costs after a comma, and within each bracket
INDENT = r"\qquad {}"
MARK, DOTTED = r"\phantom{}", r"\phantom{\cdot}"  # a place to break; one where the line then begins with a dot
MAX_LENGTH = 4000  # characters of TeX of what no number of lines makes legible, and KaTeX refuses to expand
TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\s+|.", re.DOTALL)
SPACES = {r"\,": 0.17, r"\:": 0.22, r"\;": 0.28, r"\!": -0.17, r"\ ": 0.25, "~": 0.25, r"\quad": 1.0, r"\qquad": 2.0}
RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx", r"\leq", r"\geq"}
SIGNS = {"+", "-", r"\pm"}
PRODUCTS = {r"\cdot", r"\times"}
NAMES = {r"\ln", r"\exp", r"\max", r"\min", r"\log", r"\operatorname*"}
LETTER_BOXES = {r"\mathrm", r"\text", r"\operatorname", r"\mathit", r"\mathbf"}
OPENING, CLOSING = {"(", "[", r"\left", r"\lceil", r"\lfloor"}, {")", "]", r"\right", r"\rceil", r"\rfloor"}


class Piece(NamedTuple):
    """A part of a row without a break inside: TeX, width in em, the penalty of a break before it, and its sign then."""

    tex: str
    width: float
    cost: float
    sign: str = ""

    @property
    def after_comma(self) -> bool:
        """Whether the break before it is one after a comma."""
        return self.cost > AFTER_COMMA and (self.cost - AFTER_COMMA) % DEPTH == 0


def break_lines(tex: str) -> str:
    r"""Return a displayed formula with line breaks, or unchanged if it fits or cannot be broken.

    >>> break_lines("a = b")
    'a = b'
    >>> long = r"x = " + " + ".join(r"\left(abcdefgh\right)" for _ in range(9))
    >>> print(break_lines(long)[:24], break_lines(long).count(r"\\"))
    \begin{aligned} x &= \le 2
    """
    aligned = re.fullmatch(r"\s*\\begin\{aligned\}(.*)\\end\{aligned\}\s*", tex, re.DOTALL)
    inside = aligned[1] if aligned else tex
    if r"\begin" in inside or len(tex) > MAX_LENGTH:
        return tex
    rows = _split_rows(inside)
    lines = [line for row in rows for line in _break_row(row)]
    marked = _mark_lines(lines)
    if marked == rows:
        return tex
    if len(marked) == 1 and not aligned:
        return marked[0]
    return r"\begin{aligned} " + r" \\ ".join(marked) + r" \end{aligned}"


def overflows_phone(tex: str) -> bool:
    r"""Return whether a part of a marked formula, which nothing breaks, is wider than a phone.

    >>> overflows_phone(r"x = \phantom{} {} a")
    False
    >>> overflows_phone(r"x = \phantom{} {} \sqrt{%s}" % ("abc" * 12))
    True
    """
    if MARK not in tex and DOTTED not in tex:
        return False
    parts = re.split(
        r"\\phantom\{(?:\\cdot)?\}|&|\\\\", tex.replace(r"\begin{aligned}", "").replace(r"\end{aligned}", "")
    )
    return max(map(tex_width, parts)) > PHONE + 1.5


def break_inline(tex: str) -> str:
    r"""Return a formula within a line of text with the marks of where it may break, or unchanged if it is short.

    >>> break_inline("a = b"), break_inline("x = a + " + " + ".join("bcdefghijkl")).count(MARK)
    ('a = b', 1)
    """
    if r"\begin" in tex or len(tex) > MAX_LENGTH or tex_width(tex) <= INLINE:
        return tex
    if any(piece.width > INLINE for piece in _split_pieces(tex)):
        tex = _expand_wide_fractions(tex, INLINE)
    return _mark_cell(tex, 0.0, INLINE)


def _mark_lines(lines: list[str]) -> list[str]:
    """Return lines with marks where a narrow screen may break them; short lines are unchanged."""
    rows = [line.split("&") for line in lines]
    left = max(tex_width(row[0]) for row in rows) if any(len(row) > 1 for row in rows) else 0.0
    return ["&".join(_mark_row(row, left)) for row in rows]


def _mark_row(cells: list[str], left: float) -> list[str]:
    """Return the cells of a line with marks, where the widest first cell of all lines has a width."""
    if len(cells) == 1:
        return [_mark_cell(cells[0], 0.0)] if tex_width(cells[0]) > PHONE else cells
    first, *others = cells
    if left + sum(map(tex_width, others)) <= PHONE:
        return cells
    marked = [_mark_cell(cell, tex_width(first)) for cell in others]
    if marked == others:  # it breaks after its first cell
        marked[0] = f"{MARK} {{}} {marked[0]}"
    return [first, *marked]


def _mark_cell(cell: str, before: float, column: float = PHONE) -> str:
    """Return a cell with its marks; what stands `before` it has a width."""
    indent = INDENT if cell.startswith(INDENT) else ""
    pieces = _split_pieces(cell.removeprefix(indent))
    if not pieces:
        return cell
    lines = _fit_lines(pieces, False, column, before if before < column / 2 else 0.0)
    texts = _size_brackets(["".join(piece.tex for piece in line) for line in lines])
    for number, line in enumerate(lines[1:], 1):
        operand = "" if line[0].after_comma else "{} "  # or a sign would stand as close as that of -1
        texts[number] = f"{DOTTED if line[0].sign else MARK} {operand}{texts[number]}"
    return indent + "".join(texts)


def _split_rows(tex: str) -> list[str]:
    row: list[str] = []
    rows, depth = [], 0
    for token in TOKEN.findall(tex):
        depth += (token == "{") - (token == "}")
        if token == r"\\" and not depth:
            rows.append("".join(row))
            row = []
        else:
            row.append(token)
    return [*rows, "".join(row)]


def _break_row(row: str) -> list[str]:
    """Return the lines of a row; the row itself if it needs no break."""
    plain = row.replace("&", "")
    pieces = _split_pieces(plain)
    if any(piece.width > COLUMN - 2 for piece in pieces):
        pieces = _split_pieces(_expand_wide_fractions(plain))
    total = sum(piece.width for piece in pieces)
    chained = sum(piece.cost == 0 for piece in pieces[1:]) > 1
    if total <= (CHAIN if chained else COLUMN):
        return [row]
    lines = _fit_lines(pieces, chained, indent=sum(piece.width for piece in pieces[: _count_before_relation(pieces)]))
    return [row] if len(lines) == 1 else _size_brackets(_align_lines(lines))


def _expand_wide_fractions(row: str, column: float = COLUMN) -> str:
    r"""Return a row in which fractions wider than half a column are products with the inverse of the denominator,
    or quotients of brackets if the denominator alone is wider than a line.

    >>> _expand_wide_fractions(r"x = \frac{a}{b}")
    'x = \\frac{a}{b}'
    """
    tokens, made = TOKEN.findall(row), []
    while tokens:
        token = tokens.pop(0)
        if token != r"\frac":
            made.append(token)
            continue
        above, below = ("".join(_pop_argument(tokens)) for _ in range(2))
        if tex_width(below) > column - 2:
            made.append(rf"\left({above}\right) \cdot \left({below}\right)^{{-1}}")
        elif tex_width(above) < column / 2:
            made.append(rf"\frac{{{above}}}{{{below}}}")
        else:
            summed = any(
                piece.tex.lstrip().startswith(("+", "-")) and piece.cost == 10 for piece in _split_pieces(above)[1:]
            )
            dot = "" if summed or not above.lstrip()[:1].isdigit() else r"\cdot "  # or the number would follow the bar
            made.append(rf"\frac{{1}}{{{below}}} {dot}" + (rf"\left({above}\right)" if summed else above))
    return "".join(made)


def _split_pieces(row: str) -> list[Piece]:
    """Return the pieces of a row, split wherever a line may begin."""
    tokens = TOKEN.findall(row)
    part: list[str] = []
    pieces, begun = [], (0.0, "")
    depth, group = 0, 0
    for index, token in enumerate(tokens):
        group += (token == "{") - (token == "}")
        before, after = tokens[index - 1] if index else "", "".join(tokens[index + 1 : index + 2])
        line_break = None if group else _break_penalty(token, before, after, "".join(part).rstrip(), depth)
        if line_break and "".join(part).strip():
            pieces.append(_make_piece(part, begun))
            part, begun = [], line_break
        part.append(token)
        if not group and before not in (r"\left", r"\right"):
            depth += (token in OPENING) - (token in CLOSING)
        if not group and token == "," and depth:
            pieces.append(_make_piece(part, begun))
            part, begun = [], (AFTER_COMMA + DEPTH * depth, "")
    return [*pieces, _make_piece(part, begun)] if "".join(part).strip() else pieces


def _make_piece(part: list[str], begun: tuple[float, str]) -> Piece:
    tex = "".join(part)
    return Piece(tex, tex_width(tex), *begun)


def _break_penalty(token: str, before: str, after: str, earlier: str, depth: int) -> tuple[float, str] | None:
    """Return the penalty of a break before a token, and the sign that begins the line; None if there may be none."""
    if not earlier or earlier.endswith(("(", "[", "=", ",", "{", "|")):
        return None
    if token in RELATIONS:
        return None if depth else (0.0, "")
    if token in SIGNS:
        return 10.0 + DEPTH * depth, ""
    if token in PRODUCTS:
        return 40.0 + DEPTH * depth, ""
    factor = token == r"\left" or (token, after) == ("e", "^")
    if factor and before.isspace() and not earlier.endswith(("+", "-", r"\cdot", r"\times", r"\le", r"\ge")):
        return 50.0 + DEPTH * depth, r"\cdot "
    return None


def _count_before_relation(pieces: list[Piece]) -> int:
    """Return the number of pieces before the first relation, 0 if there is none."""
    return next((i for i, piece in enumerate(pieces) if i and piece.cost == 0), 0)


def _fit_lines(
    pieces: list[Piece], chained: bool, column: float = COLUMN, before: float = 0.0, indent: float | None = None
) -> list[list[Piece]]:
    """Return pieces as lines with the least cost: few lines, breaks at the outermost places, none too wide.

    The first line has a width `before` it; further lines have the `indent`, if there is one, or the page's own.
    """
    relation = _count_before_relation(pieces)
    best = {len(pieces): (0.0, len(pieces))}
    for start in reversed(range(len(pieces))):
        further = 0.0 if indent is None else indent + 2.0 * bool(pieces[start].cost)
        options, filled = [], further if start else before
        for end in range(start + 1, len(pieces) + 1):
            filled += pieces[end - 1].width
            over = max(0.0, filled - column)
            cost = pieces[end].cost if end < len(pieces) else 0.0
            options.append((best[end][0] + 100 + cost + 1000 * over, end))
            if end < len(pieces) and chained and pieces[end].cost == 0 and end > relation:
                break
        best[start] = min(options)
    lines, at = [], 0
    while at < len(pieces):
        lines.append(pieces[at : best[at][1]])
        at = best[at][1]
    return lines


def _align_lines(lines: list[list[Piece]]) -> list[str]:
    """Return lines of pieces as rows of `aligned`, the first with its mark before its first relation."""
    first = next((i for i, piece in enumerate(lines[0]) if i and piece.cost == 0), None)
    if first is None:
        rows = ["&" + "".join(piece.tex for piece in lines[0])]
    else:
        rows = ["".join(p.tex for p in lines[0][:first]) + "&" + "".join(p.tex for p in lines[0][first:])]
    for line in lines[1:]:
        tex = line[0].sign + "".join(piece.tex for piece in line)
        rows.append(f"&{tex}" if line[0].cost == 0 else f"&{INDENT}{tex}")
    return rows


def _size_brackets(rows: list[str]) -> list[str]:
    """Return rows in which brackets that stretch (`left`, `right`) across a break have a fixed size."""
    tokens, opened = [TOKEN.findall(row) for row in rows], []
    for number, row in enumerate(tokens):
        for index, token in enumerate(row):
            if token == r"\left":
                opened.append((number, index))
            elif token == r"\right" and opened:
                begun, place = opened.pop()
                if begun != number:
                    tall = r"\frac" in [*tokens[begun][place:], *row[:index]]
                    tokens[begun][place], row[index] = (r"\Bigl", r"\Bigr") if tall else (r"\bigl", r"\bigr")
    return ["".join(row) for row in tokens]


def tex_width(tex: str) -> float:
    r"""Return the estimated width of TeX in em.

    >>> tex_width("x") < tex_width("x + y") < tex_width(r"\frac{x + y + z}{2}") < tex_width("x + y + z + w")
    True
    """
    return _sequence_width(TOKEN.findall(tex), 1.0)


def _sequence_width(tokens: list[str], scale: float) -> float:
    """Return the width of a list of tokens, which is used up."""
    tokens, total = [*tokens], 0.0
    while tokens:
        total += _pop_width(tokens, scale)
    return total


def _pop_argument(tokens: list[str]) -> list[str]:
    """Return the tokens of the next argument, without its braces."""
    while tokens and tokens[0].isspace():
        tokens.pop(0)
    if not tokens or tokens[0] != "{":
        return [tokens.pop(0)] if tokens else []
    depth, argument = 0, []
    while tokens:
        token = tokens.pop(0)
        depth += (token == "{") - (token == "}")
        argument.append(token)
        if not depth:
            break
    return argument[1:-1]


def _pop_width(tokens: list[str], scale: float) -> float:
    """Return the width of the next element, which is taken from the tokens."""
    token = tokens.pop(0)
    if token.isspace() or token in ("&", r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\displaystyle"):
        return 0.08 * scale if token in (r"\left", r"\right") else 0.0
    if token == "{":
        tokens.insert(0, token)
        return _sequence_width(_pop_argument(tokens), scale)
    if token in ("^", "_"):
        return _scripts_width(tokens, scale)
    if token in (r"\frac", r"\dfrac", r"\tfrac"):
        inner = scale if scale == 1.0 and token != r"\tfrac" else 0.75 * scale
        return (
            max(_sequence_width(_pop_argument(tokens), inner), _sequence_width(_pop_argument(tokens), inner))
            + 0.25 * scale
        )
    if token == r"\sqrt":
        return _sequence_width(_pop_argument(tokens), scale) + 0.95 * scale
    if token in LETTER_BOXES:
        return scale * sum(0.68 if letter.isupper() else 0.52 for letter in "".join(_pop_argument(tokens)))
    return _symbol(token) * scale


def _scripts_width(tokens: list[str], scale: float) -> float:
    """Return the width of an index or exponent, or of both, which stand above each other."""
    first = _sequence_width(_pop_argument(tokens), 0.72 * scale)
    if tokens and tokens[0] in ("^", "_"):
        tokens.pop(0)
        return max(first, _sequence_width(_pop_argument(tokens), 0.72 * scale))
    return first


def _symbol(token: str) -> float:
    if token in SPACES:
        return SPACES[token]
    if token in RELATIONS:
        return 1.35
    if token in SIGNS:
        return 1.22
    if token in PRODUCTS:
        return 0.75
    if token in NAMES:
        return 0.5 * (len(token) - 1) + 0.17
    if token in (".", ",", ":", ";", "!", "'"):
        return 0.3
    if token in (r"\sum", r"\int", r"\prod"):
        return 1.2
    return 0.42 if token in OPENING | CLOSING | {"|"} else 0.56
