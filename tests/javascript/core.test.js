// Numbers as text, quantities from text, diagnoses, and the one special function.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load, plain } = require("./load.js");
const lambertGap = require("./lambert-gap.js");

const mc = load([]);
const TIME = { unit: "min", dim: { time: 1 } };

test("one_plus_lambertw0 agrees with thirty digits from 1e-12 to 1e4", () => {
  for (const [y, digits] of lambertGap) {
    const right = Number(digits);
    assert.ok(Math.abs(mc.one_plus_lambertw0(y) - right) <= 1e-14 * right, `y = ${y}: ${mc.one_plus_lambertw0(y)} is not ${digits}`);
  }
  assert.equal(mc.one_plus_lambertw0(0), 0);
});

test("formulas are called by address and argument name", () => {
  mc.define({ "a.ratio": { args: ["C", "M"], f: (C, M) => C / M } });
  assert.equal(mc.call("a.ratio", { M: 4, C: 2, other: 9 }), 0.5);
  assert.equal(mc.curveAlong("a.ratio", { C: 2, M: 4 }, "M")(8), 0.25);
  assert.equal(mc.curveAlong("a.ratio", { C: 2, M: 4 }, "unused")(8), 0.5);
  assert.throws(() => mc.call("a.ratio", { C: 2 }), /needs "M"/);
  assert.throws(() => mc.call("a.lost", {}), /no formula "a.lost"/);
});

test("numbers keep their digits and their groups", () => {
  const cases = [
    [61.967, 3, "62.0"], [0.1291, 3, "0.129"], [16384, 5, "16,384"], [1.2e-5, 2, "1.2·10⁻⁵"],
    [9999, 3, "10,000"], [1234, 3, "1,230"], [0, 3, "0"], [-0.5, 1, "−0.5"], [-2e9, 3, "−2.00·10⁹"],
    [0.001, 3, "0.00100"], [0.00099951, 3, "0.00100"], [0.0009994, 3, "9.99·10⁻⁴"], [9999999, 3, "1.00·10⁷"],
    [0.125, 2, "0.12"], [0.375, 2, "0.38"], [2.5, 1, "2"], [62.25, 3, "62.2"], [62.75, 3, "62.8"],
    [Infinity, 3, "–"], [NaN, 3, "–"],
  ];
  for (const [value, digits, text] of cases) assert.equal(mc.format(value, digits), text);
});

test("stated numbers stay as they were written", () => {
  assert.deepEqual([4, 0.5, 16384, -3, 2.5e-9, 1e22].map(mc.plain),
    ["4", "0.5", "16,384", "−3", "2.5·10⁻⁹", "1·10²²"]);
  assert.equal(mc.stated(200, "gpu * h"), "200\u202fGPU-hours");
  assert.equal(mc.show(3720, "min", 60), "62.0\u202fmin");
  assert.equal(mc.show(0.07, "percent", 0.01, 2), "7.0\u202f%");
  assert.equal(mc.show(3, ""), "3.00");
});

test("cents of a rounded price are true or left out", () => {
  assert.equal(mc.show(29.614, "USD"), "$29.61");
  assert.equal(mc.show(29.614, "USD", 1, 2), "$30");
  assert.equal(mc.show(90.04 / 3600, "USD/h", 1 / 3600), "$90.04 per hour");
  assert.equal(mc.show(29.614e6, "MUSD", 1e6), "$29.6\u202fmillion");
});

test("quantities are read with their unit", () => {
  const cases = [
    ["1.03 h", 3708, "time"], ["62min", 3720, "time"], [" 3720\u202fs ", 3720, "time"], ["1e3 s", 1000, "time"],
    ["1.2·10^3 s", 1200, "time"], ["1.2 × 10³ s", 1200, "time"], ["2*10⁻³ h", 7.2, "time"], [".5 h", 1800, "time"],
    ["3 GB/s", 3e9, "information/time"], ["3 GB per s", 3e9, "information/time"], ["200 gpu h", 720000, "device·time"],
    ["200 gpu·h", 720000, "device·time"], ["5 /h", 5 / 3600, "1/time"], ["5 1/h", 5 / 3600, "1/time"],
    ["4 B/(gpu·s)", 4, "information/(device·time)"], ["7 %", 0.07, ""], ["16 384", 16384, ""],
    ["−2 s²", -2, "time^2"], ["2 s^-1", 2, "1/time"], ["40 W", 40, "energy/time"], ["3 Gbit/s", 3.75e8, "information/time"],
  ];
  for (const [text, value, dimension] of cases) {
    const found = mc.parseQuantity(text);
    assert.equal(found.error, undefined, text);
    assert.ok(Math.abs(found.value - value) <= 1e-12 * Math.abs(value), `${text} gave ${found.value}`);
    assert.equal(mc.dimensionText(found.dim), dimension, text);
  }
});

