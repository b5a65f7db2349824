// The messages between the page and its host: docs/embedding.md.

export const PROTOCOL = 1;

/** Texts are written like those of the command line, and numbers are in the unit of the profile's measure. */
export interface Figures {
  self: number;
  total: number;
  error: number | null;
  self_share: number;
  total_share: number;
  self_text: string;
  total_text: string;
  text: string;
}

export interface SourceFile extends Figures {
  /** The path in the trace. */
  file: string;
  is_library: boolean;
}

export interface SourceLine extends Figures {
  /** Counts from 1. */
  line: number;
}

export interface SourceFunction {
  name: string;
  label: string;
  first_line: number;
  last_line: number;
  hottest_line: number | null;
}

export interface FileLines {
  file: string;
  lines: SourceLine[];
  functions: SourceFunction[];
}

export interface Location {
  file: string;
  line: number;
  /** In bytes from the start of the line. */
  columns: { start: number; end: number } | null;
}

export type FromPage =
  | { type: "ready" }
  | { type: "read"; id: number; offset: number; length: number }
  | { type: "state"; hash: string }
  | { type: "files"; files: SourceFile[] }
  | ({ type: "lines" } & FileLines)
  | ({ type: "source" } & Location)
  /** Only from our own bridge: reports need the page's text without the bridge. */
  | { type: "page" };

export type ToPage =
  | { type: "open"; name: string; size: number }
  | { type: "piece"; id: number; bytes: ArrayBuffer }
  | { type: "piece"; id: number; error: string }
  | { type: "theme"; kind: ThemeKind }
  | { type: "annotate"; files: string[] }
  | { type: "page"; text: string };

export type ThemeKind = "light" | "dark" | "high-contrast-light" | "high-contrast-dark";
