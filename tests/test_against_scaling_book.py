"""Holds sharded training to How to Scale Your Model."""

import pytest

from mathcore import find


def test_tokens_per_chip_that_hide_gathering():
    """The book's C/W of a TPU v5p: 4.59e14 over 1.8e11."""
    example = find("parallelism.tokens_v5p")
    assert example.value.magnitude == pytest.approx(2550, rel=1e-9)


def test_three_axes_divide_by_three():
    given = {"w_p": "2 B", "phi": "2 FLOP", "P": "459 TFLOP/s"}
    one, three = (find("parallelism.sharding_tokens").at(**given, beta=b) for b in ("180 GB/s", "540 GB/s"))
    assert one / three == pytest.approx(3)


def test_best_number_of_shards_is_not_quite_the_printed_one():
    """The book prints 13.9 for 64 chips, 48,000 tokens, width 32,768; its own formula gives 13.69."""
    example = find("parallelism.shards_64")
    assert example.value.magnitude == pytest.approx(187.5**0.5, rel=1e-12)
    assert example.value.magnitude != pytest.approx(13.9, rel=0.01)


def test_best_split_is_best():
    given = {"w": "2 B", "h": "8192", "f": "32768", "N": "64", "a_X": "2", "a_Y": "1", "n_a": "48000"}
    traffic, best = find("parallelism.mixed_traffic"), find("parallelism.shards_64").value
    least = traffic.at(**given, beta="180 GB/s", X=best)
    assert all(traffic.at(**given, beta="180 GB/s", X=best * x) > least for x in (0.8, 1.25))


def test_seeded_error_is_found():
    halved = find("parallelism.sharding_tokens").at(w_p="1 B", phi="2 FLOP", P="459 TFLOP/s", beta="180 GB/s")
    assert halved.magnitude != pytest.approx(2550, rel=0.1)
