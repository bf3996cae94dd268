/* Files of the reader's machine: opened by choosing or dropping them, saved as downloads. */
import { notices } from "./notices.svelte";
import { workspace } from "./workspace.svelte";
import { evidenceKind, fileText, LOOKED_AT, whyUnread } from "../verify/kinds";

const LARGEST = 4 << 20;
const KINDS = /\.(tenor|json|ya?ml)$/i;
const EVIDENCE = /\.(jsonl|pub|vkey|note)$/i;

/** Ledgers, receipts, proofs and keys go to where they are verified. */
async function isEvidence(file: File): Promise<boolean> {
  return EVIDENCE.test(file.name) || (!/\.(tenor|ya?ml)$/i.test(file.name) && evidenceKind(await file.slice(0, LOOKED_AT).text()) !== null);
}

/** The root is what others do not import: a System, else the first in order. */
export function rootFirst(files: [string, string][]): [string, string][] {
  const root = files.find(([path, text]) => /\.tenor$/.test(path) && /^\s*system\s/m.test(text)) ?? files.find(([path]) => /\.tenor$/.test(path)) ?? files[0]!;
  return [root, ...files.filter((f) => f !== root)];
}

/** Facts are taken as facts: a JSON object that is not a bundle. */
export function isFacts(path: string, text: string): boolean {
  return /\.json$/i.test(path) && !/"kind"\s*:\s*"Bundle"/.test(text);
}

/** Graphs, agents and what they did: opened where one looks at such things, or when they say so themselves. */
async function openRun(list: File[]): Promise<boolean> {
  const here = /^#\/(graphs|agents)/.test(location.hash);
  const own = here ? list : list.filter((f) => /\.ya?ml$/i.test(f.name) && f.size < LARGEST);
  const say = /^["']?(kind|agent)["']?\s*:\s*["']?(cluster|adapter|source|compute|trigger|action)?/m;
  const read = here ? [] : await Promise.all(own.map((f) => f.slice(0, 4000).text()));
  const found = here ? "" : read.some((t) => say.exec(t)?.[2]) ? "graphs" : read.some((t) => say.exec(t)?.[1] === "agent") ? "agents" : null;
  if (found === null || !own.length) {
    return false;
  }
  if (found) {
    location.hash = `#/${found}`;
  }
  const run = await import("../run/open");
  await run.openRun(list);
  return true;
}

export const openFiles = (list: Iterable<File>): Promise<void> => opened([...list], openAll);

/** The older version that the text is compared with. */
export const openOlder = (list: Iterable<File>): Promise<void> => opened([...list], async (given) => {
  const files = await readAll(given);
  if (files) {
    workspace.setBase(rootFirst(files));
  }
});

/** `given` is not a list of the browser's own: that is empty once somebody waits. */
async function opened(given: File[], open: (given: File[]) => Promise<void>): Promise<void> {
  try {
    await open(given);
  } catch (fault) {
    notices.say(whyUnread(fault, given));
  }
}

/** Paths and texts of what has a name that we know; null: it was said why not. */
async function readAll(given: File[]): Promise<[string, string][] | null> {
  const all = given.filter((f) => KINDS.test(f.name));
  const large = all.find((f) => f.size > LARGEST);
  if (!all.length || large) {
    notices.say(large ? `${large.name} is larger than ${LARGEST >> 20} MB. motet check reads it.`
      : "Nothing there to open: contracts end in .tenor, bundles and facts in .json, scenarios in .yaml.");
    return null;
  }
  const read = await Promise.all(all.map(async (f): Promise<[string, string]> => [f.webkitRelativePath || f.name, await fileText(f)]));
  if (new Set(read.map(([path]) => path)).size < read.length) {
    notices.say("Two of them have the same name: open them one after the other.");
    return null;
  }
  return read;
}

async function openAll(given: File[]): Promise<void> {
  if (await openRun(given)) {
    return;
  }
  const proofs = (await Promise.all(given.map(async (f) => [f, await isEvidence(f)] as const))).filter(([, is]) => is).map(([f]) => f);
  if (proofs.length) {
    const others = given.filter((f) => !proofs.includes(f));
    if (others.length) {
      notices.say(`Left out: ${others.map((f) => f.name).join(", ")}. What is verified is opened alone.`);
    }
    location.hash = "#/verify";
    const { evidence } = await import("./evidence.svelte");
    await evidence.open(proofs);
    return;
  }
  const read = await readAll(given);
  if (!read) {
    return;
  }
  const facts = read.find(([path, text]) => isFacts(path, text));
  const files = read.filter((f) => f !== facts);
  if (!files.length && facts) {
    const before = workspace.facts;
    workspace.setFacts(facts[1]);
    notices.say(`${facts[0]} are the facts now.`, () => workspace.setFacts(before));
    return;
  }
  const ordered = rootFirst(files);
  workspace.replace({ name: ordered[0]![0].replace(/^.*\//, "").replace(/\.\w+$/, ""), files: ordered, facts: facts?.[1] ?? "{}", states: {} }, `Opened ${ordered.map(([p]) => p).join(", ")}.`);
}

export function download(name: string, text: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/^.*\//, "");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
