"""Messages of an all-reduce, played on sets: each piece says whose parts have been added to it.

Nothing here knows a formula. The steps that are played and the bytes that they send are compared with the
formulas by a test.
"""

from typing import NamedTuple


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


def levels(devices, nodes):
    """Return the phases of an all-reduce of nodes with devices: within, between, within; each a list of steps.

    The message has a piece for each device there is; within a node they travel in bundles, between nodes one
    by one.
    """
    steps = ring(devices)

    def inside(move):
        bundle = range(move.piece * nodes, (move.piece + 1) * nodes)
        at = [(n * devices + move.source, n * devices + move.target) for n in range(nodes)]
        return [Move(*pair, piece, move.adds) for pair in at for piece in bundle]

    def between(move):  # after the first phase device i of each node owns bundle i + 1
        owned = [(i, (i + 1) % devices * nodes + move.piece) for i in range(devices)]
        return [Move(move.source * devices + i, move.target * devices + i, piece, move.adds) for i, piece in owned]

    within = [[each for move in step for each in inside(move)] for step in steps]
    across = [[each for move in step for each in between(move)] for step in ring(nodes)]
    return within[: devices - 1], across, within[devices - 1 :]


def states_of(state, steps):
    """Return the states from the first to the last."""
    found = [state]
    for moves in steps:
        found.append(after(found[-1], moves))
    return found


def most_sent(steps, pieces):
    """Return the most that one rank sends, in messages: each piece is a part of the message."""
    counts = {}
    for moves in steps:
        for move in moves:
            counts[move.source] = counts.get(move.source, 0) + 1
    return max(counts.values()) / pieces


def complete_pieces(state):
    """Return how many pieces, of all ranks together, hold the parts of everybody."""
    everybody = frozenset(range(len(state)))
    return sum(piece == everybody for row in state for piece in row)
