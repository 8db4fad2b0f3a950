"""Every figure and every calculator's chart of the built book, as a browser sets them: can they be read at once?

All are put on one sheet with the book's own styles, which is shown once as a wide screen and once as a phone; so
the words have their true widths. `faults` is the whole reading, and a seeded fault shows that each part of it
is looked at. What stands beside a pointer is read from a page of a server.
"""

import html
import json
import math
import re

import pytest
from built_site import PAGES, SITE, page_with

from mathcore import find

GRAPH = re.compile(r'<div class="mc-graph".*?(?=<figcaption|</figure>)', re.DOTALL)
CHART = re.compile(r'<div class="mc-layout-(?:wide|narrow)"><svg class="mc-chart".*?</svg></div>', re.DOTALL)
NUMBER = re.compile(r"(−?[\d,]*\.?\d+)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?\u202f?%?|10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)\u202f?%?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

HEAD = (
    '<!doctype html><html lang="en" data-live><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
)
BODY = '<body style="max-width: 45rem; margin: 0 auto; padding: 0 1rem">'
READ = """
const box = (each) => each.getBoundingClientRect().toJSON();
const kind = (each) => each.getAttribute("class").replaceAll("mcc-", "");
return [...document.querySelectorAll("section")].map((section) => ({ of: section.dataset.of,
  charts: [...section.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().height > 100).map((svg) => ({
    sheet: box(svg), plot: svg.dataset.plot.split(" ").map(Number),
    words: [...svg.querySelectorAll("text")].filter((text) => text.textContent)
      .map((text) => ({ text: text.textContent, kind: kind(text), ...box(text) })),
    drawn: [...svg.querySelectorAll(".mcc-curve, .mcc-set, .mcc-bar")].map(kind) })) }));
"""


def sheet(folder):
    """Write a page of all drawings of the built book and return its address."""
    parts = []
    for page in PAGES:
        text = (SITE / page).read_text("utf-8")
        graphs = GRAPH.findall(text)
        rest = GRAPH.sub("", text)
        pairs = CHART.findall(rest)
        charts = [f'<div class="mc-plot">{"".join(pairs[i : i + 2])}</div>' for i in range(0, len(pairs), 2)]
        parts += [f'<section data-of="{page} {i}">{part}</section>' for i, part in enumerate([*graphs, *charts])]
    place = folder / "sheet.html"
    styles = "".join(f'<link rel="stylesheet" href="{path.as_uri()}">' for path in (SITE / "_static").glob("*.css"))
    place.write_text(HEAD + styles + BODY + "".join(parts), "utf-8")
    return place.as_uri()


def value(text):
    """Return the number of a tick, or None."""
    found = NUMBER.fullmatch(text)
    if not found:
        return None
    number, times, power = found.groups()
    share = float(number.replace(",", "").replace("−", "-")) if number else 1.0
    return share * 10.0 ** int((times or power or "⁰").translate(RAISED))


def even(values, places):
    """Return whether numbers lie on their places by a linear or a logarithmic rule."""
    for rule in (float, math.log) if min(values) > 0 else (float,):
        rate = [(places[i] - places[0]) / (rule(v) - rule(values[0])) for i, v in enumerate(values) if i]
        if all(abs(each / rate[0] - 1) < 0.04 for each in rate):
            return True
    return False


def unread_ticks(chart):
    """Yield each tick that is no number, and each axis whose numbers do not lie where they should."""
    ticks = [word for word in chart["words"] if word["kind"] == "tick"]
    if "bar" in chart["drawn"]:  # its rows have names
        ticks = [tick for tick in ticks if tick["top"] > max(t["top"] for t in ticks) - 3]
    yield from (f"has the tick {tick['text']!r}" for tick in ticks if value(tick["text"]) is None)
    low = max(tick["top"] for tick in ticks) if ticks else 0
    across = [(value(t["text"]), (t["left"] + t["right"]) / 2) for t in ticks if t["top"] > low - 3]
    up = [(value(t["text"]), (t["top"] + t["bottom"]) / 2) for t in ticks if t["top"] <= low - 3]
    for name, axis in (("x", across), ("y", up)):
        values, places = zip(*axis, strict=True) if axis else ((), ())
        if None not in values and (len(set(values)) < len(values) or (len(values) > 2 and not even(values, places))):
            yield f"has ticks of {name} that do not say where they lie: {', '.join(t['text'] for t in ticks)}"


def crossed(chart):
    """Yield each pair of words that lie on each other, and each word that leaves the drawing."""
    words, sheet = chart["words"], chart["sheet"]
    for i, a in enumerate(words):
        for b in words[i + 1 :]:
            wide = min(a["right"], b["right"]) - max(a["left"], b["left"])
            high = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
            if wide > 2 and high > 4:  # px: lines of one name touch
                yield f"sets {a['text']!r} on {b['text']!r}"
        if a["left"] < sheet["left"] - 8 or a["right"] > sheet["right"] + 8:
            yield f"lets {a['text']!r} leave the drawing"


def unnamed(chart, wanted):
    """Yield each curve without a name of its kind, and each name of the data that is missing."""
    curves = [kind.split()[-1] for kind in chart["drawn"] if kind.startswith("curve")]
    names = {word["kind"].split()[-1] for word in chart["words"] if word["kind"].startswith("name")}
    if len(curves) > 1:
        yield from (f"does not name its curve {tone}" for tone in sorted(set(curves) - names - {"plain"}))
    text = " ".join(word["text"] for word in chart["words"])
    yield from (f"does not say {label!r}" for label in wanted if label not in text)


def labels():
    """Return the names that the data of all figures give, by figure."""
    found = {}
    for page in PAGES:
        for i, graph in enumerate(GRAPH.findall((SITE / page).read_text("utf-8"))):
            data = re.search(r'<script type="application/json">(.*?)</script>', graph, re.DOTALL)
            series = json.loads(data[1])["series"] if data else []
            found[f"{page} {i}"] = [html.unescape(one["label"]) for one in series if one.get("label")]
    return found


def faults(browser, wanted):
    """Return all that is wrong with the drawings of the open sheet, each with the page it is from."""
    found = []
    for part in browser.run(READ):
        messages = [] if len(part["charts"]) == 1 else [f"shows {len(part['charts'])} drawings"]
        for chart in part["charts"]:
            messages += [] if chart["drawn"] else ["draws nothing"]
            messages += [*unread_ticks(chart), *crossed(chart), *unnamed(chart, wanted.get(part["of"], ()))]
        found += [f"{part['of']} {fault}" for fault in messages]
    return found


@pytest.fixture(scope="module")
def wanted():
    return labels()


@pytest.fixture(scope="module")
def drawings(chromium, tmp_path_factory):
    return sheet(tmp_path_factory.mktemp("figures"))


def test_the_sheet_holds_every_figure_and_chart(chromium, drawings, wanted):
    chromium.open(drawings)
    count = "return document.querySelectorAll('section:has(.mc-graph)').length"
    assert chromium.run(count) == len(wanted) >= 70
    assert chromium.run("return document.querySelectorAll('section:has(.mc-plot)').length") >= 40


@pytest.mark.parametrize("width", [1280, 390])
def test_every_drawing_can_be_read(chromium, drawings, wanted, width):
    chromium.open(drawings, width=width)
    assert faults(chromium, wanted) == []


FIRST = """
const all = [...document.querySelectorAll("section:has(.mc-graph) svg")];
const charts = all.filter((svg) => svg.getBoundingClientRect().height > 100);
const move = (one, other) => ["x", "y"].forEach((at) => one.setAttribute(at, other.getAttribute(at)));
const pick = (what) => charts.map((svg) => [...svg.querySelectorAll(what)]).find((some) => some.length > 1);
const say = (old, text) => [...document.querySelectorAll(".mcc-tick")].filter((tick) => tick.textContent === old)
  .forEach((tick) => { tick.textContent = text; });
"""
SEEDED = {
    "say('500', '5')": "has ticks of . that do not say where they lie",
    "say('0.2', '2')": "has ticks of . that do not say where they lie",
    "say('500', 'k')": "has the tick 'k'",
    "move(...pick('.mcc-name'))": "sets '.*' on '",
    "pick('.mcc-name')[0].setAttribute('x', -300)": "lets '.*' leave the drawing",
    "pick('.mcc-name.mcc-write').forEach((name) => name.remove())": "does not name its curve write",
    "const [name] = pick('.mcc-name'); name.textContent = 'first offer'": "does not say '",
    "pick('.mcc-curve')[0].closest('svg').querySelectorAll('.mcc-curve, .mcc-set').forEach((e) => e.remove())": (
        "draws nothing"
    ),
    "charts[3].closest('div').remove()": "shows 0 drawings",
}


@pytest.mark.parametrize("seeded", SEEDED)
def test_seeded_fault_is_found(chromium, drawings, wanted, seeded):
    chromium.open(drawings, width=390)
    chromium.run(f"{FIRST} {seeded}")
    found = faults(chromium, wanted)
    assert any(re.search(SEEDED[seeded], fault) for fault in found), found


def test_words_at_the_pointer_say_what_the_formula_says(chromium, server):
    page = page_with("fig-young-daly-flatness", "book/chapters/young-daly/index.html")
    chromium.open(f"{server}/{page}")
    chromium.until("document.querySelector('#fig-young-daly-flatness .mc-reading')")
    reading = chromium.run(
        """
        const place = document.querySelector("#fig-young-daly-flatness .mc-graph"), svg = place.querySelector("svg");
        const [left, right, width] = svg.dataset.plot.split(" ").map(Number), box = svg.getBoundingClientRect();
        const over = (share) => box.left + (left + share * (right - left)) * box.width / width;
        const at = (type) => place.dispatchEvent(new PointerEvent(type, { clientX: over(0.75) }));
        at("pointermove");
        const hair = place.querySelector(".mc-reading"), text = hair.hidden ? "" : hair.textContent;
        at("pointerleave");
        return [text, hair.hidden];
        """
    )
    x = 0.2 * 25**0.75  # three quarters of the way from 0.2 to 5, as ratios go
    penalty = float(find("young_daly.penalty").at(x=x).magnitude)
    assert reading == [f"interval over Young's interval: {x:.3g}\nwaste over smallest waste: {penalty:.3g}", True]


DRAWN = """
const place = document.querySelector("#fig-young-daly-flatness .mc-graph");
const tall = (least) => (each) => each.getBoundingClientRect().height > least;
const high = (kind, least) => [...place.querySelectorAll(kind)].some(tall(least));
return [high(".mc-canvas .main-svg", 300), high("svg.mc-chart", 100)];
"""
PRESS = "document.querySelector('#fig-young-daly-flatness .mc-zoom').click()"
TOOLS = "return [...document.querySelectorAll('.mc-zoomed .modebar-btn')].map((each) => each.dataset.title)"
BUTTON = "return document.querySelector('#fig-young-daly-flatness .mc-zoom').getAttribute('aria-label')"
WIDTHS = """
const place = document.querySelector("#fig-young-daly-flatness .mc-graph");
const canvas = place.querySelector(".mc-canvas .main-svg");
return [place, canvas].map((each) => each && Math.round(each.getBoundingClientRect().width));
"""
CURVES = "return [...document.querySelectorAll('.mc-canvas .legendtext')].map((each) => each.textContent)"


def test_who_wants_to_zoom_gets_plotly_and_the_drawing_back(chromium, server):
    page = page_with("fig-young-daly-flatness", "book/chapters/young-daly/index.html")
    chromium.open(f"{server}/{page}")
    chromium.until("document.querySelector('#fig-young-daly-flatness .mc-zoom')")
    assert not [address for address in chromium.requests() if "plotly" in address]
    assert chromium.run(DRAWN) == [False, True]
    chromium.run(PRESS)
    chromium.until("document.querySelector('.mc-zoomed .mc-canvas .main-svg')")
    assert chromium.run(DRAWN) == [True, False]
    assert chromium.run(BUTTON).startswith("Show the drawing")
    assert chromium.run(TOOLS) == ["Zoom", "Pan", "Zoom in", "Zoom out", "Autoscale", "Reset axes"]  # none uploads
    data = chromium.run("return document.querySelector('#fig-young-daly-flatness script').textContent")
    assert chromium.run(CURVES) == [one["label"] for one in json.loads(data)["series"] if one.get("label")]
    chromium.run(PRESS)
    chromium.until("!document.querySelector('.mc-zoomed')")
    assert chromium.run(DRAWN)[1] and chromium.run(BUTTON).startswith("Zoom and pan")


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_zoomed_has_the_width_of_the_drawing(chromium, server, width):
    page = page_with("fig-young-daly-flatness", "book/chapters/young-daly/index.html")
    chromium.open(f"{server}/{page}", width=width)
    chromium.until("document.querySelector('#fig-young-daly-flatness .mc-zoom')")
    place = chromium.run(WIDTHS)[0]
    chromium.run(PRESS)
    chromium.until("document.querySelector('.mc-zoomed .mc-canvas .main-svg')")
    assert chromium.run(WIDTHS) == [place, place]


def test_a_zoom_that_cannot_be_loaded_leaves_the_drawing(chromium, server):
    page = page_with("fig-young-daly-flatness", "book/chapters/young-daly/index.html")
    chromium.open(f"{server}/{page}")
    chromium.until("document.querySelector('#fig-young-daly-flatness .mc-zoom')")
    chromium.run("mc.loadScript = () => Promise.reject(new Error('gone'))")
    chromium.run(PRESS)
    chromium.until("/could not be loaded/.test(document.querySelector('.mc-toast')?.textContent)")
    assert chromium.run(DRAWN)[1]
