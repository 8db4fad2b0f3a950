"""Exercises: prompt, answer form, hints and worked solution, complete without scripts.

Hints have three rungs: concept, set-up, formula. An author writes as many as the statements do not give, from the first
on; the others come from the formula: what is sought and why it is so, which quantities are related, and the formula.
"""

import sympy
from docutils import nodes

from mathbook import content_hash, solution_notes
from mathbook.calculators import data_script
from mathbook.elements import (
    HtmlElement,
    answer_field,
    answer_form,
    details,
    element,
    inline_math,
    join_nodes,
    raw_html,
    text_node,
)
from mathbook.formulas import equation_reference
from mathbook.render_context import RenderContext, anchor
from mathbook.values import facts_behind
from mathbook.worked_solution import render_worked_solution
from mathcore import Formula
from mathcore.number_format import spell_unit
from mathcore.teaching import Exercise, OpenExercise, Task
from mathcore.units import unit_name

DIFFICULTIES = {1: "one formula", 2: "several steps", 3: "an open problem"}
MANY_OPERATIONS = 10  # from which on a formula takes several steps, as the root of a quadratic equation does
MANY_GIVENS = 7  # from which on it does as well: a product has fewer factors
HINTS = ("Hint 1: concept", "Hint 2: set-up", "Hint 3: formula")
NO_SCRIPT_NOTE = "Checking answers needs JavaScript. Work out the result, then open the solution."


class TaskNumber(nodes.Inline, nodes.TextElement):
    """Placeholder of an exercise's number within the chapter; `place` is its number on the page."""


