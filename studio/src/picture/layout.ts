/* Where things of a picture stand. Four ways:
 *
 *   graph     states and members: dagre alone
 *   tight     the same, close together: graphs of many nodes
 *   lanes     flows: a row for each persona, columns by dagre's ranks
 *   columns   rules: a column for each lane, rules left and verdicts right in it
 *
 * Everything is in pixels of the picture; nothing here touches the page but the measure
 * of texts. */
import { graphlib, layout as dagre } from "@dagrejs/dagre";
import { type Description, type Edge, type Group, inside, type Node } from "./description";

export type Way = "graph" | "tight" | "lanes" | "columns";
export interface Point {
  x: number;
  y: number;
}
export interface PlacedNode extends Point {
  node: Node;
  lines: string[];
  width: number;
  height: number;
}
export interface PlacedEdge {
  edge: Edge;
  path: string;
  /** The tip of the arrow, and where it points. */
  tip: Point;
  angle: number;
  label: { x: number; y: number; lines: string[]; width: number } | null;
}
export interface PlacedLane {
  group: Group;
  x: number;
  y: number;
  width: number;
  height: number;
  /** A row has its name at its left, a column above. */
  row: boolean;
}
export interface Placed {
  /** Where the view begins: 0, or above it. */
  top: number;
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  lanes: PlacedLane[];
}

export const LINE = 17; // of text in a node
const LABEL_LINE = 14;
const MARGIN = 16;
const WIDEST = 26; // characters of a line

// ---- texts ----

let pen: OffscreenCanvasRenderingContext2D | null | undefined;
export function textWidth(text: string, font = "13px system-ui, sans-serif"): number {
  pen ??= typeof OffscreenCanvas === "undefined" ? null : new OffscreenCanvas(1, 1).getContext("2d");
  if (!pen) {
    return text.length * 7;
  }
  pen.font = font;
  return pen.measureText(text).width;
}

const MOST = 4000; // characters of one text that are shown; the source has all of it

/** Marks that turn the direction of text, and what cannot be seen, are shown as such. What is very long is cut. */
export function visible(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}… (${text.length.toLocaleString("en")} characters)` : text;
  return shown.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\p{Cs}]/gu, "\ufffd");
}

/** Breaks at spaces, and inside long names behind `_`, `,`, `.` or `/`. */
export function linesOf(label: string, widest = WIDEST, most = 5): string[] {
  const lines: string[] = [];
  for (const whole of visible(label).split("\n")) {
    let line = "";
    for (const word of whole.split(/(?<=[ _,./])/)) {
      for (const piece of word.match(new RegExp(`.{1,${widest}}`, "gu")) ?? []) { // no character is cut in two
        if (line && (line + piece).trimEnd().length > widest) {
          lines.push(line.trimEnd());
          line = "";
        }
        line += piece;
      }
    }
    lines.push(line.trimEnd());
  }
  const kept = lines.filter((l, i) => l || i === 0);
  return kept.length > most ? [...kept.slice(0, most - 1), kept[most - 1] + " …"] : kept;
}

/** Roles that are drawn with points at their sides. */
export const DIAMONDS: ReadonlySet<string> = new Set(["choice", "trigger"]);

function sized(node: Node): PlacedNode {
  if (node.role === "start") {
    return { node, lines: [], x: 0, y: 0, width: 14, height: 14 };
  }
  const lines = linesOf(node.label);
  const wide = Math.max(...lines.map((l, i) => textWidth(l, i ? "12px system-ui, sans-serif" : "600 13px system-ui, sans-serif")));
  const diamond = DIAMONDS.has(node.role), pad = diamond ? 44 : 24;
  return { node, lines, x: 0, y: 0, width: Math.max(56, Math.ceil(wide) + pad), height: lines.length * LINE + (diamond ? 24 : 14) };
}

function labelOf(edge: Edge): { lines: string[]; width: number } | null {
  if (!edge.label) {
    return null;
  }
  const lines = linesOf(edge.label.replace(/, /g, ",\n"), 30, 4);
  return { lines, width: Math.ceil(Math.max(...lines.map((l) => textWidth(l, "11.5px system-ui, sans-serif")))) + 8 };
}

// ---- lines ----

/** A smooth line through points. */
function curve(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first || !rest.length) {
    return "";
  }
  if (rest.length === 1) {
    return `M${first.x} ${first.y}L${rest[0]!.x} ${rest[0]!.y}`;
  }
  let d = `M${first.x} ${first.y}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const at = rest[i]!, next = rest[i + 1]!;
    const last = i === rest.length - 2;
    const to = last ? next : { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2 };
    d += `Q${at.x} ${at.y} ${to.x} ${to.y}`;
  }
  return d;
}

