"""Published numbers, and the comparison of a computed number with them."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[1] / "data"
ROUNDING = 1e-12  # what floating point may add to a published tolerance of zero


class Entries(dict):
    """The published numbers of one authority by id."""

    def numbers(self, name):
        """Return the inputs of an entry by name, without their units."""
        return {key: value for key, (value, _) in self[name]["inputs"].items()}


def entries(authority):
    """Return the published numbers of one authority by id."""
    listed = json.loads((DATA / f"{authority}.json").read_text(encoding="utf-8"))
    return Entries((entry["id"], entry) for entry in listed)


def require(entry, found):
    """Refuse a computed number that the published one does not allow.

    Raises: AssertionError naming both numbers and the place of the published one.
    """
    expected, slack = entry["expected"], entry["tolerance"]
    slack = slack * abs(expected) if entry["tolerance_kind"] == "relative" else slack
    slack += ROUNDING * max(abs(expected), 1)
    holds = {"==": abs(found - expected) <= slack, ">=": found >= expected - slack, "<=": found <= expected + slack}
    source = entry["source"]
    assert holds[entry["relation"]], (
        f"{entry['id']}: computed {found:.6g}, published {entry['relation']} {expected:.6g} {entry['unit']} "
        f"({source['title']}, {source['where']})"
    )


def refuse(entry, found):
    """Assert that `require` refuses a computed number, which comes of a seeded error, and names the entry."""
    with pytest.raises(AssertionError, match=rf"^{entry['id']}: computed"):
        require(entry, found)
