/* Make scripts small with terser: a line of JSON {text} in, a line {html} with what is left of it, or {error}, out.
 *
 * What comes out is an ordinary script; classes keep their names, by which a trace tells an element of the book.
 */
"use strict";
const { minify_sync: minified } = require(process.argv[2]);

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { text } = JSON.parse(line);
  let answer;
  try {
    answer = { html: minified(text, { ecma: 2020, keep_classnames: true }).code };
  } catch (error) {
    answer = { error: `${error.message} (line ${error.line}, column ${error.col})` };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
