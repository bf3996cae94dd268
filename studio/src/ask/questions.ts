/* Questions that can be asked of this contract: made from its names, and what its scenario files promise. The words are
 * those of `motet ask`; what they mean is in docs/reference/proofs.md. */
import { all, type Bundle } from "../engine/bundle";
import type { Files, Named } from "../engine/messages";

export interface Ready {
  title: string;
  about: string;
  questions: string[];
}

/** Of each kind; the field takes any. */
const MOST = 24;

/** Lines below `invariants:`. What is not a question is told when it is asked. */
export function invariants(files: Files): string[] {
  return files.filter(([path]) => /\.scenarios\.ya?ml$/.test(path)).flatMap(([, text]) => {
    const below = /^invariants:[ \t]*\n((?:[ \t]*(?:-.*|#.*)?\n)*)/m.exec(`${text}\n`)?.[1] ?? "";
    return [...below.matchAll(/^[ \t]*-[ \t]+(.*\S)[ \t]*$/gm)].map((m) => m[1]!.replace(/^(["'])(.*)\1$/, "$2"));
  });
}

/** Two operations that no persona is allowed both: separation of duties, as it stands. */
function duties(operations: { id: string; allowed_personas: string[] }[]): string[] {
  return operations.flatMap((a, i) => operations.slice(i + 1).filter((b) => a.allowed_personas.length > 0 && b.allowed_personas.length > 0 && !a.allowed_personas.some((p) => b.allowed_personas.includes(p)))
    .map((b) => `nobody can both ${a.id} and ${b.id}`));
}

export function ready(bundle: Bundle, index: readonly Named[], files: Files): Ready[] {
  const personas = all(bundle, "Persona"), operations = all(bundle, "Operation"), entities = all(bundle, "Entity"), flows = all(bundle, "Flow");
  const verdicts = [...new Set(index.filter((n) => n.kind === "verdict").map((n) => n.id))].sort();
  const states = entities.flatMap((e) => e.states.filter((s) => s !== e.initial).map((s) => `${e.id}.${s}`));
  const lists: Ready[] = [
    { title: "Invariants", about: "promised in the scenario files; the answer must be yes", questions: invariants(files) },
    { title: "Who", about: "who can do it, after others if need be", questions: [...operations.map((o) => `who can perform ${o.id}`), ...personas.map((p) => `what can ${p.id} do alone`)] },
    { title: "Reach", about: "can it ever be so?", questions: states.map((s) => `can anyone reach ${s}`) },
    { title: "Never and always", about: "in every run, for all facts", questions: [
      ...(entities.length ? ["from every state a terminal is reachable"] : []), ...(flows.length ? ["every flow ends"] : []),
      ...entities.flatMap((e) => { const ends = e.states.filter((s) => s !== e.initial && !e.transitions.some((t) => t.from === s && t.to !== s)); return ends.slice(1).map((s) => `never ${e.id}.${ends[0]} and ${e.id}.${s}`); }),
      ...duties(operations).slice(0, 8)] },
    { title: "When", about: "for which facts, and whose", questions: verdicts.flatMap((v) => [`when is ${v}`, `who can cause ${v}`]) },
  ];
  return lists.map((l) => ({ ...l, questions: l.questions.slice(0, MOST) })).filter((l) => l.questions.length > 0);
}

/** Forms and an example of each, for whoever writes one. */
export const FORMS: [form: string, example: string][] = [
  ["can PERSONA reach ENTITY.STATE", "can buyer reach EscrowAccount.released"],
  ["can CONDITION hold", "can release_approved and not within_threshold hold"],
  ["is CONDITION implied by CONDITION", "is within_threshold implied by release_approved"],
  ["never GOAL while CONDITION", "never perform release_escrow while not release_approved"],
  ["always EVENT before EVENT", "always confirm_delivery before release_escrow"],
  ["nobody can both OPERATION and OPERATION", "nobody can both confirm_delivery and release_escrow"],
  ["why not QUESTION", "why not can buyer reach EscrowAccount.released"],
];
