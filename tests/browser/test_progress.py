"""What is solved, counted in the sidebar and in the panel: live, kept, and nothing lost."""

import json
import re

import pytest
from browser.axe import CONTRAST, violations
from browser.test_exercises import answer
from built_site import PAGES, SITE, chapter_of, leaves_of

SIDEBAR = ".mc-contents"
CHAPTER = "book/chapters/young-daly/index.html"
EXERCISES = "book/chapters/young-daly/exercises.html"
COUNTS = """
return Object.fromEntries([...document.querySelectorAll(".mc-contents a .mc-solved")]
  .map((sign) => [new URL(sign.closest("a").href).pathname.split("/").slice(-2).join("/"), sign.textContent]))
"""
ONE = {"right": True, "answer": "60 min", "seed": 0, "tries": 1, "when": "2026-01-01T00:00:00.000Z"}


def tasks():
    """Return the exercises and questions of each page, from the built site."""
    script = (SITE / "_static" / "mc-tasks.js").read_text("utf-8")
    return json.loads(script.partition(".tasks = ")[2].rstrip().rstrip(";"))


def keep(page, **entries):
    """Put solved exercises into the storage, and open the page again."""
    stored = {"version": 2, "done": {name.replace("__", "."): ONE for name in entries}}
    page.run("localStorage.setItem('mc.progress.v2', arguments[0])", json.dumps(stored))
    return page.reload()


def counts(page):
    page.rest()
    return page.run(COUNTS)


def test_list_names_the_exercises_of_each_chapter():
    found = {}
    for page in sorted({chapter_of(page) for page in PAGES}):
        text = "".join((SITE / leaf).read_text("utf-8") for leaf in leaves_of(page))
        here = {
            kind: re.findall(rf'<mc-{tag} [^>]*data-address="([^"]+)"', text)
            for kind, tag in (("exercises", "(?:exercise|task|open)"), ("questions", "question"))
        }
        if any(here.values()):
            found[page.removesuffix(".html")] = here
    listed = {page: {kind: list(each[kind]) for kind in found[page]} for page, each in tasks().items()}
    assert listed == found


def test_nothing_is_loaded_or_shown_before_something_is_solved(chapter):
    assert counts(chapter) == {}
    assert not any("mc-tasks" in url or "mc-progress" in url for url in chapter.requests())


def test_count_appears_when_an_exercise_is_solved_and_stays(exercises, server):
    chapter = exercises
    every = len(tasks()["book/chapters/young-daly/index"]["exercises"])
    answer(chapter, "young_daly.ex_interval", "59 h")
    assert counts(chapter) == {}
    answer(chapter, "young_daly.ex_interval", "60 min")
    expected = f"1/{every} (1 of {every} exercises solved)"
    assert counts(chapter) == {"young-daly/index.html": expected}
    chapter.open(f"{server}/{CHAPTER}")
    answer(chapter, "young_daly.guess", "62 min")
    expected = f"2/{every} (2 of {every} exercises solved)"
    assert counts(chapter) == {"young-daly/index.html": expected}
    chapter.reload()
    assert counts(chapter) == {"young-daly/index.html": expected}
    assert chapter.complaints() == []


def test_other_pages_show_it_too_and_lose_it_when_all_is_wiped(chapter, server):
    keep(chapter, young_daly__ex_interval=1)
    for page in ("book/index.html", "book/chapters/ledger.html", "book/appendices/notation.html"):
        chapter.open(f"{server}/{page}")
        assert list(counts(chapter)) == ["young-daly/index.html"], page
    chapter.open(f"{server}/book/index.html")
    chapter.run("mc.progress.save({})")
    assert counts(chapter) == {}


def test_count_is_there_from_disk(chromium):
    chromium.open((SITE / CHAPTER).as_uri())
    chromium.run("localStorage.clear()")
    keep(chromium, young_daly__ex_interval=1)
    assert list(counts(chromium)) == ["young-daly/index.html"]
    assert chromium.complaints() == []
    chromium.run("localStorage.clear()")


