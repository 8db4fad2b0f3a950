"""One pass over the weights and the arithmetic of all tokens that share it, side by side in time."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, diagram, percent

HIGH = 16  # of a bar
LEGEND = (LegendEntry("the weights' bytes", "bytes", "mid"), LegendEntry("the tokens' arithmetic", "time", "mid"))


class Pass(NamedTuple):
    """Tokens that share one pass over the weights, and their arithmetic in times of that pass."""

    name: str
    tokens: float
    computing: float

    @property
    def busy(self):
        """Return the share of the time in which the device computes."""
        return self.computing / max(self.computing, 1.0)


@diagram("tokens-share-weight-reads")
def tokens_share_weight_reads(read):
    """Draw one token, the tokens of the ridge, and those of the run, each with one pass over the weights."""
    ridge = read.number("audit.node_ridge", "token")
    ours = read.number("audit.node_intensity", "token", of="a")
    sequence = read.number("audit.length")
    names = (("one token", 1.0), ("the ridge", ridge), ("one sequence", sequence), ("our micro-batch", ours))
    passes = tuple(Pass(name, tokens, tokens / ridge) for name, tokens in names)
    return Diagram(
        title="How many tokens share one pass over the weights",
        description=(
            "Four pairs of bars from one moment on: moving the weights' bytes, which takes as long for one token as "
            "for many, and the tokens' arithmetic. "
            + "; ".join(
                f"{p.name} ({p.tokens:,.0f}): {p.computing:.2g} times the bytes, the device computes "
                f"{percent(p.busy)} of the time"
                for p in passes
            )
            + "."
        ),
        draw=lambda canvas: _draw(canvas, passes),
        columns=("tokens", "arithmetic over bytes, in time", "computing"),
        rows=tuple(
            [f"{p.name}, {p.tokens:,.0f}" if p.tokens > 1 else p.name, f"{p.computing:.3g}", percent(p.busy)]
            for p in passes
        ),
        values={"passes": passes, "ridge": ridge},
    )


def _draw(canvas, passes):
    left = 2
    unit = (canvas.width - 6) / max(each.computing for each in passes)
    y = legend(canvas, LEGEND, 200) + 20
    for each in passes:
        words = f"{each.name}: {each.tokens:,.0f}" if each.tokens > 1 else each.name
        canvas.text(left, y, words, 13, bold=True)
        outcome, tone = _outcome(each)
        canvas.text(canvas.width - 4, y, outcome, 12.5, "end", tone, True)
        canvas.rect(left, y + 8, unit, HIGH, "bytes", "mid", 0)
        canvas.rect(left, y + 10 + HIGH, each.computing * unit, HIGH, "time", "mid", 0)
        y += 2 * HIGH + 38
    canvas.extend_to(y - 24)


def _outcome(each):
    """Return what is waited for, and the tone in which it is said."""
    if each.busy < 0.995:
        return f"computes {percent(each.busy)} of the time", "failure"
    bytes_take = 1 / each.computing
    return ("both take as long" if bytes_take > 0.995 else f"bytes take {percent(bytes_take)} of it"), "time"
