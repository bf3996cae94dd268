/* Graphs and agents in this process; a module of its own, so that whoever evaluates
 * contracts need not fetch it.
 *
 *   const graphs = await loadGraphs();
 *   const graph = graphs.graph({ "g.yaml": text }).adapt(adapter);
 *   graph.run(events).text;      // as `motet graph run --json` prints it */
import { type Answer, compile, EngineError, type Files, type Json, pairs, Rejected, type Source, takeAnswer, withFiles } from "./engine.js";
import { Core, Handle, Owner } from "./engine_core.js";

const OK = 0;
const E_NOTFOUND = 8;
const STR = 8;
/* A motet_value: where its members are. ORDER: motet_type, motet_event of motet.h. */
const VALUE = { size: 40, number: 8, boolean: 16, event: 20, series: 24, text: 28, length: 32 };
const TYPES = ["none", "number", "series", "bool", "string", "event"] as const;
const EVENTS = ["not_emitted", "emitted", "attempted", "completed", "rejected", "cancelled", "failed", "skipped"] as const;

/** What is on a port: nothing is undefined, an event an object. */
export type Value = undefined | number | boolean | string | readonly number[] | { event: (typeof EVENTS)[number] };

/** A primitive: its outputs by place. It may depend on nothing but what it is given. */
export type Primitive = (call: { input(i: number): Value; param(i: number): Value; context(i: number): Value }) =>
  readonly Value[];

export async function loadGraphs(source?: Source): Promise<GraphEngine> {
  return new GraphEngine(await Core.start(await compile(source, "./motet-graph.wasm")));
}

function readValue(core: Core, at: number): Value {
  const view = core.view;
  const type = TYPES[view.getUint32(at, true)];
  const length = core.word(at + VALUE.length);
  switch (type) {
    case "number": return view.getFloat64(at + VALUE.number, true);
    case "bool": return view.getUint8(at + VALUE.boolean) !== 0;
    case "event": return { event: EVENTS[core.word(at + VALUE.event)]! };
    case "string": return core.text(core.word(at + VALUE.text), length);
    case "series": {
      const from = core.word(at + VALUE.series);
      return Array.from({ length }, (_, i) => view.getFloat64(from + 8 * i, true));
    }
    default: return undefined;
  }
}

/** Writes a motet_value for the time of one call. */
function withValue<T>(core: Core, value: Value, run: (at: number) => T): T {
  const text = typeof value === "string" ? core.put(value) : undefined;
  const series = Array.isArray(value) ? core.alloc(8 * value.length) : 0;
  const at = core.alloc(VALUE.size);
  const view = core.view;
  core.setWords(at, ...new Array<number>(VALUE.size / 4).fill(0));
  const type = value === undefined ? "none" : typeof value === "number" ? "number" : typeof value === "boolean" ? "bool"
    : text ? "string" : series ? "series" : "event";
  view.setUint32(at, TYPES.indexOf(type), true);
  if (typeof value === "number") {
    view.setFloat64(at + VALUE.number, value, true);
  } else if (typeof value === "boolean") {
    view.setUint8(at + VALUE.boolean, value ? 1 : 0);
  } else if (text) {
    core.setWords(at + VALUE.text, text.at, text.length);
  } else if (Array.isArray(value)) {
    value.forEach((number: number, i) => view.setFloat64(series + 8 * i, number, true));
    core.setWords(at + VALUE.series, series, 0, value.length);
  } else if (value !== undefined) {
    core.setWords(at + VALUE.event, EVENTS.indexOf((value as { event: (typeof EVENTS)[number] }).event));
  }
  try {
    return run(at);
  } finally {
    if (!core.broken) {
      [at, series, text?.at ?? 0].forEach((pointer) => core.call("free", pointer));
    }
  }
}

function milliseconds(time: number): bigint {
  if (!Number.isSafeInteger(Math.floor(time))) {
    throw new EngineError("a time is a number of milliseconds", "usage");
  }
  return BigInt(Math.floor(time));
}

/** All messages of a handle, until the first that is empty. */
function messagesOf(core: Core, call: string, pointer: number): string[] {
  const list: string[] = [];
  for (let i = 0; ; i++) {
    const message = core.said(call, pointer, i);
    if (!message) {
      return list;
    }
    list.push(message);
  }
}

export class GraphEngine {
  constructor(readonly core: Core) {}

  get version(): string {
    return this.core.textZ(this.core.call("motet_version"));
  }

  get memory(): number {
    return this.core.size;
  }

  /** The standard library, and what is added to it. */
  primitives(): Primitives {
    return new Primitives(this.core);
  }

