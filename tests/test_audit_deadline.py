"""Protects the end of the audit: days add up, limits are distinguished, failures make the date uncertain."""

import math
import random

import pytest

from mathcore import find
from mathcore.errors import ArgumentError


def value(address, unit=""):
    return find(address).value.m_as(unit)


def test_days_of_the_limits_add_up_to_the_run():
    parts = [value(f"audit.deadline.days_{name}", "d") for name in ("computing", "layers", "waiting", "failing")]
    assert sum(parts) == pytest.approx(value("audit.deadline.composed", "d"), rel=1e-12)


def test_kernels_at_half_of_the_peak_take_twice_the_floor():
    assert value("audit.deadline.days_computing", "d") == pytest.approx(2 * value("audit.deadline.at_peak", "d"))


def test_run_of_parts_is_the_run_at_the_composed_mfu():
    at = {v.name: q for v, q in find("audit.deadline.mfu_for_date").givens.items() if v.name in ("C", "n", "P")}
    run = find("audit.fleet.run_time").at(
        **at, u=find("audit.fleet.mfu_here").value, delta="2 min", m="42857.142857 gpu h"
    )
    planned = run.m_as("d")
    assert value("audit.deadline.composed", "d") == pytest.approx(planned, rel=1e-10)


def test_only_the_last_backward_pass_hides_the_ring():
    """Of 7.01 s of arithmetic 4.67 s go backward, with 0.67 s of all-reduces; a 32nd, or an eighth, is the last."""
    assert value("audit.fleet.last", "s") == pytest.approx(0.1669, abs=1e-4)
    assert value("audit.fleet.last_of_four", "s") == pytest.approx(0.6677, abs=1e-4)
    assert value("audit.fleet.waiting", "s") == pytest.approx(0.6951 - 0.1669, abs=2e-4)
    assert value("audit.fleet.waiting_of_four", "s") == pytest.approx(0.6951 - 0.6677, abs=2e-4)


def test_last_backward_pass_does_not_shrink_with_the_fleet():
    assert value("audit.levers.mfu_1216") < value("audit.levers.mfu_1176") < value("audit.fleet.mfu_here")
    assert value("audit.levers.mfu_1216_of_four") > value("audit.mfu") > value("audit.fleet.mfu_here")


def test_four_sequences_do_not_fit_at_the_measured_multiple():
    low, high = find("parallelism.measured.layout_memory").band
    assert value("audit.levers.need_of_four", "GB") == pytest.approx(36.930 + 4 * 6.795, abs=0.01)
    assert low * value("audit.levers.taken_of_four", "GB") > 80
    assert value("audit.levers.taken", "GB") < 80 < high * value("audit.levers.taken", "GB")


def test_needed_mfu_meets_the_date():
    at = find("audit.deadline.mfu_for_date").givens
    given = {v.name: q for v, q in at.items() if v.name in ("C", "n", "P")}
    time = find("audit.fleet.run_time").at(
        **given, u=find("audit.deadline.mfu_for_date").value, delta="2 min", m="42857.142857 gpu h"
    )
    assert time.m_as("d") == pytest.approx(14)


def probability_in_time(work, days, n, hours, write, restart=600):
    """The probability once more, apart from the core: seconds of work, the hours a device lasts, seconds of a write."""
    mean = 3600 * hours / n
    interval = math.sqrt(2 * write * mean)
    stops = math.floor((days * 86400 - work * (1 + write / interval)) / (interval / 2 + restart))
    mu = days * 86400 / mean
    return sum(math.exp(k * math.log(mu) - mu - math.lgamma(k + 1)) for k in range(stops + 1))


def poisson_probability(n, u):
    return probability_in_time(512 * 30 * 86400 * 0.4 / (n * u), 14, n, 1 / (1 / 5e4 + 1 / 8 / 3.75e4), 120)


@pytest.mark.parametrize(
    ("name", "n", "u"),
    [
        ("chance_143", 1144, 0.4),
        ("chance_147", 1176, 0.4),
        ("chance_147_at_39", 1176, 0.39),
        ("chance_155_at_38", 1240, 0.38),
    ],
)
def test_probability_of_the_date(name, n, u):
    assert value(f"audit.deadline.{name}") == pytest.approx(poisson_probability(n, u), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ({}, 4),  # five hundred devices: arithmetic, and late
        ({"n": "1408 gpu"}, 0),
        ({"beta_i": "25 GB/s"}, 5),
        ({"n": "16384 gpu"}, 2),
        ({"n": "16384 gpu", "m": "1000 gpu h"}, 3),
    ],
)
def test_calculator_names_the_limit(change, limit):
    formula = find("audit.deadline.binding")
    start = {v.name: q for v, q in find("audit.deadline.explorer").defaults.items()}
    values = {v.name: {**start, **change}[v.name] for v in formula.inputs}
    assert formula.at(**values).m_as("") == limit


