/* The one place of state: files, facts, states, and what the engine says of them.
 *
 * Whatever changes text calls edit(); the engine is then asked, and views see `checked`
 * and `good` change. `good` is the last contract that held: while text is broken, pictures
 * and answers stay. Everything is kept in this browser as a draft, so nothing is lost by a reload. */
import { all } from "../engine/bundle";
import { EngineFault, call } from "../engine/client";
import type { Checked, Files, Good, Member, Place } from "../engine/messages";
import type { Local } from "./local.svelte";
import { notices } from "./notices.svelte";
import { LINK, pack, unpack } from "./share";
import { store, stored } from "./stored";

export type States = Record<string, Record<string, string>>;

/** What is kept, shared and opened. */
export interface Saved {
  name: string;
  /** The root first. */
  files: Files;
  /** JSON, as it was typed. */
  facts: string;
  /** Of each entity's one instance, where it is not the initial one. */
  states?: Record<string, string>;
  /** Of entities with named instances: the state of each. */
  instances?: States;
  /** The older version that it is compared with. */
  base?: Files | null;
  /** Somebody worked on it: it is kept when another takes its place. */
  typed?: boolean;
}

export const DRAFT = "motet.studio.draft";
const SAVE_AFTER = 250;
/** What the engine calls the one instance of an entity. */
export const ONE = "_default";

function isFiles(files: unknown): files is Files {
  return Array.isArray(files) && files.length > 0 && files.length <= 1000 &&
    files.every((f) => Array.isArray(f) && f.length === 2 && f.every((t) => typeof t === "string")) && new Set(files.map(([path]) => path as string)).size === files.length;
}

function readSaved(value: unknown): Saved {
  const v = value as Partial<Saved> | null;
  const files = v?.files;
  if (!v || !isFiles(files) || typeof v.name !== "string") {
    throw new Error("this is not a workspace of Studio");
  }
  const states = Object.entries(v.states ?? {}).filter(([, s]) => typeof s === "string");
  const instances = Object.entries(v.instances ?? {}).filter(([, of]) => of !== null && typeof of === "object" && Object.keys(of).length > 0 && Object.values(of).every((s) => typeof s === "string"));
  return { name: v.name, files, facts: typeof v.facts === "string" ? v.facts : "{}", states: Object.fromEntries(states), instances: Object.fromEntries(instances), base: isFiles(v.base) ? v.base : null, typed: v.typed !== false };
}

class Workspace {
  name = $state("");
  files = $state.raw<Files>([]);
  current = $state("");
  facts = $state("{}");
  at = $state.raw<Record<string, string>>({});
  named = $state.raw<States>({});
  /** Which instance is meant, of entities that have several. */
  meant = $state.raw<Record<string, string>>({});
  /** Of a System: the member that is tried; "": the first. */
  member = $state("");
  base = $state.raw<Files | null>(null);
  checked = $state.raw<Checked>({ diagnostics: [], good: null });
  good = $state.raw<Good | null>(null);
  /** Why the engine does not answer; "": it does. */
  trouble = $state("");
  ready = $state(false);
  /** Where the cursor is. */
  cursor = $state.raw<{ file: string; line: number; column: number } | null>(null);
  /** Where it should go; a new object each time. */
  goal = $state.raw<Place | null>(null);
  /** The folder of this machine that the files are from; null: they are only here. */
  disk = $state.raw<Local | null>(null);
  /** Where the draft is kept: another place, another draft. */
  key = DRAFT;
  /** Grows with every text that did not come from the editor itself. */
  opened = $state(0);
  /** Grows with every workspace that is opened. */
  began = $state(0);
  #asking = false;
  #again = false;
  #timer = 0;
  #told = false;
  #typed = false;

  get text(): string {
    return this.files.find(([path]) => path === this.current)?.[1] ?? "";
  }

