"""Pictures: analyze, graph render and agent routes draw one description in several forms.

tests/golden/pictures/NAME.{json,dot,mmd} are the pictures of the examples; MOTET_UPDATE_GOLDEN=1
rewrites them. SVG is not compared, since its bytes are Graphviz's."""
import json
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml

from harness import SOURCE, Case, main

EXAMPLES = SOURCE / "examples"
ESCROW = EXAMPLES / "escrow" / "escrow.tenor"
TRADE = EXAMPLES / "trade_platform" / "trade_platform.tenor"
CROSSOVER = EXAMPLES / "crossover" / "crossover.yaml"
BUYER = EXAMPLES / "agents" / "buyer.yaml"
COMMANDS = {
    "escrow": ["analyze", ESCROW],
    "trade_platform": ["analyze", TRADE],
    "trade_platform.system": ["analyze", "--draw", "system", TRADE],
    "crossover": ["graph", "render", "--ports", CROSSOVER],
    "buyer": ["agent", "routes", BUYER],
    "everything": ["agent", "routes", SOURCE / "tests/data/everything.yaml"],
    "everything.automaton": ["agent", "render", SOURCE / "tests/data/everything.yaml"],
    "buyer.automaton": ["agent", "render", BUYER],
    "supply_chain": ["agent", "routes", EXAMPLES / "agents" / "supply_chain.yaml"],
}
HAS_GRAPHVIZ = shutil.which("dot")
NO_GRAPHVIZ = {"PATH": "/nonexistent"}

# Every kind of step, a branch inside a branch, an escalation, and what never happens.
STEPS = """persona clerk
persona boss
fact f { type: Bool source: "x.f" }
entity A { states: [a, b, lost] initial: a transitions: [(a, b)] }
entity B { states: [c, d] initial: c transitions: [(c, d)] }
operation move_a { allowed_personas: [clerk, boss] precondition: f = true
  effects: [(A, a, b)] error_contract: [] }
operation move_b { allowed_personas: [boss] precondition: true effects: [(B, c, d)]
  error_contract: [] }
flow inner { snapshot: at_initiation entry: s steps: {
  s: OperationStep { op: move_b persona: boss outcomes: { success: Terminal(success) }
     on_failure: Terminal(failure) } } }
flow outer { snapshot: at_initiation entry: both steps: {
  both: ParallelStep { branches: [
      Branch { id: left entry: x steps: { x: OperationStep { op: move_a persona: clerk
        outcomes: { success: Terminal(success) } on_failure: Terminal(failure) } } },
      Branch { id: right entry: y steps: { y: SubFlowStep { flow: inner persona: boss
        on_success: Terminal(success) on_failure: Terminal(failure) } } } ]
    join: JoinPolicy { on_all_success: give on_any_failure: Terminal(failure) } }
  give: HandoffStep { from_persona: clerk to_persona: boss next: ask }
  ask: BranchStep { condition: f = true persona: boss if_true: again if_false: Terminal(success) }
  again: OperationStep { op: move_a persona: boss outcomes: { success: Terminal(success) }
    on_failure: Escalate(to: clerk, next: last) }
  last: OperationStep { op: move_b persona: boss outcomes: { success: Terminal(success) }
    on_failure: Terminal(failure) } } }
"""

# What tries to be syntax, HTML, a directive, a path, or not to be seen.
HOSTILE = ['a"];b [label="', "back\\slash\\", "<b>&amp;</b>", "%%{init: {}}%%", "end", "`x`|y",
           "line\nbreak", "#quot; #34;", "../../etc/passwd", "東京 Zürich", "x" * 5000,
           "\u202eturned", "\u0001\u001b[31m", "subgraph", "--> z", "click v0 href", "</svg>"]

