/* The worker: the engine in WebAssembly, and the last contract that held.
 *
 * Calls are answered in the order in which they come. A fault of the engine (a trap)
 * ends that engine only: another is started and told the same files, and the call that
 * met it is answered with the fault. */
import { type Contract, type Engine, EngineError } from "motet/engine";
import { type Everything, loadAll } from "motet/language";
import { all, type Bundle } from "./bundle";
import { flights } from "./flights";
import type { Calls, Checked, Compared, Fate, Fault, Files, Good, Kind, Member, Named, Reply, Request } from "./messages";
import type { Description } from "../picture/description";

const module = WebAssembly.compileStreaming(fetch(new URL(WASM, import.meta.url)));
let motet: Promise<Everything> = module.then(loadAll);
let contract: Contract | undefined;
let held: Files = [];
/** Contracts of other files of the same workspace: members of a System, what scenarios are about. */
const others = new Map<string, Contract>();

function forget(): void {
  others.forEach((c) => c.free());
  others.clear();
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
  const known = others.get(root) ?? e.contract([own, ...held.filter((f) => f !== own)]);
  others.set(root, known);
  return known;
}

/** A member that does not hold alone is left out: the System then says why. */
function membersOf(e: Engine, bundle: Bundle, root: string): Member[] {
  return all(bundle, "System").flatMap((s) => s.members).flatMap((m) => {
    const path = root.replace(/[^/]*$/, "") + m.path;
    try {
      return [{ id: m.id, root: path, ...tell(e, contractAt(e, path), path) }];
    } catch {
      return [];
    }
  });
}

function tell(e: Engine, c: Contract, root: string): Good {
  const parse = <T>(text: string): T => JSON.parse(text) as T;
  const bundle = parse<Bundle>(c.bundleText);
  const system = bundle.constructs.some((x) => x.kind === "System");
  return {
    etag: c.etag,
    bundle,
    index: parse<{ index: Named[] }>(c.ask("check", { index: true }).text).index ?? [],
    picture: parse<Description>(c.ask("draw").text),
    system: system ? parse<Description>(c.ask("draw", { parts: "system" }).text) : null,
    members: membersOf(e, bundle, root),
  };
}

function check(e: Engine, files: Files): Checked {
  const next = e.tryContract(files);
  const diagnostics = next.diagnostics;
  if (!next.ok) {
    next.free();
    return { diagnostics, good: null };
  }
  contract?.free();
  forget();
  contract = next;
  held = files;
  return { diagnostics, good: tell(e, next, files[0]![0]) };
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

function fates(e: Engine, old: Contract, now: Contract, facts: string, suppose: Record<string, string>): Pick<Compared, "fates" | "advice" | "fault" | "entities"> {
  const bundle = JSON.parse(old.bundleText) as Bundle;
  const entities = all(bundle, "Entity").map((x) => ({ id: x.id, states: x.states }));
  const none = { fates: [], advice: "", entities };
  try {
    const flows = flights(bundle, facts || "{}", suppose);
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

function compare(e: Engine, { older, newer, facts, suppose }: Calls["compare"]["ask"]): Compared {
  const old = e.contract(older), now = e.contract(newer);
  try {
    return { diff: JSON.parse(e.diffText(old, now).text) as Compared["diff"], picture: JSON.parse(old.ask("draw").text) as Description, ...fates(e, old, now, facts, suppose) };
  } finally {
    old.free();
    now.free();
  }
}

const CALLS: { [K in Kind]: (all: Everything, ask: Calls[K]["ask"]) => Calls[K]["answer"] } = {
  check: ({ engine }, { files }) => check(engine, files),
  ask: ({ engine }, { command, options, root }) => contractAt(engine, root ?? "").ask(command, options),
  compare: ({ engine }, ask) => compare(engine, ask),
  verify: ({ engine }, { ledger, demand }) => engine.verifyLedger(ledger, demand),
  format: ({ engine }, { text, name }) => engine.format(text, name),
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
  contract = held.length ? fresh.engine.tryContract(held) : undefined;
  return fresh;
}

async function answer<K extends Kind>({ id, kind, ask }: Request<K>): Promise<Reply> {
  try {
    const all = await motet;
    try {
      return { id, answer: CALLS[kind](all, ask) };
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
addEventListener("message", (event: MessageEvent<Request>) => {
  line = line.then(async () => postMessage(await answer(event.data)));
});
