// A small explorer and exercise in the shape that mathcore writes, for the tests of their code.
"use strict";

const formulas = {
  "yd.waste": { args: ["C", "M", "tau"], f: (C, M, tau) => C / tau + tau / (2 * M) },
  "yd.writes": { args: ["C", "tau"], f: (C, tau) => C / tau },
  "yd.rework": { args: ["M", "tau"], f: (M, tau) => tau / (2 * M) },
  "yd.interval": { args: ["C", "M"], f: (C, M) => Math.sqrt(2 * C * M) },
  "yd.ratio": { args: ["C", "M", "tau"], f: (C, M, tau) => tau / Math.sqrt(2 * C * M) },
  "yd.ex#key": { args: ["C", "M"], f: (C, M) => Math.sqrt(2 * C * M) },
  "yd.ex#0": { args: ["C", "M"], f: (C, M) => Math.sqrt(C * M) },
};

const input = (name, unit, factor, low, high, step, start) =>
  ({ name, label: `the <${name}>`, html: `<i>${name}</i>`, unit, factor, low, high, step, default: start });
const waste = (f, with_) => ({ f, with: { tau: with_ } });

const explorer = {
  address: "yd.explorer", title: "Where should your checkpoints lie?",
  inputs: [input("M", "h", 3600, 1, 100, 1, 8), input("C", "min", 60, 0.5, 30, 0.5, 4), input("tau", "min", 60, 5, 120, 5, 30)],
  x: { name: "tau", label: "work between two checkpoints", unit: "min", factor: 60, low: 1, high: 180, points: 400, log: false },
  y: { name: "w", label: "waste", unit: "%", factor: 0.01, low: 0, high: null, log: false },
  curves: [{ label: "total", f: "yd.waste", style: "total" }, { label: "writes", f: "yd.writes", style: "write" },
    { label: "redone work", f: "yd.rework", style: "rework" }],
  markers: [{ label: "your interval", shape: "dot", severity: "plain", vertical: true, x: { input: "tau" }, on: { f: "yd.waste" } },
    { label: "optimum", shape: "diamond", severity: "good", vertical: true, x: { f: "yd.interval" }, on: { f: "yd.waste" } }],
  bands: { ratio: { f: "yd.ratio" }, edges: [0.7, 1.4], severities: ["warn", "good", "bad"], scale: { f: "yd.interval" },
    labels: ["too often: you pay for writes", "near-optimal", "too rarely: you pay for redone work"] },
  lines: [{ template: "tau_Y = √(2 · {C} · {M})", html: "<i>τ</i>", units: { C: ["min", 60], M: ["h", 3600] },
    result: { f: "yd.interval", unit: "min", factor: 60, digits: 3 } }],
  table: { columns: ["your interval", "Young"], rows: [{ label: "waste", unit: "%", factor: 0.01, digits: 3,
    cells: [waste("yd.waste", { input: "tau" }), waste("yd.waste", { f: "yd.interval" })] }] },
  limits: "Small C only.",
};

const exercise = {
  address: "yd.ex", f: "yd.ex#key", rtol: 0.01, line: "√(2 · {C} · {M})",
  givens: { C: { unit: "min", factor: 60, values: [4, 2, 5], default: 4 }, M: { unit: "h", factor: 3600, values: [8, 4], default: 8 } },
  asked: { name: "tau", unit: "min", factor: 60, base: 1, dim: { time: 1 }, digits: 3 },
  mistakes: [{ label: "the 2 under the root was dropped", f: "yd.ex#0" }],
};

module.exports = { formulas, explorer, exercise };
