"""Write all exercises and questions of the built book into _build/exports."""

import os
import sys
from pathlib import Path
from string import Template

import yaml
from mathbook.built_pages import PageNotBuilt
from mathbook.folders import PROJECT, BookFolders

from exports import moodle, qti, question_bank
from exports.items import MultipleChoice
from exports.prompts import UnsupportedContent

IMPORT_GUIDE = Path(__file__).with_name("importing.txt")


def main():
    """Write the files; return the exit code."""
    book = BookFolders(PROJECT, PROJECT / "_build")
    try:
        summary = write_exports(book, book.out / "exports")
    except (PageNotBuilt, UnsupportedContent) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{summary}: {os.path.relpath(book.out / 'exports')}")
    return 0


def write_exports(book, folder):
    """Write every format and the README; return a summary in one line."""
    title = yaml.safe_load(book.config.read_text("utf-8"))["title"]
    chapters = question_bank.bank_chapters(book)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "moodle.xml").write_bytes(moodle.moodle_xml(title, chapters))
    (folder / "qti.zip").write_bytes(qti.qti_package(title, chapters))
    item_counts = count_items(chapters)
    readme = Template(IMPORT_GUIDE.read_text("utf-8")).substitute(title=title, counts=item_counts)
    (folder / "README.md").write_text(readme, "utf-8")
    return item_counts


def count_items(chapters):
    """Return the numbers of items as text."""
    items = [item for chapter in chapters for item in chapter.items]
    chosen = [item for item in items if isinstance(item, MultipleChoice)]
    questions = len({item.address for item in chosen})
    exercises = len({item.address for item in items}) - questions
    return (
        f"{exercises} exercises in {len(items) - len(chosen)} variants and {questions} questions in {len(chosen)} "
        f"from {len(chapters)} chapters"
    )
