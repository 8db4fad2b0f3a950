"""Protects the labs outside the browser: minutes, moving pictures, a market that moves, sliders, paragraphs."""

import contextlib
import dataclasses
import functools
import itertools
import math
import random
import tomllib
from pathlib import Path

import pytest
from chapter_sources import text_of
from course.keys import context_settings
from diagrams.fleet_checkpointing.background_upload import SaveStrategy
from diagrams.lab_checkpoint_reckoning.films import COMING, EMPTY, HELD, LOST, scenario
from mathbook.diagrams.registry import StatementReader, load_diagram

from mathcore import ArgumentError, Formula, find, quantity, units
from mathcore.library import current_library
from mathcore.teaching import Calculator, Lab, Question, Slider

ROOT = Path(__file__).resolve().parents[1]
COURSE = current_library.path("course.toml")
LABS = [
    statement
    for name in current_library.names()
    for _, statement in current_library.statements(name)
    if isinstance(statement, Lab)
]


# ---------------------------------------------------------------- minutes


def test_acts_of_a_lab_take_as_long_as_the_course_says():
    weeks = tomllib.loads(COURSE.read_text("utf-8"))["week"]
    course = {week["lab"]: week["lab_minutes"] for week in weeks if "lab" in week}
    of_labs = {lab.address.removesuffix(".lab").replace("_", "-"): sum(lab.minutes.values()) for lab in LABS}
    assert of_labs == course


# ---------------------------------------------------------------- the lab on checkpoints

CHECKPOINTS = "lab_checkpoint_reckoning"


def test_calculator_has_every_position_of_the_required_sliders():
    sliders = {s.variable.name: s for s in find(f"{CHECKPOINTS}.designer").sliders}
    required = {"N": (1024, 32768, 1024, 16384), "m": (50, 500, 10, 200), "S": (0.1, 5, 0.1, 2)}
    required |= {"b": (50, 2000, 50, 400), "h": (1, 60, 1, 10)}
    for name, (low, high, step, default) in required.items():
        own = sliders[name]
        assert own.low <= low and own.high >= high and own.default == default
        steps = [(low - own.low) / own.step, step / own.step]
        assert all(abs(each - round(each)) < 1e-9 for each in steps), name


def test_context_makes_another_answer_right():
    sets = {n: c.sets for n, c in find(f"{CHECKPOINTS}.lab").contexts.items()}

    def right(name, context):
        question = find(f"{CHECKPOINTS}.{name}")
        return question.right_at({v: quantity(x, v.name) for v, x in sets[context].items() if v in question.givens})

    assert [right("often", context) for context in ("told", "small", "large")] == [1, 1, 2]
    assert [right("every", context) for context in ("told", "small", "large")] == [4, 3, 2]


# ---------------------------------------------------------------- two strategies, second by second


def ticked(work, stall, upload, strike, tick=0.01):
    """Return (work that is safe, work that is lost) of a job that is struck, by stepping a clock."""
    done = saved = since = 0.0
    pause, under_way = 0.0, []
    for step in range(round(strike / tick)):
        now = step * tick
        under_way = [(ready, amount) for ready, amount in under_way if ready > now or not (saved := amount)]
        if pause > 0:
            pause -= tick
            if pause <= 1e-9:
                under_way.append((now + tick + upload, done))
                since = 0.0
            continue
        done, since = done + tick, since + tick
        if since >= work - 1e-9:
            pause = stall
    saved = max([saved, *(amount for ready, amount in under_way if ready <= strike)])
    return saved, done - saved


@pytest.mark.parametrize("index", [0, 1])
def test_film_of_the_strategies_loses_what_a_clock_loses(index):
    ways, strike = scenario(StatementReader())
    way = ways[index]
    _, lost = ticked(way.work, way.stall, way.upload, strike)
    assert way.lost(strike) == pytest.approx(lost, abs=0.1)


