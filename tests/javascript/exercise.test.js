// Judging answers, other numbers by seed, and the seed in the address.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load, plain } = require("./load.js");
const { formulas, exercise } = require("./young-daly.js");

const mc = load(["mc-exercise.js"]);
mc.define(formulas);
const { variant, nextSeed, judge, seedOf, withSeed } = mc.exercise;

test("the right answer is right in any unit, and the computed one is printed", () => {
  for (const typed of ["1.03 h", "62 min", "3720 s", "0.0620e3 min", "61.97\u202fmin"]) {
    assert.deepEqual(plain(judge(exercise, 0, typed)), { verdict: "right", text: "Correct: the computed value is 62.0\u202fmin." }, typed);
  }
});

test("a wrong answer gets its reason", () => {
  const cases = [
    ["43.8 min", "mistake", "Not yet: the 2 under the root was dropped."], ["62 s", "slip", "Not yet: 60 times too small."],
    ["124 min", "wrong", "Not yet: it is twice the right answer; look for a factor of 2."], ["20 min", "wrong", "Not yet: 3.10 times too small."],
    ["60 min", "wrong", "Not yet: 1.03 times too small. That is close: look at the rounding."],
    ["62", "unread", /asks for a time/], ["62 GB", "unread", /GB is an amount of information/], ["", "unread", /Write a number/],
  ];
  for (const [typed, verdict, text] of cases) {
    const found = judge(exercise, 0, typed);
    assert.equal(found.verdict, verdict, typed);
    assert.match(found.text, text instanceof RegExp ? text : new RegExp(`^${text}$`), typed);
  }
});

test("the declared unit of a letter need not be the base unit", () => {
  const inHours = { ...exercise, f: "yd.hours", asked: { ...exercise.asked, factor: 1 / 60, base: 3600 }, mistakes: [] };
  mc.define({ "yd.hours": { args: ["C", "M"], f: (C, M) => Math.sqrt(2 * C * M) / 3600 } });
  assert.equal(judge(inHours, 0, "62 min").text, "Correct: the computed value is 62.0\u202fmin.");
});

test("seed 0 is the stated exercise, others are drawn and repeat", () => {
  assert.deepEqual(plain(variant(exercise, 0).text), { C: "4\u202fmin", M: "8\u202fh" });
  assert.deepEqual(plain(mc.pickIndices(7, [3, 4, 5])), plain(mc.pickIndices(7, [3, 4, 5])));
  assert.deepEqual(plain(mc.pickIndices(0, [3, 4])), [0, 0]);
  const seen = new Set(Array.from({ length: 60 }, (_, seed) => JSON.stringify(variant(exercise, seed).text)));
  assert.equal(seen.size, 6); // all of three times two
});

test("new numbers are neither those of now nor the stated ones", () => {
  for (let seed = 0, step = 0; step < 20; step++) {
    const next = nextSeed(exercise, seed);
    const [now, then, stated] = [seed, next, 0].map((each) => JSON.stringify(variant(exercise, each).text));
    assert.notEqual(then, now);
    assert.notEqual(then, stated);
    seed = next;
  }
});

test("a variant says what each usual mistake gives with its numbers", () => {
  const { wrong, env } = variant(exercise, nextSeed(exercise, 0));
  const unit = exercise.asked.unit, factor = exercise.asked.factor;
  assert.deepEqual(plain(wrong), plain(exercise.mistakes.map(({ f }) => mc.show(mc.call(f, env), unit, factor, 3))));
  assert.notDeepEqual(plain(wrong), plain(variant(exercise, 0).wrong));
});

test("a variant is judged by its own numbers", () => {
  const seed = nextSeed(exercise, 0);
  const { answer, text } = variant(exercise, seed);
  assert.notDeepEqual(plain(text), plain(variant(exercise, 0).text));
  assert.equal(judge(exercise, seed, answer).verdict, "right");
  const single = { ...exercise, givens: { C: { ...exercise.givens.C, values: [4] }, M: { ...exercise.givens.M, values: [8] } } };
  assert.equal(nextSeed(single, 0), 0);
});

test("the address carries a seed for the page or for one exercise", () => {
  assert.equal(seedOf("7", "yd.ex"), 7);
  assert.equal(seedOf("7,yd.ex:3", "yd.ex"), 3);
  assert.equal(seedOf("yd.other:3", "yd.ex"), 0);
  for (const broken of [null, "", "x", "-1", "1.5", "yd.ex:", "yd.ex:y"]) assert.equal(seedOf(broken, "yd.ex"), 0);
  assert.equal(withSeed(null, "yd.ex", 2), "yd.ex:2");
  assert.equal(withSeed("yd.ex:2,yd.b:1", "yd.ex", 0), "yd.b:1");
  assert.equal(withSeed("yd.ex:2", "yd.ex", 0), null);
  assert.equal(seedOf(withSeed("5", "yd.ex", 0), "yd.ex"), 0); // stated numbers on a page of variants
});
