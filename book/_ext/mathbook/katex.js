/* Set formulas with KaTeX: a line of JSON {tex, display} in, a line {html} or {error} out. */
"use strict";
const katex = require(process.argv[2]);

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    const html = katex.renderToString(tex, { displayMode: display, strict: "ignore" });
    answer = { html: html.replace(/\nMM(?=\d)/g, "\nM") }; // KaTeX doubles the M of a very tall bar, which browsers report
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
