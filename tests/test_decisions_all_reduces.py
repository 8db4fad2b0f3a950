"""Compares the decisions on all-reduces with loops in plain Python that count hops and bytes."""

import functools
import itertools
import math

import pytest

from mathcore import find

NODE, NODES, NVLINK_RING, NIC, HOP = 8, 128, 365.6e9, 50e9, 1e-6
NVLS = 17179869184 / 62239e-6  # the longest message on one node of H100
CHUNKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@pytest.fixture(scope="module")
def fitted():
    """Return fitted inputs of today, which are data and not what is tested."""
    values = find("collectives.decisions.bucket").solve().values()
    switch = find("collectives.measured.switch_h100").fitted_parameters["alpha"].value.m_as("s")
    assert values["e"].m_as("") == pytest.approx(MANY, rel=1e-6)
    return {"share": values["e"].m_as(""), "hop": values["alpha_o"].m_as("s"), "switch": switch}


def messages(steps, size, hop, rate):
    return sum(hop + size / rate for _ in range(steps))


# Of the NICs' rate in the jobs nearest to 128 nodes, 1 GiB: Alps on 128 (four NICs of 25 GB/s), Polaris on 256 (two).
MANY = math.sqrt(2 * 2**30 * 511 / 512 / 100e9 / 32172e-6 * 2 * 2**30 * 1023 / 1024 / 50e9 / 69398e-6)


@functools.cache
def sharp():
    """Return bytes a second of the one published run with in-network reduction; on many nodes it loses as NICs do."""
    few = find("collectives.measured.rails_alps").fitted_parameters["e"].value.m_as("")
    return 8589934592 / 43980e-6 * MANY / few


def between(name, size, hop, rate, nodes=NODES):
    """Return the seconds of an all-reduce of `size` bytes of each of `nodes` ranks."""
    rounds = math.ceil(math.log2(nodes))
    if name == "ring":
        return messages(2 * (nodes - 1), size / nodes, hop, rate)
    if name == "tree":
        return messages(2 * rounds, size, hop, rate)
    if name == "recursive doubling":
        return messages(rounds, size, hop, rate)
    if name == "halving-doubling":
        return 2 * sum(hop + size / 2**i / rate for i in range(1, rounds + 1))
    if name == "in-network reduction":
        return 2 * hop + size / (sharp() / NODE)
    depth = 2 * rounds - 1  # double tree: try every number of chunks, since its formula takes the best one
    return (math.sqrt(depth * hop) + math.sqrt(2 * size / rate)) ** 2


def inside(name, size, fitted):
    if name == "NVLS":
        return 2 * fitted["switch"] + size / NVLS
    return messages(2 * (NODE - 1), size / NODE, HOP, NVLINK_RING)


def chunked(node, network, chunks):
    """Return when the last chunk is through; each enters the network when it has left the node and the one before."""
    done, finished = node, 0.0
    for _ in range(chunks):
        finished = max(done, finished) + network
        done += node
    return finished


def times(size, fitted, nic=NIC):
    """Yield `(algorithm, between, seconds)` of every option."""
    rate, ranks = fitted["share"] * nic, NODE * NODES
    hops = sum(fitted["hop"] if i % NODE == 0 else HOP for i in range(ranks)) / ranks
    yield "one ring", None, messages(2 * (ranks - 1), size / ranks, hops, rate)
    slower = min(NODE * rate, NVLINK_RING)
    yield "a ring on every NIC", None, messages(2 * (ranks - 1), size / ranks, hops, slower)
    for name in ("tree", "recursive doubling", "halving-doubling", "double tree"):
        yield (
            f"one {name}".replace("one re", "re").replace("one ha", "ha"),
            None,
            between(name, size, fitted["hop"], rate, ranks),
        )
    names = ("ring", "tree", "recursive doubling", "halving-doubling", "in-network reduction", "double tree")
    for first, name, chunks in itertools.product(("ring", "NVLS"), names, CHUNKS):
        node, network = inside(first, size / chunks, fitted), between(name, size / chunks / NODE, fitted["hop"], rate)
        yield "hierarchical", name, chunked(node, network, chunks)


@pytest.mark.parametrize(("name", "size"), [("bucket", 25e6), ("step", 140e9)])
def test_every_option_takes_the_time_that_a_loop_counts(name, size, fitted):
    solution = find(f"collectives.decisions.{name}").solve()
    counted = {}
    for algorithm, network, seconds in times(size, fitted):
        counted[algorithm, network] = min(seconds, counted.get((algorithm, network), math.inf))
    found = {}
    for place, option in enumerate(solution.options):
        key = option.levers["algorithm"], option.levers.get("between", "").removesuffix(" between") or None
        seconds = solution.row(place, "").value.m_as("s")
        found[key] = min(seconds, found.get(key, math.inf))
    assert found.keys() == counted.keys()
    assert found == pytest.approx(counted, rel=1e-6)


def test_the_ring_overtakes_the_tree_where_bisection_finds_it(fitted):
    def lead(size):
        best = {}
        for algorithm, network, seconds in times(size, fitted):
            best[algorithm, network] = min(seconds, best.get((algorithm, network), math.inf))
        return best["a ring on every NIC", None] - best["hierarchical", "double tree"]

    low, high = 25e6, 10e9
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if lead(middle) > 0 else (low, middle)
    above = find("collectives.decisions.bucket").solve().values()["n_above"]
    assert above.m_as("B") == pytest.approx(low, rel=0.01)


