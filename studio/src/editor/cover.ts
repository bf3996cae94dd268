/* What scenarios reached, beside the lines: a bar, and a sign where something begins. */
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, gutter, GutterMarker } from "@codemirror/view";
import type { LineCover } from "../picture/covered";

const SIGNS = { seen: "✓", partly: "–", never: "✗" } as const;

class CoverMark extends GutterMarker {
  constructor(readonly cover: LineCover) {
    super();
  }

  override eq(other: CoverMark): boolean {
    return other.cover.state === this.cover.state && other.cover.first === this.cover.first && other.cover.words === this.cover.words;
  }

  override toDOM(): Node {
    const dom = document.createElement("span");
    dom.className = `cm-cover-${this.cover.state}`;
    dom.textContent = this.cover.first ? SIGNS[this.cover.state] : "";
    dom.title = this.cover.words;
    return dom;
  }
}

export const setCover = StateEffect.define<ReadonlyMap<number, LineCover>>();

const field = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, tr) {
    marks = marks.map(tr.changes);
    for (const effect of tr.effects) {
      if (effect.is(setCover)) {
        const doc = tr.state.doc;
        marks = RangeSet.of([...effect.value].filter(([line]) => line <= doc.lines).map(([line, cover]) => new CoverMark(cover).range(doc.line(line).from)), true);
      }
    }
    return marks;
  },
});

export const coverGutter = [
  field,
  gutter({ class: "cm-cover", markers: (view) => view.state.field(field) }),
  EditorView.theme({
    ".cm-cover .cm-gutterElement": { padding: "0" },
    ".cm-cover span": { display: "block", height: "100%", minWidth: "13px", paddingLeft: "4px", borderLeft: "3px solid", fontSize: "10px", lineHeight: "20px" },
    ".cm-cover-seen": { borderColor: "var(--good)", color: "var(--good)" },
    ".cm-cover-partly": { borderColor: "var(--warn)", color: "var(--warn)" },
    ".cm-cover-never": { borderColor: "var(--bad)", color: "var(--bad)", borderLeftStyle: "dashed" },
  }),
];
