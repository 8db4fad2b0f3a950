"""The page that links to all parts of the lecturers' folder, with the weeks of the course and their hours."""

import html
import re
from pathlib import Path
from typing import NamedTuple

from mathbook import built_pages, study_time
from mathbook.exercises import difficulty
from mathbook.render_context import anchor

from course.pages import html_document, table_row
from mathcore import find
from mathcore.library import current_library as stated_in

HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
BLOCK_ADDRESS = re.compile(r'<mc-(?:exercise|task|question|open)\b[^>]*data-address="([^"]+)"')
OTHER_PLANS = """<p>Plans of {}, and the learning outcomes, are on the page
<a href="../html/book/appendices/for-lecturers.html">For lecturers</a>.</p>"""
TAG = re.compile(r"<[^>]*>")


class CoursePlan(NamedTuple):
    """The course: the declared plan, for each page its title, and the recommended exercises of each chapter.

    `places` maps a chapter to its first page and an exercise to its page; `chapters` is the folder of their sources.
    """

    declared: dict
    titles: dict
    paths: dict
    places: dict
    chapters: Path

    @property
    def pages(self):
        """Return the chapters in their order."""
        return [page for week in self.declared["week"] for page in week["read"]]

    def homework_minutes(self, week):
        """Return the minutes of a week outside the lecture: reading with formulas, exercises, and the lab."""
        return round(study_time.week_minutes(self.chapters, week))


def read_plan(book):
    """Return the plan of a built book.

    Raises: PageNotBuilt, with the page that is missing.
    """
    declared, paths = stated_in.data("course.toml"), stated_in.data("recommended_exercises.toml")
    chapters = [page for week in declared["week"] for page in week["read"]]
    titles, places = {}, {}
    for page in [*chapters, *(week["lab"] for week in declared["week"] if "lab" in week)]:
        pages = built_pages.chapter_pages(book, page)
        texts = {each: built_pages.read_page(book, each) for each in pages}
        places |= {page: pages[0]}
        places |= {address: each for each, text in texts.items() for address in BLOCK_ADDRESS.findall(text)}
        titles[page] = html.unescape(TAG.sub("", HEADING.search(texts[pages[0]])[1])).strip().rstrip("#¶")
    return CoursePlan(declared, titles, paths, places, Path(book.folder) / "book" / "chapters")


def index_page(plan):
    """Return the text of index.html: where everything is, and the weeks."""
    title = plan.declared["title"]
    parts = [
        f"<h1>{html.escape(title)}: a course</h1>",
        _contents(plan),
        f"<h2>{study_time.weeks_title(plan.declared['week'])}</h2>",
        OTHER_PLANS.format(" and ".join(track["title"].lower() for track in plan.declared["track"])),
        _weeks(plan),
    ]
    return html_document("A course", "\n".join([*parts, "<h2>Homework</h2>", _paths(plan)]))


def _contents(plan):
    exams = "".join(
        f'<li><a href="exams/{e["name"]}.html">{html.escape(e["title"])}</a>, after week {e["after"]}, '
        f"{e['minutes']} min "
        f'(<a href="exams/{e["name"]}-key.html">key</a>, <a href="exams/{e["name"]}-moodle.xml">Moodle</a>, '
        f'<a href="exams/{e["name"]}-qti.zip">QTI</a>)</li>'
        for e in plan.declared["exam"]
    )
    return f"""<p>For the first class: open its <a href="slides/{plan.pages[0]}/slides.html">slides</a> (key S shows the
speaker's notes, <code>?print-pdf</code> at the end of the address prints them), hand out the
<a href="texts/project.html">project</a>, and assign the homework below.</p>
<ul><li>Slides with notes and questions: linked in each week</li>
<li><a href="texts/project.html">The project over the term</a>, and <a href="texts/rubrics.html">rubrics with model
answers</a> for ledgers, milestones, defence and exams; an <a href="answers.html">answer guide</a> for the
labs</li>{exams}
<li>Keys of all variants: <a href="keys/exercises.csv">exercises</a>, <a href="keys/tasks.csv">tasks</a>,
<a href="keys/labs.csv">labs in each context</a>; the <a href="../instructor/html/index.html">edition with keys in
place</a></li>
<li><a href="banks/README.md">Question banks</a> for Moodle and QTI</li></ul>
<p>In the folder of the book, <code>make course ARGS="--seed 7"</code> draws other numbers for the exams;
<code>ARGS="--students names.txt"</code> gives each student numbers of their own for the homework;
<code>ARGS="--teams teams.txt"</code> gives each team a context of each lab;
<code>.venv/bin/python -m mathcore grade FOLDER</code> marks the ledgers that students export.</p>"""


def _weeks(plan):
    rows = [table_row("th", "Week", "Aim", "Read", "Lab", "Lecture", "Outside class")]
    for number, week in enumerate(plan.declared["week"], 1):
        read = "<br>".join(f'{_link(plan, p)} (<a href="slides/{p}/slides.html">slides</a>)' for p in week["read"])
        lab = f"{_link(plan, week['lab'])} ({week['lab_minutes']} min)" if "lab" in week else ""
        title = f"<b>{number}. {html.escape(week['title'])}</b>"
        minutes = (f"{week['lecture']} min", f"{plan.homework_minutes(week) / 60:.1f} h")
        rows.append(table_row("td", title, html.escape(week["aim"]), read, lab, *minutes))
    lectures = sum(week["lecture"] for week in plan.declared["week"])
    alone = sum(plan.homework_minutes(week) for week in plan.declared["week"])
    rows.append(table_row("td", "Together", "", "", "", f"{lectures / 60:.0f} h", f"{alone / 60:.0f} h", kind="sum"))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _paths(plan):
    rows = [table_row("th", "Chapter", "Exercises")]
    for name in (name for name in plan.pages if name in plan.paths):
        links = "<br>".join(
            f'<a href="../html/{plan.places[a]}.html#{anchor(a)}">{html.escape(find(a).title)}</a> '
            f"{'●' * difficulty(find(a))}"
            for a in plan.paths[name]
        )
        rows.append(table_row("td", _link(plan, name), links))
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _link(plan, name):
    subject, _, rest = plan.titles[name].partition(":")
    title = rest.strip() if name.startswith("lab-") and rest.strip() else subject
    return f'<a href="../html/{plan.places[name]}.html">{html.escape(title)}</a>'
