"""Moodle XML: categories, numerical questions with units, hints and feedback, multiple choice.

Moodle takes the first answer that matches, so the right one comes first. Numbers in other units are converted by
multipliers; a number without a unit scores nothing, as in the book.
"""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from exports.answer_units import accepted_units
from exports.items import MultipleChoice, plain_number
from exports.prompts import inner_html, join_divs, text_div
from mathcore.number_format import unit_text

UNIT_INPUT, NO_UNIT = "0", "3"  # Moodle's codes for the position of a unit
UNIT_PENALTY = "1"  # a missing unit costs the whole mark


def moodle_xml(title, chapters):
    """Return all chapters as one file, a category each."""
    quiz = Element("quiz")
    for place, chapter in enumerate(chapters, 1):
        _category(quiz, f"{_escape_slashes(title)}/{place:02d} {_escape_slashes(chapter.title)}", chapter.identifier)
        for item in chapter.items:
            _item(quiz, chapter, item)
    indent(quiz, "")
    return tostring(quiz, encoding="utf-8", xml_declaration=True)


def _escape_slashes(name):
    """Return the name of a category with slashes doubled, because a single slash separates categories."""
    return name.replace("/", "//")


def _category(quiz, path, name):
    question = SubElement(quiz, "question", type="category")
    _text(question, "category", f"$course$/top/{path}")
    SubElement(question, "idnumber").text = name


def _item(quiz, chapter, item):
    kind = "multichoice" if isinstance(item, MultipleChoice) else "numerical"
    question = SubElement(quiz, "question", type=kind)
    _text(question, "name", item.heading)
    (_choice if isinstance(item, MultipleChoice) else _numerical)(question, item)
    SubElement(question, "idnumber").text = item.name
    tags = SubElement(question, "tags")
    for tag in (chapter.name, item.address):
        _text(tags, "tag", tag)


def _text(parent, name, text, **attributes):
    inside = SubElement(parent, name, attributes)
    SubElement(inside, "text").text = text
    return inside


def _rich(parent, name, element, **attributes):
    return _text(parent, name, inner_html(element), format="html", **attributes)


def _common(question, prompt, general):
    _rich(question, "questiontext", prompt)
    _rich(question, "generalfeedback", general)
    for name, value in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0")):
        SubElement(question, name).text = value


def _numerical(question, item):
    _common(question, join_divs(item.prompt, text_div(answer_instruction(item))), item.solution)
    _answers(question, item.right, "100", "Right.")
    for mistake in item.mistakes:
        _answers(question, mistake, "0", f"Not yet: {mistake.label}.")
    if item.unit:
        units = SubElement(question, "units")
        for name, count in accepted_units(item.unit).items():
            unit = SubElement(units, "unit")
            SubElement(unit, "multiplier").text = plain_number(count)
            SubElement(unit, "unit_name").text = name
    SubElement(question, "unitgradingtype").text = UNIT_PENALTY if item.unit else "0"
    SubElement(question, "unitpenalty").text = "1"
    SubElement(question, "showunits").text = UNIT_INPUT if item.unit else NO_UNIT
    SubElement(question, "unitsleft").text = "0"
    for hint in item.hints:
        _rich(question, "hint", hint)


def answer_instruction(item):
    """Return the sentence on how to enter an answer on a platform that reads units."""
    if not item.unit:
        return "Answer with a number without a unit."
    return f"Answer with a number and its unit, such as 1.5 {unit_text(item.unit)}."


def _answers(question, target, fraction, feedback):
    for value, tolerance in target.spans:
        answer = _text(question, "answer", plain_number(value), fraction=fraction, format="plain_text")
        _rich(answer, "feedback", text_div(feedback))
        SubElement(answer, "tolerance").text = plain_number(tolerance)


def _choice(question, item):
    _common(question, join_divs(text_div(item.title), item.prompt), text_div())
    for name, value in (("single", "true"), ("shuffleanswers", "true"), ("answernumbering", "ABCD")):
        SubElement(question, name).text = value
    for index, (says, feedback) in enumerate(item.options):
        fraction = "100" if index == item.right else "0"
        answer = _rich(question, "answer", text_div(says), fraction=fraction)
        _rich(answer, "feedback", text_div(feedback))
