import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as cheerio from "cheerio";
import { MOST_SHAPES, PALETTE, lines, pictureHtml, readPicture } from "../src/pure/picture";
import type { Picture } from "../src/pure/picture";
import { asObject, asText } from "../src/pure/results";
import { SOURCE, Talk } from "./engine";

const node = (name: string, more: object = {}): Picture["nodes"][number] =>
  ({ name, label: name, tooltip: "", role: "state", persona: "", group: "", faded: false, ...more });
const picture = (more: Partial<Picture>): Picture => ({ title: "t", nodes: [], edges: [], groups: [], personas: [], ...more });

test("every shape and line of a real picture is drawn, inside the picture", () => Talk.with(async (talk) => {
  const path = join(SOURCE, "examples/escrow/escrow.tenor"), text = readFileSync(path, "utf8");
  const uri = await talk.open(path, text);
  for (const word of ["entity EscrowAccount", "flow standard_release", "rule can_refund", "operation refund_escrow", ""]) {
    const line = text.slice(0, text.indexOf(word)).split("\n").length - 1;
    const answer = asObject(await talk.ask("motet/picture", { textDocument: { uri }, format: "json", ...(word ? { position: { line, character: 8 } } : {}) }));
    const found = readPicture(asText(answer["picture"]));
    assert.ok(found);
    const $ = cheerio.load(pictureHtml(found).text, { xml: true });
    assert.deepEqual($("g.node").toArray().map((n) => $(n).attr("data-go")).sort(), found.nodes.map((n) => n.name).sort());
    assert.equal($("g.edge").length, found.edges.length);
    const [, , width, height] = ($("svg").attr("viewBox") ?? "").split(" ").map(Number);
    $("g.node > rect").each((_, r) => {
      const at = (name: string): number => Number($(r).attr(name));
      assert.ok(at("x") >= 0 && at("y") >= 0 && at("x") + at("width") <= width! && at("y") + at("height") <= height!, $(r).toString());
    });
    const boxes = $("g.node").toArray().map((n) => $(n).find("rect").first()).filter((r) => r.length)
      .map((r) => ["x", "y", "width", "height"].map((name) => Number(r.attr(name))));
    boxes.forEach(([x, y, w, h], i) => boxes.slice(i + 1).forEach(([x2, y2, w2, h2]) =>
      assert.ok(x! + w! <= x2! || x2! + w2! <= x! || y! + h! <= y2! || y2! + h2! <= y!, "two shapes on one place")));
  }
}));

test("circles, loops, doubles and edges to nowhere are drawn or left out", () => {
  const edge = (from: string, to: string): Picture["edges"][number] => ({ from, to, label: "l", tooltip: "", line: "solid" });
  const html = pictureHtml(picture({ nodes: [node("a"), node("b")], edges: [edge("a", "a"), edge("a", "b"), edge("b", "a"), edge("a", "b"), edge("a", "nowhere")],
    groups: [{ name: "g", label: "empty", parent: "h" }, { name: "h", label: "h", parent: "g" }] })).text;
  assert.equal(html.match(/class="edge/g)?.length, 4);
  assert.ok(!html.includes("NaN") && !html.includes("undefined"));
});

test("a name that is a group's and a node's is two things", () => {
  const html = pictureHtml(picture({ nodes: [node("x", { group: "x" })], groups: [{ name: "x", label: "box", parent: "" }] })).text;
  assert.equal(html.match(/class="group"/g)?.length, 1);
  assert.equal(html.match(/class="node state"/g)?.length, 1);
});

test("a shape says what it is when it is pointed at; a role that is not a word is no class", () => {
  const $ = cheerio.load(pictureHtml(picture({ nodes: [node("a", { tooltip: "tip" }), node("b", { role: "x y" }), node("c", { role: "start", label: "" })] })).text, { xml: true });
  assert.deepEqual($("g.node > title").toArray().map((t) => $(t).text()), ["tip", "b", "c"]);
  assert.deepEqual($("g.node").toArray().map((n) => $(n).attr("class")), ["node state", "node other", "node start"]);
});

test("what is too large is said and not drawn; what is at the limit is drawn", () => {
  const many = (n: number): Picture => picture({ nodes: Array.from({ length: n }, (_, i) => node(`n${i}`)) });
  assert.match(pictureHtml(many(MOST_SHAPES + 1)).text, /more than can be read/);
  assert.match(pictureHtml(many(MOST_SHAPES)).text, /^<svg/);
  assert.match(pictureHtml(picture({})).text, /nothing to draw/);
});

test("every persona has a colour of the style sheet", () => {
  const css = readFileSync(join(SOURCE, "editors/vscode/media/style.css"), "utf8");
  const personas = Array.from({ length: PALETTE + 2 }, (_, i) => `p${i}`);
  const html = pictureHtml(picture({ personas, nodes: personas.map((p) => node(p, { persona: p })) })).text;
  const used = new Set(html.match(/persona\d+/g));
  assert.equal(used.size, PALETTE);
  used.forEach((name) => assert.ok(css.includes(`.${name} `), name));
});

test("long labels are broken between words, then behind underscores, then anywhere", () => {
  assert.deepEqual(lines("a\nb"), ["a", "b"]);
  assert.deepEqual(lines(`${"word ".repeat(8)}end`), ["word word word word word word", "word word end"]);
  assert.deepEqual(lines("release_escrow_with_compliance_review_x"), ["release_escrow_with_", "compliance_review_x"]);
  assert.deepEqual(lines("x".repeat(65)).map((l) => l.length), [30, 30, 5]);
  assert.equal(lines("😀".repeat(31))[0], "😀".repeat(30));
  assert.equal(lines("a\n".repeat(20)).length, 6);
});

test("what is not a picture is not taken for one", () => {
  for (const text of ["", "null", "{}", '{"nodes": 3, "edges": []}', "x"]) {
    assert.equal(readPicture(text), undefined, text);
  }
  assert.ok(readPicture('{"nodes":[null,{"name":3}],"edges":[[]]}'));
});
