/* Figures of plotly: loaded by mc-page.js where a page has some. The library itself, one local
 * copy, is fetched when a figure comes near; until then, and without it, the still picture stays.
 * Colours are the theme's, taken again when the reader changes it.
 */
(function (mc) {
  "use strict";

  function themed(layout) {
    const style = getComputedStyle(document.documentElement);
    const family = getComputedStyle(document.body).fontFamily;
    const colour = (name) => style.getPropertyValue(name).trim();
    const [grid, clear] = [colour("--mc-grid"), "rgba(0,0,0,0)"];
    const axes = ["xaxis", "yaxis", ...Object.keys(layout).filter((name) => /^[xy]axis\d+$/.test(name))];
    const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: colour("--mc-border") };
    const shapes = (layout.shapes || []).map((shape) => ({ ...shape,
      line: { ...shape.line, color: colour("--mc-muted") || colour("--mc-muted") } }));
    return { ...layout, shapes, paper_bgcolor: clear, plot_bgcolor: clear,
      font: { color: colour("--mc-text"), family, ...layout.font },
      colorway: ["total", "write", "rework", "exact"].map((name) => colour(`--mc-${name}`)),
      ...Object.fromEntries(axes.map((name) => [name, { ...axis, ...layout[name] }])) };
  }

  // On a phone names stand one below the other, under the title of the axis, and get room of their own.
  function fitting(place, data, given) {
    const names = data.filter(({ name, showlegend }) => name && showlegend !== false).length;
    if (place.clientWidth >= 520) return given;
    const lines = inLines(given.xaxis?.title?.text || "");
    const title = { ...given.xaxis?.title, text: lines.join("<br>") };
    const layout = { ...given, xaxis: { ...given.xaxis, title } };
    const room = (names > 1 ? 24 * names : 0) + 16 * (lines.length - 1);
    if (!room) return layout;
    const legend = { orientation: "v", yref: "container", y: 0, yanchor: "bottom", x: 0 };
    return { ...layout, height: (layout.height || 420) + room, margin: { ...layout.margin, b: 64 + room },
      legend: { ...layout.legend, ...legend } };
  }

  /** Return a text as lines of at most `most` characters, broken between words. */
  function inLines(text, most = 42) {
    return text.split(" ").reduce((lines, word) => {
      const longer = `${lines.at(-1)} ${word}`.trim();
      return longer.length > most ? [...lines, word] : [...lines.slice(0, -1), longer];
    }, [""]);
  }

  // Names of marks that would touch stand on two levels.
  async function apart(canvas) {
    const notes = canvas.layout.annotations || [];
    const boxes = [...canvas.querySelectorAll(".annotation")].map((each) =>
      ({ index: Number(each.dataset.index), box: each.getBoundingClientRect() }));
    boxes.sort((one, other) => one.box.left - other.box.left);
    const high = new Set();
    boxes.slice(1).forEach(({ index, box }, i) => {
      if (box.left < boxes[i].box.right + 4 && !high.has(boxes[i].index)) high.add(index);
    });
    if (!high.size) return;
    const annotations = notes.map((note, i) => (high.has(i) ? { ...note, yshift: (note.yshift || 0) + 15 } : note));
    await globalThis.Plotly.relayout(canvas, { annotations, "margin.t": (canvas.layout.margin.t) + 15 });
  }

  async function draw(place) {
    const { data, layout = {} } = JSON.parse(place.querySelector("script").textContent);
    const stills = place.querySelectorAll(".mc-still, img");
    try {
      await mc.beside("plotly-basic.min.js");
      const canvas = place.querySelector(".mc-canvas") || place.appendChild(mc.make("div", "", "mc-canvas"));
      for (const still of stills) still.hidden = true;
      await globalThis.Plotly.react(canvas, data, themed(fitting(place, data, layout)), { responsive: true, displaylogo: false, displayModeBar: false });
      await apart(canvas);
    } catch { // the still picture stays
      for (const still of stills) still.hidden = false;
      if (!stills.length) place.append(mc.make("p", "This figure could not be drawn.", "mc-notice"));
    }
  }

  const drawn = new Set();
  const near = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting && !drawn.has(entry.target))) {
      drawn.add(target);
      mc.during(draw(target));
    }
  }, { rootMargin: "600px" });
  document.querySelectorAll(".mc-plotly").forEach((place) => near.observe(place));
  const theme = new MutationObserver(() => drawn.forEach((place) => mc.during(draw(place))));
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
})(globalThis.mc);
