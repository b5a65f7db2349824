// The hottest line of each function, above the function.

import {
  CodeLens,
  type CodeLensProvider,
  type Command,
  type Event,
  EventEmitter,
  Range,
  type TextDocument,
  workspace,
} from "vscode";

import type { Profiles } from "./profiles";
import type { FileLines, SourceFunction } from "./protocol";
import { fileOf } from "./sources";

export class CodeLenses implements CodeLensProvider {
  readonly onDidChangeCodeLenses: Event<void>;

  constructor(private readonly profiles: Profiles) {
    const changed = new EventEmitter<void>();
    this.onDidChangeCodeLenses = changed.event;
    profiles.onChange(() => changed.fire());
    workspace.onDidChangeConfiguration(() => changed.fire());
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    const { current } = this.profiles;
    if (!current || !workspace.getConfiguration("camlscope").get("codeLens", false)) return [];
    const file = fileOf(document, current.files);
    const lines = file && current.lines.get(file.file);
    return (lines?.functions ?? []).flatMap((of) => {
      const command = lines && commandOf(of, lines, document);
      return command ? new CodeLens(new Range(of.first_line - 1, 0, of.first_line - 1, 0), command) : [];
    });
  }
}

function commandOf(of: SourceFunction, { lines }: FileLines, { lineCount, uri }: TextDocument): Command | undefined {
  const hottest = lines.find(({ line }) => line === of.hottest_line);
  if (!hottest || Math.max(of.first_line, hottest.line) > lineCount) return undefined;
  const title = `${of.label}, line ${hottest.line}: ${hottest.text}`;
  return { title, command: "camlscope.revealLine", arguments: [uri, hottest.line] };
}
