"""Protects comparisons with measured systems: the fit by other means, and that slips of every kind are caught."""

import hashlib
import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import holdout_rows
import numpy as np
import pytest
from error_assertions import expect_error
from mathbook import comparisons, content_hash
from mathbook.values import InvalidValue, resolve_value

from mathcore import (
    DeclarationError,
    Example,
    Formula,
    MathcoreError,
    OutsideValidity,
    Quantity,
    Variable,
    find,
    statements,
)
from mathcore.chapters import hardware, training
from mathcore.chapters.audit import measured as audit_measured
from mathcore.chapters.collectives import measured as collectives_measured
from mathcore.chapters.energy import measured as energy_measured
from mathcore.chapters.ownership import measured as ownership_measured
from mathcore.chapters.parallelism import measured as parallelism_measured
from mathcore.chapters.roofline import measured as roofline_measured
from mathcore.chapters.serving import measured as serving_measured
from mathcore.chapters.serving import tails as serving_tails
from mathcore.chapters.speedup import measured as speedup_measured
from mathcore.chapters.training import measured as training_measured
from mathcore.commands import text_output
from mathcore.commands.verification import check_module, verify_library
from mathcore.library import current_library
from mathcore.measured import Comparison, Dataset, systems
from mathcore.teaching import Slider

t = Variable("t", "s", "time", low="1 ns", high="1 d")
x = Variable("x", "B", "bytes", low="1 B", high="1 TB")
beta = Variable("beta", "B/s", "bandwidth", low="1 B/s", high="1 TB/s")
alpha = Variable("alpha", "s", "latency", low="1 ns", high="1 s")
line = Formula(t, alpha + x / beta)
slope = Formula(t, x / beta)
HEAD = """
meaning = "times of messages"
source = "daly2006"
at = "Table 1"
date = "2006"
how = "clocked"
licence = "MIT"
certainty = "primary"
caveats = "made up"

[systems]
are = "machines"
columns = ["kind"]

[columns]
kind = ["text", "which run"]
size = ["kB", "size of the message"]
time = ["µs", "time of the message"]
"""
SPREAD = (1.02, 0.97, 1.01, 0.99, 1.03, 0.98, 1.0, 1.02, 0.99, 1.01, 0.96, 1.04)
SIZES = tuple(2**i for i in range(12))  # kB; alpha = 20 µs, beta = 1 GB/s = 1 kB/µs


def rows(latency=20.0):
    return [f"{'ab'[i % 2]},{n},{(latency + n) * s:.6f}" for i, (n, s) in enumerate(zip(SIZES, SPREAD, strict=True))]


@pytest.fixture
def write_dataset(tmp_path):
    def write(lines=None, head=HEAD, columns="kind,size,time"):
        (tmp_path / "times.csv").write_text("\n".join([columns, *(rows() if lines is None else lines)]) + "\n", "utf-8")
        (tmp_path / "times.toml").write_text(head, "utf-8")
        return Dataset("times", folder=tmp_path)

    return write


def make_comparison(data, **changes):
    stated = {
        "formula": line,
        "columns": {x: "size"},
        "fit_parameters": {alpha: ("1 µs", "1 ms"), beta: ("10 MB/s", "10 GB/s")},
        "holdout": {"kind": "b"},
        "bound": ("3 %", "5 %"),
    }
    return Comparison(data=data, measured="time", system="sample", **{**stated, **changes})


def test_cached_texts_follow_rows_and_ranges(write_dataset):
    before = comparisons.result_texts(make_comparison(write_dataset()))
    assert comparisons.result_texts(make_comparison(write_dataset())) == before and before["text"].startswith(
        "6 configurations"
    )
    slower = comparisons.result_texts(make_comparison(write_dataset(rows(latency=40.0))))
    assert slower["parameters"][0] != before["parameters"][0]
    narrow = comparisons.result_texts(
        make_comparison(write_dataset(), fit_parameters={alpha: ("30 µs", "1 ms"), beta: ("10 MB/s", "10 GB/s")})
    )
    assert narrow["parameters"] != before["parameters"]
    assert comparisons.result_texts(make_comparison(write_dataset(), holdout={"kind": "a"}))["text"] != before["text"]


def issues_text(comparison):
    return " ".join(comparison.issues())


# ---------------------------------------------------------------- the numbers, found by other means


def test_two_fitted_parameters_are_those_of_a_weighted_least_squares_line(write_dataset):
    found = make_comparison(write_dataset()).fitted_parameters
    n, y = np.array([[n, (20 + n) * s] for n, s in zip(SIZES, SPREAD, strict=True)][::2]).T
    line_of = np.linalg.lstsq(np.array([1 / y, n / y]).T, np.ones(len(n)), rcond=None)[0]
    assert found["alpha"].value.m_as("µs") == pytest.approx(line_of[0], rel=0.005)  # relative against logarithms
    assert found["beta"].value.m_as("kB/µs") == pytest.approx(1 / line_of[1], rel=0.005)


