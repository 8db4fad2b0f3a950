"""The syllabus for ten weeks and for a workshop: minutes of reading are counted, those of exercises added up."""

import html
import re
from typing import NamedTuple

from bs4 import BeautifulSoup
from exports.collecting import Unbuilt
from mathbook.exercises import difficulty
from mathbook.scribe import anchor

from mathcore import find
from mathcore.library import DATA
from mathcore.tables import parsed

HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
PLAIN = re.compile(r"<[^>]*>")
# What stands in a page and is not read line by line.
UNREAD = re.compile(r"<(script|svg|table|form|details|math|mc-explorer)\b.*?</\1>", re.DOTALL)
STYLE = """body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1a1f27; }
body { font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-size: .92rem; }
th, td { border: 1px solid #c9d1db; padding: .45rem .6rem; text-align: left; vertical-align: top; }
td.n { text-align: right; white-space: nowrap; } .scroll { overflow-x: auto; }
@media print { a { color: inherit; } tr { break-inside: avoid; } }"""


class Plan(NamedTuple):
    """What the course is: the stated plan, the pages in order, their titles, minutes of reading, and paths."""

    stated: dict
    pages: list
    titles: dict
    reading: dict
    paths: dict

    def exercises(self, page):
        """Return the minutes of a page's path."""
        by_level = self.stated["exercise_minutes"]
        return sum(by_level[difficulty(find(address)) - 1] for address in self.paths.get(page, []))


def plan(book):
    """Return the plan of a built book.

    Raises: Unbuilt, with the page that is missing.
    """
    stated, paths = parsed(DATA / "course.toml")[0], parsed(DATA / "paths.toml")[0]
    pages = [page for week in stated["week"] for page in week["read"]]
    labs = [week["lab"] for week in stated["week"] if "lab" in week]
    titles, reading = {}, {}
    for page in [*pages, *labs]:
        text = _text(book, page)
        titles[page] = html.unescape(PLAIN.sub("", HEADING.search(text)[1])).strip().rstrip("#¶")
        reading[page] = round(len(PLAIN.sub(" ", UNREAD.sub(" ", text)).split()) / stated["words_a_minute"])
    return Plan(stated, pages, titles, reading, paths)


def built(book, page):
    """Return the article of a built chapter."""
    return BeautifulSoup(_text(book, page), "html.parser")


def _text(book, page):
    """Return the HTML of a chapter's article."""
    path = book.whole_page(f"book/chapters/{page}")
    if not path.exists():
        raise Unbuilt(f"{book.shown(path)} is not there: run `make book`")
    return path.read_text("utf-8").partition("<article")[2].partition("</article>")[0].partition(">")[2]


def page(plan):
    """Return index.html: both plans, and where everything in the folder is."""
    parts = [f"<h1>{html.escape(plan.stated['title'])}: a course</h1>", _lead(), "<h2>Ten weeks</h2>", _weeks(plan)]
    parts += ["<h2>A workshop of two days</h2>", _workshop(plan), "<h2>Paths of exercises</h2>", _paths(plan)]
    return document("A course", "\n".join(parts))


def document(title, body, style=STYLE):
    """Return a page that stands alone."""
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"{meta}<title>{html.escape(title)}</title><style>{style}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _lead():
    return """<p>In this folder: <a href="slides/">slides</a> of every chapter, <a href="rubric.html">a rubric</a> for
the labs' ledgers, <a href="keys/exercises.csv">keys of all variants</a>, <a href="keys/tasks.csv">of the tasks</a> and
<a href="keys/labs.csv">of each lab in each context</a>, and <a href="banks/README.md">question banks</a>. The
edition with all keys in place is <a href="../instructor/html/index.html">beside it</a>. For numbers of their own,
<code>python -m course --students names.txt</code> writes a link and an answer for each student and exercise.
Ledgers that students hand in are marked by <code>python -m mathcore grade FOLDER</code>.</p>"""


