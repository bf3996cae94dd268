/* Graphs in the worker: the documents, the capture as an index of its events, and what would be with other parameters
 * or another event. Any event is looked at by one pass over its recorded payload, so going through a long capture costs
 * the same everywhere; what is shown was replayed as a whole first.
 *
 * INVARIANT: a capture that does not replay has no rows: what they would show did not happen. */
import type { Graph, GraphEngine } from "motet/graph";
import { EngineError, Rejected } from "motet/engine";
import type { Description } from "../picture/description";

type Files = readonly (readonly [path: string, text: string])[];
export type Side = "was" | "now";
export interface Documents {
  /** The graph first, then its clusters. */
  files: Files;
  manifests: Files;
  adapter: readonly [path: string, text: string] | null;
}
export type Parameters = Record<string, string | number | boolean>;
export interface GraphSaid {
  /** What `motet graph check` finds, a line each; empty: it is good. */
  problems: string[];
  advice: string[];
  picture: Description | null;
  identity: string;
}
/** What an event came to; ORDER of marks in a capture. */
export const MARKS = ["ran", "acted", "failed", "deferred", "skipped"] as const;
export interface CaptureSaid {
  events: number;
  marks: Uint8Array;
  /** As `motet graph replay --json` prints it. */
  replay: string;
  verified: boolean;
  trouble: string;
}
export interface Moment {
  id: string;
  kind: string;
  time: string;
  payload: string;
  decision: string;
  termination: string;
  /** "history = [1, 2]", "place_order(side: 1)" */
  writes: string[];
  intents: string[];
  /** As `motet graph replay --event` prints it. */
  trace: string;
  picture: Description | null;
}
export interface Change {
  event: number;
  event_id: string;
  node?: string;
  node_was?: string;
  node_now?: string;
  was: string;
  now: string;
}
export interface WhatifSaid {
  problems: string[];
  /** The first of them. */
  changes: Change[];
  /** 1 for each event of the capture that would differ. */
  marks: Uint8Array;
  events: number;
  differing: number;
}
export interface GraphCalls {
  graph: { ask: Documents; answer: GraphSaid };
  /** A capture or journal; or events, which are run first. */
  capture: { ask: { text: string; run: boolean }; answer: CaptureSaid };
  moment: { ask: { side: Side; at: number }; answer: Moment | null };
  /** Numbers of an output; events and booleans are 0 and 1. */
  column: { ask: { side: Side; output: string; from: number; to: number }; answer: (number | null)[] };
  graph_whatif: { ask: { parameters: Parameters; instead: Record<string, unknown> } | null; answer: WhatifSaid | null };
}

const SHOWN = 200; // changes that are told one by one

// ---- the index of a capture ----

interface Effect {
  writes?: { key: string; value: Record<string, unknown> }[];
  intents?: { kind: string; fields: { name: string; value: Record<string, unknown> }[] }[];
}
interface RecordedEvent {
  event_id: string;
  event_time?: { secs: number };
  kind: string;
  payload?: number[] | object;
}
interface RecordedDecision {
  decision: string;
  termination?: string | Record<string, string> | null;
  effects?: { effect: Effect }[];
}
interface Row {
  event: Omit<RecordedEvent, "payload">;
  payload: string;
  decision: RecordedDecision;
}

const bytes = new TextDecoder();
const payloadOf = (p: number[] | object | undefined): string =>
  p === undefined || p === null ? "" : Array.isArray(p) ? bytes.decode(Uint8Array.from(p as number[])) : JSON.stringify(p);

function rowOf({ payload, ...event }: RecordedEvent, decision: RecordedDecision): Row {
  return { event, payload: payloadOf(payload), decision };
}

