"""Protects the audit: a verdict follows the numbers, and no explanation outlives what it explains."""

import re

import pytest
import sympy
from error_assertions import expect_error
from mathbook import chapter_sources
from sample_formulas import x

from mathcore import DeclarationError, Formula, Variable, find
from mathcore.chapters import young_daly
from mathcore.errors import ROOT, ArgumentError, MathcoreError, UnknownAddress
from mathcore.library import current_library
from mathcore.teaching import Calculation, Claim
from mathcore.teaching.expressions import parse_expression
from mathcore.teaching.quoted_values import QuotedValue, numbers_in_quote
from mathcore.teaching.toml_schema import read_statements
from mathcore.units import unit as named

CASE = {"C": "4 min", "M": "8 h"}


def claim(printed, by, **more):
    return Claim("a statement", printed, by, **{"source": "daly2006", "at": "title", "kind": "arithmetic"} | more)


@pytest.mark.parametrize(
    ("printed", "by", "verdict"),
    [
        ("44 s", "200[gpu h] / 16384[gpu]", "reproduced"),
        ("44 min", "200[gpu h] / 16384[gpu]", "wrong"),
        ("327 kB", "327.68[kB]", "rounding"),
        ("~1 h", "62[min]", "reproduced"),
        ("~57 min", "62[min]", "rounding"),
        ("57 min", "62[min]", "wrong"),
        ("20..40 %", "0.3", "reproduced"),
        ("20..40 %", "0.5", "wrong"),
        ("<1 %", "0.02", "wrong"),
        (">1 %", "0.02", "reproduced"),
        ("16000", "16384", "rounding"),
        ("44 %", "0.435", "reproduced"),
        ("44 %", "0.431", "rounding"),
        ("40 %", "0.404", "reproduced"),
        ("40 %", "0.438", "rounding"),
        ("40 %", "0.446", "wrong"),
        ("~40 %", "0.438", "rounding"),
        ("~97 %", "0.9966", "wrong"),
        ("~55.5 %", "0.505", "wrong"),  # 5 points off, of which a tenth of 49.5 may be
        ("~45 %", "0.495", "rounding"),
        ("99.7 %", "0.9966", "reproduced"),
        ("<80 GB", "80[GB]", "wrong"),
        ("≤80 GB", "80[GB]", "reproduced"),
        ("800", "820", "rounding"),
        ("800 kB", "819.2[kB]", "wrong"),
        ("0 min", "20[s]", "wrong"),
        ("5.12 s", "2[TB] / (400[GB/s])", "wrong"),
        ("400 Gbit/s", "50[GB/s]", "reproduced"),
        ("400 GB/s", "400[Gbit/s]", "wrong"),
        ("~5.12 s", "5[s]", "wrong"),  # “about” hides no binary prefix
        ("1000 s", "1000.4[s]", "reproduced"),  # zeros at the end may count
        ("1000 s", "960[s]", "rounding"),
        ("1000 s", "1001[s]", "rounding"),
        ("1004 s", "960[s]", "wrong"),
    ],
)
def test_verdict_follows_the_numbers(printed, by, verdict):
    because = "a reason" if verdict == "wrong" else ""
    assert claim(printed, by, cause=because).verdict == verdict


def test_minutes_for_seconds_are_diagnosed_without_a_word_of_the_author():
    slip = claim("44 min", "200[gpu h] / 16384[gpu]")
    assert slip.explanation.startswith("60 times too large")
    assert slip.text() == "43.9\u202fs"


def test_printed_formula_is_held_against_the_books():
    assert claim("tau_Y = sqrt(2 * M * C)", "young_daly.interval", given=CASE).verdict == "reproduced"
    slip = claim("tau_Y = sqrt(M * C)", "young_daly.interval", given=CASE)
    assert slip.verdict == "wrong"
    assert "√2 too small" in slip.explanation
    assert slip.claimed < slip.value


