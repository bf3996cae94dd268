/* The worker: the engine in WebAssembly, and the last contract that held.
 *
 * Calls are answered in the order in which they come; a long one tells how far it is. A fault
 * of the engine (a trap) ends that engine only: another is started and told the same files, and the call that
 * met it is answered with the fault. What is asked of the language server waits for what came with it, and of each
 * kind only the last is asked: text is checked without waiting for what was typed before. */
import { type Contract, type Engine, EngineError, type LedgerDemand } from "motet/engine";
import { type Everything, loadAll } from "motet/language";
import { AGENT_CALLS } from "./agents";
import { all, type Bundle } from "./bundle";
import { flights } from "./flights";
import { GRAPH_CALLS } from "./graphs";
import type { Calls, Checked, Compared, Diagnostic, Fate, Fault, Files, Good, Kind, Member, Named, Progress, Reply, Request, Verified } from "./messages";
import { engineModule } from "./module";
import { Language } from "./server";
import type { Description } from "../picture/description";

const module = engineModule(WASM);
let motet: Promise<Everything> = module.then(loadAll);
let contract: Contract | undefined;
let held: Files = [];
const language = new Language();

/** What `motet check --json` says of a contract that holds: loading it finds errors, and this its warnings. */
interface Found {
  index?: Named[];
  diagnostics: Record<string, string | number | null>[];
}
function diagnosticOf(d: Found["diagnostics"][number]): Diagnostic {
  const text = (key: string): string => String(d[key] ?? ""), number = (key: string): number => Number(d[key] ?? 0);
  return { severity: text("severity") as Diagnostic["severity"], code: text("code"), pass: Number(d["pass"] ?? -1), file: text("file"), line: number("line"), column: number("column"),
    length: number("length"), endLine: number("end_line"), endColumn: number("end_column"), constructKind: text("construct_kind"), constructId: text("construct_id"),
    field: text("field"), message: text("message"), hint: text("hint") };
}

const parse = <T>(text: string): T => JSON.parse(text) as T;

/** Contracts of other files of the same workspace: members of a System, what scenarios are about. */
const besides = new Map<string, Contract>();

function forget(): void {
  besides.forEach((c) => c.free());
  besides.clear();
}

function contractAt(e: Engine, root: string): Contract {
  if (!contract) {
    throw new EngineError("there is no contract yet that holds", "usage");
  }
  if (!root || root === held[0]![0]) {
    return contract;
  }
  const own = held.find(([path]) => path === root);
  if (!own) {
    throw new EngineError(`${root} is not in the workspace`, "usage");
  }
  const known = besides.get(root) ?? e.contract([own, ...held.filter((f) => f !== own)]);
  besides.set(root, known);
  return known;
}

/** A member that does not hold alone is left out: the System then says why. */
function membersOf(e: Engine, bundle: Bundle, root: string): Member[] {
  return all(bundle, "System").flatMap((s) => s.members).flatMap((m) => {
    const path = root.replace(/[^/]*$/, "") + m.path;
    try {
      const own = contractAt(e, path);
      return [{ id: m.id, root: path, ...tell(e, own, path, parse<Found>(own.ask("check", { index: true }).text).index ?? []) }];
    } catch {
      return [];
    }
  });
}

function tell(e: Engine, c: Contract, root: string, index: Named[]): Good {
  const bundle = parse<Bundle>(c.bundleText);
  const system = bundle.constructs.some((x) => x.kind === "System");
  return {
    etag: c.etag,
    bundle,
    index,
    picture: parse<Description>(c.ask("draw").text),
    system: system ? parse<Description>(c.ask("draw", { parts: "system" }).text) : null,
    members: membersOf(e, bundle, root),
  };
}

