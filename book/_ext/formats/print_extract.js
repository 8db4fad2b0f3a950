/* A page for paper and EPUB: `extract(text, settings)` takes the HTML of a built page and returns the XHTML of
 * its article, with what stands at the end of the chapter apart: symbols and derivations, hints and solutions.
 *
 * `settings`: key (of this page), path (of this page), pages ({path: key} of those that are printed too), home (where
 * the site is published, or ""), files (whether each page is a file of its own).
 */
globalThis.extract = (function () {
  "use strict";

  const XHTML = "http://www.w3.org/1999/xhtml";
  const GONE = "script, noscript, style, button, .headerlink, .mc-hidden:not(h1 *), .mc-layout-narrow, .mc-breadcrumb, .mc-pages, .mc-page-contents, .mc-subpage > .mc-about, .mc-data, .mc-tools, .mc-feedback," +
    " .mc-status-line, .mc-choice, .mc-ledger, .mc-ends > span, .mc-band, .mc-filter, .mc-progress, .mc-animation-bar, [data-part]:empty";
  const BARE = ["tabindex", "popover", "novalidate", "autocomplete", "data-tex", "data-copy", "data-template", "data-spec", "data-tip", "for", "ids"];
  const POINTING = ["aria-labelledby", "aria-describedby", "aria-controls", "headers"];

  const made = (doc, tag, name, ...inside) => {
    const node = doc.createElement(tag);
    if (name) node.className = name;
    node.append(...inside);
    return node;
  };

  const renamed = (node, tag) => {
    const other = made(node.ownerDocument, tag, "", ...node.childNodes);
    for (const { name, value } of [...node.attributes]) other.setAttribute(name, value);
    node.replaceWith(other);
    return other;
  };

  /** Put the options of a question, which its form holds, into a list of their own. */
  function chosen(article) {
    for (const form of article.querySelectorAll("form")) {
      const options = [...form.querySelectorAll(".mc-option")];
      if (!options.length) { form.remove(); continue; }
      const list = made(form.ownerDocument, "ol", "mc-options-listed");
      list.setAttribute("type", "A");
      for (const option of options) {
        option.querySelectorAll("input").forEach((field) => field.remove());
        const letter = [...option.querySelectorAll("b")].find((bold) => /^[A-H]\. $/.test(bold.textContent));
        if (letter) letter.remove();
        list.append(made(form.ownerDocument, "li", "", ...option.childNodes));
      }
      form.replaceWith(list);
    }
  }

  /** Open what is folded: the words of its summary become its label. */
  function unfolded(root) {
    for (let fold; (fold = root.querySelector("details"));) {
      const summary = fold.querySelector(":scope > summary");
      if (summary) { renamed(summary, "p").classList.add("mc-label"); }
      fold.removeAttribute("open");
      renamed(fold, "div");
    }
  }

  /** Let the headings of a further page of a chapter stand one level lower, where all pages are one document. */
  function lowered(article) {
    for (const level of [3, 2, 1]) {
      for (const head of article.querySelectorAll(`.mc-subpage h${level}`)) renamed(head, `h${level + 1}`);
    }
  }

  /** Take what goes to the end of the chapter out of its place, and leave a link to it. */
  function apart(article, settings) {
    const doc = article.ownerDocument, tail = { derivations: [], solutions: [] };
    const entry = (kind, id, head, parts) => {
      const back = made(doc, "a", "mc-back", ...head);
      back.href = `#${id}`;
      const block = made(doc, "div", "mc-entry", made(doc, "p", "mc-entry-head", back), ...parts);
      block.id = `${id}-${kind}`;
      tail[kind].push(block);
      return Object.assign(made(doc, "a", "mc-next-page"), { href: `#${block.id}` });
    };
    for (const formula of article.querySelectorAll(".mc-formula:has(> .mc-more)")) {
      const more = formula.querySelector(":scope > .mc-more"), summary = more.querySelector("summary").textContent;
      more.querySelector("summary").remove();
      const number = formula.querySelector(".eqno"), equation = formula.querySelector(".mc-equation math").cloneNode(true);
      equation.removeAttribute("id");
      equation.removeAttribute("display");
      const link = entry("derivations", formula.id, [number ? number.firstChild.textContent.trim() : "", " ", equation], [...more.childNodes]);
      link.textContent = summary.replace(/,? and code$/, "").replace(/, (\w+)$/, " and $1");
      more.remove();
      const state = formula.querySelector(".mc-state") || formula.appendChild(made(doc, "p", "mc-state"));
      state.append(" ", link);
    }
    for (const task of article.querySelectorAll(":is(mc-exercise, mc-open, mc-task, mc-question)")) {
      const folds = [...task.querySelectorAll(":scope > :is(.mc-hint, .mc-solution)")], head = task.querySelector(".mc-head");
      if (!folds.length || !task.id || !head) continue;
      folds.forEach((fold) => fold.remove());
      const title = [...head.querySelectorAll(".mc-number, .mc-title")].flatMap((part) => [part.cloneNode(true), " "]);
      const link = entry("solutions", task.id, title, folds);
      link.textContent = folds.some((fold) => fold.matches(".mc-hint")) ? "Hints and solution" : "Solution";
      task.append(made(doc, "p", "mc-to", link));
    }
    return tail;
  }

  /** Let ids be those of this page among all pages, and links lead to where their target now is. */
  function linked(root, settings, known) {
    const own = (id) => `${settings.key}--${id}`;
    for (const node of root.querySelectorAll("*")) {
      if (node.id) node.id = own(node.id);
      for (const name of POINTING.filter((each) => node.hasAttribute(each))) {
        const there = node.getAttribute(name).split(/\s+/).filter((id) => known.has(id)).map(own);
        if (there.length) node.setAttribute(name, there.join(" ")); else node.removeAttribute(name);
      }
      for (const { name, value } of [...node.attributes]) {
        if (value.includes("url(#")) node.setAttribute(name, value.replace(/url\(#([^)]+)\)/g, (_, id) => `url(#${own(id)})`));
      }
      if (node.namespaceURI === XHTML && node.localName === "a" && node.hasAttribute("href")) follow(node, settings);
      else if (node.getAttribute("href")?.startsWith("#")) node.setAttribute("href", `#${own(node.getAttribute("href").slice(1))}`);
    }
  }

  function follow(link, settings) {
    const href = link.getAttribute("href");
    for (const name of ["title", "download", "target"]) link.removeAttribute(name);
    if (/^(https?|mailto):/.test(href)) return;
    const there = new URL(href, `https://book.invalid/${settings.path}`);
    const path = decodeURIComponent(there.pathname.slice(1)), id = decodeURIComponent(there.hash.slice(1));
    const page = settings.pages[path];
    if (page !== undefined) link.setAttribute("href", `${settings.files && page !== settings.key ? `${page}.xhtml` : ""}#${page}--${id || "top"}`);
    else if (settings.home) link.setAttribute("href", settings.home + path + there.hash);
    else renamed(link, "span").removeAttribute("href");
  }

  const COLOURS = new Set(["fill", "stroke"]);
  const DRAWN = {
    fill: "rgb(0, 0, 0)", stroke: "none", "fill-opacity": "1", "stroke-width": "1px", "stroke-dasharray": "none", "stroke-linecap": "butt",
    "stroke-linejoin": "miter", "stroke-opacity": "1", opacity: "1", "font-size": "", "font-weight": "400", "font-style": "normal",
    "text-anchor": "start", "dominant-baseline": "auto",
  };
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  /** Return a colour as CSS has long known it, and how opaque it is. */
  function plain(colour) {
    if (colour === "none" || colour.startsWith("url(")) return [colour, 1];
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return [`#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`, alpha / 255];
  }

  /** Write into a drawing what the style sheet says of it: a reader of EPUB may know no such sheet. */
  function painted(svg) {
    for (const node of svg.querySelectorAll("path, rect, circle, ellipse, line, polyline, polygon, text, tspan, g")) {
      const style = getComputedStyle(node);
      for (const [name, usual] of Object.entries(DRAWN)) {
        let value = style.getPropertyValue(name);
        if (value === usual || (name.startsWith("font") && node.localName !== "text" && node.localName !== "tspan")) continue;
        if (COLOURS.has(name)) {
          const [hex, alpha] = plain(value);
          value = hex;
          if (alpha < 0.999) node.setAttribute(`${name}-opacity`, alpha.toFixed(2));
        }
        node.setAttribute(name, value);
      }
      for (const name of ["class", "style"]) node.removeAttribute(name);
    }
    svg.removeAttribute("style");
  }

  function stripped(article) {
    article.querySelectorAll(GONE).forEach((node) => node.remove());
    article.querySelectorAll("input, select, textarea").forEach((node) => node.remove());
    for (const node of [...article.querySelectorAll("*")]) {
      for (const name of BARE) node.removeAttribute(name);
      if (node.matches(".mc-scroll, [role=note]")) for (const name of ["role", "aria-label"]) node.removeAttribute(name);
      if (node.localName.startsWith("mc-")) renamed(node, "div");
      else if (["label", "output", "noscript"].includes(node.localName)) renamed(node, "span");
    }
  }

  return function extract(text, settings) {
    const doc = new DOMParser().parseFromString(text, "text/html"), article = doc.querySelector("article");
    const wrapped = (name, ...inside) => made(doc, "div", name, ...inside);
    chosen(article);
    if (!settings.files) lowered(article);
    const tail = apart(article, settings);
    const whole = wrapped("", wrapped("body", ...article.childNodes), wrapped("derivations", ...tail.derivations), wrapped("solutions", ...tail.solutions));
    unfolded(whole);
    stripped(whole);
    linked(whole, settings, new Set([...whole.querySelectorAll("[id]")].map((node) => node.id)));
    if (settings.files) {
      document.body.replaceChildren(whole);
      whole.querySelectorAll("svg").forEach(painted);
    }
    const texts = [...whole.children].map((part) => new XMLSerializer().serializeToString(part));
    const [body, derivations, solutions] = texts.map((each) => each.replace(/^<div[^>]*>|<\/div>$/g, "").replace(/^<div[^>]*\/$/, ""));
    return { body, derivations, solutions };
  };
})();
