/* The language server in the source: completion, explanation, definition, uses, rename, mending, as a person does it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import esbuild from "esbuild";
import { go, open, seen, status, write } from "./cases.mjs";

const SHOP = `import "people.tenor"

// 🦊 the fox ships "parcels" of every size 🦊
fact paid { type: Bool source: "shop.paid" }
rule ready {
  stratum: 0
  when: paid = true
  produce: verdict ready { payload: Bool = true }
}
entity Parcel {
  states: [waiting, sent]
  initial: waiting
  transitions: [(waiting, sent)]
}
operation ship {
  allowed_personas: [clerk]
  precondition: verdict_present(ready)
  effects: [(/* 🦊🦊 */ Parcel, waiting, sent)]
  error_contract: [precondition_failed, persona_rejected]
}
`;
const PEOPLE = "persona clerk // 🦊 who packs\n";
const HOSTILE = `persona p
fact words { type: Text(max_length: 200) source: "<img src=x onerror=hack()>.\u202Ex" }
rule r { stratum: 0 when: words = "<b>bold</b> **x** \`y\`"
  produce: verdict loud { payload: Bool = true } }
`;
const tip = (page, name = ".cm-tooltip-hover") => page.locator(name);
/** Waits until these are the texts of the files; what is kept as a draft is what there is. */
const texts = (page, ...wanted) => page.waitForFunction((w) =>
  JSON.stringify(JSON.parse(localStorage.getItem("motet.studio.draft")).files.map((f) => f[1])) === JSON.stringify(w), wanted);

async function shop(x) {
  await x.page.addInitScript(([a, b]) => localStorage.setItem("motet.studio.draft", JSON.stringify(
    { name: "shop", files: [["shop.tenor", a], ["people.tenor", b]], facts: "{}" })), [SHOP, PEOPLE]);
  await open(x);
  await status(x.page, "holds");
}

/** The middle of the nth such text in the source. */
async function at(page, words, nth = 0) {
  return page.evaluate(([w, n]) => {
    const root = document.querySelector(".editor").shadowRoot;
    const walker = document.createTreeWalker(root.querySelector(".cm-content"), NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const from = node.data.indexOf(w);
      if (from >= 0 && n-- === 0) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, from + w.length);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
    }
    throw new Error(`${w} is not in the source`);
  }, [words, nth]);
}

/** Puts the cursor into a word. */
async function into(page, words, nth = 0) {
  const place = await at(page, words, nth);
  await page.mouse.click(place.x, place.y);
}

export const CASES = [
  { name: "language: places behind characters of two units", async run() {
    const { code } = await esbuild.transform(readFileSync(new URL("../src/editor/positions.ts", import.meta.url), "utf8"), { loader: "ts" });
    const { applied, changesOf, linesOf, offset } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    const doc = linesOf("a\n/* 🦊 */ fox\r\n𝒳y");
    assert.equal(offset(doc, 2, 4), 5); // in front of the fox
    assert.equal(offset(doc, 2, 5), 7); // behind it: two units
    assert.equal(offset(doc, 2, 99), 15); // no further than the line
    assert.equal(offset(doc, 9, 1), 19);
    assert.equal(offset(doc, 0, 1), 0);
    const edit = (line, from, to, newText) => ({ range: { start: { line, character: from }, end: { line, character: to } }, newText });
    assert.deepEqual(changesOf(doc, [edit(1, 8, 11, "cat")]), [{ from: 11, to: 14, insert: "cat" }]);
    assert.equal(applied("a\n/* 🦊 */ fox\r\n𝒳y", [edit(1, 8, 11, "cat"), edit(2, 1, 2, "z"), edit(0, 0, 0, "b")]), "ba\n/* 🦊 */ cat\r\n𝒳z");
  } },
  { name: "language: what is typed is completed", sizes: ["desktop", "phone"], async run(x) {
    const { page } = x;
    await shop(x);
    await page.getByRole("textbox", { name: "Source of the contract" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("per", { delay: 20 });
    const offers = page.getByRole("listbox", { name: "Completions" });
    await offers.getByRole("option", { name: /^persona/ }).waitFor();
    await page.waitForTimeout(150); // what is offered is taken only after a moment
    await page.keyboard.press("Enter");
    await page.keyboard.type("courier");
    await status(page, "holds");
    await texts(page, `${SHOP}persona courier`, PEOPLE);
    if (x.size === "phone") {
      return;
    }
    const ready = await at(page, "ready", 2);
    await page.mouse.dblclick(ready.x, ready.y);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Control+Space");
    const verdict = offers.getByRole("option", { name: /^ready/ });
    await verdict.waitFor();
    assert.match(await seen(verdict), /verdict of stratum 0/);
    await page.locator(".cm-completionInfo").getByText("Stratum 0, produces ready").waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await status(page, "holds");
    await texts(page, `${SHOP}persona courier`, PEOPLE);
  } },
  { name: "language: a name is explained under the mouse", async run(x) {
    const { page } = x;
    await shop(x);
    const clerk = await at(page, "clerk");
    await page.mouse.move(clerk.x, clerk.y);
    await tip(page).waitFor();
    assert.match(await seen(tip(page)), /^persona clerk persona clerk/);
    await page.mouse.move(0, 0);
    await tip(page).waitFor({ state: "detached" });
    await write(page, HOSTILE);
    await status(page, "holds");
    for (const [word, said] of [["words", /<img src=x onerror=hack\(\)>\.\ufffdx/], ["loud", /words = "<b>bold<\/b> \*\*x\*\* `y`"/]]) {
      const place = await at(page, word);
      await page.mouse.move(place.x, place.y);
      await tip(page).waitFor();
      assert.match(await seen(tip(page)), said);
      assert.equal(await tip(page).locator("img").count(), 0);
      await page.mouse.move(0, 0);
      await tip(page).waitFor({ state: "detached" });
    }
  } },
  { name: "language: a rename reaches all files and is taken back", async run(x) {
    const { page } = x;
    await shop(x);
    await into(page, "clerk");
    await page.keyboard.press("F2");
    const name = page.getByRole("textbox", { name: "New name of clerk" });
    await name.fill("9 lives");
    await name.press("Enter");
    await page.getByRole("alert").getByText("'9 lives' is not a name").waitFor();
    await name.fill("packer");
    await name.press("Enter");
    await page.getByText("Renamed clerk to packer: 2 places in 2 files.").waitFor();
    await status(page, "holds");
    const renamed = [SHOP.replace("clerk", "packer"), PEOPLE.replace("clerk", "packer")];
    await texts(page, ...renamed);
    await page.keyboard.press("Control+z"); // one step, of both
    await texts(page, SHOP, PEOPLE);
    await page.keyboard.press("Control+y");
    await texts(page, ...renamed);
    await page.getByRole("button", { name: "Undo" }).click();
    await texts(page, SHOP, PEOPLE);
    await status(page, "holds");
    await into(page, "Parcel", 1); // behind foxes on the same line
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "New name of Parcel" }).fill("Box");
    await page.keyboard.press("Enter");
    await page.getByText("Renamed Parcel to Box").waitFor();
    await texts(page, SHOP.replaceAll("Parcel", "Box"), PEOPLE);
    await status(page, "holds");
  } },
  { name: "language: to the definition, to the uses, and back by keyboard", async run(x) {
    const { page } = x;
    await shop(x);
    await into(page, "clerk");
    await page.keyboard.press("F12");
    await page.waitForFunction(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-came")?.textContent === "clerk");
    assert.equal(await page.getByRole("tab", { selected: true }).first().innerText(), "people.tenor");
    await page.keyboard.press("Shift+F12");
    const list = page.getByRole("dialog", { name: "2 uses" });
    await list.waitFor();
    assert.match(await seen(list), /people\.tenor:1.*shop\.tenor:16/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".tab.on")?.textContent.includes("shop.tenor"));
    const ready = await at(page, "ready", 2);
    await page.keyboard.down("Control");
    await page.mouse.click(ready.x, ready.y);
    await page.keyboard.up("Control");
    await page.waitForFunction(() => document.querySelector(".editor").shadowRoot.querySelector(".cm-came")?.textContent === "ready");
    await page.keyboard.press("Shift+F12");
    await page.getByRole("dialog", { name: /uses/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: /uses/ }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("F2");
    await page.getByText("There is no name here that can be renamed.").waitFor();
  } },
  { name: "language: a fault is mended as it is offered", async run(x) {
    const { page } = x;
    await shop(x);
    await write(page, SHOP.replace("[clerk]", "[clrk]"));
    await status(page, "1 error");
    await into(page, "clrk");
    await page.keyboard.press("Control+.");
    const offers = page.getByRole("dialog", { name: "Changes offered here" });
    await offers.getByRole("button", { name: "Replace 'clrk' by 'clerk'" }).click();
    await status(page, "holds");
    await texts(page, SHOP, PEOPLE);
    await go(page, "Pictures"); // the source is shown anew, and the server goes on
    await go(page, "Source");
    await page.getByRole("button", { name: "Undo" }).click();
    await status(page, "1 error");
    await into(page, "clrk");
    await page.keyboard.press("Control+.");
    await offers.getByRole("button", { name: "Declare persona 'clrk'" }).waitFor();
  } },
];
