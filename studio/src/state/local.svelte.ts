/* Files of a folder that `motet studio` has open for this page. The disk is the truth: what is typed is unsaved until
 * it is saved, with the hash of what was read, so nothing that changed meanwhile is overwritten unseen. The folder is
 * looked at again every two seconds while the page is seen. What is unsaved is kept in this browser, for this folder. */
import type { Files } from "../engine/messages";
import { visible } from "../picture/layout";
import { isFacts, rootFirst } from "./disk";
import { notices } from "./notices.svelte";
import { store, stored } from "./stored";
import { type Saved, type States, workspace } from "./workspace.svelte";

const KEY = "motet.studio.local";
const LOOK_EVERY = 2000;

/** A file as it is on disk. */
interface OnDisk {
  etag: string;
  text: string;
}
interface Listed {
  asks: boolean;
  cut: boolean;
  files: { path: string; etag: string }[];
  folder: string;
  left_out: { path: string; why: string }[];
  place: string;
  root: string;
}
/** What this browser keeps for the folder: only what is not on disk. */
interface Draft {
  name: string;
  facts: string;
  states: Record<string, string>;
  instances?: States | undefined;
  base?: Files | null | undefined;
  unsaved: [path: string, text: string, etag: string | null][];
}

/** What the server refuses: its status, and a sentence. */
export class Refused extends Error {
  constructor(readonly status: number, detail: string) {
    super(detail);
  }
}

let key = "";

export async function request<T>(method: string, what: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<T> {
  const said = await fetch(`local/${what}`, { method, cache: "no-store", headers: { "X-CSRF-Token": key, ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }), ...(signal ? { signal } : {}) });
  const told = (await said.json()) as T & { detail?: string };
  if (!said.ok) {
    throw new Refused(said.status, told.detail ?? `status ${said.status}`);
  }
  return told;
}

const list = (): Promise<Listed> => request("GET", "files");
const read = async (paths: string[]): Promise<[string, OnDisk][]> =>
  paths.length ? (await request<{ files: { path: string; etag: string; text: string }[] }>("POST", "read", { paths })).files.map((f) => [f.path, { etag: f.etag, text: f.text }]) : [];

class Local {
  folder = $state("");
  asks = $state(false);
  /** Why nothing can be read or saved now; "": it can. */
  trouble = $state("");
  /** The file that the facts come from; "": none. */
  facts = $state("");
  /** As it was last read or written. */
  known = $state.raw<ReadonlyMap<string, OnDisk>>(new Map());
  /** What somebody else wrote while the same file was changed here. */
  theirs = $state.raw<ReadonlyMap<string, OnDisk>>(new Map());
  /** Everything that Save would write. */
  unsaved = $derived(this.#open().filter(([path, text]) => this.known.get(path)?.text !== text).map(([path]) => path));
  #line: Promise<unknown> = Promise.resolve();

  /** Names of files are somebody's text, too. */
  shown(name: string): string {
    return visible(name);
  }

  #open(): [string, string][] {
    return this.facts ? [...workspace.files, [this.facts, workspace.facts]] : workspace.files;
  }

