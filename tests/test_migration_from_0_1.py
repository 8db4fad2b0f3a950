"""Protects what readers and others hold of 0.1.0: addresses of pages, items of question banks, inventory, options."""

import json
import re
from html import unescape

import pytest
from built_site import PAGES, ROOT, SITE
from exports import question_bank
from mathbook import built_pages, redirects
from mathbook.folders import BookFolders
from sphinx.util.inventory import InventoryFile

from mathcore import find
from mathcore.library import current_library
from mathcore.redirects import predecessor, successor

FORMER = ROOT / "tests" / "data" / "0.1.0"
ID = re.compile(r'\sid="([^"]+)"')


def export_of(name):
    """Return what the export of 0.1.0 has in a file."""
    return json.loads((FORMER / f"{name}.json").read_text("utf-8"))


def items():
    """Return the identifiers of all items of 0.1.0."""
    return [f"{a}-{seed}" if seed else a for a, seeds in export_of("question_banks")["items"].items() for seed in seeds]


def stated():
    """Return the addresses of all statements of 0.1.0."""
    return {f"{module}.{name}" for module, names in export_of("addresses").items() for name in names}


def unknown_addresses(addresses):
    """Return those of some addresses that 0.1.0 did not have."""
    return sorted(set(addresses) - stated())


def test_what_was_exported_has_the_addresses_of_0_1_0():
    """A script that renames addresses in the repository must leave these files alone."""
    parts = [a for kinds in export_of("parts").values() for addresses in kinds.values() for a in addresses]
    made = export_of("ledger")["entries"].keys() - {"reader"}
    assert (
        unknown_addresses(
            [*parts, *made, *export_of("question_banks")["items"], *export_of("options"), *export_of("option_keys")]
        )
        == []
    )
    assert unknown_addresses(["aging.ex_loss", "reliability.aging.ex_loss"]) == ["reliability.aging.ex_loss"]


def test_identifiers_come_back_from_the_addresses_of_now():
    wrong = [old for old in export_of("question_banks")["items"] if renamed_back(old) != old]
    assert wrong == []
    assert renamed_back("a.x", {"c.": "b.", "a.": "b."}) != "a.x"  # two modules made one


def renamed_back(old, renamed=None):
    """Return what today's address of an old one is traced back to."""
    renamed = current_library.redirects if renamed is None else renamed
    return predecessor(successor(old, renamed), renamed)


def wrong_options(keys):
    """Return the questions of 0.1.0 whose options are not known by these keys, in the order of that version."""
    questions = {old: find(successor(old, current_library.redirects)) for old in keys}
    return [old for old, each in questions.items() if [option.key for option in each.options] != keys[old]]


def test_options_of_0_1_0_have_their_keys():
    keys = export_of("option_keys")
    assert {old: len(each) for old, each in export_of("options").items()} == {
        old: len(all_) for old, all_ in keys.items()
    }
    assert wrong_options(keys) == []


def test_options_in_another_order_is_found():
    keys = export_of("option_keys")
    keys["lab_serving.four_times"] = sorted(keys["lab_serving.four_times"])
    assert wrong_options(keys) == ["lab_serving.four_times"]


def not_reached(site, pages):
    """Return the pages of 0.1.0 that are not there, and the anchors that lead to no place."""
    ids = {
        p.relative_to(site).as_posix(): {unescape(i) for i in ID.findall(p.read_text("utf-8"))}
        for p in site.rglob("*.html")
    }
    missing, lost = [], []
    for page, anchors in export_of("anchors").items():
        missing += [page] * (page not in ids)
        targets = redirects.redirect_targets(pages.get(page.removesuffix(".html"), {}))
        for anchor in anchors:
            to, new = targets.get(anchor, (page.removesuffix(".html"), anchor))
            if new not in ids.get(f"{to}.html", ()):
                lost.append(f"{page}#{anchor}")
    return missing, lost