def render_exercise(ctx: RenderContext, address: str, exercise: Exercise, inside: nodes.Element) -> list[nodes.Node]:
    """Return the block of an exercise; `inside` holds the prompt with its hints and remarks."""
    ctx.note_use(address, exercise.formula.address, *facts_behind(exercise))
    place = ctx.domain.number_within_page("exercises", ctx.docname, address, exercise.title)
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    hints, remarks = _take_parts(inside, "hint"), _take_parts(inside, "remark")
    whole = element("mc-exercise", "mc-exercise", data_address=address)
    whole["ids"] = [anchor(address)]
    whole += [_heading(ctx, place, exercise), inside]
    whole += raw_html(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += _answer_form(anchor(address), exercise)
    for label, hint in zip(HINTS, _hint_contents(ctx, exercise, hints), strict=False):
        whole += details("mc-hint", label, element("div", "", *hint))
    whole += details("mc-solution", "Solution", render_worked_solution(ctx, exercise, remarks))
    whole += raw_html(data_script(content_hash.memoize_json("spec", exercise, exercise.spec)))
    return [ctx.with_source(whole)]


def _take_parts(inside: nodes.Element, part: str) -> list[nodes.Element]:
    parts = [node for node in inside.children if node.get("part") == part]
    for node in parts:
        inside.remove(node)
    return parts


def _hint_contents(ctx: RenderContext, exercise: Exercise, hints: list[nodes.Element]) -> list[list[nodes.Node]]:
    """Return the contents of the hints: the author's, then generated ones."""
    own = [hint.children for hint in hints]
    return [*own, *[rung(ctx, exercise) for rung in (_concept, _set_up, _formula)][len(own) :]]


def _concept(ctx: RenderContext, exercise: Exercise) -> list[nodes.Node]:
    """Return the meaning of the unknown, and the first reason of the derivation."""
    source = solution_notes.stated_formula(exercise.formula)
    sought = element("p", "", text_node(f"Sought: {exercise.formula.lhs.meaning}. "))
    for why in solution_notes.step_reasons(source)[:1]:
        sought += [*ctx.inline(solution_notes.capitalize(why), [source.lhs, *source.inputs]), text_node(".")]
    return [sought]


def _set_up(ctx: RenderContext, exercise: Exercise) -> list[nodes.Node]:
    """Return the relation between the unknown and the givens, with the number of its equation."""
    source, lhs = solution_notes.stated_formula(exercise.formula), exercise.formula.lhs
    givens = join_nodes([inline_math(v.tex), text_node(f" ({v.meaning})")] for v in exercise.givens)
    related = element("p", "", text_node("Relate "), inline_math(lhs.tex), text_node(" to "), *givens)
    if source.address in ctx.domain.home_pages:
        related += [text_node("; the relation is equation "), equation_reference(source.address)]
    if source is not exercise.formula:
        related += [text_node(", to be solved for "), inline_math(lhs.tex)]
    related += text_node(".")
    return [related]


def _formula(_: RenderContext, exercise: Exercise) -> list[nodes.Node]:
    return [element("p", "", inline_math(exercise.formula.latex()))]


def _heading(ctx: RenderContext, place: int, exercise: Exercise) -> HtmlElement:
    head = element("p", "mc-head", exercise_name(place))
    if exercise.title:
        head += [text_node(" "), element("span", "mc-title", *ctx.inline(exercise.title))]
    head += [text_node(" "), *difficulty_mark(exercise)]
    return head


def exercise_name(place: int) -> HtmlElement:
    """Return the name of an exercise with its number within the chapter; `place` is its number on the page."""
    return element("span", "mc-number", text_node("Exercise "), TaskNumber("", "", place=place))


def difficulty(exercise: Exercise | Task | OpenExercise) -> int:
    """Return the difficulty of an exercise or a task, from 1 to 3.

    One formula is 1, a product of six factors too; a formula of many operations or givens, one solved for another
    symbol, or one that combines several statements is 2. Only problems that no substitution answers are 3: to derive,
    estimate, design or program.
    """
    if level := getattr(exercise, "level", 0):
        return level
    assert isinstance(exercise, Exercise)  # the others state their level
    solved = solution_notes.stated_formula(exercise.formula) is not exercise.formula
    long = len(exercise.given) >= MANY_GIVENS or sympy.count_ops(exercise.formula.rhs) >= MANY_OPERATIONS
    return 1 + (solved or long or len(_combined_statements(exercise.formula)) > 1)


def _combined_statements(formula: Formula) -> set[str]:
    """Return the addresses of the statements that the derivation of a formula combines."""
    steps = formula.derivation.steps if formula.derivation is not None else ()
    return {source.address for step in steps for source in step.sources}


def difficulty_mark(exercise: Exercise | Task | OpenExercise) -> list[nodes.Node]:
    """Return the difficulty of an exercise or a task as one to three dots."""
    number = difficulty(exercise)
    dots = element("span", "", text_node("●" * number + "○" * (3 - number)), aria_hidden="true")
    label = f"Difficulty {number} of 3: {DIFFICULTIES[number]}"
    return [element("span", "mc-level", dots, element("span", "mc-hidden", text_node(label)), title=label)]


def _answer_form(name: str, exercise: Exercise) -> HtmlElement:
    unit = spell_unit(unit_name(exercise.answer))
    return answer_form(
        element("label", "", text_node(f"Your answer, in {unit}" if unit else "Your answer"), for_=f"{name}-answer"),
        field=[answer_field(name)],
        new_numbers=any(len(exercise.values[v]) > 1 for v in exercise.given),
        after=[element("span", "mc-help", *_answer_format(exercise), id=f"{name}-help")],
        feedback=f"{name}-feedback",
    )


def _answer_format(exercise: Exercise) -> list[nodes.Node]:
    """Return an example of how to enter an answer, with numbers that are not the answer."""
    unit = spell_unit(unit_name(exercise.answer))
    if exercise.rounding:
        return [text_node("A whole number such as "), _code(f"12 {unit}".strip()), text_node(".")]
    if not unit and abs(exercise.answer.m_as("")) > 1:
        return [text_node("A number such as "), _code("12.5"), text_node(" or "), _code("1.2e3"), text_node(".")]
    if not unit or unit == "%":
        return [text_node("A number such as "), _code("0.05"), text_node(" or "), _code("5 %"), text_node(".")]
    first, second = {"min": ("90 s", "1.5 min"), "h": ("90 min", "1.5 h"), "days": ("36 h", "1.5 days")}.get(
        unit, (f"1.5 {unit}", f"1.5e3 {unit}")
    )
    return [
        text_node("A number with its unit, such as "),
        _code(first),
        text_node(" or "),
        _code(second),
        text_node("."),
    ]


def _code(text: str) -> HtmlElement:
    return element("code", "", text_node(text))
