// The extension in a browser.

import type { ExtensionContext } from "vscode";

import { start } from "./extension";
import { openInMemory } from "./traceFile";

export function activate(context: ExtensionContext): void {
  start(context, openInMemory);
}
