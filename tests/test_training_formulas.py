"""Holds optima, penalties and counts of the training chapters to plain searches that know no formula."""

import math
from itertools import pairwise

import pytest
from data_sets import rows as table

from mathcore import find

LAW = {"A": "482.01", "B": "2085.43", "alpha": "0.3478", "beta": "0.3658"}
EXPONENTS = {name: LAW[name] for name in ("alpha", "beta")}
WORK = "1 YFLOP"


def loss(size):
    return find("training.scaling.loss_on_budget").evaluate(**LAW, E="1.8172", N=size, C=WORK)[0].magnitude


def test_best_size_is_best():
    best = find("training.scaling.size").evaluate(**LAW, C=WORK)[0].magnitude
    least = loss(best)
    assert all(loss(best * 1.001**step) > least for step in (-30, -3, -1, 1, 3, 30))


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2.0])
def test_price_of_a_wrong_size(factor):
    best = find("training.scaling.size").evaluate(**LAW, C=WORK)[0].magnitude
    seen = (loss(best * factor) - 1.8172) / (loss(best) - 1.8172)
    assert find("training.scaling.penalty").evaluate(x=factor, **EXPONENTS)[0].magnitude == pytest.approx(
        seen, rel=1e-10
    )
    near = find("training.scaling.penalty_near").evaluate(g=math.log(factor), **EXPONENTS)[0].magnitude
    assert near - 1 == pytest.approx(seen - 1, rel=0.02)


def test_best_model_for_the_traffic_is_best():
    """Among models of equal loss it needs the least lifetime compute, if it serves the tokens of the formula."""
    size, tokens = 8e9, "15 Ttoken"
    served = find("training.scaling.served").at(**LAW, N=size, D=tokens)
    wanted = find("training.scaling.loss").evaluate(**LAW, E="1.8172", N=size, D=tokens)[0].magnitude
    law = {name: float(number) for name, number in LAW.items()}

    def life(n):
        left = wanted - 1.8172 - law["A"] * n ** -law["alpha"]
        needed = f"{(law['B'] / left) ** (1 / law['beta'])} token"
        return find("training.scaling.life_work").at(N=n, D=needed, D_i=served).m_as("FLOP")

    assert all(life(size * 1.002**step) > life(size) for step in (-20, -2, -1, 1, 2, 20))


def test_repetition_is_worth_less_and_less():
    worth = [find("training.scaling.repeated").at(U="1 Ttoken", r=r, r_h="15.4").m_as("Ttoken") for r in range(60)]
    gains = [after - before for before, after in pairwise(worth)]
    assert gains == sorted(gains, reverse=True)
    assert 0.95 < gains[0] < 1 and worth[-1] < 1 + 15.4


def test_matrices_by_plain_enumeration():
    """Every matrix and vector of a small Llama, one by one."""
    h, n_q, n_kv, d, f, layers, rows = 64, 4, 2, 16, 192, 3, 100
    one = [(h, n_q * d), (h, n_kv * d), (h, n_kv * d), (n_q * d, h), (h, f), (h, f), (f, h), (h, 1), (h, 1)]
    total = sum(a * b for a, b in one) * layers + 2 * rows * h + h
    shape = {"l": layers, "h": h, "n_q": n_q, "n_kv": n_kv, "d": d, "f": f, "j": 3, "r": 2, "r_0": 1}
    assert find("training.count").evaluate(**shape, V=rows, z=0, p=0)[0].magnitude == total


def clocks_over_steps():
    """Return what the clock of each published run took of the time of its steps, by plain multiplication."""
    peak = {"A100": 312e12, "H100": 989.4e12, "TPU v3": 123e12, "TPU v4": 275e12}
    found = {}
    for run in table("published_runs"):
        rate = int(run["devices"]) * peak[run["device"]] * float(run["share"])
        steps = 6 * float(run["params"]) * float(run["tokens"]) / rate
        found[run["run"]] = float(run["time"]) * 86400 / steps
    return found


def test_steps_of_a_month_are_the_month_over_the_clocks_of_published_runs():
    ratios = sorted(clocks_over_steps().values())
    assert ratios == pytest.approx([1.0759, 1.0874, 1.0944, 1.1856, 1.2508, 1.3044, 1.5037, 1.6449], abs=1e-4)
    for end, ratio in (("most", ratios[0]), ("least", ratios[-1])):
        assert find(f"training.dates.{end}_steps").value.m_as("d") == pytest.approx(30 / ratio, rel=1e-9)


def test_worth_of_a_short_month_is_that_of_the_best_size_by_search():
    """The loss of 32 billion in so many days of steps, met by the best of many sizes in fewer: how many?"""
    daily = 512 * 989.4e12 * 0.4 * 86400

    def reached(size, days):
        return 482.01 * size**-0.3478 + 2085.43 * (6 * size / (daily * days)) ** 0.3658

    for end in ("most", "least"):
        days = find(f"training.dates.{end}_steps").value.m_as("d")
        worth = find(f"training.dates.{end}_worth").value.m_as("d")
        best = min(reached(1e9 * 1.002**step, worth) for step in range(1500, 3500))
        assert reached(32e9, days) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(
    ("case", "rows", "most", "comparison"),
    [
        ("small", [r for r in table("scaling_tuned") if r["mixture"] == "RefinedWeb"], 4, None),
        ("large", table("scaling_large"), 100, "law_large"),
    ],
    ids=["small", "large"],
)
def test_distance_beyond_the_fit_is_that_of_the_rows(case, rows, most, comparison):
    work = [(float(row["work"]), float(row["params"]) / 1e9) for row in rows]
    fitted, judged = [each for each in work if each[0] <= most], [each for each in work if each[0] > most]
    assert find(f"training.measured.beyond_{case}").value.m_as("") == pytest.approx(max(judged)[0] / max(fitted)[0])
    if comparison:
        sizes = [max(size for _, size in part) for part in (fitted, judged)]
        text = "fitted up to {:.2g} billion parameters, judged up to {:.2g} billion".format(*sizes)
        assert text in find(f"training.measured.{comparison}").system
