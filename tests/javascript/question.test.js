// Questions and labs: the right option follows the numbers, the ledger keeps and gives back what was done.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load, plain } = require("./load.js");
const { formulas, explorer } = require("./young-daly.js");

const room = { addEventListener() {}, dispatchEvent() {}, Event: class {}, document: { querySelector: () => null, readyState: "loading" },
  localStorage: { shelf: {}, getItem(key) { return this.shelf[key] ?? null; }, setItem(key, value) { this.shelf[key] = value; }, removeItem(key) { delete this.shelf[key]; } } };
const mc = load(["mc-store.js", "mc-chart.js", "mc-panels.js", "mc-explorer.js", "mc-question.js", "mc-lab.js"], room);
mc.define(formulas);
mc.define({
  "t.q#0": { args: ["tau"], f: (tau) => (tau < 3600 ? 1 : 0) },
  "t.q#1": { args: ["tau"], f: (tau) => (tau >= 3600 ? 1 : 0) },
  "t.half": { args: ["tau"], f: (tau) => tau / 2 },
});
const question = { address: "t.q", title: "t", purpose: "prediction", of: "t.e", givens: { tau: { value: 1800, unit: "min", factor: 60 } },
  slots: { half: { f: "t.half", unit: "min", factor: 60, digits: 3 } },
  options: [{ text: "{tau} is short", feedback: "half of it is {half}", when: "t.q#0" }, { text: "{tau} is long", feedback: "{half}", when: "t.q#1" }] };

test("the right option and all words follow the numbers of now", () => {
  assert.equal(mc.question.right(question), 0);
  assert.equal(mc.question.right(question, { tau: 7200 }), 1);
  const [first, second] = mc.question.answers(question, { tau: 7200 });
  assert.equal(first.says, "120\u202fmin is short");
  assert.equal(first.feedback, "half of it is 60.0\u202fmin");
  assert.deepEqual([first.right, second.right], [false, true]);
});

test("a committed point is judged by what it loses above the best one", () => {
  const spec = { ...explorer, commit: { input: "tau", f: "yd.interval", loss: { f: "yd.waste" }, bound: 0.065 } };
  const state = mc.explorer.defaults(spec);
  // C = 4 min, M = 8 h: at x times √(2CM) = 62.0 min the loss is (x + 1/x)/2 of the least
  assert.match(mc.question.judged(spec, state).text, /computed are 62.0\u202fmin: you lose 27\u202f% more than at the best\.$/);
  assert.deepEqual([30, 45, 60, 85, 90].map((tau) => mc.question.judged(spec, { ...state, tau }).right), [false, true, true, true, false]);
  assert.match(mc.question.judged(spec, { ...state, tau: 45 }).text, /5.2\u202f% more.*up to 6.5\u202f% counts as right/);
  const whole = { ...spec, commit: { ...spec.commit, whole: true } };
  assert.match(mc.question.judged(whole, state).text, /27\u202f%/);
});

test("outcomes are formulas at the state of their calculator", () => {
  const lab = { parts: [{ address: explorer.address, kind: "explorer", after: ["t.q"] }],
    outcomes: [{ label: "half", of: explorer.address, f: "t.half", unit: "min", factor: 60, digits: 3 }] };
  const calculators = [{ spec: explorer, state: { ...mc.explorer.defaults(explorer), tau: 50 } }];
  assert.deepEqual(plain(mc.lab.outcomes(lab, calculators)), { figures: [{ label: "half", text: "25.0\u202fmin" }], failures: [], waiting: 0 });
  const sealed = mc.lab.outcomes(lab, calculators, () => false);
  assert.deepEqual(plain(sealed), { figures: [], failures: [], waiting: 1 }, "nothing computed before the answer");
});

test("an outcome beyond its model says so, in the status line by the bound alone", () => {
  const lab = { parts: [], outcomes: [{ label: "half", of: explorer.address, f: "t.bounded", unit: "min", factor: 60, digits: 3 }] };
  mc.define({ "t.bounded": { args: ["tau"], f: (tau) => tau / 2, limits: [[(tau) => tau < 3000, "Outside tau < 50 min: too long."]],
    holds: [[(tau) => tau < 6000, "This holds only for: tau < 100 min."]] } });
  const at = (tau) => mc.lab.outcomes(lab, [{ spec: explorer, state: { ...mc.explorer.defaults(explorer), tau } }]).figures[0];
  assert.deepEqual(plain(at(40)), { label: "half", text: "20.0\u202fmin" });
  assert.deepEqual(plain(at(60)), { label: "half", text: "30.0\u202fmin", note: "Outside tau < 50 min: too long." });
  assert.equal(mc.lab.brief(at(60)), "30.0\u202fmin (outside tau < 50 min)");
  assert.deepEqual(plain(at(110)), { label: "half", text: "–\u202fmin", note: "This holds only for: tau < 100 min." });
});

