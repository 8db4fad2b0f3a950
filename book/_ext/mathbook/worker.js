/* Keep the whole book for reading without a network: everything is fetched once, when a reader asks for it.
 * Online, a page comes from the network and replaces what is kept; offline, what is kept is shown.
 */
const here = (file) => new URL(file, self.registration.scope).href;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(VERSION).then((kept) => kept.addAll(FILES.map(here))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== VERSION);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  const kept = (url) => caches.match(url, { ignoreSearch: true });
  const folder = /\/(?:[?#].*)?$/.test(request.url); // a server shows its first page
  event.respondWith(fetch(request).catch(() => kept(request)
    .then((found) => found || (folder && kept(new URL("index.html", request.url).href)))
    .then((found) => found || kept(here("404.html")))));
});
