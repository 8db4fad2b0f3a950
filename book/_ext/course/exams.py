"""Midterms and finals: the questions of course.toml, with numbers drawn by a seed, and their keys.

Each exam is a sheet to print, a key with points, and the same questions as Moodle XML and QTI where a program can judge
the answer. Exercises and tasks give one of their variants. A derivation is judged by a person and, as a number at a
point drawn from its ranges, by a program; an estimate within its factor.
"""

import html
import re
import zlib
from typing import NamedTuple

from exports import moodle, prompts, qti, question_bank
from exports.items import ChapterItems, MultipleChoice, Numerical, Target, right_target, wrong_target
from mathbook import built_pages, mathematics
from mathbook.formulas import formula_latex
from mathbook.variants import variant_seeds

from course.pages import html_document, html_table
from mathcore import find
from mathcore.examples import given_text
from mathcore.library import current_library as statements
from mathcore.number_format import number_text, spell_unit
from mathcore.teaching import DeriveExercise, EstimateExercise, Exercise, Task
from mathcore.teaching.exercises import SEEDS
from mathcore.teaching.questions import OPTION_LETTERS
from mathcore.units import quantity_text, unit, unit_name

TEX = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
DOLLARS = re.compile(r"\$(.+?)\$")
SHARES = {"set-up": 0.4, "steps": 0.4, "sense": 0.2}  # of the points of a derivation
RTOL = 0.02  # of a number computed from a derived expression
BLOCK = re.compile(r'<mc-(exercise|task|open)\b[^>]*data-address="([^"]+)".*?</mc-\1>', re.DOTALL)


class ExamQuestion(NamedTuple):
    """A question of an exam: points, item for platforms, the parts written by hand, and the key in HTML.

    `prompt` is what the sheet prints, if it is not the prompt of the item.
    """

    points: int
    item: object
    by_hand: str
    key: str
    prompt: object = None


