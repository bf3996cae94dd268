"""Relays that keep what is said: once in every subscriber's state and answers, in the order
of its sender, whoever is killed. The checker reads the stream by the server's own protocol
and the agents' state files by their documented form, and shares nothing with the program."""
import hashlib
import json
import random
import re
import socket
import threading
import time

from harness import SEED, SOAK, main
from nats import Nats, NatsCase
from wire import LOOPBACK, Peer, Process, Relay, kind_of, wait_until

STREAM = "motet-durable-default"

SUBSCRIBER = """
agent: NAME
tape: {shape: index-single, key: content.from, start: [on], when_empty: start}
memory: {seen: 0, wrong: 0}
triggers: [ok, wrong, other]
receivers:
  - route: on
    rules:
      - {when: {content.n: "{{memory.seen + 1}}"}, do: stay, count: {seen: 1}}
      - {when: {content.n: {exists: true}}, do: stay, trigger: wrong, count: {wrong: 1}}
      - {do: stay, trigger: other}
senders:
  - {route: on, on_triggers: [ok], message: {answer: "{{memory.seen}}", of: "{{key}}", by: NAME}}
"""


def free_port():
    with socket.socket() as s:
        s.bind((LOOPBACK, 0))
        return s.getsockname()[1]


def envelope(payload):
    return json.dumps({"_payload": payload, "_type": kind_of(payload), "_version": "1.3.0"})


def content(line):
    return json.loads(json.loads(line)["content"])["_payload"]


class Member(Peer):
    """An agent on a raw socket that says hello."""

    def hello(self, name, where=None, **more):
        text = {"_relay": "hello", "name": name, "id": "one", **(where or {"from": "new"}), **more}
        self.raw((json.dumps(text) + "\n").encode())
        return json.loads(self.line())

    def send(self, number, payload):
        self.raw(f"{number} {envelope(payload)}\n".encode())

    def ack(self, seq):
        self.raw(b"ack %d\n" % seq)

    def lines(self, count):
        return [json.loads(self.line()) for _ in range(count)]


class Writer(threading.Thread):
    """Says 1 to `total` over whatever relay is there, by the rules of the wire: what is not
    kept is sent again under its number."""

    def __init__(self, case, name, relays, total, seed):
        super().__init__(daemon=True)
        self.case, self.name_, self.relays, self.total = case, name, relays, total
        self.chance, self.kept, self.quit = random.Random(seed), 0, False
        self.start()

    def run(self):
        while self.kept < self.total and not self.quit:
            try:
                with socket.create_connection((LOOPBACK, self.chance.choice(self.relays)), 5) as s:
                    self.talk(s)
            except (OSError, ValueError):
                time.sleep(0.05)

    def talk(self, sock):
        sock.settimeout(5)
        hello = {"_relay": "hello", "from": "new", "id": "w", "name": self.name_}
        sock.sendall((json.dumps(hello) + "\n").encode())
        rest, number, heard = b"", None, 0
        while self.kept < self.total and not self.quit:
            piece = sock.recv(1 << 16)
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            for line in map(json.loads, lines):
                if line.get("_relay") == "welcome":
                    self.kept = number = line["kept"]
                elif line.get("_relay") == "kept":
                    self.kept = line["number"]
                else:
                    heard = line.get("seq", heard)
            last = min(self.total, self.kept + 200) if number is not None else 0
            text = f"ack {heard}\n" if heard else ""
            while number is not None and number < last:
                number += 1
                text += f"{number} {envelope({'from': self.name_, 'n': number})}\n"
            sock.sendall(text.encode())


