/* What is solved, page by page: a short count at each page's entry in the sidebar, and the panel
 * `.mc-progress` with all of it. Loaded only where there is something to show, after the generated
 * list `mc.tasks`: {page: {title, exercises: {address: title}, questions: {address: title}}}.
 */
(function (mc) {
  "use strict";

  // ---- pure --------------------------------------------------------------------------------------

  /** Return {done, all, short, long} of a page: exercises count when solved, questions when answered. */
  function count({ exercises, questions }, progress, ledger) {
    const kinds = Object.entries({ exercises, questions }).filter(([, tasks]) => Object.keys(tasks).length);
    const all = [...Object.keys(exercises), ...Object.keys(questions)];
    const done = Object.keys(exercises).filter((address) => (progress[address] || {}).right).length +
      Object.keys(questions).filter((address) => (ledger[address] || {}).when).length;
    const what = kinds.map(([kind]) => kind).join(" and ");
    const verb = kinds.length > 1 ? "done" : what === "questions" ? "answered" : "solved";
    return { done, all: all.length, short: `${done}/${all.length}`, long: `${done} of ${all.length} ${what} ${verb}` };
  }

  /** Return "solved", "tried" or "open" of an exercise. */
  function state(address, progress) {
    const { right, tries } = progress[address] || {};
    return right ? "solved" : tries ? "tried" : "open";
  }

  mc.progressCounts = { count, state };
  if (!globalThis.document || !document.currentScript) return;

  // ---- in the browser ------------------------------------------------------------------------------

  const here = document.currentScript.src;
  const address = (page) => new URL(`../${page}.html`, here);
  const pages = Object.entries(mc.tasks || {});
  const now = (tasks) => count(tasks, mc.progress.load(), mc.ledger.load());

  // The current page's own entry leads to "#", which resolves to this page's address.
  function sidebar() {
    const counts = new Map(pages.map(([page, tasks]) => [address(page).pathname, now(tasks)]));
    for (const link of document.querySelectorAll(".mc-contents a")) {
      const found = link.host === location.host && !link.hash && counts.get(link.pathname);
      const old = link.querySelector(".mc-solved");
      if (!found || !found.done) old && old.remove();
      else if (!old || old.dataset.count !== found.short) mark(link, old, found);
    }
  }

  function mark(link, old, { done, all, short, long }) {
    const sign = mc.make("span", "", "mc-solved");
    const seen = mc.make("span", done === all ? `✓ ${short}` : short);
    seen.setAttribute("aria-hidden", "true");
    sign.dataset.count = short;
    sign.title = long;
    sign.append(seen, mc.make("span", ` (${long})`, "mc-hidden"));
    if (old) old.replaceWith(sign);
    else link.append(" ", sign);
  }

  function panel(place) {
    const [total, list] = [mc.make("p", "", "mc-count"), mc.make("div")];
    place.replaceChildren(total, list, mc.storageControls(mc.progress));
    const listed = pages.filter(([, { exercises }]) => Object.keys(exercises).length).map(chapter);
    const every = Object.assign({}, ...pages.map(([, { exercises }]) => exercises));
    list.append(...listed.map(({ fold }) => fold));
    return () => {
      listed.forEach(({ fill }) => fill());
      const { long } = count({ exercises: every, questions: {} }, mc.progress.load(), {});
      total.textContent = `${long}. Kept in this browser only.`;
    };
  }

  function chapter([page, { title, exercises }]) {
    const [fold, head, list] = [mc.make("details", "", "mc-done"), mc.make("summary"), mc.make("ul", "", "mc-list")];
    const link = Object.assign(mc.make("a", `Go to ${title}`), { href: address(page) });
    fold.append(head, list, link);
    return { fold, fill() {
      const progress = mc.progress.load();
      head.textContent = `${title} · ${count({ exercises, questions: {} }, progress, {}).short}`;
      list.replaceChildren(...Object.entries(exercises).map(([each, name]) => item(name, state(each, progress))));
    } };
  }

  function item(name, mark) {
    const line = mc.make("li", `${name} · ${mark}`);
    line.dataset.mark = mark;
    return line;
  }

  const fills = [sidebar, ...[...document.querySelectorAll(".mc-progress")].map(panel)];
  const fill = () => fills.forEach((each) => each());
  for (const event of [mc.progress.event, mc.ledger.event]) addEventListener(event, fill);
  fill();
})((globalThis.mc = globalThis.mc || {}));
