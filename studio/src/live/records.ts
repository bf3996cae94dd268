/* Records of the ledger and other answers, as views show them. Numbers keep their digits; a member that is not there
 * is "". The sentences are those of `motet ledger show` (src/exec/evidence/record_words.c). */
import { Digits, type Fields, isFields, parse, type Value } from "../facts/json";
import { say } from "../facts/words";

export type Row = Fields;

/** The member behind these names. */
export function at(value: Value | undefined, ...names: string[]): Value | undefined {
  return names.reduce<Value | undefined>((v, name) => (isFields(v) ? v[name] : undefined), value);
}
export function text(value: Value | undefined, ...names: string[]): string {
  const v = at(value, ...names);
  return typeof v === "string" ? v : v instanceof Digits ? v.text : typeof v === "boolean" ? String(v) : "";
}
export function list(value: Value | undefined, ...names: string[]): Value[] {
  const v = at(value, ...names);
  return Array.isArray(v) ? v : [];
}
export function members(value: Value | undefined, ...names: string[]): [string, Value][] {
  const v = at(value, ...names);
  return isFields(v) ? Object.entries(v) : [];
}
/** A list with where it goes on. */
export function page(answer: string): { items: Value[]; next: string } {
  const read = parse(answer);
  return { items: list(read, "items"), next: text(read, "next") };
}

/** To the second, UTC. */
export const moment = (time: string): string => time.replace("T", " ").slice(0, 19);

export interface Move {
  entity: string;
  id: string;
  /** "": it was made; */
  from: string;
  /** "": it was deleted. */
  to: string;
}

/** What a record changed. */
export function moves(body: Value | undefined): Move[] {
  const p = at(body, "provenance") ?? body, kind = text(body, "kind");
  if (kind.startsWith("instance_")) {
    const state = text(body, "state");
    return [{ entity: text(body, "entity"), id: text(body, "instance"), from: text(body, "state_before") || (kind === "instance_deleted" ? state : ""),
      to: kind === "instance_deleted" ? "" : text(body, "state_after") || state }];
  }
  return kind === "operation" ? members(p, "state_after").flatMap(([entity, after]) => (isFields(after) ? Object.keys(after) : []).map((id) =>
    ({ entity, id, from: text(p, "state_before", entity, id), to: text(after, id) }))) : [];
}

const WORDS: Record<string, string> = { operation: "operation", refusal: "refused", flow_started: "flow began", flow_waiting: "flow waits", flow_ended: "flow ended",
  instance_created: "created", instance_deleted: "deleted", instance_migrated: "migrated", contract_deployed: "deployed", key_added: "key", shadow: "shadow differs" };
export const KINDS = ["operation", "refusal", "decision", "flow_started", "flow_waiting", "flow_ended", "flow_migrated", "fact_asserted", "fact_retracted", "instance_created", "instance_deleted", "instance_migrated",
  "contract_deployed", "shadow", "token_created", "token_changed", "token_revoked", "key_added", "key_revoked"];
export const kindWord = (kind: string): string => WORDS[kind] ?? kind.replace(/_/g, " ");

const joined = (...parts: string[]): string => parts.filter(Boolean).join(" ");

/** What happened, in one line. */
export function what(body: Value | undefined): string {
  const t = (...names: string[]): string => text(body, ...names);
  const kind = t("kind"), p = at(body, "provenance") ?? body;
  const moved = moves(body).map((m) => joined(m.entity, m.id, m.from && m.to ? `${m.from} → ${m.to}` : m.to || m.from)).join(", ");
  if (kind === "operation") {
    return joined(text(p, "op") || text(p, "operation"), moved && `· ${moved}`);
  }
  if (kind === "refusal") {
    return joined(t("operation") || t("flow"), members(body, "bindings").map(([e, id]) => `${e} ${text(id)}`).join(", "), `· ${t("refusal", "code")}`);
  }
  if (kind.startsWith("flow_")) {
    return joined(t("flow"), kind === "flow_waiting" ? `· waits at ${t("step")} for ${t("persona")}` : t("outcome") && `· ${t("outcome")}`);
  }
  if (kind.startsWith("instance_")) {
    return moved;
  }
  if (kind === "shadow") {
    return joined(t("difference", "operation") || t("difference", "flow"), `· was ${t("difference", "was") || "?"}, now ${t("difference", "now") || "?"}`);
  }
  return joined(t("fact"), t("token", "name"), t("contract"), t("number") && `version ${t("number")}`, t("class"), t("status"), t("reason"), at(body, "value") === undefined ? "" : `is ${say(at(body, "value"))}`);
}

/** Who did it, as which persona. */
export function who(body: Value | undefined): string {
  const caller = text(body, "caller", "name") || text(body, "caller", "id");
  const persona = text(body, "provenance", "persona") || text(body, "asked_as") || (text(body, "kind") === "flow_waiting" ? "" : text(body, "persona"));
  return persona ? `${persona}${caller ? ` (${caller})` : ""}` : caller;
}

export const isBad = (body: Value | undefined): boolean => text(body, "kind") === "refusal" || text(body, "kind") === "shadow" || text(body, "outcome") === "failure";
