"""Decisions against closed forms, brute force in plain Python, and areas that are known; and what they refuse."""

import html
import itertools
import math
import re
import types
from dataclasses import replace

import pytest
import sympy
from built_site import SITE
from mathbook.decisions import compute_row_texts, compute_texts
from mathbook.values import InvalidValue, resolve_value

from mathcore import (
    ArgumentError,
    Decision,
    DeclarationError,
    Example,
    Fact,
    Formula,
    Max,
    Range,
    Variable,
    find,
    geomspace,
    units,
)
from mathcore.__main__ import main
from mathcore.commands.text_output import solution_text
from mathcore.commands.verification import check_statement, empty_counts
from mathcore.library import current_library
from mathcore.measured import PairedError
from mathcore.measured.split import SplitRows

EXACT = ("0 %", "plain arithmetic")
SOURCED = {"kind": "paper", "source": "daly2006", "date": "2006"}


def count(name, meaning="a count", **more):
    return Variable(name, "", meaning, **more)


def issues(decision):
    return list(decision.issues())


# --- the best option ---------------------------------------------------------------------------


def test_the_newsvendor_orders_the_critical_fractile():
    """Of a demand uniform up to D, sold at p and bought at c, the best order is D (1 − c/p)."""
    q, p, c, D = (count(name, name, zero=True) for name in ("q", "p", "c", "D"))
    profit = count("profit", "expected profit", low="-1e9")
    decision = Decision(
        "How many papers?",
        options={q: tuple(range(0, 201))},
        given={p: "5", c: "2", D: "200"},
        maximise=Formula(profit, p * (q - q**2 / (2 * D)) - c * q),
        error=EXACT,
        expects={q: 120},
    )
    assert decision.best().option.numbers[q] == 200 * (1 - 2 / 5)
    assert decision.best(c="1").option.numbers[q] == 160
    assert issues(decision) == []


def test_an_integer_that_is_missed_by_rounding_is_feasible_as_in_the_formula():
    x, y = count("x", "a number"), count("y", "a share")
    k = count("k", "a whole number", integer=True)
    whole = Formula(k, x * y)
    decision = Decision("Which?", options={x: (48, 49)}, given={y: 1 / 49}, minimise=whole, error=EXACT)
    assert 49 * (1 / 49) != 1.0  # in floats
    found = decision.solve()
    assert (found.best.label, found.best.value.magnitude) == ("x=49", 1.0)
    assert found.best.value == whole.at(x=49, y=1 / 49) and list(found.feasible) == [False, True]


def test_lever_is_set_by_its_word_as_an_input_is():
    q, k, c = count("q", alias="quantity"), count("k", "a cost"), count("c", "a price", alias="price")
    cost = Formula(k, c / q)
    decision = Decision("How many?", options={q: (1, 2, 4)}, given={c: "8"}, minimise=cost, error=EXACT)
    assert decision.best(quantity="2", price="6").value.m_as("") == decision.best(q="2", c="6").value.m_as("") == 3
    with pytest.raises(ArgumentError, match=r"it takes c \(price\), q \(quantity\)"):
        decision.best(amount="2")


def test_best_option_at_an_end_of_a_tie_has_one_row():
    """Of options from 1 to 5 with nearly equal costs the cheapest is also an end of those that tie."""
    q, k = count("q"), count("k", "a cost")
    cost = Formula(k, 1 + q / 1000)
    decision = Decision(
        "How many?", options={q: (1, 2, 3, 4, 5)}, given={}, minimise=cost, error=("5 %", "a test"), expects="tie"
    )
    labels = [row.label for row in decision.table()]
    assert len(labels) == len(set(labels)) and decision.best().label == labels[0]


def by_place(dip=0):
    """Return a decision on five numbers in two places: in one they cost 1.001 to 1.005, in the other twice as much."""
    q, k, c = count("q"), count("k", "a cost"), count("c", "a price")
    cost = Formula(k, c * (1 + q / 1000 + dip * (q - 1) * (q - 2) * (5 - q)))
    return Decision("How many, and where?", options={"where": {"near": {c: "1"}, "far": {c: "2"}}, q: (1, 2, 3, 4, 5)},
                    given={}, minimise=cost, error=("5 %", "a test"), labels={q: "{} GPUs"}, expects="tie")  # fmt: skip


def test_tie_in_one_lever_among_several_is_stated_by_its_ends():
    """The five in the near place tie; of the far place the cheapest is the only runner-up."""
    solution = by_place().solve()
    assert [(row.label, row.status) for row in solution.table()] == [
        ("near, 1 GPUs", "best"),
        ("near, 5 GPUs", "tied"),
        ("far, 1 GPUs", "runner-up"),
    ]
    assert "All options from 1 to 5 GPUs, otherwise the same, tie with it" in solution.sentence()
    assert solution.short_verdict().endswith("; tied: all from 1 to 5 GPUs")


