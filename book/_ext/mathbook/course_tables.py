"""Tables of the page for lecturers: plans by weeks with hours, and outcomes with the exercises that test them.

Hours are estimated from the sources of the pages: words at a reading speed, minutes for each formula, decision and
calculator, and minutes for the recommended exercises by their difficulty.
"""

import re
from pathlib import Path

from docutils import nodes

from mathbook.elements import element, table, words
from mathbook.exercises import difficulty
from mathbook.render_context import anchor
from mathbook.values import lookup
from mathcore.library import book
from mathcore.units import NARROW

NOT_READ = re.compile(r"(?ms)^```\{code-cell\}.*?^```|\{mc:assert\}`[^`]*`|<!--.*?-->")
STATEMENT = re.compile(r"(?m)^:+\{mc:(?:statement|calculator|explorer)\}")
NOT_READ_PAGES = ("exercises.md", "slides.md")


def tables(ctx):
    """Yield the plans of the course and the outcomes of each chapter."""
    ctx.env.note_dependency(str(book.path("course.toml")))
    course = book.data("course.toml")
    for track in [{"title": "Ten weeks", "week": course["week"]}, *course["track"]]:
        section = nodes.section("", nodes.title("", track["title"]), ids=[anchor(track["title"]).lower()])
        section += [*_note(ctx, track), _weeks(ctx, course, track)]
        yield section
    section = nodes.section("", nodes.title("", "Learning outcomes"), ids=["learning-outcomes"])
    section += _outcomes(ctx, course)
    yield section


def _note(ctx, track):
    return [nodes.paragraph("", "", *ctx.inline(track["skip"]))] if "skip" in track else []


def _weeks(ctx, course, track):
    chapters, rows = Path(ctx.env.srcdir) / "book" / "chapters", []
    for number, week in enumerate(track["week"], 1):
        names = [*week["read"], *([week["lab"]] if "lab" in week else [])]
        minutes = sum(minutes_of(chapters / name, course) for name in week["read"]) + week.get("lab_minutes", 0)
        read = _joined([_link(ctx, name) for name in names], ", ")
        rows.append([f"{number}", read, week["aim"], f"{minutes / 60:.1f}{NARROW}h"])
    return table(track["title"], ["Week", "Chapters and labs", "Aim", "Hours outside class"], rows)


def _joined(parts, between):
    """Return nodes with a text between them."""
    return [node for part in parts for node in (words(between), part)][1:]


def _link(ctx, name):
    title = name.replace("lab-", "lab: ").replace("-", " ")
    href = ctx.env.app.builder.get_relative_uri(ctx.docname, f"book/chapters/{name}/index")
    return element("a", "", words(title), href=href)


def minutes_of(folder, course):
    """Return the minutes that a chapter in `folder` takes outside class: reading with formulas, recommended exercises.

    `course` is the content of course.toml.
    """
    pages = [path for path in sorted(folder.glob("*.md")) if path.name not in NOT_READ_PAGES]
    text = "\n".join(path.read_text("utf-8") for path in pages)
    reading = len(NOT_READ.sub(" ", text).split()) / course["words_a_minute"]
    formulas = len(STATEMENT.findall(text)) * course["statement_minutes"]
    path = book.data("recommended_exercises.toml").get(folder.name, [])
    return reading + formulas + sum(course["exercise_minutes"][difficulty(lookup(a)) - 1] for a in path)


def _outcomes(ctx, course):
    rows = []
    for name, outcomes in course["outcomes"].items():
        pages = (f"book/chapters/{name}/exercises", f"book/chapters/{name}/index")
        listed = next(page for page in pages if page in ctx.env.found_docs)
        page = ctx.env.app.builder.get_relative_uri(ctx.docname, listed)
        for index, (outcome, addresses) in enumerate(outcomes):
            tested = [element("a", "", *ctx.inline(lookup(a).title), href=f"{page}#{anchor(a)}") for a in addresses]
            rows.append([[_link(ctx, name)] if not index else "", ctx.inline(outcome), _joined(tested, "; ")])
    return table("Learning outcomes", ["Chapter", "After it you can", "Tested by"], rows)
