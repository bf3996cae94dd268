/** A picture of the language server (`motet/picture` as JSON) as SVG.
 *
 * Where things stand is dagre's work; how they look follows from their role and persona, in
 * colours of the picture itself for light and dark ground. Every text goes through `h()`. */
import dagre from "@dagrejs/dagre";
import { h } from "./html";
import type { Attributes, Html } from "./html";
import { asList, asObject, asText, readObject } from "./results";

export interface Node {
  readonly name: string;
  readonly label: string;
  readonly tooltip: string;
  readonly role: string;
  readonly persona: string;
  readonly group: string;
  readonly faded: boolean;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly tooltip: string;
  readonly line: string;
}

export interface Group {
  readonly name: string;
  readonly label: string;
  readonly parent: string;
}

export interface Picture {
  readonly title: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly groups: readonly Group[];
  readonly personas: readonly string[];
}

/** More is not drawn: nobody could read it, and the editor would stand still. */
export const MOST_SHAPES = 600;
/** Of colours that style.css has for personas. */
export const PALETTE = 8;
const LINE = 30, MOST_LINES = 6, CHARACTER = 7.2, HEIGHT = 17, PAD = 12;

export function readPicture(text: string): Picture | undefined {
  const o = readObject(text);
  if (!o || !Array.isArray(o["nodes"]) || !Array.isArray(o["edges"])) {
    return undefined;
  }
  return {
    title: asText(o["title"]),
    nodes: o["nodes"].map(asObject).map((n) => ({ name: asText(n["name"]), label: asText(n["label"]), tooltip: asText(n["tooltip"]),
      role: asText(n["role"]), persona: asText(n["persona"]), group: asText(n["group"]), faded: n["faded"] === true })),
    edges: o["edges"].map(asObject).map((e) => ({ from: asText(e["from"]), to: asText(e["to"]), label: asText(e["label"]),
      tooltip: asText(e["tooltip"]), line: asText(e["line"]) })),
    groups: asList(o["groups"]).map(asObject).map((g) => ({ name: asText(g["name"]), label: asText(g["label"]), parent: asText(g["parent"]) })),
    personas: asList(o["personas"]).map(asObject).map((p) => asText(p["name"])),
  };
}

