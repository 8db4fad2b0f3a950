"""Protects the cutting of chapters into pages: nothing is lost, links follow, old addresses lead on."""

import doctest
import json
import re

import pytest
from built_site import PAGES, ROOT, SITE, chapter_of, leaves_of
from mathbook import cutting, leading
from mathbook.folders import Book
from mathbook.sphinx_run import contents, pages

HEAD = """<!DOCTYPE html>
<html>
<head>
  <title>8. Tiny: how much? — The Book</title>
<meta name="description" content="Old words." />
<meta property="og:description" content="Old words." />
<meta property="og:url" content="https://a.example/book/chapters/tiny.html" />
<script type="application/ld+json">{"name": "8. Tiny: how much?", "description": "Old words."}</script>
  <link rel="canonical" href="https://a.example/book/chapters/tiny.html" />
  <script defer="defer" src="../../_static/mc.js?v=1"></script>
  <script defer="defer" src="../../_static/mc-special.js?v=1"></script>
  <script defer="defer" src="../../_static/formulas/units.js?v=1"></script>
  <script defer="defer" src="../../_static/formulas/tiny.js?v=1"></script>
  <script defer="defer" src="../../_static/formulas/other.js?v=1"></script>
  <script defer="defer" src="../../_static/mc-exercise.js?v=1"></script>
  <link rel="next" title="9. Late" href="late.html" />
  <link rel="prev" title="7. Early" href="early.html" />
</head>
"""
ARTICLE = """<section id="tiny">
<h1>8. Tiny</h1><ul class="mc-about"><li><b>9 min</b> to read</li></ul><!--mc-words 230 230 460 0 230-->
<p>It opens. See <a href="#rule">the rule</a>, <a href="#eq-far">(8.2)</a>.</p>
<section id="one"><h2>One</h2>
<p>The first.</p><div id="eq-near" class="mc-formula" data-address="tiny.near"></div></section>
<section id="two"><span id="label"></span><h2>Two</h2>
<!--mc-page rule the rule of two-->
<p>The second &amp; its <b>rule</b>.</p><div id="eq-far" class="mc-formula" data-address="tiny.far"></div>
<a href="#eq-near">(8.1)</a><a href="?seed=3#ex">an exercise</a><a href="#text">top</a>
<section id="deep"><h3>Deep</h3></section></section>
<section id="what-to-remember"><h2>What to remember</h2></section>
<section id="exercises"><h2>Exercises</h2>
<!--mc-page exercises exercises-->
<mc-exercise id="ex"><script type="application/json">{"f": "other.ex"}</script></mc-exercise></section>
</section>"""
REST = """<body><nav>
<ul><li><a class="mc-now" aria-current="page" href="#">8. Tiny<small>How much?</small></a></li></ul></nav>
  <main id="text">
    <article class="mc-article" role="article">
{article}

    </article>
    <nav class="mc-turn" aria-label="Previous and next page">
      <a rel="prev" href="early.html"><small>before</small> 7. Early</a>
      <a rel="next" href="late.html"><small>next</small> 9. Late</a>
    </nav>
  </main>
  <aside class="mc-here" aria-label="On this page">
    <p class="mc-here-head">On this page</p>
    <ul>
<li><a href="#one">One</a></li>
<li><a href="#two">Two</a><ul>
<li><a href="#deep">Deep</a></li>
</ul>
</li>
<li><a href="#what-to-remember">What to remember</a></li>
<li><a href="#exercises">Exercises</a></li>
</ul>
  </aside>
</body>
</html>
"""
NAME = "book/chapters/tiny.html"
RESTS = {"tiny.far": {"tiny.near"}, "late.sum": {"tiny.far", "gone.with"}}
FOLDER = "book/chapters/"
OTHER = """<html><head><title>{title} — The Book</title>
{near}</head><body><a href="{to}">a</a><b data-address="{says}"></b><a href="../chapters/tiny.html#one">b</a>
      <a rel="prev" href="tiny.html"><small>before</small> 8. Tiny: how much?</a>
</body></html>"""


def whole(article=ARTICLE):
    return HEAD + REST.replace("{article}", article)


