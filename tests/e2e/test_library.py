"""libmotet answers with the bytes that the commands print, and refuses what they refuse."""
import json
import pathlib
import shutil
import unittest

from harness import SOURCE, Case, main
import library
from library import Contract, OK, REJECTED, USAGE

EXAMPLES = sorted((SOURCE / "examples").glob("*/*.tenor"))
ESCROW = SOURCE / "examples/escrow/escrow.tenor"
FACTS = json.loads((SOURCE / "tests/data/escrow.facts.json").read_text())


def files_of(path):
    """Every source below the directory of a contract, by its path as the command sees it."""
    return {str(one): one.read_text() for one in pathlib.Path(path).parent.rglob("*.tenor")}


@unittest.skipIf(library.Library is None, "no shared library in this build")
class Library(Case):
    def load(self, path):
        contract, status = Contract.read(files_of(path), path)
        self.addCleanup(contract.free)
        self.assertEqual(status, OK, contract.messages())
        return contract

    def same(self, answer, *words, stdin=b""):
        """The answer is what the command prints."""
        result = self.run_motet(*words, stdin=stdin)
        self.assertEqual(answer.text, result.out_bytes, (words, answer.message, result.err))
        self.assertEqual(answer.code, result.code, words)

    def test_every_example_is_elaborated_checked_analysed_and_drawn_alike(self):
        for path in EXAMPLES:
            contract = self.load(path)
            with self.subTest(path.name):
                self.same(contract.ask("elaborate"), "elaborate", path)
                self.same(contract.ask("elaborate", manifest=True, compact=True),
                          "elaborate", "--manifest", "--compact", path)
                self.same(contract.ask("check", index=True), "check", "--json", "--index",
                          path)
                self.same(contract.ask("analyze"), "analyze", "--json", path)
                self.same(contract.ask("explain"), "explain", "--json", path)
                self.same(contract.ask("draw", format="mermaid"), "analyze", "--mermaid",
                          path)
                self.same(contract.ask("draw", parts="entities,authority"), "analyze",
                          "--draw", "entities,authority", "--format", "json", path)

    def test_files_and_callbacks_give_the_same_contract(self):
        path = SOURCE / "examples/trade_platform/trade_platform.tenor"
        opened, status = Contract.open(path)
        self.addCleanup(opened.free)
        self.assertEqual(status, OK)
        self.assertEqual(opened.ask("elaborate").text, self.load(path).ask("elaborate").text)

    def test_interchange_is_read_through_a_callback(self):
        text = (SOURCE / "tests/data/escrow.bundle.json").read_text()
        contract, status = Contract.read({"escrow.json": text}, "escrow.json")
        self.addCleanup(contract.free)
        self.assertEqual(status, OK)
        self.same(contract.ask("elaborate"), "elaborate",
                  SOURCE / "tests/data/escrow.bundle.json")

    def test_faults_of_a_contract_are_those_of_check(self):
        cases = sorted((SOURCE / "tests/language").rglob("*.tenor"))[::25]
        for path in cases:
            contract, status = Contract.read(files_of(path), path)
            with self.subTest(path), contract:
                self.same(contract.ask("check"), "check", "--json", path)
                refused = contract.ask("elaborate")
                self.assertEqual(refused.status, OK if status == OK else REJECTED)

    def case(self):
        """The escrow with facts and states, as options and as words of a command."""
        states = {"EscrowAccount": {"a": "held"}}
        facts = self.write("facts.json", json.dumps(FACTS))
        places = self.write("states.json", json.dumps(states))
        return self.load(ESCROW), states, facts, places

    def test_verdicts_are_those_of_eval(self):
        contract, _, facts, _ = self.case()
        self.same(contract.ask("eval", facts=FACTS), "eval", "--json", "--facts", facts, ESCROW)
        bad = self.write("bad.json", '{"escrow_amount":1}')
        answer = contract.ask("eval", facts={"escrow_amount": 1})
        self.same(answer, "eval", "--json", "--facts", bad, ESCROW)
        self.assertEqual(answer.status, REJECTED)
        self.assertIn(b'"path"', answer.fault)

    def test_what_is_left_to_decide_is_that_of_eval_partial(self):
        contract, _, _, _ = self.case()
        known = {"delivery_status": "confirmed"}
        facts = self.write("some.json", json.dumps(known))
        self.same(contract.ask("partial", facts=known, partial=True), "eval", "--partial",
                  "--json", "--facts", facts, ESCROW)
        self.same(contract.ask("partial", facts=known, unknown=["escrow_amount", "line_items"]),
                  "eval", "--unknown", "escrow_amount,line_items", "--json", "--facts", facts,
                  ESCROW)

    def test_flows_operations_and_actions_are_those_of_the_commands(self):
        contract, states, facts, places = self.case()
        explained = json.loads(contract.ask("elaborate").text)
        flows = [c for c in explained["constructs"] if c["kind"] == "Flow"]
        operations = [c for c in explained["constructs"] if c["kind"] == "Operation"]
        for persona in ("seller", "escrow_agent", "nobody"):
            for flow in flows:
                self.same(contract.ask("act", flow=flow["id"], persona=persona, facts=FACTS,
                                       dry_run=True),
                          "eval", "--json", "--facts", facts, "--flow", flow["id"],
                          "--persona", persona, "--dry-run", ESCROW)
            for operation in operations:
                self.same(contract.ask("act", operation=operation["id"], persona=persona,
                                       facts=FACTS, states=states,
                                       bind={"EscrowAccount": "a"}),
                          "eval", "--json", "--facts", facts, "--operation", operation["id"],
                          "--persona", persona, "--states", places, "--bind",
                          "EscrowAccount=a", ESCROW)
            self.same(contract.ask("actions", persona=persona, facts=FACTS, states=states),
                      "actions", "--json", "--facts", facts, "--states", places,
                      "--persona", persona, ESCROW)

    def test_reasons_are_those_of_explain(self):
        contract, states, facts, places = self.case()
        words = ("explain", "--json", "--facts", facts, ESCROW)
        self.same(contract.ask("explain", verdict="release_approved", facts=FACTS),
                  *words, "--verdict", "release_approved")
        self.same(contract.ask("explain", verdict="refund_approved", facts=FACTS, all=True),
                  *words, "--verdict", "refund_approved", "--all")
        self.same(contract.ask("explain", verdict="refund_approved", facts=FACTS, change=True),
                  *words, "--verdict", "refund_approved", "--change")
        self.same(contract.ask("explain", operation="release_escrow", facts=FACTS,
                               states=states, persona="escrow_agent"),
                  *words, "--operation", "release_escrow", "--states", places, "--persona",
                  "escrow_agent")
        self.same(contract.ask("explain", format="text", verbose=True), "explain",
                  "--verbose", ESCROW)

    def test_questions_are_answered_as_by_ask(self):
        contract, _, _, _ = self.case()
        for question in ("is release_approved and refund_approved possible",
                         "is within_threshold always", "when can refund_escrow",
                         "never reach EscrowAccount.disputed"):
            answer = contract.ask("ask", question=question)
            self.same(answer, "ask", "--json", ESCROW, question)
            self.assertIn("reply", json.loads(answer.text))

    def test_two_versions_differ_as_by_diff(self):
        old = self.load(ESCROW)
        text = ESCROW.read_text().replace("10000.00", "9000.00")
        changed = self.write("escrow.tenor", text)
        new, status = Contract.read({str(changed): text}, changed)
        self.addCleanup(new.free)
        self.assertEqual(status, OK, new.messages())
        self.same(old.diff(new), "diff", "--json", ESCROW, changed)
        self.same(old.diff(new, prove=True), "diff", "--json", "--prove", ESCROW, changed)
        self.same(old.diff(old), "diff", "--json", ESCROW, ESCROW)

    def test_scenarios_run_as_by_test(self):
        for path in sorted((SOURCE / "examples").glob("*/*.scenarios.yaml")):
            with self.subTest(path.name):
                root = path.with_name(path.name.replace(".scenarios.yaml", ".tenor"))
                text = path.read_text()
                contract = self.load(root)
                answer = contract.ask("test", name=str(path), scenarios=text)
                self.same(answer, "test", "--json", "--coverage", path)
                cases = json.loads(answer.text)["cases"]
                alone = [json.loads(contract.ask("test", name=str(path), scenarios=text,
                                                 number=n + 1).text)["cases"][0]
                         for n in range(len(cases))]
                self.assertEqual(alone, cases)
                for case in cases:
                    at = text.splitlines()[case["line"] - 1][case["column"] - 1:]
                    self.assertTrue(at.startswith("name: " + case["name"].split(": ", 1)[1]), case)

    def test_scenarios_that_fail_are_told_alike(self):
        text = ("contract: " + str(ESCROW) + "\nscenarios:\n"
                "  - name: a\n    when: {persona: seller, flow: refund_flow}\n"
                "    then: {outcome: success}\n"
                "  - name: b\n    when: {persona: seler, flow: refund_flow}\n"
                "  - name: c\n    for_all: facts\n    assert: [within_threshold]\n"
                "  - name: d\n    given: {facts: {escrow_amont: 3}}\n"
                "invariants:\n  - nobody can both confirm_delivery and release_escrow\n"
                "  - what is this\n")
        whole = text.replace("a\n", "a\n    unknown: 1\n", 1)
        for file in (text, whole, text.split("scenarios")[0] + "scenarios: []\n", "scenarios: [\n", "nonsense: 1", "a: &b [*b]"):
            with self.subTest(file[:20]):
                path = self.write("x.scenarios.yaml", file)
                contract = self.load(ESCROW)
                answer = contract.ask("test", name=str(path), scenarios=file)
                result = self.run_motet("test", "--json", "--coverage", path)
                self.assertEqual(json.loads(answer.text)["cases"], json.loads(result.out_bytes)["cases"])
                self.assertEqual((answer.code, result.code), (1, 1))
        self.same(self.load(ESCROW).ask("test", name=str(self.write("y.scenarios.yaml", text)),
                                        scenarios=text), "test", "--json", "--coverage",
                  self.dir / "y.scenarios.yaml")
        self.assertEqual(self.load(ESCROW).ask("test", scenarios=text, number=99).code, 1)

    def test_flows_under_way_are_judged_as_by_migrate(self):
        old = self.load(ESCROW)
        text = ESCROW.read_text().replace("step_auto_release", "step_release_at_once")
        changed = self.write("escrow.tenor", text)
        new, status = Contract.read({str(changed): text}, changed)
        self.addCleanup(new.free)
        self.assertEqual(status, OK, new.messages())
        flows = [{"id": "a", "flow": "standard_release", "step": "step_auto_release", "facts": FACTS,
                  "states": {"DeliveryRecord": "confirmed"}},
                 {"flow": "refund_flow", "step": "step_refund", "facts": FACTS}]
        for given in (flows, flows[1:], []):
            path = self.write("flows.json", json.dumps(given))
            self.same(old.diff(new, flows=given), "migrate", "--json", ESCROW, changed, "--flows", path)
        for wrong, says in (([{}], "instance 1: "), ([flows[0], {"flow": "x", "step": "y"}], "instance 2: "),
                            ([dict(flows[0], states={"A": "b"})], "unknown entity")):
            answer = old.diff(new, flows=wrong)
            self.assertEqual((answer.status, answer.code), (REJECTED, 1))
            self.assertIn(says, answer.message)

    def test_layout_is_that_of_fmt(self):
        for path in EXAMPLES:
            text = path.read_text().replace("\n", "\n\n").replace("  ", " ")
            answer = library.answer(library.Library.motet_format, library.Str.of(text), b"-")
            self.same(answer, "fmt", "-", stdin=text)
        broken = library.answer(library.Library.motet_format, library.Str.of("fact {"), b"x")
        self.assertEqual((broken.status, broken.code, broken.text), (REJECTED, 1, b""))
        self.assertIn("x:1:", broken.message)

    def test_options_that_are_wrong_are_said(self):
        contract = self.load(ESCROW)
        for command, given, says in (
                ("nonsense", {}, "no such command"),
                ("eval", {"fact": {}}, "did you mean `facts`?"),
                ("act", {"flow": "x"}, "`persona`"),
                ("act", {"persona": "p"}, "`flow` or `operation`"),
                ("analyze", {"only": "s9"}, "s1, s2"),
                ("draw", {"parts": "nonsense"}, "entities, authority"),
                ("ask", {"question": "nonsense"}, "nonsense"),
                ("test", {"name": "x"}, "`scenarios`"),
                ("test", {"scenarios": "", "number": 0}, "`number`"),
                ("explain", {"all": True}, "--verdict"),
                ("actions", {"persona": 7}, "`persona`")):
            answer = contract.ask(command, **given)
            self.assertEqual((answer.status, answer.code), (USAGE, 2), command)
            self.assertIn(says, answer.message)
            self.assertEqual(answer.text, b"")
        for raw in (b"[]", b"{", b"\xff", b'{"facts":' + b"[" * 5000):
            answer = library.answer(library.Library.motet_contract_ask, contract.handle, b"eval",
                                    library.Str.of(raw))
            self.assertEqual(answer.status, USAGE, raw[:20])

    def test_options_of_loading(self):
        text = "persona unused_one\n"
        contract, status = Contract.read({"a.tenor": text}, "a.tenor", limits={"source_bytes": 3})
        self.assertNotEqual(status, OK)
        contract.free()
        contract, status = Contract.read({"a.tenor": text}, "a.tenor", limits={"nonsense": 3})
        self.assertEqual(status, USAGE)
        self.assertIn("nonsense", contract.messages()[0])
        contract.free()
        contract, status = Contract.read({}, "a.tenor")
        self.assertEqual(status, library.NOTFOUND)
        self.assertIn("No such file", contract.messages()[0])
        contract.free()


