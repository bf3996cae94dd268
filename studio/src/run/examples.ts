/* Graphs and agents to begin with. Captures are not among them: the page makes them. */
import adapter from "../../../examples/crossover/adapter.yaml";
import crossover from "../../../examples/crossover/crossover.yaml";
import place_order from "../../../examples/crossover/manifests/place_order.yaml";
import prices from "../../../examples/crossover/prices.csv";
import buyer from "../../../examples/agents/buyer.yaml";
import seller from "../../../examples/agents/seller.yaml";
import supply from "../../../examples/agents/supply_chain.yaml";
import supplied from "../../../examples/agents/supply_chain.scenario.yaml";

export interface RunExample {
  name: string;
  about: string;
  files: [string, string][];
}

/** As `motet graph fixture import --semantic-kind price` makes them of columns. */
function eventsOf(csv: string, kind: string): string {
  const [head = "", ...lines] = csv.trim().split("\n");
  const names = head.split(",").slice(1);
  return lines.map((line, i) => {
    const payload = line.split(",").slice(1).map((v, c) => `"${names[c]}":${v}`).join(",");
    return `{"kind":"event","event":{"type":"DataAvailable","id":"csv_evt_${i + 1}","semantic_kind":"${kind}","payload":{${payload}}}}`;
  }).join("\n");
}

const WATCH = `# Tells somebody when the mean of the last readings goes above a limit.
kind: cluster
id: watch
version: "1.0.0"
nodes:
  reading:  { impl: context_number_source@0.1.0, params: { key: reading } }
  history:  { impl: context_series_source@0.1.0, params: { key: history } }
  longer:   { impl: append@0.1.0 }
  last:     { impl: window@0.1.0, params: { size: 3 } }
  middle:   { impl: mean@0.1.0 }
  high:     { cluster: goes_above@1.0.0, params: { limit: 30.0 } }
  tell:     { impl: notify@1.0.0, params: { text: it is getting hot } }
  always:   { impl: const_bool@0.1.0, params: { value: true } }
  each:     { impl: emit_if_true@0.1.0 }
  remember: { impl: context_set_series@0.1.0, params: { key: history } }
edges:
  - history.value -> longer.series
  - reading.value -> longer.value
  - longer.result -> last.series
  - last.result -> middle.series
  - middle.result -> high.value
  - high.event -> tell.event
  - middle.result -> tell.reading
  - always.value -> each.input
  - each.event -> remember.event
  - last.result -> remember.value
outputs: { middle: middle.result }
`;
const GOES_ABOVE = `kind: cluster
id: goes_above
version: "1.0.0"
inputs: [{ name: value, type: number, required: true }]
parameters: [{ name: limit, type: number, required: true }]
nodes:
  limit: { impl: number_source@0.1.0, params: { value: { exposed: limit } } }
  above: { impl: gt@0.1.0 }
  edge:  { cluster: edge_rising@1.0.0 }
edges:
  - $value -> above.a
  - limit.value -> above.b
  - above.result -> edge.condition
outputs: { event: edge.event }
`;
const NOTIFY = `kind: action
id: notify
version: "1.0.0"
inputs: [{ name: event, type: event }, { name: reading, type: number }]
outputs: [{ name: outcome, type: event }]
parameters: [{ name: text, type: string, required: true }]
effects:
  intents:
    - name: notify
      fields: [{ name: reading, type: number, from_input: reading }, { name: text, type: string, from_param: text }]
outcome: Attempted
`;
const THERMOMETER = `kind: adapter
id: thermometer
version: "1.0.0"
runtime_compatibility: "0.1.0"
context_keys:
  - { name: reading, type: Number, required: true, writable: false }
  - { name: history, type: Series, required: false, writable: true }
event_kinds:
  - name: reading
    payload_schema: { type: object, additionalProperties: false, required: [reading], properties: { reading: { type: number }, history: { type: array, items: { type: number } } } }
accepts:
  effects:
    - name: set_context
      payload_schema: { type: object, additionalProperties: false, properties: { history: { type: array, items: { type: number } } } }
    - name: notify
      payload_schema: { type: object, additionalProperties: false, required: [reading, text], properties: { reading: { type: number }, text: { type: string } } }
capture: { format_version: "1", fields: [event.reading] }
`;
const READINGS = "time,reading\n" + [21.5, 22, 24, 27.5, 29, 31, 32.5, 33, 31.5, 29, 26, 24.5, 27, 30.5, 33.5, 34].map((r, i) => `${i},${r}`).join("\n");

export const GRAPHS: RunExample[] = [
  { name: "crossover", about: "Prices: an order when a short average crosses a long one and the spread is small.",
    files: [["crossover.yaml", crossover], ["adapter.yaml", adapter], ["manifests/place_order.yaml", place_order], ["prices.jsonl", eventsOf(prices, "price")]] },
  { name: "watch", about: "A thermometer: a cluster in a cluster decides when somebody is told.",
    files: [["watch.yaml", WATCH], ["clusters/goes_above.yaml", GOES_ABOVE], ["adapter.yaml", THERMOMETER], ["manifests/notify.yaml", NOTIFY], ["readings.jsonl", eventsOf(READINGS, "reading")]] },
];
export const AGENTS: RunExample[] = [
  { name: "bargain", about: "A seller and a buyer greet each other and agree on a price, in this page.", files: [["seller.yaml", seller], ["buyer.yaml", buyer]] },
  { name: "supply_chain", about: "Stages, a decision, amendments between transitions: a scenario of six messages.",
    files: [["supply_chain.yaml", supply], ["supply_chain.scenario.yaml", supplied]] },
];
