"""Searching: queries find their page, from disk as well, by keyboard, without another host.

The expected places come from a reader who knows the field and not the index.
"""

import pytest
from browser.axe import violations
from built_site import SITE

PAGE = (SITE / "book" / "chapters" / "young-daly" / "index.html").as_uri()
RESULTS = (SITE / "search.html").as_uri()
# What somebody types, and words that must stand in the title or the page of one of the first `n` results.
SEARCHES = (
    ("6ND", 5, "training compute", "FLOP", "work of"),
    ("ring all-reduce", 3, "ring"),
    ("KV cache", 3, "KV", "cache"),
    ("H100 bandwidth", 3, "H100"),
    ("how often checkpoint", 4, "interval", "How often"),
    ("young daly", 2, "Young", "interval"),
    ("cluster mtbf", 3, "MTBF", "mean time"),
    ("ridge point", 3, "ridge"),
    ("pipeline bubble", 3, "bubble"),
    ("time to first token", 3, "first token", "TTFT"),
    ("TTFT", 4, "first token", "TTFT"),
    ("goodput", 3, "goodput", "training"),
    ("spot price", 4, "spot"),
    ("carbon of a training run", 4, "carbon", "weigh", "emission"),
    ("PUE", 3, "PUE", "power usage"),
    ("chinchilla", 4, "Chinchilla", "Hoffmann", "optimal"),
    ("silent data corruption", 1, "silent data corruption"),
    ("NIC bandwidth", 3, "NIC"),
    ("p99 latency", 3, "p99", "percentile", "latency"),
    ("LoRA", 1, "LoRA"),
    ("context parallelism", 1, "context parallelism"),
    ("all-to-all", 1, "all-to-all"),
    ("MFU", 1, "MFU"),
    ("arithmetic intensity", 1, "arithmetic intensity"),
    ("checkpoint interval", 1, "checkpoint interval"),
    ("fat tree", 1, "fat tree"),
    ("gradient accumulation", 1, "gradient accumulation"),
    ("amdahl", 4, "Amdahl", "serial"),
)


@pytest.fixture(scope="module")
def found(chromium):
    """Return the function that types words into the page of results and returns what is listed."""
    chromium.open(RESULTS)

    def titles(words, most):
        chromium.run(
            "const f = document.querySelector('.mc-search-page input[name=q]'); f.value = arguments[0];"
            "document.querySelector('.mc-search-page .mc-results').replaceChildren();"
            "f.dispatchEvent(new Event('input', {bubbles: true}))",
            words,
        )
        chromium.until("document.querySelector('.mc-search-page .mc-results-summary').textContent")
        chromium.rest()
        script = "return [...document.querySelectorAll('.mc-search-page .mc-results a')].map((a) => a.textContent)"
        return chromium.run(script)[:most]

    return titles


@pytest.mark.parametrize(("words", "most", "wanted"), [(w, n, rest) for w, n, *rest in SEARCHES])
def test_what_people_type_is_found(found, words, most, wanted):
    first = found(words, most)
    assert any(word.lower() in title.lower() for title in first for word in wanted), first


def test_words_of_no_page_find_nothing(found):
    assert found("xylophone zzz", 5) == []


def test_every_result_leads_to_a_place_that_exists(chromium):
    chromium.open(f"{RESULTS}?q=interval")
    chromium.until("document.querySelectorAll('.mc-results a').length > 20")
    links = chromium.run("return [...document.querySelectorAll('.mc-results a')].map((a) => a.href)")
    for link in links:
        path, _, anchor = link.partition("#")
        page = SITE / path.partition("/html/")[2]
        assert page.is_file() and (not anchor or f'id="{anchor}"' in page.read_text("utf-8")), link


def test_index_is_loaded_when_somebody_searches_and_not_before(chromium):
    chromium.open(PAGE)
    assert not [url for url in chromium.requests() if "mc-index" in url or "minisearch" in url]
    chromium.run("document.querySelector('.mc-search-open').click()")
    chromium.until("document.querySelector('#mc-search').open")
    chromium.run("document.querySelector('#mc-search input').focus()")
    chromium.until("globalThis.MiniSearch")
    assert all(url.startswith("file:") for url in chromium.requests())


def test_search_goes_by_keyboard_and_is_accessible(chromium):
    chromium.open(PAGE)
    chromium.run("document.querySelector('.mc-search-open').click()")
    field = chromium.driver.find_element("css selector", "#mc-search input")
    field.send_keys("optimal interval")
    chromium.until("document.querySelectorAll('#mc-search .mc-results a').length > 2")
    chromium.still()
    assert violations(chromium) == []
    field.send_keys("\ue015")  # arrow down
    assert chromium.run("return document.activeElement.matches('.mc-results a')")
    assert chromium.complaints() == []
