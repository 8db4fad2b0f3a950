"""Holds carbon from chip-hours to appendix B of PaLM."""

import pytest
from published import entries, refuse, require

from mathcore import find

ENTRY = entries("palm_carbon")["palm-carbon"]


def carbon(**changed):
    given = {key: f"{value} {unit}" for key, (value, unit) in ENTRY["inputs"].items()}
    hours = given["h"].replace("chip", "gpu")
    named = {"G": hours, "p": f"{given['w']}/gpu", "PUE": given["pue"], "c": given["ci"]}
    return find("energy.carbon").at(**{**named, **changed}).m_as("t")


def test_five_digits_of_the_mass():
    require(ENTRY, carbon())
    assert find("energy.palm").value.m_as("t") == pytest.approx(carbon(), rel=1e-12)


def test_missing_building_is_found():
    refuse(ENTRY, carbon(PUE="1"))
