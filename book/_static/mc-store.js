/* What a reader did, kept in this browser only: the progress of exercises and the design ledger.
 *
 * A store is {address: entry} under one key of the browser's storage, with a version. Unreadable data
 * is set aside and reported, never thrown away; where nothing can be stored, this page remembers.
 * What an earlier version of the book has stored under another key is renewed once, by mc-migrate.js, before
 * any element of the page reads a store.
 */
(function (mc) {
  "use strict";

  const reported = new Set();

  // Said once, above the first place where it matters.
  function report(problem) {
    const place = document.querySelector(".mc-progress, .mc-ledger, mc-exercise, mc-question, mc-lab, article h1");
    if (place && !reported.has(problem)) place.before(mc.make("p", problem, "mc-notice"));
    reported.add(problem);
  }

  /** Return a store: `key` of the browser's storage and `formerly`, those of earlier versions, `name` for readers,
   * `field` of the entries, `valid` of one. `renew` makes an entry of an earlier version one of this, with addresses
   * put through a function; `merge` joins two entries of one address. */
  mc.store = ({ key, formerly, name, field, valid, event, merge, version, renew }) => {
    let memory = null; // holds everything alone where the browser does not store it
    let last = {}; // the text parsed last and its entries: a page asks for them several hundred times after each change
    const serialised = (entries) => JSON.stringify({ version, [field]: entries }, null, 1);

    /** Return the entries of a stored or imported text; throw a sentence when it has none.
     * Those of an earlier version need `successor`, which gives an address of now for one of then. */
    function parse(text, successor) {
      let data = null;
      try { data = JSON.parse(text); } catch { throw new Error("it is not JSON"); }
      const old = data && Number.isInteger(data.version) && data.version > 0 && data.version < version;
      if (!(old && successor) && !(data && data.version === version) ||
        !data[field] || typeof data[field] !== "object" || Array.isArray(data[field])) {
        throw new Error(`it is no ${name} of version ${version}`);
      }
      const entries = Object.entries(data[field]).map(([address, entry]) =>
        (old ? [successor(address), entry && renew(entry, successor)] : [address, entry]));
      const bad = entries.find(([, entry]) => !valid(entry));
      if (bad) throw new Error(`the entry of ${bad[0]} is damaged`);
      return entries.reduce((all, [address, entry]) => merged(all, { [address]: entry }), {});
    }

    function setAside(text, fault, from = key) {
      const aside = `${key}.unreadable.${Date.now()}`;
      localStorage.setItem(aside, text);
      localStorage.removeItem(from);
      report(`The stored ${name} could not be read: ${fault}. It is kept in this browser's storage as “${aside}”.`);
    }

    function read(text) {
      if (text !== last.text) last = { text, entries: parse(text) };
      return last.entries;
    }

    function load() {
      if (memory) return memory;
      try {
        const text = localStorage.getItem(key);
        try { return text === null ? {} : read(text); } catch ({ message }) { setAside(text, message); return {}; }
      } catch { // storage is forbidden or full: whatever lies there stays untouched
        report(`This browser does not store ${name} for this page: export it before you close the page.`);
        return (memory = {});
      }
    }

    function save(entries) {
      try {
        if (memory) memory = entries;
        else localStorage.setItem(key, serialised(entries));
      } catch {
        memory = entries;
        report(`This browser stores no more: export your ${name} before you close the page.`);
      }
      dispatchEvent(new Event(event));
    }

    /** An import never loses what was reached. */
    const merged = (ours, theirs) => ({ ...ours,
      ...Object.fromEntries(Object.entries(theirs).map(([address, entry]) =>
        [address, ours[address] ? merge(ours[address], entry) : entry])) });

    addEventListener("storage", (change) => change.key === key && dispatchEvent(new Event(event)));
    return {
      key, formerly, name, event, parse, merged, load, save, setAside,
      text: () => serialised(load()),
      of: (address) => load()[address] || {},
      note(address, change, first = {}) {
        save({ ...load(), [address]: { ...first, ...this.of(address), ...change, when: new Date().toISOString() } });
      },
    };
  };

  const isText = (value) => typeof value === "string";
  /** Tell whether a text is a moment that has been; clocks may differ by a day. */
  const isPast = (when) => !Number.isNaN(Date.parse(when)) && Date.parse(when) < Date.now() + 864e5 && Date.parse(when) > Date.UTC(2024);
  const later = (a, b) => (a.when || "") >= (b.when || "");

  // Solved beats unsolved, then the later one.
  const progress = mc.store({
    key: "mc.progress.v2", formerly: ["mc.progress.v1"], name: "progress", field: "done", event: "mc-progress", version: 2,
    renew: (entry) => entry,
    valid: (entry) => Boolean(entry) && typeof entry === "object" && isText(entry.answer || "") && isText(entry.when || ""), // a task has no answer
    merge: (ours, theirs) => ((Boolean(ours.right) === Boolean(theirs.right) ? later(theirs, ours) : theirs.right) ? theirs : ours),
  });
  mc.progress = { ...progress, note: (address, change) => progress.note(address, change, { right: false, tries: 0 }) };

  // ---- the ledger: what was committed, the first time and later, in each context ---------------------

  const MOST = 40; // commitments of one part that are kept: the first of each context, and the last ones
  const isCommitment = (made) => Boolean(made) && isText(made.context) && isText(made.says) && isPast(made.when) &&
    (made.choice === undefined || (Number.isInteger(made.choice) && made.choice >= 0)) && isText(made.option || "") && isText(made.reason || "");

  /** An entry of version 1 had one commitment, the last, and no context. The states of calculators are kept by address. */
  function renewed(entry, successor) {
    const { choice, says, right, ...rest } = entry;
    const now = isText(says) ? { ...rest, made: [{ choice, says, right, context: "", when: entry.when }] } : { ...entry };
    const moved = (states) => Object.fromEntries(Object.entries(states).map(([address, state]) => [successor(address), state]));
    if (now.states) now.states = moved(now.states);
    for (const [name, context] of Object.entries(now.contexts || {})) {
      if (context && context.states) now.contexts = { ...now.contexts, [name]: { ...context, states: moved(context.states) } };
    }
    return now;
  }

  function mergedLedgers(ours, theirs) {
    const made = [...(ours.made || []), ...(theirs.made || [])].sort((a, b) => (a.when < b.when ? -1 : 1));
    const distinct = made.filter((each, i) => made.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === i);
    return { ...(later(theirs, ours) ? theirs : ours), ...(distinct.length ? { made: distinct } : {}) };
  }

  // Version 1 had one commitment of a part, version 2 all; since version 3 a choice has the key of its option.
  const ledger = mc.store({
    key: "mc.ledger.v2", formerly: ["mc.ledger.v1"], name: "ledger", field: "entries", event: "mc-ledger", version: 3, renew: renewed, merge: mergedLedgers,
    valid: (entry) => Boolean(entry) && isText(entry.kind) && (!entry.when || isPast(entry.when)) &&
      (entry.made === undefined || (Array.isArray(entry.made) && entry.made.every(isCommitment))),
  });
  mc.labOf = () => undefined; // the lab to which a part belongs, if it stands in one
  mc.context = (address) => (mc.labOf(address) || {}).context || "";
  mc.ledger = {
    ...ledger,
    /** Return what was committed to a part in a context, the first one first. */
    made: (address, context = mc.context(address)) => (ledger.of(address).made || []).filter((each) => each.context === context),
    /** Add a commitment; the first of a context stays what it is. */
    commit(address, about, commitment) {
      const context = mc.context(address), all = ledger.of(address).made || [];
      const kept = all.length < MOST ? all : all.filter((each, i) => all.findIndex((other) => other.context === each.context) === i || i > all.length - MOST / 2);
      ledger.note(address, { ...about, made: [...kept, { ...commitment, context, when: new Date().toISOString() }] });
    },
  };

  // ---- what an earlier version of the book has stored --------------------------------------------------

  mc.stores = [mc.progress, mc.ledger];
  const FORMER = /^mc\.(progress|ledger)\.v1(\.unreadable\.\d+)?$|^mc\.live\.\//;

  /** Load the addresses that were renamed, and the functions that need them. */
  mc.loadMigration = () => mc.loadScript("mc-redirects.js").then(() => mc.loadScript("mc-migrate.js"));

  function renewFormer() {
    try {
      if (!Object.keys(localStorage).some((key) => FORMER.test(key))) return;
    } catch { return; } // storage is forbidden
    mc.first(mc.loadMigration().then(() => mc.migrate.all(), () =>
      report("What this browser has stored for an earlier version of the book could not be read now. It stays as it is.")));
  }
  if (globalThis.document && document.currentScript) renewFormer();

  // ---- export, import, wipe ----------------------------------------------------------------------

  function download(name, text) {
    const link = mc.make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function imported(store, file) {
    try {
      const text = await file.text();
      await mc.loadMigration().catch(() => {});
      const theirs = store.parse(text, mc.migrate && mc.migrate.successor);
      store.save(store.merged(store.load(), theirs));
      mc.say(`${Object.keys(theirs).length} entries read from ${file.name}.`);
    } catch ({ message }) {
      mc.say(`${file.name} was not read: ${message}. Nothing was changed.`);
    }
  }

  /** Return a row of buttons that export, import and wipe a store, and whatever else is asked for. */
  mc.storageControls = (store, more = {}) => {
    const row = mc.make("div", "", "mc-row");
    const file = Object.assign(mc.make("input"), { type: "file", accept: ".json,application/json", hidden: true });
    file.setAttribute("aria-label", `A file with ${store.name}`);
    file.onchange = () => file.files[0] && mc.during(imported(store, file.files[0])).then(() => { file.value = ""; });
    const wipe = () => confirm(`Delete the whole ${store.name} of this book kept in this browser?`) && store.save({});
    const all = { Export: () => download(`${store.name}.json`, store.text()), Import: () => file.click(), Wipe: wipe, ...more };
    for (const [text, run] of Object.entries(all)) row.appendChild(mc.make("button", text, "mc-button")).onclick = run;
    row.append(file);
    return row;
  };
})((globalThis.mc = globalThis.mc || {}));
