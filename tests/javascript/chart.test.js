// Charts as text: curves stay inside, names overlap nothing, at both widths and at the extremes.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");
const { formulas, explorer } = require("./young-daly.js");

const mc = load(["mc-chart.js", "mc-panels.js", "mc-explorer.js"]);
mc.define(formulas);

const attributes = (svg, tag) => [...svg.matchAll(new RegExp(`<${tag} ([^>]*)>([^<]*)`, "g"))].map(([, text, inside]) =>
  ({ inside, ...Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])) }));

/** Return the boxes of all words of a chart, by the width of the widest common font. */
const boxes = (svg) => attributes(svg, "text").map(({ inside, x, y, "text-anchor": anchor, class: kind }) => {
  const text = inside.replace(/&#\d+;/g, "x");
  const w = [...text].reduce((sum, sign) => sum + (/[iljtfr., \u202f]/.test(sign) ? 4.2 : /[mwMW%]/.test(sign) ? 11.8 : 7.6), 0);
  const left = x - { start: 0, middle: w / 2, end: w }[anchor];
  return { text, kind, left, right: left + w, top: y - 9, bottom: +y + 1 };
});

function collisions(svg) {
  const all = boxes(svg);
  return all.flatMap((a, i) => all.slice(i + 1).filter((b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map((b) => `${a.text} / ${b.text}`));
}

const charts = (state) => ["wide", "narrow"].map((layout) =>
  mc.explorer.parts(explorer, { ...mc.explorer.defaults(explorer), ...state }, [layout]).plot);
const STATES = [1, 3, 8, 30, 100].flatMap((M) => [0.5, 4, 30].flatMap((C) => [5, 35, 60, 120].map((tau) => ({ M, C, tau }))));

test("no two words of a chart overlap and none leaves it", () => {
  for (const state of STATES) {
    for (const svg of charts(state)) {
      const [width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg).slice(1).map(Number);
      assert.deepEqual(collisions(svg), [], JSON.stringify(state));
      for (const { text, left, right, top, bottom } of boxes(svg)) {
        assert.ok(left > -2 && right < width + 2 && top > -1 && bottom < height + 1, `${text} at ${JSON.stringify(state)}`);
      }
    }
  }
});

test("curves stay inside the plot and are drawn with few points", () => {
  for (const state of STATES) {
    for (const svg of charts(state)) {
      const [left, right] = /data-plot="([\d.]+) ([\d.]+)/.exec(svg).slice(1).map(Number);
      for (const { d } of attributes(svg, "path").filter((path) => /mcc-curve/.test(path.class))) {
        const points = d.slice(1).split("L").map((pair) => pair.split(" ").map(Number));
        assert.ok(points.length < 150, `${points.length} points`);
        assert.ok(points.every(([x, y]) => x >= left - 1 && x <= right + 1 && y >= 47 && y < 400), d);
      }
    }
  }
});

test("every curve that is seen has its name, every band that is wide enough too", () => {
  for (const svg of charts({})) {
    const names = boxes(svg).filter(({ kind }) => /mcc-name/.test(kind)).map(({ text }) => text).join(" ");
    for (const name of ["total", "writes", "redone", "work"]) assert.match(names, new RegExp(name));
    assert.match(svg, />near-optimal</);
  }
});

test("a value above the chart is said, not drawn away", () => {
  const [wide] = charts({ M: 1, C: 30, tau: 5 });
  assert.match(wide, /your interval, above/);
  const capped = { ...explorer, y: { ...explorer.y, high: 50 } };
  const { plot } = mc.explorer.parts(capped, { M: 1, C: 30, tau: 120 }, ["wide"]);
  assert.match(plot, /optimum, above.*100\u202f%/s);
});

const line = (points, more = {}) => mc.chart({ width: 400, height: 300, title: "t <i>", markers: [],
  x: { label: "x", unit: "", low: 0, high: 10 }, y: { label: "y", unit: "", low: 0, high: 10 },
  curves: [{ label: "a", style: "plain", points }], ...more });
const runs = (svg) => attributes(svg, "path").filter((path) => /mcc-curve/.test(path.class)).map(({ d }) => d);

test("a gap in a curve is a gap, an edge is met exactly", () => {
  assert.equal(runs(line([[0, 1], [1, 1], [2, NaN], [3, 2], [4, 2]])).length, 2);
  assert.equal(runs(line([[0, NaN], [1, Infinity]])).length, 0);
  const [left, right] = runs(line([[0, 5], [2, 15], [4, 15], [6, 5]]));
  assert.match(left, / 24$/); // leaves by the top edge
  assert.match(right, /^M[\d.]+ 24L/);
});

test("a chart without id has no ids, one with id names itself by them", () => {
  assert.match(line([[0, 1], [1, 2]]), /aria-label="t &#60;i&#62;"/);
  assert.match(line([[0, 1], [1, 2]], { id: "c", desc: "d" }), /aria-labelledby="c-t c-d"><title id="c-t">/);
});

test("marks without a label or a value are small dots", () => {
  const svg = line([[0, 1], [10, 2]], { markers: [{ label: "seen", x: 5, y: 5, shape: "dot", tone: "plain" },
    { label: "", x: 6, y: 5, shape: "dot", tone: "plain" }, { label: "", x: 60, y: 5, shape: "dot", tone: "plain" }] });
  assert.equal(attributes(svg, "path").filter((path) => /mcc-point/.test(path.class)).length, 2);
  assert.match(svg, />seen</);
});

// ---- figures: what they have beyond a calculator's chart ----------------------------------------------

const figure = (more) => mc.chart({ width: 720, height: 420, title: "t", still: true, curves: [], markers: [],
  x: { label: "x", unit: "", low: 1, high: 1000, log: true }, y: { label: "y", unit: "", low: 0, high: 10 }, ...more });
const texts = (svg, kind) => boxes(svg).filter((box) => box.kind.startsWith(kind)).map(({ text }) => text);
const ends = (y) => [[1, y], [1000, y]];

test("a logarithmic axis has 1, 2, 5 where there is room, powers alone where there is not", () => {
  assert.deepEqual(texts(figure({}), "mcc-tick").slice(-10), ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000"]);
  const wide = { label: "x", unit: "", low: 1e-7, high: 1e8, log: true };
  assert.deepEqual(texts(figure({ x: wide }), "mcc-tick").slice(-8), ["10⁻⁶", "10⁻⁴", "0.01", "1", "100", "10,000", "10⁶", "10⁸"]);
});

test("points stand in one path with their name beside them, and the ends of their errors in the plot", () => {
  const svg = figure({ sets: [{ label: "measured", tone: "write", shape: "diamond", points: [[10, 5, 1], [100, 9.9, 3]] }] });
  const [set] = attributes(svg, "path").filter((path) => /mcc-set mcc-write/.test(path.class));
  assert.equal(set.d.match(/M/g).length, 2);
  const [error] = attributes(svg, "path").filter((path) => /mcc-error/.test(path.class));
  assert.ok(error.d.match(/[\d.]+/g).map(Number).every((number) => number >= 24));
  assert.deepEqual(texts(svg, "mcc-name mcc-write"), ["measured"]);
});

test("points may have names of their own", () => {
  const svg = figure({ sets: [{ label: "", tone: "plain", shape: "dot", names: ["GPT-3", ""], points: [[10, 5], [100, 5]] }] });
  assert.deepEqual(texts(svg, "mcc-label"), ["GPT-3"]);
});

test("names over the plot stand in rows when they would touch, and make room for themselves", () => {
  const upright = (x) => ({ x, label: `the mark at ${x}` });
  const apart = figure({ uprights: [upright(2), upright(500)] });
  const close = figure({ uprights: [upright(10), upright(12), upright(14)] });
  const rows = (svg) => new Set(boxes(svg).filter(({ kind }) => kind === "mcc-over").map(({ bottom }) => bottom)).size;
  assert.deepEqual([rows(apart), rows(close)], [1, 3]);
  assert.deepEqual(collisions(close), []);
});

test("a curve whose end lies on another's is named where it stands clear of it", () => {
  const meeting = figure({ curves: [{ label: "one", style: "total", points: [[1, 1], [1000, 9]] },
    { label: "other", style: "write", points: [[1, 6], [1000, 9]] }] });
  const right = Number(/data-plot="[\d.]+ ([\d.]+)/.exec(meeting)[1]);
  const inside = boxes(meeting).filter(({ kind, right: edge }) => /mcc-name/.test(kind) && edge < right);
  assert.equal(inside.length, 1);
  const level = figure({ curves: [{ label: "one", style: "total", points: ends(3) }, { label: "other", style: "write", points: ends(8) }] });
  const edge = Number(/data-plot="[\d.]+ ([\d.]+)/.exec(level)[1]);
  assert.ok(boxes(level).filter(({ kind }) => /mcc-name/.test(kind)).every(({ left }) => left > edge));
});

test("bars carry their values, beside them or together where there is no room", () => {
  const rows = { label: "", unit: "", low: 0.4, high: 2.6, names: ["short", "long"] };
  const x = { label: "x", unit: "", low: 0, high: 10 };
  const svg = figure({ x, y: rows, bars: [{ ends: [4, 5], texts: ["4", "5"] }, { ends: [0, 8], texts: ["0.1", "8"] }] });
  assert.deepEqual(texts(svg, "mcc-value").filter(Boolean), ["4", "5", "0.1 to 8"]);
  assert.deepEqual(texts(svg, "mcc-tick").slice(0, 2), ["short", "long"]);
});

test("money and rates are said as people say them", () => {
  const y = (unit) => figure({ y: { label: "cost", unit, low: 0, high: 1 } });
  assert.match(y("USD/(gpu·h)"), /cost \(\$ per GPU-hour\)/);
  assert.match(y("/year"), /cost \(per year\)/);
  assert.match(y("TFLOP/s"), /cost \(TFLOP\/s\)/);
});
