/* The graph that is looked at: its documents, a capture, the event under the scrubber, and what would be otherwise.
 * Kept while the page is open, not in the draft: a capture may be large, and somebody else's. */
import { call, EngineFault } from "../engine/client";
import type { CaptureSaid, Documents, GraphSaid, Moment, Parameters, Side, WhatifSaid } from "../engine/graphs";
import { type Fields, parse, print, type Value } from "../facts/json";
import type { Description } from "../picture/description";
import { notices } from "../state/notices.svelte";
import { textsOf } from "./texts";

export const LARGEST = 192 << 20; // bytes of a capture
const CHUNK = 2000; // events of a column at once
const KEPT = 300; // moments

export interface Output {
  /** "fast.result" */
  name: string;
  path: string;
  port: string;
  value: string;
}
export interface Parameter {
  name: string;
  value: string;
}
type Both<T> = { [S in Side]: T };

// ---- which file is what ----

export type FileKind = "graph" | "adapter" | "manifest" | "capture" | "events" | "agent" | "scenario" | "trace" | "";
const YAML_KINDS: Record<string, FileKind> = { cluster: "graph", adapter: "adapter", source: "manifest", compute: "manifest", trigger: "manifest", action: "manifest" };
export function kindOf(path: string, text: string): FileKind {
  const head = text.slice(0, 4000);
  if (/\.jsonl$|\.journal$/i.test(path) || /^\s*\{\s*"(capture_version|journal|record|agent|kind|format|canonical)"/.test(head)) {
    return /^\s*\{[^\n]*"(capture_version|journal)"\s*:/.test(head) || /"capture_version"/.test(head) ? "capture" : /"format":\s*"motet-agent-trace/.test(head) ? "trace"
      : /^\s*\{\s*"kind"\s*:\s*"(event|episode_start)"/.test(head) ? "events" : "";
  }
  if (/^agent\s*:/m.test(head)) {
    return /^messages\s*:/m.test(text) ? "scenario" : "agent";
  }
  return YAML_KINDS[/^["']?kind["']?\s*:\s*["']?(\w+)/m.exec(text)?.[1] ?? ""] ?? "";
}

/** The graph is what no other document names. */
function documentsOf(files: [string, string][]): Documents | null {
  const of = (kind: FileKind): [string, string][] => files.filter(([path, text]) => kindOf(path, text) === kind);
  const graphs = of("graph");
  const idOf = (text: string): string => /^\s*["']?id["']?\s*:\s*["']?([\w-]+)/m.exec(text)?.[1] ?? "";
  const named = (id: string, own: string): boolean => graphs.some(([, text]) => text !== own && new RegExp(`cluster\\s*:\\s*["']?${id}@`).test(text));
  const root = graphs.find(([, text]) => !named(idOf(text), text)) ?? graphs[0];
  return root ? { files: [root, ...graphs.filter((g) => g !== root)], manifests: of("manifest"), adapter: of("adapter")[0] ?? null } : null;
}

// ---- what nodes said ----

interface TraceNode {
  id: string;
  path: string;
  outputs: Fields;
}
const flat = (v: Value): string => (Array.isArray(v) ? `[${v.map(flat).join(",")}]` : print(v));
/** Values as the trace has them, digit for digit. */
function outputsOf(trace: string): { id: string; path: string; outputs: [string, string][] }[] {
  const { nodes } = parse(trace) as unknown as { nodes: TraceNode[] };
  return nodes.map((n) => ({ id: n.id, path: n.path, outputs: Object.entries(n.outputs).map(([port, v]): [string, string] => [port, flat(v)]) }));
}

export interface TableRow extends Output {
  id: string;
  now: string | null;
}

class GraphRun {
  name = $state("");
  said = $state.raw<GraphSaid | null>(null);
  capture = $state.raw<CaptureSaid | null>(null);
  trouble = $state("");
  busy = $state("");
  at = $state(0);
  was = $state.raw<Moment | null>(null);
  now = $state.raw<Moment | null>(null);
  open = $state.raw<ReadonlySet<string>>(new Set());
  output = $state("");
  columns = $state.raw<Both<(number | null)[]>>({ was: [], now: [] });
  parameters = $state.raw<Parameters>({});
  instead = $state.raw<Record<string, unknown>>({});
  whatif = $state.raw<WhatifSaid | null>(null);
  documents: Documents | null = null;
  #moments = new Map<string, Promise<Moment | null>>();
  #looking = false;
  #again = false;
  #turn = 0;
  #asked = 0;
  #tried = 0;
  #trying = 0; // the newest try without an answer

  get picture(): Description | null {
    return this.said?.picture ?? null;
  }

  /** Is there another outcome to look at? While one is tried, the engine has let the one before go. */
  get #other(): boolean {
    return !this.#trying && this.whatif !== null && !this.whatif.problems.length;
  }

  /** Nodes and outputs at this event, with what they would be. */
  get table(): TableRow[] {
    const was = this.was ? outputsOf(this.was.trace) : [];
    const now = new Map(this.now ? outputsOf(this.now.trace).flatMap((n) => n.outputs.map(([port, v]) => [`${n.path}.${port}`, v])) : []);
    return was.flatMap((n) => n.outputs.map(([port, value]) => {
      const name = `${n.path}.${port}`;
      return { id: n.id, name, path: n.path, port, value, now: this.now ? now.get(name) ?? "nothing" : null };
    }));
  }

  /** What can be set, as the picture's descriptions have it. */
  get settable(): Parameter[] {
    return (this.picture?.nodes ?? []).flatMap((n) => {
      const [head = "", ...lines] = (n.tooltip ?? "").split("\n");
      const path = head.slice(0, head.indexOf(": "));
      return lines.flatMap((line) => {
        const [, name, value] = /^([\w-]+) = (.*)$/.exec(line) ?? [];
        return name && !value!.startsWith('"__ergo/') ? [{ name: `${path}.${name}`, value: value! }] : [];
      });
    });
  }

  // ---- opening ----

  async openFiles(list: readonly File[]): Promise<void> {
    const texts = await textsOf(list, LARGEST, " motet graph replay reads it.");
    if (typeof texts === "string") {
      this.trouble = texts;
    } else {
      await this.openTexts(texts);
    }
  }

  async openTexts(files: [string, string][], name = ""): Promise<void> {
    const found = documentsOf(files);
    const recorded = files.find(([path, text]) => ["capture", "events"].includes(kindOf(path, text)));
    if (!found && !recorded) {
      this.trouble = `Nothing there that is a graph: a document says kind: cluster, kind: adapter or kind: action, a capture is what motet graph run --capture wrote. Got ${files.map(([path]) => path).join(", ")}.`;
      return;
    }
    if (found) {
      await this.#openDocuments(found, name || found.files[0]![0].replace(/^.*\//, "").replace(/\.\w+$/, ""));
    }
    if (recorded && this.said?.picture) {
      await this.openCapture(recorded[1], kindOf(...recorded) === "events");
    } else if (recorded && !found) {
      this.trouble = "There is no graph to replay the capture with. Open the graph's document together with it.";
    }
  }

  async #openDocuments(found: Documents, name: string): Promise<void> {
    this.#forget();
    this.name = name;
    this.documents = found;
    this.open = new Set();
    await this.#ask("Checking the graph", async () => {
      this.said = await call("graph", found);
      this.output = "";
    });
  }

  async openCapture(text: string, run: boolean): Promise<void> {
    this.#forget();
    await this.#ask(run ? "Running the events" : "Replaying the capture", async () => {
      const said = await call("capture", { text, run });
      this.trouble = said.trouble;
      this.capture = said.trouble ? null : said;
    });
    if (this.capture?.events) {
      await this.look();
      this.choose(this.output || this.#firstNumber());
    }
  }

  #firstNumber(): string {
    const numbers = this.table.filter((o) => /^-?\d/.test(o.value) && !this.settable.some((p) => p.name === `${o.path}.value`));
    const found = numbers.filter((o) => !o.value.endsWith(".0"));
    return (found[found.length - 1] ?? numbers[numbers.length - 1] ?? this.table[0])?.name ?? "";
  }

  close(): void {
    this.#forget();
    this.said = this.documents = null;
    this.name = "";
    this.open = new Set();
  }

  #forget(): void {
    this.#turn++;
    this.#trying = 0;
    this.#moments.clear();
    this.trouble = "";
    this.capture = this.was = this.now = this.whatif = null;
    this.at = 0;
    this.columns = { was: [], now: [] };
    this.parameters = {};
    this.instead = {};
  }

  async #ask(what: string, run: () => Promise<void>): Promise<void> {
    const mine = ++this.#asked, turn = this.#turn;
    this.busy = what;
    try {
      await run();
    } catch (fault) {
      this.#tell(fault, turn);
    } finally {
      this.busy = mine === this.#asked ? "" : this.busy;
    }
  }

  /** What went wrong with a capture that is not open any more is nobody's trouble. */
  #tell(fault: unknown, turn: number): void {
    if (turn === this.#turn) {
      this.trouble = fault instanceof EngineFault ? fault.message : String(fault);
    }
  }

  // ---- the event under the scrubber ----

  go(to: number): void {
    const last = (this.capture?.events ?? 1) - 1;
    this.at = Math.min(last, Math.max(0, to));
    void this.look();
  }

  #moment(side: Side, at: number): Promise<Moment | null> {
    const key = `${side} ${at}`;
    const there = this.#moments.get(key) ?? call("moment", { side, at });
    this.#moments.delete(key);
    this.#moments.set(key, there);
    if (this.#moments.size > KEPT) {
      this.#moments.delete(this.#moments.keys().next().value!);
    }
    return there;
  }

  /** Whoever drags is shown the newest place, not every one between. */
  async look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    const turn = this.#turn;
    try {
      do {
        this.#again = false;
        const at = this.at;
        const [was, now] = await Promise.all([this.#moment("was", at), this.#other ? this.#moment("now", at) : null]);
        if (turn === this.#turn) {
          this.was = was;
          this.now = now;
        }
      } while (this.#again && turn === this.#turn);
    } catch (fault) {
      this.#tell(fault, turn);
    } finally {
      this.#looking = false;
    }
  }

  // ---- an output over all events ----

  choose(output: string): void {
    this.output = output;
    this.columns = { was: [], now: [] };
    const turn = this.#turn, sides: Side[] = this.#other ? ["was", "now"] : ["was"];
    sides.forEach((side) => void this.#fill(side, output).catch((fault) => this.#tell(fault, turn)));
  }

  async #fill(side: Side, output: string): Promise<void> {
    const turn = this.#turn, tried = this.#tried, count = this.capture?.events ?? 0;
    let got: (number | null)[] = [];
    for (let from = 0; from < count; from += CHUNK) {
      const more = await call("column", { side, output, from, to: Math.min(count, from + CHUNK) });
      if (turn !== this.#turn || output !== this.output || (side === "now" && tried !== this.#tried)) {
        return;
      }
      got = got.concat(more);
      if (from + CHUNK >= count || got.length >= 2 * this.columns[side].length) { // what is drawn grows by halves
        this.columns = { ...this.columns, [side]: got };
      }
    }
  }

  // ---- what if ----

  async suppose(change: { parameter: string; value: string | null } | { event: string; payload: string | null }): Promise<void> {
    const before = { parameters: this.parameters, instead: this.instead };
    let { parameters, instead } = this;
    if ("parameter" in change) {
      parameters = put(parameters, change.parameter, change.value === null ? [] : [literal(change.value)]);
    } else {
      try {
        instead = put(instead, change.event, change.payload === null ? [] : [JSON.parse(change.payload) as unknown]);
      } catch (fault) {
        notices.say(`The event is not JSON: ${(fault as Error).message}`);
        return;
      }
    }
    await this.#try(parameters, instead);
    if (change && ("value" in change ? change.value : change.payload) === null) {
      notices.say("Taken back.", () => void this.#try(before.parameters, before.instead));
    }
  }

  async #try(parameters: Parameters, instead: Record<string, unknown>): Promise<void> {
    this.parameters = parameters;
    this.instead = instead;
    this.now = null;
    [...this.#moments.keys()].filter((k) => k.startsWith("now")).forEach((k) => this.#moments.delete(k));
    const any = Object.keys(parameters).length + Object.keys(instead).length > 0;
    const mine = (this.#trying = ++this.#tried);
    let said: WhatifSaid | null = null;
    await this.#ask("Deciding every event again", async () => {
      said = await call("graph_whatif", any ? { parameters, instead } : null);
    });
    if (mine !== this.#trying) {
      return; // another try has begun, or another capture was opened: what this one made is gone
    }
    this.#trying = 0;
    this.whatif = said;
    await this.look();
    this.choose(this.output);
  }
}

/** With another value of one key, or without it; any name can be a key. */
function put<T>(all: Record<string, T>, key: string, value: [T] | []): Record<string, T> {
  return Object.fromEntries([...Object.entries(all).filter(([k]) => k !== key), ...value.map((v): [string, T] => [key, v])]);
}

/** A number or a boolean if it is one, else text. */
export function literal(text: string): string | number | boolean {
  const plain = text.trim();
  return plain === "true" || plain === "false" ? plain === "true" : /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(plain) ? Number(plain) : plain.replace(/^"(.*)"$/, "$1");
}

export const graphRun = new GraphRun();
