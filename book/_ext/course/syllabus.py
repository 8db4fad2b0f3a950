"""The syllabus for ten weeks and for a workshop, with estimated minutes of reading and exercises."""

import html
import re
from collections import Counter
from typing import NamedTuple

from bs4 import BeautifulSoup
from exports.question_bank import is_guess
from mathbook import built_pages
from mathbook.code_references import chapter_of
from mathbook.exercises import difficulty
from mathbook.render_context import anchor

from mathcore import find
from mathcore.library import book as stated_in
from mathcore.teaching.tasks import KINDS, Task

HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
BLOCK_ADDRESS = re.compile(r'<mc-(?:exercise|task|question)\b[^>]*data-address="([^"]+)"')
EXERCISE_ADDRESS = re.compile(r'<mc-exercise\b[^>]*data-address="([^"]+)"')
TAG = re.compile(r"<[^>]*>")
# Parts of a page that are not read line by line.
NOT_READ = re.compile(r"<(script|svg|table|form|details|math|mc-explorer)\b.*?</\1>", re.DOTALL)
FRAME_SELECTOR = ".mc-breadcrumb, .mc-pages, .mc-page-contents, .mc-subpage > .mc-about"  # links between pages
STYLE = """body { max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; color: #22252a; background: #fffdf9;
  font: 1rem/1.5 system-ui, sans-serif; }
h1, h2 { font-family: Georgia, serif; line-height: 1.2; } a { color: #0c5c68; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #d9d4c7; padding: .45rem .6rem; text-align: left; vertical-align: top; }
th { background: #f5f2ea; } td.n, th.n { text-align: right; white-space: nowrap; } .scroll { overflow-x: auto; }
tr.sum td { font-weight: 600; border-top: 2px solid #5b5f66; }
@media print { body { background: none; } a { color: inherit; } tr { break-inside: avoid; } }"""


class Plan(NamedTuple):
    """The course: the declared plan, the pages in order, and for each page its title, minutes and exercises.

    `reading` has the minutes of reading, `paths` the recommended exercises. `computed` lists the exercises of a page
    that have one number as the answer, predictions left out; `places` maps a chapter to its first page and an exercise
    to its page.
    """

    declared: dict
    pages: list
    titles: dict
    reading: dict
    paths: dict
    computed: dict
    places: dict

    def exercise_minutes(self, page):
        """Return the minutes that the recommended exercises of a page take."""
        by_level = self.declared["exercise_minutes"]
        return sum(by_level[difficulty(find(address)) - 1] for address in self.paths.get(page, []))

    def homework_minutes(self, week):
        """Return the minutes of a week's work outside the lecture: reading, exercises, and the lab."""
        return sum(self.reading[p] + self.exercise_minutes(p) for p in week["read"]) + week.get("lab_minutes", 0)

    def name(self, page):
        """Return the name of a page in tables: for a lab, the part of its title after the colon."""
        subject, _, rest = self.titles[page].partition(":")
        return rest.strip() if page.startswith("lab-") and rest.strip() else subject


def plan(book):
    """Return the plan of a built book.

    Raises: PageNotBuilt, with the page that is missing.
    """
    declared, paths = stated_in.data("course.toml"), stated_in.data("recommended_exercises.toml")
    pages = [page for week in declared["week"] for page in week["read"]]
    labs = [week["lab"] for week in declared["week"] if "lab" in week]
    titles, reading, computed, places = {}, {}, {}, {}
    for page in [*pages, *labs]:
        text = _text(book, page)
        places |= _page_locations(book, page)
        titles[page] = html.unescape(TAG.sub("", HEADING.search(text)[1])).strip().rstrip("#¶")
        reading[page] = round(len(TAG.sub(" ", NOT_READ.sub(" ", text)).split()) / declared["words_a_minute"])
        addresses = EXERCISE_ADDRESS.findall(text)
        computed[page] = [address for address in addresses if not is_guess(address)]
    return Plan(declared, pages, titles, reading, paths, computed, places)


