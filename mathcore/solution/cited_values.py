"""The numbers of a solved decision that prose may cite by name: `{mc:value}` with `.best`, `.margin`, `.M_below`."""

import math
from typing import TYPE_CHECKING

from mathcore import units
from mathcore.units import Quantity

if TYPE_CHECKING:
    from mathcore.solution.joint_range import Regret
    from mathcore.solution.sensitivity import Change
    from mathcore.solution.solution import Solution


def cited_values(solution: "Solution") -> dict[str, Quantity]:
    """Return the numbers by name.

    `best` and `proposed` are their objectives; `margin` is by how much the next option is worse, `outside` by how
    much the next one that does not tie, `proposed_margin` the proposed one, which has neither if it is not
    feasible; `error`; the counts `options`, `feasible`, `tied`; `share`, of the joint range in which the best
    option is best or ties, `infeasible`, in which it is not feasible, `regret` and `regret_p95` of it, and with
    `proposed_` before them of the proposed one; `best_X` and `proposed_X` for the numbers of these options and the
    symbols in the table; and for uncertain inputs `X`, `X_low`, `X_high`, and the break-even values `X_below` and
    `X_above` today's.
    """
    values = {"best": solution.best.value, **_option_values(solution, "best", solution.ranking[0])}
    if solution.proposed is not None:
        if solution.feasible[solution.proposed]:
            row = solution.row(solution.proposed, "proposed")
            values |= {"proposed": row.value, "proposed_margin": solution.scale.quantity(row.loss)}
        values |= _option_values(solution, "proposed", solution.proposed)
    counts = {"options": len(solution.options), "feasible": solution.feasible.sum(), "tied": len(solution.tied)}
    values |= {name: Quantity(float(count), units.unit("")) for name, count in counts.items()}
    losses = {"margin": solution.margin, "error": solution.error, **_outside_values(solution)}
    values |= {name: solution.scale.quantity(loss) for name, loss in losses.items()}
    if robustness := solution.robustness:
        values |= _regret_values(solution, "", robustness.best)
        values |= _regret_values(solution, "proposed_", robustness.proposed) if robustness.proposed else {}
    for change in solution.changes:
        values |= _input_values(solution, change)
    return values


def _option_values(solution: "Solution", prefix: str, place: int) -> dict[str, Quantity]:
    numbers = solution.numbers_of(place)
    return {f"{prefix}_{symbol.name}": symbol.display_quantity(number) for symbol, number in numbers.items()}


def _outside_values(solution: "Solution") -> dict[str, float]:
    untied = solution.order.untied[:1]
    return {"outside": float(solution.order.losses(untied)[0])} if untied else {}


def _regret_values(solution: "Solution", prefix: str, regret: "Regret") -> dict[str, Quantity]:
    shares = {"share": regret.within, "infeasible": regret.infeasible}
    values = {f"{prefix}{name}": Quantity(100 * share, units.unit("%")) for name, share in shares.items()}
    if math.isfinite(regret.mean):
        losses = {"regret": regret.mean, "regret_p95": regret.p95}
        values |= {f"{prefix}{name}": solution.scale.quantity(loss) for name, loss in losses.items()}
    return values


def _input_values(solution: "Solution", change: "Change") -> dict[str, Quantity]:
    name, ends = change.symbol.name, solution.ranges[change.symbol]
    low, today, high = map(change.symbol.display_quantity, ends)
    crossings = {f"{name}_{'below' if each.value < today else 'above'}": each.value for each in change.crossings}
    return {f"{name}_low": low, name: today, f"{name}_high": high, **crossings}
