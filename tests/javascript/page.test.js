// <html data-live>: what tests and tools wait for, there when nothing that was begun is under way.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");

/** Return a page that has not loaded: `mc`, whether it is live, and `load` and `script` to go on. */
function page() {
  let live = false;
  const heard = {}, scripts = [];
  const documentElement = { toggleAttribute: (_, on) => { live = on; }, removeAttribute: () => { live = false; } };
  const head = { append: (script) => scripts.push(script) };
  const document = { documentElement, head, currentScript: { src: "file:///book/mc-page.js" }, readyState: "loading", createElement: () => ({}), querySelectorAll: () => [] };
  const room = { document, addEventListener: (name, run) => { (heard[name] ||= []).push(run); }, requestIdleCallback: (run) => run() };
  const mc = load(["mc-page.js"], room);
  return { mc, live: () => live, loaded: () => heard.load.forEach((run) => run()), scripts };
}
const settled = () => new Promise((later) => setImmediate(later));

test("a page is live once it has loaded, not before", async () => {
  const { live, loaded } = page();
  await settled();
  assert.equal(live(), false);
  loaded();
  await settled();
  assert.equal(live(), true);
});

test("a page is not live while a script is fetched, whether it comes or not", async () => {
  const { mc, live, loaded, scripts } = page();
  loaded();
  await settled();
  const [first, second] = [mc.loadScript("a.js"), mc.loadScript("b.js")];
  assert.equal(live(), false);
  scripts[0].onload();
  await settled();
  assert.equal(live(), false);
  scripts[1].onerror(new Error("not there"));
  await assert.rejects(second);
  await first;
  await settled();
  assert.equal(live(), true);
});

test("what is done meanwhile keeps its value", async () => {
  const { mc } = page();
  assert.equal(await mc.during(Promise.resolve(7)), 7);
});
