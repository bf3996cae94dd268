/* Evidence of others, verified in the page: ledgers, receipts, proofs, witnesses; what is found, and what is said. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BOTH, go, node, open, seen, write } from "./cases.mjs";
import { Ledger } from "./ledger.mjs";

const example = (name) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");
const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
const give = (x, ...files) => x.page.getByLabel("Ledger (.jsonl)").setInputFiles(files);
const says = (x, words) => x.page.locator(".given").getByText(words).first().waitFor();
const listed = async (x, kind) => (await x.page.locator(`.found.${kind}`).allInnerTexts()).join("\n");
const demand = (x, name, text) => x.page.getByLabel(name).fill(text);

/** A line that records name by its digest: any number of them hold. */
function document(text) {
  const body = `{"text":"${text}"}`;
  return `{"document":${body},"sha256":"${createHash("sha256").update(body).digest("hex")}"}\n`;
}

/** A signed note over a head, with the cosignatures of witnesses: c2sp.org/tlog-checkpoint. */
function noted(origin, size, root, log, witnesses) {
  const text = `${origin}\n${size}\n${Buffer.from(root, "hex").toString("base64")}\n`;
  const line = (name, type, key, at, message) => {
    const id = createHash("sha256").update(`${name}\n`).update(Buffer.from([type])).update(key.open).digest().subarray(0, 4);
    return `— ${name} ${Buffer.concat([id, at, sign(null, Buffer.from(message), key.secret)]).toString("base64")}\n`;
  };
  const time = Math.floor(Date.now() / 1000) - 60, stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(time));
  return `${text}\n${line(origin, 1, log, Buffer.alloc(0), text)}${witnesses.map((w) => line(w.name, 4, w, stamp, `cosignature/v1\ntime ${time}\n${text}`)).join("")}`;
}
function witness(name) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = { name, secret: privateKey, open: publicKey.export({ format: "der", type: "spki" }).subarray(-32) };
  const id = createHash("sha256").update(`${name}\n`).update(Buffer.from([4])).update(key.open).digest("hex").slice(0, 8);
  return { ...key, text: `${name}+${id}+${Buffer.concat([Buffer.from([4]), key.open]).toString("base64")}` };
}

