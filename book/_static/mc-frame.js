/* The frame around a page: colours, the search dialog, where one is in the page, code to copy. */
(function (mc) {
  "use strict";

  const root = document.documentElement;

  // ---- light or dark: the reader's choice, kept; else the machine's ------------------------------------

  function colours(button) {
    const tell = () => button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
    const choose = (theme) => { root.dataset.theme = theme; tell(); };
    tell();
    button.addEventListener("click", () => {
      choose(root.dataset.theme === "dark" ? "light" : "dark");
      try { localStorage.setItem("mc.colours", root.dataset.theme); } catch { /* it holds for this page */ }
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
      let kept;
      try { kept = localStorage.getItem("mc.colours"); } catch { /* nothing is kept */ }
      if (!kept) choose(matches ? "dark" : "light");
    });
  }

  // ---- the search, from its button and by Ctrl K -----------------------------------------------------------

  function search(dialog) {
    const open = () => { if (!dialog.open) dialog.showModal(); dialog.querySelector("input").focus(); };
    document.querySelector(".mc-search-open").addEventListener("click", open);
    dialog.querySelector(".mc-close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || target.closest(".mc-results a")) dialog.close();
    });
    addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      open();
    });
  }

  // ---- where one is in the book: a long list is moved to the page that is open ------------------------------

  function scrollToCurrent() {
    const here = document.querySelector(".mc-contents .mc-now");
    const list = here && here.closest(".mc-contents");
    if (list && list.scrollHeight > list.clientHeight) list.scrollTop = Math.max(0, here.offsetTop - list.clientHeight / 2);
  }

  // ---- where one is: the last heading above the middle of the screen --------------------------------------

  function trackHeadings(links) {
    const parts = new Map(links.map((link) => [document.getElementById(decodeURIComponent(link.hash.slice(1))), link]));
    const seen = new Set();
    const watch = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) seen[isIntersecting ? "add" : "delete"](target);
      const now = [...parts.keys()].filter((part) => seen.has(part)).at(-1);
      if (!now) return;
      for (const [part, link] of parts) {
        if (part === now) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, { rootMargin: "-10% 0px -60% 0px" });
    for (const part of parts.keys()) if (part) watch.observe(part);
  }

  function addCopyButtons() {
    for (const block of document.querySelectorAll(".highlight:has(> pre)")) {
      const button = mc.make("button", "Copy", "mc-copy");
      button.dataset.copy = block.querySelector("pre").textContent.trimEnd();
      button.setAttribute("aria-label", "Copy this code");
      block.append(button);
    }
  }

  // ---- a formula to cite, an error to report -------------------------------------------------------------------

  const meta = (name) => (document.querySelector(`meta[name="${name}"]`) || {}).content || "";

  /** Return the BibTeX of a formula: its number, its page, this version of the book and the address. */
  mc.bibtex = (formula) => {
    const number = (formula.querySelector(".eqno") || { textContent: "" }).textContent.replace(/[^\d.]/g, "");
    const [page, book] = document.title.split(" — ");
    const key = formula.dataset.address.replace(/\W/g, "-");
    const address = `${(meta("mc-address") || location.href).split(/[?#]/)[0]}#${formula.id}`;
    return `@misc{${key},\n  author = {{The authors of ${book}}},\n  title = {${page}, equation (${number})},\n` +
      `  howpublished = {${book}, version ${meta("mc-version")}},\n  year = {${meta("mc-year")}},\n  url = {${address}}\n}`;
  };

  addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest(".mc-cite");
    if (button) button.dataset.copy = mc.bibtex(button.closest(".mc-formula"));
  }, true); // before it is copied

  function report(link) {
    const questions = "What is wrong, and what would be right?\n\n";
    const where = () => `${questions}\nPage: ${document.title}\nAddress: ${location.href}\nVersion: ${meta("mc-version")}\n`;
    link.addEventListener("click", (event) => {
      const home = meta("mc-repository");
      const form = { template: "error.yml", title: `Error: ${document.title.split(" — ")[0]}`, address: location.href, version: meta("mc-version") };
      if (home) link.href = `${home}/issues/new?${new URLSearchParams(form)}`;
      else { event.preventDefault(); mc.copy(where(), "A report with address and version is copied: fill it in and send it to the authors."); }
    });
  }

  // ---- the whole book kept on this device, when a reader asks for it; a browser allows it on the web only ----

  function offlineButton(button) {
    if (!("serviceWorker" in navigator) || location.protocol === "file:") return;
    const home = new URL(root.dataset.content_root || "./", location.href);
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      mc.say("Saving the book for offline use; this takes a moment.");
      const failed = () => mc.say("The book could not be saved for offline use.");
      await mc.during(navigator.serviceWorker.register(new URL("worker.js", home))
        .then(() => navigator.serviceWorker.ready).then(() => mc.say("The whole book is saved: it opens offline."), failed));
      button.disabled = false;
    });
  }

  // ---- an anchor that this page had before and that another one has now: mathbook.redirects lists them ----------

  function followMovedAnchor() {
    const list = document.querySelector("meta[name=mc-moved-anchors]");
    const anchor = decodeURIComponent(location.hash.slice(1));
    if (!list || !anchor || document.getElementById(anchor)) return;
    mc.loadScript(list.content).then(() => {
      if (!(anchor in mc.movedAnchors)) return;
      const target = new URL(mc.movedAnchors[anchor], location.href);
      target.search = location.search;
      location.replace(target);
    });
  }
  addEventListener("hashchange", followMovedAnchor);

  mc.ready(() => {
    followMovedAnchor();
    document.querySelectorAll(".mc-save-offline").forEach(offlineButton);
    document.querySelectorAll(".mc-report").forEach(report);
    colours(document.querySelector(".mc-colours"));
    search(document.querySelector("#mc-search"));
    trackHeadings([...document.querySelectorAll(".mc-here a")]);
    scrollToCurrent();
    addCopyButtons();
  });
})((globalThis.mc = globalThis.mc || {}));
