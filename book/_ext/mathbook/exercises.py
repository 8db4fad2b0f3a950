"""Exercises: prompt, answer form, hints and worked solution, all in the page before any script."""

from mathbook import digests
from mathbook.chapter_pages import TaskNumber
from mathbook.elements import button, element, folded, raw, words
from mathbook.explorers import data_script
from mathbook.roles import letter
from mathbook.scribe import anchor
from mathbook.solving import worked
from mathbook.values import facts_behind
from mathcore.units import unit_text

LEVELS = {1: "one step", 2: "several steps", 3: "a judgement"}
OFFLINE = "Checking answers needs JavaScript. Work out the result, then open the solution."


def block(scribe, address, entity, inside):
    """Return the exercise; `inside` holds the prompt with its hints and remarks."""
    scribe.use(address, entity.formula.address, *facts_behind(entity))
    place = scribe.record.task("exercises", scribe.docname, address, entity.title)
    scribe.record.show(address, scribe.docname, anchor(address))
    hints, remarks = _taken(inside, "hint"), _taken(inside, "remark")
    whole = element("mc-exercise", "mc-exercise", data_address=address)
    whole["ids"] = [anchor(address)]
    whole += [_head(scribe, place, entity), inside]
    whole += raw(f'<noscript><p class="mc-help">{OFFLINE}</p></noscript>')
    whole += _form(anchor(address), entity)
    for index, hint in enumerate(hints, 1):
        whole += folded("mc-hint", f"Hint {index}" if len(hints) > 1 else "Hint", element("div", "", *hint.children))
    whole += folded("mc-solution", "Solution", worked(scribe, entity, remarks))
    whole += raw(data_script(digests.kept("spec", entity, entity.spec)))
    return [scribe.located(whole)]


def _taken(inside, part):
    found = [node for node in inside.children if node.get("part") == part]
    for node in found:
        inside.remove(node)
    return found


def _head(scribe, place, entity):
    head = element("p", "mc-head", numbered(place))
    if entity.title:
        head += [words(" "), element("span", "mc-title", *scribe.prose(entity.title))]
    head += [words(" "), *level(entity)]
    return head


def numbered(place):
    """Return the name of the exercise at a place of its page, numbered through the chapter."""
    return element("span", "mc-number", words("Exercise "), TaskNumber("", "", place=place))


def difficulty(entity):
    """Return how hard an exercise or a task is, from one to three; many givens make a plain one harder."""
    return getattr(entity, "level", 0) or 1 + (len(entity.given) > 3)


def level(entity):
    """Return the mark of an exercise's or a task's difficulty, from one dot to three."""
    number = difficulty(entity)
    dots = element("span", "", words("●" * number + "○" * (3 - number)), aria_hidden="true")
    said = f"Difficulty {number} of 3: {LEVELS[number]}"
    return [element("span", "mc-level", dots, element("span", "mc-hidden", words(said)), title=said)]


def _form(name, entity):
    field = element(
        "input", "mc-input", id=f"{name}-answer", name="answer", type="text", spellcheck="false",
        autocapitalize="off", aria_describedby=f"{name}-help {name}-feedback",
    )  # fmt: skip
    row = element("span", "mc-row", field, element("button", "mc-button mc-check", words("Check"), type="submit"))
    if any(len(entity.values_of(v)) > 1 for v in entity.given):
        row += button("mc-button mc-new", "New numbers")
    form = element("form", "mc-form", autocomplete="off", novalidate=True)
    asked = [words("Your answer for "), letter(entity.formula.lhs)]
    form += [element("label", "", *asked, for_=f"{name}-answer"), row]
    form += element("span", "mc-help", *_sample(entity), id=f"{name}-help")
    form += element("p", "mc-feedback", id=f"{name}-feedback", role="status")
    return form


def _sample(entity):
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
