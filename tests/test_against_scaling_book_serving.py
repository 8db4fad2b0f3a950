"""Holds memory, steps and prefill of a serving machine to How to Scale Your Model."""

import pytest

from mathcore import find, quantity

V5E = {"P": "197 TFLOP/s/gpu", "beta": "810 GB/s/gpu"}
LLAMA_13B = {"w": "2 B", "N": "13e9", "kappa": "819.2 kB/token", "S": "8192 token", "n": "8 gpu"}


def step_13b(batch):
    return find("serving.step").at(**LLAMA_13B, **V5E | {"beta": "820 GB/s/gpu"}, B=batch)


@pytest.mark.parametrize(("batch", "printed"), [(1, 4.98), (8, 12.13)])
def test_step_of_the_table(batch, printed):
    assert step_13b(batch).m_as("ms") == pytest.approx(printed, rel=0.005)


@pytest.mark.parametrize("batch", [16, 32, 64, 240])
def test_rows_that_are_printed_do_not_fit(batch):
    """The book prints 20.30 ms for 16 requests on 128 GB; they need 133 GB."""
    assert find("serving.requests").evaluate(**LLAMA_13B, M="16 GB/gpu")[0].magnitude < batch


@pytest.mark.parametrize(("per_value", "printed"), [("2 B", 324), ("1 B", 162), ("0.5 B", 81)])
def test_cache_of_a_token_in_three_formats(per_value, printed):
    """The book's 324, 162 and 81 kB lie between decimal 327.68 and binary 320."""
    found = find("serving.cache_per_token").at(l="80", n_kv="8", d="128", e=per_value)
    assert found.m_as("KiB/token") < printed < found.m_as("kB/token")


@pytest.mark.parametrize(
    ("weight", "cache", "chips", "printed"),
    [
        ("2 B", "324 kB/token", "16 gpu", 43),
        ("1 B", "162 kB/token", "8 gpu", 43),
        ("0.5 B", "81 kB/token", "4 gpu", 43),
    ],
)
def test_requests_that_fit(weight, cache, chips, printed):
    """All three leave the same room: the 52 and 67 of the smaller ones do not follow from their figures."""
    given = {"w": weight, "kappa": cache, "n": chips}
    assert find("serving.requests").evaluate(N="70e9", S="8192 token", M="16 GB/gpu", **given)[0].magnitude == printed


def test_reading_a_full_memory_takes_19_ms():
    full = find("serving.step_memory").at(
        w="2 B", N="70e9", kappa="324 kB/token", S="8192 token", B=quantity("43.7"), n="16 gpu", beta="820 GB/s/gpu"
    )
    assert full.m_as("ms") == pytest.approx(19.5, abs=0.1)


def test_wrong_chip_is_found():
    given = LLAMA_13B | {"B": 8, "beta": "3350 GB/s/gpu", "P": "989.4 TFLOP/s/gpu"}
    assert find("serving.step").at(**given).m_as("ms") != pytest.approx(12.13, rel=0.1)
