/* Work that is not lost: links, reloads, two tabs, browsers that keep nothing, undo. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { BOTH, go, open, seen, status, write } from "./cases.mjs";

const KEEP = 400; // ms: more than the draft waits for the next key
const packed = (saved) => deflateRawSync(JSON.stringify({ facts: "{}", ...saved })).toString("base64url");
const LINKED = packed({ name: "linked", files: [["l.tenor", "persona linked\n"]] });
const source = (page) => page.evaluate(() => [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line")].map((l) => l.textContent).join("\n"));
const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

async function mine(x, text) {
  await write(x.page, text);
  await status(x.page, "holds");
  await x.page.waitForTimeout(KEEP);
}

async function follow(x, link) {
  await x.page.goto("about:blank");
  await x.page.goto(`${x.url}/studio/#/source?w=${link}`);
}

/** As dropped onto the page. */
const drop = (x, files) => x.page.evaluate((list) => {
  const data = new DataTransfer();
  list.forEach(([name, text]) => data.items.add(new File([text], name)));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}, files);

export const CASES = [
  { name: "what was tried is there after a reload, branches and all", sizes: BOTH, async run(x) {
    await open(x, "#/simulate");
    const acts = x.page.getByRole("region", { name: "Act" }), line = x.page.getByRole("region", { name: "Time line" });
    const tried = () => line.locator("li b").allTextContents();
    await acts.getByRole("button", { name: "confirm_delivery" }).click();
    await line.getByRole("button", { name: "confirm_delivery" }).waitFor();
    await line.getByRole("button", { name: "Undo" }).click();
    await acts.getByRole("list", { name: "Operations of buyer" }).getByRole("button", { name: "flag_dispute" }).click();
    await line.getByRole("button", { name: "flag_dispute" }).waitFor();
    const before = await tried();
    await x.page.reload();
    await line.getByRole("button", { name: "flag_dispute" }).waitFor();
    assert.deepEqual(await tried(), before);
    await line.getByRole("button", { name: "confirm_delivery" }).click(); // the other branch, states included
    await x.page.waitForFunction(() => document.querySelector('[data-name="entity/DeliveryRecord/confirmed"]').classList.contains("here"));
    await go(x.page, "Source");
    await write(x.page, "persona p\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\n");
    await status(x.page, "holds");
    await go(x.page, "Simulate");
    await x.page.waitForFunction(() => document.querySelectorAll('[aria-label="Time line"] li').length === 1); // of another contract nothing is left
    await x.page.reload();
    await line.getByRole("button", { name: "the beginning" }).waitFor();
    assert.deepEqual(await tried(), ["the beginning"]);
  } },
  { name: "a time line that the browser has no room for is told, once", async run(x) {
    await open(x, "#/simulate");
    const acts = x.page.getByRole("list", { name: "Operations of escrow_agent" }), line = x.page.getByRole("region", { name: "Time line" }), told = x.page.getByText("This browser has no room for the time line");
    await line.getByRole("button", { name: "the beginning" }).waitFor();
    await x.page.getByLabel("Name of the workspace").fill("full");
    await x.page.waitForFunction(() => localStorage["motet.studio.draft"] && localStorage["motet.studio.draft.tried"]);
    await x.page.evaluate(() => { // full, but for what the draft may grow by
      localStorage.setItem("room", "x".repeat(600));
      for (let piece = "x".repeat(1 << 21), n = 0; piece.length > 32; n++) {
        try {
          localStorage.setItem(`full${n}`, piece);
        } catch {
          piece = piece.slice(piece.length / 2);
        }
      }
      localStorage.removeItem("room");
    });
    await x.page.getByRole("region", { name: "Act", exact: true }).getByRole("button", { name: "confirm_delivery" }).click();
    await told.waitFor();
    assert.match(await seen(x.page.locator(".notices")), /a reload would lose it\. Save it as scenarios/);
    assert.equal(await x.page.getByText("This browser keeps no more").count(), 0);
    await x.page.getByRole("button", { name: "Dismiss" }).click();
    await acts.getByRole("button", { name: "release_escrow", exact: true }).click();
    await line.getByRole("button", { name: "release_escrow" }).waitFor();
    assert.equal(await told.count(), 0);
    await x.page.evaluate(() => Object.keys(localStorage).filter((k) => k.startsWith("full")).forEach((k) => localStorage.removeItem(k)));
    await line.getByRole("button", { name: "the beginning" }).click();
    await x.page.waitForFunction(() => /release_escrow/.test(localStorage["motet.studio.draft.tried"])); // it is kept again
  } },
  { name: "work that another takes the place of is kept though there is no room for it twice, else it is said", async run(x) {
    await open(x);
    const example = async () => {
      await x.page.getByRole("button", { name: "Open" }).click();
      await x.page.getByRole("button", { name: /^requisition/ }).click();
    };
    await drop(x, [["large.tenor", `persona large\n${"// nothing but air\n".repeat(160000)}`]]); // more than half of what a browser keeps
    await x.page.getByText("Opened large.tenor").waitFor();
    await x.page.getByLabel("Name of the workspace").fill("precious");
    await x.page.waitForFunction(() => /"precious"/.test(localStorage["motet.studio.draft"]?.slice(0, 99)));
    await example();
    await x.page.getByText("Opened requisition.").waitFor();
    await x.page.reload();
    await status(x.page, "holds");
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: /^precious Your own work/ }).click();
    await x.page.getByText("persona large").waitFor();
    await x.page.waitForFunction(() => /"precious"/.test(localStorage["motet.studio.draft"]?.slice(0, 99)));
    await x.page.evaluate(() => {
      localStorage.removeItem("motet.studio.draft.before");
      localStorage.setItem("others", "x".repeat(4000000 - localStorage["motet.studio.draft"].length));
      Object.defineProperty(Storage.prototype, "setItem", { value() { throw new DOMException("full", "QuotaExceededError"); } });
    });
    await x.page.getByLabel("Name of the workspace").fill("precious too");
    await example();
    await x.page.getByText("This browser has no room for precious too besides: once this page is left, it is gone.").waitFor();
  } },
  { name: "an older version is opened from a file, or taken back", async run(x) {
    await open(x, "#/versions");
    const text = readFileSync(new URL("../../examples/escrow/escrow.tenor", import.meta.url), "utf8").replaceAll("compliance_threshold", "old_threshold");
    const choose = (name, of) => x.page.getByLabel("The older version, from files").setInputFiles([file(name, of)]);
    await choose("older.tenor", text);
    await x.page.getByText("older.tenor is the old version now.").waitFor();
    await x.page.getByRole("region", { name: "Changes" }).getByRole("button", { name: /old_threshold/ }).waitFor();
    await x.page.getByRole("button", { name: "Undo" }).last().click();
    await x.page.getByRole("heading", { name: "Two versions" }).waitFor();
    await choose("broken.tenor", "persona");
    await x.page.getByRole("region", { name: "Changes" }).getByRole("alert").waitFor();
  } },
  { name: "what is typed after Share is there after a reload", async run(x) {
    await open(x);
    await mine(x, "persona given\n");
    await x.page.getByRole("button", { name: "Share" }).click();
    await x.page.getByText("The link is").waitFor();
    await write(x.page, "persona newer\n");
    await x.page.reload();
    await x.page.getByText("persona newer").waitFor();
    await x.page.evaluate((link) => (location.hash = `#/source?w=${link}`), LINKED); // pasted where the page is open
    await x.page.getByText("persona linked").waitFor();
    assert.match(x.page.url(), /#\/source$/);
  } },
  { name: "a link takes no work away", sizes: BOTH, async run(x) {
    await open(x);
    await mine(x, "persona precious\n");
    await follow(x, packed({ name: "twice", files: [["a.tenor", "persona p\n"], ["a.tenor", "persona q\n"]] }));
    await x.page.getByText("The link could not be read").waitFor();
    await x.page.getByText("persona precious").waitFor();
    for (const name of ["first", "\u202Esecond"]) { // one that nobody typed in does not take its place
      await follow(x, packed({ name, files: [["l.tenor", "persona linked\n"]] }));
      await x.page.getByText("persona linked").waitFor();
      await x.page.waitForTimeout(KEEP);
    }
    assert.match(await seen(x.page.locator(".notices")), /Opened \ufffdsecond from the link/);
    assert.match(await x.page.title(), /\ufffdsecond/);
    await x.page.reload();
    await status(x.page, "holds");
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: /^escrow Your own work/ }).click();
    await x.page.getByText("persona precious").waitFor();
    await x.page.getByRole("button", { name: "Open" }).click();
    assert.equal(await x.page.getByText("Your own work").count(), 0);
  } },
  { name: "what nobody could open is not made a link", async run(x) {
    await open(x);
    await drop(x, [["large.tenor", `${"// nothing but air\n".repeat(200000)}`], ["more.tenor", "// air\n".repeat(100000)]]);
    await x.page.getByText("Opened large.tenor").waitFor();
    await x.page.getByRole("button", { name: "Share" }).click();
    await x.page.getByText("The workspace is too large for a link.").waitFor();
    assert.doesNotMatch(x.page.url(), /w=/);
  } },
  { name: "of two tabs the one that typed last is kept", async run(x) {
    await open(x);
    await mine(x, "persona older\n");
    const page = await x.context.newPage();
    await open({ ...x, page });
    await mine({ ...x, page }, "persona newest\n");
    await page.close();
    await x.page.getByText("Studio is open in another tab").waitFor();
    await x.page.reload();
    await x.page.getByText("persona newest").waitFor();
  } },
  { name: "a browser that keeps nothing shows the page all the same", async run(x) {
    await x.context.addInitScript(() => ["localStorage", "sessionStorage"].forEach((name) => Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } })));
    await open(x);
    await write(x.page, "persona forgotten\n");
    await status(x.page, "holds");
    await x.page.getByText("This browser keeps no more").waitFor();
    await x.page.getByRole("button", { name: "Theme" }).click();
    await go(x.page, "Board");
    await x.page.getByText("open to this machine").waitFor();
  } },
  { name: "undo brings back what was taken and leaves what was typed since", sizes: BOTH, async run(x) {
    await open(x);
    await x.page.getByRole("button", { name: "Add a file" }).click();
    await x.page.getByRole("button", { name: "Remove file1.tenor" }).click();
    await mine(x, "persona since\n");
    await x.page.getByRole("button", { name: "Undo" }).click();
    await x.page.getByRole("tab", { name: "file1.tenor" }).waitFor();
    await x.page.getByText("persona since").waitFor();
    await drop(x, [["facts.json", '{"other": 1}']]);
    await x.page.getByText("facts.json are the facts now.").waitFor();
    await x.page.getByRole("button", { name: "Undo" }).click();
    await go(x.page, "Facts");
    assert.match(await x.page.getByRole("textbox", { name: "Facts as JSON" }).inputValue(), /escrow_amount/);
    await x.page.evaluate(() => { // a text that is dragged is no file
      const data = new DataTransfer(), event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      data.setData("text/plain", "x");
      document.querySelector("main").dispatchEvent(event);
      window.taken = event.defaultPrevented;
    });
    assert.equal(await x.page.evaluate(() => window.taken), false);
  } },
  { name: "files are opened as they are or not at all", async run(x) {
    await open(x);
    await mine(x, "persona before\n");
    const said = async (words, ...files) => {
      await x.page.getByRole("button", { name: "Open" }).click();
      await x.page.locator("input[type=file]").setInputFiles(files);
      await x.page.getByText(words).first().waitFor();
    };
    await said("bytes.tenor is not UTF-8 text", file("bytes.tenor", Buffer.from("persona p // \xc0\xaf\n", "latin1")));
    await said("Two of them have the same name", file("a.tenor", "persona p\n"), file("a.tenor", "persona q\n"));
    await x.page.getByText("persona before").waitFor();
    await said("unexpected character", file("mark.tenor", "\ufeffpersona p\n")); // as `motet check` says it
  } },
  { name: "the source keeps its history in every file and its line ends", async run(x) {
    await open(x);
    await drop(x, [["a.tenor", "persona a\r\npersona b\r\n"], ["b.tenor", "persona c\n"]]);
    await x.page.getByRole("tab", { name: "b.tenor" }).waitFor();
    const type = async (text) => {
      await x.page.getByRole("textbox", { name: "Source of the contract" }).click();
      await x.page.keyboard.press("Control+End");
      await x.page.keyboard.insertText(text);
    };
    await type("persona typed\n");
    await x.page.getByRole("tab", { name: "b.tenor" }).click();
    await x.page.getByText("persona c").waitFor();
    await type("persona other\n");
    await go(x.page, "Facts");
    await go(x.page, "Source");
    await x.page.keyboard.press("Control+z"); // nothing: the focus is elsewhere
    await x.page.getByRole("textbox", { name: "Source of the contract" }).click();
    await x.page.keyboard.press("Control+z");
    await x.page.waitForFunction(() => !/other/.test(document.querySelector(".editor").shadowRoot.textContent));
    await x.page.getByRole("tab", { name: "a.tenor" }).click();
    await x.page.getByText("persona typed").waitFor();
    await x.page.waitForTimeout(KEEP);
    const text = () => x.page.evaluate(() => JSON.parse(localStorage["motet.studio.draft"]).files.map((f) => f[1]));
    assert.deepEqual(await text(), ["persona a\r\npersona b\r\npersona typed\r\n", "persona c\n"]);
    await x.page.getByRole("textbox", { name: "Source of the contract" }).click();
    await x.page.keyboard.press("Control+z");
    await x.page.waitForTimeout(KEEP);
    assert.deepEqual(await text(), ["persona a\r\npersona b\r\n", "persona c\n"]);
    assert.equal(await source(x.page), "persona a\npersona b\n");
    await go(x.page, "Pictures");
    const [report] = await Promise.all([x.page.waitForEvent("download"), x.page.getByRole("button", { name: "Report" }).click()]);
    assert.match(readFileSync(await report.path(), "utf8"), /<pre>persona a\npersona b\n<\/pre>/);
  } },
];
