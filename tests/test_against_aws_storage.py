"""Holds a month of storage to the example that Amazon prints for S3 Express One Zone."""

import pytest

from mathcore import find

GIVEN = {"V": "10 TiB", "T": "240 h"}  # 10 TB, which are TiB, for 8 hours on 30 days
PRINTED_MONTHS, PRINTED_BILL = 3303.77, 363.41


def held(month):
    return find("resilience.retention.month_of_storage").at(**GIVEN, Y=month).m_as("GiB")


def test_printed_byte_hours():
    assert 10 * 2**40 * 240 == 2_638_827_906_662_400


def test_month_of_31_days_explains_the_print():
    """3,303.23 against a printed 3,303.77: the month has 744 h, and the print is off in its fifth digit."""
    assert held("744 h") == pytest.approx(3303.2258, rel=1e-7)
    assert held("744 h") == pytest.approx(PRINTED_MONTHS, rel=2e-4)
    assert held("744 h") != pytest.approx(PRINTED_MONTHS, rel=1e-4)


def test_cost_to_the_cent_follows_the_printed_months():
    price = find("sites.s3_express").value.m_as("USD/GiB")
    assert round(PRINTED_MONTHS * price, 2) == PRINTED_BILL
    assert find("resilience.retention.express").value.m_as("USD") == pytest.approx(PRINTED_BILL, rel=2e-4)


@pytest.mark.parametrize("month", ["720 h", "730 h"])
def test_another_month_is_found(month):
    assert held(month) != pytest.approx(PRINTED_MONTHS, rel=0.01)


def test_decimal_gigabytes_are_found():
    assert held("744 h") * 2**30 / 1e9 != pytest.approx(PRINTED_MONTHS, rel=0.05)
