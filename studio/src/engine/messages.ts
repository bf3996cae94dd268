/* What the page asks of the worker that has the engine, and what it answers. One row for
 * each kind of call: to add one, add a row here and a function in worker.ts. */
import type { AgentCalls } from "./agents";
import type { GraphCalls } from "./graphs";
import type { Diagnostic, LedgerDemand, ProofDemand, ReceiptDemand } from "motet/engine";
import type { Bundle } from "./bundle";
import type { Description } from "../picture/description";

export type { Diagnostic, LedgerDemand, ProofDemand, ReceiptDemand } from "motet/engine";

export type Files = [path: string, text: string][];

export interface Place {
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

/** One name in the source: where it stands, and what it means. */
export interface Named {
  kind: string;
  id: string;
  is_definition: boolean;
  at: Place;
  definition: Place;
}

/** A contract that holds, as views need it. */
export interface Good {
  etag: string;
  bundle: Bundle;
  index: Named[];
  picture: Description;
  /** Members and triggers, where it is a System. */
  system: Description | null;
  /** Of a System: its members, each as a contract of its own. */
  members: Member[];
}
export interface Member extends Good {
  id: string;
  /** The path of its file. */
  root: string;
}

export interface Checked {
  diagnostics: Diagnostic[];
  good: Good | null;
}

export interface Told {
  text: string;
  /** 0: done, or it holds; 1: it does not. */
  code: number;
  /** What was passed over. */
  warnings?: string[];
}

/** What `motet diff --json` says of one field. */
export interface FieldChange {
  field: string;
  class: string;
  before?: unknown;
  after?: unknown;
  changes: { key: string; change: string; class: string; names: string[]; reason: string; action: string | null; impact: { in_flight: string; new_flows: string } }[];
}
export interface Changed {
  kind: string;
  id: string;
  class: string;
}
export interface Diff {
  class: string;
  policy_required: boolean;
  summary: { total_changes: number; breaking_count: number; requires_analysis_count: number; non_breaking_count: number };
  added: Changed[];
  removed: Changed[];
  changed: (Changed & { fields: FieldChange[] })[];
}
/** What becomes of a flow that stands at a step. */
export interface Fate {
  flow: string;
  step: string;
  states: Record<string, string>;
  fate: "goes" | "stops" | "decide";
  reasons: string[];
}
export interface Compared {
  diff: Diff;
  /** Of the older one. */
  picture: Description;
  entities: { id: string; states: string[] }[];
  fates: Fate[];
  /** What the engine recommends for all of them. */
  advice: string;
  /** Why nothing is said of flows under way; "": it is. */
  fault: string;
}

/** Of a ledger that is being read: lines that hold, and bytes of all. */
export interface Progress {
  lines: number;
  bytes: number;
}
export interface Verified {
  told: Told;
  /** Where lines begin, one mark for each piece that was read. */
  marks: Progress[];
}

export interface Calls extends GraphCalls, AgentCalls {
  /** The root first. What is asked later is asked of the last contract that held. */
  check: { ask: { files: Files }; answer: Checked };
  /** A command of motet_contract_ask(): eval, partial, explain, actions, act, … */
  ask: { ask: { command: string; options: Record<string, unknown>; /** Of another file; "": of the root. */ root?: string }; answer: Told };
  /** A request of the language server's protocol, with the files as they are; what nobody waits for any more is answered by null. */
  language: { ask: { files: Files; method: string; params: object }; answer: unknown };
  format: { ask: { text: string; name: string }; answer: string };
  /** Two versions, each with its root first. */
  compare: { ask: { older: Files; newer: Files; /** Of flows under way: frozen when they began, and states that are supposed; without them nothing is said of flows. */ facts?: string; suppose?: Record<string, string> }; answer: Compared };
  /** An export of a ledger, from its bytes, read piece by piece. */
  ledger: { ask: { file: Blob; demand: LedgerDemand }; answer: Verified };
  receipts: { ask: { text: string; demand: ReceiptDemand }; answer: Told };
  proof: { ask: { text: string; demand: ProofDemand }; answer: Told };
  /** A command of motet_contract_ask() to another contract than the workspace's: a version that a server has. */
  other: { ask: { etag: string; files: Files; command: string; options: Record<string, unknown> }; answer: Told };
  version: { ask: Record<string, never>; answer: { version: string; language: string } };
}

export type Kind = keyof Calls;
export type Request<K extends Kind = Kind> = { id: number; kind: K; ask: Calls[K]["ask"] };
export interface Fault {
  kind: string;
  path: string;
  message: string;
}
export type Reply = { id: number; answer: unknown } | { id: number; fault: Fault } | { id: number; progress: Progress };
