/* <mc-lab>: contexts that set all instruments of a lab, its status line, and what the ledger keeps of
 * it; `.mc-ledger`: the ledger as a report; “Start from your fleet” on instruments that can.
 */
(function (mc) {
  "use strict";

  // ---- pure --------------------------------------------------------------------------------------

  // Where a figure has no value or its model ends, in words.
  const beside = (label, f, env) => {
    const note = mc.panels.warnings([[label, f, env]]).map(({ said }) => said).join(" ");
    return note && { note };
  };
  // In the status line there is room for the bound alone: “outside C ≤ M / 25”.
  const brief = ({ text, note = "" }) => (note.startsWith("Outside ") ? `${text} (o${note.split(": ")[0].slice(1)})` : text);

  /** Return [{label, text, note?}] of a lab's outcomes, and the failures its instruments are in. */
  function outcomes(spec, instruments) {
    const of = (address) => instruments.find((each) => each.spec.address === address);
    const figures = spec.outcomes.filter((each) => of(each.of)).map(({ label, of: address, f, unit, factor, digits }) => {
      const { spec: own, state } = of(address);
      const env = mc.panels.environment(own, state);
      return { label, text: mc.show(mc.call(f, env), unit, factor, digits), ...beside(label, f, env) };
    });
    const failures = instruments.flatMap(({ spec: own, state }) =>
      (own.failures || []).filter((failure) => mc.panels.failed(own, failure, state)).map(({ title }) => title));
    return { figures, failures };
  }

  /** Return the values that an instrument takes over from states in the ledger, on its own steps; what
   * lies outside its range stays behind, for a value moved to the edge would be another fleet. */
  function taken(spec, start, states) {
    const found = {};
    for (const { name, factor, low, high, step, options } of spec.inputs) {
      const from = start[name];
      const value = from && states[from.of] && states[from.of][from.input];
      const wanted = from && (value * from.factor) / factor;
      if (!Number.isFinite(value) || options || wanted < low || wanted > high) continue;
      found[name] = Math.min(high, Number((low + Math.round((wanted - low) / step) * step).toPrecision(12)));
    }
    return found;
  }

  mc.lab = { outcomes, taken, brief };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  const MARKS = { right: "✓", wrong: "✗", open: "○" };

  class Lab extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.status = this.querySelector(".mc-hud");
      const kept = mc.ledger.of(this.spec.address).context;
      this.context = this.spec.contexts.some(({ name }) => name === kept) ? kept : (this.spec.contexts[0] || {}).name;
      this.addEventListener("change", ({ target }) => this.enter(target.value));
      addEventListener("mc-moved", ({ target }) => this.instruments.includes(target) && this.update());
      for (const event of [mc.ledger.event, mc.progress.event]) addEventListener(event, () => this.update());
      // Only what a reader does is written: an instrument that is merely drawn is no decision.
      for (const kind of ["change", "click"]) {
        addEventListener(kind, ({ target }) => target.closest && target.closest("mc-explorer, mc-lab") && mc.during(this.keepSoon()));
      }
      this.restore();
      this.show();
      this.update();
    }

    // What was set last time stands there again, unless the address brings values of its own.
    restore() {
      const { states = {} } = mc.ledger.of(this.spec.address);
      for (const each of this.instruments) {
        const kept = states[each.spec.address];
        const fits = kept && each.spec.inputs.every(({ name, low, high }) => kept[name] >= low && kept[name] <= high);
        if (fits && !mc.url.get(each.spec.address)) each.move({ ...each.state, ...kept });
      }
    }

    get instruments() {
      const own = this.spec.parts.filter(({ kind }) => kind === "explorer").map(({ address }) => address);
      return [...document.querySelectorAll("mc-explorer")].filter((each) => each.state && own.includes(each.spec.address));
    }

    enter(name) {
      this.context = name;
      const { sets } = this.spec.contexts.find((each) => each.name === name);
      for (const each of this.instruments) each.move({ ...each.state, ...(sets[each.spec.address] || {}) });
      this.show();
      this.update();
    }

    show() {
      for (const radio of this.querySelectorAll("input[type=radio]")) radio.checked = radio.value === this.context;
      const own = `mc-lab[data-address="${this.spec.address}"] .mc-story, .mc-story[data-lab="${this.spec.address}"]`;
      for (const part of document.querySelectorAll(own)) part.hidden = part.dataset.context !== this.context;
    }

    mark({ address, kind }) {
      const entry = kind === "exercise" ? mc.progress.of(address) : mc.ledger.of(address);
      return !entry.when || (kind === "exercise" && !entry.tries) ? "open" : entry.right ? "right" : "wrong";
    }

    update() {
      const { figures, failures } = outcomes(this.spec, this.instruments);
      const asked = this.spec.parts.filter(({ kind, commits }) => kind !== "explorer" || commits);
      const dots = asked.map((part) => MARKS[this.mark(part)]).join("");
      const context = this.spec.contexts.find(({ name }) => name === this.context);
      const parts = [context && context.label, asked.length && `answers ${dots}`,
        ...figures.map((each) => `${each.label} ${brief(each)}`), failures.length ? `✕ ${failures.join(", ")}` : "✓ no limit hit"];
      const text = parts.filter(Boolean).join(" · ");
      if (this.status.textContent !== text) this.status.textContent = text;
      this.status.dataset.tone = failures.length ? "bad" : "good";
    }

    // After the instruments have moved.
    async keepSoon() {
      await new Promise((later) => setTimeout(later, 60));
      this.keep();
    }

    keep() {
      const { figures, failures } = outcomes(this.spec, this.instruments);
      const states = Object.fromEntries(this.instruments.map(({ spec, state }) => [spec.address, state]));
      const context = this.spec.contexts.find(({ name }) => name === this.context);
      mc.ledger.note(this.spec.address, { kind: "lab", title: this.spec.title, context: this.context,
        setting: context ? context.label : "", states, outcomes: figures, failures });
    }
  }

  // ---- the ledger as a report --------------------------------------------------------------------------

  const cell = (text, tag = "td") => mc.make(tag, text);

  function row(...cells) {
    const line = mc.make("tr");
    line.append(...cells);
    return line;
  }

  function report({ title, parts }, address, entries) {
    const table = mc.make("table", "", "mc-table");
    const entry = entries[address];
    table.append(Object.assign(mc.make("caption", entry && entry.setting ? `${title}: ${entry.setting}` : title)));
    for (const [part, name] of Object.entries(parts)) {
      const made = entries[part];
      if (made && made.kind !== "lab") table.append(row(cell(name), cell(made.says), cell(made.right ? "✓ right" : "✗ not right")));
    }
    for (const { label, text, note = "" } of (entry && entry.outcomes) || []) table.append(row(cell(label), cell(text), cell(note)));
    if (entry) table.append(row(cell("limits"), cell((entry.failures || []).join(", ") || "none hit"), cell(entry.when.slice(0, 10))));
    return table;
  }

  function ledger(place) {
    const labs = JSON.parse(place.dataset.list || "{}");
    const body = mc.make("div");
    place.replaceChildren(body, mc.keeper(mc.ledger, { Print: () => print() }));
    const fill = () => {
      const entries = mc.ledger.load();
      const begun = Object.entries(labs).filter(([address, { parts }]) => entries[address] || Object.keys(parts).some((part) => entries[part]));
      const empty = mc.make("p", "The ledger is empty: it fills while you work through the labs. It is kept in this browser only.");
      body.replaceChildren(...(begun.length ? begun.map(([address, lab]) => report(lab, address, entries)) : [empty]));
    };
    addEventListener(mc.ledger.event, fill);
    fill();
  }

  // One button for each lab from which an instrument can start; the values are those of the moment.
  function starts() {
    for (const each of document.querySelectorAll("mc-explorer")) {
      for (const start of (each.spec && each.spec.start) || []) offer(each, start);
    }
  }

  function offer(each, start) {
    const values = () => taken(each.spec, start, Object.assign({}, ...kept().map(({ states }) => states)));
    const from = Object.values(start)[0].of;
    if (!Object.keys(values()).length || each.querySelector(`.mc-start[data-from="${from}"]`)) return;
    const fleet = nameOf(from, each.spec.start.length > 1);
    const button = mc.make("button", `Start from ${fleet}`, "mc-button mc-start");
    button.dataset.from = from;
    button.onclick = () => begin(each, values(), fleet);
    each.querySelector(".mc-tools").prepend(button);
  }

  function nameOf(from, several) {
    const { title } = kept().find(({ states }) => from in states) || {};
    if (document.querySelector(`mc-explorer[data-address="${from}"]`)) return "the fleet above";
    return several && title ? `your fleet in “${title}”` : "your fleet";
  }

  const kept = () => Object.values(mc.ledger.load()).filter(({ states }) => states);

  function begin(each, values, fleet) {
    const said = each.spec.inputs.filter(({ name }) => name in values).map(({ label, name, unit }) => `${label} ${mc.stated(values[name], unit)}`);
    each.move({ ...each.state, ...values });
    mc.say(`Taken from ${fleet}: ${said.join(", ")}.`);
  }

  mc.ready(() => {
    customElements.define("mc-lab", Lab);
    document.querySelectorAll(".mc-ledger").forEach(ledger);
    mc.ledger.load();
    starts();
    addEventListener(mc.ledger.event, starts);
  });
})((globalThis.mc = globalThis.mc || {}));
