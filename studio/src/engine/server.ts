/* The language server in the worker. Every question brings the files as they are, and the server is first told what
 * changed since the last one: so it is in step whatever was opened, renamed or replaced, and after a trap
 * it is simply told everything again.
 *
 * It counts columns in characters, as the engine does, and publishes no diagnostics: those are `check`'s. */
import { EngineError } from "motet/engine";
import type { Everything, LanguageServer, Message } from "motet/language";
import type { Files } from "./messages";
import { ROOT, uriOf } from "./uri";

const CLIENT = {
  processId: null, rootUri: uriOf(""), capabilities: {
    general: { positionEncodings: ["utf-32"] },
    textDocument: { completion: { completionItem: { snippetSupport: true } }, diagnostic: {} },
    workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
  },
};

export class Language {
  #of: Everything | undefined;
  #server: LanguageServer | undefined;
  readonly #texts = new Map<string, string>();
  #count = 0;

  ask(all: Everything, files: Files, method: string, params: object): unknown {
    const id = ++this.#count;
    const said = this.#started(all).send(...this.#news(files), { jsonrpc: "2.0", id, method, params });
    const answer = said.find((m) => m.id === id && m.method === undefined);
    if (answer?.error) {
      throw new EngineError(answer.error.message, "language");
    }
    return answer?.result ?? null;
  }

  #started(all: Everything): LanguageServer {
    if (this.#of !== all || !this.#server) {
      const texts = this.#texts;
      texts.clear();
      this.#of = all;
      this.#server = all.server({
        read: (path) => texts.get(path.slice(ROOT.length)),
        list: (folder) => [...texts.keys()].map((path) => ROOT + path).filter((path) => path.startsWith(folder.replace(/\/?$/, "/"))),
      });
      this.#server.send({ jsonrpc: "2.0", id: 0, method: "initialize", params: CLIENT }, { jsonrpc: "2.0", method: "initialized", params: {} });
    }
    return this.#server;
  }

  /** What the server does not know yet. */
  *#news(files: Files): Iterable<Message> {
    const tell = (what: string, path: string, more: object, of: object = {}): Message =>
      ({ jsonrpc: "2.0", method: `textDocument/${what}`, params: { textDocument: { uri: uriOf(path), ...of }, ...more } });
    for (const path of [...this.#texts.keys()].filter((p) => !files.some(([there]) => there === p))) {
      this.#texts.delete(path);
      yield tell("didClose", path, {});
    }
    for (const [path, text] of files) {
      const known = this.#texts.get(path), version = ++this.#count;
      this.#texts.set(path, text);
      if (known === undefined) {
        yield tell("didOpen", path, {}, { languageId: /\.tenor$/.test(path) ? "tenor" : "yaml", version, text });
      } else if (known !== text) {
        yield tell("didChange", path, { contentChanges: [{ text }] }, { version });
      }
    }
  }
}
