"""Holds the book to what others published: the rows of `data/published.csv`, and what needs more than a row.

What was simulated, counted or searched is in `test_against_schedules.py` and `test_against_checkpoints.py`.
"""

from collections import Counter

import pytest
from mpmath import mp, mpf
from published import Row, cases, fault, rows

from mathcore import find


@pytest.mark.parametrize("row", cases("published"))
def test_book_gives_what_was_published(row):
    message = fault(row)
    assert not message, message


def test_names_of_rows_differ():
    assert [name for name, count in Counter(row.name for row in rows("published")).items() if count > 1] == []


# --- what needs more than a row -----------------------------------------------------------


@pytest.mark.parametrize(("alpha", "drafts", "cost"), [(0.62, 7, 0.02), (0.65, 5, 0.02), (0.82, 7, 0.11)])
def test_drafts_of_the_paper_are_nearly_the_best(alpha, drafts, cost):
    """Leviathan, Table 4: no other whole number gains more than four per cent."""
    gains = [find("serving.speculation.speedup").at(alpha=alpha, gam=n, c_d=cost).magnitude for n in range(1, 40)]
    assert gains[drafts - 1] > max(gains) / 1.04


def test_crossover_is_where_both_times_are_equal():
    tokens = find("roofline.B")
    work, traffic = (  # between two whole batches
        find(address).renamed({tokens: tokens.as_real()})
        for address in ("roofline.product_work", "roofline.product_traffic")
    )
    shape = {"B": str(find("roofline.v5e_crossover").value.magnitude), "D": "4096", "F": "16384"}
    arithmetic = find("roofline.compute_time").at(W=work.at(**shape), P="394 TFLOP/s")
    moved = traffic.at(**shape, a="1 B", w="1 B", o="1 B")
    assert find("roofline.memory_time").at(Q=moved, b="810 GB/s") / arithmetic == pytest.approx(1)


def test_efficiency_of_the_lab_does_not_know_how_many_devices_there_are():
    assert {v.name for v in find("speedup.lab_scaling").inputs} == {"C", "E"}


def test_what_a_number_counts_is_stated():
    assert "location-based" in find("energy.carbon").convention
    assert all("per direction" in find(f"hardware.{name}_port").qualifier for name in ("edr", "hdr", "ndr", "xdr"))


POINT = {"work": "5.25e23", "peak": "989.4e12", "mfu": "0.4", "devices": "512", "write": "120", "mtbf": "1.8e8"}


def run_time(work, peak, mfu, devices, write, mtbf):
    """The time of the run of the full-stack audit once more, apart from the core."""
    return work / (devices * peak * mfu) * (1 + mp.sqrt(2 * write * devices / mtbf))


@pytest.mark.parametrize("name", POINT)
def test_elasticity_is_the_logarithmic_slope(name):
    with mp.workdps(40):
        point, step = {key: mpf(text) for key, text in POINT.items()}, mpf("1e-12")
        up, down = (run_time(**point | {name: point[name] * mp.exp(way)}) for way in (step, -step))
        slope = float(mp.log(up / down) / (2 * step))
        waste = float(mp.sqrt(2 * point["write"] * point["devices"] / point["mtbf"]))
    formula = find(f"audit.levers.time_by_{name}")
    given = {"w_min": str(waste)} if formula.inputs else {}
    assert formula.evaluate(**given)[0].magnitude == pytest.approx(slope, rel=1e-9)


# --- seeded errors ------------------------------------------------------------------------

YOUNG = Row("young", "young_daly.interval(C='4 min', M='8 h')", "==", "62 min", "0.001", "", "Young 1974", "p. 2")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"expected": "63 min"}, "= 61.96773\u202fmin, expected == 63 min within 0.001\n(Young 1974, p. 2)"),
        ({"expected": "62 s"}, "expected == 62 s"),
        ({"expected": "62 GB"}, "cannot convert"),
        ({"tolerance": "±0.01"}, "within ±0.01"),
        ({"tolerance": ""}, "expected == 62 min\n"),
        ({"relation": "!="}, "expected != 62 min"),
        ({"relation": ">="}, ""),
        ({"relation": ">"}, "expected > 62 min"),
        ({"relation": "<"}, ""),
        ({"relation": "between", "expected": "61 min; 62 min"}, ""),
        ({"relation": "between", "expected": "62 min; 1 h"}, "expected between 62 min; 1 h"),
        ({"relation": "refused", "expected": "holds only"}, "is not refused"),
        ({"computed": "young_daly.interval(C='4 min', M='8 GB')"}, "M (mean time between failures of the job)"),
        ({"computed": "2 * young_daly.interval(C='4 min', M='8 h')"}, "young: 2 * young_daly.interval(C='4 min'"),
        ({"computed": "young_daly.intervall(C='4 min', M='8 h')"}, "there is no statement"),
    ],
)  # fmt: skip
def test_changed_row_is_found(change, words):
    found = fault(YOUNG._replace(**change))
    assert words in found and bool(words) == bool(found)


def test_tolerance_of_zero_sees_one_weight():
    [row] = (row for row in rows("published") if row.name == "params-exact-llama31-405b")
    assert not fault(row) and fault(row._replace(computed=row.computed + " + 1"))
