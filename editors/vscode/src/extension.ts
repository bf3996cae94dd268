/** Where VS Code begins: starts the language server and hangs everything else on it. */
import * as vscode from "vscode";
import { Questions } from "./ask";
import { FactsPanel } from "./facts";
import { PicturePanel } from "./picture";
import { Server } from "./server";
import { Scenarios } from "./testing";

let server: Server | undefined;

/** The uses of what stands below a lens; the server gives its place. */
async function references(uri: string, at: { line: number; character: number }): Promise<void> {
  const target = vscode.Uri.parse(uri), position = new vscode.Position(at.line, at.character);
  const found = await vscode.commands.executeCommand<vscode.Location[]>("vscode.executeReferenceProvider", target, position);
  await vscode.commands.executeCommand("editor.action.showReferences", target, position, found);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Motet", { log: true });
  const motet = new Server(output, vscode.Uri.joinPath(context.extensionUri, "README.md"));
  const questions = new Questions(motet);
  server = motet;
  motet.onAsk = (uri, question) => questions.ask(uri, question);
  const scenarios = new Scenarios(motet, output);
  motet.onTested = (uri, answer) => scenarios.take(uri, answer);
  context.subscriptions.push(output, scenarios, questions.register(),
    vscode.commands.registerCommand("motet.restart", () => motet.restart()),
    vscode.commands.registerCommand("motet.picture", () => PicturePanel.show(motet, context.extensionUri)),
    vscode.commands.registerCommand("motet.facts", () => FactsPanel.show(motet, context.extensionUri)),
    vscode.commands.registerCommand("motet.question", () => questions.choose()),
    vscode.commands.registerCommand("motet.references", references),
    vscode.workspace.onDidChangeConfiguration((e) => { if (e.affectsConfiguration("motet.path")) { void motet.restart(); } }));
  await motet.start();
}

export async function deactivate(): Promise<void> {
  await server?.dispose();
}
