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

  // ---- sliders: linear, or logarithmic in PLACES of which each is a round value ----------

  const PLACES = 1000, PRESS = 10; // of a logarithmic slider: places in all, and those an arrow key passes
  const stepped = ({ low, high, step }, value) => clamp(Number((low + Math.round((value - low) / step) * step).toPrecision(12)), low, high);
  const share = ({ low, high, log }, value) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const place = (input, value) => Math.round(PLACES * share(input, value));
  const valueOf = (input, at) => (input.log ? stepped(input, Number(along(input, at / PLACES).toPrecision(3))) : at);

  /** Return the value an arrow key leads to: the next that differs. */
  function pressed(input, value, way) {
    for (let at = place(input, value) + way * PRESS; ; at += way) {
      const next = valueOf(input, clamp(at, 0, PLACES));
      if ((next - value) * way > 0 || at <= 0 || at >= PLACES) return next;
    }
  }

  // ---- HTML --------------------------------------------------------------------------------------

  /** Return the kind of a stated quantity, which has its colour throughout the book. */
  const KINDS = { money: /USD|\$/, energy: /\d\s?[µmkMGT]?(?:Wh?|J|g|t)\b/, bytes: /\d\s?[kMGTPE]?i?(?:B|bit)\b/, time: /\d\s?(?:[nµm]?s|min|h|d|weeks?|years?)$/ };
  const kind = (text) => Object.keys(KINDS).find((name) => KINDS[name].test(text)) || "";

  /** What was measured of an input: a band under its track, and the words. */
  function measured(input, ends, text) {
    const [from, to] = ends.map((value) => share(input, value).toFixed(4));
    const words = ends[0] === ends[1] ? text(ends[0]) : `${text(ends[0])} to ${text(ends[1])}`;
    return [`<i class="mc-band" style="--from: ${from}; --to: ${to}"></i>`, `<span class="mc-seen">${esc(input.seen || "measured")}: ${words}</span>`];
  }

  // The track of a logarithmic slider is counted in places; aria-valuetext has the value.
  const track = (input, value) => (input.log ? `min="0" max="${PLACES}" step="1" value="${place(input, value)}"`
    : `min="${input.low}" max="${input.high}" step="${input.step}" value="${value}"`);

  const unitOf = (unit) => mc.stated(2, unit).replace("$2", "USD").replace(/^2\s*/, "");
  const SHORT = 6; // characters of a unit that have room next to its number; it is in full below the track

  function slider(spec, state, input) {
    const { name, label, html, unit, low, high, step, measured: ends } = input;
    const id = idOf(spec, name);
    const text = (value) => esc(mc.stated(value, unit));
    const room = Math.max(...[low, high, low + step, state[name]].map((value) => mc.plain(Number(value.toPrecision(12))).length));
    const [band, words] = ends ? measured(input, ends.map((end) => Number(end.toPrecision(2))), text) : ["", ""];
    return `<div class="mc-slider" data-input="${esc(name)}" data-kind="${kind(text(high))}"><label for="${id}">${esc(label)} ${html || ""}</label>` +
      `<span class="mc-exact"><input type="number" style="--room: ${room}ch" min="${low}" max="${high}" value="${state[name]}" step="any" ` +
      `inputmode="decimal" aria-label="${esc(`${label}, exact${unitOf(unit) && `, in ${unitOf(unit)}`}`)}">` +
      (unitOf(unit).length > SHORT ? "" : `<span class="mc-unit">${esc(unitOf(unit))}</span>`) +
      `<button type="button" class="mc-undo" aria-label="${esc(`Reset ${label}`)}" title="Reset">↺</button></span>` +
      `<input type="range" id="${id}" ${track(input, state[name])} aria-valuetext="${text(state[name])}">${band}` +
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

  const more = (count) => `${count} more input${count > 1 ? "s" : ""}`;
  const OPEN = 5; // inputs that are open: so many have room next to a chart on a phone
  /** Return the inputs that are open, first what is drawn along or guessed; and those that are folded. */
  function parted({ inputs, x, commit, panels = [] }) {
    const first = [x.name, commit && commit.input, ...panels.map((panel) => panel.x && panel.x.name)];
    const ranked = [...inputs].sort((a, b) => first.includes(b.name) - first.includes(a.name));
    return [ranked.slice(0, OPEN), inputs.filter((each) => ranked.indexOf(each) >= OPEN)];
  }

  function controls(spec, state) {
    const [open, folded] = parted(spec).map((list) => list.map((input) => control(spec, state, input)));
    return `<div class="mc-controls"><div class="mc-sliders">${open.join("")}</div>${!folded.length ? ""
      : `<details class="mc-further"><summary>${more(folded.length)}</summary><div class="mc-sliders">${folded.join("")}</div></details>`}</div>`;
  }

  const idOf = ({ address }, name) => `${address}-${name}`.replace(/[^A-Za-z0-9]+/g, "-");

  /** Return {part name: HTML} of the parts that are text, and take more lines in some states than in others. */
  function texts(spec, state, env = environment(spec, state)) {
    return {
      cards: mc.panels.cards(spec, env),
      lines: (spec.lines || []).map((each) => mc.panels.line(env, each)).join(""),
      table: spec.table && spec.table.rows.length ? mc.panels.table(spec.table, env) : "",
    };
  }

  /** Return {part name: HTML} of everything that moves, for one layout or for both. */
  function parts(spec, state, layouts = ["wide", "narrow"]) {
    const env = environment(spec, state);
    const { tone, text, longest } = spec.bands ? mc.panels.status(spec, state, env) : {};
    const found = mc.panels.warnings(mc.panels.figures(spec, env));
    const panel = (each, i) => [`panel-${i}`,
      each.bars ? mc.panels.bars(each, env) : `<p class="mc-head">${esc(each.title)}</p>${mc.panels.both(each, env, layouts, `${spec.address}-${i}`)}`];
    return {
      status: text ? `<p class="mc-status" data-tone="${tone}" data-longest="${esc(longest || text)}"><span>${esc(text)}</span></p>` : "",
      ...texts(spec, state, env),
      failures: mc.panels.failures(spec, state),
      cautions: mc.panels.cautions(found),
      notes: mc.panels.notes(spec, state, found),
      plot: mc.panels.both(spec, env, layouts, spec.address),
      ...Object.fromEntries((spec.panels || []).map(panel)),
    };
  }

  // Limits and ranges of validity: a line that is always there and as high, and in its fold all of what it counts.
  const notes = (part) => `<details class="mc-notes"><summary>${part("notes", "", "span")}</summary>${part("failures")}${part("cautions")}</details>`;

  function html(spec, state = defaults(spec)) {
    const fresh = parts(spec, state);
    const region = ` class="mc-scroll" tabindex="0" role="region" aria-label="Numbers: ${esc(spec.title)}"`;
    const part = (name, attributes = "", tag = "div") => `<${tag} data-part="${name}"${attributes}>${fresh[name]}</${tag}>`;
    return `<div class="mc-bar"><p class="mc-head">${esc(spec.title)}</p><span class="mc-tools">` +
      `<button type="button" class="mc-button mc-reset">Reset</button>` +
      `<button type="button" class="mc-button mc-link">Copy link</button></span></div>` +
      `<div class="mc-play"><div class="mc-stage">${part("plot", ` class="mc-plot"`)}` +
      `<p class="mc-changed" data-part="summary" role="status">${esc(mc.panels.limits(spec, state))}</p></div>${controls(spec, state)}</div>` +
      part("status") + notes(part) + part("cards", ` class="mc-cards"`) +
      (spec.panels || []).map((_, i) => part(`panel-${i}`, ` class="mc-panel"`)).join("") +
      part("lines") +
      part("table", fresh.table && region) + (spec.limits ? `<p class="mc-limits">${esc(spec.limits)}</p>` : "");
  }

  mc.explorer = { html, parts, defaults, place, valueOf, pressed, parted };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  const SAMPLED = [0, 0.03, 0.21, 0.47, 0.72, 0.9, 1]; // shares of a track at which its texts are measured
  const REST = 500; // ms until the summary is read out: not at every step of a slider
  const write = (state) => Object.entries(state).map(([name, value]) => `${name}:${value}`).join(",");
  function read(spec, text) {
    const state = defaults(spec);
    for (const [name, value] of (text || "").split(",").map((pair) => pair.split(":"))) {
      const input = spec.inputs.find((each) => each.name === name);
      if (!input || !value || !Number.isFinite(+value)) continue;
      if (!input.options || input.options.some((option) => option.value === +value)) {
        const within = clamp(+value, input.low, input.high);
        state[name] = input.whole ? Math.round(within) : within;
      }
    }
    return state;
  }

  class Explorer extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.before = this.state = read(this.spec, mc.url.get(this.spec.address));
      this.oninput = (event) => this.moved(event);
      this.onchange = (event) => this.moved(event, true);
      for (const touched of ["pointerover", "focusin"]) this.addEventListener(touched, () => this.reserve()); // before anything is moved
      this.onpointerup = this.onpointercancel = () => this.hold(false); // there is no change where it comes back to its place
      this.onkeydown = (event) => this.keyed(event);
      this.querySelector(".mc-reset").onclick = () => this.move(this.first);
      this.onclick = ({ target }) => {
        if (target.matches(".mc-way")) this.set(target.dataset.sets, Number(target.dataset.value));
        if (target.matches(".mc-undo")) this.undo(target);
      };
      this.querySelector(".mc-link").onclick = () => this.settle(mc.copy);
      this.dragging();
      this.drawn = {};
      this.locks = new Set(); // whatever keeps its results out of the page
      this.layout = this.fitting();
      const seen = new ResizeObserver((parts) => this.resized(parts));
      this.querySelectorAll(":scope > [data-part], .mc-notes > [data-part]").forEach((part) => seen.observe(part));
      if (mc.url.get(this.spec.address)) this.setState(this.state);
    }

    /** Keep the results out of the page while there is a lock, for no style hides them from a screen reader or an inspector. */
    seal(lock, on) {
      const was = this.locks.size;
      this.locks[on ? "add" : "delete"](lock);
      if (Boolean(was) === Boolean(this.locks.size)) return;
      if (this.locks.size) {
        for (const part of this.querySelectorAll("[data-part]")) part.replaceChildren();
        this.drawn = {};
      } else {
        this.draw();
        this.part("summary").textContent = mc.panels.limits(this.spec, this.state);
      }
    }

    /** The state to which a reset leads: the opening one, with what the context of a lab sets. */
    get first() { return { ...defaults(this.spec), ...this.opening }; }

    part(name) { return this.querySelector(`[data-part=${name}]`); }
    fitting() { return this.part("plot").clientWidth < 520 ? "narrow" : "wide"; }

    inputOf(field) { return this.spec.inputs.find(({ name }) => name === field.closest("[data-input]").dataset.input); }

    // A number field may hold half a number while it is typed: that moves nothing until it is one.
    moved({ target }, settled) {
      this.hold(!settled && target.type === "range");
      const input = this.inputOf(target), { name, low, high } = input;
      const typed = target.value === "" ? NaN : Number(target.value);
      if (target.type === "range" && input.log && typed === place(input, this.state[name])) return; // let go where it is: the exact value stays
      const value = target.type === "range" ? valueOf(input, typed) : typed;
      const fits = value >= low && value <= high && (!input.whole || Number.isInteger(value));
      if (target.type === "number") target.setAttribute("aria-invalid", String(!fits && !settled));
      if (fits) this.move({ ...this.state, [name]: value }, settled ? null : target);
      else if (settled) this.move({ ...this.state, [name]: clamp(input.whole ? Math.round(value) || this.state[name] : value || this.state[name], low, high) });
    }

    // While a slider or a point of the chart is moved no part gets lower: with each caution that goes, all below would move.
    hold(on) { this.toggleAttribute("data-held", on); }

    // An arrow key goes to the next value: places of a logarithmic slider may share one.
    keyed(event) {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way || event.target.type !== "range" || !this.inputOf(event.target).log) return;
      event.preventDefault();
      const input = this.inputOf(event.target);
      this.move({ ...this.state, [input.name]: pressed(input, this.state[input.name], way) });
    }

    // The button that did it goes, a way out with its failure and a reset with the difference: the input has the focus.
    set(name, value) {
      this.move({ ...this.state, [name]: value });
      const field = this.querySelector(`[data-input="${name}"] :is([type=range], :checked)`);
      const fold = field.closest("details");
      if (fold) fold.open = true;
      field.focus();
    }

    undo(button) {
      const { name } = this.inputOf(button);
      this.set(name, this.first[name]);
    }

    // Under a hand, `holding` a field or the chart, only what moves is written anew; else all, as what was typed may not hold.
    move(state, holding) {
      const before = this.state;
      this.state = state;
      for (const input of this.spec.inputs) if (!holding || state[input.name] !== before[input.name]) this.show(input, holding);
      this.count();
      // A hand is heard at the beginning of a frame, and before it is drawn the browser lays out what lies under the pointer.
      if (holding) this.draw();
      else this.frame = this.frame || requestAnimationFrame(() => this.draw());
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.settle(), REST);
    }

    /** Stand somewhere without having been moved there: there is no change to tell. */
    setState(state) {
      this.before = state;
      this.reserved = 0;
      this.move(state);
    }

    show(input, holding) {
      const { name, unit, options } = input;
      if (options) {
        for (const radio of this.querySelectorAll(`[data-input="${name}"] input`)) radio.checked = +radio.value === this.state[name];
        return;
      }
      const slider = this.querySelector(`[data-input="${name}"]`);
      const [number, range, output] = slider.querySelectorAll("input, output");
      slider.toggleAttribute("data-moved", this.state[name] !== this.first[name]);
      if (number !== holding) number.value = this.state[name];
      if (range !== holding) range.value = input.log ? place(input, this.state[name]) : this.state[name];
      output.textContent = mc.stated(this.state[name], unit);
      range.setAttribute("aria-valuetext", output.textContent);
    }

    // The fold says when something in it is not at its opening value.
    count() {
      const fold = this.querySelector(".mc-further");
      if (!fold) return;
      const moved = fold.querySelectorAll("[data-moved]").length;
      const text = `${more(fold.querySelectorAll("[data-input]").length)}${moved ? `, ${moved} moved` : ""}`;
      if (fold.firstElementChild.textContent !== text) fold.firstElementChild.textContent = text;
    }

    resized(parts) {
      for (const { target, contentRect } of parts) target.style = `--mc-room: ${contentRect.height}px`;
      if (this.fitting() === this.layout) return;
      this.layout = this.fitting();
      this.hold(false); // the room of a phone held upright is too much when it is turned
      this.draw();
    }

    // Texts have the room that they need with any input along its track: nothing below moves when one takes another line.
    reserve() {
      const wide = this.part("plot").clientWidth;
      if (this.locks.size || !wide || wide === this.reserved) return;
      this.reserved = wide;
      const values = (input) => (input.options ? input.options.map(({ value }) => value)
        : SAMPLED.map((at) => (input.log ? valueOf(input, at * PLACES) : stepped(input, input.low + at * (input.high - input.low)))));
      const states = this.spec.inputs.flatMap((input) => values(input).map((value) => ({ ...this.state, [input.name]: value })));
      const drawn = [this.state, ...states].map((state) => texts(this.spec, state));
      const sheet = this.appendChild(mc.make("div", "", "mc-sizing"));
      sheet.style.width = `${0.95 * wide}px`; // a number between the sampled ones may have a digit more
      const copies = Object.keys(drawn[0]).map((name) => [name, [...new Set(drawn.map((each) => each[name]))].map((text) => {
        const copy = sheet.appendChild(mc.make("div", "", this.part(name).className));
        copy.innerHTML = text;
        return copy;
      })]);
      const rooms = copies.map(([name, all]) => [name, Math.max(...all.map(({ offsetHeight }) => offsetHeight))]);
      sheet.remove();
      for (const [name, height] of rooms) this.style.setProperty(`--mc-least-${name}`, `${height}px`);
    }

    // Its width is known from the observer: to ask for it here would lay the page out twice a frame.
    draw() {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      if (!this.locks.size) for (const [name, html] of Object.entries(parts(this.spec, this.state, [this.layout]))) this.write(name, html);
      this.dispatchEvent(new CustomEvent("mc-input-changed", { bubbles: true, detail: { address: this.spec.address, state: this.state } }));
    }

    write(name, html) {
      const was = this.drawn[name];
      if (was && was.html === html) return;
      const fresh = this.drawn[name] = mc.patch.tree(html);
      if (was) mc.patch(this.part(name), was, fresh);
      else this.part(name).innerHTML = html;
    }

    // The address carries the state.
    keep() {
      const state = write(this.state);
      mc.url.set(this.spec.address, state === write(defaults(this.spec)) ? null : state);
    }

    // At rest: it is kept, and the line below the chart states once what the move has changed.
    settle(copy) {
      this.keep();
      if (copy) return copy(location.href, "Link copied; it stores these values.");
      const text = this.locks.size ? "" : mc.panels.changed(this.spec, this.before, this.state);
      this.before = this.state;
      if (text) this.part("summary").textContent = text;
    }

    // The dot can be dragged in the chart; the slider does the same for the keyboard.
    dragging() {
      const mark = this.spec.markers.find(({ x }) => x.input === this.spec.x.name);
      if (!mark) return;
      const plot = this.part("plot");
      plot.classList.add("mc-drag");
      const input = this.spec.inputs.find(({ name }) => name === mark.x.input);
      plot.onpointerdown = ({ pointerId }) => plot.setPointerCapture(pointerId);
      plot.onpointermove = plot.onpointerup = ({ pointerId, clientX }) => {
        if (!plot.hasPointerCapture(pointerId)) return;
        this.hold(true);
        this.move({ ...this.state, [input.name]: this.valueAt(clientX, input) }, plot);
      };
    }

    valueAt(clientX, input) {
      const svg = this.querySelector(`.mc-layout-${this.layout} svg`);
      const [left, right, width] = svg.dataset.plot.split(" ").map(Number);
      const box = svg.getBoundingClientRect();
      const at = (((clientX - box.left) / box.width) * width - left) / (right - left);
      const value = (along(this.spec.x, at) * this.spec.x.factor) / input.factor;
      return stepped(input, input.log ? Number(value.toPrecision(3)) : value);
    }
  }

  mc.ready(() => customElements.define("mc-explorer", Explorer));
})((globalThis.mc = globalThis.mc || {}));
