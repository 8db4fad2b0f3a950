"""The worked solution of an exercise: problem, formula and justification, numbers, sensitivities.

What holds for every variant stays when a reader takes new numbers; what holds only for the stated numbers is marked
`mc-stated` and hidden then.
"""

from collections.abc import Iterable

from docutils import nodes

from mathbook import content_hash, solution_notes
from mathbook.elements import HtmlElement, display_math, element, inline_math, join_nodes, text_node
from mathbook.examples_and_facts import validity_warning_lines
from mathbook.formulas import relation_tex, render_conditions
from mathbook.render_context import RenderContext
from mathbook.roles import input_node
from mathcore import Variable
from mathcore.examples import given_symbols
from mathcore.number_format import NNBSP, number_text
from mathcore.printing import to_latex
from mathcore.teaching import Exercise
from mathcore.units import quantity_text

MAX_SENSITIVITIES = 2  # sensitivities in a solution, the largest first
FACTOR_FROM = 5  # a larger change is stated as a factor
SMALLEST_PERCENT = 0.1  # per cent; below it, no digits are given


def render_worked_solution(ctx: RenderContext, exercise: Exercise, remarks: list[nodes.Element]) -> HtmlElement:
    """Return the solution; `remarks` are interpretations on the page itself."""
    inside = element("div", "", _render_givens(exercise), _justification(ctx, exercise), *_rearrangement(exercise))
    solution = display_math(content_hash.memoize_json("solution", exercise, exercise.solution))
    inside += [element("div", "mc-stated", solution), _numbers_line(exercise)]
    if exercise.rounding:
        inside += element("p", "", text_node(solution_notes.ROUNDING_NOTES[exercise.rounding]))
    inside += [*validity_warning_lines(exercise), *_sensitivities(exercise)]
    inside += [*_interpretation(ctx, exercise, remarks), _render_mistakes(exercise)]
    return inside


def _bold_lead(text: str) -> HtmlElement:
    return element("b", "", text_node(f"{text} "))


def _render_givens(exercise: Exercise) -> HtmlElement:
    lhs = exercise.formula.lhs
    givens = join_nodes(
        [inline_math(v.tex), text_node(" = "), input_node(exercise, v.name), text_node(f" ({v.meaning})")]
        for v in exercise.givens
    )
    find = [text_node("; find "), inline_math(lhs.tex), text_node(f" ({lhs.meaning}).")]
    return element("p", "mc-problem", _bold_lead("Given"), *givens, *find)


def _justification(ctx: RenderContext, exercise: Exercise) -> HtmlElement:
    """Return why this formula applies: justifications of its derivation, assumptions, distance from its limits."""
    source = solution_notes.stated_formula(exercise.formula)
    symbols = [source.lhs, *source.inputs]
    paragraph = element("p", "mc-justification", _bold_lead("Why this formula."))
    if reasons := solution_notes.step_reasons(source):
        first, *others = reasons
        whole = [solution_notes.capitalize(first), *others]
        paragraph += [*join_nodes((ctx.inline(why, symbols) for why in whole), "; "), text_node(". ")]
    elif source.kind != "derived":
        paragraph += text_node(
            "This is a definition. " if source.kind == "definition" else "This is a modelling assumption. "
        )
    if assumptions := render_conditions(ctx, source):
        paragraph += [text_node("Assumptions: "), *assumptions, text_node(". ")]
    if source.convention:
        paragraph += [text_node("Convention: "), *ctx.inline(source.convention, symbols), text_node(". ")]
    for relation, _, is_kept, share in solution_notes.validity_margins(exercise.formula, exercise.givens):
        nearly = "" if share is None else f", at {number_text(100 * share, 2)}{NNBSP}% of the limit"
        verdict = f" holds{nearly}. " if is_kept else " does not hold here. "
        paragraph += element("span", "mc-stated", inline_math(relation_tex(relation)), text_node(verdict))
    return paragraph


def _rearrangement(exercise: Exercise) -> list[nodes.Node]:
    """Return the formula of the page, if the one used is solved from it."""
    source = solution_notes.stated_formula(exercise.formula)
    if source is exercise.formula:
        return []
    parts = [
        _bold_lead("Rearranged."),
        inline_math(source.latex()),
        text_node(" is solved for "),
        inline_math(exercise.formula.lhs.tex),
    ]
    return [element("p", "", *parts, text_node("."))]