CROSSOVER = SOURCE / "examples/crossover"
AGENTS = SOURCE / "examples/agents"


@unittest.skipIf(library.Library is None, "no shared library in this build")
class Graphs(Case):
    def load(self, parameters="{}", name="crossover.yaml", text=None):
        lib, handle = library.Library, library.ctypes.c_void_p()
        primitives = lib.motet_primitives_new()
        self.addCleanup(lib.motet_primitives_free, primitives)
        manifest = (CROSSOVER / "manifests/place_order.yaml").read_text()
        self.assertEqual(lib.motet_primitives_add(primitives, library.Str.of(manifest), None,
                                                  None), OK)
        text = library.Str.of(text or (CROSSOVER / "crossover.yaml").read_text())
        path = str(CROSSOVER / name).encode()
        root = library.File(path, text)
        status = lib.motet_graph_load_set(primitives, library.ctypes.byref(root), 1,
                                          library.Str.of(parameters), library.ctypes.byref(handle)) \
            if parameters != "{}" else lib.motet_graph_load(primitives, text, path, library.ctypes.byref(handle))
        self.addCleanup(lib.motet_graph_free, handle)
        return status, handle

    def graph(self, name="crossover.yaml", text=None, adapter=True, parameters=None):
        status, handle = self.load(json.dumps(parameters or {}), name, text)
        if status == OK and adapter:
            given = (CROSSOVER / "adapter.yaml").read_text()
            self.assertEqual(library.Library.motet_graph_adapt(
                handle, library.Str.of(given), str(CROSSOVER / "adapter.yaml").encode()), OK)
        return handle

    def ask(self, graph, command, given=b"", **options):
        return library.answer(library.Library.motet_graph_ask, graph, command.encode(),
                              library.options(options), library.Str.of(given))

    def words(self, command, *more):
        return ("graph", command, *more, "--adapter", CROSSOVER / "adapter.yaml")

    def events(self):
        made = self.run_motet("graph", "fixture", "import", CROSSOVER / "prices.csv",
                              "--semantic-kind", "price", "--at", "time")
        self.assertEqual(made.code, 0, made.err)
        return made.out_bytes

    def test_check_and_pictures_are_those_of_the_commands(self):
        graph, path = self.graph(), CROSSOVER / "crossover.yaml"
        result = self.run_motet(*self.words("check", path, "--json"))
        answer = self.ask(graph, "check")
        self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code))
        for form in ("json", "dot", "mermaid"):
            result = self.run_motet(*self.words("render", path, "--format", form))
            self.assertEqual(self.ask(graph, "draw", format=form).text, result.out_bytes)
        broken = self.graph(text=path.read_text().replace("edges", "edgez"))
        self.assertEqual(self.ask(broken, "check").code, 1)
        self.assertEqual(self.ask(broken, "run", b"").status, REJECTED)

    def test_a_run_its_capture_its_replay_and_another_graph(self):
        graph, path, events = self.graph(), CROSSOVER / "crossover.yaml", self.events()
        fixture, capture = self.write("events.jsonl", events), self.dir / "capture.json"
        shutil.copytree(CROSSOVER, self.dir / "crossover")  # its channel writes beside itself
        here = self.dir / "crossover"
        result = self.run_motet("graph", "run", here / "crossover.yaml", "--adapter",
                                here / "adapter.yaml", "--fixture", fixture, "--capture",
                                capture, "--egress", here / "egress.yaml", "--json", cwd=here)
        self.assertEqual(result.code, 0, result.err)
        answer = self.ask(graph, "run", events)
        self.assertEqual(answer.status, OK, answer.message)
        ours, theirs = answer.text.splitlines(), result.out_bytes.splitlines()
        self.assertEqual(ours[:-1], theirs[:-1])
        summary = json.loads(ours[-1])
        self.assertIsNone(summary.pop("capture"))
        self.assertEqual(summary, {k: v for k, v in json.loads(theirs[-1]).items()
                                   if k != "capture"})
        made = self.ask(graph, "run", events, capture=True).text
        replayed = self.ask(graph, "replay", made)
        self.assertEqual((replayed.code, json.loads(replayed.text)["verified"]), (0, True))
        kept = self.write("kept.json", made)
        result = self.run_motet(*self.words("replay", kept, "--graph", path, "--json"))
        self.assertEqual(replayed.text, result.out_bytes, result.err)
        forged = made.replace(b"Invoke", b"Defer", 1)
        self.assertEqual(self.ask(graph, "replay", forged).code, 1)
        self.assertEqual(self.ask(graph, "replay", made[:-20]).status, REJECTED)
        answer = library.answer(library.Library.motet_graph_whatif, None, graph,
                                library.Str.of(made))
        result = self.run_motet(*self.words("whatif", kept, path, "--json"))
        self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code))

    def test_one_event_of_a_replay_and_every_change_of_another_graph(self):
        graph, path = self.graph(), CROSSOVER / "crossover.yaml"
        made = self.ask(graph, "run", self.events(), capture=True).text
        kept = self.write("kept.json", made)
        ids = [e["event_id"] for e in json.loads(made)["events"]]
        answer = self.ask(graph, "replay", made, event=ids[3])
        self.assertEqual(answer.code, 0, answer.message)
        self.assertIn(f'"{ids[3]}"'.encode(), answer.text)
        self.assertNotIn(f'"{ids[4]}"'.encode(), answer.text)
        gone = self.ask(graph, "replay", made, event="nobody")
        self.assertEqual((gone.code, gone.message), (1, "the capture has no event 'nobody'"))
        other = path.read_text().replace("value: 0.0004", "value: 0.0")
        self.assertNotEqual(other, path.read_text())
        newer = self.write("crossover.yaml", other)
        shutil.copytree(CROSSOVER / "manifests", self.dir / "manifests")
        changed = library.answer(library.Library.motet_graph_whatif, graph, self.graph(text=other),
                                 library.Str.of(made))
        result = self.run_motet("graph", "whatif", kept, newer, "--adapter", CROSSOVER / "adapter.yaml",
                                "--graph", path, "--json")
        self.assertEqual(changed.code, 1, changed.message)
        self.assertGreater(len(changed.text.splitlines()), 1)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(changed.text, result.out_bytes)
        mine = library.answer(library.Library.motet_graph_whatif, self.graph(text=other), graph,
                              library.Str.of(made))
        self.assertEqual(mine.code, 1)
        self.assertIn("are not those of the capture", mine.message)
        bare = library.answer(library.Library.motet_graph_whatif, None,
                              self.graph(text=other, adapter=False), library.Str.of(made))
        self.assertEqual((bare.status, bare.code), (REJECTED, 1))
        self.assertFalse(json.loads(bare.text)["ok"])

    def test_a_look_at_any_event_says_what_the_replay_says_there(self):
        graph, path = self.graph(), CROSSOVER / "crossover.yaml"
        made = self.ask(graph, "run", self.events(), capture=True).text
        kept = self.write("kept.json", made)
        events = json.loads(made)["events"]
        line = {e["event_id"]: b'{"event_id":"%s","payload":%s}' % (e["event_id"].encode(), bytes(e["payload"]))
                for e in events}
        ids = [e["event_id"] for e in events]
        for event in (ids[0], ids[34], ids[-1]):
            replayed = self.run_motet(*self.words("replay", kept, "--graph", path, "--event", event, "--json"))
            looked = self.ask(graph, "look", line[event])
            self.assertEqual(looked.text, replayed.out_bytes.split(b"\n")[0] + b"\n")
            painted = self.run_motet(*self.words("render", path, "--format", "json", "--capture", kept,
                                                 "--event", event))
            self.assertEqual(self.ask(graph, "draw", line[event]).text, painted.out_bytes)
        many = self.ask(graph, "look", b"\n".join(line.values()), output="tight.result").text.split()
        self.assertEqual((len(many), set(many)), (len(ids), {b"true", b"false"}))
        gone = self.ask(graph, "look", line[ids[0]], output="tight.nothing")
        self.assertEqual((gone.status, gone.message), (USAGE, "no node has the output 'tight.nothing'"))
        self.assertEqual(self.ask(graph, "look", b"[]").status, USAGE)
        self.assertEqual(self.ask(graph, "draw", b'{"payload":{}}').status, USAGE)

    def test_a_parameter_or_an_event_decided_otherwise(self):
        graph, path = self.graph(), CROSSOVER / "crossover.yaml"
        made = self.ask(graph, "run", self.events(), capture=True).text
        kept = self.write("kept.json", made)
        wide = self.graph(parameters={"widest": 0.0008})
        result = self.run_motet(*self.words("whatif", kept, path, "--set", "widest=0.0008", "--json"))
        changed = library.answer(library.Library.motet_graph_whatif, graph, wide, library.Str.of(made))
        self.assertEqual((changed.text, changed.code), (result.out_bytes, 1))
        other = self.ask(wide, "whatif", made, capture=True)
        self.assertEqual(other.code, 0, other.message)
        self.assertEqual(json.loads(self.ask(wide, "replay", other.text).text)["verified"], True)
        self.assertEqual(len(json.loads(other.text)["events"]), 120)
        event = json.loads(made)["events"][40]
        payload = {**json.loads(bytes(event["payload"])), "close": 2.0}
        told = self.ask(graph, "whatif", made, instead={event["event_id"]: payload})
        self.assertEqual(told.code, 1)
        self.assertEqual(json.loads(told.text.split(b"\n")[0])["event"], 40)
        otherwise = self.ask(graph, "whatif", made, instead={event["event_id"]: payload}, capture=True).text
        self.assertIn(2.0, json.loads(bytes(json.loads(otherwise)["events"][41]["payload"]))["history"])
        self.assertEqual(self.ask(graph, "whatif", made).code, 0)
        odd = self.ask(graph, "whatif", made, instead={event["event_id"]: 3})
        self.assertEqual((odd.status, odd.message), (USAGE, "`instead`: 'csv_evt_41' is not a JSON object"))
        for bad in ("[]", "{", '{"widest": null}', '{"widest": []}'):
            self.assertEqual(self.load(bad)[0], USAGE)
        self.assertEqual(self.load('{"nobody": 1}')[0], REJECTED)

    def test_what_is_held_back_for_good_cannot_be_pumped(self):
        graph, events = self.graph(), self.events()
        answer = self.ask(graph, "run", events, pump=True, max_in_flight=0)
        self.assertEqual(answer.status, USAGE)
        self.assertIn("`pump` cannot let go what `max_in_flight` 0 holds back", answer.message)
        for options in ({"pump": True}, {"pump": True, "max_in_flight": 1}, {"max_in_flight": 0}):
            self.assertNotEqual(self.ask(graph, "run", events, **options).status, USAGE, options)

    def test_bad_events_are_refused_before_anything_runs(self):
        graph = self.graph()
        for raw in (b"", b"{", b"\xff\n", b'{"kind":"event"}\n', b"[" * 100000):
            answer = self.ask(graph, "run", raw)
            self.assertEqual((answer.status, answer.code), (REJECTED, 1), raw[:20])
            self.assertIn("fixture.", answer.message)
        for options in ({"max_per_window": 1}, {"rate_window": "soon"}, {"nonsense": 1}):
            self.assertEqual(self.ask(graph, "run", b"", **options).status, USAGE)


