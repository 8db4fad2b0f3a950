"""Protects the diagrams: well-formed, described in words, readable, with the numbers of the core and no others.

Where a drawing plays a process (a pipeline, an all-reduce, a job that fails), its invariants are checked here
by other means than those that drew it, and its sums against the formulas of the book.
"""

import itertools
import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from diagrams import book_map, deadlines, flows, prerequisites
from diagrams.audit import audit_days as run_days
from diagrams.before_you_start import gpu_and_links
from diagrams.collectives import all_reduce, messages
from diagrams.fleet_checkpointing import background_upload as uploads
from diagrams.fleet_checkpointing import checkpoint_levels as checkpoints
from diagrams.goodput import clock_shares
from diagrams.parallelism import memory_stacks as memory
from diagrams.parallelism import pipeline_schedules as pipelines
from diagrams.reliability import spares_and_repair as spares
from diagrams.roofline import roof_regions as roof
from diagrams.serving import continuous_batching as slots
from diagrams.serving import kv_cache
from diagrams.serving import prefill_and_decode as conversation
from diagrams.young_daly import failure_log as logs
from drawings import SVG, drawn, elements, lengths, rects, trees
from mathbook.diagrams.canvas import COLOUR_KINDS, NARROW, SHADES, WIDE, Canvas
from mathbook.diagrams.directive import diagram_html, diagram_issue
from mathbook.diagrams.registry import (
    Diagram,
    Frame,
    StatementReader,
    diagram_names,
    diagrams_folder,
    load_diagram,
    set_diagrams_folder,
    source_files,
    source_text,
)
from mathbook.diagrams.text_layout import text_width, wrap

from mathcore import find
from mathcore.errors import DeclarationError
from mathcore.units import quantity

