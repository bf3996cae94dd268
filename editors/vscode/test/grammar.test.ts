/** The grammar scopes every token of every contract in the tree, each as what the engine's own
 * lexer takes it for. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as oniguruma from "vscode-oniguruma";
import * as textmate from "vscode-textmate";
import type { IGrammar, StateStack } from "vscode-textmate";
import { SOURCE, Talk, filesBelow } from "./engine";

const HERE = join(SOURCE, "editors/vscode");
const GRAMMAR = join(HERE, "syntaxes/tenor.tmLanguage.json");
/** As the lexer has it. */
const SPACE = /[\s\u0085]/u;

async function load(): Promise<IGrammar> {
  const wasm = readFileSync(join(HERE, "node_modules/vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(new Uint8Array(wasm).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({ createOnigScanner: (p) => new oniguruma.OnigScanner(p), createOnigString: (s) => new oniguruma.OnigString(s) }),
    loadGrammar: () => Promise.resolve(textmate.parseRawGrammar(readFileSync(GRAMMAR, "utf8"), GRAMMAR)),
  });
  return await registry.loadGrammar("source.tenor") as IGrammar;
}

/** The scopes of every character of every line; the first, source.tenor, left out. */
function scopes(grammar: IGrammar, lines: readonly string[]): string[][][] {
  let stack: StateStack = textmate.INITIAL;
  return lines.map((line) => {
    const found = grammar.tokenizeLine(line, stack), at: string[][] = [];
    stack = found.ruleStack;
    found.tokens.forEach((t) => { for (let i = t.startIndex; i < t.endIndex; i++) { at[i] = t.scopes.slice(1); } });
    return at;
  });
}

/** What the grammar may call a token, by what the server calls it. */
const FITS: Readonly<Record<string, RegExp>> = {
  comment: /^comment\./, string: /^string\./, number: /^constant\.numeric|^keyword\.operator\.arithmetic/,
  keyword: /^keyword\.|^constant\.language|^support\./, operator: /^keyword\.operator/, type: /^support\.type|^entity\.name|^variable/,
};

/** Words the lexer knows only to say what is written instead of them; test_vscode.py has the same list. */
const SLIPS = new Set(["matches", "like", "contains", "sum", "count", "average", "avg", "state", "size", "length", "for", "!", "~", "&", "|", "&&", "||"]);

/** The name of a field is one before a colon, and behind a dot every word is a member. */
function isKeyword(line: string, at: number, word: string): boolean {
  const before = line.slice(0, at), behind = line.slice(at + word.length);
  return !SLIPS.has(word) && !/\.$/.test(before) && (!FIELDS.has(word) || /^\s*:/.test(behind));
}

/** Those that begin a construct are keywords elsewhere, too. */
const CONSTRUCTS = new Set(["persona", "source", "fact", "entity", "rule", "operation", "flow", "system", "type", "verdict"]);
const FIELDS = new Set(/\(([a-z_|]+)\)/.exec((JSON.parse(readFileSync(GRAMMAR, "utf8")) as
  { repository: { field: { match: string } } }).repository.field.match)?.[1]?.split("|").filter((word) => !CONSTRUCTS.has(word)));