MERMAID_LINES = [
    r'flowchart LR',
    r' *subgraph g\d+ \["[^"]*"\]',
    r' *end',
    r' *v\d+(\(\(|\(\[|\[\[|\{\{|\(|\{|>|\[)"[^"]*"(\)\)|\]\)|\]\]|\}\}|\)|\}|\])(:::\w+)',
    r'  v\d+ (-->|-\.->|==>)(\|"[^"]*"\|)? v\d+',
    r'  classDef \w+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}',
    r'  (style g|linkStyle )\d+ stroke:#[0-9a-f]{6}(,stroke-width:3px)?',
    r'  classDef (seen|never) stroke:#[0-9a-f]{6},stroke-width:3px',
    r'  classDef faded stroke-dasharray:5 4',
    r'  class v\d+(,v\d+)* (seen|never|faded)',
]


def attributes(line):
    """The attributes of a line of DOT."""
    return dict((name, value[1:-1] if value.startswith('"') else value) for name, value in
                re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|[\w.]+)', line))


def nodes_of(dot):
    """Node lines of DOT by their label."""
    found = {}
    for line in dot.splitlines():
        if " -> " not in line and "label=" in line and "graph [" not in line:
            found.setdefault(attributes(line)["label"], []).append(line)
    return found


class Pictures(Case):
    def picture(self, *words):
        return json.loads(self.holds(*words, "--format", "json").out)

    # ---- what FU19 missed: these run with the options there always were ----

    def test_FU19_a_shared_entity_is_drawn_once(self):
        for form in ("--dot", "--mermaid"):
            out = self.holds("analyze", form, TRADE).out
            for state in ("placed", "paid", "shipped", "cancelled"):
                with self.subTest(f"{form} {state}"):
                    drawn = re.findall(r'^ *(?!.*(?:->|subgraph|graph \[)).*"%s"' % state, out, re.M)
                    self.assertEqual(len(drawn), 1, drawn)

    def test_FU19_a_trigger_is_drawn(self):
        dot = self.holds("analyze", "--dot", TRADE).out
        labels = [attributes(line).get("label", "") for line in dot.splitlines() if " -> " in line]
        self.assertEqual([l for l in labels if "warehouse_ops" in l],
                         ["trigger on success, as warehouse_ops"])
        mermaid = self.holds("analyze", "--mermaid", TRADE).out
        self.assertEqual(len(re.findall(r"^ *\w+ ==>.*warehouse_ops", mermaid, re.M)), 1)

    def test_FU19_every_persona_has_its_colour(self):
        nodes = nodes_of(self.holds("analyze", "--dot", ESCROW).out)
        personas = ["buyer", "seller", "compliance_officer", "escrow_agent"]
        colours = [attributes(nodes[p][0]).get("fillcolor") for p in personas]
        self.assertEqual(len(set(colours) - {None}), 4, colours)
        of = {label.split("\\n")[0]: attributes(lines[0]).get("fillcolor")
              for label, lines in nodes.items()}
        self.assertEqual(of["step_confirm"], colours[1])
        self.assertEqual(of["step_auto_release"], colours[3])

    def test_FU19_flows_have_lanes(self):
        dot = self.holds("analyze", "--dot", "--only", "s6", ESCROW).out
        groups = [attributes(line)["label"] for line in dot.splitlines()
                  if re.match(r" *(graph \[)?label=", line)]
        self.assertEqual(groups, ["flow standard_release", "seller", "escrow_agent",
                                  "compliance_officer", "flow refund_flow", "escrow_agent"])

    def test_FU19_things_stand_as_they_were_declared(self):
        for form in ("--dot", "--mermaid"):
            out = self.holds("analyze", form, ESCROW).out
            order = ['"EscrowAccount"', '"DeliveryRecord"', '"seller"', '"compliance_officer"',
                     '"flow standard_release"', '"flow refund_flow"']
            self.assertEqual(order, sorted(order, key=out.index), form)

    def test_FU19_flows_and_entities_have_start_marks(self):
        dot = self.holds("analyze", "--dot", ESCROW).out
        marks = re.findall(r'^ *("?[^" ]+"?) \[shape=circle', dot, re.M)
        self.assertEqual(len(marks), 4, marks)  # two entities, two flows
        for mark in marks:
            self.assertEqual(len(re.findall("^ *" + re.escape(mark) + " -> ", dot, re.M)), 1)

    def test_FU19_tooltips_have_conditions(self):
        dot = self.holds("analyze", "--dot", ESCROW).out
        tips = [attributes(line).get("tooltip", "") for line in dot.splitlines()]
        self.assertTrue(any("when verdict_present(release_approved)" in t for t in tips))
        self.assertTrue(any("unless verdict_present(within_threshold)" in t for t in tips))

    @unittest.skipUnless(HAS_GRAPHVIZ, "Graphviz is not installed")
    def test_FU19_svg_has_a_dark_mode_and_one_type_face(self):
        svg = self.holds("analyze", "--svg", ESCROW).out
        self.assertEqual(len(set(re.findall(r'font-family="([^"]*)"', svg))), 1)
        self.assertIn("@media (prefers-color-scheme: dark)", svg)
        self.assertRegex(svg, r'class="node operation p\d"')

    # ---- the forms ----

    def test_pictures_of_the_examples(self):
        for name, words in COMMANDS.items():
            for form, ending in (("json", "json"), ("dot", "dot"), ("mermaid", "mmd")):
                with self.subTest(f"{name}.{ending}"):
                    out = self.holds(*words, "--format", form).out
                    self.golden(f"pictures/{name}.{ending}", out)
                    self.assertEqual(self.holds(*words, "--format", form).out, out)

    def test_source_and_bundle_are_drawn_alike(self):
        shutil.copytree(TRADE.parent, self.dir / "trade")
        self.write("trade/t.json", self.holds("elaborate", TRADE).out)
        self.write("escrow.json", self.holds("elaborate", ESCROW).out)
        for source, bundle in ((TRADE, "trade/t.json"), (ESCROW, "escrow.json")):
            self.assertEqual(self.picture("analyze", source), self.picture("analyze", bundle))

    def sound_mermaid(self, text):
        for line in text.splitlines():
            self.assertTrue(any(re.fullmatch(p, line) for p in MERMAID_LINES), line)

    def test_mermaid_is_made_of_known_lines(self):
        for words in COMMANDS.values():
            self.sound_mermaid(self.holds(*words, "--format", "mermaid").out)
        self.sound_mermaid(self.holds("analyze", "--mermaid", self.write("s.tenor", STEPS)).out)

    def test_names_are_unique_and_edges_lead_to_nodes(self):
        self.write("s.tenor", STEPS)
        for words in [*COMMANDS.values(), ["analyze", "s.tenor"]]:
            got = self.picture(*words)
            names = [n["name"] for n in got["nodes"]]
            self.assertEqual(len(names), len(set(names)))
            self.assertLessEqual({e[end] for e in got["edges"] for end in ("from", "to")},
                                 set(names))
            groups = {g["name"] for g in got["groups"]} | {None}
            self.assertLessEqual({n["group"] for n in got["nodes"]}, groups)

    # ---- contracts ----

    def edges(self, got, line=None):
        return {(e["from"], e["label"], e["to"]) for e in got["edges"]
                if line is None or e["line"] == line}

    def test_every_kind_of_step(self):
        got = self.picture("analyze", "--draw", "flows", self.write("s.tenor", STEPS))
        roles = {n["name"]: n["role"] for n in got["nodes"]}
        self.assertEqual(
            [roles["flow/outer/" + s] for s in ("both", "give", "ask", "again", "left/x", "right/y")],
            ["parallel", "handoff", "choice", "operation", "operation", "flow"])
        edges = self.edges(got)
        for edge in [("flow/outer/both", "left", "flow/outer/left/x"),
                     ("flow/outer/both", "right", "flow/outer/right/y"),
                     ("flow/outer/both", "all succeed", "flow/outer/give"),
                     ("flow/outer/ask", "true", "flow/outer/again"),
                     ("flow/outer/ask", "false", "flow/outer//end/success"),
                     ("flow/outer/again", "failure: to clerk", "flow/outer/last"),
                     ("flow/outer/left/x", "success", "flow/outer/left//end/success"),
                     ("flow/outer//start", "", "flow/outer/both")]:
            self.assertIn(edge, edges)

    def test_what_never_happens_is_faded(self):
        got = self.picture("analyze", self.write("s.tenor", STEPS))
        faded = {n["name"] for n in got["nodes"] if n["faded"]}
        self.assertIn("entity/A/lost", faded)
        self.assertNotIn("entity/A/b", faded)
        finals = {n["name"] for n in got["nodes"] if n["role"] == "final"}
        self.assertEqual(finals, {"entity/A/b", "entity/A/lost", "entity/B/d"})

    def test_a_transition_names_its_makers_and_their_colour(self):
        got = self.picture("analyze", "--draw", "entities", ESCROW)
        edge = {(e["from"], e["to"]): e for e in got["edges"]}
        both = edge["entity/EscrowAccount/held", "entity/EscrowAccount/released"]
        self.assertEqual(both["label"], "release_escrow, release_escrow_with_compliance")
        self.assertIsNone(both["persona"])
        one = edge["entity/EscrowAccount/held", "entity/EscrowAccount/refunded"]
        self.assertEqual((one["label"], one["persona"]), ("refund_escrow", "escrow_agent"))
        self.assertIn("when verdict_present(refund_approved)", one["tooltip"])
        none = edge["entity/EscrowAccount/disputed", "entity/EscrowAccount/released"]
        self.assertEqual((none["label"], none["line"]), ("", "dotted"))

    def test_rules_lie_by_stratum(self):
        got = self.picture("analyze", "--draw", "rules", ESCROW)
        self.assertEqual([g["label"] for g in got["groups"]],
                         ["Rules", "facts", "stratum 0", "stratum 1", "operations"])
        edges = {(a, b) for a, _, b in self.edges(got)}
        self.assertIn(("fact/delivery_status", "rule/delivery_failed"), edges)
        self.assertIn(("verdict/delivery_failed", "rule/can_refund"), edges)
        self.assertIn(("rule/can_refund", "verdict/refund_approved"), edges)
        self.assertEqual(sum(n["role"] == "rule" for n in got["nodes"]), 8)
        self.assertIn(("verdict/release_approved", "operation/release_escrow/when"), edges)
        self.assertIn(("fact/line_items", "operation/confirm_delivery/when"), edges)

    def test_rules_lead_to_the_operations_that_ask_for_them(self):
        path = self.write("o.tenor", """persona p
fact a { type: Bool source: "x.a" }
rule r { stratum: 0 when: a = true produce: verdict v { payload: Bool = true } }
operation twice { allowed_personas: [p] precondition: verdict_present(v) and (a or verdict_present(v))
  effects: [] error_contract: [] }
operation free { allowed_personas: [p] precondition: true effects: [] error_contract: [] }
""")
        got = self.picture("analyze", "--draw", "rules", path)
        self.assertEqual([(e["from"], e["to"]) for e in got["edges"] if "operation" in e["to"]],
                         [("verdict/v", "operation/twice/when"), ("fact/a", "operation/twice/when")])
        self.assertEqual([n["name"] for n in got["nodes"] if n["role"] == "operation"], ["operation/twice/when"])
        without = self.write("n.tenor", path.read_text().split("operation")[0])
        self.assertNotIn("operations", [g["label"] for g in self.picture("analyze", without)["groups"]])

    def test_a_rule_reads_what_its_payload_reads(self):
        path = self.write("r.tenor", """fact a { type: Bool source: "x.a" }
fact b { type: Int(min: 0, max: 9) source: "x.b" }
rule r { stratum: 0 when: a = true produce: verdict v { payload: Int(min: 0, max: 9) = b } }
""")
        edges = {(a, b) for a, _, b in self.edges(self.picture("analyze", path))}
        self.assertEqual(edges, {("fact/a", "rule/r"), ("fact/b", "rule/r"), ("rule/r", "verdict/v")})

    def test_transitions_into_one_state_stay_apart(self):
        path = self.write("e.tenor", "entity E { states: [a, b, c] initial: a "
                          "transitions: [(a, b), (a, c), (b, c)] }\n")
        got = self.picture("analyze", "--draw", "entities", path)
        self.assertEqual([(e["from"][-1], e["to"][-1]) for e in got["edges"]],
                         [("t", "a"), ("a", "b"), ("a", "c"), ("b", "c")])

    def test_draw_chooses_the_parts(self):
        for parts, roles in {"entities": {"start", "state", "final"},
                             "authority": {"persona", "operation"},
                             "rules": {"fact", "rule", "verdict", "operation"},
                             "authority,rules": {"persona", "operation", "fact", "rule", "verdict"},
                             }.items():
            got = self.picture("analyze", "--draw", parts, ESCROW)
            self.assertEqual({n["role"] for n in got["nodes"]}, roles, parts)

    def test_a_persona_keeps_its_colour_in_every_picture(self):
        whole = self.picture("analyze", ESCROW)["personas"]
        for parts in ("entities", "flows", "authority", "rules"):
            self.assertEqual(self.picture("analyze", "--draw", parts, ESCROW)["personas"], whole)
        self.assertEqual([p["name"] for p in whole],
                         ["buyer", "seller", "compliance_officer", "escrow_agent"])

    # ---- systems ----

    def test_a_system_in_outline(self):
        got = self.picture("analyze", "--draw", "system", TRADE)
        self.assertEqual({g["label"] for g in got["groups"]}, {"order_mgmt", "fulfillment"})
        shared = [n for n in got["nodes"] if n["label"].startswith("Order ")]
        self.assertEqual([(n["name"], n["group"]) for n in shared], [("entity/Order", None)])
        self.assertEqual(self.edges(got, "bold"),
                         {("order_mgmt/flow/order_processing",
                           "trigger on success, as warehouse_ops", "fulfillment/flow/shipment_flow")})
        self.assertIn(("order_mgmt/flow/order_processing", "moves", "entity/Order"),
                      self.edges(got, "dotted"))

    def test_a_trigger_leads_from_an_end_to_a_start(self):
        for parts in ("system,flows", "system,entities,flows,authority,rules"):
            got = self.picture("analyze", "--draw", parts, TRADE)
            self.assertEqual(self.edges(got, "bold"),
                             {("order_mgmt/flow/order_processing//end/success",
                               "trigger on success, as warehouse_ops",
                               "fulfillment/flow/shipment_flow//start")})
        tips = {n["name"]: n["tooltip"] for n in got["nodes"]}
        self.assertIn("started by order_mgmt.order_processing on success, as warehouse_ops",
                      tips["fulfillment/flow/shipment_flow//start"])

    def test_a_trigger_is_there_whatever_else_is_drawn(self):
        got = self.picture("analyze", "--draw", "system,entities", TRADE)
        self.assertEqual(len(self.edges(got, "bold")), 1)
        self.assertEqual([n["name"] for n in got["nodes"] if n["label"] == "paid"],
                         ["entity/Order/paid"])

    def test_a_trigger_that_never_fires_starts_from_a_faded_end(self):
        shutil.copytree(TRADE.parent, self.dir / "t")
        order = self.dir / "t" / "contracts" / "order.tenor"
        order.write_text(order.read_text().replace("Terminal(success)", "Terminal(failure)"))
        got = self.picture("analyze", "--draw", "system,flows", "t/trade_platform.tenor")
        ((start, _, _),) = self.edges(got, "bold")
        (node,) = [n for n in got["nodes"] if n["name"] == start]
        self.assertEqual((node["label"], node["faded"]), ("success\n(never)", True))

    def test_what_members_make_of_a_shared_entity_comes_together(self):
        got = self.picture("analyze", "--draw", "entities", TRADE)
        labels = {(a, b): label for a, label, b in self.edges(got)}
        self.assertEqual(labels["entity/Order/placed", "entity/Order/paid"], "accept_payment")
        self.assertEqual(labels["entity/Order/paid", "entity/Order/shipped"], "ship")

    def test_a_shared_persona_is_drawn_once(self):
        got = self.picture("analyze", "--draw", "authority", TRADE)
        self.assertEqual(sorted(n["name"] for n in got["nodes"] if n["role"] == "persona"),
                         ["persona/admin", "persona/warehouse_ops"])

    def test_a_member_that_is_not_there_is_said_to_be_missing(self):
        self.write("a.tenor", "persona p")
        path = self.write("s.tenor", 'system s { members: [a: "a.tenor", b: "b.tenor"] '
                          "shared_personas: [] triggers: [] shared_entities: [] }")
        got = self.picture("analyze", path)
        self.assertEqual([(n["label"], n["group"]) for n in got["nodes"] if n["faded"]],
                         [("its contract is not there", "member/b")])

    # ---- one file each ----

    def test_one_file_for_each_entity_and_flow(self):
        out = self.holds("analyze", "--each", "d", "--format", "mermaid", ESCROW).out
        names = ["entity-EscrowAccount", "entity-DeliveryRecord", "authority", "rules",
                 "flow-standard_release", "flow-refund_flow"]
        self.assertEqual(out.splitlines(), [f"d/{name}.mmd" for name in names])
        self.assertEqual(sorted(p.stem for p in (self.dir / "d").iterdir()), sorted(names))
        flow = (self.dir / "d" / "flow-refund_flow.mmd").read_text()
        self.assertIn("flow refund_flow", flow)
        self.assertNotIn("standard_release", flow)
        out = self.holds("analyze", "--each", "d", "--dot", "--draw", "flows", ESCROW).out
        self.assertEqual(len(out.splitlines()), 2)

    def test_one_file_each_of_a_system(self):
        out = self.holds("analyze", "--each", "d", "--format", "json", "--draw",
                         "system,entities,flows", TRADE).out
        self.assertEqual(out.splitlines(),
                         ["d/system-trade_platform.json", "d/entity-Order.json",
                          "d/fulfillment.entity-Shipment.json",
                          "d/fulfillment.flow-shipment_flow.json",
                          "d/order_mgmt.flow-order_processing.json"])
        whole = json.loads((self.dir / "d" / "system-trade_platform.json").read_text())
        self.assertEqual(whole, self.picture("analyze", "--draw", "system", TRADE))

    @unittest.skipUnless(HAS_GRAPHVIZ, "Graphviz is not installed")
    def test_each_is_svg_by_itself(self):
        out = self.holds("analyze", "--each", "d", "--draw", "flows", ESCROW).out
        self.assertEqual(out.splitlines(), ["d/flow-standard_release.svg", "d/flow-refund_flow.svg"])
        for path in (self.dir / "d").iterdir():
            xml.parse(path)

    def test_names_that_differ_in_case_are_two_files(self):
        entity = "entity %s { states: [a, b] initial: a transitions: [(a, b)] }\n"
        path = self.write("c.tenor", entity % "Box" + entity % "BOX" + entity % "Box_")
        out = self.holds("analyze", "--each", "d", "--dot", "--draw", "entities", path).out
        self.assertEqual(out.splitlines(),
                         ["d/entity-Box.dot", "d/entity-BOX-2.dot", "d/entity-Box_.dot"])

    # ---- names that attack ----

    def hostile_bundle(self):
        """The escrow example with every hostile name in it, as some other program wrote it."""
        old = ["DeliveryRecord", "pending", "confirmed", "failed", "EscrowAccount", "held",
               "released", "refunded", "disputed", "buyer", "seller", "escrow_agent",
               "standard_release", "refund_flow", "step_refund", "step_confirm", "refund_escrow"]
        new = dict(zip(old, HOSTILE))

        def renamed(node):
            if isinstance(node, dict):
                return {new.get(k, k): renamed(v) for k, v in node.items()}
            if isinstance(node, list):
                return [renamed(v) for v in node]
            return new.get(node, node) if isinstance(node, str) else node
        bundle = json.loads(self.holds("elaborate", ESCROW).out)
        for construct in bundle["constructs"]:
            if construct["kind"] in ("Entity", "Persona", "Operation", "Flow"):
                construct.update(renamed(construct))
                for key in [k for k in construct if k in HOSTILE]:
                    del construct[key]
        return self.write("hostile.json", json.dumps(bundle))

    def test_no_name_breaks_a_form(self):
        path = self.hostile_bundle()
        self.sound_mermaid(self.holds("analyze", "--mermaid", path).out)
        labels = {n["label"] for n in self.picture("analyze", path)["nodes"]}
        for name in ("line\nbreak", "#quot; #34;", "%%{init: {}}%%"):
            self.assertIn(name, labels)
        dot = self.holds("analyze", "--dot", path).out
        self.assertLess(max(map(len, dot.splitlines())), 3000)

    @unittest.skipUnless(HAS_GRAPHVIZ, "Graphviz is not installed")
    def test_graphviz_shows_every_name_as_it_is(self):
        svg = self.holds("analyze", "--svg", self.hostile_bundle()).out
        texts = {"".join(t.itertext()) for t in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")}
        for name in ('a"];b [label="', "back\\slash\\", "%%{init: {}}%%", "end", "`x`|y",
                     "#quot; #34;", "line", "break", "\ufffdturned"):
            self.assertIn(name, {t.replace("\xa0", " ") for t in texts})

    def test_no_name_leaves_the_directory(self):
        out = self.holds("analyze", "--each", "d", "--dot", self.hostile_bundle()).out
        for line in out.splitlines():
            self.assertRegex(line, r"^d/[A-Za-z][A-Za-z0-9_.-]{0,110}\.dot$")
        self.assertEqual(len(out.splitlines()), len(list((self.dir / "d").iterdir())))
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["d", "hostile.json"])

    def test_no_route_breaks_a_form(self):
        agent = {"agent": HOSTILE[0], "tape": {"shape": "many", "start": ["A"]},
                 "receivers": [{"name": name, "route": "A --[ f ]--> B", "do": "move"}
                               for name in HOSTILE]}
        path = self.write("agent.json", json.dumps(agent))
        self.sound_mermaid(self.holds("agent", "routes", path, "--format", "mermaid").out)

    # ---- graphs and agents ----

    def test_a_cluster_is_a_box(self):
        path = self.write("g.yaml", """kind: cluster
id: crossing
version: 1.0.0
nodes:
  price: {impl: context_number_source@^0.1, params: {key: price}}
  limit: {impl: number_source@^0.1, params: {value: 100.0}}
  above: {impl: gt@^0.1}
  cross: {cluster: edge_rising@1}
  note:  {impl: context_set_number@^0.1, params: {key: last_cross}}
edges:
  - price.value -> above.a
  - limit.value -> above.b
  - above.result -> cross.condition
  - cross.event -> note.event
  - price.value -> note.value
outputs: {crossed: cross.event}
""")
        got = self.picture("graph", "render", path)
        self.assertEqual([(g["name"], g["label"]) for g in got["groups"]], [("cross", "cross")])
        inside = [n for n in got["nodes"] if n["group"] == "cross"]
        self.assertTrue(inside)
        self.assertEqual([n["label"].split("\n")[0] for n in got["nodes"] if not n["group"]],
                         ["price", "limit", "above", "note"])
        lines = {(e["from"], e["to"]): e["line"] for e in got["edges"]}
        names = {n["label"].split("\n")[0]: n["name"] for n in got["nodes"]}
        self.assertEqual(lines[names["price"], names["note"]], "dashed")
        self.assertIn("bold", lines.values())
        tips = {n["label"].split("\n")[0]: n["tooltip"] for n in got["nodes"]}
        self.assertEqual(tips["limit"], "limit: source number_source@0.1.0\nvalue = 100.0")

    def test_an_agent_is_drawn(self):
        got = self.picture("agent", "routes", BUYER)
        edges = {(a, b) for a, _, b in self.edges(got)}
        self.assertIn(("state/ready", "receiver/0/on_register"), edges)
        self.assertIn(("receiver/0/on_register", "state/confirmed"), edges)
        self.assertIn(("state/ready//start", "state/ready"), edges)
        hears = {(a, b) for a, _, b in self.edges(got, "dashed")}
        # /oneof(ready,finished) --> confirmed hears both ways there, and no other.
        self.assertEqual({a for a, b in hears if b == "sender/0/confirm"},
                         {"receiver/0/on_register", "receiver/12/on_reconnect"})

    def test_a_label_that_is_a_state_is_drawn_as_one(self):
        got = self.picture("agent", "routes", EXAMPLES / "agents" / "supply_chain.yaml")
        dotted = {(a, b) for a, _, b in self.edges(got, "dotted")}
        self.assertIn(("receiver/0/source_abroad", "state/f"), dotted)

    def test_dna_is_drawn_without_a_start(self):
        self.write("dna.json", self.holds("agent", "routes", "--json", BUYER).out)
        got = self.picture("agent", "routes", "dna.json")
        self.assertIn("receiver", {n["role"] for n in got["nodes"]})
        self.assertNotIn("state/ready//start", {n["name"] for n in got["nodes"]})

    # ---- without Graphviz, and used wrongly ----

    def test_without_graphviz(self):
        result = self.run_motet("analyze", "--each", "d", ESCROW, env=NO_GRAPHVIZ)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.err.count("Graphviz (dot) is not installed"), 1)
        self.assertTrue(all(line.endswith(".mmd") for line in result.out.splitlines()))
        for words in (["graph", "render", CROSSOVER], ["agent", "routes", BUYER]):
            result = self.run_motet(*words, "--format", "svg", env=NO_GRAPHVIZ)
            self.assertEqual(result.code, 3, result)
            self.assertIn("is `dot` installed?", result.err)
        result = self.run_motet("graph", "render", CROSSOVER, env=NO_GRAPHVIZ)
        self.assertTrue(result.out.startswith("digraph"), result)

    def test_usage(self):
        for words in (["analyze", "--draw", "pictures", ESCROW], ["analyze", "--draw", "", ESCROW],
                      ["analyze", "--draw", "flows,", ESCROW],
                      ["analyze", "--draw", "flows", "--only", "s6", ESCROW],
                      ["analyze", "--draw", "flows", "--json", ESCROW],
                      ["analyze", "--each", "d", "--json", ESCROW],
                      ["analyze", "--each", "d", "--out", "f", ESCROW],
                      ["analyze", "--format", "png", ESCROW],
                      ["analyze", "--format", "dot", "--svg", ESCROW],
                      ["graph", "render", "--format", "png", CROSSOVER],
                      ["agent", "routes", "--format", "png", BUYER],
                      ["agent", "routes", "--format", "dot", "--json", BUYER],
                      ["agent", "routes", "--out", "f", BUYER]):
            with self.subTest(str(words[:4])):
                self.fails(2, *words)
        self.assertIn("is not a System",
                      self.fails(1, "analyze", "--draw", "system", ESCROW).err)
        self.write("file", "")
        self.fails(3, "analyze", "--each", "file/d", "--dot", ESCROW)
        self.fails(3, "analyze", "--each", "file", "--dot", ESCROW)

    @unittest.skipUnless(HAS_GRAPHVIZ, "Graphviz is not installed")
    def test_graphviz_reads_every_example(self):
        for name, words in COMMANDS.items():
            dot = self.holds(*words, "--format", "dot").out_bytes
            done = subprocess.run(["dot", "-Tplain"], input=dot, capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""), name)


main()
