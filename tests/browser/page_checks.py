"""The checks of one visit to a page in Chromium, in the order in which a visit makes them.

A visit opens a page from disk, where a browser forbids more than from a server, at the size of a phone. `CHECKS` maps
the name of each check to a function of the browser and the page's path, which yields the faults of the open page.
What a check has changed, such as the size of the window or a style, it restores unless later checks set it anyway.
"""

from collections import Counter

from browser.axe import CONTRAST, emptied, violations

PHONE, DESK = (390, 844), (1280, 900)
SCREENS = 20  # of a phone, that a page of a chapter may fill without its exercises
KINDS = (  # one page of each kind
    "book/index.html",
    "book/chapters/before-you-start/index.html",
    "book/chapters/roofline/index.html",
    "book/chapters/collectives/hierarchical-and-in-network.html",
    "book/chapters/operations/index.html",
    "book/chapters/operations/spot.html",
    "book/chapters/energy/clock-frequency.html",
    "book/chapters/audit/levers.html",
    "book/chapters/reliability/index.html",
    "book/chapters/reliability/exercises.html",
    "book/chapters/lab-checkpoint-reckoning/index.html",
    "book/chapters/lab-scale-illusion/index.html",
    "book/chapters/ledger.html",
    "book/appendices/comparisons.html",
    "book/appendices/facts/failure.html",
    "book/appendices/audited-claims.html",
    "book/appendices/claims/papers.html",
    "book/appendices/glossary.html",
    "book/appendices/references.html",
)
HEARD = (
    "book/chapters/young-daly/index.html", "book/chapters/lab-checkpoint-reckoning/index.html",
    "book/chapters/serving/batching.html", "book/appendices/facts/failure.html"
)  # fmt: skip
STYLED = """
const style = Object.assign(document.createElement("style"), { textContent: arguments[0] });
document.head.append(style);
window.unstyled = () => style.remove();
"""
UNSTYLED = "window.unstyled()"

# ---------------------------------------------------------------- length

# Sections far from the window have an estimated height until they are laid out.
LAID_OUT = "* { content-visibility: visible !important }"
HEIGHT = """
const high = (part) => part.getBoundingClientRect().height;
const article = document.querySelector(".mc-article");
return high(article) - [...article.querySelectorAll("mc-exercise, mc-task")].reduce((sum, part) => sum + high(part), 0);
"""


def screens(page):
    """Return how many screens of a phone the open page fills, without its exercises."""
    page.run(STYLED, LAID_OUT)
    height = page.run(HEIGHT)
    page.run(UNSTYLED)
    return height / PHONE[1]


def length(page, path):
    """Yield the length of a chapter's page that is too long to be read at once."""
    if path.startswith("book/chapters/") and (found := screens(page)) > SCREENS:
        yield f"fills {found:.1f} screens of a phone, more than {SCREENS}"


# ---------------------------------------------------------------- screen reader

# What is visible, or lies outside of the window.
HEADINGS = """
return [...document.querySelectorAll("main :is(h1, h2, h3, h4)")].filter((each) => each.checkVisibility())
  .map((each) => each.textContent.replace(/¶/g, "").replace(/\\s+/g, " ").trim());
"""
FOLDS = """
return [...document.querySelectorAll("main .mc-more > summary")].filter((each) => each.checkVisibility())
  .map((each) => each.ariaLabel);
"""
FORMULAS = "return [...document.querySelectorAll('main math')].filter((each) => each.checkVisibility()).length"
SILENT = """
return [...document.querySelectorAll("mc-explorer")].filter((each) => each.checkVisibility() &&
  !each.querySelector("[role=status]")).map((each) => each.dataset.address);
"""
USED = ("button", "link", "textbox", "slider", "spinbutton", "radio", "checkbox", "combobox", "DisclosureTriangle")


def heard(page):
    """Return `(role, name)` of the accessibility tree of the page, in its order."""
    page.laid().command("Accessibility.enable")
    nodes = {node["nodeId"]: node for node in page.command("Accessibility.getFullAXTree")["nodes"]}
    page.command("Accessibility.disable")  # Chromium crashes where it has to keep the tree of a page that grows
    return list(_below(nodes, next(iter(nodes))))


