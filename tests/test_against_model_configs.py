"""Holds the cache of a token to what the configurations of published models imply."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("model_configs")
NAMES = {
    "kv-llama3-405b": "llama31_405b", "kv-llama2-70b": "llama2_70b", "kv-mistral-7b": "mistral_7b",
    "kv-gpt3-175b": "gpt3_175b"
}  # fmt: skip


def cache(name, **changed):
    columns = {"l": "layers", "n_kv": "kv_heads", "d": "head_dim"}
    given = {symbol: find(f"models.{NAMES[name]}_{column}") for symbol, column in columns.items()}
    return find("serving.cache_per_token").at(**given | {"e": "2 B"} | changed).m_as("KiB/token")


@pytest.mark.parametrize("name", NAMES)
def test_cache_of_a_token(name):
    require(PUBLISHED[name], cache(name))


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_the_published_shapes(name):
    for key, column in {"L": "layers", "K": "kv_heads", "H": "head_dim"}.items():
        stated = find(f"models.{NAMES[name]}_{column}").value.magnitude
        assert stated == PUBLISHED[name]["inputs"][key][0]


def test_query_heads_are_found():
    refuse(PUBLISHED["kv-llama2-70b"], cache("kv-llama2-70b", n_kv="64"))
