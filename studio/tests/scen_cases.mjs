/* Scenarios and what they reach, the fate of running flows, several instances, Systems, and a tour without a mouse. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BOTH, go, node, open, seen, status, write } from "./cases.mjs";

const textbox = (page) => page.getByRole("textbox", { name: "Source of the contract" });
const cases = (page) => page.getByRole("region", { name: "Cases" });
const reached = (page) => page.getByRole("region", { name: "Coverage" });
const classOf = (page, name, of = page) => of.locator(`[data-name="${name}"]`).first().getAttribute("class");

const SHOP = `persona clerk
persona customer

fact amount {
  type: Money("EUR")
  source: "orders.amount"
}

entity Order {
  states: [placed, paid, sent]
  initial: placed
  transitions: [(placed, paid), (paid, sent)]
}

rule affordable {
  stratum: 0
  when: amount <= Money { amount: "500.00", currency: "EUR" }
  produce: verdict affordable { payload: Bool = true }
}

operation pay {
  allowed_personas: [custome]
  precondition: verdict_present(affordable)
  effects: [(Order, placed, paid)]
  outcomes: [paid]
  error_contract: [precondition_failed, persona_rejected]
}

operation send {
  allowed_personas: [clerk]
  precondition: verdict_present(affordable)
  effects: [(Order, paid, sent)]
  outcomes: [sent]
  error_contract: [precondition_failed, persona_rejected]
}

flow buy {
  snapshot: at_initiation
  entry: first
  steps: {
    first: OperationStep { op: pay persona: customer outcomes: { paid: second } on_failure: Terminate(outcome: failure) }
    second: OperationStep { op: send persona: clerk outcomes: { sent: Terminal(success) } on_failure: Terminate(outcome: failure) }
  }
}
`;

/** What has the focus, as a person who sees the page knows it: its name, and whether one sees that it has it. */
export const focused = (page) => page.evaluate(() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) {
    at = at.shadowRoot.activeElement;
  }
  const look = getComputedStyle(at), shape = at.querySelector?.(":scope > .shape");
  const name = at.getAttribute("aria-label") || (at.labels?.length ? at.labels[0].textContent : "") || at.textContent;
  return { name: `${name}`.replace(/\s+/g, " ").trim().slice(0, 80), role: at.getAttribute("role") ?? at.tagName.toLowerCase(),
    seen: (look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2) || (shape && parseFloat(getComputedStyle(shape).strokeWidth) > 3) || at.closest(".cm-content") !== null };
});

/** Tab, until it is there. Whatever is passed must show that it has the focus. */
export async function tabTo(page, name, key = "Tab") {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press(key);
    const at = await focused(page);
    assert.ok(at.seen || at.role === "body", `nobody sees that ${at.role} "${at.name}" has the focus`);
    if (name.test(at.name)) {
      return at;
    }
  }
  assert.fail(`${name} cannot be reached with ${key}`);
}

