// Starts the page. `site.js` or `one-file.js` and `host.js` are prepended to this file. They define how to load each
// part, and who the page is embedded in. The worker can read a file while the rest of the page downloads. Until then,
// this script handles files that the user drops, picks or names.

try {
  const theme = localStorage.getItem("camlscope.theme");
  if (!host && (theme === "light" || theme === "dark")) document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the system theme is used.
}

// A page in a frame of another origin may not show these pickers. Without them, the page uses its file inputs.
try {
  void top.document;
} catch {
  delete window.showOpenFilePicker;
  delete window.showDirectoryPicker;
}

// The first worker, and its events until the app listens.
let early = startWorker();
early.events = [];
for (const kind of ["message", "error", "messageerror"]) {
  early.worker.addEventListener(kind, (event) => early?.events.push(event));
}
const isReady = new Promise((resolve) => early.worker.addEventListener("message", resolve, { once: true }));
isReady.then(() => performance.mark("camlscope-worker"));

// `camlscope open` stops once the browser closes this request, together with the tab.
const alive = document.querySelector("meta[name=camlscope-alive]")?.content;
if (alive) {
  fetch(alive).then(async ({ body }) => {
    const reader = body.getReader();
    while (!(await reader.read()).done);
  }).catch(() => {});
}

// The user's last request, until the app takes it over with `take`.
let lastRequest = null;
let take = null;

function submit(request) {
  if (host) return;
  if (take) return take(request);
  lastRequest = request;
  const name = request.files?.[0]?.name ?? (request.isSample ? "the sample" : "");
  if (name) document.getElementById("start-status").textContent = `Opening ${name}…`;
  openEarly(request);
}

// Sends the first file to the worker, if the worker can open it without the app.
let hasOpened = false;
async function openEarly(request) {
  const [file] = request.files ?? [];
  const parameters = new URLSearchParams(location.search);
  if (!canOpenEarly || !(file || request.address) || parameters.has("memory") || parameters.has("follow")) return;
  await isReady;
  if (take || hasOpened || lastRequest !== request) return;
  hasOpened = request.isOpened = true;
  early.worker.postMessage({ early: { file, address: request.address, hasHandles: "showOpenFilePicker" in window } });
}

globalThis.camlscope = Object.assign(globalThis.camlscope ?? {}, {
  // Undefined if the page isn't embedded in a program that it may trust.
  host,

  // Returns a worker, the URL of the blob it was started from, and its events so far.
  startWorker() {
    const started = early ?? { ...startWorker(), events: [] };
    early = null;
    return started;
  },

  // The app calls this when it has started. It receives the last request, and from then on all requests on the start
  // screen.
  takeOver(taker) {
    drops.abort();
    take = taker;
    document.getElementById("start-status").textContent = "";
    if (lastRequest) take(lastRequest);
  },

  // Loads the app's second module, then calls back into the app.
  async later(callback, data) {
    const exports = await program;
    let isThere = true;
    try {
      await WebAssembly.instantiate(await compiledLater(), { __wasm_split: exports });
    } catch (error) {
      console.warn(String(error));
      isThere = false;
    }
    exports.__indirect_function_table.get(callback)(data, isThere);
  },
});

const drops = new AbortController();
const onDrop = (kind, handle) =>
  addEventListener(kind, (event) => { event.preventDefault(); handle?.(event.dataTransfer); }, { signal: drops.signal });
onDrop("dragenter");
onDrop("dragover", (transfer) => { transfer.dropEffect = "copy"; });
onDrop("drop", (transfer) => {
  const items = [...transfer.items];
  const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory;
  const chosen = items.filter((item) => item.kind === "file" && !isFolder(item));
  const handles = chosen.map((item) => ("showOpenFilePicker" in window ? item.getAsFileSystemHandle?.() : undefined));
  submit({ files: chosen.map((item) => item.getAsFile()), handles, folders: items.filter(isFolder).length });
});

const isParsed = new Promise((resolve) => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", resolve, { once: true });
  else resolve();
});

isParsed.then(() => {
  const input = document.getElementById("start-file");
  input.addEventListener("click", async (event) => {
    if (!("showOpenFilePicker" in window)) return;
    event.preventDefault();
    // Rejects if nothing is picked.
    const [handle] = await showOpenFilePicker().catch(() => []);
    if (handle) submit({ files: [await handle.getFile()], handles: [handle], folders: 0 });
  });
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) submit({ files: [file], handles: [], folders: 0 });
    // Otherwise, picking the same file again would not fire a change event.
    input.value = "";
  });
  document.getElementById("start-sample").addEventListener("click", () => submit({ isSample: true }));
  const name = new URLSearchParams(location.search).getAll("trace").at(-1);
  if (name) submit({ isNamed: true, address: addressOnHost(name) });
  performance.mark("camlscope-start");
});

// Returns `undefined` for a file on another host.
function addressOnHost(name) {
  try {
    const address = new URL(name, document.baseURI);
    return address.origin === location.origin && address.protocol.startsWith("http") ? address.href : undefined;
  } catch {
    return undefined;
  }
}

addEventListener("error", (event) => {
  if (event.error instanceof WebAssembly.RuntimeError) {
    say("camlscope stopped because of a bug. Reload the page to continue.", event.message);
  }
});

// The exports of the app's module.
const program = isParsed.then(startProgram);
program.catch((error) => {
  const reason = typeof WebAssembly === "object"
    ? "The page couldn't start. Reload it. If that doesn't help, part of the page is missing on the server or blocked."
    : "The page couldn't start: this browser doesn't support WebAssembly, or it's disabled. Enable it or use another browser.";
  say(reason, String(error));
});

function say(words, details) {
  const column = document.createElement("div");
  column.className = "column failure";
  column.setAttribute("role", "alert");
  for (const [name, text] of [["failure-text", words], ["failure-details", details]]) {
    const line = document.createElement("p");
    line.className = name;
    line.textContent = text;
    column.append(line);
  }
  const main = document.querySelector("main") ?? document.body;
  main.replaceChildren(column);
}
