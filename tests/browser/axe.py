"""axe-core on the open page: what it holds against it, by rule and place.

axe walks through the inside of formulas, half of the elements of a page, and looks at none of it: what is in
them has no role of its own. So each formula becomes an empty box of its size before axe looks. Before that the
page is read to its end, as sections far from what is looked at are not laid out, and what scrolls sideways says
so when it comes near.
"""

from built_site import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
COLOURS = ["color-contrast"]
EMPTY = """
const sizes = [...document.querySelectorAll(".katex:has(*)")].map((formula) => {
  const { width, height } = formula.getBoundingClientRect();
  return [formula, Math.max(width, formula.scrollWidth), height];
});
for (const [formula, width, height] of sizes) {
  const box = document.createElement("span");
  box.style.cssText = `display: inline-block; width: ${width}px; height: ${height}px`;
  formula.replaceChildren(box);
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
RUN = """
const [rules, place, without, done] = arguments;
const off = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
const options = { resultTypes: ["violations"], preload: false, rules: off, ...(rules && { runOnly: rules }) };
axe.run(place || document, options).then(
  (found) => done(found.violations.map(
    (v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ")).join(" | "))),
  (error) => done(["axe failed: " + error]));
"""


def emptied(page):
    """Put an empty box of its size in the place of each formula's inside, once at each width; return it."""
    if page.run("return window.emptied !== innerWidth || Boolean(document.querySelector('.katex:has(*)'))"):
        page.driver.execute_async_script(READ)
        page.run(EMPTY)
        page.run("window.emptied = innerWidth")
    return page


def violations(page, rules=None, place=None, without=()):
    """Return a line for each rule that is broken: of `rules`, or of all but some; at a selector, or anywhere."""
    if not emptied(page).run("return Boolean(window.axe)"):
        page.run(AXE)
    return page.driver.execute_async_script(RUN, rules, place, list(without))