def test_calculator_opens_at_the_run_of_the_page():
    formula = find("audit.deadline.fleet_time")
    start = find("audit.deadline.explorer").defaults
    opened = formula.at({v: q for v, q in start.items() if v in formula.inputs}).m_as("d")
    assert opened == pytest.approx(value("audit.deadline.composed", "d"), rel=1e-3)


def test_probability_of_the_date_is_simulated():
    assert find("audit.deadline.simulated_promise").passed


# ---------------------------------------------------------------- what four runs lost, carried to the date

# parameters, tokens, devices, peak of a device, share of it in a step, days: from the four reports, once more
REPORTS = {
    "opt": (175e9, 300e9, 992, 312e12, 0.346, 56),
    "bloom": (176.247e9, 364.39e9, 384, 312e12, 0.352, 115),
    "llama": (405.85e9, 15.6e12, 16384, 989.4e12, 0.41, 30.84e6 / 16384 / 24),
    "palm": (540.35e9, 780e9, 6144, 275e12, 0.457, (1200 + 336 / 2) / 24),
    "glm": (130e9, 400e9, 768, 312e12, 0.325, 58),
}
STEPS = 512 * 30 / 14  # devices that the date needs if nothing but steps took time


def wasted(n):
    """Return what failures waste of the steps on so many devices: writes of two minutes, 50,000 h a device."""
    return math.sqrt(2 * 120 * n * (1 / 5e4 + (1 / 1.5e5 + 2 / 1e5) / 8) / 3600)  # device, network card, two supplies


def ratio(name):
    """Return days over days of steps of a run."""
    parameters, tokens, n, peak, share, days = REPORTS[name]
    return days * 86400 * n * peak * share / (6 * parameters * tokens)


def rest(name):
    return ratio(name) - 1 - wasted(REPORTS[name][2])


def nodes(other, failing=wasted):
    """Return the devices of the fewest whole nodes that keep the date."""
    return next(n for n in range(8, 9999, 8) if n >= STEPS * (1 + failing(n) + other))


def differing(fleets):
    """Return the runs whose fleet on the page is another."""
    return [name for name, n in fleets.items() if value(f"audit.measured.{name}_nodes", "gpu") != n]


def test_rest_of_each_run_is_what_its_own_failures_leave():
    for name in REPORTS:
        assert value(f"audit.measured.{name}_beside") == pytest.approx(rest(name), rel=2e-3), name


def test_fleets_carry_over_the_time_of_neither_steps_nor_failures():
    assert differing({name: nodes(rest(name)) for name in REPORTS}) == []


def test_fleets_that_carried_the_failures_of_another_size_is_found():
    """The whole ratio, as if Llama's sixteen thousand devices failed on ours: 1,304 and not 1,176."""
    whole = {name: nodes(ratio(name) - 1, failing=lambda n: 0) for name in REPORTS}
    assert whole["llama"] == 1304 and set(differing(whole)) == set(REPORTS)


def test_two_runs_keep_the_date_on_the_fleet_that_is_signed_for():
    fleet = value("audit.measured.bloom_nodes", "gpu")
    left = fleet / STEPS - 1 - wasted(fleet)
    assert {name for name in REPORTS if rest(name) < left} == {"llama", "bloom"}
    assert value("audit.measured.allowed_offer") == pytest.approx(left, rel=1e-9)
    for name in ("palm", "opt"):
        ends = 14 * STEPS / fleet * (1 + wasted(fleet) + rest(name))
        assert value(f"audit.measured.offer_as_{name}", "d") == pytest.approx(ends, rel=2e-3)
    assert value("audit.measured.clock_limit") == pytest.approx(1 + wasted(512) + left, rel=1e-9)


def test_calendar_of_palm_is_longer_than_its_days_of_the_whole_fleet():
    assert value("audit.measured.palm_calendar", "d") == (1200 + 336) / 24 == 64
    steps = REPORTS["palm"][-1] / ratio("palm")
    assert value("audit.measured.palm_calendar_clock") == pytest.approx(64 / steps, rel=2e-3)


def outside(marks):
    """Return the runs whose rest lies beyond the marks under the slider."""
    low, high = (value(mark) for mark in marks)
    return [name for name in REPORTS if not low <= value(f"audit.measured.{name}_beside") <= high]


def test_mark_of_all_else_spans_the_four_runs():
    slider = next(s for s in find("audit.deadline.explorer").sliders if s.variable.name == "y_o")
    assert outside(slider.measured) == []
    assert outside(("audit.measured.bloom_beside", "audit.measured.opt_beside")) == ["llama"]


