/** The facts of a contract and their types, from the interchange bundle `motet elaborate` writes. */
import { asList, asObject, asText, readObject } from "./results";

export type Type =
  | { readonly base: "Bool" | "Date" | "DateTime" }
  | { readonly base: "Int"; readonly min: string; readonly max: string }
  | { readonly base: "Decimal"; readonly precision: number; readonly scale: number }
  | { readonly base: "Text"; readonly maxLength: number }
  | { readonly base: "Money"; readonly currency: string }
  | { readonly base: "Duration"; readonly unit: string; readonly min: string; readonly max: string }
  | { readonly base: "Enum"; readonly values: readonly string[] }
  | { readonly base: "Record"; readonly fields: readonly Part[] }
  | { readonly base: "List"; readonly element: Type; readonly max: number }
  | { readonly base: "TaggedUnion"; readonly variants: readonly Part[] }
  | { readonly base: "unknown"; readonly name: string };

export interface Part {
  readonly name: string;
  readonly type: Type;
}

export interface Fact extends Part {
  readonly fallback?: string;
  readonly source: string;
}

export interface Bundle {
  readonly id: string;
  readonly facts: readonly Fact[];
  readonly personas: readonly string[];
  readonly operations: readonly string[];
  readonly flows: readonly string[];
  readonly verdicts: readonly string[];
  readonly entities: readonly { readonly name: string; readonly states: readonly string[] }[];
}

function parts(value: unknown): readonly Part[] {
  return Object.entries(asObject(value)).map(([name, type]) => ({ name, type: readType(type) }));
}

/** Bounds of 64 bits are more than a number holds exactly, so they stay text for the reader. */
function bound(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

export function readType(value: unknown): Type {
  const o = asObject(value), base = asText(o["base"]);
  switch (base) {
    case "Bool": case "Date": case "DateTime": return { base };
    case "Int": return { base, min: bound(o["min"]), max: bound(o["max"]) };
    case "Decimal": return { base, precision: Number(o["precision"]), scale: Number(o["scale"]) };
    case "Text": return { base, maxLength: Number(o["max_length"]) };
    case "Money": return { base, currency: asText(o["currency"]) };
    case "Duration": return { base, unit: asText(o["unit"]), min: bound(o["min"]), max: bound(o["max"]) };
    case "Enum": return { base, values: asList(o["values"]).map(asText) };
    case "Record": return { base, fields: parts(o["fields"]) };
    case "List": return { base, element: readType(o["element_type"]), max: Number(o["max"]) };
    case "TaggedUnion": return { base, variants: parts(o["variants"]) };
    default: return { base: "unknown", name: base };
  }
}

/** As the reader of a contract would write it. */
export function typeWords(t: Type): string {
  switch (t.base) {
    case "Int": return `Int ${t.min} to ${t.max}`;
    case "Decimal": return `Decimal, ${t.precision} digits, ${t.scale} behind the point`;
    case "Text": return `Text of at most ${t.maxLength}`;
    case "Money": return `Money in ${t.currency}`;
    case "Duration": return `Duration of ${t.min} to ${t.max} ${t.unit}`;
    case "List": return `List of at most ${t.max}`;
    case "unknown": return t.name;
    default: return t.base;
  }
}

/** A value of the interchange, as an author would write it. */
export function valueWords(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  }
  const o = asObject(value);
  switch (o["kind"]) {
    case "money_value": {
      const amount = o["amount"];
      return `${typeof amount === "object" ? asText(asObject(amount)["value"]) : String(amount)} ${asText(o["currency"])}`;
    }
    case "duration_value": return `${String(o["value"])} ${asText(o["unit"])}`;
    case "text_value": case "enum_value": return JSON.stringify(o["value"]);
    case "record_value": {
      const fields = asObject(o["fields"] ?? o["value"]);
      return `{ ${Object.entries(fields).map(([k, v]) => `${k}: ${valueWords(v)}`).join(", ")} }`;
    }
    case "list_value": return `[${asList(o["elements"] ?? o["value"]).map(valueWords).join(", ")}]`;
    case "tagged_union_value": return `${asText(o["tag"])}(${valueWords(o["payload"])})`;
    default: return "value" in o ? valueWords(o["value"]) : JSON.stringify(value);
  }
}

function sourceWords(value: unknown): string {
  const o = asObject(value);
  return typeof value === "string" ? value
    : "source_id" in o ? `${asText(o["source_id"])}: ${asText(o["path"])}` : `${asText(o["system"])}.${asText(o["field"])}`;
}

/** A bound that does not fit a number is kept as it is written. */
function keepLarge(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, (found) => found.startsWith('"') ? found : `"${found}"`);
}

/** A string is why there are no facts to be tried. */
export function readBundle(text: string): Bundle | string {
  const root = readObject(keepLarge(text));
  if (!root) {
    return "motet elaborate did not print a bundle.";
  }
  const all = asList(root["constructs"]).map(asObject);
  const of = (kind: string): readonly Readonly<Record<string, unknown>>[] => all.filter((c) => c["kind"] === kind);
  const ids = (kind: string): readonly string[] => of(kind).map((c) => asText(c["id"]));
  if (of("System").length) {
    return "This is a System: the facts are those of its members. Open one of them.";
  }
  return {
    id: asText(root["id"]),
    facts: of("Fact").map((f): Fact => ({ name: asText(f["id"]), type: readType(f["type"]), source: sourceWords(f["source"]),
      ...("default" in f ? { fallback: valueWords(f["default"]) } : {}) })),
    personas: ids("Persona"), operations: ids("Operation"), flows: ids("Flow"),
    verdicts: of("Rule").map((r) => asText(asObject(asObject(r["body"])["produce"])["verdict_type"])),
    entities: of("Entity").map((e) => ({ name: asText(e["id"]), states: asList(e["states"]).map(asText) })),
  };
}
