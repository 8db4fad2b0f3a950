"""The instructor's edition: the same pages with open solutions, variants and keys, each page marked.

Keys are inserted when a page is written, so that the readers' pages and their search index do not contain them.
"""

from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx

from mathbook.elements import HtmlElement, element, inline_math, table, text_node
from mathbook.render_context import anchor
from mathbook.values import find_statement
from mathbook.variants import mistake_results, variant_seeds
from mathcore import Variable, units
from mathcore.examples import given_text
from mathcore.library import current_library
from mathcore.teaching import Exercise, Lab, Question, Task
from mathcore.teaching.questions import OPTION_LETTERS
from mathcore.types import AnyDict
from mathcore.units import Quantity, quantity_text

EDITION_MARK = """<aside class="mc-edition" aria-label="Edition">Instructor’s edition: with all keys</aside>"""
EDITION_HEAD = """<meta name="robots" content="noindex">
<style>
.mc-edition { position: fixed; left: 0; bottom: 0; z-index: 1100; padding: .15rem .7rem;
  background: #7a1f1f; color: #fff; font-size: .8rem; border-top-right-radius: .4rem; }
.mc-key { border-left: .25rem solid #7a1f1f; padding-left: .9rem; margin: 1rem 0; }
html[data-theme="dark"] .mc-key { border-color: #e08a8a; }
.mc-key .mc-table { font-size: 0.82rem; }
.mc-key :is(th, td) { padding-inline: 0.4rem; text-align: left; vertical-align: bottom; }
.mc-key td b { white-space: nowrap; }
@media print { .mc-key .mc-scroll { overflow: visible; } .mc-key .mc-table { font-size: 0.7rem; } }
</style>
"""


def setup(app: Sphinx) -> None:
    """Register the setting, and connect to the writing of pages."""
    app.add_config_value("mathbook_edition", "", "html")
    app.connect("doctree-resolved", _add_keys)
    app.connect("html-page-context", _mark_page)


def _mark_page(app: Sphinx, pagename: str, template: str, context: AnyDict, doctree: nodes.document | None) -> None:
    """Set the template variables of the visible mark and of `noindex`."""
    if app.config.mathbook_edition == "instructor":
        context |= {
            "mc_edition": " (instructor’s edition)",
            "mc_edition_head": EDITION_HEAD,
            "mc_edition_mark": EDITION_MARK,
        }


def _add_keys(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.config.mathbook_edition != "instructor":
        return
    keys: dict[str, Callable] = {"mc-exercise": exercise_key, "mc-question": question_key, "mc-task": task_key}
    for node in list(doctree.findall(HtmlElement)):
        if node["tag"] == "mc-open":
            _open_solution(node)
        elif node["tag"] in keys:
            key = keys[node["tag"]](find_statement(node["attrs"]["data-address"]))
            node.insert(node.index(_open_solution(node)), key)
        elif node["attrs"].get("class") == "mc-reveal-after":  # what waits for an answer is open
            node["attrs"] = {}


def _open_solution(node: HtmlElement) -> HtmlElement:
    """Open the solution of a block and return it."""
    last = [part for part in node.children if isinstance(part, HtmlElement) and part["tag"] == "details"][-1]
    last["attrs"] = {**last["attrs"], "open": True}
    return last


def exercise_key(statement: Exercise) -> HtmlElement:
    """Return the table of the first variants: inputs, answer, and the result of each common mistake."""
    varied = [v for v in statement.given if len(statement.values[v]) > 1]
    marks = [f"Mistake {number}" for number in range(1, len(statement.mistakes) + 1)]
    columns = ["Variant", [inline_math(statement.formula.lhs.tex)], *([inline_math(v.tex)] for v in varied), *marks]
    rows = [_variant_row(statement, seed, varied) for seed in variant_seeds(statement)]
    text = f"Key, with a relative tolerance of {statement.rtol * 100:g} %, and the first variants. "
    text += "A link in the first column opens the page with the numbers of that variant."
    inside = table(f"Variants of the exercise {statement.title}", columns, rows)
    labels = element("ol", "", *(element("li", "", text_node(label)) for label in statement.mistakes))
    return element("div", "mc-key", element("p", "", text_node(text)), inside, labels)


def _variant_row(statement: Exercise, seed: int, varied: list[Variable]) -> list[object]:
    address = statement.address
    link = element("a", "", text_node(f"{seed}"), href=f"?seed={address}:{seed}#{anchor(address)}")
    known = statement.givens_of(seed)
    wrong = [quantity_text(q, None, statement.digits) for _, q in mistake_results(statement, seed)]
    right = [element("b", "", text_node(statement.format_answer(statement.answer_of(seed))))]
    return [[link], right, *(given_text(known[v]) for v in varied), *wrong]


def task_key(task: Task) -> HtmlElement:
    """Return the right answer of each variant of a task."""
    rows = []
    for number in range(task.variants):
        right = [each for each in task.choices(number) if each.right]
        says = [
            [text_node(each.text), *([text_node(" "), inline_math(each.tex)] if each.tex else [])] for each in right
        ]
        rows.append([f"{number + 1}", task.fill(task.prompt, number), [element("p", "", *each) for each in says]])
    return element("div", "mc-key", table(f"Variants of {task.title}", ["Variant", "Asked", "Right"], rows))


def states_by_context(question: Question) -> Iterator[tuple[str, dict[Variable, Quantity]]]:
    """Yield `(label, values of the inputs)` for each context of a question's lab."""
    for _, lab in current_library.statements(current_library.split(question.address)[0], Lab):
        if question in lab.parts:
            for context in lab.contexts.values():
                sets = {v: units.quantity(context.sets[v]) for v in question.givens if v in context.sets}
                yield context.label, {**question.givens, **sets}


def question_key(statement: Question) -> HtmlElement:
    """Return the right option at the stated numbers and in each context, and the feedback on every option."""
    letter = OPTION_LETTERS[statement.right]
    says, _ = statement.text(statement.right)
    parts = [text_node("Key, at the stated numbers: "), element("b", "", text_node(f"{letter}. {says}"))]
    for label, state in states_by_context(statement):
        right = statement.right_at(state)
        parts += [
            text_node(f". {label}: "),
            element("b", "", text_node(f"{OPTION_LETTERS[right]}. {statement.text(right, state)[0]}")),
        ]
    listed = [element("li", "", text_node(statement.text(i)[1])) for i in range(len(statement.options))]
    return element("div", "mc-key", element("p", "", *parts), element("ol", "", *listed, type="A"))