export const CASES = [
  { name: "a ledger is verified from its bytes and tampering is found", sizes: BOTH, async run(x) {
    await open(x, "#/verify");
    const ledger = example("ledger/escrow.ledger.jsonl"), key = example("ledger/executor.pub").trim();
    await give(x, file("export.jsonl", ledger));
    await says(x, "9 records are consistent, 9 of them signed by a key that the ledger itself names.");
    assert.match(await listed(x, "open"), /whose key it is: anybody can make a ledger/);
    await demand(x, "Keys that you trust", key);
    await says(x, "9 of them signed by a key that you trust or that such a key vouches for.");
    assert.match(await listed(x, "yes"), /3 checkpoints: signature, who may sign, number of records, head, and the root of the Merkle tree/);
    assert.match(await listed(x, "open"), /whether records were cut off at the end[^]*witnesses: none was named/);
    assert.equal(await x.page.locator(".records tbody tr").count(), ledger.trim().split("\n").length);
    await x.image("studio-verify");
    await give(x, file("export.jsonl", ledger.replace("released", "refunded")));
    await says(x, "It does not hold: a record was changed, line 7, record 5.");
    await says(x, "nothing behind that line was looked at");
    assert.match(await seen(x.page.locator(".records .bad")), /a record was changed/);
    await give(x, file("export.jsonl", ledger.split("\n").filter((_, i) => i !== 3).join("\n")));
    await says(x, "It does not hold");
    await give(x, file("export.jsonl", ledger.slice(0, -40)));
    await says(x, "the last line is cut off");
    await demand(x, "Keys that you trust", "8d".repeat(32));
    await give(x, file("export.jsonl", ledger));
    await says(x, "a key that no trusted key vouches for");
    await demand(x, "Keys that you trust", "nothing");
    await x.page.getByRole("alert").getByText("A key that you trust must be a public key: 64 hex digits or base64.").waitFor();
    await x.page.getByRole("button", { name: "Close" }).click();
    await x.page.getByText("What it says appears here.").waitFor();
  } },
  { name: "what is kept elsewhere is demanded of a ledger", sizes: BOTH, async run(x) {
    await open(x, "#/verify");
    const ledger = new Ledger("acme.test"), one = witness("w1.test"), two = witness("w2.test");
    ledger.grow(5).sign();
    const kept = ledger.lines.at(-1);
    ledger.grow(3);
    const note = noted("acme.test/log", 8, ledger.root, ledger.key, [one]);
    await give(x, file("cut.jsonl", ledger.lines.slice(0, 3).join("\n") + "\n"), file("kept.json", kept), file("a.pub", ledger.open));
    await says(x, "It does not hold: records are missing at the end, record 3.");
    await give(x, file("all.jsonl", ledger.text));
    await says(x, "8 records are consistent, 5 of them signed by a key that you trust or that such a key vouches for. The last 3 are not under a checkpoint yet.");
    assert.match(await listed(x, "yes"), /it goes on from the checkpoint that you kept/);
    await give(x, file("w1.vkey", one.text));
    await x.page.getByRole("alert").getByText("Witnesses and the name of the log need the signed note").waitFor();
    await give(x, file("n.note", note));
    await says(x, "a note of 8 records, signed by a key of this ledger: 1 of the 1 witnesses that you named co-signed it");
    await x.page.getByText("What else must hold").click();
    await demand(x, "Witnesses who must have co-signed", `${one.text}\n${two.text}`);
    await x.page.getByRole("alert").getByText("is not co-signed by 2 of these 2 witnesses").waitFor();
    await demand(x, "So many of them are enough", "1");
    await says(x, "1 of the 2 witnesses that you named co-signed it");
    await demand(x, "Name of the log", "acme.test/other");
    await x.page.getByRole("alert").getByText("of another log").waitFor();
    await demand(x, "Name of the log", "acme.test/log");
    await says(x, "the note is of the log acme.test/log");
    await demand(x, "Trust domain", "acme.prod");
    await says(x, "It does not hold: a checkpoint is of another trust domain than expected");
    await demand(x, "Trust domain", "");
    await give(x, file("unsigned.jsonl", ledger.lines.filter((l) => l.startsWith('{"body"')).slice(0, 5).join("\n") + "\n"));
    await x.page.getByRole("button", { name: "Take away n.note" }).click();
    await demand(x, "Witnesses who must have co-signed", "");
    await demand(x, "Name of the log", "");
    await says(x, "5 records are consistent, 5 of them signed"); // by the checkpoint that was kept
    await x.page.getByRole("button", { name: "Take away kept.json" }).click();
    await says(x, "It does not hold: no checkpoint is signed by a trusted key.");
    await demand(x, "Keys that you trust", "");
    await says(x, "5 records are consistent. Nobody signed them.");
    await x.page.getByLabel("It must be signed").check();
    await says(x, "Nobody signed them. You demand a signature.");
  } },
  { name: "receipts and proofs are verified with keys alone", sizes: BOTH, async run(x) {
    await open(x, "#/verify");
    const key = example("receipts/executor.pub").trim(), released = example("receipts/released.json"), refused = example("receipts/refused.json");
    await give(x, file("released.json", released));
    await says(x, "It is not checked yet: whose receipt must it be?");
    await x.page.getByText("What it says; that it is so was not shown:").waitFor();
    await demand(x, "Keys that you trust", key);
    await says(x, /Complete: record \d+ is in the ledger\. The receipt and the checkpoint that covers it are signed by a key that you gave\./);
    assert.match(await listed(x, "yes"), /the Merkle proof from the record to the checkpoint's root/);
    await x.page.getByText("What it says:", { exact: true }).waitFor();
    await x.image("studio-receipt");
    await give(x, file("refused.json", refused));
    await says(x, /A promise: the executor signed that record \d+ is in its ledger\. No checkpoint covers it yet\./);
    assert.match(await seen(x.page.locator(".paper")), /Promise .* Erin, escrow agent as escrow_agent .* precondition_failed/);
    await x.page.getByText("What else must hold").click();
    await x.page.getByLabel("A promise is not enough").check();
    await says(x, "the receipt does not hold: it is a promise, and not complete.");
    await x.page.getByLabel("A promise is not enough").uncheck();
    await give(x, file("both.jsonl", released.trim() + "\n" + refused.trim() + "\n"));
    await says(x, "2 receipts hold: 1 complete, 1 promise.");
    await give(x, file("released.json", released.replace('"released"', '"refunded"')));
    await says(x, "the receipt does not hold: the signature is wrong.");
    const ledger = new Ledger("acme.test").grow(5).sign().grow(3).sign(), [small, large] = ledger.lines.filter((l) => l.startsWith('{"checkpoint"'));
    await demand(x, "Keys that you trust", ledger.open);
    await give(x, file("p.json", ledger.prove(6)));
    await says(x, "It is not checked yet: a proof leads to a signed checkpoint.");
    await give(x, file("c8.json", large));
    await says(x, "Record 6 is in the ledger of 8 records that the checkpoint is of.");
    await give(x, file("p.json", ledger.prove(6).replace('"flow":"f-6"', '"flow":"f-9"')));
    await says(x, "The proof does not hold: ");
    await give(x, file("c5.json", small), file("p.json", ledger.prove(6)));
    await says(x, "Record 6 is in the ledger of 8 records");
  } },
  { name: "nothing is said of what was not looked at", sizes: BOTH, async run(x) {
    await open(x, "#/verify");
    const key = example("receipts/executor.pub"), refused = example("receipts/refused.json").trim(), ledger = example("ledger/escrow.ledger.jsonl");
    const forged = '"promise":{"decision":{"operation":"forged"},"record":7}';
    await give(x, file("k.pub", key), file("r.json", `{${forged},"receipt":${refused}}`)); // the engine takes the one inside
    await says(x, "A promise: the executor signed that record 4 is in its ledger.");
    assert.match(await seen(x.page.locator(".paper")), /record 4 .* release_escrow/);
    await demand(x, "Keys that you trust", "");
    await give(x, file("bad.jsonl", ledger.replace("released", "refunded")), file("good.jsonl", ledger));
    await says(x, "Not looked at: bad.jsonl. Files are verified one at a time.");
    await says(x, "9 records are consistent");
    await give(x, file("e.jsonl", ""));
    await says(x, "There is nothing in it, so nothing was checked.");
    assert.equal(await x.page.getByText("Not looked at").count(), 0);
    const grown = new Ledger("acme.test").grow(2).sign().grow(2).sign().grow(2).sign();
    await give(x, file("l.jsonl", grown.text), ...grown.lines.filter((l) => l.startsWith('{"checkpoint"')).map((l) => file("same.json", l)));
    await says(x, "6 records are consistent");
    assert.equal((await listed(x, "open")).match(/same.json: one checkpoint at a time/g).length, 2);
    const path = join(mkdtempSync(join(tmpdir(), "verify-")), "gone.jsonl"), lines = new Ledger("acme.test").grow(300).text;
    writeFileSync(path, lines);
    await x.page.getByLabel("Ledger (.jsonl)").setInputFiles(path);
    await x.page.getByText("1 to 200 of 300 lines").waitFor();
    writeFileSync(path, `${lines}x`);
    await x.page.getByRole("button", { name: "Later" }).click();
    await x.page.getByRole("alert").getByText("The file cannot be read any more: was it changed or moved?").waitFor();
    assert.equal(await x.page.getByText("are consistent").count(), 0);
    rmSync(dirname(path), { recursive: true });
    await x.page.evaluate(() => { // what cannot be read, as a folder that is dropped
      const folder = new File(["x"], "folder");
      folder.slice = () => ({ text: () => Promise.reject(new DOMException("no", "NotReadableError")) });
      window.dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: { types: ["Files"], files: [folder] } }));
    });
    await x.page.getByText("folder cannot be read: is it a folder, or was it moved?").waitFor();
  } },
  { name: "a large ledger is read where it lies and can be stopped", async run(x) {
    await open(x, "#/verify");
    const ledger = new Ledger("acme.test");
    for (let i = 0; i < 12; i++) {
      ledger.grow(1000).sign();
    }
    await give(x, file("large.jsonl", ledger.text), file("a.pub", ledger.open));
    await says(x, "12,000 records are consistent, 12,000 of them signed");
    await x.page.getByText("1 to 200 of 12,012 lines").waitFor();
    assert.equal(await x.page.locator(".records tbody tr").count(), 200);
    await x.page.getByRole("button", { name: "Last" }).click();
    await x.page.getByText("12,001 to 12,012 of 12,012 lines").waitFor();
    await x.page.getByRole("textbox", { name: "Line", exact: true }).fill("6000");
    await x.page.keyboard.press("Enter");
    await x.page.getByText("6,000 to 6,199 of 12,012 lines").waitFor();
    assert.equal(await seen(x.page.locator(".records tbody tr").first().locator("td").first()), "5994");
    const lines = [...ledger.lines];
    lines[9000] = lines[9000].replace("released", "refunded");
    await give(x, file("large.jsonl", lines.join("\n") + "\n"));
    await says(x, "It does not hold: a record was changed, line 9,001, record 8,992.");
    assert.match(await seen(x.page.locator(".records .bad")), /8992.*a record was changed/);
    await x.page.evaluate((line) => {
      const data = new DataTransfer(), piece = line.repeat(1000);
      data.items.add(new File(Array(300).fill(piece), "huge.jsonl"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, document("x".repeat(900)));
    await says(x, /lines hold so far, [\d,]+ in a second, [\d,]+ seconds? left/);
    await go(x.page, "Source"); // nobody who edits waits for it
    await write(x.page, "persona p\nentity Parcel { states: [waiting, sent] initial: waiting transitions: [(waiting, sent)] }\n");
    await node(x.page, "entity/Parcel/sent").waitFor();
    await go(x.page, "Verify");
    await x.page.getByRole("button", { name: "Stop" }).click();
    await says(x, /Stopped after [\d,]+ lines\. It was not verified\./);
    await x.page.getByRole("button", { name: "Close" }).click();
  } },
];
