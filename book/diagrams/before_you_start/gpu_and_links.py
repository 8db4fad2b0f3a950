"""A GPU: its SMs, its memories, and its links, with bandwidths to scale."""

from typing import NamedTuple

from mathbook.diagrams.registry import Diagram, as_text, diagram

COLUMNS, CELL = 22, 15  # SMs of a row, side of one
COLUMN = 340  # width of the GPU
SCALE = 0.06  # pixels for a GB/s
LANE = 70  # length of a link


class Link(NamedTuple):
    """A link: name, bandwidth in GB/s per direction, how that is written, and what it leads to."""

    name: str
    bandwidth: float
    written: str
    to: str


class Chip(NamedTuple):
    """SMs, tensor cores of an SM, sizes of the memories as they are written, and the links; the first is HBM."""

    sms: int
    cores: int
    shared: str
    cache: str
    memory: str
    links: tuple


def chip(read):
    """Return the Chip of an H100 and its links."""
    sms = round(read.number("hardware.h100_sms"))
    ends = (
        ("HBM", "hardware.h100_hbm_bandwidth", "its own memory"),
        ("NVLink", "hardware.h100_nvlink", "the other GPUs of the node"),
        ("PCIe 5", "hardware.pcie5", "the host: CPUs and their memory"),
        ("NIC", "roofline.wire", "other nodes, over InfiniBand"),
    )
    links = tuple(_link(read, *end) for end in ends)
    return Chip(
        sms,
        round(read.number("hardware.h100_units") / sms),
        as_text(read("hardware.h100_shared"), "KiB"),
        as_text(read("roofline.h100_cache"), "MB", 2),
        as_text(read("hardware.h100_hbm"), "GB", 2),
        links,
    )


def _link(read, name, address, to):
    bandwidth = read(address, of="b_n" if address == "roofline.wire" else "")
    amount = float(bandwidth.m_as("GB/s"))
    return Link(name, amount, as_text(bandwidth, "GB/s", 2 if amount < 100 else 3), to)


@diagram("gpu-and-links")
def gpu_and_links(read):
    """Draw the SMs, the cache and the memory of a GPU, one SM large, and the links as bands."""
    found = chip(read)
    listed = ", ".join(f"{link.name} {link.written}" for link in found.links)
    return Diagram(
        title="An H100 GPU and its links, bandwidths to scale",
        description=(
            f"{found.sms} streaming multiprocessors, each with {found.cores} tensor cores and {found.shared} of "
            f"shared memory and L1 cache, share an L2 cache of {found.cache} and {found.memory} of HBM. Bands as wide "
            f"as their bandwidth per direction: {listed}."
        ),
        draw=lambda canvas: _draw(canvas, found),
        columns=("link", "per direction", "leads to"),
        rows=tuple([link.name, link.written, link.to] for link in found.links),
        values={"chip": found},
    )


def _draw(canvas, found):
    bottom = _chip(canvas, found, 2, 20)
    x, y = (2, bottom + 34) if canvas.narrow else (COLUMN + 40, 20)
    y = _multiprocessor(canvas, found, x, y)
    _links(canvas, found.links[1:], x, y + 40)


def _chip(canvas, found, left, y):
    """Draw the GPU from its SMs down to its memory; return the y below it."""
    wide = COLUMNS * CELL
    canvas.text(left, y - 6, f"one H100: {found.sms} SMs", 13, bold=True)
    places = [(left + i % COLUMNS * CELL, y + i // COLUMNS * CELL, CELL - 2, CELL - 2) for i in range(found.sms)]
    canvas.rects(places[:-1], "time", "soft").rects(places[-1:], "time", "full")
    y += -(-found.sms // COLUMNS) * CELL + 6
    canvas.rect(left, y, wide - 2, 26, "bytes", "soft")
    canvas.text(left + 8, y + 17, f"L2 cache: {found.cache}", 12.5)
    y += 28
    memory, band = found.links[0], found.links[0].bandwidth * SCALE
    canvas.rect(left + (wide - band) / 2, y, band, 34, "bytes", "strong", 0)
    canvas.text(left + wide / 2, y + 21, memory.written, 12.5, "middle", bold=True)
    y += 36
    canvas.rect(left, y, wide - 2, 42, "bytes", "soft")
    canvas.text(left + 8, y + 25, f"{memory.name}: {found.memory}", 12.5)
    return y + 42


def _multiprocessor(canvas, found, x, y):
    """Draw one SM large; return the y below it."""
    canvas.text(x, y - 6, "one SM", 13, bold=True)
    wide = 300
    for index in range(found.cores):
        place = x + index * wide / found.cores
        canvas.rect(place, y, wide / found.cores - 4, 42, "time", "full")
        canvas.text(place + wide / found.cores / 2 - 2, y + 18, "tensor", 12, "middle", "on")
        canvas.text(place + wide / found.cores / 2 - 2, y + 33, "core", 12, "middle", "on")
    canvas.rect(x, y + 46, wide - 4, 26, "bytes", "soft")
    canvas.text(x + 8, y + 63, f"shared memory and L1: {found.shared}", 12.5)
    return y + 72


def _links(canvas, links, x, y):
    canvas.text(x, y - 8, "links, per direction", 13, bold=True)
    for link in links:
        high = link.bandwidth * SCALE
        canvas.rect(x, y + 17 - high / 2, LANE, high, "bytes", "strong", 0)
        canvas.text(x + LANE + 10, y + 14, f"{link.name}: {link.written}", 12.5, bold=True)
        canvas.text(x + LANE + 10, y + 29, link.to, 12.5, tone="quiet")
        y += 42
