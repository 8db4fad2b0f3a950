"""Protects the drawings of failures, time and money: what they show is reckoned here again by plain arithmetic.

The invariants that every drawing keeps stand in `test_diagrams.py`. Inputs are typed here as the sources
have them, so that neither the chapters nor the drawings check themselves; each family has a seeded error.
"""

import itertools
import math
import random
import re
from pathlib import Path

import pytest
from diagrams.audit import fleets_for_a_date as fleets
from diagrams.audit import tokens_share_weight_reads as shared_pass
from diagrams.fleet_checkpointing import storage_bandwidths as doors
from diagrams.goodput import overlapping_losses as strips
from diagrams.operations import pause_or_hang as alarms
from diagrams.ownership import committed_slices as demand
from diagrams.ownership import rents_and_resale as markets
from diagrams.reliability import streams
from diagrams.resilience import kept_checkpoints as keeping
from diagrams.resilience import one_wrong_bit as bits
from diagrams.young_daly import interval_square as squares
from diagrams.young_daly import segment_tries as tries
from drawings import drawn, rects
from mathbook.diagrams.registry import load_diagram

from practice import retention

ROOT = Path(__file__).resolve().parents[1]


def redrawn(name, draw):
    """Return a drawing with another function that draws it."""
    drawing = load_diagram(name)[0]
    object.__setattr__(drawing, "draw", draw)
    return drawing


# ---------------------------------------------------------------- squares


class TestSquares:
    CASES = ((4, 480), (1, 480), (1, 120))  # minutes of a write, and between failures

    def test_sides_are_the_roots_and_the_waste_their_share(self):
        for strip, (write, mean) in zip(drawn("interval-square").values["strips"], self.CASES, strict=True):
            assert strip.side == pytest.approx(math.sqrt(2 * write * mean))
            assert strip.waste == pytest.approx(strip.side / mean)

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_squares_are_square_and_have_the_area_of_their_strips(self, end):
        drawing = drawn("interval-square")
        assert unequal(drawing, end) == []

    def test_forgotten_two_is_found(self):
        strips = [each._replace(side=each.side / math.sqrt(2)) for each in drawn("interval-square").values["strips"]]
        drawing = redrawn("interval-square", lambda paper: squares._draw(paper, strips))
        assert len(unequal(drawing, "wide")) == len(strips)


def unequal(drawing, end):
    """Return the squares that differ from their strips in area; lengths are drawn to a tenth of a pixel."""
    strips, sides = (rects(drawing, f"q-{kind}", "s-mid", end=end) for kind in ("failure", "time"))
    pairs = zip(strips, sides, strict=True)
    return [(a, b) for a, b in pairs if abs(a[2] * a[3] / (b[2] * b[3]) - 1) > 0.06 or b[2] != b[3]]


# ---------------------------------------------------------------- streams


class TestMergedFailures:
    def test_nodes_live_as_long_as_their_rate_says(self):
        stream = streams.lives(4000, 0.0065, 300, 1)
        expected = 4000 * 0.0065 * 300
        assert abs(len(stream.struck) - expected) < 3 * math.sqrt(expected)
        assert 4000 - stream.touched == pytest.approx(4000 * math.exp(-0.0065 * 300), rel=0.05)

    def test_draw_is_not_a_lucky_one(self):
        stream = drawn("merged-failures").values["stream"]
        assert len(stream.struck) == round(128 * 0.0065 * 30)
        assert 128 - stream.touched == pytest.approx(128 * math.exp(-0.0065 * 30), abs=4)
        harmonic = sum(1 / k for k in range(1, len(stream.struck) + 1))  # the mean of the longest of so many gaps
        assert stream.longest == pytest.approx(harmonic / (128 * 0.0065), rel=0.3)

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_every_failure_of_a_node_stops_the_job(self, end):
        assert missed(drawn("merged-failures").svg("merged-failures")[end]) == set()

    def test_failure_that_does_not_reach_the_job_is_found(self):
        svg = drawn("merged-failures").svg("merged-failures")["wide"]
        head, bold, tail = svg.partition('class="q-failure s-line bold" d="')
        assert len(missed(head + bold + tail[tail.index("M", 1) :])) == 1


