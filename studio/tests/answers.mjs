/* answers.mjs CHROMIUM URL PROFILE CASES OUT: asks the page's own worker, in Debian's Chromium, what the command line was asked.
 *
 * CASES: {"calls": [{kind, ask}], "page": {"keys", "kept": [[name, text]], "files": [path]}}. A ledger's `file` is in base64. OUT:
 * {"calls": [{answer} or {fault}], "page": [what the view says of each file]}: the files are given to the Verify view as a person does. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [executablePath, url, profile, given, out] = process.argv.slice(2), TOGETHER = 200;
const here = createRequire(new URL("../../tests/npm/browser/package.json", import.meta.url));
const { chromium } = await import(pathToFileURL(here.resolve("playwright-core")).href.replace(/index\.js$/, "index.mjs"));
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath, args, headless: true, env: { ...process.env, HOME: profile } });
const page = await browser.newPage();
page.setDefaultTimeout(60000);
const { calls, page: asked } = JSON.parse(readFileSync(given, "utf8"));

/* The worker that views talk to: the same file, and the same messages. */
await page.goto(`${url}/studio/#/verify`);
await page.evaluate(() => {
  const address = document.querySelector('link[rel="modulepreload"][href*="worker-"]').href;
  const worker = new Worker(address, { type: "module" }), waiting = new Map();
  worker.addEventListener("message", ({ data }) => "progress" in data || (waiting.get(data.id)(data), waiting.delete(data.id)));
  const bytes = (text) => new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
  let next = 1;
  window.askAll = (list) => Promise.all(list.map(({ kind, ask }) => new Promise((done) => {
    const id = next++;
    waiting.set(id, ({ answer, fault }) => done(fault ? { fault } : { answer }));
    worker.postMessage({ id, kind, ask: "file" in ask ? { ...ask, file: bytes(ask.file) } : ask });
  })));
});
const said = { calls: [], page: [] };
for (let i = 0; i < calls.length; i += TOGETHER) {
  said.calls.push(...await page.evaluate((list) => window.askAll(list), calls.slice(i, i + TOGETHER)));
}

if (asked) {
  await page.getByLabel("Keys that you trust").fill(asked.keys);
  await page.getByLabel("Ledger (.jsonl)").setInputFiles(asked.kept.map(([name, text]) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
}
for (const path of asked?.files ?? []) {
  await page.getByLabel("Ledger (.jsonl)").setInputFiles(path);
  said.page.push(await page.waitForFunction((name) => {
    const box = document.querySelector(".came");
    return box?.querySelector("b")?.textContent === name && !box.querySelector("progress") ? box.querySelector("span").textContent : null;
  }, path.split("/").pop()).then((h) => h.jsonValue()));
}
await browser.close();
writeFileSync(out, JSON.stringify(said));
