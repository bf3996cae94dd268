/* How a call becomes a request, how an answer becomes a value or an error, and what is tried
 * again. Nothing is sent in here.
 *
 * A write carries an Idempotency-Key, made once per call, so that trying again cannot do it
 * twice. A write without one (`keys: false`) is sent once, whatever happens. */
import { ApiError, BadAnswer, ConnectionFailed, Problem, Redirected, TimedOut, UsageError } from "./errors.js";
import { randomSource } from "./random.js";

/** A row of the API. `writes`: takes an Idempotency-Key; `lines`: JSON lines both ways. */
export interface Route {
  method: string;
  path: string;
  writes?: boolean;
  lines?: boolean;
  text?: boolean;
}

/** For one call; what is absent is as the client has it. */
export interface CallOptions {
  idempotencyKey?: string;
  /** Milliseconds for one attempt as a whole. */
  timeout?: number;
  attempts?: number;
  traceparent?: string;
  tracestate?: string;
  headers?: { [name: string]: string };
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface Settings {
  token?: string;
  /** Milliseconds for one attempt as a whole (30000). */
  timeout?: number;
  /** How often a call is tried at most (4). */
  attempts?: number;
  /** Milliseconds before the second attempt (100); doubles up to `pauseMost` (5000). */
  pause?: number;
  pauseMost?: number;
  /** false: writes carry only keys that are given, and are not tried again without. */
  keys?: boolean;
  /** Bytes of an answer at most (256 MiB). */
  answerMost?: number;
  headers?: { [name: string]: string };
  fetch?: typeof fetch;
}

export type Whole = Required<Omit<Settings, "token" | "fetch">> & Pick<Settings, "token" | "fetch">;

export interface Request {
  method: string;
  url: string;
  headers: Map<string, string>;
  body: string | undefined;
  repeatable: boolean;
  timeout: number;
  attempts: number;
  signal: AbortSignal | undefined;
}

const RETRY_STATUS = [429, 502, 503, 504];
/* The server says "ask again": nothing was decided, or nobody knows what was. */
const RETRY_CODES = ["conflict", "contract_changed", "outcome_unknown"];
const PRINTABLE = /^[\x20-\x7e]*$/;

export function wholeSettings(given: Settings): Whole {
  const whole = { timeout: 30000, attempts: 4, pause: 100, pauseMost: 5000, keys: true,
    answerMost: 256 * 1024 * 1024, headers: {}, ...given };
  positive(whole.attempts, whole.timeout);
  return whole;
}

function positive(attempts: number, timeout: number): void {
  if (!Number.isInteger(attempts) || attempts < 1 || !(timeout > 0)) {
    throw new UsageError("attempts is a whole number from 1, timeout more than 0");
  }
}

/** The URL of a server, without what it must not have, and without a slash at its end. */
export function baseOf(url: string): string {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    throw new UsageError(`'${url}' is not a URL`);
  }
  if (parts.protocol !== "http:" && parts.protocol !== "https:") {
    throw new UsageError(`'${url}' is not an http or https URL`);
  }
  if (parts.username || parts.password || parts.search || parts.hash) {
    throw new UsageError("the URL of a server has no user, query or fragment");
  }
  return parts.href.replace(/\/+$/, "");
}

function segment(value: string): string {
  if (typeof value !== "string" || value === "") {
    throw new UsageError("a name in a path is text that is not empty");
  }
  /* fetch takes %2E%2E for dots and goes elsewhere. */
  if (value === "." || value === "..") {
    throw new UsageError(`the name '${value}' cannot be sent by fetch`);
  }
  try {
    return encodeURIComponent(value).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  } catch {
    throw new UsageError("a name in a path is not valid Unicode");
  }
}

function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return text.length ? "?" + text.join("&") : "";
}

function jsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === "number" && !Number.isFinite(inner)) {
        throw new UsageError("the body has a number that JSON has not");
      }
      return inner;
    });
  } catch (fault) {
    throw new UsageError(`the body is not JSON: ${(fault as Error).message}`);
  }
  if (text === undefined) {
    throw new UsageError("the body is not JSON");
  }
  return text;
}

function bodyText(route: Route, body: unknown): string | undefined {
  if (body === undefined) {
    return undefined;
  }
  return route.lines ? (body as unknown[]).map((line) => jsonText(line) + "\n").join("") : jsonText(body);
}