def test_one_fitted_parameter_and_its_error_are_mean_and_standard_error_of_logarithms(write_dataset):
    found = make_comparison(write_dataset(rows(0)), formula=slope, fit_parameters={beta: ("10 MB/s", "10 GB/s")})
    logs = [-math.log(s) for s in SPREAD[::2]]
    mean = math.fsum(logs) / 6
    error = math.sqrt(math.fsum((v - mean) ** 2 for v in logs) / 5 / 6)
    gap = found.fitted_parameters["beta"]
    assert gap.value.m_as("GB/s") == pytest.approx(math.exp(mean), rel=0.002)
    assert found.fitted.row_half_widths[0] == pytest.approx(1.645 * error, rel=0.05)


def test_reading_error_widens_the_interval_of_one_fitted_parameter(write_dataset):
    """The logarithm of a factor is a mean of rows: its variance gains that of a uniform error over their number."""
    stated = {"formula": slope, "fit_parameters": {beta: ("10 MB/s", "10 GB/s")}}
    found = (make_comparison(write_dataset(rows(0.0)), **stated, reading_error=error) for error in ("", "30 %"))
    ends = [each.fitted_parameters["beta"].row_interval for each in found]
    widths = [math.log(high / low) / 2 / 1.645 for low, high in ends]
    assert widths[1] ** 2 - widths[0] ** 2 == pytest.approx(0.3**2 / 3 / 6, rel=0.01)


def test_errors_are_those_of_the_rows_that_the_fit_has_not_seen(write_dataset):
    found = make_comparison(write_dataset())
    a, b = found.fitted_parameters["alpha"].value.m_as("µs"), found.fitted_parameters["beta"].value.m_as("kB/µs")
    off = sorted(abs((a + n / b) / ((20 + n) * s) - 1) for n, s in list(zip(SIZES, SPREAD, strict=True))[1::2])
    assert (found.median, found.worst) == pytest.approx(((off[2] + off[3]) / 2, off[5]))
    assert (found.rows, found.unseen) == (12, 6)
    assert found.text().startswith("measured: 6 configurations of 1 system, median ")


def test_without_fitted_parameters_all_rows_are_test_rows(write_dataset):
    found = make_comparison(
        write_dataset(),
        fit_parameters={},
        holdout=None,
        columns={x: "size", alpha: "20 µs", beta: "1 GB/s"},
        bound=("2.5 %", "5 %"),
    )
    assert (found.rows, found.unseen, found.fitted_parameters) == (12, 12, {})
    assert found.worst == pytest.approx(1 / 0.96 - 1) and not issues_text(found)


@pytest.mark.parametrize(
    ("count", "low", "high", "which"),
    [
        (4, 1.0, 1.3, "All of these rows"),
        (19, 1.0, 2.8, "All of these rows"),
        (20, 1.095, 2.805, "The middle 90\u202f% of these rows"),
    ],
)
def test_band_is_the_range_below_20_rows_and_the_middle_90_percent_from_there(write_dataset, count, low, high, which):
    """Multiples 1, 1.1, 1.2, …: of twenty, a twentieth of the 19 steps between them lies beyond either end."""
    lines = [f"b,{n},{n * (1 + (n - 1) / 10):.6f}" for n in range(1, count + 1)]
    found = make_comparison(
        write_dataset(lines), fit_parameters={}, holdout=None, formula=slope, columns={x: "size", beta: "1 GB/s"}
    )
    assert found.band == pytest.approx((low, high))
    assert (
        f"{which}" in (fit_text := comparisons.result_texts(found)["fit"])
        and f"between {low:.1f}× and {high:.1f}×" in fit_text
    )


def test_a_seed_puts_the_same_rows_aside_whatever_rows_are_added(write_dataset):
    first = make_comparison(write_dataset(), holdout=None, seed=5).split_rows.holdout
    more = make_comparison(
        write_dataset([*rows(), "a,5000,5020", "b,7000,7020"]), holdout=None, seed=5
    ).split_rows.holdout
    assert first and [row for row in more if row["size"].magnitude < 5000] == first


def test_range_is_that_of_the_test_rows(write_dataset):
    assert (
        make_comparison(write_dataset(), over={"bytes": "size"}).ranges().replace("\u202f", " ") == "bytes 2–2,048 kB"
    )


def test_share_without_recomputation_holds_and_with_it_falls_as_the_chapter_says():
    plain, again = training_measured.mpt_h100, training_measured.mpt_recomputed
    assert again.fitted_parameters["u"].value.m_as("") == pytest.approx(
        plain.fitted_parameters["u"].value.m_as(""), rel=1e-4
    )
    assert {row["model"] for row in plain.split_rows.holdout} == {"MPT-760m", "MPT-1b", "MPT-3b"}
    assert 0.75 < min(1 / plain.ratios) < max(1 / plain.ratios) < 1.25
    measured = [
        (r["model"], r["tokens"].magnitude, 1 / x) for r, x in zip(again.split_rows.holdout, again.ratios, strict=True)
    ]
    assert all(0.64 < share < 0.8 for _, tokens, share in measured if tokens >= 32768)
    assert all(0.64 < share < 0.71 for _, tokens, share in measured if tokens == 65536)
    for one, other in itertools.combinations(sorted(measured), 2):
        assert one[0] != other[0] or one[2] > other[2]


