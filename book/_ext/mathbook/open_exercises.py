"""Exercises to derive, order, estimate, design and program: complete without scripts, the solution folded."""

from collections.abc import Callable

from docutils import nodes

from mathbook import live
from mathbook.calculators import data_script
from mathbook.elements import (
    HtmlElement,
    answer_field,
    answer_form,
    button,
    details,
    display_math,
    element,
    inline_math,
    join_nodes,
    raw_html,
    table,
    text_node,
)
from mathbook.exercises import HINTS, difficulty_mark, exercise_name
from mathbook.formulas import formula_latex, render_derivation_steps, step_texts
from mathbook.render_context import RenderContext, anchor
from mathcore import Variable
from mathcore.library import current_library
from mathcore.number_format import NNBSP, number_text, spell_unit
from mathcore.teaching import (
    DeriveExercise,
    DesignExercise,
    EstimateExercise,
    OpenExercise,
    OrderExercise,
    ProgramExercise,
)
from mathcore.types import AnyDict
from mathcore.units import quantity_text, unit_name

NO_SCRIPT_NOTE = "Checking answers needs JavaScript. Work out the answer, then open the solution."
LINE_LETTERS = "ABCDEFGHIJ"  # of the lines of a derivation
MOVES = (("add", "Add"), ("up", "Up"), ("down", "Down"), ("remove", "Remove"))  # buttons of a line
MOST_RIGHT = 8  # right choices that the solution of a design exercise lists


def render_open_exercise(ctx: RenderContext, address: str, exercise: OpenExercise) -> nodes.Node:
    """Return the block of an open exercise."""
    place = ctx.domain.number_within_page("exercises", ctx.docname, address, exercise.title)
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    whole = element("mc-open", "mc-exercise mc-open", data_address=address, data_kind=exercise.kind)
    whole["ids"] = [anchor(address)]
    head = [
        exercise_name(place),
        text_node(" "),
        element("span", "mc-title", *ctx.inline(exercise.title)),
        text_node(" "),
    ]
    prompt = element("p", "", *ctx.inline(exercise.fill(exercise.prompt), _symbol_list(exercise)))
    whole += [
        element("p", "mc-head", *head, *difficulty_mark(exercise)),
        element("div", "mc-prompt", element("p", "mc-task-kind", text_node(exercise.label)), prompt),
        raw_html(f'<noscript><p class="mc-help">{NO_SCRIPT_NOTE}</p></noscript>'),
    ]
    whole += PARTS[type(exercise)][0](ctx, anchor(address), exercise)
    for label, hint in zip(HINTS, exercise.hints, strict=False):
        whole += details("mc-hint", label, element("div", "", *ctx.inline(exercise.fill(hint), _symbol_list(exercise))))
    whole += details("mc-solution", "Solution", element("div", "", *PARTS[type(exercise)][1](ctx, exercise)))
    whole += raw_html(data_script(exercise.spec()))
    return ctx.with_source(whole)


def _symbol_list(exercise: OpenExercise) -> list[Variable]:
    return [exercise.formula.lhs, *exercise.symbols] if isinstance(exercise, DeriveExercise | OrderExercise) else []


def _explanation(ctx: RenderContext, exercise: OpenExercise) -> list[nodes.Node]:
    return (
        [element("p", "", *ctx.inline(exercise.fill(exercise.explanation), _symbol_list(exercise)))]
        if exercise.explanation
        else []
    )


def _field_form(name: str, label: list[nodes.Node], help_text: nodes.Node) -> HtmlElement:
    """Return the form of one field with its label."""
    label = element("label", "", *label, for_=f"{name}-answer")
    return answer_form(label, field=[answer_field(name)], after=[help_text], feedback=f"{name}-feedback")


# ---------------------------------------------------------------- derive


def _derive_form(ctx: RenderContext, name: str, exercise: DeriveExercise) -> list[nodes.Node]:
    lhs = exercise.formula.lhs
    symbols = []
    for symbol in exercise.symbols:
        insert = button("mc-symbol-key", symbol.name, data_insert=symbol.name, title=f"Insert {symbol.name}")
        symbols.append([insert, text_node(" "), *ctx.inline(symbol.meaning)])
    listed = element("span", "mc-help", text_node("Symbols: "), *join_nodes(symbols), id=f"{name}-help")
    listed += text_node(". Write products with *, powers with ^, and sqrt( ), exp( ), log( ), min( , ), max( , ).")
    label = [text_node("Your expression for "), inline_math(lhs.tex), text_node(f" ({lhs.meaning})")]
    return [_field_form(name, label, listed)]


