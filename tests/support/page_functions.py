"""The code of the pages as a browser has it, run in Node; the functions of a chapter, all in one process."""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mathbook.functions import chapter_script

STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
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


def node():
    """Return the path of Node: the system's, or the one from the lock."""
    found = shutil.which("node") or shutil.which("node", path=Path(sys.executable).parent)
    return found or pytest.fail("there is no Node: `make setup` brings one, and `-m 'not node'` does without")


def run_node(*arguments, stdin=None, folder=None):
    """Return what Node prints when run with these arguments, which it must end without an error."""
    done = subprocess.run([node(), *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def in_page(expression, scripts, data=None):
    """Return the value of a JavaScript expression of `data`, after scripts: names in `_static`, or their text."""
    texts = [(STATIC / each).read_text("utf-8") if each.endswith(".js") else each for each in scripts]
    source = [*texts, f"const data = {json.dumps(data)};", f"console.log(JSON.stringify({expression}));"]
    return json.loads(run_node("-", stdin="\n".join(source)))


def in_node(tables, symbols, chapter, folder):
    """Return `{address: values}` at the points of `tables`; `symbols` are the arguments in Python's order."""
    script = folder / f"{chapter}.js"
    script.write_text(chapter_script(chapter), encoding="utf-8")
    plan = [[address, symbols[address], len(points)] for address, points in tables.items()]
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    (folder / "runner.js").write_text(RUNNER, encoding="utf-8")
    (folder / "in").write_bytes(b"".join(np.ascontiguousarray(points).tobytes() for points in tables.values()))
    files = [folder / name for name in ("runner.js", "plan.json", "in", "out")]
    scripts = [STATIC / "mc-core.js", STATIC / "mc-special.js", script]
    run_node(*files, *scripts)
    values = struct.iter_unpack("d", (folder / "out").read_bytes())
    return {address: [next(values)[0] for _ in points] for address, points in tables.items()}
