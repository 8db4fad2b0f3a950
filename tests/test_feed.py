"""Protects the feed: entries keep the identifiers that readers' programs know, and have the date of their release."""

import json
from functools import partial
from xml.etree import ElementTree

import pytest
import yaml
from built_site import ROOT
from mathbook import feed

ATOM = "{http://www.w3.org/2005/Atom}"
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
written = partial(feed.atom_feed, scheme=SETTINGS["mathbook_feed"])
FORMER = json.loads((ROOT / "tests/data/0.1.0/feed.json").read_text("utf-8"))


def entries(changelog):
    """Return `[(identifier, date)]` of the feed of a changelog."""
    found = ElementTree.fromstring(written(changelog, "")).iter(f"{ATOM}entry")
    return [(each.findtext(f"{ATOM}id"), each.findtext(f"{ATOM}updated")) for each in found]


def missing_ids(changelog):
    """Return the identifiers of 0.1.0 that the feed of a changelog lacks."""
    return set(FORMER["entries"]) - {mark for mark, _ in entries(changelog)}


def test_entries_of_0_1_0_keep_their_identifiers():
    assert missing_ids(CHANGELOG) == set()
    assert ElementTree.fromstring(written(CHANGELOG, "")).findtext(f"{ATOM}id") == FORMER["id"]


def test_corrected_sentence_is_the_same_entry():
    first = next(each for each in feed.parse_changelog(CHANGELOG) if each.release == "0.1.0")
    assert missing_ids(CHANGELOG.replace(first.text[:40], "Corrected: so")) == set()
    assert len(missing_ids(CHANGELOG.replace(first.identifier, "0" * 16))) == 1


def test_every_change_of_a_release_has_an_identifier():
    assert [each.text for each in feed.parse_changelog(CHANGELOG) if not each.identifier] == []
    assert feed.with_ids(CHANGELOG) == CHANGELOG
    assert [each.identifier for each in feed.parse_changelog("## 1.0 (2026-01-31)\n\n- Add b.\n")] == [""]


def test_date_is_that_of_the_release():
    text = "## 0.3 (not released)\n\n- C.\n\n## 0.2 (2026-12-01)\n\n- B.\n\n## 0.1 (2026-11-23)\n\n- A.\n"
    assert [date for _, date in entries(text)] == ["2026-12-01T00:00:00Z", "2026-11-23T00:00:00Z"]
    assert "<updated>2026-12-01T00:00:00Z</updated>\n<entry>" in written(text, "")
    assert {date for mark, date in entries(CHANGELOG) if mark in FORMER["entries"]} == {"2026-11-23T00:00:00Z"}


def test_identifier_used_twice_is_refused():
    with pytest.raises(ValueError, match="two changes have the identifier 00ff"):
        written("## 1.0 (2026-01-31)\n\n- A. <!-- 00ff -->\n- B. <!-- 00ff -->\n", "")
    with pytest.raises(ValueError, match="two changes have the identifier 00ff"):
        written("## 1.1 (not released)\n\n- A. <!-- 00ff -->\n- A, as it was. <!-- 00ff -->\n", "")
