"""One matrix product with few and with many tokens: memory time next to compute time."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram, percent

from mathcore.units import quantity

DEVICE = {"P": "hardware.h100_bf16", "b": "hardware.h100_hbm_bandwidth"}
LAYER = "roofline.decode_layer"
HIGH = 22  # of a bar


class StepTimes(NamedTuple):
    """The product of so many tokens: µs for its weights, for its inputs and outputs, and for its arithmetic."""

    tokens: int
    weights: float
    others: float
    arithmetic: float

    @property
    def traffic(self):
        """Return the time of all bytes."""
        return self.weights + self.others

    @property
    def longer(self):
        """Return what the clock shows if both run at the same time."""
        return max(self.traffic, self.arithmetic)


def step_times(read, tokens):
    """Return the Clock of a product with the wide layer of the chapter on an H100."""
    device = {letter: read(address) for letter, address in DEVICE.items()}
    shape = {letter: read(LAYER, of=letter) for letter in "DF"}
    sizes = {letter: read(LAYER, of=letter) for letter in "awo"}
    work = read.at("roofline.product_work", B=tokens, **shape)
    weights = read.at("roofline.weight_traffic", w=sizes["w"], **shape)
    whole = read.at("roofline.product_traffic", B=tokens, **shape, **sizes)
    of_weights, of_all = (read.at("roofline.memory_time", Q=q, b=device["b"]).m_as("us") for q in (weights, whole))
    arithmetic = read.at("roofline.compute_time", W=work, P=device["P"]).m_as("us")
    return StepTimes(tokens, float(of_weights), float(of_all - of_weights), float(arithmetic))


@diagram("two-clocks")
def two_clocks(read):
    """Draw both clocks for one token, for the chapter's batch, where they are equal, and for twice as many."""
    batch, letters = round(read.number(LAYER, of="B")), ("D", "F", "a", "w", "o")
    given = {letter: read(LAYER, of=letter) for letter in letters} | {x: read(a) for x, a in DEVICE.items()}
    even = round(float(read.at("roofline.crossover", **given).m_as("")))
    clocks = tuple(step_times(read, tokens) for tokens in (1, batch, even, 2 * even))
    return Diagram(
        title="Two clocks of one product, for more and more tokens",
        description=_description(clocks),
        draw=lambda canvas: _draw(canvas, clocks),
        columns=("tokens at once", "bytes", "arithmetic", "arithmetic at work", "for each token"),
        rows=tuple(
            [f"{c.tokens:,}", _micro(c.traffic), _micro(c.arithmetic), percent(c.arithmetic / c.longer), _each(c)]
            for c in clocks
        ),
        values={"clocks": clocks},
    )


def _micro(microseconds):
    return as_text(quantity(f"{microseconds} us"), "µs", 3 if microseconds > 1 else 2)


def _each(one):
    return _micro(one.longer / one.tokens)


def _description(clocks):
    texts = "; ".join(
        f"with {c.tokens:,} token{'s' if c.tokens > 1 else ''} the bytes take {_micro(c.traffic)} and the arithmetic "
        f"{_micro(c.arithmetic)}, so a token costs {_each(c)}"
        for c in clocks
    )
    return f"Two bars for each batch, the bytes above and the arithmetic below, on one scale of time: {texts}."


def _draw(canvas, clocks):
    signs = [
        LegendEntry("weights", "bytes", "mid"),
        LegendEntry("inputs, outputs", "bytes", "strong"),
        LegendEntry("arithmetic", "time", "mid"),
        LegendEntry("arithmetic waits", "failure", "none", True),
    ]
    y = legend(canvas, signs, 150) + 24
    left, right = 2, canvas.width - 4
    unit = (right - left) / max(c.longer for c in clocks)
    for one in clocks:
        _pair(canvas, one, left, right, y, unit)
        y += 2 * HIGH + 40


def _pair(canvas, one, left, right, y, unit):
    """Draw the two bars of a batch, and what a token costs."""
    canvas.text(left, y - 7, f"{one.tokens:,} token{'s' if one.tokens > 1 else ''} at once", 13, bold=True)
    canvas.text(right, y - 7, f"{_each(one)} for each token", 13, "end", "time", True)
    canvas.rect(left, y, one.weights * unit, HIGH, "bytes", "mid", 0)
    canvas.rect(left + one.weights * unit, y, one.others * unit, HIGH, "bytes", "strong", 0)
    low, done = y + HIGH + 3, one.arithmetic * unit
    canvas.rect(left, low, done, HIGH, "time", "mid", 0)
    idle = one.traffic * unit - done
    if idle > 1:
        canvas.hatch(left + done, low, idle, HIGH, "failure", 7)
    if one.weights * unit > 90:
        canvas.text(left + 8, y + HIGH - 6, _micro(one.traffic), 12.5)
    if done > 70:
        canvas.text(left + 8, low + HIGH - 6, _micro(one.arithmetic), 12.5)
