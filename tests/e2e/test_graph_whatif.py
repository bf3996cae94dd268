"""motet graph whatif: the events of a capture under another graph."""
import json
import shutil

from harness import SOURCE, Case, main

GRAPH = """kind: cluster
id: alarm
version: 1.0.0
parameters: [{name: level, type: number, default: 30.0}]
nodes:
  reading: {impl: context_number_source@0.1.0, params: {key: reading}}
  count: {impl: context_number_source@0.1.0, params: {key: count}}
  threshold: {impl: const_number@0.1.0, params: {value: {exposed: level}}}
  one: {impl: const_number@0.1.0, params: {value: 1.0}}
  high: {impl: gt@0.1.0}
  next: {impl: add@0.1.0}
  on_high: {impl: emit_if_true@0.1.0}
  once: {cluster: once@1}
  seen: {impl: not@0.1.0}
  ack: {impl: ack_action@0.1.0}
  remember: {impl: context_set_number@0.1.0, params: {key: count}}
edges:
  - reading.value -> high.a
  - threshold.value -> high.b
  - count.value -> next.a
  - one.value -> next.b
  - high.result -> on_high.input
  - high.result -> once.condition
  - high.result -> seen.value
  - once.event -> ack.event
  - on_high.event -> remember.event
  - next.result -> remember.value
"""
NUMBER = {"type": "number"}


def adapter(windows=(), least=None):
    reading = dict(NUMBER, **({"minimum": least} if least is not None else {}))
    return json.dumps({
        "kind": "adapter", "id": "sensor", "version": "1.0.0", "runtime_compatibility": "0.1.0",
        "context_keys": [{"name": "reading", "type": "Number", "required": False, "writable": False},
                         {"name": "count", "type": "Number", "required": False, "writable": True}],
        "event_kinds": [{"name": "other", "payload_schema": {
            "type": "object", "additionalProperties": False, "properties": {"text": {"type": "string"}}}},
            {"name": "reading", "payload_schema": {
                "type": "object", "additionalProperties": False,
                "properties": {"reading": reading, "count": NUMBER}}}],
        "accepts": {"effects": [{"name": "set_context", "payload_schema": {
            "type": "object", "additionalProperties": False}}]},
        "capture": {"format_version": "1", "fields": []}, "windows": list(windows)})


