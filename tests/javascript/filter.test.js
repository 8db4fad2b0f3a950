// Which rows of the audited claims a choice leaves.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");

const ROW = { document: "lab", place: "lab: act I", verdict: "reproduced contradicted", kind: "unit", text: "44 min of 200 h" };

/** Return the `mc` of the filter alone: the page that it waits for never comes. */
const filter = () => {
  const page = { documentElement: { toggleAttribute() {}, removeAttribute() {} }, head: { append() {} } };
  const document = { ...page, currentScript: { src: "file:///book/mc-page.js" }, readyState: "loading", createElement: () => ({}) };
  return load(["mc-page.js", "mc-filter.js"], { document, addEventListener() {} });
};

test("a row is kept that has every choice and every word", () => {
  const mc = filter();
  assert.ok(mc.isListed(ROW, [], {}));
  assert.ok(mc.isListed(ROW, ["min", "200"], { document: "lab", place: "lab: act I", kind: "unit", consequence: "" }));
  assert.ok(!mc.isListed(ROW, ["min", "300"], {}));
  assert.ok(!mc.isListed(ROW, [], { document: "chapter" }));
  assert.ok(!mc.isListed(ROW, [], { consequence: "yes" }));
});

test("a claim that measurement contradicts is found by both of its verdicts, and by whole ones only", () => {
  const mc = filter();
  assert.ok(mc.isListed(ROW, [], { verdict: "reproduced" }));
  assert.ok(mc.isListed(ROW, [], { verdict: "contradicted" }));
  assert.ok(!mc.isListed(ROW, [], { verdict: "produced" }));
  assert.ok(!mc.isListed(ROW, [], { place: "lab:" }));
});
