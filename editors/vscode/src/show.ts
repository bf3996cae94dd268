/** What the panels share: their page, and the way from a shape to its source. */
import * as vscode from "vscode";
import { randomBytes } from "node:crypto";
import { page } from "./pure/html";
import type { Html } from "./pure/html";
import { placeOfShape } from "./pure/locate";
import type { Range } from "./pure/locate";
import type { Server } from "./server";

export function toRange(r: Range): vscode.Range {
  return new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
}

export async function goTo(server: Server, contract: vscode.Uri, shape: string): Promise<void> {
  const place = placeOfShape(await server.symbolsOf(contract), shape);
  if (place) {
    await vscode.window.showTextDocument(vscode.Uri.parse(place.file),
      { selection: toRange(place.range), viewColumn: vscode.ViewColumn.One, preserveFocus: false });
  }
}

export function panelPage(webview: vscode.Webview, extension: vscode.Uri, name: "picture" | "facts", title: string, body: Html): string {
  const at = (...parts: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...parts)).toString();
  return page({ title, body, nonce: randomBytes(16).toString("hex"), source: webview.cspSource, script: at("dist", `${name}.js`), style: at("media", "style.css") });
}

export function newPanel(extension: vscode.Uri, id: string, title: string): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(id, title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {
    enableScripts: true, enableCommandUris: false, enableForms: false, retainContextWhenHidden: true,
    localResourceRoots: [vscode.Uri.joinPath(extension, "dist"), vscode.Uri.joinPath(extension, "media")] });
}

/** The contract the reader looks at. */
export function activeContract(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.languageId === "tenor" ? editor : undefined;
}

export function baseOf(uri: vscode.Uri): string {
  return uri.path.replace(/.*\//, "");
}

/** Calls once, a while after the last time it was asked to. */
export function debounce(milliseconds: number, call: () => void): { now(): void; later(): void; dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const dispose = (): void => clearTimeout(timer);
  return { dispose, now() { dispose(); call(); }, later() { dispose(); timer = setTimeout(call, milliseconds); } };
}
