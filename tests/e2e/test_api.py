"""/openapi.json: whole, without a fault, true, and good enough to generate a client from."""
import http.client
import json
import os
import re
import shutil
import subprocess

import api
import npm
from harness import SOURCE, Case, main
from serve import ESCROW, FACTS, Server

GIVEN = SOURCE / "tests" / "golden" / "before" / "given"
C = "/v1/contracts/escrow"
BOUND = {"EscrowAccount": "acc-1", "DeliveryRecord": "del-1"}
LINES = {"Content-Type": "application/jsonl"}
LOAN = """
persona clerk
fact sound { type: Bool source: "desk.sound" }
entity Loan { states: [asked, lent, declined] initial: asked transitions: [(asked, lent), (asked, declined)] }
rule r { stratum: 0 when: sound = true produce: ok(true) }
operation decide {
  allowed_personas: [clerk]
  precondition: ok present
  effects: [(Loan, asked, lent, approved), (Loan, asked, declined, refused)]
  outcomes: [approved, refused]
}
flow lend {
  snapshot: at_initiation
  entry: a
  steps: { a: OperationStep { op: decide persona: clerk outcomes: { approved: Terminal(success) refused: Terminal(failure) }
                              on_failure: Terminate(outcome: failure) } }
}
"""
AGENT = {"persona": "escrow_agent", "bindings": BOUND, "facts": FACTS}


def table():
    """(method, pattern) of every row of src/http/route.c."""
    text = (SOURCE / "src" / "http" / "route.c").read_text()
    rows = re.findall(r'^    \{"(\w+)",\s+(V1|CONTRACT|)\s*(?:"([^"]*)")?,', text, re.M)
    begin = {"V1": "/v1", "CONTRACT": "/v1/contracts/{contract}", "": ""}
    return [(method, begin[which] + (rest or "")) for method, which, rest in rows]


class Described(Case):
    def document(self, *files):
        with Server(self.dir, *(files or [ESCROW])) as server:
            return server.get("/openapi.json").json

    def test_FU4_every_route_of_the_table_is_described(self):
        document = self.document()
        said = {(method.upper(), path) for path, methods in document["paths"].items()
                for method in methods if "/escrow" not in path}
        self.assertGreater(len(table()), 45)
        self.assertEqual(said, set(table()))
        self.assertEqual(document["openapi"], "3.1.0")
        self.assertEqual([server["url"] for server in document["servers"]], ["/"])

    def test_FU4_operations_have_ids_answers_and_typed_bodies(self):
        document = self.document()
        ids = set()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                with self.subTest(f"{method} {path}"):
                    self.assertNotIn(operation["operationId"], ids)
                    ids.add(operation["operationId"])
                    self.assertTrue(any(status < "400" for status in operation["responses"]))
                    self.assertIn("default", operation["responses"])
                    named = {p["$ref"].rsplit("/")[-1] for p in operation["parameters"]}
                    self.assertTrue(set(re.findall(r"\{(\w+)\}", path)) <= named)
                    writes = method != "get" and not re.search(
                        "/(evaluate|actions|explain|partial|batch)$", path)
                    self.assertEqual("Idempotency-Key" in named, writes)

    def test_addresses_of_tenants_are_free(self):
        """Paths are relative to the server's URL, and nothing begins with /t."""
        with Server(self.dir, ESCROW) as server:
            self.assertEqual(server.get("/t/acme/v1/contracts").status, 404)
        self.assertFalse([pattern for _, pattern in table() if pattern.startswith("/t/")])

    def test_the_documentation_has_every_body_next_to_its_route(self):
        done = subprocess.run([str(SOURCE / "tools" / "api-docs"), "--check"], timeout=60)
        self.assertEqual(done.returncode, 0, "docs/http-api.md is not what tools/api-docs writes")
        page = (SOURCE / "docs" / "http-api.md").read_text()
        self.assertEqual(re.findall(r"^### (\w+) `(.*)`$", page, re.M), table())


class Linted(Case):
    def test_FU4_a_linter_finds_no_fault(self):
        for files in ([ESCROW], [GIVEN / "trade_platform" / "trade_platform.tenor", GIVEN / "wide" / "wide.tenor"]):
            with self.subTest(str(files[0].name)):
                with Server(self.dir, *files, store=f"sqlite:{files[0].stem}.db") as server:
                    path = self.write("openapi.json", server.get("/openapi.json").body)
                code, said = npm.run("redocly", "lint", path.name, "--max-problems", "50", cwd=self.dir)
                self.assertEqual(code, 0, said)
                self.assertNotRegex(said, r"You have \d+ (warning|error)", said)


