"""Protects the lecturers' folder: slides that can be held, exams whose keys hold, keys that nothing clips."""

import csv
import html
import io
import itertools
import math
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

import pytest
import qti_model
from bs4 import BeautifulSoup
from built_site import ROOT, SITE
from course import exams, guide, keys, pages, rendering, student_seeds, syllabus
from exports import moodle, qti
from exports.items import ChapterItems, MultipleChoice
from learning_platforms import read_moodle
from mathbook.diagrams import registry
from mathbook.exercises import difficulty
from mathbook.folders import BookFolders
from mathbook.variants import variant_seeds
from typed_answers import judge_answer

from mathcore import find, units
from mathcore.library import current_library
from mathcore.teaching import Calculator, DeriveExercise, EstimateExercise, Exercise, Lab, Question
from mathcore.teaching.exercises import SEEDS

STATED = current_library.data("course.toml")
PATHS = current_library.data("recommended_exercises.toml")
CHAPTERS = list(STATED["outcomes"])
EXAMS = {exam["name"]: exam for exam in STATED["exam"]}
BOOK = BookFolders(SITE.parents[1], SITE.parent)
MOST_SLIDES, CLASS_MINUTES = 20, 90  # of a class
SLIDE = re.compile(r"^#{1,2} (.+)$", re.MULTILINE)
NOTES = re.compile(r"^:::\{revealjs-notes\}\n(\d+) min\. (.+?)\n:::$", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"^:::\{revealjs-fragments\}\n.+?\n:::$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def diagrams():
    """Keep the folder of diagrams, which a run of Sphinx sets for the whole process."""
    before = registry.diagrams_folder()
    yield
    registry.set_diagrams_folder(before)


# ---------------------------------------------------------------- slides, as written


def source(chapter):
    """Return the text of the slides of a chapter."""
    return (ROOT / "book" / "chapters" / chapter / rendering.SLIDES).read_text("utf-8")


def slides_of(text):
    """Return `(title, text)` of each slide."""
    parts = SLIDE.split(text)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def slide_issues(text):
    """Yield what slides lack: notes with minutes, two questions with answers, no other host, a picture."""
    slides = slides_of(text)
    for title, inside in slides:
        if len(NOTES.findall(inside)) != 1 or len(NOTES.search(inside)[2].split()) < 6:
            yield f"{title}: no notes"
        words = len(re.sub(r":::\{revealjs-notes\}.*?\n:::|\{mc:\w+\}|`", " ", inside, flags=re.DOTALL).split())
        if words > 90:
            yield f"{title}: {words} words"
    asked = [inside for title, inside in slides if title.startswith("Question: ")]
    if len(asked) != 2 or not all(len(ANSWER.findall(inside)) == 1 for inside in asked):
        yield "not two questions with an answer each"
    if "://" in text or "{mc:diagram}" not in text:
        yield "another host, or no picture"


def minutes(text):
    """Return the minutes of all slides."""
    return sum(int(found[0]) for found in NOTES.findall(text))


def test_every_chapter_has_slides():
    assert rendering.chapters_with_slides(ROOT) == sorted(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_slides_have_notes_questions_and_answers(chapter):
    assert list(slide_issues(source(chapter))) == []


def test_slides_that_lack_something_are_found():
    text = source("young-daly")
    seeded = [
        text.replace("4 min. ", "", 1),
        text.replace("## Question: ", "## ", 1),
        text.replace(":::{revealjs-fragments}", ":::{note}", 1),
        f"{text}\nhttps://example.org\n",
        text.replace("{mc:diagram}", "{mc:statement}"),
        text.replace("## Minutes", f"{'word ' * 90}\n\n## Minutes"),
    ]
    assert all(list(slide_issues(each)) for each in seeded)


@pytest.mark.parametrize("week", [*STATED["week"], *(w for track in STATED["track"] for w in track["week"])])
def test_slides_fit_into_the_class_of_their_week(week):
    texts, lecture = [source(chapter) for chapter in week["read"]], week.get("lecture", CLASS_MINUTES)
    assert sum(len(slides_of(text)) for text in texts) <= MOST_SLIDES * lecture / CLASS_MINUTES
    assert sum(map(minutes, texts)) <= lecture


# ---------------------------------------------------------------- slides and texts, as built


def page_issues(page, slides=0):
    """Yield what a built page lacks: files that are not there, other hosts, slides with their notes."""
    text = page.read_text("utf-8")
    soup = BeautifulSoup(text, "html.parser")
    used = [tag[name] for name in ("src", "href") for tag in soup.select(f"[{name}]") if tag.name != "a"]
    yield from (f"{link} is not there" for link in used if not (page.parent / link.partition("?")[0]).is_file())
    if slides:
        sections = [section for section in soup.select("section") if not section.find("section")]
        if len(sections) != slides or any(len(section.select("aside.notes")) != 1 for section in sections):
            yield f"{len(sections)} slides of {slides}, or notes are missing"
        if not all(section.find(["p", "math", "svg", "li"]) for section in sections):
            yield "an empty slide"
        if soup.select("details, button, input, .eqno"):
            yield "something that a slide cannot show"


# sphinx-revealjs uses names that Sphinx has deprecated
OLD_NAMES = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")


@OLD_NAMES
@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_slides_and_texts_build_without_a_warning_and_need_no_other_host(tmp_path):
    rendering.write_slides(ROOT, tmp_path / "slides", rendering.chapters_with_slides(ROOT))
    for chapter in CHAPTERS:
        deck = tmp_path / "slides" / chapter / "slides.html"
        assert list(page_issues(deck, len(slides_of(source(chapter))))) == [], chapter
    for sheet in (tmp_path / "slides" / "_static").rglob("deck.css"):
        links = re.findall(r"url\(\"?([^\")]+)", sheet.read_text("utf-8"))
        assert links and all(link.startswith(("data:", "#")) or (sheet.parent / link).is_file() for link in links)
    names = rendering.write_texts(ROOT, tmp_path / "texts")
    assert {"project", "rubrics"} <= set(names)
    assert [found for name in names for found in page_issues(tmp_path / "texts" / f"{name}.html")] == []
    deck.write_text(deck.read_text("utf-8").replace('class="notes"', "", 1).replace("deck.css", "gone.css"), "utf-8")
    assert len(list(page_issues(deck, len(slides_of(source(chapter)))))) == 2


@OLD_NAMES
def test_slide_says_what_each_symbol_means_once(tmp_path):
    folder = tmp_path / "book" / "chapters" / "young-daly"
    folder.mkdir(parents=True)
    statements = "\n\n".join(f":::{{mc:statement}} young_daly.{name}\n:::" for name in ("waste", "interval"))
    (folder / "slides.md").write_text(f"# A\n\nB\n\n## C\n\n{statements}\n\n## D\n\n{statements}\n", "utf-8")
    rendering.write_slides(tmp_path, tmp_path / "out", ["young-daly"])
    soup = BeautifulSoup((tmp_path / "out" / "young-daly" / "slides.html").read_text("utf-8"), "html.parser")
    lines = [line.get_text() for line in soup.select(".mc-where")]
    assert len(lines) == 4 and lines[:2] == lines[2:]
    assert "time to write one checkpoint" in lines[0] and "time to write one checkpoint" not in lines[1]


@OLD_NAMES
def test_text_with_a_mistake_is_refused(tmp_path):
    folder = tmp_path / "book" / "chapters" / "roofline"
    folder.mkdir(parents=True)
    (folder / "slides.md").write_text("# A\n\n{mc:value}`roofline.nothing`\n", "utf-8")
    with pytest.raises(rendering.BrokenText, match=r"roofline\.nothing"):
        rendering.write_slides(tmp_path, tmp_path / "out", ["roofline"])


def test_rubrics_have_three_answers_for_each_written_part():
    text = (ROOT / "book" / "lecturers" / "rubrics.md").read_text("utf-8")
    levels = [re.findall(rf"^\*{level}[.,]", text, re.MULTILINE) for level in ("Good", "Middling", "Poor")]
    assert len({len(found) for found in levels}) == 1 and len(levels[0]) >= 12
    from mathcore.commands import grading

    assert set(re.findall(r"\[(\w+)\]", text)) <= set(grading.COLUMNS)


# ---------------------------------------------------------------- exams


def test_exams_are_mixed_and_add_up():
    assert sorted(EXAMS) == ["final-1", "final-2", "midterm-1", "midterm-2"]
    for name, exam in EXAMS.items():
        found = [find(address) for address, _ in exam["questions"]]
        assert sum(points for _, points in exam["questions"]) == 100, name
        assert {difficulty(each) for each in found} == {1, 2, 3}, name
        assert {DeriveExercise, EstimateExercise} <= {type(each) for each in found}, name
    listed = [address for exam in EXAMS.values() for address, _ in exam["questions"]]
    assert len(listed) == len(set(listed)) >= 36


def test_point_of_an_exam_is_what_the_sheet_prints():
    exercise = find("young_daly.open_exercises.derive_late")
    drawn = [exercise.point(seed) for seed in range(20)]
    assert len({tuple(str(q) for q in point.values()) for point in drawn}) == 20
    for point in drawn:
        at = {v.name: q for v, q in point.items()}
        assert all(float(f"{q.magnitude:.2g}") == q.magnitude for q in at.values())
        c, v, m, phi = at["C"].m_as("s"), at["V_s"].m_as("s"), at["M"].m_as("s"), at["phi_d"].m_as("")
        right = math.sqrt(2 * (c + v) * m / (1 + phi))
        assert exercise.formula.at(point).m_as("s") == pytest.approx(right)
        wrong = exercise.wrong_at(point)["the verification costs time at each write too"]
        assert wrong.m_as("s") == pytest.approx(math.sqrt(2 * c * m / (1 + phi)))


SMALL = {
    "name": "small", "title": "A small exam", "minutes": 10, "rules": "Be brief.",
    "questions": [["young_daly.ex_interval", 20], ["young_daly.task_model", 10],
                  ["young_daly.open_exercises.derive_late", 30], ["young_daly.open_exercises.estimate_gpu_years", 40]],
}  # fmt: skip
PROMPT = """<div class="mc-prompt"><p class="mc-task-kind">Kind</p><p>Asked about
<span class="mc-given" data-name="C">4 min</span>, <math data-tex="x_1 &lt; 2"><mi>x</mi></math>.</p></div>"""
SOLUTION = '<details class="mc-solution"><div><p class="mc-justification">Both.</p></div></details>'


@pytest.mark.node
def test_small_exam_has_a_sheet_a_key_and_numbers_of_its_seed():
    blocks = {address: f"<div>{PROMPT}{SOLUTION}</div>" for address, _ in SMALL["questions"]}
    one, other = (exams.exam_questions(SMALL, blocks, seed) for seed in (1, 2))
    sheet, key = exams._sheet(SMALL, "T", one), exams._key("T", one)
    assert "10 minutes, 100 points. Be brief." in sheet and "(a) Derive the expression, and" in sheet
    assert sheet.count("<h2>") == key.count("<h2>") == 4 and "\\(" not in sheet + key
    assert "Kind" not in "".join(sheet.split("<h2>")[3:])
    assert "Common mistakes" in key and "Common mistakes" not in sheet and "within a factor of 3" in key
    assert "Of the 20 points of (a): set-up 8, steps 8, sense 4." in key and "set-up" not in sheet
    assert "It depends most on: GPUs; duration of the run." in key and "in GPU-hours:" in sheet
    assert "$" not in key  # the reasons of the steps have mathematics between dollars
    assert [a.key != b.key for a, b in zip(one, other, strict=True)][2] and exams._key("T", other) != key
    interval, _, derived, estimate = (each.item for each in one)
    exercise = find(interval.address)
    assert judge_answer(exercise, f"{interval.right.value!r} {interval.unit}", interval.seed).verdict == "right"
    at = {v.name: q for v, q in find(derived.address).point(derived.seed).items()}
    right = math.sqrt(2 * (at["C"] + at["V_s"]).m_as("s") * at["M"].m_as("s") / (1 + at["phi_d"].m_as("")))
    assert units.quantity(f"{derived.right.value!r} {derived.unit}").m_as("s") == pytest.approx(right, rel=1e-5)
    factor = find(estimate.address).factor
    assert estimate.right.value - estimate.right.below == pytest.approx(estimate.right.value / factor, rel=1e-3)


@pytest.mark.node
def test_sheet_prints_the_lines_of_an_error_once():
    exam = {**SMALL, "questions": [["parallelism.task_line", 10]]}
    asked = exams.exam_questions(exam, {"parallelism.task_line": f"<div>{PROMPT}</div>"}, 1)
    assert exams._sheet(exam, "T", asked).count("Idle over the whole step") == 1
    assert read_moodle(moodle.moodle_xml("T", [ChapterItems("t", "T", tuple(each.item for each in asked))]))


@pytest.mark.parametrize(
    "address", ["training.open_exercises.derive_recomputed", "young_daly.open_exercises.derive_late"]
)
def test_exam_draws_no_point_whose_answer_is_out_of_range(address):
    exercise = find(address)
    for seed in range(60):
        at = exercise.point(seed)
        value = exercise.formula.at(at)
        assert exercise.formula.lhs.admits(value.m_as(exercise.formula.lhs.unit)), at
    assert find("training.open_exercises.derive_recomputed").formula.lhs.bounds[1] == 1  # a share of the layers


@pytest.mark.parametrize(
    ("tool", "instead"), [("course", "make course"), ("exports", "make exports"), ("formats", "make pdf")]
)
def test_tool_says_what_to_run_where_the_environment_is_missing(tool, instead):
    """An isolated Python has no package of the book's environment."""
    folder = str(ROOT / "book" / "_ext")
    code = f"import sys, runpy; sys.path.insert(0, {folder!r}); runpy.run_module({tool!r}, run_name='__main__')"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert run.returncode == 1 and instead in run.stderr and "Traceback" not in run.stderr


@pytest.mark.node
@pytest.mark.parametrize("name", EXAMS)
def test_every_question_of_an_exam_can_be_asked(name):
    blocks = {address: f"<div>{PROMPT}{SOLUTION}</div>" for address, _ in EXAMS[name]["questions"]}
    one, other, again = (exams.exam_questions(EXAMS[name], blocks, seed) for seed in (1, 2, 1))
    assert sum(a.key != b.key for a, b in zip(one, other, strict=True)) >= 0.5 * len(one)
    assert exams._sheet(EXAMS[name], "T", one) == exams._sheet(EXAMS[name], "T", again)
    bank = [ChapterItems(name, "An exam", tuple(each.item for each in one))]
    assert len(read_moodle(moodle.moodle_xml("A book", bank))) == len(one)
    with zipfile.ZipFile(io.BytesIO(qti.qti_package("A book", bank))) as package:
        assert issues_of_items(package) == [[]] * len(one)


@pytest.fixture(scope="module")
def exam_folder(tmp_path_factory):
    """Return the folder with the exams of a seed."""
    folder = tmp_path_factory.mktemp("exams")
    exams.write_exams(BOOK, folder, 1)
    return folder


def issues_of_items(package):
    """Return the faults of each item of a QTI package."""
    items = [ElementTree.fromstring(package.read(each)) for each in package.namelist() if "items/" in each]
    return [list(qti_model.item_issues(item)) for item in items]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMS)
class TestWritten:
    def test_sheet_key_and_banks(self, exam_folder, name):
        sheet, key = ((exam_folder / f"{name}{end}.html").read_text("utf-8") for end in ("", "-key"))
        asked = len(EXAMS[name]["questions"])
        assert sheet.count("<h2>") == key.count("<h2>") == asked and "<math" in sheet and "\\(" not in sheet + key
        assert "Common mistakes" in key and "Common mistakes" not in sheet and not re.search("(?:src|href)=", sheet)
        assert len(read_moodle((exam_folder / f"{name}-moodle.xml").read_bytes())) == asked
        with zipfile.ZipFile(exam_folder / f"{name}-qti.zip") as package:
            assert issues_of_items(package) == [[]] * asked


@pytest.mark.extended
@pytest.mark.slow
def test_right_answer_of_each_exam_is_the_books():
    blocks = exams._blocks(BOOK)
    for exam in EXAMS.values():
        for each in exams.exam_questions(exam, blocks, 3):
            statement = find(each.item.address)
            if isinstance(statement, Exercise):
                typed = f"{each.item.right.value!r} {each.item.unit}".strip()
                assert judge_answer(statement, typed, each.item.seed).verdict == "right", each.item.address
            elif isinstance(each.item, MultipleChoice):
                assert statement.choices(each.item.seed)[each.item.right].right
            else:
                assert each.item.right.below > 0 < each.item.right.above and each.by_hand


# ---------------------------------------------------------------- keys, numbers by name, the page of links


@pytest.mark.extended
@pytest.mark.slow
def test_keys_have_every_variant():
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in keys.key_files().items()}
    first = find("young_daly.ex_interval")
    mine = [row for row in rows["exercises.csv"] if row["exercise"] == "young_daly.ex_interval"]
    assert len(mine) == len(variant_seeds(first, SEEDS)) > 10
    assert all(first.format_answer(first.answer_of(int(row["seed"]))) == row["answer"] for row in mine)
    assert all(row["right"] and row["why"] for row in rows["tasks.csv"])
    assert all(row["answer"] and "…" not in row["answer"] for row in rows["exercises.csv"])


