"""Protects what calculators remember between two moves: they draw what they would draw without it."""

import json
import subprocess

import pytest
from mathbook.functions import chapter_script
from page_functions import STATIC, node
from test_errors_in_browser import CALCULATORS, numbers

from mathcore import find
from mathcore.library import current_library

STATES = 20
FEW = 5  # calculators with which the fast set makes do
SCRIPTS = ("core", "special", "chart", "panels", "explorer")
# A calculator goes through its states as under a hand, and each drawing is compared with that of a calculator
# that has never drawn: a copy of the specification. Every second move changes one input alone.
RUNNER = """
const fs = require("fs"), vm = require("vm");
const [asked, ...scripts] = process.argv.slice(2);
scripts.forEach((path) => vm.runInThisContext(fs.readFileSync(path, "utf8"), { filename: path }));
const drawn = (spec, state, layout) => JSON.stringify(mc.explorer.parts(spec, state, [layout]));
const found = JSON.parse(fs.readFileSync(asked, "utf8")).map(([spec, states]) => {
  let state = mc.explorer.defaults(spec);
  return states.flatMap((next, i) => {
    const one = spec.inputs[i % spec.inputs.length].name;
    return [{ ...state, [one]: next[one] }, next].map((each) => (state = each)).filter((each) => {
      const layout = i % 7 ? "wide" : "narrow";
      return drawn(spec, each, layout) !== drawn(structuredClone(spec), each, layout);
    });
  });
});
process.stdout.write(JSON.stringify(found));
"""

pytestmark = pytest.mark.node


def differing_states(addresses, folder, alter=str, count=STATES):
    """Return `{address: states}` at which calculators draw something else than new ones do.

    `alter` changes the scripts of the pages; `count` says how many states each goes through.
    """
    calculators = [find(address) for address in addresses]
    chapters = sorted({current_library.split(f.address)[0] for calculator in calculators for f in calculator.formulas})
    texts = {f"mc-{name}.js": alter((STATIC / f"mc-{name}.js").read_text("utf-8")) for name in SCRIPTS}
    texts |= {f"{chapter}.js": chapter_script(chapter) for chapter in chapters}
    cases = [(calculator.spec(), list(map(numbers, calculator.states(count, seed=7)))) for calculator in calculators]
    for name, text in (texts | {"runner.js": RUNNER, "asked.json": json.dumps(cases)}).items():
        (folder / name).write_text(text, encoding="utf-8")
    files = [folder / name for name in ("runner.js", "asked.json", *texts)]
    done = subprocess.run([node(), *map(str, files)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(addresses, json.loads(done.stdout), strict=True))


@pytest.mark.slow
def test_calculators_draw_what_new_ones_would(tmp_path):
    found = differing_states(CALCULATORS, tmp_path)
    assert len(found) > 40 and {address: states for address, states in found.items() if states} == {}


def test_some_calculators_draw_what_new_ones_would(tmp_path):
    found = differing_states(CALCULATORS[:: len(CALCULATORS) // FEW], tmp_path, count=3)
    assert len(found) >= FEW and {address: states for address, states in found.items() if states} == {}


SAME = "every((value, i) => Object.is(value, was.values[i]))"
FORGOTTEN = {
    "the inputs of curves": SAME.replace("Object", "i > 1 || Object"),  # they come after the axis and its factor
    "all but the thing itself": "every(() => true)",
}


@pytest.mark.parametrize("instead", FORGOTTEN.values(), ids=FORGOTTEN)
def test_calculator_that_forgets_is_found(tmp_path, instead):
    assert (STATIC / "mc-core.js").read_text("utf-8").count(SAME) == 1
    [states] = differing_states(["young_daly.explorer"], tmp_path, lambda text: text.replace(SAME, instead)).values()
    assert states
