"""A page of a chapter is read in one sitting: at most twenty screens of a phone, without folds and exercises."""

import pytest
from built_site import PAGES, SITE

SCREEN, MOST = 844, 20
CHAPTERS = [page for page in PAGES if page.startswith("book/chapters/")]
# Sections far from what is looked at have a guessed height until they are laid out.
HEIGHT = """
document.body.append(Object.assign(document.createElement("style"),
  { textContent: "* { content-visibility: visible !important }" }));
const high = (part) => part.getBoundingClientRect().height;
const article = document.querySelector(".mc-article");
return high(article) - [...article.querySelectorAll("mc-exercise, mc-task")].reduce((sum, part) => sum + high(part), 0);
"""


def screens(page):
    """Return how many screens of a phone the open page fills, without its exercises."""
    return page.run(HEIGHT) / SCREEN


@pytest.mark.page
@pytest.mark.parametrize("page", CHAPTERS)
def test_page_is_read_in_one_sitting(chromium, page):
    assert screens(chromium.open((SITE / page).as_uri(), width=390, height=SCREEN)) <= MOST


def test_page_that_is_too_long_would_be_found(chromium):
    page = chromium.open((SITE / "book/chapters/training/index.html").as_uri(), width=390, height=SCREEN)
    before = screens(page)
    page.run("document.querySelector('article p').style.height = '16000px'")
    assert before < MOST < screens(page)
