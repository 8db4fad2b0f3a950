/* What a script adds to the filter of a list, of the audited claims or of the formulas: a search in the words of the
 * rows, a count of those that are left, and the choices in the address. Lists of choices hide rows by a style, without
 * any script.
 */
(function (mc) {
  "use strict";

  /** Whether a row has what was chosen in every list, `{document, verdict, …}`, and all the words asked for. */
  mc.isListed = (row, words, chosen) =>
    Object.entries(chosen).every(([name, value]) => !value || (row[name] || "").split(name === "verdict" ? " " : "\n").includes(value)) &&
    words.every((word) => row.text.includes(word));

  const ROWS = ":is(tr[data-verdict], li[data-row])";
  const plain = (text) => text.toLowerCase().replace(/[\u202f\u00a0]/g, " ");

  const searching = (place) => {
    const search = Object.assign(mc.make("input", "", "mc-input"), { type: "search", id: "mc-filter-words" });
    const label = mc.make("label", "Search ");
    label.htmlFor = search.id;
    const count = mc.make("p", "", "mc-help");
    count.setAttribute("role", "status");
    place.prepend(label, search);
    place.append(count);
    return { search, count };
  };

  mc.ready(() => document.querySelectorAll(".mc-filter").forEach((place) => {
    const rows = [...document.querySelectorAll(ROWS)].map((element) => ({
      element, ...element.dataset, text: plain(element.textContent),
    }));
    const folds = [...new Set(rows.map((row) => row.element.closest("details")))].filter(Boolean);
    const sections = [...new Set(rows.map((row) => row.element.closest("section")))];
    const lists = [...place.querySelectorAll("select[data-filter]")];
    place.querySelector("style")?.remove(); // from here on the script hides, and counts what is left
    const parts = searching(place);
    const apply = () => {
      const words = plain(parts.search.value).split(/\s+/).filter(Boolean);
      const chosen = Object.fromEntries(lists.map((list) => [list.dataset.filter, list.value]));
      let shown = 0;
      rows.forEach((row) => { shown += !(row.element.hidden = !mc.isListed(row, words, chosen)); });
      sections.forEach((section) => { section.hidden = !section.querySelector(`${ROWS}:not([hidden])`); });
      const asked = words.length > 0 || lists.some((list) => list.value);
      folds.forEach((fold) => {
        fold.hidden = !fold.querySelector("tr:not([hidden])[data-verdict]");
        if (asked) fold.open = true; // what is asked for is seen
      });
      parts.count.textContent = `${shown} of ${rows.length} ${place.dataset.noun || "claims"}`;
      mc.url.set("words", parts.search.value || null);
      lists.forEach((list) => mc.url.set(list.dataset.filter, list.value || null));
    };
    parts.search.value = mc.url.get("words") || "";
    lists.forEach((list) => {
      list.value = mc.url.get(list.dataset.filter) || "";
      if (list.selectedIndex < 0) list.value = "";
      list.addEventListener("change", apply);
    });
    parts.search.addEventListener("input", apply);
    apply();
  }));
})(globalThis.mc = globalThis.mc || {});
