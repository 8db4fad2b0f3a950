"""Slides of a chapter, cut from its built page.

The opening is the decision and the guess that the page asks for. A section becomes a slide with its first
sentences, its formulas and their letters; each of its pictures and boxes becomes one more. What the path of
exercises asks becomes a question and, on the slide after it, the answer; the box to remember ends the deck.
"""

import html
import re

from bs4 import BeautifulSoup

from course.stylesheet import SCRIPT, slide_style
from course.syllabus import chapter_article, document
from mathcore import find
from mathcore.teaching import Task

SKIPPED_SECTIONS = ("Exercises", "Sources", "What to remember", "Three questions of judgement", "How to use a page")
MAX_SENTENCES = 3
OMITTED_CLASSES = {"mc-asked", "mc-because", "mc-effects"}  # of a solution: that is for reading, not for a wall
MAX_SYMBOLS = 6  # more would be a table
MAX_ITEMS = 5
PAGE_INSTRUCTION = re.compile("(Open|Press|Click|Copy|Fold) the ")  # what one does with a page
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z“<])")


def slide_deck(book, page, path):
    """Return the slides of a page; `path` are the addresses of the exercises that are asked."""
    article = chapter_article(book, page)
    slides = [*_opening(article)]
    for section in article.find_all("section"):
        head = section.find(["h2", "h3"], recursive=False)
        if head is not None and _heading_text(head) not in SKIPPED_SECTIONS:
            slides += _section(_heading_text(head), section)
    for address in path:
        slides += _exercise_slides(find(address), article, address)
    slides += _summary_slide(article)
    title = _heading_text(article.h1)
    body = "".join(
        f'<section><div class="slide">{inside}</div><footer><span>{html.escape(title.partition(":")[0])}</span>'
        f"<span>{number} / {len(slides)}</span></footer></section>"
        for number, inside in enumerate(slides, 1)
    )
    return document(title, f"{body}<script>{SCRIPT}</script>", slide_style(book))


def _heading_text(head):
    """Return the words of a heading, without the sign that links to it."""
    return " ".join(head.get_text().split()).rstrip("#¶").strip()


def _opening(article):
    """Return the title, the decision with which the page begins, and the guess that it asks for."""
    subject, _, question = _heading_text(article.h1).partition(":")
    first = f"<h1><small>{html.escape(subject)}</small>{html.escape(question.strip() or subject)}</h1><p></p>"
    top = article.find("section") if article.h1.parent.name == "section" else article
    found = [first]
    if lead := _sentences(top.find_all("p", recursive=False)[:1], 5):
        found.append(f"<h2>What has to be decided</h2>{lead}")
    guess = top.find(["mc-exercise", "mc-question"], recursive=False)
    if guess is not None and (prompt := guess.select_one(".mc-prompt")):
        options = "".join(f"<li>{_plain(each)}</li>" for each in guess.select(".mc-option-says"))
        listed = f"<ol>{options}</ol>" if options else ""
        found.append(f'<p class="kind">Commit first</p><h2>{_title(guess)}</h2><p>{_plain(prompt)}</p>{listed}')
    return found


def _title(block):
    return html.escape(_heading_text(block.select_one(".mc-title"))) if block.select_one(".mc-title") else ""


def _section(head, section):
    """Return the slides of a section: its words and formulas, its pictures, its boxes."""
    own = [child for child in section.find_all(True, recursive=False) if child.name != "section"]
    pictures = [f for child in own for f in _select(child, "figure.mc-figure") if f.find("svg")]
    pictures += [f for child in own for f in _select(child, "mc-explorer") if f.select_one(".mc-plot svg")]
    formulas = [f for child in own if "mc-box" not in child.get("class", []) for f in _select(child, ".mc-formula")]
    head = f"<h2>{html.escape(head)}</h2>"
    words = _sentences([child for child in own if child.name == "p"][:2], MAX_SENTENCES)
    parts = [_formula(formulas[0])] if formulas else []
    extra = _example(own) + _measured(own)
    parts += [_formula(formulas[-1])] if len(formulas) > 1 and not extra else []
    if parts or extra or not pictures:
        slides = [head + words + "".join(parts) + extra] if parts or extra or words else []
    else:
        slides = [head + words + _picture(pictures.pop(0))]
    slides += [head + _picture(each) for each in pictures]
    return [*slides, *(_admonition(box) for child in own for box in _select(child, "aside.mc-box") if _is_shown(box))]


def _select(child, selector):
    name, _, kind = selector.partition(".")
    if name in ("", child.name) and (not kind or kind in child.get("class", [])):
        return [child]
    return child.select(selector)


def _formula(formula):
    """Return a formula with the meaning of its letters."""
    equation = formula.select_one(".mc-equation math")
    if equation is None:
        return ""
    rows = [row.find_all("td") for row in formula.select(".mc-symbols tr")]
    symbols = [f"<li>{_plain(row[0])}: {_plain(row[1])}</li>" for row in rows if len(row) > 1]
    where = f'<ul class="letters small">{"".join(symbols)}</ul>' if 0 < len(symbols) <= MAX_SYMBOLS else ""
    return f'<div class="formula">{_plain(equation)}{where}</div>'


def _example(own):
    example = next((found for child in own for found in _select(child, ".mc-example")), None)
    if example is None or not (equation := example.select_one(".mc-step math")):
        return ""
    givens = example.select_one(".mc-givens")
    return f'<div class="card"><p class="small">{_plain(givens)}</p>{_plain(equation)}</div>'


