"""`Canvas`: an SVG drawing surface that reports texts which overflow or overlap.

Lengths are CSS pixels. A shape has the kind of its quantity, which gives it its colour, and a shade; words or hatching
repeat whatever a colour says. No colour is named here.
"""

import html
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

from mathbook.diagrams.text_layout import ASCENT, DESCENT, text_width, wrap
from mathcore.errors import DeclarationError

COLOUR_KINDS = ("time", "bytes", "money", "energy", "failure", "plain")
SHADES = ("full", "strong", "mid", "soft", "faint", "none")
WIDE, NARROW = 720, 352  # width of a drawing in a column of text, and on a phone
Box: TypeAlias = tuple[float, float, float, float]  # x, y, width, height


class PlacedText(NamedTuple):
    """A text on the canvas: its bounding box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "PlacedText") -> bool:
        """Return whether two texts overlap by more than a pixel."""
        apart = self.right <= other.left + 1 or other.right <= self.left + 1
        return not (apart or self.bottom <= other.top + 1 or other.bottom <= self.top + 1)


class Canvas:
    """A canvas of a given width, whose height grows with its content.

    >>> canvas = Canvas(200)
    >>> canvas.rect(10, 10, 80, 20, "bytes").text(15, 24, "weights")
    >>> canvas.issues()
    []
    """

    def __init__(self, width: float, height: float = 0) -> None:
        self.width, self.height = width, height
        self.marks: list[str] = []
        self.texts: list[PlacedText] = []

    @property
    def narrow(self) -> bool:
        """Return whether this is the narrow layout."""
        return self.width < 500

    def extend_to(self, y: float) -> Self:
        """Increase the height to at least `y`."""
        self.height = max(self.height, y)
        return self

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        kind: str = "plain",
        shade: str = "mid",
        corner: float = 2,
        more: str = "",
    ) -> Self:
        """Draw a rectangle; return the canvas."""
        self.extend_to(y + h)
        size = f'x="{_px(x)}" y="{_px(y)}" width="{_px(max(w, 0))}" height="{_px(max(h, 0))}"'
        rx = f' rx="{corner}"' if corner else ""
        self.marks.append(f"<rect {_class(kind, shade, more)} {size}{rx}/>")
        return self

    def rects(self, places: Sequence[Box], kind: str = "plain", shade: str = "mid", more: str = "") -> Self:
        """Draw many rectangles `(x, y, w, h)` of one kind as a single path."""
        path = "".join(f"M{_px(x)} {_px(y)}h{_px(w)}v{_px(h)}h{_px(-w)}z" for x, y, w, h in places)
        if path:
            self.extend_to(max(y + h for _, y, _, h in places))
            self.marks.append(f'<path {_class(kind, shade, more)} d="{path}"/>')
        return self

    def hatch(self, x: float, y: float, w: float, h: float, kind: str = "plain", gap: float = 6) -> Self:
        """Hatch a rectangle from lower left to upper right, as a distinction that needs no colour."""
        return self.hatch_rects([(x, y, w, h)], kind, gap)

    def hatch_rects(self, places: Iterable[Box], kind: str = "plain", gap: float = 6) -> Self:
        """Hatch many rectangles `(x, y, w, h)` as a single path."""
        if path := "".join(_hatch_path(x, y, w, h, gap) for x, y, w, h in places):
            self.marks.append(f'<path {_class(kind, "line", "hatch")} d="{path}"/>')
        return self

    def line(self, x: float, y: float, to_x: float, to_y: float, kind: str = "plain", more: str = "") -> Self:
        """Draw a line."""
        self.marks.append(f'<path {_class(kind, "line", more)} d="M{_px(x)} {_px(y)}L{_px(to_x)} {_px(to_y)}"/>')
        return self

    def arrow(
        self,
        x: float,
        y: float,
        to_x: float,
        to_y: float,
        kind: str = "plain",
        more: str = "",
        bend: float = 0,
        head: float = 6,
    ) -> Self:
        """Draw an arrow; `bend` moves its middle to the left of its direction by so many pixels."""
        length = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1e-9)
        ux, uy = (to_x - x) / length, (to_y - y) / length
        mid_x, mid_y = (x + to_x) / 2 + uy * 2 * bend, (y + to_y) / 2 - ux * 2 * bend
        if bend:  # the head points along the end of the curve
            last = max(((to_x - mid_x) ** 2 + (to_y - mid_y) ** 2) ** 0.5, 1e-9)
            ux, uy = (to_x - mid_x) / last, (to_y - mid_y) / last
        way = f"Q{_px(mid_x)} {_px(mid_y)} " if bend else "L"
        foot_x, foot_y = to_x - ux * head, to_y - uy * head
        wing = head * 0.55
        self.marks.append(
            f'<path {_class(kind, "line", more)} d="M{_px(x)} {_px(y)}{way}{_px(foot_x)} {_px(foot_y)}"/>'
            f'<path {_class(kind, "full", "head")} d="M{_px(to_x)} {_px(to_y)}L{_px(foot_x - uy * wing)} '
            f'{_px(foot_y + ux * wing)}L{_px(foot_x + uy * wing)} {_px(foot_y - ux * wing)}z"/>'
        )
        return self

    def path(self, d: str, kind: str = "plain", shade: str = "line", more: str = "") -> Self:
        """Draw a path."""
        self.marks.append(f'<path {_class(kind, shade, more)} d="{d}"/>')
        return self

    def circle(self, x: float, y: float, r: float, kind: str = "plain", shade: str = "mid", more: str = "") -> Self:
        """Draw a circle."""
        self.extend_to(y + r)
        self.marks.append(f'<circle {_class(kind, shade, more)} cx="{_px(x)}" cy="{_px(y)}" r="{_px(r)}"/>')
        return self

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 13,
        anchor: str = "start",
        tone: str = "",
        bold: bool = False,
        room: float | None = None,
    ) -> None:
        """Write a line of text with its baseline at `y`; `tone` is `quiet`, `on` (on a full colour), or a kind.

        Raises: DeclarationError if it is wider than its `room`.
        """
        wide = text_width(text, size, bold)
        if room is not None and wide > room:
            message = f"the text `{text}` is about {wide:.0f} wide and has room for {room:.0f}: shorten or break it"
            raise DeclarationError(message)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        place = PlacedText(text, left, y - ASCENT * size, left + wide, y + DESCENT * size)
        self.texts.append(place)
        self.extend_to(place.bottom)
        names = " ".join(["t", *([f"t-{tone}"] if tone else []), *(["b"] if bold else [])])
        place_at = f'x="{_px(x)}" y="{_px(y)}" font-size="{_px(size)}"'
        ends = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.marks.append(f'<text class="{names}" {place_at}{ends}>{html.escape(text)}</text>')

    def glyphs(
        self, places: Sequence[tuple[float, str]], y: float, size: float = 11, tone: str = "", bold: bool = False
    ) -> None:
        """Write single characters `(x, sign)` on one line, each centred at its x, as one element."""
        if not places:
            return
        for x, sign in places:
            if len(sign) != 1:
                raise DeclarationError(f"`{sign}` is not one sign: write it with text")
            half = text_width(sign, size, bold) / 2
            self.texts.append(PlacedText(sign, x - half, y - ASCENT * size, x + half, y + DESCENT * size))
        names = " ".join(["t", *([f"t-{tone}"] if tone else []), *(["b"] if bold else [])])
        along = " ".join(_px(x) for x, _ in places)
        signs = html.escape("".join(sign for _, sign in places))
        at = f'x="{along}" y="{_px(y)}" font-size="{_px(size)}" text-anchor="middle"'
        self.marks.append(f'<text class="{names}" {at}>{signs}</text>')

    def paragraph(
        self, x: float, y: float, text: str, room: float, size: float = 13, leading: float = 1.3, **style: Any
    ) -> float:
        """Write a text in lines of at most `room` pixels; return the y below the last one."""
        for line in wrap(text, room, size, style.get("bold", False)):
            self.text(x, y, line, size, **style)
            y += size * leading
        return y

    def issues(self) -> list[str]:
        """Return a message for each text that leaves the canvas or overlaps another text."""
        messages = [
            f"the text `{t.text}` leaves the sheet of {self.width} by {self.height:.0f}: move or shorten it"
            for t in self.texts
            if t.left < -0.5 or t.right > self.width + 0.5 or t.top < -0.5 or t.bottom > self.height + 0.5
        ]
        for index, one in enumerate(self.texts):
            messages += [
                f"the texts `{one.text}` and `{other.text}` lie on each other: move one of them"
                for other in self.texts[index + 1 :]
                if one.overlaps(other)
            ]
        return messages

    def svg(self, title: str, description: str, name: str) -> str:
        """Return the drawing as an SVG element with title and description.

        Raises: DeclarationError for texts that do not fit.
        """
        if issues := self.issues():
            raise DeclarationError(f"the diagram `{name}`: {issues[0]}")
        size = f'viewBox="0 0 {_px(self.width)} {_px(self.height + 2)}"'
        labels = (
            f'<title id="{name}-t">{html.escape(title)}</title><desc id="{name}-d">{html.escape(description)}</desc>'
        )
        labelled = f'role="img" aria-labelledby="{name}-t" aria-describedby="{name}-d"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="mc-schematic" {size} {labelled}>'
        return f"{head}{labels}{''.join(self.marks)}</svg>"


def _hatch_path(x: float, y: float, w: float, h: float, gap: float) -> str:
    """Return the path of the stripes across a rectangle, clipped at its sides."""
    stripes, along = [], gap / 2
    while along < w + h:
        begin, end = max(0, along - h), min(along, w)
        stripes.append(f"M{_px(x + begin)} {_px(y + along - begin)}L{_px(x + end)} {_px(y + along - end)}")
        along += gap
    return "".join(stripes)


def _class(kind: str, shade: str, more: str) -> str:
    return f'class="{" ".join(filter(None, [f"q-{kind}", f"s-{shade}", more]))}"'


def _px(value: float) -> str:
    """Return a length in SVG notation, rounded to 0.1 px."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
