"""Holds training time from throughput to Touvron et al., LLaMA."""

import pytest
from published import entries, refuse, require

from mathcore import find

ENTRY = entries("llama1")["llama1-65b-days"]
GIVEN = {key: value for key, (value, _) in ENTRY["inputs"].items()}


def days(devices):
    pace = find("training.pace").at(n=f"{devices} gpu", v_1=f"{GIVEN['v']} token/s/gpu")
    return find("training.time_of_tokens").at(D=f"{GIVEN['T']} token", v=pace).m_as("d")


def test_days_of_65b():
    require(ENTRY, days(GIVEN["n"]))


def test_hours_of_the_table_are_those_days():
    """1,022,362 GPU-hours on 2,048 devices are 20.8 d."""
    hours = find("sites.llama_hours").value.m_as("gpu h")
    assert days(GIVEN["n"]) * 24 * GIVEN["n"] == pytest.approx(hours, rel=0.03)


def test_half_the_devices_is_found():
    refuse(ENTRY, days(1024))
