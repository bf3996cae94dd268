/** The real `motet`, for tests: as a program and as a language server. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StreamMessageReader, StreamMessageWriter, createProtocolConnection } from "vscode-languageserver-protocol/node";
import type { ProtocolConnection } from "vscode-languageserver-protocol/node";
import { nest } from "../src/pure/locate";
import type { FileSymbols, Symbol } from "../src/pure/locate";

export const MOTET = process.env["MOTET"] ?? "motet";
/** The root of the project. */
export const SOURCE = process.env["MOTET_SOURCE"] ?? "../..";

export function motet(words: readonly string[], input = ""): { code: number | null; out: string; err: string } {
  const ran = spawnSync(MOTET, words, { input, encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: "1" } });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

export function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).flatMap((e) => {
    const path = join(folder, e.name);
    return e.isDirectory() ? filesBelow(path, ending) : e.name.endsWith(ending) ? [path] : [];
  });
}

/** A conversation with a server of its own. */
export class Talk {
  private readonly child: ChildProcess;
  readonly connection: ProtocolConnection;

  /** Ends it whatever happens: a server that is left keeps a test from ending. */
  static async with<T>(call: (talk: Talk, legend: readonly string[]) => Promise<T>): Promise<T> {
    const talk = new Talk();
    try {
      const started = await talk.start();
      return await call(talk, started.capabilities.semanticTokensProvider.legend.tokenTypes);
    } finally {
      talk.end();
    }
  }

  private constructor() {
    const child = spawn(MOTET, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    this.connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    this.connection.listen();
  }

  ask(method: string, params: object): Promise<unknown> {
    return this.connection.sendRequest(method, params);
  }

  private async start(): Promise<{ capabilities: { semanticTokensProvider: { legend: { tokenTypes: string[] } } } }> {
    const started = await this.ask("initialize", { capabilities: {}, processId: null, rootUri: null });
    await this.connection.sendNotification("initialized", {});
    return started as { capabilities: { semanticTokensProvider: { legend: { tokenTypes: string[] } } } };
  }

  async open(path: string, text = readFileSync(path, "utf8")): Promise<string> {
    const uri = pathToFileURL(path).toString();
    await this.connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "tenor", version: 1, text } });
    return uri;
  }

  close(uri: string): Promise<void> {
    return this.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  }

  async symbols(path: string, text = readFileSync(path, "utf8")): Promise<readonly FileSymbols[]> {
    const uri = await this.open(path, text);
    const found = await this.ask("textDocument/documentSymbol", { textDocument: { uri } }) as Symbol[];
    const whole = (s: Symbol): Symbol => ({ ...s, children: (s.children ?? []).map(whole) });
    return [{ file: uri, symbols: nest(found.map(whole), text) }];
  }

  private end(): void {
    this.connection.dispose();
    this.child.kill();
  }
}
