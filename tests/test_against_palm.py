"""Holds chip-hours and utilisation to Chowdhery et al., PaLM."""

import pytest
from published import entries, refuse, require

from mathcore import find

ENTRY = entries("palm")["palm-chiph"]
GIVEN = {key: value for key, (value, _) in ENTRY["inputs"].items()}


def hours(first, second):
    phases = {"n_1": f"{GIVEN['a']} gpu", "t_1": first, "n_2": f"{GIVEN['c']} gpu", "t_2": second}
    return find("training.hours_of_phases").at(**phases).m_as("gpu h")


def test_chip_hours_of_two_phases():
    require(ENTRY, hours(f"{GIVEN['b']} h", f"{GIVEN['d']} h"))


def test_two_conventions_of_mfu():
    """45.7 % without the work of attention, 46.2 % with it."""
    assert find("training.mfu_palm_plain").value.m_as("percent") == pytest.approx(45.7, abs=0.05)
    assert find("training.mfu_palm").value.m_as("percent") == pytest.approx(46.2, abs=0.05)


def test_causal_attention_is_not_what_palm_counts():
    """Half of the pairs would give 45.98 %: PaLM counts all of them."""
    plain, full = (find(f"training.{name}").value.m_as("percent") for name in ("mfu_palm_plain", "mfu_palm"))
    assert (plain + full) / 2 != pytest.approx(46.2, abs=0.1)


def test_hfu_is_below_full_recomputation():
    """Limit of the factor 8/6: PaLM recomputes a part only; 46.2 % would become 61.6 %, it reports 57.8 %."""
    full = find("training.hfu").at(u=find("models.palm_mfu")).m_as("percent")
    reported = find("models.palm_hfu").value.m_as("percent")
    assert full == pytest.approx(61.6, abs=0.05)
    assert find("models.palm_mfu").value.m_as("percent") < reported < full


def test_swapped_phases_are_found():
    refuse(ENTRY, hours(f"{GIVEN['d']} h", f"{GIVEN['b']} h"))