def test_purchases_save_what_their_loops_save(fitted):
    now = min(s for a, b, s in times(140e9, fitted) if a == "a ring on every NIC")
    faster = min(s for a, b, s in times(140e9, fitted, 2 * NIC) if b in (None, "double tree"))
    reducing = min(s for a, b, s in times(140e9, fitted) if b == "in-network reduction")
    solution = find("collectives.decisions.purchase").solve()
    found = {solution.options[i].levers["network"]: solution.row(i, "").value.m_as("s") for i in solution.ranking}
    assert found["NICs of twice the rate"] == pytest.approx(faster, rel=1e-6)
    assert found["in-network reduction"] == pytest.approx(reducing, rel=1e-6)
    assert found["as installed"] == pytest.approx(now, rel=1e-6)
    assert sorted(found, key=found.get)[:2] == ["NICs of twice the rate", "racks of 72"]
    assert found["racks of 72"] < (1 + solution.values()["error"].m_as("")) * faster


def test_protocols_cross_where_a_scan_of_their_times_does():
    """Latencies and shares of NCCL's table for rings over NVLink, eight ranks."""

    def ring(message, latency, share):
        return 14 * (latency + message / 8 / (share * RATE))

    RATE = 365.8e9
    sizes = [10 ** (5 + i / 2000) for i in range(8000)]
    quick = next(n for n in sizes if ring(n, 1.9e-6, 0.92) < ring(n, 0.47e-6, 0.25))
    long = next(n for n in sizes if ring(n, 3.4e-6, 1.0) < ring(n, 1.9e-6, 0.92))
    rate = {"p": "8", "beta": f"{RATE} B/s"}
    found = find("collectives.protocols.switch_over")
    assert found.at(**rate, a_q="0.47 µs", r_q="25 %", a_f="1.9 µs", r_f="92 %").m_as("B") == pytest.approx(
        quick, rel=2e-3
    )
    assert found.at(**rate, a_q="1.9 µs", r_q="92 %", a_f="3.4 µs", r_f="100 %").m_as("B") == pytest.approx(
        long, rel=2e-3
    )


def test_rates_of_racks_predict_the_published_messages_between_the_two():
    """1 GiB and 2 GiB on one rack and on twenty, nccl-tests of one provider."""
    published = {
        "rack": ((1.0737, 3108.8), (2.1475, 5589.1)),
        "two_racks": ((1.0737, 3574.4), (2.1475, 6264)),
        "racks": ((1.0737, 9805.7), (2.1475, 14980)),
    }
    start = {"rack": 1806.7, "two_racks": 2156.8, "racks": 7108.4}
    for name, rows in published.items():
        rate = find(f"collectives.measured.{name}").value.m_as("GB/s")
        for message, time in rows:
            assert start[name] + (message - 0.53687) / rate * 1e6 == pytest.approx(time, rel=0.05)


def test_racks_of_72_win_from_the_rate_that_a_scan_finds(fitted):
    """1,080 GPUs in 15 racks: rings inside at twice the rate of the switch, a double tree between, in chunks."""

    def racks(rate):
        hop, nic = fitted["hop"], fitted["share"] * NIC
        return min(
            chunked(
                messages(2 * 71, 140e9 / k / 72, HOP, 2 * rate), between("double tree", 140e9 / k / 72, hop, nic, 15), k
            )
            for k in CHUNKS
        )

    solution = find("collectives.decisions.purchase").solve()
    found = {solution.options[i].levers["network"]: solution.row(i, "").value.m_as("s") for i in solution.ranking}
    assert found["racks of 72"] == pytest.approx(racks(212.6e9), rel=2e-3)


def test_buckets_on_alps_take_longer_than_their_double_tree(fitted):
    """33,554,432 bytes on 32 to 512 nodes of four, published times in microseconds."""
    published = {32: 1918.9, 64: 2281.0, 128: 2470.6, 256: 5462.8, 512: 3489.6}
    comparison = find("collectives.measured.buckets_alps")
    rate = find("collectives.measured.rails_alps").fitted_parameters["e"].value.m_as("") * 25e9
    for row, ratio in zip(comparison.split_rows.holdout, comparison.ratios, strict=True):
        nodes, size = int(row["nodes"].magnitude), 2**25
        node = messages(6, size / 4, 1e-6, 450e9)
        seconds = node + between("double tree", size / 4, fitted["hop"], rate, nodes)
        assert float(ratio) == pytest.approx(seconds / (published[nodes] * 1e-6), rel=1e-3)


def test_one_ring_and_one_switch_at_the_rate_that_is_attained():
    """140 GB of gradients of 1,024 devices, twice round a ring of NICs of 100 GB/s, or once through NICs of 50 GB/s."""
    share = MANY
    ring = 2 * 1023 / 1024 * 140e9 / (share * 100e9)
    assert find("collectives.measured.one_ring_faster").value.m_as("s") == pytest.approx(ring, rel=2e-3)
    assert find("collectives.measured.one_switch").value.m_as("s") == pytest.approx(140e9 / (share * 50e9), rel=2e-3)
