/* Server-sent events, read from text, and where a stream goes on after it broke. */
import { BadAnswer } from "./errors.js";

/** One record of the ledger: its place, its kind, its body. */
export interface LedgerEvent {
  id: number;
  kind: string;
  data: { [name: string]: unknown };
}

export interface EventFilter {
  /** Begin after this record. */
  after?: number;
  /** Begin at this record. */
  from?: number;
  kind?: string;
  contract?: string;
  entity?: string;
  instance?: string;
}

const EVENT_MOST = 16 * 1024 * 1024;

/** Takes pieces of a stream, gives whole events. Bounded; comments are passed over. */
export class EventReader {
  private held = "";
  private size = 0;
  private fields = new Map<string, string[]>();

  feed(piece: string): LedgerEvent[] {
    const lines = (this.held + piece).split("\n");
    this.held = lines.pop() ?? "";
    const events: LedgerEvent[] = [];
    for (const line of lines) {
      const event = this.line(line.replace(/\r$/, ""));
      if (event) {
        events.push(event);
      }
    }
    this.bound(this.held.length);
    return events;
  }

  private bound(more: number): void {
    if (this.size + more > EVENT_MOST) {
      throw new BadAnswer("an event of the stream is too long", "too_large");
    }
  }

  private line(line: string): LedgerEvent | undefined {
    if (line === "") {
      const fields = this.fields;
      this.fields = new Map();
      this.size = 0;
      return fields.has("data") ? eventOf(fields) : undefined;
    }
    this.bound(line.length);
    this.size += line.length;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    if (name) {
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      this.fields.set(name, [...(this.fields.get(name) ?? []), value]);
    }
    return undefined;
  }
}

function eventOf(fields: Map<string, string[]>): LedgerEvent {
  const id = fields.get("id")?.at(-1) ?? "";
  let data: unknown;
  try {
    data = JSON.parse((fields.get("data") ?? []).join("\n"));
  } catch {
    throw new BadAnswer("an event of the stream is not JSON", "not_json");
  }
  if (!/^[0-9]{1,15}$/.test(id) || typeof data !== "object" || data === null || Array.isArray(data)) {
    throw new BadAnswer("an event of the stream has no number or is not a record", "not_an_event");
  }
  return { id: Number(id), kind: fields.get("event")?.at(-1) ?? "", data: data as { [name: string]: unknown } };
}
