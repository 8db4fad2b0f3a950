"""Protects facts: no number from outside without its source, its date, and how far it was traced."""

import dataclasses
import importlib
import sys
from collections import Counter

import pytest
from error_assertions import expect_error
from mathbook import chapter_sources

from mathcore import ArgumentError, DeclarationError, Fact, Formula, find, quantity, read_facts, walk
from mathcore.arguments import magnitude
from mathcore.errors import ENGINE, ROOT
from mathcore.library import current_library
from mathcore.statements import statements_in

DEVICE = quantity("1 gpu").dimensionality
STATED = {"given": "9.1 min", "meaning": "optimum", "kind": "paper", "source": "daly2006", "date": "2006"}


@pytest.mark.parametrize("field", ["meaning", "source", "date"])
def test_fact_that_nobody_could_look_up_is_refused(field):
    with expect_error(DeclarationError, "`9.1 min`", code="missing", expected=field):
        Fact(**{**STATED, field: " "})


@pytest.mark.parametrize(("field", "value"), [("kind", "rumour"), ("kind", ""), ("certainty", "surely")])
def test_unknown_kind_or_certainty_is_refused_with_those_that_are_known(field, value):
    expected = "paper" if field == "kind" else "secondary"
    with expect_error(DeclarationError, f"{field} `{value}`", code="not-a-choice", got=value, expected=expected):
        Fact(**{**STATED, field: value})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("9.1 min", "9.1\u202fmin"), ("117 min", "117\u202fmin"), ("200 gpu h", "200\u202fGPU-hours"),
        ("6.90 %", "6.90\u202f%"), ("419", "419"), ("0.50 s", "0.50\u202fs"),
        ("10000000 USD", "$10\u202fmillion"), ("0.05 s", "0.05\u202fs"), ("0.050 s", "0.050\u202fs"),
        ("0.0065 /d", "0.0065 per day"), ("1,234.5 W", "1,234.5\u202fW"),
        ("$2.50/h", "$2.50 per hour"), ("+1.5GB", "1.5\u202fGB"),
    ],
)  # fmt: skip
def test_text_keeps_the_digits_of_the_source(given, text):
    assert Fact(**{**STATED, "given": given}).text() == text


def test_converted_fact_is_rounded_as_any_number():
    assert Fact(**STATED).text("s") == "546\u202fs"


def test_fact_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Fact(**STATED).given = "9.2 min"


