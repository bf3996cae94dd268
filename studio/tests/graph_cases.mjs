/* Graphs and agents: what a person does and must see. What the page says is held against what the program prints. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BOTH, open, seen } from "./cases.mjs";
import { focused, tabTo } from "./scen_cases.mjs";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));
const MOTET = process.env.MOTET ?? fileURLToPath(new URL("../../build/motet", import.meta.url));
const slider = (page) => page.getByRole("slider");
const row = (page, name) => page.locator(".values tr", { has: page.getByRole("button", { name, exact: true }) });
const node = (page, label) => page.locator(".graph-picture .node", { hasText: new RegExp(`^\\s*${label}\\s`) });

/** Nothing serious, in both themes. */
export async function axe({ page, axe }) {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await axe(colorScheme);
  }
}

async function example(x, name) {
  await open(x, "#/graphs");
  await x.page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await x.page.getByText("events replayed, all the same").waitFor();
}

async function to(x, event) {
  await slider(x.page).fill(String(event - 1));
  await x.page.getByRole("heading", { name: `csv_evt_${event}`, exact: true }).waitFor();
}

/** The crossover example, run by the program. */
function recorded() {
  const folder = mkdtempSync(join(tmpdir(), "studio-graph-"));
  cpSync(join(EXAMPLES, "crossover"), folder, { recursive: true });
  const motet = (...words) => execFileSync(MOTET, ["graph", ...words], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
  motet("fixture", "import", "prices.csv", "--semantic-kind", "price", "--columns", "close,spread", "--out", "prices.jsonl");
  motet("run", "crossover.yaml", "--adapter", "adapter.yaml", "--egress", "egress.yaml", "--fixture", "prices.jsonl", "--capture", "c.json");
  rmSync(join(folder, "c.json.sum")); // the page has no file beside it
  const graph = ["--graph", "crossover.yaml", "--adapter", "adapter.yaml"];
  return { folder, motet, graph, files: ["crossover.yaml", "adapter.yaml", "manifests/place_order.yaml", "c.json"].map((f) => join(folder, f)), done: () => rmSync(folder, { recursive: true }) };
}
const choose = (x, files) => x.page.locator("#main input[type=file]").first().setInputFiles(files);

export const CASES = [
  { name: "graph values are painted at the event under the scrubber", sizes: BOTH, async run(x) {
    await open(x, "#/graphs");
    await x.page.getByText("See what a graph did").waitFor();
    await axe(x);
    await example(x, "crossover");
    await to(x, 35);
    await x.page.waitForFunction(() => /Attempted/.test(document.querySelector('[data-name="n19"]')?.textContent));
    assert.match(await node(x.page, "order").getAttribute("class"), /spoke/);
    assert.match(await seen(x.page.getByRole("list", { name: "What actions did" })), /place_order\(symbol: "EURUSD", side: -1, price: 1.09308\)/);
    assert.match(await seen(row(x.page, "slow.result")), /1\.0945233333333333/);
    await slider(x.page).focus();
    await x.page.keyboard.press("ArrowRight");
    await x.page.getByRole("heading", { name: "csv_evt_36" }).waitFor();
    await x.page.waitForFunction(() => /Skipped/.test(document.querySelector('[data-name="n19"]')?.textContent));
    assert.match(await node(x.page, "order").getAttribute("class"), /silent/);
    await x.page.keyboard.press("End");
    await x.page.getByRole("heading", { name: "csv_evt_120" }).waitFor();
    await x.page.keyboard.press("Home");
    await x.page.getByRole("button", { name: "Play" }).press("Enter");
    await x.page.waitForFunction(() => document.querySelector("input[type=range]").value > 2);
    await x.page.getByRole("button", { name: "Pause" }).click();
    await x.page.locator(".chart canvas").waitFor();
    await axe(x);
  } },
  { name: "what another parameter or another event would have changed", sizes: BOTH, async run(x) {
    await example(x, "crossover");
    await x.page.getByLabel("Parameter").selectOption("widest.value");
    await x.page.getByLabel("Its value").fill("0.0008");
    await x.page.getByRole("button", { name: "Try" }).click();
    await x.page.getByText("1 of 120 decisions would differ.").waitFor();
    await x.page.getByRole("list", { name: "Decisions that would differ" }).getByRole("button", { name: /csv_evt_116/ }).click();
    await x.page.getByRole("heading", { name: "csv_evt_116" }).waitFor();
    await x.page.getByText("because widest said 0.0004, now 0.0008").waitFor();
    await x.page.waitForFunction(() => document.querySelectorAll(".graph-picture .node.differs").length >= 5);
    assert.match(await node(x.page, "widest").textContent(), /0\.0004 → 0\.0008/);
    assert.match(await seen(row(x.page, "order.outcome")), /Skipped.*Attempted/);
    await x.page.getByLabel("Output in the chart").selectOption("tight.result");
    await x.page.getByText("only what differs").click();
    assert.equal(await x.page.locator(".values tbody tr:not(.differs)").count(), 0);
    await x.page.waitForTimeout(250); // the chart
    await x.image("studio-graph");
    await axe(x);
    await x.page.getByRole("button", { name: "Take back widest.value" }).click();
    await x.page.waitForFunction(() => !document.querySelector(".differs"));
    await to(x, 60);
    await x.page.getByRole("button", { name: "Change this event…" }).click();
    const box = x.page.getByLabel("What csv_evt_60 brings");
    await box.fill((await box.inputValue()).replace(/"close": [\d.]+/, '"close": 1.2'));
    await x.page.getByRole("button", { name: "Try" }).last().click();
    await x.page.getByText(/decisions would differ/).waitFor();
    assert.match(await seen(row(x.page, "close.value")), /1\.2/);
    await x.page.waitForFunction(() => [...document.querySelectorAll(".graph-picture .differs")].some((n) => /close/.test(n.textContent)));
  } },
  { name: "what is taken back before it was answered is gone", async run(x) {
    await example(x, "watch");
    await x.page.getByLabel("Parameter").selectOption({ index: 1 });
    await x.page.getByLabel("Its value").fill("1");
    await x.page.evaluate(async () => {
      document.querySelector("form.suppose").requestSubmit();
      await new Promise((done) => queueMicrotask(() => queueMicrotask(done)));
      document.querySelector(".supposed button").click();
    });
    await x.page.waitForFunction(() => !document.querySelector(".supposed"));
    await to(x, 5);
    assert.equal(await x.page.locator(".values .differs, .fault").count(), 0);
  } },
  { name: "one event of any name is supposed otherwise, and its lone value is drawn", async run(x) {
    const of = (name) => readFileSync(join(EXAMPLES, "crossover", name), "utf8"), file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    const events = [{ kind: "episode_start", id: "E1" }, { kind: "event", event: { type: "DataAvailable", id: "__proto__", semantic_kind: "price", payload: { close: 1.08492, spread: 0.0002 } } }];
    await open(x, "#/graphs");
    await choose(x, [file("crossover.yaml", of("crossover.yaml")), file("adapter.yaml", of("adapter.yaml")), file("place_order.yaml", of("manifests/place_order.yaml")), file("e.jsonl", events.map((e) => `${JSON.stringify(e)}\n`).join(""))]);
    await x.page.getByRole("heading", { name: "__proto__" }).waitFor();
    await x.page.getByLabel("Output in the chart").selectOption("close.value");
    await x.page.locator(".chart canvas").waitFor();
    const [chart] = await Promise.all([x.page.waitForEvent("download"), x.page.getByRole("button", { name: /^Save the chart of/ }).click()]);
    assert.match(readFileSync(await chart.path(), "utf8"), /d="M[\d. ]+m-2 0h4"/);
    await x.page.getByRole("button", { name: "Change this event…" }).click();
    await x.page.getByLabel("What __proto__ brings").fill('{"close": 1.2, "spread": 0.0002}');
    await x.page.getByRole("button", { name: "Try" }).last().click();
    await x.page.getByText("event __proto__ otherwise").waitFor();
    await x.page.waitForFunction(() => [...document.querySelectorAll(".graph-picture .differs")].some((n) => /close/.test(n.textContent)));
    await x.page.getByRole("button", { name: "Take back __proto__" }).click();
    await x.page.waitForFunction(() => !document.querySelector(".supposed"));
  } },
  { name: "clusters of a graph open and close by key", sizes: BOTH, async run(x) {
    await example(x, "watch");
    await node(x.page, "high").focus();
    assert.equal(await node(x.page, "above").count(), 0);
    await x.page.keyboard.press("Enter");
    await node(x.page, "above").waitFor();
    await node(x.page, "edge").focus();
    await x.page.keyboard.press("Enter");
    await node(x.page, "now_so").waitFor();
    await slider(x.page).fill("6");
    await x.page.waitForFunction(() => [...document.querySelectorAll(".graph-picture .node.spoke")].some((n) => /^\s*tell/.test(n.textContent)));
    const inside = async (name, box) => {
      const [a, b] = [await node(x.page, name).boundingBox(), await x.page.locator(`.lane:has([data-box="${box}"]) > rect`).boundingBox()];
      assert.ok(a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height, `${name} in ${box}`);
    };
    await inside("now_so", "high/edge");
    await inside("now_so", "high");
    await axe(x);
    await x.page.getByRole("button", { name: "Close high" }).focus();
    await x.page.keyboard.press("Enter");
    await node(x.page, "high").waitFor();
    assert.equal(await node(x.page, "above").count(), 0);
  } },
  { name: "a replay in the page is what the program prints", async run(x) {
    const made = recorded();
    try {
      await open(x, "#/graphs");
      await choose(x, made.files);
      await x.page.getByText("120 events replayed").waitFor();
      for (const event of [1, 35, 120]) {
        await to(x, event);
        const [file] = await Promise.all([x.page.waitForEvent("download"), x.page.getByRole("button", { name: "Trace" }).click()]);
        assert.equal(readFileSync(await file.path(), "utf8"), made.motet("replay", "c.json", ...made.graph, "--event", `csv_evt_${event}`, "--json"));
      }
    } finally {
      made.done();
    }
  } },
  { name: "a graph or capture that is broken is said with its line", sizes: BOTH, async run(x) {
    const made = recorded();
    try {
      const [text, adapter, manifest, capture] = made.files.map((f) => readFileSync(f, "utf8"));
      const given = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
      const others = [given("adapter.yaml", adapter), given("place_order.yaml", manifest)], bad = text.replace("fast.result -> above.a", "fast.nothing -> above.a");
      await open(x, "#/graphs");
      await choose(x, [...others, given("crossover.yaml", bad)]);
      const problems = await seen(x.page.getByRole("list", { name: "Problems" }));
      let printed = "";
      try {
        writeFileSync(made.files[0], bad);
        made.motet("check", "crossover.yaml", "--adapter", "adapter.yaml");
      } catch (fault) {
        printed = fault.stderr + fault.stdout;
      }
      assert.match(problems, /crossover\.yaml:\d+:\d+: D\.\d: /);
      assert.ok(printed.includes(/: (D\.\d): /.exec(problems)[1]));
      await x.page.getByRole("button", { name: "Close" }).click();
      const good = [...others, given("crossover.yaml", text)], broken = (json) => given("c.json", json);
      await choose(x, [...good, broken(capture.replace(/,/g, ",\n").slice(0, 20000) + "x")]);
      assert.match(await seen(x.page.getByRole("alert")), /line \d{2,}: byte 20001: is not JSON/);
      await x.page.locator("#main input[type=file]").first().setInputFiles([broken(capture.replace('"Bool":false', '"Bool":true'))]);
      await x.page.getByText(/It does not replay: .* at event csv_evt_\d+\. Recorded: /).waitFor();
      assert.equal(await slider(x.page).count(), 0);
      const odd = { name: "latin.yaml", mimeType: "text/plain", buffer: Buffer.from("kind: cluster\nid: caf\xe9\n", "latin1") };
      await x.page.locator("#main input[type=file]").first().setInputFiles([odd]);
      await x.page.getByRole("alert").getByText("latin.yaml is not UTF-8 text: save it as such, and open it again.").waitFor();
      await x.page.locator("#main input[type=file]").first().setInputFiles([given("hostile.yaml", 'kind: cluster\nid: "<img src=x onerror=alert(1)>"\nversion: "1.0.0"\nnodes: { "<b>x</b>": { impl: "const_bool@0.1.0", params: { value: "<script>" } } }\n')]);
      await x.page.getByText("<b>x</b>").first().waitFor();
      assert.equal(await x.page.locator("#main img, #main script, #main b:text-is('x')").count(), 0);
    } finally {
      made.done();
    }
  } },
  { name: "a long capture is gone through in any order", async run(x) {
    const count = process.env.MOTET_SOAK ? 100_000 : 4_000;
    await example(x, "watch");
    const events = Array.from({ length: count }, (_, i) => `{"kind":"event","event":{"type":"DataAvailable","id":"csv_evt_${i + 1}","semantic_kind":"reading","payload":{"reading":${(25 + 9 * Math.sin(i / 40)).toFixed(3)}}}}`).join("\n");
    await x.page.getByRole("button", { name: "Close", exact: true }).click();
    await x.page.getByRole("button", { name: /^watch/ }).waitFor();
    await x.page.evaluate((text) => {
      const drop = new DataTransfer();
      drop.items.add(new File([text], "long.jsonl"));
      window.long = drop;
    }, events);
    await x.page.getByRole("button", { name: /^watch/ }).click();
    await x.page.getByText("16 events replayed").waitFor();
    const began = Date.now();
    await x.page.evaluate(() => window.dispatchEvent(new DragEvent("drop", { dataTransfer: window.long, bubbles: true, cancelable: true })));
    await x.page.getByText(`${count} events replayed, all the same`).waitFor({ timeout: 120_000 });
    const opened = Date.now() - began;
    for (const event of [count, 1, Math.floor(count / 2), count - 7]) { // one pass each, wherever it is
      await to(x, event);
    }
    const steps = await x.page.evaluate(async (last) => {
      const range = document.querySelector("input[type=range]"), from = performance.now();
      for (let i = 1; i <= 50; i++) {
        range.value = String(Math.floor((last * i) / 50));
        range.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      return (performance.now() - from) / 50;
    }, count - 1);
    await x.page.getByRole("heading", { name: `csv_evt_${count}`, exact: true }).waitFor();
    x.keep("graph.long", { events: count, opened_ms: opened, drag_ms: Math.round(steps) });
    assert.ok(steps < 250, `${steps} ms for a place that is dragged over`);
  } },
  { name: "agents talk in the page and their tapes move", sizes: BOTH, async run(x) {
    await open(x, "#/agents");
    await x.page.getByText("See what agents say").waitFor();
    await x.page.getByRole("button", { name: /^bargain/ }).click();
    await x.page.getByText(/\d+ messages, talking here/).waitFor();
    const messages = x.page.getByRole("group", { name: "Messages; arrow keys go through them" });
    assert.match(await messages.textContent(), /seller.*buyer.*register/s);
    await messages.focus();
    await x.page.keyboard.press("End");
    await x.page.waitForFunction(() => /finished/.test(document.querySelector(".tape").textContent));
    await x.page.keyboard.press("Home");
    await x.page.keyboard.press("ArrowDown");
    await x.page.getByRole("slider").waitFor();
    assert.equal(await x.page.getByRole("slider").inputValue(), "1");
    await x.page.locator(".automaton .node.here").first().waitFor();
    await x.page.locator(".automaton .edge.walked").first().waitFor();
    await x.image("studio-agent");
    await axe(x);
  } },
  { name: "graphs and agents by keyboard alone", async run(x) {
    const { page } = x, key = (k) => page.keyboard.press(k);
    const enter = async (name, way) => {
      await tabTo(page, name, way);
      await key("Enter");
    };
    await open(x);
    await key("Alt+8");
    await page.waitForFunction(() => document.activeElement?.id === "main");
    await enter(/^watch/);
    await page.getByText("16 events replayed, all the same").waitFor();
    await key("Alt+8");
    // The picture: from node to node, a cluster opened and closed.
    for (const name of [/^Smaller$/, /^Fit$/, /^Larger$/, /^Save the picture of watch/, /^Close$/]) {
      await tabTo(page, name);
    }
    await tabTo(page, /^\w+ \w+/);
    for (let i = 0; i < 12 && !/^cluster high/.test((await focused(page)).name); i++) {
      await key("ArrowRight");
      assert.ok((await focused(page)).seen);
    }
    await key("Enter");
    await node(page, "above").waitFor();
    await key("Alt+8");
    await enter(/^Close high$/);
    await node(page, "high").waitFor();
    // Events, the chart's output, what if, values.
    await key("Alt+8");
    await tabTo(page, /^Play$/);
    await tabTo(page, /^event 1 of 16$/);
    await key("End");
    await page.getByRole("heading", { name: "csv_evt_16" }).waitFor();
    await tabTo(page, /^Output in the chart/);
    await key("ArrowDown");
    await tabTo(page, /^Save the chart of/);
    await tabTo(page, /^Trace$/);
    await tabTo(page, /^Parameter/);
    await key("ArrowDown");
    await tabTo(page, /^Its value$/);
    await key("Control+a");
    await page.keyboard.type("1");
    await key("Enter");
    await page.getByText(/decisions would/).waitFor();
    await enter(/^Take back/);
    await page.waitForFunction(() => !document.querySelector(".supposed"));
    // Agents: said, stepped through, each of them.
    await key("Alt+9");
    await page.waitForFunction(() => document.activeElement?.id === "main");
    await enter(/^bargain/);
    await page.getByText(/\d+ messages, talking here/).waitFor();
    await key("Alt+9");
    await tabTo(page, /^Save the picture of messages/);
    await tabTo(page, /^Messages; arrow keys/);
    await key("ArrowDown");
    assert.equal(await slider(page).inputValue(), "1");
    await tabTo(page, /^A message from outside/);
    await key("Enter");
    await page.getByRole("button", { name: "Begin again" }).waitFor();
    await tabTo(page, /^(seller|buyer)$/);
    const before = (await focused(page)).name;
    await key("ArrowRight");
    assert.notEqual((await focused(page)).name, before);
    await tabTo(page, /^state /);
    await tabTo(page, /^message \d+ of \d+$/);
    await enter(/^Close$/, "Shift+Tab");
    await page.getByText("See what agents say").waitFor();
  } },
  { name: "a scenario of an agent steps and its trace is the program's", sizes: BOTH, async run(x) {
    await open(x, "#/agents");
    await x.page.getByRole("button", { name: /^supply_chain/ }).click();
    await x.page.getByText("6 messages, the scenario").waitFor();
    await x.page.getByRole("slider").fill("4");
    assert.match(await seen(x.page.locator(".tape")), /tape D ship_q/);
    assert.match(await seen(x.page.getByRole("list", { name: "Routes on the tape" })), /ship_economy C--\[ship_q\]-->D MOVE, exception/);
    const [file] = await Promise.all([x.page.waitForEvent("download"), x.page.getByRole("button", { name: "Trace" }).click()]);
    assert.equal(readFileSync(await file.path(), "utf8"), readFileSync(join(EXAMPLES, "agents/traces/supply_chain.jsonl"), "utf8"));
    await x.page.getByRole("button", { name: "Close", exact: true }).click();
    const trace = (text) => choose(x, [{ name: "t.jsonl", mimeType: "text/plain", buffer: Buffer.from(text) }]);
    const good = readFileSync(join(EXAMPLES, "agents/traces/buyer.jsonl"), "utf8");
    await choose(x, [{ name: "latin.jsonl", mimeType: "text/plain", buffer: Buffer.from(good.replace("buyer", "b\xfcyer"), "latin1") }]);
    await x.page.getByRole("alert").getByText("latin.jsonl is not UTF-8 text").waitFor();
    await trace(good + "broken\n");
    await x.page.getByText(/t\.jsonl, line \d+: it is not a record of a trace/).waitFor();
    await x.page.getByRole("button", { name: "Close", exact: true }).or(x.page.getByRole("button", { name: /^bargain/ })).first().waitFor();
    await trace(good.replaceAll("buyer", "<b>buyer</b>"));
    await x.page.getByText("8 messages, traces").waitFor();
    assert.equal(await x.page.locator(".sequence b").count(), 0);
  } },
];
