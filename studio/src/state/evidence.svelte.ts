/* What is verified: a ledger, receipts or a proof, and what the reader trusts and demands. Kept while the page is
 * open, not in the draft: it may be large, and somebody else's. It is verified by an engine of its own, so that
 * whoever edits does not wait. */
import { EngineFault, EngineWorker } from "../engine/client";
import type { LedgerDemand, ProofDemand, Progress, ReceiptDemand } from "../engine/messages";
import { evidenceKind, fileText, LOOKED_AT, type Kind } from "../verify/kinds";

/** The answer of `motet ledger verify --json`. */
export interface LedgerSaid {
  holds: boolean;
  records: number;
  attested: number;
  checkpoints: number;
  documents: number;
  signed: boolean;
  believed_key: boolean;
  signer?: string;
  head: string;
  root: string;
  line?: number;
  record?: number;
  problem?: string;
  origin?: string;
  witnessed?: number;
  witnesses?: number;
  witnesses_ahead?: number;
}
/** A line of `motet receipt verify --json`. */
export interface ReceiptSaid {
  holds: boolean;
  complete: boolean;
  record: number;
  signer: string;
  witnesses: number;
  witnesses_ahead?: number;
  problem?: string;
  decision: Record<string, unknown>;
}
/** The answer of `motet ledger verify --proof --json`. */
export interface ProofSaid {
  holds: boolean;
  proof: "inclusion" | "consistency";
  problem?: string;
}
export type Said =
  | { kind: "ledger"; code: number; is: LedgerSaid; demand: LedgerDemand; unused: string[] }
  | { kind: "receipts"; code: number; is: ReceiptSaid[]; demand: ReceiptDemand }
  | { kind: "proof"; code: number; is: ProofSaid; demand: ProofDemand; text: string };
export interface Given {
  kind: Kind;
  name: string;
  text: string;
}

const TEXT_MOST = 64 << 20; // bytes of receipts
const PAUSE = 250; // ms after the last key, before all is verified again
const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const some = <T>(list: T[]): T[] | undefined => (list.length ? list : undefined);

class Evidence {
  name = $state("");
  kind = $state<"" | "ledger" | "receipts" | "proof">("");
  file = $state.raw<File | null>(null);
  /** Checkpoints and a note that were kept elsewhere. */
  given = $state.raw<Given[]>([]);
  keys = $state("");
  witnesses = $state("");
  quorum = $state("");
  domain = $state("");
  origin = $state("");
  ledger = $state("");
  /** Of a ledger: it must be signed. Of receipts: a promise is not enough. */
  strict = $state(false);
  said = $state.raw<Said | null>(null);
  marks = $state.raw<Progress[]>([]);
  progress = $state.raw<(Progress & { since: number; now: number }) | null>(null);
  trouble = $state("");
  busy = $state(false);
  stopped = $state(-1);
  /** Names of files that came with the one that is verified, and would be verified, too. */
  left = $state.raw<string[]>([]);
  #worker: EngineWorker | null = null;
  #later: ReturnType<typeof setTimeout> | undefined;

  async open(files: readonly File[]): Promise<void> {
    this.stop();
    this.stopped = -1;
    let heads: string[];
    try {
      heads = await Promise.all(files.map((f) => f.slice(0, LOOKED_AT).text()));
    } catch {
      this.lost();
      return;
    }
    // Nothing is waited for from here on: what was verified before must not be said of another file.
    const taken = files.filter((file, i) => this.#take(file, evidenceKind(heads[i]!) ?? "ledger", heads[i]!.trim()));
    this.left = taken.length ? taken.slice(0, -1).map((f) => f.name) : this.left;
    await this.verify();
  }

  /** What was said of it is of bytes that are not there any more. */
  lost(): void {
    this.stop();
    this.said = null;
    this.trouble = "the file cannot be read any more: was it changed or moved? Open it again";
  }

  /** True: it is what is verified from now on. */
  #take(file: File, kind: Kind, text: string): boolean {
    if (kind === "keys" || kind === "witnesses") {
      this[kind] = [...new Set([...words(this[kind]), ...words(text)])].join("\n");
    } else if (kind === "checkpoint" || kind === "note") {
      const rest = this.given.filter((g) => (kind === "note" ? g.kind !== "note" : g.text !== text));
      this.given = [...rest, { kind, name: file.name, text: kind === "note" ? `${text}\n` : text }];
    } else {
      this.name = file.name;
      this.file = file;
      this.kind = kind;
      this.said = null;
      this.marks = [];
      return true;
    }
    return false;
  }

