"""Protects the code that runs in the reader's browser: its own tests, and its words against Python's.

What does not need a page runs in Node: numbers, quantities, charts, calculators, answers, progress.
"""

import json
import math
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
import sample_formulas
from mathbook import functions
from page_functions import in_page, run_node
from typed_answers import diagnose

from mathcore import Formula, Variable, units
from mathcore.examples import given_symbols
from mathcore.library import current_library
from mathcore.number_format import number_text, spell_quantity
from mathcore.special import gammainc_regularized, log_gamma, neg_inv_lambertw0_minus1, one_plus_lambertw0
from mathcore.teaching import Axis, Calculator, Curve, Exercise, Slider
from mathcore.teaching.exercises import variant_indices

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"
OWN = sorted(STATIC.glob("*.js"))
FOREIGN = re.compile(r"https?:|\beval\(|new Function|console\.|\bimport\(|XMLHttp|fetch\(")
TESTS = sorted((ROOT / "tests" / "javascript").glob("*.test.js"))

pytestmark = pytest.mark.node


ALL = "process.argv.slice(1).forEach((path) => require(path))"  # one process: each would cost another


def test_scripts_pass_their_own_tests():
    output = run_node("-e", ALL, *TESTS)
    assert int(re.search(r"# pass (\d+)", output)[1]) > 50


def test_script_that_fails_is_found(tmp_path):
    failing = tmp_path / "failing.test.js"
    failing.write_text('require("node:test")("failing", () => { throw new Error("failing"); });')
    with pytest.raises(AssertionError, match="failing"):
        run_node("-e", ALL, failing)


# ---------------------------------------------------------------- names

BROWSER = (
    "Blob CustomEvent DOMParser Event HTMLElement IntersectionObserver MiniSearch MutationObserver ResizeObserver URL "
    "URLSearchParams Worker XMLSerializer addEventListener cancelAnimationFrame clearInterval clearTimeout confirm "
    "customElements dispatchEvent document fetch getComputedStyle history innerHeight innerWidth localStorage location "
    "matchMedia navigator print requestAnimationFrame self setInterval setTimeout"
)
NODE = "URL __dirname module process require setImmediate"
WORKER = "FILES URL VERSION caches fetch self"  # the build puts FILES and VERSION in


def undefined_names(known, *paths):
    """Return `file:line: name` for each name that neither its script nor `known` declares."""
    found = run_node("tests/javascript/undefined-names.js", *paths, folder=ROOT).splitlines()
    return [each for each in found if each.rpartition(" ")[2] not in known.split()]


def test_scripts_use_no_undefined_name():
    extension = ROOT / "book" / "_ext"
    worker = extension / "mathbook" / "worker.js"
    assert undefined_names(BROWSER, *OWN, *extension.glob("formats/*.js")) == []
    assert undefined_names(WORKER, worker) == []
    assert undefined_names(NODE, *extension.glob("mathbook/[!w]*.js"), *TESTS[0].parent.glob("*.js")) == []


def test_name_that_a_renaming_left_behind_is_found(tmp_path):
    """The state of a calculator by its former name, in a function that runs on a click."""
    source = (STATIC / "mc-question.js").read_text("utf-8")
    changed = tmp_path / "mc-question.js"
    changed.write_text(source.replace("{ ...calculator.state }", "{ ...explorer.state }"), "utf-8")
    assert [each.rpartition(" ")[2] for each in undefined_names(BROWSER, changed)] == ["explorer"]


# ---------------------------------------------------------------- the same words as in Python


def in_the_browser(expression, values):
    """Return `expression` of each value `v`, computed with the page's core and its units."""
    scripts = ["mc-core.js", "mc-special.js", functions.units_script(), "mc-exercise.js", "mc-question.js"]
    return in_page(f"data.map((v) => {expression})", scripts, values)


def some_numbers():
    draw = random.Random(7)
    drawn = [draw.choice((-1, 1)) * 10 ** draw.uniform(-6, 9) for _ in range(600)]
    ties = [n / 8 for n in range(1, 400)] + [n + 0.5 for n in range(990, 1010)]
    edges = [0, 1, 10, 9.995, 9.9949, 999.5, 9999, 9999.5, 99995, 1e6, 9.994e6, 9.995e6, 1e7, 1e-3]
    return drawn + ties + edges + [9.99e-4, 9.995e-4, 9.996e-4, 5e-324, 1.7e308]


def test_numbers_have_the_same_text():
    cases = [[value, digits] for digits in (1, 2, 3, 6) for value in some_numbers()]
    found = in_the_browser("mc.format(...v)", cases)
    assert found == [number_text(float(value), digits) for value, digits in cases]


def test_plain_counts_have_the_same_text():
    counts = [0, 1, 4, 12, 133, 4096, 16384, 1_297_321, -3, -0.4]
    assert in_the_browser("mc.format(v, 0)", counts) == [number_text(float(c), 0) for c in counts]