def _below(nodes, at):
    node = nodes[at]
    if not node.get("ignored"):
        yield node["role"]["value"], " ".join(node.get("name", {}).get("value", "").split())
    for child in node.get("childIds", ()):
        if child in nodes:
            yield from _below(nodes, child)


def screen_reader(page, path):
    """Yield what the accessibility tree of a page of HEARD lacks: headings in order, formulas, distinct names."""
    if path not in HEARD:
        return
    nodes = heard(page)
    headings = [name.replace(" :", ":") for role, name in nodes if role == "heading"]
    if headings != [text.replace(" :", ":") for text in page.run(HEADINGS)] or len(headings) < 3:
        yield f"has the headings {headings}"
    yield from (f"a {role} has no name" for role, name in nodes if role in USED and not name)
    folds = page.run(FOLDS)
    names = Counter(name for role, name in nodes if role == "DisclosureTriangle" and name in folds)
    yield from (f"{count} folds are called {name}" for name, count in names.items() if count > 1)
    yield from (f"the fold {name} is missing" for name in sorted(set(folds) - set(names)))
    if (count := sum(role == "MathMLMath" for role, _ in nodes)) != (seen := page.run(FORMULAS)):
        yield f"{count} of {seen} formulas are in the accessibility tree"
    yield from (f"{address} does not announce its changes" for address in page.run(SILENT))


# ---------------------------------------------------------------- diagrams

# Of each visible diagram: texts beyond its sheet or on each other, and letters below nine pixels.
CROWDED = """
const found = [];
for (const sheet of document.querySelectorAll("svg.mc-schematic")) {
  const frame = sheet.getBoundingClientRect();
  if (!frame.width) continue;
  const name = sheet.querySelector("title").textContent;
  const scale = frame.width / sheet.viewBox.baseVal.width;
  const boxes = [...sheet.querySelectorAll("text")].filter((text) => !text.getAttribute("x").includes(" "))
    .map((text) => ({ words: text.textContent, size: parseFloat(getComputedStyle(text).fontSize) * scale,
      box: text.getBoundingClientRect() }));
  for (const [index, one] of boxes.entries()) {
    if (one.box.left < frame.left - 1 || one.box.right > frame.right + 1 || one.box.bottom > frame.bottom + 1) {
      found.push(`${name}: "${one.words}" leaves its sheet`);
    }
    if (one.size < 9) found.push(`${name}: "${one.words}" is ${one.size} px small`);
    for (const other of boxes.slice(index + 1)) {
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 2 && high > 4) found.push(`${name}: "${one.words}" and "${other.words}" overlap`);
    }
  }
}
return found;
"""
UNSEEN = """
return [...document.querySelectorAll(".mc-diagram")].filter((place) =>
  [...place.querySelectorAll("svg")].filter((each) => each.getBoundingClientRect().width).length !== 1).length;
"""
# The words of diagrams whose contrast with the page is below 4.5 by WCAG.
PALE = """
const luminance = (colour) => {
  const parts = colour.match(/[\\d.]+/g).map(Number);
  const scaled = colour.startsWith("color(srgb") ? parts : parts.slice(0, 3).map((part) => part / 255);
  const [r, g, b] = scaled.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const probe = document.body.appendChild(document.createElement("i"));
probe.style.color = "var(--mc-page)";
const ground = luminance(getComputedStyle(probe).color);
probe.remove();
return [...document.querySelectorAll("svg.mc-schematic text:not(.t-on)")].map((text) => {
  const words = luminance(getComputedStyle(text).fill);
  const [high, low] = [Math.max(words, ground), Math.min(words, ground)];
  return { words: text.textContent, contrast: (high + 0.05) / (low + 0.05) };
}).filter(({ contrast }) => contrast < 4.5).map(({ words, contrast }) => `${words}: ${contrast.toFixed(2)}`);
"""


