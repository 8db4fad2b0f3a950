"""Figures as data: axes, tones, names, levels and bars; how they are drawn and look is tested with the scripts."""

import math

import nbformat
import numpy as np
import pytest
from mathbook import figures
from mathbook.plots import Axis, Bars, Figure, Trace, level, measured, relative_to, sweep
from nbclient import NotebookClient

from mathcore import Quantity, find
from mathcore.errors import DeclarationError


def trace(label, x=(1, 10, 100), y=(1.0, 2.0, 3.0), **more):
    return Trace(label, Quantity(list(x), "s"), Quantity(list(y), ""), **more)


def drawn(*traces, x=None, y=None, **more):
    return Figure(traces, x or Axis("time", "s"), y or Axis("share"), caption="How?", alt="lines", **more).chart()


class TestNames:
    def test_a_lone_curve_is_named_by_its_axis(self):
        assert [one["label"] for one in drawn(trace("share"))["series"]] == [""]

    def test_a_number_stays_with_its_unit(self):
        labels = [one["label"] for one in drawn(trace("write of 30 s"), trace("in 20 years, at 5 %"))["series"]]
        assert labels == ["write of 30\u202fs", "in 20\u202fyears, at 5\u202f%"]

    @pytest.mark.parametrize("labels", [("one", "one"), ("one", "")])
    def test_curves_with_one_name_are_refused(self, labels):
        with pytest.raises(DeclarationError, match="name each in a word or two"):
            drawn(*map(trace, labels))

    def test_points_may_share_a_name_with_nothing_and_have_their_own(self):
        [_, points] = drawn(trace("law"), trace("", points=True, names=("GPT-3", "PaLM", "OPT")))["series"]
        assert (points["label"], points["names"], points["points"]) == ("", ["GPT-3", "PaLM", "OPT"], True)

    def test_measured_points_are_named_by_a_column(self):
        words = {"2": "another design", "18": "the largest of one"}  # 10.647 h on 6,152 and 7.335 h on 4,096 processors
        sets = measured(find("reliability.measured.law"), "processors", ratio=True, named={"system": words})
        found = {name: y for one in sets for name, y in zip(one.names, one.y.magnitude, strict=False) if name}
        assert found.keys() == set(words.values())
        between = found["another design"] / found["the largest of one"]
        assert between == pytest.approx(10.647 * 6152 / (7.335 * 4096))


class TestTones:
    def test_points_have_the_tone_of_the_curve_to_which_they_belong(self):
        tones = [one["tone"] for one in drawn(trace("a"), trace("b"), trace("b, seen", points=True, of="b"))["series"]]
        assert tones[0] != tones[1] == tones[2]

    def test_a_level_takes_no_tone_and_goes_from_edge_to_edge(self):
        chart = drawn(
            level("1", ("2 s", "3 s"), "as predicted"), trace("a"), x=Axis("time", "s", span=("1 s", "200 s"))
        )
        quiet, curve = chart["series"]
        assert (quiet["tone"], curve["tone"]) == ("plain", "total")
        assert quiet["x"] == [1.0, 200.0] == [chart["x"]["low"], chart["x"]["high"]]


class TestAxes:
    def test_curves_reach_the_edges_and_points_have_air(self):
        assert drawn(trace("a"))["x"]["high"] == 100
        assert drawn(trace("a", points=True))["x"]["high"] > 100
        assert drawn(trace("a", points=True), x=Axis("time", "s", log=True))["x"]["low"] < 1

    def test_an_axis_begins_at_nought_where_that_is_near(self):
        assert drawn(trace("a", y=(1.0, 2.0, 9.0)))["y"]["low"] == 0
        assert 90 < drawn(trace("a", y=(91.0, 95.0, 99.0)))["y"]["low"] < 91

    @pytest.mark.parametrize(
        ("label", "unit", "written"), [("devices", "gpu", ""), ("days of it", "d", ""), ("age", "d", "d")]
    )
    def test_a_unit_is_left_out_where_the_label_has_named_it(self, label, unit, written):
        assert Axis(label, unit).spec([1.0, 2.0], 0)["unit"] == written

    def test_a_value_that_is_none_is_a_gap(self):
        [one] = drawn(trace("a", y=(1.0, math.nan, 3.0)))["series"]
        assert one["y"] == [1.0, None, 3.0]
        assert figures._points(one) == [[1.0, 1.0], [100.0, 3.0]]


