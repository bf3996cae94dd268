/** Scenarios in the test explorer: found by their files, run by `motet test`, what they reached in
 * the gutter of the contract. */
import * as vscode from "vscode";
import { dirname, isAbsolute, join } from "node:path";
import { mapCoverage, mergeCoverage } from "./pure/coverage";
import type { Covered } from "./pure/coverage";
import { readResults, readTrials, resultOf } from "./pure/results";
import type { Coverage, Message, Results } from "./pure/results";
import { baseName, isScenarioFile, readScenarios } from "./pure/scenarios";
import type { Scenario } from "./pure/scenarios";
import { run } from "./run";
import type { Server } from "./server";
import { toRange } from "./show";

const FILES = "**/*.scenarios.{yaml,yml,json}";
const IGNORED = "**/{node_modules,.git}/**";
const TAG = new vscode.TestTag("motet");

interface Wanted {
  readonly file: vscode.TestItem;
  readonly items: vscode.TestItem[];
}

export class Scenarios implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("motet", "Motet scenarios");
  private readonly parts: vscode.Disposable[] = [this.controller];
  private readonly names = new WeakMap<vscode.TestItem, Scenario>();
  private readonly details = new WeakMap<vscode.FileCoverage, readonly vscode.FileCoverageDetail[]>();

  constructor(private readonly server: Server, private readonly output: vscode.LogOutputChannel) {
    const controller = this.controller;
    controller.resolveHandler = async (item) => { await (item ? this.fill(item) : this.findAll()); };
    controller.refreshHandler = () => this.findAll();
    const profile = (label: string, kind: vscode.TestRunProfileKind, isDefault: boolean): vscode.TestRunProfile =>
      controller.createRunProfile(label, kind, (request, token) => this.run(request, token, kind === vscode.TestRunProfileKind.Coverage), isDefault, TAG);
    profile("Run", vscode.TestRunProfileKind.Run, true);
    const coverage = profile("Run with Coverage", vscode.TestRunProfileKind.Coverage, true);
    coverage.loadDetailedCoverage = (_, file) => Promise.resolve([...(this.details.get(file) ?? [])]);
    const watcher = vscode.workspace.createFileSystemWatcher(FILES);
    this.parts.push(watcher, watcher.onDidCreate((uri) => this.add(uri)), watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
      watcher.onDidChange((uri) => void this.fill(this.add(uri))),
      vscode.workspace.onDidChangeTextDocument((e) => {
        const item = controller.items.get(e.document.uri.toString());
        if (item) {
          this.list(item, e.document.getText());
        }
      }),
      vscode.workspace.onDidOpenTextDocument((d) => { if (d.uri.scheme === "file" && isScenarioFile(d.uri.path)) { this.list(this.add(d.uri), d.getText()); } }));
  }

  dispose(): void {
    this.parts.forEach((part) => part.dispose());
  }

  private async findAll(): Promise<void> {
    const found = await vscode.workspace.findFiles(FILES, IGNORED);
    const known = new Set(found.map((uri) => uri.toString()));
    this.controller.items.forEach((item) => { if (!known.has(item.id)) { this.controller.items.delete(item.id); } });
    await Promise.all(found.map((uri) => this.fill(this.add(uri))));
  }

  private add(uri: vscode.Uri): vscode.TestItem {
    const there = this.controller.items.get(uri.toString());
    const item = there ?? this.controller.createTestItem(uri.toString(), baseName(uri.path), uri);
    if (!there) {
      item.description = vscode.workspace.asRelativePath(vscode.Uri.joinPath(uri, ".."));
      item.canResolveChildren = true;
      item.tags = [TAG];
      this.controller.items.add(item);
    }
    return item;
  }

  private async fill(item: vscode.TestItem): Promise<void> {
    if (item.uri && !item.parent) {
      const open = vscode.workspace.textDocuments.find((d) => d.uri.toString() === item.id);
      this.list(item, open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(item.uri)));
    }
  }

  private list(file: vscode.TestItem, text: string): void {
    const times = new Map<string, number>();
    file.children.replace(readScenarios(text).map((scenario) => {
      const n = (times.get(scenario.name) ?? 0) + 1;
      times.set(scenario.name, n);
      const item = this.controller.createTestItem(`${file.id}#${n} ${scenario.name}`, scenario.name, file.uri);
      item.range = new vscode.Range(scenario.line, 0, scenario.line, 0);
      item.tags = [TAG];
      this.names.set(item, scenario);
      return item;
    }));
  }

  /** What is to be run, by file. */
  private async wanted(request: vscode.TestRunRequest): Promise<readonly Wanted[]> {
    const chosen = request.include ?? items(this.controller.items), excluded = new Set(request.exclude ?? []);
    const by = new Map<vscode.TestItem, Set<vscode.TestItem>>();
    for (const item of chosen) {
      const file = item.parent ?? item;
      if (!item.parent && !item.children.size) {
        await this.fill(item);
      }
      const set = by.get(file) ?? new Set();
      (item.parent ? [item] : items(item.children)).filter((i) => !excluded.has(i) && !excluded.has(file)).forEach((i) => set.add(i));
      by.set(file, set);
    }
    return [...by].map(([file, set]) => ({ file, items: [...set] })).filter((w) => w.items.length > 0);
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, withCoverage: boolean): Promise<void> {
    const wanted = await this.wanted(request);
    const run = this.controller.createTestRun(request);
    const coverage: Coverage[] = [];
    wanted.forEach((w) => w.items.forEach((item) => run.enqueued(item)));
    try {
      const motet = await this.server.motet();
      for (const w of wanted) {
        if (token.isCancellationRequested) {
          w.items.forEach((item) => run.skipped(item));
        } else if (!motet) {
          w.items.forEach((item) => run.errored(item, new vscode.TestMessage("Motet was not found.")));
        } else {
          coverage.push(...await this.runFile(run, motet, w, token));
        }
      }
      if (withCoverage) {
        await this.cover(run, coverage);
      }
    } finally {
      run.end();
    }
  }

  private async runFile(run_: vscode.TestRun, motet: string, w: Wanted, token: vscode.CancellationToken): Promise<readonly Coverage[]> {
    const path = w.file.uri?.fsPath ?? "", only = w.items.length === 1 && w.items[0] ? this.names.get(w.items[0]) : undefined;
    const words = ["test", path, "--json", "--coverage", ...(only && w.file.children.size > 1 ? ["--only", only.name] : [])];
    const stop = new AbortController(), listening = token.onCancellationRequested(() => stop.abort());
    w.items.forEach((item) => run_.started(item));
    const began = Date.now();
    try {
      const ran = await run(motet, words, { cwd: dirname(path), signal: stop.signal, milliseconds: 600_000 });
      const results = readResults(ran.out);
      if (results) {
        this.tell(run_, w, results, path, Date.now() - began);
        return results.coverage.map((c) => ({ ...c, contract: isAbsolute(c.contract) ? c.contract : join(dirname(path), c.contract) }));
      }
      throw new Error(ran.err.trim() || ran.out.trim() || `motet test ended with ${ran.code}`);
    } catch (error) {
      const message = new vscode.TestMessage(error instanceof Error ? error.message : String(error));
      w.items.forEach((item) => token.isCancellationRequested ? run_.skipped(item) : run_.errored(item, message));
      return [];
    } finally {
      listening.dispose();
    }
  }

  private tell(run_: vscode.TestRun, w: Wanted, results: Results, path: string, milliseconds: number): void {
    for (const item of w.items) {
      const result = resultOf(results, path, this.names.get(item)?.name ?? "");
      if (!result) {
        run_.errored(item, new vscode.TestMessage("motet test did not run it; is the file saved?"));
      } else if (result.ok) {
        run_.passed(item, milliseconds / w.items.length);
      } else {
        run_.failed(item, result.messages.map((m) => message(m, item, path)), milliseconds / w.items.length);
      }
    }
  }

  /** What the server has run itself, for a lens: shown as a run of the test explorer. */
  async take(asked: string, answer: unknown): Promise<void> {
    const trials = readTrials(answer, vscode.Uri.parse(asked).fsPath);
    const found: { readonly item: vscode.TestItem; readonly ok: boolean; readonly message: Message }[] = [];
    for (const r of trials?.results ?? []) {
      const file = this.add(vscode.Uri.parse(r.uri));
      await this.fill(file);
      const item = items(file.children).find((i) => this.names.get(i)?.name === r.name);
      if (item) {
        found.push({ item, ok: r.ok, message: r.message });
      }
    }
    const run_ = this.controller.createTestRun(new vscode.TestRunRequest(found.map((f) => f.item)));
    for (const { item, ok, message: m } of found) {
      if (ok) {
        run_.passed(item);
      } else {
        run_.failed(item, message(m, item, item.uri?.fsPath ?? ""));
      }
    }
    if (trials && asked.endsWith(".tenor")) {
      await this.cover(run_, [trials.coverage]);
    }
    run_.end();
    vscode.window.setStatusBarMessage(trials?.text ?? "The language server ran no scenario.", 10_000);
  }

  private async cover(run_: vscode.TestRun, all: readonly Coverage[]): Promise<void> {
    for (const c of mergeCoverage(all)) {
      try {
        for (const file of mapCoverage(c, await this.server.symbolsOf(vscode.Uri.file(c.contract)))) {
          const details = file.items.flatMap(detailsOf);
          const coverage = vscode.FileCoverage.fromDetails(vscode.Uri.parse(file.file), details);
          this.details.set(coverage, details);
          run_.addCoverage(coverage);
        }
      } catch (error) {
        this.output.warn(`no coverage of ${c.contract}: ${String(error)}`);
      }
    }
  }
}

function items(collection: vscode.TestItemCollection): readonly vscode.TestItem[] {
  const all: vscode.TestItem[] = [];
  collection.forEach((item) => all.push(item));
  return all;
}

/** At the place that it names, else at the scenario. */
function message(m: Message, item: vscode.TestItem, path: string): vscode.TestMessage {
  const out = new vscode.TestMessage(m.text);
  const file = m.file === undefined ? undefined : isAbsolute(m.file) ? m.file : join(dirname(path), m.file);
  const at = file === undefined ? item.range?.start : new vscode.Position(m.line ?? 0, m.column ?? 0);
  if (item.uri && at) {
    out.location = new vscode.Location(file === undefined ? item.uri : vscode.Uri.file(file), at);
  }
  return out;
}

function detailsOf(c: Covered): readonly vscode.FileCoverageDetail[] {
  const range = toRange(c.range);
  const statement = new vscode.StatementCoverage(c.seen, range, c.branches.map((b) => new vscode.BranchCoverage(b.seen, range, b.label)));
  return c.kind === "declaration" ? [new vscode.DeclarationCoverage(c.name, c.seen, range), statement] : [statement];
}
