"""Protects what chapters and other people's tools import: these names, and no others."""

import subprocess
import sys
import tomllib
import types
from pathlib import Path

import mathcore

ROOT = Path(__file__).resolve().parents[1]


def test_list_of_names_is_what_can_be_imported():
    found = {
        n for n, v in vars(mathcore).items() if not n.startswith("_") and not isinstance(v, types.ModuleType)
    }
    assert sorted(found) == sorted(mathcore.__all__) == mathcore.__all__


def test_list_of_names_is_that_of_the_contract():
    # design §6 and what the chapters are made of; a name may be added here, never silently taken away
    assert set(mathcore.__all__) >= {
        "ArgumentError", "Axis", "Bands", "Curve", "DeclarationError", "Derivation", "Diagnosis",
        "DimensionError", "Example", "Exercise", "Explorer", "Fact", "Formula", "Marker", "MathcoreError",
        "Quantity", "Row", "Simulation", "Slider", "Step", "StepError", "UnknownAddress", "Variable",
        "Verdict", "address_of", "diagnose", "find", "quantity", "show", "walk",
    }  # fmt: skip


def test_every_name_says_what_it_is_for():
    own = [name for name in mathcore.__all__ if name != "Quantity"]  # pint's
    assert [name for name in own if not (getattr(mathcore, name).__doc__ or "").strip()] == []


def test_contract_of_a_formula():
    formula = mathcore.find("young_daly.interval")
    for name in ("inputs", "kind", "conditions", "at", "solve_for", "latex", "python", "javascript"):
        assert hasattr(formula, name)
    assert all(hasattr(formula.inputs[0], name) for name in ("name", "unit", "meaning", "low", "high"))


def test_version_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert mathcore.__version__ == project["version"]


def test_importing_everything_is_quiet():
    words = [
        sys.executable,
        "-W",
        "error",
        "-c",
        "from mathcore import *; import mathcore.chapters.young_daly",
    ]
    told = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
