/* From what is drawn to where it is written, and back. Names in a description are paths:
 * "entity/Order/open", "flow/refund/step_1", in a System with the member in front. */
import { all, type Bundle } from "../engine/bundle";
import type { Good, Named, Place } from "../engine/messages";

interface Key {
  kind: string;
  id: string;
  /** The end of the file's path, of a member of a System; "": any. */
  file: string;
}

function keyOf(bundle: Bundle, name: string): Key | null {
  const members = all(bundle, "System").flatMap((s) => s.members);
  let words = name.split("/");
  const member = members.find((m) => m.id === words[0]);
  if (member) {
    words = words.slice(1);
  }
  const file = member?.path ?? "";
  const [kind = "", id = "", inner = ""] = words;
  if (kind === "member") {
    return { kind, id, file };
  }
  if ((kind === "entity" || kind === "flow") && inner === "lane") {
    return { kind: "persona", id: words[3] ?? "", file };
  }
  if (inner && (kind === "entity" || kind === "flow")) {
    return { kind: kind === "entity" ? "state" : "step", id: `${id}.${inner}`, file };
  }
  return { kind, id, file };
}

const fits = (n: Named, key: Key): boolean =>
  n.is_definition && n.kind === key.kind && n.id === key.id && n.at.file.endsWith(key.file);

/** Where a thing of the picture is defined. */
export function placeOf(good: Good, name: string): Place | null {
  const key = keyOf(good.bundle, name);
  return (key && good.index.find((n) => fits(n, key))?.at) ?? null;
}

/** Where an operation is defined, by its name. */
export function placeOfOperation(good: Good, id: string): Place | null {
  return good.index.find((n) => n.is_definition && n.kind === "operation" && n.id === id)?.at ?? null;
}

function covers(p: Place, file: string, line: number, column: number): boolean {
  return p.file === file && p.line === line && p.column <= column && column <= p.end_column;
}

const DRAWN = new Set(["entity", "flow", "rule", "operation", "fact", "persona", "verdict", "step", "state"]);

/** The paths that a name of the source may have in a picture, without member. */
function drawn(n: Named): string[] {
  const [id, inner] = n.id.split(".");
  const name = n.kind === "state" ? `entity/${id}/${inner}` : n.kind === "step" ? `flow/${id}/${inner}` : `${n.kind}/${n.id}`;
  return n.kind === "operation" ? [name, `${name}/when`] : [name]; // behind the rules, too
}

/** What a place in the source speaks of: the name under it, else the construct around it. */
export function namesAt(good: Good, file: string, line: number, column: number): string[] {
  const here = good.index.filter((n) => DRAWN.has(n.kind));
  const under = here.filter((n) => covers(n.at, file, line, column));
  if (under.length) {
    return under.flatMap(drawn);
  }
  const before = here.filter((n) => n.is_definition && n.at.file === file && n.kind !== "state" && n.kind !== "verdict" &&
    (n.at.line < line || (n.at.line === line && n.at.column <= column)));
  const last = before[before.length - 1];
  return last ? drawn(last) : [];
}

/** Is this thing of a picture one of these? A member of a System may stand in front. */
export function isOneOf(name: string, names: readonly string[]): boolean {
  return names.some((n) => name === n || name.endsWith(`/${n}`));
}
