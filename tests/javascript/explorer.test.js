// The calculator as it stands in the page before any script runs, and what a moved slider changes.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");
const { formulas, explorer } = require("./young-daly.js");

const mc = load(["mc-chart.js", "mc-panels.js", "mc-explorer.js"]);
mc.define(formulas);
const at = (change) => mc.explorer.parts(explorer, { ...mc.explorer.defaults(explorer), ...change });
const text = (html) => html.replace(/<[^>]*>/g, "").replace(/\u202f/g, " ");

test("the default state is complete: sliders, sentence, chart, numbers, table", () => {
  const html = mc.explorer.html(explorer);
  assert.equal(html.match(/type="range"/g).length, 3);
  assert.equal(html.match(/type="number"/g).length, 3);
  assert.equal(html.match(/<svg/g).length, 2);
  assert.match(html, /<label for="yd-explorer-M">/);
  assert.match(text(html), /30 min is 0.48 of the optimum: too often, you pay for writes/);
  assert.match(text(html), /τ = √\(2 · 4 min · 8 h\) = 62.0 min/);
  assert.match(html, /<th scope="row">waste<\/th><td class="mc-n">16.5\u202f%<\/td><td class="mc-n">12.9\u202f%<\/td>/);
  assert.match(html, /Small C only/);
});

test("ids are unique and every label has its field", () => {
  const html = mc.explorer.html(explorer);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, id] of html.matchAll(/ for="([^"]*)"/g)) assert.ok(ids.includes(id), id);
  for (const [, pair] of html.matchAll(/aria-labelledby="([^"]*)"/g)) {
    for (const id of pair.split(" ")) assert.ok(ids.includes(id), id);
  }
});

test("words from a specification cannot become markup", () => {
  assert.doesNotMatch(mc.explorer.html(explorer), /<M>/);
  assert.match(mc.explorer.html(explorer), /the &#60;M&#62;/);
});

test("the sentence follows the state through all bands", () => {
  assert.match(text(at({ tau: 60 }).status), /60 min is 0.97 of the optimum: near-optimal/);
  assert.match(at({ tau: 60 }).status, /data-tone="good"/);
  assert.match(text(at({ tau: 120 }).status), /120 min is 1.9 of the optimum: too rarely, you pay for redone work/);
  assert.match(at({ tau: 120 }).status, /data-tone="bad"/);
});

test("an author's own sentence is used instead", () => {
  const bands = { ...explorer.bands, template: "{value} at {C} and {M}: {label}", names: ["a", "b", "c"] };
  const parts = mc.explorer.parts({ ...explorer, bands }, mc.explorer.defaults(explorer));
  assert.match(text(parts.status), /0.48 at 4 min and 8 h: too often/);
  assert.match(parts.plot, />b</);
});

test("where no marker stands at one, nothing is said to be a share of it", () => {
  const bands = { ...explorer.bands, scale: { f: "yd.ratio" } };
  const parts = mc.explorer.parts({ ...explorer, bands }, mc.explorer.defaults(explorer));
  assert.match(text(parts.status), /too often, you pay for writes/);
  assert.doesNotMatch(text(parts.status), /0.48|optimum/);
});

test("only what is asked for is drawn", () => {
  assert.equal(mc.explorer.parts(explorer, mc.explorer.defaults(explorer), ["narrow"]).plot.match(/<svg/g).length, 1);
  const bare = { ...explorer, bands: undefined, lines: [], table: { columns: [], rows: [] }, markers: [], limits: "" };
  const html = mc.explorer.html(bare);
  assert.doesNotMatch(html, /mc-status|mc-table|tabindex/);
  assert.match(html, /<svg/);
});

test("a slider step costs far less than a frame", () => {
  const state = mc.explorer.defaults(explorer);
  const begun = process.cpuUsage(); // of the processor, so that a busy machine changes nothing
  for (let i = 0; i < 200; i += 1) mc.explorer.parts(explorer, { ...state, tau: 5 + 5 * (i % 24), M: 1 + (i % 100) }, ["wide"]);
  const { user, system } = process.cpuUsage(begun);
  const each = (user + system) / 1000 / 200;
  assert.ok(each < 10, `${each} ms a step`); // a frame is 16 ms; usually this takes 0.4 ms
});

const ratio = { name: "n", label: "devices", unit: "gpu", factor: 1, low: 64, high: 16384, step: 64, default: 512, log: true };

test("a logarithmic slider has the geometric mean in its middle, and round values on its steps", () => {
  assert.equal(mc.explorer.valueOf(ratio, 0), 64);
  assert.equal(mc.explorer.valueOf(ratio, 1000), 16384);
  assert.equal(mc.explorer.valueOf(ratio, 500), 1024); // √(64 · 16384)
  assert.equal(mc.explorer.place(ratio, 1024), 500);
});

test("every press of an arrow key leads to another value, and stops at the ends", () => {
  for (const way of [1, -1]) {
    let [value, presses] = [way > 0 ? 64 : 16384, 0];
    for (let next; (next = mc.explorer.pressed(ratio, value, way)) !== value; presses++) {
      assert.ok((next - value) * way > 0 && (next - 64) % 64 === 0, `${value} to ${next}`);
      value = next;
    }
    assert.equal(value, way > 0 ? 16384 : 64);
    assert.ok(presses > 50 && presses < 120, `${presses} presses`);
  }
});

test("at most five inputs are open, the one along the chart and the guess first", () => {
  const input = (name) => ({ ...ratio, name });
  const spec = { inputs: ["a", "b", "c", "d", "e", "f", "x"].map(input), x: { name: "x" }, commit: { input: "f" } };
  const [open, folded] = mc.explorer.parted(spec).map((list) => list.map(({ name }) => name));
  assert.equal(`${open} | ${folded}`, "f,x,a,b,c | d,e");
});

test("a move is reported in one line: what was moved, and what follows", () => {
  const before = mc.explorer.defaults(explorer);
  const said = mc.panels.changed(explorer, before, { ...before, C: 8 }).replace(/\u202f/g, " ");
  assert.match(said, /from 4 min to 8 min: /);
  assert.match(said, /from 16.5 % to 29.8 %/); // 8/30 + 30/(2 · 480)
  assert.equal(mc.panels.changed(explorer, before, before), "");
});
