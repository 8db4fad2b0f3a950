"""The roof of one device with its two regions, and where kernels of the chapter stand under it."""

import math
from typing import NamedTuple

from mathbook.diagrams.legend_axis import axis
from mathbook.diagrams.registry import Diagram, as_text, diagram

DEVICE = {"P": "hardware.h100_bf16", "b": "hardware.h100_hbm_bandwidth"}
KERNELS = (
    ("one token's attention", "roofline.one_token"),
    ("a layer, 64 tokens", "roofline.decode_layer"),
    ("a layer, 4,096 tokens", "roofline.prompt_layer"),
)
SPAN, RATES = (1.0, 10000.0), (1.0, 2000.0)  # FLOP/B along, TFLOP/s up


class Kernel(NamedTuple):
    """A kernel: its name, its intensity in FLOP/B, and the rate in TFLOP/s that the roof allows."""

    name: str
    intensity: float
    rate: float


def kernels(read):
    """Return the Kernels under the roof, and its ridge in FLOP/B and peak in TFLOP/s."""
    device = {name: read(address) for name, address in DEVICE.items()}
    found = []
    for name, address in KERNELS:
        intensity = read(address)
        rate = read.at("roofline.attained", I=intensity, **device)
        found.append(Kernel(name, float(intensity.m_as("FLOP/B")), float(rate.m_as("TFLOP/s"))))
    ridge = read.at("roofline.ridge", **device)
    return found, float(ridge.m_as("FLOP/B")), float(device["P"].m_as("TFLOP/s"))


@diagram("roof-regions")
def roof_regions(read):
    """Draw the roof of an H100, what limits on either side of its ridge, and three kernels."""
    found, ridge, peak = kernels(read)
    listed = "; ".join(f"{k.name} at {k.intensity:,.0f} FLOP/B reaches {k.rate:.3g} TFLOP/s" for k in found)
    slope = as_text(read(DEVICE["b"]), "GB/s", 4)
    return Diagram(
        title="The roof of an H100, and what limits under it",
        description=(
            f"On double logarithmic axes the attainable rate rises with the intensity, as steeply as {slope} of "
            f"memory allow, to the ridge at {ridge:.3g} FLOP/B, and is flat at {peak:.4g} TFLOP/s from there on. "
            f"Left of the ridge memory limits, right of it arithmetic. {listed}."
        ),
        draw=lambda canvas: _Axes(canvas).draw(found, ridge, peak),
        columns=("kernel", "intensity [FLOP/B]", "at most [TFLOP/s]", "limited by"),
        rows=tuple(
            [k.name, f"{k.intensity:,.0f}", f"{k.rate:,.0f}", "memory" if k.intensity < ridge else "arithmetic"]
            for k in found
        ),
        values={"kernels": found, "ridge": ridge, "peak": peak},
    )


class _Axes:
    """Double logarithmic axes on a sheet."""

    def __init__(self, canvas):
        self.canvas = canvas
        self.left, self.right = (40, canvas.width - 4) if canvas.narrow else (52, canvas.width - 12)
        self.top, self.bottom = 12, 250 if canvas.narrow else 290

    def x(self, intensity):
        """Return the x of an intensity."""
        return self.left + self._share(intensity, SPAN) * (self.right - self.left)

    def y(self, rate):
        """Return the y of a rate."""
        return self.bottom - self._share(rate, RATES) * (self.bottom - self.top)

    def _share(self, value, span):
        return math.log(value / span[0]) / math.log(span[1] / span[0])

    def draw(self, found, ridge, peak):
        """Draw the regions, the roof over them, the axes and the kernels."""
        edge, roof, floor = self.x(ridge), self.y(peak), self.y(peak * SPAN[0] / ridge)
        foot = f"M{self.left:.1f} {self.bottom}V{floor:.1f}L{edge:.1f} {roof:.1f}V{self.bottom}z"
        self.canvas.path(foot, "bytes", "faint", "bare")
        self.canvas.rect(edge, roof, self.right - edge, self.bottom - roof, "time", "faint", 0, "bare")
        self.canvas.path(f"M{self.left:.1f} {floor:.1f}L{edge:.1f} {roof:.1f}", "bytes", "line", "bold")
        self.canvas.line(edge, roof, self.right, roof, "time", "bold")
        self.canvas.line(edge, roof, edge, self.bottom, "plain", "dash")
        self._words(edge, roof, ridge)
        self._axes()
        for index, kernel in enumerate(found):
            self._kernel(kernel, kernel.intensity < ridge, index)

    def _words(self, edge, roof, ridge):
        middle = (edge + self.right) / 2
        sides = (
            ("memory", "more bandwidth helps", "bytes", edge - 8, "end"),
            ("arithmetic", "a higher peak helps", "time", middle, "middle"),
        )
        for limit, cure, kind, x, anchor in sides:
            first, second = (limit, "limits") if self.canvas.narrow else (f"{limit} limits", cure)
            tone = kind if self.canvas.narrow else "quiet"
            self.canvas.text(x, self.bottom - 26, first, 13, anchor, kind, True)
            self.canvas.text(x, self.bottom - 9, second, 12.5, anchor, tone, self.canvas.narrow)
        self.canvas.text(edge - 8, roof + 2, f"ridge: {ridge:.3g} FLOP/B", 12.5, "end", bold=True)

    def _kernel(self, kernel, slow, index):
        """Mark a kernel; its name stands over the slope, or under it where there is no room."""
        x, y = self.x(kernel.intensity), self.y(kernel.rate)
        self.canvas.circle(x, y, 6, "bytes" if slow else "time", "full")
        if not slow:
            self.canvas.paragraph(
                self.right - 2, y + 24, kernel.name, 90 if self.canvas.narrow else 200, 12.5, anchor="end"
            )
        elif self.canvas.narrow and not index:
            self.canvas.paragraph(x + 10, y + 16, kernel.name, 90, 12.5)
        else:
            self.canvas.text(x - 10, y - 7, kernel.name, 12.5, "end")

    def _axes(self):
        powers = [SPAN[0] * 10**i for i in range(round(math.log10(SPAN[1] / SPAN[0])) + 1)]
        axis(self.canvas, self.bottom, [(self.x(each), f"{each:,.0f}") for each in powers])
        self.canvas.text(self.right, self.bottom + 35, "intensity, FLOP/B", 12, "end", "quiet")
        for rate in (1, 10, 100, 1000):
            self.canvas.text(self.left - 6, self.y(rate) + 4, f"{rate:,}", 12, "end", "quiet")
            self.canvas.line(self.left - 3, self.y(rate), self.left, self.y(rate), "plain", "thin")
        self.canvas.text(0, self.bottom + 35, "rate, TFLOP/s", 12, tone="quiet")
