"""Seeing what agents do: run --trace, --verbose, --inspect; render, chart, scenario, init."""
import json
import os
import shutil
import socket
import stat
import xml.etree.ElementTree as xml

from harness import SOURCE, main
from wire import Process, WireCase, wait_until

EXAMPLES = SOURCE / "examples" / "agents"
SECRETS = ["a;b", "c#d", "e\nf", "participant x as y", "p0->>p1: forged", '"<b>"']


def records(path, kind=None):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [r for r in lines if kind in (None, r["record"])]


class Seeing(WireCase):
    def agent(self, path, relay, *words):
        before = relay.metrics()["connections"]
        process = Process(self, "agent", "run", path, "--connect", relay.address, "--pause", "20", *words)
        relay.counts(connections=before + 1)
        return process

    def handshake(self, *words):
        """Both sides of the handshake at a relay, until it is closed; their processes."""
        relay = self.relay("--log", "relay.log")
        observer, = self.peers(relay, 1)
        sides = [self.agent(EXAMPLES / f"handshake_{name}.yaml", relay, "--trace", f"{name}.jsonl", *words)
                 for name in ("responder", "initiator")]
        while observer.hear()[1]["intent"] != "close":
            pass
        self.assertTrue(wait_until(lambda: any(
            r["heard"]["content"]["intent"] == "close"
            for r in records(self.dir / "responder.jsonl", "message"))))
        return sides

    # ---- run --trace ----

    def test_the_trace_of_a_run_is_that_of_a_scenario(self):
        for side in self.handshake():
            self.assertEqual(side.stop(), 0)
        trace = self.dir / "responder.jsonl"
        heard = [r["heard"] for r in records(trace, "message")]
        again = self.write("responder.json", json.dumps({
            "agent": str(EXAMPLES / "handshake_responder.yaml"),
            "messages": [{"from": h["remote_addr"], "content": h["content"]} for h in heard]}))
        self.write("again.jsonl", self.holds("agent", "trace", again).out)
        self.assertEqual(self.holds("agent", "compare", trace, "again.jsonl").out, "the traces agree\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.dir / "responder.jsonl").st_mode), 0o600)
        ticks = records(self.dir / "initiator.jsonl", "tick")
        self.assertEqual({(t["sender"], t["payload"]["intent"]) for t in ticks}, {("register", "register")})

    def test_a_trace_that_cannot_be_written_stops_nobody(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(EXAMPLES / "arrow.yaml", relay, "--trace", "/dev/full")
        peer.say("move through the arrow")
        self.assertEqual(peer.hear()[1]["from"], "arrow")
        self.assertEqual(agent.stop(), 0)
        self.assertEqual(agent.err.count("the trace cannot be written"), 1)
        self.fails(3, "agent", "run", EXAMPLES / "arrow.yaml", "--connect", relay.address, "--trace", "/no/where")

    def test_a_killed_agent_leaves_whole_records_and_goes_on_behind_them(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        for number in (1, 2):
            agent = self.agent(EXAMPLES / "arrow.yaml", relay, "--trace", "t.jsonl")
            peer.say("hello")
            self.assertTrue(wait_until(lambda: len(records(self.dir / "t.jsonl", "message")) == number))
            agent.kill()
            self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))
            self.assertEqual(len(records(self.dir / "t.jsonl", "header")), number)

    # ---- run --verbose ----

    def test_verbose_says_what_each_message_did(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(EXAMPLES / "arrow.yaml", relay, "--verbose")
        peer.say("move through the arrow " + "é" * 200)
        peer.hear()
        self.assertEqual(agent.stop(), 0)
        self.assertRegex(agent.err, r"message 1 from 127\.0\.0\.1:\d+: \"move through the arrow é+…\n")
        self.assertIn("arrow_f (A--[f]-->B) on A: MOVE ok", agent.err)
        self.assertIn('tape: ["B","f"]', agent.err)
        self.assertIn("moved sends", agent.err)

    # ---- inspect ----

    def test_a_running_agent_is_shown(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        path = self.write("count.yaml", """
agent: counter
tape: {shape: index-many, key: from, start: [A]}
receivers: [{route: A, do: stay, count: {n: 1}}]
senders: [{route: A, message: "{{memory.n}}"}]
""")
        agent = self.agent(path, relay, "--inspect", "socket")
        for n in (1, 2, 3):
            peer.say("x")
            self.assertEqual(peer.hear()[1], n)
        seen = json.loads(self.holds("agent", "inspect", "socket", "--json").out)
        self.assertEqual((seen["phase"], seen["relay"]), ("connected", relay.address))
        self.assertEqual(seen["agent"]["counts"]["received"], 3)
        self.assertEqual(seen["agent"]["state"]["memory"], [[peer.address, {"n": 3}]])
        self.assertEqual(seen["agent"]["state"]["tape"]["keys"], [[peer.address, ["A"]]])
        text = self.holds("agent", "inspect", "socket").out
        for part in ("counter, connected", peer.address, '["A"]', '{"n":3}', "received 3"):
            self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^counts    (\w+ \d+, )*received 3(, \w+ \d+)*$")
        self.assertEqual(stat.S_IMODE(os.stat(self.dir / "socket").st_mode), 0o600)
        self.assertEqual(agent.stop(), 0)
        self.assertFalse((self.dir / "socket").exists())
        self.fails(3, "agent", "inspect", "socket")

    def test_who_looks_and_does_not_read_holds_up_nobody(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        big = self.write("big.yaml", """
agent: big
tape: {start: [A]}
receivers: [{route: A, do: stay, remember: {all: "{{content}}"}}]
senders: [{route: A, message: ok}]
""")
        self.agent(big, relay, "--inspect", "socket")
        peer.say("x" * 60000)
        peer.hear()
        stuck = []
        for _ in range(3):
            s = socket.socket(socket.AF_UNIX)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            s.connect(str(self.dir / "socket"))
            self.addCleanup(s.close)
            stuck.append(s)
        for _ in range(20):
            peer.say("y")
            self.assertEqual(peer.hear()[1], "ok")

    def test_a_left_over_socket_is_replaced_and_a_file_is_not(self):
        relay = self.relay()
        agent = self.agent(EXAMPLES / "arrow.yaml", relay, "--inspect", "socket")
        self.fails(3, "agent", "run", EXAMPLES / "arrow.yaml", "--connect", relay.address, "--inspect", "socket")
        agent.kill()
        self.assertTrue((self.dir / "socket").exists())
        self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 0))
        self.agent(EXAMPLES / "arrow.yaml", relay, "--inspect", "socket")
        self.holds("agent", "inspect", "socket")
        self.write("file", "mine")
        self.fails(3, "agent", "run", EXAMPLES / "arrow.yaml", "--connect", relay.address, "--inspect", "file")
        self.assertEqual((self.dir / "file").read_text(), "mine")
        self.fails(2, "agent", "run", EXAMPLES / "arrow.yaml", "--connect", relay.address, "--inspect", "x" * 108)
        self.fails(3, "agent", "inspect", "file")

    # ---- render ----

    def test_routes_are_an_automaton(self):
        p = json.loads(self.holds("agent", "render", EXAMPLES / "triangle.yaml", "--format", "json").out)
        names = [n["label"] for n in p["nodes"] if n["role"] == "state"]
        self.assertEqual(set("ABC") - set(names), set())
        edges = {(p["nodes"][e["from"]]["label"], p["nodes"][e["to"]]["label"]) if isinstance(e["from"], int)
                 else (e["from"].rsplit("/", 1)[-1], e["to"].rsplit("/", 1)[-1]) for e in p["edges"]}
        for pair in (("A", "B"), ("B", "C"), ("A", "C")):
            self.assertIn(pair, edges)

    def test_taken_edges_are_painted(self):
        trace = self.write("t.jsonl", self.holds("agent", "trace", EXAMPLES / "triangle.scenario.yaml").out)
        plain = self.holds("agent", "render", EXAMPLES / "triangle.yaml", "--format", "json").out
        painted = self.holds("agent", "render", EXAMPLES / "triangle.yaml", "--format", "json", "--trace", trace).out
        self.assertNotIn('"seen"', plain)
        marks = {e["label"]: e.get("seen") for e in json.loads(painted)["edges"]}
        moved = {r["name"] for m in records(trace, "message") for r in m["receivers"] if r["action"] == "MOVE"}
        receivers = {r["name"] for r in records(trace, "route") if r["kind"] == "receiver"}
        self.assertTrue(moved and moved < receivers)
        for name in moved:
            self.assertIs(marks[name], True, name)
        self.assertIn(False, marks.values())
        self.assertIn("taken", painted)
        mermaid = self.holds("agent", "render", EXAMPLES / "triangle.yaml", "--format", "mermaid").out
        self.assertTrue(mermaid.startswith("flowchart") or "flowchart" in mermaid)
        self.fails(1, "agent", "render", EXAMPLES / "triangle.yaml", "--trace", EXAMPLES / "triangle.yaml")
        if shutil.which("dot"):
            svg = self.holds("agent", "render", EXAMPLES / "triangle.yaml", "--trace", trace, "--format", "svg").out
            xml.fromstring(svg)

    def test_all_that_an_agent_may_register_is_told(self):
        agent = SOURCE / "tests/data/everything.yaml"
        script = self.write("s.yaml", f"""agent: {agent}
tape: {{start: {{one: [A, B], two: [A]}}}}
messages:
  - {{from: one, content: "go; on # and on"}}
  - {{from: two, content: {{key: two, n: 1.5}}}}
  - {{content: "two\\nlines"}}
""")
        trace = self.write("t.jsonl", self.holds("agent", "trace", script).out)
        told = []
        for words in (["routes", agent], ["dna", "show", agent], ["dna", "show", agent, "--form", "sdk"],
                      ["render", agent, "--trace", trace, "--format", "mermaid"]):
            told += [f"$ {' '.join(str(w).rsplit('/', 1)[-1] for w in words)}\n", self.holds("agent", *words).out, "\n"]
        self.golden("agents/everything.txt", "".join(told).replace(str(self.dir), "DIR").replace(str(SOURCE), "SOURCE"))

    # ---- chart ----

    def test_a_conversation_is_a_sequence(self):
        for side in self.handshake():
            self.assertEqual(side.stop(), 0)
        chart = self.holds("agent", "chart", "responder.jsonl", "initiator.jsonl").out
        self.assertTrue(chart.startswith("sequenceDiagram\n"))
        self.assertEqual({line.split(" as ")[1] for line in chart.splitlines() if "participant" in line} - {"relay"},
                         {"alice", "bob"})
        text = self.holds("agent", "chart", "--format", "text", "initiator.jsonl", "responder.jsonl").out
        said = [line for line in text.splitlines() if "register" not in line]
        order = [(line.split()[1], line.split()[3].rstrip(":")) for line in said]
        self.assertEqual(order, [("bob", "alice"), ("alice", "bob")] * 4)
        for intent, line in zip(("confirm", "request", "respond", "request", "respond", "conclude", "finish",
                                 "close"), said):
            self.assertIn(f'"{intent}"', line)
        self.assertIn("on_confirm MOVE", text)

    def test_no_text_of_an_agent_becomes_syntax(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        echo = self.write("echo.yaml", "agent: \"e;v#il\\nnote\"\ntape: {start: [A]}\n"
                          "receivers: [{route: A, do: stay}]\nsenders: [{route: A, message: \"{{content}}\"}]\n")
        agent = self.agent(echo, relay, "--trace", "t.jsonl")
        for secret in SECRETS:
            peer.say(secret)
            peer.hear()
        agent.stop()
        chart = self.holds("agent", "chart", "t.jsonl").out.splitlines()
        for line in chart[1:]:
            self.assertRegex(line, r"^    (participant p\d+ as [^;#]*|p\d+->>p\d+: [^;#]*|Note over p\d+: [^;#]*)$")

    def test_what_is_no_trace_is_said_with_its_line(self):
        scenario = self.write("s.jsonl", self.holds("agent", "trace", EXAMPLES / "arrow.scenario.yaml").out)
        self.assertIn("line", self.fails(1, "agent", "chart", scenario).err)
        self.assertIn("trace 1: line 1", self.fails(1, "agent", "chart", EXAMPLES / "arrow.yaml").err)
        self.fails(2, "agent", "chart", scenario, "--format", "svg")

    # ---- scenario ----

    def test_a_relays_log_becomes_a_scenario(self):
        for side in self.handshake():
            self.assertEqual(side.stop(), 0)
        heard = records(self.dir / "responder.jsonl", "message")
        log = [json.loads(line) for line in (self.dir / "relay.log").read_text().splitlines()]
        theirs = {m["heard"]["remote_addr"] for m in heard}
        own, = {r["remote_addr"] for r in log} - theirs
        self.holds("agent", "scenario", "relay.log", "--agent", EXAMPLES / "handshake_responder.yaml", "--as", own,
                   "--out", "again.json")
        self.write("again.jsonl", self.holds("agent", "trace", "again.json").out)
        self.assertEqual(self.holds("agent", "compare", "--final", "responder.jsonl", "again.jsonl").out,
                         "the traces agree\n")
        self.fails(2, "agent", "scenario", "relay.log")
        self.write("bad.log", "{}\n")
        self.assertIn("line 1", self.fails(1, "agent", "scenario", "bad.log", "--agent", "x.yaml").err)

    # ---- init ----

    def test_a_new_agent_runs_at_once(self):
        self.assertIn("motet agent trace", self.holds("agent", "init", "greeter").out)
        self.fails(1, "agent", "init", "greeter")
        place = self.dir / "greeter"
        self.assertEqual(self.holds("agent", "routes", place / "agent.yaml").err, "")
        self.holds("agent", "trace", place / "talk.scenario.yaml")
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(place / "agent.yaml", relay)
        peer.say({"say": "hello"})
        self.assertEqual(peer.hear()[1], {"say": f"hello, {peer.address}"})
        peer.say({"say": "what?"})
        self.assertEqual(peer.hear()[1], {"say": "you asked: what?"})


if __name__ == "__main__":
    main()
