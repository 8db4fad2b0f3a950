"""Protects the simulations: they share nothing with their formulas, and find wrong ones."""

import ast
import inspect
import math
from pathlib import Path

import numpy as np
import pytest
from error_assertions import expect_error
from sample_formulas import C, M, tau, w
from sympy import Rational, exp

from mathcore import ArgumentError, DeclarationError, Formula, Quantity, Variable, find
from mathcore.chapters.young_daly import simulation as reference
from mathcore.monte_carlo import Simulation

SIMULATIONS = sorted((Path(__file__).resolve().parents[1] / "mathcore" / "chapters").glob("*/*simulation.py"))
R = Variable("R", "s", "restart", low="0 s", zero=True)
T_s = Variable("T_s", "s", "work")
T_w = Variable("T_w", "s", "wall-clock time")
right = M * exp(R / M) * (exp((tau + C) / M) - 1) * T_s / tau
GIVEN = {C: "5 min", M: "1 h", R: "10 min", T_s: "20 h", tau: "20 min"}


@pytest.mark.parametrize("name", ["six_hours", "rough_sea", "storm"])
def test_simulation_of_the_chapter_agrees_with_its_formula(name):
    simulation = find(f"young_daly.{name}")
    assert simulation.passed
    assert abs(simulation.value / simulation.exact - 1).m_as("") < 0.02
    assert simulation.formula is find("young_daly.completion_time")


@pytest.mark.parametrize(
    ("wrong", "off"),
    [
        (right.subs(R, 0), "the restart left out"),
        (2 * right, "a factor 2"),
        (right * Rational(11, 10), "ten per cent"),
        (M * exp(R / M) * (exp(tau / M) - 1) * T_s / tau, "no failure during a write"),
        (M * (exp((tau + C) / M) - 1) * T_s / tau + R * T_s / M, "a restart for each MTBF of work only"),
        (T_s * (1 + C / tau) + T_s / M * (tau / 2 + R), "the first-order model"),
    ],
    ids=lambda e: e if isinstance(e, str) else "",
)
def test_wrong_formula_is_found_out(wrong, off):
    given = {v: q for v, q in GIVEN.items() if v in wrong.free_symbols}
    simulation = Simulation(Formula(T_w, wrong), given, whole_process, runs=1500)
    assert not simulation.passed, off


def whole_process(**named):
    """Simulate all of the process, even where a formula forgets the write or the restart."""
    return reference.completion_times(**{"C": 300.0, "R": 600.0, **named})


def test_right_formula_passes_with_the_same_effort():
    assert Simulation(Formula(T_w, right), GIVEN, reference.completion_times, runs=1500).passed


def test_interval_of_confidence_is_neither_too_wide_nor_too_narrow():
    # of 200 fair simulations about 5 % must miss by two standard errors; 4 to 20 are likely
    fair = Formula(w, Rational(1, 2))
    missed = 0
    for seed in range(200):
        found = Simulation(
            fair, {}, lambda *, runs, seed: np.random.default_rng(seed).random(runs), runs=300, seed=seed
        )
        missed += abs((found.value - found.exact) / found.error).m_as("") > 2
    assert 3 <= missed <= 22


def test_error_is_the_standard_error_of_the_mean():
    found = Simulation(Formula(w, Rational(1, 2)), {}, lambda *, runs, seed: [i % 2 for i in range(runs)], runs=100)
    assert (found.value.m_as(""), found.error.m_as("")) == (0.5, pytest.approx(math.sqrt(0.25 / 99)))


def test_simulation_repeats_itself():
    first, second = (
        reference.completion_times(300.0, 3600.0, 600.0, 72000.0, 1200.0, runs=50, seed=3) for _ in range(2)
    )
    assert (first == second).all()
    assert (first != reference.completion_times(300.0, 3600.0, 600.0, 72000.0, 1200.0, runs=50, seed=4)).any()


def test_simulation_receives_givens_in_declared_units():
    received = {}

    def listen(*, runs, seed, **named):
        received.update(named)
        return [0.5] * runs

    Simulation(Formula(w, C / M), {C: "5 min", M: "1 h"}, listen).value  # noqa: B018
    assert received == {"C": 300.0, "M": 3600.0}


def test_givens_that_may_not_enter_are_refused():
    with expect_error(ArgumentError, code="missing-argument", expected="M"):
        Simulation(Formula(w, C / M), {C: "5 min"}, reference.completion_times).exact  # noqa: B018


def test_few_runs_are_refused():
    with expect_error(DeclarationError, code="out-of-range", got="99"):
        Simulation(Formula(w, C / M), {C: "5 min", M: "1 h"}, reference.completion_times, runs=99)


def test_simulation_that_returns_nan_does_not_pass():
    broken = Simulation(Formula(w, Rational(1, 2)), {}, lambda *, runs, seed: [math.nan] * runs)
    assert not broken.passed


# ---------------------------------------------------------------- the simulation itself


@pytest.mark.parametrize("path", SIMULATIONS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_simulation_imports_nothing_of_the_engine(path):
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    others = {name for name in names if name.endswith("simulation")}  # a simulation may use another
    assert {name.partition(".")[0] for name in names - others} <= {"numpy", "math", "itertools"}


def test_simulation_uses_no_closed_form():
    assert "exp(" not in inspect.getsource(reference.completion_times).replace("exponential(", "")


def test_without_failures_a_job_takes_its_work_and_its_writes():
    times = reference.completion_times(10.0, 1e15, 5.0, 300.0, 100.0, runs=20, seed=1)
    assert times == pytest.approx(330.0, rel=1e-12)


def test_short_segments_fail_as_often_as_poisson_says():
    # with free writes and restarts and tiny segments, a failure costs nothing: the time is the work
    times = reference.completion_times(0.0, 100.0, 0.0, 200.0, 0.1, runs=200, seed=2)
    assert times.mean() == pytest.approx(200.0, rel=2e-3)


def test_job_of_one_segment_takes_the_time_of_a_run_of_luck():
    # E = M (e^(s/M) − 1) for one segment s = M/2 without restart: 0.648721 M
    times = reference.completion_times(0.0, 100.0, 0.0, 50.0, 50.0, runs=40_000, seed=5)
    assert times.mean() == pytest.approx(64.8721, abs=4 * times.std() / 200)


def test_mean_of_many_values_has_the_unit_of_the_formula():
    found = find("young_daly.storm")
    assert isinstance(found.value, Quantity) and found.value.check("[time]")