# ---------------------------------------------------------------- what is asked of a reader

PLANS = [(1e24, 30, 0.4, 180), (3e23, 10, 0.38, 120), (4e24, 45, 0.42, 240)]  # work, days, share, seconds of a write


@pytest.mark.parametrize(("variant", "plan"), list(enumerate(PLANS)))
def test_fleets_of_the_task_are_judged_by_probability_and_none_is_marginal(variant, plan):
    """A mean finish in time is met only half of the time: by the mean, another fleet would be right."""
    work, days, share, write = plan
    known = find("audit.task_plan").numbers(variant)
    sizes = [int(known[f"n{k}"].m_as("gpu")) for k in (1, 2, 3, 4)]
    seconds = [work / (n * 989.4e12 * share) for n in sizes]
    probabilities = [probability_in_time(s, days, n, 5e4, write) for s, n in zip(seconds, sizes, strict=True)]
    right = {choice.text for choice in find("audit.task_plan").choices(variant) if choice.right}
    assert right == {
        f"{n:,}\u202fGPUs" for n, probability in zip(sizes, probabilities, strict=True) if probability >= 0.95
    }
    assert not [probability for probability in probabilities if 0.6 < probability < 0.99]
    means = [s * (1 + math.sqrt(2 * write * n / 1.8e8)) / 86400 for s, n in zip(seconds, sizes, strict=True)]
    assert right != {f"{n:,}\u202fGPUs" for n, mean in zip(sizes, means, strict=True) if mean <= days}


def early(exercise, rounded=0):
    """Return the variants whose answer, or one beside it, is not the least number at which failures cost so much."""
    wrong = []
    for seed in range(60):
        given = {v.name: x.to_base_units().magnitude for v, x in exercise.givens_of(seed).items()}
        m, delta, w = (given[name] for name in ("m", "delta", "w_min"))
        n = exercise.answer_of(seed).m_as("gpu") + rounded
        if not math.sqrt(2 * delta * (n - 1) / m) < w <= math.sqrt(2 * delta * n / m) * (1 + 1e-12):
            wrong.append(seed)
    return wrong


def test_devices_from_which_on_failures_cost_so_much_are_the_first_that_do():
    exercise = find("audit.fleet.ex_double")
    assert early(exercise) == []
    assert len(early(exercise, -1)) == len(early(exercise, 1)) == 60


RING = 2 * 70.5537e9 * 2 / 8 / 50e9  # seconds in which gradients of two bytes go out and come in, in eight parts
ALL_PARTS = 1 / (1 / 5e4 + (1 / 1.5e5 + 2 / 1e5) / 8)  # device-hours between failures


def days_elsewhere(devices, gain, beside, last=0.66768, use=0.4, per_device=ALL_PARTS):
    """Days of the run on so many devices: its steps on 512, scaled, and what more of the ring is left to wait for."""

    def exposed(n):
        return max(0, RING * (n - 8) / n - last / gain)

    at_512 = 6 * 70.5537e9 * 2048 * 2048 / (512 * 989.4e12 * use * gain)
    step = (at_512 - exposed(512)) * 512 / devices + exposed(devices)
    waste = math.sqrt(2 * 120 * devices / (per_device * 3600))
    return 30 * step / (at_512 * gain * use / 0.4) * (1 + waste + beside)


def least_devices(gain, beside, last=0.66768):
    return next(n for n in range(512, 2400, 8) if days_elsewhere(n, gain, beside, last) <= 14)


def beside_of(*runs):
    return [value(f"audit.measured.{run}_beside") for run in runs]


def test_least_nodes_for_the_date_in_two_formats_in_a_plain_loop():
    """Work of 30 days of 512 H100s at 40 %; FP8 at the speed-up of its hidden size; failures of all parts."""
    assert pytest.approx(42857, rel=1e-4) == ALL_PARTS
    gain = value("parallelism.decisions.fp8_predicted")
    bloom, opt = beside_of("bloom", "opt")
    decision = find("audit.decisions.signature")
    for name, speed in (("BF16", 1.0), ("FP8", gain)):
        devices = least_devices(speed, bloom)
        days = days_elsewhere(devices, speed, bloom)
        paid = {
            "by the week": devices * 2 * 168 * 2.95,
            "by the month": devices * 720 * 2.95,
            "our cluster": (devices - 512) * 24 * days * 2.95,
        }
        for where, cost in paid.items():
            found = decision.best(format=name, where=where, n_free="1024 gpu")
            assert found.option.levers["n"] == devices, (name, where)
            assert found.value.m_as("USD") == pytest.approx(cost, rel=1e-5), (name, where)
    best = decision.best()
    assert (best.option.levers["format"], best.option.levers["where"]) == ("FP8", "by the week")
    assert value("audit.decisions.bloom_nodes_8", "gpu") == best.option.levers["n"] == least_devices(gain, bloom) == 904
    assert value("audit.decisions.opt_nodes_8", "gpu") == least_devices(gain, opt) == 1400
    assert least_devices(gain, bloom, last=0.16692) == value("audit.decisions.bloom_nodes_of_one", "gpu") == 952


