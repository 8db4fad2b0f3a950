"""A map of the book: which chapter needs which."""

from mathbook.diagrams.canvas import wrap
from mathbook.diagrams.registry import Diagram, diagram

from diagrams.prerequisites import name, needs, parts

USES_ALL_CHAPTERS = True  # it changes with any chapter


@diagram("book-map")
def book_map(read):
    """Draw the chapters by their parts, with a line from each to those that it needs."""
    listed = parts()
    pages = [page for chapters in listed.values() for page in chapters]
    needed = needs(pages)
    rows = [[name(page), ", ".join(map(name, others)) or "nothing"] for page, others in needed.items()]

    def draw(canvas):
        (_list if canvas.narrow else _map)(canvas, listed, needed)

    return Diagram(
        title="Which chapter needs which",
        description=(
            "The chapters in the order of the book, each with those whose formulas it builds on: "
            f"{'; '.join(f'{first} needs {others}' for first, others in rows if others != 'nothing')}."
        ),
        draw=draw,
        columns=("chapter", "needs"),
        rows=tuple(rows),
        values={"needs": needed},
    )


GAP, HIGH, STEP, TOP = 30, 34, 56, 38  # between columns; a box, from box to box, and above the first
LANE, APART, ELBOW = 6, 5, 4  # from lane to lane in a gap, of what leaves a box from what arrives, and of a bend


def placed(listed, width):
    """Return `{page: (column, x, y)}` and the width of a box: a column for each part, its chapters in the middle."""
    wide = (width - GAP * (len(listed) - 1)) / len(listed)
    most, found = max(map(len, listed.values())), {}
    for column, chapters in enumerate(listed.values()):
        top = TOP + (most - len(chapters)) / 2 * STEP
        for row, page in enumerate(chapters):
            found[page] = (column, column * (wide + GAP), top + row * STEP)
    return found, wide


def routes(places, needed, wide):
    """Return `{(needed, page): [points]}`: ways through the gaps; those to different pages share no stretch."""
    pairs = [(other, page) for page, others in needed.items() for other in others]
    short = {pair for pair in pairs if _next(*(places[page] for page in pair))}
    long = [pair for pair in pairs if pair not in short]
    lanes, found = _lanes(places, long, wide), {}
    levels = _levels(places, long)
    for other, page in pairs:
        (column, x, y), (to, to_x, to_y) = places[other], places[page]
        if (other, page) in short:
            found[other, page] = [(x + wide / 2, y + HIGH), (x + wide / 2, to_y)]
            continue
        out, into = y + HIGH / 2 + APART, to_y + HIGH / 2 - APART
        first, last = lanes[column, page], lanes[max(column, to - 1), page]
        over = levels.get((other, page), into)
        end = (to_x + wide if to == column else to_x, into)
        found[other, page] = [(x + wide, out), (first, out), (first, over), (last, over), (last, into), end]
    return found


def _next(start, end):
    """Return whether a chapter stands right below another."""
    return start[0] == end[0] and end[2] - start[2] == STEP


def _lanes(places, pairs, wide):
    """Return `{(gap, page): x}`: in each gap between two columns, a lane of its own for each page that is led to."""
    users = {}
    for other, page in pairs:
        column, to = places[other][0], places[page][0]
        for gap in {column, max(column, to - 1)}:
            users.setdefault(gap, {}).setdefault(page)
    return {
        (gap, page): (gap + 1) * wide + gap * GAP + GAP / 2 + (place - (len(pages) - 1) / 2) * LANE
        for gap, pages in users.items()
        for place, page in enumerate(pages)
    }


def _levels(places, pairs):
    """Return `{pair: y}` for ways across columns: the nearest height at which none of their boxes stands."""
    found, taken = {}, []
    for page in dict.fromkeys(page for _, page in pairs):
        across = [other for other, to in pairs if to == page and places[page][0] - places[other][0] > 1]
        if not across:
            continue
        columns = range(min(places[other][0] for other in across) + 1, places[page][0])
        ends = [places[each][2] + HIGH / 2 for each in (page, *across)]
        free = [y for y in range(TOP - 8, TOP + 7 * STEP) if _free(y, columns, places, taken)]
        best = min(free, key=lambda y: sum(abs(y - end) for end in ends))
        taken.append(best)
        found |= dict.fromkeys(((other, page) for other in across), best)
    return found


def _free(y, columns, places, taken):
    """Return whether a line at that height passes all boxes of these columns, and what was drawn before."""
    boxes = [top for column, _, top in places.values() if column in columns]
    return all(not -9 < y - top < HIGH + 9 for top in boxes) and all(abs(y - other) > LANE for other in taken)


def _map(canvas, listed, needed):
    """Draw a column for each part, and between them what leads from a chapter to those that need it."""
    places, wide = placed(listed, canvas.width)
    for points in routes(places, needed, wide).values():
        if len(points) == 2:
            (x, y), (_, to_y) = points
            canvas.arrow(x, y, x, to_y - 1, "plain", "thin", 0, 5)
            continue
        canvas.path(rounded(points), more="thin")
        canvas.circle(*points[-1], 2.5, "plain", "full")
    for column, part in enumerate(listed):
        canvas.paragraph(column * (wide + GAP) + wide / 2, 11, part, wide, 12, 1.2, anchor="middle", tone="quiet")
    for page, (_, x, y) in places.items():
        lines = wrap(name(page), wide - 4, 12)
        canvas.rect(x, y, wide, HIGH, "time", "soft", 6)
        for line, words in enumerate(lines):
            below = (line - (len(lines) - 1) / 2) * 15
            canvas.text(x + wide / 2, y + HIGH / 2 + 4.5 + below, words, 12, "middle", room=wide)


def rounded(points):
    """Return a way of upright and level stretches as a path with round elbows.

    >>> rounded([(0, 0), (10, 0), (10, 20)])
    'M0.0 0.0L6.0 0.0Q10.0 0.0 10.0 4.0L10.0 20.0'
    """
    points = [p for p, before in zip(points, [None, *points], strict=False) if p != before]
    path = "M{:.1f} {:.1f}".format(*points[0])
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        cuts = [_toward(here, there) for there in (before, after)]
        path += "L{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}".format(*cuts[0], *here, *cuts[1])
    return path + "L{:.1f} {:.1f}".format(*points[-1])


def _toward(here, there):
    """Return the point an elbow away from here, or half of the way if that is less."""
    far = abs(there[0] - here[0]) + abs(there[1] - here[1])
    share = min(ELBOW / far, 0.5)
    return here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])


def _list(canvas, listed, needed):
    """Write the chapters below each other, each with what it needs."""
    y = 14
    for part, chapters in listed.items():
        canvas.text(0, y, part, 12, tone="quiet")
        y += 8
        for page in chapters:
            words = ", ".join(map(name, needed[page]))
            canvas.rect(0, y, 122, 24, "time", "soft", 6)
            canvas.text(61, y + 16.5, name(page), 12, "middle", room=122)
            below = canvas.paragraph(
                134, y + 16, f"needs {words}" if words else "needs nothing", canvas.width - 134, 12, tone="quiet"
            )
            y = max(y + 32, below - 2)
        y += 14
