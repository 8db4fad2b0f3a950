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
    const axis = { gridcolor: grid, zerolinecolor: grid, linecolor: colour("--pst-color-border") };
    const shapes = (layout.shapes || []).map((shape) => ({ ...shape,
      line: { ...shape.line, color: colour("--mc-muted") || colour("--pst-color-text-muted") } }));
    return { ...layout, shapes, paper_bgcolor: clear, plot_bgcolor: clear,
      font: { color: colour("--pst-color-text-base"), family, ...layout.font },
      colorway: ["total", "write", "rework", "exact"].map((name) => colour(`--mc-${name}`)),
      ...Object.fromEntries(axes.map((name) => [name, { ...axis, ...layout[name] }])) };
  }

  // On a phone names stand one below the other, under the title of the axis, and get room of their own.
  function fitting(place, data, layout) {
    const names = data.filter(({ name, showlegend }) => name && showlegend !== false).length;
    if (place.clientWidth >= 520 || names < 2) return layout;
    const room = 24 * names;
    return { ...layout, height: (layout.height || 420) + room, margin: { ...layout.margin, b: 64 + room },
      legend: { ...layout.legend, orientation: "v", yref: "container", y: 0, yanchor: "bottom", x: 0 } };
  }

  async function draw(place) {
    const { data, layout = {} } = JSON.parse(place.querySelector("script").textContent);
    const stills = place.querySelectorAll(".mc-still, img");
    try {
      await mc.beside("plotly-basic.min.js");
      const canvas = place.querySelector(".mc-canvas") || place.appendChild(mc.make("div", "", "mc-canvas"));
      for (const still of stills) still.hidden = true;
      await globalThis.Plotly.react(canvas, data, themed(fitting(place, data, layout)), { responsive: true, displaylogo: false, displayModeBar: false });
    } catch { // the still picture stays
      for (const still of stills) still.hidden = false;
      if (!stills.length) place.append(mc.make("p", "This figure could not be drawn.", "mc-notice"));
    }
  }

  const drawn = new Set();
  const near = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting && !drawn.has(entry.target))) {
      drawn.add(target);
      draw(target);
    }
  }, { rootMargin: "600px" });
  document.querySelectorAll(".mc-plotly").forEach((place) => near.observe(place));
  const theme = new MutationObserver(() => drawn.forEach(draw));
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
})(globalThis.mc);
