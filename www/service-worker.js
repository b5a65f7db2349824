// Keeps the page, so that it works without a network after one visit. It answers for the page's own files and for nothing
// else, and keeps nothing but what the build has listed: a trace never comes through here.
//
// The build puts a line in front that sets `BUILD`: the version, and each file's path with its hash.

// Other copies of the page on this host have caches of their own.
const PREFIX = `camlscope ${registration.scope} `;
const CACHE = PREFIX + BUILD.version;

const address = (path) => new URL(path, registration.scope).href;
const OWN = new Set(Object.keys(BUILD.files).map(address));

addEventListener("install", (event) => {
  // A file of another build, from a host that is just being updated, fails the check: the browser tries again later. Only
  // the page itself can be an old copy of the browser's; all other names change with their content.
  const request = ([path, integrity]) =>
    new Request(address(path), { integrity, cache: path === "./" ? "no-cache" : "default" });
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(Object.entries(BUILD.files).map(request))));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(PREFIX) && name !== CACHE;
  const removeOld = async () => Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(removeOld().then(() => clients.claim()));
});

// The reader wants the newer version now.
addEventListener("message", (event) => {
  if (event.data === "activate") skipWaiting();
});

addEventListener("fetch", (event) => {
  const place = new URL(event.request.url);
  // The page reads its own parameters, and what stands behind the `#`; it is the same page.
  if (event.request.mode === "navigate") place.search = place.hash = "";
  if (event.request.method !== "GET" || !OWN.has(place.href)) return;
  // A browser that is short of space may have removed the file.
  const answer = async () => (await (await caches.open(CACHE)).match(place.href)) ?? fetch(event.request);
  event.respondWith(answer());
});
