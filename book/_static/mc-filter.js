/* Search and filter the rows of long tables: `<div class="mc-filter" data-kinds="wrong,…">` gets the
 * controls, the rows are those that carry `data-verdict`. Without this script all rows are there.
 */
(function (mc) {
  "use strict";

  /** Whether a row's words hold all the words asked for, and its verdict is wanted. */
  mc.kept = (row, words, verdict) =>
    (!verdict || row.verdict === verdict) && words.every((word) => row.text.includes(word));

  const plain = (text) => text.toLowerCase().replace(/[\u202f\u00a0]/g, " ");

  const controls = (place, change) => {
    const search = Object.assign(mc.make("input", "", "mc-input"), { type: "search", id: "mc-filter-words" });
    const choice = Object.assign(mc.make("select", "", "mc-input"), { id: "mc-filter-kind" });
    choice.append(new Option("every verdict", ""), ...place.dataset.kinds.split(",").map((kind) => new Option(kind, kind)));
    const named = (text, control) => {
      const label = mc.make("label", text);
      label.htmlFor = control.id;
      return [label, control];
    };
    const told = mc.make("p", "", "mc-help");
    told.setAttribute("role", "status");
    place.append(...named("Search ", search), ...named("Verdict ", choice), told);
    search.addEventListener("input", change);
    choice.addEventListener("change", change);
    return { search, choice, told };
  };

  mc.ready(() => document.querySelectorAll(".mc-filter").forEach((place) => {
    const rows = [...document.querySelectorAll("tr[data-verdict]")].map((element) => ({
      element, verdict: element.dataset.verdict, text: plain(element.textContent),
    }));
    const sections = [...new Set(rows.map((row) => row.element.closest("section")))];
    const apply = () => {
      const words = plain(parts.search.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row) => { shown += !(row.element.hidden = !mc.kept(row, words, parts.choice.value)); });
      sections.forEach((section) => { section.hidden = !section.querySelector("tr[data-verdict]:not([hidden])"); });
      parts.told.textContent = `${shown} of ${rows.length} claims`;
      mc.url.set("words", parts.search.value || null);
      mc.url.set("verdict", parts.choice.value || null);
    };
    const parts = controls(place, apply);
    parts.search.value = mc.url.get("words") || "";
    parts.choice.value = mc.url.get("verdict") || "";
    if (parts.choice.selectedIndex < 0) parts.choice.value = "";
    apply();
  }));
})(globalThis.mc = globalThis.mc || {});