  get saved(): Saved {
    return { name: this.name, files: this.files, facts: this.facts, states: this.at, instances: this.named, base: this.base, typed: this.#typed };
  }

  // ---- open and keep ----

  open(saved: Saved): void {
    this.name = saved.name;
    this.files = saved.files;
    this.facts = saved.facts;
    this.at = saved.states ?? {};
    this.named = saved.instances ?? {};
    this.meant = {};
    this.member = "";
    this.base = saved.base ?? null;
    this.current = saved.files[0]![0];
    this.good = null;
    this.cursor = null;
    this.opened++;
    this.began++;
    this.#changed();
    this.#typed = saved.typed ?? false;
  }

  /** The same with a way back. What somebody worked on is still there when the notice has gone: see `before`. */
  replace(saved: Saved, said: string): void {
    const before = this.saved;
    const text = JSON.stringify(before), to = `${this.key}.before`;
    const kept = !before.typed || store(to, text) || (store(this.key, "null") && store(to, text)); // the draft is the same once more
    this.open(saved);
    notices.say(kept ? said : `${said} This browser has no room for ${before.name} besides: once this page is left, it is gone.`, () => this.replace(before, `${before.name} is back.`));
  }

  /** What was last worked on, where something else took its place. */
  get before(): Saved | null {
    try {
      const before = readSaved(JSON.parse(stored(`${this.key}.before`) ?? "null"));
      return JSON.stringify(before.files) === JSON.stringify(this.files) ? null : before;
    } catch {
      return null;
    }
  }

  /** A link's workspace, else the draft, else the example. */
  async start(packed: string | null, example: Saved): Promise<void> {
    let draft: Saved | null = null;
    try {
      draft = readSaved(JSON.parse(stored(DRAFT) ?? "null"));
    } catch {
      // The first visit.
    }
    this.open(draft ?? example);
    this.#kept(); // another tab may have written since
    addEventListener("pagehide", () => this.flush());
    if (packed !== null) {
      await this.follow(packed);
    }
  }

  /** Opens what a link holds. */
  async follow(packed: string): Promise<void> {
    try {
      const shared = readSaved(await unpack(packed));
      this.replace({ ...shared, typed: false }, `Opened ${shared.name} from the link.`);
    } catch {
      notices.say("The link could not be read: it is not whole. Ask for it again; your draft is as it was.");
    }
  }

  #kept(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  keep(): void {
    this.#kept();
    const text = JSON.stringify(this.disk?.draft(this.saved) ?? this.saved), kept = (): boolean => store(this.key, text);
    if (!kept() && !(this.before === null && store(`${this.key}.before`, "null") && kept())) { // what was brought back is there twice
      notices.say("This browser keeps no more: share the workspace as a link, or save its files.");
    }
  }

  /** The page goes. A tab where nothing was done since does not write over what another one kept. */
  flush(): void {
    if (this.#timer) {
      this.keep();
    }
  }

  /** Another tab wrote the draft. This one keeps its text; the next change here is the draft again. */
  overtaken(): void {
    if (!this.#told) {
      this.#told = true;
      notices.say("Studio is open in another tab, too: what is typed last is what is kept. Share makes a link of this one.");
    }
  }

  link(): Promise<string | null> {
    return pack(this.saved);
  }

  // ---- change ----

  setName(name: string): void {
    this.name = name;
    this.#keepSoon();
  }

  edit(path: string, text: string): void {
    this.files = this.files.map((f) => (f[0] === path ? [path, text] : f));
    this.#changed();
  }

  /** Text from elsewhere than the editor. */
  put(path: string, text: string): void {
    const there = this.files.some((f) => f[0] === path);
    this.files = there ? this.files.map((f) => (f[0] === path ? [path, text] : f)) : [...this.files, [path, text]];
    this.opened++;
    this.#changed();
  }

  /** The same where the file may be another one than the editor has: that is left alone. */
  take(path: string, text: string): void {
    if (path === this.current || !this.files.some((f) => f[0] === path)) {
      this.put(path, text);
    } else {
      this.edit(path, text);
    }
  }

  /** Several texts at once; null: no such file any more. `anew`: the editor's own is among them. */
  write(texts: [path: string, text: string | null][], anew = false): void {
    const all = new Map<string, string | null>([...this.files, ...texts]);
    this.files = [...all].filter((f): f is [string, string] => f[1] !== null);
    this.opened += anew ? 1 : 0;
    this.#changed();
  }

