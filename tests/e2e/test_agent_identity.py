"""Signed messages: who is believed, and what is refused."""
import base64
import json
import time

from harness import SOURCE, main
from serve import Server
from wire import Peer, Process, WireCase, wait_until

EXAMPLES = SOURCE / "examples" / "agents"
ESCROW = SOURCE / "examples" / "escrow" / "escrow.tenor"
SPEAKER = """
agent: NAME
tape: {start: [A]}
receivers: [{route: A, rules: [{when: {content.ask: {exists: true}}, do: move}, {do: stay}]}]
senders: [{route: A, on_actions: [move], message: {said: "{{content.ask}}"}}]
"""
LISTENER = """
agent: listener
tape: {start: [A]}
IDENTITY
receivers: [{route: A, rules: [{when: {content.said: {exists: true}}, do: move}, {do: stay}]}]
senders: [{route: A, on_actions: [move], message: {heard: "{{content.said}}", of: "{{message.signer}}"}}]
"""


class Signed(WireCase):
    def key(self, name):
        """A key file; its public half in base64."""
        hex_digits = self.holds("agent", "dna", "keygen", name).out.strip()
        return base64.b64encode(bytes.fromhex(hex_digits)).decode()

    def run_agent(self, name, text, relay, *words):
        before = relay.metrics()["connections"]
        agent = Process(self, "agent", "run", self.write(f"{name}.yaml", text), "--connect", relay.address,
                        "--pause", "20", *words)
        relay.counts(connections=before + 1)
        return agent

    def listener(self, relay, identity, *words):
        return self.run_agent("listener", LISTENER.replace("IDENTITY", f"identity: {json.dumps(identity)}"),
                              relay, *words)

    def signed_line(self, relay, key, text="hello", name="speaker"):
        """What an agent with this key sends, as bytes."""
        observer, = self.peers(relay, 1)
        agent = self.run_agent(name, SPEAKER.replace("NAME", name), relay, "--sign-key", key)
        observer.say({"ask": text})
        line = json.loads(observer.line())["content"]
        self.assertEqual(agent.stop(), 0)
        observer.close()
        return line.encode() + b"\n"

    def refused(self, agent, why):
        self.assertTrue(wait_until(lambda: why in agent.err), (why, agent.err))

    def test_a_signed_message_is_taken_and_its_signer_known(self):
        public = self.key("k")
        relay, elsewhere = self.relay(), self.relay()
        line = self.signed_line(elsewhere, "k")
        peer, = self.peers(relay, 1)
        self.listener(relay, {"trust": {"anna": public}})
        peer.raw(line)
        self.assertEqual(peer.hear()[1], {"heard": "hello", "of": "anna"})

    def test_forged_replayed_and_unsigned_messages_are_refused(self):
        public = self.key("k")
        self.key("thief")
        relay, elsewhere = self.relay(), self.relay()
        line, stolen = self.signed_line(elsewhere, "k"), self.signed_line(elsewhere, "thief")
        peer, = self.peers(relay, 1)
        agent = self.listener(relay, {"trust": {"anna": public}}, "--state", "s")
        peer.say({"said": "hello"})
        self.refused(agent, "it is not signed")
        peer.raw(line.replace(b"hello", b"hallo"))
        self.refused(agent, "does not verify")
        peer.raw(stolen)
        peer.raw(line)
        self.assertEqual(peer.hear()[1]["of"], "anna")
        self.refused(agent, "not one of those that are trusted")
        for _ in range(3):
            peer.raw(line)
        self.refused(agent, "it was heard before")
        # And after a crash: what was heard is kept with what it led to.
        agent.kill()
        self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))
        agent = self.listener(relay, {"trust": {"anna": public}}, "--state", "s")
        peer.raw(line)
        self.refused(agent, "it was heard before")
        self.assertTrue(peer.silent(0.2))

    def test_malformed_signatures_are_refused(self):
        public = self.key("k")
        relay, elsewhere = self.relay(), self.relay()
        good = json.loads(self.signed_line(elsewhere, "k"))
        peer, = self.peers(relay, 1)
        agent = self.listener(relay, {"trust": {"anna": public}}, "--inspect", "socket")
        bad = 0
        for key, values in (("n", [0, -1, 2**63, "1", None]), ("at", [-1, "now", None]), ("session", ["", "00", 7]),
                            ("key", ["", "?", None]), ("signature", ["", "A" * 88, None]), ("as", [None, "x" * 201]),
                            ("room", [None, "other"])):
            for value in values:
                changed = json.loads(json.dumps(good))
                changed["_signed"][key] = value
                peer.raw(json.dumps(changed).encode() + b"\n")
                bad += 1
        for whole in (None, [], "x", {}):
            peer.raw(json.dumps(good | {"_signed": whole}).encode() + b"\n")
            bad += 1
        self.assertTrue(wait_until(lambda: json.loads(self.holds("agent", "inspect", "socket", "--json").out)
                                   ["agent"]["counts"]["refused"] == bad))
        peer.raw(json.dumps(good).encode() + b"\n")
        self.assertEqual(peer.hear()[1]["of"], "anna")
        self.assertLess(agent.err.count("refused so far"), 8)  # said now and then, not each time

    def test_an_old_message_is_refused(self):
        self.key("k")
        relay, elsewhere = self.relay(), self.relay()
        line = self.signed_line(elsewhere, "k")
        peer, = self.peers(relay, 1)
        agent = self.listener(relay, {"window_ms": 1000})
        time.sleep(1.1)
        peer.raw(line)
        self.refused(agent, "older than the window")

    def test_the_first_key_of_a_name_keeps_it_also_after_a_restart(self):
        self.key("k")
        self.key("thief")
        relay, elsewhere = self.relay(), self.relay()
        lines = [self.signed_line(elsewhere, key, text) for key, text in
                 (("k", "one"), ("thief", "two"), ("k", "three"))]
        peer, = self.peers(relay, 1)
        agent = self.listener(relay, {"pin": "first"}, "--state", "s")
        peer.raw(lines[0])
        self.assertEqual(peer.hear()[1], {"heard": "one", "of": "speaker"})
        self.assertEqual(agent.stop(), 0)
        agent = self.listener(relay, {"pin": "first"}, "--state", "s")
        peer.raw(lines[1])
        self.refused(agent, "another key has the name")
        peer.raw(lines[2])
        self.assertEqual(peer.hear()[1], {"heard": "three", "of": "speaker"})

    def test_signing_is_nothing_to_those_who_do_not_ask(self):
        """Agents that know nothing of signatures converse as before."""
        self.key("k")
        relay = self.relay()
        observer, = self.peers(relay, 1)
        for name in ("handshake_responder", "handshake_initiator"):
            text = (EXAMPLES / f"{name}.yaml").read_text()
            self.run_agent(name, text, relay, *(("--sign-key", "k") if "responder" in name else ()))
        while observer.hear()[1]["intent"] != "close":
            pass

    def test_unsigned_messages_pass_where_that_is_said(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.listener(relay, {"required": False})
        peer.say({"said": "hello"})
        self.assertEqual(peer.hear()[1], {"heard": "hello", "of": None})

    def test_a_served_agent_refuses_them_too(self):
        public = self.key("k")
        line = self.signed_line(self.relay(), "k").decode().rstrip("\n")
        self.write("listener.yaml", LISTENER.replace("IDENTITY", f"identity: {json.dumps({'trust': {'anna': public}})}"))
        self.write("motet.yaml", f"files: [{ESCROW}]\nagents: {{listener: {{file: listener.yaml}}}}\n")
        with Server(self.dir, options=("--config", "motet.yaml")) as server:
            post = lambda body: server.post("/v1/agents/listener/messages", body)
            signed = {"remote_addr": "h:1", "content": line}
            self.assertEqual(post({"content": {"said": "hello"}, "remote_addr": "h:1"}).status, 403)
            self.assertEqual(server.get("/v1/agents/listener/messages").json["items"], [])
            answer = post(signed)
            self.assertEqual(answer.status, 200, answer)
            self.assertIn("anna", json.dumps(answer.json))
            self.assertEqual(post(signed).status, 403)
            server.stop()
            server.start()
            self.assertEqual(post(signed).status, 403)

    def test_what_an_agent_believes_is_in_its_dna(self):
        one, two = self.key("a"), self.key("b")
        def path(identity):
            text = LISTENER.replace("IDENTITY", f"identity: {json.dumps(identity)}" if identity is not None else "")
            return self.write("listener.yaml", text)
        pins = [self.holds("agent", "dna", "pin", path(i)).out for i in
                (None, {}, {"required": False}, {"trust": {"x": one}}, {"trust": {"x": two}}, {"trust": {"y": one}},
                 {"pin": "first"}, {"window_ms": 1000}, {"room": "r"})]
        self.assertEqual(len(set(pins)), len(pins))
        as_hex = base64.b64decode(one).hex()
        self.assertEqual(self.holds("agent", "dna", "pin", path({"trust": {"x": as_hex}})).out, pins[3])

    def test_wrong_settings_are_refused_with_their_place(self):
        for code, identity in (("AG160", {"trust": {"x": "short"}}), ("AG161", {"pin": "last"}), ("AG162", {"trust": {}}),
                               ("AG101", {"window_ms": 999}), ("AG101", {"window_ms": 86400001}),
                               ("AG102", {"trusted": {}})):
            path = self.write("l.yaml", LISTENER.replace("IDENTITY", f"identity: {json.dumps(identity)}"))
            self.assertIn(f"[{code}]", self.fails(1, "agent", "routes", path).err, identity)
        for identity in ({"window_ms": 1000}, {"window_ms": 86400000}):
            self.holds("agent", "routes", self.write("l.yaml", LISTENER.replace("IDENTITY", f"identity: {json.dumps(identity)}")))

    def test_a_pin_can_be_required(self):
        relay = self.relay()
        self.write("h.py", "import sys\nfor line in sys.stdin: pass\n")
        path = self.write("a.yaml", "agent: a\ntape: {start: [A]}\nhandlers: {py: {command: [python3, h.py]}}\n"
                          "receivers: [{route: A, handler: py.f}]\n")
        pin = self.holds("agent", "dna", "pin", path).out.strip()
        agent = Process(self, "agent", "run", path, "--connect", relay.address, "--require-pin", pin)
        relay.counts(connections=1)
        self.assertEqual(agent.stop(), 0)
        self.write("h.py", "import sys\nfor line in sys.stdin: print(line)\n")
        result = self.fails(1, "agent", "run", path, "--connect", relay.address, "--require-pin", pin)
        self.assertIn("not " + pin, result.err)
        self.fails(3, "agent", "run", EXAMPLES / "arrow.yaml", "--connect", relay.address, "--sign-key", "nowhere")

    def test_handlers_that_were_replaced_after_the_pin_was_checked_are_not_started(self):
        relay = self.relay()
        good = ("import json, sys\nfor line in sys.stdin:\n    call = json.loads(line)\n"
                "    if call['payload'] and call['payload'].get('content') == 'die': sys.exit()\n"
                "    print(json.dumps({'id': call['id'], 'action': 'stay', 'payload': 'good'}), flush=True)\n")
        bad = good.replace("good", "evil")
        self.write("h.py", good)
        path = self.write("a.yaml", "agent: a\ntape: {start: [A], when_empty: start}\n"
                          "handlers: {py: {command: [python3, h.py], time_limit_ms: 20000}}\n"
                          "receivers: [{route: A, handler: py.f}]\nsenders: [{route: A, handler: py.g}]\n")
        pin = self.holds("agent", "dna", "pin", path).out.strip()
        agent = Process(self, "agent", "run", path, "--connect", relay.address, "--require-pin", pin)
        peer = self.peers(relay, 1)[0]
        relay.counts(connections=2)

        def refusals():
            return agent.err.count("not started: its files are not those of the pin any more")
        self.write("h.py", bad)  # before the first call starts it
        peer.say("hello")
        self.assertTrue(wait_until(lambda: refusals() == 1), agent.err)
        self.write("h.py", good)
        peer.say("hello")
        self.assertEqual(peer.hear()[1], "good")
        self.write("h.py", bad)  # what runs goes on; what would be started anew does not
        peer.say("hello")
        self.assertEqual(peer.hear()[1], "good")
        peer.say("die")
        peer.say("hello")
        self.assertTrue(wait_until(lambda: refusals() == 2), agent.err)
        self.assertTrue(peer.silent(0.2))


if __name__ == "__main__":
    main()
