/* What the whole page shares: its address, copy buttons, the progress kept in this browser,
 * and the print. Nothing is ever sent anywhere.
 */
(function (mc) {
  "use strict";

  const here = document.currentScript && document.currentScript.src;

  /** Run once all deferred scripts are in: elements may then use each other's parts. */
  mc.ready = (run) => (document.readyState === "complete" ? run() : addEventListener("DOMContentLoaded", run));

  /** Load a script that lies beside this one, once: `mc.beside("mc-figures.js")`. */
  const loading = {};
  mc.beside = (name) => (loading[name] = loading[name] || new Promise((onload, onerror) => {
    document.head.append(Object.assign(make("script"), { src: new URL(name, here), onload, onerror }));
  }));

  const make = mc.make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (kind) element.className = kind;
    if (tag === "button") element.type = "button";
    return element;
  };

  // ---- the address: state that can be sent to somebody ------------------------------------------

  const query = () => new URLSearchParams(location.search);
  mc.url = {
    get: (key) => query().get(key),
    set(key, value) {
      const all = query();
      if (value === null) all.delete(key);
      else all.set(key, value);
      const text = all.toString().replace(/%3A/g, ":").replace(/%2C/g, ",");
      try {
        history.replaceState(history.state, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
      } catch { /* a browser that forbids it for a page opened from disk: the page still works */ }
    },
  };

  // ---- words for those who listen, and the clipboard -----------------------------------------------

  let voice;
  mc.say = (text) => {
    voice = voice || document.body.appendChild(make("p", "", "mc-toast"));
    voice.setAttribute("role", "status");
    voice.textContent = text;
    clearTimeout(voice.timer);
    voice.timer = setTimeout(() => { voice.textContent = ""; }, 4000);
  };

  // From disk and in old browsers there is no clipboard: then the text is shown, selected.
  mc.copy = async (text, done) => {
    try {
      await navigator.clipboard.writeText(text);
      mc.say(done);
    } catch {
      const field = make("textarea", text, "mc-copied");
      field.readOnly = true;
      field.setAttribute("aria-label", "Text to copy");
      document.body.append(field);
      field.select();
      const copied = document.execCommand("copy");
      if (copied) field.remove();
      else field.addEventListener("blur", () => field.remove());
      mc.say(copied ? done : "Press Ctrl+C or ⌘C to copy the selected text.");
    }
  };

  addEventListener("click", ({ target }) => {
    const button = target.closest && target.closest(".mc-copy");
    if (button) mc.copy(button.dataset.copy, `${button.textContent.trim()} copied.`);
  });

  // ---- progress: in this browser only ---------------------------------------------------------

  const KEY = "mc.progress.v1";
  let memory = null; // holds the progress alone where the browser does not store it
  const reported = new Set();

  // Said once, above the progress panel or the first exercise.
  function report(problem) {
    const place = document.querySelector(".mc-progress, mc-exercise");
    if (place && !reported.has(problem)) place.before(make("p", problem, "mc-notice"));
    reported.add(problem);
  }

  const isText = (value) => typeof value === "string";
  const isEntry = (entry) => Boolean(entry) && isText(entry.answer) && isText(entry.when || "");
  const serialised = (done) => JSON.stringify({ version: 1, done }, null, 1);

  /** Return the entries of a stored or imported text; throw a sentence when it has none. */
  function parse(text) {
    let data = null;
    try { data = JSON.parse(text); } catch { throw new Error("it is not JSON"); }
    if (!data || data.version !== 1 || !data.done || typeof data.done !== "object") {
      throw new Error("it is no progress of version 1");
    }
    const bad = Object.keys(data.done).find((address) => !isEntry(data.done[address]));
    if (bad !== undefined) throw new Error(`the entry of ${bad} is damaged`);
    return data.done;
  }

  // Unreadable progress is never thrown away: it moves to a key of its own, and the page says so.
  function setAside(text, fault) {
    const aside = `${KEY}.unreadable.${Date.now()}`;
    localStorage.setItem(aside, text);
    localStorage.removeItem(KEY);
    report(`The stored progress could not be read: ${fault}. It is kept in this browser's storage as “${aside}”.`);
  }

  function load() {
    if (memory) return memory;
    try {
      const text = localStorage.getItem(KEY);
      try { return text === null ? {} : parse(text); } catch ({ message }) { setAside(text, message); return {}; }
    } catch { // storage is forbidden or full: whatever lies there stays untouched
      report("This browser does not store progress for this page: export it before you close the page.");
      return (memory = {});
    }
  }

  function save(done) {
    try {
      if (memory) memory = done;
      else localStorage.setItem(KEY, serialised(done));
    } catch {
      memory = done;
      report("This browser stores no more: export your progress before you close the page.");
    }
    dispatchEvent(new Event("mc-progress"));
  }

  // Solved beats unsolved, then the later one: an import never loses what was reached.
  function merged(ours, theirs) {
    const better = ([address, entry]) => {
      const mine = ours[address] || { right: false, when: "" };
      return Boolean(entry.right) === Boolean(mine.right) ? (entry.when || "") >= (mine.when || "") : entry.right;
    };
    return { ...ours, ...Object.fromEntries(Object.entries(theirs).filter(better)) };
  }

  mc.progress = {
    parse, merged,
    of: (address) => load()[address] || {},
    note(address, change) {
      const entry = { right: false, tries: 0, ...this.of(address), ...change, when: new Date().toISOString() };
      save({ ...load(), [address]: entry });
    },
  };

  // ---- the progress panel ----------------------------------------------------------------------

  function download(name, text) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function imported(file) {
    try {
      const theirs = parse(await file.text());
      save(merged(load(), theirs));
      mc.say(`${Object.keys(theirs).length} exercises read from ${file.name}.`);
    } catch ({ message }) {
      mc.say(`${file.name} was not read: ${message}. Nothing was changed.`);
    }
  }

  function panel(place) {
    const [count, list, row] = [make("p", "", "mc-count"), make("ul", "", "mc-list"), make("div", "", "mc-row")];
    const file = make("input");
    Object.assign(file, { type: "file", accept: ".json,application/json", hidden: true });
    file.onchange = () => file.files[0] && imported(file.files[0]).then(() => { file.value = ""; });
    const button = (text, run) => (row.appendChild(make("button", text, "mc-button")).onclick = run);
    button("Export", () => download("progress.json", serialised(load())));
    button("Import", () => file.click());
    button("Wipe", () => confirm("Delete all progress of this book kept in this browser?") && save({}));
    place.replaceChildren(count, list, row, file);
    const fill = () => filled(place, count, list);
    addEventListener("mc-progress", fill);
    fill();
  }

  function filled(place, count, list) {
    const done = load();
    const titles = JSON.parse(place.dataset.list || "{}");
    const counted = place.dataset.list ? Object.keys(titles) : Object.keys(done);
    const state = (address) => {
      const { right, tries } = done[address] || {};
      return right ? "solved" : tries ? "tried" : "open";
    };
    const total = place.dataset.total || (place.dataset.list && counted.length);
    const solved = counted.filter((address) => state(address) === "solved").length;
    count.textContent = `${solved}${total ? ` of ${total}` : ""} exercises solved. Kept in this browser only.`;
    list.replaceChildren(...Object.entries(titles).map(([address, title]) => {
      const item = make("li", `${title}: ${state(address)}`);
      item.dataset.mark = state(address);
      return item;
    }));
  }

  addEventListener("storage", ({ key }) => key === KEY && dispatchEvent(new Event("mc-progress")));

  // What scrolls sideways must scroll by keyboard too.
  function reachable() {
    for (const box of document.querySelectorAll(".katex-display, .mc-scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
  }

  // ---- print: what is folded on the screen is open on paper ----------------------------------------------

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((fold) => { fold.open = false; }));

  mc.ready(() => {
    load(); // says at once when what is stored cannot be read
    document.querySelectorAll(".mc-progress").forEach(panel);
    if (document.querySelector(".mc-plotly")) mc.beside("mc-figures.js");
    reachable();
  });
})((globalThis.mc = globalThis.mc || {}));