def test_row_of_a_page_names_only_what_differs_from_the_best_option():
    """A usual setting is named where the best option has another one, and all are where none agrees."""
    q, k, c = count("q"), count("k", "a cost"), count("c", "a price")
    decision = Decision(
        "How?",
        options={"where": {"near": {c: "1"}, "far": {c: "2"}}, "how": {"fast": {}, "slow": {k: "9"}}, q: (1, 2)},
        given={k: "1"}, minimise=Formula(count("y"), c * k / q), labels={q: "{} GPUs"},
        usual={"how": "slow"}, error=("0 %", "a test"), expects="win",
    )  # fmt: skip
    labels = decision.solve().labels
    options = {labels.of_option(each): each for each in decision.space}
    best = options.pop("near, fast, 2 GPUs")
    assert {label: labels.relative(each, best) for label, each in options.items()} == {
        "near, fast, 1 GPUs": "… 1 GPUs", "near, 2 GPUs": "… slow", "near, 1 GPUs": "… slow, 1 GPUs",
        "far, fast, 2 GPUs": "… far", "far, fast, 1 GPUs": "… far, 1 GPUs", "far, 2 GPUs": "… far, slow",
        "far, 1 GPUs": "far, 1 GPUs",
    }  # fmt: skip
    # only the usual setting is shared, which no label states
    assert labels.relative(options["far, 1 GPUs"], options["near, 2 GPUs"]) == "far, 1 GPUs"


def test_tie_with_a_worse_option_between_its_ends_is_listed():
    """Three and four cost 8 and 12 % more: one, two and five tie, but not all from one to five."""
    solution = by_place(dip=sympy.Rational(1, 50)).solve()
    assert len(solution.tied) == 3 and solution.tie_ends() == []
    assert "All options" not in solution.sentence()
    assert "Two other options tie with it: they are worse by no more than" in solution.sentence()


def test_value_of_an_objective_that_is_the_lever_is_not_repeated():
    """The least number of 3 or more is 3; with an absolute error of 1, 4 ties although it differs by exactly 1."""
    b, least = (Variable(name, "d", "a time", low="0 d") for name in ("b", "b_0"))
    decision = Decision("How many days?", options={b: tuple(f"{n} d" for n in range(1, 7))}, given={least: "3 d"},
                        minimise=b, constraints={"enough": b >= least}, error=("1 d", "a test"),
                        labels={b: "slack"}, expects="tie")  # fmt: skip
    texts = compute_texts(decision)
    days = [f"{n}\u202fday{'s' * (n > 1)}" for n in range(6)]
    assert texts["sentence"] == (
        f"The best option is slack {days[3]}. Another option ties with it: "
        f"it is worse by no more than the error of a predicted difference ({days[1]})."
    )
    head, rows = texts["options"]
    assert head == ["option", "worse by", "result"]
    assert rows[:2] == [[f"slack {days[3]}", rows[0][1], "best"], [f"slack {days[4]}", days[1], "tied"]]
    assert decision.solve().short_verdict() == f"slack {days[3]}; tied: slack {days[4]}"


@pytest.fixture
def interval():
    C, M = Variable("C", "s", "write time"), Variable("M", "s", "MTBF", display_unit="h")
    tau, waste = Variable("tau", "s", "interval", display_unit="min"), count("waste", "wasted share", display_unit="%")
    return Decision(
        "Which interval?",
        options={tau: geomspace("1 min", "10 h", 400)},
        given={C: "4 min"},
        minimise=Formula(waste, C / tau + tau / (2 * M)),
        uncertain={M: Range("4 h", "16 h", source="an assumption", value="8 h")},
        error=("5 %", "an assumption"),
        expects={tau: ("40 min", "100 min")},
        labels={tau: "interval"},
    )


def test_variant_has_its_own_line_and_is_otherwise_the_same(interval):
    (C,) = interval.given
    other = interval.variant(question="Which interval on slow storage?", given={C: "8 min"})
    file, line = other.where.rsplit(":", 1)
    assert file == interval.where.rpartition(":")[0] and int(line) > int(interval.where.rpartition(":")[2])
    assert (other.target, other.uncertain) == (interval.target, interval.uncertain)
    assert other.best().option.levers["tau"] > interval.best().option.levers["tau"]


def test_young_and_daly_on_a_grid(interval):
    (lever,) = interval.best().option.numbers
    steps = [option.numbers[lever] for option in interval.space]
    least = min(steps, key=lambda tau: 240 / tau + tau / (2 * 28800))
    assert interval.best().option.numbers[lever] == least == pytest.approx(math.sqrt(2 * 240 * 28800), rel=0.02)
    assert issues(interval) == []