/** 128 random bits. */
async function randomKey(): Promise<string> {
  const source = await randomSource();
  return [...source.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

async function keyFor(settings: Whole, route: Route, options: CallOptions): Promise<string | undefined> {
  if (!route.writes) {
    return undefined;
  }
  const key = options.idempotencyKey ?? (settings.keys ? await randomKey() : undefined);
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new UsageError("an Idempotency-Key has 1 to 255 printable ASCII characters and no space");
  }
  return key;
}

export async function requestFor(settings: Whole, base: string, route: Route, places: string[], query: object,
  body: unknown, options: CallOptions = {}): Promise<Request> {
  const names = [...places];
  const path = route.path.replace(/{\w+}/g, () => segment(names.shift() ?? ""));
  const text = bodyText(route, body);
  const key = await keyFor(settings, route, options);
  const headers = new Map<string, string>();
  const put = (name: string, value: string | undefined): void => {
    if (value === undefined) {
      return;
    }
    if (typeof value !== "string" || !PRINTABLE.test(value) || !/^[\w!#$%&'*+\-.^`|~]+$/.test(name)) {
      throw new UsageError(`the header '${name}' is not one line of printable ASCII`);
    }
    headers.set(name.toLowerCase(), value);
  };
  put("Accept", "application/json, application/problem+json, */*;q=0.5");
  for (const [name, value] of Object.entries({ ...settings.headers, ...options.headers })) {
    put(name, value);
  }
  put("Authorization", settings.token === undefined ? undefined : `Bearer ${settings.token}`);
  put("Idempotency-Key", key);
  put("traceparent", options.traceparent);
  put("tracestate", options.tracestate);
  put("Content-Type", text === undefined ? undefined : route.lines ? "application/jsonl" : "application/json");
  const attempts = options.attempts ?? settings.attempts;
  const timeout = options.timeout ?? settings.timeout;
  positive(attempts, timeout);
  return { method: route.method, url: base + path + queryText(query), headers, body: text,
    repeatable: !route.writes || key !== undefined, timeout, attempts, signal: options.signal };
}

/** What came back, whole. */
export interface Got {
  status: number;
  headers: Headers;
  text: string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BadAnswer("the answer is not JSON", "not_json");
  }
}

/** The answer as a value; throws what it says otherwise. */
export function valueOf(route: Route, got: Got): unknown {
  if (got.status === 0 || (got.status >= 300 && got.status < 400 && got.status !== 304)) {
    throw new Redirected(`the server points to '${got.headers.get("location") ?? "nowhere"}'`, "redirected");
  }
  if (got.status >= 400) {
    throw problemOf(got);
  }
  if (got.status === 304 || !got.text) {
    throw new BadAnswer(`the answer ${got.status} has no body`, "no_body");
  }
  if (route.text) {
    return got.text;
  }
  const kind = (got.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!["application/json", "application/jsonl", "application/problem+json"].includes(kind)) {
    throw new BadAnswer(`the answer is ${kind || "of no type"}, not JSON`, "not_json");
  }
  return route.lines ? got.text.split("\n").filter((line) => line).map(parse) : parse(got.text);
}

/** A problem of RFC 9457; of anything else with an error's status, what is known of it. */
export function problemOf(got: Got): Problem {
  let members: unknown;
  if ((got.headers.get("content-type") ?? "").startsWith("application/problem+json")) {
    try {
      members = JSON.parse(got.text);
    } catch {
      members = undefined;
    }
  }
  if (typeof members !== "object" || members === null || Array.isArray(members)) {
    members = { title: got.text.slice(0, 200).trim() };
  }
  const asked = got.headers.get("retry-after") ?? "";
  return new Problem(got.status, members as { [name: string]: unknown }, got.headers.get("x-request-id") ?? "",
    /^[0-9]{1,8}$/.test(asked) ? Number(asked) : undefined);
}

/** May the same request come to something else? */
export function passes(fault: ApiError): boolean {
  if (fault instanceof Problem) {
    return RETRY_STATUS.includes(fault.status) || RETRY_CODES.includes(fault.code);
  }
  return fault instanceof ConnectionFailed || fault instanceof TimedOut;
}

/** Milliseconds; doubles, partly left to chance; at least what the server asks for. */
export function pauseAfter(settings: Whole, made: number, fault: ApiError): number {
  const most = Math.min(settings.pauseMost, settings.pause * 2 ** Math.min(made - 1, 30));
  const asked = fault instanceof Problem ? (fault.retryAfter ?? 0) * 1000 : 0;
  return Math.max(Math.min(asked, settings.pauseMost), most * (0.5 + Math.random() / 2));
}
