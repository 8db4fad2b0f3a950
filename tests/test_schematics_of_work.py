"""Protects the drawings of work, from one product to a hall: what they show, reckoned again by other means."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from mathbook.schematics import batches
from mathbook.schematics.drawings import Reading, made

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn():
    """Return a function: name → Drawing, each made once."""
    known = {}
    return lambda name: known.setdefault(name, made(name)[0])


def lengths(drawing, *classes, side="width"):
    """Return the widths (or heights) of the rectangles of the wide layout that have these classes."""
    tree = ElementTree.fromstring(drawing.svg("x")["wide"])
    rects = [each for each in tree.iter(f"{SVG}rect") if set(classes) <= set(each.get("class").split())]
    return [float(each.get(side)) for each in rects]


def areas(drawing, *classes):
    """Return the areas of the rectangles that are drawn as one path, in the wide layout."""
    tree = ElementTree.fromstring(drawing.svg("x")["wide"])
    paths = [e.get("d") for e in tree.iter(f"{SVG}path") if set(classes) <= set(e.get("class").split())]
    return [float(w) * float(h) for d in paths for w, h in re.findall(r"h([\d.]+)v([\d.]+)h-", d)]


# ---------------------------------------------------------------- roofline


class TestTwoClocks:
    def test_clocks_are_those_of_the_data_sheet(self, drawn):
        weights = 8192 * 28672 * 2 / 3.35e12 * 1e6
        for one in drawn("two-clocks").values["clocks"]:
            assert one.weights == pytest.approx(weights)
            assert one.others == pytest.approx(one.tokens * (8192 + 28672) * 2 / 3.35e12 * 1e6)
            assert one.arithmetic == pytest.approx(one.tokens * 2 * 8192 * 28672 / 989.4e12 * 1e6)

    def test_third_batch_is_where_both_are_equal(self, drawn):
        *_, even, twice = drawn("two-clocks").values["clocks"]
        found = min(range(200, 400), key=lambda n: abs(n * 2 * 8192 * 28672 / 989.4 - _bytes(n) / 3.35))
        assert even.tokens == found and twice.tokens == 2 * found

    def test_bars_are_as_long_as_the_times(self, drawn):
        drawing = drawn("two-clocks")
        bars = lengths(drawing, "q-time", "s-mid")[1:]  # the first is the key's
        times = [one.arithmetic for one in drawing.values["clocks"]]
        assert [bar / bars[-1] for bar in bars] == pytest.approx([t / times[-1] for t in times], abs=1e-3)

    def test_weights_read_for_each_token_would_be_found(self):
        one, many = (batches.clock(Reading(), tokens) for tokens in (1, 64))
        assert many.weights == one.weights
        assert many.weights != pytest.approx(64 * one.weights)


def _bytes(tokens):
    return 2 * (8192 * 28672 + tokens * (8192 + 28672))