# ---------------------------------------------------------------- what the fitted rows promise of each other


def test_expected_error_of_one_parameter_is_that_of_two_halves_by_hand(write_dataset):
    found = make_comparison(write_dataset(rows(0)), formula=slope, fit_parameters={beta: ("10 MB/s", "10 GB/s")})
    keys = sorted((f"size {n:g} kB" for n in SIZES[::2]), key=lambda k: hashlib.sha256(k.encode()).hexdigest())
    spread = {f"size {n:g} kB": s for n, s in zip(SIZES[::2], SPREAD[::2], strict=True)}
    off = []
    for part, other in ((keys[::2], keys[1::2]), (keys[1::2], keys[::2])):
        rate = math.exp(-math.fsum(math.log(spread[k]) for k in other) / len(other))  # the mean of the logarithms
        off += [abs(1 / (rate * spread[k]) - 1) for k in part]
    assert found.expected_error == pytest.approx(sorted(off)[2] / 2 + sorted(off)[3] / 2, rel=0.03)


def test_no_test_row_enters_the_expected_error(write_dataset):
    spoilt = [line if line.startswith("a") else line.rpartition(",")[0] + ",9999" for line in rows()]
    fine, off = make_comparison(write_dataset()), make_comparison(write_dataset(spoilt))
    assert off.expected_error == fine.expected_error
    assert off.error_as_expected is False


@pytest.mark.parametrize(
    ("name", "as_expected"), [("serving.measured.attained", True), ("roofline.measured.flash2", False)]
)
def test_error_is_as_expected_for_the_decoder_and_not_for_the_masked_kernel(name, as_expected):
    case = find(name)
    assert case.error_as_expected is as_expected and (case.median < 2 * case.expected_error) is as_expected


@pytest.mark.parametrize(
    ("promised", "median", "sentence"),
    [
        (0.031, 0.02, "The error on the test rows is no larger."),
        (0.031, 0.06, "The error on the test rows is at most twice as large."),
        (0.002, 0.009, "The error on the test rows is larger, but below 1 %."),
        (0.031, 0.12, "is larger: the model does worse outside the rows on which it was fitted."),
    ],
)
def test_page_says_how_the_test_rows_compare_with_the_fitted(promised, median, sentence):
    as_expected = median <= max(2 * promised, 0.01)  # the rule of the appendix
    text = comparisons._expected_error_text(
        SimpleNamespace(expected_error=promised, median=median, error_as_expected=as_expected)
    )
    assert sentence in text and f"fitted rows: {100 * promised:.1f}".rstrip("0").rstrip(".") in text


def test_nothing_fitted_has_no_expected_error(write_dataset):
    found = make_comparison(
        write_dataset(), fit_parameters={}, holdout=None, columns={x: "size", alpha: "20 µs", beta: "1 GB/s"}
    )
    assert found.expected_error is None and found.error_as_expected is None


# ---------------------------------------------------------------- other systems


def machines(count=6, each=5, apart=0.2, within=0.02, seed=3):
    """Return rows of machines whose rates lie apart by a normal distribution of the logarithm."""
    chance = np.random.default_rng(seed)
    rates = np.exp(apart * chance.standard_normal(count))
    noise = np.exp(within * chance.standard_normal((count, each)))
    return [f"m{i},{2**j},{2**j * rates[i] * noise[i, j]:.6f}" for i in range(count) for j in range(each)]


def of_machines(data, **changes):
    stated = {"formula": slope, "fit_parameters": {beta: ("10 MB/s", "100 GB/s")}, "holdout": {"size": "> 4"}}
    return make_comparison(data, **{**stated, **changes})


def test_interval_is_that_of_another_machine_by_the_machines_alone(write_dataset):
    """Student's interval of the machines' own mean logarithms: of six, t = 2.015."""
    lines = machines()
    found = of_machines(write_dataset(lines))
    cells = [line.split(",") for line in lines if float(line.split(",")[1]) <= 4]
    means = [np.mean([math.log(float(t) / float(n)) for m, n, t in cells if m == f"m{i}"]) for i in range(6)]
    half = 2.015 * np.std(means, ddof=1) * math.sqrt(1 + 1 / 6)
    gap = found.fitted_parameters["beta"]
    assert math.log(gap.high / gap.low) / 2 == pytest.approx(half, rel=0.06)  # the fit weighs outliers less
    assert math.log(gap.high / gap.low) > 5 * 2 * found.fitted.row_half_widths[0] / math.sqrt(18) > 0


def test_more_rows_of_the_same_machines_do_not_narrow_the_interval(write_dataset):
    few = of_machines(write_dataset(machines(each=5))).fitted_parameters["beta"].interval
    many = of_machines(write_dataset(machines(each=12)), holdout={"size": "> 1024"}).fitted_parameters["beta"].interval
    assert math.log(many[1] / many[0]) > 0.7 * math.log(few[1] / few[0])


