"""motet agent trace, compare, route, routes, dna, statement, and the example agents."""
import json
import os
import stat

from harness import SOURCE, Case, main

EXAMPLES = SOURCE / "examples" / "agents"
UPDATE = bool(os.environ.get("MOTET_UPDATE_GOLDEN"))
PROFILE = "summoner-standard-profile/0.1"


def messages(trace):
    records = [json.loads(line) for line in trace.splitlines()]
    return [record for record in records if record["record"] == "message"]


def emissions(message):
    return [e["payload"] for s in message["senders"] for e in s["emissions"] if not e["dropped"]]


class Traces(Case):
    def test_every_example_gives_its_trace(self):
        scenarios = sorted(EXAMPLES.glob("*.scenario.yaml"))
        self.assertTrue(scenarios)
        for path in scenarios:
            with self.subTest(path.name):
                golden = EXAMPLES / "traces" / path.name.replace(".scenario.yaml", ".jsonl")
                got = self.holds("agent", "trace", path).out
                if UPDATE:
                    golden.write_text(got)
                self.assertEqual(got, golden.read_text())

    def test_the_order_of_answers_and_repetition_change_nothing(self):
        for path in sorted(EXAMPLES.glob("*.scenario.yaml")):
            once = self.holds("agent", "trace", path).out_bytes
            for order in ("forward", "reverse", "shuffled"):
                again = self.holds("agent", "trace", path, "--answers", order).out_bytes
                self.assertEqual(once, again, f"{path.name} {order}")

    def test_the_header_says_what_the_trace_is(self):
        out = self.holds("agent", "trace", EXAMPLES / "arrow.scenario.yaml").out
        header = json.loads(out.splitlines()[0])
        self.assertEqual(header["profile"], PROFILE)
        self.assertEqual(header["mode"], "profile")
        self.assertEqual(header["tape_rule"], "replace")
        self.assertEqual(header["nondeterminism"], [])
        self.assertIn("receivers", header["compared"])

    def test_the_arrow_moves_and_stays(self):
        out = self.holds("agent", "trace", EXAMPLES / "arrow.scenario.yaml").out
        tapes = [m["tape_after"] for m in messages(out)]
        self.assertEqual(tapes, [["A"], ["B", "f"], [], ["A"]])

    def test_the_supply_chain_reports_its_exception(self):
        out = self.holds("agent", "trace", EXAMPLES / "supply_chain.scenario.yaml").out
        report = emissions(messages(out)[-1])
        self.assertEqual(report, [{"report": "closed", "source": "f", "intent": "p",
                                   "exception": True}])

    def converse(self, first, second, opening, limit=60):
        """Lets two agent files talk; returns what each has heard and their last tapes."""
        heard, tapes, queue = {first: [], second: []}, {}, [(second, opening)]
        while queue and limit:
            limit -= 1
            to, content = queue.pop(0)
            heard[to].append({"content": content})
            path = self.write("talk.json", json.dumps(
                {"agent": str(EXAMPLES / to), "messages": heard[to]}))
            last = messages(self.holds("agent", "trace", path).out)[-1]
            tapes[to] = last["tape_after"]
            other = first if to == second else second
            queue += [(other, payload) for payload in emissions(last)]
        self.assertFalse(queue, "the conversation does not end")
        return heard, tapes

    def test_the_handshake_pair_finishes(self):
        heard, tapes = self.converse("handshake_initiator.yaml", "handshake_responder.yaml",
                                     {"intent": "register", "from": "alice"})
        self.assertIn("finished", tapes["handshake_initiator.yaml"][0][1])
        self.assertIn("finished", tapes["handshake_responder.yaml"][0][1])
        nonces = [m["content"]["my_nonce"] for m in heard["handshake_initiator.yaml"]
                  if "my_nonce" in m["content"]]
        self.assertEqual(len(nonces), len(set(nonces)), "a nonce was used twice")

    def test_a_replayed_or_foreign_message_is_dropped(self):
        scenario = {"agent": str(EXAMPLES / "handshake_responder.yaml"), "messages": [
            {"content": {"intent": "register", "from": "alice"}},
            {"content": {"intent": "request", "from": "alice", "to": "bob",
                         "your_nonce": "0000000000", "my_nonce": "1"}},
            {"content": {"intent": "request", "from": "alice", "to": "carol"}},
            {"content": "Warning: Server is shutting down."}]}
        out = self.holds("agent", "trace", self.write("s.json", json.dumps(scenario))).out
        self.assertEqual([m["fate"] for m in messages(out)],
                         ["finished", "dropped", "dropped", "dropped"])

    def test_buyer_and_seller_agree_on_a_price(self):
        heard, tapes = self.converse("buyer.yaml", "seller.yaml",
                                     {"intent": "register", "from": "buyer"})
        self.assertIn("bought", tapes["buyer.yaml"][0][1])
        self.assertIn("sold", tapes["seller.yaml"][0][1])
        receipt = heard["buyer.yaml"][-1]["content"]
        self.assertEqual((receipt["intent"], receipt["price"]), ("receipt", 59))

    def test_faults_of_a_scenario_point_at_their_place(self):
        path = self.write("bad.yaml", "agent:\n  receivers:\n    - route: A B\n      do: jump\n"
                                      "messages: [{}]\n")
        result = self.fails(1, "agent", "trace", path)
        self.assertIn("bad.yaml:3:", result.err)
        for code in ("AG110", "AG121", "AG302"):
            self.assertIn(code, result.err)

    def test_a_missing_file_is_the_worlds_fault(self):
        self.fails(3, "agent", "trace", "nowhere.yaml")

    def test_external_handlers_that_nobody_runs_fail_alone(self):
        path = self.write("x.json", json.dumps({"agent": {
            "tape": {"start": ["A"]}, "handlers": {"py": {"command": ["python3", "x.py"]}},
            "receivers": [{"name": "out", "route": "A-->B", "handler": "py.f"},
                          {"name": "in", "route": "A-->C", "do": "move"}]},
            "messages": [{"content": 1}]}))
        one = messages(self.holds("agent", "trace", path).out)[0]
        self.assertEqual([r["failed"] is not None for r in one["receivers"]], [True, False])
        self.assertEqual(one["tape_after"], ["C"])


