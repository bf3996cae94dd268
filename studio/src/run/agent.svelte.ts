/* Agents that are looked at, and what they heard and said: from a scenario, from traces, or talking to each other in
 * this page. Kept while the page is open. */
import { call, EngineFault } from "../engine/client";
import type { Talked } from "../engine/agents";
import type { Description } from "../picture/description";
import { kindOf } from "./graph.svelte";
import { textsOf } from "./texts";

const LARGEST = 32 << 20;

export interface AgentDocument {
  name: string;
  path: string;
  text: string;
  problems: string[];
  picture: Description | null;
}
export interface Tape {
  key: string;
  states: string[];
}
export interface Receiver {
  name: string;
  action: string;
  route: string;
  trigger: string | null;
}
/** Something that an agent heard, or its timer, and what came of it. */
export interface Step {
  agent: number;
  /** -1: outside. The agent itself: a timer. */
  from: number;
  heard: string;
  fate: string;
  hooks: string[];
  receivers: Receiver[];
  sent: string[];
  before: Tape[];
  after: Tape[];
  problem: string;
}
interface Emission {
  payload: unknown;
  dropped: boolean;
}
interface TraceRecord {
  record: string;
  agent?: string;
  at?: string;
  fate?: string;
  heard?: { content?: unknown; remote_addr?: string };
  payload?: unknown;
  receive_hooks?: { name: string; result: string }[];
  receivers?: (Receiver & { failed: string | null })[];
  senders?: { name: string; emissions: Emission[] }[];
  tape_before?: unknown;
  tape_after?: unknown;
}

/** A tape of any shape: one state, several, or by key. */
export function tapeOf(tape: unknown): Tape[] {
  if (typeof tape === "string") {
    return [{ key: "", states: [tape] }];
  }
  if (!Array.isArray(tape)) {
    return [];
  }
  const list = tape as unknown[];
  return list.every((s) => typeof s === "string") ? [{ key: "", states: list as string[] }]
    : list.map((pair) => ({ key: String((pair as unknown[])[0]), states: tapeOf((pair as unknown[])[1]).flatMap((t) => t.states) }));
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? "");
/** What a line says, without the envelope. */
function saidIn(line: string): string {
  try {
    const value = JSON.parse(line) as { _payload?: unknown; content?: unknown } | null;
    return textOf(value?._payload ?? value?.content ?? value);
  } catch {
    return line;
  }
}

function stepOf(record: TraceRecord, agent: number, from: number, heard: string): Step {
  return {
    agent, from, heard, fate: record.fate ?? "", problem: (record.receivers ?? []).map((r) => r.failed).filter(Boolean).join(", "),
    hooks: (record.receive_hooks ?? []).map((h) => `${h.name}: ${h.result}`), receivers: record.receivers ?? [],
    sent: (record.senders ?? []).flatMap((s) => s.emissions ?? []).filter((e) => !e.dropped).map((e) => textOf(e.payload)), before: tapeOf(record.tape_before), after: tapeOf(record.tape_after),
  };
}

/** The items of a scenario's messages, as they are written. */
function messagesIn(scenario: string): string[] {
  const [, list = ""] = scenario.split(/^messages\s*:[^\n]*\n/m);
  const items: string[] = [];
  for (const line of list.split("\n")) {
    if (/^\S/.test(line) && !line.startsWith("-")) {
      break;
    }
    if (/^\s*- /.test(line)) {
      items.push(line.replace(/^\s*- /, ""));
    } else if (items.length && line.trim() && !line.trim().startsWith("#")) {
      items[items.length - 1] += ` ${line.trim()}`;
    }
  }
  return items.map((t) => /^\{\s*content\s*:\s*(.*)\}$/s.exec(t.trim())?.[1]?.trim() ?? t.trim());
}

/** Throws with the line. */
function recordsOf(text: string, path: string): TraceRecord[] {
  return text.trimEnd().split("\n").map((line, i) => {
    try {
      const record = JSON.parse(line) as TraceRecord;
      if (typeof record?.record === "string") {
        return record;
      }
    } catch { /* said below */ }
    throw new Error(`${path}, line ${i + 1}: it is not a record of a trace. motet agent trace and motet agent run --trace write them.`);
  });
}

class AgentRun {
  name = $state("");
  agents = $state.raw<AgentDocument[]>([]);
  steps = $state.raw<Step[]>([]);
  /** Where the steps are from. */
  source = $state<"" | "scenario" | "traces" | "talk">("");
  trace = $state("");
  trouble = $state("");
  busy = $state("");
  at = $state(0);
  said = $state.raw<string[]>([]);

  async openFiles(list: readonly File[]): Promise<void> {
    const texts = await textsOf(list, LARGEST);
    if (typeof texts === "string") {
      this.trouble = texts;
    } else {
      await this.openTexts(texts);
    }
  }

