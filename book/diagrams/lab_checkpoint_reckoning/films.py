"""Films of the lab on checkpoints: two strategies under one failure, and the three levels of a checkpoint.

The first plays the fleet as the lab's message tells it, at the best intervals in whole steps that the lab's own
formula gives; a clock without formulas moves both jobs on. The second fills and empties the three places
of the fleet of `trillion`.
"""

import math
from typing import NamedTuple

from diagrams.fleet_checkpointing.background_upload import SaveStrategy
from diagrams.fleet_checkpointing.checkpoint_levels import places
from mathbook.diagrams.canvas import Canvas
from mathbook.diagrams.registry import Diagram, Frame, as_text, diagram

LAB = "lab_checkpoint_reckoning"
STEP = 4  # seconds of the job between two pictures
WIDTH = 340

# ---------------------------------------------------------------- two strategies


class Scenario(NamedTuple):
    """The fleet as the message tells it, in seconds: both ways to save, and when the failure strikes."""

    ways: tuple
    strike: float


def scenario(read):
    """Return both strategies at their best intervals in whole steps, struck after one mean time between failures."""
    fleet = {variable.name: given for variable, given in read.formula(f"{LAB}.lab").contexts["told"].sets.items()}
    del fleet["tau"], fleet["M"], fleet["C"]

    def second(name, strategy):
        formula = read.formula(f"{LAB}.{name}")
        known = {**fleet, "a": strategy}
        return float(formula.at(**{v.name: known[v.name] for v in formula.inputs}).m_as("s"))

    still = SaveStrategy("Synchronous", second("best_steps", "100 %"), second("write", "100 %"), 0.0)
    behind = SaveStrategy("Asynchronous", second("best_steps", "0 %"), second("stall", "0 %"), second("write", "0 %"))
    return Scenario((still, behind), float(read("young_daly.lab_cluster").m_as("s")))


def doing(strategy, now):
    """Return what a job does at a moment before the failure, in words."""
    if any(begin <= now < end for begin, end in strategy.stalls(now + 1e-9)):
        return "stalls"
    under_way = any(end <= now < end + strategy.upload for _, end in strategy.stalls(now + 1e-9))
    return "works during an upload" if under_way else "works"


def caught_up(strategy, strike):
    """Return when the work that the failure took has been done again, with the stalls that come in between."""
    lost = strategy.lost(strike)
    return strike + lost + math.ceil(lost / strategy.work - 1) * strategy.stall


@diagram("lab-strategies")
def lab_strategies(read):
    """Play both strategies through one failure."""
    both, strike = found = scenario(read)
    end = max(caught_up(strategy, strike) for strategy in both)
    before = [now for i in range(1, int(strike / STEP) + 1) if (now := STEP * i) < strike]
    after = [caught_up(strategy, strike) for strategy in reversed(both)]
    stills = {before[2], before[5], strike, *after}
    moments = [*before, strike, *after]
    frames = tuple(Frame(_lanes(found, now, end), _frame_description(found, now), now not in stills) for now in moments)
    return Diagram(
        title="Two ways to save, and one failure",
        description="; ".join(
            f"{strategy.name}: {strategy.work:g} s of work, then {strategy.stall:g} s at a standstill"
            + (f" and {strategy.upload:g} s of upload" if strategy.upload else "")
            + f", and a failure after {strike:.3g} s takes {strategy.lost(strike):.3g} s of work"
            for strategy in both
        )
        + ".",
        columns=("way to save", "work between two", "training stands still", "upload", "lost in this failure"),
        rows=tuple(
            [w.name, f"{w.work:g} s", f"{w.stall:g} s", f"{w.upload:g} s", f"{w.lost(strike):.3g} s"] for w in both
        ),
        frames=frames,
        values={"ways": both, "strike": strike, "moments": moments},
    )


def _frame_description(found, now):
    still, behind = found.ways
    if now < found.strike:
        return f"After {now:g} s: the first job {doing(still, now)}, the second {doing(behind, now)}."
    if now == found.strike:
        gone = [f"{strategy.lost(now):.3g} s" for strategy in found.ways]
        return (
            f"After {now:.3g} s the fleet fails. Work since the last safe checkpoint is gone: {gone[0]} and {gone[1]}."
        )
    ready = [strategy for strategy in found.ways if caught_up(strategy, found.strike) <= now + 1e-9]
    return f"After {now:.3g} s {'both jobs are' if len(ready) == 2 else 'the second job is'} where the failure struck."