@pytest.fixture(scope="module")
def book():
    """Return the leaves of three chapters, of which the middle one is cut."""
    early = OTHER.format(
        title="7. Early",
        near='  <link rel="next" title="8. Tiny" href="tiny.html" />\n',
        to="tiny.html",
        says="early.a",
    )
    late = OTHER.format(
        title="9. Late",
        near='  <link rel="prev" title="8. Tiny: how much?" href="tiny.html" />\n',
        to="tiny.html#eq-far",
        says="late.sum",
    )
    texts = {f"{FOLDER}early.html": early, NAME: whole(), f"{FOLDER}late.html": late}
    return [leaf for name, text in texts.items() for leaf in cutting.cut(name, text)]


@pytest.fixture(scope="module")
def texts(book):
    return leading.lead(book, lambda address: RESTS.get(address, set()))


def links(text):
    return re.findall(r'href="([^"]*)"', text.partition("<article")[2].partition("</article>")[0])


def test_page_without_marks_stays_as_it_is():
    text = whole(re.sub(r"<!--mc-page.*?-->\n", "", ARTICLE))
    [leaf] = cutting.cut(NAME, text)
    assert (leaf.name, leaf.text) == (NAME, text)


def test_pages_are_named_by_their_marks_and_hold_each_anchor_once(texts):
    own = [name.removeprefix(FOLDER) for name in texts if "tiny" in name]
    assert own == ["tiny.html", "tiny-rule.html", "tiny-exercises.html"]
    places = {
        anchor: [n for n in own if f'id="{anchor}"' in texts[FOLDER + n]] for anchor in ("one", "eq-far", "deep", "ex")
    }
    assert list(places.values()) == [["tiny.html"], ["tiny-rule.html"], ["tiny-rule.html"], ["tiny-exercises.html"]]


def test_nothing_of_the_chapter_is_lost(texts):
    words = re.compile(r"[\w&;]+")
    before = words.findall(re.sub(r"<!--.*?-->|<[^>]*>", " ", ARTICLE))
    after = [w for name in texts if "tiny" in name for w in words.findall(re.sub(r"<[^>]*>", " ", texts[name]))]
    assert set(before) - {"9"} <= set(after)  # the minutes are those of a page


def test_each_page_has_title_address_and_description_of_its_own(texts):
    head = texts[f"{FOLDER}tiny-rule.html"].partition("</head>")[0]
    assert "<title>8. Tiny: the rule of two — The Book</title>" in head
    assert head.count("https://a.example/book/chapters/tiny-rule.html") == 2 and "/tiny.html" not in head.replace(
        'href="tiny.html"', ""
    )
    assert head.count("The second &amp; its rule.") == 2 and "Old words" not in head
    assert '"description": "The second & its rule."' in head
    assert "<h1>The rule of two</h1>" in texts[f"{FOLDER}tiny-rule.html"]


def test_minutes_are_those_of_the_page_and_of_the_chapter(texts):
    assert "<b>2 min</b> to read, the chapter 5 min" in texts[NAME]
    assert "<b>2 min</b> to read" in texts[f"{FOLDER}tiny-rule.html"]  # 460 words and none in what to remember


def test_first_page_lists_the_others_and_leads_to_the_end(texts):
    listed = re.search(r'<nav class="mc-pages".*?</nav>', texts[NAME])[0]
    assert re.findall(r'href="([^"]*)"', listed) == [
        "tiny.html", "tiny-rule.html", "tiny-exercises.html", "tiny-rule.html#what-to-remember"
    ]  # fmt: skip


def test_contents_unfold_the_pages_of_the_current_chapter(texts):
    rule = texts[f"{FOLDER}tiny-rule.html"].partition("<main")[0]
    assert '<a class="mc-now" href="tiny.html">8. Tiny' in rule
    assert (
        '<a class="mc-now" aria-current="page" href="#">The rule of two</a>' in rule and 'tiny-exercises.html"' in rule
    )
    assert texts[NAME].partition("<main")[0].count('aria-current="page"') == 1


