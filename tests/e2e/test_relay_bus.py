"""Relays joined over NATS: every line crosses once, and nothing is lost in silence."""
import glob
import json
import shutil
import socket
import subprocess

from harness import main
from wire import LOOPBACK, Peer, WireCase, wait_until

NATS = shutil.which("nats-server") or "/usr/sbin/nats-server"


class Bus(WireCase):
    def server(self):
        """A NATS server of this test alone; returns its URL."""
        where = self.dir / "nats"
        where.mkdir(exist_ok=True)
        self.nats = subprocess.Popen([NATS, "-a", LOOPBACK, "-p", "-1", "--ports_file_dir",
                                      str(where)], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        self.addCleanup(self.nats.wait, 10)
        self.addCleanup(self.nats.kill)

        def ports():
            for name in glob.glob(str(where / "*.ports")):
                try:
                    with open(name) as file:
                        return json.load(file)["nats"][0]
                except (ValueError, KeyError, OSError):
                    pass
        url = wait_until(ports, 10)
        self.assertTrue(url, "nats-server did not start")
        return url

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
        received = 0

        def read_on():
            nonlocal received
            reader.sock.settimeout(0.2)
            try:
                while True:
                    received += reader.sock.recv(1 << 18).count(b"\n")
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
