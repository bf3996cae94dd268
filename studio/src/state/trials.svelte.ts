/* The scenarios of the workspace: run by the engine, one case after the other, and what they reached.
 *
 * A file is about the contract that it names, else NAME.tenor beside NAME.scenarios.*: as `motet test` has it. What
 * can be reached at all is asked once for each contract; what a case reached is all of that but what it never saw. */
import { ask, EngineFault } from "../engine/client";
import type { Place } from "../engine/messages";
import { workspace } from "./workspace.svelte";

export const KINDS = ["rules", "absent", "operations", "outcomes", "steps", "edges", "paths"] as const;
export type Kind = (typeof KINDS)[number];
export type Names = Record<Kind, ReadonlySet<string>>;
/** These make the percentage, as in `motet test --coverage`. */
const COUNTED: readonly Kind[] = ["rules", "operations", "outcomes", "paths"];

/** One line of what differs. */
export interface Difference {
  place: Place | null;
  /** What it is about; all of it where nothing was expected by a value. */
  text: string;
  expected: string;
  got: string;
}
export interface Trial {
  file: string;
  /** The path of the contract it is about. */
  contract: string;
  /** In its file, from 1; 0: the file itself. */
  number: number;
  name: string;
  place: Place | null;
  /** open: an invariant that needs the solver, which a page has not got. */
  state: "passed" | "failed" | "open";
  note: string;
  differences: Difference[];
  ms: number;
  seen: Names;
}
export interface Cover {
  state: "seen" | "partly" | "never";
  /** In words, for who does not see colours. */
  words: string;
}

interface Told {
  cases: { name: string; ok: boolean; line?: number; column?: number; note?: string; why?: string }[];
  coverage: { coverage: Record<Kind, { never_seen: string[] }> }[];
}

const BEYOND = 4294967295; // no file has so many: nothing is run
export const isScenarios = (path: string): boolean => /\.scenarios\.(ya?ml|json)$/.test(path);
const none = (): Names => Object.fromEntries(KINDS.map((k) => [k, new Set<string>()])) as unknown as Names;

function join(folder: string, path: string): string {
  const parts: string[] = [];
  for (const word of `${folder}/${path}`.split("/")) {
    if (word === "..") {
      parts.pop();
    } else if (word && word !== ".") {
      parts.push(word);
    }
  }
  return parts.join("/");
}

/** The contract that a file of scenarios is about. */
export function contractOf(path: string, text: string): string {
  const folder = path.replace(/[^/]*$/, "");
  const named = /^(?:\{\s*)?"?contract"?\s*:\s*(?:"([^"]*)"|'([^']*)'|([^\s#,}]+))/m.exec(text);
  const given = named?.[1] ?? named?.[2] ?? named?.[3];
  return given ? join(folder, given) : path.replace(/\.scenarios\.\w+$/, ".tenor");
}

function differencesOf(why: string, file: string): Difference[] {
  return why.trim().split("\n").map((whole) => {
    const at = /^(.*?):(\d+):(\d+): (.*)$/.exec(whole);
    const text = at ? at[4]! : whole;
    const place = at && Number(at[2]) ? { file, line: Number(at[2]), column: Number(at[3]), end_line: Number(at[2]), end_column: Number(at[3]) } : null;
    const both = /^(.*?): expected (.*), got (.*)$/.exec(text);
    return { place, text: both?.[1] ?? text, expected: both?.[2] ?? "", got: both?.[3] ?? "" };
  });
}

class Trials {
  list = $state.raw<Trial[]>([]);
  /** What can be reached, by contract. */
  all = $state.raw<Record<string, Names>>({});
  running = $state(false);
  /** Of those that run: how many came out. */
  done = $state(0);
  /** Texts and contract of the last run. */
  #of = $state("");
  /** Is it painted on source and pictures? */
  shown = $state(true);
  /** The one that is looked at alone: "file number"; "": all together. */
  chosen = $state("");
  #turn = 0;

  get files(): [string, string][] {
    return workspace.files.filter(([path]) => isScenarios(path));
  }