def test_wrong_claim_wants_its_kind():
    with expect_error(DeclarationError, code="missing", expected="unit, value", place=False):
        claim("44 min", "200[gpu h] / 16384[gpu]", kind="").verdict  # noqa: B018
    with expect_error(DeclarationError, code="not-a-choice", got="slip", expected="unit", place=False):
        claim("44 min", "200[gpu h] / 16384[gpu]", kind="slip")


def test_slip_has_one_verdict_in_every_part_of_a_claim():
    same = claim("43.9 s", "200[gpu h] / 16384[gpu]")
    assert list(same.issues()) == []
    object.__setattr__(other := claim("44.0 s", "200[gpu h] / 16384[gpu]"), "slip", "hours_for_minutes")
    (issue,) = other.issues()
    assert "is rounding, but with the same slip" in issue and "fleet_mtbf is wrong" in issue


@pytest.mark.exhaustive
def test_every_slip_of_the_book_has_one_verdict_and_one_kind():
    found = {}
    for name in current_library.names():
        for _, each in current_library.statements(name):
            if isinstance(each, Claim) and each.slip:
                found.setdefault(each.slip, set()).add((each.verdict, each.kind))
    assert len(found) > 20
    assert {slip: met for slip, met in found.items() if len(met) > 1} == {}


HALF = {"unknown": "10 min..1 h", "unknown_meaning": "the time", "cause": "the time is not given"}


@pytest.mark.parametrize(
    ("by", "verdict"),
    [("15[min] / unknown", "depends"), ("unknown / 2 / unknown", "reproduced"), ("1[min] / unknown", "wrong")],
)
def test_open_value_decides_or_does_not(by, verdict):
    more = HALF if verdict != "reproduced" else HALF | {"cause": ""}
    assert claim("50 %", by, **more).verdict == verdict


def test_open_value_that_only_moves_the_last_digits_is_called_rounding():
    """40 % of 25 min is 10 min; at 10.5 min it is 42 %, which rounds to 40 once its zero does not count."""
    nearly = {"unknown": "10 min..10.5 min", "unknown_meaning": "the time", "cause": ""}
    assert claim("40 %", "unknown / 25[min]", **nearly).verdict == "rounding"


def test_range_of_the_open_value_is_printed():
    found = claim("<50 %", "15[min] / unknown", **HALF)
    assert found.range.replace("\u202f", " ") == "agrees for the time of 30.0 min to 60.0 min"
    assert found.text().replace("\u202f", " ") == "150 % to 25.0 %"
    assert claim("<50 %", "15[min] / unknown + 3", **HALF).range.startswith("for no time from 10")


def test_symbol_of_a_formula_may_be_open():
    stated = {"unknown": "1 h..20 h", "unknown_meaning": "the MTBF", "cause": "it is not given"}
    found = claim("62 min", "young_daly.interval", given={"C": "4 min", "M": "unknown"}, **stated)
    assert (found.verdict, found.range.partition(" of ")[0]) == ("depends", "agrees for the MTBF")


def test_measured_value_flags_what_arithmetic_bears_out():
    seen = {"measured": "a device lasts 50,700 h", "measured_by": "50700[gpu h] / 16384[gpu]"}
    found = claim("44 s", "200[gpu h] / 16384[gpu]", **seen)
    assert (found.verdict, found.contradicted) == ("reproduced", True)
    with expect_error(DeclarationError, code="inconsistent", got="measured", place=False):
        claim("44 s", "200[gpu h] / 16384[gpu]", **seen | {"measured_by": "44[s]"}).contradicted  # noqa: B018


def test_name_is_right_or_wrong():
    stated = {"quote": "80 GB of HBM3e", "lines": "76", "word": "HBM3e"}
    assert claim("", "", correct="HBM3e", **stated).verdict == "reproduced"
    assert claim("", "", correct="HBM3", cause="the data sheet", **stated).verdict == "wrong"
    with expect_error(DeclarationError, code="missing", expected="cause", place=False):
        claim("", "", correct="HBM3", **stated).verdict  # noqa: B018
    with expect_error(DeclarationError, code="inconsistent", got="HBM4", place=False):
        claim("", "", correct="HBM3", **stated | {"word": "HBM4"})


