/* Colours for contracts: what a word is by its shape and place. No word is reserved in the language, so
 * constructs count at the beginning of a line and fields before a colon. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags as t } from "@lezer/highlight";

const CONSTRUCTS = /^(?:import|type|persona|source|fact|entity|rule|operation|flow|system)\b/;
const STEPS = /^(?:OperationStep|BranchStep|HandoffStep|SubFlowStep|ParallelStep|Terminal|Terminate|Compensate|Escalate)\b/;
const TYPES = /^(?:Bool|Int|Decimal|Text|Enum|Date|DateTime|Duration|Money|Record|List|TaggedUnion)\b/;
const WORDS = /^(?:and|or|not|forall|exists|in|verdict_present|verdict|true|false|present)\b/;
const NAME = /^[\p{L}_][\p{L}\p{N}_]*/u;

interface State {
  comment: boolean;
  /** The next name is one that is given here. */
  defines: boolean;
}

export const tenor = StreamLanguage.define<State>({
  name: "tenor",
  startState: () => ({ comment: false, defines: false }),
  token(stream, state) {
    if (state.comment) {
      state.comment = !(stream.match(/^.*?\*\//) || (stream.skipToEnd(), false));
      return "comment";
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "lineComment";
    }
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
      return "string";
    }
    if (stream.match(/^-?\d+(?:\.\d+)?/)) {
      return "number";
    }
    const indented = stream.indentation() > 0 && stream.column() > 0;
    if (!indented && stream.match(CONSTRUCTS)) {
      state.defines = true;
      return "keyword";
    }
    if (state.defines && stream.match(NAME)) {
      state.defines = false;
      return "variableName.definition";
    }
    state.defines = false;
    if (stream.match(STEPS)) {
      return "className";
    }
    if (stream.match(TYPES)) {
      return "typeName";
    }
    if (stream.match(WORDS)) {
      return "operatorKeyword";
    }
    if (stream.match(NAME)) {
      return stream.match(/^\s*:/, false) ? "propertyName" : "variableName";
    }
    if (stream.match(/^[∀∃∈∧∨¬≤≥≠=<>+\-*]+/u)) {
      return "operator";
    }
    stream.next();
    return "punctuation";
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});

/* Colours are variables of the page, so the theme changes them without the editor. */
export const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: t.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: t.definition(t.variableName), color: "var(--code-name)", fontWeight: "600" },
  { tag: t.propertyName, color: "var(--code-field)" },
  { tag: [t.typeName, t.className], color: "var(--code-type)" },
  { tag: t.operatorKeyword, color: "var(--code-word)" },
  { tag: t.operator, color: "var(--code-word)" },
  { tag: t.string, color: "var(--code-string)" },
  { tag: t.number, color: "var(--code-number)" },
  { tag: [t.comment, t.lineComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: t.punctuation, color: "var(--dim)" },
]));
