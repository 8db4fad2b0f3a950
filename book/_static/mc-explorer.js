/* <mc-explorer>: sliders, a chart, a sentence, a line of numbers and a table, all from formulas.
 *
 * The upper part is pure: `mc.explorer.html(spec, state)` is the whole inner HTML, drawn by Node
 * at build time, so the page is complete before (and without) this script. The lower part moves
 * it. State is {input name: value in display units}; formulas see declared units.
 */
(function (mc) {
  "use strict";

  const LAYOUTS = { wide: [720, 410], narrow: [350, 350] };
  const esc = mc.escape;
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

  // ---- values ----------------------------------------------------------------------------------

  const defaults = (spec) => Object.fromEntries(spec.inputs.map((input) => [input.name, input.default]));
  const environment = ({ inputs }, state) =>
    Object.fromEntries(inputs.map(({ name, factor }) => [name, state[name] * factor]));

  // A reference is {input} or {f} or {f, with: {argument: reference}}.
  function evaluate(ref, env) {
    if (ref.input) return env[ref.input];
    const own = { ...env };
    for (const name of Object.keys(ref.with || {})) own[name] = evaluate(ref.with[name], env);
    return mc.call(ref.f, own);
  }

  // What a reader chose is shown as chosen, not with the digits of a result.
  const written = (value, { unit, factor }) => mc.stated(Number((value / factor).toPrecision(12)), unit);
  const fill = (template, text) => template.replace(/\{(\w+)\}/g, (whole, name) => text(name) ?? whole);

  function status(spec, state, env) {
    const value = evaluate(spec.bands.of, env);
    const index = spec.bands.edges.filter((edge) => value > edge).length;
    const own = spec.markers.find((mark) => mark.x.input === spec.x.name);
    const usual = own && spec.bands.scale ? `{${own.x.input}} is {value} of the optimum: {label}` : "{label}";
    const known = { value: mc.format(value, 2), label: spec.bands.labels[index].replace(": ", ", ") };
    for (const { name, unit } of spec.inputs) known[name] = mc.stated(state[name], unit);
    return { tone: spec.bands.tones[index], text: fill(spec.bands.template || usual, (name) => known[name]) };
  }

  function spans(spec, env) {
    const { bands, x } = spec;
    if (!bands || !bands.scale) return [];
    const unit = evaluate(bands.scale, env) / x.factor;
    const edges = [x.low, ...bands.edges.map((edge) => edge * unit), x.high];
    return bands.labels.map((label, i) => ({ x0: edges[i], x1: edges[i + 1], tone: bands.tones[i],
      label: bands.names ? bands.names[i] : label.split(/[,:] /)[0] }));
  }

  // ---- chart -----------------------------------------------------------------------------------

  const along = ({ low, high, log }, share) => (log ? low * (high / low) ** share : low + (high - low) * share);

  function markers(spec, env) {
    return spec.markers.map((mark) => {
      const x = evaluate(mark.x, env);
      const y = mc.call(mark.on, { ...env, [spec.x.name]: x });
      const own = Boolean(mark.x.input);
      const place = own ? written(x, spec.x) : mc.show(x, spec.x.unit, spec.x.factor);
      const value = mc.show(y, spec.y.unit, spec.y.factor);
      return { ...mark, own, x: x / spec.x.factor, y: y / spec.y.factor, place, value };
    });
  }

  // The y axis ends at one of few round values, so that it does not breathe with every step. It is
  // made for what formulas mark: a reader's own point far beyond is said to lie above the chart.
  function top({ y }, marks, curves) {
    const highest = (values) => Math.max(...values.filter(Number.isFinite), 0);
    const own = highest(marks.filter((mark) => mark.own).map((mark) => mark.y));
    const fixed = highest(marks.filter((mark) => !mark.own).map((mark) => mark.y)) || own;
    const ends = highest(curves.map(({ points }) => points.at(-1)[1]));
    const wanted = 1.4 * Math.max(fixed, Math.min(own, 2 * fixed)) || ends || 1;
    const power = 10 ** Math.floor(Math.log10(wanted));
    return Math.min(power * [1, 2.5, 5, 10].find((m) => m * power >= wanted), y.high ?? Infinity);
  }

  function chart(spec, env, [width, height], id) {
    const xs = Array.from({ length: spec.x.points }, (_, i) => along(spec.x, i / (spec.x.points - 1)));
    const marks = markers(spec, env);
    const curves = spec.curves.map(({ label, style, f }) => {
      const value = mc.along(f, env, spec.x.name);
      return { label, style, points: xs.map((x) => [x, value(x * spec.x.factor) / spec.y.factor]) };
    });
    const y = { ...spec.y, unit: mc.unitText(spec.y.unit), high: top(spec, marks, curves) };
    const verticals = marks.filter((mark) => mark.vertical).map(({ x, tone, place }) => ({ x, tone, label: place }));
    return mc.chart({ id, width, height, title: spec.title, desc: description(spec, marks), x: spec.x, y,
      curves, markers: marks, verticals, spans: spans(spec, env) });
  }

  const description = ({ curves, x }, marks) => `${curves.map(({ label }) => label).join(", ")} against ${x.label}. ` +
    `${marks.map(({ label, value, place }) => `${label}: ${value} at ${place}`).join("; ")}.`;

  // ---- HTML --------------------------------------------------------------------------------------

  function slider(spec, state, { name, label, html, unit, low, high, step }) {
    const id = `${spec.address}-${name}`.replace(/[^A-Za-z0-9]+/g, "-");
    const text = (value) => esc(mc.stated(value, unit));
    const range = `min="${low}" max="${high}" value="${state[name]}"`;
    return `<div class="mc-slider" data-input="${esc(name)}"><label for="${id}">${esc(label)} ${html || ""}</label>` +
      `<input type="number" ${range} step="any" inputmode="decimal" aria-label="${esc(label)}, exact">` +
      `<input type="range" id="${id}" ${range} step="${step}" aria-valuetext="${text(state[name])}">` +
      `<span class="mc-ends"><span>${text(low)}</span>` +
      `<output for="${id}" aria-live="off">${text(state[name])}</output><span>${text(high)}</span></span></div>`;
  }

  function line(env, { template, html, result, units }) {
    const text = html ? ` = ${template.split(" = ").slice(1).join(" = ")}` : template;
    const shown = (html || "") + fill(esc(text), (name) => units[name] &&
      `<b>${esc(written(env[name], { unit: units[name][0], factor: units[name][1] }))}</b>`);
    const value = mc.show(evaluate(result, env), result.unit, result.factor, result.digits);
    return `<p class="mc-substituted">${shown} = <b class="mc-result">${esc(value)}</b></p>`;
  }

  function table({ columns, rows }, env) {
    const body = rows.map(({ label, unit, factor, digits, cells }) =>
      `<tr><th scope="row">${esc(label)}</th>` + cells.map((cell) =>
        `<td>${esc(mc.show(evaluate(cell, env), unit, factor, digits))}</td>`).join("") + "</tr>").join("");
    const heads = columns.map((column) => `<th scope="col">${esc(column)}</th>`).join("");
    return `<table class="mc-table"><thead><tr><td></td>${heads}</tr></thead><tbody>${body}</tbody></table>`;
  }

  /** Return {part name: HTML} of everything that moves, for one layout or for both. */
  function parts(spec, state, layouts = ["wide", "narrow"]) {
    const env = environment(spec, state);
    const { tone, text } = spec.bands ? status(spec, state, env) : {};
    return {
      status: text ? `<p class="mc-status" data-tone="${tone}">${esc(text)}</p>` : "",
      plot: layouts.map((layout) => `<div class="mc-layout-${layout}">` +
        chart(spec, env, LAYOUTS[layout], `${spec.address}-${layout}`) + "</div>").join(""),
      lines: (spec.lines || []).map((each) => line(env, each)).join(""),
      table: spec.table && spec.table.rows.length ? table(spec.table, env) : "",
    };
  }

  function html(spec, state = defaults(spec)) {
    const fresh = parts(spec, state);
    const region = ` class="mc-scroll" tabindex="0" role="region" aria-label="Numbers: ${esc(spec.title)}"`;
    return `<div class="mc-bar"><p class="mc-head">${esc(spec.title)}</p><span class="mc-tools">` +
      `<button type="button" class="mc-button mc-reset">Reset</button>` +
      `<button type="button" class="mc-button mc-link">Copy link</button></span></div>` +
      `<div class="mc-sliders">${spec.inputs.map((input) => slider(spec, state, input)).join("")}</div>` +
      `<div data-part="status">${fresh.status}</div><div class="mc-plot" data-part="plot">${fresh.plot}</div>` +
      `<div data-part="lines">${fresh.lines}</div><div data-part="table"${fresh.table && region}>${fresh.table}</div>` +
      (spec.limits ? `<p class="mc-limits">${esc(spec.limits)}</p>` : "") +
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
      if (input && value && Number.isFinite(+value)) state[name] = clamp(+value, input.low, input.high);
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
      this.querySelector(".mc-reset").onclick = () => this.move(defaults(this.spec));
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
      const { name, low, high } = this.spec.inputs.find((each) => each.name === target.parentNode.dataset.input);
      const value = target.value === "" ? NaN : Number(target.value);
      const fits = value >= low && value <= high;
      if (target.type === "number") target.setAttribute("aria-invalid", String(!fits && !settled));
      if (fits) this.move({ ...this.state, [name]: value }, settled ? null : target);
      else if (settled) this.move({ ...this.state, [name]: clamp(value || this.state[name], low, high) });
    }

    move(state, typing) {
      this.state = state;
      for (const input of this.spec.inputs) this.show(input, typing);
      this.frame = this.frame || requestAnimationFrame(() => this.draw());
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.settle(), REST);
    }

    show({ name, unit }, typing) {
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
    }

    // At rest: the address carries the state, and it is said once to those who listen.
    settle(copy) {
      const state = write(this.state);
      mc.url.set(this.spec.address, state === write(defaults(this.spec)) ? null : state);
      const said = `${this.part("status").textContent}. ${this.querySelector("desc").textContent}`;
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
