"""Protects the lecturers' folder: minutes that add up, slides that need nothing else, keys that nothing clips."""

import csv
import html
import io
import itertools
import re

import pytest
from bs4 import BeautifulSoup
from built_site import SITE
from course import guide, keys, slides, student_seeds, syllabus
from mathbook.folders import Book
from mathbook.variants import seeds

from mathcore import find
from mathcore.library import book
from mathcore.teaching import Calculator, Exercise, Lab, Question
from mathcore.teaching.exercises import SEEDS

STATED = book.data("course.toml")
PATHS = book.data("recommended_exercises.toml")
PAGE = """<html><body><article class="a"><h1>7. Tiny: how much?<a class="headerlink">#</a></h1>
<p>A question opens it. A second sentence. A third.</p><section><h2>The rule</h2>
<p>One term falls with <span class="katex"><span class="katex-mathml"><math><mi>x</mi></math></span>
<span class="katex-html">no</span></span>. It rises. It falls.</p><p>More. Further down.</p>
<div class="mc-formula"><div class="mc-equation"><math display="block"><mi>y</mi></math></div></div>
<figure class="mc-figure"><div class="mc-layout-wide"><svg viewBox="0 0 1 1"><rect/></svg></div>
<figcaption>Which one?</figcaption></figure></section>
<section><h2>Exercises</h2><p>Not shown.</p>
<mc-exercise data-address="roofline.ex_ridge"><div class="mc-prompt"><p>Where is it?</p></div><details
class="mc-solution"><div><div><math display="block"><mi>153</mi></math></div><p>In one line: <span
class="mc-line">153</span></p><div><p>What goes wrong:</p><ul><li>306: no</li></ul></div></div></details></mc-exercise>
<mc-task data-address="roofline.task_model"><p class="mc-task-prompt">Which?</p><form><label><span
class="mc-option-text">A.
</span></label><label><span class="mc-option-text">B.</span></label></form><ol class="mc-option-reasons"><li
data-verdict="right">A. Right.</li></ol></mc-task></section><section><h2>What to remember</h2>
<aside class="mc-box" data-box="key"><p class="mc-head">Two</p><p>First thing. Second thing.</p></aside></section>
</article></body></html>"""


@pytest.fixture
def built(tmp_path):
    folder = tmp_path / "html" / "book" / "chapters"
    folder.mkdir(parents=True)
    labs = [week["lab"] for week in STATED["week"] if "lab" in week]
    pages = [page for week in STATED["week"] for page in week["read"]] + labs
    for page in pages:
        (folder / f"{page}.html").write_text(PAGE, "utf-8")
    listed = "".join(f"  - file: book/chapters/{page}\n" for page in pages)
    (tmp_path / "_toc.yml").write_text(f"root: book/chapters/{pages[0]}\nchapters:\n{listed}", "utf-8")
    return Book(tmp_path, tmp_path)


def test_syllabus_covers_every_chapter_and_every_lab_once():
    read = [page for week in STATED["week"] for page in week["read"]]
    assert len(STATED["week"]) == 10 and len(read) == len(set(read)) and set(PATHS) <= set(read)
    labs = [week["lab"] for week in STATED["week"] if "lab" in week]
    assert len(labs) == len(set(labs)) == 4
    days = [sum(s["minutes"] for s in STATED["session"] if s["day"] == day) for day in (1, 2)]
    assert all(300 <= minutes <= 420 for minutes in days)


def test_minutes_are_counted(built):
    plan = syllabus.plan(built)
    assert plan.titles["roofline"] == "7. Tiny: how much?"
    page = built.site / "book" / "chapters" / "roofline.html"
    page.write_text(
        PAGE.replace(
            "A third.", "word " * (10 * STATED["words_a_minute"]) + "<details>" + "fold " * 900 + "</details>"
        ),
        "utf-8",
    )
    assert syllabus.plan(built).reading["roofline"] == plan.reading["roofline"] + 10
    shown = syllabus.page(plan)
    assert shown.count("<tr>") >= 40 and 'href="slides/audit.html"' in shown
    week = STATED["week"][5]
    alone = sum(plan.reading[p] + plan.exercise_minutes(p) for p in week["read"]) + week["lab_minutes"]
    assert f">{alone} min</td>" in shown


def test_slides_need_nothing_else(built):
    found = slides.slide_deck(built, "roofline", ["roofline.task_model", "roofline.ex_ridge"])
    assert found.count("<section>") == 9 and "Not shown" not in found
    assert not re.findall(r"""(?:src|href)=["']|@import|url\((?!#|data:)""", found)
    assert "<math" in found and "katex" not in found and "<svg" in found and "Which one?" in found
    assert "It rises." in found and "Further down." not in found
    assert "<h1><small>7. Tiny</small>how much?</h1>" in found and "<h2>What has to be decided</h2>" in found
    assert "<li>First thing.</li><li>Second thing.</li>" in found and "@page" in found


