/* Every rule id that can be violated: a text that holds, and the same text with one
 * change that breaks exactly this rule. */
#include "../rows.h"
#include "graph/adapter.h"
#include "graph/rules.h"
#include "graph_test.h"

/* clang-format off */
static const char SOURCE[] =
    "kind: source\n"
    "id: price\n"
    "version: 1.0.0\n"
    "inputs: []\n"
    "outputs: [{name: value, type: number, from: context.$key}]\n"
    "parameters: [{name: key, type: string, default: x}, {name: n, type: number, default: 1.0}]\n"
    "requires: {context: [{name: $key, type: number, required: true}]}\n"
    "execution: {deterministic: true, cadence: continuous}\n"
    "state: {allowed: false}\n"
    "side_effects: false\n";

static const char COMPUTE[] =
    "kind: compute\n"
    "id: scaled_sum\n"
    "version: 1.0.0\n"
    "inputs: [{name: a, type: number, cardinality: single}, {name: b, type: number}]\n"
    "outputs: [{name: result, type: number}]\n"
    "parameters: [{name: k, type: number, default: 2.0}]\n"
    "execution: {deterministic: true, cadence: continuous, may_error: true}\n"
    "errors: {allowed: true, types: [DivisionByZero], deterministic: true}\n"
    "state: {allowed: true, resettable: true}\n"
    "side_effects: false\n"
    "expression: a * k + b\n";

static const char TRIGGER[] =
    "kind: trigger\n"
    "id: over\n"
    "version: 1.0.0\n"
    "inputs: [{name: a, type: number, cardinality: single}, {name: b, type: number}]\n"
    "outputs: [{name: event, type: event}]\n"
    "parameters: [{name: k, type: number, default: 1.0}]\n"
    "execution: {deterministic: true, cadence: event}\n"
    "state: {allowed: false}\n"
    "side_effects: false\n"
    "expression: a > b + k\n";

static const char ACTION[] =
    "kind: action\n"
    "id: order\n"
    "version: 1.0.0\n"
    "inputs: [{name: event, type: event}, {name: qty, type: number}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "parameters: [{name: key, type: string, default: last}, {name: side, type: string, default: buy}, {name: lots, type: int, default: 1}]\n"
    "effects:\n"
    "  writes: [{name: $key, type: number, from_input: qty}]\n"
    "  intents:\n"
    "    - name: place_order\n"
    "      fields: [{name: amount, type: number, from_input: qty}, {name: way, type: string, from_param: side}]\n"
    "      mirror_writes: [{name: mirrored, type: number, from_field: amount}]\n"
    "execution: {deterministic: true, retryable: false}\n"
    "state: {allowed: false}\n"
    "side_effects: true\n";

/* Fields of an intent that come from parameters, one of each type they may have. */
static const char FROM_PARAMETERS[] =
    "kind: action\n"
    "id: order\n"
    "version: 1.0.0\n"
    "inputs: [{name: event, type: event}]\n"
    "outputs: [{name: outcome, type: event}]\n"
    "parameters: [{name: side, type: string, default: buy}, {name: ratio, type: number, default: 0.5}, {name: firm, type: bool, default: true}]\n"
    "effects:\n"
    "  intents:\n"
    "    - name: place_order\n"
    "      fields: [{name: way, type: string, from_param: side}, {name: part, type: number, from_param: ratio}, {name: sure, type: bool, from_param: firm}]\n"
    "execution: {deterministic: true, retryable: false}\n"
    "state: {allowed: false}\n"
    "side_effects: true\n";

static const char DOUBLE[] =
    "kind: cluster\n"
    "id: double\n"
    "version: 1.2.0\n"
    "inputs: [{name: in, type: number}]\n"
    "parameters: [{name: factor, type: number}, {name: note, type: string, default: {derive_key: memo}}]\n"
    "nodes:\n"
    "  f: {impl: const_number@0.1.0, params: {value: {exposed: factor}}}\n"
    "  m: {impl: multiply@0.1.0}\n"
    "edges: [$in -> m.a, f.value -> m.b]\n"
    "outputs: {out: m.result}\n";

static const char GRAPH[] =
    "kind: cluster\n"
    "id: main\n"
    "version: 1.0.0\n"
    "parameters: [{name: level, type: number, default: 1.5}]\n"
    "nodes:\n"
    "  x:    {impl: context_number_source@0.1.0, params: {key: px}}\n"
    "  lim:  {impl: number_source@^0.1, params: {value: {exposed: level}}}\n"
    "  sub:  {cluster: double@^1, params: {factor: 2.0}}\n"
    "  cmp:  {impl: gt@0.1.0}\n"
    "  emit: {impl: emit_if_true@0.1.0}\n"
    "  set:  {impl: context_set_number@0.1.0, params: {key: out}}\n"
    "  ser:  {impl: context_series_source@0.1.0}\n"
    "  win:  {impl: window@0.1.0, params: {size: 3}}\n"
    "edges:\n"
    "  - x.value -> sub.in\n"
    "  - sub.out -> cmp.a\n"
    "  - lim.value -> cmp.b\n"
    "  - cmp.result -> emit.input\n"
    "  - emit.event -> set.event\n"
    "  - x.value -> set.value\n"
    "  - {from: {node: ser, port: value}, to: {node: win, port: series}}\n"
    "outputs: {fired: emit.event, done: set.outcome}\n"
    "declared_signature: {kind: TriggerLike, has_side_effects: true, is_origin: true, outputs: [{name: fired, wireable: true}]}\n";

static const char ADAPTER[] =
    "kind: adapter\n"
    "id: feed\n"
    "version: 1.0.0\n"
    "runtime_compatibility: 0.1.0\n"
    "context_keys:\n"
    "  - {name: px, type: Number, required: true, writable: false}\n"
    "  - {name: out, type: Number, required: false, writable: true}\n"
    "  - {name: last, type: Number, required: false, writable: true}\n"
    "  - {name: mirrored, type: Number, required: false, writable: true, description: d}\n"
    "event_kinds:\n"
    "  - name: tick\n"
    "    payload_schema: {type: object, properties: {px: {type: number}, s: {type: array, items: {type: number}}}, required: [px], additionalProperties: false}\n"
    "accepts:\n"
    "  effects:\n"
    "    - {name: set_context, payload_schema: {type: object, additionalProperties: false}}\n"
    "    - name: place_order\n"
    "      payload_schema: {type: object, properties: {amount: {type: number}, way: {type: string}}, required: [amount], additionalProperties: false}\n"
    "capture: {format_version: \"1\", fields: [event.tick, meta.timestamp]}\n";

