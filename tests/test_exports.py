"""Exports: read back by other means, each format by its own rule, every key is the book's."""

import io
import re
import sys
import zipfile
from dataclasses import replace
from html import unescape
from types import ModuleType
from xml.etree import ElementTree

import pytest
from built_site import ROOT, SITE
from exports import moodle, qti, question_bank
from exports.answer_units import accepted_units
from exports.items import ChapterItems
from exports.prompts import UnsupportedContent, inner_html, parse_html, plain_div
from learning_platforms import QTI, moodle_grade, qti_grade, read_moodle, read_qti
from mathbook.built_pages import PageNotBuilt
from mathbook.folders import BookFolders
from mathbook.variants import mistake_results, variant_seeds
from sample_formulas import C, M, tau
from sympy import sqrt
from typed_answers import judge_answer

from mathcore import Formula, Variable, find, units
from mathcore.examples import given_text
from mathcore.library import current_library as stated
from mathcore.redirects import predecessor
from mathcore.teaching import Exercise, Question
from mathcore.teaching.answer_parser import parse_answer
from mathcore.teaching.questions import Option

pytestmark = pytest.mark.xdist_group("exports")  # the exercises of the book are read once, in one process
TITLE = "A book: with {signs} = # ~ / & <all>"
PROMPT = r"""<mc-exercise data-address="x"><div class="mc-prompt"><p>Write for <span class="mc-given"
data-name="C">4 min</span>: {a} = #b ~ 1 &lt; 2 &amp; <span class="katex"><math data-tex="\nu_{1}
\neq x"><mi>νx</mi></math></span></p></div><details class="mc-hint"><summary>Hint</summary><div><p>A root:
think.</p></div></details><details class="mc-solution"><div><p class="mc-problem">Given</p><p
class="mc-justification">Two
bills.<span class="mc-stated"> at 35 % of the limit</span></p><div class="mc-stated">a</div><p>In one line</p>
<div class="mc-meaning"><p>It says.</p><p>A remark.</p></div><div>Mistakes</div></div></details></mc-exercise>"""


# ---------------------------------------------------------------- is the key the book's?


def typed_moodle(item, value):
    return moodle_grade(item, f"{value!r} {next(iter(item.units), '')}")


GRADE = {"moodle": typed_moodle, "qti": lambda item, value: qti_grade(item, repr(value))}
READ = {"moodle": read_moodle, "qti": read_qti}
WRITE = {"moodle": moodle.moodle_xml, "qti": qti.qti_package}
KINDS = sorted(WRITE)


def trials(exercise):
    """Yield what to answer in each variant: (item, number, whether it is right, the feedback)."""
    for seed in variant_seeds(exercise):
        name, right = f"{predecessor(exercise.address, stated.redirects)}-{seed}", exercise.answer_of(seed)
        rtol = exercise.rtol
        near = [right * (1 + share * rtol) for share in (0, 0.99, -0.99, -1.01, -3)]
        near += [right / (1 - share * rtol) for share in (0.98, 1.02)]
        if exercise.rounding:  # no platform asks for a whole number, so what it is given there is one
            near = [units.Quantity(float(round(given.magnitude)), given.units) for given in near]
        for given in [*near, *(wrong for _, wrong in mistake_results(exercise, seed))]:
            found = judge_answer(exercise, given, seed)
            is_right = found.verdict == "right"
            yield name, given.magnitude, is_right, found.text if found.verdict == "mistake" else ""


def scoring_issues(kind, found, tried):
    """Yield what a format scores otherwise than the book, or answers otherwise."""
    for name, given, is_right, text in tried:
        mark, feedback = GRADE[kind](found[name], given)
        if mark != is_right or text not in unescape(feedback):
            yield f"{name}: {given} scores {mark} with the feedback: {feedback}"


@pytest.fixture(scope="module")
def statements():
    """Return a chapter that is in no file: two exercises and a question, with addresses of their own."""
    module = ModuleType("mathcore.chapters.lectured")
    module.__file__ = "mathcore/chapters/lectured.py"
    here = {"where": f"{module.__file__}:1"}
    w = Variable("w", "", "waste", display_unit="%")
    wrong = {"a 2 < 3 & {so} was dropped: = ~ #": sqrt(C * M), "the product was taken": 3 * sqrt(C * M)}
    given, others = {C: "4 min", M: "8 h"}, {C: ("2 min", "9 min", "12 min"), M: ("5 h", "24 h")}
    module.ex_root = Exercise(Formula(tau, sqrt(2 * C * M)), given, wrong, others, title=TITLE, unit="min", **here)
    shares = {"halved": C / M / 2, "upside down": M / C}
    module.ex_share = Exercise(Formula(w, C / M), given, shares, others, 0.005, "%", "A share", **here)
    options = (
        Option("{C} = ~{M} #1", C > M, "No {x}: C is shorter.".replace("{x}", "{{x}}"), "longer"),
        Option("less < {M} & so", C <= M, "Yes: {M}.", "shorter"),
    )
    module.q_longer = Question("Which is longer?", options, given, **here)
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


