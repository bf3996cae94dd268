/* What was tried, as a tree: every moment has states and facts, and the one it came from. Going back to an
 * earlier moment and acting there begins a branch; nothing is thrown away.
 *
 * In a System one acts in a member. Where a flow ends as a trigger says, the flow that it starts is run at once in its own
 * member, as a server does: the page reads the triggers, and the engine runs the flow. */
import { all } from "../engine/bundle";
import { ask, EngineFault } from "../engine/client";
import type { Files } from "../engine/messages";
import { isFields, parse, print } from "../facts/json";
import { notices } from "./notices.svelte";
import { store, stored } from "./stored";
import { ONE, type States, workspace } from "./workspace.svelte";

export interface Step {
  step: string;
  kind: string;
  /** What was done, if it was an operation. */
  op: string;
  persona: string;
  result: string;
  bad: boolean;
  /** After it, of the instances it moved. */
  moved: States;
}

export interface Moment {
  id: number;
  parent: number | null;
  /** Of a System: in which member; "" elsewhere. */
  member: string;
  /** "": the beginning. */
  operation: string;
  flow: string;
  persona: string;
  /** What was chosen where several were possible. */
  chosen: string;
  bind: Record<string, string>;
  /** What started it, if no person did. */
  trigger: string;
  /** What it came to: an outcome, or an error's type. */
  result: string;
  message: string;
  refused: boolean;
  facts: string;
  /** Of the member's entities. */
  before: States;
  states: States;
  /** Of the whole workspace, afterwards. */
  kept: { at: Record<string, string>; named: States };
  steps: Step[];
}

interface ActSaid {
  outcome?: string;
  flow_outcome?: string;
  error?: { type: string; message: string };
  entity_state_changes: { entity_id: string; instance_id: string; to: string }[];
  provenance?: { steps?: { step: string; kind: string; op?: string; persona?: string; outcome?: string; result?: boolean; to?: string; error?: { message: string }; state_after?: States }[] };
}

function stepsOf(said: ActSaid): Step[] {
  return (said.provenance?.steps ?? []).map((s) => ({
    step: s.step, kind: s.kind, op: s.op ?? "", persona: s.persona ?? "", bad: s.error !== undefined,
    result: s.error?.message ?? s.outcome ?? (s.result === undefined ? s.to ?? "" : String(s.result)), moved: s.state_after ?? {},
  }));
}

/** States with what was moved put in. */
export function after(states: States, moved: States): States {
  return { ...states, ...Object.fromEntries(Object.entries(moved).map(([entity, of]) => [entity, { ...states[entity], ...of }])) };
}

type What = { operation: string } | { flow: string };
const LONGEST = 16; // triggers that start one another

class Simulation {
  moments = $state.raw<Moment[]>([]);
  now = $state(0);
  /** How far a flow is being looked at; -1: to its end. */
  upTo = $state(-1);
  trouble = $state("");
  #of = "";
  #shape = "";
  #kept = true;

  get moment(): Moment | undefined {
    return this.moments.find((m) => m.id === this.now);
  }

  /** Begins anew where the contract is another one; after a reload goes on where it was. */
  follow(): void {
    const shape = JSON.stringify([workspace.good, ...(workspace.good?.members ?? [])].map((g) => all(g?.bundle, "Entity").map((e) => [e.id, e.states])));
    const of = `${workspace.began} ${shape}`;
    if (of !== this.#of && workspace.good) {
      const first = this.#of === "" && workspace.began === 1;
      this.#of = of;
      this.#shape = shape;
      if (!first || !this.#recall()) {
        this.restart();
      }
    }
  }

