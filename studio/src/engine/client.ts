/* The page's end of a worker: one function, typed by messages.ts. Views ask the one that all share; what takes long
 * has one of its own, which can be ended at any moment. */
import type { Calls, Fault, Kind, Progress, Reply, Request } from "./messages";

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

interface Waiting {
  done: (answer: never) => void;
  failed: (fault: EngineFault) => void;
  progress: ((is: Progress) => void) | undefined;
}

/** An engine in a worker of its own. */
export class EngineWorker {
  readonly #worker = new Worker(new URL(WORKER, import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor() {
    this.#worker.addEventListener("message", (event: MessageEvent<Reply>) => this.#heard(event.data));
    this.#worker.addEventListener("error", () => this.#fail({ kind: "start", path: "", message: "the engine could not be started; reload the page" }));
  }

  #heard(reply: Reply): void {
    const who = this.#waiting.get(reply.id);
    if ("progress" in reply) {
      who?.progress?.(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if ("fault" in reply) {
      who?.failed(new EngineFault(reply.fault));
    } else {
      who?.done(reply.answer as never);
    }
  }

  #fail(fault: Fault): void {
    this.#waiting.forEach((who) => who.failed(new EngineFault(fault)));
    this.#waiting.clear();
  }

  call<K extends Kind>(kind: K, ask: Calls[K]["ask"], progress?: (is: Progress) => void): Promise<Calls[K]["answer"]> {
    return new Promise((done, failed) => {
      const request: Request<K> = { id: this.#next++, kind, ask };
      this.#waiting.set(request.id, { done: done as (answer: never) => void, failed, progress });
      this.#worker.postMessage(request);
    });
  }

  /** Now, whatever it is doing. Who waits is told. */
  end(): void {
    this.#worker.terminate();
    this.#fail({ kind: "stopped", path: "", message: "it was stopped" });
  }
}

const shared = new EngineWorker();

export function call<K extends Kind>(kind: K, ask: Calls[K]["ask"]): Promise<Calls[K]["answer"]> {
  return shared.call(kind, ask);
}

/** A command of the engine whose answer is JSON. `root`: of another contract of the workspace, by its path. */
export async function ask<T>(command: string, options: Record<string, unknown> = {}, root = ""): Promise<T> {
  return JSON.parse((await call("ask", { command, options, root })).text) as T;
}
