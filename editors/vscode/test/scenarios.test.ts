/** Scenarios, their results and what they reached, with the real `motet test`. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { mapCoverage, mergeCoverage } from "../src/pure/coverage";
import { placeOfShape } from "../src/pure/locate";
import { asObject, asText, readMessages, readResults, readTrials, resultOf } from "../src/pure/results";
import type { Results } from "../src/pure/results";
import { THE_FILE, baseName, isScenarioFile, readScenarios } from "../src/pure/scenarios";
import { SOURCE, Talk, filesBelow, motet } from "./engine";

const PARALLEL = `persona clerk
fact ready { type: Bool source: "a.b" }
entity A { states: [x, y] initial: x transitions: [(x, y)] }
entity B { states: [x, y] initial: x transitions: [(x, y)] }
rule r { stratum: 0 when: ready produce: verdict ok { payload: Bool = true } }
operation doa { allowed_personas: [clerk] precondition: verdict_present(ok) effects: [(A, x, y)] outcomes: [done] error_contract: [precondition_failed, persona_rejected] }
operation dob { allowed_personas: [clerk] precondition: verdict_present(ok) effects: [(B, x, y)] outcomes: [done] error_contract: [precondition_failed, persona_rejected] }
flow both {
  snapshot: at_initiation
  entry: p
  steps: {
    p: ParallelStep {
      branches: [
        Branch { id: left /* } */ entry: one steps: {
          one: OperationStep { op: doa persona: clerk outcomes: { done: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
        Branch { id: right entry: one steps: {
          one: OperationStep { op: dob persona: clerk outcomes: { done: last } on_failure: Terminate(outcome: failure) }
          last: Terminal(success) } }
      ]
      join: JoinPolicy { on_all_success: after on_any_failure: Terminate(outcome: failure) }
    }
    after: BranchStep { condition: ready persona: clerk if_true: Terminal(success) if_false: Terminal(failure) }
  }
}
`;
const SCENARIOS = `# two that fail, one that holds
scenarios:
  - name: "it is ready"
    given: {facts: {ready: true}}
    then: {present: [ok]}
  - given: {facts: {ready: true}}
    name: wrong
    then: {absent: [ok]}
  - name: misspelt
    given: {facts: {redy: true}}
    then: {absent: [ok]}
invariants:
  - always ok or not ready
