/* Every picture of the page as a file of its own. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BOTH, go, HOSTILE, open, status, write } from "./cases.mjs";

const ELEMENTS = ["circle", "g", "path", "rect", "svg", "text", "title"];
const ATTRIBUTES = ["cx", "cy", "d", "fill", "fill-opacity", "font-family", "font-size", "font-weight", "height", "opacity", "r", "rx", "stroke", "stroke-dasharray", "stroke-opacity", "stroke-width",
  "text-anchor", "transform", "viewBox", "width", "x", "xmlns", "y"];

/** Saves a picture by its button. It is XML that draws and does nothing else; its texts, one behind the other. */
export async function savedSvg(x, button, file) {
  const [got] = await Promise.all([x.page.waitForEvent("download"), button.click()]);
  assert.match(got.suggestedFilename(), typeof file === "string" ? new RegExp(`^${file.replaceAll(".", "\\.")}$`) : file);
  const source = readFileSync(await got.path(), "utf8");
  const found = await x.page.evaluate((text) => {
    const page = new DOMParser().parseFromString(text, "image/svg+xml"), all = [...page.querySelectorAll("*")];
    const drawn = all.filter((e) => !["title", "g", "svg"].includes(e.tagName)).length;
    return { root: page.documentElement.tagName, drawn, elements: all.map((e) => e.tagName), attributes: all.flatMap((e) => e.getAttributeNames()), texts: all.filter((e) => /^(text|title)$/.test(e.tagName)).map((e) => e.textContent).join(" ").replace(/\s+/g, " ") };
  }, source);
  assert.equal(found.root, "svg", source.slice(0, 400)); // else it is what the parser says of a fault
  assert.deepEqual(found.elements.filter((e) => !ELEMENTS.includes(e)), []);
  assert.deepEqual(found.attributes.filter((a) => !ATTRIBUTES.includes(a)), []);
  assert.doesNotMatch(source.replace('xmlns="http://www.w3.org/2000/svg"', ""), /url\(|var\(|color\(|light-dark|https?:/);
  assert.ok(found.drawn > 4, `${file} has nothing in it`);
  return found.texts;
}
const picture = (x, name) => x.page.getByRole("button", { name: `Save the picture of ${name} as SVG`, exact: true }).first();

export const CASES = [
  { name: "every picture of a contract is saved as SVG that needs nothing else", sizes: BOTH, async run(x) {
    await open(x, "#/pictures");
    await x.page.getByRole("tab", { name: "Authority" }).click();
    const matrix = await savedSvg(x, picture(x, "authority"), "escrow-authority.svg");
    assert.match(matrix, /flag_dispute.*→ disputed/);
    assert.match(matrix, /buyer may flag_dispute, when verdict_present\(delivery_confirmed\) or/);
    await x.page.getByRole("tab", { name: "Flows" }).click();
    assert.match(await savedSvg(x, picture(x, "standard_release"), "escrow-standard_release.svg"), /compliance_officer.*step_confirm/);
    await go(x.page, "Scenarios");
    assert.match(await savedSvg(x, picture(x, "rules-coverage"), "escrow-rules-coverage.svg"), /within_threshold/);
    await go(x.page, "Simulate");
    assert.match(await savedSvg(x, picture(x, "EscrowAccount"), "escrow-EscrowAccount.svg"), /held.*released/);
    await go(x.page, "Versions");
    await x.page.getByRole("button", { name: "Keep this as the old version" }).click();
    await go(x.page, "Ask");
    await x.page.getByRole("list", { name: "Never and always" }).getByRole("button").first().waitFor();
    await x.page.getByRole("textbox", { name: "A question" }).fill("never DeliveryRecord.confirmed");
    await x.page.keyboard.press("Enter");
    await x.page.getByRole("button", { name: "Ask the server" }).or(x.page.getByRole("button", { name: "Play" })).first().click();
    await x.page.getByRole("button", { name: "Play" }).or(x.page.getByRole("button", { name: "A step on" })).first().click();
    await savedSvg(x, picture(x, "DeliveryRecord"), "escrow-DeliveryRecord.svg");
    await go(x.page, "Source");
    await x.page.getByRole("tab", { name: "escrow.tenor" }).click();
    await write(x.page, HOSTILE);
    await status(x.page, "^holds");
    await x.page.getByRole("tab", { name: "Rules" }).click();
    assert.match(await savedSvg(x, picture(x, "rules"), "escrow-rules.svg"), /<script>window\.hacked=1<\/script>.*evil/);
    await x.page.getByRole("tab", { name: "States" }).click();
    await savedSvg(x, picture(x, "E"), "escrow-E.svg");
    await write(x.page, `fact f { type: Text(max_length: 200) source: "a.b" }\nrule r { stratum: 0 when: f = "x${"😀".repeat(60)}" produce: verdict v { payload: Bool = true } }\n`);
    await status(x.page, "^holds");
    await x.page.getByRole("tab", { name: "Rules" }).click();
    await x.page.locator(".drawn", { hasText: "😀" }).waitFor();
    assert.doesNotMatch(await x.page.locator(".drawn").innerText(), /\p{Cs}|\ufffd/u); // none is cut in two
    await x.page.getByRole("tab", { name: "Authority" }).click();
    await x.page.getByText("Nobody may do anything yet").waitFor();
    assert.equal(await x.page.locator(".drawn .save").count(), 0); // there is nothing to save
    await write(x.page, HOSTILE);
    await status(x.page, "^holds");
    await go(x.page, "Versions");
    await savedSvg(x, picture(x, "E-versions"), "escrow-E-versions.svg");
    await x.page.getByRole("button", { name: "Open" }).click();
    await x.page.getByRole("button", { name: /^trade_platform/ }).click();
    await go(x.page, "Pictures");
    await x.page.getByRole("tab", { name: "System" }).click();
    assert.match(await savedSvg(x, picture(x, "System"), "trade_platform-System.svg"), /trigger on success/);
  } },
  { name: "graphs, charts, agents and what they say are saved as SVG, hostile names as text", sizes: BOTH, async run(x) {
    await open(x, "#/graphs");
    await x.page.getByRole("button", { name: /^crossover/ }).click();
    await x.page.getByText("events replayed, all the same").waitFor();
    assert.match(await savedSvg(x, picture(x, "crossover"), "crossover.svg"), /fast .*order/);
    await x.page.locator(".chart canvas").waitFor();
    const chart = x.page.getByRole("button", { name: /^Save the chart of/ });
    const output = await x.page.getByLabel("Output in the chart").inputValue();
    assert.match(await savedSvg(x, chart, `${output}.svg`), new RegExp(`^${output} .* 120 `));
    assert.equal(await x.page.locator(".chart .u-over .here").count(), 1); // and it still says where one is
    await x.page.getByRole("button", { name: "Close", exact: true }).click();
    const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    const of = (name) => readFileSync(new URL(`../../examples/crossover/${name}`, import.meta.url), "utf8"), bad = "<img src=x onerror=alert(1)>";
    await x.page.locator("#main input[type=file]").first().setInputFiles([file(`${bad}.yaml`, of("crossover.yaml")), file("adapter.yaml", of("adapter.yaml")), file("place_order.yaml", of("manifests/place_order.yaml"))]);
    assert.match(await savedSvg(x, picture(x, bad), /img src=x.*\.svg$/), /^<img src=x onerror=alert\(1\)> /);
    await go(x.page, "Agents");
    await x.page.getByRole("button", { name: /^bargain/ }).click();
    await x.page.getByText(/\d+ messages, talking here/).waitFor();
    assert.match(await savedSvg(x, picture(x, "messages"), "bargain-messages.svg"), /seller buyer.*register/);
    await savedSvg(x, picture(x, "seller"), "seller.svg");
    await x.page.getByRole("button", { name: "Close", exact: true }).click();
    const trace = readFileSync(new URL("../../examples/agents/traces/buyer.jsonl", import.meta.url), "utf8").replaceAll("buyer", "<b onclick='x'>\\u0002");
    await x.page.locator("#main input[type=file]").first().setInputFiles([file("t.jsonl", trace)]);
    await x.page.getByText("8 messages, traces").waitFor();
    assert.match(await savedSvg(x, picture(x, "messages"), "t-messages.svg"), /<b onclick='x'>/);
  } },
];
