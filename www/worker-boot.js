// Starts the worker. An error here, or in a promise nobody waits for, is reported, so that the page hears of it.

addEventListener("unhandledrejection", (event) => reportError(event.reason));

try {
  const [{ default: init }, wasm] = await Promise.all([
    import("./worker.js"),
    fetch(new URL("./worker.wasm", import.meta.url)),
  ]);
  await init({ module_or_path: wasm });
} catch (error) {
  reportError(error);
}