def test_answer_stands_on_the_slide_after_its_question(built):
    found = slides.slide_deck(built, "roofline", ["roofline.task_model", "roofline.ex_ridge"])
    asked, answered = [part for part in found.split("<section>") if "The ridge" in part]
    assert "Where is it?" in asked and "153" not in asked and "306: no" not in asked
    assert "153" in answered and "306: no" in answered and "In one line" not in answered
    choice, why = [part for part in found.split("<section>") if find("roofline.task_model").title in part]
    assert "<li>A.</li><li>B.</li>" in choice and "Right." not in choice and "class=right" in why


@pytest.mark.extended
@pytest.mark.slow
def test_keys_hold_every_variant_and_context():
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in keys.files().items()}
    first = find("young_daly.ex_interval")
    mine = [row for row in rows["exercises.csv"] if row["exercise"] == "young_daly.ex_interval"]
    assert len(mine) == len(seeds(first, SEEDS)) > 10
    assert all(first.format_answer(first.answer_of(int(row["seed"]))) == row["answer"] for row in mine)
    lab = find("lab_serving.lab")
    assert isinstance(lab, Lab)
    of_lab = [row for row in rows["labs.csv"] if row["lab"] == lab.title]
    assert {row["context"] for row in of_lab} == set(lab.contexts)
    told = {(row["context"], row["part"]): row["key"] for row in of_lab}
    different = [part for (context, part), key in told.items() if key != told[next(iter(lab.contexts)), part]]
    assert different, "no key depends on its context"
    assert all(row["right"] and row["why"] for row in rows["tasks.csv"])
    assert all(row["answer"] and "…" not in row["answer"] for row in rows["exercises.csv"])


def test_student_gets_numbers_by_name():
    exercise = find("young_daly.ex_interval")
    drawn = [
        student_seeds.seed_of(name, "young_daly.ex_interval", exercise)
        for name in ("Ada", "Grace", "Ada ", "Alan", "Emmy")
    ]
    assert drawn[0] == drawn[2] and len(set(drawn)) > 2
    path = PATHS["young-daly"]
    places = dict.fromkeys(path, "book/chapters/young-daly/exercises")
    plan = syllabus.Plan(STATED, [], {}, {}, {"young-daly": path}, {}, places)
    rows = list(csv.DictReader(io.StringIO(student_seeds.variant_table(["Ada", "", "Grace"], plan))))
    named = [address for address in PATHS["young-daly"] if isinstance(find(address), Exercise)]
    assert len(rows) == 2 * len(named)
    row = rows[0]
    assert row["link"].endswith(f"?seed={named[0]}:{row['seed']}#{named[0].replace('.', '-').replace('_', '-')}")
    assert find(named[0]).diagnose(row["answer"], int(row["seed"])).verdict == "right"


# ---------------------------------------------------------------- the folder of the built book


BOOK = Book(SITE.parents[1], SITE.parent)
PLAN = {}


def plan_of_the_book():
    """Return the plan of the built book, read once."""
    PLAN.setdefault("book", syllabus.plan(BOOK))
    return PLAN["book"]


def faults(deck, article, path):
    """Yield what a deck lacks of its page, or shows that a sheet cannot."""
    slides = deck.partition("</style>")[2].split("<section>")[1:]
    if re.search(r"""(?:src|href)=["']|@import|url\((?!#|data:)|<(button|input|details)\b""", deck):
        yield "something that a sheet cannot show, or another file"
    if ".mc-chart path { fill: none" not in deck or "@font-face" not in deck:
        yield "charts without their style, or no font"
    drawn = [f for f in article.select("section figure.mc-figure, section mc-explorer") if f.select_one("svg")]
    kept = [f for f in drawn if not f.find_parent(["mc-exercise", "mc-task"])]
    if sum('class="picture' in slide for slide in slides) < 0.8 * len(kept) or len(slides) < 12:
        yield f"pictures of {len(kept)}, or slides, are missing"
    for number, slide in enumerate(slides, 1):
        words = BeautifulSoup(slide, "html.parser").select_one(".slide").get_text(" ", strip=True)
        if len(words) < 25 or ("<h1" not in slide and "<h2" not in slide):
            yield f"slide {number} is empty: {words}"
    titles = [find(address).title for address in path]
    for title in titles:
        of_it = [slide for slide in slides if f"<h2>{html.escape(title)}</h2>" in slide and 'class="kind"' in slide]
        if [re.search('class="kind">([^<]*)', slide)[1] for slide in of_it] != ["Question", "Answer"]:
            yield f"`{title}` is not asked and answered"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page == "young-daly" else pytest.mark.extended) for page in PATHS]
)
def test_deck_of_a_chapter_is_whole(page):
    article, path = syllabus.chapter_article(BOOK, page), PATHS[page]
    deck = slides.slide_deck(BOOK, page, path)
    assert list(faults(deck, article, path)) == []
    if page == "young-daly":
        planted = [
            deck.replace(".mc-chart path { fill: none", ".x {"),
            deck.replace("<svg", '<img src="a.png"><svg', 1),
            deck.replace('class="kind">Answer', 'class="kind">Reply', 1),
            re.sub(r'<div class="picture mc-diagram">.*?</div>', "", deck, count=3, flags=re.DOTALL),
            deck.replace('<section><div class="slide">', '<section><div class="slide"></div></section>' * 2, 1),
        ]
        assert all(list(faults(each, article, path)) for each in planted)


