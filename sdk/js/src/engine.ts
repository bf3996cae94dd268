/* Contracts in this process: elaborate, evaluate, run flows, explain, compare.
 *
 *   const motet = await load();
 *   const contract = motet.contract({ "escrow.tenor": source });
 *   contract.evaluate({ line_items: [...] });
 *
 * The engine is WebAssembly; what it answers is the same, byte for byte, as what `motet`
 * prints. Methods that end in `Text` give those bytes, the others the value in them.
 * Nothing here waits but load(). Objects free themselves when they are forgotten;
 * free() and [Symbol.dispose]() do it at once. */
import { Core, Handle, Owner } from "./engine_core.js";
import { type Diagnostic, EngineError, Rejected } from "./engine_errors.js";

export { type Diagnostic, EngineError, Rejected } from "./engine_errors.js";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
/** Facts by name, or their JSON: digits of a number in text stay as they are written. */
export type FactSet = string | { readonly [fact: string]: unknown };
/** Paths and texts, the root first; or one source alone. */
export type Files = string | { readonly [path: string]: string } | readonly (readonly [string, string])[];
/** {"Entity":{"instance":"state"}} */
export type States = { readonly [entity: string]: { readonly [instance: string]: string } };
/** {"Entity":"instance"} */
export type Bindings = { readonly [entity: string]: string };

export interface Verdict {
  type: string;
  payload: Json;
  provenance: Json;
}

/** What a command of `motet` answers: its bytes, and whether what was asked holds. */
export interface Answer {
  text: string;
  /** 0: done, or it holds; 1: it does not. */
  code: number;
  /** What was passed over: facts and fields that the contract does not declare, a sentence each. */
  warnings: string[];
}

export interface ReadOptions {
  strict?: boolean;
  allow?: readonly string[];
  warn?: readonly string[];
  deny?: readonly string[];
  limits?: { readonly [name: string]: number };
}

export interface CaseOptions {
  facts?: FactSet;
  states?: States;
  bind?: Bindings;
  strict?: boolean;
}

/** What a flow asks of whoever runs it. Each may be missing. */
export interface FlowHost {
  mayAct?(persona: string): boolean;
  /** Applies all or none. False: a source state has moved, and the operation fails. */
  apply?(changes: readonly Change[]): boolean;
  choose?(step: string, operation: string): string | undefined;
}

export interface Change {
  entity: string;
  instance: string;
  from: string;
  to: string;
}

export type RunState = "more" | "done" | "failed" | "waiting" | "stopped";
/* ORDER: motet_run_state of motet.h. */
const RUN_STATES: readonly RunState[] = ["more", "done", "failed", "waiting", "stopped"];
const OK = 0;
const E_CONFLICT = 10;
const STR = 8; // bytes of a motet_str
const DIAGNOSTIC = 84; // bytes of a motet_diagnostic
const TREE_NAME = "contract.tenor";

/** Where a module comes from: a URL, a path, bytes, a response, or a compiled module. */
export type Source = string | URL | BufferSource | WebAssembly.Module | Response | Promise<Response>;

/** Compiles a module; `file` beside this one if there is no source. */
export async function compile(source: Source | undefined, file: string): Promise<WebAssembly.Module> {
  let from: unknown = await (source ?? new URL(file, import.meta.url));
  if (from instanceof WebAssembly.Module) {
    return from;
  }
  if (typeof from === "string" && !/^[a-z][a-z0-9+.-]+:/i.test(from) && typeof document === "undefined") {
    from = new URL(from, `file://${(globalThis as { process?: { cwd(): string } }).process?.cwd()}/`);
  }
  if (from instanceof URL && from.protocol === "file:") {
    const fs = (await import("node:fs/promises" as string)) as { readFile(at: URL): Promise<Uint8Array> };
    from = await fs.readFile(from);
  }
  if (typeof from === "string" || from instanceof URL) {
    from = await fetch(from);
  }
  if (from instanceof Response) {
    if (!from.ok) {
      throw new EngineError(`${from.url}: ${from.status}`, "notfound", from.url);
    }
    from = await from.arrayBuffer();
  }
  return WebAssembly.compile(from as BufferSource);
}

