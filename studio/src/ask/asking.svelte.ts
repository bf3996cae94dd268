/* Questions that were asked, and who answered: the engine in the page, which has no solver; else the program behind
 * `motet studio`, which has one; else the server the page came from, if it serves this very contract. */
import { call, EngineFault } from "../engine/client";
import { isFields, parse, print } from "../facts/json";
import { workspace } from "../state/workspace.svelte";
import { type Answer, readAnswer } from "./answer";

export interface Asked {
  id: number;
  question: string;
  /** Of the contract that was asked. */
  etag: string;
  state: "asking" | "said" | "refused";
  answer: Answer | null;
  /** Why there is no answer, or no better one. */
  trouble: string;
  by: string;
}

const KEPT = 20;

class Asking {
  list = $state.raw<Asked[]>([]);
  #next = 1;
  #stop: AbortController | null = null;

  #put(asked: Asked): void {
    this.list = this.list.some((a) => a.id === asked.id) ? this.list.map((a) => (a.id === asked.id ? asked : a)) : [asked, ...this.list].slice(0, KEPT);
  }

  drop(id: number): void {
    this.list = this.list.filter((a) => a.id !== id);
  }

  async ask(question: string): Promise<void> {
    const asked: Asked = { id: this.#next++, question, etag: workspace.good?.etag ?? "", state: "asking", answer: null, trouble: "", by: "this page" };
    this.list = this.list.filter((a) => a.question !== question || a.state === "asking");
    this.#put(asked);
    this.#stop?.abort();
    try {
      const said = readAnswer((await call("ask", { command: "ask", options: { question } })).text);
      const now: Asked = { ...asked, state: "said", answer: said };
      if (said.needsSolver && workspace.disk?.asks) {
        await this.#askProgram({ ...now, state: "asking" });
      } else {
        this.#put(now);
      }
    } catch (fault) {
      this.#put({ ...asked, state: "refused", trouble: fault instanceof EngineFault ? fault.message : String(fault) });
    }
  }

  /** What the page said stays, if nothing better comes. */
  async #better(asked: Asked, by: string, get: (signal: AbortSignal) => Promise<string>): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.#put({ ...asked, state: "asking", trouble: "" });
    try {
      this.#put({ ...asked, state: "said", answer: readAnswer(await get(stop.signal)), trouble: "", by });
    } catch (fault) {
      this.#put({ ...asked, state: "said", trouble: stop.signal.aborted ? "Another question was asked before this one was answered." : fault instanceof TypeError ? "Nobody answers there." : (fault as Error).message });
    }
  }

  async #askProgram(asked: Asked): Promise<void> {
    const { request } = await import("../state/local.svelte");
    if (!workspace.checked.good) {
      this.#put({ ...asked, state: "said", trouble: "The text has faults now. Mend them in Source first: the answer would not be about it." });
      return;
    }
    const files = workspace.files.filter(([path]) => !/\.ya?ml$/.test(path)).map(([path, text]) => ({ path, text }));
    await this.#better(asked, "motet, with its solver", async (signal) => (await request<{ text: string }>("POST", "ask", { files, question: asked.question }, {}, signal)).text);
  }

  /** The server answers about what it serves; that counts only if it is this text. */
  askServer(asked: Asked): Promise<void> {
    const id = workspace.good?.bundle.id ?? "";
    return this.#better(asked, "the server, with its solver", async (signal) => {
      const served = JSON.parse(await fetched("../v1/contracts", { signal })) as { items: { id: string; etag: string }[] };
      const same = served.items.find((c) => c.id === id);
      if (same?.etag !== asked.etag) {
        throw new Error(same ? `The server has another version of ${id}: its answer would not be about this text.` : `The server does not serve ${id}.`);
      }
      const said = await fetched(`../v1/contracts/${encodeURIComponent(id)}/ask`, { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ question: asked.question }) });
      return shownOf(said, asked.etag);
    });
  }
}

async function fetched(address: string, how: RequestInit): Promise<string> {
  const said = await fetch(address, how);
  if (!said.ok) {
    throw new Error(said.status === 401 || said.status === 403 ? "The server lets only those ask who have a token for it." : said.status === 404 || said.status === 405 ? "There is no server behind this page." : `The server refuses: status ${said.status}.`);
  }
  return said.text();
}

/** The member `shown`, with its digits; of the version that was asked. */
function shownOf(text: string, etag: string): string {
  const all = parse(text);
  if (!isFields(all) || all["etag"] !== etag) {
    throw new Error("The server has another version now: its answer is not about this text.");
  }
  return print(all["shown"] ?? null);
}

export const asking = new Asking();
