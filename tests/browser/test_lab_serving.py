"""The lab on serving: what its advice may and may not say, and the product that its batch alone mends."""

import pytest
from browser.instruments import Instrument, unlock
from browser.lab_pages import STATUS, answer_all, opened

from mathcore import find

DESIGNER = "lab_serving.designer"


@pytest.fixture
def lab(chromium, server):
    """Open the lab with an empty ledger and everything unlocked."""
    opened(chromium, server, "lab_serving")
    unlock(chromium)
    return chromium


def test_no_batch_is_offered_where_the_caches_alone_break_the_budget(lab):
    designer = Instrument(lab, DESIGNER)
    designer.set({**designer.opening, "S": 16384, "B": 32, "p_b": 0.6})
    ways = designer.texts()["ways"][0]
    assert ways and "B" not in [name for _, name, _ in ways]
    assert not any("Admit" in says for says, _, _ in ways)


def test_chat_product_is_repaired_by_its_batch_alone(lab):
    answer_all(lab, find("lab_serving.lab"))
    designer = Instrument(lab, DESIGNER)
    ways = designer.texts()["ways"][0]
    designer.take_way([name for _, name, _ in ways].index("B"))
    assert designer.state()["B"] == 103
    assert designer.texts()["failures"] == []
    assert "no limit hit" in lab.text(STATUS)
