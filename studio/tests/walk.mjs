/* walk.mjs CHROMIUM URL PROFILE OUT: does with Studio what a person does, in Debian's Chromium, and writes what became
 * of every case, {"said": {"case": "" or what is wrong}}, and what cases kept for others to look at ("kept"). A case has a fresh browser context, so nothing is kept from the one before.
 *
 * After every case: nothing but the page's own origin was asked, no policy was broken, no script failed, and the frame of the page did not move.
 * STUDIO_IMAGES=DIR: the pictures of docs/how-to/studio.md are written there. STUDIO_SHOTS=DIR: a picture of each case's end. STUDIO_ONLY=WORD: the cases with it in their names. STUDIO_TIMES=1: how long each took.
 * STUDIO_SUITE=FILE: its cases only, instead of all files that end in cases.mjs.
 *
 * Cases are walked side by side, in browsers of their own: a clipboard is the browser's. A suite that says IN_ORDER shares a server between its cases: they follow one another. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [executablePath, url, profile, out] = process.argv.slice(2);
const here = createRequire(new URL("../../tests/npm/browser/package.json", import.meta.url));
const { chromium } = await import(pathToFileURL(here.resolve("playwright-core")).href.replace(/index\.js$/, "index.mjs"));
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-features=" + [
    // What a window of its own has around the page is a page, too, which is loaded for every context: three quarters of what one costs.
    "InitialWebUI", "PreloadTopChromeWebUI", "WebUIToolbar", "WebUIReloadButton", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
    "WebUILocationBar", "SpareRendererForSitePerProcess",
    // What playwright itself leaves out: it gives no list to add to.
    "AvoidUnnecessaryBeforeUnloadCheckSync", "BoundaryEventDispatchTracksNodeRemoval", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "GlobalMediaControls",
    "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "Translate", "RenderDocument", "OptimizationHints"].join(",")];
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const origin = new URL(url).origin, suite = process.env.STUDIO_SUITE;
const suites = await Promise.all((suite ? [suite] : readdirSync(new URL(".", import.meta.url)).filter((f) => f.endsWith("cases.mjs")).sort()).map((f) => import(`./${f}`)));
const only = process.env.STUDIO_ONLY, SIDE_BY_SIDE = only ? 1 : 3;
const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const said = {}, kept = {}, images = process.env.STUDIO_IMAGES;

/** A picture is of the view, not of what was said a moment ago. */
async function dismiss(page) {
  const there = page.getByRole("button", { name: "Dismiss" });
  while (await there.count()) {
    await there.first().click();
  }
}

/** Nothing serious on the page as it is; `where` is said of what is found. */
async function axe(page, where = "") {
  if (await page.evaluate(() => !window.axe)) {
    await page.evaluate(AXE);
  }
  // A colour that is on its way to another is none that anybody reads.
  await page.evaluate(() => Promise.race([Promise.allSettled(document.getAnimations().map((a) => a.finished)), new Promise((done) => setTimeout(done, 1000))]));
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"], preload: false }));
  const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  if (serious.length) {
    throw new Error(serious.map((v) => `${where} ${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).join(" | ")}`).join("\n"));
  }
}

/** What moved in the page, and whether somebody had just pressed something: browsers do not count what follows a click. */
function watchMoves() {
  const within = (node) => node?.closest?.(".bar, .views") ?? (node?.matches?.("#main, #main > *, .live-head, .live-head > *, .live-body") ? node : null);
  const name = (node) => (node?.nodeType === 1 ? `${node.tagName.toLowerCase()}${node.id && `#${node.id}`}${[...node.classList].map((c) => `.${c}`).join("")}` : String(node?.nodeName));
  window.moves = [];
  window.tellMoves = (list) => list.forEach((e) => window.moves.push({ value: e.value, pressed: e.hadRecentInput,
    frame: e.sources.some((s) => within(s.node)), what: e.sources.map((s) => `${name(s.node)} ${s.previousRect.x},${s.previousRect.y} to ${s.currentRect.x},${s.currentRect.y}`).join("; ") }));
  window.watched = new PerformanceObserver((list) => window.tellMoves(list.getEntries()));
  window.watched.observe({ type: "layout-shift", buffered: true });
}
/** All of it until now; two frames later everything that was drawn is counted. */
const moves = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  window.tellMoves(window.watched.takeRecords());
  done(window.moves.splice(0));
}))));

async function once(browser, { name, size, run }) {
  const context = await browser.newContext({ viewport: SIZES[size], hasTouch: size === "phone", colorScheme: /in the dark/.test(name) ? "dark" : "light",
    permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(40000);
  const wrong = [], expected = [];
  let own = origin, login = ""; // a case may have a server of its own, and one a provider that people log in with
  await context.addInitScript(() => {
    window.broken = [];
    addEventListener("securitypolicyviolation", (e) => window.broken.push(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
  });
  await context.addInitScript(watchMoves);
  const page = await context.newPage(), began = Date.now();
  context.on("request", (r) => {
    if (!r.url().startsWith(own) && !r.url().startsWith("blob:") && !(login && (r.isNavigationRequest() ? r.url() : r.frame().url()).startsWith(login))) {
      wrong.push(`asked ${r.url()}`);
    }
  });
  page.on("pageerror", (fault) => wrong.push(`script: ${fault.stack ?? fault}`));
  page.on("console", (m) => m.type() === "error" && wrong.push(`console: ${m.text()} ${m.location().url}`));
  try {
    await run({ page, url, size, context, axe: (where) => axe(page, where), moves: () => moves(page), server: (at) => (own = new URL(at).origin), provider: (at) => (login = new URL(at).origin), expect: (words) => expected.push(words), image: async (file) => images && size === "desktop" && (await dismiss(page), await page.waitForTimeout(200), page.screenshot({ path: `${images}/${file}.png` })), keep: (what, value) => (kept[what] = value) });
    wrong.push(...await page.evaluate(() => window.broken ?? []));
    wrong.push(...(await moves(page)).filter((m) => m.frame).map((m) => `moved: ${m.what}`));
  } catch (fault) {
    wrong.push(String(fault.stack ?? fault));
  }
  if (process.env.STUDIO_SHOTS) {
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${process.env.STUDIO_SHOTS}/${name.replace(/\W+/g, "_")}_${size}.png` }).catch(() => 0);
  }
  await context.close();
  if (process.env.STUDIO_TIMES) {
    console.log(`${((Date.now() - began) / 1000).toFixed(1)} s ${name}, ${size}`);
  }
  said[`${name}, ${size}`] = wrong.filter((w) => !expected.some((e) => e.test(w))).join("\n");
}

/* What is walked one after the other: a whole suite, or a case in one size. The longest first. */
const walks = suites.map(({ CASES, IN_ORDER }) => {
  const all = CASES.filter(({ name }) => !only || name.includes(only)).flatMap(({ name, sizes, run }) => (sizes ?? ["desktop"]).map((size) => ({ name, size, run })));
  return IN_ORDER ? [all] : all.map((one) => [one]);
}).flat().sort((a, b) => b.length - a.length);

async function walk() {
  const browser = await chromium.launch({ executablePath, args, headless: true, env: { ...process.env, HOME: profile } });
  for (let next = walks.shift(); next; next = walks.shift()) {
    for (const one of next) {
      await once(browser, one);
    }
  }
  await browser.close();
}
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, walk));
writeFileSync(out, JSON.stringify({ said, kept }, null, 1));