def diagrams(page, scheme, width):
    """Yield each diagram that is not shown once, and its words that are crowded, small or pale."""
    if not page.run("return Boolean(document.querySelector('.mc-diagram'))"):
        return
    page.scheme(scheme)
    page.resize(width)
    page.still()
    yield from (f"{fault}, at {width} px" for fault in page.run(CROWDED))
    yield from (f"{fault} in the {scheme}" for fault in page.run(PALE))
    if hidden := page.run(UNSEEN):
        yield f"{hidden} diagrams are not shown once at {width} px"


def diagrams_of_a_phone(page, path):
    """Yield the faults of diagrams on a phone in the dark."""
    yield from diagrams(page, "dark", PHONE[0])


def diagrams_of_a_desk(page, path):
    """Yield the faults of diagrams on a wide screen in the light."""
    yield from diagrams(page, "light", DESK[0])


# ---------------------------------------------------------------- preferences of readers

SPACED = (
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }"
    "p { margin-bottom: 2em !important; }"
)
# Words that a box hides and nothing brings to light, and a page that is wider than its window.
CUT = """
const hides = (value) => value === "hidden" || value === "clip";
const found = [];
const passed = ".mc-hidden, .mc-skip, svg, math, dialog:not([open]), details:not([open]) > :not(summary)";
for (const node of document.querySelectorAll("body *")) {
  const style = getComputedStyle(node);
  if (!hides(style.overflowX) && !hides(style.overflowY)) continue;
  if (style.clipPath !== "none" || node.clientWidth < 2) continue;
  if (node.closest(passed) || !node.textContent.trim() || !node.checkVisibility()) continue;
  const box = node.getBoundingClientRect();
  const wide = hides(style.overflowX) && node.scrollWidth > node.clientWidth + 2;
  // The line of a formula may be higher than its box; its signs may not.
  const signs = [...node.querySelectorAll("mi, mo, mn, mtext")].map((sign) => sign.getBoundingClientRect());
  const lost = signs.some((sign) => sign.height && (sign.bottom > box.bottom + 1 || sign.top < box.top - 1));
  const high = hides(style.overflowY) && (signs.length ? lost : node.scrollHeight > node.clientHeight + 4);
  if (wide || high) found.push(`cuts ${node.outerHTML.slice(0, 90)}`);
}
const page = document.documentElement;
if (page.scrollWidth > page.clientWidth + 1) found.push(`is ${page.scrollWidth} px wide on ${page.clientWidth}`);
return found;
"""
# In forced colours a drawing keeps its own: each of its words must stand out from what lies beneath the page.
FAINT = """
const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const light = (colour) => {
  brush.fillStyle = "#fff"; brush.fillRect(0, 0, 1, 1);
  brush.fillStyle = colour; brush.fillRect(0, 0, 1, 1);
  const parts = [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
const under = (node) => [node.closest("svg"), document.body].map((each) => getComputedStyle(each).backgroundColor)
  .find((colour) => !(colour.startsWith("rgba") && colour.endsWith(" 0)")));
const stands = (node, colour) => colour !== "none" && contrast(light(colour), light(under(node))) >= 3;
const seen = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
const faint = seen("article svg text:not(.t-on)").filter((node) => !stands(node, getComputedStyle(node).fill));
const drawn = (svg) => [...svg.querySelectorAll("path, rect, line, circle")].some((node) => {
  const style = getComputedStyle(node);
  return stands(node, style.fill) || stands(node, style.stroke);
});
return [...faint.map((node) => `is faint: ${node.textContent}`),
  ...seen("article svg").filter((svg) => !drawn(svg)).map((svg) => `shows nothing: ${svg.outerHTML.slice(0, 80)}`)];
"""
MOVING = """
const long = (text) => text.split(",").some((each) => parseFloat(each) * (each.includes("ms") ? 1 : 1000) > 10);
const found = [], named = (node) => node.outerHTML.slice(0, 80);
for (const node of document.querySelectorAll("*")) {
  const style = getComputedStyle(node);
  const changes = style.transitionProperty !== "none" && long(style.transitionDuration);
  if (changes) found.push(`moves over time: ${named(node)}`);
  if (style.animationName !== "none" && long(style.animationDuration)) found.push(`is animated: ${named(node)}`);
  if (style.scrollBehavior === "smooth") found.push(`scrolls smoothly: ${node.localName}`);
}
const running = document.getAnimations().filter((each) => each.effect.getComputedTiming().duration > 10);
return [...new Set(found), ...running.map(() => "an animation runs")];
"""