def test_student_gets_numbers_by_name():
    exercise = find("young_daly.ex_interval")
    drawn = [
        student_seeds.student_seed(name, "young_daly.ex_interval", exercise)
        for name in ("Ada", "Grace", "Ada ", "Alan", "Emmy")
    ]
    assert drawn[0] == drawn[2] and len(set(drawn)) > 2
    path = PATHS["young-daly"]
    places = dict.fromkeys(path, "book/chapters/young-daly/exercises")
    plan = syllabus.CoursePlan(STATED, {}, {"young-daly": path}, places, ROOT)
    rows = list(csv.DictReader(io.StringIO(student_seeds.variant_table(["Ada", "", "Grace"], plan))))
    named = [address for address in PATHS["young-daly"] if isinstance(find(address), Exercise)]
    assert len(rows) == 2 * len(named)
    row = rows[0]
    assert row["link"].endswith(f"?seed={named[0]}:{row['seed']}#{named[0].replace('.', '-').replace('_', '-')}")
    assert judge_answer(find(named[0]), row["answer"], int(row["seed"])).verdict == "right"


def test_tables_of_pages_are_plain_texts():
    found = pages.html_table(["a", "n"], [["<b>", "12"]])
    assert "&lt;b&gt;" in found and "<td class=n>12</td>" in found


