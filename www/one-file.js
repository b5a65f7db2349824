// Starts the single-file page. Its WebAssembly modules and the sample are embedded elements, gzipped and
// base64-encoded.

// The page up to this script, before the app changes it. A report appends its own elements after this script.
const page = `<!doctype html>\n${document.documentElement.outerHTML}`;

globalThis.camlscope = {
  // Returns the text of this file. A host that adds something to the page provides the text without it.
  page: globalThis.camlscopeHost?.page ?? (() => page),

  // Returns the bytes in the element with this ID. Throws if they aren't valid base64.
  bytesOf(id) {
    const text = document.getElementById(id).textContent;
    return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  },
};

// In WebKit, workers can't read files of a page that was opened from disk, so the app reads them for the worker.
const canOpenEarly = false;

const workerModule = compiled("camlscope-worker-program");
// `startWorker` reports the failure.
workerModule.catch(() => {});

async function compiled(id) {
  const packed = new Blob([camlscope.bytesOf(id)]);
  const program = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(program).arrayBuffer());
}

// Not a module, because not every browser can start a module worker for a page that was opened from disk.
function startWorker() {
  const script = `${document.getElementById("camlscope-worker-glue").textContent}
    addEventListener("unhandledrejection", (event) => reportError(event.reason));
    const start = (event) => init({ module_or_path: event.data }).catch(reportError);
    addEventListener("message", start, { once: true });`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url);
  const fail = (error) => worker.dispatchEvent(new ErrorEvent("error", { message: String(error) }));
  workerModule.then((module) => worker.postMessage(module), fail);
  return { worker, url };
}

async function startProgram() {
  return init({ module_or_path: await compiled("camlscope-program") });
}

const compiledLater = () => compiled("camlscope-later");
