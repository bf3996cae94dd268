"""Attempts to break into a server, or to stop its service for others. None succeeds."""
import json
import os
import resource
import socket
import threading
import time

from harness import SOAK, Case, main
from serve import ESCROW, FACTS, Server

CONTRACT = "/v1/contracts/escrow"
BOUND = {"EscrowAccount": "acc-1", "DeliveryRecord": "del-1"}
IDLE = 10_000


def raw(server, data, timeout=5):
    """Sends bytes and returns everything that comes back."""
    with socket.create_connection((server.host, server.port), timeout=timeout) as s:
        try:
            s.sendall(data)
        except OSError:
            pass
        heard = b""
        try:
            while piece := s.recv(65536):
                heard += piece
        except OSError:
            pass
        return heard


class BreakIn(Case):

    def start(self, *options):
        server = Server(self.dir, ESCROW, options=options)
        self.admin = server.token("--right", "admin", "--right", "instances:create",
                                  "--right", "facts:*", "--right", "facts:override",
                                  "--right", "ledger:read", "--persona", "escrow_agent",
                                  "--persona", "seller")
        server.start()
        self.addCleanup(server.stop)
        for entity, name in BOUND.items():
            made = server.post(f"{CONTRACT}/instances/{entity}", {"id": name}, token=self.admin)
            self.assertEqual(made.status, 201, made)
        return server

    def untouched(self, server):
        """Nothing happened, and the service is there for others."""
        answer = server.get(f"{CONTRACT}/instances/EscrowAccount/acc-1", token=self.admin)
        self.assertEqual((answer.status, answer.json["state"]), (200, "held"))
        self.assertEqual(len(self.ledger(server)), self.records)

    def ledger(self, server):
        """Kinds of all records but refusals, and those of the tokens that tests make."""
        records = server.get("/v1/ledger", token=self.admin).json["items"]
        kinds = [r["body"]["kind"] for r in records]
        return [k for k in kinds if k != "refusal" and not k.startswith("token_")]

    def release(self, server, **named):
        return server.post(f"{CONTRACT}/operations/release_escrow",
                           {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}, **named)

    def test_who_has_no_good_token_is_kept_out(self):
        server = self.start()
        self.records = len(self.ledger(server))
        expired = server.token("--persona", "escrow_agent", "--right", "facts:*", "--expires", "1ms")
        revoked = server.token("--persona", "escrow_agent", "--right", "facts:*")
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows", token=revoked).status == 200))
        self.holds("token", "revoke", revoked[3:19], "--store", server.store)
        began = time.monotonic()
        self.assertTrue(server.wait_until(lambda: server.get("/v1/flows", token=revoked).status == 401))
        self.assertLess(time.monotonic() - began, 5)
        one = self.admin
        bad = [None, "x", "mt_", one[:-1], one + "0", one.upper(), one[:19] + "_" + "0" * 64,
               "mt_" + "0" * 16 + one[19:], expired, revoked, "' OR '1'='1", "mt_%_%"]
        for token in bad:
            with self.subTest(token):
                answer = self.release(server, token=token)
                self.assertEqual((answer.status, answer.code), (401, "unauthorized"))
                self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        for path in ("/v1/ledger", "/v1/contracts", "/metrics", "/v1/events", "/v1/flows"):
            self.assertEqual(server.get(path).status, 401, path)
        self.untouched(server)

    def test_a_persona_never_acts_as_another(self):
        server = self.start()
        self.records = len(self.ledger(server))
        seller = server.token("--persona", "seller", "--right", "facts:*", "--right", "facts:override")
        only_admin = server.token("--right", "admin", "--right", "facts:*", "--right", "facts:override")
        no_facts = server.token("--persona", "escrow_agent")
        server.wait_until(lambda: server.get("/v1/flows", token=no_facts).status == 200)
        for token in (seller, only_admin):
            answer = self.release(server, token=token)
            self.assertEqual((answer.status, answer.code), (403, "persona_rejected"), answer)
        answer = self.release(server, token=no_facts)
        self.assertEqual((answer.status, answer.code), (403, "fact_forbidden"), answer)
        made = server.post(f"{CONTRACT}/instances/EscrowAccount", {"id": "x"}, token=seller)
        self.assertEqual(made.status, 403, made)
        gone = server.ask("DELETE", f"{CONTRACT}/instances/EscrowAccount/acc-1", token=seller)
        self.assertEqual(gone.status, 403, gone)
        self.assertEqual(server.get("/v1/events", token=seller).status, 403)
        self.assertEqual(server.get("/metrics", token=seller).status, 403)
        self.assertEqual(server.post("/v1/contracts", {}, token=seller).status // 100 in (4, 5), True)
        self.untouched(server)

    def test_path_tricks_lead_nowhere(self):
        server = self.start()
        self.records = len(self.ledger(server))
        head = f" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {self.admin}\r\n\r\n"
        for path in ("/../etc/passwd", "/v1/../../etc/passwd", "/v1/%2e%2e/%2e%2e/etc/passwd",
                     "/v1/ledger/%2e%2e", "/v1/ledger%00", "/v1//ledger", "//v1/ledger", "/v1/ledger/",
                     "/v1/%2fledger", "/v1\\ledger", "/v1/..;/ledger", "/v1/ledger#x", "http://x/v1/ledger",
                     "/v1/ledger/%c0%ae%c0%ae", "/%76%31/ledger/..", "/healthz/../v1/ledger",
                     "/v1/contracts/..%2f..%2fetc/facts", "/v1/ledger?limit=1&limit=2", "/" + "a/" * 40,
                     "/" + "a" * 9000, "*", ""):
            heard = raw(server, b"GET " + path.encode() + head.encode())
            with self.subTest(path[:60]):
                self.assertRegex(heard[:13], rb"^(HTTP/1\.[01] 4|$)")
                self.assertNotIn(b"root:", heard)
        self.untouched(server)

    def test_sql_in_every_text_is_only_text(self):
        server = self.start()
        self.records = len(self.ledger(server))
        evil = "x'; DROP TABLE instance; DROP TABLE instances; --\" OR 1=1 /*"
        from urllib.parse import quote
        q = quote(evil, safe="")
        for path in (f"/v1/contracts/{q}", f"{CONTRACT}/instances/{q}", f"{CONTRACT}/instances/EscrowAccount/{q}",
                     f"{CONTRACT}/instances/EscrowAccount/{q}/history", f"/v1/flows/{q}", f"/v1/ledger/{q}",
                     f"/v1/systems/{q}", f"/v1/graphs/{q}/context", f"/v1/agents/{q}/tape",
                     f"{CONTRACT}/instances?state={q}", f"{CONTRACT}/instances?after={q}",
                     f"/v1/flows?contract={q}&status={q}&flow={q}&persona={q}&after={q}",
                     f"/v1/ledger?kind={q}&contract={q}&subject={q}&flow={q}"):
            answer = server.get(path, token=self.admin)
            with self.subTest(path[:50]):
                self.assertIn(answer.status, (200, 400, 404), answer)
        for body in ({"persona": evil}, {"persona": "escrow_agent", "bindings": {evil: evil}},
                     {"persona": "escrow_agent", "bindings": {"EscrowAccount": evil}, "facts": FACTS},
                     {"persona": "escrow_agent", "bindings": BOUND, "facts": {evil: evil}},
                     {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS, "outcome": evil},
                     {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS,
                      "params": {evil: evil}, "expected_versions": {evil: 1}}, {evil: 1}):
            answer = server.post(f"{CONTRACT}/operations/release_escrow", {**body, "dry_run": True},
                                 token=self.admin)
            self.assertIn(answer.status, (200, 400, 403, 404, 409, 422), answer)
        for field in ("Idempotency-Key", "X-Request-Id", "Last-Event-ID", "If-None-Match"):
            answer = server.get("/v1/flows", token=self.admin, headers={field: evil})
            self.assertIn(answer.status, (200, 304, 400), field)
        self.untouched(server)
        # And where it is allowed as an id, it comes back as it was.
        made = server.post(f"{CONTRACT}/instances/EscrowAccount", {"id": evil}, token=self.admin)
        self.assertIn(made.status, (201, 422), made)
        self.assertEqual(server.get(f"{CONTRACT}/instances", token=self.admin).status, 200)

    def test_header_games_are_refused(self):
        server = self.start()
        self.records = len(self.ledger(server))
        body = json.dumps({"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS})
        auth = f"Authorization: Bearer {self.admin}\r\n"
        base = (f"POST {CONTRACT}/operations/release_escrow HTTP/1.1\r\nHost: localhost\r\n"
                "Content-Type: application/json\r\n")
        smuggled = f"GET /v1/ledger HTTP/1.1\r\nHost: localhost\r\n{auth}\r\n"
        n = len(body)
        games = {
            "two lengths": f"{base}{auth}Content-Length: {n}\r\nContent-Length: 0\r\n\r\n{body}",
            "length and coding": f"{base}{auth}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n{n:x}\r\n{body}\r\n0\r\n\r\n",
            "unknown coding": f"{base}{auth}Transfer-Encoding: identity, chunked\r\n\r\n{n:x}\r\n{body}\r\n0\r\n\r\n",
            "blank before the colon": f"{base}{auth}Content-Length : {n}\r\n\r\n{body}",
            "two authorizations": f"{base}{auth}{auth}Content-Length: {n}\r\n\r\n{body}",
            "two hosts": f"{base}Host: evil\r\n{auth}Content-Length: {n}\r\n\r\n{body}",
            "negative length": f"{base}{auth}Content-Length: -1\r\n\r\n{body}",
            "length in hex": f"{base}{auth}Content-Length: 0x{n:x}\r\n\r\n{body}",
            "huge length": f"{base}{auth}Content-Length: 99999999999999999999\r\n\r\n{body}",
            "two keys": f"{base}{auth}Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: {n}\r\n\r\n{body}",
            "too many fields": f"{base}{auth}" + "X: y\r\n" * 150 + f"Content-Length: {n}\r\n\r\n{body}",
            "a large head": f"{base}{auth}X: {'y' * 70000}\r\nContent-Length: {n}\r\n\r\n{body}",
            "another type": base.replace("application/json", "text/plain") + f"{auth}Content-Length: {n}\r\n\r\n{body}",
            "no host": f"POST {CONTRACT}/operations/release_escrow HTTP/1.1\r\n{auth}Content-Length: {n}\r\n\r\n{body}",
            "compressed": f"{base}{auth}Content-Encoding: gzip\r\nContent-Length: {n}\r\n\r\n{body}",
        }
        for name, text in games.items():
            heard = raw(server, text.encode() + smuggled.encode(), timeout=3)
            with self.subTest(name):
                self.assertNotIn(b" 200 OK", heard)
                self.assertNotIn(b'"items"', heard)
        self.untouched(server)

    def test_bad_bodies_are_refused(self):
        server = self.start("--max-body", "65536")
        self.records = len(self.ledger(server))
        good = json.dumps({"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS})
        duplicate = good[:-1] + ', "persona": "seller"}'
        inner = good.replace('"delivery_status"', '"delivery_status": "pending", "delivery_status"')
        for name, body, status in (
                ("a key given twice", duplicate, 400), ("a key given twice inside", inner, (400, 422)),
                ("no JSON", "persona=escrow_agent", 400), ("two values", good + "{}", 400),
                ("deep nesting", '{"facts":' + "[" * 30000 + "]" * 30000 + "}", (400, 413, 422)),
                ("bad UTF-8", b'{"persona":"\xff"}', 400), ("a NUL", b'{"persona":"a\x00b"}', 400),
                ("an unknown member", good[:-1] + ', "admin": true}', 400),
                ("too large", '{"a":"' + "x" * 70000 + '"}', 413), ("an array", "[]", 400)):
            answer = server.ask("POST", f"{CONTRACT}/operations/release_escrow", body, token=self.admin)
            with self.subTest(name):
                wanted = status if isinstance(status, tuple) else (status,)
                self.assertIn(answer.status, wanted, answer)
        chunks = b"".join(b"8000\r\n" + b" " * 0x8000 + b"\r\n" for _ in range(100))
        heard = raw(server, (f"POST {CONTRACT}/evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                             f"application/json\r\nAuthorization: Bearer {self.admin}\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n").encode() + chunks + b"0\r\n\r\n")
        self.assertNotIn(b" 200 OK", heard)
        self.untouched(server)

    def test_slow_clients_are_sent_away(self):
        server = self.start("--idle", "2", "--request-timeout", "2")
        self.records = len(self.ledger(server))
        heads = [socket.create_connection((server.host, server.port)) for _ in range(50)]
        bodies = [socket.create_connection((server.host, server.port)) for _ in range(50)]
        for s in bodies:
            s.sendall(f"POST {CONTRACT}/evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                      f"\r\nAuthorization: Bearer {self.admin}\r\nContent-Length: 60000\r\n\r\n".encode())
        open_ones, end = set(heads + bodies), time.monotonic() + 10
        while open_ones and time.monotonic() < end:
            for s in list(open_ones):
                try:
                    s.sendall(b"G" if s in heads else b" ")
                except OSError:
                    open_ones.discard(s)
            began = time.monotonic()
            self.assertEqual(server.get("/healthz").status, 200)
            self.assertLess(time.monotonic() - began, 5)
            time.sleep(0.2)
        self.assertEqual(len(open_ones), 0)
        for s in heads + bodies:
            s.close()
        self.untouched(server)

    def test_the_rate_of_one_address_is_limited(self):
        server = self.start("--rate", "60", "--rate-local")
        statuses = [server.get("/healthz").status for _ in range(100)]
        self.assertIn(429, statuses)
        self.assertEqual(statuses[0], 200)
        answer = server.get("/healthz")
        while answer.status == 200:
            answer = server.get("/healthz")
        self.assertEqual((answer.code, answer.headers["Retry-After"]), ("rate_limited", "1"))

    def test_idle_connections_stop_nobody(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = min(IDLE, hard - 200)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, IDLE + 200)), hard))
        for limit in (16384, 500):
            server = Server(self.dir, ESCROW, store=f"sqlite:idle{limit}.db",
                            options=["--max-connections", limit])
            with server:
                idle, made = [], 0
                for _ in range(count):
                    try:
                        idle.append(socket.create_connection((server.host, server.port), timeout=5))
                        made += 1
                    except OSError:
                        time.sleep(0.01)
                print(f"{made} idle connections, limit {limit}")
                self.assertGreater(made, count * 0.95)
                for _ in range(20):
                    began = time.monotonic()
                    self.assertEqual(server.get("/readyz").status, 200)
                    self.assertLess(time.monotonic() - began, 10)
                for s in idle:
                    s.close()

    def test_a_browser_on_another_site_cannot_use_an_open_server(self):
        with Server(self.dir, ESCROW, store="sqlite:open.db") as server:
            answer = server.get("/v1/contracts", headers={"Host": "evil.example"})
            self.assertEqual(answer.status, 421)
            answer = server.ask("POST", f"{CONTRACT}/instances/EscrowAccount", "{}",
                                headers={"Content-Type": "text/plain"})
            self.assertEqual(answer.status, 415)
            answer = server.ask("OPTIONS", "/v1/contracts", headers={"Origin": "https://evil.example"})
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def test_noise_stops_nobody(self):
        server = self.start()
        self.records = len(self.ledger(server))
        def shout():
            for _ in range(400 if SOAK else 40):
                raw(server, os.urandom(300), timeout=0.2)
        shouters = [threading.Thread(target=shout) for _ in range(4)]
        for thread in shouters:
            thread.start()
        while any(thread.is_alive() for thread in shouters):
            self.assertEqual(server.get("/healthz").status, 200)
        self.untouched(server)


main()
