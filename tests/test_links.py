"""Links of the built site: every page, file and anchor that is named exists."""

import re
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest
from built_site import SITE

pytestmark = pytest.mark.slow

# A parser takes half a second a page. What it would leave out, comments and scripts, goes first.
SCRIPT = re.compile(r"(<script\b[^>]*>).*?</script>", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"<(a|link|script|img|iframe|source)\b((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>")
ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))")
ID = re.compile(r"<[^>]*?\sid=[\"']?([^\"'\s>]+)")
LOADING = {"stylesheet", "preload", "icon", "modulepreload"}


class Page:
    """What links are about in a page: its anchors, and its tags with their attributes."""

    def __init__(self, text):
        """Read the text once."""
        text = SCRIPT.sub(r"\1</script>", COMMENT.sub("", text))
        self.anchors = {unescape(found) for found in ID.findall(text)}
        self.tags = [(name, _attributes(inside)) for name, inside in TAG.findall(text)]

    def links(self):
        """Yield where links lead and what is loaded."""
        for name, attributes in self.tags:
            link = attributes.get("href") or attributes.get("src")
            if link and name in ("a", "link", "script", "img"):
                yield link

    def loaded(self):
        """Yield the URLs that the page loads without a click."""
        for name, attributes in self.tags:
            if name == "link" and LOADING & set(attributes.get("rel", "").split()):
                yield attributes.get("href", "")
            elif name not in ("a", "link"):
                yield attributes.get("src", "")


def _attributes(text):
    return {name: unescape("".join(values)) for name, *values in ATTRIBUTE.findall(text)}


def read(folder):
    """Return every page below `folder`, read once."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}


@pytest.fixture(scope="module")
def site():
    found = read(SITE)
    assert len(found) > 20 and sum(len(page.tags) for page in found.values()) > 1000
    return found


def broken_links(pages, folder):
    """Return `page: link` for every internal link or file of the pages that leads nowhere."""
    return [
        f"{path.relative_to(folder)}: {link}"
        for path, page in pages.items()
        for link in page.links()
        if not urlsplit(link).scheme and not leads_somewhere(path, link, pages)
    ]


def leads_somewhere(path, link, pages):
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors


def from_elsewhere(pages, folder):
    """Return `page: address` for everything that a page loads from another host."""
    return [
        f"{path.relative_to(folder)}: {address}"
        for path, page in pages.items()
        for address in page.loaded()
        if urlsplit(address).netloc
    ]


def test_every_internal_link_leads_somewhere(site):
    assert broken_links(site, SITE) == []


def test_links_to_other_hosts_are_links_only(site):
    assert from_elsewhere(site, SITE) == []


A = """<a href="b.html#there">x</a><a class='x > y' href=b.html#no>y</a><a href="c.html">z</a>
<!-- <a href="d.html"> --><script>say('<a href="e.html">')</script><a href="b.html#a&amp;b">w</a>
<script async src="f.js"></script><img alt="a > b" src="g.png">"""
B = """<p id="there">here</p><i class="x" id='a&amp;b'></i>"""


def test_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text(A)
    (tmp_path / "b.html").write_text(B)
    assert broken_links(read(tmp_path), tmp_path) == [
        f"a.html: {link}" for link in ("b.html#no", "c.html", "f.js", "g.png")
    ]


@pytest.mark.parametrize(
    "seeded",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        "<link href='https://example.org/a.ico' rel='shortcut icon'>",
        '<iframe title="x" src="https://example.org"></iframe>',
    ],
)
def test_what_another_host_would_send_is_found(tmp_path, seeded):
    (tmp_path / "a.html").write_text('<a href="https://example.org">fine</a>' + seeded)
    assert len(from_elsewhere(read(tmp_path), tmp_path)) == 1
