"""Links of the built site: every page, file and anchor that is named exists."""

from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from built_site import SITE

pytestmark = pytest.mark.slow


def parsed(folder):
    """Return every page below `folder`, read once."""
    return {p: BeautifulSoup(p.read_text(encoding="utf-8"), "html.parser") for p in folder.rglob("*.html")}


@pytest.fixture(scope="module")
def site():
    return parsed(SITE)


def broken_links(soups, folder):
    """Return `page: link` for every internal link or file of the pages that leads nowhere."""
    anchors = {page: {tag["id"] for tag in soup.find_all(id=True)} for page, soup in soups.items()}
    broken = []
    for page, soup in soups.items():
        for tag in soup.find_all(["a", "link", "script", "img"]):
            link = tag.get("href") or tag.get("src")
            if link and not urlsplit(link).scheme and not leads_somewhere(page, link, anchors):
                broken.append(f"{page.relative_to(folder)}: {link}")
    return broken


def leads_somewhere(page, link, anchors):
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return False
    return not parts.fragment or target not in anchors or unquote(parts.fragment) in anchors[target]


def test_every_internal_link_leads_somewhere(site):
    assert broken_links(site, SITE) == []


def test_links_to_other_hosts_are_links_only(site):
    for page, soup in site.items():
        for tag in soup.find_all(["script", "img", "iframe", "source"]):
            assert not urlsplit(tag.get("src") or "").netloc, f"{page.name} loads {tag.get('src')}"
        for tag in soup.find_all("link", rel=True):
            loads = {"stylesheet", "preload", "icon", "modulepreload"} & set(tag["rel"])
            assert not (loads and urlsplit(tag.get("href") or "").netloc), f"{page.name} loads {tag['href']}"


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">x</a><a href="b.html#no">y</a><a href="c.html">z</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there">here</p>')
    assert broken_links(parsed(tmp_path), tmp_path) == ["a.html: b.html#no", "a.html: c.html"]