@pytest.mark.parametrize("alone", ["quote", "lines", "unknown", "unknown_meaning", "measured", "measured_by"])
def test_half_of_a_pair_is_refused(alone):
    with expect_error(DeclarationError, code="missing", expected=" and ", place=False):
        claim("44 s", "44[s]", **{alone: "44 s"})


def test_explanation_of_a_right_claim_is_out_of_date():
    with expect_error(DeclarationError, code="inconsistent", expected="without cause", place=False):
        claim("44 s", "200[gpu h] / 16384[gpu]", cause="minutes were read as seconds").verdict  # noqa: B018


def test_claim_without_support_says_what_it_lacks():
    with expect_error(DeclarationError, code="missing", expected="computed_by", place=False):
        claim("40 %", "")
    without = claim("40 %", "", cause="no measurement is named")
    assert (without.verdict, without.diagnosis.verdict) == ("unsupported", "wrong")
    assert without.diagnosis.text.startswith("nothing is given")


@pytest.mark.parametrize("missing", ["source", "at"])
def test_claim_that_nobody_could_look_up_is_refused(missing):
    with pytest.raises(DeclarationError, match=missing):
        Claim("a statement", "44 s", "44[s]", **{"source": "daly2006", "at": "title", missing: " "})


def test_another_dimension_is_refused():
    with expect_error(ArgumentError, code="dimension", got="200 gpu * h", expected="time", place=False):
        claim("44 min", "200[gpu h]").verdict  # noqa: B018


@pytest.mark.parametrize(
    ("written", "unit", "magnitude"),
    [
        ("200[gpu h] / 16384[gpu]", "s", 43.9453125),
        ("sqrt(2 * 4[min] * 8[h])", "min", 61.96773354),  # Python's math on the same figures
        ("1 - exp(-720[h] / (50000[gpu h] / 512[gpu]))", "", 0.999372188),
        ("max(2[s], 1[min])", "s", 60),
        ("10 ** 3 * -log2(8) + 1", "", -2999),
    ],
)
def test_calculation_is_computed_with_units(written, unit, magnitude):
    assert Calculation(written).value.m_as(named(unit)) == pytest.approx(magnitude, rel=1e-6)


@pytest.mark.parametrize(
    "written",
    ["__import__('os')", "X.y", "1 if 2 else 3", "2[min", "[4][0]", "open('a')", "1 < 2", "True", "exp(1, 2)"],
)
def test_calculation_runs_no_code(written):
    with pytest.raises(DeclarationError, match="not understood"):
        Calculation(written).value  # noqa: B018


@pytest.mark.parametrize(
    "written", ["2[h] + 3", "exp(2[h])", "2 ** 3[s]", "max(1[s], 2[B])", "1[parsec]", "1 / 0", "log(-1)", "exp(10000)"]
)
def test_calculation_refuses_units_that_do_not_fit(written):
    with pytest.raises(ArgumentError):
        Calculation(written).value  # noqa: B018


def test_address_in_a_calculation_leads_to_a_statement_or_nowhere():
    with pytest.raises(UnknownAddress, match="no chapter `x`"):
        Calculation("x.y.z").value  # noqa: B018
    with pytest.raises(UnknownAddress, match=r"did you mean `hardware\.h100_hbm`"):
        Calculation("2 * hardware.h100_hmb").value  # noqa: B018


def test_fact_in_a_calculation_is_printed_with_all_its_digits():
    assert Calculation("young_daly.lab_large / 2").text().replace("\u202f", " ") == "16,384 GPUs / 2"


