"""What readers set for themselves: forced colours, less motion, larger type, looser type. Nothing is lost by it.

Each fault is planted once and found.
"""

import pytest
from browser.test_pages import KINDS
from built_site import SITE

SPACED = """
const style = document.createElement("style");
style.textContent = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;" +
  "word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";
document.head.append(style);
"""
# Words that a box hides and nothing brings to light, and a page that is wider than its window.
CUT = """
const hides = (value) => value === "hidden" || value === "clip";
const found = [];
const passed = ".mc-hidden, .mc-skip, svg, math, dialog:not([open]), details:not([open]) > :not(summary)";
for (const node of document.querySelectorAll("body *")) {
  if (node.closest(passed) || !node.textContent.trim() || !node.checkVisibility()) continue;
  const style = getComputedStyle(node);
  if (style.clipPath !== "none" || node.clientWidth < 2) continue;
  const box = node.getBoundingClientRect();
  const wide = hides(style.overflowX) && node.scrollWidth > node.clientWidth + 2;
  // The line of a formula may be higher than its box; its signs may not.
  const signs = [...node.querySelectorAll("mi, mo, mn, mtext")].map((sign) => sign.getBoundingClientRect());
  const lost = signs.some((sign) => sign.height && (sign.bottom > box.bottom + 1 || sign.top < box.top - 1));
  const high = hides(style.overflowY) && (signs.length ? lost : node.scrollHeight > node.clientHeight + 4);
  if (wide || high) found.push(`cuts ${node.outerHTML.slice(0, 90)}`);
}
const page = document.documentElement;
if (page.scrollWidth > innerWidth + 1) found.push(`is ${page.scrollWidth} px wide on ${innerWidth}`);
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
  .find((colour) => !/, 0[)]|transparent/.test(colour));
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
return [...new Set(found), ...document.getAnimations().map(() => "an animation runs")];
"""


@pytest.fixture
def page(chromium):
    """Yield the browser, and take back what was set."""
    yield chromium
    chromium.command("Emulation.setEmulatedMedia", features=[])


def prefer(page, **features):
    told = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    page.command("Emulation.setEmulatedMedia", features=told)
    page.rest()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("width", [640, 320], ids=["200 %", "400 %"])
def test_zoom_loses_nothing(page, name, width):
    """A window of 1280 pixels at 200 % is 640 wide, and at 400 % 320."""
    page.open((SITE / name).as_uri(), width=width, height=450)
    assert page.run(CUT) == []


@pytest.mark.parametrize("name", KINDS)
def test_looser_type_loses_nothing(page, name):
    page.open((SITE / name).as_uri(), width=1280)
    page.run(SPACED)
    page.rest()
    assert page.run(CUT) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", KINDS)
def test_drawings_are_seen_in_forced_colours(page, name, scheme):
    page.open((SITE / name).as_uri(), dark=scheme == "dark")
    prefer(page, forced_colors="active", prefers_color_scheme=scheme)
    assert page.run(FAINT) == []


@pytest.mark.parametrize("name", KINDS)
def test_nothing_moves_for_who_wants_no_motion(page, name):
    page.open((SITE / name).as_uri())
    prefer(page, prefers_reduced_motion="reduce")
    page.still()
    assert page.run(MOVING) == []


PLANTED = {
    CUT: ('<p style="width: 6em; height: 1.5em; overflow: hidden">words that are cut off here</p>', "cuts <p"),
    FAINT: ('<svg width="9" height="9"><text style="fill: #fffdf9" y="9">pale</text></svg>', "is faint: pale"),
    MOVING: ('<p style="transition: color 2s">slow</p>', "moves over time"),
}


@pytest.mark.parametrize("look", PLANTED, ids=["cut", "faint", "moving"])
def test_planted_fault_would_be_found(page, look):
    planted, said = PLANTED[look]
    page.open((SITE / "book/chapters/ledger.html").as_uri())
    page.run("document.querySelector('article').insertAdjacentHTML('beforeend', arguments[0])", planted)
    assert any(fault.startswith(said) for fault in page.run(look)), page.run(look)


def test_page_too_wide_when_spaced_would_be_found(page):
    page.open((SITE / "book/chapters/ledger.html").as_uri(), width=640)
    show = "document.querySelector('article').insertAdjacentHTML('beforeend', arguments[0])"
    page.run(show, f'<p style="white-space: nowrap; font-size: 16px">{"word " * 15}</p>')
    assert page.run(CUT) == []
    page.run(SPACED)
    assert any("px wide" in fault for fault in page.run(CUT))
