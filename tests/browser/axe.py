"""axe-core on the open page: what it holds against it, by rule and place.

axe walks through the inside of formulas, half of the elements of a page, and looks at none of it: what is in
them has no role of its own. So each formula becomes an empty box of its size before axe looks. Before that the
page is read to its end, as sections far from what is looked at are not laid out, and what scrolls sideways says
so when it comes near. Contrast, nine tenths of what axe has to do, is that of a look with what is behind it: of
all words that look alike it is asked of the first two and of the last, and where a test opens many pages, on the
first of them.
"""

from built_site import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
CONTRAST = "color-contrast"
TALL = 4000  # pixels of a screen on which a page is soon read
EMPTY = """
const sizes = [...document.querySelectorAll(".katex:not([data-emptied])")].map((formula) => {
  const { width, height } = formula.getBoundingClientRect();
  return [formula, Math.max(width, formula.scrollWidth), height];
});
for (const [formula, width, height] of sizes) {
  const box = document.createElement("span");
  box.style.cssText = `display: inline-block; width: ${width}px; height: ${height}px`;
  formula.replaceChildren(box);
  formula.dataset.emptied = "";
}
"""
READ = """
const done = arguments[0], soon = requestAnimationFrame;
const frame = () => new Promise((later) => soon(() => soon(later)));
(async () => {
  for (let last = -1; last !== scrollY;) { last = scrollY; scrollBy(0, innerHeight + 250); await frame(); }
  scrollTo(0, 0);
  await frame();
  done();
})();
"""
# Marks the words of which contrast is asked, and returns a checksum of each look: words look alike if they, and all in
# which they stand, say the same of how they look. Looks that the argument lists are passed over.
MARK = """
const known = new Set(arguments[0]);
const telling = ["class", "style", "role", "type", "open", "disabled", "aria-current", "aria-pressed",
  "aria-selected", "aria-checked", "fill", "stroke", "opacity"];
const own = (e) => [e.localName, ...telling.map((name) => e.getAttribute(name)), e.checked].join();
const worded = (e) => e.matches("input, select, textarea")
  || [...e.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && part.data.trim());
const alike = new Map();
(function walk(place, path) {
  if (place.matches("script, style, template")) return;
  const look = `${path}>${own(place)}`;
  place.removeAttribute("data-asked");
  if (worded(place)) alike.set(look, [...(alike.get(look) || []), place]);
  for (const part of place.children) walk(part, look);
})(document.body, "");
function checksum(text) {
  let [one, other] = [7, 9];
  for (let i = 0; i < text.length; i++) {
    one = Math.imul(one ^ text.charCodeAt(i), 2654435761);
    other = Math.imul(other ^ text.charCodeAt(i), 1597334677);
  }
  return (one >>> 0) * 2097152 + (other >>> 11);
}
const looks = [...alike].map(([look, all]) => [checksum(look), all]).filter(([look]) => !known.has(look));
for (const [, all] of looks) {
  for (const each of [all[0], all[1], all.at(-1)]) each?.setAttribute("data-asked", "");
}
axe.configure({ rules: [{ id: "color-contrast", selector: "[data-asked]" }] });
return looks.map(([look]) => look);
"""
RUN = """
const [place, only, done] = arguments;
axe.run(place || document, { resultTypes: ["violations"], preload: false, ...(only && { runOnly: only }) }).then(
  (found) => done(found.violations.map(
    (v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(" | "))),
  (error) => done(["axe failed: " + error]));
"""


def emptied(page):
    """Put an empty box of its size in the place of each formula's inside, once at each width; return the page."""
    if page.run(
        "return window.emptied !== innerWidth || Boolean(document.querySelector('.katex:not([data-emptied])'))"
    ):
        width, height = page.size
        page.resize(width, TALL)
        page.driver.execute_async_script(READ)
        page.resize(width, height)
        page.run(EMPTY)
        page.run("window.emptied = innerWidth")
    return page


def violations(page, place=None, only=None, asked=None):
    """Return a line for each rule that is broken, or for one `only`, at a selector or anywhere.

    `asked` is a set of the looks whose contrast earlier pages were asked: they are passed over, and those of this
    page are added.
    """
    if not emptied(page).run("return Boolean(window.axe)"):
        page.run(AXE)
    asked = set() if asked is None else asked
    asked.update(looks := page.run(MARK, list(asked)))
    if only == CONTRAST and not looks:
        return []
    return page.driver.execute_async_script(RUN, place, only)
