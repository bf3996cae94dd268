/* A picture of the page as a file of its own: SVG that needs no style, no script and nothing that is fetched. What the page's
 * styles say is written into it. Texts are texts, and attributes are those of DRAWN and LOOK alone, so nothing in it runs. */
import { visible } from "./layout";

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["cx", "cy", "d", "height", "r", "rx", "transform", "viewBox", "width", "x", "y"]);
const LOOK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family", "opacity", "text-anchor"];
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const CLEAR = "rgba(0, 0, 0, 0)";

/** A mixed colour as every program reads it: rgb(), and how much shines through. */
function plainColour(value: string): { colour: string; opacity: string } {
  const [, list = "", alpha = ""] = /^(?:color\(srgb|rgba?\()([^/)]*?)(?:\s*\/\s*([\d.]+))?\)$/.exec(value) ?? [];
  const parts = list.split(/[\s,]+/).filter(Boolean).map(Number);
  if (parts.length < 3 || parts.some(Number.isNaN)) {
    return { colour: value, opacity: "" };
  }
  const scale = value.startsWith("color") ? 255 : 1;
  return { colour: `rgb(${parts.slice(0, 3).map((p) => Math.round(p * scale)).join(",")})`, opacity: alpha || (parts.length > 3 ? String(parts[3]) : "") };
}

function set(target: Element, attributes: Record<string, string | number>): void {
  Object.entries(attributes).forEach(([name, value]) => {
    const { colour, opacity } = name === "fill" || name === "stroke" ? plainColour(String(value)) : { colour: String(value), opacity: "" };
    target.setAttribute(name, colour);
    if (opacity) {
      target.setAttribute(`${name}-opacity`, opacity);
    }
  });
}

function blank(width: number, height: number): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
  return svg;
}

function add(to: Element, name: string, attributes: Record<string, string | number>, text = ""): Element {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  made.textContent = visible(text);
  to.append(made);
  return made;
}

/** What shows through where nothing is drawn. */
function ground(element: Element | null): string {
  const own = element ? getComputedStyle(element).backgroundColor : "rgb(255, 255, 255)";
  return own === CLEAR ? ground(element!.parentElement) : own;
}

function copied(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const target = to[i]!;
    [...target.attributes].filter((a) => !DRAWN.has(a.name)).forEach((a) => target.removeAttribute(a.name));
    if (element.tagName !== "title") {
      const look = getComputedStyle(element);
      set(target, Object.fromEntries(LOOK.map((name) => [name, look.getPropertyValue(name)]).filter(([, value]) => value)));
    }
  });
  return copy;
}

/** A table: what has a colour as a box, texts where they stand, and what a mark says as its title. */
function tabled(table: HTMLTableElement): SVGSVGElement {
  const all = table.getBoundingClientRect(), svg = blank(Math.ceil(all.width), Math.ceil(all.height));
  const place = (r: DOMRect) => ({ x: r.x - all.x, y: r.y - all.y, width: r.width, height: r.height });
  for (const element of table.querySelectorAll<HTMLElement>("tr > *, button, i")) {
    const look = getComputedStyle(element), at = place(element.getBoundingClientRect());
    if (look.backgroundColor !== CLEAR) {
      add(svg, "rect", { ...at, rx: Math.min(parseFloat(look.borderRadius) || 0, at.height / 2), fill: look.backgroundColor });
    }
    if (parseFloat(look.borderBottomWidth) && element.parentElement?.tagName === "TR") {
      add(svg, "rect", { ...at, y: at.y + at.height - 1, height: 1, fill: look.borderBottomColor });
    }
    if (element.tagName === "I") {
      add(svg.lastElementChild!, "title", {}, element.parentElement?.getAttribute("aria-label") ?? "");
    }
  }
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = node.textContent?.trim() ?? "";
    range.selectNodeContents(node);
    const at = place(range.getBoundingClientRect()), look = getComputedStyle(node.parentElement!);
    if (text && at.width > 1 && !node.parentElement!.closest(".hidden, [role=tooltip]")) {
      const words = node.parentElement!.matches(".to") ? `→ ${text}` : text;
      add(svg, "text", { x: words === text ? at.x : at.x - 16, y: at.y + at.height * 0.76, fill: look.color, "font-size": look.fontSize, "font-weight": look.fontWeight, "font-family": look.fontFamily }, words);
    }
  }
  return svg;
}

/** With what is behind it, and its title for who hears or hovers. */
function written(svg: SVGSVGElement, called: string, behind: string): string {
  const [x = 0, y = 0, width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(" ");
  const back = add(svg, "rect", { x, y, width, height, fill: behind });
  const title = add(svg, "title", {}, called);
  svg.prepend(title, back);
  const text = new XMLSerializer().serializeToString(svg).replace(NOT_XML, "\ufffd");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
}

/** `called`: its title. */
export function svgText(drawn: SVGSVGElement | HTMLTableElement, called: string): string {
  return written(drawn instanceof HTMLTableElement ? tabled(drawn) : copied(drawn), called, ground(drawn));
}

type Line = readonly (number | null)[];
const [WIDE, HIGH, LEFT, EDGE] = [900, 220, 80, 28];

/** Numbers over events as lines; a gap where there is none. `at`: where its colours come from. */
export function chartText(lines: readonly { values: Line; colour: string; dashed: boolean }[], called: string, at: Element): string {
  const svg = blank(WIDE, HIGH), look = getComputedStyle(at);
  const count = Math.max(...lines.map((l) => l.values.length)), [low, high] = lines.flatMap((l) => l.values).reduce<[number, number]>(([a, b], v) => (v === null ? [a, b] : [Math.min(a, v), Math.max(b, v)]), [Infinity, -Infinity]);
  const x = (i: number): number => LEFT + ((WIDE - LEFT - EDGE) * i) / Math.max(1, count - 1), y = (v: number): number => HIGH - EDGE - ((HIGH - 2 * EDGE) * (v - low)) / (high - low || 1);
  const label = (text: string, px: number, py: number, anchor: string): void => void add(svg, "text", { x: px, y: py, "text-anchor": anchor, fill: look.color, "font-size": "11px", "font-family": look.fontFamily }, text);
  lines.forEach((l) => {
    const path = l.values.map((v, i) => {
      const alone = (at: number): boolean => (l.values[at] ?? null) === null;
      return v === null ? "" : `${alone(i - 1) ? "M" : "L"}${x(i).toFixed(1)} ${y(v).toFixed(1)}${alone(i - 1) && alone(i + 1) ? "m-2 0h4" : ""}`; // a lone value is a mark
    }).join("");
    add(svg, "path", { d: path || "M0 0", fill: "none", stroke: l.colour, "stroke-width": 1.6, "stroke-dasharray": l.dashed ? "6 4" : "none" });
  });
  [low, high].forEach((v) => label(String(v), LEFT - 8, y(v) + 4, "end"));
  label("1", x(0), HIGH - 8, "middle");
  label(String(count), x(count - 1), HIGH - 8, "middle");
  label(called, LEFT, 16, "start");
  return written(svg, called, ground(at));
}
