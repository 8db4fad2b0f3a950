/* A reference shows what it leads to when one points at it or reaches it by keyboard: a formula, a figure, a term.
 * What stands on another page is fetched from this site; from disk, where that is forbidden, the link alone works.
 */
(function (mc) {
  "use strict";

  const WAIT = 350; // ms: who only passes over a link wants nothing
  const SHOWN = ".mc-formula, .mc-figure, figure, dt, .citation, .mc-exercise, .mc-example, div.math";
  const pages = new Map();
  let box, waiting, now;

  /** Return the document of an address: this one, or another page of this site. */
  const page = (url) => {
    if (url.pathname === location.pathname) return Promise.resolve(document);
    if (location.protocol === "file:" || url.origin !== location.origin) return Promise.reject(new Error("elsewhere"));
    if (!pages.has(url.pathname)) {
      pages.set(url.pathname, fetch(url.pathname).then((answer) => answer.text())
        .then((text) => new DOMParser().parseFromString(text, "text/html")));
    }
    return pages.get(url.pathname);
  };

  /** Return a copy of what an anchor names, without what can be pressed, or nothing. */
  function part(found, name) {
    const target = name && found.getElementById(decodeURIComponent(name));
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
    const shown = await page(url).then((found) => part(found, url.hash.slice(1)), () => null);
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

  function come({ target }) {
    const link = target.closest && target.closest(".mc-article a.reference.internal[href*='#']");
    if (!link || link === now) return;
    hide();
    now = link;
    waiting = setTimeout(() => mc.during(show(link)), WAIT);
  }

  addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") come(event); });
  addEventListener("focusin", come);
  addEventListener("pointerout", ({ target }) => { if (now && now.contains(target)) hide(); });
  addEventListener("focusout", hide);
  addEventListener("scroll", hide, { passive: true });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
})((globalThis.mc = globalThis.mc || {}));
