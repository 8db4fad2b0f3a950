"""Comparisons with systems of other laboratories, clouds and devices, recomputed from their rows by arithmetic."""

import dataclasses
import math
import statistics
from collections import defaultdict

import pytest
from data_sets import rows as table

from mathcore import find
from mathcore.errors import MathcoreError

H100 = 989.4e12


def close(comparison, ratios):
    """Check median and worst error of a comparison against ratios of predicted to measured values."""
    errors = [abs(ratio - 1) for ratio in ratios]
    assert comparison.median == pytest.approx(statistics.median(errors), rel=1e-4)
    assert comparison.worst == pytest.approx(max(errors), rel=1e-4)


def issues_of(comparison, column, source):
    """Return what is reported of a comparison in which one symbol comes from another column."""
    name = {str(getattr(v, "name", v)): v for v in comparison.columns}[column]
    changed = dataclasses.replace(comparison, columns={**comparison.columns, name: source})
    try:
        return list(changed._find_issues())
    except MathcoreError as error:
        return [str(error)]


# --- FP8 over BF16 -------------------------------------------------------------------------------


def test_gain_of_fp8_is_that_of_halving_the_products_alone():
    """A layer whose products take h and whose rest takes h_e units of time in BF16, timed in both formats."""
    rows = table("fp8_gains")
    for row in rows:
        slow, fast = sorted((float(row["in_bf16"]), float(row["in_fp8"])), reverse=True)
        assert float(row["gain"]) == pytest.approx(slow / fast, abs=6e-5)
    comparison = find("training.measured.fp8_gains")
    rest = comparison.fitted_parameters["h_e"].value.m_as("")
    gain = {h: (h + rest) / (h / 2 + rest) for h in (2048, 4096, 5120, 6144, 8192, 12288, 16384)}
    judged = [row for row in rows if row["width"] != "4096"]
    assert len(judged) == 18 and {row["laboratory"] for row in judged} == {"NVIDIA", "Meta", "Ai2"}
    close(comparison, [gain[int(row["width"])] / float(row["gain"]) for row in judged])
    assert find("training.decisions.fp8_predicted").value.m_as("") == pytest.approx(gain[6144], rel=1e-6)
    assert find("parallelism.decisions.fp8_predicted").value.m_as("") == pytest.approx(gain[8192], rel=1e-6)


def test_fitted_rest_is_the_one_that_suits_the_small_models_best():
    """Robust least squares over a grid, on the eight rows of width 4,096: no grid point is better than the fit."""
    gains = [float(row["gain"]) for row in table("fp8_gains") if row["width"] == "4096"]

    def loss(rest):
        off = [math.log((4096 + rest) / (2048 + rest) / gain) for gain in gains]
        return sum(math.sqrt(1 + (each / 0.1) ** 2) - 1 for each in off)

    best = min((500 * 1.001**n for n in range(4600)), key=loss)
    fitted = find("training.measured.fp8_gains").fitted_parameters["h_e"].value.m_as("")
    assert fitted == pytest.approx(best, rel=0.02)


def test_one_gain_for_all_sizes_is_off_by_twice_as_much():
    rows = table("fp8_gains")
    middle = statistics.median(float(row["gain"]) for row in rows if row["width"] == "4096")
    judged = [float(row["gain"]) for row in rows if row["width"] != "4096"]
    constant = statistics.median(abs(middle / gain - 1) for gain in judged)
    assert constant > 2 * find("training.measured.fp8_gains").median


def test_a_width_read_in_other_units_would_be_found():
    assert issues_of(find("training.measured.fp8_gains"), "h", "devices")


# --- published runs ------------------------------------------------------------------------------


def test_runs_of_olmo_keep_the_rate_of_their_tokens():
    """7,700 and 1,900 tokens a second on each device, six operations for each parameter, of the dense peak."""
    shares = {row["run"]: float(row["share"]) for row in table("published_runs")}
    assert shares["Olmo 3 7B"] == pytest.approx(6 * 7.298e9 * 7700 / H100, abs=6e-4)
    assert shares["Olmo 3 32B"] == pytest.approx(6 * 32.23e9 * 1900 / H100, abs=6e-4)
    days = {row["run"]: float(row["time"]) * int(row["devices"]) * 24 for row in table("published_runs")}
    assert days["Olmo 3 7B"] == pytest.approx(234e3, rel=1e-3) and days["Olmo 3 32B"] == pytest.approx(1.05e6, rel=1e-3)
    assert days["Gopher 280B"] == pytest.approx(4096 * 920, rel=1e-3)


def test_median_of_eight_calendars_is_between_the_fourth_and_the_fifth():
    peak = {"A100": 312e12, "H100": H100, "TPU v3": 123e12, "TPU v4": 275e12}
    clocks = sorted(
        float(row["time"]) * 86400 * int(row["devices"]) * peak[row["device"]] * float(row["share"])
        / (6 * float(row["params"]) * float(row["tokens"]))
        for row in table("published_runs")
    )  # fmt: skip
    assert find("training.decisions.calendar_middle").value.m_as("") == pytest.approx(
        math.sqrt(clocks[3] * clocks[4]), rel=1e-6
    )
    close(find("audit.measured.steps_alone"), [1 / clock for clock in clocks])


# --- whole steps in BF16 --------------------------------------------------------------------------