class TestRatios:
    def test_one_curve_over_another_is_theirs_point_by_point(self):
        first, exact = (
            sweep(find(a), "C", ("1 min", "1 h"), {"M": "1 h"}, a)
            for a in ("young_daly.interval", "young_daly.optimum")
        )
        ratio = relative_to(first, exact, "Young")
        assert ratio.label == "Young"
        at_end = find("young_daly.interval").at(C="1 h", M="1 h") / find("young_daly.optimum").at(C="1 h", M="1 h")
        assert float(ratio.y[-1].magnitude) == pytest.approx(float(at_end.m_as("")))

    def test_curves_at_other_places_are_refused(self):
        with pytest.raises(DeclarationError, match="do not stand at the same x"):
            relative_to(trace("a"), trace("b", x=(1, 10, 99)))


class TestBars:
    def bars(self, **more):
        one = Trace("one", Quantity(np.array([0.0, -0.5]), ""), Quantity(np.array([1, 1]), ""))
        other = Trace("other", Quantity(np.array([0.0, 0.0]), ""), Quantity(np.array([2, 2]), ""))
        return Bars((one, other), Axis("effect"), Axis("rank"), caption="How?", alt="bars", **more)

    def test_values_are_at_the_ends_that_are_not_the_base(self):
        assert [bar["texts"] for bar in self.bars(base=0.0).chart()["bars"]] == [["−0.500", ""], ["", "0"]]
        assert self.bars().chart()["bars"][0]["texts"] == ["−0.500", "0"]

    def test_rows_are_the_names_and_the_table_has_both_ends(self):
        figure = self.bars(base=0.0)
        assert figure.chart()["y"]["names"] == ["one", "other"]
        assert figure.table()["rows"] == [["other", "0", "0"], ["one", "−0.500", "0"]]


def test_a_spot_is_a_point_with_words():
    chart = drawn(trace("a"), spots={"the decision": ("2 s", 1.5)}, marks={"limit": "30 s"})
    assert chart["spots"] == [{"label": "the decision", "x": 2.0, "y": 1.5}]
    assert chart["uprights"] == [{"x": 30.0, "label": "limit"}]


def test_what_is_read_at_the_pointer_is_short():
    series = drawn(trace("a", y=(1.23456789, 2.0, 3.0)))["series"]
    readout = figures._readout({"x": {}, "y": {"label": "share", "unit": "", "log": True, "low": 0}, "series": series})
    assert readout["series"] == [{"tone": "total", "x": [1.0, 10.0, 100.0], "y": [1.235, 2.0, 3.0]}]
    assert readout["y"] == {"label": "share", "unit": "", "log": True}


CELL = """
from mathcore import find
from mathbook.plots import Axis, Figure, sweep
curve = sweep(find("young_daly.interval"), "C", ("1 min", "9 min"), {"M": "8 h"}, count=3)
Figure((curve,), Axis("write", "min"), Axis("interval", "min", log=True), caption="How often?", alt="A curve.")
"""


class TestInJupyter:
    @pytest.mark.slow
    @pytest.mark.extended
    def test_a_notebook_shows_what_plotly_draws(self):
        """Holds in a kernel of its own: 30.98 min = √(2·1·480), 92.95 = √(2·9·480)."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
        NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
        [output] = notebook.cells[0].outputs
        assert (output["data"]["text/plain"], output["output_type"]) == ("A curve.", "execute_result")
        figure = output["data"]["application/vnd.plotly.v1+json"]
        assert figure["data"][0]["y"] == pytest.approx([math.sqrt(960), math.sqrt(4800), math.sqrt(8640)], rel=1e-5)
        assert figure["layout"]["yaxis"]["type"] == "log"

    def figure(self):
        points = trace("seen", points=True, error=Quantity(np.array([0.1, 0.2, 0.3]), ""))
        axes = Axis("time", "s", log=True), Axis("share")
        return Figure((trace("told"), points), *axes, caption="How?", alt="two", marks={"limit": "10 s"})

    def test_a_kernel_gets_what_plotly_draws(self):
        bundle = self.figure()._repr_mimebundle_()
        assert {"text/markdown", "text/html"} < bundle.keys()
        drawn = bundle["application/vnd.plotly.v1+json"]
        assert [one["mode"] for one in drawn["data"]] == ["lines", "markers"]
        assert list(drawn["data"][1]["error_y"]["array"]) == [0.1, 0.2, 0.3]
        assert drawn["layout"]["xaxis"]["type"] == "log"
        assert (drawn["layout"]["shapes"][0]["x0"], drawn["layout"]["annotations"][0]["x"]) == (10, 1)

    def test_bars_lie_between_their_ends(self):
        [bars] = TestBars().bars(base=0.0).plotly().data
        assert (list(bars.y), list(bars.base), list(bars.x)) == (["one", "other"], [-0.5, 0.0], [0.5, 0.0])