@pytest.mark.extended
@pytest.mark.slow
def test_syllabus_of_the_book_adds_up():
    plan = plan_of_the_book()
    page = BeautifulSoup(syllabus.page(plan), "html.parser")
    weeks, workshop, _, counts = page.find_all("table")
    alone = [int(row.find_all("td")[-1].get_text().split()[0]) for row in weeks.find_all("tr")[1:-1]]
    assert len(alone) == 10 and all(60 <= minutes <= 300 for minutes in alone)
    assert weeks.find_all("tr")[-1].find_all("td")[-1].get_text() == f"{sum(alone) / 60:.0f} h"
    stated = [int(row.find_all("td")[-1].get_text()) for row in workshop.find_all("tr")[1:-3]]
    assert sum(stated) == sum(s["minutes"] for s in STATED["session"])
    rows = [[int(cell.get_text()) for cell in row.find_all("td")[1:]] for row in counts.find_all("tr")[1:]]
    assert [sum(column) for column in zip(*rows[:-1], strict=True)] == rows[-1]
    assert rows[-1][0] > 200 and sum(rows[-1][1:]) >= 60 and all(sum(row[1:]) >= 3 for row in rows[:-1])


@pytest.mark.extended
@pytest.mark.slow
def test_every_link_of_the_syllabus_leads_somewhere():
    text = syllabus.page(plan_of_the_book())
    found = set(re.findall(r'href="\.\./html/([^"#]+)', text))
    assert len(found) >= 20 and all((SITE / link).exists() for link in found)
    assert set(re.findall(r'href="slides/([^"]+)\.html"', text)) == set(plan_of_the_book().pages)


def clipped(rows):
    """Yield the rows of a key in which a cell is empty or was cut."""
    for row in rows:
        if any(not str(cell).strip() or str(cell).rstrip().endswith(("…", "...")) for cell in row.values()):
            yield row


@pytest.mark.extended
@pytest.mark.slow
def test_key_of_every_lab_has_every_context_and_no_cut_cell():
    rows = list(csv.DictReader(io.StringIO(keys.files()["labs.csv"])))
    assert list(clipped(rows)) == [] and list(clipped([{"key": "2.61 ye…"}])) and list(clipped([{"key": " "}]))
    for _, lab in book.walk():
        if isinstance(lab, Lab):
            asked = {p.address for p in lab.parts if not isinstance(p, Calculator) or p.commit}
            for name in lab.contexts:
                told = {row["part"] for row in rows if row["lab"] == lab.title and row["context"] == name}
                assert told == asked, (lab.title, name)
    placed = [row["key"] for row in rows if row["part"] == "lab_checkpoint_reckoning.explorer"]
    assert placed[0] == "work between two checkpoints: 62.0\u202fmin" and len(set(placed)) > 1


def test_answer_guide_has_every_option_of_every_context():
    text = html.unescape(guide.answer_guide())
    for lab in guide.labs():
        for context in lab.contexts.values():
            assert f"{lab.title}: {context.label}" in text
        for part in lab.parts:
            if isinstance(part, Question):
                assert text.count(f"<h3>{part.title} (") == len(lab.contexts)
            elif isinstance(part, Exercise):
                assert f"<b>{part.text()}</b>" in text and all(label in text for label in part.mistakes)


def test_teams_share_every_lab_among_its_contexts():
    rows = list(csv.DictReader(io.StringIO(guide.team_table(["red", " ", "green", "blue", "black"]))))
    assert len(rows) == 4 * len(guide.labs()) and {row["team"] for row in rows} == {"red", "green", "blue", "black"}
    for lab in guide.labs():
        dealt = [row["context"] for row in rows if row["lab"] == lab.title]
        assert set(dealt) == set(lab.contexts) and all(one != other for one, other in itertools.pairwise(dealt))
    assert all(row["link"].endswith(f".lab={row['context']}") for row in rows)


def test_rubric_names_the_columns_that_the_program_writes():
    text = syllabus.rubric()
    from mathcore.commands import grading

    for column in re.findall(r"(?:program: |counts: )(\w+)", text):
        assert column in grading.COLUMNS
    assert f">{sum(row[2] for row in syllabus.RUBRIC)}</td>" in text