def test_the_tie_around_an_optimum_is_as_wide_as_the_formula_says(interval):
    """√(2CM)·x wastes (x + 1/x)/2 times the least, which is 1.05 at x = 1.05 ± √(1.05² − 1)."""
    (lever,) = interval.best().option.numbers
    found = sorted(interval.solve().options[i].numbers[lever] for i in interval.solve().tied)
    best, width = math.sqrt(2 * 240 * 28800), math.sqrt(1.05**2 - 1)
    assert found[0] / best == pytest.approx(1.05 - width, rel=0.02)
    assert found[-1] / best == pytest.approx(1.05 + width, rel=0.02)
    assert interval.solve().verdict == "tie"
    assert [row.status for row in interval.table()] == ["best", "tied", "tied"]


def test_a_tie_is_broken_where_staying_costs_more_than_the_error(interval):
    """At an MTBF of M·y the interval of M wastes (√y + 1/√y)/2 times the least."""
    (change,) = interval.solve().changes
    width = math.sqrt(1.05**2 - 1)
    values = [crossing.value.m_as("h") for crossing in change.crossings]
    assert values == pytest.approx([8 * (1.05 - width) ** 2, 8 * (1.05 + width) ** 2], rel=0.04)
    assert all(crossing.inside for crossing in change.crossings)
    assert change.matters


@pytest.fixture
def machine():
    """Return a small space of layouts, with constraints of every kind and an alternative formula."""
    t, p, b = (count(name, name, integer=True) for name in "tpb")
    N, c, W, a = count("N", "devices"), count("c", "sums"), count("W", "work"), count("a", "activations")
    step, held, room = count("step", "time"), count("H", "memory"), count("room", "memory of a device")
    bubble = Formula(count("idle", "idling"), W * (p - 1) * b / 64)
    whole = Formula(step, W + bubble.lhs + c * (1 - 1 / t) + Max(0, 4 - b) / 10)
    return types.SimpleNamespace(t=t, p=p, b=b, room=room, c=c, W=W, decision=Decision(
        "Which layout?",
        options={t: (1, 2, 4, 8), p: (1, 2, 4, 8, 16), b: (1, 2, 4),
                 "recompute": {"none": {a: 3}, "full": {a: 1, W: Formula(W, sympy.Integer(4), kind="definition")}}},
        given={N: 128, c: "0.9", W: "3", room: "20", bubble.lhs: bubble, held: 100 / (t * p) + a * b * 8 / t},
        domain=(t * p <= N,),
        constraints={"memory": held <= room, "few stages": p <= 8},
        minimise=whole,
        uncertain={room: Range("10", "40", source="an assumption")},
        error=("1 %", "an assumption"),
        proposed={t: 8, p: 16},
        decides=(t, p, "recompute"),
        columns=(held,),
        labels={t: "TP", p: "PP"},
    ))  # fmt: skip


def brute_force(room=20.0, c=0.9):
    """Yield `(time, t, p, b, recompute)` of every feasible layout of the fixture, by loops."""
    for t, p, b, full in itertools.product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4), (False, True)):
        work, factor = (4, 1) if full else (3, 3)
        memory = 100 / (t * p) + factor * b * 8 / t
        if memory <= room and p <= 8 and t * p <= 128:
            yield work + work * (p - 1) * b / 64 + c * (1 - 1 / t) + max(0, 4 - b) / 10, t, p, b, full


def test_options_are_called_by_their_labels(machine):
    labels = {machine.t: "{} devices to a layer", "full": "full recomputation", machine.p: "PP"}
    label = replace(machine.decision, labels=labels).best().label
    assert re.fullmatch(r"\d devices to a layer, PP=\d+, b=\d, (none|full recomputation)", label)
    assert replace(machine.decision, labels=labels).name_of(machine.t) == "devices to a layer"


@pytest.mark.parametrize(
    ("loss", "text"),
    [(0.055, "5.5\u202f%"), (9.9, "990\u202f%"), (271.4, "270×"), (math.inf, "–"), (1e-16, "0\u202f%")],
)
def test_a_loss_is_a_percentage_only_below_a_thousand(machine, loss, text):
    assert machine.decision.solve().loss_text(loss) == text