export const CASES = [
  { name: "scenarios run, say what differs, and lead to their text", sizes: BOTH, async run(x) {
    await open(x, "#/scenarios");
    await cases(x.page).getByText("14 of 14 passed").waitFor();
    assert.match(await seen(reached(x.page).getByRole("row", { name: "paths through flows" })), /9 of 9/);
    await x.image("studio-scenarios");
    await cases(x.page).getByRole("button", { name: "only the agent records it" }).click();
    assert.match(await seen(reached(x.page).getByRole("heading", { level: 2 })), /What this one reaches/);
    await cases(x.page).getByRole("button", { name: "Run this one" }).click();
    await cases(x.page).getByRole("button", { name: "To its text" }).click();
    await textbox(x.page).waitFor();
    assert.match(await seen(textbox(x.page)), /only the agent records it/);
    assert.equal(await x.page.getByRole("tab", { name: "escrow.scenarios.yaml" }).getAttribute("aria-selected"), "true");
    await status(x.page, "^holds$"); // a file of scenarios has no faults of contracts
    const text = readFileSync(new URL("../../examples/escrow/escrow.scenarios.yaml", import.meta.url), "utf8");
    await write(x.page, text.replace("outcome: success", "outcome: failure").replace("escrow_agent, flow: refund_flow", "escrow_agent, flow: refund_flo"));
    await status(x.page, "^holds$");
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("12 of 14 passed, 2 failed").waitFor();
    const wrong = cases(x.page).locator("li.failed");
    assert.match(await seen(wrong.nth(0)), /outcome expected failure said success/);
    assert.match(await seen(wrong.nth(1)), /refund_flo.*did you mean 'refund_flow'\?/);
    await wrong.nth(0).getByRole("button", { name: "outcome", exact: true }).click();
    await textbox(x.page).waitFor();
    assert.match(await seen(x.page.locator(".cm-activeLine")), /^outcome: failure$/);
  } },
  { name: "what scenarios reach is painted on the source and on the pictures, in the dark", sizes: BOTH, async run(x) {
    await open(x);
    await x.page.getByRole("tab", { name: "escrow.scenarios.yaml" }).click();
    const text = readFileSync(new URL("../../examples/escrow/escrow.scenarios.yaml", import.meta.url), "utf8");
    await write(x.page, text.split("  - name: an invalid line item")[0]);
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("2 of 2 passed").waitFor();
    const flow = reached(x.page).getByRole("group", { name: "flow refund_flow" }), release = reached(x.page).getByRole("group", { name: "flow standard_release" });
    assert.match(await classOf(x.page, "flow/refund_flow/step_refund", flow), /\bnever\b/);
    assert.match(await classOf(x.page, "flow/standard_release/step_check_threshold", release), /\bseen\b/);
    assert.match(await classOf(x.page, "flow/standard_release/step_confirm", release), /\bpartly\b/);
    assert.match(await flow.locator('[data-name="flow/refund_flow/step_refund"]').getAttribute("aria-label"), /not covered/);
    await cases(x.page).getByRole("button", { name: "goes to compliance" }).click(); // alone it does not reach the other branch
    assert.match(await classOf(x.page, "flow/standard_release/step_auto_release", release), /\bnever\b/);
    await reached(x.page).getByRole("button", { name: "All of them" }).click();
    await reached(x.page).getByText("never").first().click();
    await reached(x.page).getByRole("button", { name: "can_refund" }).first().click();
    assert.match(await seen(x.page.locator(".cm-activeLine")), /^rule can_refund/);
    assert.match(await seen(x.page.getByRole("region", { name: "Faults" })), /rule can_refund was never reached/);
    const gutter = x.page.locator(".cm-cover");
    assert.ok(await gutter.locator(".cm-cover-never").count() > 3);
    assert.ok(await gutter.locator(".cm-cover-seen").count() > 3);
    assert.match(await gutter.locator(".cm-cover-never").first().getAttribute("title"), /never/);
    await x.image("studio-coverage");
    await x.page.getByRole("tab", { name: "Rules" }).click();
    assert.match(await classOf(x.page, "rule/can_refund"), /\bnever\b/);
    await x.page.getByRole("region", { name: "Source" }).getByRole("button", { name: "Coverage" }).click();
    assert.equal(await gutter.locator("span[title]").count(), 0);
    assert.doesNotMatch(await classOf(x.page, "rule/can_refund"), /\bnever\b/);
  } },
  { name: "a file of scenarios is begun, and faults of a whole file are told", async run(x) {
    await open(x);
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: "untitled" }).click();
    await go(x.page, "Scenarios");
    await x.page.getByRole("button", { name: "Begin a file of scenarios" }).click();
    await cases(x.page).getByText("1 of 1 passed").waitFor();
    await cases(x.page).getByRole("button", { name: "untitled.scenarios.yaml" }).click();
    await write(x.page, "scenarios:\n  - name: a\n    when: {persona: customer, operation: pay\n");
    await status(x.page, "^holds, 1 warning$");
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("0 of 1 passed, 1 failed").waitFor();
    assert.match(await seen(cases(x.page).locator("li.failed")), /the file.*did not find/);
    await go(x.page, "Source");
    await write(x.page, "contract: other.tenor\nscenarios: []\n");
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("it is about other.tenor, which is not in this workspace").waitFor();
    await go(x.page, "Source");
    await write(x.page, "invariants: [never Order.placed and Order.paid, never perform pay while not affordable]\nscenarios:\n  - {name: \"<b>a</b> \\u202Ex\", then: {present: [affordable]}}\n");
    await go(x.page, "Scenarios");
    await cases(x.page).getByText(/of 3 passed/).waitFor();
    assert.match(await seen(cases(x.page)), /<b>a<\/b> �x/);
  } },
  { name: "which running flows can go on is told by flow and step, and drawn", sizes: BOTH, async run(x) {
    await open(x, "#/versions");
    await x.page.getByRole("button", { name: "Keep this as the old version" }).click();
    await go(x.page, "Source");
    const source = await x.page.evaluate(() => { dispatchEvent(new Event("pagehide")); return JSON.parse(localStorage["motet.studio.draft"]).files[0][1]; });
    await write(x.page, source.replaceAll("step_compliance_release", "step_officer_release").replaceAll("disputed)", "contested)").replaceAll("(disputed", "(contested").replace("refunded, disputed]", "refunded, contested]").replace("outcomes:         [disputed]", "outcomes:         [contested]"));
    await status(x.page, "^holds$");
    await go(x.page, "Versions");
    const fates = x.page.getByRole("region", { name: "Flows under way" });
    await fates.getByText("5 of 6 steps: a flow there goes on").waitFor();
    const row = (step) => seen(fates.getByRole("row", { name: step }));
    assert.match(await row("step_confirm"), /goes on/);
    assert.match(await row("step_compliance_release"), /must stop the flow stands at step 'step_compliance_release', which the new contract does not have/);
    const picture = x.page.getByRole("group", { name: "flow standard_release, both versions" });
    assert.match(await classOf(x.page, "flow/standard_release/step_compliance_release", picture), /\bgone\b.*\bstops\b/);
    assert.match(await classOf(x.page, "flow/standard_release/step_confirm", picture), /\bgoes\b/);
    assert.match(await classOf(x.page, "flow/standard_release/step_officer_release", picture), /\bnew\b/);
    assert.match(await picture.locator('[data-name="flow/standard_release/step_compliance_release"]').getAttribute("aria-label"), /gone, flows here must stop/);
    await x.image("studio-fates");
    await fates.getByText("What is supposed").click();
    await fates.getByRole("combobox", { name: "EscrowAccount" }).selectOption("disputed");
    await fates.getByText("5 need a decision").waitFor();
    assert.match(await row("step_refund"), /needs a decision entity 'EscrowAccount' is in state 'disputed', which the new contract does not have; say which state stands for 'disputed'/);
    await go(x.page, "Facts");
    await x.page.getByRole("textbox", { name: "Facts as JSON" }).fill("{}");
    await go(x.page, "Versions");
    assert.match(await seen(fates.getByRole("alert")), /missing required fact.*Go to Facts/);
  } },
  { name: "several instances are named, acted on one by one, and saved", sizes: BOTH, async run(x) {
    await open(x, "#/facts");
    const form = x.page.getByRole("region", { name: "Facts as a form" });
    await form.getByRole("button", { name: "Add an instance of EscrowAccount" }).click();
    const group = form.getByRole("group", { name: "Instances of EscrowAccount" });
    await group.getByRole("textbox", { name: "Name of EscrowAccount escrowaccount-2" }).fill("esc-2");
    await group.getByRole("textbox", { name: "Name of EscrowAccount escrowaccount-1" }).fill("esc-1");
    await group.getByRole("combobox", { name: "State of esc-2" }).selectOption("released");
    await group.getByRole("radio", { name: "esc-2" }).check();
    const buyer = x.page.locator(".person", { has: x.page.getByRole("heading", { name: "buyer" }) });
    await buyer.getByText("EscrowAccount esc-2 is released, not held").waitFor();
    await group.getByRole("radio", { name: "esc-1" }).check();
    await x.page.waitForFunction(() => /flag_dispute\s*can/.test(document.querySelector(".follows").innerText));
    await x.image("studio-instances");
    await go(x.page, "Simulate");
    assert.match(await seen(x.page.locator("figcaption", { hasText: "EscrowAccount" })), /esc-1 held, esc-2 released/);
    const acts = x.page.getByRole("list", { name: "Operations of buyer" }), line = x.page.getByRole("region", { name: "Time line" });
    await acts.getByRole("combobox", { name: "Which EscrowAccount for flag_dispute" }).selectOption("esc-2");
    await acts.getByRole("button", { name: "flag_dispute" }).click();
    await x.page.getByText("expected 'held'").waitFor();
    await acts.getByRole("combobox", { name: "Which EscrowAccount for flag_dispute" }).selectOption("esc-1");
    await acts.getByRole("button", { name: "flag_dispute" }).click();
    await x.page.getByText("esc-1 disputed, esc-2 released").waitFor();
    await line.getByRole("button", { name: "Undo" }).click();
    await x.page.getByText("esc-1 held, esc-2 released").waitFor();
    await x.page.getByRole("list", { name: "Flows of seller" }).getByRole("button", { name: "standard_release" }).click();
    await x.page.getByText("esc-1 released, esc-2 released").waitFor();
    await x.page.getByRole("button", { name: "Save as scenarios" }).click();
    assert.equal(await line.locator("li").count(), 4); // nothing is lost by saving
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("16 of 16 passed").waitFor();
    await x.page.reload();
    await status(x.page, "holds");
    await go(x.page, "Facts");
    assert.equal(await group.getByRole("combobox", { name: "State of esc-2" }).inputValue(), "released");
    await group.getByRole("button", { name: "Remove esc-2" }).click();
    assert.equal(await group.getByRole("combobox").count(), 1);
    await x.page.getByRole("button", { name: "Undo" }).click();
    assert.equal(await group.getByRole("combobox").count(), 2);
    const { files } = await x.page.evaluate(() => { dispatchEvent(new Event("pagehide")); return JSON.parse(localStorage["motet.studio.draft"]); });
    x.keep(`instances_${x.size}`, files);
  } },
  { name: "a System is tried in its members, and its triggers are carried out", sizes: BOTH, async run(x) {
    await open(x);
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: "trade_platform" }).click();
    await go(x.page, "Facts");
    const members = x.page.getByRole("group", { name: "Member of the System" });
    await members.getByRole("button", { name: "order_mgmt" }).click();
    const form = x.page.getByRole("region", { name: "Facts as a form" });
    await form.getByLabel("payment_received", { exact: true }).selectOption("true");
    await form.getByLabel("items_in_stock", { exact: true }).selectOption("true");
    await go(x.page, "Simulate");
    assert.match(await seen(x.page.getByRole("region", { name: "Act", exact: true })), /the flow that it starts is run at once in its member/);
    await x.page.getByRole("button", { name: "order_processing" }).first().click();
    await x.page.getByText("order_mgmt.order_processing starts fulfillment, but:").waitFor(); // its fact is missing
    await go(x.page, "Facts");
    await members.getByRole("button", { name: "fulfillment" }).click();
    await form.getByLabel("parcel_weight_grams", { exact: true }).fill("1200");
    assert.equal(await form.getByRole("combobox", { name: "Order" }).inputValue(), "paid"); // both share it
    await go(x.page, "Simulate");
    await x.page.getByRole("button", { name: "the beginning" }).click();
    await members.getByRole("button", { name: "order_mgmt" }).click();
    await x.page.getByRole("button", { name: "order_processing" }).first().click();
    await x.page.getByText("Started by order_mgmt.order_processing").waitFor();
    assert.match(await seen(x.page.locator(".came")), /warehouse_ops shipment_flow: success/);
    assert.match(await seen(x.page.locator(".machines")), /Order shipped.*Shipment sent/);
    assert.match(await seen(x.page.getByRole("region", { name: "Time line" })), /order_processing order_mgmt, \w+: success.*shipment_flow fulfillment, warehouse_ops: success/);
    await x.image("studio-system");
    await x.page.getByRole("button", { name: "Save as scenarios" }).click();
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("2 of 2 passed").waitFor();
    await reached(x.page).getByRole("combobox", { name: "Contract" }).selectOption("contracts/fulfillment.tenor");
    assert.match(await classOf(x.page, "fulfillment/flow/shipment_flow/step_ship", reached(x.page)), /\bpartly\b/);
    const { files } = await x.page.evaluate(() => { dispatchEvent(new Event("pagehide")); return JSON.parse(localStorage["motet.studio.draft"]); });
    x.keep(`system_${x.size}`, files);
  } },
  ...["light", "in the dark"].map((mode) => ({ name: `axe finds nothing serious in scenarios, fates, instances and Systems, ${mode}`, sizes: BOTH, async run(x) {
    await open(x);
    await x.page.getByRole("tab", { name: "escrow.scenarios.yaml" }).click();
    const text = readFileSync(new URL("../../examples/escrow/escrow.scenarios.yaml", import.meta.url), "utf8");
    await write(x.page, text.split("  - name: a disputed account")[0].replace("outcome: success", "outcome: failure"));
    await go(x.page, "Versions");
    await x.page.getByRole("button", { name: "Keep this as the old version" }).click();
    await go(x.page, "Scenarios");
    await cases(x.page).getByText("2 of 3 passed, 1 failed").waitFor();
    await cases(x.page).getByRole("button", { name: "goes to compliance" }).click();
    await reached(x.page).getByRole("button", { name: "All of them" }).click();
    await reached(x.page).getByText("never").first().click();
    await x.axe("scenarios");
    await x.page.getByRole("button", { name: "can_refund" }).first().click();
    await x.page.locator(".cm-cover-never").first().waitFor();
    await x.axe("coverage");
    await write(x.page, (await x.page.evaluate(() => { dispatchEvent(new Event("pagehide")); return JSON.parse(localStorage["motet.studio.draft"]).files[0][1]; })).replaceAll("step_compliance_release", "step_officer_release"));
    await go(x.page, "Versions");
    await x.page.getByText("must stop or end").waitFor();
    await x.page.getByText("What is supposed").click();
    await x.axe("fates");
    await go(x.page, "Facts");
    await x.page.getByRole("button", { name: "Add an instance of EscrowAccount" }).click();
    await x.axe("instances");
    await go(x.page, "Simulate");
    await x.axe("which one");
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: "trade_platform" }).click();
    await x.page.getByRole("group", { name: "Member of the System" }).waitFor();
    await x.axe("System");
  } })),
  { name: "the author's tour by keyboard alone", async run(x) {
    const { page } = x;
    const key = async (k) => {
      await page.keyboard.press(k);
      if (/^Alt\+\d$/.test(k)) { // the view is there, and Tab goes on inside it
        await page.waitForFunction(() => document.activeElement?.id === "main");
      }
    };
    const main = async () => (await page.locator("main").innerText()).replace(/\s+/g, " ");
    await open(x);
    await key("Alt+1");
    await tabTo(page, /^Source of the contract$/);
    await key("Control+a");
    await page.keyboard.insertText(SHOP);
    await status(page, "2 errors");
    // It meets an error, goes to it, and mends it.
    await tabTo(page, /^22:22/);
    await key("Enter");
    assert.match((await focused(page)).name, /^Source of the contract$/);
    assert.match(await seen(page.locator(".cm-activeLine")), /allowed_personas: \[custome\]/);
    await key("End");
    await key("ArrowLeft");
    await page.keyboard.type("r");
    await status(page, "^holds$");
    // Pictures: from kind to kind, from thing to thing, and to the source.
    await key("Alt+2");
    await tabTo(page, /^States$/);
    await key("ArrowRight");
    assert.match((await focused(page)).name, /^Flows$/);
    await tabTo(page, /^operation first pay/);
    await key("ArrowRight");
    assert.match((await focused(page)).name, /^operation second send/);
    assert.ok((await focused(page)).seen);
    await key("Enter");
    await page.waitForFunction(() => document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-came")?.textContent === "second");
    // Facts, verdicts and why.
    await key("Alt+3");
    await tabTo(page, /^amount$/);
    await key("Control+a");
    await page.keyboard.type("700.00");
    await page.waitForFunction(() => /affordable absent/.test(document.querySelector(".follows")?.innerText.replace(/\s+/g, " ") ?? ""));
    await tabTo(page, /affordable/);
    await key("Enter");
    await page.locator(".reason").waitFor();
    assert.match(await main(), /amount 700.00 EUR/);
    await tabTo(page, /^amount$/, "Shift+Tab");
    await key("Control+a");
    await page.keyboard.type("120.00");
    await page.waitForFunction(() => /affordable true present/.test(document.querySelector(".follows")?.innerText.replace(/\s+/g, " ") ?? ""));
    // An operation, back, and a flow.
    await key("Alt+4");
    await tabTo(page, /^pay$/);
    await key("Enter");
    await page.getByText("customer pay: paid").waitFor();
    await key("Control+z");
    await tabTo(page, /^buy$/, "Shift+Tab");
    await key("Enter");
    await page.waitForFunction(() => document.querySelector('[data-name="flow/buy//end/success"]')?.classList.contains("here"));
    await tabTo(page, /^Save as scenarios$/);
    await key("Enter");
    await page.getByText("Saved as escrow.tried.scenarios.yaml").waitFor();
    // Its scenarios pass; those of the example are about another contract.
    await key("Alt+5");
    await page.waitForFunction(() => /1\. customer: buy, success/.test(document.querySelector("main").innerText) && !/running/.test(document.querySelector(".came").innerText));
    assert.match(await seen(cases(page).locator("li.passed", { hasText: "1. customer: buy, success" })), /ms$/);
    await tabTo(page, /1\. customer: buy, success/);
    await key("Enter");
    assert.equal(await reached(page).getByRole("heading", { name: "What this one reaches" }).count(), 1);
    await tabTo(page, /^To its text$/);
    await key("Enter");
    await page.waitForFunction(() => /1. customer: buy, success/.test(document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-activeLine")?.textContent ?? ""));
    // Two versions.
    await key("Alt+7");
    await tabTo(page, /^Keep this as the old version$/);
    await key("Enter");
    await key("Alt+1");
    await tabTo(page, /^escrow.tenor$/);
    await key("Enter");
    await tabTo(page, /^Source of the contract$/);
    await key("Control+Home");
    await key("Control+f");
    await page.keyboard.type("500.00");
    await key("Enter");
    await key("Escape");
    await page.keyboard.type("900.00");
    await status(page, "^holds$");
    await key("Alt+7");
    await page.getByText("1 change").waitFor();
    assert.match(await main(), /Rule affordable/);
    assert.match(await main(), /2 of 2 steps: a flow there goes on/);
    // The link holds all of it; a reload loses nothing.
    await tabTo(page, /^Share$/, "Shift+Tab");
    await key("Enter");
    await page.getByText("holds the whole workspace").waitFor();
    const link = page.url();
    assert.match(link, /w=/);
    await page.reload();
    await status(page, "^holds$");
    await key("Alt+1");
    await tabTo(page, /^Source of the contract$/);
    assert.match(await seen(textbox(page)), /900.00/);
    await key("Shift+/"); // in the text it is a letter
    assert.equal(await page.getByRole("dialog").count(), 0);
  } },
];
