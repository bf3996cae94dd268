/** The scenarios of a file, with the lines they stand on, for the test explorer. What is in them is
 * judged by `motet test` alone. */
import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument } from "yaml";
import type { Node } from "yaml";

export interface Scenario {
  /** As `motet test` calls it, behind the name of the file. */
  readonly name: string;
  readonly kind: "scenario" | "invariant";
  /** From 0. */
  readonly line: number;
}

/** What a file whose scenarios cannot be found is called; its one case says why. */
export const THE_FILE: Scenario = { name: "the file", kind: "scenario", line: 0 };
/** More would not be read by anybody. */
export const MOST_SCENARIOS = 10_000;

export function isScenarioFile(path: string): boolean {
  return /\.scenarios\.(yaml|yml|json)$/.test(path);
}

export function baseName(path: string): string {
  return path.replace(/.*[\\/]/, "");
}

export function readScenarios(text: string): readonly Scenario[] {
  const lines = new LineCounter();
  const root = parseDocument(text, { lineCounter: lines, logLevel: "silent", uniqueKeys: false }).contents;
  if (!isMap(root)) {
    return [THE_FILE];
  }
  const lineOf = (node: Node): number => Math.max(0, lines.linePos(node.range?.[0] ?? 0).line - 1);
  const list = (key: string): readonly unknown[] => {
    const found = root.get(key, true);
    return isSeq(found) ? found.items : [];
  };
  const scenarios: Scenario[] = [];
  for (const item of list("scenarios")) {
    const name = isMap(item) ? item.get("name", true) : undefined;
    if (isNode(item) && isScalar(name) && typeof name.value === "string") {
      scenarios.push({ name: name.value, kind: "scenario", line: lineOf(name) });
    }
  }
  for (const item of list("invariants")) {
    if (isScalar(item) && typeof item.value === "string") {
      scenarios.push({ name: `invariant ${item.value}`, kind: "invariant", line: lineOf(item) });
    }
  }
  return scenarios.length ? scenarios.slice(0, MOST_SCENARIOS) : [THE_FILE];
}