SAID = {0: "no zero", 0.5: "half halve halves", 1: "one single", 2: "two twice double", 3: "three", 4: "four"}
SAID |= {5: "five", 6: "six", 9: "nine", 10: "ten", 12: "twelve"}


@pytest.mark.parametrize(
    ("word", "number"), [(word, number) for number, words in SAID.items() for word in words.split()]
)
def test_number_in_words_is_read(word, number):
    assert numbers_in_quote(f"{word.capitalize()} of them") == {number}


@pytest.mark.parametrize(
    ("text", "number"), [("7k", 7e3), ("7 thousand", 7e3), ("7M", 7e6), ("7B", 7e9), ("7 trillion", 7e12)]
)
def test_number_with_its_scale_is_read_both_ways(text, number):
    assert numbers_in_quote(text) == {7, number}


def test_text_that_prints_no_quantity_is_refused():
    with expect_error(DeclarationError, code="not-a-quantity", place=False):
        QuotedValue.parse("a lot")


# ---------------------------------------------------------------- a printed formula


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2 ** -x + exp(x) * log(x)", 2**-x + sympy.exp(x) * sympy.log(x)),
        ("log2(x) / sqrt(x)", sympy.log(x, 2) / sympy.sqrt(x)),
        ("0.05 * x - 1e3", x / 20 - 1000),
    ],
)
def test_printed_formula_is_read(written, expected):
    assert parse_expression(written, [x]) == expected


def test_printed_extremes_and_units_are_those_of_the_core():
    assert str(parse_expression("max(x, 2) * 1[FLOP] / 1[token]", [x])) == "Max(2, x)*FLOP/token"


@pytest.mark.parametrize(
    "written", ["__import__('os')", "x.evalf()", "x if x else 1", "x @ x", "lambda: x", "sqrt(x, x)", "x[0]", "2 (x)"]
)
def test_printed_formula_runs_no_code(written):
    with pytest.raises(DeclarationError, match="not understood"):
        parse_expression(written, [x])


def test_name_after_a_number_is_its_unit():
    assert parse_expression("2 FLOP/token * x", [x]) == parse_expression("2[FLOP/token]*x", [x])
    with pytest.raises(MathcoreError, match="unknown unit `x`"):
        parse_expression("2 x", [x])


def test_unknown_symbol_of_a_formula_is_refused_with_the_known_ones():
    wrong = claim("tau_Y = sqrt(2 * C * m)", "young_daly.interval", given=CASE)
    with pytest.raises(DeclarationError, match=r"`m` in .*the symbols C, M"):
        wrong.verdict  # noqa: B018


@pytest.mark.parametrize(
    ("printed", "by", "words"),
    [
        ("tau = sqrt(2 * C * M)", "young_daly.interval", "is for tau, but `young_daly.interval` computes tau_Y"),
        ("tau_Y = sqrt(2 * C * M)", "young_daly.lab_write", "computes no formula"),
        ("tau_Y = 2 * C * M", "young_daly.interval", "dimension"),
    ],
)
def test_printed_formula_that_cannot_be_compared_is_refused(printed, by, words):
    given = CASE if by.endswith("interval") else {}
    (issue,) = claim(printed, by, given=given).issues()
    assert words in issue


@pytest.fixture
def sample(monkeypatch):
    """Return the address of a formula y = x, for any x from 0.01 on, that a chapter is made to state."""
    symbol = Variable("x", "", "ratio", low="0.01", high="100")
    same = Formula(Variable("y", "", "the same ratio"), symbol, where="mathcore/chapters/young_daly/__init__.py:1")
    monkeypatch.setattr(young_daly, "sample", same, raising=False)
    return "young_daly.sample"