def test_no_block_and_no_offer_by_the_hour_has_enough_devices():
    """64 servers of 8 in one block, 768 in the largest example by the hour; 904 are the least."""
    decision = find("audit.decisions.signature")
    for where in ("elsewhere", "by the hour"):
        with pytest.raises(ArgumentError):
            decision.best(where=where)
    assert decision.best(where="by the week", n="2000 gpu").value.m_as("USD") == pytest.approx(2000 * 168 * 2.95)
    gain, (bloom,) = value("parallelism.decisions.fp8_predicted"), beside_of("bloom")
    assert days_elsewhere(2000, gain, bloom) < 7 < days_elsewhere(1952, gain, bloom)


def test_a_thousand_devices_by_the_hour_tie_with_the_week():
    """SF Compute's documentation speaks of a thousand and more; by the week, the run pays for two weeks."""
    signature = find("audit.decisions.signature")
    (n_max,) = (v for v in signature.options["where"]["by the hour"] if v.name == "n_max")
    hour = {**signature.options["where"]["by the hour"], n_max: "1000 gpu"}
    where = {**signature.options["where"], "by the hour": hour}
    decision = signature.variant(options={**signature.options, "where": where})
    gain, (bloom,) = value("parallelism.decisions.fp8_predicted"), beside_of("bloom")
    costs = {name: decision.best(where=name).value.m_as("USD") for name in ("by the hour", "by the week")}
    assert costs["by the hour"] == pytest.approx(904 * 24 * days_elsewhere(904, gain, bloom) * 2.95, rel=1e-5)
    assert 1 < costs["by the week"] / costs["by the hour"] < 1.005


def drawn_clusters(count):
    """Return inputs of the days of a run, drawn independently and uniformly in the logarithm."""
    source = random.Random(5)
    ends = {
        "gain": [value(f"parallelism.decisions.{end}") for end in ("fp8_least", "fp8_greatest")],
        "use": (0.341, 0.43),
        "beside": beside_of("llama", "opt"),
        "per_device": [value(f"audit.{end}", "gpu h") for end in ("deadline.m_seen", "measured.glm_device")],
    }

    def drawn():
        return {name: math.exp(source.uniform(*map(math.log, pair))) for name, pair in ends.items()}

    return [drawn() for _ in range(count)]


def test_the_larger_cluster_rarely_misses_the_date_and_costs_half_more():
    """904 and 1,400 GPUs, sampled once more in a plain loop, for two weeks either way."""
    samples, many, few = drawn_clusters(4000), 1400, 904
    missed = {n: sum(days_elsewhere(n, **sample) > 14 for sample in samples) / len(samples) for n in (few, many)}
    solution = find("audit.decisions.signature").solve()
    found = solution.values()
    assert found["infeasible"].m_as("") == pytest.approx(missed[few], abs=0.04)
    assert found["proposed_infeasible"].m_as("") == pytest.approx(missed[many], abs=0.02)
    assert found["proposed_margin"].m_as("") == pytest.approx(many / few - 1, rel=1e-9)


def test_the_cluster_planned_for_bf16_lies_between_both_in_fp8():
    """1,216 GPUs: six of seven published runs keep the date in FP8, and a miss costs half a million or 1.4."""
    gain = value("parallelism.decisions.fp8_predicted")
    runs = beside_of("llama", "bloom", "olmo_7", "glm", "olmo_32", "palm", "opt")
    assert [days_elsewhere(1216, gain, run) <= 14 for run in runs] == [True] * 6 + [False]
    found = find("audit.decisions.planned").solve().values()
    assert 14 < days_elsewhere(1216, 1.0, runs[1]) == pytest.approx(found["proposed_T_r"].m_as("d"), rel=1e-4)
    samples = drawn_clusters(4000)
    missed = {n: sum(days_elsewhere(n, **sample) > 14 for sample in samples) / len(samples) for n in (904, 1216, 1400)}
    rent = {n: n * 336 * 2.95 / 1e6 for n in missed}
    assert found["infeasible"].m_as("") == pytest.approx(missed[1216], abs=0.03)
    assert 0.45 < (rent[1216] - rent[904]) / (missed[904] - missed[1216]) < 0.5
    assert 1.2 < (rent[1400] - rent[1216]) / (missed[1216] - missed[1400]) < 1.6