@unittest.skipIf(library.Library is None, "no shared library in this build")
class Agents(Case):
    def test_traces_of_all_scenarios_are_those_of_the_command(self):
        files = {str(p): p.read_text() for p in AGENTS.glob("*.yaml")}
        scenarios = sorted(AGENTS.glob("*.scenario.yaml"))
        self.assertGreater(len(scenarios), 5)
        for path in scenarios:
            provider = library.provider_of(files)
            for order in ("forward", "shuffled"):
                answer = library.answer(library.Library.motet_agent_trace,
                                        library.ctypes.byref(provider), str(path).encode(),
                                        library.options({"answers": order}))
                result = self.run_motet("agent", "trace", path, "--answers", order)
                self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code),
                                 answer.message)

    def test_dna_and_pictures_are_those_of_the_commands(self):
        for path in sorted(AGENTS.glob("*.yaml")):
            if ".scenario." in path.name:
                continue
            agent = self.agent(path.read_text(), path)
            for words, command, options in (
                    (("dna", "show", path), "dna", {}),
                    (("dna", "show", path, "--form", "sdk"), "dna", {"form": "sdk"}),
                    (("render", path, "--format", "mermaid"), "draw", {"format": "mermaid"})):
                answer = library.answer(library.Library.motet_agent_ask, agent,
                                        command.encode(), library.options(options))
                result = self.run_motet("agent", *words)
                self.assertEqual(answer.text, result.out_bytes, (words, answer.message))

    def test_the_harness_answers_as_the_command(self):
        lines = b"\n".join([b'{"op":"parse","route":"A --[f]--> B"}', b"{", b"",
                            b'{"op":"nonsense"}']) + b"\n"
        for mode in ("profile", "compat"):
            answer = library.answer(library.Library.motet_agent_harness, library.Str.of(lines),
                                    library.options({"mode": mode}))
            result = self.run_motet("agent", "harness", "--mode", mode, stdin=lines)
            self.assertEqual(answer.text, result.out_bytes)

    def agent(self, text, name):
        handle = library.ctypes.c_void_p()
        status = library.Library.motet_agent_load(library.Str.of(text), str(name).encode(),
                                                  library.ctypes.byref(handle))
        self.addCleanup(library.Library.motet_agent_free, handle)
        self.assertEqual(status, OK, library.Library.motet_agent_message(handle, 0).bytes)
        return handle

    ECHO = """
agent: echo
tape: {shape: many, start: [idle]}
handlers: {people: {command: [nobody]}}
receivers:
  - {name: hear, route: "idle --[heard]--> busy", handler: people.hear}
senders:
  - {name: say, route: "idle --[heard]--> busy", on_actions: [move], handler: people.say}
"""

    def actor(self, agent, handlers=None):
        actor = library.ctypes.c_void_p()
        status = library.Library.motet_actor_new(
            agent, library.ctypes.byref(handlers) if handlers else None,
            library.ctypes.byref(actor))
        self.addCleanup(library.Library.motet_actor_free, actor)
        self.assertEqual(status, OK)
        return actor

    def test_an_actor_asks_handlers_and_takes_its_state_up_again(self):
        lib, asked = library.Library, []

        def answer(question):
            asked.append(question)
            return {"action": "move", "trigger": "ok", "data": 7} \
                if question["call"] == "receive" else {"payload": {"said": question["cause"]}}

        handlers = library.handlers_of(answer)
        agent = self.agent(self.ECHO, "echo.yaml")
        first = self.actor(agent, handlers)
        self.assertEqual(lib.motet_actor_receive(first, library.Str.of('{"hello":1}'), 0), OK)
        self.assertEqual([q["function"] for q in asked], ["hear", "say"])
        self.assertEqual(asked[0]["payload"], {"hello": 1})
        sent = json.loads(lib.motet_actor_sends(first).bytes)["_payload"]
        self.assertEqual(sent, {"said": {"action": "MOVE", "data": 7, "trigger": "ok"}})
        self.assertEqual(json.loads(lib.motet_actor_tape(first).bytes), ["busy", "heard"])
        self.assertEqual(json.loads(lib.motet_actor_trace(first).bytes)["record"], "message")
        second = self.actor(agent)
        state = lib.motet_actor_state(first).bytes
        self.assertEqual(lib.motet_actor_restore(second, library.Str.of(state)), OK)
        self.assertEqual(lib.motet_actor_state(second).bytes, state)
        self.assertNotEqual(lib.motet_actor_restore(second, library.Str.of("{")), OK)
        self.assertTrue(lib.motet_actor_message(second).bytes)
        self.assertEqual(lib.motet_actor_state(second).bytes, state)

    CLOCK = """
agent: clock
tape: {shape: many, start: [idle]}
receivers: [{name: hear, route: idle, rules: [{do: test}]}]
senders: [{name: beat, route: idle, every_ms: 100, rules: [{message: {tick: 1}}]}]
"""

    def test_timed_senders_fire_when_their_time_has_come(self):
        lib, waits = library.Library, library.ctypes.c_int64()
        actor = self.actor(self.agent(self.CLOCK, "clock.yaml"))

        def tick(now):
            self.assertEqual(lib.motet_actor_tick(actor, now, library.ctypes.byref(waits)), OK)
            lines = lib.motet_actor_sends(actor).bytes.splitlines()
            return [json.loads(line)["_payload"] for line in lines], waits.value

        self.assertEqual(tick(1000), ([{"tick": 1}], 100))
        self.assertEqual(tick(1050), ([], 50))
        self.assertEqual(tick(1100), ([{"tick": 1}], 100))
        self.assertEqual(tick(5000), ([{"tick": 1}], 100))  # missed ones are not caught up

    def test_handlers_that_fail_fail_their_call_alone(self):
        lib = library.Library
        agent = self.agent(self.ECHO, "echo.yaml")
        for said in ({"error": "no"}, {"action": "fly"}, [], "x"):
            handlers = library.handlers_of(lambda _, said=said: said)
            actor = self.actor(agent, handlers)
            self.assertEqual(lib.motet_actor_receive(actor, library.Str.of("{}"), 0), OK)
            self.assertIn(b'"failed"', lib.motet_actor_trace(actor).bytes)
            self.assertEqual(json.loads(lib.motet_actor_tape(actor).bytes), ["idle"])
        actor = self.actor(agent)
        self.assertEqual(lib.motet_actor_receive(actor, library.Str.of("{}"), 0), OK)
        self.assertEqual(lib.motet_actor_sends(actor).bytes, b"")
        self.assertNotEqual(lib.motet_actor_receive(actor, library.Str.of(b"\xff"), 0), OK)