def test_headings_are_those_of_the_page(texts):
    here = texts[f"{FOLDER}tiny-rule.html"].partition('<aside class="mc-here"')[2]
    assert re.findall(r'href="#([^"]*)"', here) == ["two", "deep", "what-to-remember"]
    fold = re.search(r'<details class="mc-within">.*?</details>', texts[f"{FOLDER}tiny-rule.html"], re.DOTALL)[0]
    assert re.findall(r'href="#([^"]*)"', fold) == ["two", "deep", "what-to-remember"]
    assert "mc-within" not in texts[NAME], "one heading needs no list"


def test_pages_follow_each_other_through_the_book(texts):
    assert leading.in_order(texts) == [
        FOLDER + name for name in ("early.html", "tiny.html", "tiny-rule.html", "tiny-exercises.html", "late.html")
    ]
    assert '<link rel="prev" title="8. Tiny: exercises" href="tiny-exercises.html" />' in texts[f"{FOLDER}late.html"]
    assert '<a rel="prev" href="tiny-exercises.html">' in texts[f"{FOLDER}late.html"]
    assert '<a rel="prev" href="early.html">' in texts[NAME]


def test_links_lead_to_where_things_are(texts):
    assert links(texts[NAME])[:2] == ["#rule", "tiny-rule.html#eq-far"]  # the first leads nowhere, as before
    inside = links(texts[f"{FOLDER}tiny-rule.html"])
    assert {"tiny.html#eq-near", "tiny-exercises.html?seed=3#ex", "#text"} <= set(inside)
    assert 'href="tiny-rule.html#eq-far"' in texts[f"{FOLDER}late.html"]
    assert 'href="../chapters/tiny.html#one"' in texts[f"{FOLDER}late.html"]


def test_pages_say_on_whose_formulas_they_build(texts):
    assert '<b>needs</b> <a href="tiny.html">8. Tiny</a>' not in texts[NAME]
    rule = texts[f"{FOLDER}tiny-rule.html"]
    assert '<li><b>needs</b> <a href="tiny.html">Tiny</a></li>' in rule
    assert '<li><b>needed by</b> <a href="late.html">Late</a></li>' in rule


def test_title_is_not_said_twice(texts):
    exercises = texts[f"{FOLDER}tiny-exercises.html"]
    assert "<h1>Exercises</h1>" in exercises and '<h2 class="mc-hidden">Exercises</h2>' in exercises
    assert "<h2>" not in exercises
    assert "<h2>Two</h2>" in texts[f"{FOLDER}tiny-rule.html"]


def test_page_loads_the_scripts_that_it_needs(texts):
    scripts = {
        name: re.findall(r"_static/([\w/-]+)\.js", texts[FOLDER + name])
        for name in ("tiny.html", "tiny-exercises.html")
    }
    assert scripts["tiny.html"] == ["mc"]
    assert scripts["tiny-exercises.html"] == ["mc", "mc-special", "formulas/units", "formulas/other", "mc-exercise"]


def test_search_leads_to_the_page_of_a_find(book):
    rows = [
        ["page", 0, "Tiny: how much?", "", "", "x"],
        ["formula", 0, "far", "eq-far", "", ""],
        ["section", 0, "One", "one", "", ""],
    ]
    before = {"pages": [["book/chapters/tiny", "Tiny: how much?"]], "rows": rows, "synonyms": {}}
    script = leading.indexed(f"(globalThis.mc = globalThis.mc || {{}}).index = {json.dumps(before)};\n", book)
    after = json.loads(script.partition(").index = ")[2].rstrip(";\n"))
    found = [(kind, after["pages"][page], title) for kind, page, title, *_ in after["rows"]]
    assert found[0] == ("page", ["book/chapters/tiny", "Tiny: how much?"], "Tiny: how much?")
    assert found[1] == ("formula", ["book/chapters/tiny-rule", "Tiny: the rule of two"], "far")
    assert found[2][1][0] == "book/chapters/tiny"
    assert ("page", ["book/chapters/tiny-exercises", "Tiny: exercises"], "Tiny: exercises") in found


def test_table_of_what_moved_names_anchors_that_one_may_have_linked(book):
    [(name, script)] = leading.leading_on(book).items()
    table = json.loads(script.partition(").moved = ")[2].rstrip(";\n"))
    assert name == "moved/tiny.js"
    assert table["tiny-rule.html"] == ["deep", "eq-far", "label", "two", "what-to-remember"]
    assert "text" not in {anchor for anchors in table.values() for anchor in anchors}


