/* The ledger of the server as an export: a line for each record, as `motet ledger export` writes them, from the bytes that came. */
import { text } from "./records";
import { parse } from "../facts/json";
import { server } from "../state/server.svelte";

const PAGE = 500, MOST = 64 << 20; // bytes that a page of a browser should hold

/** The items of a list as they were sent. */
export function rawItems(answer: string): string[] {
  const items: string[] = [];
  let depth = 0, start = 0;
  for (const m of answer.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g)) {
    if (m[0] === "{" || m[0] === "[") {
      start = depth === 2 ? m.index : start;
      depth++;
    } else if (m[0] === "}" || m[0] === "]") {
      depth--;
      if (depth === 2) {
        items.push(answer.slice(start, m.index + 1));
      }
    }
  }
  return items;
}

const END = /"hash":"([0-9a-f]{64})","seq":(\d+)\}$/;

/** Throws with a sentence for the reader. `progress` is told how many records came. */
export async function exported(progress: (records: number) => void): Promise<string> {
  const lines: string[] = [];
  let prev = "0".repeat(64), after = "", size = 0;
  do {
    const answer = await server.ask("/v1/ledger", { query: { limit: PAGE, after, order: "asc" } });
    for (const item of rawItems(answer)) {
      const [end, hash, seq] = END.exec(item) ?? [];
      if (!end || Number(seq) !== lines.length) {
        throw new Error(`Record ${lines.length} is not for you to see, and a chain is checked whole. Ask for an export (motet ledger export).`);
      }
      lines.push(`${item.slice(0, -end.length)}"hash":"${hash}","prev":"${prev}","seq":${seq}}`);
      prev = hash!;
      size += item.length;
    }
    if (size > MOST) {
      throw new Error("This ledger is larger than a page should hold. Drop an export of it onto Verify (motet ledger export).");
    }
    after = text(parse(answer), "next");
    progress(lines.length);
  } while (after);
  const newest = await server.ask("/v1/ledger/checkpoint");
  const signed = /"signed":(\{"checkpoint":\{.*?"size":(\d+)\}.*?\}),"size":\d+\}$/.exec(newest);
  if (signed && Number(signed[2]) <= lines.length) {
    lines.splice(Number(signed[2]), 0, signed[1]!);
  }
  return `${lines.join("\n")}\n`;
}
