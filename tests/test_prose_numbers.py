"""Protects readers from typed numbers: each one in the prose is computed, cited, or excused with a reason."""

import pytest
from error_assertions import expect_error
from mathbook import prose_numbers

from mathcore import UnknownAddress


@pytest.fixture
def page(tmp_path):
    def write(text):
        path = tmp_path / "page.md"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("line", "free"),
    [
        ("It took 117 min.", ["117"]), ("About 12.5 % of it", ["12.5 %"]), ("from 12 to 15", ["12", "15"]),
        ("from 12–15", ["12", "15"]), ("a 40GB card", ["40GB"]), ("16x faster", ["16x"]), ("64-bit", ["64"]),
        ("5e6 points", ["5e6"]), ("3·10⁷ FLOP", ["3·10⁷"]), ("2048 devices", ["2048"]), ("0.5 of", ["0.5"]),
        ("1,024 devices", ["1,024"]), ("−40 K", ["−40"]), ("a 70B model", ["70B"]), ("99.9% sure", ["99.9%"]),
    ],
)  # fmt: skip
def test_typed_number_is_found(line, free):
    assert prose_numbers.numbers_in(line) == free


@pytest.mark.parametrize(
    "line",
    [
        "Two or 3 of the 10 cases", "in 2006, and in the 1990s", "the 3rd, the 21st", "8-bit",
        "an H100 and two A100s", "Llama 3 405B and OPT-175B", "3D parallelism, 1F1B", "`x = 12`",
        "see {eq}`eq-young-daly-interval-12`", "$\\tau = 12$ and $$x = 144$$", "{mc:value}`a.b_12 | min`",
        "[a link](https://a.example/12/144)", "https://a.example/144", '<span data-n="144">', ":name: f-144",
        ":::{mc:statement} young_daly.interval_12", "(label-144)=",
    ],
)  # fmt: skip
def test_word_name_code_and_mathematics_are_no_typed_numbers(line):
    assert prose_numbers.numbers_in(line) == []


def test_numbers_are_counted_by_kind(page):
    text = """\
---
title: 144
---
# A page of 2026

{mc:value}`young_daly.act_one` is computed, {mc:value}`young_daly.lab_mtbf` is cited, so \
{mc:value}`young_daly.lab_mtbf | s`.

```{code-cell}
x = 144
```

Then 144 is free, and 60 is excused. <!-- number: minutes of an hour, by definition -->
And 12 is free.
"""
    found = prose_numbers.count_numbers(page(text))
    assert (found.computed, found.cited, found.exempted, found.free) == (1, 2, 2, ((13, "12"),))


def test_excuse_needs_a_reason(page):
    assert prose_numbers.count_numbers(page("So 144. <!-- number: -->\n")).free == ((1, "144"),)
    assert prose_numbers.count_numbers(page("So 144. <!-- number: a dozen dozens -->\n")).free == ()


def test_number_inside_an_admonition_counts(page):
    text = "```{note}\nSo 144.\n```\n\n:::{tip}\nSo 145.\n:::\n"
    assert prose_numbers.count_numbers(page(text)).free == ((2, "144"), (6, "145"))


def test_code_inside_an_admonition_does_not_count(page):
    text = "````{note}\nSo 144.\n```\nx = 145\n```\nThen 146.\n````\nAnd 147.\n"
    assert prose_numbers.count_numbers(page(text)).free == ((2, "144"), (6, "146"), (8, "147"))


def test_issue_says_where_what_and_what_to_do(page):
    path = page("\nSo 144 of them.\n")
    assert prose_numbers.page_issues(path) == [
        f"{path}:2: the number `144` is typed by hand: use {{mc:value}}`address`, or give a reason on the line "
        "with <!-- number: reason -->"
    ]


def test_role_with_an_unknown_address_is_refused_at_the_line_of_the_page(page):
    path = page("\n\nSee {mc:value}`young_daly.act_on`.\n")
    with expect_error(UnknownAddress, got="young_daly.act_on", hint="young_daly.act_one", place=False) as caught:
        prose_numbers.count_numbers(path)
    assert caught.raised.where == f"{path}:3"


def test_words_held_by_a_relation_are_counted(page):
    held = "Twice {mc:assert}`young_daly.act_one > 1 h` and more. {mc:assert}`young_daly.act_one < 2 h`\n"
    assert prose_numbers.count_numbers(page(f"{held}\n```\n{held}```\n")).asserted == 2  # code is no prose
