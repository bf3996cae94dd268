/** HTML and SVG for the panels. Text becomes HTML here and nowhere else, so that a name, a value
 * or a message is always shown as text, whatever it says. */

/** Made by `h()` only: everything in it is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Child = Html | string | number | null | undefined | false | readonly Child[];
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** What a reader could not see: control characters, and marks that turn the direction of text. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** Attributes and elements that would do something; there is no use for them here. */
const ACTIVE = /^(on|href$|src$|srcdoc$|style$|formaction$|xlink)/i;
const VOID = new Set(["input", "meta", "br", "link"]);

export function escapeText(text: string): string {
  return text.replace(UNSEEN, "\ufffd").replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);
}

function attribute([name, value]: [string, Attributes[string]]): string {
  if (ACTIVE.test(name) || !/^[a-z][a-zA-Z0-9-]*$/.test(name)) {
    throw new Error(`the attribute ${name} is not allowed`);
  }
  if (value === null || value === undefined || value === false) {
    return "";
  }
  return value === true ? ` ${name}` : ` ${name}="${escapeText(String(value))}"`;
}

function inner(child: Child): string {
  if (child === null || child === undefined || child === false) {
    return "";
  }
  if (child instanceof Html) {
    return child.text;
  }
  return typeof child === "object" ? child.map(inner).join("") : escapeText(String(child));
}

/** One element. */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): Html {
  const start = `<${tag}${Object.entries(attributes).map(attribute).join("")}>`;
  return new Html(VOID.has(tag) ? start : `${start}${inner(children)}</${tag}>`);
}

export function join(...children: readonly Child[]): Html {
  return new Html(inner(children));
}

export interface Page {
  readonly title: string;
  readonly language?: string;
  /** Fresh for each page: only what carries it is run. */
  readonly nonce: string;
  /** The only address a script or style may come from. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  readonly body: Html;
}

/** A whole page that may load its own script and style, and nothing else. */
export function page(p: Page): string {
  if (!/^[A-Za-z0-9]{16,}$/.test(p.nonce)) {
    throw new Error("a nonce has at least 16 letters and digits");
  }
  const policy = `default-src 'none'; script-src 'nonce-${p.nonce}'; style-src ${p.source}; base-uri 'none'; form-action 'none'`;
  const head = h("head", {}, h("meta", { charset: "utf-8" }),
    h("meta", { "http-equiv": "Content-Security-Policy", content: policy }),
    new Html(`<link rel="stylesheet" href="${escapeText(p.style)}">`), h("title", {}, p.title));
  const script = new Html(`<script nonce="${p.nonce}" src="${escapeText(p.script)}"></script>`);
  return `<!DOCTYPE html>\n${h("html", { lang: p.language ?? "en" }, head, h("body", {}, p.body, script)).text}\n`;
}