def write_exams(book, folder, seed):
    """Write all exams for a seed into `folder`; return their names.

    Raises: PageNotBuilt; LookupError for a question that is on no page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    blocks = _blocks(book)
    declared = statements.data("course.toml")["exam"]
    for exam in declared:
        name, questions = exam["name"], exam_questions(exam, blocks, seed)
        title = f"{exam['title']} (seed {seed})"
        items = tuple(each.item for each in questions)
        bank = [ChapterItems(f"{name}-{seed}", title, items)]
        (folder / f"{name}.html").write_text(_sheet(exam, title, questions), "utf-8")
        (folder / f"{name}-key.html").write_text(_key(title, questions), "utf-8")
        (folder / f"{name}-moodle.xml").write_bytes(moodle.moodle_xml(title, bank))
        (folder / f"{name}-qti.zip").write_bytes(qti.qti_package(title, bank))
    return [exam["name"] for exam in declared]


def _blocks(book):
    """Return `{address: HTML}` of the exercises and tasks of the chapters from which exams ask."""
    addresses = {address for exam in statements.data("course.toml")["exam"] for address, _ in exam["questions"]}
    chapters = {address.partition(".")[0].replace("_", "-") for address in addresses}
    pages = (built_pages.read_articles(book, built_pages.chapter_pages(book, name)) for name in sorted(chapters))
    return {match[2]: match[0] for text in pages for match in BLOCK.finditer(text)}


def exam_questions(exam, blocks, seed):
    """Return the questions of an exam for a seed, in their order."""
    questions = []
    for address, points in exam["questions"]:
        statement = find(address)
        draw = zlib.crc32(f"{exam['name']} {address} {seed}".encode())
        make = next(make for kind, make in MAKERS.items() if isinstance(statement, kind))
        questions.append(make(statement, blocks[address], draw, points))
    return questions


def _exercise(exercise, block, draw, points):
    known = variant_seeds(exercise, SEEDS)
    number = draw % len(known)
    item = question_bank.exercise_item(exercise, block, known[number], number + 1)
    right = html.escape(exercise.format_answer(exercise.answer_of(known[number])))
    allowed = (
        f"rounded {exercise.rounding}" if exercise.rounding else f"within {number_text(100 * exercise.rtol, None)} %"
    )
    wrong = "".join(f"<li>{number_text(each.value, 3)}: {html.escape(each.label)}</li>" for each in item.mistakes)
    key = f"<p><b>{right}</b> ({allowed})</p>{_html(item.solution)}<p>Common mistakes:</p><ul>{wrong}</ul>"
    return ExamQuestion(points, item, "", key)


def _task(statement, block, draw, points):
    tables = [prompts.plain_div(prompts.parse_html(block).select(".mc-scroll"))]
    item = question_bank.task_item(statement, draw % statement.variants, tables)
    says, why = item.options[item.right]
    asked = prompts.text_div(statement.fill(statement.prompt, item.seed))
    # Platforms shuffle options, so that their prompt has the lines, which the sheet has as its options.
    prompt = prompts.join_divs(asked, *tables) if statement.kind == "error" else None
    return ExamQuestion(
        points, item, "", f"<p><b>{OPTION_LETTERS[item.right]}. {_text(says)}</b> {_text(why)}</p>", prompt
    )


def _derive(exercise, block, draw, points):
    """Return the question for an expression, and for its value at a point of this exam."""
    point, formula = exercise.point(draw), exercise.formula
    values = ", ".join(rf"\({v.tex}\) = {given_text(q)}" for v, q in point.items())
    question = prompts.join_divs(
        prompts.plain_div(prompts.parse_html(block).select(".mc-prompt > p:not(.mc-task-kind)")),
        prompts.text_div(rf"(a) Derive the expression, and check it in a limit. (b) Evaluate it at {values}."),
    )
    value = _in_printed_unit(formula.at(point), formula.lhs)
    wrong = {label: q.to(value.units).magnitude for label, q in exercise.wrong_at(point).items()}
    mistakes = tuple(wrong_target(float(x), RTOL, label) for label, x in wrong.items())
    item = _number(exercise, draw, question, value, right_target(value.magnitude, RTOL), mistakes)
    steps = formula.derivation.steps if formula.derivation else ()
    lines = "".join(f"<li>{_mathml(step.latex())} {_reason(step)}</li>" for step in steps)
    number = html.escape(quantity_text(value, None, 3))
    part = points - points // 3
    derived = f"<p>(a)</p>{_mathml(formula_latex(formula))}<ol>{lines}</ol>"
    key = f"{derived}<p>(b) <b>{number}</b></p><p>{_split_points(part)}</p>"
    return ExamQuestion(points, item, f"(a) {part} points for the derivation, (b) {points // 3}", key)


def _split_points(points):
    """Return how the points of a derivation are divided, in whole points.

    >>> _split_points(17)
    'Of the 17 points of (a): set-up 7, steps 7, sense 3.'
    """
    divided = {name: round(share * points) for name, share in SHARES.items()}
    divided["steps"] += points - sum(divided.values())
    listed = ", ".join(f"{name} {number}" for name, number in divided.items())
    return f"Of the {points} points of (a): {listed}."


def _in_printed_unit(value, symbol):
    """Return a value in the unit in which its symbol is printed."""
    return value.to(unit(symbol.display_unit)) if symbol.display_unit else value


def _estimate(exercise, block, draw, points):
    question = prompts.join_divs(
        prompts.plain_div(prompts.parse_html(block).select(".mc-prompt > p:not(.mc-task-kind)")),
        prompts.text_div("Give a reason for each assumption, and name the one on which the result depends most."),
    )
    value, factor = exercise.answer, exercise.factor
    room = Target(value.magnitude, value.magnitude * (1 - 1 / factor), value.magnitude * (factor - 1))
    item = _number(exercise, draw, question, value, room, ())
    rows = [[link["text"], quantity_text(exercise.links[link["name"]], None, 3)] for link in exercise.chain]
    key = f"<p><b>{html.escape(quantity_text(value, None, 2))}</b>, right within a factor of {factor:g}</p>"
    key += html_table(["One possible chain", "value"], rows)
    texts = {link["name"]: link["text"] for link in exercise.chain}
    most = "; ".join(texts[name] for name, _ in exercise.elasticities[:2])
    key += f"<p>It depends most on: {html.escape(most)}.</p>"
    return ExamQuestion(
        points, item, f"{points // 2} points for stated assumptions, {points - points // 2} for the result", key
    )


def _number(exercise, draw, question, value, right, mistakes):
    solution = prompts.text_div(exercise.fill(exercise.explanation)) if exercise.explanation else prompts.text_div()
    named = unit_name(value)
    return Numerical(exercise.required_address, draw, 1, exercise.title, question, (), solution, named, right, mistakes)


MAKERS = {Exercise: _exercise, Task: _task, DeriveExercise: _derive, EstimateExercise: _estimate}


def _sheet(exam, title, questions):
    """Return the sheet for students."""
    parts = []
    for number, each in enumerate(questions, 1):
        head = f"<h2>{number}. {html.escape(each.item.title)} <small>({each.points} points)</small></h2>"
        prompt = each.item.prompt if each.prompt is None else each.prompt
        parts.append(f"<section>{head}{_html(prompt)}{_answer(each)}</section>")
    total = sum(each.points for each in questions)
    rules = f"{exam['minutes']} minutes, {total} points. {exam['rules']}"
    return html_document(title, f"<h1>{html.escape(title)}</h1><p>{html.escape(rules)}</p>{''.join(parts)}")


def _answer(each):
    if isinstance(each.item, MultipleChoice):
        options = "".join(f"<li>{_text(says)}</li>" for says, _ in each.item.options)
        return f'<ol type="A">{options}</ol>'
    wanted = f" in {html.escape(spell_unit(each.item.unit))}" if each.item.unit else ""
    by_hand = f"<p>{html.escape(each.by_hand)}.</p>" if each.by_hand else ""
    return f'{by_hand}<p class="answer">Answer{wanted}:</p>'


def _key(title, questions):
    """Return the key: answer, solution and points of each question."""
    parts = [
        f"<h2>{n}. {html.escape(each.item.title)} <small>({each.points} points; <code>{each.item.address}</code>)"
        f"</small></h2>{each.key}{f'<p>{html.escape(each.by_hand)}.</p>' if each.by_hand else ''}"
        for n, each in enumerate(questions, 1)
    ]
    return html_document(f"Key: {title}", f"<h1>Key: {html.escape(title)}</h1>{''.join(parts)}")


def _html(element):
    """Return a prompt as HTML, its TeX as MathML."""
    return _with_mathml(prompts.inner_html(element))


def _text(text):
    return _with_mathml(html.escape(text))


def _reason(step):
    """Return the reason of a step as HTML, with the mathematics between dollars as MathML."""
    return _text(DOLLARS.sub(r"\\(\1\\)", step.why))


def _with_mathml(text):
    return TEX.sub(lambda match: _mathml(html.unescape(match[1] or match[2]), match[1] is None), text)


def _mathml(tex, display=True):
    return mathematics.TEX_ATTRIBUTE.sub("", mathematics.render_mathml(tex, display))
