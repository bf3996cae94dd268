/* language.mjs SDK OUT: plays sessions of an editor with the language server in WebAssembly: the
 * rows of tests/npm/lsp/table.json, and every request at many places of every example, with
 * edits between. Writes them as lists of [message, [answers…]]. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ENCODINGS, initialization, play, positionOf, table, TREE } from "../npm/lsp/rows.mjs";

const [sdk, out] = process.argv.slice(2);
const { loadAll } = await import(pathToFileURL(sdk).href);
/* The settings of `motet serve`, which a page has not got: docs/wasm.md. */
const OF_SERVERS = /\/motet\.yaml$/;
const PLACES = 12; // of a file, for every request at a position
/* What is typed into an example, one after the other: it breaks, is mended, and changes. */
const TYPED = ["{", "persona q\n", "é😀", '"'];
const AT_POSITION = ["hover", "definition", "declaration", "implementation", "documentHighlight", "prepareRename",
  "completion", "signatureHelp", "prepareCallHierarchy"];
const OF_DOCUMENT = ["diagnostic", "documentSymbol", "foldingRange", "documentLink", "semanticTokens/full", "codeLens"];

/* As `motet lsp` walks: no hidden folders, no links, no packages of others. */
function* filesBelow(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch { /* there is no such folder */ }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules") {
      yield* filesBelow(path);
    } else if (entry.isFile()) {
      yield path;
    }
  }
}

const workspace = {
  read: (path) => (statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : undefined),
  list: filesBelow,
};

const { server } = await loadAll();

/* A conversation that is written down. */
class Session {
  said = [];
  #server = server(workspace);
  #count = 0;

  #send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    const answers = this.#server.sendText(text);
    this.said.push([text, answers]);
    return answers.map((answer) => JSON.parse(answer));
  }

  tell = (method, params) => void this.#send({ method, params });

  ask = (method, params) => {
    const id = ++this.#count;
    const { result, error } = this.#send({ id, method, params }).find((m) => m.id === id);
    return error ? { error } : result;
  };

  told = () => null; // every answer is written down

  start(encoding, root) {
    this.ask("initialize", { ...initialization(encoding), ...(root ? { rootUri: root } : {}) });
    this.tell("initialized", {});
    return this;
  }

  end() {
    this.ask("shutdown");
    this.tell("exit");
    if (this.#server.ended !== 0) {
      throw new Error("it has not ended");
    }
    this.#server.free();
    return this.said;
  }
}

async function rows(encoding) {
  const session = new Session().start(encoding);
  for (const row of table().filter((r) => (r.encoding ?? "utf-16") === encoding && !OF_SERVERS.test(r.file))) {
    await play(row, encoding, session);
  }
  return session.end();
}

function askEverything(session, uri, text, encoding) {
  const textDocument = { uri };
  const whole = { start: { line: 0, character: 0 }, end: positionOf(text, text.length, encoding) };
  const options = { tabSize: 2, insertSpaces: true };
  for (const method of OF_DOCUMENT) {
    session.ask(`textDocument/${method}`, { textDocument });
  }
  for (const method of ["inlayHint", "semanticTokens/range", "rangeFormatting", "codeAction"]) {
    session.ask(`textDocument/${method}`, { textDocument, range: whole, options, context: { diagnostics: [] } });
  }
  session.ask("textDocument/formatting", { textDocument, options });
  session.ask("motet/picture", { textDocument, format: "dot" });
  for (let i = 0; i < PLACES; i++) {
    const position = positionOf(text, Math.floor((i * text.length) / PLACES), encoding);
    const at = { textDocument, position };
    for (const method of AT_POSITION) {
      session.ask(`textDocument/${method}`, at);
    }
    session.ask("textDocument/references", { ...at, context: { includeDeclaration: true } });
    session.ask("textDocument/rename", { ...at, newName: "renamed_here" });
    session.ask("textDocument/selectionRange", { textDocument, positions: [position] });
    session.ask("textDocument/onTypeFormatting", { ...at, ch: "}", options });
    session.ask("motet/picture", { ...at, format: "json" });
    const [item] = session.ask("textDocument/prepareCallHierarchy", at) ?? [];
    if (item) {
      session.ask("callHierarchy/incomingCalls", { item });
      session.ask("callHierarchy/outgoingCalls", { item });
    }
  }
}

function example(path, encoding) {
  const uri = pathToFileURL(path).href;
  let text = readFileSync(path, "utf8");
  const session = new Session().start(encoding, pathToFileURL(join(TREE, "examples")).href);
  session.tell("textDocument/didOpen", { textDocument: { uri, languageId: "tenor", version: 1, text } });
  askEverything(session, uri, text, encoding);
  for (const lens of session.ask("textDocument/codeLens", { textDocument: { uri } }) ?? []) {
    if (lens.command.command === "motet.ask") {
      session.ask("workspace/executeCommand", lens.command);
    }
  }
  TYPED.forEach((put, i) => {
    const offset = Math.floor(((i + 1) * text.length) / (TYPED.length + 1));
    const range = { start: positionOf(text, offset, encoding), end: positionOf(text, offset + 1, encoding) };
    session.tell("textDocument/didChange", { textDocument: { uri, version: i + 2 }, contentChanges: [{ range, text: put }] });
    text = text.slice(0, offset) + put + text.slice(offset + 1);
    session.ask("textDocument/completion", { textDocument: { uri }, position: range.start });
    session.ask("textDocument/codeAction", { textDocument: { uri }, range, context: { diagnostics: [] } });
  });
  session.ask("workspace/symbol", { query: "" });
  session.tell("textDocument/didClose", { textDocument: { uri } });
  return session.end();
}

const sessions = [];
for (const encoding of ENCODINGS) {
  sessions.push(await rows(encoding));
}
const examples = [...filesBelow(join(TREE, "examples"))].filter((path) => /\.(tenor|yaml|json)$/.test(path) && !OF_SERVERS.test(path)).sort();
examples.forEach((path, i) => sessions.push(example(path, ENCODINGS[i % ENCODINGS.length])));
writeFileSync(out, JSON.stringify(sessions));
