"""Decisions as blocks of a page: a sentence, the options, and what would change the verdict.

Everything is computed in Python, once for each decision, and is in the page: no script is needed.
"""

from docutils import nodes

from mathbook import content_hash
from mathbook.elements import HtmlElement, details, element, inline_math, table, text_node
from mathbook.render_context import RenderContext, anchor
from mathbook.values import facts_behind
from mathcore import Decision, Variable
from mathcore.number_format import NNBSP, number_text
from mathcore.solution import Solution
from mathcore.solution.joint_range import Regret
from mathcore.solution.sensitivity import Change
from mathcore.statements import address_of
from mathcore.types import AnyDict

GLOSSARY = "book/appendices/glossary"
CHANGES, OTHERS = "What would change it", "Inputs that do not change it within their ranges"
SHARES = 5  # options whose share of the joint range a page states


def render_decision(ctx: RenderContext, address: str, statement: Decision) -> list[nodes.Node]:
    """Return the block of a decision."""
    ctx.note_use(address, *facts_behind(statement), *map(address_of, statement.uncertain))
    ctx.domain.note_shown(address, ctx.docname, anchor(address))
    solved_texts = decision_texts(statement)
    columns, rows = solved_texts["options"]
    as_best = "… as in the best option. " if any(row[0].startswith("…") for row in rows) else ""
    parts = [
        element("p", "mc-head", *ctx.inline(statement.question)),
        element("p", "mc-decided", *_link_terms(ctx, solved_texts["sentence"], "joint range")),
        table(f"Options: {statement.question}", columns, rows, "mc-table mc-carded mc-options"),
        element("p", "mc-source", text_node(as_best + solved_texts["counted"])),
    ]
    decisive, others = _split_by_effect(solved_texts)
    if decisive:
        parts += [element("p", "mc-label", text_node(CHANGES)), _sensitivity_table(ctx, statement, decisive)]
    elif others:
        parts.append(element("p", "", text_node("No uncertain input changes this within its range.")))
    parts.append(_render_basis(ctx, statement, solved_texts))
    block = element("mc-decision", "mc-decision", *parts, data_address=address)
    block["ids"] = [anchor(address)]
    return [ctx.with_source(block)]


def _split_by_effect(solved_texts: AnyDict) -> tuple[list[list[str]], list[list[str]]]:
    """Return the uncertain inputs that change the verdict within their ranges, and the others."""
    changes, decisive = solved_texts["changes"], solved_texts["decisive"]
    return [c for c in changes if c[0] in decisive], [c for c in changes if c[0] not in decisive]


def _sensitivity_table(
    ctx: RenderContext, decision: Decision, changes: list[list[str]], title: str = CHANGES
) -> HtmlElement:
    """Return a table of uncertain inputs, with their symbols set as mathematics."""
    symbols = {symbol.name: symbol for symbol in decision.uncertain}
    head = ["input", "today", "range", "verdict changes at", "regret at the ends"]
    rows = [[_input_cell(ctx, symbols[name]), *cells] for name, *cells, _ in changes]
    return table(f"{title}: {decision.question}", head, rows, "mc-table mc-carded mc-changes")


def _input_cell(ctx: RenderContext, symbol: Variable) -> list[nodes.Node]:
    return [*ctx.inline(symbol.meaning), text_node(" "), inline_math(symbol.tex)]


def _render_basis(ctx: RenderContext, decision: Decision, solved_texts: AnyDict) -> HtmlElement:
    """Return a folded block: constraints, robustness, regret of staying, sources of error and ranges, other inputs."""
    items = [element("li", "", *_link_terms(ctx, text, "regret")) for text in solved_texts["basis"]]
    symbols = {symbol.name: symbol for symbol in decision.uncertain}
    for name, *_, source in solved_texts["changes"]:
        items.append(
            element("li", "", text_node("Range of "), *_input_cell(ctx, symbols[name]), text_node(f": {source}."))
        )
    for joint, correlation, reason in decision.common:
        names = ", ".join(f"${symbol.tex}$" for symbol in joint)
        text = f"{names} vary together with correlation {number_text(correlation, 2)}: {reason}."
        items.append(element("li", "", *ctx.inline(text)))
    parts = [element("ul", "", *items)]
    if others := _split_by_effect(solved_texts)[1]:
        label = element("p", "mc-label", text_node(OTHERS))
        parts = [label, _sensitivity_table(ctx, decision, others, OTHERS), *parts]
    return details("mc-data", "How robust is it, and how was it computed?", *parts)


