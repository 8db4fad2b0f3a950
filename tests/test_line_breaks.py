"""Line breaks in wide equations: nothing is lost, brackets stay in pairs, and no line is wider than a column."""

import re

import pytest
from mathbook.line_breaks import COLUMN, INLINE, PHONE, break_inline, break_lines, overflows_phone, tex_width
from mathbook.mathematics import render_mathml

from mathcore import find

WIDE = (
    "ownership.measured.mixed_today", "ownership.measured.sale", "lab_checkpoint_reckoning.fleet_waste",
    "parallelism.experts.dropped_of_tokens", "ownership.lab_resale", "collectives.levels_time",
    "energy.placement.half_idle"
)  # fmt: skip
NARROW = ("young_daly.interval", "serving.step", "roofline.ridge")
ADDED = re.compile(r"\\phantom\{(?:\\cdot)?\}|\\begin\{aligned\}|\\end\{aligned\}|\\\\|&|\\qquad|\{\}|\s+")
MARKED = re.compile(r"\\phantom\{(?:\\cdot)?\} ?(?:\{\} )?")
SIZED = re.compile(r"\\(?:left|right|[bB]ig[lr])\b")


def bare(tex):
    """Return TeX without what a break adds."""
    return SIZED.sub("", ADDED.sub("", tex))


def lines(tex):
    return tex.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}").split(r"\\")


@pytest.mark.parametrize("address", WIDE)
def test_a_wide_equation_is_broken_into_lines_of_a_column(address):
    tex = find(address).latex()
    found = break_lines(tex)
    assert tex_width(tex) > COLUMN and len(lines(found)) > max(1, tex.count(r"\\"))
    longest = max(tex_width(line.replace("&", "")) for line in lines(found))
    assert longest < 1.45 * COLUMN  # an exponent or a root is not broken
    for line in lines(found):
        assert line.count("{") == line.count("}") and line.count(r"\left") == line.count(r"\right")


@pytest.mark.parametrize("address", ["ownership.lab_resale", "collectives.levels_time", "ownership.measured.sale"])
def test_nothing_is_lost(address):
    tex = find(address).latex()
    assert bare(break_lines(tex)) == bare(tex)


def test_a_wide_fraction_becomes_a_product_with_the_inverse_of_its_denominator():
    above = " + ".join(f"a_{{{n}}} b_{{{n}}}" for n in range(20))
    found = break_lines(rf"x = \frac{{{above}}}{{c + d}}")
    assert r"\frac{1}{c + d}" in found and r"\Bigl(" not in found and found.count(r"\\") >= 1
    assert bare(found).count("a_") == 20


def test_a_number_after_the_inverse_of_a_denominator_has_its_dot():
    above = r" \cdot ".join(f"{n}{{,}}096" for n in range(1, 21))
    assert r"\frac{1}{c + d} \cdot 1{,}096" in break_lines(rf"x = \frac{{{above}}}{{c + d}}")


@pytest.mark.parametrize("address", NARROW)
def test_what_fits_is_left_alone(address):
    tex = find(address).latex()
    assert break_lines(tex) == tex


@pytest.mark.parametrize(
    "tex", [r"\begin{cases} a & b \\ c & d \end{cases}" + "+ x" * 60, r"\frac{%s}{b}" % ("a" * 90)]
)
def test_what_cannot_be_broken_is_left_alone(tex):
    assert break_lines(tex) == tex


SUM = "x = " + " + ".join(["abcd"] * 8)  # 28 em: one line of a column, two or three of a phone


def parts(tex):
    """Return the pieces between two breaks on a phone."""
    return [part for line in lines(tex) for cell in line.split("&") for part in MARKED.split(cell)]


def test_a_line_of_a_column_is_one_that_a_phone_may_break():
    found = break_lines(SUM)
    assert PHONE < tex_width(SUM) < COLUMN and r"\\" not in found
    assert len(parts(found)) > 1 and max(map(tex_width, parts(found))) <= PHONE
    assert MARKED.sub("", found) == SUM


def test_parts_of_a_wide_equation_fit_a_phone():
    found = break_lines(find("collectives.levels_time").latex())
    assert max(map(tex_width, parts(found))) <= PHONE


def test_aligned_lines_that_fit_by_themselves_but_not_below_each_other_are_marked():
    tex = r"\begin{aligned} abcdefghijkl &= a \\ &= " + " + ".join(["abcd"] * 4) + r" \end{aligned}"
    assert len(parts(break_lines(tex))) > 4
    narrow = r"\begin{aligned} a &= b \\ &= c \end{aligned}"
    assert break_lines(narrow) == narrow


def test_a_formula_in_a_line_of_text_is_marked_where_it_is_long():
    assert break_inline("a = b") == "a = b"
    found = break_inline(SUM)
    assert len(parts(found)) > 1 and max(map(tex_width, parts(found))) <= INLINE


def test_a_sign_at_the_beginning_of_a_part_has_an_operand():
    assert all(re.match(r"\{\} [+=-]", after) for after in re.findall(r"\\phantom\{\} (\S+ \S)", break_lines(SUM)))


@pytest.mark.parametrize("display", [True, False])
def test_each_part_is_a_box(display):
    tex = break_lines(SUM) if display else break_inline(SUM)
    html = render_mathml(tex, display)
    assert html.count("<mstyle") == len(parts(tex)) and "mphantom" not in html and "phantom" not in html
    assert html.count('class="mc-lines"') == 1


def test_lines_of_an_aligned_equation_have_boxes():
    tex = break_lines(find("collectives.levels_time").latex())
    html = render_mathml(tex, True)
    assert html.count("<mtr>") == len(lines(tex)) and "phantom" not in html
    assert html.count("<mstyle") == sum(len(MARKED.split(cell)) for line in lines(tex) for cell in line.split("&"))


def test_a_mark_where_no_line_can_break_is_dropped():
    html = render_mathml(r"x = \sqrt{a \phantom{} {} + b}", True)
    assert "phantom" not in html and "<mstyle" not in html


def test_what_no_mark_makes_narrow_is_set_smaller():
    assert overflows_phone(break_lines(find("audit.demand").latex()))
    assert not overflows_phone(break_lines(SUM)) and not overflows_phone(r"\frac{%s}{b}" % ("a" * 90))
