/* What the contract of this workspace would have decided: operations that the ledger records, decided again on the facts and
 * states they met. Where a fact was a default of the contract, the new default counts. */
import { ask } from "../engine/client";
import { print, type Value } from "../facts/json";
import { server } from "../state/server.svelte";
import { at, list, members, page, text } from "./records";

export interface Difference {
  seq: string;
  operation: string;
  persona: string;
  was: string;
  now: string;
}
export interface WhatIf {
  compared: number;
  /** Left out: in flows, or not of a form that can be asked. */
  left: number;
  differing: Difference[];
}

const LATEST = 200;

async function again(r: Value): Promise<Difference | null | undefined> {
  const p = at(r, "body", "provenance"), facts = list(r, "body", "facts");
  if (text(r, "body", "execution") || !facts.length) {
    return undefined;
  }
  const given = Object.fromEntries(facts.filter((f) => text(f, "assertion_source") !== "contract").map((f) => [text(f, "id"), at(f, "value") ?? null]));
  const states = Object.fromEntries(members(p, "state_before").map(([entity, ids]) => [entity, { _default: text(members(ids)[0]?.[1]) }]));
  const of = { seq: text(r, "seq"), operation: text(p, "op"), persona: text(p, "persona"), was: text(p, "outcome") };
  try {
    const said = await ask<{ outcome?: string; error?: { type: string; message: string } }>("act", { operation: of.operation, persona: of.persona, facts: print(given), outcome: of.was, ...(Object.keys(states).length ? { states } : {}) });
    const now = said.error ? `refused: ${said.error.message}` : said.outcome ?? "";
    return now === of.was ? null : { ...of, now };
  } catch (fault) {
    return { ...of, now: `not possible: ${fault instanceof Error ? fault.message : String(fault)}` };
  }
}

export async function whatIf(contract: string): Promise<WhatIf> {
  const records = page(await server.ask("/v1/ledger", { query: { kind: "operation", contract, order: "desc", limit: LATEST } })).items;
  const found: WhatIf = { compared: 0, left: 0, differing: [] };
  for (const r of records) {
    const one = await again(r);
    found.left += one === undefined ? 1 : 0;
    found.compared += one === undefined ? 0 : 1;
    if (one) {
      found.differing.push(one);
    }
  }
  return found;
}