def _link_terms(ctx: RenderContext, text: str, term: str) -> list[nodes.Node]:
    """Return a text whose first use of a term is linked to the glossary, which slides lack; a $ is that of a price."""
    before, found, after = text.partition(term)
    linked = found and GLOSSARY in ctx.env.found_docs
    return [text_node(before), *(ctx.inline(f"{{term}}`{term}`") if linked else [text_node(found)]), text_node(after)]


def decision_texts(decision: Decision) -> AnyDict:
    """Return the texts that a page shows of a decision, memoized by its content hash."""
    return content_hash.memoize_json("decision", decision, lambda: compute_texts(decision))


def compute_texts(decision: Decision) -> AnyDict:
    """Return the texts that a page shows of a decision."""
    solution = decision.solve()
    solved_texts = {
        "sentence": solution.sentence(),
        "options": _option_table(solution),
        "counted": _option_counts(solution),
    }
    decisive = [each.symbol.name for each in solution.changes if each.matters or any(c.inside for c in each.crossings)]
    changes = list(map(_change_texts, solution.changes))
    return solved_texts | {"changes": changes, "decisive": decisive, "basis": _basis_texts(solution)}


def compute_row_texts(decision: Decision) -> AnyDict:
    """Return the texts of a decision's row in the appendix: verdict, margin, changes within the ranges, and share.

    The margin is that to the best option that does not tie, next to the error of a predicted difference. The share is
    that of the joint range in which the best option stays best or ties with the best.
    """
    solution = decision.solve()
    changes = [
        [change.symbol.name, ", ".join(crossing.text for crossing in change.crossings if crossing.inside)]
        for change in solution.changes
    ]
    robust = solution.robustness
    share = _share_text(robust.best.within) if robust else ""
    changes = [each for each in changes if each[1]]
    return {"verdict": solution.short_verdict(), "margin": _margin_texts(solution), "changes": changes, "share": share}


def _margin_texts(solution: Solution) -> list[str]:
    """Return by how much the next option and the proposed one are worse, next to the error."""
    values = solution.values()
    error = f"error {solution.loss_text(solution.error)}"
    after = solution.row(solution.ranking[len(solution.tied)], "") if "outside" in values else None
    texts = [f"{after.loss_text} worse, {error}" if after else error]
    if solution.proposed is not None:
        proposed = solution.row(solution.proposed, "proposed")
        worse = f"{proposed.loss_text} worse" if solution.feasible[solution.proposed] else "not feasible"
        texts.append(f"proposed: {proposed.label}, {worse}")
    return texts


def row_texts(decision: Decision) -> AnyDict:
    """Return the summary of a decision, memoized by its content hash."""
    return content_hash.memoize_json("decision-summary", decision, lambda: compute_row_texts(decision))


def decision_row(ctx: RenderContext, address: str, decision: Decision) -> list[object]:
    """Return the cells of a decision in the appendix, without the link to its page."""
    summary_texts = row_texts(decision)
    symbols = {symbol.name: symbol for symbol in decision.uncertain}
    changes = []
    for name, at in summary_texts["changes"]:
        changes.append(element("li", "", *ctx.inline(symbols[name].meaning), text_node(f" at {at}")))
    listed = [element("ul", "", *changes)] if changes else "at no value within the ranges"
    margin = element("ul", "", *(element("li", "", text_node(text)) for text in summary_texts["margin"]))
    return [decision.question, summary_texts["verdict"], [margin], listed, summary_texts["share"]]


