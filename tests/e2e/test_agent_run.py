"""motet agent run: agents at a relay, on their own feet: reconnect, travel, crash, go on."""
import hashlib
import json
import os
import socket
import sys
import time

from harness import main
from wire import LOOPBACK, Peer, Process, WireCase, wait_until

# Walks A, B, C, A ... one step per message "go"; says where it is; keeps a count.
WALKER = """
agent: walker
tape: {shape: single, start: A}
memory: {steps: 0}
receivers:
  - {route: A --> B, name: ab, rules: [{when: {content.say: go}, do: move, count: {steps: 1}}, {do: stay}]}
  - {route: B --> C, name: bc, rules: [{when: {content.say: go}, do: move, count: {steps: 1}}, {do: stay}]}
  - {route: C --> A, name: ca, rules: [{when: {content.say: go}, do: move, count: {steps: 1}}, {do: stay}]}
senders:
  - {route: A --> B, on_actions: [move], message: {at: B, steps: "{{memory.steps}}"}}
  - {route: B --> C, on_actions: [move], message: {at: C, steps: "{{memory.steps}}"}}
  - {route: C --> A, on_actions: [move], message: {at: A, steps: "{{memory.steps}}"}}
  - {route: /all --> /all, on_actions: [stay], message: {stays: true}}
"""

# Raises the alarm again and again, once somebody has said "go".
ALARM = """
agent: alarm
mode: MODE
tape: {shape: many, start: [A, C]}
receivers:
  - {route: A --> B, rules: [{when: {content: go}, do: move}, {do: stay}]}
  - {route: B --> A, rules: [{when: {content: go}, do: move}, {do: stay}]}
  - {route: C, do: stay}
senders:
  - {route: A --> B, every_ms: 60, on_actions: [move], message: {alarm: true}}
"""


