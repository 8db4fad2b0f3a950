"""Protects old addresses of pages: each is a page of links, known to what lists the files of the site."""

import json
import re

import pytest
from mathbook import redirects
from small_sphinx import REDIRECTS, build
from sphinx.util.inventory import InventoryFile
from test_links import broken_links, read


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out, warnings = build(tmp_path_factory.mktemp("book"), baseurl="https://a.example/book/")
    assert warnings == ""
    return out


def test_old_page_names_its_successor(site):
    text = (site / "old/chapter.html").read_text("utf-8")
    assert '<a id="mc-to" href="../new/first.html">First page</a>' in text and "<title>First page</title>" in text
    assert '<link rel="canonical" href="https://a.example/book/new/first.html" />' in text
    assert '<li id="queue-load"><a href="../new/second.html#queues-load">' in text
    assert "$" not in re.sub(r"\$\{\w[^}]*\}", "", text), "every place of the template is filled"


def test_links_of_old_pages_are_links_of_the_site(site):
    """So the check of links finds a target that is no more."""
    stub = site / "old/chapter.html"
    pages = read(site)
    assert len(list(pages[stub].links())) == 6
    assert [each for each in broken_links({stub: pages[stub]}, site) if "canonical" not in each] == []
    first = site / "new/second.html"
    pages[first].anchors.discard("queues-load")
    assert not pages[first].anchors & {"queues-load"} and broken_links_of(stub, pages, site)


def broken_links_of(stub, pages, site):
    from test_links import leads_somewhere

    return [link for link in pages[stub].links() if link.startswith("..") and not leads_somewhere(stub, link, pages)]


def test_page_that_is_still_there_has_a_script_for_anchors_that_are_not(site):
    text = (site / "list.html").read_text("utf-8")
    assert '<meta name="mc-moved-anchors" content="redirects/list.js" />' in text
    script = (site / "_static/redirects/list.js").read_text("utf-8")
    assert script.endswith('.movedAnchors = {"queue-load":"new/second.html#queues-load"};\n')
    assert "mc-moved-anchors" not in (site / "index.html").read_text("utf-8")


def test_browser_gets_the_renamed_addresses_and_cells(site):
    script = (site / "_static/mc-redirects.js").read_text("utf-8")
    table = json.loads(script.partition(".redirects = ")[2].rstrip(";\n"))
    assert table["cells"] == {"old/chapter": ["ridge"]} and isinstance(table["addresses"], dict)


def test_target_that_is_no_page_is_named(tmp_path):
    wrong = {"pages": {"old/chapter": {"to": "new/third"}}, "cells": {}}
    out, warnings = build(tmp_path, wrong)
    assert "`old/chapter` redirects to `new/third`, which is not a document" in warnings
    assert not (out / "old").exists()


def test_label_of_a_former_figure_redirects_for_other_books(tmp_path):
    moved = {"to": "new/first", "anchors": {"new/second": ["fig-load"]}, "renamed": {"fig-load": "queues-load"}}
    out, warnings = build(tmp_path, {"pages": {"old/chapter": moved}, "cells": {}})
    with (out / "objects.inv").open("rb") as file:
        labels = InventoryFile.load(file, "", lambda base, uri: uri)["std:label"]
    assert warnings == "" and labels["fig-load"][2] == "new/second.html#queues-load"


def test_book_without_the_file_has_no_redirects(tmp_path):
    assert redirects.load_redirects(tmp_path / "none.json") == {"pages": {}, "cells": {}}


def test_every_anchor_has_one_target():
    entry = REDIRECTS["pages"]["old/chapter"]
    assert redirects.redirect_targets(entry)["queue-load"] == ("new/second", "queues-load")
    assert redirects.moved_anchors("new/first", entry, lambda page: page)["more"] == "new/second#more"
    assert "here" not in redirects.moved_anchors("new/first", entry, lambda page: page)
