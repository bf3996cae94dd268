/** What the reader has typed into the form of facts, and the facts it makes.
 *
 * A draft is a tree like its type, with the texts of the fields at its ends; "" is a field nobody
 * has filled in. A fact whose fields are all empty is not known, and one that is filled in half is
 * not known either: the form says so. */
import type { Fact, Part, Type } from "./types";

export type Draft =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "record"; readonly fields: Readonly<Record<string, Draft>> }
  | { readonly kind: "list"; readonly items: readonly Draft[]; readonly given: boolean }
  | { readonly kind: "union"; readonly tag: string; readonly payload: Draft | undefined };

export type Drafts = ReadonlyMap<string, Draft>;
export type Path = readonly (string | number)[];

/** What the form tells. */
export type Change =
  | { readonly do: "set"; readonly path: Path; readonly text: string }
  | { readonly do: "add"; readonly path: Path }
  | { readonly do: "remove"; readonly path: Path }
  | { readonly do: "clear"; readonly path: Path };

const MOST_TEXT = 1 << 16;
const MOST_ITEMS = 1000;

export function emptyDraft(type: Type): Draft {
  switch (type.base) {
    case "Record": return { kind: "record", fields: Object.fromEntries(type.fields.map((f) => [f.name, emptyDraft(f.type)])) };
    case "List": return { kind: "list", items: [], given: false };
    case "TaggedUnion": return { kind: "union", tag: "", payload: undefined };
    default: return { kind: "text", text: "" };
  }
}

/** The draft where it still fits its type, after the contract has changed. */
export function fitDraft(type: Type, old: Draft | undefined): Draft {
  const fresh = emptyDraft(type);
  if (!old || old.kind !== fresh.kind) {
    return fresh;
  }
  if (type.base === "Record" && old.kind === "record") {
    return { kind: "record", fields: Object.fromEntries(type.fields.map((f) => [f.name, fitDraft(f.type, own(old.fields, f.name))])) };
  }
  if (type.base === "List" && old.kind === "list") {
    return { ...old, items: old.items.map((item) => fitDraft(type.element, item)) };
  }
  if (type.base === "TaggedUnion" && old.kind === "union") {
    const variant = partOf(type.variants, old.tag);
    return variant ? { kind: "union", tag: old.tag, payload: fitDraft(variant.type, old.payload) } : fresh;
  }
  return old;
}

export function fitDrafts(facts: readonly Fact[], old: Drafts): Drafts {
  return new Map(facts.map((f) => [f.name, fitDraft(f.type, old.get(f.name))]));
}

function own<T>(o: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(o, key) ? o[key] : undefined;
}

function partOf(parts: readonly Part[], name: string): Part | undefined {
  return parts.find((p) => p.name === name);
}

/* ---- changes ---- */

function changedHere(type: Type, draft: Draft, change: Change): Draft {
  if (change.do === "clear") {
    return emptyDraft(type);
  }
  if (change.do === "add" && type.base === "List" && draft.kind === "list" && draft.items.length < Math.min(type.max, MOST_ITEMS)) {
    return { kind: "list", given: true, items: [...draft.items, emptyDraft(type.element)] };
  }
  if (change.do === "set" && type.base === "List" && draft.kind === "list") {
    return change.text === "empty" ? { kind: "list", given: true, items: [] } : draft;
  }
  if (change.do === "set" && type.base === "TaggedUnion") {
    const variant = partOf(type.variants, change.text);
    return { kind: "union", tag: variant ? variant.name : "", payload: variant && emptyDraft(variant.type) };
  }
  return change.do === "set" && draft.kind === "text" ? { kind: "text", text: change.text.slice(0, MOST_TEXT) } : draft;
}

function changed(type: Type, draft: Draft, path: Path, change: Change): Draft {
  const [head, ...rest] = path;
  if (head === undefined) {
    return changedHere(type, draft, change);
  }
  if (type.base === "Record" && draft.kind === "record") {
    const part = partOf(type.fields, String(head)), field = part && own(draft.fields, part.name);
    return part && field ? { kind: "record", fields: { ...draft.fields, [part.name]: changed(part.type, field, rest, change) } } : draft;
  }
  if (type.base === "List" && draft.kind === "list" && typeof head === "number" && draft.items[head]) {
    if (change.do === "remove" && !rest.length) {
      return { ...draft, items: draft.items.filter((_, i) => i !== head) };
    }
    return { ...draft, items: draft.items.map((item, i) => i === head ? changed(type.element, item, rest, change) : item) };
  }
  if (type.base === "TaggedUnion" && draft.kind === "union" && draft.payload) {
    const variant = partOf(type.variants, draft.tag);
    return variant && head === "payload" ? { ...draft, payload: changed(variant.type, draft.payload, rest, change) } : draft;
  }
  return draft;
}

