/* The language server in this process, and everything else beside it in one module.
 *
 *   const { server } = await loadAll();
 *   const editor = server({ "/shop/order.tenor": text });
 *   for (const message of editor.send({ jsonrpc: "2.0", id: 1, method: "initialize", params })) { … }
 *
 * It is the server of `motet lsp`: the same messages, byte for byte. Texts that the editor
 * has open come by didOpen and didChange; all others are asked of the workspace, by path. */
import { compile, Engine, EngineError, type Source } from "./engine.js";
import { Core, Handle, Owner } from "./engine_core.js";
import { GraphEngine } from "./engine_graph.js";

const OK = 0;
const E_NOTFOUND = 8;
const GOES_ON = 0xffffffff; // -1

/** A request, an answer or a notification of JSON-RPC. */
export interface Message {
  jsonrpc: "2.0";
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** What is not open in the editor. Paths are absolute, without `.` and `..`. */
export interface Workspace {
  /** Undefined: there is no such file. */
  read(path: string): string | undefined;
  /** The paths of all files below a folder; without it nobody knows which there are. */
  list?(folder: string): Iterable<string>;
}

/** Everything that Motet has without files, in one memory. */
export interface Everything {
  engine: Engine;
  graphs: GraphEngine;
  /** A language server over files, or over texts by path. */
  server(files?: Workspace | { readonly [path: string]: string }): LanguageServer;
}

export async function loadAll(source?: Source): Promise<Everything> {
  const core = await Core.start(await compile(source, "./motet-all.wasm"));
  return {
    engine: new Engine(core),
    graphs: new GraphEngine(core),
    server: (files = {}) => new LanguageServer(core, isWorkspace(files) ? files : workspaceOf(files)),
  };
}

function isWorkspace(files: Workspace | { readonly [path: string]: string }): files is Workspace {
  return typeof files["read"] === "function";
}

function workspaceOf(files: { readonly [path: string]: string }): Workspace {
  return {
    read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    list: (folder) => Object.keys(files).filter((path) => path.startsWith(folder.replace(/\/?$/, "/"))),
  };
}

/** What the page's functions need, without the server: that must be free to be forgotten. */
interface Kept {
  at: number;
  thrown?: unknown;
}

function give(core: Core, kept: Kept, text: string, out: number): void {
  core.call("free", kept.at);
  const given = core.put(text);
  kept.at = given.at;
  core.setWords(out, given.at, given.length);
}

/* What a function throws is thrown again when the server is done: it must not unwind C. */
function guarded(kept: Kept, run: () => number): number {
  try {
    return run();
  } catch (fault) {
    kept.thrown ??= fault;
    return E_NOTFOUND;
  }
}

/** One editor's server. */
export class LanguageServer extends Owner {
  readonly #core: Core;
  readonly #kept: Kept;

  constructor(core: Core, files: Workspace) {
    const kept: Kept = { at: 0 };
    const user = core.addHost({
      read: (path, out) => guarded(kept, () => {
        const text = files.read(core.str(path));
        if (text === undefined) {
          return E_NOTFOUND;
        }
        give(core, kept, text, out);
        return OK;
      }),
      list: (folder, out) => guarded(kept, () => {
        const paths = [...(files.list?.(core.str(folder)) ?? [])];
        give(core, kept, paths.map((path) => `${path}\0`).join(""), out);
        return OK;
      }),
    });
    const pointer = core.call("motet_wasm_language_new", user);
    super(new Handle(core, pointer, () => {
      core.call("motet_wasm_language_free", pointer);
      core.call("free", kept.at);
      core.dropHost(user);
    }));
    this.#core = core;
    this.#kept = kept;
  }

  /** Bytes as they come over a pipe, in any portions, and what is to be sent back. What a function
   *  of the workspace threw is thrown again; the file counts as missing and the server lives. */
  hear(bytes: Uint8Array): Uint8Array {
    const core = this.#core;
    const given = core.putBytes(bytes);
    let said: Uint8Array;
    try {
      core.setWords(core.out, given, bytes.length);
      core.call("motet_wasm_language_hear", this.handle.pointer, core.out, core.out + 8);
      said = core.bytes(core.word(core.out + 8), core.word(core.out + 12));
    } finally {
      if (!core.broken) {
        core.call("free", given);
      }
    }
    const thrown = this.#kept.thrown;
    this.#kept.thrown = undefined;
    if (thrown !== undefined) {
      throw thrown;
    }
    return said;
  }

  /** Messages, or their texts, and what is to be sent back. Give what came together at once: then
   *  what became stale by a later message is not worked on. */
  send(...messages: (Message | string)[]): Message[] {
    return this.sendText(...messages).map((text) => JSON.parse(text) as Message);
  }

  /** The same with the bytes of the answers as they are. */
  sendText(...messages: (Message | string)[]): string[] {
    return unframed(this.hear(framed(messages.map((m) => (typeof m === "string" ? m : JSON.stringify(m))))));
  }

  /** Has the editor said `exit`? 0, or 1 if it had not said `shutdown`; undefined: it goes on. */
  get ended(): number | undefined {
    const status = this.#core.call("motet_wasm_language_status", this.handle.pointer) >>> 0;
    return status === GOES_ON ? undefined : status;
  }
}

function framed(texts: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = texts.flatMap((text) => {
    const body = encoder.encode(text);
    return [encoder.encode(`Content-Length: ${body.length}\r\n\r\n`), body];
  });
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

/* The server's own frames: one header, and the body. */
function unframed(bytes: Uint8Array): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const texts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const head = decoder.decode(bytes.subarray(at, at + 64));
    const [frame, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(head) ?? [];
    if (!frame) {
      throw new EngineError("the server sent what is not a message", "bug");
    }
    const from = at + frame.length;
    at = from + Number(length);
    texts.push(decoder.decode(bytes.subarray(from, at)));
  }
  return texts;
}
