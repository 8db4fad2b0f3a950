// What 0.1.0 has stored in a browser is renewed once: every entry at its address of now, and nothing lost on the way.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const fs = require("fs");
const path = require("path");
const { load, plain } = require("./load.js");

const FORMER = JSON.parse(fs.readFileSync(path.join(__dirname, "..", "data", "0.1.0", "stores.json"), "utf8"));
const ADDRESSES = { "serving_prices.": "serving.prices.", "training_memory.": "parallelism.memory.", "lab_serving.": "lab_serving.act.", "tasks.audit_plan": "audit.tasks.plan" };
const CELLS = { "book/chapters/audit-date": ["deadline"], "book/chapters/roofline": ["ridge"] };

/** Return a page whose browser holds `stored`; `refuse(key)` says when it takes nothing more. */
function page(stored, { addresses = ADDRESSES, cells = CELLS, refuse = () => false } = {}) {
  const said = [], shelf = { ...stored };
  const methods = {
    getItem: { value: (key) => shelf[key] ?? null },
    setItem: { value: (key, text) => { if (refuse(key)) throw new Error("QuotaExceededError"); shelf[key] = text; keep(key); } },
    removeItem: { value: (key) => { delete shelf[key]; delete localStorage[key]; } },
  };
  const localStorage = Object.create({}, methods);
  const keep = (key) => Object.defineProperty(localStorage, key, { value: 1, enumerable: true, configurable: true, writable: true });
  Object.keys(shelf).forEach(keep);
  const node = () => ({ before: (notice) => said.push(notice.textContent), classList: {}, append() {} });
  const documentElement = { toggleAttribute() {}, removeAttribute() {} };
  const document = { documentElement, currentScript: null, readyState: "loading", querySelector: node, createElement: node };
  const room = { document, localStorage, addEventListener() {}, dispatchEvent() {}, Event: class {} };
  return { mc: load(["mc-page.js", "mc-store.js", "mc-migrate.js"], { ...room, mc: { redirects: { addresses, cells } } }), shelf, said };
}

function renewed(stored, more) {
  const found = page(stored, more);
  found.mc.migrate.all();
  return found;
}

const asides = Object.keys(FORMER).filter((key) => key.startsWith("mc.progress.v1.unreadable."));
const old = (key) => JSON.parse(FORMER[key]);

/** Return the answers of a former browser that the new stores lack: exercises and tasks, commitments, edited cells. */
function lost(shelf, successor) {
  const done = JSON.parse(shelf["mc.progress.v2"] || '{"done":{}}').done, entries = JSON.parse(shelf["mc.ledger.v2"] || '{"entries":{}}').entries;
  const tried = ["mc.progress.v1", ...asides].flatMap((key) => Object.keys(old(key).done)).map(successor).filter((address) => !done[address]);
  const made = Object.entries(old("mc.ledger.v1").entries).filter(([address, { made: all = [] }]) =>
    JSON.stringify((entries[successor(address)] || {}).made || []) !== JSON.stringify(all)).map(([address]) => address);
  return [...tried, ...made];
}

test("all that 0.1.0 has stored is there under the addresses of now, and the old stores are gone", () => {
  const { mc, shelf, said } = renewed(FORMER);
  assert.deepEqual(lost(shelf, mc.migrate.successor), []);
  assert.ok(asides.length > 3, "0.1.0 set progress aside whenever a task had been tried");
  assert.deepEqual(Object.keys(shelf).filter((key) => /^mc\.(progress|ledger)\.v1/.test(key)), []);
  assert.deepEqual([JSON.parse(shelf["mc.progress.v2"]).version, JSON.parse(shelf["mc.ledger.v2"]).version], [2, 3]);
  assert.equal(shelf["mc.colours"], FORMER["mc.colours"]);
  assert.deepEqual(said, []);
  const addresses = Object.keys(JSON.parse(shelf["mc.progress.v2"]).done);
  assert.ok(addresses.some((address) => address.startsWith("parallelism.memory.")) && !addresses.some((address) => address.startsWith("training_memory.")));
});

test("states of calculators are renewed with their addresses", () => {
  const { shelf } = renewed(FORMER);
  const lab = JSON.parse(shelf["mc.ledger.v2"]).entries["lab_serving.act.lab"];
  assert.ok(Object.keys(lab.states).every((address) => address.startsWith("lab_serving.act.")));
  assert.ok(Object.values(lab.contexts).every(({ states }) => Object.keys(states).every((address) => address.startsWith("lab_serving.act."))));
});