def test_what_constraints_remove_is_counted_as_by_loops(machine):
    space = [*itertools.product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4), (3, 1))]
    layouts = [(100 / (t * p) + factor * b * 8 / t > 20, p > 8) for t, p, b, factor in space if t * p <= 128]
    full, deep = (sum(pair[i] for pair in layouts) for i in (0, 1))
    full_alone, deep_alone = (sum(pair[i] and not pair[1 - i] for pair in layouts) for i in (0, 1))
    fits = sum(not any(pair) for pair in layouts)
    texts = compute_texts(machine.decision)
    assert texts["counted"] == f"{fits} of {len(layouts)} options are feasible."
    assert texts["basis"][:2] == [
        f"“memory” excludes {full} options, of which {full_alone} would be feasible without it.",
        f"“few stages” excludes {deep} options, of which {deep_alone} would be feasible without it.",
    ]


@pytest.mark.parametrize("room", [9.0, 20.0, 60.0, 200.0])
@pytest.mark.parametrize("c", [0.01, 0.9, 5.0])
def test_the_best_of_a_space_is_that_of_loops(machine, room, c):
    found = machine.decision.solve(room=room, c=c)
    expected = sorted(brute_force(room, c))
    row, (least, t, p, b, full) = found.best, expected[0]
    assert row.value.magnitude == pytest.approx(least)
    assert row.label == f"TP={t}, PP={p}, b={b}, {'full' if full else 'none'}"
    assert int(found.feasible.sum()) == len(expected)
    groups = {}
    for time, t, p, _, full in expected:
        groups.setdefault((t, p, full), time)
    losses = [time / least - 1 for time in groups.values()]
    assert found.margin == pytest.approx(sorted(losses)[1])
    assert len(found.tied) == sum(loss <= 0.01 for loss in losses)


def test_break_even_values_in_a_space_are_those_of_loops(machine):
    found = machine.decision.solve()
    (change,) = found.changes
    for crossing in change.crossings:
        at = crossing.value.magnitude
        before, after = (min(brute_force(at * (1 + sign * 1e-6))) for sign in (-1, 1))
        assert before[1:3] != after[1:3] or found.verdict == "tie"


def test_an_option_that_a_constraint_removes_says_by_how_much(machine):
    found = machine.decision.solve()
    proposed = next(row for row in found.table() if "proposed" in row.status)
    assert proposed.label.startswith("TP=8, PP=16")
    assert "few stages: 16 > 8" in proposed.reason
    left = [row for row in found.table() if row.status == "left out"]
    assert left[0].value < found.best.value
    assert left[0].reason.startswith("memory: ")
    for row in found.table():  # a page and the shell state the objective of feasible options alone
        assert (row.value_text == "–") == (row.loss_text == "–") == bool(row.reason), row.label
    # every option with 16 stages violates that constraint, and 24 of these nothing else
    assert found.removed["few stages"][0] == 4 * 3 * 2
    assert found.removed["few stages"][1] == sum(
        100 / (t * 16) + factor * b * 8 / t <= 20 for t in (1, 2, 4, 8) for b in (1, 2, 4) for factor in (1, 3)
    )


def test_a_lever_can_be_fixed_and_an_input_given(machine):
    row = machine.decision.best(t="4", recompute="full")
    expected = min(each for each in brute_force() if each[1] == 4 and each[4])
    assert row.value.magnitude == pytest.approx(expected[0])
    with pytest.raises(ArgumentError, match=r"no input `rom`.*did you mean `room`"):
        machine.decision.best(rom="3")
    with pytest.raises(ArgumentError, match="it must be more than 0"):
        machine.decision.best(room="-3")
    with pytest.raises(ArgumentError, match="no option is feasible; most violate: memory"):
        machine.decision.best(room="1")
    with pytest.raises(ArgumentError, match=r"no option .* is left"):
        machine.decision.best(recompute="half")


# --- two options with a known root -----------------------------------------------------------------


def rent_or_buy(value="6000 h", low="3000 h", high="12000 h", **more):
    """Return the decision between a price per hour and a purchase with a lower one: equal at K/(r − m)."""
    h = Variable("h", "h", "hours of use", low="0 h", high="1e6 h", zero=True)
    r, m = (Variable(name, "USD/h", "price") for name in "rm")
    K, cost = Variable("K", "USD", "purchase"), Variable("cost", "USD", "total cost")
    rent, buy = Formula(cost, r * h), Formula(cost, K + m * h)
    return Decision(
        "Rent or buy?",
        **{
            "options": {"way": {"rent": {cost: rent}, "buy": {cost: buy}}},
            "given": {r: "3 USD/h", m: "1 USD/h", K: "10000 USD"},
            "minimise": cost,
            "uncertain": {h: Range(low, high, source="an assumption", value=value)},
            "error": EXACT,
            "expects": {"way": "buy"},
            **more,
        },
    )


def test_the_break_even_of_two_straight_lines():
    (change,) = rent_or_buy().solve().changes
    (crossing,) = change.crossings
    assert crossing.value.m_as("h") == pytest.approx(10000 / (3 - 1), rel=1e-6)
    assert (crossing.to, crossing.inside) == ("rent", True)
    # at 3,000 h buying costs 13,000 for the 9,000 of renting
    assert change.losses[0].replace("\u202f", " ") == "44 %"