def test_band_is_that_of_left_out_machines_by_hand(write_dataset):
    lines = machines(apart=0.03, within=0.005)
    found = of_machines(write_dataset(lines))
    fitted = {}  # the mean logarithm of the fit without a machine, the robust weights left out
    cells = [(m, float(n), math.log(float(t) / float(n))) for m, n, t in (line.split(",") for line in lines)]
    for i in range(6):
        others = np.mean([x for m, n, x in cells if m != f"m{i}" and n <= 4])
        fitted[i] = [x - others for m, n, x in cells if m == f"m{i}" and n > 4]
    means = [np.mean(each) for each in fitted.values()]
    within = np.mean([np.var(each) for each in fitted.values()])
    half = 2.015 * math.sqrt(np.var(means, ddof=1) * (1 + 1 / 6) + within)
    low, high = found.system_band
    assert (math.log(low), math.log(high)) == pytest.approx((np.mean(means) - half, np.mean(means) + half), abs=0.01)
    assert high / low > found.band[1] / found.band[0]


def test_bands_hold_nine_tenths_of_machines_that_nobody_has_seen():
    """The rule on seeded machines: 90 % of another machine's rows, whatever the number of machines."""
    chance = np.random.default_rng(11)
    held = []
    for _ in range(1500):
        count = int(chance.integers(3, 9))
        means = 0.3 * chance.standard_normal(count + 1)
        drawn = {str(i): means[i] + 0.1 * chance.standard_normal(6) for i in range(count)}
        low, high = systems.prediction_band(drawn)
        held.append(low <= means[-1] + 0.1 * chance.standard_normal() <= high)
    assert 0.88 < np.mean(held) < 0.94
    assert systems.prediction_band({"a": np.zeros(3), "b": np.ones(3)}) is None


def test_one_machine_gives_no_interval_and_no_band(write_dataset):
    found = make_comparison(write_dataset())
    gap = found.fitted_parameters["alpha"]
    assert gap.interval is None and found.system_band is None and found.coverage is None
    with expect_error(DeclarationError, code="no-value", got="1", place=False):
        gap.at_bound("low").value  # noqa: B018
    with expect_error(DeclarationError, code="no-value", place=False):
        found.system_high.value  # noqa: B018
    texts = comparisons.result_texts(found)
    assert "no range" in texts["fit"] and "(" not in texts["parameters"][0] and texts["band"] is None


def test_three_parameters_need_four_machines():
    chance = np.random.default_rng(5)
    slopes, off = chance.standard_normal((24, 3)), chance.standard_normal(24)
    assert systems.half_widths(slopes, off, [f"m{i % 3}" for i in range(24)]) is None
    assert systems.half_widths(slopes, off, [f"m{i % 4}" for i in range(24)]).shape == (3,)


def test_range_that_no_other_system_was_measured_in_gives_no_band():
    assert find("training.measured.next_same").system_band is None  # two models in eight bits
    assert find("training.measured.next_device").system_band is not None
    assert find("serving.measured.attained").system_band is not None  # two models put aside, of the kind of the others


def test_bands_of_the_book_hold_on_systems_left_out():
    found = [each for _, each in mutate_rows(Comparison)]
    shares = [each.coverage for each in found if each.coverage is not None]
    assert len(shares) > 25 and np.mean(shares) > 0.85
    assert min(shares) >= 0.7


def mutate_rows(kind):
    return [
        pair
        for name in current_library.names()
        for pair in current_library.statements(name)
        if isinstance(pair[1], kind)
    ]


def test_data_that_do_not_say_what_a_system_is_are_refused(write_dataset):
    for slip, message in (
        (('are = "machines"\n', ""), "what counts as one system"),
        (('[systems]\nare = "machines"\ncolumns = ["kind"]\n', ""), "what counts as one system"),
        (('columns = ["kind"]', 'columns = ["kinds"]'), "did you mean `kind`"),
    ):
        assert HEAD.replace(*slip) != HEAD
        assert message in " ".join(write_dataset(head=HEAD.replace(*slip)).issues())


def test_systems_count_once_however_many_comparisons_rest_on_them():
    report = verify_library(current_library, ["reliability.measured", "goodput.measured", "young_daly.measured"])
    assert report.totals["systems"] == 11 + 11 + 7 + 1  # clusters of one laboratory, zones of one cloud, fleets, Titan
    assert len(find("reliability.measured.law").systems) == len(find("goodput.measured.together").systems) == 11


def test_comparisons_on_the_same_rows_name_each_other():
    power, energy = find("energy.measured.power_of_tokens"), find("energy.measured.energy_of_tokens")
    assert power.same_rows == [energy] and energy.same_rows == [power]
    assert find("collectives.measured.switch_h200").same_rows == []
    assert comparisons._groups_sharing_rows({"a": ["b"], "b": ["a", "c"], "c": ["b"], "d": []}) == [
        {"a", "b", "c"},
        {"d"},
    ]


# ---------------------------------------------------------------- outside the range of the rows