def _lanes(found, now, end):
    canvas, strike = Canvas(WIDTH), found.strike
    unit, y, high = (WIDTH - 6) / end, 24, 22
    for strategy in found.ways:
        until = min(now, strike)
        canvas.text(2, y - 7, strategy.name, 12.5, bold=True)
        safe = strategy.redone(until)
        canvas.text(WIDTH - 2, y - 7, f"safe: {safe - _stalled(strategy, safe):.3g} s of work", 12, "end", "time", True)
        _work(canvas, strategy, found, now, y, high, unit)
        y += high + 4
        if strategy.upload:
            for _, begin in strategy.stalls(until):
                done = begin + strategy.upload <= until
                wide = (min(begin + strategy.upload, until) - begin) * unit
                canvas.rect(2 + begin * unit, y, wide, 8, "bytes", "full" if done else "soft", 1)
            canvas.text(WIDTH - 2, y + 9, "uploads", 11.5, "end", "bytes", True)
        y += 36
    canvas.text(min(max(2 + now * unit, 20), WIDTH - 24), y - 16, f"{now:.3g} s", 12, "middle", "quiet")
    return canvas


def _stalled(strategy, until):
    return sum(end - begin for begin, end in strategy.stalls(until))


def _work(canvas, strategy, found, now, y, high, unit):
    """Draw work, stalls and what the failure takes; then the same work done again."""
    until, x = min(now, found.strike), 2 + now * unit
    canvas.line(x, y - 3, x, y + high + 3, "plain", "thin")

    def boxes(spans):
        return [(2 + a * unit, y, max((b - a) * unit, 1.4), high) for a, b in spans if b > a]

    canvas.rects(boxes(strategy.works(until)), "time", "soft", "bare")
    canvas.rects(boxes(strategy.stalls(until)), "time", "full", "bare")
    if now < found.strike:
        return
    gone = boxes([(strategy.redone(until), until)])
    canvas.rects(gone, "failure", "soft", "bare").hatch_rects(gone, "failure", 5)
    canvas.rects(boxes([(found.strike, min(now, caught_up(strategy, found.strike)))]), "time", "mid", "bare")
    struck = 2 + found.strike * unit
    canvas.line(struck, y - 3, struck, y + high + 3, "failure", "bold")


# ---------------------------------------------------------------- three levels

HELD, COMING, LOST, EMPTY = "held", "coming", "lost", "empty"


@diagram("lab-levels")
def lab_levels(read):
    """Fill the three places of a checkpoint one after another, and take them away."""
    found = places(read)
    times = [time for _, _, time, _, _ in found]
    names = [where for where, *_ in found]
    story = _story(names, [as_text(time) for time in times])
    return Diagram(
        title="Three levels of a checkpoint",
        description=" ".join(words for words, _ in story),
        columns=("a copy in", "is safe after", "outlives the loss of"),
        rows=tuple([where, as_text(time), mends] for where, mends, time, _, _ in found),
        frames=tuple(Frame(_places(found, state), words) for words, state in story),
        values={"times": [float(time.m_as("s")) for time in times], "states": [state for _, state in story]},
    )


def _story(names, times):
    """Return `(words, state of each place)`: three copies arrive, then a process, a machine and the power go."""
    _, neighbour, store = names
    return (
        ("A step ends. The state is copied to the memory of its own node, and training waits.", (COMING, EMPTY, EMPTY)),
        (
            f"After {times[0]} training continues. Until another copy exists, losing the node loses the work.",
            (HELD, COMING, EMPTY),
        ),
        (f"After {times[1]} {neighbour} holds it too.", (HELD, HELD, COMING)),
        (f"After {times[2]} {store} holds it: now it survives a power failure.", (HELD, HELD, HELD)),
        ("A process fails: the memory of its node is intact, and nothing has to be sent.", (HELD, HELD, HELD)),
        ("A node fails, and its memory is lost: the state comes back from the neighbour.", (LOST, HELD, HELD)),
        ("The power fails: all memories are lost, and only the shared storage is left.", (LOST, LOST, HELD)),
    )


STYLE = {HELD: ("bytes", "full"), COMING: ("bytes", "soft"), LOST: ("failure", "faint"), EMPTY: ("plain", "faint")}


def _places(found, state):
    canvas, high, left = Canvas(WIDTH), 30, 164
    for index, ((where, _, time, size, _), now) in enumerate(zip(found, state, strict=True)):
        y = 4 + index * (high + 8)
        canvas.text(2, y + 14, where, 12, bold=True, room=left - 6)
        canvas.text(2, y + 28, f"after {as_text(time)}", 11.5, tone="time", room=left - 6)
        canvas.rect(left, y, WIDTH - left - 2, high, *STYLE[now], 3)
        if now in (COMING, LOST):
            canvas.hatch(left, y, WIDTH - left - 2, high, STYLE[now][0], 7 if now == COMING else 5)
        words = {HELD: f"{size}, safe", COMING: "under way", LOST: "lost", EMPTY: "nothing yet"}[now]
        canvas.text(left + (WIDTH - left) / 2, y + 20, words, 12, "middle", "on" if now == HELD else "", True)
    return canvas