class Durable(NatsCase):
    def durable(self, url, *words, **named):
        return self.relay("--bus", url, "--durable", *words, **named)

    def subscriber(self, name, ports, *words):
        path = self.write(f"{name}.yaml", SUBSCRIBER.replace("NAME", name))
        connect = [w for port in ports for w in ("--connect", f"{LOOPBACK}:{port}")]
        return Process(self, "agent", "run", path, "--durable", "--state", f"{name}.state",
                       "--from", "first", "--pause", "20", *connect, *words)

    def state(self, name):
        """Memory of each key, the unsent lines and the last sequence, from the file."""
        memory, out, stand = {}, [], None
        for line in (self.dir / f"{name}.state").read_text().splitlines():
            digits, body = line.split(" ", 1)
            if hashlib.sha256(body.encode()).hexdigest()[:16] != digits:
                break
            record = json.loads(body)
            out = (out + record.get("out", []))[record.get("sent", 0):]
            memory = dict(record["state"]["memory"]) if "state" in record else memory
            stand = record.get("stand", stand)
        return memory, out, stand

    # ---- one message, one effect, whoever is killed ----

    def chaos(self, relays, writers, subscribers, total, kills, seed):
        chance = random.Random(seed)
        url = self.server("-1", "-js")
        ports = [free_port() for _ in range(relays)]

        def relay(port):
            return Relay(self, "--bus", url, "--durable", listen=f"{LOOPBACK}:{port}")
        running = [relay(port) for port in ports]
        names = [f"sub{n}" for n in range(subscribers)]

        def homes(n):
            return ports[n % relays:] + ports[:n % relays]
        agents = {name: self.subscriber(name, homes(n)) for n, name in enumerate(names)}
        talking = [Writer(self, f"w{n}", ports, total // writers, seed + n)
                   for n in range(writers)]
        for writer in talking:
            self.addCleanup(setattr, writer, "quit", True)
        killed = {"relay": 0, "agent": 0, "nats": 0}
        turns = [k for k in killed for _ in range(kills)]
        chance.shuffle(turns)
        step = total / (len(turns) + 1)
        for n, kind in enumerate(turns):
            wait_until(lambda n=n: sum(w.kept for w in talking) >= (n + 1) * step, 60)
            killed[kind] += 1
            if kind == "relay":
                i = chance.randrange(relays)
                running[i].kill()
                running[i] = relay(ports[i])
            elif kind == "agent":
                name = chance.choice(names)
                agents[name].kill()
                agents[name] = self.subscriber(name, homes(names.index(name)))
            else:
                self.restart(url, lambda: time.sleep(chance.random() / 2))
        for writer in talking:
            writer.join(900 if SOAK else 90)
            self.assertEqual(writer.kept, total // writers, "a writer did not finish")
        wanted = total // writers

        def done():
            return all(key.get("seen", 0) + key.get("wrong", 0) >= wanted
                       for name in names for key in self.memories(name, writers)) and \
                not any(self.state(name)[1] for name in names)
        wait_until(done, 900 if SOAK else 90, 0.2)
        self.check(url, names, writers, wanted)
        self.assertEqual(killed, dict.fromkeys(killed, kills))
        return url, running

    def memories(self, name, writers):
        memory = self.state(name)[0]
        return [memory.get(f"w{n}", {}) for n in range(writers)]

    def check(self, url, names, writers, wanted):
        """Each message once, in order, in the stream, in each state and in the answers."""
        for name in names:
            self.assertEqual(self.memories(name, writers),
                             [{"seen": wanted, "wrong": 0}] * writers, name)
        said, answers = {}, {}
        reader = Nats(url)
        self.addCleanup(reader.close)
        for _, subject, body in reader.stream(STREAM):
            sender, number, line = body.decode().split(" ", 2)
            payload = content(line)
            if "n" in payload:
                self.assertEqual(int(number), payload["n"])
                self.assertEqual(subject, f"motet.durable.default.a.{sender}.w")
                said.setdefault(payload["from"], []).append(payload["n"])
            else:
                self.assertEqual(sender, payload["by"])
                answers.setdefault((payload["by"], payload["of"]), []).append(payload["answer"])
        for n in range(writers):
            self.counts_up(said[f"w{n}"], wanted, f"w{n}")
            for name in names:
                self.counts_up(answers[name, f"w{n}"], wanted, f"answers of {name} to w{n}")

    def counts_up(self, numbers, last, what):
        """1 to `last`, each once; says where not (a list of all would be long)."""
        for n, number in enumerate(numbers, 1):
            self.assertEqual(number, n, what)
        self.assertEqual(len(numbers), last, what)

    def test_each_message_counts_once_whoever_is_killed(self):
        if SOAK:
            self.chaos(relays=3, writers=4, subscribers=3, total=100000, kills=40, seed=SEED)
        else:
            self.chaos(relays=2, writers=2, subscribers=2, total=1200, kills=3, seed=SEED)

    # ---- where hearing begins ----

    def test_late_joiners_begin_at_a_sequence_a_time_the_first_or_the_next(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        writer = Member(self, relay)
        self.assertEqual(writer.hello("writer")["kept"], 0)
        for n in range(1, 6):
            writer.send(n, {"n": n})
        self.until_kept(writer, 5)
        time.sleep(0.02)
        # Early in a second, where a careless writer of times loses a zero.
        wait_until(lambda: 20 <= time.time() * 1000 % 1000 < 60, 5, 0.005)
        moment = int(time.time() * 1000)
        writer.send(6, {"n": 6})
        self.until_kept(writer, 6)
        for where, first in [({"from": "first"}, 1), ({"after": 0}, 1), ({"after": 3}, 4),
                             ({"after": 5}, 6), ({"since": moment}, 6), ({"since": 0}, 1)]:
            late = Member(self, relay)
            welcome = late.hello("late", where)
            self.assertEqual((welcome["after"], welcome["first"]), (first - 1, 1), where)
            lines = late.lines(7 - first)
            self.assertEqual([line["seq"] for line in lines], list(range(first, 7)), where)
            self.assertEqual([content(json.dumps(line))["n"] for line in lines],
                             list(range(first, 7)))
            self.assertTrue(late.silent(0.1))
            late.close()
        for where in ({"from": "new"}, {"after": 6}, {"after": 99}, {"since": moment + 3600000}):
            late = Member(self, relay)
            self.assertEqual(late.hello("late", where)["after"], 6, where)
            self.assertTrue(late.silent(0.2), where)
            late.close()
        self.assertEqual(relay.stop(), 0)
        self.assertEqual(writer.line(), b"Warning: Server is shutting down.")

    def until_kept(self, member, number):
        while True:
            line = json.loads(member.line())
            if line.get("_relay") == "kept" and line["number"] >= number:
                return

    def test_an_agent_file_begins_where_it_is_told_and_goes_on_where_it_was(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        writer = Member(self, relay)
        writer.hello("w0")
        for n in range(1, 4):
            writer.send(n, {"from": "w0", "n": n})
        self.until_kept(writer, 3)
        words = ["agent", "run", self.write("a.yaml", SUBSCRIBER.replace("NAME", "a")),
                 "--connect", relay.address, "--durable", "--state", "a.state"]
        agent = Process(self, *words, "--from", "3")
        self.assertTrue(wait_until(lambda: self.seen("a") == (0, 1)), agent.err)
        self.assertEqual(agent.stop(), 0)
        writer.send(4, {"from": "w0", "n": 4})
        self.until_kept(writer, 4)
        agent = Process(self, *words, "--from", "first")  # it has a place: this is for new ones
        self.assertTrue(wait_until(lambda: self.seen("a") == (0, 2)), agent.err)

    def seen(self, name):
        key = self.state(name)[0].get("w0", {}) if (self.dir / f"{name}.state").exists() else {}
        return key.get("seen"), key.get("wrong")

    # ---- who knows nothing of it ----

    def test_agents_without_hello_hear_as_before(self):
        url = self.server("-1", "-js")
        one, two = self.durable(url), self.durable(url)
        a, b, c = Peer(self, one), Peer(self, one), Peer(self, two)
        one.counts(connections=2)
        two.counts(connections=1)
        member = Member(self, two)
        member.hello("member")
        for n in range(50):
            a.say({"n": n})
        for listener in (b, c):
            self.assertEqual([listener.hear() for _ in range(50)],
                             [(a.address, {"n": n}) for n in range(50)])
        lines = member.lines(50)
        self.assertEqual([content(json.dumps(line))["n"] for line in lines], list(range(50)))
        member.ack(lines[-1]["seq"])
        member.send(1, {"n": "from member"})
        for listener in (a, b, c):
            line = json.loads(listener.line())
            self.assertEqual(sorted(line), ["content", "remote_addr"])
            self.assertEqual(content(json.dumps(line)), {"n": "from member"})
        self.until_kept(member, 1)
        for listener in (a, b, c, member):
            self.assertTrue(listener.silent(0.1), "a line came twice")
        # Without the server those of one relay go on, and the others hear it afterwards.
        self.nats.kill()
        self.nats.wait(10)
        one.counts(bus_disconnects=1)
        a.say({"n": "alone"})
        self.assertEqual(b.hear(), (a.address, {"n": "alone"}))
        self.restart(url)
        self.assertEqual(c.hear(), (a.address, {"n": "alone"}))
        self.assertEqual(content(member.line()), {"n": "alone"})

    def test_a_relay_that_keeps_nothing_says_so(self):
        relay = self.relay()
        other, member = self.peers(relay, 2)
        member.raw(b'{"_relay":"hello","from":"new","id":"one","name":"a"}\n')
        self.assertEqual(member.line(), b"Warning: This relay keeps nothing; start it with "
                                        b"--durable, or without a hello.")
        self.assertTrue(other.silent(0.1))

    # ---- acknowledgements ----

    def test_at_most_1024_lines_are_not_acknowledged(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        reader, writer = Member(self, relay), Member(self, relay)
        reader.hello("reader")
        writer.hello("writer")
        for n in range(1, 1101):
            writer.send(n, {"n": n})
        self.until_kept(writer, 1100)
        self.assertEqual([line["seq"] for line in reader.lines(1024)], list(range(1, 1025)))
        self.assertTrue(reader.silent(0.3))
        reader.ack(1)  # acknowledged in steps of 64
        self.assertTrue(reader.silent(0.3))
        reader.ack(1024)
        self.assertEqual([line["seq"] for line in reader.lines(76)], list(range(1025, 1101)))
        if SOAK:  # and what is not acknowledged comes again after 30 seconds
            reader.sock.settimeout(60)
            self.assertEqual([line["seq"] for line in reader.lines(76)],
                             list(range(1025, 1101)))
            self.assertGreaterEqual(relay.counts(durable_again=76)["durable_again"], 76)

    def test_a_writer_does_not_hear_itself_however_much_it_says(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        writer, other = Member(self, relay), Member(self, relay)
        writer.hello("writer")
        other.hello("other")
        for n in range(1, 2101):  # twice the window, of which it acknowledges nothing
            writer.send(n, n)
        self.until_kept(writer, 2100)
        other.send(1, "hello")
        line = json.loads(writer.line())
        self.assertEqual((line["seq"], content(json.dumps(line))), (2101, "hello"))

    def test_a_call_has_the_name_of_its_message_also_when_it_comes_again(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        self.write("h.py", """import json, os, sys
for line in sys.stdin:
    call = json.loads(line)
    with open("calls", "a") as f:
        f.write(call["call"] + " " + call.get("message", "none") + "\\n")
    if not os.path.exists("died"):
        open("died", "w").close()
        os.kill(os.getppid(), 9)
        sys.exit()
    print(json.dumps({"id": call["id"], "action": "stay", "payload": {"done": 1}}), flush=True)
""")
        path = self.write("h.yaml", """
agent: h
tape: {shape: single, start: [on], when_empty: start}
handlers: {g: {command: [python3, h.py], time_limit_ms: 20000}}
receivers: [{route: on, handler: g.take}]
senders: [{route: on, handler: g.say}]
""")
        words = ["agent", "run", path, "--connect", relay.address, "--durable", "--state", "s"]
        first = Process(self, *words)
        relay.counts(durable_agents=1)
        wait_until(lambda: "1" in re.findall(r'"stream":"(1)', (self.dir / "s").read_text()))
        writer = Member(self, relay)
        stream = writer.hello("writer")["stream"]
        writer.send(1, "go")
        self.assertEqual(first.child.wait(20), -9)
        self.until_kept(writer, 1)
        Process(self, *words)
        self.assertEqual(content(writer.line()), {"done": 1})
        self.assertEqual((self.dir / "calls").read_text().splitlines(),
                         [f"receive {stream}.1", f"receive {stream}.1", f"send {stream}.1"])
        self.assertTrue(writer.silent(0.2))

    def test_what_is_stored_is_known_however_long_ago_and_over_any_relay(self):
        url = self.server("-1", "-js")
        nats = Nats(url)
        self.addCleanup(nats.close)
        mine = {"name": STREAM, "subjects": ["motet.durable.default.>"], "storage": "file",
                "duplicate_window": 100000000, "max_msgs": 1000}  # a tenth of a second
        self.assertNotIn("error", nats.ask(f"$JS.API.STREAM.CREATE.{STREAM}", mine))
        one, two = self.durable(url), self.durable(url)
        member = Member(self, one)
        member.hello("member")
        for n in (1, 2, 3):
            member.send(n, n)
        self.until_kept(member, 3)
        member.close()
        time.sleep(0.3)
        for relay in (one, two):
            member = Member(self, relay)
            self.assertEqual(member.hello("member")["kept"], 3)
            member.close()
        self.assertEqual(Member(self, two).hello("member", id="other")["kept"], 0)
        self.assertEqual(Member(self, two).hello("members")["kept"], 0)
        info = nats.ask(f"$JS.API.STREAM.INFO.{STREAM}")
        self.assertEqual(info["state"]["messages"], 3)
        self.assertEqual({k: info["config"][k] for k in mine}, mine)  # as it was made

    def test_lines_under_way_when_the_server_died_are_stored_once_and_in_order(self):
        url = self.server("-1", "-js")
        nats = Nats(url)
        made = nats.ask(f"$JS.API.STREAM.CREATE.{STREAM}",
                        {"name": STREAM, "subjects": ["motet.durable.default.>"],
                         "storage": "file", "duplicate_window": 100000000})
        self.assertNotIn("error", made)
        nats.close()
        relay = self.durable(url)
        member = Member(self, relay)
        member.hello("member")
        count = 3000

        def speak():
            for n in range(1, count + 1):
                member.send(n, n)
        speaker = threading.Thread(target=speak)
        speaker.start()
        relay.counts(durable_stored=count // 4)
        self.restart(url, lambda: time.sleep(0.3))
        self.until_kept(member, count)
        speaker.join(30)
        nats = Nats(url)
        self.addCleanup(nats.close)
        self.counts_up([content(body.decode().split(" ", 2)[2])
                        for _, _, body in nats.stream(STREAM)], count, "stored")

    # ---- what is refused ----

    def test_hellos_and_numbers_that_cannot_be_are_refused(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        good = {"_relay": "hello", "from": "new", "id": "i" * 16, "name": "n" * 64}
        for change in [{}, {"name": "n" * 65}, {"name": ""}, {"name": "a.b"}, {"id": "i" * 17},
                       {"id": "*"}, {"from": "old"}, {"after": 1}, {"_relay": "bye"},
                       {"stream": "s" * 33}, {"stream": 7}]:
            member = Member(self, relay)
            member.raw((json.dumps({**good, **change}) + "\n").encode())
            said = json.loads(member.line())["_relay"]
            self.assertEqual(said, "refused" if change else "welcome", change)
            self.assertTrue(not change or member.ended(), change)
            member.close()
        for lines in [[b"2 x", b"4 x"], [b"1 x", b"1 x"], [b"0 x"], [b"x"], [b"ack x"], [b"-1 x"],
                      [b"9999999999999999999 x"], [b'{"_relay":"hello"}']]:
            member = Member(self, relay)
            member.hello("a", id="%x" % random.getrandbits(60))
            member.raw(b"\n".join(lines) + b"\n")
            self.assertTrue(member.ended(), lines)
            self.assertIn(b'"refused"', member.rest, lines)

    def test_lines_that_are_too_long_count_and_are_not_stored(self):
        url = self.server("-1", "-js")
        relay = self.durable(url, "--max-line", "1000", "--strikes", "100")
        member, reader = Member(self, relay), Member(self, relay)
        member.hello("member")
        reader.hello("reader")
        for n, line in enumerate([b"x", b"x" * 960, b"y" * 2000, b"z", b"x" * 960], 1):
            member.raw(b"%d %s\n" % (n, line))
        self.assertIn(b"too long", next(line for line in iter(member.line, None)
                                        if line.startswith(b"Warning")))
        self.until_kept(member, 5)
        self.assertEqual([line["content"] for line in reader.lines(2)], ["x", "z"])

    def test_options_that_do_not_go_together(self):
        relay = self.run_motet("agent", "relay", "--listen", LOOPBACK + ":0", "--durable")
        self.assertEqual(relay.code, 2)
        self.assertIn("--durable needs --bus", relay.err)
        url = self.server()  # without JetStream
        relay = self.run_motet("agent", "relay", "--listen", LOOPBACK + ":0", "--durable", "--bus",
                               url)
        self.assertEqual(relay.code, 3)
        self.assertIn("has the server JetStream", relay.err)
        path = self.write("a.yaml", SUBSCRIBER.replace("NAME", "a"))
        for words, why in [(["--from", "first"], "--from goes with --durable"),
                           (["--as", "b"], "--as goes with --durable"),
                           (["--durable", "--as", "b c"], "is not a name"),
                           (["--durable", "--as", "b" * 65], "is not a name"),
                           (["--durable", "--from", "2026-11-17"], "--from is new, first"),
                           (["--durable", "--from", "9" * 20], "--from is new, first")]:
            agent = self.run_motet("agent", "run", path, "--connect", "a:1", *words)
            self.assertEqual(agent.code, 2, words)
            self.assertIn(why, agent.err)

    # ---- what is no longer what it was ----

    def test_a_stream_that_is_another_is_heard_from_its_start(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        writer = Member(self, relay)
        writer.hello("w0")
        agent = self.subscriber("a", [relay.port])
        for n in range(1, 4):
            writer.send(n, {"from": "w0", "n": n})
        self.assertTrue(wait_until(lambda: self.seen("a") == (3, 0)))
        self.restart(url, lambda: (self.dir / "jetstream").rename(self.dir / "away"))
        writer = self.again("w0", relay)
        for n in range(1, 3):  # another stream: nothing of it is kept there
            writer.send(n, {"from": "w0", "n": n + 3})
        self.assertTrue(wait_until(lambda: self.seen("a") == (5, 0)), agent.err)
        self.assertTrue(wait_until(lambda: "stream is another than before" in agent.err), agent.err)

    def again(self, name, relay):
        """A member that says hello until it is welcome."""
        def try_it():
            try:
                member = Member(self, relay)
                return member if member.hello(name)["_relay"] == "welcome" else None
            except (OSError, ValueError, TypeError):
                return None
        return wait_until(try_it, 30, 0.2)

    def test_a_state_that_is_older_than_its_messages_loses_none(self):
        url = self.server("-1", "-js")
        relay = self.durable(url)
        writer = Member(self, relay)
        writer.hello("w0")
        agent = self.subscriber("a", [relay.port])
        writer.send(1, {"from": "w0", "n": 1})
        self.assertTrue(wait_until(lambda: self.seen("a") == (1, 0)))
        agent.stop()
        old = (self.dir / "a.state").read_bytes()
        agent = self.subscriber("a", [relay.port])
        for n in (2, 3):
            writer.send(n, {"from": "w0", "n": n})
        self.assertTrue(wait_until(lambda: self.seen("a") == (3, 0)))
        agent.stop()
        (self.dir / "a.state").write_bytes(old)
        agent = self.subscriber("a", [relay.port])
        self.assertTrue(wait_until(lambda: self.seen("a") == (3, 0)), agent.err)
        self.assertTrue(wait_until(lambda: not self.state("a")[1]))  # its answers are kept
        self.assertTrue(wait_until(lambda: "its numbers begin anew" in agent.err), agent.err)
        reader = Nats(url)
        self.addCleanup(reader.close)
        answers = [content(body.decode().split(" ", 2)[2])["answer"]
                   for _, subject, body in reader.stream(STREAM) if ".a.a." in subject]
        self.assertEqual(answers, [1, 2, 3, 2, 3])  # again, since nobody could know


if __name__ == "__main__":
    main()
