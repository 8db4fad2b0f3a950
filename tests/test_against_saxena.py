"""Holds the period for the best availability to the paper that states it."""

import pytest
from published import entries, require

from mathcore import find

PUBLISHED = entries("saxena")


def given():
    return {key: value for key, (value, _) in PUBLISHED["ckpt-saxena-reduces-to-young"]["inputs"].items()}


def ratio(period):
    values = given()
    young = find("young_daly.interval").at(C=f"{values['Ts']} s", M=f"{values['Tf']} s")
    return (period / young).m_as("")


def period():
    values = given()
    return find("fleet_checkpointing.conventions.availability_period").at(
        C=f"{values['Ts']} s", R=f"{values['Tr']} s", U=f"{values['Tf']} s"
    )


def test_short_writes_give_youngs_interval():
    require(PUBLISHED["ckpt-saxena-reduces-to-young"], ratio(period()))


def test_wrong_period_is_found():
    with pytest.raises(AssertionError, match=r"reduces-to-young: computed 0.5003"):
        require(PUBLISHED["ckpt-saxena-reduces-to-young"], ratio(period() / 2))


@pytest.mark.parametrize("write", [1.0, 60.0, 3600.0])
def test_period_is_the_best_by_trying(write):
    """Availability, computed from the model, is smaller on either side."""
    cost = find("fleet_checkpointing.conventions.availability_cost")
    best = find("fleet_checkpointing.conventions.availability_work").at(C=f"{write} s", R="600 s", U="6 h").m_as("s")
    costs = [cost.evaluate(C=f"{write} s", R="600 s", U="6 h", tau=f"{best * x} s")[0].magnitude for x in (0.9, 1, 1.1)]
    assert costs[1] == min(costs)


def test_restart_is_gone_where_the_time_between_failures_holds_it():
    whole = find("fleet_checkpointing.conventions.availability_of_mtbf").at(C="5 min", M="6 h").m_as("s")
    apart = find("fleet_checkpointing.conventions.availability_period")
    for restart in (60, 1800):
        found = apart.at(C="5 min", R=f"{restart} s", U=f"{21600 - restart} s").m_as("s")
        assert found == pytest.approx(whole, rel=1e-12)