test("quantities are read as people write them", () => {
  const cases = [
    ["1,024", 1024], ["1 024", 1024], ["1,234,567.5", 1234567.5], ["~ 60 min", 3600], ["10^3 s", 1000], ["1.2*10**3 s", 1200],
    ["200 GPU-hours", 720000], ["200 GPU hours", 720000], ["3 Gbps", 3.75e8], ["3 GBps", 3e9], ["3 Gb/s", 3.75e8], ["5k", 5000],
    ["5 k s", 5000], ["5 million", 5e6], ["$5", 5], ["$1,200", 1200], ["$5k", 5000], ["$2.5/h", 2.5 / 3600], ["7 $", 7], ["3 k$", 3000],
    ["$2 per GPU-hour", 2 / 3600], ["2 $/GPU-hour", 2 / 3600], ["36 token per second per GPU", 36], ["5 per cent", 0.05], ["3 hrs", 10800], ["1.2x10^3 s", 1200], ["1.2 X 10^3 s", 1200],
  ];
  for (const [text, value] of cases) {
    const found = mc.parseQuantity(text);
    assert.equal(found.error, undefined, text);
    assert.ok(Math.abs(found.value - value) <= 1e-12 * value, `${text} gave ${found.value}`);
  }
  assert.equal(mc.dimensionText(mc.parseQuantity("$2 per GPU-hour").dim), "money/(device·time)");
  for (const text of ["1,5 h", "1,02,4 s", "0,125 s", "12,34 s"]) assert.match(mc.parseQuantity(text).error, /comma/, text);
});

test("a count is a whole number, rounded as the question means it", () => {
  const judged = (given, right, whole) => mc.diagnose(given, right, [], 0.02, { dim: {}, unit: "" }, whole);
  for (const [given, right, whole] of [[56, 56.2, "down"], [57, 56.2, "up"], [13, 13.4, "near"], [14, 13.4, "near"], [15, 15, "up"]]) {
    assert.equal(judged(given, right, whole).verdict, "right", `${given} for ${right}, ${whole}`);
  }
  for (const [given, right, whole] of [[57, 56.2, "down"], [56.2, 56.2, "down"], [56, 56.2, "up"], [13.4, 13.4, "near"]]) {
    assert.match(judged(given, right, whole).text, /an integer is required: round/, `${given} for ${right}, ${whole}`);
  }
  assert.equal(judged(134, 133.3, "down").verdict, "slip");
  assert.equal(judged(12290, 12306.7, "down").verdict, "right");
});

test("a slip of units is reported only where the answer has that dimension", () => {
  const asks = (dim, unit) => ({ dim, unit });
  assert.equal(mc.diagnose(6000, 100, [], 0.01, asks({}, "")).text, "60.0 times too large");
  assert.equal(mc.diagnose(0.2, 5, [], 0.01, asks({ time: 1 }, "s")).verdict, "wrong");
  assert.match(mc.diagnose(14.1, 0.141, [], 0.01, asks({}, "%")).text, /did you mean 14.1 %/);
  assert.match(mc.diagnose(0.00141, 0.141, [], 0.01, asks({}, "%")).text, /did you mean 14.1 %/);
});

test("a slip is found in a rounded number, and none near one", () => {
  const judged = (given, right, rtol, dim) => mc.diagnose(given, right, [], rtol, { dim, unit: "", two: "2" }).text;
  assert.match(judged(0.63, 37.947, 0.02, { time: 1 }), /60 times too small/);
  assert.match(judged(2.03, 1, 0.02, {}), /a factor 2 too many/);
  assert.match(judged(2.06, 1, 0.05, {}), /2\.06 times too large/);
  assert.match(judged(0.13, 7.5, 0.03, {}), /inverse/);
});

test("an answer may be rounded to two digits in the unit in which it is typed", () => {
  const judged = (given, right, scale, mistakes = []) => mc.diagnose(given, right, mistakes, 0.001, { dim: {}, unit: "" }, "", scale).verdict;
  assert.deepEqual([judged(1.1, 1.148, 1), judged(1.1, 1.148, 0), judged(1.2, 1.148, 1), judged(1, 1.148, 1)], ["right", "wrong", "wrong", "wrong"]);
  assert.equal(judged(3960, 4133, 1 / 3600), "right"); // 1.1 h
  assert.equal(judged(1.1, 1.148, 1, [{ label: "near", value: 1.1005 }]), "mistake");
  assert.deepEqual([1, 0].map((scale) => judged(42, 60, scale, [{ label: "the 2 was dropped", value: 42.43 }])), ["mistake", "wrong"]);
});

