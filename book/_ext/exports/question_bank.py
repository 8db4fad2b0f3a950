"""All items of the book: prompts from the built site, keys and variants from the engine."""

import re

from mathbook import built_pages
from mathbook.variants import mistake_results, variant_seeds

from exports import prompts
from exports.items import ChapterItems, MultipleChoice, Numerical, count_target, right_target, wrong_target
from mathcore import find
from mathcore.examples import given_text
from mathcore.library import current_library as statements
from mathcore.teaching import Question, Task
from mathcore.teaching.diagnosis import EXACT, accepted_counts

ITEM_BLOCK = re.compile(r'<mc-(exercise|question|task)\b[^>]*data-address="([^"]+)".*?</mc-\1>', re.DOTALL)
TEX = r"\({}\)"
PLACEHOLDER = re.compile(r"\{([\w.]+)\}")
STANDALONE_PROMPTS = statements.data("standalone_prompts.toml")
TITLE = re.compile(r"<h1>.*?</h1>", re.DOTALL)


def bank_chapters(book):
    """Return the Chapters of a built book that have items, in the order of the table of contents.

    An exercise that is on two pages belongs to the first.

    Raises: PageNotBuilt; UnsupportedContent, with the address.
    """
    with_items, seen = [], set()
    for chapter in built_pages.toc_chapters(book):
        text = built_pages.read_articles(book, chapter.pages)
        fresh = {block[2]: block[0] for block in ITEM_BLOCK.finditer(text) if block[2] not in seen}
        seen |= fresh.keys()
        items = tuple(item for address, block in fresh.items() for item in _items(address, block))
        if items:
            with_items.append(ChapterItems(chapter.name, _title(text), items))
    return with_items


def _title(text):
    head = prompts.parse_html(TITLE.search(text)[0])
    for part in head.select(".section-number, .headerlink"):
        part.decompose()
    return head.get_text().strip()


def _items(address, block):
    statement = find(address)
    if is_guess(address) or address in STANDALONE_PROMPTS["left_out"] or getattr(statement, "multiple", False):
        return []  # predictions are not graded, and platforms have no single choice with several right options
    try:
        if isinstance(statement, Task):
            table = [prompts.plain_div(prompts.parse_html(block).select(".mc-scroll"))]
            return [task_item(statement, number, table) for number in range(statement.variants)]
        if isinstance(statement, Question):
            return [question_item(statement, prompts.plain_div(prompts.parse_html(block).select(".mc-prompt")))]
        return exercise_items(statement, block)
    except prompts.UnsupportedContent as error:
        raise prompts.UnsupportedContent(f"{address}: {error}") from error


def is_guess(address):
    """Return whether an exercise or a question asks for a prediction before the material is presented.

    >>> is_guess("young_daly.guess"), is_guess("lab_scale_illusion.path_guess"), is_guess("young_daly.ex_waste")
    (True, True, False)
    """
    name = address.rpartition(".")[2]
    return name.startswith("guess") or name.endswith("_guess")


def question_item(question, prompt):
    """Return a question at its stated numbers, with its standalone prompt if it has one."""
    options = tuple(question.text(i) for i in range(len(question.options)))
    standalone = standalone_prompt(question)
    asked = prompts.text_div(standalone) if standalone else prompts.join_divs(scenario_text(question), prompt)
    return MultipleChoice(question.address, question.title, asked, options, question.right)


def standalone_prompt(question):
    """Return the prompt of a lab's question that needs no calculator, or an empty text.

    Raises: UnsupportedContent for a slot that nothing fills.
    """
    module, _, name = question.address.rpartition(".")
    known = {v.name: given_text(q) for v, q in question.givens.items()}

    def filled(slot):
        if slot[1] not in known and "." not in slot[1]:
            raise prompts.UnsupportedContent(f"{question.address}: nothing fills {slot[0]}; it has {', '.join(known)}")
        return known.get(slot[1]) or find(slot[1]).text()

    return PLACEHOLDER.sub(filled, STANDALONE_PROMPTS.get(module, {}).get(name, ""))


def scenario_text(question):
    """Return the numbers on which a question is based, because a platform has no calculator to show them."""
    needed = {v for f in (*question.truths, *question.formulas) for v in f.inputs}
    known = [f"{v.meaning}: {given_text(q)}" for v, q in question.givens.items() if v in needed]
    return prompts.text_div(f"The situation: {'; '.join(known)}.") if known else prompts.text_div()


def task_item(statement, number, table):
    """Return a variant of a task; ordered lines are numbered."""
    choices = statement.choices(number)
    lines = [f"{each.text} {TEX.format(each.tex) if each.tex else ''}".strip() for each in choices]
    if statement.kind == "error":
        lines = [f"Line {i}: {line}" for i, line in enumerate(lines, 1)]
    question = prompts.join_divs(prompts.text_div(statement.fill(statement.prompt, number)), *table)
    if statement.kind == "error":
        question = prompts.join_divs(question, prompts.text_div(*lines))
    right = next(i for i, each in enumerate(choices) if each.right)
    options = tuple((line, each.feedback) for line, each in zip(lines, choices, strict=True))
    return MultipleChoice(statement.address, statement.title, question, options, right, number)


def exercise_items(exercise, block):
    """Return the first variants of an exercise; `block` is its HTML."""
    return [exercise_item(exercise, block, seed, number) for number, seed in enumerate(variant_seeds(exercise), 1)]


def exercise_item(exercise, block, seed, number):
    """Return one variant of an exercise; `block` is its HTML."""
    parsed = prompts.parse_html(block)
    prompt, hints = parsed.select(".mc-prompt"), parsed.select(".mc-hint > div")
    return _variant(exercise, seed, number, prompt, hints, _solution_words(parsed.select_one(".mc-solution > div")))


def _solution_words(solution):
    """Return the prose of a solution: the justification of the formula and the interpretation of the result."""
    parts = solution.select(".mc-justification, .mc-meaning")
    return [each for part in parts for each in (part.find_all(recursive=False) if part.name == "div" else [part])]


def _variant(exercise, seed, number, prompt, hints, solution_words):
    numbers = {v.name: given_text(q) for v, q in exercise.givens_of(seed).items()}
    tex = " ".join(exercise.solution(seed).split())
    return Numerical(
        address=exercise.address,
        seed=seed,
        number=number,
        title=exercise.title,
        prompt=prompts.plain_div(prompt, numbers),
        hints=tuple(prompts.plain_div([hint], numbers) for hint in hints),
        solution=prompts.join_divs(prompts.text_div(rf"\[{tex}\]"), prompts.plain_div(solution_words, numbers)),
        unit=f"{exercise.answer.units}" if exercise.answer._units else "",
        right=_right(exercise, seed),
        mistakes=tuple(_mistakes(exercise, seed)),
    )


def _mistakes(exercise, seed):
    for label, wrong in mistake_results(exercise, seed):
        yield wrong_target(wrong.magnitude, exercise.rtol, label, exercise.rounding)


def _right(exercise, seed):
    """Return the target of a variant's answer, exactly as tolerant as the book."""
    answer = exercise.exact_answer(seed).magnitude
    if not exercise.rounding:
        return right_target(answer, exercise.rtol)
    return count_target(
        *accepted_counts(answer, exercise.rounding), exercise.rtol * abs(answer) if abs(answer) >= EXACT else 0.0
    )
