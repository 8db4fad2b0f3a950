// Cards, bars, choices and failures of a calculator; above all: a way out that is offered really cures.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");
const { formulas, explorer } = require("./young-daly.js");

const mc = load(["mc-chart.js", "mc-panels.js", "mc-explorer.js"]);
mc.define(formulas);
mc.define({ // by hand: a write of size/bandwidth times the stalled share must take less than a budget
  "t.stall": { args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b },
  "t.gap": { signed: true, args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b - 10 },
  "t.enough": { args: ["V", "s"], f: (V, s) => (s * V) / 10 },
  "t.small": { args: ["b", "s"], f: (b, s) => (10 * b) / s },
});
const input = (name, unit, factor, low, high, step, value) =>
  ({ name, label: name, html: name, unit, factor, low, high, step, default: value });
const spec = {
  ...explorer, address: "t.explorer", bands: undefined, lines: [], table: { columns: [], rows: [] },
  inputs: [...explorer.inputs, input("V", "TB", 1e12, 0.1, 5, 0.1, 2), input("b", "GB/s", 1e9, 50, 2000, 50, 100),
    { ...input("s", "%", 0.01, 2, 100, null, 100), options: [{ label: "synchronous", value: 100 }, { label: "asynchronous", value: 2 }] }],
  cards: [{ label: "stall", f: "t.stall", unit: "s", factor: 1, digits: 3, edges: [10, 30], labels: ["short", "long", "too long"], severities: ["good", "warn", "bad"] }],
  levels: [{ label: "budget", at: { input: "M" }, severity: "bad", vertical: false }],
  panels: [{ title: "What stalls", unit: "s", factor: 1, best: "least", levels: [{ label: "write", at: { input: "C" }, severity: "bad" }],
    bars: [{ label: "now", f: "t.stall", unit: "s", factor: 1 }, { label: "cured", f: "t.gap", unit: "s", factor: 1 }] }],
  failures: [{ title: "Stalled", violation: { f: "t.gap" }, text: "{V} take {stall}.", slots: { stall: { f: "t.stall", unit: "s", factor: 1 } },
    remedies: [{ text: "shrink to {to}", sets: "V", to: { f: "t.small" } }, { text: "buy {to}", sets: "b", to: { f: "t.enough" } },
      { text: "go {to}", sets: "s", to: 2 }] }],
};
const plain = (html) => html.replace(/<[^>]*>/g, " ").replace(/\u202f/g, " ").replace(/ +/g, " ");
const at = (change) => mc.explorer.parts(spec, { ...mc.explorer.defaults(spec), ...change });

test("a card says in words how good its figure is", () => {
  assert.match(plain(at({}).cards), /stall 20.0 s long/);
  assert.match(at({ b: 2000 }).cards, /data-tone="good"/);
});

test("a figure may break before its unit, and nowhere else", () => {
  assert.match(at({}).cards, /20\.0\u202f<wbr>s</);
  const large = { ...spec, cards: [{ ...spec.cards[0], factor: 0.001 }] };
  assert.match(mc.explorer.parts(large, mc.explorer.defaults(large)).cards, />20,000\u202f<wbr>s</);
});