def test_a_break_even_beyond_the_range_is_found_and_printed():
    (change,) = rent_or_buy(value="9000 h", low="6000 h").solve().changes
    assert [(round(c.value.m_as("h")), c.inside) for c in change.crossings] == [(5000, False)]
    assert not change.matters
    (change,) = rent_or_buy(value="90000 h", low="60000 h", high="150000 h").solve().changes
    assert change.crossings == ()  # 5,000 h is more than four times beyond the range


def test_an_absolute_error_makes_a_tie_of_costs():
    """At 6,000 h renting costs 18,000 and buying 16,000."""
    assert rent_or_buy(error=("1999 USD", "an assumption")).solve().verdict == "win"
    assert rent_or_buy(error=("2001 USD", "an assumption")).solve().verdict == "tie"
    assert rent_or_buy(error=("12 %", "an assumption")).solve().verdict == "win"
    assert rent_or_buy(error=("13 %", "an assumption")).solve().verdict == "tie"  # 2,000 of 16,000 are 12.5 %


# --- shares and regret ---------------------------------------------------------------------------


def two_ways(expression, other, ranges, **more):
    cost = Variable("cost", "s", "cost", low="-1 d")
    ways = {"first": {cost: Formula(cost, expression)}, "second": {cost: Formula(cost, other)}}
    return Decision("Which?", options={"way": ways}, given={}, minimise=cost, uncertain=ranges,
                    error=("0 s", "plain arithmetic"), samples=20_000, **more)  # fmt: skip


def share(decision, name):
    return {each.label: each.wins for each in decision.solve().robustness.winners}.get(name, 0)


def seconds(name):
    return Variable(name, "s", name, zero=True)


def test_shares_are_areas():
    x, y = seconds("x"), seconds("y")
    unit = Range("0 s", "1 s", source="an assumption", value="0.5 s")
    third = sympy.Rational(3, 10) * x / x * Variable("one", "s", "one second")
    one = next(v for v in third.free_symbols if v.name == "one")
    below = two_ways(x, sympy.Rational(3, 10) * one, {x: unit})
    below = Decision(**{**vars(below), "given": {one: "1 s"}})
    assert share(below, "first") == pytest.approx(0.3, abs=0.01)
    assert share(two_ways(x, y, {x: unit, y: unit}), "first") == pytest.approx(0.5, abs=0.01)
    assert share(two_ways(2 * x, y, {x: unit, y: unit}), "first") == pytest.approx(0.25, abs=0.01)


def test_a_range_above_zero_is_sampled_in_its_logarithm():
    x, y = seconds("x"), seconds("y")
    wide = Range("1 s", "100 s", source="an assumption", value="10 s")
    fixed = {x: wide, y: Range("9.9 s", "10.1 s", source="an assumption", value="10 s")}
    assert share(two_ways(x, y, fixed), "first") == pytest.approx(0.5, abs=0.01)
    linear = {**fixed, x: Range("1 s", "100 s", source="an assumption", value="10 s", linear=True)}
    assert share(two_ways(x, y, linear), "first") == pytest.approx(9 / 99, abs=0.01)


def test_a_common_factor_moves_inputs_together():
    x, y = seconds("x"), seconds("y")
    wide = {v: Range("1 s", "100 s", source="an assumption", value="10 s") for v in (x, y)}
    slower = sympy.Rational(101, 100) * x
    assert share(two_ways(slower, y, wide), "first") == pytest.approx(0.5, abs=0.02)
    assert share(two_ways(slower, y, wide, common=(((x, y), 1.0, "one cause"),)), "first") == 0


def test_the_regret_of_staying_is_that_of_the_integral():
    """Staying with 0.3 s where x, uniform up to 1 s, is less: 0.045 s on average, 0.25 s at p95."""
    x, y = seconds("x"), seconds("y")
    ranges = {x: Range("0 s", "1 s", source="an assumption", value="0.5 s"),
              y: Range("0.2999 s", "0.3001 s", source="an assumption", value="0.3 s")}  # fmt: skip
    found = two_ways(x, y, ranges, proposed={"way": "first"}).solve().robustness
    assert found.best.label == "second"
    assert found.best.mean == pytest.approx(0.3**2 / 2, rel=0.03)
    assert found.best.p95 == pytest.approx(0.25, rel=0.02)
    assert found.proposed.mean == pytest.approx(0.7**2 / 2, rel=0.03)


def test_the_same_seed_gives_the_same_shares(machine):
    again = Decision(**vars(machine.decision) | {})
    assert machine.decision.solve().robustness == again.solve().robustness


