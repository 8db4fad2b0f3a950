"""Holds energy times intensity to Patterson et al., Carbon Emissions and Large Neural Network Training."""

import pytest
from published import entries, refuse, require

from mathcore import ArgumentError, find

PUBLISHED = entries("patterson")


def carbon(entry, factor=1):
    """Return the mass in tonnes that the core gives for the inputs of an entry."""
    energy, intensity = entry["inputs"]["e"], entry["inputs"]["ci"]
    given = {"E": f"{energy[0]} {energy[1]}", "c": f"{factor * intensity[0]} {intensity[1]}"}
    return find("energy.carbon_of_energy").at(**given).m_as("t")


@pytest.mark.parametrize("name", PUBLISHED)
def test_mass_of_a_training(name):
    require(PUBLISHED[name], carbon(PUBLISHED[name]))


@pytest.mark.parametrize("run", ["gpt3", "t5"])
def test_registered_facts_are_the_published_ones(run):
    entry = PUBLISHED[f"patt-co2-{run}"]
    assert find(f"sites.{run}_energy").value.m_as("MWh") == entry["inputs"]["e"][0]
    assert find(f"sites.{run}_intensity").value.m_as("t/MWh") == pytest.approx(entry["inputs"]["ci"][0])
    assert find(f"energy.{run}_carbon").value.m_as("t") == pytest.approx(entry["expected"], rel=0.005)


def test_energy_of_gpt3_follows_from_devices_and_days():
    """10,000 devices for 14.8 days at 330 W, in a building of 1.1: the printed 1,287 MWh to 0.2 %."""
    printed = find("sites.gpt3_energy").value
    assert find("energy.gpt3_energy").value / printed == pytest.approx(1, rel=0.003)


def test_intensity_of_another_grid_is_found():
    refuse(PUBLISHED["patt-co2-gpt3"], carbon(PUBLISHED["patt-co2-gpt3"], factor=1.01))


def test_wrong_prefix_is_refused():
    """No grid has a thousand times the intensity: the admissible range refuses it before anything is computed."""
    with pytest.raises(ArgumentError, match="carbon intensity"):
        carbon(PUBLISHED["patt-co2-gpt3"], factor=1000)
