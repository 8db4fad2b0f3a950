"""Serving, decided: capacity of a worker, waits and costs against plain searches and published rows."""

import math
from itertools import product

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


def test_a_mixed_server_keeps_its_target_with_six_requests():
    """16.1 ms for weights and layers, 0.183 ms a request, and 274 ms for the prompt of each of the others."""
    within = [n for n in range(1, 40) if 16.1 + 0.183 * n + (n - 1) * 273.8 / 512 <= 20]
    assert int(find("serving.practice.batch_mixed").value.m_as("")) == max(within) == 6


def test_smaller_workers_with_drafts_beat_the_fleet_without_them():
    values = find("serving.decisions.service").solve().values()
    assert values["best"].m_as("USD") < 0.6 * values["proposed"].m_as("USD")
    assert values["best_n"].m_as("gpu") == 4 and values["best_m_p"].m_as("") == 0
    gpus = values["best_n"].m_as("gpu") * values["best_m_d"].m_as("")
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


LAYERS, WIDTH = 80, 8192


def late(load, workers, once, limit, waits=None, steps=400):
    """Return the share of requests that wait and are served for longer than the limit, over steps of the wait."""
    waits = (load / workers) ** (math.sqrt(2 * (workers + 1)) - 1) if waits is None else waits
    drain, width = (workers - load) / once, limit / steps
    found = (1 - waits) * math.exp(-limit / once) + waits * math.exp(-drain * limit)
    for i in range(steps):
        wait = (i + 0.5) * width
        found += waits * drain * math.exp(-drain * wait) * width * math.exp(-(limit - wait) / once)
    return found


@pytest.mark.parametrize(("load", "workers", "once"), [(2.464, 4, 0.2738), (1.78, 3, 0.198), (0.45, 1, 0.05)])
def test_late_first_tokens_are_those_of_all_waits_and_prefills(load, workers, once):
    share = find("serving.decisions.waiting").at(a=load, m=workers)
    found = find("serving.decisions.first_late").at(a=load, m=workers, f_w=share, T_k=f"{once} s", T_slo="1 s")
    assert found.m_as("") == pytest.approx(late(load, workers, once, 1, steps=4000), rel=1e-4)


def test_no_number_of_workers_makes_slow_prefills_fast():
    """Without a queue exp(-1 s / 0.274 s) of the first tokens are late, 2.6 %; with four workers 3.9 %."""
    four = late(2.46446, 4, 0.273829, 1, waits=0.30799)
    assert find("serving.tails.late_first_4").value.m_as("") == pytest.approx(four, rel=1e-3)
    assert math.exp(-1 / find("serving.prices.prefill_ours").value.m_as("s")) > 0.025


def test_formats_need_as_many_gpus_only_at_the_slowest_measured_fp8_steps():
    service = find("serving.decisions.service")
    for factor, needed in (("1.25", (12, 16)), ("1.3961", (16, 16))):
        costs = (service.best(weights=f"{each} weights", x_8=factor).value.m_as("USD") for each in ("FP8", "BF16"))
        assert tuple(round(cost * 9 * 3600 / 2000) for cost in costs) == needed


def test_split_workers_regret_less_than_chunked_ones_over_the_joint_range():
    robustness = find("serving.decisions.service").solve().robustness
    regrets = {each.label: each for each in robustness.winners}
    split = regrets["split, FP8 weights, drafts, prefix cache"]
    assert split.mean == pytest.approx(0.040, abs=5e-4) and split.infeasible < 0.01
    assert robustness.best.label == "chunked, FP8 weights, drafts, prefix cache" and robustness.best.mean > 0.11


def test_half_the_target_of_the_first_token_takes_more_chunked_workers():
    service = find("serving.decisions.service")
    costs = (service.best(organisation=each, T_slo="0.5 s").value.m_as("USD") for each in ("split", "chunked"))
    assert tuple(round(cost * 9 * 3600 / 2000) for cost in costs) == (14, 16)


def number(address, unit=""):
    return find(address).value.m_as(unit)


