"""The functions of the pages as a browser has them: run in Node, all of a chapter in one process."""

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
    done = subprocess.run([node(), *map(str, (*files, *scripts))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    values = struct.iter_unpack("d", (folder / "out").read_bytes())
    return {address: [next(values)[0] for _ in points] for address, points in tables.items()}