  drop(given: Given): void {
    this.given = this.given.filter((g) => g !== given);
    void this.verify();
  }

  /** Something that is demanded was changed: verified again when the typing stops. */
  changed(): void {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => void this.verify(), PAUSE);
  }

  #demand(): LedgerDemand & { now?: number } {
    const witnesses = some(words(this.witnesses));
    return {
      keys: some(words(this.keys)), domain: this.domain || undefined, origin: this.origin || undefined,
      witnesses, witness_quorum: witnesses && Number(this.quorum) ? Number(this.quorum) : undefined, now: witnesses && Math.floor(Date.now() / 1000),
    };
  }

  get checkpoints(): string[] {
    return this.given.filter((g) => g.kind === "checkpoint").map((g) => g.text);
  }

  async #ask(worker: EngineWorker, file: File): Promise<Said | null> {
    const demand = this.#demand();
    if (this.kind === "ledger") {
      const since = performance.now();
      const note = this.given.find((g) => g.kind === "note"), noted = demand.witnesses !== undefined || demand.origin !== undefined;
      const asked = { ...demand, checkpoint: this.checkpoints.at(-1), note: noted ? note?.text : undefined, require_signature: this.strict || undefined };
      const unused = [...this.given.filter((g) => g.kind === "checkpoint").slice(0, -1).map((g) => `${g.name}: one checkpoint at a time`), ...(note && !noted ? [`${note.name}: name the log or witnesses that the note must be of`] : [])];
      const { told, marks } = await worker.call("ledger", { file, demand: asked }, (is) => (this.progress = { ...is, since, now: performance.now() }));
      this.marks = marks;
      return { kind: "ledger", code: told.code, is: JSON.parse(told.text) as LedgerSaid, demand: asked, unused };
    }
    if (file.size > TEXT_MOST) {
      throw new EngineFault({ kind: "limit", path: "", message: `more than ${TEXT_MOST >> 20} MB: motet verifies it` });
    }
    const text = await fileText(file);
    if (this.kind === "proof") {
      const asked = { checkpoints: this.checkpoints.slice(-2), keys: demand.keys, domain: demand.domain };
      if (!asked.checkpoints.length) {
        return null;
      }
      const told = await worker.call("proof", { text, demand: asked });
      return { kind: "proof", code: told.code, is: JSON.parse(told.text) as ProofSaid, demand: asked, text };
    }
    const asked = { ...demand, keys: demand.keys ?? [], complete: this.strict || undefined, ledger: this.ledger || undefined };
    if (!asked.keys.length) {
      return null;
    }
    const told = await worker.call("receipts", { text, demand: asked });
    return { kind: "receipts", code: told.code, is: told.text.trim().split("\n").map((l) => JSON.parse(l) as ReceiptSaid), demand: asked };
  }

  async verify(): Promise<void> {
    this.stop();
    const file = this.file;
    if (!file) {
      return;
    }
    const worker = (this.#worker ??= new EngineWorker());
    this.busy = true;
    this.stopped = -1;
    this.trouble = "";
    try {
      const said = await this.#ask(worker, file);
      if (worker === this.#worker) {
        this.said = said;
      }
    } catch (fault) {
      if (worker === this.#worker) {
        this.said = null;
        this.trouble = fault instanceof Error ? fault.message : String(fault);
      }
    } finally {
      if (worker === this.#worker) {
        this.busy = false;
        this.progress = null;
      }
    }
  }

  /** Nothing is said about what was not read to its end. */
  stop(): void {
    clearTimeout(this.#later);
    if (this.busy) {
      this.#worker?.end();
      this.#worker = null;
      this.stopped = this.progress?.lines ?? 0;
      this.busy = false;
      this.progress = null;
      this.said = null;
    }
  }

  clear(): void {
    this.stop();
    this.#worker?.end();
    this.#worker = null;
    this.name = this.kind = this.trouble = "";
    this.file = this.said = null;
    this.marks = this.given = [];
    this.left = [];
    this.stopped = -1;
  }
}

export const evidence = new Evidence();
