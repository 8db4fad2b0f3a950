// What is patched is what would be written anew: on a small tree of nodes that stands for the document.
"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const { load } = require("./load.js");

const mc = load(["mc-patch.js"]);
const { patch } = mc;

/** A text or an element as the document has them, as far as `patch` asks; `written` counts what it writes. */
class Node {
  constructor(item, written) {
    const element = typeof item !== "string";
    Object.assign(this, { nodeType: element ? 1 : 3, localName: item.name, written, text: item, attributes: new Map() });
    if (!element) return;
    for (const [, key, value = ""] of item.tag.slice(item.name.length).matchAll(/([^\s=]+)(?:="([^"]*)")?/g)) this.attributes.set(key, value);
    this.childNodes = item.items.map((each) => new Node(each, written));
  }

  set data(text) { this.text = text; this.written.push(text); }
  set innerHTML(html) { this.childNodes = patch.tree(html).items.map((each) => new Node(each, this.written)); this.written.push(html); }
  setAttribute(key, value) { this.attributes.set(key, value); this.written.push(`${key}=${value}`); }
  removeAttribute(key) { this.attributes.delete(key); this.written.push(`-${key}`); }
  get html() {
    if (this.nodeType === 3) return this.text;
    const inside = this.childNodes.map(({ html }) => html).join("");
    return `<${this.localName}${[...this.attributes].map(([key, value]) => ` ${key}="${value}"`).join("")}>${inside}</${this.localName}>`;
  }
}

/** Return [what stands in a <div> after `from` has become `to`, what was written for it]. */
function became(from, to, spoil = () => {}) {
  const written = [];
  const place = new Node({ name: "div", tag: "div", items: patch.tree(from).items }, written);
  spoil(place);
  patch(place, patch.tree(from), patch.tree(to));
  return [place.html.slice("<div>".length, -"</div>".length), written];
}

test("a tree has every tag, text and attribute in its place", () => {
  const { items } = patch.tree(`a <b>c</b><path d="M0 1"/><wbr><i data-best x="1">d</i>`);
  assert.deepEqual([...items].map((item) => (typeof item === "string" ? item : `${item.tag}: ${item.html}`)),
    ["a ", "b: c", `path d="M0 1": `, "wbr: ", `i data-best x="1": d`]);
});

test("only the number that differs is written", () => {
  const [html, written] = became(`<p>τ = <b>4 min</b>, <i>8 h</i></p>`, `<p>τ = <b>5 min</b>, <i>8 h</i></p>`);
  assert.equal(html, `<p>τ = <b>5 min</b>, <i>8 h</i></p>`);
  assert.deepEqual(written, ["5 min"]);
});

test("attributes come, change and go", () => {
  const [html, written] = became(`<u a="1" b="2" c="3"></u>`, `<u a="1" c="4" d="5"></u>`);
  assert.equal(html, `<u a="1" c="4" d="5"></u>`);
  assert.deepEqual(written, ["-b", "c=4", "d=5"]);
});

test("where elements come or go, or change their kind, their parent alone is written anew", () => {
  const rest = `<g><path d="M1"></path></g>`;
  for (const [from, to] of [[`<i>1</i>`, `<i>1</i><i>2</i>`], [`<i>1</i><i>2</i>`, `<i>2</i>`], [`<i>1</i>`, `<b>1</b>`], [`one`, `<b>1</b>`], [``, `1`]]) {
    const [html, written] = became(`<g>${from}</g>${rest}`, `<g>${to}</g>${rest}`);
    assert.equal(html, `<g>${to}</g>${rest}`);
    assert.deepEqual(written, [to]);
  }
});

test("numeric entities are read, others are left to the browser", () => {
  assert.deepEqual(became(`<p>1 &#60; 2</p>`, `<p>2 &#60; 3 &#38; 4</p>`)[1], ["2 < 3 & 4"]);
  assert.deepEqual(became(`<p>1</p>`, `<p>1&nbsp;h</p>`)[1], [`1&nbsp;h`]);
});

test("what a translator has put in between goes with the next change", () => {
  const wrap = (place) => { const [p] = place.childNodes; p.childNodes = [new Node({ name: "font", tag: "font", items: ["eins"] }, p.written)]; };
  assert.equal(became(`<p>one</p>`, `<p>two</p>`, wrap)[0], `<p>two</p>`);
});