def test_claim_that_could_not_be_checked_is_not_called_wrong(sample):
    """Max(x, 1/1000) is x over all of the range, but no point reaches its other branch."""
    unjudged = claim("y = max(x, 1 / 1000)", sample, given={"x": "2"})
    with pytest.raises(MathcoreError, match="branch"):
        unjudged.verdict  # noqa: B018
    (issue,) = unjudged.issues()
    assert issue.startswith("tests/test_claims.py:") and "branch" in issue
    assert claim("y = x", sample, given={"x": "2"}).verdict == "reproduced"
    assert claim("y = max(x, 1)", sample, given={"x": "0.5"}, cause="x may be less").verdict == "wrong"


# ---------------------------------------------------------------- the data files

ROWS = """source = "daly2006"

[interval]
summary = "62 min are best"
printed = "62 min"
computed_by = "young_daly.interval"
given = { C = "4 min", M = "young_daly.lab_mtbf" }
at = "title"
"""


def table(folder, text=ROWS):
    path = folder / "claims_sample.toml"
    path.write_text(text, encoding="utf-8")
    return read_statements(path, Claim, "claims_sample")


def test_claim_in_a_data_file_is_checked(tmp_path):
    found = table(tmp_path).interval
    assert (found.verdict, found.source, found.at) == ("reproduced", "daly2006", "title")
    assert found.givens == {"C": "4 min", "M": find("young_daly.lab_mtbf")}
    assert found.where == f"{tmp_path / 'claims_sample.toml'}:3"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('at = "title"', "", 3, "has no at"),
        ('source = "daly2006"', "", 3, "has no source"),
        ('at = "title"', 'at = "title"\ndigits = 2', 9, "has no `digits`"),
        ('{ C = "4 min", M = "young_daly.lab_mtbf" }', '"x"', 7, "it must be a table such as"),
        ('"4 min"', "4", 7, "`C` is 4; it must be a text in quotes"),
        ("[interval]", "[module]", 3, "`module` cannot be the name"),
        ('"62 min"', '"a lot"', 3, "not a printed quantity"),
        ('computed_by = "young_daly.interval"', "", 3, "state in `cause` what is missing"),
    ],
)
def test_table_that_states_no_claim_is_refused_with_its_line(tmp_path, old, new, line, words):
    with pytest.raises(DeclarationError, match=re.escape(words)) as refused:
        table(tmp_path, ROWS.replace(old, new))
    assert str(refused.value).startswith(f"{tmp_path / 'claims_sample.toml'}:{line}: ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("young_daly.interval", "young_daly.intervall", "did you mean `young_daly.interval`?"),
        ("young_daly.interval", "young_daly.lab_write", "`given` is for the symbols of a formula"),
        ("young_daly.interval", "young_daly.C", "`given` is for the symbols of a formula"),
        ("C = ", "c = ", "no argument `c`; it takes C (write_time), M (mtbf)"),
        ('"4 min"', '"4 GB"', "cannot convert from 'GB' (information)"),
        ('"62 min"', '"62 GB"', "to 'GB' (information)"),
        ('"62 min"', '"tau_Y = sqrt(C * C * M) / (1[s"', "not understood"),
        ('"62 min"', '"17 h"', "state in `cause` what happened"),
        ('at = "title"', 'at = "title"\ncause = "a reason"', "out of date"),
    ],
)
def test_claim_that_cannot_be_computed_is_an_issue_at_its_line(tmp_path, old, new, words):
    (issue,) = table(tmp_path, ROWS.replace(old, new)).interval.issues()
    assert issue.startswith(f"{tmp_path / 'claims_sample.toml'}:3: ")
    assert words in issue


def test_missing_file_is_named(tmp_path):
    with pytest.raises(DeclarationError, match=r"cannot be read from .*gone\.toml: No such file"):
        read_statements(tmp_path / "gone.toml", Claim, "gone")


def test_every_data_file_is_stated_by_a_chapter_and_found_at_its_address():
    for path in sorted(current_library.path("claims").glob("*.toml")):
        stated = dict(current_library.statements(f"claims.{path.name.partition('.')[0]}"))
        assert {found.where.rpartition(":")[0] for found in stated.values()} == {path.relative_to(ROOT).as_posix()}
        assert all(find(address) is found and found.address == address for address, found in stated.items())


