/* What a calculator shows, as HTML text: charts, cards, bars, lines of numbers, a table, failures with
 * their ways out. Pure: `state` is {input name: value in display units}, `env` holds the same values
 * in declared units, which is what formulas see.
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

  // A computed number replaces a symbol within the symbol's range, and whole where only whole ones are.
  function withinRange({ range, whole }, value) {
    if (!range) return value;
    const [low, high, open] = range;
    const found = whole ? Math.round(value) : value;
    return found < low || (high !== null && found > high) || (open && found === low) ? NaN : found;
  }

  // A reference is {input} or {f} or {f, with: {argument: reference}}.
  function evaluate(ref, env) {
    if (ref.input) return env[ref.input];
    const own = { ...env };
    for (const name of Object.keys(ref.with || {})) own[name] = withinRange(ref.with[name], evaluate(ref.with[name], env));
    return mc.call(ref.f, own);
  }

  // What a reader chose is shown as chosen, not with the digits of a result.
  const chosenText = (value, { unit, factor }) => mc.stated(Number((value / factor).toPrecision(12)), unit);
  const fill = (template, text) => template.replace(/\{(\w+)\}/g, (whole, name) => text(name) ?? whole);

  function status(spec, state, env) {
    const value = evaluate(spec.bands.ratio, env);
    if (Number.isNaN(value)) return { tone: "bad", text: `No value. ${mc.domainError(spec.bands.ratio.f, env)}` };
    const index = spec.bands.edges.filter((edge) => value > edge).length;
    const own = spec.markers.find((mark) => mark.x.input === spec.x.name);
    const one = own && spec.bands.scale && spec.markers.find((mark) => mark.x.f === spec.bands.scale.f);
    const usual = one ? `{${own.x.input}} is {value} of the ${one.label}: {label}` : "{label}"; // of what is marked at one
    const known = { value: mc.format(value, 2) };
    for (const { name, unit } of spec.inputs) known[name] = mc.stated(state[name], unit);
    const texts = spec.bands.labels.map((label) => fill(spec.bands.template || usual, (name) => ({ ...known, label: label.replace(": ", ", ") })[name]));
    return { tone: spec.bands.severities[index], text: texts[index], longest: texts.reduce((a, b) => (b.length > a.length ? b : a)) };
  }

  function spans(spec, env) {
    const { bands, x } = spec;
    if (!bands || !bands.scale) return [];
    const unit = evaluate(bands.scale, env) / x.factor;
    const edges = [x.low, ...bands.edges.map((edge) => edge * unit), x.high];
    return bands.labels.map((label, i) => ({ x0: edges[i], x1: edges[i + 1], tone: bands.severities[i],
      label: bands.names ? bands.names[i] : label.split(/[,:] /)[0] }));
  }

  // ---- chart -----------------------------------------------------------------------------------

  const along = ({ low, high, log }, share) => (log ? low * (high / low) ** share : low + (high - low) * share);

  function markers(part, env) {
    return part.markers.map((mark) => {
      const x = withinRange(part.x, evaluate(mark.x, env));
      const y = mc.call(mark.on.f, { ...env, [part.x.name]: x });
      const own = Boolean(mark.x.input);
      const place = own ? chosenText(x, part.x) : mc.show(x, part.x.unit, part.x.factor);
      const value = mc.show(y, part.y.unit, part.y.factor);
      return { ...mark, tone: mark.severity, own, grip: own && mark.x.input === part.x.name, x: x / part.x.factor, y: y / part.y.factor, place, value };
    });
  }

  // Lines across a chart: {value in the axis's unit, text with it}.
  const levels = (part, env, upright) => (part.levels || []).filter(({ vertical }) => vertical === upright)
    .map(({ label, at, severity: tone }) => {
      const [value, axis] = [evaluate(at, env), upright ? part.x : part.y];
      return { tone, at: value / axis.factor, label: `${label} ${mc.show(value, axis.unit, axis.factor)}` };
    });

  const finite = (values) => values.filter(Number.isFinite);
  const highest = (values) => Math.max(...finite(values), 0);

  // The y axis ends at one of few round values, so that it does not breathe with every step. It is
  // made for what formulas mark: a reader's own point far beyond is reported as above the chart.
  function top({ y }, marks, curves, lines) {
    if (y.log && y.high) return y.high;
    if (y.log) return 2 * Math.max(...curves.map(({ most }) => most));
    const own = highest(marks.filter((mark) => mark.own).map((mark) => mark.y));
    const fixed = highest(marks.filter((mark) => !mark.own).map((mark) => mark.y)
      .concat(lines.map(({ at }) => at / 1.2))) || own;
    const ends = highest(curves.map(({ points }) => points.at(-1)[1]));
    const wanted = 1.4 * Math.max(fixed, Math.min(own, 2 * fixed)) || ends || 1;
    const power = 10 ** Math.floor(Math.log10(wanted));
    return Math.min(power * [1, 2.5, 5, 10].find((m) => m * power >= wanted), y.high ?? Infinity);
  }

  // A curve is computed anew only when an input moves that it depends on: not while its own marker is dragged.
  const STEPS = 399; // of a curve along its axis
  const places = mc.memoize((x) => Array.from({ length: STEPS + 1 }, (_, i) => along(x, i / STEPS)));
  const others = (f, x) => mc.formula(f).args.filter((name) => name !== x.name);
  const curve = mc.memoize(({ label, style, f }, x, factor, ...known) => {
    const value = mc.curveAlong(f, Object.fromEntries(others(f, x).map((name, i) => [name, known[i]])), x.name);
    const points = places(x).map((at) => [at, value(at * x.factor) / factor]);
    return { label, style, points, most: Math.max(...finite(points.map(([, height]) => height))) };
  });
  const withTop = mc.memoize((y, high) => ({ ...y, unit: mc.unitText(y.unit), high }));

  function chart(part, env, [width, height], id) {
    const marks = markers(part, env);
    const across = levels(part, env, false);
    const curves = part.curves.map((each) => curve(each, part.x, part.y.factor, ...others(each.f, part.x).map((name) => env[name])));
    const y = withTop(part.y, top(part, marks, curves, across));
    const verticals = marks.filter((mark) => mark.vertical).map(({ x, tone, place }) => ({ x, tone, label: place }))
      .concat(levels(part, env, true).map(({ at, tone, label }) => ({ x: at, tone, label })));
    return mc.chart({ id, width, height, title: part.title, desc: description(part, marks, across), x: part.x, y,
      curves, markers: marks, verticals, levels: across, spans: spans(part, env) });
  }

  const description = ({ curves, x }, marks, across) => [
    `${curves.map(({ label }) => label).join(", ")} against ${x.label}`,
    ...marks.map(({ label, value, place }) => `${label}: ${value} at ${place}`),
    ...across.map(({ label }) => label)].join("; ") + ".";

  const both = (part, env, layouts, id) => layouts.map((layout) => `<div class="mc-layout-${layout}">` +
    chart(part, env, LAYOUTS[layout], `${id}-${layout}`) + "</div>").join("");

  // A figure too wide for its card goes on with its unit in the next line, and nowhere else.
  const breakable = (text) => text.replace(/\u202f(?=[^\d\u202f][^\u202f]*$)/, "\u202f<wbr>");

  function cards(spec, env) {
    return (spec.cards || []).map(({ label, f, unit, factor, digits, edges, labels, severities }) => {
      const value = mc.call(f, env);
      const grade = edges.filter((edge) => value / factor > edge).length;
      return `<div class="mc-card" data-tone="${severities[grade]}"><span class="mc-card-label">${esc(label)}</span>` +
        `<b class="mc-card-value">${breakable(esc(mc.show(value, unit, factor, digits)))}</b>` +
        `<span class="mc-card-note">${esc(labels[grade])}</span></div>`;
    }).join("");
  }

  // Bars are HTML: their words are text, and a screen reader has a list.
  function bars({ title, best, bars: all, levels: lines, unit, factor }, env) {
    const values = all.map(({ f }) => mc.call(f, env));
    const limits = lines.map(({ label, at, severity: tone }) => ({ label, tone, value: evaluate(at, env) }));
    const known = values.filter(Number.isFinite);
    const most = Math.max(...known, ...limits.map(({ value }) => value).filter(Number.isFinite)) * 1.02 || 1;
    const first = best ? values.indexOf(best === "least" ? Math.min(...known) : Math.max(...known)) : -1;
    const share = (value) => `${Math.max(0, (100 * value) / most || 0).toFixed(2)}%`;
    const mark = ({ value, tone }) => `<i data-tone="${tone}" style="left:${share(value)}"></i>`;
    const row = ({ label }, i) => `<li${i === first ? " data-best" : ""}><span>${esc(label)}</span>` +
      `<span class="mc-track"><u style="width:${share(values[i])}"></u>${limits.map(mark).join("")}</span>` +
      `<b>${esc(mc.show(values[i], unit, factor))}${i === first ? `, the ${best}` : ""}</b></li>`;
    return `<p class="mc-head">${esc(title)}</p><ul class="mc-bars">${all.map(row).join("")}</ul>` +
      limits.map(({ label, value }) => `<p class="mc-help">${esc(label)}: ${esc(mc.show(value, unit, factor))}</p>`).join("");
  }

  // ---- failures and the ways out ---------------------------------------------------------------------

  const violation = (spec, failure, state) => mc.call(failure.violation.f, environment(spec, state));
  const isFailing = (spec, failure, state) => violation(spec, failure, state) > 0;

  // The values an input can take next to the wanted one, within its range.
  function nearestValues({ options, low, high, step }, wanted) {
    if (options) return options.map(({ value }) => value).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, 1);
    const steps = (wanted - low) / step;
    const at = (n) => Number(clamp(low + n * step, low, high).toPrecision(12));
    return [at(Math.floor(steps + 1e-9)), at(Math.ceil(steps - 1e-9)), at(Math.floor(steps) - 1), at(Math.ceil(steps) + 1)];
  }

  // Of the values between one that fails and one that cures, the first on the input's steps that does.
  function smallestCure({ options, low, high, step }, failing, cure, cures) {
    if (options || cure === undefined) return cure;
    const at = (n) => Number(clamp(low + n * step, low, high).toPrecision(12));
    let [bad, good] = [failing, cure].map((value) => Math.round((value - low) / step));
    while (Math.abs(good - bad) > 1) {
      const middle = Math.trunc((good + bad) / 2);
      if (cures(at(middle))) good = middle; else bad = middle;
    }
    return at(good);
  }

  function remedy(spec, state, failure, { text: says, sets, to }) {
    const input = spec.inputs.find(({ name }) => name === sets);
    const wanted = typeof to === "number" ? to : evaluate(to, environment(spec, state)) / input.factor;
    const cures = (value) => violation(spec, failure, { ...state, [sets]: value }) <= 0;
    const cure = smallestCure(input, state[sets], nearestValues(input, wanted).find(cures), cures);
    const effort = input.options ? 0 : Math.abs(Math.log((cure ?? wanted) / state[sets]));
    const outside = cure === undefined && !input.options ? valueOutsideRange(spec, state, failure, input, wanted) : undefined;
    const value = cure ?? outside ?? wanted;
    const chosen = input.options && input.options.find((option) => option.value === value);
    const shown = chosen ? chosen.label : cure === undefined ? mc.show(value, input.unit) : mc.stated(value, input.unit);
    return { says, sets, text: shown, value: cure, effort: cure === undefined ? 1e9 : effort || 0,
      idle: cure === undefined && outside === undefined };
  }

  // A value that no slider reaches, but that would be enough: that is worth saying, the least of them.
  function valueOutsideRange(spec, state, failure, { name, low, high, factor }, wanted) {
    const env = environment(spec, state);
    const enough = (value) => mc.call(failure.violation.f, { ...env, [name]: value * factor }) <= 0;
    if (!(wanted > 0 && Number.isFinite(wanted) && (wanted < low || wanted > high))) return undefined;
    let good = [1, 1 + 1e-6, 1 - 1e-6].map((share) => wanted * share).find(enough);
    for (let bad = wanted > high ? high : low, turn = 0; good !== undefined && bad > 0 && turn < 50; turn++) {
      const middle = Math.sqrt(bad * good);
      if (enough(middle)) good = middle; else bad = middle;
    }
    return good;
  }

  // A choice that already stands there is no way out, and is not listed; nor is what would not be enough.
  const isInForce = (spec, state, { sets, to }) => to === state[sets] && spec.inputs.some(({ name, options }) => name === sets && options);
  const remediesOf = (spec, state, failure) => failure.remedies.filter((each) => !isInForce(spec, state, each))
    .map((each) => remedy(spec, state, failure, each)).filter(({ idle }) => !idle).sort((a, b) => a.effort - b.effort);

  function failures(spec, state) {
    const env = environment(spec, state);
    return (spec.failures || []).filter((failure) => isFailing(spec, failure, state)).map((failure) => {
      const known = Object.fromEntries(spec.inputs.map(({ name, unit }) => [name, mc.stated(state[name], unit)]));
      for (const [name, slot] of Object.entries(failure.slots)) known[name] = mc.show(evaluate(slot, env), slot.unit, slot.factor);
      const item = ({ says, sets, text, value }) => `<li>${esc(fill(says, (name) => ({ ...known, to: text })[name]))} ` +
        (value === undefined ? `<em>Beyond the slider’s range.</em>`
          : `<button type="button" class="mc-button mc-way" data-sets="${esc(sets)}" data-value="${value}">Try it</button>`) + "</li>";
      return `<div class="mc-failure"><p class="mc-head">${esc(failure.title)}</p>` +
        `<p>${esc(fill(failure.text, (name) => known[name]))}</p><ol>${remediesOf(spec, state, failure).map(item).join("")}</ol></div>`;
    }).join("");
  }

  // A symbol has the value that a reader chose, or a result: `from` {symbol: {f, unit, factor}}.
  function line(env, { template, html, result, units, from = {} }) {
    const found = Object.fromEntries(Object.entries(from).map(([name, ref]) => [name, evaluate(ref, env)]));
    const text = html ? ` = ${template.split(" = ").slice(1).join(" = ")}` : template;
    const put = (name) => (name in found ? mc.show(found[name], from[name].unit, from[name].factor)
      : units[name] && chosenText(env[name], { unit: units[name][0], factor: units[name][1] }));
    const shown = (html || "") + fill(mc.raised(esc(text)), (name) => put(name) && `<b>${esc(put(name))}</b>`);
    const value = mc.show(evaluate(result, { ...env, ...found }), result.unit, result.factor, result.digits);
    return `<p class="mc-substituted">${shown} = <b class="mc-result">${esc(value)}</b></p>`;
  }

  const NUMBER = /^[−–-]?[$~]?\d[\d.,\s\u202f]*(?:[·×]\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\s?%?$|^[–-]?$/;

  function table({ columns, rows }, env) {
    const texts = rows.map(({ unit, factor, digits, cells }) =>
      cells.map((cell) => mc.show(evaluate(cell, env), unit, factor, digits)));
    // a column of numbers is aligned right, as markup.py aligns those of the page
    const aligned = (at) => (texts.every((row) => NUMBER.test(row[at])) ? ' class="mc-n"' : "");
    const body = rows.map(({ label }, at) => `<tr><th scope="row">${esc(label)}</th>`
      + texts[at].map((text, column) => `<td${aligned(column)}>${esc(text)}</td>`).join("") + "</tr>").join("");
    const heads = columns.map((column, at) => `<th${aligned(at)} scope="col">${esc(column)}</th>`).join("");
    return `<table class="mc-table"><thead><tr><td></td>${heads}</tr></thead><tbody>${body}</tbody></table>`;
  }

  // ---- warnings next to the figures ----------- ------------------------------------------------------------

  // Every figure shown, as [label, function, environment]: a card, a bar, a point, a line, a cell of the table.
  function figures(spec, env) {
    const at = (ref) => Object.fromEntries(Object.entries(ref || {}).map(([name, each]) => [name, withinRange(each, evaluate(each, env))]));
    const named = ({ label, f }) => [label, f, env];
    const charts = [spec, ...(spec.panels || []).filter(({ curves }) => curves)];
    const points = charts.flatMap((part) => part.markers.map(({ label, x, on }) => [label, on.f, { ...env, [part.x.name]: withinRange(part.x, evaluate(x, env)) }]));
    const lines = (spec.lines || []).map(({ template, result, from }) => [template.split(" = ")[0], result.f, { ...env, ...at(from) }]);
    const rows = spec.table ? spec.table.rows : [];
    return [
      ...(spec.cards || []).map(named),
      ...(spec.failures || []).map(({ title, violation: { f } }) => [title, f, env]),
      ...points, ...(spec.panels || []).flatMap(({ bars: all = [] }) => all.map(named)), ...lines,
      ...rows.flatMap(({ label, cells }) => cells.map((cell, i) =>
        [`${label} (${spec.table.columns[i]})`, cell.f, { ...env, ...at(cell.with) }])),
    ];
  }

  /** Return why figures have no value, and where their models end: [{text, refused, of: labels}], each text once. */
  function warnings(all) {
    const found = new Map();
    for (const [label, f, env] of all) {
      const refused = mc.domainError(f, env);
      for (const text of refused ? [refused] : mc.validityWarnings(f, env)) {
        const entry = found.get(text) || { text, refused: Boolean(refused), of: [] };
        if (!entry.of.includes(label)) entry.of.push(label);
        found.set(text, entry);
      }
    }
    return [...found.values()];
  }

  const warningHtml = ({ text, refused, of }) => (refused
    ? `<p class="mc-refused"><b>No value</b> of ${esc(of.join(", "))}. ${esc(text)}</p>`
    : `<p class="mc-validity-warning">${esc(text)} <span>This concerns ${esc(of.join(", "))}.</span></p>`);
  const cautions = (found) => found.map(warningHtml).join("");

  const counted = (labels) => (labels.size === 1 ? `“${[...labels][0]}”` : `${labels.size} figures`);
  const labelsOf = (found, kind) => new Set(found.filter(({ refused }) => refused === kind).flatMap(({ of }) => of));

  /** Return one line on limits, missing values and ranges of validity; its length hardly varies, so that it needs one room. */
  function notes(spec, state, found) {
    const [first, ...rest] = failingTitles(spec, state), [none, beyond] = [labelsOf(found, true), labelsOf(found, false)];
    const parts = [first && `✕ ${first}${rest.length ? `, and ${rest.length} more` : ""}`, none.size && `✕ No value of ${counted(none)}`,
      beyond.size && `△ Outside the range of validity: ${counted(beyond)}`].filter(Boolean);
    const fine = spec.failures && spec.failures.length ? "No limit exceeded" : "Within the range of validity";
    return `<span data-tone="${first || none.size ? "bad" : beyond.size ? "warn" : "good"}">${esc(parts.join(" · ") || `✓ ${fine}`)}</span>`;
  }

  // ---- what a move has changed, in one line ------------------------------------------------------------

  // The figures by which a calculator is read, at most: its cards, or else the points of its chart.
  function read(spec, state) {
    const env = environment(spec, state);
    const cards = (spec.cards || []).map(({ label, f, unit, factor, digits }) => [label, mc.show(mc.call(f, env), unit, factor, digits)]);
    return cards.length ? cards : markers(spec, env).map(({ label, value }) => [label, value]);
  }

  const failingTitles = (spec, state) => (spec.failures || []).filter((failure) => isFailing(spec, failure, state)).map(({ title }) => title);

  /** Return the limits that are hit, as a line; the ways out stand further below. */
  const limits = (spec, state) => {
    const titles = failingTitles(spec, state);
    return titles.length ? `✕ ${titles.join(", ")}: the ways out are below.` : "";
  };

  /** Return what differs between two states, as a line: what was moved, two figures, limits, the verdict. */
  function changed(spec, before, after) {
    const moved = spec.inputs.filter(({ name }) => before[name] !== after[name]);
    if (!moved.length) return limits(spec, after);
    const [{ label, name, unit, options }] = moved;
    const at = (state) => (options ? options.find(({ value }) => value === state[name]).label : mc.stated(state[name], unit));
    const what = moved.length > 1 ? `${moved.length} inputs moved` : `${label} from ${at(before)} to ${at(after)}`;
    const then = read(spec, before);
    const figures = read(spec, after).map(([figure, text], i) => [figure, then[i][1], text]).filter(([, a, b]) => a !== b);
    const words = figures.slice(0, 2).map(([figure, a, b]) => `${figure} from ${a} to ${b}`).join(", ");
    const [old, now] = [failingTitles(spec, before), failingTitles(spec, after)];
    const gone = old.filter((title) => !now.includes(title)).map((title) => ` ✓ No longer: ${title}.`);
    const verdict = spec.bands ? ` ${status(spec, after, environment(spec, after)).text}.` : "";
    return `${what}: ${words || "no figure above or below moves"}.${gone.join("")}${verdict} ${limits(spec, after)}`.trim();
  }

  mc.panels = { limits, changed, esc, clamp, along, defaults, environment, status, both, cards, bars, failures,
    isFailing, remediesOf, line, table, figures, warnings, cautions, notes };
})((globalThis.mc = globalThis.mc || {}));
