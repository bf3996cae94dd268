/* site.mjs CHROMIUM DIRECTORY PROFILE: walks the site that `make docs` built, from file://, as a reader would, and prints
 * what it saw as JSON: what was found for each word, where a result led, every address that was asked for, faults. */
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, directory, profile, ...sought] = process.argv.slice(2);
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const context = await chromium.launchPersistentContext(profile, { executablePath, args, headless: true,
  viewport: { width: 1280, height: 900 } });
const seen = { requests: [], faults: [], found: {} };
try {
  const page = await context.newPage();
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("requestfailed", (request) => seen.faults.push(`not there: ${request.url()}`));
  page.on("pageerror", (fault) => seen.faults.push(String(fault)));
  page.on("console", (said) => seen.faults.push(said.text()));
  const start = pathToFileURL(`${directory}/index.html`).href;
  await page.goto(start);
  const colours = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  seen.light = await colours();
  await page.emulateMedia({ colorScheme: "dark" });
  seen.dark = await colours();
  await page.emulateMedia({ colorScheme: "light" });
  seen.head = await page.evaluate(() => [...document.querySelectorAll("pre .head")].map((b) => b.textContent));

  for (const words of sought) { // "/" goes to the field, as the field says
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("/");
    await page.locator("#words").fill(words);
    await page.waitForFunction(() => document.querySelector("#found a, #found p"));
    seen.found[words] = await page.evaluate(() => [...document.querySelectorAll("#found a")].map((a) => a.href));
    await page.locator("#words").fill("");
  }
  await page.locator("#words").fill(sought[0]);
  await page.waitForSelector("#found a");
  await page.keyboard.press("ArrowDown"); // by keyboard alone
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href.split("#")[0] !== start);
  seen.led = page.url();
  seen.title = await page.title();
  await page.locator("#words").fill("zzyzx nothing");
  await page.waitForSelector("#found p");
  seen.nothing = await page.locator("#found").innerText();

  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ["index.html", "docs/README.html", "docs/reference/http-api.html"]) {
    await page.goto(pathToFileURL(`${directory}/${name}`).href);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) seen.faults.push(`${name} is ${over} pixels wider than a phone`);
  }
  seen.menu = await page.locator("nav details:not(.all)").first().isVisible();
} finally {
  await context.close();
}
console.log(JSON.stringify(seen));
