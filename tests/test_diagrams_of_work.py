"""Protects the drawings of work, from one product to a hall: what they show, reckoned again by other means."""

import itertools
import math
import re

import data_sets
import pytest
from diagrams.before_you_start import ruler_of_times as rulers
from diagrams.energy import watt_hours
from diagrams.roofline import two_clocks as batches
from diagrams.serving import cache_pages
from diagrams.speedup import two_laws
from diagrams.training import three_products as passes
from drawings import areas, drawn, elements, lengths
from mathbook.diagrams.canvas import WIDE
from mathbook.diagrams.registry import StatementReader

from mathcore import find

# ---------------------------------------------------------------- roofline


class TestTwoClocks:
    def test_clocks_are_those_of_the_data_sheet(self):
        weights = 8192 * 28672 * 2 / 3.35e12 * 1e6
        for one in drawn("two-clocks").values["clocks"]:
            assert one.weights == pytest.approx(weights)
            assert one.others == pytest.approx(one.tokens * (8192 + 28672) * 2 / 3.35e12 * 1e6)
            assert one.arithmetic == pytest.approx(one.tokens * 2 * 8192 * 28672 / 989.4e12 * 1e6)

    def test_third_batch_is_where_both_are_equal(self):
        *_, even, twice = drawn("two-clocks").values["clocks"]
        found = min(range(200, 400), key=lambda n: abs(n * 2 * 8192 * 28672 / 989.4 - _bytes(n) / 3.35))
        assert even.tokens == found and twice.tokens == 2 * found

    def test_bars_are_as_long_as_the_times(self):
        drawing = drawn("two-clocks")
        bars = lengths(drawing, "q-time", "s-mid")[1:]  # the first is the key's
        times = [one.arithmetic for one in drawing.values["clocks"]]
        assert [bar / bars[-1] for bar in bars] == pytest.approx([t / times[-1] for t in times], abs=1e-3)

    def test_weights_read_for_each_token_is_found(self):
        one, many = (batches.step_times(StatementReader(), tokens) for tokens in (1, 64))
        assert many.weights == one.weights
        assert many.weights != pytest.approx(64 * one.weights)


def _bytes(tokens):
    return 2 * (8192 * 28672 + tokens * (8192 + 28672))


