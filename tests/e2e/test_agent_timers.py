"""Timed senders that fire once, that the tape gates, and that ask for their data."""
import json
import time

from harness import main
from wire import Process, WireCase, wait_until

TIMEOUT = """
agent: patient
tape: {start: [asked]}
receivers:
  - {route: asked, rules: [{when: {content: ask}, do: move}, {do: stay}]}
senders:
  - {name: late, route: asked, on_actions: [move], after_ms: 150, message: too late}
"""
START = """
agent: starter
tape: {start: [A]}
receivers: [{route: A, do: stay}]
senders: [{name: hello, route: A, after_ms: 1, message: I am here}]
"""
# Reminds each who was invited and has not come, by name.
REMINDER = """
agent: host
tape: {shape: index-many, key: content.from, start: [known]}
receivers:
  - {route: known --> invited, rules: [{when: {content.say: invite me}, do: move, remember: {who: "{{content.from}}"}}, {do: stay}]}
  - {route: invited --> here, rules: [{when: {content.say: here}, do: move}, {do: stay}]}
  - {route: here, do: stay}
senders:
  - {name: remind, route: invited, every_ms: 40, gated: true, message: {remind: "{{memory.who}}", key: "{{key}}", state: "{{state}}"}}
"""
DATA = """
agent: shop
MODEtape: {start: [A]}
receivers: [{route: A, do: stay, data: "{{content}}"}]
senders:
  - {name: cheap, route: A, on_actions: [stay], use_data: true, when_data: {data.price: {below: 10}}, message: {cheap: "{{data.price}}"}}
  - {name: late, route: A, on_actions: [stay], use_data: true, when_data: {data.price: {above: 90}}, every_ms: 20, message: {dear: "{{data.price}}"}}
"""


