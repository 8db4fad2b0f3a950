"""Holds the energy of OLMo 2 to two reports, which agree only if one of them counts the building once."""

import pytest

from mathcore import find


def facility(energy, pue):
    return find("energy.facility_energy").at(E_I=find(f"sites.{energy}"), PUE=find(f"sites.{pue}")).m_as("MWh")


def printed(name):
    return find(f"sites.{name}").value.m_as("MWh")


def test_small_model_is_printed_without_the_building_first():
    assert facility("olmo7_energy", "olmo7_pue") == pytest.approx(printed("olmo7_second"), rel=0.002)


def test_large_model_is_printed_with_the_building_first():
    """The other way round: the second report's figure times PUE gives the first report's."""
    assert facility("olmo13_second", "olmo13_pue") == pytest.approx(printed("olmo13_energy"), rel=0.003)


def test_no_single_reading_fits_both():
    """Limit of the sources: read alike, one of the two rows is off by a tenth or more."""
    assert facility("olmo13_energy", "olmo13_pue") != pytest.approx(printed("olmo13_second"), rel=0.1)
    assert facility("olmo7_second", "olmo7_pue") != pytest.approx(printed("olmo7_energy"), rel=0.1)
