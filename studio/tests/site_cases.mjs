/* The page as `make site` writes it, behind an ordinary web server that knows nothing of it: no policy, nothing compressed, also in
 * a folder of somebody's site. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOTH, go, node, seen, status, write } from "./cases.mjs";

const SITE = fileURLToPath(new URL("../../build-studio/site", import.meta.url));
const PARCEL = 'persona clerk\nfact paid { type: Bool source: "a.b" }\nrule r { stratum: 0 when: paid = true produce: verdict due { payload: Bool = true } }\nentity Parcel { states: [waiting, sent] initial: waiting transitions: [(waiting, sent)] }\n';

/** The files in this folder of a site, and nowhere else; page, server and folder are gone afterwards. */
async function hosted(x, at, run) {
  const folder = mkdtempSync(join(tmpdir(), "studio-site-"));
  cpSync(SITE, join(folder, at), { recursive: true });
  const server = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => server.once("exit", done));
  try {
    let said = "";
    for await (const piece of server.stdout) {
      said += piece;
      if (/port \d+.*\n/.test(said)) { // the whole line: nobody reads what comes later
        break;
      }
    }
    const url = `http://127.0.0.1:${/port (\d+)/.exec(said)[1]}/${at}`;
    x.server(url);
    await run(url);
    await x.page.goto("about:blank"); // before its server goes: it fetches ahead
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

async function visit(x, address) {
  await x.page.goto("about:blank"); // another part behind # is no visit
  await x.page.goto(address);
  await status(x.page, "holds|error");
}

export const CASES = [
  { name: "the page works from plain files on any web server", run: (x) => hosted(x, "", async (url) => {
    await visit(x, url);
    await node(x.page, "entity/EscrowAccount/held").waitFor();
  }) },
  { name: "the page works from plain files in a folder of somebody's site", sizes: BOTH, run: (x) => hosted(x, "play/", async (url) => {
    const { page } = x;
    x.expect(/status of 404/); // it asks whether there is a server behind it
    await visit(x, url);
    await write(page, PARCEL);
    await node(page, "entity/Parcel/sent").waitFor();
    await go(page, "Facts");
    await page.getByRole("region", { name: "Facts as a form" }).getByLabel("paid", { exact: true }).selectOption("true");
    await page.getByRole("button", { name: "due true" }).getByText("present").waitFor();
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText("The link is").waitFor();
    const link = page.url();
    assert.ok(link.startsWith(`${url}#/facts?w=`), link);
    await page.evaluate(() => localStorage.clear());
    await visit(x, link);
    await page.getByRole("button", { name: "due true" }).getByText("present").waitFor(); // facts and all
    assert.ok(page.url().endsWith("/play/#/facts"));
    await go(page, "Ask"); // what is fetched late is there, too
    await page.getByRole("list", { name: "Reach" }).waitFor();
    await go(page, "Board");
    await page.getByText("There is no Motet server behind this page").waitFor();
    assert.match(await seen(page.locator("main")), /motet serve/);
  }) },
];
