/* What the engine throws. `kind` is stable and for programs, `path` says where,
 * `message` is one line for people. */
import { MotetError } from "./errors.js";

/* ORDER: motet_status of motet.h. */
export const STATUS_NAMES = ["ok", "rejected", "limit", "syntax", "type", "range", "overflow",
  "version", "notfound", "exists", "conflict", "denied", "busy", "timeout", "io", "closed",
  "corrupt", "usage"] as const;

/** The engine says no. */
export class EngineError extends MotetError {
  /** The rule that was being evaluated, or empty. */
  readonly rule: string;

  constructor(message: string, kind: string, path = "", rule = "") {
    super(message, kind, path);
    this.rule = rule;
  }
}

/** A fault or a warning about a contract, with its place. */
export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  /** Elaboration pass 0 to 6, -1: none. */
  pass: number;
  file: string;
  /** From 1, in characters; 0: unknown. */
  line: number;
  column: number;
  length: number;
  constructKind: string;
  constructId: string;
  field: string;
  message: string;
  hint: string;
  /** Exclusive; 0: unknown. */
  endLine: number;
  endColumn: number;
}

/** A contract, graph or agent has faults. `messages` has all of them, a line each. */
export class Rejected extends EngineError {
  readonly messages: readonly string[];
  readonly diagnostics: readonly Diagnostic[];

  constructor(kind: string, messages: readonly string[], diagnostics: readonly Diagnostic[] = []) {
    const first = diagnostics.find((d) => d.severity === "error");
    super(messages[0] ?? "it is refused", kind, first ? `${first.file}:${first.line}:${first.column}` : "");
    this.messages = messages;
    this.diagnostics = diagnostics;
  }
}
