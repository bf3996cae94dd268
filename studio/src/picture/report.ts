/* The contract as one HTML file for somebody who has no Studio: pictures, who may do what, facts and verdicts, source.
 * Nothing in it runs and nothing is fetched; every text is escaped. */
import { mount, unmount } from "svelte";
import { all } from "../engine/bundle";
import type { Good } from "../engine/messages";
import { partial } from "../facts/answers";
import { isFields, parse } from "../facts/json";
import { fromLiteral, say } from "../facts/words";
import { workspace } from "../state/workspace.svelte";
import { type Description, part, parts } from "./description";
import { visible, type Way } from "./layout";
import Picture from "./Picture.svelte";
import { svgText } from "./svg";

const STYLE = "html{color-scheme:light;background:#fff}body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#1d2129}h1{font-size:1.6rem}h2{margin-top:2.2rem;font-size:1.15rem;border-bottom:1px solid #dcdfe4}" +
  "h3{font-size:1rem}svg{max-width:100%;height:auto}table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid #e9ebee;vertical-align:top}" +
  "pre{font:12.5px/1.5 ui-monospace,monospace;background:#f5f5f3;padding:1rem;border-radius:8px;overflow-x:auto}.dim{color:#4b5360}.yes{color:#17693a}.no{color:#a82121}";

const escape = (text: string): string => visible(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
/** A source keeps its lines and tabs. */
const pre = (text: string): string => `<pre>${text.replace(/\r\n/g, "\n").replace(/[^\n\t]+/g, escape)}</pre>`;
const table = (head: string[], rows: string[][]): string =>
  `<table><thead><tr>${head.map((h) => `<th>${escape(h)}</th>`).join("")}</tr></thead><tbody>${rows.map((r) => `<tr>${r.map((c) => `<td>${c}</td>`).join("")}</tr>`).join("")}</tbody></table>`;

/** Drawn where nobody sees it, in light colours: it is read on paper, too. */
function drawing(picture: Description, way: Way, label: string): string {
  const place = document.createElement("div");
  place.className = "panel unseen";
  document.body.append(place);
  const drawn = mount(Picture, { target: place, props: { picture, way, label } });
  try {
    return svgText(place.querySelector("svg")!, label).replace(/^<\?xml[^>]*>\s*/, "");
  } finally {
    void unmount(drawn);
    place.remove();
  }
}

function pictures(whole: Description): string {
  const WAYS: Record<string, Way> = { entity: "graph", flow: "lanes", rules: "columns" };
  const TITLES: Record<string, string> = { entity: "States", flow: "Flows", rules: "Rules" };
  return Object.keys(TITLES).map((subject) => {
    const list = parts(whole).filter((p) => p.subject === subject);
    return list.length ? `<h2>${TITLES[subject]}</h2>${list.map((p) => `<h3>${escape([p.member, subject === "rules" ? "" : p.id].filter(Boolean).join(" / "))}</h3>${drawing(part(whole, p.group), WAYS[subject]!, p.id)}`).join("")}` : "";
  }).join("");
}

/** The contract itself, or each member of the System. */
const each = (good: Good): (Good & { id?: string; root?: string })[] => (good.members.length ? good.members : [good]);
const under = (of: { id?: string }): string => (of.id === undefined ? "" : `<h3>${escape(of.id)}</h3>`);

function authority(good: Good): string {
  const told = each(good).filter((of) => all(of.bundle, "Operation").length).map((of) => under(of) + table(["operation", "by", "moves", "when"], all(of.bundle, "Operation").map((o) => [escape(o.id), escape(o.allowed_personas.join(", ")),
    o.effects.map((e) => escape(`${e.entity_id}: ${e.from} → ${e.to}`)).join("<br>"), escape(/^when (.*)$/m.exec(of.picture.nodes.find((n) => n.name === `operation/${o.id}`)?.tooltip ?? "")?.[1] ?? "")])));
  return told.length ? `<h2>Who may do what</h2>${told.join("")}` : "";
}

async function facts(good: Good): Promise<string> {
  const told = await Promise.all(each(good).filter((of) => all(of.bundle, "Fact").length).map(async (of) => {
    try {
      const read = parse(workspace.facts || "{}"), values = isFields(read) ? read : {};
      const said = await partial({ facts: workspace.facts || "{}", states: {}, root: of.root ?? "" });
      return under(of) + table(["fact", "value"], all(of.bundle, "Fact").map((f) => [escape(f.id), escape(Object.hasOwn(values, f.id) ? say(values[f.id]) : f.default === undefined ? "not given" : `default ${say(fromLiteral(f.default))}`)])) +
        `<${of.id === undefined ? "h2" : "h4"}>Verdicts on these facts</${of.id === undefined ? "h2" : "h4"}>${table(["verdict", "", "rule"], said.verdicts.map((v) => [escape(v.type), `<span class="${v.state === "present" ? "yes" : v.state === "absent" ? "no" : "dim"}">${v.state === "depends" ? "not known" : v.state}</span>`, escape(v.rule)]))}`;
    } catch {
      return `${under(of)}<p class="dim">They have faults and are left out.</p>`;
    }
  }));
  return told.length ? `<h2>Facts</h2>${told.join("")}` : "";
}

export async function report(): Promise<string> {
  const good = workspace.good!;
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(workspace.name)}</title><style>${STYLE}</style></head><body>\n<h1>${escape(workspace.name)}</h1>` +
    `<p class="dim">Version <code>${escape(good.etag)}</code>${workspace.errors ? "; the text below has faults, the pictures are of when it last held" : ""}.</p>` +
    `${good.system ? `<h2>System</h2>${drawing(good.system, "graph", "System")}` : ""}${pictures(good.picture)}${authority(good)}${await facts(good)}` +
    `<h2>Source</h2>${workspace.files.map(([path, text]) => `<h3>${escape(path)}</h3>${pre(text)}`).join("")}\n</body></html>\n`;
}
