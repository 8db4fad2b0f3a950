"""Holds write times, wasted time and replicas in memory to the paper on Gemini."""

import itertools
import math

import pytest
from published import entries, require

from mathcore import OutsideValidity, find, quantity

PUBLISHED = entries("gemini")


def write_time(parameters, each, rate):
    size = find("resilience.size").at(n=str(parameters), beta=f"{each} B")
    return find("before_you_start.transfer").at(V=size, b=f"{rate} bit/s").m_as("min")


def test_write_of_a_large_model():
    values = PUBLISHED.numbers("ckpt-gemini-mtnlg-write")
    require(PUBLISHED["ckpt-gemini-mtnlg-write"], write_time(values["P"], values["bpp"], values["bw"]))


def test_time_wasted_by_a_failure():
    minutes = PUBLISHED.numbers("ckpt-gemini-wasted")["t"]
    moment = quantity(f"{minutes} min")
    lost = find("fleet_checkpointing.async_loss").at(tau=moment, u=moment)
    require(PUBLISHED["ckpt-gemini-wasted"], (lost + moment).m_as("min"))
    at_most = (1 - 1e-12) / moment  # one write after the other, a hair less for floating point
    whole = find("fleet_checkpointing.gemini_loss").at(u=moment, nu=at_most, R=moment)
    assert whole.m_as("min") == pytest.approx(PUBLISHED["ckpt-gemini-wasted"]["expected"], rel=1e-10)


@pytest.mark.parametrize("name", ["pairs_hold", "groups_hold"])
def test_probability_of_recovery_from_memory(name):
    values = PUBLISHED.numbers("ckpt-gemini-prob-k2")
    more = {"r": str(values["m"])} if name == "groups_hold" else {}
    found = find(f"fleet_checkpointing.replicas.{name}").at(n_m=str(values["N"]), f=str(values["k"]), **more)
    require(PUBLISHED["ckpt-gemini-prob-k2"], found.m_as(""))


def test_every_published_number_is_held():
    assert len(PUBLISHED) == 3


def test_wrong_bytes_are_found():
    values = PUBLISHED.numbers("ckpt-gemini-mtnlg-write")
    with pytest.raises(AssertionError, match=r"mtnlg-write: computed 56.5"):
        require(PUBLISHED["ckpt-gemini-mtnlg-write"], write_time(values["P"], 16, values["bw"]))


def survivors(machines, size, lost):
    """Count by trying all: the share of losses that leave a machine in every group."""
    groups = [set(range(first, first + size)) for first in range(0, machines, size)]
    ways = list(itertools.combinations(range(machines), lost))
    return sum(not any(group <= set(way) for group in groups) for way in ways) / len(ways)


@pytest.mark.parametrize(("machines", "lost"), [(8, 1), (8, 3), (8, 5), (12, 4), (16, 4)])
def test_pairs_by_trying_all(machines, lost):
    found = find("fleet_checkpointing.replicas.pairs_hold").evaluate(n_m=str(machines), f=str(lost))[0].magnitude
    assert found == pytest.approx(survivors(machines, 2, lost), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("machines", "size", "lost"), [(12, 3, 3), (12, 3, 5), (12, 4, 6), (16, 2, 3)])
def test_groups_are_exact_below_two_groups(machines, size, lost):
    found = (
        find("fleet_checkpointing.replicas.groups_hold")
        .evaluate(n_m=str(machines), r=str(size), f=str(lost))[0]
        .magnitude
    )
    assert found == pytest.approx(survivors(machines, size, lost), rel=1e-12)


@pytest.mark.parametrize(("machines", "size", "lost"), [(16, 2, 4), (16, 2, 5), (12, 3, 6)])
def test_groups_are_a_lower_bound_beyond(machines, size, lost):
    with pytest.warns(OutsideValidity, match="lower bound"):
        held = find("fleet_checkpointing.replicas.groups_hold").at(n_m=str(machines), r=str(size), f=str(lost))
    bound = held.m_as("")
    assert bound < survivors(machines, size, lost)


def test_more_losses_than_pairs_are_never_survived():
    assert find("fleet_checkpointing.replicas.pairs_hold").evaluate(n_m="8", f="5")[0].magnitude == 0
    assert math.isclose(find("fleet_checkpointing.replicas.next_loss").evaluate(n_m="8", f="3")[0].magnitude, 2 / 5)
