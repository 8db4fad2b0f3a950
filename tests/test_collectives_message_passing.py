"""Holds the time of collectives to algorithms that really pass messages and add numbers."""

import numpy as np
import pytest

from mathcore import find

ALPHA, BETA, WIDTH = 5e-6, 50e9, 8.0  # s, B/s, bytes of an element
LETTERS = {"alpha": f"{ALPHA} s", "beta": f"{BETA} B/s"}


class Wire:
    """Count steps and the largest message of each; hand messages over."""

    def __init__(self):
        self.time = 0.0
        self.sent = 0

    def step(self, messages):
        """Deliver `(source, target, values)`, one for each source and target at most."""
        for end in (0, 1):
            busy = [message[end] for message in messages]
            assert len(set(busy)) == len(busy), "a rank has one port"
        largest = max(len(values) for *_, values in messages) * WIDTH
        self.sent += sum(len(values) for *_, values in messages) * WIDTH
        self.time += ALPHA + largest / BETA
        return [(target, values.copy()) for _, target, values in messages]


def ring(data, wire):
    p = len(data)
    parts = [np.split(row, p) for row in data]
    for add in (True, False):
        for turn in range(p - 1):
            at = [(i - turn + (not add)) % p for i in range(p)]
            for target, values in wire.step([(i, (i + 1) % p, parts[i][at[i]]) for i in range(p)]):
                place = at[(target - 1) % p]
                parts[target][place] = parts[target][place] + values if add else values
    return [np.concatenate(row) for row in parts]


def doubling(data, wire):
    p, rows = len(data), [row.copy() for row in data]
    for bit in range(p.bit_length() - 1):
        got = wire.step([(i, i ^ 1 << bit, rows[i]) for i in range(p)])
        for target, values in got:
            rows[target] = rows[target] + values
    return rows


def halving_doubling(data, wire):
    p, n, rows = len(data), len(data[0]), [row.copy() for row in data]
    spans, bits = [(0, n)] * p, range(p.bit_length() - 1)
    for bit in bits:
        halves = []
        for i, (low, high) in enumerate(spans):
            middle = (low + high) // 2
            keep, give = ((low, middle), (middle, high))[:: -1 if i >> bit & 1 else 1]
            halves.append((keep, give))
        got = wire.step([(i, i ^ 1 << bit, rows[i][slice(*halves[i][1])]) for i in range(p)])
        for target, values in got:
            rows[target][slice(*halves[target][0])] += values
        spans = [keep for keep, _ in halves]
    for bit in reversed(bits):
        got = wire.step([(i, i ^ 1 << bit, rows[i][slice(*spans[i])]) for i in range(p)])
        for target, values in got:
            rows[target][slice(*spans[target ^ 1 << bit])] = values
        spans = [(min(spans[i][0], spans[i ^ 1 << bit][0]), max(spans[i][1], spans[i ^ 1 << bit][1])) for i in range(p)]
    return rows


def tree(data, wire):
    p, rows = len(data), [row.copy() for row in data]
    bits = range(p.bit_length() - 1)
    for bit in bits:
        senders = [i for i in range(p) if i % (2 << bit) == 1 << bit]
        for target, values in wire.step([(i, i - (1 << bit), rows[i]) for i in senders]):
            rows[target] = rows[target] + values
    for bit in reversed(bits):
        senders = [i for i in range(p) if i % (2 << bit) == 0]
        for target, values in wire.step([(i, i + (1 << bit), rows[i]) for i in senders]):
            rows[target] = values
    return rows


ALGORITHMS = {"ring": ring, "doubling": doubling, "halving_doubling": halving_doubling, "tree": tree}


def run(name, p, elements=256):
    data = [np.random.default_rng(i).integers(0, 100, elements).astype(float) for i in range(p)]
    wire = Wire()
    rows = ALGORITHMS[name](data, wire)
    assert all((row == sum(data)).all() for row in rows), "every rank must hold the sum"
    return wire


def stated(name, p, elements=256):
    return find(f"collectives.{name}").at(n=f"{elements * WIDTH} B", p=str(p), **LETTERS).m_as("s")


@pytest.mark.parametrize("p", [2, 4, 16, 64])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_all_reduce_adds_and_takes_the_stated_time(name, p):
    assert run(name, p).time == pytest.approx(stated(name, p), rel=1e-12)


@pytest.mark.parametrize("p", [2, 8, 32])
def test_ring_and_halving_send_no_more_than_they_must(p):
    least = find("collectives.least_bytes").evaluate(n=f"{256 * WIDTH} B", p=str(p))[0].m_as("B")
    assert run("ring", p).sent == run("halving_doubling", p).sent == least
    assert run("doubling", p).sent >= least


def test_halving_doubling_is_the_ring_for_two_ranks():
    assert stated("halving_doubling", 2) == pytest.approx(stated("ring", 2), rel=1e-15)


@pytest.mark.parametrize("name", [*ALGORITHMS, "all_to_all", "broadcast_scatter", "ring_half"])
def test_one_rank_has_nothing_to_send(name):
    assert stated(name, 1) == 0


@pytest.mark.parametrize(("crossover", "symbol", "other"), [("ring_or_tree", "n", "tree")])
@pytest.mark.parametrize("p", [4, 64, 4096])
def test_at_the_crossover_both_take_equally_long(crossover, symbol, other, p):
    size = find(f"collectives.{crossover}").at(p=str(p), **LETTERS)
    times = [find(f"collectives.{name}").at(n=size, p=str(p), **LETTERS).m_as("s") for name in ("ring", other)]
    assert times[0] == pytest.approx(times[1], rel=1e-12)
    smaller = [find(f"collectives.{name}").at(n=size / 2, p=str(p), **LETTERS).m_as("s") for name in ("ring", other)]
    assert smaller[0] > smaller[1]


def test_chain_of_chunks_takes_the_stated_time():
    """Chunk c leaves hop h when it has arrived there and the hop is free."""
    hops, chunks, size = 5, 7, 1e6
    one = ALPHA + size / chunks / BETA
    free, last = [0.0] * hops, 0.0
    for _ in range(chunks):
        arrived = 0.0
        for hop in range(hops):
            free[hop] = arrived = max(arrived, free[hop]) + one
        last = arrived
    given = {"L": str(hops - 1), "k": str(chunks), "n": f"{size} B"}
    assert find("collectives.chain").at(**given, **LETTERS).m_as("s") == pytest.approx(last, rel=1e-12)


def test_best_number_of_chunks_takes_the_least_time():
    given = {"L": "19", "n": "64 MB", **LETTERS}
    best, time = find("collectives.best_chunks").at(**given), find("collectives.chain")
    least = find("collectives.best_chain").at(**given)
    assert time.at(**given, k=best).m_as("s") == pytest.approx(least.m_as("s"), rel=1e-12)


def test_wrong_time_is_found():
    assert run("ring", 16).time != pytest.approx(stated("halving_doubling", 16), rel=1e-6)