def test_film_of_the_strategies_is_the_fleet_of_the_message():
    """2 TB over 400 GB/s are 5 s; 200 h over 16,384 devices 43.9 s; a step is 10 s and the stall behind 0.1 s."""
    (still, behind), strike = scenario(StatementReader())
    assert (still.stall, behind.stall, behind.upload) == (5, 0.1, 5)
    assert strike == pytest.approx(200 * 3600 / 16384)
    # √(2·5·43.9) = 21 s is two steps; behind, √(2·0.1·43.9) = 3 s is less than the one step that an upload needs
    assert (still.work, behind.work) == (20, 10)
    assert (still.lost(strike), behind.lost(strike)) == (pytest.approx(18.9, abs=0.1), pytest.approx(13.5, abs=0.1))


def test_upload_that_was_forgotten_is_found():
    _, strike = scenario(StatementReader())
    way = SaveStrategy("behind", 10, 0.1, 0.0)
    assert way.lost(strike) != pytest.approx(ticked(10, 0.1, 5, strike)[1], abs=0.1)


def test_film_goes_on_in_time_and_ends_where_the_failure_struck():
    drawn, _ = load_diagram("lab-strategies")
    moments = drawn.values["moments"]
    assert moments == sorted(moments) and drawn.values["strike"] in moments
    assert [frame.between for frame in drawn.frames].count(False) == 5, "stills without a script"
    assert "both jobs are where the failure struck" in drawn.frames[-1].description


def test_levels_fill_from_near_to_far_and_the_last_one_is_left():
    drawn, _ = load_diagram("lab-levels")
    states, times = drawn.values["states"], drawn.values["times"]
    assert times == sorted(times)
    assert states[0] == (COMING, EMPTY, EMPTY) and states[3] == (HELD, HELD, HELD) and states[-1] == (LOST, LOST, HELD)
    for before, after in itertools.pairwise(states):
        for one, other in zip(before, after, strict=True):
            assert (one, other) not in {(LOST, HELD), (HELD, EMPTY), (EMPTY, HELD), (EMPTY, LOST)}


# ---------------------------------------------------------------- a market that moves

HOURS = 8766  # of a year


def paid(fall, years=3, steps=60000):
    """Return (committed, owned and sold) of a device in today's money, hour by hour, at the CFO's prices."""
    rent, running, interest, price = 2.1 * 0.65, 2000 / HOURS + 1.4 * 0.1 * (0.6 * 0.7 + 0.4 * 0.35), 0.08, 40000 * 1.2
    tick = 6 / steps
    committed = owned = worth = 0.0
    for step in range(steps):
        at = (step + 0.5) * tick
        today = math.exp(-interest * at) * tick * HOURS
        if at < years:
            committed += rent * math.exp(-fall * at) * today
            owned += running * today
        else:
            worth += (rent * math.exp(-fall * at) - running) * today
    return committed, price + owned - max(0, worth)


@pytest.mark.parametrize("falls", [False, True])
def test_paths_in_todays_money_are_sums_over_the_hours(falls):
    fall = find("ownership.p4d_fall").value.m_as("1/year") if falls else 0
    committed, owned = paid(fall)
    kind = "falling" if falls else "still"
    assert find(f"lab_scale_illusion.committed_{kind}").value.m_as("USD/gpu") == pytest.approx(committed, rel=1e-3)
    assert find(f"lab_scale_illusion.owned_{kind}").value.m_as("USD/gpu") == pytest.approx(owned, rel=1e-3)


# ---------------------------------------------------------------- sliders, paragraphs


def states(address, count, seed=4):
    """Yield what a calculator's inputs can be, even in the logarithm, in declared units."""
    chance, inputs = random.Random(seed), find(address).spec()["inputs"]

    def drawn(low=0, high=0, factor=1, options=(), **_):
        ends = math.log(max(low, 1e-3)), math.log(max(high, 1e-3))
        return factor * (chance.choice(options)["value"] if options else math.exp(chance.uniform(*ends)))

    for _ in range(count):
        yield {each["name"]: drawn(**each) for each in inputs}


stated = functools.cache(find)


def value(address, state):
    """Return what a formula gives at a state."""
    formula = stated(address)
    return formula.compiled(*[round(state[v.name]) if v.name == "N" else state[v.name] for v in formula.inputs])


