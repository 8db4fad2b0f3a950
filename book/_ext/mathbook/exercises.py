"""Exercises: prompt, answer form, hints and worked solution, all in the page before any script."""

from mathbook import content_hash
from mathbook.chapter_pages import TaskNumber
from mathbook.elements import button, element, folded, raw, words
from mathbook.explorers import data_script
from mathbook.render_context import anchor
from mathbook.roles import symbol_node
from mathbook.values import facts_behind
from mathbook.worked_solution import worked_solution
from mathcore.units import unit_text

DIFFICULTIES = {1: "one step", 2: "several steps", 3: "a judgement"}
NO_SCRIPT_NOTE = "Checking answers needs JavaScript. Work out the result, then open the solution."


def block(ctx, address, entity, inside):
    """Return the exercise; `inside` holds the prompt with its hints and remarks."""
    ctx.note_use(address, entity.formula.address, *facts_behind(entity))
    place = ctx.domain.number_within_page("exercises", ctx.docname, address, entity.title)
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    hints, remarks = _take(inside, "hint"), _take(inside, "remark")
    whole = element("mc-exercise", "mc-exercise", data_address=address)
    whole["ids"] = [anchor(address)]
    whole += [_heading(ctx, place, entity), inside]
    whole += raw(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>')
    whole += _answer_form(anchor(address), entity)
    for index, hint in enumerate(hints, 1):
        whole += folded("mc-hint", f"Hint {index}" if len(hints) > 1 else "Hint", element("div", "", *hint.children))
    whole += folded("mc-solution", "Solution", worked_solution(ctx, entity, remarks))
    whole += raw(data_script(content_hash.memoize_json("spec", entity, entity.spec)))
    return [ctx.with_source(whole)]


def _take(inside, part):
    found = [node for node in inside.children if node.get("part") == part]
    for node in found:
        inside.remove(node)
    return found


def _heading(ctx, place, entity):
    head = element("p", "mc-head", exercise_name(place))
    if entity.title:
        head += [words(" "), element("span", "mc-title", *ctx.inline(entity.title))]
    head += [words(" "), *difficulty_mark(entity)]
    return head


def exercise_name(place):
    """Return the name of the exercise at a place of its page, numbered through the chapter."""
    return element("span", "mc-number", words("Exercise "), TaskNumber("", "", place=place))


def difficulty(entity):
    """Return how hard an exercise or a task is, from one to three; many givens make a plain one harder."""
    return getattr(entity, "level", 0) or 1 + (len(entity.given) > 3)


def difficulty_mark(entity):
    """Return the mark of an exercise's or a task's difficulty, from one dot to three."""
    number = difficulty(entity)
    dots = element("span", "", words("●" * number + "○" * (3 - number)), aria_hidden="true")
    label = f"Difficulty {number} of 3: {DIFFICULTIES[number]}"
    return [element("span", "mc-level", dots, element("span", "mc-hidden", words(label)), title=label)]


def _answer_form(name, entity):
    field = element(
        "input", "mc-input", id=f"{name}-answer", name="answer", type="text", spellcheck="false",
        autocapitalize="off", aria_describedby=f"{name}-help {name}-feedback",
    )  # fmt: skip
    row = element("span", "mc-row", field, element("button", "mc-button mc-check", words("Check"), type="submit"))
    if any(len(entity.values_of(v)) > 1 for v in entity.given):
        row += button("mc-button mc-new", "New numbers")
    form = element("form", "mc-form", autocomplete="off", novalidate=True)
    prompt = [words("Your answer for "), symbol_node(entity.formula.lhs)]
    form += [element("label", "", *prompt, for_=f"{name}-answer"), row]
    form += element("span", "mc-help", *_answer_format(entity), id=f"{name}-help")
    form += element("p", "mc-feedback", id=f"{name}-feedback", role="status")
    return form


def _answer_format(entity):
    """Return words on how an answer is written, with numbers that are not the answer."""
    unit = "" if entity.answer.unitless else unit_text(f"{entity.answer.units}")
    if entity.rounding:
        return [words("A whole number such as "), _code(f"12 {unit}".strip()), words(".")]
    if not unit and abs(entity.answer.m_as("")) > 1:
        return [words("A number such as "), _code("12.5"), words(" or "), _code("1.2e3"), words(".")]
    if not unit or unit == "%":
        return [words("A number such as "), _code("0.05"), words(" or "), _code("5 %"), words(".")]
    first, second = {"min": ("90 s", "1.5 min"), "h": ("90 min", "1.5 h"), "d": ("36 h", "1.5 d")}.get(
        unit, (f"1.5 {unit}", f"1.5e3 {unit}")
    )
    return [words("A number with its unit, such as "), _code(first), words(" or "), _code(second), words(".")]


def _code(text):
    return element("code", "", words(text))
