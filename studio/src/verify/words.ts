/* What came of it, in sentences. Each names what was checked, and the list beside it what was not: nothing here may
 * say more than the engine found out. */
import type { LedgerSaid, ProofSaid, ReceiptSaid, Said } from "../state/evidence.svelte";
import type { LedgerDemand, ProofDemand, ReceiptDemand } from "../engine/messages";

export interface Verdict {
  /** good: what it rests on is the reader's; half: it agrees with itself only; bad: it does not hold. */
  tone: "good" | "half" | "bad";
  sentence: string;
  checked: string[];
  open: string[];
}

const number = (n: number): string => n.toLocaleString("en");
export const count = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;
const listed = (...rows: [boolean, string][]): string[] => rows.filter(([is]) => is).map(([, text]) => text);
const QUORUM_AHEAD = "a cosignature of a time that has not come was not counted";

function witnessWords(demand: LedgerDemand | ReceiptDemand): string {
  const of = demand.witnesses?.length ?? 0;
  return of === 1 ? "the witness that you named has co-signed it" : `at least ${demand.witness_quorum ?? of} of the ${of} witnesses that you named have co-signed it`;
}

function broken(s: LedgerSaid): string {
  const place = `${s.line ? `, line ${number(s.line)}` : ""}${s.record === undefined ? "" : `, record ${number(s.record)}`}`;
  return `It does not hold: ${s.problem ?? "refused"}${place}.`;
}

function ofLedger(s: LedgerSaid, code: number, demand: LedgerDemand, unused: string[]): Verdict {
  const lines = s.records + s.checkpoints + s.documents, rest = s.records - s.attested;
  if (!s.holds) {
    return { tone: "bad", sentence: broken(s), checked: listed([lines > 0, `${count(lines, "line")} before it ${lines === 1 ? "agrees" : "agree"} with each other`]),
      open: listed([s.line !== undefined && s.line > 0, "nothing behind that line was looked at"]) };
  }
  if (!lines && !code && !s.signed && s.witnessed === undefined) {
    return { tone: "half", sentence: "There is nothing in it, so nothing was checked.", checked: [], open: [] };
  }
  const unsigned = `${count(s.records, "record is", "records are")} consistent. Nobody signed them.`;
  const by = s.believed_key ? "by a key that the ledger itself names" : "by a key that you trust or that such a key vouches for";
  const whole = demand.checkpoint !== undefined || s.witnessed !== undefined || s.origin !== undefined;
  return {
    tone: code ? "bad" : s.signed && !s.believed_key ? "good" : "half",
    sentence: code ? `${unsigned} You demand a signature.` : !s.signed ? unsigned
      : `${count(s.records, "record is", "records are")} consistent, ${number(s.attested)} of them signed ${by}.${rest ? ` The last ${count(rest, "is", "are").replace(/^1 /, "")} not under a checkpoint yet.` : ""}`,
    checked: listed([true, `${count(s.records, "record")}: each in canonical form, with its hash, behind the one before it, and of no other trust domain than the rest`],
      [s.checkpoints > 0, `${count(s.checkpoints, "checkpoint")}: signature, who may sign, number of records, head, and the root of the Merkle tree`],
      [s.documents > 0, `${count(s.documents, "document")}: each is what its digest says`],
      [demand.checkpoint !== undefined, "it goes on from the checkpoint that you kept"],
      [demand.domain !== undefined && s.checkpoints > 0, `the trust domain of every checkpoint is ${demand.domain}`],
      [s.origin !== undefined, `the note is of the log ${s.origin}, signed by a key of this ledger, and of these records`],
      [s.witnessed !== undefined, `a note of ${count(s.witnessed ?? 0, "record")}, signed by a key of this ledger: ${number(s.witnesses ?? 0)} of the ${number(demand.witnesses?.length ?? 0)} witnesses that you named co-signed it`]),
    open: listed([!s.signed, "who wrote it: somebody who has the whole file could have written all of it anew"],
      [s.signed && s.believed_key, "whose key it is: anybody can make a ledger with a key of their own. Paste the key that its owner gave you by another way"],
      [s.signed && rest > 0, `the last ${count(rest, "record")}: no signature covers ${rest === 1 ? "it" : "them"} yet`],
      [!whole, "whether records were cut off at the end: a checkpoint or a note that was kept elsewhere shows that"],
      [demand.domain !== undefined && !s.checkpoints, "the trust domain: without a checkpoint nobody signed for one"],
      [!demand.witnesses, "witnesses: none was named"],
      [(s.witnesses_ahead ?? 0) > 0, QUORUM_AHEAD]).concat(unused),
  };
}