const round = (n: number): number => Math.round(n * 10) / 10;
const angleOf = (from: Point, to: Point): number => round((Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI);

function edgeAlong(edge: Edge, points: Point[], label: PlacedEdge["label"]): PlacedEdge {
  const tip = points[points.length - 1]!;
  return { edge, path: curve(points), tip, angle: angleOf(points[points.length - 2]!, tip), label };
}

/** Lines from one thing to the same other are one line. What happens when an undo fails too is left to the tooltip. */
function merged(d: Description): Description {
  const seen = new Map<string, Edge>();
  for (const e of d.edges) {
    const key = `${e.from}>${e.to}`, known = seen.get(key);
    if (!known) {
      seen.set(key, e);
      continue;
    }
    const [main, other] = known.line === "dotted" ? [e, known] : [known, e];
    seen.set(key, { ...main, label: other.line === "dotted" ? main.label : [main.label, other.label].filter(Boolean).join("; "),
      tooltip: [main.label, main.tooltip, other.label, other.tooltip].filter(Boolean).join("\n"), persona: main.persona === other.persona ? main.persona : null });
  }
  return { ...d, edges: [...seen.values()] };
}

// ---- dagre ----

interface Laid {
  nodes: Map<string, PlacedNode>;
  points: Map<Edge, { points: Point[]; label: Point | null }>;
  width: number;
  height: number;
}

function lay(d: Description, rankdir: "LR" | "TB", withGroups: boolean, tight = false): Laid {
  const g = new graphlib.Graph({ multigraph: true, compound: withGroups });
  g.setGraph({ rankdir, nodesep: tight ? 16 : rankdir === "LR" ? 26 : 34, ranksep: tight ? 28 : 44, edgesep: 14, marginx: MARGIN, marginy: MARGIN });
  const nodes = new Map<string, PlacedNode>();
  if (withGroups) {
    d.groups.forEach((group) => g.setNode(group.name, { width: 0, height: 0 }));
    d.groups.forEach((group) => group.parent !== null && g.hasNode(group.parent) && g.setParent(group.name, group.parent));
  }
  for (const node of d.nodes) {
    const placed = sized(node);
    nodes.set(node.name, placed);
    g.setNode(node.name, { width: placed.width, height: placed.height });
    if (withGroups && node.group !== null) {
      g.setParent(node.name, node.group);
    }
  }
  d.edges.forEach((edge, i) => {
    const label = labelOf(edge);
    g.setEdge(edge.from, edge.to, { width: label?.width ?? 0, height: (label?.lines.length ?? 0) * LABEL_LINE, labelpos: "c", minlen: 1 }, String(i));
  });
  dagre(g);
  for (const [name, placed] of nodes) {
    const at = g.node(name) as unknown as Point;
    placed.x = round(at.x);
    placed.y = round(at.y);
  }
  const points = new Map<Edge, { points: Point[]; label: Point | null }>();
  d.edges.forEach((edge, i) => {
    const e = g.edge({ v: edge.from, w: edge.to, name: String(i) }) as unknown as { points: Point[]; x?: number; y?: number };
    const label = e.x === undefined || e.y === undefined || !edge.label ? null : { x: round(e.x), y: round(e.y) };
    points.set(edge, { points: e.points.map((p) => ({ x: round(p.x), y: round(p.y) })), label });
  });
  const size = g.graph() as unknown as { width: number; height: number };
  return { nodes, points, width: size.width, height: size.height };
}

function withLabel(edge: Edge, at: Point | null): PlacedEdge["label"] {
  const label = at && labelOf(edge);
  return label && at ? { ...label, x: at.x, y: at.y } : null;
}

function graph(d: Description, rankdir: "LR" | "TB", tight: boolean): Placed {
  const insides = new Map(d.groups.map((g) => [g.name, inside(d, g.name)]));
  const membersOf = (g: Group): Node[] => d.nodes.filter((n) => n.group !== null && insides.get(g.name)!.has(n.group));
  const boxes = d.groups.filter((g) => membersOf(g).length);
  const laid = lay({ ...d, groups: boxes }, rankdir, boxes.length > 0, tight);
  const lanes = boxes.map((group): PlacedLane => {
    const members = membersOf(group).map((n) => laid.nodes.get(n.name)!);
    const around = boxes.filter((g) => g !== group && insides.get(group.name)!.has(g.name)).length ? 1 : 0; // room for a box in it
    const left = Math.min(...members.map((m) => m.x - m.width / 2)) - 14 - 12 * around, right = Math.max(...members.map((m) => m.x + m.width / 2)) + 14 + 12 * around;
    const top = Math.min(...members.map((m) => m.y - m.height / 2)) - 30 - 28 * around, bottom = Math.max(...members.map((m) => m.y + m.height / 2)) + 14 + 12 * around;
    return { group, x: left, y: top, width: right - left, height: bottom - top, row: false };
  });
  const up = Math.min(0, ...lanes.map((l) => l.y - 4));
  return {
    top: up, width: laid.width, height: laid.height - up, lanes, nodes: [...laid.nodes.values()],
    edges: d.edges.map((edge) => {
      const at = laid.points.get(edge)!;
      return edgeAlong(edge, at.points, withLabel(edge, at.label));
    }),
  };
}

// ---- rows: flows ----

const ROW_NAME = 30; // the strip at the left with the persona's name
const GUTTER = 16; // room for a line that passes nodes by

interface Cell {
  placed: PlacedNode;
  column: number;
  row: number; // -1: behind all rows
}

/** Columns by rank: what dagre put at one x is one column. Ends stand in the last. */
function columnsOf(d: Description, laid: Laid, rows: Map<string, number>): Cell[] {
  const ends = new Set(d.nodes.filter((n) => n.role === "success" || n.role === "failure").map((n) => n.name));
  const inner = d.nodes.filter((n) => !ends.has(n.name));
  const xs = [...new Set(inner.map((n) => Math.round(laid.nodes.get(n.name)!.x)))].sort((a, b) => a - b);
  return d.nodes.map((n) => {
    const placed = laid.nodes.get(n.name)!;
    return { placed, column: ends.has(n.name) ? xs.length : xs.indexOf(Math.round(placed.x)), row: ends.has(n.name) ? -1 : rows.get(n.group ?? "") ?? 0 };
  });
}

/** May this line go straight, or does it pass columns by? What fails does so, too: it is not the way. */
const passes = (edge: Edge, from: Cell, to: Cell): boolean =>
  to.column - from.column > 1 || (to.column <= from.column && from.row === to.row) || (to.row < 0 && (edge.line === "dashed" || edge.line === "dotted"));

function lanes(d: Description): Placed {
  const laneGroups = d.groups.filter((g) => g.frame === "lane");
  const rows = new Map(laneGroups.map((g, i) => [g.name, i]));
  const cells = columnsOf(d, lay({ ...d, groups: [] }, "LR", false), rows);
  const byName = new Map(cells.map((c) => [c.placed.node.name, c]));
  const rowCount = Math.max(1, laneGroups.length), columnCount = Math.max(...cells.map((c) => c.column)) + 1;

  // Lines that pass nodes by run below their row, each in a gutter of its own.
  const gutters = Array.from({ length: rowCount }, (): Edge[] => []);
  for (const edge of d.edges) {
    const from = byName.get(edge.from)!, to = byName.get(edge.to)!;
    if (passes(edge, from, to)) {
      gutters[Math.max(0, from.row)]!.push(edge);
    }
  }

  // Where lines turn from their gutter into the last column, each at an x of its own.
  const turns = gutters.flat().filter((e) => byName.get(e.to)!.row < 0);

  // Sizes of columns and rows.
  const stackOf = (row: number, column: number): Cell[] => cells.filter((c) => c.row === row && c.column === column)
    .sort((a, b) => Number(a.placed.node.role === "failure") - Number(b.placed.node.role === "failure"));
  const widths = Array.from({ length: columnCount }, (_, i) => Math.max(20, ...cells.filter((c) => c.column === i).map((c) => c.placed.width)));
  const gaps = Array.from({ length: columnCount }, (_, i) => Math.max(34, ...d.edges.filter((e) => {
    const from = byName.get(e.from)!, to = byName.get(e.to)!;
    return from.column === i && !passes(e, from, to);
  }).map((e) => Math.min(170, (labelOf(e)?.width ?? 0) + 30)), i === columnCount - 2 ? (turns.length ? 96 : 40) + 7 * turns.length : 0));
  const stackHeight = (stack: Cell[]): number => stack.reduce((h, c) => h + c.placed.height, 0) + Math.max(0, stack.length - 1) * 20;
  const inner = Array.from({ length: rowCount }, (_, r) => Math.max(46, textWidth(laneGroups[r]?.label ?? "", "600 12px system-ui, sans-serif") - 14 - gutters[r]!.length * GUTTER, ...widths.map((_w, c) => stackHeight(stackOf(r, c)))));
  const heights = inner.map((h, r) => h + 32 + gutters[r]!.length * GUTTER);

  // Places.
  const left: number[] = [];
  let x = MARGIN + ROW_NAME + 14;
  widths.forEach((w, i) => {
    left.push(x);
    x += w + (i < columnCount - 1 ? gaps[i]! : 0);
  });
  const tops: number[] = [];
  let y = MARGIN;
  heights.forEach((h) => {
    tops.push(y);
    y += h;
  });
  const height = y - MARGIN;
  for (let c = 0; c < columnCount; c++) {
    for (let r = -1; r < rowCount; r++) {
      const stack = stackOf(r, c);
      let at = r < 0 ? MARGIN + (height - stackHeight(stack)) / 2 : tops[r]! + 16 + (inner[r]! - stackHeight(stack)) / 2;
      for (const cell of stack) {
        cell.placed.x = round(left[c]! + widths[c]! / 2);
        cell.placed.y = round(at + cell.placed.height / 2);
        at += cell.placed.height + 20;
      }
    }
  }
  const laneEnd = columnCount > 1 ? left[columnCount - 1]! - gaps[columnCount - 2]! / 2 : x;
  const edges = d.edges.map((edge) => {
    const from = byName.get(edge.from)!, to = byName.get(edge.to)!;
    const row = Math.max(0, from.row);
    const gutter = gutters[row]!.indexOf(edge);
    return gutter < 0 ? straight(edge, from.placed, to.placed, from.column === to.column)
      : around(edge, from.placed, to.placed, tops[row]! + 16 + inner[row]! + 10 + gutter * GUTTER, gutter, Math.max(0, turns.indexOf(edge)), to.column > from.column);
  });
  return {
    top: 0, width: x + MARGIN, height: y + MARGIN, nodes: cells.map((c) => c.placed), edges,
    lanes: laneGroups.map((group, i) => ({ group, x: MARGIN, y: tops[i]!, width: laneEnd - MARGIN, height: heights[i]!, row: true })),
  };
}

/** From one column to the next, or to another row of the same. */
function straight(edge: Edge, a: PlacedNode, b: PlacedNode, vertical: boolean): PlacedEdge {
  const label = labelOf(edge);
  if (vertical) {
    const down = b.y > a.y;
    const from = { x: a.x, y: a.y + (down ? a.height : -a.height) / 2 }, to = { x: b.x, y: b.y + (down ? -b.height : b.height) / 2 };
    return { edge, path: `M${from.x} ${from.y}L${to.x} ${to.y}`, tip: to, angle: down ? 90 : -90,
      label: label && { ...label, x: round((from.x + to.x) / 2), y: round((from.y + to.y) / 2) } };
  }
  const from = { x: round(a.x + a.width / 2), y: a.y }, to = { x: round(b.x - b.width / 2), y: b.y };
  const bend = Math.max(18, (to.x - from.x) / 2);
  const path = from.y === to.y ? `M${from.x} ${from.y}L${to.x} ${to.y}`
    : `M${from.x} ${from.y}C${round(from.x + bend)} ${from.y} ${round(to.x - bend)} ${to.y} ${to.x} ${to.y}`;
  return { edge, path, tip: to, angle: 0, label: label && { ...label, x: round((from.x + to.x) / 2), y: round((from.y + to.y) / 2) } };
}

/** Down into a gutter, along it, and up or down to the target. */
function around(edge: Edge, a: PlacedNode, b: PlacedNode, y: number, nth: number, turn: number, forward: boolean): PlacedEdge {
  const label = labelOf(edge);
  const R = 8;
  const x0 = round(a.x + Math.min(a.width / 2 - 10, 8 + nth * 10));
  const side = forward ? -1 : 1;
  const x2 = round(b.x + side * (b.width / 2)), x1 = round(x2 + side * (18 + turn * 7));
  const up = b.y < y ? -1 : 1;
  const along = x1 > x0 ? 1 : -1;
  const path = `M${x0} ${round(a.y + a.height / 2)}V${y - R}Q${x0} ${y} ${x0 + along * R} ${y}H${x1 - along * R}` +
    (Math.abs(b.y - y) < 2 * R ? `L${x2} ${b.y}` : `Q${x1} ${y} ${x1} ${y + up * R}V${b.y - up * R}Q${x1} ${b.y} ${x1 - side * R} ${b.y}H${x2}`);
  const text = label && shortened(label.lines.join(" "), Math.abs(x1 - x0) - 26);
  return { edge, path, tip: { x: x2, y: b.y }, angle: forward ? 0 : 180, label: text ? { ...text, x: round(x0 + along * (12 + text.width / 2)), y } : null };
}

/** One line of at most so many pixels. */
function shortened(whole: string, most: number): { lines: string[]; width: number } {
  const font = "11.5px system-ui, sans-serif";
  let text = whole;
  while (text.length > 4 && textWidth(text, font) > most) {
    text = `${text.replace(/…$/, "").slice(0, -1).trimEnd()}…`;
  }
  return { lines: [text], width: Math.ceil(textWidth(text, font)) + 8 };
}

// ---- columns: rules ----

const HEAD = 34;

interface Column {
  lane: number;
  nodes: PlacedNode[];
}

/** Facts, then of each stratum its rules and its verdicts, then operations. */
function columnsOfLanes(d: Description, laneGroups: Group[]): Column[] {
  return laneGroups.flatMap((group, lane) => {
    const here = d.nodes.filter((n) => n.group === group.name);
    const roles = [...new Set(here.map((n) => n.role))].sort((a, b) => Number(a === "verdict") - Number(b === "verdict"));
    return roles.map((role) => ({ lane, nodes: here.filter((n) => n.role === role).map(sized) }));
  });
}

/** A place in every column that a long line passes, so that it goes between nodes. */
function passing(d: Description, all: Column[]): Map<Edge, PlacedNode[]> {
  const column = new Map(all.flatMap((p, i) => p.nodes.map((n): [string, number] => [n.node.name, i])));
  const ways = new Map<Edge, PlacedNode[]>();
  d.edges.forEach((edge, i) => {
    const from = column.get(edge.from) ?? 0, to = column.get(edge.to) ?? 0;
    const way: PlacedNode[] = [];
    for (let c = from + 1; c < to; c++) {
      const node: Node = { name: `pass/${i}/${c}`, label: "", tooltip: null, group: null, persona: null, role: "pass", faded: false };
      const placed = { node, lines: [], x: 0, y: 0, width: 0, height: 4 };
      all[c]!.nodes.push(placed);
      way.push(placed);
    }
    ways.set(edge, way);
  });
  return ways;
}

/** How often lines between neighbouring columns cross. */
function crossings(all: Column[], pairs: [string, string][]): number {
  const at = new Map(all.flatMap((p, c) => p.nodes.map((n, i): [string, [number, number]] => [n.node.name, [c, i]])));
  const lines = pairs.map(([a, b]) => [at.get(a)!, at.get(b)!] as const);
  let count = 0;
  lines.forEach(([a, b], i) => {
    for (let j = 0; j < i; j++) {
      const [c, d] = lines[j]!;
      count += Number(a[0] === c[0] && b[0] === d[0] && (a[1] - c[1]) * (b[1] - d[1]) < 0);
    }
  });
  return count;
}

/** Orders every column by the middle of what its nodes are joined with. */
function order(all: Column[], pairs: [string, string][]): void {
  const near = new Map<string, string[]>(), before = new Map<string, string[]>(), after = new Map<string, string[]>();
  for (const [a, b] of pairs) {
    after.set(a, [...(after.get(a) ?? []), b]);
    before.set(b, [...(before.get(b) ?? []), a]);
    near.set(a, [...(near.get(a) ?? []), b]);
    near.set(b, [...(near.get(b) ?? []), a]);
  }
  const at = new Map<string, number>();
  const note = (p: Column): void => p.nodes.forEach((n, i) => at.set(n.node.name, (i + 0.5) / p.nodes.length));
  all.forEach(note);
  let least = Infinity, best: PlacedNode[][] = [];
  for (let turn = 0; turn < 10; turn++) {
    for (const p of turn % 2 ? [...all].reverse() : all) {
      const middle = (n: PlacedNode): number => {
        const side = turn % 2 ? after : before;
        const others = (turn < 6 ? side : near).get(n.node.name) ?? [];
        return others.length ? others.reduce((sum, o) => sum + at.get(o)!, 0) / others.length : at.get(n.node.name)!;
      };
      const weights = new Map(p.nodes.map((n) => [n, middle(n)]));
      p.nodes.sort((a, b) => weights.get(a)! - weights.get(b)!);
      note(p);
    }
    const now = crossings(all, pairs);
    if (now < least) {
      least = now;
      best = all.map((p) => [...p.nodes]);
    }
  }
  all.forEach((p, i) => (p.nodes = best[i]!));
}

const GAP = 13;
const tall = (p: Column): number => p.nodes.reduce((h, n) => h + n.height + GAP, -GAP);

/** Gives every node of a column its place; returns the column's width. */
function fill(p: Column, x: number, inner: number): number {
  const width = Math.max(60, ...p.nodes.map((n) => n.width));
  const more = p.nodes.length > 1 ? Math.min(26, (inner - tall(p)) / (p.nodes.length - 1)) : 0;
  let y = MARGIN + HEAD + (inner - tall(p) - more * (p.nodes.length - 1)) / 2;
  for (const n of p.nodes) {
    n.width = n.node.role === "pass" ? width : n.width;
    n.x = round(x + width / 2);
    n.y = round(y + n.height / 2);
    y += n.height + GAP + more;
  }
  return width;
}

function columns(d: Description): Placed {
  const laneGroups = d.groups.filter((g) => g.frame === "lane");
  const all = columnsOfLanes(d, laneGroups);
  const ways = passing(d, all);
  order(all, d.edges.flatMap((e) => {
    const way = [e.from, ...ways.get(e)!.map((n) => n.node.name), e.to];
    return way.slice(1).map((name, i): [string, string] => [way[i]!, name]);
  }));
  const inner = Math.max(40, ...all.map(tall));
  const lanesOut: PlacedLane[] = [];
  let x = MARGIN;
  all.forEach((p, i) => {
    const first = all[i - 1]?.lane !== p.lane, last = all[i + 1]?.lane !== p.lane;
    if (first) {
      lanesOut.push({ group: laneGroups[p.lane]!, x, y: MARGIN, width: 0, height: HEAD + inner + 18, row: false });
      x += 12;
    }
    x += fill(p, x, inner) + (last ? 12 : 34);
    if (last) {
      const lane = lanesOut[lanesOut.length - 1]!;
      lane.width = x - lane.x;
      x += 30;
    }
  });
  const nodes = all.flatMap((p) => p.nodes);
  const byName = new Map(nodes.map((n) => [n.node.name, n]));
  return {
    top: 0, width: x - 30 + MARGIN, height: MARGIN * 2 + HEAD + inner + 18, lanes: lanesOut, nodes: nodes.filter((n) => n.node.role !== "pass"),
    edges: d.edges.map((edge) => through(edge, [byName.get(edge.from)!, ...ways.get(edge)!, byName.get(edge.to)!])),
  };
}

/** One bend from each place to the next, level at each. */
function through(edge: Edge, way: PlacedNode[]): PlacedEdge {
  let path = "";
  for (let i = 1; i < way.length; i++) {
    const a = way[i - 1]!, b = way[i]!;
    const from = { x: round(a.x + a.width / 2), y: a.y }, to = { x: round(b.x - b.width / 2), y: b.y };
    const bend = round(Math.max(14, (to.x - from.x) / 2));
    path += `${i === 1 ? "M" : "L"}${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
  }
  const end = way[way.length - 1]!;
  return { edge, path, tip: { x: round(end.x - end.width / 2), y: end.y }, angle: 0, label: null };
}

/** The whole picture. `narrow`: taller than wide is better. */
export function layout(whole: Description, way: Way, narrow = false): Placed {
  const d = merged(whole);
  return way === "lanes" ? lanes(d) : way === "columns" ? columns(d) : graph(d, narrow ? "TB" : "LR", way === "tight");
}