function check(e: Engine, files: Files): Checked {
  const next = e.tryContract(files);
  if (!next.ok) {
    const { diagnostics } = next;
    next.free();
    return { diagnostics, good: null };
  }
  const found = parse<Found>(next.ask("check", { index: true }).text);
  contract?.free();
  forget();
  contract = next;
  held = files;
  return { diagnostics: found.diagnostics.map(diagnosticOf), good: tell(e, next, files[0]![0], found.index ?? []) };
}

interface Judged {
  flow_compatibility: {
    instance_id: string;
    touches: { construct_kind: string; construct_id: string }[];
    compatibility: { compatible: boolean; obstacles: { kind: string; reason: string; subject: string }[]; notes: { reason: string }[] };
  }[];
  entity_state_mappings: { entity_id: string; from_state: string; suggested_state: string | null }[];
  reason: string;
}

/** One in a state that is gone can go on once somebody says where to; one that will be refused goes on, if that is wanted. */
function fateOf(said: Judged["flow_compatibility"][number], moves: Judged["entity_state_mappings"]): Pick<Fate, "fate" | "reasons"> {
  const { compatible, obstacles, notes } = said.compatibility;
  if (compatible) {
    const met = said.touches.map((t) => `${t.construct_kind} ${t.construct_id}`);
    return notes.length ? { fate: "decide", reasons: notes.map((n) => n.reason) } : { fate: "goes", reasons: [met.length ? `it meets what has changed (${met.join(", ")}) and fits` : "nothing on its way has changed in a way that breaks"] };
  }
  const moved = obstacles.every((o) => o.kind === "state_removed");
  const words = (subject: string): string => moves.filter((m) => m.entity_id === subject).map((m) => (m.suggested_state ? `; '${m.suggested_state}' could stand for '${m.from_state}'` : `; say which state stands for '${m.from_state}'`)).join("");
  return { fate: moved ? "decide" : "stops", reasons: obstacles.map((o) => o.reason + (moved ? words(o.subject) : "")) };
}

function fates(e: Engine, old: Contract, now: Contract, facts: string | undefined, suppose: Record<string, string>): Pick<Compared, "fates" | "advice" | "fault" | "entities"> {
  const bundle = JSON.parse(old.bundleText) as Bundle;
  const entities = all(bundle, "Entity").map((x) => ({ id: x.id, states: x.states }));
  const none = { fates: [], advice: "", entities };
  try {
    const flows = facts === undefined ? [] : flights(bundle, facts || "{}", suppose);
    if (!flows.length) {
      return { ...none, fault: "" };
    }
    const judged = JSON.parse(e.diffText(old, now, { flows }).text) as Judged;
    const by = new Map(judged.flow_compatibility.map((f) => [f.instance_id, f]));
    return { entities, fault: "", advice: judged.reason, fates: flows.map(({ id, flow, step, states }) => ({ flow, step, states, ...fateOf(by.get(id)!, judged.entity_state_mappings) })) };
  } catch (thrown) {
    return { ...none, fault: String((thrown as Error).message).replace(/^instance \d+: /, "") };
  }
}

function compare(e: Engine, { older, newer, facts, suppose = {} }: Calls["compare"]["ask"]): Compared {
  const old = e.contract(older), now = e.contract(newer);
  try {
    return { diff: JSON.parse(e.diffText(old, now).text) as Compared["diff"], picture: JSON.parse(old.ask("draw").text) as Description, ...fates(e, old, now, facts, suppose) };
  } finally {
    old.free();
    now.free();
  }
}

const PIECE = 1 << 20; // bytes of a file that are in memory at once
const TOLD_EVERY = 100; // ms

function pieceOf(reader: FileReaderSync, file: Blob, at: number): Uint8Array {
  try {
    return new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + PIECE)));
  } catch {
    throw new EngineError("the file cannot be read any more: was it changed or moved? Open it again", "io");
  }
}

