/* The page's end of the worker: one function, typed by messages.ts. */
import type { Calls, Fault, Kind, Reply, Request } from "./messages";

/** What the engine refuses: `kind` for programs, `message` for people. */
export class EngineFault extends Error {
  readonly kind: string;
  readonly path: string;
  constructor(fault: Fault) {
    super(fault.message);
    this.kind = fault.kind;
    this.path = fault.path;
  }
}

const worker = new Worker(new URL(WORKER, import.meta.url), { type: "module" });
const waiting = new Map<number, { done: (answer: never) => void; failed: (fault: EngineFault) => void }>();
let next = 1;

worker.addEventListener("message", (event: MessageEvent<Reply>) => {
  const reply = event.data;
  const who = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("fault" in reply) {
    who?.failed(new EngineFault(reply.fault));
  } else {
    who?.done(reply.answer as never);
  }
});
worker.addEventListener("error", () => {
  const fault = new EngineFault({ kind: "start", path: "", message: "the engine could not be started; reload the page" });
  waiting.forEach((who) => who.failed(fault));
  waiting.clear();
});

export function call<K extends Kind>(kind: K, ask: Calls[K]["ask"]): Promise<Calls[K]["answer"]> {
  return new Promise((done, failed) => {
    const request: Request<K> = { id: next++, kind, ask };
    waiting.set(request.id, { done, failed });
    worker.postMessage(request);
  });
}

/** A command of the engine whose answer is JSON. `root`: of another contract of the workspace, by its path. */
export async function ask<T>(command: string, options: Record<string, unknown> = {}, root = ""): Promise<T> {
  return JSON.parse((await call("ask", { command, options, root })).text) as T;
}
