// Finds real files for the paths in a trace, and the other way round.

import { Position, Range, Selection, type TextDocument, Uri, ViewColumn, window, workspace } from "vscode";

import { bestMatch, canBe, commonEnd, nameOf } from "./paths";
import type { Location, SourceFile } from "./protocol";

const MAX_FOUND = 500;

/** Opens a location next to the profile. */
export async function openLocation(trace: Uri, { file, line, columns }: Location): Promise<void> {
  const uri = await find(trace, file);
  if (!uri) {
    void window.showWarningMessage(`There is no ${file} in this workspace. Open the folder with the program's source code.`);
    return;
  }
  const document = await workspace.openTextDocument(uri);
  const selection = rangeIn(document, line, columns);
  const editor = await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, selection, preview: true });
  editor.selection = new Selection(selection.start, selection.end);
}

function rangeIn(document: TextDocument, line: number, columns: Location["columns"]): Range {
  const at = Math.min(Math.max(line - 1, 0), document.lineCount - 1);
  const { text, firstNonWhitespaceCharacterIndex: indent } = document.lineAt(at);
  if (!columns) return new Range(at, indent, at, indent);
  // The compiler counts bytes.
  const bytes = new TextEncoder().encode(text);
  const character = (column: number) => new TextDecoder().decode(bytes.subarray(0, column)).length;
  const start = new Position(at, character(columns.start));
  return new Range(start, columns.end > columns.start ? new Position(at, character(columns.end)) : start);
}

async function find(trace: Uri, file: string): Promise<Uri | undefined> {
  const folder = Uri.joinPath(trace, "..");
  for (const path of [file, nameOf(file)]) {
    const uri = Uri.joinPath(folder, path);
    if (await exists(uri)) return uri;
  }
  const pattern = `**/${nameOf(file).replace(/[[\]{}*?]/g, "?")}`;
  // Generated code may be in folders that the user hides.
  for (const exclude of [undefined, null]) {
    const found = await workspace.findFiles(pattern, exclude, MAX_FOUND);
    const best = bestMatch(file, found.map((uri) => uri.path));
    if (best !== undefined) return found.find((uri) => uri.path === best);
  }
  return undefined;
}

async function exists(uri: Uri): Promise<boolean> {
  try {
    await workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

export function isOCaml({ uri }: TextDocument): boolean {
  return /\.(ml|mli|mll|mly|mlx|re|rei)$/.test(uri.path);
}

/** Returns the file of the trace that a document is the source of. `files` starts with the largest one. */
export function fileOf(document: TextDocument, files: SourceFile[]): SourceFile | undefined {
  const { path } = document.uri;
  // A program may have a list.ml of its own.
  const isLibrary = /[/\\](ocaml|stdlib)[/\\]/.test(path);
  const candidates = files.filter(({ file, is_library }) => is_library === isLibrary && canBe(file, path));
  return candidates.reduce<SourceFile | undefined>(
    (best, file) => (!best || commonEnd(file.file, path) > commonEnd(best.file, path) ? file : best),
    undefined,
  );
}
