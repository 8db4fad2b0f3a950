"""Serving: what prefill and decoding ask of a device, and slots that are filled while others still work."""

import heapq
from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, Frame, drawing, percent, said
from mathbook.schematics.paper import Paper

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


@drawing("continuous-batching")
def continuous_batching(read):
    """Draw the same requests in groups and in free slots, step by step."""
    ways = {"in groups": by_groups(LENGTHS, SLOTS), "continuous": continuous(LENGTHS, SLOTS)}
    ends = {name: max(each.end for each in found) for name, found in ways.items()}
    last = max(ends.values())
    stops = sorted({2, 5, *ends.values()})
    frames = [Frame(_slots(ways, last, stop), _step_told(ways, stop)) for stop in stops]
    rows = [[name, str(ends[name]), percent(busy(found))] for name, found in ways.items()]
    return Drawing(
        title=f"{len(LENGTHS)} answers of different lengths on {SLOTS} slots",
        told=(
            f"{len(LENGTHS)} answers of {min(LENGTHS)} to {max(LENGTHS)} tokens on {SLOTS} slots. In groups, a slot whose "
            f"answer is done waits for the longest of its group: {ends['in groups']} steps, {percent(busy(ways['in groups']))} of "
            f"the slots busy. If each free slot takes the next request, it is {ends['continuous']} steps and "
            f"{percent(busy(ways['continuous']))}."
        ),
        columns=("requests are taken", "steps", "slots busy"),
        rows=tuple(rows),
        frames=tuple(frames),
        values={"ways": ways, "ends": ends},
    )


def _step_told(ways, stop):
    done = {name: sum(each.end <= stop for each in found) for name, found in ways.items()}
    return f"Answers done after {stop} steps: in groups {done['in groups']}, continuously {done['continuous']}."


def _slots(ways, last, stop):
    paper = Paper(340)
    unit, y = 326 / last, 20
    for name, found in ways.items():
        paper.text(2, y - 6, name, 12.5, bold=True)
        paper.box(2, y, unit * last, SLOTS * 17 - 2, "plain", "faint", 0, "bare")
        begun = [each for each in found if each.begin < stop]
        for shade, of in (("full", lambda e: e.end <= stop), ("mid", lambda e: e.end > stop)):
            here = [each for each in begun if of(each)]
            places = [_place(each, stop, y, unit) for each in here]
            paper.boxes(places, "time", shade)
            for each, (x, top, w, _) in zip(here, places, strict=True):
                paper.text(x + w / 2, top + 11.5, str(each.number + 1), 11, "middle", "on" if shade == "full" else "")
        paper.line(2 + stop * unit, y - 3, 2 + stop * unit, y + SLOTS * 17, "time", "bold")
        y += SLOTS * 17 + 24
    return paper.reach(y - 22)


def _place(each, stop, y, unit):
    return (2 + each.begin * unit + 0.5, y + each.slot * 17, (min(each.end, stop) - each.begin) * unit - 1, 15)


# ---------------------------------------------------------------- one conversation


@drawing("prefill-and-decode")
def prefill_and_decode(read):
    """Draw one conversation in time: the prompt in one pass, then one token in each step."""
    prefill = read("serving_prices.ratio_ours", of="T")
    step = read("serving_prices.ratio_ours", of="t")
    prompt = read.number("serving_prices.prefill_ours", "token", of="S_p")
    answer = read.number("serving_prices.ratio_ours", "token", of="g")
    together = read.number("serving_prices.ratio_ours", of="B")
    whole = prefill + step * answer
    values = {"prefill": prefill, "step": step, "whole": whole}

    def draw(paper):
        _conversation(paper, values, prompt, answer, together)

    return Drawing(
        title="One conversation: the prompt at once, then token by token",
        told=(
            f"The {prompt:,.0f} tokens of the prompt are read in one pass of {said(prefill, 'ms')}, which arithmetic limits. "
            f"Then {answer:.0f} steps of {said(step, 'ms')} make one token each, {said(step * answer, 's')} in all, which "
            f"memory limits: each step reads all weights once for the {together:.0f} conversations that share it, and the cache "
            "of each. First the whole conversation to scale, below it its first half second."
        ),
        draw=draw,
        columns=("part", "tokens", "time", "limited by"),
        rows=(
            ["prefill", f"{prompt:,.0f}", said(prefill, "ms"), "arithmetic"],
            ["one decoding step", f"1 for each of {together:.0f}", said(step, "ms"), "memory bandwidth"],
            ["decoding", f"{answer:.0f}", said(step * answer, "s"), "memory bandwidth"],
        ),
        values=values,
    )


def _conversation(paper, values, prompt, answer, together):
    left, wide = 2, paper.width - 4
    prefill, step = (float(values[name].m_as("s")) for name in ("prefill", "step"))
    whole = float(values["whole"].m_as("s"))
    first, half = prefill / whole * wide, 0.5
    y = 24
    paper.text(left, y - 8, "the whole conversation", 13, bold=True)
    paper.text(paper.width, y - 8, said(values["whole"], "s"), 12.5, "end", "quiet")
    paper.box(left + first, y, wide - first, 20, "bytes", "soft", 0)
    paper.box(left, y, first, 20, "time", "full", 0)
    shown = half / whole * wide
    paper.path(f"M{left} {y + 22}L{left} {y + 50}L{left + wide} {y + 50}L{left + shown:.1f} {y + 22}z", "plain", "faint", "bare")
    y += 50
    unit = wide / half
    paper.box(left, y, prefill * unit - 1, 44, "time", "full", 0)
    room = prefill * unit - 12
    paper.words(left + 8, y + 18, f"{prompt:,.0f} tokens of the prompt", room, 12.5, tone="on", bold=True)
    steps = [(left + (prefill + i * step) * unit, y, step * unit - 1.5, 44) for i in range(int((half - prefill) / step))]
    paper.boxes(steps, "bytes", "soft")
    paper.hatches([(x, t, w, h) for x, t, w, h in steps], "bytes", 7)
    middle = left + (prefill + half) / 2 * unit
    paper.line(left, y + 52, left + prefill * unit, y + 52, "time", "bold")
    paper.text(left, y + 68, f"prefill: {said(values['prefill'], 'ms')}", 12.5, tone="time", bold=True)
    paper.text(left, y + 85, "arithmetic limits", 12, tone="quiet")
    paper.line(left + prefill * unit, y + 52, left + wide, y + 52, "bytes", "bold")
    x, anchor = (left + wide, "end") if paper.narrow else (middle, "middle")
    paper.text(x, y + 68, f"a token every {said(values['step'], 'ms', 2)}", 12.5, anchor, "bytes", True)
    paper.text(x, y + 85, "memory limits" if paper.narrow else f"memory limits; {together:.0f} conversations share it", 12, anchor, "quiet")