def chapter_article(book, chapter):
    """Return a built chapter as one article; its further pages follow the first, one heading level lower."""
    first, *further = [BeautifulSoup(built_pages.articles(book, [page]), "html.parser").h1.parent
                       for page in built_pages.pages_of(book, chapter)]  # fmt: skip
    for part in first.select(FRAME_SELECTOR):
        part.decompose()
    for page in further:
        for part in page.select(FRAME_SELECTOR):
            part.decompose()
        sections = page.find_all("section", recursive=False)
        if page.find(["p", "mc-exercise", "mc-question", "mc-task", "aside"], recursive=False) or not sections:
            page.h1.name = "h2"
            first.append(page)
        else:
            for section in sections:
                first.append(section)
    return first


def _page_locations(book, chapter):
    """Return `{chapter: its first page}` and `{address of an exercise: its page}` as one mapping."""
    pages = built_pages.pages_of(book, chapter)
    found = {address: page for page in pages for address in BLOCK_ADDRESS.findall(built_pages.text(book, page))}
    return {chapter: pages[0], **found}


def _text(book, chapter):
    """Return the HTML of the articles of a chapter."""
    return built_pages.articles(book, built_pages.pages_of(book, chapter))


def page(plan):
    """Return the text of index.html: both plans, and links to everything in the folder."""
    parts = [f"<h1>{html.escape(plan.declared['title'])}: a course</h1>", _intro(), "<h2>Ten weeks</h2>", _weeks(plan)]
    parts += ["<h2>A workshop of two days</h2>", _workshop(plan), "<h2>Paths of exercises</h2>", _paths(plan)]
    parts += ["<h2>What there is to ask</h2>", _exercise_counts(plan)]
    return document("A course", "\n".join(parts))


def document(title, body, style=STYLE):
    """Return a complete HTML page."""
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"{meta}<title>{html.escape(title)}</title><style>{style}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _intro():
    return """<p>In this folder: <a href="slides/">slides</a> of every chapter, <a href="rubric.html">a rubric</a> for
the labs' ledgers, <a href="answers.html">an answer guide</a> for them,
<a href="keys/exercises.csv">keys of all variants</a>, <a href="keys/tasks.csv">of the tasks</a> and
<a href="keys/labs.csv">of each lab in each context</a>, and <a href="banks/README.md">question banks</a>. The
edition with all keys in place is <a href="../instructor/html/index.html">next to it</a>. For numbers of their own,
<code>python -m course --students names.txt</code> writes a link and an answer for each student and exercise;
<code>--teams teams.txt</code> gives each team a context of each lab.
Ledgers that students hand in are marked by <code>python -m mathcore grade FOLDER</code>.</p>"""


def _weeks(plan):
    rows = [_row("th", "Week", "Aim", "Read", "Do", "Lecture", "Alone")]
    for number, week in enumerate(plan.declared["week"], 1):
        read = "<br>".join(f"{_link(plan, p)} ({plan.reading[p]} min; {_slides(p)})" for p in week["read"])
        do = [f"path of {_link(plan, p)} ({plan.exercise_minutes(p)} min)" for p in week["read"] if p in plan.paths]
        if "lab" in week:
            do.append(f"Lab: {_link(plan, week['lab'])} ({week['lab_minutes']} min)")
        title = f"<b>{number}. {html.escape(week['title'])}</b>"
        minutes = (f"{week['lecture']} min", f"{plan.homework_minutes(week)} min")
        rows.append(_row("td", title, html.escape(week["aim"]), read, "<br>".join(do), *minutes))
    lectures = sum(week["lecture"] for week in plan.declared["week"])
    alone = sum(plan.homework_minutes(week) for week in plan.declared["week"])
    rows.append(_row("td", "Together", "", "", "", f"{lectures / 60:.0f} h", f"{alone / 60:.0f} h", kind="sum"))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _row(tag, *cells, kind=""):
    """Return a table row; a cell that begins with a digit is aligned as a number."""
    inside = "".join(f"<{tag}{' class=n' if re.match('[0-9]', cell) else ''}>{cell}</{tag}>" for cell in cells)
    return f"<tr class={kind}>{inside}</tr>" if kind else f"<tr>{inside}</tr>"


def _slides(page):
    return f'<a href="slides/{page}.html">slides</a>'


