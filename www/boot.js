// Starts the app. What goes wrong before the app can speak for itself, or after it has lost its voice, is said here.

try {
  const theme = localStorage.getItem("camlscope.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's colours.
}

addEventListener("error", (event) => {
  if (event.error instanceof WebAssembly.RuntimeError) {
    say("The page stopped: this is a bug in camlscope. Reload it to go on.", event.message);
  }
});

try {
  const program = fetch(new URL("./app.wasm", import.meta.url));
  const { default: init } = await import("./app.js");
  // Compiles while it downloads.
  await init({ module_or_path: program });
} catch (error) {
  const reason = typeof WebAssembly === "object"
    ? "The page could not start. Reload it; if that does not help, the server or the browser keeps part of it back."
    : "The page could not start: WebAssembly is switched off or missing in this browser.";
  say(reason, String(error));
}

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
