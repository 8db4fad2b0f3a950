"""Protects ranges of validity: within its range a model is off by no more than is stated, and at its bound by that.

The other side is computed here, from the law itself: a renewal with failures at a constant rate, the exact
limits of a Poisson count, interest by the instant. None of it calls the core.
"""

import itertools

import numpy as np
import pytest
from scipy import optimize, stats

from mathcore import find

HOUR = 3600.0


def ratio(work, write, mean, restart=0.0):
    """Return useful over billed time if failures strike at rate 1/mean, in restarts and writes too."""
    return work / mean / (np.exp(restart / mean) * np.expm1((work + write) / mean))


def best(write, mean, restart=0.0):
    """Return the work between two checkpoints for the largest ratio, and that ratio."""
    found = optimize.minimize_scalar(
        lambda z: -ratio(np.exp(z), write, mean, restart), bounds=np.log([1e-9 * mean, 50 * mean]), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    return float(np.exp(found.x)), float(-found.fun)


def poisson_low(count, level):
    """Return the exact lower limit of a count (Garwood)."""
    return stats.chi2.ppf(level, 2 * count) / 2


def poisson_high(count, level):
    """Return the exact upper limit of a count (Garwood)."""
    return stats.chi2.ppf(level, 2 * count + 2) / 2


def model(address, given):
    """Return the value of the engine in the declared unit, without its warnings."""
    value, _ = find(address).evaluate({name: str(number) for name, number in given.items()})
    return float(value.m_as(find(address).lhs.unit or ""))


M = HOUR  # seconds; only ratios count


def of_ettr(c, tau, o):
    given = {"C": f"{c * M} s", "tau": f"{tau * M} s", "o": f"{o * M} s", "M": f"{M} s"}
    return model("goodput.ettr.ettr", given) / ratio(tau, c, 1.0, o)


def of_spot(c, tau, r):
    given = {"C": f"{c * M} s", "tau": f"{tau * M} s", "R": f"{r * M} s", "lam": f"{1 / M} 1/s"}
    return model("operations.spot.loss_share", given) / (1 - ratio(tau, c, 1.0, r))


def of_spot_least(c, r):
    given = {"C": f"{c * M} s", "R": f"{r * M} s", "lam": f"{1 / M} 1/s"}
    return model("operations.spot.least_loss", given) / (1 - best(c, 1.0, r)[1])


def of_spot_factor(c, r):
    given = {"C": f"{c * M} s", "R": f"{r * M} s", "lam": f"{1 / M} 1/s", "r": "0.4"}
    return model("operations.spot.spot_factor", given) / (0.4 / best(c, 1.0, r)[1])


def of_herault(c):
    found = model("fleet_checkpointing.conventions.herault_root", {"C": f"{c * M} s", "U": f"{M} s"})
    return found / M / (best(c, 1.0)[0] + c)


def of_young_period(c):
    found = model("fleet_checkpointing.conventions.young_period", {"C": f"{c * M} s", "M": f"{M} s"})
    return found / M / (best(c, 1.0)[0] + c)


def of_ettr_interval(c):
    found = model("goodput.ettr.ettr_root", {"C": f"{c * M} s", "V": f"{M} s"})
    return found / M / best(c, 1.0)[0]


def of_ettr_best(c):
    return model("goodput.ettr.ettr_best_root", {"C": f"{c * M} s", "V": f"{M} s", "o": "0 s"}) / best(c, 1.0)[1]


def of_ettr_at_young(c):
    given = {"C": f"{c * M} s", "M": f"{M} s", "o": "0 s"}
    return model("goodput.ettr.ettr_at_young", given) / ratio(np.sqrt(2 * c), c, 1.0)


def of_restart(r):
    return model("operations.spot.restart_share", {"lam": f"{1 / M} 1/s", "R": f"{r * M} s"}) / -np.expm1(-r)


def of_silence(d):
    given = {"d_a": f"{d * M} s", "M_h": f"{M} s", "C": "0.1 s", "K_f": "1 s", "tau": "30 d", "u_p": "1 s"}
    return model("operations.alarm_loss", given) / (d / (1 + d))


def of_days(p):
    return model("reliability.any_failure_by_rate", {"p": f"{p}", "n_d": "1"}) / p


def of_interest(x):
    return model("ownership.hourly_capital_simple", {"K": "1000 USD/gpu", "r": f"{x / 4} /year", "T": "4 year"}) / (
        1000 * x / -np.expm1(-x) / (4 * 8766)
    )


# model over truth; the sides of the range as sums of symbols in MTBFs; by how much it is off at the bound
VALIDITY_LIMITS = {
    "goodput.ettr.ettr": (of_ettr, 3, 1 / 5, 0.107),
    "operations.spot.loss_share": (of_spot, 3, 1 / 6, 0.10),
    "operations.spot.least_loss": (of_spot_least, 2, 1 / 20, 0.11),
    "operations.spot.spot_factor": (of_spot_factor, 2, 1 / 20, 0.05),
    "fleet_checkpointing.conventions.herault_root": (of_herault, 1, 1 / 5, 0.106),
    "fleet_checkpointing.conventions.young_period": (of_young_period, 1, 1 / 18, 0.10),
    "goodput.ettr.ettr_interval": (of_ettr_interval, 1, 1 / 3, 0.10),
    "goodput.ettr.ettr_best": (of_ettr_best, 1, 1 / 4, 0.11),
    "goodput.ettr.ettr_at_young": (of_ettr_at_young, 1, 1 / 3, 0.11),
    "operations.spot.restart_share": (of_restart, 1, 1 / 10, 0.05),
    "operations.alarm_loss": (of_silence, 1, 1 / 10, 0.10),
    "ownership.hourly_capital_simple": (of_interest, 1, 1, 0.05),
    "reliability.any_failure_by_rate": (of_days, 1, 1 / 50, 0.01),
}


LEAST = 0.001  # of an MTBF, so that a symbol of a sum stays within its range
PARTS = (0.02, 0.05, 0.1, 0.3, 0.6, 0.9)


def points(symbols, bound):
    """Return points of which the symbols sum to the bound or to less."""
    for shares in itertools.product(PARTS, repeat=symbols - 1):
        if sum(shares) < 1:
            for whole in (1.0, 0.3):
                yield [max(LEAST, bound * whole * s) for s in (*shares, 1 - sum(shares))]


def worst_error(name):
    """Return by how much a model is off within its range of validity, at most."""
    off, inputs, bound, _ = VALIDITY_LIMITS[name]
    within = (p for p in points(inputs, bound) if name != "operations.spot.loss_share" or p[0] <= p[1] / 10)
    return max(abs(off(*point) - 1) for point in within)


@pytest.mark.parametrize("name", VALIDITY_LIMITS)
def test_error_of_a_model_within_its_validity_is_at_most_the_stated_one(name):
    assert worst_error(name) == pytest.approx(VALIDITY_LIMITS[name][-1], rel=0.16)


def test_bound_that_is_too_wide_is_found():
    off, inputs, bound, stated = VALIDITY_LIMITS["goodput.ettr.ettr_best"]
    assert max(abs(off(*point) - 1) for point in points(inputs, 2 * bound)) > 1.5 * stated


def test_count_deviates_by_its_root_from_ten_on():
    """The exact interval (Garwood) is wider by a tenth at ten, and by more below."""
    wider = []
    for count in (3, 10, 100):
        exact = (poisson_high(count, 0.975) - poisson_low(count, 0.025)) / 2 / count
        wider.append(exact / model("reliability.counts.half_width", {"n": count, "z": stats.norm.ppf(0.975)}) - 1)
    assert wider[0] > 0.15 and wider[1] == pytest.approx(0.10, rel=0.16) and wider[2] < 0.03


def test_lower_limit_of_a_count_is_right_from_five_on():
    off = {}
    for count in (3, 4, 5, 50):
        rough = model("reliability.counts.lower_count", {"n": count, "z": stats.norm.ppf(0.975)})
        off[count] = abs(rough / poisson_low(count, 0.025) - 1)
    assert off[3] > off[4] > 0.01 > off[5] > off[50]


def test_more_than_one_failure_in_a_period_has_the_stated_probability():
    assert stats.poisson.sf(1, 0.27) == pytest.approx(0.03, rel=0.02)
