"""Films of diagrams: whole without scripts, stepped through and played."""

from built_site import SITE

FILM = "document.querySelector('.mc-animation')"
SEEN = f"return [...{FILM}.querySelectorAll('.mc-frame')].filter((each) => each.offsetParent).length"
COLLECTIVES, QUEUES = (
    (SITE / f"book/chapters/{name}.html").as_uri() for name in ("collectives/index", "serving/queues")
)


def test_film_is_whole_without_scripts(chromium):
    page = chromium.open(COLLECTIVES, scripts=False)
    assert page.run(SEEN) == 7
    assert page.run(f"return {FILM}.querySelector('.mc-animation-bar').offsetParent") is None


def test_film_can_be_stepped_through_and_played(chromium):
    page = chromium.open(COLLECTIVES)
    count = f"return {FILM}.querySelector('.mc-count').value"
    press = f"{FILM}.querySelector('[data-do={{}}]').click()"
    assert page.run(SEEN) == 7 and page.run(count) == "7 steps"
    page.run(press.format("next"))
    assert page.run(SEEN) == 1 and page.run(count) == "step 1 of 7"
    page.run(f"{FILM}.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight' }}))")
    assert page.run(count) == "step 2 of 7"
    page.run(press.format("back"))
    assert page.run(count) == "step 1 of 7"
    page.run(press.format("play"))
    page.until(f"{FILM}.querySelector('.mc-count').value === 'step 3 of 7'")
    page.run(press.format("play"))
    assert page.run(f"return {FILM}.querySelector('[data-do=play]').textContent") == "Play"
    page.run(press.format("all"))
    assert page.run(SEEN) == 7


def test_long_film_shows_a_few_stills_and_plays_them_all(chromium):
    page = chromium.open(QUEUES)
    assert page.run(SEEN) == 4
    page.run(f"{FILM}.querySelector('[data-do=next]').click()")
    assert page.run(f"return {FILM}.querySelector('.mc-count').value") == "step 1 of 13"
