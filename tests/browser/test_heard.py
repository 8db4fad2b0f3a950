"""What a screen reader is told of a chapter and of a lab: every heading, every formula, names that differ, changes."""

from collections import Counter

import pytest
from built_site import SITE

PAGES = (
    "chapters/young-daly/index",
    "chapters/lab-checkpoint-reckoning/index",
    "chapters/serving/batching",
    "appendices/facts/failure",
)
# Headings that are seen, or lie outside of the window.
HEADINGS = """
return [...document.querySelectorAll("main :is(h1, h2, h3, h4)")].filter((each) => each.checkVisibility())
  .map((each) => each.textContent.replace(/¶/g, "").replace(/\\s+/g, " ").trim());
"""
SILENT = """
return [...document.querySelectorAll("mc-explorer")].filter((each) => each.checkVisibility() &&
  !each.querySelector("[role=status]")).map((each) => each.dataset.address);
"""
FOLDS = """
return [...document.querySelectorAll("main .mc-more > summary")].filter((each) => each.checkVisibility())
  .map((each) => each.ariaLabel);
"""
FORMULAS = "return [...document.querySelectorAll('main math')].filter((each) => each.checkVisibility()).length"
# As it would be if the sections waited for the window.
LATE = "const late = document.createElement('style'); late.textContent = '.mc-article > section > section "
LATE += "{ content-visibility: auto !important }'; document.head.append(late)"

UNNAMED = """
const button = document.createElement("button");
document.querySelector("main").prepend(button);
const [one, other] = document.querySelectorAll(".mc-more > summary");
other.setAttribute("aria-label", one.getAttribute("aria-label"));
"""
USED = ("button", "link", "textbox", "slider", "spinbutton", "radio", "checkbox", "combobox", "DisclosureTriangle")


@pytest.fixture(params=PAGES)
def opened(request, chromium):
    """Return a page that is open on a phone, where most of it lies outside of the window."""
    return chromium.open((SITE / f"book/{request.param}.html").as_uri(), width=390)


def told(page):
    """Return `(role, name)` of all that the page tells a screen reader, in its order."""
    page.laid().command("Accessibility.enable")
    nodes = {node["nodeId"]: node for node in page.command("Accessibility.getFullAXTree")["nodes"]}
    page.command("Accessibility.disable")  # Chromium crashes where it has to keep the tree of a page that grows
    return list(_below(nodes, next(iter(nodes))))


def _below(nodes, at):
    node = nodes[at]
    if not node.get("ignored"):
        yield node["role"]["value"], " ".join(node.get("name", {}).get("value", "").split())
    for child in node.get("childIds", ()):
        if child in nodes:
            yield from _below(nodes, child)


def headings(page):
    """Return the headings that a screen reader is told."""
    return [name for role, name in told(page) if role == "heading"]


def test_every_heading_is_told_in_its_order(opened):
    seen = [text.replace(" :", ":") for text in opened.run(HEADINGS)]
    assert [text.replace(" :", ":") for text in headings(opened)] == seen
    assert len(seen) > 2


def test_headings_that_wait_for_the_window_would_be_missed(chromium):
    page = chromium.open((SITE / f"book/{PAGES[0]}.html").as_uri(), width=390)
    page.run(LATE)
    page.rest()
    assert len(headings(page)) < len(page.run(HEADINGS))


def nameless(heard):
    """Return the roles of what can be used and has no name."""
    return [role for role, name in heard if role in USED and not name]


def alike(page):
    """Return the names that more than one fold of a formula of the open page has."""
    labels = page.run(FOLDS)
    names = Counter(name for role, name in told(page) if role == "DisclosureTriangle" and name in labels)
    assert names.keys() == set(labels)
    return [name for name, count in names.items() if count > 1]


def test_what_can_be_used_has_a_name_and_formulas_are_told_as_such(opened):
    heard = told(opened)
    assert nameless(heard) == []
    assert sum(role == "MathMLMath" for role, _ in heard) == opened.run(FORMULAS)


def test_folds_of_formulas_have_names_that_differ(opened):
    assert alike(opened) == []


def test_each_instrument_tells_its_changes(opened):
    assert opened.run(SILENT) == []


def test_planted_button_without_a_name_and_folds_of_one_name_are_found(chromium):
    page = chromium.open((SITE / f"book/{PAGES[0]}.html").as_uri(), width=390).laid()
    page.run(UNNAMED)
    assert nameless(told(page)) == ["button"] and len(alike(page)) == 1


def test_planted_instrument_that_tells_nothing_is_found(chromium):
    page = chromium.open((SITE / f"book/{PAGES[0]}.html").as_uri(), width=390)
    page.run("document.querySelector('mc-explorer [role=status]').removeAttribute('role')")
    assert len(page.run(SILENT)) == 1
