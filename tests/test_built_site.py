"""What is in the built pages and next to them: sound MathML, little weight, a map, a feed, a page for the lost."""

import functools
import re
import warnings
from html import unescape
from xml.etree import ElementTree

import page_weights
import pytest
from built_site import PAGES, ROOT, SITE
from fontTools.ttLib import TTFont
from mathbook import appendix_tables, assets, pages, publishing, quantity_kinds, verification
from mathbook.functions import chapter_script
from mathbook.issues import BuildFailed

from mathcore import find
from mathcore.units import Quantity

# How many children a MathML element must have; another number is drawn as an error or not at all.
CHILDREN = {"msub": 2, "msup": 2, "mfrac": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3, "mroot": 2}
BUDGET = 180  # KB of a first visit, the fonts included, gzipped
LATER = 70  # KB, with headroom, of a page whose scripts, style and fonts are known from another one


@pytest.fixture(scope="module")
def texts():
    """Return `{page: HTML}` of all pages."""
    return {page: (SITE / page).read_text("utf-8") for page in PAGES}


def pages_with_issues(texts, check):
    """Return `{page: faults}` of the pages in which a check of their HTML finds some."""
    found = {page: list(check(text)) for page, text in texts.items()}
    return {page: messages for page, messages in found.items() if messages}


def malformed(html):
    """Yield the elements of formulas that have the wrong number of children."""
    for formula in set(re.findall(r"<math\b.*?</math>", html, re.DOTALL)):
        yield from miscounted(formula)


@functools.cache
def miscounted(formula):
    """Return the elements of one formula that have the wrong number of children."""
    plain = re.sub(r"&(?!amp|lt|gt|quot|#)\w+;", " ", formula)
    elements = ElementTree.fromstring(plain).iter()
    wrong = [each for each in elements if len(each) != CHILDREN.get(each.tag, len(each))]
    return [ElementTree.tostring(each, "unicode") for each in wrong]


def unset(html):
    """Yield what KaTeX could not set, and what is left as TeX in the text."""
    yield from re.findall("katex-error|cc0000", html)
    prose = re.sub(r"<(script|annotation|code|pre|button)\b.*?</\1>", "", html, flags=re.S)
    yield from re.findall(r">[^<]*\\(?:frac|sqrt|tau|mathrm)\b[^<]*<", prose)


def local(html):
    """Yield the folders of this machine and the kernels that a page names."""
    yield from re.findall(f"{re.escape(str(ROOT))}|ipykernel", html)


def undescribed(html):
    """Yield an issue if a page has no description for search engines."""
    if not re.search(r'<meta name="description" content="[^"]{8,}"', html):
        yield "no description"


@pytest.mark.slow
@pytest.mark.parametrize("check", [malformed, unset, local, undescribed])
def test_html_has_no_fault(texts, check):
    assert pages_with_issues(texts, check) == {}


@pytest.mark.parametrize(
    ("check", "seeded"),
    [
        (unset, '<span class="katex-error">x</span>'),
        (unset, r"<p>so \frac is left</p>"),
        (local, f"<p>{ROOT}/book</p>"),
        (local, "<p>/ipykernel_12/3.py</p>"),
    ],
)
def test_fault_of_html_is_found(check, seeded):
    assert list(check(seeded)) and not list(check("<p>fine <code>\\frac</code></p>"))


def test_page_without_a_description_is_found():
    assert list(undescribed('<meta name="description" content="" />'))
    assert not list(undescribed('<meta name="description" content="Notation: audit" />'))


def test_a_formula_with_a_stray_sign_is_found():
    assert list(malformed("<math><msub><mi>w</mi><mi>min</mi><mo>⁡</mo></msub></math>"))
    assert not list(malformed("<math><msub><mi>w</mi><mi>min</mi></msub></math>"))


EMPTY = "mc.define({\n\n});\n"  # what is made of a chapter of facts alone


@pytest.mark.slow
def test_pages_load_no_script_that_defines_nothing(texts):
    loaded = {name for text in texts.values() for name in re.findall(r"_static/(formulas/[\w.]+\.js)", text)}
    assert loaded
    assert [name for name in loaded if (SITE / "_static" / name).read_text("utf-8").endswith(EMPTY)] == []


@pytest.mark.slow
def test_ledger_loads_what_judges_every_lab():
    text = (SITE / "book/chapters/ledger.html").read_text("utf-8")
    named = set(re.findall(r'"f": "(\w+(?:\.\w+)*)\.\w+#key"', unescape(text)))
    assert len(named) > 1
    assert {f"formulas/{name}.js" for name in named} <= set(re.findall(r"_static/(formulas/[\w.]+\.js)", text))


def test_escaped_specification_names_its_chapter():
    assert pages._names_chapter('<div data-list="{&quot;a&quot;: &quot;lab_serving.guess&quot;}">', "lab_serving")
    assert not pages._names_chapter('<div data-address="lab_serving.guess">', "lab_serving")