  /** A graph and its clusters, the graph first. `parameters` are decided here and not in the texts:
   *  of the graph by NAME, of a node by NODE.NAME. Throws `Rejected` with every violation. */
  graph(files: Files, primitives: Primitives = this.primitives(), parameters: Record<string, string | number | boolean> = {}): Graph {
    const core = this.core;
    return core.withTexts([JSON.stringify(parameters)], ([set]) => withFiles(core, pairs(files, "graph.yaml"), (at, count) => {
      core.setWords(core.out + 16, set!.at, set!.length);
      const status = core.call("motet_graph_load_set", primitives.handle.of(core), at, count, core.out + 16, core.out);
      const graph = new Graph(core, core.word(core.out), primitives.handle);
      if (status !== OK) {
        const fault = new Rejected(core.statusName(status), graph.messages);
        graph.free();
        throw fault;
      }
      return graph;
    }));
  }

  /** The events of a capture under another graph. Code 1: something differs. */
  whatif(older: Graph | undefined, newer: Graph, capture: string): Answer {
    const core = this.core;
    return core.withTexts([capture], ([text]) => {
      core.setWords(core.out + 16, text!.at, text!.length);
      const status = core.call("motet_graph_whatif", older?.handle.of(core) ?? 0, newer.handle.of(core), core.out + 16, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  /** An agent file or DNA; YAML by its name, else JSON. */
  agent(text: string, name = "agent.json"): Agent {
    const core = this.core;
    return core.withTexts([text, name], ([given, called]) => {
      core.setWords(core.out + 16, given!.at, given!.length);
      const status = core.call("motet_agent_load", core.out + 16, called!.at, core.out);
      const agent = new Agent(core, core.word(core.out));
      if (status !== OK) {
        const fault = new Rejected(core.statusName(status), agent.messages);
        agent.free();
        throw fault;
      }
      return agent;
    });
  }

  /** The trace of a scenario, as `motet agent trace` prints it; the scenario is the first file. */
  agentTrace(files: Files, options: { answers?: "forward" | "reverse" | "shuffled" } = {}): Answer {
    const core = this.core;
    const list = pairs(files, "scenario.json");
    const texts = new Map(list);
    let kept = 0;
    const user = core.addHost({
      read: (path, out) => {
        const text = texts.get(core.str(path));
        if (text === undefined) {
          return E_NOTFOUND;
        }
        core.call("free", kept);
        const given = core.put(text);
        kept = given.at;
        core.setWords(out, given.at, given.length);
        return OK;
      },
    });
    const provider = core.call("motet_wasm_agent_files_new", user);
    try {
      return core.withTexts([list[0]![0], JSON.stringify(options)], ([root, option]) => {
        core.setWords(core.out + 16, option!.at, option!.length);
        const status = core.call("motet_agent_trace", provider, root!.at, core.out + 16, core.out);
        return takeAnswer(core, status, core.word(core.out));
      });
    } finally {
      core.dropHost(user);
      if (!core.broken) {
        core.call("free", kept);
        core.call("free", provider);
      }
    }
  }

  /** Questions of the black-box harness, one on each line. */
  agentHarness(questions: string, options: { mode?: "profile" | "compat" } = {}): Answer {
    const core = this.core;
    return core.withTexts([questions, JSON.stringify(options)], ([text, option]) => {
      core.setWords(core.out + 16, text!.at, text!.length, option!.at, option!.length);
      const status = core.call("motet_agent_harness", core.out + 16, core.out + 16 + STR, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }
}

/** The primitives that graphs may use. */
export class Primitives extends Owner {
  readonly #core: Core;
  readonly #users: number[];

  constructor(core: Core) {
    const pointer = core.call("motet_primitives_new");
    const users: number[] = [];
    super(new Handle(core, pointer, () => {
      core.call("motet_primitives_free", pointer);
      users.forEach((user) => core.dropHost(user));
    }));
    this.#core = core;
    this.#users = users;
  }

  /** Adds one: its manifest as YAML or JSON, and what it does, unless the manifest says it. */
  add(manifest: string, run?: Primitive): this {
    const core = this.#core;
    const user = run ? core.addHost({ primitive: (call) => callPrimitive(core, call, run) }) : 0;
    this.#users.push(user);
    const status = core.withTexts([manifest], ([text]) => {
      core.setWords(core.out, text!.at, text!.length);
      return core.call("motet_wasm_primitives_add", this.handle.pointer, core.out, user);
    });
    if (status !== OK) {
      throw new Rejected(core.statusName(status), messagesOf(core, "motet_primitives_message", this.handle.pointer));
    }
    return this;
  }
}

/* A primitive that throws ends the pass; its words are not UTF-8 that C could keep, so the
 * pass says only that it refused. */
function callPrimitive(core: Core, call: number, run: Primitive): number {
  const at = core.alloc(VALUE.size);
  const get = (name: string) => (i: number): Value => {
    core.call(name, at, call, i);
    return readValue(core, at);
  };
  try {
    const outputs = run({ input: get("motet_call_input"), param: get("motet_call_param"), context: get("motet_call_context") });
    outputs.forEach((value, i) => withValue(core, value, (given) => core.call("motet_call_output", call, i, given)));
    return 1;
  } catch {
    return 0;
  } finally {
    core.call("free", at);
  }
}

export interface GraphRunOptions {
  pump?: boolean; skip_duplicates?: boolean; skip_kinds?: readonly string[];
  max_per_window?: number; rate_window?: string; deadline?: string; max_in_flight?: number;
  max_retries?: number; max_events?: number; capture?: boolean; pretty?: boolean;
}

/** A loaded graph. */
export class Graph extends Owner {
  readonly #core: Core;

  constructor(core: Core, pointer: number, primitives: Handle) {
    super(new Handle(core, pointer, () => void core.call("motet_graph_free", pointer), [primitives]));
    this.#core = core;
  }

  get messages(): string[] {
    return messagesOf(this.#core, "motet_graph_message", this.handle.pointer);
  }

  /** "rpv1:sha256:…" */
  get identity(): string {
    return this.#core.said("motet_graph_identity", this.handle.pointer);
  }

  /** Gives the graph its adapter, once. */
  adapt(adapter: string, name = "adapter.yaml"): this {
    const core = this.#core;
    const status = core.withTexts([adapter, name], ([text, called]) => {
      core.setWords(core.out, text!.at, text!.length);
      return core.call("motet_graph_adapt", this.handle.pointer, core.out, called!.at);
    });
    if (status !== OK) {
      throw new Rejected(core.statusName(status), this.messages);
    }
    return this;
  }

  /** What a command of `motet graph` answers; see motet_graph_ask() in motet.h. */
  ask(command: string, options: object = {}, input = ""): Answer {
    const core = this.#core;
    return core.withTexts([command, JSON.stringify(options), input], ([name, option, given]) => {
      core.setWords(core.out + 16, option!.at, option!.length, given!.at, given!.length);
      const status = core.call("motet_graph_ask", this.handle.pointer, name!.at, core.out + 16, core.out + 16 + STR, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  /** Runs events (JSON lines): decisions, a line each, and a summary. */
  run(events: string, options: GraphRunOptions = {}): Answer {
    return this.ask("run", options, events);
  }

  /** Runs a capture again and compares everything. */
  replay(capture: string): Answer {
    return this.ask("replay", {}, capture);
  }

  draw(format: "json" | "dot" | "mermaid" = "json"): string {
    return this.ask("draw", { format }).text;
  }

  episode(): Episode {
    return new Episode(this.#core, this.handle);
  }
}

/** Room for one pass at a time. */
export class Episode extends Owner {
  readonly #core: Core;

  constructor(core: Core, graph: Handle) {
    const pointer = core.call("motet_episode_new", graph.pointer);
    super(new Handle(core, pointer, () => void core.call("motet_episode_free", pointer), [graph]));
    this.#core = core;
  }

  /** Sets a context key; undefined removes it. */
  set(key: string, value: Value): this {
    const core = this.#core;
    const status = core.withTexts([key], ([name]) => withValue(core, value, (at) =>
      core.call("motet_episode_set", this.handle.pointer, name!.at, at)));
    if (status !== OK) {
      throw new EngineError(`no source of the graph reads ${key}`, core.statusName(status), key);
    }
    return this;
  }

  run(eventId: string): this {
    const core = this.#core;
    const { handle } = this;
    const status = handle.during(() => core.withTexts([eventId], ([id]) => {
      core.setWords(core.out, id!.at, id!.length);
      return core.call("motet_episode_run", handle.pointer, core.out);
    }));
    if (status !== OK) {
      throw new EngineError(core.said("motet_episode_fault", this.handle.pointer) || core.statusText(status),
        core.statusName(status));
    }
    return this;
  }

  /** An output of a node, by its place or runtime id. */
  value(node: string, port: string): Value {
    const core = this.#core;
    return core.withTexts([node, port], ([at, name]) => {
      core.call("motet_episode_value", core.out, this.handle.pointer, at!.at, name!.at);
      return readValue(core, core.out);
    });
  }

  get effects(): Json {
    return JSON.parse(this.#core.said("motet_episode_effects", this.handle.pointer)) as Json;
  }
}

/** A loaded agent. */
export class Agent extends Owner {
  readonly #core: Core;

  constructor(core: Core, pointer: number) {
    super(new Handle(core, pointer, () => void core.call("motet_agent_free", pointer)));
    this.#core = core;
  }

  get messages(): string[] {
    return messagesOf(this.#core, "motet_agent_message", this.handle.pointer);
  }

  /** `dna` or `draw`; see motet_agent_ask() in motet.h. */
  ask(command: string, options: object = {}): Answer {
    const core = this.#core;
    return core.withTexts([command, JSON.stringify(options)], ([name, option]) => {
      core.setWords(core.out + 16, option!.at, option!.length);
      const status = core.call("motet_agent_ask", this.handle.pointer, name!.at, core.out + 16, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  /** At work: `handle` answers a line of the handler protocol; undefined: the call fails. */
  actor(handle?: (question: string) => string | undefined): Actor {
    return new Actor(this.#core, this.handle, handle);
  }
}

export class Actor extends Owner {
  readonly #core: Core;
  #thrown: unknown;

  constructor(core: Core, agent: Handle, handle?: (question: string) => string | undefined) {
    const hosted = { user: 0, at: 0, text: 0 };
    let self: WeakRef<Actor> | undefined;
    if (handle) {
      hosted.user = core.addHost({
        handle: (question, out) => {
          try {
            const answer = handle(core.str(question));
            if (answer === undefined) {
              return 0;
            }
            core.call("free", hosted.text);
            const text = core.put(answer);
            hosted.text = text.at;
            core.setWords(out, text.at, text.length);
            return 1;
          } catch (fault) {
            const actor = self?.deref();
            if (actor) {
              actor.#thrown ??= fault;
            }
            return 0;
          }
        },
      });
      hosted.at = core.call("motet_wasm_agent_handlers_new", hosted.user);
    }
    const status = core.call("motet_actor_new", agent.pointer, hosted.at, core.out);
    const pointer = core.word(core.out);
    super(new Handle(core, pointer, () => {
      core.call("motet_actor_free", pointer);
      core.call("free", hosted.at);
      core.call("free", hosted.text);
      core.dropHost(hosted.user);
    }, [agent]));
    this.#core = core;
    self = new WeakRef(this);
    if (status !== OK) {
      const message = this.message;
      this.free();
      throw new EngineError(message || core.statusText(status), core.statusName(status));
    }
  }

  /** One line as a relay sends it, or a payload alone; what is to be sent then, a line each. */
  receive(line: string, nowMs: number = Date.now()): string[] {
    const core = this.#core;
    const { handle } = this;
    const now = milliseconds(nowMs);
    return this.#sends(handle.during(() => core.withTexts([line], ([text]) => {
      core.setWords(core.out, text!.at, text!.length);
      return core.callLong("motet_actor_receive", [handle.pointer, core.out], now);
    })));
  }

  /** Fires the timed senders that are due; what is to be sent then, and in how many milliseconds the next is due. */
  tick(nowMs: number = Date.now()): { sends: string[]; next: number | undefined } {
    const core = this.#core;
    const { handle } = this;
    const now = milliseconds(nowMs);
    const at = core.out + 64; // behind what asking for texts writes
    const sends = this.#sends(handle.during(() => core.callLong("motet_actor_tick", [handle.pointer], now, at)));
    const next = Number(core.view.getBigInt64(at, true));
    return { sends, next: next < 0 ? undefined : next };
  }

  #sends(status: number): string[] {
    const core = this.#core;
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined) {
      throw thrown;
    }
    if (status !== OK) {
      throw new EngineError(this.message || core.statusText(status), core.statusName(status));
    }
    return core.said("motet_actor_sends", this.handle.pointer).split("\n").filter((sent) => sent);
  }

  /** The record that a trace has of the last line. */
  get trace(): string {
    return this.#core.said("motet_actor_trace", this.handle.pointer);
  }

  get tape(): string {
    return this.#core.said("motet_actor_tape", this.handle.pointer);
  }

  /** Tape, memory and timers, for restore(). */
  get state(): string {
    return this.#core.said("motet_actor_state", this.handle.pointer);
  }

  restore(state: string): this {
    const core = this.#core;
    const status = core.withTexts([state], ([text]) => {
      core.setWords(core.out, text!.at, text!.length);
      return core.call("motet_actor_restore", this.handle.pointer, core.out);
    });
    if (status !== OK) {
      throw new EngineError(this.message || core.statusText(status), core.statusName(status));
    }
    return this;
  }

  get message(): string {
    return this.#core.said("motet_actor_message", this.handle.pointer);
  }
}