def missed(svg):
    """Return where nodes fail and the job is not struck, in pixels from the left."""
    nodes = re.search(r'class="q-failure s-full" d="([^"]+)"', svg)[1]
    job = re.search(r'class="q-failure s-line bold" d="([^"]+)"', svg)[1]
    fails = [float(x) + 3 for x in re.findall(r"M([\d.]+) ", nodes)]
    stops = [float(x) for x in re.findall(r"M([\d.]+) ", job)]
    return {x for x in fails if not any(abs(x - stop) < 0.2 for stop in stops)}


# ---------------------------------------------------------------- fleets

# By hand: the date needs 512·30/14 = 1097.14 devices for its steps, and with 4.131 % of waste there, growing with
# the root, 1172.4, 1213.9, 1597.2 and 1820.0 for all else of 2.59 %, 6.30 %, 40.6 % and 60.6 %: in whole nodes of eight
FLEETS = (512, 1176, 147 * 8, 152 * 8, 200 * 8, 228 * 8)  # the plan, by the model, as for four runs
CLOCKS = (1.0, *(n / (512 * 30 / 14) for n in FLEETS[1:]))  # the date over the steps


class TestFleets:
    def test_fleets_are_as_large_and_their_steps_as_short_as_was_computed_by_hand(self):
        found = drawn("fleets-for-a-date").values["fleets"]
        assert [each.devices for each in found] == list(FLEETS)
        assert [each.days / each.steps for each in found] == pytest.approx(CLOCKS, rel=1e-3)

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_steps_have_one_area_and_end_with_the_rest_on_the_date(self, end):
        assert differing(drawn("fleets-for-a-date"), end) == []

    def test_fleet_with_forgotten_devices_is_found(self):
        found = list(drawn("fleets-for-a-date").values["fleets"])
        found[2] = found[2]._replace(devices=1024.0)
        drawing = redrawn("fleets-for-a-date", lambda paper: fleets._draw(paper, found))
        assert differing(drawing, "wide") == [2]


def differing(drawing, end):
    """Return which fleets' steps have another area than the plan's, in pixels, or do not end on the date."""
    steps = rects(drawing, "q-time", "s-mid", end=end)[1:]  # the first is the key's
    rests = rects(drawing, "q-failure", "s-soft", end=end)[1:]
    ends = [rest[0] + rest[2] for rest in rests[1:]]
    areas = [w * h for _, _, w, h in steps]
    wrong = [i for i, area in enumerate(areas) if abs(area / areas[0] - 1) > 0.01]
    return wrong + [i for i, at in enumerate(ends, 1) if abs(at - ends[0]) > 0.2]


# ---------------------------------------------------------------- demand


def billed(swing, steps=4001):
    """Return the cost of a swing in prices of a device-hour on demand, hour by hour, at a discount of 35 %."""
    wanted = [swing.low + (swing.high - swing.low) * i / (steps - 1) for i in range(steps)]
    return sum(0.65 * swing.committed + max(0, each - swing.committed) for each in wanted) / steps


class TestDemand:
    def test_line_lies_where_no_other_is_cheaper(self):
        swing = drawn("committed-slices").values["swing"]
        costs = {m: billed(swing._replace(committed=m)) for m in range(200, 1001, 10)}
        assert min(costs, key=costs.get) == swing.committed == 480
        assert swing.last == pytest.approx(0.65)
        assert 26280 * 2.1 * billed(swing) / 1e6 == pytest.approx(26.545, rel=1e-3)  # millions, as the chapter has it

    def test_parts_are_those_of_single_hours(self):
        swing, steps = drawn("committed-slices").values["swing"], 4001
        wanted = [200 + 800 * i / (steps - 1) for i in range(steps)]
        work = sum(min(each, 480) for each in wanted) / steps / 1000
        idle = sum(max(480 - each, 0) for each in wanted) / steps / 1000
        assert swing.parts() == pytest.approx((work, idle, 0.6 - work), rel=1e-3)

    def test_areas_are_the_parts(self):
        svg, swing = (
            drawn("committed-slices").svg("committed-slices")["wide"],
            drawn("committed-slices").values["swing"],
        )
        areas = [drawn_area(svg, kind) for kind in ("q-time s-mid bare", "q-failure s-soft bare", "q-money s-mid bare")]
        assert [a / areas[0] for a in areas] == pytest.approx([p / swing.parts()[0] for p in swing.parts()], rel=0.01)

    def test_line_at_another_height_is_found(self):
        swing = drawn("committed-slices").values["swing"]
        wrong = redrawn("committed-slices", lambda paper: demand._draw(paper, swing._replace(committed=600.0)))
        svg = wrong.svg("committed-slices")["wide"]
        areas = [drawn_area(svg, kind) for kind in ("q-time s-mid bare", "q-money s-mid bare")]
        assert areas[1] / areas[0] != pytest.approx(swing.parts()[2] / swing.parts()[0], rel=0.1)


