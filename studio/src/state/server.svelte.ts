/* The server that the page came from, as far as the caller may see it. Read only: nothing here changes it.
 *
 * Nothing is asked before a view that needs it is shown. Who calls is a token (kept for this tab only, never in the
 * address or the draft), a browser's session, or anybody where the server is open. When it does not answer, `downSince`
 * says since when; it is tried again, the stream of events goes on behind the last one, and `epoch` grows, so that
 * views ask anew. What is refused is a Refused with the rights that would have been enough. */
import { EventReader, type LedgerEvent } from "../../../sdk/js/src/events";
import { store, stored } from "./stored";

const TOKEN = "motet.studio.token";
const PAUSE = 1000, PAUSE_MOST = 5000; // milliseconds between two attempts
const SILENCE = 60000; // of a stream; the server gives a sign of life every 15 s
const POLL = 10000; // for those who may not have the stream
const BUSY = 10000; // after 429 and 503 of the stream
const LEAVE = 3000; // after the last view of it is left

export interface Session {
  actor: string;
  csrf?: string;
  id: string;
  known_by: string;
  name: string;
  personas: string[];
  rights: string[];
}

/** The server said no: `needs` has the rights that are missing. */
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly needs: string[], readonly body: string) {
    super(detail);
  }

  get forbidden(): boolean {
    return this.status === 403;
  }
}
export class Unreachable extends Error {}

export type Query = Record<string, string | number | undefined>;
export interface Question {
  query?: Query;
  /** A question that is posted, or its JSON; nothing else is ever posted. */
  body?: object | string;
}

function refusedOf(status: number, text: string): Refused {
  try {
    const p = JSON.parse(text) as { code?: unknown; detail?: unknown; title?: unknown; needs?: unknown };
    const needs = Array.isArray(p.needs) ? p.needs.filter((n): n is string => typeof n === "string") : [];
    return new Refused(status, String(p.code ?? ""), String(p.detail ?? p.title ?? status), needs, text);
  } catch {
    return new Refused(status, "", `the server answered ${status}`, [], text);
  }
}

/** A path of the API with what stands in braces. */
export function path(strings: TemplateStringsArray, ...names: string[]): string {
  return strings.reduce((before, s, i) => `${before}${encodeURIComponent(names[i - 1]!)}${s}`);
}

const rest = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

class Server {
  /** none: what is behind the page is not a server of ours. */
  phase = $state<"new" | "asking" | "in" | "out" | "none">("new");
  who = $state.raw<Session | null>(null);
  /** Why one is not in, where there is more to say. */
  said = $state("");
  /** People can log in by an identity provider. */
  login = $state(false);
  downSince = $state.raw<Date | null>(null);
  /** off: none yet; polled: the caller may not have it, `needs` says why. */
  live = $state<"off" | "on" | "polled">("off");
  needs = $state.raw<string[]>([]);
  /** Grows whenever everything should be asked anew. */
  epoch = $state(0);
  #token = stored(TOKEN, "sessionStorage") ?? "";
  #last = -1;
  #users = 0;
  #listeners = new Set<(event: LedgerEvent) => void>();
  #stop: AbortController | null = null;
  #back: Promise<void> | null = null;

  // ---- asking ----

  #headers(more: Record<string, string> = {}): Record<string, string> {
    return { ...(this.#token ? { Authorization: `Bearer ${this.#token}` } : {}), ...more };
  }

  /** Beside the page, so that both may stand behind a prefix. */
  #fetch(to: string, init: RequestInit): Promise<Response> {
    return fetch(`..${to}`, { redirect: "error", cache: "no-store", credentials: this.#token ? "omit" : "same-origin", ...init });
  }

  /** The answer's text. Throws Refused or Unreachable. */
  async ask(to: string, { query = {}, body }: Question = {}): Promise<string> {
    const given = Object.entries(query).filter((q): q is [string, string | number] => q[1] !== undefined && q[1] !== "");
    const url = given.length ? `${to}?${given.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join("&")}` : to;
    const csrf = this.who?.csrf;
    const headers = this.#headers(body ? { "Content-Type": "application/json", ...(csrf ? { "X-CSRF-Token": csrf } : {}) } : {});
    let response: Response, text: string;
    try {
      response = await this.#fetch(url, body ? { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) } : { headers });
      text = await response.text();
    } catch {
      this.#lost();
      throw new Unreachable("the server does not answer");
    }
    if (response.status === 502 || response.status === 504) {
      this.#lost();
      throw new Unreachable("the server does not answer");
    }
    if (!response.ok) {
      if (response.status === 401 && this.phase === "in" && to !== "/session") {
        void this.hello();
      }
      throw refusedOf(response.status, text);
    }
    return text;
  }

  // ---- who calls ----

  /** Asks who one is. Nobody is an answer, too. */
  async hello(): Promise<void> {
    this.phase = this.phase === "new" ? "asking" : this.phase;
    try {
      const text = await this.ask("/session");
      this.who = JSON.parse(text) as Session;
      this.said = "";
      await this.#begin();
      this.phase = "in";
      void this.#stream();
    } catch (fault) {
      if (fault instanceof Refused && fault.code) {
        await this.#out(fault);
      } else if (!(fault instanceof Unreachable)) {
        this.phase = "none";
      }
    }
  }

  async #out(fault: Refused): Promise<void> {
    this.who = null;
    this.#stop?.abort();
    this.said = fault.status === 403 ? "You are known here, and nothing was granted to you. Ask who runs this server for a right or a persona."
      : this.#token ? "The server does not take this token: it is misspelt, over, or was revoked." : "";
    this.#keep("");
    try {
      this.login = /href="\/login"/.test(await this.ask("/"));
    } catch {
      this.login = false;
    }
    this.phase = "out";
  }

  #keep(token: string): void {
    this.#token = token;
    if (token) {
      store(TOKEN, token, "sessionStorage");
    } else if (stored(TOKEN, "sessionStorage") !== null) {
      sessionStorage.removeItem(TOKEN);
    }
  }

