// What a figure says at the pointer: curves between their points, points where they are near.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");

const mc = load(["mc-figures.js"]);
const data = { x: { label: "time", unit: "s", low: 0, high: 10 }, y: { label: "share", unit: "%" }, series: [
  { label: "line", x: [2, 4], y: [10, 30] },
  { label: "points", x: [3, 9], y: [50, 60], points: true },
] };

test("a curve is read between its points, a set at a near one, nothing where nothing is", () => {
  assert.deepEqual([...mc.readout(data, 3, 100)], ["time: 3.00\u202fs", "line: 20.0\u202f%", "points: 50.0\u202f%"]);
  assert.deepEqual([...mc.readout(data, 2, 100)], ["time: 2.00\u202fs", "line: 10.0\u202f%", "points: 50.0\u202f%"]); // 10 px off
  assert.deepEqual([...mc.readout(data, 9.1, 100)], ["time: 9.10\u202fs", "points: 60.0\u202f%"]);
  assert.deepEqual([...mc.readout(data, 6, 100)], []);
  assert.deepEqual([...mc.readout(data, 1, 1000)], []);
});

test("a lone curve has the name of its axis, a gap has no value", () => {
  const lone = { ...data, series: [{ x: [1, 2, 3], y: [1, null, 3] }] };
  assert.deepEqual([...mc.readout(lone, 3, 100)].slice(1), ["share: 3.00\u202f%"]);
  assert.deepEqual([...mc.readout(lone, 1.5, 100)], []);
});
