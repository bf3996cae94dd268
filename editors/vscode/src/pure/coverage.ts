/** What scenarios reached, at the lines it stands on.
 *
 * `motet test --coverage` tells what was never seen; what the sources have besides was. Rules and
 * operations are declarations; steps are statements, with the results they were left by as
 * branches, and outcomes and the absence of a verdict are branches of their construct. */
import { stepsOf } from "./locate";
import type { FileSymbols, Range, Symbol } from "./locate";
import type { Coverage } from "./results";

export interface Branch {
  readonly label: string;
  readonly seen: boolean;
}

export interface Covered {
  readonly kind: "declaration" | "statement";
  readonly name: string;
  readonly range: Range;
  readonly seen: boolean;
  readonly branches: readonly Branch[];
}

export interface FileCoverage {
  readonly file: string;
  readonly items: readonly Covered[];
}

function unseen(coverage: Coverage): (kind: keyof Coverage["of"], name: string) => boolean {
  const sets = new Map<string, ReadonlySet<string>>();
  return (kind, name) => {
    let set = sets.get(kind);
    if (!set) {
      set = new Set(coverage.of[kind].neverSeen);
      sets.set(kind, set);
    }
    return set.has(name);
  };
}

function ofRule(rule: Symbol, never: ReturnType<typeof unseen>): Covered {
  const verdict = rule.children.find((c) => c.detail === "verdict")?.name ?? rule.name;
  return { kind: "declaration", name: rule.name, range: rule.range, seen: !never("rules", rule.name),
    branches: [{ label: `${verdict} present`, seen: !never("rules", rule.name) },
      { label: `${verdict} absent`, seen: !never("absent", rule.name) }] };
}

function ofOperation(operation: Symbol, never: ReturnType<typeof unseen>): Covered {
  const outcomes = operation.children.filter((c) => c.detail === "outcome");
  return { kind: "declaration", name: operation.name, range: operation.range, seen: !never("operations", operation.name),
    branches: outcomes.map((o) => ({ label: o.name, seen: !never("outcomes", `${operation.name}: ${o.name}`) })) };
}

/** Only the edges that were never taken are named; that the others were is one branch. */
function ofStep(graph: string, step: Symbol, coverage: Coverage, never: ReturnType<typeof unseen>): Covered {
  const name = `${graph}: ${step.name}`;
  const seen = !never("steps", name);
  const missing = coverage.of.edges.neverSeen.filter((edge) => edge.startsWith(`${name}=`));
  const branches = missing.map((edge) => ({ label: edge.slice(name.length + 1), seen: false }));
  return { kind: "statement", name, range: step.range, seen,
    branches: seen && branches.length ? [{ label: "taken", seen: true }, ...branches] : branches };
}

function ofSymbol(s: Symbol, coverage: Coverage, never: ReturnType<typeof unseen>): readonly Covered[] {
  switch (s.detail) {
    case "rule": return [ofRule(s, never)];
    case "operation": return [ofOperation(s, never)];
    case "flow": return stepsOf(s).map(({ graph, step }) => ofStep(graph, step, coverage, never));
    default: return [];
  }
}

/** The files are those of the contract: itself and what it imports. */
export function mapCoverage(coverage: Coverage, files: readonly FileSymbols[]): readonly FileCoverage[] {
  const never = unseen(coverage);
  return files.map((f) => ({ file: f.file, items: f.symbols.flatMap((s) => ofSymbol(s, coverage, never)) }))
    .filter((f) => f.items.length > 0);
}

/** Of two runs: what either has seen was seen. */
export function mergeCoverage(all: readonly Coverage[]): readonly Coverage[] {
  const byContract = new Map<string, Coverage>();
  for (const c of all) {
    const other = byContract.get(c.contract);
    byContract.set(c.contract, other ? both(other, c) : c);
  }
  return [...byContract.values()];
}

function both(a: Coverage, b: Coverage): Coverage {
  const kinds = Object.keys(a.of) as (keyof Coverage["of"])[];
  const of = Object.fromEntries(kinds.map((kind) => {
    const never = new Set(b.of[kind].neverSeen);
    const neverSeen = a.of[kind].neverSeen.filter((name) => never.has(name));
    const total = Math.max(a.of[kind].total, b.of[kind].total);
    return [kind, { neverSeen, total, seen: total - neverSeen.length }];
  })) as unknown as Coverage["of"];
  const counted = (["rules", "operations", "outcomes", "paths"] as const).map((kind) => of[kind]);
  const total = counted.reduce((n, t) => n + t.total, 0), seen = counted.reduce((n, t) => n + t.seen, 0);
  return { contract: a.contract, of, permille: total ? Math.floor(seen * 1000 / total) : 1000 };
}