class TestReader:
    """Facts of data files, with seeded errors: each is named by file and line."""

    GOOD = """# prices of the workshop
[shop]
kind = "estimate"
source = "daly2006"
date = "2024"
rent = ["2 USD/h", "rent of one machine", "server, not device", { at = "page 3", certainty = "memory" }]
life = ["3 year", "life of one machine",
    { date = "2025", note = "as written off" }]
"""

    @pytest.fixture
    def read(self, tmp_path, monkeypatch):
        """Return a function that reads a module's facts from a text beside it."""
        (tmp_path / "workshop.py").write_text("from mathcore import read_facts\n")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        importlib.import_module("workshop")

        def reader(text):
            (tmp_path / "workshop.facts.toml").write_text(text, "utf-8")
            return read_facts("workshop")

        yield reader
        del sys.modules["workshop"]

    def test_row_takes_what_its_table_shares_and_keeps_its_own(self, read):
        rent = read(self.GOOD).rent
        assert (rent.given, rent.meaning, rent.qualifier) == ("2 USD/h", "rent of one machine", "server, not device")
        assert (rent.kind, rent.source, rent.date) == ("estimate", "daly2006", "2024")
        assert (rent.at, rent.certainty) == ("page 3", "memory")
        life = read(self.GOOD)["life"]
        assert (life.date, life.note, life.at) == ("2025", "as written off", "")

    def test_place_of_a_fact_is_its_line(self, read, tmp_path):
        facts = read(self.GOOD)
        assert [fact.where for fact in facts.values()] == [f"{tmp_path}/workshop.facts.toml:{n}" for n in (6, 7)]

    def test_module_of_another_package_has_its_facts_as_its_names(self, read, tmp_path):
        read(self.GOOD)
        module = "facts = read_facts(__name__)\n__getattr__ = facts.__getattr__\nrenamed = facts.rent\n"
        (tmp_path / "workshop.py").write_text(f"from mathcore import read_facts\n{module}")
        importlib.invalidate_caches()
        workshop = importlib.reload(sys.modules["workshop"])
        assert workshop.rent.value.to("USD/d").magnitude == pytest.approx(48)
        assert list(statements_in(workshop)) == ["workshop.rent", "workshop.life"]
        assert workshop.rent.address == "workshop.rent" and workshop.rent.per("gpu").address == "workshop.rent"
        with pytest.raises(AttributeError, match=r"nothing is called `rend` here; did you mean `rent`"):
            workshop.rend  # noqa: B018  looking is the act

    @pytest.mark.parametrize(
        ("was", "is_", "line", "message"),
        [
            ("{ at =", "{ att =", 6, "did you mean `at`?"),
            ('date = "2024"', "date = 2024", 5, "`date` is 2024; write it in quotes"),
            ('source = "daly2006"\n', "", 5, "the fact `2 USD/h` has no source"),
            ('"estimate"', '"estimation"', 6, "kind `estimation` of `rent of one machine`"),
            ('["2 USD/h", "rent', '[2, "rent', 6, '`rent` is [2, \'rent of one machine\''),
            ('"life of one machine",', "", 7, 'write ["value", "meaning"]'),
            ("[shop]", "", 3, "`kind` is in no [table]"),
            ("life =", "rent =", 8, "this is no TOML: Cannot overwrite a value"),
            ("life =", "[car]\nrent =", 8, "`rent` is stated at"),
            ("life =", "items =", 7, "`items` cannot be the name of a statement"),
        ],
    )  # fmt: skip
    def test_wrong_row_is_refused_with_its_line(self, read, was, is_, line, message):
        assert was in self.GOOD
        with pytest.raises(DeclarationError) as refusal:
            read(self.GOOD.replace(was, is_, 1))
        assert f"workshop.facts.toml:{line}: " in str(refusal.value) and message in str(refusal.value)

    def test_all_wrong_rows_are_named_at_once(self, read):
        with pytest.raises(DeclarationError) as refusal:
            read(self.GOOD.replace("at =", "att =").replace("note =", "nota ="))
        assert [line.rpartition("workshop.facts.toml:")[2][0] for line in str(refusal.value).splitlines()] == ["6", "7"]

    def test_missing_file_is_refused(self):
        with expect_error(DeclarationError, code="unreadable", got="mathcore/chapters/nowhere.facts.toml"):
            read_facts("mathcore.chapters.nowhere")

    def test_unit_that_does_not_exist_is_refused_at_its_line(self, read, tmp_path):
        with expect_error(
            DeclarationError, "rent of one machine", code="unknown-unit", got="hh", place=False
        ) as caught:
            read(self.GOOD.replace("2 USD/h", "2 USD/hh"))
        assert caught.raised.where == f"{tmp_path}/workshop.facts.toml:6"

    def test_name_that_the_module_states_as_well_is_refused(self, read, tmp_path):
        read(self.GOOD)
        module = sys.modules["workshop"]
        module.facts = read_facts("workshop")
        module.rent = Fact(**STATED, where=f"{tmp_path}/workshop.py:9")
        with pytest.raises(DeclarationError, match=r"workshop\.py:9: `workshop\.rent` is stated at .*toml:6 as well"):
            statements_in(module)


class TestFactsOfTheBook:
    def test_every_fact_is_on_the_line_that_it_names(self):
        for address, fact in walk():
            if isinstance(fact, Fact):
                path, _, line = fact.where.rpartition(":")
                text = (ROOT / path).read_text("utf-8").splitlines()[int(line) - 1]
                assert fact.given in text and address.rpartition(".")[2].startswith(text.split(" =")[0].split(",")[0])

    def test_no_chapter_states_a_fact_in_python(self):
        """A number from a source is in a file that can be corrected without Python."""
        stating = [path.name for path in (ENGINE / "chapters").rglob("*.py") if " Fact(" in path.read_text("utf-8")]
        assert stating == []

    def test_changed_data_file_is_another_source_of_its_chapter(self, tmp_path):
        chapter, own, other = tmp_path / "one.py", tmp_path / "one.facts.toml", tmp_path / "two.facts.toml"
        for path, text in [(chapter, "facts = 1\n"), (own, "[a]\n"), (other, "[b]\n")]:
            path.write_text(text)
        assert "h100_bf16 = [" in chapter_sources.chapter_text(chapter_sources.chapter_files()["hardware"])
        assert "llama31_8b" in chapter_sources.chapter_text(chapter_sources.chapter_files()["models"])
        assert chapter_sources.chapter_text(chapter).split() == ["facts", "=", "1", "[a]"]
        own.write_text("[c]\n")
        assert "[c]" in chapter_sources.chapter_text(chapter)