def _option_table(solution: Solution) -> list[list]:
    """Return the columns and the rows of the table; below the best option only what differs from it is named."""
    decision, (best, *_) = solution.decision, solution.table()
    target = decision.name_of(decision.target)
    value = (
        [] if solution.labels_state_value else [target if target != decision.target.name else decision.target.meaning]
    )
    columns = ["option", *value, "worse by"]
    columns += [decision.name_of(v) if decision.name_of(v) != v.name else v.meaning for v in decision.columns]
    rows = [
        [
            solution.labels.relative(row.option, best.option),
            *[row.value_text] * len(value),
            row.loss_text,
            *row.column_texts,
            ": ".join(filter(None, [row.status, row.reason])),
        ]
        for row in solution.table()
    ]
    return [[*columns, "result"], rows]


def _option_counts(solution: Solution) -> str:
    """Return the number of options, and of the feasible ones."""
    feasible, count = int(solution.feasible.sum()), len(solution.options)
    return f"{'All' if feasible == count else f'{_many(feasible)} of'} {_many(count)} options are feasible."


def _constraint_texts(solution: Solution) -> list[str]:
    """Return a sentence for each constraint that excludes options, the strictest first."""
    named = {name: solution.removed[name] for name in solution.decision.constraints if name in solution.removed}
    removed = sorted(named.items(), key=lambda pair: -pair[1][0])
    texts = [
        f"“{name}” excludes {_many(count)} options, of which {_many(one)} would be feasible without it."
        for name, (count, one) in removed
    ]
    if beyond := len(solution.options) - int((solution.feasible | solution.costs.violates(named)).sum()):
        texts.append(f"{_many(beyond)} options lie outside the domain of a formula.")
    return texts


def _many(count: int) -> str:
    return number_text(count, None)


def _change_texts(change: Change) -> list[str]:
    crossings = [f"{c.text}: {c.to}" + " (outside the range)" * (not c.inside) for c in change.crossings]
    text = "; ".join(crossings) or f"nowhere from {change.searched[0]} to {change.searched[1]}"
    ends = ", ".join(change.losses)
    return [change.symbol.name, change.value, " to ".join(change.range), text, ends, change.source]


def _basis_texts(solution: Solution) -> list[str]:
    """Return the sentences on the error, the joint range and the regret."""
    _, source = solution.decision.margin_of_error
    texts = _constraint_texts(solution)
    texts += [f"The error of a predicted difference between options is {solution.loss_text(solution.error)}: {source}."]
    texts += [
        f"A formula is used outside its range of validity: {text}." for text in solution.doubts(solution.ranking[0])
    ]
    if (robustness := solution.robustness) is None:
        return texts
    shares = "; ".join(
        f"{each.label} in {_share_text(each.wins)} (mean regret {solution.loss_text(each.mean)})"
        for each in robustness.winners[:SHARES]
    )
    shares += f"; no option is feasible in {_share_text(robustness.nothing)}" if robustness.nothing else ""
    shares = f"lies from {robustness.middle} in 90{NNBSP}% of them" if robustness.middle else f"is {shares}"
    sampled = "inputs are independent unless stated, and uniform in the logarithm where their range is above zero"
    texts.append(f"In {_many(robustness.samples)} samples of the joint range ({sampled}) the best option {shares}.")
    for name, each in (("best", robustness.best), ("proposed", robustness.proposed)):
        if each:
            texts.append(_regret_text(solution, name, each))
    return texts


def _regret_text(solution: Solution, name: str, regret: Regret) -> str:
    """Return the regret of an option over the joint range."""
    out = (
        f" in which it is feasible; it is not feasible in {_share_text(regret.infeasible)}" if regret.infeasible else ""
    )
    costs = f"{solution.loss_text(regret.mean)} on average and {solution.loss_text(regret.p95)} at p95"
    option = f"{regret.label} with its other settings chosen anew" if solution.decision.decides else regret.label
    return f"Staying with today's {name} option, {option}, costs {costs} more than the best of each sample{out}."


def _share_text(share: float) -> str:
    return f"{number_text(100 * share, 2)}{NNBSP}%"
