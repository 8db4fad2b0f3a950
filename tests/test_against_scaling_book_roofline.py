"""Holds the ridge and the exact crossover to How to Scale Your Model, and shows what its 271 is."""

import pytest
from published import entries, refuse, require

from mathcore import find

PUBLISHED = entries("scaling_book_roofline")
QUESTION = {"D": "4096", "F": "16384", "a": "1 B", "w": "1 B", "o": "1 B"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_batch_at_the_ridge(name):
    entry = PUBLISHED[name]
    (rate, rate_unit), (width, width_unit) = entry["inputs"]["F"], entry["inputs"]["BW"]
    given = {"P": f"{rate} {rate_unit}", "b": f"{width} {width_unit}"}
    require(entry, find("roofline.crossover_limit").evaluate(w="2 B", **given)[0].magnitude)
    require(entry, find("roofline.ridge").evaluate(**given)[0].magnitude)


def test_295_is_the_dense_peak_of_the_module():
    printed = find("roofline.book_h100").value.magnitude
    assert find("roofline.h100_ridge").value.magnitude == pytest.approx(printed, rel=0.002)


def test_240_is_the_rule_of_the_v5e():
    given = {"P": find("roofline.book_ridge_peak"), "b": find("roofline.book_ridge_bandwidth")}
    found = find("roofline.crossover_limit").at(w="2 B", **given)
    assert found.magnitude == pytest.approx(find("roofline.book_rule").value.magnitude, rel=0.002)


def test_271_is_rounding():
    """Limit of the print: 263 exactly; the 271 comes from rounding every term to one or two digits first."""
    exact = find("roofline.v5e_crossover").value.magnitude
    printed = find("roofline.book_crossover").value.magnitude
    assert exact == pytest.approx(262.7, abs=0.05)
    assert printed / exact > 1.03
    rounded = (6.7e7 / 8.1e11) / (1.3e8 / 3.94e14 - 2e4 / 8.1e11)
    assert round(rounded) == printed


def test_crossover_lies_between_its_limits():
    """Wider matrices push it down to the rule; it never falls below."""
    given = {"P": "394 TFLOP/s", "b": "810 GB/s", "a": "1 B", "w": "1 B", "o": "1 B"}
    crossover = find("roofline.crossover")
    batches = [crossover.evaluate(D=str(s), F=str(4 * s), **given)[0].magnitude for s in (1024, 4096, 16384, 50000)]
    assert batches == sorted(batches, reverse=True)
    assert batches[-1] > find("roofline.v5e_weights").value.magnitude


def test_crossover_is_where_both_times_are_equal():
    batch = str(find("roofline.v5e_crossover").value.magnitude)
    tokens = find("roofline.B")
    work, traffic = (  # between two whole batches
        find(address).renamed({tokens: tokens.as_real()})
        for address in ("roofline.product_work", "roofline.product_traffic")
    )
    work, traffic = work.at(B=batch, D="4096", F="16384"), traffic.at(B=batch, **QUESTION)
    arithmetic = find("roofline.compute_time").at(W=work, P="394 TFLOP/s")
    assert find("roofline.memory_time").at(Q=traffic, b="810 GB/s") / arithmetic == pytest.approx(1)


def test_narrow_product_never_fills_the_device():
    """The ceiling of a thin matrix lies below the ridge: no such batch exists, and no number is returned."""
    thin = {"D": "128", "F": "128", "a": "2 B", "w": "2 B", "o": "2 B"}
    with pytest.raises(Exception, match="holds only for"):
        find("roofline.crossover").at(P="989.4 TFLOP/s", b="3350 GB/s", **thin)


def test_sparse_peak_is_found():
    refuse(PUBLISHED["roof-bcrit-h100"], find("roofline.ridge").evaluate(P="1979 TFLOP/s", b="3350 GB/s")[0].magnitude)
