/* Two pictures over one another: what is in both, what is new, what is gone. */
import type { Description, Edge, Node } from "./description";

export type Mark = "new" | "gone" | "seen" | "partly" | "never" | "goes" | "stops" | "decide";
/** As a screen reader says them. */
export const MARKS: Record<Mark, string> = {
  new: "new", gone: "gone", seen: "covered", partly: "covered in part", never: "not covered", goes: "flows here go on", stops: "flows here must stop", decide: "flows here need a decision",
};
export interface Overlay {
  picture: Description;
  /** By name of a node, or "from>to label" of an edge. */
  marks: Map<string, Mark>;
}

export const edgeKey = (e: Edge): string => `${e.from}>${e.to} ${e.label} ${e.line}`;

function union<T>(older: readonly T[], newer: readonly T[], key: (x: T) => string, marks: Map<string, Mark>): T[] {
  const old = new Set(older.map(key)), now = new Set(newer.map(key));
  newer.filter((x) => !old.has(key(x))).forEach((x) => marks.set(key(x), "new"));
  const gone = older.filter((x) => !now.has(key(x)));
  gone.forEach((x) => marks.set(key(x), "gone"));
  return [...newer, ...gone];
}

export function overlay(older: Description, newer: Description): Overlay {
  const marks = new Map<string, Mark>();
  const nodes = union<Node>(older.nodes, newer.nodes, (n) => n.name, marks);
  const edges = union<Edge>(older.edges, newer.edges, edgeKey, marks);
  const known = new Set(newer.groups.map((g) => g.name));
  return { picture: { ...newer, nodes, edges, groups: [...newer.groups, ...older.groups.filter((g) => !known.has(g.name))] }, marks };
}
