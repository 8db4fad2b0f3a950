"""Tests measured failures: a replay by another method, and errors that a comparison must detect."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from mathcore import MathcoreError, find
from mathcore.chapters import fleet_checkpointing, operations
from mathcore.chapters.fleet_checkpointing import measured as fleet_checkpointing_measured
from mathcore.chapters.goodput import measured as goodput_measured
from mathcore.chapters.operations import measured as operations_measured
from mathcore.chapters.reliability import measured as reliability
from mathcore.chapters.reliability.measured import counts_seen, spot_traces
from mathcore.chapters.young_daly import C, N, R
from mathcore.chapters.young_daly import measured as young_daly
from mathcore.chapters.young_daly.replay_simulation import replayed

MOMENTS = [row["start"].m_as("h") for row in young_daly.log.rows]


def by_division(moments, tau, write, restart):
    """Return the waste by dividing each gap instead of walking through it."""
    left = np.maximum(np.diff(moments) - restart, 0)
    useful = (left // (tau + write)).sum() * tau
    return (moments[-1] - moments[0]) / useful - 1


@pytest.mark.parametrize("tau", [0.31, 1.07, 3.3])
def test_replay_is_what_dividing_the_gaps_gives(tau):
    assert replayed(MOMENTS, tau, 0.0837, 0.0911) == pytest.approx(by_division(MOMENTS, tau, 0.0837, 0.0911), rel=1e-9)


def test_replay_of_drawn_failures_is_the_exact_model():
    source = np.random.default_rng(2005)
    moments = np.cumsum(source.exponential(8.0, 40000)).tolist()
    exact = young_daly.exact.formula.evaluate(tau="1.2 h", C="0.1 h", M="8 h", R="0.2 h")[0].magnitude
    assert replayed(moments, 1.2, 0.1, 0.2) == pytest.approx(exact, rel=0.02)
    assert replayed(moments, 1.2, 0.1, 0.2) != pytest.approx(
        young_daly.exact.formula.evaluate(tau="1.2 h", C="0.1 h", M="6 h", R="0.2 h")[0].magnitude, rel=0.02
    )


def test_replay_without_any_kept_checkpoint_is_reported():
    with pytest.raises(ValueError, match="not one segment of 5"):
        replayed([0, 1, 2], 5, 1, 1)


def test_write_and_restart_changed_places():
    seeded = replace(young_daly.exact, columns={**young_daly.exact.columns, C: "restart", R: "write"})
    assert "became worse" in " ".join(seeded.issues())


def test_ratio_from_the_wrong_column():
    seeded = replace(goodput_measured.replayed_ratio, measured="waste")
    assert "became worse" in " ".join(seeded.issues())


def test_nodes_are_no_devices():
    with pytest.raises(MathcoreError, match="N"):
        _ = replace(reliability.law, columns={N: "nodes"}).split_rows


def test_fit_on_the_test_rows():
    seeded = replace(reliability.law, holdout={"processors": "> 100"})
    with pytest.raises(MathcoreError, match="the fit has seen"):
        _ = seeded.split_rows


def test_loading_taken_for_saving():
    seeded = replace(fleet_checkpointing_measured.load_after_save, measured="save")
    assert list(seeded.issues())


def test_lead_may_not_save_every_five_minutes_on_slow_storage():
    found = fleet_checkpointing_measured.slow_interval
    assert found.value > found.formula.at({**fleet_checkpointing_measured.SLOW, fleet_checkpointing.u: "2 min"})


def test_spot_servers_are_taken_too_often_for_a_wait_of_six_hours_in_all_traces_but_one():
    """The page on operations lists these rates below its break-even rate, and takes its facts from the same table."""
    stays = sorted({(row["zone"], row["nodes"]): row["mean"].m_as("h") for row in spot_traces.rows}.values())
    bearable = operations.queue_rate.value.m_as("1/h")
    assert (len(stays), sum(1 / stay > bearable for stay in stays)) == (12, 11)
    assert [stays[0], stays[-1]] == [
        fact.value.m_as("h") for fact in (operations_measured.shortest_stay, operations_measured.longest_stay)
    ]


@pytest.mark.parametrize(
    "fact, system, half, days",
    [("calm_days", "18", "second", 3), ("rough_days", "19", "second", 3), ("young_month", "18", "first", 30)],
)
def test_bursts_of_the_limits_are_those_of_the_log(fact, system, half, days):
    (row,) = (
        row
        for row in counts_seen.rows
        if (str(row["system"]), row["half"], round(row["days"].m_as("d"))) == (system, half, days)
    )
    seen = (row["spread"] ** 2 / row["mean"]).m_as("")
    assert getattr(operations_measured, fact).value.m_as("") == pytest.approx(seen, abs=0.06)


def at_most(allowed, mean, ratio):
    """Return the probability of at most `allowed` events, negative binomial of that mean and variance over mean."""
    size, share = mean / (ratio - 1), 1 / ratio
    parts = (
        math.lgamma(k + size) - math.lgamma(size) - math.lgamma(k + 1) + size * math.log(share) + k * math.log1p(-share)
        for k in range(allowed + 1)
    )
    return sum(map(math.exp, parts))


@pytest.mark.parametrize(("days", "enough"), [(3, False), (4, True)])
def test_four_days_of_slack_hold_if_the_rate_drifts_instead(days, enough):
    """Interruptions of a rate that differs from month to month as much as bursts would make them scatter."""
    drifting = at_most(days * 24 * 60 // 40, (29 + days) * 24 / 7.9, 5.5)
    assert (drifting > 0.95) == enough
    assert (days >= find("reliability.decisions.slack").best().option.levers["b"] / 86400) == enough


@pytest.mark.parametrize(("days", "burst", "name"), [(4, 5.5, "four_days_rough"), (5, 14.7, "five_days_young")])
def test_date_in_bursts_is_a_sum_of_poisson_terms(days, burst, name):
    allowed, mean = int(days * 24 * 60 / (40 * burst)), (29 + days) * 24 / 7.9 / burst
    plain = sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(allowed + 1))
    assert find(f"reliability.measured.{name}").value.m_as("") == pytest.approx(plain, rel=1e-3)


def test_slack_is_too_short_in_a_twentieth_of_the_range():
    source = np.random.default_rng(7)

    def drawn(low, high):
        return np.exp(source.uniform(math.log(low), math.log(high), 4000))

    mtbf, burst, loss = drawn(5.416, 292.6), drawn(1.3, 14.7), drawn(6.944, 69.69)
    allowed, mean = np.floor(4 * 1440 / (loss * burst)).astype(int), 33 * 24 / mtbf / burst
    held = [
        sum(math.exp(-m + k * math.log(m) - math.lgamma(k + 1)) for k in range(n + 1))
        for n, m in zip(allowed, mean, strict=True)
    ]
    short = np.mean(np.array(held) < 0.95)
    found = find("reliability.decisions.slack").solve().values()["infeasible"].m_as("")
    assert found == pytest.approx(short, abs=0.015)


@pytest.mark.parametrize(
    ("mtbf", "burst", "loss", "least"), [(7.9, 5.5, 40, 4), (7.9, 5.5, 42, 5), (5.416, 14.7, 69.69, 14)]
)
def test_least_slack_is_that_of_a_sum_at_95_percent_up_to_the_worst_corner(mtbf, burst, loss, least):
    """At 42 min four days hold with 92 %; all inputs at their worst ends need 14 days, which are listed."""

    def held(days):
        allowed, mean = int(days * 1440 / (loss * burst)), (29 + days) * 24 / mtbf / burst
        return sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(allowed + 1))

    assert next(days for days in range(1, 31) if held(days) >= 0.95) == least
    found = find("reliability.decisions.slack").best(M=f"{mtbf} h", n_b=burst, D=f"{loss} min")
    assert found.option.levers["b"] / 86400 == least


def days_needed(loss, mtbf, off=1.0):
    """Return the slack (d) at which a mean count and 1.645 of its standard deviations cost no more."""
    slack = 0.0
    for _ in range(50):
        mean = (29 + slack) * 24 / mtbf
        slack = (mean + 1.645 * off * math.sqrt(5.5 * mean)) * loss / 1440
    return slack


def test_four_days_and_five_are_within_the_error_of_the_count():
    """A deviation that is off as on Titan moves the slack needed across four days, as 3 % of loss or MTBF do."""
    off = find("reliability.measured.gpu_counts").median
    needed = [days_needed(40, 7.9, each) for each in (1 - off, 1, 1 + off)]
    assert [math.ceil(each) for each in needed] == [4, 4, 5]
    assert needed[2] - needed[1] == pytest.approx(0.4, abs=0.02)
    assert math.ceil(days_needed(41.6, 7.9)) == math.ceil(days_needed(40, 7.55)) == 5


def test_losses_that_differ_widely_need_the_fifth_day():
    """Lognormal losses of the same mean, with a standard deviation of three means, in bursts as counted."""
    source, width = np.random.default_rng(3), math.sqrt(math.log(10))

    def held(days, runs=4000):
        bursts = source.poisson((29 + days) * 24 / 7.9 / 5.5, runs)
        lost = (source.lognormal(math.log(40) - width**2 / 2, width, round(5.5 * k)).sum() for k in bursts)
        return np.mean([each <= 1440 * days for each in lost])

    assert held(4) < 0.91
    assert held(5) > 0.95


def test_difference_of_wastes_errs_as_pairs_of_replayed_jobs_do():
    groups = {}
    for row in young_daly.replayed.rows:
        tau, write, mtbf, restart = (row[name].m_as("h") for name in ("interval", "write", "mtbf", "restart"))
        if row["regular"] == "yes":
            predicted = write / tau + (restart + tau / 2) / mtbf
            groups.setdefault(str(row["system"]), []).append(math.log(predicted / row["waste"].m_as("")))
    sizes = sorted(abs(one - other) for each in groups.values() for one, other in itertools.combinations(each, 2))
    found = find("young_daly.measured.difference").value.m_as("")
    assert found == pytest.approx(math.expm1(np.quantile(sizes, 0.8)), rel=0.02)


@pytest.mark.parametrize(("burst", "spares", "enough"), [(2.4, 12, False), (2.4, 13, True), (4.1, 17, True)])
def test_bursts_of_varying_size_need_one_spare_more_in_the_middle_case(burst, spares, enough):
    """A clock with bursts of the two whole numbers around the mean, each repaired in three days, for a month."""
    source, good, runs = np.random.default_rng(1), 0, 2000
    for _ in range(runs):
        now, back, short = -15.0, [], False  # days; five repairs to fill the shop
        while (now := now + source.exponential(28.85 / 24 * burst)) < 30 and not short:
            struck = int(burst) + (source.random() < burst - int(burst))
            back = [each for each in back if each > now] + [now + 3] * struck
            short = now > 0 and len(back) > spares
        good += not short
    assert (good / runs > 0.95) == enough