def test_questions_of_a_lab_count_when_they_are_answered(chapter, server):
    chapter.open(f"{server}/book/chapters/lab-full-stack/index.html")
    chapter.run("document.querySelector('mc-question input').click()")
    chapter.run("document.querySelector('mc-question textarea').value = 'It seems so.'")
    chapter.run("document.querySelector('mc-question form').requestSubmit()")
    every = len(tasks()["book/chapters/lab-full-stack/index"]["questions"])
    assert counts(chapter) == {"lab-full-stack/index.html": f"1/{every} (1 of {every} questions answered)"}


def test_whole_chapter_is_marked(chapter):
    own = tasks()["book/chapters/young-daly/index"]["exercises"]
    keep(chapter, **dict.fromkeys(each.replace(".", "__") for each in own))
    assert counts(chapter)["young-daly/index.html"].startswith(f"✓ {len(own)}/{len(own)} ")


@pytest.mark.parametrize(
    "text", ["{not json", '{"version": 2, "done": [1]}', '{"version": 2, "done": {"a": {"answer": 5}}}']
)
def test_corrupt_storage_shows_no_count_and_is_not_deleted(exercises, text):
    chapter = exercises
    chapter.run("localStorage.setItem('mc.progress.v2', arguments[0])", text)
    chapter.reload()
    assert counts(chapter) == {}
    assert text in chapter.run("return Object.values(localStorage)")
    answer(chapter, "young_daly.ex_interval", "60 min")
    assert list(counts(chapter)) == ["young-daly/index.html"]
    assert chapter.complaints() == []


def test_unreadable_ledger_is_reported_where_nothing_is_asked(chapter, server):
    chapter.run("localStorage.setItem('mc.ledger.v2', '{not json')")
    chapter.open(f"{server}/book/appendices/notation.html")
    assert "could not be read" in chapter.run("return document.querySelector('.mc-notice').textContent")
    assert "{not json" in chapter.run("return Object.values(localStorage)")


def test_panel_lists_every_exercise_of_the_book_by_page(chapter, server):
    keep(chapter, young_daly__ex_interval=1)
    chapter.open(f"{server}/book/index.html")
    chapter.rest()
    placed = [each for page in tasks().values() for each in page["exercises"]]
    every = set(placed)  # a few stand on two pages
    text = chapter.run("return document.querySelector('.mc-progress').textContent")
    assert f"1 of {len(every)} exercises solved" in text and len(every) > 200
    assert chapter.run("return document.querySelectorAll('.mc-progress li').length") == len(placed)
    folds = chapter.run("return [...document.querySelectorAll('.mc-progress summary')].map((s) => s.textContent)")
    own = tasks()["book/chapters/young-daly/index"]
    assert f"{own['title']} · 1/{len(own['exercises'])}" in folds
    links = chapter.run("return [...document.querySelectorAll('.mc-progress a')].map((a) => a.href)")
    assert all((SITE / link.removeprefix(server + "/")).exists() for link in links)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_counted_sidebar_fits_and_axe_finds_nothing(chapter, server, width, dark):
    own = tasks()["book/chapters/young-daly/index"]["exercises"]
    keep(chapter, roofline__ex_ridge=1, **dict.fromkeys(each.replace(".", "__") for each in own))
    for page, places in (
        ("book/index.html", (SIDEBAR, ".mc-progress")),
        (CHAPTER, (SIDEBAR,)),
        (EXERCISES, (SIDEBAR,)),
    ):
        chapter.open(f"{server}/{page}", width=width, dark=dark)
        chapter.run("document.querySelectorAll('.mc-progress details').forEach((d) => { d.open = true; })")
        chapter.run("document.querySelector('.mc-menu').click()") if width < 500 else None
        chapter.until("document.querySelector('.mc-solved').checkVisibility()")
        chapter.still()
        assert chapter.run("return document.documentElement.scrollWidth") <= width
        assert [violations(chapter, place=place) for place in places] == [[]] * len(places)


def test_axe_would_have_found_a_pale_count(chapter):
    keep(chapter, young_daly__ex_interval=1)
    chapter.run("document.querySelector('.mc-solved').style.color = '#ccc'")
    assert [line.partition(":")[0] for line in violations(chapter, SIDEBAR, CONTRAST)] == [CONTRAST]
