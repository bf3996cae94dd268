/** Questions about a contract that `motet ask` answers, made from its names. */
import type { Bundle } from "./types";

export interface Question {
  readonly question: string;
  readonly about: string;
}

const MOST = 500;

export function questionsFor(b: Bundle): readonly Question[] {
  const q = (question: string, about: string): Question => ({ question, about });
  return [
    ...(b.flows.length ? [q("every flow ends", "does every run of every flow come to an outcome?")] : []),
    ...(b.entities.length ? [q("from every state a terminal is reachable", "can every instance still come to a state without exit?")] : []),
    ...b.operations.map((o) => q(`who can perform ${o}`, "every persona that can, each with a way")),
    ...b.entities.flatMap((e) => e.states.map((s) => q(`who can reach ${e.name}.${s}`, "every persona that can, each with a way"))),
    ...b.verdicts.flatMap((v) => [
      q(`can ${v} hold`, "is there a fact set for which it does?"),
      q(`when is ${v}`, "the weakest condition over facts"),
      q(`who can cause ${v}`, "the sources whose facts make the difference")]),
    ...b.personas.map((p) => q(`what can ${p} do alone`, "the operations and states it gets to without anybody else")),
    ...b.flows.map((f) => q(`flow ${f} ends`, "does every run of it come to an outcome?")),
  ].slice(0, MOST);
}

export interface Answer {
  readonly answer: string;
  readonly text: string;
}

export function readAnswer(value: unknown): Answer | undefined {
  const o = value as { answer?: unknown; text?: unknown } | null;
  return o && typeof o.answer === "string" && typeof o.text === "string" ? { answer: o.answer, text: o.text } : undefined;
}

/** A fence that is longer than any in the text, so that nothing in it is Markdown. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.replace(/\n*$/, "\n")}${fence}`;
}

/** A document with the question, the contract and the answer. */
export function answerDocument(question: string, contract: string, answer: Answer): string {
  return `# ${answer.answer.replace(/[^a-z]/g, "")}\n\n${fenced(question)}\n\nof\n\n${fenced(contract)}\n\n${fenced(answer.text)}\n`;
}
