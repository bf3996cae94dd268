/* A client of `motet serve`, by fetch: Node 18 and browsers, nothing else needed.
 *
 *   const client = new Client("http://127.0.0.1:8440", { token });
 *   const done = await client.operate("escrow", "release_escrow",
 *     { persona: "escrow_agent", bindings: { EscrowAccount: "acc-1" }, facts, receipt: true });
 *   for await (const event of client.events({ kind: "operation" })) …
 *
 * A method for each route is in routes.ts; this is how they are sent, tried again and read. */
import { ApiError, BadAnswer, ConnectionFailed, MotetError, TimedOut, UsageError } from "./errors.js";
import { EventReader, type EventFilter, type LedgerEvent } from "./events.js";
import { Routes } from "./routes.js";
import { baseOf, passes, pauseAfter, requestFor, valueOf, wholeSettings } from "./wire.js";
import type { CallOptions, Got, Request, Route, Settings, Whole } from "./wire.js";

export * from "./errors.js";
/** Types of what is taken and answered, by their names in /openapi.json. */
export type * as types from "./routes.js";
export type { CallOptions, Settings } from "./wire.js";
export type { EventFilter, LedgerEvent } from "./events.js";

/* A timer of more milliseconds would end at once. */
const TIMER_MOST = 2 ** 31 - 1;
const EVENTS: Route = { method: "GET", path: "/v1/events" };

/** Something that checks receipts offline: the engine of this package, or another. `code` 0: it
 * holds; `text` says what was found, as JSON. */
export interface ReceiptVerifier {
  verifyReceipt(receipt: string, demand: Demand): { text: string; code: number };
}

/** Whose receipt it must be, and what more is demanded (docs/reference/receipts.md). */
export interface Demand {
  keys: readonly string[];
  complete?: boolean;
  domain?: string;
  ledger?: string;
  origin?: string;
}

/** What was verified. */
export interface CheckedReceipt {
  complete: boolean;
  record: number;
  decision: { [name: string]: unknown };
}

/** A receipt does not hold; the message says why. */
export class VerificationError extends MotetError {}

/** A timer that ends a request; `push` gives it more time. */
class Clock {
  readonly control = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly outer: AbortSignal | undefined) {
    outer?.addEventListener("abort", this.end, { once: true });
    if (outer?.aborted) {
      this.end();
    }
  }

  private readonly end = (): void => this.control.abort();

  push(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.end, Math.min(milliseconds, TIMER_MOST));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.end);
  }

  /** What a failed fetch means. */
  faultOf(fault: unknown): unknown {
    if (fault instanceof ApiError || fault instanceof UsageError) {
      return fault;
    }
    if (this.outer?.aborted) {
      return this.outer.reason;
    }
    if (this.control.signal.aborted) {
      return new TimedOut("there was no whole answer in time", "timeout");
    }
    const cause = (fault as { cause?: { code?: unknown; message?: unknown } }).cause;
    const code = String(cause?.code ?? "");
    if (code.startsWith("HPE_") || code === "UND_ERR_HEADERS_OVERFLOW" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
      return new BadAnswer("what came is not HTTP", "not_http");
    }
    const said = String(cause?.message ?? (fault as Error).message);
    return new ConnectionFailed(`the connection failed: ${said}`, code === "ECONNREFUSED" ? "connect" : "broken");
  }
}

export class Client extends Routes {
  private readonly base: string;
  private readonly settings: Whole;

  constructor(url: string, settings: Settings = {}) {
    super();
    this.base = baseOf(url);
    this.settings = wholeSettings(settings);
  }

  /** Any route; the methods beside it know the types. */
  async call(route: Route, places: string[], query: object, body: unknown, options?: CallOptions): Promise<unknown> {
    const request = await requestFor(this.settings, this.base, route, places, query, body, options);
    for (let made = 1; ; made++) {
      try {
        return valueOf(route, await this.exchange(request));
      } catch (fault) {
        if (!(fault instanceof ApiError)) {
          throw fault;
        }
        fault.attempts = made;
        fault.request = `${request.method} ${request.url.slice(this.base.length)}`;
        if (made >= request.attempts || !request.repeatable || !passes(fault)) {
          throw fault;
        }
        await this.rest(pauseAfter(this.settings, made, fault), request.signal);
      }
    }
  }

