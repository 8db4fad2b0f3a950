"""Tasks and open exercises of a page, complete without scripts: prompt, options, and the folded solution."""

from collections.abc import Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from mathbook import open_exercises
from mathbook.calculators import data_script
from mathbook.code_references import chapter_module_of
from mathbook.domain_access import CheckedDirective
from mathbook.elements import (
    HtmlElement,
    answer_form,
    details,
    element,
    inline_math,
    join_nodes,
    option_input,
    raw_html,
    table,
    text_node,
)
from mathbook.exercises import difficulty_mark, exercise_name
from mathbook.folders import chapter_name
from mathbook.render_context import RenderContext, anchor
from mathbook.values import find_statement
from mathcore.library import current_library
from mathcore.measured.datasets import Column, Dataset
from mathcore.number_format import NNBSP, number_text, spell_quantity, unit_text
from mathcore.teaching.open_exercises import OpenExercise
from mathcore.teaching.tasks import TASK_KINDS, Task, TaskOption
from mathcore.units import Quantity

NO_SCRIPT_NOTE = "Checking answers needs JavaScript. Choose, then open the solution."
SCALES = (("trillion", 10**12), ("billion", 10**9), ("million", 10**6))  # of a whole column, the largest that fits


class TasksDirective(SphinxDirective):
    """Show all tasks and open exercises of the page."""

    def run(self) -> list[nodes.Node]:
        """Return the tasks in the order of their file."""
        modules = current_library.modules(chapter_module_of(self.env.docname))
        for name in modules:
            file = "toml" if name.endswith(".open_exercises") else "tasks.toml"
            self.env.note_dependency(str(current_library.file(name, file)))
        ctx = RenderContext(self)
        tasks = [render_task(ctx, *pair) for name in modules for pair in current_library.statements(name, Task)]
        open_ones = (pair for name in modules for pair in current_library.statements(name, OpenExercise))
        return tasks + [open_exercises.render_open_exercise(ctx, *pair) for pair in open_ones]


class RecommendedExercisesDirective(CheckedDirective):
    """List the recommended exercises of the page, with links."""

    def content_nodes(self) -> list[nodes.Node]:
        """Return the line."""
        self.env.note_dependency(str(current_library.path("recommended_exercises.toml")))
        listed, ctx = (
            current_library.data("recommended_exercises.toml").get(chapter_name(self.env.docname), []),
            RenderContext(self),
        )
        links = []
        for address in listed:
            statement = find_statement(address)
            title = [*ctx.inline(statement.title), text_node(" "), *difficulty_mark(statement)]
            links.append([element("a", "", *title, href=f"#{anchor(address)}")])
        lead = element("b", "", text_node("Recommended exercises: "))
        return [element("p", "mc-path", lead, *join_nodes(links), text_node("."))] if listed else []


def render_task(ctx: RenderContext, address: str, task: Task) -> nodes.Node:
    """Return the task."""
    name = anchor(address)
    place = ctx.domain.number_within_page("exercises", ctx.docname, address, task.title)
    ctx.domain.note_shown(address, ctx.docname, name)
    whole = element("mc-task", "mc-exercise mc-task", data_address=address, data_kind=task.kind)
    whole["ids"] = [name]
    head = [exercise_name(place), text_node(" ")]
    head += [element("span", "mc-title", text_node(task.title)), text_node(" "), *difficulty_mark(task)]
    prompt = element("p", "mc-task-prompt", text_node(task.fill(task.prompt, 0)))
    whole += [
        element("p", "mc-head", *head),
        element("div", "mc-prompt", element("p", "mc-task-kind", text_node(TASK_KINDS[task.kind])), prompt),
    ]
    if task.table:
        whole += _render_data(task)
    whole += raw_html(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += [_task_form(name, task), _solution(task), raw_html(data_script(task.spec()))]
    return ctx.with_source(whole)


def _render_data(task: Task) -> HtmlElement:
    columns, rows = task.table_cells
    data = current_library.find(task.table.partition(":")[0].strip(), Dataset)
    with_units = [_column(data.columns[n], cells) for n, cells in zip(columns, zip(*rows, strict=True), strict=True)]
    heads, cells = zip(*with_units, strict=True)
    rows_shown = [[str(i), *row] for i, row in enumerate(zip(*cells, strict=True), 1)]
    return table(f"Measured rows of {task.title}", ["Row", *heads], rows_shown)


def _column(column: Column, cells: Sequence[object]) -> tuple[str, list[str]]:
    """Return the header and the cells of a column; a scale common to all numbers is in the header."""
    numbers = [cell.magnitude for cell in cells if isinstance(cell, Quantity)]
    scale, size = next((pair for pair in SCALES if all(_fits_scale(x / pair[1]) for x in numbers)), ("", 1))
    unit = "" if column.unit in ("", "text") else spell_quantity("", unit_text(column.unit)).strip(NNBSP)
    head = " ".join(filter(None, (scale, unit))) if numbers else ""
    texts = [number_text(c.magnitude / size, None) if isinstance(c, Quantity) else str(c or "–") for c in cells]
    return column.meaning + (f" ({head})" if head else ""), texts


def _fits_scale(number: float) -> bool:
    """Return whether a number of a scale is at least 1 and has five digits or fewer."""
    return number >= 1 and float(f"{number:.5g}") == number


def _task_form(name: str, task: Task) -> HtmlElement:
    kind = "checkbox" if task.multiple else "radio"
    one = "Choose the wrong line" if task.kind == "error" else "Choose one"
    help_text = "Choose all that are right" if task.multiple else one
    group = element("fieldset", "mc-options", element("legend", "mc-task-kind", text_node(f"{help_text}.")))
    for index, choice in enumerate(task.choices()):
        group += option_input(index, name, element("span", "mc-option-text", *_choice_text(choice)), kind=kind)
    return answer_form(group, new_numbers=task.variants > 1)


def _choice_text(choice: TaskOption) -> list[nodes.Node]:
    return [text_node(choice.text), *([text_node(" "), inline_math(choice.tex)] if choice.tex else [])]


def _solution(task: Task) -> HtmlElement:
    listed = element("ol", "mc-option-reasons")
    mark = ("The wrong line. ", "This line holds. ") if task.kind == "error" else ("Right. ", "Not right. ")
    for choice in task.choices():
        verdict = element("b", "", text_node(mark[not choice.right]))
        chosen = [element("span", "mc-chosen-option", text_node(f"{choice.text.rstrip(':')}: "))] if choice.text else []
        why = element("span", "mc-why", text_node(choice.feedback))
        listed += element("li", "", *chosen, verdict, why, data_verdict="right" if choice.right else "wrong")
    inside = [listed, *([element("p", "", text_node(task.explanation))] if task.explanation else [])]
    return details("mc-solution", "Solution", *inside)
