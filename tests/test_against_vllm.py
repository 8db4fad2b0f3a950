"""Holds the cache of a token to Kwon et al., PagedAttention."""

import pytest
from published import entries, refuse, require

from mathcore import find

ENTRY = entries("vllm")["kv-opt13b"]
HEADS = 40  # of OPT-13B: its width is 40 heads of 128


def cache(heads, width, per_value):
    given = {"l": ENTRY["inputs"]["L"][0], "n_kv": heads, "d": width, "e": per_value}
    return find("serving.cache_per_token").at(**given)


def test_cache_of_a_token():
    width = ENTRY["inputs"]["h"][0] // HEADS
    require(ENTRY, cache(HEADS, width, f"{ENTRY['inputs']['b'][0]} B").m_as("KiB/token"))


def test_cache_of_a_request():
    """The paper's 1.6 GB for 2,048 tokens are binary: 1.56 GiB, or 1.68 GB."""
    whole = find("serving.cache").at(kappa=find("serving.cache_opt"), S="2048 token", B="1")
    assert whole.m_as("GiB") == pytest.approx(1.6, abs=0.05)
    assert whole.m_as("GB") == pytest.approx(1.678, abs=0.001)


def test_keys_without_values_are_found():
    refuse(ENTRY, cache(HEADS, 64, "2 B").m_as("KiB/token"))
