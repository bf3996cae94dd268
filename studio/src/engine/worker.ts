/* The worker: the engine in WebAssembly, and the last contract that held.
 *
 * Calls are answered in the order in which they come. A fault of the engine (a trap)
 * ends that engine only: another is started and told the same files, and the call that
 * met it is answered with the fault. What is asked of the language server waits for what came with it, and of each
 * kind only the last is asked: a text is checked without waiting for what was typed before. */
import { type Contract, type Engine, EngineError } from "motet/engine";
import { type Everything, loadAll } from "motet/language";
import type { Bundle } from "./bundle";
import type { Calls, Checked, Compared, Fault, Files, Good, Kind, Named, Reply, Request } from "./messages";
import { engineModule } from "./module";
import { Language } from "./server";
import type { Description } from "../picture/description";

const module = engineModule(WASM);
let motet: Promise<Everything> = module.then(loadAll);
let contract: Contract | undefined;
let held: Files = [];
const language = new Language();

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
  language: (all, { files, method, params }) => language.ask(all, files, method, params),
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
