/** What `motet test --json --coverage` says, read with care: it is the word of another program. */
import { baseName } from "./scenarios";

export interface Message {
  readonly text: string;
  /** Where it is, if it says so; line and column from 0. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Case {
  readonly name: string;
  readonly ok: boolean;
  readonly messages: readonly Message[];
}

export interface Tally {
  readonly seen: number;
  readonly total: number;
  readonly neverSeen: readonly string[];
}

export const COVER_KINDS = ["rules", "operations", "outcomes", "paths", "absent", "steps", "edges"] as const;
export type CoverKind = (typeof COVER_KINDS)[number];

export interface Coverage {
  readonly contract: string;
  readonly permille: number;
  readonly of: Readonly<Record<CoverKind, Tally>>;
}

export interface Results {
  readonly cases: readonly Case[];
  readonly coverage: readonly Coverage[];
}

type Json = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object that the text is, as JSON; undefined: it is something else. */
export function readObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : undefined;
  } catch {
    return undefined;
  }
}

function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

/** A line that begins with a place begins a message; the others go on with the last. */
export function readMessages(why: string): readonly Message[] {
  const messages: { text: string; file?: string; line?: number; column?: number }[] = [];
  for (const line of why.replace(/\n+$/, "").split("\n")) {
    const at = /^(.+?\.(?:yaml|yml|json|tenor)):(\d+):(\d+): (.*)$/.exec(line);
    const last = messages[messages.length - 1];
    if (at) {
      messages.push({ text: at[4] ?? "", file: at[1] ?? "", line: Math.max(0, Number(at[2]) - 1), column: Math.max(0, Number(at[3]) - 1) });
    } else if (last) {
      last.text += `\n${line}`;
    } else {
      messages.push({ text: line });
    }
  }
  return messages;
}

function readTally(value: unknown): Tally {
  const o = asObject(value);
  return { seen: asCount(o["seen"]), total: asCount(o["total"]), neverSeen: asList(o["never_seen"]).map(asText).filter(Boolean) };
}

function readCoverage(value: unknown): Coverage {
  const o = asObject(value), c = asObject(o["coverage"]);
  const of = Object.fromEntries(COVER_KINDS.map((kind) => [kind, readTally(c[kind])])) as Record<CoverKind, Tally>;
  return { contract: asText(o["contract"]), permille: asCount(c["permille"]), of };
}

/** Undefined: it is not the report of a test. */
export function readResults(out: string): Results | undefined {
  const o = readObject(out);
  if (!Array.isArray(o?.["cases"])) {
    return undefined;
  }
  const cases = o["cases"].map(asObject).map((c) => ({
    name: asText(c["name"]), ok: c["ok"] === true,
    messages: c["ok"] === true ? [] : readMessages(asText(c["why"]) || "it does not hold") }));
  return { cases, coverage: asList(o["coverage"]).map(readCoverage) };
}

/** The case of a scenario; undefined: it was not run. Names that stand twice fail if one of them does. */
export function resultOf(results: Results, path: string, scenario: string): Case | undefined {
  const all = results.cases.filter((c) => c.name === `${baseName(path)}: ${scenario}`);
  return all.find((c) => !c.ok) ?? all[0];
}

/** What the server's command motet.test answers, behind the lenses of scenarios. */
export interface Trials {
  readonly text: string;
  readonly results: readonly { readonly uri: string; readonly name: string; readonly ok: boolean; readonly message: Message }[];
  readonly coverage: Coverage;
}

/** `contract`: whose coverage it is. Undefined: it is another answer. */
export function readTrials(value: unknown, contract: string): Trials | undefined {
  const o = asObject(value);
  if (!Array.isArray(o["results"])) {
    return undefined;
  }
  return { text: asText(o["text"]), coverage: readCoverage({ contract, coverage: o["coverage"] }),
    results: o["results"].map(asObject).map((r) => ({ uri: asText(r["uri"]), name: asText(r["name"]), ok: r["passes"] === true,
      message: { text: asText(r["text"]).trim() || "it does not hold", line: Math.max(0, asCount(r["line"]) - 1) } })) };
}