test("an entry that is lost would be found", () => {
  const { mc, shelf } = renewed(FORMER);
  const data = JSON.parse(shelf["mc.progress.v2"]);
  delete data.done["training.ex_compute"];
  assert.deepEqual(lost({ ...shelf, "mc.progress.v2": JSON.stringify(data) }, mc.migrate.successor), ["training.ex_compute"]);
});

test("what was done since with the new version is kept, and an old page that writes again is merged", () => {
  const since = { version: 2, done: { "training.ex_compute": { right: true, answer: "new", tries: 9, when: "2026-09-01" } } };
  const { shelf, mc } = renewed({ ...FORMER, "mc.progress.v2": JSON.stringify(since) });
  assert.equal(JSON.parse(shelf["mc.progress.v2"]).done["training.ex_compute"].answer, "new");
  assert.deepEqual(lost(shelf, mc.migrate.successor), []);
  const again = renewed({ ...shelf, "mc.ledger.v1": FORMER["mc.ledger.v1"] });
  assert.deepEqual(lost(again.shelf, mc.migrate.successor), [], "and no commitment is counted twice");
});

test("where nothing more can be stored the old store stays", () => {
  const { shelf, said, mc } = renewed(FORMER, { refuse: (key) => key.startsWith("mc.") });
  assert.deepEqual(shelf, FORMER);
  assert.match(said[0], /stores no more/);
  assert.ok(mc.progress.of("parallelism.memory.ex_state").answer, "the page remembers");
});

test("a damaged old store is set aside and reported, one that was set aside before stays so", () => {
  const { shelf, said } = renewed({ "mc.progress.v1": "{", "mc.progress.v1.unreadable.5": "[", "mc.ledger.v1": FORMER["mc.ledger.v1"] });
  const aside = Object.keys(shelf).filter((key) => key.startsWith("mc.progress.v2.unreadable."));
  assert.deepEqual(aside.map((key) => shelf[key]).sort(), ["[", "{"]);
  assert.equal(said.length, 1);
  assert.ok(shelf["mc.ledger.v2"]);
});

test("an edited cell is kept by its name, and one without a successor under its old place", () => {
  const { shelf } = renewed(FORMER);
  assert.equal(shelf["mc.live.v2.deadline"], FORMER["mc.live./book/chapters/audit-date.html.0"]);
  assert.equal(shelf["mc.live.v2.ridge"], FORMER["mc.live./book/chapters/roofline.html.0"]);
  assert.equal(shelf["mc.live.v1./book/chapters/goodput.html.0"], FORMER["mc.live./book/chapters/goodput.html.0"]);
  const edited = Object.keys(FORMER).filter((key) => key.startsWith("mc.live./")).map((key) => FORMER[key]);
  assert.deepEqual(edited.filter((text) => !Object.values(shelf).includes(text)), []);
  const newer = renewed({ "mc.live./folder/book/chapters/roofline.html.0": "old", "mc.live.v2.ridge": "new" }).shelf;
  assert.deepEqual(newer, { "mc.live.v1./folder/book/chapters/roofline.html.0": "old", "mc.live.v2.ridge": "new" });
});

test("an exported file of 0.1.0 is read as its store is", () => {
  const { mc } = renewed({});
  const text = fs.readFileSync(path.join(__dirname, "..", "data", "0.1.0", "ledger.json"), "utf8");
  const entries = plain(mc.ledger.parse(text, mc.migrate.successor));
  assert.ok(entries["lab_serving.act.what_binds"].made.length >= 2);
  assert.throws(() => mc.ledger.parse(text), /no ledger of version 3/, "not without the addresses");
  assert.deepEqual(plain(mc.ledger.parse(JSON.stringify({ version: 3, entries }))), entries);
});

test("the longest known prefix counts", () => {
  const { mc } = renewed({}, { addresses: { "a.": "b.", "a.c.": "d.", "a.c.e": "f.g" } });
  assert.deepEqual(["a.x", "a.c.x", "a.c.e", "a.c.e.f", "a.c.ex", "aa.x", "reader", "constructor"].map(mc.migrate.successor), ["b.x", "d.x", "f.g", "f.g.f", "d.ex", "aa.x", "reader", "constructor"]);
});
