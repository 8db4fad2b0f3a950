"""Holds energy and carbon to Table 15 of LLaMA and to the model card of Llama 3.1."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("llama_carbon")
TABLE = [name for name in PUBLISHED if name.startswith("llama1")]


def computed(entry, pue=None):
    """Return what the core gives for an entry, in its unit: energy, or carbon where an intensity is given."""
    given = {key: value for key, (value, _) in entry["inputs"].items()}
    run = {"G": f"{given['h']} gpu h", "p": f"{given['w']} kW/gpu"}
    building = str(pue or given["pue"])
    if "ci" in given:
        return find("energy.carbon").at(**run, PUE=building, c=f"{given['ci']} kg/kWh").m_as("t")
    energy = find("energy.it_energy").at(**run)
    return find("energy.facility_energy").at(PUE=building, E_I=energy).m_as("MWh")


@pytest.mark.parametrize("name", TABLE)
def test_row_of_table_15(name):
    require(PUBLISHED[name], computed(PUBLISHED[name]))


def test_one_factor_explains_the_model_card():
    entry = PUBLISHED["llama31-carbon-70b"]
    given = {key: value for key, (value, _) in entry["inputs"].items()}
    named = {"m": f"{given['c']} t", "G": f"{given['h']} gpu h", "p": f"{given['w']} kW/gpu"}
    require(entry, find("energy.implied_intensity").at(**named).m_as("kg/kWh"))
    require(entry, find("energy.llama31_factor").value.m_as("kg/kWh"))


def test_market_based_is_another_question():
    """The card prints 11,390 t by location and 0 t by certificates: the model gives the first alone."""
    assert find("sites.llama31_all").value.m_as("t") == 11390
    assert find("sites.llama31_market").value.m_as("t") == 0
    assert "location-based" in find("energy.carbon").convention


def test_missing_building_is_found():
    refuse(PUBLISHED["llama1-mwh-65b"], computed(PUBLISHED["llama1-mwh-65b"], pue=1.2))