  get #key(): string {
    return `${workspace.key}.tried`;
  }

  /** True: what this browser kept is of this contract, and ends in the states that the draft has. */
  #recall(): boolean {
    try {
      const { shape, moments, now } = JSON.parse(stored(this.#key) ?? "null") as { shape: string; moments: Moment[]; now: number };
      const kept = moments.find((m) => m.id === now)?.kept;
      if (shape !== this.#shape || JSON.stringify(kept) !== JSON.stringify({ at: workspace.at, named: workspace.named })) {
        return false;
      }
      this.moments = moments;
      this.now = now;
      workspace.member = this.moment!.member;
      return true;
    } catch {
      return false;
    }
  }

  /** What a browser does not keep is gone after a reload: that is said once, when it begins to be so. */
  #keep(): void {
    const kept = store(this.#key, JSON.stringify({ shape: this.#shape, moments: this.moments, now: this.now }));
    if (!kept) {
      store(this.#key, "null");
      if (this.#kept && this.moments.length > 1) {
        notices.say("This browser has no room for the time line: a reload would lose it. Save it as scenarios.");
      }
    }
    this.#kept = kept || this.moments.length < 2;
  }

  restart(): void {
    const states = workspace.states;
    this.moments = [{ id: 0, parent: null, member: workspace.tried, operation: "", flow: "", persona: "", chosen: "", bind: {}, trigger: "", result: "", message: "", refused: false, facts: workspace.facts,
      before: states, states, kept: { at: workspace.at, named: workspace.named }, steps: [] }];
    this.now = 0;
    this.upTo = -1;
    this.trouble = "";
    this.#keep();
  }

  /** Facts and states are then those of that moment, in every view. */
  goTo(id: number): void {
    const moment = this.moments.find((m) => m.id === id);
    if (moment) {
      this.now = id;
      this.upTo = -1;
      workspace.member = moment.member;
      workspace.setStates(moment.kept.at, moment.kept.named);
      this.#keep();
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

  async act(what: What, persona: string, chosen: string): Promise<void> {
    this.trouble = "";
    await this.#do(what, persona, chosen, "", 0);
  }

  async #do(what: What, persona: string, chosen: string, trigger: string, depth: number): Promise<void> {
    const facts = workspace.facts || "{}", before = workspace.states, bind = workspace.bind, member = workspace.tried;
    try {
      const said = await ask<ActSaid>("act", { ...what, persona, facts, ...(Object.keys(before).length ? { states: before, bind } : {}), ...(chosen ? { outcome: chosen } : {}) }, workspace.root);
      said.entity_state_changes.forEach((c) => workspace.setState(c.entity_id, c.to, c.instance_id));
      const next: Moment = {
        id: this.moments.length, parent: this.now, member, operation: "operation" in what ? what.operation : "", flow: "flow" in what ? what.flow : "", persona, chosen, bind, trigger,
        result: said.error?.type ?? said.flow_outcome ?? said.outcome ?? "", message: said.error?.message ?? "", refused: said.error !== undefined,
        facts, before, states: workspace.states, kept: { at: workspace.at, named: workspace.named }, steps: stepsOf(said),
      };
      this.moments = [...this.moments, next];
      this.now = next.id;
      this.upTo = -1;
      this.#keep();
      await this.#triggers(next, depth);
    } catch (fault) {
      const why = fault instanceof EngineFault ? fault.message.replace(/^evaluation error: /gm, "") : String(fault);
      this.trouble = trigger ? `${trigger} starts ${workspace.tried}, but: ${why}` : why;
    }
  }

  async #triggers(done: Moment, depth: number): Promise<void> {
    const due = all(workspace.good?.bundle, "System").flatMap((s) => s.triggers ?? [])
      .filter((t) => done.flow && !done.refused && t.source_contract === done.member && t.source_flow === done.flow && t.on === done.result);
    for (const t of due.slice(0, depth < LONGEST ? due.length : 0)) {
      workspace.member = t.target_contract;
      await this.#do({ flow: t.target_flow }, t.persona, "", `${done.member}.${done.flow}`, depth + 1);
    }
  }
}

export const simulation = new Simulation();

// ---- scenarios ----

/** An entity's one instance needs no name. */
const brief = (states: States): Record<string, unknown> => Object.fromEntries(Object.entries(states).map(([entity, of]) => [entity, Object.keys(of).length === 1 && ONE in of ? of[ONE] : of]));

/** Those facts that the contract, or the member of the System, has: scenarios refuse others. */
function ownFacts(m: Moment): string {
  const of = workspace.good?.members.find((x) => x.id === m.member) ?? workspace.good;
  const known = new Set(all(of?.bundle, "Fact").map((f) => f.id));
  const read = parse(m.facts || "{}");
  return isFields(read) && Object.keys(read).some((name) => !known.has(name)) ? print(Object.fromEntries(Object.entries(read).filter(([name]) => known.has(name)))) : m.facts;
}

function given(m: Moment): string {
  const facts = ownFacts(m).replace(/\s*\n\s*/g, " ").trim() || "{}";
  return `{facts: ${facts}, states: ${JSON.stringify(brief(m.before))}${Object.keys(m.bind).length ? `, bind: ${JSON.stringify(m.bind)}` : ""}}`;
}

/** What was done, as tests that `motet test` runs: one for each step of the way. */
function casesOf(path: readonly Moment[]): string {
  const cases = path.map((m, i) => {
    const when = { persona: m.persona, ...(m.flow ? { flow: m.flow } : { operation: m.operation }), ...(m.chosen ? { outcome: m.chosen } : {}) };
    const then = { ...(m.refused ? { error: m.result } : { outcome: m.result }), states: brief(m.states) };
    return `  - name: ${JSON.stringify(`${i + 1}. ${m.persona}: ${m.flow || m.operation}, ${m.result}`)}\n    given: ${given(m)}\n` +
      `    when: ${JSON.stringify(when)}\n    then: ${JSON.stringify(then)}\n`;
  });
  return cases.join("");
}

/** Can cases be added at the end? Nothing is shared by them all, and the list of scenarios stands last. */
const open = (text: string): boolean => !/^given\s*:/m.test(text) && /^scenarios:[ \t]*\n(?:[ \t]+.*\n|#.*\n|\n)*$/m.test(text) && /\n$/.test(text);

/** Where it is kept, and the text: added to what was saved before, else in a file of its own. */
function scenarioFile(path: readonly Moment[], contract: string, files: Files): [path: string, text: string] {
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

/** The way to this moment, as files of scenarios: one for the contract, or for each member of the System that acted. */
export function scenarioFiles(path: readonly Moment[], files: Files): [path: string, text: string][] {
  const done = path.filter((m) => m.parent !== null);
  return [...new Set(done.map((m) => m.member))].map((member) => {
    const root = workspace.good?.members.find((m) => m.id === member)?.root ?? files[0]![0];
    return scenarioFile(done.filter((m) => m.member === member), root, files);
  });
}