class WhatIf(Case):
    READINGS = (20.0, 35.0, 31.0, 32.0, 20.0, 40.0)

    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)
        self.write("a.json", adapter())
        self.write("f.jsonl", "".join(json.dumps({"kind": "event", "event": {
            "type": "DataAvailable", "id": f"e{i}", "semantic_kind": "reading",
            "payload": {"reading": x}}}) + "\n" for i, x in enumerate(self.READINGS)))
        self.holds("graph", "run", "g.yaml", "--adapter", "a.json", "--fixture", "f.jsonl",
                   "--capture", "c.json", cwd=self.dir)

    def ask(self, code, *words, graph="g.yaml", adapter="a.json", capture="c.json"):
        result = self.run_motet("graph", "whatif", capture, graph, "--adapter", adapter, *words, cwd=self.dir)
        self.assertEqual(result.code, code, result)
        return result

    def changes(self, *words, **named):
        lines = [json.loads(line) for line in self.ask(1, "--json", *words, **named).out.splitlines()]
        return lines[:-1], lines[-1]

    def test_the_same_graph_decides_the_same(self):
        self.assertEqual(self.ask(0).out, "events=6 same=6 changed=0 refused=0\n")
        self.assertEqual(self.ask(0, "--set", "level=30").out, "events=6 same=6 changed=0 refused=0\n")

    def test_a_parameter_is_set(self):
        for name in ("level=33.5", "threshold=33.5", "threshold.value=33.5"):
            changes, summary = self.changes("--set", name)
            self.assertEqual([c["event_id"] for c in changes], ["e2", "e3", "e5"])
            self.assertEqual(summary, {"changed": 3, "events": 6, "passed": 0, "refused": 0, "same": 3})
            first = changes[0]
            self.assertEqual((first["node"], first["node_was"], first["node_now"]),
                             ("threshold", "30.0", "33.5"))
            self.assertEqual(first["was"], "Invoke Completed; count = 2.0")
            self.assertEqual(first["now"], "Invoke Completed")
            # Its own context goes on: the count is 2 where it was 4.
            self.assertEqual((changes[2]["was"], changes[2]["now"]),
                             ("Invoke Completed; count = 4.0", "Invoke Completed; count = 2.0"))
        text = self.ask(1, "--set", "level=33.5").out
        self.assertIn("event 2 (e2)\n  was  Invoke Completed; count = 2.0\n  now  Invoke Completed\n"
                      "  why  threshold said 30.0, now 33.5\n", text)
        self.assertTrue(text.endswith("events=6 same=3 changed=3 refused=0; the first at event 2 (e2)\n"))

    def test_another_graph(self):
        self.write("n.yaml", GRAPH.replace("high: {impl: gt@", "high: {impl: lt@"))
        changes, _ = self.changes(graph="n.yaml")
        self.assertNotIn("node", changes[0])
        changes, _ = self.changes("--graph", "g.yaml", graph="n.yaml")
        self.assertEqual((changes[0]["event_id"], changes[0]["node"]), ("e0", "high"))
        self.ask(1, "--graph", "n.yaml")  # not the graph of the capture

    def test_renumbered_nodes_are_no_change(self):
        self.write("n.yaml", GRAPH.replace("nodes:\n", "nodes:\n  aaa: {impl: number_source@0.1.0}\n"))
        self.assertIn("same=6", self.ask(0, graph="n.yaml").out)

    def test_a_journal_and_windows(self):
        window = {"name": "before", "of": "reading", "take": "lag"}
        self.write("w.json", adapter([window]))
        self.write("n.yaml", GRAPH.replace("key: count}}\n  threshold", "key: before}}\n  threshold"))
        self.holds("graph", "run", "n.yaml", "--adapter", "w.json", "--fixture", "f.jsonl",
                   "--capture", "w.capture", "--journal-only", cwd=self.dir)
        self.assertIn("same=6", self.ask(0, graph="n.yaml", adapter="w.json", capture="w.capture.journal").out)
        self.write("v.json", adapter([dict(window, back=2)]))
        changes, _ = self.changes(graph="n.yaml", adapter="v.json", capture="w.capture.journal")
        self.assertEqual([c["event_id"] for c in changes], ["e1", "e2", "e3", "e5"])
        self.assertEqual(changes[1]["was"], "Invoke Completed; count = 36.0")
        self.assertEqual(changes[1]["now"], "Invoke Completed; count = 21.0")

    def test_an_event_that_the_new_adapter_refuses(self):
        self.write("n.json", adapter(least=25))
        changes, summary = self.changes(adapter="n.json")
        self.assertEqual(summary["refused"], 2)
        self.assertIn("refused: the payload breaks the schema", changes[0]["now"])

    def test_intents_are_compared_by_what_they_ask(self):
        shutil.copytree(SOURCE / "examples" / "crossover", self.dir / "x")
        here = self.dir / "x"
        self.holds("graph", "fixture", "import", "prices.csv", "--semantic-kind", "price", "--columns",
                   "close,spread", "--out", "p.jsonl", cwd=here)
        self.holds("graph", "run", "crossover.yaml", "--adapter", "adapter.yaml", "--egress", "egress.yaml",
                   "--fixture", "p.jsonl", "--capture", "c.json", cwd=here)
        sent = (here / "orders.jsonl").read_bytes()
        asked = ("graph", "whatif", "c.json", "crossover.yaml", "--adapter", "adapter.yaml")
        self.assertIn("same=120 changed=0", self.holds(*asked, cwd=here).out)
        text = (here / "crossover.yaml").read_text()
        (here / "n.yaml").write_text(text.replace("nodes:\n", "nodes:\n  aaa: {impl: number_source@0.1.0}\n", 1))
        self.assertIn("same=120", self.holds("graph", "whatif", "c.json", "n.yaml", "--adapter", "adapter.yaml",
                                             cwd=here).out)
        self.assertEqual((here / "orders.jsonl").read_bytes(), sent)

    def test_what_is_wrong_is_told(self):
        self.assertIn("I.7", self.ask(1, "--set", "levle=3").err)
        self.assertIn("I.4", self.ask(1, "--set", "level=high").err)
        self.ask(2, "--set", "level")
        self.ask(2, "--set", "=3")
        self.ask(3, capture="no.json")
        self.fails(1, "graph", "whatif", "c.json", "g.yaml", cwd=self.dir)  # it needs an adapter


main()
