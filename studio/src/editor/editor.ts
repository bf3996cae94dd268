/* The editor of contracts: CodeMirror inside a shadow root, where it may bring styles without breaking the
 * page's policy (constructed style sheets, no style elements).
 *
 * Intelligence comes through `Help`: what completes and what explains. Today names of the last good contract; the
 * language server takes the same place when it is in the module. */
import { autocompletion, closeBrackets, closeBracketsKeymap, type CompletionContext, type CompletionResult, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import type { Diagnostic, Place } from "../engine/messages";
import { colours, tenor } from "./tenor";

export interface Help {
  /** Words that may stand here. */
  complete(prefix: string): { label: string; detail: string }[];
  /** What is under the cursor, in lines; null: nothing to say. */
  explain(line: number, column: number): string | null;
}

export interface EditorHost {
  changed(text: string): void;
  moved(line: number, column: number): void;
  format(): void;
  help: Help;
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
  ".cm-said": { padding: "8px 12px", whiteSpace: "pre-wrap" },
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

// ---- places: the engine counts lines and characters, the editor UTF-16 units ----

function offset(doc: Text, line: number, column: number): number {
  if (line < 1 || line > doc.lines) {
    return line < 1 ? 0 : doc.length;
  }
  const at = doc.line(line);
  let units = 0;
  for (const c of at.text) {
    if (--column < 1) {
      break;
    }
    units += c.length;
  }
  return at.from + units;
}

function position(doc: Text, at: number): { line: number; column: number } {
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

function completes(help: Help) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    if (!word && !context.explicit) {
      return null;
    }
    const options = help.complete(word?.text ?? "").map((o) => ({ label: o.label, detail: o.detail }));
    return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[\p{L}\p{N}_]*$/u } : null;
  };
}

function explains(help: Help): Extension {
  return hoverTooltip((view, pos) => {
    const { line, column } = position(view.state.doc, pos);
    const text = help.explain(line, column);
    return text === null ? null : {
      pos, above: true,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "cm-said";
        dom.textContent = text;
        return { dom };
      },
    };
  });
}

export class Editor {
  readonly view: EditorView;
  #quiet = false;

  constructor(parent: HTMLElement, private readonly host: EditorHost) {
    const root = parent.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: this.#state("") });
  }

  #state(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(), indentUnit.of("  "), bracketMatching(), closeBrackets(),
        highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), lintGutter(), tenor, colours, look, cameField, typedOver,
        autocompletion({ override: [completes(this.host.help)], icons: false }), explains(this.host.help),
        keymap.of([{ key: "Shift-Alt-f", run: () => (this.host.format(), true) },
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...completionKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Source of the contract", tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.#quiet) {
            this.host.changed(update.state.doc.toString());
          }
          if ((update.selectionSet || update.docChanged) && !this.#quiet) {
            const { line, column } = position(update.state.doc, update.state.selection.main.head);
            this.host.moved(line, column);
          }
        }),
      ],
    });
  }

  /** Another text, with a history of its own. */
  open(text: string): void {
    this.#quiet = true;
    this.view.setState(this.#state(text));
    this.#quiet = false;
  }

  /** The same text laid out anew: can be undone. */
  replace(text: string): void {
    const now = this.view.state.doc.toString();
    if (now !== text) {
      this.view.dispatch({ changes: { from: 0, to: now.length, insert: text } });
    }
  }

  get text(): string {
    return this.view.state.doc.toString();
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

  goTo(place: Place, focus = true): void {
    const doc = this.view.state.doc;
    const from = offset(doc, place.line, place.column), to = offset(doc, place.end_line, place.end_column);
    this.view.dispatch({ selection: { anchor: from }, effects: [EditorView.scrollIntoView(from, { y: "center" }), came.of({ from, to })] });
    if (focus) {
      this.view.focus();
    }
  }

  destroy(): void {
    this.view.destroy();
  }
}
