"""The verdict on a decision in sentences, and what differs from the verdict that the author expects."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mathcore.number_format import NNBSP, count_text, number_text
from mathcore.option_space import Settings

if TYPE_CHECKING:
    from mathcore.solution.solution import RankedOption, Solution

NAMED = 3  # options of a tie that a short verdict names


def solution_sentence(solution: "Solution") -> str:
    """Return the verdict, how the proposed option compares, and how robust the verdict is."""
    parts = [verdict_text(solution)]
    if solution.proposed is not None:
        parts.append(_proposed_text(solution, solution.row(solution.proposed, "proposed")))
    if robustness := solution.robustness:
        share = f"{number_text(100 * robustness.best.within, 2)}{NNBSP}%"
        parts.append(f"Today's best option stays best, or tied with the best, in {share} of the joint range.")
    return " ".join(parts)


def verdict_text(solution: "Solution") -> str:
    """Return the best option with its lead over the next one, or the tied options."""
    if solution.verdict == "win":
        return _win_text(solution)
    return _tie_along_lever_text(solution) if solution.tie_ends() else _tie_text(solution)


def _win_text(solution: "Solution") -> str:
    best = f"The best option is {_with_value(solution, solution.best)}."
    if len(solution.ranking) == 1:
        return f"{best} No other option is feasible."
    text = f"{best} The next one is {solution.row(solution.ranking[1], 'runner-up').loss_text} worse"
    return f"{text}, more than {_error_text(solution)}." if solution.error else f"{text}."


def _with_value(solution: "Solution", row: "RankedOption") -> str:
    return row.label if solution.labels_state_value else f"{row.label} ({row.value_text})"


def _error_text(solution: "Solution") -> str:
    return f"the error of a predicted difference ({solution.loss_text(solution.error)})"


def _tie_text(solution: "Solution") -> str:
    others = len(solution.tied) - 1
    tie = "Another option ties" if others == 1 else f"{count_text(others).capitalize()} other options tie"
    return _tied_with_best(solution, f"{tie} with it", "it is" if others == 1 else "they are")


def _tied_with_best(solution: "Solution", tie: str, worse: str = "they are") -> str:
    best = f"The best option is {_with_value(solution, solution.best)}."
    return f"{best} {tie}: {worse} worse by no more than {_error_text(solution)}."


def _tie_along_lever_text(solution: "Solution") -> str:
    """Return a tie along one lever, from its least to its greatest setting."""
    same = "" if len(solution.labels.varying) == 1 else ", otherwise the same,"
    return _tied_with_best(solution, f"All options {_tied_settings(solution)}{same} tie with it")


def _tied_settings(solution: "Solution") -> str:
    """Return the settings of a tie along one lever: `with interval from 20 min to 40 min`."""
    symbol, decision = solution.tie_lever, solution.decision
    assert symbol is not None  # else there are no ends
    settings = [solution.options[place].numbers[symbol] for place in solution.tie_ends()]
    span, label = " to ".join(decision.quantity_text(symbol, x, None) for x in settings), decision.label_of(symbol)
    return f"from {label.replace('{}', span)}" if "{}" in label else f"with {label} from {span}"


def short_verdict(solution: "Solution") -> str:
    """Return the best option and the options tied with it, or the next one, without the error."""
    best, others = _with_value(solution, solution.best), _tied_or_next(solution)
    return f"{best}; {others}" if others else best


def _tied_or_next(solution: "Solution") -> str:
    if solution.tie_ends():
        return f"tied: all {_tied_settings(solution)}"
    if len(solution.tied) > 1:
        rows = [solution.row(place, "tied") for place in solution.tied[1:NAMED]]
        more = len(solution.tied) - len(rows) - 1
        return "tied: " + "; ".join(_with_value(solution, row) for row in rows) + f"; and {more} more" * (more > 0)
    return f"next: {solution.label(solution.options[solution.ranking[1]])}" if len(solution.ranking) > 1 else ""


def _proposed_text(solution: "Solution", row: "RankedOption") -> str:
    if solution.proposed == solution.ranking[0]:
        return "The proposed option is the best one."
    if row.reason:
        return f"The proposed option is not feasible: it violates “{row.reason}”."
    tie = " and ties with it" if row.loss <= solution.error else ""
    return f"The proposed option is {row.loss_text} worse{tie}."


def verdict_differences(solution: "Solution") -> Iterator[str]:
    """Yield the differences between the verdict and the expected one.

    Raises: DeclarationError where the proposed option is none.
    """
    expected = solution.decision.expects
    solution.proposed  # noqa: B018  it must be an option
    if expected is None:
        yield "no verdict is expected: state in expects= what the prose says"
        return
    if expected == "tie":
        if solution.verdict == "win":
            yield f"a tie was expected, and {_win_text(solution)}"
        return
    wins = [Settings(wanted) for wanted in ([expected] if isinstance(expected, Mapping) else expected)]
    tied = [solution.options[place] for place in solution.tied]
    for wanted in wins:
        if not any(map(wanted.match, tied)):
            yield f"stale: {wanted} was expected, and {solution_sentence(solution)}"
    for option in tied:
        if not any(wanted.match(option) for wanted in wins):
            loss = solution.loss_text(solution.error)
            yield f"stale: {solution.label(option)} ties too, within {loss}: {solution_sentence(solution)}"
            return