  addFile(): void {
    let n = 1;
    while (this.files.some(([path]) => path === `file${n}.tenor`)) {
      n++;
    }
    this.put(`file${n}.tenor`, "");
    this.current = `file${n}.tenor`;
  }

  rename(path: string, to: string): void {
    if (to && !this.files.some((f) => f[0] === to)) {
      this.files = this.files.map((f) => (f[0] === path ? [to, f[1]] : f));
      this.current = this.current === path ? to : this.current;
      this.#changed();
    }
  }

  removeFile(path: string): void {
    const gone = this.files.filter((f) => f[0] === path);
    this.files = this.files.filter((f) => f[0] !== path);
    this.current = this.files[0]![0];
    this.opened++;
    this.#changed();
    notices.say(`Removed ${path}.`, () => this.write(gone)); // what was typed since stays
  }

  setFacts(text: string): void {
    this.facts = text;
    this.#keepSoon();
  }

  // ---- what is tried: the contract, or a member of the System ----

  get #tried(): Member | undefined {
    return this.good?.members.find((m) => m.id === this.member) ?? this.good?.members[0];
  }

  /** Its name; "": the contract itself. */
  get tried(): string {
    return this.#tried?.id ?? "";
  }

  get subject(): Good | null {
    return this.#tried ?? this.good;
  }

  /** Of whom the engine is asked; "": of the root. */
  get root(): string {
    return this.#tried?.root ?? "";
  }

  // ---- instances and their states ----

  /** An entity that members share is one; one that only has the same name is another. */
  slot(entity: string, member = this.#tried?.id ?? ""): string {
    const shared = all(this.good?.bundle, "System").some((s) => s.shared_entities?.some((e) => e.entity === entity && e.contracts.includes(member)));
    const namesakes = this.good?.members.filter((m) => all(m.bundle, "Entity").some((e) => e.id === entity)).length ?? 0;
    return !member || shared || namesakes < 2 ? entity : `${member}/${entity}`;
  }

  /** All instances of an entity, with their states; without a name there is one. */
  instancesOf(entity: string): [name: string, state: string][] {
    const known = all(this.subject?.bundle, "Entity").find((e) => e.id === entity);
    const slot = this.slot(entity);
    const fits = (state: string | undefined): string => (known && state !== undefined && known.states.includes(state) ? state : known?.initial ?? "");
    const named = Object.entries(this.named[slot] ?? {});
    return named.length ? named.map(([name, state]) => [name, fits(state)]) : [[ONE, fits(this.at[slot])]];
  }

  /** The instance that is meant where one has to be named. */
  meantOf(entity: string): string {
    const all = this.instancesOf(entity), meant = this.meant[this.slot(entity)];
    return all.some(([name]) => name === meant) ? meant! : all[0]![0];
  }

  mean(entity: string, instance: string): void {
    this.meant = { ...this.meant, [this.slot(entity)]: instance };
  }

  /** The state of the instance that is meant. */
  stateOf(entity: string): string {
    const meant = this.meantOf(entity);
    return this.instancesOf(entity).find(([name]) => name === meant)?.[1] ?? "";
  }

  setState(entity: string, state: string, instance = this.meantOf(entity)): void {
    const slot = this.slot(entity);
    if (Object.hasOwn(this.named, slot) || instance !== ONE) {
      this.named = { ...this.named, [slot]: { ...this.named[slot], [instance]: state } };
    } else {
      this.at = { ...this.at, [slot]: state };
    }
    this.#keepSoon();
  }

  /** All of them at once: what a moment of the simulation had. */
  setStates(at: Record<string, string>, named: States): void {
    this.at = at;
    this.named = named;
    this.#keepSoon();
  }

  #setInstances(entity: string, list: [string, string][], said: string): void {
    const before = this.named, slot = this.slot(entity);
    this.named = { ...this.named, [slot]: Object.fromEntries(list) };
    this.#keepSoon();
    if (said) {
      notices.say(said, () => {
        this.named = before;
        this.#keepSoon();
      });
    }
  }

  /** Where there was one without a name, it gets one. */
  addInstance(entity: string): void {
    const stem = entity.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
    const old = this.instancesOf(entity).map(([name, state], i): [string, string] => [name === ONE ? `${stem}-${i + 1}` : name, state]);
    let n = old.length + 1;
    while (old.some(([name]) => name === `${stem}-${n}`)) {
      n++;
    }
    const initial = all(this.subject?.bundle, "Entity").find((e) => e.id === entity)?.initial ?? "";
    this.#setInstances(entity, [...old, [`${stem}-${n}`, initial]], "");
  }

  renameInstance(entity: string, name: string, to: string): void {
    const list = this.instancesOf(entity);
    if (to && to !== name && !list.some(([other]) => other === to)) {
      this.#setInstances(entity, list.map(([other, state]) => [other === name ? to : other, state]), "");
    }
  }

  removeInstance(entity: string, name: string): void {
    this.#setInstances(entity, this.instancesOf(entity).filter(([other]) => other !== name), `Removed ${name}.`);
  }

  /** As the engine takes them. */
  get states(): States {
    return Object.fromEntries(all(this.subject?.bundle, "Entity").map((e) => [e.id, Object.fromEntries(this.instancesOf(e.id))]));
  }

  /** Which instance is meant, where there are several. */
  get bind(): Record<string, string> {
    return Object.fromEntries(all(this.subject?.bundle, "Entity").filter((e) => this.instancesOf(e.id).length > 1).map((e) => [e.id, this.meantOf(e.id)]));
  }

  /** Another file is the contract; those beside it stay. */
  setRoot(path: string): void {
    const was = this.files[0]![0];
    const root = this.files.find(([p]) => p === path) ?? this.files.find(([p]) => p.endsWith(`/${path}`));
    if (root) {
      this.open({ ...this.saved, files: [root, ...this.files.filter((f) => f !== root)] });
      notices.say(`${root[0]} is the contract now.`, () => this.setRoot(was));
    }
  }

  /** What the contract is compared with: true is the text as it is now, false nothing any more. */
  setBase(files: boolean | Files): void {
    const before = this.base;
    this.base = files === false ? null : (files === true ? this.files : files).filter(([path]) => !/\.ya?ml$|\.scenarios\.json$/.test(path));
    this.#keepSoon();
    const said = files === true ? "Kept as the old version. Change the text, and come back." : files ? `${files[0]![0]} is the old version now.` : "The old version is forgotten.";
    notices.say(said, () => {
      this.base = before;
      this.#keepSoon();
    });
  }

  goTo(place: Place): void {
    if (this.files.some(([path]) => path === place.file)) {
      this.current = place.file;
      this.goal = { ...place };
    }
  }

  #keepSoon(): void {
    clearTimeout(this.#timer);
    this.#typed = true;
    if (LINK.test(location.hash)) {
      history.replaceState(null, "", location.hash.replace(LINK, "")); // what was shared is older now: a reload must not bring it back
    }
    this.#timer = window.setTimeout(() => this.keep(), SAVE_AFTER);
  }

  #changed(): void {
    this.#keepSoon();
    void this.#check();
  }

  /** One question at a time; what changed meanwhile is asked once more. */
  async #check(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    do {
      this.#again = false;
      try {
        this.checked = await call("check", { files: this.files.filter(([path]) => !/\.ya?ml$|\.scenarios\.json$/.test(path)) });
        this.good = this.checked.good ?? this.good;
        this.trouble = "";
      } catch (fault) {
        this.trouble = fault instanceof EngineFault ? fault.message : String(fault);
      }
    } while (this.#again);
    this.#asking = false;
    this.ready = true;
  }

  // ---- what views read ----

  get errors(): number {
    return this.checked.diagnostics.filter((d) => d.severity === "error").length;
  }

  get warnings(): number {
    return this.checked.diagnostics.filter((d) => d.severity === "warning").length;
  }
}

export const workspace = new Workspace();
