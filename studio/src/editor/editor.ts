/* The editor of contracts: CodeMirror inside a shadow root, where it may bring styles without breaking the
 * page's policy (constructed style sheets, no style elements).
 *
 * What the language server knows is in language.ts, which is fetched when it is first asked. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, invertedEffects } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import type { Diagnostic, Place } from "../engine/messages";
import type { LineCover } from "../picture/covered";
import { coverGutter, setCover } from "./cover";
import { offset } from "./positions";
import { colours, tenor } from "./tenor";
import { yaml } from "./yaml";

const language = () => import("./language");

/** Texts of other files that change with this one, and what they were; null: no such file. */
type Others = [path: string, text: string | null][];
export const elsewhere = StateEffect.define<{ set: Others; back: Others }>();

export interface EditorHost {
  changed(text: string): void;
  moved(line: number, column: number): void;
  format(): void;
  /** Other files change in the same step, or go back with it; `from`: what they must be now. */
  others(texts: Others, from: Others): void;
}

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", color: "var(--ink)", backgroundColor: "var(--card)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { padding: "10px 0 40vh", caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--faint)", border: "none", paddingLeft: "4px" },
  ".cm-activeLine": { backgroundColor: "var(--line-now)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--line-now)", color: "var(--dim)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--select)" },
  ".cm-matchingBracket": { backgroundColor: "var(--select) !important", outline: "1px solid var(--line)" },
  ".cm-came": { backgroundColor: "var(--lit)", borderRadius: "3px" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "var(--shadow)", fontFamily: "var(--sans)", fontSize: "13px", maxWidth: "34rem" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeftWidth: "3px", whiteSpace: "pre-wrap" },
  ".cm-said": { padding: "8px 12px", maxHeight: "22rem", overflow: "auto" },
  ".cm-said p": { margin: "0 0 6px" },
  ".cm-said p:last-child": { marginBottom: "0" },
  ".cm-said code, .cm-said pre": { fontFamily: "var(--mono)", fontSize: "12.5px" },
  ".cm-said pre": { margin: "0 0 8px", padding: "6px 8px", background: "var(--soft)", borderRadius: "5px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-tooltip.cm-completionInfo": { padding: "0", maxWidth: "26rem" },
  ".cm-ask": { minWidth: "18rem", maxWidth: "min(34rem, 92vw)", padding: "8px" },
  ".cm-ask h3": { margin: "0 6px 4px", font: "500 12px var(--sans)", color: "var(--dim)" },
  ".cm-ask ul": { listStyle: "none", margin: "0", padding: "0", maxHeight: "16rem", overflow: "auto" },
  ".cm-ask button": { display: "flex", gap: "12px", alignItems: "baseline", width: "100%", padding: "5px 6px", border: "0", borderRadius: "5px", background: "none", color: "inherit", font: "13px var(--sans)", textAlign: "left", overflowWrap: "anywhere" },
  ".cm-ask button:hover, .cm-ask button:focus": { backgroundColor: "var(--accent)", color: "var(--on-accent)", outline: "none" },
  ".cm-ask button:hover small, .cm-ask button:focus small": { color: "inherit" },
  ".cm-ask small": { marginLeft: "auto", whiteSpace: "nowrap", fontSize: "12px", color: "var(--dim)" },
  ".cm-ask form": { display: "grid", gap: "4px" },
  ".cm-ask input": { font: "13.5px var(--mono)", padding: "5px 8px", background: "var(--card)", color: "var(--ink)", border: "1px solid var(--accent)", borderRadius: "5px" },
  ".cm-ask form small": { marginLeft: "2px" },
  ".cm-ask p": { margin: "0 2px", color: "var(--bad)" },
  ".cm-ask p:empty": { display: "none" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-textfield, .cm-button": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "5px" },
  ".cm-lint-marker": { width: "8px", height: "8px", margin: "6px 2px", borderRadius: "50%" },
  ".cm-lint-marker-error": { content: "normal", backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { content: "normal", backgroundColor: "var(--warn)" },
  ".cm-lint-marker-info": { content: "normal", backgroundColor: "var(--accent)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
});

export function position(doc: Text, at: number): { line: number; column: number } {
  const line = doc.lineAt(at);
  return { line: line.number, column: [...line.text.slice(0, at - line.from)].length + 1 };
}

// ---- what was jumped to ----

const came = StateEffect.define<{ from: number; to: number } | null>();
const cameField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    for (const effect of tr.effects) {
      if (effect.is(came)) {
        marks = effect.value && effect.value.to > effect.value.from
          ? Decoration.set(Decoration.mark({ class: "cm-came" }).range(effect.value.from, effect.value.to)) : Decoration.none;
      }
    }
    return tr.docChanged ? Decoration.none : marks;
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** What is typed over a selection is put in by us: the browser would keep the look of what it replaces
 *  with a style attribute, which the policy forbids. */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data;
    if (event.inputType !== "insertText" || !text || empty || view.composing) {
      return false;
    }
    event.preventDefault();
    const make = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, make))) {
      view.dispatch(make());
    }
    return true;
  },
});

