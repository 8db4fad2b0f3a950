"""Tables of the page for lecturers: plans by weeks with hours, and outcomes with the exercises that test them."""

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes

from mathbook import study_time
from mathbook.elements import HtmlElement, element, join_nodes, table, text_node
from mathbook.render_context import RenderContext, anchor
from mathbook.values import find_statement
from mathcore.library import current_library
from mathcore.number_format import NNBSP
from mathcore.types import AnyDict


def render_course_tables(ctx: RenderContext) -> Iterator[nodes.section]:
    """Yield the plans of the course and the outcomes of each chapter."""
    ctx.env.note_dependency(str(current_library.path("course.toml")))
    course = current_library.data("course.toml")
    for track in [{"title": study_time.weeks_title(course["week"]), "week": course["week"]}, *course["track"]]:
        section = nodes.section("", nodes.title("", track["title"]), ids=[anchor(track["title"]).lower()])
        section += [*_note(ctx, track), _weeks_table(ctx, track)]
        yield section
    section = nodes.section("", nodes.title("", "Learning outcomes"), ids=["learning-outcomes"])
    section += _outcomes(ctx, course)
    yield section


def _note(ctx: RenderContext, track: AnyDict) -> list[nodes.Node]:
    return [nodes.paragraph("", "", *ctx.inline(track["skip"]))] if "skip" in track else []


def _weeks_table(ctx: RenderContext, track: AnyDict) -> HtmlElement:
    chapters, rows = Path(ctx.env.srcdir) / "book" / "chapters", []
    for number, week in enumerate(track["week"], 1):
        names = [*week["read"], *([week["lab"]] if "lab" in week else [])]
        minutes = study_time.week_minutes(chapters, week)
        read = join_nodes([_link(ctx, name)] for name in names)
        rows.append([f"{number}", read, week["aim"], f"{minutes / 60:.1f}{NNBSP}h"])
    return table(track["title"], ["Week", "Chapters and labs", "Aim", "Hours outside class"], rows)


def _link(ctx: RenderContext, name: str) -> HtmlElement:
    title = name.replace("lab-", "lab: ").replace("-", " ")
    href = ctx.env.app.builder.get_relative_uri(ctx.docname, f"book/chapters/{name}/index")
    return element("a", "", text_node(title), href=href)


def _outcomes(ctx: RenderContext, course: AnyDict) -> HtmlElement:
    rows = []
    for name, outcomes in course["outcomes"].items():
        pages = (f"book/chapters/{name}/exercises", f"book/chapters/{name}/index")
        listed = next(page for page in pages if page in ctx.env.found_docs)
        page = ctx.env.app.builder.get_relative_uri(ctx.docname, listed)
        for index, (outcome, addresses) in enumerate(outcomes):
            tested = [
                [element("a", "", *ctx.inline(find_statement(a).title), href=f"{page}#{anchor(a)}")] for a in addresses
            ]
            rows.append([[_link(ctx, name)] if not index else "", ctx.inline(outcome), join_nodes(tested, "; ")])
    return table("Learning outcomes", ["Chapter", "After it you can", "Tested by"], rows)