let latest: Engine | undefined;

/** Loads the engine: the module that comes with this package, or another. */
export async function load(source?: Source): Promise<Engine> {
  latest = new Engine(await Core.start(await compile(source, "./motet.wasm")));
  return latest;
}

/** The files as pairs; text alone is the root. */
export function pairs(files: Files, name: string): [string, string][] {
  const list = typeof files === "string" ? [[name, files] as const]
    : Array.isArray(files) ? (files as readonly (readonly [string, string])[])
      : Object.entries(files as { [path: string]: string });
  if (!list.length) {
    throw new EngineError("there are no files", "usage");
  }
  return list.map(([path, text]) => {
    if (typeof path !== "string" || typeof text !== "string") {
      throw new EngineError("files are texts", "usage", String(path));
    }
    return [path, text];
  });
}

/** An array of motet_file and the texts in it, for the time of one call. */
export function withFiles<T>(core: Core, list: readonly (readonly [string, string])[],
  run: (at: number, count: number) => T): T {
  return core.withTexts(list.flat(), (texts) => {
    const at = core.alloc(12 * list.length);
    try {
      list.forEach((_, i) => core.setWords(at + 12 * i, texts[2 * i]!.at, texts[2 * i + 1]!.at, texts[2 * i + 1]!.length));
      return run(at, list.length);
    } finally {
      if (!core.broken) {
        core.call("free", at);
      }
    }
  });
}

/** Takes what is in a motet_answer and frees it. Throws where there is no answer. */
export function takeAnswer(core: Core, status: number, pointer: number): Answer {
  try {
    const answer = { text: core.said("motet_answer_text", pointer), code: core.call("motet_answer_code", pointer),
      warnings: core.said("motet_answer_warnings", pointer).split("\n").filter(Boolean) };
    if (status !== OK) {
      throw answerError(core, status, pointer, answer.text);
    }
    return answer;
  } finally {
    if (!core.broken) {
      core.call("motet_answer_free", pointer);
    }
  }
}

function answerError(core: Core, status: number, pointer: number, text: string): EngineError {
  const fault = core.said("motet_answer_fault", pointer);
  const message = core.said("motet_answer_message", pointer);
  if (fault) {
    const { error, details } = JSON.parse(fault) as { error: string; details?: { path?: string; rule?: string; type?: string } };
    return new EngineError(message || error, details?.type ?? "rejected", details?.path ?? "", details?.rule ?? "");
  }
  return new EngineError(message || text || core.statusText(status), core.statusName(status));
}

function factText(facts: FactSet | undefined): string {
  return typeof facts === "string" ? facts : JSON.stringify(facts ?? {});
}

/** Facts that end early would go on as options: states, a persona. */
function whole(facts: string): void {
  try {
    JSON.parse(facts);
  } catch (fault) {
    throw new EngineError(`the facts are not JSON: ${(fault as Error).message}`, "syntax");
  }
}

/** Options as the engine reads them. Facts in text are put in as they are written. */
function optionText(options: object): string {
  const { facts, ...rest } = options as { facts?: FactSet };
  const others = JSON.stringify(rest).slice(1, -1);
  if (facts === undefined) {
    return `{${others}}`;
  }
  if (typeof facts === "string") {
    whole(facts);
  }
  return `{"facts":${factText(facts)}${others ? "," : ""}${others}}`;
}

export interface DiffOptions {
  prove?: boolean;
  /** Instances as `motet migrate --flows` reads them; `facts` may be text. */
  flows?: readonly object[];
  /** Leaves out steps that the frozen facts rule out. */
  aggressive?: boolean;
}

function diffOptions({ flows, ...rest }: DiffOptions): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return flows ? `{"flows":[${flows.map(optionText).join(",")}]${others ? "," : ""}${others}}` : `{${others}}`;
}

