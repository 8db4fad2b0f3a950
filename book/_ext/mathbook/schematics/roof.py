"""The roof of one device with its two regions, and where kernels of the chapter stand under it."""

import math
from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, drawing, said
from mathbook.schematics.furniture import axis

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


@drawing("roof-regions")
def roof_regions(read):
    """Draw the roof of an H100, what limits on either side of its ridge, and three kernels."""
    found, ridge, peak = kernels(read)
    listed = "; ".join(f"{k.name} at {k.intensity:,.0f} FLOP/B reaches {k.rate:.3g} TFLOP/s" for k in found)
    slope = said(read(DEVICE["b"]), "GB/s", 4)
    return Drawing(
        title="The roof of an H100, and what limits under it",
        told=(
            f"On double logarithmic axes the attainable rate rises with the intensity, as steeply as {slope} of "
            f"memory allow, to the ridge at {ridge:.3g} FLOP/B, and is flat at {peak:.4g} TFLOP/s from there on. "
            f"Left of the ridge memory limits, right of it arithmetic. {listed}."
        ),
        draw=lambda paper: _Axes(paper).draw(found, ridge, peak),
        columns=("kernel", "intensity [FLOP/B]", "at most [TFLOP/s]", "limited by"),
        rows=tuple(
            [k.name, f"{k.intensity:,.0f}", f"{k.rate:,.0f}", "memory" if k.intensity < ridge else "arithmetic"]
            for k in found
        ),
        values={"kernels": found, "ridge": ridge, "peak": peak},
    )


class _Axes:
    """Double logarithmic axes on a sheet."""

    def __init__(self, paper):
        self.paper = paper
        self.left, self.right = (40, paper.width - 4) if paper.narrow else (52, paper.width - 12)
        self.top, self.bottom = 12, 250 if paper.narrow else 290

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
        self.paper.path(foot, "bytes", "faint", "bare")
        self.paper.box(edge, roof, self.right - edge, self.bottom - roof, "time", "faint", 0, "bare")
        self.paper.path(f"M{self.left:.1f} {floor:.1f}L{edge:.1f} {roof:.1f}", "bytes", "line", "bold")
        self.paper.line(edge, roof, self.right, roof, "time", "bold")
        self.paper.line(edge, roof, edge, self.bottom, "plain", "dash")
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
            first, second = (limit, "limits") if self.paper.narrow else (f"{limit} limits", cure)
            tone = kind if self.paper.narrow else "quiet"
            self.paper.text(x, self.bottom - 26, first, 13, anchor, kind, True)
            self.paper.text(x, self.bottom - 9, second, 12.5, anchor, tone, self.paper.narrow)
        self.paper.text(edge - 8, roof + 2, f"ridge: {ridge:.3g} FLOP/B", 12.5, "end", bold=True)

    def _kernel(self, kernel, slow, index):
        """Mark a kernel; its name stands over the slope, or under it where there is no room."""
        x, y = self.x(kernel.intensity), self.y(kernel.rate)
        self.paper.circle(x, y, 6, "bytes" if slow else "time", "full")
        if not slow:
            self.paper.words(self.right - 2, y + 24, kernel.name, 90 if self.paper.narrow else 200, 12.5, anchor="end")
        elif self.paper.narrow and not index:
            self.paper.words(x + 10, y + 16, kernel.name, 90, 12.5)
        else:
            self.paper.text(x - 10, y - 7, kernel.name, 12.5, "end")

    def _axes(self):
        powers = [SPAN[0] * 10**i for i in range(round(math.log10(SPAN[1] / SPAN[0])) + 1)]
        axis(self.paper, self.bottom, [(self.x(each), f"{each:,.0f}") for each in powers])
        self.paper.text(self.right, self.bottom + 35, "intensity, FLOP/B", 12, "end", "quiet")
        for rate in (1, 10, 100, 1000):
            self.paper.text(self.left - 6, self.y(rate) + 4, f"{rate:,}", 11.5, "end", "quiet")
            self.paper.line(self.left - 3, self.y(rate), self.left, self.y(rate), "plain", "thin")
        self.paper.text(0, self.bottom + 35, "rate, TFLOP/s", 12, tone="quiet")
