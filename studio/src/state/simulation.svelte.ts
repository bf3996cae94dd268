/* What was tried, as a tree: every moment has states and facts, and the one it came from. Going back to an
 * earlier moment and acting there begins a branch; nothing is thrown away. */
import { all } from "../engine/bundle";
import { ask, EngineFault } from "../engine/client";
import type { Files } from "../engine/messages";
import { workspace } from "./workspace.svelte";

export interface Step {
  step: string;
  kind: string;
  /** What was done, if it was an operation. */
  op: string;
  persona: string;
  result: string;
  bad: boolean;
  /** After it, of the entities it moved. */
  moved: Record<string, string>;
}

export interface Moment {
  id: number;
  parent: number | null;
  /** "": the beginning. */
  operation: string;
  flow: string;
  persona: string;
  /** What was chosen where several were possible. */
  chosen: string;
  /** What it came to: an outcome, or an error's type. */
  result: string;
  message: string;
  refused: boolean;
  facts: string;
  states: Record<string, string>;
  steps: Step[];
}

interface ActSaid {
  outcome?: string;
  flow_outcome?: string;
  error?: { type: string; message: string };
  entity_state_changes: { entity_id: string; to: string }[];
  provenance?: { steps?: { step: string; kind: string; op?: string; persona?: string; outcome?: string; result?: boolean; to?: string; error?: { message: string }; state_after?: Record<string, Record<string, string>> }[] };
}

function stepsOf(said: ActSaid): Step[] {
  return (said.provenance?.steps ?? []).map((s) => ({
    step: s.step, kind: s.kind, op: s.op ?? "", persona: s.persona ?? "", bad: s.error !== undefined,
    result: s.error?.message ?? s.outcome ?? (s.result === undefined ? s.to ?? "" : String(s.result)),
    moved: Object.fromEntries(Object.entries(s.state_after ?? {}).flatMap(([entity, of]) => Object.values(of).slice(0, 1).map((state) => [entity, state]))),
  }));
}

class Simulation {
  moments = $state.raw<Moment[]>([]);
  now = $state(0);
  /** How far a flow is being looked at; -1: to its end. */
  upTo = $state(-1);
  trouble = $state("");
  #of = "";

  get moment(): Moment | undefined {
    return this.moments.find((m) => m.id === this.now);
  }

  /** Begins anew where the contract is another one. */
  follow(): void {
    const shape = JSON.stringify([workspace.opened, all(workspace.good?.bundle, "Entity").map((e) => [e.id, e.states])]);
    if (shape !== this.#of && workspace.good) {
      this.#of = shape;
      this.restart();
    }
  }

  restart(): void {
    const states = Object.fromEntries(all(workspace.good?.bundle, "Entity").map((e) => [e.id, workspace.stateOf(e.id)]));
    this.moments = [{ id: 0, parent: null, operation: "", flow: "", persona: "", chosen: "", result: "", message: "", refused: false, facts: workspace.facts, states, steps: [] }];
    this.now = 0;
    this.upTo = -1;
    this.trouble = "";
  }

  /** Facts and states are then those of that moment, in every view. */
  goTo(id: number): void {
    const moment = this.moments.find((m) => m.id === id);
    if (moment) {
      this.now = id;
      this.upTo = -1;
      Object.entries(moment.states).forEach(([entity, state]) => workspace.setState(entity, state));
    }
  }

  undo(): void {
    const parent = this.moment?.parent;
    if (parent !== null && parent !== undefined) {
      this.goTo(parent);
    }
  }

  /** The moments from the beginning to this one. */
  path(id = this.now): Moment[] {
    const moment = this.moments.find((m) => m.id === id);
    return moment ? [...(moment.parent === null ? [] : this.path(moment.parent)), moment] : [];
  }

  async act(what: { operation: string } | { flow: string }, persona: string, chosen: string): Promise<void> {
    const before = { ...this.moment?.states };
    const facts = workspace.facts || "{}";
    const states = Object.fromEntries(Object.entries(before).map(([entity, state]) => [entity, { _default: state }]));
    try {
      const said = await ask<ActSaid>("act", { ...what, persona, facts, ...(Object.keys(states).length ? { states } : {}), ...(chosen ? { outcome: chosen } : {}) });
      for (const change of said.entity_state_changes) {
        before[change.entity_id] = change.to;
      }
      const next: Moment = {
        id: this.moments.length, parent: this.now, operation: "operation" in what ? what.operation : "", flow: "flow" in what ? what.flow : "", persona, chosen,
        result: said.error?.type ?? said.flow_outcome ?? said.outcome ?? "", message: said.error?.message ?? "", refused: said.error !== undefined,
        facts, states: before, steps: stepsOf(said),
      };
      this.moments = [...this.moments, next];
      this.trouble = "";
      this.goTo(next.id);
    } catch (fault) {
      this.trouble = fault instanceof EngineFault ? fault.message.replace(/^evaluation error: /gm, "") : String(fault);
    }
  }
}

export const simulation = new Simulation();

// ---- scenarios ----

const given = (m: Moment): string => `{facts: ${m.facts.replace(/\s*\n\s*/g, " ").trim() || "{}"}, states: ${JSON.stringify(m.states)}}`;

/** What was done, as tests that `motet test` runs: one for each step of the way. */
function casesOf(path: readonly Moment[]): string {
  const cases = path.slice(1).map((m, i) => {
    const before = path[i]!;
    const when = { persona: m.persona, ...(m.flow ? { flow: m.flow } : { operation: m.operation }), ...(m.chosen ? { outcome: m.chosen } : {}) };
    const then = m.refused ? { error: m.result, states: m.states } : { outcome: m.result, states: m.states };
    return `  - name: ${JSON.stringify(`${i + 1}. ${m.persona}: ${m.flow || m.operation}, ${m.result}`)}\n    given: ${given({ ...before, facts: m.facts })}\n` +
      `    when: ${JSON.stringify(when)}\n    then: ${JSON.stringify(then)}\n`;
  });
  return cases.join("");
}

/** Can cases be added at the end? Nothing is shared by them all, and the list of scenarios stands last. */
const open = (text: string): boolean => !/^given\s*:/m.test(text) && /^scenarios:[ \t]*\n(?:[ \t]+.*\n|#.*\n|\n)*$/m.test(text) && /\n$/.test(text);

/** Where it is kept, and the text: added to what was saved before, else in a file of its own. */
export function scenarioFile(path: readonly Moment[], contract: string, files: Files): [path: string, text: string] {
  const stem = contract.replace(/\.\w+$/, ""), cases = casesOf(path);
  for (let n = 0; ; n++) {
    const name = `${stem}${["", ".tried"][n] ?? `.tried${n}`}.scenarios.yaml`;
    const there = files.find(([p]) => p === name)?.[1];
    if (there === undefined || open(there)) {
      const head = `# Made by Studio. Run with: motet test ${name.replace(/^.*\//, "")}\ncontract: ${JSON.stringify(contract.replace(/^.*\//, ""))}\nscenarios:\n`;
      return [name, (there ?? head) + cases];
    }
  }
}
