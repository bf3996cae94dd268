/* Flows under way, supposed: one at every step of every flow of an old version, as `motet migrate --flows` reads them.
 *
 * Entities are in the states in which the way to the step leaves them; where nothing moved one yet, in the state from
 * which the steps ahead move it; else in the initial one. Whether such a flow can go on, the engine says. */
import { all, type Bundle, type Operation } from "./bundle";

interface StepBody {
  id: string;
  kind: string;
  op?: string;
  outcomes?: Record<string, unknown>;
  [key: string]: unknown;
}
interface FlowBody {
  kind: "Flow";
  id: string;
  entry: string;
  steps: StepBody[];
}
export interface Flight {
  id: string;
  flow: string;
  step: string;
  /** JSON, as it was typed. */
  facts: string;
  states: Record<string, string>;
}

/** Where a step may lead, with the outcome by which it does. */
function ways(step: StepBody): [outcome: string, to: string][] {
  const found: [string, string][] = Object.entries(step.outcomes ?? {}).filter((o): o is [string, string] => typeof o[1] === "string");
  const look = (value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      Object.values(value).forEach(look);
    } else if (typeof value === "string") {
      found.push(["", value]);
    }
  };
  ["if_true", "if_false", "next", "on_success", "on_failure", "join"].forEach((key) => look(step[key]));
  return found;
}

type States = Record<string, string>;

function after(states: States, op: Operation | undefined, outcome: string): States {
  const moved = op?.effects.filter((e) => outcome && (!e.outcome || e.outcome === outcome)) ?? [];
  return { ...states, ...Object.fromEntries(moved.map((e) => [e.entity_id, e.to])) };
}

/** What the way to each step leaves. */
function left(flow: FlowBody, steps: Map<string, StepBody>, ops: Map<string, Operation>): Map<string, States> {
  const at = new Map<string, States>([[flow.entry, {}]]);
  for (const [id, states] of at) { // grows while it is walked
    const step = steps.get(id)!;
    for (const [outcome, to] of ways(step)) {
      if (steps.has(to) && !at.has(to)) {
        at.set(to, after(states, ops.get(step.op ?? ""), outcome));
      }
    }
  }
  return at;
}

/** The state from which the nearest steps ahead move each entity. */
function ahead(from: string, steps: Map<string, StepBody>, ops: Map<string, Operation>): States {
  const need = new Map<string, string>();
  const seen = new Set([from]);
  for (const id of seen) {
    const step = steps.get(id)!;
    ops.get(step.op ?? "")?.effects.forEach((e) => need.has(e.entity_id) || need.set(e.entity_id, e.from));
    ways(step).filter(([, to]) => steps.has(to)).forEach(([, to]) => seen.add(to));
  }
  return Object.fromEntries(need);
}

/** `suppose`: entities that are in another state, whatever the step. */
export function flights(bundle: Bundle, facts: string, suppose: States): Flight[] {
  const ops = new Map(all(bundle, "Operation").map((o) => [o.id, o]));
  const initial = Object.fromEntries(all(bundle, "Entity").map((e) => [e.id, e.initial]));
  return (all(bundle, "Flow") as unknown as FlowBody[]).flatMap((flow) => {
    const steps = new Map(flow.steps.map((s) => [s.id, s]));
    return [...left(flow, steps, ops)].map(([step, states]): Flight => ({
      id: `${flow.id} ${step}`, flow: flow.id, step, facts, states: { ...initial, ...ahead(step, steps, ops), ...states, ...suppose },
    }));
  });
}