/** A path that leads nowhere changes nothing. */
export function applyChange(facts: readonly Fact[], drafts: Drafts, change: Change): Drafts {
  const fact = facts.find((f) => f.name === change.path[0]);
  const draft = fact && drafts.get(fact.name);
  return fact && draft ? new Map(drafts).set(fact.name, changed(fact.type, draft, change.path.slice(1), change)) : drafts;
}

/** What a panel has sent, if it is a change. */
export function readChange(message: unknown): Change | undefined {
  const m = message as { do?: unknown; path?: unknown; text?: unknown } | null;
  const path = m && Array.isArray(m.path) && m.path.length > 0 && m.path.length < 100
    && m.path.every((p) => typeof p === "string" || (Number.isInteger(p) && p >= 0)) ? m.path as Path : undefined;
  if (!path) {
    return undefined;
  }
  switch (m?.do) {
    case "set": return typeof m.text === "string" ? { do: "set", path, text: m.text } : undefined;
    case "add": case "remove": case "clear": return { do: m.do, path };
    default: return undefined;
  }
}

/* ---- facts ---- */

/** JSON text of a value; "": nobody has filled it in; undefined: a part of it is missing. */
function json(type: Type, draft: Draft): string | undefined {
  switch (draft.kind) {
    case "text": return draft.text === "" ? "" : scalar(type, draft.text);
    case "list": return draft.given && type.base === "List" ? all(draft.items.map((item) => json(type.element, item)), "[", "]") : "";
    case "union": {
      const variant = type.base === "TaggedUnion" ? partOf(type.variants, draft.tag) : undefined;
      const payload = variant && draft.payload ? json(variant.type, draft.payload) : "";
      return !variant ? "" : payload ? `{"payload":${payload},"tag":${JSON.stringify(draft.tag)}}` : undefined;
    }
    case "record": {
      if (type.base !== "Record") {
        return undefined;
      }
      const values = type.fields.map((f) => json(f.type, own(draft.fields, f.name) ?? emptyDraft(f.type)));
      return type.fields.length && values.every((v) => v === "") ? ""
        : all(values.map((v, i) => v && `${JSON.stringify(type.fields[i]?.name)}:${v}`), "{", "}");
    }
  }
}

function all(values: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return values.every(Boolean) ? `${open}${values.join(",")}${close}` : undefined;
}

/** Numbers are written as they were typed, so that none is rounded on its way; what is not of the
 * type goes as text, and the engine says what is wrong with it. */
function scalar(type: Type, text: string): string {
  const isInteger = /^-?(0|[1-9]\d*)$/.test(text.trim());
  switch (type.base) {
    case "Bool": return text === "true" || text === "false" ? text : JSON.stringify(text);
    case "Int": return isInteger ? text.trim() : JSON.stringify(text);
    case "Decimal": return JSON.stringify(text.trim());
    case "Money": return `{"amount":${JSON.stringify(text.trim())},"currency":${JSON.stringify(type.currency)}}`;
    case "Duration": return `{"unit":${JSON.stringify(type.unit)},"value":${isInteger ? text.trim() : JSON.stringify(text)}}`;
    case "Date": case "DateTime": return JSON.stringify(text.trim());
    default: return JSON.stringify(text);
  }
}

export interface Given {
  /** A JSON object of the facts that are known. */
  readonly json: string;
  /** Facts that are filled in half. */
  readonly unfinished: readonly string[];
}

export function givenFacts(facts: readonly Fact[], drafts: Drafts): Given {
  const members: string[] = [], unfinished: string[] = [];
  for (const f of facts) {
    const draft = drafts.get(f.name);
    const value = draft ? json(f.type, draft) : "";
    if (value) {
      members.push(`${JSON.stringify(f.name)}:${value}`);
    } else if (value === undefined) {
      unfinished.push(f.name);
    }
  }
  return { json: `{${members.join(",")}}`, unfinished };
}