# --- what verify refuses -----------------------------------------------------------------------


def test_an_option_removed_from_the_space_fails(machine):
    """The verdict on which prose relies holds no more when the option that won is left out by hand."""
    best = min(brute_force())
    stated = {**vars(machine.decision), "expects": "tie"}
    t, p = machine.t, machine.p
    wins = {t: best[1], p: best[2]}
    tied = [{t: row.option.levers["t"], p: row.option.levers["p"]} for row in machine.decision.table()
            if row.status.startswith(("best", "tied"))]  # fmt: skip
    assert issues(Decision(**{**stated, "expects": tied})) == []
    fewer = {**stated["options"], t: tuple(x for x in (1, 2, 4, 8) if x != best[1])}
    (issue,) = issues(Decision(**{**stated, "options": fewer, "expects": wins, "proposed": {}}))[:1]
    assert "stale" in issue
    assert "was expected" in issue


def test_a_tie_may_be_expected():
    assert issues(rent_or_buy()) == []
    assert issues(rent_or_buy(error=("20 %", "an assumption"), expects=[{"way": "buy"}, {"way": "rent"}])) == []
    assert issues(rent_or_buy(error=("20 %", "an assumption"), expects="tie")) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"error": ("20 %", "an assumption")}, "rent ties too"),
        ({"expects": "tie"}, "a tie was expected"),
        ({"expects": {"way": "rent"}}, "way = rent was expected"),
        ({"expects": None}, "no verdict is expected"),
        ({"error": "5 %"}, "by how much"),
        ({"error": ("5 h", "a guess")}, "a share, or a difference"),
        ({"low": "6000 h", "high": "12000 h"}, "one side only"),
        ({"low": "3000 h", "high": "6000 h"}, "one side only"),
        ({"low": "5990 h", "high": "12000 h"}, "one side only"),
        ({"low": "7000 h", "high": "12000 h"}, "does not hold today's value"),
    ],
)
def test_wrong_verdict_error_or_range_is_refused(changes, message):
    assert any(message in each for each in issues(rent_or_buy(**changes)))


@pytest.mark.parametrize(
    ("low", "linear", "refused"), [("600 h", False, False), ("5940 h", False, True), ("600 h", True, True)]
)
def test_sides_are_compared_on_the_scale_on_which_samples_are_drawn(low, linear, refused):
    """From 600 h to 6,000 h to 120,000 h are factors of 10 and 20, but differences of 5,400 h and 114,000 h."""
    (h,) = rent_or_buy().uncertain
    wide = Range(low, "120000 h", source="an assumption", value="6000 h", linear=linear)
    assert any("one side only" in each for each in issues(rent_or_buy(uncertain={h: wide}))) == refused


def test_an_example_as_the_end_of_a_range_is_printed_with_its_value():
    a, b = Variable("a", "h", "a life"), Variable("b", "h", "twice the life")
    ends = [Example(Formula(b, 2 * a), {a: value}) for value in ("1 h", "3 h")]
    assert Range(*ends).origin == "twice the life, computed"


def test_range_of_measured_rows_has_the_median_of_the_numbers_of_an_even_count():
    """Of 9, 2, 3 and 5 s the two in the middle are 3 and 5 s; an empty cell is no number."""
    cells = ["9 s", "2 s", None, "3 s", "5 s"]
    rows = [{"pause": cell and units.quantity(cell)} for cell in cells]
    found = Range.measured(types.SimpleNamespace(rows=rows, address="a.b"), "pause")
    assert [end.m_as("s") for end in (found.low, found.value, found.high)] == [2, 4, 9]
    assert found.source == "4 measured rows, a.b"


def test_a_one_sided_range_with_a_reason_is_accepted():
    (h,) = rent_or_buy().uncertain
    physical = Range("3000 h", "6000 h", source="an assumption", value="6000 h", one_sided="a contract ends then")
    assert issues(rent_or_buy(uncertain={h: physical})) == []
    (issue,) = issues(rent_or_buy(uncertain={h: Range("3000 h", "12000 h", value="6000 h")}))
    assert "no source" in issue


def test_an_input_that_another_statement_supersedes_is_refused():
    decision = rent_or_buy()
    r = next(v for v in decision.given if v.name == "r")
    old = Fact("3 USD/h", "rent", superseded_by="hardware.h100_hbm", **SOURCED)
    (issue,) = issues(rent_or_buy(given={**decision.given, r: old}))
    assert "superseded by hardware.h100_hbm" in issue


