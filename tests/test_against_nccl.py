"""Holds the bus bandwidth of collectives to the factors that nccl-tests prints."""

import pytest
from published import entries, require

from mathcore import find

PUBLISHED = entries("nccl")
FORMULAS = {
    "coll-busbw-all-reduce": "bus_all_reduce", "coll-busbw-reduce-scatter": "bus_gather",
    "coll-busbw-all-gather": "bus_gather", "coll-busbw-all-to-all": "bus_gather",
    "coll-busbw-broadcast": "bus_broadcast", "coll-busbw-reduce": "bus_broadcast"
}  # fmt: skip


def factor(name, ranks):
    formula = find(f"collectives.{name}")
    given = {"A": "1 GB/s", **({"p": str(ranks)} if "p" in {v.name for v in formula.inputs} else {})}
    return formula.at(**given).m_as("GB/s")


def test_every_published_factor_has_its_formula():
    assert PUBLISHED.keys() == FORMULAS.keys()


@pytest.mark.parametrize("name", FORMULAS)
def test_bus_bandwidth_over_algorithm_bandwidth(name):
    entry = PUBLISHED[name]
    require(entry, factor(FORMULAS[name], entry["inputs"]["n"][0]))


def test_wrong_factor_is_found():
    with pytest.raises(AssertionError, match="coll-busbw-all-reduce: computed"):
        require(PUBLISHED["coll-busbw-all-reduce"], factor("bus_gather", 8))


def test_time_of_a_collective_gives_the_link_back():
    """A ring at its limit must print the bandwidth of the link, whatever the number of ranks."""
    ring, algorithm = find("collectives.least_time"), find("collectives.algorithm_bandwidth")
    for ranks in (2, 3, 8, 1000):
        seconds = ring.at(n="1 GB", p=str(ranks), beta="50 GB/s")
        bandwidth = algorithm.at(n="1 GB", t=seconds)
        printed = find("collectives.bus_all_reduce").at(A=bandwidth, p=str(ranks))
        assert printed.m_as("GB/s") == pytest.approx(50, rel=1e-12)
