"""Slides of a chapter, cut from its built page: one file that needs nothing else, and prints one slide to a sheet.

A section becomes a slide with its first sentences, its first formula and its first picture; what the page asks
becomes a question, with the options and without the key; the box to remember ends it. Mathematics is MathML.
"""

import base64
import html
import re

from bs4 import BeautifulSoup
from mathbook.folders import PROJECT

from course.syllabus import built, document
from mathcore import find
from mathcore.teaching import Exercise, Task

PASSED = ("Exercises", "Sources", "What to remember")
STYLE = """* { box-sizing: border-box; } html { scroll-snap-type: y mandatory; }
body { margin: 0; font: 1.55rem/1.45 system-ui, sans-serif; color: #1a1f27; background: #fff; }
section { min-height: 100vh; padding: 4vh 6vw; scroll-snap-align: start; display: flex; flex-direction: column;
  justify-content: center; gap: 1.2rem; break-after: page; position: relative; }
section > * { max-width: 62rem; margin-block: 0; } h1 { font-size: 3rem; line-height: 1.15; } h2 { font-size: 2.1rem; }
math[display=block] { font-size: 1.5em; margin-block: .6rem; overflow-x: auto; } table { font-size: 1rem; }
svg { width: 100%; max-height: 40vh; } ol { padding-left: 1.6em; } li { margin-block: .4rem; }
footer { position: absolute; bottom: 2vh; left: 6vw; right: 6vw; font-size: .9rem; color: #5a6472; }
.caption { font-size: 1.1rem; color: #444d59; } .kind { font-size: 1.1rem; color: #1f5fa8; }
@media (max-width: 700px) { body { font-size: 1.15rem; } h1 { font-size: 2rem; } h2 { font-size: 1.5rem; } }
@page { size: 297mm 167mm; margin: 0; }
@media print { body { font-size: 1.1rem; } h2 { font-size: 1.7rem; } svg { max-height: 70mm; }
  section { height: 166mm; min-height: 0; overflow: hidden; gap: .7rem; } }"""
KEYS = """addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...document.querySelectorAll("section")];
  const now = all.findIndex((each) => each.getBoundingClientRect().bottom > innerHeight / 2);
  (all[now + step] || all[now]).scrollIntoView();
});"""


def deck(book, page, path):
    """Return the slides of a page; `path` are the addresses of the exercises that are asked."""
    article = built(book, page)
    title = article.h1.get_text().strip().rstrip("#¶")
    slides = [f"<h1>{html.escape(title)}</h1>{_sentences(article, 2)}"]
    for section in article.find_all("section"):
        head = section.find(["h2", "h3"], recursive=False)
        if head is not None and head.get_text().strip().rstrip("#¶") not in PASSED:
            slides.append(_section(head, section))
    slides += [_question(find(address), article, address) for address in path]
    slides += _remembered(article)
    body = "".join(
        f"<section>{inside}<footer>{html.escape(title.partition(':')[0])} · {number} / {len(slides)}</footer></section>"
        for number, inside in enumerate(slides, 1)
    )
    return document(title, f"{body}<script>{KEYS}</script>", f"{_styles(book)}\n{STYLE}")


def _styles(book):
    """Return the colours of the book, the style of its drawings, and the font of its mathematics, in the text."""
    static = PROJECT / "book" / "_static"
    plain = "".join((static / name).read_text("utf-8") for name in ("page.css", "book.css"))
    variables = "\n".join(re.findall(r"(?:^|\n)(?::root|html)\s*\{[^{}]*\}", plain))
    font = book.site / "_static" / "fonts" / "mathematics.woff2"
    data = base64.b64encode(font.read_bytes()).decode() if font.exists() else ""
    face = f'@font-face {{ font-family: "Book Mathematics"; src: url(data:font/woff2;base64,{data}); }}' if data else ""
    used = 'math { font-family: "Book Mathematics", "STIX Two Math", "Cambria Math", math; }'
    return "\n".join([variables, (static / "mc-draw.css").read_text("utf-8"), face, used])


def _section(head, section):
    parts = [f"<h2>{html.escape(head.get_text().strip().rstrip('#¶'))}</h2>", _sentences(section, 2)]
    own = [child for child in section.find_all(True, recursive=False) if child.name != "section"]
    formula = next((f for child in own if (f := _first(child, ".mc-formula"))), None)
    picture = next((f for child in own if (f := _first(child, "figure.mc-figure"))), None)
    if formula is not None and (shown := formula.select_one(".mc-equation math")):
        parts.append(f"<div>{_plain(shown)}</div>")
    if picture is not None:
        parts.append(_picture(picture))
    return "".join(parts)


def _first(child, selector):
    name, _, kind = selector.partition(".")
    if kind in child.get("class", []) and name in ("", child.name):
        return child
    return child.select_one(selector)


def _picture(figure):
    drawing = figure.select_one(".mc-layout-wide svg") or figure.select_one("svg")
    caption = figure.find("figcaption")
    said = f'<p class="caption">{_plain(caption)}</p>' if caption is not None else ""
    return f'<div class="mc-draw">{drawing}</div>{said}' if drawing is not None else said


def _sentences(part, count):
    """Return the first paragraph of a part, cut after so many sentences."""
    paragraph = next((p for p in part.find_all("p", recursive=False) if p.get_text().strip()), None)
    if paragraph is None:
        return ""
    lines = re.split(r"(?<=[.?!])\s+(?=[A-Z“])", " ".join(_plain(paragraph).split()))
    return f"<p>{' '.join(lines[:count])}</p>"


def _plain(part):
    """Return the words of a part as HTML, with its mathematics as MathML and nothing that needs a script."""
    copy = BeautifulSoup(str(part), "html.parser")
    for equation in copy.select(".katex"):
        equation.replace_with(equation.select_one("math"))
    for gone in copy.select(".headerlink, button, script, form, details"):
        gone.decompose()
    for tag in copy.find_all(["a", "span", "p", "figcaption", "div"]):
        tag.unwrap()
    for note in copy.select("annotation"):
        note.decompose()
    return str(copy).strip()


def _question(entity, article, address):
    head = f"<h2>{html.escape(entity.title)}</h2>"
    if isinstance(entity, Task):
        options = "".join(f"<li>{html.escape(o.says)} {_equation(article, address, i)}</li>"
                          for i, o in enumerate(entity.choices()))  # fmt: skip
        return f'<p class="kind">Question</p>{head}<p>{html.escape(entity.words(entity.ask, 0))}</p><ol>{options}</ol>'
    assert isinstance(entity, Exercise)
    prompt = article.select_one(f'mc-exercise[data-address="{address}"] .mc-prompt')
    return f'<p class="kind">Question</p>{head}<p>{_plain(prompt) if prompt else ""}</p>'


def _equation(article, address, index):
    options = article.select(f'mc-task[data-address="{address}"] .mc-option-says')
    shown = options[index].select_one("math") if index < len(options) else None
    return _plain(shown) if shown is not None else ""


def _remembered(article):
    box = article.select_one('aside.mc-box[data-box="key"]')
    if box is None:
        return []
    lines = "".join(f"<li>{_plain(p)}</li>" for p in box.find_all("p")[1:])
    items = re.split(r"(?<=\.)\s+(?=[A-Z])", lines.removeprefix("<li>").removesuffix("</li>"))
    return [f"<h2>What to remember</h2><ul>{''.join(f'<li>{each}</li>' for each in items)}</ul>"]