def useful_with_long_lives(share=1):
    """Return the useful shares of fleets whose devices live as long as the lab calls enough, or a share of it."""
    found = []
    for state in states("lab_checkpoint_reckoning.designer", 3000):
        with contextlib.suppress(ArgumentError):  # no life that a device can have would do
            m = share * value("lab_checkpoint_reckoning.useful_life", state)
            found.append(value("lab_checkpoint_reckoning.own_useful", {**state, "m": m}))
    return found


def test_life_that_is_called_enough_is_enough():
    found = useful_with_long_lives()
    assert len(found) > 2000 and min(found) >= 0.5


def test_life_that_is_a_tenth_too_short_is_found():
    assert min(useful_with_long_lives(0.9)) < 0.5


def fastest(state):
    """Return the greatest speedup of the lab's fleet, sought among its sizes."""
    edge = min(10**6, math.floor(value("lab_scale_illusion.steps.out_of_hiding", state)))
    sizes = {1, 2, 3, 4, max(edge, 1), *(round(10 ** (i / 12)) for i in range(73))}
    return max(value("lab_scale_illusion.steps.gain", {**state, "N": size}) for size in sizes)


def test_greatest_speedup_is_the_greatest_where_the_model_holds():
    peak, off = find("lab_scale_illusion.steps.peak"), {True: [], False: []}
    for state in states("lab_scale_illusion.steps.steps", 800):
        state |= {"B": state["B"] / 4, "beta": state["beta"] / 4}  # to the corner where little is hidden
        found, cautions = peak.evaluate({v.name: quantity(f"{state[v.name]!r} {v.unit}") for v in peak.inputs})
        off[bool(cautions)].append(1 - found.magnitude / fastest(state))
    assert max(off[False]) < 0.1 < 0.2 < max(off[True]), "the bound separates those that are off from the others"


PATHS = {"demand": "ownership.on_demand", "committed": "ownership.reserved", "own": "lab_scale_illusion.costs.owned"}


def ways_to_own(context, together):
    """Return which sliders of the lab's calculator, so many at one of their ends, make owning the cheapest path."""
    base = {v.name: x for v, x in find("lab_scale_illusion.lab").contexts[context].sets.items()}
    paths = {name: find(address) for name, address in PATHS.items()}
    sliders = [s for s in find("lab_scale_illusion.costs.calculator").sliders if s.variable.name not in ("y", "N", "L")]
    ends = [(s.variable.name, f"{end} {s.unit}") for s in sliders for end in s.bounds()]

    def owned(moved):
        state = {**base, **dict(moved)}
        costs = {n: p.evaluate({v.name: state[v.name] for v in p.inputs})[0] for n, p in paths.items()}
        return min(costs, key=costs.get) == "own"

    moves = itertools.combinations(ends, together)
    return {frozenset(name for name, _ in moved) for moved in moves if owned(moved)}


def test_owning_wins_by_as_many_sliders_as_the_scale_lab_says():
    page = text_of("lab-scale-illusion")
    task = next(line for line in page.splitlines() if "*Make owning win.*" in line)
    assert ways_to_own("fleet", 1) == {frozenset("K"), frozenset("q")} and "of two sliders suffices alone" in task
    assert not ways_to_own("single", 1) and "In the single context none suffices alone" in task
    assert ways_to_own("single", 2) and "find two that do together" in task


def test_sliders_go_by_ratios_under_logarithmic_axes_and_over_wide_ranges():
    inputs = {i["name"]: i for i in find("lab_full_stack.designer").spec()["inputs"]}
    assert inputs["n"]["log"] and inputs["beta"]["log"] and "log" not in inputs["eta_k"] and "log" not in inputs["P"]
    calculators = [
        e for name in current_library.names() for _, e in current_library.statements(name) if isinstance(e, Calculator)
    ]
    for calculator in calculators:
        given = {i["name"]: i for i in calculator.spec()["inputs"]}
        if calculator.x.what.name in given and "options" not in given[calculator.x.what.name]:
            assert given[calculator.x.what.name].get("log", False) == calculator.x.log, calculator.address
        assert all(i["low"] > 0 for i in given.values() if i.get("log"))


