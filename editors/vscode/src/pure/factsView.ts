/** The panel of facts, as HTML: a form by the types of the contract, and the verdicts beside it. */
import type { Draft, Drafts, Path } from "./draft";
import { h, join } from "./html";
import type { Html } from "./html";
import type { Bundle, Fact, Type } from "./types";
import { typeWords } from "./types";
import type { Evaluation, Fault } from "./verdicts";

/** The place of a field in its form; also how the engine names it in a fault, but for the sign of a list. */
export function pathWords(path: Path): string {
  return path.reduce<string>((words, part) => typeof part === "number" ? `${words}[${part}]` : words ? `${words}.${part}` : part, "");
}

function at(path: Path): { "data-path": string; "aria-label": string } {
  return { "data-path": JSON.stringify(path), "aria-label": pathWords(path) };
}

function choice(path: Path, values: readonly string[], chosen: string): Html {
  return h("select", at(path), h("option", { value: "", selected: chosen === "" }, "not known"),
    values.map((v) => h("option", { value: v, selected: v === chosen }, v)));
}

function box(path: Path, text: string, hint: string, kind = "text"): Html {
  return h("input", { ...at(path), type: kind, value: text, placeholder: hint, spellcheck: "false", autocomplete: "off" });
}

function button(what: "add" | "remove" | "clear", path: Path, label: string): Html {
  return h("button", { type: "button", "data-do": what, "data-path": JSON.stringify(path) }, label);
}

function list(type: Type & { base: "List" }, draft: Draft & { kind: "list" }, path: Path): Html {
  const items = draft.items.map((item, i) => h("li", {}, control(type.element, item, [...path, i]), button("remove", [...path, i], "remove")));
  const more = draft.items.length < type.max ? button("add", path, "add an element") : null;
  const none = draft.given ? button("clear", path, "not known")
    : h("button", { type: "button", "data-do": "set", "data-text": "empty", "data-path": JSON.stringify(path) }, "an empty list");
  return h("div", { class: "list" }, items.length ? h("ol", { start: 0 }, items)
    : h("p", { class: "quiet" }, draft.given ? "an empty list" : "not known"), more, none);
}

function union(type: Type & { base: "TaggedUnion" }, draft: Draft & { kind: "union" }, path: Path): Html {
  const variant = type.variants.find((v) => v.name === draft.tag);
  return h("div", { class: "record" }, choice(path, type.variants.map((v) => v.name), draft.tag),
    variant && draft.payload ? control(variant.type, draft.payload, [...path, "payload"]) : null);
}

/** What a value is typed or chosen with. */
export function control(type: Type, draft: Draft, path: Path): Html {
  const text = draft.kind === "text" ? draft.text : "";
  if (type.base === "Record" && draft.kind === "record") {
    return h("div", { class: "record" }, type.fields.map((f) => {
      const inner = draft.fields[f.name];
      return inner && h("label", {}, h("span", {}, f.name), control(f.type, inner, [...path, f.name]));
    }));
  }
  if (type.base === "List" && draft.kind === "list") {
    return list(type, draft, path);
  }
  if (type.base === "TaggedUnion" && draft.kind === "union") {
    return union(type, draft, path);
  }
  switch (type.base) {
    case "Bool": return choice(path, ["true", "false"], text);
    case "Enum": return choice(path, type.values, text);
    case "Money": return h("span", { class: "unit" }, box(path, text, "0.00"), type.currency);
    case "Duration": return h("span", { class: "unit" }, box(path, text, type.min), type.unit);
    case "Date": return box(path, text, "2026-01-31", "date");
    case "DateTime": return box(path, text, "2026-01-31T12:00:00Z");
    default: return box(path, text, typeWords(type));
  }
}

function factRow(fact: Fact, drafts: Drafts): Html {
  const draft = drafts.get(fact.name);
  return h("section", { class: "fact" },
    h("h3", {}, h("a", { role: "button", tabindex: 0, "data-go": `fact/${fact.name}` }, fact.name),
      h("small", {}, ` ${typeWords(fact.type)}, from ${fact.source}`)),
    draft && control(fact.type, draft, [fact.name]),
    fact.fallback === undefined ? null : h("small", { class: "quiet" }, ` ${fact.fallback} where nothing is given`));
}

export function formHtml(bundle: Bundle, drafts: Drafts): Html {
  return h("div", { id: "form" }, bundle.facts.length ? bundle.facts.map((f) => factRow(f, drafts))
    : h("p", { class: "quiet" }, "The contract has no facts."));
}

function faultsHtml(faults: readonly Fault[]): Html {
  return h("ul", { class: "faults" }, faults.map((f) => h("li", {}, f.path ? h("code", {}, f.path) : null, f.path ? " " : null, f.message)));
}

const WORDS: Readonly<Record<string, string>> = { present: "present", absent: "absent", depends: "depends on", fault: "fails",
  holds: "possible", refused: "refused" };

function row(kind: string, state: string, name: string, more: string | undefined): Html {
  return h("tr", { class: state }, h("td", {}, h("a", { role: "button", tabindex: 0, "data-go": `${kind}/${name}` }, name)),
    h("td", { class: "state" }, WORDS[state] ?? state), h("td", {}, more === undefined ? null : h("code", {}, more)));
}

export function verdictsHtml(evaluation: Evaluation | string, unfinished: readonly string[]): Html {
  if (typeof evaluation === "string") {
    return h("div", { id: "verdicts" }, h("p", { class: "faults" }, evaluation));
  }
  const half = unfinished.length ? h("p", { class: "quiet" }, `Not known until every field has a value: ${unfinished.join(", ")}`) : null;
  if (evaluation.kind === "faults") {
    return h("div", { id: "verdicts" }, half, faultsHtml(evaluation.faults));
  }
  const unknown = evaluation.unknown.filter((f) => !unfinished.includes(f));
  return h("div", { id: "verdicts" }, half,
    unknown.length ? h("p", { class: "quiet" }, `Not known: ${unknown.join(", ")}`) : null,
    h("table", {}, h("caption", {}, "Verdicts"), evaluation.verdicts.map((v) => row("verdict", v.state, v.name, v.condition ?? v.payload))),
    h("table", {}, h("caption", {}, "Operations, by their preconditions"),
      evaluation.operations.map((o) => row("operation", o.state, o.name, o.condition))));
}

export function factsBody(title: string, form: Html, verdicts: Html): Html {
  return join(h("h1", {}, title), h("main", { class: "facts" }, h("form", { id: "facts" }, form), h("div", { id: "side" }, verdicts)));
}
