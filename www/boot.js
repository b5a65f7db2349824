// Starts the app, by the function that `site.js` or `one-file.js` puts before this. What goes wrong before the app can speak for itself, or after it has lost its voice, is said here.

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

startProgram().catch((error) => {
  const reason = typeof WebAssembly === "object"
    ? "The page could not start. Reload it; if that does not help, the server or the browser keeps part of it back."
    : "The page could not start: WebAssembly is switched off or missing in this browser.";
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