/** Lines of at most LINE characters, broken at spaces, else behind `_`, else anywhere. */
export function lines(label: string): readonly string[] {
  const out: string[] = [];
  for (const part of label.split("\n")) {
    let rest = [...part];
    while (rest.length > LINE) {
      const head = rest.slice(0, LINE + 1);
      const space = head.lastIndexOf(" "), mark = head.lastIndexOf("_", LINE - 1);
      const cut = space > LINE / 3 ? space : mark > LINE / 3 ? mark + 1 : LINE;
      out.push(rest.slice(0, cut).join(""));
      rest = rest.slice(rest[cut] === " " ? cut + 1 : cut);
    }
    out.push(rest.join(""));
  }
  return out.length > MOST_LINES ? [...out.slice(0, MOST_LINES - 1), "…"] : out;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** East Asian characters and emoji are about twice as wide. */
function widthOf(line: string): number {
  return [...line].reduce((n, c) => n + (/[\u1100-\u115f\u2e80-\uffdc\u{1f300}-\u{1faff}]/u.test(c) ? 2 : 1), 0) * CHARACTER;
}

function sizeOf(label: string, role: string): Size {
  if (role === "start") {
    return { width: 14, height: 14 };
  }
  const all = lines(label);
  const width = Math.max(...all.map(widthOf)) + 2 * PAD;
  return { width: Math.max(44, role === "choice" ? width + 24 : width), height: all.length * HEIGHT + 2 * PAD };
}

function textLines(label: string, x: number, y: number): Html {
  const all = lines(label), first = y - (all.length - 1) * HEIGHT / 2;
  return h("text", { "text-anchor": "middle" }, all.map((line, i) =>
    h("tspan", { x, y: first + i * HEIGHT, "dominant-baseline": "central" }, line)));
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The outline of a role; what is not in the table is a rectangle. */
const OUTLINES: Readonly<Record<string, (p: Point, s: Size) => Html>> = {
  start: (p) => h("circle", { cx: p.x, cy: p.y, r: 6 }),
  choice: (p, s) => h("polygon", { points: corners(p, s, 12) }),
  persona: (p, s) => h("ellipse", { cx: p.x, cy: p.y, rx: s.width / 2, ry: s.height / 2 }),
  state: (p, s) => box(p, s, 14), final: (p, s) => box(p, s, 14), verdict: (p, s) => box(p, s, 14),
  success: (p, s) => box(p, s, s.height / 2), failure: (p, s) => box(p, s, s.height / 2),
};

function box(p: Point, s: Size, radius = 3): Html {
  return h("rect", { x: p.x - s.width / 2, y: p.y - s.height / 2, width: s.width, height: s.height, rx: radius });
}

/** A hexagon: a rhombus has no room for text. */
function corners(p: Point, s: Size, cut: number): string {
  const x = s.width / 2, y = s.height / 2;
  return [[-x, 0], [cut - x, -y], [x - cut, -y], [x, 0], [x - cut, y], [cut - x, y]]
    .map(([dx, dy]) => `${p.x + (dx ?? 0)},${p.y + (dy ?? 0)}`).join(" ");
}

function classes(...words: readonly (string | false)[]): Attributes {
  return { class: words.filter(Boolean).join(" ") };
}

/** Roles become names of classes, so only what looks like one does. */
function word(text: string): string {
  return /^[a-z]+$/.test(text) ? text : "other";
}

function nodeHtml(n: Node, p: Point, s: Size, personas: readonly string[]): Html {
  const colour = personas.indexOf(n.persona);
  const outline = (OUTLINES[n.role] ?? box)(p, s);
  return h("g", { ...classes("node", word(n.role), n.faded && "faded", colour >= 0 && `persona${colour % PALETTE}`),
    "data-go": n.name, tabindex: 0, role: "button" },
    h("title", {}, n.tooltip || n.label || n.name), outline,
    n.role === "final" ? box(p, { width: s.width - 6, height: s.height - 6 }, 11) : null,
    n.role === "start" ? null : textLines(n.label, p.x, p.y));
}

function edgeHtml(e: Edge, points: readonly Point[], middle: Point | undefined): Html {
  const d = points.map((p, i) => `${i ? "L" : "M"}${p.x},${p.y}`).join("");
  return h("g", classes("edge", word(e.line)), h("title", {}, e.tooltip || e.label || `${e.from} to ${e.to}`),
    h("path", { d, "marker-end": "url(#arrow)" }), e.label && middle ? textLines(e.label, middle.x, middle.y) : null);
}

function groupHtml(g: Group, p: Point, s: Size): Html {
  return h("g", { ...classes("group"), "data-go": g.name }, h("title", {}, g.label), box(p, s, 6),
    h("text", { x: p.x - s.width / 2 + 8, y: p.y - s.height / 2 + 15 }, g.label));
}

/** Groups that something is in; a group without would be laid out as a node. */
function usedGroups(p: Picture): readonly Group[] {
  const byName = new Map(p.groups.map((g) => [g.name, g]));
  const used = new Set<string>();
  for (const n of p.nodes) {
    for (let name = n.group; byName.has(name) && !used.has(name); name = byName.get(name)?.parent ?? "") {
      used.add(name);
    }
  }
  return p.groups.filter((g) => used.has(g.name));
}

interface Layout {
  readonly places: (name: string) => Point & Size;
  readonly edges: readonly { readonly edge: Edge; readonly points: readonly Point[]; readonly middle: Point | undefined }[];
  readonly groups: readonly Group[];
  readonly size: Size;
}

/** Names of groups and of nodes may be the same, so each has a mark before it. */
function layOut(p: Picture): Layout {
  const graph = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 44, marginx: 16, marginy: 16 });
  const groups = usedGroups(p), known = new Set(groups.map((g) => g.name)), names = new Set(p.nodes.map((n) => n.name));
  groups.forEach((g) => graph.setNode(`g${g.name}`, { width: 0, height: 0 }));
  groups.filter((g) => known.has(g.parent)).forEach((g) => graph.setParent(`g${g.name}`, `g${g.parent}`));
  for (const n of p.nodes) {
    graph.setNode(`n${n.name}`, { ...sizeOf(n.label, n.role) });
    if (known.has(n.group)) {
      graph.setParent(`n${n.name}`, `g${n.group}`);
    }
  }
  const edges = p.edges.filter((e) => names.has(e.from) && names.has(e.to));
  edges.forEach((e, i) => {
    const s = e.label ? sizeOf(e.label, "label") : { width: 0, height: 0 };
    graph.setEdge(`n${e.from}`, `n${e.to}`, { width: s.width - (e.label ? PAD : 0), height: s.height - (e.label ? PAD : 0), labelpos: "c" }, String(i));
  });
  dagre.layout(graph);
  const whole = graph.graph() as { width?: number; height?: number };
  return {
    groups, size: { width: whole.width ?? 0, height: whole.height ?? 0 },
    places: (name) => graph.node(name) as unknown as Point & Size,
    edges: edges.map((edge, i) => {
      const laid = graph.edge(`n${edge.from}`, `n${edge.to}`, String(i)) as { points?: Point[]; x?: number; y?: number };
      return { edge, points: laid.points ?? [], middle: laid.x === undefined || laid.y === undefined ? undefined : { x: laid.x, y: laid.y } };
    }),
  };
}

export function pictureHtml(p: Picture): Html {
  if (!p.nodes.length) {
    return h("p", { class: "quiet" }, "There is nothing to draw yet.");
  }
  if (p.nodes.length + p.edges.length > MOST_SHAPES) {
    return h("p", { class: "quiet" }, `The picture has ${p.nodes.length} shapes and ${p.edges.length} lines, which is more than can be read. `
      + "Put the cursor into one construct, or use motet analyze --draw.");
  }
  const laid = layOut(p);
  const arrow = h("defs", {}, h("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    h("path", { d: "M0,0L10,5L0,10z" })));
  return h("svg", { viewBox: `0 0 ${laid.size.width} ${laid.size.height}`, width: laid.size.width, height: laid.size.height, role: "img", "aria-label": p.title },
    arrow,
    laid.groups.map((g) => { const at = laid.places(`g${g.name}`); return groupHtml(g, at, at); }),
    laid.edges.map((e) => edgeHtml(e.edge, e.points, e.middle)),
    p.nodes.map((n) => { const at = laid.places(`n${n.name}`); return nodeHtml(n, at, at, p.personas); }));
}

/** `message`: why the picture may be an older one, or why there is none. */
export function pictureBody(title: string, picture: Html | undefined, message: string): Html {
  return h("main", { class: "picture" }, h("h1", {}, title), message ? h("p", { class: "faults", role: "status" }, message) : null, picture);
}