  async signIn(token: string): Promise<void> {
    const clean = token.trim();
    if (!/^[\x21-\x7e]{1,8192}$/.test(clean)) {
      this.said = "This is not a token: one line of letters, digits and signs, as motet token create prints it.";
      return;
    }
    this.#keep(clean);
    await this.hello();
  }

  get byToken(): boolean {
    return this.#token !== "";
  }

  async signOut(): Promise<void> {
    this.#stop?.abort();
    try {
      if (!this.#token) {
        await this.#fetch("/logout", { method: "POST", headers: { "X-CSRF-Token": this.who?.csrf ?? "" } });
      }
    } catch {
      // It is over already.
    }
    this.#keep("");
    this.#last = -1;
    this.live = "off";
    this.who = null;
    this.phase = "asking";
    await this.hello();
  }

  // ---- gone and back ----

  #lost(): void {
    this.downSince ??= new Date();
    this.#back ??= this.#again().finally(() => (this.#back = null));
  }

  async #again(): Promise<void> {
    for (let pause = PAUSE; this.#users > 0; pause = Math.min(PAUSE_MOST, pause * 1.5)) {
      await rest(pause);
      try {
        if ((await this.#fetch("/healthz", {})).ok) {
          break;
        }
      } catch {
        // Not yet.
      }
    }
    this.downSince = null;
    if (this.#users > 0) {
      await this.hello();
      this.epoch++;
    }
  }

  // ---- events ----

  /** A view that needs the server is shown; the way to leave comes back. */
  enter(): () => void {
    this.#users++;
    if (this.phase !== "in") {
      void this.hello();
    }
    return () => {
      this.#users--;
      setTimeout(() => this.#users === 0 && this.#leave(), LEAVE);
    };
  }

  /** Nobody looks any more: the next who does begins anew. */
  #leave(): void {
    this.#stop?.abort();
    this.#last = -1;
    this.live = "off";
    this.phase = this.phase === "in" ? "new" : this.phase;
  }

  listen(hear: (event: LedgerEvent) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** Where the ledger ends before anything else is asked: what comes later is an event. One that ends before what was
   * seen is another ledger: its records begin anew. */
  async #begin(): Promise<void> {
    try {
      const { items } = JSON.parse(await this.ask("/v1/ledger", { query: { order: "desc", limit: 1 } })) as { items: { seq?: number }[] };
      const end = items[0]?.seq ?? -1;
      this.#last = this.#last < 0 ? end : Math.min(this.#last, end);
    } catch (fault) {
      if (!(fault instanceof Refused)) {
        throw fault;
      }
    }
  }

  async #stream(): Promise<void> {
    if (this.#stop && !this.#stop.signal.aborted) {
      return;
    }
    const stop = this.#stop = new AbortController();
    while (!stop.signal.aborted && this.phase === "in") {
      const wait = await this.#listenOnce(stop);
      this.live = this.live === "on" ? "off" : this.live;
      await (this.#back ?? rest(wait));
    }
    stop.abort();
  }

  /** Until the stream ends; how long to wait then. */
  async #listenOnce(stop: AbortController): Promise<number> {
    const one = new AbortController();
    const end = (): void => one.abort();
    stop.signal.addEventListener("abort", end, { once: true });
    let timer = setTimeout(end, SILENCE);
    try {
      const response = await this.#fetch("/v1/events", { signal: one.signal, headers: this.#headers({ Accept: "text/event-stream", ...(this.#last >= 0 ? { "Last-Event-ID": String(this.#last) } : {}) }) });
      if (!response.ok) {
        return await this.#noStream(refusedOf(response.status, await response.text()));
      }
      this.live = "on";
      const reader = response.body!.getReader(), events = new EventReader(), decoder = new TextDecoder();
      for (let got = await reader.read(); !got.done; got = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE);
        events.feed(decoder.decode(got.value, { stream: true })).forEach((e) => this.#tell(e));
      }
      return PAUSE;
    } catch {
      if (!stop.signal.aborted && !one.signal.aborted) {
        this.#lost();
      }
      return PAUSE;
    } finally {
      clearTimeout(timer);
      stop.signal.removeEventListener("abort", end);
      end();
    }
  }

  async #noStream(fault: Refused): Promise<number> {
    if (fault.status === 403) {
      this.live = "polled";
      this.needs = fault.needs;
      this.epoch += document.hidden ? 0 : 1;
      return POLL;
    }
    if (fault.status === 401) {
      await this.hello();
    }
    return BUSY;
  }

  #tell(event: LedgerEvent): void {
    if (event.id > this.#last) {
      this.#last = event.id;
      this.#listeners.forEach((hear) => hear(event));
    }
  }
}

export const server = new Server();

/** What a failed question means for the reader; "" while the banner says it already. */
export function trouble(fault: unknown): string {
  if (fault instanceof Unreachable) {
    return "";
  }
  if (fault instanceof Refused && fault.forbidden) {
    return `You may not see this: it needs ${fault.needs.length ? `the right ${fault.needs.join(" or ")}` : "a right that you were not granted"}.`;
  }
  return fault instanceof Error ? `The server says: ${fault.message}` : String(fault);
}
