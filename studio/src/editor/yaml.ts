/* Colours for YAML and JSON: keys, texts, numbers, comments. */
import { StreamLanguage } from "@codemirror/language";

export const yaml = StreamLanguage.define({
  name: "yaml",
  token(stream) {
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.peek() === "#" && (stream.sol() || /\s/.test(stream.string[stream.pos - 1] ?? ""))) {
      stream.skipToEnd();
      return "lineComment";
    }
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/)) {
      return stream.match(/^\s*:(?=\s|$)/, false) ? "propertyName" : "string";
    }
    if (stream.match(/^[\p{L}_$][\p{L}\p{N}_./-]*(?=\s*:(?:\s|$))/u)) {
      return "propertyName";
    }
    if (stream.match(/^(?:true|false|null)\b/)) {
      return "operatorKeyword";
    }
    if (stream.match(/^-?\d+(?:\.\d+)?(?![\p{L}\p{N}_-])/u)) {
      return "number";
    }
    return stream.match(/^[^\s,[\]{}:#"']+/) ? "variableName" : (stream.next(), "punctuation");
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["[", "{", '"', "'"] } },
});
