"""Holds the count of parameters to the totals of model files, to the last weight."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("huggingface")
MORE = {
    "mistral": 7241732096, "falcon": 179522565120, "llama31_70b": 70553706496, "olmo2_13b": 13716198400,
    "gpt2": 124439808, "gpt2_xl": 1557611200
}  # fmt: skip


def count(given, **changed):
    symbols = {"l": "L", "h": "d", "n_q": "H", "n_kv": "K", "d": "hd", "f": "f", "V": "V", "z": "tie", "r": "nrm"}
    shape = {symbol: given[key] for symbol, key in symbols.items()}
    return find("training.count").at(**shape | {"j": 3, "r_0": 1, "p": 0} | changed)


@pytest.mark.parametrize("name", PUBLISHED)
def test_total_of_the_files(name):
    given = PUBLISHED.numbers(name)
    counted = count(given)
    if given["buf"]:
        counted = find("training.stored").at(N=counted, l=given["L"], d=given["hd"])
    require(PUBLISHED[name], counted.magnitude)


@pytest.mark.parametrize("name", MORE)
def test_totals_beyond_the_published_list(name):
    assert find(f"training.count_{name}").value.magnitude == MORE[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_one_vector_too_many_is_found(name):
    """A tolerance of zero sees a single norm of one layer."""
    given = PUBLISHED.numbers(name)
    wrong = count(given, r_0=2).magnitude + given["buf"]
    refuse(PUBLISHED[name], wrong)
