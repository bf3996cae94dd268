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


if __name__ == "__main__":
    main()
