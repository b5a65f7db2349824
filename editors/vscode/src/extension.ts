// Starts the extension: the editor for profiles, and what it adds to OCaml files.

import {
  commands,
  ConfigurationTarget,
  type ExtensionContext,
  languages,
  Position,
  Range,
  Selection,
  StatusBarAlignment,
  type StatusBarItem,
  type TextEditor,
  type Uri,
  window,
  workspace,
} from "vscode";

import { CodeLenses } from "./codeLenses";
import { Decorations, HOT_SHARE } from "./decorations";
import { Profiles, VIEW_TYPE } from "./profiles";
import { fileOf, openLocation } from "./sources";
import type { OpenTraceFile } from "./traceFile";

export function start(context: ExtensionContext, openTraceFile: OpenTraceFile): void {
  const profiles = new Profiles(context, openTraceFile);
  const decorations = new Decorations(profiles);
  const status = window.createStatusBarItem("camlscope.profile", StatusBarAlignment.Right, 100);
  status.name = "OCaml memory profile";
  status.command = "camlscope.reveal";
  const updateStatus = () => showStatus(status, profiles);
  const options = { webviewOptions: { retainContextWhenHidden: true }, supportsMultipleEditorsPerDocument: true };
  context.subscriptions.push(
    profiles,
    decorations,
    status,
    profiles.onChange(updateStatus),
    window.onDidChangeActiveTextEditor(updateStatus),
    window.registerCustomEditorProvider(VIEW_TYPE, profiles, options),
    languages.registerCodeLensProvider({ pattern: "**/*.{ml,mli,mll,mly,mlx,re,rei}" }, new CodeLenses(profiles)),
    commands.registerCommand("camlscope.open", openProfile),
    commands.registerCommand("camlscope.showDecorations", switchDecorations),
    commands.registerCommand("camlscope.nextHotLine", () => goToNextHotLine(profiles, decorations)),
    commands.registerCommand("camlscope.reveal", () => profiles.current?.panel.reveal()),
    commands.registerCommand("camlscope.revealLine", async (uri: Uri, line: number) => {
      reveal(await window.showTextDocument(uri), line);
    }),
  );
}

async function openProfile(uri?: Uri): Promise<void> {
  const chosen = uri ?? (await window.showOpenDialog({ title: "Open profile", openLabel: "Open profile" }))?.[0];
  if (chosen) await commands.executeCommand("vscode.openWith", chosen, VIEW_TYPE);
}

async function switchDecorations(): Promise<void> {
  const settings = workspace.getConfiguration("camlscope");
  await settings.update("decorations", !settings.get("decorations", true), ConfigurationTarget.Global);
}

/** Goes to the next line with at least 1% of everything, or from the last one to the first. */
async function goToNextHotLine({ current }: Profiles, decorations: Decorations): Promise<void> {
  const editor = window.activeTextEditor;
  const lines = editor && decorations.linesOf(editor)?.lines.filter(({ total_share }) => total_share >= HOT_SHARE);
  if (editor && lines) {
    const next = lines.find(({ line }) => line > editor.selection.active.line + 1) ?? lines[0];
    if (next) reveal(editor, next.line);
    else void window.showInformationMessage("This file has no line with at least 1% of the memory.");
    return;
  }
  // Not in a file of the profile: go to the one with the most memory.
  const largest = current?.files.find(({ is_library }) => !is_library);
  if (current && largest) await openLocation(current.uri, { file: largest.file, line: 1, columns: null });
}

function reveal(editor: TextEditor, line: number): void {
  const at = new Position(line - 1, 0);
  editor.selection = new Selection(at, at);
  editor.revealRange(new Range(at, at));
}

/** Shows the memory of the active file, or the name of the profile. */
function showStatus(status: StatusBarItem, { current }: Profiles): void {
  void commands.executeCommand("setContext", "camlscope.hasProfile", current !== undefined);
  if (!current) return status.hide();
  const document = window.activeTextEditor?.document;
  const file = document && fileOf(document, current.files);
  status.text = `$(graph) ${file ? file.text : current.name}`;
  status.tooltip = file ? `${file.file} in ${current.name}` : "Show the memory profile";
  status.show();
}
