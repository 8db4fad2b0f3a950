"""Holds memory per device to Figure 1 of ZeRO: 7.5 billion parameters on 64 ranks."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("zero")
STAGES = {
    "zero-fig1-base": "zero_figure_0", "zero-fig1-os": "zero_figure_1", "zero-fig1-g": "zero_figure_2",
    "zero-fig1-p": "zero_figure_3"
}  # fmt: skip


@pytest.mark.parametrize("name", STAGES)
def test_memory_per_device(name):
    entry, example = PUBLISHED[name], find(f"parallelism.memory.{STAGES[name]}")
    given = {v.name: value.magnitude for v, value in example.givens.items()}
    assert given["Psi"] == entry["inputs"]["P"][0] * 1e9
    assert given["w_o"] == entry["inputs"]["K"][0]
    assert given.get("d", 64) == entry["inputs"]["N"][0]
    require(entry, example.value.m_as("GB"))


def test_stages_agree_on_one_replica():
    """Sharding among one is no sharding."""
    given = {"Psi": "7e9", "w_p": "2 B", "w_g": "2 B", "w_o": "12 B"}
    plain = find("parallelism.memory.state").at(**given)
    for stage in (1, 2, 3):
        assert find(f"parallelism.memory.zero_stage_{stage}").at(**given, d="1") == plain


def test_stage_three_sends_half_as_much_again():
    given = {"Psi": "7e9", "w_g": "2 B", "d": "64"}
    plain = find("parallelism.traffic_plain").at(**given)
    assert find("parallelism.traffic_sharded").at(**given, w_p="2 B") / plain == pytest.approx(1.5)


def test_wrong_stage_is_found():
    refuse(PUBLISHED["zero-fig1-os"], find("parallelism.memory.zero_figure_2").value.m_as("GB"))