function ofReceipt(s: ReceiptSaid, demand: ReceiptDemand): Verdict {
  if (!s.holds) {
    return { tone: "bad", sentence: `Record ${number(s.record)}: the receipt does not hold: ${s.problem ?? "refused"}.`, checked: [], open: [] };
  }
  return {
    tone: "good",
    sentence: s.complete ? `Complete: record ${number(s.record)} is in the ledger. The receipt and the checkpoint that covers it are signed by a key that you gave.`
      : `A promise: the executor signed that record ${number(s.record)} is in its ledger. No checkpoint covers it yet.`,
    checked: listed([true, "the signature of the promise, by a key that you gave"],
      [s.complete, "the signature of its checkpoint, by a key that you gave, and the Merkle proof from the record to the checkpoint's root"],
      [demand.domain !== undefined, `the trust domain is ${demand.domain}`], [demand.ledger !== undefined, "it is of the ledger that you named"],
      [demand.origin !== undefined, `it is of the log ${demand.origin}`], [demand.witnesses !== undefined, `its checkpoint: ${witnessWords(demand)}`]),
    open: listed([!s.complete, "whether the record is really in the ledger: a complete receipt, or the ledger, shows that"],
      [!demand.witnesses, s.witnesses ? `${count(s.witnesses, "cosignature")} that it has: you named no witness` : "witnesses: none was named"],
      [(s.witnesses_ahead ?? 0) > 0, QUORUM_AHEAD], [true, "the ledger itself: it is not needed for this"]),
  };
}

function ofReceipts(all: ReceiptSaid[], demand: ReceiptDemand): Verdict {
  const bad = all.find((r) => !r.holds), complete = all.filter((r) => r.complete).length;
  if (bad || all.length === 1) {
    const one = ofReceipt(bad ?? all[0]!, demand);
    return bad && all.length > 1 ? { ...one, sentence: `Line ${number(all.length)}: ${one.sentence}`, checked: [`${count(all.length - 1, "receipt")} before it ${all.length === 2 ? "holds" : "hold"}`], open: ["nothing behind that line was looked at"] } : one;
  }
  const one = ofReceipt(all.find((r) => !r.complete) ?? all[0]!, demand);
  return { ...one, sentence: `${count(all.length, "receipt")} hold: ${number(complete)} complete, ${count(all.length - complete, "promise")}.`,
    open: listed([all.some((r) => (r.witnesses_ahead ?? 0) > 0), QUORUM_AHEAD], [!demand.witnesses, "witnesses: none was named"], [true, "the ledger itself: it is not needed for this"]) };
}

function ofProof(s: ProofSaid, demand: ProofDemand, text: string): Verdict {
  if (!s.holds) {
    return { tone: "bad", sentence: `The proof does not hold: ${s.problem ?? "refused"}.`, checked: [], open: [] };
  }
  const p = JSON.parse(text) as { record?: { seq: number }; size?: number; from?: number; to?: number };
  return {
    tone: demand.keys ? "good" : "half",
    sentence: s.proof === "inclusion" ? `Record ${number(p.record!.seq)} is in the ledger of ${count(p.size!, "record")} that the checkpoint is of.`
      : `The ledger of ${count(p.to!, "record")} begins with the one of ${number(p.from!)}: nothing before was changed.`,
    checked: listed([true, "the hashes of the proof, up to the signed root"], [true, `the signature of ${demand.checkpoints.length === 1 ? "the checkpoint" : "both checkpoints"}${demand.keys ? ", by a key that you gave" : ""}`],
      [s.proof === "inclusion", "the record's own hash, from its bytes"],
      [demand.domain !== undefined, `the trust domain is ${demand.domain}`]),
    open: listed([!demand.keys, "whose key signed: anybody can sign a checkpoint with a key of their own. Paste the key that its owner gave you by another way"],
      [true, "the ledger itself: it is not needed for this"]),
  };
}

export function verdictOf(said: Said): Verdict {
  return said.kind === "ledger" ? ofLedger(said.is, said.code, said.demand, said.unused)
    : said.kind === "receipts" ? ofReceipts(said.is, said.demand) : ofProof(said.is, said.demand, said.text);
}

/* The engine speaks of options; the page has fields. */
const FIELDS: [RegExp, string][] = [
  [/`keys\[(\d+)\]`/g, "a key that you trust"], [/`witnesses\[(\d+)\]`/g, "a witness"], [/`witnesses`/g, "witnesses"], [/`origin`/g, "the name of the log"],
  [/`note`/g, "the signed note (motet ledger export --note)"], [/`checkpoints?`/g, "the checkpoint"], [/`witness_quorum`/g, "the number of witnesses that are enough"],
];
export function inWords(message: string): string {
  const said = FIELDS.reduce((text, [option, field]) => text.replace(option, field), message);
  return said.charAt(0).toUpperCase() + said.slice(1);
}
