/* Clusters of a graph: a closed one is a single thing, an open one a box around what is in it. */
import { type Description, type Edge, inside, type Node } from "./description";

/** What a thing says at an event. */
export interface Said {
  line: string;
  mark: "spoke" | "silent" | "failed" | "";
  differs: boolean;
  tooltip: string;
}

const ROOM = "−0.00000000"; // for a value below a name

/** The outermost closed group around each node, by the node's name. */
function hidden(d: Description, open: ReadonlySet<string>): Map<string, string> {
  const parents = new Map(d.groups.map((g) => [g.name, g.parent]));
  const found = new Map<string, string>();
  for (const node of d.nodes) {
    for (let group = node.group; group !== null; group = parents.get(group) ?? null) {
      if (!open.has(group)) {
        found.set(node.name, group);
      }
    }
  }
  return found;
}

/** The same with every closed group as one node; `room`: labels have a name and room for a value, the rest is in the tooltip. */
export function fold(d: Description, open: ReadonlySet<string>, room = false): Description {
  const within = hidden(d, open);
  const closed = new Set(within.values());
  const clusters = d.groups.filter((g) => closed.has(g.name)).map((g): Node => ({
    name: g.name, label: `${g.label}\ncluster`, tooltip: `${g.tooltip ?? ""}\nEnter opens it`.trim(), group: g.parent, persona: null, role: "cluster", faded: false,
  }));
  const seen = new Set<string>(), edges: Edge[] = [];
  for (const e of d.edges) {
    const from = within.get(e.from) ?? e.from, to = within.get(e.to) ?? e.to, key = `${from}>${to}`;
    if (from !== to && !seen.has(key)) {
      seen.add(key);
      edges.push({ ...e, from, to });
    }
  }
  const nodes = [...d.nodes.filter((n) => !within.has(n.name)), ...clusters];
  const gone = new Set([...closed].flatMap((name) => [...inside(d, name)]));
  return { ...d, edges, groups: d.groups.filter((g) => !gone.has(g.name)), nodes: room ? nodes.map((n) => ({ ...n, label: `${n.label.split("\n")[0]}\n${ROOM}` })) : nodes };
}

const MOST = 11;
const BOTH = 17; // of what was and would be
const cut = (text: string, most = MOST): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** What the engine painted, as things in a picture of the same groups say it; `differ` maps a node to both values. */
export function saidIn(painted: Description, open: ReadonlySet<string>, differ: ReadonlyMap<string, string>): Map<string, Said> {
  const within = hidden(painted, open);
  const said = new Map<string, Said>();
  for (const n of painted.nodes) {
    const differs = differ.has(n.name);
    const own: Said = { line: differs ? cut(differ.get(n.name)!, BOTH) : cut((n.label.split("\n")[2] ?? "").replace(/ values, last .*/, " values")), mark: n.seen === true ? "spoke" : n.seen === false ? "failed" : n.faded ? "silent" : "",
      differs, tooltip: [n.tooltip ?? "", differs ? `what if: ${differ.get(n.name)}` : ""].filter(Boolean).join("\n") };
    const group = within.get(n.name);
    if (group === undefined) {
      said.set(n.name, own);
      continue;
    }
    const whole = said.get(group) ?? { line: "", mark: "", differs: false, tooltip: "" };
    const mark = [whole.mark, own.mark].includes("failed") ? "failed" : [whole.mark, own.mark].includes("spoke") ? "spoke" : "";
    said.set(group, { line: mark === "spoke" ? "emitted" : mark === "failed" ? "failed" : "", mark, differs: whole.differs || differs, tooltip: whole.tooltip });
  }
  return said;
}
