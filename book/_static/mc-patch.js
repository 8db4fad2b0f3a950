/* HTML text against the elements that an earlier text became: under a slider only what differs is written,
 * a number here and a path there, so that the browser lays out and paints little more than that.
 *
 * It reads what the book's own code writes: every tag closed, every attribute in double quotes. Where something
 * has come or gone among the children of an element, or a translator has been at them, these are written anew.
 */
(function (mc) {
  "use strict";

  const ALONE = new Set(["br", "wbr"]); // elements that have no end
  const ATTRIBUTE = /([^\s=]+)(?:="([^"]*)")?/g;
  const plain = (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));

  /** Return HTML as a tree {html, name, tag, items}; an item is a text or again a tree. */
  function tree(html) {
    const root = { name: "", tag: "", items: [], from: 0 };
    const open = [root];
    for (let at = 0, end; at < html.length; at = end) {
      const { items } = open.at(-1);
      const text = html[at] !== "<";
      end = text ? html.indexOf("<", at) : html.indexOf(">", at) + 1;
      if (end <= 0) end = html.length;
      if (text) items.push(html.slice(at, end));
      else if (html[at + 1] === "/") close(open.pop(), html, at);
      else {
        const item = parseOpenTag(html, at, end);
        items.push(item);
        if (html[end - 2] === "/" || ALONE.has(item.name)) close(item, html, end);
        else open.push(item);
      }
    }
    return close(root, html, html.length);
  }

  function parseOpenTag(html, from, to) {
    const tag = html.slice(from + 1, html[to - 2] === "/" ? to - 2 : to - 1);
    const space = tag.indexOf(" ");
    return { name: space < 0 ? tag : tag.slice(0, space), tag, items: [], from: to };
  }

  // What stands between the tags is kept as text, too: what is the same need not be looked into.
  const close = (item, html, to) => Object.assign(item, { html: html.slice(item.from, to) });

  const attributes = ({ name, tag }) => new Map([...tag.slice(name.length).matchAll(ATTRIBUTE)].map(([, key, value = ""]) => [key, plain(value)]));

  function setAttributes(element, old, fresh) {
    const [had, has] = [attributes(old), attributes(fresh)];
    for (const key of had.keys()) if (!has.has(key)) element.removeAttribute(key);
    for (const [key, value] of has) if (had.get(key) !== value) element.setAttribute(key, value);
  }

  // Can a node become what an item of the tree says? A text with an entity that has a name is left to the browser.
  const isSameNode = (node, item) => (typeof item === "string" ? node.nodeType === 3 && !/&(?!#\d+;)/.test(item) : node.localName === item.name);
  const haveSameChildren = ({ childNodes }, old, { items }) => items.length === old.items.length && items.length === childNodes.length &&
    items.every((item, i) => isSameNode(childNodes[i], item));

  /** Make an element that shows the tree `old` show `fresh`. */
  function patch(element, old, fresh) {
    if (old.tag !== fresh.tag) setAttributes(element, old, fresh);
    if (old.html === fresh.html) return;
    if (!haveSameChildren(element, old, fresh)) element.innerHTML = fresh.html;
    else fresh.items.forEach((item, i) => {
      const [node, was] = [element.childNodes[i], old.items[i]];
      if (typeof item !== "string") patch(node, was, item);
      else if (item !== was) node.data = plain(item);
    });
  }

  mc.patch = Object.assign(patch, { tree });
})((globalThis.mc = globalThis.mc || {}));