def drawn_area(svg, kind):
    """Return the area of the polygons of the paths of one kind, by the shoelace."""
    whole = 0.0
    for d in re.findall(rf'class="{kind}" d="([^"]+)"', svg):
        for part in d.split("z")[:-1]:
            x = y = 0.0
            points = []
            for command, numbers in re.findall(r"([MLHV])([\d. ]+)", part):
                values = [float(each) for each in numbers.split()]
                x = values[0] if command != "V" else x
                y = values[-1] if command != "H" else y
                points.append((x, y))
            around = zip(points, points[1:] + points[:1], strict=True)
            whole += abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in around)) / 2
    return whole


# ---------------------------------------------------------------- alarms


def paged(rule, begin, length, aside):
    """Return how long after the last step a pause is paged, or None."""
    states = alarms.evaluate_rule(((begin, length),), rule, begin + 800, aside)
    return min((now - begin for now, state in states if state == "firing"), default=None)


class TestAlarms:
    def test_rule_is_that_of_the_file(self):
        rule = drawn("pause-or-hang").values["rule"]
        text = (ROOT / "book" / "artefacts" / "alerts.yaml").read_text("utf-8")
        assert f"changes(training_steps_total[{rule.window:.0f}s])" in text and f"for: {rule.wait:.0f}s" in text
        monitor = (ROOT / "book" / "artefacts" / "prometheus.yaml").read_text("utf-8")
        assert f"scrape_interval: {rule.scrape:.0f}s" in monitor

    def test_hang_is_paged_within_the_delay_wherever_it_begins(self):
        rule, limit = drawn("pause-or-hang").values["rule"], drawn("pause-or-hang").values["limit"]
        delays = [paged(rule, 200 + shift / 4, math.inf, aside) for shift in range(60) for aside in (0.5, 7, 14.5)]
        assert limit - 60 < min(delays) and max(delays) <= limit

    def test_slow_write_is_pending_and_pages_nobody(self):
        values = drawn("pause-or-hang").values
        before = [state for now, state in values["states"] if now < alarms.HANGS]
        assert "pending" in before and "firing" not in before
        assert all(paged(values["rule"], 200 + shift, values["write"], 7) is None for shift in range(15))
        assert values["write"] == pytest.approx(20 + 3 * 20)  # a write of 20 s and three times the mean excess

    def test_rule_without_for_would_page_at_the_slow_write(self):
        values = drawn("pause-or-hang").values
        assert paged(values["rule"]._replace(wait=0), alarms.WRITES, values["write"], alarms.ASIDE) is not None


# ---------------------------------------------------------------- keeping


class TestKeeping:
    @pytest.mark.parametrize(("lane", "rule"), [(1, retention.by_age), (2, retention.by_calendar)])
    def test_ages_are_those_that_the_job_s_own_sweep_leaves(self, lane, rule):
        left = retention.thinned((keeping.NOW + 1) * retention.HOUR, retention.HOUR, rule)[-1]
        ages = [(keeping.NOW * retention.HOUR - moment) / retention.HOUR + keeping.SINCE for moment in reversed(left)]
        assert list(drawn("kept-checkpoints").values["rules"][lane].ages) == pytest.approx(ages)

    def test_only_the_calendar_reaches_behind_the_error(self):
        newest, age, calendar = drawn("kept-checkpoints").values["rules"]
        assert newest.clean == age.clean == [] and calendar.clean[0] > calendar.error == 8

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_every_checkpoint_is_drawn_on_its_side_of_the_error(self, end):
        svg = drawn("kept-checkpoints").svg("kept-checkpoints")[end]
        line = float(re.search(r'class="q-failure s-line bold" d="M([\d.]+) ', svg)[1])
        bad, good = (
            [float(x) for d in re.findall(rf'class="{kind}" d="([^"]+)"', svg) for x in re.findall(r"M([\d.]+) ", d)]
            for kind in ("q-failure s-soft", "q-bytes s-full")
        )
        assert len(bad) == 1 + 6 + 6 and len(good) == 25 - 6
        assert max(bad) < line < min(good)

    def test_sweep_that_forgets_the_weeks_is_found(self):
        tiers = drawn("kept-checkpoints").values["tiers"][:2]
        assert len(keeping.thinned(keeping.by_calendar, 1, tiers, keeping.NOW)) < 25 - 6


