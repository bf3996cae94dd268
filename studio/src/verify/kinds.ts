/* What a file is, by what is in it: names can say anything. */
export type Kind = "ledger" | "receipts" | "proof" | "checkpoint" | "note" | "keys" | "witnesses";

export const LOOKED_AT = 1 << 20; // bytes from the beginning
const KEY = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/;
const NAMED_KEY = /^\S+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/;

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function ofDocument(d: Record<string, unknown>): Kind | null {
  return "proof" in d && "hashes" in d ? "proof"
    : ("promise" in d && "key" in d) || (d["receipt"] !== null && typeof d["receipt"] === "object") ? "receipts"
    : "checkpoint" in d && "signature" in d ? "checkpoint" : null;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** All of it, as it stands there: a mark in front or a byte that is not text is not left out, as the program does not. */
export async function fileText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DOMException(`${file.name} is not UTF-8 text: save it as such, and open it again`, "EncodingError");
  }
}

/** What to say of files that could not be read. Throws what is not about them. */
export function whyUnread(fault: unknown, given: readonly File[]): string {
  if (!(fault instanceof DOMException)) {
    throw fault;
  }
  return fault.name === "EncodingError" ? `${fault.message}.` : `${given.map((f) => f.name).join(", ")} cannot be read: is it a folder, or was it moved? Choose the files themselves.`;
}

/** Null: nothing that could be verified, or that helps to. */
export function evidenceKind(text: string): Kind | null {
  const lines = text.split("\n", 4096).filter(Boolean);
  if (lines.length && lines.every((l) => KEY.test(l.trim()))) {
    return "keys";
  }
  if (lines.length && lines.every((l) => NAMED_KEY.test(l.trim()))) {
    return "witnesses";
  }
  if (/\n\n— \S/.test(text) && !text.startsWith("{")) {
    return "note";
  }
  const whole = parsed(text);
  const kind = whole ? ofDocument(whole) : null;
  if (kind) {
    return kind;
  }
  const first = lines[0] ? parsed(lines[0]) : null;
  return first && ofDocument(first) === "receipts" ? "receipts" : /^\{"(body|checkpoint|document)":/.test(text) ? "ledger" : null;
}
