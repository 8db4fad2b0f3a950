/* <mc-explorer>: inputs, charts, cards, bars, a sentence, lines of numbers, a table, and failures
 * with their ways out, all from formulas.
 *
 * The upper part is pure: `mc.explorer.html(spec, state)` is the whole inner HTML, drawn by Node
 * at build time, so the page is complete before (and without) this script. The lower part moves
 * it. State is {input name: value in display units}; formulas see declared units.
 */
(function (mc) {
  "use strict";

  const { esc, clamp, along, defaults, environment } = mc.panels;

  // ---- HTML --------------------------------------------------------------------------------------

  /** Return the kind of a stated quantity, which has its colour throughout the book. */
  const KINDS = { money: /USD|\$/, energy: /\d\s?[µmkMGT]?(?:Wh?|J|g|t)\b/, bytes: /\d\s?[kMGTPE]?i?(?:B|bit)\b/, time: /\d\s?(?:[nµm]?s|min|h|d|weeks?|years?)$/ };
  const kind = (text) => Object.keys(KINDS).find((name) => KINDS[name].test(text)) || "";

  /** What was measured of an input: a band under its track, and the words. */
  function measured(ends, low, high, text) {
    const place = (value) => ((value - low) / (high - low)).toFixed(4);
    const words = ends[0] === ends[1] ? text(ends[0]) : `${text(ends[0])} to ${text(ends[1])}`;
    return [`<i class="mc-band" style="--from: ${place(ends[0])}; --to: ${place(ends[1])}"></i>`,
      `<span class="mc-seen">measured: ${words}</span>`];
  }

  function slider(spec, state, { name, label, html, unit, low, high, step, measured: ends }) {
    const id = `${spec.address}-${name}`.replace(/[^A-Za-z0-9]+/g, "-");
    const text = (value) => esc(mc.stated(value, unit));
    const room = Math.max(...[low, high, low + step, state[name]].map((value) => mc.plain(Number(value.toPrecision(12))).length));
    const range = `min="${low}" max="${high}" value="${state[name]}"`;
    const [band, words] = ends ? measured(ends.map((end) => Number(end.toPrecision(2))), low, high, text) : ["", ""];
    return `<div class="mc-slider" data-input="${esc(name)}" data-kind="${kind(text(high))}"><label for="${id}">${esc(label)} ${html || ""}</label>` +
      `<input type="number" style="--room: ${room}ch" ${range} step="any" inputmode="decimal" aria-label="${esc(label)}, exact">` +
      `<input type="range" id="${id}" ${range} step="${step}" aria-valuetext="${text(state[name])}">${band}` +
      `<span class="mc-ends"><span>${text(low)}</span>` +
      `<output for="${id}" aria-live="off">${text(state[name])}</output><span>${text(high)}</span></span>${words}</div>`;
  }

  function choice(spec, state, { name, label, options }) {
    const radio = ({ label: text, value }) => `<label><input type="radio" name="${esc(spec.address)}-${esc(name)}" ` +
      `value="${value}"${state[name] === value ? " checked" : ""}> ${esc(text)}</label>`;
    return `<fieldset class="mc-choice" data-input="${esc(name)}"><legend>${esc(label)}</legend>` +
      `${options.map(radio).join("")}</fieldset>`;
  }

  const control = (spec, state, input) => (input.options ? choice : slider)(spec, state, input);

  /** Return {part name: HTML} of everything that moves, for one layout or for both. */
  function parts(spec, state, layouts = ["wide", "narrow"]) {
    const env = environment(spec, state);
    const { tone, text } = spec.bands ? mc.panels.status(spec, state, env) : {};
    const panel = (each, i) => [`panel-${i}`,
      each.bars ? mc.panels.bars(each, env) : `<p class="mc-head">${esc(each.title)}</p>${mc.panels.both(each, env, layouts, `${spec.address}-${i}`)}`];
    return {
      status: text ? `<p class="mc-status" data-tone="${tone}">${esc(text)}</p>` : "",
      cards: mc.panels.cards(spec, env),
      failures: mc.panels.failures(spec, state),
      cautions: mc.panels.cautions(spec, env),
      plot: mc.panels.both(spec, env, layouts, spec.address),
      lines: (spec.lines || []).map((each) => mc.panels.line(env, each)).join(""),
      table: spec.table && spec.table.rows.length ? mc.panels.table(spec.table, env) : "",
      ...Object.fromEntries((spec.panels || []).map(panel)),
    };
  }

  function html(spec, state = defaults(spec)) {
    const fresh = parts(spec, state);
    const region = ` class="mc-scroll" tabindex="0" role="region" aria-label="Numbers: ${esc(spec.title)}"`;
    const part = (name, attributes = "") => `<div data-part="${name}"${attributes}>${fresh[name]}</div>`;
    return `<div class="mc-bar"><p class="mc-head">${esc(spec.title)}</p><span class="mc-tools">` +
      `<button type="button" class="mc-button mc-reset">Reset</button>` +
      `<button type="button" class="mc-button mc-link">Copy link</button></span></div>` +
      `<div class="mc-sliders">${spec.inputs.map((input) => control(spec, state, input)).join("")}</div>` +
      part("status") + part("cards", ` class="mc-cards"`) + part("failures") + part("cautions") +
      part("plot", ` class="mc-plot"`) +
      (spec.panels || []).map((_, i) => part(`panel-${i}`, ` class="mc-panel"`)).join("") + part("lines") +
      part("table", fresh.table && region) + (spec.limits ? `<p class="mc-limits">${esc(spec.limits)}</p>` : "") +
      `<p class="mc-hidden" aria-live="polite" data-part="summary"></p>`;
  }

  mc.explorer = { html, parts, defaults };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  const REST = 500; // ms until the summary is read out: not at every step of a slider
  const write = (state) => Object.entries(state).map(([name, value]) => `${name}:${value}`).join(",");
  function read(spec, text) {
    const state = defaults(spec);
    for (const [name, value] of (text || "").split(",").map((pair) => pair.split(":"))) {
      const input = spec.inputs.find((each) => each.name === name);
      if (!input || !value || !Number.isFinite(+value)) continue;
      if (!input.options || input.options.some((option) => option.value === +value)) {
        state[name] = clamp(+value, input.low, input.high);
      }
    }
    return state;
  }

  class Explorer extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.state = read(this.spec, mc.url.get(this.spec.address));
      this.addEventListener("input", (event) => this.moved(event));
      this.addEventListener("change", (event) => this.moved(event, true));
      this.querySelector(".mc-reset").onclick = () => this.move({ ...defaults(this.spec), ...this.opening });
      this.addEventListener("click", ({ target }) => target.matches(".mc-way") && this.cure(target.dataset));
      this.querySelector(".mc-link").onclick = () => this.settle(mc.copy);
      this.dragging();
      this.drawn = {};
      new ResizeObserver(() => this.fitting() !== this.layout && this.draw()).observe(this);
      if (mc.url.get(this.spec.address)) this.move(this.state);
    }

    part(name) { return this.querySelector(`[data-part=${name}]`); }
    fitting() { return this.part("plot").clientWidth < 520 ? "narrow" : "wide"; }

    // A number field may hold half a number while it is typed: that moves nothing until it is one.
    moved({ target }, settled) {
      const { name, low, high } = this.spec.inputs.find((each) =>
        each.name === target.closest("[data-input]").dataset.input);
      const value = target.value === "" ? NaN : Number(target.value);
      const fits = value >= low && value <= high;
      if (target.type === "number") target.setAttribute("aria-invalid", String(!fits && !settled));
      if (fits) this.move({ ...this.state, [name]: value }, settled ? null : target);
      else if (settled) this.move({ ...this.state, [name]: clamp(value || this.state[name], low, high) });
    }

    // A way out is taken; the failure is gone, and with it the button: the input it moved has the focus.
    cure({ sets, value }) {
      this.move({ ...this.state, [sets]: Number(value) });
      this.querySelector(`[data-input="${sets}"] :is([type=range], :checked)`).focus();
    }

    move(state, typing) {
      this.state = state;
      for (const input of this.spec.inputs) this.show(input, typing);
      this.frame = this.frame || requestAnimationFrame(() => this.draw());
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.settle(), REST);
    }

    show({ name, unit, options }, typing) {
      if (options) {
        for (const radio of this.querySelectorAll(`[data-input="${name}"] input`)) radio.checked = +radio.value === this.state[name];
        return;
      }
      const [number, range, output] = this.querySelectorAll(`[data-input="${name}"] :is(input, output)`);
      for (const field of [number, range]) if (field !== typing) field.value = this.state[name];
      output.textContent = mc.stated(this.state[name], unit);
      range.setAttribute("aria-valuetext", output.textContent);
    }

    draw() {
      this.frame = 0;
      this.layout = this.fitting();
      const fresh = Object.entries(parts(this.spec, this.state, [this.layout]));
      for (const [name, html] of fresh) if (html !== this.drawn[name]) this.part(name).innerHTML = html;
      this.drawn = Object.fromEntries(fresh);
      this.dispatchEvent(new CustomEvent("mc-moved", { bubbles: true, detail: { address: this.spec.address, state: this.state } }));
    }

    // The address carries the state.
    keep() {
      const state = write(this.state);
      mc.url.set(this.spec.address, state === write(defaults(this.spec)) ? null : state);
    }

    // At rest: it is kept, and said once to those who listen.
    settle(copy) {
      this.keep();
      const wrong = [...this.querySelectorAll(".mc-failure > p, .mc-refused, .mc-caution")].map((each) => `${each.textContent}. `).join("");
      const said = `${wrong}${this.part("status").textContent}. ${this.querySelector("desc").textContent}`;
      if (copy) copy(location.href, "Link copied: it carries these values.");
      else this.part("summary").textContent = said;
    }

    // The dot can be dragged in the chart; the slider does the same for the keyboard.
    dragging() {
      const mark = this.spec.markers.find(({ x }) => x.input === this.spec.x.name);
      if (!mark) return;
      const plot = this.part("plot");
      plot.classList.add("mc-drag");
      const input = this.spec.inputs.find(({ name }) => name === mark.x.input);
      plot.onpointerdown = ({ pointerId }) => plot.setPointerCapture(pointerId);
      plot.onpointermove = plot.onpointerup = ({ pointerId, clientX }) => plot.hasPointerCapture(pointerId) &&
        this.move({ ...this.state, [input.name]: this.valueAt(clientX, input) });
    }

    valueAt(clientX, { low, high, step, factor }) {
      const svg = this.querySelector(`.mc-layout-${this.layout} svg`);
      const [left, right, width] = svg.dataset.plot.split(" ").map(Number);
      const box = svg.getBoundingClientRect();
      const share = (((clientX - box.left) / box.width) * width - left) / (right - left);
      const value = (along(this.spec.x, share) * this.spec.x.factor) / factor;
      const steps = Math.round((value - low) / step);
      return clamp(Number((low + steps * step).toPrecision(12)), low, high);
    }
  }

  mc.ready(() => customElements.define("mc-explorer", Explorer));
})((globalThis.mc = globalThis.mc || {}));
