/* A figure that one can zoom, pan and take curves out of: loaded when somebody asks for it, with plotly, of which
 * the site has one copy. The drawing comes back at a second press. Colours are the theme's.
 */
(function (mc) {
  "use strict";

  const TONES = { total: "solid", write: "dot", rework: "dash", exact: "longdash", plain: "solid" }; // dashes as those of the drawing
  const WORDS = ["Zoom and pan", "Show the drawing"];
  const SYMBOLS = ["circle", "diamond", "square", "triangle-up"];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--mc-${name}`).trim();
  // The series of a figure as traces of plotly.
  const traces = ({ series }) => {
    let sets = 0;
    return series.map(({ label, tone, x, y, points, error }) => {
      const ink = colour(tone === "plain" ? "muted" : tone);
      const common = { type: "scatter", name: label, x, y, showlegend: Boolean(label) };
      return points
        ? { ...common, mode: "markers", marker: { color: ink, size: 7, symbol: SYMBOLS[sets++ % SYMBOLS.length] },
          ...(error && { error_y: { type: "data", array: error, visible: true } }) }
        : { ...common, mode: "lines", line: { color: ink, dash: TONES[tone], width: 2 } };
    });
  };

  // Ticks with their whole numbers, as the drawing has them: plotly's own say `2` and `5` for 200 and 500.
  function ticks(axis, values) {
    const seen = values.filter((value) => value > 0);
    const at = mc.ticks({ ...axis, low: Math.min(...seen), high: Math.max(...seen) }, 8);
    return { tickvals: at, ticktext: at.map((value) => mc.tickText(value, axis)) };
  }

  function layout({ x, y, series }, narrow) {
    const axis = (each, name) => ({ type: each.log ? "log" : "linear", title: { text: mc.axisTitle(each) }, gridcolor: colour("grid"),
      zerolinecolor: colour("grid"), linecolor: colour("border"), ...(each.log && ticks(each, series.flatMap((one) => one[name]))) });
    const clear = "rgba(0,0,0,0)", font = { color: colour("text"), family: getComputedStyle(document.body).fontFamily };
    return { xaxis: axis(x, "x"), yaxis: axis(y, "y"), font, paper_bgcolor: clear, plot_bgcolor: clear, height: narrow ? 460 : 420,
      margin: { l: 60, r: 16, t: 36, b: 56 }, modebar: { bgcolor: clear, color: colour("muted"), activecolor: colour("text") },
      legend: { orientation: narrow ? "v" : "h", y: -0.25, x: 0, bgcolor: clear } };
  }

  // The place must be seen by now: plotly takes the room that it finds.
  function draw(place, data) {
    const canvas = place.querySelector(".mc-canvas") || place.appendChild(mc.make("div", "", "mc-canvas"));
    const options = { responsive: true, displaylogo: false, plotlyServerURL: "", // nothing goes to another host
      modeBarButtonsToRemove: ["sendChartToCloud", "toImage", "lasso2d", "select2d"] };
    return globalThis.Plotly.react(canvas, traces(data), layout(data, place.clientWidth < 520), options);
  }

  /** Show a figure with plotly, or the drawing again: the button says what else can be shown. */
  mc.zoom = async (place, data, button) => {
    await mc.during(mc.loadScript("plotly-basic.min.js"));
    const zoomed = place.classList.toggle("mc-zoomed");
    const [was, now] = zoomed ? WORDS : WORDS.toReversed();
    button.textContent = now;
    button.setAttribute("aria-label", (button.getAttribute("aria-label") || was).replace(was, now));
    if (zoomed) await draw(place, data);
  };

  new MutationObserver(() => document.querySelectorAll(".mc-zoomed").forEach((place) =>
    draw(place, JSON.parse(place.querySelector("script").textContent)))).observe(document.documentElement, { attributeFilter: ["data-theme"] });
})(globalThis.mc);