# ---------------------------------------------------------------- doors


class TestDoors:
    RATES = (0.05, 0.4, 2, 16.384)  # TB/s: 400 Gbit/s, the lab's store, Llama's, 16,384 ranks of 1 GB/s

    def test_times_are_those_of_fourteen_terabytes(self):
        found = drawn("storage-bandwidths").values["doors"]
        assert [door.rate for door in found] == pytest.approx(self.RATES)
        assert [door.seconds for door in found] == pytest.approx([14 / rate for rate in self.RATES])

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_rectangles_have_the_proportions_of_rate_and_time(self, end):
        assert out_of_scale(drawn("storage-bandwidths"), end, self.RATES) == []

    def test_door_of_bits_for_bytes_is_found(self):
        found = list(drawn("storage-bandwidths").values["doors"])
        found[1] = found[1]._replace(rate=8 * found[1].rate)
        drawing = redrawn("storage-bandwidths", lambda paper: doors._draw(paper, found))
        assert out_of_scale(drawing, "wide", self.RATES) == [1]


def out_of_scale(drawing, end, rates):
    """Return which rectangles are not as high as their rates and as long as their times, to 0.1 pixel."""
    found = rects(drawing, "q-bytes", "s-full", end=end)
    high, long = found[-1][3] / rates[-1], found[0][2] * rates[0]
    fits = [abs(h - r * high) < 0.1 and abs(w - long / r) < 0.1 for (_, _, w, h), r in zip(found, rates, strict=True)]
    return [index for index, fit in enumerate(fits) if not fit]


# ---------------------------------------------------------------- strips


class TestTakenTwice:
    def test_what_is_left_is_counted_hour_by_hour(self):
        for case, hours in zip(drawn("overlapping-losses").values["cases"], (90, 100), strict=True):
            runs = [hour for hour in range(hours) if hour >= round(case.share * hours)]
            steps = [hour for hour in runs if runs.index(hour) >= round(case.share * len(runs))]
            assert case.kept == pytest.approx(len(steps) / hours)
            assert case.subtracted + case.corner == pytest.approx(case.kept)

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_areas_fill_the_square_and_are_the_shares(self, end):
        assert uncovered(drawn("overlapping-losses"), end) == []

    def test_strip_that_reaches_under_the_other_is_found(self):
        case = drawn("overlapping-losses").values["cases"][0]
        wrong = [case._replace(share=case.share * 1.1)] * 2
        drawing = redrawn("overlapping-losses", lambda paper: strips._draw(paper, wrong))
        assert uncovered(drawing, "wide") == [0, 1]


def uncovered(drawing, end):
    """Return in which squares the areas are not what is left, down, stalled, and the corner."""
    kinds = (("q-time", "s-mid"), ("q-failure", "s-mid"), ("q-plain", "s-mid"), ("q-failure", "s-full"))
    found = [rects(drawing, *kind, "bare", end=end) for kind in kinds]
    wrong = []
    for index, (case, *parts) in enumerate(zip(drawing.values["cases"], *found, strict=True)):
        areas = [w * h for _, _, w, h in parts]
        loss = case.share * (1 - case.share)
        shares = (case.kept, loss, loss, case.corner)
        if [area / sum(areas) for area in areas] != pytest.approx(shares, abs=0.004):
            wrong.append(index)
    return wrong


# ---------------------------------------------------------------- tries


FULL = {"write": 5, "restart": 10}  # minutes


def slips(one):
    """Yield what a segment of 20 min of work, 5 of write and restarts of 10 does that none can do."""
    for a, b in itertools.pairwise(one.pieces):
        if a.end != pytest.approx(b.begin):
            yield f"nothing happens at {a.end:.1f}"
    ends = {piece.end for piece in one.pieces}
    yield from (f"a failure at {at:.1f} interrupts nothing" for at in one.struck if at not in ends)
    *_, work, write = one.pieces
    if [work.kind, write.kind] != ["work", "write"] or work.end - work.begin != pytest.approx(20):
        yield "it ends before its work is saved"
    if sum(piece.kind == "restart" for piece in one.pieces) != len(one.struck):
        yield "a failure is not followed by a restart"


