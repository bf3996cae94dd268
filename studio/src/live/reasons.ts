/* Why a record was decided so: told from the facts that it has, by the engine of this page, under the version that it names. */
import { explain, type Explained, type Tree } from "../facts/answers";
import { type Fields, print, type Value } from "../facts/json";
import { say } from "../facts/words";
import { server } from "../state/server.svelte";
import type { States } from "../state/workspace.svelte";
import { askOf, served } from "./contracts";
import { at, list, members, page, text } from "./records";

export interface Case {
  facts: Fields;
  states: States;
}

function factsOf(body: Value | undefined): Fields | null {
  const facts = list(body, "facts");
  return facts.length ? Object.fromEntries(facts.map((f) => [text(f, "id"), at(f, "value") ?? null])) : null;
}

/** What it was decided on. An operation in a flow rests on what the flow began with; null: the ledger does not say. */
export async function caseOf(body: Value | undefined): Promise<Case | null> {
  const execution = text(body, "execution");
  const facts = factsOf(body) ?? (execution ? factsOf(at(page(await server.ask("/v1/ledger", { query: { flow: execution, kind: "flow_started", limit: 1 } })).items[0], "body")) : null);
  return facts && { facts, states: Object.fromEntries(members(body, "provenance", "state_before").map(([entity, ids]) => [entity, { _default: text(members(ids)[0]?.[1]) }])) };
}

/** The tree of a verdict, or of the operation that the record is about. */
export async function why(body: Value | undefined, verdict: string, x: Case): Promise<Explained> {
  const version = await served(text(body, "contract"), text(body, "etag"));
  const what = verdict ? { verdict } : { operation: text(body, "provenance", "op"), persona: text(body, "provenance", "persona") };
  return explain(what, { facts: print(x.facts), states: x.states }, true, (command, options) => askOf(version, command, options));
}

/** What a refusal says of itself. */
export function refusalTree(body: Value | undefined): Tree | null {
  const parts = list(body, "refusal", "reasons").map((r): Tree => ({ condition: text(r, "condition"), of: "atom", value: text(r, "value") === "true" }));
  return parts.length ? { condition: "", of: "and", value: false, parts } : null;
}

const LONGEST = 80; // of a value beside a condition; the table of facts has it whole
const short = (said: string): string => (said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said);

/** The facts that a condition names, with their values. */
export function valuesIn(facts: Fields, condition: string): [string, string][] {
  const words = new Set(condition.match(/[A-Za-z_]\w*/g));
  return Object.entries(facts).filter(([name]) => words.has(name)).map(([name, v]) => [name, short(say(v))]);
}
