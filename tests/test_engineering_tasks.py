"""Protects ten tasks of engineers: an everyday phrase finds the formula, and one call with words gives the number.

Every expectation is worked out by hand from the numbers of the task, in plain Python.
"""

from math import sqrt

import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, find, search

H100 = {
    "peak": find("hardware.h100_bf16").per("gpu"),
    "memory_bandwidth": find("hardware.h100_hbm_bandwidth").per("gpu"),
}
SERVED = {"parameters": 70e9, "bytes_per_weight": "2 B", "memory_bandwidth": "3.35 TB/s/gpu", "devices": 8}
OWNED = {"purchase_price": "40000 USD/gpu", "electricity_price": "0.1 USD/kWh", "power_per_device": "1 kW/gpu",
         "idle_power": "300 W/gpu", "PUE": 1.3, "upkeep": "1500 USD/gpu/year"}  # fmt: skip
YEAR = 365.25 * 24  # hours
OFF = 1.3 * 0.1 * 0.7  # USD for an hour in which a device idles instead of working
# phrase, the formula that it finds, what is given, what comes out and its unit
TASKS = {
    "how often should we checkpoint": (
        "young_daly.interval_of_cluster",
        dict(write_time="6 min", device_mtbf="50000 gpu h", devices=3504),
        sqrt(2 * 6 * 50000 * 60 / 3504), "min",
    ),
    "KV cache": (
        "serving.cache_per_token", dict(layers=80, kv_heads=8, head_size=128, bytes_per_value="2 B"),
        80 * 8 * 128 * 2 * 2, "B/token",
    ),
    "MFU": (
        "training.mfu",
        dict(parameters=70e9, throughput="400000 token/s", devices=1024, peak=H100["peak"], k="6 FLOP/token"),
        6 * 70e9 * 4e5 / (1024 * 989.4e12), "",
    ),
    "ring all-reduce": (
        "collectives.ring",
        dict(ranks=64, message="16 GB", bandwidth="400 Gbps", latency="5 us"),
        126 * (5e-6 + 16e9 / 64 / 50e9), "s",
    ),
    "interleaved pipeline bubble": (
        "parallelism.bubble_chunks", dict(pipeline_parallel=8, micro_batches=32, virtual_stages=2), 7 / (64 + 7), ""
    ),
    "waste of checkpointing with restarts": (
        "young_daly.waste_with_restart",
        dict(write_time="6 min", mtbf="100 min", interval="35 min", restart_time="14 min"),
        6 / 35 + 35 / 200 + 14 / 100, "",
    ),
    "cost per million tokens": (
        "serving.price", dict(price_per_hour="$2.5/h/gpu", devices=8, throughput="20000 token/s"),
        2.5 * 8 / 3600 / 20000 * 1e6, "USD/Mtoken",
    ),
    "carbon footprint of a training run": (
        "energy.carbon",
        dict(device_hours="1000000 gpu h", power_per_device="850 W/gpu", PUE=1.25, carbon_intensity="400 gCO2/kWh"),
        1e6 * 0.85 * 1.25 * 400 / 1e6, "t",
    ),
    "buy or rent": (
        "ownership.owning_pays", dict(horizon="4 year", on_demand_price="$2.5/(gpu h)", **OWNED),
        (40000 + 4 * YEAR * 1.3 * 0.1 * 0.3 + 4 * 1500) / (4 * YEAR * (2.5 - OFF)), "",
    ),
    "cost-optimal batch": (
        "serving.prices.batch_of_step",
        dict(step_time="30 ms", context="2000 token", cache_per_token="327680 B/token", **SERVED),
        (8 * 3.35e12 * 0.03 - 2 * 70e9) / (2000 * 327680), "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("phrase", TASKS)
def test_task_is_solved_in_one_call(phrase):
    address, given, value, unit = TASKS[phrase]
    assert address in [each.address for each in search(phrase, 5)]
    assert find(address).at(**given).m_as(unit) == pytest.approx(value, rel=1e-9)


def test_results_of_the_tasks_are_in_the_unit_of_the_pages():
    units = {phrase: f"{find(address).at(**given).units:~}" for phrase, (address, given, *_) in TASKS.items()}
    assert units["cost per million tokens"] == "USD / Mtoken" and units["carbon footprint of a training run"] == "t"
    assert units["how often should we checkpoint"] == "min" and units["ring all-reduce"] == "ms"


def test_cache_of_a_long_request():
    address, given, *_ = TASKS["KV cache"]
    found = find("serving.cache").at(batch=1, context=8192, cache_per_token=find(address).at(**given))
    assert found.m_as("GiB") == pytest.approx(80 * 8 * 128 * 2 * 2 * 8192 / 2**30) == 2.5


def test_knee_of_a_batch():
    found = find("serving.critical_batch").at(bytes_per_weight="2 B", **H100)
    assert found.m == pytest.approx(989.4e12 * 2 / (2 * 3.35e12), rel=1e-9)


def test_swapped_arguments_are_found():
    address, given, value, unit = TASKS["ring all-reduce"]
    with expect_error(ArgumentError, code="dimension"):
        find(address).at(**given | {"message": "400 Gbps", "bandwidth": "16 GB"})
    assert find(address).at(**given | {"ranks": 65}).m_as(unit) != pytest.approx(value, rel=1e-9)
