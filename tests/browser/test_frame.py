"""The frame around every page: contents, colours, search, a formula's fold, citations, reports, previews."""

import re

import pytest
from built_site import ROOT, SITE

CHAPTER = "book/chapters/young-daly/index.html"
FORMULA = '[data-address="young_daly.interval"]'


def pressed(page, key, code, modifiers=0):
    """Press a key as a person does."""
    for kind in ("rawKeyDown", "keyUp"):
        page.command(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=code,
            modifiers=modifiers,
            windowsVirtualKeyCode=ord(key.upper()[0]),
        )
    page.rest()


def copied(page):
    """Replace the clipboard; return the function that reads it."""
    page.run("window.copied = ''; mc.copy = async (text) => { window.copied = text; }")
    return lambda: page.run("return window.copied")


def test_colours_are_chosen_by_button_and_stored(chapter):
    assert chapter.run("return document.documentElement.dataset.theme") == "light"
    chapter.run("document.querySelector('.mc-colours').click()")
    assert chapter.run("return document.querySelector('.mc-colours').getAttribute('aria-pressed')") == "true"
    chapter.reload()
    assert chapter.run("return document.documentElement.dataset.theme") == "dark"
    page = chapter.run("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", page))) < 150, page
    chapter.run("localStorage.removeItem('mc.colours')")


def test_search_opens_by_keyboard_and_closes_by_escape(chapter):
    pressed(chapter, "k", "KeyK", modifiers=2)
    assert chapter.run("return document.querySelector('#mc-search').open && document.activeElement.name") == "q"
    chapter.run("document.querySelector('#mc-search .mc-close').click()")
    assert not chapter.run("return document.querySelector('#mc-search').open")


def test_contents_open_on_a_phone(chapter):
    chapter.resize(390)
    width = "return document.querySelector('#contents').getBoundingClientRect().width"
    assert chapter.run(width) == 0
    chapter.run("document.querySelector('.mc-menu').click()")
    assert chapter.run(width) > 200
    chapter.resize(1280)


def test_details_of_a_formula_open_with_one_control_for_the_keyboard(chapter):
    counts = chapter.run(
        f"const f = document.querySelector('.mc-formula{FORMULA}');"
        "return ['.mc-kind', '.mc-measured', 'details', 'button'].map((part) => f.querySelectorAll(part).length)"
    )
    assert counts[:3] == [1, 1, 1] and counts[3] == 4, counts
    outside = f"document.querySelector('.mc-formula{FORMULA} > :is(.mc-kind, .mc-measured, .mc-status)')"
    assert chapter.run(f"return {outside}") is None
    chapter.run(f"document.querySelector('.mc-formula{FORMULA} summary').focus()")
    pressed(chapter, "Enter", "Enter")
    chapter.run(f"document.querySelector('.mc-formula{FORMULA} details').open = true")
    text = chapter.text(f".mc-formula{FORMULA} details")
    assert "mean time between failures" in text and "proved" in text and "citation" in text


def test_citation_has_number_version_and_address(chapter):
    clipboard = copied(chapter)
    chapter.run(f"document.querySelector('.mc-formula{FORMULA} .mc-cite').click()")
    citation = clipboard()
    number = chapter.text(f".mc-formula{FORMULA} .eqno")[1:].partition(")")[0]
    assert citation.startswith("@misc{young_daly-interval,") and f"equation ({number})" in citation
    [anchor] = re.findall(r"url = \{[^}]*young-daly/index\.html#([^}]+)\}", citation)
    assert chapter.run("return Boolean(document.getElementById(arguments[0]))", anchor)
    assert re.search(r"version \d+\.\d+\.\d+", citation)


def test_a_report_of_an_error_says_page_address_and_version(chapter):
    clipboard = copied(chapter)
    chapter.run("document.querySelector('.mc-report').click()")
    assert (
        "Young" in clipboard()
        and "/young-daly/index.html" in clipboard()
        and re.search(r"Version: \d+\.\d+\.\d+", clipboard())
    )


