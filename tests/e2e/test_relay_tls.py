"""motet agent relay over TLS."""
import json
import socket
import ssl
import subprocess

from harness import main
from wire import Process, WireCase, wait_until


class Tls(WireCase):
    def make(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, cwd=self.dir,
                       capture_output=True)

    def setUp(self):
        super().setUp()
        self.make("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                  "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj",
                  "/CN=test authority")
        for name in ("relay", "agent"):
            self.make("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                      "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                      f"/CN={name}")
            self.write(f"{name}.ext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
            self.make("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey",
                      "ca.key", "-CAcreateserial", "-out", f"{name}.pem", "-days", "2",
                      "-extfile", f"{name}.ext")

    def connect(self, relay, **identity):
        context = ssl.create_default_context(cafile=self.dir / "ca.pem")
        if identity:
            context.load_cert_chain(**identity)
        sock = socket.create_connection((relay.host, relay.port), 5)
        self.addCleanup(sock.close)
        wrapped = context.wrap_socket(sock, server_hostname="127.0.0.1")
        self.addCleanup(wrapped.close)
        return wrapped

    def test_lines_pass_over_tls_whole_and_in_order(self):
        relay = self.relay("--cert", "relay.pem", "--key", "relay.key")
        a, b = self.connect(relay), self.connect(relay)
        relay.counts(connections=2)
        texts = [str(n) + "x" * (n * 37 % 20000) for n in range(300)]
        reader = b.makefile("rb")
        for start in range(0, 300, 10):
            a.sendall("".join(t + "\n" for t in texts[start:start + 10]).encode())
            for t in texts[start:start + 10]:
                self.assertEqual(json.loads(reader.readline())["content"], t)

    def test_half_a_line_counts_only_when_its_sender_says_goodbye(self):
        relay = self.relay("--cert", "relay.pem", "--key", "relay.key")
        cut, leaves, b = self.connect(relay), self.connect(relay), self.connect(relay)
        relay.counts(connections=3)
        b.settimeout(10)
        reader = b.makefile("rb")
        cut.sendall(b"whole\npay 1000")
        self.assertEqual(json.loads(reader.readline())["content"], "whole")
        cut.shutdown(socket.SHUT_RDWR)  # the socket's, without a word of TLS
        relay.counts(connections=2)
        self.assertEqual(json.loads(leaves.recv(4096))["content"], "whole")
        leaves.sendall(b"last words")
        leaves.unwrap()
        self.assertEqual(json.loads(reader.readline())["content"], "last words")

    def test_a_peer_without_tls_is_turned_away_and_hears_nothing(self):
        relay = self.relay("--cert", "relay.pem", "--key", "relay.key")
        a, b = self.connect(relay), self.connect(relay)
        with socket.create_connection((relay.host, relay.port), 5) as plain:
            plain.sendall(b"hello in the clear\n")
            self.assertTrue(wait_until(lambda: relay.metrics()["tls_failures"] == 1))
            a.sendall(b"secret\n")
            self.assertEqual(json.loads(b.recv(4096))["content"], "secret")
            plain.settimeout(5)
            try:
                self.assertNotIn(b"secret", plain.recv(4096))
            except ConnectionResetError:
                pass

    def test_agents_must_show_a_certificate_when_so_configured(self):
        relay = self.relay("--cert", "relay.pem", "--key", "relay.key", "--client-ca",
                           "ca.pem")
        mine = {"certfile": self.dir / "agent.pem", "keyfile": self.dir / "agent.key"}
        a, b = self.connect(relay, **mine), self.connect(relay, **mine)
        relay.counts(connections=2)
        a.sendall(b"known\n")
        self.assertEqual(json.loads(b.recv(4096))["content"], "known")
        with self.assertRaises(OSError):
            stranger = self.connect(relay)
            stranger.sendall(b"x\n")
            if stranger.recv(10) == b"":
                raise OSError("closed")
        self.assertGreaterEqual(relay.counts(tls_failures=1)["tls_failures"], 1)

    def test_an_agent_runs_over_tls_and_checks_its_relay(self):
        relay = self.relay("--cert", "relay.pem", "--key", "relay.key", "--client-ca",
                           "ca.pem")
        self.write("echo.yaml", """
agent: echo
tape: {shape: many, start: [A]}
receivers: [{route: A --> A, do: stay}]
senders: [{route: A --> A, message: {heard: "{{content}}"}}]
""")
        mine = {"certfile": self.dir / "agent.pem", "keyfile": self.dir / "agent.key"}
        peer = self.connect(relay, **mine)
        agent = Process(self, "agent", "run", "echo.yaml", "--connect", relay.address,
                        "--tls", "--ca", "ca.pem", "--cert", "agent.pem", "--key",
                        "agent.key", "--pause", "20")
        self.assertEqual(relay.counts(connections=2, seconds=10)["connections"], 2)
        self.assertTrue(wait_until(lambda: "connected to" in agent.err), agent.err)
        reader = peer.makefile("rb")
        for n in (3, 40000):
            peer.sendall(b"x" * n + b"\n")
            heard = json.loads(json.loads(reader.readline())["content"])["_payload"]
            self.assertEqual(heard, {"heard": "x" * n})
        self.assertEqual(agent.stop(), 0, agent.err)
        # Without our authority the relay is not trusted, and nothing is said to it.
        result = self.fails(3, "agent", "run", "echo.yaml", "--connect", relay.address,
                            "--tls", "--retries", "1")
        self.assertIn("certificate verify failed", result.err)

    def test_a_key_that_does_not_fit_is_refused_at_start(self):
        result = self.fails(3, "agent", "relay", "--cert", "relay.pem", "--key", "agent.key")
        self.assertIn("certificate", result.err)


if __name__ == "__main__":
    main()