/** Ctrl and a click go to where a name is defined. */
const follows = EditorView.domEventHandlers({
  mousedown(event, view) {
    const at = event.button === 0 && (event.ctrlKey || event.metaKey) ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
    if (at === null) {
      return false;
    }
    event.preventDefault();
    void language().then((l) => l.define(view, at));
    return true;
  },
});

function command(name: "define" | "uses" | "rename" | "mend") {
  return (view: EditorView): boolean => {
    void language().then((l) => l[name](view));
    return true;
  };
}

const KEYS = [
  { key: "F2", run: command("rename") }, { key: "F12", run: command("define") }, { key: "Shift-F12", run: command("uses") },
  { key: "Mod-.", run: command("mend") },
];

const helps: Extension = [
  autocompletion({ override: [async (context) => (await language()).complete(context)], icons: false }),
  hoverTooltip(async (view, pos) => (await language()).explain(view, pos)),
  invertedEffects.of((tr) => tr.effects.flatMap((e) => (e.is(elsewhere) ? [elsewhere.of({ set: e.value.back, back: e.value.set })] : []))),
  follows, keymap.of(KEYS),
];

/** Files that were shown before, each with its history: Ctrl Z goes on where one left off. */
const left = new Map<string, EditorState>();
let leftOf = -1;

export class Editor {
  readonly view: EditorView;
  #quiet = false;
  #path = "";
  /** How lines of the file end: they stay so. */
  #end = "\n";

  constructor(parent: HTMLElement, private readonly host: EditorHost) {
    const root = parent.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: this.#state("", "") });
  }

  #state(text: string, path: string): EditorState {
    const known = left.get(path), extensions = this.#extensions(path);
    return known && this.#textOf(known) === text ? known.update({ effects: StateEffect.reconfigure.of(extensions) }).state : EditorState.create({ doc: text, extensions });
  }

  #textOf({ doc }: EditorState): string {
    return doc.sliceString(0, doc.length, this.#end);
  }

  #extensions(path: string): Extension {
    return [
      lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(), indentUnit.of("  "), bracketMatching(), closeBrackets(),
      highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), lintGutter(), coverGutter, /\.(ya?ml|json)$/.test(path) ? yaml : tenor, colours, look, cameField, typedOver,
      helps,
      keymap.of([{ key: "Shift-Alt-f", run: () => (this.host.format(), true) },
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...completionKeymap]),
      EditorView.contentAttributes.of({ "aria-label": "Source of the contract", tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
      EditorView.updateListener.of((update) => {
        for (const effect of update.transactions.flatMap((tr) => tr.effects)) {
          if (effect.is(elsewhere)) {
            this.host.others(effect.value.set, effect.value.back);
          }
        }
        if (update.docChanged && !this.#quiet) {
          this.host.changed(this.text);
        }
        if ((update.selectionSet || update.docChanged) && !this.#quiet) {
          const { line, column } = position(update.state.doc, update.state.selection.main.head);
          this.host.moved(line, column);
        }
      }),
    ];
  }

  #leave(): void {
    if (this.#path) {
      left.set(this.#path, this.view.state);
    }
  }

  /** Another text, with a history of its own. `of`: another number, another workspace. */
  open(text: string, path: string, of: number): void {
    this.#leave();
    if (leftOf !== of) {
      left.clear();
      leftOf = of;
    }
    this.#path = path;
    this.#end = text.includes("\r\n") && !/[\r\n]/.test(text.replaceAll("\r\n", "")) ? "\r\n" : "\n";
    this.#quiet = true;
    this.view.setState(this.#state(text, path));
    this.#quiet = false;
  }

  /** The same text laid out anew: can be undone. */
  replace(text: string): void {
    if (this.text !== text) {
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    }
  }

  get text(): string {
    return this.#textOf(this.view.state);
  }

  show(diagnostics: readonly Diagnostic[]): void {
    const doc = this.view.state.doc;
    const marks = diagnostics.map((d): Mark => {
      const from = offset(doc, d.line, d.column);
      const to = Math.max(offset(doc, d.endLine || d.line, d.endColumn || d.column + Math.max(1, d.length)), from);
      return { from, to, severity: d.severity === "error" ? "error" : d.severity === "warning" ? "warning" : "info", source: d.code, message: d.message + (d.hint ? `\n${d.hint}` : "") };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** What scenarios reached, by line. */
  cover(lines: ReadonlyMap<number, LineCover>): void {
    this.view.dispatch({ effects: setCover.of(lines) });
  }

  goTo(place: Place, focus = true): void {
    const doc = this.view.state.doc;
    const from = offset(doc, place.line, place.column), to = offset(doc, place.end_line, place.end_column);
    this.view.dispatch({ selection: { anchor: from }, effects: [EditorView.scrollIntoView(from, { y: "center" }), came.of({ from, to })] });
    if (focus) {
      this.view.focus();
    }
  }

  destroy(): void {
    this.#leave();
    this.view.destroy();
  }
}
