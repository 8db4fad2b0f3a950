"""All items of the book: prompts from the built site, keys and variants from the engine."""

import re

from mathbook import built_pages
from mathbook.variants import seeds, wrong_answers

from exports import prompts
from exports.items import Chapter, Choice, Numerical, count_target, right_target, wrong_target
from mathcore import find
from mathcore.examples import given_text
from mathcore.library import book as statements
from mathcore.teaching import Question, Task
from mathcore.teaching.diagnosis import EXACT, accepted_counts

ITEM_BLOCK = re.compile(r'<mc-(exercise|question|task)\b[^>]*data-address="([^"]+)".*?</mc-\1>', re.DOTALL)
TEX = r"\({}\)"
PLACEHOLDER = re.compile(r"\{([\w.]+)\}")
STANDALONE_PROMPTS = statements.data("standalone_prompts.toml")
TITLE = re.compile(r"<h1>.*?</h1>", re.DOTALL)


def chapters(book):
    """Return the Chapters of a built book that have items, in the order of the table of contents.

    An exercise that is on two pages belongs to the first.

    Raises: PageNotBuilt; UnsupportedContent, with the address.
    """
    with_items, seen = [], set()
    for chapter in built_pages.chapters(book):
        text = built_pages.articles(book, chapter.pages)
        fresh = {block[2]: block[0] for block in ITEM_BLOCK.finditer(text) if block[2] not in seen}
        seen |= fresh.keys()
        items = tuple(item for address, block in fresh.items() for item in _items(address, block))
        if items:
            with_items.append(Chapter(chapter.name, _title(text), items))
    return with_items


def _title(text):
    head = prompts.parsed(TITLE.search(text)[0])
    for part in head.select(".section-number, .headerlink"):
        part.decompose()
    return head.get_text().strip()


def _items(address, block):
    entity = find(address)
    if is_guess(address) or address in STANDALONE_PROMPTS["left_out"] or getattr(entity, "multiple", False):
        return []  # predictions are not graded, and platforms have no single choice with several right options
    try:
        if isinstance(entity, Task):
            table = [prompts.plain_div(prompts.parsed(block).select(".mc-scroll"))]
            return [task(entity, number, table) for number in range(entity.variants)]
        if isinstance(entity, Question):
            return [choice(entity, prompts.plain_div(prompts.parsed(block).select(".mc-prompt")))]
        return variants(entity, block)
    except prompts.UnsupportedContent as error:
        raise prompts.UnsupportedContent(f"{address}: {error}") from error


def is_guess(address):
    """Return whether an exercise or a question asks for a prediction before the material is presented.

    >>> is_guess("young_daly.guess"), is_guess("lab_scale_illusion.path_guess"), is_guess("young_daly.ex_waste")
    (True, True, False)
    """
    name = address.rpartition(".")[2]
    return name.startswith("guess") or name.endswith("_guess")


def choice(entity, prompt):
    """Return a question at its stated numbers, with its standalone prompt if it has one."""
    options = tuple(entity.text(i) for i in range(len(entity.options)))
    standalone = standalone_prompt(entity)
    question = prompts.text_div(standalone) if standalone else prompts.joined_div(scenario(entity), prompt)
    return Choice(entity.address, entity.title, question, options, entity.right)


def standalone_prompt(entity):
    """Return the prompt of a lab's question that needs no calculator, or an empty text.

    Raises: UnsupportedContent for a slot that nothing fills.
    """
    module, _, name = entity.address.rpartition(".")
    known = {v.name: given_text(q) for v, q in entity.givens.items()}

    def filled(slot):
        if slot[1] not in known and "." not in slot[1]:
            raise prompts.UnsupportedContent(f"{entity.address}: nothing fills {slot[0]}; it has {', '.join(known)}")
        return known.get(slot[1]) or find(slot[1]).text()

    return PLACEHOLDER.sub(filled, STANDALONE_PROMPTS.get(module, {}).get(name, ""))


def scenario(entity):
    """Return the numbers on which a question is based, because a platform has no calculator to show them."""
    needed = {v for f in (*entity.truths, *entity.formulas) for v in f.inputs}
    known = [f"{v.meaning}: {given_text(q)}" for v, q in entity.givens.items() if v in needed]
    return prompts.text_div(f"The situation: {'; '.join(known)}.") if known else prompts.text_div()


def task(entity, number, table):
    """Return a variant of a task; ordered lines are numbered."""
    choices = entity.choices(number)
    lines = [f"{each.text} {TEX.format(each.tex) if each.tex else ''}".strip() for each in choices]
    if entity.kind == "error":
        lines = [f"Line {i}: {line}" for i, line in enumerate(lines, 1)]
    question = prompts.joined_div(prompts.text_div(entity.fill(entity.prompt, number)), *table)
    if entity.kind == "error":
        question = prompts.joined_div(question, prompts.text_div(*lines))
    right = next(i for i, each in enumerate(choices) if each.right)
    options = tuple((line, each.feedback) for line, each in zip(lines, choices, strict=True))
    return Choice(entity.address, entity.title, question, options, right, number)


def variants(entity, block):
    """Return the first variants of an exercise; `block` is its HTML."""
    return [variant(entity, block, seed, number) for number, seed in enumerate(seeds(entity), 1)]


def variant(entity, block, seed, number):
    """Return one variant of an exercise; `block` is its HTML."""
    parsed = prompts.parsed(block)
    prompt, hints = parsed.select(".mc-prompt"), parsed.select(".mc-hint > div")
    return _variant(entity, seed, number, prompt, hints, _solution_words(parsed.select_one(".mc-solution > div")))


def _solution_words(solution):
    """Return the prose of a solution: the justification of the formula and the interpretation of the result."""
    parts = solution.select(".mc-justification, .mc-meaning")
    return [each for part in parts for each in (part.find_all(recursive=False) if part.name == "div" else [part])]


def _variant(entity, seed, number, prompt, hints, solution_words):
    numbers = {v.name: given_text(q) for v, q in entity.givens_of(seed).items()}
    tex = " ".join(entity.solution(seed).split())
    return Numerical(
        address=entity.address,
        seed=seed,
        number=number,
        title=entity.title,
        prompt=prompts.plain_div(prompt, numbers),
        hints=tuple(prompts.plain_div([hint], numbers) for hint in hints),
        solution=prompts.joined_div(prompts.text_div(rf"\[{tex}\]"), prompts.plain_div(solution_words, numbers)),
        unit=f"{entity.answer.units}" if entity.answer._units else "",
        right=_right(entity, seed),
        mistakes=tuple(_mistakes(entity, seed)),
    )


def _mistakes(entity, seed):
    for label, wrong in wrong_answers(entity, seed):
        yield wrong_target(wrong.magnitude, entity.rtol, label, entity.rounding)


def _right(entity, seed):
    """Return the target of a variant's answer, exactly as tolerant as the book."""
    answer = entity.exact_answer(seed).magnitude
    if not entity.rounding:
        return right_target(answer, entity.rtol)
    return count_target(
        *accepted_counts(answer, entity.rounding), entity.rtol * abs(answer) if abs(answer) >= EXACT else 0.0
    )
