/* What the language server knows, in the editor: completion, explanation, definition, uses, rename, mending.
 *
 * It is fetched when it is first needed. Every question takes the texts as they are then; an answer to one that has
 * changed meanwhile is thrown away. */
import { type Completion, type CompletionContext, type CompletionResult, snippet } from "@codemirror/autocomplete";
import { undo } from "@codemirror/commands";
import type { EditorView, Tooltip } from "@codemirror/view";
import { call } from "../engine/client";
import type { Place } from "../engine/messages";
import { pathOf, uriOf } from "../engine/uri";
import { visible } from "../picture/layout";
import { notices } from "../state/notices.svelte";
import { workspace } from "../state/workspace.svelte";
import { elsewhere, position } from "./editor";
import { rendered } from "./markdown";
import { choose, prompt } from "./popup";
import { applied, changesOf, type Edit, offset, type Position } from "./positions";

type Range = Edit["range"];
interface Location {
  uri: string;
  range: Range;
}
interface Item {
  label: string;
  detail?: string;
  insertText?: string;
  insertTextFormat?: number;
  textEdit?: Edit;
}
interface WorkspaceEdit {
  changes?: Record<string, Edit[]>;
  documentChanges?: ({ kind: "create"; uri: string } | { textDocument: { uri: string }; edits: Edit[] })[];
}
interface Action {
  title: string;
  edit?: WorkspaceEdit;
  disabled?: { reason: string };
}

const WORD = /[\p{L}_][\p{L}\p{N}_]*/u;
/** Behind these something is offered before a letter is typed. */
const BEGINS = /[.(\[]$|[:,] $/;

function asked<T>(method: string, params: object): Promise<T | null> {
  return call("language", { files: workspace.files, method, params }) as Promise<T | null>;
}

function positionAt(view: EditorView, at: number): Position {
  const { line, column } = position(view.state.doc, at);
  return { line: line - 1, character: column - 1 };
}

function ask<T>(method: string, view: EditorView, at: number, more: object = {}): Promise<T | null> {
  return asked<T>(`textDocument/${method}`, { textDocument: { uri: uriOf(workspace.current) }, position: positionAt(view, at), ...more });
}

/** Of a command: what it is refused is said. */
function attempt(work: () => Promise<void>): void {
  work().catch((thrown: unknown) => notices.say(thrown instanceof Error ? thrown.message : String(thrown)));
}

function placeOf({ uri, range }: Location): Place | null {
  const file = pathOf(uri);
  return file === null ? null
    : { file, line: range.start.line + 1, column: range.start.character + 1, end_line: range.end.line + 1, end_column: range.end.character + 1 };
}

// ---- completion and explanation ----

/** What the server says of the place where a name is defined. */
async function about(label: string): Promise<HTMLElement | null> {
  const at = workspace.good?.index.find((n) => n.is_definition && n.id.split(".").pop() === label)?.definition;
  const said = at && await asked<{ contents: { value: string } }>("textDocument/hover",
    { textDocument: { uri: uriOf(at.file) }, position: { line: at.line - 1, character: at.column - 1 } });
  return said ? rendered(said.contents.value) : null;
}

/** `rank`: names come before words, as the server has them, and not by the alphabet. */
function offered(item: Item, rank: number, view: EditorView): Completion {
  const text = item.textEdit?.newText ?? item.insertText ?? item.label;
  const isSnippet = item.insertTextFormat === 2;
  const put = isSnippet ? snippet(text) : null;
  const start = item.textEdit?.range.start;
  return {
    label: item.label, boost: -Math.min(rank, 99),
    ...(item.detail ? { detail: item.detail } : {}),
    info: () => (isSnippet ? rendered(`\`\`\`\n${text.replace(/\$\{\d+:?([^}]*)\}/g, "$1")}\n\`\`\``) : about(item.label)),
    apply: (editor, completion, from, to) => {
      const begin = start ? offset(view.state.doc, start.line + 1, start.character + 1) : from;
      if (put) {
        put(editor, completion, begin, to);
      } else {
        editor.dispatch({ changes: { from: begin, to, insert: text }, selection: { anchor: begin + text.length }, userEvent: "input.complete" });
      }
    },
  };
}

export async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(WORD);
  if (!word && !context.explicit && !BEGINS.test(context.state.sliceDoc(Math.max(0, context.pos - 2), context.pos))) {
    return null;
  }
  const view = context.view!;
  const said = await ask<{ items: Item[] }>("completion", view, context.pos);
  const options = said && !context.aborted ? said.items.map((item, rank) => offered(item, rank, view)) : [];
  return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[\p{L}\p{N}_]*$/u } : null;
}

export async function explain(view: EditorView, pos: number): Promise<Tooltip | null> {
  const doc = view.state.doc;
  if (pos > doc.length) {
    return null; // another text came while this was fetched
  }
  const said = await ask<{ contents: { value: string }; range?: Range }>("hover", view, pos);
  if (!said || !view.state.doc.eq(doc)) {
    return null;
  }
  const [range] = said.range ? changesOf(doc, [{ range: said.range, newText: "" }]) : [];
  return { pos: range?.from ?? pos, ...(range ? { end: range.to } : {}), above: true, create: () => ({ dom: rendered(said.contents.value) }) };
}

