/** In the panel of the picture: takes what is drawn, tells what was clicked. */
import { asked, vscode } from "./panel";

window.addEventListener("message", (event: MessageEvent<{ html?: unknown }>) => {
  if (typeof event.data.html === "string") {
    document.querySelector("main")!.outerHTML = event.data.html; // escaped where it was made (pure/html.ts)
  }
});

function go(event: Event): void {
  const name = asked(event.target, "data-go");
  if (name) {
    vscode.postMessage({ go: name });
  }
}

document.addEventListener("click", go);
document.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { go(event); } });
