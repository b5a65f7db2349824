// How the page starts where all of it is one file: program and sample are elements of it, gzipped, as base64.

globalThis.camlscope = {
  // The page up to here, before the app changes it: a report is this and what it adds, which lies behind this script.
  page: `<!doctype html>\n${document.documentElement.outerHTML}`,

  // The bytes in the element with this id. Throws where they are no base64.
  bytesOf(id) {
    const text = document.getElementById(id).textContent;
    return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  },
};

const isParsed = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve, { once: true }));

async function startProgram() {
  const packed = new Blob([camlscope.bytesOf("camlscope-program")]);
  const program = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(program).arrayBuffer());
  await isParsed;
  await wasm_bindgen({ module_or_path: module });
}

