/* The table of the language server's tests: how a row is played, and how an answer is written
 * so that a person can review it.
 *
 * A row opens `file` (below workspace/, or below the tree if it begins with examples/) with
 * `edits` made to its text, types `typed` into it, and asks `request` at `at`, a piece of the
 * text with | where the cursor is, or from `from` to `to`, or of the whole text. `more` goes
 * into the parameters; "URI" in it is the file's address. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
export const TREE = join(HERE, "../../..");
export const WORKSPACE = join(HERE, "workspace");
export const ENCODINGS = ["utf-16", "utf-8", "utf-32"];
export const table = () => JSON.parse(readFileSync(join(HERE, "table.json"), "utf8"));

const UNITS = {
  "utf-8": (text) => Buffer.byteLength(text),
  "utf-16": (text) => text.length,
  "utf-32": (text) => [...text].length,
};
/* Asked of a range. */
const RANGED = /inlayHint|semanticTokens\/range|codeAction|rangeFormatting/;

export const pathOf = (file) => join(file.startsWith("examples/") ? TREE : WORKSPACE, file);
export const uriOf = (file) => pathToFileURL(pathOf(file)).href;

export function capabilities(encoding) {
  return {
    general: { positionEncodings: [encoding] },
    textDocument: { completion: { completionItem: { snippetSupport: true } }, publishDiagnostics: { relatedInformation: true } },
    workspace: { workspaceEdit: { documentChanges: true } },
  };
}

export const initialization = (encoding) => ({
  processId: null, rootUri: `${pathToFileURL(WORKSPACE).href}/`, capabilities: capabilities(encoding) });

export function positionOf(text, offset, encoding) {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, character: UNITS[encoding](lines.at(-1)) };
}

function offsetOf(text, at, encoding) {
  const lines = text.split("\n");
  const start = lines.slice(0, at.line).reduce((sum, line) => sum + line.length + 1, 0);
  let n = 0;
  while (n < (lines[at.line] ?? "").length && UNITS[encoding](lines[at.line].slice(0, n)) < at.character) {
    n++;
  }
  return start + n;
}

/* Where the first occurrence of a piece has its | */
function cursor(text, piece) {
  const at = text.indexOf(piece.replace("|", ""));
  if (at < 0 || !piece.includes("|")) {
    throw new Error(`the text has no ${piece}`);
  }
  return at + piece.indexOf("|");
}

const once = (text, [from, to]) => {
  if (!text.includes(from)) {
    throw new Error(`the text has no ${from}`);
  }
  return text.replace(from, () => to);
};

function paramsOf(row, uri, text, encoding) {
  const where = (piece) => positionOf(text, cursor(text, piece), encoding);
  const params = { textDocument: { uri } };
  if (row.at !== undefined) {
    params.position = where(row.at);
  }
  if (RANGED.test(row.request)) {
    params.range = row.at !== undefined ? { start: params.position, end: params.position }
      : row.from !== undefined ? { start: where(row.from), end: where(row.to) }
        : { start: { line: 0, character: 0 }, end: positionOf(text, text.length, encoding) };
    delete params.position;
  }
  if (/selectionRange/.test(row.request)) {
    params.positions = [params.position];
    delete params.position;
  }
  const more = JSON.parse(JSON.stringify(row.more ?? {}).replaceAll('"URI"', JSON.stringify(uri)));
  return /^workspace\//.test(row.request) ? more : { ...params, ...more };
}

/* Plays a row; `tell` sends a notification, `ask` a request, `told` waits for the diagnostics
 * of an address. Gives [address, text, answer]. */
export async function play(row, encoding, { tell, ask, told }) {
  const uri = uriOf(row.file);
  let text = (row.edits ?? []).reduce(once, readFileSync(pathOf(row.file), "utf8"));
  await tell("textDocument/didOpen", { textDocument: { uri, languageId: "tenor", version: 1, text } });
  let version = 1;
  if (row.typed) {
    await told(uri, version); // else what was typed might come before the server has seen the text
  }
  for (const [from, to] of row.typed ?? []) {
    const at = text.indexOf(from);
    const range = { start: positionOf(text, at, encoding), end: positionOf(text, at + from.length, encoding) };
    const after = once(text, [from, to]);
    await tell("textDocument/didChange", { textDocument: { uri, version: ++version }, contentChanges: [{ range, text: to }] });
    text = after;
  }
  let answer;
  if (row.request === "textDocument/publishDiagnostics") {
    answer = await told(uri, version);
  } else if (/^callHierarchy/.test(row.request)) {
    const [item] = await ask("textDocument/prepareCallHierarchy", paramsOf(row, uri, text, encoding));
    answer = await ask(row.request, { item });
  } else if (row.request === "codeAction/resolve") { // of the one with the title `pick`
    const actions = await ask("textDocument/codeAction", paramsOf(row, uri, text, encoding));
    answer = await ask(row.request, actions.find((action) => action.title === row.pick));
  } else {
    answer = await ask(row.request, paramsOf(row, uri, text, encoding));
  }
  await tell("textDocument/didClose", { textDocument: { uri } });
  return [uri, text, answer];
}

// ---- answers for people ----

const TREE_URI = `${pathToFileURL(TREE).href}/`;
const KEYS_OF_URI = ["uri", "targetUri"];

function quoted(text) {
  const first = text.split("\n")[0];
  return first.length < 40 && first === text ? `‹${text}›` : `‹${first.slice(0, 36)}…›`;
}

function isRange(value) {
  return value?.start?.line !== undefined && value?.end?.line !== undefined;
}

/* The same answer with ranges as "LINE:UNIT-LINE:UNIT ‹what stands there›", lines from 1 as
 * people count them, addresses without what is before the tree, and tokens one by one. */
export function readable(answer, uri, textOf, encoding, legend) {
  const range = (r, of) => {
    const text = textOf(of);
    const place = (p) => `${p.line + 1}:${p.character}`;
    const part = text.slice(offsetOf(text, r.start, encoding), offsetOf(text, r.end, encoding));
    return `${place(r.start)}-${place(r.end)} ${quoted(part)}`;
  };
  const walk = (value, of) => {
    if (typeof value === "string") {
      return value.replaceAll(TREE_URI, "").replaceAll(TREE, "TREE");
    }
    if (Array.isArray(value)) {
      return value.map((item) => walk(item, of));
    }
    if (value === null || typeof value !== "object") {
      return value;
    }
    if (isRange(value) && Object.keys(value).length === 2) {
      return range(value, of);
    }
    const here = KEYS_OF_URI.map((key) => value[key]).find((v) => v?.startsWith?.("file:")) ?? value.textDocument?.uri ?? of;
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [walk(key, here),
      walk(v, key.startsWith("file:") ? key : here)]));
  };
  return legend && Array.isArray(answer?.data) ? tokens(answer.data, textOf(uri), encoding, legend) : walk(answer, uri);
}

function tokens(data, text, encoding, legend) {
  const lines = text.split("\n");
  const list = [];
  let line = 0, unit = 0;
  for (let i = 0; i < data.length; i += 5) {
    unit = data[i + 1] + (data[i] ? 0 : unit);
    line += data[i];
    const from = offsetOf(lines[line], { line: 0, character: unit }, encoding);
    const to = offsetOf(lines[line], { line: 0, character: unit + data[i + 2] }, encoding);
    const modifiers = legend.tokenModifiers.filter((_, bit) => data[i + 4] & (1 << bit));
    list.push(`${line + 1}:${unit} ${[legend.tokenTypes[data[i + 3]], ...modifiers].join(".")} ${lines[line].slice(from, to)}`);
  }
  return list;
}
