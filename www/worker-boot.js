// Starts the worker from the module that the page has compiled. An error here, or in a promise nobody waits for, is
// reported, so that the page hears of it.

addEventListener("unhandledrejection", (event) => reportError(event.reason));

export async function start(module) {
  const { default: init } = await import("./worker.js");
  await init({ module_or_path: await module });
}