test("a calculator starts from the ledger on its own steps and within its range", () => {
  const [input] = explorer.inputs; // M: 1 to 100 h
  const spec = { inputs: [input], start: { [input.name]: { of: "t.other", input: "M", factor: 60 } } };
  assert.deepEqual(plain(mc.lab.taken(spec, spec.start, { "t.other": { M: 500 } })), { [input.name]: 8 });
  assert.deepEqual(plain(mc.lab.taken(spec, spec.start, { "t.other": { M: 1e9 } })), {}); // another fleet
  assert.deepEqual(plain(mc.lab.taken(spec, spec.start, { "t.other": { M: "much" } })), {});
  assert.deepEqual(plain(mc.lab.taken(spec, spec.start, {})), {});
});

const made = (choice, more = {}) => ({ choice, says: "B", right: false, context: "", when: "2026-01-01T00:00:00.000Z", ...more });

test("the first commitment of each context stays, later ones are added", () => {
  let context = "small";
  mc.labOf = () => ({ context });
  mc.ledger.commit("t.q", { kind: "question" }, { choice: 1, says: "B", reason: "it seems so" });
  mc.ledger.commit("t.q", { kind: "question" }, { choice: 0, says: "A" });
  context = "large";
  mc.ledger.commit("t.q", { kind: "question" }, { choice: 0, says: "A" });
  assert.deepEqual(plain(mc.ledger.made("t.q").map(({ choice }) => choice)), [0]);
  context = "small";
  assert.deepEqual(plain(mc.ledger.made("t.q").map(({ choice, reason }) => [choice, reason])), [[1, "it seems so"], [0, null]]);
  for (let i = 0; i < 100; i++) mc.ledger.commit("t.q", { kind: "question" }, { choice: i % 2, says: "A" });
  const kept = mc.ledger.of("t.q").made;
  assert.ok(kept.length <= 60 && kept[0].reason === "it seems so" && kept.some((each) => each.context === "large"));
  mc.labOf = () => undefined;
});

test("a choice is judged with the numbers of its moment, not with those of now", () => {
  const now = mc.question.answers(question, { tau: 7200 });
  const [verdict, text] = mc.question.verdict(question, [made(0, { at: { tau: 1800 } })], now);
  assert.equal(verdict, "right");
  assert.match(text, /half of it is 15.0.*With the numbers of now it would be B/);
  assert.match(mc.question.verdict(question, [made(1, { at: { tau: 1800 } }), made(0, { at: { tau: 1800 } })], now)[1], /Your first answer was B/);
});

test("an option is known by its key, and in older ledgers by its place at that time", () => {
  const [first, second] = question.options;
  const keyed = { ...question, options: [{ ...first, key: "short" }, { ...second, key: "long" }] };
  const grown = { ...keyed, options: [{ ...second, key: "new" }, keyed.options[1], keyed.options[0]] };
  const place = (spec, more) => mc.question.place(spec, { ...made(0), ...more });
  assert.deepEqual([place(keyed, { choice: 1 }), place(keyed, { choice: 0, option: "long" })], [1, 1]);
  assert.deepEqual([place(grown, { option: "short" }), place(grown, { option: "gone" }), place(keyed, { choice: 7 })], [2, -1, -1]);
  const now = mc.question.answers(grown, { tau: 1800 });
  assert.equal(mc.question.verdict(grown, [made(0, { option: "short", at: { tau: 1800 } })], now)[0], "right");
});

test("damaged and forged ledgers are refused with a reason, older ones are renewed", () => {
  const wrap = (entry, version = 3) => JSON.stringify({ version, entries: { a: entry } });
  for (const [damaged, reason] of [["{", /not JSON/], [`{"version":4}`, /no ledger of version 3/],
    [`{"version":3,"entries":{"a":{"when":"x"}}}`, /entry of a is damaged/], [`{"version":3,"entries":[]}`, /no ledger/],
    [wrap({ kind: "question", made: [made(1, { when: "2099-01-01T00:00:00Z" })] }), /entry of a is damaged/],
    [wrap({ kind: "question", made: [made(-1)] }), /entry of a is damaged/],
    [wrap({ kind: "lab", when: "2099-01-01" }), /entry of a is damaged/]]) {
    assert.throws(() => mc.ledger.parse(damaged), reason);
  }
  const old = mc.ledger.parse(wrap({ kind: "question", choice: 1, says: "B: so", right: true, when: "2026-01-01" }, 1), (address) => address);
  assert.deepEqual(plain(old.a.made), [{ choice: 1, says: "B: so", right: true, context: "", when: "2026-01-01" }]);
  const older = { a: { kind: "lab", when: "2026-01-01" } }, newer = { a: { kind: "lab", when: "2026-02-01" } };
  assert.deepEqual(plain(mc.ledger.merged(older, newer)), newer);
  assert.deepEqual(plain(mc.ledger.merged(newer, older)), newer);
  const both = mc.ledger.merged({ a: { kind: "question", made: [made(1)] } }, { a: { kind: "question", made: [made(1), made(0)] } });
  assert.equal(both.a.made.length, 2, "nothing that was committed is lost or counted twice");
});
