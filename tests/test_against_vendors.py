"""Compares arithmetic peaks with data sheets: clock times units, dense where the sheet states dense."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("vendors")
CHIPS = {"hw-peak-h100-sxm": "h100", "hw-peak-mi300x": "mi300x", "hw-peak-mi355x": "mi355x", "hw-peak-gaudi3": "gaudi3"}
RIDGES = {"a100": 153.0, "h100": 295.3, "h200": 206.1, "b200": 281.3, "gb200": 312.5, "b300": 281.3}
RIDGES |= {"mi300x": 246.7, "mi325x": 217.9, "tpu_v5e": 240.5, "tpu_v5p": 166.0, "tpu_v6e": 560.4}
LINKED = {"edr": 12.5, "hdr": 25, "ndr": 50, "xdr": 100}


def fact(name):
    return find(f"hardware.{name}").value


def peak(chip):
    """Return the peak of a chip from its clock and its units, in TFLOP/s."""
    parts = {"c": fact(f"{chip}_clock"), "k": fact(f"{chip}_fma"), "m": fact(f"{chip}_units")}
    return find("roofline.peak").at(**parts).m_as("TFLOP/s")


@pytest.mark.parametrize("name", CHIPS)
def test_peak_follows_from_clock_and_units(name):
    entry, chip = PUBLISHED[name], CHIPS[name]
    given = {key: value for key, (value, _) in entry["inputs"].items()}
    assert fact(f"{chip}_clock").m_as("1/s") == given["clk"]
    assert (fact(f"{chip}_fma").magnitude, fact(f"{chip}_units").magnitude) == (given["fma"], given["u"])
    require(entry, peak(chip))


@pytest.mark.parametrize("chip", ["a100", "h100", "mi300x", "mi355x"])
def test_registered_peak_is_the_computed_one(chip):
    assert fact(f"{chip}_bf16").m_as("TFLOP/s") == pytest.approx(peak(chip), rel=0.007)


def test_figure_of_the_data_sheet_counts_sparsity():
    entry = PUBLISHED["hw-sparsity-h100"]
    assert fact("h100_bf16_sparse").m_as("TFLOP/s") == entry["inputs"]["s"][0]
    require(entry, find("roofline.dense_peak").at(P_s=fact("h100_bf16_sparse")).m_as("TFLOP/s"))


@pytest.mark.parametrize("chip", RIDGES)
def test_ridge_of_each_chip(chip):
    """Expected by division on a pocket calculator from the two printed figures."""
    ridge = find("roofline.ridge").at(P=fact(f"{chip}_bf16"), b=fact(f"{chip}_hbm_bandwidth"))
    assert ridge.m_as("FLOP/B") == pytest.approx(RIDGES[chip], rel=5e-4)


@pytest.mark.parametrize("chip", ["h100", "h200", "b200", "gb200", "b300", "mi300x", "mi325x"])
def test_eight_bits_are_twice_as_fast(chip):
    assert fact(f"{chip}_fp8") / fact(f"{chip}_bf16") == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize("chip", ["tpu_v5e", "tpu_v5p", "tpu_v6e"])
def test_integers_are_twice_as_fast(chip):
    assert fact(f"{chip}_int8") / fact(f"{chip}_bf16") == pytest.approx(2, rel=3e-3)


@pytest.mark.parametrize("generation", LINKED)
def test_port_is_four_lanes_and_one_direction(generation):
    port = fact(f"{generation}_port")
    assert port == fact("ib_lanes") * fact(f"{generation}_lane")
    assert port.m_as("GB/s") == LINKED[generation]
    assert "per direction" in find(f"hardware.{generation}_port").qualifier


@pytest.mark.parametrize("chip", ["a100", "h100", "b200", "mi300x"])
def test_nothing_attains_its_peak(chip):
    share = find("roofline.share_attained").at(A=fact(f"{chip}_matmul"), P=fact(f"{chip}_bf16"))
    assert 0.5 < share.m_as("") < 0.9


@pytest.mark.parametrize("server, device", [("dgx_a100", "a100"), ("dgx_h100", "h100"), ("dgx_b200", "b200")])
def test_server_takes_more_than_its_devices(server, device):
    devices = 8 * fact(f"{device}_tdp")
    assert 1.5 * devices < fact(f"{server}_power") < 2.1 * devices


def test_energy_goes_down_with_the_generations():
    """Energy for each operation at the power limit: less in each generation of one maker."""
    chips = ("a100", "h100", "b200")
    spent = [(fact(f"{c}_tdp") / fact(f"{c}_bf16")).m_as("pJ/FLOP") for c in chips]
    assert spent == sorted(spent, reverse=True)


def test_sparse_peak_is_found():
    with pytest.raises(AssertionError, match="computed 1979"):
        require(PUBLISHED["hw-sparsity-h100"], fact("h100_bf16_sparse").m_as("TFLOP/s"))


def test_boost_clock_is_found():
    parts = {"c": "1.98e9 /s", "k": fact("h100_fma"), "m": fact("h100_units")}
    refuse(PUBLISHED["hw-peak-h100-sxm"], find("roofline.peak").at(**parts).m_as("TFLOP/s"))


def test_slice_of_tpus_has_the_chips_of_its_axes():
    short, long, all_chips, cube = (
        find(f"fabrics.v5p_{part}").value.m_as("") for part in ("short", "long", "slice", "cube")
    )
    assert short * short * long == all_chips and short % cube == long % cube == 0
