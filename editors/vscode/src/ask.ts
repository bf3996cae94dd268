/** Questions about the contract: chosen or typed, answered by the server with a proof, shown as a
 * document beside the source. */
import * as vscode from "vscode";
import { elaborate } from "./facts";
import { answerDocument, questionsFor, readAnswer } from "./pure/questions";
import { readBundle } from "./pure/types";
import type { Server } from "./server";
import { activeContract, baseOf } from "./show";

const SCHEME = "motet-answer";
const KEPT = 20;

export class Questions implements vscode.TextDocumentContentProvider {
  private readonly answers = new Map<string, string>();
  private count = 0;
  private typed = "";

  constructor(private readonly server: Server) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.answers.get(uri.toString()) ?? "The answer is no longer kept; ask again.\n";
  }

  /** The command: chooses a question of the contract that is looked at. */
  async choose(): Promise<void> {
    const editor = activeContract();
    const motet = editor && await this.server.motet();
    if (!editor || !motet) {
      void (editor ?? vscode.window.showInformationMessage("Open a contract (.tenor) to ask about it."));
      return;
    }
    const found = await elaborate(motet, editor.document).catch(String);
    const bundle = typeof found === "string" ? found : readBundle(found.text);
    if (typeof bundle === "string") {
      void vscode.window.showWarningMessage(`${bundle.replace(/\.$/, "")}. Questions are for a contract without errors.`);
      return;
    }
    const own = "$(edit) Another question…";
    const picked = await vscode.window.showQuickPick([{ label: own, description: "in the words of motet ask" },
      ...questionsFor(bundle).map((q) => ({ label: q.question, description: q.about }))],
      { title: `Ask about ${baseOf(editor.document.uri)}`, matchOnDescription: true });
    const question = picked?.label === own
      ? await vscode.window.showInputBox({ title: "Question", value: this.typed, placeHolder: "can buyer reach Order.paid" })
      : picked?.label;
    if (question) {
      this.typed = picked?.label === own ? question : this.typed;
      await this.ask(editor.document.uri.toString(), question);
    }
  }

  async ask(uri: string, question: string): Promise<void> {
    try {
      const answered = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `Asking: ${question}`, cancellable: true },
        (_, token) => this.server.request("workspace/executeCommand", { command: "motet.ask", arguments: [uri, question] }, token));
      const answer = readAnswer(answered);
      if (!answer) {
        throw new Error("the language server gave no answer");
      }
      await this.show(question, vscode.Uri.parse(uri), answerDocument(question, baseOf(vscode.Uri.parse(uri)), answer));
    } catch (error) {
      void vscode.window.showErrorMessage(`${question}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async show(question: string, contract: vscode.Uri, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${++this.count} ${question.slice(0, 60).replace(/[\\/]/g, " ")} (${baseOf(contract)}).md` });
    this.answers.set(uri.toString(), text);
    for (const old of [...this.answers.keys()].slice(0, -KEPT)) {
      this.answers.delete(old);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }
}