/* A graph that uses ACTION, for composition. */
static const char ORDERS[] =
    "kind: cluster\n"
    "id: orders\n"
    "version: 1.0.0\n"
    "nodes:\n"
    "  p:    {impl: price@1.0.0, params: {key: px}}\n"
    "  zero: {impl: number_source@0.1.0}\n"
    "  cmp:  {impl: gt@0.1.0}\n"
    "  emit: {impl: emit_if_true@0.1.0}\n"
    "  buy:  {impl: order@1.0.0}\n"
    "edges:\n"
    "  - p.value -> cmp.a\n"
    "  - zero.value -> cmp.b\n"
    "  - cmp.result -> emit.input\n"
    "  - emit.event -> buy.event\n"
    "  - p.value -> buy.qty\n";

typedef enum what { MANIFEST, GRAPHS, ADAPTERS, COMPOSE } what;

static const struct row {
    const char *rule;
    what what;
    const char *base, *find, *replace;
} ROWS[] = {
    {"SRC-1", MANIFEST, SOURCE, "id: price", "id: Price"},
    {"SRC-1", MANIFEST, SOURCE, "id: price", "id: pri-ce"},
    {"SRC-1", MANIFEST, SOURCE, "id: price", "id: priCe"},
    {"SRC-2", MANIFEST, SOURCE, "version: 1.0.0", "version: \"1.0\""},
    {"SRC-3", MANIFEST, SOURCE, "kind: source", "kind: Source"},
    {"SRC-4", MANIFEST, SOURCE, "inputs: []", "inputs: [{name: a, type: number}]"},
    {"SRC-5", MANIFEST, SOURCE, "outputs: [{name: value, type: number, from: context.$key}]", "outputs: []"},
    {"SRC-6", MANIFEST, SOURCE, "outputs: [", "outputs: [{name: value, type: number, from: param.n}, "},
    {"SRC-7", MANIFEST, SOURCE, "name: value, type: number", "name: value, type: event"},
    {"SRC-8", MANIFEST, SOURCE, "state: {allowed: false}", "state: {allowed: true}"},
    {"SRC-9", MANIFEST, SOURCE, "side_effects: false", "side_effects: true"},
    {"SRC-11", MANIFEST, SOURCE, "name: $key, type: number", "name: $key, type: bool"},
    {"SRC-12", MANIFEST, SOURCE, "deterministic: true", "deterministic: false"},
    {"SRC-13", MANIFEST, SOURCE, "cadence: continuous", "cadence: event"},
    {"SRC-14", MANIFEST, SOURCE, "id: price", "id: number_source"},
    {"SRC-14", MANIFEST, SOURCE, "id: price", "id: add"},
    {"SRC-15", MANIFEST, SOURCE, "default: 1.0", "default: true"},
    {"SRC-16", MANIFEST, SOURCE, "{name: $key, type", "{name: $other, type"},
    {"SRC-17", MANIFEST, SOURCE, "{name: $key, type", "{name: $n, type"},
    {"CMP-1", MANIFEST, COMPUTE, "id: scaled_sum", "id: 2sum"},
    {"CMP-2", MANIFEST, COMPUTE, "version: 1.0.0", "version: 01.0.0"},
    {"CMP-3", MANIFEST, COMPUTE, "kind: compute", "kind: Compute"},
    {"CMP-4", MANIFEST, COMPUTE, "inputs: [{name: a, type: number, cardinality: single}, {name: b, type: number}]", "inputs: []"},
    {"CMP-5", MANIFEST, COMPUTE, "{name: b,", "{name: a,"},
    {"CMP-6", MANIFEST, COMPUTE, "outputs: [{name: result, type: number}]", "outputs: []"},
    {"CMP-7", MANIFEST, COMPUTE, "outputs: [", "outputs: [{name: result, type: number}, "},
    {"CMP-8", MANIFEST, COMPUTE, "side_effects: false", "side_effects: true"},
    {"CMP-9", MANIFEST, COMPUTE, "resettable: true", "resettable: false"},
    {"CMP-10", MANIFEST, COMPUTE, "types: [DivisionByZero], deterministic: true", "deterministic: false"},
    {"CMP-13", MANIFEST, COMPUTE, "{name: b, type: number}", "{name: b, type: string}"},
    {"CMP-14", MANIFEST, COMPUTE, "cardinality: single", "cardinality: multiple"},
    {"CMP-15", MANIFEST, COMPUTE, "name: k, type: number, default: 2.0", "name: k, type: string, default: s"},
    {"CMP-16", MANIFEST, COMPUTE, "cadence: continuous", "cadence: event"},
    {"CMP-17", MANIFEST, COMPUTE, "{deterministic: true", "{deterministic: false"},
    {"CMP-18", MANIFEST, COMPUTE, "id: scaled_sum", "id: add"},
    {"CMP-19", MANIFEST, COMPUTE, "default: 2.0", "default: true"},
    {"CMP-20", MANIFEST, COMPUTE, "{name: result, type: number}", "{name: result, type: event}"},
    {"CMP-20", MANIFEST, COMPUTE, "{name: result, type: number}", "{name: result, type: bool}"},
    {"D.9", MANIFEST, COMPUTE, "parameters: [", "parameters: [{name: k, type: number}, "},
    {"X.1", MANIFEST, COMPUTE, "kind: compute", "kind: filter"},
    {"X.10", MANIFEST, COMPUTE, "a * k + b", "(a > k) + b"},
    {"expression.syntax", MANIFEST, COMPUTE, "a * k + b", "a * k +"},
    {"expression.syntax", MANIFEST, COMPUTE, "a * k + b", "a * unknown"},
    {"TRG-1", MANIFEST, TRIGGER, "id: over", "id: _over"},
    {"TRG-2", MANIFEST, TRIGGER, "version: 1.0.0", "version: v1.0.0"},
    {"TRG-3", MANIFEST, TRIGGER, "kind: trigger", "kind: Trigger"},
    {"TRG-4", MANIFEST, TRIGGER, "inputs: [{name: a, type: number, cardinality: single}, {name: b, type: number}]", "inputs: []"},
    {"TRG-5", MANIFEST, TRIGGER, "{name: b,", "{name: a,"},
    {"TRG-6", MANIFEST, TRIGGER, "{name: b, type: number}", "{name: b, type: string}"},
    {"TRG-7", MANIFEST, TRIGGER, "outputs: [", "outputs: [{name: other, type: event}, "},
    {"TRG-8", MANIFEST, TRIGGER, "{name: event, type: event}", "{name: event, type: bool}"},
    {"TRG-9", MANIFEST, TRIGGER, "state: {allowed: false}", "state: {allowed: true}"},
    {"TRG-10", MANIFEST, TRIGGER, "side_effects: false", "side_effects: true"},
    {"TRG-11", MANIFEST, TRIGGER, "deterministic: true", "deterministic: false"},
    {"TRG-12", MANIFEST, TRIGGER, "cardinality: single", "cardinality: multiple"},
    {"TRG-13", MANIFEST, TRIGGER, "id: over", "id: emit_if_true"},
    {"TRG-14", MANIFEST, TRIGGER, "default: 1.0", "default: text"},
    {"ACT-1", MANIFEST, ACTION, "id: order", "id: \"\""},
    {"ACT-2", MANIFEST, ACTION, "version: 1.0.0", "version: 1.0.0-"},
    {"ACT-3", MANIFEST, ACTION, "kind: action", "kind: Action"},
    {"ACT-4", MANIFEST, ACTION, "{name: event, type: event}", "{name: event, type: bool}"},
    {"ACT-5", MANIFEST, ACTION, "inputs: [", "inputs: [{name: qty, type: number}, "},
    {"ACT-6", MANIFEST, ACTION, "inputs: [", "inputs: [{name: when, type: time}, "},
    {"ACT-7", MANIFEST, ACTION, "outputs: [", "outputs: [{name: more, type: event}, "},
    {"ACT-8", MANIFEST, ACTION, "outputs: [{name: outcome", "outputs: [{name: result"},
    {"ACT-9", MANIFEST, ACTION, "{name: outcome, type: event}", "{name: outcome, type: bool}"},
    {"ACT-10", MANIFEST, ACTION, "state: {allowed: false}", "state: {allowed: true}"},
    {"ACT-11", MANIFEST, ACTION, "side_effects: true", "side_effects: false"},
    {"ACT-14", MANIFEST, ACTION, "writes: [", "writes: [{name: $key, type: number, from_input: qty}, "},
    {"ACT-14", MANIFEST, ACTION, "{name: mirrored, type", "{name: $key, type"},
    {"ACT-15", MANIFEST, ACTION, "{name: $key, type: number", "{name: $key, type: event"},
    {"ACT-16", MANIFEST, ACTION, "retryable: false", "retryable: true"},
    {"ACT-17", MANIFEST, ACTION, "deterministic: true", "deterministic: false"},
    {"ACT-18", MANIFEST, ACTION, "id: order", "id: ack_action"},
    {"ACT-19", MANIFEST, ACTION, "type: int, default: 1", "type: int, default: 1.5"},
    {"ACT-20", MANIFEST, ACTION, "{name: $key, type", "{name: $nokey, type"},
    {"ACT-20", MANIFEST, ACTION, "{name: mirrored, type", "{name: $nokey, type"},
    {"ACT-21", MANIFEST, ACTION, "{name: $key, type", "{name: $lots, type"},
    {"ACT-22", MANIFEST, ACTION, "type: number, from_input: qty}]\n  intents", "type: number, from_input: none}]\n  intents"},
    {"ACT-23", MANIFEST, ACTION, "{name: $key, type: number", "{name: $key, type: bool"},
    {"ACT-24", MANIFEST, ACTION, "  intents:\n", "  intents:\n    - {name: place_order}\n"},
    {"ACT-25", MANIFEST, ACTION, "fields: [", "fields: [{name: way, type: string, from_param: side}, "},
    {"ACT-26", MANIFEST, ACTION, "type: string, from_param: side", "type: string"},
    {"ACT-27", MANIFEST, ACTION, "type: string, from_param: side", "type: string, from_param: side, from_input: qty"},
    {"ACT-28", MANIFEST, ACTION, "name: amount, type: number, from_input: qty", "name: amount, type: number, from_input: none"},
    {"ACT-29", MANIFEST, ACTION, "name: amount, type: number, from_input: qty", "name: amount, type: event, from_input: event"},
    {"ACT-30", MANIFEST, ACTION, "from_param: side", "from_param: none"},
    {"ACT-31", MANIFEST, ACTION, "type: string, from_param: side", "type: number, from_param: lots"},
    {"ACT-31", MANIFEST, FROM_PARAMETERS, "type: string, from_param: side", "type: number, from_param: side"},
    {"ACT-31", MANIFEST, FROM_PARAMETERS, "type: number, from_param: ratio", "type: bool, from_param: ratio"},
    {"ACT-31", MANIFEST, FROM_PARAMETERS, "type: bool, from_param: firm", "type: string, from_param: firm"},
    {"ACT-32", MANIFEST, ACTION, "from_field: amount", "from_field: none"},
    {"ACT-33", MANIFEST, ACTION, "from_field: amount", "from_field: way"},
    {"NUM-FINITE-1", MANIFEST, COMPUTE, "default: 2.0", "default: 1e999"},
    {"LIMIT", MANIFEST, COMPUTE, "a * k + b", "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((a"},

    {"D.1", GRAPHS, GRAPH, "nodes:\n", "nodes: {}\nnot_nodes:\n"},
    {"D.2", GRAPHS, GRAPH, "- x.value -> set.value", "- y.value -> set.value"},
    {"D.2", GRAPHS, GRAPH, "- lim.value -> cmp.b", "- lim.other -> cmp.b"},
    {"D.2", GRAPHS, GRAPH, "- lim.value -> cmp.b", "- lim.value -> cmp.c"},
    {"D.2", GRAPHS, GRAPH, "- x.value -> sub.in", "- x.value -> sub.inn"},
    {"D.2", GRAPHS, GRAPH, "{fired: emit.event", "{fired: emit.nothing"},
    {"D.4", GRAPHS, GRAPH, "- sub.out -> cmp.a", "- sub.nothing -> cmp.a"},
    {"D.8", GRAPHS, GRAPH, "type: number, default: 1.5", "type: number, default: high"},
    {"D.8", GRAPHS, GRAPH, "type: number, default: 1.5", "type: number, default: {derive_key: a}"},
    {"D.8", GRAPHS, GRAPH, "parameters: [", "parameters: [{name: s, type: string, default: {derive_key: \"\"}}, "},
    {"D.9", GRAPHS, GRAPH, "parameters: [", "parameters: [{name: level, type: number, default: 1.0}, "},
    {"D.10", GRAPHS, GRAPH, "{kind: TriggerLike", "{kind: ComputeLike"},
    {"D.10", GRAPHS, GRAPH, "has_side_effects: true", "has_side_effects: false"},
    {"D.10", GRAPHS, GRAPH, "is_origin: true", "is_origin: false"},
    {"D.11", GRAPHS, GRAPH, "{name: fired, wireable: true}", "{name: done, wireable: true}"},
    {"E.3", GRAPHS, GRAPH, "  - x.value -> sub.in\n", ""},
    {"E.3", GRAPHS, GRAPH, "nodes:\n", "inputs: [{name: q, type: number}]\nnodes:\n"},
    {"E.9", GRAPHS, GRAPH, "cluster: double@^1", "cluster: treble@^1"},
    {"I.3", GRAPHS, GRAPH, ", params: {factor: 2.0}", ""},
    {"I.3", GRAPHS, GRAPH, ", params: {key: out}", ""},
    {"I.3", GRAPHS, GRAPH, "type: number, default: 1.5", "type: number"},
    {"I.4", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: two}"},
    {"I.4", GRAPHS, GRAPH, "{key: out}", "{key: 5}"},
    {"I.4", GRAPHS, GRAPH, "{size: 3}", "{size: 2.5}"},
    {"I.4", GRAPHS, GRAPH, "{size: 3}", "{size: 0}"},
    {"I.5", GRAPHS, GRAPH, "{exposed: level}", "{exposed: levels}"},
    {"I.6", GRAPHS, GRAPH, "double@^1", "double@^2"},
    {"I.6", GRAPHS, GRAPH, "gt@0.1.0", "gt@9.9.9"},
    {"I.6", GRAPHS, GRAPH, "gt@0.1.0", "gt@newest"},
    {"I.7", GRAPHS, GRAPH, "{key: out}", "{key: out, other: 1}"},
    {"I.7", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: 2.0, other: 1}"},
    {"V.1", GRAPHS, GRAPH, "- lim.value -> cmp.b\n", "- loop.result -> cmp.b\n  - cond.result -> loop.cond\n  - cmp.result -> cond.a\n  - cmp.result -> cond.b\n  - lim.value -> loop.when_true\n  - lim.value -> loop.when_false\n"},
    {"V.2", GRAPHS, GRAPH, "- cmp.result -> emit.input", "- flag.value -> emit.input"},
    {"V.2", GRAPHS, GRAPH, "- emit.event -> set.event", "- cmp.result -> set.event"},
    {"V.3", GRAPHS, GRAPH, "  - lim.value -> cmp.b\n", ""},
    {"V.4", GRAPHS, GRAPH, "- cmp.result -> emit.input", "- sub.out -> emit.input"},
    {"V.5", GRAPHS, GRAPH, "  - emit.event -> set.event\n", ""},
    {"V.7", GRAPHS, GRAPH, "edges:\n", "edges:\n  - lim.value -> cmp.a\n"},
    {"V.8", GRAPHS, GRAPH, "impl: gt@0.1.0", "impl: greater@0.1.0"},
    {"X.11", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: 9007199254740993}"},
    {"NUM-FINITE-1", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: 1e400}"},
    {"NUM-FINITE-1", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: .nan}"},
    {"NUM-FINITE-1", GRAPHS, GRAPH, "{factor: 2.0}", "{factor: -.inf}"},
    {"graph.decode", GRAPHS, GRAPH, "kind: cluster", "kind: graph"},
    {"graph.decode", GRAPHS, GRAPH, "version: 1.0.0", "version: one"},
    {"graph.decode", GRAPHS, GRAPH, "- lim.value -> cmp.b", "- lim.value => cmp.b"},
    {"graph.decode", GRAPHS, GRAPH, "- lim.value -> cmp.b", "- lim.value -> $b"},
    {"graph.decode", GRAPHS, GRAPH, "- lim.value -> cmp.b", "- $lim -> cmp.b"},
    {"graph.decode", GRAPHS, GRAPH, "  cmp:  {impl", "  \"c:mp\":  {impl"},
    {"graph.decode", GRAPHS, GRAPH, "{impl: gt@0.1.0}", "{impl: gt@0.1.0, cluster: double}"},
    {"graph.decode", GRAPHS, GRAPH, "{impl: gt@0.1.0}", "{}"},
    {"graph.decode", GRAPHS, GRAPH, "{exposed: level}", "{shown: level}"},

    {"ADP-1", ADAPTERS, ADAPTER, "id: feed", "id: Feed"},
    {"ADP-2", ADAPTERS, ADAPTER, "version: 1.0.0", "version: \"1\""},
    {"ADP-3", ADAPTERS, ADAPTER, "runtime_compatibility: 0.1.0", "runtime_compatibility: 0.2.0"},
    {"ADP-5", ADAPTERS, ADAPTER, "{name: out, type", "{name: px, type"},
    {"ADP-6", ADAPTERS, ADAPTER, "{name: out, type: Number", "{name: out, type: Event"},
    {"ADP-7", ADAPTERS, ADAPTER, "event_kinds:\n", "event_kinds:\n  - {name: tick, payload_schema: {type: object, additionalProperties: false}}\n"},
    {"ADP-8", ADAPTERS, ADAPTER, "required: [px], additionalProperties: false", "required: [px]"},
    {"ADP-8", ADAPTERS, ADAPTER, "s: {type: array", "s: {anyOf: [{type: string}], type: array"},
    {"ADP-8", ADAPTERS, ADAPTER, "px: {type: number}", "px: {$ref: \"other.json\"}"},
    {"ADP-8", ADAPTERS, ADAPTER, "px: {type: number}", "px: {type: money}"},
    {"ADP-9", ADAPTERS, ADAPTER, "format_version: \"1\"", "format_version: \"\""},
    {"ADP-10", ADAPTERS, ADAPTER, "[event.tick,", "[event.tock,"},
    {"ADP-11", ADAPTERS, ADAPTER, "required: true, writable: false", "required: true"},
    {"ADP-12", ADAPTERS, ADAPTER, "  effects:\n", "  effects:\n    - {name: set_context}\n"},
    {"ADP-13", ADAPTERS, ADAPTER, "required: [amount], additionalProperties: false", "required: [amount]"},
    {"ADP-14", ADAPTERS, ADAPTER, "{name: set_context, ", "{name: set_contexts, "},
    {"ADP-17", ADAPTERS, ADAPTER, "required: false, writable: true", "required: true, writable: true"},
    {"ADP-18", ADAPTERS, ADAPTER, "{name: px, type: Number", "{name: px, type: Bool"},
    {"ADP-18", ADAPTERS, ADAPTER, "required: [px]", "required: [s]"},
    {"ADP-19", ADAPTERS, ADAPTER, "s: {type: array, items: {type: number}}", "s: {type: [string, number]}"},
    {"ADP-19", ADAPTERS, ADAPTER, "payload_schema: {type: object, properties: {px", "payload_schema: {properties: {px"},
    {"adapter.decode", ADAPTERS, ADAPTER, "kind: adapter", "kind: adaptor"},

    {"COMP-1", COMPOSE, ADAPTER, "{name: px, type: Number, required: true, writable: false}", "{name: py, type: Number, required: false, writable: false}"},
    {"COMP-2", COMPOSE, ADAPTER, "px", "px"},
    {"COMP-3", COMPOSE, ADAPTER, "format_version: \"1\"", "format_version: \"2\""},
    {"COMP-11", COMPOSE, ADAPTER, "  - {name: last, type: Number, required: false, writable: true}\n", ""},
    {"COMP-11", COMPOSE, ADAPTER, "name: mirrored", "name: unmirrored"},
    {"COMP-12", COMPOSE, ADAPTER, "{name: last, type: Number, required: false, writable: true}", "{name: last, type: Number, required: false, writable: false}"},
    {"COMP-13", COMPOSE, ADAPTER, "{name: mirrored, type: Number", "{name: mirrored, type: String"},
    {"COMP-17", COMPOSE, ADAPTER, "- name: place_order", "- name: take_order"},
    {"COMP-18", COMPOSE, ADAPTER, "      payload_schema: {type: object, properties: {amount: {type: number}, way: {type: string}}, required: [amount], additionalProperties: false}\n", ""},
    {"COMP-19", COMPOSE, ADAPTER, "amount: {type: number}", "amount: {type: integer}"},
    {"COMP-19", COMPOSE, ADAPTER, "required: [amount]", "required: [price]"},
    {"COMP-19", COMPOSE, ADAPTER, "way: {type: string}}, required", "way: {type: string}}, allOf: [true], required"},
};

