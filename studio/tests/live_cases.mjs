/* What operators and auditors do with the views of a server, and what must then be seen. */
import assert from "node:assert/strict";
import { BOTH, go, node, open, seen } from "./cases.mjs";
import { ESCROW, FACTS, folder, guardedServer, post, Server } from "./live_servers.mjs";

const card = (x, state, id) => x.page.getByRole("region", { name: state, exact: true }).getByRole("button", { name: id });
const make = (url, entity, id, token) => post(url, `/v1/contracts/escrow/instances/${entity}`, { id }, token);

async function signIn(x, token) {
  await x.page.getByLabel("Token").fill(token);
  await x.page.getByRole("button", { name: "Sign in" }).click();
}

export const CASES = [
  { name: "a board shows instances by state and moves them live", sizes: BOTH, async run(x) {
    const id = (n) => `${x.size}-${n}`;
    for (const n of [1, 2, 3]) {
      await make(x.url, "EscrowAccount", id(n));
    }
    await open(x, "#/board");
    await x.page.getByRole("combobox", { name: "Entity" }).selectOption("EscrowAccount");
    await card(x, "held", id(1)).waitFor();
    await x.page.getByText("open to this machine").waitFor();
    await x.page.getByText("live", { exact: true }).waitFor();
    await x.page.evaluate(() => (window.same = true));
    await post(x.url, "/v1/contracts/escrow/operations/flag_dispute", { persona: "buyer", bindings: { EscrowAccount: id(2) }, facts: FACTS });
    await card(x, "disputed", id(2)).waitFor();
    assert.equal(await card(x, "held", id(2)).count(), 0);
    await x.page.waitForFunction(() => [...document.querySelectorAll(".column")].every((c) => Number(c.querySelector(".count").textContent) === c.querySelectorAll(".card").length));
    await card(x, "disputed", id(2)).click();
    const detail = x.page.getByRole("complementary", { name: `Instance ${id(2)}` });
    await detail.getByText("flag_dispute ·").waitFor();
    assert.match(await seen(detail.getByRole("list", { name: "History" })), /created record \d+ EscrowAccount \S+ held by anyone .* operation record \d+ flag_dispute · EscrowAccount \S+ held → disputed by buyer \(anyone\)/);
    assert.ok(await node(x.page, "entity/EscrowAccount/disputed").evaluate((n) => n.classList.contains("here")));
    assert.equal(await detail.locator(".edge.walked").count(), 1);
    assert.equal(await x.page.evaluate(() => window.same), true);
    await x.axe();
    await x.image("studio-board");
    await detail.getByRole("button", { name: "Close" }).click();
    await x.page.getByRole("searchbox").fill(id(3));
    await card(x, "held", id(1)).waitFor({ state: "hidden" });
    await card(x, "held", id(3)).waitFor();
  } },
  { name: "a token with few rights sees only that", sizes: BOTH, async run(x) {
    const { url, tokens } = await guardedServer();
    x.server(url);
    x.expect(/status of 40[13]/);
    await open({ ...x, url }, "#/board");
    await x.page.getByRole("heading", { name: /Sign in to 127/ }).waitFor();
    assert.equal(await x.page.getByRole("button", { name: "Log in" }).count(), 0); // this server has no provider
    await x.axe();
    await signIn(x, "mt_0000_wrong");
    await x.page.getByText("The server does not take this token").waitFor();
    await signIn(x, tokens.reader);
    await x.page.getByRole("region", { name: "held" }).or(x.page.getByRole("region", { name: "pending" })).first().waitFor();
    await x.page.getByText("it needs ledger:read").first().waitFor();
    await go(x.page, "Flows");
    await x.page.getByText("No flow is under way").or(x.page.locator(".rows b")).first().waitFor();
    const kept = await x.page.evaluate(() => [location.href, JSON.stringify(localStorage), document.documentElement.outerHTML].join("\n"));
    assert.ok(!kept.includes(tokens.reader));
    await x.page.reload();
    await x.page.getByRole("button", { name: "Sign out" }).waitFor();
    await x.page.getByRole("button", { name: "Sign out" }).click();
    await x.page.getByRole("heading", { name: /Sign in to 127/ }).waitFor();
    assert.equal(await x.page.evaluate(() => sessionStorage.length), 0);
  } },
  { name: "a flow shows where it stands and how it came there", sizes: BOTH, async run(x) {
    const { url, tokens } = await guardedServer();
    x.server(url);
    x.expect(/status of 401/);
    const bindings = { EscrowAccount: `acc-${x.size}`, DeliveryRecord: `del-${x.size}` };
    await Promise.all(Object.entries(bindings).map(([entity, id]) => make(url, entity, id, tokens.ops)));
    const { id } = await post(url, "/v1/contracts/escrow/flows/standard_release", { persona: "seller", bindings, facts: FACTS }, tokens.seller);
    await open({ ...x, url }, "#/flows");
    await signIn(x, tokens.ops);
    await x.page.getByRole("button", { name: /standard_release/ }).first().click();
    const step = (name) => node(x.page, `flow/standard_release/${name}`);
    await step("step_check_threshold").waitFor();
    assert.match(await step("step_check_threshold").getAttribute("aria-label"), /here now/);
    await x.page.getByText("Waits for escrow_agent", { exact: true }).waitFor();
    assert.ok(x.page.url().endsWith(`#/flows/${id}`));
    assert.match(await seen(x.page.locator(".steps-taken tbody")), /^step_confirm confirm_delivery seller confirmed \d{4}-/);
    assert.ok(await step("step_confirm").evaluate((n) => n.classList.contains("lit")));
    assert.equal(await x.page.locator(".edge.walked").count(), 2);
    await x.image("studio-flow");
    await x.axe();
    await post(url, `/v1/flows/${id}/resume`, { persona: "escrow_agent" }, tokens.officer);
    await x.page.getByText("Ended: success").waitFor();
    assert.match(await step("/end/success").getAttribute("aria-label"), /here now/);
    assert.match(await seen(x.page.locator(".steps-taken tbody")), /step_compliance_release release_escrow_with_compliance compliance_officer released/);
    assert.match(await seen(x.page.getByRole("list", { name: "Records of this execution" })), /flow ended record \d+ standard_release · success by escrow_agent \(officer\)/);
  } },
  { name: "a server is killed and comes back while the page is open", sizes: BOTH, async run(x) {
    const mortal = await new Server(folder(), [ESCROW]).start();
    x.server(mortal.url);
    x.expect(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|ERR_NETWORK_IO/);
    const heads = [];
    x.page.on("request", (r) => r.url().endsWith("/v1/events") && heads.push(r.headers()["last-event-id"]));
    await make(mortal.url, "DeliveryRecord", "d-1");
    await open({ ...x, url: mortal.url }, "#/board");
    await card(x, "pending", "d-1").waitFor();
    await x.page.getByText("live", { exact: true }).waitFor();
    await x.page.evaluate(() => (window.same = true));
    await make(mortal.url, "DeliveryRecord", "d-2");
    await card(x, "pending", "d-2").waitFor();
    await mortal.kill();
    await x.page.getByText(/The server does not answer since \d\d:\d\d:\d\d\. Trying again/).waitFor();
    await card(x, "pending", "d-2").waitFor(); // what was known stays
    await mortal.start();
    await make(mortal.url, "DeliveryRecord", "d-3");
    await x.page.getByText("The server does not answer").waitFor({ state: "hidden" });
    await card(x, "pending", "d-3").waitFor();
    await x.page.getByText("live", { exact: true }).waitFor();
    await make(mortal.url, "DeliveryRecord", "d-4");
    await card(x, "pending", "d-4").waitFor();
    assert.equal(await x.page.evaluate(() => window.same), true);
    assert.equal(heads.at(-1), "2"); // it went on behind d-2: the third record
    await mortal.kill();
  } },
];
