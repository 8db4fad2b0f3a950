"""Answer guide for the labs, and the assignment of their contexts to teams.

Everything is computed from the labs: what is right in a context, what each other choice overlooks, and which numbers
the common mistakes give.
"""

import html

from mathbook.variants import mistake_results

from course.keys import context_settings, csv_text, question_state, slider_value
from course.pages import html_document
from mathcore.library import current_library
from mathcore.teaching import Calculator, Exercise, Lab, Question
from mathcore.teaching.questions import OPTION_LETTERS


def all_labs():
    """Return the labs of the book."""
    return [lab for _, lab in current_library.walk() if isinstance(lab, Lab)]


def answer_guide():
    """Return the page with the right answer to every part of each lab in each context, and the typical wrong ones."""
    body = """<h1>Answer guide for the labs</h1>
<p>For each part: what is right, then where typical students go, with what to ask them. A paragraph is good if it names
the number on which the answer turns, says how sure that number is, and follows from it; middling if the number is right
and the reason is missing; poor if it repeats the option.</p>"""
    for lab in all_labs():
        for name, context in lab.contexts.items():
            parts = "".join(_part(lab, name, part) for part in lab.parts)
            body += f"<h2>{html.escape(lab.title)}: {html.escape(context.label)}</h2>{parts}"
    return html_document("Answer guide for the labs", body)


def _part(lab, name, part):
    """Return the answers to a part as HTML; nothing for a calculator that asks for nothing."""
    if isinstance(part, Calculator) and not part.commit:
        return ""
    if isinstance(part, Question):
        right, others = _question(part, question_state(lab, name, part))
    elif isinstance(part, Exercise):
        right, others = part.text(), [f"{part.format_answer(q)}: {label}" for label, q in mistake_results(part, 0)]
    else:
        right, others = slider_value(part, context_settings(lab, name, part))[0], []
    items = "".join(f"<li>{html.escape(each)}</li>" for each in others)
    kind = f" ({part.purpose})" if isinstance(part, Question) else ""
    return f"<h3>{html.escape(part.title)}{kind}</h3><p><b>{html.escape(right)}</b></p>" + (
        items and f"<ul>{items}</ul>"
    )


def _question(question, state):
    """Return the right option with its reason, and the others with what each overlooks."""
    right = question.right_at(state)
    texts = [question.text(index, state) for index in range(len(question.options))]
    listed = [f"{letter}. {text} — {why}" for letter, (text, why) in zip(OPTION_LETTERS, texts, strict=False)]
    return listed[right], [each for index, each in enumerate(listed) if index != right]


def team_table(names):
    """Return, as CSV, the context of each lab for each team and the link to it, dealt in turn.

    Neighbours in the list get different contexts, and a team does not get the first context of every lab.
    """
    return csv_text(_deal_contexts([name.strip() for name in names if name.strip()]))


def _deal_contexts(teams):
    yield ["team", "lab", "context", "label", "link"]
    for position, team in enumerate(teams):
        for index, lab in enumerate(all_labs()):
            name = list(lab.contexts)[(position + index) % len(lab.contexts)]
            page = lab.address.removesuffix(".lab").replace("_", "-")
            link = f"book/chapters/{page}/index.html?{lab.address}={name}"
            yield [team, lab.title, name, lab.contexts[name].label, link]
