"""Holds the first-order model and the scaling of failures to what others published on checkpointing."""

import math

import pytest
from published import entries, require

from mathcore import Quantity, find, units

PUBLISHED = entries("checkpoint_intervals")


def test_optimum_for_availability_approaches_young_when_writes_are_short():
    given = PUBLISHED.numbers("ckpt-saxena-reduces-to-young")
    stall, restart, mtbf = (given[key] for key in ("Ts", "Tr", "Tf"))
    published = stall + math.sqrt(2 * (mtbf + restart) * stall + stall**2)
    young = find("young_daly.interval").at(C=f"{stall} s", M=f"{mtbf} s").m_as("s")
    require(PUBLISHED["ckpt-saxena-reduces-to-young"], published / young)


@pytest.mark.parametrize("name", ["rel-kokolis-mttf-16384", "rel-kokolis-mttf-131072"])
def test_projected_time_between_failures_of_a_large_job(name):
    given = PUBLISHED.numbers(name)
    per_node = Quantity(1 / given["r"], units.unit("d"))  # failures per node-day
    per_device = per_node * Quantity(given["gpn"], units.unit("gpu"))
    found = find("young_daly.cluster_mtbf").at(m=per_device, N=f"{given['n_gpu']} gpu")
    require(PUBLISHED[name], found.m_as("h"))


def test_counts_of_llama_3_are_those_of_the_chapter():
    given = PUBLISHED.numbers("rel-llama3-total")
    require(PUBLISHED["rel-llama3-total"], given["planned"] + find("young_daly.llama_failures").value.m_as(""))


def test_failure_rate_of_llama_3_follows_from_the_chapter():
    gpus_of_a_node = Quantity(PUBLISHED.numbers("rel-llama3-rf")["gpn"], units.unit("gpu"))
    per_node = find("young_daly.llama_device_mtbf").value / gpus_of_a_node
    require(PUBLISHED["rel-llama3-rf"], 1000 / per_node.m_as("d"))


def test_time_wasted_by_a_failure_counts_half_an_interval():
    moment = PUBLISHED.numbers("ckpt-gemini-wasted")["t"]  # both to write and to read back; also the interval
    lost = find("young_daly.mean_loss").at(tau=f"{moment} min").m_as("min")
    require(PUBLISHED["ckpt-gemini-wasted"], moment + lost + moment)


def test_whole_interval_lost_is_found():
    with pytest.raises(AssertionError, match="ckpt-gemini-wasted: computed 126, published == 105 min"):
        require(PUBLISHED["ckpt-gemini-wasted"], 3 * PUBLISHED.numbers("ckpt-gemini-wasted")["t"])
