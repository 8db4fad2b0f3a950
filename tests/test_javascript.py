"""Protects the functions of the page: in Node each gives what Python gives, to twelve digits everywhere."""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from points import POINTS, points
from precision import TWELVE, agree, exactly, largest_term
from statements import FIRST

from mathbook import functions
from mathcore import ArgumentError, library
from mathcore.formulas import Formula

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "book" / "_static"
RUNNER = """
const fs = require("fs"), vm = require("vm");
const [plan, data, out, ...scripts] = process.argv.slice(2);
scripts.forEach((path) => vm.runInThisContext(fs.readFileSync(path, "utf8"), { filename: path }));
const raw = fs.readFileSync(data);
const given = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
const found = [];
let at = 0;
for (const [address, names, count] of JSON.parse(fs.readFileSync(plan, "utf8"))) {
  const { args, f } = mc.formula(address);
  if (args.join() !== names.join()) throw new Error(`${address} takes ${args}, not ${names}`);
  for (let i = 0; i < count; i++, at += args.length) found.push(f(...given.subarray(at, at + args.length)));
}
fs.writeFileSync(out, Buffer.from(new Float64Array(found).buffer));
"""
pytestmark = pytest.mark.node


def node():
    """Return the path of Node: the system's, or the one from the lock; without one, fail where it must be."""
    found = shutil.which("node") or shutil.which("node", path=Path(sys.executable).parent)
    if found is None and os.environ.get("CI"):
        pytest.fail("there is no Node: `make setup` brings one")
    return found or pytest.skip("there is no Node on this machine")


# ---------------------------------------------------------------- both sides


def in_python(formula, table):
    """Return the values of `compiled`, NaN where it refuses."""
    found = []
    for row in table.tolist():
        try:
            found.append(float(formula.compiled(*row)))
        except ArgumentError:
            found.append(math.nan)
    return found


def in_node(functions, tables, chapters, folder):
    """Return the values of each function at its points, all from one process of Node."""
    scripts = [STATIC / "mc-core.js", STATIC / "mc-special.js"]
    for name in chapters:
        scripts.append(folder / f"{name}.js")
        scripts[-1].write_text(functions.chapter_script(name), encoding="utf-8")
    names = {address: [v.name for v in formula.inputs] for address, formula in functions.items()}
    plan = [[address, names[address], len(tables[address])] for address in functions]
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    (folder / "runner.js").write_text(RUNNER, encoding="utf-8")
    (folder / "in").write_bytes(b"".join(np.ascontiguousarray(tables[a]).tobytes() for a in functions))
    arguments = [folder / "runner.js", folder / "plan.json", folder / "in", folder / "out", *scripts]
    done = subprocess.run([node(), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    values = struct.iter_unpack("d", (folder / "out").read_bytes())
    return {address: [next(values)[0] for _ in tables[address]] for address in functions}


def not_above_zero(formula, value, row):
    """Tell whether a value that must be positive is not, up to what its terms lose by rounding."""
    return formula.lhs.bounds[0] >= 0 and value <= TWELVE * largest_term(formula, row)


def deviations(address, formula, table, python, browser, digits=1e-12):
    """Return a line for each point at which the two sides differ."""
    wrong = []
    for row, ours, theirs in zip(table.tolist(), python, browser, strict=True):
        refused = math.isnan(ours)
        if refused:
            same = not math.isfinite(theirs) or not_above_zero(formula, theirs, row)
        else:
            same = math.isfinite(theirs) and agree(formula, theirs, ours, row, digits)
        if not same:
            at = ", ".join(f"{v.name} = {x!r}" for v, x in zip(formula.inputs, row, strict=True))
            wrong.append(f"{address} at {at}: Python {'refuses' if refused else repr(ours)}, Node {theirs!r}")
    return wrong


def compared_with_many_digits(address, formula, table, *sides):
    """Yield a line for each tenth of a table's points at which a side differs from many digits."""
    for i in range(0, min(len(table), POINTS), POINTS // 10):
        precise = exactly(formula, table[i])
        for side in sides:
            if precise is not None and not agree(formula, side[i], float(precise), table[i].tolist()):
                yield f"{address} at {table[i]}: {side[i]!r}, with many digits {float(precise)!r}"


@pytest.mark.parametrize(
    "chapter",
    [pytest.param(n, marks=[pytest.mark.slow] * (n not in FIRST)) for n in library.book.names()],
)
def test_every_function_gives_the_same_number_in_the_browser(chapter, tmp_path):
    named = functions.functions(chapter)
    functions = {a: f for i, (a, f) in enumerate(named.items()) if f not in list(named.values())[:i]}
    drawn = {address: points(formula) for address, formula in functions.items()}
    few = {a: len(good) for a, (good, _) in drawn.items() if len(good) < POINTS}
    assert few == {}, "too few points with a value"
    tables = {address: np.vstack(pair) for address, pair in drawn.items()}
    browser, wrong = in_node(functions, tables, [chapter], tmp_path), []
    for address, formula in functions.items():
        table, python = tables[address], in_python(formula, tables[address])
        refused = [math.isnan(value) for value in python]
        if any(refused[:POINTS]):
            wrong.append(f"{address}: at {table[refused.index(True)]} scalars are refused, arrays not")
        wrong += deviations(address, formula, table, python, browser[address])
        wrong += compared_with_many_digits(address, formula, table, python, browser[address])
    assert wrong == []


def test_deviation_from_many_digits_would_be_found():
    formula = library.find("young_daly.interval")
    table, _ = points(formula)
    right = in_python(formula, table)
    off = [value * (1 + 2e-12) for value in right]
    assert list(compared_with_many_digits("a", formula, table, right, right)) == []
    assert len(list(compared_with_many_digits("a", formula, table, right, off))) == 10


def test_deviation_in_the_twelfth_digit_would_be_found():
    formula = library.find("young_daly.interval")
    table, _ = points(formula, 20)
    python = in_python(formula, table)
    assert deviations("a", formula, table, python, python) == []
    assert len(deviations("a", formula, table, python, [x * (1 + 2e-12) for x in python])) == 20
    assert "Node nan" in deviations("a", formula, table, python, [math.nan] * 20)[0]
    assert "Python refuses" in deviations("a", formula, table, [math.nan] * 20, python)[0]


def test_corners_of_the_range_are_among_the_points():
    formula = library.find("young_daly.interval")
    table, _ = points(formula)
    ends = {(c, m) for c in formula.inputs[0].bounds for m in formula.inputs[1].bounds}
    assert ends <= set(map(tuple, table.tolist()))


def test_overflow_is_refused_on_both_sides():
    formula = library.find("young_daly.completion_time")
    _, bad = points(formula)
    assert len(bad) == 50 and all(math.isnan(value) for value in in_python(formula, bad))


def test_script_defines_every_formula_and_every_mistake():
    for name in FIRST:
        text = functions.chapter_script(name)
        assert text.startswith(f"// Generated from mathcore/chapters/{name}.py")
        for address, formula in functions.functions(name).items():
            assert text.count(f'"{address}": {{args: ') == 1 and isinstance(formula, Formula)


def test_missing_node_fails_where_it_must_be_and_is_skipped_elsewhere(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="there is no Node"):
        node()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        node()
