// The extension on a computer: in desktop VS Code, or on a remote machine.

import { type FileHandle, open } from "node:fs/promises";

import type { ExtensionContext, Uri } from "vscode";

import { start } from "./extension";
import { openInMemory, type TraceFile } from "./traceFile";

export function activate(context: ExtensionContext): void {
  start(context, async (uri) => (uri.scheme === "file" ? openLocal(uri) : openInMemory(uri)));
}

/** Reads only the pieces that are needed, so that a large trace doesn't fill the memory. */
async function openLocal(uri: Uri): Promise<TraceFile> {
  const file: FileHandle = await open(uri.fsPath, "r");
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const piece = new Uint8Array(length);
      const { bytesRead } = await file.read(piece, 0, length, offset);
      return piece.buffer.slice(0, bytesRead);
    },
    close() {
      void file.close();
    },
  };
}