def test_parts_of_a_list_are_found_at_its_old_address():
    page = '<article class="mc-article" role="article"><a href="list.html#fact-b">b</a></article>'
    parts = {"a/list": {"top"}, "a/list/one": {"top", "fact-a"}, "a/list/two": {"top", "fact-b"}, "a/other": set()}
    leaves = [
        cutting.Leaf(f"{name}.html", name, name, f"{name}.html", page, frozenset(ids)) for name, ids in parts.items()
    ]
    assert leading.moved(leaves) == {
        "a/list.html": {"top": "a/list.html", "fact-a": "a/list/one.html", "fact-b": "a/list/two.html"}
    }
    [(name, script)] = leading.leading_on(leaves).items()
    assert name == "moved/list.js"
    assert json.loads(script.partition(").moved = ")[2].rstrip(";\n")) == {
        "list/one.html": ["fact-a"],
        "list/two.html": ["fact-b"],
    }
    texts = leading.lead(leaves, lambda _: set())
    assert 'class="mc-article" data-moved="moved/list.js"' in texts["a/list.html"]
    assert "data-moved" not in texts["a/other.html"] and 'href="list/two.html#fact-b"' in texts["a/other.html"]


def test_examples_in_the_docstrings_hold():
    for module in (cutting, leading):
        assert doctest.testmod(module).failed == 0


# ---------------------------------------------------------------- the book itself


@pytest.mark.slow
def test_every_chapter_of_the_contents_has_its_pages_in_the_order_of_its_list():
    cut = {page for page in PAGES if chapter_of(page) != page}
    assert len(cut) > 40
    for page in pages(contents(Book(ROOT, ROOT / "_build"))):
        first = f"{page}.html"
        for number, leaf in enumerate(leaves_of(first)[1:], 2):
            assert chapter_of(leaf) == first
            assert f"page {number} of {len(leaves_of(first))}" in (SITE / leaf).read_text("utf-8")
            cut.discard(leaf)
    assert not cut


@pytest.mark.slow
def test_every_cut_chapter_keeps_its_closing_before_its_exercises():
    for first in {chapter_of(page) for page in PAGES if "/chapters/" in page and chapter_of(page) != page}:
        texts = [(SITE / leaf).read_text("utf-8") for leaf in leaves_of(first)]
        closing = [at for at, text in enumerate(texts) if 'id="what-to-remember"' in text]
        exercises = [at for at, text in enumerate(texts) if 'id="exercises"' in text]
        assert closing == [len(texts) - 2] and exercises == [len(texts) - 1], first


# ---------------------------------------------------------------- lists of the appendices


def rows(count):
    return "<table><thead><tr><th>n</th></tr></thead>" + "<tr><td>x</td></tr>" * count + "</table>"


def test_long_list_is_divided_between_its_sections():
    parts = {"alpha": 20, "beta": 1600, "gamma": 1400, "delta": 2900, "last": 1}
    inside = "".join(f'<section id="of-{n}"><h2>{n.title()}</h2>{rows(k)}</section>' for n, k in parts.items())
    text = whole(f'<section id="tiny"><h1>Tiny</h1><p>A list.</p>{cutting.LIST}{inside}</section>')
    leaves = cutting.cut(NAME, text.replace("8. Tiny: how much?", "Tiny"))
    assert [(leaf.file, leaf.title) for leaf in leaves] == [
        ("tiny.html", "Tiny"), ("tiny-gamma.html", "Tiny, Gamma"), ("tiny-delta.html", "Tiny, from Delta to Last")
    ]  # fmt: skip
    assert [sorted(each for each in parts if f"of-{each}" in leaf.ids) for leaf in leaves] == [
        ["alpha", "beta"], ["gamma"], ["delta", "last"]
    ]  # fmt: skip
    assert "1620 rows" in leaves[0].text and "2901 rows" in leaves[2].text and cutting.LIST not in leaves[0].text


def test_short_list_stays_on_one_page():
    text = whole(
        f'<section id="tiny"><h1>Tiny</h1>{cutting.LIST}<section id="of-a"><h2>A</h2>{rows(9)}</section></section>'
    )
    assert [leaf.name for leaf in cutting.cut(NAME, text)] == [NAME]
