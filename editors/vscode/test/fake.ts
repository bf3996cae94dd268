/** A small `vscode` for tests: documents, diagnostics, commands, panels and tests are kept; all else
 * that is registered is taken and forgotten. */
import { EventEmitter as Emitter } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import Module from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

type Any = any; // eslint-disable-line

class Disposable {
  constructor(readonly dispose: () => void = () => undefined) {}
  static from(...all: Disposable[]): Disposable {
    return new Disposable(() => all.forEach((d) => d.dispose()));
  }
}

class Event {
  private readonly all = new Emitter();
  readonly event = (listener: (e: Any) => void, self?: object): Disposable => {
    const call = self ? listener.bind(self) : listener;
    this.all.on("e", call);
    return new Disposable(() => this.all.off("e", call));
  };
  fire(e?: Any): void {
    this.all.emit("e", e);
  }
  dispose(): void {
    this.all.removeAllListeners();
  }
}

class Uri {
  private constructor(readonly scheme: string, readonly path: string) {}
  readonly authority = "";
  readonly query = "";
  readonly fragment = "";
  get fsPath(): string {
    return this.path;
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  static from(parts: { scheme: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.path);
  }
  static parse(text: string): Uri {
    return text.startsWith("file:") ? Uri.file(fileURLToPath(text)) : new Uri(text.split(":")[0] ?? "", decodeURI(text.replace(/^[^:]*:/, "")));
  }
  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri(uri.scheme, join(uri.path, ...parts));
  }
  with(): Uri {
    return this;
  }
  toString(): string {
    return this.scheme === "file" ? pathToFileURL(this.path).toString() : `${this.scheme}:${encodeURI(this.path)}`;
  }
}

class Position {
  constructor(readonly line: number, readonly character: number) {}
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Any, b: Any, c?: number, d?: number) {
    this.start = a instanceof Position ? a : new Position(a, b);
    this.end = b instanceof Position ? b : new Position(c ?? 0, d ?? 0);
  }
}

class Document {
  version = 1;
  readonly fileName: string;
  constructor(readonly uri: Uri, private text: string, readonly languageId: string) {
    this.fileName = uri.fsPath;
  }
  getText(): string {
    return this.text;
  }
  replace(text: string): void {
    this.text = text;
    this.version++;
  }
}

class Items {
  private readonly all = new Map<string, Any>();
  get size(): number {
    return this.all.size;
  }
  get = (id: string): Any => this.all.get(id);
  add = (item: Any): void => { this.all.set(item.id, item); };
  delete = (id: string): void => { this.all.delete(id); };
  forEach = (call: (item: Any) => void): void => this.all.forEach(call);
  replace = (items: Any[]): void => { this.all.clear(); items.forEach(this.add); };
}

/** What the test looks at. */
export class World {
  readonly documents: Document[] = [];
  private readonly collections: Map<string, Any[]>[] = [];
  readonly commands = new Map<string, (...words: Any[]) => Any>();
  readonly messages: string[] = [];
  readonly panels: { html: string; sent: Any[]; hear: Event; onSend: () => void }[] = [];
  readonly settings: Record<string, unknown> = {};
  readonly shown: { uri: string; options: Any }[] = [];
  readonly run: { state: string; id: string; messages: Any[] }[] = [];
  readonly coverage: Any[] = [];
  readonly profiles: Any[] = [];
  readonly watched: Event[] = [];
  controller: Any;
  picked: ((items: Any[]) => Any) | undefined;
  editor: Any;
  readonly opened = new Event();
  readonly tabs = new Event();
  readonly changed = new Event();
  readonly selected = new Event();

  /** Of all collections, as the editor shows them; undefined: nothing was told. */
  diagnostics(uri: Uri): Any[] | undefined {
    const found = this.collections.flatMap((c) => c.get(uri.toString()) ?? []);
    return found.length || this.collections.some((c) => c.has(uri.toString())) ? found : undefined;
  }

  collect(): Any {
    const all = new Map<string, Any[]>();
    this.collections.push(all);
    return { set: (u: Uri, found: Any[]) => all.set(u.toString(), found ?? []), delete: (u: Uri) => all.delete(u.toString()),
      clear: () => all.clear(), dispose: () => all.clear(), forEach: () => undefined, has: (u: Uri) => all.has(u.toString()), get: (u: Uri) => all.get(u.toString()) };
  }

  open(path: string, text = readFileSync(path, "utf8")): Document {
    const there = this.documents.find((d) => d.uri.fsPath === path);
    const document = there ?? new Document(Uri.file(path), text, path.endsWith(".tenor") ? "tenor" : "yaml");
    if (!there) {
      this.documents.push(document);
      this.look(document, 0, 0);
      this.opened.fire(document);
      this.tabs.fire({ opened: [document], closed: [], changed: [] });
    }
    return document;
  }

