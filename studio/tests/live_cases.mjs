/* What operators and auditors do with the views of a server, and what must then be seen. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BOTH, go, node, open, seen, status, write } from "./cases.mjs";
import { axe } from "./graph_cases.mjs";
import { focused, tabTo } from "./scen_cases.mjs";
import { savedSvg } from "./svg_cases.mjs";
import { ESCROW, FACTS, folder, guardedServer, loginServer, post, Server, STRICTER } from "./live_servers.mjs";

const card = (x, state, id) => x.page.getByRole("region", { name: state, exact: true }).getByRole("button", { name: id });
const make = (url, entity, id, token) => post(url, `/v1/contracts/escrow/instances/${entity}`, { id }, token);

async function signIn(x, token) {
  await x.page.getByLabel("Token").fill(token);
  await x.page.getByRole("button", { name: "Sign in" }).click();
}

export const IN_ORDER = true;
/* The browser is told to hand its dialog over, which may take longer than the key. */
async function chosen(page) {
  const chooser = page.waitForEvent("filechooser");
  let came = false;
  void chooser.then(() => (came = true), () => 0);
  while (!came) {
    assert.match((await focused(page)).name, /^Ledger \(\.jsonl\)/);
    await page.keyboard.press("Enter");
    await Promise.race([chooser, page.waitForTimeout(1000)]);
  }
  return chooser;
}

