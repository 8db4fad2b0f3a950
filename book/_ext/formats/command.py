"""Make the downloads of the built site: PDF, EPUB, and a folder in a ZIP file."""

import argparse
import os
import sys
import time

from mathbook.built_pages import PageNotBuilt
from mathbook.folders import PROJECT, BookFolders

from formats import epub as epubs
from formats import printing
from formats.chromium import Chromium, NoBrowser
from formats.download_links import Download, NoLinksSlot, add_downloads, zip_site
from formats.print_extract import extract_pages
from formats.volumes import NAME, read_parts


def main(arguments=None):
    """Make the requested formats next to the pages; return the exit code."""
    parser = argparse.ArgumentParser(prog="formats", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=sorted(WRITERS), help="what is made")
    parser.add_argument("chapters", nargs="*", help="these chapters alone, by the names of their first pages")
    options = parser.parse_args(arguments)
    book = BookFolders(PROJECT, PROJECT / "_build")
    begun = time.perf_counter()
    try:
        made = WRITERS[options.what](book, options.chapters)
        if not options.chapters:
            add_downloads(book, made)
    except (PageNotBuilt, NoBrowser, NoLinksSlot, printing.LayoutError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(made)} made and linked" if not options.chapters else "made", end="")
    print(f" in {time.perf_counter() - begun:.0f} s: {os.path.relpath(made[-1].path)}")
    return 0


def make_pdf(book, names):
    """Print chapters, or all chapters and the whole book if `names` is empty; return the Downloads."""
    work, folder = _work_dirs(book, "pdf")
    whole = read_parts(book)
    chapters, style = select_chapters(whole, names), (book.site / "_static" / "site.css").as_uri()
    made = []
    with Chromium() as browser:
        cut = extract_pages(browser, book, [page for chapter in chapters for page in chapter.pages])
        for chapter in chapters:
            document = printing.chapter_document(chapter, cut, style)
            data = printing.print_document(browser, work / f"{chapter.name}.html", document)
            data = printing.compress_pdf(data, f"{chapter.subject} — {NAME}")
            made.append(_write(folder / f"{chapter.name}.pdf", data, chapter.pages))
        if not names:
            data = printing.print_book(browser, work / "book.html", whole, cut, style)
            made.append(_write(folder / "book.pdf", printing.compress_pdf(data, NAME)))
    return made


def make_epub(book, names):
    """Write the EPUB of the whole book, or of the chapters `names`; return the Downloads."""
    work, folder = _work_dirs(book, "epub")
    whole = read_parts(book)
    selected = set(select_chapters(whole, names))
    whole = [part._replace(chapters=tuple(each for each in part.chapters if each in selected)) for part in whole]
    pages = [page for part in whole for chapter in part.chapters for page in chapter.pages]
    path = folder / f"{'-'.join(names) or 'book'}.epub"
    with Chromium() as browser:
        cut = extract_pages(browser, book, pages, files=True)
        size = epubs.write_epub(path, book, whole, cut, epubs.draw_cover(browser, book, work / "cover.html"))
    print(f"{path.name}: {size / 1e6:.1f} MB, {len(pages)} pages")
    return [Download(path)]


def make_zip(book, names):
    """Write the site as a ZIP folder that opens from disk; return the Downloads."""
    if names:
        raise PageNotBuilt("the folder to unpack holds the whole book: name no chapter")
    read_parts(book)  # all pages are there
    _, folder = _work_dirs(book, "zip")
    size = zip_site(book.site, folder / "book.zip")
    print(f"book.zip: {size / 1e6:.1f} MB")
    return [Download(folder / "book.zip")]


def _work_dirs(book, name):
    """Return the folder of intermediate files and the folder of results."""
    places = book.out / "formats", book.out / name
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
    return places


def _write(path, data, pages=()):
    path.write_bytes(data)
    print(f"{path.name}: {len(data) / 1e6:.1f} MB", flush=True)
    return Download(path, pages)


def select_chapters(whole, names):
    """Return the chapters with these names, or all chapters if `names` is empty.

    Raises: PageNotBuilt for a name that no chapter has.
    """
    known = {chapter.name: chapter for part in whole for chapter in part.chapters}
    if unknown := [name for name in names if name not in known]:
        raise PageNotBuilt(f"there is no chapter {unknown[0]}: name one of {', '.join(known)}")
    return [known[name] for name in names] or list(known.values())


WRITERS = {"pdf": make_pdf, "epub": make_epub, "zip": make_zip}