/* clang-format on */

/* The text with the first `find` replaced. */
static const char *changed(mt_arena *a, const char *base, const char *find,
                           const char *replace)
{
    const char *at = strstr(base, find);
    assert_non_null(at);
    return mt_strf(a, "%.*s%s%s", (int)(at - base), base, replace, at + strlen(find))
        .ptr;
}

static const gr_text FILES[] = {
    {MT_STR_INIT("double.yaml"), {DOUBLE, sizeof DOUBLE - 1}}};

static bool adapter_ok(gt *t, const char *text, bool compose)
{
    gr_adapter *ad;
    gr_text source = {MT_STR("adapter.yaml"), mt_str_z(text)};
    mt_err err = gr_adapter_read(source, &t->ds, &ad);
    if (!err && compose) {
        err = gr_adapter_compose(ad, t->graph, &t->ds);
    }
    gr_adapter_free(ad);
    return !err;
}

static bool accepted(gt *t, const struct row *r, const char *text)
{
    switch (r->what) {
    case MANIFEST: return gt_manifest(t, text);
    case GRAPHS: return gt_load(t, text);
    case ADAPTERS: return adapter_ok(t, text, false);
    case COMPOSE: break;
    }
    assert_true(gt_manifest(t, SOURCE));
    assert_true(gt_manifest(t, ACTION));
    gt_must_load(t, ORDERS);
    return adapter_ok(t, text, true);
}

