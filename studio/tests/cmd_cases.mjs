/* The view Ask: questions, answers, runs in the picture, facts of a witness. The server of this walk serves escrow. */
import assert from "node:assert/strict";
import { BOTH, go, node, open, seen, status, write } from "./cases.mjs";

const field = (page) => page.getByRole("textbox", { name: "A question" });
const card = (page, question) => page.getByRole("article", { name: question, exact: true });
async function put(page, question) {
  await field(page).fill(question);
  await page.keyboard.press("Enter");
  await card(page, question).locator(".reply b").filter({ hasNotText: "Asking" }).waitFor();
  return card(page, question);
}

export const CASES = [
  { name: "a question is answered in words, and what needs the solver says so and is asked of the server", sizes: BOTH, async run(x) {
    await open(x, "#/ask");
    await x.page.getByRole("list", { name: "Never and always" }).getByRole("button", { name: "never EscrowAccount.released and EscrowAccount.refunded" }).click();
    const never = card(x.page, "never EscrowAccount.released and EscrowAccount.refunded");
    await never.getByText("Yes, proven").waitFor();
    assert.match(await seen(never), /every fact set, at each step its own; 4 joint states of EscrowAccount; one instance of each entity/);
    await x.page.getByRole("list", { name: "Who" }).getByRole("button", { name: "who can perform refund_escrow" }).click();
    const who = card(x.page, "who can perform refund_escrow");
    await who.getByText("This needs the solver, which is not in the page.").waitFor();
    assert.match(await seen(who), /^who can perform refund_escrow × Unknown by this page/);
    assert.match(await seen(who), /motet ask escrow\.tenor 'who can perform refund_escrow'/);
    await who.getByRole("button", { name: "Ask the server" }).click();
    await who.getByText("shown by a run that the engine executed").waitFor();
    assert.match(await seen(who), /by the server, with its solver These can: escrow_agent\./);
    await who.getByRole("button", { name: "Play" }).click();
    await x.page.locator('.answer [data-name="entity/EscrowAccount/held"].here').waitFor();
    await who.getByRole("button", { name: "A step on" }).click();
    await x.page.locator('.answer [data-name="entity/EscrowAccount/refunded"].here').waitFor();
    assert.match(await seen(who.locator("figcaption")), /EscrowAccount refunded/);
    await x.image("studio-ask");
    for (const colorScheme of ["light", "dark"]) {
      await x.page.emulateMedia({ colorScheme });
      await x.axe();
    }
  } },
  { name: "what an answer found is loaded into facts and walked in Simulate, with a way back", sizes: BOTH, async run(x) {
    await open(x, "#/ask");
    const hold = await put(x.page, "can release_approved hold");
    await hold.getByRole("button", { name: "Ask the server" }).click();
    await hold.getByRole("button", { name: "Load into Facts" }).click();
    assert.match(x.page.url(), /#\/facts$/);
    const json = x.page.locator(".json textarea");
    assert.match(await json.inputValue(), /"delivery_status": "confirmed"/);
    await x.page.locator(".follows, .said").first().getByText("release_approved").first().waitFor();
    await x.page.getByRole("button", { name: "Undo" }).click();
    assert.doesNotMatch(await json.inputValue(), /"delivery_status": "confirmed",\s+"escrow_amount": \{ "amount": "0.00"/);
    await go(x.page, "Ask");
    const reach = await put(x.page, "can escrow_agent reach EscrowAccount.released");
    await reach.getByRole("button", { name: "Ask the server" }).click();
    await reach.getByRole("button", { name: "Walk it in Simulate" }).click();
    await x.page.getByRole("button", { name: /release_escrow.*escrow_agent: released/ }).waitFor(); // executed again, in the page
    await x.page.locator('[data-name="entity/EscrowAccount/released"].here').waitFor();
    // With several instances, too.
    await go(x.page, "Facts");
    await x.page.getByRole("button", { name: "Add an instance of EscrowAccount" }).click();
    const states = x.page.getByRole("group", { name: "Instances of EscrowAccount" }).getByRole("combobox");
    const now = () => states.evaluateAll((all) => all.map((s) => s.value).join(" "));
    await states.first().selectOption("disputed");
    await go(x.page, "Ask");
    await card(x.page, "can escrow_agent reach EscrowAccount.released").getByRole("button", { name: "Facts", exact: true }).last().click();
    await states.first().waitFor();
    assert.equal(await now(), "held held");
    await x.page.getByRole("button", { name: "Undo" }).last().click();
    await x.page.waitForFunction(() => document.querySelector(".instance select").value === "disputed");
    await go(x.page, "Ask");
    await card(x.page, "can escrow_agent reach EscrowAccount.released").getByRole("button", { name: "Walk it in Simulate" }).click();
    await x.page.getByRole("button", { name: /release_escrow.*escrow_agent: released/ }).waitFor(); // from the beginning
  } },
  { name: "a question that is not understood says what was expected, and another text is not answered by the server", async run(x) {
    await open(x, "#/ask");
    const slip = await put(x.page, "can buyer raech EscrowAccount.released");
    assert.match(await seen(slip), /Not understood expected 'reach', 'move' or 'perform', got 'raech'/);
    const odd = await put(x.page, "<img src=x onerror=alert(1)> hold");
    assert.equal(await odd.locator("img").count(), 0);
    await go(x.page, "Source");
    await write(x.page, "persona p\nfact f { type: Bool source: \"a.b\" }\nrule r { stratum: 0 when: f = true produce: verdict v { payload: Bool = true } }\nentity E { states: [a, b] initial: a transitions: [(a, b)] }\noperation go { allowed_personas: [p] precondition: verdict_present(v) effects: [(E, a, b)] outcomes: [gone] error_contract: [precondition_failed] }\n");
    await node(x.page, "entity/E/b").waitFor();
    await status(x.page, "holds");
    await go(x.page, "Ask");
    const now = await put(x.page, "can anyone reach E.b");
    await now.getByRole("button", { name: "Ask the server" }).click();
    await now.getByText("The server has another version of escrow").waitFor();
    assert.match(await seen(now), /Unknown by this page/);
    await x.axe();
    await x.context.setOffline(true);
    x.expect(/ERR_INTERNET_DISCONNECTED/);
    const alone = await put(x.page, "never E.a and E.b"); // the engine is in the page
    await alone.getByText("by this page").waitFor();
    await now.getByRole("button", { name: "Ask the server" }).click();
    await now.getByText("Nobody answers there").waitFor();
    await x.context.setOffline(false);
  } },
];
