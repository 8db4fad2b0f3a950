"""Slots of a server: answers of different lengths in groups, and in whichever slot is free."""

import heapq
from typing import NamedTuple

from mathbook.diagrams.canvas import Canvas
from mathbook.diagrams.registry import Diagram, Frame, diagram, percent

SLOTS = 4
LENGTHS = (5, 2, 8, 3, 4, 2, 3, 5)  # tokens of the answers, in the order in which they are asked for


class Answer(NamedTuple):
    """One answer in a slot: which it is, and from which step to which it is decoded."""

    number: int
    slot: int
    begin: int
    end: int


def by_groups(lengths, slots):
    """Return the Answers if a group must end before the next one begins."""
    found, now = [], 0
    for first in range(0, len(lengths), slots):
        group = lengths[first : first + slots]
        found += [Answer(first + i, i, now, now + length) for i, length in enumerate(group)]
        now += max(group)
    return found


def continuous(lengths, slots):
    """Return the Answers if each free slot takes the next request at once."""
    free, found = [(0, slot) for slot in range(slots)], []
    for number, length in enumerate(lengths):
        begin, slot = heapq.heappop(free)
        found.append(Answer(number, slot, begin, begin + length))
        heapq.heappush(free, (begin + length, slot))
    return found


def busy(answers):
    """Return the share of slots times steps in which a token is made, until the last answer is done."""
    end = max(each.end for each in answers)
    return sum(each.end - each.begin for each in answers) / (SLOTS * end)


@diagram("continuous-batching")
def continuous_batching(read):
    """Draw the same requests in groups and in free slots, step by step."""
    plans = {"in groups": by_groups(LENGTHS, SLOTS), "continuous": continuous(LENGTHS, SLOTS)}
    ends = {name: max(each.end for each in found) for name, found in plans.items()}
    last = max(ends.values())
    stills = {2, 5, *ends.values()}  # the rest is seen only when it is played
    stops = range(1, last + 1)
    frames = [Frame(_slots(plans, last, stop), _frame_description(plans, stop), stop not in stills) for stop in stops]
    rows = [[name, str(ends[name]), percent(busy(found))] for name, found in plans.items()]
    return Diagram(
        title=f"{len(LENGTHS)} answers of different lengths on {SLOTS} slots",
        description=(
            f"{len(LENGTHS)} answers of {min(LENGTHS)} to {max(LENGTHS)} tokens on {SLOTS} slots. In groups, a slot "
            f"whose answer is done waits for the longest of its group: {ends['in groups']} steps, "
            f"{percent(busy(plans['in groups']))} of the slots busy. If each free slot takes the next request, it is "
            f"{ends['continuous']} steps and {percent(busy(plans['continuous']))}."
        ),
        columns=("requests are taken", "steps", "slots busy"),
        rows=tuple(rows),
        frames=tuple(frames),
        values={"ways": plans, "ends": ends},
    )


def _frame_description(schedules, stop):
    done = {name: sum(each.end <= stop for each in found) for name, found in schedules.items()}
    return f"Answers done by step {stop}: in groups {done['in groups']}, continuously {done['continuous']}."


def _slots(schedules, last, stop):
    canvas = Canvas(340)
    unit, y = 326 / last, 20
    for name, found in schedules.items():
        canvas.text(2, y - 6, name, 12.5, bold=True)
        canvas.rect(2, y, unit * last, SLOTS * 17 - 2, "plain", "faint", 0, "bare")
        begun = [each for each in found if each.begin < stop]
        for shade, of in (("full", lambda e: e.end <= stop), ("mid", lambda e: e.end > stop)):
            here = [each for each in begun if of(each)]
            places = [_place(each, stop, y, unit) for each in here]
            canvas.rects(places, "time", shade)
            for each, (x, top, w, _) in zip(here, places, strict=True):
                canvas.text(x + w / 2, top + 12, str(each.number + 1), 12, "middle", "on" if shade == "full" else "")
        canvas.line(2 + stop * unit, y - 3, 2 + stop * unit, y + SLOTS * 17, "time", "bold")
        y += SLOTS * 17 + 24
    return canvas.extend_to(y - 22)


def _place(each, stop, y, unit):
    return (2 + each.begin * unit + 0.5, y + each.slot * 17, (min(each.end, stop) - each.begin) * unit - 1, 15)