class TestTries:
    def test_mean_of_many_is_that_of_daly(self):
        source = random.Random(5)
        ends = [tries.segment(source, 20, 5, 60, 10).end for _ in range(20000)]
        assert sum(ends) / len(ends) == pytest.approx(60 * math.exp(10 / 60) * (math.exp(25 / 60) - 1), rel=0.015)

    def test_rows_are_possible_and_not_lucky_ones(self):
        values = drawn("segment-tries").values
        assert [slip for one in values["segments"] for slip in slips(one)] == []
        ends = [one.end for one in values["segments"]]
        assert sum(ends) / len(ends) == pytest.approx(values["exact"], rel=0.05)

    def test_caption_tells_what_is_drawn(self):
        segments = drawn("segment-tries").values["segments"]
        assert sum(not one.struck for one in segments) > len(segments) / 2
        cut = [
            {p.kind for p in one.pieces if p.kind in FULL and p.end - p.begin < FULL[p.kind] - 1e-9} for one in segments
        ]
        assert any("write" in kinds for kinds in cut) and any("restart" in kinds for kinds in cut)

    def test_forgotten_restart_is_found(self):
        hit = max(drawn("segment-tries").values["segments"], key=lambda one: len(one.struck))
        without = hit._replace(pieces=tuple(piece for piece in hit.pieces if piece.kind != "restart"))
        assert any("nothing happens" in slip for slip in slips(without))


# ---------------------------------------------------------------- failures that pile up


def scatter(counts):
    """Return the variance of counts over their mean."""
    mean = sum(counts) / len(counts)
    return sum((each - mean) ** 2 for each in counts) / len(counts) / mean


class TestPiles:
    @pytest.mark.parametrize("size", [1.0, 1.3, 5.5])
    def test_bursts_scatter_as_measured_machines_do(self, size):
        source = random.Random(2)
        counts = [sum(streams.bursts(24.96, size, source)) for _ in range(20000)]
        assert sum(counts) / len(counts) == pytest.approx(24.96, rel=0.02)
        assert scatter(counts) == pytest.approx(size, rel=0.05)

    def test_two_machines_have_as_many_failures_and_not_a_lucky_year(self):
        calm, rough = drawn("failures-in-bursts").values["piles"]
        assert sum(calm.counts) == sum(rough.counts) == pytest.approx(12 * 24.96, rel=0.03)
        assert calm.spares == math.ceil(24.96 + 1.645 * math.sqrt(24.96)) == 34
        assert calm.short == 0 and rough.short == 2  # 3 % and 19 % of the months, by the draws above: 0.4 and 2.3
        assert 0.3 < scatter(calm.counts) < 1.7 and 3 < scatter(rough.counts) < 8

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_every_failure_is_drawn_with_the_same_height(self, end):
        assert heights(drawn("failures-in-bursts"), end) == pytest.approx([293, 293], rel=0.03)

    def test_lost_burst_is_found(self):
        calm, rough = drawn("failures-in-bursts").values["piles"]
        fewer = rough._replace(months=((), (), *rough.months[2:]))
        drawing = redrawn("failures-in-bursts", lambda paper: streams._piles(paper, (calm, fewer)))
        assert heights(drawing, "wide") != pytest.approx([293, 293], rel=0.03)


def heights(drawing, end):
    """Return the heights of all blocks of each machine, in the height of a single failure."""
    svg = drawing.svg("failures-in-bursts")[end]
    found = []
    for paths in re.split(r'<text class="t b"[^>]*>\d+ failures', svg)[1:]:
        blocks = re.findall(r"M[\d.]+ [\d.]+h[\d.-]+v([\d.]+)h", paths)
        found.append(sum(float(each) for each in blocks))
    most = max(max(pile.counts) for pile in drawing.values["piles"])
    return [each / (streams.TALL / most) for each in found]


# ---------------------------------------------------------------- shared pass


