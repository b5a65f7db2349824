// Caches the page, so that it works offline after the first visit. It only handles the page's own files, as listed by
// the build. Traces never pass through here.
//
// The build prepends a line that sets `BUILD` to the version and the path and hash of each file.

// Other copies of the page on this host have their own caches.
const PREFIX = `camlscope ${registration.scope} `;
const CACHE = PREFIX + BUILD.version;

const address = (path) => new URL(path, registration.scope).href;
const OWN = new Set(Object.keys(BUILD.files).map(address));

addEventListener("install", (event) => {
  // If the server is being updated, a file from another build fails the integrity check, and the browser tries again
  // later. Only the page itself can be outdated in the browser's cache. All other names change with their content.
  const request = ([path, integrity]) =>
    new Request(address(path), { integrity, cache: path === "./" ? "no-cache" : "default" });
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(Object.entries(BUILD.files).map(request))));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(PREFIX) && name !== CACHE;
  const removeOld = async () => Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(removeOld().then(() => clients.claim()));
});

// The user wants the new version now.
addEventListener("message", (event) => {
  if (event.data === "activate") skipWaiting();
});

addEventListener("fetch", (event) => {
  const place = new URL(event.request.url);
  // Parameters and the part after `#` are read by the page itself, so they don't matter here.
  if (event.request.mode === "navigate") place.search = place.hash = "";
  if (event.request.method !== "GET" || !OWN.has(place.href)) return;
  // The browser may have removed the file to free space.
  const answer = async () => (await (await caches.open(CACHE)).match(place.href)) ?? fetch(event.request);
  event.respondWith(answer());
});
