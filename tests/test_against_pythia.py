"""Holds the parameters of the classic shape to Biderman et al., Pythia, Table 1, to the last weight."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("pythia")
MORE = [(12, 768, 85056000), (16, 2048, 805736448), (24, 2048, 1208602624), (32, 4096, 6444163072)]


def body(layers, width):
    return find("training.body").evaluate(l=layers, h=width)[0].magnitude


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_without_embeddings(name):
    given = PUBLISHED[name]["inputs"]
    require(PUBLISHED[name], body(given["l"][0], given["h"][0]))


@pytest.mark.parametrize(("layers", "width", "printed"), MORE)
def test_the_other_sizes(layers, width, printed):
    assert body(layers, width) == printed


def test_shape_and_general_count_agree():
    """Without its embeddings, the general count of a classic model is the short polynomial."""
    shape = {"l": 36, "h": 5120, "n_q": 40, "n_kv": 40, "d": 128, "f": 20480, "j": 2, "r": 13, "r_0": 2}
    whole = find("training.count").evaluate(**shape, V=50688, z=0, p=0)[0].magnitude
    assert whole - 2 * 50688 * 5120 == body(36, 5120)


def test_model_without_biases_is_found():
    refuse(PUBLISHED["params-exact-pythia-70m"], body(6, 512) - 9 * 6 * 512)