def is_cured_per_device(error, fact, dimension):
    """Return whether a mismatch is cured by `.per("gpu")`, having seen that it is one of the device, or is not."""
    given = fact.value.dimensionality
    per_device = given / dimension == DEVICE and "[device]" not in given
    cured = '.per("gpu")' in error.hint
    assert not (per_device and fact.scope == "device")
    assert cured or (error.code in ("dimension", "missing-unit") and not per_device)
    return cured


@pytest.mark.slow
def test_facts_of_the_book_fit_its_formulas_or_the_error_names_the_cure():
    """Give each fact to an input of each dimension: a mismatch by the device alone is fixed as the hint states."""
    inputs = {v.dimension: (v, f) for _, f in current_library.walk() if isinstance(f, Formula) for v in f.inputs}
    facts = {address: fact for address, fact in current_library.walk() if isinstance(fact, Fact)}
    fitting, per_device_rates, cured = Counter(), Counter(), Counter()
    mismatched = {}  # (unit, scope, dimension) → whether the hint is `.per("gpu")`: it depends on nothing else
    for address, fact in facts.items():
        given = fact.value.dimensionality
        for dimension, (variable, formula) in inputs.items():
            key = fact.value.units, fact.scope, dimension
            try:
                if key not in mismatched:
                    magnitude(formula, variable, fact)
                    if fact.scope == "device" and given / dimension == DEVICE:
                        per_device_rates[address] += 1
                    assert given == dimension or not given or per_device_rates[address]
                    fitting[address] += 1
            except ArgumentError as error:
                if error.code != "not-integer":
                    mismatched[key] = is_cured_per_device(error, fact, dimension)
            if mismatched.get(key):
                magnitude(formula, variable, fact.per("gpu"))
                cured[address] += 1
    assert per_device_rates["hardware.h100_bf16"] == cured["hardware.dgx_h100_power"] == 1
    assert len(per_device_rates) > 30 and len(cured) + len(per_device_rates) > 100
    # measured for one system, and compared with it alone
    assert {each for each in facts if not fitting[each]} == {
        f"energy.measured.{name}" for name in ("few_energy", "many_energy", "few_energy_b200", "many_energy_b200")
    }


def test_peak_of_a_device_goes_into_a_formula_per_device():
    given = dict(k="6 FLOP/token", N="70e9", v="400000 token/s", n=1024)
    peak = find("hardware.h100_bf16")
    # by hand: 6 · 70e9 · 4e5 over 1024 · 989.4e12 (or 989.5e12, as the data sheet rounds)
    for stated in (peak, peak.per("gpu")):
        assert find("training.mfu").at(P=stated, **given).m_as("") == pytest.approx(0.1658, rel=2e-3)
    both = find("training.mfu").at(P=[peak, find("hardware.a100_bf16")], **given).m_as("")
    assert both[0] / both[1] == pytest.approx(312 / 989.4)
    with expect_error(ArgumentError, code="dimension", got="989.4 TFLOP / s", hint="`989.4 TFLOP/s/gpu`"):
        find("training.mfu").at(P=peak.value, **given)  # a quantity does not say of what it is
    assert find("roofline.ridge").at(P=peak, b="3.35 TB/s").m_as("FLOP/B") == pytest.approx(989.4 / 3.35)


def test_power_of_a_server_goes_into_no_formula_per_device():
    with expect_error(ArgumentError, code="dimension", got="10.2 kW", hint='.per("gpu")'):
        find("energy.it_energy").at(p=find("hardware.dgx_h100_power"), G="8 gpu h")
    assert find("energy.it_energy").at(p=find("hardware.h100_tdp"), G="8 gpu h").m_as("kWh") == pytest.approx(5.6)


def test_unknown_scope_is_refused():
    with expect_error(DeclarationError, code="not-a-choice", got="chip", expected="device"):
        Fact("1 W", "power", kind="paper", source="daly2006", date="2006", scope="chip")