def _numbers_line(exercise: Exercise) -> HtmlElement:
    formula, line = exercise.formula, content_hash.memoize_json("spec", exercise, exercise.spec)["line"]
    givens = {v.name: given_symbols(q) for v, q in exercise.givens.items()}
    right_side = content_hash.memoize_json("shown", exercise, lambda: to_latex(formula.display_form))
    # with the stated numbers the equation above says the same
    equation = inline_math(f"{formula.lhs.tex} = {right_side}")
    one = element("p", "mc-varied", text_node("With these numbers: "), equation, text_node(" = "), hidden=True)
    one += [element("span", "mc-line", text_node(line.format(**givens)), data_template=line), text_node(" = ")]
    one += [element("span", "mc-answer", text_node(exercise.text())), text_node(".")]
    return one


def _sensitivities(exercise: Exercise) -> list[nodes.Node]:
    """Return by how much the result changes if an input is 10 % larger, at the stated numbers."""
    changes: dict[str, list[Variable]] = {}
    for variable, ratio in solution_notes.sensitivities(exercise.formula, exercise.givens).items():
        changes.setdefault(_change_text(ratio), []).append(variable)
    unchanged = changes.pop("", [])
    if not changes:
        return []
    parts = [_bold_lead("Sensitivity.")]
    for index, (change, variables) in enumerate(list(changes.items())[:MAX_SENSITIVITIES]):
        subject = [inline_math(exercise.formula.lhs.tex)] if not index else [text_node("it")]
        parts += [text_node("; +10 % in " if index else "+10 % in "), *_joined_symbols(variables, " or ")]
        parts += [text_node(" changes "), *subject, text_node(f" by {change}")]
    if unchanged:
        parts += [
            text_node("; "),
            *_joined_symbols(unchanged, " and "),
            text_node(" have" if len(unchanged) > 1 else " has"),
        ]
        parts.append(text_node(" no effect at these numbers"))
    return [element("p", "mc-stated mc-sensitivity", *parts, text_node("."))]


def _change_text(ratio: float) -> str:
    """Return the change of a result from its ratio, such as `+4.9 %`; empty if there is none.

    >>> [_change_text(ratio).replace(NNBSP, " ") for ratio in (1.0, 1.0488, 0.91, 1.00001, 25.94)]
    ['', '+4.9 %', '−9.0 %', 'less than 0.1 %', 'a factor of 26']
    """
    if ratio == 1:
        return ""
    if not 1 / FACTOR_FROM < ratio < FACTOR_FROM:
        return f"a factor of {number_text(ratio, 2)}"
    percent = 100 * (ratio - 1)
    if abs(percent) < SMALLEST_PERCENT:
        return f"less than {SMALLEST_PERCENT}{NNBSP}%"
    return f"{'+' if percent > 0 else '−'}{number_text(abs(percent), 2)}{NNBSP}%"


def _joined_symbols(variables: Iterable[Variable], joint: str) -> list[nodes.Node]:
    return join_nodes(([inline_math(v.tex)] for v in variables), joint)


def _interpretation(ctx: RenderContext, exercise: Exercise, remarks: list[nodes.Element]) -> list[nodes.Node]:
    """Return the interpretation of the result: the note of the exercise, then the remarks of the page."""
    note = solution_notes.result_note(exercise.address)
    if not note and not remarks:
        return []
    block = element("div", "mc-meaning")
    if note:
        block += element("p", "", _bold_lead("Interpretation."), *ctx.inline(note))
    for remark in remarks:
        block += remark.children
    return [block]


def _render_mistakes(exercise: Exercise) -> HtmlElement:
    """Return the common mistakes with their results."""
    listed = element("ul", "mc-mistakes")
    for label, wrong in exercise.wrong_formulas.items():
        result = wrong.at(exercise.givens_of(0, wrong)).to(exercise.answer.units)
        value = element("span", "mc-mistake", text_node(quantity_text(result, None, exercise.digits)))
        listed += element("li", "", value, text_node(f": {label}"))
    return element("div", "", element("p", "", text_node("Common mistakes:")), listed)