class Machine:
    """Prefill and decode workers in floating point, from the fitted constants and the targets of the page."""

    def __init__(self, prompt, hits, target=1):
        fitted = find("serving.measured.attained").fitted_parameters
        self.read = 3.35e12 * fitted["eta_b"].value.m_as("")
        self.layer, self.each = (fitted[name].value.m_as("s") for name in ("t_y", "t_r"))
        drafts = find("serving.practice.eagle3").fitted_parameters
        self.accepted, self.draft = (drafts[name].value.m_as("") for name in ("alpha", "c_d"))
        self.slow = find("serving.practice.mixed_fp8").greatest.value.m_as("")
        self.rates = {2: 0.5 * 989.5e12, 1: number("serving.practice.u_fp8") * 1978.9e12}
        self.target = target
        self.prompt, self.context, self.new = prompt, 4096 if prompt == 3840 else prompt + 256, prompt * (1 - hits)
        self.memory = number("serving.measured.memory_planned", "B/gpu")
        self.parameters = number("models.llama31_70b_parameters")

    def decoders(self, size, weight, cache, drafts, traffic=9):
        """Return how many workers keep 20 ms a token, or None: traffic to one worker by bisection."""
        factor = (self.slow if weight == 1 else 1) / sum(self.accepted**i for i in range(drafts + 1))
        fixed = weight * self.parameters / (size * self.read) + LAYERS * self.layer
        per_cache = cache * self.context / (size * self.read)
        fixed *= factor * (1 + drafts * self.draft)
        request = factor * (per_cache + (drafts + 1) * self.each + drafts * self.draft * (per_cache + self.each))
        room = size * self.memory - weight * self.parameters
        if room <= 0 or fixed >= 0.02:
            return None
        most = min((0.02 - fixed) / request, room / (cache * self.context))
        taken = self.most(fixed, request, most)
        return math.ceil(traffic / taken) if taken > 1e-4 else None

    def chunked(self, traffic, spare=0):
        """Return the least number of devices of workers that compute prompts within their steps, with spare ones."""
        found = []
        hidden = number("serving.practice.hidden_50")
        for size, weight, cache, drafts in product((1, 2, 4, 8), (1, 2), (163840, 327680), range(4)):
            factor = (self.slow if weight == 1 else 1) / sum(self.accepted**i for i in range(drafts + 1))
            read = factor * weight * self.parameters / (size * self.read)
            fixed = (read + factor * LAYERS * self.layer) * (1 + drafts * self.draft)
            per_cache = cache * self.context / (size * self.read)
            alone = factor * (per_cache + (drafts + 1) * self.each + drafts * self.draft * (per_cache + self.each))
            once = 2 * self.parameters * self.new / (size * self.rates[weight])
            room = (size * self.memory - weight * self.parameters) / (cache * self.context)
            left = fixed - hidden * read
            most = min((0.02 - fixed) / alone, (0.02 - left) / (alone + once / 512), room)
            if most <= 0:
                continue
            taken = min(self.most(fixed, alone, most), self.most(left, alone + once / 512, most))
            workers = math.ceil(traffic / max(taken, 1e-3))
            batch, _ = crowd(traffic / workers, fixed, alone + once / 512)
            free = 1 - (left + alone * batch) / 0.02
            load = traffic * once
            if free <= 0 or load / free >= workers:
                continue
            if late(load / free, workers, once / free, self.target) <= 0.01:
                found.append(size * (workers + spare))
        return min(found)

    @staticmethod
    def most(fixed, request, batch):
        """Return the traffic at which mean and three deviations of the batch are this large, by bisection."""
        low, high = 0.0, 1 / (512 * request)
        for _ in range(100):
            middle = (low + high) / 2
            mean, deviation = crowd(middle, fixed, request)
            low, high = (middle, high) if mean + 3 * deviation < batch else (low, middle)
        return low

    def readers(self, size, weight, cache, attention, traffic=9):
        """Return how many workers give 99 of 100 first tokens within the target, or None."""
        if weight * self.parameters + cache * self.prompt > size * self.memory:
            return None
        pairs = self.new * (2 * self.prompt - self.new) / 2 if attention else 0
        once = (2 * self.parameters * self.new + 4 * LAYERS * WIDTH * pairs) / (size * self.rates[weight])
        load = traffic * once
        for workers in range(math.floor(load) + 1, math.floor(load) + 17):
            if late(load, workers, once, self.target) <= 0.01:
                return workers
        return None

    def cheapest(self, attention, same=False, spare=0):
        """Return the least number of devices of split workers, with spare ones in both pools."""
        found, kinds = [], list(product((1, 2, 4, 8), (1, 2)))
        for cache in (163840, 327680):
            readers = {kind: self.readers(*kind, cache, attention) for kind in kinds}
            for kind, drafts in product(kinds, range(4)):
                decoders = self.decoders(*kind, cache, drafts)
                found += [
                    other[0] * (workers + spare) + kind[0] * (decoders + spare)
                    for other, workers in readers.items()
                    if workers and decoders and (not same or other == kind)
                ]
        return min(found)


