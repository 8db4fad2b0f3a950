"""Write the folder for lecturers from the built book.

`--students FILE` adds variants by name, `--teams FILE` contexts of the labs.
"""

import argparse
import os
import sys
from pathlib import Path

from exports import command as exporting
from exports.prompts import UnsupportedContent
from mathbook.built_pages import PageNotBuilt
from mathbook.folders import PROJECT, BookFolders

from course import exams, guide, keys, rendering, student_seeds, syllabus


def main(arguments=None):
    """Write the folder that the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="course", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=Path, help="file with one name a line: each gets variants of its own")
    parser.add_argument("--teams", type=Path, help="file with one team a line: each gets a context of each lab")
    parser.add_argument("--seed", type=int, default=1, help="draws the numbers of the exams (default: 1)")
    options = parser.parse_args(arguments)
    book = BookFolders(PROJECT, PROJECT / "_build")
    try:
        summary = write_folder(book, book.out / "course", options.seed, options.students, options.teams)
    except (rendering.BrokenText, PageNotBuilt, UnsupportedContent, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{summary}: {os.path.relpath(book.out / 'course')}/index.html")
    return 0


def write_folder(book, folder, seed=1, names=None, teams=None):
    """Write all parts and the page that links to them; return a summary in one line."""
    (folder / "keys").mkdir(parents=True, exist_ok=True)
    plan, decks = syllabus.read_plan(book), rendering.chapters_with_slides(book.folder)
    rendering.write_slides(book.folder, folder / "slides", decks)
    rendering.write_texts(book.folder, folder / "texts")
    sheets = exams.write_exams(book, folder / "exams", seed)
    for name, text in keys.key_files().items():
        (folder / "keys" / name).write_text(text, "utf-8")
    (folder / "answers.html").write_text(guide.answer_guide(), "utf-8")
    (folder / "index.html").write_text(syllabus.index_page(plan), "utf-8")
    banks = exporting.write_exports(book, folder / "banks")
    if names:
        table = student_seeds.variant_table(names.read_text("utf-8").splitlines(), plan)
        (folder / "students.csv").write_text(table, "utf-8")
    if teams:
        (folder / "teams.csv").write_text(guide.team_table(teams.read_text("utf-8").splitlines()), "utf-8")
    return f"{len(decks)} decks of slides, {len(sheets)} exams, keys, project, rubrics, and banks with {banks}"