class TestReading:
    RATIOS = tuple(tokens * (6 / 989.4e12) / (8 / 3.35e12) for tokens in (1, 989.4 * 8 / 6 / 3.35, 2048, 4 * 2048))

    def test_arithmetic_and_bytes_are_those_of_the_data_sheet(self):
        found = drawn("tokens-share-weight-reads").values["passes"]
        assert [each.computing for each in found] == pytest.approx(self.RATIOS)  # six operations, eight bytes a weight
        assert found[0].busy == pytest.approx(self.RATIOS[0]) and {each.busy for each in found[1:]} == {1.0}

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_bars_are_as_long_as_the_times(self, end):
        assert ratios_of(drawn("tokens-share-weight-reads"), end) == pytest.approx(self.RATIOS, rel=0.01, abs=0.01)

    def test_half_the_bytes_are_found(self):
        wrong = [
            each._replace(computing=2 * each.computing) for each in drawn("tokens-share-weight-reads").values["passes"]
        ]
        drawing = redrawn("tokens-share-weight-reads", lambda paper: shared_pass._draw(paper, wrong))
        assert ratios_of(drawing, "wide") != pytest.approx(self.RATIOS, rel=0.1)


def ratios_of(drawing, end):
    """Return the lengths of the arithmetic over those of the bytes beside it; the first of each is the key's."""
    moved, done = (rects(drawing, f"q-{kind}", "s-mid", end=end)[1:] for kind in ("bytes", "time"))
    return [b[2] / a[2] for a, b in zip(moved, done, strict=True)]


# ---------------------------------------------------------------- markets


def lived(fall, years=3, life=6, steps=200000):
    """Return what owning, selling and renting one device costs today, in dollars, summed over small steps.

    A device of $40,000 with $0.326 an hour to run, a rent of $2.10 less 35 %, interest of 8 % a year.
    """
    dt, hours = life / steps, 8766
    run, rent = 0.3261542322610085 * hours, 2.1 * 0.65 * hours
    moments = [(i + 0.5) * dt for i in range(steps)]
    first = [t for t in moments if t < years]
    later = [t for t in moments if t >= years]
    paid = 40000 + sum(run * math.exp(-0.08 * t) for t in first) * dt
    sold = sum((rent * math.exp(-fall * t) - run) * math.exp(-0.08 * t) for t in later) * dt
    return paid, sold, sum(rent * math.exp((-fall - 0.08) * t) for t in first) * dt


class TestWorlds:
    @pytest.mark.parametrize(("index", "fall"), [(0, math.log(32.77 / 21.96) / 3), (1, 0.0)])
    def test_amounts_are_those_of_small_steps(self, index, fall):
        world = drawn("rents-and-resale").values["worlds"][index]
        assert [1000 * each for each in world[1:4]] == pytest.approx(lived(fall), rel=2e-3)

    def test_markets_say_opposite_things_and_the_usual_pair_misleads(self):
        falling, standing = drawn("rents-and-resale").values["worlds"]
        assert (falling.verdict, standing.verdict) == ("rent", "buy")
        assert standing.sold / standing.paid == pytest.approx(0.4, abs=0.01)  # two fifths, as the caption says

    @pytest.mark.parametrize("end", ["wide", "narrow"])
    def test_bars_are_to_scale(self, end):
        assert amounts(drawn("rents-and-resale"), end) == pytest.approx(
            [x for w in drawn("rents-and-resale").values["worlds"] for x in (w.owned, w.sold, w.rented)], rel=0.01
        )

    def test_resale_of_the_other_market_is_found(self):
        falling, standing = drawn("rents-and-resale").values["worlds"]
        mixed = (falling._replace(sold=standing.sold), standing)
        drawing = redrawn("rents-and-resale", lambda paper: markets._draw(paper, mixed))
        assert amounts(drawing, "wide")[0] != pytest.approx(falling.owned, rel=0.1)


def amounts(drawing, end):
    """Return what the bars of both markets show, in thousands of dollars: owned, sold, rented, each twice."""
    kinds = (("q-money", "s-mid"), ("q-money", "s-none"), ("q-time", "s-mid"))
    bars = [[w for _, _, w, _ in rects(drawing, *kind, end=end)[1:]] for kind in kinds]
    most = drawing.values["worlds"][0].paid / ((720 if end == "wide" else 352) - 8)
    return [each[i] * most for i in (0, 1) for each in bars]


# ---------------------------------------------------------------- shrinking


def faults_of(way, until):
    """Yield what is wrong with a way, minute by minute: a group that does two things or nothing."""
    for tenth in range(int(10 * until)):
        now = (tenth + 0.5) / 10
        here = [s for s in way.spans if s.begin <= now < s.end]
        groups = sorted(g for s in here for g in range(s.first, s.first + s.groups))
        if groups != list(range(way.groups)):
            yield f"at {now} the groups {groups} do something"