test("every token of every contract has a scope, and the right one", () => Talk.with(async (talk, legend) => {
  const grammar = await load();
  const files = [...filesBelow(join(SOURCE, "examples"), ".tenor"), ...filesBelow(join(SOURCE, "tests/language"), ".tenor")];
  assert.ok(files.length > 1000, `${files.length} contracts`);
  const wrong: string[] = [], seen = new Set<string>();
  // all at once, so that neither side waits for the other
  const asked = files.map(async (file): Promise<readonly number[]> => {
    const uri = await talk.open(file), answer = talk.ask("textDocument/semanticTokens/full", { textDocument: { uri } });
    await talk.close(uri);
    return (await answer as { data: number[] }).data;
  });
  for (const [n, data] of (await Promise.all(asked)).entries()) {
    const file = files[n] as string, text = readFileSync(file, "utf8"), lines = text.split(/\r\n|\r|\n/);
    const painted = scopes(grammar, lines), name = file.slice(SOURCE.length);
    lines.forEach((line, l) => [...line].reduce((at, c) => {
      if (!SPACE.test(c) && !painted[l]?.[at]?.length) {
        wrong.push(`${name}:${l + 1}:${at + 1}: '${c}' has no scope`);
      }
      return at + c.length;
    }, 0));
    if (/\r(?!\n)/.test(text)) {
      continue; // a lone return ends a line here, and not in the protocol's eyes
    }
    for (let i = 0, line = 0, at = 0; i < data.length; i += 5) {
      at = data[i] ? data[i + 1] as number : at + (data[i + 1] as number);
      line += data[i] as number;
      const kind = legend[data[i + 3] as number] as string, word = (lines[line] ?? "").slice(at, at + (data[i + 2] as number));
      const got = painted[line]?.[at] ?? [], fits = FITS[kind];
      seen.add(kind);
      if (kind === "keyword" && !isKeyword(lines[line] ?? "", at, word)) {
        continue;
      }
      if (got.some((s) => s.startsWith("invalid")) || (fits && !got.some((s) => fits.test(s)))) {
        wrong.push(`${name}:${line + 1}:${at + 1}: '${word}' is ${kind}, not ${got.join(" ")}`);
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 40), [], `${wrong.length} in all`);
  Object.keys(FITS).forEach((kind) => assert.ok(seen.has(kind), `no ${kind} was seen`));
}));

test("words, strings and comments that are hard to tell apart", async () => {
  const grammar = await load();
  const rows: readonly [string, string, string][] = [
    // the text, the word in it, its innermost scope
    ["fact größe_1 { type: Bool }", "größe_1", "entity.name.variable.fact.tenor"],
    ["fact amount { type: Bool }", "type", "keyword.other.field.tenor"],
    ["operation pay { persona: clerk }", "persona", "keyword.other.field.tenor"],
    ["persona persona", "persona", "keyword.declaration.persona.tenor"],
    ['  "a \\" // b" // c', "b", "string.quoted.double.tenor"],
    ['  "a \\" // b" // c', "c", "comment.line.double-slash.tenor"],
    ['"never closed', "closed", "string.quoted.double.tenor"],
    ["/* // */ when", "when", "variable.other.tenor"],
    ["forall x in xs . x.n > 3", " . ", "keyword.operator.quantifier.tenor"],
    ["forall x in xs . x.n > 3", "n > ", "variable.other.property.tenor"],
    ["a ∧ ¬b", "∧", "keyword.operator.word.tenor"],
    ["amount ≤ 12.50", "12.50", "constant.numeric.tenor"],
    ["step_1: OperationStep {", "step_1", "variable.other.property.tenor"],
    ["x && y", "&", "invalid.illegal.tenor"],
    ["factual: 1", "factual", "variable.other.property.tenor"],
    ["// motet: allow W1", "motet:", "keyword.other.directive.tenor"],
  ];
  for (const [text, word, scope] of rows) {
    const at = text.indexOf(word) + (word.length - word.trimStart().length);
    assert.equal(scopes(grammar, [text])[0]?.[at]?.at(-1), scope, `${word} in ${text}`);
  }
});

test("a string goes on behind a backslash at the end of a line, and nowhere else", async () => {
  const grammar = await load();
  const on = scopes(grammar, ['"a\\', 'b" c']), off = scopes(grammar, ['"a', "b c"]);
  assert.equal(on[1]?.[0]?.[0], "string.quoted.double.tenor");
  assert.equal(on[1]?.[3]?.[0], "variable.other.tenor");
  assert.equal(off[1]?.[0]?.[0], "variable.other.tenor");
});
