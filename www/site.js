// How the page starts where a host serves its files: the program compiles while it downloads.

async function startProgram() {
  const program = fetch(new URL("./app.wasm", import.meta.url));
  const { default: init } = await import("./app.js");
  await init({ module_or_path: program });
}

