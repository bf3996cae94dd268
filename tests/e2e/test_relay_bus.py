"""Relays joined over NATS: every line crosses once, and nothing is lost in silence."""
import json
import re
import socket

from harness import main
from nats import NatsCase
from wire import Peer, wait_until


class Bus(NatsCase):
    def three(self, url):
        """Three relays that know of each other, and an agent on each."""
        relays = [self.relay("--bus", url) for _ in range(3)]
        agents = [Peer(self, relay) for relay in relays]
        for relay in relays:
            relay.counts(connections=1)
        for n, agent in enumerate(agents):
            agent.say({"hello": n})
        for agent in agents:
            agent.hear(), agent.hear()
        return relays, agents

    def collect(self, agent, lines, seconds=20):
        """What an agent hears until it has so many messages, by sender; and the warnings."""
        heard, warnings = {}, []
        agent.sock.settimeout(0.5)

        def enough():
            try:
                line = agent.line().decode()
            except socket.timeout:
                return False
            if line.startswith("Warning: "):
                warnings.append(line)
            else:
                outer = json.loads(line)
                heard.setdefault(outer["remote_addr"], []).append(
                    json.loads(outer["content"])["_payload"]["n"])
            return sum(map(len, heard.values())) >= lines
        wait_until(enough, seconds, 0)
        agent.sock.settimeout(5)
        return heard, warnings

    def test_FA8_what_waited_for_the_bus_is_published_when_the_others_can_hear_it(self):
        url = self.server()
        relays, agents = self.three(url)
        count = 2000

        def speak():
            for relay in relays:
                relay.counts(bus_disconnects=1)
            for agent in agents:
                for n in range(count):
                    agent.say({"n": n})
            for relay in relays:
                relay.counts(lines_in=count + 1)
        self.restart(url, speak)
        for listener in agents:
            heard, warnings = self.collect(listener, 2 * count)
            self.assertEqual({k: len(v) for k, v in heard.items()},
                             {a.address: count for a in agents if a is not listener})
            for lines in heard.values():
                self.assertEqual(lines, list(range(count)))
            self.assertEqual(warnings, [])

    def test_FA8_lines_on_their_way_when_the_bus_died_are_published_again(self):
        url = self.server()
        relays, agents = self.three(url)
        count, step = 4000, 50

        def speak(first, last):
            for start in range(first, last, step):
                for agent in agents:
                    for n in range(start, start + step):
                        agent.say({"n": n})
        speak(0, count // 2)
        self.restart(url, lambda: speak(count // 2, count // 2 + 500))
        speak(count // 2 + 500, count)
        for listener in agents:
            heard, warnings = self.collect(listener, 2 * count)
            self.assertEqual({k: len(v) for k, v in heard.items()},
                             {a.address: count for a in agents if a is not listener})
            for lines in heard.values():
                self.assertEqual(lines, list(range(count)))
            self.assertEqual(warnings, [])

    def test_FA8_agents_are_told_of_what_was_lost(self):
        url = self.server()
        relays, agents = self.three(url)
        speaker, listener = agents[:2]
        line, count = b"x" * 40000 + b"\n", 300  # 12 MB, of which 8 MiB are kept

        def speak():
            for relay in relays:
                relay.counts(bus_disconnects=1)
            for _ in range(count):
                speaker.raw(line)
            relays[0].counts(lines_in=count + 1)
        self.restart(url, speak)
        received, told, ended = 0, [], False

        def all_accounted_for():
            nonlocal received, ended
            listener.sock.settimeout(0.5)
            try:
                text = listener.line()
            except socket.timeout:
                if received and not ended:
                    ended = True
                    speaker.raw(b"the end\n")  # shows the gap before it
                return False
            received += not text.startswith(b"Warning: ") and b"the end" not in text
            told.extend(int(n) for n in re.findall(rb"Warning: (\d+) messages from other relays "
                                                   rb"were lost", text))
            return received + sum(told) == count
        self.assertTrue(wait_until(all_accounted_for, 20, 0),
                        f"{received} came, told of {told}, of {count}")
        self.assertGreater(received, 190)  # 8 MiB of them
        speaker.sock.settimeout(5)
        lost, said = sum(told), 0
        while said < lost:  # in parts, when lines are dropped while the first is told
            text = speaker.line().decode()
            part = re.fullmatch(r"Warning: (\d+) messages from this relay did not reach the others\.",
                                text)
            self.assertTrue(part, text)
            said += int(part[1])
        self.assertEqual(said, lost)

    def test_agents_on_different_relays_hear_each_other_exactly_once(self):
        url = self.server()
        one, two, three = (self.relay("--bus", url) for _ in range(3))
        a, b = Peer(self, one), Peer(self, two)
        c, d = Peer(self, two), Peer(self, three)
        for relay in (one, two, three):
            relay.counts(connections=1)
        two.counts(connections=2)
        count = 500
        for n in range(count):
            a.say({"n": n})
            b.say({"n": n})
        for listener, heard_of in [(a, [b]), (b, [a]), (c, [a, b]), (d, [a, b])]:
            seen = {}
            for _ in range(count * len(heard_of)):
                address, payload = listener.hear()
                seen.setdefault(address, []).append(payload["n"])
            self.assertEqual(seen, {s.address: list(range(count)) for s in heard_of})
        for listener in (a, b, c, d):
            self.assertTrue(listener.silent(0.3), "a line came twice")
        for relay, out, came in [(one, count, count), (two, count, count),
                                 (three, 0, 2 * count)]:
            now = relay.metrics()
            self.assertEqual((now["bus_published"], now["bus_received"]), (out, came))
            self.assertEqual((now["bus_duplicates"], now["bus_lost"], now["bus_dropped"]),
                             (0, 0, 0))

    def test_rooms_are_apart(self):
        url = self.server()
        one, two = self.relay("--bus", url, "--room", "red"), \
            self.relay("--bus", url, "--room", "blue")
        a, b = Peer(self, one), Peer(self, two)
        one.counts(connections=1)
        two.counts(connections=1)
        a.say("red only")
        self.assertTrue(b.silent(0.3))

    def test_a_slow_consumer_is_counted_and_reported(self):
        url = self.server()
        # The second relay may keep four lines, and its only reader holds it back.
        one = self.relay("--bus", url)
        two = self.relay("--bus", url, "--bus-pending", "4", "--queue", "65536",
                         "--hold", "60000")
        sender, reader = Peer(self, one), Peer(self, two, receive_buffer=4096)
        one.counts(connections=1)
        two.counts(connections=1)
        count, line = 30000, b"x" * 1000 + b"\n"
        for _ in range(count // 100):
            sender.raw(line * 100)
        one.counts(bus_published=count, seconds=10)
        now = two.counts(bus_slow_consumer=1, bus_dropped=1, seconds=5)
        self.assertGreaterEqual(now["bus_slow_consumer"], 1)
        self.assertGreater(now["bus_dropped"], 0)
        # Reading on shows the gap in the numbers: lost as counted by the receiver too.
        received, rest = 0, b""

        def read_on():
            nonlocal received, rest
            reader.sock.settimeout(0.2)
            try:
                while True:
                    *lines, rest = (rest + reader.sock.recv(1 << 18)).split(b"\n")
                    received += sum(not line.startswith(b"Warning: ") for line in lines)
            except OSError:
                pass
            state = two.metrics()
            return state["queued_bytes"] == 0 and state["lines_out"] == received
        self.assertTrue(wait_until(read_on, 10))
        sender.raw(b"the end\n")

        def all_accounted_for():
            now = two.metrics()
            return now["bus_lost"] and now["bus_received"] + now["bus_lost"] == count + 1
        self.assertTrue(wait_until(all_accounted_for, 5), two.metrics())
        self.assertEqual(two.stop(), 0)
        self.assertIn("slow consumer", two.err)
        self.assertIn("lines dropped", two.err)

    def test_a_relay_outlives_the_loss_of_its_bus(self):
        url = self.server()
        one = self.relay("--bus", url)
        a, b = self.peers(one, 2)
        self.nats.kill()
        self.nats.wait(10)
        one.counts(bus_disconnects=1, seconds=5)
        for n in range(100):
            a.say(n)
            self.assertEqual(b.hear()[1], n)
        self.assertEqual(one.stop(), 0)
        self.assertIn("disconnected", one.err)

    def test_strangers_on_the_bus_are_counted_and_ignored(self):
        url = self.server()
        relay = self.relay("--bus", url)
        a = Peer(self, relay)
        relay.counts(connections=1)
        host, port = url.split("//")[1].split(":")
        with socket.create_connection((host, int(port)), 5) as s:
            s.sendall(b"CONNECT {\"verbose\":false}\r\n")
            good = b'0123456789abcdef 7 {"content":"hi","remote_addr":"1.2.3.4:5"}'
            for body in [b"", b"nonsense", b"0123456789abcdef x {}",
                         b"0123456789abcdef 1 {\n}", b"0123456789abcdef 0 {}",
                         b"0123456789abcdef 1 \xff", good, good,
                         good.replace(b" 7 ", b" 10 ")]:
                s.sendall(b"PUB motet.relay.default %d\r\n%s\r\n" % (len(body), body))
            s.sendall(b"PING\r\n")
            while b"PONG" not in s.recv(4096):
                pass
        now = relay.counts(bus_malformed=6, bus_received=2, bus_lost=2)
        self.assertEqual((now["bus_malformed"], now["bus_received"], now["bus_duplicates"],
                          now["bus_lost"]), (6, 2, 1, 2))
        self.assertEqual(json.loads(a.line()), {"content": "hi", "remote_addr": "1.2.3.4:5"})


if __name__ == "__main__":
    main()
