// Load the browser's own files into a fresh room of Node, as a page does: one after the other.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const STATIC = path.join(__dirname, "..", "..", "book", "_static");

const UNITS = {
  s: { dim: { time: 1 }, factor: 1 }, min: { dim: { time: 1 }, factor: 60 },
  h: { dim: { time: 1 }, factor: 3600 }, B: { dim: { information: 1 }, factor: 1 },
  GB: { dim: { information: 1 }, factor: 1e9 }, Gbit: { dim: { information: 1 }, factor: 1.25e8 },
  gpu: { dim: { device: 1 }, factor: 1 }, W: { dim: { energy: 1, time: -1 }, factor: 1 }, kWh: { dim: { energy: 1 }, factor: 3.6e6 },
  USD: { dim: { money: 1 }, factor: 1 }, kUSD: { dim: { money: 1 }, factor: 1000 }, hours: { dim: { time: 1 }, factor: 3600 },
  token: { dim: { text: 1 }, factor: 1 }, second: { dim: { time: 1 }, factor: 1 }, hour: { dim: { time: 1 }, factor: 3600 }, GPU: { dim: { device: 1 }, factor: 1 },
  "%": { dim: {}, factor: 0.01 },
};
const SLIPS = [
  { kind: "2", factor: 2, large: "a factor 2 too many", small: "a factor 2 was dropped" },
  { kind: "time", factor: 60, large: "60 times too large", small: "60 times too small" },
];

/** Return the `mc` of the named files; `room` holds what a browser would bring. */
function load(names, room = {}) {
  const page = vm.createContext({ console, URL, ...room });
  const run = (name) => vm.runInContext(fs.readFileSync(path.join(STATIC, name), "utf8"), page, { filename: name });
  run("mc-core.js");
  run("mc-special.js");
  Object.assign(page.mc, { units: UNITS, slips: SLIPS, powers: { 3: "a thousand" } });
  names.forEach(run);
  return page.mc;
}

/** Return a value of that room as one of this room, so that deepEqual compares only contents. */
const plain = (value) => JSON.parse(JSON.stringify(value));

module.exports = { load, plain, STATIC };
