// How the page starts where a host serves its files.

// A worker can read the visitor's files by itself.
const canOpenEarly = true;

const workerModule = compiled("./worker.wasm");
// Whoever starts a worker hears of a failure.
workerModule.catch(() => {});

async function compiled(path) {
  const response = await fetch(new URL(path, import.meta.url));
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  // It compiles while it downloads, where the host says what it is.
  const isNamed = response.headers.get("content-type")?.startsWith("application/wasm");
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

// Browsers give a worker that comes from the network the policy of its own response, which on a static host is none: it could
// send what it reads anywhere. One that comes from a blob has the page's policy, which allows no other workers.
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
  const module = compiled("./page.wasm");
  const { default: init } = await import("./page.js");
  return init({ module_or_path: await module });
}

const compiledLater = () => compiled("./later.wasm");
