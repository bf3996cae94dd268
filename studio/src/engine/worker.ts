/* The worker: the engine in WebAssembly, and the last contract that held.
 *
 * Calls are answered in the order in which they come. A fault of the engine (a trap)
 * ends that engine only: another is started and told the same files, and the call that
 * met it is answered with the fault. */
import { type Contract, type Engine, EngineError, load } from "motet/engine";
import type { Bundle } from "./bundle";
import type { Calls, Checked, Compared, Fault, Files, Good, Kind, Named, Reply, Request } from "./messages";
import type { Description } from "../picture/description";

const module = WebAssembly.compileStreaming(fetch(new URL(WASM, import.meta.url)));
let engine: Promise<Engine> = module.then(load);
let contract: Contract | undefined;
let held: Files = [];

function tell(c: Contract): Good {
  const parse = <T>(text: string): T => JSON.parse(text) as T;
  const bundle = parse<Bundle>(c.bundleText);
  const system = bundle.constructs.some((x) => x.kind === "System");
  return {
    etag: c.etag,
    bundle,
    index: parse<{ index: Named[] }>(c.ask("check", { index: true }).text).index ?? [],
    picture: parse<Description>(c.ask("draw").text),
    system: system ? parse<Description>(c.ask("draw", { parts: "system" }).text) : null,
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
  contract = next;
  held = files;
  return { diagnostics, good: tell(next) };
}

function compare(e: Engine, older: Files, newer: Files): Compared {
  const old = e.contract(older), now = e.contract(newer);
  try {
    return { diff: JSON.parse(e.diffText(old, now).text) as Compared["diff"], picture: JSON.parse(old.ask("draw").text) as Description };
  } finally {
    old.free();
    now.free();
  }
}

const CALLS: { [K in Kind]: (e: Engine, ask: Calls[K]["ask"]) => Calls[K]["answer"] } = {
  check: (e, { files }) => check(e, files),
  ask: (_, { command, options }) => {
    if (!contract) {
      throw new EngineError("there is no contract yet that holds", "usage");
    }
    return contract.ask(command, options);
  },
  compare: (e, { older, newer }) => compare(e, older, newer),
  verify: (e, { ledger, demand }) => e.verifyLedger(ledger, demand),
  format: (e, { text, name }) => e.format(text, name),
  version: (e) => ({ version: e.version, language: e.languageVersion }),
};

function faultOf(thrown: unknown): Fault {
  return thrown instanceof EngineError
    ? { kind: thrown.kind, path: thrown.path, message: thrown.message }
    : { kind: "bug", path: "", message: String(thrown) };
}

/** After a trap: a new engine with what the old one knew. */
async function again(): Promise<Engine> {
  const fresh = await load(await module);
  contract = held.length ? fresh.tryContract(held) : undefined;
  return fresh;
}

async function answer<K extends Kind>({ id, kind, ask }: Request<K>): Promise<Reply> {
  try {
    const e = await engine;
    try {
      return { id, answer: CALLS[kind](e, ask) };
    } finally {
      if (e.core.broken) {
        engine = again();
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
