/** The bundle as it is packaged, with a fake `vscode` and the real `motet`. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import * as cheerio from "cheerio";
import { MOTET, SOURCE } from "./engine";
import { World, fakeVscode, loadExtension } from "./fake";

const EXTENSION = process.env["EXTENSION"] ?? join(SOURCE, "editors/vscode");
const CLAIMS = readFileSync(join(SOURCE, "examples/claims/claims.tenor"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "motet-vscode-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function until<T>(what: string, ask: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + (Number(process.env["WAIT_MS"]) || 20_000); Date.now() < end;) {
    const found = ask();
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited in vain: ${what}\n${world.messages.join("\n")}`);
}

const world = new World();
let loaded: ReturnType<typeof loadExtension>;
const contract = join(folder, "claims.tenor");

test("it activates, finds motet and starts the language server", async () => {
  writeFileSync(contract, CLAIMS);
  writeFileSync(join(folder, "claims.scenarios.yaml"), readFileSync(join(SOURCE, "examples/claims/claims.scenarios.yaml")));
  writeFileSync(join(folder, "odd.scenarios.yaml"), "contract: claims.tenor\nscenarios:\n  - name: wrong\n    given: {facts: {policy_active: true, claimed_amount: {amount: '1.00', currency: EUR},"
    + " covered_amount: {amount: '0.00', currency: EUR}}}\n    then:\n      present: [claim_eligible]\n");
  world.settings["motet.path"] = MOTET;
  world.settings["motet.log"] = join(folder, "log.txt");
  const vscode = fakeVscode(world, folder);
  loaded = loadExtension(join(EXTENSION, "dist/extension.js"), vscode);
  await loaded.activate({ subscriptions: [], extensionUri: vscode.Uri.file(EXTENSION) });
  const wanted = (JSON.parse(readFileSync(join(SOURCE, "editors/vscode/package.json"), "utf8")) as { contributes: { commands: { command: string }[] } }).contributes.commands;
  wanted.forEach(({ command }) => assert.ok(world.commands.has(command), command));
  assert.ok(world.messages.some((m) => m.includes(MOTET)));
});

test("a broken contract gets its diagnostics, and loses them when it is mended", async () => {
  const document = world.open(contract), told = (): unknown[] => world.diagnostics(document.uri) ?? [];
  world.change(document, CLAIMS.replace("op:      open_review", "op:      open_revue"));
  await until("the diagnostic", () => told().length);
  await new Promise((resolve) => setTimeout(resolve, 300)); // so that it would be there twice
  assert.equal(told().length, 1);
  const [found] = world.diagnostics(document.uri) ?? [];
  assert.match(found.message, /open_revue/);
  assert.equal(CLAIMS.split("\n")[found.range.start.line]?.trim(), "op:      open_review");
  world.change(document, CLAIMS);
  await until("no diagnostic", () => world.diagnostics(document.uri)?.length === 0);
  assert.ok(readFileSync(join(folder, "log.txt"), "utf8").includes("publishDiagnostics"), "the log is written");
});

test("scenarios are found, run and told at their lines", async () => {
  await world.controller.resolveHandler();
  const file = [...["claims", "odd"]].map((name) => world.controller.items.get(`file://${join(folder, name)}.scenarios.yaml`));
  assert.ok(file[0].children.size >= 3);
  await world.profiles[0].handler({ include: undefined, exclude: undefined }, { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) });
  const failed = world.run.filter((r) => r.state === "failed");
  assert.equal(world.run.filter((r) => r.state === "passed").length, file[0].children.size);
  assert.deepEqual(failed.map((r) => r.id), [`file://${folder}/odd.scenarios.yaml#1 wrong`]);
  assert.equal(failed[0]?.messages[0].message, "present: verdict claim_eligible is absent");
  assert.equal(failed[0]?.messages[0].location.range.line, 5);
  assert.equal(world.run.at(-1)?.state, "end");
});

test("one scenario is run alone, with coverage in the gutter", async () => {
  world.run.length = 0;
  const file = world.controller.items.get(`file://${join(folder, "claims")}.scenarios.yaml`), all: { id: string }[] = [];
  file.children.forEach((c: { id: string }) => all.push(c));
  await world.profiles[1].handler({ include: [all[0]], exclude: [] }, { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) });
  assert.deepEqual(world.run.map((r) => r.state), ["passed", "end"]);
  const [covered] = world.coverage;
  assert.equal(covered.uri.fsPath, contract);
  const details = await world.profiles[1].loadDetailedCoverage(undefined, covered);
  const eligible = details.find((d: { name?: string }) => d.name === "eligible");
  assert.equal(eligible.executed, true);
  assert.equal(CLAIMS.split("\n")[eligible.location.start.line], "rule eligible {");
  assert.ok(details.some((d: { branches?: { executed: boolean }[] }) => d.branches?.some((b) => !b.executed)), "not everything was seen");
});

test("the picture is drawn beside the source, leads to it, and follows the text", async () => {
  const document = world.open(contract);
  world.look(document, CLAIMS.split("\n").indexOf("entity Claim {"), 9);
  world.commands.get("motet.picture")?.();
  const panel = world.panels.at(-1)!;
  assert.match(cheerio.load(panel.html)("meta[http-equiv]").attr("content") ?? "", /^default-src 'none'; script-src 'nonce-/);
  const drawn = await until("a picture", () => panel.sent.find((m) => m.html?.includes("<svg")));
  const $ = cheerio.load(drawn.html);
  assert.ok($("[data-go='entity/Claim/review']").length === 1);
  panel.hear.fire({ go: "entity/Claim/review" });
  const shown = await until("the source", () => world.shown[0]);
  const { start, end } = shown.options.selection;
  assert.equal(CLAIMS.split("\n")[start.line]?.slice(start.character, end.character), "review");
  panel.sent.length = 0;
  world.change(document, CLAIMS.replaceAll("review", "look"));
  await until("another picture", () => panel.sent.some((m) => m.html?.includes("entity/Claim/look")));
  panel.sent.length = 0;
  world.change(document, CLAIMS.replace("initial:", "initjal:"));
  const kept = await until("a word about errors", () => panel.sent.find((m) => m.html?.includes("has errors; this is the picture before")));
  assert.match(kept.html, /<svg[^]*entity\/Claim\/look|entity\/Claim\/look[^]*<svg/);
  world.change(document, CLAIMS);
});

test("facts are typed and the verdicts follow", async () => {
  const document = world.open(contract);
  world.look(document, 0, 0);
  world.commands.get("motet.facts")?.();
  const panel = world.panels.at(-1)!;
  const form = await until("the form", () => panel.sent.find((m) => m.form));
  assert.match(form.form, /claimed_amount/);
  const type = async (path: string[], text: string): Promise<string> => {
    panel.sent.length = 0;
    panel.hear.fire({ do: "set", path, text });
    return (await until("verdicts", () => panel.sent.at(-1))).verdicts as string;
  };
  await type(["policy_active"], "true");
  await type(["claimed_amount"], "5.00");
  const state = (html: string): string => cheerio.load(html)("tr").filter((_, r) => cheerio.load(r).text().includes("claim_eligible")).attr("class") ?? "";
  assert.equal(state(await type(["covered_amount"], "")), "depends");
  assert.equal(state(await type(["covered_amount"], "9.00")), "present");
  assert.equal(state(await type(["covered_amount"], "1.00")), "absent");
  assert.match(await type(["covered_amount"], "<b>"), /&lt;b&gt;/);
  panel.sent.length = 0;
  ["1.00", "2.00", "9.00"].forEach((text) => panel.hear.fire({ do: "set", path: ["covered_amount"], text }));
  await until("verdicts", () => panel.sent.length);
  await new Promise((resolve) => setTimeout(resolve, 300)); // so that older ones would come, too
  assert.deepEqual(panel.sent.map((m) => state(m.verdicts)), ["present"]);
  panel.sent.length = 0;
  world.change(document, CLAIMS.replace("<= covered_amount", "> covered_amount"));
  assert.equal(state((await until("verdicts of the changed rule", () => panel.sent.find((m) => m.form))).verdicts), "absent");
  world.change(document, CLAIMS);
});

test("a question is chosen and its answer shown", async () => {
  world.look(world.open(contract), 0, 0);
  world.shown.length = 0;
  world.picked = (items: { label: string }[]) => items.find((i) => i.label === "who can perform decide_claim");
  await world.commands.get("motet.question")?.();
  const [shown] = world.shown;
  assert.match(decodeURI(shown?.uri ?? ""), /^motet-answer:.*who can perform decide_claim/);
  const text = String(world.commands.get("content:motet-answer")?.({ toString: () => shown?.uri }));
  assert.match(text, /^# yes\n[^]*adjudicator/);
});

test("the lens of the server asks the same way, and a refusal is told", async () => {
  world.shown.length = 0;
  await world.commands.get("motet.ask")?.(world.open(contract).uri.toString(), "flow settle ends");
  assert.equal(world.shown.length, 1);
  world.messages.length = 0;
  await world.commands.get("motet.ask")?.("file:///nowhere.tenor", "flow settle ends");
  assert.match(world.messages.join("\n"), /flow settle ends: the document is not open/);
});

test("a server that runs scenarios itself is heard in the test explorer", async (t) => {
  const command = world.commands.get("motet.test");
  if (!command) {
    t.diagnostic("this server has no command motet.test");
    return;
  }
  world.run.length = world.coverage.length = 0;
  await command(world.open(contract).uri.toString());
  assert.deepEqual(new Set(world.run.map((r) => r.state)), new Set(["passed", "end"]));
  assert.equal(world.coverage[0]?.uri.fsPath, contract);
});

test("the server is started again on request, and says how to get motet when it is gone", async () => {
  await world.commands.get("motet.restart")?.();
  const document = world.open(contract);
  world.change(document, "persona");
  await until("diagnostics of the new server", () => world.diagnostics(document.uri)?.length);
  world.settings["motet.path"] = join(folder, "nothing");
  world.messages.length = 0;
  await world.commands.get("motet.restart")?.();
  assert.match(world.messages.join("\n"), /no program at .*nothing.*make install/);
  await loaded.deactivate();
});