def _derive_solution(ctx: RenderContext, exercise: DeriveExercise) -> list[nodes.Node]:
    formula = exercise.formula
    ctx.note_use(formula.address)
    result, derivation = formula_latex(formula), formula.derivation
    lines = [line for line, *_ in step_texts(derivation)] if derivation is not None else []
    blocks = [] if result in lines[-1:] else [display_math(result)]  # a derivation that ends with it shows it once
    if derivation is not None:
        blocks.append(render_derivation_steps(ctx, derivation))
    mistakes = element(
        "ul", "", *(element("li", "", *ctx.inline(x, _symbol_list(exercise))) for x in exercise.mistakes)
    )
    heading = element("p", "", element("b", "", text_node("Mistakes that are recognised")))
    return [*blocks, *_explanation(ctx, exercise), *([heading, mistakes] if exercise.mistakes else [])]


# ---------------------------------------------------------------- order


def _order_form(ctx: RenderContext, name: str, exercise: OrderExercise) -> list[nodes.Node]:
    pool = element("ol", "mc-order-pool", aria_labelledby=f"{name}-pool")
    for place, (line, _) in enumerate(exercise.lines):
        letter = LINE_LETTERS[place]
        keys = [
            button(f"mc-order-{key}", text, data_move=key, aria_label=f"{text} line {letter}") for key, text in MOVES
        ]
        row = [
            element("b", "", text_node(letter)),
            element("span", "mc-order-line", inline_math(rf"\displaystyle {line}")),
            *keys,
        ]
        pool += element("li", "", *row, data_line=f"{place}")
    chain = element("ol", "mc-order-chain", aria_labelledby=f"{name}-chain")
    heads = [("pool", "Lines; not all belong to the derivation"), ("chain", "Your derivation")]
    labels = [element("p", "mc-label", text_node(text), id=f"{name}-{part}") for part, text in heads]
    hidden = element("input", "", type="hidden", id=f"{name}-answer", name="answer")
    rule = "Add the lines in an order in which each follows from those above it."
    help_text = element("span", "mc-help", text_node(rule), id=f"{name}-help")
    parts = [labels[0], pool, labels[1], chain, hidden]
    return [answer_form(*parts, after=[help_text], feedback=f"{name}-feedback")]


def _order_solution(ctx: RenderContext, exercise: OrderExercise) -> list[nodes.Node]:
    assert exercise.formula.derivation is not None
    ctx.note_use(exercise.formula.address)
    letters = {place: LINE_LETTERS[index] for index, (_, place) in enumerate(exercise.lines)}
    right = ", ".join(letters[place] for place in range(len(exercise.steps)))
    false = [f"{letters[-1 - i]}: {each['label']}" for i, each in enumerate(exercise.wrong)]
    blocks = [element("p", "", text_node(f"In the order {right}."))]
    blocks.append(render_derivation_steps(ctx, exercise.formula.derivation))
    heading = element("p", "", element("b", "", text_node("Lines that do not belong there")))
    items = element("ul", "", *(element("li", "", *ctx.inline(text, _symbol_list(exercise))) for text in false))
    return [*blocks, *_explanation(ctx, exercise), heading, items]


# ---------------------------------------------------------------- estimate


def _estimate_form(ctx: RenderContext, name: str, exercise: EstimateExercise) -> list[nodes.Node]:
    written = f"1.5 {spell_unit(unit_name(exercise.answer))}".strip()
    rule = f"A number with its unit, such as {written}. Right within a factor of {number_text(exercise.factor, None)}."
    return [
        _field_form(name, [text_node("Your estimate")], element("span", "mc-help", text_node(rule), id=f"{name}-help"))
    ]


