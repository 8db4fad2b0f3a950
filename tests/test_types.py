"""Protects the types that an editor and mypy see: of what is found, and of what it gives."""

import re
import subprocess
import sys

import pytest
from error_assertions import expect_error

from mathcore import ArgumentError, Fact, Formula, find
from mathcore.errors import ROOT

# Two runs of mypy at once may break the cache that they share, so one process runs all tests of this module.
pytestmark = pytest.mark.xdist_group("types")

VALID = """
from mathcore import Fact, Formula, Quantity, find, search, walk
from mathcore.statements import Statement

interval: Quantity = find("young_daly.interval").at(C="4 min", M="8 h")
sweep: Quantity = find("young_daly.interval").at(C=["4 min", "8 min"], M=interval)
formula: Formula = find("young_daly.interval", Formula)
minutes: float = formula.at({formula.inputs[0]: "4 min"}, M="8 h").m_as("min")
text: str = find("hardware.h100_bf16", Fact).per("gpu").text()
value: Quantity = find("hardware.h100_bf16").value
first: str = search("KV cache")[0].address
places: list[str] = [statement.where for address, statement in walk() if address.startswith("serving")]
statement: Statement = find("young_daly.interval")
"""
# What a type checker must refuse, each line with the code of mypy.
INVALID = """
from mathcore import Formula, find, search

seconds: int = find("young_daly.interval").at(C="4 min", M="8 h")  # assignment
seconds = find("young_daly.interval", Formula).at(C="4 min", M="8 h")  # assignment
find("young_daly.interval").at(C=None, M="8 h")  # arg-type
find("young_daly.interval").att(C="4 min")  # attr-defined
find("young_daly.interval", Formula).value  # attr-defined
find(3)  # call-overload
hit: Formula = search("KV cache")  # assignment
search("KV cache", "3")  # arg-type
"""


@pytest.fixture(scope="module")
def mypy_errors(tmp_path_factory, pytestconfig):
    """Return the errors of mypy in both texts, `{file: {(line, code)}}`, with the settings of another project."""
    folder = tmp_path_factory.mktemp("types")
    for name, text in (("valid", VALID), ("invalid", INVALID)):
        (folder / f"{name}.py").write_text(text, "utf-8")
    options = ["--no-error-summary", "--show-traceback", "--cache-dir", str(ROOT / "_build/cache/mypy-tests")]
    asked = [sys.executable, "-m", "mypy", *options]
    result = subprocess.run([*asked, "valid.py", "invalid.py"], cwd=folder, capture_output=True, text=True)
    assert not result.stderr
    lines = re.findall(r"^(valid|invalid)\.py:(\d+): error: .*\[([\w-]+)\]$", result.stdout, re.M)
    return {name: {(int(line), code) for file, line, code in lines if file == name} for name in ("valid", "invalid")}


def test_what_is_right_passes(mypy_errors):
    assert mypy_errors["valid"] == set()


def test_what_is_wrong_is_an_error_on_its_line(mypy_errors):
    marked = enumerate(INVALID.splitlines(), 1)
    assert mypy_errors["invalid"] == {(number, line.split("# ")[1]) for number, line in marked if "# " in line}


def test_statement_of_another_kind_is_refused():
    assert find("young_daly.interval", Formula) is find("young_daly.interval")
    with expect_error(ArgumentError, code="wrong-type", got="Formula", expected="Fact"):
        find("young_daly.interval", Fact)
