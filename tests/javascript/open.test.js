// Reading expressions, and judging expressions, estimates and designs.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load, plain } = require("./load.js");

const mc = load(["mc-open.js"]);
const { judge, parse } = mc.open;
const at = { C: 240, M: 28800, tau: 3600, n_k: 3 };
const value = (text) => parse(text, Object.keys(at))(at);

test("expressions are read with the precedence of arithmetic, as people write them", () => {
  const cases = [["2*C+M", 29280], ["-C^2", -57600], ["2^3^2", 512], ["C/M/2", 240 / 28800 / 2], ["2 C M", 2 * 240 * 28800],
    ["2(C + M)", 58080], ["√(2·C·M)", Math.sqrt(2 * 240 * 28800)], ["τ/2", 1800], ["max(C, tau) - min(C, tau)", 3360], ["n_k²", 9],
    ["C**-1", 1 / 240], ["exp(-C/M)", Math.exp(-240 / 28800)], ["ln(e)", 1], ["1.5e2 C", 36000], [".5 C", 120]];
  for (const [text, right] of cases) assert.ok(Math.abs(value(text) - right) <= 1e-12 * Math.abs(right), `${text}: ${value(text)}`);
});

test("unreadable input is reported, and nothing is computed", () => {
  const cases = [["", /Write an expression/], ["2*", /ends too early/], ["(C", /“\)” is missing/], ["C)", /left over/], ["CM", /write C\*M/],
    ["Q + C", /none of the symbols/], ["2 $ C", /cannot be read/], ["sqrt C", /“\(” is missing/], ["*C", /cannot stand/],
    ["constructor", /none of the symbols/], ["__proto__", /none of the symbols/]];
  for (const [text, message] of cases) {
    const spec = { kind: "derive", symbols: [{ name: "C", dim: {} }, { name: "M", dim: {} }], points: [[1, 2]], right: [1], mistakes: [], dim: {}, stated: [["1", "2"]] };
    const found = judge(spec, text);
    assert.equal(found.verdict, "unread", text);
    assert.match(found.text, message, text);
  }
});

const points = [[240, 28800], [60, 90000], [600, 14400]];
const root = (k) => points.map(([C, M]) => Math.sqrt(k * C * M));
const interval = { kind: "derive", asked: "an interval", dim: { time: 1 }, points, stated: points.map(([C, M]) => [`${C} s`, `${M} s`]),
  symbols: [{ name: "C", dim: { time: 1 } }, { name: "M", dim: { time: 1 } }], right: root(2), mistakes: [{ label: "the 2 was lost", values: root(1) }] };

test("an expression is right if it agrees at every point, however it is written", () => {
  for (const typed of ["sqrt(2*C*M)", "sqrt(2)*C^0.5*M^(1/2)", "C*sqrt(2*M/C)", "exp(0.5*ln(2*C*M))"]) assert.equal(judge(interval, typed).verdict, "right", typed);
});

test("a wrong expression gets its reason: known mistake, unit, constant factor, worst point", () => {
  const cases = [["sqrt(C*M)", "mistake", /the 2 was lost/], ["2*C*M", "wrong", /powers of time/], ["3*sqrt(2*C*M)", "wrong", /constant factor is wrong, 3/],
    ["sqrt(2*C*M) - C", "wrong", /at C = 600 s, M = 14400 s it is 0\.856/], ["sqrt(C - M)", "wrong", /without a value/]];
  for (const [typed, verdict, text] of cases) {
    const found = judge(interval, typed);
    assert.equal(found.verdict, verdict, typed);
    assert.match(found.text, text, typed);
  }
});

test("an estimate is judged by its factor", () => {
  const spec = { kind: "estimate", right: 7200, factor: 2, asked: { unit: "h", factor: 3600, dim: { time: 1 }, two: "" } };
  const cases = [["3 h", "right"], ["70 min", "right"], ["5 h", "wrong"], ["120 h", "slip"], ["2 GB", "unread"], ["-1 h", "wrong"]];
  for (const [typed, verdict] of cases) assert.equal(judge(spec, typed).verdict, verdict, typed);
});

test("a slip of units is reported in an estimate too, whose assumptions differ from ours", () => {
  const spec = { kind: "estimate", right: 7200, factor: 2, asked: { unit: "h", factor: 3600, dim: { time: 1 }, two: "" } };
  const cases = [["80 h", /60 times too large/], ["3 min", /60 times too small/], ["6.5e6 s", /prefix .* off by 1,000/], ["8 s", /prefix .* off by 1,000/]];
  for (const [typed, words] of cases) {
    const found = judge(spec, typed);
    assert.equal(found.verdict, "slip", typed);
    assert.match(found.text, words, typed);
    assert.match(found.text, /Check the units/);
  }
  for (const typed of ["15 h", "25 h", "17 min", "600 h"]) assert.equal(judge(spec, typed).verdict, "wrong", typed);
  const count = { ...spec, asked: { unit: "", factor: 1, dim: {}, two: "" } };
  assert.equal(judge(count, "432000").verdict, "wrong"); // 60 times a number that is no time
});

test("a design is right within the tolerance of the optimum, costs and gains alike", () => {
  const spec = { kind: "design", levers: [{ label: "a", settings: ["1", "2"] }, { label: "b", settings: ["x", "y"] }], constraints: ["memory"],
    costs: [10, 10.3, 20, null], broken: [[], [], [], []], texts: ["10 s", "10.3 s", "20 s", ""], best: 10, within: 0.05 };
  const verdicts = [[0, 0], [0, 1], [1, 0], [1, 1]].map((chosen) => judge(spec, chosen).verdict);
  assert.deepEqual(plain(verdicts), ["right", "right", "wrong", "wrong"]);
  assert.match(judge(spec, [1, 0]).text, /50 % better/);
  assert.match(judge({ ...spec, broken: [[], [], [0], []] }, [1, 0]).text, /violates: memory/);
  assert.equal(judge(spec, [0, NaN]).verdict, "unread");
  const gain = { ...spec, costs: [-10, -9.8, -8, null], best: -10 };
  assert.deepEqual(plain([[0, 1], [1, 0]].map((chosen) => judge(gain, chosen).verdict)), ["right", "wrong"]);
  assert.match(judge(gain, [1, 0]).text, /25 % better/);
});