def test_fitted_constant_warns_outside_the_range_of_its_rows(write_dataset):
    gap = make_comparison(
        write_dataset(), fit_parameters={beta: ("10 MB/s", "10 GB/s")}, formula=slope
    ).fitted_parameters["beta"]
    inside, outside = (Example(slope, {x: size, beta: gap}) for size in ("1 MB", "4 MB"))
    assert inside.validity_warnings == []
    (warning,) = outside.validity_warnings
    assert "sample hold for bytes 1,000 bytes to 2.05 million bytes" in warning.replace("\u202f", " ")
    with pytest.warns(OutsideValidity, match="hold for bytes"):
        slope.at(x="4 MB", beta=gap)


def test_format_and_size_that_were_not_measured_are_warned_about():
    (warning,) = find("serving.measured.fixed_bytes").validity_warnings[-1:]
    assert "bytes of one weight" in warning and "serving.measured.attained" in warning
    assert find("serving.measured.fixed_ours").validity_warnings == []
    decision = find("serving.decisions.batch").solve()
    assert any("serving.practice.eagle3" in text for text in decision.doubts(decision.ranking[0]))


# ---------------------------------------------------------------- seeded slips in real comparisons


@pytest.mark.parametrize("name", ["roofline.measured.flash3", "training.measured.mpt_h100"])
def test_unchanged_comparisons_hold(name):
    assert list(find(name).issues()) == []


WHOLE = ("causal", {"no": "1", "yes": "1"})


def test_full_count_for_causal_attention_is_caught():
    for case in (roofline_measured.flash3, roofline_measured.flash2, roofline_measured.cudnn):
        assert "worse" in issues_text(replace(case, columns={**case.columns, roofline_measured.z: WHOLE}))


def test_work_without_attention_is_caught():
    case = training_measured.mpt_h100
    assert "worse" in issues_text(replace(case, columns={**case.columns, training.w: training_measured.work_six}))
    assert training_measured.mpt_six.worst > 10 * case.worst


def test_swapped_columns_are_caught():
    case = training_measured.mpt_h100
    swapped = {**case.columns, training.s: "devices", training.n: "tokens"}
    assert issues_text(replace(case, columns=swapped))  # a count of devices is no length
    case = roofline_measured.flash3
    swapped = {**case.columns, roofline_measured.S: "head_width", roofline_measured.d: "tokens"}
    assert issues_text(replace(case, columns=swapped))


@pytest.mark.parametrize("unit", ["s", "µs", "min"])
def test_unit_slip_in_the_data_is_caught(unit, tmp_path):
    for end in ("csv", "toml"):
        text = (roofline_measured.attention.folder / f"attention_h100.{end}").read_text("utf-8")
        (tmp_path / f"attention_h100.{end}").write_text(text.replace('["ms", "time', f'["{unit}", "time'), "utf-8")
    slipped = Dataset("attention_h100", folder=tmp_path)
    assert "plausible" in issues_text(replace(roofline_measured.flash3, data=slipped))


def test_fit_on_rows_of_the_test_is_refused(write_dataset):
    found = make_comparison(write_dataset(), fit={"size": "<= 256"}, holdout={"size": ">= 128"})
    assert "on which it is to be judged" in issues_text(found)
    assert (
        issues_text(make_comparison(write_dataset(), fit={"kind": "a"}, holdout={"kind": "b"}, bound=("4 %", "7 %")))
        == ""
    )


def test_one_configuration_on_both_sides_is_refused(write_dataset):
    again = make_comparison(write_dataset([*rows(), "b,1,20.5"]))
    assert "the fit has seen `size 1 kB`" in issues_text(again)


# ---------------------------------------------------------------- what a comparison refuses


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bound": ("0.1 %", "5 %")}, "became worse"),
        ({"bound": ("20 %", "30 %")}, "notices nothing"),
        ({"holdout": {"size": "> 1000"}}, "tested on 2 rows"),
        ({"fit": {"size": "<= 2"}, "holdout": None}, "2 rows to fit 2 parameters on"),
        ({"fit_parameters": {alpha: ("1 µs", "1 ms"), beta: ("2 GB/s", "9 GB/s")}}, "plausible"),
        ({"fit_parameters": {alpha: ("0 s", "1 ms"), beta: ("2 GB/s", "9 GB/s")}}, "above zero"),
        ({"columns": {x: "sizes"}}, "did you mean `size`"),
        ({"columns": {}}, "nothing says which column is x"),
        ({"columns": {x: "time"}}, "cannot convert from 'µs' (time)"),
        ({"only": {"kinds": "a"}}, "no column `kinds`"),
        ({"holdout": {"kind": "c"}}, "no row"),
        ({"over": {"bytes": "sizes"}}, None),
    ],
)
def test_issue_of_a_comparison_has_the_line_of_its_author(write_dataset, changes, message):
    made = make_comparison(write_dataset(), **changes)
    if message is None:
        with expect_error(MathcoreError, code="unknown-key", place=False):
            made.text()
    else:
        assert message in issues_text(made) and "test_comparisons.py:" in issues_text(made)


def test_parameter_that_is_no_symbol_and_fit_without_a_split_are_refused_at_once(write_dataset):
    with expect_error(DeclarationError, code="unknown-key", place=False):
        make_comparison(write_dataset(), fit_parameters={t: ("1 s", "2 s")})
    with expect_error(DeclarationError, code="missing", expected="holdout=", place=False):
        make_comparison(write_dataset(), holdout=None)


