/** In the panel of facts: tells what is typed, takes the form and the verdicts. */
import { asked, vscode } from "./panel";

interface News {
  readonly form?: unknown;
  readonly verdicts?: unknown;
  readonly trouble?: unknown;
}

/** The field that has the cursor keeps it when the form is drawn again. */
function redraw(form: string): void {
  const path = document.activeElement?.getAttribute("data-path");
  document.getElementById("form")!.outerHTML = form; // escaped where it was made (pure/html.ts)
  const again = [...document.querySelectorAll<HTMLElement>("[data-path]")].find((e) => e.getAttribute("data-path") === path);
  again?.focus();
}

window.addEventListener("message", (event: MessageEvent<News>) => {
  const { form, verdicts, trouble } = event.data;
  if (typeof form === "string") {
    redraw(form);
  }
  if (typeof verdicts === "string") {
    document.getElementById("verdicts")!.outerHTML = verdicts;
  }
  if (typeof trouble === "string" && trouble) {
    const line = document.createElement("p");
    line.className = "faults";
    line.textContent = trouble;
    document.getElementById("verdicts")!.prepend(line);
  }
});

function tell(target: EventTarget | null, what: string, text?: string, redrawn = false): void {
  const path = asked(target, "data-path");
  if (path) {
    vscode.postMessage({ do: what, path: JSON.parse(path) as unknown, text, redraw: redrawn ? "yes" : "no" });
  }
}

document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("input", (event) => {
  if (event.target instanceof HTMLInputElement) {
    tell(event.target, "set", event.target.value);
  } else if (event.target instanceof HTMLSelectElement) {
    tell(event.target, "set", event.target.value, true); // another tag has other fields
  }
});
document.addEventListener("click", (event) => {
  const what = asked(event.target, "data-do"), go = asked(event.target, "data-go");
  if (what) {
    tell(event.target, what, asked(event.target, "data-text"), true);
  } else if (go) {
    vscode.postMessage({ go });
  }
});