/* Additions the V.1 and V.2 rows wire up; harmless to the others. */
static const char *with_extras(gt *t, const char *text)
{
    if (!strstr(text, "loop.result") && !strstr(text, "flag.value")) {
        return text;
    }
    return changed(&t->arena, text, "nodes:\n",
                   strstr(text, "flag.value")
                       ? "nodes:\n  flag: {impl: boolean_source@0.1.0}\n"
                       : "nodes:\n  loop: {impl: select@0.1.0}\n"
                         "  cond: {impl: and@0.1.0}\n");
}

static void holds_then_breaks(void **state)
{
    const struct row *r = *state;
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    if (!accepted(t, r, r->base)) {
        gt_print(t);
        fail_msg("the unchanged text was refused");
    }
    gt_end(t);
    t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    const char *text = with_extras(t, changed(&t->arena, r->base, r->find, r->replace));
    if (!strcmp(r->rule, "COMP-2")) {
        text = changed(&t->arena, text, "{name: px, type: Number, required: true",
                       "{name: px, type: Bool, required: true");
        text = changed(&t->arena, text, "px: {type: number}", "px: {type: boolean}");
    }
    if (!strcmp(r->rule, "COMP-1")) {
        text = changed(&t->arena, text, "required: [px], ", "");
    }
    bool ok = accepted(t, r, text);
    if (ok || !gt_has_code(t, r->rule)) {
        gt_print(t);
        fail_msg("expected %s, got \"%s\"", r->rule, gt_codes(t));
    }
    for (size_t i = 0; i < t->ds.len; i++) {
        assert_true(t->ds.items[i].hint.len > 0); /* every violation says what to do */
        assert_non_null(gr_rule_find(mt_str_z(t->ds.items[i].code)));
        assert_true(t->ds.items[i].field.len > 0);
        assert_true(t->ds.items[i].message.len > 0);
    }
    gt_end(t);
}