@unittest.skipIf(library.Library is None, "no shared library in this build")
class Evidence(Case):
    def verify(self, function, text, **options):
        return library.answer(function, library.Str.of(text), library.options(options))

    def test_ledgers_are_verified_as_by_the_command(self):
        path, key = SOURCE / "examples/ledger/escrow.ledger.jsonl", \
            SOURCE / "examples/ledger/executor.pub"
        text, public = path.read_bytes(), key.read_text()
        verify = library.Library.motet_ledger_verify
        for given, words, options in (
                (text, (), {}),
                (text, ("--key", key), {"keys": [public]}),
                (text.replace(b"seller", b"buyer", 1), ("--key", key), {"keys": [public]}),
                (b"".join(text.splitlines(True)[:-2]), ("--key", key), {"keys": [public]}),
                (text, ("--domain", "nowhere"), {"domain": "nowhere"}),
                (b"", ("--require-signature",), {"require_signature": True})):
            copy = self.write("ledger.jsonl", given)
            result = self.run_motet("ledger", "verify", copy, "--json", *words)
            answer = self.verify(verify, given, **options)
            self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code),
                             (words, answer.message, result.err))
        self.assertEqual(self.verify(verify, text, keys=["x"]).status, USAGE)
        self.assertEqual(self.verify(verify, text, witnesses=["x"]).status, USAGE)

    def test_receipts_are_verified_as_by_the_command(self):
        folder = SOURCE / "examples/receipts"
        key = folder / "executor.pub"
        public, verify = key.read_text(), library.Library.motet_receipt_verify
        other = "00" * 32
        for name in ("refused.json", "released.json"):
            text = (folder / name).read_bytes()
            for options, words in (({"keys": [public]}, ("--key", key)),
                                   ({"keys": [other]}, ("--key", other)),
                                   ({"keys": [public], "complete": True},
                                    ("--key", key, "--complete"))):
                result = self.run_motet("receipt", "verify", folder / name, "--json", *words)
                answer = self.verify(verify, text, **options)
                self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code))
        self.assertEqual(self.verify(verify, b"{}", keys=[public]).status, REJECTED)
        self.assertEqual(self.verify(verify, text).status, USAGE)

    def test_a_receipt_on_each_line_up_to_the_first_that_does_not_hold(self):
        folder = SOURCE / "examples/receipts"
        key = folder / "executor.pub"
        good = json.dumps(json.loads((folder / "released.json").read_text())) + "\n"
        bad = good.replace('"record": 6', '"record": 7', 1)
        self.assertNotEqual(good, bad)
        for text, count in ((good + good, 2), (good + good[:-1], 2), (good + bad + good, 2), ("{}\n" + good, 0),
                            (good + "\n" + good, 1)):
            with self.subTest(text[:40], count=count):
                lines = self.write("lines.json", text)
                result = self.run_motet("receipt", "verify", lines, "--json", "--key", key)
                answer = self.verify(library.Library.motet_receipt_verify, text.encode(), keys=[key.read_text()])
                self.assertEqual((answer.text, answer.code), (result.out_bytes, result.code), answer.message)
                self.assertEqual(len(answer.text.splitlines()), count)


if __name__ == "__main__":
    main()