test("what cannot be read is explained", () => {
  const cases = [
    ["", /Write a number/], ["about an hour", /Begin with a number, such as 1.5\u202fmin/], ["1,5 h", /point, not a comma/],
    ["62", /asks for a time.*such as min/], ["62 mim", /Unknown unit “mim”.*min/], ["62 MIN", /Did you mean min\?/],
    ["3 GB", /GB is an amount of information, the question asks for a time/], ["1/2 h", /not a calculation/],
    ["1e999 s", /too large/], ["1.2.3 s", /Begin with a number/], ["3 GB/s", /a data rate/], ["3 constructor", /Unknown unit “constructor”/],
  ];
  for (const [text, sentence] of cases) assert.match(mc.parseQuantity(text, TIME).error || "", sentence, text);
});

test("a quantity of another kind is answered with the unit that is wanted", () => {
  const asked = { unit: "kWh/gpu/h", dim: { energy: 1, device: -1, time: -1 } };
  const { error } = mc.parseQuantity("1.88 kWh", asked);
  assert.equal(error, `kWh is an energy, the question asks for an energy for each device-hour, in ${mc.unitText(asked.unit)} or the like.`);
  assert.equal(mc.parseQuantity(`1.88 ${mc.unitText(asked.unit)}`, asked).error, undefined);
});

test("a unit where a fraction is asked is named before the value", () => {
  const asked = { unit: "", dim: {} };
  assert.match(mc.parseQuantity("30 min", asked).error, /min is a time, the question asks for a dimensionless number/);
  assert.equal(mc.parseQuantity("13.3 %", asked).value, 0.133);
  assert.equal(mc.parseQuantity("0.133", asked).value, 0.133);
});

test("a number is diagnosed: right, usual mistake, slip, ratio, in this order", () => {
  const mistakes = [{ label: "the 2 was dropped", value: 70.7 }];
  const cases = [
    [100.9, "right", "right"], [70.7, "mistake", "the 2 was dropped"], [200, "slip", "a factor 2 too many"],
    [50, "slip", "a factor 2 was dropped"], [6000, "slip", "60 times too large"], [-100, "slip", "the sign is wrong"],
    [1e5, "slip", "a thousand times too large: a power of ten"], [0.01, "slip", "10^4 times too small: a power of ten"],
    [310, "wrong", "3.10 times too large"], [31, "wrong", "3.23 times too small"], [NaN, "wrong", "this is not a finite number"],
    [0, "wrong", "one of the two is zero, the other is not"],
  ];
  for (const [given, verdict, text] of cases) {
    assert.deepEqual(plain(mc.diagnose(given, 100, mistakes, 0.01, { ...TIME, two: "2" })), { verdict, text });
  }
  assert.match(mc.diagnose(50, 100, mistakes, 0.01, { ...TIME, two: "√2" }).text, /^it is half the right answer/);
  assert.match(mc.diagnose(200, 100, mistakes, 0.01, TIME).text, /^it is twice the right answer/);
  assert.match(mc.diagnose(1 / 0.48, 0.48).text, /the inverse/);
});

test("ticks are round, within the axis, and those of a clock on an axis of time", () => {
  const axis = (low, high, unit, log) => ({ low, high, unit, log });
  assert.deepEqual(plain(mc.ticks(axis(1, 180, "min"), 7)), [30, 60, 90, 120, 150, 180]);
  assert.deepEqual(plain(mc.ticks(axis(0, 25, "%"), 6)), [0, 5, 10, 15, 20, 25]);
  assert.deepEqual(plain(mc.ticks(axis(0, 0.3, ""), 4)), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(plain(mc.ticks(axis(0.001, 10, "", true), 6)), [0.001, 0.01, 0.1, 1, 10]);
  assert.deepEqual(plain(mc.ticks(axis(1, 30, "", true), 6)), [1, 2, 5, 10, 20]);
  assert.deepEqual(plain(mc.ticks(axis(20, 90, "", true), 6)), [20, 30, 50, 70]);
  assert.deepEqual(plain(mc.ticks(axis(1024, 65536, "", true), 3)), [2000, 20000]); // of powers there is but one
});

test("text is escaped for HTML", () => {
  assert.equal(mc.escape(`<b title="x">&</b>`), "&#60;b title=&#34;x&#34;&#62;&#38;&#60;/b&#62;");
});
