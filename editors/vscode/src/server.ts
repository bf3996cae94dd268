/** The language server: which program it is, its life, and what is asked of it directly. */
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State } from "vscode-languageclient/node";
import type { LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { explainFound, findMotet } from "./pure/find";
import { nest } from "./pure/locate";
import type { FileSymbols, Symbol } from "./pure/locate";
import { asList, asObject, asText } from "./pure/results";
import { surroundings } from "./run";

/** More files of one contract are not looked at for a place. */
const MOST_FILES = 200;

type AskHandler = (uri: string, question: string) => Promise<unknown>;
type TestHandler = (uri: string, answer: unknown) => Promise<unknown>;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private program: string | undefined;
  private starting: Promise<void> = Promise.resolve();
  /** Answers the questions above constructs. */
  onAsk: AskHandler | undefined;
  /** Shows what the scenarios above constructs gave. */
  onTested: TestHandler | undefined;

  constructor(private readonly output: vscode.LogOutputChannel, private readonly readme: vscode.Uri) {}

  /** The program, or undefined after the reader was told how to get it. */
  async motet(): Promise<string | undefined> {
    if (!this.program) {
      const setting = vscode.workspace.getConfiguration("motet").get<string>("path", "");
      const found = await findMotet(setting, surroundings());
      const words = explainFound(found, setting);
      if (found.kind !== "found") {
        this.output.error(words);
        void this.help(words);
        return undefined;
      }
      this.output.info(words);
      this.program = found.file;
    }
    return this.program;
  }

  private async help(words: string): Promise<void> {
    const settings = "Open the Setting", how = "How to Get It";
    const chosen = await vscode.window.showErrorMessage(words, settings, how);
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "motet.path");
    } else if (chosen === how) {
      await vscode.commands.executeCommand("markdown.showPreview", this.readme);
    }
  }

  /** One after the other: two servers for the same files would both be heard. */
  start(): Promise<void> {
    this.starting = this.starting.then(() => this.startNow()).catch((error: unknown) => {
      this.output.error(`the language server does not start: ${String(error)}`);
      void vscode.window.showErrorMessage(`The language server of Motet does not start: ${String(error)}`);
    });
    return this.starting;
  }

  async restart(): Promise<void> {
    this.program = undefined;
    await this.start();
  }

  private async startNow(): Promise<void> {
    await this.stop();
    const program = await this.motet();
    if (!program) {
      return;
    }
    const log = vscode.workspace.getConfiguration("motet").get<string>("log", "").trim();
    const options: ServerOptions = { command: program, args: ["lsp", ...(log ? ["--log", log] : [])] };
    const client = new LanguageClient("motet", "Motet", options, this.options());
    this.client = client;
    await client.start();
  }

  private options(): LanguageClientOptions {
    const patterns = vscode.workspace.getConfiguration("motet").get<string[]>("dataFiles", []);
    return {
      documentSelector: [{ scheme: "file", language: "tenor" }, { scheme: "untitled", language: "tenor" },
        ...patterns.filter((p) => typeof p === "string").map((pattern) => ({ scheme: "file", pattern }))],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{tenor,yaml,yml,json}") },
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: {
        executeCommand: (command, words, next) => this.perform(command, words as unknown[], () => next(command, words)),
      },
    };
  }

  /** Commands of the server, which stand above constructs and scenarios. */
  private async perform(command: string, words: readonly unknown[], next: () => unknown): Promise<unknown> {
    const [uri, question] = words;
    if (command === "motet.ask" && this.onAsk && typeof uri === "string" && typeof question === "string") {
      return this.onAsk(uri, question);
    }
    const answer = await next();
    return command === "motet.test" && this.onTested && typeof uri === "string" ? this.onTested(uri, answer) : answer;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client && client.state !== State.Stopped) {
      await client.stop().catch((error: unknown) => this.output.warn(`the language server did not end by itself: ${String(error)}`));
    }
    await client?.dispose().catch(() => undefined);
  }

  dispose(): Promise<void> {
    return this.stop();
  }

  /** Rejects with what the server says, or that there is none. */
  async request(method: string, params: object, token?: vscode.CancellationToken): Promise<unknown> {
    await this.starting;
    if (!this.client || this.client.state !== State.Running) {
      throw new Error("the language server is not running");
    }
    return token ? this.client.sendRequest(method, params, token) : this.client.sendRequest(method, params);
  }

  /** The symbols of a contract: of its file and of those it imports. */
  async symbolsOf(uri: vscode.Uri): Promise<readonly FileSymbols[]> {
    const found: FileSymbols[] = [], waiting = [uri], known = new Set([uri.toString()]);
    for (let next = waiting.shift(); next && found.length < MOST_FILES; next = waiting.shift()) {
      const document = await vscode.workspace.openTextDocument(next);
      const params = { textDocument: { uri: next.toString() } };
      const symbols = asList(await this.request("textDocument/documentSymbol", params)).map(readSymbol);
      found.push({ file: next.toString(), symbols: nest(symbols, document.getText()) });
      for (const link of asList(await this.request("textDocument/documentLink", params))) {
        const target = asText(asObject(link)["target"]);
        if (target.endsWith(".tenor") && !known.has(target)) {
          known.add(target);
          waiting.push(vscode.Uri.parse(target));
        }
      }
    }
    return found;
  }
}

function readSymbol(value: unknown): Symbol {
  const o = asObject(value);
  return { name: asText(o["name"]), detail: asText(o["detail"]), range: o["range"] as Symbol["range"],
    selectionRange: o["selectionRange"] as Symbol["range"], children: asList(o["children"]).map(readSymbol) };
}
