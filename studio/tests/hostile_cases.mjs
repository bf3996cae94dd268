/* Texts that mean harm: HTML, script, marks that turn the direction of text, and names and strings of a megabyte. They appear as
 * text in every view, no view grows with them, and none keeps the page busy. */
import assert from "node:assert/strict";
import { BOTH, go, open, seen, status, write } from "./cases.mjs";
import { Ledger } from "./ledger.mjs";

const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><b>bold</b>';
const TURNED = "\u202Eevil\u061C\u2066\u200Bhidden";
const LONG = "x".repeat(1_000_000), NAME = "n".repeat(4090); // nearly what an identifier may have
const BUSY = 2; // seconds of processor that a step may cost the page
const quoted = (text) => JSON.stringify(text).slice(1, -1);

function contract(text, name) {
  return `persona p_${name}
fact f { type: Text(max_length: 3000000) source: "${quoted(MARKUP)}.x" default: "${quoted(text)}" }
rule r_${name} { stratum: 0 when: f = "${quoted(text)}" produce: verdict v_${name} { payload: Text = "${quoted(text)}" } }
entity E_${name} { states: [a_${name}, b] initial: a_${name} transitions: [(a_${name}, b)] }
operation go_${name} { allowed_personas: [p_${name}] precondition: verdict_present(v_${name}) effects: [(E_${name}, a_${name}, b)] outcomes: [gone] error_contract: [precondition_failed, persona_rejected] }
flow w_${name} { snapshot: at_initiation entry: s_${name} steps: { s_${name}: OperationStep { op: go_${name} persona: p_${name} outcomes: { gone: Terminal(success) } on_failure: Terminate(outcome: failure) } } }
`;
}

/** Nothing of it became markup, and the page is as wide as it was. */
async function plain(x, where) {
  const found = await x.page.evaluate(() => ({ hacked: window.hacked, active: document.querySelectorAll("main img, main script, main iframe").length,
    bold: [...document.querySelectorAll("main b")].filter((b) => b.textContent === "bold").length, wide: document.documentElement.scrollWidth - innerWidth,
    main: document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth, longest: Math.max(...[...document.querySelectorAll("main *")].filter((e) => !e.children.length && !/^(TEXTAREA|PRE)$/.test(e.tagName)).map((e) => e.textContent.length)),
    turned: /[\u061c\u202a-\u202e\u2066-\u2069]/.test(document.querySelector("main").innerText) }));
  assert.deepEqual({ ...found, longest: 0 }, { hacked: undefined, active: 0, bold: 0, wide: 0, main: 0, longest: 0, turned: false }, where);
  assert.ok(found.longest < 10000, `${where}: ${found.longest} characters in one place`);
}

/** What the page's own thread has worked, in seconds of processor: others may use the machine. */
async function clock(x) {
  const session = await x.context.newCDPSession(x.page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  let before = await worked();
  return async (where) => {
    const now = await worked();
    if (process.env.STUDIO_SHOTS) {
      console.log(`${where}: ${(now - before).toFixed(2)} s`);
    }
    assert.ok(now - before < BUSY, `${where}: the page was busy for ${(now - before).toFixed(2)} s`);
    before = now;
  };
}

const VIEWS = ["Pictures", "Facts", "Simulate", "Versions"];

export const CASES = [
  { name: "hostile texts are text in every view", sizes: BOTH, async run(x) {
    await open(x);
    await write(x.page, contract(MARKUP + TURNED, "x"));
    await status(x.page, "holds");
    await plain(x, "Source");
    for (const view of VIEWS) {
      await go(x.page, view);
      await x.page.waitForTimeout(150);
      if (view === "Pictures") {
        for (const tab of ["Rules", "Authority", "Flows"]) {
          await x.page.getByRole("tab", { name: tab }).click();
          await plain(x, tab);
        }
      } else if (view === "Facts") {
        await x.page.getByRole("button", { name: "v_x" }).click();
        await x.page.locator(".reason").waitFor();
        await x.page.getByRole("textbox", { name: "Facts as JSON" }).fill(JSON.stringify({ f: MARKUP + TURNED, [MARKUP]: TURNED }));
        await x.page.waitForTimeout(150);
      } else if (view === "Simulate") {
        await x.page.getByRole("button", { name: "go_x" }).first().click();
        await x.page.locator(".came").first().waitFor();
      } else {
        await x.page.getByRole("button", { name: "Keep this as the old version" }).click();
        await x.page.getByText("Nothing has changed yet.").waitFor();
      }
      await plain(x, view);
    }
    await go(x.page, "Verify");
    const ledger = new Ledger("acme.test").grow(1, () => `{"caller":{"name":${JSON.stringify(MARKUP)}},"instance":${JSON.stringify(LONG)},"kind":${JSON.stringify(MARKUP + TURNED)},"persona":${JSON.stringify(TURNED)},"time":${JSON.stringify(TURNED)},"trust_domain":"acme.test"}`);
    await x.page.getByLabel("Ledger (.jsonl)").setInputFiles([{ name: `${MARKUP.replaceAll("/", "")}${TURNED}.jsonl`, mimeType: "text/plain", buffer: Buffer.from(ledger.text) }]);
    await x.page.getByText("1 record is consistent. Nobody signed them.").waitFor();
    assert.match(await seen(x.page.locator(".records tbody")), /a line of 1,\d\d\d,\d\d\d bytes/);
    await plain(x, "Verify");
    const small = new Ledger("acme.test").grow(1, () => `{"instance":${JSON.stringify("y".repeat(100000))},"kind":${JSON.stringify(MARKUP + TURNED)},"persona":${JSON.stringify(MARKUP + TURNED)},"trust_domain":"acme.test"}`);
    await x.page.getByLabel("Ledger (.jsonl)").setInputFiles([{ name: "small.jsonl", mimeType: "text/plain", buffer: Buffer.from(small.text) }]);
    await x.page.locator(".records").getByText("<img src=x").first().waitFor();
    await plain(x, "Verify");
  } },
  { name: "a megabyte of text stops nothing", async run(x) {
    await open(x);
    x.page.setDefaultTimeout(60000); // names of roles are worked out by the test, from all of the text
    const told = await clock(x), press = (text) => x.page.locator("main button", { hasText: text }).first().click();
    const put = async (text) => {
      await x.page.locator(".cm-content").click({ position: { x: 5, y: 5 } });
      await x.page.keyboard.press("Control+a");
      await x.page.keyboard.insertText(text);
    };
    await put(`persona ${LONG}\n`);
    await status(x.page, "error");
    await x.page.locator(".faults", { hasText: "identifier of 1000000 bytes; at most 4096 are allowed" }).waitFor();
    await told("a name that is refused");
    await put(contract(LONG, NAME));
    await status(x.page, "holds");
    await told("Source");
    await plain(x, "Source");
    for (const [view, tried, then] of [["pictures", "Rules", ".drawn .shape"], ["facts", "v_nnn", ".reason"], ["simulate", "go_nnn", ".came"], ["versions", "Keep this as the old version", ".came"]]) {
      await x.page.evaluate((id) => (location.hash = `#/${id}`), view);
      await press(tried);
      await x.page.locator(then).first().waitFor();
      await told(view);
      await plain(x, view);
    }
  } },
];
