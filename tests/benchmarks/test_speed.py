"""Measures speed next to the same computation by hand; nothing here is asserted on time.

Run by `pytest tests/benchmarks --benchmark-enable --benchmark-only`.
"""

import ast
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mathbook.unused import find_declarations, root_addresses

from mathcore import Quantity, find, quantity

pytestmark = pytest.mark.slow  # in `make test` they show that they run
ROOT = Path(__file__).resolve().parents[2]
WRITE, MTBF = 240.0, 28_800.0
SWEEP = np.linspace(60.0, 3600.0, 1_000_000)


@pytest.fixture(scope="module")
def interval():
    formula = find("young_daly.interval")
    formula.compiled(WRITE, MTBF)
    return formula


def by_hand(write, mtbf):
    return math.sqrt(2 * write * mtbf)


# ---------------------------------------------------------------- one interval


@pytest.mark.benchmark(group="one interval, from floats")
def test_floats_by_hand(benchmark):
    assert benchmark(by_hand, WRITE, MTBF) == pytest.approx(3718.064012)


@pytest.mark.benchmark(group="one interval, from floats")
def test_floats_compiled(benchmark, interval):
    assert benchmark(interval.compiled, WRITE, MTBF) == pytest.approx(3718.064012)


@pytest.mark.benchmark(group="one interval, from quantities")
def test_quantities_by_hand_in_pint(benchmark):
    write, mtbf = quantity("4 min"), quantity("8 h")
    found = benchmark(lambda: ((2 * write * mtbf) ** 0.5).to_base_units())
    assert found.magnitude == pytest.approx(3718.064012)


@pytest.mark.benchmark(group="one interval, from quantities")
def test_quantities_at(benchmark, interval):
    write, mtbf = quantity("4 min"), quantity("8 h")
    assert benchmark(lambda: interval.at(C=write, M=mtbf)).m_as("s") == pytest.approx(3718.064012)


@pytest.mark.benchmark(group="one interval, from texts")
def test_texts_at(benchmark, interval):
    assert benchmark(lambda: interval.at(C="4 min", M="8 h")).m_as("s") == pytest.approx(3718.064012)


# ---------------------------------------------------------------- a million intervals


@pytest.mark.benchmark(group="a sweep of a million, from floats")
def test_sweep_by_hand_in_numpy(benchmark):
    assert benchmark(lambda: np.sqrt(2 * SWEEP * MTBF)).shape == SWEEP.shape


@pytest.mark.benchmark(group="a sweep of a million, from floats")
def test_sweep_compiled(benchmark, interval):
    assert benchmark(interval.compiled, SWEEP, MTBF).shape == SWEEP.shape


@pytest.mark.benchmark(group="a sweep of a million, from quantities")
def test_sweep_of_quantities_by_hand_in_pint(benchmark):
    write, mtbf = Quantity(SWEEP, "s"), quantity("8 h")
    assert benchmark(lambda: ((2 * write * mtbf) ** 0.5).to_base_units()).shape == SWEEP.shape


@pytest.mark.benchmark(group="a sweep of a million, from quantities")
def test_sweep_of_quantities_at(benchmark, interval):
    write = Quantity(SWEEP, "s")
    assert benchmark(lambda: interval.at(C=write, M="8 h")).shape == SWEEP.shape


# ---------------------------------------------------------------- whole processes


def run(text):
    subprocess.run([sys.executable, "-c", text], cwd=ROOT, check=True)


@pytest.mark.benchmark(group="import, whole processes", min_rounds=7)
def test_import_of_sympy_and_pint(benchmark):
    benchmark(run, "import sympy, pint")


@pytest.mark.benchmark(group="import, whole processes", min_rounds=7)
def test_import_of_mathcore(benchmark):
    benchmark(run, "import mathcore")


@pytest.mark.benchmark(group="import, whole processes", min_rounds=3)
def test_import_of_a_chapter(benchmark):
    benchmark(run, "import mathcore; mathcore.find('young_daly.interval')")


# ---------------------------------------------------------------- a million exact optima, by the Lambert function


@pytest.mark.benchmark(group="a million exact optima")
def test_optima_by_hand_in_scipy(benchmark):
    lambertw = pytest.importorskip("scipy.special").lambertw
    found = benchmark(lambda: MTBF * (1 + lambertw(-np.exp(-1 - SWEEP / MTBF)).real))
    assert found.shape == SWEEP.shape


@pytest.mark.benchmark(group="a million exact optima")
def test_optima_compiled(benchmark):
    assert benchmark(find("young_daly.optimum").compiled, SWEEP, MTBF).shape == SWEEP.shape


# ---------------------------------------------------------------- a build with nothing to do, and what is unused


@pytest.mark.benchmark(group="up to date, whole processes", min_rounds=3)
def test_import_of_the_build(benchmark):
    benchmark(run, "import mathbook.build")


@pytest.mark.node
@pytest.mark.xdist_group("tiny book")
@pytest.mark.benchmark(group="up to date, whole processes", min_rounds=3)
def test_build_of_a_site_that_is_up_to_date(benchmark, project):
    code, output = project.build("good")
    assert code == 0, output
    code, output = benchmark(project.build)
    assert code == 0 and "up to date" in output, output


@pytest.mark.benchmark(group="unused statements")
def test_parse_of_the_chapters(benchmark):
    sources = [path.read_text("utf-8") for path in (ROOT / "mathcore" / "chapters").rglob("*.py")]
    benchmark(lambda: [ast.parse(source) for source in sources])


@pytest.mark.benchmark(group="unused statements")
def test_statements_of_the_book(benchmark):
    assert benchmark(find_declarations, ROOT)


@pytest.mark.benchmark(group="unused statements")
def test_roots_of_the_book(benchmark):
    assert benchmark(root_addresses, ROOT, find_declarations(ROOT))
