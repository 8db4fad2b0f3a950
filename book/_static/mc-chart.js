/* One chart as SVG text, at build time and for every frame under a slider. Pure: text out.
 *
 * Curves carry their names, so there is no legend to look up, and names never overlap: those of
 * curves that reach the right edge stand in the margin, parted from top to bottom; all others take
 * the cheapest free place beside their curve or marker. Dashes tell curves apart without colour.
 */
(function (mc) {
  "use strict";

  const LINE = 15, PAD = 12, BOLD = 1.1; // px: a line of text, air; bold is wider
  const { textWidth: width, wrap } = mc;
  const r = (value) => Math.round(value * 10) / 10;
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

  const words = (x, y, text, kind, anchor = "start") =>
    `<text class="mcc-${kind}" x="${r(x)}" y="${r(y)}" text-anchor="${anchor}">${mc.escape(text)}</text>`;
  const block = (label, x, y, kind) =>
    label.lines.map((line, i) => words(x, y + LINE * (i + 0.78), line, kind(i))).join("");
  const path = (kind, d) => `<path class="mcc-${kind}" d="${d}"/>`;

  // ---- axes ----------------------------------------------------------------------------------

  function scale({ low, high, log }, from, to) {
    const f = log ? Math.log : (v) => v;
    return (value) => from + ((f(value) - f(low)) * (to - from)) / (f(high) - f(low));
  }

  const perCent = ({ unit }) => (unit === "%" ? unit : ""); // stands at each tick, other units in the title

  // Room around the plot: names of curves stand right of it, ticks left of it, bands above it.
  function frame(c) {
    const narrow = c.width < 520;
    const names = c.curves.map((curve) => wrap(curve.label, narrow ? 66 : 120));
    const [top, bottom] = [c.spans && c.spans.length ? 48 : 24, c.height - 46];
    const levels = mc.ticks(c.y, (bottom - top) / 44).map((y) => ({ y, text: mc.stated(y, perCent(c.y)) }));
    const left = Math.max(34, ...levels.map(({ text }) => width(text))) + 10;
    const right = c.width - Math.max(...names.map((name) => name.w), 0) - 20;
    return { left, right, top, bottom, narrow, names, levels, x: scale(c.x, left, right), y: scale(c.y, bottom, top) };
  }

  const titled = (axis) => (axis.unit && !perCent(axis) ? `${axis.label} (${axis.unit})` : axis.label);

  function grid(c, f, callouts) {
    const y = f.levels.map((level) => path("grid", `M${r(f.left)} ${r(f.y(level.y))}H${r(f.right)}`) +
      words(f.left - 7, f.y(level.y) + 4, level.text, "tick", "end"));
    const x = mc.ticks(c.x, (f.right - f.left) / 70).map((tick) => {
      const text = mc.plain(tick);
      const free = callouts.every(({ at, size }) => Math.abs(at - f.x(tick)) > (size + width(text)) / 2 + 4);
      return path("mark", `M${r(f.x(tick))} ${f.bottom}v5`) +
        (free ? words(f.x(tick), f.bottom + 18, text, "tick", "middle") : "");
    });
    return y.join("") + path("axis", `M${r(f.left)} ${f.bottom}H${r(f.right)}`) + x.join("") +
      words(4, 13, titled(c.y), "title") + words(f.right, c.height - 6, titled(c.x), "title", "end");
  }

  // ---- curves --------------------------------------------------------------------------------

  // The parts of a curve inside the plot; a curve that leaves it ends on the edge.
  function visible(points, f) {
    const runs = [];
    let run = null;
    points.forEach((p, i) => {
      const q = points[i - 1];
      const inside = p[1] >= f.top - 0.1 && p[1] <= f.bottom + 0.1; // false for NaN
      if (i && inside !== (run !== null) && Number.isFinite(p[1] + q[1])) {
        const edge = (inside ? q : p)[1] < f.top ? f.top : f.bottom;
        const cut = [q[0] + ((p[0] - q[0]) * (edge - q[1])) / (p[1] - q[1]), edge];
        if (inside) runs.push((run = [cut]));
        else run.push(cut);
      }
      if (inside && !run) runs.push((run = []));
      if (inside) run.push(p);
      else run = null;
    });
    return runs.filter((part) => part.length > 1).map(thin);
  }

  // Leave out every point that a straight line passes within a tenth of a pixel: 400 become 60.
  function thin(points) {
    const kept = [points[0]];
    let [low, high] = [-Infinity, Infinity];
    for (let i = 1; i < points.length; i++) {
      let a = kept[kept.length - 1];
      const slope = (p, shift) => (p[1] + shift - a[1]) / (p[0] - a[0]);
      if (slope(points[i], 0) < low || slope(points[i], 0) > high) {
        kept.push((a = points[i - 1]));
        [low, high] = [-Infinity, Infinity];
      }
      low = Math.max(low, slope(points[i], -0.08));
      high = Math.min(high, slope(points[i], 0.08));
    }
    return [...kept, points[points.length - 1]];
  }

  const drawn = (c, f) => c.curves.map((curve, i) => {
    const runs = visible(curve.points.map(([x, y]) => [f.x(x), f.y(y)]), f);
    const end = runs.length ? runs[runs.length - 1].at(-1) : null;
    return { style: curve.style, name: f.names[i], runs, end, atEdge: Boolean(end) && end[0] > f.right - 1 };
  });

  const strokes = ({ runs, style }) => runs.map((run) =>
    path(`curve mcc-${style}`, "M" + run.map(([x, y]) => `${r(x)} ${r(y)}`).join("L"))).join("");

  // ---- words that do not overlap -------------------------------------------------------------

  // Part neighbours on a line: each is pushed on by the one before, then back from the end.
  function spread(items, low, high) {
    items.sort((a, b) => a.want - b.want);
    let edge = low;
    for (const item of items) edge = (item.at = Math.max(item.want, edge + item.size / 2)) + item.size / 2;
    edge = high;
    for (const item of items.toReversed()) edge = (item.at = Math.min(item.at, edge - item.size / 2)) - item.size / 2;
    return items;
  }

  function marginNames(curves, f) {
    const list = curves.filter((curve) => curve.atEdge)
      .map((curve) => ({ ...curve, want: curve.end[1], size: curve.name.h + 1 }));
    return spread(list, f.top - 8, f.bottom + 8).map(({ name, want, at, style }) =>
      path("lead", `M${r(f.right + 2)} ${r(want)}L${r(f.right + 11)} ${r(at)}`) +
      block(name, f.right + 14, at - name.h / 2, () => `name mcc-${style}`)).join("");
  }

  const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

  const crosses = (run, { x, y, w, h }) => run.some((q, i) => {
    const p = run[i - 1];
    if (!i || q[0] < x || p[0] > x + w) return false;
    const within = q[0] === p[0] ? [p[1], q[1]]
      : [x, x + w].map((at) => p[1] + (q[1] - p[1]) * clamp((at - p[0]) / (q[0] - p[0]), 0, 1));
    return Math.max(...within) >= y && Math.min(...within) <= y + h;
  });

  const AROUND = [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]]
    .flatMap((way) => [9, 26, 48, 80, 120, 170].map((gap) => [...way, gap]));

  /** Return the cheapest place for a label beside one of `anchors`, and take it. */
  function settle(label, anchors, f, lines, taken) {
    let best = { cost: Infinity };
    anchors.forEach(([ax, ay], rank) => {
      for (const [dx, dy, gap] of AROUND) {
        const box = { w: label.w, h: label.h, cost: rank + gap / 9 + (gap > 80 ? 60 : 0) }; // far away: when near is full
        box.x = clamp(ax + dx * gap - ((1 - dx) / 2) * label.w, f.left + 3, f.right - label.w - 6);
        box.y = clamp(ay + dy * gap - ((1 - dy) / 2) * label.h, f.top + 2, f.bottom - label.h - 2);
        const air = { x: box.x - 3, y: box.y - 1, w: box.w + 6, h: box.h + 2 };
        box.cost += 1000 * taken.filter((other) => overlap(air, other)).length;
        if (box.cost < best.cost) box.cost += 40 * lines.filter((run) => crosses(run, air)).length;
        if (box.cost < best.cost) best = box;
      }
    });
    taken.push(best);
    return best;
  }

  // A name inside the plot, for curves that end before its right edge: places from there backwards.
  const insideNames = (curves, f, lines, taken) => curves.filter(({ end, atEdge }) => end && !atEdge)
    .map(({ name, runs, style }) => {
      const at = settle(name, runs.at(-1).toReversed(), f, lines, taken);
      return block(name, at.x, at.y, () => `name mcc-${style}`);
    }).join("");

  // ---- markers, verticals, bands -------------------------------------------------------------

  const SHAPES = {
    dot: "m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z", diamond: "m0-8l8 8l-8 8l-8-8z",
    square: "m-6-6h12v12h-12z", small: "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    beyond: "m-7 12l7-10l7 10z", // points to a value above the plot
  };

  const GRIP = "m-14 0a14 14 0 1 0 28 0a14 14 0 1 0 -28 0z"; // what can be taken hold of, around a point that can be dragged

  function marker({ label, value = "", x, y, shape, tone, grip }, f, lines, taken) {
    const beyond = f.y(y) < f.top - 1;
    const at = [f.x(x), Math.max(f.y(y), f.top)];
    if (!(at[0] >= f.left - 1 && at[0] <= f.right + 1 && at[1] <= f.bottom + 1)) return "";
    const form = SHAPES[beyond ? "beyond" : value ? shape : "small"];
    const dot = (grip ? path("grip", `M${at.map(r).join(" ")}${GRIP}`) : "") + path(`point mcc-${tone}`, `M${at.map(r).join(" ")}${form}`);
    if (!label) return dot;
    const name = wrap(beyond ? `${label}, above the chart` : label, f.narrow ? 100 : 150);
    const text = { lines: [...name.lines, value], w: Math.max(name.w, width(value) * BOLD), h: name.h + LINE };
    const place = settle(text, [at], f, lines, taken);
    const near = [clamp(at[0], place.x, place.x + place.w), clamp(at[1], place.y, place.y + place.h)];
    const far = Math.hypot(near[0] - at[0], near[1] - at[1]) > 16;
    return (far ? path("lead", `M${at.map(r).join(" ")}L${near.map(r).join(" ")}`) : "") + dot +
      block(text, place.x, place.y, (i) => `${i === name.lines.length ? "value" : "label"} mcc-${tone}`);
  }

  // Values on the axis under their lines; neighbours are parted, a line leads to each.
  const callouts = (c, f) => spread((c.verticals || []).filter(({ x }) => x >= c.x.low && x <= c.x.high)
    .map((line) => ({ ...line, want: f.x(line.x), size: width(line.label) * BOLD + PAD })), 0, f.right + 40);

  const vertical = ({ want, at, label, tone }, f) =>
    path(`vertical mcc-${tone}`, `M${r(want)} ${f.top}V${f.bottom}`) +
    path("lead", `M${r(want)} ${f.bottom}L${r(at)} ${f.bottom + 7}`) +
    words(at, f.bottom + 18, label, "callout", "middle");

  // The good band is named even where it is narrow; the others where there is room left.
  function bands(c, f) {
    const list = (c.spans || []).map((span) => {
      const [left, right] = [span.x0, span.x1].map((x) => r(f.x(clamp(x, c.x.low, c.x.high))));
      return { ...span, left, right, w: width(span.label) * BOLD };
    }).filter(({ left, right }) => right - left > 1);
    const good = list.find(({ tone }) => tone === "good");
    if (good) good.at = clamp((good.left + good.right) / 2, f.left + good.w / 2, f.right - good.w / 2);
    const free = (span) => {
      if (span === good) return true;
      const from = good && span.left > good.left ? Math.max(span.left, good.at + good.w / 2) : span.left;
      const to = good && span.left < good.left ? Math.min(span.right, good.at - good.w / 2) : span.right;
      span.at = (from + to) / 2;
      return to - from >= span.w;
    };
    const ribbon = ({ left, right, tone }) => path(`ribbon mcc-${tone}`, `M${left} ${f.top - 22}H${right}v18H${left}z`);
    const named = ({ at, label, tone }) => words(at, f.top - 9, label, `span mcc-${tone}`, "middle");
    const shade = ({ left, right }) => path("band", `M${left} ${f.top}H${right}V${f.bottom}H${left}z`);
    return [...list.map(ribbon), ...list.filter(free).map(named), good ? shade(good) : ""].join("");
  }

  // A line across the plot with its name, where that is free.
  function level({ at, label, tone }, f, lines, taken) {
    const y = f.y(at);
    if (!(y >= f.top - 1 && y <= f.bottom + 1)) return "";
    const anchors = [0.05, 0.35, 0.65, 0.9].map((share) => [f.left + share * (f.right - f.left), y]);
    const text = wrap(label, f.narrow ? 120 : 220);
    const place = settle(text, anchors, f, lines, taken);
    return path(`vertical mcc-${tone}`, `M${r(f.left)} ${r(y)}H${r(f.right)}`) +
      block(text, place.x, place.y, () => `label mcc-${tone}`);
  }

  const titles = ({ id, title, desc }) => (!id ? `aria-label="${mc.escape(title)}">`
    : `aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${mc.escape(title)}</title>` +
      `<desc id="${id}-d">${mc.escape(desc)}</desc>`);

  /** Draw a chart: curves with names, markers, verticals with their value, named bands. */
  mc.chart = (c) => {
    const f = frame(c);
    const curves = drawn(c, f);
    const marks = callouts(c, f);
    const lines = curves.flatMap(({ runs }) => runs).concat(marks.map(({ want }) => [[want, f.top], [want, f.bottom]]));
    const points = c.markers || [];
    const taken = points.map(({ x, y }) => ({ x: f.x(x) - 9, y: Math.max(f.y(y), f.top) - 9, w: 18, h: 18 }));
    return `<svg class="mc-chart" viewBox="0 0 ${c.width} ${c.height}" role="img" ` +
      `data-plot="${r(f.left)} ${r(f.right)} ${c.width}" ${titles(c)}` +
      bands(c, f) + grid(c, f, marks) + marks.map((line) => vertical(line, f)).join("") +
      curves.map(strokes).join("") + marginNames(curves, f) +
      points.map((mark) => marker(mark, f, lines, taken)).join("") +
      (c.levels || []).map((line) => level(line, f, lines, taken)).join("") + insideNames(curves, f, lines, taken) + "</svg>";
  };
})((globalThis.mc = globalThis.mc || {}));
