/** What `motet eval --partial --json` says of the facts. */
import { asList, asObject, asText, readObject } from "./results";
import { valueWords } from "./types";

export interface Verdict {
  readonly name: string;
  readonly rule: string;
  readonly state: "present" | "absent" | "depends" | "fault";
  /** What it is, if it is there; what it hangs on, if that is not known. */
  readonly payload?: string;
  readonly condition?: string;
}

export interface Operation {
  readonly name: string;
  readonly state: "holds" | "refused" | "depends" | "fault";
  readonly condition?: string;
}

export interface Fault {
  readonly path: string;
  readonly message: string;
}

export type Evaluation =
  | { readonly kind: "verdicts"; readonly verdicts: readonly Verdict[]; readonly operations: readonly Operation[]; readonly unknown: readonly string[] }
  | { readonly kind: "faults"; readonly faults: readonly Fault[] };

function oneOf<T extends string>(value: unknown, known: readonly T[], other: T): T {
  return known.find((k) => k === value) ?? other;
}

function condition(o: Readonly<Record<string, unknown>>): { condition?: string } {
  return typeof o["condition"] === "string" ? { condition: o["condition"] } : {};
}

function readFault(value: unknown): Fault {
  const o = asObject(value);
  return { path: asText(asObject(o["details"])["path"]), message: asText(o["error"]) || "it cannot be evaluated" };
}

/** Undefined: it is not an answer of `motet eval`. */
export function readEvaluation(out: string): Evaluation | undefined {
  const o = readObject(out);
  if (!o) {
    return undefined;
  }
  if (typeof o["error"] === "string") {
    return { kind: "faults", faults: [readFault(o), ...asList(o["further"]).map(readFault)] };
  }
  if (!Array.isArray(o["verdicts"])) {
    return undefined;
  }
  return { kind: "verdicts", unknown: asList(o["unknown"]).map(asText),
    verdicts: o["verdicts"].map(asObject).map((v): Verdict => ({
      name: asText(v["type"]), rule: asText(v["rule"]),
      state: oneOf(v["state"], ["present", "absent", "depends", "fault"] as const, "fault"), ...condition(v),
      ...("payload" in v ? { payload: valueWords(v["payload"]) } : {}) })),
    operations: asList(o["operations"]).map(asObject).map((p): Operation => ({
      name: asText(p["operation"]), state: oneOf(p["precondition"], ["holds", "refused", "depends", "fault"] as const, "fault"), ...condition(p) })) };
}