  change(document: Document, text: string): void {
    const lines = document.getText().split("\n");
    const range = new Range(new Position(0, 0), new Position(lines.length - 1, (lines.at(-1) ?? "").length));
    document.replace(text);
    this.changed.fire({ document, contentChanges: [{ range, rangeOffset: 0, rangeLength: 0, text }], reason: undefined });
  }

  look(document: Document, line: number, character: number): void {
    this.editor = { document, selection: { active: new Position(line, character) } };
  }
}

function panel(world: World): Any {
  const sent: Any[] = [], hear = new Event(), closed = new Event();
  const kept = { html: "", sent, hear, onSend: () => undefined as void };
  world.panels.push(kept);
  return { reveal: () => undefined, onDidDispose: closed.event, dispose: () => closed.fire(), webview: {
    cspSource: "https://cdn.test", asWebviewUri: (uri: Uri) => uri, onDidReceiveMessage: hear.event,
    postMessage: (m: Any) => { sent.push(m); kept.onSend(); return Promise.resolve(true); },
    get html() { return kept.html; }, set html(text: string) { kept.html = text; } } };
}

function controller(world: World): Any {
  const made: Any = { items: new Items(), createTestItem: (id: string, label: string, uri: Uri) => {
    const item: Any = { id, label, uri, parent: undefined, tags: [] };
    item.children = new Items();
    const add = item.children.add, replace = item.children.replace;
    item.children.add = (c: Any) => { c.parent = item; add(c); };
    item.children.replace = (all: Any[]) => { all.forEach((c) => { c.parent = item; }); replace(all); };
    return item;
  }, createRunProfile: (label: string, kind: number, handler: Any) => {
    const profile = { label, kind, handler };
    world.profiles.push(profile);
    return profile;
  }, createTestRun: () => {
    const note = (state: string) => (item: Any, messages?: Any): void => { world.run.push({ state, id: item.id, messages: [messages].flat() }); };
    return { enqueued: () => undefined, started: () => undefined, skipped: note("skipped"), passed: note("passed"), failed: note("failed"), errored: note("errored"),
      addCoverage: (c: Any) => world.coverage.push(c), end: () => world.run.push({ state: "end", id: "", messages: [] }) };
  }, dispose: () => undefined };
  world.controller = made;
  return made;
}

const SKIPPED = /node_modules/;
function find(folder: string, ending: RegExp): Uri[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) => {
    const path = join(folder, e.name);
    return SKIPPED.test(path) ? [] : e.isDirectory() ? find(path, ending) : ending.test(path) ? [Uri.file(path)] : [];
  });
}

const KIND: Any = { value: "", append: () => KIND };

/** Anything that is not there: a class that can be extended, an enum whose members are numbers, an
 * event nobody fires, a registration that does nothing. */
function anything(): Any {
  const made: Any = class {};
  return new Proxy(made, {
    get: (target, key) => key in target ? target[key] : typeof key === "symbol" ? undefined : /^[A-Z]/.test(key) ? key.length : new Event().event,
    apply: () => new Disposable(),
  });
}

function withRest(known: Any): Any {
  return new Proxy(known, { get: (target, key) => {
    if (!(key in target) && typeof key === "string") {
      target[key] = /^on/.test(key) ? new Event().event : /^(register|create|set)/.test(key) ? () => new Disposable() : anything();
    }
    return target[key];
  } });
}

