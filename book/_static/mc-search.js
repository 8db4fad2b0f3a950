/* Search: results beneath every search field as one types, and all of them on the page of results.
 * The index and MiniSearch are loaded when a field is first used; both are files of this site.
 */
(function (mc) {
  "use strict";

  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const FEW = 12, MANY = 200, FOLLOWING = 160;
  const WORTH = { page: 1.5, formula: 1.6, term: 1.4, section: 1.1, fact: 1, lab: 1.2, calculator: 1, question: 0.7, exercise: 0.7 };
  let ready;

  /** Words of one kind look alike: no accents, no plural. */
  const term = (word) => {
    const bare = word.normalize("NFD").replace(/\p{M}/gu, "").replace(/['’]/g, "").toLowerCase();
    return bare.length > 3 ? bare.replace(/s$/, "") : bare;
  };
  const words = (text) => text.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}.]+/u).filter(Boolean);

  /** Load what the search needs, once; return a promise of the function that searches. */
  const load = () => (ready = ready || mc.loadScript("mc-index.js").then(() => mc.loadScript("minisearch.js")).then(() => {
    const { pages, rows, synonyms } = mc.index;
    const engine = new MiniSearch({ fields: ["title", "also", "text"], processTerm: (word) => term(word) || null, tokenize: words });
    engine.addAll(rows.map(([, , title, , also, text], id) => ({ id, title, also, text })));
    const boostDocument = (id) => WORTH[rows[id][0]] || 1;
    const phrase = (text) => ` ${words(text).map(term).join(" ")} `;
    const titles = rows.map(([, , title]) => phrase(title));
    // What is called as was typed comes first, a term of the glossary before all, then titles that contain the phrase.
    const called = (id, asked) => (titles[id] === asked ? (rows[id][0] === "term" ? 1e6 : 1e3)
      : ["page", "section", "term"].includes(rows[id][0]) && titles[id].includes(asked) ? 40 : 0);
    const options = { boost: { title: 4, also: 2 }, prefix: (word) => word.length > 2, fuzzy: (word) => (word.length > 5 ? 0.2 : 0), boostDocument };
    return (typed) => {
      const query = ` ${typed.toLowerCase().replace(/-/g, " ")} `;
      const also = Object.keys(synonyms).filter((key) => query.includes(` ${key} `)).map((key) => synonyms[key]);
      const best = engine.search(typed, { ...options, combineWith: "AND" });
      const other = engine.search([typed, ...also].join(" "), options);
      const seen = new Set(best.map((hit) => hit.id));
      const scores = new Map(other.map((hit) => [hit.id, hit.score]));
      const ranked = [...best.map((hit) => [hit.id, hit.score + (scores.get(hit.id) || 0)]), ...other.filter((hit) => !seen.has(hit.id)).map((hit) => [hit.id, hit.score])];
      const asked = phrase(typed);
      const sorted = ranked.map(([id, score]) => [id, score + called(id, asked)]).sort((a, b) => b[1] - a[1]);
      const alike = new Set(); // of several with one title on one page the best
      return sorted.map(([id]) => ({ row: rows[id], page: pages[rows[id][1]] }))
        .filter(({ row: [kind, page, title] }) => !alike.has(`${kind} ${page} ${title}`) && alike.add(`${kind} ${page} ${title}`));
    };
  }));

  /** Return a result as a list item: kind, title, the page it is on, and the words around. */
  const item = ({ row: [kind, , title, anchor, , text], page: [doc, name] }, typed) => {
    const link = mc.make("a");
    link.href = `${new URL(`${doc}.html`, root)}${anchor && `#${anchor}`}`;
    const head = mc.make("span", "", "mc-result-title");
    head.append(...highlighted(title, typed));
    link.append(mc.make("span", kind, "mc-result-kind"), head, mc.make("span", kind === "page" ? "" : name, "mc-result-page"));
    const whole = mc.make("li");
    whole.append(link);
    const near = excerpt(text, typed);
    if (near) link.append(near);
    return whole;
  };

  /** Return a text in parts, those that were typed in `mark`. */
  const highlighted = (text, typed) => {
    const wanted = new Set(words(typed).map(term));
    return text.split(/([\p{L}\p{N}.]+)/u).map((part) => (wanted.has(term(part)) ? mc.make("mark", part) : document.createTextNode(part)));
  };

  const excerpt = (text, typed) => {
    const first = words(typed).map((word) => text.toLowerCase().indexOf(term(word))).filter((at) => at >= 0).sort((a, b) => a - b)[0];
    if (first === undefined) return null;
    const from = first < 40 ? 0 : text.indexOf(" ", first - 40) + 1;
    const near = mc.make("span", "", "mc-result-text");
    near.append(...highlighted(`${from ? "… " : ""}${text.slice(from, from + FOLLOWING)}${text.length > from + FOLLOWING ? " …" : ""}`, typed));
    return near;
  };

  /** Bring a form to life: results beneath it, at most `most`. */
  const attachSearch = (form, most) => {
    const field = form.querySelector("input[name=q]");
    const list = mc.make("ol", "", "mc-results"), summary = mc.make("p", "", "mc-results-summary");
    list.setAttribute("aria-label", "Results");
    summary.setAttribute("role", "status");
    form.after(summary, list);
    const show = (search) => {
      const typed = field.value.trim();
      const hits = typed ? search(typed) : [];
      list.replaceChildren(...hits.slice(0, most).map((hit) => item(hit, typed)));
      summary.textContent = !typed ? "" : hits.length > most ? `${hits.length} results, the best ${most}:` : `${hits.length || "No"} result${hits.length === 1 ? "" : "s"}`;
      if (most === MANY) mc.url.set("q", typed || null);
    };
    const change = () => load().then(show, () => { summary.textContent = "The index could not be loaded. Reload the page to try again."; });
    field.addEventListener("focus", load, { once: true });
    field.addEventListener("input", change);
    form.parentElement.addEventListener("keydown", (event) => move(event, [field, ...list.querySelectorAll("a")]));
    return { field, change };
  };

  /** Let the arrows go from the field through the results and back. */
  const move = (event, stops) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], at = stops.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
  };

  mc.ready(() => {
    document.querySelectorAll("form.mc-search").forEach((form) => {
      const page = form.closest(".mc-search-page");
      const { field, change } = attachSearch(form, page ? MANY : FEW);
      if (!page) return;
      field.value = mc.url.get("q") || "";
      form.addEventListener("submit", (event) => event.preventDefault());
      field.focus();
      change();
    });
  });
})(globalThis.mc = globalThis.mc || {});
