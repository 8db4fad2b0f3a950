"""What a device holds in training: weights, gradients, optimizer and activations, whole and in shares."""

from typing import NamedTuple

from mathbook.diagrams.legend_axis import LegendEntry, legend
from mathbook.diagrams.registry import Diagram, as_text, diagram

from mathcore.units import Quantity

STAGES = (
    ("whole on each", "parallelism.memory.state", ""),
    ("ZeRO stage 1", "parallelism.memory.zero_stage_1", "optimizer in shares"),
    ("ZeRO stage 2", "parallelism.memory.zero_stage_2", "gradients too"),
    ("ZeRO stage 3", "parallelism.memory.zero_stage_3", "weights too"),
)
PARTS = (("weights", "full"), ("gradients", "mid"), ("optimizer", "faint"))
GIVEN = ("Psi", "d", "w_p", "w_g", "w_o")


class DeviceMemory(NamedTuple):
    """Memory per device, by stage and part, with one device's capacity and one sequence's activations."""

    stages: dict
    device: Quantity
    kept: Quantity

    def total(self, stage):
        """Return the state of a stage."""
        return sum(self.stages[stage].values())

    @property
    def most(self):
        """Return the longest bar."""
        return self.total(STAGES[0][0]) + self.kept


def device_memory(read):
    """Return what devices Held of the large model; each part by the formula of its stage.

    A part is what the formula of the stage gives if the other parts had no bytes.
    """
    given = {name: read("training.plan.stage_3", of=name) for name in GIVEN}
    found = {}
    for stage, address, _ in STAGES:
        wanted = {v.name for v in read.formula(address).inputs}
        values = {name: amount for name, amount in given.items() if name in wanted}
        weights = read.at(address, **(values | {"w_g": "0 B", "w_o": "0 B"}))
        both = read.at(address, **(values | {"w_o": "0 B"}))
        rest = read.at(address, **values) - both
        found[stage] = {"weights": weights, "gradients": both - weights, "optimizer": rest}
    return DeviceMemory(found, read("hardware.h100_hbm"), read("training.plan.all_selective"))


@diagram("memory-stacks")
def memory_stacks(read):
    """Draw the state of each device for the four stages, in units of one device's memory."""
    found = device_memory(read)
    size = f"{read.number('training.plan.stage_3', of='Psi') / 1e9:.3g} billion parameters"
    copies = f"{read.number('training.plan.stage_3', of='d'):.0f} devices"
    rows = [
        [stage, *(_gigabytes(amount) for amount in parts.values()), _gigabytes(found.total(stage))]
        for stage, parts in found.stages.items()
    ]
    return Diagram(
        title=f"What each of {copies} holds of {size}",
        description=_description(found, size, copies),
        draw=lambda canvas: _bars(canvas, found),
        columns=("stage", *(part for part, _ in PARTS), "state"),
        rows=(*rows, ["activations, every stage", "", "", "", _gigabytes(found.kept)]),
        values={"held": found},
    )


def _description(found, size, copies):
    whole, first, second, third = (_gigabytes(found.total(stage)) for stage, _, _ in STAGES)
    times = float(found.total(STAGES[0][0]) / found.device)
    return (
        f"Four bars, one for each way to share the state of {size} among {copies}. Whole on each it is {whole}, "
        f"{times:.0f} times the {as_text(found.device, 'GB', 2)} of a device. Sharing the optimizer leaves {first}, "
        f"the gradients too {second}, the weights too {third}. The activations of one sequence, "
        f"{_gigabytes(found.kept)} if the scores are computed again, come on top of each bar and are shared by none."
    )


def _gigabytes(amount):
    return as_text(amount, "GB", 4 if amount.m_as("GB") >= 1000 else 3)


def _bars(canvas, found):
    """Draw the bars below each other, cut into pieces that one device can hold."""
    left, right = (4, canvas.width - 6) if canvas.narrow else (150, canvas.width - 20)
    scale = (right - left) / found.most.m_as("GB")
    top, step, high = (76, 70, 30) if canvas.narrow else (34, 60, 34)
    if canvas.narrow:
        signs = [LegendEntry(part, "bytes", shade) for part, shade in PARTS]
        legend(canvas, [*signs, LegendEntry("activations", "plain", "faint", True)], 0)
    else:
        _labels(canvas, left, top, found, scale)
    piece = found.device.m_as("GB") * scale
    for row, (stage, _, note) in enumerate(STAGES):
        y = top + row * step
        end = _bar(canvas, left, y, high, found, stage, scale)
        for cut in range(2, int((end - left) / piece) + 1):
            canvas.line(left + cut * piece, y - 3, left + cut * piece, y + high + 3, "plain", "thin")
        canvas.line(left + piece, y - 6, left + piece, y + high + 6, "failure", "bold")
        _name(canvas, stage, note, left, y, _gigabytes(found.total(stage)), end + 10)
    size = as_text(found.device, "GB", 2)
    canvas.text(
        left + piece - 2, top + step * 3 + high + 22, f"one device holds {size}", 12.5, tone="failure", bold=True
    )


def _bar(canvas, x, y, high, found, stage, scale):
    """Draw one bar; return where it ends."""
    for part, shade in PARTS:
        wide = found.stages[stage][part].m_as("GB") * scale
        canvas.rect(x, y, wide, high, "bytes", shade, 0)
        x += wide
    wide = found.kept.m_as("GB") * scale
    canvas.rect(x, y, wide, high, "plain", "faint", 0).hatch(x, y, wide, high, "plain")
    return x + wide


def _name(canvas, stage, note, left, y, amount, after):
    if canvas.narrow:
        canvas.text(left, y - 9, stage, 13, bold=True)
        canvas.text(canvas.width - 6, y - 9, amount + (f", {note}" if note else ""), 12.5, "end")
        return
    canvas.text(left - 10, y + 13, stage, 13, "end", bold=True, room=140)
    canvas.text(left - 10, y + 30, f"{amount} of state", 12.5, "end", room=140)
    if note:
        canvas.text(after, y + 21, note, 12.5, tone="quiet")


def _labels(canvas, x, y, found, scale):
    """Write over the parts of the first bar what they are."""
    for part, _ in PARTS:
        wide = found.stages[STAGES[0][0]][part].m_as("GB") * scale
        canvas.text(x + wide / 2, y - 10, part, 12, "middle", "bytes", True)
        x += wide
    canvas.text(canvas.width, y - 10, "activations", 12, "end", "quiet", True)
