/* drive.mjs MOTET OUT: plays every row of the table with a client of the protocol over standard
 * input and output. Writes {name: {answer, readable, method}}; an answer that is an error is
 * {error: {code, message}}. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";
import { ENCODINGS, initialization, play, readable, table } from "./rows.mjs";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } =
  createRequire(import.meta.url)("vscode-languageserver-protocol/node");
const [motet, out] = process.argv.slice(2);
const PATIENCE = 60000;

function start() {
  const child = spawn(motet, ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  const heard = new Map();
  let wake = () => {};
  connection.onNotification("textDocument/publishDiagnostics", (params) => {
    heard.set(`${params.uri} ${params.version}`, params);
    wake();
  });
  connection.listen();
  const told = async (uri, version) => {
    const late = setTimeout(() => {
      throw new Error(`no diagnostics of ${uri} came`);
    }, PATIENCE);
    while (!heard.has(`${uri} ${version}`)) {
      await new Promise((resolve) => (wake = resolve));
    }
    clearTimeout(late);
    return heard.get(`${uri} ${version}`);
  };
  const ask = async (method, params) => {
    try {
      return await connection.sendRequest(method, params);
    } catch (error) {
      if (typeof error.code !== "number") {
        throw error;
      }
      return { error: { code: error.code, message: error.message } };
    }
  };
  return { child, connection, ask, told, tell: (method, params) => connection.sendNotification(method, params), heard };
}

/* An edit may make a file. */
const readText = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

const results = {};
for (const encoding of ENCODINGS) {
  const server = start();
  const began = await server.ask("initialize", initialization(encoding));
  await server.tell("initialized", {});
  const legend = began.capabilities.semanticTokensProvider.legend;
  results[`initialize in ${encoding}`] = { method: "initialize", answer: began, readable: began };
  for (const row of table().filter((r) => (r.encoding ?? "utf-16") === encoding)) {
    const [uri, text, answer] = await play(row, encoding, server);
    const textOf = (of) => (of === uri ? text : readText(fileURLToPath(of)));
    results[row.name] = { method: row.request, answer, readable: readable(answer, uri, textOf, encoding,
      /semanticTokens/.test(row.request) ? legend : undefined) };
    server.heard.clear();
  }
  results[`shutdown in ${encoding}`] = { method: "shutdown", answer: await server.ask("shutdown", undefined), readable: null };
  const ended = new Promise((resolve) => server.child.on("exit", resolve));
  await server.tell("exit");
  const status = await ended;
  results[`exit in ${encoding}`] = { method: "exit", answer: status, readable: status };
  server.connection.dispose();
}
writeFileSync(out, JSON.stringify(results));
