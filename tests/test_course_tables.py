"""Hours and outcomes of the page for lecturers."""

import pytest
from built_site import ROOT
from mathbook import study_time
from mathbook.exercises import difficulty

from mathcore import find
from mathcore.library import current_library
from mathcore.teaching import OpenExercise

COURSE = current_library.data("course.toml")
TRACKS = [COURSE["week"], *(track["week"] for track in COURSE["track"])]


@pytest.fixture
def minutes(tmp_path):
    """Return a function that gives the minutes of a chapter whose only page has this text."""
    folder = tmp_path / "book" / "chapters" / "sample"
    folder.mkdir(parents=True)

    def of(text, name="index.md"):
        (folder / name).write_text(text, "utf-8")
        return study_time.chapter_minutes(folder)

    return of


def test_minutes_count_words_and_formulas_and_nothing_else(minutes):
    ten = "word " * (10 * study_time.WORDS_PER_MINUTE)
    assert minutes(ten) == pytest.approx(10)
    assert minutes(f"{ten}\n```{{code-cell}}\na = 1 + 1 + 1\n```\n") == pytest.approx(10)
    assert minutes(f"{ten} {{mc:assert}}`a.b < 2 * c.d`") == pytest.approx(10)
    formula = minutes(f"{ten}\n\n:::{{mc:statement}} young_daly.interval\n:::\n") - 10
    assert study_time.STATEMENT_MINUTES <= formula < study_time.STATEMENT_MINUTES + 0.1  # the line itself is two words
    assert minutes(
        f"---\nkernelspec:\n  name: python3\n---\n{ten}\n| --- | --- |\n:name: figure-of-it\n"
    ) == pytest.approx(10)


def test_page_and_plan_count_the_same_minutes(minutes, tmp_path):
    text = f"{'word ' * 777}\n:::{{mc:statement}} young_daly.interval\n:::\n"
    assert minutes(text) == study_time.reading_minutes(text)
    week = {"read": ["sample"], "lab_minutes": 75}
    assert study_time.week_minutes(tmp_path / "book" / "chapters", week) == minutes(text) + 75


def test_week_adds_the_recommended_exercises_by_difficulty():
    chapters = ROOT / "book" / "chapters"
    pages = [p for p in (chapters / "young-daly").glob("*.md") if p.name not in study_time.NOT_READ_PAGES]
    reading = sum(study_time.reading_minutes(p.read_text("utf-8")) for p in pages)
    exercises = [difficulty(find(a)) for a in current_library.data("recommended_exercises.toml")["young-daly"]]
    assert study_time.chapter_minutes(chapters / "young-daly") == pytest.approx(reading + 5 * sum(exercises))


def test_exercises_of_a_page_are_counted_as_recommended_only(minutes):
    assert minutes("word " * 500, "exercises.md") == 0
    assert minutes("word " * 500, "slides.md") == 0


def test_plans_have_their_weeks_and_read_each_chapter_once():
    assert [len(track) for track in TRACKS] == [10, 6, 12]
    chapters = set(COURSE["outcomes"])
    for track in TRACKS:
        read = [chapter for week in track for chapter in week["read"]]
        assert len(read) == len(set(read)) and set(read) <= chapters
    assert all({chapter for week in track for chapter in week["read"]} == chapters for track in (TRACKS[0], TRACKS[2]))


def test_each_chapter_has_outcomes_that_its_own_exercises_test():
    for chapter, outcomes in COURSE["outcomes"].items():
        addresses = [address for _, addresses in outcomes for address in addresses]
        assert len(outcomes) >= 2 and all(each.startswith(chapter.replace("-", "_")) for each in addresses)
        assert any(isinstance(find(each), OpenExercise) for each in addresses), chapter