def test_a_literal_equal_to_a_superseded_fact_is_refused(monkeypatch):
    old = Fact("3 USD/h", "rent", superseded_by="hardware.h100_hbm", **SOURCED)
    monkeypatch.setattr("mathcore.library.Library.superseded", lambda _: [old])
    (issue,) = issues(rent_or_buy())
    assert "r = 3 USD/h is the value of" in issue


def test_a_literal_for_a_fitted_parameter_is_refused():
    from mathcore.chapters.parallelism import measured

    decision = rent_or_buy()
    (issue,) = issues(rent_or_buy(given={**decision.given, measured.c: "1.6"}))
    assert "parallelism.measured.layout_memory measures it" in issue


def test_a_successor_that_does_not_exist_is_named():
    fact = Fact("3 USD/h", "rent", superseded_by="hardware.h100_hbn", **SOURCED)
    found = {"counts": empty_counts(), "issues": [], "sampled": []}
    check_statement("hardware.old", fact, found)
    assert "did you mean `hardware.h100_hbm`" in found["issues"][0]


def test_what_cannot_be_a_decision_is_refused_at_once(machine):
    stated = vars(machine.decision)
    for change, message in (
        ({"minimise": None}, "one objective"),
        ({"question": " "}, "no question"),
        ({"constraints": {"memory": machine.room}}, "the constraint `memory`"),
        ({"common": (((machine.W,), 0.5, "no range"),)}, "common="),
    ):
        with pytest.raises(DeclarationError, match=message):
            Decision(**{**stated, **change})
    for change, message in (
        ({"given": {machine.room: "20"}}, "nothing gives"),
        ({"options": {machine.t: (1, 0)}}, "is no option"),
        ({"options": {machine.t: ()}}, "combinations"),
        ({"proposed": {machine.t: 3}}, "t = 3 is none of the options"),
    ):
        assert any(message in each for each in issues(Decision(**{**stated, **change}))), message


def test_a_symbol_that_depends_on_itself_is_refused(machine):
    x, y = count("x"), count("y")
    loop = {**machine.decision.given, x: y + 1, y: x + 1}
    goal = Formula(count("goal"), x * 2)
    found = issues(Decision(**{**vars(machine.decision), "given": loop, "minimise": goal}))
    assert any("x → y → x" in each for each in found)


# --- the book's own ------------------------------------------------------------------------------


def test_verify_counts_decisions():
    counts = {"counts": empty_counts(), "issues": [], "sampled": []}
    check_statement("here.decision", rent_or_buy(), counts)
    assert counts["counts"]["decisions"] == 1
    assert counts["issues"] == []


def test_levers_may_be_a_spaced_axis():
    assert [each.m_as("min") for each in geomspace("1 min", "100 min", 3)] == [1, 10, 100]
    assert [each.m_as("h") for each in geomspace("1 h", "4 h", 3)] == [1, 2, 4]


def test_a_shell_decides_at_inputs_of_its_own(capsys):
    """√(2 · 1 min · 8 h) is 31 min."""
    assert main(["decide", "young_daly.decisions.interval", "C=1 min"]) == 0
    output = capsys.readouterr().out.replace("\u202f", " ")
    assert re.search(r"best option is interval 3[01](\.\d)? min", output)
    assert re.search(r"^interval 30 min +\S+ %( \S+)* +\S+ % .*proposed", output, re.MULTILINE)
    assert main(["decide", "young_daly.decisions.interval", "C"]) == 1
    assert main(["decide", "young_daly.interval"]) == 1
    assert "is no decision" in capsys.readouterr().err


def test_show_and_search_know_decisions(capsys):
    assert main(["search", "how much work between two checkpoints decision"]) == 0
    assert "young_daly.decisions.interval" in capsys.readouterr().out
    assert main(["show", "young_daly.decisions.interval"]) == 0
    assert "401 of 401 options are feasible" in capsys.readouterr().out


def test_prose_may_cite_a_decision():
    best = resolve_value("young_daly.decisions.interval.best_tau | min, 2")
    assert (best.text, best.address) == ("62\u202fmin", "young_daly.decisions.interval")
    assert resolve_value("young_daly.decisions.interval.options").text == "401"
    # twice the waste of 1/6 + 1/8 at 30 min, against 2 √(C/2M) = √(1/60)
    expected = (4 / 30 + 30 / 960) / math.sqrt(1 / 60) - 1
    assert resolve_value("young_daly.decisions.interval.proposed_margin").quantity.m_as("") == pytest.approx(
        expected, rel=1e-3
    )
    with pytest.raises(InvalidValue, match="has no `bst`, it has best"):
        resolve_value("young_daly.decisions.interval.bst")


