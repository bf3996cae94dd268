"""motet agent relay: what agents on raw sockets see."""
import json
import socket
import time

from harness import main
from wire import LOOPBACK, Peer, Process, WireCase, wait_until


class Relaying(WireCase):
    def test_a_line_reaches_everybody_but_its_sender(self):
        relay = self.relay()
        a, b, c = self.peers(relay, 3)
        a.say({"hello": "world", "n": 1, "list": [True, None, 1.5]})
        for other in (b, c):
            self.assertEqual(other.hear(), (a.address, {"hello": "world", "n": 1,
                                                        "list": [True, None, 1.5]}))
        self.assertTrue(a.silent())

    def test_content_is_the_line_as_text_whatever_it_is(self):
        relay = self.relay()
        a, b = self.peers(relay, 2)
        for line in ["", "plain text", '{"_version": "1.3.0"', 'quote " slash \\',
                     "tab\tbell\x07", "h\u00e9llo \u2603 \U0001f600", "[" * 5000, "null"]:
            a.raw(line.encode() + b"\n")
            self.assertEqual(json.loads(b.line()),
                             {"remote_addr": a.address, "content": line})

    def test_crlf_ends_a_line_too(self):
        relay = self.relay()
        a, b = self.peers(relay, 2)
        a.raw(b"one\r\ntwo\n")
        self.assertEqual([json.loads(b.line())["content"] for _ in range(2)], ["one", "two"])

    def test_a_line_without_newline_counts_when_its_sender_leaves(self):
        relay = self.relay()
        a, b = self.peers(relay, 2)
        a.raw(b"last words")
        a.close()
        self.assertEqual(json.loads(b.line())["content"], "last words")

    def test_frames_split_at_every_byte(self):
        relay = self.relay()
        a, b = self.peers(relay, 2)
        text = '{"k": "h\u00e9 \U0001f600"}\n'.encode()
        for cut in range(1, len(text)):
            a.raw(text[:cut])
            time.sleep(0.001)
            a.raw(text[cut:])
            self.assertEqual(json.loads(b.line())["content"].encode() + b"\n", text)
        for byte in text:
            a.raw(bytes([byte]))
        self.assertEqual(json.loads(b.line())["content"].encode() + b"\n", text)

    def test_lines_of_one_sender_keep_their_order(self):
        relay = self.relay()
        senders, listener = self.peers(relay, 4), Peer(self, relay, timeout=10)
        relay.counts(connections=5)
        count = 2000
        for start in range(0, count, 100):
            for s in senders:
                s.raw(b"".join(b"%d\n" % n for n in range(start, start + 100)))
        seen = {s.address: [] for s in senders}
        for _ in range(count * len(senders)):
            line = json.loads(listener.line())
            seen[line["remote_addr"]].append(int(line["content"]))
        for s in senders:
            self.assertEqual(seen[s.address], list(range(count)))

    def test_agents_hear_of_the_shutdown(self):
        relay = self.relay()
        a, b = self.peers(relay, 2)
        self.assertEqual(relay.stop(), 0)
        self.assertEqual(a.line(), b"Warning: Server is shutting down.")
        self.assertIsNone(a.line())
        self.assertEqual(b.line(), b"Warning: Server is shutting down.")

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            return  # a machine without IPv6 has nothing to show
        relay = self.relay(listen="[::1]:0")
        with socket.create_connection(("::1", relay.port), 5) as a, \
                socket.create_connection(("::1", relay.port), 5) as b:
            relay.counts(connections=2)
            a.sendall(b"hi\n")
            self.assertEqual(json.loads(b.makefile("rb").readline()),
                             {"content": "hi",
                              "remote_addr": "[::1]:%d" % a.getsockname()[1]})

    def test_the_message_log_holds_every_line_once(self):
        log = self.dir / "messages.jsonl"
        relay = self.relay("--log", log)
        a, b = self.peers(relay, 2)
        for n in range(50):
            a.say({"n": n})
            b.hear()
        self.assertEqual(relay.stop(), 0)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([json.loads(line["content"])["_payload"]["n"] for line in lines],
                         list(range(50)))
        for line in lines:
            self.assertEqual(line["remote_addr"], a.address)
            self.assertRegex(line["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)

    def test_a_log_that_cannot_be_written_is_reported_and_stops_nobody(self):
        relay = self.relay("--log", "/dev/full")
        a, b = self.peers(relay, 2)
        a.say("x")
        self.assertEqual(b.hear()[1], "x")
        self.assertGreaterEqual(relay.counts(log_errors=1)["log_errors"], 1)
        relay.stop()
        self.assertIn("cannot write the message log", relay.err)

    def test_metrics_over_http_and_in_a_file(self):
        path = self.dir / "metrics.prom"
        relay = self.relay("--metrics-file", path)
        a, b = self.peers(relay, 2)
        a.say(1)
        b.hear()
        now = relay.metrics()
        self.assertEqual((now["connections"], now["lines_in"], now["lines_out"]), (2, 1, 1))
        self.assertTrue(wait_until(lambda: path.exists() and
                                   "motet_relay_lines_in_total 1\n" in path.read_text()))
        with socket.create_connection((relay.url.split("/")[2].split(":")[0],
                                       int(relay.url.split("/")[2].split(":")[1])), 5) as s:
            s.sendall(b"GET /nothing HTTP/1.1\r\n\r\n")
            self.assertTrue(s.recv(100).startswith(b"HTTP/1.1 404"))

    def test_a_configuration_file_of_an_existing_relay(self):
        config = self.write("config.json", json.dumps({
            "host": LOOPBACK, "port": 1, "version": "python", "logger": {},
            "hyper_parameters": {"rate_limit_msgs_per_minute": 2, "client_timeout_secs": "x",
                                 "worker_threads": 4, "rate_limit_msgs_per_minut": 3}}))
        relay = self.relay("--config", config)  # --listen comes first
        a, b = self.peers(relay, 2)
        a.raw(b"1\n2\n3\n")
        self.assertEqual(a.line()[:33], b"Warning: You are sending messages")
        self.assertEqual(relay.metrics()["lines_rate_limited"], 1)
        self.assertIn("client_timeout_secs has the wrong type", relay.err)
        self.assertIn("did you mean `rate_limit_msgs_per_minute`?", relay.err)
        self.fails(1, "agent", "relay", "--config", self.write("list.yaml", "[]"))
        self.fails(1, "agent", "relay", "--config", self.write("torn.json", "{"))
        self.fails(3, "agent", "relay", "--config", "missing.json")

    def test_used_wrongly(self):
        for words, reason in [(["--listen", "nonsense"], "HOST:PORT"),
                              (["--listen", "::1:99"], "HOST:PORT"),
                              (["--listen", "127.0.0.1:99999"], "HOST:PORT"),
                              (["--queue", "-5"], "whole number"),
                              (["--rate", "many"], "whole number"),
                              (["--cert", "x.pem"], "both a certificate and its key"),
                              (["--bus", "nats://127.0.0.1:1", "--room", "a.b"], "room"),
                              (["surplus"], "")]:
            with self.subTest(words):
                self.assertIn(reason, self.fails(2, "agent", "relay", *words).err)

    def test_the_world_fails(self):
        relay = self.relay()
        for words, reason in [(["--listen", relay.address], "cannot listen"),
                              (["--log", "/nonexistent/x"], "cannot open"),
                              (["--cert", "a", "--key", "b"], "certificate"),
                              (["--listen", "127.0.0.1:0", "--bus", "nats://127.0.0.1:1"],
                               "cannot join the bus")]:
            with self.subTest(words):
                self.assertIn(reason, self.fails(3, "agent", "relay", *words).err)

    def test_a_failing_bus_never_shows_its_password(self):
        result = self.fails(3, "agent", "relay", "--bus", "nats://me:hunter2@127.0.0.1:1")
        self.assertNotIn("hunter2", result.err + result.out)


class Numbers(WireCase):
    def test_a_relay_that_could_take_nothing_is_a_mistake(self):
        for option, most in (("max-line", 1 << 28), ("queue", 1 << 40), ("memory", 1 << 40),
                             ("max-clients", 1 << 24), ("bus-pending", 1 << 30)):
            result = self.fails(2, "agent", "relay", "--listen", LOOPBACK + ":0", f"--{option}", "0")
            self.assertIn(f"{option} is a number from 1 to {most}, not 0", result.err)
            key = {"queue": "queue_bytes", "memory": "memory_bytes"}.get(option,
                                                                         option.replace("-", "_"))
            for value in (0, most + 1):
                config = self.write("relay.json", json.dumps({"motet": {key: value}}))
                result = self.run_motet("agent", "relay", "--listen", LOOPBACK + ":0", "--config",
                                        config, "--metrics", "no address")
                self.assertEqual(result.code, 2, repr(result))
                # Beyond what a file may say at all: reported, and the default stays.
                self.assertRegex(result.err, f"{option} is a number from 1 to {most}"
                                 if value < 1 << 40 else f"(?s){key}.*no address")


if __name__ == "__main__":
    main()
