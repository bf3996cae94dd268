/* walk.mjs CHROMIUM URL PROFILE OUT: opens the page in Debian's Chromium and writes what its
 * function `walked()` gives. Nothing but the page's own host is reached. */
import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [executablePath, url, profile, out] = process.argv.slice(2);
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true });
try {
  const { host } = new URL(url);
  await context.route((to) => to.host !== host, (route) => route.abort());
  const page = await context.newPage();
  page.on("pageerror", (fault) => console.error(String(fault)));
  await page.goto(url);
  await page.waitForFunction(() => window.walked !== undefined, undefined, { timeout: 120000 });
  writeFileSync(out, JSON.stringify(await page.evaluate(() => window.walked())));
} finally {
  await context.close();
}