class Running(WireCase):
    def agent(self, text, *words, name="agent.yaml", relay=None, connected=True):
        path = self.write(name, text)
        connect = ("--connect", relay.address) if relay else ()
        process = Process(self, "agent", "run", path, *connect, "--pause", "20", *words)
        if connected:
            self.assertTrue(wait_until(lambda: "connected to" in process.err, 10),
                            process.err)
            relay.counts(connections=1)
        return process

    def walk(self, peer, steps):
        """Says go so often; returns where the walker says it is each time."""
        places = []
        for _ in range(steps):
            peer.say({"say": "go"})
            places.append(peer.hear()[1])
        return places

    def test_an_agent_answers_and_stops_in_good_order(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(WALKER, relay=relay)
        relay.counts(connections=2)
        self.assertEqual([p["at"] for p in self.walk(peer, 7)], list("BCABCAB"))
        peer.say({"say": "something else"})
        self.assertEqual(peer.hear()[1], {"stays": True})
        peer.raw(b"Warning: bare text\n[[[[\n\n")
        for _ in range(3):
            self.assertEqual(peer.hear()[1], {"stays": True})
        self.assertEqual(agent.stop(), 0, agent.err)
        self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))

    def test_what_it_sends_is_a_typed_envelope(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(WALKER, relay=relay)
        relay.counts(connections=2)
        peer.say({"say": "go"})
        outer = json.loads(peer.line())
        self.assertEqual(json.loads(outer["content"]),
                         {"_version": "1.3.0", "_payload": {"at": "B", "steps": 1},
                          "_type": {"at": "str", "steps": "int"}})

    def test_a_killed_agent_goes_on_where_it_was(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        places, last = [], 0
        for _ in range(6):
            agent = self.agent(WALKER, "--state", "state", relay=relay)
            relay.counts(connections=2)
            for _ in range(4):
                peer.say({"say": "go"})
                heard = peer.hear()[1]
                if heard["steps"] == last:  # killed before it could note it as sent
                    heard = peer.hear()[1]
                last = heard["steps"]
                places.append((last, heard["at"]))
            agent.kill()
            self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))
        self.assertEqual(places, [(n + 1, "BCA"[n % 3]) for n in range(24)])

    def test_a_relay_killed_and_restarted_loses_no_tape(self):
        relay = self.relay()
        port, heard = relay.port, []
        agent = self.agent(WALKER, "--state", "state", relay=relay)
        for round_ in range(3):
            peer, = self.peers(relay, 1)
            self.assertTrue(relay.counts(connections=2)["connections"] == 2)
            heard += self.walk(peer, 5)
            relay.kill()
            relay = self.relay(listen=f"{LOOPBACK}:{port}")
            self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1, 10),
                            agent.err)
        self.assertEqual([p["steps"] for p in heard], list(range(1, 16)))
        self.assertEqual(agent.stop(), 0, agent.err)
        self.assertIn("next attempt in", agent.err)

    def test_two_agents_cannot_share_one_state(self):
        relay = self.relay()
        self.agent(WALKER, "--state", "state", relay=relay)
        result = self.fails(3, "agent", "run", "agent.yaml", "--connect", relay.address,
                            "--state", "state")
        self.assertIn("in use", result.err)

    def test_a_damaged_state_is_refused_not_guessed(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent(WALKER, "--state", "state", relay=relay)
        relay.counts(connections=2)
        self.walk(peer, 3)
        agent.stop()
        path = self.dir / "state"
        text = path.read_bytes()
        path.write_bytes(text.replace(b"steps", b"stips", 1))
        result = self.fails(3, "agent", "run", "agent.yaml", "--connect", relay.address,
                            "--state", "state")
        self.assertIn("does not verify", result.err)
        # A record cut short by a crash is dropped, and said.
        path.write_bytes(text + b"0123456789abcdef {\"out\":[],\"sta")
        agent = self.agent(WALKER, "--state", "state", relay=relay)
        relay.counts(connections=2)
        self.assertIn("unfinished record", agent.err)
        self.assertEqual(self.walk(peer, 1)[0]["steps"], 4)

    def test_messages_committed_but_unsent_are_sent_after_a_restart(self):
        def record(body):
            text = body if isinstance(body, str) else json.dumps(body)
            return hashlib.sha256(text.encode()).hexdigest()[:16] + " " + text + "\n"
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.write("state", record('{"motet_agent_state":1}') +
                   record({"out": ['{"_payload":1}', '{"_payload":2}', '{"_payload":3}']}) +
                   record({"sent": 1}))
        agent = self.agent(WALKER, "--state", "state", relay=relay)
        self.assertEqual([peer.hear()[1] for _ in range(2)], [2, 3])
        agent.stop()
        agent = self.agent(WALKER, "--state", "state", relay=relay)
        self.assertTrue(peer.silent())

    def test_upload_sets_the_tape_and_download_shows_it(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.write("tape.json", '"C"')
        self.agent(WALKER, "--upload", "tape.json", "--download", "now.json", relay=relay)
        relay.counts(connections=2)
        self.assertEqual([p["at"] for p in self.walk(peer, 2)], ["A", "B"])
        self.assertTrue(wait_until(
            lambda: (self.dir / "now.json").read_text() == '["B"]\n'))

    def test_a_trigger_ends_the_agent_after_its_last_words(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent("""
agent: leaver
tape: {shape: many, start: [A]}
receivers:
  - {route: A --> A, rules: [{when: {content: bye}, do: move, trigger: leave}, {do: stay}]}
senders:
  - {route: A --> A, on_triggers: [leave], message: farewell}
""", "--quit-on", "leave", relay=relay)
        relay.counts(connections=2)
        peer.say("hello")
        peer.say("bye")
        self.assertEqual(peer.hear()[1], "farewell")
        self.assertEqual(agent.child.wait(5), 0)

    def test_a_trigger_takes_the_agent_to_another_relay(self):
        here, there = self.relay(), self.relay()
        at_home, = self.peers(here, 1)
        away, = self.peers(there, 1)
        agent = self.agent("""
agent: traveller
tape: {shape: many, start: [home]}
receivers:
  - {route: home --> away, rules: [{when: {content: go}, do: move, trigger: gone}, {do: stay}]}
  - {route: away --> away, rules: [{do: stay}]}
senders:
  - {route: home --> away, on_triggers: [gone], message: leaving}
  - {route: away --> away, message: arrived}
""", "--travel-on", f"gone={there.address}", relay=here)
        here.counts(connections=2)
        at_home.say("go")
        self.assertEqual(at_home.hear()[1], "leaving")
        self.assertEqual(there.counts(connections=2)["connections"], 2)
        away.say("who is there?")
        self.assertEqual(away.hear()[1], "arrived")
        # The new relay vanishes for good: the agent goes home.
        there.kill()
        self.assertEqual(here.counts(connections=2, seconds=10)["connections"], 2)
        self.assertEqual(agent.stop(), 0)
        self.assertIn("going home", agent.err)

    def test_timed_senders_fire_without_being_asked(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent("""
agent: clock
tape: {shape: many, start: []}
memory: {n: 0}
senders:
  - {route: A, every_ms: 50, message: {tick: true}}
""", relay=relay)
        start = time.monotonic()
        for _ in range(5):
            self.assertEqual(peer.hear()[1], {"tick": True})
        self.assertGreater(time.monotonic() - start, 0.15)

    def test_FA1_a_timed_sender_with_filters_waits_until_it_is_armed(self):
        for mode in ("profile", "compat"):
            with self.subTest(mode):
                relay = self.relay()
                peer, = self.peers(relay, 1)
                agent = self.agent(ALARM.replace("MODE", mode), relay=relay)
                relay.counts(connections=2)
                peer.say("nothing")  # a receiver answers, but not with MOVE
                self.assertTrue(peer.silent(0.5), "it fired though nothing had armed it")
                peer.say("go")
                for _ in range(4):  # at once, then by its clock
                    self.assertEqual(peer.hear()[1], {"alarm": True})
                self.assertEqual(agent.stop(), 0, agent.err)

    def test_FA1_only_a_compatible_route_arms_it(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(ALARM.replace("MODE", "profile").replace("route: A --> B, every", "route: C, every"),
                   relay=relay)
        relay.counts(connections=2)
        peer.say("go")
        self.assertTrue(peer.silent(0.5), "an outcome on another route armed it")

    def test_more_outcomes_do_not_change_a_timers_cadence(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent(ALARM.replace("MODE", "profile").replace("every_ms: 60", "every_ms: 60000"),
                   relay=relay)
        relay.counts(connections=2)
        peer.say("go")
        self.assertEqual(peer.hear()[1], {"alarm": True})
        for _ in range(5):
            peer.say("go")
        self.assertTrue(peer.silent(0.4), "an outcome fired it out of turn")

    def test_FA1_without_filters_the_timer_alone_decides(self):
        """In compat mode such a sender used to fire for each message as well."""
        for mode in ("profile", "compat"):
            with self.subTest(mode):
                relay = self.relay()
                peer, = self.peers(relay, 1)
                self.agent(ALARM.replace("MODE", mode).replace("every_ms: 60", "every_ms: 60000")
                           .replace("on_actions: [move], ", ""), relay=relay)
                relay.counts(connections=2)
                self.assertEqual(peer.hear()[1], {"alarm": True})
                for _ in range(5):
                    peer.say("go")
                self.assertTrue(peer.silent(0.4), "a message fired it")

    def test_run_while_disarms_it_until_the_next_outcome(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent("""
agent: three
tape: {start: [A]}
memory: {left: 0}
receivers:
  - {route: A, rules: [{when: {content: go}, do: move, remember: {left: 3}}, {do: stay}]}
senders:
  - {route: A, every_ms: 20, on_actions: [move], run_while: {memory.left: {above: 0}},
     message: {left: "{{memory.left}}"}, count: {left: -1}}
""", relay=relay)
        relay.counts(connections=2)
        for _ in range(2):
            peer.say("go")
            self.assertEqual([peer.hear()[1]["left"] for _ in range(3)], [3, 2, 1])
            self.assertTrue(peer.silent(0.3), "run_while did not end it")

    def test_a_rule_may_say_what_it_changes(self):
        """Data and messages show the memory as it was, though the same rules write it."""
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent("""
agent: changer
tape: {start: [A]}
memory: {seen: {first: word}, sent: {no: thing}}
receivers:
  - {route: A, do: move, data: "{{memory.seen}}", remember: {seen: {last: "{{content}}"}}}
senders:
  - {route: A, use_data: true, on_actions: [move], message: {was: "{{data}}", sent: "{{memory.sent}}"},
     remember: {sent: {a: "{{data}}"}}}
""", relay=relay)
        relay.counts(connections=2)
        was, sent = {"first": "word"}, {"no": "thing"}
        for word in ("one", "two", "three"):
            peer.say(word * 50)
            self.assertEqual(peer.hear()[1], {"was": was, "sent": sent})
            was, sent = {"last": word * 50}, {"a": was}

    def test_run_while_pauses_one_without_filters(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent("""
agent: paused
tape: {start: [A]}
memory: {on: false}
receivers:
  - {route: A, do: stay, remember: {on: "{{content}}"}}
senders:
  - {route: A, every_ms: 20, run_while: {memory.on: true}, message: tick}
""", relay=relay)
        relay.counts(connections=2)
        self.assertTrue(peer.silent(0.3))
        peer.say(True)
        self.assertEqual([peer.hear()[1] for _ in range(3)], ["tick"] * 3)

    def test_with_use_data_each_outcome_is_told_at_the_next_tick(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        self.agent("""
agent: teller
tape: {start: [A]}
receivers:
  - {route: A, do: move, data: {was: "{{content}}"}}
senders:
  - {route: A, every_ms: 300, on_actions: [move], use_data: true}
""", relay=relay)
        relay.counts(connections=2)
        for n in range(4):
            peer.say(n)
        self.assertEqual([peer.hear()[1]["was"] for _ in range(4)], [0, 1, 2, 3])
        self.assertTrue(peer.silent(0.7), "a tick without data said something")

    def test_data_beyond_the_limit_is_dropped_and_said(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        agent = self.agent("""
agent: teller
tape: {start: [A]}
receivers:
  - {route: A, do: move, data: "{{content}}"}
senders:
  - {route: A, every_ms: 1500, on_actions: [move], use_data: true}
""", "--limit", "agent_waiting_bytes=7", relay=relay)
        relay.counts(connections=2)
        peer.say("start")             # 7 bytes with its quotes, and 2 of the trigger: too long
        self.assertTrue(wait_until(lambda: "agent_waiting_bytes" in agent.err), agent.err)
        peer.say("abc")               # 5 + 2: just fits
        self.assertEqual(peer.hear()[1], "abc")

    def test_being_armed_survives_a_crash(self):
        relay = self.relay()
        peer, = self.peers(relay, 1)
        text = ALARM.replace("MODE", "profile").replace("every_ms: 60", "every_ms: 60000")
        agent = self.agent(text, "--state", "state", relay=relay)
        relay.counts(connections=2)
        peer.say("go")
        self.assertEqual(peer.hear()[1], {"alarm": True})
        agent.kill()
        self.assertTrue(wait_until(lambda: relay.metrics()["connections"] == 1))
        self.agent(text, "--state", "state", relay=relay)
        self.assertEqual(peer.hear()[1], {"alarm": True})
        if not peer.silent(0.5):  # killed before it could note the first as sent
            peer.line()
        self.assertTrue(peer.silent(0.3), "after a restart it fires once, then by its clock")

    def test_a_timer_has_bounds(self):
        for value, holds in ((0, False), (-1, False), (1, True), (1000000000, True),
                             (1000000001, False), (2**63, False), (1.5, False), ('"x"', False)):
            path = self.write("a.yaml", "senders:\n  - {route: A, every_ms: %s, message: x}\n" % value)
            result = self.run_motet("agent", "routes", path)
            self.assertEqual(result.code == 0, holds, repr(result))
            if not holds:
                self.assertIn("`every_ms` must be a whole number", result.err)
        path = self.write("a.yaml", "senders:\n  - {route: A, run_while: true, message: x}\n")
        self.assertIn("`run_while` is for timed senders",
                      self.fails(1, "agent", "routes", path).err)

    def test_routes_show_timers(self):
        path = self.write("a.yaml", ALARM.replace("MODE", "profile"))
        self.assertIn("on MOVE  every 60 ms when armed", self.holds("agent", "routes", path).out)

    def test_it_gives_up_when_so_configured(self):
        with socket.socket() as s:
            s.bind((LOOPBACK, 0))
            nobody = "%s:%d" % s.getsockname()
        path = self.write("a.yaml", WALKER)
        result = self.fails(3, "agent", "run", path, "--connect", nobody, "--retries", "3",
                            "--pause", "5")
        self.assertIn("giving up after 3 failures", result.err)

    def test_a_relay_that_keeps_nothing_is_left_by_an_agent_that_wants_it_kept(self):
        path = self.write("a.yaml", WALKER)
        result = self.fails(3, "agent", "run", path, "--connect", self.relay().address, "--durable",
                            "--state", "state", "--retries", "1")
        self.assertIn("no welcome: the relay is not durable", result.err)

    def test_it_tries_the_other_relays_it_was_given(self):
        with socket.socket() as s:
            s.bind((LOOPBACK, 0))
            nobody = "%s:%d" % s.getsockname()
        relay = self.relay()
        path = self.write("a.yaml", WALKER)
        Process(self, "agent", "run", path, "--connect", nobody, "--connect",
                relay.address, "--pause", "20")
        self.assertEqual(relay.counts(connections=1)["connections"], 1)

    def test_a_relay_that_sends_nonsense_harms_nobody(self):
        """The relay is ours here: a bare socket that says what it likes."""
        with socket.create_server((LOOPBACK, 0)) as server:
            address = "%s:%d" % server.getsockname()
            path = self.write("a.yaml", WALKER)
            agent = Process(self, "agent", "run", path, "--connect", address, "--pause", "20")
            server.settimeout(10)
            link = server.accept()[0]
            with link:
                link.settimeout(5)
                answers = link.makefile("rb")
                go = json.dumps({"remote_addr": "1.2.3.4:5", "content": json.dumps(
                    {"_version": "1.3.0", "_payload": {"say": "go", "x": "h\u00e9"},
                     "_type": {}})}).encode() + b"\n"
                deep = b"[" * 100000 + b"]" * 100000 + b"\n"
                inside = json.dumps({"remote_addr": "a", "content": "[" * 5000}).encode()
                steps = 0
                for nonsense in [b"\xff\xfe\n", b"{\n", b"\x00\x01\n", deep, inside + b"\n",
                                 b"z" * (3 << 20) + b"\n", b'{"remote_addr":1,"content":2}\n',
                                 b'{"remote_addr":null,"content":null}\n']:
                    link.sendall(nonsense + go)
                    while True:  # the walker stays on what it can read but not use
                        payload = json.loads(answers.readline())["_payload"]
                        if payload != {"stays": True}:
                            break
                    steps += 1
                    self.assertEqual(payload["steps"], steps, nonsense[:40])
                for cut in range(1, len(go), 7):
                    link.sendall(go[:cut])
                    time.sleep(0.002)
                    link.sendall(go[cut:])
                    steps += 1
                    self.assertEqual(json.loads(answers.readline())["_payload"]["steps"],
                                     steps)
            self.assertEqual(agent.stop(), 0, agent.err)
            self.assertIn("a line could not be read", agent.err)
            self.assertIn("bytes was skipped", agent.err)

    def test_used_wrongly(self):
        path = self.write("a.yaml", WALKER)
        bad = self.write("bad.yaml", "receivers: [{route: 'A --> '}]")
        torn = self.write("torn.yaml", "a: [")
        for code, words, reason in [
                (2, [path], "--connect"),
                (2, [path, "--connect", "nowhere"], "HOST:PORT"),
                (2, [path, "--connect", "a:1", "--travel-on", "x"], "TRIGGER=HOST:PORT"),
                (2, [path, "--connect", "127.0.0.1:1", "--cert", "x"], "belong together"),
                (1, [bad, "--connect", "a:1"], ""),
                (1, [self.write("dna.json", '[{"type":"receive","route":"A"}]'), "--connect",
                     "a:1"], "agent file"),
                (1, [torn, "--connect", "a:1"], "torn.yaml:"),
                (3, ["missing.yaml", "--connect", "a:1"], "missing.yaml"),
                (3, [path, "--connect", "a:1", "--state", "/nonexistent/x"], "cannot open")]:
            with self.subTest(words):
                self.assertIn(reason, self.fails(code, "agent", "run", *words).err)


# Answers by function name; may misbehave when told to.
HANDLERS = """
import json, os, sys, time
print("starting", os.getpid(), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    content = call["payload"]["content"] if isinstance(call["payload"], dict) and \\
        "content" in call["payload"] else call["payload"]
    answer = {"id": call["id"]}
    if content == "crash":
        print("about to crash", file=sys.stderr, flush=True)
        os._exit(3)
    if content == "hang":
        time.sleep(60)
    if content == "garbage":
        print("garbage {{{")
        print(json.dumps({"id": 999}))
    if call["function"] == "decide":
        answer.update(action="move", trigger="ok", data={"was": content})
        if content == "quit":
            answer["quit"] = True
        if isinstance(content, str) and content.startswith("travel "):
            answer["travel"] = content.split()[1]
    elif call["function"] == "reply":
        answer["payload"] = {"said": call["cause"]["data"]["was"], "pid": os.getpid()}
    print(json.dumps(answer), flush=True)
"""

# The time limit has to do for starting Python on a busy machine, too.
BY_HAND = """
agent: helper
tape: {shape: many, start: [A]}
handlers:
  mine: {command: ["%s", handlers.py], time_limit_ms: 3000, restarts: 5}
receivers:
  - {route: A --> A, handler: mine.decide}
senders:
  - {route: A --> A, handler: mine.reply, on_actions: [move]}
""" % sys.executable


class External(WireCase):
    def start(self, relay, *words):
        self.write("handlers.py", HANDLERS)
        path = self.write("agent.yaml", BY_HAND)
        agent = Process(self, "agent", "run", path, "--connect", relay.address, "--pause",
                        "20", *words)
        relay.counts(connections=2)
        return agent

    def gone(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return stat.read().split(")")[1].split()[0] == "Z"
        except OSError:
            return True

    def test_handlers_answer_crash_hang_and_babble_and_the_agent_lives(self):
        relay = self.relay()
        peer, = self.peers(relay, 1, timeout=20)
        agent = self.start(relay)
        peer.say("one")
        first = peer.hear()[1]
        self.assertEqual(first["said"], "one")
        pids = {first["pid"]}
        # A receiver that failed activates nothing, so the tape's A is put back by hand.
        for trouble in ("garbage", "two"):
            peer.say(trouble)
            self.assertEqual(peer.hear()[1], {"said": trouble, "pid": first["pid"]})
        for trouble, reason in [("crash", "the handler died: about to crash"),
                                ("hang", "the handler took too long")]:
            peer.say(trouble)
            self.assertTrue(wait_until(lambda: reason in agent.err, 20), agent.err)
            self.assertTrue(wait_until(lambda: self.gone(first["pid"])))
            peer.say("after " + trouble)
            answer = peer.hear()[1]
            self.assertEqual(answer["said"], "after " + trouble)
            self.assertNotIn(answer["pid"], pids)
            pids.add(answer["pid"])
            first = answer
        self.assertIn("not an answer: starting", agent.err)
        self.assertIn("not an answer: garbage {{{", agent.err)
        self.assertEqual(agent.stop(), 0)
        self.assertTrue(wait_until(lambda: all(self.gone(pid) for pid in pids)))

    def test_a_handler_may_travel_and_quit(self):
        here, there = self.relay(), self.relay()
        at_home, = self.peers(here, 1, timeout=20)
        away, = self.peers(there, 1, timeout=20)
        agent = self.start(here)
        at_home.say("travel nonsense")
        self.assertEqual(at_home.hear()[1]["said"], "travel nonsense")
        at_home.say("travel " + there.address)
        self.assertEqual(at_home.hear()[1]["said"], "travel " + there.address)
        self.assertEqual(there.counts(connections=2)["connections"], 2)
        away.say("quit")
        self.assertEqual(away.hear()[1]["said"], "quit")
        self.assertEqual(agent.child.wait(20), 0)
        self.assertIn("cannot travel to 'nonsense'", agent.err)

    def test_a_hanging_handler_does_not_keep_an_agent_from_stopping(self):
        relay = self.relay()
        peer, = self.peers(relay, 1, timeout=20)
        agent = self.start(relay)
        peer.say("x")
        pid = peer.hear()[1]["pid"]
        for _ in range(20):
            peer.say("hang")
        time.sleep(0.1)
        start = time.monotonic()
        self.assertEqual(agent.stop(), 0)
        self.assertLess(time.monotonic() - start, 15)
        self.assertTrue(wait_until(lambda: self.gone(pid)))

    def test_a_killed_agent_takes_its_handlers_along(self):
        relay = self.relay()
        peer, = self.peers(relay, 1, timeout=20)
        agent = self.start(relay)
        peer.say("x")
        pid = peer.hear()[1]["pid"]
        agent.kill()
        self.assertTrue(wait_until(lambda: self.gone(pid)), "the handler outlived its agent")


if __name__ == "__main__":
    main()
