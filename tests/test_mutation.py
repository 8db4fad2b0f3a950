"""Protects the counting of slips: a slip is found by what finds it, and one without effect is called so."""

import ast
from dataclasses import replace

import pytest
import run_mutation_tests
from mutation import ENGINE, KINDS, ROOT, Mutant, mistyped, sample, sites

import mathcore.chapters

CHAPTER = ENGINE / "chapters" / "young_daly" / "__init__.py"
FACTS = ENGINE / "chapters" / "young_daly" / "facts.toml"
QUESTIONS = ENGINE / "chapters" / "lab_checkpoint_reckoning" / "questions.toml"
CALCULATORS = ENGINE / "chapters" / "young_daly" / "calculators.toml"
DIAGNOSIS = ENGINE / "teaching" / "diagnosis.py"
pytestmark = pytest.mark.slow  # each mutant is a process, and all sources are read for them


def slip(path, was, now, statement="seeded"):
    """Return the mutant that writes `now` for the first `was` of a file."""
    start = path.read_text("utf-8").index(was)
    return Mutant("formula", path, statement, start, start + len(was), now)


def fate(*seeded):
    """Return what becomes of slips, and by what."""
    return {mutant.now: (became, by) for mutant, became, by in run_mutation_tests.run(list(seeded), 1)}


class TestSites:
    @pytest.mark.parametrize("kind", KINDS)
    def test_every_kind_has_slips_that_change_the_file_at_one_place(self, kind):
        for mutant in sample(20, 1, (kind,)):
            text = mutant.path.read_text("utf-8")
            assert text != mutant.text == text[: mutant.start] + mutant.now + text[mutant.end :]
            if mutant.path.suffix == ".py":
                assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(text))

    def test_sample_depends_on_the_seed_alone_and_shares_fairly(self):
        first, second = sample(50, 1), sample(50, 2)
        assert first == sample(50, 1) != second
        assert {kind: 5 for kind in KINDS} == {k: sum(m.kind == k for m in first) for k in KINDS}

    def test_one_digit_is_mistyped(self):
        for number in ("989.4", "7", "1.5e3"):
            changed = mistyped(number, "name")
            assert len(changed) == len(number) and sum(map(str.__ne__, number, changed)) == 1

    def test_kind_of_a_mutant_follows_the_statement(self):
        found = {m.statement: m.kind for kind in ("formula", "unit") for m in sites()[kind] if m.path == CHAPTER}
        assert found["write_share"] == "formula" and found["tau"] == "unit"
        assert {m.kind for m in sites()["mistake"] if m.statement == "ex_interval"} == {"mistake"}

    def test_relations_of_options_slip_and_nothing_else_in_their_files(self):
        found = [m for m in sites()["option"] if m.path == QUESTIONS]
        lines = QUESTIONS.read_text("utf-8").splitlines()
        assert {m.statement for m in found} == {"often", "growth", "every", "why_async"}
        assert {lines[m.line - 1].partition(" = ")[0] for m in found} == {"correct_if"}
        made = {f"{m.was} → {m.now}" for m in found}
        assert {"< → >", "<= → >=", "9 → 10", "/ → *"} <= made

    def test_included_and_excluded_files_exist(self):
        left_out = [f"tests/test_{name}.py" for name in run_mutation_tests.LEFT_OUT.split()]
        asked = [*run_mutation_tests.BY_CHAPTER, *run_mutation_tests.BY_TABLE, run_mutation_tests.SEEDED]
        assert [name for name in left_out + asked if not (ROOT / name).is_file()] == []


@pytest.mark.filterwarnings("ignore")  # of threads at a fork, in newer Pythons
@pytest.mark.extended
@pytest.mark.slow
class TestFate:
    @pytest.fixture(scope="class", autouse=True)
    def read(self):
        """Read the book as far as it is needed."""
        run_mutation_tests.prepare(["before_you_start", "young_daly"])

    def test_slip_without_effect_prints_the_same(self):
        found = fate(slip(CHAPTER, "2 * C * M", "C * 2 * M"), slip(CHAPTER, "# --- symbols", "# --- signs"))
        assert set(found.values()) == {("same", "")}

    def test_slips_are_killed_by_the_first_that_finds_them(self):
        found = fate(
            slip(CHAPTER, "1 / (2 * M) - C / tau**2", "1 / (3 * M) - C / tau**2"),
            slip(CHAPTER, "C / tau + L / M", "C / tau + L * M"),
        )
        assert [became for became, _ in found.values()] == ["killed", "killed"]
        refuted, undimensional = (by for _, by in found.values())
        assert "C/tau**2 + 1/(3*M)" in refuted and "young_daly/__init__.py:" in refuted
        assert undimensional.startswith("DimensionError: ")

    def test_changed_data_reach_the_statements_that_use_them(self):
        text = FACTS.read_text("utf-8")
        number = text[text.index("lab_write = ") :].split('"')[1]
        ((became, by),) = fate(slip(FACTS, f'lab_write = ["{number}"', 'lab_write = ["9 min"')).values()
        assert became == "killed" and "young_daly.lab_write" in by

    def test_what_nothing_finds_survives(self, monkeypatch):
        monkeypatch.setattr(run_mutation_tests, "failing", lambda *files, **more: "")
        title, other = "How often should you checkpoint?", "How often must you checkpoint?"
        assert fate(slip(CALCULATORS, title, other)) == {other: ("survived", "")}

    def test_slip_in_the_core_is_found_by_its_own_tests(self):
        ((became, by),) = fate(slip(DIAGNOSIS, "a factor 2 was dropped", "a factor 3 was dropped")).values()
        assert became == "killed" and by.startswith("tests/test_")

    def test_nothing_of_it_stays_in_this_process(self):
        before = mathcore.chapters.young_daly
        fate(slip(CHAPTER, "C / tau + L / M", "C / tau + L * M"))
        assert mathcore.chapters.young_daly is before and "C / tau + L / M" in CHAPTER.read_text("utf-8")


class TestReport:
    found = tuple((replace(slip(CHAPTER, "tau", "t"), kind="unit", now=f"t{i}"), "killed", "a test") for i in range(3))
    survivor = (slip(CHAPTER, "tau", "x"), "survived", "")

    def test_table_counts_by_kind_and_lists_survivors(self, monkeypatch):
        monkeypatch.setattr(run_mutation_tests, "known", dict)
        lines = run_mutation_tests.report([*self.found, self.survivor])
        assert lines[1].split() == ["formula", "1", "0", "0", "1", "0.0%"]
        assert lines[2].split() == ["unit", "3", "0", "3", "0", "100.0%"]
        assert lines[3].split()[-1] == "75.0%" and "[tau → x]" in lines[4] and lines[4].endswith(": reason unknown")

    def test_known_reason_is_printed(self, monkeypatch):
        monkeypatch.setattr(
            run_mutation_tests, "known", lambda: {(self.survivor[0].place, self.survivor[0].slip): "it may"}
        )
        assert run_mutation_tests.report([self.survivor])[-1].endswith(": it may")

    def test_every_reason_is_of_a_slip_that_can_be_made(self):
        possible = {(m.place, m.slip) for found in sites().values() for m in found}
        assert run_mutation_tests.known().keys() <= possible
