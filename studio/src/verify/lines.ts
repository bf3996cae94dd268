/* Lines of a file that is read where it lies: some at a time, however long it is. */
import type { Progress } from "../engine/messages";

const PIECE = 1 << 20;
const LONGEST = 1 << 18; // bytes of a line that are shown as more than their number

export interface Line {
  number: number;
  /** Null: too long to be shown. */
  text: string | null;
  bytes: number;
}

const decoder = new TextDecoder();
const joined = (parts: Uint8Array[]): string => parts.map((p) => decoder.decode(p, { stream: true })).join("") + decoder.decode();

/** `count` lines from the one after `first` on, looked for from the nearest mark. */
export async function linesOf(file: Blob, marks: readonly Progress[], first: number, count: number): Promise<Line[]> {
  const mark = marks.reduce((best, m) => (m.lines <= first ? m : best), { lines: 0, bytes: 0 });
  const found: Line[] = [];
  let number = mark.lines + 1, parts: Uint8Array[] = [], length = 0;
  const end = (): void => {
    if (number > first) {
      found.push({ number, text: length > LONGEST ? null : joined(parts), bytes: length });
    }
    number++;
    parts = [];
    length = 0;
  };
  for (let at = mark.bytes; at < file.size && found.length < count; at += PIECE) {
    const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
    for (let from = 0; from < piece.length && found.length < count; ) {
      const newline = piece.indexOf(10, from), to = newline < 0 ? piece.length : newline;
      if (number > first && length <= LONGEST) {
        parts.push(piece.subarray(from, to));
      }
      length += to - from;
      if (newline >= 0) {
        end();
      }
      from = to + 1;
    }
  }
  if (length && found.length < count) {
    end(); // the last one, cut off
  }
  return found;
}
