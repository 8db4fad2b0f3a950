/* Figures, read at the pointer: loaded by mc-page.js where a page has some. The drawing is complete in the
 * page; here a hair follows the pointer, or the finger, and says the values under it. The numbers are in the
 * table below each figure as well, which is what keyboards and screen readers have. Who wants to zoom asks for it.
 */
(function (mc) {
  "use strict";

  const LOST = "Zooming could not be loaded: the drawing and its numbers are here.";
  const REACH = 14; // px: a point that far from the pointer is still meant
  const ratio = ({ low, high, log }, share) => (log ? low * (high / low) ** share : low + (high - low) * share);
  const share = ({ low, high, log }, x) => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));

  // The value of a curve at `x`, between its neighbours; null outside of it.
  function between({ x: xs, y: ys }, x) {
    const i = xs.findIndex((each) => each >= x);
    if (i < 0 || (i === 0 && xs[0] > x)) return null;
    if (xs[i] === x) return ys[i];
    if (ys[i] === null || ys[i - 1] === null) return null;
    const part = xs[i] > xs[i - 1] ? (x - xs[i - 1]) / (xs[i] - xs[i - 1]) : 1;
    return ys[i - 1] + (ys[i] - ys[i - 1]) * part;
  }

  // The value of the point nearest to `x`, when it is near enough on the screen.
  function nearby({ x: xs, y: ys }, x, axis, px) {
    const far = xs.map((each) => Math.abs(share(axis, each) - share(axis, x)) * px);
    const i = far.indexOf(Math.min(...far));
    return far[i] <= REACH ? ys[i] : null;
  }

  /** Return what stands at `x` of a figure's data, a line for each curve and set that has a value there. */
  mc.readout = ({ x: across, y: up, series }, x, px) => {
    const values = series.map((one) => ({ label: one.label, y: one.points ? nearby(one, x, across, px) : between(one, x) }))
      .filter(({ y }) => y !== null && Number.isFinite(y));
    return values.length ? [`${across.label}: ${mc.show(x, across.unit)}`,
      ...values.map(({ label, y }) => `${label || up.label}: ${mc.show(y, up.unit)}`)] : [];
  };

  function zooming(place, data) {
    const button = mc.make("button", "Zoom and pan", "mc-button mc-zoom");
    const number = place.closest("figure")?.querySelector(".caption-number");
    if (number) button.setAttribute("aria-label", `Zoom and pan, ${number.textContent.trim()}`); // one of several on a page
    button.onclick = () => mc.loadScript("mc-zoom.js").then(() => mc.zoom(place, data, button)).catch(() => mc.say(LOST));
    const folds = place.closest("figure")?.querySelector(".legend"); // in their line it moves nothing when it comes
    if (folds) folds.append(button);
    else place.after(button);
  }

  function reading(place) {
    const data = JSON.parse(place.querySelector("script").textContent);
    zooming(place, data);
    const hair = mc.make("div", "", "mc-reading");
    const words = hair.appendChild(mc.make("p", ""));
    hair.setAttribute("aria-hidden", "true");
    hair.hidden = true;
    place.append(hair);
    const follow = ({ clientX }) => {
      if (place.classList.contains("mc-zoomed")) return;
      const svg = [...place.querySelectorAll("svg")].find((each) => each.getBoundingClientRect().width);
      const [left, right, width] = svg.dataset.plot.split(" ").map(Number);
      const box = svg.getBoundingClientRect();
      const part = ((clientX - box.left) * (width / box.width) - left) / (right - left);
      const lines = part >= 0 && part <= 1 ? mc.readout(data, ratio(data.x, part), right - left) : [];
      hair.hidden = !lines.length;
      hair.style.left = `${clientX - place.getBoundingClientRect().left}px`;
      hair.dataset.side = part > 0.5 ? "left" : "right";
      words.textContent = lines.join("\n");
    };
    place.addEventListener("pointermove", follow);
    place.addEventListener("pointerdown", follow);
    place.addEventListener("pointerleave", () => { hair.hidden = true; });
  }

  if (globalThis.document) document.querySelectorAll(".mc-graph:has(script)").forEach(reading);
})(globalThis.mc);
