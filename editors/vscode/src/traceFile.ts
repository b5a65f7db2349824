// Reads a trace in pieces.

import { type Uri, workspace } from "vscode";

export interface TraceFile {
  size: number;
  read(offset: number, length: number): Promise<ArrayBuffer>;
  close(): void;
}

export type OpenTraceFile = (uri: Uri) => Promise<TraceFile>;

/** For any file system. VS Code only reads whole files, so the file is kept until its end was read. */
export async function openInMemory(uri: Uri): Promise<TraceFile> {
  const { size } = await workspace.fs.stat(uri);
  // The page takes a while to start, so reading begins now. Errors are reported by `read`.
  let bytes: Thenable<Uint8Array> | undefined = workspace.fs.readFile(uri);
  bytes.then(undefined, () => {});
  return {
    size,
    async read(offset, length) {
      bytes ??= workspace.fs.readFile(uri);
      // A copy, because a message carries the whole buffer of a part.
      const piece = (await bytes).slice(offset, offset + length);
      if (offset + length >= size) bytes = undefined;
      return piece.buffer as ArrayBuffer;
    },
    close() {
      bytes = undefined;
    },
  };
}
