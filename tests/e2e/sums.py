"""A graph with a history for each account, and its adapter."""
import json

# Each account's sum and the number before; an account that reaches 10 begins anew.
GRAPH = """kind: cluster
id: sums
version: 1.0.0
nodes:
  amount: {impl: context_number_source@0.1.0, params: {key: amount}}
  total: {impl: context_number_source@0.1.0, params: {key: total}}
  before: {impl: context_number_source@0.1.0, params: {key: before}}
  yes: {impl: const_bool@0.1.0, params: {value: true}}
  sum: {impl: add@0.1.0}
  more: {impl: add@0.1.0}
  always: {impl: emit_if_true@0.1.0}
  keep: {impl: context_set_number@0.1.0, params: {key: total}}
edges: [amount.value -> sum.a, total.value -> sum.b, sum.result -> more.a, before.value -> more.b,
        yes.value -> always.input, always.event -> keep.event, more.result -> keep.value]
"""


def adapter(key="account", **changes):
    number = {"type": "Number", "required": False}
    return json.dumps({
        "kind": "adapter", "id": "bank", "version": "1.0.0", "runtime_compatibility": "0.1.0",
        **({"key": key} if key else {}),
        "context_keys": [{"name": "account", "type": "String", "required": True, "writable": False},
                         {"name": "amount", "writable": False, **number},
                         {"name": "total", "writable": True, **number}],
        "event_kinds": [{"name": "entry", "payload_schema": {
            "type": "object", "additionalProperties": False, "required": ["account"],
            "properties": {"account": {"type": "string"}, "amount": {"type": "number"},
                           "total": {"type": "number"}}}}],
        "accepts": {"effects": [{"name": "set_context", "payload_schema": {
            "type": "object", "additionalProperties": False}}]},
        "capture": {"format_version": "1", "fields": []},
        "windows": [{"name": "before", "of": "amount", "take": "lag"}], **changes})
