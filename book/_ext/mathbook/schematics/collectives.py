"""All-reduce step by step, played on sets: each piece says whose parts have been added to it.

Nothing here knows a formula. The steps that are played and the bytes that they send are compared with the
formulas by a test.
"""

from typing import NamedTuple

from mathbook.schematics.drawings import Drawing, Frame, drawing
from mathbook.schematics.paper import Paper

RANKS, LEAVES = 4, 8
NODES, INSIDE = 2, 4
LETTERS = "abcdefgh"
SHADES = ("faint", "soft", "mid", "full")


class Move(NamedTuple):
    """A piece on its way from one rank to another; it is added there, or takes the place of what was there."""

    source: int
    target: int
    piece: int
    adds: bool


def start(ranks, pieces):
    """Return the state in which every rank holds its own parts alone: `state[rank][piece]` is a set of ranks."""
    return [[frozenset([rank]) for _ in range(pieces)] for rank in range(ranks)]


def after(state, moves):
    """Return the state after moves that happen at once."""
    new = [list(row) for row in state]
    for move in moves:
        sent = state[move.source][move.piece]
        new[move.target][move.piece] = sent | state[move.target][move.piece] if move.adds else sent
    return new


def ring(p):
    """Return the moves of each step of a ring all-reduce of p ranks and p pieces."""
    adding = [[Move(i, (i + 1) % p, (i - s) % p, True) for i in range(p)] for s in range(p - 1)]
    handing = [[Move(i, (i + 1) % p, (i + 1 - s) % p, False) for i in range(p)] for s in range(p - 1)]
    return adding + handing


def tree(p):
    """Return the moves of each round of a binomial tree with the root at rank 0: up, then down; one piece."""
    strides = [2**k for k in range((p - 1).bit_length())]
    up = [[Move(i, i - s, 0, True) for i in range(s, p, 2 * s)] for s in strides]
    down = [[Move(i - s, i, 0, False) for i in range(s, p, 2 * s)] for s in reversed(strides)]
    return up + down


def levels(G, M):
    """Return the phases of a two-level all-reduce: within nodes, between them, within them; lists of steps.

    The message has G·M pieces; within a node they travel in bundles of M, between nodes one by one.
    """
    steps = ring(G)

    def inside(move):
        bundle = range(move.piece * M, (move.piece + 1) * M)
        return [Move(n * G + move.source, n * G + move.target, q, move.adds) for n in range(M) for q in bundle]

    def between(move):  # after the first phase device i of each node owns bundle i + 1
        places = [(i, (i + 1) % G * M + move.piece) for i in range(G)]
        return [Move(move.source * G + i, move.target * G + i, piece, move.adds) for i, piece in places]

    within = [[each for move in step for each in inside(move)] for step in steps]
    across = [[each for move in step for each in between(move)] for step in ring(M)]
    return within[: G - 1], across, within[G - 1 :]


def played(state, steps):
    """Return the states from the first to the last."""
    found = [state]
    for moves in steps:
        found.append(after(found[-1], moves))
    return found


def sent(steps, pieces):
    """Return the most that one rank sends, in messages: each piece is a part of the message."""
    counts = {}
    for moves in steps:
        for move in moves:
            counts[move.source] = counts.get(move.source, 0) + 1
    return max(counts.values()) / pieces


# ---------------------------------------------------------------- the ring