class Compare(Case):
    def trace(self, name):
        return self.write(name + ".jsonl",
                          self.holds("agent", "trace", EXAMPLES / (name + ".scenario.yaml")).out)

    def test_a_trace_agrees_with_itself(self):
        a = self.trace("arrow")
        self.assertIn("agree", self.holds("agent", "compare", a, a).out)

    def test_direct_step_and_composed_path_end_alike(self):
        a, b = self.trace("triangle"), self.trace("triangle_direct")
        self.holds("agent", "compare", "--final", a, b)
        result = self.fails(1, "agent", "compare", a, b)
        self.assertIn("message 2, receivers[0].action", result.out)

    def test_a_projection_tests_one_layer(self):
        a, b = self.trace("supply_chain"), self.trace("supply_chain_combined")
        self.fails(1, "agent", "compare", "--final", a, b)
        self.holds("agent", "compare", "--only", "Z", "--final", a, b)
        text = a.read_text().replace('"eta_f"', '"mu_f"')
        c = self.write("c.jsonl", text)
        self.fails(1, "agent", "compare", "--only", "eta_f,mu_f", a, c)
        self.holds("agent", "compare", "--only", "A,B,C,D", a, c)

    def test_what_is_no_trace_is_refused(self):
        a = self.trace("arrow")
        self.assertIn("line 1", self.fails(1, "agent", "compare", a, self.write("x", "{}\n")).err)
        cut = self.write("cut", "".join(a.read_text().splitlines(True)[:-1]))
        self.assertIn("no end", self.fails(1, "agent", "compare", cut, a).err)


class Routes(Case):
    def test_a_route_is_explained(self):
        out = json.loads(self.holds("agent", "route", "--json", "A,B --[ f ]--> /not(C)").out)
        self.assertEqual(out["profile"], PROFILE)
        self.assertEqual(out["routes"][0], {"canonical": "A,B--[f]-->/not(C)", "kind": "arrow",
                                            "source": ["A", "B"], "label": ["f"],
                                            "target": ["/not(C)"]})

    def test_two_routes_are_equivalent_or_not(self):
        self.holds("agent", "route", "A --> B", "A--[]-->B")
        self.assertIn("not equivalent", self.fails(1, "agent", "route", "A", "B").out)

    def test_a_malformed_route_is_shown_with_a_caret(self):
        result = self.fails(1, "agent", "route", "A --[f--> B")
        self.assertIn("character 7", result.err)
        self.assertIn("    A --[f--> B\n          ^\n", result.err)

    def test_routes_lists_the_surface(self):
        out = self.holds("agent", "routes", EXAMPLES / "arrow.yaml").out
        self.assertIn("A--[f]-->B", out)
        self.assertEqual(len(out.splitlines()), 9)


