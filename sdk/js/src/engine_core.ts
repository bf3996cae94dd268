/* The module and its memory: texts in, texts out, handles that free themselves.
 *
 * The ABI is that of C on wasm32: a structure that is returned is written where the first
 * argument points, one that is passed is behind a pointer. Memory may grow in any call, so
 * views of it are made anew after each.
 *
 * A trap ends an engine: its memory may be in the middle of a change. From then on every
 * call throws; load another one. */
import { EngineError, STATUS_NAMES } from "./engine_errors.js";
import { type Randoms, randomSource } from "./random.js";

type Call = (...words: (number | bigint)[]) => number;

/** Functions that C code calls back; each may be missing. */
export interface HostCalls {
  may_act?(persona: number): number;
  apply?(changes: number, count: number): number;
  choose?(step: number, operation: number, out: number): number;
  primitive?(call: number): number;
  read?(path: number, out: number): number;
  handle?(question: number, out: number): number;
  list?(folder: number, out: number): number;
}

const WASI_BAD_FILE = 8;
const NOT_FOUND = 8; // MOTET_E_NOTFOUND
const RANDOM_MOST = 65536; // bytes that getRandomValues() gives at once
const KEPT_ROOM = 1 << 20; // a larger buffer is given back before the next text

/* Node 18 has the symbol from 18.18 on, browsers later: then it is made here. */
export const dispose: symbol = ((): symbol => {
  const there = Symbol as unknown as { dispose?: symbol };
  if (!there.dispose) {
    Object.defineProperty(Symbol, "dispose", { value: Symbol("Symbol.dispose") });
  }
  return there.dispose as symbol;
})();

/** Half a character would become another one on the way. */
function wellFormed(value: string): string {
  const there = value as string & { isWellFormed?(): boolean };
  if (there.isWellFormed ? !there.isWellFormed() : /\p{Surrogate}/u.test(value)) {
    throw new EngineError("the text is not valid Unicode", "usage");
  }
  return value;
}

/** One C object. It is freed when it and everything that borrows from it is done. */
export class Handle {
  #borrowers = 0;
  #over = false;
  #freed = false;

  constructor(readonly core: Core, readonly pointer: number, readonly free: () => void,
    readonly lenders: readonly Handle[] = []) {
    for (const lender of lenders) {
      lender.#borrowers++;
    }
  }

  get over(): boolean {
    return this.#over;
  }

  release(): void {
    this.#over = true;
    this.#end();
  }

  /** A call that may call back: what is freed in there is freed when the call is over. */
  during<T>(run: () => T): T {
    this.#borrowers++;
    try {
      return run();
    } finally {
      this.#borrowers--;
      this.#end();
    }
  }

  /** Where it is in the memory of `core`. An address of another engine would mean anything. */
  of(core: Core): number {
    if (this.core !== core) {
      throw new EngineError("it is of another engine", "usage");
    }
    return this.pointer;
  }

  #end(): void {
    if (!this.#over || this.#freed || this.#borrowers > 0) {
      return;
    }
    this.#freed = true;
    if (!this.core.broken) {
      this.free();
    }
    for (const lender of this.lenders) {
      lender.#borrowers--;
      lender.#end();
    }
  }
}

const forgotten = new FinalizationRegistry<Handle>((handle) => handle.release());

/** Base of everything that has a C object behind it. */
export abstract class Owner {
  readonly #handle: Handle;

  protected constructor(handle: Handle) {
    this.#handle = handle;
    forgotten.register(this, handle, this);
  }

  /** The C object. Throws when it was freed. */
  get handle(): Handle {
    if (this.#handle.over) {
      throw new EngineError("it was freed", "freed");
    }
    return this.#handle;
  }

  /** Gives the memory back now. What it lent (facts, runs) stays good until freed itself. */
  free(): void {
    forgotten.unregister(this);
    this.#handle.release();
  }
}
Object.defineProperty(Owner.prototype, dispose, { value: Owner.prototype.free });

