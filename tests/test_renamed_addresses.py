"""Protects programs that were written with an old address: what moved is found where it is now, with a warning."""

import csv
import math
import warnings
from pathlib import Path

import pytest

from mathcore import UnknownAddress, find, library, quantity, statements
from mathcore.errors import MovedAddress

# `address,type,value` of every statement of version 0.1.0
STATED = Path(__file__).parent / "data" / "addresses-0.1.0.csv"
# `address,type,reason` of those whose value was wrong, or which a statement of another type has replaced
CORRECTED = Path(__file__).parent / "data" / "corrected.csv"
with library.current_library.path("redirects.csv").open(encoding="utf-8", newline="") as file:
    MOVED = {row["old"]: row["new"] for row in csv.DictReader(file)}


def stated():
    """Return the statements of version 0.1.0, each address with its type and its value, corrected ones without."""
    with STATED.open(encoding="utf-8", newline="") as file:
        found = {row["address"]: (row["type"], row["value"]) for row in csv.DictReader(file)}
    return found | {address: (row["type"], "") for address, row in corrected().items()}


def corrected():
    """Return the rows of `corrected.csv` by address."""
    with CORRECTED.open(encoding="utf-8", newline="") as file:
        return {row["address"]: row for row in csv.DictReader(file)}


RENAMED_TYPES = {"Explorer": "Calculator"}  # classes that had another name in version 0.1.0


def found_at(address):
    """Return whether a statement is declared there, without a look into the table."""
    module, _ = library.current_library.split(address)
    return module in library.current_library.names() and address in dict(library.current_library.statements(module))


def unlike(address, kind, value, look=find):
    """Return what is found at an old address instead of a statement of this type and value, or nothing."""
    try:
        found = look(address)
    except UnknownAddress as error:
        return f"{address}: {error.message}"
    if type(found).__name__ != RENAMED_TYPES.get(kind, kind):
        return f"{address}: a {type(found).__name__}, not a {kind}"
    if value and not math.isclose(found.value.m_as(quantity(value).units), quantity(value).magnitude, rel_tol=1e-6):
        return f"{address}: {found.value}, not {value}"
    return ""


@pytest.mark.slow
def test_every_address_of_version_0_1_0_is_answered_with_the_same_statement():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedAddress)
        found = [unlike(address, *row) for address, row in stated().items()]
    assert len(found) > 7500 and [message for message in found if message] == []


def test_each_correction_has_a_reason_and_is_one():
    with STATED.open(encoding="utf-8", newline="") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", MovedAddress)
        before = {row["address"]: (row["type"], row["value"]) for row in csv.DictReader(file)}
        idle = [
            address
            for address, row in corrected().items()
            if not row["reason"] or not unlike(address, *before[address])
        ]
    assert idle == []


@pytest.mark.parametrize(
    ("address", "kind", "value", "message"),
    [
        ("tasks.audit_nothing", "Task", "", "no chapter `tasks`"),
        ("serving_prices.price_of_step", "Fact", "", "a Formula, not a Fact"),
        ("young_daly.act_one", "Example", "61 min", "not 61 min"),
    ],
)
@pytest.mark.filterwarnings("ignore::mathcore.errors.MovedAddress")
def test_address_that_is_lost_or_means_another_thing_is_found(address, kind, value, message):
    assert message in unlike(address, kind, value)


@pytest.mark.parametrize("old", [old for old in MOVED if not old.endswith(".")])
def test_old_address_redirects_to_a_statement(old):
    assert found_at(MOVED[old]), f"{old} should be found at {MOVED[old]}, but there is nothing"
    assert not found_at(old), f"{old} is still there: remove it from the table"
    with pytest.warns(MovedAddress, match=f"`{old}` has moved to `{MOVED[old]}`"):
        assert find(old) is find(MOVED[old])


@pytest.mark.parametrize("old", [old for old in MOVED if old.endswith(".")])
def test_old_module_redirects_to_a_module(old):
    assert (
        old.rstrip(".") not in library.current_library.names()
        and MOVED[old].rstrip(".") in library.current_library.names()
    )


def test_derivation_behind_an_old_address_is_found_too():
    with pytest.warns(MovedAddress, match="training.scaling.size.derivation"):
        assert find("scaling.size.derivation") is find("training.scaling.size").derivation


def test_statement_has_its_new_address_whichever_was_asked_for():
    with pytest.warns(MovedAddress):
        assert statements.address_of(find("tasks.audit_plan")) == "audit.task_plan"


def test_address_of_today_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find("serving.prices.price_of_step")


def test_address_that_never_was_is_refused():
    with pytest.raises(UnknownAddress, match=r"there is no statement `energy\.device_hour`.*"):
        find("energy.device_hour")
