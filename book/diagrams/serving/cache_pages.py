"""KV-cache memory of a server: reserved for the longest sequence, or allocated in pages."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

SHARES = (1.6, 0.5, 1.9, 0.3, 0.7, 2.1, 0.75, 0.15)  # lengths of sequences, in means: an example, with mean one
HIGH, SHOWN = 40, 3  # height of a strip, pages shown of one sequence


class Room(NamedTuple):
    """Memory left after the weights in tokens, sequences that fit either way, and one of them in pages."""

    tokens: float
    longest: float
    mean: float
    reserved: int
    paged: int
    page: int
    pages: int
    last: int

    @property
    def used(self):
        """Return the share of the room that holds tokens if it is set aside for the longest."""
        return self.mean * self.reserved / self.tokens


def room(read):
    """Return the Room of the chapter's four devices."""
    ours, one = "serving.prices.room_ours", "serving.paged_70b"
    given = {letter: read(ours, of=letter) for letter in ("w", "N", "kappa", "n", "M")}
    longest = read("serving.prices.attention_long", of="S_p")
    free = given["M"] * given["n"] - read("serving.weights_70b")
    page, length = read.number(one, "token", "b_p"), read.number(one, "token", "S")
    pages = round(float((read(one) / read.at("serving.cache", kappa=given["kappa"], S=f"{page} token", B=1)).m_as("")))
    return Room(
        tokens=float((free / given["kappa"]).m_as("token")),
        longest=float(longest.m_as("token")),
        mean=read.number(ours, "token", "S"),
        reserved=int(read.at("serving.requests", S=longest, **given).m_as("")),
        paged=int(read.number(ours)),
        page=int(page),
        pages=pages,
        last=int(length - (pages - 1) * page),
    )


@diagram("cache-pages")
def cache_pages(read):
    """Draw KV-cache memory to scale, with slots for the longest and with pages, and the end of one sequence."""
    found = room(read)
    free = as_text(read("serving.prices.room_ours", of="M") * read("serving.prices.room_ours", of="n"), "GB")
    return Diagram(
        title="KV-cache memory, reserved whole or allocated in pages",
        description=_description(found, free),
        draw=lambda canvas: _draw(canvas, found),
        columns=("memory is", "sequences that fit", "share that holds tokens"),
        rows=(
            [f"reserved for {found.longest:,.0f} tokens each", f"{found.reserved}", percent(found.used)],
            [
                f"allocated in pages of {found.page} tokens",
                f"{found.paged}",
                percent(found.paged * found.mean / found.tokens),
            ],
        ),
        values={"room": found},
    )


def _description(found, free):
    return (
        f"Besides the weights, {free} hold {found.tokens:,.0f} tokens. Reserved for sequences of "
        f"{found.longest:,.0f} tokens, they make {found.reserved} slots, of which sequences of {found.mean:,.0f} "
        f"tokens on average fill {percent(found.used)}. Allocated in pages, they hold {found.paged} sequences of that "
        f"mean. One of them, a token longer than the mean, has {found.pages} pages of {found.page} tokens, and only in "
        f"its last page is memory unused: {found.page - found.last} tokens."
    )


def _draw(canvas, found):
    left, wide = 2, canvas.width - 4
    unit = wide / found.tokens
    signs = [LegendEntry("a sequence", "bytes", "strong"), LegendEntry("reserved for it", "failure", "none", True)]
    y = legend(canvas, signs, 170) + 24
    canvas.text(left, y - 8, f"reserved for the longest: {found.reserved} sequences", 13, bold=True)
    _slots(canvas, found, left, y, unit)
    y += HIGH + 34
    canvas.text(left, y - 8, f"allocated in pages: {found.paged} sequences", 13, bold=True)
    detail_left = _sequences(canvas, found, left, y, unit)
    _pages(canvas, found, left, y + HIGH, wide, detail_left)


def _slots(canvas, found, left, y, unit):
    """Draw the slots: what is in each, and what stays free."""
    slot = found.longest * unit
    for index in range(found.reserved):
        x, full = left + index * slot, SHARES[index] * found.mean * unit
        canvas.rect(x, y, slot, HIGH, "plain", "none", 0)
        canvas.rect(x, y, full, HIGH, "bytes", "strong", 0, "bare")
        canvas.hatch(x + full, y, slot - full, HIGH, "failure", 8)


def _sequences(canvas, found, left, y, unit):
    """Draw the sequences side by side, in two shades by turns; return where the last of a mean length lies."""
    lengths = [SHARES[index % len(SHARES)] * found.mean * unit for index in range(found.paged)]
    ends = [left]
    for length in lengths:
        ends.append(ends[-1] + length)
    for turn, shade in enumerate(("strong", "mid")):
        places = [(ends[i], y, lengths[i], HIGH) for i in range(turn, found.paged, 2)]
        canvas.rects(places, "bytes", shade, "bare")
    return ends[42], ends[43]  # one in the left half, long enough to be seen


def _pages(canvas, found, left, y, wide, detail_left):
    """Draw the last pages of one sequence token by token, below where it lies."""
    top, high = y + 40, 26
    cell, gap = (wide - 2 * (SHOWN - 1) * 4) / (SHOWN * found.page), 8
    fan = f"M{detail_left[0]:.1f} {y}L{left} {top - 3}M{detail_left[1]:.1f} {y}L{left + wide:.1f} {top - 3}"
    canvas.path(fan, "plain", "line", "thin")
    full, free = [], []
    for index in range(SHOWN * found.page):
        page, at = divmod(index, found.page)
        place = (left + page * (found.page * cell + gap) + at * cell, top, cell, high)
        (full if page < SHOWN - 1 or at < found.last else free).append(place)
    canvas.rects(full, "bytes", "mid").rects(free, "failure", "none")
    x, until = free[0][0], free[-1][0] + cell
    canvas.hatch(x, top, until - x, high, "failure", 8)
    canvas.text(left, top + high + 18, f"its last {SHOWN} pages of {found.page} tokens", 12.5, tone="quiet")
    lost = f"{found.page - found.last} free" if canvas.narrow else f"{found.page - found.last} tokens free, not more"
    canvas.text(until, top + high + 18, lost, 12.5, "end", "failure", True)