export class Core {
  readonly #exports: Record<string, Call>;
  readonly #memory: WebAssembly.Memory;
  readonly #randoms: Randoms;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #hosts: Map<number, HostCalls> = new Map();
  #view: DataView;
  #bytes: Uint8Array;
  #said = "";
  #next = 1;
  #out = 0; // room for what calls return by value
  broken: EngineError | undefined;

  private constructor(instance: WebAssembly.Instance, randoms: Randoms) {
    this.#randoms = randoms;
    this.#exports = instance.exports as unknown as Record<string, Call>;
    this.#memory = instance.exports["memory"] as WebAssembly.Memory;
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
  }

  static async start(module: WebAssembly.Module): Promise<Core> {
    let core: Core | undefined;
    const randoms = await randomSource();
    const there = (): Core => core as Core;
    const host = (user: number): HostCalls => there().#hosts.get(user) ?? {};
    const instance = await WebAssembly.instantiate(module, {
      motet: {
        may_act: (u: number, persona: number) => host(u).may_act?.(persona) ?? 1,
        apply: (u: number, at: number, count: number) => host(u).apply?.(at, count) ?? 0,
        choose: (u: number, step: number, op: number, out: number) => host(u).choose?.(step, op, out) ?? 0,
        primitive: (u: number, call: number) => host(u).primitive?.(call) ?? 0,
        read: (u: number, path: number, out: number) => host(u).read?.(path, out) ?? NOT_FOUND,
        handle: (u: number, question: number, out: number) => host(u).handle?.(question, out) ?? 0,
        list: (u: number, folder: number, out: number) => host(u).list?.(folder, out) ?? NOT_FOUND,
      },
      wasi_snapshot_preview1: {
        fd_close: () => WASI_BAD_FILE,
        fd_seek: () => WASI_BAD_FILE,
        fd_read: () => WASI_BAD_FILE,
        fd_fdstat_get: () => WASI_BAD_FILE,
        fd_write: (_: number, parts: number, count: number, written: number) =>
          there().#hear(parts, count, written),
        random_get: (at: number, count: number) => there().#random(at, count),
        clock_time_get: (_: number, __: bigint, at: number) => there().#clock(at),
        proc_exit: (code: number) => {
          throw new EngineError(`the engine ended with ${code}`, "bug");
        },
      },
    });
    core = new Core(instance, randoms);
    core.call("_initialize");
    core.#out = core.alloc(256);
    return core;
  }

  has(name: string): boolean {
    return name in this.#exports;
  }

  /** Calls an export. A trap ends the engine. */
  call(name: string, ...words: number[]): number {
    return this.#run(name, words);
  }

  /** The same with an argument of 64 bits, and what comes behind it. */
  callLong(name: string, words: number[], long: bigint, ...behind: number[]): number {
    return this.#run(name, [...words, long, ...behind]);
  }