/** One engine: its own memory, which it shares with no other. */
export class Engine {
  constructor(readonly core: Core) {}

  get version(): string {
    return this.core.textZ(this.core.call("motet_version"));
  }

  get languageVersion(): string {
    return this.core.textZ(this.core.call("motet_language_version"));
  }

  /** Bytes of memory that the engine has taken. */
  get memory(): number {
    return this.core.size;
  }

  /** Loads a contract. Throws `Rejected` with every diagnostic where it has faults. */
  contract(files: Files): Contract {
    const contract = this.tryContract(files);
    if (contract.status !== OK) {
      const fault = contract.rejected;
      contract.free();
      throw fault;
    }
    return contract;
  }

  /** The same for editors: one that was refused is returned, with its diagnostics. */
  tryContract(files: Files): Contract {
    const core = this.core;
    const list = pairs(files, TREE_NAME);
    const bundle = list.length === 1 && /^[ \t\r\n]*\{/.test(list[0]![1]);
    if (bundle) {
      return core.withTexts([list[0]![1], list[0]![0]], ([text, name]) => {
        core.setWords(core.out + 16, text!.at, text!.length);
        const status = core.call("motet_contract_load", core.out + 16, name!.at, core.out);
        return new Contract(this, core.word(core.out), status);
      });
    }
    return withFiles(core, list, (at, count) => {
      const status = core.call("motet_contract_load_files", at, count, core.out);
      return new Contract(this, core.word(core.out), status);
    });
  }

  /** Contract source in its canonical layout. Throws where it does not parse. */
  format(source: string, name = TREE_NAME): string {
    const core = this.core;
    return core.withTexts([source, name], ([text, called]) => {
      core.setWords(core.out + 16, text!.at, text!.length);
      const status = core.call("motet_format", core.out + 16, called!.at, core.out);
      return takeAnswer(core, status, core.word(core.out)).text;
    });
  }

  /** What has changed between two versions: `motet diff --json`; with `flows`, which of these instances can go on:
   *  `motet migrate --json`. */
  diffText(older: Contract, newer: Contract, options: DiffOptions = {}): Answer {
    const core = this.core;
    return core.withTexts([diffOptions(options)], ([text]) => {
      core.setWords(core.out + 16, text!.at, text!.length);
      const status = core.call("motet_contract_diff", older.handle.of(core), newer.handle.of(core), core.out + 16, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  #verified(call: string, text: string, demand: object): Answer {
    const core = this.core;
    return core.withTexts([text, JSON.stringify(demand)], ([given, options]) => {
      core.setWords(core.out + 16, given!.at, given!.length, options!.at, options!.length);
      const status = core.call(call, core.out + 16, core.out + 24, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  /** Checks an export of a ledger from its bytes. Code 1: it does not hold, and the text says why. */
  verifyLedger(ledger: string, demand: LedgerDemand = {}): Answer {
    return this.#verified("motet_ledger_verify", ledger, demand);
  }

  /** Checks receipts, one document or one on each line, up to the first that does not hold. */
  verifyReceipt(receipts: string, demand: ReceiptDemand): Answer {
    return this.#verified("motet_receipt_verify", receipts, demand);
  }

  /** Checks an export in pieces, as they come: memory does not grow with it. */
  ledgerCheck(demand: LedgerDemand = {}): LedgerCheck {
    return LedgerCheck.begin(this.core, demand);
  }

  /** Checks a proof of `motet ledger prove` against one checkpoint, or two for consistency. */
  verifyProof(proof: string, demand: ProofDemand): Answer {
    return this.#verified("motet_proof_verify", proof, demand);
  }

  diff(older: Contract, newer: Contract, options: DiffOptions = {}): Json {
    return JSON.parse(this.diffText(older, newer, options).text) as Json;
  }
}

const PIECE = 1 << 18; // bytes that are copied into the module at once

/** A ledger that is read in pieces. */
export class LedgerCheck extends Owner {
  readonly #core: Core;
  readonly #room: { at: number };
  #going = true;

  private constructor(core: Core, pointer: number, room: { at: number }) {
    super(new Handle(core, pointer, () => {
      core.call("motet_ledger_check_free", pointer);
      core.call("free", room.at);
    }));
    this.#core = core;
    this.#room = room;
  }

  static begin(core: Core, demand: LedgerDemand): LedgerCheck {
    const { status, at } = core.withTexts([JSON.stringify(demand)], ([text]) => {
      core.setWords(core.out + 16, text!.at, text!.length);
      return { status: core.call("motet_ledger_check_new", core.out + 16, core.out), at: core.word(core.out) };
    });
    const check = new LedgerCheck(core, at, { at: status === OK ? core.alloc(PIECE) : 0 });
    if (status !== OK) {
      check.end(); // which says why
    }
    return check;
  }

  /** The next bytes, cut anywhere. False: something does not hold, and more of them change nothing. */
  feed(bytes: Uint8Array): boolean {
    const core = this.#core;
    const { pointer } = this.handle;
    for (let at = 0; at < bytes.length && this.#going; at += PIECE) {
      const part = bytes.subarray(at, at + PIECE);
      core.write(this.#room.at, part);
      core.setWords(core.out, this.#room.at, part.length);
      this.#going = core.call("motet_ledger_check_feed", pointer, core.out) === OK;
    }
    return this.#going;
  }

  /** How many lines hold so far. */
  get lines(): number {
    return Number(this.#core.call("motet_ledger_check_lines", this.handle.pointer));
  }

  /** How many bytes were read as lines. */
  get bytes(): number {
    return Number(this.#core.call("motet_ledger_check_bytes", this.handle.pointer));
  }

  /** There is no more: what verifyLedger() says of all of it. Frees it. */
  end(): Answer {
    const core = this.#core;
    try {
      const status = core.call("motet_ledger_check_end", this.handle.pointer, core.out);
      return takeAnswer(core, status, core.word(core.out));
    } finally {
      this.free();
    }
  }
}

/** A loaded contract. It does not change. */
export class Contract extends Owner {
  readonly #core: Core;
  readonly #engine: Engine;
  #facts: Facts | undefined;

  constructor(engine: Engine, pointer: number, readonly status: number) {
    super(new Handle(engine.core, pointer, () => void engine.core.call("motet_contract_free", pointer)));
    this.#core = engine.core;
    this.#engine = engine;
  }

  /** With the engine that was loaded last. */
  static load(files: Files): Contract {
    if (!latest) {
      throw new EngineError("await load() first", "usage");
    }
    return latest.contract(files);
  }

  override free(): void {
    this.#facts?.free();
    super.free();
  }

  get ok(): boolean {
    return this.status === OK;
  }

  /** Faults and warnings, "FILE:LINE:COLUMN: error CODE: …". */
  get messages(): string[] {
    const list: string[] = [];
    for (let i = 0; ; i++) {
      const message = this.#core.said("motet_contract_message", this.handle.pointer, i);
      if (!message) {
        return list;
      }
      list.push(message);
    }
  }

  get diagnostics(): Diagnostic[] {
    const core = this.#core;
    const list: Diagnostic[] = [];
    const at = core.alloc(DIAGNOSTIC);
    try {
      core.setWords(at, DIAGNOSTIC);
      while (core.call("motet_contract_diagnostic", this.handle.pointer, list.length, at)) {
        list.push(diagnosticAt(core, at));
      }
    } finally {
      core.call("free", at);
    }
    return list;
  }

  /** Why it was refused. */
  get rejected(): Rejected {
    return new Rejected(this.#core.statusName(this.status), this.messages, this.diagnostics);
  }

  /** The interchange bundle, compact. */
  get bundleText(): string {
    return this.#core.said("motet_contract_bundle", this.handle.pointer);
  }

  get bundle(): Json {
    return JSON.parse(this.bundleText) as Json;
  }

  /** What tells versions apart. */
  get etag(): string {
    return this.#core.said("motet_contract_etag", this.handle.pointer);
  }

  /** Asks what a command of `motet` answers; see the table of motet_contract_ask() in motet.h. */
  ask(command: string, options: object = {}): Answer {
    const core = this.#core;
    return core.withTexts([command, optionText(options)], ([name, text]) => {
      core.setWords(core.out + 16, text!.at, text!.length);
      const status = core.call("motet_contract_ask", this.handle.pointer, name!.at, core.out + 16, core.out);
      return takeAnswer(core, status, core.word(core.out));
    });
  }

  #asked(command: string, options: object): Json {
    return JSON.parse(this.ask(command, options).text) as Json;
  }

  /** A fact set that is kept, for flows and typed values. */
  facts(values: FactSet = {}, strict = false): Facts {
    return new Facts(this.#engine, this).read(values, strict);
  }

  /** {"verdicts":[…]} with payloads and provenance, as bytes. */
  evaluateText(facts: FactSet, strict = false): string {
    this.#facts ??= new Facts(this.#engine, this);
    return this.#facts.read(facts, strict).verdictsText();
  }

  evaluate(facts: FactSet, strict = false): Verdict[] {
    return (JSON.parse(this.evaluateText(facts, strict)) as { verdicts: Verdict[] }).verdicts;
  }

  /** What is left to decide where facts are unknown. */
  partial(facts: FactSet, unknown: readonly string[] = [], options: { partial?: boolean; strict?: boolean } = {}): Json {
    return this.#asked("partial", { partial: !unknown.length, ...options, facts, ...(unknown.length ? { unknown } : {}) });
  }

  /** Runs a flow to its end in memory. */
  flow(flow: string, persona: string, options: CaseOptions & { outcome?: string } = {}): Json {
    return this.#asked("act", { flow, persona, ...options });
  }

  /** Tries one operation. */
  operation(operation: string, persona: string, options: CaseOptions & { outcome?: string } = {}): Json {
    return this.#asked("act", { operation, persona, ...options });
  }

  /** What a persona can do now. */
  actions(persona: string, options: CaseOptions & { unknown?: readonly string[]; partial?: boolean } = {}): Json {
    return this.#asked("actions", { persona, ...options });
  }

  explain(options: CaseOptions & {
    verdict?: string; operation?: string; flow?: string; persona?: string;
    unknown?: readonly string[]; partial?: boolean; verbose?: boolean; format?: "json" | "text" | "markdown";
  } = {}): Answer {
    return this.ask("explain", options);
  }

  analyze(options: { only?: string; paths?: number } = {}): Json {
    return this.#asked("analyze", options);
  }

  /** A picture: a description, or text for Graphviz or Mermaid. */
  draw(options: { parts?: string; format?: "json" | "dot" | "mermaid" } = {}): string {
    return this.ask("draw", options).text;
  }

  /** Drives a flow step by step. */
  run(): Run {
    return new Run(this.#engine, this);
  }
}

function diagnosticAt(core: Core, at: number): Diagnostic {
  const view = core.view;
  return {
    severity: core.textZ(core.word(at + 4)) as Diagnostic["severity"],
    code: core.textZ(core.word(at + 8)),
    pass: view.getInt32(at + 12, true),
    file: core.str(at + 16),
    line: core.word(at + 24),
    column: core.word(at + 28),
    length: core.word(at + 32),
    constructKind: core.str(at + 36),
    constructId: core.str(at + 44),
    field: core.str(at + 52),
    message: core.str(at + 60),
    hint: core.str(at + 68),
    endLine: core.word(at + 76),
    endColumn: core.word(at + 80),
  };
}

/** Facts of a contract and the verdicts of their last evaluation. */
export class Facts extends Owner {
  readonly #core: Core;
  readonly #verdicts: number;
  readonly #room: { at: number; size: number };

  constructor(engine: Engine, readonly contract: Contract) {
    if (!contract.ok) {
      throw contract.rejected;
    }
    const core = engine.core;
    const lender = contract.handle;
    const facts = core.call("motet_facts_new", lender.pointer);
    const verdicts = core.call("motet_verdicts_new", lender.pointer);
    const room = { at: 0, size: 0 }; // the bytes that the set was read from, which it borrows
    super(new Handle(core, facts, () => {
      core.call("motet_facts_free", facts);
      core.call("motet_verdicts_free", verdicts);
      core.call("free", room.at);
    }, [lender]));
    this.#core = core;
    this.#verdicts = verdicts;
    this.#room = room;
  }

  /** Fills the set anew. */
  read(values: FactSet, strict = false): this {
    const core = this.#core;
    const { pointer } = this.handle;
    const length = core.fill(this.#room, factText(values));
    core.setWords(core.out, this.#room.at, length);
    this.#check(core.call("motet_facts_read", pointer, core.out, strict ? 1 : 0), "motet_facts_fault", pointer);
    this.#check(core.call("motet_evaluate", pointer, this.#verdicts), "motet_verdicts_fault", this.#verdicts);
    return this;
  }

  #check(status: number, fault: string, pointer: number): void {
    if (status === OK) {
      return;
    }
    const core = this.#core;
    core.call(fault, core.out, pointer);
    throw new EngineError(core.str(core.out + 4 + 2 * STR) || core.statusText(status),
      core.textZ(core.word(core.out)) || core.statusName(status), core.str(core.out + 4), core.str(core.out + 4 + STR));
  }

  verdictsText(): string {
    void this.handle;
    return this.#core.said("motet_verdicts_json", this.#verdicts);
  }

  /** Is there such a verdict? */
  has(verdict: string): boolean {
    void this.handle;
    return this.#core.withTexts([verdict], ([name]) =>
      this.#core.call("motet_verdict_present", this.#verdicts, name!.at) !== 0);
  }

  /** For runs: where the verdicts are. */
  get verdictsPointer(): number {
    return this.#verdicts;
  }
}

/** One flow, step by step; its host decides what happens. */
export class Run extends Owner {
  readonly #core: Core;
  readonly #hosted: { user: number; at: number };
  #facts: Facts | undefined; // borrowed by the run until it starts anew
  #thrown: unknown;

  constructor(engine: Engine, readonly contract: Contract) {
    const core = engine.core;
    if (!contract.ok) {
      throw contract.rejected;
    }
    const lender = contract.handle;
    const pointer = core.call("motet_run_new", lender.pointer);
    if (!pointer) {
      throw new EngineError("the flows of the contract cannot be compiled", "rejected");
    }
    const hosted = { user: 0, at: 0 };
    super(new Handle(core, pointer, () => {
      core.call("motet_run_free", pointer);
      core.call("free", hosted.at);
      core.dropHost(hosted.user);
    }, [lender]));
    this.#core = core;
    this.#hosted = hosted;
  }

  #host(host: FlowHost | undefined): number {
    const core = this.#core;
    core.call("free", this.#hosted.at);
    core.dropHost(this.#hosted.user);
    this.#hosted.at = 0;
    if (!host) {
      return 0;
    }
    const self = new WeakRef(this);
    const kept: { text?: number } = {};
    this.#hosted.user = core.addHost({
      may_act: (persona) => this_guard(self, 0, () => (host.mayAct?.(core.str(persona)) ?? true) ? 1 : 0),
      apply: (at, count) => this_guard(self, E_IO, () =>
        host.apply?.(changesAt(core, at, count)) ?? true ? OK : E_CONFLICT),
      choose: (step, operation, out) => this_guard(self, 0, () => {
        const chosen = host.choose?.(core.str(step), core.str(operation));
        if (chosen === undefined) {
          return 0;
        }
        core.call("free", kept.text ?? 0);
        const text = core.put(chosen);
        kept.text = text.at;
        core.setWords(out, text.at, text.length);
        return 1;
      }),
    });
    this.#hosted.at = core.call("motet_wasm_host_new", this.#hosted.user);
    return this.#hosted.at;
  }

  /** What a host function threw: told by the call that made it. */
  caught(fault: unknown): void {
    this.#thrown ??= fault;
  }

  #ended<T>(value: T): T {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined) {
      throw thrown;
    }
    return value;
  }

  #checked(status: number): this {
    if (status !== OK) {
      throw new EngineError(this.message || this.#core.statusText(status), this.#core.statusName(status));
    }
    return this.#ended(this);
  }

  start(flow: string, persona: string, facts: Facts,
    options: { states?: States; bind?: Bindings; host?: FlowHost } = {}): this {
    const core = this.#core;
    const { pointer } = this.handle;
    const given = facts.handle.of(core);
    this.#facts = facts;
    const host = this.#host(options.host);
    const json = [options.states, options.bind].map((value) => (value ? JSON.stringify(value) : ""));
    return this.#checked(core.withTexts([flow, persona, ...json], ([name, who, states, bind]) => {
      core.setWords(core.out, states!.at, states!.length, bind!.at, bind!.length);
      return core.call("motet_run_start", pointer, given, facts.verdictsPointer, name!.at, who!.at,
        core.out, core.out + STR, host);
    }));
  }

  /** Takes a flow up where `position` left it, with the same facts. */
  resume(position: string, facts: Facts, host?: FlowHost): this {
    const core = this.#core;
    const { pointer } = this.handle;
    const given = facts.handle.of(core);
    this.#facts = facts;
    const at = this.#host(host);
    return this.#checked(core.withTexts([position], ([text]) => {
      core.setWords(core.out, text!.at, text!.length);
      return core.call("motet_run_resume", pointer, given, facts.verdictsPointer, core.out, at);
    }));
  }

  step(): RunState {
    const { handle } = this;
    const lent = this.#facts?.handle;
    const step = (): number => handle.during(() => this.#core.call("motet_run_step", handle.pointer));
    return this.#ended(RUN_STATES[lent ? lent.during(step) : step()] ?? "failed");
  }

  /** Steps until there are no more. */
  finish(): RunState {
    for (;;) {
      const state = this.step();
      if (state !== "more") {
        return state;
      }
    }
  }

  get position(): string {
    void this.#facts?.handle; // they are in it
    return this.#core.said("motet_run_position", this.handle.pointer);
  }

  get resultText(): string {
    void this.#facts?.handle;
    return this.#core.said("motet_run_json", this.handle.pointer);
  }

  get result(): Json {
    return JSON.parse(this.resultText) as Json;
  }

  get message(): string {
    return this.#core.said("motet_run_message", this.handle.pointer);
  }
}

const E_IO = 14;

/* A host function that throws must not unwind C code: it fails there, and what it threw is
 * thrown again by the call that led to it. */
function this_guard(run: WeakRef<Run>, otherwise: number, call: () => number): number {
  try {
    return call();
  } catch (fault) {
    run.deref()?.caught(fault);
    return otherwise;
  }
}

function changesAt(core: Core, at: number, count: number): Change[] {
  return Array.from({ length: count }, (_, i) => {
    const [entity, instance, from, to] = [0, 1, 2, 3].map((part) => core.str(at + (4 * i + part) * STR));
    return { entity: entity!, instance: instance!, from: from!, to: to! };
  });
}

/** Who may have signed, and for what; see motet_ledger_verify() in motet.h. */
export interface LedgerDemand {
  keys?: readonly string[];
  domain?: string;
  checkpoint?: Json;
  require_signature?: boolean;
  note?: string;
  origin?: string;
  witnesses?: readonly string[];
  witness_quorum?: number;
  now?: number;
}

/** See motet_proof_verify() in motet.h; the checkpoints are texts. */
export interface ProofDemand {
  checkpoints: readonly string[];
  keys?: readonly string[];
  domain?: string;
}

export interface ReceiptDemand {
  keys: readonly string[];
  complete?: boolean;
  domain?: string;
  ledger?: string;
  origin?: string;
  witnesses?: readonly string[];
  witness_quorum?: number;
  now?: number;
}
