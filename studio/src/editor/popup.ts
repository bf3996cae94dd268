/* A small window at the cursor: one question, or a list to choose from. Escape closes it and goes back to the text. */
import { StateEffect, StateField } from "@codemirror/state";
import { type EditorView, showTooltip, type Tooltip } from "@codemirror/view";

const show = StateEffect.define<Tooltip | null>();
const field = StateField.define<Tooltip | null>({
  create: () => null,
  update: (now, tr) => tr.effects.reduce((shown, e) => (e.is(show) ? e.value : shown), tr.docChanged ? null : now),
  provide: (f) => showTooltip.from(f),
});

function close(view: EditorView): void {
  view.dispatch({ effects: show.of(null) });
  view.focus();
}

function open(view: EditorView, pos: number, label: string, fill: (into: HTMLElement) => void): void {
  const effects: StateEffect<unknown>[] = view.state.field(field, false) === undefined ? [StateEffect.appendConfig.of(field)] : [];
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "cm-ask";
    dom.setAttribute("role", "dialog");
    dom.setAttribute("aria-label", label);
    dom.addEventListener("keydown", (e) => e.key === "Escape" && (e.stopPropagation(), close(view)));
    dom.addEventListener("focusout", (e) => {
      if (dom.isConnected && e.relatedTarget instanceof Node && !dom.contains(e.relatedTarget)) {
        view.dispatch({ effects: show.of(null) });
      }
    });
    fill(dom);
    return { dom, mount: () => dom.querySelector<HTMLElement>("input, button")?.focus() };
  };
  view.dispatch({ effects: [...effects, show.of({ pos, above: false, arrow: false, create })] });
}

/** One line of text. What `done` throws is said, and the question stays. */
export function prompt(view: EditorView, pos: number, label: string, value: string, done: (text: string) => Promise<void>): void {
  open(view, pos, label, (into) => {
    const form = document.createElement("form"), input = document.createElement("input"), fault = document.createElement("p");
    input.value = value;
    input.setAttribute("aria-label", label);
    input.spellcheck = false;
    fault.setAttribute("role", "alert");
    const hint = document.createElement("small");
    hint.textContent = "Enter renames, Esc leaves it";
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      done(input.value.trim()).then(() => close(view), (thrown: unknown) => (fault.textContent = thrown instanceof Error ? thrown.message : String(thrown)));
    });
    form.append(input, hint, fault);
    into.append(form);
    input.addEventListener("focus", () => input.select(), { once: true });
  });
}

export interface Choice {
  label: string;
  detail: string;
  run(): void;
}

export function choose(view: EditorView, pos: number, label: string, choices: Choice[]): void {
  open(view, pos, label, (into) => {
    const title = document.createElement("h3"), list = document.createElement("ul");
    title.textContent = label;
    for (const choice of choices) {
      const item = document.createElement("li"), button = document.createElement("button"), where = document.createElement("small");
      where.textContent = choice.detail;
      button.append(choice.label, where);
      button.addEventListener("click", () => (close(view), choice.run()));
      item.append(button);
      list.append(item);
    }
    list.addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (step) {
        e.preventDefault();
        const all = [...list.querySelectorAll("button")];
        all[(all.findIndex((b) => b === (b.getRootNode() as ShadowRoot).activeElement) + step + all.length) % all.length]?.focus();
      }
    });
    into.append(title, list);
  });
}
