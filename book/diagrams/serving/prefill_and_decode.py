"""One request in time: the prompt in one pass, then the answer token by token."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import Quantity

SHOWN = 0.5  # seconds from the beginning that are drawn large


class Conversation(NamedTuple):
    """Tokens of prompt and answer, how many share a step, and the times of a pass and of a step."""

    prompt: float
    answer: float
    together: int
    prefill: Quantity
    step: Quantity

    @property
    def whole(self):
        """Return the time of all of it."""
        return self.prefill + self.step * self.answer


@diagram("prefill-and-decode")
def prefill_and_decode(read):
    """Draw a request to scale, and its beginning large."""
    example = "serving.prices.ratio_ours"
    prompt = read.number("serving.prices.prefill_ours", "token", of="S_p")
    answer, together = read.number(example, "token", of="g"), int(read.number("serving.measured.batch_ours"))
    found = Conversation(prompt, answer, together, read(example, of="T"), read(example, of="t"))
    pass_, step, steps = (as_text(found.prefill, "ms"), as_text(found.step, "ms", 2), as_text(found.step * answer, "s"))
    return Diagram(
        title="One request: the prompt at once, then token by token",
        description=(
            f"The {prompt:,.0f} tokens of the prompt take one compute-bound pass of {pass_}. Then "
            f"{answer:.0f} steps of {step} generate one token each, {steps} in all. They are memory-bound: each reads "
            f"all weights once for the {together} requests in the batch. First the whole request to "
            "scale, below it its beginning."
        ),
        draw=lambda canvas: _draw(canvas, found),
        columns=("part", "tokens", "time", "limited by"),
        rows=(
            ["prefill", f"{prompt:,.0f}", pass_, "arithmetic"],
            ["one decoding step", f"1 for each of {together}", step, "memory bandwidth"],
            ["decoding", f"{answer:.0f}", steps, "memory bandwidth"],
        ),
        values={"request": found},
    )


def _draw(canvas, found):
    left, wide, y = 2, canvas.width - 4, 24
    prefill, whole = (float(each.m_as("s")) for each in (found.prefill, found.whole))
    first, detail_width = prefill / whole * wide, SHOWN / whole * wide
    canvas.text(left, y - 8, "the whole request", 13, bold=True)
    canvas.text(canvas.width, y - 8, as_text(found.whole, "s"), 12.5, "end", "quiet")
    canvas.rect(left + first, y, wide - first, 20, "bytes", "soft", 0)
    canvas.rect(left, y, first, 20, "time", "full", 0)
    beam = f"M{left} {y + 22}L{left} {y + 50}L{left + wide} {y + 50}L{left + detail_width:.1f} {y + 22}z"
    canvas.path(beam, "plain", "faint", "bare")
    _beginning(canvas, found, left, y + 50, wide / SHOWN)


def _beginning(canvas, found, left, y, unit):
    """Draw the pass over the prompt and the first steps, and say what limits each."""
    prefill, step = (float(each.m_as("s")) for each in (found.prefill, found.step))
    edge, end = left + prefill * unit, left + SHOWN * unit
    canvas.rect(left, y, edge - left - 1, 44, "time", "full", 0)
    canvas.paragraph(
        left + 8, y + 18, f"{found.prompt:,.0f} tokens of the prompt", edge - left - 12, 12.5, tone="on", bold=True
    )
    steps = [(edge + i * step * unit, y, step * unit - 1.5, 44) for i in range(int((SHOWN - prefill) / step))]
    canvas.rects(steps, "bytes", "soft").hatch_rects(steps, "bytes", 7)
    canvas.line(left, y + 52, edge, y + 52, "time", "bold").line(edge, y + 52, end, y + 52, "bytes", "bold")
    canvas.text(left, y + 68, f"prefill: {as_text(found.prefill, 'ms')}", 12.5, tone="time", bold=True)
    canvas.text(left, y + 85, "arithmetic limits", 12, tone="quiet")
    x, anchor = (end, "end") if canvas.narrow else ((edge + end) / 2, "middle")
    shared = "" if canvas.narrow else f"; {found.together} requests share it"
    canvas.text(x, y + 68, f"a token every {as_text(found.step, 'ms', 2)}", 12.5, anchor, "bytes", True)
    canvas.text(x, y + 85, f"memory limits{shared}", 12, anchor, "quiet")