def _measured(own):
    """Return what measurements say of the section's formulas, a line each."""
    heads = [head for child in own for head in child.select(".mc-comparison .mc-head")]
    heads += [head for child in own if "mc-comparison" in child.get("class", []) for head in child.select(".mc-head")]
    lines = "".join(f"<li>{_plain(head)}</li>" for head in heads[:2])
    return f'<ul class="small">{lines}</ul>' if lines else ""


def _picture(figure):
    if figure.name == "mc-explorer":
        drawing = figure.select_one(".mc-plot svg")
        caption = f"<b>{_plain(figure.select_one('.mc-head'))}</b> The page plays it: move a slider and watch."
    else:
        drawing = figure.select_one(".mc-layout-wide svg") or figure.select_one("svg")
        caption = (
            " ".join(_first_sentences(_plain(figure.find("figcaption")), MAX_SENTENCES))
            if figure.find("figcaption")
            else ""
        )
    return f'<div class="picture mc-draw">{drawing}</div><p class="caption">{caption}</p>'


def _is_shown(box):
    return box.get("data-box") in ("when", "print")


def _admonition(box):
    """Return a box of limits or of an error in print as a slide."""
    head = f'<p class="kind">{"Limits" if box["data-box"] == "when" else "As published"}</p>'
    head += f"<h2>{html.escape(box.get('aria-label', ''))}</h2>"
    items = [f"<li>{_plain(item)}</li>" for item in box.select("ul.simple > li")][:MAX_ITEMS]
    if items:
        return f"{head}<ul>{''.join(items)}</ul>"
    formula = "".join(_formula(each) for each in box.select(".mc-formula")[:1])
    return head + _sentences(box.find_all("p", recursive=False)[1:3], MAX_SENTENCES + 1) + formula


def _sentences(paragraphs, count):
    """Return the first sentences of some paragraphs, as one."""
    lines = [line for each in paragraphs for line in _first_sentences(_plain(each), count)]
    return f"<p>{' '.join(lines[:count])}</p>" if lines else ""


def _first_sentences(text, count):
    lines = SENTENCE.split(" ".join(text.split()))
    return [line for line in lines if line and not PAGE_INSTRUCTION.match(line)][:count]


def _plain(part):
    """Return the words of a part as HTML, with its mathematics as MathML and nothing that needs a script."""
    copy = BeautifulSoup(str(part), "html.parser")
    for equation in copy.select(".katex"):
        equation.replace_with(equation.select_one("math"))
    for gone in copy.select(".headerlink, .eqno, .bibtex-citation, button, script, form, details, annotation"):
        gone.decompose()
    for tag in copy.find_all(["a", "span", "p", "figcaption", "div", "caption", "td", "li"]):
        tag.unwrap()
    return re.sub(r"\s+([.,;:])", r"\1", str(copy).strip())


def _exercise_slides(entity, article, address):
    """Return a question, and on a slide of its own the answer."""
    block = article.select_one(f'[data-address="{address}"]:is(mc-exercise, mc-task)')
    if block is None:
        return []
    head = f"<h2>{html.escape(entity.title)}</h2>"
    table = block.select_one(".mc-scroll table")
    options = "".join(f"<li>{_plain(each)}</li>" for each in block.select(".mc-option-says"))
    question = f"<p>{_plain(block.select_one('.mc-ask') or block.select_one('.mc-prompt'))}</p>"
    question += (str(table) if table else "") + (f"<ol>{options}</ol>" if options else "")
    solution = _option_reasons(block) if isinstance(entity, Task) else _solution(block)
    return [
        f'<p class="kind">Question</p>{head}{question}',
        f'<p class="kind">Answer</p>{head}<div class="answer">{solution}</div>',
    ]


def _option_reasons(block):
    """Return why each option of a task is right or not."""
    return "<ol>" + "".join(
        f'<li{" class=right" if each.get("data-verdict") == "right" else ""}>{_plain(each)}</li>'
        for each in block.select(".mc-whys > li")
    ) + "</ol>"  # fmt: skip


def _solution(block):
    """Return the worked solution of an exercise: its lines and the common mistakes."""
    solution = block.select_one(".mc-solution > div")
    parts = []
    for part in solution.find_all(True, recursive=False):
        if part.select_one(".mc-line") or OMITTED_CLASSES & set(part.get("class", [])):
            continue  # the same in one line, and what the question has said already
        parts += [_plain(each) for each in part.select("math[display=block]")]
        if not part.select_one("math[display=block]"):
            lines = part.select("li")
            paragraphs = [f"<p>{_plain(each)}</p>" for each in _select(part, "p")]
            parts += [
                *paragraphs,
                *([f"<ul>{''.join(f'<li>{_plain(li)}</li>' for li in lines)}</ul>"] if lines else []),
            ]
    return "".join(parts)


def _summary_slide(article):
    box = article.select_one('aside.mc-box[data-box="key"]')
    if box is None:
        return []
    items = [_plain(item) for item in box.select("li")]
    items = items or [line for p in box.find_all("p")[1:] for line in _first_sentences(_plain(p), 2 * MAX_ITEMS)]
    return [f"<h2>What to remember</h2><ul>{''.join(f'<li>{each}</li>' for each in items)}</ul>"]
