/** From the name of something to where it stands, by the symbols of the language server. */

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** As `textDocument/documentSymbol` has it; `detail` is what it is. */
export interface Symbol {
  readonly name: string;
  readonly detail: string;
  readonly range: Range;
  readonly selectionRange: Range;
  readonly children: readonly Symbol[];
}

export interface FileSymbols {
  readonly file: string;
  readonly symbols: readonly Symbol[];
}

export interface Place {
  readonly file: string;
  readonly range: Range;
}

/** What stands inside what: a verdict inside its rule, a state inside its entity. */
const INSIDE: Readonly<Record<string, string>> = { state: "entity", step: "flow", verdict: "rule", outcome: "operation", value: "fact" };

/** Where each line of the text begins. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

/** The offset at which the braces around an offset are closed; the end of the text if they are not. */
export function closeOf(text: string, from: number): number {
  const parts = /"(?:[^"\\\n]|\\[^])*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[{}]/g;
  parts.lastIndex = from;
  let depth = 0;
  for (let found = parts.exec(text); found; found = parts.exec(text)) {
    depth += found[0] === "{" ? 1 : found[0] === "}" ? -1 : 0;
    if (depth < 0) {
      return found.index;
    }
  }
  return text.length;
}

/** The server lists branches of a parallel step and the steps in them side by side; here the steps
 * are put into their branches. */
export function nest(symbols: readonly Symbol[], text: string): readonly Symbol[] {
  const starts = lineStarts(text);
  const offset = (p: Position): number => (starts[p.line] ?? text.length) + p.character;
  const inside = (all: readonly Symbol[]): readonly Symbol[] => {
    const out: Symbol[] = [];
    for (let i = 0; i < all.length; i++) {
      const s = all[i] as Symbol;
      const end = s.detail === "branch" && !s.children.length ? closeOf(text, offset(s.selectionRange.end)) : 0;
      let next = i + 1;
      while (next < all.length && offset((all[next] as Symbol).selectionRange.start) < end) {
        next++;
      }
      out.push(next > i + 1 ? { ...s, children: inside(all.slice(i + 1, next)) } : s);
      i = next - 1;
    }
    return out;
  };
  return symbols.map((s) => s.detail === "flow" ? { ...s, children: inside(s.children) } : s);
}

/** Every step of a flow with the name of what it belongs to: "flow", or "flow/branch". */
export function stepsOf(flow: Symbol, graph = flow.name): readonly { readonly graph: string; readonly step: Symbol }[] {
  return flow.children.flatMap((c) => c.detail === "step" ? [{ graph, step: c }, ...stepsOf(c, graph)]
    : c.detail === "branch" ? stepsOf(c, `${graph}/${c.name}`) : []);
}

function constructs(files: readonly FileSymbols[], detail: string, name: string): readonly [FileSymbols, Symbol][] {
  return files.flatMap((f) => f.symbols.filter((s) => s.detail === detail && (!name || s.name === name))
    .map((s): [FileSymbols, Symbol] => [f, s]));
}

/** A construct (`rule`, its name), or a part of one (`state`, its name, the entity's). */
export function placeOf(files: readonly FileSymbols[], detail: string, name: string, owner = ""): Place | undefined {
  const outer = INSIDE[detail];
  if (!outer) {
    const found = constructs(files, detail, name)[0];
    return found && { file: found[0].file, range: found[1].selectionRange };
  }
  for (const [file, symbol] of constructs(files, outer, owner)) {
    const part = symbol.children.find((c) => c.detail === detail && c.name === name);
    if (part) {
      return { file: file.file, range: part.selectionRange };
    }
  }
  return undefined;
}

function placeOfStep(files: readonly FileSymbols[], flow: string, graph: string, name: string): Place | undefined {
  for (const [file, symbol] of constructs(files, "flow", flow)) {
    const found = stepsOf(symbol).find((s) => s.graph === graph && s.step.name === name);
    if (found) {
      return { file: file.file, range: found.step.selectionRange };
    }
  }
  return undefined;
}

/** Names of shapes begin with what they are: "entity/Order/open", "flow/pay/first",
 * "flow/pay/left/first", "flow/pay/lane/clerk", "rule/small", "flow/pay//end/failure". */
export function placeOfShape(files: readonly FileSymbols[], shape: string): Place | undefined {
  const [kind = "", name = "", ...rest] = shape.split("/");
  const whole = placeOf(files, kind, name);
  const last = rest[rest.length - 1];
  if (!last || rest.includes("")) {
    return whole;
  }
  if (kind === "flow") {
    return (rest[rest.length - 2] === "lane" ? placeOf(files, "persona", last) : undefined)
      ?? placeOfStep(files, name, [name, ...rest.slice(0, -1)].join("/"), last) ?? whole;
  }
  return (kind === "entity" ? placeOf(files, "state", last, name) : undefined) ?? whole;
}