`;

function inFolder<T>(files: Readonly<Record<string, string>>, call: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "motet-vscode-"));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  const done = (): void => rmSync(folder, { recursive: true, force: true });
  const result = call(folder);
  if (result instanceof Promise) {
    return result.finally(done) as T;
  }
  done();
  return result;
}

function runTest(path: string, ...words: string[]): Results {
  const results = readResults(motet(["test", path, "--json", "--coverage", ...words]).out);
  assert.ok(results);
  return results;
}

test("scenarios are found with their lines, in YAML and JSON", () => {
  assert.deepEqual(readScenarios(SCENARIOS), [
    { name: "it is ready", kind: "scenario", line: 2 }, { name: "wrong", kind: "scenario", line: 6 },
    { name: "misspelt", kind: "scenario", line: 8 }, { name: "invariant always ok or not ready", kind: "invariant", line: 12 }]);
  assert.deepEqual(readScenarios('{"scenarios": [\n {"name": "a"}]}'), [{ name: "a", kind: "scenario", line: 1 }]);
  for (const text of ["", "[]", "a: [", "scenarios: 3", "scenarios: [{name: 3}]", "\u0000", "&a [*a]", "? {a: b}\n: c"]) {
    assert.deepEqual(readScenarios(text), [THE_FILE], text);
  }
  assert.ok(isScenarioFile("/a/b.scenarios.yml") && !isScenarioFile("/a/b.scenario.yml"));
});

test("every example's scenarios are what motet test runs", () => {
  const files = filesBelow(join(SOURCE, "examples"), ".scenarios.yaml");
  assert.ok(files.length >= 5);
  for (const file of files) {
    const wanted = readScenarios(readFileSync(file, "utf8")).map((s) => `${baseName(file)}: ${s.name}`);
    assert.deepEqual(runTest(file).cases.map((c) => c.name), wanted, file);
  }
});

test("a failure is told where it is", () => inFolder({ "p.tenor": PARALLEL, "p.scenarios.yaml": SCENARIOS }, (folder) => {
  const file = join(folder, "p.scenarios.yaml"), results = runTest(file);
  assert.equal(resultOf(results, file, "it is ready")?.ok, true);
  const [wrong] = resultOf(results, file, "wrong")?.messages ?? [];
  assert.deepEqual([wrong?.file, wrong?.line], [file, 7]);
  assert.match(wrong?.text ?? "", /^absent: .*ok/);
  assert.match(resultOf(results, file, "misspelt")?.messages[0]?.text ?? "", /did you mean 'ready'/);
  assert.equal(resultOf(results, file, "invariant always ok or not ready")?.ok, true);
  assert.equal(resultOf(results, file, "never written"), undefined);
  assert.deepEqual(runTest(file, "--only", "wrong").cases.map((c) => c.ok), [false]);
}));

test("a file that cannot be read is one case that fails", () => inFolder({ "p.scenarios.json": "{" }, (folder) => {
  const file = join(folder, "p.scenarios.json");
  const [listed] = readScenarios(readFileSync(file, "utf8"));
  assert.equal(resultOf(runTest(file), file, listed?.name ?? "")?.ok, false);
}));

test("what is not a report is not taken for one", () => {
  for (const text of ["", "null", "[]", "{}", '{"cases": 3}', "not json"]) {
    assert.equal(readResults(text), undefined, text);
  }
  assert.deepEqual(readResults('{"cases":[null,{"name":3,"why":[]}],"coverage":[7]}')?.cases.map((c) => c.ok), [false, false]);
  assert.deepEqual(readMessages("a\nb.yaml:3:4: c\n  d\n"), [{ text: "a" }, { text: "c\n  d", file: "b.yaml", line: 2, column: 3 }]);
});

test("what the server ran for a lens is read with care", () => {
  const read = readTrials({ text: "1 passed", coverage: { rules: { seen: 1, total: 2, never_seen: ["r"] } },
    results: [{ uri: "file:///a", name: "n", passes: true, line: 3, text: "" }, null, { passes: "yes", line: -7 }] }, "/c.tenor");
  assert.deepEqual(read?.results.map((r) => [r.uri, r.name, r.ok, r.message.line]), [["file:///a", "n", true, 2], ["", "", false, 0], ["", "", false, 0]]);
  assert.deepEqual([read?.coverage.contract, read?.coverage.of.rules.neverSeen, read?.coverage.of.steps.total], ["/c.tenor", ["r"], 0]);
  [null, {}, [], 3, { results: {} }].forEach((bad) => assert.equal(readTrials(bad, ""), undefined));
});

test("coverage stands at the lines of the contract, inside branches too", () => inFolder({ "p.tenor": PARALLEL, "p.scenarios.yaml": SCENARIOS }, async (folder) => {
  const files = await Talk.with((talk) => talk.symbols(join(folder, "p.tenor")));
  const [coverage] = runTest(join(folder, "p.scenarios.yaml")).coverage;
  assert.ok(coverage);
  const [mapped] = mapCoverage(coverage, files), items = mapped?.items ?? [];
  const of = (name: string): unknown => { const i = items.find((c) => c.name === name); return i && [i.range.start.line, i.seen, i.branches]; };
  assert.deepEqual(of("r"), [4, true, [{ label: "ok present", seen: true }, { label: "ok absent", seen: false }]]);
  assert.deepEqual(of("doa"), [5, false, [{ label: "done", seen: false }]]);
  const steps = items.filter((c) => c.kind === "statement").map((c) => [c.name, c.range.start.line]);
  assert.deepEqual(steps, [["both: p", 11], ["both/left: one", 14], ["both/right: one", 16], ["both/right: last", 17], ["both: after", 21]]);
  // every name that the engine counts has a place
  const known = new Set(items.map((c) => c.name));
  for (const kind of ["rules", "operations", "steps"] as const) {
    coverage.of[kind].neverSeen.forEach((name) => assert.ok(known.has(name), name));
  }
  assert.deepEqual(placeOfShape(files, "flow/both/right/one")?.range.start.line, 16);
  assert.deepEqual(placeOfShape(files, "flow/both/left/one")?.range.start.line, 14);
  assert.deepEqual(placeOfShape(files, "flow/both//end/failure")?.range.start.line, 7);
}));

test("two runs have seen what either has", () => inFolder({ "p.tenor": PARALLEL, "p.scenarios.yaml": SCENARIOS }, (folder) => {
  const coverage = runTest(join(folder, "p.scenarios.yaml")).coverage;
  const other = { ...coverage[0]!, of: { ...coverage[0]!.of, absent: { seen: 1, total: 1, neverSeen: [] }, operations: { seen: 1, total: 2, neverSeen: ["dob"] } } };
  const [both] = mergeCoverage([...coverage, other]);
  assert.deepEqual(both?.of.absent, { seen: 1, total: 1, neverSeen: [] });
  assert.deepEqual(both?.of.operations, { seen: 1, total: 2, neverSeen: ["dob"] });
  assert.equal(mergeCoverage(coverage)[0], coverage[0]);
}));

test("every shape of every picture of the examples leads to its source", () => Talk.with(async (talk) => {
  let shapes = 0;
  for (const file of filesBelow(join(SOURCE, "examples"), ".tenor")) {
    const text = readFileSync(file, "utf8");
    if (/^\s*(system|import)\b/m.test(text)) {
      continue;
    }
    const files = await talk.symbols(file, text);
    for (const symbol of files[0]?.symbols ?? []) {
      const answer = asObject(await talk.ask("motet/picture", { textDocument: { uri: files[0]?.file }, position: symbol.selectionRange.start, format: "json" }));
      const picture = JSON.parse(asText(answer["picture"])) as { nodes: { name: string }[] };
      for (const node of picture.nodes) {
        const place = placeOfShape(files, node.name), last = node.name.replace(/^(operation\/[^/]+)\/when$/, "$1").split("/").at(-1) ?? ""; // behind the rules an operation stands once more
        assert.ok(place, node.name);
        if (!node.name.includes("//")) {
          assert.equal(text.split("\n")[place.range.start.line]?.slice(place.range.start.character, place.range.end.character), last, node.name);
        }
        shapes++;
      }
    }
  }
  assert.ok(shapes > 300, String(shapes));
}));
