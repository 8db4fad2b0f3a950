"""The look of slides: one file that needs nothing else, a slide to a screen and a sheet, laid out alike on both.

Sizes are shares of the slide, so that what fits on a screen fits on paper. What would not fit is set smaller
by the script, never cut off.
"""

import base64
import re

from mathbook.folders import PROJECT

FONTS = {"Book Text": "text", "Book Title": "title", "Book Mathematics": "mathematics"}
CHART_RULE = re.compile(r"^[^\n{}@]*\.mcc?-(?:chart|layout)[^{}]*\{[^{}]*\}", re.MULTILINE)
ROOT_RULE = re.compile(r"^:root\s*\{[^{}]*\}", re.MULTILINE)
STYLE = """* { box-sizing: border-box; margin: 0; }
html { scroll-snap-type: y mandatory; background: #e9e5da; }
body { color: var(--mc-text); font-family: var(--mc-font); }
section { position: relative; width: min(100vw, 177.8vh); height: min(100vh, 56.25vw); margin: 0 auto 1px;
  background: var(--mc-page); container-type: size; scroll-snap-align: center; overflow: hidden; break-after: page; }
.slide { height: 100%; padding: 6cqh 6cqw 9cqh; font-size: calc(3.4cqh * var(--fit, 1)); line-height: 1.4;
  display: flex; flex-direction: column; gap: .7em; overflow: hidden; }
.slide > * { max-width: 88cqw; }
h1, h2 { font-family: var(--mc-font-title); font-weight: 600; line-height: 1.15; text-wrap: balance; }
h1 { font-size: 2.6em; margin-top: auto; } h1 small { display: block; font-size: .55em; color: var(--mc-muted); }
h1 + p { margin-bottom: auto; font-size: 1.15em; color: var(--mc-muted); } h2 { font-size: 1.55em; }
math { font-family: var(--mc-font-math); } mtd { padding-inline: .1em; text-align: left; }
mtd:first-child { padding-left: 0; text-align: right; }
math[display=block] { font-size: 1.25em; margin-block: .2em; text-align: left; width: fit-content; }
.kind { font-size: .8em; font-weight: 600; color: var(--mc-accent); } .small { font-size: .8em; }
.small, .caption { color: var(--mc-muted); } .caption { font-size: .85em; }
.letters { display: flex; flex-wrap: wrap; gap: .1em 1.4em; padding: 0; list-style: none; }
.card { border-left: .25em solid var(--mc-accent); padding-left: .8em; }
.picture { flex: 1; min-height: 0; display: flex; } .picture svg { width: 100%; height: 100%; }
ul, ol { padding-left: 1.4em; } li { margin-block: .25em; } .right { font-weight: 600; color: var(--mc-good); }
.answer math[display=block] { font-size: 1.1em; }
table { border-collapse: collapse; font-size: .72em; } th, td { padding: .15em .7em; text-align: right;
  border-bottom: 1px solid var(--mc-border); }
footer { position: absolute; inset: auto 6cqw 3cqh; font-size: 2cqh; color: var(--mc-muted);
  display: flex; justify-content: space-between; }
@media screen and (max-width: 700px) { html { scroll-snap-type: none; } section { width: auto; height: auto;
  container-type: inline-size; } .slide { height: auto; padding: 6vw 5vw 12vw; font-size: 1rem; }
  math[display=block] { overflow-x: auto; max-width: 100%; } .picture { min-height: 60vw; } footer { font-size: .8rem;
  bottom: 3vw; } table { display: block; overflow-x: auto; } }
@page { size: 320mm 180mm; margin: 0; }
@media print { html { background: none; } section { width: 320mm; height: 180mm; margin: 0; }
  section:last-of-type { break-after: auto; } }"""
SCRIPT = """const all = [...document.querySelectorAll("section")];
function fit() {
  for (const slide of document.querySelectorAll(".slide")) {
    const over = () => slide.scrollHeight > slide.clientHeight + 1 || slide.scrollWidth > slide.clientWidth + 1;
    let size = slide.querySelector(".picture") ? 1 : 1.4;
    slide.style.setProperty("--fit", size);
    while (innerWidth > 700 && size > 0.45 && over()) slide.style.setProperty("--fit", (size -= 0.04));
  }
}
document.fonts.ready.then(() => {
  fit();
  document.documentElement.dataset.live = "";
});
addEventListener("resize", fit);
addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const now = all.findIndex((each) => each.getBoundingClientRect().bottom > innerHeight / 2);
  (all[now + step] || all[now]).scrollIntoView({ block: "center" });
});"""


def slide_style(book):
    """Return the style of slides: the book's colours, its charts and drawings, its fonts in the text."""
    static = PROJECT / "book" / "_static"
    frame, base, elements = ((static / name).read_text("utf-8") for name in ("page.css", "base.css", "book.css"))
    colours = [found for sheet in (frame, base, elements) for found in ROOT_RULE.findall(sheet)]
    charts = CHART_RULE.findall(elements)
    diagram_rules = (static / "mc-draw.css").read_text("utf-8")
    return "\n".join([*_fonts(book.site / "_static" / "fonts"), *colours, *charts, diagram_rules, STYLE])


def _fonts(folder):
    for family, name in FONTS.items():
        path = folder / f"{name}.woff2"
        if path.exists():
            data = base64.b64encode(path.read_bytes()).decode()
            face = f'font-family: "{family}"; src: url(data:font/woff2;base64,{data}); font-weight: 400 700;'
            yield f"@font-face {{ {face} }}"