def _weeks(plan):
    rows = ["<tr><th>Week</th><th>Aim</th><th>Read</th><th>Do</th><th>Lecture</th><th>Alone</th></tr>"]
    for number, week in enumerate(plan.stated["week"], 1):
        read = "<br>".join(f"{_link(plan, p)} ({plan.reading[p]} min; {_slides(p)})" for p in week["read"])
        alone = sum(plan.reading[p] + plan.exercises(p) for p in week["read"]) + week.get("lab_minutes", 0)
        do = [f"path of {_link(plan, p)} ({plan.exercises(p)} min)" for p in week["read"] if p in plan.paths]
        if "lab" in week:
            do.append(f"{_link(plan, week['lab'])} ({week['lab_minutes']} min)")
        title = f"{number}. {html.escape(week['title'])}"
        rows.append(
            f"<tr><td><b>{title}</b></td><td>{html.escape(week['aim'])}</td><td>{read}</td><td>{'<br>'.join(do)}</td>"
            f'<td class="n">{week["lecture"]} min</td><td class="n">{alone} min</td></tr>'
        )
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _slides(page):
    return f'<a href="slides/{page}.html">slides</a>'


def _workshop(plan):
    rows = ["<tr><th>Day</th><th>What</th><th>How</th><th>Pages</th><th>Minutes</th></tr>"]
    for each in plan.stated["session"]:
        pages = ", ".join(_link(plan, page) for page in each["pages"])
        rows.append(
            f"<tr><td>{each['day']}</td><td>{html.escape(each['title'])}</td><td>{html.escape(each['kind'])}</td>"
            f'<td>{pages}</td><td class="n">{each["minutes"]}</td></tr>'
        )
    for day in sorted({each["day"] for each in plan.stated["session"]}):
        total = sum(each["minutes"] for each in plan.stated["session"] if each["day"] == day)
        rows.append(f'<tr><td colspan="4">Day {day}, without breaks</td><td class="n">{total}</td></tr>')
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _paths(plan):
    rows = ["<tr><th>Chapter</th><th>Exercises</th><th>Minutes</th></tr>"]
    for page, path in plan.paths.items():
        links = "<br>".join(
            f'<a href="../html/book/chapters/{page}.html#{anchor(a)}">{html.escape(find(a).title)}</a> '
            f"{'●' * difficulty(find(a))}"
            for a in path
        )
        rows.append(f'<tr><td>{_link(plan, page)}</td><td>{links}</td><td class="n">{plan.exercises(page)}</td></tr>')
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _link(plan, page):
    return f'<a href="../html/book/chapters/{page}.html">{html.escape(plan.titles[page].partition(":")[0])}</a>'


RUBRIC = (
    ("Predictions", "right_first", "Share of the questions whose first answer was right. Graded by the program."),
    ("Guesses", "median_factor", "How far guesses were off: within a factor of two counts in full, beyond four not."),
    ("Reasons", "reasons", "A sentence for each commitment. The program counts them; whether they reason you judge: a "
     "mechanism and a number (2), a mechanism (1), a feeling (0)."),
    ("Moved", "ledger", "Where a later commitment differs from the first: does the reason name what changed the mind?"),
    ("Design", "ledger", "The final state: does it keep every promise of the context, and what does it cost?"),
    ("Verdict", "written", "Half a page: sign or not, on which number it turns, and how sure that is."),
)  # fmt: skip


def rubric():
    """Return the rubric for a lab's ledger."""
    rows = "".join(f"<tr><td><b>{a}</b></td><td><code>{b}</code></td><td>{c}</td></tr>" for a, b, c in RUBRIC)
    body = f"""<h1>Rubric for a lab's ledger</h1>
<p>Students export their ledger from the book's page and hand in the file.
<code>python -m mathcore grade FOLDER</code> computes every verdict anew, writes one line for each lab and context, and
names what it refuses: a file that says of itself that it is right is not believed.</p>
<table><tr><th>Part</th><th>Column</th><th>What counts</th></tr>{rows}</table>
<p>Predictions are marked lightly, if at all: a first answer that is wrong and a reason that is good teach more than
a right one without. Grade reasons, design and verdict.</p>"""
    return document("Rubric", body)
