"""motet serve: every route with real requests, on one machine."""
import json
import re
import signal
import socket
import subprocess
import time

from harness import SOURCE, Case, main, run
from serve import ESCROW, FACTS, Server

CONTRACT = "/v1/contracts/escrow"
BOUND = {"EscrowAccount": "acc-1", "DeliveryRecord": "del-1"}


class Serve(Case):
    def serve(self, *files, **named):
        server = Server(self.dir, *(files or (ESCROW,)), **named)
        server.start()
        self.addCleanup(server.stop)
        return server

    def with_instances(self, **named):
        server = self.serve(**named)
        for entity, name in BOUND.items():
            answer = server.post(f"{CONTRACT}/instances/{entity}", {"id": name})
            self.assertEqual(answer.status, 201, answer)
        return server

    def test_health_and_readiness(self):
        server = self.serve()
        self.assertEqual(server.get("/healthz").json, {"status": "alive"})
        self.assertEqual(server.get("/readyz").json, {"status": "ready"})
        metrics = server.get("/metrics")
        self.assertTrue(metrics.headers["Content-Type"].startswith("text/plain"))
        self.assertIn(b"motet_http_requests_total ", metrics.body)

    def test_E10_the_manifest_has_its_etag(self):
        server = self.serve()
        answer = server.get("/.well-known/tenor")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["ETag"], '"%s"' % answer.json["etag"])
        same = server.get(f"{CONTRACT}/.well-known/tenor")
        self.assertEqual(same.body, answer.body)
        etag = answer.json["etag"]
        for text in (f'"{etag}"', etag, f'W/"{etag}"', f'"x", "{etag}"', "*"):
            again = server.get("/.well-known/tenor", headers={"If-None-Match": text})
            self.assertEqual((again.status, again.body), (304, b""), text)
            self.assertEqual(again.headers["ETag"], f'"{etag}"')
        other = server.get("/.well-known/tenor", headers={"If-None-Match": '"other"'})
        self.assertEqual(other.status, 200)

    def test_E11_E12_the_bundle_is_whole_and_the_etag_its_digest(self):
        server = self.serve()
        manifest = server.get("/.well-known/tenor").json
        local = json.loads(run("elaborate", ESCROW, "--manifest").out)
        self.assertEqual(manifest["bundle"], local["bundle"])
        self.assertEqual(manifest["etag"], local["etag"])

    def test_E14_a_dynamic_executor_tells_its_capabilities(self):
        self.assertIn("capabilities", self.serve().get("/.well-known/tenor").json)

    def test_E13_a_dry_run_answers_alike_and_leaves_no_record(self):
        server = self.with_instances()
        size = len(server.get("/v1/ledger").json["items"])
        body = {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}
        operation = f"{CONTRACT}/operations/release_escrow"
        dry = server.post(operation, {**body, "dry_run": True})
        self.assertEqual(dry.status, 200, dry)
        self.assertIs(dry.json["simulation"], True)
        self.assertEqual(len(server.get("/v1/ledger").json["items"]), size)
        refused = {**body, "facts": {**FACTS, "delivery_status": "pending"}}
        real = server.post(operation, refused)
        dry = server.post(operation, {**refused, "dry_run": True})
        self.assertEqual((dry.status, dry.code), (real.status, real.code))
        self.assertIs(dry.json["simulation"], True)
        self.assertEqual(server.post(operation, body).status, 200)

    def test_a_flow_walks_and_waits_for_its_persons(self):
        server = self.with_instances()
        seller = server.token("--persona", "seller", "--right", "facts:*", "--right", "facts:override")
        agent = server.token("--persona", "escrow_agent")
        self.assertTrue(server.wait_until(
            lambda: server.get("/v1/flows", token=agent).status == 200 and
            server.get("/v1/flows").status == 401))
        started = server.post(f"{CONTRACT}/flows/standard_release", token=seller, body={
            "persona": "seller", "bindings": BOUND, "facts": FACTS})
        self.assertIn(started.status, (200, 201, 202), started)
        self.assertEqual(started.json["status"], "waiting", started)
        path = "/v1/flows/" + started.json["id"]
        self.assertEqual(started.headers["Location"], path)
        self.assertEqual(server.post(f"{path}/resume", token=seller, body={
            "persona": "seller"}).status, 403)
        resumed = server.post(f"{path}/resume", token=agent, body={"persona": "escrow_agent"})
        self.assertEqual(resumed.status, 200, resumed)
        self.assertEqual(server.get(path, token=agent).json["outcome"], "success")
        account = server.get(f"{CONTRACT}/instances/EscrowAccount/acc-1", token=agent)
        self.assertEqual(account.json["state"], "released")

    def test_instances_of_one_name_in_two_contracts_are_two(self):
        text = """persona user
entity Lamp { states: [off, on] initial: off transitions: [(off, on)] }
operation press { allowed_personas: [user] precondition: true effects: [(Lamp, off, on)] outcomes: [done] }
"""
        server = self.serve(self.write("hall.tenor", text), self.write("yard.tenor", text))
        press = {"persona": "user", "bindings": {"Lamp": "l"}}
        for contract in ("hall", "yard"):
            server.post(f"/v1/contracts/{contract}/instances/Lamp", {"id": "l"})
        for status in (200, 409):  # what is known of one says nothing of the other
            for contract in ("hall", "yard"):
                answer = server.post(f"/v1/contracts/{contract}/operations/press", press)
                self.assertEqual(answer.status, status, (contract, answer))

    def test_a_repeated_request_has_one_effect(self):
        server = self.with_instances()
        body = {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}
        key = {"Idempotency-Key": "once"}
        path = f"{CONTRACT}/operations/release_escrow"
        first = server.post(path, body, headers=key)
        again = server.post(path, body, headers=key)
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual(again.headers["Idempotency-Replayed"], "true")
        other = server.post(path, {**body, "outcome": "released"}, headers=key)
        self.assertEqual((other.status, other.code), (422, "idempotency_mismatch"))
        without = server.post(path, body)
        self.assertEqual((without.status, without.code), (409, "invalid_source_state"))

    def test_a_repeated_request_has_the_same_answer(self):
        """Refusals too, and the head of the answer with them."""
        server = self.with_instances()
        path = f"{CONTRACT}/operations/release_escrow"
        body = {"persona": "escrow_agent", "bindings": {"EscrowAccount": "acc-9"}, "facts": FACTS}
        made = {"id": "acc-9"}
        accounts = f"{CONTRACT}/instances/EscrowAccount"
        for what, where, ask, status in (("refusal", path, body, 404), ("creation", accounts, made, 201),
                                         ("twin", accounts, made, 409)):
            with self.subTest(what):
                key = {"Idempotency-Key": what}
                first = server.post(where, ask, headers=key)
                self.assertEqual(first.status, status, first)
                again = server.post(where, ask, headers=key)
                self.assertEqual(again.headers["Idempotency-Replayed"], "true")
                for field in ("Location", "Content-Type"):
                    self.assertEqual(again.headers.get(field), first.headers.get(field))
                self.assertEqual((again.status, again.body), (first.status, first.body))
        # The account is there now, but that request was refused.
        again = server.post(path, body, headers={"Idempotency-Key": "refusal"})
        self.assertEqual((again.status, again.code), (404, "unknown_instance"))
        self.assertEqual(server.post(path, body, headers={"Idempotency-Key": "new"}).status, 200)

    def test_every_route_answers_as_a_route(self):
        """No documented route is a 404 of the front door or a 405."""
        server = self.with_instances()
        table = (SOURCE / "docs" / "reference" / "http-api.md").read_text()
        rows = re.findall(r"^\| (GET|POST|PUT|DELETE) \| `([^`]+)` \|", table, re.M)
        self.assertGreater(len(rows), 40)
        for method, pattern in rows:
            if pattern == "/v1/events":
                continue
            path = pattern.replace("{contract}", "escrow").replace("{id}", "acc-1")
            path = re.sub(r"\{\w+\}", "EscrowAccount", path)
            body = {} if method in ("POST", "PUT") else None
            answer = server.ask(method, path, body)
            with self.subTest(f"{method} {path}"):
                self.assertNotEqual(answer.status, 405)
                self.assertNotEqual(answer.status, 500)
                if answer.status >= 400:
                    self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
                    self.assertNotIn("nothing at this path", answer.json.get("detail", ""))
                    self.assertEqual(answer.json["status"], answer.status)

    def test_events_tell_what_happens_and_what_was_missed(self):
        server = self.with_instances()
        stream = socket.create_connection((server.host, server.port), timeout=10)
        self.addCleanup(stream.close)
        stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n\r\n")
        reader = stream.makefile("rb")
        seen = self.read_events(reader, 2)
        body = {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}
        server.post(f"{CONTRACT}/operations/release_escrow", body)
        seen += self.read_events(reader, 1)
        ids = [int(event["id"]) for event in seen]
        self.assertEqual(ids, sorted(ids))
        self.assertGreaterEqual(ids[0], 1)
        record = server.get(f"/v1/ledger?from={ids[-1]}&limit=1").json["items"][0]
        self.assertEqual(record["seq"], ids[-1])
        self.assertEqual(record["body"], json.loads(seen[-1]["data"]))
        self.assertIn("release_escrow", seen[-1]["data"])
        json.loads(seen[-1]["data"])

    def read_events(self, reader, count):
        events, event = [], {}
        while len(events) < count:
            line = reader.readline().decode()
            self.assertTrue(line, "the stream ended")
            name, colon, value = line.rstrip("\r\n").partition(": ")
            if colon and name in ("id", "event", "data"):
                event[name] = value
            elif not line.strip() and "data" in event:
                events.append(event)
                event = {}
        return events

    def test_it_stops_when_told_and_goes_on_where_it_was(self):
        server = self.with_instances()
        self.assertEqual(server.stop(signal.SIGTERM), 0)
        self.assertIn("stopped", server.log())
        server.start()
        state = server.get(f"{CONTRACT}/instances/EscrowAccount/acc-1").json["state"]
        self.assertEqual(state, "held")
        self.assertEqual(server.stop(signal.SIGINT), 0)

    def test_two_servers_do_not_share_one_file(self):
        self.serve()
        second = Server(self.dir, ESCROW)
        with self.assertRaises(RuntimeError):
            second.start()
        second.errors.close()
        second.process.stdout.close()
        second.process = None

    def test_logs_are_json_when_asked_and_have_no_secret(self):
        server = self.serve(options=["--log", "json", "--access-log", "--log-level", "debug"])
        token = server.token("--right", "admin")
        server.wait_until(lambda: server.get("/v1/flows").status == 401)
        server.get("/v1/flows?secret=hush", token=token)
        server.get("/v1/flows", token=token[:-1] + "0")
        for target, status in (("/v1/flows?secret=hush&x=\"", 400), ("/v1/flows?secret=hush&secret=hush", 400),
                               ("/v1//flows?secret=hush", 400), ("/v1/flows?secret=hush" + "h" * 9000, 414)):
            with socket.create_connection((server.host, server.port), timeout=10) as raw:
                raw.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                self.assertIn(f" {status} ".encode(), raw.recv(100))
        server.stop()
        lines = [json.loads(line) for line in server.log().splitlines()]
        self.assertTrue(any(line["event"] == "request" for line in lines))
        self.assertNotIn(token[-64:], server.log())
        self.assertNotIn("hush", server.log())

    def test_tls_from_files(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.dir, check=True,
                       capture_output=True)
        server = self.serve(options=["--tls-cert", "cert.pem", "--tls-key", "key.pem"])
        self.assertTrue(server.url.startswith("https://"))
        result = self.holds("instance", "create", "escrow", "EscrowAccount", "a", "--server",
                            server.url, "--ca", "cert.pem")
        self.assertIn('"a"', result.out)
        self.fails(3, "instance", "list", "escrow", "--server", server.url)

    def test_check_config_checks_everything_and_starts_nothing(self):
        good = self.write("good.yaml", f"files: [{ESCROW}]\nlisten: 127.0.0.1:0\n")
        self.assertIn("holds", self.holds("serve", "--config", good, "--check-config").out)
        self.assertFalse((self.dir / "motet.db").exists())
        for text, where in (("listen: 127.0.0.1:0\nlisen: x\n", "bad.yaml:2:1"),
                            ("threads: 0\n", "bad.yaml:1:10"), ("files: [none.tenor]\n", "none.tenor"),
                            ("tls_cert: x\n", "tls_key"), ("signing_key: none\n", "none"),
                            ("log: loud\n", "loud")):
            bad = self.write("bad.yaml", text)
            result = self.run_motet("serve", "--config", "bad.yaml", "--check-config")
            self.assertIn(result.code, (1, 2, 3), text)
            self.assertIn(where, result.err, text)

    def test_check_config_tells_all_faults_at_once(self):
        self.write("torn.tenor", "fact {")
        self.write("limits.tenor", """
source limits { protocol: static }
fact largest { type: Int(min: 0, max: 9) source: limits { path: "largest" } }
rule fine { stratum: 0 when: largest = 1 produce: fine(true) }
""")
        self.write("bad.yaml", """lisen: 127.0.0.1:0
threads: 257
log: loud
tls_cert: x
files: [torn.tenor, limits.tenor]
sources:
  limits: {file: limits.json, max_agee: 1s}
executor: {flow_turn: 0}
""")
        result = self.run_motet("serve", "--config", "bad.yaml", "--check-config")
        self.assertEqual(result.code, 1, result)
        for what in ("bad.yaml:1:1: there is no setting lisen\n", "bad.yaml:1:1: did you mean `listen`?\n",
                     "bad.yaml:2:10: threads is a whole number from 1 to 256\n", "log: loud",
                     "tls_cert and tls_key", "torn.tenor", "max_agee", "executor.flow_turn"):
            self.assertIn(what, result.err)
        self.assertNotIn("holds", result.out)

    def test_check_config_looks_inside_every_section(self):
        self.write("limits.tenor", """
source limits { protocol: static }
source risk { protocol: x_risk }
fact largest { type: Int(min: 0, max: 9) source: limits { path: "largest" } }
fact score { type: Int(min: 0, max: 9) source: risk { path: "score" } }
rule fine { stratum: 0 when: largest = score produce: fine(true) }
""")
        self.write("bad.agent.yaml", "agent: 7\n")
        text = """files: [limits.tenor]
sources:
  limits: {file: limits.json, max_agee: 1s}
  risk: {directory: .}
graphs:
  none: {graph: none.yaml}
  odd: {graph: none.yaml, speed: 3}
agents:
  broken: {file: bad.agent.yaml}
  two: {file: a, files: b}
executor:
  flow_turn: fast
  anser_days: 3
policies: [sometimes]
shadow: none.tenor
"""
        self.write("bad.yaml", text)
        result = self.run_motet("serve", "--config", "bad.yaml", "--check-config")
        self.assertEqual(result.code, 1, result)
        lines = result.err.splitlines()
        for place, key, reason in (
                ("bad.yaml:3:", "sources.limits", "max_agee"), ("bad.yaml:4:", "sources.risk", "x_risk"),
                ("bad.yaml:6:", "graphs.none", "none.yaml"), ("bad.yaml:7:", "graphs.odd", "speed"),
                ("bad.yaml:9:", "agents.broken", ""), ("bad.yaml:10:", "agents.two", "file"),
                ("bad.yaml:12:", "executor.flow_turn", "whole number"),
                ("bad.yaml:13:", "executor.anser_days", "no such setting"),
                ("bad.yaml:14:", "policies", "sometimes"), ("", "shadow", "none.tenor")):
            with self.subTest(key):
                self.assertTrue(any(l.startswith(place) and f"{key}: " in l and reason in l for l in lines),
                                result.err)
        self.assertFalse((self.dir / "motet.db").exists())
        # Serving refuses each of them, too.
        sections = re.findall(r"^(?:sources|graphs|agents|executor|policies|shadow):.*\n(?:  .*\n)*", text, re.M)
        self.assertEqual(len(sections), 6)
        for section in sections:
            with self.subTest(section):
                files = "limits.tenor" if section.startswith("sources") else str(ESCROW)
                self.write("one.yaml", f"files: [{files}]\nlisten: 127.0.0.1:0\nstore: sqlite:one.db\n{section}")
                result = self.run_motet("serve", "--config", "one.yaml")
                self.assertIn(result.code, (1, 2, 3), result)

    def test_check_config_suggests_the_key_that_was_meant(self):
        """In every section, and beside every other fault of it."""
        witness = '{name: w, url: "http://127.0.0.1:1", key: k, tls: x, timout_ms: 5}'
        rows = (("oidc: {t: {issur: x}}", "oidc.t.issur", "`issuer`"),
                ("oidc: {t: {login: {client_idd: x}}}", "oidc.t.login.client_idd", "`client_id`"),
                ("certificates: {ruls: []}", "certificates.ruls", "`rules`"),
                ("outgoing: {orgins: []}\nsources: {}", "`outgoing.orgins`", "`origins`"),
                ("quotas: {requests_per_minut: 3}", "quotas.requests_per_minut", "`requests_per_minute`"),
                ("quotas: {identities: {ada: {stream: 3}}}", "quotas.identities.ada.stream", "`streams`"),
                ("signer: {command: [x], timeout: 1}", "`signer.timeout`", "`timeout_ms`"),
                ("signer: {command: [x], timeout: 1}", "`signer.key` is missing", ""),
                (f"witnesses: [{witness}]", "witnesses[0].timout_ms", "`timeout_ms`"),
                (f"witnesses: [{witness}]", "witnesses[0].tls", ""),
                ('otlp: {endpoint: "http://h:1", smaple: 1}', "otlp.smaple", "`sample`"))
        for section, key, near in rows:
            with self.subTest(key):
                self.write("bad.yaml", f"files: [{ESCROW}]\n{section}\n")
                result = self.run_motet("serve", "--config", "bad.yaml", "--check-config")
                self.assertIn(result.code, (1, 2), result)
                lines = [l for l in result.err.splitlines() if key in l]
                self.assertEqual(len(lines), 1, result.err)
                self.assertIn(f"did you mean {near}?" if near else key, lines[0])

    def test_E1_file_names_start_from_the_configuration_and_assertions_age(self):
        self.write("conf/limits.json", '{"largest": 3}')
        self.write("conf/c.tenor", """
source limits { protocol: static }
source desk { protocol: manual }
fact largest { type: Int(min: 0, max: 9) source: limits { path: "largest" } }
fact ready { type: Bool source: desk { path: "ready" } }
rule fine { stratum: 0 when: ready = true and largest = 3 produce: fine(true) }
""")
        self.write("conf/motet.yaml", "sources:\n"
                   "  limits: {file: limits.json}\n  desk: {max_age: 1s}\n")
        server = self.serve("conf/c.tenor", options=["--config", "conf/motet.yaml"])
        self.assertEqual(server.ask("PUT", "/v1/contracts/c/facts/ready", {"value": True}).status, 200)
        answer = server.post("/v1/contracts/c/evaluate", {})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual([v["type"] for v in answer.json["verdicts"]], ["fine"])

        def asserted():
            items = server.get("/v1/contracts/c/facts").json["items"]
            return next(i["asserted"] for i in items if i["id"] == "ready")
        self.assertIn("expires_at", asserted())
        self.assertTrue(server.wait_until(lambda: asserted()["expired"]))
        late = server.post("/v1/contracts/c/evaluate", {})
        self.assertEqual((late.status, late.code), (422, "missing_fact"))

    def test_the_command_line_wins_over_the_file(self):
        self.write("c.yaml", f"files: [{ESCROW}]\nmax_body: 2000\nstore: sqlite:other.db\n")
        server = self.serve(options=["--config", "c.yaml", "--max-body", "1024"])
        large = {"facts": {}, "padding": "x" * 1500}
        self.assertEqual(server.post(f"{CONTRACT}/evaluate", large).status, 413)
        self.assertFalse((self.dir / "other.db").exists())

    def test_others_are_kept_out_without_tokens(self):
        result = self.fails(2, "serve", ESCROW, "--listen", "0.0.0.0:0")
        self.assertIn("no tokens", result.err)

    def test_an_unknown_member_is_refused_with_the_nearest_one(self):
        server = self.serve()
        for member, hint in (("persna", " (did you mean `persona`?)"), ("admin", ""),
                             ("expected_version", " (did you mean `expected_versions`?)")):
            answer = server.post(f"{CONTRACT}/operations/release_escrow", {member: 1})
            self.assertEqual((answer.status, answer.code), (400, "bad_request"))
            self.assertEqual(answer.json["detail"], f"the body has an unknown member '{member}'{hint}")

    def test_a_token_holds_a_thousand_personas_and_rights(self):
        for option, name in (("persona", "p%d"), ("right", "facts:f%d")):
            given = [word for n in range(1000) for word in (f"--{option}", name % n)]
            made = json.loads(self.holds("token", "create", "--json", *given).out)
            kept = next(t for t in json.loads(self.holds("token", "list", "--json").out)["tokens"]
                        if t["id"] == made["id"])
            self.assertEqual(kept[f"{option}s"], [name % n for n in range(1000)])
            result = self.fails(2, "token", "create", *given, f"--{option}", name % 1000)
            self.assertIn(f"--{option} may be given 1000 times at most", result.err)

    def test_a_stream_ends_when_its_token_is_revoked(self):
        server = self.serve()
        token = server.token("--right", "ledger:read")
        server.wait_until(lambda: server.get("/v1/flows").status == 401)
        stream = socket.create_connection((server.host, server.port), timeout=10)
        self.addCleanup(stream.close)
        stream.sendall(f"GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
                       .encode())
        self.assertIn(b"200 OK", stream.recv(4096))
        self.holds("token", "revoke", token, "--store", server.store)
        started = time.monotonic()
        while stream.recv(4096):
            self.assertLess(time.monotonic() - started, 10)
        self.assertLess(time.monotonic() - started, 8)


