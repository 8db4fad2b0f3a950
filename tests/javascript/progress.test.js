// Progress in the browser's storage: kept, merged, and never lost, whatever lies there.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load, plain } = require("./load.js");

const KEY = "mc.progress.v2";

/** Return a page with a storage that holds `stored`, and what the page says. */
function page(stored, refuse = () => false) {
  const said = [];
  const node = () => ({ before: (notice) => said.push(notice.textContent), classList: {}, append() {} });
  const localStorage = {
    getItem: (key) => (refuse("get") ? fail() : stored[key] ?? null),
    setItem: (key, value) => (refuse("set") ? fail() : (stored[key] = value)),
    removeItem: (key) => delete stored[key],
  };
  const fail = () => { throw new Error("QuotaExceededError"); };
  const documentElement = { toggleAttribute() {}, removeAttribute() {} };
  const document = { documentElement, currentScript: null, readyState: "loading", querySelector: node, createElement: node };
  const room = { document, localStorage, addEventListener() {}, dispatchEvent() {}, Event: class {} };
  return { ...load(["mc-page.js", "mc-store.js"], room), said, stored };
}
const stored = (done) => ({ [KEY]: JSON.stringify({ version: 2, done }) });

test("what is noted is stored and read again", () => {
  const { progress, stored: shelf } = page({});
  assert.deepEqual(plain(progress.of("a.b")), {});
  progress.note("a.b", { answer: "62 min", seed: 0, tries: 1, right: true });
  progress.note("a.b", { answer: "63 min" });
  const { when, ...entry } = JSON.parse(shelf[KEY]).done["a.b"];
  assert.deepEqual(entry, { right: true, tries: 1, answer: "63 min", seed: 0 });
  assert.ok(Date.parse(when));
});

test("a text is parsed once, and again when another window has written", () => {
  const { progress, stored: shelf } = page(stored({ a: { answer: "1" } }));
  const first = progress.load();
  assert.equal(progress.load(), first);
  shelf[KEY] = stored({ a: { answer: "2" } })[KEY];
  assert.equal(progress.of("a").answer, "2");
});

test("damaged progress is put aside and reported, and the page goes on", () => {
  for (const damaged of ["{", "null", "[]", `{"version":3,"done":{}}`, `{"version":1,"done":{}}`, `{"version":2,"done":{"a":null}}`, `{"version":2,"done":{"a":{"answer":5}}}`]) {
    const { progress, said, stored: shelf } = page({ [KEY]: damaged });
    assert.deepEqual(plain(progress.of("a")), {});
    const aside = Object.keys(shelf).find((key) => key.startsWith(`${KEY}.unreadable.`));
    assert.equal(shelf[aside], damaged);
    assert.match(said[0], /could not be read/);
    progress.note("a", { answer: "1" });
    assert.equal(JSON.parse(shelf[KEY]).done.a.answer, "1");
  }
});

test("where nothing can be stored the page still works and says so", () => {
  const { progress, said } = page({}, () => true);
  progress.note("a", { answer: "1", right: true });
  assert.equal(progress.of("a").right, true);
  assert.match(said[0], /does not store/);
});

test("damaged progress that cannot be put aside stays where it is", () => {
  const { progress, stored: shelf } = page({ [KEY]: "{" }, (what) => what === "set");
  progress.note("a", { answer: "1" });
  assert.equal(shelf[KEY], "{");
  assert.equal(progress.of("a").answer, "1");
});

test("an import keeps what is solved, else what is later", () => {
  const { progress } = page({});
  const entry = (right, when) => ({ right, when, answer: "x" });
  const ours = { a: entry(true, "2026-01-01"), b: entry(false, "2026-01-01"), c: entry(false, "2026-03-01") };
  const theirs = { a: entry(false, "2026-02-01"), b: entry(true, "2025-01-01"), c: entry(false, "2026-02-01"), d: entry(false, "") };
  const all = progress.merged(ours, theirs);
  assert.equal(all.a, ours.a);
  assert.equal(all.b, theirs.b);
  assert.equal(all.c, ours.c);
  assert.equal(all.d, theirs.d);
  assert.throws(() => progress.parse("no"), /not JSON/);
  assert.deepEqual(plain(progress.parse(stored({ a: entry(true, "") })[KEY])), { a: entry(true, "") });
});

test("exercises count when solved, questions when answered, and the words say which", () => {
  const { count } = load(["mc-progress.js"]).progressCounts;
  const exercises = { "a.one": "One", "a.two": "Two" }, questions = { "a.ask": "Ask" };
  const progress = { "a.one": { right: true }, "a.two": { right: false, tries: 3 }, "b.far": { right: true } };
  const long = (tasks, ledger = {}) => count(tasks, progress, ledger).long;
  assert.equal(long({ exercises, questions: {} }), "1 of 2 exercises solved");
  assert.equal(long({ exercises, questions }), "1 of 3 exercises and questions done");
  assert.equal(long({ exercises: {}, questions }, { "a.ask": { when: "2026", right: false } }), "1 of 1 questions answered");
  assert.deepEqual(plain(count({ exercises, questions }, {}, {})), {
    done: 0, all: 3, short: "0/3", long: "0 of 3 exercises and questions done",
  });
});
