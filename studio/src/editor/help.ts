/* Completion and explanation from the last good contract: its names, their kinds and what
 * the picture says of them. */
import { placeOf } from "../picture/places";
import { workspace } from "../state/workspace.svelte";
import type { Help } from "./editor";

const WORDS = ["persona", "source", "fact", "entity", "rule", "operation", "flow", "type", "system", "import",
  "states", "initial", "transitions", "stratum", "when", "produce", "verdict", "payload", "allowed_personas", "precondition", "effects", "outcomes",
  "error_contract", "snapshot", "entry", "steps", "on_failure", "verdict_present", "forall", "exists", "in", "and", "or", "not", "true", "false",
  "OperationStep", "BranchStep", "HandoffStep", "SubFlowStep", "ParallelStep", "Terminal", "Terminate", "Compensate",
  "Bool", "Int", "Decimal", "Money", "Text", "Enum", "Date", "DateTime", "Duration", "Record", "List", "TaggedUnion"];

function named(): Map<string, string> {
  const list = new Map<string, string>();
  for (const n of workspace.good?.index ?? []) {
    const id = n.id.split(".").pop()!;
    if (n.is_definition && !list.has(id)) {
      list.set(id, n.kind);
    }
  }
  return list;
}

export const help: Help = {
  complete(prefix) {
    const names = [...named()].map(([label, detail]) => ({ label, detail }));
    const words = WORDS.filter((w) => !names.some((n) => n.label === w)).map((label) => ({ label, detail: "" }));
    return [...names, ...words].filter((o) => o.label.startsWith(prefix.slice(0, 1)));
  },

  explain(line, column) {
    const good = workspace.good;
    const under = good?.index.find((n) => n.at.file === workspace.current && n.at.line === line && n.at.column <= column && column < n.at.end_column);
    if (!good || !under) {
      return null;
    }
    const node = good.picture.nodes.find((n) => {
      const at = placeOf(good, n.name);
      return at !== null && n.tooltip !== null && at.file === under.definition.file && at.line === under.definition.line && at.column === under.definition.column;
    });
    const uses = good.index.filter((n) => !n.is_definition && n.kind === under.kind && n.id === under.id).length;
    return `${under.kind} ${under.id}\n${node?.tooltip ? `${node.tooltip}\n` : ""}${uses === 1 ? "used once" : `used ${uses} times`}`;
  },
};
