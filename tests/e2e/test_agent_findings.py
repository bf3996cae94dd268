"""Agents: what did not hold once, each test named after its finding (FA3 to FA15)."""
import json

from conversants import Both, Buyer, Seller, Thread
from harness import SOURCE, main
from wire import Peer, Process, WireCase, wait_until

EXAMPLES = SOURCE / "examples" / "agents"


class Findings(WireCase):
    def ask(self, *questions, mode="compat"):
        """Answers of the harness."""
        lines = "".join(json.dumps(q) + "\n" for q in questions)
        out = self.holds("agent", "harness", "--mode", mode, stdin=lines).out
        return [json.loads(line) for line in out.splitlines()]

    def trace(self, scenario):
        """The records of a scenario's messages."""
        path = self.write("scenario.json", json.dumps(scenario))
        records = map(json.loads, self.holds("agent", "trace", path).out.splitlines())
        return [r for r in records if r["record"] == "message"]

    def sent(self, agent, messages=("x",)):
        """What a compat agent sends, message by message."""
        records = self.trace({"scenario": "s", "agent": {"mode": "compat", **agent},
                              "messages": [{"from": "h:1", "content": m} for m in messages]})
        return [[e["payload"] for s in r["senders"] for e in s["emissions"]] for r in records]

    # ---- FA3, FA5, FA6: which handlers run ----

    def test_FA3_an_empty_filter_beside_another_never_fires(self):
        for actions, triggers, fires in (([], ["ok"], False), (["move"], [], False),
                                         ([], [], True), (["move"], ["ok"], True),
                                         (None, ["ok"], True), (["move"], None, True),
                                         ([], None, True), (None, [], True)):
            sender = {"route": "A", "message": "said"}
            sender |= {} if actions is None else {"on_actions": actions}
            sender |= {} if triggers is None else {"on_triggers": triggers}
            agent = {"tape": {"start": ["A"]}, "receivers": [{"route": "A", "do": "move"}],
                     "senders": [sender]}
            with self.subTest(actions=actions, triggers=triggers):
                self.assertEqual(self.sent(agent), [["said"] if fires else []])

    def test_FA3_in_dna_of_the_sdk_an_empty_list_is_no_filter(self):
        entry = {"type": "send", "route": "A", "on_actions": [], "on_triggers": ["ok"],
                 "module": "m", "fn_name": "f", "source": "s"}
        path = self.write("dna.json", json.dumps([entry]))
        shown = json.loads(self.holds("agent", "dna", "show", path).out)["registrations"][0]
        self.assertIsNone(shown["on_actions"])
        self.assertEqual(shown["on_triggers"], ["ok"])

    def test_FA5_a_timed_sender_without_filters_is_not_called_by_messages(self):
        agent = {"tape": {"start": ["A"]}, "receivers": [{"route": "A", "do": "stay"}],
                 "senders": [{"route": "A", "every_ms": 1000, "message": "tick"},
                             {"route": "A", "message": "each time"}]}
        self.assertEqual(self.sent(agent, ("x", "y")), [["each time"]] * 2)
        said = json.loads(self.holds("agent", "statement").out)["modes"]["compat"]["runtime"]
        self.assertTrue(any("once per message" in line for line in said), said)

    def test_FA6_with_flow_off_routes_are_labels_as_written(self):
        agent = {"flow": False, "tape": {"start": ["A"]}, "senders": [],
                 "receivers": [{"name": "one", "route": "A --> B", "do": "move"},
                               {"name": "two", "route": "A-->B", "do": "move"},
                               {"name": "three", "route": "no route", "do": "move"}]}
        record, = self.trace({"scenario": "s", "agent": {"mode": "compat", **agent},
                              "messages": [{"from": "h:1", "content": "x"}]})
        self.assertEqual([r["name"] for r in record["receivers"]], ["one", "two", "three"])
        cycle = {"op": "cycle", "flow": False, "tape": None, "messages": ["x"],
                 "receivers": [{"route": "A --> B"}, {"route": "A-->B"}, {"route": " A-->B "}]}
        answer, = self.ask(cycle)
        self.assertEqual([e["name"] for e in answer["trace"] if e["ev"] == "receive"],
                         ["recv0", "recv2"])
        # What is written differently is another agent.
        paths = [self.write(f"{i}.yaml", json.dumps({"mode": "compat", "flow": False, "agent": "a",
                 "receivers": [{"name": n, "route": r, "do": "move"} for n, r in zip("xy", routes)]}))
                 for i, routes in enumerate((("A --> B", "A-->B"), ("A-->B", "A-->B")))]
        pins = {self.holds("agent", "dna", "pin", p).out for p in paths}
        self.assertEqual(len(pins), 2)
        self.assertIn("a label: flow is off", self.holds("agent", "routes", paths[0]).out)

    # ---- FA4, FA7, FA13: DNA ----

    def test_FA4_what_sdk_dna_says_of_time_and_data_is_kept(self):
        entry = {"type": "send", "route": "A", "route_key": "A", "multi": False, "use_data": True,
                 "data_mode": "snapshot", "every": 0.0005, "run_while_kind": "callable",
                 "run_while_value": None, "run_while_name": "m:go",
                 "run_while_source": "def go(): return True", "when_data_kind": "callable",
                 "when_data_value": None, "when_data_name": "m:big",
                 "when_data_source": "def big(d): return d > 3", "on_triggers": ["ok"],
                 "on_actions": ["Move"], "source": "async def f(d): return d", "module": "m",
                 "fn_name": "f"}
        for change in ({}, {"every": 2.5}, {"every": None}, {"run_while_kind": "bool",
                       "run_while_value": False, "run_while_name": None, "run_while_source": None},
                       {"data_mode": "live"}):
            whole = [entry | change]
            path = self.write("dna.json", json.dumps(whole))
            self.assertEqual(json.loads(self.holds("agent", "dna", "show", "--form", "sdk",
                                                   path).out), whole)
            # By way of our own form, too.
            ours = self.write("ours.json", self.holds("agent", "dna", "show", path).out)
            self.assertEqual(json.loads(self.holds("agent", "dna", "show", "--form", "sdk", ours).out), whole)
            self.assertEqual(self.holds("agent", "dna", "pin", ours).out, self.holds("agent", "dna", "pin", path).out)

    def test_FA4_an_agent_and_its_own_export_do_not_differ(self):
        timed = self.write("timed.yaml", """
agent: timed
tape: {start: [A]}
receivers: [{name: r, route: A, do: move, data: 1}]
senders:
  - {name: a, route: A, every_ms: 1500, on_actions: [move], run_while: {memory.n: 1}, message: 1}
  - {name: b, route: A, every_ms: 10, run_while: false, message: 1, priority: [2]}
  - {name: c, route: A, every_ms: 10, use_data: true, on_triggers: [ok], priority: [1, 2]}
  - {name: d, route: A, use_data: true, data_mode: snapshot, when_data: {data: 1}, on_actions: [move], message: 1}
""")
        said = {s["function"]: s for s in json.loads(self.holds("agent", "dna", "show", timed).out)["registrations"]}
        self.assertEqual((said["d"]["data_mode"], said["d"]["when_data"]), ("snapshot", {"data": 1}))
        self.assertEqual((said["a"]["every_ms"], said["a"]["run_while"]), (1500, {"memory.n": 1}))
        other = self.write("other.yaml", timed.read_text().replace("data_mode: snapshot", "data_mode: live"))
        self.assertIn("sender A timed.d", self.fails(1, "agent", "dna", "diff", timed, other).out)
        for path in (timed, *sorted(EXAMPLES.glob("*.yaml"))):
            if "scenario" in path.name:
                continue
            export = self.write("export.json", self.holds("agent", "dna", "show", "--form", "sdk",
                                                          path).out)
            self.assertEqual(self.holds("agent", "dna", "diff", path, export).out, "", path)

    def test_FA7_a_route_that_does_not_parse_is_kept_as_written(self):
        for kind in ({"type": "receive", "priority": []}, {"type": "send", "multi": False, "on_triggers": None,
                                                            "on_actions": ["Move"]}):
            with self.subTest(kind["type"]):
                self.kept_as_written(kind)

    def kept_as_written(self, kind):
        def dna(route):
            entry = kind | {"route": route, "route_key": "badroute", "source": "s", "module": "m", "fn_name": "f"}
            return self.write("dna.json", json.dumps([entry]))
        pins = set()
        for route, parsed in (("bad route", False), ("badroute", True)):
            path = dna(route)
            pins.add(self.holds("agent", "dna", "pin", path).out)
            sdk = json.loads(self.holds("agent", "dna", "show", "--form", "sdk", path).out)[0]
            self.assertEqual((sdk["route"], sdk["route_key"]), (route, "badroute"))
            ours = json.loads(self.holds("agent", "dna", "show", path).out)
            self.assertEqual(ours["registrations"][0]["route"], route)
            self.assertEqual("unparsed" in ours["registrations"][0], not parsed)
            again = self.write("again.json", json.dumps(ours))
            self.assertIn(self.holds("agent", "dna", "pin", again).out, pins)
        self.assertEqual(len(pins), 2)
        # A profile agent cannot have it, nor DNA that does not say so.
        file = self.write("a.yaml", "agent: a\nreceivers: [{route: bad route, do: move}]\n")
        self.assertIn("AG110", self.fails(1, "agent", "routes", file).err)
        del ours["registrations"][0]["behaviour"]
        ours["registrations"][0]["route"] = "bad route"
        path = self.write("forged.json", json.dumps(ours))
        self.assertIn("AG203", self.fails(1, "agent", "dna", "pin", path).err)

    def test_FA7_whether_a_route_is_parsed_shows_in_a_diff(self):
        base = {"format": "motet-agent-dna/2", "profile": "summoner-standard-profile/0.1"}
        one = {"kind": "receiver", "route": "A", "priority": [], "module": "m", "function": "f"}
        paths = [self.write(name, json.dumps(base | {"registrations": [one | more]}))
                 for name, more in (("a.json", {}), ("b.json", {"unparsed": True}))]
        self.assertIn("BREAKING", self.fails(1, "agent", "dna", "diff", *paths).out)

    def test_FA13_the_harness_answers_as_the_sdk_does(self):
        tree = {"ok": None}
        rows = [({"actions": None, "triggers": None, "action": "MOVE", "trigger": "ok"}, True, False),
                ({"actions": None, "triggers": None, "action": "NONE", "trigger": None}, True, False),
                ({"actions": [], "triggers": None, "action": "MOVE", "trigger": "ok"}, False, False),
                ({"actions": [], "triggers": ["ok"], "action": "MOVE", "trigger": "ok"}, False, True),
                ({"actions": None, "triggers": ["ok"], "action": "NONE", "trigger": None}, False, True),
                ({"actions": ["MOVE"], "triggers": None, "action": "NONE", "trigger": None}, False, True)]
        answers = self.ask(*({"op": "responds", "tree": tree} | row for row, _, _ in rows))
        for (row, result, reactive), answer in zip(rows, answers):
            self.assertEqual(answer, {"ok": True, "result": result, "reactive": reactive}, row)
        answer, = self.ask({"op": "dna", "receivers": [{"route": " bad route "}]})
        self.assertEqual((answer["entries"][0]["route"], answer["entries"][0]["route_key"]),
                         ("bad route", "badroute"))

    # ---- FA9, FA10: what Python does ----

    ODD = ('{"n": NaN, "up": Infinity, "down": -Infinity, "twice": 1, "after": 2, "twice": 3, '
           '"half": "a\\ud800b", "pair": "\\ud83d\\ude00", "go": true}')

    def test_FA9_odd_json_is_decoded_as_the_sdk_does(self):
        envelope = '{"_version": "1.3.0", "_payload": %s, "_type": {}}' % self.ODD
        line = json.dumps({"remote_addr": "h:1", "content": envelope})
        answer, = self.ask({"op": "recover", "line": line})
        content = answer["payload"]["content"]
        self.assertNotEqual(content["n"], content["n"])
        self.assertEqual((content["up"], content["down"]), (float("inf"), float("-inf")))
        self.assertEqual(list(content)[3:5], ["twice", "after"])
        self.assertEqual((content["twice"], content["half"], content["pair"]),
                         (3, "a\ud800b", "\U0001f600"))
        for bad in ("NaNa", "[NaN,]", '{"a": NaN "b": 1}', "[01, NaN]", '"\\x" ', "[NaN", '["\n", NaN]'):
            answer, = self.ask({"op": "recover", "line": bad})
            self.assertEqual(answer["payload"], bad)

    def test_FA9_a_compat_agent_gets_the_value_and_not_the_raw_envelope(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.write("echo.yaml", """
agent: echo
mode: compat
tape: {start: [A]}
receivers: [{route: A, rules: [{when: {content.go: true}, do: move}, {do: stay}]}]
senders:
  - {route: A, on_actions: [move], message: ["{{content.n}}", "{{content.twice}}", "{{content.half}}", "{{content.pair}}"]}
  - {route: A, on_actions: [stay], message: stayed}
""")
        process = Process(self, "agent", "run", agent, "--connect", relay.address, "--state", "s")
        relay.counts(connections=2)
        envelope = '{"_version": "1.3.0", "_payload": %s, "_type": {}}\n' % self.ODD
        peer.raw(envelope.encode())
        self.assertEqual(peer.hear()[1], ["NaN", 3, "a\ufffdb", "\U0001f600"])
        self.assertEqual(process.stop(), 0)
        # In the profile it is no JSON, and what is no JSON is text.
        agent.write_text(agent.read_text().replace("compat", "profile"))
        Process(self, "agent", "run", agent, "--connect", relay.address)
        relay.counts(connections=2, accepted=3)
        peer.raw(envelope.encode())
        self.assertEqual(peer.hear()[1], "stayed")

    def test_FA10_without_receivers_no_hook_runs(self):
        question = {"op": "cycle", "tape": "A", "hooks": [{"dir": "RECEIVE", "do": "tag"}],
                    "senders": [{"route": "A", "payload": "tick"}], "messages": ["x"]}
        answer, = self.ask(question)
        self.assertEqual([e["ev"] for e in answer["trace"] if e["ev"] in ("hook", "send")], ["send"])
        answer, = self.ask(question | {"receivers": [{"route": "B"}]})
        self.assertEqual([e["ev"] for e in answer["trace"] if e["ev"] in ("hook", "send")],
                         ["hook", "send"])

    def test_FA10_a_tree_of_triggers_may_have_any_name_that_is_not_reserved(self):
        for name in ("1a", "é", "a b", ""):
            answer, = self.ask({"op": "triggers", "tree": {name: None}})
            self.assertTrue(answer["ok"], name)
            answer, = self.ask({"op": "triggers", "text": name + "\n"})
            self.assertEqual(answer["ok"], name == "", name)
        for name in ("_x", "class", "name_of"):
            answer, = self.ask({"op": "triggers", "tree": {name: None}})
            self.assertFalse(answer["ok"], name)

    def test_FA10_multi_goes_through_what_it_returned(self):
        for payload, lines in (("hé!", ["h", "é", "!"]), ({"a": 1, "b": 2}, ["a", "b"]), ([1, None, 2], [1, 2]),
                               (7, []), (True, []), ("", []), (None, [])):
            question = {"op": "cycle", "tape": "A", "messages": ["x"], "receivers": [],
                        "senders": [{"route": "A", "multi": True, "payload": payload}]}
            answer, = self.ask(question)
            self.assertEqual([e["line"]["_payload"] for e in answer["trace"] if e["ev"] == "emit"],
                             lines, payload)
        answer, = self.ask({"op": "cycle", "tape": "A", "messages": ["x"],
                            "receivers": [{"route": "A", "action": "MOVE"}],
                            "senders": [{"route": "A", "multi": True, "payload": "hé!"}]}, mode="profile")
        self.assertEqual([e["line"]["_payload"] for e in answer["trace"] if e["ev"] == "emit"], ["hé!"])

    def test_FA10_keys_that_differ_by_their_prefix_are_one_key(self):
        answer, = self.ask({"op": "tape", "tape": {"k": ["A"]},
                            "extend": {"k": ["B"], "tape:k": ["C"], "tape:tape:k": ["D"], "j": ["E"]}})
        self.assertEqual(answer["extended"], [["k", ["C", "B"]], ["tape:k", ["D"]], ["j", ["E"]]])

    # ---- FA11: the statement ----

    def test_FA11_the_statement_says_what_agent_files_accept_and_names_the_limits(self):
        said = json.loads(self.holds("agent", "statement").out)
        self.assertEqual(said["limits"]["message_bytes"], 1 << 20)
        self.assertEqual(said["limits"]["handler_ms"], 1000)
        text = json.dumps(said)
        self.assertNotIn("can be registered", text)
        self.assertIn("`styles`", text)

    # ---- FA12: the network ----

    def timers(self, port):
        """The kernel's timers of established connections at a port: (local port, timer)."""
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table.readlines()[1:]]
        found = [(int(r[1].split(":")[1], 16), int(r[2].split(":")[1], 16), r[5].split(":")[0])
                 for r in rows if r[3] == "01"]
        return [(local, timer) for local, remote, timer in found if port in (local, remote)]

    def test_FA12_vanished_peers_are_noticed_on_both_sides(self):
        relay = self.relay()
        agent = self.write("a.yaml", "agent: a\nreceivers: [{route: A, do: stay}]\n")
        Process(self, "agent", "run", agent, "--connect", relay.address)
        relay.counts(connections=1)
        self.assertTrue(wait_until(lambda: [t for _, t in self.timers(relay.port)] == ["02", "02"]),
                        self.timers(relay.port))

    def test_FA12_half_open_peers_are_asked_for(self):
        relay = self.relay()
        Peer(self, relay)
        relay.counts(connections=1)
        timers = dict(self.timers(relay.port))
        self.assertEqual(timers.pop(relay.port), "02")
        self.assertEqual(list(timers.values()), ["00"])  # ours asks nobody

    # ---- FA15: the examples and the agents they are modelled on ----

    def example(self, name, relay):
        before = relay.metrics()["connections"]
        agent = Process(self, "agent", "run", EXAMPLES / f"{name}.yaml", "--connect", relay.address)
        relay.counts(connections=before + 1)
        return agent

    def test_FA15_the_responder_finishes_and_takes_up_reconnects(self):
        relay = self.relay()
        self.example("handshake_responder", relay)
        them = Both(self.peers(relay, 1)[0])
        initiator = them.sides[0]
        self.assertTrue(them.talk(lambda: initiator.threads.get("bob", Thread(None)).done >= 3),
                        initiator.heard[-5:])

    def test_FA15_the_initiator_starts_and_closes(self):
        relay = self.relay()
        them = Both(self.peers(relay, 1)[0])
        self.example("handshake_initiator", relay)
        responder = them.sides[1]
        self.assertTrue(them.talk(lambda: responder.threads.get("alice", Thread(None)).done == 1),
                        responder.heard[-5:])

    def test_FA15_the_seller_trades_with_an_existing_buyer(self):
        for bid, step, most, outcome in ((23, 9, 60, "init_accept_too"), (10, 0, 60, "init_accept"),
                                         (41, 0, 5, "init_refuse_too"), (20, 5, 45, "init_accept_too")):
            with self.subTest(bid=bid, most=most):
                relay = self.relay()
                them = Buyer(self.peers(relay, 1)[0], bid, step, most)
                self.example("seller", relay)
                self.assertTrue(them.talk(lambda: them.threads.get("seller", Thread(None)).done == 1),
                                them.heard[-5:])
                self.assertEqual(them.outcome, outcome)

    def test_FA15_the_buyer_trades_with_an_existing_seller(self):
        for offer, step, least, outcome in ((98, 13, 40, "resp_accept"), (98, 13, 59, "resp_accept_too"),
                                            (98, 9, 10, "resp_accept"), (55, 1, 70, "resp_refuse_too")):
            with self.subTest(offer=offer, least=least):
                relay = self.relay()
                them = Seller(self.peers(relay, 1)[0], offer, step, least)
                self.example("buyer", relay)
                self.assertTrue(them.talk(lambda: them.threads.get("buyer", Thread(None)).done == 1),
                                them.heard[-5:])
                self.assertEqual(them.outcome, outcome)

    # ---- FA14: a trap ----

    TRAP = """
agent: trap
tape: {start: [A]WHEN_EMPTY}
receivers:
  - {name: step, route: A --> B, rules: [{when: {content: go}, do: move}REST]}
"""

    def trap(self, rest="", when_empty=""):
        return self.write("trap.yaml", self.TRAP.replace("REST", rest).replace("WHEN_EMPTY", when_empty))

    def test_FA14_an_agent_that_one_unrelated_message_empties_is_warned_of(self):
        result = self.holds("agent", "routes", self.trap())
        self.assertIn("warning[AG150]", result.err)
        self.assertIn("`A`", result.err)
        self.assertIn("do: stay", result.err)
        for remedy in ({"rest": ", {do: stay}"}, {"when_empty": ", when_empty: start"},
                       {"when_empty": ", rule: add"}):
            self.assertEqual(self.holds("agent", "routes", self.trap(**remedy)).err, "", remedy)

    def test_FA14_run_warns_too(self):
        relay = self.relay()
        agent = Process(self, "agent", "run", self.trap(), "--connect", relay.address)
        relay.counts(connections=1)
        self.assertTrue(wait_until(lambda: "AG150" in agent.err), agent.err)

    def test_FA14_agents_that_are_safe_are_not_warned_of(self):
        for path in sorted(EXAMPLES.glob("*.yaml")):
            if "scenario" not in path.name:
                self.assertEqual(self.holds("agent", "routes", path).err, "", path)


if __name__ == "__main__":
    main()
