"""Line breaks in wide equations: nothing is lost, brackets stay in pairs, and no line is wider than a column."""

import re

import pytest
from mathbook.line_breaks import COLUMN, broken, width

from mathcore import find

WIDE = (
    "ownership.measured.mixed_today", "ownership.measured.sale", "lab_checkpoint_reckoning.fleet_waste",
    "parallelism.experts.dropped_of_tokens", "ownership.lab_resale", "collectives.levels_time",
    "energy.placement.half_idle"
)  # fmt: skip
NARROW = ("young_daly.interval", "serving.step", "roofline.ridge")
ADDED = re.compile(r"\\begin\{aligned\}|\\end\{aligned\}|\\\\|&|\\qquad|\{\}|\s+")
SIZED = re.compile(r"\\(?:left|right|[bB]ig[lr])\b")


def bare(tex):
    """Return TeX without what a break adds."""
    return SIZED.sub("", ADDED.sub("", tex))


def lines(tex):
    return tex.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}").split(r"\\")


@pytest.mark.parametrize("address", WIDE)
def test_a_wide_equation_is_broken_into_lines_of_a_column(address):
    tex = find(address).latex()
    found = broken(tex)
    assert width(tex) > COLUMN and len(lines(found)) > max(1, tex.count(r"\\"))
    longest = max(width(line.replace("&", "")) for line in lines(found))
    assert longest < 1.45 * COLUMN  # an exponent or a root is not broken
    for line in lines(found):
        assert line.count("{") == line.count("}") and line.count(r"\left") == line.count(r"\right")


@pytest.mark.parametrize("address", ["ownership.lab_resale", "collectives.levels_time", "ownership.measured.sale"])
def test_nothing_is_lost(address):
    tex = find(address).latex()
    assert bare(broken(tex)) == bare(tex)


def test_a_wide_fraction_becomes_a_product_with_the_inverse_of_its_denominator():
    above = " + ".join(f"a_{{{n}}} b_{{{n}}}" for n in range(20))
    found = broken(rf"x = \frac{{{above}}}{{c + d}}")
    assert r"\frac{1}{c + d}" in found and r"\Bigl(" not in found and found.count(r"\\") >= 1
    assert bare(found).count("a_") == 20


def test_a_number_after_the_inverse_of_a_denominator_has_its_dot():
    above = r" \cdot ".join(f"{n}{{,}}096" for n in range(1, 21))
    assert r"\frac{1}{c + d} \cdot 1{,}096" in broken(rf"x = \frac{{{above}}}{{c + d}}")


@pytest.mark.parametrize("address", NARROW)
def test_what_fits_is_left_alone(address):
    tex = find(address).latex()
    assert broken(tex) == tex


@pytest.mark.parametrize(
    "tex", [r"\begin{cases} a & b \\ c & d \end{cases}" + "+ x" * 60, r"\frac{%s}{b}" % ("a" * 90)]
)
def test_what_cannot_be_broken_is_left_alone(tex):
    assert broken(tex) == tex