class TestTiles:
    def test_intensity_is_counted_byte_by_byte(self):
        for tile in drawn("tiles").values["tiles"]:
            count = (4096 // tile.width) ** 2  # tiles of the whole product
            moved = count * 2 * (2 * tile.width * 4096 + tile.width**2)
            assert tile.intensity == pytest.approx(2 * 4096**3 / moved)
            assert tile.reads * 2 * 4096**2 * 2 == pytest.approx(moved - 2 * 4096**2)
            assert tile.share == pytest.approx(min(1, tile.intensity * 3.35 / 989.4))

    def test_strips_and_tiles_are_to_scale(self):
        drawing = drawn("tiles")
        whole = lengths(drawing, "q-time", "s-faint")
        edges = lengths(drawing, "q-time", "s-full", "bare")
        strips = areas(drawing, "q-bytes", "s-strong", "bare")
        for tile, side, edge in zip(drawing.values["tiles"], whole, edges, strict=True):
            assert edge / side == pytest.approx(tile.width / 4096, abs=0.001)
        assert strips == pytest.approx([side * edge for side, edge in zip(whole, edges, strict=True) for _ in "ab"])

    def test_a_tile_that_reads_its_inputs_once_is_found(self):
        small = drawn("tiles").values["tiles"][0]
        once = 2 * 4096**3 / (3 * 2 * 4096**2)
        assert small.intensity < once / 10


# ---------------------------------------------------------------- training


EDGES = {passes.FRONT: {"inputs", "outputs"}, passes.SIDE: {"tokens", "inputs"}, passes.TOP: {"tokens", "outputs"}}


class TestThreeProducts:
    def test_three_boxes_are_the_work_of_the_six_rule(self):
        values = drawn("three-products").values
        assert values["box"].work == 2 * 8192 * 8192 * 4096
        assert sum(values["each"]) == 6
        assert values["box"].whole == pytest.approx(3 * values["box"].work)

    @pytest.mark.parametrize("one", passes.PASSES)
    def test_sums_run_along_the_edge_that_the_written_face_lacks(self, one):
        edges = {
            passes.FRONT: {"inputs", "outputs"},
            passes.SIDE: {"tokens", "inputs"},
            passes.TOP: {"tokens", "outputs"},
        }
        assert {one.edge} == {"inputs", "outputs", "tokens"} - edges[one.written]

    @pytest.mark.parametrize("one", passes.PASSES)
    def test_a_loop_over_the_sums_does_one_multiplication_for_each_cell(self, one):
        sizes = {"tokens": 3, "inputs": 5, "outputs": 7}
        written = math.prod(sizes[edge] for edge in EDGES[one.written])
        assert written * sizes[one.edge] == 3 * 5 * 7

    def test_edges_are_to_scale(self):
        paths = [each.get("d") for each in elements(drawn("three-products"), "path")]
        front, side, *_ = [path for path in paths if path.endswith("z")]
        wide, high = map(float, re.match(r"M[\d.]+ [\d.]+h([\d.]+)v([\d.]+)", front).groups())
        deep = math.hypot(*map(float, re.match(r"M[\d.]+ [\d.]+l([\d.-]+) ([\d.-]+)", side).groups()))
        assert wide == high and deep / wide == pytest.approx(4096 / 8192, rel=0.03)

    def test_a_pass_that_adds_along_an_edge_of_its_face_is_found(self):
        slip = passes.PASSES[0]._replace(edge="tokens")
        assert slip.edge in EDGES[slip.written]


def loss(parameters, work):
    """Return the loss by the constants of the refit of 2024, with the whole of the work."""
    return 1.8172 + 482.01 * parameters**-0.3478 + 2085.43 * (work / 6 / parameters) ** -0.3658


class TestEqualBudgets:
    MONTH = 512 * 989.4e12 * 0.4 * 30 * 86400

    def test_all_spend_the_month(self):
        for plan in drawn("equal-budgets").values["plans"]:
            assert 6 * plan.billions * 1e9 * plan.tokens * 1e12 == pytest.approx(self.MONTH, rel=1e-3)

    def test_worth_is_the_least_work_that_a_search_finds_for_the_loss(self):
        sizes = [1e9 * 1.02**step for step in range(300)]
        for plan in drawn("equal-budgets").values["plans"]:
            wanted, low, high = loss(plan.billions * 1e9, self.MONTH), 0.01, 1.0
            for _ in range(40):
                share = (low + high) / 2
                reached = min(loss(size, share * self.MONTH) for size in sizes) < wanted
                low, high = (low, share) if reached else (share, high)
            assert plan.worth == pytest.approx(high, rel=0.01)

    def test_areas_are_equal_and_cut_as_the_worth(self):
        drawing = drawn("equal-budgets")
        wide, high = (lengths(drawing, "q-plain", "s-none", side=side) for side in ("width", "height"))
        whole = [w * h for w, h in zip(wide, high, strict=True)]
        assert whole == pytest.approx([whole[0]] * 4, rel=0.01)
        remaining = [lengths(drawing, "q-time", "s-mid", side=side)[1:] for side in ("width", "height")]
        shares = [w * h / area for w, h, area in zip(*remaining, whole, strict=True)]
        assert shares == pytest.approx([plan.worth for plan in drawing.values["plans"]], abs=0.01)

    def test_tokens_of_another_size_is_found(self):
        small, middle, *_ = drawn("equal-budgets").values["plans"]
        slip = small._replace(tokens=middle.tokens)
        assert 6e21 * slip.billions * slip.tokens != pytest.approx(self.MONTH, rel=0.5)


# ---------------------------------------------------------------- serving


class TestCachePages:
    def test_room_is_what_the_weights_of_the_published_file_leave(self):
        room = drawn("cache-pages").values["room"]
        free = 4 * 80e9 - 2 * 70553706496
        of_token = 2 * 80 * 8 * 128 * 2  # keys and values, layers, heads, width, bytes
        assert room.tokens == pytest.approx(free / of_token)
        assert room.reserved == free // (of_token * 131072) and room.paged == free // (of_token * 4096)

    def test_pages_hold_one_conversation(self):
        room = drawn("cache-pages").values["room"]
        taken = [min(16, 4097 - first) for first in range(0, 4097, 16)]
        assert (room.pages, room.last) == (len(taken), taken[-1])

    def test_lengths_of_the_example_have_the_mean_and_fit(self):
        room = drawn("cache-pages").values["room"]
        assert math.fsum(cache_pages.SHARES) == pytest.approx(len(cache_pages.SHARES))
        cycle = itertools.islice(itertools.cycle(cache_pages.SHARES), room.paged)
        assert 0.97 * room.tokens < sum(cycle) * room.mean <= room.tokens

    def test_conversations_are_drawn_to_the_scale_of_the_slots(self):
        drawing = drawn("cache-pages")
        room, [slot, *_] = drawing.values["room"], lengths(drawing, "q-plain", "s-none")
        both = [area for shade in ("s-strong", "s-mid") for area in areas(drawing, "q-bytes", shade, "bare")]
        assert len(both) == room.paged
        assert sum(both) / (slot * cache_pages.HIGH) == pytest.approx(
            sum(itertools.islice(itertools.cycle(cache_pages.SHARES), room.paged)) * 4096 / 131072, rel=0.01
        )

    def test_slots_of_the_mean_is_found(self):
        room = drawn("cache-pages").values["room"]
        assert room.used == pytest.approx(4 * 4096 / 545937, rel=1e-4)
        assert room._replace(reserved=room.paged).used > 0.9


# ---------------------------------------------------------------- parallelism


class TestFloorPlan:
    def test_boxes_are_all_devices_of_the_fleet(self):
        plan = drawn("floor-plan").values["plan"]
        assert plan.columns * plan.stages == 512 / 8 == 64
        assert plan.copies * plan.share * plan.stages == 512
        assert plan.groups * plan.share == 8

    def test_step_is_that_computed_by_hand(self):
        parameters, tokens = 70553706496, 2048 * 2048
        computing = 6 * parameters * tokens / (512 * 494.7e12)
        activations = 2048 * 8192 * 2  # bytes that one sequence hands on
        layers = 80 / 8 * (2048 / 32) * 4 * 2 * activations * 1 / 2 / 450e9  # four all-reduces, each of them two passes
        inside = 2 * parameters * 2 / 16 * 3 / 4 / 450e9  # among the four of a node that hold the same weights
        outside = 2 * parameters * 2 / 16 / 4 * 7 / 8 / 50e9  # the quarters, among eight nodes
        seconds = drawn("floor-plan").values["plan"].seconds
        expected = {"computing": computing, "layers": layers, "gradients": inside + outside}
        assert {part: seconds[part] for part in expected} == pytest.approx(expected, rel=1e-3)
        assert seconds["bubble"] == pytest.approx(7 / (2048 / 32) * computing, rel=1e-3)

    def test_bar_is_cut_as_the_step_is(self):
        drawing = drawn("floor-plan")
        plan = drawing.values["plan"]
        [bar, _] = lengths(drawing, "q-time", "s-mid")  # the second is its sign
        assert bar / (WIDE - 4) == pytest.approx(plan.seconds["computing"] / plan.step, abs=1e-3)

    def test_what_talks_most_stays_in_a_node(self):
        seconds = drawn("floor-plan").values["plan"].seconds
        within_node = seconds["layers"] * 450
        sent_out = 2 * 70.553706496 * 2 / 16 / 4 * 7 / 8  # GB: a quarter of a device's gradients, among eight nodes
        assert within_node > 20 * sent_out

    def test_a_forgotten_bubble_is_found(self):
        plan = drawn("floor-plan").values["plan"]
        without = plan._replace(seconds={part: s for part, s in plan.seconds.items() if part != "bubble"})
        efficiency = float(find("parallelism.layouts.two_eight_efficiency").value.m_as(""))
        assert plan.seconds["computing"] / plan.step == pytest.approx(efficiency, rel=1e-6)
        assert plan.seconds["computing"] / without.step != pytest.approx(efficiency, rel=1e-2)


# ---------------------------------------------------------------- speedup


def clocked(devices, serial, divided):
    """Return how long a run takes and how much device-time is spent waiting, counted in a thousand slices of work."""
    slices = [math.ceil(1000 * divided / devices) / 1000 for _ in range(devices)]
    end = serial + max(slices)
    return end, devices * end - serial - divided


class TestTwoLaws:
    @pytest.mark.parametrize("devices", two_laws.DEVICES)
    def test_fixed_work_takes_what_a_clock_shows(self, devices):
        run = two_laws.fixed(StatementReader(), devices)
        end, waited = clocked(devices, 0.1, 0.9)
        assert run.time == pytest.approx(end, abs=0.001)
        assert run.waiting * devices * run.time == pytest.approx(waited, abs=0.001 * devices)

    @pytest.mark.parametrize("devices", two_laws.DEVICES)
    def test_work_that_grows_is_what_all_did_in_the_same_time(self, devices):
        run = two_laws.growing(StatementReader(), devices)
        assert run.time == pytest.approx(1)
        assert run.worth == pytest.approx(0.1 + devices * 0.9)
        assert run.waiting == pytest.approx(0.1 * (devices - 1) / devices)

    def test_areas_are_the_device_time(self):
        drawing = drawn("two-laws")
        wide, high = (lengths(drawing, "q-plain", "s-none", side=side) for side in ("width", "height"))
        paid = [run.devices * run.time for runs in drawing.values["runs"].values() for run in runs]
        assert [w * h / (wide[0] * high[0]) for w, h in zip(wide, high, strict=True)] == pytest.approx(paid, rel=0.01)

    def test_a_law_for_the_other_is_found(self):
        one, other = (law(StatementReader(), 16) for law in (two_laws.fixed, two_laws.growing))
        end, _ = clocked(16, 0.1, 0.9)
        assert other.time != pytest.approx(end, abs=0.1) and one.worth < 0.5 * other.worth


# Of the devices that the date needs, and of those that do the work: 40 % over whole steps of 2,048, without the wait.
RATE = 989.4e12 * 0.4 * (1 + math.sqrt(6) / math.pi * 0.0114 * math.log(2048))


def done(devices, ports):
    """Return the devices' worth of work of the chapter's step, for one byte of gradients; `ports` in B/s."""
    computing = 4e6 * 3 / (RATE * devices)
    exchange = 2 * (devices - 1) / devices / ports
    slowest = 0.02 * math.sqrt(6) / math.pi * math.log(devices) * computing  # Gumbel's law
    return devices * computing / (computing + max(0, exchange - computing / 2) + slowest)


class TestDateInDevices:
    def test_marks_are_those_of_a_step_by_hand(self):
        values = drawn("devices-for-a-date").values
        year = 365.2425 * 86400
        needed = 2.2e24 / RATE / (0.45 * year)
        expected = [needed, done(1000, 50e9), done(1000, 400e9), 1000]
        assert [mark.devices for mark in values["marks"]] == pytest.approx(expected, rel=2e-3)
        assert values["tenfold"] == pytest.approx(10 * needed, rel=2e-3)

    def test_squares_are_as_many_as_the_devices(self):
        drawing = drawn("devices-for-a-date")
        ends = [mark.devices for mark in drawing.values["marks"]]
        found = [sum(areas(drawing, f"q-{m.kind}", f"s-{m.shade}", "bare")) for m in drawing.values["marks"]]
        expected = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        assert [area / sum(found) * 1000 for area in found] == pytest.approx(expected, abs=5)

    def test_rings_that_hide_nothing_is_found(self):
        flat = drawn("devices-for-a-date").values["marks"][1].devices
        computing, exchange = 4e6 * 3 / (RATE * 1000), 2 / 50e9
        assert flat != pytest.approx(1000 * computing / (computing + exchange), rel=0.05)


# ---------------------------------------------------------------- energy


def metered(busy, met, hours=200_000):
    """Return hours held and kWh at the building's meter for one hour of progress, hour by hour of a long log."""
    worked, energy = 0.0, 0.0
    for hour in range(hours):
        working = (hour + 1) * busy // 1 > hour * busy // 1
        worked += working
        energy += (856 if working else 263.75) * 1.2 / 1000
    return hours / (worked * met), energy / (worked * met)


class TestUsefulHour:
    @pytest.mark.parametrize(("index", "busy"), [(0, 0.9), (1, 0.3)])
    def test_areas_are_what_a_meter_shows(self, index, busy):
        each = drawn("useful-hour").values["fleets"][index]
        assert (each.hours, each.energy) == pytest.approx(metered(busy, 0.9), rel=1e-3)

    def test_progress_is_one_hour_and_the_building_covers_all(self):
        for each in drawn("useful-hour").values["fleets"]:
            [progress, *_], covers = each.slabs[:3], each.slabs[3:]
            assert progress.hours == 1
            assert sum(cover.energy for cover in covers) == pytest.approx(0.2 / 1.2 * each.energy)

    def test_rectangles_have_the_areas_of_the_energies(self):
        drawing = drawn("useful-hour")
        wide, high = (lengths(drawing, "q-energy", "s-soft", side=side)[1:] for side in ("width", "height"))
        waits = [each.slabs[2].energy for each in drawing.values["fleets"]]
        assert wide[0] * high[0] / (wide[1] * high[1]) == pytest.approx(waits[0] / waits[1], rel=0.01)

    def test_forgotten_waiting_is_found(self):
        each = watt_hours.fleet(StatementReader(), "energy.placement.lazy")
        slip = each._replace(slabs=tuple(slab for slab in each.slabs if slab.words != "waits"))
        assert slip.energy != pytest.approx(metered(0.3, 0.9)[1], rel=0.1)


class TestSlowerClock:
    def test_energies_are_powers_times_times(self):
        for each in drawn("slower-clock").values["clocks"]:
            rest, device = each.slabs
            assert device.energy == pytest.approx(0.59225 * each.device)
            assert rest.energy == pytest.approx(0.26375 * each.time)
            assert device.energy + rest.energy == pytest.approx(0.856 * each.node)

    def test_clocks_are_those_of_the_measured_rows(self):
        """Both models, an inner stage and the last, forward and backward, weigh the same."""
        rows = data_sets.rows("clock_a100", clock="0.617")
        *_, slow = drawn("slower-clock").values["clocks"]
        assert len(rows) == 8
        assert slow.time == pytest.approx(sum(float(row["slowdown"]) for row in rows) / 8, abs=5e-4)
        assert slow.device == pytest.approx(sum(float(row["energy"]) for row in rows) / 8, abs=5e-4)

    def test_no_measured_clock_takes_less_energy_than_the_best(self):
        _, best, _ = drawn("slower-clock").values["clocks"]
        rows = data_sets.rows("clock_a100")
        for clock in {row["clock"] for row in rows}:
            there = [(float(row["energy"]), float(row["slowdown"])) for row in rows if row["clock"] == clock]
            device, time = (sum(part) / len(there) for part in zip(*there, strict=True))
            assert device > best.device
            assert (device * 592.25 + time * 263.75) / 856 > best.node

    def test_areas_are_the_energies(self):
        drawing = drawn("slower-clock")
        wide, high = (lengths(drawing, "q-energy", "s-strong", side=side)[1:] for side in ("width", "height"))
        drawn_areas = [w * h for w, h in zip(wide, high, strict=True)]
        energies = [each.device for each in drawing.values["clocks"]]
        assert [area / drawn_areas[0] for area in drawn_areas] == pytest.approx(
            [e / energies[0] for e in energies], rel=0.01
        )

    def test_a_rest_that_does_not_wait_is_found(self):
        *_, slow = drawn("slower-clock").values["clocks"]
        assert slow.node != pytest.approx((592.25 * slow.device + 263.75) / 856, rel=0.1)


# ---------------------------------------------------------------- ground rules


class TestRulerOfTimes:
    def test_times_are_those_computed_by_hand(self):
        found = {time.words: time.seconds for time in drawn("ruler-of-times").values["times"]}
        parameters, read = 70553706496, 4 * 3.35e12
        expected = {
            "a clock of an H100": 1 / 1.83e9,
            "reading one cache": 327680 * 4096 / read,
            "a token of an answer": (2 * parameters + 32 * 327680 * 4096) / read,
            "a step of training": 6 * parameters * 2048**2 / (512 * 494.7e12),
            "time between failures": 54 * 86400 / 419,
            "a device to failure": 54 * 86400 / 419 * 16384,
            "the reserved month": 30 * 86400,
        }
        assert {words: found[words] for words in expected} == pytest.approx(expected, rel=1e-3)

    def test_marks_are_at_their_times(self):
        drawing = drawn("ruler-of-times")
        heights = [float(each.get("cy")) for each in elements(drawing, "circle")]
        times = [time.seconds for time in drawing.values["times"]]
        first, last = heights[0], heights[-1]
        shares = [math.log(t / times[0]) / math.log(times[-1] / times[0]) for t in times]
        assert [(y - first) / (last - first) for y in heights] == pytest.approx(shares, abs=2e-3)

    def test_slips_are_drawn_on_the_scale_of_the_ruler(self):
        heights = lengths(drawn("ruler-of-times"), "q-failure", "s-mid", side="height")
        assert heights == pytest.approx([math.log10(slip) * rulers.DECADE for slip in (1000, 60, 8)], abs=0.1)

    def test_times_read_in_minutes_are_found(self):
        class Slip(StatementReader):
            def number(self, address, unit_name="", of=""):
                return super().number(address, "min" if unit_name == "s" else unit_name, of)

        [step] = [time.seconds for time in rulers.times(Slip()) if time.words == "a step of training"]
        assert step != pytest.approx(6 * 70553706496 * 2048**2 / (512 * 494.7e12), rel=0.9)


class TestPrefixesApart:
    def test_each_step_multiplies_by_1024_over_1000(self):
        larger = [pair.larger for pair in drawn("prefixes-apart").values["pairs"]]
        assert larger == pytest.approx([1.024**step - 1 for step in range(1, 7)])

    def test_bars_begin_at_zero_and_are_to_scale(self):
        drawing = drawn("prefixes-apart")
        [_, *whole], [_, *more] = (lengths(drawing, "q-bytes", shade) for shade in ("s-soft", "s-full"))
        found = [extra / bar for extra, bar in zip(more, whole, strict=True)]
        assert found == pytest.approx([pair.larger for pair in drawing.values["pairs"]], abs=5e-4)

    def test_examples_are_the_same_bytes_in_both_units(self):
        for pair in drawn("prefixes-apart").values["pairs"][:4]:
            decimal, binary = (float(number) for number in re.findall(r"([\d.]+)\u202f\w+", pair.example))
            assert decimal / binary == pytest.approx(1 + pair.larger, rel=0.005)

    def test_a_prefix_of_the_next_step_is_found(self):
        first, second, *_ = drawn("prefixes-apart").values["pairs"]
        assert second.larger != pytest.approx(1.024 - 1, rel=0.1) and first.larger == pytest.approx(0.024)