@pytest.fixture(scope="module")
def chapters(statements):
    exercises = [statements.ex_root, statements.ex_share]
    items = [item for exercise in exercises for item in question_bank.exercise_items(exercise, PROMPT)]
    question = question_bank.question_item(statements.q_longer, plain_div([parse_html("<p>C or M?</p>")]))
    return [ChapterItems("lectured", "One/two", (*items, question))]


@pytest.mark.parametrize("kind", KINDS)
class TestFormat:
    def test_scores_and_answers_as_the_book_does(self, kind, statements, chapters):
        found = READ[kind](WRITE[kind](TITLE, chapters))
        tried = [t for ex in (statements.ex_root, statements.ex_share) for t in trials(ex)]
        assert len({name for name, *_ in tried}) == 12 and any(text for *_, text in tried)
        assert list(scoring_issues(kind, found, tried)) == []

    @pytest.mark.parametrize("change", [{"value": 1.05}, {"below": 1.3, "above": 1.3}, {"below": 0.8, "above": 0.8}])
    def test_wrong_key_or_tolerance_is_found(self, kind, change, statements, chapters):
        def spoiled(item):
            if item.address != statements.ex_root.address or item.seed != 0:
                return item
            changed = {part: getattr(item.right, part) * factor for part, factor in change.items()}
            return replace(item, right=replace(item.right, **changed))

        whole = [replace(c, items=tuple(spoiled(item) for item in c.items)) for c in chapters]
        found = list(scoring_issues(kind, READ[kind](WRITE[kind](TITLE, whole)), trials(statements.ex_root)))
        assert found and all(fault.startswith("lectured.ex_root-0:") for fault in found)

    def test_mistake_that_scores_is_found(self, kind, statements, chapters):
        def spoiled(item):
            return replace(item, right=item.mistakes[0]) if item.seed == 0 and item in first else item

        first = [item for item in chapters[0].items if item.address == statements.ex_root.address]
        whole = [replace(chapters[0], items=tuple(spoiled(item) for item in chapters[0].items))]
        assert list(scoring_issues(kind, READ[kind](WRITE[kind](TITLE, whole)), trials(statements.ex_root)))

    def test_prompt_arrives_with_every_sign(self, kind, chapters):
        item = READ[kind](WRITE[kind](TITLE, chapters))["lectured.ex_root-0"]
        text = unescape(item.text) if kind != "qti" else "".join(item.find(f"{QTI}itemBody").itertext())
        assert "Write for 4\u202fmin: {a} = #b ~ 1 < 2 & \\(\\nu_{1} \\neq x\\)" in text.replace("\n", " ")
        assert "νx" not in text and "katex" not in text
        name = item.name if kind != "qti" else item.get("title")
        assert name == f"{TITLE} (variant 1)"

    def test_question_says_the_numbers_on_which_it_rests(self, kind, statements, chapters):
        item = READ[kind](WRITE[kind](TITLE, chapters))["lectured.q_longer"]
        text = unescape(item.text) if kind != "qti" else "".join(item.find(f"{QTI}itemBody").itertext())
        assert "The situation: " in text and "4\u202fmin" in text and "8\u202fh" in text

    def test_task_is_one_item_for_each_variant(self, kind):
        lines, model = find("young_daly.task_line"), find("young_daly.task_model")
        items = [
            question_bank.task_item(lines, 0, []),
            *(question_bank.task_item(model, n, []) for n in range(model.variants)),
        ]
        found = READ[kind](WRITE[kind](TITLE, [ChapterItems("young-daly", "A", tuple(items))]))
        assert set(found) == {
            "tasks.young_daly_line",
            "tasks.young_daly_model",
            *(f"tasks.young_daly_model-{n}" for n in (1, 2)),
        }
        text = (
            found["tasks.young_daly_line"].text if kind != "qti" else "".join(found["tasks.young_daly_line"].itertext())
        )
        assert "Which line does not follow" in unescape(text) and "Line 4: Two equal terms:" in unescape(text)
        right = [item.options[item.right][0] for item in items]
        assert right[0].startswith("Line 4") and all(says.startswith("the exact optimum") for says in right[1:])

    def test_variant_has_its_own_numbers(self, kind, statements, chapters):
        found = READ[kind](WRITE[kind](TITLE, chapters))
        for seed in variant_seeds(statements.ex_root):
            item = found[f"lectured.ex_root-{seed}"]
            text = item.text if kind != "qti" else "".join(item.itertext())
            assert given_text(statements.ex_root.givens_of(seed)[C]) in text

    def test_solution_and_hints_are_there(self, kind, chapters):
        data = WRITE[kind](TITLE, chapters)
        item = READ[kind](data)["lectured.ex_root-0"]
        whole = "".join(item.itertext()) if kind == "qti" else f"{vars(item)}"
        assert all(part in whole for part in ("A root:", "bills.", "It says.", "A remark.", "begin{aligned}"))
        assert "In one line" not in whole and "of the limit" not in whole

    def test_question_has_the_right_option_and_its_feedback(self, kind, statements, chapters):
        item = READ[kind](WRITE[kind](TITLE, chapters))["lectured.q_longer"]
        if kind == "qti":
            graded = [qti_grade(item, option) for option in "AB"]
            says = ["".join(c.itertext()) for c in item.iter(f"{QTI}simpleChoice")]
        else:
            graded = [(answer[2], _words(feedback)) for answer, feedback in item.answers]
            says = [_words(answer[0]) for answer, _ in item.answers]
        texts = [statements.q_longer.text(index) for index in range(2)]
        assert says == [text for text, _ in texts]
        assert graded == [(float(i == statements.q_longer.right), feedback) for i, (_, feedback) in enumerate(texts)]


