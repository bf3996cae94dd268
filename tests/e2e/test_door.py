"""The server's doors: whom it talks to, whom it lets in, and a log that holds nobody up."""
import contextlib
import fcntl
import http.client
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import threading

from harness import MOTET, Case, main
from serve import ESCROW, Server
from wire import WireCase

LAMP = """persona user
entity Lamp { states: [off, on] initial: off transitions: [(off, on)] }
operation press { allowed_personas: [user] precondition: true effects: [(Lamp, off, on)] outcomes: [done] }
"""


def make_certificate(directory, *kind):
    subprocess.run(["openssl", "req", "-x509", *kind, "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem",
                    "-out", "cert.pem"], cwd=directory, check=True, capture_output=True)


RSA = ("-newkey", "rsa:2048")
EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")

# What a client offers, and whether a handshake follows.
OFFERS = [
    (("-tls1", "-cipher", "ALL:@SECLEVEL=0"), False),
    (("-tls1_1", "-cipher", "ALL:@SECLEVEL=0"), False),
    (("-tls1_2", "-cipher", "kRSA:@SECLEVEL=0"), False),
    (("-tls1_2", "-cipher", "AES128-GCM-SHA256:@SECLEVEL=0"), False),
    (("-tls1_2", "-cipher", "ECDHE+AES+SHA1:@SECLEVEL=0"), False),
    (("-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0"), False),
    (("-tls1_2", "-cipher", "ECDHE+AESGCM"), True),
    (("-tls1_2", "-cipher", "ECDHE+CHACHA20"), True),
    (("-tls1_3",), True),
]


def shake_hands(host, port, offer):
    """The protocol and cipher that a client with this offer got, or None."""
    done = subprocess.run(["openssl", "s_client", "-connect", f"{host}:{port}", *offer],
                          input=b"", capture_output=True, timeout=30)
    found = re.search(rb"New, (\S+), Cipher is (?!\(NONE\))(\S+)", done.stdout)
    return found and (found[1].decode(), found[2].decode())


class Listener(http.server.BaseHTTPRequestHandler):
    """Answers everything and remembers what it was asked."""

    def do_GET(self):
        self.server.seen.append((self.path, self.headers.get("Authorization"), self.headers.get("X-Key")))
        body = b'{"n": 7, "data": {"n": 7}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *args):
        pass


def contract_of(url, source="hr", protocol="http", path="secret.n"):
    setting = {"http": "base_url", "graphql": "endpoint"}[protocol]
    return f"""source {source} {{ protocol: {protocol} {setting}: "{url}" }}
fact n {{ type: Int(min: 0, max: 9) source: {source} {{ path: "{path}" }} }}
persona p
entity E {{ states: [a] initial: a transitions: [] }}
rule r {{ stratum: 0 when: n >= 0 produce: seen(n) }}
"""