def test_a_step_of_llama_on_16384_devices_is_the_sum_of_its_parts():
    """TP=8, PP=16 with one layer for each chunk, 2,048 sequences of 8,192 tokens, 128 replicas with 16 each."""
    comparison = find("parallelism.measured.whole_steps_16")
    share = comparison.fitted_parameters["u"].value.m_as("")
    kernel = find("roofline.measured.product").fitted_parameters["t_d"].value.m_as("s")
    multiple = find("parallelism.measured.sum_h100").greatest.value.m_as("")
    nics = find("collectives.measured.rails_alps").fitted_parameters["e"].value.m_as("")
    params, layers, width, tokens, devices = 405853388800, 126, 16384, 2048 * 8192, 16384
    computing = 6 * (params + layers * width * 8192) * tokens / (devices * share * H100)
    micro, chunks = 16, 8
    kernels = 21 * kernel * layers / 16 * micro
    sums = multiple * 4 * layers / 16 * micro * 2 * 8192 * width * 2 * (7 / 8) / 450e9
    head = 128256 * width / ((params - 2 * 128256 * width) / layers)
    uneven = (math.ceil(layers / 16) + head) / ((layers + head) / 16)
    handed = 2 * micro * chunks * 8192 * width * 2 / 8 / (nics * 50e9)
    seconds = uneven * (1 + 15 / (chunks * micro)) * (computing + kernels + sums) + handed
    rows = zip(comparison.split_rows.holdout, comparison.ratios, strict=True)
    found = next(float(ratio) for row, ratio in rows if row["laboratory"] == "Meta" and row["pace"].magnitude < 160)
    assert found == pytest.approx(tokens / seconds / devices / 157.7, rel=0.03)


def test_a_peak_with_sparsity_would_be_found():
    assert issues_of(find("parallelism.measured.whole_steps_16"), "P_d", "1979 TFLOP/s")


# --- clocks, caps and the rest of the node ------------------------------------------------------------


def test_clocks_of_the_second_device_are_those_of_its_table():
    means = defaultdict(list)
    for row in table("clock_a40"):
        means[row["clock"]].append((float(row["slowdown"]), float(row["energy"])))
    means = {clock: [sum(column) / len(column) for column in zip(*rows, strict=True)] for clock, rows in means.items()}
    work = {clock: 1.31 / (energy + 0.31 * time) for clock, (time, energy) in means.items()}
    best = max(work, key=work.get)
    values = find("energy.decisions.power_limit_a40").solve().values()
    assert values["best_f"].m_as("") == pytest.approx(float(best))
    assert values["best"].m_as("") == pytest.approx(work[best], rel=1e-3)
    costs = {
        clock: time * 2.35 + (energy + 0.31 * time) / 1.31 * 0.856 * 1.2 * 80 * 381e-6
        for clock, (time, energy) in means.items()
    }
    cheapest = min(costs, key=costs.get)
    assert find("energy.decisions.clock_a40").solve().values()["best_f"].m_as("") == pytest.approx(float(cheapest))


def test_constants_of_one_device_fail_on_another():
    carried, own = find("energy.measured.carried"), find("energy.measured.floor_a40")
    assert carried.median > 5 * own.median
    constants = {name: own.fitted_parameters[name].value.magnitude for name in ("p_0", "p_1", "f_v")}
    rows = [(float(row["clock"]), float(row["power"])) for row in table("clock_a40") if float(row["clock"]) < 0.83]
    judged = {(row["clock"].m_as(""), row["power"].magnitude) for row in own.split_rows.holdout}
    ratios = [
        (constants["p_0"] + constants["p_1"] * clock * max(clock, constants["f_v"]) ** 2) / power
        for clock, power in rows
        if (clock, power) in judged
    ]
    close(own, ratios)


def test_caps_of_three_devices_that_no_fit_has_seen():
    static = find("energy.measured.A100_SHARE").value.m_as("")
    waiting = find("energy.measured.caps_v100").fitted_parameters["x"].value.m_as("")
    ratios = []
    for row in table("power_caps"):
        if row["device"] not in ("A40", "RTX 6000", "P100"):
            continue
        cap = float(row["cap"]) / float(row["highest"])
        clock = ((cap - static) / (1 - static)) ** (1 / 3)
        ratios.append((waiting + (1 - waiting) / clock) / float(row["slowdown"]))
    assert len(ratios) == 114
    close(find("energy.measured.caps_others"), ratios)


def test_rest_of_the_node_that_was_seen_is_what_eight_limits_leave_of_its_power():
    assert find("energy.measured.rest_seen").value.m_as("") == pytest.approx(8400 / 5600 - 1)
    assert find("energy.measured.rest_seen").value > find("energy.measured.rest_most").value


def test_limits_of_another_device_would_be_found():
    assert issues_of(find("energy.measured.caps_others"), "p_h", "400 W/gpu")


# --- spot -------------------------------------------------------------------------------------------


def test_stays_at_another_cloud_by_the_shape_of_the_first():
    shape = find("reliability.measured.spot_weibull").fitted_parameters["beta"].value.m_as("")
    scale = math.gamma(1 + 1 / shape)
    ratios = [
        math.exp(-((float(row["time"]) / float(row["mean"]) * scale) ** shape)) / float(row["survived"])
        for row in table("spot_google")
    ]
    close(find("operations.measured.stays_elsewhere"), ratios)
    assert issues_of(find("operations.measured.stays_elsewhere"), "t", "mean")


def test_shares_of_the_spot_price_at_two_providers():
    share = find("ownership.measured.spot_ratio").fitted_parameters["sigma"].value.m_as("")
    rows = table("spot_lists")
    close(find("ownership.measured.spot_elsewhere"), [share * float(r["rent"]) / float(r["spot"]) for r in rows])
    shares = {(r["provider"], round(float(r["spot"]) / float(r["rent"]), 2)) for r in rows}
    assert shares == {("Verda", 0.35), ("Nebius", 0.42), ("Nebius", 0.41)}
    assert issues_of(find("ownership.measured.spot_elsewhere"), "q", "spot")