def test_corrected_data_file_is_another_source_of_its_chapter(tmp_path):
    (tmp_path / "__init__.py").write_text("claims = read_claims(__name__)\n")
    table(tmp_path)
    before = chapter_sources.chapter_text(tmp_path)
    table(tmp_path, ROWS.replace("4 min", "5 min"))
    assert chapter_sources.chapter_text(tmp_path) == before.replace("4 min", "5 min") != before


# ---------------------------------------------------------------- the book's own

# Each value by another method: Python's math, a numerical integral, a search, a simulated run.
RECKONING = [
    ("fleet_mtbf", "wrong", 43.9453, "s"),
    ("optimum_hour", "rounding", 61.9677, "min"),
    ("recovered_hours", "wrong", 4642.35, "gpu h"),
    ("checkpoint_size", "wrong", 16, "TB"),
    ("answer_c", "wrong", 20.9631, "s"),
    ("net_efficiency", "wrong", 0.5299, ""),  # 400,000 intervals simulated
    ("async_efficiency", "wrong", 0.7052, ""),  # 400,000 failures simulated, reload of 5 s included
    ("async_near_zero", "wrong", 0.0337310, ""),
    ("hour_rework", "wrong", 23.4675, "min"),  # mean over 200,000 slices of the hour
    ("always_struck", "wrong", 0.744271, ""),
    ("snapshot_tiny", "wrong", 1.93762, "ms"),
    ("exact_answer", "wrong", 0.179626, ""),  # optimum found by search
    ("interval_ratio", "reproduced", 7.07107, ""),
]


ILLUSION = [
    ("single_years", "wrong", 140.92, "year"),
    ("cfo_hope", "wrong", 0.221875, "year"),  # 71/320
    ("budget_buys", "wrong", 250, "gpu"),
    ("realistic_speedup", "wrong", 820, ""),
    ("communication_grows", "wrong", 0.502525, ""),  # (199/200)/(99/100) over a fleet of twice the size
    ("ring_over_port", "wrong", 13.9863, "s"),
    ("shown_break_even", "reproduced", 0.874316, ""),
    ("break_even_formula", "wrong", 0.877319, ""),
    ("most_expensive", "depends", 0.119302, ""),  # 5.5188 of 46.2575 millions, at 10 %
    ("can_be_cheapest", "wrong", 1.35413, ""),  # 48.5754 of 35.8722
    ("dominated", "wrong", 0.65, ""),  # the first use, in steps of a thousandth, that costs as much
    ("sensitive", "wrong", 0.208849, ""),
]


TUTORIALS = [("checkpoint_reckoning", *row) for row in RECKONING] + [("scale_illusion", *row) for row in ILLUSION]


@pytest.mark.parametrize(("tutorial", "name", "verdict", "magnitude", "unit"), TUTORIALS)
def test_claim_of_a_tutorial_is_judged_as_by_hand(tutorial, name, verdict, magnitude, unit):
    found = find(f"claims.{tutorial}.{name}")
    assert found.verdict == verdict
    assert found.value.m_as(named(unit)) == pytest.approx(magnitude, rel=2e-3)


def test_duration_keeps_the_printed_unit_where_it_is_readable():
    assert claim("71 year", "141[year]", cause="a reason").text() == "141\u202fyears"
    assert claim("71 s", "999[s]", cause="a reason").text() == "999\u202fs"
    assert claim("71 s", "1000[s]", cause="a reason").text() == "16.7\u202fmin"


