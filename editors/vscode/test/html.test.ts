/** Whatever a name, a value or a message says, the panels show it as text. */
import assert from "node:assert/strict";
import test from "node:test";
import * as cheerio from "cheerio";
import { applyChange, fitDrafts } from "../src/pure/draft";
import { factsBody, formHtml, verdictsHtml } from "../src/pure/factsView";
import { escapeText, h, page } from "../src/pure/html";
import type { Html } from "../src/pure/html";
import { pictureBody, pictureHtml, readPicture } from "../src/pure/picture";
import { answerDocument } from "../src/pure/questions";
import type { Bundle, Type } from "../src/pure/types";
import type { Evaluation } from "../src/pure/verdicts";

const HOSTILE = [
  "<script>parent.postMessage({go:'x'},'*')</script>",
  "\"><img src=x onerror=alert(1)>",
  "' onfocus='alert(1)' autofocus='",
  "</title></svg></style><script>alert(1)</script>",
  "--><iframe srcdoc=\"<script>alert(1)</script>\">",
  "&lt;b&gt; &amp; &#60;i&#62;",
  "javascript:alert(1)",
  "]]><![CDATA[<script>",
  "\u202egnp.exe \u2066 \u0000 \u001b[31m",
  "<svg/onload=alert(1)>",
  "${7*7} {{7*7}} <%= 7*7 %>",
];
const NONCE = "0123456789abcdef";

/** The elements with the names of their attributes, in order: what the page is made of. */
function shape(html: string): readonly string[] {
  const $ = cheerio.load(html, null, html.startsWith("<!DOCTYPE"));
  return $("*").toArray().map((e) => `${"name" in e ? e.name : ""}[${"attribs" in e ? Object.keys(e.attribs).sort().join(",") : ""}]`);
}

function texts(html: string): string {
  return cheerio.load(html).text();
}

function bundle(name: string): Bundle {
  const type: Type = { base: "Record", fields: [{ name, type: { base: "Enum", values: [name, "other"] } },
    { name: "list", type: { base: "List", max: 3, element: { base: "Text", maxLength: 9 } } },
    { name: "u", type: { base: "TaggedUnion", variants: [{ name, type: { base: "Money", currency: name } }] } }] };
  return { id: name, facts: [{ name, type, source: name, fallback: name }, { name: "odd", type: { base: "unknown", name }, source: name }],
    personas: [name], operations: [name], flows: [name], verdicts: [name], entities: [{ name, states: [name] }] };
}

function factsPage(text: string): string {
  const b = bundle(text);
  let drafts = fitDrafts(b.facts, new Map());
  drafts = applyChange(b.facts, drafts, { do: "add", path: [text, "list"] });
  drafts = applyChange(b.facts, drafts, { do: "set", path: [text, "list", 0], text });
  drafts = applyChange(b.facts, drafts, { do: "set", path: [text, "u"], text });
  drafts = applyChange(b.facts, drafts, { do: "set", path: [text, "u", "payload"], text });
  const evaluation: Evaluation = { kind: "verdicts", unknown: [text], verdicts: [{ name: text, rule: text, state: "present", payload: text },
    { name: text, rule: text, state: "depends", condition: text }], operations: [{ name: text, state: "refused", condition: text }] };
  const faults: Evaluation = { kind: "faults", faults: [{ path: text, message: text }] };
  return whole(text, factsBody(text, formHtml(b, drafts), verdictsHtml(evaluation, [text]))) + verdictsHtml(faults, []).text + verdictsHtml(text, []).text;
}

function picturePage(text: string): string {
  const node = (name: string, role: string): object => ({ name, label: text, tooltip: text, role, persona: text, group: `${text}/g`, faded: false });
  const picture = readPicture(JSON.stringify({ title: text, groups: [{ name: `${text}/g`, label: text, parent: null }],
    nodes: [node(`${text}/1`, "state"), node(`${text}/2`, text), node("3", "choice")], personas: [{ name: text }],
    edges: [{ from: `${text}/1`, to: "3", label: text, tooltip: text, line: text }] }));
  assert.ok(picture);
  return whole(text, pictureBody(text, pictureHtml(picture), text));
}

function whole(title: string, body: Html): string {
  return page({ title, body, nonce: NONCE, source: "https://cdn.test", script: "https://cdn.test/s.js", style: "https://cdn.test/s.css" });
}

for (const [name, make] of [["facts", factsPage], ["picture", picturePage]] as const) {
  test(`hostile text in the panel of ${name} makes no element and no attribute`, () => {
    // A picture breaks long lines, so what it is compared with is as long.
    for (const text of HOSTILE) {
      const plain = text.replace(/[^\s]/gu, "x");
      assert.deepEqual(shape(make(text)), shape(make(plain)), text);
      const scripts = cheerio.load(make(text))("script").toArray();
      assert.equal(scripts.length, 1, text);
    }
  });
}

test("hostile text is there to be read", () => {
  for (const text of HOSTILE.slice(0, 5)) {
    assert.ok(texts(factsPage(text)).includes(text), text);
    assert.ok(texts(picturePage(text)).includes(text), text); // in a title, whole
  }
});

test("what cannot be seen is shown as such", () => {
  assert.equal(escapeText("a\u202eb\u0000c\nd\te"), "a\ufffdb\ufffdc\nd\te");
  assert.equal(escapeText("<&>\"'"), "&lt;&amp;&gt;&quot;&#39;");
});

test("attributes that do something are refused", () => {
  for (const name of ["onclick", "onLoad", "href", "src", "style", "srcdoc", "formaction", "xlinkHref", "a b", "a=b", "\"", ""]) {
    assert.throws(() => h("p", { [name]: "x" }), /is not allowed/, name);
  }
});

test("a page loads its own script and style, and nothing else", () => {
  const $ = cheerio.load(whole("t", h("p", {}, "x")));
  const policy = $("meta[http-equiv]").attr("content") ?? "";
  assert.equal(policy, `default-src 'none'; script-src 'nonce-${NONCE}'; style-src https://cdn.test; base-uri 'none'; form-action 'none'`);
  assert.ok(!/unsafe|\*/.test(policy));
  assert.equal($("script").attr("nonce"), NONCE);
  assert.throws(() => page({ title: "", body: h("p"), nonce: "short", source: "", script: "", style: "" }));
  assert.throws(() => page({ title: "", body: h("p"), nonce: "0123456789abcde' x", source: "", script: "", style: "" }));
});

test("an answer is one block of text, whatever it says", () => {
  for (const text of [...HOSTILE, "```\n# out\n```", "````\n![x](http://x)\n````"]) {
    const lines = answerDocument(text, text, { answer: "yes", text }).split("\n");
    let fence = "";
    for (const line of lines) {
      const run = /^(`{3,})(text)?$/.exec(line);
      if (!fence && run) {
        fence = run[1] ?? "";
      } else if (fence && line === fence) {
        fence = "";
      } else {
        assert.ok(fence || ["# yes", "of", ""].includes(line), line);
      }
    }
    assert.equal(fence, "");
  }
  assert.ok(answerDocument("q", "c", { answer: "no](x) <b>", text: "" }).startsWith("# noxb\n"));
});
