/* Studio on files of this machine, as `motet studio` opens it: each case has a folder and a server of its own.
 * MOTET is the program. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { go, node, seen, status, write } from "./cases.mjs";

const A = "persona clerk\nentity Parcel { states: [waiting, sent] initial: waiting transitions: [(waiting, sent)] }\n";
const B = A.replace("Parcel", "Letter"), C = A.replace("Parcel", "Crate");

const GO = 'persona p\nfact f { type: Bool source: "a.b" }\nrule r { stratum: 0 when: f = true produce: verdict v { payload: Bool = true } }\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n' +
  "operation go { allowed_personas: [p] precondition: verdict_present(v) effects: [(E, a, b)] outcomes: [gone] error_contract: [precondition_failed] }\n";

/** A folder with these files, and a server on it; both are gone afterwards. */
async function local(x, files, run, operand = "", prefix = "") {
  const folder = mkdtempSync(join(tmpdir(), "motet-studio-"));
  const path = (name) => join(folder, name);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }
  const server = spawn(process.env.MOTET, ["studio", path(operand), "--port", "0", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => server.once("exit", done));
  try {
    let said = "";
    for await (const piece of server.stdout) {
      said += piece;
      if (/key=\S+\n/.test(said)) {
        break;
      }
    }
    const address = /http:\S+/.exec(said)[0];
    x.server(address);
    x.expect(/ERR_CONNECTION_RE/); // the page is closed after its server
    await run({ address, path, on: (name) => readFileSync(path(name), "utf8"), put: (name, text) => (writeFileSync(path(name), text), x.page.evaluate(() => dispatchEvent(new Event("focus")))), server, ended });
  } finally {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

async function enter(page, address) {
  await page.goto(address);
  await status(page, "holds|error");
}
const notice = (page, words) => page.locator(".notices p").filter({ hasText: words }).last();
const disk = (page, words) => page.getByRole("banner").getByRole("button", { name: words, exact: true });

export const CASES = [
  { name: "a folder is opened, typed in and saved to disk", sizes: ["desktop", "phone"], run: (x) => local(x, { "post.tenor": A, "facts.json": "{}\n", "big.json": "x".repeat(5 << 20) }, async ({ address, path, on }) => {
    const { page } = x;
    await enter(page, address);
    await node(page, "entity/Parcel/sent").waitFor();
    await notice(page, "big.json is larger than 4 MB").waitFor();
    assert.match(page.url(), /#\/source$/); // the secret is gone from the address
    assert.equal(await page.evaluate(() => localStorage.getItem("motet.studio.draft")), null);
    await disk(page, "Saved").waitFor();
    await write(page, B);
    await node(page, "entity/Letter/sent").waitFor();
    await disk(page, "Save 1").waitFor();
    assert.match(await seen(page.getByRole("tab", { name: "post.tenor" })), /unsaved/);
    assert.match(await page.title(), /^• /);
    assert.equal(on("post.tenor"), A);
    await page.waitForTimeout(400);
    await page.reload(); // not saved, not lost
    await notice(page, "What you had not saved is here again: post.tenor").waitFor();
    await disk(page, "Save 1").waitFor();
    const mode = statSync(path("post.tenor")).mode;
    await page.keyboard.press("Control+s");
    await notice(page, "Saved post.tenor.").waitFor();
    assert.equal(on("post.tenor"), B);
    assert.equal(statSync(path("post.tenor")).mode, mode);
    await disk(page, "Saved").waitFor();
    await page.getByRole("button", { name: "Add a file" }).click();
    await disk(page, "Save 1").click();
    await notice(page, "Saved file1.tenor.").waitFor();
    assert.equal(on("file1.tenor"), "");
    rmSync(path("file1.tenor"));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await notice(page, "file1.tenor is not on disk any more").waitFor();
    await disk(page, "Save 1").click();
    await disk(page, "Saved").waitFor(); // the notice of before may still be there
    assert.equal(on("file1.tenor"), "");
    assert.equal(await page.evaluate(() => Object.keys(localStorage).includes("motet.studio.draft")), false);
  }) },
  { name: "instances, what was tried and the old version are there after a reload", run: (x) => local(x, { "post.tenor": GO, "facts.json": '{"f": true}\n' }, async ({ address }) => {
    const { page } = x, line = page.getByRole("region", { name: "Time line" });
    await enter(page, address);
    await go(page, "Versions");
    await page.getByRole("button", { name: "Keep this as the old version" }).click();
    await go(page, "Facts");
    await page.getByRole("button", { name: "Add an instance of E" }).click();
    await go(page, "Simulate");
    await page.getByRole("region", { name: "Act", exact: true }).getByRole("button", { name: "go" }).click();
    await line.getByRole("button", { name: "go" }).waitFor();
    await page.waitForTimeout(400);
    await page.reload();
    await line.getByRole("button", { name: "go" }).waitFor();
    assert.match(await seen(page.locator(".machines figcaption")), /e-1 b, e-2 a/);
    await go(page, "Versions");
    await page.getByText("Nothing has changed yet.").waitFor();
  }) },
  { name: "what changes on disk is seen, and two versions are not lost", sizes: ["desktop", "phone"], run: (x) => local(x, { "post.tenor": A }, async ({ address, path, on, put }) => {
    const { page } = x;
    await enter(page, address);
    writeFileSync(path("post.tenor"), B); // seen without anybody doing anything
    await notice(page, "post.tenor was changed on disk and read again").waitFor();
    await node(page, "entity/Letter/sent").waitFor();
    await disk(page, "Saved").waitFor();
    await write(page, C);
    await disk(page, "Save 1").waitFor();
    await put("post.tenor", A);
    await notice(page, "post.tenor was changed on disk, and here").waitFor();
    await page.keyboard.press("Control+s"); // does not overwrite it unseen
    await page.waitForTimeout(300);
    assert.equal(on("post.tenor"), A);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await x.axe();
    }
    await page.getByRole("button", { name: "Overwrite" }).click();
    await notice(page, "post.tenor on disk is yours now").waitFor();
    assert.equal(on("post.tenor"), C);
    await notice(page, "yours now").getByRole("button", { name: "Undo" }).click();
    await disk(page, "Save 1").waitFor();
    assert.equal(on("post.tenor"), A);
    await put("post.tenor", B);
    await page.getByRole("button", { name: "Take theirs" }).click();
    await node(page, "entity/Letter/sent").waitFor();
    await notice(page, "is as it is on disk").getByRole("button", { name: "Undo" }).click();
    await node(page, "entity/Crate/sent").waitFor();
    await put("more.tenor", "persona other\n");
    await notice(page, "more.tenor is new in the folder").waitFor();
    rmSync(path("post.tenor"));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await notice(page, "post.tenor is not on disk any more").waitFor();
    await page.keyboard.press("Control+s");
    await notice(page, "Saved post.tenor.").waitFor();
    assert.equal(on("post.tenor"), C);
    // Changed in the moment before it is saved: the server refuses, the page shows both.
    x.expect(/412/);
    await write(page, A);
    writeFileSync(path("post.tenor"), B);
    await page.keyboard.press("Control+s");
    await notice(page, "post.tenor was changed on disk, and here").waitFor();
    assert.equal(on("post.tenor"), B);
  }) },
  { name: "the address is good once and the page says when the program is gone", run: (x) => local(x, { "a/main.tenor": 'import "part.tenor"\npersona p\n', "a/part.tenor": A, "a/other.tenor": B, "other.json": "{}" }, async ({ address, on, put, server, ended }) => {
    const { page, context } = x;
    await enter(page, address);
    assert.deepEqual(await page.getByRole("tab").filter({ hasText: "tenor" }).allTextContents(), ["main.tenor", "part.tenor"]);
    await put("a/main.tenor", "persona p\n"); // for a moment nothing imports the other
    await notice(page, "main.tenor was changed on disk and read again").waitFor();
    await disk(page, "Saved").waitFor();
    assert.equal(await notice(page, "is not on disk any more").count(), 0);
    await put("a/main.tenor", 'import "part.tenor"\npersona p\n');
    const again = await context.newPage(); // the same browser has the session
    x.expect(/410/);
    x.expect(/Failed to fetch dynamically imported module/); // what was not fetched yet when the program ended
    await enter(again, address);
    await again.getByText("persona p").waitFor();
    await again.close();
    const other = await context.browser().newContext();
    const stranger = await other.newPage();
    await stranger.goto(address);
    await stranger.getByText("this address was used already").waitFor();
    assert.equal(await stranger.getByText("persona p").count(), 0);
    await other.close();
    server.kill("SIGINT");
    assert.equal(await ended, 0);
    await page.getByText("motet studio does not answer").waitFor();
    await write(page, C);
    await node(page, "entity/Crate/sent").waitFor(); // the engine is in the page
    await go(page, "Pictures");
    await node(page, "entity/Crate/sent").waitFor();
    assert.equal(on("a/main.tenor"), 'import "part.tenor"\npersona p\n');
  }, "a/main.tenor") },
  { name: "what needs the solver is answered by the program", run: (x) => local(x, { "post.tenor": GO, "post.scenarios.yaml": "contract: post.tenor\ninvariants:\n  - never perform go while f = false\nscenarios: []\n" }, async ({ address }) => {
    const { page } = x;
    await enter(page, address);
    await go(page, "Ask");
    await page.getByRole("list", { name: "Invariants" }).getByRole("button", { name: "never perform go while f = false" }).click();
    const promised = page.getByRole("article", { name: "never perform go while f = false" });
    await promised.getByText("Yes, proven").waitFor();
    assert.match(await seen(promised), /by motet, with its solver/);
    await page.getByRole("textbox", { name: "A question" }).fill("can p reach E.b?");
    await page.keyboard.press("Enter");
    const reach = page.getByRole("article", { name: "can p reach E.b" });
    await reach.getByRole("button", { name: "Facts", exact: true }).click();
    assert.match(await page.locator(".json textarea").inputValue(), /"f": true/);
    await disk(page, "Saved").waitFor(); // facts without a file of theirs are the browser's
  }) },
];
