"""All-reduce step by step: around a ring, up and down a tree, and hierarchically."""

from diagrams.collectives.messages import complete_pieces, levels, most_sent, ring, start, states_of, tree
from mathbook.diagrams.canvas import Canvas
from mathbook.diagrams.registry import Diagram, Frame, diagram

RANKS, LEAVES = 4, 8
NODES, INSIDE = 2, 4
LETTERS = "abcdefgh"
SHADES = ("faint", "soft", "mid", "full")

# ---------------------------------------------------------------- the ring


@diagram("ring-all-reduce")
def ring_all_reduce(read):
    """Draw each step of a ring all-reduce."""
    steps = ring(RANKS)
    states = states_of(start(RANKS, RANKS), steps)
    words = ["Every rank holds its own pieces.", *(_ring_words(i, moves) for i, moves in enumerate(steps, 1))]
    rows = [
        [str(i), "add" if moves[0].adds else "hand out", f"{i / RANKS:.2f}", str(complete_pieces(states[i]))]
        for i, moves in enumerate(steps, 1)
    ]
    whole = read.at("collectives.ring_sent", n="1 GB", p=RANKS).m_as("GB")
    return Diagram(
        title=f"Ring all-reduce of {RANKS} ranks, step by step",
        description=(
            f"{RANKS} ranks stand in a circle, each with {RANKS} pieces. In {RANKS - 1} steps each hands one piece to "
            f"its neighbour, who adds it, until each owns one finished piece; in {RANKS - 1} more the finished pieces "
            f"are handed round. Each rank has then sent {whole:g} times the message."
        ),
        columns=("step", "what happens", "a rank has sent, in messages", "finished pieces, of all ranks"),
        rows=tuple(rows),
        frames=_frames(_ring_frame, states, steps, words),
        values={"steps": len(steps), "sent": most_sent(steps, RANKS), "states": states},
    )


def _ring_words(index, moves):
    if moves[0].adds:
        return f"Step {index}: each hands a piece on, the neighbour adds it."
    return f"Step {index}: each hands on a finished piece."


def _frames(draw, states, steps, words):
    """Return the frames of a film: the start, then the state after each step with its moves."""
    papers = [draw(state, moves) for state, moves in zip(states, [(), *steps], strict=True)]
    return tuple(map(Frame, papers, words))


CORNERS = ((4, 4), (120, 4), (120, 96), (4, 96))  # of the ranks, clockwise
CELL = (54, 14)


def _ring_frame(state, moves):
    canvas = Canvas(178, 176)
    for rank, (x, y) in enumerate(CORNERS):
        canvas.text(x + CELL[0] / 2, y + 11, f"rank {rank + 1}", 12.6, "middle", bold=True)
        for piece, whose in enumerate(state[rank]):
            fresh = any(m.target == rank and m.piece == piece for m in moves)
            _cell(canvas, x, y + 17 + piece * CELL[1], piece, whose, fresh)
    for move in moves:
        _carry(canvas, move)
    return canvas


def _cell(canvas, x, y, piece, whose, fresh):
    whole = len(whose) == RANKS
    canvas.rect(x, y, CELL[0], CELL[1] - 1, "bytes", SHADES[len(whose) - 1], 1, "bold" if fresh else "")
    tone = "on" if whole else ""
    canvas.text(x + 4, y + 10.5, LETTERS[piece], 12.6, tone=tone, bold=True)
    canvas.text(x + CELL[0] - 4, y + 10.5, "".join(str(r + 1) for r in sorted(whose)), 12.6, "end", tone, bold=fresh)


def _carry(canvas, move):
    """Draw the arrow of a move along the side of the square, with the name of its piece."""
    arrows = ((62, 48, 116, 48), (147, 80, 147, 95), (116, 140, 62, 140), (31, 95, 31, 80))
    places = ((86, 41), (134, 91), (86, 133), (44, 91))
    canvas.arrow(*arrows[move.source], "bytes", "bold")
    canvas.text(*places[move.source], LETTERS[move.piece], 12, "middle", "bytes", True)


# ---------------------------------------------------------------- the tree


