"""Holds energy from device-hours to StarCoder, which assumes 280 W for each device."""

from published import entries, refuse, require

from mathcore import find

ENTRY = entries("starcoder")["starcoder-kwh"]


def energy(power):
    return find("energy.it_energy").at(G=find("sites.starcoder_hours"), p=power).m_as("kWh")


def test_energy_is_hours_times_assumed_power():
    assert find("sites.starcoder_hours").value.m_as("gpu h") == ENTRY["inputs"]["h"][0]
    require(ENTRY, energy(find("sites.starcoder_power").per("gpu")))
    assert find("sites.starcoder_energy").value.m_as("kWh") == ENTRY["expected"]


def test_label_instead_of_assumption_is_found():
    refuse(ENTRY, energy("400 W/gpu"))
