/** The form of facts against the real engine: what it makes is what the engine takes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { applyChange, fitDrafts, givenFacts, readChange } from "../src/pure/draft";
import type { Change, Drafts } from "../src/pure/draft";
import { formHtml, pathWords } from "../src/pure/factsView";
import { questionsFor, readAnswer } from "../src/pure/questions";
import { readBundle, valueWords } from "../src/pure/types";
import type { Bundle, Type } from "../src/pure/types";
import { readEvaluation } from "../src/pure/verdicts";
import type { Evaluation } from "../src/pure/verdicts";
import { SOURCE, filesBelow, motet } from "./engine";

const ALL = `persona clerk
fact b { type: Bool source: "x.b" }
fact i { type: Int(min: -9223372036854775807, max: 9223372036854775807) source: "x.i" }
fact d { type: Decimal(precision: 12, scale: 2) source: "x.d" }
fact t { type: Text(max_length: 40) source: "x.t" default: "1, 1234567890123456789, \\"" }
fact e { type: Enum(values: ["<b>", "b"]) source: "x.e" }
fact day { type: Date source: "x.day" }
fact at { type: DateTime source: "x.at" }
fact m { type: Money("EUR") source: "x.m" }
fact dur { type: Duration(unit: "days", min: 0, max: 30) source: "x.dur" }
fact r { type: Record { a: Int(0, 9), c: Record { d: Bool } } source: "x.r" }
fact l { type: List(element_type: Record { n: Int(0, 9) }, max: 2) source: "x.l" }
fact u { type: TaggedUnion { Card: Text(max_length: 16), Cash: Bool } source: "x.u" }
rule big { stratum: 0 when: i = 9007199254740993 produce: verdict is_big { payload: Int(min: 0, max: 10) = 7 } }
rule half { stratum: 0 when: d = 0.10 and b produce: verdict is_half { payload: Bool = true } }
`;

function bundleOf(text: string): [Bundle, string] {
  const ran = motet(["elaborate", "-", "--compact"], text);
  assert.equal(ran.code, 0, ran.err);
  const bundle = readBundle(ran.out);
  assert.ok(typeof bundle !== "string", String(bundle));
  return [bundle, ran.out];
}

function evaluate(bundleText: string, facts: string): Evaluation {
  const folder = mkdtempSync(join(tmpdir(), "motet-vscode-"));
  writeFileSync(join(folder, "bundle.json"), bundleText);
  const ran = motet(["eval", join(folder, "bundle.json"), "--facts", "-", "--partial", "--json"], facts);
  rmSync(folder, { recursive: true });
  const evaluation = readEvaluation(ran.out);
  assert.ok(evaluation, ran.err);
  return evaluation;
}

function filled(b: Bundle, changes: readonly Change[]): Drafts {
  return changes.reduce((drafts, c) => applyChange(b.facts, drafts, c), fitDrafts(b.facts, new Map()));
}

const set = (text: string, ...path: (string | number)[]): Change => ({ do: "set", path, text });

test("every type has a control, and its value is one the engine takes", () => {
  const [b, text] = bundleOf(ALL);
  const drafts = filled(b, [set("true", "b"), set("9007199254740993", "i"), set("0.10", "d"), set("x \"y\"", "t"), set("<b>", "e"), set("2026-02-28", "day"),
    set("2026-02-28T12:00:00+01:00", "at"), set("12.50", "m"), set("3", "dur"), set("4", "r", "a"), set("false", "r", "c", "d"),
    { do: "add", path: ["l"] }, set("5", "l", 0, "n"), set("Card", "u"), set("4711", "u", "payload")]);
  const given = givenFacts(b.facts, drafts);
  assert.deepEqual(given.unfinished, []);
  const facts = JSON.parse(given.json) as Record<string, unknown>;
  assert.deepEqual(Object.keys(facts).sort(), b.facts.map((f) => f.name).sort());
  assert.deepEqual(facts["u"], { payload: "4711", tag: "Card" });
  assert.match(given.json, /"i":9007199254740993[,}]/); // not rounded on its way
  const found = evaluate(text, given.json);
  assert.ok(found.kind === "verdicts", JSON.stringify(found));
  assert.deepEqual(found.verdicts.map((v) => [v.name, v.state, v.payload]), [["is_big", "present", "7"], ["is_half", "present", "true"]]);
  assert.deepEqual(found.unknown, []);
  const html = formHtml(b, drafts).text;
  b.facts.forEach((f) => assert.ok(html.includes(`aria-label="${f.name}`), f.name));
  assert.ok(html.includes("9223372036854775807"), "bounds are whole");
});

test("what nobody filled in is not known, and half a record is not either", () => {
  const [b, text] = bundleOf(ALL);
  const given = givenFacts(b.facts, filled(b, [set("4", "r", "a"), { do: "add", path: ["l"] }, set("Cash", "u"), set("0.10", "d")]));
  assert.deepEqual([...given.unfinished].sort(), ["l", "r", "u"]);
  const found = evaluate(text, given.json);
  assert.ok(found.kind === "verdicts");
  assert.deepEqual(found.verdicts.map((v) => [v.name, v.state, v.condition]),
    [["is_big", "depends", "i = 9007199254740993"], ["is_half", "depends", "b"]]);
  assert.equal(givenFacts(b.facts, filled(b, [set("empty", "l")])).json, '{"l":[]}');
});

test("what does not fit is told by the engine, at its place", () => {
  const [b, text] = bundleOf(ALL);
  const found = evaluate(text, givenFacts(b.facts, filled(b, [set("4.5", "i"), set("x", "d"), set("12", "r", "a"), set("true", "r", "c", "d"), set("31", "dur")])).json);
  assert.ok(found.kind === "faults");
  assert.deepEqual(found.faults.map((f) => f.path).sort(), ["d", "dur", "i", "r.a"]);
  assert.equal(pathWords(["l", 3, "n", "x"]), "l[3].n.x");
});

test("changes that lead nowhere change nothing", () => {
  const [b] = bundleOf(ALL);
  const before = filled(b, [set("Card", "u"), { do: "add", path: ["l"] }]);
  for (const change of [set("x", "nowhere"), set("x", "r", "nope"), set("x", "r"), set("x", "l", 7, "n"), set("x", "u", "pay"), set("x", "b", "c"),
    { do: "remove", path: ["l", 4] }, { do: "add", path: ["r"] }, set("x", "r", "__proto__"), set("x", "l", "length")] as Change[]) {
    assert.deepEqual(applyChange(b.facts, before, change), before, JSON.stringify(change));
  }
  const two = filled(b, [{ do: "add", path: ["l"] }, { do: "add", path: ["l"] }, { do: "add", path: ["l"] }]);
  assert.equal(JSON.stringify(two.get("l")).match(/"n"/g)?.length, 2, "not more than its type has");
  const one = applyChange(b.facts, two, { do: "remove", path: ["l", 0] });
  assert.equal(JSON.stringify(one.get("l")).match(/"n"/g)?.length, 1);
  assert.equal(givenFacts(b.facts, applyChange(b.facts, one, { do: "clear", path: ["l"] })).json, "{}");
});

test("messages of the panel are read with care", () => {
  assert.deepEqual(readChange({ do: "set", path: ["a", 0], text: "x" }), { do: "set", path: ["a", 0], text: "x" });
  for (const bad of [null, 3, "x", {}, { do: "set", path: ["a"] }, { do: "set", path: [], text: "" }, { do: "run", path: ["a"] }, { do: "add", path: "a" },
    { do: "add", path: [-1] }, { do: "add", path: [{}] }, { do: "add", path: [0.5] }, { do: "add", path: new Array(200).fill("a") }]) {
    assert.equal(readChange(bad), undefined, JSON.stringify(bad));
  }
});

test("what was typed stays while the contract changes, where it still fits", () => {
  const [b] = bundleOf(ALL);
  const drafts = filled(b, [set("true", "b"), set("4", "r", "a"), set("Card", "u"), set("1", "u", "payload")]);
  const [other] = bundleOf(ALL.replace("fact b { type: Bool", "fact b { type: Record { x: Bool }").replace("a: Int(0, 9), ", "a: Int(0, 9), z: Bool, ")
    .replace("Card: Text(max_length: 16), ", "").replace("and b ", ""));
  const kept = fitDrafts(other.facts, drafts);
  assert.deepEqual(JSON.parse(givenFacts(other.facts, kept).json), {});
  assert.deepEqual(givenFacts(other.facts, kept).unfinished, ["r"]);
});

test("every example has a form; a System says where to look", () => {
  let tried = 0;
  for (const file of filesBelow(join(SOURCE, "examples"), ".tenor")) {
    const ran = motet(["elaborate", file, "--compact"]);
    const bundle = readBundle(ran.out);
    if (typeof bundle === "string") {
      assert.match(bundle, /System/);
      continue;
    }
    const kinds = new Set<Type["base"]>();
    const walk = (t: Type): void => {
      kinds.add(t.base);
      t.base === "Record" ? t.fields.forEach((f) => walk(f.type)) : t.base === "List" ? walk(t.element) : t.base === "TaggedUnion" ? t.variants.forEach((v) => walk(v.type)) : 0;
    };
    bundle.facts.forEach((f) => walk(f.type));
    assert.ok(!kinds.has("unknown"), file);
    assert.ok(formHtml(bundle, fitDrafts(bundle.facts, new Map())).text.length > 0);
    tried++;
  }
  assert.ok(tried >= 6, String(tried));
  assert.equal(readBundle("nonsense"), "motet elaborate did not print a bundle.");
});

test("values are written as an author would", () => {
  const rows: readonly [unknown, string][] = [
    [{ kind: "money_value", amount: "5.00", currency: "EUR" }, "5.00 EUR"], [{ kind: "money_value", amount: { value: "1" }, currency: "X" }, "1 X"],
    [{ kind: "bool_value", value: true }, "true"], [{ kind: "text_value", value: "a\"b" }, '"a\\"b"'], [{ kind: "duration_value", value: 3, unit: "days" }, "3 days"],
    [{ kind: "list_value", value: [{ kind: "int_value", value: 1 }] }, "[1]"], [{ kind: "record_value", fields: { a: { kind: "int_value", value: 1 } } }, "{ a: 1 }"],
    [{ kind: "tagged_union_value", tag: "T", payload: { kind: "int_value", value: 1 } }, "T(1)"], [7, "7"], [null, "null"]];
  rows.forEach(([value, words]) => assert.equal(valueWords(value), words));
});

test("every question that is offered is understood by motet ask", () => {
  for (const name of ["claims/claims.tenor", "guarded_files/files.tenor"]) {
    const file = join(SOURCE, "examples", name), bundle = readBundle(motet(["elaborate", file]).out);
    assert.ok(typeof bundle !== "string");
    const questions = questionsFor(bundle), forms = new Map(questions.map((q) => [q.about + q.question.split(" ").slice(0, 2).join(" "), q]));
    assert.ok(questions.length > 8, String(questions.length));
    for (const { question } of forms.values()) {
      const ran = motet(["ask", file, question]);
      assert.ok(ran.code === 0 || ran.code === 1, `${question}: ${ran.err}`);
    }
  }
  assert.deepEqual(readAnswer({ answer: "yes", text: "x" }), { answer: "yes", text: "x" });
  [null, {}, 3, { answer: 1, text: "" }].forEach((bad) => assert.equal(readAnswer(bad), undefined));
});
