/* Cells that run in the page: a button, an editor whose text is kept on this device, and what Python says.
 * Nothing of Python is asked for before somebody presses Run.
 */
(function (mc) {
  "use strict";

  const HERE = document.currentScript.src;
  const FROM_DISK = "Cells run where the book comes from a server, this site or one of your own: a browser starts no Python for a page from disk.";
  const store = {
    key: (name) => `mc.live.v2.${name}`, // by the cell's name: it may move to another page
    get: (name) => { try { return localStorage.getItem(store.key(name)); } catch { return null; } },
    set: (name, text) => {
      try {
        if (text === null) localStorage.removeItem(store.key(name));
        else localStorage.setItem(store.key(name), text);
      } catch { /* it holds for this visit */ }
    },
  };

  let python = null, waiting = new Map(), numbers = 0;

  function started() {
    if (python) return python;
    python = new Worker(new URL("mc-live-worker.js", HERE), { type: "module" });
    python.addEventListener("message", ({ data }) => {
      const answer = waiting.get(data.number);
      waiting.delete(data.number);
      if (data.lost) stopped();
      if (answer) answer(data.lost ? { lost: data.lost } : data.result);
    });
    python.addEventListener("error", () => stopped("the worker did not start"));
    return python;
  }

  /** End Python, and with it what runs: an endless loop, or a start that failed. */
  function stopped(why) {
    if (python) python.terminate();
    python = null;
    const left = [...waiting.values()];
    waiting = new Map();
    for (const answer of left) answer(why ? { lost: why } : { printed: "", value: "", error: "stopped" });
  }

  const asked = (before, code, after) => new Promise((answer) => {
    waiting.set(++numbers, answer);
    started().postMessage({ number: numbers, before, code, after });
  });

  function cell(data) {
    const { before, name, after = "" } = JSON.parse(data.textContent), box = data.closest(".cell"), shown = box.querySelector(".highlight");
    if (!shown) return;
    const original = shown.querySelector("pre").textContent.trimEnd();
    const bar = mc.make("p", "", "mc-live-bar"), out = mc.make("div", "", "mc-live-output");
    out.setAttribute("role", "status");
    const run = mc.make("button", "Run", "mc-button"), edit = mc.make("button", "Edit", "mc-button"), reset = mc.make("button", "Reset", "mc-button");
    for (const [button, what] of [[run, "Run this code"], [edit, "Edit this code"], [reset, "Restore the book's code"]]) {
      button.type = "button";
      button.setAttribute("aria-label", what);
    }
    reset.hidden = true;
    bar.append(run, edit, reset);
    (box.querySelector(".cell_input") || shown).after(bar, out);
    const stored = box.querySelectorAll(".cell_output"); // what the book's own run printed, until the reader's does
    let field = null;

    function editing(text) {
      field = mc.make("textarea", "", "mc-live-code");
      Object.assign(field, { value: text, spellcheck: false, rows: text.split("\n").length + 1 });
      field.setAttribute("aria-label", "Code of this cell");
      field.addEventListener("input", () => store.set(name, field.value));
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey)) { event.preventDefault(); run.click(); }
      });
      shown.hidden = true;
      shown.after(field);
      [edit.hidden, reset.hidden] = [true, false];
    }

    edit.addEventListener("click", () => { editing(original); field.focus(); });
    reset.addEventListener("click", () => {
      field.remove();
      field = null;
      store.set(name, null);
      [shown.hidden, edit.hidden, reset.hidden] = [false, false, true];
      out.replaceChildren();
      stored.forEach((part) => { part.hidden = false; });
    });
    run.addEventListener("click", async () => {
      if (run.dataset.busy) { stopped(); return; }
      run.dataset.busy = "yes";
      run.textContent = "Stop";
      out.textContent = python ? "Running …" : "Loading Python and the core of the book, once, about 20 MB …";
      const result = await mc.during(asked(before, field ? field.value : original, after));
      delete run.dataset.busy;
      run.textContent = "Run";
      show(out, result);
      if (!result.lost) stored.forEach((part) => { part.hidden = true; });
      if (after && !result.lost) data.dispatchEvent(new CustomEvent("mc-checked", { bubbles: true, detail: { right: !result.error } }));
    });
    const kept = store.get(name);
    if (kept !== null && kept !== original) editing(kept);
  }

  function show(out, { printed, value, error, lost }) {
    out.replaceChildren();
    if (lost) { out.append(mc.make("p", `Python could not be loaded (${lost}): it needs this site's server.`, "mc-live-error")); return; }
    const text = [printed.trimEnd(), value].filter(Boolean).join("\n");
    if (text) out.append(mc.make("pre", text, "mc-live-value"));
    if (error) out.append(mc.make("p", error, "mc-live-error"));
    if (!text && !error) out.append(mc.make("p", "The code ran without output.", "mc-help"));
  }

  mc.ready(() => {
    const cells = [...document.querySelectorAll("script.mc-live")];
    if (location.protocol === "file:") {
      if (cells.length) cells[0].closest(".cell").append(mc.make("p", FROM_DISK, "mc-help mc-live-off"));
      return;
    }
    cells.forEach(cell);
  });
})((globalThis.mc = globalThis.mc || {}));