def _words(html):
    return unescape(re.sub(r"</?p>", "", html))


def test_markup_that_is_not_escaped_is_found(chapters):
    with pytest.raises(ElementTree.ParseError):
        read_moodle(moodle.moodle_xml(TITLE, chapters).replace(b"&lt;br", b"<br").replace(b"&amp;", b"&"))


ITEM = "items/lectured/lectured.ex_root-0.xml"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (ITEM, b'timeDependent="false"', b""),
        (ITEM, b'toleranceMode="absolute"', b'toleranceMode="near"'),
        (ITEM, b"<itemBody>", b"<itemBody>Write"),
        (ITEM, b'view="scorer tutor"', b'view="nobody"'),
        (ITEM, b'identifier="mistake-1"', b'identifier="right"'),
        (ITEM, b'responseIdentifier="RESPONSE"', b'responseIdentifier="X"'),
        ("test.xml", b'identifier="lectured.ex_root-0"', b'identifier="lectured.ex_root-1"'),
        ("imsmanifest.xml", b'identifier="lectured.ex_root-0"', b'identifier="0 root"'),
    ],
)  # fmt: skip
def test_broken_structure_of_a_package_is_found(chapters, name, old, new):
    before, buffer = zipfile.ZipFile(io.BytesIO(qti.qti_package(TITLE, chapters))), io.BytesIO()
    assert old in before.read(name)
    with zipfile.ZipFile(buffer, "w") as after:
        for each in before.namelist():
            after.writestr(each, before.read(each).replace(old, new) if each == name else before.read(each))
    with pytest.raises(AssertionError):
        read_qti(buffer.getvalue())


def test_categories_are_named_by_book_and_chapter(chapters):
    path = "$course$/top/" + TITLE.replace("/", "//") + "/01 One//two"
    assert {item.category for item in read_moodle(moodle.moodle_xml(TITLE, chapters)).values()} == {path}


def test_same_items_give_the_same_bytes(chapters):
    assert qti.qti_package(TITLE, chapters) == qti.qti_package(TITLE, chapters)


class TestUnits:
    @pytest.mark.parametrize(
        "unit",
        ["min", "GB / s", "gpu * h", "USD / gpu / h", "percent", "1 / h", "g / kWh", "kB / token", "YFLOP"],
    )  # fmt: skip
    def test_every_spelling_counts_as_in_the_book(self, unit):
        found = accepted_units(unit)
        assert next(iter(found.values())) == 1 and not any(" " in name for name in found)
        for name, count in found.items():
            if name == "gpuh" or re.match(r"gpu[a-zµ]|[a-zA-Z]*h\b.*gpus?$", name):
                continue  # what a platform leaves of "gpu h"
            assert parse_answer(f"{count!r} {name}").m_as(units.unit(unit)) == pytest.approx(1, rel=1e-12)

    def test_moodle_converts_and_wants_the_unit(self, statements, chapters):
        item = read_moodle(moodle.moodle_xml(TITLE, chapters))["lectured.ex_root-0"]
        right = statements.ex_root.answer.m_as("min")
        marks = {"min": 1, "": 0, "s": 0, "parsec": 0}
        assert {unit: moodle_grade(item, f"{right}{unit}")[0] for unit in marks} == marks
        assert moodle_grade(item, f"{right * 60} s")[0] == moodle_grade(item, f"{right / 60} hours")[0] == 1


