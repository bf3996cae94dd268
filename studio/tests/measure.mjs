/* measure.mjs CHROMIUM URL PROFILE: figures of Studio in Debian's Chromium, as one line of JSON.
 *   ready       ms from navigation to an editor that is checked, measured by the page; median of the later ones
 *   keystroke   ms from a key to the redrawn picture, 95th percentile, on escrow
 *   large       the same on 2,000 lines */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [executablePath, url, profile] = process.argv.slice(2);
const here = createRequire(new URL("../../tests/npm/browser/package.json", import.meta.url));
const { chromium } = await import(pathToFileURL(here.resolve("playwright-core")).href.replace(/index\.js$/, "index.mjs"));
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true, viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const escrow = readFileSync(new URL("../../examples/escrow/escrow.tenor", import.meta.url), "utf8");
const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
const ready = () => page.waitForFunction(() => performance.getEntriesByName("studio.ready")[0]?.startTime).then((h) => h.jsonValue());

async function opening() {
  const times = [];
  for (let i = 0; i < 8; i++) {
    await page.goto("about:blank");
    await page.goto(`${url}/studio/`);
    times.push(await ready());
  }
  return at(times.slice(1), 0.5);
}

/** Types the name of one more entity, a letter at a time: each is another contract that holds, and another picture. */
async function typing(text, count) {
  await page.goto(`${url}/healthz`); // the same origin, where nothing keeps a draft
  await page.evaluate((t) => localStorage.setItem("motet.studio.draft", JSON.stringify({ name: "typed", files: [["typed.tenor", t]], facts: "{}" })), text);
  await page.goto(`${url}/studio/`);
  await ready();
  await page.waitForSelector('[data-name="entity/Zz/s"]');
  await page.evaluate(() => {
    const root = document.querySelector(".editor").shadowRoot;
    const lines = root.querySelector(".cm-content");
    window.times = [];
    let from = 0;
    lines.addEventListener("keydown", () => (from = performance.now()), true);
    window.wait = (name) => new Promise((done) => {
      const look = () => document.querySelector(`[data-name="entity/${name}/s"]`) && (observer.disconnect(),
        requestAnimationFrame(() => done(window.times.push(performance.now() - from))));
      const observer = new MutationObserver(look);
      observer.observe(document.querySelector(".drawn"), { childList: true, subtree: true, attributes: true });
      look();
    });
  });
  await page.getByRole("textbox", { name: "Source of the contract" }).click();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < "entity Zz".length; i++) {
    await page.keyboard.press("ArrowRight");
  }
  let name = "Zz";
  for (let i = 0; i < count; i++) {
    const letter = "abcdefghij"[i % 10];
    name += letter;
    const seen = page.evaluate((n) => window.wait(n), name);
    await page.keyboard.press(letter);
    await page.keyboard.press("Escape"); // what is proposed
    await seen;
  }
  return at((await page.evaluate(() => window.times)).slice(5), 0.95);
}

const first = "entity Zz { states: [s, t] initial: s transitions: [(s, t)] }\n";
let large = first + escrow;
for (let i = 0; large.split("\n").length < 2000; i++) {
  large += `\nfact extra_${i} {\n  type: Int(min: 0, max: 100)\n  source: "x.f${i}"\n}\nrule extra_rule_${i} {\n  stratum: 0\n  when: extra_${i} > 5\n  produce: verdict extra_verdict_${i} { payload: Bool = true }\n}\n`;
}
console.log(JSON.stringify({ ready: await opening(), keystroke: await typing(first + escrow, 45), large: await typing(large, 25) }));
await context.close();