/* ---- misspelt keys ---- */

/* clang-format off */
static const struct misspelt {
    const char *name;
    what what;
    const char *base, *find, *replace;
    uint32_t line;
    const char *message, *hint;
} MISSPELT[] = {
    {"FG9_effects", MANIFEST, ACTION, "effects:\n", "efects:\n", 7,
     "`efects` is not a key of a manifest", "did you mean `effects`?"},
    {"FG9_intents", MANIFEST, ACTION, "  intents:", "  intent:", 9,
     "`effects.intent` is not a key of `effects`", "did you mean `intents`?"},
    {"FG9_mirror_writes", MANIFEST, ACTION, "mirror_writes", "mirror_write", 12,
     "`effects.intents[0].mirror_write` is not a key of an intent", "did you mean `mirror_writes`?"},
    {"FG9_a_field", MANIFEST, ACTION, "from_param: side", "from_params: side", 11,
     "`effects.intents[0].fields[1].from_params` is not a key of a field", "did you mean `from_param`?"},
    {"FG9_a_write", MANIFEST, ACTION, "from_input: qty}]\n  intents", "form_input: qty}]\n  intents", 8,
     "`effects.writes[0].form_input` is not a key of a write", "did you mean `from_input`?"},
    {"FG9_a_port", MANIFEST, COMPUTE, "cardinality", "cardinalty", 4,
     "`inputs[0].cardinalty` is not a key of a port", "did you mean `cardinality`?"},
    {"FG9_a_parameter", MANIFEST, COMPUTE, "default: 2.0", "defualt: 2.0", 6,
     "`parameters[0].defualt` is not a key of a parameter", "did you mean `default`?"},
    {"FG9_requires", MANIFEST, SOURCE, "{context: [", "{contexts: [", 7,
     "`requires.contexts` is not a key of `requires`", "did you mean `context`?"},
    {"FG9_execution", MANIFEST, TRIGGER, "cadence", "cadense", 7,
     "`execution.cadense` is not a key of `execution`", "did you mean `cadence`?"},
    {"FG9_state", MANIFEST, COMPUTE, "resettable", "resetable", 9,
     "`state.resetable` is not a key of `state`", "did you mean `resettable`?"},
    {"FG9_a_key_of_a_graph", GRAPHS, GRAPH, "parameters: [{name: level", "parameter: [{name: level", 4,
     "`parameter` is not a key of a cluster", "did you mean `parameters`?"},
    {"FG9_a_node", GRAPHS, GRAPH, "params: {key: out}", "parms: {key: out}", 11,
     "`nodes.set.parms` is not a key of a node", "did you mean `params`?"},
    {"FG9_an_exposed_parameter", GRAPHS, GRAPH, "{exposed: level}", "{exposed: level, exposes: 1}", 7,
     "`nodes.lim.params.value.exposes` is not a key of an exposed parameter", "did you mean `exposed`?"},
    {"FG9_an_edge", GRAPHS, GRAPH, "to: {node: win", "too: {node: win", 21,
     "`edges[6].too` is not a key of an edge", "did you mean `to`?"},
    {"FG9_an_end_of_an_edge", GRAPHS, GRAPH, "node: win", "nodes: win", 21,
     "`edges[6].to.nodes` is not a key of an end of an edge", "did you mean `node`?"},
    {"FG9_a_parameter_of_a_graph", GRAPHS, GRAPH, "default: 1.5", "defaults: 1.5", 4,
     "`parameters[0].defaults` is not a key of a parameter", "did you mean `default`?"},
    {"FG9_a_signature", GRAPHS, GRAPH, "is_origin", "is_orign", 23,
     "`declared_signature.is_orign` is not a key of a signature", "did you mean `is_origin`?"},
    {"FG9_an_output_of_a_signature", GRAPHS, GRAPH, "wireable", "wirable", 23,
     "`declared_signature.outputs[0].wirable` is not a key of an output of a signature",
     "did you mean `wireable`?"},
    {"FG9_a_context_key", ADAPTERS, ADAPTER, "writable: false", "writeable: false", 6,
     "`context_keys[0].writeable` is not a key of a context key", "did you mean `writable`?"},
    {"FG9_an_event_kind", ADAPTERS, ADAPTER, "payload_schema", "payload_shema", 12,
     "`event_kinds[0].payload_shema` is not a key of an event kind", "did you mean `payload_schema`?"},
    {"FG9_accepts", ADAPTERS, ADAPTER, "  effects:", "  effect:", 14,
     "`accepts.effect` is not a key of `accepts`", "did you mean `effects`?"},
    {"FG9_capture", ADAPTERS, ADAPTER, "fields: [event", "feilds: [event", 18,
     "`capture.feilds` is not a key of `capture`", "did you mean `fields`?"},
    {"FG9_a_key_near_nothing", ADAPTERS, ADAPTER, "runtime_compat", "zzzzz: 1\nruntime_compat", 4,
     "`zzzzz` is not a key of an adapter", "remove it or correct its name"},
};
/* clang-format on */