class Outgoing(Case):
    """A contract does not decide where the server goes, nor what it takes along."""

    def setUp(self):
        super().setUp()
        self.spy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        self.spy.seen = []
        self.port = self.spy.server_port
        thread = threading.Thread(target=self.spy.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.spy.server_close)
        self.addCleanup(self.spy.shutdown)

    def serve(self, *files, **config):
        self.write("motet.json", json.dumps({"files": list(files), **config}))
        server = Server(self.dir, options=["--config", "motet.json"],
                        env={"HR_TOKEN": "tok-123456", "http_proxy": "http://127.0.0.1:1"})
        self.deployer = server.token("--right", "deploy", "--right", "evaluate", "--right", "ledger:read")
        server.start()
        self.addCleanup(server.stop)
        return server

    def deploy(self, server, text, name="new"):
        return server.post("/v1/contracts", {"source": text, "contract": name}, token=self.deployer)

    def evaluate(self, server, name="new"):
        return server.post(f"/v1/contracts/{name}/evaluate", {}, token=self.deployer)

    def test_FS1_a_credential_goes_only_where_the_configuration_says(self):
        here = f"http://127.0.0.1:{self.port}"
        for settings in ({"auth": {"bearer": {"env": "HR_TOKEN"}}},
                         {"auth": {"basic": {"user": "u", "password": {"env": "HR_TOKEN"}}}},
                         {"auth": {"query": "key", "value": {"env": "HR_TOKEN"}}},
                         {"auth": {"header": "X-Key", "value": {"env": "HR_TOKEN"}}},
                         {"headers": {"X-Key": {"env": "HR_TOKEN"}}}):
            with self.subTest(settings), contextlib.ExitStack() as end:
                server = self.serve(sources={"hr": settings})
                end.callback(server.stop)
                self.spy.seen.clear()
                answer = self.deploy(server, contract_of(here))
                self.evaluate(server)
                self.assertEqual(self.spy.seen, [])
                self.assertEqual((answer.status, answer.code), (422, "invalid_contract"), answer)
                self.assertIn("base_url of sources.hr", answer.json["detail"])

    def test_FS1_a_contract_makes_the_server_ask_nobody_new(self):
        server = self.serve(sources={"clock": {}})
        hosts = ["127.0.0.1", "localhost", "LOCALHOST", "2130706433", "0x7f.1", "127.1", "0.0.0.0", "[::1]",
                 "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "rebound.localhost"]
        for number, host in enumerate(hosts):
            for protocol in ("http", "graphql"):
                with self.subTest(host=host, protocol=protocol):
                    name = f"c{number}{protocol}"
                    text = contract_of(f"http://{host}:{self.port}/x", "spy", protocol, "n")
                    answer = self.deploy(server, text, name)
                    self.evaluate(server, name)
                    self.assertEqual(self.spy.seen, [])
                    self.assertEqual((answer.status, answer.code), (422, "invalid_contract"), answer)
                    self.assertIn("outgoing.origins", answer.json["detail"])

    def test_FS1_a_name_that_leads_inside_is_not_followed(self):
        url = f"http://rebound.localhost:{self.port}"
        server = self.serve(sources={"hr": {"base_url": url, "auth": {"bearer": {"env": "HR_TOKEN"}}}})
        self.assertEqual(self.deploy(server, contract_of("https://hr.example")).status, 201)
        answer = self.evaluate(server)
        self.assertEqual(self.spy.seen, [])
        self.assertEqual((answer.code, answer.json["fault"]), ("source_failed", "not_allowed"), answer)
        self.assertIn("outgoing.networks", answer.json["detail"])
        server.stop()
        server = self.serve(sources={"hr": {"base_url": url, "auth": {"bearer": {"env": "HR_TOKEN"}}}},
                            outgoing={"networks": ["127.0.0.0/8", "::1"]})
        answer = self.evaluate(server)
        self.assertEqual((answer.status, self.spy.seen), (200, [("/secret", "Bearer tok-123456", None)]), answer)

    def test_FS1_a_contract_reads_no_variable_of_its_own_choosing(self):
        text = """source box { protocol: static }
fact token { type: Text(max_length: 100) source: box { path: "HR_TOKEN" } }
persona p
entity E { states: [a] initial: a transitions: [] }
rule r { stratum: 0 when: token != "" produce: seen(token) }
"""
        server = self.serve(sources={"box": {"environment": True}})
        deployed = self.deploy(server, text)
        self.assertNotIn(b"tok-123456", self.evaluate(server).body)
        self.assertEqual((deployed.status, deployed.code), (422, "invalid_contract"), deployed)
        server.stop()
        server = self.serve(sources={"box": {"environment": True, "facts": {"token": {"variable": "HR_TOKEN"}}}})
        self.assertEqual(self.deploy(server, text).status, 201)
        self.assertIn(b"tok-123456", self.evaluate(server).body)

    def test_what_the_configuration_lists_is_fetched_without_credentials(self):
        here = f"http://127.0.0.1:{self.port}"
        server = self.serve(sources={"hr": {"auth": "none"}}, outgoing={"origins": [here.upper() + "/"]})
        self.assertEqual(self.deploy(server, contract_of(here + "/v1/")).status, 201)
        answer = self.evaluate(server)
        self.assertEqual((answer.status, self.spy.seen), (200, [("/v1/secret", None, None)]), answer)
        for other in (f"https://127.0.0.1:{self.port}", "http://127.0.0.1", f"http://localhost:{self.port}",
                      f"http://127.0.0.1:{self.port}.evil.example", f"http://user@127.0.0.1:{self.port}"):
            self.assertEqual(self.deploy(server, contract_of(other), "other").status, 422, other)

    def test_FS6_what_is_fetched_is_for_those_who_may_read_it(self):
        """Fetched with the server's credential: not shown, not echoed where it does not fit, not even asked for."""
        here = f"http://127.0.0.1:{self.port}"
        for most in (9, 5):  # the source says 7: it fits, and it does not
            with self.subTest(most):
                self.write("hr.tenor", contract_of(here).replace("max: 9", f"max: {most}"))
                for name in self.dir.glob("serve.db*"):
                    name.unlink()
                server = self.serve("hr.tenor", sources={"hr": {"base_url": here}})
                asker = server.token("--right", "hr/evaluate")
                self.assertTrue(server.wait_until(lambda: server.get("/v1/contracts", token=asker).status == 200))
                self.spy.seen.clear()
                for path, body in (("evaluate", {}), ("partial", {}), ("explain", {"verdict": "r"}),
                                   ("explain", {"verdict": "seen"}), ("evaluate", {"partial": True})):
                    answer = server.post(f"/v1/contracts/hr/{path}", body, token=asker)
                    self.assertNotIn("7", re.sub(r'"(etag|request_id)":"[^"]*"', "", answer.body.decode()), answer)
                self.assertEqual(self.spy.seen, [])
                full = self.evaluate(server, "hr")
                self.assertEqual(len(self.spy.seen), 1)
                self.assertEqual(full.status, 200 if most == 9 else 502, full)
                server.stop()

    def test_a_credential_does_not_go_to_an_origin_that_is_only_listed(self):
        here = f"http://127.0.0.1:{self.port}"
        server = self.serve(sources={"hr": {"auth": {"bearer": {"env": "HR_TOKEN"}}}},
                            outgoing={"origins": [here]})
        answer = self.deploy(server, contract_of(here))
        self.evaluate(server)
        self.assertEqual((answer.status, self.spy.seen), (422, []), answer)
        self.assertIn("only the contract says where they would go", answer.json["detail"])

    def test_of_a_proxy_its_own_address_is_judged(self):
        for host, status in (("127.0.0.1", 200), ("rebound.localhost", 502)):
            for proxy in (f"http://{host}:{self.port}", f"{host}:{self.port}"):
                self.spy.seen.clear()
                server = self.serve(sources={"hr": {"base_url": "http://hr.example", "proxy": proxy}})
                self.assertIn(self.deploy(server, contract_of("http://other.example")).status, (200, 201))
                answer = self.evaluate(server)
                seen = [("http://hr.example/secret", None, None)] if status == 200 else []
                self.assertEqual((answer.status, self.spy.seen), (status, seen), answer)
                server.stop()

    def test_a_contract_that_is_no_longer_allowed_is_served_but_not_fetched_for(self):
        here = f"http://127.0.0.1:{self.port}"
        server = self.serve(sources={}, outgoing={"origins": [here]})
        self.assertEqual(self.deploy(server, contract_of(here)).status, 201)
        self.assertEqual(self.evaluate(server).status, 200)
        server.stop()
        self.spy.seen.clear()
        server = self.serve(sources={})
        answer = self.evaluate(server)
        self.assertEqual((answer.code, answer.json["fault"]), ("source_failed", "not_allowed"), answer)
        self.assertEqual(self.spy.seen, [])
        self.assertEqual(self.deploy(server, contract_of(here), "again").status, 422)
        server.stop()
        self.assertIn("source_not_allowed", server.log())

    def test_a_file_at_the_start_is_held_to_the_same_rule(self):
        self.write("c.tenor", contract_of("https://hr.example"))
        for config, words in (({"sources": {}}, ["sources", "https://hr.example", "outgoing.origins", "base_url of sources.hr"]),
                              ({"sources": {"hr": {"headers": {"X-Key": "k"}}}}, ["sources.hr", "base_url of sources.hr"]),
                              ({"sources": {}, "outgoing": {"origins": ["https://hr.example/v1"]}}, ["outgoing", "without a path"]),
                              ({"sources": {}, "outgoing": {"origins": ["ftp://hr.example"]}}, ["outgoing", "not an origin"]),
                              ({"sources": {}, "outgoing": {"networks": ["10.1.0.0/8"]}}, ["outgoing", "not a network"]),
                              ({"sources": {}, "outgoing": {"hosts": []}}, ["outgoing.hosts", "not a key"]),
                              ({"sources": {}, "outgoing": {"origins": "*"}}, ["outgoing", "list of texts"])):
            self.write("motet.json", json.dumps({"files": ["c.tenor"], "listen": "127.0.0.1:0", **config}))
            for extra in ((), ("--check-config",)):
                result = self.fails(1, "serve", "--config", "motet.json", "--store", "sqlite:x.db", *extra)
                for word in words:
                    self.assertIn(word, result.err)
        self.write("motet.json", json.dumps({"outgoing": {}}))
        self.assertIn("outgoing has no effect", self.fails(2, "serve", "--config", "motet.json").err)
        good = {"sources": {}, "outgoing": {"origins": ["https://HR.example:443"]}}
        self.write("motet.json", json.dumps({"files": ["c.tenor"], **good}))
        self.holds("serve", "--config", "motet.json", "--check-config")


class Tls(WireCase):
    def check(self, host, port):
        for offer, good in OFFERS:
            with self.subTest(" ".join(offer)):
                got = shake_hands(host, port, offer)
                self.assertEqual(bool(got), good, got)

    def test_FS3_the_server_speaks_modern_tls_only(self):
        for kind in (RSA, EC):
            make_certificate(self.dir, *kind)
            server = Server(self.dir, ESCROW, options=["--tls-cert", "cert.pem", "--tls-key", "key.pem"])
            with server:
                self.check(server.host, server.port)

    def test_FS3_the_relay_speaks_modern_tls_only(self):
        for kind in (RSA, EC):
            make_certificate(self.dir, *kind)
            relay = self.relay("--cert", "cert.pem", "--key", "key.pem")
            self.check(relay.host, relay.port)


class Strangers(Case):
    """Without tokens only where a request comes from says whose it is."""

    def serve(self, *options):
        server = Server(self.dir, self.write("lamp.tenor", LAMP), options=options)
        server.start()
        self.addCleanup(server.stop)
        return server

    def writes(self, server):
        """A request of each writing method, with a body and without."""
        lamp = "/v1/contracts/lamp/instances/Lamp"
        return [("POST", "/v1/flows/x/resume", None), ("POST", "/v1/flows/x/cancel", None),
                ("POST", lamp, {"id": "l9"}), ("POST", lamp, None), ("DELETE", f"{lamp}/l1", None),
                ("POST", "/v1/contracts/lamp/operations/press",
                 {"persona": "user", "bindings": {"Lamp": "l1"}})]

    def test_FS12_a_page_of_another_origin_writes_nothing(self):
        server = self.serve()
        made = server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l1"})
        self.assertEqual(made.status, 201, made)
        records = len(server.get("/v1/ledger").json["items"])
        own = f"{server.host}:{server.port}"
        bad = [{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
               {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
               {"Sec-Fetch-Site": "same-site"}, {"Origin": f"http://{own}.evil.example"},
               {"Origin": f"http://{server.host}:{server.port + 1}"}, {"Origin": own}, {"Origin": ""},
               {"Origin": f"http://{own}", "Sec-Fetch-Site": "cross-site"}]
        for fields in bad:
            for method, path, body in self.writes(server):
                with self.subTest(method=method, path=path, fields=fields):
                    answer = server.ask(method, path, body=body, headers=fields)
                    self.assertEqual(answer.status, 403, answer)
        lamps = server.get("/v1/contracts/lamp/instances").json["items"]
        self.assertEqual([(lamp["id"], lamp["state"]) for lamp in lamps], [("l1", "off")])
        self.assertEqual(len(server.get("/v1/ledger").json["items"]), records)

    def test_a_name_that_was_led_here_writes_nothing(self):
        server = self.serve()
        for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example", "127.0.0.1.nip.io"):
            for method, path, body in self.writes(server):
                fields = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
                answer = server.ask(method, path, body=body, headers=fields)
                self.assertEqual((answer.status, answer.code), (421, "wrong_host"), answer)

    def test_where_others_are_let_in_pages_come_by_address(self):
        server = self.serve("--insecure")
        lamp = "/v1/contracts/lamp/instances/Lamp"
        for number, (host, page, status) in enumerate([
                ("lamp.example:8440", False, 201), ("192.0.2.7:8440", True, 201), ("[2001:db8::7]", True, 201),
                ("lamp.example:8440", True, 421), ("192.0.2.7.nip.io", True, 421), ("localhost", True, 201)]):
            fields = {"Host": host, **({"Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"} if page else {})}
            made = server.ask("POST", lamp, {"id": f"i{number}"}, headers=fields)
            self.assertEqual(made.status, status, (fields, made))
        made = server.ask("POST", lamp, {"id": "x"}, headers={"Host": "192.0.2.7", "Origin": "http://evil.example"})
        self.assertEqual((made.status, made.code), (403, "cross_origin"), made)

    def test_the_owners_programs_and_pages_are_let_in(self):
        server = self.serve()
        own = f"{server.host}:{server.port}"
        good = [{}, {"Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"},
                {"Sec-Fetch-Site": "none"}, {"Host": "LOCALHOST:1", "Origin": "http://localhost:1"}]
        for number, fields in enumerate(good):
            made = server.ask("POST", "/v1/contracts/lamp/instances/Lamp", {"id": f"g{number}"}, headers=fields)
            self.assertEqual(made.status, 201, (fields, made))
        self.assertEqual(server.get("/v1/contracts", headers={"Sec-Fetch-Site": "cross-site"}).status, 200)

    def test_who_shows_a_token_may_come_from_anywhere(self):
        server = self.serve()
        token = server.token("--right", "instances:create")
        server.wait_until(lambda: server.get("/v1/flows").status == 401)
        made = server.post("/v1/contracts/lamp/instances/Lamp", {"id": "l1"}, token=token,
                           headers={"Origin": "https://desk.example", "Sec-Fetch-Site": "cross-site"})
        self.assertEqual(made.status, 201, made)


class Deployments(Case):
    def test_FS14_a_source_without_a_name_replaces_nothing(self):
        with Server(self.dir, self.write("lamp.tenor", LAMP)) as server:
            before = server.get("/.well-known/tenor").json["etag"]
            other = LAMP.replace("user", "owner")
            for body in ({"source": other, "policy": "blue_green"}, {"source": other},
                         {"source": other, "contract": ""}, {"source": other, "dry_run": True}):
                answer = server.post("/v1/contracts", body)
                self.assertEqual((answer.status, answer.code), (400, "bad_request"), answer)
                self.assertIn("contract", answer.json["detail"])
            self.assertEqual(server.get("/.well-known/tenor").json["etag"], before)
            answer = server.post("/v1/contracts", {"source": other, "contract": "lamp2"})
            self.assertEqual(answer.status, 201, answer)
            self.assertEqual(server.get("/.well-known/tenor").json["etag"], before)
            # The command sends a bundle, which has its name.
            self.write("lamp3.tenor", LAMP)
            self.holds("deploy", "lamp3.tenor", "--server", server.url)
            self.assertEqual(server.get("/v1/contracts/lamp3").status, 200)


class Slow:
    """A source that answers when told."""

    def __init__(self, case):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.asked, self.answer = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        case.addCleanup(self.close)

    def serve(self):
        try:
            peer, _ = self.listener.accept()
        except OSError:
            return
        with peer:
            peer.recv(65536)
            self.asked.set()
            self.answer.wait(30)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{\"n\":1}")

    def close(self):
        self.answer.set()
        self.listener.close()
        self.thread.join()


COUNTED = """source api { protocol: http base_url: "https://api.example" }
fact n { type: Int(min: 0, max: 9) source: api { path: "v.n" } }
persona p
entity E { states: [a] initial: a transitions: [] }
rule r { stratum: 0 when: n >= 0 produce: seen(true) }
"""


def sockets_of(pid):
    """Number and inode of each socket of a process."""
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:"):
            found[int(name)] = target
    return found


def listener_of(pid, port):
    """The descriptor and inode of the listening socket on this port."""
    inodes = set()
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in list(table)[1:]:
            words = line.split()
            if words[3] == "0A" and int(words[1].split(":")[1], 16) == port:
                inodes.add(f"socket:[{words[9]}]")
    return [(fd, inode) for fd, inode in sockets_of(pid).items() if inode in inodes]


class Stopping(Case):
    def test_FH5_the_number_of_the_listening_socket_stays_taken_while_it_drains(self):
        slow = Slow(self)
        self.write("c.tenor", COUNTED)
        self.write("motet.json", json.dumps({"files": ["c.tenor"], "sources": {"api": {
            "base_url": f"http://127.0.0.1:{slow.port}", "timeout": "30s"}}}))
        server = Server(self.dir, options=["--config", "motet.json"])
        server.start()
        self.addCleanup(server.stop)
        (fd, inode), = listener_of(server.process.pid, server.port)
        answers = []
        caller = threading.Thread(target=lambda: answers.append(server.post("/v1/contracts/c/evaluate")))
        caller.start()
        self.assertTrue(slow.asked.wait(20))
        server.process.send_signal(signal.SIGTERM)
        self.assertTrue(server.wait_until(lambda: not self.connects(server), 20))
        # Draining: the call is under way and the library's threads are, too.
        self.assertEqual(sockets_of(server.process.pid).get(fd), inode)
        slow.answer.set()
        caller.join()
        self.assertEqual([a.status for a in answers], [200])
        self.assertEqual(server.stop(), 0)

    def connects(self, server):
        try:
            socket.create_connection((server.host, server.port), 5).close()
            return True
        except (ConnectionRefusedError, ConnectionResetError):
            return False


class Log(Case):
    """Nobody waits for the log."""

    def serve(self, stderr, *options):
        server = Server(self.dir, ESCROW, options=["--access-log", *options], stderr=stderr)
        server.start()
        self.addCleanup(server.stop)
        return server

    def pipe(self):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        return reader, os.fdopen(writer, "wb")

    def asks(self, server, count):
        """How many of so many requests, one after the other, were answered."""
        connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        answered = 0
        try:
            while answered < count:
                connection.request("GET", "/healthz")
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    break
                answered += 1
        except OSError:
            pass
        connection.close()
        return answered

    def dropped(self, server):
        text = server.get("/metrics").body.decode()
        found = re.search(r"^motet_http_log_lines_dropped_total (\d+)$", text, re.M)
        return int(found[1]) if found else None

    def read_all(self, reader, into):
        with os.fdopen(reader, "rb") as lines:
            into.extend(line.decode() for line in lines)

    def test_FS2_a_log_nobody_reads_holds_nobody_up(self):
        reader, writer = self.pipe()
        self.addCleanup(os.close, reader)
        server = self.serve(writer, "--stop-timeout", "5")
        self.assertEqual(self.asks(server, 12000), 12000)
        self.assertEqual(server.get("/healthz").status, 200)
        self.assertGreater(self.dropped(server), 1000)
        self.assertEqual(server.stop(), 0)

    def test_whoever_reads_again_is_told_what_was_dropped(self):
        reader, writer = self.pipe()
        server = self.serve(writer, "--limit", "log_bytes=4096", "--log", "json")
        self.assertEqual(self.asks(server, 200), 200)
        before = self.dropped(server)
        self.assertGreater(before, 50)
        heard = []
        thread = threading.Thread(target=self.read_all, args=(reader, heard))
        thread.start()
        self.assertTrue(server.wait_until(lambda: any("log_dropped" in line for line in heard), 20))
        self.assertEqual(self.asks(server, 20), 20)
        total = self.dropped(server)
        self.assertEqual(server.stop(), 0)
        thread.join()
        lines = [json.loads(line) for line in heard]
        told = [line["count"] for line in lines if line["event"] == "log_dropped"]
        self.assertEqual(sum(told), total)
        self.assertIn(f"{told[0]} lines were dropped", lines[[l["event"] for l in lines].index("log_dropped")]["message"])
        requests = [line for line in lines if line["event"] == "request"]
        self.assertGreaterEqual(len(requests) + total, 222)
        self.assertEqual([line["time"] for line in requests], sorted(line["time"] for line in requests))
        self.assertEqual(lines[-1]["event"], "stopped")

    def test_a_log_that_cannot_be_written_is_counted(self):
        reader, gone = self.pipe()
        os.close(reader)
        for stderr in (gone, open("/dev/full", "wb")):
            with self.subTest(stderr.name):
                server = self.serve(stderr)
                self.assertEqual(self.asks(server, 50), 50)
                self.assertTrue(server.wait_until(lambda: (self.dropped(server) or 0) >= 50))
                self.assertEqual(server.stop(), 0)

    def test_FS2_a_closed_standard_error_is_no_file_of_ours(self):
        server = subprocess.Popen(["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", str(MOTET), "serve", str(ESCROW),
                                   "--listen", "127.0.0.1:0", "--store", "sqlite:s.db", "--access-log"],
                                  cwd=self.dir, stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.assertIn(b"listening on", server.stdout.readline())
        self.assertEqual(os.readlink(f"/proc/{server.pid}/fd/2"), "/dev/null")
        server.terminate()
        self.assertEqual(server.wait(30), 0)

    def test_what_is_logged_is_written_whole_and_in_order(self):
        server = self.serve(None, "--log", "json")
        self.assertEqual(self.asks(server, 100), 100)
        self.assertEqual(self.dropped(server), 0)
        self.assertEqual(server.stop(), 0)
        events = [json.loads(line)["event"] for line in server.log().splitlines()]
        self.assertEqual(events.count("request"), 101)
        self.assertEqual((events[0], events[-1]), ("store_open", "stopped"))
        # A request's line comes when its connection is done with it, after the client has the
        # answer: the last one may find the server stopping.
        self.assertIn("stopping", events[-3:])


if __name__ == "__main__":
    main()