class Dna(Case):
    def setUp(self):
        super().setUp()
        self.arrow = EXAMPLES / "arrow.yaml"

    def test_dna_is_deterministic_and_round_trips(self):
        once = self.holds("agent", "dna", "show", self.arrow).out
        document = self.write("a.json", once)
        self.assertEqual(self.holds("agent", "dna", "show", document).out, once)
        self.assertEqual(json.loads(once)["profile"], PROFILE)
        for entry in json.loads(once)["registrations"]:
            self.assertLessEqual({"kind", "priority", "module", "function"}, set(entry))

    def test_the_sdk_form_is_the_existing_array(self):
        text = self.holds("agent", "dna", "show", "--form", "sdk", self.arrow).out
        entries = json.loads(text)
        self.assertEqual({e["type"] for e in entries}, {"receive", "send"})
        sdk = self.write("sdk.json", text)
        self.assertEqual(self.holds("agent", "dna", "diff", sdk, self.arrow).out, "")

    def test_changes_are_breaking_or_not(self):
        document = json.loads(self.holds("agent", "dna", "show", self.arrow).out)
        entries = document["registrations"]
        old = self.write("old.json", json.dumps(document))
        more = dict(entries[0], route="Z", function="extra")
        new = self.write("new.json", json.dumps(dict(document, registrations=entries + [more])))
        self.assertIn("+ ok", self.holds("agent", "dna", "diff", old, new).out)
        self.assertIn("- BREAKING", self.fails(1, "agent", "dna", "diff", new, old).out)
        wider = [dict(e, on_actions=None) if e["kind"] == "sender" else e for e in entries]
        wide = self.write("wide.json", json.dumps(dict(document, registrations=wider)))
        self.assertIn("~ ok", self.holds("agent", "dna", "diff", old, wide).out)
        self.assertIn("~ BREAKING", self.fails(1, "agent", "dna", "diff", wide, old).out)

    def test_merging_keeps_each_once_and_names_conflicts(self):
        other = EXAMPLES / "triangle.yaml"
        merged = json.loads(self.holds("agent", "dna", "merge", self.arrow, other, self.arrow).out)
        self.assertEqual(len(merged["registrations"]), 9 + 5)
        document = json.loads(self.holds("agent", "dna", "show", self.arrow).out)
        document["registrations"][0]["route"] = "Q"
        clash = self.write("clash.json", json.dumps(document))
        self.assertIn("differ", self.fails(1, "agent", "dna", "merge", self.arrow, clash).err)

    def test_signed_dna_verifies_and_any_change_is_caught(self):
        public = self.holds("agent", "dna", "keygen", "key").out.strip()
        key = self.dir / "key"
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        signed = self.holds("agent", "dna", "sign", self.arrow, "--key", key, "--version",
                            "1.2").out
        pin = self.holds("agent", "dna", "pin", self.arrow).out.strip()
        path = self.write("signed.json", signed)
        self.holds("agent", "dna", "verify", path, "--key", public, "--pin", pin, "--version",
                   "1.2")
        self.assertEqual(self.holds("agent", "dna", "show", path).out,
                         self.holds("agent", "dna", "show", self.arrow).out)
        for old, new in (("arrow_f", "arrow_g"), ('"1.2"', '"1.3"'), (pin[-8:], "0" * 8),
                         (json.loads(signed)["signature"][:8], "0" * 8)):
            broken = self.write("broken.json", signed.replace(old, new))
            self.fails(1, "agent", "dna", "verify", broken)
        self.fails(1, "agent", "dna", "verify", path, "--key", "00" * 32)
        self.fails(1, "agent", "dna", "verify", path, "--pin", "sha256:0")
        self.assertNotIn(key.read_text().strip(), signed)

    def test_bad_dna_is_refused_with_its_place(self):
        path = self.write("bad.json", '{"profile": "summoner-standard-profile/0.1",\n'
                                      ' "registrations": [{"kind": "receiver", "route": "A B",\n'
                                      '  "function": "f", "priority": ["x"]}]}')
        err = self.fails(1, "agent", "dna", "validate", path).err
        self.assertIn("AG203", err)
        self.assertIn("AG202", err)
        other = self.write("other.json", '{"profile": "other/1", "registrations": []}')
        self.assertIn("AG210", self.fails(1, "agent", "dna", "validate", other).err)


class Statement(Case):
    def test_the_statement_is_machine_readable(self):
        out = json.loads(self.holds("agent", "statement").out)
        self.assertEqual(out["profile"], PROFILE)
        self.assertEqual(len(out["tape_shapes"]), 4)
        self.assertEqual(out["declared_nondeterminism"], [])
        self.assertTrue(out["conformance_mode_forces_schedule"])
        self.assertEqual(set(out["modes"]), {"profile", "compat"})


main()