static bool accepted_text(gt *t, what kind, const char *text)
{
    return accepted(t, &(struct row){.what = kind}, text);
}

static void FG9_a_misspelt_key_is_warned_of(void **state)
{
    const struct misspelt *m = *state;
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    assert_true(accepted_text(t, m->what, m->base));
    assert_int_equal(t->ds.warnings, 0);
    t->ds.len = 0;
    (void)accepted_text(t, m->what, changed(&t->arena, m->base, m->find, m->replace));
    assert_int_equal(t->ds.warnings, 1);
    for (size_t i = 0; i < t->ds.len; i++) {
        const mt_diag *d = &t->ds.items[i];
        if (d->severity == MT_WARNING) {
            assert_text(d->message, mt_str_z(m->message));
            assert_text(d->hint, mt_str_z(m->hint));
            assert_int_equal(d->line, m->line);
            assert_true(d->file.len > 0);
        }
    }
    gt_end(t);
}

/* Only a warning: what has it is as good as without it. */
static void FG9_a_key_nobody_knows_does_no_harm(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(
        t, changed(&t->arena, COMPUTE, "type: number}]\n", "type: number, x: 1}]\n")));
    assert_int_equal(t->ds.errors, 0);
    assert_int_equal(t->ds.warnings, 1);
    gt_end(t);
}

/* ---- rules that need more than one change ---- */

