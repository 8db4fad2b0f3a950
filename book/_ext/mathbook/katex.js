/* Set formulas with KaTeX: a line of JSON {tex, display} in, a line {html} or {error} out.
 *
 * What comes out is MathML alone, which browsers set and screen readers read, with as few elements as say the same:
 * a name in roman letters is one identifier, not one for each letter.
 */
"use strict";
const katex = require(process.argv[2]);
const LETTERS = /(?:<mi mathvariant="normal">[^<]<\/mi>(?:<mn>\d+<\/mn>)?){2,}/g;
const ALONE = /<mrow>(<(mi|mn|mo|mtext)\b[^>]*>[^<]*<\/\2>)<\/mrow>/g;
// KaTeX writes a sign of application after a name, as one more child where only two or three may be; browsers leave
// no room for it.
const NAME = /(<mi\b[^>]*>[^<]*<\/mi>)<mo>\u2061<\/mo>/g;
const BEFORE = /(?<!<m(?:sub|sup|subsup|under|over|frac)>)<mrow>(<mi\b[^>]*>[^<]*<\/mi>)<\/mrow>(?=<m(?:i|n|sub|sup|subsup|frac|sqrt)\b)/g;
const SCRIPTED = /(<m(sub|sup)><mi>(?:log|ln|min|max|exp|lim)<\/mi><m[in]>[^<]*<\/m[in]><\/m\2>)(?=<m(?:i|n|sub|sup|frac)\b)/g;
const ROOM = '<mspace width="0.17em"></mspace>';
// KaTeX writes what browsers know of brackets anyway; a formula has many of them.
const BRACKET = /<mo fence="true">([()[\]{}])<\/mo>/g;
const WRAPPED = /<semantics>(.*?)<annotation encoding="application\/x-tex">(.*?)<\/annotation><\/semantics>/s;
// Where a narrow screen may break a line stands an empty phantom, or one of a dot with which the new line then begins.
const MARKS = /\\phantom\{(?:\\cdot)?\} ?(?:\{\} ?)?/g;
const MARK = /<mphantom>(<mo>⋅<\/mo>)?<\/mphantom>/;
const CELL = /(<mtd>)<mstyle scriptlevel="0" displaystyle="true"><mrow>((?:(?!<mtd>).)*)<\/mrow><\/mstyle>(<\/mtd>)/gs;
const LINE = /(<math[^>]*>)<mrow>((?:(?!<mtd>).)*)<\/mrow>(<\/math>)/s;

function whole(part) {
  return (part.match(/<\w/g) || []).length === (part.match(/<\/|\/>/g) || []).length;
}

// The parts between the marks are boxes, which base.css sets next to or below each other.
function boxes(inside, display) {
  const [first, ...rest] = inside.split(MARK);
  const parts = first === "<mrow></mrow>" ? [] : [first];
  for (let i = 0; i < rest.length; i += 2) {
    parts.push(`${rest[i] ? '<mrow></mrow><mo class="mc-dot">⋅</mo>' : ""}${rest[i + 1]}`);
  }
  const tag = display ? '<mstyle scriptlevel="0" displaystyle="true">' : "<mstyle>";
  return parts.every(whole) ? parts.map((part) => `${tag}<mrow>${part}</mrow></mstyle>`).join("") : parts.join("");
}

function boxed(html) {
  if (!MARK.test(html)) return html;
  const display = html.includes('display="block"');
  return html
    .replace(CELL, (cell, open, inside, close) => (MARK.test(inside) ? open + boxes(inside, true) + close : cell))
    .replace(LINE, (line, open, inside, close) =>
      MARK.test(inside) ? `${open}<mrow>${boxes(inside, display)}</mrow>${close}` : line)
    .replace(/<math/, '<math class="mc-lines"');
}

function plain(html) {
  return boxed(shortened(html));
}

function shortened(html) {
  return html
    .replace(/ xmlns="[^"]*"/, "")
    .replace(WRAPPED, (_, inside, tex) => `${inside}<!--tex-->${tex}`)
    .replace(/<math([^>]*)>(.*?)<!--tex-->(.*?)<\/math>/s, (_, attributes, inside, tex) =>
      `<math${attributes} data-tex="${tex.replace(MARKS, "").replace(/\s+/g, " ").trim().replace(/"/g, "&quot;")}">${inside}</math>`)
    .replace(LETTERS, (run) => `<mi>${run.replace(/<[^>]*>/g, "")}</mi>`)
    .replace(NAME, "<mrow>$1</mrow>")
    .replace(/<mrow>(<mrow>[^<]*<mi\b[^>]*>[^<]*<\/mi><\/mrow>)<\/mrow>/g, "$1")
    .replace(BEFORE, `<mrow>$1${ROOM}</mrow>`)
    .replace(ALONE, "$1")
    .replace(SCRIPTED, `<mrow>$1${ROOM}</mrow>`)
    .replace(BRACKET, "<mo>$1</mo>");
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: plain(katex.renderToString(tex, { displayMode: display, strict: "ignore", output: "mathml" })) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