// ---- where it is ----

export function define(view: EditorView, at = view.state.selection.main.head): void {
  attempt(async () => {
    const found = await ask<Location | Location[]>("definition", view, at);
    const first = Array.isArray(found) ? found[0] : found;
    const place = first ? placeOf(first) : null;
    if (place) {
      workspace.goTo(place);
    } else {
      notices.say("There is no name here that is defined somewhere.");
    }
  });
}

export function uses(view: EditorView): void {
  attempt(async () => {
    const at = view.state.selection.main.head;
    const found = await ask<Location[]>("references", view, at, { context: { includeDeclaration: true } });
    const places = (found ?? []).map(placeOf).filter((p) => p !== null);
    if (!places.length) {
      notices.say("There is no name here that is used somewhere.");
      return;
    }
    const lineOf = (p: Place): string => workspace.files.find(([path]) => path === p.file)?.[1].split("\n")[p.line - 1]?.trim() ?? "";
    choose(view, at, places.length === 1 ? "Used here only" : `${places.length} uses`, places.map((p) => (
      { label: visible(lineOf(p)).slice(0, 200), detail: `${p.file}:${p.line}`, run: () => workspace.goTo(p) })));
  });
}

// ---- changes, in all files ----

interface FileEdit {
  path: string;
  before: string | null;
  after: string;
  edits: Edit[];
}

/** Nothing is done if one of them cannot be. */
function planned(edit: WorkspaceEdit): FileEdit[] {
  const all = new Map<string, FileEdit>();
  const add = (uri: string, edits: Edit[], isNew: boolean): void => {
    const path = pathOf(uri);
    const text = workspace.files.find(([p]) => p === path)?.[1];
    if (path === null || (text === undefined && !isNew && !all.has(path))) {
      throw new Error(`It would change ${path ?? uri}, which is not in this workspace.`);
    }
    const known = all.get(path);
    all.set(path, { path, before: text ?? null, after: applied(known?.after ?? text ?? "", edits), edits: [...(known?.edits ?? []), ...edits] });
  };
  for (const change of edit.documentChanges ?? []) {
    if ("kind" in change) {
      add(change.uri, [], true);
    } else {
      add(change.textDocument.uri, change.edits, false);
    }
  }
  Object.entries(edit.changes ?? {}).forEach(([uri, edits]) => add(uri, edits, false));
  return [...all.values()];
}

/** One step of the editor's history, whichever files it changes. */
function change(view: EditorView, edit: WorkspaceEdit, said: (places: number, files: number) => string): void {
  const plan = planned(edit);
  const here = plan.find((f) => f.path === workspace.current);
  const others = plan.filter((f) => f !== here);
  view.dispatch({
    changes: here ? changesOf(view.state.doc, here.edits) : [], userEvent: "input",
    effects: others.length ? elsewhere.of({ set: others.map((f) => [f.path, f.after]), back: others.map((f) => [f.path, f.before]) }) : [],
  });
  const after = view.state.doc;
  notices.say(said(plan.reduce((sum, f) => sum + f.edits.length, 0), plan.length), () => {
    if (view.dom.isConnected && view.state.doc.eq(after) && workspace.current === (here?.path ?? workspace.current)) {
      undo(view);
    } else if (plan.every((f) => workspace.files.some(([path, text]) => path === f.path && text === f.after))) {
      workspace.write(plan.map((f) => [f.path, f.before]), true);
    } else {
      notices.say("The texts were changed since: Ctrl Z in the source goes back step by step.");
    }
  });
}

const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;

export function rename(view: EditorView): void {
  attempt(async () => {
    const at = view.state.selection.main.head;
    const range = await ask<Range>("prepareRename", view, at);
    if (!range) {
      notices.say("There is no name here that can be renamed.");
      return;
    }
    const { from, to } = changesOf(view.state.doc, [{ range, newText: "" }])[0]!;
    const name = view.state.sliceDoc(from, to);
    prompt(view, from, `New name of ${visible(name)}`, name, async (newName) => {
      if (newName === name) {
        return;
      }
      const edit = await ask<WorkspaceEdit>("rename", view, from, { newName });
      if (!edit) {
        throw new Error("The text was changed meanwhile. Try again.");
      }
      change(view, edit, (places, files) => `Renamed ${visible(name)} to ${newName}: ${counted(places, "place")} in ${counted(files, "file")}.`);
    });
  });
}

export function mend(view: EditorView): void {
  attempt(async () => {
    const { from, to, head } = view.state.selection.main;
    const range = { start: positionAt(view, from), end: positionAt(view, to) };
    const found = await asked<Action[]>("textDocument/codeAction", { textDocument: { uri: uriOf(workspace.current) }, range, context: { diagnostics: [] } });
    const actions = (found ?? []).filter((a) => a.edit && !a.disabled);
    if (!actions.length) {
      notices.say("There is nothing to mend or to change here.");
      return;
    }
    choose(view, head, "Changes offered here", actions.map((a) => (
      { label: visible(a.title), detail: "", run: () => attempt(async () => change(view, a.edit!, () => `${visible(a.title)}: done.`)) })));
  });
}