@pytest.mark.parametrize(
    ("decision", "machine", "attention"),
    [
        ("service", (3840, "serving.measured.prefix_hits"), False),
        ("agents", (81920, "serving.practice.agent_hits", 10), True),
    ],
)
def test_split_workers_of_two_kinds_in_plain_loops(decision, machine, attention):
    machine = Machine(machine[0], number(machine[1]), *machine[2:])
    devices = machine.cheapest(attention)
    given = {v.name: each for v, each in find(f"serving.decisions.{decision}").solve().numbers.items()}
    assert (given["T_slo"], given["S_p"]) == (machine.target, machine.prompt)
    best = find(f"serving.decisions.{decision}").best(organisation="split")
    assert best.value.m_as("USD") == pytest.approx(1000 * 2 * devices / 9 / 3600)
    same = machine.cheapest(attention, same=True)
    assert devices <= same <= 1.2 * devices  # choosing them apart saves less than the error of the difference


def test_a_spare_worker_in_each_pool_leaves_the_tie():
    machine = Machine(3840, number("serving.measured.prefix_hits"))
    chunked, split = machine.chunked(9, spare=1), machine.cheapest(attention=False, spare=1)
    assert (chunked, split) == (16, 18)
    assert split / chunked - 1 < find("serving.decisions.service").solve().values()["error"].m_as("")


def test_chunked_and_split_workers_change_the_lead_at_ten_times_the_traffic():
    machine, service = Machine(3840, number("serving.measured.prefix_hits")), find("serving.decisions.service")
    for traffic, lead in ((9, 12 / 14), (90, 108 / 92)):
        costs = [
            service.best(Lam=f"{traffic} /s", organisation=each).value.m_as("USD") for each in ("chunked", "split")
        ]
        assert costs[0] == pytest.approx(1000 * 2 * machine.chunked(traffic) / traffic / 3600)
        assert costs[0] / costs[1] == pytest.approx(lead, rel=0.01)


def test_the_length_of_the_prompt_decides_how_agents_are_served():
    agents = find("serving.decisions.agents")
    short = {o: agents.best(S_p="3840 token", organisation=o).value.m_as("USD") for o in ("chunked", "split", "mixed")}
    assert short["chunked"] < min(short["split"], short["mixed"])
    long = {o: agents.best(organisation=o).value.m_as("USD") for o in ("chunked", "split", "mixed")}
    assert 2 * long["split"] < long["chunked"] < long["mixed"]
    assert min(long.values()) > 10 * min(short.values())


def test_slow_steps_leave_chunked_workers_of_agents_enough_time():
    agents = find("serving.decisions.agents")
    chunked, split = (agents.best(t_slo="100 ms", organisation=each).value.m_as("USD") for each in ("chunked", "split"))
    assert split < chunked < (1 + agents.solve().values()["error"].m_as("")) * split
