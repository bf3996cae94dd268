/** The panels in a real browser, under their own policy: what is typed and clicked is told, what is
 * told is shown, and hostile text does nothing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fitDrafts } from "../src/pure/draft";
import { factsBody, formHtml, verdictsHtml } from "../src/pure/factsView";
import { h, page } from "../src/pure/html";
import type { Html } from "../src/pure/html";
import { pictureBody, pictureHtml, readPicture } from "../src/pure/picture";
import { readBundle } from "../src/pure/types";
import { SOURCE } from "./engine";

type Any = any; // the browser comes with the tests, not with the extension
const EXTENSION = process.env["EXTENSION"] ?? join(SOURCE, "editors/vscode");
const HOST = "http://panel.test/";
const HOSTILE = "\"><img src=x onerror=\"window.hacked=1\"><script>window.hacked=2</script><svg onload=window.hacked=3>";

async function browse(call: (open: (name: string, body: Html) => Promise<Any>) => Promise<void>): Promise<void> {
  const { chromium } = createRequire(join(SOURCE, "tests/npm/browser/package.json"))("playwright-core") as Any;
  const profile = mkdtempSync(join(tmpdir(), "motet-panel-"));
  const executablePath = execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  try {
    await call(async (name, body) => {
      const tab = await context.newPage();
      const html = page({ title: HOSTILE, body, nonce: "0123456789abcdef", source: HOST, script: `${HOST}dist/${name}.js`, style: `${HOST}media/style.css` });
      await tab.addInitScript("window.told = []; window.acquireVsCodeApi = () => ({ postMessage: (m) => window.told.push(m) });"
        + "document.addEventListener('securitypolicyviolation', (e) => { window.blocked = (window.blocked ?? 0) + 1; });");
      await tab.route("**/*", (route: Any) => {
        const path = new URL(route.request().url()).pathname;
        return path === "/" ? route.fulfill({ contentType: "text/html", body: html })
          : /^\/(dist|media)\/\w+\.(js|css)$/.test(path) ? route.fulfill({ contentType: path.endsWith("js") ? "text/javascript" : "text/css", body: readFileSync(join(EXTENSION, path), "utf8") })
            : route.abort();
      });
      await tab.goto(HOST);
      return tab;
    });
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

const harmless = async (tab: Any): Promise<void> => {
  assert.equal(await tab.evaluate("window.hacked"), undefined);
  assert.equal(await tab.evaluate("document.querySelectorAll('img, iframe, object').length"), 0);
  assert.equal(await tab.evaluate("window.blocked"), undefined, "nothing had to be blocked");
};

test("the panels in Chromium", () => browse(async (open) => {
  const bundle = readBundle(JSON.stringify({ id: "x", constructs: [
    { kind: "Fact", id: "amount", type: { base: "Money", currency: "EUR" }, source: HOSTILE },
    { kind: "Fact", id: "choice", type: { base: "Enum", values: ["a", HOSTILE] }, source: "s.c" },
    { kind: "Fact", id: "items", type: { base: "List", max: 3, element_type: { base: "Bool" } }, source: "s.i" }] }));
  assert.ok(typeof bundle !== "string");
  const form = formHtml(bundle, fitDrafts(bundle.facts, new Map()));
  const tab = await open("facts", factsBody(HOSTILE, form, h("div", { id: "verdicts" })));
  const told = async (): Promise<Any[]> => JSON.parse(await tab.evaluate("JSON.stringify(window.told.splice(0))")) as Any[];
  await tab.fill("[aria-label=amount]", "5.00");
  assert.deepEqual((await told()).at(-1), { do: "set", path: ["amount"], text: "5.00", redraw: "no" });
  await tab.selectOption("[aria-label=choice]", { index: 2 });
  assert.deepEqual(await told(), [{ do: "set", path: ["choice"], text: HOSTILE, redraw: "yes" }]);
  await tab.click("[data-do=add]");
  await tab.click("[data-text=empty]");
  await tab.click("[data-go='fact/amount']");
  assert.deepEqual(await told(), [{ do: "add", path: ["items"], redraw: "yes" }, { do: "set", path: ["items"], text: "empty", redraw: "yes" }, { go: "fact/amount" }]);
  await tab.focus("[aria-label=amount]");
  const verdicts = verdictsHtml({ kind: "verdicts", unknown: [], verdicts: [{ name: "ok", rule: "r", state: "present", payload: HOSTILE }], operations: [] }, []);
  await tab.evaluate((m: Any) => window.postMessage(m, "*"), { form: form.text, verdicts: verdicts.text, trouble: HOSTILE });
  await tab.waitForSelector("tr.present");
  assert.equal(await tab.textContent("tr.present code"), HOSTILE);
  assert.equal(await tab.textContent("#verdicts > .faults"), HOSTILE);
  assert.equal(await tab.evaluate("document.activeElement.getAttribute('aria-label')"), "amount", "the cursor stays");
  await harmless(tab);

  const picture = readPicture(JSON.stringify({ title: HOSTILE, groups: [], personas: [], nodes: [
    { name: "entity/E/a", label: HOSTILE, role: "state", tooltip: HOSTILE }, { name: "entity/E/b", label: "b", role: "final" }],
    edges: [{ from: "entity/E/a", to: "entity/E/b", label: "go", line: "solid" }] }));
  assert.ok(picture);
  const drawn = await open("picture", pictureBody("t", undefined, ""));
  await drawn.evaluate((m: Any) => window.postMessage(m, "*"), { html: pictureBody("t", pictureHtml(picture), HOSTILE).text });
  await drawn.waitForSelector("g.node");
  assert.equal(await drawn.evaluate("document.querySelectorAll('g.node').length"), 2);
  await drawn.click("[data-go='entity/E/b'] text");
  await drawn.focus("[data-go='entity/E/a']");
  await drawn.keyboard.press("Enter");
  assert.deepEqual(await drawn.evaluate("window.told"), [{ go: "entity/E/b" }, { go: "entity/E/a" }]);
  const box = await drawn.evaluate("(() => { const r = document.querySelector('g.final rect').getBoundingClientRect(); return [r.width, r.height]; })()");
  assert.ok(box[0] > 20 && box[1] > 20, String(box));
  assert.equal(await drawn.textContent("main > .faults"), HOSTILE);
  await harmless(drawn);
  if (process.env["SHOT"]) {
    await drawn.screenshot({ path: process.env["SHOT"] });
  }
}));
