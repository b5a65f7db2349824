// The memory of each line in visible OCaml files: figures at the ends of lines, and a heat map in the gutter.

import {
  type DecorationOptions,
  Disposable,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  ThemeColor,
  Uri,
  window,
  workspace,
} from "vscode";

import type { Profiles } from "./profiles";
import type { FileLines, SourceLine } from "./protocol";
import { fileOf, isOCaml } from "./sources";

/** A line is hot from this share of everything, as in `camlscope annotate`. */
export const HOT_SHARE = 0.01;

/** The shares from which a line has a color in the gutter, hottest first. */
const HEAT = [
  { from: 0.1, color: "#c4320a" },
  { from: HOT_SHARE, color: "#ec6813" },
  { from: 0.001, color: "#f6b48a" },
];

export class Decorations implements Disposable {
  private readonly figures = window.createTextEditorDecorationType({
    after: { margin: "0 0 0 3em", color: new ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
  });
  private readonly heat = HEAT.map(({ color }) =>
    window.createTextEditorDecorationType({
      gutterIconPath: bar(color),
      gutterIconSize: "contain",
      overviewRulerColor: color,
      overviewRulerLane: OverviewRulerLane.Right,
    }),
  );
  private readonly listeners: Disposable;

  constructor(private readonly profiles: Profiles) {
    const update = () => this.update();
    this.listeners = Disposable.from(
      profiles.onChange(update),
      window.onDidChangeVisibleTextEditors(update),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("camlscope")) update();
      }),
    );
  }

  dispose(): void {
    this.listeners.dispose();
    for (const type of this.types()) type.dispose();
  }

  /** Returns the figures of an editor's file, if there are any. */
  linesOf({ document }: TextEditor): FileLines | undefined {
    const { current } = this.profiles;
    if (!current || !isOCaml(document)) return undefined;
    const file = fileOf(document, current.files);
    return file && current.lines.get(file.file);
  }

  private update(): void {
    const { current } = this.profiles;
    const editors = window.visibleTextEditors.filter(({ document }) => isOCaml(document));
    const isShown = workspace.getConfiguration("camlscope").get("decorations", true);
    const files = editors.flatMap(({ document }) => fileOf(document, current?.files ?? [])?.file ?? []);
    current?.annotate([...new Set(files)].sort());
    for (const editor of editors) this.decorate(editor, isShown ? (this.linesOf(editor)?.lines ?? []) : []);
  }

  private decorate(editor: TextEditor, lines: SourceLine[]): void {
    // A file that was changed after the trace was recorded may have fewer lines.
    const there = lines.filter(({ line }) => line >= 1 && line <= editor.document.lineCount);
    const rangeOf = ({ line }: SourceLine) => {
      const end = editor.document.lineAt(line - 1).range.end;
      return new Range(end, end);
    };
    const figure = (line: SourceLine): DecorationOptions => ({
      range: rangeOf(line),
      renderOptions: { after: { contentText: textOf(line) } },
      hoverMessage: hover(line),
    });
    editor.setDecorations(this.figures, there.map(figure));
    const level = ({ total_share }: SourceLine) => HEAT.findIndex(({ from }) => total_share >= from);
    this.heat.forEach((type, at) => editor.setDecorations(type, there.filter((line) => level(line) === at).map(rangeOf)));
  }

  private types(): TextEditorDecorationType[] {
    return [this.figures, ...this.heat];
  }
}

/** A line that only calls code that allocates is told apart from one that allocates. */
function textOf({ self, text }: SourceLine): string {
  return self > 0 ? text : `calls: ${text}`;
}

function hover({ self_text, text }: SourceLine): MarkdownString {
  return new MarkdownString(`**camlscope** — total: ${text}; the line itself: ${self_text}`);
}

function bar(color: string): Uri {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="6" width="5" height="16" fill="${color}"/></svg>`;
  return Uri.parse(`data:image/svg+xml;base64,${btoa(svg)}`);
}