@pytest.mark.extended
@pytest.mark.slow
def test_page_of_links_leads_somewhere_and_adds_up():
    plan = syllabus.read_plan(BOOK)
    text = syllabus.index_page(plan)
    found = set(re.findall(r'href="\.\./html/([^"#]+)', text))
    assert len(found) >= 20 and all((SITE / link).exists() for link in found)
    assert set(re.findall(r'href="slides/([^"/]+)/slides\.html"', text)) == set(CHAPTERS)
    assert all(html.escape(exam["title"]) in text and f"exams/{name}-key.html" in text for name, exam in EXAMS.items())
    weeks = BeautifulSoup(text, "html.parser").find_all("table")[0]
    hours = [float(row.find_all("td")[-1].get_text().split()[0]) for row in weeks.find_all("tr")[1:-1]]
    total = float(weeks.find_all("tr")[-1].find_all("td")[-1].get_text().split()[0])
    assert len(hours) == 10 and all(1 <= each <= 8 for each in hours) and total == pytest.approx(sum(hours), abs=1)


def test_headings_of_plans_count_their_weeks():
    week = {"title": "A", "aim": "B", "read": ["young-daly"], "lecture": 90}
    declared = {"title": "T", "week": [week] * 3, "exam": [], "track": [{"title": "Two weeks", "week": [week] * 2}]}
    places = {"young-daly": "book/chapters/young-daly/index"} | dict.fromkeys(PATHS["young-daly"], "x")
    paths = {"young-daly": PATHS["young-daly"]}
    plan = syllabus.CoursePlan(declared, {"young-daly": "C"}, paths, places, ROOT / "book" / "chapters")
    text = syllabus.index_page(plan)
    assert "<h2>Three weeks</h2>" in text and "Plans of two weeks, and the learning outcomes" in text