@pytest.mark.slow
def test_every_old_page_and_anchor_redirects():
    pages = redirects.load_redirects(ROOT / "book" / "redirects.json")["pages"]
    missing, lost = not_reached(SITE, pages)
    assert missing == [] and lost == []


def test_lost_page_is_found(tmp_path):
    (tmp_path / "index.html").write_text("<p>nothing</p>")
    missing, lost = not_reached(tmp_path, {})
    assert "book/chapters/serving.html" in missing and "book/chapters/serving.html#two-kinds-of-work" in lost


def lost_cells(moved, cells):
    """Return the old pages with an edited cell that is on none of the pages to which they lead."""
    texts = {
        old: "".join((SITE / f"{page}.html").read_text("utf-8") for page in {moved[old]["to"], *moved[old]["anchors"]})
        for old in cells
    }
    return [old for old, [name] in cells.items() if f'"name": "{name}"' not in texts[old]]


@pytest.mark.slow
def test_every_edited_cell_has_its_place():
    table = redirects.load_redirects(ROOT / "book" / "redirects.json")
    assert len(table["cells"]) > 15 and lost_cells(table["pages"], table["cells"]) == []
    old = next(iter(table["cells"]))
    assert lost_cells(table["pages"], {old: ["of-no-page"]}) == [old]


@pytest.mark.slow
def test_site_map_names_no_old_page():
    former = redirects.load_redirects(ROOT / "book" / "redirects.json")["pages"].keys() - {
        p.stem for p in SITE.glob("*.html")
    }
    path = SITE / "sitemap.xml"
    text = path.read_text("utf-8") if path.exists() else ""
    stubs = [page for page in former if '<a id="mc-to"' in (SITE / f"{page}.html").read_text("utf-8")]
    assert [page for page in stubs if f"{page}.html<" in text] == []
    listed = (SITE / "worker.js").read_text("utf-8")
    assert [page for page in stubs if f'"{page}.html"' not in listed] == []


@pytest.mark.slow
def test_no_old_page_is_printed_or_in_the_epub():
    """Both are made of the pages of chapters."""
    former = redirects.load_redirects(ROOT / "book" / "redirects.json")["pages"]
    used = {page for each in built_pages.toc_chapters(BookFolders(ROOT, ROOT / "_build")) for page in each.pages}
    assert len(used) > 90 and [page for page in used if page in former and f"{page}.html" not in PAGES] == []


@pytest.mark.slow
def test_every_name_of_the_inventory_resolves():
    with (SITE / "objects.inv").open("rb") as file:
        now = InventoryFile.load(file, "", lambda base, uri: uri)
    pages = redirects.load_redirects(ROOT / "book" / "redirects.json")["pages"]
    lost = [
        f"{kind} {name}"
        for kind, names in export_of("inventory").items()
        for name in names
        if name not in now.get(kind, {}) and successor(name, current_library.redirects) not in now.get(kind, {})
        and not (kind == "std:doc" and name in pages)
    ]  # fmt: skip
    assert lost == []


@pytest.mark.extended
@pytest.mark.slow
def test_every_item_of_the_question_banks_keeps_its_identifier():
    now = {
        item.name
        for chapter in question_bank.bank_chapters(BookFolders(ROOT, ROOT / "_build"))
        for item in chapter.items
    }
    assert sorted(set(items()) - now) == []


@pytest.mark.slow
def test_pages_follow_one_another_without_a_gap():
    """From the first page by `next` to the last; back by `prev`; every page of the contents once, no old page."""
    order, name = [], "book/index.html"
    while name and name not in order:
        order.append(name)
        head = (SITE / name).read_text("utf-8").partition("</head>")[0]
        found = re.search(r'<link rel="next"[^>]* href="([^"]+)"', head)
        name = (SITE / name).parent.joinpath(found[1]).resolve().relative_to(SITE.resolve()).as_posix() if found else ""
    assert len(order) >= len([page for page in export_of("turns") if "chapters/" in page]) - 5
    assert not [page for page in order if '<a id="mc-to"' in (SITE / page).read_text("utf-8")]