  async openTexts(files: [string, string][], name = ""): Promise<void> {
    const of = (kind: string): [string, string][] => files.filter(([path, text]) => kindOf(path, text) === kind);
    const agents = of("agent"), scenario = of("scenario")[0], traces = [...of("trace"), ...files.filter(([path]) => /\.jsonl$/.test(path) && !of("trace").some(([p]) => p === path))];
    if (!agents.length && !traces.length) {
      this.trouble = scenario ? `The scenario needs its agent: open ${/^agent\s*:\s*(\S+)/m.exec(scenario[1])?.[1] ?? "its file"} together with it.`
        : `Nothing there that is an agent: a document begins with agent:, a trace is what motet agent trace prints. Got ${files.map(([path]) => path).join(", ")}.`;
      return;
    }
    this.close();
    this.name = name || (agents[0] ?? traces[0])![0].replace(/^.*\//, "").replace(/\.\w+$/, "");
    this.busy = "Reading the agents";
    try {
      this.agents = await Promise.all(agents.map(async ([path, text]) => ({ name: /^agent\s*:\s*["']?([^"'\s#]+)/m.exec(text)?.[1] ?? path, path, text, ...(await call("agent", { path, text })) })));
      if (this.agents.some((a) => a.problems.length)) {
        return;
      }
      if (traces.length) {
        this.#openTraces(traces);
      } else if (scenario) {
        await this.#openScenario(scenario);
      } else {
        await this.talk([]);
      }
    } catch (fault) {
      this.trouble = fault instanceof Error || fault instanceof EngineFault ? fault.message : String(fault);
    } finally {
      this.busy = "";
    }
  }

  #openTraces(traces: [string, string][]): void {
    const found: { step: Step; at: string }[] = [];
    const names = this.agents.map((a) => a.name);
    const read = traces.map(([path, text]) => recordsOf(text, path));
    const heads = read.map((records, i) => records.find((r) => r.record === "header")?.agent ?? traces[i]![0]);
    heads.filter((h) => !names.includes(h)).forEach((h) => names.push(h));
    const spoke = new Map<string, number>(); // what was said, by whom
    read.forEach((records, i) => records.forEach((r) => (r.senders ?? []).flatMap((s) => s.emissions ?? []).forEach((e) => spoke.set(textOf(e.payload), names.indexOf(heads[i]!)))));
    read.forEach((records, i) => {
      const agent = names.indexOf(heads[i]!);
      records.filter((r) => r.record === "message" || r.record === "tick").forEach((r, n) => {
        const heard = r.heard ? textOf(r.heard.content ?? r.heard) : r.record === "tick" ? "" : `message ${n + 1}`;
        found.push({ at: r.at ?? "", step: r.record === "tick" ? { ...stepOf(r, agent, agent, ""), sent: [textOf(r.payload)] } : stepOf(r, agent, spoke.get(heard) ?? -1, heard) });
      });
    });
    found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    this.agents = names.map((name) => this.agents.find((a) => a.name === name) ?? { name, path: "", text: "", problems: [], picture: null });
    this.#show("traces", found.map((f) => f.step));
  }

  async #openScenario([path, text]: [string, string]): Promise<void> {
    const base = (p: string): string => p.replace(/^.*\//, "");
    const told = await call("agent_trace", { files: [[base(path), text], ...this.agents.map((a): [string, string] => [base(a.path), a.text])] });
    this.trouble = told.problem;
    const messages = messagesIn(text);
    const records = told.text ? recordsOf(told.text, path).filter((r) => r.record === "message") : [];
    this.#show("scenario", records.map((r, i) => stepOf(r, 0, -1, messages[i] ?? `message ${i + 1}`)), told.text);
  }

  /** All agents hear what is said from outside, and each other. */
  async talk(said: string[]): Promise<void> {
    this.said = said;
    const told = await call("agent_talk", { agents: this.agents.map((a): [string, string] => [a.path, a.text]), said });
    const tapes: Tape[][] = this.agents.map(() => []);
    const steps = told.map((t: Talked): Step => {
      const record = (t.record ? JSON.parse(t.record) : { record: "message" }) as TraceRecord;
      const after = t.tape ? tapeOf(JSON.parse(t.tape)) : [];
      const step: Step = { ...stepOf(record, t.agent, t.from, t.heard ? saidIn(t.heard) : ""), sent: t.sends.map(saidIn), after, problem: t.problem };
      step.before = t.record ? step.before : tapes[t.agent]!;
      tapes[t.agent] = after;
      return step;
    });
    this.#show("talk", steps);
  }

  #show(source: "scenario" | "traces" | "talk", steps: Step[], trace = ""): void {
    this.source = source;
    this.steps = steps;
    this.trace = trace;
    this.at = 0;
  }

  close(): void {
    this.agents = [];
    this.steps = [];
    this.said = [];
    this.name = this.source = this.trace = this.trouble = "";
    this.at = 0;
  }

  go(to: number): void {
    this.at = Math.min(this.steps.length - 1, Math.max(0, to));
  }
}
export const agentRun = new AgentRun();