# ---------------------------------------------------------------- what a dataset refuses


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('source = "daly2006"\n', ""), r"times\.toml:\d+: the data have no `source`"),
        (('licence = "MIT"', 'licence = " "'), "no `licence`"),
        (('"primary"', '"hearsay"'), "certainty must be one of"),
        (('["kB", "size of the message"]', '["kB", ""]'), r"toml:17: the column `size` has no meaning"),
        (('["kB", "size of the message"]', '["kB"]'), r"toml:17: the column `size` is"),
        (('["kB", "size of the message"]', '["furlong", "size"]'), r"toml:17: the column `size`: .*furlong"),
        (("size = ", "sizes = "), r"csv:1: the column `size` has no unit.*sizes"),
        (("[columns]", '[columns]\nlost = ["s", "a time"]'), "no column lost"),
        (("caveats", "caveat"), "did you mean `caveats`"),
    ],
)
def test_dataset_without_source_unit_or_meaning_is_refused(write_dataset, change, message):
    assert HEAD.replace(*change) != HEAD
    with pytest.raises(DeclarationError, match=message):
        write_dataset(head=HEAD.replace(*change)).rows  # noqa: B018


def test_cells_that_are_no_numbers_are_refused_all_at_once_with_their_lines(write_dataset):
    data = write_dataset(["a,1,20", "a,one,21", "b,2", "b,4,24 µs"])
    with pytest.raises(DeclarationError) as refused:
        data.rows  # noqa: B018
    message = str(refused.value)
    assert "times.csv:3: `one` in the column `size`" in message
    assert "times.csv:4: the row has more or fewer cells" in message and "times.csv:5: `24 µs`" in message
    assert list(data.issues())


def test_dataset_that_nobody_could_look_through_is_refused(write_dataset):
    with pytest.raises(DeclarationError, match="at most 500"):
        write_dataset([f"a,{i},1" for i in range(1, 502)]).rows  # noqa: B018


def test_empty_cell_is_accepted_but_not_compared(write_dataset):
    data = write_dataset([*rows(), "b,4096,"])
    assert data.rows[-1]["time"] is None
    assert "is empty in some rows" in issues_text(make_comparison(data))


# ---------------------------------------------------------------- where it is seen


def test_formula_knows_its_comparisons_by_way_of_the_module_that_measures():
    assert roofline_measured.flash3 in find("roofline.kernel_time").measured
    assert find("roofline.ridge").measured == ()
    assert current_library.comparison_modules("roofline") == ["roofline.measured"]


def test_every_comparison_is_in_a_module_that_its_formula_loads():
    assert all(current_library.module(name) for name in current_library.names())
    held = [(formula.address, each.address) for formula, found in statements.comparisons_of.items() for each in found]
    homes = {tuple(current_library.split(address)[0] for address in pair) for pair in held if all(pair)}
    assert len(homes) > 20
    assert [pair for pair in homes if pair[1] not in (pair[0], *current_library.comparison_modules(pair[0]))] == []
    assert "audit.measured" not in current_library.comparison_modules("roofline")


def test_badge_says_what_was_measured_or_that_nothing_was():
    assert [badge.astext() for badge in comparisons.comparison_badges(find("roofline.ridge"))] == ["not measured"]
    formula = find("roofline.kernel_time")
    own = [each for each in formula.measured if each.formula is formula]
    first, blank, more = (badge.astext() for badge in comparisons.comparison_badges(formula))
    assert first.startswith(f"{own[0].unseen} configurations of 1 system: ")
    assert blank == " " and more == f"and {len(own) - 1} more, below"


def test_badge_of_a_part_names_the_formula_that_was_compared(write_dataset):
    """A formula that only enters the prediction of another has not been compared itself."""
    part = Formula(t, x / beta)
    make_comparison(write_dataset(), also=(part,))
    [badge] = comparisons.comparison_badges(part)
    assert badge["attrs"]["data-measured"] == "no" and badge.astext() == "measured only as a part of: time"


def test_interval_narrower_than_its_digits_is_not_printed(write_dataset):
    wide = comparisons.result_texts(of_machines(write_dataset(machines())))["parameters"]
    exact = of_machines(write_dataset(machines(apart=0, within=0)))
    [narrow] = comparisons.result_texts(exact)["parameters"]
    assert exact.fitted_parameters["beta"].interval
    assert all(" to " in gap for gap in wide) and " to " not in narrow


def test_page_describes_each_data_set_once():
    page = SimpleNamespace(env=SimpleNamespace(temp_data={}))
    cube, floor = energy_measured.saved, energy_measured.saved_with_floor
    assert cube.data is floor.data
    first, second = (comparisons._data_text(page, case) for case in (cube, floor))
    assert cube.data.caveats in first and floor.data.caveats not in second and cube.system in second