class Timers(WireCase):
    def agent(self, text, relay, *words, name="agent.yaml"):
        before = relay.metrics()["connections"]
        process = Process(self, "agent", "run", self.write(name, text), "--connect", relay.address, "--pause",
                          "20", *words)
        relay.counts(connections=before + 1)
        return process

    def test_a_timeout_fires_once_after_its_time_and_can_be_armed_again(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(TIMEOUT, relay)
        for _ in range(2):
            start = time.monotonic()
            for _ in range(3):  # more outcomes do not put it off
                peer.say("ask")
            self.assertEqual(peer.hear()[1], "too late")
            self.assertGreaterEqual(time.monotonic() - start, 0.14)
            self.assertTrue(peer.silent(0.4), "it fired again")

    def test_a_timeout_survives_a_crash(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(TIMEOUT, relay, "--state", "s")
        peer.say("ask")
        self.assertTrue(wait_until(lambda: (self.dir / "s").stat().st_size > 0 and
                                   b"armed" in (self.dir / "s").read_bytes()))
        agent.kill()
        self.agent(TIMEOUT, relay, "--state", "s")
        self.assertEqual(peer.hear()[1], "too late")
        self.assertTrue(peer.silent(0.3))

    def test_once_at_start_is_once_for_a_kept_state(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(START, relay, "--state", "s")
        self.assertEqual(peer.hear()[1], "I am here")
        self.assertTrue(peer.silent(0.2))
        self.assertEqual(agent.stop(), 0)
        agent = self.agent(START, relay, "--state", "s")
        self.assertTrue(peer.silent(0.3), "a restart is not a second start")
        self.assertEqual(agent.stop(), 0)
        self.agent(START, relay)  # nothing is kept, so it is the first
        self.assertEqual(peer.hear()[1], "I am here")

    def test_a_gated_timer_fires_for_the_keys_on_its_route(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(REMINDER, relay)
        peer.say({"from": "ann", "say": "hello"})
        self.assertTrue(peer.silent(0.2), "nobody is invited")
        for name in ("ann", "bob"):
            peer.say({"from": name, "say": "invite me"})
        heard = [peer.hear()[1] for _ in range(8)]
        self.assertEqual({h["remind"] for h in heard}, {"ann", "bob"})
        self.assertTrue(all(h["key"] == h["remind"] and h["state"] == "invited" for h in heard))
        peer.say({"from": "ann", "say": "here"})
        rest = [peer.hear()[1]["remind"] for _ in range(12)]
        self.assertNotIn("ann", rest[4:])
        self.assertIn("bob", rest[4:])
        peer.say({"from": "bob", "say": "here"})
        self.assertTrue(wait_until(lambda: peer.silent(0.2), 3), "all are here")

    def test_only_data_that_are_wanted_call_the_sender(self):
        for mode in ("", "mode: compat\n"):
            relay = self.relay()
            peer, = self.peers(relay, 1)
            self.agent(DATA.replace("MODE", mode), relay)
            for price in (5, 50, 95):
                peer.say({"price": price})
            heard = [peer.hear()[1] for _ in range(2)]
            self.assertCountEqual(heard, [{"cheap": 5}, {"dear": 95}])
            self.assertTrue(peer.silent(0.2))

    def test_a_handler_is_not_asked_about_data_nobody_wants(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.write("h.py", "import json, sys\nfor line in sys.stdin:\n    c = json.loads(line)\n"
                   "    print(json.dumps({'id': c['id'], 'payload': ['called', c['cause']['data']]}), flush=True)\n")
        self.agent("""
agent: h
tape: {start: [A]}
handlers: {py: {command: [python3, h.py], time_limit_ms: 10000}}
receivers: [{route: A, do: stay, data: "{{content}}"}]
senders: [{name: s, route: A, on_actions: [stay], use_data: true, when_data: {data: 2}, handler: py.f}]
""", relay)
        for n in (1, 2, 3):
            peer.say(n)
        self.assertEqual(peer.hear()[1], ["called", 2])
        self.assertTrue(peer.silent(0.2))

    def test_what_does_not_go_together_is_refused(self):
        for code, words in (("AG123", "gated: true"), ("AG124", "every_ms: 1, after_ms: 1"),
                            ("AG125", "every_ms: 1, gated: true, use_data: true, on_actions: [move]"),
                            ("AG126", "when_data: {data: 1}"), ("AG126", "data_mode: live"),
                            ("AG127", "use_data: true, data_mode: fresh"), ("AG101", "after_ms: 0"),
                            ("AG101", "after_ms: 1000000001"), ("AG122", "use_data: true, when_data: {nobody: 1}")):
            path = self.write("a.yaml", f"agent: a\nsenders: [{{route: A, message: 1, {words}}}]\n")
            self.assertIn(f"[{code}]", self.fails(1, "agent", "routes", path).err, words)
        path = self.write("a.yaml", "agent: a\nmode: compat\nsenders: [{route: A, message: 1, every_ms: 1, gated: true}]\n")
        self.assertIn("[AG125]", self.fails(1, "agent", "routes", path).err)
        for words in ("after_ms: 1", "after_ms: 1000000000", "use_data: true, data_mode: snapshot, when_data: {data: 1}"):
            path = self.write("a.yaml", f"agent: a\nsenders: [{{route: A, message: 1, {words}}}]\n")
            self.holds("agent", "routes", path)

    def test_everything_is_in_dna(self):
        words = {"after": "after_ms: 70", "every": "every_ms: 70", "gated": "every_ms: 70, gated: true",
                 "when": "use_data: true, on_actions: [move], when_data: {data: 1}",
                 "which": "use_data: true, on_actions: [move], when_data: {data: 2}",
                 "mode": "use_data: true, on_actions: [move], data_mode: snapshot",
                 "data": "use_data: true, on_actions: [move]"}
        pins = {}
        for name, text in words.items():
            path = self.write(f"{name}.yaml", f"agent: a\nsenders: [{{name: s, route: A, message: 1, {text}}}]\n")
            pins[name] = self.holds("agent", "dna", "pin", path).out
            for form in ("sdk", "profile"):
                export = self.write("export.json", self.holds("agent", "dna", "show", "--form", form, path).out)
                self.assertEqual(self.holds("agent", "dna", "diff", path, export).out, "", (name, form))
                if form == "profile":
                    self.assertEqual(self.holds("agent", "dna", "pin", export).out, pins[name])
        self.assertEqual(len(set(pins.values())), len(words))
        for one, other in (("after", "every"), ("every", "gated"), ("when", "which"), ("data", "mode")):
            self.assertIn("BREAKING", self.fails(1, "agent", "dna", "diff", self.dir / f"{one}.yaml",
                                                 self.dir / f"{other}.yaml").out)
        self.assertIn("once after 70 ms", self.holds("agent", "routes", self.dir / "after.yaml").out)
        entry = json.loads(self.holds("agent", "dna", "show", self.dir / "after.yaml").out)["registrations"][0]
        self.assertEqual(entry["after_ms"], 70)


if __name__ == "__main__":
    main()