class TestPrompt:
    @pytest.mark.parametrize("strange", ["<img src='a.png'>", "<svg></svg>", "<mc-explorer></mc-explorer>"])
    def test_what_no_platform_shows_is_refused(self, strange):
        with pytest.raises(UnsupportedContent):
            plain_div([parse_html(f"<p>Look: {strange}</p>")])

    def test_links_marks_and_comments_leave_their_words(self):
        text = '<p><!-- x -->See <a href="b.html">(9.1)</a><a class="headerlink">¶</a>, <b>now</b></p>'
        assert inner_html(plain_div([parse_html(text)])) == "<p>See (9.1), <strong>now</strong></p>"

    def test_displayed_mathematics_becomes_a_paragraph(self):
        text = '<div class="math"><span class="katex"><math display="block" data-tex="a\n&lt; b"></math></span></div>'
        assert inner_html(plain_div([parse_html(text)])) == r"<p>\[a &lt; b\]</p>"


# ---------------------------------------------------------------- the whole book


@pytest.fixture(scope="module")
def item_bank():
    return question_bank.bank_chapters(BookFolders(ROOT, ROOT / "_build"))


@pytest.fixture(scope="module")
def tried(item_bank):
    addresses = {item.address for chapter in item_bank for item in chapter.items}
    exercises = [e for e in map(find, sorted(addresses)) if isinstance(e, Exercise)]
    return [trial for exercise in exercises for trial in trials(exercise)]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_item_of_the_book_scores_as_the_book_does(kind, item_bank, tried):
    found = READ[kind](WRITE[kind]("The book", item_bank))
    assert set(found) == {item.name for chapter in item_bank for item in chapter.items}
    assert list(scoring_issues(kind, found, tried)) == []


@pytest.mark.extended
@pytest.mark.slow
def test_every_block_of_the_site_is_exported(item_bank):
    pages = [path.read_text("utf-8") for path in (SITE / "book" / "chapters").rglob("*.html")]
    blocks = re.compile(r'<mc-(?:exercise|question|task) [^>]*data-address="([^"]+)"')
    on_pages = {address for page in pages for address in blocks.findall(page)}
    guesses = {address for address in on_pages if re.search(r"\.guess|_guess$", address)}
    several = {address for address in on_pages if getattr(find(address), "multiple", False)}
    on_it = ("second_wall", "best_lever", "decision", "data_wall", "water_where", "synthesis")
    played = {f"lab_full_stack.{name}" for name in on_it}  # what the reader has set a calculator to
    assert len(guesses) > 20 and several and played < on_pages
    assert {item.address for chapter in item_bank for item in chapter.items} == on_pages - guesses - several - played


OF_A_PAGE = re.compile(
    r"(numbers|sliders|page|chapter|figure) above|sliders|instrument|designer|your context|of the context|"
    r"this (chapter|page|section|lab)\b|(of|in|by) the (chapter|lab)\b|\{\w+\}",
    re.IGNORECASE,
)


def leaning(item_bank):
    """Yield each item whose words lean on what a platform does not show: a calculator, a context, a page."""
    for chapter in item_bank:
        for item in chapter.items:
            words = " ".join("".join(item.prompt.itertext()).split())
            words = re.sub(r"\\[(\[].*?\\[)\]]", "", words)
            if (found := OF_A_PAGE.search(words)) or len(words) < 30:
                yield f"{item.name}: {found[0] if found else words}"


@pytest.mark.extended
@pytest.mark.slow
def test_every_item_can_be_answered_by_itself(item_bank):
    assert list(leaning(item_bank)) == []
    first = item_bank[0].items[0]
    seeded = replace(
        first, prompt=plain_div([parse_html("<p>Set the sliders above as you would run this machine.</p>")])
    )
    assert list(leaning([replace(item_bank[0], items=(seeded,))])) == [f"{first.name}: sliders above"]


def test_slot_that_nothing_fills_is_refused(monkeypatch):
    question = find("lab_checkpoint_reckoning.often")
    assert "8\u202fh" in question_bank.standalone_prompt(question) and "{" not in question_bank.standalone_prompt(
        question
    )
    monkeypatch.setitem(
        question_bank.STANDALONE_PROMPTS, "lab_checkpoint_reckoning", {"often": "A job fails every {Q}."}
    )
    with pytest.raises(UnsupportedContent, match=r"nothing fills \{Q\}"):
        question_bank.standalone_prompt(question)


def test_missing_site_is_reported(tmp_path):
    with pytest.raises(PageNotBuilt, match="make book"):
        question_bank.bank_chapters(BookFolders(ROOT, tmp_path))
