/* What the whole page shares: its address, copy buttons, the progress, and the print.
 * Nothing is ever sent anywhere.
 */
(function (mc) {
  "use strict";

  const here = document.currentScript && document.currentScript.src;

  /** Run once all deferred scripts are in, and what `mc.first` was given is over: elements may then use each other's parts. */
  let first = null;
  mc.first = (work) => { first = mc.during(work); };
  mc.ready = (run) => {
    const begin = () => (first ? first.then(run, run) : run());
    if (document.readyState === "complete") begin();
    else addEventListener("DOMContentLoaded", begin);
  };

  // <html data-live>: every part of the page is live, and nothing that was begun is still under way.
  const root = document.documentElement;
  let open = 0;

  /** Withhold `data-live` until a promise is settled; return the promise. */
  mc.during = (work) => {
    const over = () => { open -= 1; root.toggleAttribute("data-live", !open); };
    open += 1;
    root.removeAttribute("data-live");
    work.then(over, over);
    return work;
  };
  mc.during(new Promise((loaded) => addEventListener("load", loaded)));

  /** Load a script of the same folder, once: `mc.loadScript("mc-figures.js")`. */
  const loading = {};
  mc.loadScript = (name) => (loading[name] = loading[name] || mc.during(new Promise((onload, onerror) => {
    document.head.append(Object.assign(make("script"), { src: new URL(name, here), onload, onerror }));
  })));

  const make = mc.make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (kind) element.className = kind;
    if (tag === "button") element.type = "button";
    return element;
  };

  // ---- what every kind of exercise shows -----------------------------------------------------------

  /** Write a verdict and its text into the place for feedback. */
  mc.showFeedback = (place, verdict, text) => {
    place.dataset.verdict = verdict;
    place.textContent = text;
  };

  /** Write whether an exercise was solved, or how often it was tried, into its mark. */
  mc.showProgress = (mark, address) => {
    const { right, tries } = mc.progress.of(address);
    mark.dataset.mark = right ? "right" : tries ? "tried" : "";
    mark.textContent = right ? "solved" : tries ? `tried ${tries === 1 ? "once" : `${tries} times`}` : "";
  };

  /** Show hint n+1 of an exercise once hint n was opened. */
  mc.showHintsInTurn = (exercise) => {
    const hints = [...exercise.querySelectorAll(".mc-hint")];
    hints.slice(1).forEach((hint, i) => {
      hint.hidden = true;
      hints[i].addEventListener("toggle", () => { hint.hidden = false; }, { once: true });
    });
  };

  // ---- the address: state that can be sent to somebody ------------------------------------------

  const query = () => new URLSearchParams(location.search);
  mc.url = {
    get: (key) => query().get(key),
    set(key, value) {
      const all = query();
      if (value === null) all.delete(key);
      else all.set(key, value);
      const text = all.toString().replace(/%3A/g, ":").replace(/%2C/g, ",");
      try {
        history.replaceState(history.state, "", `${location.pathname}${text && `?${text}`}${location.hash}`);
      } catch { /* a browser that forbids it for a page opened from disk: the page still works */ }
    },
  };

  // ---- words for those who listen, and the clipboard -----------------------------------------------

  let toast;
  mc.say = (text) => {
    toast = toast || document.body.appendChild(make("p", "", "mc-toast"));
    toast.setAttribute("role", "status");
    toast.textContent = text;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { toast.textContent = ""; }, 4000);
  };

  // From disk and in old browsers there is no clipboard: then the text is shown, selected.
  mc.copy = async (text, done) => {
    try {
      await navigator.clipboard.writeText(text);
      mc.say(done);
    } catch {
      const field = make("textarea", text, "mc-copied");
      field.readOnly = true;
      field.setAttribute("aria-label", "Text to copy");
      document.body.append(field);
      field.select();
      const copied = document.execCommand("copy");
      if (copied) field.remove();
      else field.addEventListener("blur", () => field.remove());
      mc.say(copied ? done : "Press Ctrl+C or ⌘C to copy the selected text.");
    }
  };

  addEventListener("click", ({ target }) => {
    const button = target.closest && target.closest(".mc-copy");
    if (button) mc.copy(button.dataset.copy, `${button.textContent.trim()} copied.`);
  });

  // ---- progress: its list and its script load only where there is something to show -------------------

  const begun = () => Object.values(mc.progress.load()).some(({ right }) => right) ||
    Object.values(mc.ledger.load()).some(({ made }) => made);

  function progress() {
    if (!document.querySelector(".mc-progress") && !begun()) return;
    mc.loadScript("mc-tasks.js").then(() => mc.loadScript("mc-progress.js"));
  }

  // What scrolls sideways must scroll by keyboard too. To ask for a width lays a part of the page out, so it is
  // asked when the part comes near, all at once before anything is changed.
  const WIDE = ".mc-claims .katex, .mc-comparisons .katex, .mc-formulas .katex, .mc-hint p > .math, .mc-solution p > .math, .mc-why, div.math > .katex, .mc-scroll, pre";
  function reachable() {
    const near = new IntersectionObserver((entries) => {
      const seen = entries.filter((entry) => entry.isIntersecting).map(({ target }) => target);
      const wide = seen.filter((box) => box.scrollWidth > box.clientWidth);
      wide.forEach((box) => { box.tabIndex = 0; box.dataset.wide = ""; });
    }, { rootMargin: "300px" });
    document.querySelectorAll(WIDE).forEach((box) => near.observe(box));
  }

  // A part of the page that is not laid out is not in the accessibility tree: when there is time all of them are laid out.
  const free = globalThis.requestIdleCallback || ((then) => setTimeout(then, 50));
  function layOut(sections) {
    const [next, ...rest] = sections;
    if (!next) return;
    next.dataset.laid = "";
    free(() => layOut(rest));
  }
  addEventListener("load", () => free(() => layOut([...document.querySelectorAll(".mc-article > section > section")])));

  // ---- print: what is folded on the screen is open on paper ----------------------------------------------

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((fold) => { fold.open = false; }));

  mc.ready(() => {
    mc.progress.load(); // says at once when what is stored cannot be read
    for (const event of [mc.progress.event, mc.ledger.event]) addEventListener(event, progress);
    progress();
    if (document.querySelector(".mc-graph")) mc.loadScript("mc-figures.js");
    reachable();
  });
})((globalThis.mc = globalThis.mc || {}));