static void ADP_4_an_adapter_declares_something(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(adapter_ok(t,
                            "kind: adapter\nid: a\nversion: 1.0.0\n"
                            "runtime_compatibility: 0.1.0\n"
                            "capture: {format_version: \"1\", fields: []}\n",
                            false));
    assert_string_equal(gt_codes(t), "ADP-4");
    gt_end(t);
}

static void COMP_14_writes_need_set_context(void **state)
{
    (void)state;
    gt *t = gt_begin();
    t->files = FILES;
    t->file_count = 1;
    gt_must_load(t, GRAPH);
    assert_false(adapter_ok(
        t,
        "kind: adapter\nid: a\nversion: 1.0.0\n"
        "runtime_compatibility: 0.1.0\n"
        "context_keys: [{name: out, type: Number, required: false, writable: false}]\n"
        "capture: {format_version: \"1\", fields: []}\n",
        true));
    assert_true(gt_has_code(t, "COMP-14"));
    assert_true(gt_has_code(t, "COMP-12"));
    gt_end(t);
}

static void COMP_16_a_key_parameter_has_text(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(
        t, "kind: action\nid: keep\nversion: 1.0.0\n"
           "inputs: [{name: event, type: event}, {name: v, type: bool}]\n"
           "outputs: [{name: outcome, type: event}]\n"
           "parameters: [{name: key, type: string, required: false}]\n"
           "effects: {writes: [{name: $key, type: bool, from_input: v}]}\n"));
    const char *graph =
        "kind: cluster\nid: g\nversion: 1\nnodes:\n"
        "  b: {impl: const_bool@*, params: {value: true}}\n"
        "  e: {impl: emit_if_true@*}\n"
        "  k: {impl: keep@1}\n"
        "edges: [b.value -> e.input, e.event -> k.event, b.value -> k.v]\n";
    assert_false(gt_load(t, graph));
    assert_string_equal(gt_codes(t), "COMP-16");
    t->ds.len = 0;
    gt_must_load(t, changed(&t->arena, graph, "keep@1}", "keep@1, params: {key: a}}"));
    gt_end(t);
}

static void ACT_13_a_missing_effects_block_is_empty(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_true(gt_manifest(t, "kind: action\nid: plain\nversion: 1.0.0\n"
                               "inputs: [{name: event, type: event}]\n"
                               "outputs: [{name: outcome, type: event}]\n"
                               "outcome: Completed\n"));
    const gr_primitive *p = gr_registry_find(t->registry, MT_STR("plain"));
    assert_int_equal(p->manifest.write_count, 0);
    assert_int_equal(p->manifest.intent_count, 0);
    gt_end(t);
}

static void D_5_and_D_6_port_names_are_unique(void **state)
{
    (void)state;
    gt *t = gt_begin();
    static const gr_text TWICE[] = {
        {MT_STR_INIT("c.yaml"),
         MT_STR_INIT("kind: cluster\nid: c\nversion: 1\n"
                     "inputs: [{name: a, type: number}, {name: a, type: number}]\n"
                     "nodes: {m: {impl: abs@*}}\nedges: [$a -> m.value]\n"
                     "outputs: [{name: o, maps_to: m.result}, {name: o, maps_to: "
                     "m.result}]\n")}};
    t->files = TWICE;
    t->file_count = 1;
    assert_false(gt_load(t, "kind: cluster\nid: g\nversion: 1\nnodes:\n"
                            "  s: {impl: number_source@*}\n  c: {cluster: c@1}\n"
                            "edges: [s.value -> c.a]\n"));
    assert_true(gt_has_code(t, "D.5"));
    assert_true(gt_has_code(t, "D.6"));
    gt_end(t);
}

static void the_limit_of_nodes_is_exact(void **state)
{
    (void)state;
    for (size_t most = 2; most <= 4; most++) {
        gt *t = gt_begin();
        mt_limits limits = MT_LIMITS_DEFAULT;
        limits.graph_nodes = most;
        t->limits = &limits;
        bool loads = gt_load(t, "kind: cluster\nid: g\nversion: 1.0.0\nnodes:\n"
                                "  a: {impl: number_source@*}\n"
                                "  b: {impl: number_source@*}\n"
                                "  c: {impl: add@*}\n"
                                "edges: [a.value -> c.a, b.value -> c.b]\n");
        assert_int_equal(gt_has_code(t, "LIMIT"), most < 3);
        assert_true(!loads || most >= 3);
        gt_end(t);
    }
}

/* The graph holds a, a holds b, b holds c. */
static void the_limit_of_nested_clusters_is_exact(void **state)
{
    (void)state;
    static const gr_text NESTED[] = {
        {MT_STR_INIT("a.yaml"),
         MT_STR_INIT("kind: cluster\nid: a\nversion: 1\nnodes: {b: {cluster: b@1}}\n")},
        {MT_STR_INIT("b.yaml"),
         MT_STR_INIT("kind: cluster\nid: b\nversion: 1\nnodes: {c: {cluster: c@1}}\n")},
        {MT_STR_INIT("c.yaml"), MT_STR_INIT("kind: cluster\nid: c\nversion: 1\nnodes: "
                                            "{s: {impl: number_source@*}}\n")}};
    size_t refused = 0;
    for (size_t most = 1; most <= 5; most++) {
        gt *t = gt_begin();
        mt_limits limits = MT_LIMITS_DEFAULT;
        limits.cluster_depth = most;
        t->limits = &limits;
        t->files = NESTED;
        t->file_count = 3;
        gt_load(t,
                "kind: cluster\nid: g\nversion: 1.0.0\nnodes: {a: {cluster: a@1}}\n");
        refused += gt_has_code(t, "LIMIT");
        gt_end(t);
    }
    assert_int_equal(refused, 3); /* four are enough: the graph itself is one */
}

static void X_9_a_cluster_cannot_contain_itself(void **state)
{
    (void)state;
    static const gr_text LOOP[] = {
        {MT_STR_INIT("a.yaml"),
         MT_STR_INIT("kind: cluster\nid: a\nversion: 1\nnodes: {b: {cluster: b@1}}\n")},
        {MT_STR_INIT("b.yaml"),
         MT_STR_INIT(
             "kind: cluster\nid: b\nversion: 1\nnodes: {a: {cluster: a@1}}\n")}};
    gt *t = gt_begin();
    t->files = LOOP;
    t->file_count = 2;
    assert_false(
        gt_load(t, "kind: cluster\nid: g\nversion: 1\nnodes: {a: {cluster: a@1}}\n"));
    assert_string_equal(gt_codes(t), "X.9");
    gt_end(t);
}

