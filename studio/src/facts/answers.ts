/* What the engine says of facts: verdicts, operations, reasons. The shapes of `motet partial`, `explain` and `actions`. */
import { ask, call, EngineFault } from "../engine/client";
import type { States } from "../state/workspace.svelte";

export type Truth = "present" | "absent" | "depends";
export interface VerdictSaid {
  type: string;
  state: Truth;
  rule: string;
  stratum: number;
  payload?: unknown;
  condition?: string;
}
export interface OperationSaid {
  operation: string;
  precondition: "holds" | "refused" | "depends";
  condition?: string;
}
export interface Partial_ {
  unknown: string[];
  verdicts: VerdictSaid[];
  operations: OperationSaid[];
  /** What was given and the contract does not declare, a sentence each. */
  surplus: string[];
}
export interface FlowSaid {
  flow: string;
  state: "open" | "blocked" | "depends";
  condition?: string;
  blocked: { operation: string; type: string }[];
}

/** A condition with what it came to; parts inside. */
export interface Tree {
  condition: string;
  of: string;
  /** null: not known. */
  value: boolean | null;
  verdict?: string;
  parts?: Tree[];
}
export interface Because {
  verdict: string;
  rule: string;
  present?: boolean;
  condition?: string;
  because: { atom: string; value: boolean; verdicts: Because[] }[];
  depends_on?: Because[];
}
export interface Explained {
  tree: Tree;
  /** Conditions that would turn it, each enough by itself. */
  changes: string[];
  error: string;
}

interface Raw extends Because {
  error?: string;
  message?: string;
  open?: boolean;
  operation?: string;
  why?: { tree: Tree; changes: { condition: string }[] };
}

/** Where some facts are not known there is no whole tree: what is told is made one. */
function treeOf(b: Because, title: string): Tree {
  const value = b.present ?? null;
  const atoms = (b.because ?? []).map((a): Tree => ({ condition: a.atom, of: "atom", value: a.value, parts: a.verdicts.map((v) => treeOf(v, v.verdict)) }));
  const open = (b.depends_on ?? []).map((v) => treeOf(v, v.verdict));
  const parts = [...atoms, ...open];
  if (!parts.length && b.condition) {
    parts.push({ condition: b.condition, of: "atom", value: null });
  }
  return { condition: title, of: "verdict", value, verdict: b.verdict, parts };
}

export interface Case {
  facts: string;
  states: States;
  /** Which instance is meant, of entities with several. */
  bind?: Record<string, string>;
  /** Of which contract; "": of the root. */
  root?: string;
}

export async function partial(x: Case): Promise<Partial_> {
  const { text, warnings = [] } = await call("ask", { command: "partial", options: { facts: x.facts, partial: true }, root: x.root ?? "" });
  return { ...(JSON.parse(text) as Partial_), surplus: warnings };
}

export async function flowsOf(persona: string, x: Case): Promise<FlowSaid[]> {
  return (await ask<{ flows: FlowSaid[] }>("actions", { persona, facts: x.facts, partial: true, ...(Object.keys(x.states).length ? { states: x.states } : {}) }, x.root)).flows;
}

type Asker = <T>(command: string, options: Record<string, unknown>, root?: string) => Promise<T>;

/** Of the workspace's contract, or of another that `asker` asks. */
export async function explain(what: { verdict: string } | { operation: string; persona: string }, x: Case, whole: boolean, asker: Asker = ask): Promise<Explained> {
  const options = { ...what, facts: x.facts, ...("operation" in what && Object.keys(x.states).length ? { states: x.states, bind: x.bind ?? {} } : {}), ...(whole ? {} : { partial: true }) };
  const raw = await asker<Raw>("explain", options, x.root);
  const title = "verdict" in what ? what.verdict : what.operation;
  return {
    tree: raw.why?.tree ? { condition: title, of: "verdict", value: "verdict" in what ? raw.present ?? null : raw.why.tree.value, parts: [raw.why.tree] } : treeOf(raw, title),
    changes: raw.why?.changes.map((c) => c.condition) ?? [],
    error: raw.message ?? "",
  };
}

/** What is wrong with the facts: the fact's name, or "" for all, and the sentences. */
export function faults(fault: unknown): Map<string, string> {
  const said = new Map<string, string>();
  const text = fault instanceof EngineFault ? fault.message : String(fault);
  for (const line of text.split("\n")) {
    const name = /fact '([^'.[]+)/.exec(line)?.[1] ?? (fault instanceof EngineFault ? fault.path.split(/[.[]/)[0]! : "");
    said.set(name, line.replace(/^evaluation error: /, ""));
  }
  return said;
}