def test_a_report_fills_the_form_of_the_sources_where_they_are_known(chapter):
    chapter.run(
        "document.head.insertAdjacentHTML('beforeend', '<meta name=\"mc-repository\" content=\"https://a.example/b\">');"
        "const link = document.querySelector('.mc-report');"
        "addEventListener('click', (event) => event.preventDefault(), { once: true }); link.click()"
    )
    asked = chapter.run("return [...new URL(document.querySelector('.mc-report').href).searchParams]")
    form = (ROOT / ".github" / "ISSUE_TEMPLATE" / "error.yml").read_text("utf-8")
    fields = dict(asked)
    assert fields.pop("template") == "error.yml" and fields.pop("title").startswith("Error: ")
    assert all(f"id: {name}" in form for name in fields) and fields["address"].endswith("young-daly/index.html")


def test_a_reference_shows_its_formula_when_reached(chapter):
    chapter.run(
        "document.querySelector('article h1').insertAdjacentHTML('afterend',"
        '\'<a class="reference internal" href="#equation-eq-young-daly-interval">(9.4)</a>\');'
        "document.querySelector('article h1 + a').focus()"
    )
    chapter.until("document.querySelector('.mc-preview:not([hidden]) math')")
    assert chapter.complaints() == []
    chapter.run("document.activeElement.blur()")
    assert chapter.run("return document.querySelector('.mc-preview').hidden")


def test_reference_to_another_page_has_the_title_of_its_target(chapter):
    chapter.run("document.querySelector('.mc-article a.reference.internal[href*=\"glossary.html#term\"]').focus()")
    chapter.until("/term in/.test(document.querySelector('.mc-preview:not([hidden])')?.textContent)")
    assert all(url.startswith("http://127.0.0.1") for url in chapter.requests())


def test_the_current_section_is_marked_beside_the_text(chapter):
    chapter.run("document.querySelector('#try-it').scrollIntoView()")
    chapter.until("document.querySelector('.mc-here a[aria-current]')?.hash === '#try-it'")


def test_pages_of_the_chapter_are_unfolded_in_the_contents(exercises):
    links = "return [...document.querySelectorAll('.mc-subpages[open] a')].map((a) => a.getAttribute('href'))"
    assert exercises.run(links) == ["higher-order.html", "#"]
    current = "return [...document.querySelectorAll('.mc-contents [aria-current=page]')].map((a) => a.textContent)"
    title = exercises.run("return document.querySelector('main h1').firstChild.textContent")
    assert exercises.run(current) == [title] and title.startswith("Exercises")


def test_pages_of_other_chapters_unfold_when_asked(exercises):
    link = "document.querySelector('.mc-subpages a[href=\"../reliability/spares.html\"]')"
    assert not exercises.run(f"return {link}.checkVisibility()")
    exercises.run(f"{link}.closest('details').querySelector('summary').click()")
    assert exercises.run(f"return {link}.checkVisibility()")


def test_faces_of_the_book_are_used_and_their_licence_lies_beside_them(chapter):
    for face in ("Book Text", "Book Title", "Book Mathematics"):
        assert chapter.run("return document.fonts.load(`600 16px '${arguments[0]}'`).then((f) => f.length)", face), face
    licences = list((SITE / "_static" / "fonts").glob("*LICENSE.txt"))
    assert len(licences) == 3 and all("SIL" in path.read_text("utf-8") for path in licences)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_kinds_of_quantities_differ_in_colour(chapter, scheme):
    chapter.run("document.documentElement.dataset.theme = arguments[0]", scheme)
    names = ("time", "bytes", "money", "energy", "failure")
    style = "const s = getComputedStyle(document.body);"
    script = f"{style} return arguments[0].map((n) => s.getPropertyValue(`--mc-${{n}}`).trim())"
    found = chapter.run(script, names)
    assert all(found) and len(set(found)) == len(names)
