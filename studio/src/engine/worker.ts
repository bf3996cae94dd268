/* The worker: the engine in WebAssembly, and the last contract that held.
 *
 * Calls are answered in the order in which they come. A fault of the engine (a trap)
 * ends that engine only: another is started and told the same files, and the call that
 * met it is answered with the fault. */
import { type Contract, type Engine, EngineError } from "motet/engine";
import { type Everything, loadAll } from "motet/language";
import type { Bundle } from "./bundle";
import type { Calls, Checked, Compared, Fault, Files, Good, Kind, Named, Reply, Request } from "./messages";
import type { Description } from "../picture/description";

const module = WebAssembly.compileStreaming(fetch(new URL(WASM, import.meta.url)));
let motet: Promise<Everything> = module.then(loadAll);
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

const CALLS: { [K in Kind]: (all: Everything, ask: Calls[K]["ask"]) => Calls[K]["answer"] } = {
  check: ({ engine }, { files }) => check(engine, files),
  ask: (_, { command, options }) => {
    if (!contract) {
      throw new EngineError("there is no contract yet that holds", "usage");
    }
    return contract.ask(command, options);
  },
  compare: ({ engine }, { older, newer }) => compare(engine, older, newer),
  verify: ({ engine }, { ledger, demand }) => engine.verifyLedger(ledger, demand),
  other: ({ engine }, { etag, files, command, options }) => other(engine, etag, files).ask(command, options),
  receipt: ({ engine }, { receipt, keys }) => engine.verifyReceipt(receipt, { keys }),
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
