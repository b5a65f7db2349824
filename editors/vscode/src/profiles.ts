// The open profiles: each has an editor with the page, and figures for source files.

import {
  type CancellationToken,
  ColorThemeKind,
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  type Disposable,
  EventEmitter,
  type ExtensionContext,
  Uri,
  type WebviewPanel,
  window,
  workspace,
} from "vscode";

import { pageHtml } from "./pageHtml";
import { nameOf } from "./paths";
import { type FileLines, type FromPage, PROTOCOL, type SourceFile, type ThemeKind, type ToPage } from "./protocol";
import { openLocation } from "./sources";
import type { OpenTraceFile, TraceFile } from "./traceFile";

export const VIEW_TYPE = "camlscope.profile";

const KINDS: Record<ColorThemeKind, ThemeKind> = {
  [ColorThemeKind.Light]: "light",
  [ColorThemeKind.Dark]: "dark",
  [ColorThemeKind.HighContrast]: "high-contrast-dark",
  [ColorThemeKind.HighContrastLight]: "high-contrast-light",
};

const theme = (): ThemeKind => KINDS[window.activeColorTheme.kind];

/** A profile in an editor. */
export class Profile {
  /** The source files, largest first, as of the page's measure and filter. */
  files: SourceFile[] = [];
  readonly lines = new Map<string, FileLines>();
  private wanted: string[] = [];

  constructor(
    readonly uri: Uri,
    readonly panel: WebviewPanel,
    private readonly file: TraceFile,
    private readonly pageText: string,
    private readonly onChange: () => void,
  ) {}

  get name(): string {
    return nameOf(this.uri.path);
  }

  post(message: ToPage): void {
    void this.panel.webview.postMessage({ camlscope: PROTOCOL, ...message });
  }

  /** Asks for figures of these files of the trace. They are sent again whenever the measure or the filter changes. */
  annotate(files: string[]): void {
    if (files.join("\n") === this.wanted.join("\n")) return;
    this.wanted = files;
    for (const file of this.lines.keys()) if (!files.includes(file)) this.lines.delete(file);
    this.post({ type: "annotate", files });
  }

  async hear(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        // The page was loaded again, or this is the first time.
        this.post({ type: "theme", kind: theme() });
        this.post({ type: "annotate", files: this.wanted });
        this.post({ type: "open", name: this.name, size: this.file.size });
        return;
      case "read":
        this.post(await this.read(message));
        return;
      case "page":
        this.post({ type: "page", text: this.pageText });
        return;
      case "files":
        this.files = message.files;
        this.onChange();
        return;
      case "lines":
        this.lines.set(message.file, message);
        this.onChange();
        return;
      case "source":
        await openLocation(this.uri, message);
    }
  }

  private async read({ id, offset, length }: { id: number; offset: number; length: number }): Promise<ToPage> {
    try {
      return { type: "piece", id, bytes: await this.file.read(offset, length) };
    } catch (error) {
      return { type: "piece", id, error: String(error) };
    }
  }

  close(): void {
    this.file.close();
  }
}

/** Shows profiles, and knows which of them the figures in source files are from: the one that was active last. */
export class Profiles implements CustomReadonlyEditorProvider, Disposable {
  private readonly open: Profile[] = [];
  private readonly changed = new EventEmitter<void>();
  readonly onChange = this.changed.event;
  private readonly themeListener = window.onDidChangeActiveColorTheme(() => {
    for (const profile of this.open) profile.post({ type: "theme", kind: theme() });
  });

  constructor(
    private readonly context: ExtensionContext,
    private readonly openTraceFile: OpenTraceFile,
  ) {}

  get current(): Profile | undefined {
    return this.open.at(-1);
  }

  openCustomDocument(uri: Uri): CustomDocument {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: CustomDocument, panel: WebviewPanel, _token: CancellationToken): Promise<void> {
    const page = Uri.joinPath(this.context.extensionUri, "camlscope.html");
    const [file, bytes] = await Promise.all([this.openTraceFile(uri), workspace.fs.readFile(page)]);
    const pageText = new TextDecoder().decode(bytes);
    const profile = new Profile(uri, panel, file, pageText, () => this.changed.fire());
    this.open.push(profile);
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    panel.webview.onDidReceiveMessage((message: FromPage) => profile.hear(message));
    panel.onDidChangeViewState(() => {
      if (panel.active) this.makeCurrent(profile);
    });
    panel.onDidDispose(() => {
      this.open.splice(this.open.indexOf(profile), 1);
      profile.close();
      this.changed.fire();
    });
    panel.webview.html = pageHtml(pageText, theme());
    this.changed.fire();
  }

  dispose(): void {
    this.themeListener.dispose();
    this.changed.dispose();
  }

  private makeCurrent(profile: Profile): void {
    if (profile === this.current) return;
    this.open.splice(this.open.indexOf(profile), 1);
    this.open.push(profile);
    this.changed.fire();
  }
}
