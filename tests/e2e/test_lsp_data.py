"""motet lsp: graphs, agents, scenarios and motet.yaml as an editor would ask about them."""
import json
import pathlib
import shutil
import time

from harness import SOURCE, Case, main
from lsp import ORDER, Editor, Refused

GRAPH = '''kind: cluster
id: rising
version: "1.0.0"
inputs: [{name: start, type: number}]
parameters: [{name: size, type: int, default: 3}]
nodes:
  reading: { impl: context_number_source@0.1.0, params: { key: reading } }
  limit: { impl: const_bool@0.1.0, params: { value: true } }
  steep: { impl: gt@0.1.0 }
  order:
    impl: place_order@1.0.0
    params: { symbol: EURUSD }
  first: { cluster: once@1.0.0 }
edges:
  - reading.value -> steep.a
  - $start -> steep.b
outputs:
  steep: steep.result
'''

AGENT = '''agent: arrow
tape: {shape: many, start: [A], when_empty: start}
triggers: {ok: {fine: null}, error: null}
handlers:
  python: {command: [python3, x.py]}
receivers:
  - name: arrow_f
    route: A --[f]--> B
    rules:
      - {do: stay}
  - {name: object_A, route: A, do: test}
senders:
  - {name: moved, route: "A --[f]--> B", on_actions: [move], on_triggers: [ok], message: hi}
'''

SCRIPT = '''scenario: hello
agent: arrow.yaml
tape: {start: [A]}
messages:
  - {content: hi}
'''

SCENARIOS = '''contract: order.tenor
given:
  facts:
    total: 5
    line: {amount: 3, kind: small}
scenarios:
  - name: small orders are paid
    given: {facts: {urgent: true}, states: {Order: open}}
    when: {persona: clerk, operation: pay}
    then: {present: [is_small], states: {Order: paid}}
  - name: and settled
    when:
      persona: clerk
      flow: settle
    then:
      outcome: success
      steps: [first=success, second=success]
    assert: [verdict_present(is_small)]
'''

MANIFEST = '''kind: compute
id: double
version: "1.0.0"
inputs: [{name: a, type: number}]
outputs: [{name: result, type: number}]
expression: a + a
'''

ADAPTER = '''kind: adapter
id: desk
version: "1.0.0"
context_keys:
  - {name: price, type: number}
'''

FILES = {"graph.yaml": GRAPH, "arrow.yaml": AGENT, "arrow.scenario.yaml": SCRIPT,
         "order.scenarios.yaml": SCENARIOS, "order.tenor": ORDER, "double.yaml": MANIFEST,
         "adapter.yaml": ADAPTER, "motet.yaml": "listen: 127.0.0.1:1\n"}