  get #now(): string {
    return JSON.stringify([workspace.good?.etag, this.files]);
  }

  get stale(): boolean {
    return this.list.length > 0 && this.#of !== this.#now;
  }

  get passed(): number {
    return this.list.filter((t) => t.state === "passed").length;
  }

  key(t: Trial): string {
    return `${t.file} ${t.number} ${t.name}`;
  }

  /** All of them, or the one. They are shown when all are done: what grows would move what stands below it. What comes out while others
   * are asked later is not shown. */
  async run(only?: Trial): Promise<void> {
    const mine = ++this.#turn, of = this.#now, files = this.files;
    let found: Trial[] = only ? this.list : [];
    this.running = true;
    this.done = 0;
    if (!only) {
      this.chosen = "";
      this.list = this.list.every((t) => files.some(([path]) => path === t.file)) ? this.list : []; // of another workspace
    }
    for (const [file, text] of files) {
      for (let number = only?.number || 1; !only || (only.file === file && number === only.number); number++) {
        const told = await this.#one(file, text, number);
        if (mine !== this.#turn) {
          return;
        }
        const known = new Set(only ? [] : found.filter((t) => t.file === file).map((t) => this.key(t)));
        const fresh = told.filter((t) => !known.has(this.key(t)));
        found = only ? found.map((t) => fresh.find((f) => this.key(f) === this.key(t)) ?? t) : [...found, ...fresh];
        this.done = found.length;
        if (fresh.length !== 1 || fresh[0]!.number === 0) {
          break; // the end, or the whole file is at fault
        }
      }
    }
    this.list = found;
    this.#of = only ? this.#of : of;
    this.running = false;
  }

  async #one(file: string, text: string, number: number): Promise<Trial[]> {
    const contract = contractOf(file, text);
    const fault = (why: string): Trial[] => [{ file, contract, number: 0, name: "the file", place: null, state: "failed", note: "", differences: differencesOf(why, file), ms: 0, seen: none() }];
    if (!workspace.files.some(([path]) => path === contract)) {
      return fault(`it is about ${contract}, which is not in this workspace`);
    }
    try {
      const all = (this.all[contract] !== undefined && number > 1 && this.all[contract]) || await this.#allOf(contract, text);
      const from = performance.now();
      const told = await ask<Told>("test", { name: file, scenarios: text, number }, contract);
      const ms = performance.now() - from;
      const seen = none();
      for (const kind of KINDS) {
        const never = new Set(told.coverage[0]!.coverage[kind].never_seen);
        seen[kind] = new Set([...all[kind]].filter((name) => !never.has(name)));
      }
      const title = `${file.replace(/^.*\//, "")}: `;
      return told.cases.map((c, i): Trial => ({
        file, contract, number: c.line ? number + i : 0, name: c.name.startsWith(title) ? c.name.slice(title.length) : c.name, ms, seen,
        place: c.line ? { file, line: c.line, column: c.column ?? 1, end_line: c.line, end_column: 1000 } : null,
        state: c.ok ? "passed" : /^invariant .* was not decided/.test(c.why ?? "") ? "open" : "failed",
        note: c.note ?? "", differences: c.ok ? [] : differencesOf(c.why ?? "", file),
      }));
    } catch (thrown) {
      return fault(thrown instanceof EngineFault ? thrown.message : String(thrown));
    }
  }

  async #allOf(contract: string, text: string): Promise<Names> {
    const told = await ask<Told>("test", { scenarios: text, number: BEYOND }, contract);
    const names = none();
    KINDS.forEach((kind) => (names[kind] = new Set(told.coverage[0]!.coverage[kind].never_seen)));
    this.all = { ...this.all, [contract]: names };
    return names;
  }

  // ---- what was reached ----

  /** Those that count: all, or the one that was chosen. */
  counting(contract: string): Trial[] {
    return this.list.filter((t) => t.contract === contract && (!this.chosen || this.key(t) === this.chosen));
  }

  seen(contract: string, kind: Kind, name: string): boolean {
    return this.counting(contract).some((t) => t.seen[kind].has(name));
  }

  never(contract: string, kind: Kind): string[] {
    return [...(this.all[contract]?.[kind] ?? [])].filter((name) => !this.seen(contract, kind, name));
  }

  /** Percent, rounded down, as the command says it. */
  percent(contract: string): number {
    const total = COUNTED.reduce((n, kind) => n + (this.all[contract]?.[kind].size ?? 0), 0);
    const missing = COUNTED.reduce((n, kind) => n + this.never(contract, kind).length, 0);
    return total ? Math.floor(((total - missing) * 100) / total) : 100;
  }

  /** Of something drawn or written: "rule/x", "operation/x", "flow/f", "flow/f/step". Null: nothing is known of it. */
  about(contract: string, path: string): Cover | null {
    const all = this.all[contract];
    const [kind = "", id = "", ...inner] = path.split("/");
    if (!all || !this.shown || !this.list.length) {
      return null;
    }
    const step = inner[inner.length - 1] ?? "";
    const part = (k: Kind, title: string): [string[], string[]] => {
      const every = [...all[k]].filter((name) => name === title || name.startsWith(`${title}: `) || name.startsWith(`${title}=`));
      return [every, every.filter((name) => !this.seen(contract, k, name))];
    };
    const told = (seen: boolean, what: string, missing: string[]): Cover => ({
      state: !seen ? "never" : missing.length ? "partly" : "seen",
      words: !seen ? `${what} was never reached` : missing.length ? `${what} was reached, but never ${missing.join(", ")}` : `${what} is covered`,
    });
    if (kind === "rule" && all.rules.has(id)) {
      return told(this.seen(contract, "rules", id), `rule ${id}`, this.seen(contract, "absent", id) ? [] : ["without its verdict"]);
    }
    if (kind === "operation" && all.operations.has(id)) {
      return told(this.seen(contract, "operations", id), `operation ${id}`, part("outcomes", id)[1].map((n) => n.slice(id.length + 2)));
    }
    if (kind === "flow" && !step) {
      const [ways, missing] = part("paths", id);
      return ways.length ? { state: !missing.length ? "seen" : missing.length < ways.length ? "partly" : "never", words: `flow ${id}: ${ways.length - missing.length} of ${ways.length} paths taken` } : null;
    }
    const title = [...all.steps].find((n) => n.endsWith(`: ${step}`) && (n.startsWith(`${id}: `) || n.startsWith(`${id}/`)));
    return kind === "flow" && title ? told(this.seen(contract, "steps", title), `step ${step}`, part("edges", title)[1].map((n) => n.slice(title.length + 1))) : null;
  }
}

export const trials = new Trials();