@diagram("tree-all-reduce")
def tree_all_reduce(read):
    """Draw each round of an all-reduce up and down a binomial tree."""
    steps = tree(LEAVES)
    states = states_of(start(LEAVES, 1), steps)
    phases = ["up" if moves[0].adds else "down" for moves in steps]
    does = {"up": "whole messages are added", "down": "the sum is handed out"}
    words = [f"{LEAVES} ranks, each with a message.", *(f"Round {i}, {w}: {does[w]}." for i, w in enumerate(phases, 1))]
    rows = [
        [str(i), phase, str(len(moves)), str(complete_pieces(states[i]))]
        for i, (phase, moves) in enumerate(zip(phases, steps, strict=True), 1)
    ]
    return Diagram(
        title=f"All-reduce of {LEAVES} ranks on a binomial tree, round by round",
        description=(
            f"{LEAVES} ranks in a row. In {phases.count('up')} rounds sums travel towards the first rank, which then "
            f"holds the sum of all; in {phases.count('down')} more it travels back. Each arrow carries the whole "
            "message, and after the first round half of the ranks have nothing more to do for a while."
        ),
        columns=("round", "direction", "messages under way", "ranks with the whole sum"),
        rows=tuple(rows),
        frames=_frames(_tree_frame, states, steps, words),
        values={"steps": len(steps), "sent": most_sent(steps, 1), "states": states},
    )


def _tree_frame(state, moves):
    canvas, gap = Canvas(178, 86), 21.6
    for rank, (whose,) in enumerate(state):
        x, count = 13 + rank * gap, len(whose)
        fresh = any(m.target == rank for m in moves)
        shade = SHADES[(count - 1).bit_length()]
        canvas.circle(x, 58, 9.5, "bytes", shade, "bold" if fresh else "")
        canvas.text(x, 62.5, str(count), 12.6, "middle", "on" if shade == "full" else "", bold=fresh)
        canvas.text(x, 83, str(rank + 1), 12, "middle", "quiet")
    for move in moves:
        distance = abs(move.source - move.target)
        rise = (7 + 4.5 * distance) * (1 if move.target > move.source else -1)
        canvas.arrow(13 + move.source * gap, 46, 13 + move.target * gap, 46, "bytes", "", rise)
    return canvas


# ---------------------------------------------------------------- two levels


@diagram("two-level-all-reduce")
def two_level_all_reduce(read):
    """Draw the three phases of an all-reduce within nodes and between them."""
    phases, pieces = levels(INSIDE, NODES), INSIDE * NODES
    states = [start(INSIDE * NODES, pieces)]
    for steps in phases:
        states.append(states_of(states[-1], steps)[-1])
    between, flat = most_sent(phases[1], pieces), most_sent(ring(pieces), pieces)
    words = _phases(phases)
    names = ("at the start", "reduce-scatter inside", "all-reduce between", "all-gather inside")
    counts = [(len(steps), complete_pieces(state) // NODES) for steps, state in zip([[], *phases], states, strict=True)]
    return Diagram(
        title="A hierarchical all-reduce, phase by phase",
        description=(
            f"{' '.join(words)} Over its NIC each device has sent {between:g} of the message; in one flat ring "
            f"through all {pieces} it would have been {flat:g}."
        ),
        columns=("phase", "steps", "finished pieces, of all devices"),
        rows=tuple([name, str(steps), str(full)] for name, (steps, full) in zip(names, counts, strict=True)),
        frames=tuple(Frame(_levels_frame(states[i], i), description) for i, description in enumerate(words)),
        values={"phases": phases, "states": states, "between": between, "flat": flat},
    )


def _phases(phases):
    inner, _, last = map(len, phases)
    return (
        f"{NODES} nodes of {INSIDE} devices; each device holds {INSIDE} pieces of its own.",
        f"Inside each node, {inner} steps: every device ends with one piece of the node's sum.",
        f"Between the nodes, {INSIDE} small rings side by side: each device meets those that own the same piece.",
        f"Inside again, {last} steps: the finished pieces are handed round.",
    )


def _levels_frame(state, phase):
    canvas, cell, gap = Canvas(340, 128), (30, 15), 36
    for node in range(NODES):
        left = 4 + node * 180
        canvas.rect(left, 4, 152, 96, "plain", "faint", 6)
        canvas.text(left + 76, 118, f"node {node + 1}", 12, "middle", bold=True)
        for device in range(INSIDE):
            x = left + 8 + device * gap
            for piece, whose in enumerate(state[node * INSIDE + device][::NODES]):
                shade = SHADES[(len(whose) - 1).bit_length()]
                y = 26 + piece * (cell[1] + 2)
                canvas.rect(x, y, cell[0], cell[1], "bytes", shade, 1)
                canvas.text(x + 15, y + 11.5, str(len(whose)), 12.6, "middle", "on" if shade == "full" else "")
        if phase in (1, 3):
            canvas.arrow(left + 20, 15, left + 132, 15, "bytes", "bold")
    if phase == 2:
        for piece in range(INSIDE):
            y = 33 + piece * 17
            canvas.arrow(158, y, 182, y, "bytes", "", 0, 5)
            canvas.arrow(182, y + 4, 158, y + 4, "bytes", "", 0, 5)
    return canvas
