/* What the language server explains, as elements: paragraphs, code, bold. Everything is put in as text, so nothing that a
 * contract says becomes markup, and what would turn the direction of text is made visible. */
import { visible } from "../picture/layout";

function put(into: HTMLElement, name: string, text: string): void {
  const element = document.createElement(name);
  element.textContent = visible(text);
  into.append(element);
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement("p");
  for (const part of text.split(/(\*\*[^*]+\*\*|`[^`]+`)/)) {
    if (/^\*\*.+\*\*$/.test(part)) {
      put(made, "b", part.slice(2, -2));
    } else if (/^`.+`$/.test(part)) {
      put(made, "code", part.slice(1, -1));
    } else if (part) {
      made.append(visible(part));
    }
  }
  return made;
}

export function rendered(markdown: string): HTMLElement {
  const made = document.createElement("div");
  made.className = "cm-said";
  for (const block of markdown.split(/^(```\w*\n[^]*?\n```)$/m)) {
    const code = /^```\w*\n([^]*)\n```$/.exec(block);
    if (code) {
      put(made, "pre", code[1]!);
    } else {
      made.append(...block.split(/\n{2,}/).filter((p) => p.trim()).map((p) => paragraph(p.trim())));
    }
  }
  return made;
}