def clipped_rows(rows):
    """Yield the rows of a key in which a cell is empty or was cut."""
    for row in rows:
        if any(not str(cell).strip() or str(cell).rstrip().endswith(("…", "...")) for cell in row.values()):
            yield row


@pytest.mark.extended
@pytest.mark.slow
def test_key_of_every_lab_has_every_context_and_no_cut_cell():
    rows = list(csv.DictReader(io.StringIO(keys.key_files()["labs.csv"])))
    assert (
        list(clipped_rows(rows)) == []
        and list(clipped_rows([{"key": "2.61 ye…"}]))
        and list(clipped_rows([{"key": " "}]))
    )
    for _, lab in current_library.walk():
        if isinstance(lab, Lab):
            asked = {p.address for p in lab.parts if not isinstance(p, Calculator) or p.commit}
            for name in lab.contexts:
                keyed = {row["part"] for row in rows if row["lab"] == lab.title and row["context"] == name}
                assert keyed == asked, (lab.title, name)
    placed = [row["key"] for row in rows if row["part"] == "lab_checkpoint_reckoning.explorer"]
    assert placed[0] == "work between two checkpoints: 62.0\u202fmin" and len(set(placed)) > 1


def test_key_of_a_count_is_the_one_that_grading_takes():
    """5,163.01 devices keep the date, so 5,163 miss it."""
    lab, designer = find("lab_full_stack.lab"), find("lab_full_stack.designer")
    key, _ = keys.slider_value(designer, keys.context_settings(lab, "large", designer))
    assert key == "devices: 5,164\u202fGPUs"


@pytest.mark.slow
def test_answer_guide_has_every_option_of_every_context():
    text = html.unescape(guide.answer_guide())
    for lab in guide.all_labs():
        for context in lab.contexts.values():
            assert f"{lab.title}: {context.label}" in text
        for part in lab.parts:
            if isinstance(part, Question):
                assert text.count(f"<h3>{part.title} (") == len(lab.contexts)
            elif isinstance(part, Exercise):
                assert f"<b>{part.text()}</b>" in text and all(label in text for label in part.mistakes)


def test_teams_share_every_lab_among_its_contexts():
    rows = list(csv.DictReader(io.StringIO(guide.team_table(["red", " ", "green", "blue", "black"]))))
    assert len(rows) == 4 * len(guide.all_labs()) and {row["team"] for row in rows} == {"red", "green", "blue", "black"}
    for lab in guide.all_labs():
        dealt = [row["context"] for row in rows if row["lab"] == lab.title]
        assert set(dealt) == set(lab.contexts) and all(one != other for one, other in itertools.pairwise(dealt))
    assert all(row["link"].endswith(f".lab={row['context']}") for row in rows)
