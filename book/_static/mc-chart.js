/* One chart as SVG text, at build time and for every frame under a slider. Pure: text out.
 *
 * Curves carry their names, so there is no legend to look up, and names never overlap: those of
 * curves that reach the right edge stand in the margin, parted from top to bottom; all others take
 * the cheapest free place next to their curve or marker. Dashes tell curves apart without colour.
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
  // What comes and goes together is a group: when a marker's line goes, the curves need not be written anew.
  const group = (...parts) => `<g>${parts.join("")}</g>`;

  // ---- axes ----------------------------------------------------------------------------------

  function scale({ low, high, log }, from, to) {
    const f = log ? Math.log : (v) => v;
    return (value) => from + ((f(value) - f(low)) * (to - from)) / (f(high) - f(low));
  }

  // Does a curve come to the right edge between bottom and top? Then its name stands there.
  function reaches({ points }, { x, y }) {
    const last = points.findLast((point) => Number.isFinite(point[1])) || [NaN, NaN];
    const short = x.log ? Math.log(x.high / last[0]) / Math.log(x.high / x.low) : (x.high - last[0]) / (x.high - x.low);
    return short < 0.002 && last[1] >= y.low && last[1] <= y.high;
  }

  const yTicks = (c, top, bottom) => (c.y.names
    ? c.y.names.map((name, i) => ({ y: i + 1, name: wrap(name, c.width < 520 ? 100 : 200) }))
    : mc.ticks(c.y, (bottom - top) / 44).map((y) => ({ y, name: wrap(mc.tickText(y, c.y), Infinity) })));

  // Room around the plot: names of curves stand right of it, ticks left of it, bands or names of lines above it.
  const frame = mc.memoize((x, y, across, height, still, banded, uprights, ...curves) => {
    const c = { x, y, width: across, height, still, uprights, curves };
    const narrow = across < 520;
    const names = curves.map(({ label }) => (label ? wrap(label, narrow ? 84 : 120) : { lines: [], w: 0, h: 0 }));
    const [head, foot] = [y, x].map((axis) => wrap(mc.axisTitle(axis), across - 12).lines);
    const bottom = height - 46 - LINE * (foot.length - 1);
    const ticks = yTicks(c, 24, bottom);
    const left = Math.round(Math.max(34, ...ticks.map(({ name }) => name.w / BOLD))) + 10;
    const visible = names.filter((_, i) => !still || reaches(curves[i], c)); // what is moved keeps its width
    const right = Math.round(across - Math.max(...visible.map(({ w }) => w), 0)) - 20;
    const f = { left, right, bottom, narrow, names, head, foot, x: scale(x, left, right) };
    f.over = labelRows(c, f);
    f.top = (banded ? 48 : 24) + LINE * (head.length - 1 + Math.max(0, ...f.over.map(({ row }) => row + 1)));
    Object.assign(f, { y: scale(y, bottom, f.top), ticks: fittingTicks(c, f) });
    return Object.assign(f, { rows: rows(c, f), titles: titles(c, f) });
  });

  // The ticks of the x axis: as many as stand side by side with their numbers.
  function fittingTicks(c, f) {
    for (let most = (f.right - f.left) / (c.still ? 52 : 70); ; most *= 0.8) {
      const ticks = mc.ticks(c.x, most).map((x) => ({ at: f.x(x), text: mc.tickText(x, c.x) }))
        .map((tick) => ({ ...tick, w: width(tick.text) }));
      const tight = ticks.some(({ at, w }, i) => i && at - w / 2 < ticks[i - 1].at + ticks[i - 1].w / 2 + 3);
      if (!tight || most < 1.5) return ticks;
    }
  }

  const rows = (c, f) => group(...yTicks(c, f.top, f.bottom).map(({ y: at, name }) =>
    (c.y.names ? "" : path("grid", `M${r(f.left)} ${r(f.y(at))}H${r(f.right)}`)) + name.lines.map((line, i) =>
      words(f.left - 7, f.y(at) + 4 + LINE * (i - (name.lines.length - 1) / 2), line, "tick", "end")).join("")));

  const titles = (c, { head, foot, right }) => group(...head.map((line, i) => words(4, 13 + LINE * i, line, "title")),
    ...foot.map((line, i) => words(clamp(width(line), right, c.width - 6), c.height - 6 - LINE * (foot.length - 1 - i), line, "title", "end")));

  // A tick's number gives way to a value that is called out next to it.
  const axis = (f, callouts) => group(path("axis", `M${r(f.left)} ${f.bottom}H${r(f.right)}`), ...f.ticks.map(({ at, text, w }) => {
    const free = callouts.every((call) => Math.abs(call.at - at) > (call.size + w) / 2 + 4);
    return path("mark", `M${r(at)} ${f.bottom}v5`) + (free ? words(at, f.bottom + 18, text, "tick", "middle") : "");
  }));

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
    return runs.filter((part) => part.length > 1).map(simplified);
  }

  // Leave out every point that a straight line passes within a tenth of a pixel: 400 become 60.
  function simplified(points) {
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

  const curvePaths = mc.memoize(({ points, style }, f, name) => {
    const runs = visible(points.map(([x, y]) => [f.x(x), f.y(y)]), f);
    const end = runs.length ? runs[runs.length - 1].at(-1) : null;
    const atEdge = Boolean(end) && end[0] > f.right - 1;
    return { style, name, runs, end, atEdge, anchors: end ? runs.at(-1).toReversed() : [], strokes: strokes(runs, style) };
  });

  const strokes = (runs, style) => group(...runs.map((run) =>
    path(`curve mcc-${style}`, "M" + run.map(([x, y]) => `${r(x)} ${r(y)}`).join("L"))));

  const between = ([x, y], [u, v], share) => [x + (u - x) * share, y + (v - y) * share];
  const sampled = (run) => run.flatMap((p, i) => {
    const steps = i ? Math.ceil(Math.hypot(p[0] - run[i - 1][0], p[1] - run[i - 1][1]) / 8) : 0;
    return Array.from({ length: steps }, (_, n) => between(run[i - 1], p, (n + 1) / steps));
  });

  // A curve whose end lies on another's is named where it stands clear of all others, the clearest place first.
  const [NEAR, CLEAR] = [9, 20]; // px
  function separated(curves) {
    const own = curves.map(({ runs }) => runs.flatMap(sampled));
    const clear = (i) => own[i].map((p) => ({ p, gap: Math.min(99, ...own.flatMap((points, j) =>
      (j === i ? [] : points.map((q) => Math.hypot(p[0] - q[0], p[1] - q[1]))))) }))
      .filter(({ gap }) => gap > CLEAR).sort((one, other) => other.gap - one.gap).map(({ p }) => p);
    const crowded = (curve) => curves.some((other) => other !== curve && other.atEdge && other.name.w &&
      Math.abs(other.end[1] - curve.end[1]) < NEAR);
    curves.forEach((curve, i) => {
      const places = curve.atEdge && curve.name.w && curve.style !== "plain" && crowded(curve) ? clear(i) : [];
      const every = Math.ceil(places.length / 20);
      if (every) Object.assign(curve, { atEdge: false, anchors: places.filter((_, n) => n % every === 0) });
    });
    return curves;
  }

  // Bars lie at the heights 1, 2, … with their values next to their ends; one without length is a stroke.
  const bars = (c, f) => (c.bars || []).map(({ ends, texts }, i) => {
    const [[left, right], y] = [ends.map(f.x).toSorted((a, b) => a - b), f.y(i + 1)];
    const fits = left - 10 - width(texts[0]) * BOLD > f.left;
    return path("bar", `M${r(left - 0.8)} ${r(y - 8)}H${r(right + 0.8)}v16H${r(left - 0.8)}z`) +
      words(left - 6, y + 4, fits ? texts[0] : "", "value", "end") +
      words(right + 6, y + 4, fits ? texts[1] : texts.filter(Boolean).join(" to "), "value");
  }).join("");

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

  const marginNames = mc.memoize((f, ...curves) => {
    const list = curves.filter(({ atEdge, name }) => atEdge && name.w)
      .map((curve) => ({ ...curve, want: curve.end[1], size: curve.name.h + 1 }));
    return spread(list, f.top - 8, f.bottom + 8).map(({ name, want, at, style }) =>
      path("lead", `M${r(f.right + 2)} ${r(want)}L${r(f.right + 11)} ${r(at)}`) +
      block(name, f.right + 14, at - name.h / 2, () => `name mcc-${style}`)).join("");
  });

  const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

  const height = ([x, y], [u, v], at) => y + (v - y) * clamp((at - x) / (u - x), 0, 1);

  function crosses(run, { x, y, w, h }) {
    for (let i = 1; i < run.length; i += 1) {
      const [p, q] = [run[i - 1], run[i]];
      if (q[0] < x || p[0] > x + w) continue;
      const [from, to] = q[0] === p[0] ? [p[1], q[1]] : [height(p, q, x), height(p, q, x + w)];
      if (Math.max(from, to) >= y && Math.min(from, to) <= y + h) return true;
    }
    return false;
  }

  const DIRECTIONS = [[1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]]
    .flatMap((way) => [9, 26, 48, 80, 120, 170].map((gap) => [...way, gap]));

  // What a place costs with all that it would cover; from `most` on it is too much, whatever follows.
  function placementCost({ x, y, w, h, cost }, lines, taken, most) {
    const air = { x: x - 3, y: y - 1, w: w + 6, h: h + 2 };
    let sum = cost;
    for (const other of taken) if (sum < most && overlap(air, other)) sum += 1000;
    for (const run of lines) if (sum < most && crosses(run, air)) sum += 40;
    return sum;
  }

  // What a line from a point to its label costs for each point or label that it runs through.
  function leaderCost([x, y], box, taken) {
    const near = [clamp(x, box.x, box.x + box.w), clamp(y, box.y, box.y + box.h)];
    const lead = [[x, y], near].sort((p, q) => p[0] - q[0]);
    return 200 * taken.filter((other) => !overlap({ x, y, w: 0, h: 0 }, other) && crosses(lead, other)).length;
  }

  /** Return the cheapest place for a label next to one of `anchors`, and take it; each px away costs `price`. */
  function placeLabel(label, anchors, f, lines, taken, price = 1 / 9) {
    let best = { cost: Infinity };
    for (const [rank, [ax, ay]] of anchors.entries()) {
      if (rank >= best.cost) break;
      for (const [dx, dy, gap] of DIRECTIONS) {
        const box = { w: label.w, h: label.h, cost: rank + gap * price + (gap > 80 ? 60 : 0) }; // far away: when near is full
        if (box.cost >= best.cost) continue;
        box.x = clamp(ax + dx * gap - ((1 - dx) / 2) * label.w, f.left + 3, f.right - label.w - 6);
        box.y = clamp(ay + dy * gap - ((1 - dy) / 2) * label.h, f.top + 2, f.bottom - label.h - 2);
        box.cost = placementCost(box, lines, taken, best.cost);
        if (gap > 9 && box.cost < best.cost) box.cost += leaderCost([ax, ay], box, taken);
        if (box.cost < best.cost) best = box;
      }
    }
    taken.push(best);
    return best;
  }

  // A name inside the plot, for curves that end before its right edge: places from there backwards.
  const insideNames = (curves, f, lines, taken) => curves.filter(({ end, atEdge, name }) => end && !atEdge && name.w)
    .map(({ name, anchors, style }) => labelText(name, anchors, `name mcc-${style}`, f, lines, taken)).join("");

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
    const last = value ? [value] : [];
    const text = { lines: [...name.lines, ...last], w: Math.max(name.w, width(value) * BOLD), h: name.h + LINE * last.length };
    const place = placeLabel(text, [at], f, lines, taken);
    const near = [clamp(at[0], place.x, place.x + place.w), clamp(at[1], place.y, place.y + place.h)];
    const far = Math.hypot(near[0] - at[0], near[1] - at[1]) > 16;
    return (far ? path("lead", `M${at.map(r).join(" ")}L${near.map(r).join(" ")}`) : "") + dot +
      block(text, place.x, place.y, (i) => `${i === name.lines.length ? "value" : "label"} mcc-${tone}`);
  }

  // Values on the axis under their lines; neighbours are parted, a line leads to each.
  const callouts = (c, f) => spread((c.verticals || []).filter(({ x }) => x >= c.x.low && x <= c.x.high)
    .map((line) => ({ ...line, want: f.x(line.x), size: width(line.label) * BOLD + PAD })), f.left - 6, f.right + 40);

  const vertical = ({ want, at, label, tone }, f) =>
    path(`vertical mcc-${tone}`, `M${r(want)} ${f.top}V${f.bottom}`) +
    path("lead", `M${r(want)} ${f.bottom}L${r(at)} ${f.bottom + 7}`) +
    words(at, f.bottom + 18, label, "callout", "middle");

  // Names of upright lines over the plot, in as many rows as they need to stand near their lines.
  function labelRows(c, f) {
    const list = (c.uprights || []).filter(({ x }) => x >= c.x.low && x <= c.x.high)
      .map((line) => ({ ...line, want: f.x(line.x), size: width(line.label) * BOLD + PAD }))
      .sort((a, b) => a.want - b.want);
    for (let rows = 1; ; rows += 1) {
      list.forEach((item, i) => Object.assign(item, { row: i % rows }));
      for (let row = 0; row < rows; row += 1) spread(list.filter((item) => item.row === row), f.left - 6, c.width);
      if (rows >= list.length || list.every(({ at, want, size }) => Math.abs(at - want) < size / 2)) return list;
    }
  }

  const upright = (f) => ({ want, at, label, row }) => {
    const foot = f.top - 4 - LINE * row;
    return path("vertical", `M${r(want)} ${f.top}V${f.bottom}`) + path("lead", `M${r(want)} ${f.top}L${r(at)} ${foot}`) +
      words(at, foot - 3, label, "over", "middle");
  };

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

  const FORMS = { // of the points of a set, some 7 px wide
    dot: "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", diamond: "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
    square: "m-3.3-3.3h6.6v6.6h-6.6z", triangle: "m0-4.6l4.4 7.8h-8.8z",
  };

  // The points of a set that lie in the plot, with their names and the ends of their error bars.
  const pointSets = (c, f) => (c.sets || []).map((set) => ({ ...set, points: set.points
    .map(([x, y, error], i) => ({ at: [f.x(x), f.y(y)], name: (set.names || [])[i], bar: error ? [y - error, y + error].map(f.y) : null }))
    .filter(({ at: [x, y] }) => x >= f.left - 1 && x <= f.right + 1 && y >= f.top - 1 && y <= f.bottom + 1) }));

  const cloud = ({ points, shape, tone }, f) => {
    const rise = (end) => r(clamp(Number.isFinite(end) ? end : f.bottom, f.top, f.bottom));
    const bars = points.map(({ at, bar }) => (bar ? `M${r(at[0])} ${rise(bar[0])}V${rise(bar[1])}` : "")).join("");
    return (bars ? path(`error mcc-${tone}`, bars) : "") +
      path(`set mcc-${tone}`, points.map(({ at }) => `M${at.map(r).join(" ")}${FORMS[shape]}`).join(""));
  };

  // A name next to a point, and a line to it when it had to stand far off.
  function labelText(text, anchors, kind, f, lines, taken) {
    const place = placeLabel(text, anchors, f, lines, taken, 1);
    const gap = (a) => [clamp(a[0], place.x, place.x + place.w), clamp(a[1], place.y, place.y + place.h)];
    const nearest = anchors.map((a) => ({ a, to: gap(a) }))
      .map((pair) => ({ ...pair, far: Math.hypot(pair.to[0] - pair.a[0], pair.to[1] - pair.a[1]) }))
      .reduce((one, other) => (other.far < one.far ? other : one));
    const lead = nearest.far > 16 ? path("lead", `M${nearest.a.map(r).join(" ")}L${nearest.to.map(r).join(" ")}`) : "";
    return lead + block(text, place.x, place.y, () => kind);
  }

  // The name of a set stands at one of its points; where the points have names of their own, these do.
  function setNames({ points, label, tone }, f, lines, taken) {
    const own = points.filter(({ name }) => name).map(({ at, name }) =>
      labelText(wrap(name, f.narrow ? 70 : 110), [at], `label mcc-${tone}`, f, lines, taken)).join("");
    if (!label || !points.length) return own;
    const step = Math.ceil(points.length / 12);
    const anchors = points.filter((_, i) => i % step === 0).map(({ at }) => at).toReversed();
    return own + labelText(wrap(label, f.narrow ? 110 : 150), anchors, `name mcc-${tone}`, f, lines, taken);
  }

  // A line across the plot with its name, where that is free.
  function level({ at, label, tone }, f, lines, taken) {
    const y = f.y(at);
    if (!(y >= f.top - 1 && y <= f.bottom + 1)) return "";
    const anchors = [0.05, 0.35, 0.65, 0.9].map((share) => [f.left + share * (f.right - f.left), y]);
    const text = wrap(label, f.narrow ? 120 : 220);
    const place = placeLabel(text, anchors, f, lines, taken);
    return path(`vertical mcc-${tone}`, `M${r(f.left)} ${r(y)}H${r(f.right)}`) +
      block(text, place.x, place.y, () => `label mcc-${tone}`);
  }

  const accessibleName = ({ id, title, desc }) => (!id ? `aria-label="${mc.escape(title)}">`
    : `aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${mc.escape(title)}</title>` +
      `<desc id="${id}-d">${mc.escape(desc)}</desc>`);

  /** Draw a chart: curves and sets of points with names, markers, verticals with their value, named bands. */
  mc.chart = (c) => {
    const f = frame(c.x, c.y, c.width, c.height, c.still, Boolean(c.spans && c.spans.length), c.uprights, ...c.curves);
    const own = c.curves.map((curve, i) => curvePaths(curve, f, f.names[i]));
    const curves = c.still ? separated(own.map((each) => ({ ...each }))) : own;
    const sets = pointSets(c, f);
    const marks = callouts(c, f);
    const lines = curves.flatMap(({ runs }) => runs)
      .concat([...marks, ...f.over].map(({ want }) => [[want, f.top], [want, f.bottom]]));
    const points = c.markers || [];
    const taken = points.map(({ x, y }) => ({ x: f.x(x) - 9, y: Math.max(f.y(y), f.top) - 9, w: 18, h: 18 }))
      .concat(sets.flatMap((set) => set.points.map(({ at: [x, y] }) => ({ x: x - 5, y: y - 5, w: 10, h: 10 }))));
    return `<svg class="mc-chart" viewBox="0 0 ${c.width} ${c.height}" role="img" ` +
      `data-plot="${[f.left, f.right, c.width, f.top, f.bottom, c.height].map(r).join(" ")}" ${accessibleName(c)}` +
      group(bands(c, f)) + f.rows + axis(f, marks) + f.titles + group(...marks.map((line) => vertical(line, f)), ...f.over.map(upright(f))) +
      group(bars(c, f)) + curves.map((each) => each.strokes).join("") + group(...sets.map((set) => cloud(set, f)), marginNames(f, ...curves)) +
      points.map((mark) => group(marker(mark, f, lines, taken))).join("") +
      group(...(c.levels || []).map((line) => level(line, f, lines, taken))) +
      group(...sets.map((set) => setNames(set, f, lines, taken)), insideNames(curves, f, lines, taken)) + "</svg>";
  };
})((globalThis.mc = globalThis.mc || {}));