  #run(name: string, words: (number | bigint)[]): number {
    if (this.broken) {
      throw this.broken;
    }
    const run = this.#exports[name];
    if (!run) {
      throw new EngineError(`this module has no ${name}`, "usage");
    }
    try {
      return run(...words);
    } catch (fault) {
      if (!(fault instanceof WebAssembly.RuntimeError || fault instanceof RangeError)) {
        throw fault;
      }
      const deep = fault instanceof RangeError || /stack/i.test((fault as Error).message);
      this.broken = new EngineError(
        `the engine stopped: ${this.#said.trim() || (fault as Error).message}; load another`, deep ? "limit" : "bug");
      throw this.broken;
    }
  }

  // ---- memory ----

  #fresh(): void {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#view = new DataView(this.#memory.buffer);
    }
  }

  get view(): DataView {
    this.#fresh();
    return this.#view;
  }

  /** How much memory the engine has, in bytes. It never shrinks. */
  get size(): number {
    return this.#memory.buffer.byteLength;
  }

  alloc(count: number): number {
    const at = this.call("malloc", count || 1);
    if (!at) {
      throw new EngineError("there is no more memory", "limit");
    }
    return at;
  }

  word(at: number): number {
    return this.view.getUint32(at, true);
  }

  setWords(at: number, ...words: number[]): void {
    const view = this.view;
    words.forEach((word, i) => view.setUint32(at + 4 * i, word, true));
  }

  text(pointer: number, length: number): string {
    this.#fresh();
    return this.#decoder.decode(this.#bytes.subarray(pointer, pointer + length));
  }

  /** Text that ends with a zero. */
  textZ(pointer: number): string {
    this.#fresh();
    return pointer ? this.text(pointer, this.#bytes.indexOf(0, pointer) - pointer) : "";
  }

  /** The motet_str at an address. */
  str(at: number): string {
    return this.text(this.word(at), this.word(at + 4));
  }

  /** What a function that returns a motet_str gives. */
  said(name: string, ...words: number[]): string {
    this.call(name, this.#out, ...words);
    return this.str(this.#out);
  }

  /** Where a function writes a structure or a pointer. */
  get out(): number {
    return this.#out;
  }

  /** Copies bytes to an address of its own, with a zero behind; free it. */
  put(value: string): { at: number; length: number } {
    const most = wellFormed(value).length * 3;
    const at = this.alloc(most + 1);
    this.#fresh();
    const length = this.#encoder.encodeInto(value, this.#bytes.subarray(at, at + most)).written ?? 0;
    this.#bytes[at + length] = 0;
    return { at, length };
  }

  /** The same for bytes as they are. */
  putBytes(bytes: Uint8Array): number {
    const at = this.alloc(bytes.length);
    this.#fresh();
    this.#bytes.set(bytes, at);
    return at;
  }

  /** Copies bytes to where there is room for them. */
  write(at: number, bytes: Uint8Array): void {
    this.#fresh();
    this.#bytes.set(bytes, at);
  }

  /** A copy of what is at an address. */
  bytes(pointer: number, length: number): Uint8Array {
    this.#fresh();
    return this.#bytes.slice(pointer, pointer + length);
  }

  /** Texts for the time of one call, all as (pointer, length) and ending with a zero. */
  withTexts<T>(values: readonly string[], run: (texts: { at: number; length: number }[]) => T): T {
    const texts = values.map((value) => this.put(value));
    try {
      return run(texts);
    } finally {
      if (!this.broken) {
        texts.forEach((t) => this.call("free", t.at));
      }
    }
  }

  /** A buffer that is used again and again; it grows, and is freed by its owner. */
  fill(room: { at: number; size: number }, value: string): number {
    const most = wellFormed(value).length * 3 + 1;
    if (most > room.size || room.size > KEPT_ROOM) {
      this.call("free", room.at);
      room.size = Math.max(most, 4096);
      room.at = this.alloc(room.size);
    }
    this.#fresh();
    const bytes = this.#bytes.subarray(room.at, room.at + room.size);
    const length = this.#encoder.encodeInto(value, bytes).written ?? 0;
    bytes[length] = 0;
    return length;
  }

  // ---- hosts ----

  /** Functions that C code may call back by this number. */
  addHost(calls: HostCalls): number {
    const user = this.#next++;
    this.#hosts.set(user, calls);
    return user;
  }

  dropHost(user: number): void {
    this.#hosts.delete(user);
  }

  // ---- what the module asks of the world ----

  #hear(parts: number, count: number, written: number): number {
    let all = 0;
    for (let i = 0; i < count; i++) {
      this.#said += this.str(parts + 8 * i);
      all += this.word(parts + 8 * i + 4);
    }
    this.#said = this.#said.slice(-4096);
    this.setWords(written, all);
    return 0;
  }

  #random(at: number, count: number): number {
    this.#fresh();
    for (let done = 0; done < count; done += RANDOM_MOST) {
      const part = Math.min(RANDOM_MOST, count - done);
      this.#randoms.getRandomValues(this.#bytes.subarray(at + done, at + done + part));
    }
    return 0;
  }

  #clock(at: number): number {
    this.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  }

  // ---- errors ----

  statusText(status: number): string {
    return this.textZ(this.call("motet_status_text", status));
  }

  statusName(status: number): string {
    return STATUS_NAMES[status] ?? `status_${status}`;
  }
}