UNITS = [
    "gpu", "USD", "kUSD", "MUSD", "year", "d", "h", "min", "%", "token", "Ttoken", "gpu·h", "gpu·year", "USD/gpu/h",
    "USD/gpu/year", "USD/Mtoken", "USD/gpu", "USD/h", "USD/GiB", "USD/TB", "USD/kWh", "USD/EFLOP", "USD/t", "token/s",
    "token/s/gpu", "TFLOP/s", "TFLOP/s/gpu", "FLOP/B", "FLOP/token/B", "g/kWh", "g/gpu/h", "W/gpu", "kB/token", "B",
    "B/token", "/s", "/d", "/h", "/gpu/h", "%/year", "Gtoken/d", "GB·h", "PFLOP·d/s", "MB/TiB/s",
]  # fmt: skip


def test_quantities_have_the_same_words():
    stated = [1, 1.5, 2.25, 16384, 600_000, 6_000_000, 70_550_000_000, 405_853_388_800, -3.5, -20]
    cases = [[value, unit] for value in stated for unit in ["", *UNITS]]
    found = in_the_browser("mc.stated(...v)", cases)
    assert found == [spell_quantity(number_text(float(value), None), unit) for value, unit in cases]
    powers = [1.234e-5, 4.2e-7, 1e-9, -6.5e-6, 3.1e7, -4.67e10, 8e13, 9.995e8, 2e16]
    cases += [[value, unit] for value in powers for unit in ["", "s", "W", "J/token", "FLOP", "USD/token", *UNITS]]
    rounded = in_the_browser("mc.show(v[0], v[1])", cases)
    assert rounded == [spell_quantity(number_text(float(value), 3), unit) for value, unit in cases]


def test_givens_are_the_same_in_an_equation():
    cases = [
        [value, name]
        for value in (1, 16384, 999_999, 1_000_000, 70_550_000_000, -3_000_000, 405_853_388_800)
        for name in ("", "gpu", "TFLOP/s/gpu", "token")
    ]
    assert in_the_browser("mc.symbols(...v)", cases) == [
        given_symbols(units.Quantity(float(value), units.unit(name))) for value, name in cases
    ]


EXACT = Variable("N_e", "gpu", "devices before rounding")
DEVICES = Formula(EXACT, sample_formulas.m / sample_formulas.M)
CLUSTER = Calculator(
    "How many devices?",
    (
        Slider(sample_formulas.m, "gpu h", 1, 10000, 1, 1000),
        Slider(sample_formulas.M, "h", 1, 10, 1, 1),
        Slider(sample_formulas.N, "gpu", 1, 10000, 1, 1000),
    ),
    Axis(sample_formulas.N, "gpu", 1, 10000),
    Axis(sample_formulas.M, "h", 0),
    (Curve("time", sample_formulas.cluster),),
    commit=(sample_formulas.N, DEVICES, sample_formulas.cluster),
)
OPTIMUM = """(() => {
  const seen = [], input = (name) => ({ name, unit: "", factor: 1, label: name });
  mc.define({ best: { args: ["m"], f: (m) => m }, loss: { args: ["N"], f: (N) => seen.push(N) } });
  const commit = { input: "N", f: "best", loss: { f: "loss" }, bound: 0.065, whole: true };
  mc.question.judged({ commit, inputs: [input("m"), input("N")] }, { m: v, N: 1 });
  return seen[1];
})()"""


def test_optimal_count_is_rounded_up_but_for_the_error_of_the_arithmetic():
    rounded = {5163.01: 5164, 5163.0000001: 5163, 5162.9999999: 5163, 5163.0: 5163, 1.2: 2}
    hour = sample_formulas.M.quantity(3600.0)
    assert in_the_browser(OPTIMUM, list(rounded)) == list(rounded.values())
    state = {sample_formulas.M: hour}
    counts = [CLUSTER.optimum(state | {sample_formulas.m: sample_formulas.m.quantity(exact)}) for exact in rounded]
    assert [count.m_as("gpu") for count in counts] == list(rounded.values())


def test_exponents_of_a_line_are_raised():
    lines = ["{x}^{alpha} + 1", "0.7^(1 + {gamma}) / 2", "2^(x^(y + 1))", "no power"]
    assert in_the_browser("mc.raised(v)", lines) == [
        "{x}<sup>{alpha}</sup> + 1",
        "0.7<sup>1 + {gamma}</sup> / 2",
        "2<sup>x<sup>y + 1</sup></sup>",
        "no power",
    ]