@drawing("ring-all-reduce")
def ring_all_reduce(read):
    """Draw each step of a ring all-reduce."""
    steps = ring(RANKS)
    states = played(start(RANKS, RANKS), steps)
    frames = [_ring_frame(state, moves) for state, moves in zip(states, [None, *steps], strict=True)]
    told = [
        f"Every rank holds {RANKS} pieces of its own.",
        *(f"Step {s}: each hands a piece on, the neighbour adds it." for s in range(1, RANKS)),
        *(f"Step {s}: each hands on a finished piece." for s in range(RANKS, 2 * RANKS - 1)),
    ]
    bytes_sent = read.at("collectives.ring_sent", n="1 GB", p=RANKS).m_as("GB")
    rows = [
        [str(i), "add" if moves[0].adds else "hand out", f"1/{RANKS}", f"{(i) / RANKS:.2f}", str(_full(states[i]))]
        for i, moves in enumerate(steps, 1)
    ]
    return Drawing(
        title=f"Ring all-reduce of {RANKS} ranks, step by step",
        told=(
            f"{RANKS} ranks stand in a circle, each with {RANKS} pieces. In {RANKS - 1} steps each hands one piece to its "
            f"neighbour, who adds it, until each owns one finished piece; in {RANKS - 1} more the finished pieces are "
            f"handed round. Each rank has then sent {bytes_sent:g} times the message."
        ),
        columns=("step", "what happens", "a rank sends", "sent so far, in messages", "finished pieces, of all ranks"),
        rows=tuple(rows),
        frames=tuple(Frame(*each) for each in zip(frames, told, strict=True)),
        values={"steps": len(steps), "sent": sent(steps, RANKS), "states": states},
    )


def _full(state):
    everybody = frozenset(range(len(state)))
    return sum(piece == everybody for row in state for piece in row)


CORNERS = ((4, 4), (120, 4), (120, 96), (4, 96))  # of the ranks, clockwise
CELL = (54, 14)


def _ring_frame(state, moves):
    paper = Paper(178, 176)
    for rank, (x, y) in enumerate(CORNERS):
        paper.text(x + CELL[0] / 2, y + 11, f"rank {rank + 1}", 11.5, "middle", bold=True)
        for piece, whose in enumerate(state[rank]):
            fresh = any(m.target == rank and m.piece == piece for m in moves or ())
            _cell(paper, x, y + 17 + piece * CELL[1], piece, whose, fresh)
    for move in moves or ():
        _carry(paper, move)
    return paper


def _cell(paper, x, y, piece, whose, fresh):
    whole = len(whose) == RANKS
    paper.box(x, y, CELL[0], CELL[1] - 1, "bytes", SHADES[len(whose) - 1], 1, "bold" if fresh else "")
    tone = "on" if whole else ""
    paper.text(x + 4, y + 10.5, LETTERS[piece], 10.5, tone=tone, bold=True)
    paper.text(x + CELL[0] - 4, y + 10.5, "".join(str(r + 1) for r in sorted(whose)), 10.5, "end", tone, bold=fresh)


def _carry(paper, move):
    """Draw the arrow of a move along the side of the square, with the letter of its piece."""
    ways = ((62, 48, 116, 48), (147, 80, 147, 95), (116, 140, 62, 140), (31, 95, 31, 80))
    places = ((86, 41), (134, 91), (86, 133), (44, 91))
    paper.arrow(*ways[move.source], "bytes", "bold")
    paper.text(*places[move.source], LETTERS[move.piece], 12, "middle", "bytes", True)


# ---------------------------------------------------------------- the tree


@drawing("tree-all-reduce")
def tree_all_reduce(read):
    """Draw each round of an all-reduce up and down a binomial tree."""
    steps = tree(LEAVES)
    states = played(start(LEAVES, 1), steps)
    half = len(steps) // 2
    frames = [_tree_frame(state, moves) for state, moves in zip(states, [None, *steps], strict=True)]
    told = [
        f"{LEAVES} ranks, each with its own message.",
        *(f"Round {i}, up: whole messages are added." for i in range(1, half + 1)),
        *(f"Round {i}, down: the sum is handed out." for i in range(half + 1, 2 * half + 1)),
    ]
    rows = [
        [str(i), "up" if i <= half else "down", str(len(moves)), str(_full(states[i]))]
        for i, moves in enumerate(steps, 1)
    ]
    return Drawing(
        title=f"All-reduce of {LEAVES} ranks on a binomial tree, round by round",
        told=(
            f"{LEAVES} ranks in a row. In {half} rounds sums travel towards the first rank, which then holds the sum of "
            f"all; in {half} more it travels back. Each arrow carries the whole message, and in the first round half of the "
            "ranks have nothing more to do."
        ),
        columns=("round", "direction", "messages under way", "ranks with the whole sum"),
        rows=tuple(rows),
        frames=tuple(Frame(*each) for each in zip(frames, told, strict=True)),
        values={"steps": len(steps), "sent": sent(steps, 1), "states": states},
    )


