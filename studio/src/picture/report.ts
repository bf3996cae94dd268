/* The contract as one HTML file for somebody who has no Studio: pictures, who may do what, facts and verdicts, source.
 * Nothing in it runs and nothing is fetched; every text is escaped. */
import { mount, unmount } from "svelte";
import { all } from "../engine/bundle";
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

async function facts(): Promise<string> {
  const known = all(workspace.good?.bundle, "Fact");
  if (!known.length) {
    return "";
  }
  try {
    const read = parse(workspace.facts || "{}"), values = isFields(read) ? read : {};
    const said = await partial({ facts: workspace.facts || "{}", states: {} });
    return `<h2>Facts</h2>${table(["fact", "value"], known.map((f) => [escape(f.id), escape(f.id in values ? say(values[f.id]) : f.default === undefined ? "not given" : `default ${say(fromLiteral(f.default))}`)]))}` +
      `<h2>Verdicts on these facts</h2>${table(["verdict", "", "rule"], said.verdicts.map((v) => [escape(v.type), `<span class="${v.state === "present" ? "yes" : v.state === "absent" ? "no" : "dim"}">${v.state === "depends" ? "not known" : v.state}</span>`, escape(v.rule)]))}`;
  } catch {
    return "<h2>Facts</h2><p class=\"dim\">They have faults and are left out.</p>";
  }
}

export async function report(): Promise<string> {
  const good = workspace.good!;
  const operations = all(good.bundle, "Operation");
  const authority = operations.length ? `<h2>Who may do what</h2>${table(["operation", "by", "moves", "when"], operations.map((o) => [escape(o.id), escape(o.allowed_personas.join(", ")),
    o.effects.map((e) => escape(`${e.entity_id}: ${e.from} → ${e.to}`)).join("<br>"), escape(/^when (.*)$/m.exec(good.picture.nodes.find((n) => n.name === `operation/${o.id}`)?.tooltip ?? "")?.[1] ?? "")]))}` : "";
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(workspace.name)}</title><style>${STYLE}</style></head><body>\n<h1>${escape(workspace.name)}</h1>` +
    `<p class="dim">Version <code>${escape(good.etag)}</code>${workspace.errors ? "; the text below has faults, the pictures are of when it last held" : ""}.</p>` +
    `${good.system ? `<h2>System</h2>${drawing(good.system, "graph", "System")}` : ""}${pictures(good.picture)}${authority}${await facts()}` +
    `<h2>Source</h2>${workspace.files.map(([path, text]) => `<h3>${escape(path)}</h3>${pre(text)}`).join("")}\n</body></html>\n`;
}
