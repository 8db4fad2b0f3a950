/* Draw explorers and charts while the book is built, with the very files that run in the browser.
 *
 * Standard input: {"scripts": [paths, in order], "what": "explorer" | "chart", "spec": …}.
 * Standard output: the HTML. A fault ends with exit code 1 and one sentence.
 */
"use strict";
const fs = require("fs");
const vm = require("vm");

const asked = JSON.parse(fs.readFileSync(0, "utf8"));
const page = vm.createContext({ console, URL, Intl });
for (const path of asked.scripts) vm.runInContext(fs.readFileSync(path, "utf8"), page, { filename: path });

try {
  const draw = { explorer: (mc, spec) => mc.explorer.html(spec), chart: (mc, spec) => mc.chart(spec) };
  process.stdout.write(draw[asked.what](page.mc, asked.spec));
} catch (error) {
  process.stderr.write(`${error.message} (${(error.stack || "").split("\n")[1] || ""})`.trim());
  process.exitCode = 1;
}