export function fakeVscode(world: World, folder: string): Any {
  class TabInputText { constructor(readonly uri: Uri) {} }
  class TestMessage { location: Any; constructor(readonly message: string) {} }
  const uri = Uri.file(folder);
  const channel = withRest({ name: "", logLevel: 2, append: () => undefined, appendLine: (t: string) => world.messages.push(t), show: () => undefined,
    info: (t: string) => world.messages.push(t), warn: (t: string) => world.messages.push(t), error: (t: string) => world.messages.push(t), dispose: () => undefined });
  const said = (t: string): Promise<undefined> => { world.messages.push(t); return Promise.resolve(undefined); };
  return withRest({
    version: "1.90.0", Disposable, EventEmitter: Event, Uri, Position, Range, TestMessage, TabInputText,
    Location: class { constructor(readonly uri: Uri, readonly range: Any) {} },
    Diagnostic: class { constructor(public range: Any, public message: string, public severity: number) {} },
    TestRunRequest: class { constructor(readonly include: Any) {} }, TestTag: class { constructor(readonly id: string) {} }, TestRunProfileKind: { Run: 1, Debug: 2, Coverage: 3 },
    StatementCoverage: class { constructor(readonly executed: Any, readonly location: Any, readonly branches: Any[]) {} },
    BranchCoverage: class { constructor(readonly executed: Any, readonly location: Any, readonly label: string) {} },
    DeclarationCoverage: class { constructor(readonly name: string, readonly executed: Any, readonly location: Any) {} },
    FileCoverage: class { constructor(readonly uri: Uri, readonly details: Any) {} static fromDetails(u: Uri, details: Any): Any { return new this(u, details); } },
    CancellationTokenSource: class { token = { isCancellationRequested: false, onCancellationRequested: new Event().event }; cancel(): void {} dispose(): void {} },
    CodeActionKind: Object.fromEntries(["Empty", "QuickFix", "Refactor", "RefactorExtract", "RefactorInline", "RefactorMove", "RefactorRewrite",
      "Source", "SourceFixAll", "SourceOrganizeImports"].map((name) => [name, KIND])),
    CancellationError: class extends Error {}, FileType: { File: 1, Directory: 2 },
    ViewColumn: { One: 1, Beside: -2 }, ProgressLocation: { Notification: 15 }, DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    tests: { createTestController: () => controller(world) },
    env: withRest({ appName: "test", language: "en", uriScheme: "vscode" }),
    commands: { registerCommand: (name: string, call: Any, self?: Any) => {
      if (world.commands.has(name)) { throw new Error(`command '${name}' already exists`); }
      world.commands.set(name, self ? call.bind(self) : call);
      return new Disposable(() => world.commands.delete(name));
    }, executeCommand: (name: string, ...words: Any[]) => Promise.resolve(world.commands.get(name)?.(...words)) },
    languages: withRest({ createDiagnosticCollection: () => world.collect(), match: (selector: Any, d: Document) => [selector].flat().some((s: Any) =>
      (!s.language || s.language === d.languageId) && (!s.scheme || s.scheme === d.uri.scheme) && (!s.pattern || /scenarios/.test(d.fileName))) ? 10 : 0 }),
    window: withRest({ get activeTextEditor() { return world.editor; }, visibleTextEditors: [], createOutputChannel: () => channel,
      showErrorMessage: said, setStatusBarMessage: said, showWarningMessage: said, showInformationMessage: said, createWebviewPanel: () => panel(world),
      onDidChangeTextEditorSelection: world.selected.event, withProgress: (_: Any, call: Any) => call({ report: () => undefined }, undefined),
      showQuickPick: (items: Any[]) => Promise.resolve(world.picked?.(items)), showInputBox: () => Promise.resolve(undefined),
      showTextDocument: (d: Any, options: Any) => { world.shown.push({ uri: String(d.uri ?? d), options }); return Promise.resolve(); },
      tabGroups: withRest({ activeTabGroup: undefined, onDidChangeTabs: world.tabs.event, get all() { return [{ tabs: world.documents.map((d) => ({ input: new TabInputText(d.uri) })) }]; } }) }),
    workspace: withRest({ textDocuments: world.documents, notebookDocuments: [], workspaceFolders: [{ uri, name: "w", index: 0 }], isTrusted: true,
      fs: { readFile: (u: Uri) => Promise.resolve(readFileSync(u.fsPath)) }, asRelativePath: (u: Uri) => u.path, getWorkspaceFolder: () => ({ uri, name: "w", index: 0 }),
      getConfiguration: (section = "") => ({ get: (key: string, other: Any) => world.settings[section ? `${section}.${key}` : key] ?? other, has: () => false, inspect: () => undefined }),
      findFiles: () => Promise.resolve(find(folder, /\.scenarios\.(yaml|yml|json)$/)),
      onDidOpenTextDocument: world.opened.event, onDidChangeTextDocument: world.changed.event,
      registerTextDocumentContentProvider: (scheme: string, provider: Any) => { world.commands.set(`content:${scheme}`, (u: Uri) => provider.provideTextDocumentContent(u)); return new Disposable(); },
      openTextDocument: (u: Any) => Promise.resolve(u.scheme === "file" ? world.open(u.fsPath) : { uri: u }),
      createFileSystemWatcher: () => ({ onDidCreate: new Event().event, onDidChange: new Event().event, onDidDelete: new Event().event, dispose: () => undefined }) }),
  });
}

/** Loads the bundle with the fake in place of `vscode`. */
export function loadExtension(file: string, vscode: Any): { activate(context: Any): Promise<void>; deactivate(): Promise<void> } {
  const loader = Module as Any, before = loader._load;
  loader._load = (name: string, ...rest: Any[]): Any => name === "vscode" ? vscode : before.call(loader, name, ...rest);
  try {
    return createRequire(__filename)(file) as Any;
  } finally {
    loader._load = before;
  }
}
