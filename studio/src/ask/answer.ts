/* What an answer says: the JSON of `motet ask --json`, read once, as sentences, runs and fact sets. Facts stay text, so
 * that no digit of theirs is lost on the way to the view Facts. */
import { type Fields, isFields, parse, print, type Value } from "../facts/json";

export interface Change {
  entity: string;
  instance: string;
  from: string;
  to: string;
}
export interface PathStep {
  persona: string;
  operation: string;
  member: string;
  outcome: string;
  /** The outcome has to be named. */
  named: boolean;
  changes: Change[];
  facts: string;
}
export interface Way {
  title: string;
  path: PathStep[];
}
export interface Witness {
  title: string;
  facts: string;
}
export interface Answer {
  reply: "yes" | "no" | "unknown";
  /** The sentence for it. */
  headline: string;
  words: string[];
  /** A condition of the language, where that was asked for. */
  condition: string;
  ways: Way[];
  witnesses: Witness[];
  /** The solver is not in the page: all of it, or part of it, needs one. */
  needsSolver: boolean;
}

const text = (v: Value | undefined): string => (typeof v === "string" ? v : "");
const fields = (v: Value | undefined): Fields => (isFields(v) ? v : {});
const listOf = (v: Value | undefined): Value[] => (Array.isArray(v) ? v : []);
const texts = (v: Value | undefined): string[] => listOf(v).map(text);
const factsOf = (v: Value | undefined): string => print(isFields(v) ? v : {});

function pathOf(v: Value | undefined): PathStep[] {
  return listOf(v).map(fields).map((s) => ({
    persona: text(s["persona"]), operation: text(s["operation"]), member: text(s["member"]), outcome: text(s["outcome"]), named: s["named"] === true, facts: factsOf(s["facts"]),
    changes: listOf(s["changes"]).map(fields).map((c) => ({ entity: text(c["entity"]), instance: text(c["instance"]), from: text(c["from"]), to: text(c["to"]) })),
  }));
}

function waysOf(all: Fields): Way[] {
  const own = pathOf(all["path"]);
  return [
    ...(own.length ? [{ title: "", path: own }] : []),
    ...["ways", "operations", "personas"].flatMap((key) => listOf(all[key]).filter(isFields).flatMap((w): Way[] =>
      "path" in w ? [{ title: [text(w["persona"]), text(w["operation"])].filter(Boolean).join(": "), path: pathOf(w["path"]) }]
        : listOf(w["paths"]).map(fields).map((p) => ({ title: [text(w["persona"]), text(p["operation"])].filter(Boolean).join(": "), path: pathOf(p["path"]) })))),
  ].filter((w) => w.path.length > 0);
}

function coverWords(covers: Fields): string[] {
  if (!("facts" in covers)) {
    return [];
  }
  const instances = covers["instances"], entities = texts(covers["entities"]);
  const count = typeof instances === "string" ? "any number of instances" : `${instances === undefined || print(instances) === "1" ? "one instance" : `${print(instances)} instances`} of each entity`;
  const joint = typeof instances === "string" || !entities.length ? "" : `; ${print(covers["joint_states"] ?? null) === "1" ? "1 joint state" : `${print(covers["joint_states"] ?? null)} joint states`} of ${entities.join(", ")}`;
  return [`Looked at: ${text(covers["facts"])}${joint}; ${count}.`];
}

function obstacleWords(o: Fields): string {
  return "entity" in o ? `${text(o["entity"])} has no way from ${text(o["from"])} to ${text(o["to"])}`
    : text(o["kind"]) === "persona" ? `${text(o["persona"])} may not perform ${text(o["operation"])}` : `the ${text(o["kind"])} of ${text(o["operation"])}`;
}

function listWords(all: Fields): string[] {
  const people = texts(all["personas"]).filter(Boolean), can = listOf(all["operations"]).filter(isFields).map((o) => text(o["operation"])).filter(Boolean);
  const reached = Object.entries(fields(all["reached"])).map(([entity, states]) => `${entity} to ${texts(states).join(", ")}`);
  const states = Object.entries(fields(all["states"])).map(([entity, at]) => `${entity} is ${Object.values(fields(at)).map(text).join(", ")}`);
  const undecided = texts(all["undecided"]), cannot = texts(all["cannot"]), obstacles = listOf(all["obstacles"]).map(fields).map(obstacleWords);
  const sources = listOf(all["sources"]).map(fields).map((s) => `${text(s["source"])} (${texts(s["facts"]).join(", ")})`);
  return [
    people.length ? `These can: ${people.join(", ")}.` : "", can.length ? `Operations: ${can.join(", ")}.` : "", reached.length ? `It brings ${reached.join("; ")}.` : "",
    sources.length ? `These can make the difference: ${sources.join(", ")}.` : "", cannot.length ? `These cannot: ${cannot.join(", ")}.` : "",
    obstacles.length ? `In the way: ${obstacles.join("; ")}.` : "", states.length && listOf(all["path"]).length ? `Then ${states.join(", ")}.` : "",
    undecided.length ? `Not decided: ${undecided.join(", ")}.` : "",
  ].filter(Boolean);
}

const PROOFS: Record<string, string> = { proven: "proven", trace: "shown by a run that the engine executed", facts: "shown by facts that the evaluator confirmed" };

export function readAnswer(json: string): Answer {
  const all = fields(parse(json));
  const reply = text(all["reply"]), reason = text(all["reason"]), proof = PROOFS[text(all["proof"])];
  const witnesses: Witness[] = [
    ...(isFields(all["facts"]) ? [{ title: reply === "no" ? "Facts for which it is not so" : "Facts for which it is so", facts: factsOf(all["facts"]) }] : []),
    ...listOf(all["sources"]).map(fields).flatMap((s): Witness[] => [
      { title: `${text(s["source"])}: before`, facts: factsOf(s["before"]) }, { title: `${text(s["source"])}: after`, facts: factsOf(s["after"]) }]),
  ];
  const word = reply === "yes" ? "Yes" : reply === "no" ? "No" : "Unknown";
  return {
    reply: reply === "yes" || reply === "no" ? reply : "unknown",
    headline: proof && reply !== "unknown" ? `${word}, ${proof}` : word,
    words: [...(reason ? [`${reason[0]!.toUpperCase()}${reason.slice(1)}.`] : []), ...listWords(all), ...(reply === "unknown" ? [] : coverWords(fields(all["covers"])))],
    condition: text(all["condition"]),
    ways: waysOf(all),
    witnesses,
    needsSolver: /solver Z3 is not in WebAssembly/.test(reason),
  };
}