def prefer(page, **features):
    """Let the reader prefer what CSS calls these media features."""
    preferred = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    page.command("Emulation.setEmulatedMedia", features=preferred)
    page.rest()


def preferences(page, path):
    """Yield what a page of KINDS loses by zoom, forced colours, less motion and looser type, in turn."""
    if path not in KINDS:
        return
    for percent, width in ((200, 640), (400, 320)):  # of a window of 1280 pixels
        page.resize(width, 450)
        page.rest()
        yield from (f"at {percent} %: {fault}" for fault in page.run(CUT))
    page.resize(*DESK)
    for scheme in ("light", "dark"):
        prefer(page, forced_colors="active", prefers_color_scheme=scheme)
        yield from (f"in forced {scheme} colours: {fault}" for fault in page.run(FAINT))
    # Without motion every element has a transition, of 10 µs: nothing that changes all of them comes in that state.
    prefer(page, prefers_color_scheme="light")
    page.run(STYLED, SPACED)
    page.rest()
    yield from (f"in looser type: {fault}" for fault in page.run(CUT))
    page.run(UNSTYLED)
    page.rest()
    prefer(page, prefers_reduced_motion="reduce", prefers_color_scheme="light")
    page.still()
    yield from (f"without motion: {fault}" for fault in page.run(MOVING))
    page.scheme("light")


# ---------------------------------------------------------------- paper, figures, width, console, axe

UNFOLDED = """
dispatchEvent(new Event("beforeprint"));
const folds = [...document.querySelectorAll("article details:not([open])")];
return folds.map((fold) => fold.outerHTML.slice(0, 80));
"""
UNDRAWN = """
const seen = (svg) => svg.getBoundingClientRect().height > 100;
const places = [...document.querySelectorAll(".mc-graph")];
return places.filter((place) => ![...place.querySelectorAll("svg")].some(seen)).length;
"""


def paper(page, path):
    """Yield each fold that stays closed on paper; the others stay open for the checks that follow."""
    page.resize(*PHONE)
    yield from (f"keeps folded: {fold}" for fold in page.run(UNFOLDED))


def figures(page, path):
    """Yield how many figures a phone does not draw."""
    if count := page.run(UNDRAWN):
        yield f"does not draw {count}"


def width(page, path):
    """Yield how wide the page is, when a phone shows it only in parts."""
    page.rest()
    found = page.run("return document.documentElement.scrollWidth")
    if found > PHONE[0]:
        yield f"is {found} px wide on {PHONE[0]}"


def console(page, path):
    """Yield each error and warning of the console."""
    yield from page.complaints()


def requests(page, path):
    """Yield each request to another host."""
    own = page.run("return location.protocol === 'file:' ? 'file:' : location.origin")
    yield from (url for url in page.requests() if not url.startswith(own))


LIGHT, DARK = set(), set()  # the looks of words whose contrast earlier pages were asked


def axe(page, path):
    """Yield what axe holds against the page in the light, on a wide screen."""
    page.resize(*DESK)
    page.scheme("light")
    emptied(page)
    page.still()
    yield from violations(page, asked=LIGHT)


def contrast(page, path):
    """Yield the words that are too pale in the dark."""
    page.scheme("dark")
    page.still()
    yield from violations(page, only=CONTRAST, asked=DARK)


LONG = {"axe", "contrast", "preferences"}  # three times as long as opening the page and all other checks together
CHECKS = {
    "length": length, "screen reader": screen_reader, "diagrams on a phone": diagrams_of_a_phone,
    "diagrams on a desk": diagrams_of_a_desk, "preferences": preferences, "paper": paper, "figures": figures,
    "width": width, "console": console, "requests": requests, "axe": axe, "contrast": contrast
}  # fmt: skip


def faults(page, path, names=CHECKS):
    """Return `{check: faults}` of the open page by the checks `names`, without the checks that find none."""
    found = {name: list(check(page, path)) for name, check in CHECKS.items() if name in names}
    return {name: messages for name, messages in found.items() if messages}