def _estimate_solution(ctx: RenderContext, exercise: EstimateExercise) -> list[nodes.Node]:
    shares = dict(exercise.elasticities)
    rows = []
    for link in exercise.chain:
        share = shares.get(link["name"])
        kind = "computed" if share is None else "assumed"
        turn = "" if share is None else f"{number_text(share, 2)}{NNBSP}%"
        rows.append([ctx.inline(link["text"]), quantity_text(exercise.links[link["name"]], None, 3), kind, turn])
    columns = ["Link", "Value", "", "Change of the answer for +1 %".replace(" %", f"{NNBSP}%")]
    blocks = [table(f"Chain of {exercise.title}", columns, rows)]
    if exercise.fact is not None:
        ctx.note_use(exercise.reported)
        ratio = (exercise.answer / exercise.fact.value).m_as("dimensionless")
        text = f"Reported: {exercise.fact.text()} ({exercise.fact.meaning}); "
        blocks.append(element("p", "", text_node(f"{text}the chain gives {number_text(ratio, 2)} times that.")))
    return [*blocks, *_explanation(ctx, exercise)]


# ---------------------------------------------------------------- design


def _design_form(ctx: RenderContext, name: str, exercise: DesignExercise) -> list[nodes.Node]:
    fields = element("span", "mc-row mc-design")
    spec: AnyDict = exercise.spec()
    for index, lever in enumerate(spec["levers"]):
        select = element("select", "mc-select", id=f"{name}-answer" if not index else f"{name}-{index}")
        select += [element("option", "", text_node("choose"), value="")]
        select += [element("option", "", text_node(text), value=f"{i}") for i, text in enumerate(lever["settings"])]
        fields += element("label", "", *ctx.inline(lever["label"]), text_node(" "), select)
    rule = f"Any choice within {number_text(100 * exercise.within, None)}{NNBSP}% of the computed optimum is right."
    help_text = element("span", "mc-help", text_node(rule), id=f"{name}-help")
    return [answer_form(fields, after=[help_text], feedback=f"{name}-feedback")]


def _design_solution(ctx: RenderContext, exercise: DesignExercise) -> list[nodes.Node]:
    ctx.note_use(exercise.decision)
    right = exercise.right_choices()
    rows = []
    for key in right[:MOST_RIGHT]:
        settings = [exercise.setting_text(n, x) for n, x in zip(exercise.levers, key, strict=True)]
        rows.append([*settings, exercise.objective_text(exercise.cells[key][0])])
    target = current_library.find(exercise.decision).name_of(exercise.solution.decision.target)
    columns = [*(ctx.inline(label) for label in exercise.levers.values()), ctx.inline(target)]
    more = "" if len(right) <= MOST_RIGHT else f", of which the best {MOST_RIGHT} are listed"
    text = f"{len(right)} of {len(exercise.cells):,} choices are right{more}."
    return [
        element("p", "", text_node(text)),
        table(f"Right choices of {exercise.title}", columns, rows),
        *_explanation(ctx, exercise),
    ]


# ---------------------------------------------------------------- program


def _program_form(ctx: RenderContext, name: str, exercise: ProgramExercise) -> list[nodes.Node]:
    code = nodes.literal_block(exercise.skeleton, exercise.skeleton, language="python")
    cell = nodes.container("", nodes.container("", code, classes=["cell_input"]), classes=["cell"])
    note = "Needs this site's server; a copy from disk runs no Python. Run checks the results."
    blocks = [cell, element("p", "mc-help", text_node(note))]
    if live.is_available():
        cell += live.live_data(before="", name=name, after=exercise.checking_code())
    return blocks


def _program_solution(ctx: RenderContext, exercise: ProgramExercise) -> list[nodes.Node]:
    code = nodes.literal_block(exercise.solution, exercise.solution, language="python")
    rows = [[call, f"{value:.6g}", f"{rtol:g}"] for call, value, rtol in exercise.expected]
    checks = table(f"Checks of {exercise.title}", ["Call", "Result", "Relative tolerance"], rows)
    return [code, checks, *_explanation(ctx, exercise)]


PARTS: dict[type, tuple[Callable, Callable]] = {
    DeriveExercise: (_derive_form, _derive_solution),
    OrderExercise: (_order_form, _order_solution),
    EstimateExercise: (_estimate_form, _estimate_solution),
    DesignExercise: (_design_form, _design_solution),
    ProgramExercise: (_program_form, _program_solution),
}
