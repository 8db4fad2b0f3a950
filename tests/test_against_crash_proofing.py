"""Holds the costs of fault tolerance to "The Art of Crash-Proofing", and shows what does not add up."""

import pytest

from mathcore import ArgumentError, find


def printed(name, unit):
    return find(f"resilience.{name}").value.m_as(unit)


def test_16_bytes_count_gradients_that_are_not_saved():
    """1.12 TB needs 16 byte a parameter; without gradients it is 0.98 TB."""
    assert find("resilience.book_checkpoint").value.m_as("TB") == pytest.approx(printed("book_size", "TB"))
    assert find("resilience.checkpoint").value.m_as("TB") == pytest.approx(0.98)


def test_store_of_the_example_needs_ten_minutes_and_not_five():
    """The text writes in 5 min; the file system it configures takes 10.6 min, and 9 times the notice.

    Amazon's units are binary: 7,200 GiB are 7.03 TiB, at 250 MB/s each 1,758 MB/s, for 1.12 TB 637 s.
    """
    assert find("resilience.book_write").value.m_as("min") == pytest.approx(10.62, abs=0.01)
    assert find("operations.spot.book_door").value < find("resilience.book_size").value / 5


def test_whole_bandwidth_just_fits_into_the_notice():
    assert find("resilience.book_size").value < find("operations.spot.through_the_door").value


def test_cost_of_keeping_all_is_that_of_its_last_month():
    """16,560 dollars are for 720 TB that lie there a month; while they gather it is about half."""
    assert find("resilience.retention.zoo").value.m_as("USD") == pytest.approx(16560, rel=1e-9)
    assert find("resilience.retention.zoo_growing").value.m_as("USD") == pytest.approx(16560 / 2, rel=0.02)


def test_tiers_keep_26_of_720():
    assert find("resilience.retention.zoo_tiers").value.magnitude == pytest.approx(26)


def test_target_of_15_minutes_cannot_be_met():
    """The lag of the copy alone is 15 min: no interval is left."""
    given = {"P": find("resilience.book_rpo"), "l": find("resilience.book_lag"), "C": "1 min"}
    with pytest.raises(ArgumentError, match="holds only for"):
        find("resilience.interval_for_point").at(**given)
    assert find("resilience.hourly_point").value > 5 * find("resilience.book_rpo").value


def test_target_of_two_hours_leaves_room():
    assert find("resilience.book_recovery").value < find("resilience.book_rto").value


def test_insurance_table_counts_storage_twice():
    """The column adds up to 2,483,440; the printed total is 2,100 more, the gap between the storages."""
    cost = printed("book_bill", "USD")
    assert find("resilience.book_run").value.m_as("USD") == pytest.approx(cost, rel=1e-12)
    column = cost + 118_000 + 3_500 + 500 + 2_000
    assert printed("book_with", "USD") - column == pytest.approx(2_100, abs=1)
    without = cost + 1_400 + find("resilience.book_loss").value.m_as("USD")
    assert printed("book_without", "USD") == pytest.approx(without, abs=1)


def test_without_checkpoints_the_run_never_ends():
    """A probability of 10 % does not fit the chapter's own rate: 0.1 % a day and 100 servers make e³."""
    run = find("resilience.bare").value
    assert run.m_as("d") == pytest.approx(190.9, abs=0.1)
    assert run.m_as("d") / 30 > 6


def test_indices_of_the_sketch_cost_four_times_the_values():
    """Two indices of 8 byte for a value of 4: a delta pays below a fifth; Adam moves every weight."""
    assert find("resilience.retention.book_delta_limit").value.m_as("") == pytest.approx(0.2)
    dense = find("resilience.retention.delta_size").at(phi="100 %", v="4 B", i="16 B")
    assert dense.m_as("") == pytest.approx(5)


@pytest.mark.parametrize("example, rate", [("spot_cheap", 4.01), ("spot_half", 2.52), ("spot_dear", 1.20)])
def test_rates_at_which_spot_stops_paying(example, rate):
    assert find(f"operations.spot.{example}").value.m_as("1/h") == pytest.approx(rate, abs=0.005)


@pytest.mark.parametrize("ratio", ["0.3", "0.5", "0.7"])
def test_loss_at_that_rate_is_the_discount(ratio):
    given = {"C": "60 s", "R": "300 s"}
    rate = find("operations.spot.break_even_rate").at(**given, r=ratio)
    assert find("operations.spot.least_loss").evaluate(**given, lam=rate)[0].magnitude == pytest.approx(
        1 - float(ratio)
    )
    nearly = find("operations.spot.spot_factor").at(**given, lam=rate * 0.999999, r=ratio)
    assert nearly.magnitude == pytest.approx(1, rel=1e-4)


def test_first_order_is_on_the_safe_side():
    """At the same interval the exact cost lies below the first-order one: spot pays a little longer."""
    assert find("operations.spot.hourly_exact").value < find("operations.spot.hourly_factor").value


def test_seeded_error_is_found():
    wrong = find("resilience.retention.tiers").at(
        tau="1 h", j_1="6 h", j_2="7 d", g_2="1 h", j_3="13 week", g_3="1 week"
    )
    assert wrong.magnitude != pytest.approx(26, rel=0.1)