/** Memory does not grow with the file: it is read where it lies. */
function verify(e: Engine, file: Blob, demand: LedgerDemand, tell: (is: Progress) => void): Verified {
  const check = e.ledgerCheck(demand), reader = new FileReaderSync();
  const marks: Progress[] = [{ lines: 0, bytes: 0 }];
  try {
    let told = performance.now();
    for (let at = 0, going = true; at < file.size && going; at += PIECE) {
      going = check.feed(pieceOf(reader, file, at));
      if (going) {
        marks.push({ lines: check.lines, bytes: check.bytes });
      }
      if (performance.now() - told > TOLD_EVERY) {
        told = performance.now();
        tell(marks[marks.length - 1]!);
      }
    }
    return { told: check.end(), marks };
  } finally {
    check.free();
  }
}

const OTHERS = 4;
const others = new Map<string, Contract>();

function checked(e: Engine, etag: string, files: Files): Contract {
  const made = e.contract(files);
  if (made.etag !== etag) {
    made.free();
    throw new EngineError("the server sent another contract than its etag says", "usage");
  }
  return made;
}

/** A contract by its etag; the last few are kept. */
function other(e: Engine, etag: string, files: Files): Contract {
  const found = others.get(etag) ?? checked(e, etag, files);
  others.delete(etag);
  others.set(etag, found);
  for (const [old, c] of [...others].slice(0, -OTHERS)) {
    c.free();
    others.delete(old);
  }
  return found;
}

const CALLS: { [K in Kind]: (all: Everything, ask: Calls[K]["ask"], tell: (is: Progress) => void) => Calls[K]["answer"] } = {
  check: ({ engine }, { files }) => check(engine, files),
  ask: ({ engine }, { command, options, root }) => contractAt(engine, root ?? "").ask(command, options),
  compare: ({ engine }, ask) => compare(engine, ask),
  language: (all, { files, method, params }) => language.ask(all, files, method, params),
  ledger: ({ engine }, { file, demand }, tell) => verify(engine, file, demand, tell),
  receipts: ({ engine }, { text, demand }) => engine.verifyReceipt(text, demand),
  proof: ({ engine }, { text, demand }) => engine.verifyProof(text, demand),
  other: ({ engine }, { etag, files, command, options }) => other(engine, etag, files).ask(command, options),
  format: ({ engine }, { text, name }) => engine.format(text, name),
  ...GRAPH_CALLS,
  ...AGENT_CALLS,
  version: ({ engine }) => ({ version: engine.version, language: engine.languageVersion }),
};

function faultOf(thrown: unknown): Fault {
  return thrown instanceof EngineError
    ? { kind: thrown.kind, path: thrown.path, message: thrown.message }
    : { kind: "bug", path: "", message: String(thrown) };
}

/** After a trap: a new engine with what the old one knew. */
async function again(): Promise<Everything> {
  const fresh = await loadAll(await module);
  others.clear();
  besides.clear();
  contract = held.length ? fresh.engine.tryContract(held) : undefined;
  return fresh;
}

async function answer<K extends Kind>({ id, kind, ask }: Request<K>): Promise<Reply> {
  try {
    const all = await motet;
    try {
      return { id, answer: CALLS[kind](all, ask, (progress) => postMessage({ id, progress } satisfies Reply)) };
    } finally {
      if (all.engine.core.broken) {
        motet = again();
      }
    }
  } catch (thrown) {
    return { id, fault: faultOf(thrown) };
  }
}

let line: Promise<void> = Promise.resolve();
function enqueue(request: Request): void {
  line = line.then(async () => postMessage(await answer(request)));
}

const later = new Map<string, Request<"language">>();
function enqueueLater(request: Request<"language">): void {
  const { method } = request.ask;
  const overtaken = later.get(method);
  later.set(method, request);
  if (overtaken) {
    postMessage({ id: overtaken.id, answer: null });
    return;
  }
  setTimeout(() => {
    enqueue(later.get(method)!);
    later.delete(method);
  });
}

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  if (data.kind === "language") {
    enqueueLater(data as Request<"language">);
  } else {
    enqueue(data);
  }
});