ROOT = Path(__file__).resolve().parents[1]
NAMES = diagram_names()
DRAWN = re.compile(r"^:::\{mc:diagram\} (\S+)$", re.MULTILINE)
PAGES = {path: path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md") if path.name != "slides.md"}


@pytest.fixture(scope="module")
def reading():
    return StatementReader()


def svg_issues(tree):
    """Yield what is wrong with the SVG of a drawing."""
    title, desc = tree.find(f"{SVG}title"), tree.find(f"{SVG}desc")
    for part, found in (("title", title), ("desc", desc)):
        if found is None or not (found.text or "").strip():
            yield f"no {part}"
    ids = {each.get("id") for each in tree.iter() if each.get("id")}
    named = f"{tree.get('aria-labelledby', '')} {tree.get('aria-describedby', '')}".split()
    if tree.get("role") != "img" or not named or not set(named) <= ids:
        yield "not named for who cannot see it"
    for each in tree.iter():
        if {"fill", "stroke", "style"} & set(each.keys()):
            yield f"a colour of its own in {each.tag}"
    known = {f"q-{kind}" for kind in COLOUR_KINDS} | {f"s-{shade}" for shade in (*SHADES, "line")}
    classes = {name for each in tree.iter() for name in (each.get("class") or "").split()}
    yield from (
        f"a class without a style: {name}" for name in classes if name[:2] in ("q-", "s-") and name not in known
    )


# ---------------------------------------------------------------- every drawing


SOME = set(NAMES[::6])  # with which the fast set makes do
EVERY = [pytest.param(name, marks=() if name in SOME else pytest.mark.exhaustive) for name in NAMES]


@pytest.mark.parametrize("name", EVERY)
class TestEveryDiagram:
    def test_is_well_formed_and_has_a_description(self, name):
        for tree in trees(drawn(name), name).values():
            assert list(svg_issues(tree)) == []

    def test_has_room_for_its_words(self, name):
        sheets = drawn(name).layouts()
        assert {end: sheet.issues() for end, sheet in sheets.items() if sheet.issues()} == {}
        if not drawn(name).frames:
            assert [sheet.width for sheet in sheets.values()] == [WIDE, NARROW]

    def test_can_be_read_on_a_phone(self, name):
        sheet = list(drawn(name).layouts().values())[-1]
        sizes = [float(size) for mark in sheet.marks for size in re.findall(r'font-size="([\d.]+)"', mark)]
        assert min(sizes) >= 10

    def test_prints_no_number_as_a_power_of_ten_of_python(self, name):
        for sheet in drawn(name).layouts().values():
            assert [mark for mark in sheet.marks if re.search(r">[^<]*\d[eE][+-]\d", mark)] == []

    def test_has_its_numbers_as_a_table(self, name):
        assert drawn(name).rows
        assert {len(row) for row in drawn(name).rows} == {len(drawn(name).columns)}

    def test_is_on_one_page(self, name):
        places = [path.name for path, text in PAGES.items() if name in DRAWN.findall(text)]
        assert len(places) == 1, places


def test_pages_name_known_diagrams():
    assert {name for text in PAGES.values() for name in DRAWN.findall(text)} == set(NAMES)


@pytest.mark.parametrize(
    ("seeded", "fault"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg"><title>a</title></svg>', "no desc"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><desc>a</desc></svg>', "no title"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><title>a</title><desc>b</desc></svg>', "not named"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><rect fill="#fff"/></svg>', "a colour of its own"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><rect class="q-taste"/></svg>', "a class without a style: q-taste"),
    ],
)
def test_faulty_svg_is_found(seeded, fault):
    assert any(found.startswith(fault) for found in svg_issues(ElementTree.fromstring(seeded)))


def test_every_class_has_a_style():
    style = (ROOT / "book" / "_static" / "mc-diagram.css").read_text("utf-8")
    assert {
        name for name in (*(f"q-{k}" for k in COLOUR_KINDS), *(f"s-{s}" for s in SHADES)) if f".{name}" not in style
    } == set()


def test_words_that_do_not_fit_are_refused():
    with pytest.raises(DeclarationError, match="has room for 40: shorten"):
        Canvas(NARROW).text(0, 20, "much too long a text", room=40)
    beyond, colliding = Canvas(100), Canvas(200)
    beyond.text(80, 20, "beyond the edge")
    colliding.text(10, 20, "one text")
    colliding.text(20, 22, "another")
    assert "leaves the sheet" in beyond.issues()[0] and "lie on each other" in colliding.issues()[0]
    with pytest.raises(DeclarationError, match="the diagram `x`"):
        colliding.svg("a title", "words", "x")


def test_drawing_without_words_is_refused():
    with pytest.raises(DeclarationError, match="has no description"):
        Diagram("a title", "", columns=("a",), rows=(["1"],))
    with pytest.raises(DeclarationError, match="has no rows"):
        Diagram("a title", "words", columns=("a",))


def test_page_with_a_wrong_name_or_without_a_caption_is_refused():
    assert "there is no diagram `memory-stack`" in diagram_issue("memory-stack", ["words"])[0]
    assert "memory-stacks" in diagram_issue("memory-stack", ["words"])[1]
    assert "no caption" in diagram_issue("memory-stacks", [])[0]
    assert diagram_issue("memory-stacks", ["words"]) is None


def test_text_in_a_drawing_cannot_become_markup():
    sheet = Canvas(200)
    sheet.text(5, 20, "a < b & c")
    drawing = Diagram('<"a">', "b < c", columns=("a",), rows=(["1"],), frames=(Frame(sheet, "<i>"),))
    assert ElementTree.fromstring(drawing.svg("x")["0"]).find(f"{SVG}text").text == "a < b & c"
    assert "<i>" not in diagram_html("x", drawing)


def test_lines_are_broken_to_their_room():
    lines = wrap("the weights are read once for all conversations", 120, 12)
    assert len(lines) > 1 and all(text_width(line, 12) <= 120 for line in lines)


def test_drawing_is_made_anew_when_a_chapter_behind_it_changes():
    assert "training.plan.stage_3" in source_text("memory-stacks")
    assert re.search(r"\bimport .*\byoung_daly\b", source_text("book-map"))
    assert source_text("no-such-drawing") == ""


# ---------------------------------------------------------------- memory


class TestMemory:
    def test_parts_add_up_to_what_the_chapter_says(self, reading):
        found = memory.device_memory(reading)
        for stage, example in zip(found.stages, ("state", "stage_1", "stage_2", "stage_3"), strict=True):
            expected = find(f"training.plan.{example}").value
            assert float(found.total(stage) / expected) == pytest.approx(1, rel=1e-12)

    def test_parts_are_the_bytes_of_mixed_precision(self, reading):
        parameters = 70553706496
        whole, third = (memory.device_memory(reading).stages[stage] for stage in ("whole on each", "ZeRO stage 3"))
        for part, each in (("weights", 2), ("gradients", 2), ("optimizer", 12)):
            assert whole[part].m_as("B") == pytest.approx(each * parameters)
            assert third[part].m_as("B") == pytest.approx(each * parameters / 512)

    def test_bars_are_as_long_as_the_bytes_are_many(self):
        found = drawn("memory-stacks").values["held"]
        bars = lengths(drawn("memory-stacks"), "q-bytes", "s-faint")  # the optimizer
        assert len(bars) == len(found.stages)
        amounts = [parts["optimizer"].m_as("GB") for parts in found.stages.values()]
        assert [bar / bars[0] for bar in bars] == pytest.approx([a / amounts[0] for a in amounts], abs=1e-3)


# ---------------------------------------------------------------- pipelines

BATCHES, STAGES = pipelines.BATCHES, pipelines.STAGES


def schedule_issues(schedule):
    """Yield what a schedule does that no machine could: two things at once, or something before its cause."""
    cells = schedule.cells
    for stage in range(STAGES):
        spans = sorted(span for (at, _), span in cells.items() if at == stage)
        yield from (
            f"stage {stage} does two things at {b[0]}" for a, b in itertools.pairwise(spans) if b[0] < a[1] - 1e-9
        )
    last = schedule.chunks * STAGES - 1
    kinds = {kind for _, (kind, _, _) in cells}
    for virtual, batch in itertools.product(range(last + 1), range(BATCHES)):
        here = {k: cells.get((virtual % STAGES, (k, batch, virtual // STAGES))) for k in kinds}
        if None in here.values():
            yield f"batch {batch} misses a pass on virtual stage {virtual}"
            continue
        causes = [("B", here["F"])] + ([("W", here["B"])] if "W" in kinds else [])
        if virtual > 0:
            causes.append(("F", cells.get(((virtual - 1) % STAGES, ("F", batch, (virtual - 1) // STAGES)))))
        if virtual < last:
            causes.append(("B", cells.get(((virtual + 1) % STAGES, ("B", batch, (virtual + 1) // STAGES)))))
        for kind, cause in causes:
            if cause is not None and here[kind][0] < cause[1] - 1e-9:
                yield f"{kind} of batch {batch} begins on virtual stage {virtual} before its cause ends"


@pytest.fixture(scope="module")
def schedules():
    return drawn("pipeline-schedules").values["schedules"]


class TestPipelines:
    @pytest.mark.parametrize("name", ["GPipe", "1F1B", "Interleaved", "ZB-H1", "ZB-H2"])
    def test_stages_do_one_thing_at_a_time_and_nothing_before_its_cause(self, schedules, name):
        assert list(schedule_issues(schedules[name])) == []

    @pytest.mark.parametrize("name", ["GPipe", "1F1B", "Interleaved", "ZB-H1", "ZB-H2"])
    def test_bubble_counted_is_the_bubble_of_the_formula(self, schedules, name):
        assert schedules[name].idle == pytest.approx(float(schedules[name].bubble.m_as("")), abs=1e-12)

    def test_bubbles_are_those_of_the_papers(self, schedules):
        p, m = STAGES, BATCHES
        expected = {"GPipe": (p - 1) / (m + p - 1), "Interleaved": (p - 1) / (2 * m + p - 1), "ZB-H2": 0}
        expected |= {"1F1B": expected["GPipe"], "ZB-H1": (p - 1) / (3 * m + p - 1)}
        assert {name: each.idle for name, each in schedules.items()} == pytest.approx(expected)

    def test_first_stage_holds_what_the_schedules_are_known_for(self, schedules):
        held = {name: each.held() for name, each in schedules.items()}
        assert held["GPipe"] == BATCHES and held["1F1B"] == held["ZB-H1"] == STAGES
        assert held["Interleaved"] == STAGES + (STAGES - 1) / 2 and held["ZB-H2"] == 2 * STAGES - 1

    def test_all_do_the_same_work(self, schedules):
        works = [sum(end - begin for begin, end in each.cells.values()) for each in schedules.values()]
        assert works == pytest.approx([3 * BATCHES * STAGES] * len(works))

    def test_boxes_are_the_cells_to_scale(self, schedules):
        drawing = drawn("pipeline-schedules")
        paths = [e.get("d") for e in elements(drawing, "path") if e.get("class") == "q-time s-strong"]
        backward = [re.findall(r"M[\d.]+ [\d.]+h([\d.]+)v", d) for d in paths]
        counts = [sum(kind == "B" for _, (kind, _, _) in each.cells) for each in schedules.values()]
        assert [len(row) for row in backward] == counts
        one, half = float(backward[1][0]), float(backward[2][0])  # of 1F1B, and of half a stage
        assert (one + 0.8) / (half + 0.8) == pytest.approx(2, abs=0.02)

    def test_seeded_slips_are_found(self, schedules):
        good = schedules["1F1B"]
        early = dict(good.cells)
        early[1, ("F", 0, 0)] = (0, 1)
        assert any("before its cause" in fault for fault in schedule_issues(good._replace(cells=early)))
        twice = dict(good.cells)
        twice[0, ("F", 1, 0)] = (0.5, 1.5)
        assert any("two things" in fault for fault in schedule_issues(good._replace(cells=twice)))
        missing = {key: span for key, span in good.cells.items() if key != (2, ("B", 3, 0))}
        assert any("misses a pass" in fault for fault in schedule_issues(good._replace(cells=missing)))
        late = dict(good.cells)
        late[0, ("B", BATCHES - 1, 0)] = (good.end, good.end + 2)
        assert good._replace(cells=late).idle > float(good.bubble.m_as("")) + 0.01


# ---------------------------------------------------------------- all-reduce


class TestAllReduce:
    @pytest.mark.parametrize("p", range(2, 10))
    def test_ring_ends_with_everything_everywhere_at_the_price_of_the_formulas(self, p):
        steps = messages.ring(p)
        states = messages.states_of(messages.start(p, p), steps)
        assert messages.complete_pieces(states[-1]) == p * p > messages.complete_pieces(states[-2])
        expected = find("collectives.ring_sent").at(n="1 GB", p=p).m_as("GB")
        assert messages.most_sent(steps, p) == pytest.approx(expected)
        latency = find("collectives.ring").at(n="1 B", p=p, alpha="1 ms", beta="1 TB/s").m_as("ms")
        assert len(steps) == pytest.approx(latency, abs=1e-6)

    @pytest.mark.parametrize("p", range(2, 18))
    def test_tree_needs_the_rounds_of_the_formula(self, p):
        steps = messages.tree(p)
        assert messages.complete_pieces(messages.states_of(messages.start(p, 1), steps)[-1]) == p
        rounds = find("collectives.tree").at(n="1 B", p=p, alpha="1 ms", beta="1 TB/s").m_as("ms")
        assert len(steps) == pytest.approx(rounds, abs=1e-6)
        assert len(steps) == 2 * math.ceil(math.log2(p))

    @pytest.mark.parametrize(("devices", "nodes"), [(2, 2), (4, 2), (4, 3), (8, 4)])
    def test_two_levels_send_over_the_ports_what_the_formula_says(self, devices, nodes):
        phases, pieces = messages.levels(devices, nodes), devices * nodes
        state = messages.start(pieces, pieces)
        for steps in phases:
            state = messages.states_of(state, steps)[-1]
        assert messages.complete_pieces(state) == pieces**2
        assert messages.most_sent(phases[1], pieces) == pytest.approx(2 * (nodes - 1) / nodes / devices)
        own = {move.source // devices == move.target // devices for step in phases[0] + phases[2] for move in step}
        assert own == {True}
        given = {"n": "1 GB", "G": devices, "M": nodes, "alpha_i": "1 ns", "alpha_o": "1 ns"}
        slow, fast = (
            find("collectives.hierarchical").at(**given, beta_i="900 GB/s", beta_o=port).m_as("s")
            for port in ("1 GB/s", "2 GB/s")
        )
        carried = 2 * (slow - fast)  # by a port, in messages of 1 GB
        assert messages.most_sent(phases[1], pieces) == pytest.approx(carried, abs=1e-6)

    def test_nobody_sends_twice_at_once_in_a_ring(self):
        for moves in messages.ring(5):
            assert len({m.source for m in moves}) == len({m.target for m in moves}) == len(moves)

    def test_films_show_these_steps(self):
        assert len(drawn("ring-all-reduce").frames) == 2 * (all_reduce.RANKS - 1) + 1
        assert len(drawn("tree-all-reduce").frames) == 2 * 3 + 1
        text = " ".join(drawn("ring-all-reduce").frames[-1].canvas.svg("a", "b", "c").split("<text")[1:])
        assert text.count(">1234<") == all_reduce.RANKS**2

    def test_seeded_slips_are_found(self):
        steps = messages.ring(4)
        assert messages.complete_pieces(messages.states_of(messages.start(4, 4), steps[:-1])[-1]) < 16
        lost = [[move._replace(adds=False) for move in step] for step in steps]
        assert messages.complete_pieces(messages.states_of(messages.start(4, 4), lost)[-1]) == 0


# ---------------------------------------------------------------- jobs that fail


class TestFailureLog:
    def test_no_hour_is_missing_and_none_is_twice(self):
        for lane in drawn("failure-log").values["lanes"]:
            assert lane.spans[0].begin == 0 and lane.spans[-1].end == logs.WINDOW
            assert all(a.end == b.begin for a, b in itertools.pairwise(lane.spans))
            assert sum(logs.shares(lane.spans).values()) == pytest.approx(1)

    def test_each_failure_ends_what_it_strikes(self):
        values = drawn("failure-log").values
        for lane in values["lanes"]:
            for hit in values["struck"]:
                inside = [span for span in lane.spans if span.begin < hit < span.end]
                assert all(span.kind == "restart" for span in inside)
                assert any(span.kind == "restart" and span.begin <= hit < span.end for span in lane.spans)

    def test_work_counts_only_with_the_checkpoint_after_it(self):
        for lane in drawn("failure-log").values["lanes"]:
            following = [b.kind for a, b in itertools.pairwise(lane.spans) if a.kind == "work"]
            assert set(following) == {"write"}

    @pytest.mark.parametrize("tau", [0.5, 1.0, 3.0])
    def test_long_runs_waste_what_the_exact_model_says(self, tau):
        mean, write, restart, until = 8.0, 4 / 60, 5 / 60, 30000.0
        spans = logs.job(logs.failures(mean, until, 7), tau, write, restart, until)
        waste = 1 / logs.shares(spans)["work"] - 1
        given = {"C": f"{write} h", "M": f"{mean} h", "R": f"{restart} h", "tau": f"{tau} h"}
        expected = float(find("young_daly.exact_waste").at(**given).m_as(""))
        assert waste == pytest.approx(expected, rel=0.03)

    def test_free_writes_are_found(self):
        spans = logs.job(logs.failures(8.0, 20000.0, 7), 1.0, 1e-9, 5 / 60, 20000.0)
        given = {"C": "4 min", "M": "8 h", "R": "5 min", "tau": "1 h"}
        expected = float(find("young_daly.exact_waste").at(**given).m_as(""))
        assert 1 / logs.shares(spans)["work"] - 1 < 0.9 * expected

    def test_sample_is_not_a_lucky_one(self):
        values = drawn("failure-log").values
        expected = logs.WINDOW / values["mean"].m_as("h")
        assert abs(len(values["struck"]) - expected) <= math.sqrt(expected)

    def test_outer_intervals_cost_the_same_by_both_terms(self):
        values = drawn("failure-log").values
        often, _, seldom = values["lanes"]
        share = [float((values["write"] / x.tau + x.tau / (2 * values["mean"])).m_as("")) for x in (often, seldom)]
        assert share[0] == pytest.approx(share[1])


class TestDeadlines:
    def test_a_recovery_takes_what_the_formula_says(self):
        known, slow = drawn("recovery-hour").values["spans"]
        assert known.length == pytest.approx(find("resilience.book_recovery").value.m_as("min"))
        at = {"t_f": "5 min", "t_s": "30 min", "t_i": "10 min", "S": find("resilience.checkpoint").value}
        rate = find("resilience.measured.rate_slow").value
        assert slow.length == pytest.approx(find("resilience.recovery_time").at(**at, b_r=rate).m_as("min"))

    def test_what_the_caption_says_of_the_hour_holds(self):
        values = drawn("recovery-hour").values
        known, slow = values["spans"]
        assert known.length < values["promise"] < slow.length < values["promise"] + 10

    def test_a_late_machine_is_said_to_miss_the_deadline(self):
        known, slow = drawn("recovery-hour").values["spans"]
        early = deadlines.Span(slow.name, (*slow.parts[:3], slow.parts[3]._replace(length=14.0)))
        assert "within the RTO of 60" in deadlines._recovery_description((known, early), 60.0)
        assert "beyond the RTO of 60" in deadlines._recovery_description((known, slow), 60.0)

    def test_a_failure_costs_what_the_wastes_per_failure_add_up_to(self):
        one, two = drawn("failure-cost").values["spans"]
        parts = ("part_notice", "part_restart", "part_redo", "part_lag")
        share = sum(float(find(f"fleet_checkpointing.trillion.{part}").value.m_as("")) for part in parts)
        assert one.length == pytest.approx(share * 54 * 24 * 60 / 419)  # 419 failures in 54 days
        assert two.parts[3].length == pytest.approx(46.75 / 18 / 2, rel=1e-3)  # 18 fast saves in 46.75 min of work
        assert two.length < one.length

    def test_what_gets_through_is_the_rate_times_what_is_left(self):
        values = drawn("notice-in-bytes").values
        assert values["span"].length == pytest.approx(120)
        left = 120 - 5 - 10
        assert [door.through for door in values["doors"]] == pytest.approx([d.rate * left for d in values["doors"]])
        assert [door.through < values["size"] for door in values["doors"]] == [True, False]


class TestHiding:
    def test_the_exchange_is_that_of_the_ring_over_that_of_the_computing(self):
        rate = 989.4 * 0.4 * (1 + 6**0.5 / math.pi * 0.0114 * math.log(2048))  # of a measured step, without waiting
        given = {"B": "4e6 token", "R": f"{rate} TFLOP/s"}  # as the chapter's machine
        for step in drawn("hidden-allreduce").values["steps"]:
            computing = find("speedup.compute_time").at(**given, f="6e9 FLOP/token", N=step.devices)
            exchange = find("speedup.gradient_all_reduce").at(alpha="0 s", beta="400 GB/s", N=step.devices, V="2 GB")
            assert step.exchange == pytest.approx(float((exchange / computing).m_as("")), rel=1e-3)
            assert step.waited == pytest.approx(max(0, step.exchange - 0.5))

    def test_the_second_step_hides_just_all_and_the_third_does_not(self):
        values = drawn("hidden-allreduce").values
        few, just, many = values["steps"]
        assert few.waited == just.waited == 0 and just.exchange > 0.99 * values["omega"]
        assert many.waited > 0.4


class TestUploads:
    def test_failure_loses_what_a_clock_of_seconds_loses(self):
        for way in drawn("background-upload").values["ways"]:
            for strike in (3.0, 9.5, 16.2, 25.7, 31.1):
                assert way.lost(strike) == pytest.approx(by_the_second(way, strike), abs=0.05)

    def test_mean_loss_is_that_of_the_formula(self):
        way = uploads.SaveStrategy("a", 20.0, 0.001, 6.0)
        strikes = [200.01 + (i + 0.5) / 10 for i in range(4000)]
        mean = sum(way.lost(at) for at in strikes) / len(strikes)
        expected = find("fleet_checkpointing.async_loss").at(tau="20 min", u="6 min").m_as("min")
        assert mean == pytest.approx(expected, rel=0.01)

    def test_intervals_are_those_of_the_chapter(self):
        still, behind = drawn("background-upload").values["ways"]
        assert behind.work == pytest.approx(find("fleet_checkpointing.fleet_interval").value.m_as("min"))
        assert still.work == pytest.approx(math.sqrt(2 * 35 / 60 * 54 * 24 / 419 * 60))  # 419 failures in 54 days


def by_the_second(way, strike):
    """Return the work since the newest safe checkpoint, counted step by step."""
    dt, now, worked, safe, pending, phase = 0.005, 0.0, 0.0, 0.0, [], 0.0
    while now < strike:
        now += dt
        if phase < way.work:
            worked += dt
        phase += dt
        if phase >= way.work + way.stall:
            pending.append((now + way.upload, worked))
            phase = 0.0
        safe = max([safe, *(amount for until, amount in pending if until <= now)])
    return worked - safe


# ---------------------------------------------------------------- the roof


class TestRoof:
    def test_kernels_reach_what_bandwidth_or_peak_allow(self):
        values = drawn("roof-regions").values
        assert values["ridge"] == pytest.approx(989.4 / 3.35)  # the data sheet's peak and bandwidth
        for kernel in values["kernels"]:
            assert kernel.rate == pytest.approx(min(989.4, 3.35 * kernel.intensity), rel=1e-6)

    def test_slope_is_one_on_its_axes(self):
        axes = roof._Axes(Canvas(WIDE))
        tenfold = axes.x(100) - axes.x(10), axes.y(10) - axes.y(100)
        ends = (axes.right - axes.left) / 4, (axes.bottom - axes.top) / math.log10(roof.RATES[1])
        assert tenfold == pytest.approx(ends)


# ---------------------------------------------------------------- slots


class TestSlots:
    @pytest.mark.parametrize("way", [slots.by_groups, slots.continuous])
    def test_every_answer_is_written_once_and_no_slot_writes_two(self, way):
        answers = way(slots.LENGTHS, slots.SLOTS)
        assert [each.end - each.begin for each in sorted(answers)] == list(slots.LENGTHS)
        for slot in range(slots.SLOTS):
            here = sorted((each.begin, each.end) for each in answers if each.slot == slot)
            assert all(b[0] >= a[1] for a, b in itertools.pairwise(here))

    def test_no_slot_is_free_while_somebody_waits(self):
        answers = slots.continuous(slots.LENGTHS, slots.SLOTS)
        for late in answers:
            at_work = [sum(a.begin <= t < a.end for a in answers) for t in range(late.begin)]
            assert all(count == slots.SLOTS for count in at_work)

    def test_groups_wait_for_their_longest(self):
        answers = slots.by_groups((1, 5, 2, 2), 2)
        assert [each.begin for each in answers] == [0, 0, 5, 5]
        assert slots.busy(slots.continuous(slots.LENGTHS, slots.SLOTS)) == pytest.approx(32 / 40)

    def test_film_ends_with_all_done(self):
        assert "in groups 8, continuously 8" in drawn("continuous-batching").frames[-1].description
        assert sum(not frame.between for frame in drawn("continuous-batching").frames) == 4


def test_conversation_is_that_of_the_chapter():
    found = drawn("prefill-and-decode").values["request"]
    assert float(found.prefill / find("serving.prices.prefill_ours").value) == pytest.approx(1)
    assert found.whole.m_as("s") == pytest.approx(0.2738288 + 512 * 0.020, rel=1e-6)
    assert found.whole.m_as("s") > conversation.SHOWN


def test_cache_has_the_shape_of_the_model_and_saves_the_sum_of_all_steps():
    values = drawn("kv-cache").values
    assert values["shape"] == (80, 8, 128, 2, 2 * 8 * 128 * 2)  # config.json of Llama 3.1 70B
    assert values["computed"] == (sum(range(1, kv_cache.TOKENS + 1)), kv_cache.TOKENS)


def test_rungs_follow_from_bytes_and_come_in_the_order_of_the_chapter():
    found = {rung.words: rung.requests for rung in drawn("batch-ladder").values["rungs"]}
    weights, cache = 2 * 70553706496, 2 * 80 * 8 * 128 * 2 * 4096  # bytes of the model, and of one request
    assert found["fit into 80 GB per GPU"] == (4 * 80e9 - weights) // cache
    assert found["SLO, bytes over bandwidth"] == (0.020 * 4 * 3350e9 - weights) // cache
    assert found["the same with its own prefill"] < found["SLO, measured steps"] < found["SLO, bytes over bandwidth"]
    assert found["the decision without drafts"] < found["the decision with draft tokens"]


def test_matrices_of_the_block_are_the_parameters_of_the_model():
    values = drawn("transformer-block").values
    block, layer = values["block"], sum(values["parameters"].values())
    rest = 2 * 128256 * block.hidden + (2 * block.layers + 1) * block.hidden  # embeddings and norms
    assert block.layers * layer + rest == 70553706496


def test_bands_of_the_links_are_as_wide_as_their_bandwidths():
    found = drawn("gpu-and-links").values["chip"]
    assert (found.sms, found.cores) == (132, 4)  # the vendor's white paper
    heights = [each.height for each in rects(drawn("gpu-and-links")) if each.width == gpu_and_links.LANE]
    assert heights == pytest.approx([link.bandwidth * gpu_and_links.SCALE for link in found.links[1:]], abs=0.05)


# ---------------------------------------------------------------- sums


class TestSums:
    def test_money_adds_up_to_the_cost(self, reading):
        bands = flows.owned(reading)
        whole = find("ownership.lab_owned_idle").value
        assert float(sum(band.amount for band in bands) / whole) == pytest.approx(1, rel=1e-9)
        power = sum(band.amount for band in bands if band.kind == "energy")
        expected = find("ownership.lab_power_idle").value * quantity("1000 gpu")
        assert float(power / expected) == pytest.approx(1, rel=1e-9)
        assert bands[0].amount.m_as("MUSD") == pytest.approx(40)  # 1,000 devices of $40,000

    def test_carbon_adds_up_to_running_and_making(self):
        values = drawn("carbon-flow").values
        whole = find("energy.placement.run_germany").value + find("energy.placement.run_made").value
        assert float(values["total"] / whole) == pytest.approx(1)
        assert float(values["bands"][0].amount / find("energy.placement.run_limit").value) == pytest.approx(1)

    def test_bands_are_as_wide_as_the_amounts(self):
        values = drawn("money-flow").values
        heights = [rect.height for rect in rects(drawn("money-flow")) if rect.width == 10]
        shares = [float((band.amount / values["total"]).m_as("")) for band in values["bands"]]
        assert [height / sum(heights) for height in heights] == pytest.approx(shares, abs=1e-3)

    def test_days_add_up_to_what_the_audit_says(self):
        found = drawn("audit-days").values["sum"]
        assert sum(step.days for step in found.steps if not step.hidden) == pytest.approx(found.whole, rel=1e-6)
        assert found.whole == pytest.approx(find("audit.deadline.composed").value.m_as("d"))
        assert run_days.parts(StatementReader()).date == 14

    def test_forgotten_step_is_found(self):
        found = drawn("audit-days").values["sum"]
        for left_out in (step for step in found.steps if not step.hidden):
            rest = sum(step.days for step in found.steps if not step.hidden and step != left_out)
            assert rest != pytest.approx(found.whole, rel=1e-2)

    @pytest.mark.parametrize(("name", "address"), clock_shares.CASES)
    def test_day_divides_as_the_ratio_divides_it(self, reading, name, address):
        parts = clock_shares.day(reading, address)
        given = {v.name: amount for v, amount in find(address).givens.items()}
        tau = given.get("tau") or find("goodput.ettr.ettr_interval").at(M=given["M"], C=given["C"], o=given["o"])
        assert sum(parts.values()) == pytest.approx(1)
        expected = float((given["C"] / tau).m_as(""))  # each interval of progress has one write
        assert parts["writing"] / parts["progress"] == pytest.approx(expected, rel=1e-6)

    def test_cascade_is_the_product_of_its_shares(self):
        values = drawn("cascade").values
        assert values["levels"][-1] == pytest.approx(math.prod(values["parts"]), rel=1e-9)

    def test_times_of_checkpoints_grow_with_the_distance(self, reading):
        times = [float(place[2].m_as("s")) for place in checkpoints.places(reading)]
        assert times == sorted(times)
        assert times == pytest.approx([0.01356, 0.1367, 35], rel=0.01)  # 854 MB at 63 GB/s, 6.8 at 50, 14 TB at 400


class TestSpares:
    def test_probabilities_are_those_of_poisson(self):
        values = drawn("spares-and-repair").values
        mean = 128 * 0.0065 * 3
        expected = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(spares.MOST + 1)]
        assert values["chances"] == pytest.approx(expected, rel=1e-6)
        assert values["shop"].away == pytest.approx(mean)

    def test_spares_suffice_as_the_chapter_says(self):
        values = drawn("spares-and-repair").values
        assert values["enough"][values["shop"].spares] == pytest.approx(
            find("reliability.deadlines.shop_seven").value.m_as("")
        )


# ---------------------------------------------------------------- the map


def route_issues(ways, places, wide):
    """Yield each way that touches a chapter other than at its ends, and each two that share a stretch to two pages."""
    stretches = [(pair, *sorted(part)) for pair, way in ways.items() for part in itertools.pairwise(way)]
    for pair, (x, y), (to_x, to_y) in stretches:
        for page, (_, left, top) in places.items():
            level = min(y, to_y) < top + book_map.HIGH and max(y, to_y) > top
            if level and x < left + wide and to_x > left:
                yield pair, page
    for (pair, a, b), (other, c, d) in itertools.combinations(stretches, 2):
        if pair[1] != other[1] and pair[0] != other[0]:
            for i in (0, 1):
                alike = a[i] == b[i] == c[i] == d[i]
                if alike and min(b[1 - i], d[1 - i]) > max(a[1 - i], c[1 - i]):
                    yield pair, other


class TestMap:
    def test_chapter_needs_only_chapters_before_it(self):
        needed = drawn("book-map").values["needs"]
        order = list(needed)
        assert all(order.index(other) < order.index(page) for page, others in needed.items() for other in others)

    def test_nothing_is_drawn_twice(self):
        needed = drawn("book-map").values["needs"]

        def reached(page):
            return set(needed[page]).union(*(reached(other) for other in needed[page]))

        for others in needed.values():
            for one, other in itertools.permutations(others, 2):
                assert one not in reached(other)

    def test_every_chapter_of_the_contents_is_on_it(self):
        listed = {path.stem for path in (ROOT / "book" / "chapters").iterdir() if not path.stem.startswith("lab-")}
        assert {page.rpartition("/")[2] for page in drawn("book-map").values["needs"]} == listed - {"ledger"}

    def test_no_way_runs_behind_a_chapter_or_along_that_to_another(self):
        listed = prerequisites.parts()
        places, wide = book_map.placed(listed, WIDE)
        needed = prerequisites.needs(list(places))
        ways = book_map.routes(places, needed, wide)
        assert set(ways) == {(other, page) for page, others in needed.items() for other in others}
        assert not list(route_issues(ways, places, wide))
        through = {**ways, ("a", "b"): [(0, places["book/chapters/audit"][2] + 10), (WIDE, 0)]}
        along = {**ways, ("a", "b"): next(way for pair, way in ways.items() if pair[1] == "book/chapters/audit")}
        assert list(route_issues(through, places, wide)) and list(route_issues(along, places, wide))

    def test_other_forms_of_import_are_seen(self):
        source = (
            "from mathcore.chapters import (\n    energy,\n    sites as s,\n)\nfrom mathcore.chapters.audit import cost"
        )
        assert prerequisites.imported(source) == {"energy", "sites", "audit"}


@pytest.fixture
def another_folder(tmp_path):
    """Use a folder with two modules, one of which imports the other, and then the book's own again."""
    other = tmp_path / "other_diagrams"
    (other / "chapter").mkdir(parents=True)
    (other / "shared.py").write_text("WORDS = 'twice'\n")
    (other / "chapter" / "one.py").write_text(
        "from mathbook.diagrams.registry import Diagram, diagram\nfrom other_diagrams.shared import WORDS\n\n\n"
        '@diagram("sample-one")\ndef one(read):\n'
        '    return Diagram("a title", WORDS, lambda canvas: canvas.box(0, 0, 9, 9), ("a",), (["1"],))\n'
    )
    (other / "chapter" / "broken.py").write_text('@diagram("sample-broken")\ndef broken(read):\n    return 1 / 0\n')
    before, path = diagrams_folder(), list(sys.path)
    set_diagrams_folder(other)
    yield other
    set_diagrams_folder(before)
    sys.path[:] = path


def test_diagrams_of_another_book_are_found_and_only_the_one_asked_for_is_imported(another_folder):
    assert diagram_names() == ["sample-broken", "sample-one"]
    assert load_diagram("sample-one")[0].description == "twice"
    with pytest.raises(NameError):  # its module lacks an import, which nobody noticed until now
        load_diagram("sample-broken")
    assert diagram_issue("memory-stacks", ["words"])[0] == "there is no diagram `memory-stacks`"


def test_files_of_a_diagram_are_its_module_and_what_it_imports(another_folder):
    assert source_files("sample-one") == [another_folder / "chapter" / "one.py", another_folder / "shared.py"]
    assert source_files("sample-broken") == [another_folder / "chapter" / "broken.py"]
    assert "WORDS = 'twice'" in source_text("sample-one")


def test_a_missing_folder_has_no_diagrams(another_folder):
    set_diagrams_folder(another_folder / "nowhere")
    assert diagram_names() == [] and source_text("sample-one") == ""


def test_statement_shows_what_the_core_writes():
    formula = find("before_you_start.transfer")
    made_of_it = dict(drawn("one-statement").values["made"])
    assert made_of_it["Python"] in formula.python() and made_of_it["JavaScript"] in formula.javascript()
    assert made_of_it["a worked example"] == "2.80\u202fs"  # 140 GB over 50 GB/s
