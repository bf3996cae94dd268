/* Values as people write them: "500.00 USD", "30 days", "3 elements". */
import type { FactType } from "../engine/bundle";
import { Digits, type Fields, isFields, type Value } from "./json";

export function say(value: Value | undefined): string {
  if (value === undefined) {
    return "not given";
  }
  if (value instanceof Digits) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return value.length === 1 ? "1 element" : `${value.length} elements`;
  }
  if (isFields(value)) {
    return sayFields(value);
  }
  return typeof value === "string" ? `"${value}"` : String(value);
}

function sayFields(v: Fields): string {
  const plain = (x: Value | undefined): string => (x instanceof Digits ? x.text : typeof x === "string" ? x : "");
  if ("amount" in v && "currency" in v) {
    return `${plain(v["amount"])} ${plain(v["currency"])}`;
  }
  if ("value" in v && "unit" in v) {
    return `${plain(v["value"])} ${plain(v["unit"])}`;
  }
  if ("tag" in v) {
    return `${plain(v["tag"])} ${say(v["payload"])}`;
  }
  return `{ ${Object.entries(v).map(([k, x]) => `${k} ${say(x)}`).join(", ")} }`;
}

/** A literal of the bundle, or a payload, as a fact would be written. */
export function fromLiteral(l: unknown): Value | undefined {
  const v = l as Record<string, unknown> | null | undefined;
  if (v === null || v === undefined || typeof v !== "object") {
    return undefined;
  }
  const kind = String(v["kind"] ?? "").replace(/_(literal|value)$/, "");
  if (kind === "money") {
    const amount = v["amount"] as string | { value?: string };
    return { amount: typeof amount === "object" ? String(amount.value) : String(amount), currency: String(v["currency"]) };
  }
  if (kind === "duration") {
    return { value: new Digits(String(v["value"])), unit: String(v["unit"]) };
  }
  const value = v["value"];
  return typeof value === "number" ? new Digits(String(value)) : typeof value === "boolean" || typeof value === "string" ? value : undefined;
}

export function typeWords(t: FactType): string {
  switch (t.base) {
    case "Int": return `whole number${t.min !== undefined || t.max !== undefined ? `, ${t.min ?? "…"} to ${t.max ?? "…"}` : ""}`;
    case "Decimal": return `number with ${t.scale} ${t.scale === 1 ? "place" : "places"}`;
    case "Money": return `money in ${t.currency}`;
    case "Text": return t.max_length ? `text, at most ${t.max_length}` : "text";
    case "Enum": return "one of";
    case "Duration": return t.unit;
    case "DateTime": return "date and time, UTC";
    case "Date": return "date";
    case "List": return `list${t.max ? `, at most ${t.max}` : ""}`;
    case "TaggedUnion": return "one of several";
    case "Record": return "record";
    case "Bool": return "yes or no";
  }
}

/** What a new element of a list begins with. */
export function blank(t: FactType): Value {
  switch (t.base) {
    case "Bool": return false;
    case "Int": return new Digits(String(t.min ?? 0));
    case "Decimal": return (0).toFixed(t.scale);
    case "Money": return { amount: "0.00", currency: t.currency };
    case "Enum": return t.values[0] ?? "";
    case "Duration": return { value: new Digits(String(t.min ?? 0)), unit: t.unit };
    case "Date": return "2026-01-01";
    case "DateTime": return "2026-01-01T00:00:00Z";
    case "Record": return Object.fromEntries(Object.entries(t.fields).map(([k, f]) => [k, blank(f)]));
    case "List": return [];
    case "TaggedUnion": {
      const [tag = "", payload] = Object.entries(t.variants)[0] ?? [];
      return { tag, payload: payload ? blank(payload) : null };
    }
    case "Text": return "";
  }
}
