// How the page starts where all of it is one file: programs and sample are elements of it, gzipped, as base64.

globalThis.camlscope = {
  // The page up to here, before the app changes it: a report is this and what it adds, which lies behind this script.
  page: `<!doctype html>\n${document.documentElement.outerHTML}`,

  // The bytes in the element with this id. Throws where they are no base64.
  bytesOf(id) {
    const text = document.getElementById(id).textContent;
    return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  },
};

// WebKit's workers cannot read the files of a page that comes from a disk: the page's program reads for them.
const canOpenEarly = false;

const workerModule = compiled("camlscope-worker-program");
// Whoever starts a worker hears of a failure.
workerModule.catch(() => {});

async function compiled(id) {
  const packed = new Blob([camlscope.bytesOf(id)]);
  const program = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(program).arrayBuffer());
}

// Not a module: a page from a disk cannot start such a worker everywhere.
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
