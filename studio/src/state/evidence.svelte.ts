/* What is verified: an export of a ledger or a receipt, and the keys that the reader trusts. Kept while the page is
 * open, not in the draft: it may be large, and somebody else's. */
import { call, EngineFault } from "../engine/client";

/** The answer of `motet ledger verify --json`. */
export interface LedgerSaid {
  holds: boolean;
  records: number;
  attested: number;
  checkpoints: number;
  signed: boolean;
  believed_key: boolean;
  signer?: string;
  head: string;
  line?: number;
  record?: number;
  problem?: string;
}

class Evidence {
  name = $state("");
  text = $state.raw("");
  keys = $state("");
  said = $state.raw<LedgerSaid | null>(null);
  trouble = $state("");
  busy = $state(false);
  #turn = 0;

  async open(files: readonly File[]): Promise<void> {
    const key = files.find((f) => /\.pub$/i.test(f.name)), ledger = files.find((f) => !/\.pub$/i.test(f.name));
    if (key) {
      this.keys = (await key.text()).trim();
    }
    if (ledger) {
      this.name = ledger.name;
      this.text = await ledger.text();
    }
    await this.verify();
  }

  async verify(): Promise<void> {
    const turn = ++this.#turn;
    if (!this.text) {
      return;
    }
    this.busy = true;
    try {
      const keys = this.keys.split(/\s+/).filter(Boolean);
      const told = await call("verify", { ledger: this.text, demand: keys.length ? { keys } : {} });
      if (turn === this.#turn) {
        this.said = JSON.parse(told.text) as LedgerSaid;
        this.trouble = "";
      }
    } catch (fault) {
      if (turn === this.#turn) {
        this.said = null;
        this.trouble = fault instanceof EngineFault ? fault.message : String(fault);
      }
    } finally {
      this.busy = turn === this.#turn ? false : this.busy;
    }
  }

  clear(): void {
    this.#turn++;
    this.name = this.text = this.trouble = "";
    this.said = null;
    this.busy = false;
  }
}

export const evidence = new Evidence();