@pytest.mark.parametrize(
    ("printed", "by", "text", "how"),
    [
        ("22", "3 + 15", "18", "3 + 15 = 18"),
        ("19", "19", "19", "19"),
        ("~2", "2 * 1023 / 1024", "2.00", None),
        ("2.0", "2", "2.00", None),
        ("4 s", "4[s]", "4.00\u202fs", None),
    ],
)
def test_a_plain_count_is_printed_whole(printed, by, text, how):
    because = "a reason" if text == "18" else ""
    found = claim(printed, by, cause=because)
    assert found.text() == text
    assert how in (None, found.how())


# (claim, verdict, its right value in the unit of the claim): recomputed by hand from the documents
AUDITED = [
    ("claims.foundations.dense_batch", "wrong", 134217728 / 2424832),  # 2·64·2048·512 over all bytes
    ("claims.foundations.crossover", "wrong", 11.2542),  # MB: 0.1·1024·1013/9217
    ("claims.foundations.decode_share", "wrong", 0.337601),  # 0.141557 of 41.932602 ms
    ("claims.foundations.memory_all", "wrong", 182.949673),  # 140 + 327,680·131,072/1e9
    ("claims.foundations.break_even", "wrong", 43.4919),  # 122,000/(8·8766·4)
    ("claims.foundations.generation", "wrong", 3.171154),  # 989.4/312
    ("claims.foundations.llama_27", "wrong", 14.907407),  # 2/27 + 27/360
    ("claims.foundations.bubble_8_32", "reproduced", 17.948718),  # 7/39
    ("claims.foundations.all_energy", "reproduced", 10321.92),  # 25.6·336·1.2
    ("claims.foundations.interval", "reproduced", 720**0.5),
    ("claims.crash_proofing.thousand_nodes", "wrong", 9.218e-12),  # 100·exp(30,000·ln 0.999)
    ("claims.crash_proofing.checkpoint_size", "wrong", 0.98),
    ("claims.crash_proofing.interval", "reproduced", 2**0.5),
    ("claims.crash_proofing.zoo_bill", "reproduced", 16560),  # 720,000·0.023
    ("claims.crash_proofing.emergency", "wrong", 9.074074),  # 980 GB at 1.8 GB/s
    ("claims.crash_proofing.catastrophe", "wrong", 95.0288),  # 100·(1 − exp(3,000·ln 0.999))
    ("claims.crash_proofing.total_with", "wrong", 2483440),
    ("claims.crash_proofing.total_gain", "wrong", -113344),
    ("claims.crash_proofing.partition", "wrong", 10),
    ("claims.crash_proofing.core_nodes", "wrong", 19),  # 9.5 of 50
    ("claims.full_stack_audit.all_walls", "wrong", 18),
    ("claims.full_stack_audit.step_rate", "wrong", 8.76252),  # 6·70.5537e9·2048²/(512·989.4e12·0.4)
    ("claims.full_stack_audit.step_target", "wrong", 4089.18),  # ms: 1,209,600 s over 295,805 steps
    ("claims.full_stack_audit.carbon_ratio", "wrong", 61.1132),  # 820·1.58/(20·1.06)
    ("claims.full_stack_audit.hidden_cost", "wrong", 0.176383),  # √(2·120/301,339.3) over 0.16
    ("claims.full_stack_audit.mfu_llama2", "reproduced", 0.434732),  # 8.4e23/(1,720,320·3600·312e12)
    ("claims.papers.llama_gpu_share", "wrong", 35.322196),  # 148/419
    ("claims.papers.chinchilla_175", "wrong", 1.26e25),
    ("claims.papers.int8_crossover", "wrong", 262.70857),
    ("claims.papers.daly_shift", "reproduced", 56.713),
    ("claims.papers.zero_1", "reproduced", 31.40625),  # 7.5·(4 + 12/64)
]


@pytest.mark.parametrize(("address", "verdict", "value"), AUDITED, ids=[row[0] for row in AUDITED])
def test_audited_claim_agrees_with_a_calculation_by_hand(address, verdict, value):
    found = find(address)
    assert found.verdict == verdict
    assert found.value.magnitude == pytest.approx(value, rel=1e-4)