  private rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", end);
        resolve();
      }, milliseconds);
      const end = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  private send(request: Request, clock: Clock): Promise<Response> {
    clock.push(request.timeout);
    return (this.settings.fetch ?? fetch)(request.url, {
      method: request.method,
      headers: [...request.headers],
      redirect: "manual",
      signal: clock.control.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  }

  /** One attempt, the whole answer. */
  private async exchange(request: Request): Promise<Got> {
    const clock = new Clock(request.signal);
    try {
      const response = await this.send(request, clock);
      return { status: response.status, headers: response.headers, text: await this.text(response) };
    } catch (fault) {
      throw clock.faultOf(fault);
    } finally {
      clock.stop();
    }
  }

  private async text(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    let size = 0;
    let text = "";
    for await (const piece of pieces(response)) {
      size += piece.length;
      if (size > this.settings.answerMost) {
        throw new BadAnswer("the answer is too long", "too_large");
      }
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  /** All items of a list, page by page:
   * `client.pages((after) => client.listRecords({ kind: "operation", after }))` */
  async *pages<T>(page: (after?: string) => Promise<{ items: T[]; next?: string }>): AsyncGenerator<T> {
    let after: string | undefined;
    do {
      const got = await page(after);
      yield* got.items;
      after = got.next || undefined;
    } while (after);
  }

  /** Records as they are made; from now, `after` a record or `from` one. A stream that breaks, or is
   * silent for longer than `silence` milliseconds, is taken up behind the last event: nothing is lost,
   * nothing comes twice. `attempts` failures in a row end it. */
  async *events(filter: EventFilter = {}, options: CallOptions & { silence?: number; resume?: boolean } = {}):
  AsyncGenerator<LedgerEvent> {
    let { after, from, ...narrow } = filter;
    if (after === undefined && from === undefined) {
      const newest = (await this.listRecords({ order: "desc", limit: 1 }, options)).items[0];
      after = newest?.seq;
      from = newest ? undefined : 0;
    }
    let failures = 0;
    for (;;) {
      try {
        for await (const event of this.listen(after === undefined ? { ...narrow, from } : narrow, after, options)) {
          if (after === undefined || event.id > after) {
            after = event.id;
            failures = 0;
            yield event;
          }
        }
      } catch (fault) {
        if (!(fault instanceof ApiError)) {
          throw fault;
        }
        fault.attempts = ++failures;
        if (options.resume === false || !passes(fault) || failures >= (options.attempts ?? this.settings.attempts)) {
          throw fault;
        }
        await this.rest(pauseAfter(this.settings, failures, fault), options.signal);
      }
    }
  }

  private async *listen(query: object, after: number | undefined, options: CallOptions & { silence?: number }):
  AsyncGenerator<LedgerEvent> {
    const headers: { [name: string]: string } = { ...options.headers, Accept: "text/event-stream" };
    if (after !== undefined) {
      headers["Last-Event-ID"] = String(after);
    }
    const request = await requestFor(this.settings, this.base, EVENTS, [], query, undefined, { ...options, headers });
    const clock = new Clock(options.signal);
    try {
      const response = await this.send(request, clock);
      if (response.status !== 200) {
        valueOf(EVENTS, { status: response.status, headers: response.headers, text: await this.text(response) });
      }
      if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
        throw new BadAnswer("the answer is not a stream of events", "not_events");
      }
      const reader = new EventReader();
      const decoder = new TextDecoder();
      clock.push(options.silence ?? 90000);
      for await (const piece of pieces(response)) {
        yield* reader.feed(decoder.decode(piece, { stream: true }));
        clock.push(options.silence ?? 90000);
      }
      throw new ConnectionFailed("the stream ended", "closed");
    } catch (fault) {
      throw clock.faultOf(fault);
    } finally {
      clock.stop();
      clock.control.abort();
    }
  }

  /** Checks a receipt offline, with the keys you trust. Throws VerificationError if it does not hold. */
  verify(verifier: ReceiptVerifier, receipt: object, demand: Demand): CheckedReceipt {
    const { text, code } = verifier.verifyReceipt(JSON.stringify(receipt), demand);
    const found = JSON.parse(text) as CheckedReceipt & { problem?: string };
    if (code !== 0) {
      throw new VerificationError(found.problem ?? "it does not hold", "does_not_hold");
    }
    return found;
  }
}

/** The body as it comes. Streams of browsers are not iterable everywhere. */
async function* pieces(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) {
    return;
  }
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}


