"""Break-evens break even, limits are reached, simulations find seeded errors."""

import dataclasses

import pytest
from sympy import Rational

from mathcore import find

BUY = {"T": "3 year", "q": "2.5 USD/(gpu h)", "K": "30000 USD/gpu", "s": "2000 USD/gpu/year"}
POWER = {"PUE": "1.3", "k": "0.1 USD/kWh", "p": "700 W/gpu", "p_0": "100 W/gpu"}


def test_chain_of_one_is_no_chain():
    assert find("resilience.retention.mean_write").at(C="4 min", d="10 %", k="1").m_as("min") == pytest.approx(4)
    assert find("resilience.retention.mean_restart").at(R="5 min", d="10 %", k="1").m_as("min") == pytest.approx(5)
    assert find("resilience.retention.chain").evaluate(epsilon="0.02", k="1")[0].magnitude == pytest.approx(0.98)


def test_owning_and_renting_cost_the_same_at_the_break_even():
    share = find("ownership.owning_pays").at(**BUY, **POWER)
    fleet = {"N": "100 gpu", "T": BUY["T"], "u": share}
    rented = find("ownership.on_demand").at(**fleet, q=BUY["q"])
    owned = find("ownership.owned").at(**fleet, K=BUY["K"], s=BUY["s"], **POWER)
    assert owned / rented == pytest.approx(1)


def test_price_at_which_buying_beats_reserving():
    given = {"T": "3 year", "u": "80 %", "s": "2000 USD/gpu/year"}
    rent = {"q": "2.5 USD/(gpu h)", "delta": "30 %"}
    price = find("ownership.price_against_reserved").at(**given, **rent, **POWER)
    owned = find("ownership.owned").at(**given, **POWER, K=price, N="10 gpu")
    assert owned / find("ownership.reserved").at(N="10 gpu", T="3 year", **rent) == pytest.approx(1)


def test_capital_without_interest_is_the_plain_share():
    given = {"K": "40000 USD/gpu", "T": "3 year"}
    plain = find("ownership.straight_line").at(**given)
    assert find("ownership.hourly_capital").at(**given, r="0.001 /year") / plain == pytest.approx(1, rel=0.002)
    both = find("ownership.hourly_capital_falling").at(**given, r="0.04 /year", d="0.04 /year")
    assert both / find("ownership.hourly_capital").at(**given, r="0.08 /year") == pytest.approx(1)


def test_more_interest_faster_fall_and_shorter_life_cost_more():
    falling = find("ownership.hourly_capital_falling")
    base = {"K": "40000 USD/gpu", "T": "4 year", "r": "0.08 /year", "d": "0.2 /year"}
    for dearer in ({"T": "3 year"}, {"r": "0.12 /year"}, {"d": "0.4 /year"}, {"K": "50000 USD/gpu"}):
        assert falling.at(**{**base, **dearer}) > falling.at(**base)


def test_retention_for_a_risk_has_that_risk():
    given = {"tau": "1 h", "X": "5 h"}
    count = find("resilience.retention.keep_for_risk").at(**given, epsilon="0.001")
    found = find("resilience.retention.no_clean_checkpoint").evaluate(**given, K=count)[0].magnitude
    assert found == pytest.approx(0.001)


def test_overlap_is_worth_at_most_a_factor_of_two():
    bound = find("roofline.overlap_bound")
    assert bound.evaluate(t_c="2 ms", t_m="2 ms")[0].magnitude == pytest.approx(2)
    assert bound.evaluate(t_c="2 ms", t_m="2 µs")[0].magnitude == pytest.approx(1.001)
    given = {"W": "50 GFLOP", "Q": "300 MB", "P": "989.4 TFLOP/s", "b": "3350 GB/s"}
    least, most = (find(f"roofline.{name}").at(**given) for name in ("overlapped", "serial"))
    assert least < most <= 2 * least


def test_intensity_rises_with_the_batch_to_its_ceiling():
    given = {"D": "4096", "F": "4096", "a": "2 B", "o": "2 B"}
    ceiling = find("roofline.activations_only").at(**given)
    rise = [find("roofline.product_intensity").at(B=str(b), w="2 B", **given) for b in (1, 32, 1024, 1000000)]
    assert rise == sorted(rise)
    assert rise[-1] / ceiling == pytest.approx(1, rel=0.01)
    assert rise[-1] < ceiling


def test_decoding_never_reaches_the_ridge_of_a_present_device():
    """Sixteen heads on one cache give 16 FLOP/B; the lowest ridge of the registered devices is 153."""
    most = find("roofline.decode_intensity").at(S="1000000", G="16", w="2 B")
    assert 5 * most < find("roofline.a100_ridge").value


SEEDED = {
    "resilience.sim_bare": "1.15", "operations.spot.sim_spot": "1.03", "operations.spot.sim_storm": "1.05",
    "resilience.retention.sim_chain": "0.96", "resilience.retention.sim_load": "1.03",
    "resilience.retention.sim_bad": "1.2"
}  # fmt: skip


@pytest.mark.parametrize("address", SEEDED)
def test_simulation_finds_a_seeded_error(address):
    simulation = find(address)
    assert simulation.passed, f"{simulation.value} ± {simulation.error} against {simulation.exact}"
    wrong = dataclasses.replace(simulation.formula, rhs=simulation.formula.rhs * Rational(SEEDED[address]))
    assert not dataclasses.replace(simulation, formula=wrong).passed
