/* Scenarios and what they reach, the fate of running flows, several instances, Systems, and a tour without a mouse. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BOTH, go, node, open, seen, status, write } from "./cases.mjs";

const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const textbox = (page) => page.getByRole("textbox", { name: "Source of the contract" });
const cases = (page) => page.getByRole("region", { name: "Cases" });
const reached = (page) => page.getByRole("region", { name: "Coverage" });
const classOf = (page, name, of = page) => of.locator(`[data-name="${name}"]`).first().getAttribute("class");

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
];