def test_diagnoses_have_the_same_words():
    slips = [2, math.sqrt(2), 8, 24, 60, 100, 3600, 1.024, 1.024**2, 1.024**3, 1e3, 1e-5, -1, 0, 1.004, 3]
    cases = [[right * slip, right] for right in (0.48, 61.97, 3718.06, 2e9) for slip in slips]
    cases += [[1 / slip, 1] for slip in slips if slip] + [[5, 0], [70.0, 100.0], [0.2, 5.0]]
    usual = '[{label: "usual", value: 70.1}]'
    kinds = (("", {}, ""), ("%", {}, "2"), ("", {}, "1/2"), ("s", {"time": 1}, "√2"))
    for unit, dim, two in (*kinds, ("GB/s", {"information": 1, "time": -1}, "√1/2")):
        asked = json.dumps({"unit": unit, "dim": dim, "two": two})
        found = in_the_browser(f"mc.diagnose(v[0], v[1], {usual}, 0.01, {asked})", cases)
        expected = [diagnose(given, right, [("usual", 70.1)], 0.01, unit, "", two) for given, right in cases]
        assert found == [{"verdict": each.verdict, "text": each.text} for each in expected]


def test_variants_draw_the_same_numbers():
    seeds = [*range(250), 2**31, 2**32 - 1]
    found = in_the_browser("mc.pickIndices(v, [3, 4, 5, 1, 7])", seeds)
    assert found == [variant_indices(seed, [3, 4, 5, 1, 7]) for seed in seeds]


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.exhaustive), 10])
def test_new_numbers_of_exercises_are_new(every):
    """Press the button eight times: no draw repeats the one before, none is the stated one."""
    exercises = [e for a, e in current_library.walk() if isinstance(e, Exercise) and any(e.variants.values())][::every]
    specs = [{"givens": e.spec()["givens"]} for e in exercises]
    pressed = "(() => { const seen = [0]; for (let i = 0; i < 8; i++) seen.push(mc.exercise.nextSeed(v, seen[i])); "
    found = in_the_browser(pressed + "return seen; })()", specs)
    repeated = [e.address for e, seen in zip(exercises, found, strict=True) if repeats(e, seen)]
    assert len(exercises) > 220 / every and repeated == []
    assert repeats(exercises[0], [0, 0]) and repeats(exercises[0], [0, 3, 3]) and repeats(exercises[0], [0, 3, 0])


def repeats(exercise, seeds):
    """Return whether the numbers of a draw are those of the one before, or the stated ones."""
    drawn = [tuple(map(str, exercise.givens_of(seed).values())) for seed in seeds]
    return any(now == before or now == drawn[0] for before, now in pairwise(drawn))


def test_one_plus_lambertw0_has_the_same_value():
    values = [10 ** (k / 20) for k in range(-240, 81)]
    found = in_the_browser("mc.one_plus_lambertw0(v)", values)
    assert found == pytest.approx([one_plus_lambertw0(value) for value in values], rel=1e-13, abs=0)


def test_odds_of_lambert_have_the_same_value():
    values = [10 ** (k / 20) for k in range(-240, 56)]
    found = in_the_browser("mc.neg_inv_lambertw0_minus1(v)", values)
    assert found == pytest.approx([neg_inv_lambertw0_minus1(value) for value in values], rel=2e-13, abs=0)


def test_gamma_and_its_relatives_have_the_same_values():
    values = [10 ** (k / 8) for k in range(-32, 33)]
    found = in_the_browser("mc.log_gamma(v)", values)
    assert found == pytest.approx([log_gamma(value) for value in values], rel=1e-13, abs=1e-13)
    shapes, ratios = (0.5, 1, 2.5, 7, 60, 420), (0.1, 0.9, 1, 1.1, 3)
    cases = [[a, a * ratio, upper] for a in shapes for ratio in ratios for upper in (0, 1)]
    found = in_the_browser("mc.gammainc_regularized(...v)", cases)
    assert found == pytest.approx([gammainc_regularized(*case) for case in cases], rel=1e-11, abs=0)
    values = [-2, -0.5, 0, 1e-6, 0.3, 1, 2, 5]
    assert in_the_browser("mc.erfc(v)", values) == pytest.approx(list(map(math.erfc, values)), rel=1e-13)


# ---------------------------------------------------------------- what the files hold


def test_scripts_ask_no_other_host():
    found = {path.name: FOREIGN.findall(path.read_text()) for path in OWN}
    # Python comes from beside the script that asks for it, and from nowhere else
    assert found.pop("mc-live-worker.js") == ["fetch("]
    assert "fetch(home + name)" in (STATIC / "mc-live-worker.js").read_text()
    assert {name: signs for name, signs in found.items() if signs} == {}
    assert FOREIGN.findall('fetch("https://example.org")') == ["fetch(", "https:"]


def test_style_asks_no_other_host():
    assert re.findall(r"https?:|@import|url\(", (STATIC / "book.css").read_text()) == []
