/* <mc-lab>: contexts that set all calculators of a lab, its status line, and what the ledger keeps of
 * it; `.mc-ledger`: the ledger as a report; “Start from your fleet” on calculators that can.
 */
(function (mc) {
  "use strict";

  // ---- pure --------------------------------------------------------------------------------------

  // Where a figure has no value or its model ends, in words.
  const warningNote = (label, f, env) => {
    const note = mc.panels.warnings([[label, f, env]]).map(({ text }) => text).join(" ");
    return note && { note };
  };
  // In the status line there is room for the bound alone: “outside C ≤ M / 25”.
  const brief = ({ text, note = "" }) => (note.startsWith("Outside ") ? `${text} (o${note.split(": ")[0].slice(1)})` : text);

  /** Return [{label, text, note?}] of a lab's outcomes, and the failures its calculators are in; of those alone
   * that are open: what an answer still to come would be spoilt by is not computed. */
  function outcomes(spec, all, committed = () => true) {
    const open = ({ after = [] }) => after.every(committed);
    const calculators = all.filter((each) => each.forced || open(spec.parts.find(({ address }) => address === each.spec.address) || {}));
    const of = (address) => calculators.find((each) => each.spec.address === address);
    const figures = spec.outcomes.filter((each) => of(each.of)).map(({ label, of: address, f, unit, factor, digits }) => {
      const { spec: own, state } = of(address);
      const env = mc.panels.environment(own, state);
      return { label, text: mc.show(mc.call(f, env), unit, factor, digits), ...warningNote(label, f, env) };
    });
    const failures = calculators.flatMap(({ spec: own, state }) =>
      (own.failures || []).filter((failure) => mc.panels.isFailing(own, failure, state)).map(({ title }) => title));
    return { figures, failures, waiting: all.length - calculators.length };
  }

  /** Return the values that a calculator takes over from states in the ledger, on its own steps; what
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
      this.status = this.querySelector(".mc-status-line");
      const known = (name) => this.spec.contexts.some((each) => each.name === name);
      const kept = [mc.url.get(this.spec.address), mc.ledger.of(this.spec.address).context].find(known);
      this.context = kept || (this.spec.contexts[0] || {}).name;
      this.addEventListener("change", ({ target }) => this.enter(target.value));
      addEventListener("mc-input-changed", ({ target }) => this.calculators.includes(target) && this.update());
      addEventListener(mc.ledger.event, () => { this.update(); this.recorded(); });
      addEventListener("mc-forced", () => this.update());
      // Only what a reader does is written: a calculator that is merely drawn is no decision.
      for (const kind of ["change", "click"]) {
        addEventListener(kind, ({ target }) => target.closest && target.closest("mc-explorer, mc-lab") && mc.during(this.keepSoon()));
      }
      this.restore();
      this.show();
      dispatchEvent(new Event("mc-context"));
      this.update();
      this.recorded();
    }

    get sets() { return (this.spec.contexts.find(({ name }) => name === this.context) || { sets: {} }).sets; }

    // What was set last time in this context is set again, unless the address brings values of its own.
    restore() {
      const { contexts = {} } = mc.ledger.of(this.spec.address);
      const { states = {} } = contexts[this.context] || {};
      for (const each of this.calculators) {
        each.opening = this.sets[each.spec.address];
        const kept = states[each.spec.address] || each.opening;
        const fits = kept && each.spec.inputs.every(({ name, low, high }) => !(name in kept) || (kept[name] >= low && kept[name] <= high));
        if (fits && !mc.url.get(each.spec.address)) each.setState({ ...each.state, ...kept });
      }
    }

    get calculators() {
      const own = this.spec.parts.filter(({ kind }) => kind === "explorer").map(({ address }) => address);
      return [...document.querySelectorAll("mc-explorer")].filter((each) => each.state && own.includes(each.spec.address));
    }

    // What a reader opened without an answer is shown, so the status line tells of it too.
    get shown() {
      return this.calculators.map(({ spec, state, dataset }) => ({ spec, state, forced: dataset.forced === "yes" }));
    }

    enter(name) {
      this.context = name;
      mc.url.set(this.spec.address, name);
      for (const each of this.calculators) {
        each.opening = this.sets[each.spec.address];
        each.setState({ ...each.state, ...each.opening });
        each.keep(); // at once: the address must not bring the last context's values into this one
      }
      this.show();
      dispatchEvent(new Event("mc-context"));
      this.update();
      this.count = undefined;
      this.recorded();
    }

    show() {
      for (const radio of this.querySelectorAll("input[type=radio]")) radio.checked = radio.value === this.context;
      const own = `mc-lab[data-address="${this.spec.address}"] .mc-story, .mc-story[data-lab="${this.spec.address}"]`;
      for (const part of document.querySelectorAll(own)) part.hidden = part.dataset.context !== this.context;
    }

    committed(address) { return mc.ledger.made(address, this.context).length > 0; }

    mark({ address }) {
      const made = mc.ledger.made(address, this.context);
      return made.length ? (made[0].right ? "right" : "wrong") : "open";
    }

    update() {
      const { figures, failures, waiting } = outcomes(this.spec, this.shown, (address) => this.committed(address));
      const asked = this.spec.parts.filter(({ kind, commits }) => kind !== "explorer" || commits);
      const dots = asked.map((part) => MARKS[this.mark(part)]).join("");
      const context = this.spec.contexts.find(({ name }) => name === this.context);
      const limits = failures.length ? `✕ ${failures.join(", ")}` : waiting ? "" : "✓ no limit hit";
      const parts = [context && context.label, asked.length && `first answers ${dots}`,
        ...figures.map((each) => `${each.label} ${brief(each)}`), limits, waiting && "figures follow your answers"];
      const text = parts.filter(Boolean).join(" · ");
      if (this.status.textContent !== text) this.status.textContent = text;
      this.status.dataset.tone = failures.length ? "bad" : "good";
      this.status.toggleAttribute("data-waiting", !figures.length && !failures.length); // nothing that needs room
    }

    // An answer opens figures: they belong into the ledger with it.
    recorded() {
      const count = this.spec.parts.reduce((sum, { address }) => sum + mc.ledger.made(address, this.context).length, 0);
      if (this.count !== undefined && this.count < count) mc.during(this.keepSoon());
      this.count = count;
    }

    // After the calculators have moved.
    async keepSoon() {
      await new Promise((later) => setTimeout(later, 60));
      this.keep();
    }

    keep() {
      const { figures, failures } = outcomes(this.spec, this.calculators, (address) => this.committed(address));
      const states = Object.fromEntries(this.calculators.map(({ spec, state }) => [spec.address, state]));
      const context = this.spec.contexts.find(({ name }) => name === this.context);
      const { contexts = {} } = mc.ledger.of(this.spec.address);
      const here = { setting: context ? context.label : "", states, outcomes: figures, failures };
      mc.ledger.note(this.spec.address, { kind: "lab", title: this.spec.title, context: this.context, states,
        contexts: { ...contexts, [this.context || ""]: here } });
    }
  }

  // A part of a lab is answered anew in each of its contexts.
  mc.labOf = (address) =>
    [...document.querySelectorAll("mc-lab")].find(({ spec }) => spec && spec.parts.some((part) => part.address === address));

  // ---- the ledger as a report --------------------------------------------------------------------------

  const cell = (text, tag = "td") => mc.make(tag, text);

  function row(...cells) {
    const line = mc.make("tr");
    line.append(...cells);
    return line;
  }

  /** Return {says, right} of a commitment, computed anew: what a file says of itself is not believed. */
  function currentVerdict(part, made) {
    try {
      const { says, right } = ("question" in part ? chosen : "exercise" in part ? guessed : placed)(part, made);
      return { says, right };
    } catch {
      return { says: made.says, right: null };
    }
  }

  /** Tell whether an input can have a value, in its own unit: `accepts` of mathcore/teaching/calculators.py. */
  const accepts = ({ low, high, options }, value) => {
    const rounded = Number(value.toFixed(9));
    return options ? options.some((option) => option.value === rounded) : low <= rounded && rounded <= high;
  };

  /** Return the words of the option that was chosen, as the book has them now, and whether it was right. */
  function chosen({ question }, made) {
    const { at = {}, says } = made, index = mc.question.place(question, made);
    const known = index >= 0 && Object.keys(question.givens).every((name) => Number.isFinite(at[name] ?? 0)) &&
      question.inputs.every((input) => !(input.name in at) || accepts(input, at[input.name] / input.factor));
    if (!known) return { says, right: null };
    const texts = mc.question.answers(question, at).map(({ says: text }) => text);
    const words = says.split(": ").slice(1).join(": ");
    const another = texts.includes(words) && words !== texts[index];
    return { says: `${mc.question.LETTERS[index]}: ${texts[index]}`, right: another ? null : mc.question.right(question, at) === index };
  }

  /** Tell whether commitments to a part in a context can be: the context exists, and dates are in order.
   * With `chosen`, `placed` and `isPast` of mc-store.js these are the rules of mathcore/commands/grading.py. */
  const consistent = ({ contexts }, made) => made.every(({ context, when }, i) =>
    (!context || context in contexts) && (!i || Date.parse(made[i - 1].when) <= Date.parse(when)));

  const guessed = ({ exercise }, { answer, seed = 0 }) => mc.exercise.guessed(exercise, seed, answer);

  function placed({ calculator }, { at, says }) {
    const fits = calculator.inputs.every((input) => accepts(input, at[input.name]));
    const { text, right } = fits ? mc.question.judged(calculator, at) : { text: says, right: null };
    return { says: text, right };
  }

  const VERDICT = new Map([[true, "✓ right"], [false, "✗ not right"], [null, "refused: it cannot be computed"]]);

  function commitment(lab, part, made) {
    const can = consistent(lab, made);
    const [first, last] = [made[0], made[made.length - 1]].map((each) => ({ ...currentVerdict(part, each), ...(can ? {} : { right: null }) }));
    const now = made.length > 1 ? `${last.says} (${made.length - 1} more, ${VERDICT.get(last.right)})` : "";
    return [cell(first.says), cell(made[0].reason || ""), cell(VERDICT.get(first.right)), cell(now), cell(made[0].when.slice(0, 10))];
  }

  /** Return the part of a report that tells of one context of a lab. */
  function report(lab, address, entries, name) {
    const { title, parts, contexts } = lab;
    const table = mc.make("table", "", "mc-table mc-carded mc-report");
    const { setting, outcomes: figures = [], failures = [] } = ((entries[address] || {}).contexts || {})[name] || {};
    const label = setting || contexts[name] || "";
    table.append(Object.assign(mc.make("caption", label ? `${title}: ${label}` : title)));
    const head = mc.make("thead");
    const columns = ["asked", "first answer", "because", "judged", "later", "on"];
    head.append(row(...columns.map((text) => cell(text, "th"))));
    const wide = (text) => Object.assign(cell(text), { colSpan: columns.length - 2 });
    table.append(head);
    for (const part of parts) {
      const made = ((entries[part.address] || {}).made || []).filter(({ context }) => context === name);
      if (!made.length) continue;
      const answered = row(cell(part.title), ...commitment(lab, part, made));
      [...answered.cells].forEach((each, at) => { each.dataset.label = columns[at]; });
      table.append(answered);
    }
    for (const { label: figure, text, note = "" } of figures) table.append(row(cell(figure), cell(text), wide(note)));
    if (setting !== undefined) table.append(row(cell("limits"), cell(failures.join(", ") || "none hit"), wide("")));
    return table;
  }

  /** Return the contexts of a lab in which something was done. */
  function startedContexts({ parts }, address, entries) {
    const states = Object.keys((entries[address] || {}).contexts || {});
    const answers = parts.flatMap(({ address: part }) => ((entries[part] || {}).made || []).map(({ context }) => context));
    return [...new Set([...states, ...answers])];
  }

  // Who hands the report in: kept in the ledger, printed at its head.
  const READER = { name: "Name", course: "Course" };

  function reader(body) {
    const entry = mc.ledger.of("reader");
    for (const [key, says] of Object.entries(READER)) {
      const field = Object.assign(mc.make("input", "", "mc-input"), { type: "text", value: entry[key] || "", maxLength: 120 });
      field.onchange = () => mc.ledger.note("reader", { kind: "reader", [key]: field.value });
      const label = mc.make("label", `${says} `, "mc-reader");
      label.append(field);
      body.append(label);
    }
  }

  function ledger(place) {
    const labs = JSON.parse(place.dataset.list || "{}");
    const who = mc.make("div", "", "mc-row"), body = mc.make("div");
    place.replaceChildren(who, body, mc.storageControls(mc.ledger, { Print: () => print() }));
    const fill = () => {
      const entries = mc.ledger.load();
      const reports = Object.entries(labs).flatMap(([address, lab]) => startedContexts(lab, address, entries).map((name) => report(lab, address, entries, name)));
      const empty = mc.make("p", "The ledger is empty: it fills while you work through the labs. It is kept in this browser only.");
      body.replaceChildren(...(reports.length ? reports : [empty]));
    };
    reader(who);
    addEventListener(mc.ledger.event, fill);
    fill();
  }

  // One button for each lab from which a calculator can start; the values are those of the moment.
  function addStartButtons() {
    for (const each of document.querySelectorAll("mc-explorer")) {
      for (const start of (each.spec && each.spec.start) || []) addStartButton(each, start);
    }
  }

  function addStartButton(each, start) {
    const values = () => taken(each.spec, start, Object.assign({}, ...kept().map(({ states }) => states)));
    const from = Object.values(start)[0].of;
    if (!Object.keys(values()).length || each.querySelector(`.mc-start[data-from="${from}"]`)) return;
    const fleet = nameOf(from, each.spec.start.length > 1);
    const button = mc.make("button", `Start from ${fleet}`, "mc-button mc-start");
    button.dataset.from = from;
    button.onclick = () => applyStart(each, values(), fleet);
    each.querySelector(".mc-tools").prepend(button);
  }

  function nameOf(from, several) {
    const { title } = kept().find(({ states }) => from in states) || {};
    if (document.querySelector(`mc-explorer[data-address="${from}"]`)) return "the fleet above";
    return several && title ? `your fleet in “${title}”` : "your fleet";
  }

  const kept = () => Object.values(mc.ledger.load()).filter(({ states }) => states);

  function applyStart(each, values, fleet) {
    const taken = each.spec.inputs.filter(({ name }) => name in values).map(({ label, name, unit }) => `${label} ${mc.stated(values[name], unit)}`);
    each.move({ ...each.state, ...values });
    mc.say(`Taken from ${fleet}: ${taken.join(", ")}.`);
  }

  mc.ready(() => {
    customElements.define("mc-lab", Lab);
    document.querySelectorAll(".mc-ledger").forEach(ledger);
    mc.ledger.load();
    addStartButtons();
    addEventListener(mc.ledger.event, addStartButtons);
  });
})((globalThis.mc = globalThis.mc || {}));