class LspData(Case):
    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            self.write(name, text)
        shutil.copytree(SOURCE / "examples/crossover/manifests", self.dir / "manifests")
        self.editor = Editor(root=self.dir)
        self.addCleanup(self.editor.__exit__)
        self.count = 0

    def place(self, name, before, put):
        """The file with `put` in place of what is between | of `before`, and the cursor at its |."""
        old = before.replace("|", "")
        text = FILES[name]
        self.assertEqual(text.count(old), 1, (name, old))
        whole = text.replace(old, put.replace("|", ""), 1)
        return whole, text.index(old) + put.index("|")

    def open(self, name, text):
        uri = self.editor.open(self.write(name, text), text)
        return uri

    # file, what stands there, what is put there with | at the cursor, wanted, unwanted
    COMPLETIONS = [
        # keys come from the forms
        ("graph.yaml", "outputs:\n", "out|\noutputs:\n", ["description"], ["nodes", "kind"]),
        ("graph.yaml", "{ impl: gt@0.1.0 }", "{ | }", ["impl", "cluster", "params"], ["nodes"]),
        ("graph.yaml", "    params: { symbol: EURUSD }", "    |", ["params", "description"], ["impl"]),
        ("graph.yaml", "- $start -> steep.b", "- {from: {|}}", ["node", "port", "external"], ["impl"]),
        ("graph.yaml", "- $start -> steep.b", "- reading.value -> steep.|", ["a", "b"], ["from", "to"]),
        ("graph.yaml", "- $start -> steep.b", "- |", ["from", "to", "reading", "$start"], ["impl"]),
        ("graph.yaml", "{name: start, type: number}", "{name: start, |}", ["type", "required"], ["name"]),
        ("arrow.yaml", "tape: {shape: many", "tape: {|", ["shape", "rule", "key"], ["start", "agent"]),
        ("arrow.yaml", "{do: stay}", "{|}", ["when", "do", "trigger", "remember"], ["route", "name"]),
        ("arrow.yaml", "{name: object_A, route: A, do: test}", "|", ["route", "rules", "handler"],
         ["every_ms"]),
        ("arrow.yaml", "on_actions: [move]", "|", ["every_ms", "on_actions", "use_data"], ["direction"]),
        ("arrow.scenario.yaml", "tape: {start: [A]}", "|", ["tape", "seed", "mode"], ["agent"]),
        ("order.scenarios.yaml", "    when: {persona: clerk, operation: pay}", "    |",
         ["when", "for_all", "assert"], ["given", "then"]),
        ("order.scenarios.yaml", "      flow: settle", "      |", ["flow", "operation", "meanwhile"],
         ["persona"]),
        ("double.yaml", "expression: a + a", "|", ["summary", "parameters", "state", "effects"], ["inputs"]),
        ("double.yaml", "expression: a + a", "state:\n  |", ["allowed", "resettable"], ["inputs"]),
        ("adapter.yaml", "{name: price, type: number}", "{|}", ["name", "type", "writable"], ["id"]),
        ("adapter.yaml", 'version: "1.0.0"\n', "|\n", ["capture", "event_kinds", "windows"], ["id"]),
        ("motet.yaml", "listen: 127.0.0.1:1", "|", ["listen", "store", "lint", "quotas"], ["impl"]),
        ("motet.yaml", "listen: 127.0.0.1:1", "lint: {|}", ["allow", "warn", "deny"], ["store"]),
        # words of the forms
        ("arrow.yaml", "shape: many", "shape: |", ["single", "index-many"], ["A"]),
        ("arrow.yaml", "when_empty: start", "when_empty: |", ["start"], ["A"]),
        ("motet.yaml", "listen: 127.0.0.1:1", "insecure: |", ["true", "false"], ["store"]),
        ("double.yaml", "kind: compute", "kind: |", ["compute", "action", "cluster"], []),
        ("double.yaml", "expression: a + a", "outcome: |", ["Attempted", "Failed"], ["a"]),
        # primitives, clusters, nodes, ports, parameters
        ("graph.yaml", "gt@0.1.0", "|", ["gt@0.1.0", "place_order@1.0.0", "mean@0.1.0"], ["reading"]),
        ("graph.yaml", "gt@0.1.0", "g|", ["gt@0.1.0"], []),
        ("graph.yaml", "once@1.0.0", "|", ["once@1.0.0"], ["gt@0.1.0"]),
        ("graph.yaml", "reading.value -> steep.a", "reading.| -> steep.a", ["value"], ["reading", "key"]),
        ("graph.yaml", "reading.value -> steep.a", "reading.value -> steep.|", ["a", "b"], ["result"]),
        ("graph.yaml", "reading.value -> steep.a", "reading.value -> |", ["steep", "order"], ["$start"]),
        ("graph.yaml", "reading.value -> steep.a", "reading.value -> order.|", ["event", "side"], ["symbol"]),
        ("graph.yaml", "reading.value -> steep.a", "reading.value -> first.|", ["condition"], []),
        ("graph.yaml", "steep: steep.result", "steep: steep.|", ["result"], ["a"]),
        ("graph.yaml", "steep: steep.result", "steep: |", ["steep", "order"], ["$start"]),
        ("graph.yaml", "{ symbol: EURUSD }", "{ | }", ["symbol"], ["event"]),
        ("graph.yaml", "{ symbol: EURUSD }", "{ symbol: { exposed: | } }", ["size"], ["symbol"]),
        ("graph.yaml", "value: true", "value: |", ["true", "false"], ["size"]),
        ("graph.yaml", "- $start -> steep.b", "- {from: {node: steep, port: |}}", ["result"], ["a"]),
        ("graph.yaml", "- $start -> steep.b", "- {to: {node: steep, port: |}}", ["a", "b"], ["result"]),
        ("graph.yaml", "- $start -> steep.b", "- {from: {node: |}}", ["steep"], ["result"]),
        ("graph.yaml", "type: number", "type: |", ["number", "series", "event"], ["int"]),
        ("graph.yaml", "type: int", "type: |", ["int", "string", "enum"], ["series"]),
        ("double.yaml", "result, type: number", "result, type: |", ["number", "event"], ["int"]),
        ("adapter.yaml", "type: number", "type: |", ["number", "series"], ["event"]),
        # routes, triggers, actions, handlers
        ("arrow.yaml", "- {do: stay}", "- {do: |}", ["move", "stay", "test", "none"], ["ok"]),
        ("arrow.yaml", "on_actions: [move]", "on_actions: [|]", ["move", "stay"], ["none"]),
        ("arrow.yaml", "on_triggers: [ok]", "on_triggers: [|]", ["ok", "fine", "error"], ["move"]),
        ("arrow.yaml", "- {do: stay}", "- {do: stay, trigger: |}", ["ok", "fine"], ["move"]),
        ("arrow.yaml", "route: A --[f]--> B\n", "route: A --[f]--> |\n", ["A", "f", "B"], ["ok"]),
        ("arrow.yaml", "route: A --[f]--> B\n", "route: /|\n", ["all", "oneof"], ["A"]),
        ("arrow.yaml", "start: [A]", "start: [|]", ["A", "B", "f"], ["ok"]),
        ("arrow.yaml", "- {do: stay}", "- {do: stay}\n    handler: |", ["python"], ["A"]),
        ("arrow.scenario.yaml", "start: [A]", "start: [|]", ["A", "B"], ["ok"]),
        ("arrow.scenario.yaml", "agent: arrow.yaml", "agent: |", ["arrow.yaml"], ["order.tenor"]),
        # the contract's names
        ("order.scenarios.yaml", "    total: 5", "    |", ["total", "urgent"], ["line", "is_small"]),
        ("order.scenarios.yaml", "{urgent: true}", "{|}", ["urgent", "total"], ["clerk"]),
        ("order.scenarios.yaml", "{urgent: true}", "{urgent: |}", ["true", "false"], ["total"]),
        ("order.scenarios.yaml", "kind: small", "kind: |", ["big", "small"], ["total"]),
        ("order.scenarios.yaml", "{amount: 3, kind: small}", "{|}", ["amount", "kind"], ["total"]),
        ("order.scenarios.yaml", "{Order: open}", "{|}", ["Order"], ["open"]),
        ("order.scenarios.yaml", "{Order: open}", "{Order: |}", ["open", "paid", "closed"], ["Order"]),
        ("order.scenarios.yaml", "{Order: open}", "{Order: {one: |}}", ["open", "paid"], ["Order"]),
        ("order.scenarios.yaml", "operation: pay", "operation: |", ["pay", "close"], ["settle"]),
        ("order.scenarios.yaml", "{persona: clerk, operation: pay}", "{persona: |}", ["clerk", "boss"], ["pay"]),
        ("order.scenarios.yaml", "      flow: settle", "      flow: |", ["settle"], ["pay"]),
        ("order.scenarios.yaml", "[is_small]", "[|]", ["is_small", "is_quick"], ["total"]),
        ("order.scenarios.yaml", "outcome: success", "outcome: |", ["success", "failure"], ["clerk"]),
        ("order.scenarios.yaml", "operation: pay}", "operation: pay, outcome: |}", ["success"], ["clerk"]),
        ("order.scenarios.yaml", "      flow: settle", "      flow: settle\n      outcome: {|}", ["first", "second"],
         ["pay"]),
        ("order.scenarios.yaml", "[first=success, second=success]", "[|]", ["first", "second"], ["pay"]),
        ("order.scenarios.yaml", "verdict_present(is_small)", "|", ["total", "is_small", "Order", "outcome"],
         ["clerk"]),
        ("order.scenarios.yaml", "contract: order.tenor", "contract: |", ["order.tenor"], ["arrow.yaml"]),
        # the project
        ("motet.yaml", "listen: 127.0.0.1:1", "lint: {allow: [|]}", ["T703"], ["T001"]),
        ("motet.yaml", "listen: 127.0.0.1:1", "files: [|]", ["order.tenor"], []),
    ]

    def test_completion_knows_the_place(self):
        for name, before, put, wanted, unwanted in self.COMPLETIONS:
            with self.subTest(name=name, put=put):
                text, at = self.place(name, before, put)
                uri = self.open(name, text)
                items = self.editor.at(uri, "completion", at)["items"]
                labels = [item["label"] for item in items]
                self.assertEqual(len(labels), len(set(labels)))
                self.assertEqual([w for w in wanted if w not in labels], [], labels)
                self.assertEqual([u for u in unwanted if u in labels], [], labels)

    def test_a_rule_that_cannot_be_read_has_no_verdict(self):
        self.write("order.tenor", ORDER + "rule broken { stratum: x when: urgent produce: is_broken(true) }\n")
        text, at = self.place("order.scenarios.yaml", "[is_small]", "[|]")
        items = self.editor.at(self.open("order.scenarios.yaml", text), "completion", at)["items"]
        self.assertEqual({item["label"] for item in items}, {"is_small", "is_quick"})

    def test_what_is_chosen_is_written_where_it_belongs(self):
        rows = [("graph.yaml", "gt@0.1.0", "g|@0.1.0", "gt@0.1.0", "gt@0.1.0"),
                ("graph.yaml", "steep.a", "steep.x|", "a", "steep.a"),
                ("order.scenarios.yaml", "      flow: settle", "      fl|", "flow", "      flow: "),
                ("order.scenarios.yaml", "first=success", "fi|=success", "first", "first=success")]
        for name, before, put, label, wanted in rows:
            with self.subTest(put=put):
                text, at = self.place(name, before, put)
                uri = self.open(name, text)
                item = [i for i in self.editor.at(uri, "completion", at)["items"] if i["label"] == label][0]
                self.assertEqual(self.editor.edited(uri, [item["textEdit"]]),
                                 text.replace(put.replace("|", ""), wanted))

    def test_json_is_completed_in_quotes(self):
        text = '{"kind": "cluster", "id": "x", "nodes": {"a": {"impl": ""}}, "edges": [], }'
        uri = self.open("x.json", text)
        items = self.editor.at(uri, "completion", text.index('""') + 1)["items"]
        self.assertIn("gt@0.1.0", [i["textEdit"]["newText"] for i in items])
        items = self.editor.at(uri, "completion", len(text) - 1)["items"]
        self.assertIn('"version": ', [i["textEdit"]["newText"] for i in items])

    # every word of a form is one that its reader takes
    def test_words_that_are_offered_are_good(self):
        rows = [("arrow.yaml", "shape: many", "shape: |"), ("arrow.yaml", "when_empty: start", "when_empty: |"),
                ("arrow.yaml", "agent: arrow", "agent: arrow\nmode: |"),
                ("arrow.yaml", "agent: arrow\ntape: {shape: many,", "agent: arrow\ntape: {rule: |, shape: many,"),
                ("arrow.yaml", "senders:", "hooks: [{name: h, drop: false, direction: |}]\nsenders:"),
                ("arrow.yaml", "on_triggers: [ok]", "on_triggers: [ok], use_data: true, data_mode: |"),
                ("arrow.yaml", "- {do: stay}", "- {do: |}"),
                ("arrow.yaml", "on_actions: [move]", "on_actions: [|]"),
                ("double.yaml", "result, type: number", "result, type: |")]
        for name, before, put in rows:
            text, at = self.place(name, before, put)
            uri = self.open(name, text)
            items = self.editor.at(uri, "completion", at)["items"]
            self.assertTrue(items, put)
            for item in items:
                with self.subTest(put=put, word=item["label"]):
                    uri = self.open(name, self.editor.edited(uri, [item["textEdit"]]))
                    told = [d["message"] for d in self.editor.diagnostics(uri)]
                    word = put.replace("|", "").rstrip("]})").rstrip(" :").split()[-1].strip("{[,:")
                    self.assertEqual([m for m in told if f"`{word}`" in m or "names no" in m
                                      or "not an action" in m], [], told)
                    uri = self.open(name, text)

    HOVERS = [
        ("graph.yaml", "impl: gt@", "**compute** `gt` 0.1.0"),
        ("graph.yaml", "place_order@", "**action** `place_order` 1.0.0"),
        ("graph.yaml", "impl: gt", "Inputs: `a` Number, `b` Number"),
        ("graph.yaml", "once@1", "**cluster** `once` 1.0.0"),
        ("graph.yaml", "reading.value", "**node** `reading`: `context_number_source@0.1.0`"),
        ("graph.yaml", "value -> steep.a", "**port** `reading.value`: Number"),
        ("graph.yaml", "symbol: EURUSD", "**parameter** `symbol` of `place_order`: String"),
        ("graph.yaml", "edges:", "**key** `edges`: a list, each an edge"),
        ("arrow.yaml", "on_triggers", "**key** `on_triggers`"),
        ("arrow.yaml", "ok], message", "**trigger** `ok`"),
        ("order.scenarios.yaml", "total: 5", "`total`: Int(min: 0, max: 1000)"),
        ("order.scenarios.yaml", "is_small]", "verdict of stratum 0"),
        ("order.scenarios.yaml", "operation: pay", "**key** `operation`: text"),
        ("motet.yaml", "listen", "where to listen"),
    ]

    def test_hover_says_what_a_name_is(self):
        for name, place, wanted in self.HOVERS:
            with self.subTest(name=name, place=place):
                uri = self.open(name, FILES[name])
                at = FILES[name].index(place) + (6 if place.startswith("impl: ") else 1)
                found = self.editor.at(uri, "hover", at)
                self.assertIn(wanted, found["contents"]["value"])

    def test_hover_over_a_code_is_its_help_page(self):
        uri = self.open("motet.yaml", "lint: {allow: [T703]}\n")
        self.assertIn("**T703: ", self.editor.at(uri, "hover", 16)["contents"]["value"])

    # file, place, where it leads, what stands there
    DEFINITIONS = [
        ("graph.yaml", "place_order@", "manifests/place_order.yaml", "place_order"),
        ("graph.yaml", "reading.value", "graph.yaml", "reading"),
        ("graph.yaml", "start -> steep.b", "graph.yaml", "start"),
        ("arrow.yaml", "ok], message", "arrow.yaml", "ok"),
        ("arrow.scenario.yaml", "arrow.yaml", "arrow.yaml", ""),
        ("arrow.scenario.yaml", "A]}", "arrow.yaml", "A"),
        ("order.scenarios.yaml", "order.tenor", "order.tenor", ""),
        ("order.scenarios.yaml", "total: 5", "order.tenor", "total"),
        ("order.scenarios.yaml", "pay}", "order.tenor", "pay"),
        ("order.scenarios.yaml", "settle", "order.tenor", "settle"),
        ("order.scenarios.yaml", "is_small]", "order.tenor", "is_small"),
        ("order.scenarios.yaml", "open}", "order.tenor", "open"),
        ("order.scenarios.yaml", "first=", "order.tenor", "first"),
    ]

    def test_definitions_lead_to_other_files(self):
        for name, place, file, word in self.DEFINITIONS:
            with self.subTest(name=name, place=place):
                at = FILES[name].rindex(place) + 1 if name == "order.scenarios.yaml" and place == "settle" \
                    else FILES[name].index(place) + 1
                uri = self.open(name, FILES[name])
                found = self.editor.at(uri, "definition", at)
                self.assertTrue(found["uri"].endswith("/" + file), found)
                there = f"file://{self.dir / file}"
                self.editor.texts[there] = (self.dir / file).read_text()
                self.assertEqual(self.editor.read(there, found["range"]), word)

    def test_a_cluster_of_a_file_leads_there(self):
        about = "description: Rises\n"
        self.write("rises.yaml", about + GRAPH.replace("id: rising", "id: rises"))
        text = GRAPH.replace("once@1.0.0", "rises@1.0.0") \
            .replace("outputs:\n", "  - limit.value -> first.start\noutputs:\n  up: first.steep\n")
        uri = self.open("graph.yaml", text)
        there = f"file://{self.dir / 'rises.yaml'}"
        self.editor.texts[there] = about + GRAPH.replace("id: rising", "id: rises")
        for place, line, word in (("rises@", 3, "rises"), ("start\noutputs", 5, "start"),
                                  ("steep\n  steep", 19, "steep")):
            with self.subTest(place=place):
                found = self.editor.at(uri, "definition", text.index(place))
                self.assertEqual((found["uri"], self.editor.read(there, found["range"])), (there, word))
                self.assertEqual(found["range"]["start"]["line"], line - 1)
        self.assertEqual(self.editor.at(uri, "hover", text.index("rises@"))["contents"]["value"],
                         "**cluster** `rises` 1.0.0\n\nRises\n")
        for place, wanted in (("start\noutputs", ["start"]), ("steep\n  steep", ["steep"])):
            items = self.editor.at(uri, "completion", text.index(place))["items"]
            self.assertEqual([(i["label"], i["detail"]) for i in items], [(w, "rises") for w in wanted])
        for place in ("rises@", "once@"):  # built-in ones have no file
            text = GRAPH.replace("once@1.0.0", "rises@1.0.0" if place == "rises@" else "once@1.0.0")
            found = self.editor.at(self.open("graph.yaml", text), "definition", text.index(place))
            self.assertEqual(bool(found), place == "rises@")

    def test_links_of_data(self):
        for name, target in (("arrow.scenario.yaml", "arrow.yaml"), ("order.scenarios.yaml", "order.tenor")):
            links = self.editor.of(self.open(name, FILES[name]), "documentLink")
            self.assertEqual([link["target"].rsplit("/", 1)[1] for link in links], [target])

    # file, place, what is found: the text of each place, the declaration first
    USES = [
        ("graph.yaml", "steep.a", ["steep", "steep", "steep", "steep"]),
        ("graph.yaml", "steep: { impl", ["steep", "steep", "steep", "steep"]),
        ("graph.yaml", "start -> steep", ["start", "start"]),
        ("arrow.yaml", "ok], message", ["ok", "ok"]),
        ("arrow.yaml", "ok: {fine", ["ok", "ok"]),
        ("arrow.yaml", "B\n", ["B", "B"]),
        ("order.scenarios.yaml", "is_small]", ["is_small", "is_small", "is_small"]),
    ]

    def test_every_use_of_a_name(self):
        for name, place, wanted in self.USES:
            with self.subTest(name=name, place=place):
                uri = self.open(name, FILES[name])
                at = FILES[name].index(place)
                found = self.editor.at(uri, "references", at, context={"includeDeclaration": True})
                for f in found:
                    self.editor.texts[f["uri"]] = pathlib.Path(f["uri"][len("file://"):]).read_text()
                self.assertEqual([self.editor.read(f["uri"], f["range"]) for f in found], wanted)
                marks = self.editor.at(uri, "documentHighlight", at)
                self.assertEqual(len(marks), len([f for f in found if f["uri"] == uri]))

    def test_a_rename_changes_every_use_and_nothing_else(self):
        rows = [("graph.yaml", "steep.a", "steep", "abrupt", 4), ("arrow.yaml", "ok], message", "ok", "good", 2),
                ("arrow.yaml", "B\n", "B", "End", 2)]
        for name, place, old, new, count in rows:
            with self.subTest(name=name, old=old):
                uri = self.open(name, FILES[name])
                at = FILES[name].index(place)
                self.assertEqual(self.editor.read(uri, self.editor.at(uri, "prepareRename", at)), old)
                before = len(self.editor.diagnostics(uri))
                edits = self.editor.at(uri, "rename", at, newName=new)["changes"][uri]
                self.assertEqual(len(edits), count)
                text = self.editor.edited(uri, edits)
                uri = self.open(name, text)
                self.assertEqual(len(self.editor.diagnostics(uri)), before)
                back = self.editor.at(uri, "rename", self.editor.offset(uri, edits[-1]["range"]["start"]),
                                      newName=old)["changes"][uri]
                self.assertEqual(self.editor.edited(uri, back), FILES[name])

    def test_a_rename_that_cannot_be_is_refused(self):
        rows = [("graph.yaml", "steep.a", "two words"), ("graph.yaml", "steep.a", ""), ("graph.yaml", "steep.a", "limit"),
                ("graph.yaml", "gt@", "lt"), ("arrow.yaml", "B\n", "A"), ("order.scenarios.yaml", "is_small]", "is_tiny")]
        for name, place, new in rows:
            with self.subTest(place=place, new=new), self.assertRaises(Refused) as caught:
                uri = self.open(name, FILES[name])
                self.editor.at(uri, "rename", FILES[name].index(place), newName=new)
            self.assertEqual(caught.exception.code, -32803)

    def test_symbols_of_data(self):
        rows = [("graph.yaml", "nodes", ["reading", "limit", "steep", "order", "first"]),
                ("arrow.yaml", "receivers", ["arrow_f", "object_A"]),
                ("order.scenarios.yaml", "scenarios", ["small orders are paid", "and settled"])]
        for name, key, wanted in rows:
            with self.subTest(name=name):
                symbols = {s["name"]: s for s in self.editor.of(self.open(name, FILES[name]), "documentSymbol")}
                self.assertEqual([c["name"] for c in symbols[key]["children"]], wanted)

    def test_what_is_told_at_every_word(self):
        for name in ("graph.yaml", "arrow.yaml", "arrow.scenario.yaml", "order.scenarios.yaml", "double.yaml",
                     "adapter.yaml"):
            with self.subTest(name=name):
                uri = self.open(name, FILES[name])
                self.golden(f"lsp/{name}.txt", self.editor.at_every_word(uri))

    # ---- what is wrong ----

    def test_the_texts_of_this_test_are_good(self):
        for name in FILES:
            if name not in ("graph.yaml", "adapter.yaml"):
                with self.subTest(name=name):
                    told = self.editor.diagnostics(self.open(name, FILES[name]))
                    self.assertEqual([d["message"] for d in told if d["severity"] == 1], [])

    def test_a_scenario_file_is_checked_against_its_contract(self):
        for old, new, words in (("total: 5", "totel: 5", "no fact 'totel'"), ("operation: pay", "operation: pey", "pey"),
                                ("present:", "presant:", "unknown key 'presant'"),
                                ("contract: order", "contract: nowhere", "cannot be read")):
            with self.subTest(new=new):
                text = SCENARIOS.replace(old, new)
                uri = self.open("order.scenarios.yaml", text)
                told = self.editor.diagnostics(uri)
                self.assertEqual(len(told), 1)
                self.assertIn(words, told[0]["message"])
                self.assertEqual(told[0]["range"]["start"]["line"], text[:text.index(new)].count("\n"))

    def test_the_project_is_checked(self):
        for text, words in (("listne: x\n", "did you mean `listen`?"), ("pool: 0\n", "from 1 to 1000"),
                            ("lint: {allow: [T999]}\n", "T999")):
            with self.subTest(text=text):
                told = self.editor.diagnostics(self.open("motet.yaml", text))
                self.assertIn(words, told[0]["message"])

    def told_until(self, uri, holds):
        """What is told of a document without being asked for, until it is so."""
        for _ in range(1000):
            if uri in self.editor.told and holds(self.editor.told[uri]["diagnostics"]):
                return
            self.editor.of(uri, "documentLink")  # what was told meanwhile comes before the answer
            time.sleep(0.01)
        self.fail(self.editor.told.get(uri))

    def test_dependants_are_told_again(self):
        scenarios = self.open("order.scenarios.yaml", SCENARIOS)
        contract = self.open("order.tenor", ORDER)
        self.told_until(scenarios, lambda told: not told)
        at = ORDER.index("persona boss")
        self.editor.change(contract, at, at, 'fact sum { type: Bool source: "a.b" default: true }\n')
        wrong = SCENARIOS.replace("total: 5", "total: 5\n    summ: true")
        self.editor.change(scenarios, 0, len(SCENARIOS), wrong)
        self.told_until(scenarios, lambda told: told and "did you mean 'sum'" in told[0]["message"])
        self.editor.change(contract, at + 5, at + 8, "summ")
        self.told_until(scenarios, lambda told: not told)
        # through an import of the contract, too
        library = self.open("library.tenor", "persona helper\n")
        self.editor.change(contract, 0, 0, 'import "library.tenor"\n')
        wrong = self.editor.texts[scenarios].replace("persona: clerk, op", "persona: nobody, op")
        self.editor.change(scenarios, 0, len(self.editor.texts[scenarios]), wrong)
        self.told_until(scenarios, lambda told: told and "nobody" in told[0]["message"])
        self.editor.change(scenarios, 0, len(wrong), wrong.replace("nobody", "helper"))
        self.told_until(scenarios, lambda told: not told)
        self.editor.change(library, 8, 14, "nobody")
        self.told_until(scenarios, lambda told: told and "helper" in told[0]["message"])
        script = self.open("arrow.scenario.yaml", SCRIPT)
        agent = self.open("arrow.yaml", AGENT)
        self.told_until(script, lambda told: not told)
        self.editor.change(agent, 0, 5, "agend")
        self.told_until(script, lambda told: told)
        self.editor.change(agent, 0, 5, "agent")
        self.told_until(script, lambda told: not told)

    # ---- scenarios ----

    def test_scenarios_are_run_from_the_lens(self):
        contract = self.open("order.tenor", ORDER)
        uri = self.open("order.scenarios.yaml", SCENARIOS)
        lenses = self.editor.of(uri, "codeLens")
        self.assertEqual([(lens["command"]["title"], self.editor.read(uri, lens["range"])) for lens in lenses],
                         [("run all", "scenarios"), ("run", "small orders are paid"), ("run", "and settled")])
        for lens, passed in zip(lenses, (2, 1, 1)):
            found = self.editor.ask("workspace/executeCommand", {
                "command": "motet.test", "arguments": lens["command"]["arguments"]})
            self.assertEqual(found["text"], f"{passed} passed, 0 failed")
        titles = [lens["command"]["title"] for lens in self.editor.of(contract, "codeLens")]
        self.assertIn("run 1 scenario: 1 passes", titles)
        self.assertIn("1 of 3 paths covered", titles)
        self.assertEqual(titles.count("covered"), 4)

    def test_what_fails_says_why_and_where(self):
        text = SCENARIOS.replace("present: [is_small]", "absent: [is_small]")
        uri = self.open("order.scenarios.yaml", text)
        found = self.editor.ask("workspace/executeCommand", {"command": "motet.test", "arguments": [uri]})
        self.assertEqual([r["passes"] for r in found["results"]], [False, True])
        self.assertIn("is_small", found["results"][0]["text"])
        self.assertEqual(found["results"][0]["line"], text[:text.index("- name: small")].count("\n") + 1)
        self.assertIn("rules", found["coverage"])

    def test_what_is_shown_is_bounded(self):
        uri = self.open("order.tenor", ORDER)
        self.open("order.scenarios.yaml", SCENARIOS + "  - {name: all, for_all: {cases: 3000}, then: {absent: []}}\n")
        titles = [lens["command"]["title"] for lens in self.editor.of(uri, "codeLens")]
        self.assertEqual([t for t in titles if "covered" in t or "run" in t], [])
        found = self.editor.ask("workspace/executeCommand", {"command": "motet.test", "arguments": [uri]})
        self.assertEqual(found["text"], "3 passed, 0 failed")

    def test_without_a_contract_nothing_is_run(self):
        (self.dir / "order.tenor").unlink()
        uri = self.open("order.scenarios.yaml", SCENARIOS)
        with self.assertRaises(Refused) as caught:
            self.editor.ask("workspace/executeCommand", {"command": "motet.test", "arguments": [uri]})
        self.assertEqual(caught.exception.code, -32803)

    def test_the_figures_are_those_of_motet_test(self):
        for name in ("escrow", "claims", "currency"):
            with self.subTest(name=name):
                shutil.copytree(SOURCE / "examples" / name, self.dir / name)
                path = self.dir / name / f"{name}.tenor"
                report = json.loads(self.run_motet("test", "--json", "--coverage", path.parent).out)
                uri = self.editor.open(path, path.read_text())
                found = self.editor.ask("workspace/executeCommand", {"command": "motet.test", "arguments": [uri]})
                self.assertEqual(found["coverage"], report["coverage"][0]["coverage"])

    # ---- anywhere, in anything ----

    def test_no_place_of_a_broken_text_is_a_fault(self):
        for name, text in FILES.items():
            if name.endswith(".tenor"):
                continue
            for cut in range(0, len(text), 17):
                uri = self.open(name, text[:cut])
                for method in ("completion", "hover", "definition", "references", "prepareRename"):
                    self.editor.at(uri, method, cut)
                self.assertTrue(isinstance(self.editor.of(uri, "codeLens"), list))


main()
