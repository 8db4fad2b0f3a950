/* Draw calculators and charts while the book is built, with the very files that run in the browser.
 *
 * A line of JSON in: {"scripts": [paths, in order], "what": "explorer" | "chart", "spec": …}.
 * A line out: {"html": …}, or {"error": one sentence}. Drawings from the same scripts share a page.
 */
"use strict";
const fs = require("fs");
const vm = require("vm");
const pages = new Map();
const draw = { explorer: (mc, spec) => mc.explorer.html(spec), chart: (mc, spec) => mc.chart(spec) };

function page(scripts) {
  const key = scripts.join("\n");
  if (!pages.has(key)) {
    const context = vm.createContext({ console, URL, Intl });
    for (const path of scripts) vm.runInContext(fs.readFileSync(path, "utf8"), context, { filename: path });
    pages.set(key, context);
  }
  return pages.get(key);
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { scripts, what, spec } = JSON.parse(line);
  let answer;
  try {
    answer = { html: draw[what](page(scripts).mc, spec) };
  } catch (error) {
    answer = { error: `${error.message} (${(error.stack || "").split("\n")[1] || ""})`.trim() };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