export const CASES = [
  { name: "a board shows instances by state and moves them live", sizes: BOTH, async run(x) {
    const id = (n) => `${x.size === "phone" ? "pho" : "acc"}-${1000 + n}`, still = x.size === "phone";
    await x.page.emulateMedia({ reducedMotion: still ? "reduce" : "no-preference" });
    for (const n of [1, 2, 3, 4, 5, 6, 7]) {
      await make(x.url, "EscrowAccount", id(n));
    }
    for (const n of [5, 6]) {
      await post(x.url, "/v1/contracts/escrow/operations/release_escrow_with_compliance", { persona: "compliance_officer", bindings: { EscrowAccount: id(n) }, facts: FACTS });
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
    assert.equal(await card(x, "disputed", id(2)).evaluate((c) => getComputedStyle(c).animationName), still ? "none" : "arrive");
    await x.page.waitForFunction(() => [...document.querySelectorAll(".column")].every((c) => Number(c.querySelector(".count").textContent) === c.querySelectorAll(".card").length));
    await card(x, "disputed", id(2)).click();
    const detail = x.page.getByRole("complementary", { name: `Instance ${id(2)}` });
    await detail.getByText("flag_dispute ·").waitFor();
    assert.match(await seen(detail.getByRole("list", { name: "History" })), /created record \d+ EscrowAccount \S+ held by anyone .* operation record \d+ flag_dispute · EscrowAccount \S+ held → disputed by buyer \(anyone\)/);
    assert.ok(await node(x.page, "entity/EscrowAccount/disputed").evaluate((n) => n.classList.contains("here")));
    assert.equal(await detail.locator(".edge.walked").count(), 1);
    assert.equal(await x.page.evaluate(() => window.same), true);
    await axe(x);
    assert.match(await savedSvg(x, detail.getByRole("button", { name: "Save the picture of EscrowAccount as SVG" }), "escrow-EscrowAccount.svg"), /disputed/);
    await x.image("studio-board");
    await detail.getByRole("button", { name: "Close" }).click();
    await x.page.getByRole("searchbox").fill(id(3));
    await card(x, "held", id(1)).waitFor({ state: "hidden" });
    await card(x, "held", id(3)).waitFor();
  } },
  { name: "a board of many shows all counts and the first cards", sizes: BOTH, async run(x) {
    const many = process.env.MOTET_SOAK ? 10000 : 45;
    for (let n = 0; n < many && x.size === "desktop"; n += 50) { // the phone comes behind it
      await Promise.all(Array.from({ length: Math.min(50, many - n) }, (_, i) => make(x.url, "DeliveryRecord", `many-${String(n + i).padStart(5, "0")}`)));
    }
    await open(x, "#/board");
    const pending = x.page.getByRole("region", { name: "pending" });
    await pending.getByRole("button", { name: "many-00019" }).waitFor();
    assert.equal(await seen(pending.locator(".count")), String(many));
    assert.equal(await pending.locator(".card").count(), 20);
    await pending.getByRole("button", { name: "Show more" }).click();
    await pending.getByRole("button", { name: "many-00039" }).waitFor();
    assert.equal(await pending.locator(".card").count(), 40);
    const last = `many-${String(many - 1).padStart(5, "0")}`;
    await x.page.getByRole("searchbox").fill(last);
    await x.page.keyboard.press("Enter"); // opens one that is not among the cards
    await x.page.getByRole("complementary", { name: `Instance ${last}` }).getByText("created", { exact: true }).waitFor();
  } },
  { name: "a token with few rights sees only that", sizes: BOTH, async run(x) {
    const { url, tokens } = await guardedServer();
    x.server(url);
    x.expect(/status of 40[13]/);
    await open({ ...x, url }, "#/board");
    await x.page.getByRole("heading", { name: /Sign in to 127/ }).waitFor();
    assert.equal(await x.page.getByRole("button", { name: "Log in" }).count(), 0); // this server has no provider
    await axe(x);
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
    await axe(x);
    assert.match(await savedSvg(x, x.page.getByRole("button", { name: "Save the picture of standard_release as SVG" }), "escrow-standard_release.svg"), /step_check_threshold/);
    await post(url, `/v1/flows/${id}/resume`, { persona: "escrow_agent" }, tokens.officer);
    await x.page.getByText("Ended: success").waitFor();
    assert.match(await step("/end/success").getAttribute("aria-label"), /here now/);
    assert.match(await seen(x.page.locator(".steps-taken tbody")), /step_compliance_release release_escrow_with_compliance compliance_officer released/);
    assert.match(await seen(x.page.getByRole("list", { name: "Records of this execution" })), /flow ended record \d+ standard_release · success by escrow_agent \(officer\)/);
  } },
  { name: "a row of the flows keeps the focus when it moves", async run(x) {
    const { url, tokens } = await guardedServer();
    x.server(url);
    x.expect(/status of 401/);
    const begun = [];
    for (const which of ["first", "second"]) {
      const bindings = { EscrowAccount: `acc-${which}`, DeliveryRecord: `del-${which}` };
      await Promise.all(Object.entries(bindings).map(([entity, id]) => make(url, entity, id, tokens.ops)));
      begun.push((await post(url, "/v1/contracts/escrow/flows/standard_release", { persona: "seller", bindings, facts: FACTS }, tokens.seller)).id);
    }
    await open({ ...x, url }, "#/flows");
    await signIn(x, tokens.ops);
    await x.page.getByLabel("Which").selectOption("all");
    for (const id of begun) { // each is the second when it begins, and the first when it has ended
      const rows = x.page.locator(".flows .rows button");
      await x.page.waitForFunction(() => document.querySelectorAll(".flows .rows .badge.REQUIRES_ANALYSIS").length > 0);
      await rows.nth(1).focus();
      await rows.nth(1).evaluate((row) => (window.stood = row));
      await post(url, `/v1/flows/${id}/resume`, { persona: "escrow_agent" }, tokens.officer);
      await x.page.waitForFunction(() => document.querySelector(".flows .rows button") === window.stood);
      assert.ok(await x.page.evaluate(() => document.activeElement === window.stood));
    }
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
    ["", "-wal", "-shm"].forEach((end) => rmSync(join(mortal.dir, `serve.db${end}`), { force: true }));
    await x.page.getByText("The server does not answer").waitFor();
    await mortal.start(); // with another ledger, whose records begin anew
    await make(mortal.url, "DeliveryRecord", "e-1");
    await card(x, "pending", "e-1").waitFor();
    await card(x, "pending", "d-1").waitFor({ state: "hidden" });
    await x.page.getByText("live", { exact: true }).waitFor();
    await make(mortal.url, "DeliveryRecord", "e-2");
    await card(x, "pending", "e-2").waitFor();
    await mortal.kill();
  } },
  { name: "the ledger is a time line with reasons and receipts", sizes: BOTH, async run(x) {
    const { url, tokens, key } = await guardedServer();
    x.server(url);
    x.expect(/status of 40[13]/);
    const id = `led-${x.size}`, act = (operation, persona, token) => post(url, `/v1/contracts/escrow/operations/${operation}`, { persona, bindings: { EscrowAccount: id }, facts: FACTS }, token);
    await make(url, "EscrowAccount", id, tokens.ops);
    await post(url, "/v1/contracts/escrow/operations/refund_escrow", { persona: "escrow_agent", bindings: { EscrowAccount: id }, facts: FACTS }, tokens.officer).catch(() => 0); // refused: on record
    await open({ ...x, url }, "#/ledger");
    await signIn(x, tokens.ops);
    const rows = x.page.getByRole("region", { name: "Records" });
    await rows.getByRole("button", { name: /refused.*refund_escrow/ }).first().waitFor();
    await x.page.getByText("live", { exact: true }).waitFor();
    const first = await seen(rows.locator(".timeline li").first());
    await act("flag_dispute", "seller", tokens.seller);
    await rows.getByRole("button", { name: "2 new records: show" }).waitFor(); // what was done, and what the candidate says of it
    assert.equal(await seen(rows.locator(".timeline li").first()), first); // nothing shifts
    await rows.getByRole("button", { name: "2 new records: show" }).click();
    await rows.getByLabel("Instance, as Entity/id").fill(`EscrowAccount/${id}`);
    await x.page.waitForFunction((id) => [...document.querySelectorAll(".timeline li")].every((l) => l.textContent.includes(id)), id);
    await rows.getByRole("searchbox", { name: "Persona" }).fill("till 7");
    await rows.getByText("1 shown, newest first of 3 loaded").waitFor();
    await rows.getByRole("button", { name: /operation.*flag_dispute/ }).first().click();
    const record = x.page.getByRole("region", { name: /^Record \d/ });
    await record.getByText("It agrees with the record.").waitFor();
    assert.match(await seen(record), /flag_dispute · EscrowAccount led-\S+ held → disputed.*who seller \(till 7\), known by token.*delivery_confirmed.*delivery_status = "confirmed" delivery_status "confirmed"/);
    assert.ok((await record.locator(".why.yes").count()) > 1);
    await record.getByRole("button", { name: "Get the receipt and check it" }).click();
    await record.getByText(/It holds/).waitFor();
    assert.match(await seen(record), new RegExp(`signed by ${key.replace(/[+]/g, "\\+")}, which the server itself names`));
    const [saved] = await Promise.all([x.page.waitForEvent("download"), record.getByRole("button", { name: "Download the receipt" }).click()]);
    assert.equal(Buffer.from(JSON.parse(readFileSync(await saved.path(), "utf8")).key, "hex").toString("base64"), key);
    await axe(x);
    await record.evaluate((r) => r.scrollTo(0, 0));
    await x.image("studio-ledger");
    await record.getByRole("button", { name: "Close" }).click();
    await rows.getByRole("searchbox", { name: "Persona" }).fill("");
    await rows.getByLabel("Kind").selectOption("refusal");
    await rows.getByRole("button", { name: /refund_escrow/ }).first().click();
    await record.locator(".why.no code", { hasText: "verdict_present(refund_approved)" }).waitFor();
    const other = await (await fetch(`${url}/v1/ledger/1/receipt`, { headers: { Authorization: `Bearer ${tokens.ops}` } })).text();
    await x.page.route("**/receipt", (route) => route.fulfill({ body: other, contentType: "application/json" })); // a good one, of something else
    await record.getByRole("button", { name: "Get the receipt and check it" }).click();
    await record.getByText("It does not hold: it is of another record").waitFor();
    await x.page.getByRole("button", { name: "Verify this ledger" }).click();
    await x.page.getByText(/records are consistent, \d+ of them signed/).waitFor();
    await go(x.page, "Ledger");
    await x.page.getByRole("button", { name: "Sign out" }).click();
    await signIn(x, tokens.reader);
    await x.page.getByText("You may not see this: it needs the right ledger:read.").waitFor();
    assert.equal(await rows.locator(".timeline button").count(), 0);
  } },
  { name: "hostile instances, callers and facts of a server appear as text", sizes: BOTH, async run(x) {
    const dir = folder(), bad = "<img src=x onerror=window.hacked=1>", long = "n".repeat(1 << 20);
    writeFileSync(join(dir, "odd.tenor"), `persona p\nfact note { type: Text(max_length: 2000000) source: "a.b" }\nrule r { stratum: 0 when: note != "" produce: verdict v { payload: Bool = true } }
entity E { states: [a, b] initial: a transitions: [(a, b)] }\noperation go { allowed_personas: [p] precondition: verdict_present(v) effects: [(E, a, b)] outcomes: [gone] error_contract: [precondition_failed] }\n`);
    const odd = new Server(dir, ["odd.tenor", "--max-body", "4194304"]);
    const token = odd.token("--name", `${bad}\u202Eevil`, "--right", "admin", "--right", "instances:create", "--right", "facts:*", "--persona", "p");
    await odd.start();
    x.server(odd.url);
    x.expect(/status of 401/);
    await post(odd.url, "/v1/contracts/odd/instances/E", { id: `${bad}\u202Eevil` }, token);
    await post(odd.url, "/v1/contracts/odd/operations/go", { persona: "p", bindings: { E: `${bad}\u202Eevil` }, facts: { note: `<script>window.hacked=1</script>${long}` } }, token);
    await open({ ...x, url: odd.url }, "#/board");
    await signIn(x, token);
    await card(x, "b", "onerror").click();
    await x.page.getByRole("complementary").getByText(/go ·/).waitFor();
    await x.page.getByRole("link", { name: /record/ }).last().click();
    await x.page.getByText("It agrees with the record.").waitFor();
    const text = await seen(x.page.locator("main"));
    assert.match(text, /<img src=x onerror=window\.hacked=1>\ufffdevil/);
    assert.match(text, /<script>window\.hacked=1<\/script>n+… copy all 1048608 characters/);
    assert.ok(text.length < 30000, `${text.length} characters are shown`);
    await x.page.locator("td").getByRole("button", { name: /copy all/ }).click();
    await x.page.getByText("Copied, 1048608 characters.").waitFor();
    assert.equal((await x.page.evaluate(() => navigator.clipboard.readText())).length, 1048608);
    assert.equal(await x.page.evaluate(() => document.querySelectorAll("main img, main script").length + (window.hacked ?? 0)), 0);
  } },
  { name: "a version about to be deployed is asked about, and nothing is deployed", sizes: BOTH, async run(x) {
    const { url, tokens } = await guardedServer();
    x.server(url);
    x.expect(/status of (40[139]|422)/);
    const bindings = { EscrowAccount: `dep-${x.size}`, DeliveryRecord: `dep-${x.size}` };
    await Promise.all(Object.entries(bindings).map(([entity, id]) => make(url, entity, id, tokens.ops)));
    await make(url, "EscrowAccount", `past-${x.size}`, tokens.ops);
    await post(url, "/v1/contracts/escrow/operations/flag_dispute", { persona: "seller", bindings: { EscrowAccount: `past-${x.size}` }, facts: FACTS }, tokens.seller);
    await post(url, "/v1/contracts/escrow/flows/standard_release", { persona: "seller", bindings, facts: FACTS }, tokens.seller);
    await open({ ...x, url }, "#/deploy");
    await signIn(x, tokens.ops);
    await x.page.getByText("The server has exactly this version.").waitFor();
    await go(x.page, "Source");
    await write(x.page, STRICTER);
    await status(x.page, "holds");
    await go(x.page, "Deploy");
    const changes = x.page.getByRole("region", { name: "Changes" }), plan = x.page.getByRole("region", { name: "What would happen" });
    await changes.getByText("1 change").waitFor();
    assert.match(await seen(changes), /Operation flag_dispute breaking.*change every step that acts as the persona/);
    const posted = [];
    x.page.on("request", (r) => r.method() !== "GET" && posted.push(r.postData()));
    await plan.getByRole("button", { name: "Ask the server" }).click();
    await plan.getByText("It would be refused").waitFor();
    assert.match(await seen(plan), /declare a `policy` for flows in flight/);
    await plan.getByLabel("Policy").selectOption("force_migrate");
    await plan.getByRole("button", { name: "Ask the server" }).click();
    await plan.getByText(/go on under the new one/).waitFor();
    assert.match(await seen(plan), /It would be taken.*standard_release migrated/);
    await plan.getByRole("button", { name: "Decide the latest again" }).click();
    await plan.getByText(/operations? would have come out otherwise/).waitFor();
    assert.match(await seen(plan), /flag_dispute by seller disputed refused/);
    await plan.getByRole("list", { name: "Where the candidate disagrees" }).getByText("flag_dispute").first().waitFor();
    await axe(x);
    await x.image("studio-deploy");
    await plan.getByLabel("Promises").fill("nobody can both flag_dispute and refund_escrow\nnonsense");
    await plan.getByRole("button", { name: "Ask the server" }).click();
    await plan.getByText(/nonsense.*not understood/).first().waitFor();
    assert.ok(posted.length === 3 && posted.every((p) => /"dry_run":true/.test(p)));
    const versions = await (await fetch(`${url}/v1/contracts/escrow/versions`, { headers: { Authorization: `Bearer ${tokens.ops}` } })).json();
    assert.equal(versions.items.length, 1); // read only
    await x.page.getByRole("button", { name: "Sign out" }).click();
    await signIn(x, tokens.reader);
    await plan.getByRole("button", { name: "Ask the server" }).click();
    await plan.getByText("You may not see this: it needs the right deploy.").waitFor();
  } },
  { name: "the focus comes back to a card that moved meanwhile, and an address that is not whole stops no view", async run(x) {
    const id = "focus-1", { page } = x;
    await make(x.url, "DeliveryRecord", id);
    await open(x, "#/ledger/%E0%A4%A");
    await page.locator(".timeline li").first().waitFor();
    await go(page, "Board");
    await card(x, "pending", id).press("Enter");
    await page.getByRole("complementary").getByRole("button", { name: "Close" }).focus();
    await post(x.url, "/v1/contracts/escrow/operations/confirm_delivery", { persona: "seller", bindings: { DeliveryRecord: id }, facts: FACTS });
    await card(x, "confirmed", id).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").waitFor({ state: "hidden" });
    await page.waitForFunction((name) => document.activeElement.textContent.startsWith(name), id);
  } },
  { name: "what somebody was told stays for those without a stream, and not for who comes next", async run(x) {
    const server = await guardedServer(), { url, tokens } = server, { page } = x, deployer = server.token("--name", "deployer", "--right", "escrow/read", "--right", "deploy");
    x.server(url);
    x.expect(/status of (40[139]|422)/);
    await open({ ...x, url }, "#/deploy");
    await signIn(x, deployer);
    await page.getByText("every 10 s").waitFor();
    await page.getByRole("button", { name: "Ask the server" }).click();
    await page.locator(".deploy .came").nth(1).waitFor();
    const answer = await seen(page.locator(".deploy .came").nth(1));
    await page.waitForResponse((r) => r.url().endsWith("/v1/contracts") && r.request().method() === "GET"); // asked anew
    await page.waitForTimeout(300);
    assert.equal(await seen(page.locator(".deploy .came").nth(1)), answer);
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(x, tokens.ops);
    await page.getByRole("button", { name: "Decide the latest again" }).click();
    await page.getByText(/would have come out otherwise/).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(x, tokens.reader);
    await page.getByText("What it would have decided").waitFor();
    assert.equal(await page.getByText(/would have come out otherwise/).count(), 0);
  } },
  { name: "nothing moves in any view while it comes", sizes: BOTH, async run(x) {
    const { page } = x, id = `mov-${x.size}`, bindings = { EscrowAccount: id, DeliveryRecord: id };
    await Promise.all(Object.entries(bindings).map(([entity, name]) => make(x.url, entity, name)));
    await post(x.url, "/v1/contracts/escrow/flows/standard_release", { persona: "seller", bindings, facts: FACTS });
    const press = (locator) => locator.first().evaluate((b) => b.click()); // by script: browsers forgive what follows a hand's
    const still = async (where, ...ready) => {
      for (const one of ready) {
        await one.first().waitFor();
      }
      const moved = (await x.moves()).filter((m) => !m.pressed), sum = moved.reduce((all, m) => all + m.value, 0);
      assert.ok(sum < 0.005, `${where}: ${sum.toFixed(4)} moved: ${moved.map((m) => m.what).join(" | ")}`);
    };
    const show = async (view, ...ready) => {
      await page.evaluate((v) => (location.hash = `#/${v}`), view);
      await still(view, ...ready);
    };
    const words = (text) => page.getByText(text), named = (role, name) => page.getByRole(role, { name });
    await open(x);
    await still("source", node(page, "entity/EscrowAccount/held"), words("No faults."));
    await show("pictures", page.locator(".pictures figure svg"));
    await show("facts", page.locator(".person .said"));
    await show("simulate", page.locator(".machines .here"));
    await show("scenarios", words("14 of 14 passed"), page.locator(".scenarios figure svg"));
    await show("ask", named("list", "Who"));
    await show("versions", words("Two versions"));
    await press(named("button", "Keep this as the old version"));
    await still("versions, one kept", words("Nothing has changed yet."));
    await show("graphs", words("See what a graph did"));
    await press(named("button", /^crossover/));
    await still("graphs, one opened", words("events replayed, all the same"), page.locator(".chart canvas"));
    await show("agents", words("See what agents say"));
    await press(named("button", /^bargain/));
    await still("agents, some opened", words("talking here"), page.locator(".automaton svg"));
    const live = page.getByText("live", { exact: true });
    await show("board", page.locator(".card"), live);
    await show("flows", words("No flow is under way").or(page.locator(".rows b")), live);
    await show("deploy", words("exactly this version"), words("A server started with"));
    await show("ledger", page.locator(".timeline li button"), live);
    await page.evaluate(() => (location.hash = "#/flows"));
    await named("combobox", "Which").selectOption("all");
    await page.locator(".rows button").first().waitFor();
    await x.moves();
    await press(page.locator(".rows button"));
    await still("flows, one opened", page.locator(".flow-detail svg"), named("list", "Records of this execution"));
    await show("verify", words("Verify a ledger"));
    await page.getByLabel("Ledger (.jsonl)").setInputFiles([{ name: "e.jsonl", mimeType: "text/plain", buffer: readFileSync(new URL("../../examples/ledger/escrow.ledger.jsonl", import.meta.url)) }]);
    await still("verify, one given", words("9 records are consistent"), page.locator(".records tbody tr"));
  } },
  { name: "the operator's and the auditor's tour by keyboard alone", async run(x) {
    const { url, tokens, key: signer } = await guardedServer(), { page } = x;
    const key = async (k) => {
      await page.keyboard.press(k);
      if (/^Alt\+/.test(k)) { // the view is there, and Tab goes on inside it
        await page.waitForFunction(() => document.activeElement?.id === "main");
      }
    };
    const enter = async (name, way) => {
      await tabTo(page, name, way);
      await key("Enter");
    };
    const at = async (name) => { // it comes back when what was open has gone
      for (const end = Date.now() + 10000; Date.now() < end && !name.test((await focused(page)).name);) {
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
      assert.match((await focused(page)).name, name);
    };
    const type = async (name, text) => {
      await tabTo(page, name);
      await page.keyboard.type(text);
    };
    x.server(url);
    x.expect(/status of (401|409|422)/);
    const bindings = { EscrowAccount: "key-1", DeliveryRecord: "key-1" };
    await Promise.all(Object.entries(bindings).map(([entity, id]) => make(url, entity, id, tokens.ops)));
    await post(url, "/v1/contracts/escrow/flows/standard_release", { persona: "seller", bindings, facts: FACTS }, tokens.seller);
    await open({ ...x, url });
    // In, and to one instance: what was done to it, where it is, the way back.
    await key("Alt+Shift+1");
    await page.getByLabel("Token").waitFor();
    await type(/^Token$/, tokens.ops);
    await key("Enter");
    await page.getByRole("region", { name: "pending" }).waitFor();
    await key("Alt+Shift+1");
    await tabTo(page, /^Entity/);
    await key("ArrowDown");
    await page.getByRole("region", { name: "held", exact: true }).waitFor();
    await type(/^Filter by id/, "key-1");
    await enter(/^key-1/);
    const detail = page.getByRole("complementary", { name: "Instance key-1" });
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Instance key-1");
    await detail.getByRole("list", { name: "History" }).waitFor();
    await tabTo(page, /^state held/);
    await key("ArrowRight");
    assert.ok((await focused(page)).seen);
    await enter(/^Close$/, "Shift+Tab");
    await detail.waitFor({ state: "hidden" });
    await at(/^key-1/);
    // A flow: its picture, its records, and from a record to the ledger.
    await key("Alt+Shift+2");
    await page.locator(".rows button").first().waitFor();
    await tabTo(page, /^Which/);
    await key("ArrowDown");
    await enter(/^standard_release/);
    await page.getByRole("list", { name: "Records of this execution" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.classList.contains("flow-detail"));
    await tabTo(page, /^Save the picture of standard_release/);
    await tabTo(page, /^operation step_confirm/);
    await key("ArrowRight");
    await at(/step_check_threshold/);
    await enter(/^record \d+/);
    const record = page.getByRole("region", { name: /^Record \d/ });
    await record.getByRole("button", { name: "Get the receipt and check it" }).waitFor();
    // The ledger: filtered, a record with its reasons and its receipt, all of it verified.
    await key("Alt+Shift+4");
    await tabTo(page, /^Kind$/);
    await page.keyboard.type("operation");
    await page.waitForFunction(() => document.querySelector(".timeline li") && [...document.querySelectorAll(".timeline b")].every((b) => b.textContent === "operation"));
    for (const name of [/^Contract$/, /^Persona, operation/, /^Instance, as Entity/, /^From, UTC$/, /^To, UTC$/]) {
      await tabTo(page, name);
    }
    await enter(/operation.*confirm_delivery/);
    await page.waitForFunction(() => /^Record \d/.test(document.activeElement?.getAttribute("aria-label") ?? ""));
    await record.getByText("It agrees with the record.").waitFor();
    await enter(/^confirm_delivery$/); // its reasons
    await enter(/^Get the receipt and check it$/);
    await record.getByText(/It holds/).waitFor();
    await tabTo(page, /^Download the receipt$/, "Shift+Tab");
    await enter(/^As it stands in the ledger$/);
    await record.locator("details[open]").waitFor();
    await enter(/^Close$/, "Shift+Tab");
    await at(/operation.*confirm_delivery/);
    await enter(/^Verify this ledger$/, "Shift+Tab");
    await page.getByText(/records are consistent, \d+ of them signed by a key that the ledger itself names/).waitFor();
    // Verified with a key, and with a file that is chosen.
    await key("Alt+Shift+5");
    await type(/^Keys that you trust/, signer);
    await page.getByText(/signed by a key that you trust/).waitFor();
    await enter(/^What else must hold$/);
    await tabTo(page, /^It must be signed$/);
    await key("Space");
    await enter(/^Close$/);
    await page.getByText("What it says appears here.").waitFor();
    await key("Alt+Shift+5");
    await tabTo(page, /^Ledger \(\.jsonl\)/);
    const chooser = await chosen(page);
    await chooser.setFiles([{ name: "e.jsonl", mimeType: "text/plain", buffer: readFileSync(new URL("../../examples/ledger/escrow.ledger.jsonl", import.meta.url)) }]);
    await page.getByText("a key that no trusted key vouches for").first().waitFor(); // the key is still there
    // What would be deployed.
    await key("Alt+Shift+3");
    await page.getByText("The server has exactly this version.").waitFor();
    await tabTo(page, /^Policy/);
    await key("ArrowDown");
    await type(/^Promises/, "nobody can both flag_dispute and refund_escrow");
    await enter(/^Ask the server$/);
    await page.getByText("The server has it already").or(page.getByText("It would be")).first().waitFor();
    await enter(/^Decide the latest again$/);
    await page.getByText(/would have come out otherwise/).waitFor();
    await enter(/^Sign out$/, "Shift+Tab");
    await page.getByRole("heading", { name: /Sign in to 127/ }).waitFor();
  } },
  { name: "somebody logs in by the identity provider and sees the board", sizes: BOTH, async run(x) {
    const server = await loginServer();
    x.server(server.url);
    x.provider(server.provider);
    x.expect(/status of 401|fonts\.googleapis|favicon/); // the provider's page has fonts of its own
    await open({ ...x, url: server.url }, "#/board");
    await x.page.getByRole("button", { name: "Log in with your identity provider" }).click();
    await x.page.locator("input[name=login]").fill("ada");
    await x.page.locator("input[name=password]").fill("x");
    await x.page.locator("button[type=submit]").click();
    await x.page.locator("button[type=submit]", { hasText: "Continue" }).click();
    await x.page.waitForURL(`${server.url}/studio/#/board`);
    await x.page.getByText("ada by a login").waitFor();
    await x.page.getByRole("region", { name: "pending" }).waitFor();
    await x.page.getByText("live", { exact: true }).waitFor();
    await x.page.getByRole("button", { name: "Sign out" }).click();
    await x.page.getByRole("heading", { name: /Sign in to 127/ }).waitFor();
    await server.kill();
  } },
];
