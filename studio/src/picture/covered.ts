/* What scenarios reached, as marks on a picture and on lines of text. */
import { all } from "../engine/bundle";
import type { Good, Place } from "../engine/messages";
import { type Cover, trials } from "../state/trials.svelte";
import type { Description, Edge } from "./description";
import type { Mark } from "./overlay";
import { edgeKey } from "./overlay";
import { placeOf } from "./places";

/** The contract of a thing that is drawn, and its name there: in a System the member stands in front. */
function within(good: Good, root: string, name: string): [contract: string, path: string] {
  const member = all(good.bundle, "System").flatMap((s) => s.members).find((m) => name.startsWith(`${m.id}/`));
  return member ? [root.replace(/[^/]*$/, "") + member.path, name.slice(member.id.length + 1)] : [root, name];
}

/** The result by which a step is left, as coverage names it. */
function left(contract: string, flow: string, step: string, edge: Edge): boolean | null {
  const title = `${flow}: ${step}=`;
  const results = edge.line === "dashed" ? ["error", "failed", edge.label] : edge.line === "dotted" ? [] : [edge.label, "handoff", "success"];
  const name = results.map((r) => title + r).find((n) => trials.all[contract]?.edges.has(n));
  return name === undefined ? null : trials.seen(contract, "edges", name);
}

function ofEdge(good: Good, root: string, d: Description, e: Edge): boolean | null {
  const [contract, from] = within(good, root, e.from);
  const [kind, id = "", step = ""] = from.split("/");
  if (kind === "flow") {
    return step ? left(contract, id, step, e) : null;
  }
  if (kind === "entity") {
    const moves = e.label.split(/,\s*/).map((op) => trials.about(contract, `operation/${op}`)).filter((c) => c !== null);
    return moves.length ? moves.some((c) => c.state !== "never") : null;
  }
  const rule = d.edges.find((x) => x.to === e.from)?.from ?? "";
  const about = kind === "rule" ? from : kind === "verdict" ? within(good, root, rule)[1] : "";
  const cover = about ? trials.about(contract, about) : null;
  return cover && cover.state !== "never";
}

const joined = (a: Mark | undefined, b: Mark): Mark => (a === undefined || a === b ? b : "partly");

/** By name of a node and by key of an edge. */
export function coverMarks(good: Good, root: string, d: Description): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const n of d.nodes) {
    const [contract, path] = within(good, root, n.name);
    const rule = n.role === "verdict" ? d.edges.find((e) => e.to === n.name)?.from ?? "" : "";
    const cover = trials.about(contract, rule ? within(good, root, rule)[1] : path.replace(/\/when$/, ""));
    if (cover) {
      marks.set(n.name, cover.state);
    }
  }
  for (const e of d.edges) {
    const seen = ofEdge(good, root, d, e);
    if (seen !== null) {
      const mark: Mark = seen ? "seen" : "never", between = `${e.from}>${e.to}`;
      marks.set(edgeKey(e), mark);
      marks.set(between, joined(marks.get(between), mark)); // lines that are drawn as one
    }
  }
  return marks;
}

// ---- the text ----

/** The last line of what begins with a name: where its brace closes. */
function endOf(lines: readonly string[], from: number, column: number): number {
  let depth = 0, opened = false, comment = false;
  for (let i = from; i < lines.length; i++) {
    const text = i === from ? lines[i]!.slice(column) : lines[i]!;
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|\/\/.*|\/\*|\*\/|[{}]/g)) {
      comment = token === "/*" || (comment && token !== "*/");
      if (!comment && (token === "{" || token === "}")) {
        depth += token === "{" ? 1 : -1;
        opened = true;
        if (depth === 0) {
          return i;
        }
      }
    }
    if (!opened && i > from + 1) {
      return from;
    }
  }
  return from;
}

export interface LineCover extends Cover {
  /** Does it begin here? */
  first: boolean;
}

/** By number of the line, from 1: rules, operations and steps, and single ways out of a step that were never taken. */
export function coverLines(good: Good, root: string, file: string, text: string): Map<number, LineCover> {
  const marked = new Map<number, LineCover>();
  const lines = text.split("\n");
  for (const n of good.index.filter((x) => x.is_definition && x.at.file === file)) {
    const [id = "", inner = ""] = n.id.split(".");
    const path = n.kind === "step" ? `flow/${id}/${inner}` : n.kind === "rule" || n.kind === "operation" ? `${n.kind}/${id}` : "";
    const cover = path ? trials.about(memberFile(good, root, file), path) : null;
    if (cover) {
      const end = endOf(lines, n.at.line - 1, n.at.column - 1);
      for (let i = n.at.line - 1; i <= end; i++) {
        const way = /^\s*(\w+)\s*:/.exec(lines[i] ?? "")?.[1] ?? "";
        const result = way === "if_true" ? "true" : way === "if_false" ? "false" : way === "on_failure" ? "error" : way;
        const missed = n.kind === "step" && i > n.at.line - 1 && trials.all[memberFile(good, root, file)]?.edges.has(`${id}: ${inner}=${result}`) && !trials.seen(memberFile(good, root, file), "edges", `${id}: ${inner}=${result}`);
        const state = missed ? "never" : cover.state === "partly" && i > n.at.line - 1 ? "seen" : cover.state;
        marked.set(i + 1, { state, words: missed ? `${way} was never taken` : cover.words, first: i === n.at.line - 1 || Boolean(missed) });
      }
    }
  }
  return marked;
}

/** The contract that a file is of: itself where it is a member of a System, else the root. */
function memberFile(good: Good, root: string, file: string): string {
  const folder = root.replace(/[^/]*$/, "");
  return all(good.bundle, "System").some((s) => s.members.some((m) => folder + m.path === file)) ? file : root;
}

/** Where something of the coverage is written: "rules" "x", "edges" "flow: step=result". */
export function placeOfCover(good: Good, kind: string, name: string): Place | null {
  const [id = "", rest = ""] = name.split(": ");
  const step = rest.replace(/=.*$/, "");
  const path = kind === "rules" || kind === "absent" ? `rule/${name}` : kind === "operations" || kind === "outcomes" ? `operation/${id}`
    : kind === "paths" || !step ? `flow/${id.split("/")[0]}` : step.startsWith("comp:") ? `operation/${step.slice(5)}` : `flow/${id.split("/")[0]}/${step}`;
  return placeOf(good, path) ?? placeOf(good, `flow/${id.split("/")[0]}`);
}