/* Each level holds two of the next: 2^40 nodes if nobody counted. */
static void LIMIT_an_avalanche_of_clusters_is_refused(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gr_text *files = mt_new_array(&t->arena, gr_text, 40);
    for (int i = 0; i < 40; i++) {
        files[i].file = mt_strf(&t->arena, "c%d.yaml", i);
        files[i].text =
            i == 39 ? mt_strf(&t->arena, "kind: cluster\nid: c39\nversion: 1\n"
                                         "nodes: {s: {impl: number_source@*}}\n")
                    : mt_strf(&t->arena,
                              "kind: cluster\nid: c%d\nversion: 1\n"
                              "nodes: {a: {cluster: c%d@1}, b: {cluster: c%d@1}}\n",
                              i, i + 1, i + 1);
    }
    t->files = files;
    t->file_count = 40;
    assert_false(
        gt_load(t, "kind: cluster\nid: g\nversion: 1\nnodes: {a: {cluster: c0@1}}\n"));
    assert_string_equal(gt_codes(t), "LIMIT");
    gt_end(t);
}

static void LIMIT_clusters_nested_too_deeply_are_refused(void **state)
{
    (void)state;
    gt *t = gt_begin();
    gr_text *files = mt_new_array(&t->arena, gr_text, 100);
    for (int i = 0; i < 100; i++) {
        files[i].file = mt_strf(&t->arena, "c%d.yaml", i);
        files[i].text = mt_strf(&t->arena,
                                "kind: cluster\nid: c%d\nversion: 1\n"
                                "nodes: {a: {cluster: c%d@1}}\n",
                                i, i + 1);
    }
    t->files = files;
    t->file_count = 100;
    assert_false(
        gt_load(t, "kind: cluster\nid: g\nversion: 1\nnodes: {a: {cluster: c0@1}}\n"));
    assert_true(gt_has_code(t, "LIMIT"));
    gt_end(t);
}

static void discovery_wants_the_id_of_the_file(void **state)
{
    (void)state;
    static const gr_text WRONG[] = {
        {MT_STR_INIT("a.yaml"), MT_STR_INIT("kind: cluster\nid: z\nversion: 1\nnodes: "
                                            "{s: {impl: number_source@*}}\n")}};
    static const gr_text TWINS[] = {
        {MT_STR_INIT("x/a.yaml"),
         MT_STR_INIT("kind: cluster\nid: a\nversion: 1\nnodes: {s: {impl: "
                     "number_source@*}}\n")},
        {MT_STR_INIT("y/a.yaml"),
         MT_STR_INIT("kind: cluster\nid: a\nversion: 1\nnodes: {s: {impl: "
                     "number_source@*}}\n")}};
    const char *root = "kind: cluster\nid: g\nversion: 1\nnodes: {a: {cluster: a@1}}\n";
    gt *t = gt_begin();
    t->files = WRONG;
    t->file_count = 1;
    assert_false(gt_load(t, root));
    assert_string_equal(gt_codes(t), "graph.discovery");
    t->ds.len = 0;
    t->files = TWINS;
    t->file_count = 2;
    assert_false(gt_load(t, root));
    assert_string_equal(gt_codes(t), "graph.discovery");
    gt_end(t);
}

/* Three faults of different phases in one file come out together, sorted by place. */
static void all_violations_come_at_once_and_sorted(void **state)
{
    (void)state;
    gt *t = gt_begin();
    assert_false(gt_load(t, "kind: cluster\n"
                            "id: g\n"
                            "version: 1.0.0\n"
                            "nodes:\n"
                            "  a: {impl: nothing@1}\n"
                            "  b: {impl: const_bool@*}\n"
                            "  c: {impl: ack_action@*}\n"
                            "  d: {impl: add@*}\n"
                            "edges:\n"
                            "  - b.value -> d.a\n"));
    assert_string_equal(gt_codes(t), "V.8 I.3 V.3 V.5 V.4");
    for (size_t i = 1; i < t->ds.len; i++) {
        assert_true(t->ds.items[i - 1].line <= t->ds.items[i].line);
    }
    gt_end(t);
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

int main(void)
{
    const struct CMUnitTest special[] = {
        cmocka_unit_test(ADP_4_an_adapter_declares_something),
        cmocka_unit_test(COMP_14_writes_need_set_context),
        cmocka_unit_test(COMP_16_a_key_parameter_has_text),
        cmocka_unit_test(ACT_13_a_missing_effects_block_is_empty),
        cmocka_unit_test(D_5_and_D_6_port_names_are_unique),
        cmocka_unit_test(X_9_a_cluster_cannot_contain_itself),
        cmocka_unit_test(the_limit_of_nodes_is_exact),
        cmocka_unit_test(the_limit_of_nested_clusters_is_exact),
        cmocka_unit_test(LIMIT_an_avalanche_of_clusters_is_refused),
        cmocka_unit_test(LIMIT_clusters_nested_too_deeply_are_refused),
        cmocka_unit_test(discovery_wants_the_id_of_the_file),
        cmocka_unit_test(all_violations_come_at_once_and_sorted),
        cmocka_unit_test(FG9_a_key_nobody_knows_does_no_harm),
    };
    struct CMUnitTest misspelt[COUNT(MISSPELT)];
    for (size_t i = 0; i < COUNT(MISSPELT); i++) {
        misspelt[i] =
            (struct CMUnitTest){MISSPELT[i].name, FG9_a_misspelt_key_is_warned_of, NULL,
                                NULL, (void *)(uintptr_t)&MISSPELT[i]};
    }
    struct CMUnitTest rows[COUNT(ROWS)];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        rows[i] = (struct CMUnitTest){ROWS[i].rule, holds_then_breaks, NULL, NULL,
                                      (void *)(uintptr_t)&ROWS[i]};
    }
    int bad = cmocka_run_group_tests_name("graph/rules", rows, NULL, NULL);
    bad += cmocka_run_group_tests_name("graph/rules misspelt", misspelt, NULL, NULL);
    return bad +
           cmocka_run_group_tests_name("graph/rules special", special, NULL, NULL);
}
