/* A reference shows what it leads to when one points at it or reaches it by keyboard: a formula, a figure, a term.
 * Of another page it shows the text of the search index, from disk as well.
 */
(function (mc) {
  "use strict";

  const WAIT = 350; // ms: who only passes over a link wants nothing
  const SHOWN = ".mc-formula, .mc-figure, figure, dt, .citation, .mc-exercise, .mc-example, div.math";
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  let box, waiting, now;

  /** Return what the index says of an anchor on another page, or nothing. */
  const entryOf = (url) => mc.loadScript("mc-index.js").then(() => {
    const { pages, rows } = mc.index;
    const name = url.pathname.replace(root.pathname, "").replace(/\.html$/, "");
    const hash = url.hash.replace(/^#equation-/, "#"); // the index names a formula by its block
    const row = rows.find(([, page, , anchor]) => pages[page][0] === name && `#${anchor}` === hash);
    if (!row) return null;
    const [kind, page, title, , , text] = row;
    const whole = mc.make("div");
    whole.append(mc.make("b", title), mc.make("p", `${kind} in ${pages[page][1]}`, "mc-state"));
    if (kind === "term" || kind === "section") whole.append(mc.make("p", text.length > 240 ? `${text.slice(0, 240)} …` : text));
    return whole;
  });

  /** Return a copy of what an anchor names, without what can be pressed, or nothing. */
  function part(name) {
    const target = name && document.getElementById(decodeURIComponent(name));
    const block = target && (target.closest(SHOWN) || target.querySelector(SHOWN));
    if (!block || block.closest("section") !== target.closest("section")) return null;
    const copy = block.matches(".mc-formula") ? block.querySelector(".mc-equation").cloneNode(true) : block.cloneNode(true);
    const state = block.querySelector(":scope > .mc-state");
    const whole = mc.make("div");
    whole.append(copy);
    if (state) whole.append(state.cloneNode(true));
    if (block.matches("dt") && block.nextElementSibling) whole.append(block.nextElementSibling.cloneNode(true));
    whole.querySelectorAll("button, script, details, .headerlink, form, .backrefs").forEach((each) => each.remove());
    [whole, ...whole.querySelectorAll("[id]")].forEach((each) => each.removeAttribute("id"));
    return whole;
  }

  async function show(link) {
    const url = new URL(link.href);
    const shown = url.pathname === location.pathname ? part(url.hash.slice(1)) : await entryOf(url).catch(() => null);
    if (!shown || now !== link) return;
    box = box || document.body.appendChild(mc.make("div", "", "mc-preview"));
    box.setAttribute("aria-hidden", "true"); // who listens follows the link
    box.replaceChildren(shown);
    box.hidden = false;
    const at = link.getBoundingClientRect(), size = box.getBoundingClientRect();
    const above = at.bottom + size.height + 12 > innerHeight && at.top > size.height + 12;
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
    box.style.top = `${above ? at.top - size.height - 8 : at.bottom + 8}px`;
  }

  const hide = () => { clearTimeout(waiting); now = null; if (box) box.hidden = true; };

  function schedulePreview({ target }) {
    const link = target.closest && target.closest(".mc-article a.reference.internal[href*='#']");
    if (!link || link === now) return;
    hide();
    now = link;
    waiting = setTimeout(() => mc.during(show(link)), WAIT);
  }

  addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") schedulePreview(event); });
  addEventListener("focusin", schedulePreview);
  addEventListener("pointerout", ({ target }) => { if (now && now.contains(target)) hide(); });
  addEventListener("focusout", hide);
  addEventListener("scroll", hide, { passive: true });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
})((globalThis.mc = globalThis.mc || {}));