def test_script_that_defines_nothing_is_found():
    assert chapter_script("sites").endswith(EMPTY) and not chapter_script("young_daly").endswith(EMPTY)


@pytest.mark.slow
@pytest.mark.filterwarnings("default:.* weighs")
def test_pages_are_light():
    parts = {page: page_weights.parts(SITE / page) for page in PAGES}
    for page, whole in {page: sum(each.values()) for page, each in parts.items()}.items():
        if whole > 1000 * BUDGET:
            warnings.warn(f"{page} weighs {whole / 1000:.0f} KB, more than {BUDGET} KB", stacklevel=1)
    assert {page for page, each in parts.items() if each[SITE / page] >= 1000 * LATER} == set()


def test_a_script_that_no_browser_can_read_is_named(tmp_path):
    broken = tmp_path / "broken.js"
    broken.write_text("const one = {;\n")
    with pytest.raises(BuildFailed, match=r"broken\.js.*line 1"):
        assets._minify(tmp_path / "out.js", broken)
    assert not (tmp_path / "out.js").exists()


@pytest.mark.slow
def test_fonts_have_the_characters_of_every_page(texts):
    faces = [set(TTFont(SITE / "_static" / "fonts" / f"{name}.woff2").getBestCmap()) for name in ("text", "slanted")]
    for page, html in texts.items():
        text = re.sub(r"<(math|script|style)\b.*?</\1>|<[^>]*>", " ", html, flags=re.DOTALL)
        used = {ord(letter) for letter in unescape(text) if letter.isalpha() and letter < "\u0180"}
        assert not used - faces[0] and not used - faces[1], page


@pytest.mark.slow
def test_worker_lists_files_that_exist():
    [files] = re.findall(r"const FILES = (\[.*?\]);", (SITE / "worker.js").read_text("utf-8"))
    listed = re.findall(r'"([^"]+)"', files)
    assert "book/index.html" in listed and all((SITE / name).is_file() for name in listed)


@pytest.mark.slow
def test_lost_readers_find_a_page_and_a_search():
    text = (SITE / "404.html").read_text("utf-8")
    assert "Page not found" in text and "mc-search" in text and "<base " in text


def test_report_shows_what_was_measured_of_pages(tmp_path):
    assert list(verification._speed_section(verification.speed_rows(tmp_path / "speed.csv"))) == []
    (tmp_path / "speed.csv").write_text("page,performance,KB\nchapters/a,97,150\n")
    [section] = verification._speed_section(verification.speed_rows(tmp_path / "speed.csv"))
    assert "performance" in section.astext() and "chapters/a" in section.astext() and "150" in section.astext()


def test_feed_has_an_entry_for_each_change():
    changes = (
        "# Changelog\n\n## 0.2 (2026-12-01)\n\n- Mend *the* formula: `x`.\n- Add\n  a chapter.\n\n"
        "## 0.1 (2026-11-23)\n\n- Begin.\n"
    )
    tree = ElementTree.fromstring(publishing.atom_feed(changes, "https://a.example/"))
    titles = [entry.findtext("{*}title") for entry in tree.iterfind("{*}entry")]
    assert titles == ["0.2: Mend the formula:", "0.2: Add a chapter.", "0.1: Begin."]
    marks = [entry.findtext("{*}id") for entry in tree.iterfind("{*}entry")]
    assert len(set(marks)) == 3


def test_map_of_the_site_is_sound():
    tree = ElementTree.fromstring(publishing.sitemap(["book/a&b.html"], "https://a.example/x/"))
    assert [place.text for place in tree.iterfind("{*}url/{*}loc")] == ["https://a.example/x/book/a&b.html"]


def test_address_of_the_site_ends_in_one_slash(monkeypatch):
    monkeypatch.setenv("BOOK_ADDRESS", "https://a.example/book")
    assert publishing.site_url() == "https://a.example/book/"
    monkeypatch.delenv("BOOK_ADDRESS")
    assert publishing.site_url() == ""


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("h", "time"),
        ("GiB", "bytes"),
        ("bit/s", "bytes"),
        ("USD/kWh", "money"),
        ("W", "energy"),
        ("g/kWh", "energy"),
        ("", None),
        ("1/s", None),
        ("FLOP/s", None),
        ("gpu h", None),
        ("token", None),
    ],
)
def test_kind_of_a_quantity(unit, kind):
    assert quantity_kinds.quantity_kind(Quantity(1.0, unit)) == kind


def test_formula_wider_than_a_line_is_folded_under_its_symbol_and_name():
    [fold] = appendix_tables._formula_cell(find("lab_full_stack.devices"))
    [summary, whole] = fold.children
    assert (
        fold["tag"] == "details"
        and summary.astext().endswith(" written out")
        and len(whole.astext()) > appendix_tables.MAX_LATEX
    )
    [line] = appendix_tables._formula_cell(find("young_daly.interval"))
    assert line.astext().count("=") == 1