test("beside cards, lines and rows stands where the model ends, once, with the figures it concerns", () => {
  const warned = { ...spec, lines: explorer.lines, table: explorer.table };
  mc.define({ "yd.interval": { ...formulas["yd.interval"], limits: [[(C, M) => C <= M / 25, "Outside C ≤ M / 25: too long."]] },
    "t.stall": { args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b, limits: [[(V, b, s) => s > 0.5, "Outside s > 1/2: also written."]] } });
  const said = (change) => mc.explorer.parts(warned, { ...mc.explorer.defaults(warned), ...change }).cautions;
  assert.equal(said({}), "");
  assert.match(plain(said({ s: 2 })), /Outside s &#62; 1\/2: also written. This concerns stall, now\./);
  assert.match(plain(said({ C: 30 })), /Outside C ≤ M \/ 25: too long. This concerns tau_Y\./);
  assert.equal(said({ C: 30, s: 2 }).match(/mc-validity-warning/g).length, 2);
});

test("without a value there is a dash, and the reason in words", () => {
  mc.define({ "t.stall": { args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b, holds: [[(V, b) => b >= V / 20, "This holds only for: b ≥ V / 20."]] } });
  const beyond = at({ V: 5, b: 50 });
  assert.match(plain(beyond.cards), /stall – s/);
  assert.match(plain(beyond.cautions), /No value of stall, now\. This holds only for: b ≥ V \/ 20\./);
  assert.match(plain(beyond["panel-0"]), /now – s .*cured \d/);
  assert.equal(at({}).cautions, "");
  mc.define({ "t.stall": { args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b } });
});

test("a way out into a state without a value is none", () => {
  mc.define({ "t.gap": { signed: true, args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b - 10, holds: [[(V, b) => b < 150, "only below"]] } });
  const offered = mc.panels.remediesOf(spec, mc.explorer.defaults(spec), spec.failures[0]).filter(({ sets }) => sets === "b");
  assert.ok(offered.every(({ value }) => value === undefined));
  mc.define({ "t.gap": { signed: true, args: ["V", "b", "s"], f: (V, b, s) => (s * V) / b - 10 } });
});

test("a choice is a group of radio buttons with a name", () => {
  const html = mc.explorer.html(spec);
  assert.match(html, /<fieldset class="mc-choice" data-input="s"><legend>s<\/legend>/);
  assert.match(html, /value="100" checked> synchronous/);
  assert.equal(html.match(/type="radio"/g).length, 2);
});

test("the best of the bars is said, and limits stand beside them", () => {
  assert.match(plain(at({})["panel-0"]), /now 20.0 s .*cured 10.0 s, the least/);
  assert.match(plain(at({})["panel-0"]), /write: 240 s/);
});

test("a level is drawn and described", () => {
  assert.match(at({ M: 1 }).plot, /budget/);
});

test("a failure is there exactly where its violation is above zero", () => {
  assert.match(plain(at({}).failures), /Stalled .*2 TB take 20.0 s/);
  assert.equal(at({ b: 200 }).failures, ""); // 10 s: not more than 10 s
  assert.notEqual(at({ b: 150 }).failures, "");
});

test("every way out that can be taken cures, on the steps of its slider", () => {
  let seen = 0;
  for (const V of [0.3, 1.1, 2, 3.7, 5]) for (const b of [50, 100, 150, 350]) {
    const state = { ...mc.explorer.defaults(spec), V, b };
    if (!mc.panels.isFailing(spec, spec.failures[0], state)) continue;
    for (const { sets, value } of mc.panels.remediesOf(spec, state, spec.failures[0])) {
      if (value === undefined) continue;
      seen += 1;
      assert.ok(!mc.panels.isFailing(spec, spec.failures[0], { ...state, [sets]: value }), `${V} ${b} ${sets}`);
    }
  }
  assert.ok(seen > 20);
});

test("a way out that asks for more than it must is brought down to the least that cures", () => {
  const more = { ...spec.failures[0], remedies: [{ text: "buy {to}", sets: "b", to: 350 }] };
  const state = mc.explorer.defaults(spec), [found] = mc.panels.remediesOf(spec, state, more);
  const { step } = spec.inputs.find(({ name }) => name === "b");
  assert.ok(found.value < 350 && !mc.panels.isFailing(spec, more, { ...state, b: found.value }));
  assert.ok(mc.panels.isFailing(spec, more, { ...state, b: found.value - step }), "a step less would not do");
});

test("the ways are ranked, and one that is out of reach says so without a button", () => {
  const ways = mc.panels.remediesOf(spec, { ...mc.explorer.defaults(spec) }, spec.failures[0]);
  assert.deepEqual(Array.from(ways, ({ sets }) => sets), ["s", "V", "b"]);
  const far = { ...spec, inputs: spec.inputs.map((each) => (each.name === "b" ? { ...each, high: 150 } : each)) };
  const state = { ...mc.explorer.defaults(far) };
  assert.match(mc.panels.failures(far, state), /buy 200.*Beyond the slider’s range/s);
  assert.equal(mc.panels.failures(far, state).match(/mc-way/g).length, 2);
});

test("a choice that already stands there is not listed as a way out", () => {
  const state = { ...mc.explorer.defaults(spec), s: 2, b: 50, V: 5 };
  assert.deepEqual(Array.from(mc.panels.remediesOf(spec, state, spec.failures[0]), ({ sets }) => sets).sort(), ["V", "b"]);
});

test("a seeded wrong way out is not offered", () => {
  const wrong = { ...spec.failures[0], remedies: [{ text: "buy {to}", sets: "b", to: { f: "t.small" } }] }; // a size for a bandwidth
  const found = mc.panels.remediesOf(spec, mc.explorer.defaults(spec), wrong);
  assert.equal(found.length, 1);
  assert.ok(found[0].value === undefined || !mc.panels.isFailing(spec, wrong, { ...mc.explorer.defaults(spec), b: found[0].value }));
});

test("a way that does not cure, though its value is within reach, is not listed", () => {
  const vain = { ...spec.failures[0], remedies: [...spec.failures[0].remedies, { text: "stay at {to}", sets: "b", to: 50 }] };
  const ways = mc.panels.remediesOf(spec, mc.explorer.defaults(spec), vain);
  assert.equal(ways.filter(({ says }) => says.startsWith("stay")).length, 0);
  assert.equal(ways.length, spec.failures[0].remedies.length);
});

test("one line counts limits, missing values and ranges of validity", () => {
  const line = (found, change) => plain(mc.panels.notes(spec, { ...mc.explorer.defaults(spec), ...change }, found)).trim();
  const beyond = { said: "Outside b > 1.", refused: false, of: ["stall"] }, refused = { said: "Only for b > 0.", refused: true, of: ["stall", "gap"] };
  assert.match(line([beyond], { b: 200 }), /^△ Outside the range of validity: “stall”$/);
  assert.match(line([refused, beyond], { b: 200 }), /^✕ No value of 2 figures · △ Outside the range of validity: “stall”$/);
  assert.match(line([]), /^(✕ Stalled|✓ No limit exceeded)$/);
  assert.match(plain(mc.panels.notes(explorer, mc.explorer.defaults(explorer), [])).trim(), /^✓ Within the range of validity$/);
});