def test_page_prints_what_a_comparison_found_and_refuses_what_it_has_not():
    case = "training.measured.mpt_h100"
    assert resolve_value(f"{case}.unseen").text == "17" and resolve_value(f"{case}.u | %, 2").text == "41\u202f%"
    assert (
        resolve_value(f"{case}.u_low").quantity
        < resolve_value(f"{case}.u").quantity
        < resolve_value(f"{case}.u_high").quantity
    )
    with pytest.raises(InvalidValue, match="it has u, u_low"):
        resolve_value(f"{case}.eta")


def test_digest_of_a_formula_changes_with_what_was_measured_of_it(write_dataset):
    made = Formula(t, x / beta)
    alone, held = set(), set()  # a digest holds all that is named on the way
    content_hash._parts(made, alone)
    make_comparison(write_dataset(), formula=made, fit_parameters={beta: ("10 MB/s", "10 GB/s")})
    content_hash._parts(made, held)
    assert (alone, len(held)) == (set(), 1)


def test_shell_shows_the_comparisons_of_a_formula():
    output = text_output.details_text(find("roofline.kernel_time"))
    assert "measured: 17 configurations of 1 system" in output and "roofline.measured.product" in output
    assert "  not measured" in text_output.details_text(find("roofline.ridge"))
    assert "eta = " in text_output.details_text(find("roofline.measured.product"))


def test_every_file_of_measured_data_is_read_by_a_dataset():
    named = {
        statement.file
        for name in current_library.names()
        for _, statement in current_library.statements(name)
        if isinstance(statement, Dataset)
    }
    assert {path.stem for path in current_library.path("").glob("*/datasets/*")} == named


def test_fitted_parameter_is_a_given_with_a_value_and_both_ends():
    gap = training_measured.mpt_h100.fitted_parameters["u"]
    assert gap.low < gap.value < gap.high and gap.at_bound("low").value == gap.low
    assert isinstance(gap.value, Quantity) and gap.address == "training.measured.mpt_h100.u"


@pytest.mark.parametrize(
    ("late", "at_work"),
    [
        (serving_measured.late_floor, serving_tails.batch_ours),
        (serving_measured.late_floor_planned, serving_measured.mean_floor),
        (serving_measured.late_bytes, serving_measured.mean_bytes),
    ],
    ids=["floor", "floor, planned", "clock"],
)
def test_share_of_late_tokens_is_that_of_the_process_state_by_state(late, at_work):
    # k requests at work end at k / (g (t_a + t_b k)): what enters a state in a second leaves it
    given = {v.name: x.to_base_units().magnitude for v, x in at_work.givens.items()}
    weights = [1.0]
    for k in range(1, 2000):
        weights.append(weights[-1] * given["lam"] * given["g"] * (given["t_a"] + given["t_b"] * k) / k)
    most = next(x.m_as("") for v, x in late.givens.items() if v.name == "B_p")
    tokens = [k * w for k, w in enumerate(weights)]
    exact = math.fsum(x for k, x in enumerate(tokens) if k > most) / math.fsum(tokens)
    assert late.value.m_as("") == pytest.approx(exact, abs=0.02)
    assert (
        late.value.m_as("") > exact or exact > 0.2
    )  # where the promise is nearly kept, the law is no kinder than that


# ---------------------------------------------------------------- seeded slips in one column


