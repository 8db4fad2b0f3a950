"""Protects the book from statements that nothing reaches, and that this is seen."""

import pytest
from mathbook.unused import (
    Declaration,
    addresses_in_program,
    declared_in_python,
    declared_in_toml,
    find_declarations,
    root_addresses,
    unused_statements,
)

from mathcore.errors import ROOT

CHAPTER = '''
"""Sample: what does it cost?"""
from mathcore import Claim, Example, Calculator, Fact, Formula, Simulation, Variable
from mathcore.chapters.sample.simulation import twin

x = Variable("x", "s", "a variable")
price = Fact("2 USD", "price")
cost = Formula(x, 2 * x)
given = {x: price}
simulated = Simulation(cost, {x: "1 s"}, twin)
case = Example(cost, given)
quoted = Fact("3 USD", "price in a text")
published = Claim("dear", "sample.quoted / 2", at="{mc:value}`sample.case`")
'''
SPARE = {
    "formula": "spare = Formula(x, 3 * x)", "fact": 'spare = Fact("1 s", "time")',
    "variable": 'spare = Variable("s", "s", "time")', "example": "spare = Example(cost, {x: price})",
    "exercise": 'spare = Exercise("How much?", cost, {x: price})',
    "derivation": 'spare = Derivation.start(x, 2 * x, "why").formula()', "table": "spare = {x: price}",
    "function": "def spare(y):\n    return cost.at(y)",
    "hidden": "spare = 1\nother = [spare for spare in given]\ncost = Formula(x, other)"
}  # fmt: skip


@pytest.fixture(scope="module")
def stated():
    """Return the declarations of the book; reading them takes seconds, so one process does, and only when needed."""
    return find_declarations(ROOT)


@pytest.fixture(scope="module")
def start(stated):
    """Return the addresses that pages and published checks name."""
    return root_addresses(ROOT, stated)


def unused_names(source, start=(), module="sample"):
    """Return the names of the unused statements of a chapter."""
    return [
        message.split("`")[1]
        for message in unused_statements(declared_in_python(source, module, f"{module}.py"), start)
    ]


@pytest.mark.xdist_group("unused")
@pytest.mark.slow
def test_everything_in_the_book_is_reached(stated, start):
    found = unused_statements(stated, start)
    assert not found, "\n" + "\n".join(found)


def test_the_message_names_place_and_remedy():
    stated = declared_in_python(CHAPTER + SPARE["fact"], "sample", "sample.py")
    assert unused_statements(stated, ()) == [
        "sample.py:14: unused statement `sample.spare`: show or use it on a page, or delete it"
    ]


def test_what_only_another_statement_or_a_text_leads_to_is_reached():
    assert unused_names(CHAPTER) == []


@pytest.mark.parametrize("name", SPARE)
def test_spare_statement_is_found(name):
    assert unused_names(CHAPTER + SPARE[name]) == ["sample.spare"]
    assert unused_names(CHAPTER + SPARE[name], {"sample.spare"}) == []


def test_what_only_a_spare_statement_uses_is_spare_too():
    assert unused_names(CHAPTER + "a = Fact('1 s', 'time')\nb = {x: a}\nc = Example(cost, b)") == [
        "sample.a",
        "sample.b",
        "sample.c",
    ]


def test_simulation_of_a_spare_formula_is_spare():
    rest = CHAPTER.replace("Example(cost, given)", "Example(other, given)") + "other = Formula(x, x)\n"
    assert unused_names(rest) == ["sample.cost", "sample.simulated"]


def test_statement_is_reached_from_another_chapter_under_another_name():
    guest = "from mathcore.chapters import sample as p\nfrom mathcore.chapters.sample import b as c\n"
    home = declared_in_python("a = Fact('1', 'a')\nb = Fact('1', 'b')\nd = Fact('1', 'd')", "sample", "sample.py")
    stated = home | declared_in_python(f"{guest}e = Example(p.a, c)", "guest", "guest.py")
    assert [message.split("`")[1] for message in unused_statements(stated, {"guest.e"})] == ["sample.d"]


def test_program_reaches_what_it_composes_of_names_that_it_spells_out():
    stated = declared_in_python("a_x = 1\na_y = 1\nb = 1\n", "sample", "sample.py")
    assert addresses_in_program('find(f"sample.{name}"), ["b", f"a_{way}", "x"]', stated) == {"sample.b", "sample.a_x"}


@pytest.mark.xdist_group("unused")
@pytest.mark.slow
def test_statements_in_tables_count_as_well(stated, start):
    table = {
        "sample.row": Declaration("sample.toml:3", frozenset()),
        "sample.spare": Declaration("sample.toml:9", frozenset()),
    }
    found = unused_statements(stated | table, {*start, "sample.row"})
    assert [message.split(":")[:2] for message in found] == [["sample.toml", "9"]]


def test_calculator_in_a_data_file_reaches_what_it_draws_and_not_what_its_prose_says():
    text = """[plan]
title = "prose"
sliders = [{ variable = "N", unit = "gpu", label = "prose" }, "SHARED"]
curves = [{ label = "prose", formula = "drawn" }]
limits = "prose, as other.prose is."
[plan.start]
fixed = ["other.calculator", "fixed"]
"""
    module = "".join(f"{name} = 1\n" for name in ("drawn", "N", "SHARED", "fixed", "calculators", "prose"))
    stated = declared_in_python(module, "sample", "sample.py") | declared_in_toml(
        text, "sample", "sample/calculators.toml"
    )
    assert [message.split("`")[1] for message in unused_statements(stated, {"sample.plan"})] == ["sample.prose"]
    assert stated["sample.plan"][::2] == ("sample/calculators.toml:1", "Calculator")
    assert "other.calculator" in stated["sample.plan"].mentions
    assert "other.prose" not in stated["sample.plan"].mentions


@pytest.mark.parametrize(
    "line",
    [
        "{mc:value}`sample.spare | h, 2`",
        ":::{mc:exercise} sample.spare",
        "```{code-cell}\n:tags: [x]\nfrom mathcore.chapters import sample as p\np.spare\n```",
    ],
)
def test_page_reaches_what_it_names(tmp_path, line):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text(f"# Page\n\n{line}\n", encoding="utf-8")
    stated = declared_in_python("spare = Fact('1 s', 'time')", "sample", "sample.py")
    assert unused_statements(stated, root_addresses(tmp_path, stated)) == []
    assert unused_statements(stated, root_addresses(tmp_path / "nowhere", stated)) != []


def test_page_below_a_folder_called_lecturers_is_one(tmp_path):
    page = tmp_path / "lecturers" / "book" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("{mc:value}`sample.spare`\n", encoding="utf-8")
    stated = declared_in_python("spare = Fact('1 s', 'time')", "sample", "sample.py")
    assert unused_statements(stated, root_addresses(tmp_path / "lecturers", stated)) == []


@pytest.mark.parametrize("path", ["chapters/sample/slides.md", "lecturers/sample.md"])
def test_slides_and_texts_for_lecturers_are_no_pages(tmp_path, path):
    text = tmp_path / "book" / path
    text.parent.mkdir(parents=True)
    text.write_text("{mc:value}`sample.spare`\n", encoding="utf-8")
    stated = declared_in_python("spare = Fact('1 s', 'time')", "sample", "sample.py")
    assert unused_statements(stated, root_addresses(tmp_path, stated)) != []
