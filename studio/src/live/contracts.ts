/* The contracts of a server: their bundles by version, drawn and asked by the engine of this page. */
import type { Bundle } from "../engine/bundle";
import { call } from "../engine/client";
import type { Files } from "../engine/messages";
import { parse, print } from "../facts/json";
import type { Description } from "../picture/description";
import { path, server } from "../state/server.svelte";
import { at } from "./records";

export interface Served {
  etag: string;
  files: Files;
  bundle: Bundle;
  picture: Description;
}
export interface Listed {
  id: string;
  etag: string;
  version: number;
  default: boolean;
  entities: string[];
  flows: string[];
}

const KEPT = 8;
const kept = new Map<string, Promise<Served>>();

export async function contracts(): Promise<Listed[]> {
  return (JSON.parse(await server.ask("/v1/contracts")) as { items: Listed[] }).items;
}

async function fetched(id: string, etag: string): Promise<Served> {
  const answer = parse(await server.ask(path`/v1/contracts/${id}`, { query: { etag } }));
  const source = print(at(answer, "bundle") ?? null); // digits as they came
  const files: Files = [[`${id.replace(/\W/g, "_")}.json`, source]];
  const drawn = await call("other", { etag, files, command: "draw", options: {} });
  return { etag, files, bundle: JSON.parse(source) as Bundle, picture: JSON.parse(drawn.text) as Description };
}

/** One version of a contract. */
export function served(id: string, etag: string): Promise<Served> {
  const found = kept.get(etag) ?? fetched(id, etag);
  kept.delete(etag);
  kept.set(etag, found);
  found.catch(() => kept.delete(etag));
  for (const [old] of [...kept].slice(0, -KEPT)) {
    kept.delete(old);
  }
  return found;
}

/** A question to that version, answered by the engine of this page. */
export async function askOf<T>(c: Served, command: string, options: Record<string, unknown>): Promise<T> {
  return JSON.parse((await call("other", { etag: c.etag, files: c.files, command, options })).text) as T;
}