def _workshop(plan):
    """Return the sessions of the workshop: required reading, exercises, and duration."""
    rows = [_row("th", "Day", "What", "How", "Pages", "Read before", "Minutes")]
    for each in plan.declared["session"]:
        pages = "<br>".join(_link(plan, page) for page in each["pages"])
        read = "<br>".join(f"{_link(plan, page)} ({plan.reading[page]} min)" for page in each.get("before", []))
        what, how = html.escape(each["title"]), html.escape(each["kind"])
        rows.append(_row("td", f"Day {each['day']}", what, how, pages, read, f"{each['minutes']}"))
    for day in sorted({each["day"] for each in plan.declared["session"]}):
        total = sum(each["minutes"] for each in plan.declared["session"] if each["day"] == day)
        rows.append(_row("td", f"Day {day}", "without breaks", "", "", "", f"{total}", kind="sum"))
    before = sum(plan.reading[page] for each in plan.declared["session"] for page in each.get("before", []))
    rows.append(_row("td", "Before", "all that is to be read", "", "", "", f"{before}", kind="sum"))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _paths(plan):
    rows = [_row("th", "Chapter", "Exercises", "Minutes")]
    for page in (page for page in plan.pages if page in plan.paths):
        links = "<br>".join(
            f'<a href="../html/{plan.places.get(a, plan.places[page])}.html#{anchor(a)}">'
            f"{html.escape(find(a).title)}</a> {'●' * difficulty(find(a))}"
            for a in plan.paths[page]
        )
        rows.append(_row("td", _link(plan, page), links, f"{plan.exercise_minutes(page)}"))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _exercise_counts(plan):
    """Return the table of exercises by chapter: those with one answer to compute, and those of each other kind."""
    rows = [_row("th", "Chapter", "Compute", *KINDS.values())]
    total = Counter()
    for page in plan.pages:
        modules = stated_in.modules(chapter_of(page))
        kinds = Counter(
            each.kind for name in modules for _, each in stated_in.statements(name) if isinstance(each, Task)
        )
        found = {"compute": len(plan.computed[page]), **kinds}
        total.update(found)
        rows.append(_row("td", _link(plan, page), *(f"{found.get(kind, 0)}" for kind in ("compute", *KINDS))))
    rows.append(_row("td", "Together", *(f"{total[kind]}" for kind in ("compute", *KINDS)), kind="sum"))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _link(plan, page):
    return f'<a href="../html/{plan.places[page]}.html">{html.escape(plan.name(page))}</a>'


RUBRIC = (  # part, who marks it, points, and what earns none, half and all of them
    ("Predictions", "program: right_first", 2, "none right", "half right the first time", "all right the first time"),
    ("Guesses", "program: median_factor", 2, "off by four or more", "off by three", "within a factor of two"),
    ("Reasons", "you; program counts: reasons", 5, "a feeling, or nothing", "a mechanism: what grows, what waits",
     "a mechanism and a number that it rests on"),
    ("Moved", "you", 3, "changed without a word, or kept against the numbers", "says that the instrument moved it",
     "names the quantity that changed the mind, or why nothing had to"),
    ("Design", "you, from the final state", 4, "misses a target of the context", "keeps all, at a cost not looked at",
     "keeps all, and the ledger shows what was given up for it"),
    ("Verdict", "you, half a page", 4, "no verdict, or none that follows", "follows from a computed figure",
     "says on which number it turns and how sure that number is"),
)  # fmt: skip


def rubric():
    """Return the rubric for a lab's ledger."""
    rows = [_row("th", "Part", "Marked by", "Points", "None", "Half", "All")]
    for part, who, points, *levels in RUBRIC:
        rows.append(_row("td", f"<b>{part}</b>", who, f"{points}", *levels))
    rows.append(_row("td", "Together", "", f"{sum(row[2] for row in RUBRIC)}", "", "", "", kind="sum"))
    body = f"""<h1>Rubric for a lab's ledger</h1>
<p>Students export their ledger from the book's page and hand in the file.
<code>python -m mathcore grade FOLDER</code> computes every verdict anew, writes one line for each lab and context, and
names what it refuses: a file that says of itself that it is right is not believed.</p>
<table>{"".join(rows)}</table>
<p>Predictions weigh little: a first answer that is wrong with a reason that is good teaches more than a right one
without. A later commitment is appended and the first stays, so a ledger shows who moved, and by how much.</p>"""
    return document("Rubric", body)
