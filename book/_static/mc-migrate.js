/* What an earlier version of the book has stored in this browser, renewed once: loaded by mc-store.js when there is
 * some, after mc-redirects.js, which has `mc.redirects`: {addresses: {old: new}, cells: {old page: [name of a live cell]}}.
 *
 * An old store goes only when the new one has been read back with all that was in it.
 */
(function (mc) {
  "use strict";

  const { addresses, cells } = mc.redirects;

  /** Return the address that follows an old one, by the longest known beginning; itself where nothing was renamed. */
  function successor(address) {
    const dots = [...address.matchAll(/\./g)].reverse();
    const known = [address, ...dots.flatMap(({ index }) => [address.slice(0, index + 1), address.slice(0, index)])].find((each) => Object.hasOwn(addresses, each));
    return known ? addresses[known] + address.slice(known.length) : address;
  }

  // Where nothing more can be stored the page remembers all, and the old store is not to go.
  const isSaved = (store, entries) => localStorage.getItem(store.key) === store.text() &&
    Object.keys(entries).every((address) => address in store.load());

  function rename(key, name) {
    localStorage.setItem(name, localStorage.getItem(key));
    localStorage.removeItem(key);
  }

  // What was set aside once may be readable now: 0.1.0 did so with the progress of everybody who had tried a task.
  function renewStore(store, key, aside) {
    const text = localStorage.getItem(key);
    let entries = null;
    try { entries = store.parse(text, successor); } catch ({ message }) {
      if (aside) rename(key, `${store.key}.unreadable.${key.split(".").pop()}`);
      else store.setAside(text, message, key);
      return;
    }
    store.save(store.merged(store.load(), entries));
    if (isSaved(store, entries)) localStorage.removeItem(key);
  }

  // An edited cell of which the successor is not known stays, under a name for which nobody looks again.
  function renewCell(key) {
    const [, page, number] = key.match(/(book\/.*)\.html\.(\d+)$/) || [];
    const name = (cells[page] || [])[number];
    if (name && localStorage.getItem(`mc.live.v2.${name}`) === null) rename(key, `mc.live.v2.${name}`);
    else rename(key, key.replace("mc.live./", "mc.live.v1./"));
  }

  /** Renew every former store, each by itself: where one fails, it stays as it is. */
  function all() {
    const each = (keys, run) => keys.sort().forEach((key) => { try { run(key); } catch { /* the storage is full */ } });
    const keys = Object.keys(localStorage);
    for (const store of mc.stores) {
      for (const former of store.formerly) {
        each(keys.filter((key) => key.startsWith(`${former}.unreadable.`)), (key) => renewStore(store, key, true));
        each(keys.filter((key) => key === former), (key) => renewStore(store, key, false));
      }
    }
    each(keys.filter((key) => key.startsWith("mc.live./")), renewCell);
  }

  mc.migrate = { successor, all };
})((globalThis.mc = globalThis.mc || {}));