def test_errors_common_to_both_rows_of_a_pair_cancel():
    """A model that predicts a tenth of everything has no error on differences; one of a row shows in its pairs."""
    rows, ratios = [{"of": name} for name in "aabb"], [0.1, 0.1, 0.3, 0.33]
    comparison = types.SimpleNamespace(split_rows=SplitRows([], rows), ratios=ratios, system="four rows", facts={})
    every = PairedError(comparison)
    assert sorted(map(abs, every.pairs)) == pytest.approx(
        sorted([0, math.log(3), math.log(3.3), math.log(3), math.log(3.3), math.log(1.1)])
    )
    alike = types.SimpleNamespace(
        split_rows=SplitRows([], rows[:2] * 2), ratios=[0.1, 0.1, 0.11, 0.11], system="", facts={}
    )
    found = PairedError(alike, ("of",))
    assert found.value.m_as("") == pytest.approx(0.1)
    with pytest.raises(DeclarationError, match="2 pairs of rows"):
        _ = PairedError(comparison, ("of",)).value


def test_row_of_the_appendix_names_only_changes_within_the_ranges(interval):
    """C/τ + τ/2M with options from 1 min to 10 h: the interval decides nothing else, so no input changes a win."""
    found = compute_row_texts(interval)
    best, tied = found["verdict"].split("; tied: all ")
    assert best in interval.sentence() and f"All options {tied} tie with it" in interval.sentence()
    inside = {c.symbol.name for c in interval.solve().changes if any(crossing.inside for crossing in c.crossings)}
    assert {name for name, _ in found["changes"]} == inside
    assert found["margin"][0].endswith(f"error {interval.solve().loss_text(interval.solve().error)}")


def test_row_of_the_appendix_says_how_much_worse_the_proposed_option_is():
    """Of operations.decisions.market, whose proposed option is not feasible today."""
    decision = find("operations.decisions.market")
    margin, proposed = compute_row_texts(decision)["margin"]
    assert margin == "46\u202f% worse, error 10\u202f%"
    assert proposed.startswith("proposed: spot") and proposed.endswith("not feasible")


def test_page_and_shell_state_the_violated_constraint_and_no_objective_of_what_is_not_feasible():
    """Plain spot would cost 77 billion times the price on demand: its restarts leave no time for work."""
    decision = find("operations.decisions.market")
    (cells,) = (cells for cells in compute_texts(decision)["options"][1] if cells[-1].startswith("proposed"))
    assert cells[1:3] == ["–", "–"] and "restarts leave time for work: " in cells[-1]
    (line,) = (line for line in solution_text(decision.solve()).splitlines() if "  proposed" in line)
    assert "billion" not in line and "restarts leave time for work: " in line
    assert "proposed" not in decision.solve().values()
    with pytest.raises(InvalidValue, match="proposed"):
        resolve_value("operations.decisions.market.proposed")


@pytest.mark.slow
def test_appendix_lists_every_decision_but_those_of_labs():
    page = (SITE / "book/appendices/decisions.html").read_text("utf-8").replace("’", "'")
    for name in current_library.names():
        for _, decision in current_library.statements(name):
            if isinstance(decision, Decision):
                assert (html.escape(decision.question, quote=False) in page) != name.startswith("lab_"), name


def decision_block(page, address):
    """Return the block of a decision in a built page."""
    block = rf'<mc-decision[^>]* data-address="{address}".*?</mc-decision>'
    return re.search(block, (SITE / page).read_text("utf-8"), re.DOTALL)[0]


@pytest.mark.slow
def test_page_shows_what_changes_a_decision_and_folds_the_other_inputs():
    """Of the projects that shorten the run, only the time of a restart in place decides which is best."""
    block = decision_block("book/chapters/goodput/decision.html", "goodput.decisions.project")
    shown, folded = (re.findall(r'data-label="input">(.*?) <', part) for part in block.split("<details", 1))
    assert shown == ["time to restart in place from replicas of the state"]
    meanings = [symbol.meaning for symbol in find("goodput.decisions.project").uncertain]
    assert sorted(shown + folded) == sorted(meanings) and len(folded) > 10


@pytest.mark.slow
def test_page_says_that_no_input_changes_a_decision():
    block = decision_block("book/chapters/young-daly/index.html", "young_daly.decisions.interval")
    assert "No uncertain input changes this within its range." in block.split("<details", 1)[0]


@pytest.mark.slow
def test_prices_of_a_decision_are_text_and_no_mathematics():
    page = (SITE / "book/chapters/serving/decision.html").read_text("utf-8")
    sentences = re.findall(r'<p class="mc-decided">(.*?)</p>', page, re.DOTALL)
    options = re.findall(r'mc-options">.*?</table>', page, re.DOTALL)
    assert any("$" in sentence for sentence in sentences) and any(table.count("$") > 1 for table in options)
    assert not any("<math" in text for text in [*sentences, *options])