class TestShrinking:
    def test_every_group_does_one_thing_at_a_time(self):
        for way in drawn("wait-or-shrink").values["ways"]:
            assert list(faults_of(way, 42)) == []

    def test_losses_are_those_of_the_chapter(self):
        values = drawn("wait-or-shrink").values
        wait, shrink = values["ways"]
        assert wait.lost == pytest.approx(30 + 6) == pytest.approx(values["known"][0])
        write = 0.98e12 / (14400 / 1024 * 500e6) / 60  # minutes for 0.98 TB at 500 MB/s a TiB
        assert shrink.lost == pytest.approx(0.1 * 30 + 0.9 * 6 + write + 6, rel=1e-3)
        assert shrink.lost + 0.1 * 6 == pytest.approx(values["known"][1])  # the formula counts that restart for all

    def test_areas_are_the_losses(self):
        svg, ways = drawn("wait-or-shrink").svg("wait-or-shrink")["wide"], drawn("wait-or-shrink").values["ways"]
        work = [
            sum(
                float(w)
                for d in re.findall(r'class="q-time s-mid bare" d="([^"]+)"', part)
                for w in re.findall(r"h([\d.]+)v", d)
            )
            for part in svg.split('class="t b"')[1:3]
        ]
        whole = [(s.end, way.groups) for way in ways for s in way.spans if s.kind == "at work"][-1]
        expected = [whole[0] * whole[1] - way.lost * way.groups for way in ways]
        assert work[1] / work[0] == pytest.approx(expected[1] / expected[0], rel=0.01)

    def test_forgotten_second_restart_is_found(self):
        shrink = drawn("wait-or-shrink").values["ways"][1]
        lazy = shrink._replace(spans=tuple(s for s in shrink.spans if not (s.kind == "restarting" and s.begin > 30)))
        assert list(faults_of(lazy, 42))


# ---------------------------------------------------------------- bits


def read_bf16(pattern):
    """Return the value of sixteen bits by the definition: sign, exponent with a bias of 127, seven bits of fraction."""
    sign, exponent, fraction = pattern >> 15, pattern >> 7 & 0xFF, pattern & 0x7F
    return (-1) ** sign * 2.0 ** (exponent - 127) * (1 + fraction / 128)


class TestBits:
    def test_weight_is_the_nearest_that_the_format_has(self):
        nearest = min(range(0x3C00, 0x3D00), key=lambda pattern: abs(read_bf16(pattern) - bits.WEIGHT))
        assert bits.stored(bits.WEIGHT) == nearest and bits.loaded(nearest) == read_bf16(nearest)

    def test_wrong_bits_are_those_of_the_definition(self):
        values = drawn("one-wrong-bit").values
        pattern = bits.stored(bits.WEIGHT)
        assert [b.value for b in values["bits"]] == [read_bf16(pattern ^ 1 << place) for place in range(15, -1, -1)]
        assert "".join(str(b.digit) for b in values["bits"]) == f"{pattern:016b}"

    def test_caption_and_words_hold(self):
        values = drawn("one-wrong-bit").values
        factors = [abs(bit.value) / values["weight"] for bit in values["bits"]]
        assert sum(factor > 1e6 for factor in factors) == 1 and all(map(math.isfinite, factors))
        assert sum(0.5 <= factor <= 2 for factor in factors) == values["near"] == 9
        others = sorted(max(f, 1 / f) for f in factors if not 0.5 <= f <= 2)[:-1]
        assert others[0] == 4 and 1e19 < others[-1] < 2e19

    def test_bars_are_as_high_as_the_powers_of_two(self):
        assert powers(drawn("one-wrong-bit")) == pytest.approx([128, 64, 32, 16, 8, 4, 2, 1], abs=0.1)

    def test_exponent_of_another_format_is_found(self):
        halves = [
            bit._replace(value=bit.value**0.125) if bit.part == "exponent" else bit
            for bit in drawn("one-wrong-bit").values["bits"]
        ]
        drawing = redrawn("one-wrong-bit", lambda paper: bits._draw(paper, halves, bits.WEIGHT**0.125, 9))
        assert powers(drawing) != pytest.approx([128, 64, 32, 16, 8, 4, 2, 1], abs=0.1)


def powers(drawing):
    """Return the heights of the bars of the exponent, in powers of two."""
    return [high / bits.POWER for *_, high in rects(drawing, "q-failure", "s-full")]