@pytest.mark.parametrize(
    ("case", "symbol", "column", "message"),
    [
        # the port in bits read as bytes: eight times too fast, so no share of it is plausible
        (collectives_measured.rails_alps, "b_p", "200 GB/s", "is .* % off|at the edge"),
        # ranks where nodes are meant: the time inside a node would have to be negative
        (collectives_measured.tree_alps, "M", "ranks", "at the edge"),
        # nodes where ranks are meant: a ring of nodes has too few steps
        (collectives_measured.gather, "p", "nodes", "is .* % off|at the edge"),
        # stages and micro-batches swapped
        (parallelism_measured.bubbles_v100, "p", "micro_batches", "is .* % off"),
        # a moment of the optimizer forgotten
        (parallelism_measured.saved_by_sharding, "w_o", "8 B", "is .* % off"),
        # both directions of the links: a sum would take three times what is counted
        (parallelism_measured.sum_h100, "beta_i", "900 GB/s", "is .* % off"),
        # two nodes taken for one of sixteen devices: the ports between them forgotten
        (parallelism_measured.sum_two_nodes, "G", "16", "is .* % off"),
        # the smaller run taken for the larger one: nothing would be lost by growing
        (speedup_measured.waiting, "N", "first_devices", "the fit has seen"),
        (speedup_measured.serial, "N_0", "devices", "is .* % off"),
        # the rate of recomputed operations taken for that of useful ones: the plan ends too soon
        (audit_measured.before, "u", "47 %", "is .* % off"),
        # the peak with sparsity
        (audit_measured.steps_alone, "P", "1979 TFLOP/s/gpu", "is .* % off"),
        # the time watched taken for the time of the run
        (audit_measured.interruptions, "t", "time", "is .* % off"),
        # the clock in per cent of what it is: the slope of the cube would be another
        (energy_measured.cube, "f", "slowdown", "is .* % off|at the edge|must be"),
        # the building counted once more
        (energy_measured.energy_of_tokens, "PUE", "1.6", "is .* % off|at the edge"),
        # tokens of all devices for those of one
        (energy_measured.energy_of_tokens, "p_t", "300 W/gpu", "at the edge"),
        # the price of an hour on demand taken for that on the spot market
        (ownership_measured.spot_ratio, "q", "spot", "at the edge|the fit has seen"),
        # months read as years
        (ownership_measured.falling, "d", "1.6 /year", "is .* % off"),
        # weights of one byte throughout, as the format's name has it
        (serving_measured.one_byte, "w", "1 B", "is .* % off"),
        # the slowest token held against itself
        (serving_measured.slowest_separate, "t_m", "slowest", "notices nothing"),
        (serving_measured.slowest_alone, "t_m", "slowest", "notices nothing"),
        # the smallest run taken for the larger one
        (speedup_measured.against_devices, "N_0", "devices", "is .* % off"),
        # devices taken for tokens of a batch
        (speedup_measured.critical, "B", "tokens", "is .* % off|at the edge"),
        # the time of a run in hours: hardly any of it would be its ends
        (energy_measured.with_ends, "T_l", "3 h", "is .* % off|at the edge"),
        # weights of four bytes for activations of two
        (parallelism_measured.longer_sequences, "w", "4 B", "notices nothing"),
        # the peak with sparsity
        (roofline_measured.flash3, "P", hardware.h100_bf16_sparse, "plausible"),
        # the peak of the machine for that of a device
        (training_measured.mpt_h100, "P", "989.4 TFLOP/s", "of one device"),
        # bits for bytes, weights of the wrong format, a count in the wrong place
        (serving_measured.attained, "beta", "3350 Gbit/s/gpu", "."),
        (serving_measured.attained, "w", "1 B", "."),
        (serving_measured.attained, "l", "devices", "."),
        # gas taken for coal
        (energy_measured.mix, "s_c", "gas", "is .* % off|at the edge"),
    ],
)
def test_seeded_slip_in_a_comparison_is_caught(case, symbol, column, message):
    assert not issues_text(case)
    wrong = replace(case, columns={k: column if str(k) == symbol else x for k, x in case.columns.items()})
    assert wrong.columns != case.columns
    assert re.search(message, issues_text(wrong))


# ---------------------------------------------------------------- ranges marked on sliders


def slider(**changes):
    stated = {"unit": "%", "low": 5, "high": 75, "step": 1, "default": 40, "measured": "training.measured.mpt_h100.u"}
    return Slider(training.u, **{**stated, **changes})


def test_slider_is_marked_with_the_interval_of_a_fitted_parameter_in_its_own_unit():
    gap = training_measured.mpt_h100.fitted_parameters["u"]
    assert slider().spec()["measured"] == pytest.approx([gap.low.m_as("%"), gap.high.m_as("%")])


def test_slider_is_marked_between_two_statements():
    ends = ("audit.deadline.mfu_low", "audit.deadline.mfu_high")
    assert slider(measured=ends).spec()["measured"] == pytest.approx([30, 45])


def test_slider_says_how_a_range_was_found_that_nobody_measured():
    assert "seen" not in slider().spec()
    assert slider(seen="inferred").spec()["seen"] == "inferred"
    spread = next(i for i in find("speedup.explorer").spec()["inputs"] if i["name"] == "v")
    assert spread["seen"] == "inferred, if all growth is waiting"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"high": 30, "default": 20}, "extend the slider"),
        ({"measured": ("audit.deadline.mfu_high", "audit.deadline.mfu_low")}, "extend the slider"),
        ({"measured": "training.measured.mpt_h100.v"}, "v"),
        ({"measured": ("audit.deadline.mfu_lo", "audit.deadline.mfu_high")}, "there is no statement"),
        ({"measured": ("audit.fleet.write", "audit.fleet.write")}, "time"),
    ],
)
def test_mark_outside_the_slider_or_without_a_target_is_refused(changes, message):
    with pytest.raises(MathcoreError, match=message):
        slider(**changes).spec()


def test_comparisons_on_the_same_rows_count_once():
    counts = check_module(current_library, "energy.measured")["counts"]
    assert energy_measured.power_of_tokens.split_rows.holdout == energy_measured.energy_of_tokens.split_rows.holdout
    assert 0 < counts["as_expected"] < counts["fitted"] < counts["independent"] < counts["comparisons"]


def test_rows_from_elsewhere_are_compared_by_the_published_script(write_dataset):
    """3,000 kB at latency and bandwidth of the fit and 10 % more time; a row that the repository has is left out."""
    case = make_comparison(write_dataset())
    known, fitted = case.data.rows[0], case.fitted_parameters
    latency, rate = (fitted[name].value.m_as(unit) for name, unit in (("alpha", "µs"), ("beta", "kB/µs")))
    new = {"kind": "b", "size": "3000", "time": str((latency + 3000 / rate) * 1.1)}
    old = {"size": known["size"].m_as("kB"), "time": known["time"].m_as("µs")}
    count, median, worst = holdout_rows.judged(case, [new, old])
    assert count == 1 and median == worst == pytest.approx(1 - 1 / 1.1, rel=1e-6)
