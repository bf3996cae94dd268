/** The picture of the construct under the cursor, beside the source; redrawn when either changes. */
import * as vscode from "vscode";
import type { Html } from "./pure/html";
import { pictureBody, pictureHtml, readPicture } from "./pure/picture";
import { asObject, asText } from "./pure/results";
import type { Server } from "./server";
import { activeContract, baseOf, debounce, goTo, newPanel, panelPage } from "./show";

const WAIT_MS = 150;

export class PicturePanel {
  private static current: PicturePanel | undefined;
  private readonly panel: vscode.WebviewPanel;
  private readonly parts: vscode.Disposable[] = [];
  private readonly redraw = debounce(WAIT_MS, () => void this.draw());
  private editor: vscode.TextEditor;
  private last: Html | undefined;
  private asked = 0;

  static show(server: Server, extension: vscode.Uri): void {
    const editor = activeContract();
    if (!editor) {
      void vscode.window.showInformationMessage("Open a contract (.tenor) to see its picture.");
    } else if (PicturePanel.current) {
      PicturePanel.current.look(editor);
      PicturePanel.current.panel.reveal(undefined, true);
    } else {
      PicturePanel.current = new PicturePanel(server, extension, editor);
    }
  }

  private constructor(private readonly server: Server, extension: vscode.Uri, editor: vscode.TextEditor) {
    this.editor = editor;
    this.panel = newPanel(extension, "motet.picture", "Picture");
    const webview = this.panel.webview;
    webview.html = panelPage(webview, extension, "picture", "Picture", pictureBody(baseOf(editor.document.uri), undefined, ""));
    this.parts.push(
      webview.onDidReceiveMessage((message: unknown) => this.hear(message)),
      vscode.window.onDidChangeActiveTextEditor(() => { const e = activeContract(); if (e) { this.look(e); } }),
      vscode.window.onDidChangeTextEditorSelection((e) => { if (e.textEditor === this.editor) { this.redraw.later(); } }),
      vscode.workspace.onDidChangeTextDocument((e) => { if (e.document.languageId === "tenor") { this.redraw.later(); } }),
      this.redraw);
    this.panel.onDidDispose(() => {
      PicturePanel.current = undefined;
      this.parts.forEach((part) => part.dispose());
    });
    this.redraw.now();
  }

  private look(editor: vscode.TextEditor): void {
    if (editor.document.uri.toString() !== this.editor.document.uri.toString()) {
      this.last = undefined;
    }
    this.editor = editor;
    this.redraw.later();
  }

  private hear(message: unknown): void {
    const go = asText(asObject(message)["go"]);
    if (go) {
      void goTo(this.server, this.editor.document.uri, go);
    }
  }

  /** While the contract has errors the last picture stays. */
  private async draw(): Promise<void> {
    const turn = ++this.asked, document = this.editor.document;
    let message = "";
    try {
      const position = this.editor.selection.active;
      const answer = asObject(await this.server.request("motet/picture", { format: "json",
        textDocument: { uri: document.uri.toString() }, position: { line: position.line, character: position.character } }));
      const picture = readPicture(asText(answer["picture"]));
      if (turn !== this.asked) {
        return;
      }
      this.last = picture && pictureHtml(picture);
      message = picture ? "" : "The language server has no picture of this.";
    } catch (error) {
      message = `${error instanceof Error ? error.message : String(error)}${this.last ? "; this is the picture before" : ""}`;
    }
    if (turn === this.asked) {
      await this.panel.webview.postMessage({ html: pictureBody(baseOf(document.uri), this.last, message).text });
    }
  }
}
