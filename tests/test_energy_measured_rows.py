"""Holds single measured numbers of the chapter on energy to the rows that they were taken from."""

import pytest
from data_sets import rows

from mathcore import find


def value(address, unit=""):
    return find(address).value.m_as(unit)


def test_no_profile_of_the_clocks_is_there_twice():
    profiles = {}
    for row in rows("clock_a100"):
        profiles.setdefault((row["model"], row["stage"], row["pass"]), []).append(tuple(row.values())[3:])
    found = [tuple(profile) for profile in profiles.values()]
    assert len(found) == len(set(found)) == 8


@pytest.mark.parametrize(
    ("end", "device", "batch"),
    [("few", "H100", "8"), ("many", "H100", "898"), ("few", "B200", "8"), ("many", "B200", "2042")],
)
def test_power_and_energy_of_tokens_are_those_of_their_rows(end, device, batch):
    [row] = rows("decode_power", model="Llama-3.1-70B", device=device, batch=batch)
    behind = "_b200" if device == "B200" else ""
    assert value(f"energy.measured.{end}_power{behind}", "W/gpu") == float(row["power"])
    assert value(f"energy.measured.{end}_energy{behind}", "J/token") == pytest.approx(float(row["energy"]), rel=5e-4)


def test_mean_power_of_a_node_is_that_of_the_longest_training_of_a_language_model():
    [run] = rows("node_power_h100", benchmark="gpt3")
    assert value("energy.placement.node_mean", "W") == pytest.approx(float(run["mean"]), rel=1e-4)
    assert value("energy.placement.node_mean_time", "min") == pytest.approx(float(run["time"]), abs=0.5)
    assert (
        value("energy.measured.low", "W/gpu")
        < value("energy.placement.node", "W/gpu")
        < value("energy.measured.high", "W/gpu")
    )
    assert value("energy.measured.high", "W/gpu") < value("energy.placement.node_peak", "W/gpu")


def shares_of_a_log(mtbf, write, restart, interval, failures=200_000):
    """Return the shares of work and of kept work of a job that fails halfway through an interval, on average.

    Minutes: each failure costs a restart and half an interval of what was done; the rest is kept and written.
    """
    lived = mtbf * failures
    lost, restarts = interval / 2 * failures, restart * failures
    useful = (lived - lost - restarts) * interval / (interval + write)
    writes = useful / interval * write
    assert useful + writes + lost + restarts == pytest.approx(lived)
    return (useful + lost) / lived, useful / (useful + lost)


def test_energy_of_lost_work_is_that_of_hours_counted_one_by_one():
    """The hours that fall away are mostly hours of waiting: they take less energy than their share."""
    mtbf = 54 * 24 * 60 / 419
    best = ((1 / 6) ** 2 + 2 * (1 / 6) * (mtbf - 8)) ** 0.5 - 1 / 6
    before, after = shares_of_a_log(mtbf, 1, 15, 20), shares_of_a_log(mtbf, 1 / 6, 8, best)
    energy = [(works * 856 + (1 - works) * 263.75) / (works * useful) for works, useful in (before, after)]
    assert value("energy.placement.run_goodput") == pytest.approx(1 - energy[1] / energy[0], rel=1e-3)
    hours = before[0] * before[1] / (after[0] * after[1])
    assert value("energy.measured.kept_hours") == pytest.approx(hours, rel=1e-3)
    assert value("energy.placement.run_goodput") < 1 - hours


def test_pause_begins_to_pay_at_the_power_that_the_chapter_names():
    at = {"c_m": "381 g/kWh", "a": "120 g/kWh", "PUE": "1.2", "p_w": "856 W/gpu", "g_h": "7.26 g/(gpu h)"}
    watts = value("energy.placement.idle_at_most", "W/gpu")
    for shift, pays in ((-2, True), (2, False)):
        all_day, nearly = (
            find("energy.placement.pausing").at(**at, p_i=f"{watts + shift} W/gpu", s=s) for s in ("100 %", "99.9 %")
        )
        assert (nearly < all_day) is pays


def test_intensities_that_are_compared_have_one_unit():
    assert {find(f"energy.{name}").unit for name in ("c_0", "c_1", "c_2")} == {"g/kWh"}