class Client(Case):
    def test_FU4_a_generated_client_walks_the_escrow(self):
        shutil.copytree(npm.FOLDER / "walk", self.dir / "walk")
        os.symlink(npm.MODULES, self.dir / "node_modules")
        self.write("package.json", '{"type": "module"}')
        with Server(self.dir, ESCROW) as server:
            self.write("walk/openapi.json", server.get("/openapi.json").body)
            code, said = npm.run("openapi-typescript", "openapi.json", "-o", "api.d.ts", cwd=self.dir / "walk")
            self.assertEqual(code, 0, said)
            code, said = npm.run("tsc", "-p", ".", cwd=self.dir / "walk")
            self.assertEqual(code, 0, said)
            done = subprocess.run(["node", "out/walk.js", server.url], cwd=self.dir / "walk",
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("proof: 200", done.stdout)


class Walked(Case):
    """Every route once, so that it gives what it is there for."""

    def setUp(self):
        super().setUp()
        shutil.copytree(GIVEN, self.dir, dirs_exist_ok=True)
        os.chmod(self.dir / "keys" / "test-only.secret", 0o600)

    def test_FU4_every_route_answers_as_described(self):
        files = ("escrow/escrow.tenor", "trade_platform/trade_platform.tenor")
        with Server(self.dir, *files, options=("--config", "serve.yaml", "--signing-key",
                                               "keys/test-only.secret")) as server:
            api.description = api.ask_for(server.host, server.port)
            self.walk(server)
            said = {operation["operationId"] for path, methods in api.description.document["paths"].items()
                    for operation in methods.values()}
            alike = {re.sub("_.*", "", name) for name in api.description.hit}
        self.assertEqual({re.sub("_.*", "", name) for name in said} - alike, set())

    def expect(self, status, answer):
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def walk(self, server):
        self.walk_server(server)
        self.walk_contract(server)
        self.walk_ledger(server)
        self.walk_voices(server)

    def walk_server(self, server):
        for path in ("/.well-known/tenor", "/healthz", "/readyz", "/metrics", "/openapi.json",
                     "/v1/contracts", C, f"{C}/.well-known/tenor", f"{C}/versions", f"{C}/migration",
                     f"{C}/facts", "/v1/flows", "/v1/systems", "/v1/graphs", "/v1/agents",
                     "/v1/systems/trade_platform", "/v1/systems/trade_platform/triggers"):
            self.assertEqual(server.get(path).status, 200, path)
        self.expect(201, server.post("/v1/contracts", {"contract": "greeting", "source": "persona clerk"}))
        self.expect(200, server.post(f"{C}/migration/complete"))
        self.events(server)

    def events(self, server):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=10)
        connection.request("GET", "/v1/events", headers={"Last-Event-ID": "0"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"].split(";")[0]),
                         (200, "text/event-stream"))
        line = answer.readline()
        self.assertRegex(line.decode(), r"^(retry|id): \d+$")
        connection.close()
        api.description.hit.add("events")

    def walk_contract(self, server):
        for entity, id in BOUND.items():
            made = server.post(f"{C}/instances/{entity}", {"id": id})
            self.assertEqual((made.status, made.headers["Location"]), (201, f"{C}/instances/{entity}/{id}"))
        self.expect(200, server.post(f"{C}/evaluate", {"facts": FACTS}))
        self.expect(200, server.post(f"{C}/evaluate", {"partial": True}))
        self.expect(200, server.post(f"{C}/partial", {"facts": {"delivery_status": "confirmed"}}))
        lines = server.post(f"{C}/evaluate/batch", json.dumps({"facts": FACTS}) + "\n{}\n", headers=LINES)
        self.assertEqual(lines.status, 200, lines)
        self.expect(200, server.post(f"{C}/actions", {"persona": "escrow_agent", "facts": FACTS}))
        self.expect(200, server.post(f"{C}/explain", {"operation": "refund_escrow", "facts": FACTS}))
        self.expect(200, server.ask("PUT", f"{C}/facts/buyer_requested_refund", {"value": True}))
        self.expect(200, server.ask("DELETE", f"{C}/facts/buyer_requested_refund"))
        self.expect(200, server.post(f"{C}/operations/confirm_delivery",
                                     {**AGENT, "persona": "seller", "dry_run": True}))
        flow = self.expect(200, server.post(f"{C}/flows/standard_release", AGENT))
        self.expect(200, server.get(f"/v1/flows/{flow['id']}"))
        self.walk_waiting(server)
        self.expect(200, server.get(f"{C}/states"))
        for path in (f"{C}/instances", f"{C}/instances/EscrowAccount", f"{C}/instances/EscrowAccount/acc-1",
                     f"{C}/instances/EscrowAccount/acc-1/history"):
            self.assertTrue(self.expect(200, server.get(path)))
        self.expect(200, server.ask("DELETE", f"{C}/instances/EscrowAccount/acc-1"))

    def walk_waiting(self, server):
        """A flow that stops twice at an outcome to be named: resumed, and cancelled."""
        self.expect(201, server.post("/v1/contracts", {"contract": "loan", "source": LOAN}))
        for id in ("l1", "l2"):
            self.expect(201, server.post("/v1/contracts/loan/instances/Loan", {"id": id}))
        begin = {"persona": "clerk", "facts": {"sound": True}}
        first, second = (self.expect(200, server.post("/v1/contracts/loan/flows/lend",
                                                      {**begin, "bindings": {"Loan": id}}))
                         for id in ("l1", "l2"))
        self.assertEqual(first["status"], "waiting")
        self.expect(200, server.post(f"/v1/flows/{first['id']}/resume", {"outcome": "approved"}))
        self.expect(200, server.post(f"/v1/flows/{second['id']}/cancel", {"reason": "enough"}))

    def walk_ledger(self, server):
        first = self.expect(200, server.get("/v1/ledger"))["items"][0]["id"]
        for path in ("checkpoint", "consistency", first, f"{first}/proof"):
            self.expect(200, server.get(f"/v1/ledger/{path}"))

    def walk_voices(self, server):
        event = {"id": "g-1", "kind": "DataAvailable", "at": {"secs": 1, "nanos": 0}, "semantic_kind": "reading",
                 "payload": {"reading": 40.0}}
        self.expect(200, server.post("/v1/graphs/gauge/events", event))
        self.expect(200, server.get("/v1/graphs/gauge/context"))
        capture = self.expect(200, server.get("/v1/graphs/gauge/captures"))["items"][0]["id"]
        self.expect(200, server.get(f"/v1/graphs/gauge/captures/{capture}"))
        self.expect(200, server.post("/v1/agents/arrow/messages", {"content": "please move"}))
        self.expect(200, server.get("/v1/agents/arrow/messages"))
        self.expect(200, server.get("/v1/agents/arrow/tape"))


main()
