/* measure_verify.mjs CHROMIUM URL PROFILE [RECORDS]: how fast the page verifies a ledger, in Debian's Chromium: dropped onto the page as a
 * person does, from there to the sentence that says what holds. The second of two is taken: by then the engine is there. cpu_rate: of the
 * processor's time that the worker had, which says more where others use the machine. */
import { mkdirSync, openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Ledger } from "./ledger.mjs";

const [executablePath, url, profile, wanted] = process.argv.slice(2), RECORDS = Number(wanted ?? 200000), EVERY = 1000;
const here = createRequire(new URL("../../tests/npm/browser/package.json", import.meta.url));
const { chromium } = await import(pathToFileURL(here.resolve("playwright-core")).href.replace(/index\.js$/, "index.mjs"));
mkdirSync(profile, { recursive: true });
const path = `${profile}/ledger.jsonl`, out = openSync(path, "w"), ledger = new Ledger("acme.prod.eu");
for (let i = 0; i < RECORDS; i += EVERY) {
  ledger.grow(EVERY).sign();
  writeSync(out, ledger.text);
  ledger.lines = [];
}
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const server = await chromium.launchServer({ executablePath, args, headless: true, env: { ...process.env, HOME: profile } });
const browser = await chromium.connect(server.wsEndpoint());
const page = await browser.newPage();
page.setDefaultTimeout(600000);
await page.goto(`${url}/studio/#/verify`);
await page.getByLabel("Keys that you trust").fill(ledger.open);
/** Seconds of processor that workers of this browser have had. */
function worked() {
  const fields = (stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const read = (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return ""; // it has ended
    }
  };
  const parents = new Map(readdirSync("/proc").filter((p) => /^\d+$/.test(p)).map((p) => [Number(p), Number(fields(read(`/proc/${p}/stat`))[1])]));
  const ours = (p) => p === server.process().pid || (parents.has(p) && ours(parents.get(p)));
  const tasks = [...parents.keys()].filter(ours).flatMap((p) => readdirSync(`/proc/${p}/task`).map((t) => read(`/proc/${p}/task/${t}/stat`)));
  return tasks.filter((stat) => stat.includes("(DedicatedWorker")).reduce((sum, stat) => sum + Number(fields(stat)[11]) + Number(fields(stat)[12]), 0) / 100;
}

let took = 0, slowest = 0, cpu = 0;
for (let i = 0; i < 2; i++) {
  await page.evaluate(() => {
    window.took = new Promise((done) => {
      let from = 0, last = 0, slowest = 0;
      const look = () => {
        const now = performance.now();
        slowest = from && last ? Math.max(slowest, now - last) : slowest;
        last = now;
        const said = document.querySelector(".came")?.textContent ?? "";
        from ||= said.includes("Verifying") ? now : 0;
        if (from && said.includes("are consistent")) {
          done({ took: now - from, slowest, said });
        } else {
          requestAnimationFrame(look);
        }
      };
      look();
    });
  });
  const before = worked();
  await page.getByLabel("Ledger (.jsonl)").setInputFiles(path);
  ({ took, slowest } = await page.evaluate(() => window.took));
  cpu = worked() - before;
}
console.log(JSON.stringify({ rate: Math.round((RECORDS * 1000) / took), cpu_rate: Math.round(RECORDS / cpu), records: RECORDS, bytes: statSync(path).size, ms: Math.round(took), slowest_frame_ms: Math.round(slowest) }));
await browser.close();
await server.close();