class Commands(Case):
    """motet instance and motet flow against a real server."""

    def test_they_do_what_they_say(self):
        with Server(self.dir, ESCROW) as server:
            at = ("--server", server.url)
            for entity, name in BOUND.items():
                self.holds("instance", "create", "escrow", entity, name, *at)
            self.assertIn("held", self.holds("instance", "list", "escrow", *at).out)
            self.assertIn("acc-1", self.holds("instance", "show", "escrow", "EscrowAccount",
                                              "acc-1", *at).out)
            self.fails(1, "instance", "show", "escrow", "EscrowAccount", "none", *at)
            facts = self.write("facts.json", json.dumps(FACTS))
            bind = [word for pair in BOUND.items() for word in ("--bind", "=".join(pair))]
            words = ("flow", "start", "escrow", "standard_release", "--persona", "seller",
                     "--facts", facts, *bind, *at)
            tried = json.loads(self.holds(*words, "--dry-run").out)
            self.assertIs(tried["simulation"], True)
            done = json.loads(self.holds(*words, "--key", "k1", "--json").out)
            self.assertEqual(json.loads(self.holds(*words, "--key", "k1", "--json").out), done)
            self.assertEqual(done["outcome"], "success")
            shown = json.loads(self.holds("flow", "list", "--status", "done", "--json", *at).out)
            self.assertEqual(len(shown["items"]), 1)
            self.assertIn("released", self.holds("instance", "history", "escrow", "EscrowAccount",
                                                 "acc-1", *at).out)
            refused = self.fails(1, "flow", "operation", "escrow", "release_escrow", "--persona",
                                 "escrow_agent", "--facts", facts, *bind, *at)
            self.assertIn("invalid_source_state", refused.err)
        self.fails(3, "flow", "list", *at)

    def test_a_token_is_read_from_a_file_or_the_environment(self):
        with Server(self.dir, ESCROW) as server:
            token = server.token("--right", "admin")
            server.wait_until(lambda: server.get("/v1/flows").status == 401)
            at = ("--server", server.url)
            self.assertIn("401", self.fails(1, "flow", "list", *at).err)
            self.write("t", token + "\n")
            self.holds("flow", "list", "--token-file", "t", *at)
            self.holds("flow", "list", *at, env={"MOTET_TOKEN": token})


main()
