"""GIFT: a text file that many platforms read; numbers without units, feedback for each answer.

Braces, colons, equals signs, tildes, number signs and backslashes of the text are escaped. An
item is one paragraph, so no line of it may be empty.
"""

from exports.items import Choice, number_text
from exports.prompts import inner_html, joined_div, text_div
from mathcore.units import unit_text

SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\~=#{}:"})


def document(title, chapters):
    """Return all chapters as one text, a category each."""
    parts = []
    for place, chapter in enumerate(chapters, 1):
        path = "/".join(part.replace("/", "//") for part in (title, f"{place:02d} {chapter.title}"))
        parts.append(f"$CATEGORY: $course$/top/{path}")
        parts += [_item(item) for item in chapter.items]
    return "\n\n".join(parts) + "\n"


def escaped(text):
    """Return a text in which nothing is a sign of the format.

    >>> print(escaped(r"\\(a = {b}\\)"))
    \\\\(a \\= \\{b\\}\\\\)
    """
    return text.translate(SPECIAL)


def _rich(element):
    return escaped(inner_html(element))


def _item(item):
    lines = _choice(item) if isinstance(item, Choice) else _numerical(item)
    return "\n".join([f"// {item.name}", *lines, "}"])


def _numerical(item):
    lines = [
        f"::{escaped(item.heading)}::[html]{_rich(joined_div(item.prompt, text_div(answer_instruction(item))))}" + "{#"
    ]
    lines += _answers(item.right, "=", "Right.")
    for mistake in item.mistakes:
        lines += _answers(mistake, "=%0%", f"Not yet: {mistake.label}.")
    if item.hints:
        lines.append(f"\t~#{_rich(joined_div(text_div('Not yet. A hint:'), *item.hints))}")
    return [*lines, f"\t####{_rich(item.solution)}"]


def _answers(target, sign, feedback):
    told = _rich(text_div(feedback))
    return [f"\t{sign}{number_text(value)}:{number_text(tolerance)}#{told}" for value, tolerance in target.spans]


def answer_instruction(item):
    """Return the sentence that says how to answer where units are not understood."""
    if not item.unit:
        return "Answer with a plain number, without a unit."
    return f"Answer in {unit_text(item.unit)}, with the number alone."


def _choice(item):
    lines = [f"::{escaped(item.heading)}::[html]{_rich(joined_div(text_div(item.title), item.prompt))}" + "{"]
    for index, (says, feedback) in enumerate(item.options):
        sign = "=" if index == item.right else "~"
        lines.append(f"\t{sign}{_rich(text_div(says))}#{_rich(text_div(feedback))}")
    return lines