/** The engine has read it: it is sound. A journal's last line may be torn. */
function rowsOf(text: string): Row[] {
  if (!/^\s*\{\s*"journal"/.test(text)) {
    const whole = JSON.parse(text) as { events: RecordedEvent[]; decisions: RecordedDecision[] };
    return whole.decisions.map((d, i) => rowOf(whole.events[i]!, d));
  }
  const rows: Row[] = [];
  for (const line of text.split("\n")) {
    try {
      const step = JSON.parse(line) as { event?: RecordedEvent; decision?: RecordedDecision };
      if (step.event && step.decision) {
        rows.push(rowOf(step.event, step.decision));
      }
    } catch { /* torn */ }
  }
  return rows;
}

function markOf({ decision: d }: Row): number {
  const name = d.decision === "Defer" ? "deferred" : d.decision === "Skip" ? "skipped" : d.termination !== "Completed" ? "failed"
    : d.effects?.some((e) => e.effect.intents?.length) ? "acted" : "ran";
  return MARKS.indexOf(name);
}

/** A key that a cluster derived from its place, "__ergo/5:watch/4:once/4:last", without what only machines need. */
const keyWords = (key: string): string => (key.startsWith("__ergo/") ? key.slice(7).replace(/\d+:/g, "") : key);
const inner = (value: Record<string, unknown>): string => JSON.stringify(Object.values(value)[0]);
function momentOf(row: Row): Omit<Moment, "trace" | "picture"> {
  const { event, payload, decision } = row;
  const effects = decision.effects?.map((e) => e.effect) ?? [];
  const ended = decision.termination;
  return {
    id: event.event_id, kind: event.kind, payload, decision: decision.decision,
    time: event.event_time?.secs ? new Date(event.event_time.secs * 1000).toISOString().slice(0, 19).replace("T", " ") : "",
    termination: typeof ended === "string" ? ended : Object.entries(ended ?? {}).map(([how, why]) => `${how}: ${why}`).join(""),
    writes: effects.flatMap((e) => e.writes ?? []).map((w) => `${keyWords(w.key)} = ${inner(w.value)}`),
    intents: effects.flatMap((e) => e.intents ?? []).map((i) => `${i.kind}(${i.fields.map((f) => `${f.name}: ${inner(f.value)}`).join(", ")})`),
  };
}

// ---- what is open ----

interface Opened {
  graph: Graph;
  text: string; // of the capture
  rows: Row[];
  byId: Map<string, number>;
}

let engine: GraphEngine | undefined; // whose handles these are
let documents: Documents | undefined;
let kept = ""; // the text of the capture
const open: { [S in Side]?: Opened } = {};

function loadAlone(e: GraphEngine, d: Documents, parameters: Parameters = {}): Graph {
  const own = e.primitives();
  d.manifests.forEach(([, text]) => own.add(text));
  return e.graph(d.files, own, parameters);
}

function load(e: GraphEngine, d: Documents, parameters: Parameters = {}): Graph {
  const graph = loadAlone(e, d, parameters);
  return d.adapter ? graph.adapt(d.adapter[1], d.adapter[0]) : graph;
}

function drop(side: Side): void {
  if (engine && !engine.core.broken) {
    open[side]?.graph.free();
  }
  delete open[side];
}

/** Diagnostics as the engine prints them in JSON. */
function linesOf(json: string): string[] {
  const { diagnostics } = JSON.parse(json) as { diagnostics: { code: string; message: string; hint?: string; line?: number }[] };
  return diagnostics.map((x) => `${x.line ? `line ${x.line}: ` : ""}${x.code}: ${x.message}${x.hint ? ` (${x.hint})` : ""}`);
}

const problemsOf = (fault: unknown): string[] => {
  if (fault instanceof Rejected) {
    return fault.messages.length ? [...fault.messages] : [fault.message];
  }
  if (fault instanceof EngineError && fault.kind !== "bug") {
    return fault.message.startsWith("{") ? linesOf(fault.message) : [fault.message];
  }
  throw fault;
};

function take(side: Side, graph: Graph, text: string): Opened {
  const rows = rowsOf(text);
  return (open[side] = { graph, text, rows, byId: new Map(rows.map((r, i) => [r.event.event_id, i])) });
}

/** After a trap there is another engine: what was open is opened again. */
function sideOf(e: GraphEngine, side: Side): Opened {
  if (engine !== e) {
    drop("now");
    delete open.was;
    engine = e;
    if (documents && kept) {
      take("was", load(e, documents), kept);
    }
  }
  const there = open[side];
  if (!there) {
    throw new EngineError("there is no capture", "usage");
  }
  return there;
}

function openGraph(e: GraphEngine, d: Documents): GraphSaid {
  const nothing: GraphSaid = { problems: [], advice: [], picture: null, identity: "" };
  drop("now");
  drop("was");
  engine = e;
  documents = d;
  kept = "";
  try {
    nothing.picture = JSON.parse(loadAlone(e, d).draw()) as Description; // to be seen even if the adapter is refused
    const graph = load(e, d);
    const checked = graph.ask("check");
    const lines = linesOf(checked.text), good = checked.code === 0;
    open.was = { graph, text: "", rows: [], byId: new Map() };
    return { problems: good ? [] : lines, advice: good ? lines : [], picture: nothing.picture, identity: graph.identity };
  } catch (fault) {
    return { ...nothing, problems: problemsOf(fault) };
  }
}

function openCapture(e: GraphEngine, given: string, run: boolean): CaptureSaid {
  const said: CaptureSaid = { events: 0, marks: new Uint8Array(), replay: "", verified: false, trouble: "" };
  const was = open.was && engine === e ? open.was : documents && { graph: load(e, documents) };
  if (!was) {
    return { ...said, trouble: "There is no graph to replay it with: open its document, too." };
  }
  drop("now");
  try {
    const text = run ? was.graph.run(given, { capture: true }).text : given;
    const replayed = was.graph.replay(text);
    const told = JSON.parse(replayed.text) as { verified: boolean; divergence: { message: string; event_id?: string; recorded: string; replayed: string } | null };
    const d = told.divergence;
    if (d) {
      return { ...said, replay: replayed.text, trouble: `It does not replay: ${d.message}${d.event_id ? ` at event ${d.event_id}` : ""}. Recorded: ${d.recorded.slice(0, 300)}. Replayed: ${d.replayed.slice(0, 300)}.` };
    }
    kept = text;
    const { rows } = take("was", was.graph, text);
    return { ...said, events: rows.length, marks: Uint8Array.from(rows, markOf), replay: replayed.text, verified: told.verified };
  } catch (fault) {
    return { ...said, trouble: placed(problemsOf(fault).join("\n"), given) };
  }
}

/** Where a byte is named, its line is, too. */
function placed(message: string, text: string): string {
  const byte = /\bbyte (\d+)/.exec(message)?.[1];
  return byte ? `line ${text.slice(0, Number(byte)).split("\n").length}: ${message}` : message;
}

// ---- an event ----

const lineOf = (row: Row): string => `{"event_id":${JSON.stringify(row.event.event_id)}${row.payload ? `,"payload":${row.payload}` : ""}}`;

/** What ran at a pump was deferred before, with a payload of its own: only the replay knows it. */
function traceOf({ graph, text }: Opened, row: Row): string {
  if (row.decision.decision !== "Invoke") {
    return `{"event_id":${JSON.stringify(row.event.event_id)},"nodes":[],"outcomes":[]}`;
  }
  return (row.event.kind === "Pump" ? graph.ask("replay", { event: row.event.event_id }, text) : graph.ask("look", {}, lineOf(row))).text.split("\n")[0]!;
}

function moment(e: GraphEngine, side: Side, at: number): Moment | null {
  const was = sideOf(e, "was"), there = sideOf(e, side);
  const row = there.rows[side === "was" ? at : there.byId.get(was.rows[at]?.event.event_id ?? "") ?? -1];
  return row ? { ...momentOf(row), trace: traceOf(there, row),
    picture: row.decision.decision === "Invoke" && row.event.kind !== "Pump" ? JSON.parse(there.graph.ask("draw", {}, lineOf(row)).text) as Description : null } : null;
}

const HAPPENED = new Set(["Emitted", "Attempted", "Completed"]);
function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : typeof value === "string" ? Number(HAPPENED.has(value)) : null;
}