def _tree_frame(state, moves):
    paper, gap = Paper(178, 86), 21.6
    for rank, (whose,) in enumerate(state):
        x, count = 13 + rank * gap, len(whose)
        fresh = any(m.target == rank for m in moves or ())
        shade = SHADES[(count - 1).bit_length()]
        paper.circle(x, 58, 9.5, "bytes", shade, "bold" if fresh else "")
        paper.text(x, 62, str(count), 11, "middle", "on" if shade == "full" else "", bold=fresh)
        paper.text(x, 83, str(rank + 1), 10.5, "middle", "quiet")
    for move in moves or ():
        way = abs(move.source - move.target)
        rise = (7 + 4.5 * way) * (1 if move.target > move.source else -1)
        paper.arrow(13 + move.source * gap, 46, 13 + move.target * gap, 46, "bytes", "", rise)
    return paper


# ---------------------------------------------------------------- two levels


@drawing("two-level-all-reduce")
def two_level_all_reduce(read):
    """Draw the three phases of an all-reduce within nodes and between them."""
    phases = levels(INSIDE, NODES)
    pieces = INSIDE * NODES
    states = [start(NODES * INSIDE, pieces)]
    for steps in phases:
        states.append(played(states[-1], steps)[-1])
    between, flat = sent(phases[1], pieces), sent(ring(NODES * INSIDE), pieces)
    told = (
        f"{NODES} nodes of {INSIDE} devices; each device holds {INSIDE} pieces of its own.",
        f"Inside each node, {len(phases[0])} steps: every device ends with one piece of the node's sum.",
        f"Between the nodes, {INSIDE} small rings side by side: each device meets those that own the same piece.",
        f"Inside again, {len(phases[2])} steps: the finished pieces are handed round.",
    )
    frames = [_levels_frame(state, index) for index, state in enumerate(states)]
    names = ("at the start", "reduce-scatter inside", "all-reduce between", "all-gather inside")
    finished = [str(_full(state) // NODES) for state in states]
    rows = [[name, str(len(steps)), full] for name, steps, full in zip(names, [[], *phases], finished, strict=True)]
    return Drawing(
        title="All-reduce on two levels, phase by phase",
        told=(
            f"{' '.join(told)} Over its port each device has sent {between:g} of the message; in one flat ring through all "
            f"{NODES * INSIDE} it would have been {flat:g}."
        ),
        columns=("phase", "steps", "finished pieces, of all devices"),
        rows=tuple(rows),
        frames=tuple(Frame(*each) for each in zip(frames, told, strict=True)),
        values={"phases": phases, "states": states, "between": between, "flat": flat},
    )


def _levels_frame(state, phase):
    paper, cell, gap = Paper(340, 128), (30, 15), 36
    for node in range(NODES):
        left = 4 + node * 180
        paper.box(left, 4, 152, 96, "plain", "faint", 6)
        paper.text(left + 76, 118, f"node {node + 1}", 12, "middle", bold=True)
        for device in range(INSIDE):
            x = left + 8 + device * gap
            for piece, whose in enumerate(state[node * INSIDE + device][::NODES]):
                shade = SHADES[(len(whose) - 1).bit_length()]
                y = 26 + piece * (cell[1] + 2)
                paper.box(x, y, cell[0], cell[1], "bytes", shade, 1)
                paper.text(x + 15, y + 11.5, str(len(whose)), 11, "middle", "on" if shade == "full" else "")
        if phase in (1, 3):
            paper.arrow(left + 20, 15, left + 132, 15, "bytes", "bold")
    if phase == 2:
        for piece in range(INSIDE):
            y = 33 + piece * 17
            paper.arrow(158, y, 182, y, "bytes", "", 0, 5)
            paper.arrow(182, y + 4, 158, y + 4, "bytes", "", 0, 5)
    return paper