  #text(path: string): string | undefined {
    return this.#open().find(([p]) => p === path)?.[1];
  }

  #set(path: string, text: string): void {
    if (path === this.facts) {
      workspace.setFacts(text);
    } else {
      workspace.take(path, text);
    }
  }

  #note(which: "known" | "theirs", path: string, now: OnDisk | null): void {
    const next = new Map(this[which]);
    if (now) {
      next.set(path, now);
    } else {
      next.delete(path);
    }
    this[which] = next;
  }

  // ---- beginning ----

  async #enter(secret: string | null): Promise<Listed> {
    key = stored(KEY) ?? "";
    if (secret === null) {
      return list();
    }
    try {
      key = (await request<{ key: string }>("POST", "session", { secret })).key;
      store(KEY, key);
    } catch (fault) {
      // The same browser may have been here: then its session is still good.
      return list().catch(() => Promise.reject(fault as Error));
    }
    return list();
  }

  async start(secret: string | null): Promise<void> {
    workspace.disk = this;
    try {
      const listed = await this.#enter(secret);
      const files = await read(listed.files.map((f) => f.path));
      this.folder = listed.folder;
      this.asks = listed.asks;
      workspace.key = `${workspace.key}.${listed.place}`;
      this.#begin(listed, files);
      setInterval(() => document.visibilityState === "visible" && void this.look(), LOOK_EVERY);
      addEventListener("focus", () => void this.look());
      addEventListener("pagehide", () => workspace.flush());
    } catch (fault) {
      this.trouble = fault instanceof Refused ? `${fault.message}.` : "motet studio does not answer. Is it still running?";
      workspace.open({ name: "closed", files: [["closed.tenor", ""]], facts: "{}" });
    }
  }

  #begin(listed: Listed, found: [string, OnDisk][]): void {
    const texts = found.map(([path, f]): [string, string] => [path, f.text]);
    this.facts = listed.root ? "" : texts.find(([path, text]) => /facts?[^/]*\.json$/i.test(path) && isFacts(path, text))?.[0] ?? "";
    const rest = texts.filter(([path]) => path !== this.facts);
    const files = rest.some(([path]) => /\.(tenor|json)$/.test(path)) ? rest : [["contract.tenor", ""] as [string, string], ...rest];
    this.known = new Map(found);
    const name = (listed.root || listed.folder).replace(/^.*\//, "").replace(/\.\w+$/, "");
    workspace.open({ name, files: listed.root ? files : rootFirst(files), facts: texts.find(([path]) => path === this.facts)?.[1] ?? "{}", states: {} });
    if (files !== rest) {
      notices.say("There is no contract in this folder yet. contract.tenor is a new one; Save writes it.");
    }
    const left = listed.left_out.map((f) => `${f.path} ${f.why}`);
    if (left.length) {
      notices.say(`Left out: ${left.slice(0, 3).join("; ")}${left.length > 3 ? `; and ${left.length - 3} more` : ""}.`);
    }
    this.#bringBack();
  }

  /** What was unsaved when the page was closed. */
  #bringBack(): void {
    let draft: Draft;
    try {
      draft = JSON.parse(stored(workspace.key) ?? "null") as Draft;
      if (!draft || !Array.isArray(draft.unsaved)) {
        return;
      }
    } catch {
      return;
    }
    const before = workspace.saved;
    const changed = draft.unsaved.filter(([path, text]) => this.#text(path) !== text);
    changed.forEach(([path, text, etag]) => {
      const now = this.known.get(path);
      this.#set(path, text);
      if (now && now.etag !== etag) {
        this.#note("theirs", path, now);
      }
    });
    if (!this.facts) {
      workspace.setFacts(draft.facts);
    }
    workspace.at = draft.states;
    workspace.named = draft.instances ?? {};
    workspace.base = draft.base ?? null;
    if (changed.length) {
      notices.say(`What you had not saved is here again: ${changed.map(([path]) => path).join(", ")}.`, () => {
        this.theirs = new Map();
        workspace.open(before);
      });
    }
  }

  /** For the draft: the disk has the rest. */
  draft(saved: Saved): Draft {
    return { name: saved.name, facts: saved.facts, states: saved.states ?? {}, instances: saved.instances, base: saved.base, unsaved: this.unsaved.map((path) => [path, this.#text(path)!, this.known.get(path)?.etag ?? null]) };
  }

  // ---- what others do ----

  /** One thing after the other: a look between writing and knowing would see a stranger. */
  #inLine<T>(what: () => Promise<T>): Promise<T> {
    const next = this.#line.then(what, what);
    this.#line = next.catch(() => undefined);
    return next;
  }

  look(): Promise<void> {
    return this.#inLine(() => this.#look());
  }

  async #look(): Promise<void> {
    try {
      const listed = await list();
      const news = listed.files.filter((f) => (this.theirs.get(f.path) ?? this.known.get(f.path))?.etag !== f.etag).map((f) => f.path);
      (await read(news)).forEach(([path, now]) => this.#changed(path, now));
      const there = new Set([...listed.files, ...listed.left_out].map((f) => f.path));
      [...this.known.keys()].filter((path) => !there.has(path)).forEach((path) => this.#gone(path));
      this.trouble = "";
    } catch (fault) {
      this.trouble = fault instanceof Refused && fault.status === 401 ? "motet studio was started anew: open the address that it printed. What you have not saved is kept in this browser."
        : fault instanceof Refused ? `${fault.message}.` : "motet studio does not answer. Start it again to save; what you type is kept in this browser.";
    }
  }

  #changed(path: string, now: OnDisk): void {
    const mine = this.#text(path), before = this.known.get(path);
    if (mine === now.text || (mine === undefined && before)) {
      this.#note("known", path, now);
      this.#note("theirs", path, null);
    } else if (mine === undefined) {
      this.#note("known", path, now);
      this.#set(path, now.text);
      notices.say(`${path} is new in the folder.`);
    } else if (before && mine === before.text) {
      this.#note("known", path, now);
      this.#set(path, now.text);
      notices.say(`${path} was changed on disk and read again.`, () => this.#set(path, mine));
    } else {
      this.#note("theirs", path, now);
    }
  }

  #gone(path: string): void {
    this.#note("known", path, null);
    this.#note("theirs", path, null);
    if (this.#text(path) !== undefined) {
      notices.say(`${path} is not on disk any more. It is still here; Save writes it again.`);
    }
  }

  // ---- saving ----

  async #put(path: string, text: string, over: string | null): Promise<void> {
    const condition: Record<string, string> = over === null ? { "If-None-Match": "*" } : { "If-Match": `"${over}"` };
    const now = await request<{ etag: string }>("PUT", "file", { path, text }, condition);
    this.#note("known", path, { etag: now.etag, text });
    this.#note("theirs", path, null);
  }

  save(): Promise<void> {
    return this.#inLine(() => this.#save());
  }

  async #save(): Promise<void> {
    const done: string[] = [];
    const paths = this.unsaved.filter((path) => !this.theirs.has(path));
    if (!this.unsaved.length) {
      notices.say("Everything is saved.");
    }
    for (const path of paths) {
      try {
        await this.#put(path, this.#text(path)!, this.known.get(path)?.etag ?? null);
        done.push(path);
      } catch (fault) {
        await this.#unsaved(path, fault);
      }
    }
    if (done.length) {
      notices.say(`Saved ${done.join(", ")}.`);
      workspace.keep();
    }
  }

  async #unsaved(path: string, fault: unknown): Promise<void> {
    if (fault instanceof Refused && fault.status === 412) {
      await this.#look();
    }
    if (!this.theirs.has(path) && !this.trouble) {
      notices.say(`${path} could not be saved: ${fault instanceof Refused ? fault.message : "motet studio does not answer"}. It is still here.`);
    }
  }

  // ---- two versions of one file ----

  takeTheirs(path: string): void {
    const now = this.theirs.get(path), mine = this.#text(path);
    if (now && mine !== undefined) {
      this.#note("known", path, now);
      this.#note("theirs", path, null);
      this.#set(path, now.text);
      notices.say(`${path} is as it is on disk.`, () => this.#set(path, mine));
    }
  }

  overwrite(path: string): Promise<void> {
    return this.#inLine(async () => {
      const now = this.theirs.get(path);
      if (!now) {
        return;
      }
      try {
        await this.#put(path, this.#text(path)!, now.etag);
        const written = this.known.get(path)!.etag;
        notices.say(`${path} on disk is yours now.`, () => void this.#inLine(() => this.#put(path, now.text, written).catch((fault) => this.#unsaved(path, fault))));
      } catch (fault) {
        await this.#unsaved(path, fault);
      }
    });
  }
}

export type { Local };
export const local = new Local();