@pytest.mark.exhaustive
def test_data_water_and_synthesis_are_answered_in_paragraphs():
    asked = {q.title: q for q in find("lab_full_stack.lab").parts if getattr(q, "purpose", "") == "justification"}
    assert len(asked) == 3
    rights = {
        name: [q.right_at(state) for q in asked.values()]
        for name, state in ((name, _state(name)) for name in find("lab_full_stack.lab").contexts)
    }
    # by hand: 600 over 3 bytes are two hundred times the text's share, 4 % and 25 %; 1.2 · 3 L beat 1.8 L; 1,260 over
    # 512 devices are 2.5 times as many, 5,156 over 4,096 are 1.3
    assert rights == {"audit": [0, 2, 2], "large": [1, 2, 1]}


def _state(context):
    lab = find("lab_full_stack.lab")
    designer = find("lab_full_stack.designer")
    sets = lab.contexts[context].sets
    return designer.defaults | {v: quantity(x, v.name) for v, x in sets.items() if v in designer.defaults}


# ---------------------------------------------------------------- questions, at every state of the sliders

STATES = 500
FOLLOWING = [part for lab in LABS for part in lab.parts if isinstance(part, Question) and part.calculator is not None]


@pytest.mark.slow
@pytest.mark.parametrize("question", FOLLOWING, ids=lambda q: q.address)
def test_one_option_is_right_and_all_differ_at_every_state(question):
    for state in question.calculator.states(STATES, seed=32):
        full = {**question.givens, **state}
        rights = [
            truth.evaluate({v: full[v] for v in truth.inputs})[0].magnitude > 0 if truth.inputs else bool(truth.rhs)
            for truth in question.truths
        ]
        assert rights.count(True) == 1, {v.name: str(q) for v, q in state.items()}
    for context in next(lab for lab in LABS if question in lab.parts).contexts:
        sets = next(lab for lab in LABS if question in lab.parts).contexts[context].sets
        state = question.calculator.defaults | {
            v: quantity(x, v.name) for v, x in sets.items() if v in question.calculator.defaults
        }
        says = [question.text(index, state)[0] for index in range(len(question.options))]
        assert len(set(says)) == len(says), f"two options say the same in {context}"
        assert not any("–" in each.split() for each in says), "an option without a value"


# ---------------------------------------------------------------- sliders

WHOLE_STEPS = {"tau_f"}  # an interval that is a multiple of the training step
PLACES = 200  # of a slider that is fine at every value


def coarse(lab):
    """Yield the sliders whose step is large against a value that a commitment or a remedy asks for in a context."""
    for context, calculator in itertools.product(lab.contexts, lab.calculators):
        state = context_settings(lab, context, calculator)
        sliders = {each.variable: each for each in calculator.sliders if isinstance(each, Slider)}
        remedies = [(each.sets, each.to) for failure in calculator.failures for each in failure.remedies]
        for variable, wanted in [*([calculator.commit[:2]] if calculator.commit else []), *remedies]:
            slider = sliders.get(variable)
            if slider is None or not isinstance(wanted, Formula) or slider.spec().get("whole"):
                continue
            try:
                value, _ = wanted.evaluate({v: state[v] for v in wanted.inputs})
            except ArgumentError:
                continue  # nothing helps in this state
            number, places = value.m_as(units.unit(slider.unit)), (slider.high - slider.low) / slider.step
            large = slider.step > 0.1 * number and places < PLACES
            if slider.accepts(number) and large and variable.name not in WHOLE_STEPS:
                yield f"{context}, {calculator.title}: {variable.name} is to be {number:.3g} in steps of {slider.step}"


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.title)
def test_sliders_reach_states_near_the_decision(lab):
    assert list(coarse(lab)) == []


def test_coarse_slider_is_found():
    lab = find("lab_checkpoint_reckoning.lab")
    calculator = find("lab_checkpoint_reckoning.explorer")
    (tau,) = [each for each in calculator.sliders if each.variable.name == "tau"]
    sliders = tuple(dataclasses.replace(each, step=5) if each is tau else each for each in calculator.sliders)
    known = lab.contexts["large"]
    large = dataclasses.replace(known, sets={v: x for v, x in known.sets.items() if v in calculator.defaults})
    wide = dataclasses.replace(calculator, sliders=sliders)
    changed = dataclasses.replace(lab, parts=(wide,), outcomes=(), contexts={"large": large})
    assert any("tau is to be 19" in each for each in coarse(changed))
