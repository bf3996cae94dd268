/* What is drawn, as the engine describes it (src/base/picture.h): lists of groups, nodes
 * and edges, and the colours of personas. `motet analyze --format json` prints the same. */
export interface Colours {
  fill: string;
  line: string;
}
export interface PersonaColours {
  name: string;
  light: Colours;
  dark: Colours;
}
export interface Group {
  name: string;
  label: string;
  tooltip: string | null;
  parent: string | null;
  persona: string | null;
  frame: "box" | "lane";
}
export interface Node {
  name: string;
  label: string;
  tooltip: string | null;
  group: string | null;
  persona: string | null;
  role: string;
  faded: boolean;
  /** Of a picture with what happened: it did, or it failed. */
  seen?: boolean;
}
export interface Edge {
  from: string;
  to: string;
  label: string;
  tooltip: string | null;
  persona: string | null;
  line: "solid" | "dashed" | "dotted" | "bold";
  seen?: boolean;
}
export interface Description {
  title: string;
  version: number;
  groups: Group[];
  nodes: Node[];
  edges: Edge[];
  personas: PersonaColours[];
}

/** The groups inside one, itself first. */
export function inside(d: Description, name: string): Set<string> {
  const names = new Set([name]);
  for (const g of d.groups) {
    if (g.parent !== null && names.has(g.parent)) {
      names.add(g.name);
    }
  }
  return names;
}

/** One group with all that is in it. */
export function part(d: Description, group: string): Description {
  const groups = inside(d, group);
  const nodes = d.nodes.filter((n) => n.group !== null && groups.has(n.group));
  const names = new Set(nodes.map((n) => n.name));
  return {
    ...d,
    groups: d.groups.filter((g) => groups.has(g.name) && g.name !== group),
    nodes,
    edges: d.edges.filter((e) => names.has(e.from) && names.has(e.to)),
  };
}

export type Subject = "entity" | "flow" | "rules";
export interface Part {
  subject: Subject;
  /** Of a System; "" elsewhere. */
  member: string;
  id: string;
  group: string;
}

const PATTERN = /^(?:([^/]+)\/)?(?:(entity|flow)\/([^/]+)|(rules))$/;

/** What there is to draw, in the order of the contract. */
export function parts(d: Description): Part[] {
  return d.groups.flatMap((g) => {
    const found = PATTERN.exec(g.name);
    if (!found) {
      return [];
    }
    const [, member = "", subject, id] = found;
    return [{ subject: (subject ?? "rules") as Subject, member, id: id ?? "rules", group: g.name }];
  });
}
