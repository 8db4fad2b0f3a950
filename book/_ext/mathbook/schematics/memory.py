"""What a device holds in training: weights, gradients, optimizer and activations, whole and in shares."""

from mathbook.schematics.drawings import Drawing, drawing, said

STAGES = (
    ("plain data parallelism", "training_memory.state", ""),
    ("ZeRO stage 1", "training_memory.zero_stage_1", "optimizer in shares"),
    ("ZeRO stage 2", "training_memory.zero_stage_2", "gradients too"),
    ("ZeRO stage 3", "training_memory.zero_stage_3", "weights too"),
)
PARTS = (("weights", "w_p", "full"), ("gradients", "w_g", "mid"), ("optimizer", "w_o", "faint"))


def stacks(read):
    """Return `{stage: {part: bytes}}` for the large model on all devices; each part by the formula of its stage.

    A part is what the formula of the stage gives if the other parts had no bytes.
    """
    given = {name: read("training_plan.stage_3", of=name) for name in ("Psi", "d", "w_p", "w_g", "w_o")}
    found = {}
    for stage, address, _ in STAGES:
        wanted = {v.name for v in read.formula(address).inputs}
        values = {name: amount for name, amount in given.items() if name in wanted}
        whole = read.at(address, **values)
        grads = read.at(address, **(values | {"w_g": "0 B", "w_o": "0 B"}))
        both = read.at(address, **(values | {"w_o": "0 B"}))
        found[stage] = {"weights": grads, "gradients": both - grads, "optimizer": whole - both}
    return found


@drawing("memory-stacks")
def memory_stacks(read):
    """Draw the state of each device for the four stages, in units of one device's memory."""
    found = stacks(read)
    device = read("hardware.h100_hbm")
    kept = read("training_plan.all_selective")
    size = f"{read.number('training_plan.stage_3', of='Psi') / 1e9:.3g} billion parameters"
    copies = f"{read.number('training_plan.stage_3', of='d'):.0f} devices"
    totals = {stage: sum(parts.values()) for stage, parts in found.items()}
    rows = [
        [stage, *(said(found[stage][part], "GB") for part, _, _ in PARTS), said(totals[stage], "GB")]
        for stage, _, _ in STAGES
    ]
    last = said(totals[STAGES[-1][0]], "GB")
    larger = f"{float(totals[STAGES[0][0]] / device):.0f} times the {said(device, 'GB', 2)} of a device"

    def draw(paper):
        _bars(paper, found, totals, device, kept)

    return Drawing(
        title=f"What each of {copies} holds of {size}",
        told=(
            f"Four bars, one for each way to share the state of {size} among {copies}. Whole, it is "
            f"{said(totals[STAGES[0][0]], 'GB')}, {larger}. Sharing the optimizer leaves "
            f"{said(totals['ZeRO stage 1'], 'GB')}, the gradients too {said(totals['ZeRO stage 2'], 'GB')}, the weights "
            f"too {last}. Activations of one sequence, {said(kept, 'GB')} if the scores are computed again, come on top of "
            "each bar and are not shared by any stage."
        ),
        draw=draw,
        columns=("stage", *(part for part, _, _ in PARTS), "state"),
        rows=(*rows, ["activations, every stage", "", "", "", said(kept, "GB")]),
        values={"stacks": found, "device": device, "activations": kept},
    )


def _bars(paper, found, totals, device, kept):
    """Draw the bars below each other, cut into pieces that one device can hold."""
    left, right = (4, paper.width - 6) if paper.narrow else (150, paper.width - 20)
    scale = (right - left) / (totals[STAGES[0][0]] + kept).m_as("GB")
    top, step, high = (60, 70, 30) if paper.narrow else (34, 60, 34)
    if paper.narrow:
        _legend(paper)
    limit = left + device.m_as("GB") * scale
    bottom = top + step * len(STAGES) + (2 if paper.narrow else -14)
    for row, (stage, _, note) in enumerate(STAGES):
        y = top + row * step + (16 if paper.narrow else 0)
        end = _bar(paper, left, y, high, found[stage], kept, scale)
        for piece in range(2, int((end - left) / (limit - left)) + 1):
            x = left + piece * (limit - left)
            paper.line(x, y - 3, x, y + high + 3, "plain", "thin")
        paper.line(limit, y - 6, limit, y + high + 6, "failure", "bold")
        _name(paper, stage, note, left, y, totals[stage], end + 10)
    if not paper.narrow:
        _labels(paper, left, top, found[STAGES[0][0]], kept, scale)
    paper.text(limit - 2, bottom + 14, f"one device holds {said(device, 'GB', 2)}", 12.5, tone="failure", bold=True)


def _bar(paper, x, y, high, parts, kept, scale):
    """Draw one bar; return where it ends."""
    for part, _, shade in PARTS:
        wide = parts[part].m_as("GB") * scale
        paper.box(x, y, wide, high, "bytes", shade, 0)
        x += wide
    wide = kept.m_as("GB") * scale
    paper.box(x, y, wide, high, "plain", "faint", 0).hatch(x, y, wide, high, "plain")
    return x + wide


def _name(paper, stage, note, left, y, total, after):
    amount = said(total, "GB")
    if paper.narrow:
        paper.text(left, y - 9, "whole on each" if not note else stage, 13, bold=True)
        paper.text(paper.width - 6, y - 9, amount + (f", {note}" if note else ""), 12.5, "end")
        return
    paper.text(left - 10, y + 13, stage if note else "whole on each", 13, "end", bold=True, room=140)
    paper.text(left - 10, y + 30, f"{amount} of state", 12.5, "end", room=140)
    if note:
        paper.text(after, y + 21, note, 12.5, tone="quiet")


def _labels(paper, x, y, parts, kept, scale):
    """Write over the parts of the first bar what they are."""
    for part, _, _ in PARTS:
        wide = parts[part].m_as("GB") * scale
        paper.text(x + wide / 2, y - 10, part, 12, "middle", "bytes", True)
        x += wide
    paper.text(paper.width, y - 10, "activations", 12, "end", "quiet", True)


def _legend(paper):
    """Name the parts over the first bar, in the order in which they stand there."""
    entries = [(part, "bytes", shade) for part, _, shade in PARTS] + [("activations", "plain", "faint")]
    for index, (part, kind, shade) in enumerate(entries):
        x, y = 4 + (index % 2) * 150, 14 + (index // 2) * 20
        paper.box(x, y - 10, 14, 11, kind, shade, 1)
        if kind == "plain":
            paper.hatch(x, y - 10, 14, 11, "plain", 5)
        paper.text(x + 20, y, part, 12.5)
