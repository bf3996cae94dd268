/** The panel of facts: a form by the types of the contract, verdicts after every change.
 *
 * The text of the editor is elaborated (what it imports is read from the disk), and the bundle is
 * evaluated on the facts of the form; facts nobody has filled in are not known, and verdicts say
 * what they depend on. */
import * as vscode from "vscode";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyChange, fitDrafts, givenFacts, readChange } from "./pure/draft";
import type { Drafts } from "./pure/draft";
import { factsBody, formHtml, verdictsHtml } from "./pure/factsView";
import { h } from "./pure/html";
import { asObject, asText } from "./pure/results";
import { readBundle } from "./pure/types";
import type { Bundle } from "./pure/types";
import { readEvaluation } from "./pure/verdicts";
import { run } from "./run";
import type { Server } from "./server";
import { activeContract, baseOf, debounce, goTo, newPanel, panelPage } from "./show";

const WAIT_MS = 200;

export async function elaborate(motet: string, document: vscode.TextDocument): Promise<{ readonly text: string } | string> {
  const cwd = document.uri.scheme === "file" ? dirname(document.uri.fsPath) : tmpdir();
  const ran = await run(motet, ["elaborate", "-", "--compact"], { input: document.getText(), cwd });
  return ran.code === 0 ? { text: ran.out } : "The contract has errors";
}

export class FactsPanel {
  private static readonly open = new Map<string, FactsPanel>();
  private readonly panel: vscode.WebviewPanel;
  private readonly parts: vscode.Disposable[] = [];
  private readonly reread = debounce(WAIT_MS, () => void this.read());
  private folder: Promise<string> | undefined;
  private bundle: Bundle | undefined;
  private drafts: Drafts = new Map();
  private trouble = "";
  private wantsForm = false;
  private asked = 0;
  private readings = 0;

  static show(server: Server, extension: vscode.Uri): void {
    const editor = activeContract();
    if (!editor) {
      void vscode.window.showInformationMessage("Open a contract (.tenor) to try its facts.");
      return;
    }
    const key = editor.document.uri.toString(), there = FactsPanel.open.get(key);
    if (there) {
      there.panel.reveal(undefined, true);
    } else {
      FactsPanel.open.set(key, new FactsPanel(server, extension, editor.document));
    }
  }

  private constructor(private readonly server: Server, extension: vscode.Uri, private readonly document: vscode.TextDocument) {
    const title = `Facts of ${baseOf(document.uri)}`;
    this.panel = newPanel(extension, "motet.facts", title);
    const webview = this.panel.webview;
    webview.html = panelPage(webview, extension, "facts", title, factsBody(title, h("div", { id: "form" }), h("div", { id: "verdicts" })));
    this.parts.push(
      webview.onDidReceiveMessage((message: unknown) => this.hear(message)),
      vscode.workspace.onDidChangeTextDocument((e) => { if (e.document.languageId === "tenor") { this.reread.later(); } }),
      this.reread);
    this.panel.onDidDispose(() => {
      FactsPanel.open.delete(this.document.uri.toString());
      this.parts.forEach((part) => part.dispose());
      void this.folder?.then((folder) => rm(folder, { recursive: true, force: true }));
    });
    this.reread.now();
  }

  private hear(message: unknown): void {
    const go = asText(asObject(message)["go"]), change = readChange(message);
    if (go) {
      void goTo(this.server, this.document.uri, go);
    } else if (change && this.bundle) {
      this.drafts = applyChange(this.bundle.facts, this.drafts, change);
      void this.evaluate(change.do !== "set" || asText(asObject(message)["redraw"]) === "yes");
    }
  }

  /** The bundle of the contract as it stands; while it has errors, the last one stays. */
  private async read(): Promise<void> {
    const turn = ++this.readings;
    const motet = await this.server.motet();
    const found = motet ? await elaborate(motet, this.document).catch(String) : "There is no Motet to evaluate with.";
    const bundle = typeof found === "string" ? found : readBundle(found.text);
    if (turn !== this.readings) {
      return;
    }
    if (typeof bundle === "string") {
      this.trouble = this.bundle ? `${bundle}; these are the facts and verdicts before.` : `${bundle}.`.replace(/\.\.$/, ".");
    } else if (typeof found !== "string") {
      this.folder ??= mkdtemp(join(tmpdir(), "motet-facts-"));
      await writeFile(join(await this.folder, "bundle.json"), found.text, { mode: 0o600 });
      this.trouble = "";
      this.bundle = bundle;
      this.drafts = fitDrafts(bundle.facts, this.drafts);
    }
    await this.evaluate(true);
  }

  /** Only the last of several sends: it has the newest facts, and the form if one of them wanted it. */
  private async evaluate(redraw: boolean): Promise<void> {
    const turn = ++this.asked, bundle = this.bundle;
    this.wantsForm ||= redraw;
    const motet = await this.server.motet();
    if (!bundle || !motet || !this.folder) {
      await this.panel.webview.postMessage({ verdicts: verdictsHtml(this.trouble, []).text });
      return;
    }
    const given = givenFacts(bundle.facts, this.drafts);
    const ran = await run(motet, ["eval", join(await this.folder, "bundle.json"), "--facts", "-", "--partial", "--json"],
      { input: given.json, milliseconds: 20_000 }).catch((error: unknown) => String(error));
    const evaluation = typeof ran === "string" ? ran : readEvaluation(ran.out) ?? (ran.err.trim() || "motet eval gave no answer.");
    if (turn === this.asked) {
      const form = this.wantsForm ? formHtml(bundle, this.drafts).text : undefined;
      this.wantsForm = false;
      await this.panel.webview.postMessage({ form, verdicts: verdictsHtml(evaluation, given.unfinished).text, trouble: this.trouble });
    }
  }
}
