// Starts the page from files on a server.

// The worker can read the user's files by itself.
const canOpenEarly = true;

const workerModule = compiled("./worker.wasm");
// `startWorker` reports the failure.
workerModule.catch(() => {});

async function compiled(path) {
  const response = await fetch(new URL(path, import.meta.url));
  if (!response.ok) throw new Error(`the server returned status ${response.status}`);
  // If the server sends the right content type, compile during the download.
  const isNamed = response.headers.get("content-type")?.startsWith("application/wasm");
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

// A worker loaded from the network gets the policy of its own response, which is none on a static host. It could send
// what it reads anywhere. A worker started from a blob inherits the page's policy, which allows no other workers.
function startWorker() {
  const script = `addEventListener("unhandledrejection", (event) => reportError(event.reason));
    const module = new Promise((take) => addEventListener("message", (event) => take(event.data), { once: true }));
    import("${new URL("./worker.js", import.meta.url)}")
      .then(async ({ default: init }) => init({ module_or_path: await module })).catch(reportError);`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const fail = (error) => worker.dispatchEvent(new ErrorEvent("error", { message: String(error) }));
  workerModule.then((module) => worker.postMessage(module), fail);
  return { worker, url };
}

async function startProgram() {
  const [module, { default: init }] = await Promise.all([compiled("./page.wasm"), import("./page.js")]);
  return init({ module_or_path: module });
}

async function compiledLater() {
  const [module] = await Promise.all([compiled("./later.wasm"), styledLater()]);
  return module;
}

// Loads the style sheet of the views in that module.
function styledLater() {
  const href = new URL("./later.css", import.meta.url);
  return new Promise((resolve, reject) => {
    const onerror = () => reject(new Error("the style sheet could not be loaded"));
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve, onerror }));
  });
}
