"""What many drawings have: a key of their boxes, an axis with its ticks."""

from typing import NamedTuple

SIGN, ROW = 14, 20  # width of a sign in the key, height of a row of them


class Sign(NamedTuple):
    """An entry of a key: what the box means, its kind and shade, and whether it is hatched."""

    words: str
    kind: str
    shade: str
    hatched: bool = False


def key(canvas, signs, step, x=2, y=13):
    """Draw a key in one row, or two signs to a row on a phone; return the y below it."""
    apart = (canvas.width - x) / 2 if canvas.narrow else step
    for index, sign in enumerate(signs):
        column, row = (index % 2, index // 2) if canvas.narrow else (index, 0)
        left, line = x + column * apart, y + row * ROW
        canvas.box(left, line - 10, SIGN, 12, sign.kind, sign.shade, 1)
        if sign.hatched:
            canvas.hatch(left, line - 10, SIGN, 12, sign.kind, 4)
        canvas.text(left + SIGN + 5, line, sign.words, 12.5, room=apart - SIGN - 5)
    return y + ((len(signs) - 1) // 2 * ROW if canvas.narrow else 0) + 12


def axis(canvas, y, places, line=True):
    """Draw an axis with ticks at places `(x, words)`; the first and the last keep within its ends."""
    if line:
        canvas.line(places[0][0], y, places[-1][0], y, "plain", "thin")
    for index, (x, words) in enumerate(places):
        canvas.line(x, y, x, y + 4, "plain", "thin")
        anchor = "start" if index == 0 else "end" if index == len(places) - 1 else "middle"
        canvas.text(x, y + 17, words, 12, anchor, "quiet")


def clock(canvas, left, y, unit, until, step=6):
    """Draw an axis of hours, `unit` pixels each."""
    axis(canvas, y, [(left + hour * unit, f"{hour} h" if hour else "0") for hour in range(0, until + 1, step)])
