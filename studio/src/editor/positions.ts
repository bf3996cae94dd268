/* Places: the engine counts lines and characters, the editor UTF-16 units. */

/** As far as texts of CodeMirror are needed; `linesOf` makes one of a string. */
export interface Lines {
  readonly lines: number;
  readonly length: number;
  line(number: number): { from: number; text: string };
}

/** Of the protocol, which counts from 0. */
export interface Position {
  line: number;
  character: number;
}
export interface Edit {
  range: { start: Position; end: Position };
  newText: string;
}

/** Line and column from 1. */
export function offset(doc: Lines, line: number, column: number): number {
  if (line < 1 || line > doc.lines) {
    return line < 1 ? 0 : doc.length;
  }
  const at = doc.line(line);
  let units = 0;
  for (const c of at.text) {
    if (--column < 1) {
      break;
    }
    units += c.length;
  }
  return at.from + units;
}

export function linesOf(text: string): Lines {
  const parts = text.split("\n");
  let at = 0;
  const starts = parts.map((part) => (at += part.length + 1) - part.length - 1);
  return { lines: parts.length, length: text.length, line: (n) => ({ from: starts[n - 1]!, text: parts[n - 1]! }) };
}

/** Changes as CodeMirror takes them. */
export function changesOf(doc: Lines, edits: readonly Edit[]): { from: number; to: number; insert: string }[] {
  const at = ({ line, character }: Position): number => offset(doc, line + 1, character + 1);
  return edits.map(({ range, newText }) => ({ from: at(range.start), to: at(range.end), insert: newText }));
}

/** The text after edits that do not overlap. */
export function applied(text: string, edits: readonly Edit[]): string {
  const changes = changesOf(linesOf(text), edits).sort((a, b) => b.from - a.from);
  return changes.reduce((rest, { from, to, insert }) => rest.slice(0, from) + insert + rest.slice(to), text);
}
