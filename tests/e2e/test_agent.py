"""motet agent trace, compare, route, routes, dna, statement, and the example agents."""
import hashlib
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
                                     {"intent": "register", "from": "alice", "to": None})
        self.assertIn("finished", tapes["handshake_initiator.yaml"][0][1])
        self.assertEqual(heard["handshake_responder.yaml"][-1]["content"]["intent"], "close")
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
        heard, tapes = self.converse("seller.yaml", "buyer.yaml",
                                     {"intent": "register", "from": "seller", "to": None})
        self.assertIn("bought", tapes["buyer.yaml"][0][1])
        self.assertIn("sold", tapes["seller.yaml"][0][1])
        said = [m["content"]["message"] for m in heard["seller.yaml"] if "message" in m["content"]]
        self.assertEqual([(m["status"], m["price"]) for m in said][-2:], [("resp_accept", 41)] * 2)
        self.assertEqual(heard["buyer.yaml"][-1]["content"]["intent"], "close")

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


# Says everything an agent file can say.
BEHAVES = """
agent: x
mode: profile
seed: s
tape: {shape: index-many, rule: add, start: {k: A}, when_empty: start}
memory: {n: 0}
handlers: {h: {command: [python3, h.py, -v], time_limit_ms: 100, restarts: 1, note: first}}
receivers:
  - {route: A --> B, name: r, rules: [{when: {content.n: {above: 3}}, do: move, trigger: big, data: {n: 1},
     remember: {x: 1}, count: {n: 1}}, {fail: why}]}
  - {route: B, name: outside, handler: h.f}
senders:
  - {route: A --> B, name: s, on_actions: [move], on_triggers: [big], multi: true, priority: [1], message: hello}
  - {route: A --> B, name: t, on_actions: [test], every_ms: 500, use_data: true}
hooks:
  - {direction: receive, name: d, when: {content: x}, drop: true}
  - {direction: receive, name: e, when: {content: y}, set: {a: 1}}
  - {direction: send, name: f, when: {content: y}, replace: z}
"""