function column(e: GraphEngine, side: Side, output: string, from: number, to: number): (number | null)[] {
  const was = sideOf(e, "was"), there = sideOf(e, side);
  const rows = was.rows.slice(from, to).map((r) => there.rows[there.byId.get(r.event.event_id) ?? -1]);
  const ran = rows.map((r) => r?.decision.decision === "Invoke" && r.event.kind !== "Pump");
  const lines = rows.filter((_, i) => ran[i]).map((r) => lineOf(r!));
  const said = lines.length ? there.graph.ask("look", { output }, lines.join("\n")).text.split("\n") : [];
  let next = 0;
  return ran.map((r) => (r ? numberOf(JSON.parse(said[next++]!)) : null));
}

// ---- what if ----

function whatif(e: GraphEngine, parameters: Parameters, instead: Record<string, unknown>): WhatifSaid {
  const was = sideOf(e, "was");
  const said: WhatifSaid = { problems: [], changes: [], marks: new Uint8Array(was.rows.length), events: 0, differing: 0 };
  drop("now");
  try {
    const graph = load(e, documents!, parameters);
    const told = Object.keys(instead).length ? graph.ask("whatif", { instead }, was.text) : e.whatif(was.graph, graph, was.text);
    const lines = told.text.trimEnd().split("\n");
    const sum = JSON.parse(lines.pop()!) as { changed: number; refused: number; events: number };
    for (const line of lines) {
      const event = Number(/"event":(\d+)/.exec(line)?.[1]);
      said.marks[event] = 1;
      if (said.changes.length < SHOWN) {
        said.changes.push(JSON.parse(line) as Change);
      }
    }
    take("now", graph, graph.ask("whatif", { instead, capture: true }, was.text).text);
    return { ...said, events: sum.events, differing: sum.changed + sum.refused };
  } catch (fault) {
    drop("now");
    return { ...said, problems: problemsOf(fault) };
  }
}

export const GRAPH_CALLS: { [K in keyof GraphCalls]: (all: { graphs: GraphEngine }, ask: GraphCalls[K]["ask"]) => GraphCalls[K]["answer"] } = {
  graph: ({ graphs }, ask) => openGraph(graphs, ask),
  capture: ({ graphs }, { text, run }) => openCapture(graphs, text, run),
  moment: ({ graphs }, { side, at }) => moment(graphs, side, at),
  column: ({ graphs }, { side, output, from, to }) => column(graphs, side, output, from, to),
  graph_whatif: ({ graphs }, ask) => {
    if (ask) {
      return whatif(graphs, ask.parameters, ask.instead);
    }
    drop("now");
    return null;
  },
};
