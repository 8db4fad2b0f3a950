"""Serving, decided: capacity of a worker, waits and costs against plain searches and published rows."""

import math

import pytest

from mathcore import find


def crowd(traffic, fixed, request, answer=512):
    """Return mean and standard deviation of the requests at work under some traffic."""
    offered = traffic * answer
    mean = offered * (fixed + request) / (1 - offered * request)
    return mean, math.sqrt(offered * (fixed + request)) / (1 - offered * request)


@pytest.mark.parametrize(
    ("fixed", "request_", "most"), [(0.011, 0.00015, 60), (0.0067, 0.0002, 50), (0.014, 0.0003, 20)]
)
def test_traffic_of_a_worker_is_where_mean_and_three_deviations_are_the_largest_batch(fixed, request_, most):
    found = find("serving.decisions.most").at(t_a=f"{fixed} s", t_b=f"{request_} s", B_p=most, g="512 token")
    mean, deviation = crowd(found.m_as("1/s"), fixed, request_)
    assert mean + 3 * deviation == pytest.approx(most, rel=1e-6)


@pytest.mark.parametrize(("load", "workers"), [(1.0, 2), (1.5, 3), (2.464, 3), (2.464, 4), (4, 5), (24.64, 28)])
def test_approximated_share_of_waiting_requests_is_near_that_of_erlang(load, workers):
    """Erlang's formula by its sum, in floating point."""
    terms = [load**k / math.factorial(k) for k in range(workers)]
    last = load**workers / math.factorial(workers) * workers / (workers - load)
    exact = last / (sum(terms) + last)
    found = find("serving.decisions.waiting").at(a=load, m=workers).m_as("")
    assert 0.97 < found / exact < 1.2  # never much below: the plan is on the safe side


def test_prompts_make_a_mixed_server_miss_its_target():
    """An independent sum: 512 steps of 22.0 ms, and 31 other prompts of 274 ms, for an answer."""
    found = find("serving.practice.mixed_32").value.m_as("ms")
    assert found == pytest.approx((512 * 22.0 + 31 * 273.8) / 512, rel=0.01)


def test_smaller_workers_with_drafts_beat_the_fleet_without_them():
    values = find("serving.decisions.service").solve().values()
    assert values["best"].m_as("USD") < 0.6 * values["proposed"].m_as("USD")
    assert values["best_n"].m_as("gpu") == 2
    gpus = 2 * (values["best_m_p"].m_as("") + values["best_m_d"].m_as(""))
    assert values["best"].m_as("USD") == pytest.approx(1000 * 2 * gpus / 9 / 3600)


def test_drafts_are_fitted_to_small_batches_and_promise_too_little_for_large_ones():
    ratios = find("serving.practice.eagle3").ratios
    assert min(ratios) > 0.75 and max(ratios) < 1


def test_one_draft_of_deepseek_pays_nearly_its_whole_acceptance():
    """DeepSeek-V3, section 5.4.3: 85 to 90 % of second tokens accepted, 1.8 times the tokens per second."""
    assert find("serving.practice.mtp_cost").value.m_as("") == pytest.approx(1.875 / 1.8 - 1)


def test_chunked_prefill_lies_between_prompts_in_between_and_prompts_all_hidden():
    """A step of 22.0 ms that reads weights for 12.2 ms, 31 prompts of 273.8 ms for 512 tokens."""
    step = find("serving.practice.chunked")
    at = {"t_m": "22.0 ms", "t_v": "12.2 ms", "T": "273.8 ms", "g": "512 token"}
    assert step.at(**at, B="32", y_v="0 %").m_as("ms") == pytest.approx(22.0 + 31 * 273.8 / 512)
    assert step.at(**at, B="32", y_v="100 %").m_as("ms") == pytest.approx(22.0 - 12.2 + 31 * 273.8 / 512)
    assert step.at(**at, B="10", y_v="100 %").m_as("ms") == pytest.approx(22.0)


def test_capacity_of_a_chunked_worker_is_the_smaller_of_its_two_regimes():
    given = {"B_p": 40, "g": "512 token"}
    parts = {"t_a": "12 ms", "t_e": "6 ms", "t_1": "0.1 ms", "t_b": "0.4 ms"}
    hidden = find("serving.decisions.most").at(**given, t_a="12 ms", t_b="0.1 ms")
    busy = find("serving.decisions.most").at(**given, t_a="6 ms", t_b="0.4 ms")
    found = find("serving.decisions.most_chunked").at(**given, **parts)
    assert found.m_as("1/s") == pytest.approx(min(hidden.m_as("1/s"), busy.m_as("1/s")))


@pytest.mark.parametrize(("prompt", "new"), [(2000, 2000), (2000, 500), (20000, 100)])
def test_new_tokens_attend_to_the_cached_prefix_and_to_each_other(prompt, new):
    """Operations token by token: two for each parameter, four for each layer, width and token attended to."""
    done = sum(2 * 70e9 + 4 * 80 * 8192 * (prompt - new + i + 0.5) for i in range(new))
    found = find("serving.decisions.prompt_after_prefix").at(
        N="70e9",
        S_p=f"{prompt} token",
        S_u=f"{new} token",
        l=80,
        n_q=64,
        d=128,
        n="2 gpu",
        P="1000 TFLOP/s/gpu",
        u="40 %",
    )
    assert found.m_as("s") == pytest.approx(done / (2 * 1000e12 * 0.4), rel=1e-9)


def test_median_prompt_of_agents_that_fits_is_interpolated_in_its_class():
    short, middle = 13624, 30622
    median = 65536 * (1 + ((short + middle) / 2 - short) / middle)
    stated = find("serving.decisions.agents").solve().values()["S_p"].m_as("token")
    assert stated == pytest.approx(median, rel=0.03)


def test_the_length_of_the_prompt_decides_how_agents_are_served():
    agents = find("serving.decisions.agents")
    short = {o: agents.best(S_p="3840 token", organisation=o).value.m_as("USD") for o in ("chunked", "split", "mixed")}
    assert 1.2 * short["chunked"] < min(short["split"], short["mixed"])
    long = {o: agents.best(organisation=o).value.m_as("USD") for o in ("chunked", "split", "mixed")}
    assert long["split"] < long["chunked"] < 1.2 * long["split"]
    assert min(long.values()) > 10 * min(short.values())