# Signed when DNA named registrations only; its agent is {route: A, do: stay}.
SIGNED_BEFORE = """{"dna":{"profile":"summoner-standard-profile/0.1","registrations":[{"function":
"receiver0","kind":"receiver","module":"a","priority":[],"route":"A"}]},"pin":
"sha256:ab1f7aca2059e36b1863c5d75e9128d428bc7986aa1c9d2876fbabce2dc8e0e3","profile":
"summoner-standard-profile/0.1","public_key":
"25e2f5aa45a7eff67dc27553c96c2eec15639fd73e5cde95c6185eb1c9963a76","signature":
"6f0a2dcaa90348ab3165463cc0e849d58afbba9379ffb26bbb5501f27bc36d3e97b4b9e136e9f8129371a012a571984d8d46b12622e9b93620c99380c0b9d80f",
"version":"1"}"""


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

    def pin(self, path):
        return self.holds("agent", "dna", "pin", path).out

    def signature(self, path):
        if not (self.dir / "key").exists():
            self.holds("agent", "dna", "keygen", "key")
        return json.loads(self.holds("agent", "dna", "sign", path, "--key", "key").out)["signature"]

    def assert_seen(self, old, new, what):
        """The change shows in pin, diff and signature."""
        self.assertNotEqual(self.pin(old), self.pin(new), f"{what}: the same pin")
        self.assertNotEqual(self.run_motet("agent", "dna", "diff", old, new).out, "",
                            f"{what}: an empty diff")
        self.assertNotEqual(self.signature(old), self.signature(new), f"{what}: the same signature")

    def test_FA2_a_changed_rule_changes_pin_diff_and_signature(self):
        lazy = self.write("arrow.yaml", self.arrow.read_text().replace("do: move", "do: stay"))
        self.assert_seen(self.arrow, lazy, "do: stay for do: move")

    def test_FA2_changed_source_in_sdk_dna_changes_pin_diff_and_signature(self):
        entry = {"type": "receive", "route": "A", "route_key": "A", "priority": [],
                 "module": "m", "fn_name": "f", "source": "async def f(m): return Move(Trigger.ok)"}
        send = {"type": "send", "route": "A", "route_key": "A", "multi": False, "use_data": True,
                "data_mode": "live", "every": 1.5, "run_while_kind": "callable",
                "run_while_name": "m:w", "run_while_source": "def w(): return True",
                "when_data_kind": "none", "on_triggers": ["ok"], "on_actions": ["Move"],
                "source": "async def g(d): return d", "module": "m", "fn_name": "g"}
        upload = {"type": "upload_states", "source": "async def up(p): return ['A']",
                  "module": "m", "fn_name": "up"}
        context = {"type": "__context__", "var_name": "agent", "imports": [], "globals": {"N": 1},
                   "recipes": {}, "missing": []}
        whole = [context, upload, entry, send]
        old = self.write("old.json", json.dumps(whole))
        for at, key, value in ((2, "source", "async def f(m): return Stay(Trigger.ok)"),
                               (3, "source", "async def g(d): return None"), (3, "every", 2.5),
                               (3, "run_while_source", "def w(): return False"),
                               (3, "data_mode", "snapshot"), (3, "when_data_kind", "callable"),
                               (3, "a_key_of_later", 1), (1, "source", "async def up(p): return []"),
                               (0, "globals", {"N": 2})):
            changed = json.loads(json.dumps(whole))
            changed[at][key] = value
            self.assert_seen(old, self.write("new.json", json.dumps(changed)), f"{at} {key}")
        self.assertEqual(self.holds("agent", "dna", "diff", old, old).out, "")
        # Both forms keep all of it.
        for form in ("sdk", "profile"):
            again = self.write("again.json", self.holds("agent", "dna", "show", "--form", form,
                                                        old).out)
            self.assertEqual(self.pin(again), self.pin(old), form)

    def test_code_beside_a_source_like_ours_is_covered(self):
        """An entry that looks like one of ours in part keeps all that it says."""
        ours = {"type": "send", "route": "A", "route_key": "A", "multi": False, "use_data": True,
                "data_mode": "live", "every": 1.5, "run_while_kind": "callable",
                "run_while_value": None, "run_while_name": None, "run_while_source": '{"memory.n":1}',
                "when_data_kind": "none", "on_triggers": ["ok"], "on_actions": ["Move"],
                "source": '{"rules":[{"message":1}]}', "module": "m", "fn_name": "g"}
        old = self.write("old.json", json.dumps([ours]))
        for key, value in (("when_data_source", "def w(d): return True"), ("data_mode", "snapshot"),
                           ("a_key_of_later", 1), ("run_while_kind", "none"), ("run_while_name", "w"),
                           ("run_while_value", True), ("run_while_source", '{"memory.n":2}')):
            new = self.write("new.json", json.dumps([{**ours, key: value}]))
            self.assert_seen(old, new, f"{key}: {value}")
            again = self.write("again.json", self.holds("agent", "dna", "show", new).out)
            self.assertEqual(self.pin(again), self.pin(new), key)

    def test_every_ms_has_its_bounds_in_files_and_in_dna(self):
        bounds = "`every_ms` must be a whole number from 1 to 1000000000"
        for value, fault in ((1, None), (1000000000, None), (0, bounds), (-1, bounds),
                             (1000000001, bounds), (1.5, bounds), (2 ** 63, bounds),
                             ("soon", "`every_ms` must be a whole number, not text")):
            path = self.write("timed.yaml", BEHAVES.replace("every_ms: 500", f"every_ms: {value}"))
            if not fault:
                whole = json.loads(self.holds("agent", "dna", "show", path).out)
                self.assertIn(value, [r.get("every_ms") for r in whole["registrations"]])
                continue
            self.assertIn(f"error[AG101]: {fault}\n", self.fails(1, "agent", "dna", "show", path).err)
            for r in whole["registrations"]:
                if "every_ms" in r:
                    r["every_ms"] = value
            self.assertIn(fault, self.fails(
                1, "agent", "dna", "show", self.write("timed.json", json.dumps(whole))).err)

    def test_what_a_pin_does_not_cover_is_refused(self):
        whole = json.loads(self.holds("agent", "dna", "show", self.write("agent.yaml", BEHAVES)).out)
        kinds = {r["kind"]: n for n, r in enumerate(whole["registrations"])}
        self.assertEqual(set(kinds), {"receiver", "sender", "hook"})
        for at, key in ((None, "more"), ("receiver", "code"), ("receiver", "every_ms"),
                        ("sender", "direction"), ("hook", "route")):
            changed = json.loads(json.dumps(whole))
            (changed["registrations"][kinds[at]] if at else changed)[key] = 1
            path = self.write("new.json", json.dumps(changed))
            self.assertIn(f"AG217]: `{key}`", self.fails(1, "agent", "dna", "pin", path).err)
        self.write("new.json", json.dumps(whole))
        self.holds("agent", "dna", "pin", "new.json")

    def test_FA2_everything_an_agent_file_says_is_covered(self):
        self.write("h.py", "print(1)\n")
        old = self.write("agent.yaml", BEHAVES)
        for before, after in (("do: move", "do: test"), ("above: 3", "above: 4"),
                              ("trigger: big", "trigger: huge"), ("data: {n: 1}", "data: {n: 2}"),
                              ("remember: {x: 1}", "remember: {x: 2}"), ("count: {n: 1}", "count: {n: 2}"),
                              ("message: hello", "message: bye"), ("every_ms: 500", "every_ms: 501"),
                              ("use_data: true", "use_data: false"), ("multi: true", "multi: false"),
                              ("on_actions: [move]", "on_actions: [stay]"),
                              ("on_triggers: [big]", "on_triggers: [ok]"),
                              ("priority: [1]", "priority: [2]"), ("drop: true", "drop: false"),
                              ("set: {a: 1}", "set: {a: 2}"), ("replace: z", "replace: y"),
                              ("fail: why", "fail: because"), ("handler: h.f", "handler: h.g"),
                              ("[python3, h.py, -v]", "[python3, h.py, -q]"),
                              ("time_limit_ms: 100", "time_limit_ms: 101"),
                              ("restarts: 1", "restarts: 2"), ("seed: s", "seed: t"),
                              ("memory: {n: 0}", "memory: {n: 1}"), ("start: {k: A}", "start: {k: B}"),
                              ("rule: add", "rule: replace"), ("mode: profile", "mode: compat"),
                              ("when_empty: start", "when_empty: no"), ("agent: x", "agent: y"),
                              ("shape: index-many", "shape: index-single")):
            self.assertIn(before, BEHAVES)
            new = self.write("new/agent.yaml", BEHAVES.replace(before, after))
            self.write("new/h.py", "print(1)\n")
            self.assert_seen(old, new, f"{after} for {before}")
        # The same, said otherwise, is the same.
        same = self.write("new/agent.yaml", BEHAVES.replace("note: first", "note: second"))
        self.assertEqual(self.pin(same), self.pin(old))

    def test_FA2_the_files_a_handler_is_made_of_are_covered(self):
        old, new = ((self.write(f"{d}/agent.yaml", BEHAVES), self.write(f"{d}/h.py", text))[0]
                    for d, text in (("one", "print(1)\n"), ("two", "print(2)\n")))
        self.assert_seen(old, new, "a handler's file")
        document = json.loads(self.holds("agent", "dna", "show", old).out)
        files = [e["behaviour"]["files"] for e in document["registrations"]
                 if "command" in e["behaviour"]]
        digest = hashlib.sha256(b"print(1)\n").hexdigest()
        self.assertEqual(files, [{"h.py": f"sha256:{digest}"}])  # the program, the option: words

    def test_run_while_is_covered(self):
        timed = BEHAVES.replace("every_ms: 500", "every_ms: 500, run_while: {memory.n: {below: 9}}")
        timed = timed.replace("priority: [1], ", "")  # the SDK's senders have none
        old = self.write("agent.yaml", timed)
        for run_while in ("{memory.n: {below: 8}}", "true", "false"):
            new = self.write("new/agent.yaml", timed.replace("{memory.n: {below: 9}}", run_while))
            self.assert_seen(old, new, f"run_while: {run_while}")
            for form in ("sdk", "profile"):
                shown = self.write("shown.json", self.holds("agent", "dna", "show", "--form", form,
                                                            new).out)
                self.assertEqual(self.holds("agent", "dna", "diff", shown, new).out, "")

    def test_a_handlers_file_that_cannot_be_read_is_no_file_left_out(self):
        agent = self.write("agent.yaml", BEHAVES)
        with open(self.write("h.py", ""), "wb") as file:
            file.truncate((64 << 20) + 1)
        self.assertIn("h.py", self.fails(3, "agent", "dna", "pin", agent).err)

    def test_registrations_that_do_not_say_what_they_do_are_counted(self):
        whole = json.loads(self.holds("agent", "dna", "show", self.write("agent.yaml", BEHAVES)).out)
        said = [n for n, r in enumerate(whole["registrations"]) if "behaviour" in r]
        self.assertEqual({whole["registrations"][n]["kind"] for n in said}, {"receiver", "sender", "hook"})
        for n in said:
            changed = json.loads(json.dumps(whole))
            del changed["registrations"][n]["behaviour"]
            path = self.write("new.json", json.dumps(changed))
            self.assertIn("do not say what they do: 1;", self.holds("agent", "dna", "pin", path).err)

    def test_compat_agents_are_named_by_their_order_too(self):
        one, two = "  - {route: A, name: a, do: stay}\n", "  - {route: B, name: b, do: stay}\n"
        files = [self.write(f"{d}/agent.yaml", "mode: compat\nagent: x\nreceivers:\n" + text)
                 for d, text in (("1", one + two), ("2", two + one))]
        self.assert_seen(*files, "order of registration")

    def test_documents_of_the_first_form_are_read_and_not_believed(self):
        document = json.loads(SIGNED_BEFORE)
        agent = self.write("a.yaml", "agent: a\nreceivers: [{route: A, do: stay}]\n")
        err = self.fails(1, "agent", "dna", "verify", self.write("old.json", SIGNED_BEFORE)).err
        self.assertIn("covers registrations only", err)
        bare = self.write("bare.json", json.dumps(document["dna"]))
        self.assertIn("do not say what they do: 1", self.holds("agent", "dna", "pin", bare).err)
        self.assertIn("old document does not say", self.fails(1, "agent", "dna", "diff", bare,
                                                              agent).out)
        result = self.holds("agent", "dna", "diff", bare, bare)
        self.assertEqual(result.out, "")
        self.assertIn("not compared", result.err)
        self.holds("agent", "dna", "keygen", "key")
        signed = self.write("new.json", self.holds("agent", "dna", "sign", agent, "--key", "key").out)
        self.assertIn("pin of the first form", self.fails(1, "agent", "dna", "verify", signed,
                                                          "--pin", document["pin"]).err)

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
