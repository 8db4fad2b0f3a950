"""Minutes that a page, a chapter and a week of a course take: one estimate, for pages and for plans.

Counted are the words of a page's source, its statements (a formula with its explanation, a decision with its table, a
calculator), the recommended exercises of a chapter by difficulty, and the minutes of a lab.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from mathbook.exercises import difficulty
from mathbook.values import find_statement
from mathcore.library import current_library
from mathcore.number_format import count_text
from mathcore.types import AnyDict

WORDS_PER_MINUTE = 130
STATEMENT_MINUTES = 1.5
EXERCISE_MINUTES = {1: 5, 2: 10, 3: 15}  # by difficulty
# Front matter, code, options of directives, checks, comments.
NOT_READ = re.compile(r"(?ms)\A---\n.*?^---$|^```\{code-cell\}.*?^```|^:[\w-]+:.*?$|\{mc:assert\}`[^`]*`|<!--.*?-->")
STATEMENT = re.compile(r"(?m)^:+\{mc:statement\}")
NOT_READ_PAGES = ("exercises.md", "slides.md")


def reading_minutes(text: str) -> float:
    """Return the minutes that reading the source of a page takes, its statements included.

    >>> reading_minutes("word " * 1300)
    10.0
    """
    words = sum(any(map(str.isalnum, word)) for word in NOT_READ.sub(" ", text).split())
    return words / WORDS_PER_MINUTE + len(STATEMENT.findall(text)) * STATEMENT_MINUTES


def chapter_minutes(folder: Path) -> float:
    """Return the minutes of a chapter in `folder` outside class: its pages, and the recommended exercises."""
    pages = [path for path in folder.glob("*.md") if path.name not in NOT_READ_PAGES]
    reading = sum(reading_minutes(path.read_text("utf-8")) for path in pages)
    recommended = current_library.data("recommended_exercises.toml").get(folder.name, [])
    return reading + sum(EXERCISE_MINUTES[difficulty(find_statement(address))] for address in recommended)


def week_minutes(chapters: Path, week: Mapping) -> float:
    """Return the minutes of a week of course.toml outside class; `chapters` is the folder of all chapters."""
    return sum(chapter_minutes(chapters / name) for name in week["read"]) + week.get("lab_minutes", 0)


def weeks_title(weeks: Sequence[AnyDict]) -> str:
    """Return the title of a plan of so many weeks.

    >>> weeks_title([{}] * 10), weeks_title([{}] * 14), weeks_title([{}])
    ('Ten weeks', '14 weeks', 'One week')
    """
    return f"{count_text(len(weeks)).capitalize()} week{'s' if len(weeks) != 1 else ''}"
